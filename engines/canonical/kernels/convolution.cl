/* Image blur: out(x, y) = sum over i, j of filter(i, j) * in(x + i - W/2, y + j - H/2); pixels
 * beyond the border are the nearest ones inside. The sum runs over columns i, in each over rows j,
 * both ascending, one fma a step: the same bits for all parameters.
 *
 * An item computes TILE_X columns, WG_X apart so that neighbouring items read neighbouring pixels,
 * of TILE_Y pixels each. For one column of the filter it loads a column of TILE_Y + FILTER_H - 1
 * pixels once and keeps it in registers for the TILE_Y * FILTER_H steps that need it; FILTER_H
 * weights serve all TILE_X columns. LOCAL: the group first copies the pixels that it needs to local
 * memory. WEIGHTS_LOCAL: it copies the filter, too, column by column, and reads it by vectors. PAD:
 * additional words of a row in local memory, against bank conflicts. */
#ifndef FILTER_W
#define FILTER_W 17
#endif
#ifndef FILTER_H
#define FILTER_H 17
#endif
#ifndef WG_X
#define WG_X 16
#endif
#ifndef WG_Y
#define WG_Y 8
#endif
#ifndef TILE_X
#define TILE_X 2
#endif
#ifndef TILE_Y
#define TILE_Y 16
#endif
#ifndef LOCAL
#define LOCAL 1
#endif
#ifndef WEIGHTS_LOCAL
#define WEIGHTS_LOCAL 1
#endif
#ifndef PAD
#define PAD 1
#endif

#define COLUMNS (WG_X * TILE_X + FILTER_W - 1)
#define LINES (WG_Y * TILE_Y + FILTER_H - 1)
#define PITCH (COLUMNS + PAD)
#define WINDOW (TILE_Y + FILTER_H - 1)
#define WEIGHT_VECTORS ((FILTER_H + 3) / 4) /* vectors of a column */

__kernel void convolution(__global const float *restrict in, __global float *restrict out,
    __global const float *restrict filter, uint width, uint height, HED_LOCAL(float, pixels),
    HED_LOCAL(float4, weights))
{
    HED_LOCAL_USE(float, pixels);
    HED_LOCAL_USE(float4, weights);
    int item_x = (int)get_local_id(0), item_y = (int)get_local_id(1);
    int right = (int)width - 1, bottom = (int)height - 1;
    int x0 = (int)get_group_id(0) * (WG_X * TILE_X) - FILTER_W / 2;
    int y0 = (int)get_group_id(1) * (WG_Y * TILE_Y) - FILTER_H / 2;
#if LOCAL
    for (int line = item_y; line < LINES; line += WG_Y) {
        __global const float *from = in + (uint)clamp(y0 + line, 0, bottom) * width;
        for (int column = item_x; column < COLUMNS; column += WG_X)
            pixels[line * PITCH + column] = from[clamp(x0 + column, 0, right)];
    }
#endif
#if WEIGHTS_LOCAL
    for (int i = item_y * WG_X + item_x; i < FILTER_W * FILTER_H; i += WG_X * WG_Y)
        ((__local float *)weights)[i % FILTER_W * (4 * WEIGHT_VECTORS) + i / FILTER_W] = filter[i];
#endif
#if LOCAL || WEIGHTS_LOCAL
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    float sum[TILE_X * TILE_Y];
#pragma unroll
    for (int i = 0; i < TILE_X * TILE_Y; i++) sum[i] = 0.0f;
#pragma unroll 1
    for (int column = 0; column < FILTER_W; column++) {
        float weight[4 * WEIGHT_VECTORS];
#if WEIGHTS_LOCAL
#pragma unroll
        for (int j = 0; j < WEIGHT_VECTORS; j++) {
            float4 four = weights[column * WEIGHT_VECTORS + j];
            weight[4 * j] = four.x;
            weight[4 * j + 1] = four.y;
            weight[4 * j + 2] = four.z;
            weight[4 * j + 3] = four.w;
        }
#else
#pragma unroll
        for (int j = 0; j < FILTER_H; j++) weight[j] = filter[j * FILTER_W + column];
#endif
#pragma unroll
        for (int t = 0; t < TILE_X; t++) {
            float pixel[WINDOW];
            int x = item_x + t * WG_X + column;
#if !LOCAL
            x = clamp(x0 + x, 0, right);
#endif
#pragma unroll
            for (int j = 0; j < WINDOW; j++)
#if LOCAL
                pixel[j] = pixels[(item_y * TILE_Y + j) * PITCH + x];
#else
                pixel[j] = in[(uint)clamp(y0 + item_y * TILE_Y + j, 0, bottom) * width + (uint)x];
#endif
#pragma unroll
            for (int j = 0; j < FILTER_H; j++)
#pragma unroll
                for (int i = 0; i < TILE_Y; i++)
                    sum[t * TILE_Y + i] = fma(weight[j], pixel[i + j], sum[t * TILE_Y + i]);
        }
    }
#pragma unroll
    for (int t = 0; t < TILE_X; t++)
#pragma unroll
        for (int i = 0; i < TILE_Y; i++) {
            uint x = get_group_id(0) * (WG_X * TILE_X) + item_x + t * WG_X;
            uint y = get_group_id(1) * (WG_Y * TILE_Y) + item_y * TILE_Y + i;
            if (x < width && y < height) out[y * width + x] = sum[t * TILE_Y + i];
        }
}
