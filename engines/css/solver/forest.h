/* A forest: the elements of all documents of a matcher, with shapes instead of names. A shape is what
 * elements have in common as far as sheets may ask: namespace, type, classes, states, language, and
 * attributes whose names have few values; 78,056 elements of a specification have 168. An element's id,
 * its positions among siblings, and the values of attributes with many values vary within a shape. */
#ifndef HED_CSS_FOREST_H
#define HED_CSS_FOREST_H

#include "model/document.h"

/* An attribute name with more distinct values than this varies. */
enum { CSS_MANY_VALUES = 32 };

typedef struct css_shape {
    uint32_t element;         /* the first one that has it, of the forest */
    uint32_t document, local; /* the same: its document, and its number there */
} css_shape;

/* A distinct attribute of the forest: name, namespace and value. */
typedef struct css_pair {
    uint32_t name, name_space, value;
    bool varies; /* the name has many values */
} css_pair;

typedef struct css_forest {
    hed_arena *arena;
    hed_css_document *const *documents;
    uint32_t document_count, count, depth;
    uint32_t *first; /* (document_count + 1) element of each document */
    uint32_t *shape; /* (count) */
    uint32_t *level; /* (count) */
    css_shape *shapes;
    uint32_t shape_count, shape_room;
    css_pair *pairs;
    uint32_t pair_count, pair_room;
    /* pairs of an element that vary, in order */
    uint32_t *varying_begin; /* (count + 1) */
    uint32_t *varying;
    uint32_t varying_count, varying_room;
} css_forest;

/* Shapes and pairs of the documents; memory from `arena`. */
hed_status css_forest_make(css_forest *forest, hed_arena *arena, hed_css_document *const *documents,
    uint32_t document_count, hed_error *error);

#endif
