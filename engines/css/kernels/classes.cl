/* Paths, lists of signatures, and classes.
 *
 *   css_paths    the first f->list_groups groups make the lists of signatures, a group each: what they
 *                do to the state (inner acts), and finals in ascending order. The others walk from each
 *                element to its root and hash what the ancestors mean; with the signature that is the
 *                element's class.
 *   css_classes  runs the automaton down the path of one element of each class, a group each, and
 *                leaves the finals that are reached. The last f->check_groups groups look whether all
 *                that share a slot are the same in what the hash was made of. */
#ifndef CSS_TABLES_H
#include "tables.h"
#endif
#ifndef CSS_MATCHING_H
#include "matching.h"
#endif

enum css_record { CSS_INNER, CSS_INNERS, CSS_FINAL, CSS_FINALS, CSS_RECORD_WORDS };

/* ---- lists of signatures ---- */

/* Words of local memory: */
enum lists_room { LISTS_INNER, LISTS_FINAL, LISTS_BASE, LISTS_WORDS };

/* The acts of compound `c`, inner ones from `inner` on, finals from `finals` on, in any order. */
CSS_FUNCTION void lists_add(const css_fixed *f, __global const uint *tables,
    __global const uint *bound, __global uint *inner, __global uint *finals, __local uint *room,
    uint c)
{
    uint inners = bound[f->act_count + 2 * c], lasts = bound[f->act_count + 2 * c + 1];
    __global const uint *from = bound + f->inner_act + 4 * tables[f->inner_begin + c];
    uint at = inners ? 2 * atomic_add(room + LISTS_INNER, inners) : 0;
    for (uint i = 0; i < 2 * inners; i++) inner[at + i] = from[i];
    from = bound + f->final_act + 2 * tables[f->final_begin + c];
    at = lasts ? 2 * atomic_add(room + LISTS_FINAL, lasts) : 0;
    for (uint i = 0; i < 2 * lasts; i++) finals[at + i] = from[i];
}

/* The list of signature `s`. */
CSS_FUNCTION void lists_make(const css_fixed *f, __global const uint *tables,
    __global const uint *elements, __global const uint *bound, __global const uint *pool,
    __global uint *work, __global uint *actions, volatile __global uint *counts, __local uint *room,
    uint s, uint id)
{
    uint bare = s < f->shapes;
    uint e = bare ? f->elements : work[f->signature_first + s - f->shapes];
    uint shape = bare ? s : elements[f->element_shape + e];
    uint capacity = bound[f->extra + CSS_EXTRA_WORDS * shape + CSS_EXTRA_ROOM];
    __global const uint *head = bound + f->bound + CSS_BOUND_WORDS * shape;
    __global uint *record = work + f->signature_record + CSS_RECORD_WORDS * s;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0) {
        room[LISTS_INNER] = room[LISTS_FINAL] = 0;
        room[LISTS_BASE] = atomic_add(counts + CSS_COUNT_ACTIONS, 4 * capacity);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint base = room[LISTS_BASE];
    if (base + 4 * capacity > f->action_room || base + 4 * capacity < base) {
        if (id == 0) {
            atomic_or(counts + CSS_COUNT_FAULTS, (uint)CSS_FAULT_ACTIONS);
            record[CSS_INNERS] = record[CSS_FINALS] = 0;
        }
        return;
    }
    __global uint *inner = actions + base, *unsorted = inner + 2 * capacity;
    for (uint i = id; i < head[CSS_BOUND_CERTAINS]; i += GROUP)
        lists_add(f, tables, bound, inner, unsorted, room, pool[head[CSS_BOUND_CERTAIN] + i]);
    for (uint i = id; i < head[CSS_BOUND_CANDIDATES]; i += GROUP) {
        __global const uint *candidate = pool + 3 * (head[CSS_BOUND_CANDIDATE] + i);
        if (css_residual_holds(pool, candidate[1], candidate[2], work + f->bits + e * f->words))
            lists_add(f, tables, bound, inner, unsorted, room, candidate[0]);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    uint inners = room[LISTS_INNER], finals = room[LISTS_FINAL];
    __global uint *sorted = inner + 2 * inners;
    for (uint i = id; i < finals; i += GROUP) {
        uint own = unsorted[2 * i + 1], rank = 0;
        for (uint k = 0; k < finals; k++) rank += unsorted[2 * k + 1] < own;
        sorted[2 * rank] = unsorted[2 * i];
        sorted[2 * rank + 1] = own;
    }
    if (id != 0) return;
    record[CSS_INNER] = base;
    record[CSS_INNERS] = inners;
    record[CSS_FINAL] = base + 2 * inners;
    record[CSS_FINALS] = finals;
}

/* ---- paths ---- */

/* Goes on with the hash of a path by what an ancestor means. */
CSS_FUNCTION ulong paths_step(ulong hash, uint2 means, uint *gap)
{
    uint nothing = means.x == 0;
    ulong next = css_mix(hash, ((ulong)means.y << 32 | means.x) + *gap);
    *gap = nothing;
    return nothing ? hash : next;
}

/* The class of an element. */
CSS_FUNCTION void paths_class(const css_fixed *f, __global const uint4 *ancestors,
    __global const uint2 *meaning, volatile __global uint *work, volatile __global uint *counts,
    uint e)
{
    ulong hash = css_seed(f);
    uint gap = 0, won;
    uint2 none = hed_u2(0, 0);
    uint4 above = ancestors[e];
    while (above.x != CSS_NONE) {
        uint2 a = meaning[above.x], b = none, c = none, d = none;
        uint4 next = hed_u4(CSS_NONE, CSS_NONE, CSS_NONE, CSS_NONE);
        if (above.y != CSS_NONE) b = meaning[above.y];
        if (above.z != CSS_NONE) c = meaning[above.z];
        if (above.w != CSS_NONE) {
            d = meaning[above.w];
            next = ancestors[above.w];
        }
        hash = paths_step(hash, a, &gap);
        hash = paths_step(hash, b, &gap);
        hash = paths_step(hash, c, &gap);
        hash = paths_step(hash, d, &gap);
        above = next;
    }
    hash = css_mix(hash, work[f->signature + e] + 1);
    uint slot =
        css_insert(work + f->class_table, f->class_mask, hash, &won, counts, CSS_FAULT_CLASSES);
    if (won) {
        work[f->class_first + slot] = e;
        work[f->class_list + atomic_inc(counts + CSS_COUNT_CLASSES)] = slot;
    }
    work[f->class_of + e] = slot;
}

/* Elements `begin` to `end` - 1; lists with the first of them. */
__kernel void css_paths(CSS_ARGUMENTS, uint begin, uint end, HED_LOCAL(uint, block))
{
    HED_LOCAL_USE(uint, block);
    CSS_ALL;
    uint id = (uint)get_local_id(0), group = (uint)get_group_id(0), lists = f->list_groups;
    if (begin != 0) lists = 0;
    if (group < lists) {
        uint last = f->shapes + min(counts[CSS_COUNT_SIGNATURES], f->signature_mask + 1);
        for (uint i = group; i < last; i += lists) {
            uint s = i;
            if (i >= f->shapes) s = f->shapes + work[f->signature_list + i - f->shapes];
            lists_make(f, tables, elements, bound, pool, work, actions, counts, block, s, id);
        }
        return;
    }
    uint items = ((uint)get_num_groups(0) - lists) * GROUP;
    for (uint e = begin + (group - lists) * GROUP + id; e < end; e += items)
        paths_class(f, ancestors, meaning, work, counts, e);
}

/* ---- checks ---- */

/* Whether two elements have the same varying bits, those in `mask` alone where it is given. */
CSS_FUNCTION uint check_bits(const css_fixed *f, __global const uint *bound,
    __global const uint *pool, __global const uint *work, uint shape, uint a, uint b, uint inner,
    uint *any)
{
    uint asks = bound[f->bound + CSS_BOUND_WORDS * shape + CSS_BOUND_ASKS], differ = 0;
    uint mask = bound[f->extra + CSS_EXTRA_WORDS * shape + CSS_EXTRA_INNER];
    *any = 0;
    for (uint w = 0; 32 * w < asks; w++) {
        uint matter = inner ? pool[mask + w] : 0xffffffffu;
        uint x = work[f->bits + a * f->words + w] & matter;
        differ |= x ^ (work[f->bits + b * f->words + w] & matter);
        *any |= x;
    }
    return differ == 0;
}

/* Whether two elements that mean something mean the same. */
CSS_FUNCTION uint check_meaning(const css_fixed *f, __global const uint *elements,
    __global const uint *bound, __global const uint *pool, __global const uint *work, uint a,
    uint b)
{
    if (work[f->signature + a] == work[f->signature + b]) return 1;
    uint first = elements[f->element_shape + a], second = elements[f->element_shape + b];
    uint any, other, same = check_bits(f, bound, pool, work, first, a, a, 1, &any);
    check_bits(f, bound, pool, work, second, b, b, 1, &other);
    if (!any && !other)
        return bound[f->extra + CSS_EXTRA_WORDS * first + CSS_EXTRA_SLOT] ==
               bound[f->extra + CSS_EXTRA_WORDS * second + CSS_EXTRA_SLOT];
    if (first != second) return 0;
    same = check_bits(f, bound, pool, work, first, a, b, 1, &any);
    return same;
}

/* The next element above that means something; *gap: others are between. */
CSS_FUNCTION uint check_above(
    __global const uint4 *ancestors, __global const uint2 *meaning, uint e, uint *gap)
{
    *gap = 0;
    for (e = ancestors[e].x; e != CSS_NONE && meaning[e].x == 0; e = ancestors[e].x) *gap = 1;
    return e;
}

/* Whether an element is in its slots by right. */
CSS_FUNCTION uint check_element(const css_fixed *f, __global const uint *elements,
    __global const uint4 *ancestors, __global const uint *bound, __global const uint *pool,
    __global const uint *work, __global const uint2 *meaning, uint e)
{
    uint signature = work[f->signature + e], own = work[f->class_of + e], any, e_gap, r_gap;
    uint r = work[f->class_first + own];
    if (signature >= f->shapes) {
        uint first = work[f->signature_first + signature - f->shapes];
        uint shape = elements[f->element_shape + e];
        if (first != e && (elements[f->element_shape + first] != shape ||
                              !check_bits(f, bound, pool, work, shape, e, first, 0, &any)))
            return 0;
    }
    if (r != e && work[f->signature + r] != signature) return 0;
    while (r != e) {
        e = check_above(ancestors, meaning, e, &e_gap);
        r = check_above(ancestors, meaning, r, &r_gap);
        if (e == CSS_NONE || r == CSS_NONE) return e == r;
        if (e_gap != r_gap) return 0;
        /* the same class: what is above these is looked at for them */
        if (work[f->class_of + e] == work[f->class_of + r]) return 1;
        if (!check_meaning(f, elements, bound, pool, work, e, r)) return 0;
    }
    return 1;
}

/* Whether a shape does to the state, without bits, what the first shape of its slot does. */
CSS_FUNCTION uint check_shape(const css_fixed *f, __global const uint *bound,
    __global const uint *work, __global const uint *actions, uint shape, uint id)
{
    uint first = bound[f->base_first + bound[f->extra + CSS_EXTRA_WORDS * shape + CSS_EXTRA_SLOT]];
    __global const uint *own = work + f->signature_record + CSS_RECORD_WORDS * shape;
    __global const uint *other = work + f->signature_record + CSS_RECORD_WORDS * first;
    uint count = own[CSS_INNERS];
    if (first == shape) return 1;
    if (other[CSS_INNERS] != count) return 0;
    for (uint i = id; i < count; i += GROUP) {
        uint need = actions[own[CSS_INNER] + 2 * i], bit = actions[own[CSS_INNER] + 2 * i + 1];
        uint found = 0;
        for (uint k = 0; k < count; k++)
            found |= actions[other[CSS_INNER] + 2 * k] == need &&
                     actions[other[CSS_INNER] + 2 * k + 1] == bit;
        if (!found) return 0;
    }
    return 1;
}

/* ---- classes ---- */

CSS_FUNCTION uint classes_has(__local const uint *state, uint bit)
{
    return bit == CSS_NONE || state[bit >> 5] >> (bit & 31) & 1;
}

/* The bits of word `w` that go down to all below. */
CSS_FUNCTION uint classes_handed(uint w, uint handed)
{
    return handed >= 32 * w + 32 ? 0xffffffffu : handed <= 32 * w ? 0 : (1u << (handed & 31)) - 1;
}

/* Signatures of the ancestors that mean something, from below, in `chain`: signature << 1 | whether
 * others are between it and the one below. How many. */
CSS_FUNCTION uint classes_chain(const css_fixed *f, __global const uint4 *ancestors,
    __global const uint2 *meaning, __global const uint *work, __local uint *chain, uint e, uint id)
{
    uint count = 0, gap = 0;
    for (uint4 above = ancestors[e]; above.x != CSS_NONE; above = ancestors[above.w]) {
        for (uint k = 0; k < 4; k++) {
            uint a = k == 0 ? above.x : k == 1 ? above.y : k == 2 ? above.z : above.w;
            if (a == CSS_NONE) break;
            uint live = meaning[a].x != 0;
            if (live && count < f->chain) {
                if (id == 0) chain[count] = work[f->signature + a] << 1 | gap;
                count++;
            }
            gap = !live;
        }
        if (above.w == CSS_NONE) break;
    }
    return count;
}

/* The finals of a class in ascending order, in `listed`. */
CSS_FUNCTION void classes_finals(const css_fixed *f, __global uint *work,
    __global const uint *actions, __global uint *listed, volatile __global uint *counts,
    __local const uint *state, __local uint *room, uint index, uint e, uint id)
{
    __global const uint *record =
        work + f->signature_record + CSS_RECORD_WORDS * work[f->signature + e];
    uint capacity = record[CSS_FINALS], from = record[CSS_FINAL], count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0) {
        room[0] = atomic_add(counts + CSS_COUNT_LISTED, capacity);
        work[f->class_record + 2 * index] = room[0];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint base = room[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (base + capacity > f->listed_room || base + capacity < base) {
        if (id == 0) atomic_or(counts + CSS_COUNT_FAULTS, (uint)CSS_FAULT_LISTED);
        capacity = 0;
    }
    for (uint begin = 0; begin < capacity; begin += GROUP) {
        uint i = begin + id, before = 0, total = 0;
        uint is = i < capacity && classes_has(state, actions[from + 2 * i]);
        room[id] = is;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < GROUP; k++) {
            uint other = room[k];
            total += other;
            before += k < id ? other : 0;
        }
        if (is) listed[base + count + before] = actions[from + 2 * i + 1];
        count += total;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id == 0) work[f->class_record + 2 * index + 1] = count;
}

/* Local memory: two states, then of each ancestor of the chain its link, where its inner acts begin and
 * how many they are, then GROUP words. */
CSS_FUNCTION void classes_run(const css_fixed *f, __global const uint4 *ancestors,
    __global uint *work, __global const uint2 *meaning, __global const uint *actions,
    __global uint *listed, volatile __global uint *counts, __local uint *block, uint index, uint id)
{
    __local uint *state = block, *next = block + f->state_words, *chain = next + f->state_words;
    __local uint *begins = chain + f->chain, *lengths = begins + f->chain;
    uint e = work[f->class_first + work[f->class_list + index]];
    uint handed = counts[CSS_COUNT_HANDED], need = 0, bit = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint count = classes_chain(f, ancestors, meaning, work, chain, e, id);
    for (uint w = id; w < f->state_words; w += GROUP) state[w] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = id; k < count; k += GROUP) {
        __global const uint *record =
            work + f->signature_record + CSS_RECORD_WORDS * (chain[k] >> 1);
        begins[k] = record[CSS_INNER];
        lengths[k] = record[CSS_INNERS];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (count && id < lengths[count - 1]) { /* the first act of the next step is on its way early */
        need = actions[begins[count - 1] + 2 * id];
        bit = actions[begins[count - 1] + 2 * id + 1];
    }
    for (uint k = count; k-- > 0;) {
        uint length = lengths[k], own_need = need, own_bit = bit;
        if (k && id < lengths[k - 1]) {
            need = actions[begins[k - 1] + 2 * id];
            bit = actions[begins[k - 1] + 2 * id + 1];
        }
        for (uint w = id; w < f->state_words; w += GROUP)
            next[w] = state[w] & classes_handed(w, handed);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = id; i < length; i += GROUP) {
            if (i >= GROUP) {
                own_need = actions[begins[k] + 2 * i];
                own_bit = actions[begins[k] + 2 * i + 1];
            }
            if (classes_has(state, own_need) && own_bit < 32 * f->state_words)
                atomic_or(next + (own_bit >> 5), 1u << (own_bit & 31));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (chain[k] & 1) {
            for (uint w = id; w < f->state_words; w += GROUP) next[w] &= classes_handed(w, handed);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        __local uint *swap = state;
        state = next;
        next = swap;
    }
    classes_finals(f, work, actions, listed, counts, state, lengths + f->chain, index, e, id);
}

/* Classes `begin` to `end` - 1 of those that there are; checks with the first of them. */
__kernel void css_classes(CSS_ARGUMENTS, uint begin, uint end, HED_LOCAL(uint, block))
{
    HED_LOCAL_USE(uint, block);
    CSS_ALL;
    uint id = (uint)get_local_id(0), group = (uint)get_group_id(0);
    uint runs = (uint)get_num_groups(0) - f->check_groups;
    if (group < runs) {
        end = min(end, min(counts[CSS_COUNT_CLASSES], f->class_mask + 1));
        for (uint i = begin + group; i < end; i += runs)
            classes_run(f, ancestors, work, meaning, actions, listed, counts, block, i, id);
        return;
    }
    if (begin != 0) return;
    uint right = 1, items = f->check_groups * GROUP, item = (group - runs) * GROUP + id;
    for (uint shape = group - runs; shape < f->shapes; shape += f->check_groups)
        right &= check_shape(f, bound, work, actions, shape, id);
    for (uint e = item; e < f->elements; e += items)
        right &= check_element(f, elements, ancestors, bound, pool, work, meaning, e);
    if (!right) atomic_or(counts + CSS_COUNT_FAULTS, (uint)CSS_FAULT_COLLISION);
    /* what the next match has to find empty */
    for (uint i = item; i <= f->signature_mask; i += items) work[f->signature_table + i] = 0;
    for (uint i = item; i < f->mark_total; i += items) work[f->marks + i] = 0;
    for (uint i = item; i < f->row_total; i += items) work[f->firsts + i] = CSS_NONE;
    if (item == 0) counts[CSS_COUNT_SIGNATURES] = counts[CSS_COUNT_ACTIONS] = 0;
}
