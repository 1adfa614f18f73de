/* Grammar of the values of CSS for JavaScript: a module that heddle-css calls for @supports. */
#include "exports.h"

#include "engines/css/model/properties.h"

EXPORT bool hedw_values_property_known(const char *property)
{
    return css_property_known(property);
}

/* value[length] must be readable. */
EXPORT bool hedw_values_valid(const char *property, const char *value, size_t length, bool quirks)
{
    return css_value_valid(property, value, length, quirks, NULL);
}
