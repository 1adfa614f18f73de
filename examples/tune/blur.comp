#version 450
/* heddle {
  "problem": {"width": 1027, "height": 769},
  "parameters": {"PER_ITEM": [1, 2, 3, 4, 6, 8]},
  "constraints": ["WG_X * WG_Y <= max_group"],
  "groups": ["ceil_div(width, WG_X * PER_ITEM)", "ceil_div(height, WG_Y)"],
  "arguments": [
    {"name": "weights", "size": "289", "fill": {"uniform": [0, 0.006]}}
  ],
  "work": {"bytes": "8 * width * height", "operations": "2 * 289 * width * height"}
} */
/* A 17 x 17 convolution with clamped edges, for Vulkan. What is tuned: the group (powers of two, as
   nothing else is said), how many pixels an item does, and whether a tile of the image is kept in
   shared memory. `heddle tune blur.comp`, or `glslangValidator -V -gVS blur.comp -o blur.spv` and
   `heddle tune blur.spv`. */
layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 0) const int WG_X = 16;
layout(constant_id = 1) const int WG_Y = 8;
layout(constant_id = 2) const int PER_ITEM = 1;
layout(constant_id = 3) const bool TILED = false;
const int RADIUS = 8, SPAN = 2 * RADIUS + 1;
const int TILE_WIDTH = WG_X * PER_ITEM + 2 * RADIUS, TILE_HEIGHT = WG_Y + 2 * RADIUS;

layout(std430, binding = 0) readonly buffer Source { float source[]; };
layout(std430, binding = 1) readonly buffer Weights { float weights[]; };
layout(std430, binding = 2) writeonly buffer Result { float result[]; };
layout(push_constant) uniform Size { int width, height; };
shared float tile[TILED ? TILE_WIDTH * TILE_HEIGHT : 1];

float pixel(int x, int y)
{
    return source[clamp(y, 0, height - 1) * width + clamp(x, 0, width - 1)];
}

void main()
{
    int column = int(gl_LocalInvocationID.x), row = int(gl_LocalInvocationID.y);
    int left = int(gl_WorkGroupID.x) * WG_X * PER_ITEM, top = int(gl_WorkGroupID.y) * WG_Y;
    if (TILED) {
        for (int y = row; y < TILE_HEIGHT; y += WG_Y)
            for (int x = column; x < TILE_WIDTH; x += WG_X)
                tile[y * TILE_WIDTH + x] = pixel(left + x - RADIUS, top + y - RADIUS);
        barrier();
    }
    for (int i = 0; i < PER_ITEM; i++) {
        int x = column + i * WG_X, y = row;
        if (left + x >= width || top + y >= height) continue;
        float sum = 0.0;
        for (int v = 0; v < SPAN; v++)
            for (int u = 0; u < SPAN; u++)
                sum += weights[v * SPAN + u] *
                       (TILED ? tile[(y + v) * TILE_WIDTH + x + u]
                              : pixel(left + x + u - RADIUS, top + y + v - RADIUS));
        result[(top + y) * width + left + x] = sum;
    }
}
