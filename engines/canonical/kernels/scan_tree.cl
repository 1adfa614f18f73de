/* The upper levels of the tree of heddle/tree.h that a prefix sum needs. `nodes` contains the sums
 * of `tiles` tiles and gets, after them, the level of their pairs, then that of the pairs' pairs,
 * and so on (hed_tree_node_count() floats).
 *
 * A group reads BLOCK nodes and writes the levels above them up to its own root: all levels if
 * tiles <= BLOCK. For more tiles, the kernel runs again over the level of the groups' roots:
 * `offset` is its first index in `nodes`, `tiles` its length. */
#ifndef BLOCK
#define BLOCK 4096
#endif
#ifndef WG
#define WG 256
#endif

__kernel void scan_tree(__global float *restrict nodes, uint offset, uint tiles)
{
    HED_LOCAL_ARRAY(float, pairs, BLOCK);
    uint item = (uint)get_local_id(0), first = (uint)get_group_id(0) * BLOCK;
    __global float *level = nodes + offset;
    for (uint i = item; i < BLOCK; i += WG)
        pairs[i] = first + i < tiles ? level[first + i] : HED_TREE_NEUTRAL;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint count = BLOCK / 2; count != 0 && tiles > 1; count /= 2) {
        level += tiles;
        tiles = (tiles + 1) / 2;
        first /= 2;
        /* The sum of a pair overwrites an element to the left of the pair's own, WG sums at a time:
         * only elements that have been read. */
        for (uint start = 0; start < count; start += WG) {
            uint i = start + item;
            float sum = 0.0f;
            if (i < count) sum = pairs[2 * i] + pairs[2 * i + 1];
            barrier(CLK_LOCAL_MEM_FENCE);
            if (i < count) {
                pairs[i] = sum;
                if (first + i < tiles) level[first + i] = sum;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
}
