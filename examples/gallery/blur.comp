#version 450
// A 5 x 5 Gaussian blur of a picture in one pass.
layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, binding = 0) readonly buffer Source { float source[]; };
layout(std430, binding = 1) writeonly buffer Result { float result[]; };
layout(push_constant) uniform Size { int width, height; };
const float WEIGHTS[5] = float[](0.0625, 0.25, 0.375, 0.25, 0.0625);
void main()
{
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    if (p.x >= width || p.y >= height) return;
    float sum = 0.0;
    for (int v = -2; v <= 2; v++)
        for (int u = -2; u <= 2; u++) {
            ivec2 q = clamp(p + ivec2(u, v), ivec2(0), ivec2(width - 1, height - 1));
            sum += WEIGHTS[u + 2] * WEIGHTS[v + 2] * source[q.y * width + q.x];
        }
    result[p.y * width + p.x] = sum;
}
