/* Kernel that copies the program's driver data, rows of three floats or pairs of position and normal,
 * to the layout of the other kernels: positions, then normals. */
#ifndef WG
#define WG 256
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "particle.h"
#endif

__kernel void cloth_feed(__global const float *restrict positions,
    __global const float *restrict normals, __global const float4 *restrict pairs,
    __global const float4 *restrict driver_map, __global float4 *restrict driver_to,
    cloth_feeding fed)
{
    uint i = (uint)get_global_id(0);
    if (i < fed.particles) cloth_feed_one(i, positions, normals, pairs, driver_map, driver_to, fed);
}
