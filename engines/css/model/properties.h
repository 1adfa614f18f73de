/* Properties: which there are (properties.c), what a declaration sets by the tables of shorthands and of
 * names that mean the same (shorthands.c), and which values are certainly none (possible.c). */
#ifndef HED_CSS_PROPERTIES_H
#define HED_CSS_PROPERTIES_H

#include "names.h"

/* Whether a property, in lower case, is known. */
bool css_property_known(const char *name);
/* Property `index` of all that are known but custom ones, by name; NULL behind the last. */
const char *css_property_at(uint32_t index);

/* The name under which a property is defined: overflow-wrap of word-wrap, itself of most. */
const char *css_property_of(const char *name);
/* What a shorthand sets, with spaces between them, shorthands among them; NULL: it is none. "all" is
 * one, and gives "". */
const char *css_shorthand(const char *property);
/* Whether a declaration of `property` sets the longhand, or custom property, `longhand`; neither is a
 * name for another one. */
bool css_property_sets(const char *property, const char *longhand);
/* What a value that stands alone does to the cascade. */
typedef enum css_wide {
    CSS_NO_KEYWORD,
    CSS_KEYWORD, /* initial, inherit, unset */
    CSS_REVERT,
    CSS_REVERT_LAYER
} css_wide;
/* Of a word in lower case. */
css_wide css_wide_keyword(const char *word);
/* The same of a declaration's value. */
css_wide css_wide_value(const char *value, size_t length);
/* Whether a property may have a value, as far as can be told without its own grammar; custom properties
 * may have any. text[length] can be read. */
bool css_value_possible(const char *property, const char *value, size_t length, bool quirks);

#endif
