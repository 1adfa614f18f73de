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

/* True if complex selector `complex` matches `element` where `root` is the root of the scope;
 * CSS_NONE: no element is. */
bool css_plain_below(const hed_css_sheet *sheet, const hed_css_document *document, uint32_t complex,
    uint32_t element, css_plain_states states, uint32_t root);
/* True if complex selector `complex` matches `element`, outside of scopes. `possible`: for some choice of the states
 * that a document does not hold, chosen separately for each test. */
bool css_plain_match(const hed_css_sheet *sheet, const hed_css_document *document, uint32_t complex,
    uint32_t element, bool possible);

#endif
