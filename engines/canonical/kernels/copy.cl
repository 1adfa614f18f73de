/* Copies n words. A group moves one block of WG * VEC * ITEMS words; each of its items starts ITEMS
 * loads of VEC words before the first store, neighbouring items at neighbouring addresses. An
 * incomplete last block is copied word by word. */
#ifndef WG
#define WG 256
#endif
#ifndef VEC
#define VEC 2
#endif
#ifndef ITEMS
#define ITEMS 2
#endif

#if VEC == 4
#define WORDS uint4
#elif VEC == 2
#define WORDS uint2
#else
#define WORDS uint
#endif
#define BLOCK (WG * VEC * ITEMS)

__kernel void copy(__global const uint *restrict in, __global uint *restrict out, uint n)
{
    uint item = (uint)get_local_id(0);
    uint first = (uint)get_group_id(0) * BLOCK;
    if (n - first >= BLOCK) {
        __global const WORDS *from = (__global const WORDS *)(in + first);
        __global WORDS *to = (__global WORDS *)(out + first);
        WORDS words[ITEMS];
#pragma unroll
        for (uint i = 0; i < ITEMS; i++) words[i] = from[i * WG + item];
#pragma unroll
        for (uint i = 0; i < ITEMS; i++) to[i * WG + item] = words[i];
    } else {
        for (uint i = first + item; i < n; i += WG) out[i] = in[i];
    }
}
