#version 450
#extension GL_EXT_control_flow_attributes : require
/* Copies n words of 32 bits with the algorithm of copy.cl. VEC is a macro, since a type depends on
 * it. */
#ifndef VEC
#define VEC 2
#endif
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WG = 256u;
layout(constant_id = 1) const uint ITEMS = 2u;
const uint BLOCK = WG * uint(VEC) * ITEMS;

#if VEC == 4
#define WORDS uvec4
#elif VEC == 2
#define WORDS uvec2
#else
#define WORDS uint
#endif
layout(std430, set = 0, binding = 0) restrict readonly buffer From { uint from[]; };
layout(std430, set = 0, binding = 0) restrict readonly buffer FromWide { WORDS from_wide[]; };
layout(std430, set = 0, binding = 1) restrict writeonly buffer To { uint to[]; };
layout(std430, set = 0, binding = 1) restrict writeonly buffer ToWide { WORDS to_wide[]; };
layout(push_constant) uniform Size { uint n; };

void main()
{
    uint item = gl_LocalInvocationID.x;
    uint first = gl_WorkGroupID.x * BLOCK;
    if (n - first >= BLOCK) {
        uint base = first / uint(VEC) + item;
        WORDS words[ITEMS];
        [[unroll]] for (uint i = 0u; i < ITEMS; i++) words[i] = from_wide[base + i * WG];
        [[unroll]] for (uint i = 0u; i < ITEMS; i++) to_wide[base + i * WG] = words[i];
    } else {
        for (uint i = first + item; i < n; i += WG) to[i] = from[i];
    }
}
