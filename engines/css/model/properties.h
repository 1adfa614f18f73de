/* Properties: names and values (values/), shorthands and aliases (shorthands.c). */
#ifndef HED_CSS_PROPERTIES_H
#define HED_CSS_PROPERTIES_H

#include "names.h"

/* True if a property, in lower case, is known. */
bool css_property_known(const char *name);
/* Property `index` of the known properties except custom ones, sorted by name; NULL after the
 * last. */
const char *css_property_at(uint32_t index);
/* Known property that is nearest to an unknown name in lower case; NULL: no property is near. */
const char *css_property_near(const char *name);

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
/* Fault of an invalid value. */
typedef struct css_value_fault {
    uint32_t begin, end; /* bytes of the value that do not fit; begin == end: its end */
    bool lacks_unit;     /* a number stands in the place of a length, angle or time */
    char expected[192];  /* components that the grammar has there, for people */
    char suggestion[48]; /* the nearest expected word; "": no word is near */
} css_value_fault;
/* True if a value is valid for a property by the grammar of today's browsers (values/); custom and
 * unknown properties take any value. `fault`: filled if it is not; nullable. value[length] must be
 * readable. */
bool css_value_valid(
    const char *property, const char *value, size_t length, bool quirks, css_value_fault *fault);

#endif
