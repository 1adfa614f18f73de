/* Kernel of bending along lines of a grid, each solved as one system by a group. The items of the
 * group compute rows and particles in parallel; item 0 runs the recurrence along the line, over WG
 * rows at a time in local memory. No particle is in two lines of a launch. particle.h has the
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
#endif

#if SOLVE && !HED_STRICT
/* Matrices of two rows, (x y) and (z w). */
CLOTH_FUNCTION float4 line_product(float4 a, float4 b)
{
    return hed_f4(fma(a.x, b.x, a.y * b.z), fma(a.x, b.y, a.y * b.w), fma(a.z, b.x, a.w * b.z),
        fma(a.z, b.y, a.w * b.w));
}

CLOTH_FUNCTION float4 line_inverse(float4 a)
{
    float part = cloth_inverse(fma(a.x, a.w, -a.y * a.z));
    return hed_f4(a.w * part, -a.y * part, -a.z * part, a.x * part);
}

/* Returns by x + a y for right sides. */
CLOTH_FUNCTION float4 line_added(float by, float4 x, float a, float4 y)
{
    return hed_f4(fma(by, x.x, a * y.x), fma(by, x.y, a * y.y), fma(by, x.z, a * y.z), 0.0f);
}

/* Two rows of the system, divided by their diagonal block; x, the multipliers of both, are (top,
 * bottom) - before x(two rows before) - after x(next two rows). */
typedef struct line_pair {
    float4 before, after, top, bottom;
} line_pair;

/* Multiplies a pair by a matrix. */
CLOTH_FUNCTION line_pair line_times(float4 by, line_pair pair)
{
    line_pair to;
    to.before = line_product(by, pair.before);
    to.after = line_product(by, pair.after);
    to.top = line_added(by.x, pair.top, by.y, pair.bottom);
    to.bottom = line_added(by.z, pair.top, by.w, pair.bottom);
    return to;
}

/* Subtracts matrix `by` times the right sides of another pair. */
CLOTH_FUNCTION void line_subtract(line_pair *pair, float4 by, line_pair neighbour)
{
    float4 top = line_added(by.x, neighbour.top, by.y, neighbour.bottom),
           bottom = line_added(by.z, neighbour.top, by.w, neighbour.bottom);
    pair->top = line_added(1.0f, pair->top, -1.0f, top);
    pair->bottom = line_added(1.0f, pair->bottom, -1.0f, bottom);
}

/* Eliminates the pairs `left` and `next` from a pair. */
CLOTH_FUNCTION line_pair line_without(line_pair pair, line_pair left, line_pair next)
{
    float4 a = line_product(pair.before, left.after), b = line_product(pair.after, next.before);
    float4 block = line_inverse(
        hed_f4(1.0f - a.x - b.x, -a.y - b.y, -a.z - b.z, 1.0f - a.w - b.w));
    line_subtract(&pair, pair.before, left);
    line_subtract(&pair, pair.after, next);
    a = line_product(pair.before, left.before);
    b = line_product(pair.after, next.after);
    pair.before = hed_f4(-a.x, -a.y, -a.z, -a.w);
    pair.after = hed_f4(-b.x, -b.y, -b.z, -b.w);
    return line_times(block, pair);
}

CLOTH_FUNCTION line_pair line_pair_at(__local float4 *pairs, uint i)
{
    line_pair pair;
    pair.before = pairs[i];
    pair.after = pairs[WG + i];
    pair.top = pairs[2 * WG + i];
    pair.bottom = pairs[3 * WG + i];
    return pair;
}

CLOTH_FUNCTION cloth_line_row line_row_or_unit(
    uint j, cloth_line_at line, cloth_lines_view view, float give)
{
    cloth_line_row unit = {{0.0f, 0.0f, 0.0f, 1.0f}, 0.0f, 0.0f};
    if (j < line.count) return cloth_line_row_of(j, line, view, give);
    return unit;
}

/* Solves a line of at most 2 WG rows by cyclic reduction, two rows in an item: see chain_reduce().
 */
CLOTH_FUNCTION void line_reduce(cloth_line_at line, cloth_lines_view view, float give, uint lane,
    __local float4 *pairs)
{
    line_pair zero = {{0.0f, 0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 0.0f},
        {0.0f, 0.0f, 0.0f, 0.0f}};
    cloth_line_row a = line_row_or_unit(2 * lane, line, view, give),
                   b = line_row_or_unit(2 * lane + 1, line, view, give);
    line_pair pair = zero;
    pair.before = hed_f4(a.two, a.one, 0.0f, b.two);
    pair.top = a.sum;
    pair.bottom = b.sum;
    pairs[lane] = pair.before;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane + 1u < WG) {
        float4 next = pairs[lane + 1u];
        pair.after = hed_f4(next.x, next.z, next.y, next.w);
    }
    pair = line_times(line_inverse(hed_f4(a.sum.w, b.one, b.one, b.sum.w)), pair);
    for (uint step = 1; 2 * step < line.count; step *= 2) {
        line_pair left = zero, next = zero;
        barrier(CLK_LOCAL_MEM_FENCE);
        pairs[lane] = pair.before;
        pairs[WG + lane] = pair.after;
        pairs[2 * WG + lane] = pair.top;
        pairs[3 * WG + lane] = pair.bottom;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane >= step) left = line_pair_at(pairs, lane - step);
        if (lane + step < WG) next = line_pair_at(pairs, lane + step);
        pair = line_without(pair, left, next);
    }
    pair.top.w = a.sum.w;
    pair.bottom.w = b.sum.w;
    if (2 * lane < line.count) view.sums[line.row + 2 * lane] = pair.top;
    if (2 * lane + 1 < line.count) view.sums[line.row + 2 * lane + 1] = pair.bottom;
}
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

__kernel void cloth_lines(HED_VIEW_PARAMETERS(CLOTH_LINES))
{
    HED_VIEW_HERE(cloth_lines_view, view, CLOTH_LINES);
    HED_LOCAL_ARRAY(float4, sum, WG * (SOLVE && !HED_STRICT ? 4 : 1));
    HED_LOCAL_ARRAY(float, one, WG);
    HED_LOCAL_ARRAY(float, two, WG);
    cloth_line_at line = cloth_line_of(lines, first + (uint)get_group_id(0));
    uint lane = (uint)get_local_id(0);
    float give = cloth_stiffness_at(steps, substep);
#if SOLVE && !HED_STRICT
    if (line.count <= 2 * WG) line_reduce(line, view, give, lane, sum);
    else
#endif
        line_eliminate(line, view, give, lane, sum, one, two);
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (uint j = lane; j < line.count + (line.across ? 1 : 2); j += WG)
        cloth_line_move(j, line, view);
    for (uint j = lane; pass > 0 && j < line.count; j += WG) cloth_line_keep(j, line, view);
}
