/* Kernel of all substeps of a submission in one launch: the launches of the solver of colours as
 * tasks of resident groups. Where a group reads results of others it meets them at a barrier over
 * all groups, else its own items meet. Where there is no such barrier, it is one group. KINDS: bits
 * of the kinds of tasks that exist. */
#ifndef WG
#define WG 128
#endif
#ifndef KINDS
#define KINDS 0x3ff
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
#include "line_group.h"
#include "chain_group.h"
#include "cooperative_tasks.h"
#endif

#if CLUSTER
#define cooperative_meet(state) ((void)(state), hed_cluster_barrier())
#elif HED_HAS_GRID_BARRIER
#define cooperative_meet(state) hed_grid_barrier(state)
#else /* one group */
#define cooperative_meet(state) ((void)(state), barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE))
#endif
#define HAS(kind) (KINDS >> (kind)&1u)

#define SEVERAL 3u /* places that an item loads before it stores one */

/* ---- lines and chains, several at once ---- */

/* Words of the line or chain of an item, and of the chain its edge: loaded before the groups meet,
 * since loads after it begin with an empty cache, and the words a task earlier. */
typedef struct cooperative_words {
    uint4 a, b;
} cooperative_words;

CLOTH_FUNCTION uint cooperative_has_lines(uint4 task)
{
    uint kind = cloth_task_kind(task);
    return kind == CLOTH_DO_LINES || kind == CLOTH_DO_CHAINS;
}

/* `at`: first line or chain, `end`: after the group's last one. */
CLOTH_FUNCTION cooperative_words cooperative_look(
    uint4 task, uint at, uint end, cloth_lines_view lines, cloth_chains_view chains, uint item)
{
    cooperative_words words = {{0, 0, 0, 0}, {0, 0, 0, 0}};
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

/* Solves the group's lines or chains of a task. `words`, `edge`: of the first ones. */
CLOTH_FUNCTION void cooperative_solve(uint4 task, uint begin, uint end, cooperative_words words,
    cloth_chain_edge edge, cloth_lines_view lines, cloth_chains_view chains, float stiffness,
    uint item, __local float4 *memory)
{
    uint bits = cloth_task_bits(task);
    CLOTH_ROLLED
    for (uint at = begin; at < end; at += (uint)WG >> bits) {
        if (at > begin) {
            words = cooperative_look(task, at, end, lines, chains, item);
            edge = cooperative_edge(task, words, chains, item);
        }
        if (HAS(CLOTH_DO_LINES) && cloth_task_kind(task) == CLOTH_DO_LINES)
            line_reduce(cloth_line_at_of(words.a, words.b), lines, stiffness, 1u << bits,
                cloth_task_longest(task), item, memory, (__local uint *)(memory + 4 * WG));
        if (HAS(CLOTH_DO_CHAINS) && cloth_task_kind(task) == CLOTH_DO_CHAINS)
            chain_reduce(cloth_chain_at_of(words.a, words.b), edge, chains, stiffness, 1u << bits,
                cloth_task_longest(task), item, memory);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}

/* ---- sweeps over places in local memory ---- */

typedef struct cooperative_side {
    cloth_chain_at chain;
    cloth_chain_edge edge;
} cooperative_side;

/* Constants of an item's chain and edge; `number` >= `count`: no chain. */
CLOTH_FUNCTION cooperative_side cooperative_side_of(
    uint first, uint number, uint count, uint lane, cloth_chains_view chains)
{
    cooperative_side side = {{0, 0, 0, 0, 0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    if (number >= count) return side;
    side.chain = cloth_chain_of(chains.chains, first + number);
    side.edge = chain_edge_at(lane, side.chain, chains);
    return side;
}

/* Solves an item's chain of places. */
CLOTH_FUNCTION void cooperative_pull(cooperative_side side, cloth_chains_view chains,
    float stiffness, uint width, uint item, __local float4 *held, uint base, __local float4 *rows)
{
    if (chain_warp_is_idle(side.chain, width)) return;
    chain_item i = chain_item_of(side.chain, side.edge, item, width);
    uint at = side.chain.first - base + i.lane * side.chain.step;
    if (i.is_edge) {
        if (chains.pass >= 2) i.edge.pulled = chains.pulled[side.chain.edges + i.lane];
        i.a = held[at];
        i.b = held[at + side.chain.step];
    }
    chain_pulls pulls = chain_solve_short(i, chains.pass, stiffness, rows);
    if (!i.is_edge) return;
    if (i.a.w > 0.0f) held[at] = cloth_chain_moved(i.a, pulls.unit, pulls.last);
    if (i.lane + 1u == side.chain.count && i.b.w > 0.0f)
        held[at + side.chain.step] =
            cloth_chain_moved(i.b, hed_f4(0.0f, 0.0f, 0.0f, 0.0f), pulls.unit);
    if (CLOTH_CHAINS_KEEP(chains.pass))
        cloth_chain_keep(side.chain.edges + i.lane, pulls.unit.w, chains);
}

/* Sweeps over the places of the group's lattice; the constants of the first chains of both directions
 * stay in registers. */
CLOTH_FUNCTION void cooperative_sweep(
    uint4 task, cloth_chains_view chains, float stiffness, uint item, __local float4 *memory)
{
    uint bits = cloth_task_side_bits(task), width = 1u << bits, pass = cloth_task_pass(task),
         lattice = (uint)get_group_id(0), places = cloth_task_places(task),
         base = task.z + lattice * places, at = item >> bits, lane = item & (width - 1u),
         warps = cloth_task_warp(task), wefts = cloth_task_weft(task),
         warp_at = task.y + lattice * warps,
         weft_at = task.y + cloth_task_lattices(task) * warps + lattice * wefts;
    cooperative_side warp = cooperative_side_of(warp_at, at, warps, lane, chains),
                     weft = cooperative_side_of(weft_at, at, wefts, lane, chains);
    CLOTH_ROLLED
    for (uint i = item; i < places; i += SEVERAL * WG) {
        float4 place[SEVERAL];
        for (uint k = 0; k < SEVERAL; k++)
            place[k] = chains.points[base + min(i + k * WG, places - 1u)];
        for (uint k = 0; k < SEVERAL; k++)
            if (i + k * WG < places) memory[i + k * WG] = place[k];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    CLOTH_ROLLED
    for (uint half_sweep = 0; half_sweep < cloth_task_halves(task); half_sweep++) {
        cooperative_side side = half_sweep & 1u ? weft : warp;
        uint first = half_sweep & 1u ? weft_at : warp_at, count = half_sweep & 1u ? wefts : warps;
        chains.pass = pass && half_sweep > 1u ? 2u : pass;
        CLOTH_ROLLED
        for (uint from = 0; from < count; from += (uint)WG >> bits) {
            if (from > 0) side = cooperative_side_of(first, from + at, count, lane, chains);
            cooperative_pull(side, chains, stiffness, width, item, memory, base, memory + places);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    CLOTH_ROLLED
    for (uint i = item; i < places; i += WG) chains.points[base + i] = memory[i];
}

CLOTH_FUNCTION void cooperative_sample(uint begin, uint end, cloth_places_view view)
{
    CLOTH_ROLLED
    for (uint i = begin; i < end; i += SEVERAL * WG) {
        float4 place[SEVERAL];
        for (uint k = 0; k < SEVERAL; k++)
            place[k] = cloth_place_of(min(i + k * WG, end - 1u), view);
        for (uint k = 0; k < SEVERAL; k++)
            if (i + k * WG < end) view.places[i + k * WG] = view.from[i + k * WG] = place[k];
    }
}

/* ---- the kernel ---- */

CLOTH_FUNCTION uint cooperative_begin(uint4 task)
{
    return min((uint)get_group_id(0) * cloth_task_share(task), task.z);
}

CLOTH_FUNCTION uint cooperative_end(uint4 task)
{
    return min(cooperative_begin(task) + cloth_task_share(task), task.z);
}

#define FOR_EACH_ITEM(i) for (uint i = begin + item; i < end; i += WG)

__kernel void cloth_cooperative(HED_VIEW_PARAMETERS(CLOTH_COOPERATIVE))
{
    HED_LOCAL_ARRAY(float4, memory, CLOTH_COOPERATIVE_ROOM * WG);
    uint item = (uint)get_local_id(0);
    cloth_integrate_view integrate = {position, previous, carry, garments, air, 0, 0, driver_from,
        driver_to, driver_map, steps, 0};
    cloth_drive_view drive = {position, previous, garments, colliders, contact, driver_from,
        driver_to, driver_map, debug, steps, 0, 0};
    cloth_projection pairs = {position, ends, rests, kinds, materials, 0, steps, 0, 0};
    cloth_lines_view of_lines = {position, lines, weights, sums, 0, 0, steps, 0, 0, 0};
    cloth_elements_view of_elements = {position, elements, 0, steps, 0, 0, 0, 0, 0};
    cloth_cells_view of_cells = {position, cells, 0, steps, 0, 0, 0, 0, 0};
    cloth_chains_view of_chains = {position, chains, edges, 0, 0, 0, pulled, steps, 0, 0, 0};
    cloth_places_view of_places = {position, sources, places, from, 0, 0};
    cloth_shares_view of_shares = {position, shares, places, from, 0, 0};
    uint4 task = tasks[0], next = tasks[min(1u, launch.tasks - 1u)];
    cooperative_words words = cooperative_look(
        task, cooperative_begin(task), cooperative_end(task), of_lines, of_chains, item);
    cloth_chain_edge edge = cooperative_edge(task, words, of_chains, item);
    CLOTH_ROLLED
    for (uint substep = 0; substep < launch.substeps; substep++) {
        float stiffness = cloth_stiffness_at(steps, substep);
        drive.substep = substep;
        CLOTH_ROLLED
        for (uint t = 0; t < launch.tasks; t++) {
            uint ahead = t + 2u < launch.tasks ? t + 2u : t + 2u - launch.tasks;
            uint4 after_next = tasks[min(ahead, launch.tasks - 1u)];
            cooperative_words next_words = cooperative_look(
                next, cooperative_begin(next), cooperative_end(next), of_lines, of_chains, item);
            uint kind = cloth_task_kind(task), begin = cooperative_begin(task),
                 end = cooperative_end(task);
            __global float4 *points = task.x & CLOTH_DO_OF_PLACES ? places : position;
            if (HAS(CLOTH_DO_INTEGRATE) && kind == CLOTH_DO_INTEGRATE) {
                cloth_step step = cloth_step_at(steps, substep);
                FOR_EACH_ITEM(i) cloth_integrate_one(i, integrate, step);
            }
            if (HAS(CLOTH_DO_DISTANCE) && kind == CLOTH_DO_DISTANCE)
                FOR_EACH_ITEM(i) cloth_distance_one(task.y + i, pairs, stiffness);
            if (kind == CLOTH_DO_LINES || kind == CLOTH_DO_CHAINS) {
                of_chains.points = points;
                of_chains.pass = cloth_task_pass(task);
                cooperative_solve(
                    task, begin, end, words, edge, of_lines, of_chains, stiffness, item, memory);
            }
            if (HAS(CLOTH_DO_SWEEPS) && kind == CLOTH_DO_SWEEPS &&
                get_group_id(0) < cloth_task_lattices(task)) {
                of_chains.points = places;
                cooperative_sweep(task, of_chains, stiffness, item, memory);
            }
            if (HAS(CLOTH_DO_ELEMENTS) && kind == CLOTH_DO_ELEMENTS) {
                of_elements.total = task.w;
                FOR_EACH_ITEM(i) cloth_element_one(task.y + i, of_elements, stiffness);
            }
            if (HAS(CLOTH_DO_CELLS) && kind == CLOTH_DO_CELLS) {
                of_cells.total = task.w;
                of_cells.pass = cloth_task_pass(task);
                FOR_EACH_ITEM(i) cloth_cell_one(task.y + i, of_cells, stiffness);
            }
            if (HAS(CLOTH_DO_PLACES) && kind == CLOTH_DO_PLACES)
                cooperative_sample(task.y + begin + item, task.y + end, of_places);
            if (HAS(CLOTH_DO_SHARES) && kind == CLOTH_DO_SHARES) {
                of_shares.points = points;
                FOR_EACH_ITEM(i) cloth_share_one(task.y + i, of_shares);
            }
            if (HAS(CLOTH_DO_DRIVE) && kind == CLOTH_DO_DRIVE) {
                drive.skipped = task.w;
                cloth_step step = cloth_drive_step(drive);
                FOR_EACH_ITEM(i) cloth_drive_one(i, drive, step);
            }
            words = next_words;
            edge = cooperative_edge(next, words, of_chains, item);
            if (task.x & CLOTH_DO_MEET) cooperative_meet(state);
            else barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            task = next;
            next = after_next;
        }
    }
}
