/* Sum and prefix sums of n floats by the rule of heddle/tree.h, with groups of any size: sums of
 * tiles, the levels above them one launch each, then the prefixes. TILE is a power of two. */

/* The sum of tile number get_group_id(0). */
__kernel void tile_sums(__global const float *restrict in, __global float *restrict nodes, uint n,
    HED_LOCAL(float, values))
{
    HED_LOCAL_USE(float, values);
    uint first = (uint)get_group_id(0) * TILE;
    for (uint i = (uint)get_local_id(0); i < TILE; i += (uint)get_local_size(0))
        values[i] = first + i < n ? in[first + i] : HED_TREE_NEUTRAL;
    float sum = hed_tree_group_sum(values, TILE);
    if (get_local_id(0) == 0) nodes[get_group_id(0)] = sum;
}

/* The level above the `width` nodes at `from`: behind them. */
__kernel void next_level(__global float *nodes, uint from, uint width)
{
    uint i = (uint)get_global_id(0);
    if (2 * i >= width) return;
    float left = nodes[from + 2 * i];
    nodes[from + width + i] = 2 * i + 1 < width ? left + nodes[from + 2 * i + 1] : left;
}

__kernel void prefixes(__global const float *restrict in, __global const float *restrict nodes,
    __global float *restrict inclusive, __global float *restrict exclusive, uint n, uint tiles,
    HED_LOCAL(float, values))
{
    HED_LOCAL_USE(float, values);
    uint tile = (uint)get_group_id(0), first = tile * TILE;
    for (uint i = (uint)get_local_id(0); i < TILE; i += (uint)get_local_size(0))
        values[i] = first + i < n ? in[first + i] : HED_TREE_NEUTRAL;
    hed_tree_group_scan(values, TILE);
    for (uint i = (uint)get_local_id(0); i < TILE && first + i < n; i += (uint)get_local_size(0)) {
        inclusive[first + i] = hed_tree_carry(nodes, tiles, tile, values[i]);
        float before =
            hed_tree_carry(nodes, tiles, tile, i == 0 ? HED_TREE_NEUTRAL : values[i - 1]);
        exclusive[first + i] = first + i == 0 ? 0.0f : before;
    }
}
