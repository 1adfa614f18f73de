#version 450
/* heddle {"problem": {"n": 256}, "groups": ["ceil_div(n, WG_X)", "ceil_div(n, WG_Y)"]} */
// Product of two square matrices, an element for each item.
layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 0) const uint WG_X = 8;
layout(constant_id = 1) const uint WG_Y = 8;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform Size { uint n; };
void main()
{
    uint column = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    if (column >= n || row >= n) return;
    float sum = 0.0;
    for (uint k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
