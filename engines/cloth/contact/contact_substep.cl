/* Kernels of cloth that never crosses cloth: one for each stage of a contact iteration, and one
 * for a whole substep. Kernels that go through pairs have a fixed number of work items, since
 * the number of pairs is known on the device alone. */
#ifndef WG
#define WG 128
#endif
#ifndef CLOTH_PHYSICS_H
#include "kernels/physics.h"
#include "kernels/collide.h"
#include "mesh_contact.h"
#include "contact_types.h"
#include "contact_geometry.h"
#include "contact_motion.h"
#include "contact_tree.h"
#include "broad_phase.h"
#include "contact_response.h"
#include "contact_limit.h"
#include "contact_stages.h"
#include "broad_phase_group.h"
#endif

__kernel void cloth_pairs_begin(__global const float4 *restrict start,
    __global const float4 *restrict position, __global float4 *restrict moved,
    __global uint *restrict fractions, __global contact_counters *restrict counters,
    contact_params params)
{
    uint i = (uint)get_global_id(0);
    if (i < params.particles) contact_begin(i, start, position, moved, fractions, counters, params);
}

__kernel void cloth_pairs_check(__global const float4 *restrict start,
    __global const float4 *restrict position, __global const float4 *restrict covers,
    __global float4 *restrict ahead, __global float *restrict deviations,
    __global contact_counters *counters, contact_params params)
{
    uint i = (uint)get_global_id(0);
    if (i < params.particles)
        contact_check(i, start, position, covers, ahead, deviations, counters, params);
}

__kernel void cloth_pairs_slopes(__global const contact_triangle *restrict triangles,
    __global const float4 *restrict gradients, __global const float4 *restrict start,
    __global const float4 *restrict ahead, __global float4 *restrict slopes,
    __global const contact_counters *counters, contact_params params)
{
    contact_tree tree;
    tree.triangles = triangles;
    tree.gradients = gradients;
    tree.slopes = slopes;
    tree.start = start;
    tree.ahead = ahead;
    uint leaf = (uint)get_global_id(0);
    if (leaf < params.leaves && counters->iteration[params.slot].list_needed)
        contact_slope(leaf, tree, params);
}

/* Refits WG nodes of a row of `row` nodes, and the nodes above them up to one. */
CLOTH_FUNCTION void contact_refit_from(
    uint first, uint row, contact_tree tree, contact_params params)
{
    uint item = (uint)get_local_id(0);
    for (uint width = WG; width > 0 && row > 0; width /= 2) {
        if (item < width && first + item < row) contact_refit(row + first + item, tree, params);
        barrier(CLK_GLOBAL_MEM_FENCE);
        row /= 2;
        first /= 2;
    }
}

/* The next launch begins with the row of row / WG / 2 nodes. The list is emptied. */
__kernel void cloth_pairs_boxes(__global float4 *boxes,
    __global const contact_triangle *restrict triangles, __global const float4 *restrict slopes,
    __global float4 *ranges, __global const uint *restrict around_at,
    __global const uint *restrict around, __global const uint *restrict convex,
    __global const float4 *restrict start, __global const float4 *restrict ahead,
    __global const float4 *restrict rests, __global const float4 *restrict bodies,
    __global contact_counters *counters, uint row, contact_params params)
{
    contact_tree tree;
    tree.boxes = boxes;
    tree.triangles = triangles;
    tree.slopes = (__global float4 *)slopes;
    tree.ranges = ranges;
    tree.around_at = around_at;
    tree.around = around;
    tree.convex = convex;
    tree.start = start;
    tree.ahead = ahead;
    tree.rests = rests;
    tree.bodies = bodies;
    if (!counters->iteration[params.slot].list_needed) return;
    if (get_global_id(0) == 0) counters->total.listed = counters->total.overlaps = 0;
    contact_refit_from((uint)get_group_id(0) * WG, row, tree, params);
}

__kernel void cloth_pairs_find(__global const float4 *restrict boxes,
    __global const contact_triangle *restrict triangles,
    __global contact_overlap *restrict overlaps, __global contact_counters *counters,
    contact_params params)
{
    HED_LOCAL_ARRAY(contact_seek, seek, 1);
    if (!counters->iteration[params.slot].list_needed) return;
    contact_group_find(seek, boxes, triangles, overlaps, counters, params);
}

__kernel void cloth_pairs_list(__global const contact_overlap *restrict overlaps,
    __global const contact_triangle *restrict triangles, __global const float4 *restrict start,
    __global const float4 *restrict ahead, __global const float4 *restrict rests,
    __global const float4 *restrict bodies, __global contact_pair *restrict list,
    __global contact_bound *restrict bounds, __global float4 *restrict covers,
    __global contact_counters *counters, contact_params params)
{
    HED_LOCAL_ARRAY(contact_sift, sift, 1);
    contact_list_view view;
    view.triangles = triangles;
    view.start = start;
    view.ahead = ahead;
    view.rests = rests;
    view.bodies = bodies;
    view.list = list;
    view.bounds = bounds;
    view.counters = counters;
    if (!counters->iteration[params.slot].list_needed) return;
    contact_group_list(sift, overlaps, view, params);
    for (uint i = (uint)get_global_id(0); i < params.particles; i += (uint)get_global_size(0))
        contact_store_cover(i, start, ahead, covers);
}

__kernel void cloth_pairs_take(__global const contact_pair *restrict list,
    __global const contact_bound *restrict bounds, __global const float *restrict deviations,
    __global const float4 *restrict start, __global const float4 *restrict position,
    __global const float4 *restrict rests, __global const float4 *restrict bodies,
    __global contact_pair *restrict found, __global contact_plane *restrict planes,
    __global contact_counters *counters, contact_params params)
{
    HED_LOCAL_ARRAY(contact_sift, sift, 1);
    contact_pair_view view;
    view.list = list;
    view.bounds = bounds;
    view.deviations = deviations;
    view.start = start;
    view.position = position;
    view.rests = rests;
    view.bodies = bodies;
    view.pairs = found;
    view.planes = planes;
    contact_group_take(sift, view, counters, params);
}

__kernel void cloth_pairs_push(__global const contact_pair *restrict found,
    __global const contact_plane *restrict planes, __global const float4 *restrict start,
    __global const float4 *restrict moved, __global int *restrict sums,
    __global contact_counters *counters, contact_params params)
{
    uint count = contact_to_push(counters, params), step = (uint)get_global_size(0);
    for (uint k = (uint)get_global_id(0); k < count; k += step)
        contact_push(k, found, planes, start, moved, sums, counters, params);
}

__kernel void cloth_pairs_part(__global const contact_pair *restrict found,
    __global const contact_plane *restrict planes, __global const float4 *restrict moved,
    __global int *restrict sums, __global contact_counters *counters, contact_params params)
{
    uint count = contact_to_push(counters, params), step = (uint)get_global_size(0);
    for (uint k = (uint)get_global_id(0); k < count; k += step)
        contact_separate(k, found, planes, moved, sums, counters, params);
}

__kernel void cloth_pairs_apply(__global const float4 *restrict start,
    __global const float4 *restrict position, __global const float4 *restrict previous,
    __global const float4 *restrict garments, __global const float4 *restrict colliders,
    __global const float4 *restrict contact, __global const float4 *restrict covers,
    __global float4 *restrict moved, __global int *restrict sums,
    __global contact_counters *restrict counters, contact_params params)
{
    uint i = (uint)get_global_id(0);
    if (i < params.particles)
        contact_apply(i, start, position, previous, garments, colliders, contact, covers, moved,
            sums, counters, params);
}

__kernel void cloth_pairs_cut(__global const contact_pair *restrict found,
    __global const contact_plane *restrict planes, __global const float4 *restrict start,
    __global const float4 *restrict moved, __global uint *fractions,
    __global contact_counters *counters, contact_params params)
{
    uint count = contact_to_limit(counters, params), step = (uint)get_global_size(0);
    for (uint k = (uint)get_global_id(0); k < count; k += step)
        contact_limit(k, found, planes, start, moved, fractions, counters, params);
}

__kernel void cloth_pairs_finish(__global float4 *restrict position,
    __global float4 *restrict start, __global const float4 *restrict moved,
    __global const uint *restrict fractions, __global contact_counters *counters,
    contact_params params)
{
    uint i = (uint)get_global_id(0);
    if (i < params.particles)
        contact_finish(i, position, start, moved, fractions, counters, params);
}

#ifdef CLOTH_PAIRS_AT_ONCE
#if HED_HAS_GRID_BARRIER
#define contact_meet(state) hed_grid_barrier(state)
#else /* for one group */
#define contact_meet(state) barrier(CLK_GLOBAL_MEM_FENCE)
#endif
#define CONTACT_EACH(i, count) \
    for (uint i = (uint)get_global_id(0); i < (count); i += (uint)get_global_size(0))

/* Stages of cloth_pairs_substep: the work, then the meeting. */
#define CONTACT_RUN(stage) RUN_##stage
#define RUN_CONTACT_BEGIN \
    { \
        CONTACT_EACH(i, params.particles) \
        contact_begin(i, start, position, moved, fractions, counters, params); \
        contact_meet(state); \
    }
#define RUN_CONTACT_CHECK \
    { \
        CONTACT_EACH(i, params.particles) \
        contact_check(i, start, position, covers, ahead, deviations, counters, params); \
        contact_meet(state); \
    }
#define RUN_CONTACT_SLOPES \
    { \
        if (get_global_id(0) == 0) counters->total.listed = counters->total.overlaps = 0; \
        CONTACT_EACH(leaf, params.leaves) contact_slope(leaf, tree, params); \
        contact_meet(state); \
    }
#define RUN_CONTACT_BOXES \
    { \
        for (uint first = (uint)get_group_id(0) * WG; first < row; \
             first += (uint)get_global_size(0)) \
            contact_refit_from(first, row, tree, params); \
        contact_meet(state); \
    }
#define RUN_CONTACT_FIND \
    { \
        contact_group_find(&memory->seek, boxes, triangles, overlaps, counters, params); \
        contact_meet(state); \
    }
#define RUN_CONTACT_LIST \
    { \
        contact_group_list(&memory->sift, overlaps, list_view, params); \
        CONTACT_EACH(i, params.particles) contact_store_cover(i, start, ahead, covers); \
        contact_meet(state); \
    }
#define RUN_CONTACT_TAKE \
    { \
        contact_group_take(&memory->sift, pair_view, counters, params); \
        contact_meet(state); \
    }
#define RUN_CONTACT_PUSH \
    { \
        uint count = contact_to_push(counters, params); \
        CONTACT_EACH(k, count) \
        contact_push(k, found, planes, start, moved, sums, counters, params); \
        contact_meet(state); \
    }
#define RUN_CONTACT_SEPARATE \
    { \
        uint count = contact_to_push(counters, params); \
        CONTACT_EACH(k, count) \
        contact_separate(k, found, planes, moved, sums, counters, params); \
        contact_meet(state); \
    }
#define RUN_CONTACT_APPLY \
    { \
        CONTACT_EACH(i, params.particles) \
        contact_apply(i, start, position, previous, garments, colliders, contact, covers, moved, \
            sums, counters, params); \
        contact_meet(state); \
    }
#define RUN_CONTACT_LIMIT \
    { \
        uint count = contact_to_limit(counters, params); \
        CONTACT_EACH(k, count) \
        contact_limit(k, found, planes, start, moved, fractions, counters, params); \
        contact_meet(state); \
    }
#define RUN_CONTACT_FINISH \
    { \
        more = contact_continues(counters, params); \
        CONTACT_EACH(i, params.particles) \
        contact_finish(i, position, start, moved, fractions, counters, params); \
        if (more) contact_meet(state); \
    }

/* A whole substep in one launch, with a barrier over all groups between two stages. Arrays that are
 * written here are not `restrict`: they may not be read from a cache that other groups bypass. */
__kernel void cloth_pairs_substep(__global float4 *boxes,
    __global const contact_triangle *restrict triangles, __global const float4 *restrict gradients,
    __global float4 *slopes, __global float4 *ranges, __global const uint *restrict around_at,
    __global const uint *restrict around, __global const uint *restrict convex,
    __global float4 *start, __global float4 *position, __global const float4 *restrict previous,
    __global const float4 *restrict rests, __global const float4 *restrict bodies,
    __global const float4 *restrict garments, __global const float4 *restrict colliders,
    __global const float4 *restrict contact, __global contact_pair *list,
    __global contact_bound *bounds, __global float4 *covers, __global float4 *ahead,
    __global float *deviations, __global contact_pair *found, __global contact_plane *planes,
    __global float4 *moved, __global uint *fractions, __global int *sums,
    __global contact_counters *counters, __global uint *state, contact_params given)
{
    contact_params params = given; /* PoCL's work items share an argument that is written */
    contact_list_view list_view;
    list_view.triangles = triangles;
    list_view.start = start;
    list_view.ahead = ahead;
    list_view.rests = rests;
    list_view.bodies = bodies;
    list_view.list = list;
    list_view.bounds = bounds;
    list_view.counters = counters;
    contact_tree tree;
    tree.boxes = boxes;
    tree.triangles = triangles;
    tree.gradients = gradients;
    tree.slopes = slopes;
    tree.ranges = ranges;
    tree.around_at = around_at;
    tree.around = around;
    tree.convex = convex;
    tree.start = start;
    tree.ahead = ahead;
    tree.rests = rests;
    tree.bodies = bodies;
    contact_pair_view pair_view;
    pair_view.list = list;
    pair_view.bounds = bounds;
    pair_view.deviations = deviations;
    pair_view.start = start;
    pair_view.position = position;
    pair_view.rests = rests;
    pair_view.bodies = bodies;
    pair_view.pairs = found;
    pair_view.planes = planes;
    __global contact_overlap *overlaps = (__global contact_overlap *)found;
    HED_LOCAL_ARRAY(contact_local, memory, 1);
    params.slot = (uint)counters->total.slot;
    uint row;
    for (uint more = 1; more; params.iteration++) {
        CONTACT_ITERATION(CONTACT_RUN, params, row, WG, counters, 1);
        params.slot = 1u - params.slot;
        params.new_frame = 0;
        params.last_pass = 0;
    }
}
#endif
