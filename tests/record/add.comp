#version 450
/* heddle {"problem": {"n": 4096}} */
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WG = 64;
layout(constant_id = 1) const float GAIN = 2.0;
layout(binding = 0) readonly buffer A { float a[]; };
layout(set = 1, binding = 0) buffer B { float b[]; };
layout(push_constant) uniform P { uint n; vec2 shift; } p;
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < p.n) b[i] += GAIN * a[i] + p.shift.y;
}
