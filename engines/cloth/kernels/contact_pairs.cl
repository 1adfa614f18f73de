/* Cloth that never crosses cloth: pairs are found, push each other apart, and are cut.
 * contact_pairs.h has what is done for one. What goes through pairs has a fixed number of work
 * items, since how many pairs there are is known on the device alone. */
#ifndef WG
#define WG 128
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "contact_mesh.h"
#include "contact_pairs.h"
#endif

__kernel void cloth_pairs_begin(__global const float4 *restrict start,
    __global const float4 *restrict position, __global float4 *restrict moved,
    __global uint2 *restrict shares, __global int *restrict counters, cloth_pairs pairs)
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

/* Boxes of a row of `row` nodes and of those above them: a group takes WG nodes and goes up to one,
 * so the next launch begins with the row of row / WG / 2 nodes. The list is emptied. */
__kernel void cloth_pairs_boxes(__global float4 *boxes, __global const uint4 *restrict corners,
    __global const float4 *restrict start, __global const float4 *restrict ahead,
    __global const float4 *restrict rests, __global const float4 *restrict bodies,
    __global int *counters, uint row, cloth_pairs pairs)
{
    uint item = (uint)get_local_id(0), first = (uint)get_group_id(0) * WG;
    if (!counters[pairs.bank + CLOTH_PAIRS_NEED]) return;
    if (get_global_id(0) == 0) counters[CLOTH_PAIRS_LISTED] = counters[CLOTH_PAIRS_NEAR] = 0;
    for (uint width = WG; width > 0 && row > 0; width /= 2) {
        if (item < width && first + item < row)
            cloth_pairs_box_one(
                row + first + item, boxes, corners, start, ahead, rests, bodies, pairs);
        barrier(CLK_GLOBAL_MEM_FENCE);
        row /= 2;
        first /= 2;
    }
}

__kernel void cloth_pairs_find(__global const float4 *restrict boxes,
    __global const uint4 *restrict corners, __global uint2 *restrict near, __global int *counters,
    cloth_pairs pairs)
{
    uint leaf = (uint)get_global_id(0);
    if (leaf < pairs.leaves && counters[pairs.bank + CLOTH_PAIRS_NEED])
        cloth_pairs_find_one(leaf, boxes, corners, near, counters, pairs);
}

__kernel void cloth_pairs_list(__global const uint2 *restrict near,
    __global const uint4 *restrict corners, __global const float4 *restrict start,
    __global const float4 *restrict ahead, __global const float4 *restrict rests,
    __global const float4 *restrict bodies, __global uint4 *restrict list,
    __global uint2 *restrict kept, __global float4 *restrict covers, __global int *counters,
    cloth_pairs pairs)
{
    cloth_pairs_view view = {corners, start, ahead, rests, bodies, list, kept, counters};
    uint first = (uint)get_global_id(0), step = (uint)get_global_size(0);
    if (!counters[pairs.bank + CLOTH_PAIRS_NEED]) return;
    uint count = cloth_pairs_near(counters, pairs);
    for (uint k = first; k < count; k += step) cloth_pairs_list_one(k, near, view, pairs);
    for (uint i = first; i < pairs.particles; i += step)
        cloth_pairs_cover_one(i, start, ahead, covers);
}

__kernel void cloth_pairs_take(__global const uint4 *restrict list,
    __global const uint2 *restrict kept, __global const float *restrict offs,
    __global const float4 *restrict start, __global const float4 *restrict position,
    __global const float4 *restrict rests, __global const float4 *restrict bodies,
    __global uint4 *restrict found, __global float4 *restrict planes, __global int *counters,
    cloth_pairs pairs)
{
    uint count = cloth_pairs_listed(counters, pairs), step = (uint)get_global_size(0);
    for (uint k = (uint)get_global_id(0); k < count; k += step)
        cloth_pairs_take_one(k, list, kept, offs, start, position, rests, bodies, found, planes,
            counters, pairs);
}

__kernel void cloth_pairs_push(__global const uint4 *restrict found,
    __global const float4 *restrict planes, __global const float4 *restrict start,
    __global const float4 *restrict moved, __global int *restrict sums,
    __global const int *restrict counters, cloth_pairs pairs)
{
    uint count = cloth_pairs_count(counters, pairs), step = (uint)get_global_size(0);
    for (uint k = (uint)get_global_id(0); k < count; k += step)
        cloth_pairs_push_one(k, found, planes, start, moved, sums, pairs);
}

__kernel void cloth_pairs_part(__global const uint4 *restrict found,
    __global const float4 *restrict planes, __global const float4 *restrict moved,
    __global int *restrict sums, __global const int *restrict counters, cloth_pairs pairs)
{
    uint count = cloth_pairs_count(counters, pairs), step = (uint)get_global_size(0);
    for (uint k = (uint)get_global_id(0); k < count; k += step)
        cloth_pairs_part_one(k, found, planes, moved, sums, pairs);
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
    __global const float4 *restrict moved, __global uint2 *shares, __global int *counters,
    cloth_pairs pairs)
{
    uint count = cloth_pairs_to_cut(counters, pairs), step = (uint)get_global_size(0);
    for (uint k = (uint)get_global_id(0); k < count; k += step)
        cloth_pairs_cut_one(k, found, planes, start, moved, shares, counters, pairs);
}

__kernel void cloth_pairs_finish(__global float4 *restrict position,
    __global float4 *restrict start, __global const float4 *restrict moved,
    __global const uint2 *restrict shares, __global int *counters, cloth_pairs pairs)
{
    uint i = (uint)get_global_id(0);
    if (i < pairs.particles)
        cloth_pairs_finish_one(i, position, start, moved, shares, counters, pairs);
}
