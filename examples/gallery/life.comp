#version 450
// One generation of the game of life on a torus.
layout(local_size_x = 4, local_size_y = 4) in;
layout(std430, binding = 0) readonly buffer Now { uint now[]; };
layout(std430, binding = 1) writeonly buffer Next { uint next[]; };
layout(push_constant) uniform Size { uint width, height; };
uint alive(uint x, uint y) { return now[(y % height) * width + x % width] & 1u; }
void main()
{
    uvec2 p = gl_GlobalInvocationID.xy;
    if (p.x >= width || p.y >= height) return;
    uint x = p.x + width, y = p.y + height, count = 0;
    for (uint v = y - 1; v <= y + 1; v++)
        for (uint u = x - 1; u <= x + 1; u++) count += alive(u, v);
    uint self = alive(x, y);
    next[p.y * width + p.x] = count == 3u || (count == 4u && self == 1u) ? 1u : 0u;
}
