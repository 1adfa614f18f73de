/* Sheets in shadow trees: the trees that each sheet belongs to, and the trees whose sheets can match an
 * element. */
#ifndef HED_CSS_TREES_H
#define HED_CSS_TREES_H

#include "model/selector.h"
#include "model/shadow.h"

/* Trees of the sheets of a matcher. */
typedef struct css_membership {
    uint32_t sheet_words; /* words of a row */
    /* (documents) rows of bits by tree, a bit for each sheet; NULL: every sheet is in tree 0
     * alone */
    uint32_t **rows;
    bool has_trees; /* some document has rows, or shadow trees */
} css_membership;

/* Fills a membership from rows of a definition. Errors: ARGUMENT (no such sheet, document or tree),
 * MEMORY. */
hed_status css_membership_make(
    css_membership *membership, hed_arena *arena, const hed_css_matcher_def *def, hed_error *error);

/* True if a sheet is in a tree, or in the tree of which this one is a copy. */
static inline bool css_sheet_in_tree(const css_membership *m, const hed_css_document *d,
    uint32_t document, uint32_t sheet, uint32_t tree)
{
    const uint32_t *rows = m->rows ? m->rows[document] : NULL;
    if (!rows) return tree == 0;
    uint32_t original = d->tree_count ? d->trees[tree].original : 0;
    return rows[original * m->sheet_words + sheet / 32] >> sheet % 32 & 1;
}

/* Relation of a tree to an element that its sheets can match. */
typedef enum css_tree_relation {
    CSS_TREE_OWN,    /* the tree has the element */
    CSS_TREE_HOSTED, /* shadow tree of the element: :host */
    CSS_TREE_SLOT,   /* the element is, or can be, assigned to a slot of the tree: ::slotted() */
    CSS_TREE_OUTER   /* tree around the element's: ::part() */
} css_tree_relation;

/* Next tree after `tree` (0: the first) into whose slots scripts can put the element: a tree of a host
 * that has the name of the element's parent, which has no shadow tree. UINT32_MAX: no further one. */
uint32_t css_next_possible_slot(const hed_css_document *document, uint32_t element, uint32_t tree);

/* Walk over the trees whose sheets can match an element. */
typedef struct css_contexts {
    const hed_css_document *document;
    uint32_t element;
    bool possible; /* with the trees of css_next_possible_slot() */
    /* the current tree; valid after css_contexts_next() returned true */
    uint32_t tree;
    css_tree_relation relation;
    /* the next steps of the walk */
    int stage;
    uint32_t slot, possible_tree;
    css_part_context part;
} css_contexts;
css_contexts css_contexts_of(const hed_css_document *document, uint32_t element, bool possible);
/* Moves to the next tree; each pair of tree and relation comes once. False: there is no further one. */
bool css_contexts_next(css_contexts *contexts);
/* True if a complex selector about shadow trees can match an element that has this relation to the
 * tree of its sheet; `shadow`: that of its last compound. */
static inline bool css_context_fits(css_tree_relation relation, uint8_t shadow)
{
    if (shadow == CSS_SLOTTED) return relation == CSS_TREE_SLOT;
    if (shadow == CSS_PART) return relation == CSS_TREE_OUTER || relation == CSS_TREE_OWN;
    return relation == CSS_TREE_OWN || relation == CSS_TREE_HOSTED;
}
/* Number of a context in the order of the cascade: 0 the page, greater for trees further inside; the
 * shadow tree of the element itself is last (CSS Scoping 1, section 3.3). Below tree_levels + 2. */
uint32_t css_context_depth(
    const hed_css_document *document, uint32_t tree, css_tree_relation relation);

#endif
