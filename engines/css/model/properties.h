/* Properties: names (properties.c), shorthands and aliases (shorthands.c), and values that are
 * certainly invalid (possible.c). */
#ifndef HED_CSS_PROPERTIES_H
#define HED_CSS_PROPERTIES_H

#include "names.h"

/* True if a property, in lower case, is known. */
bool css_property_known(const char *name);
/* Property `index` of the known properties except custom ones, sorted by name; NULL after the
 * last. */
const char *css_property_at(uint32_t index);

/* Name under which a property is defined: overflow-wrap for word-wrap; the name itself for most. */
const char *css_property_of(const char *name);
/* Properties that a shorthand sets, separated by spaces, including shorthands; NULL: not a
 * shorthand. "all" is a shorthand, with "". */
const char *css_shorthand(const char *property);
/* True if a declaration of `property` sets the longhand, or custom property, `longhand`. Neither
 * may be an alias. */
bool css_property_sets(const char *property, const char *longhand);
/* CSS-wide keyword as the only word of a value. */
typedef enum css_wide {
    CSS_NO_KEYWORD,
    CSS_KEYWORD, /* initial, inherit, unset */
    CSS_REVERT,
    CSS_REVERT_LAYER
} css_wide;
/* Keyword of a word in lower case. */
css_wide css_wide_keyword(const char *word);
/* Keyword of a declaration's value. */
css_wide css_wide_value(const char *value, size_t length);
/* False if a value is certainly invalid for a property, judged without the property's grammar;
 * custom properties accept any value. value[length] must be readable. */
bool css_value_possible(const char *property, const char *value, size_t length, bool quirks);
/* False if a property takes only keywords, and the value has another word or is no word. */
bool css_keywords_known(const char *property, const char *value, size_t length);

#endif
