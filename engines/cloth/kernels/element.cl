/* Kernel of the elements of fabrics of one colour: no free particle is in two elements of a colour.
 * particle.h has the function of one element. */
#ifndef WG
#define WG 256
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "particle.h"
#endif

__kernel void cloth_elements(__global float4 *position, __global const uint4 *restrict elements,
    __global float4 *restrict pulled, __global const float4 *restrict steps, uint all, uint substep,
    uint pass, uint first, uint count)
{
    uint i = (uint)get_global_id(0);
    if (i < count)
        cloth_element_one(
            first + i, position, elements, all, pulled, cloth_stiffness_at(steps, substep), pass);
}
