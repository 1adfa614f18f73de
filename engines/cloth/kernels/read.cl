/* Kernel of hed_cloth_read(): positions, normals and colours of the vertices, from particles, in rows
 * without gaps. particle.h has the function of one vertex. */
#ifndef WG
#define WG 256
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "particle.h"
#endif

__kernel void cloth_read(__global const float4 *restrict position,
    __global const uint2 *restrict debug, __global const uint *restrict vertex_particle,
    __global const float4 *restrict air, __global float *restrict positions,
    __global float *restrict normals, __global uint *restrict colours, cloth_view view, uint wanted)
{
    uint i = (uint)get_global_id(0);
    if (i < view.vertices)
        cloth_read_one(
            i, position, debug, vertex_particle, air, positions, normals, colours, view, wanted);
}
