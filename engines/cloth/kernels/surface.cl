/* Normals, and the area that air meets, of each particle, from the triangles around it in ascending
 * order. */
#ifndef WG
#define WG 256
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "particle.h"
#endif

__kernel void cloth_surface(__global const float4 *restrict position,
    __global const uint *restrict incident_at, __global const uint *restrict incident,
    __global const uint *restrict triangles, __global float4 *restrict air, uint particles,
    uint closed)
{
    uint i = (uint)get_global_id(0);
    if (i < particles)
        cloth_surface_one(i, position, incident_at, incident, triangles, air, closed);
}
