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

/* ---- lines and chains, several at once ---- */

/* Constants of a group's first line or chain of a task, and of the item's edge: loaded before the
 * groups meet, since loads after it begin with an empty cache. */
typedef struct cooperative_constants {
    cloth_line_at line;
    cloth_chain_at chain;
    cloth_chain_edge edge;
} cooperative_constants;

/* `at`: first line or chain, `end`: behind the group's last one. */
CLOTH_FUNCTION cooperative_constants cooperative_look(
    uint4 task, uint at, uint end, cloth_lines_view lines, cloth_chains_view chains, uint item)
{
    cooperative_constants constants = {
        {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    uint kind = cloth_task_kind(task), width;
    if (kind != CLOTH_DO_LINES && kind != CLOTH_DO_CHAINS) return constants;
    width = cloth_task_width(task);
    at += item / width;
    if (at >= end) return constants;
    if (HAS(CLOTH_DO_LINES) && kind == CLOTH_DO_LINES)
        constants.line = cloth_line_of(lines.lines, task.y + at);
    if (HAS(CLOTH_DO_CHAINS) && kind == CLOTH_DO_CHAINS) {
        constants.chain = cloth_chain_of(chains.chains, task.y + at);
        constants.edge = chain_edge_at(item & (width - 1u), constants.chain, chains);
    }
    return constants;
}

/* Solves the group's lines or chains of a task. `constants`: of the first ones. */
CLOTH_FUNCTION void cooperative_solve(uint4 task, uint begin, uint end,
    cooperative_constants constants, cloth_lines_view lines, cloth_chains_view chains,
    float stiffness, uint item, __local float4 *memory)
{
    CLOTH_ROLLED
    for (uint at = begin; at < end; at += WG / cloth_task_width(task)) {
        if (at > begin) constants = cooperative_look(task, at, end, lines, chains, item);
        if (HAS(CLOTH_DO_LINES) && cloth_task_kind(task) == CLOTH_DO_LINES)
            line_reduce(constants.line, lines, stiffness, cloth_task_width(task),
                cloth_task_longest(task), item, memory, (__local uint *)(memory + 4 * WG));
        if (HAS(CLOTH_DO_CHAINS) && cloth_task_kind(task) == CLOTH_DO_CHAINS)
            chain_reduce(constants.chain, constants.edge, chains, stiffness, cloth_task_width(task),
                cloth_task_longest(task), item, memory);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}

CLOTH_FUNCTION cooperative_constants cooperative_side(
    uint first, uint count, uint width, cloth_chains_view chains, uint item)
{
    cooperative_constants side = {
        {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    if (item / width >= count) return side;
    side.chain = cloth_chain_of(chains.chains, first + item / width);
    side.edge = chain_edge_at(item & (width - 1u), side.chain, chains);
    return side;
}

/* Sweeps over the places of lattices; the constants of both directions stay in registers. */
CLOTH_FUNCTION void cooperative_sweep(
    uint4 task, cloth_chains_view chains, float stiffness, uint item, __local float4 *memory)
{
    uint width = cloth_task_width(task), pass = cloth_task_pass(task);
    cooperative_constants
        warp = cooperative_side(task.y, cloth_task_warp(task), width, chains, item),
        weft = cooperative_side(
            task.y + cloth_task_warp(task), cloth_task_weft(task), width, chains, item);
    CLOTH_ROLLED
    for (uint half_sweep = 0; half_sweep < cloth_task_share(task); half_sweep++) {
        cooperative_constants side = half_sweep & 1u ? weft : warp;
        chains.pass = pass && half_sweep > 1u ? 2u : pass;
        chain_reduce(side.chain, side.edge, chains, stiffness, width, cloth_task_longest(task), item,
            memory);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
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
    uint4 next = tasks[0];
    cooperative_constants constants = cooperative_look(
        next, cooperative_begin(next), cooperative_end(next), of_lines, of_chains, item);
    CLOTH_ROLLED
    for (uint substep = 0; substep < launch.substeps; substep++) {
        float stiffness = cloth_stiffness_at(steps, substep);
        drive.substep = substep;
        CLOTH_ROLLED
        for (uint t = 0; t < launch.tasks; t++) {
            uint4 task = next;
            next = tasks[t + 1u < launch.tasks ? t + 1u : 0u]; /* before the groups meet */
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
                    task, begin, end, constants, of_lines, of_chains, stiffness, item, memory);
            }
            if (HAS(CLOTH_DO_SWEEPS) && kind == CLOTH_DO_SWEEPS && get_group_id(0) == 0) {
                of_chains.points = places;
                of_chains.pass = 0;
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
                FOR_EACH_ITEM(i) cloth_place_one(task.y + i, of_places);
            if (HAS(CLOTH_DO_SHARES) && kind == CLOTH_DO_SHARES) {
                of_shares.points = points;
                FOR_EACH_ITEM(i) cloth_share_one(task.y + i, of_shares);
            }
            if (HAS(CLOTH_DO_DRIVE) && kind == CLOTH_DO_DRIVE) {
                drive.skipped = task.w;
                cloth_step step = cloth_drive_step(drive);
                FOR_EACH_ITEM(i) cloth_drive_one(i, drive, step);
            }
            constants = cooperative_look(
                next, cooperative_begin(next), cooperative_end(next), of_lines, of_chains, item);
            if (task.x & CLOTH_DO_MEET) cooperative_meet(state);
            else barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        }
    }
}
