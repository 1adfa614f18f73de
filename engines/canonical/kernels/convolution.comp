#version 450
#extension GL_EXT_control_flow_attributes : require
/* Image blur with the algorithm of convolution.cl: an item computes TILE_X columns, WG_X apart, of
 * TILE_Y pixels each; sums run over the filter's columns, in each over its rows. LOCAL and
 * WEIGHTS_LOCAL: pixels and weights pass through shared memory, column by column, in vectors of four
 * rows. Items whose TILE_Y is a multiple of 4 begin at a vector and read whole ones, others read
 * numbers. PAD: an odd number of vectors in each column, against bank conflicts. */
layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 0) const int WG_X = 16;
layout(constant_id = 1) const int WG_Y = 8;
layout(constant_id = 2) const int TILE_X = 2;
layout(constant_id = 3) const int TILE_Y = 16;
layout(constant_id = 4) const int LOCAL = 1;
layout(constant_id = 5) const int WEIGHTS_LOCAL = 1;
layout(constant_id = 6) const int PAD = 1;
layout(constant_id = 7) const int FILTER_W = 17;
layout(constant_id = 8) const int FILTER_H = 17;

const int COLUMNS = WG_X * TILE_X + FILTER_W - 1;
const int LINES = WG_Y * TILE_Y + FILTER_H - 1;
const int WINDOW = TILE_Y + FILTER_H - 1;
const int STRIDE = (LINES + 3) / 4 | PAD;      /* vectors of a column of pixels */
const int WEIGHT_VECTORS = (FILTER_H + 3) / 4; /* vectors of a column of the filter */

layout(std430, set = 0, binding = 0) restrict readonly buffer Source { float source[]; };
layout(std430, set = 0, binding = 1) restrict writeonly buffer Result { float result[]; };
layout(std430, set = 0, binding = 2) restrict readonly buffer Filter { float weights[]; };
layout(push_constant) uniform Size { uint width, height; };

shared vec4 pixels[LOCAL != 0 ? COLUMNS * STRIDE : 1];
shared vec4 local_weights[WEIGHTS_LOCAL != 0 ? FILTER_W * WEIGHT_VECTORS : 1];

void main()
{
    int item_x = int(gl_LocalInvocationID.x), item_y = int(gl_LocalInvocationID.y);
    int right = int(width) - 1, bottom = int(height) - 1;
    int x0 = int(gl_WorkGroupID.x) * (WG_X * TILE_X) - FILTER_W / 2;
    int y0 = int(gl_WorkGroupID.y) * (WG_Y * TILE_Y) - FILTER_H / 2;
    if (LOCAL != 0)
        for (int line = item_y; line < LINES; line += WG_Y)
            for (int column = item_x; column < COLUMNS; column += WG_X)
                pixels[column * STRIDE + line / 4][line % 4] =
                    source[uint(clamp(y0 + line, 0, bottom)) * width +
                           uint(clamp(x0 + column, 0, right))];
    if (WEIGHTS_LOCAL != 0)
        for (int i = item_y * WG_X + item_x; i < FILTER_W * FILTER_H; i += WG_X * WG_Y)
            local_weights[i % FILTER_W * WEIGHT_VECTORS + i / FILTER_W / 4][i / FILTER_W % 4] =
                weights[i];
    barrier();
    float sum[TILE_X * TILE_Y];
    [[unroll]] for (int i = 0; i < TILE_X * TILE_Y; i++) sum[i] = 0.0;
    [[dont_unroll]] for (int column = 0; column < FILTER_W; column++) {
        float weight[4 * WEIGHT_VECTORS];
        if (WEIGHTS_LOCAL != 0)
            [[unroll]] for (int j = 0; j < WEIGHT_VECTORS; j++) {
                vec4 four = local_weights[column * WEIGHT_VECTORS + j];
                weight[4 * j] = four.x;
                weight[4 * j + 1] = four.y;
                weight[4 * j + 2] = four.z;
                weight[4 * j + 3] = four.w;
            }
        else
            [[unroll]] for (int j = 0; j < FILTER_H; j++)
                weight[j] = weights[j * FILTER_W + column];
        [[unroll]] for (int t = 0; t < TILE_X; t++) {
            int x = item_x + t * WG_X + column;
            [[unroll]] for (int k = 0; k < (WINDOW + 3) / 4; k++) {
                vec4 four;
                if (LOCAL != 0 && TILE_Y % 4 == 0)
                    four = pixels[x * STRIDE + item_y * (TILE_Y / 4) + k];
                else
                    [[unroll]] for (int r = 0; r < 4; r++)
                        if (4 * k + r < WINDOW) {
                            int line = item_y * TILE_Y + 4 * k + r;
                            if (LOCAL != 0) four[r] = pixels[x * STRIDE + line / 4][line % 4];
                            else
                                four[r] = source[uint(clamp(y0 + line, 0, bottom)) * width +
                                                 uint(clamp(x0 + x, 0, right))];
                        }
                [[unroll]] for (int r = 0; r < 4; r++)
                    [[unroll]] for (int i = 0; i < TILE_Y; i++) {
                        int j = 4 * k + r - i;
                        if (j >= 0 && j < FILTER_H)
                            sum[t * TILE_Y + i] = fma(weight[j], four[r], sum[t * TILE_Y + i]);
                    }
            }
        }
    }
    [[unroll]] for (int t = 0; t < TILE_X; t++)
        [[unroll]] for (int i = 0; i < TILE_Y; i++) {
            uint x = gl_WorkGroupID.x * uint(WG_X * TILE_X) + uint(item_x + t * WG_X);
            uint y = gl_WorkGroupID.y * uint(WG_Y * TILE_Y) + uint(item_y * TILE_Y + i);
            if (x < width && y < height) result[y * width + x] = sum[t * TILE_Y + i];
        }
}
