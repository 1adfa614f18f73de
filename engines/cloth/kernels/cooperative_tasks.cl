/* Kernel of all substeps of a submission in one launch: the launches of the solver of colours as
 * tasks of resident groups. Where a group reads results of others it meets them at a barrier over
 * all groups, else its own items meet. Where there is no such barrier, it is one group. KINDS: bits
 * of the kinds of tasks that exist. */
#ifndef WG
#define WG 128
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
#include "cooperative_lines.h"
#include "cooperative_sweep.h"
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
                view.from[view.turns + i + k * WG] = cloth_place_past(
                    cloth_place_of(i + k * WG, view.previous, view), place[k], view.recall);
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

/* Integrates particles. `takes`: the task before sent them. */
CLOTH_INLINE void cooperative_integrate(uint begin, uint end, uint takes,
    cloth_integrate_view integrate, cloth_step step, cooperative_mail mail, uint item)
{
    (void)takes, (void)mail;
    FOR_EACH_ITEM(i)
    {
#if SENDS
        float4 at = integrate.position[i];
        if (takes) at = cooperative_taken(i, at.w, mail);
        cloth_integrate_from(i, at, integrate, step);
#else
        cloth_integrate_one(i, integrate, step);
#endif
    }
}

/* Lets those groups meet whose results the next task reads. `number`: of the substep, among all that sent. */
CLOTH_INLINE void cooperative_end_task(uint4 task, __global uint *state, cloth_cell_bands bands,
    uint number, cooperative_mail mail, uint item)
{
    (void)bands, (void)number, (void)mail, (void)item;
    if (task.x & CLOTH_DO_MEET) cooperative_meet(state);
    else barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#if SENDS
    if (cloth_task_meets_near(task))
        cooperative_meet_near(
            mail.packets + 2u * mail.particles + bands.groups, bands, mail.number, item);
    if (cloth_task_is_for_first(task))
        cooperative_meet_first(
            mail.packets + 2u * mail.particles + 3u * bands.groups, bands.groups, number, item);
#endif
}

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
    cloth_places_view of_places = {
        position, previous, sources, places, from, 0, cloth_recall_at(steps, launch.first), 0, 0};
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
            case CLOTH_DO_INTEGRATE:
                cooperative_integrate(begin, end,
                    (task.w & CLOTH_DO_TAKE) && substep > launch.first, integrate,
                    cloth_step_at(steps, substep), mail, item);
                break;
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
            cooperative_end_task(
                task, state, launch.bands, launch.posts + substep - launch.first + 1u, mail, item);
            task = next;
            next = after_next;
        }
    }
}
