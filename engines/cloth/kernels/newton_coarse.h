/* The coarse matrix P' A P of Newton's method, 3 x 3 blocks between patches that are neighbours, and the rows of its inverse that a group
 * needs: those of its patch and of the neighbours. Each group factorises the whole matrix, L D L' by blocks within
 * the band, so no group waits for another. Text of a group, after newton.h; C includes it as a group of one item. */
#ifndef CLOTH_NEWTON_COARSE_H
#define CLOTH_NEWTON_COARSE_H

/* Local memory of a group (CLOTH_NEWTON_AT_*). `shifts`: coarse correction of each slot. */
typedef struct newton_memory {
    __local float4 *places, *forces;
    __local float *values, *residual, *image, *rows, *shifts, *band, *pivots;
    __local uint *ends;
    __local ushort *corners;
} newton_memory;

CLOTH_FUNCTION newton_memory newton_memory_of(__local float4 *memory, cloth_newton_launch launch)
{
    newton_memory m;
    m.places = memory;
    m.forces = memory + CLOTH_NEWTON_AT_FORCES;
    m.values = (__local float *)(memory + CLOTH_NEWTON_AT_VALUES);
    m.residual = (__local float *)(memory + CLOTH_NEWTON_AT_COARSE);
    m.image = m.residual + CLOTH_NEWTON_COARSE;
    m.rows = (__local float *)(memory + CLOTH_NEWTON_AT_ROWS);
    m.ends = (__local uint *)(memory + CLOTH_NEWTON_AT_ENDS);
    m.corners = (__local ushort *)(memory + CLOTH_NEWTON_AT_CORNERS);
    m.shifts = (__local float *)(memory + CLOTH_NEWTON_AT_SHIFTS);
    m.band = (__local float *)(memory + CLOTH_NEWTON_AT_BAND);
    m.pivots = m.band + 9u * launch.patches * (launch.band + 1u);
    return m;
}

/* Sums each of `rows` rows of `length` values, a power of two of at least 32, into its first value, as a fixed tree:
 * (a + b) + (c + d). */
CLOTH_FUNCTION void newton_tree(__local float *values, uint rows, uint length, uint item)
{
    uint all = rows * length;
    barrier(CLK_LOCAL_MEM_FENCE);
#if HED_HAS_LANES
    CLOTH_ROLLED
    for (uint i = item; i < all; i += WG) {
        float sum = values[i];
        for (uint lane = 1; lane < 32u; lane *= 2u) sum += hed_lane_xor(sum, lane);
        if ((i & 31u) == 0u) values[i] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint reach = 32; item < rows && reach < length; reach *= 2u)
        for (uint i = 0; i < length; i += 2u * reach)
            values[item * length + i] += values[item * length + i + reach];
#else
    for (uint reach = 1; reach < length; reach *= 2u) {
        for (uint i = item * 2u * reach; i < all; i += WG * 2u * reach)
            values[i] += values[i + reach];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* ---- blocks of a patch ---- */

#define NEWTON_BORDER_FLOATS 16u /* of an element at the border, in local memory */

/* Sum of the coefficients of an element at corners of a slot. `of`: its floats; `first`: 0 warp, 2 weft. */
CLOTH_FUNCTION float newton_border_sum(__local const float *of, uint first, uint slots, uint slot)
{
    float b = of[first], c = of[first + 1u], sum = 0.0f;
    if ((slots & 15u) == slot) sum -= b + c;
    if ((slots >> 4 & 15u) == slot) sum += b;
    if ((slots >> 8 & 15u) == slot) sum += c;
    return sum;
}

/* Row c, column d of an element's part of the block between the patch and its slot `slot`. */
CLOTH_FUNCTION float newton_border_part(
    __local const float *of, uint slots, uint slot, uint c, uint d)
{
    float g = newton_border_sum(of, 0u, slots, 0u), h = newton_border_sum(of, 2u, slots, 0u),
          g_to = newton_border_sum(of, 0u, slots, slot),
          h_to = newton_border_sum(of, 2u, slots, slot), u_c = of[10u + c], u_d = of[10u + d],
          v_c = of[13u + c], v_d = of[13u + d], shear = of[8], coupled = of[9],
          warp = fma(of[4] * u_c, u_d, shear * v_c * v_d),
          weft = fma(of[5] * v_c, v_d, shear * u_c * u_d);
    if (c == d) warp += fabs(of[6]);
    if (c == d) weft += fabs(of[7]);
    return fma(g * g_to, warp,
        fma(h * h_to, weft,
            fma(g * h_to, fma(shear * v_c, u_d, coupled * u_c * v_d),
                h * g_to * fma(shear * u_c, v_d, coupled * v_c * u_d))));
}

/* Stores the floats of an element at the border. */
CLOTH_FUNCTION void newton_border_store(const cloth_newton_element *e, __local float *to)
{
    to[0] = e->warp_b;
    to[1] = e->warp_c;
    to[2] = e->weft_b;
    to[3] = e->weft_c;
    to[4] = e->warp_pull;
    to[5] = e->weft_pull;
    to[6] = e->warp_force;
    to[7] = e->weft_force;
    to[8] = e->shear;
    to[9] = e->coupled;
    to[10] = e->u.x;
    to[11] = e->u.y;
    to[12] = e->u.z;
    to[13] = e->v.x;
    to[14] = e->v.y;
    to[15] = e->v.z;
}

/* Publishes the blocks of a patch with itself and its neighbours. A translation strains elements at the border
 * alone. `mass`: sum over own particles that are free. */
CLOTH_FUNCTION void newton_blocks(uint number, cloth_newton_patch patch, cloth_newton_view view,
    newton_memory m, float give, float mass, uint item)
{
    __local float *borders = (__local float *)m.forces;
    __global const uint *words = view.words + patch.borders;
    CLOTH_ROLLED
    for (uint k = item; k < patch.border_count; k += WG) {
        cloth_newton_element e =
            cloth_newton_take(words[k] & 1023u, patch, give, view.words, m.places);
        newton_border_store(&e, borders + NEWTON_BORDER_FLOATS * k);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    CLOTH_ROLLED
    for (uint i = item; i < 9u * patch.near_count; i += WG) {
        uint slot = i / 9u, c = i % 9u / 3u, d = i % 3u;
        float sum = slot == 0u && c == d ? mass : 0.0f;
        CLOTH_ROLLED
        for (uint k = 0; k < patch.border_count; k++)
            sum +=
                newton_border_part(borders + NEWTON_BORDER_FLOATS * k, words[k] >> 10, slot, c, d);
        view.blocks[9u * CLOTH_NEWTON_NEAR * number + i] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* ---- factors ---- */

/* Block of the band between patches i and k, i - band <= k <= i. */
CLOTH_FUNCTION __local float *newton_band_at(newton_memory m, uint band, uint i, uint k)
{
    return m.band + 9u * (i * (band + 1u) + k + band - i);
}

/* Fills the band with the blocks that all groups have published. */
CLOTH_FUNCTION void newton_fill_band(cloth_newton_view view, newton_memory m, uint item)
{
    uint band = view.launch.band, patches = view.launch.patches;
    CLOTH_ROLLED
    for (uint i = item; i < 9u * patches * (band + 1u); i += WG) m.band[i] = 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    CLOTH_ROLLED
    for (uint i = item; i < patches * CLOTH_NEWTON_NEAR; i += WG) {
        uint patch = i / CLOTH_NEWTON_NEAR, slot = i % CLOTH_NEWTON_NEAR;
        cloth_newton_patch of = cloth_newton_patch_at(patch, view.words);
        uint to = slot < of.near_count ? view.words[of.near + slot] : patch + 1u;
        for (uint k = 0; to <= patch && k < 9u; k++)
            newton_band_at(m, band, patch, to)[k] =
                view.blocks[9u * i + k] + (slot == 0u && k % 4u == 0u ? 1e-12f : 0.0f);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

CLOTH_FUNCTION cloth_newton_block newton_block_at(__local const float *of)
{
    cloth_newton_block block = {of[0], of[1], of[2], of[4], of[5], of[8]};
    return block;
}

CLOTH_FUNCTION float4 newton_times(cloth_newton_block m, float x, float y, float z)
{
    return hed_f4(fma(m.xx, x, fma(m.xy, y, m.xz * z)), fma(m.xy, x, fma(m.yy, y, m.yz * z)),
        fma(m.xz, x, fma(m.yz, y, m.zz * z)), 0.0f);
}

/* Row of the block `of` times a vector. */
CLOTH_FUNCTION float newton_row_times(__local const float *row, float4 x)
{
    return fma(row[0], x.x, fma(row[1], x.y, row[2] * x.z));
}

/* Factorises the band: after step k its blocks without patch k's part; the inverses of the pivots. */
CLOTH_FUNCTION void newton_factorise(cloth_newton_launch launch, newton_memory m, uint item)
{
    uint band = launch.band, patches = launch.patches;
    CLOTH_ROLLED
    for (uint k = 0; k < patches; k++) {
        cloth_newton_block pivot =
            cloth_newton_inverse(newton_block_at(newton_band_at(m, band, k, k)));
        if (item == 0u) {
            __local float *to = m.pivots + 9u * k;
            to[0] = pivot.xx, to[1] = to[3] = pivot.xy, to[2] = to[6] = pivot.xz;
            to[4] = pivot.yy, to[5] = to[7] = pivot.yz, to[8] = pivot.zz;
        }
        CLOTH_ROLLED
        for (uint at = item; at < 3u * band * band; at += WG) {
            uint row = at % 3u, i = k + 1u + at / 3u / band, j = k + 1u + at / 3u % band;
            if (i >= patches || j > i) continue;
            __local const float *from = newton_band_at(m, band, i, k) + 3u * row,
                                *other = newton_band_at(m, band, j, k);
            __local float *to = newton_band_at(m, band, i, j) + 3u * row;
            float4 x = newton_times(pivot, from[0], from[1], from[2]);
            for (uint c = 0; c < 3u; c++) to[c] -= newton_row_times(other + 3u * c, x);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* ---- rows of the inverse ---- */

/* Takes patch k's part out of the rows' later elements (L z = right side). */
CLOTH_FUNCTION void newton_forward(
    uint k, uint rows, cloth_newton_launch launch, newton_memory m, uint item)
{
    cloth_newton_block pivot = newton_block_at(m.pivots + 9u * k);
    CLOTH_ROLLED
    for (uint at = item; at < rows * 3u * launch.band; at += WG) {
        uint c = at % 3u, i = k + 1u + at / 3u % launch.band;
        __local float *row = m.rows + at / 3u / launch.band * CLOTH_NEWTON_COARSE;
        if (i >= launch.patches) continue;
        float4 x = newton_times(pivot, row[3u * k], row[3u * k + 1u], row[3u * k + 2u]);
        row[3u * i + c] -= newton_row_times(newton_band_at(m, launch.band, i, k) + 3u * c, x);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Takes patch k's part out of the rows' earlier elements (L' x = z). */
CLOTH_FUNCTION void newton_backward(
    uint k, uint rows, cloth_newton_launch launch, newton_memory m, uint item)
{
    CLOTH_ROLLED
    for (uint at = item; at < rows * launch.band; at += WG) {
        uint back = 1u + at % launch.band, i = k - back;
        __local float *row = m.rows + at / launch.band * CLOTH_NEWTON_COARSE;
        if (back > k) continue;
        __local const float *of = newton_band_at(m, launch.band, k, i);
        float x = row[3u * k], y = row[3u * k + 1u], z = row[3u * k + 2u];
        float4 part = newton_times(newton_block_at(m.pivots + 9u * i),
            fma(of[0], x, fma(of[3], y, of[6] * z)), fma(of[1], x, fma(of[4], y, of[7] * z)),
            fma(of[2], x, fma(of[5], y, of[8] * z)));
        row[3u * i] -= part.x;
        row[3u * i + 1u] -= part.y;
        row[3u * i + 2u] -= part.z;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Solves for the rows of the patch and its neighbours. */
CLOTH_FUNCTION void newton_invert(
    cloth_newton_patch patch, cloth_newton_view view, newton_memory m, uint item)
{
    uint rows = 3u * patch.near_count, patches = view.launch.patches;
    CLOTH_ROLLED
    for (uint i = item; i < rows * CLOTH_NEWTON_COARSE; i += WG) {
        uint row = i / CLOTH_NEWTON_COARSE, one = 3u * view.words[patch.near + row / 3u] + row % 3u;
        m.rows[i] = i % CLOTH_NEWTON_COARSE == one ? 1.0f : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    CLOTH_ROLLED
    for (uint k = 0; k < patches; k++) newton_forward(k, rows, view.launch, m, item);
    CLOTH_ROLLED
    for (uint at = item; at < rows * patches; at += WG) {
        uint k = at % patches;
        __local float *z = m.rows + at / patches * CLOTH_NEWTON_COARSE + 3u * k;
        float4 x = newton_times(newton_block_at(m.pivots + 9u * k), z[0], z[1], z[2]);
        z[0] = x.x, z[1] = x.y, z[2] = x.z;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    CLOTH_ROLLED
    for (uint k = patches - 1u; k > 0u; k--) newton_backward(k, rows, view.launch, m, item);
}

/* Copies the rows between local memory and `view.rows`. */
CLOTH_FUNCTION void newton_copy_rows(uint number, cloth_newton_patch patch, cloth_newton_view view,
    newton_memory m, uint stores, uint item)
{
    __global float *rows = view.rows + number * CLOTH_NEWTON_ROW_COUNT * CLOTH_NEWTON_COARSE;
    CLOTH_ROLLED
    for (uint i = item; i < 3u * patch.near_count * CLOTH_NEWTON_COARSE; i += WG)
        if (stores) rows[i] = m.rows[i];
        else m.rows[i] = rows[i];
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Makes the rows, or loads them from the launch that made them. */
CLOTH_FUNCTION void newton_rows(uint number, cloth_newton_patch patch, cloth_newton_view view,
    newton_memory m, uint makes, uint item)
{
    if (makes) {
        newton_fill_band(view, m, item);
        newton_factorise(view.launch, m, item);
        newton_invert(patch, view, m, item);
    }
    newton_copy_rows(number, patch, view, m, makes, item);
}

#endif
