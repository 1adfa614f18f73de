/* Varying bits of elements, and their signatures: an item an element.
 *
 * Stage 0 has positions among siblings. What depends on others comes in the stage after the one
 * in which those are known: an element that feeds leaves a mark, and a later launch looks for it. A mark is a
 * bit, at the giver (for its children, for what is below it, for the next sibling, for itself, for
 * counts) or at the receiver (from children, from below, from the next sibling); for siblings at any
 * distance it is the first position in a family, which is the children of an element (LATER: the last,
 * as a complement). The last launch makes signatures. */
#ifndef CSS_TABLES_H
#include "tables.h"
#endif
#ifndef CSS_MATCHING_H
#include "matching.h"
#endif

CSS_FUNCTION uint bits_marked(const css_fixed *f, __global const uint *work, uint e, uint mark)
{
    if (e == CSS_NONE) return 0;
    return work[f->marks + e * f->mark_words + (mark >> 5)] >> (mark & 31) & 1;
}

CSS_FUNCTION uint bits_marked_above(const css_fixed *f, __global const uint4 *ancestors,
    __global const uint *work, uint e, uint mark)
{
    for (uint4 above = ancestors[e]; above.x != CSS_NONE; above = ancestors[above.w]) {
        if (bits_marked(f, work, above.x, mark) || bits_marked(f, work, above.y, mark) ||
            bits_marked(f, work, above.z, mark) || bits_marked(f, work, above.w, mark))
            return 1;
        if (above.w == CSS_NONE) return 0;
    }
    return 0;
}

/* A predicate of RELATION or COUNT, whose feed's stage is over. */
CSS_FUNCTION uint bits_related(const css_fixed *f, __global const uint *elements,
    __global const uint4 *ancestors, __global const uint *bound, __global const uint *work,
    __global const uint *predicate, uint e, uint p)
{
    uint mark = bound[f->mark + p], position = elements[f->position + e];
    if (predicate[0] == CSS_P_COUNT) {
        uint step = predicate[1] & 1 ? f->next : f->previous, count = 1;
        for (uint s = elements[step + e]; s != CSS_NONE; s = elements[step + s])
            count += bits_marked(f, work, s, mark);
        return css_position_fits(count, predicate[2], predicate[3]);
    }
    uint where = predicate[1];
    if (where == CSS_FROM_EARLIER || where == CSS_FROM_LATER) {
        uint family = elements[f->family + e];
        if (family == CSS_NONE) return 0;
        uint first = work[f->firsts + mark * f->families + family];
        return first < (where == CSS_FROM_EARLIER ? position : ~position);
    }
    if (where == CSS_FROM_ANCESTOR) return bits_marked_above(f, ancestors, work, e, mark);
    return bits_marked(f, work,
        where == CSS_FROM_PARENT     ? ancestors[e].x
        : where == CSS_FROM_PREVIOUS ? elements[f->previous + e]
                                     : e,
        mark);
}

/* Leaves the marks of a feed, which `e` feeds. */
CSS_FUNCTION void bits_feed(const css_fixed *f, __global const uint *tables,
    __global const uint *elements, __global const uint4 *ancestors, __global const uint *bound,
    volatile __global uint *work, uint e, uint feed)
{
    uint parent = ancestors[e].x;
    for (uint i = tables[f->reader_begin + feed]; i < tables[f->reader_begin + feed + 1]; i++) {
        uint p = tables[f->reader + i], mark = bound[f->mark + p], to = e;
        __global const uint *predicate = tables + f->predicate + CSS_P_WORDS * p;
        uint where = predicate[0] == CSS_P_COUNT ? CSS_FROM_SELF : predicate[1];
        if (!bound[f->possible + p]) continue;
        if (where == CSS_FROM_EARLIER || where == CSS_FROM_LATER) {
            uint at = elements[f->position + e], family = elements[f->family + e];
            if (where == CSS_FROM_LATER) at = ~at;
            if (family == CSS_NONE || mark >= f->rows) continue;
            volatile __global uint *first = work + f->firsts + mark * f->families + family;
            if (*first > at) atomic_min(first, at);
            continue;
        }
        if (where == CSS_FROM_CHILD || where == CSS_FROM_DESCENDANT) to = parent;
        if (where == CSS_FROM_NEXT) to = elements[f->previous + e];
        if (mark >= 32 * f->mark_words) continue;
        while (to != CSS_NONE) { /* stops where another one has gone on from */
            volatile __global uint *word = work + f->marks + to * f->mark_words + (mark >> 5);
            if (*word >> (mark & 31) & 1) break;
            atomic_or(word, 1u << (mark & 31));
            to = where == CSS_FROM_DESCENDANT ? ancestors[to].x : CSS_NONE;
        }
    }
}

/* Adds the bits that are known in a stage. */
CSS_FUNCTION void bits_answer(const css_fixed *f, __global const uint *tables,
    __global const uint *elements, __global const uint4 *ancestors, __global const uint *bound,
    __global const uint *pool, __global uint *work, __global const uint *head, uint e, uint stage)
{
    uint asks = head[CSS_BOUND_ASKS], ask = head[CSS_BOUND_ASK];
    __global uint *bits = work + f->bits + e * f->words;
    for (uint w = 0; 32 * w < asks; w++) {
        uint word = stage == 0 ? 0 : bits[w], end = min(asks - 32 * w, 32u);
        for (uint k = 0; k < end; k++) {
            uint p = pool[ask + 32 * w + k], is = 0;
            __global const uint *predicate = tables + f->predicate + CSS_P_WORDS * p;
            uint kind = predicate[0];
            if (kind == CSS_P_RELATION || kind == CSS_P_COUNT) {
                uint feed = kind == CSS_P_COUNT ? predicate[1] >> 1 : predicate[2];
                if (tables[f->feed_stage + feed] + 1 != stage) continue;
                is = bits_related(f, elements, ancestors, bound, work, predicate, e, p);
            } else if (stage != 0) continue;
            else
                is = css_position_fits(elements[f->position + predicate[1] * f->elements + e],
                    predicate[2], predicate[3]);
            word |= is << k;
        }
        bits[w] = word;
    }
}

/* The signature, and what the element means. */
CSS_FUNCTION void bits_sign(const css_fixed *f, __global const uint *bound,
    __global const uint *pool, volatile __global uint *work, __global uint2 *meaning,
    volatile __global uint *counts, __global const uint *head, uint e, uint shape)
{
    __global const uint *extra = bound + f->extra + CSS_EXTRA_WORDS * shape;
    uint2 means = hed_u2(extra[CSS_EXTRA_LOW], extra[CSS_EXTRA_HIGH]);
    ulong hash = css_mix(css_seed(f), shape + 1), inner_hash = css_mix(~css_seed(f), shape + 1);
    uint any = 0, inner = 0, own = shape, asks = head[CSS_BOUND_ASKS], won;
    for (uint w = 0; 32 * w < asks; w++) {
        uint word = work[f->bits + e * f->words + w],
             matters = word & pool[extra[CSS_EXTRA_INNER] + w];
        any |= word;
        inner |= matters;
        hash = css_mix(hash, word);
        inner_hash = css_mix(inner_hash, matters);
    }
    if (any) {
        uint slot = css_insert(
            work + f->signature_table, f->signature_mask, hash, &won, counts, CSS_FAULT_SIGNATURES);
        if (won) {
            work[f->signature_first + slot] = e;
            work[f->signature_list + atomic_inc(counts + CSS_COUNT_SIGNATURES)] = slot;
        }
        own = f->shapes + slot;
    }
    if (inner) means = hed_u2((uint)inner_hash | 1, (uint)(inner_hash >> 32));
    work[f->signature + e] = own;
    meaning[e] = means;
}

/* Elements `begin` to `end` - 1; stage f->stages is the last one. */
__kernel void css_bits(CSS_ARGUMENTS, uint stage, uint begin, uint end)
{
    CSS_ALL;
    uint items = (uint)get_global_size(0), id = (uint)get_global_id(0);
    if (stage == 0 && begin == 0) { /* what a later kernel has to find empty */
        for (uint i = id; i <= f->class_mask; i += items) work[f->class_table + i] = 0;
        if (id == 0) counts[CSS_COUNT_CLASSES] = counts[CSS_COUNT_LISTED] = 0;
    }
    for (uint e = begin + id; e < end; e += items) {
        uint shape = elements[f->element_shape + e];
        __global const uint *head = bound + f->bound + CSS_BOUND_WORDS * shape;
        if (head[CSS_BOUND_ASKS])
            bits_answer(f, tables, elements, ancestors, bound, pool, work, head, e, stage);
        if (stage == f->stages) {
            bits_sign(f, bound, pool, work, meaning, counts, head, e, shape);
            continue;
        }
        for (uint i = 0; i < head[CSS_BOUND_FEEDINGS]; i++) {
            __global const uint *feeding = pool + 3 * (head[CSS_BOUND_FEEDING] + i);
            if (tables[f->feed_stage + feeding[0]] == stage &&
                css_residual_holds(pool, feeding[1], feeding[2], work + f->bits + e * f->words))
                bits_feed(f, tables, elements, ancestors, bound, work, e, feeding[0]);
        }
    }
}
