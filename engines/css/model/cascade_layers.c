/* See layers.h. */
#include "layers.h"

bool css_layers_open(css_layers *l, const hed_allocator *allocator)
{
    *l = (css_layers){.allocator = *allocator};
    return hed_css_names_create(allocator, &l->keys, NULL) == HED_OK &&
           css_layer_number(l, 0, HED_CSS_NONE) == 0;
}

static void layers_free(css_layers *l, css_layer *items, uint32_t *sequence)
{
    hed_delete(&l->allocator, items, l->capacity, sizeof *items);
    hed_delete(&l->allocator, sequence, l->capacity, sizeof *sequence);
}

void css_layers_close(css_layers *l)
{
    layers_free(l, l->items, l->sequence);
    hed_css_names_destroy(l->keys);
    *l = (css_layers){0};
}

static bool layers_grow(css_layers *l)
{
    uint32_t capacity = l->capacity ? 2 * l->capacity : 8;
    if (l->capacity > UINT32_MAX / 4) return false;
    css_layer *items = hed_new(&l->allocator, capacity, sizeof *items, NULL);
    uint32_t *sequence = hed_new(&l->allocator, capacity, sizeof *sequence, NULL);
    if (items && l->count) memcpy(items, l->items, l->count * sizeof *items);
    if (sequence && l->child_count)
        memcpy(sequence, l->sequence, l->child_count * sizeof *sequence);
    if (items && sequence) layers_free(l, l->items, l->sequence);
    else {
        hed_delete(&l->allocator, items, capacity, sizeof *items);
        hed_delete(&l->allocator, sequence, capacity, sizeof *sequence);
        return false;
    }
    l->items = items;
    l->sequence = sequence;
    l->capacity = capacity;
    return true;
}

uint32_t css_layer_number(css_layers *l, uint32_t parent, uint32_t name)
{
    bool anonymous = name == HED_CSS_NONE;
    uint32_t key[3] = {parent, anonymous ? l->anonymous++ : name, anonymous};
    if (l->count == l->capacity && !layers_grow(l)) return HED_CSS_NONE;
    uint32_t number = hed_css_names_add(l->keys, (char *)key, sizeof key);
    if (number == l->count) l->items[l->count++] = (css_layer){.parent = parent, .name = name};
    return number;
}

/* Links a layer and the layers around it to their parents, the outermost one first. */
static void layers_link(css_layers *l, uint32_t layer, bool named)
{
    uint32_t inner = 0;
    for (; layer && !l->items[layer].child; layer = l->items[layer].parent) {
        l->items[layer].next = inner; /* temporarily: the inner layer */
        inner = layer;
    }
    while (inner) {
        css_layer *x = &l->items[inner], *parent = &l->items[x->parent];
        if (parent->last_child) l->items[parent->last_child].next = inner;
        else parent->first_child = inner;
        parent->last_child = inner;
        l->sequence[l->child_count++] = inner;
        x->child = true;
        x->named = named;
        inner = x->next;
        x->next = 0;
    }
}

void css_layer_name(css_layers *l, uint32_t layer) { layers_link(l, layer, true); }

/* Layers inside of a layer precede its own declarations. */
void css_layers_order(css_layers *l)
{
    uint32_t order = 0, at = 0;
    for (uint32_t i = 1; i < l->count; i++) layers_link(l, i, false);
    while (l->items[at].first_child) at = l->items[at].first_child;
    while (at) {
        css_layer *layer = &l->items[at];
        layer->order = order++;
        at = layer->next;
        if (!at) at = layer->parent;
        else
            while (l->items[at].first_child) at = l->items[at].first_child;
    }
    l->items[0].order = HED_CSS_NONE;
}

bool css_layers_add(css_layers *l, const css_layers *others, uint32_t *map)
{
    map[0] = 0;
    for (uint32_t i = 0; i < others->child_count; i++) {
        const css_layer *added = &others->items[others->sequence[i]];
        uint32_t number = css_layer_number(l, map[added->parent], added->name);
        if (number == HED_CSS_NONE) return false;
        map[others->sequence[i]] = number;
        if (added->named) css_layer_name(l, number);
    }
    return true;
}
