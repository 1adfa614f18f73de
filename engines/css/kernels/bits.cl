/* Dynamic bits of elements, and their signatures: an item an element.
 *
 * Stage 0 evaluates positions among siblings. A predicate that reads a dependency is evaluated in
 * the stage after that of the dependency: an element that satisfies the dependency leaves a mark,
 * and the next launch reads it. A mark is a bit, of the giver (read by its children, its
 * descendants, the next sibling, itself, or by counts) or of the receiver (from children,
 * descendants, the next sibling). For siblings at any distance the mark is the first position in a
 * family, the children of an element (LATER: the last position, as a complement). The last launch
 * makes signatures. */
#ifndef CSS_TABLES_H
#include "tables.h"
#endif
#ifndef CSS_MATCHING_H
#include "matching.h"
#endif

CSS_FUNCTION uint bits_marked(const css_view *view, uint e, uint mark)
{
    if (e == CSS_NONE) return 0;
    return view->marks[e * view->fixed->mark_words + (mark >> 5)] >> (mark & 31) & 1;
}

/* True if some ancestor has a mark. */
CSS_FUNCTION uint bits_marked_above(const css_view *view, uint e, uint mark)
{
    for (uint4 next = view->ancestors[e]; next.x != CSS_NONE; next = view->ancestors[next.w]) {
        if (bits_marked(view, next.x, mark) || bits_marked(view, next.y, mark) ||
            bits_marked(view, next.z, mark) || bits_marked(view, next.w, mark))
            return 1;
        if (next.w == CSS_NONE) return 0;
    }
    return 0;
}

/* True if 1 + the number of marked siblings before (after) an element fits a COUNT. */
CSS_FUNCTION uint bits_counted(
    const css_view *view, __global const css_predicate *predicate, uint e, uint mark)
{
    __global const uint *next =
        predicate->kind == CSS_P_COUNT_FROM_END ? view->next : view->previous;
    uint count = 1;
    for (uint s = next[e]; s != CSS_NONE; s = next[s]) count += bits_marked(view, s, mark);
    return css_position_fits(count, predicate->of.count.a, predicate->of.count.b);
}

/* True if a RELATION or COUNT holds on an element; the stage of its dependency is over. */
CSS_FUNCTION uint bits_related(const css_view *view, uint e, uint p)
{
    __global const css_predicate *predicate = &view->sheet.predicate[p];
    uint mark = view->mark[p];
    if (css_is_count(predicate->kind)) return bits_counted(view, predicate, e, mark);
    uint relation = predicate->of.relation.relation;
    if (relation == CSS_FROM_EARLIER || relation == CSS_FROM_LATER) {
        uint family = view->family[e], position = view->position[e];
        if (family == CSS_NONE) return 0;
        uint first = view->firsts[mark * view->fixed->families + family];
        return first < (relation == CSS_FROM_EARLIER ? position : ~position);
    }
    if (relation == CSS_FROM_ANCESTOR) return bits_marked_above(view, e, mark);
    return bits_marked(view,
        relation == CSS_FROM_PARENT     ? view->ancestors[e].x
        : relation == CSS_FROM_PREVIOUS ? view->previous[e]
                                        : e,
        mark);
}

/* Leaves the marks of a dependency that an element satisfies. */
CSS_FUNCTION void bits_leave_marks(const css_view *view, uint e, uint dependency)
{
    const css_fixed *f = view->fixed;
    uint parent = view->ancestors[e].x;
    for (uint i = view->reader_begin[dependency]; i < view->reader_begin[dependency + 1]; i++) {
        uint p = view->reader[i], mark = view->mark[p], to = e;
        __global const css_predicate *predicate = &view->sheet.predicate[p];
        uint relation =
            css_is_count(predicate->kind) ? CSS_FROM_SELF : predicate->of.relation.relation;
        if (!view->possible[p]) continue;
        if (relation == CSS_FROM_EARLIER || relation == CSS_FROM_LATER) {
            uint at = view->position[e], family = view->family[e];
            if (relation == CSS_FROM_LATER) at = ~at;
            if (family == CSS_NONE || mark >= f->rows) continue;
            volatile __global uint *first = view->firsts + mark * f->families + family;
            if (*first > at) atomic_min(first, at);
            continue;
        }
        if (relation == CSS_FROM_CHILD || relation == CSS_FROM_DESCENDANT) to = parent;
        if (relation == CSS_FROM_NEXT) to = view->previous[e];
        if (mark >= 32 * f->mark_words) continue;
        while (to != CSS_NONE) { /* stops at an element from which another item has continued */
            volatile __global uint *word = view->marks + to * f->mark_words + (mark >> 5);
            if (*word >> (mark & 31) & 1) break;
            atomic_or(word, 1u << (mark & 31));
            to = relation == CSS_FROM_DESCENDANT ? view->ancestors[to].x : CSS_NONE;
        }
    }
}

/* True if a dynamic predicate that a stage evaluates holds on an element; 0 in other stages. */
CSS_FUNCTION uint bits_value(const css_view *view, uint e, uint p, uint stage)
{
    __global const css_predicate *predicate = &view->sheet.predicate[p];
    if (css_reads_dependency(predicate->kind)) {
        uint ready = view->sheet.dependency_stage[css_dependency_of(predicate)] + 1;
        return ready == stage ? bits_related(view, e, p) : 0;
    }
    if (stage != 0) return 0;
    uint position = view->position[predicate->of.position.axis * view->fixed->elements + e];
    return css_position_fits(position, predicate->of.position.a, predicate->of.position.b);
}

/* Adds the dynamic bits that a stage evaluates. */
CSS_FUNCTION void bits_evaluate(
    const css_view *view, __global const css_bound_kind *kind, uint e, uint stage)
{
    uint dynamics = kind->dynamics, first = kind->first_dynamic;
    __global uint *bits = view->bits + e * view->fixed->words;
    for (uint w = 0; 32 * w < dynamics; w++) {
        uint word = stage == 0 ? 0 : bits[w], end = min(dynamics - 32 * w, 32u);
        for (uint k = 0; k < end; k++)
            word |= bits_value(view, e, view->pool[first + 32 * w + k], stage) << k;
        bits[w] = word;
    }
}

/* Signature and meaning of an element. */
CSS_FUNCTION void bits_sign(const css_view *view, uint dynamics, uint e, uint kind)
{
    const css_fixed *f = view->fixed;
    __global const css_kind_extra *extra = &view->extra[kind];
    uint2 meaning = hed_u2(extra->meaning_low, extra->meaning_high);
    ulong hash = css_mix(css_seed(f), kind + 1), inner_hash = css_mix(~css_seed(f), kind + 1);
    uint all_bits = 0, inner = 0, signature = kind, is_new;
    for (uint w = 0; 32 * w < dynamics; w++) {
        uint word = view->bits[e * f->words + w], masked = word & view->pool[extra->inner_mask + w];
        all_bits |= word;
        inner |= masked;
        hash = css_mix(hash, word);
        inner_hash = css_mix(inner_hash, masked);
    }
    if (all_bits) {
        uint slot = css_insert(view->signature_table, f->signature_mask, hash, &is_new,
            view->counters, CSS_FAULT_SIGNATURES);
        if (is_new) {
            view->signature_first[slot] = e;
            view->signature_list[atomic_inc(&view->counters->signatures)] = slot;
        }
        signature = f->kinds + slot;
    }
    if (inner) meaning = hed_u2((uint)inner_hash | 1, (uint)(inner_hash >> 32));
    view->signature[e] = signature;
    view->meaning[e] = meaning;
}

/* Elements `begin` to `end` - 1; stage f->stages is the last one. */
__kernel void css_bits(CSS_ARGUMENTS, uint stage, uint begin, uint end)
{
    CSS_VIEW;
    uint items = (uint)get_global_size(0), id = (uint)get_global_id(0);
    if (stage == 0 && begin == 0) { /* clear the data that later kernels require to be empty */
        for (uint i = id; i <= f->class_mask; i += items) view->class_table[i] = 0;
        if (id == 0) view->counters->classes = view->counters->listed = 0;
    }
    for (uint e = begin + id; e < end; e += items) {
        uint number = view->element_kind[e];
        __global const css_bound_kind *kind = &view->bound[number];
        if (kind->dynamics) bits_evaluate(view, kind, e, stage);
        if (stage == f->stages) {
            bits_sign(view, kind->dynamics, e, number);
            continue;
        }
        for (uint i = 0; i < kind->dependencies; i++) {
            __global const css_candidate *candidate = &view->candidate[kind->first_dependency + i];
            if (view->sheet.dependency_stage[candidate->number] == stage &&
                css_residual_holds(view->pool, candidate, view->bits + e * f->words))
                bits_leave_marks(view, e, candidate->number);
        }
    }
}
