/* Documents from arrays; classes, ids, levels and positions, which follow from parents, names and
 * attributes. */
#include "document.h"

#include <stdio.h>
#include <stdlib.h>

#include "html.h"
#include "html/html_document.h"
#include "shadow.h"
#include "states.h"

hed_status css_document_room(
    hed_css_document *d, uint32_t elements, uint32_t attributes, uint32_t classes, hed_error *error)
{
    hed_arena *a = &d->arena;
    uint32_t **arrays[] = {&d->parent, &d->previous, &d->end, &d->level, &d->tag, &d->id,
        &d->position[0], &d->position[1], &d->position[2], &d->position[3], &d->flags, &d->states,
        &d->language, &d->line, &d->class_begin, &d->class_end, &d->attribute_begin,
        &d->attribute_end};
    for (size_t i = 0; i < HED_COUNT(arrays); i++)
        *arrays[i] = hed_arena_new(a, elements, sizeof(uint32_t), error);
    d->name_space = hed_arena_new(a, elements, sizeof(uint8_t), error);
    d->has_text = hed_arena_new(a, elements, sizeof(uint8_t), error);
    d->classes = hed_arena_new(a, classes, sizeof(uint32_t), error);
    d->attributes = hed_arena_new(a, attributes, sizeof *d->attributes, error);
    d->count = elements;
    d->class_room = classes;
    d->attribute_room = attributes;
    return hed_failed(error) ? error->status : HED_OK;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

uint32_t css_count_words(const char *text, size_t length)
{
    uint32_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += !is_space(text[i]) && (i == 0 || is_space(text[i - 1]));
    return count;
}

/* Sorts names and removes repetitions; for short lists. Returns their number. */
static uint32_t sort_names(uint32_t *names, uint32_t count)
{
    uint32_t distinct = 0;
    for (uint32_t i = 1; i < count; i++) { /* insertion sort */
        uint32_t name = names[i], at = i;
        for (; at && names[at - 1] > name; at--) names[at] = names[at - 1];
        names[at] = name;
    }
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || names[i] != names[i - 1]) names[distinct++] = names[i];
    return distinct;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

hed_status css_document_classes(hed_css_document *d, uint32_t element, hed_error *error)
{
    hed_css_names *names = d->names;
    uint32_t *list = d->classes + d->class_begin[element], count = 0;
    d->id[element] = CSS_NONE;
    for (uint32_t i = d->attribute_begin[element]; i < d->attribute_end[element]; i++) {
        const css_attribute *a = &d->attributes[i];
        size_t length;
        if (a->name_space || (a->name != d->id_name && a->name != d->class_name)) continue;
        const char *text = hed_css_names_text(names, a->value, &length);
        if (a->name == d->id_name && length)
            d->id[element] = d->quirks ? css_name_lower(names, a->value) : a->value;
        if (a->name != d->class_name) continue;
        for (size_t at = 0; at < length;) {
            size_t begin = at;
            while (at < length && !is_space(text[at])) at++;
            uint32_t name = 0;
            if (at - begin == length) name = a->value;
            else if (at > begin) name = hed_css_names_add(names, text + begin, at - begin);
            if (at > begin) list[count++] = d->quirks ? css_name_lower(names, name) : name;
            if (name == CSS_NONE)
                return hed_fail(error, HED_ERROR_MEMORY, "css: out of memory for a name");
            at++; /* hed_css_names_add() does not move texts, so `text` is still valid */
        }
    }
    if (count > 64) {
        uint32_t distinct = 0;
        qsort(list, count, sizeof *list, by_number);
        for (uint32_t i = 0; i < count; i++)
            if (i == 0 || list[i] != list[i - 1]) list[distinct++] = list[i];
        count = distinct;
    } else count = sort_names(list, count);
    d->class_end[element] = d->class_begin[element] + count;
    return HED_OK;
}

/* Sets levels, ends, siblings and positions. A hash table of (parent, type) counts types; a pass
 * backwards derives the positions from the end from the counts. */
hed_status css_find_places(hed_css_document *d, hed_error *error)
{
    uint32_t n = d->count;
    hed_arena work = {.allocator = d->allocator, .owner = "a document"};
    uint32_t *last = hed_arena_new(&work, n, sizeof *last, error); /* last child so far */
    uint32_t *children = hed_arena_new(&work, n, sizeof *children, error);
    uint32_t *table = NULL, size = 16;
    while (size < 2 * n) size *= 2;
    struct type {
        uint32_t parent, tag, count;
        uint8_t name_space;
    } *types = hed_arena_new(&work, n, sizeof *types, error);
    uint32_t *type = hed_arena_new(&work, n, sizeof *type, error), type_count = 0;
    table = hed_arena_new(&work, size, sizeof *table, error); /* 1 + index of a type */
    for (uint32_t e = 0; e < n && !hed_failed(error); e++) {
        uint32_t p = d->parent[e];
        d->level[e] = p == CSS_NONE ? 0 : d->level[p] + 1;
        if (d->level[e] > d->depth) d->depth = d->level[e];
        d->previous[e] = CSS_NONE;
        if (p == CSS_NONE) { /* roots of a forest are not siblings */
            for (int k = 0; k < CSS_POSITIONS; k++) d->position[k][e] = 1;
            type[e] = CSS_NONE;
            continue;
        }
        d->previous[e] = children[p] ? last[p] : CSS_NONE;
        uint32_t sibling = d->previous[e];
        last[p] = e;
        d->position[CSS_CHILD][e] = ++children[p];
        if (sibling != CSS_NONE && d->tag[sibling] == d->tag[e] &&
            d->name_space[sibling] == d->name_space[e]) {
            type[e] = type[sibling];
            d->position[CSS_OF_TYPE][e] = ++types[type[e]].count;
            continue;
        }
        uint64_t key = ((uint64_t)p << 32 | d->tag[e]) * 0x9e3779b97f4a7c15u + d->name_space[e];
        uint32_t at = (uint32_t)(key >> 32) & (size - 1);
        for (;; at = (at + 1) & (size - 1)) {
            struct type *t = table[at] ? &types[table[at] - 1] : NULL;
            if (!t) {
                types[type_count] = (struct type){p, d->tag[e], 0, d->name_space[e]};
                table[at] = ++type_count;
                break;
            }
            if (t->parent == p && t->tag == d->tag[e] && t->name_space == d->name_space[e]) break;
        }
        type[e] = table[at] - 1;
        d->position[CSS_OF_TYPE][e] = ++types[type[e]].count;
    }
    for (uint32_t e = n; e-- > 0 && !hed_failed(error);) {
        uint32_t p = d->parent[e];
        if (d->end[e] < e + 1) d->end[e] = e + 1;
        if (p == CSS_NONE) continue;
        if (d->end[p] < d->end[e]) d->end[p] = d->end[e];
        d->position[CSS_LAST_CHILD][e] = children[p] - d->position[CSS_CHILD][e] + 1;
        d->position[CSS_LAST_OF_TYPE][e] = types[type[e]].count - d->position[CSS_OF_TYPE][e] + 1;
    }
    hed_arena_free(&work);
    return hed_failed(error) ? error->status : HED_OK;
}

hed_status css_document_finish(hed_css_document *d, hed_error *error)
{
    if (css_find_places(d, error) || css_find_trees(d, error)) return error->status;
    return css_find_states(d, error);
}

uint32_t css_split_name(hed_css_namespace of, const char *name, const char **local)
{
    static const char *const prefixes[] = {"xlink:", "xml:", "xmlns:"};
    for (uint32_t i = 0; i < HED_COUNT(prefixes) && of != HED_CSS_HTML; i++) {
        size_t length = strlen(prefixes[i]);
        if (strncmp(name, prefixes[i], length)) continue;
        *local = name + length;
        return i + 1;
    }
    *local = name;
    return 0;
}

/* Sizes of the arrays of a document that is made of elements. */
typedef struct element_counts {
    uint64_t attributes, classes, trees;
} element_counts;

static size_t value_length(const hed_css_attribute *a)
{
    return a->value_length || !a->value ? a->value_length : strlen(a->value);
}

/* Checks element `e` of a definition, and adds its sizes. */
static hed_status check_element(const hed_css_document_def *def, const char *file, uint32_t e,
    element_counts *counts, hed_error *error)
{
    const hed_css_element *x = &def->elements[e];
    bool is_root = x->parent == CSS_NONE && !x->attribute_count;
    if (x->parent != CSS_NONE && x->parent >= e)
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s: element %u has parent %u: a parent must be an earlier element", file, e, x->parent);
    if (x->shadow_root && (!is_root || x->host >= e || def->elements[x->host].shadow_root))
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s: shadow root %u has parent %u, host %u and %u attributes; expected no parent, an "
            "earlier element as host, and no attributes",
            file, e, x->parent, x->host, x->attribute_count);
    if (!x->shadow_root && (!x->name || !x->name[0]))
        return hed_fail(error, HED_ERROR_FORMAT, "%s: element %u has no name", file, e);
    if ((unsigned)x->name_space > HED_CSS_OTHER || (x->attribute_count && !x->attributes))
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s: element %u has namespace %d and %u attributes%s", file, e, (int)x->name_space,
            x->attribute_count, x->attributes ? "" : ", which are NULL");
    counts->attributes += x->attribute_count;
    counts->trees += x->shadow_root;
    for (uint32_t i = 0; i < x->attribute_count; i++) {
        const hed_css_attribute *a = &x->attributes[i];
        if (!a->name)
            return hed_fail(
                error, HED_ERROR_FORMAT, "%s: an attribute of element %u has no name", file, e);
        if (!strcmp(a->name, "class"))
            counts->classes += css_count_words(a->value, value_length(a));
    }
    return HED_OK;
}

/* Fills the attributes and classes of element `e`. */
static void fill_attributes(
    hed_css_document *d, const hed_css_element *x, uint32_t e, hed_error *error)
{
    d->attribute_begin[e] = d->attribute_count;
    for (uint32_t i = 0; i < x->attribute_count; i++) {
        const hed_css_attribute *a = &x->attributes[i];
        const char *local = a->name;
        css_attribute *to = &d->attributes[d->attribute_count++];
        to->name_space = css_split_name(x->name_space, a->name, &local);
        to->name = hed_css_names_add(d->names, local, strlen(local));
        to->value = hed_css_names_add(d->names, a->value ? a->value : "", value_length(a));
        if (to->name == CSS_NONE || to->value == CSS_NONE)
            hed_fail(error, HED_ERROR_MEMORY, "%s: out of memory for a name", d->file);
    }
    d->attribute_end[e] = d->attribute_count;
    d->class_begin[e] = d->class_count;
    if (!hed_failed(error)) css_document_classes(d, e, error);
    d->class_count = d->class_end[e];
}

/* Fills element `e`. */
static void fill_from(hed_css_document *d, const hed_css_element *x, uint32_t e, hed_error *error)
{
    /* document order: the parent must be the last element or one of its ancestors */
    uint32_t open = e && x->parent != CSS_NONE ? e - 1 : x->parent;
    while (open != x->parent && open != CSS_NONE) open = d->parent[open];
    if (open != x->parent) {
        hed_fail(error, HED_ERROR_FORMAT,
            "%s: element %u is not in document order: its parent %u is closed already", d->file, e,
            x->parent);
        return;
    }
    const char *name = x->shadow_root ? "#shadow-root" : x->name;
    d->parent[e] = x->parent;
    d->name_space[e] = (uint8_t)(x->shadow_root ? CSS_SHADOW_ROOT : x->name_space);
    d->tag[e] = hed_css_names_add(d->names, name, strlen(name));
    d->has_text[e] = x->has_text ? CSS_TEXT | CSS_TEXT_SOLID : 0;
    if (d->tag[e] == CSS_NONE)
        hed_fail(error, HED_ERROR_MEMORY, "%s: out of memory for a name", d->file);
    fill_attributes(d, x, e, error);
    if (!x->shadow_root) return;
    d->trees[d->tree_count] =
        (css_shadow_tree){.host = x->host, .root = e, .original = d->tree_count};
    d->tree_count++;
}

hed_status css_document_from_elements(
    hed_css_document *d, const hed_css_document_def *def, hed_error *error)
{
    element_counts counts = {0};
    for (uint32_t e = 0; e < def->element_count; e++)
        if (check_element(def, d->file, e, &counts, error)) return error->status;
    if (counts.attributes > UINT32_MAX / 2 || counts.classes > UINT32_MAX / 2)
        return hed_fail(
            error, HED_ERROR_LIMIT, "%s: more than 2^31 attributes or classes", d->file);
    d->quirks = def->quirks;
    css_document_room(
        d, def->element_count, (uint32_t)counts.attributes, (uint32_t)counts.classes, error);
    if (counts.trees) {
        d->trees = hed_arena_new(&d->arena, counts.trees + 1, sizeof *d->trees, error);
        d->tree_count = 1;
    }
    for (uint32_t e = 0; e < def->element_count && !hed_failed(error); e++)
        fill_from(d, &def->elements[e], e, error);
    return hed_failed(error) ? error->status : HED_OK;
}

void hed_css_document_destroy(hed_css_document *d)
{
    if (!d) return;
    hed_allocator allocator = d->allocator;
    hed_arena_free(&d->arena);
    hed_delete(&allocator, d, 1, sizeof *d);
}

hed_css_document_info hed_css_document_describe(const hed_css_document *d)
{
    if (!d) return (hed_css_document_info){0};
    return (hed_css_document_info){.elements = d->count,
        .possible = d->possible,
        .depth = d->depth,
        .quirks = d->quirks,
        .trees = d->tree_count ? d->tree_count : 1,
        .style_sheets = d->sheet_count};
}

const char *hed_css_document_sheet(const hed_css_document *d, uint32_t index, size_t *length,
    const char **href, const char **media)
{
    if (!d) return NULL;
    const struct css_own_sheet *s = &d->sheets[index];
    if (length) *length = s->length;
    if (href) *href = s->href;
    if (media) *media = s->media;
    return s->text;
}

uint32_t hed_css_document_sheet_tree(const hed_css_document *d, uint32_t index)
{
    return d ? d->sheets[index].tree : 0;
}

uint32_t hed_css_document_sheet_line(const hed_css_document *d, uint32_t index)
{
    if (!d) return 0;
    return d->sheets[index].line;
}

const char *hed_css_document_base(const hed_css_document *d)
{
    if (!d) return NULL;
    uint32_t base = css_name_find(d->names, "base", 4), href = css_name_find(d->names, "href", 4);
    for (uint32_t e = 0; e < d->count && base != CSS_NONE && href != CSS_NONE; e++) {
        if (d->tag[e] != base || d->name_space[e] != HED_CSS_HTML) continue;
        uint32_t value = css_attribute_value(d, e, href);
        if (value != CSS_NONE) return hed_css_names_text(d->names, value, NULL);
    }
    return NULL;
}

void hed_css_element_text(const hed_css_document *d, uint32_t e, char *text, size_t size)
{
    if (!d || (!text && size)) return;
    size_t used = (size_t)snprintf(text, size, "%s", hed_css_names_text(d->names, d->tag[e], NULL));
    if (d->id[e] != CSS_NONE && used < size)
        used += (size_t)snprintf(
            text + used, size - used, "#%s", hed_css_names_text(d->names, d->id[e], NULL));
    for (uint32_t i = d->class_begin[e]; i < d->class_end[e] && used < size; i++)
        used += (size_t)snprintf(
            text + used, size - used, ".%s", hed_css_names_text(d->names, d->classes[i], NULL));
}

uint32_t hed_css_element_parent(const hed_css_document *d, uint32_t element)
{
    if (!d) return HED_CSS_NONE;
    return d->parent[element];
}

uint32_t hed_css_tree_host(const hed_css_document *d, uint32_t tree)
{
    return d && tree && tree < d->tree_count ? d->trees[tree].host : HED_CSS_NONE;
}

uint32_t hed_css_element_line(const hed_css_document *d, uint32_t element)
{
    if (!d) return 0;
    return d->line[element];
}

void hed_css_document_styles(const hed_css_document *d,
    void (*each)(void *user, const char *text, size_t length), void *user)
{
    if (!d || !each) return;
    static const char *const style_texts[] = {"style", "font", "font-family", "face"};
    uint32_t style_names[HED_COUNT(style_texts)];
    for (size_t k = 0; k < HED_COUNT(style_texts); k++)
        style_names[k] = css_name_find(d->names, style_texts[k], strlen(style_texts[k]));
    for (uint32_t i = 0; i < d->attribute_count; i++) {
        const css_attribute *a = &d->attributes[i];
        size_t length;
        const char *text = hed_css_names_text(d->names, a->value, &length);
        bool css = length > 4 && memchr(text, '(', length) && strstr(text, "var(");
        for (size_t k = 0; k < HED_COUNT(style_names) && !css; k++) css = a->name == style_names[k];
        if (css && length) each(user, text, length);
    }
}
