/* Prefix sums of n floats by the rule of heddle/tree.h: out[i] = S(in, i + 1). Last of three
 * kernels: reduction.cl computes the sums of tiles of TILE floats, scan_tree.cl the sums above
 * them, together `nodes`; hed_canonical_scan() chains them.
 *
 * A group scans one tile. The tile is loaded with neighbouring items at neighbouring addresses and
 * passes through local memory, so that an item has an aligned run of TILE / WG elements in
 * registers, whose prefix sums it computes alone. Then runs are combined in pairs: of two
 * neighbouring blocks the items of the right one add the left one's sum, for blocks of 1, 2, 4..
 * items, and at last, for each bit set in the tile's number, the sum of the tiles to its left
 * (Sklansky 1960). LANES: within a warp sums are passed by lane exchange. MERGE: the sums to the
 * left are first combined to one, added once; another order: not in strict mode. */
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
#ifndef MERGE
#define MERGE 0
#endif

#if VEC == 4
#define FLOATS float4
#define PUT(to, i, v) \
    (to[PLACE(i)] = v.x, to[PLACE(i + 1)] = v.y, to[PLACE(i + 2)] = v.z, to[PLACE(i + 3)] = v.w)
#define GET(from, i) \
    hed_f4(from[PLACE(i)], from[PLACE(i + 1)], from[PLACE(i + 2)], from[PLACE(i + 3)])
#elif VEC == 2
#define FLOATS float2
#define PUT(to, i, v) (to[PLACE(i)] = v.x, to[PLACE(i + 1)] = v.y)
#define GET(from, i) hed_f2(from[PLACE(i)], from[PLACE(i + 1)])
#else
#define FLOATS float
#define PUT(to, i, v) (to[PLACE(i)] = v)
#define GET(from, i) from[PLACE(i)]
#endif
#define RUN (TILE / WG)
#define VECTORS (RUN / VEC)
#define LANE_WIDTH 32
/* Index with one additional word per 32: items whose runs begin a power of two apart use different
 * banks. */
#define PLACE(i) ((i) + (i) / 32)

/* Adds `left` to all prefix sums of the item's run, or to the carry that is added later. */
#if MERGE
#define PREPEND(left) carry = (left) + carry
#else
#define PREPEND(left) _Pragma("unroll") for (uint e = 0; e < RUN; e++) run[e] = (left) + run[e]
#endif

__kernel void scan(__global const float *restrict in, __global const float *restrict nodes,
    __global float *restrict out, uint n)
{
    HED_LOCAL_ARRAY(float, tile, PLACE(TILE));
    HED_LOCAL_ARRAY(float, exchange, 2 * WG);
    uint item = (uint)get_local_id(0);
    uint group = (uint)get_group_id(0), first = group * TILE;
    int whole = n - first >= TILE;
    if (whole) {
        __global const FLOATS *from = (__global const FLOATS *)(in + first);
        FLOATS vector[VECTORS];
#pragma unroll
        for (uint i = 0; i < VECTORS; i++) vector[i] = from[i * WG + item];
#pragma unroll
        for (uint i = 0; i < VECTORS; i++) PUT(tile, (i * WG + item) * VEC, vector[i]);
    } else {
        for (uint i = item; i < TILE; i += WG)
            tile[PLACE(i)] = first + i < n ? in[first + i] : HED_TREE_NEUTRAL;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    float run[RUN];
#pragma unroll
    for (uint e = 0; e < RUN; e++) run[e] = tile[PLACE(item * RUN + e)];
#pragma unroll
    for (uint level = 1; level < RUN; level *= 2)
#pragma unroll
        for (uint e = 0; e < RUN; e++)
            if (e & level) run[e] = run[(e & ~(level - 1)) - 1] + run[e];

    float sum = run[RUN - 1];
#if MERGE
    float carry = HED_TREE_NEUTRAL;
#endif
#pragma unroll
    for (uint items = 1; items < WG; items *= 2) {
        float other;
#if LANES
        if (items < LANE_WIDTH) other = hed_lane_xor(sum, items);
        else
#endif
        {
            /* Two halves in turn: no item overwrites a value that a slower one still reads from the
             * last exchange. */
            __local float *half_exchange = exchange + (popcount(items - 1) % 2) * WG;
            half_exchange[item] = sum;
            barrier(CLK_LOCAL_MEM_FENCE);
            other = half_exchange[item ^ items];
        }
        if (item & items) {
            PREPEND(other);
        }
        sum = sum + other;
    }
    uint tiles = (n + TILE - 1) / TILE;
    for (uint block = group; block != 0; block >>= 1) {
        if (block & 1) {
            float left = nodes[block - 1];
            PREPEND(left);
        }
        nodes += tiles;
        tiles = (tiles + 1) / 2;
    }
#if MERGE
#pragma unroll
    for (uint e = 0; e < RUN; e++) run[e] = carry + run[e];
#endif

#pragma unroll
    for (uint e = 0; e < RUN; e++) tile[PLACE(item * RUN + e)] = run[e];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (whole) {
        __global FLOATS *to = (__global FLOATS *)(out + first);
#pragma unroll
        for (uint i = 0; i < VECTORS; i++) to[i * WG + item] = GET(tile, (i * WG + item) * VEC);
    } else {
        for (uint i = item; i < n - first; i += WG) out[first + i] = tile[PLACE(i)];
    }
}
