/* See device_tables.h. */
#include "tables/device_tables.h"

#include <string.h>

/* Appends words to a list; returns their offset. */
static uint32_t pack(
    css_list *list, hed_arena *arena, const void *words, uint64_t count, hed_error *error)
{
    uint32_t at = list->count;
    if (count > UINT32_MAX / 4 - at) {
        hed_fail(error, HED_ERROR_LIMIT, "css: tables of more than 2^30 words");
        return at;
    }
    if (count && css_list_room(list, arena, (uint32_t)count, error)) {
        memcpy(list->items + at, words, count * sizeof *list->items);
        list->count += (uint32_t)count;
    }
    return at;
}

/* Appends the CSR of pairs by their rows, which are below `rows`. */
static void pack_sorted(css_list *list, hed_arena *arena, const uint32_t *value,
    const uint32_t *row, uint32_t count, uint32_t rows, uint32_t *begin_at, uint32_t *values_at,
    hed_error *error)
{
    uint32_t *begin = hed_arena_new(arena, (uint64_t)rows + 2, sizeof *begin, error);
    uint32_t *sorted = hed_arena_new(arena, count, sizeof *sorted, error);
    if (hed_failed(error)) return;
    for (uint32_t i = 0; i < count; i++) begin[row[i] + 2]++;
    for (uint32_t k = 0; k < rows; k++) begin[k + 2] += begin[k + 1];
    for (uint32_t i = 0; i < count; i++) sorted[begin[row[i] + 1]++] = value[i];
    *begin_at = pack(list, arena, begin, (uint64_t)rows + 1, error);
    *values_at = pack(list, arena, sorted, count, error);
}

/* Appends the row of each entry of a CSR. */
static uint32_t pack_owners(
    css_list *list, hed_arena *arena, const uint32_t *begin, uint32_t rows, hed_error *error)
{
    uint32_t *owner = hed_arena_new(arena, begin[rows], sizeof *owner, error);
    for (uint32_t k = 0; k < rows && owner; k++)
        for (uint32_t i = begin[k]; i < begin[k + 1]; i++) owner[i] = k;
    return pack(list, arena, owner, owner ? begin[rows] : 0, error);
}

/* Appends the orders in which the kernels visit predicates. */
static void pack_orders(css_fixed *f, css_list *t, hed_arena *arena, const css_compiled *c,
    css_device_facts *facts, hed_error *error)
{
    uint32_t predicates = f->predicates, readers = 0;
    uint32_t *number = hed_arena_new(arena, predicates, sizeof *number, error);
    uint32_t *stage = hed_arena_new(arena, predicates, sizeof *stage, error);
    uint32_t *dependency = hed_arena_new(arena, predicates, sizeof *dependency, error);
    if (hed_failed(error)) return;
    for (uint32_t p = 0; p < predicates; p++)
        if (c->predicate.items[p].kind == CSS_P_POSITION) number[f->position_count++] = p;
    f->positions = pack(t, arena, number, f->position_count, error);
    for (uint32_t p = 0; p < predicates; p++) {
        const css_predicate *predicate = &c->predicate.items[p];
        if (!css_reads_dependency(predicate->kind)) continue;
        dependency[readers] = css_dependency_of(predicate);
        stage[readers] = c->dependency_stage.items[dependency[readers]];
        if (stage[readers] >= f->stage_count) f->stage_count = stage[readers] + 1;
        if (predicate->kind == CSS_P_COUNT_FROM_END) facts->counts_from_end = true;
        number[readers++] = p;
    }
    pack_sorted(t, arena, number, stage, readers, f->stage_count, &f->stage_begin,
        &f->stage_predicate, error);
    pack_sorted(t, arena, number, dependency, readers, f->dependencies, &f->reader_begin,
        &f->reader, error);
}

/* An array to append: its offset, and its words. */
typedef struct pack_part {
    uint32_t *at;
    const void *items;
    uint64_t words;
} pack_part;

#define PACK(member, array, count) \
    { \
        &f->member, array, (count) * (sizeof *(array) / sizeof(uint32_t)) \
    }

hed_status css_pack_tables(css_fixed *f, css_list *t, hed_arena *arena, const css_compiled *c,
    const css_forest *forest, css_device_facts *facts, hed_error *error)
{
    const css_tables *s = &c->tables;
    uint64_t compounds = f->compounds = css_compounds(c), keys = c->keys;
    uint64_t dependencies = f->dependencies = css_dependencies(c);
    uint64_t predicates = f->predicates = c->predicate.count;
    f->nodes = c->node.count;
    f->key_mask = s->key_mask;
    f->always_count = c->always.count;
    f->universal_count = c->universal.count;
    f->kinds = forest->kinds.count;
    f->elements = forest->count;
    f->compound_nodes = s->compound_node_begin[compounds];
    f->compound_finals = s->compound_final_begin[compounds];
    f->compound_dependencies = s->compound_dependency_begin[compounds];
    const pack_part parts[] = {PACK(predicate, s->predicate, predicates),
        PACK(key_slot, s->key_slot, s->key_mask + 1ull), PACK(key_begin, s->key_begin, keys + 1),
        PACK(key_predicate, s->key_predicate, s->key_begin[keys]),
        PACK(always, s->always, c->always.count),
        PACK(literal_begin, s->literal_begin, compounds + 1),
        PACK(literal, s->literal, s->literal_begin[compounds]),
        PACK(bucket_begin, s->bucket_begin, predicates + 1),
        PACK(bucket, s->bucket, s->bucket_begin[predicates]),
        PACK(universal, s->universal, c->universal.count), PACK(node, s->node, c->node.count),
        PACK(compound_node_begin, s->compound_node_begin, compounds + 1),
        PACK(compound_node, s->compound_node, f->compound_nodes), PACK(final, s->final, c->finals),
        PACK(compound_final_begin, s->compound_final_begin, compounds + 1),
        PACK(compound_final, s->compound_final, f->compound_finals),
        PACK(dependency_begin, s->dependency_begin, dependencies + 1),
        PACK(dependency_compound, s->dependency_compound, s->dependency_begin[dependencies]),
        PACK(compound_dependency_begin, s->compound_dependency_begin, compounds + 1),
        PACK(compound_dependency, s->compound_dependency, f->compound_dependencies),
        PACK(dependency_stage, s->dependency_stage, dependencies)};
    /* last, as changes of a document add to them */
    const pack_part kinds[] = {PACK(kind, forest->kinds.items, forest->kinds.count),
        PACK(kind_class, forest->kind_class.items, forest->kind_class.count),
        PACK(kind_fact, forest->kind_fact.items, forest->kind_fact.count)};
    for (size_t i = 0; i < HED_COUNT(parts); i++)
        *parts[i].at = pack(t, arena, parts[i].items, parts[i].words, error);
    f->node_owner = pack_owners(t, arena, s->compound_node_begin, f->compounds, error);
    f->final_owner = pack_owners(t, arena, s->compound_final_begin, f->compounds, error);
    f->dependency_owner = pack_owners(t, arena, s->compound_dependency_begin, f->compounds, error);
    pack_orders(f, t, arena, c, facts, error);
    for (size_t i = 0; i < HED_COUNT(kinds); i++)
        *kinds[i].at = pack(t, arena, kinds[i].items, kinds[i].words, error);
    return hed_failed(error) ? error->status : HED_OK;
}

/* Writes the next sibling of each element. */
static void fill_next(const hed_css_document *d, uint32_t first, uint32_t *next)
{
    for (uint32_t e = 0; e < d->count; e++) next[first + e] = CSS_NONE;
    for (uint32_t e = 0; e < d->count; e++)
        if (d->previous[e] != CSS_NONE) next[first + d->previous[e]] = first + e;
}

/* Numbers the families of a document, and writes the family of each element. */
static void fill_families(
    css_fixed *f, const hed_css_document *d, uint32_t *family, uint32_t *of_parent)
{
    memset(of_parent, 0xff, d->count * sizeof *of_parent);
    for (uint32_t e = 0; e < d->count; e++)
        if (d->position[CSS_CHILD][e] == 2) of_parent[d->parent[e]] = f->families++;
    for (uint32_t e = 0; e < d->count; e++)
        family[e] = d->parent[e] == CSS_NONE ? CSS_NONE : of_parent[d->parent[e]];
}

/* Writes the previous sibling and the four ancestors of each element of a document. */
static void fill_relatives(
    const hed_css_document *d, uint32_t first, uint32_t *previous, css_ancestors *ancestors)
{
    for (uint32_t e = 0; e < d->count; e++) {
        uint32_t parent = d->parent[e], before = d->previous[e];
        css_ancestors *four = &ancestors[first + e];
        previous[first + e] = before == CSS_NONE ? CSS_NONE : first + before;
        for (int k = 0; k < CSS_ANCESTORS; k++) four->ancestor[k] = CSS_NONE;
        if (parent == CSS_NONE) continue;
        four->ancestor[0] = first + parent;
        memcpy(four->ancestor + 1, ancestors[first + parent].ancestor,
            (CSS_ANCESTORS - 1) * sizeof *four->ancestor);
    }
}

hed_status css_pack_elements(css_fixed *f, css_list *t, css_ancestors **ancestors, hed_arena *arena,
    const css_forest *forest, css_device_facts *facts, hed_error *error)
{
    uint64_t n = forest->count, total = 0;
    struct {
        uint32_t *at;
        uint64_t words;
    } const parts[] = {{&f->element_kind, n}, {&f->previous, n},
        {&f->next, facts->counts_from_end ? n : 0}, {&f->family, n},
        {&f->position, CSS_POSITIONS * n}};
    *ancestors = hed_arena_new(arena, n, sizeof **ancestors, error);
    uint32_t *of_parent = hed_arena_new(arena, n, sizeof *of_parent, error);
    for (size_t i = 0; i < HED_COUNT(parts); total += parts[i++].words)
        *parts[i].at = (uint32_t)total;
    if (total > UINT32_MAX / 4)
        return hed_fail(error, HED_ERROR_LIMIT, "css: elements of more than 2^30 words");
    if (!of_parent || !css_list_room(t, arena, (uint32_t)total, error)) return error->status;
    uint32_t *w = t->items;
    t->count = (uint32_t)total;
    memcpy(w + f->element_kind, forest->kind, n * sizeof *w);
    for (uint32_t i = 0; i < forest->document_count; i++) {
        const hed_css_document *d = forest->documents[i];
        uint32_t first = forest->first[i];
        for (int k = 0; k < CSS_POSITIONS; k++)
            memcpy(w + f->position + k * n + first, d->position[k], d->count * sizeof *w);
        if (facts->counts_from_end) fill_next(d, first, w + f->next);
        fill_families(f, d, w + f->family + first, of_parent);
        fill_relatives(d, first, w + f->previous, *ancestors);
        for (uint32_t e = 0; e < d->count; e++)
            if (d->position[CSS_CHILD][e] > facts->most_siblings)
                facts->most_siblings = d->position[CSS_CHILD][e];
    }
    return HED_OK;
}
