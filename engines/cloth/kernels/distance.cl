/* Kernel of the distance constraints of one colour: no free particle is in two constraints of a
 * colour. particle.h has the scalar version. */
#ifndef WG
#define WG 256
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "particle.h"
#include "lanes.h"
#include "project.h"
#endif

__kernel void cloth_distance(__global float4 *restrict position,
    __global const uint2 *restrict ends, __global const float *restrict rests,
    __global const ushort *restrict kinds, __global const float4 *restrict materials,
    __global float *restrict multipliers, __global const float4 *restrict steps, uint substep,
    uint pass, uint first, uint count)
{
    float stiffness = cloth_stiffness_at(steps, substep);
    CLOTH_EACH(count,
        cloth_distance_four(
            first + i, position, ends, rests, kinds, materials, multipliers, stiffness, pass),
        cloth_distance_one(
            first + i, position, ends, rests, kinds, materials, multipliers, stiffness, pass))
}
