#version 450
#extension GL_EXT_control_flow_attributes : require
/* Transposes a matrix of 32-bit words through tiles in shared memory, with the algorithm of
 * transpose.cl. */
layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 0) const uint TILE = 64u;
layout(constant_id = 1) const uint ROWS = 8u;
layout(constant_id = 2) const uint PAD = 1u;
const uint PITCH = TILE + PAD;
const uint STEPS = TILE / ROWS;

layout(std430, set = 0, binding = 0) restrict readonly buffer From { uint from[]; };
layout(std430, set = 0, binding = 1) restrict writeonly buffer To { uint to[]; };
layout(push_constant) uniform Size { uint width, height; };
shared uint tile[TILE * PITCH];

void main()
{
    uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
    uint tiles = (width + TILE - 1u) / TILE;
    uint left = gl_WorkGroupID.x % tiles * TILE, top = gl_WorkGroupID.x / tiles * TILE;
    bool whole = left + TILE <= width && top + TILE <= height;
    if (whole) {
        uint at = (top + y) * width + left + x;
        uint words[STEPS];
        [[unroll]] for (uint i = 0u; i < STEPS; i++) words[i] = from[at + i * ROWS * width];
        [[unroll]] for (uint i = 0u; i < STEPS; i++) tile[(y + i * ROWS) * PITCH + x] = words[i];
    } else {
        for (uint row = y; row < TILE; row += ROWS)
            if (left + x < width && top + row < height)
                tile[row * PITCH + x] = from[(top + row) * width + left + x];
    }
    barrier();
    for (uint row = y; row < TILE; row += ROWS)
        if (top + x < height && left + row < width)
            to[(left + row) * height + top + x] = tile[x * PITCH + row];
}
