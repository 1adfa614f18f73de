/* Colliders, contact planes and the driver constraint of each particle. particle.h has the scalar version. */
#ifndef WG
#define WG 256
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "particle.h"
#include "lanes.h"
#endif

__kernel void cloth_drive_all(__global float4 *restrict position, __global const float4 *restrict previous,
                              __global const float4 *restrict garments, __global const float4 *restrict colliders,
                              __global const float4 *restrict contact, __global const float4 *restrict driver_from,
                              __global const float4 *restrict driver_to, __global const float4 *restrict driver_map,
                              __global uint2 *restrict debug, __global const float4 *restrict steps, uint substep)
{
    cloth_step step = cloth_step_at(steps, substep);
    CLOTH_EACH(step.particles,
               cloth_drive_four(i, position, previous, garments, colliders, contact, driver_from, driver_to, driver_map, debug, step),
               cloth_drive_one(i, position, previous, garments, colliders, contact, driver_from, driver_to, driver_map, debug, step))
}
