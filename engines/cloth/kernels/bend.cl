/* Bending constraints of one colour: no free particle is in two of them. particle.h has the native
 * version. */
#ifndef WG
#define WG 256
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "particle.h"
#endif

__kernel void cloth_bends(__global float4 *restrict position, __global const uint4 *restrict bent,
    __global const float4 *restrict weights, __global float4 *restrict pulled,
    __global const float4 *restrict steps, uint substep, uint pass, uint first, uint count)
{
    uint i = (uint)get_global_id(0);
    if (i < count)
        cloth_bend_one(
            first + i, position, bent, weights, pulled, cloth_stiffness_at(steps, substep), pass);
}
