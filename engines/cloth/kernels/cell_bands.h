/* Sweeps over the cells of a grid by bands of rows, for cooperative_tasks.cl in fast mode: a group sweeps over its
 * own rows and over all rows around them that its results depend on, in local memory. So groups do not
 * meet between the sweeps; rows near a border of two bands are swept by both groups, with the same bits. */
#ifndef CLOTH_CELL_BANDS_H
#define CLOTH_CELL_BANDS_H

#define BAND_SEVERAL 3u /* points that an item loads before it stores one */

#if HED_HAS_PACKETS
/* Waits until groups with rows nearby have sent a signal. `signals`: one of each group. */
CLOTH_FUNCTION void bands_await_near(
    __global uint4 *signals, cloth_cell_bands bands, uint number, uint item)
{
    uint group = (uint)get_group_id(0),
         neighbour = group + item - CLOTH_NEAR_GROUPS; /* wraps below 0 */
    if (item <= 2u * CLOTH_NEAR_GROUPS && neighbour >= bands.first_group &&
        neighbour < bands.end_group) {
        uint4 ignored;
        hed_packet_wait(signals + neighbour, number, CLOTH_COOPERATIVE_POLLS, &ignored);
    }
}

/* Cells of a half sweep in a colour: `count` in succession from cell `first` on. */
typedef struct cell_range {
    uint first, count;
} cell_range;

/* Cells of step `step` of `steps` (four in a sweep: two colours of even strips, then of odd ones) that
 * the rows [low, high) still depend on. */
CLOTH_FUNCTION cell_range cell_range_of(
    uint step, uint steps, uint low, uint high, cloth_cell_bands bands)
{
    uint odd = step >> 1 & 1u, reach = (steps - 1u - step) >> 1,
         from = low > reach ? low - reach - 1u : odd, to = min(high + reach, bands.height - 1u),
         strips = to > from ? (to - from + 1u) >> 1 : 0u;
    uint first = odd ? bands.odd_first : bands.even_first,
         in_strip = odd ? bands.odd_each : bands.even_each;
    if (step & 1u) {
        first = odd ? bands.odd_second : bands.even_second;
        in_strip = odd ? bands.odd_second_each : bands.even_second_each;
    }
    cell_range range = {first + (from >> 1) * in_strip, strips * in_strip};
    return range;
}

/* Solves a cell of the band, whose first particle is `base`. `at`, `words`: its rows in `cells`. */
CLOTH_FUNCTION void cell_bands_solve(
    uint4 at, uint4 words, uint base, float stiffness, __local float4 *points)
{
    uint4 of = {at.x - base, at.y - base, at.z - base, at.w - base};
    float4 a = points[of.x], b = points[of.y], c = points[of.z], d = points[of.w],
           pull = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    cloth_project_cell(&a, &b, &c, &d,
        hed_f4(as_float(words.x), as_float(words.y), as_float(words.z), as_float(words.w)),
        stiffness, CLOTH_CELL_OVER, &pull);
    points[of.x] = a; /* a locked particle does not move: its weight is 0 */
    points[of.y] = b;
    points[of.z] = c;
    points[of.w] = d;
}

/* Sweeps `sweeps` times over the cells of rows [low, high). `signals`: a packet of each group, sent after the
 * group has read rows of other groups; `number`: of this task. */
CLOTH_FUNCTION void cell_bands_sweep(uint sweeps, uint low, uint high, cloth_cells_view view,
    cloth_cell_bands bands, float stiffness, __global uint4 *signals, uint number, uint item,
    __local float4 *points)
{
    uint width = bands.width, reach = 2u * sweeps, steps = 4u * sweeps,
         base = (low > reach ? low - reach : 0u) * width,
         count = min(high + reach, bands.height) * width - base;
    CLOTH_ROLLED
    for (uint i = item; i < count; i += BAND_SEVERAL * WG) {
        float4 point[BAND_SEVERAL];
        for (uint k = 0; k < BAND_SEVERAL; k++)
            point[k] = view.position[base + min(i + k * WG, count - 1u)];
        for (uint k = 0; k < BAND_SEVERAL; k++)
            if (i + k * WG < count) points[i + k * WG] = point[k];
    }
    cell_range range = cell_range_of(0, steps, low, high, bands);
    uint4 at = {0, 0, 0, 0}, words = {0, 0, 0, 0};
    if (item < range.count) {
        at = view.cells[range.first + item];
        words = view.cells[view.total + range.first + item];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) hed_packet_put(signals + get_group_id(0), hed_u4(0, 0, 0, number));
    CLOTH_ROLLED
    for (uint step = 0; step < steps; step++) {
        CLOTH_ROLLED
        for (uint i = item; i < range.count; i += WG) {
            if (i >= WG) {
                at = view.cells[range.first + i];
                words = view.cells[view.total + range.first + i];
            }
            cell_bands_solve(at, words, base, stiffness, points);
        }
        range = cell_range_of(min(step + 1u, steps - 1u), steps, low, high, bands);
        if (item < range.count) { /* load the next step's words before the barrier */
            at = view.cells[range.first + item];
            words = view.cells[view.total + range.first + item];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    bands_await_near(signals, bands, number, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = low * width + item; i < high * width; i += WG)
        if (points[i - base].w > 0.0f) view.position[i] = points[i - base];
}
#endif

#endif
