/* Valid pseudo-classes and pseudo-elements, and their meaning. */
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
    CSS_PSEUDO_WITHIN,   /* the state of the element or of a descendant */
    CSS_PSEUDO_SHADOW,   /* about shadow trees */
    CSS_PSEUDO_SCOPE,    /* root of the scope, outside of scopes that of the tree */
    CSS_PSEUDO_BACKED    /* a pseudo-element that may have pseudo-elements */
};

/* Arguments of a function that needs no reader of its own. */
enum {
    CSS_ARGUMENT_ANY,       /* any, but not empty */
    CSS_ARGUMENT_NAME,      /* one name */
    CSS_ARGUMENT_COMPOUNDS, /* compound selectors */
    CSS_ARGUMENT_SELECT,    /* "select" */
    CSS_ARGUMENT_SIDE       /* a side to scroll to, or "*" */
};

typedef struct css_pseudo {
    const char *name;
    uint8_t kind;        /* css_kind */
    uint8_t operation;   /* NTH: CSS_CHILD ... */
    bool negated;        /* FLAG: as in css_simple; IS: specificity 0 */
    bool behind_element; /* may follow a pseudo-element */
    uint8_t role;
    uint8_t argument; /* CSS_ARGUMENT_ANY ... */
    uint32_t bits;    /* FLAG, STATE: as in css_simple; IS: mode of its list */
    uint32_t changes; /* FLAG: flag of the elements on which a reader can change it, or 0 */
    /* STATE: elements that can be in it: words "tag", "[attribute]" or "tag[attribute]"; NULL: all */
    const char *elements;
} css_pseudo;

/* Finds a pseudo-class or pseudo-element by its name in lower case; NULL: unknown. */
const css_pseudo *css_find_pseudo(const char *name, css_pseudo_use use);

#endif
