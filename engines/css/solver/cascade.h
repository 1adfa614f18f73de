/* Ranks of declarations, the cascade as one maximum: Cascade 5, section 6. A rank is 64 bits:
 *
 *     1 + level 3 | style attribute 1 | layer l | specificity 30 | rule r        l + r <= 30
 *
 * level: normal user-agent, user, author, then important author, user, user-agent. layer: its order in
 * its origin, all sheets of the matcher together, with what is in no layer above; turned round where
 * important. Of a rule's declarations of one property the last important, or else the last one counts,
 * so the rule's number stands for its order. l and r are as many bits as the matcher's layers and rules
 * need; the specificity is hed_css_rule's, which saturates at 1,023 of a kind. So ranks are exact. */
#ifndef HED_CSS_CASCADE_H
#define HED_CSS_CASCADE_H

#include "model/document.h"
#include "model/properties.h"
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

typedef struct css_cascade {
    css_matched m;
    hed_arena work;
    uint32_t *place; /* (rules) origin and layer of each rule, rising; a style attribute's is the
                      * author's last */
    uint32_t places; /* of an origin: its layers, no layer, style attributes */
    uint32_t rule_bits;
} css_cascade;

/* Memory is the work arena's, which the caller frees in any case. Errors: MEMORY, LIMIT. */
hed_status css_cascade_open(css_cascade *cascade, const hed_css_matcher *matcher, hed_error *error);
/* Place of an author's style attributes. */
uint32_t css_style_place(const css_cascade *cascade);
/* Rank of a declaration in rule `rule`; HED_CSS_OWN_STYLE: in a style attribute. */
uint64_t css_rank(const css_cascade *cascade, uint32_t rule, uint32_t place, uint32_t specificity,
    bool important);
/* What `revert` or `revert-layer`, which won at a place, leaves: the places below this one. */
uint32_t css_rolled_back(const css_cascade *cascade, uint32_t place, css_wide wide);
/* Sheet of a rule of all sheets together. */
uint32_t css_sheet_of(const css_matched *matched, uint32_t rule);

#endif
