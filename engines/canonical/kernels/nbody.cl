/* Gravity between n bodies, softened: a_i = sum over j of m_j r / (|r|^2 + softening)^(3/2), r =
 * p_j - p_i. Tiles after Nyland, Harris and Prins (GPU Gems 3, 2007, chapter 31). Bodies are (x, y,
 * z, mass). The sum runs over ascending j for all parameters; `softening`, the square of a length,
 * must be above 0, so that a body's own term is 0. An item computes the sums of ITEMS bodies, WG
 * apart, so that each body is read once for all of them. LOCAL: the group reads the bodies in tiles
 * of WG through local memory; otherwise each item reads them from global memory, all items the same
 * body at a time. */
#ifndef WG
#define WG 512
#endif
#ifndef ITEMS
#define ITEMS 1
#endif
#ifndef UNROLL
#define UNROLL 16
#endif
#ifndef LOCAL
#define LOCAL 1
#endif

static float inverse_root(float x)
{
#if HED_STRICT
    return hed_rsqrt(x);
#else
    return hed_near_rsqrt(x);
#endif
}

/* Adds the attraction of `body` on a unit mass at each position to the position's sum. */
static void pull(float4 *sum, const float4 *place, float4 body, float softening)
{
#pragma unroll
    for (uint k = 0; k < ITEMS; k++) {
        float x = body.x - place[k].x, y = body.y - place[k].y, z = body.z - place[k].z;
        float inverse = inverse_root(fma(x, x, fma(y, y, fma(z, z, softening))));
        float strength = body.w * inverse * (inverse * inverse);
        sum[k].x = fma(x, strength, sum[k].x);
        sum[k].y = fma(y, strength, sum[k].y);
        sum[k].z = fma(z, strength, sum[k].z);
    }
}

__kernel void nbody(__global const float4 *restrict bodies, __global float4 *restrict accelerations,
    float softening, uint n)
{
    uint item = (uint)get_local_id(0);
    uint first = (uint)get_group_id(0) * (WG * ITEMS) + item;
    float4 place[ITEMS], sum[ITEMS];
#pragma unroll
    for (uint k = 0; k < ITEMS; k++) {
        place[k] = bodies[min(first + k * WG, n - 1)];
        sum[k] = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    }
#if LOCAL
    HED_LOCAL_ARRAY(float4, tile, WG);
    for (uint start = 0; start < n; start += WG) {
        uint count = min((uint)WG, n - start);
        if (item < count) tile[item] = bodies[start + item];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (count == WG) {
#pragma unroll UNROLL
            for (uint j = 0; j < WG; j++) pull(sum, place, tile[j], softening);
        } else {
            for (uint j = 0; j < count; j++) pull(sum, place, tile[j], softening);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#else
    uint even = n - n % UNROLL;
    for (uint j = 0; j < even; j += UNROLL)
#pragma unroll
        for (uint u = 0; u < UNROLL; u++) pull(sum, place, bodies[j + u], softening);
    for (uint j = even; j < n; j++) pull(sum, place, bodies[j], softening);
#endif
#pragma unroll
    for (uint k = 0; k < ITEMS; k++)
        if (first + k * WG < n) accelerations[first + k * WG] = sum[k];
}
