/* Cascade layers (Cascade 5, section 6.4): a tree. Siblings are in the order in which they are
 * first named effectively, outside of conditions that do not hold. */
#ifndef HED_CSS_LAYERS_H
#define HED_CSS_LAYERS_H

#include "names.h"

/* A layer. Layers are numbered from 1 in the order of the text; layer 0 has the declarations
 * outside of layers. */
typedef struct css_layer {
    uint32_t parent, name;                  /* name: HED_CSS_NONE: anonymous */
    uint32_t first_child, last_child, next; /* links of layers with `child` */
    uint32_t
        order;  /* ascending with the precedence of normal declarations; layer 0: HED_CSS_NONE */
    bool named; /* effectively */
    bool child; /* linked to its parent: set when it is named, or by css_layers_order() */
} css_layer;

typedef struct css_layers {
    hed_allocator allocator;
    css_layer *items;    /* (count) */
    uint32_t *sequence;  /* (child_count) numbers in the order in which layers were linked */
    hed_css_names *keys; /* parent and name as bytes; number: that of the layer */
    uint32_t count, capacity, child_count, anonymous;
} css_layers;

/* False: out of memory; css_layers_close() is required even then. */
bool css_layers_open(css_layers *layers, const hed_allocator *allocator);
void css_layers_close(css_layers *layers);
/* Number of layer `name` in layer `parent`; HED_CSS_NONE as `name`: a new anonymous layer. Returns
 * HED_CSS_NONE if memory runs out. */
uint32_t css_layer_number(css_layers *layers, uint32_t parent, uint32_t name);
/* Marks a layer, and the layers around it, as named effectively. */
void css_layer_name(css_layers *layers, uint32_t layer);
/* Sets the orders; layers that were never named effectively come last. */
void css_layers_order(css_layers *layers);
/* Adds the layers of another tree, which is ordered; map[number in `others`] = number here. False:
 * out of memory. */
bool css_layers_add(css_layers *layers, const css_layers *others, uint32_t *map);

#endif
