/* Kernel of all substeps of a submission in one launch: the launches of the solver of colours as
 * tasks of resident groups. Where a group reads results of others it meets them at a barrier over
 * all groups, else its own items meet. Where there is no such barrier, it is one group. KINDS: bits
 * of the kinds of tasks that exist. */
#ifndef WG
#define WG 128
#endif
#ifndef KINDS
#define KINDS 0x3fff
#endif
#ifndef CLUSTER
#define CLUSTER 0 /* 1: all groups are one cluster */
#endif
#ifndef SOLVE
#define SOLVE 1
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "particle.h"
#include "chain.h"
#include "line.h"
#include "line_group.h"
#include "chain_group.h"
#include "element_patch.h"
#include "element_patch_group.h"
#include "cooperative_tasks.h"
#include "sweep_wide.h"
#include "cell_bands.h"
#endif

#if CLUSTER
#define cooperative_meet(state) ((void)(state), hed_cluster_barrier())
#elif HED_HAS_GRID_BARRIER
#define cooperative_meet(state) hed_grid_barrier(state)
#else /* one group */
#define cooperative_meet(state) ((void)(state), barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE))
#endif
#define HAS(kind) (KINDS >> (kind)&1u)
#define SENDS (HED_HAS_PACKETS && HAS(CLOTH_DO_NEARBY))

/* ---- lines and chains, several at once ---- */

/* Words of the line or chain of an item, and of the chain its edge; source of its place, if that is a
 * particle: loaded before the groups meet, since loads after it begin with an empty cache, and the
 * words a task earlier. */
typedef struct cooperative_words {
    uint4 a, b;
} cooperative_words;

CLOTH_FUNCTION uint cooperative_has_lines(uint4 task)
{
    uint kind = cloth_task_kind(task);
    return kind == CLOTH_DO_LINES || kind == CLOTH_DO_CHAINS;
}

CLOTH_FUNCTION uint cooperative_is_at_particles(uint4 task)
{
    return !HED_STRICT && HAS(CLOTH_DO_SWEEPS) && cloth_task_kind(task) == CLOTH_DO_SWEEPS &&
           (task.w & CLOTH_DO_AT_PARTICLES);
}

/* Loads the words of a task. `at`: first line or chain, `end`: after the group's last one; `sources`: of
 * CLOTH_PLACES. */
CLOTH_FUNCTION cooperative_words cooperative_look(uint4 task, uint at, uint end,
    cloth_lines_view lines, cloth_chains_view chains, __global const uint4 *sources, uint item)
{
    cooperative_words words = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    uint places = cloth_task_places(task), lattice = (uint)get_group_id(0);
    if (cooperative_is_at_particles(task) && lattice < cloth_task_lattices(task) && item < places)
        words.a = sources[2 * (task.z + lattice * places + item)];
    at += item >> cloth_task_bits(task);
    if (!cooperative_has_lines(task) || at >= end) return words;
    __global const uint4 *from =
        cloth_task_kind(task) == CLOTH_DO_LINES ? lines.lines : chains.chains;
    words.a = from[2 * (task.y + at)];
    words.b = from[2 * (task.y + at) + 1];
    return words;
}

CLOTH_FUNCTION cloth_chain_edge cooperative_edge(
    uint4 task, cooperative_words words, cloth_chains_view chains, uint item)
{
    cloth_chain_edge edge = {0.0f, 0.0f, 0.0f};
    if (HAS(CLOTH_DO_CHAINS) && cloth_task_kind(task) == CLOTH_DO_CHAINS && words.a.y)
        edge = chain_edge_at(item & ((1u << cloth_task_bits(task)) - 1u),
            cloth_chain_at_of(words.a, words.b), chains);
    return edge;
}

/* ---- points sent from group to group ---- */

/* `number`: tasks so far that sent packets; packets of the latest one have its parity. */
typedef struct cooperative_mail {
    __global uint4 *packets;
    uint particles, number;
} cooperative_mail;

#if SENDS
/* Meets the groups with rows nearby, after a barrier of the group's items. */
CLOTH_FUNCTION void cooperative_meet_near(
    __global uint4 *signals, cloth_cell_bands bands, uint number, uint item)
{
    uint group = (uint)get_group_id(0),
         neighbour = group + item - CLOTH_NEAR_GROUPS; /* wraps below 0 */
    signals += (number & 1u) * bands.groups;
    if (item == CLOTH_NEAR_GROUPS) {
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        hed_packet_put(signals + group, hed_u4(0, 0, 0, number));
    }
    /* no group waits for one without rows, whose neighbours may be two signals ahead */
    if (item <= 2u * CLOTH_NEAR_GROUPS && group >= bands.first_group && group < bands.end_group &&
        neighbour >= bands.first_group && neighbour < bands.end_group) {
        uint4 ignored;
        hed_packet_wait(signals + neighbour, number, CLOTH_COOPERATIVE_POLLS, &ignored);
        mem_fence(CLK_GLOBAL_MEM_FENCE);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

/* Lets the first group wait for all others, after a barrier of the group's items. `number`: one of the substep,
 * since groups skip tasks of others. */
CLOTH_FUNCTION void cooperative_meet_first(
    __global uint4 *signals, uint groups, uint number, uint item)
{
    uint group = (uint)get_group_id(0);
    uint4 ignored;
    if (group > 0u && item == 0u) {
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        hed_packet_put(signals + group, hed_u4(0, 0, 0, number));
    }
    if (group > 0u) return;
    for (uint other = item + 1u; other < groups; other += WG)
        hed_packet_wait(signals + other, number, CLOTH_COOPERATIVE_POLLS, &ignored);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

/* Returns a point that the task before sent. */
CLOTH_FUNCTION float4 cooperative_taken(uint point, float weight, cooperative_mail mail)
{
    uint4 value = {0, 0, 0, 0};
    hed_packet_wait(mail.packets + (mail.number & 1u) * mail.particles + point, mail.number,
        CLOTH_COOPERATIVE_POLLS, &value);
    return hed_f4(as_float(value.x), as_float(value.y), as_float(value.z), weight);
}

CLOTH_FUNCTION void cooperative_send(uint point, float4 at, cooperative_mail mail)
{
    uint number = mail.number + 1u;
    uint4 value = {as_uint(at.x), as_uint(at.y), as_uint(at.z), number};
    hed_packet_put(mail.packets + (number & 1u) * mail.particles + point, value);
}

/* Item of a chain whose points the task before sent. A chain has fewer edges than items. `points`: one for
 * each item of the group. */
CLOTH_FUNCTION chain_item cooperative_take(
    chain_item i, cloth_chains_view view, cooperative_mail mail, __local float4 *points)
{
    uint at = i.chain.first + i.lane * i.chain.step;
    float4 point = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    if (i.is_edge && view.pass >= 2) i.edge.pulled = view.pulled[i.chain.edges + i.lane];
    if (i.chain.count && i.lane <= i.chain.count)
        point = cooperative_taken(at, view.points[at].w, mail);
    points[i.item] = point;
    barrier(CLK_LOCAL_MEM_FENCE);
    i.a = point;
    if (i.is_edge) i.b = points[i.item + 1u];
    return i;
}

/* Stores the particles of a line that the task before sent. */
CLOTH_FUNCTION void cooperative_take_line(
    cloth_line_at line, __global float4 *position, cooperative_mail mail, uint lane, uint width)
{
    for (uint j = lane; line.count && j < line.count + 2u; j += width) {
        uint at = line.first + j * line.step;
        position[at] = cooperative_taken(at, position[at].w, mail);
    }
    cloth_meet(width);
}

/* Solves a chain as chain_reduce(). Locked points are sent, too. Points are held in their
 * slots (chain_slot()). */
CLOTH_FUNCTION void cooperative_chain(uint4 task, cooperative_words words, cloth_chain_edge edge,
    cloth_chains_view view, float stiffness, cooperative_mail mail, uint item,
    __local float4 *memory)
{
    uint width = 1u << cloth_task_bits(task);
    cloth_chain_at chain = cloth_chain_at_of(words.a, words.b);
    if (chain_warp_is_idle(chain, width)) return;
    chain_item i = chain_item_of(chain, edge, item, width);
    if (task.w & CLOTH_DO_TAKE) i = cooperative_take(i, view, mail, memory + 4 * WG);
    else i = chain_item_at(chain, edge, view, item, width);
    /* tasks before have stored particles, or the points would have come in packets */
    i.fences = (task.w & CLOTH_DO_SEND) && !(task.w & CLOTH_DO_TAKE);
    chain_pulls pulls = chain_solve(i, view.pass, stiffness, cloth_task_longest(task), memory);
    uint at = chain.first + i.lane * chain.step, is_last = i.lane + 1u == chain.count,
         sends = task.w & CLOTH_DO_SEND;
    float4 a = cloth_chain_moved(i.a, pulls.unit, pulls.last),
           b = cloth_chain_moved(i.b, hed_f4(0.0f, 0.0f, 0.0f, 0.0f), pulls.unit);
    if (view.pass == CLOTH_LIMIT_PASS) {
        chain_shorten_points(i, view, pulls, stiffness, cloth_task_longest(task), memory);
        if (task.w & CLOTH_DO_HOLD) return;
        a = memory[chain_slot(i, i.lane)];
        b = memory[chain_slot(i, i.lane + 1u)];
    }
    if (task.w & CLOTH_DO_HOLD)
        barrier(CLK_LOCAL_MEM_FENCE); /* items have read their multipliers */
    if (!i.is_edge) return;
    if (sends) cooperative_send(at, a, mail);
    else if (task.w & CLOTH_DO_HOLD) memory[chain_slot(i, i.lane)] = a;
    else if (a.w > 0.0f) view.points[at] = a;
    if (is_last && sends) cooperative_send(at + chain.step, b, mail);
    else if (is_last && (task.w & CLOTH_DO_HOLD)) memory[chain_slot(i, i.lane + 1u)] = b;
    else if (is_last && b.w > 0.0f) view.points[at + chain.step] = b;
    if (CLOTH_CHAINS_KEEP(view.pass)) cloth_chain_keep(chain.edges + i.lane, pulls.unit.w, view);
}
#endif

/* ---- the lines or chains of a group ---- */

/* Solves the group's lines or chains of a task. `words`, `edge`: of the first ones. */
CLOTH_FUNCTION void cooperative_solve(uint4 task, uint begin, uint end, cooperative_words words,
    cloth_chain_edge edge, cloth_lines_view lines, cloth_chains_view chains, float stiffness,
    cooperative_mail mail, uint item, __local float4 *memory)
{
    uint bits = cloth_task_bits(task);
    (void)mail;
    CLOTH_ROLLED
    for (uint at = begin; at < end; at += (uint)WG >> bits) {
        if (at > begin) {
            words = cooperative_look(task, at, end, lines, chains, 0, item);
            edge = cooperative_edge(task, words, chains, item);
        }
#if SENDS
        if (HAS(CLOTH_DO_LINES) && cloth_task_kind(task) == CLOTH_DO_LINES &&
            (task.w & CLOTH_DO_TAKE))
            cooperative_take_line(cloth_line_at_of(words.a, words.b), lines.position, mail,
                item & ((1u << bits) - 1u), 1u << bits);
#endif
        if (HAS(CLOTH_DO_LINES) && cloth_task_kind(task) == CLOTH_DO_LINES)
#if HED_STRICT
            line_reduce(
                cloth_line_at_of(words.a, words.b), lines, stiffness, 1u << bits, item, memory);
#else
            line_reduce(cloth_line_at_of(words.a, words.b), lines, stiffness, 1u << bits,
                cloth_task_longest(task), item, memory, (__local uint *)(memory + 4 * WG));
#endif
        if (HAS(CLOTH_DO_CHAINS) && cloth_task_kind(task) == CLOTH_DO_CHAINS)
#if SENDS
            cooperative_chain(task, words, edge, chains, stiffness, mail, item, memory);
#else
            chain_reduce(cloth_chain_at_of(words.a, words.b), edge, chains, stiffness, 1u << bits,
                cloth_task_longest(task), item, memory);
#endif
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}

/* ---- sweeps over places in local memory ---- */

/* Number in local memory of a place; places of a column that are 16 apart have different banks. */
CLOTH_FUNCTION uint cooperative_place(uint place) { return place + (place >> 4); }

/* Copies the places of the group's lattice to local memory. */
CLOTH_FUNCTION void cooperative_take_places(
    __global const float4 *points, uint places, uint item, __local float4 *copies)
{
    CLOTH_ROLLED
    for (uint i = item; i < places; i += SEVERAL * WG) {
        float4 place[SEVERAL];
        for (uint k = 0; k < SEVERAL; k++) place[k] = points[min(i + k * WG, places - 1u)];
        for (uint k = 0; k < SEVERAL; k++)
            if (i + k * WG < places) copies[cooperative_place(i + k * WG)] = place[k];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

#if HED_HAS_LANES && HED_STRICT
/* Item of chain `number` of `count`, the first of which is chain `first`; else an item of no chain. */
CLOTH_FUNCTION chain_item cooperative_side_of(
    uint first, uint number, uint count, uint item, uint width, cloth_chains_view chains)
{
    const cloth_chain_at no_chain = {0, 0, 0, 0, 0.0f, 0.0f, 0.0f};
    const cloth_chain_edge no_edge = {0.0f, 0.0f, 0.0f};
    if (number >= count) return chain_item_of(no_chain, no_edge, item, width);
    cloth_chain_at chain = cloth_chain_of(chains.chains, first + number);
    return chain_item_of(chain, chain_edge_at(item & (width - 1u), chain, chains), item, width);
}

/* Solves an item's chain of places in local memory, the first of which is point `base`. */
CLOTH_FUNCTION void cooperative_pull(chain_item i, uint base, cloth_chains_view chains,
    float stiffness, __local float4 *copies, __local float4 *memory)
{
    uint place = i.chain.first - base + i.lane * i.chain.step, first = cooperative_place(place),
         second = cooperative_place(place + i.chain.step), e = i.chain.edges + i.lane;
    if (chain_warp_is_idle(i.chain, i.width)) return;
    if (i.is_edge) {
        if (chains.pass >= 2) i.edge.pulled = chains.pulled[e];
        i.a = copies[first];
        i.b = copies[second];
        i.turns = chains.turns;
    }
    if (i.is_edge && chains.turns) {
        i.past_a = chains.before[chains.turns + base + place];
        i.past_b = chains.before[chains.turns + base + place + i.chain.step];
    }
    chain_pulls pulls = chain_solve(i, chains.pass, stiffness, i.width, memory);
    if (i.is_edge && i.a.w > 0.0f) copies[first] = cloth_chain_moved(i.a, pulls.unit, pulls.last);
    if (i.is_edge && i.lane + 1u == i.chain.count && i.b.w > 0.0f)
        copies[second] = cloth_chain_moved(i.b, hed_f4(0.0f, 0.0f, 0.0f, 0.0f), pulls.unit);
    if (i.is_edge && CLOTH_CHAINS_KEEP(chains.pass)) cloth_chain_keep(e, pulls.unit.w, chains);
}

/* Sweeps over the places of the group's lattice; the first chains of both directions stay in
 * registers. */
CLOTH_FUNCTION void cooperative_sweep(
    uint4 task, cloth_chains_view chains, float stiffness, uint item, __local float4 *memory)
{
    uint bits = cloth_task_side_bits(task), width = 1u << bits, pass = cloth_task_pass(task),
         lattice = (uint)get_group_id(0), places = cloth_task_places(task),
         base = task.z + lattice * places, number = item >> bits, warps = cloth_task_warp(task),
         wefts = cloth_task_weft(task), warp_at = task.y + lattice * warps,
         weft_at = task.y + cloth_task_lattices(task) * warps + lattice * wefts;
    __local float4 *copies = memory + 2 * WG;
    cooperative_take_places(chains.points + base, places, item, copies);
    chain_item warp = cooperative_side_of(warp_at, number, warps, item, width, chains),
               weft = cooperative_side_of(weft_at, number, wefts, item, width, chains);
    CLOTH_ROLLED
    for (uint half_sweep = 0; half_sweep < cloth_task_halves(task); half_sweep++) {
        uint is_weft = half_sweep & 1u, count = is_weft ? wefts : warps;
        chain_item side = is_weft ? weft : warp;
        chains.pass = pass && half_sweep > 1u ? 2u : pass;
        CLOTH_ROLLED
        for (uint chain = 0; chain < count; chain += (uint)WG >> bits) {
            if (chain > 0)
                side = cooperative_side_of(
                    is_weft ? weft_at : warp_at, chain + number, count, item, width, chains);
            cooperative_pull(side, base, chains, stiffness, copies, memory);
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    CLOTH_ROLLED
    for (uint i = item; i < places; i += WG) chains.points[base + i] = copies[cooperative_place(i)];
}
#elif HED_HAS_LANES
/* Edge of an item in all sweeps along a direction: numbers of its places (cooperative_place()), edges of
 * its chain (0: no chain), number of its multiplier; minimum and maximum length, m; give; factors of
 * the elements before and after the diagonal and of the right side, all divided by the diagonal;
 * inverse masses; unit vector of the edge at the substep's start, or 0 (cloth_chain_axis()). */
typedef struct cooperative_side {
    uint first, second, count, pull;
    float low, high, give, before, after, inverse, first_weight, second_weight;
    float past_x, past_y, past_z;
} cooperative_side;

/* `number` >= `count`: no chain; `pull`: number of the multiplier of the item. */
CLOTH_FUNCTION cooperative_side cooperative_side_of(uint first, uint number, uint count, uint lane,
    uint pull, cloth_chains_view chains, float stiffness, __local const float4 *held, uint base)
{
    cooperative_side side = {
        0, 0, 0, 0, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    if (number >= count) return side;
    cloth_chain_at chain = cloth_chain_of(chains.chains, first + number);
    cloth_chain_edge edge = chain_edge_at(lane, chain, chains);
    uint at = chain.first - base + min(lane, chain.count - 1u) * chain.step;
    side.first = cooperative_place(at);
    side.second = cooperative_place(at + chain.step);
    side.count = chain.count;
    side.pull = pull;
    side.low = chain.low * edge.rest;
    side.high = chain.high * edge.rest;
    side.first_weight = held[side.first].w;
    side.second_weight = held[side.second].w;
    float weight = side.first_weight + side.second_weight;
    side.give = cloth_chain_give(edge.compliance, stiffness, chain.soften, weight);
    if (lane < chain.count)
        side.inverse = cloth_inverse(fma(weight, CLOTH_CHAIN_SCALE, 1e-20f + side.give));
    if (lane > 0u) side.before = -side.first_weight * side.inverse;
    if (lane + 1u < chain.count) side.after = -side.second_weight * side.inverse;
    if (chains.turns) {
        __global const float4 *past = chains.before + chains.turns + base + at;
        float4 way = cloth_from(past[chain.step], past[0]);
        float part =
            hed_near_rsqrt(fma(way.x, way.x, fma(way.y, way.y, fma(way.z, way.z, 1e-24f))));
        side.past_x = way.x * part;
        side.past_y = way.y * part;
        side.past_z = way.z * part;
    }
    return side;
}

/* Solves an item's chain of places as chain_solve_in_warp(). Elements of a row that lead out of its
 * chain are 0, so that lanes of other chains need no test. `pass`: of CLOTH_CHAINS. */
CLOTH_FUNCTION void cooperative_pull(cooperative_side side, uint lane, uint width, uint pass,
    __local float4 *held, __local float *pulls)
{
    if (!hed_lane_shuffle(side.count, 0)) return; /* a warp without a chain */
    /* a lane without a chain reads a place of its warp's first one: other warps write theirs */
    uint id = hed_lane_id(), before = id - 1u, of_warp = hed_lane_shuffle(side.first, 0);
    float4 a = held[side.count ? side.first : of_warp],
           b = held[side.count ? side.second : of_warp];
    float pulled = pass == 2u && lane < side.count ? pulls[side.pull] : 0.0f;
    float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z,
          square = fma(x, x, fma(y, y, fma(z, z, 1e-24f))), part = hed_near_rsqrt(square),
          length = square * part;
    float right = length - hed_min(hed_max(length, side.low), side.high);
    right = fma(-side.give, pulled, right);
    if (side.low < side.high && right == 0.0f) part = 0.0f;
    x *= part;
    y *= part;
    z *= part;
    float unit_x = x, unit_y = y, unit_z = z,
          turn = fma(x, side.past_x, fma(y, side.past_y, z * side.past_z));
    if (turn > 0.5f) { /* mean of both directions: cloth_chain_axis() */
        part = cloth_inverse(1.0f + turn);
        x = (x + side.past_x) * part;
        y = (y + side.past_y) * part;
        z = (z + side.past_z) * part;
    }
    float last_x = hed_lane_shuffle(x, before), last_y = hed_lane_shuffle(y, before),
          last_z = hed_lane_shuffle(z, before), next_x = hed_lane_shuffle(x, id + 1u),
          next_y = hed_lane_shuffle(y, id + 1u), next_z = hed_lane_shuffle(z, id + 1u);
    cloth_chain_row me;
    me.before = side.before * fma(last_x, unit_x, fma(last_y, unit_y, last_z * unit_z));
    me.after = side.after * fma(next_x, unit_x, fma(next_y, unit_y, next_z * unit_z));
    me.right = side.inverse * right;
    CLOTH_ROLLED
    for (uint step = 1; step < width; step *= 2) {
        cloth_chain_row left, next;
        left.before = hed_lane_shuffle(me.before, id - step);
        left.after = hed_lane_shuffle(me.after, id - step);
        left.right = hed_lane_shuffle(me.right, id - step);
        next.before = hed_lane_shuffle(me.before, id + step);
        next.after = hed_lane_shuffle(me.after, id + step);
        next.right = hed_lane_shuffle(me.right, id + step);
        me = cloth_chain_without(me, left, next);
    }
    float last = hed_lane_shuffle(me.right, before);
    hed_lane_barrier(); /* neighbours have read the places */
    last = lane > 0u ? last * side.first_weight : 0.0f;
    float first = me.right * side.first_weight, second = me.right * side.second_weight;
    if (lane < side.count) {
        held[side.first] = hed_f4(fma(first, x, fma(-last, last_x, a.x)),
            fma(first, y, fma(-last, last_y, a.y)), fma(first, z, fma(-last, last_z, a.z)), a.w);
        if (pass) pulls[side.pull] = pulled + me.right;
    }
    if (lane + 1u == side.count)
        held[side.second] =
            hed_f4(fma(-second, x, b.x), fma(-second, y, b.y), fma(-second, z, b.z), b.w);
}

/* Sweeps over the places of the group's lattice; the constants of the first chains of both directions
 * stay in registers. `source`: of the item's place, if that is a particle. */
CLOTH_FUNCTION void cooperative_sweep(uint4 task, cloth_chains_view chains, float stiffness,
    __global float4 *position, uint4 source, uint item, __local float4 *memory)
{
    uint bits = cloth_task_side_bits(task), width = 1u << bits, pass = cloth_task_pass(task),
         lattice = (uint)get_group_id(0), places = cloth_task_places(task),
         base = task.z + lattice * places, at = item >> bits, lane = item & (width - 1u),
         warps = cloth_task_warp(task), wefts = cloth_task_weft(task),
         warp_at = task.y + lattice * warps,
         weft_at = task.y + cloth_task_lattices(task) * warps + lattice * wefts;
    __local float *pulls = (__local float *)(memory + cooperative_place(places));
    if (cooperative_is_at_particles(task)) {
        float4 place = position[source.x];
        place.w = as_float(source.w);
        if (item < places) memory[cooperative_place(item)] = place;
        barrier(CLK_LOCAL_MEM_FENCE);
    } else {
        cooperative_take_places(chains.points + base, places, item, memory);
    }
    cooperative_side warp = cooperative_side_of(
                         warp_at, at, warps, lane, item, chains, stiffness, memory, base),
                     weft = cooperative_side_of(weft_at, at, wefts, lane, item + (warps << bits),
                         chains, stiffness, memory, base);
    barrier(CLK_LOCAL_MEM_FENCE); /* all items have read inverse masses */
    CLOTH_ROLLED
    for (uint half_sweep = 0; half_sweep < cloth_task_halves(task); half_sweep++) {
        uint is_weft = half_sweep & 1u, count = is_weft ? wefts : warps;
        cooperative_side side = is_weft ? weft : warp;
        CLOTH_ROLLED
        for (uint from = 0; from < count; from += (uint)WG >> bits) {
            if (from > 0)
                side = cooperative_side_of(is_weft ? weft_at : warp_at, from + at, count, lane,
                    item + ((from + (is_weft ? warps : 0u)) << bits), chains, stiffness, memory,
                    base);
            cooperative_pull(side, lane, width, pass && half_sweep > 1u ? 2u : pass, memory, pulls);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    CLOTH_ROLLED
    for (uint i = item; i < places; i += WG) {
        float4 to = memory[cooperative_place(i)];
        if (!cooperative_is_at_particles(task)) chains.points[base + i] = to;
        else if (position[source.x].w > 0.0f)
            position[source.x] = hed_f4(to.x, to.y, to.z, position[source.x].w);
    }
}
#endif

CLOTH_FUNCTION void cooperative_sample(uint begin, uint end, cloth_places_view view)
{
    CLOTH_ROLLED
    for (uint i = begin; i < end; i += SEVERAL * WG) {
        float4 place[SEVERAL];
        for (uint k = 0; k < SEVERAL; k++)
            place[k] = cloth_place_of(min(i + k * WG, end - 1u), view.position, view);
        for (uint k = 0; k < SEVERAL; k++)
            if (i + k * WG < end) view.places[i + k * WG] = view.from[i + k * WG] = place[k];
        for (uint k = 0; k < SEVERAL && view.turns; k++)
            if (i + k * WG < end)
                view.from[view.turns + i + k * WG] =
                    cloth_place_of(i + k * WG, view.previous, view);
    }
}

/* Samples the places that are at particles [begin, end). */
CLOTH_FUNCTION void cooperative_sample_own(
    uint4 task, uint begin, uint end, uint item, cloth_places_view view)
{
    CLOTH_ROLLED
    for (uint i = item; i < task.w; i += SEVERAL * WG) {
        uint particle[SEVERAL];
        for (uint k = 0; k < SEVERAL; k++)
            particle[k] = view.sources[2 * (task.y + min(i + k * WG, task.w - 1u))].x;
        for (uint k = 0; k < SEVERAL; k++)
            if (i + k * WG < task.w && particle[k] >= begin && particle[k] < end)
                cloth_place_one(task.y + i + k * WG, view);
    }
}

/* Solves the group's patches of elements. */
CLOTH_FUNCTION void cooperative_patches(uint4 task, uint begin, uint end,
    cloth_element_patches_view view, __global float4 *position, __global float4 *moved,
    float stiffness, uint item, __local float4 *memory)
{
    view.second = cloth_task_pass(task);
    view.from = view.second ? moved : position;
    view.to = view.second ? position : moved;
    CLOTH_ROLLED
    for (uint patch = begin; patch < end; patch++)
        patch_solve(patch, view, stiffness, item, memory);
}

#if HAS(CLOTH_DO_DRIVE)
/* Moves particles out of the bodies, and by their driver: [begin, end), or those of the
 * columns [begin, end), which the task before holds in local memory. `is_end`: the launch
 * ends with the task, so points that are sent are stored, too. */
CLOTH_FUNCTION void cooperative_drive(uint4 task, uint begin, uint end, cloth_drive_view view,
    cooperative_mail mail, uint is_end, uint item, __local const float4 *memory)
{
    uint height = task.y, bits = cloth_task_bits(task), row = item & ((1u << bits) - 1u);
    view.skipped = task.w & 0xffffu;
    cloth_step step = cloth_drive_step(view);
    (void)mail, (void)is_end;
    if (height) {
        begin += item >> bits;
        end = begin < end && row < height ? begin + 1u : begin;
    } else {
        begin += item;
    }
    CLOTH_ROLLED
    for (uint k = begin; k < end; k += WG) {
        uint i = height ? k + row * task.z : k;
        float4 at = height ? memory[chain_slot_of(item, 1u << bits, row)] : view.position[i];
#if SENDS
        if (task.w & CLOTH_DO_TAKE) at = cooperative_taken(i, at.w, mail);
#endif
        at = cloth_off_bodies(i, at, view, step);
#if SENDS
        if (task.w & CLOTH_DO_SEND) {
            cooperative_send(i, at, mail);
            if (!is_end) continue;
        }
#endif
        cloth_drive_free(i, at, view, step);
    }
}
#endif

/* ---- the kernel ---- */

/* Local memory of a group, float4. */
#if HAS(CLOTH_DO_PATCHES)
#define COOPERATIVE_MEMORY \
    (CLOTH_COOPERATIVE_ROOM * WG > CLOTH_PATCH_ROOM ? CLOTH_COOPERATIVE_ROOM * WG \
                                                    : CLOTH_PATCH_ROOM)
#else
#define COOPERATIVE_MEMORY (CLOTH_COOPERATIVE_ROOM * WG)
#endif

CLOTH_FUNCTION uint cooperative_begin(uint4 task)
{
    uint group = (uint)get_group_id(0), skips_first = task.x & CLOTH_DO_BESIDE;
    if (skips_first && group == 0) return task.z;
    return min((skips_first ? group - 1u : group) * cloth_task_share(task), task.z);
}

CLOTH_FUNCTION uint cooperative_end(uint4 task)
{
    return min(cooperative_begin(task) + cloth_task_share(task), task.z);
}

#define FOR_EACH_ITEM(i) for (uint i = begin + item; i < end; i += WG)

__kernel void cloth_cooperative(HED_VIEW_PARAMETERS(CLOTH_COOPERATIVE))
{
    HED_LOCAL_ARRAY(float4, memory, COOPERATIVE_MEMORY);
    uint item = (uint)get_local_id(0);
    cloth_integrate_view integrate = {position, previous, carry, garments, air, 0, 0, driver_from,
        driver_to, driver_map, steps, 0};
    cloth_drive_view drive = {position, previous, garments, colliders, contact, driver_from,
        driver_to, driver_map, debug, steps, 0, 0};
    cloth_projection pairs = {position, ends, rests, kinds, materials, 0, steps, 0, 0};
    cloth_lines_view of_lines = {position, lines, weights, sums, 0, 0, steps, 0, 0, 0};
    cloth_elements_view of_elements = {position, elements, 0, steps, 0, 0, 0, 0, 0};
    cloth_element_patches_view of_patches = {position, moved, elements, steps,
        (__global float *)(moved + launch.moved), launch.patched, 0, 0};
    cloth_cells_view of_cells = {position, cells, 0, steps, 0, 0, 0, 0, 0};
    cloth_chains_view of_chains = {
        position, from, chains, edges, 0, 0, 0, pulled, steps, 0, 0, 0, 0};
    cloth_places_view of_places = {position, previous, sources, places, from, 0, 0, 0};
    cloth_shares_view of_shares = {position, shares, places, from, 0, 0};
    cooperative_mail mail = {(__global uint4 *)moved, launch.moved, launch.posts};
    cloth_task_list list = get_group_id(0) ? launch.other_groups : launch.first_group;
    tasks += list.at;
    uint4 task = tasks[0], next = tasks[min(1u, list.tasks - 1u)];
    cooperative_words words = cooperative_look(
        task, cooperative_begin(task), cooperative_end(task), of_lines, of_chains, sources, item);
    cloth_chain_edge edge = cooperative_edge(task, words, of_chains, item);
    CLOTH_ROLLED
    for (uint substep = launch.first; substep < launch.first + launch.substeps; substep++) {
        float stiffness = cloth_stiffness_at(steps, substep);
        drive.substep = substep;
        mail.number += list.skipped;
        CLOTH_ROLLED
        for (uint t = 0; t < list.tasks; t++) {
            uint ahead = t + 2u < list.tasks ? t + 2u : t + 2u - list.tasks;
            uint4 after_next = tasks[min(ahead, list.tasks - 1u)];
            uint kind = cloth_task_kind(task), begin = cooperative_begin(task),
                 end = cooperative_end(task);
            cooperative_words next_words = cooperative_look(next, cooperative_begin(next),
                cooperative_end(next), of_lines, of_chains, sources, item);
            __global float4 *points = task.x & CLOTH_DO_OF_PLACES ? places : position;
            of_chains.turns = of_places.turns = task.x & CLOTH_DO_TURNS ? launch.turns : 0u;
            switch (kind) {
            case CLOTH_DO_INTEGRATE: {
                cloth_step step = cloth_step_at(steps, substep);
#if SENDS
                uint takes = (task.w & CLOTH_DO_TAKE) && substep > launch.first;
                FOR_EACH_ITEM(i)
                {
                    float4 at = position[i];
                    if (takes) at = cooperative_taken(i, at.w, mail);
                    cloth_integrate_from(i, at, integrate, step);
                }
#else
                FOR_EACH_ITEM(i) cloth_integrate_one(i, integrate, step);
#endif
                break;
            }
            case CLOTH_DO_LINES:
            case CLOTH_DO_CHAINS:
                of_chains.points = points;
                of_chains.pass = cloth_task_pass(task);
                cooperative_solve(task, begin, end, words, edge, of_lines, of_chains, stiffness,
                    mail, item, memory);
                break;
#if HED_HAS_LANES && HAS(CLOTH_DO_SWEEPS)
            case CLOTH_DO_SWEEPS:
                of_chains.points = places;
                if (get_group_id(0) < cloth_task_lattices(task))
#if HED_STRICT
                    cooperative_sweep(task, of_chains, stiffness, item, memory);
#else
                    cooperative_sweep(task, of_chains, stiffness, position, words.a, item, memory);
#endif
                break;
#endif
#if HED_HAS_LANES && HAS(CLOTH_DO_WIDE_SWEEPS) && !HED_STRICT
            case CLOTH_DO_WIDE_SWEEPS:
                of_chains.points = places;
                if (get_group_id(0) < cloth_task_lattices(task))
                    sweep_wide_lattice(task, of_chains, stiffness, item, memory);
                break;
#endif
#if HAS(CLOTH_DO_DISTANCE)
            case CLOTH_DO_DISTANCE:
                FOR_EACH_ITEM(i) cloth_distance_one(task.y + i, pairs, stiffness);
                break;
#endif
#if HAS(CLOTH_DO_ELEMENTS)
            case CLOTH_DO_ELEMENTS:
                of_elements.total = task.w;
                FOR_EACH_ITEM(i) cloth_element_one(task.y + i, of_elements, stiffness);
                break;
#endif
#if HAS(CLOTH_DO_PATCHES)
            case CLOTH_DO_PATCHES:
                cooperative_patches(
                    task, begin, end, of_patches, position, moved, stiffness, item, memory);
                break;
#endif
#if HAS(CLOTH_DO_CELLS)
            case CLOTH_DO_CELLS:
                of_cells.total = task.w & ~CLOTH_DO_NEAR;
                of_cells.pass = cloth_task_pass(task);
                FOR_EACH_ITEM(i) cloth_cell_one(task.y + i, of_cells, stiffness);
                break;
#endif
#if HAS(CLOTH_DO_BANDS) && SENDS
            case CLOTH_DO_BANDS:
                of_cells.total = launch.bands.total;
                if (begin < end)
                    cell_bands_sweep(task.y, begin / launch.bands.width, end / launch.bands.width,
                        of_cells, launch.bands, stiffness * (float)CLOTH_CELL_SWEEPS,
                        mail.packets + 2u * mail.particles, mail.number + 1u, item, memory);
                break;
#endif
#if HAS(CLOTH_DO_PLACES)
            case CLOTH_DO_PLACES:
                if (task.w) cooperative_sample_own(task, begin, end, item, of_places);
                else cooperative_sample(task.y + begin + item, task.y + end, of_places);
                break;
#endif
#if HAS(CLOTH_DO_SHARES)
            case CLOTH_DO_SHARES:
                of_shares.points = cloth_task_pass(task) ? moved : points;
                FOR_EACH_ITEM(i) cloth_share_one(task.y + i, of_shares);
                break;
#endif
#if HAS(CLOTH_DO_DRIVE)
            case CLOTH_DO_DRIVE:
                cooperative_drive(task, begin, end, drive, mail,
                    t + 1u == list.tasks && substep + 1u == launch.first + launch.substeps, item,
                    memory);
                break;
#endif
            default: break;
            }
            words = next_words;
            edge = cooperative_edge(next, words, of_chains, item);
#if SENDS
            mail.number += cloth_task_sends(task);
#endif
            if (task.x & CLOTH_DO_MEET) cooperative_meet(state);
            else barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#if SENDS
            if (cloth_task_meets_near(task))
                cooperative_meet_near(mail.packets + 2u * mail.particles + launch.bands.groups,
                    launch.bands, mail.number, item);
            if (cloth_task_is_for_first(task))
                cooperative_meet_first(
                    mail.packets + 2u * mail.particles + 3u * launch.bands.groups,
                    launch.bands.groups, launch.posts + substep - launch.first + 1u, item);
#endif
            task = next;
            next = after_next;
        }
    }
}
