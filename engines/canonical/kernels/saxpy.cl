/* y = a x + y, one rounding (fma) per element. Layout as in copy.cl: a group computes WG * VEC *
 * ITEMS elements, an item starts 2 * ITEMS loads of VEC elements before the first store. */
#ifndef WG
#define WG 256
#endif
#ifndef VEC
#define VEC 4
#endif
#ifndef ITEMS
#define ITEMS 2
#endif

#if VEC == 4
#define FLOATS float4
#define AXPY(a, u, v) hed_f4(fma(a, u.x, v.x), fma(a, u.y, v.y), fma(a, u.z, v.z), fma(a, u.w, v.w))
#elif VEC == 2
#define FLOATS float2
#define AXPY(a, u, v) hed_f2(fma(a, u.x, v.x), fma(a, u.y, v.y))
#else
#define FLOATS float
#define AXPY(a, u, v) fma(a, u, v)
#endif
#define BLOCK (WG * VEC * ITEMS)

__kernel void saxpy(__global const float *restrict x, __global float *restrict y, float a, uint n)
{
    uint item = (uint)get_local_id(0);
    uint first = (uint)get_group_id(0) * BLOCK;
    if (n - first >= BLOCK) {
        __global const FLOATS *from = (__global const FLOATS *)(x + first);
        __global FLOATS *to = (__global FLOATS *)(y + first);
        FLOATS u[ITEMS], v[ITEMS];
#pragma unroll
        for (uint i = 0; i < ITEMS; i++) {
            u[i] = from[i * WG + item];
            v[i] = to[i * WG + item];
        }
#pragma unroll
        for (uint i = 0; i < ITEMS; i++) to[i * WG + item] = AXPY(a, u[i], v[i]);
    } else {
        for (uint i = first + item; i < n; i += WG) y[i] = fma(a, x[i], y[i]);
    }
}
