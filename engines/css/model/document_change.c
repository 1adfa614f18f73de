/* Changes of a document. A list of an element that grows is moved to the end of the array, with
 * room for more entries; the entry before it holds the size of this room. */
#include "document.h"
#include "html.h"
#include "shadow.h"
#include "states.h"

#include <stdlib.h>
#include <string.h>

/* Enlarges an array to hold `additional` items after `count`; NULL: out of memory. */
static void *change_room(hed_css_document *d, void *items, uint32_t count, uint32_t *room,
    uint32_t additional, size_t size, hed_error *error)
{
    if (*room - count >= additional) return items;
    uint64_t capacity = 2ull * count + additional + 64;
    if (capacity > UINT32_MAX / 2) {
        hed_fail(error, HED_ERROR_LIMIT, "%s: more than 2^31 attributes or classes", d->file);
        return NULL;
    }
    d->arena.failed = false; /* each allocation here is checked on its own */
    void *larger = hed_arena_new(&d->arena, capacity, size, error);
    if (!larger) return NULL;
    if (count) memcpy(larger, items, count * size);
    *room = (uint32_t)capacity;
    return larger;
}

/* Makes room for `count` classes of an element; the old classes may be lost. */
static bool class_room(hed_css_document *d, uint32_t e, uint32_t count, hed_error *error)
{
    uint32_t begin = d->class_begin[e], have = d->class_end[e] - begin;
    if (begin > d->class_fixed) have = d->classes[begin - 1];
    if (count <= have) return true;
    uint32_t room = (count + 7) & ~7u;
    uint32_t *classes = change_room(
        d, d->classes, d->class_count, &d->class_room, room + 1, sizeof *classes, error);
    if (!classes) return false;
    d->classes = classes;
    classes[d->class_count] = room;
    d->class_begin[e] = d->class_end[e] = d->class_count + 1;
    d->class_count += room + 1;
    return true;
}

/* Makes room for one more attribute of an element. */
static bool attribute_room(hed_css_document *d, uint32_t e, hed_error *error)
{
    uint32_t begin = d->attribute_begin[e], count = d->attribute_end[e] - begin;
    if (begin > d->attribute_fixed && count < d->attributes[begin - 1].name) return true;
    uint32_t room = count + 4;
    css_attribute *attributes = change_room(d, d->attributes, d->attribute_count,
        &d->attribute_room, room + 1, sizeof *attributes, error);
    if (!attributes) return false;
    d->attributes = attributes;
    attributes[d->attribute_count] = (css_attribute){.name = room, .value = CSS_NONE};
    memcpy(attributes + d->attribute_count + 1, attributes + begin, count * sizeof *attributes);
    for (uint32_t i = count; i < room; i++)
        attributes[d->attribute_count + 1 + i] =
            (css_attribute){.name = CSS_NONE, .value = CSS_NONE};
    d->attribute_begin[e] = d->attribute_count + 1;
    d->attribute_end[e] = d->attribute_begin[e] + count;
    d->attribute_count += room + 1;
    return true;
}

/* Adds every word of a class attribute to the names, so that no later step needs memory. */
static bool classes_named(hed_css_document *d, uint32_t value, hed_error *error)
{
    size_t length;
    const char *text = hed_css_names_text(d->names, value, &length);
    for (size_t at = 0; at < length;) {
        size_t begin = at + strspn(text + at, " \t\n\f\r"), end = begin;
        while (end < length && !strchr(" \t\n\f\r", text[end])) end++;
        at = end;
        if (end == begin) break;
        uint32_t name = hed_css_names_add(d->names, text + begin, end - begin);
        if (name != CSS_NONE && d->quirks) name = css_name_lower(d->names, name);
        if (name == CSS_NONE) {
            hed_fail(error, HED_ERROR_MEMORY, "%s: out of memory for a name", d->file);
            return false;
        }
    }
    return true;
}

hed_status css_document_set(hed_css_document *d, uint32_t e, uint32_t name, uint32_t name_space,
    uint32_t value, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    size_t length = 0;
    bool is_class = !name_space && name == d->class_name, is_id = !name_space && name == d->id_name;
    uint32_t at = d->attribute_begin[e], end = d->attribute_end[e];
    while (
        at < end && (d->attributes[at].name != name || d->attributes[at].name_space != name_space))
        at++;
    if (value != CSS_NONE) {
        const char *words = hed_css_names_text(d->names, value, &length);
        if (is_id && d->quirks && css_name_lower(d->names, value) == CSS_NONE)
            return hed_fail(error, HED_ERROR_MEMORY, "%s: out of memory for a name", d->file);
        if (is_class && !classes_named(d, value, error)) return error->status;
        if (at == end && !attribute_room(d, e, error)) return error->status;
        if (is_class && !class_room(d, e, css_count_words(words, length), error))
            return error->status;
        if (at == end) at = d->attribute_end[e]++;
        d->attributes[at] = (css_attribute){name, value, name_space};
    } else if (at < end) {
        memmove(d->attributes + at, d->attributes + at + 1, (end - at - 1) * sizeof *d->attributes);
        d->attribute_end[e]--;
        d->attributes[end - 1] = (css_attribute){.name = CSS_NONE, .value = CSS_NONE};
    }
    return is_class || is_id ? css_document_classes(d, e, error) : HED_OK;
}

/* ---- moves ---- */

void css_change_places(
    void *items, size_t size, uint32_t low, uint32_t middle, uint32_t high, void *work)
{
    char *at = (char *)items + low * size;
    size_t first = (middle - low) * size, second = (high - middle) * size;
    memcpy(work, at, first);
    memmove(at, at + first, second);
    memcpy(at + second, work, first);
}

/* New number of an element after the swap of [low, middle) and [middle, high). */
static uint32_t moved_place(uint32_t e, uint32_t low, uint32_t middle, uint32_t high)
{
    if (e < low || e >= high) return e;
    return e < middle ? e + (high - middle) : e - (middle - low);
}

hed_status css_document_move(hed_css_document *d, uint32_t e, uint32_t parent, uint32_t before,
    uint32_t *to, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    uint32_t size = d->end[e] - e, target = before == CSS_NONE ? d->end[parent] : before;
    bool forward = target > e;
    uint32_t low = forward ? e : target, middle = forward ? d->end[e] : e;
    uint32_t high = forward ? target : d->end[e];
    hed_arena work = {.allocator = d->allocator, .owner = "a change of places"};
    void *room = hed_arena_new(&work, middle - low, sizeof(uint32_t), error);
    uint32_t *words[] = {d->parent, d->tag, d->id, d->class_begin, d->class_end, d->attribute_begin,
        d->attribute_end, d->flags, d->states, d->language, d->line};
    if (!room) return error->status;
    d->parent[e] = parent;
    for (uint32_t i = 0; i < d->count; i++)
        if (d->parent[i] != CSS_NONE) d->parent[i] = moved_place(d->parent[i], low, middle, high);
    for (size_t i = 0; i < HED_COUNT(words); i++)
        css_change_places(words[i], sizeof(uint32_t), low, middle, high, room);
    css_change_places(d->name_space, 1, low, middle, high, room);
    css_change_places(d->has_text, 1, low, middle, high, room);
    for (uint32_t t = 1; t < d->tree_count; t++) {
        css_shadow_tree *tree = &d->trees[t];
        tree->host = moved_place(tree->host, low, middle, high);
        tree->root = moved_place(tree->root, low, middle, high);
    }
    *to = forward ? high - size : low;
    hed_arena_free(&work);
    d->depth = 0;
    memset(d->end, 0, d->count * sizeof *d->end);
    return css_find_places(d, error) ? error->status : css_find_trees(d, error);
}
