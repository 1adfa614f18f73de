/* Kernel of all sets of distance constraints: one work-group solves the sets of a sweep, with a
 * barrier after each set. No free particle is in two constraints of a set. particle.h has the scalar
 * version. */
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

/* Solves all sets; set s has the constraints [set_at[s], set_at[s + 1]). */
__kernel void cloth_sets(__global float4 *position, __global const uint2 *restrict ends,
    __global const float *restrict rests, __global const ushort *restrict kinds,
    __global const float4 *restrict materials, __global float *restrict multipliers,
    __global const float4 *restrict steps, __global const uint *restrict set_at, uint substep,
    uint pass, uint sets)
{
    float stiffness = cloth_stiffness_at(steps, substep);
    uint lane = (uint)get_local_id(0), items = (uint)get_local_size(0);
    for (uint s = 0; s < sets; s++) {
        uint end = set_at[s + 1];
#if VECTOR
        for (uint i = set_at[s] + 4 * lane; i < end; i += 4 * items) {
            if (i + 4 <= end)
                cloth_distance_four(
                    i, position, ends, rests, kinds, materials, multipliers, stiffness, pass);
            else
                for (uint k = i; k < end; k++)
                    cloth_distance_one(
                        k, position, ends, rests, kinds, materials, multipliers, stiffness, pass);
        }
#else
        for (uint i = set_at[s] + lane; i < end; i += items)
            cloth_distance_one(
                i, position, ends, rests, kinds, materials, multipliers, stiffness, pass);
#endif
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
