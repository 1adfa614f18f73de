/* Kernel that transforms points, directions, or particles with their motions by a rigid matrix. */
#ifndef WG
#define WG 256
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "particle.h"
#endif

__kernel void cloth_move(__global float4 *restrict array, __global float4 *restrict previous,
    __global uint2 *restrict carry, cloth_rigid rigid)
{
    uint i = (uint)get_global_id(0);
    if (i < rigid.count) cloth_move_one(i, array, previous, carry, rigid);
}
