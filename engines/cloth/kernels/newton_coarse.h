/* The coarse correction of Newton's method: translations of the patches. Their matrix has a
 * number for each two patches, which turning the cloth does not change: masses and, of each
 * element, the trace of its stiffness between the two (solver/newton_tables.c). So its inverse is
 * made once for each dt, and a group needs the rows of its patch and of the neighbours. Text of a
 * group, after newton.h; C includes it as a group of one item. */
#ifndef CLOTH_NEWTON_COARSE_H
#define CLOTH_NEWTON_COARSE_H

/* Local memory of a group (CLOTH_NEWTON_AT_*). `coarse`: x of all patches, then y and z;
 * `shifts`: coarse correction of each slot; `images`: of the last direction; `dots`: two products
 * of all patches. */
typedef struct newton_memory {
    __local float4 *places, *forces;
    __local float *values, *dots, *coarse, *shifts, *images;
    __local float4 *rows;
    __local uint *ends;
    __local ushort *corners;
} newton_memory;

CLOTH_FUNCTION newton_memory newton_memory_of(__local float4 *memory)
{
    newton_memory m;
    m.places = memory;
    m.forces = memory + CLOTH_NEWTON_AT_FORCES;
    m.values = (__local float *)(memory + CLOTH_NEWTON_AT_VALUES);
    m.dots = m.values + (HED_HAS_LANES ? 64 : 0); /* after the sums of a patch's lanes */
    m.coarse = (__local float *)(memory + CLOTH_NEWTON_AT_COARSE);
    m.rows = memory + CLOTH_NEWTON_AT_ROWS;
    m.ends = (__local uint *)(memory + CLOTH_NEWTON_AT_ENDS);
    m.corners = (__local ushort *)(memory + CLOTH_NEWTON_AT_CORNERS);
    m.shifts = (__local float *)(memory + CLOTH_NEWTON_AT_SHIFTS);
    m.images = m.shifts + CLOTH_NEWTON_SHIFTS;
    return m;
}

/* Sums each of `rows` rows of `length` values, a power of two of at least 32, into its first
 * value, as a fixed tree: (a + b) + (c + d). Warps have sums of their own. */
CLOTH_FUNCTION void newton_tree(__local float *values, uint rows, uint length, uint item)
{
    uint all = rows * length;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint reach = 1; reach < length; reach *= 2u) {
        for (uint i = item * 2u * reach; i < all; i += WG * 2u * reach)
            values[i] += values[i + reach];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* Loads the rows of a patch and its neighbours. */
CLOTH_FUNCTION void newton_load_rows(
    cloth_newton_patch patch, cloth_newton_view view, newton_memory m, uint item)
{
    const uint each = CLOTH_NEWTON_PATCHES / 4u;
    CLOTH_ROLLED
    for (uint i = item; i < patch.near_count * each; i += WG)
        m.rows[i] = view.rows[view.words[patch.near + i / each] * each + i % each];
    barrier(CLK_LOCAL_MEM_FENCE);
}

CLOTH_FUNCTION void newton_put_coarse(newton_memory m, uint patch, float4 value)
{
    m.coarse[patch] = value.x;
    m.coarse[CLOTH_NEWTON_PATCHES + patch] = value.y;
    m.coarse[2u * CLOTH_NEWTON_PATCHES + patch] = value.z;
}

/* Part of a row of the inverse times coordinate c of `m.coarse`, of a lane of 32: patches 4 lane
 * to 4 lane + 3. */
CLOTH_FUNCTION float newton_lane_part(newton_memory m, uint slot, uint c, uint lane)
{
    float4 a = m.rows[slot * CLOTH_NEWTON_PATCHES / 4u + lane],
           b = ((__local const float4 *)m.coarse)[c * CLOTH_NEWTON_PATCHES / 4u + lane];
    return fma(a.x, b.x, fma(a.y, b.y, fma(a.z, b.z, a.w * b.w)));
}

/* A row of the inverse times the coarse image follows it from iteration to iteration, and so does
 * the shift. */
CLOTH_FUNCTION void newton_shift_row(newton_memory m, uint row, float sum, float step, float beta)
{
    float image = fma(beta, m.images[row], sum);
    m.images[row] = image;
    m.shifts[row] = fma(-step, image, m.shifts[row]);
}

/* Updates the coarse correction of each of `slots` slots, its row of the inverse times the coarse
 * residual, with the coarse image of the last direction, whose part of the last step is
 * `m.coarse`. */
CLOTH_FUNCTION void newton_shift(newton_memory m, uint slots, float step, float beta, uint item)
{
#if HED_HAS_LANES
    uint lane = item % 32u;
    CLOTH_ROLLED
    for (uint slot = item / 32u; slot < slots; slot += WG / 32u) {
        float sum[3];
        for (uint c = 0; c < 3u; c++) sum[c] = newton_lane_part(m, slot, c, lane);
        for (uint reach = 1; reach < 32u; reach *= 2u)
            for (uint c = 0; c < 3u; c++) sum[c] += hed_lane_xor(sum[c], reach);
        if (lane < 3u)
            newton_shift_row(m, 3u * slot + lane,
                lane == 0u   ? sum[0]
                : lane == 1u ? sum[1]
                             : sum[2],
                step, beta);
    }
#else
    CLOTH_ROLLED
    for (uint at = item; at < 32u * 3u * slots; at += WG)
        m.values[at] = newton_lane_part(m, at / 96u, at / 32u % 3u, at % 32u);
    newton_tree(m.values, 3u * slots, 32u, item);
    for (uint row = item; row < 3u * slots; row += WG)
        newton_shift_row(m, row, m.values[32u * row], step, beta);
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
}

#endif
