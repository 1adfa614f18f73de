/* A 5 x 5 weighted blur, edges clamped, in two structures: each item reads what it needs (direct),
 * or the group first copies its part of the image into local memory (tiled). A group does WG_X *
 * PER_ITEM by WG_Y pixels. */
#define RADIUS 2
#define SPAN (2 * RADIUS + 1)
#define TILE_WIDTH (WG_X * PER_ITEM + 2 * RADIUS + PAD)

static float pixel(__global const float *in, int width, int height, int x, int y)
{
    return in[clamp(y, 0, height - 1) * width + clamp(x, 0, width - 1)];
}

__kernel void blur(__global const float *restrict in, __global const float *restrict weights,
    __global float *restrict out, const int width, const int height, HED_LOCAL(float, tile))
{
    HED_LOCAL_USE(float, tile);
    const int column = get_local_id(0), row = get_local_id(1);
    const int left = get_group_id(0) * WG_X * PER_ITEM, top = get_group_id(1) * WG_Y;
#if VARIANT == VARIANT_tiled
    for (int y = row; y < WG_Y + 2 * RADIUS; y += WG_Y)
        for (int x = column; x < WG_X * PER_ITEM + 2 * RADIUS; x += WG_X)
            tile[y * TILE_WIDTH + x] =
                pixel(in, width, height, left + x - RADIUS, top + y - RADIUS);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    for (int i = 0; i < PER_ITEM; i++) {
        const int x = column + i * WG_X, y = row;
        if (left + x >= width || top + y >= height) continue;
        float sum = 0;
        for (int v = 0; v < SPAN; v++)
            for (int u = 0; u < SPAN; u++)
#if VARIANT == VARIANT_tiled
                sum += weights[v * SPAN + u] * tile[(y + v) * TILE_WIDTH + x + u];
#else
                sum += weights[v * SPAN + u] *
                       pixel(in, width, height, left + x + u - RADIUS, top + y + v - RADIUS);
#endif
        out[(top + y) * width + left + x] = sum;
    }
}
