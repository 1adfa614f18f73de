#version 450
#extension GL_EXT_control_flow_attributes : require
/* Sums of tiles of TILE floats in the fixed tree of heddle/tree.h, with the algorithm of
 * reduction.cl. VEC is a macro, since a type depends on it; LANES requires a device that reports
 * lane exchanges. */
#ifndef VEC
#define VEC 4
#endif
#ifndef LANES
#define LANES 0
#endif
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WG = 256u;
layout(constant_id = 1) const int ORDER = 0;
const uint TILE = 4096u;
const uint RUN = TILE / (WG * uint(VEC));
const bool TREE = ORDER == 0 && RUN > 1u;

#if VEC == 4
#define FLOATS vec4
#define PARTS_OF(v) ((v.x + v.y) + (v.z + v.w))
#elif VEC == 2
#define FLOATS vec2
#define PARTS_OF(v) (v.x + v.y)
#else
#define FLOATS float
#define PARTS_OF(v) v
#endif
layout(std430, set = 0, binding = 0) restrict readonly buffer From { float from[]; };
layout(std430, set = 0, binding = 0) restrict readonly buffer FromWide { FLOATS from_wide[]; };
layout(std430, set = 0, binding = 1) restrict writeonly buffer Sums { float sums[]; };
layout(push_constant) uniform Size { uint n; };
/* index with one additional word per run, so that items do not read from one bank */
shared float values[TREE ? WG * RUN + WG : WG];

float element(uint i) { return i < n ? from[i] : -0.0; }
uint place(uint i) { return i + i / RUN; }

float group_sum(float value, uint item)
{
    values[item] = value;
    barrier();
    for (uint count = WG; count > 1u;) {
        uint next = count >= 4u ? count / 4u : 1u, at = item < next ? 4u * item : 0u;
        if (item < next)
            value = count >= 4u ? (values[at] + values[at + 1u]) + (values[at + 2u] + values[at + 3u])
                               : values[0u] + values[1u];
        barrier();
        if (item < next) values[item] = value;
        barrier();
        count = next;
    }
    return value;
}

void main()
{
    uint item = gl_LocalInvocationID.x, first = gl_WorkGroupID.x * TILE;
    float part[RUN];
    if (n - first >= TILE) {
        FLOATS vector[RUN];
        uint base = first / uint(VEC) + item;
        [[unroll]] for (uint i = 0u; i < RUN; i++) vector[i] = from_wide[base + i * WG];
        [[unroll]] for (uint i = 0u; i < RUN; i++) part[i] = PARTS_OF(vector[i]);
    } else {
        [[unroll]] for (uint i = 0u; i < RUN; i++) {
            uint at = first + (i * WG + item) * uint(VEC);
            part[i] = element(at);
            if (VEC >= 2) part[i] = part[i] + element(at + 1u);
            if (VEC == 4) part[i] = part[i] + (element(at + 2u) + element(at + 3u));
        }
    }
    if (TREE) {
        [[unroll]] for (uint i = 0u; i < RUN; i++) values[place(i * WG + item)] = part[i];
        barrier();
        [[unroll]] for (uint i = 0u; i < RUN; i++) part[i] = values[place(item * RUN + i)];
        barrier();
    }
    [[unroll]] for (uint apart = 1u; apart < RUN; apart *= 2u)
        [[unroll]] for (uint i = 0u; i + apart < RUN; i += 2u * apart)
            part[i] = part[i] + part[i + apart];
    float sum = group_sum(part[0u], item);
    if (item == 0u) sums[gl_WorkGroupID.x] = sum;
}
