/* Bending along lines of a grid, each as one system: a group for each line, whose items share out its
 * rows; one of them goes along the line. No particle is in two lines of a launch. particle.h has the
 * parts, of which the native version is made too. */
#ifndef WG
#define WG 32
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "particle.h"
#endif

__kernel void cloth_lines(__global float4 *position, __global const uint4 *restrict lines,
    __global const float4 *restrict weights, __global float4 *sums, __global float *links,
    __global float4 *pulled, __global const float4 *restrict steps, uint substep, uint pass,
    uint first)
{
    cloth_line_at line = cloth_line_of(lines, first + (uint)get_group_id(0));
    uint lane = (uint)get_local_id(0), stations = line.count + (line.across ? 1 : 2);
    float give = cloth_stiffness_at(steps, substep);
    for (uint j = lane; j < line.count; j += WG)
        cloth_line_row(j, line, position, weights, sums, links, pulled, give, pass);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (lane == 0) cloth_line_solve(line, sums, links);
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (uint j = lane; j < stations; j += WG)
        cloth_line_move(j, line, position, weights, sums);
    for (uint j = lane; pass > 0 && j < line.count; j += WG)
        cloth_line_keep(j, line, sums, pulled, pass);
}
