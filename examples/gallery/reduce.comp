#version 450
/* heddle {
  "problem": {"n": 262144},
  "groups": ["ceil_div(n, WG * PER_ITEM)"],
  "parameters": {"PER_ITEM": [1, 2, 4, 8, 16]},
  "arguments": [{"name": "values", "fill": {"integers": [0, 8]}}, {"name": "total", "size": "1", "fill": {"constant": 0}}]
} */
// Sum of all numbers: a tree in shared memory, then one atomic addition for each group.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WG = 64;
layout(constant_id = 1) const uint PER_ITEM = 1;
layout(std430, binding = 0) readonly buffer Values { uint values[]; };
layout(std430, binding = 1) buffer Total { uint total[]; };
layout(push_constant) uniform Size { uint n; };
shared uint sums[WG];
void main()
{
    uint l = gl_LocalInvocationIndex, sum = 0;
    for (uint k = 0; k < PER_ITEM; k++) {
        uint i = (gl_WorkGroupID.x * PER_ITEM + k) * WG + l;
        if (i < n) sum += values[i];
    }
    sums[l] = sum;
    barrier();
    for (uint step = WG / 2; step > 0; step /= 2) {
        if (l < step) sums[l] += sums[l + step];
        barrier();
    }
    if (l == 0) atomicAdd(total[0], sums[0]);
}
