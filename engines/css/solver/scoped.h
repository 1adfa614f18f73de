/* Rules inside of @scope (Cascade 6, section 2.5): the matchers leave out the root of the scope,
 * and so find too many elements; the elements that are in scope of a root are found here. */
#ifndef HED_CSS_SCOPED_H
#define HED_CSS_SCOPED_H

#include "model/document.h"
#include "model/selector.h"
#include "solver/plain.h"

/* Tests of one sheet on one document. */
typedef struct css_scoper {
    const hed_css_sheet *sheet;
    const hed_css_document *d;
    bool possible; /* states are granted */
    uint32_t tree; /* tree of the sheet */
    /* (scopes x elements) 0: unknown; 1: a root; 2: no root; NULL: nothing is remembered */
    uint8_t *roots;
} css_scoper;

/* True if a complex selector of a rule matches an element. *hops: elements from the nearest root of
 * the scope down to the element; CSS_NONE: the rule is outside of scopes. */
bool css_scope_match(const css_scoper *scoper, const css_rule *rule, uint32_t complex,
    uint32_t element, uint32_t *hops);

#endif
