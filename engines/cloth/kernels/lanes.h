/* Vector version of the kernels, four particles at a time: loaded as float4 of one particle,
 * transposed in registers to float4 of one coordinate, computed with selections instead of
 * branches, transposed back. Also the loops over the elements of a work item. */
#ifndef CLOTH_LANES_H
#define CLOTH_LANES_H

#ifndef VECTOR
#define VECTOR 0 /* 1: an item computes four elements at a time */
#endif
#ifndef TASK
#define TASK \
    0 /* number of items, each of which loops over a chunk; 0: an item for each element, or four */
#endif

/* Runs expression `one` for each of the item's elements i < count, or `four` for i to i + 3. */
#if TASK
#define CLOTH_CHUNK(count) \
    uint chunk = \
        (((count) + (uint)get_global_size(0) - 1) / (uint)get_global_size(0) + 3) / 4 * 4; \
    uint begin = min((uint)get_global_id(0) * chunk, (uint)(count)), \
         end = min(begin + chunk, (uint)(count));
#elif VECTOR
#define CLOTH_CHUNK(count) \
    uint begin = 4 * (uint)get_global_id(0), end = min(begin + 4, (uint)(count));
#else
#define CLOTH_CHUNK(count) uint begin = (uint)get_global_id(0), end = (uint)(count);
#endif
#if VECTOR
#define CLOTH_EACH(count, four, one) \
    { \
        CLOTH_CHUNK(count) \
        uint i = begin; \
        for (; i + 4 <= end; i += 4) four; \
        for (; i < end; i++) one; \
    }
#elif TASK
#define CLOTH_EACH(count, four, one) \
    { \
        CLOTH_CHUNK(count) \
        for (uint i = begin; i < end; i++) one; \
    }
#else
#define CLOTH_EACH(count, four, one) \
    { \
        CLOTH_CHUNK(count) \
        uint i = begin; \
        if (i < end) one; \
    }
#endif

#if VECTOR
/* Four particles; each member is one coordinate of all four. */
typedef struct cloth_four {
    float4 x, y, z, w;
} cloth_four;

/* Transposes 4 x 4: particles to coordinates, or coordinates to particles. */
CLOTH_FUNCTION cloth_four cloth_turn(float4 a, float4 b, float4 c, float4 d)
{
    cloth_four turned;
    turned.x = hed_f4(a.x, b.x, c.x, d.x);
    turned.y = hed_f4(a.y, b.y, c.y, d.y);
    turned.z = hed_f4(a.z, b.z, c.z, d.z);
    turned.w = hed_f4(a.w, b.w, c.w, d.w);
    return turned;
}

CLOTH_FUNCTION cloth_four cloth_turned(cloth_four v) { return cloth_turn(v.x, v.y, v.z, v.w); }

/* Comparisons of four lanes: -1 if true, as in OpenCL; cloth_pick() selects by their results. */
#if defined(__OPENCL_C_VERSION__)
#define cloth_more(a, b) isgreater(a, b)
#define cloth_same(a, b) isequal(a, b)
#define cloth_pick(mask, yes, no) select(no, yes, mask)
#if !HED_STRICT
#define cloth_near_rcp(x) native_recip(x)
#define cloth_near_rsqrt(x) native_rsqrt(x)
#endif
#else
CLOTH_FUNCTION int4 cloth_more(float4 a, float4 b)
{
    return hed_i4(-(a.x > b.x), -(a.y > b.y), -(a.z > b.z), -(a.w > b.w));
}
CLOTH_FUNCTION int4 cloth_same(float4 a, float4 b)
{
    return hed_i4(-(a.x == b.x), -(a.y == b.y), -(a.z == b.z), -(a.w == b.w));
}
CLOTH_FUNCTION float4 cloth_pick(int4 mask, float4 yes, float4 no)
{
    return hed_f4(
        mask.x ? yes.x : no.x, mask.y ? yes.y : no.y, mask.z ? yes.z : no.z, mask.w ? yes.w : no.w);
}
#if !HED_STRICT
CLOTH_FUNCTION float4 cloth_near_rcp(float4 v)
{
    return hed_f4(hed_near_rcp(v.x), hed_near_rcp(v.y), hed_near_rcp(v.z), hed_near_rcp(v.w));
}
CLOTH_FUNCTION float4 cloth_near_rsqrt(float4 v)
{
    return hed_f4(
        hed_near_rsqrt(v.x), hed_near_rsqrt(v.y), hed_near_rsqrt(v.z), hed_near_rsqrt(v.w));
}
#endif
#endif

/* Vector versions of hed_min(), hed_max() and cloth_square(). */
CLOTH_FUNCTION float4 cloth_min4(float4 a, float4 b) { return cloth_pick(cloth_more(b, a), a, b); }
CLOTH_FUNCTION float4 cloth_max4(float4 a, float4 b) { return cloth_pick(cloth_more(a, b), a, b); }
CLOTH_FUNCTION float4 cloth_square4(float4 x, float4 y, float4 z)
{
    return fma(x, x, fma(y, y, z * z));
}

/* Vector versions of cloth_between() and cloth_unit(). */
CLOTH_FUNCTION cloth_four cloth_between4(cloth_four a, cloth_four b, float share)
{
    cloth_four between;
    float4 s = hed_f4(share);
    between.x = fma(b.x - a.x, s, a.x);
    between.y = fma(b.y - a.y, s, a.y);
    between.z = fma(b.z - a.z, s, a.z);
    between.w = a.w;
    return between;
}

CLOTH_FUNCTION cloth_four cloth_unit4(cloth_four v)
{
    float4 square = cloth_square4(v.x, v.y, v.z), length = sqrt(square);
    int4 positive = cloth_more(square, hed_f4(0.0f));
    v.x = cloth_pick(positive, v.x / length, v.x);
    v.y = cloth_pick(positive, v.y / length, v.y);
    v.z = cloth_pick(positive, v.z / length, v.z);
    return v;
}
#endif

#endif
