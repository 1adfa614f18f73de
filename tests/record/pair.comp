#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WG = 64;
layout(constant_id = 1) const float GAIN = 2.0;
layout(binding = 0) buffer Values { float values[]; };
layout(binding = 1) readonly buffer Further { float further[]; };
layout(push_constant) uniform P { uint n; float term; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < n) values[i] = GAIN * values[i] + further[i] + term;
}
