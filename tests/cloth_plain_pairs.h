/* Plain broad phase of cloth contact: the pairs that broad_phase_group.h (devices) and
 * broad_phase_cpu.h (C) find, by loops over all leaves and candidates. Tests compare with it. */
#ifndef CLOTH_PLAIN_PAIRS_H
#define CLOTH_PLAIN_PAIRS_H

#include "contact/contact_kernels.h"

/* Each two leaves, in no tree. */
static inline void cloth_plain_find(
    const float4 *boxes, const uint4 *corners, uint2 *near, int *counters, cloth_pairs pairs)
{
    for (uint i = 0; i < pairs.leaves; i++)
        for (uint j = i + 1; j < pairs.leaves; j++) {
            uint a = i + pairs.leaves, b = j + pairs.leaves, shown = 0;
            /* nothing meets in a node that has both */
            for (uint one = a / 2, two = b / 2; one > 0; one /= 2, two /= 2)
                shown |= one == two && boxes[2 * one].w > 0.0f;
            float4 low = boxes[2 * a], high = boxes[2 * a + 1], l = boxes[2 * b],
                   h = boxes[2 * b + 1];
            if (shown || l.x > high.x || l.y > high.y || l.z > high.z || low.x > h.x ||
                low.y > h.y || low.z > h.z || !cloth_candidates(corners[i], corners[j]))
                continue;
            uint at = (uint)counters[CLOTH_PAIRS_NEAR]++;
            if (at < 2u * pairs.capacity) near[at] = (uint2){i, j};
        }
}

static inline void cloth_plain_list(const uint2 *near, cloth_pairs_view view, cloth_pairs pairs)
{
    const float4 still = {0.0f, 0.0f, 0.0f, 0.0f};
    uint count = cloth_pairs_near(view.counters, pairs);
    for (uint k = 0; k < count; k++) {
        uint4 one = view.corners[near[k].x], two = view.corners[near[k].y];
        uint left = cloth_candidates(one, two);
        for (uint which = 0; which < 15; which++) {
            if (!(left >> which & 1u)) continue;
            uint4 pair = cloth_candidate(which, one, two);
            uint edges = pair.x & CLOTH_PAIR_EDGES;
            cloth_ends x = cloth_ends_of(view.start, pair), y = cloth_ends_of(view.ahead, pair);
            float reach = cloth_pairs_reach(one.x, two.x, view),
                  keep = reach + 2.0f * cloth_around(pairs),
                  apart = cloth_pair_gap(x, y, still, edges).apart;
            if (!cloth_sides_apart(x, y, still, edges, keep) && !(apart >= keep) &&
                cloth_pairs_keeps(pair, &reach, apart, view, pairs))
                cloth_pairs_note(
                    (uint)view.counters[CLOTH_PAIRS_LISTED]++, pair, reach, apart, view, pairs);
        }
    }
}

static inline void cloth_plain_take(const uint4 *list, const uint2 *kept, const float *offs,
    const float4 *start, const float4 *position, const float4 *rests, const float4 *bodies,
    uint4 *found, float4 *planes, int *counters, cloth_pairs pairs)
{
    uint count = cloth_pairs_listed(counters, pairs);
    uint made = (uint)counters[pairs.bank + CLOTH_PAIRS_NEED];
    float room = cloth_pair_room(counters, pairs);
    float4 shift = cloth_pair_shift(counters, pairs);
    for (uint k = 0; k < count; k++) {
        uint4 pair = list[k];
        uint edges = pair.x & CLOTH_PAIR_EDGES;
        float reach = as_float(kept[k].x);
        cloth_ends x = cloth_ends_of(start, pair), y = cloth_ends_of(position, pair);
        cloth_gap between = cloth_pair_gap(x, y, shift, edges);
        if (cloth_pair_stays(pair, kept[k], offs, made, room) ||
            cloth_sides_apart(x, y, shift, edges, reach + room) || between.apart >= reach + room)
            continue;
        cloth_pairs_put((uint)counters[pairs.bank + CLOTH_PAIRS_COUNT]++, pair, reach, between,
            rests, bodies, found, planes, pairs);
    }
}

#endif
