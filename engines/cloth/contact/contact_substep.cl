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

__kernel void cloth_pairs_begin(HED_VIEW_PARAMETERS(PAIRS_BEGIN))
{
    HED_VIEW_HERE(contact_begin_view, view, PAIRS_BEGIN);
    uint i = (uint)get_global_id(0);
    if (i < params.particles) contact_begin(i, view);
}

__kernel void cloth_pairs_check(HED_VIEW_PARAMETERS(PAIRS_CHECK))
{
    HED_VIEW_HERE(contact_check_view, view, PAIRS_CHECK);
    uint i = (uint)get_global_id(0);
    if (i < params.particles) contact_check(i, view);
}

__kernel void cloth_pairs_slopes(HED_VIEW_PARAMETERS(PAIRS_SLOPES))
{
    HED_VIEW_HERE(contact_tree, tree, CONTACT_TREE);
    uint leaf = (uint)get_global_id(0);
    if (leaf < params.leaves && counters->iteration[params.slot].list_needed)
        contact_slope(leaf, tree, params);
}

/* Refits WG nodes of a row of `row` nodes, and the nodes above them up to one. All of these nodes are
 * proven side by side at the end: row by row, each row would wait for the roots of its proofs. */
CLOTH_FUNCTION void contact_refit_from(
    uint first, uint row, contact_tree tree, contact_params params)
{
    uint item = (uint)get_local_id(0), span = min((uint)WG, row), top = (row + first) / span;
    for (uint width = WG; width > 0 && row > 0; width /= 2) {
        if (item < width && first + item < row) contact_refit(row + first + item, tree, params);
        barrier(CLK_GLOBAL_MEM_FENCE);
        row /= 2;
        first /= 2;
    }
    for (uint k = item + 1; k < 2 * span; k += WG) {
        uint row_of_k = 1u << (31u - clz(k)); /* nodes in the row of node k below `top`, node 1 */
        contact_prove(top * row_of_k + k - row_of_k, tree);
    }
}

/* The next launch begins with the row of row / WG / 2 nodes. The list is emptied. */
__kernel void cloth_pairs_boxes(HED_VIEW_PARAMETERS(PAIRS_BOXES))
{
    HED_VIEW_HERE(contact_tree, tree, CONTACT_TREE);
    if (!counters->iteration[params.slot].list_needed) return;
    if (get_global_id(0) == 0) counters->total.listed = counters->total.overlaps = 0;
    contact_refit_from((uint)get_group_id(0) * WG, row, tree, params);
}

__kernel void cloth_pairs_find(HED_VIEW_PARAMETERS(PAIRS_FIND))
{
    HED_LOCAL_ARRAY(contact_seek, seek, 1);
    HED_VIEW_HERE(contact_find_view, view, PAIRS_FIND);
    if (!counters->iteration[params.slot].list_needed) return;
    contact_group_find(seek, view);
}

__kernel void cloth_pairs_list(HED_VIEW_PARAMETERS(PAIRS_LIST))
{
    HED_LOCAL_ARRAY(contact_sift, sift, 1);
    HED_VIEW_HERE(contact_list_view, view, CONTACT_LIST_ARRAYS);
    if (!counters->iteration[params.slot].list_needed) return;
    contact_group_list(sift, overlaps, view, params);
    for (uint i = (uint)get_global_id(0); i < params.particles; i += (uint)get_global_size(0))
        contact_store_cover(i, start, ahead, covers);
}

__kernel void cloth_pairs_take(HED_VIEW_PARAMETERS(PAIRS_TAKE))
{
    HED_LOCAL_ARRAY(contact_sift, sift, 1);
    HED_VIEW_HERE(contact_pair_view, view, CONTACT_PAIR_ARRAYS);
    contact_group_take(sift, view, counters, params);
}

__kernel void cloth_pairs_push(HED_VIEW_PARAMETERS(PAIRS_PUSH))
{
    HED_VIEW_HERE(contact_push_view, view, PAIRS_PUSH);
    uint count = contact_to_push(counters, params), step = (uint)get_global_size(0);
    for (uint k = (uint)get_global_id(0); k < count; k += step) contact_push_at(k, view);
}

__kernel void cloth_pairs_part(HED_VIEW_PARAMETERS(PAIRS_PART))
{
    HED_VIEW_HERE(contact_separate_view, view, PAIRS_PART);
    uint count = contact_to_push(counters, params), step = (uint)get_global_size(0);
    for (uint k = (uint)get_global_id(0); k < count; k += step) contact_separate_at(k, view);
}

__kernel void cloth_pairs_pull(HED_VIEW_PARAMETERS(PAIRS_PULL))
{
    HED_VIEW_HERE(contact_pull_view, view, PAIRS_PULL);
    uint leaf = (uint)get_global_id(0);
    if (leaf < params.leaves && contact_pulls(counters, params)) contact_pull(leaf, view);
}

__kernel void cloth_pairs_apply(HED_VIEW_PARAMETERS(PAIRS_APPLY))
{
    HED_VIEW_HERE(contact_apply_view, view, PAIRS_APPLY);
    uint i = (uint)get_global_id(0);
    if (i < params.particles) contact_apply(i, view);
}

__kernel void cloth_pairs_cut(HED_VIEW_PARAMETERS(PAIRS_CUT))
{
    HED_VIEW_HERE(contact_limit_view, view, PAIRS_CUT);
    uint count = contact_to_limit(counters, params), step = (uint)get_global_size(0);
    for (uint k = (uint)get_global_id(0); k < count; k += step) contact_limit(k, view);
}

__kernel void cloth_pairs_finish(HED_VIEW_PARAMETERS(PAIRS_FINISH))
{
    HED_VIEW_HERE(contact_finish_view, view, PAIRS_FINISH);
    uint i = (uint)get_global_id(0);
    if (i < params.particles) contact_finish(i, view);
}

#ifdef CLOTH_PAIRS_AT_ONCE
#if HED_HAS_GRID_BARRIER
#define contact_meet(state) hed_grid_barrier(state)
#else /* for one group */
#define contact_meet(state) barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif
#define CONTACT_EACH(i, count) \
    for (uint i = (uint)get_global_id(0); i < (count); i += (uint)get_global_size(0))

/* Index of pair k of this group. */
CLOTH_FUNCTION uint contact_own_pair(uint k)
{
    return k / WG * (uint)get_global_size(0) + (uint)get_group_id(0) * WG + k % WG;
}

/* Loads the first of `count` pairs of all groups that are this group's. Passes wait for memory, which
 * local memory answers sooner. */
CLOTH_INLINE void contact_keep(
    CLOTH_LOCAL contact_kept *kept, uint count, contact_pair_view view)
{
    for (uint k = (uint)get_local_id(0); k < CONTACT_KEPT && contact_own_pair(k) < count; k += WG) {
        kept->pairs[k] = view.pairs[contact_own_pair(k)];
        kept->planes[k] = view.planes[contact_own_pair(k)];
    }
}

/* Runs a pass over the pairs of a group. Where it weighs, the group notes the pairs that have work, the
 * ones beyond local memory in its part of `marks`, of as many elements as it has pairs; the same pass
 * then moves these alone. */
#define CONTACT_PASS(work) \
    { \
        uint group_ = (uint)get_group_id(0), groups_ = (uint)get_num_groups(0); \
        uint blocks_ = (pair_count + WG - 1u) / WG; \
        CLOTH_LOCAL contact_kept *kept_ = &memory->kept; \
        __global uint *further_ = \
            marks + WG * (group_ * (blocks_ / groups_) + min(group_, blocks_ % groups_)); \
        if (params.weighs) { \
            if (get_local_id(0) == 0) kept_->weighed_count = 0; \
            barrier(CLK_LOCAL_MEM_FENCE); \
        } \
        for (uint i = (uint)get_local_id(0); params.weighs ? contact_own_pair(i) < pair_count \
                                                           : i < kept_->weighed_count; \
             i += WG) { \
            uint k = params.weighs ? i : i < CONTACT_KEPT ? kept_->weighed[i] : further_[i]; \
            uint is_kept_ = k < CONTACT_KEPT; \
            contact_pair pair_ = is_kept_ ? kept_->pairs[k] : pairs[contact_own_pair(k)]; \
            contact_plane plane_ = is_kept_ ? kept_->planes[k] : planes[contact_own_pair(k)]; \
            if (!work(pair_, plane_, view) || !params.weighs) continue; \
            uint at_ = atomic_add(&kept_->weighed_count, 1u); \
            if (at_ < CONTACT_KEPT) kept_->weighed[at_] = k; \
            else further_[at_] = k; \
        } \
    }

/* Bits of the particles that a round of this iteration has limited, after the notes of pairs in `marks`:
 * pairs without such a particle need no further test. */
CLOTH_FUNCTION __global uint *contact_limited_bits(__global uint *marks, contact_params params)
{
    return marks + params.capacity + WG;
}

CLOTH_FUNCTION uint contact_has_bit(__global const uint *bits, uint particle)
{
    return bits[particle / 32u] >> particle % 32u & 1u;
}

CLOTH_FUNCTION uint contact_is_limited(__global const uint *bits, contact_pair pair)
{
    return contact_has_bit(bits, contact_first(pair)) | contact_has_bit(bits, pair.b) |
           contact_has_bit(bits, pair.c) | contact_has_bit(bits, pair.d);
}

CLOTH_FUNCTION void contact_note_limited(__global uint *bits, contact_pair pair)
{
    uint a = contact_first(pair);
    atomic_or(bits + a / 32u, 1u << a % 32u);
    atomic_or(bits + pair.b / 32u, 1u << pair.b % 32u);
    atomic_or(bits + pair.c / 32u, 1u << pair.c % 32u);
    atomic_or(bits + pair.d / 32u, 1u << pair.d % 32u);
}

/* Limits pair k, unless the round is one that tests again and need not test this pair. */
CLOTH_INLINE void contact_limit_again(uint k, contact_limit_view view, contact_params params)
{
    __global uint *bits = contact_limited_bits(view.marks, params);
    contact_pair pair = view.pairs[k];
    uint tests_all = params.round == 0 || params.round + 1u == CONTACT_LIMIT_ROUNDS;
    if (!tests_all && !contact_is_limited(bits, pair)) return;
    if (contact_limit(k, view)) contact_note_limited(bits, pair);
}

/* Stages of cloth_pairs_substep: the work, then the meeting. */
#define CONTACT_RUN(stage) RUN_##stage
#define RUN_CONTACT_BEGIN \
    { \
        HED_VIEW_HERE(contact_begin_view, view, PAIRS_BEGIN); \
        CONTACT_EACH(i, params.particles) contact_begin(i, view); \
        CONTACT_EACH(i, (params.particles + 31u) / 32u) \
        contact_limited_bits(marks, params)[i] = 0; \
        contact_meet(state); \
    }
#define RUN_CONTACT_CHECK \
    { \
        HED_VIEW_HERE(contact_check_view, view, PAIRS_CHECK); \
        CONTACT_EACH(i, params.particles) contact_check(i, view); \
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
        HED_VIEW_HERE(contact_find_view, view, PAIRS_FIND); \
        contact_group_find(&memory->seek, view); \
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
        pair_count = contact_count(counters, params); \
        contact_keep(&memory->kept, pair_count, pair_view); \
    }
#define RUN_CONTACT_PUSH \
    { \
        HED_VIEW_HERE(contact_push_view, view, PAIRS_PUSH); \
        CONTACT_PASS(contact_push); \
        contact_meet(state); \
    }
#define RUN_CONTACT_SEPARATE \
    { \
        HED_VIEW_HERE(contact_separate_view, view, PAIRS_PART); \
        CONTACT_PASS(contact_separate); \
        contact_meet(state); \
    }
#define RUN_CONTACT_PULL \
    { \
        HED_VIEW_HERE(contact_pull_view, view, PAIRS_PULL); \
        uint pulls = contact_pulls(counters, params); \
        if (pulls) CONTACT_EACH(leaf, params.leaves) contact_pull(leaf, view); \
        contact_meet(state); \
    }
#define RUN_CONTACT_APPLY \
    { \
        HED_VIEW_HERE(contact_apply_view, view, PAIRS_APPLY); \
        CONTACT_EACH(i, params.particles) contact_apply(i, view); \
        contact_meet(state); \
    }
#define RUN_CONTACT_LIMIT \
    { \
        HED_VIEW_HERE(contact_limit_view, view, PAIRS_CUT); \
        uint count = contact_to_limit(counters, params); \
        CONTACT_EACH(k, count) contact_limit_again(k, view, params); \
        contact_meet(state); \
    }
#define RUN_CONTACT_FINISH \
    { \
        HED_VIEW_HERE(contact_finish_view, view, PAIRS_FINISH); \
        is_limited = contact_continues(counters, params); \
        CONTACT_EACH(i, params.particles) contact_finish(i, view); \
        if (is_limited) contact_meet(state); \
    }

/* A whole substep in one launch, with a barrier over all groups between two stages. The inner block
 * has parameters of its own, because PoCL's work items share an argument that is written. */
__kernel void cloth_pairs_substep(HED_VIEW_PARAMETERS(PAIRS_SUBSTEP))
{
    HED_LOCAL_ARRAY(contact_local, memory, 1);
    HED_VIEW_HERE(contact_tree, tree, CONTACT_TREE);
    HED_VIEW_HERE(contact_list_view, list_view, CONTACT_LIST_ARRAYS);
    HED_VIEW_HERE(contact_pair_view, pair_view, CONTACT_PAIR_ARRAYS);
    __global contact_overlap *overlaps = (__global contact_overlap *)pairs;
    contact_params start_params = params;
    {
        contact_params params = start_params;
        params.slot = (uint)counters->total.slot;
        params.adds_two = 1;
        uint row, pair_count = 0;
        for (uint is_limited = 1; is_limited; params.iteration++) {
            CONTACT_ITERATION(CONTACT_RUN, params, row, WG, counters, 1);
            params.slot = 1u - params.slot;
            params.new_frame = 0;
        }
    }
}
#endif
