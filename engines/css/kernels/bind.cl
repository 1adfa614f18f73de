/* Bind on a device: a sheet and the shapes of a forest, see tables.h. Four launches:
 *
 *   css_bind_presence   a group a shape: which predicates some shape has, or may have
 *   css_bind_prune      one group: relations that are possible, prefixes that can occur, bits of the
 *                       state for them
 *   css_bind_acts       an item a compound: what it does to the state, and which finals it ends
 *   css_bind_shapes     a group a shape: compounds that hold or are left to varying bits; lists
 *
 * A shape's statuses of predicates are in local memory, two bits each; they are found twice, which
 * takes less than keeping them. */
#ifndef CSS_TABLES_H
#include "tables.h"
#endif
#ifndef CSS_MATCHING_H
#include "matching.h"
#endif

/* ---- what a shape has ---- */

CSS_FUNCTION void bind_set(__local uint *status, uint predicate, uint value)
{
    atomic_or(status + (predicate >> 4), value << (predicate & 15) * 2);
}

/* The predicates of a key that hold. */
CSS_FUNCTION void bind_key(const css_fixed *f, __global const uint *tables, __local uint *status,
    __global const uint *shape, uint code)
{
    uint key = css_key_find(tables + f->key_slot, f->key_mask, code);
    if (key == CSS_NONE) return;
    for (uint i = tables[f->key_begin + key]; i < tables[f->key_begin + key + 1]; i++) {
        uint p = tables[f->key_predicate + i];
        if (css_holds_on(tables + f->predicate + CSS_P_WORDS * p, shape))
            bind_set(status, p, CSS_TRUE);
    }
}

/* Statuses of all predicates that a shape decides. */
CSS_FUNCTION void bind_status(
    const css_fixed *f, __global const uint *tables, __local uint *status, uint number, uint id)
{
    __global const uint *shape = tables + f->shape + CSS_SHAPE_WORDS * number;
    uint words = (f->predicates + 15) / 16, space = shape[CSS_SHAPE_SPACE];
    uint quirks = space >> 8 & 1, html = (space & 0xff) == 0;
    for (uint i = id; i < words; i += GROUP) status[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0)
        bind_key(f, tables, status, shape,
            css_key_code(html ? CSS_KEY_TYPE_HTML : CSS_KEY_TYPE, shape[CSS_SHAPE_TAG]));
    for (uint i = id; i < shape[CSS_SHAPE_CLASSES]; i += GROUP)
        bind_key(f, tables, status, shape,
            css_key_code(quirks ? CSS_KEY_CLASS_QUIRKS : CSS_KEY_CLASS,
                tables[f->shape_class + shape[CSS_SHAPE_CLASS] + i]));
    for (uint i = id; i < f->always_count; i += GROUP) {
        uint p = tables[f->always + i];
        if (css_holds_on(tables + f->predicate + CSS_P_WORDS * p, shape))
            bind_set(status, p, CSS_TRUE);
    }
    for (uint i = id; i < shape[CSS_SHAPE_FACTS]; i += GROUP)
        bind_set(status, tables[f->shape_fact + shape[CSS_SHAPE_FACT] + i], CSS_TRUE);
    barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel void css_bind_presence(CSS_ARGUMENTS, HED_LOCAL(uint, block))
{
    HED_LOCAL_USE(uint, block);
    CSS_ALL;
    uint id = (uint)get_local_id(0), words = (f->predicates + 15) / 16;
    for (uint shape = (uint)get_group_id(0); shape < f->shapes; shape += (uint)get_num_groups(0)) {
        bind_status(f, tables, block, shape, id);
        for (uint i = id; i < words; i += GROUP)
            for (uint left = block[i], k = 0; left; left >>= 2, k++)
                if (left & 3) bound[f->possible + 16 * i + k] = 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* ---- what can occur ---- */

/* Whether each clause of a compound has a literal that is negated or possible (a bit a predicate). */
CSS_FUNCTION uint bind_possible(const css_fixed *f, __global const uint *tables,
    volatile __local const uint *possible, uint compound)
{
    uint held = 0, end = tables[f->literal_begin + compound + 1];
    for (uint i = tables[f->literal_begin + compound]; i < end; i++) {
        uint l = tables[f->literal + i], p = (l & ~CSS_LAST_OF_CLAUSE) >> 1;
        held |= l & 1 || possible[p >> 5] >> (p & 31) & 1;
        if (!(l & CSS_LAST_OF_CLAUSE)) continue;
        if (!held) return 0;
        held = 0;
    }
    return 1;
}

/* Relations, a stage after the other; their places among marks. */
CSS_FUNCTION void bind_relations(const css_fixed *f, __global const uint *tables,
    __global uint *bound, __global uint *counts, volatile __local uint *possible, uint id)
{
    for (uint stage = 0; stage < f->stage_count; stage++) {
        uint end = tables[f->stage_begin + stage + 1];
        for (uint i = tables[f->stage_begin + stage] + id; i < end; i += GROUP) {
            uint p = tables[f->stage_relation + i], is = 0;
            __global const uint *predicate = tables + f->predicate + CSS_P_WORDS * p;
            uint counting = predicate[0] == CSS_P_COUNT, where = predicate[1];
            uint feed = counting ? where >> 1 : predicate[2];
            for (uint k = tables[f->feed_begin + feed]; k < tables[f->feed_begin + feed + 1] && !is;
                 k++)
                is = bind_possible(f, tables, possible, tables[f->feed_compound + k]);
            if (!is) continue;
            uint in_row = !counting && (where == CSS_FROM_EARLIER || where == CSS_FROM_LATER);
            bound[f->possible + p] = 1;
            bound[f->mark + p] = atomic_inc(counts + (in_row ? CSS_COUNT_ROWS : CSS_COUNT_MARKS));
            bound[f->undecided + atomic_inc(counts + CSS_COUNT_UNDECIDED)] = p;
            bound[f->needed + feed] = 1;
            if (counting) counts[CSS_COUNT_COUNTING] = 1;
            atomic_max(counts + CSS_COUNT_STAGES, stage + 1);
            atomic_or(possible + (p >> 5), 1u << (p & 31));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* Prefixes that can occur, and their bits: those for all below, then those for children. */
CSS_FUNCTION void bind_nodes(const css_fixed *f, __global const uint *tables,
    volatile __global uint *bound, volatile __global uint *counts,
    volatile __local const uint *possible, __local uint *room, uint id)
{
    uint each = (f->nodes + GROUP - 1) / GROUP, begin = min(id * each, f->nodes);
    uint end = min(begin + each, f->nodes), handed = 0, others = 0, all_handed, all_others;
    for (uint level = 0; level < f->level_count; level++) {
        uint last = tables[f->level_begin + level + 1];
        for (uint i = tables[f->level_begin + level] + id; i < last; i += GROUP) {
            uint n = tables[f->level_node + i];
            __global const uint *node = tables + f->node + 4 * n;
            bound[f->reached + n] = (node[1] == CSS_NONE || bound[f->reached + node[1]]) &&
                                    bind_possible(f, tables, possible, node[0]);
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
    for (uint n = begin; n < end; n++) {
        uint uses = bound[f->reached + n] ? tables[f->node + 4 * n + 3] : 0;
        handed += uses & 1;
        others += uses >> 1 & 1;
    }
    handed = css_before(room, id, handed, &all_handed);
    others = all_handed + css_before(room, id, others, &all_others);
    for (uint n = begin; n < end; n++) {
        uint uses = bound[f->reached + n] ? tables[f->node + 4 * n + 3] : 0;
        bound[f->node_bit + 2 * n] = uses & 1 ? handed++ : CSS_NONE;
        bound[f->node_bit + 2 * n + 1] = uses & 2 ? others++ : CSS_NONE;
    }
    if (id != 0) return;
    counts[CSS_COUNT_HANDED] = all_handed;
    counts[CSS_COUNT_STATES] = all_handed + all_others;
}

/* The bit that an act needs: CSS_NONE, none; *can: it can be there. */
CSS_FUNCTION uint bind_needs(
    const css_fixed *f, __global const uint *bound, uint node, uint parent, uint *can)
{
    uint bit = node == CSS_NONE ? CSS_NONE : bound[f->node_bit + 2 * node + (parent ? 1 : 0)];
    *can = node == CSS_NONE || bit != CSS_NONE;
    return bit;
}

/* Acts of a compound, and whether it does anything. */
CSS_FUNCTION void bind_acts(
    const css_fixed *f, __global const uint *tables, __global uint *bound, uint c)
{
    uint inner = 0, finals = 0, can, live = 0;
    uint begin = tables[f->inner_begin + c], at = f->inner_act + 4 * begin;
    for (uint i = begin; i < tables[f->inner_begin + c + 1]; i++) {
        uint n = tables[f->inner + i];
        __global const uint *node = tables + f->node + 4 * n;
        uint need = bind_needs(f, bound, node[1], node[2], &can);
        if (!can) continue;
        for (uint kind = 0; kind < 2; kind++) {
            uint bit = bound[f->node_bit + 2 * n + kind];
            if (bit == CSS_NONE) continue;
            bound[at + 2 * inner] = need;
            bound[at + 2 * inner++ + 1] = bit;
        }
    }
    begin = tables[f->final_begin + c];
    at = f->final_act + 2 * begin;
    for (uint i = begin; i < tables[f->final_begin + c + 1]; i++) {
        uint n = tables[f->compound_final + i];
        __global const uint *final = tables + f->final + 4 * n;
        uint need = bind_needs(f, bound, final[0], final[1], &can);
        if (!can) continue;
        bound[at + 2 * finals] = need;
        bound[at + 2 * finals++ + 1] = n;
    }
    for (uint i = tables[f->fed_begin + c]; i < tables[f->fed_begin + c + 1]; i++)
        live |= bound[f->needed + tables[f->fed + i]];
    bound[f->act_count + 2 * c] = inner;
    bound[f->act_count + 2 * c + 1] = finals;
    bound[f->live + c] = live || inner || finals;
}

__kernel void css_bind_prune(CSS_ARGUMENTS, HED_LOCAL(uint, block))
{
    HED_LOCAL_USE(uint, block);
    CSS_ALL;
    uint id = (uint)get_local_id(0), words = (f->predicates + 31) / 32;
    __local uint *room = block, *possible = block + GROUP;
    for (uint i = id; i < words; i += GROUP) possible[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint p = id; p < f->predicates; p += GROUP)
        if (bound[f->possible + p]) atomic_or(possible + (p >> 5), 1u << (p & 31));
    for (uint i = id; i < f->position_count; i += GROUP) {
        uint p = tables[f->positions + i];
        bound[f->possible + p] = 1;
        bound[f->undecided + atomic_inc(counts + CSS_COUNT_UNDECIDED)] = p;
        atomic_or(possible + (p >> 5), 1u << (p & 31));
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    bind_relations(f, tables, bound, counts, possible, id);
    bind_nodes(f, tables, bound, counts, possible, room, id);
    if (id != 0) return;
    volatile __global uint *found = counts;
    if ((found[CSS_COUNT_STATES] + 31) / 32 > f->state_words || found[CSS_COUNT_ROWS] > f->rows ||
        found[CSS_COUNT_STAGES] > f->stages || found[CSS_COUNT_MARKS] > 32 * f->mark_words)
        atomic_or(counts + CSS_COUNT_FAULTS, (uint)CSS_FAULT_BOUND);
}

__kernel void css_bind_acts(CSS_ARGUMENTS)
{
    CSS_ALL;
    for (uint c = (uint)get_global_id(0); c < f->compounds; c += (uint)get_global_size(0))
        bind_acts(f, tables, bound, c);
}

/* ---- what is left to decide on a shape ---- */

/* Lists of a shape: how long, then where the next entry goes. */
enum bind_list {
    BIND_CERTAIN,
    BIND_CANDIDATE,
    BIND_RESIDUAL,
    BIND_FEEDING,
    BIND_ACTS, /* not a list: how many acts all its compounds have */
    BIND_LOW,  /* what it means without bits: sums of hashes */
    BIND_HIGH,
    BIND_MEANT, /* compounds in these */
    BIND_FAILED,
    BIND_AT,
    BIND_LISTS = 16
};

/* What is done with the literals of a compound that are left: their predicates are marked in `asked`,
 * they are counted, they are written. */
enum bind_mode { BIND_MARK, BIND_COUNT, BIND_WRITE };

/* How many literals of a compound are left. */
CSS_FUNCTION uint bind_residual(const css_fixed *f, __global const uint *tables,
    __local const uint *status, __local uint *asked, __local const uint *rank, uint c,
    __global uint *to, uint mode)
{
    uint count = 0, clause = 0, end = tables[f->literal_begin + c + 1];
    uint begin = tables[f->literal_begin + c];
    for (uint i = begin; i < end; i++) {
        uint l = tables[f->literal + i], p = (l & ~CSS_LAST_OF_CLAUSE) >> 1;
        uint s = css_status_of(status, p);
        if (s != CSS_UNDECIDED && s != (l & 1)) clause = 1; /* holds anyway */
        if (!(l & CSS_LAST_OF_CLAUSE)) continue;
        uint from = count;
        for (uint k = begin; k <= i && !clause; k++) {
            l = tables[f->literal + k];
            p = (l & ~CSS_LAST_OF_CLAUSE) >> 1;
            if (css_status_of(status, p) != CSS_UNDECIDED) continue;
            if (mode == BIND_MARK) atomic_or(asked + (p >> 5), 1u << (p & 31));
            if (mode == BIND_WRITE) {
                uint below = asked[p >> 5] & ((1u << (p & 31)) - 1);
                to[count] = (rank[p >> 5] + (uint)popcount(below)) << 1 | (l & 1);
            }
            count++;
        }
        if (mode == BIND_WRITE && count > from) to[count - 1] |= CSS_LAST_OF_CLAUSE;
        clause = 0;
        begin = i + 1;
    }
    return count;
}

/* Whether residual literals hold where no bit is set. */
CSS_FUNCTION uint bind_holds_bare(__global const uint *residual, uint count)
{
    uint held = 0;
    for (uint i = 0; i < count; i++) {
        held |= residual[i] & 1;
        if (!(residual[i] & CSS_LAST_OF_CLAUSE)) continue;
        if (!held) return 0;
        held = 0;
    }
    return 1;
}

/* One compound that may hold. First time (`write` 0): what room it needs. Second time: its entries. */
CSS_FUNCTION void bind_compound(const css_fixed *f, __global const uint *tables,
    __global const uint *bound, __global uint *pool, __local const uint *status,
    __local uint *asked, __local const uint *rank, __local uint *lists, uint inner_mask, uint c,
    uint write)
{
    if (!bound[f->live + c]) return;
    uint s = css_compound_status(tables + f->literal, tables[f->literal_begin + c],
        tables[f->literal_begin + c + 1], status);
    if (s == CSS_FALSE) return;
    uint inner = bound[f->act_count + 2 * c], count = 0, first = 0, bare = 1;
    if (s == CSS_UNDECIDED) {
        count =
            bind_residual(f, tables, status, asked, rank, c, pool, write ? BIND_COUNT : BIND_MARK);
        first = atomic_add(lists + BIND_RESIDUAL, count);
        uint at = atomic_inc(lists + BIND_CANDIDATE);
        if (write) {
            bind_residual(f, tables, status, asked, rank, c, pool + first, BIND_WRITE);
            pool[3 * at] = c;
            pool[3 * at + 1] = first;
            pool[3 * at + 2] = count;
            bare = bind_holds_bare(pool + first, count);
            for (uint i = 0; i < count && inner; i++) {
                uint bit = (pool[first + i] & ~CSS_LAST_OF_CLAUSE) >> 1;
                atomic_or(pool + inner_mask + (bit >> 5), 1u << (bit & 31));
            }
        }
    } else {
        uint at = atomic_inc(lists + BIND_CERTAIN);
        if (write) pool[at] = c;
    }
    for (uint i = tables[f->fed_begin + c]; i < tables[f->fed_begin + c + 1]; i++) {
        uint feed = tables[f->fed + i];
        if (!bound[f->needed + feed]) continue;
        uint at = atomic_inc(lists + BIND_FEEDING);
        if (!write) continue;
        pool[3 * at] = feed;
        pool[3 * at + 1] = first;
        pool[3 * at + 2] = count;
    }
    if (!write) {
        atomic_add(lists + BIND_ACTS, inner + bound[f->act_count + 2 * c + 1]);
    } else if (inner && bare) {
        ulong hash = css_mix(css_mix(css_seed(f), c + 1), 0x51);
        atomic_add(lists + BIND_LOW, (uint)hash);
        atomic_add(lists + BIND_HIGH, (uint)(hash >> 32));
        atomic_inc(lists + BIND_MEANT);
    }
}

/* Length of a predicate's bucket. */
CSS_FUNCTION uint bind_bucket(const css_fixed *f, __global const uint *tables, uint predicate)
{
    return tables[f->bucket_begin + predicate + 1] - tables[f->bucket_begin + predicate];
}

/* All compounds that may hold, through the buckets of predicates that may: an item counts what a word of
 * statuses leads to, then the items share it out. */
CSS_FUNCTION void bind_compounds(const css_fixed *f, __global const uint *tables,
    __global const uint *bound, __global uint *pool, __local const uint *status,
    __local uint *asked, __local const uint *rank, __local uint *lists, __local uint *room,
    uint inner_mask, uint id, uint write)
{
    uint words = (f->predicates + 15) / 16, total;
    for (uint i = id; i < f->universal_count; i += GROUP)
        bind_compound(f, tables, bound, pool, status, asked, rank, lists, inner_mask,
            tables[f->universal + i], write);
    for (uint begin = 0; begin < words; begin += GROUP) {
        uint length = 0, own = begin + id < words ? status[begin + id] : 0;
        for (uint p = 16 * (begin + id); own; p++, own >>= 2)
            if (own & 3) length += bind_bucket(f, tables, p);
        css_before(room, id, length, &total);
        for (uint j = id; j < total; j += GROUP) {
            uint from = 0, to = GROUP - 1; /* the first item whose sum is above j */
            while (from < to) {
                uint middle = (from + to) / 2;
                if (room[middle] > j) to = middle;
                else from = middle + 1;
            }
            uint left = from ? j - room[from - 1] : j, word = status[begin + from];
            uint p = 16 * (begin + from);
            for (;; p++, word >>= 2) {
                uint count = word & 3 ? bind_bucket(f, tables, p) : 0;
                if (left < count) break;
                left -= count;
            }
            uint c = tables[f->bucket + tables[f->bucket_begin + p] + left];
            if (css_tried_by(tables + f->literal, tables[f->literal_begin + c], status, p))
                bind_compound(
                    f, tables, bound, pool, status, asked, rank, lists, inner_mask, c, write);
        }
    }
}

/* Room for the lists of a shape with `asks` asks: their beginnings, and where entries go. */
CSS_FUNCTION void bind_room(const css_fixed *f, __global uint *head, __global uint *extra,
    __global uint *pool, volatile __global uint *counts, __local uint *lists, uint asks)
{
    uint masks = (asks + 31) / 32, certain = lists[BIND_CERTAIN];
    uint candidates = lists[BIND_CANDIDATE], residuals = lists[BIND_RESIDUAL];
    uint feedings = lists[BIND_FEEDING];
    /* lists of three words first, at multiples of three */
    uint size = 3 * (candidates + feedings) + certain + residuals + asks + masks + 2;
    uint from = atomic_add(counts + CSS_COUNT_POOL, size), fits = asks <= 32 * f->words;
    atomic_max(counts + CSS_COUNT_ASKS, asks);
    atomic_max(counts + CSS_COUNT_ROOM, lists[BIND_ACTS]);
    fits = fits && from + size <= f->pool_room && from + size >= from;
    if (!fits) atomic_or(counts + CSS_COUNT_FAULTS, (uint)CSS_FAULT_BOUND);
    from = (from + 2) / 3;
    head[CSS_BOUND_CANDIDATE] = lists[BIND_CANDIDATE] = from;
    head[CSS_BOUND_FEEDING] = lists[BIND_FEEDING] = from += candidates;
    from = 3 * (from + feedings);
    head[CSS_BOUND_CERTAIN] = lists[BIND_CERTAIN] = from;
    lists[BIND_RESIDUAL] = from += certain;
    head[CSS_BOUND_ASK] = from += residuals;
    extra[CSS_EXTRA_INNER] = lists[BIND_AT] = from += asks;
    head[CSS_BOUND_CERTAINS] = fits ? certain : 0;
    head[CSS_BOUND_CANDIDATES] = fits ? candidates : 0;
    head[CSS_BOUND_FEEDINGS] = fits ? feedings : 0;
    head[CSS_BOUND_ASKS] = fits ? asks : 0;
    extra[CSS_EXTRA_ROOM] = lists[BIND_ACTS];
    lists[BIND_FAILED] = !fits;
    for (uint i = 0; i < masks && fits; i++) pool[from + i] = 0;
}

__kernel void css_bind_shapes(CSS_ARGUMENTS, HED_LOCAL(uint, block))
{
    HED_LOCAL_USE(uint, block);
    CSS_ALL;
    uint id = (uint)get_local_id(0), words = (f->predicates + 31) / 32, total;
    __local uint *lists = block, *room = lists + BIND_LISTS, *status = room + GROUP;
    __local uint *asked = status + 2 * words, *rank = asked + words;
    uint each = (words + GROUP - 1) / GROUP, begin = min(id * each, words);
    uint end = min(begin + each, words);
    for (uint shape = (uint)get_group_id(0); shape < f->shapes; shape += (uint)get_num_groups(0)) {
        __global uint *head = bound + f->bound + CSS_BOUND_WORDS * shape;
        __global uint *extra = bound + f->extra + CSS_EXTRA_WORDS * shape;
        bind_status(f, tables, status, shape, id);
        for (uint i = id; i < counts[CSS_COUNT_UNDECIDED]; i += GROUP)
            bind_set(status, bound[f->undecided + i], CSS_UNDECIDED);
        for (uint i = id; i < words; i += GROUP) asked[i] = 0;
        for (uint i = 0; i < BIND_LISTS && id == 0; i++) lists[i] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        bind_compounds(f, tables, bound, pool, status, asked, rank, lists, room, 0, id, 0);
        barrier(CLK_LOCAL_MEM_FENCE);
        uint own = 0;
        for (uint i = begin; i < end; i++) own += (uint)popcount(asked[i]);
        uint at = css_before(room, id, own, &total);
        for (uint i = begin; i < end; i++) {
            rank[i] = at;
            at += (uint)popcount(asked[i]);
        }
        if (id == 0) bind_room(f, head, extra, pool, counts, lists, total);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        uint failed = lists[BIND_FAILED], inner_mask = lists[BIND_AT];
        if (!failed) {
            uint ask = inner_mask - total;
            for (uint i = begin; i < end; i++)
                for (uint left = asked[i], k = rank[i]; left; left &= left - 1, k++)
                    pool[ask + k] = 32 * i + 31 - (uint)clz(left & (0u - left));
            bind_compounds(
                f, tables, bound, pool, status, asked, rank, lists, room, inner_mask, id, 1);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id == 0) {
            uint meant = lists[BIND_MEANT], won;
            ulong hash = css_mix((ulong)lists[BIND_HIGH] << 32 | lists[BIND_LOW], meant);
            uint slot = css_insert(
                bound + f->base_table, f->base_mask, hash, &won, counts, CSS_FAULT_COLLISION);
            if (won) bound[f->base_first + slot] = shape;
            extra[CSS_EXTRA_SLOT] = slot;
            extra[CSS_EXTRA_LOW] = meant ? (uint)hash | 1 : 0;
            extra[CSS_EXTRA_HIGH] = meant ? (uint)(hash >> 32) : 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
