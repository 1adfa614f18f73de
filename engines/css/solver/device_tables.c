/* See device_tables.h. */
#include "solver/device_tables.h"

#include <string.h>

/* Puts words behind those of a list; where they begin. */
static uint32_t pack(
    css_list *list, hed_arena *arena, const uint32_t *words, uint64_t count, hed_error *error)
{
    uint32_t at = list->count;
    if (count > UINT32_MAX / 4 - at) {
        hed_fail(error, HED_ERROR_LIMIT, "css: tables of more than 2^30 words");
        return at;
    }
    if (count && css_list_room(list, arena, (uint32_t)count, error)) {
        memcpy(list->items + at, words, count * sizeof *words);
        list->count += (uint32_t)count;
    }
    return at;
}

/* Lists in CSR form of things by a key below `keys`. */
static void pack_sorted(css_list *list, hed_arena *arena, const uint32_t *thing,
    const uint32_t *key, uint32_t count, uint32_t keys, uint32_t *begin_at, uint32_t *things_at,
    hed_error *error)
{
    uint32_t *begin = hed_arena_new(arena, (uint64_t)keys + 2, sizeof *begin, error);
    uint32_t *sorted = hed_arena_new(arena, count, sizeof *sorted, error);
    if (hed_failed(error)) return;
    for (uint32_t i = 0; i < count; i++) begin[key[i] + 2]++;
    for (uint32_t k = 0; k < keys; k++) begin[k + 2] += begin[k + 1];
    for (uint32_t i = 0; i < count; i++) sorted[begin[key[i] + 1]++] = thing[i];
    *begin_at = pack(list, arena, begin, (uint64_t)keys + 1, error);
    *things_at = pack(list, arena, sorted, count, error);
}

/* Of each entry of a CSR, the key that it is of. */
static uint32_t pack_owners(
    css_list *list, hed_arena *arena, const uint32_t *begin, uint32_t keys, hed_error *error)
{
    uint32_t *owner = hed_arena_new(arena, begin[keys], sizeof *owner, error);
    for (uint32_t k = 0; k < keys && owner; k++)
        for (uint32_t i = begin[k]; i < begin[k + 1]; i++) owner[i] = k;
    return pack(list, arena, owner, owner ? begin[keys] : 0, error);
}

/* What follows from predicates: lists that the kernels go through. */
static void pack_orders(css_fixed *f, css_list *t, hed_arena *arena, const css_compiled *c,
    css_shape_of_sheet *facts, hed_error *error)
{
    uint32_t predicates = f->predicates, relations = 0;
    uint32_t *thing = hed_arena_new(arena, predicates, sizeof *thing, error);
    uint32_t *stage = hed_arena_new(arena, predicates, sizeof *stage, error);
    uint32_t *feed = hed_arena_new(arena, predicates, sizeof *feed, error);
    if (hed_failed(error)) return;
    for (uint32_t p = 0; p < predicates; p++)
        if (c->predicate.items[CSS_P_WORDS * p] == CSS_P_POSITION) thing[f->position_count++] = p;
    f->positions = pack(t, arena, thing, f->position_count, error);
    for (uint32_t p = 0; p < predicates; p++) {
        const uint32_t *words = c->predicate.items + (size_t)CSS_P_WORDS * p;
        if (words[0] != CSS_P_RELATION && words[0] != CSS_P_COUNT) continue;
        feed[relations] = words[0] == CSS_P_COUNT ? words[1] >> 1 : words[2];
        stage[relations] = c->feed_stage.items[feed[relations]];
        if (stage[relations] >= f->stage_count) f->stage_count = stage[relations] + 1;
        if (words[0] == CSS_P_COUNT && words[1] & 1) facts->counts_from_end = true;
        thing[relations++] = p;
    }
    pack_sorted(t, arena, thing, stage, relations, f->stage_count, &f->stage_begin,
        &f->stage_relation, error);
    pack_sorted(t, arena, thing, feed, relations, f->feeds, &f->reader_begin, &f->reader, error);
}

hed_status css_pack_tables(css_fixed *f, css_list *t, hed_arena *arena, const css_compiled *c,
    const css_forest *forest, css_shape_of_sheet *facts, hed_error *error)
{
    uint32_t compounds = css_compounds(c), feeds = css_feeds(c);
    const uint32_t *literal_begin = c->compound.begin.items, *feed_begin = c->feed.begin.items;
    f->predicates = c->predicates;
    f->compounds = compounds;
    f->nodes = css_nodes(c);
    f->feeds = feeds;
    f->key_mask = c->key_mask;
    f->always_count = c->always.count;
    f->universal_count = c->universal.count;
    f->shapes = css_shapes(forest);
    f->elements = forest->count;
    f->inners = c->inner_begin[compounds];
    f->finals = c->final_begin[compounds];
    f->feeders = c->fed_begin[compounds];
    const struct {
        uint32_t *at;
        const uint32_t *words;
        uint64_t count;
    } parts[] = {{&f->predicate, c->predicate.items, c->predicate.count},
        {&f->key_slot, c->key_slot, 2ull * (c->key_mask + 1ull)},
        {&f->key_begin, c->key_begin, c->keys + 1ull},
        {&f->key_predicate, c->key_predicate, c->key_begin[c->keys]},
        {&f->always, c->always.items, c->always.count},
        {&f->literal_begin, literal_begin, compounds + 1ull},
        {&f->literal, c->compound.words.items, literal_begin[compounds]},
        {&f->bucket_begin, c->bucket_begin, c->predicates + 1ull},
        {&f->bucket, c->bucket, c->bucket_begin[c->predicates]},
        {&f->universal, c->universal.items, c->universal.count},
        {&f->node, c->node.items, c->node.count},
        {&f->inner_begin, c->inner_begin, compounds + 1ull},
        {&f->inner, c->inner, c->inner_begin[compounds]},
        {&f->final, c->final.items, c->final.count},
        {&f->final_begin, c->final_begin, compounds + 1ull},
        {&f->compound_final, c->compound_final, c->final_begin[compounds]},
        {&f->feed_begin, feed_begin, feeds + 1ull},
        {&f->feed_compound, c->feed.words.items, feed_begin[feeds]},
        {&f->fed_begin, c->fed_begin, compounds + 1ull}, {&f->fed, c->fed, c->fed_begin[compounds]},
        {&f->feed_stage, c->feed_stage.items, c->feed_stage.count},
        {&f->shape, forest->shapes.items, forest->shapes.count},
        {&f->shape_class, forest->shape_class.items, forest->shape_class.count},
        {&f->shape_fact, forest->shape_fact.items, forest->shape_fact.count}};
    for (size_t i = 0; i < HED_COUNT(parts); i++)
        *parts[i].at = pack(t, arena, parts[i].words, parts[i].count, error);
    f->inner_owner = pack_owners(t, arena, c->inner_begin, compounds, error);
    f->final_owner = pack_owners(t, arena, c->final_begin, compounds, error);
    f->fed_owner = pack_owners(t, arena, c->fed_begin, compounds, error);
    pack_orders(f, t, arena, c, facts, error);
    return hed_failed(error) ? error->status : HED_OK;
}

/* The next sibling of each element, where it has one. */
static void fill_next(const hed_css_document *d, uint32_t first, uint32_t *next)
{
    for (uint32_t e = 0; e < d->count; e++) next[first + e] = CSS_NONE;
    for (uint32_t e = 0; e < d->count; e++)
        if (d->previous[e] != CSS_NONE) next[first + d->previous[e]] = first + e;
}

/* Numbers families, and says of each element of a document which it is in. */
static void fill_families(
    css_fixed *f, const hed_css_document *d, uint32_t *family, uint32_t *of_parent)
{
    memset(of_parent, 0xff, d->count * sizeof *of_parent);
    for (uint32_t e = 0; e < d->count; e++)
        if (d->position[CSS_CHILD][e] == 2) of_parent[d->parent[e]] = f->families++;
    for (uint32_t e = 0; e < d->count; e++)
        family[e] = d->parent[e] == CSS_NONE ? CSS_NONE : of_parent[d->parent[e]];
}

hed_status css_pack_elements(css_fixed *f, css_list *t, uint32_t **ancestors, hed_arena *arena,
    const css_forest *forest, css_shape_of_sheet *facts, hed_error *error)
{
    uint64_t n = forest->count, at = 0, total = n * (facts->counts_from_end ? 8 : 7);
    uint32_t *above = *ancestors = hed_arena_new(arena, 4 * n, sizeof *above, error);
    uint32_t *of_parent = hed_arena_new(arena, n, sizeof *of_parent, error);
    if (total > UINT32_MAX / 4)
        return hed_fail(error, HED_ERROR_LIMIT, "css: elements of more than 2^30 words");
    if (!of_parent || !css_list_room(t, arena, (uint32_t)total, error)) return error->status;
    uint32_t *w = t->items;
    uint32_t *const places[] = {
        &f->element_shape, &f->previous, &f->next, &f->family, &f->position};
    for (size_t i = 0; i < HED_COUNT(places); i++) {
        *places[i] = (uint32_t)at;
        if (places[i] != &f->next || facts->counts_from_end) at += n;
    }
    t->count = (uint32_t)total;
    memcpy(w + f->element_shape, forest->shape, n * sizeof *w);
    for (uint32_t i = 0; i < forest->document_count; i++) {
        const hed_css_document *d = forest->documents[i];
        uint32_t first = forest->first[i];
        for (int k = 0; k < CSS_POSITIONS; k++)
            memcpy(w + f->position + k * n + first, d->position[k], d->count * sizeof *w);
        if (facts->counts_from_end) fill_next(d, first, w + f->next);
        fill_families(f, d, w + f->family + first, of_parent);
        for (uint32_t e = 0; e < d->count; e++) {
            uint32_t parent = d->parent[e], before = d->previous[e];
            uint32_t *own = above + 4 * (size_t)(first + e);
            w[f->previous + first + e] = before == CSS_NONE ? CSS_NONE : first + before;
            if (d->position[CSS_CHILD][e] > facts->most_siblings)
                facts->most_siblings = d->position[CSS_CHILD][e];
            own[0] = parent == CSS_NONE ? CSS_NONE : first + parent;
            const uint32_t *next = above + 4 * (size_t)(first + parent);
            for (int k = 1; k < 4; k++) own[k] = parent == CSS_NONE ? CSS_NONE : next[k - 1];
        }
    }
    return HED_OK;
}
