/* Ranks of declarations, the cascade as one maximum: Cascade 5, section 6. A rank is 64 bits:
 *
 *     1 + level 3 | tree t | style attribute 1 | layer l | specificity 30 | nearness n | rule r
 *                                                                          t + l + n + r <= 30
 *
 * level: normal user-agent, user, author, then important author, user, user-agent. tree: greater
 * for a tree further out, for important declarations further in (CSS Scoping 1, section 3.3);
 * without shadow trees t is 0. layer: its order in its origin, over all sheets of the matcher;
 * rules outside of layers come last; reversed if important. nearness: greater for a nearer root of
 * the scope of a rule in an @scope (Cascade 6, section 3.1), 0 outside of scopes; n is 0 if no
 * sheet has scopes. Of a rule's declarations of one property the last important one counts, or
 * without one the last, so the rule's number suffices as order. l and r are the bits that the
 * matcher's layers and rules need; the specificity is that of hed_css_rule, which saturates at
 * 1,023 of a kind. So ranks are exact. */
#ifndef HED_CSS_CASCADE_H
#define HED_CSS_CASCADE_H

#include "model/document.h"
#include "model/properties.h"
#include "model/selector.h"
#include "solver/trees.h"

/* Inputs and results of a matcher. */
typedef struct css_matched {
    hed_allocator allocator;
    hed_css_document *const *documents;
    hed_css_sheet *const *sheets;
    uint32_t document_count, sheet_count;
    const uint32_t *first_element; /* (document_count + 1) */
    const uint32_t *first_rule;    /* (sheet_count + 1) */
    const css_membership *membership;
    bool states_possible;
    hed_css_result result;
} css_matched;
css_matched css_matcher_parts(const hed_css_matcher *matcher); /* matcher.c */

typedef struct css_cascade {
    css_matched m;
    hed_arena work;
    /* Layers of the sheets in one tree; trees with the same sheets are one set, and set 0
     * has all sheets. */
    uint32_t **layer_of; /* (sets) (rules) order of the rule's layer; CSS_NONE: no layer */
    uint32_t **set_of;   /* (documents) (trees) set of the tree; NULL: set 0 for all trees */
    uint32_t places;     /* places of an origin in a tree: its layers, no layer, style attributes */
    uint32_t depths;     /* number of values of css_context_depth() */
    uint32_t rule_bits, nearness_bits, tree_bits;
} css_cascade;

/* Opens a cascade; the caller frees the arena `work` even after an error. Errors: MEMORY, LIMIT. */
hed_status css_cascade_open(css_cascade *cascade, const hed_css_matcher *matcher, hed_error *error);
/* Set of the sheets in a tree of a document. */
uint32_t css_layer_set(const css_cascade *cascade, uint32_t document, uint32_t tree);
/* Place of a rule, or of the author's style attributes, in a tree: ascending by origin, tree and
 * layer. `set`: of the tree's sheets.
 * `depth`: css_context_depth(). */
uint32_t css_rule_place(const css_cascade *cascade, uint32_t set, uint32_t rule, uint32_t depth);
uint32_t css_style_place(const css_cascade *cascade, uint32_t depth);
/* Rank of a declaration in rule `rule`; HED_CSS_OWN_STYLE: in a style attribute. `place`: of the
 * rule in a tree. `hops`: see css_scope_match(). */
uint64_t css_rank(const css_cascade *cascade, uint32_t rule, uint32_t place, uint32_t specificity,
    uint32_t hops, bool important);
/* Field of the ranks that makes one rank greater than the other. */
hed_css_defeat css_rank_defeat(const css_cascade *cascade, uint64_t greater, uint64_t smaller);
/* Bound of the places that remain after `revert` or `revert-layer` has won at a place: places
 * below the result. */
uint32_t css_rolled_back(const css_cascade *cascade, uint32_t place, css_wide wide);
/* Finds the winners of a longhand or custom property, together with a logical property that is one
 * with it (nullable). winners: (elements). Errors: ARGUMENT, MEMORY, LIMIT. */
hed_status css_query_winners(const hed_css_matcher *matcher, const char *property, const char *pair,
    uint32_t *winners, hed_error *error);
/* Index of the sheet of a rule, by its number in all sheets. */
uint32_t css_sheet_of(const css_matched *matched, uint32_t rule);

#endif
