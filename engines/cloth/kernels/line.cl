/* Kernel of bending along lines of a grid, each solved as one system by a group. No particle is in two
 * lines of a launch. line.h has the functions, which the native version calls too. SOLVE of fast mode:
 * by cyclic reduction, or, up to 2 WG rows, by parallel cyclic reduction in local memory. */
#ifndef WG
#define WG 32
#endif
#ifndef SOLVE
#define SOLVE 0
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "particle.h"
#include "line.h"
#include "line_group.h"
#endif

/* Solves a line by cyclic reduction in global memory. */
CLOTH_FUNCTION void line_solve(cloth_line_at line, cloth_lines_view view, float give, uint lane)
{
    uint pairs = cloth_line_pairs(line), step = 1;
    for (uint k = lane; k < pairs; k += WG) cloth_line_begin(k, line, view, give);
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (uint k = lane; k < pairs; k += WG) cloth_line_divide(k, line, view);
    for (; step < pairs; step *= 2) {
        barrier(CLK_GLOBAL_MEM_FENCE);
        for (uint k = cloth_reduced(lane, step); k < pairs; k += 2 * step * WG)
            cloth_line_reduce(k, step, line, view);
    }
    for (; step > 0; step /= 2) {
        barrier(CLK_GLOBAL_MEM_FENCE);
        for (uint k = cloth_solved(lane, step); k < pairs; k += 2 * step * WG)
            cloth_line_substitute(k, step, line, view);
    }
}

__kernel void cloth_lines(HED_VIEW_PARAMETERS(CLOTH_LINES))
{
    HED_VIEW_HERE(cloth_lines_view, view, CLOTH_LINES);
    cloth_line_at line = cloth_line_of(lines, first + (uint)get_group_id(0));
    uint lane = (uint)get_local_id(0), is_reduced = 0;
    float give = cloth_stiffness_at(steps, substep);
#if SOLVE && !HED_STRICT
    HED_LOCAL_ARRAY(float4, pairs, 4 * WG);
    HED_LOCAL_ARRAY(uint, votes, 16);
    is_reduced = line.count <= 2 * WG;
    if (is_reduced) line_reduce(line, view, give, WG, line.count, lane, pairs, votes);
    else
#endif
        line_solve(line, view, give, lane);
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (uint j = lane; !is_reduced && j < line.count + (line.across ? 1 : 2); j += WG)
        cloth_line_move(j, line, view);
    for (uint j = lane; pass > 0 && j < line.count; j += WG) cloth_line_keep(j, line, view);
}
