/* Write-back: each vertex is its particle through a matrix, with a packed colour in the bits of w. particle.h has the scalar version. */
#ifndef WG
#define WG 256
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "particle.h"
#include "lanes.h"
#endif

__kernel void cloth_write_back(__global const float4 *restrict position, __global const uint2 *restrict debug,
                               __global const uint *restrict vertex_particle, __global const float4 *restrict air,
                               __global float4 *restrict vertices, __global float4 *restrict normals, __global uint *restrict broken,
                               cloth_view view)
{
    CLOTH_EACH(view.vertices, cloth_write_back_four(i, position, debug, vertex_particle, air, vertices, normals, broken, view),
               cloth_write_back_one(i, position, debug, vertex_particle, air, vertices, normals, broken, view))
}
