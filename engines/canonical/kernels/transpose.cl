/* Transposes a matrix of 32-bit words, `height` rows of `width`, through square tiles in local
 * memory, so that both reads and writes of global memory run along rows (Ruetsch and Micikevicius
 * 2009). PAD additional words per row of the tile distribute the reads of a column over the banks.
 * A group has TILE x ROWS items, each of which starts TILE / ROWS loads before the first store. */
#ifndef TILE
#define TILE 64
#endif
#ifndef ROWS
#define ROWS 8
#endif
#ifndef PAD
#define PAD 1
#endif

#define PITCH (TILE + PAD)
#define STEPS (TILE / ROWS)

__kernel void transpose(
    __global const uint *restrict in, __global uint *restrict out, uint width, uint height)
{
    HED_LOCAL_ARRAY(uint, tile, TILE * PITCH);
    uint x = (uint)get_local_id(0), y = (uint)get_local_id(1);
    uint tiles = (width + TILE - 1) / TILE;
    uint group = (uint)get_group_id(0);
    uint left = group % tiles * TILE, top = group / tiles * TILE;
    int whole = left + TILE <= width && top + TILE <= height;
    if (whole) {
        __global const uint *from = in + (top + y) * width + left + x;
        uint words[STEPS];
#pragma unroll
        for (uint i = 0; i < STEPS; i++) words[i] = from[i * ROWS * width];
#pragma unroll
        for (uint i = 0; i < STEPS; i++) tile[(y + i * ROWS) * PITCH + x] = words[i];
    } else {
        for (uint row = y; row < TILE; row += ROWS)
            if (left + x < width && top + row < height)
                tile[row * PITCH + x] = in[(top + row) * width + left + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (whole) {
        __global uint *to = out + (left + y) * height + top + x;
#pragma unroll
        for (uint i = 0; i < STEPS; i++) to[i * ROWS * height] = tile[x * PITCH + y + i * ROWS];
    } else {
        for (uint row = y; row < TILE; row += ROWS)
            if (top + x < height && left + row < width)
                out[(left + row) * height + top + x] = tile[x * PITCH + row];
    }
}
