/* A forest: the elements of all documents of a matcher, each with an element kind instead of names.
 * Elements of a kind have the same namespace, type, classes, states and language, and the same
 * predicates of attributes and ids are true on them; they differ in their positions only. A
 * specification of 78,056 elements has 168 kinds. */
#ifndef HED_CSS_FOREST_H
#define HED_CSS_FOREST_H

#include "tables/facts.h"

typedef struct css_forest {
    hed_arena *arena;
    hed_css_document *const *documents;
    uint32_t document_count, count, depth;
    uint32_t *first; /* (document_count + 1) first element of each document */
    uint32_t *kind;  /* (count) element kind of each element */
    css_facts facts;
    css_interner identities; /* identities of element kinds: css_identity, sets of facts, classes */
    CSS_ARRAY(css_element_kind) kinds;
    css_list kind_class, kind_fact; /* see css_element_kind */
    css_list scratch;
} css_forest;

/* Finds the element kinds of the documents; memory from `arena`. */
hed_status css_forest_make(css_forest *forest, hed_arena *arena, const css_compiled *compiled,
    hed_css_document *const *documents, uint32_t document_count, hed_error *error);
/* Number of the element kind that an element has now; a new kind is added. */
uint32_t css_forest_kind(
    css_forest *forest, const hed_css_document *document, uint32_t element, hed_error *error);

#endif
