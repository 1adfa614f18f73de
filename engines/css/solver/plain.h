/* Match of one selector with one element, from right to left with backtracking, by the document's
 * tables of positions. */
#ifndef HED_CSS_PLAIN_H
#define HED_CSS_PLAIN_H

#include "model/document.h"
#include "model/selector.h"

/* True if complex selector `complex` matches `element`. `possible`: for some choice of the states
 * that a document does not hold, chosen separately for each test. */
bool css_plain_match(const hed_css_sheet *sheet, const hed_css_document *document, uint32_t complex,
    uint32_t element, bool possible);

#endif
