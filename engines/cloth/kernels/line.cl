/* Kernel of bending along lines of a grid, each solved as one system by a group. The items of the
 * group compute rows and particles in parallel; item 0 runs the recurrence along the line, over WG
 * rows at a time in local memory. No particle is in two lines of a launch. line.h has the
 * functions, which the native version calls too. SOLVE of fast mode: by elimination, or, up to 2 WG
 * rows, by cyclic reduction. */
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

/* Eliminates along the line, over WG rows at a time. */
CLOTH_FUNCTION void line_eliminate(cloth_line_at line, cloth_lines_view view, float give, uint lane,
    __local float4 *sum, __local float *one, __local float *two)
{
    cloth_line_pass state = cloth_line_begin();
    cloth_line_row row;
    for (uint from = 0; from < line.count; from += WG) {
        uint j = from + lane, rows = min(line.count - from, (uint)WG), to = line.row + j;
        if (lane < rows) {
            row = cloth_line_row_of(j, line, view, give);
            sum[lane] = row.sum;
            one[lane] = row.one;
            two[lane] = row.two;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; lane == 0 && k < rows; k++) {
            row.sum = sum[k];
            row.one = one[k];
            row.two = two[k];
            row = cloth_line_forth(&state, row);
            sum[k] = row.sum;
            one[k] = row.one;
            two[k] = row.two;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < rows) {
            view.sums[to] = sum[lane];
            view.links[2 * to] = one[lane];
            view.links[2 * to + 1] = two[lane];
        }
    }
    state = cloth_line_begin();
    for (uint left = (line.count + WG - 1) / WG; left-- > 0;) {
        uint j = left * WG + lane, rows = min(line.count - left * WG, (uint)WG), to = line.row + j;
        if (lane < rows) {
            sum[lane] = view.sums[to];
            one[lane] = view.links[2 * to];
            two[lane] = view.links[2 * to + 1];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = rows; lane == 0 && k-- > 0;) {
            row.sum = sum[k];
            row.one = one[k];
            row.two = two[k];
            sum[k] = cloth_line_back(&state, row).sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < rows) view.sums[to] = sum[lane];
    }
}

#if SOLVE && !HED_STRICT
#define LINE_ROWS 4 /* of local memory for each item */
#else
#define LINE_ROWS 1
#endif

__kernel void cloth_lines(HED_VIEW_PARAMETERS(CLOTH_LINES))
{
    HED_VIEW_HERE(cloth_lines_view, view, CLOTH_LINES);
    HED_LOCAL_ARRAY(float4, sum, WG * LINE_ROWS);
    HED_LOCAL_ARRAY(float, one, WG);
    HED_LOCAL_ARRAY(float, two, WG);
    cloth_line_at line = cloth_line_of(lines, first + (uint)get_group_id(0));
    uint lane = (uint)get_local_id(0), is_reduced = 0;
    float give = cloth_stiffness_at(steps, substep);
#if SOLVE && !HED_STRICT
    HED_LOCAL_ARRAY(uint, votes, 16);
    is_reduced = line.count <= 2 * WG;
    if (is_reduced) line_reduce(line, view, give, WG, line.count, lane, sum, votes);
    else
#endif
        line_eliminate(line, view, give, lane, sum, one, two);
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (uint j = lane; !is_reduced && j < line.count + (line.across ? 1 : 2); j += WG)
        cloth_line_move(j, line, view);
    for (uint j = lane; pass > 0 && j < line.count; j += WG) cloth_line_keep(j, line, view);
}
