/* Kernel of all substeps of a submission in one launch: the launches of the solver of colours as
 * tasks of resident groups, with a barrier over all groups in place of the end of a launch; small
 * lattices from the first sweep to the last in the local memory of a group. Where there is no such
 * barrier, it is one group. KINDS: bits of the kinds of tasks that exist. */
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
#define cooperative_meet(state) \
    ((void)(state), barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE))
#endif
/* Items that exchange values of lattices: lanes of a warp, or, with barriers, all of a group. */
#define LATTICE_LANES (HED_HAS_GRID_BARRIER ? 32u : WG)
#define HAS(kind) (KINDS >> (kind)&1u)

/* ---- lattices ---- */

/* Values of the item at `distance` items from this one, in the same chain; 0 if not `is_there`. */
#if HED_HAS_GRID_BARRIER
CLOTH_FUNCTION float lattice_number_at(
    float value, int distance, uint is_there, uint item, __local float4 *room)
{
    float at = hed_lane_shuffle(value, (uint)((int)item + distance) & 31u);
    return is_there ? at : 0.0f;
}

CLOTH_FUNCTION float4 lattice_at(
    float4 value, int distance, uint is_there, uint item, __local float4 *room)
{
    return hed_f4(lattice_number_at(value.x, distance, is_there, item, room),
        lattice_number_at(value.y, distance, is_there, item, room),
        lattice_number_at(value.z, distance, is_there, item, room), 0.0f);
}
#else
CLOTH_FUNCTION float4 lattice_at(
    float4 value, int distance, uint is_there, uint item, __local float4 *room)
{
    float4 at = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    room[item] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_there) at = room[(int)item + distance];
    return at;
}

CLOTH_FUNCTION float lattice_number_at(
    float value, int distance, uint is_there, uint item, __local float4 *room)
{
    return lattice_at(hed_f4(value, 0.0f, 0.0f, 0.0f), distance, is_there, item, room).x;
}
#endif

/* Edge of an item in a sweep: its chain, and the place at its beginning in local memory. */
typedef struct lattice_slot {
    cloth_chain_at chain;
    cloth_chain_edge edge;
    uint at, is_edge;
} lattice_slot;

/* Edge of an item among the chains from number `first` on along a direction. */
CLOTH_FUNCTION lattice_slot lattice_slot_of(const cloth_lattice_record *record, uint direction,
    uint first, cloth_chains_view view, uint item)
{
    uint k = first + item / record->width, lane = item & (record->width - 1u),
         count = record->chain_count[direction];
    lattice_slot slot;
    slot.chain = cloth_chain_of(view.chains, record->chains[direction] + min(k, count - 1u));
    slot.is_edge = k < count && lane < slot.chain.count;
    slot.at = slot.chain.first - record->places + lane * slot.chain.step;
    if (!slot.is_edge) view.pass = 0; /* reads no multiplier */
    slot.edge = cloth_chain_edge_of(slot.chain.edges + (slot.is_edge ? lane : 0u), view);
    return slot;
}

/* Solves chains of a lattice, WG / width at once, an edge in an item, as chain_reduce(). Returns the
 * item's multiplier. `points`: the lattice's places. */
CLOTH_FUNCTION float lattice_solve_chains(lattice_slot slot, uint width, uint pass, float stiffness,
    uint item, __local float4 *points, __local float4 *room)
{
    const float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    uint lane = item & (width - 1u);
    float4 a = zero, b = zero, unit = zero, last;
    cloth_chain_row row = {{0.0f, 0.0f, 0.0f, 0.0f}, 1.0f, 0.0f};
    if (slot.is_edge) {
        a = points[slot.at];
        b = points[slot.at + slot.chain.step];
        unit = cloth_chain_unit(a, b, slot.edge, slot.chain, pass, stiffness);
    }
    last = lattice_at(unit, -1, lane > 0, item, room);
    if (slot.is_edge)
        row = cloth_chain_row_between(unit, last, a.w, b.w, slot.edge, slot.chain, stiffness);
    cloth_chain_reduced me =
        cloth_chain_begin(row, lattice_number_at(row.left, 1, lane + 1u < width, item, room));
    CLOTH_ROLLED
    for (uint step = 1; step < width; step *= 2) {
        float4 mine = hed_f4(me.before, me.after, me.right, 0.0f);
        float4 left = lattice_at(mine, -(int)step, lane >= step, item, room),
               next = lattice_at(mine, (int)step, lane + step < width, item, room);
        me = cloth_chain_without(me, chain_reduced_of(left), chain_reduced_of(next));
    }
    last.w = lattice_number_at(me.right, -1, lane > 0, item, room);
    unit.w = me.right;
    if (slot.is_edge && a.w > 0.0f) points[slot.at] = cloth_chain_moved(a, unit, last);
    if (slot.is_edge && lane + 1u == slot.chain.count && b.w > 0.0f)
        points[slot.at + slot.chain.step] = cloth_chain_moved(b, zero, unit);
    return me.right;
}

/* Sweeps over a lattice, one direction after the other. If a group has an item for each edge of a
 * direction, edges and multipliers stay in registers. */
CLOTH_FUNCTION void lattice_sweep(const cloth_lattice_record *record, cloth_chains_view view,
    uint gives, float stiffness, uint item, __local float4 *points, __local float4 *room)
{
    uint at_once = WG / record->width,
         stays = record->chain_count[0] <= at_once && record->chain_count[1] <= at_once;
    lattice_slot even, odd;
    view.pass = 0;
    if (stays) {
        even = lattice_slot_of(record, 0, 0, view, item);
        odd = lattice_slot_of(record, 1, 0, view, item);
    }
    CLOTH_ROLLED
    for (uint k = 0; k < 2u * record->sweeps; k++) {
        uint direction = k & 1u;
        view.pass = gives && record->sweeps > 1u ? (k < 2u ? 1u : 2u) : 0u;
        CLOTH_ROLLED
        for (uint first = 0; first < record->chain_count[direction]; first += at_once) {
            lattice_slot slot = direction ? odd : even;
            if (first + item / LATTICE_LANES * LATTICE_LANES / record->width >=
                record->chain_count[direction])
                continue; /* no chain for this warp */
            if (!stays) slot = lattice_slot_of(record, direction, first, view, item);
            float pull =
                lattice_solve_chains(slot, record->width, view.pass, stiffness, item, points, room);
            uint e = slot.chain.edges + (item & (record->width - 1u));
            if (stays && direction) odd.edge.pulled += pull;
            if (stays && !direction) even.edge.pulled += pull;
            if (!stays && slot.is_edge && CLOTH_CHAINS_KEEP(view.pass))
                cloth_chain_keep(e, pull, view);
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}

/* Samples the places of a lattice, moves them by the coarser lattice, solves all sweeps, then moves
 * the particles that follow. `memory`: WG for the exchange, then the places. */
CLOTH_FUNCTION void lattice_solve(cloth_lattice_record record, cloth_places_view places,
    cloth_shares_view shares, cloth_chains_view chains, uint gives, float stiffness, uint item,
    __global float4 *position, __local float4 *memory)
{
    __local float4 *points = memory + WG;
    for (uint i = item; i < record.place_count; i += WG) cloth_place_one(record.places + i, places);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    shares.points = places.places;
    for (uint i = item; i < record.coarser_count; i += WG)
        cloth_share_one(record.coarser + i, shares);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint i = item; i < record.place_count; i += WG)
        points[i] = places.places[record.places + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    lattice_sweep(&record, chains, gives, stiffness, item, points, memory);
    for (uint i = item; i < record.place_count; i += WG)
        places.places[record.places + i] = points[i];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    shares.points = position;
    for (uint i = item; i < record.particle_count; i += WG)
        cloth_share_one(record.particles + i, shares);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

/* ---- lines and chains, several at once ---- */

/* Lines or chains of a task that a group solves at once: few, if there are groups enough. */
CLOTH_FUNCTION uint cooperative_at_once(uint4 task)
{
    uint groups = (uint)get_num_groups(0);
    return min(WG / cloth_task_width(task), (task.z + groups - 1u) / groups);
}

/* Constants of a group's first line or chain of a task, and of the item's edge: loaded before the
 * groups meet, since loads after it begin with an empty cache. */
typedef struct cooperative_constants {
    cloth_line_at line;
    cloth_chain_at chain;
    cloth_chain_edge edge;
} cooperative_constants;

CLOTH_FUNCTION cooperative_constants cooperative_look(
    uint4 task, uint first, cloth_lines_view lines, cloth_chains_view chains, uint item)
{
    cooperative_constants constants = {
        {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    uint kind = cloth_task_kind(task);
    if (kind != CLOTH_DO_LINES && kind != CLOTH_DO_CHAINS) return constants;
    uint width = cloth_task_width(task), sub = item / width, at_once = cooperative_at_once(task),
         i = first * at_once + sub;
    if (sub >= at_once || i >= task.z) return constants;
    if (HAS(CLOTH_DO_LINES) && kind == CLOTH_DO_LINES)
        constants.line = cloth_line_of(lines.lines, task.y + i);
    if (HAS(CLOTH_DO_CHAINS) && kind == CLOTH_DO_CHAINS) {
        constants.chain = cloth_chain_of(chains.chains, task.y + i);
        constants.edge = chain_edge_at(item & (width - 1u), constants.chain, chains);
    }
    return constants;
}

/* Solves the lines or chains of a task. `constants`: of the group's first ones. */
CLOTH_FUNCTION void cooperative_solve(uint4 task, cooperative_constants constants, cloth_lines_view lines,
    cloth_chains_view chains, float stiffness, uint item, __local float4 *memory)
{
    uint groups = (uint)get_num_groups(0), at_once = cooperative_at_once(task);
    CLOTH_ROLLED
    for (uint first = (uint)get_group_id(0); first * at_once < task.z; first += groups) {
        if (first != (uint)get_group_id(0))
            constants = cooperative_look(task, first, lines, chains, item);
        if (HAS(CLOTH_DO_LINES) && cloth_task_kind(task) == CLOTH_DO_LINES)
            line_reduce(constants.line, lines, stiffness, cloth_task_width(task),
                cloth_task_longest(task), item, memory, (__local uint *)(memory + 4 * WG));
        if (HAS(CLOTH_DO_CHAINS) && cloth_task_kind(task) == CLOTH_DO_CHAINS)
            chain_reduce(constants.chain, constants.edge, chains, stiffness, cloth_task_width(task),
                cloth_task_longest(task), item, memory);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}

/* ---- the kernel ---- */

#define FOR_EACH_ITEM(i, count) \
    for (uint i = (uint)get_global_id(0); i < (count); i += (uint)get_global_size(0))

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
    cooperative_constants constants =
        cooperative_look(next, (uint)get_group_id(0), of_lines, of_chains, item);
    CLOTH_ROLLED
    for (uint substep = 0; substep < launch.substeps; substep++) {
        float stiffness = cloth_stiffness_at(steps, substep);
        drive.substep = substep;
        CLOTH_ROLLED
        for (uint t = 0; t < launch.tasks; t++) {
            uint4 task = next;
            next = tasks[t + 1u < launch.tasks ? t + 1u : 0u]; /* before the groups meet */
            uint kind = cloth_task_kind(task), end = task.y + task.z;
            __global float4 *points = task.x & CLOTH_DO_OF_PLACES ? places : position;
            if (HAS(CLOTH_DO_INTEGRATE) && kind == CLOTH_DO_INTEGRATE) {
                cloth_step step = cloth_step_at(steps, substep);
                FOR_EACH_ITEM(i, task.z) cloth_integrate_one(i, integrate, step);
            }
            if (HAS(CLOTH_DO_DISTANCE) && kind == CLOTH_DO_DISTANCE)
                FOR_EACH_ITEM(i, task.z) cloth_distance_one(task.y + i, pairs, stiffness);
            if (kind == CLOTH_DO_LINES || kind == CLOTH_DO_CHAINS) {
                of_chains.points = points;
                of_chains.pass = cloth_task_pass(task);
                cooperative_solve(task, constants, of_lines, of_chains, stiffness, item, memory);
            }
            if (HAS(CLOTH_DO_ELEMENTS) && kind == CLOTH_DO_ELEMENTS) {
                of_elements.total = task.w;
                FOR_EACH_ITEM(i, task.z) cloth_element_one(task.y + i, of_elements, stiffness);
            }
            if (HAS(CLOTH_DO_CELLS) && kind == CLOTH_DO_CELLS) {
                of_cells.total = task.w;
                FOR_EACH_ITEM(i, task.z) cloth_cell_one(task.y + i, of_cells, stiffness);
            }
            if (HAS(CLOTH_DO_PLACES) && kind == CLOTH_DO_PLACES)
                FOR_EACH_ITEM(i, task.z) cloth_place_one(task.y + i, of_places);
            if (HAS(CLOTH_DO_SHARES) && kind == CLOTH_DO_SHARES) {
                of_shares.points = points;
                FOR_EACH_ITEM(i, task.z) cloth_share_one(task.y + i, of_shares);
            }
            if (HAS(CLOTH_DO_DRIVE) && kind == CLOTH_DO_DRIVE) {
                drive.skipped = task.w;
                cloth_step step = cloth_drive_step(drive);
                FOR_EACH_ITEM(i, task.z) cloth_drive_one(i, drive, step);
            }
            if (HAS(CLOTH_DO_LATTICES) && kind == CLOTH_DO_LATTICES)
                for (uint r = task.y + (uint)get_group_id(0); r < end; r += (uint)get_num_groups(0))
                    lattice_solve(cloth_lattice_record_of(tasks + launch.records, r), of_places,
                        of_shares, of_chains, launch.gives, stiffness, item, position, memory);
            constants = cooperative_look(next, (uint)get_group_id(0), of_lines, of_chains, item);
            if (task.x & CLOTH_DO_MEET) cooperative_meet(state);
        }
    }
}
