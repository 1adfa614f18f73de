/* Sums of tiles of TILE floats, in the fixed tree of heddle/tree.h: sums[i] = S(in + i TILE, TILE);
 * the last tile has the remaining elements. TILE is a power of two, so the tiles' sums are again
 * input of the same rule, and this kernel run over its own output until one sum is left returns
 * S(in, n).
 *
 * A group sums one tile. Items first load all their vectors, neighbouring items at neighbouring
 * addresses, and sum each vector; through local memory each item then gets an aligned run of
 * vectors' sums. The items' values are reduced by fours in local memory, or with LANES by lane
 * exchanges within a warp. ORDER 1 avoids the exchange through local memory: each item sums the
 * elements that it has loaded, which is another tree: not in strict mode. */
#ifndef TILE
#define TILE 4096
#endif
#ifndef WG
#define WG 256
#endif
#ifndef VEC
#define VEC 4
#endif
#ifndef LANES
#define LANES 0
#endif
#ifndef ORDER
#define ORDER 0
#endif

#if VEC == 4
#define FLOATS float4
#define PARTS_OF(v) ((v.x + v.y) + (v.z + v.w))
#elif VEC == 2
#define FLOATS float2
#define PARTS_OF(v) (v.x + v.y)
#else
#define FLOATS float
#define PARTS_OF(v) v
#endif
#define RUN (TILE / (WG * VEC))
#define LANE_WIDTH 32

/* Returns in[i] of n, or past the end a value that changes no sum. */
static float element(__global const float *restrict in, uint i, uint n)
{
    return i < n ? in[i] : HED_TREE_NEUTRAL;
}

/* Returns the sum of the items' values, in the order of the items, to item 0. */
static float group_sum(__local float *values, float value, uint item)
{
    uint count = WG;
#if LANES
    for (uint distance = 1; distance < LANE_WIDTH; distance *= 2)
        value = value + hed_lane_xor(value, distance);
    count = WG / LANE_WIDTH;
    if (item % LANE_WIDTH == 0) values[item / LANE_WIDTH] = value;
#else
    values[item] = value;
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    while (count > 1) {
        uint next = count >= 4 ? count / 4 : 1;
        if (item < next) {
            __local const float *four = values + 4 * item;
            value = count >= 4 ? (four[0] + four[1]) + (four[2] + four[3]) : four[0] + four[1];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < next) values[item] = value;
        barrier(CLK_LOCAL_MEM_FENCE);
        count = next;
    }
    return value;
}

/* Index with one additional word per run, so that items do not read from one bank. */
#define PLACE(i) ((i) + (i) / RUN)
#if ORDER == 0 && RUN > 1
#define VALUES PLACE(WG *RUN)
#else
#define VALUES WG
#endif

__kernel void reduction(__global const float *restrict in, __global float *restrict sums, uint n)
{
    HED_LOCAL_ARRAY(float, values, VALUES);
    uint item = (uint)get_local_id(0);
    uint group = (uint)get_group_id(0), first = group * TILE;
    float part[RUN];
    if (n - first >= TILE) {
        __global const FLOATS *from = (__global const FLOATS *)(in + first);
        FLOATS vector[RUN];
#pragma unroll
        for (uint i = 0; i < RUN; i++) vector[i] = from[i * WG + item];
#pragma unroll
        for (uint i = 0; i < RUN; i++) part[i] = PARTS_OF(vector[i]);
    } else {
#pragma unroll
        for (uint i = 0; i < RUN; i++) {
            uint at = first + (i * WG + item) * VEC;
            part[i] = element(in, at, n);
            if (VEC >= 2) part[i] = part[i] + element(in, at + 1, n);
            if (VEC == 4) part[i] = part[i] + (element(in, at + 2, n) + element(in, at + 3, n));
        }
    }
#if ORDER == 0 && RUN > 1
#pragma unroll
    for (uint i = 0; i < RUN; i++) values[PLACE(i * WG + item)] = part[i];
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint i = 0; i < RUN; i++) part[i] = values[PLACE(item * RUN + i)];
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
#pragma unroll
    for (uint half_run = 1; half_run < RUN; half_run *= 2)
#pragma unroll
        for (uint i = 0; i + half_run < RUN; i += 2 * half_run)
            part[i] = part[i] + part[i + half_run];
    float sum = group_sum(values, part[0], item);
    if (item == 0) sums[group] = sum;
}
