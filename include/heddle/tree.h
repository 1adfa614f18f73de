/** @file tree.h
 *  Sums and prefix sums in a fixed tree: the same bits at every group size, number of threads and
 *  device. This text is C, C++, OpenCL C and CUDA at once; in a kernel it is part of the prelude.
 *
 *  THE RULE. The sum of n floats is defined by splitting at the largest power of two below n:
 *
 *     S(x, 1) = x[0]
 *     S(x, n) = S(x, h) + S(x + h, n - h)      h = the largest power of two < n
 *
 *  and S(x, 0) = 0. A prefix sum is the same sum: inclusive[i] = S(x, i + 1), exclusive[i] = S(x,
 *  i). So the last inclusive value is the sum, and inclusive[i] is exclusive[i + 1], to the bit.
 *  Addition is the rounded float addition.
 *
 *  As a tree: node i of level 0 is x[i]; node i of level k + 1 is node 2i plus node 2i + 1 of level
 *  k (neighbours, in this order). If the right one is past the end, the left one is copied up
 *  unchanged; a kernel may also read HED_TREE_NEUTRAL (minus zero, to which x + -0 = x for every x)
 *  past the end and add without a test. S(x, n) is the root. A node of level k covers an aligned
 *  block of 2^k elements, so any thread may compute it:
 *  - a work item adds an aligned run of 2, 4, 8.. elements in registers: (a + b) + (c + d),
 *   never ((a + b) + c) + d;
 *  - lanes add hed_lane_xor(x, 1), then 2, 4, 8.., or hed_lane_down() in this order (hed_lane_sum()
 *   promises no order);
 *  - a group adds an aligned tile of 2^m such values with hed_tree_group_sum();
 *  - the sums of the tiles are again the input of the same rule, in another launch.
 *
 *  Prefix sums: within an aligned block of 2^(k + 1), the left half stays, and the sum of the left
 *  half is added in front of every prefix of the right half (Sklansky 1960; hed_tree_group_scan()).
 *  Above the tiles of 2^m elements, a prefix inside tile t gets, for each bit k set in t from the
 *  lowest up, the sum of the 2^k tiles to the left of the block of 2^k that contains t, added in
 *  front: hed_tree_carry(). These additions may not be combined into one carry for a tile, because
 *  a + (b + x) is not (a + b) + x.
 *
 *  The error of S(x, n) is that of about log2(n) roundings, that of a loop n. Prefix sums of
 *  non-negative elements never decrease. */
#ifndef HEDDLE_TREE_H
#define HEDDLE_TREE_H

#if defined(__OPENCL_C_VERSION__)
#define HED_TREE_FUNCTION static inline __attribute__((unused))
#define HED_TREE_GLOBAL __global
#elif defined(__CUDACC_RTC__)
#define HED_TREE_FUNCTION static __device__ __inline__ __attribute__((unused))
#define HED_TREE_GLOBAL
#else
#include <stddef.h> /* C only, where there is no prelude */
#define HED_TREE_FUNCTION static inline __attribute__((unused))
#define HED_TREE_GLOBAL
#endif

/** Value of an element past the end. */
#define HED_TREE_NEUTRAL (-0.0f)

/** Returns the number of nodes over `tiles` tile sums: their own level, then each level above, up
 *  to the root. */
HED_TREE_FUNCTION unsigned int hed_tree_node_count(unsigned int tiles)
{
    unsigned int count = tiles;
    while (tiles > 1) {
        tiles = (tiles + 1) / 2;
        count += tiles;
    }
    return count;
}

/** Extends a prefix sum inside tile `tile` to the whole array: adds the elements to the left of the
 *  tile. `nodes`: the sums of the `tiles` tiles, then the level above them, and so on, without gaps
 *  (hed_tree_node_count() floats). All tiles except the last cover the same power of two of
 *  elements. For an exclusive prefix at a tile's first element pass HED_TREE_NEUTRAL; the exclusive
 *  prefix at the very first element is 0, not this result. */
HED_TREE_FUNCTION float hed_tree_carry(
    HED_TREE_GLOBAL const float *nodes, unsigned int tiles, unsigned int tile, float value)
{
    for (; tile != 0; tile >>= 1) {
        if (tile & 1) value = nodes[tile - 1] + value;
        nodes += tiles;
        tiles = (tiles + 1) / 2;
    }
    return value;
}

#if defined(__OPENCL_C_VERSION__) || defined(__CUDACC_RTC__)

/** Returns the sum of values[0 .. count) to every work item of the (one-dimensional) group, of any
 *  size. `values` is overwritten. All items of the group must call it. */
HED_TREE_FUNCTION float hed_tree_group_sum(__local float *values, uint count)
{
    uint item = (uint)get_local_id(0), items = (uint)get_local_size(0);
    for (uint reach = 1; reach < count; reach *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = item * 2 * reach; i + reach < count; i += items * 2 * reach)
            values[i] = values[i] + values[i + reach];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = count != 0 ? values[0] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
}

/** Computes inclusive prefix sums of values[0 .. count) in place, by the whole (one-dimensional)
 *  group, of any size. All items of the group must call it; they may read all of `values` on
 *  return. */
HED_TREE_FUNCTION void hed_tree_group_scan(__local float *values, uint count)
{
    uint item = (uint)get_local_id(0), items = (uint)get_local_size(0);
    for (uint reach = 1; reach < count; reach *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = item;; i += items) {
            uint left = (i & ~(reach - 1)) * 2 + reach - 1, right = left + 1 + (i & (reach - 1));
            if (right >= count) break;
            values[right] = values[left] + values[right];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

#else

enum { HED_TREE_BLOCK = 8 }; /* elements of a block in the C version */

/* Prefix sums of a block by the rule; `sums` may be `x`. */
static inline void hed_tree_block(const float *x, float *sums)
{
    float x0 = x[0], x01 = x0 + x[1], x02 = x01 + x[2], x03 = x01 + (x[2] + x[3]);
    float x4 = x[4], x45 = x4 + x[5], x46 = x45 + x[6], x47 = x45 + (x[6] + x[7]);
    sums[0] = x0;
    sums[1] = x01;
    sums[2] = x02;
    sums[3] = x03;
    sums[4] = x03 + x4;
    sums[5] = x03 + x45;
    sums[6] = x03 + x46;
    sums[7] = x03 + x47;
}

/* The last, incomplete block, filled up. */
static inline void hed_tree_tail(const float *x, size_t count, float *block)
{
    for (size_t i = 0; i < HED_TREE_BLOCK; i++) block[i] = i < count ? x[i] : HED_TREE_NEUTRAL;
}

/* Partial sums without a right neighbour yet: waiting[k], a node of 2^k blocks, is valid while bit
 * k of the number of finished blocks is set. Adds the sum of block number `block`, the next one. */
static inline void hed_tree_push(float *waiting, size_t block, float sum)
{
    size_t level = 0;
    for (; block & 1; block >>= 1) {
        sum = waiting[level] + sum;
        level++;
    }
    waiting[level] = sum;
}

/* Adds the pending partial sums, those of the first `blocks` blocks, in front of each of `sums[0 ..
 * count)`. */
static inline void hed_tree_front(const float *waiting, size_t blocks, float *sums, size_t count)
{
    for (; blocks != 0; blocks >>= 1, waiting++) {
        if (blocks & 1) {
            for (size_t i = 0; i < count; i++) sums[i] = *waiting + sums[i];
        }
    }
}

/** Returns S(values, count) by the rule above; `count` 0: 0. Thread class: rt. */
static inline float hed_tree_sum(const float *values, size_t count)
{
    float waiting[64], block[HED_TREE_BLOCK];
    size_t blocks = count / HED_TREE_BLOCK, rest = count % HED_TREE_BLOCK;
    if (count == 0) return 0.0f;
    for (size_t b = 0; b < blocks; b++) {
        const float *x = values + b * HED_TREE_BLOCK;
        hed_tree_push(
            waiting, b, ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7])));
    }
    hed_tree_tail(values + blocks * HED_TREE_BLOCK, rest, block);
    hed_tree_block(block, block);
    hed_tree_front(waiting, blocks, &block[HED_TREE_BLOCK - 1], 1);
    return block[HED_TREE_BLOCK - 1];
}

/** Computes inclusive prefix sums: sums[i] = S(values, i + 1). `sums` may be `values`.
 *  Thread class: rt. */
static inline void hed_tree_scan(const float *values, float *sums, size_t count)
{
    float waiting[64], block[HED_TREE_BLOCK];
    for (size_t b = 0, begin = 0; begin < count; b++, begin += HED_TREE_BLOCK) {
        size_t length = count - begin < HED_TREE_BLOCK ? count - begin : (size_t)HED_TREE_BLOCK;
        hed_tree_tail(values + begin, length, block);
        hed_tree_block(block, block);
        float sum = block[HED_TREE_BLOCK - 1];
        hed_tree_front(waiting, b, block, HED_TREE_BLOCK);
        for (size_t i = 0; i < length; i++) sums[begin + i] = block[i];
        hed_tree_push(waiting, b, sum);
    }
}

/** Computes exclusive prefix sums: sums[i] = S(values, i), so sums[0] = 0. `sums` may be `values`.
 *  Thread class: rt. */
static inline void hed_tree_scan_exclusive(const float *values, float *sums, size_t count)
{
    if (count == 0) return;
    hed_tree_scan(values, sums, count - 1);
    for (size_t i = count - 1; i != 0; i--) sums[i] = sums[i - 1];
    sums[0] = 0.0f;
}

#endif
#undef HED_TREE_FUNCTION
#undef HED_TREE_GLOBAL

#endif
