/* Match of one selector with one element, from right to left with backtracking, by the document's
 * tables of positions. */
#ifndef HED_CSS_PLAIN_H
#define HED_CSS_PLAIN_H

#include "model/document.h"
#include "model/selector.h"

/* States that a document does not hold. */
typedef enum css_plain_states {
    CSS_PLAIN_GIVEN,   /* values of the document */
    CSS_PLAIN_GRANTED, /* assumed to be true */
    CSS_PLAIN_DENIED   /* assumed to be false, as inside :not() */
} css_plain_states;

/* A selector of a sheet in a tree of a document. */
typedef struct css_plain {
    const hed_css_sheet *sheet;
    const hed_css_document *d;
    css_plain_states states;
    uint32_t root; /* root of the scope; CSS_NONE: no element is */
    uint32_t tree; /* tree of the sheet */
} css_plain;

/* True if complex selector `complex` matches `element`, which is in the sheet's tree or, by the
 * selectors of shadow trees, the host of the tree, assigned to a slot in it, or a part of a host in
 * it. With states granted, for some choice of the states that a document does not hold, chosen
 * separately for each test, and of the shadow trees that scripts make. */
bool css_plain_match(const css_plain *plain, uint32_t complex, uint32_t element);

#endif
