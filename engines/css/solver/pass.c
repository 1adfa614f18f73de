/* See pass.h. A sweep keeps the dependencies that elements satisfy in rows of bits, one row for
 * each level:
 *
 *   previous_sibling  dependencies of the sibling visited before
 *   earlier_siblings  OR of all siblings visited before
 *   ancestors         forwards: OR of all ancestors; backwards: of all siblings visited before and
 *                     their descendants
 *   counts            number of siblings visited before that satisfy each dependency
 *
 * Row 0 belongs to no element; an element of level l has row l + 1. Forwards a row is cleared at a
 * first child, backwards after its parent has read it. */
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

/* ---- signatures ---- */

static int by_final(const void *a, const void *b)
{
    const css_act *x = a, *y = b;
    return (x->result > y->result) - (x->result < y->result);
}

/* Lists the compounds that hold on an element kind with these dynamic bits. */
static void list_holding(
    css_pass *p, const css_bound_kind *kind, const uint32_t *bits, hed_error *error)
{
    const css_bound *b = p->bound;
    p->list.count = 0;
    if (!css_list_room(&p->list, p->arena, kind->certains + kind->candidates, error)) return;
    uint32_t *to = p->list.items;
    for (uint32_t i = 0; i < kind->certains; i++) *to++ = b->certain.items[kind->first_certain + i];
    for (uint32_t i = 0; i < kind->candidates; i++) {
        const css_candidate *candidate = &b->candidate.items[kind->first_candidate + i];
        if (css_residual_holds(b->residual.items, candidate, bits)) *to++ = candidate->number;
    }
    p->list.count = (uint32_t)(to - p->list.items);
}

static uint32_t bit_of(const uint32_t *row, uint32_t slot)
{
    return row[slot >> 5] >> (slot & 31) & 1;
}

/* Writes the dependencies that an element satisfies and a sweep reads to `row`. True: there are
 * any. */
static bool find_dependencies(const css_pass *p, const css_bound_kind *kind, const uint32_t *bits,
    uint32_t sweep, uint32_t *row)
{
    const css_bound *b = p->bound;
    bool has_dependency = false;
    memset(row, 0, p->dependency_words * sizeof *row);
    for (uint32_t i = 0; i < kind->dependencies; i++) {
        const css_candidate *candidate = &b->candidate_dependency.items[kind->first_dependency + i];
        const css_dependency *dependency = &b->dependency[candidate->number];
        if (!(dependency->sweeps >> sweep & 1) || bit_of(row, dependency->slot)) continue;
        if (!css_residual_holds(b->residual.items, candidate, bits)) continue;
        row[dependency->slot >> 5] |= 1u << (dependency->slot & 31);
        has_dependency = true;
    }
    return has_dependency;
}

/* Moves compounds of many acts from the list to p->large; returns the numbers of acts of the
 * others. */
static css_act_counts split_large(css_pass *p, hed_error *error)
{
    css_act_counts total = {0};
    uint32_t remaining = 0;
    for (uint32_t i = 0; i < p->list.count; i++) {
        uint32_t k = p->list.items[i];
        css_act_counts counts = p->bound->act_counts[k];
        if (counts.transitions > CSS_MANY_ACTS || counts.acceptances > CSS_MANY_ACTS) {
            css_push(&p->large, p->arena, k, error);
            continue;
        }
        p->list.items[remaining++] = k;
        total.transitions += counts.transitions;
        total.acceptances += counts.acceptances;
    }
    p->list.count = remaining;
    return total;
}

static uint32_t signature_add(
    css_pass *p, uint32_t kind_number, const uint32_t *bits, hed_error *error)
{
    const css_bound *b = p->bound;
    const css_tables *t = &b->compiled->tables;
    const css_bound_kind *kind = &b->kind.items[kind_number];
    css_signature s = {.kind = kind_number,
        .first_large = p->large.count,
        .first_transition = p->acts.count,
        .first_dependency_word = CSS_NONE};
    list_holding(p, kind, bits, error);
    css_act_counts counts = split_large(p, error);
    s.large_count = p->large.count - s.first_large;
    s.transitions = counts.transitions;
    s.first_acceptance = s.first_transition + counts.transitions;
    s.acceptances = counts.acceptances;
    if (!CSS_ROOM(&p->acts, p->arena, s.transitions + s.acceptances, error)) return 0;
    css_act *transition = p->acts.items + s.first_transition;
    css_act *acceptances = p->acts.items + s.first_acceptance, *acceptance = acceptances;
    for (uint32_t i = 0; i < p->list.count; i++) {
        uint32_t k = p->list.items[i];
        counts = b->act_counts[k];
        memcpy(transition, b->transition + css_first_transition(t, k),
            counts.transitions * sizeof *transition);
        memcpy(acceptance, b->acceptance + t->compound_final_begin[k],
            counts.acceptances * sizeof *acceptance);
        transition += counts.transitions;
        acceptance += counts.acceptances;
    }
    if (s.acceptances > 1) qsort(acceptances, s.acceptances, sizeof *acceptances, by_final);
    p->acts.count += s.transitions + s.acceptances;
    css_list *rows = &p->dependency_rows;
    if (p->dependency_words && css_list_room(rows, p->arena, p->dependency_words, error) &&
        find_dependencies(p, kind, bits, CSS_THE_PASS, rows->items + rows->count)) {
        s.first_dependency_word = rows->count;
        rows->count += p->dependency_words;
    }
    CSS_PUSH(&p->signature, p->arena, error, s);
    return hed_failed(error) ? 0 : p->signature.count - 1;
}

uint32_t css_signature_of(css_pass *p, uint32_t kind, hed_error *error)
{
    uint32_t dynamics = p->bound->kind.items[kind].dynamics;
    const uint32_t *bits = p->bits.items;
    if (!dynamics) {
        if (p->base.items[kind] == CSS_NONE)
            p->base.items[kind] = signature_add(p, kind, bits, error);
        return hed_failed(error) ? 0 : p->base.items[kind];
    }
    uint64_t key = (uint64_t)kind << 32 | *bits;
    if (dynamics > 32) {
        uint32_t words = (dynamics + 31) / 32, number;
        p->list.count = 0;
        if (!css_list_room(&p->list, p->arena, words + 1, error)) return 0;
        *p->list.items = kind;
        memcpy(p->list.items + 1, bits, words * sizeof *bits);
        number = css_intern(&p->wide, p->arena, p->list.items, words + 1, error);
        key = (uint64_t)(kind | 0x80000000u) << 32 | number;
    }
    const struct css_map_slot *slot = map_find(&p->signature_of, key);
    if (slot->key == key) return slot->value;
    uint32_t signature = signature_add(p, kind, bits, error);
    map_put(&p->signature_of, p->arena, key, signature, 0, error);
    return hed_failed(error) ? 0 : signature;
}

/* ---- classes ---- */

static bool state_has(const css_pass *p, uint32_t bit)
{
    return bit == CSS_NONE || bit_of(p->state_bits, bit);
}

/* Sets the bits of a state in p->state_bits, or clears them again. */
static void state_spread(css_pass *p, uint32_t state, bool set)
{
    css_span bits = css_sequence(&p->states, state);
    for (uint32_t i = bits.begin; i < bits.end; i++) {
        uint32_t bit = p->states.words.items[i];
        if (set) p->state_bits[bit >> 5] |= 1u << (bit & 31);
        else p->state_bits[bit >> 5] = 0;
    }
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Appends the results of the acts, sorted by required bit, that are possible below a parent of a
 * state. */
static void find_acts_below(css_pass *p, const css_act *acts, uint32_t count, uint32_t parent_state,
    css_list *to, hed_error *error)
{
    css_span bits = css_sequence(&p->states, parent_state);
    for (uint32_t i = bits.begin; i <= bits.end && !hed_failed(error); i++) {
        uint32_t required = i < bits.end ? p->states.words.items[i] : CSS_NONE;
        uint32_t low = 0, high = count;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (acts[middle].required < required) low = middle + 1;
            else high = middle;
        }
        for (; low < count && acts[low].required == required; low++)
            css_push(to, p->arena, acts[low].result, error);
    }
}

/* State for the children of an element of a signature, below a parent whose state is in
 * p->state_bits: the inherited bits of the parent's state, and the results of transitions. */
static uint32_t state_below(
    css_pass *p, uint32_t parent_state, const css_signature *s, hed_error *error)
{
    css_span parent = css_sequence(&p->states, parent_state);
    const css_bound *b = p->bound;
    css_list *bits = &p->list;
    uint32_t distinct = 0;
    bits->count = 0;
    if (!css_list_room(bits, p->arena, parent.end - parent.begin + s->transitions, error)) return 0;
    for (uint32_t i = parent.begin; i < parent.end; i++)
        if (p->states.words.items[i] < b->inherited_bits)
            bits->items[bits->count++] = p->states.words.items[i];
    uint32_t inherited = bits->count;
    const css_act *act = p->acts.items + s->first_transition, *end = act + s->transitions;
    for (; act < end; act++)
        if (state_has(p, act->required)) bits->items[bits->count++] = act->result;
    for (uint32_t i = 0; i < s->large_count; i++) {
        uint32_t k = p->large.items[s->first_large + i];
        find_acts_below(p, b->transition + css_first_transition(&b->compiled->tables, k),
            b->act_counts[k].transitions, parent_state, bits, error);
    }
    if (bits->count > inherited) qsort(bits->items, bits->count, sizeof(uint32_t), by_number);
    for (uint32_t i = 0; i < bits->count; i++)
        if (!distinct || bits->items[distinct - 1] != bits->items[i])
            bits->items[distinct++] = bits->items[i];
    return css_intern(&p->states, p->arena, bits->items, distinct, error);
}

/* Lists the finals that a signature reaches below a parent whose state is in p->state_bits. */
static void find_finals(
    css_pass *p, uint32_t parent_state, const css_signature *s, hed_error *error)
{
    const css_bound *b = p->bound;
    p->found.count = 0;
    if (!css_list_room(&p->found, p->arena, s->acceptances, error)) return;
    const css_act *act = p->acts.items + s->first_acceptance, *end = act + s->acceptances;
    for (; act < end; act++)
        if (state_has(p, act->required)) p->found.items[p->found.count++] = act->result;
    for (uint32_t i = 0; i < s->large_count; i++) {
        uint32_t k = p->large.items[s->first_large + i];
        find_acts_below(p, b->acceptance + b->compiled->tables.compound_final_begin[k],
            b->act_counts[k].acceptances, parent_state, &p->found, error);
    }
    if (s->large_count && p->found.count)
        qsort(p->found.items, p->found.count, sizeof(uint32_t), by_number);
}

/* Adds the class of a signature below a parent of a state. */
static struct css_map_slot class_add(
    css_pass *p, uint32_t parent_state, uint32_t signature, hed_error *error)
{
    const css_signature *s = &p->signature.items[signature];
    const css_final *final = p->bound->compiled->tables.final;
    struct css_map_slot failed = {0};
    uint32_t last = CSS_NONE;
    state_spread(p, parent_state, true);
    find_finals(p, parent_state, s, error);
    uint32_t next = state_below(p, parent_state, s, error);
    state_spread(p, parent_state, false);
    if (!css_list_room(&p->rules, p->arena, p->found.count, error) ||
        !css_list_room(&p->finals, p->arena, p->found.count, error))
        return failed;
    for (uint32_t i = 0; i < p->found.count; i++) {
        uint32_t rule = final[p->found.items[i]].rule;
        if (rule == last) continue;
        last = rule;
        p->rules.items[p->rules.count++] = rule;
        p->finals.items[p->finals.count++] = p->found.items[i];
    }
    uint32_t number = p->class.count;
    css_push(&p->class_begin, p->arena, p->rules.count, error);
    CSS_PUSH(&p->class, p->arena, error, (css_class){signature, next});
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

/* ---- elements around one ---- */

/* Value of a RELATION to the parent, an ancestor or an earlier sibling, or of a COUNT. */
static uint32_t bit_around(const css_around *around, const css_dynamic *dynamic)
{
    switch (dynamic->by) {
    case CSS_BY_PARENT: return bit_of(around->parent, dynamic->source);
    case CSS_BY_ANCESTOR: return bit_of(around->ancestors, dynamic->source);
    case CSS_BY_PREVIOUS: return bit_of(around->previous_sibling, dynamic->source);
    case CSS_BY_EARLIER: return bit_of(around->earlier_siblings, dynamic->source);
    default: return css_position_fits(1 + around->counts[dynamic->source], dynamic->a, dynamic->b);
    }
}

/* Value of a POSITION. */
static uint32_t bit_by_position(const hed_css_document *d, uint32_t e, const css_dynamic *dynamic)
{
    uint32_t at = d->position[dynamic->source][e] - 1;
    return at < 64 ? (uint32_t)(dynamic->first_positions >> at & 1)
                   : css_position_fits(at + 1, dynamic->a, dynamic->b);
}

void css_find_bits(css_pass *p, const hed_css_document *d, uint32_t e, const css_bound_kind *kind,
    const uint32_t *early, const css_around *around)
{
    uint32_t *bits = p->bits.items, word = 0;
    for (uint32_t i = 0; i < kind->dynamics; i++) {
        const css_dynamic *dynamic = &p->bound->dynamic.items[kind->first_dynamic + i];
        uint32_t bit;
        if (dynamic->by == CSS_BY_POSITION) bit = bit_by_position(d, e, dynamic);
        else if (dynamic->by == CSS_BY_SWEEP) bit = bit_of(early, dynamic->source);
        else bit = bit_around(around, dynamic);
        word |= bit << (i & 31);
        if ((i & 31) == 31 || i + 1 == kind->dynamics) {
            bits[i >> 5] = word;
            word = 0;
        }
    }
}

/* ---- sweeps before the pass ---- */

static bool is_from_self(const css_predicate *predicate)
{
    return predicate->kind == CSS_P_RELATION && predicate->of.relation.relation == CSS_FROM_SELF;
}

/* Value of a RELATION or COUNT that a sweep evaluates. */
static uint32_t bit_in_sweep(
    const css_pass *p, const css_predicate *predicate, const css_around *around)
{
    uint32_t slot = p->bound->dependency[css_dependency_of(predicate)].slot;
    if (css_is_count(predicate->kind))
        return css_position_fits(
            1 + around->counts[slot], predicate->of.count.a, predicate->of.count.b);
    switch (predicate->of.relation.relation) {
    case CSS_FROM_PARENT: return bit_of(around->parent, slot);
    case CSS_FROM_ANCESTOR: return bit_of(around->ancestors, slot);
    case CSS_FROM_CHILD: return bit_of(around->children, slot);
    case CSS_FROM_DESCENDANT: return bit_of(around->descendants, slot);
    case CSS_FROM_PREVIOUS:
    case CSS_FROM_NEXT: return bit_of(around->previous_sibling, slot);
    default: return bit_of(around->earlier_siblings, slot);
    }
}

static void early_set(uint32_t *early, uint32_t slot, uint32_t bit)
{
    early[slot >> 5] = (early[slot >> 5] & ~(1u << (slot & 31))) | bit << (slot & 31);
}

void css_sweep_element(css_pass *p, const hed_css_document *d, uint32_t e, uint32_t kind_number,
    uint32_t sweep, uint32_t *early, const css_around *around)
{
    const css_bound *b = p->bound;
    const css_bound_kind *kind = &b->kind.items[kind_number];
    const css_dynamic *dynamic = b->dynamic.items + kind->first_dynamic;
    const css_predicate *predicates = b->compiled->predicate.items;
    uint32_t *bits = p->bits.items, from_self = 0;
    if (!(p->kind_sweeps.items[kind_number] >> css_sweep_bit(sweep) & 1)) {
        memset(p->row.items, 0, p->dependency_words * sizeof(uint32_t));
        return;
    }
    memset(bits, 0, (kind->dynamics + 31) / 32 * sizeof *bits);
    for (uint32_t i = 0; i < kind->dynamics; i++) {
        const css_dynamic *x = &dynamic[i];
        uint32_t bit = 0;
        if (x->by == CSS_BY_POSITION) bit = bit_by_position(d, e, x);
        else if (x->by == CSS_BY_SWEEP) {
            const css_predicate *predicate = &predicates[x->predicate];
            bool is_due = x->sweep == sweep, self = is_from_self(predicate);
            from_self += is_due && self;
            if (is_due && !self) early_set(early, x->source, bit_in_sweep(p, predicate, around));
            bit = bit_of(early, x->source);
        }
        bits[i >> 5] |= bit << (i & 31);
    }
    find_dependencies(p, kind, bits, css_sweep_bit(sweep), p->row.items);
    for (uint32_t i = 0; i < kind->dynamics && from_self; i++) {
        const css_dynamic *x = &dynamic[i];
        const css_predicate *predicate = &predicates[x->predicate];
        if (x->by != CSS_BY_SWEEP || x->sweep != sweep || !is_from_self(predicate)) continue;
        uint32_t slot = b->dependency[css_dependency_of(predicate)].slot;
        early_set(early, x->source, bit_of(p->row.items, slot));
    }
}

/* True if rows have one word and nothing is counted: the usual case, for which loops over words take
 * longer than the words. */
static bool has_word_rows(const css_pass *p)
{
    return p->dependency_words == 1 && !p->bound->counts;
}

static css_around around_row(const css_pass *p, uint32_t row)
{
    size_t words = p->dependency_words, at = row * words;
    return (css_around){.previous_sibling = p->previous_sibling + at,
        .earlier_siblings = p->earlier_siblings + at,
        .counts = p->counts ? p->counts + (size_t)row * p->bound->slots : NULL,
        .parent = p->previous_sibling + at - words,
        .ancestors = p->ancestors + at - words,
        .children = p->earlier_siblings + at + words,
        .descendants = p->ancestors + at + words};
}

static inline void row_clear(css_pass *p, uint32_t row)
{
    size_t words = p->dependency_words, slots = p->bound->slots;
    if (has_word_rows(p)) {
        p->previous_sibling[row] = p->earlier_siblings[row] = 0;
        return;
    }
    memset(p->previous_sibling + row * words, 0, words * sizeof(uint32_t));
    memset(p->earlier_siblings + row * words, 0, words * sizeof(uint32_t));
    if (p->bound->counts) memset(p->counts + row * slots, 0, slots * sizeof(uint32_t));
}

/* Enters a visited element, which satisfies the dependencies in `own`, in its level's row. */
static void row_visit(css_pass *p, uint32_t row, const uint32_t *own)
{
    size_t at = (size_t)row * p->dependency_words;
    for (uint32_t w = 0; w < p->dependency_words; w++) {
        p->previous_sibling[at + w] = own[w];
        p->earlier_siblings[at + w] |= own[w];
    }
    if (!p->bound->counts) return;
    uint32_t *counts = p->counts + (size_t)row * p->bound->slots;
    for (uint32_t w = 0; w < p->dependency_words; w++)
        for (uint32_t left = own[w]; left; left &= left - 1)
            counts[32 * w + (uint32_t)__builtin_ctz(left)]++;
}

static inline void row_visit_forward(css_pass *p, uint32_t row, const uint32_t *own)
{
    if (has_word_rows(p)) {
        p->previous_sibling[row] = *own;
        p->earlier_siblings[row] |= *own;
        p->ancestors[row] = p->ancestors[row - 1] | *own;
        return;
    }
    size_t words = p->dependency_words, at = row * words;
    row_visit(p, row, own);
    for (uint32_t w = 0; w < words; w++)
        p->ancestors[at + w] = p->ancestors[at - words + w] | own[w];
}

static void row_visit_backward(css_pass *p, uint32_t row, const uint32_t *own)
{
    size_t words = p->dependency_words, at = row * words;
    row_visit(p, row, own);
    for (uint32_t w = 0; w < words; w++) {
        p->ancestors[at + w] |= own[w] | p->ancestors[at + words + w];
        p->ancestors[at + words + w] = 0;
    }
    row_clear(p, row + 1);
    if (row > 1) return;
    row_clear(p, row); /* roots are not siblings */
    memset(p->ancestors + at, 0, words * sizeof(uint32_t));
}

static void rows_clear(css_pass *p)
{
    size_t words = (size_t)p->rows * p->dependency_words;
    memset(p->previous_sibling, 0, words * sizeof(uint32_t));
    memset(p->earlier_siblings, 0, words * sizeof(uint32_t));
    memset(p->ancestors, 0, words * sizeof(uint32_t));
    if (p->bound->counts)
        memset(p->counts, 0, (size_t)p->rows * p->bound->slots * sizeof(uint32_t));
}

static void run_sweep(css_pass *p, uint32_t sweep)
{
    const css_forest *f = p->forest;
    for (uint32_t n = 0; n < f->document_count; n++) {
        const hed_css_document *d = f->documents[n];
        const uint32_t *kind = f->kind + f->first[n];
        uint32_t *early = p->early + (size_t)f->first[n] * p->early_words;
        rows_clear(p);
        for (uint32_t i = 0; i < d->count; i++) {
            uint32_t e = sweep & 1 ? d->count - 1 - i : i;
            uint32_t row = d->level[e] + 1;
            if (!(sweep & 1) && d->position[CSS_CHILD][e] == 1) row_clear(p, row);
            const css_around around = around_row(p, row);
            css_sweep_element(p, d, e, kind[e], sweep, early + (size_t)e * p->early_words, &around);
            (sweep & 1 ? row_visit_backward : row_visit_forward)(p, row, p->row.items);
        }
    }
}

/* ---- the pass ---- */

/* Finds the classes of a document's elements. `states`: (depth + 2) work space, state by level. */
static void match_document(css_pass *p, uint32_t n, uint32_t *states, hed_error *error)
{
    const css_forest *f = p->forest;
    const hed_css_document *d = f->documents[n];
    const uint32_t *kinds = f->kind + f->first[n];
    const uint32_t *early = p->early + (size_t)f->first[n] * p->early_words;
    uint32_t *class_of = p->element_class + f->first[n], words = p->dependency_words;
    if (words) rows_clear(p);
    for (uint32_t e = 0; e < d->count; e++) {
        uint32_t kind = kinds[e], level = d->level[e], signature = p->base.items[kind];
        if (words && d->position[CSS_CHILD][e] == 1) row_clear(p, level + 1);
        if (signature == CSS_NONE) {
            const css_around around = around_row(p, level + 1);
            css_find_bits(
                p, d, e, &p->bound->kind.items[kind], early + (size_t)e * p->early_words, &around);
            signature = css_signature_of(p, kind, error);
            if (hed_failed(error)) return;
        }
        struct css_map_slot slot =
            *map_find(&p->class_of, (uint64_t)states[level] << 32 | signature);
        if (slot.key == UINT64_MAX) {
            slot = class_add(p, states[level], signature, error);
            if (hed_failed(error)) return;
        }
        class_of[e] = slot.value;
        states[level + 1] = slot.next;
        if (!words) continue;
        uint32_t first = p->signature.items[signature].first_dependency_word;
        row_visit_forward(p, level + 1,
            first == CSS_NONE ? p->row.items + words : p->dependency_rows.items + first);
    }
}

/* Bits of the sweeps that read a dependency of an element kind, or evaluate a dynamic predicate of
 * it. */
static uint32_t sweeps_of(const css_bound *b, const css_bound_kind *kind)
{
    uint32_t sweeps = 0;
    for (uint32_t i = 0; i < kind->dependencies; i++)
        sweeps |=
            b->dependency[b->candidate_dependency.items[kind->first_dependency + i].number].sweeps;
    for (uint32_t i = 0; i < kind->dynamics; i++) {
        const css_dynamic *dynamic = &b->dynamic.items[kind->first_dynamic + i];
        if (dynamic->by == CSS_BY_SWEEP) sweeps |= 1u << css_sweep_bit(dynamic->sweep);
    }
    return sweeps;
}

bool css_pass_extend(css_pass *p, hed_error *error)
{
    for (uint32_t k = p->base.count; k < p->bound->kind.count && !hed_failed(error); k++) {
        const css_bound_kind *kind = &p->bound->kind.items[k];
        css_list_room(&p->bits, p->arena, kind->dynamics / 32 + 1, error);
        uint32_t sweeps = sweeps_of(p->bound, kind);
        p->used_sweeps |= sweeps;
        css_push(&p->kind_sweeps, p->arena, sweeps, error);
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
    uint32_t words = p->dependency_words = (bound->slots + 31) / 32;
    p->early_words = (bound->early_slots + 31) / 32;
    p->rows = forest->depth + 4;
    css_pass_extend(p, error);
    p->state_bits = hed_arena_new(arena, bound->bits / 32 + 1, sizeof(uint32_t), error);
    css_list_room(&p->row, arena, 2 * words, error);
    uint64_t row_words =
        (uint64_t)p->rows * words + 1; /* 1: pointers to empty rows are valid, too */
    p->previous_sibling = hed_arena_new(arena, row_words, sizeof(uint32_t), error);
    p->earlier_siblings = hed_arena_new(arena, row_words, sizeof(uint32_t), error);
    p->ancestors = hed_arena_new(arena, row_words, sizeof(uint32_t), error);
    if (bound->counts)
        p->counts = hed_arena_new(arena, (uint64_t)p->rows * bound->slots, sizeof(uint32_t), error);
    p->early =
        hed_arena_new(arena, (uint64_t)forest->count * p->early_words, sizeof(uint32_t), error);
    map_make(&p->signature_of, arena, 9, error);
    map_make(&p->class_of, arena, 11, error);
    css_interner_make(&p->wide, arena, error);
    css_interner_make(&p->states, arena, error);
    css_push(&p->class_begin, arena, 0, error);
    if (hed_failed(error)) return error->status;
    if (words) memset(p->row.items, 0, 2 * words * sizeof(uint32_t));
    css_intern(&p->states, arena, NULL, 0, error);
    return hed_failed(error) ? error->status : HED_OK;
}

hed_status css_pass_run(css_pass *p, hed_error *error)
{
    const css_forest *f = p->forest;
    if (hed_failed(error)) return error->status;
    hed_arena work = {.allocator = p->arena->allocator, .owner = "a match"};
    uint32_t *states = hed_arena_new(&work, f->depth + 2ull, sizeof *states, error);
    for (uint32_t s = 0; s < p->bound->sweeps && !hed_failed(error); s++)
        if (p->used_sweeps >> css_sweep_bit(s) & 1) run_sweep(p, s);
    for (uint32_t n = 0; n < f->document_count && !hed_failed(error); n++)
        match_document(p, n, states, error);
    hed_arena_free(&work);
    return hed_failed(error) ? error->status : HED_OK;
}
