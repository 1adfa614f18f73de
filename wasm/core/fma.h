/* Fused multiply-add for WebAssembly, which has no such instruction except in relaxed SIMD, where
 * it may round once or twice. The loader asks for the relaxed build only where the instruction
 * rounds once (module/probe.c). The exact build forms the exact product in double, adds in double,
 * and rounds that sum to odd wherever rounding it again to float could be wrong (Boldo and
 * Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to
 * odd", 2008). fmaf() of musl up to 1.2.2 changes the rounding mode instead, which WebAssembly has
 * not: it is wrong in halfway cases. */
#ifndef HEDDLE_WASM_FMA_H
#define HEDDLE_WASM_FMA_H

#include <stdint.h>
#include <string.h>
#include <wasm_simd128.h>

#define WASM_INLINE static inline __attribute__((always_inline, unused))

#if defined(__wasm_relaxed_simd__)

WASM_INLINE v128_t wasm_fma4(v128_t a, v128_t b, v128_t c)
{
    return (v128_t)__builtin_wasm_relaxed_madd_f32x4((__f32x4)a, (__f32x4)b, (__f32x4)c);
}

WASM_INLINE float wasm_fma(float a, float b, float c)
{
    v128_t sum = wasm_fma4(wasm_f32x4_splat(a), wasm_f32x4_splat(b), wasm_f32x4_splat(c));
    return wasm_f32x4_extract_lane(sum, 0);
}

#else

/* Rounds p + c to odd, for s = p + c rounded to nearest: the error of the sum is exact (Knuth's
 * two-sum). */
WASM_INLINE double wasm_round_to_odd(double p, double c, double s)
{
    double part = s - p, error = (p - (s - part)) + (c - part);
    int64_t bits;
    memcpy(&bits, &s, sizeof bits);
    if (error != 0.0 && !(bits & 1)) bits += (error > 0.0) == (s > 0.0) ? 1 : -1;
    memcpy(&s, &bits, sizeof s);
    return s;
}

/* True if rounding the double to float may round twice: it is halfway between two floats, or below
 * the normal floats. */
WASM_INLINE int wasm_may_round_twice(double s)
{
    uint64_t bits;
    memcpy(&bits, &s, sizeof bits);
    return ((uint32_t)bits & 0x1fffffffu) == 0x10000000u ||
           ((uint32_t)(bits >> 32) & 0x7fffffffu) - 1u < 0x380fffffu;
}

/* wasm_fma() of p = a b, c and s = p + c where it may round twice: rarely, so that it is not copied
 * to each call. */
static __attribute__((noinline, unused)) float wasm_fma_careful(double p, double c, double s)
{
    return (float)wasm_round_to_odd(p, c, s);
}

WASM_INLINE float wasm_fma(float a, float b, float c)
{
    double p = (double)a * b, s = p + c;
    if (__builtin_expect(wasm_may_round_twice(s), 0)) return wasm_fma_careful(p, c, s);
    return (float)s;
}

/* wasm_round_to_odd() of two lanes. */
WASM_INLINE v128_t wasm_round_to_odd2(v128_t p, v128_t c, v128_t s)
{
    v128_t part = wasm_f64x2_sub(s, p), zero = wasm_f64x2_const_splat(0),
           unit = wasm_i64x2_const_splat(1);
    v128_t error =
        wasm_f64x2_add(wasm_f64x2_sub(p, wasm_f64x2_sub(s, part)), wasm_f64x2_sub(c, part));
    v128_t inexact = wasm_f64x2_ne(error, zero), even = wasm_i64x2_eq(wasm_v128_and(s, unit), zero);
    v128_t outwards = wasm_i64x2_eq(wasm_f64x2_gt(error, zero), wasm_f64x2_gt(s, zero));
    v128_t step = wasm_v128_bitselect(unit, wasm_i64x2_const_splat(-1), outwards);
    return wasm_i64x2_add(s, wasm_v128_and(step, wasm_v128_and(inexact, even)));
}

WASM_INLINE v128_t wasm_high_floats(v128_t x) { return wasm_i64x2_shuffle(x, x, 1, 1); }

/* wasm_fma4() with every sum rounded to odd: correct for all values, and rarely necessary. */
static __attribute__((noinline, unused)) v128_t wasm_fma4_careful(v128_t a, v128_t b, v128_t c)
{
    v128_t rounded[2];
    for (int half = 0; half < 2; half++) {
        v128_t p = wasm_f64x2_mul(wasm_f64x2_promote_low_f32x4(a), wasm_f64x2_promote_low_f32x4(b)),
               addend = wasm_f64x2_promote_low_f32x4(c);
        rounded[half] =
            wasm_f32x4_demote_f64x2_zero(wasm_round_to_odd2(p, addend, wasm_f64x2_add(p, addend)));
        a = wasm_high_floats(a);
        b = wasm_high_floats(b);
        c = wasm_high_floats(c);
    }
    return wasm_i64x2_shuffle(rounded[0], rounded[1], 0, 2);
}

/* True in each lane where rounding the sum to float may round twice: two lanes of `low`, then two
 * of `high`. */
WASM_INLINE v128_t wasm_may_round_twice4(v128_t low, v128_t high)
{
    v128_t tail = wasm_i32x4_shuffle(low, high, 0, 2, 4, 6),
           head = wasm_i32x4_shuffle(low, high, 1, 3, 5, 7);
    v128_t halfway = wasm_i32x4_eq(wasm_v128_and(tail, wasm_i32x4_const_splat(0x1fffffff)),
        wasm_i32x4_const_splat(0x10000000));
    v128_t magnitude = wasm_v128_and(head, wasm_i32x4_const_splat(0x7fffffff));
    v128_t small = wasm_u32x4_lt(
        wasm_i32x4_sub(magnitude, wasm_i32x4_const_splat(1)), wasm_i32x4_const_splat(0x380fffff));
    return wasm_v128_or(halfway, small);
}

/* wasm_fma() of four lanes. */
WASM_INLINE v128_t wasm_fma4(v128_t a, v128_t b, v128_t c)
{
    v128_t low = wasm_f64x2_add(
        wasm_f64x2_mul(wasm_f64x2_promote_low_f32x4(a), wasm_f64x2_promote_low_f32x4(b)),
        wasm_f64x2_promote_low_f32x4(c));
    v128_t high = wasm_f64x2_add(wasm_f64x2_mul(wasm_f64x2_promote_low_f32x4(wasm_high_floats(a)),
                                     wasm_f64x2_promote_low_f32x4(wasm_high_floats(b))),
        wasm_f64x2_promote_low_f32x4(wasm_high_floats(c)));
    if (__builtin_expect(wasm_v128_any_true(wasm_may_round_twice4(low, high)), 0))
        return wasm_fma4_careful(a, b, c);
    return wasm_i64x2_shuffle(
        wasm_f32x4_demote_f64x2_zero(low), wasm_f32x4_demote_f64x2_zero(high), 0, 2);
}

/* Doubts about multiply-adds since wasm_begin_doubts(): results of wasm_fma4_doubted() that might
 * have rounded twice. */
typedef struct wasm_doubts {
    v128_t halfway; /* true where a sum was halfway between two floats */
    v128_t
        smallest; /* minimum of the results, bits without sign shifted by 1, minus 1: 0 is the largest */
} wasm_doubts;
static wasm_doubts wasm_doubted __attribute__((unused));

WASM_INLINE void wasm_begin_doubts(void)
{
    wasm_doubted.halfway = wasm_i32x4_const_splat(0);
    wasm_doubted.smallest = wasm_i32x4_const_splat(-1);
}

/* True if a result since then has to be computed again by wasm_fma4(). A sum that rounds to 0 was
 * exact: its lowest bit is above 2^-196. */
WASM_INLINE int wasm_has_doubts(void)
{
    v128_t small = wasm_u32x4_lt(wasm_doubted.smallest, wasm_i32x4_const_splat(0x01000000));
    return wasm_v128_any_true(wasm_v128_or(wasm_doubted.halfway, small));
}

/* wasm_fma4() that notes its doubts, for one test of a whole formula. */
WASM_INLINE v128_t wasm_fma4_doubted(v128_t a, v128_t b, v128_t c)
{
    v128_t low = wasm_f64x2_add(
        wasm_f64x2_mul(wasm_f64x2_promote_low_f32x4(a), wasm_f64x2_promote_low_f32x4(b)),
        wasm_f64x2_promote_low_f32x4(c));
    v128_t high = wasm_f64x2_add(wasm_f64x2_mul(wasm_f64x2_promote_low_f32x4(wasm_high_floats(a)),
                                     wasm_f64x2_promote_low_f32x4(wasm_high_floats(b))),
        wasm_f64x2_promote_low_f32x4(wasm_high_floats(c)));
    v128_t result = wasm_i64x2_shuffle(
        wasm_f32x4_demote_f64x2_zero(low), wasm_f32x4_demote_f64x2_zero(high), 0, 2);
    v128_t tail = wasm_i32x4_shuffle(low, high, 0, 2, 4, 6);
    wasm_doubted.halfway = wasm_v128_or(wasm_doubted.halfway,
        wasm_i32x4_eq(wasm_i32x4_shl(tail, 3), wasm_i32x4_const_splat((int)0x80000000)));
    wasm_doubted.smallest = wasm_u32x4_min(wasm_doubted.smallest,
        wasm_i32x4_add(wasm_i32x4_shl(result, 1), wasm_i32x4_const_splat(-1)));
    return result;
}
#define WASM_HAS_DOUBTS 1

#endif

#define fmaf wasm_fma

#endif
