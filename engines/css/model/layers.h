/* Cascade layers (Cascade 5, section 6.4): a tree. Layers stand side by side in the order in which they
 * are first named where it counts, which a condition that does not hold prevents. */
#ifndef HED_CSS_LAYERS_H
#define HED_CSS_LAYERS_H

#include "names.h"

/* Layers are numbered from 1 as they are met; 0 stands for what is in none. */
typedef struct css_layer {
    uint32_t parent, name;                  /* name: HED_CSS_NONE: anonymous */
    uint32_t first_child, last_child, next; /* of those that are children */
    uint32_t order; /* rising with its normal declarations; HED_CSS_NONE of number 0 */
    bool named;     /* where it counts */
    bool child;     /* of its parent: from when it is named, or the orders are set */
} css_layer;

typedef struct css_layers {
    hed_allocator allocator;
    css_layer *items;    /* (count) */
    uint32_t *sequence;  /* (child_count) numbers as they became children */
    hed_css_names *keys; /* parent and name as bytes: the number is that of the layer */
    uint32_t count, capacity, child_count, anonymous;
} css_layers;

/* False where memory runs out; css_layers_close() in any case. */
bool css_layers_open(css_layers *layers, const hed_allocator *allocator);
void css_layers_close(css_layers *layers);
/* Number of layer `name` in layer `parent`, of a new one where `name` is HED_CSS_NONE; HED_CSS_NONE where
 * memory runs out. */
uint32_t css_layer_number(css_layers *layers, uint32_t parent, uint32_t name);
/* It is named where it counts, and so are those around it. */
void css_layer_name(css_layers *layers, uint32_t layer);
/* Sets the orders; layers that were never named where it counts come last. */
void css_layers_order(css_layers *layers);
/* Adds the layers of another tree, which is ordered; map[their number] becomes the number here. False
 * where memory runs out. */
bool css_layers_add(css_layers *layers, const css_layers *others, uint32_t *map);

#endif
