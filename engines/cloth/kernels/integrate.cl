/* Integrator: one time-corrected Verlet step of each particle, and its tether. particle.h has the scalar version. */
#ifndef WG
#define WG 256
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "particle.h"
#include "lanes.h"
#endif

__kernel void cloth_integrate_all(__global float4 *restrict position, __global float4 *restrict previous,
                                  __global const float4 *restrict garments, __global const float4 *restrict air,
                                  __global const uint2 *restrict tether, __global const uint *restrict anchors,
                                  __global const float4 *restrict driver_from, __global const float4 *restrict driver_to,
                                  __global const float4 *restrict driver_map, __global const float4 *restrict steps, uint substep)
{
    cloth_step step = cloth_step_at(steps, substep);
    CLOTH_EACH(step.particles,
               cloth_integrate_four(i, position, previous, garments, air, tether, anchors, driver_from, driver_to, driver_map, step),
               cloth_integrate_one(i, position, previous, garments, air, tether, anchors, driver_from, driver_to, driver_map, step))
}
