/* Cloth that never crosses cloth: pairs are found, push each other apart, and are cut.
 * broad_phase.h, contact_pair.h and contact_limit.h have what is done for one, broad_phase_group.h what groups do together.
 * What goes through pairs has a fixed number of work items, since how many pairs there are is known on the device alone. */
#ifndef WG
#define WG 128
#endif
#ifndef CLOTH_PHYSICS_H
#include "kernels/physics.h"
#include "kernels/collide.h"
#include "mesh_contact.h"
#include "contact_pair.h"
#include "contact_limit.h"
#include "broad_phase.h"
#include "broad_phase_group.h"
#endif

__kernel void cloth_pairs_begin(__global const float4 *restrict start,
    __global const float4 *restrict position, __global float4 *restrict moved,
    __global uint *restrict shares, __global int *restrict counters, cloth_pairs pairs)
{
    uint i = (uint)get_global_id(0);
    if (i < pairs.particles)
        cloth_pairs_begin_one(i, start, position, moved, shares, counters, pairs);
}

__kernel void cloth_pairs_check(__global const float4 *restrict start,
    __global const float4 *restrict position, __global const float4 *restrict covers,
    __global float4 *restrict ahead, __global float *restrict offs, __global int *counters,
    cloth_pairs pairs)
{
    uint i = (uint)get_global_id(0);
    if (i < pairs.particles)
        cloth_pairs_check_one(i, start, position, covers, ahead, offs, counters, pairs);
}

__kernel void cloth_pairs_slopes(__global const uint4 *restrict corners,
    __global const float4 *restrict gradients, __global const float4 *restrict start,
    __global const float4 *restrict ahead, __global float4 *restrict slopes,
    __global const int *counters, cloth_pairs pairs)
{
    cloth_pairs_tree tree = {0, corners, gradients, slopes, 0, 0, 0, 0, start, ahead, 0, 0};
    uint leaf = (uint)get_global_id(0);
    if (leaf < pairs.leaves && counters[pairs.bank + CLOTH_PAIRS_NEED])
        cloth_pairs_slope_one(leaf, tree, pairs);
}

/* Boxes of WG nodes of a row of `row` nodes, and of those above them, up to one. */
CLOTH_FUNCTION void cloth_pairs_boxes_from(
    uint first, uint row, cloth_pairs_tree tree, cloth_pairs pairs)
{
    uint item = (uint)get_local_id(0);
    for (uint width = WG; width > 0 && row > 0; width /= 2) {
        if (item < width && first + item < row)
            cloth_pairs_box_one(row + first + item, tree, pairs);
        barrier(CLK_GLOBAL_MEM_FENCE);
        row /= 2;
        first /= 2;
    }
}

/* The next launch begins with the row of row / WG / 2 nodes. The list is emptied. */
__kernel void cloth_pairs_boxes(__global float4 *boxes, __global const uint4 *restrict corners,
    __global const float4 *restrict slopes, __global float4 *ranges,
    __global const uint *restrict around_at, __global const uint *restrict around,
    __global const uint *restrict convex, __global const float4 *restrict start,
    __global const float4 *restrict ahead, __global const float4 *restrict rests,
    __global const float4 *restrict bodies, __global int *counters, uint row, cloth_pairs pairs)
{
    cloth_pairs_tree tree = {boxes, corners, 0, (__global float4 *)slopes, ranges, around_at,
        around, convex, start, ahead, rests, bodies};
    if (!counters[pairs.bank + CLOTH_PAIRS_NEED]) return;
    if (get_global_id(0) == 0) counters[CLOTH_PAIRS_LISTED] = counters[CLOTH_PAIRS_NEAR] = 0;
    cloth_pairs_boxes_from((uint)get_group_id(0) * WG, row, tree, pairs);
}

__kernel void cloth_pairs_find(__global const float4 *restrict boxes,
    __global const uint4 *restrict corners, __global uint2 *restrict near, __global int *counters,
    cloth_pairs pairs)
{
    HED_LOCAL_ARRAY(cloth_seek, seek, 1);
    if (!counters[pairs.bank + CLOTH_PAIRS_NEED]) return;
    cloth_group_find(seek, boxes, corners, near, counters, pairs);
}

__kernel void cloth_pairs_list(__global const uint2 *restrict near,
    __global const uint4 *restrict corners, __global const float4 *restrict start,
    __global const float4 *restrict ahead, __global const float4 *restrict rests,
    __global const float4 *restrict bodies, __global uint4 *restrict list,
    __global uint2 *restrict kept, __global float4 *restrict covers, __global int *counters,
    cloth_pairs pairs)
{
    HED_LOCAL_ARRAY(cloth_sift, sift, 1);
    cloth_pairs_view view = {corners, start, ahead, rests, bodies, list, kept, counters};
    if (!counters[pairs.bank + CLOTH_PAIRS_NEED]) return;
    cloth_group_list(sift, near, view, pairs);
    for (uint i = (uint)get_global_id(0); i < pairs.particles; i += (uint)get_global_size(0))
        cloth_pairs_cover_one(i, start, ahead, covers);
}

__kernel void cloth_pairs_take(__global const uint4 *restrict list,
    __global const uint2 *restrict kept, __global const float *restrict offs,
    __global const float4 *restrict start, __global const float4 *restrict position,
    __global const float4 *restrict rests, __global const float4 *restrict bodies,
    __global uint4 *restrict found, __global float4 *restrict planes, __global int *counters,
    cloth_pairs pairs)
{
    HED_LOCAL_ARRAY(cloth_sift, sift, 1);
    cloth_pairs_taking taking = {list, kept, offs, start, position, rests, bodies, found, planes};
    cloth_group_take(sift, taking, counters, pairs);
}

__kernel void cloth_pairs_push(__global const uint4 *restrict found,
    __global const float4 *restrict planes, __global const float4 *restrict start,
    __global const float4 *restrict moved, __global int *restrict sums, __global int *counters,
    cloth_pairs pairs)
{
    uint count = cloth_pairs_to_push(counters, pairs), step = (uint)get_global_size(0);
    for (uint k = (uint)get_global_id(0); k < count; k += step)
        cloth_pairs_push_one(k, found, planes, start, moved, sums, counters, pairs);
}

__kernel void cloth_pairs_part(__global const uint4 *restrict found,
    __global const float4 *restrict planes, __global const float4 *restrict moved,
    __global int *restrict sums, __global int *counters, cloth_pairs pairs)
{
    uint count = cloth_pairs_to_push(counters, pairs), step = (uint)get_global_size(0);
    for (uint k = (uint)get_global_id(0); k < count; k += step)
        cloth_pairs_part_one(k, found, planes, moved, sums, counters, pairs);
}

__kernel void cloth_pairs_apply(__global const float4 *restrict start,
    __global const float4 *restrict position, __global const float4 *restrict previous,
    __global const float4 *restrict garments, __global const float4 *restrict colliders,
    __global const float4 *restrict contact, __global const float4 *restrict covers,
    __global float4 *restrict moved, __global int *restrict sums, __global int *restrict counters,
    cloth_pairs pairs)
{
    uint i = (uint)get_global_id(0);
    if (i < pairs.particles)
        cloth_pairs_apply_one(i, start, position, previous, garments, colliders, contact, covers,
            moved, sums, counters, pairs);
}

__kernel void cloth_pairs_cut(__global const uint4 *restrict found,
    __global const float4 *restrict planes, __global const float4 *restrict start,
    __global const float4 *restrict moved, __global uint *shares, __global int *counters,
    cloth_pairs pairs)
{
    uint count = cloth_pairs_to_cut(counters, pairs), step = (uint)get_global_size(0);
    for (uint k = (uint)get_global_id(0); k < count; k += step)
        cloth_pairs_cut_one(k, found, planes, start, moved, shares, counters, pairs);
}

__kernel void cloth_pairs_finish(__global float4 *restrict position,
    __global float4 *restrict start, __global const float4 *restrict moved,
    __global const uint *restrict shares, __global int *counters, cloth_pairs pairs)
{
    uint i = (uint)get_global_id(0);
    if (i < pairs.particles)
        cloth_pairs_finish_one(i, position, start, moved, shares, counters, pairs);
}

#ifdef CLOTH_PAIRS_AT_ONCE
#if HED_HAS_GRID_BARRIER
#define cloth_all_meet(state) hed_grid_barrier(state)
#else /* for one group */
#define cloth_all_meet(state) barrier(CLK_GLOBAL_MEM_FENCE)
#endif
#define CLOTH_EACH(i, count) \
    for (uint i = (uint)get_global_id(0); i < (count); i += (uint)get_global_size(0))

/* All of a substep in one launch, with a barrier over all groups where the others end. Nothing that
 * is written here is `restrict`: it may not come from a cache that knows of no other group. */
__kernel void cloth_pairs_substep(__global float4 *boxes, __global const uint4 *restrict corners,
    __global const float4 *restrict gradients, __global float4 *slopes, __global float4 *ranges,
    __global const uint *restrict around_at, __global const uint *restrict around,
    __global const uint *restrict convex, __global float4 *start, __global float4 *position,
    __global const float4 *restrict previous, __global const float4 *restrict rests,
    __global const float4 *restrict bodies, __global const float4 *restrict garments,
    __global const float4 *restrict colliders, __global const float4 *restrict contact,
    __global uint4 *list, __global uint2 *kept, __global float4 *covers, __global float4 *ahead,
    __global float *offs, __global uint4 *found, __global float4 *planes, __global float4 *moved,
    __global uint *shares, __global int *sums, __global int *counters, __global uint *state,
    cloth_pairs given)
{
    cloth_pairs pairs = given; /* PoCL's work items have an argument that is written in common */
    cloth_pairs_view view = {corners, start, ahead, rests, bodies, list, kept, counters};
    cloth_pairs_tree tree = {boxes, corners, gradients, slopes, ranges, around_at, around, convex,
        start, ahead, rests, bodies};
    __global uint2 *near = (__global uint2 *)found;
    HED_LOCAL_ARRAY(cloth_room, room, 1);
    cloth_pairs_taking taking = {list, kept, offs, start, position, rests, bodies, found, planes};
    pairs.bank = (uint)counters[CLOTH_PAIRS_BANK];
    for (uint more = 1; more; pairs.leg++) {
        pairs.last = 0;
        CLOTH_EACH(i, pairs.particles)
        cloth_pairs_begin_one(i, start, position, moved, shares, counters, pairs);
        cloth_all_meet(state);
        CLOTH_EACH(i, pairs.particles)
        cloth_pairs_check_one(i, start, position, covers, ahead, offs, counters, pairs);
        cloth_all_meet(state);
        if (counters[pairs.bank + CLOTH_PAIRS_NEED]) {
            if (get_global_id(0) == 0)
                counters[CLOTH_PAIRS_LISTED] = counters[CLOTH_PAIRS_NEAR] = 0;
            CLOTH_EACH(leaf, pairs.leaves) cloth_pairs_slope_one(leaf, tree, pairs);
            cloth_all_meet(state);
            for (uint row = pairs.leaves; row > 0; row /= 2 * WG) {
                for (uint first = (uint)get_group_id(0) * WG; first < row;
                     first += (uint)get_global_size(0))
                    cloth_pairs_boxes_from(first, row, tree, pairs);
                cloth_all_meet(state);
            }
            cloth_group_find(&room->seek, boxes, corners, near, counters, pairs);
            cloth_all_meet(state);
            cloth_group_list(&room->sift, near, view, pairs);
            CLOTH_EACH(i, pairs.particles) cloth_pairs_cover_one(i, start, ahead, covers);
            cloth_all_meet(state);
        }
        cloth_group_take(&room->sift, taking, counters, pairs);
        cloth_all_meet(state);
        uint count = cloth_pairs_count(counters, pairs);
        pairs.pass = 0;
        while (count > 0 && !pairs.last) {
            uint pushes = pairs.pass < CLOTH_PAIRS_PUSHES,
                 to_push = cloth_pairs_to_push(counters, pairs);
            CLOTH_EACH(k, to_push)
            {
                if (pushes)
                    cloth_pairs_push_one(k, found, planes, start, moved, sums, counters, pairs);
                else cloth_pairs_part_one(k, found, planes, moved, sums, counters, pairs);
            }
            cloth_all_meet(state);
            /* what has nothing to do has nothing to do in the next pass, either */
            uint active = (uint)counters[pairs.bank + CLOTH_PAIRS_ACTIVE] == pairs.pass + 1u;
            pairs.last = !pushes && (!active || pairs.pass + 1u == CLOTH_PAIRS_PASSES);
            if (active || pairs.last) {
                CLOTH_EACH(i, pairs.particles)
                cloth_pairs_apply_one(i, start, position, previous, garments, colliders, contact,
                    covers, moved, sums, counters, pairs);
                cloth_all_meet(state);
            }
            pairs.pass = pushes && !active ? CLOTH_PAIRS_PUSHES : pairs.pass + 1u;
        }
        for (pairs.round = 0; pairs.round < CLOTH_PAIRS_ROUNDS; pairs.round++) {
            uint to_cut = cloth_pairs_to_cut(counters, pairs);
            if (to_cut == 0) break;
            CLOTH_EACH(k, to_cut)
            cloth_pairs_cut_one(k, found, planes, start, moved, shares, counters, pairs);
            cloth_all_meet(state);
        }
        more = cloth_pairs_go_on(counters, pairs);
        CLOTH_EACH(i, pairs.particles)
        cloth_pairs_finish_one(i, position, start, moved, shares, counters, pairs);
        if (more) cloth_all_meet(state);
        pairs.bank = CLOTH_PAIRS_HALF - pairs.bank;
        pairs.fresh = 0;
    }
}
#endif
