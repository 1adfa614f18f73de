/* Which pseudo-classes and pseudo-elements are valid, and what they mean. */
#ifndef HED_CSS_PSEUDO_H
#define HED_CSS_PSEUDO_H

#include "selector.h"

typedef enum css_pseudo_use {
    CSS_PSEUDO_CLASS,
    CSS_PSEUDO_FUNCTION,
    CSS_PSEUDO_ELEMENT,
    CSS_PSEUDO_ELEMENT_FUNCTION
} css_pseudo_use;

enum {
    CSS_PSEUDO_ONLY = 1, /* :only-child, :only-of-type */
    CSS_PSEUDO_WITHIN,   /* the state, of the element or of one inside of it */
    CSS_PSEUDO_SHADOW,   /* about shadow trees */
    CSS_PSEUDO_BACKED    /* an element that has pseudo-elements itself */
};

/* What stands between the brackets of a function that has no reader of its own. */
enum {
    CSS_ARGUMENT_ANY,      /* something */
    CSS_ARGUMENT_NAME,     /* one name */
    CSS_ARGUMENT_NAMES,    /* names, with white space between */
    CSS_ARGUMENT_COMPOUND, /* one compound selector */
    CSS_ARGUMENT_COMPOUNDS,
    CSS_ARGUMENT_SELECT, /* "select" */
    CSS_ARGUMENT_SIDE    /* a side to scroll to, or "*" */
};

typedef struct css_pseudo {
    const char *name;
    uint8_t kind;        /* css_kind */
    uint8_t operation;   /* NTH: CSS_CHILD ... */
    bool negated;        /* FLAG: as in css_simple; IS: without specificity */
    bool behind_element; /* may stand behind a pseudo-element */
    uint8_t role;
    uint8_t argument; /* CSS_ARGUMENT_ANY ... */
    uint32_t bits;    /* FLAG, STATE: as in css_simple; IS: how its list is read */
} css_pseudo;

/* NULL: there is none of this name, which is in lower case. */
const css_pseudo *css_find_pseudo(const char *name, css_pseudo_use use);

#endif
