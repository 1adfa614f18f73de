/* Plain broad phase of cloth contact: the pairs that broad_phase_group.h (devices) and
 * broad_phase_cpu.h (C) find, by loops over all leaves and candidates. Tests compare with it. */
#ifndef CLOTH_PLAIN_PAIRS_H
#define CLOTH_PLAIN_PAIRS_H

#include "contact/contact_kernels.h"

/* Finds the overlaps of any two leaves, without the tree. */
static inline void cloth_plain_find(const float4 *boxes, const contact_triangle *triangles,
    contact_overlap *overlaps, contact_counters *counters, contact_params params)
{
    for (uint i = 0; i < params.leaves; i++)
        for (uint j = i + 1; j < params.leaves; j++) {
            uint a = i + params.leaves, b = j + params.leaves, skipped = 0;
            /* a node with both leaves cannot meet itself */
            for (uint n = a / 2, m = b / 2; n > 0; n /= 2, m /= 2)
                skipped |= n == m && boxes[2 * n].w > 0.0f;
            float4 low = boxes[2 * a], high = boxes[2 * a + 1], l = boxes[2 * b],
                   h = boxes[2 * b + 1];
            if (skipped || l.x > high.x || l.y > high.y || l.z > high.z || low.x > h.x ||
                low.y > h.y || low.z > h.z || !contact_candidates(triangles[i], triangles[j]))
                continue;
            uint at = (uint)counters->total.overlaps++;
            if (at < 2u * params.capacity) overlaps[at] = (contact_overlap){i, j};
        }
}

static inline void cloth_plain_list(
    const contact_overlap *overlaps, contact_list_view view, contact_params params)
{
    const float4 no_shift = {0.0f, 0.0f, 0.0f, 0.0f};
    uint count = contact_overlaps(view.counters, params);
    for (uint k = 0; k < count; k++) {
        contact_triangle s = view.triangles[overlaps[k].leaf],
                         t = view.triangles[overlaps[k].other];
        uint bits = contact_candidates(s, t);
        for (uint candidate = 0; candidate < 15; candidate++) {
            if (!(bits >> candidate & 1u)) continue;
            contact_pair pair = contact_candidate(candidate, s, t);
            uint edges = contact_edges(pair);
            contact_ends x = contact_ends_of(view.start, pair),
                         y = contact_ends_of(view.ahead, pair);
            float reach = contact_reach(s.a, t.a, view),
                  limit = contact_near_gap(reach, contact_listed_margins(params)),
                  gap = contact_gap_of(x, y, no_shift, edges).min_gap;
            if (!contact_sides_apart(x, y, no_shift, edges, limit) && !(gap >= limit) &&
                contact_is_listed(pair, &reach, gap, view, params))
                contact_list_write(
                    (uint)view.counters->total.listed++, pair, reach, gap, view, params);
        }
    }
}

static inline void cloth_plain_take(
    contact_pair_view view, contact_counters *counters, contact_params params)
{
    uint count = contact_listed(counters, params);
    contact_iteration *now = &counters->iteration[params.slot];
    contact_margins margins = contact_taken_margins(counters, params);
    float4 shift = contact_shift(counters, params);
    for (uint k = 0; k < count; k++) {
        contact_pair pair = view.list[k];
        uint edges = contact_edges(pair);
        float reach = view.bounds[k].reach, limit = contact_near_gap(reach, margins);
        contact_ends x = contact_ends_of(view.start, pair),
                     y = contact_ends_of(view.position, pair);
        contact_gap gap = contact_gap_of(x, y, shift, edges);
        uint is_fresh = (uint)now->list_needed;
        if (contact_is_far(pair, view.bounds[k], view.deviations, is_fresh, margins) ||
            contact_sides_apart(x, y, shift, edges, limit) || gap.min_gap >= limit)
            continue;
        contact_pair_write((uint)now->pairs++, pair, reach, gap, view, params);
    }
}

#endif
