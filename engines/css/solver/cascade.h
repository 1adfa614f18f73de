/* Which declarations win: what the cascade reads of a matcher. */
#ifndef HED_CSS_CASCADE_H
#define HED_CSS_CASCADE_H

#include "model/document.h"
#include "model/selector.h"

/* What a matcher holds and found. */
typedef struct css_matched {
    hed_allocator allocator;
    hed_css_document *const *documents;
    hed_css_sheet *const *sheets;
    uint32_t document_count, sheet_count;
    const uint32_t *first_element; /* (document_count + 1) */
    const uint32_t *first_rule;    /* (sheet_count + 1) */
    bool states_possible;
    hed_css_result result;
} css_matched;
css_matched css_matcher_parts(const hed_css_matcher *matcher); /* matcher.c */

#endif
