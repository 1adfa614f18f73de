/* See pass.h. What stands around an element is held in rows of feed words, one for each level, as the
 * sweep goes through a document:
 *
 *   near   the sibling visited before
 *   some   all siblings visited before, together
 *   above  forwards: all ancestors; backwards: all siblings visited before with what is below them
 *   counts how many siblings visited before feed, for each feed
 *
 * Row 0 belongs to no element; an element of level l has row l + 1. Forwards a row is emptied at a first
 * child, backwards when its parent has read it. */
#include "solver/pass.h"

#include <stdlib.h>
#include <string.h>

/* ---- map ---- */

static bool map_make(css_map *map, hed_arena *arena, uint32_t log2, hed_error *error)
{
    size_t size = (size_t)1 << log2;
    struct css_map_slot *slots = hed_arena_new(arena, size, sizeof *slots, error);
    if (!slots) return false;
    memset(slots, 0xff, size * sizeof *slots);
    *map = (css_map){slots, 64 - log2, 0};
    return true;
}

static struct css_map_slot *map_find(const css_map *map, uint64_t key)
{
    uint32_t mask = (uint32_t)(UINT64_MAX >> map->shift);
    uint32_t at = (uint32_t)(key * 0x9e3779b97f4a7c15u >> map->shift);
    while (map->slots[at].key != key && map->slots[at].key != UINT64_MAX) at = (at + 1) & mask;
    return &map->slots[at];
}

static void map_put(
    css_map *map, hed_arena *arena, uint64_t key, uint32_t value, uint32_t next, hed_error *error)
{
    uint32_t log2 = 64 - map->shift;
    if (2 * (map->count + 1) > 1u << log2) {
        css_map larger;
        if (log2 > 30 || !map_make(&larger, arena, log2 + 1, error)) return;
        for (uint32_t i = 0; i < 1u << log2; i++)
            if (map->slots[i].key != UINT64_MAX)
                *map_find(&larger, map->slots[i].key) = map->slots[i];
        larger.count = map->count;
        *map = larger;
    }
    *map_find(map, key) = (struct css_map_slot){key, value, next};
    map->count++;
}

enum { THE_PASS = 31 }; /* among the sweeps that read a feed */

/* ---- signatures ---- */

static int by_final(const void *a, const void *b)
{
    uint32_t x = ((const uint32_t *)a)[1], y = ((const uint32_t *)b)[1];
    return (x > y) - (x < y);
}

/* The compounds that hold on a shape with these varying bits, into the list. */
static void list_holding(css_pass *p, const uint32_t *bound, const uint32_t *bits, hed_error *error)
{
    const css_bound *b = p->bound;
    p->list.count = 0;
    if (!css_list_room(
            &p->list, p->arena, bound[CSS_BOUND_CERTAINS] + bound[CSS_BOUND_CANDIDATES], error))
        return;
    uint32_t *to = p->list.items;
    for (uint32_t i = 0; i < bound[CSS_BOUND_CERTAINS]; i++)
        *to++ = b->certain.items[bound[CSS_BOUND_CERTAIN] + i];
    for (uint32_t i = 0; i < bound[CSS_BOUND_CANDIDATES]; i++) {
        const uint32_t *x = b->candidate.items + 3 * (bound[CSS_BOUND_CANDIDATE] + i);
        if (css_residual_holds(b->residual.items, x[1], x[2], bits)) *to++ = x[0];
    }
    p->list.count = (uint32_t)(to - p->list.items);
}

/* The feeds of an element that a sweep reads into `to` (feed_words); gives whether there are any. */
static bool find_feeds(
    const css_pass *p, const uint32_t *bound, const uint32_t *bits, uint32_t sweep, uint32_t *to)
{
    const css_bound *b = p->bound;
    bool any = false;
    memset(to, 0, p->feed_words * sizeof *to);
    for (uint32_t i = 0; i < bound[CSS_BOUND_FEEDINGS]; i++) {
        const uint32_t *x = b->feeding.items + 3 * (bound[CSS_BOUND_FEEDING] + i);
        uint32_t slot = b->feed_slot[x[0]];
        if (!(b->feed_sweeps[x[0]] >> sweep & 1) || to[slot >> 5] >> (slot & 31) & 1) continue;
        if (!css_residual_holds(b->residual.items, x[1], x[2], bits)) continue;
        to[slot >> 5] |= 1u << (slot & 31);
        any = true;
    }
    return any;
}

static uint32_t signature_add(css_pass *p, uint32_t shape, const uint32_t *bits, hed_error *error)
{
    const css_bound *b = p->bound;
    const css_compiled *c = b->compiled;
    const uint32_t *bound = b->bound.items + shape * CSS_BOUND_WORDS;
    css_signature s = {.shape = shape, .inner = p->acts.count / 2, .feeds = CSS_NONE};
    list_holding(p, bound, bits, error);
    uint32_t inner = 0, final = 0, few = 0;
    s.many = p->many.count;
    for (uint32_t i = 0; i < p->list.count; i++) {
        uint32_t k = p->list.items[i], its[2] = {b->act_count[2 * k], b->act_count[2 * k + 1]};
        if (its[0] > CSS_MANY_ACTS || its[1] > CSS_MANY_ACTS) {
            css_push(&p->many, p->arena, k, error);
            continue;
        }
        p->list.items[few++] = k;
        inner += its[0];
        final += its[1];
    }
    p->list.count = few;
    s.many_count = p->many.count - s.many;
    if (!css_list_room(&p->acts, p->arena, 2 * (inner + final), error)) return 0;
    uint32_t *to = p->acts.items + p->acts.count;
    for (uint32_t i = 0; i < p->list.count; i++) {
        uint32_t k = p->list.items[i], words = 2 * b->act_count[2 * k];
        memcpy(to, b->inner_act + 4 * c->inner_begin[k], words * sizeof *to);
        to += words;
    }
    s.inner_count = inner;
    s.final = (uint32_t)(to - p->acts.items) / 2;
    for (uint32_t i = 0; i < p->list.count; i++) {
        uint32_t k = p->list.items[i], words = 2 * b->act_count[2 * k + 1];
        memcpy(to, b->final_act + 2 * c->final_begin[k], words * sizeof *to);
        to += words;
    }
    s.final_count = final;
    if (final > 1) qsort(p->acts.items + 2 * s.final, final, 2 * sizeof *to, by_final);
    p->acts.count = (uint32_t)(to - p->acts.items);
    if (p->feed_words && css_list_room(&p->feeds, p->arena, p->feed_words, error) &&
        find_feeds(p, bound, bits, THE_PASS, p->feeds.items + p->feeds.count)) {
        s.feeds = p->feeds.count;
        p->feeds.count += p->feed_words;
    }
    if (p->signature_count == p->signature_room) {
        uint32_t room = 2 * p->signature_room + 256;
        css_signature *more = hed_arena_new(p->arena, room, sizeof *more, error);
        if (!more) return 0;
        if (p->signature_count) memcpy(more, p->signatures, p->signature_count * sizeof *more);
        p->signatures = more;
        p->signature_room = room;
    }
    p->signatures[p->signature_count] = s;
    return p->signature_count++;
}

uint32_t css_signature_of(css_pass *p, uint32_t shape, hed_error *error)
{
    uint32_t asks = p->bound->bound.items[shape * CSS_BOUND_WORDS + CSS_BOUND_ASKS];
    const uint32_t *bits = p->bits.items;
    if (!asks) {
        if (p->base.items[shape] == CSS_NONE)
            p->base.items[shape] = signature_add(p, shape, bits, error);
        return hed_failed(error) ? 0 : p->base.items[shape];
    }
    uint64_t key = (uint64_t)shape << 32 | bits[0];
    if (asks > 32) {
        uint32_t words = (asks + 31) / 32, number;
        if (!css_list_room(&p->list, p->arena, words + 1, error)) return 0;
        p->list.items[0] = shape;
        memcpy(p->list.items + 1, bits, words * sizeof *bits);
        number = css_intern(&p->wide, p->arena, p->list.items, words + 1, error);
        key = (uint64_t)(shape | 0x80000000u) << 32 | number;
    }
    const struct css_map_slot *slot = map_find(&p->signature_of, key);
    if (slot->key == key) return slot->value;
    uint32_t signature = signature_add(p, shape, bits, error);
    map_put(&p->signature_of, p->arena, key, signature, 0, error);
    return hed_failed(error) ? 0 : signature;
}

/* ---- classes ---- */

static bool state_has(const css_pass *p, uint32_t bit)
{
    return bit == CSS_NONE || (p->above_bits[bit >> 5] >> (bit & 31) & 1);
}

/* The state of the parent as bits, or these bits cleared again. */
static void state_spread(css_pass *p, uint32_t state, bool set)
{
    const uint32_t *begin = p->states.begin.items + state;
    for (uint32_t i = begin[0]; i < begin[1]; i++) {
        uint32_t bit = p->states.words.items[i];
        if (set) p->above_bits[bit >> 5] |= 1u << (bit & 31);
        else p->above_bits[bit >> 5] = 0;
    }
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* What acts (ascending by the bit they need) do below a parent of a state, at the end of a list. */
static void find_acts_below(css_pass *p, const uint32_t *acts, uint32_t count,
    uint32_t parent_state, css_list *to, hed_error *error)
{
    const uint32_t *begin = p->states.begin.items + parent_state;
    for (uint32_t i = begin[0]; i <= begin[1] && !hed_failed(error); i++) {
        uint32_t need = i < begin[1] ? p->states.words.items[i] : CSS_NONE, low = 0, high = count;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (acts[2 * middle] < need) low = middle + 1;
            else high = middle;
        }
        for (; low < count && acts[2 * low] == need; low++)
            css_push(to, p->arena, acts[2 * low + 1], error);
    }
}

/* The state that an element of a signature hands down, below a parent whose state is spread: what stays of
 * that, and what its own compounds set. */
static uint32_t state_below(
    css_pass *p, uint32_t parent_state, const css_signature *s, hed_error *error)
{
    const uint32_t *begin = p->states.begin.items + parent_state,
                   *act = p->acts.items + 2 * s->inner;
    const css_bound *b = p->bound;
    css_list *bits = &p->list;
    uint32_t kept = 0;
    bits->count = 0;
    if (!css_list_room(bits, p->arena, begin[1] - begin[0] + s->inner_count, error)) return 0;
    for (uint32_t i = begin[0]; i < begin[1]; i++)
        if (p->states.words.items[i] < b->d_bits)
            bits->items[bits->count++] = p->states.words.items[i];
    uint32_t stays = bits->count;
    for (uint32_t i = 0; i < s->inner_count; i++, act += 2)
        if (state_has(p, act[0])) bits->items[bits->count++] = act[1];
    for (uint32_t i = 0; i < s->many_count; i++) {
        uint32_t k = p->many.items[s->many + i];
        find_acts_below(p, b->inner_act + 4 * b->compiled->inner_begin[k], b->act_count[2 * k],
            parent_state, bits, error);
    }
    if (bits->count > stays) qsort(bits->items, bits->count, sizeof(uint32_t), by_number);
    for (uint32_t i = 0; i < bits->count; i++)
        if (!kept || bits->items[kept - 1] != bits->items[i]) bits->items[kept++] = bits->items[i];
    return css_intern(&p->states, p->arena, bits->items, kept, error);
}

/* A new class: what an element of a signature matches below a parent of a state. */
static struct css_map_slot class_add(
    css_pass *p, uint32_t parent_state, uint32_t signature, hed_error *error)
{
    const css_signature *s = &p->signatures[signature];
    const css_bound *b = p->bound;
    struct css_map_slot none = {0};
    uint32_t last = CSS_NONE;
    p->found.count = 0;
    if (!css_list_room(&p->found, p->arena, s->final_count, error)) return none;
    state_spread(p, parent_state, true);
    const uint32_t *act = p->acts.items + 2 * s->final;
    for (uint32_t i = 0; i < s->final_count; i++, act += 2)
        if (state_has(p, act[0])) p->found.items[p->found.count++] = act[1];
    for (uint32_t i = 0; i < s->many_count; i++) {
        uint32_t k = p->many.items[s->many + i];
        find_acts_below(p, b->final_act + 2 * b->compiled->final_begin[k], b->act_count[2 * k + 1],
            parent_state, &p->found, error);
    }
    if (s->many_count && p->found.count)
        qsort(p->found.items, p->found.count, sizeof(uint32_t), by_number);
    uint32_t next = state_below(p, parent_state, s, error);
    state_spread(p, parent_state, false);
    if (!css_list_room(&p->rules, p->arena, p->found.count, error) ||
        !css_list_room(&p->finals, p->arena, p->found.count, error))
        return none;
    for (uint32_t i = 0; i < p->found.count; i++) {
        uint32_t rule = b->compiled->final.items[4 * p->found.items[i] + 2];
        if (rule == last) continue;
        last = rule;
        p->rules.items[p->rules.count++] = rule;
        p->finals.items[p->finals.count++] = p->found.items[i];
    }
    uint32_t number = p->class_signature.count;
    css_push(&p->class_begin, p->arena, p->rules.count, error);
    css_push(&p->class_signature, p->arena, signature, error);
    css_push(&p->class_state, p->arena, next, error);
    uint64_t key = (uint64_t)parent_state << 32 | signature;
    map_put(&p->class_of, p->arena, key, number, next, error);
    return (struct css_map_slot){key, number, next};
}

uint32_t css_class_of(css_pass *p, uint32_t parent_state, uint32_t signature, hed_error *error)
{
    uint64_t key = (uint64_t)parent_state << 32 | signature;
    const struct css_map_slot *slot = map_find(&p->class_of, key);
    return slot->key == key ? slot->value : class_add(p, parent_state, signature, error).value;
}

/* ---- what stands around ---- */

static uint32_t bit_of(const uint32_t *row, uint32_t slot)
{
    return row[slot >> 5] >> (slot & 31) & 1;
}

/* Whether an element has what it asks for around it. */
static uint32_t answer_around(const css_around *around, const uint32_t *answer)
{
    switch (answer[0]) {
    case CSS_BY_PARENT: return bit_of(around->parent, answer[1]);
    case CSS_BY_ANCESTOR: return bit_of(around->above, answer[1]);
    case CSS_BY_PREVIOUS: return bit_of(around->near, answer[1]);
    case CSS_BY_EARLIER: return bit_of(around->some, answer[1]);
    default: return css_position_fits(1 + around->counts[answer[1]], answer[2], answer[3]);
    }
}

/* Whether the position of an element is one that it is asked for. */
static uint32_t answer_position(const hed_css_document *d, uint32_t e, const uint32_t *answer)
{
    uint32_t at = d->position[answer[1]][e] - 1;
    return at < 64 ? answer[4 + (at >> 5)] >> (at & 31) & 1
                   : css_position_fits(at + 1, answer[2], answer[3]);
}

void css_find_bits(css_pass *p, const hed_css_document *d, uint32_t e, const uint32_t *bound,
    const uint32_t *early, const css_around *around)
{
    uint32_t *bits = p->bits.items, asks = bound[CSS_BOUND_ASKS], word = 0;
    for (uint32_t i = 0; i < asks; i++) {
        const uint32_t *answer =
            p->bound->answer.items + CSS_ANSWER_WORDS * (bound[CSS_BOUND_ASK] + i);
        uint32_t bit;
        if (answer[0] == CSS_BY_POSITION) bit = answer_position(d, e, answer);
        else if (answer[0] == CSS_BY_SWEEP) bit = bit_of(early, answer[1]);
        else bit = answer_around(around, answer);
        word |= bit << (i & 31);
        if ((i & 31) == 31 || i + 1 == asks) {
            bits[i >> 5] = word;
            word = 0;
        }
    }
}

/* ---- sweeps before the pass ---- */

/* An ask that a sweep answers: the predicate's relation, or count. */
static uint32_t answer_early(const css_pass *p, const uint32_t *words, const css_around *around)
{
    if (words[0] == CSS_P_COUNT) {
        uint32_t slot = p->bound->feed_slot[words[1] >> 1];
        return css_position_fits(1 + around->counts[slot], words[2], words[3]);
    }
    const uint32_t answer[] = {CSS_BY_PARENT + words[1], p->bound->feed_slot[words[2]]};
    switch (words[1]) {
    case CSS_FROM_CHILD: return bit_of(around->some_child, answer[1]);
    case CSS_FROM_DESCENDANT: return bit_of(around->below, answer[1]);
    case CSS_FROM_NEXT: return bit_of(around->near, answer[1]);
    case CSS_FROM_LATER: return bit_of(around->some, answer[1]);
    default: return answer_around(around, answer);
    }
}

static void early_set(uint32_t *early, uint32_t slot, uint32_t bit)
{
    early[slot >> 5] = (early[slot >> 5] & ~(1u << (slot & 31))) | bit << (slot & 31);
}

void css_sweep_element(css_pass *p, const hed_css_document *d, uint32_t e, const uint32_t *bound,
    uint32_t sweep, uint32_t *early, const css_around *around)
{
    const css_bound *b = p->bound;
    const uint32_t *ask = b->ask.items + bound[CSS_BOUND_ASK];
    const uint32_t *answer = b->answer.items + CSS_ANSWER_WORDS * bound[CSS_BOUND_ASK];
    uint32_t *bits = p->bits.items, asks = bound[CSS_BOUND_ASKS], selves = 0;
    uint32_t shape = (uint32_t)(bound - b->bound.items) / CSS_BOUND_WORDS;
    if (!(p->shape_sweeps.items[shape] >> css_sweep_bit(sweep) & 1)) {
        memset(p->feed.items, 0, p->feed_words * sizeof(uint32_t));
        return;
    }
    memset(bits, 0, (asks + 31) / 32 * sizeof *bits);
    for (uint32_t i = 0; i < asks; i++, answer += CSS_ANSWER_WORDS) {
        uint32_t bit = 0;
        if (answer[0] == CSS_BY_POSITION) bit = answer_position(d, e, answer);
        else if (answer[0] == CSS_BY_SWEEP) {
            const uint32_t *words = b->compiled->predicate.items + ask[i] * CSS_P_WORDS;
            bool now = b->compiled->sweep.items[ask[i]] == sweep;
            bool self = words[0] == CSS_P_RELATION && words[1] == CSS_FROM_SELF;
            selves += now && self;
            if (now && !self) early_set(early, answer[1], answer_early(p, words, around));
            bit = bit_of(early, answer[1]);
        }
        bits[i >> 5] |= bit << (i & 31);
    }
    find_feeds(p, bound, bits, css_sweep_bit(sweep), p->feed.items);
    for (uint32_t i = 0; i < asks && selves; i++) {
        const uint32_t *words = b->compiled->predicate.items + ask[i] * CSS_P_WORDS;
        if (words[0] == CSS_P_RELATION && words[1] == CSS_FROM_SELF &&
            b->compiled->sweep.items[ask[i]] == sweep)
            early_set(early, b->early_slot[ask[i]], bit_of(p->feed.items, b->feed_slot[words[2]]));
    }
}

static css_around around_row(const css_pass *p, uint32_t row)
{
    size_t at = (size_t)row * p->feed_words, f = p->feed_words;
    return (css_around){.near = p->near + at,
        .some = p->some + at,
        .counts = p->counts ? p->counts + (size_t)row * p->bound->feed_slots : NULL,
        .parent = p->near + at - f,
        .above = p->above + at - f,
        .some_child = p->some + at + f,
        .below = p->above + at + f};
}

static void row_clear(css_pass *p, uint32_t row)
{
    uint32_t f = p->feed_words;
    memset(p->near + (size_t)row * f, 0, f * sizeof(uint32_t));
    memset(p->some + (size_t)row * f, 0, f * sizeof(uint32_t));
    if (p->bound->counts)
        memset(p->counts + (size_t)row * p->bound->feed_slots, 0,
            p->bound->feed_slots * sizeof(uint32_t));
}

/* An element of the row has been visited, and feeds what `feeds` says. */
static void row_visit(css_pass *p, uint32_t row, const uint32_t *feeds)
{
    size_t at = (size_t)row * p->feed_words;
    for (uint32_t w = 0; w < p->feed_words; w++) {
        p->near[at + w] = feeds[w];
        p->some[at + w] |= feeds[w];
    }
    if (!p->bound->counts) return;
    uint32_t *counts = p->counts + (size_t)row * p->bound->feed_slots;
    for (uint32_t w = 0; w < p->feed_words; w++)
        for (uint32_t left = feeds[w]; left; left &= left - 1)
            counts[32 * w + (uint32_t)__builtin_ctz(left)]++;
}

static void row_visit_forward(css_pass *p, uint32_t row, const uint32_t *feeds)
{
    size_t at = (size_t)row * p->feed_words, f = p->feed_words;
    row_visit(p, row, feeds);
    for (uint32_t w = 0; w < f; w++) p->above[at + w] = p->above[at - f + w] | feeds[w];
}

static void row_visit_backward(css_pass *p, uint32_t row, const uint32_t *feeds)
{
    size_t at = (size_t)row * p->feed_words, f = p->feed_words;
    row_visit(p, row, feeds);
    for (uint32_t w = 0; w < f; w++) {
        p->above[at + w] |= feeds[w] | p->above[at + f + w];
        p->above[at + f + w] = 0;
    }
    row_clear(p, row + 1);
    if (row > 1) return;
    row_clear(p, row); /* roots are no siblings */
    memset(p->above + at, 0, f * sizeof(uint32_t));
}

static void rows_clear(css_pass *p)
{
    size_t words = (size_t)p->rows * p->feed_words;
    memset(p->near, 0, words * sizeof(uint32_t));
    memset(p->some, 0, words * sizeof(uint32_t));
    memset(p->above, 0, words * sizeof(uint32_t));
    if (p->bound->counts)
        memset(p->counts, 0, (size_t)p->rows * p->bound->feed_slots * sizeof(uint32_t));
}

static void run_sweep(css_pass *p, uint32_t sweep)
{
    const css_forest *f = p->forest;
    for (uint32_t n = 0; n < f->document_count; n++) {
        const hed_css_document *d = f->documents[n];
        const uint32_t *shape = f->shape + f->first[n];
        uint32_t *early = p->early + (size_t)f->first[n] * p->early_words;
        rows_clear(p);
        for (uint32_t i = 0; i < d->count; i++) {
            uint32_t e = sweep & 1 ? d->count - 1 - i : i;
            uint32_t row = d->level[e] + 1;
            if (!(sweep & 1) && d->position[CSS_CHILD][e] == 1) row_clear(p, row);
            const css_around around = around_row(p, row);
            css_sweep_element(p, d, e, p->bound->bound.items + shape[e] * CSS_BOUND_WORDS, sweep,
                early + (size_t)e * p->early_words, &around);
            (sweep & 1 ? row_visit_backward : row_visit_forward)(p, row, p->feed.items);
        }
    }
}

/* ---- the pass ---- */

static void match_document(css_pass *p, uint32_t n, uint32_t *above_state, hed_error *error)
{
    const css_forest *f = p->forest;
    const hed_css_document *d = f->documents[n];
    const uint32_t *shape = f->shape + f->first[n], *bounds = p->bound->bound.items;
    const uint32_t *early = p->early + (size_t)f->first[n] * p->early_words;
    uint32_t *class_of = p->element_class + f->first[n], feed_words = p->feed_words;
    if (feed_words) rows_clear(p);
    for (uint32_t e = 0; e < d->count; e++) {
        uint32_t s = shape[e], level = d->level[e], signature = p->base.items[s];
        if (feed_words && d->position[CSS_CHILD][e] == 1) row_clear(p, level + 1);
        if (signature == CSS_NONE) {
            const uint32_t *bound = bounds + s * CSS_BOUND_WORDS;
            const css_around around = around_row(p, level + 1);
            css_find_bits(p, d, e, bound, early + (size_t)e * p->early_words, &around);
            signature = css_signature_of(p, s, error);
            if (hed_failed(error)) return;
        }
        struct css_map_slot slot =
            *map_find(&p->class_of, (uint64_t)above_state[level] << 32 | signature);
        if (slot.key == UINT64_MAX) {
            slot = class_add(p, above_state[level], signature, error);
            if (hed_failed(error)) return;
        }
        class_of[e] = slot.value;
        above_state[level + 1] = slot.next;
        if (!feed_words) continue;
        uint32_t feeds = p->signatures[signature].feeds;
        row_visit_forward(
            p, level + 1, feeds == CSS_NONE ? p->feed.items + feed_words : p->feeds.items + feeds);
    }
}

/* In which sweeps an element of a shape feeds something, or asks for something. */
static uint32_t sweeps_of(const css_bound *b, uint32_t shape)
{
    const uint32_t *bound = b->bound.items + shape * CSS_BOUND_WORDS;
    uint32_t sweeps = 0;
    for (uint32_t i = 0; i < bound[CSS_BOUND_FEEDINGS]; i++)
        sweeps |= b->feed_sweeps[b->feeding.items[3 * (bound[CSS_BOUND_FEEDING] + i)]];
    for (uint32_t i = 0; i < bound[CSS_BOUND_ASKS]; i++) {
        uint32_t p = b->ask.items[bound[CSS_BOUND_ASK] + i];
        if (b->compiled->early.items[p] && b->early_slot[p] != CSS_NONE)
            sweeps |= 1u << css_sweep_bit(b->compiled->sweep.items[p]);
    }
    return sweeps;
}

bool css_pass_extend(css_pass *p, hed_error *error)
{
    for (uint32_t s = p->base.count; s < css_shapes(p->forest); s++) {
        uint32_t asks = p->bound->bound.items[s * CSS_BOUND_WORDS + CSS_BOUND_ASKS];
        css_list_room(&p->bits, p->arena, asks / 32 + 1, error);
        uint32_t sweeps = sweeps_of(p->bound, s);
        p->used |= sweeps;
        css_push(&p->shape_sweeps, p->arena, sweeps, error);
        css_push(&p->base, p->arena, CSS_NONE, error);
    }
    return !hed_failed(error);
}

hed_status css_pass_make(css_pass *p, hed_arena *arena, const css_forest *forest, css_bound *bound,
    uint32_t *element_class, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    *p = (css_pass){
        .forest = forest, .bound = bound, .arena = arena, .element_class = element_class};
    p->feed_words = (bound->feed_slots + 31) / 32;
    p->early_words = (bound->early_slots + 31) / 32;
    p->rows = forest->depth + 4;
    css_pass_extend(p, error);
    p->above_bits = hed_arena_new(arena, bound->bits / 32 + 1, sizeof(uint32_t), error);
    css_list_room(&p->feed, arena, 2 * p->feed_words, error);
    uint64_t row_words =
        (uint64_t)p->rows * p->feed_words + 1; /* rows of no words have a place, too */
    p->near = hed_arena_new(arena, row_words, sizeof(uint32_t), error);
    p->some = hed_arena_new(arena, row_words, sizeof(uint32_t), error);
    p->above = hed_arena_new(arena, row_words, sizeof(uint32_t), error);
    if (bound->counts)
        p->counts =
            hed_arena_new(arena, (uint64_t)p->rows * bound->feed_slots, sizeof(uint32_t), error);
    p->early =
        hed_arena_new(arena, (uint64_t)forest->count * p->early_words, sizeof(uint32_t), error);
    map_make(&p->signature_of, arena, 9, error);
    map_make(&p->class_of, arena, 11, error);
    css_interner_make(&p->wide, arena, error);
    css_interner_make(&p->states, arena, error);
    css_push(&p->class_begin, arena, 0, error);
    if (hed_failed(error)) return error->status;
    if (p->feed_words) memset(p->feed.items, 0, 2ull * p->feed_words * sizeof(uint32_t));
    css_intern(&p->states, arena, NULL, 0, error);
    return hed_failed(error) ? error->status : HED_OK;
}

hed_status css_pass_run(css_pass *p, hed_error *error)
{
    const css_forest *f = p->forest;
    if (hed_failed(error)) return error->status;
    hed_arena work = {.allocator = p->arena->allocator, .owner = "a match"};
    uint32_t *above_state = hed_arena_new(&work, f->depth + 2ull, sizeof *above_state, error);
    for (uint32_t s = 0; s < p->bound->sweeps && !hed_failed(error); s++)
        if (p->used >> css_sweep_bit(s) & 1) run_sweep(p, s);
    for (uint32_t n = 0; n < f->document_count && !hed_failed(error); n++)
        match_document(p, n, above_state, error);
    hed_arena_free(&work);
    return hed_failed(error) ? error->status : HED_OK;
}
