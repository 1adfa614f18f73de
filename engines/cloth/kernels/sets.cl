/* Kernel of all sets of distance constraints: one work-group solves the sets of a sweep, with a
 * barrier after each set. No free particle is in two constraints of a set. particle.h has the
 * scalar version. */
#ifndef WG
#define WG 32
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "particle.h"
#include "lanes.h"
#include "project.h"
#endif

/* Solves all sets. */
__kernel void cloth_sets(HED_VIEW_PARAMETERS(CLOTH_SETS))
{
    HED_VIEW_HERE(cloth_projection, view, CLOTH_PROJECTION);
    float stiffness = cloth_stiffness_at(steps, substep);
    uint lane = (uint)get_local_id(0), items = (uint)get_local_size(0);
    for (uint s = 0; s < sets; s++) {
        uint end = set_at[s + 1];
#if VECTOR
        for (uint i = set_at[s] + 4 * lane; i < end; i += 4 * items) {
            if (i + 4 <= end) cloth_distance_four(i, view, stiffness);
            else
                for (uint k = i; k < end; k++) cloth_distance_one(k, view, stiffness);
        }
#else
        for (uint i = set_at[s] + lane; i < end; i += items) cloth_distance_one(i, view, stiffness);
#endif
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
