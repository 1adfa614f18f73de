/* Documents from a program's tree: a walk without recursion makes an array of elements, whose texts
 * are in the table of names. */
#include "document.h"

typedef struct walk {
    const hed_css_tree *tree;
    hed_css_names *names;
    hed_arena arena;
    const void **nodes;        /* (count) */
    hed_css_element *elements; /* (count) */
    uint32_t count, room;
    const char *file;
    hed_error *error;
} walk;

/* Copies a text to the table of names. */
static const char *keep_text(walk *w, const char *text, size_t length)
{
    uint32_t name = hed_css_names_add(w->names, text, length);
    if (name != CSS_NONE) return hed_css_names_text(w->names, name, NULL);
    hed_fail(w->error, HED_ERROR_MEMORY, "%s: out of memory for a name", w->file);
    return NULL;
}

static bool walk_grow(walk *w)
{
    uint32_t room = w->room ? 2 * w->room : 256;
    if (w->room > UINT32_MAX / 4) {
        hed_fail(w->error, HED_ERROR_LIMIT, "%s: more than 2^31 elements", w->file);
        return false;
    }
    const void **nodes = hed_arena_new(&w->arena, room, sizeof *nodes, w->error);
    hed_css_element *elements = hed_arena_new(&w->arena, room, sizeof *elements, w->error);
    if (hed_failed(w->error)) return false;
    if (w->count) {
        memcpy(nodes, w->nodes, w->count * sizeof *nodes);
        memcpy(elements, w->elements, w->count * sizeof *elements);
    }
    w->nodes = nodes;
    w->elements = elements;
    w->room = room;
    return true;
}

static void take_node(walk *w, const void *node, uint32_t parent)
{
    hed_css_element *x;
    if (w->count == w->room && !walk_grow(w)) return;
    w->nodes[w->count] = node;
    x = &w->elements[w->count++];
    w->tree->describe(w->tree->user, node, x);
    x->parent = parent;
    if (x->name) x->name = keep_text(w, x->name, strlen(x->name));
    if (!x->attributes) return;
    hed_css_attribute *attributes =
        hed_arena_new(&w->arena, x->attribute_count, sizeof *attributes, w->error);
    for (uint32_t i = 0; i < x->attribute_count && !hed_failed(w->error); i++) {
        hed_css_attribute *a = &attributes[i];
        *a = x->attributes[i];
        if (a->value && !a->value_length) a->value_length = strlen(a->value);
        if (a->name) a->name = keep_text(w, a->name, strlen(a->name));
        if (a->value) a->value = keep_text(w, a->value, a->value_length);
    }
    x->attributes = attributes;
}

hed_status css_document_from_tree(
    hed_css_document *d, const hed_css_document_def *def, hed_error *error)
{
    walk w = {.tree = &def->tree,
        .names = d->names,
        .arena = {.allocator = d->allocator, .owner = "a document"},
        .file = d->file,
        .error = error};
    void *user = def->tree.user;
    uint32_t open = 0; /* the element whose children come next */
    take_node(&w, def->tree.root, CSS_NONE);
    const void *next = hed_failed(error) ? NULL : def->tree.first_child(user, w.nodes[0]);
    while (!hed_failed(error)) {
        if (next) {
            take_node(&w, next, open);
            if (hed_failed(error)) break;
            open = w.count - 1;
            next = def->tree.first_child(user, next);
            continue;
        }
        if (open == 0) break;
        next = def->tree.next_sibling(user, w.nodes[open]);
        open = w.elements[open].parent;
    }
    hed_css_document_def arrays = *def;
    arrays.elements = w.elements;
    arrays.element_count = w.count;
    if (!hed_failed(error)) css_document_from_elements(d, &arrays, error);
    hed_arena_free(&w.arena);
    return hed_failed(error) ? error->status : HED_OK;
}

/* ---- names of SVG ---- */

const char *css_find_adjusted(const char *const *list, uint32_t count, const char *lower)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = (low + high) / 2, i = 0;
        const char *name = list[middle];
        while (name[i] && css_ascii_lower(name[i]) == lower[i]) i++;
        int order = (unsigned char)css_ascii_lower(name[i]) - (unsigned char)lower[i];
        if (!order) return name;
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return NULL;
}

const char *css_svg_tag(const char *lower)
{
    static const char *const names[] = {"altGlyph", "altGlyphDef", "altGlyphItem", "animateColor",
        "animateMotion", "animateTransform", "clipPath", "feBlend", "feColorMatrix",
        "feComponentTransfer", "feComposite", "feConvolveMatrix", "feDiffuseLighting",
        "feDisplacementMap", "feDistantLight", "feDropShadow", "feFlood", "feFuncA", "feFuncB",
        "feFuncG", "feFuncR", "feGaussianBlur", "feImage", "feMerge", "feMergeNode", "feMorphology",
        "feOffset", "fePointLight", "feSpecularLighting", "feSpotLight", "feTile", "feTurbulence",
        "foreignObject", "glyphRef", "linearGradient", "radialGradient", "textPath"};
    return css_find_adjusted(names, HED_COUNT(names), lower);
}
