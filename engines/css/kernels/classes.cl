/* Paths, lists of signatures, and classes.
 *
 *   css_paths    the first f->list_groups groups list the acts of signatures, a group each:
 *                transitions, and acceptances in ascending order of finals. The other groups follow
 *                the path from each element to its root and hash the ancestors' meanings; this hash
 *                with the signature is the element's class.
 *   css_classes  runs the automaton down the path of one element of each class, a group each, and
 *                writes the finals that it reaches. The last f->check_groups groups check that all
 *                members of a slot are equal in the data that were hashed. */
#ifndef CSS_TABLES_H
#include "tables.h"
#endif
#ifndef CSS_MATCHING_H
#include "matching.h"
#endif

/* ---- lists of signatures ---- */

/* Appends the acts of a compound to both lists, in any order. */
CSS_FUNCTION void lists_add(const css_view *view, __global css_act *transitions,
    __global css_act *acceptances, __local css_list_ends *lists, uint c)
{
    css_act_counts counts = view->act_counts[c];
    __global const css_act *from = view->transition + css_first_transition(&view->sheet, c);
    uint at = counts.transitions ? atomic_add(&lists->transitions, counts.transitions) : 0;
    for (uint i = 0; i < counts.transitions; i++) transitions[at + i] = from[i];
    from = view->acceptance + view->sheet.compound_final_begin[c];
    at = counts.acceptances ? atomic_add(&lists->acceptances, counts.acceptances) : 0;
    for (uint i = 0; i < counts.acceptances; i++) acceptances[at + i] = from[i];
}

/* Copies acts sorted by their results, which are distinct. */
CSS_FUNCTION void lists_sort(
    __global const css_act *unsorted, __global css_act *sorted, uint count, uint id)
{
    for (uint i = id; i < count; i += GROUP) {
        css_act act = unsorted[i];
        uint rank = 0;
        for (uint k = 0; k < count; k++) rank += unsorted[k].result < act.result;
        sorted[rank] = act;
    }
}

/* Lists the acts of signature `s`. The unsorted acceptances begin after room for all acts as
 * transitions; the sorted ones follow the transitions. */
CSS_FUNCTION void lists_make(const css_view *view, __local css_list_ends *lists, uint s, uint id)
{
    const css_fixed *f = view->fixed;
    uint bare = s < f->kinds;
    uint e = bare ? f->elements : view->signature_first[s - f->kinds];
    uint number = bare ? s : view->element_kind[e];
    uint capacity = view->extra[number].acts, room = 2 * capacity;
    __global const css_bound_kind *kind = &view->bound[number];
    __global css_signature_acts *record = &view->signature_acts[s];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0) {
        lists->transitions = lists->acceptances = 0;
        lists->first = atomic_add(&view->counters->actions, room);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint first = lists->first;
    if (first + room > f->action_room || first + room < first) {
        if (id == 0) {
            atomic_or(&view->counters->faults, (uint)CSS_FAULT_ACTIONS);
            record->transitions = record->acceptances = 0;
        }
        return;
    }
    __global css_act *transitions = view->actions + first, *unsorted = transitions + capacity;
    for (uint i = id; i < kind->certains; i += GROUP)
        lists_add(view, transitions, unsorted, lists, view->pool[kind->first_certain + i]);
    for (uint i = id; i < kind->candidates; i += GROUP) {
        __global const css_candidate *candidate = &view->candidate[kind->first_candidate + i];
        if (css_residual_holds(view->pool, candidate, view->bits + e * f->words))
            lists_add(view, transitions, unsorted, lists, candidate->number);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    uint count = lists->transitions, acceptances = lists->acceptances;
    lists_sort(unsorted, transitions + count, acceptances, id);
    if (id != 0) return;
    record->first_transition = first;
    record->transitions = count;
    record->first_acceptance = first + count;
    record->acceptances = acceptances;
}

/* ---- paths ---- */

/* Continues the hash of a path with an ancestor's meaning. *gap: 1 after ancestors without
 * meaning. */
CSS_FUNCTION ulong paths_step(ulong hash, uint2 meaning, uint *gap)
{
    uint is_none = meaning.x == 0;
    ulong next = css_mix(hash, ((ulong)meaning.y << 32 | meaning.x) + *gap);
    *gap = is_none;
    return is_none ? hash : next;
}

/* Finds the class of an element. Loads of four ancestors' meanings overlap. */
CSS_FUNCTION void paths_class(const css_view *view, uint e)
{
    const css_fixed *f = view->fixed;
    ulong hash = css_seed(f);
    uint gap = 0, is_new;
    uint2 no_meaning = hed_u2(0, 0);
    uint4 four = view->ancestors[e];
    while (four.x != CSS_NONE) {
        uint2 a = view->meaning[four.x], b = no_meaning, c = no_meaning, d = no_meaning;
        uint4 next = hed_u4(CSS_NONE, CSS_NONE, CSS_NONE, CSS_NONE);
        if (four.y != CSS_NONE) b = view->meaning[four.y];
        if (four.z != CSS_NONE) c = view->meaning[four.z];
        if (four.w != CSS_NONE) {
            d = view->meaning[four.w];
            next = view->ancestors[four.w];
        }
        hash = paths_step(hash, a, &gap);
        hash = paths_step(hash, b, &gap);
        hash = paths_step(hash, c, &gap);
        hash = paths_step(hash, d, &gap);
        four = next;
    }
    hash = css_mix(hash, view->signature[e] + 1);
    uint slot = css_insert(
        view->class_table, f->class_mask, hash, &is_new, view->counters, CSS_FAULT_CLASSES);
    if (is_new) {
        view->class_first[slot] = e;
        view->class_list[atomic_inc(&view->counters->classes)] = slot;
    }
    view->class_of[e] = slot;
}

/* Elements `begin` to `end` - 1; the first launch also makes the lists. */
__kernel void css_paths(CSS_ARGUMENTS, uint begin, uint end, HED_LOCAL(uint, block))
{
    HED_LOCAL_USE(uint, block);
    CSS_VIEW;
    uint id = (uint)get_local_id(0), group = (uint)get_group_id(0), lists = f->list_groups;
    if (begin != 0) lists = 0;
    if (group < lists) {
        uint last = f->kinds + min(view->counters->signatures, f->signature_mask + 1);
        for (uint i = group; i < last; i += lists) {
            uint s = i;
            if (i >= f->kinds) s = f->kinds + view->signature_list[i - f->kinds];
            lists_make(view, (__local css_list_ends *)block, s, id);
        }
        return;
    }
    uint items = ((uint)get_num_groups(0) - lists) * GROUP;
    for (uint e = begin + (group - lists) * GROUP + id; e < end; e += items) paths_class(view, e);
}

/* ---- checks ---- */

/* True if two elements have the same dynamic bits; `inner`: only those on which transitions depend.
 * *set_bits: the OR of these bits of `a`. */
CSS_FUNCTION uint check_bits(
    const css_view *view, uint kind, uint a, uint b, uint inner, uint *set_bits)
{
    uint words = view->fixed->words, dynamics = view->bound[kind].dynamics, differ = 0;
    uint mask = view->extra[kind].inner_mask;
    *set_bits = 0;
    for (uint w = 0; 32 * w < dynamics; w++) {
        uint used = inner ? view->pool[mask + w] : 0xffffffffu;
        uint x = view->bits[a * words + w] & used;
        differ |= x ^ (view->bits[b * words + w] & used);
        *set_bits |= x;
    }
    return differ == 0;
}

/* True if two elements with a meaning have the same one. */
CSS_FUNCTION uint check_meaning(const css_view *view, uint a, uint b)
{
    if (view->signature[a] == view->signature[b]) return 1;
    uint kind = view->element_kind[a], other_kind = view->element_kind[b], set_bits, other_bits;
    check_bits(view, kind, a, a, 1, &set_bits);
    check_bits(view, other_kind, b, b, 1, &other_bits);
    if (!set_bits && !other_bits) return view->extra[kind].slot == view->extra[other_kind].slot;
    if (kind != other_kind) return 0;
    return check_bits(view, kind, a, b, 1, &set_bits);
}

/* The next ancestor that has a meaning; *gap: 1 if ancestors without meaning are skipped. */
CSS_FUNCTION uint check_above(const css_view *view, uint e, uint *gap)
{
    *gap = 0;
    for (e = view->ancestors[e].x; e != CSS_NONE && view->meaning[e].x == 0;
         e = view->ancestors[e].x)
        *gap = 1;
    return e;
}

/* True if an element equals the first members of its slots of signatures and classes. */
CSS_FUNCTION uint check_element(const css_view *view, uint e)
{
    uint signature = view->signature[e], kinds = view->fixed->kinds, set_bits, e_gap, r_gap;
    uint r = view->class_first[view->class_of[e]];
    if (signature >= kinds) {
        uint first = view->signature_first[signature - kinds], kind = view->element_kind[e];
        if (first != e &&
            (view->element_kind[first] != kind || !check_bits(view, kind, e, first, 0, &set_bits)))
            return 0;
    }
    if (r != e && view->signature[r] != signature) return 0;
    while (r != e) {
        e = check_above(view, e, &e_gap);
        r = check_above(view, r, &r_gap);
        if (e == CSS_NONE || r == CSS_NONE) return e == r;
        if (e_gap != r_gap) return 0;
        /* if both are in one class, the check of one of them compares the ancestors */
        if (view->class_of[e] == view->class_of[r]) return 1;
        if (!check_meaning(view, e, r)) return 0;
    }
    return 1;
}

/* True if an element kind has, if no dynamic bit is set, the transitions of the first kind of its
 * slot. */
CSS_FUNCTION uint check_kind(const css_view *view, uint kind, uint id)
{
    uint first = view->base_first[view->extra[kind].slot];
    __global const css_signature_acts *acts = &view->signature_acts[kind];
    __global const css_signature_acts *first_acts = &view->signature_acts[first];
    uint count = acts->transitions;
    if (first == kind) return 1;
    if (first_acts->transitions != count) return 0;
    for (uint i = id; i < count; i += GROUP) {
        css_act act = view->actions[acts->first_transition + i];
        uint matched = 0;
        for (uint k = 0; k < count; k++) {
            css_act x = view->actions[first_acts->first_transition + k];
            matched |= x.required == act.required && x.result == act.result;
        }
        if (!matched) return 0;
    }
    return 1;
}

/* ---- classes ---- */

CSS_FUNCTION uint classes_has(__local const uint *state, uint bit)
{
    return bit == CSS_NONE || state[bit >> 5] >> (bit & 31) & 1;
}

/* Mask of the bits of word `w` that descendants inherit. */
CSS_FUNCTION uint classes_inherited(uint w, uint inherited)
{
    return inherited >= 32 * w + 32 ? 0xffffffffu
           : inherited <= 32 * w    ? 0
                                    : (1u << (inherited & 31)) - 1;
}

/* Links of the ancestors that have a meaning, from the parent on, in `chain`: signature << 1 | 1 if
 * ancestors without meaning are skipped before it. Returns their number. */
CSS_FUNCTION uint classes_chain(const css_view *view, __local uint *chain, uint e, uint id)
{
    uint count = 0, gap = 0;
    for (uint4 four = view->ancestors[e]; four.x != CSS_NONE; four = view->ancestors[four.w]) {
        for (uint k = 0; k < 4; k++) {
            uint a = k == 0 ? four.x : k == 1 ? four.y : k == 2 ? four.z : four.w;
            if (a == CSS_NONE) break;
            uint live = view->meaning[a].x != 0;
            if (live && count < view->fixed->chain) {
                if (id == 0) chain[count] = view->signature[a] << 1 | gap;
                count++;
            }
            gap = !live;
        }
        if (four.w == CSS_NONE) break;
    }
    return count;
}

/* Writes the finals of class `index`, the class of element `e`, to `listed` in ascending order.
 * `room`: GROUP words. */
CSS_FUNCTION void classes_finals(const css_view *view, __local const uint *state,
    __local uint *room, uint index, uint e, uint id)
{
    css_signature_acts record = view->signature_acts[view->signature[e]];
    uint capacity = record.acceptances, from = record.first_acceptance, count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0) {
        *room = atomic_add(&view->counters->listed, capacity);
        view->class_finals[index].first = *room;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint base = *room;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (base + capacity > view->fixed->listed_room || base + capacity < base) {
        if (id == 0) atomic_or(&view->counters->faults, (uint)CSS_FAULT_LISTED);
        capacity = 0;
    }
    for (uint begin = 0; begin < capacity; begin += GROUP) {
        uint i = begin + id, before = 0, total = 0;
        uint reached = i < capacity && classes_has(state, view->actions[from + i].required);
        room[id] = reached;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < GROUP; k++) {
            uint reaches = room[k];
            total += reaches;
            before += k < id ? reaches : 0;
        }
        if (reached) view->listed[base + count + before] = view->actions[from + i].result;
        count += total;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id == 0) view->class_finals[index].count = count;
}

/* Runs the automaton for class `index`. Local memory: two states; for each ancestor of the chain
 * its link, its first transition, and the number of its transitions; GROUP words. */
CSS_FUNCTION void classes_run(const css_view *view, __local uint *block, uint index, uint id)
{
    uint state_words = view->fixed->state_words, inherited = view->counters->inherited;
    __local uint *state = block, *next = block + state_words, *chain = next + state_words;
    __local uint *firsts = chain + view->fixed->chain, *lengths = firsts + view->fixed->chain;
    uint e = view->class_first[view->class_list[index]];
    css_act next_act;
    next_act.required = next_act.result = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint count = classes_chain(view, chain, e, id);
    for (uint w = id; w < state_words; w += GROUP) state[w] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = id; k < count; k += GROUP) {
        __global const css_signature_acts *record = &view->signature_acts[chain[k] >> 1];
        firsts[k] = record->first_transition;
        lengths[k] = record->transitions;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    /* an item loads its first act of the next step one step ahead */
    if (count && id < lengths[count - 1]) next_act = view->actions[firsts[count - 1] + id];
    for (uint k = count; k-- > 0;) {
        uint length = lengths[k];
        css_act act = next_act;
        if (k && id < lengths[k - 1]) next_act = view->actions[firsts[k - 1] + id];
        for (uint w = id; w < state_words; w += GROUP)
            next[w] = state[w] & classes_inherited(w, inherited);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = id; i < length; i += GROUP) {
            if (i >= GROUP) act = view->actions[firsts[k] + i];
            if (classes_has(state, act.required) && act.result < 32 * state_words)
                atomic_or(next + (act.result >> 5), 1u << (act.result & 31));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (chain[k] & 1) {
            for (uint w = id; w < state_words; w += GROUP)
                next[w] &= classes_inherited(w, inherited);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        __local uint *swap = state;
        state = next;
        next = swap;
    }
    classes_finals(view, state, lengths + view->fixed->chain, index, e, id);
}

/* Existing classes from `begin` to `end` - 1; the first launch also checks. */
__kernel void css_classes(CSS_ARGUMENTS, uint begin, uint end, HED_LOCAL(uint, block))
{
    HED_LOCAL_USE(uint, block);
    CSS_VIEW;
    uint id = (uint)get_local_id(0), group = (uint)get_group_id(0);
    uint runs = (uint)get_num_groups(0) - f->check_groups;
    if (group < runs) {
        end = min(end, min(view->counters->classes, f->class_mask + 1));
        for (uint i = begin + group; i < end; i += runs) classes_run(view, block, i, id);
        return;
    }
    if (begin != 0) return;
    uint right = 1, items = f->check_groups * GROUP, item = (group - runs) * GROUP + id;
    for (uint kind = group - runs; kind < f->kinds; kind += f->check_groups)
        right &= check_kind(view, kind, id);
    for (uint e = item; e < f->elements; e += items) right &= check_element(view, e);
    if (!right) atomic_or(&view->counters->faults, (uint)CSS_FAULT_COLLISION);
    /* clear the data that the next match requires to be empty */
    for (uint i = item; i <= f->signature_mask; i += items) view->signature_table[i] = 0;
    for (uint i = item; i < f->mark_total; i += items) view->marks[i] = 0;
    for (uint i = item; i < f->row_total; i += items) view->firsts[i] = CSS_NONE;
    if (item == 0) view->counters->signatures = view->counters->actions = 0;
}
