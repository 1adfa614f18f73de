/* A forest: the elements of all documents of a matcher, with shapes instead of names. A shape is what
 * elements have in common as far as sheets may ask: namespace, type, classes, states, language, and what
 * attributes and ids make true; 78,056 elements of a specification have 168. Only places vary within a
 * shape. */
#ifndef HED_CSS_FOREST_H
#define HED_CSS_FOREST_H

#include "solver/facts.h"

typedef struct css_forest {
    hed_arena *arena;
    hed_css_document *const *documents;
    uint32_t document_count, count, depth;
    uint32_t *first; /* (document_count + 1) element of each document */
    uint32_t *shape; /* (count) */
    uint32_t *level; /* (count) */
    css_facts facts;
    css_interner identities; /* of shapes: their first words, and the sets of facts; then classes */
    css_list shapes;         /* CSS_SHAPE_WORDS each, see kernels/tables.h */
    css_list shape_class, shape_fact, scratch;
} css_forest;

/* Shapes of the documents; memory from `arena`. */
hed_status css_forest_make(css_forest *forest, hed_arena *arena, const css_compiled *compiled,
    hed_css_document *const *documents, uint32_t document_count, hed_error *error);
/* The shape that an element of document `document` has now. */
uint32_t css_forest_shape(
    css_forest *forest, const hed_css_document *document, uint32_t element, hed_error *error);

static inline uint32_t css_shapes(const css_forest *f) { return css_interned(&f->identities); }

#endif
