/* Bind on a device: a sheet and the shapes of a forest, see tables.h. Four launches:
 *
 *   css_bind_presence   a group a shape: which predicates some shape has for certain
 *   css_bind_prune      one group: relations that are possible, prefixes that can occur, bits of the
 *                       state for them
 *   css_bind_acts       an item an act: what compounds do to the state, and which finals they end
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

/* Statuses of all predicates that a shape decides. Each way to find them begins at other items, so that
 * loads of one do not wait for those of another. */
CSS_FUNCTION void bind_status(
    const css_fixed *f, __global const uint *tables, __local uint *status, uint number, uint id)
{
    __global const uint *shape = tables + f->shape + CSS_SHAPE_WORDS * number;
    uint words = (f->predicates + 31) / 32 * 2, space = shape[CSS_SHAPE_SPACE];
    uint quirks = space >> 8 & 1, html = (space & 0xff) == 0, classes = shape[CSS_SHAPE_CLASSES];
    uint class_kind = quirks ? CSS_KEY_CLASS_QUIRKS : CSS_KEY_CLASS;
    for (uint i = id; i < words; i += GROUP) status[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = id; i <= classes; i += GROUP)
        bind_key(f, tables, status, shape,
            i == classes
                ? css_key_code(html ? CSS_KEY_TYPE_HTML : CSS_KEY_TYPE, shape[CSS_SHAPE_TAG])
                : css_key_code(class_kind, tables[f->shape_class + shape[CSS_SHAPE_CLASS] + i]));
    for (uint i = (id + GROUP / 4) % GROUP; i < f->always_count; i += GROUP) {
        uint p = tables[f->always + i];
        if (css_holds_on(tables + f->predicate + CSS_P_WORDS * p, shape))
            bind_set(status, p, CSS_TRUE);
    }
    for (uint i = (id + GROUP / 2) % GROUP; i < shape[CSS_SHAPE_FACTS]; i += GROUP)
        bind_set(status, tables[f->shape_fact + shape[CSS_SHAPE_FACT] + i], CSS_TRUE);
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* The even bits of a word, next to each other. */
CSS_FUNCTION uint bind_even_bits(uint word)
{
    word &= 0x55555555u;
    word = (word | word >> 1) & 0x33333333u;
    word = (word | word >> 2) & 0x0f0f0f0fu;
    word = (word | word >> 4) & 0x00ff00ffu;
    return (word | word >> 8) & 0x0000ffffu;
}

__kernel void css_bind_presence(CSS_ARGUMENTS, HED_LOCAL(uint, block))
{
    HED_LOCAL_USE(uint, block);
    CSS_ALL;
    uint id = (uint)get_local_id(0), words = (f->predicates + 31) / 32;
    uint shape = (uint)get_group_id(0);
    bind_status(f, tables, block, shape, id);
    for (uint i = id; i < words; i += GROUP) {
        uint held = bind_even_bits(block[2 * i]) | bind_even_bits(block[2 * i + 1]) << 16;
        if (held) atomic_or(bound + f->present + i, held);
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

/* What css_bind_prune counts in local memory. */
enum bind_found { BIND_ROWS, BIND_MARKS, BIND_RELATIONS, BIND_STAGES, BIND_COUNTING, BIND_FOUND };

/* Relations, a stage after the other; their places among marks. */
CSS_FUNCTION void bind_relations(const css_fixed *f, __global const uint *tables,
    __global uint *bound, __local uint *found, volatile __local uint *possible, uint id)
{
    for (uint stage = 0; stage < f->stage_count; stage++) {
        uint end = tables[f->stage_begin + stage + 1];
        for (uint i = tables[f->stage_begin + stage] + id; i < end; i += GROUP) {
            uint p = tables[f->stage_relation + i], is = 0;
            __global const uint *predicate = tables + f->predicate + CSS_P_WORDS * p;
            uint counting = predicate[0] == CSS_P_COUNT, where = predicate[1];
            uint feed = counting ? where >> 1 : predicate[2];
            uint last = tables[f->feed_begin + feed + 1];
            for (uint k = tables[f->feed_begin + feed]; k < last && !is; k++)
                is = bind_possible(f, tables, possible, tables[f->feed_compound + k]);
            if (!is) continue;
            uint in_row = !counting && (where == CSS_FROM_EARLIER || where == CSS_FROM_LATER);
            atomic_or(possible + (p >> 5), 1u << (p & 31));
            bound[f->possible + p] = 1;
            bound[f->mark + p] = atomic_inc(found + (in_row ? BIND_ROWS : BIND_MARKS));
            bound[f->undecided + f->position_count + atomic_inc(found + BIND_RELATIONS)] = p;
            bound[f->needed + feed] = 1;
            if (counting) found[BIND_COUNTING] = 1;
            found[BIND_STAGES] = stage + 1; /* the greatest: a stage is after the other */
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

CSS_FUNCTION void bind_mark(volatile __local uint *bits, uint bit)
{
    atomic_or(bits + (bit >> 5), 1u << (bit & 31));
}

/* Prefixes that can occur, and their bits: those for all below, then those for children. `occurs`: a bit
 * a node whose own compound can occur; `used`: the bits that there are, of 2 N; `rank`: how many before
 * each word of these. */
CSS_FUNCTION void bind_nodes(const css_fixed *f, __global const uint *tables, __global uint *bound,
    __global uint *counts, volatile __local const uint *possible, __local uint *occurs,
    __local uint *used, __local uint *rank, __local uint *room, uint id)
{
    uint nodes = f->nodes, words = (2 * nodes + 31) / 32, each = (words + GROUP - 1) / GROUP;
    uint begin = min(id * each, words), end = min(begin + each, words), own = 0, total;
    for (uint n = id; n < nodes; n += GROUP)
        if (bind_possible(f, tables, possible, tables[f->node + 4 * n])) bind_mark(occurs, n);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint n = id; n < nodes; n += GROUP) {
        uint uses = tables[f->node + 4 * n + 3], above = n;
        while (above != CSS_NONE && occurs[above >> 5] >> (above & 31) & 1)
            above = tables[f->node + 4 * above + 1];
        if (above != CSS_NONE) continue;
        if (uses & 1) bind_mark(used, n);
        if (uses & 2) bind_mark(used, nodes + n);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = begin; i < end; i++) own += (uint)popcount(used[i]);
    uint at = css_before(room, id, own, &total);
    for (uint i = begin; i < end; i++) {
        rank[i] = at;
        at += (uint)popcount(used[i]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = id; i < 2 * nodes; i += GROUP) {
        uint word = used[i >> 5], bit = 1u << (i & 31);
        uint number = rank[i >> 5] + (uint)popcount(word & (bit - 1));
        uint to = i < nodes ? 2 * i : 2 * (i - nodes) + 1;
        bound[f->node_bit + to] = word & bit ? number : CSS_NONE;
        if (i == nodes) counts[CSS_COUNT_HANDED] = number;
    }
    if (id == 0) counts[CSS_COUNT_STATES] = total;
}

/* What was counted, and whether there is room for it. */
CSS_FUNCTION void bind_count(const css_fixed *f, __global uint *counts, __local const uint *found)
{
    uint states = counts[CSS_COUNT_STATES]; /* by this item */
    counts[CSS_COUNT_ROWS] = found[BIND_ROWS];
    counts[CSS_COUNT_MARKS] = found[BIND_MARKS];
    counts[CSS_COUNT_STAGES] = found[BIND_STAGES];
    counts[CSS_COUNT_COUNTING] = found[BIND_COUNTING];
    counts[CSS_COUNT_UNDECIDED] = f->position_count + found[BIND_RELATIONS];
    if ((states + 31) / 32 > f->state_words || found[BIND_ROWS] > f->rows ||
        found[BIND_STAGES] > f->stages || found[BIND_MARKS] > 32 * f->mark_words)
        atomic_or(counts + CSS_COUNT_FAULTS, (uint)CSS_FAULT_BOUND);
}

__kernel void css_bind_prune(CSS_ARGUMENTS, HED_LOCAL(uint, block))
{
    HED_LOCAL_USE(uint, block);
    CSS_ALL;
    uint id = (uint)get_local_id(0), words = (f->predicates + 31) / 32;
    uint node_words = (f->nodes + 31) / 32;
    __local uint *room = block, *found = room + GROUP, *possible = found + BIND_FOUND;
    __local uint *occurs = possible + words, *used = occurs + node_words;
    __local uint *rank = used + 2 * node_words;
    for (uint i = id; i < words; i += GROUP) possible[i] = bound[f->present + i];
    for (uint i = id; i < 3 * node_words; i += GROUP) occurs[i] = 0; /* and `used` */
    for (uint i = id; i < BIND_FOUND; i += GROUP) found[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = id; i < f->position_count; i += GROUP) {
        uint p = tables[f->positions + i];
        bound[f->undecided + i] = p;
        bind_mark(possible, p);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    bind_relations(f, tables, bound, found, possible, id);
    bind_nodes(f, tables, bound, counts, possible, occurs, used, rank, room, id);
    if (id == 0) bind_count(f, counts, found);
}

/* ---- what compounds do ---- */

/* The bit that an act needs: CSS_NONE, none; *can: it can be there. */
CSS_FUNCTION uint bind_needs(
    const css_fixed *f, __global const uint *bound, uint node, uint parent, uint *can)
{
    uint bit = node == CSS_NONE ? CSS_NONE : bound[f->node_bit + 2 * node + (parent ? 1 : 0)];
    *can = node == CSS_NONE || bit != CSS_NONE;
    return bit;
}

/* Final `i` of all compounds' finals. */
CSS_FUNCTION void bind_final(
    const css_fixed *f, __global const uint *tables, __global uint *bound, uint i)
{
    uint c = tables[f->final_owner + i], n = tables[f->compound_final + i], can;
    __global const uint *final = tables + f->final + 4 * n;
    uint need = bind_needs(f, bound, final[0], final[1], &can);
    if (!can) return;
    uint at = tables[f->final_begin + c] + atomic_inc(bound + f->act_count + 2 * c + 1);
    bound[f->final_act + 2 * at] = need;
    bound[f->final_act + 2 * at + 1] = n;
    bound[f->live + c] = 1;
}

/* Node `i` of all compounds' nodes: a bit for all below, a bit for children. */
CSS_FUNCTION void bind_inner(
    const css_fixed *f, __global const uint *tables, __global uint *bound, uint i)
{
    uint c = tables[f->inner_owner + i], n = tables[f->inner + i], can;
    __global const uint *node = tables + f->node + 4 * n;
    uint need = bind_needs(f, bound, node[1], node[2], &can);
    for (uint kind = 0; kind < 2 && can; kind++) {
        uint bit = bound[f->node_bit + 2 * n + kind];
        if (bit == CSS_NONE) continue;
        uint at = 2 * tables[f->inner_begin + c] + atomic_inc(bound + f->act_count + 2 * c);
        bound[f->inner_act + 2 * at] = need;
        bound[f->inner_act + 2 * at + 1] = bit;
        bound[f->live + c] = 1;
    }
}

/* Acts of a compound are in no order. */
__kernel void css_bind_acts(CSS_ARGUMENTS)
{
    CSS_ALL;
    uint acts = f->finals + f->inners, end = acts + f->feeders;
    for (uint i = (uint)get_global_id(0); i < end; i += (uint)get_global_size(0)) {
        if (i < f->finals) bind_final(f, tables, bound, i);
        else if (i < acts) bind_inner(f, tables, bound, i - f->finals);
        else if (bound[f->needed + tables[f->fed + i - acts]])
            bound[f->live + tables[f->fed_owner + i - acts]] = 1;
    }
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
    BIND_HELD,  /* compounds that may hold, in room of their own until it is known what they need */
    BIND_HELD_AT,
    BIND_FAILED,
    BIND_AT,
    BIND_LISTS = 16
};

/* How many literals of a compound are left. Their predicates are marked in `asked`, or (`write`) they are
 * written. */
CSS_FUNCTION uint bind_residual(const css_fixed *f, __global const uint *tables,
    __local const uint *status, __local uint *asked, __local const uint *rank, uint c,
    __global uint *to, uint write)
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
            if (write) {
                uint below = asked[p >> 5] & ((1u << (p & 31)) - 1);
                to[count] = (rank[p >> 5] + (uint)popcount(below)) << 1 | (l & 1);
            } else {
                atomic_or(asked + (p >> 5), 1u << (p & 31));
            }
            count++;
        }
        if (write && count > from) to[count - 1] |= CSS_LAST_OF_CLAUSE;
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

/* A compound that is tried: where it may hold, it is kept with what room it needs: twice its number, and
 * 1 where literals are left; the first of these, their count. */
CSS_FUNCTION void bind_try(const css_fixed *f, __global const uint *tables,
    __global const uint *bound, __global uint *pool, __local const uint *status,
    __local uint *asked, __local uint *lists, uint c)
{
    if (!bound[f->live + c]) return;
    uint s = css_compound_status(tables + f->literal, tables[f->literal_begin + c],
        tables[f->literal_begin + c + 1], status);
    if (s == CSS_FALSE) return;
    uint left = s == CSS_UNDECIDED, count = 0, first = 0, feeds = 0, to = lists[BIND_HELD_AT];
    if (left) {
        count = bind_residual(f, tables, status, asked, asked, c, pool, 0);
        first = atomic_add(lists + BIND_RESIDUAL, count);
    }
    for (uint i = tables[f->fed_begin + c]; i < tables[f->fed_begin + c + 1]; i++)
        feeds += bound[f->needed + tables[f->fed + i]];
    uint at = atomic_inc(lists + BIND_HELD);
    atomic_inc(lists + (left ? BIND_CANDIDATE : BIND_CERTAIN));
    if (feeds) atomic_add(lists + BIND_FEEDING, feeds);
    atomic_add(lists + BIND_ACTS, bound[f->act_count + 2 * c] + bound[f->act_count + 2 * c + 1]);
    if (to == CSS_NONE) return;
    pool[to + 3 * at] = c << 1 | left;
    pool[to + 3 * at + 1] = first;
    pool[to + 3 * at + 2] = count;
}

/* A compound that was kept: its entries in the lists. */
CSS_FUNCTION void bind_write(const css_fixed *f, __global const uint *tables,
    __global const uint *bound, __global uint *pool, __local const uint *status,
    __local uint *asked, __local const uint *rank, __local uint *lists, uint held)
{
    uint c = pool[held] >> 1, left = pool[held] & 1, count = pool[held + 2], first = 0, bare = 1;
    uint inner = bound[f->act_count + 2 * c], inner_mask = lists[BIND_AT];
    uint at = atomic_inc(lists + (left ? BIND_CANDIDATE : BIND_CERTAIN));
    if (left) {
        first = lists[BIND_RESIDUAL] + pool[held + 1];
        bind_residual(f, tables, status, asked, rank, c, pool + first, 1);
        pool[3 * at] = c;
        pool[3 * at + 1] = first;
        pool[3 * at + 2] = count;
        bare = bind_holds_bare(pool + first, count);
        for (uint i = 0; i < count && inner; i++) {
            uint bit = (pool[first + i] & ~CSS_LAST_OF_CLAUSE) >> 1;
            atomic_or(pool + inner_mask + (bit >> 5), 1u << (bit & 31));
        }
    } else {
        pool[at] = c;
    }
    for (uint i = tables[f->fed_begin + c]; i < tables[f->fed_begin + c + 1]; i++) {
        uint feed = tables[f->fed + i];
        if (!bound[f->needed + feed]) continue;
        at = atomic_inc(lists + BIND_FEEDING);
        pool[3 * at] = feed;
        pool[3 * at + 1] = first;
        pool[3 * at + 2] = count;
    }
    if (inner && bare) {
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

/* Compound `j` of the buckets of predicates that may hold; CSS_NONE: it is tried through another one. */
CSS_FUNCTION uint bind_tried(const css_fixed *f, __global const uint *tables,
    __local const uint *status, __local const uint *room, uint each, uint j)
{
    uint from = 0, to = GROUP - 1; /* the first item whose sum is above j */
    while (from < to) {
        uint middle = (from + to) / 2;
        if (room[middle] > j) to = middle;
        else from = middle + 1;
    }
    uint left = from ? j - room[from - 1] : j, p = 16 * each * from;
    for (;; p++) {
        uint count = css_status_of(status, p) ? bind_bucket(f, tables, p) : 0;
        if (left < count) break;
        left -= count;
    }
    uint c = tables[f->bucket + tables[f->bucket_begin + p] + left];
    return css_tried_by(tables + f->literal, tables[f->literal_begin + c], status, p) ? c
                                                                                      : CSS_NONE;
}

/* All compounds that may hold, through the buckets of predicates that may: an item counts what its words
 * of statuses lead to, then the items share it out. */
CSS_FUNCTION void bind_compounds(const css_fixed *f, __global const uint *tables,
    __global const uint *bound, __global uint *pool, volatile __global uint *counts,
    __local const uint *status, __local uint *asked, __local uint *lists, __local uint *room,
    uint id)
{
    uint words = (f->predicates + 15) / 16, each = (words + GROUP - 1) / GROUP, length = 0, total;
    for (uint i = id * each; i < words && i < (id + 1) * each; i++)
        for (uint p = 16 * i, own = status[i]; own; p++, own >>= 2)
            if (own & 3) length += bind_bucket(f, tables, p);
    css_before(room, id, length, &total);
    total += f->universal_count;
    if (id == 0) {
        uint at = atomic_add(counts + CSS_COUNT_POOL, 3 * total);
        uint fits = at + 3 * total <= f->pool_room && at + 3 * total >= at;
        lists[BIND_HELD_AT] = fits ? at : CSS_NONE;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = id; j < total; j += GROUP) {
        uint c = j < f->universal_count
                     ? tables[f->universal + j]
                     : bind_tried(f, tables, status, room, each, j - f->universal_count);
        if (c != CSS_NONE) bind_try(f, tables, bound, pool, status, asked, lists, c);
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
    fits = fits && lists[BIND_HELD_AT] != CSS_NONE;
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
    uint end = min(begin + each, words), undecided = counts[CSS_COUNT_UNDECIDED];
    uint shape = (uint)get_group_id(0);
    __global uint *head = bound + f->bound + CSS_BOUND_WORDS * shape;
    __global uint *extra = bound + f->extra + CSS_EXTRA_WORDS * shape;
    bind_status(f, tables, status, shape, id);
    for (uint i = id; i < undecided; i += GROUP)
        bind_set(status, bound[f->undecided + i], CSS_UNDECIDED);
    for (uint i = id; i < words; i += GROUP) asked[i] = 0;
    for (uint i = 0; i < BIND_LISTS && id == 0; i++) lists[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    bind_compounds(f, tables, bound, pool, counts, status, asked, lists, room, id);
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
    if (!lists[BIND_FAILED]) {
        uint ask = lists[BIND_AT] - total;
        for (uint i = begin; i < end; i++)
            for (uint left = asked[i], k = rank[i]; left; left &= left - 1, k++)
                pool[ask + k] = 32 * i + 31 - (uint)clz(left & (0u - left));
        for (uint i = id; i < lists[BIND_HELD]; i += GROUP)
            bind_write(
                f, tables, bound, pool, status, asked, rank, lists, lists[BIND_HELD_AT] + 3 * i);
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
}
