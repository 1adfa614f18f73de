/* See bind.h. */
#include "solver/bind.h"

#include <stdlib.h>
#include <string.h>

hed_status css_bound_make(css_bound *b, hed_arena *arena, const css_compiled *c, hed_error *error)
{
    uint32_t compounds = css_compounds(c), feeds = css_feeds(c), n = css_nodes(c);
    *b = (css_bound){.compiled = c, .arena = arena};
    struct room {
        uint32_t **array;
        uint64_t count;
    } rooms[] = {{&b->possible, c->predicates}, {&b->ask_number, c->predicates},
        {&b->early_slot, c->predicates}, {&b->status, c->predicates / 16 + 1},
        {&b->compound_possible, compounds}, {&b->live, compounds},
        {&b->act_count, 2ull * compounds}, {&b->node_uses, n}, {&b->node_bit, 2ull * n},
        {&b->inner_act, 4ull * n}, {&b->final_act, 2ull * css_finals(c)}, {&b->feed_read, feeds},
        {&b->feed_slot, feeds}, {&b->feed_sweeps, feeds}};
    for (size_t i = 0; i < HED_COUNT(rooms); i++)
        *rooms[i].array = hed_arena_new(arena, rooms[i].count, sizeof(uint32_t), error);
    return hed_failed(error) ? error->status : HED_OK;
}

/* ---- which predicates are true on which shapes ---- */

static void hit_key(css_bound *b, const uint32_t *shape, uint32_t code, hed_error *error)
{
    const css_compiled *c = b->compiled;
    uint32_t key = css_key_find(c->key_slot, c->key_mask, code);
    if (key == CSS_NONE) return;
    for (uint32_t i = c->key_begin[key]; i < c->key_begin[key + 1]; i++) {
        uint32_t p = c->key_predicate[i];
        if (css_holds_on(c->predicate.items + p * CSS_P_WORDS, shape))
            css_push(&b->hit, b->arena, p, error);
    }
}

static void find_hits(css_bound *b, const css_forest *f, uint32_t s, hed_error *error)
{
    const css_compiled *c = b->compiled;
    const uint32_t *shape = f->shapes.items + s * CSS_SHAPE_WORDS;
    bool html = (shape[CSS_SHAPE_SPACE] & 0xff) == HED_CSS_HTML;
    uint32_t type = html ? CSS_KEY_TYPE_HTML : CSS_KEY_TYPE;
    uint32_t class_kind = shape[CSS_SHAPE_SPACE] >> 8 ? CSS_KEY_CLASS_QUIRKS : CSS_KEY_CLASS;
    hit_key(b, shape, css_key_code(type, shape[CSS_SHAPE_TAG]), error);
    for (uint32_t i = 0; i < shape[CSS_SHAPE_CLASSES]; i++)
        hit_key(b, shape,
            css_key_code(class_kind, f->shape_class.items[shape[CSS_SHAPE_CLASS] + i]), error);
    for (uint32_t i = 0; i < shape[CSS_SHAPE_FACTS]; i++)
        css_push(&b->hit, b->arena, f->shape_fact.items[shape[CSS_SHAPE_FACT] + i], error);
    for (uint32_t i = 0; i < c->always.count; i++) {
        uint32_t p = c->always.items[i];
        if (css_holds_on(c->predicate.items + p * CSS_P_WORDS, shape))
            css_push(&b->hit, b->arena, p, error);
    }
    css_push(&b->hit_begin, b->arena, b->hit.count, error);
}

/* ---- what can occur ---- */

static bool may_hold(const css_bound *b, uint32_t compound)
{
    const uint32_t *begin = b->compiled->compound.begin.items + compound;
    const uint32_t *literals = b->compiled->compound.words.items;
    bool clause = false;
    for (uint32_t i = begin[0]; i < begin[1]; i++) {
        uint32_t l = literals[i];
        clause = clause || l & 1 || b->possible[(l & ~CSS_LAST_OF_CLAUSE) >> 1];
        if (!(l & CSS_LAST_OF_CLAUSE)) continue;
        if (!clause) return false;
        clause = false;
    }
    return true;
}

/* Predicates that ask about places: in order, as they read feeds of what stands before them. */
static void find_possible(css_bound *b)
{
    const css_compiled *c = b->compiled;
    for (uint32_t p = 0; p < c->predicates; p++) {
        const uint32_t *words = c->predicate.items + p * CSS_P_WORDS;
        if (words[0] == CSS_P_POSITION) b->possible[p] = 1;
        if (words[0] != CSS_P_RELATION && words[0] != CSS_P_COUNT) continue;
        /* a COUNT stands beside the list it counts */
        uint32_t feed = words[0] == CSS_P_RELATION ? words[2] : words[1] >> 1;
        const uint32_t *begin = c->feed.begin.items + feed;
        for (uint32_t i = begin[0]; i < begin[1] && !b->possible[p]; i++)
            b->possible[p] = may_hold(b, c->feed.words.items[i]);
        if (b->possible[p]) b->feed_read[feed] = 1;
    }
    for (uint32_t k = 0; k < css_compounds(c); k++) b->compound_possible[k] = may_hold(b, k);
}

/* Prefixes that can occur and lead to something: their bits, those for descendants first. */
static void prune(css_bound *b)
{
    const css_compiled *c = b->compiled;
    const uint32_t *node = c->node.items, *final = c->final.items;
    uint32_t n = css_nodes(c), *uses = b->node_uses;
    enum { REACHED = 4 };
    for (uint32_t i = 0; i < n; i++) {
        uint32_t need = node[4 * i + 1];
        bool reached =
            (need == CSS_NONE || uses[need] & REACHED) && b->compound_possible[node[4 * i]];
        uses[i] = reached ? REACHED : 0;
    }
    for (uint32_t k = 0; k < css_compounds(c); k++)
        for (uint32_t i = c->final_begin[k]; i < c->final_begin[k + 1]; i++) {
            const uint32_t *x = final + 4 * c->compound_final[i];
            if (x[0] != CSS_NONE && b->compound_possible[k] && uses[x[0]] & REACHED)
                uses[x[0]] |= x[1] ? 2 : 1;
        }
    for (uint32_t i = n; i-- > 0;) {
        uint32_t need = node[4 * i + 1];
        if (need != CSS_NONE && uses[i] & REACHED && uses[i] & 3)
            uses[need] |= node[4 * i + 2] ? 2 : 1;
    }
    b->bits = 0;
    for (uint32_t m = 0; m < 2; m++) {
        for (uint32_t i = 0; i < n; i++)
            b->node_bit[2 * i + m] = uses[i] & REACHED && uses[i] >> m & 1 ? b->bits++ : CSS_NONE;
        if (m == 0) b->d_bits = b->bits;
    }
}

static int by_need(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

/* What compounds do that can occur; acts ascend by the bit that they need. */
static void find_acts(css_bound *b)
{
    const css_compiled *c = b->compiled;
    const uint32_t *node = c->node.items, *final = c->final.items;
    for (uint32_t k = 0; k < css_compounds(c); k++) {
        uint32_t *inner = b->inner_act + 4 * c->inner_begin[k];
        uint32_t *last = b->final_act + 2 * c->final_begin[k], *inner_at = inner, *last_at = last;
        bool feeds = false;
        for (uint32_t i = c->inner_begin[k]; i < c->inner_begin[k + 1] && b->compound_possible[k];
             i++) {
            uint32_t x = c->inner[i], need = node[4 * x + 1];
            if (need != CSS_NONE) need = b->node_bit[2 * need + node[4 * x + 2]];
            for (uint32_t m = 0; m < 2; m++) {
                if (b->node_bit[2 * x + m] == CSS_NONE) continue;
                *inner_at++ = need;
                *inner_at++ = b->node_bit[2 * x + m];
            }
        }
        for (uint32_t i = c->final_begin[k]; i < c->final_begin[k + 1] && b->compound_possible[k];
             i++) {
            const uint32_t *x = final + 4 * c->compound_final[i];
            uint32_t need = x[0] == CSS_NONE ? CSS_NONE : b->node_bit[2 * x[0] + x[1]];
            if (x[0] != CSS_NONE && need == CSS_NONE) continue;
            *last_at++ = need;
            *last_at++ = c->compound_final[i];
        }
        for (uint32_t i = c->fed_begin[k]; i < c->fed_begin[k + 1]; i++)
            feeds = feeds || b->feed_read[c->fed[i]];
        if (inner_at - inner > 2) qsort(inner, (size_t)(inner_at - inner) / 2, 8, by_need);
        if (last_at - last > 2) qsort(last, (size_t)(last_at - last) / 2, 8, by_need);
        b->act_count[2 * k] = (uint32_t)(inner_at - inner) / 2;
        b->act_count[2 * k + 1] = (uint32_t)(last_at - last) / 2;
        b->live[k] =
            b->compound_possible[k] && (feeds || b->act_count[2 * k] || b->act_count[2 * k + 1]);
    }
}

/* ---- shapes ---- */

/* A slot for the feed that an ask reads, or for the ask itself where a sweep answers it. */
static void answer_ask(css_bound *b, uint32_t p, hed_error *error)
{
    const css_compiled *c = b->compiled;
    const uint32_t *words = c->predicate.items + p * CSS_P_WORDS;
    uint32_t answer[CSS_ANSWER_WORDS] = {CSS_BY_POSITION, words[1], words[2], words[3]};
    for (uint32_t k = 0; k < 64 && words[0] == CSS_P_POSITION; k++)
        answer[4 + k / 32] |= css_position_fits(k + 1, words[2], words[3]) << k % 32;
    if (words[0] != CSS_P_POSITION) {
        bool count = words[0] == CSS_P_COUNT;
        uint32_t feed = count ? words[1] >> 1 : words[2];
        if (b->feed_slot[feed] == CSS_NONE) b->feed_slot[feed] = b->feed_slots++;
        answer[0] = count ? CSS_BY_COUNT : CSS_BY_PARENT + words[1];
        answer[1] = b->feed_slot[feed];
        b->counts = b->counts || count;
        b->up = b->up || (!count && words[1] <= CSS_FROM_ANCESTOR);
        uint32_t sweep = c->sweep.items[p], read = 31;
        if (c->early.items[p]) read = css_sweep_bit(sweep);
        b->feed_reads += !(b->feed_sweeps[feed] >> read & 1);
        b->feed_sweeps[feed] |= 1u << read;
        if (c->early.items[p]) {
            if (b->early_slot[p] == CSS_NONE) b->early_slot[p] = b->early_slots++;
            if (sweep >= b->sweeps) b->sweeps = sweep + 1;
            answer[0] = CSS_BY_SWEEP;
            answer[1] = b->early_slot[p];
        }
    }
    for (int i = 0; i < CSS_ANSWER_WORDS; i++) css_push(&b->answer, b->arena, answer[i], error);
}

/* What is left of a compound on a shape, in literals of its asks; gives how many. */
static uint32_t leave_residual(
    css_bound *b, uint32_t compound, uint32_t first_ask, hed_error *error)
{
    const uint32_t *begin = b->compiled->compound.begin.items + compound;
    const uint32_t *literals = b->compiled->compound.words.items;
    uint32_t start = b->residual.count, clause = start;
    bool holds = false;
    for (uint32_t i = begin[0]; i < begin[1] && !hed_failed(error); i++) {
        uint32_t l = literals[i], p = (l & ~CSS_LAST_OF_CLAUSE) >> 1;
        uint32_t status = css_status_of(b->status, p);
        if (status != CSS_UNDECIDED) holds = holds || status != (l & 1);
        else {
            if (b->ask_number[p] < first_ask || b->ask_number[p] == CSS_NONE) {
                b->ask_number[p] = b->ask.count;
                css_push(&b->ask, b->arena, p, error);
                answer_ask(b, p, error);
            }
            css_push(&b->residual, b->arena, (b->ask_number[p] - first_ask) << 1 | (l & 1), error);
        }
        if (!(l & CSS_LAST_OF_CLAUSE)) continue;
        if (holds) b->residual.count = clause;
        else if (!hed_failed(error)) b->residual.items[b->residual.count - 1] |= CSS_LAST_OF_CLAUSE;
        clause = b->residual.count;
        holds = false;
    }
    return b->residual.count - start;
}

static void try_compound(css_bound *b, uint32_t k, uint32_t first_ask, hed_error *error)
{
    const css_compiled *c = b->compiled;
    const uint32_t *begin = c->compound.begin.items + k;
    uint32_t status = css_compound_status(c->compound.words.items, begin[0], begin[1], b->status);
    if (status == CSS_FALSE) return;
    uint32_t residual = b->residual.count, count = 0;
    if (status == CSS_TRUE) css_push(&b->certain, b->arena, k, error);
    else {
        count = leave_residual(b, k, first_ask, error);
        css_push(&b->candidate, b->arena, k, error);
        css_push(&b->candidate, b->arena, residual, error);
        css_push(&b->candidate, b->arena, count, error);
    }
    for (uint32_t i = c->fed_begin[k]; i < c->fed_begin[k + 1]; i++) {
        if (!b->feed_read[c->fed[i]]) continue;
        css_push(&b->feeding, b->arena, c->fed[i], error);
        css_push(&b->feeding, b->arena, residual, error);
        css_push(&b->feeding, b->arena, count, error);
    }
}

static void bind_shape(css_bound *b, uint32_t s, hed_error *error)
{
    const css_compiled *c = b->compiled;
    const uint32_t *hits = b->hit.count ? b->hit.items + b->hit_begin.items[s] : NULL;
    uint32_t count = b->hit_begin.items[s + 1] - b->hit_begin.items[s];
    uint32_t first[4] = {
        b->certain.count, b->candidate.count / 3, b->ask.count, b->feeding.count / 3};
    const uint32_t *literals = c->compound.words.items, *begin = c->compound.begin.items;
    for (uint32_t i = 0; i < count; i++)
        b->status[hits[i] >> 4] |= (uint32_t)CSS_TRUE << (hits[i] & 15) * 2;
    for (uint32_t i = 0; i < c->universal.count; i++)
        if (b->live[c->universal.items[i]]) try_compound(b, c->universal.items[i], first[2], error);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = c->bucket_begin[hits[i]]; j < c->bucket_begin[hits[i] + 1]; j++) {
            uint32_t k = c->bucket[j];
            if (!b->live[k]) continue;
            if (!(literals[begin[k]] & CSS_LAST_OF_CLAUSE) &&
                !css_tried_by(literals, begin[k], b->status, hits[i]))
                continue;
            try_compound(b, k, first[2], error);
        }
    for (uint32_t i = 0; i < count; i++)
        b->status[hits[i] >> 4] &= ~((uint32_t)CSS_TRUE << (hits[i] & 15) * 2);
    const uint32_t words[CSS_BOUND_WORDS] = {first[0], b->certain.count - first[0], first[1],
        b->candidate.count / 3 - first[1], first[2], b->ask.count - first[2], first[3],
        b->feeding.count / 3 - first[3]};
    for (int w = 0; w < CSS_BOUND_WORDS; w++) css_push(&b->bound, b->arena, words[w], error);
}

hed_status css_bind(css_bound *b, const css_forest *f, hed_error *error)
{
    const css_compiled *c = b->compiled;
    if (hed_failed(error)) return error->status;
    css_list *lists[] = {&b->bound, &b->certain, &b->candidate, &b->residual, &b->ask, &b->feeding,
        &b->answer, &b->hit, &b->hit_begin};
    for (size_t i = 0; i < HED_COUNT(lists); i++) lists[i]->count = 0;
    memset(b->possible, 0, c->predicates * sizeof *b->possible);
    memset(b->status, 0, (c->predicates / 16 + 1) * sizeof *b->status);
    memset(b->ask_number, 0xff, c->predicates * sizeof *b->ask_number);
    memset(b->early_slot, 0xff, c->predicates * sizeof *b->early_slot);
    memset(b->feed_slot, 0xff, css_feeds(c) * sizeof *b->feed_slot);
    memset(b->feed_read, 0, css_feeds(c) * sizeof *b->feed_read);
    memset(b->feed_sweeps, 0, css_feeds(c) * sizeof *b->feed_sweeps);
    b->feed_slots = b->early_slots = b->feed_reads = b->sweeps = 0;
    b->counts = b->up = false;
    css_push(&b->hit_begin, b->arena, 0, error);
    for (uint32_t s = 0; s < css_shapes(f); s++) find_hits(b, f, s, error);
    if (hed_failed(error)) return error->status;
    for (uint32_t i = 0; i < b->hit.count; i++) b->possible[b->hit.items[i]] = 1;
    find_possible(b);
    for (uint32_t p = 0; p < c->predicates; p++)
        if (b->possible[p] && c->predicate.items[p * CSS_P_WORDS] >= CSS_P_POSITION)
            b->status[p >> 4] |= (uint32_t)CSS_UNDECIDED << (p & 15) * 2;
    prune(b);
    find_acts(b);
    for (uint32_t s = 0; s < css_shapes(f) && !hed_failed(error); s++) bind_shape(b, s, error);
    return hed_failed(error) ? error->status : HED_OK;
}

bool css_bind_more(css_bound *b, const css_forest *f, hed_error *error)
{
    uint32_t feeds = b->feed_reads, early = b->early_slots, hit = b->hit.count;
    bool counts = b->counts, up = b->up;
    uint32_t first = b->hit_begin.count - 1;
    for (uint32_t s = first; s < css_shapes(f); s++) find_hits(b, f, s, error);
    if (hed_failed(error)) return false;
    for (uint32_t i = hit; i < b->hit.count; i++)
        if (!b->possible[b->hit.items[i]]) return false;
    for (uint32_t s = first; s < css_shapes(f) && !hed_failed(error); s++) bind_shape(b, s, error);
    return !hed_failed(error) && feeds == b->feed_reads && early == b->early_slots &&
           counts == b->counts && up == b->up;
}
