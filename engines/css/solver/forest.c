/* Shapes of a forest: one pass over the attributes to find which names vary, one over the elements that
 * looks each up by a hash of what makes its shape and compares it with the shape's first element. */
#include "solver/forest.h"

#include <string.h>

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0xd6e8feb86659fd93u;
    return hash ^ hash >> 32;
}

/* A hash table of indices: open addressing, at most half full. */
typedef struct index_table {
    uint32_t *slots;  /* 1 + index; 0: free */
    uint32_t *hashes; /* of each slot */
    uint32_t size, used;
} index_table;

static bool table_make(index_table *table, hed_arena *work, uint32_t size, hed_error *error)
{
    table->size = size;
    table->used = 0;
    table->slots = hed_arena_new(work, size, sizeof(uint32_t), error);
    table->hashes = hed_arena_new(work, size, sizeof(uint32_t), error);
    return table->slots && table->hashes;
}

/* Puts `index` behind slot `at`, which a search has ended in; grows the table where it is half full. */
static bool table_put(index_table *table, hed_arena *work, uint32_t at, uint32_t hash,
    uint32_t index, hed_error *error)
{
    table->slots[at] = index + 1;
    table->hashes[at] = hash;
    if (2 * ++table->used < table->size) return true;
    index_table larger;
    if (!table_make(&larger, work, 2 * table->size, error)) return false;
    for (uint32_t i = 0; i < table->size; i++) {
        if (!table->slots[i]) continue;
        uint32_t to = table->hashes[i] & (larger.size - 1);
        while (larger.slots[to]) to = (to + 1) & (larger.size - 1);
        larger.slots[to] = table->slots[i];
        larger.hashes[to] = table->hashes[i];
    }
    larger.used = table->used;
    *table = larger;
    return true;
}

/* Room for one more element of `size` bytes in an array of the forest. */
static void *room_for(
    hed_arena *arena, void *array, uint32_t *room, uint32_t count, size_t size, hed_error *error)
{
    if (count < *room) return array;
    uint32_t wanted = *room ? 2 * *room : 256;
    void *more = hed_arena_new(arena, wanted, size, error);
    if (more && count) memcpy(more, array, count * size);
    *room = more ? wanted : 0;
    return more;
}

/* ---- attributes ---- */

/* The number of an attribute's pair. */
static uint32_t pair_of(
    css_forest *f, index_table *table, hed_arena *work, const css_attribute *a, hed_error *error)
{
    uint32_t hash = (uint32_t)(mix(mix(a->name_space, a->name), a->value) >> 16);
    uint32_t at = hash & (table->size - 1);
    for (; table->slots[at]; at = (at + 1) & (table->size - 1)) {
        if (table->hashes[at] != hash) continue;
        const css_pair *p = &f->pairs[table->slots[at] - 1];
        if (p->name == a->name && p->value == a->value && p->name_space == a->name_space)
            return table->slots[at] - 1;
    }
    f->pairs = room_for(f->arena, f->pairs, &f->pair_room, f->pair_count, sizeof *f->pairs, error);
    if (!f->pairs) return 0;
    f->pairs[f->pair_count] = (css_pair){a->name, a->name_space, a->value, false};
    table_put(table, work, at, hash, f->pair_count, error);
    return f->pair_count++;
}

/* Pairs of all attributes, (attributes of all documents), and which names vary. id varies, class never:
 * classes are in the shape as a set. */
static uint32_t *find_pairs(css_forest *f, hed_arena *work, hed_error *error)
{
    uint64_t attributes = 0;
    index_table table;
    for (uint32_t n = 0; n < f->document_count; n++)
        attributes += f->documents[n]->attribute_begin[f->documents[n]->count];
    uint32_t *pair = hed_arena_new(work, attributes, sizeof *pair, error), at = 0;
    if (!pair || !table_make(&table, work, 1024, error)) return NULL;
    for (uint32_t n = 0; n < f->document_count && !hed_failed(error); n++) {
        const hed_css_document *d = f->documents[n];
        for (uint32_t i = 0; i < d->attribute_begin[d->count] && !hed_failed(error); i++)
            pair[at++] = pair_of(f, &table, work, &d->attributes[i], error);
    }
    hed_css_names *names = f->documents[0]->names;
    uint32_t id = css_name_find(names, "id", 2), class_name = css_name_find(names, "class", 5);
    uint32_t *values = hed_arena_new(work, names->count, sizeof *values, error);
    if (!values) return NULL;
    for (uint32_t p = 0; p < f->pair_count; p++) values[f->pairs[p].name]++;
    for (uint32_t p = 0; p < f->pair_count; p++) {
        uint32_t name = f->pairs[p].name;
        f->pairs[p].varies = name != class_name && (name == id || values[name] > CSS_MANY_VALUES);
    }
    return pair;
}

/* ---- shapes ---- */

/* Whether two elements have the same attributes but for values that vary, in the same order. */
static bool same_attributes(
    const css_forest *f, const uint32_t *a, uint32_t a_count, const uint32_t *b, uint32_t b_count)
{
    if (a_count != b_count) return false;
    for (uint32_t i = 0; i < a_count; i++) {
        if (a[i] == b[i]) continue;
        const css_pair *x = &f->pairs[a[i]], *y = &f->pairs[b[i]];
        if (!x->varies || x->name != y->name || x->name_space != y->name_space) return false;
    }
    return true;
}

static bool same_shape(const css_forest *f, const css_shape *shape, const uint32_t *pair,
    const uint32_t *first_pair, const hed_css_document *d, uint32_t n, uint32_t e)
{
    const hed_css_document *s = f->documents[shape->document];
    uint32_t o = shape->local, classes = d->class_begin[e + 1] - d->class_begin[e];
    if (s->tag[o] != d->tag[e] || s->name_space[o] != d->name_space[e] ||
        s->flags[o] != d->flags[e] || s->states[o] != d->states[e] ||
        s->language[o] != d->language[e] || s->quirks != d->quirks ||
        s->class_begin[o + 1] - s->class_begin[o] != classes ||
        memcmp(s->classes + s->class_begin[o], d->classes + d->class_begin[e],
            classes * sizeof(uint32_t)))
        return false;
    return same_attributes(f, pair + first_pair[shape->document] + s->attribute_begin[o],
        s->attribute_begin[o + 1] - s->attribute_begin[o],
        pair + first_pair[n] + d->attribute_begin[e],
        d->attribute_begin[e + 1] - d->attribute_begin[e]);
}

static uint32_t hash_shape(
    const css_forest *f, const uint32_t *pair, const hed_css_document *d, uint32_t e)
{
    uint64_t hash =
        mix((uint64_t)d->tag[e] << 32 | d->flags[e], (uint64_t)d->language[e] << 32 | d->states[e]);
    hash = mix(hash, (uint64_t)d->name_space[e] << 1 | d->quirks);
    for (uint32_t i = d->class_begin[e]; i < d->class_begin[e + 1]; i++)
        hash = mix(hash, d->classes[i]);
    for (uint32_t i = d->attribute_begin[e]; i < d->attribute_begin[e + 1]; i++) {
        const css_pair *p = &f->pairs[pair[i]];
        hash = mix(hash, p->varies ? (uint64_t)p->name << 32 | p->name_space : ~(uint64_t)pair[i]);
    }
    return (uint32_t)(hash >> 20);
}

static void find_shapes(css_forest *f, const uint32_t *pair, hed_arena *work, hed_error *error)
{
    uint32_t *first_pair = hed_arena_new(work, f->document_count, sizeof *first_pair, error),
             at = 0;
    index_table table;
    if (!first_pair || !table_make(&table, work, 1024, error)) return;
    for (uint32_t n = 0; n < f->document_count; n++) {
        first_pair[n] = at;
        at += f->documents[n]->attribute_begin[f->documents[n]->count];
    }
    for (uint32_t n = 0; n < f->document_count && !hed_failed(error); n++) {
        const hed_css_document *d = f->documents[n];
        const uint32_t *pairs = pair + first_pair[n];
        for (uint32_t e = 0; e < d->count && !hed_failed(error); e++) {
            uint32_t element = f->first[n] + e, hash = hash_shape(f, pairs, d, e);
            uint32_t slot = hash & (table.size - 1);
            for (; table.slots[slot]; slot = (slot + 1) & (table.size - 1))
                if (table.hashes[slot] == hash &&
                    same_shape(f, &f->shapes[table.slots[slot] - 1], pair, first_pair, d, n, e))
                    break;
            f->level[element] = d->level[e];
            for (uint32_t i = d->attribute_begin[e]; i < d->attribute_begin[e + 1]; i++) {
                if (!f->pairs[pairs[i]].varies) continue;
                f->varying = room_for(f->arena, f->varying, &f->varying_room, f->varying_count,
                    sizeof(uint32_t), error);
                if (f->varying) f->varying[f->varying_count++] = pairs[i];
            }
            f->varying_begin[element + 1] = f->varying_count;
            if (table.slots[slot]) {
                f->shape[element] = table.slots[slot] - 1;
                continue;
            }
            f->shapes = room_for(
                f->arena, f->shapes, &f->shape_room, f->shape_count, sizeof *f->shapes, error);
            if (!f->shapes) return;
            f->shapes[f->shape_count] = (css_shape){element, n, e};
            f->shape[element] = f->shape_count;
            table_put(&table, work, slot, hash, f->shape_count++, error);
        }
    }
}

hed_status css_forest_make(css_forest *f, hed_arena *arena, hed_css_document *const *documents,
    uint32_t document_count, hed_error *error)
{
    hed_arena work = {.allocator = arena->allocator, .owner = "the shapes of documents"};
    uint64_t count = 0;
    if (hed_failed(error)) return error->status;
    *f = (css_forest){.arena = arena, .documents = documents, .document_count = document_count};
    f->first = hed_arena_new(arena, (uint64_t)document_count + 1, sizeof(uint32_t), error);
    for (uint32_t n = 0; n < document_count && f->first; n++) {
        f->first[n] = (uint32_t)count;
        count += documents[n]->count;
        if (documents[n]->depth > f->depth) f->depth = documents[n]->depth;
    }
    if (count > UINT32_MAX / 2)
        return hed_fail(
            error, HED_ERROR_LIMIT, "css: %llu elements: 2^31 at most", (unsigned long long)count);
    f->count = (uint32_t)count;
    f->shape = hed_arena_new(arena, count, sizeof(uint32_t), error);
    f->level = hed_arena_new(arena, count, sizeof(uint32_t), error);
    f->varying_begin = hed_arena_new(arena, count + 1, sizeof(uint32_t), error);
    if (!hed_failed(error)) {
        f->first[document_count] = f->count;
        const uint32_t *pair = find_pairs(f, &work, error);
        if (pair) find_shapes(f, pair, &work, error);
    }
    hed_arena_free(&work);
    return hed_failed(error) ? error->status : HED_OK;
}
