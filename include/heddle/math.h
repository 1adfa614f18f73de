/** @file math.h
 *  Strict mathematics: one text for C, C++, OpenCL C and CUDA with the same bits everywhere. In a
 *  kernel it is part of the prelude; in C it is header-only.
 *
 *  It relies on + - * / and fused multiply-add on floats, each correctly rounded with denormals
 *  kept, integer operations and comparisons. Strict mode (HED_MATH_STRICT) ensures this for
 *  kernels; in C the caller's thread must round to nearest and keep denormals (hed_float_strict()),
 *  and -ffast-math is excluded. No product here is an operand of a sum except inside hed_fma(), so
 *  a compiler that contracts changes nothing. In fast mode the functions are as accurate between
 *  normal numbers; denormals may be flushed, and with approximate division hed_tanh() may be off by
 *  an ulp or two more.
 *
 *  "n ulp" is the largest distance from the exact value in units of the last place, over every
 *  float (hed_pow and hed_atan2: see there). A NaN result has no promised sign or payload: see
 *  hed_canonical_bits().
 *
 *  In C the speed depends on the processor's fused multiply-add: without -mfma (x86-64) every
 *  hed_fma() is a call of fmaf(), which is right, prevents vectorisation, and is about 24 times
 *  slower on processors without it. To choose a function at run time, compile its file with -mavx2
 *  -mfma.
 *
 *  Polynomials are minimax in relative error, coefficients rounded to float one by one and the rest
 *  refitted. */
#ifndef HEDDLE_MATH_H
#define HEDDLE_MATH_H

#if defined(__OPENCL_C_VERSION__)
#define HED_MATH_FUNCTION static inline __attribute__((unused))
#elif defined(__CUDACC_RTC__)
#define HED_MATH_FUNCTION static __device__ __inline__ __attribute__((unused))
#else
#include <math.h> /* C only, where there is no prelude */
#include <stdint.h>
#include <string.h>
#define HED_MATH_FUNCTION static inline __attribute__((unused))
#endif

/* ---- bits, and what each language calls differently ---- */

/** Returns the bits of a float. */
HED_MATH_FUNCTION unsigned int hed_as_uint(float x)
{
#if defined(__OPENCL_C_VERSION__)
    return as_uint(x);
#elif defined(__CUDACC_RTC__)
    return __float_as_uint(x);
#else
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
#endif
}

/** Returns the float with these bits. */
HED_MATH_FUNCTION float hed_as_float(unsigned int bits)
{
#if defined(__OPENCL_C_VERSION__)
    return as_float(bits);
#elif defined(__CUDACC_RTC__)
    return __uint_as_float(bits);
#else
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
#endif
}

/** Returns a * b + c, rounded once. */
HED_MATH_FUNCTION float hed_fma(float a, float b, float c)
{
#if defined(__OPENCL_C_VERSION__) || defined(__CUDACC_RTC__)
    return fma(a, b, c);
#else
    return fmaf(a, b, c);
#endif
}

/* The upper half of a 64-bit product. */
HED_MATH_FUNCTION unsigned int hed_multiply_high(unsigned int a, unsigned int b)
{
#if defined(__OPENCL_C_VERSION__)
    return mul_hi(a, b);
#elif defined(__CUDACC_RTC__)
    return __umulhi(a, b);
#else
    return (uint32_t)((uint64_t)a * b >> 32);
#endif
}

#define HED_SIGN_BIT 0x80000000u
#define HED_INFINITY_BITS 0x7f800000u
#define HED_NAN_BITS 0x7fc00000u
/* 1.5 * 2^23: adding it rounds a float of at most 2^22 to an integer, in the low bits of the
 * sum. */
#define HED_ROUNDER 12582912.0f
#define HED_ROUNDER_BITS 0x4b400000

/** Returns the bits of a float, with 0x7fc00000 for every NaN: the form in which results are hashed
 *  and compared. */
HED_MATH_FUNCTION unsigned int hed_canonical_bits(float x)
{
    return x == x ? hed_as_uint(x) : HED_NAN_BITS;
}

HED_MATH_FUNCTION float hed_magnitude(float x)
{
    return hed_as_float(hed_as_uint(x) & ~HED_SIGN_BIT);
}

/* x with its sign changed where the highest bit of `sign` is set. */
HED_MATH_FUNCTION float hed_flip(float x, unsigned int sign)
{
    return hed_as_float(hed_as_uint(x) ^ (sign & HED_SIGN_BIT));
}

/* ---- comparisons and conversions ---- */

/** Returns a < b ? a : b; so b if one is NaN, and b of two zeros. */
HED_MATH_FUNCTION float hed_min(float a, float b) { return a < b ? a : b; }

/** Returns a > b ? a : b; so b if one is NaN, and b of two zeros. */
HED_MATH_FUNCTION float hed_max(float a, float b) { return a > b ? a : b; }

/** Clamps x to [low, high], low <= high; NaN stays. */
HED_MATH_FUNCTION float hed_clamp(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}

/** Rounds towards zero; values out of range become -2^31 or 2^31 - 1, NaN becomes 0. */
HED_MATH_FUNCTION int hed_int(float x)
{
    if (x >= 2147483648.0f) return 2147483647;
    if (x > -2147483648.0f) return (int)x;
    return x == x ? -2147483647 - 1 : 0;
}

/** Rounds towards zero; values out of range become 0 or 2^32 - 1, NaN becomes 0. */
HED_MATH_FUNCTION unsigned int hed_uint(float x)
{
    if (x >= 4294967296.0f) return 4294967295u;
    return x > 0.0f ? (unsigned int)x : 0u;
}

/* ---- exponential and logarithm ---- */

/* x * 2^e for |e| <= 250, rounded once: only the second product can leave the range of normal
 * numbers. */
HED_MATH_FUNCTION float hed_scale(float x, int e)
{
    int half_e = e >> 1;
    float first = hed_as_float((unsigned int)(half_e + 127) << 23);
    return x * first * hed_as_float((unsigned int)(e - half_e + 127) << 23);
}

/** Computes e^x for every float: 0.90 ulp. Infinite above 88.72, denormal below -87.33, 0 below
 *  -103.97, exp(-inf) = 0, exp(+-0) = 1. NaN gives NaN. */
HED_MATH_FUNCTION float hed_exp(float x)
{
    x = hed_clamp(x, -104.0f, 89.0f);
    float t = hed_fma(x, 1.44269502f, HED_ROUNDER), n = t - HED_ROUNDER; /* x = n ln 2 + r */
    float r = hed_fma(-n, -1.90465421e-09f, hed_fma(-n, 0.693147182f, x));
    float p = hed_fma(r, 0.00138211891f, 0.00836866628f);
    p = hed_fma(r, p, 0.0416682586f);
    p = hed_fma(r, p, 0.166665211f);
    p = hed_fma(r, p, 0.49999994f);
    p = hed_fma(r, p, 1.0f);
    p = hed_fma(r, p, 1.0f);
    return hed_scale(p, (int)hed_as_uint(t) - HED_ROUNDER_BITS);
}

/* x = m * 2^e with m in [sqrt(1/2), sqrt(2)), for x > 0, denormals too. */
HED_MATH_FUNCTION float hed_split(float x, int *e)
{
    int tiny = hed_as_uint(x) < 0x00800000u;
    unsigned int bits = hed_as_uint(tiny ? x * 8388608.0f : x) - 0x3f3504f3u;
    *e = ((int)bits >> 23) - (tiny ? 23 : 0);
    return hed_as_float((bits & 0x007fffffu) + 0x3f3504f3u);
}

/** Computes the natural logarithm of every float: 0.93 ulp, denormals included. log(+-0) = -inf,
 *  log(inf) = inf, log(1) = 0; NaN for x < 0 and for NaN. */
HED_MATH_FUNCTION float hed_log(float x)
{
    int exponent;
    float f = hed_split(x, &exponent) - 1.0f, e = (float)exponent;
    float p = hed_fma(f, -0.0763640329f, 0.127622008f);
    p = hed_fma(f, p, -0.131596133f);
    p = hed_fma(f, p, 0.142015815f);
    p = hed_fma(f, p, -0.166234091f);
    p = hed_fma(f, p, 0.200012416f);
    p = hed_fma(f, p, -0.250008196f);
    p = hed_fma(f, p, 0.333333313f);
    p = hed_fma(f, p, -0.5f);
    float t = hed_fma(e, -1.90465421e-09f, f * f * p);
    float y = hed_fma(e, 0.693147182f, f + t);
    if (x == 0.0f) return hed_as_float(HED_SIGN_BIT | HED_INFINITY_BITS);
    if (!(x > 0.0f)) return hed_as_float(HED_NAN_BITS);
    return hed_as_uint(x) == HED_INFINITY_BITS ? x : y;
}

/* log2(x) for finite x > 0 as high + *low, to about 2^-37 of itself: log2(m) = s (K0 + z (K1 + ..))
 * with s = (m - 1) / (m + 1) and z = s^2, the leading terms in pairs of floats (Dekker 1971; every
 * product's error comes from a fused step). */
HED_MATH_FUNCTION float hed_log2_pair(float x, float *low)
{
    int exponent;
    float m = hed_split(x, &exponent), e = (float)exponent;
    float d = m - 1.0f, t = m + 1.0f, t_low = m - (t - 1.0f);
    float reciprocal = 1.0f / t;
    float s = d * reciprocal;
    float s_low = reciprocal * hed_fma(-s, t_low, hed_fma(-s, t, d));
    float z = s * s;
    float z_low = hed_fma(2.0f * s, s_low, hed_fma(s, s, -z));
    float p = hed_fma(z, hed_fma(z, 0.337825924f, 0.411849797f), 0.57708019f);
    float u = hed_fma(z, p, 0.961796701f);
    float u_low = hed_fma(z, p, 0.961796701f - u) + -7.02846181e-09f;
    float g = hed_fma(z, u, 2.88539004f);
    float g_low =
        hed_fma(z, u, 2.88539004f - g) + hed_fma(z, u_low, hed_fma(z_low, u, 3.85192607e-08f));
    float y = hed_fma(s, g, e);
    *low = hed_fma(s, g, e - y) + hed_fma(s, g_low, s_low * g);
    return y;
}

/* x^y for finite x > 0. */
HED_MATH_FUNCTION float hed_pow_positive(float x, float y)
{
    float low, high = hed_log2_pair(x, &low);
    float product = y * high;
    float product_low = hed_fma(y, low, hed_fma(y, high, -product));
    /* far out of range on either side, or infinite */
    if (!(hed_magnitude(product) < 200.0f)) {
        product = hed_clamp(product, -200.0f, 200.0f);
        product_low = 0.0f;
    }
    float t = product + HED_ROUNDER, n = t - HED_ROUNDER;
    float r = (product - n) + product_low;
    float p = hed_fma(r, 0.000153294983f, 0.00133909832f);
    p = hed_fma(r, p, 0.00961849932f);
    p = hed_fma(r, p, 0.0555035956f);
    p = hed_fma(r, p, 0.240226477f);
    p = hed_fma(r, p, 0.693147182f);
    p = hed_fma(r, p, 1.0f);
    return hed_scale(p, (int)hed_as_uint(t) - HED_ROUNDER_BITS);
}

/** Computes x to the power y for all floats: 0.94 ulp in 120 million pairs, most of them chosen so
 *  that the result is a number, denormal ones included. Special cases as in C99, annex F: pow(x,
 *  +-0) = 1 and pow(1, y) = 1 even with NaN; NaN for finite x < 0 with y not an integer; signed
 *  zeros and infinities for odd y; pow(-1, +-inf) = 1. */
HED_MATH_FUNCTION float hed_pow(float x, float y)
{
    float a = hed_magnitude(x), b = hed_magnitude(y), infinity = hed_as_float(HED_INFINITY_BITS);
    int whole = b >= 16777216.0f || (float)hed_int(y) == y;
    int odd = b < 16777216.0f && whole && (hed_int(y) & 1);
    if (y == 0.0f || x == 1.0f) return 1.0f;
    if (x != x || y != y) return x + y;
    if (x < 0.0f && a != infinity && !whole) return hed_as_float(HED_NAN_BITS);
    float power;
    if (b == infinity) power = a == 1.0f ? 1.0f : (a > 1.0f) == (y > 0.0f) ? infinity : 0.0f;
    else if (a == 0.0f || a == infinity) power = (a == 0.0f) == (y > 0.0f) ? 0.0f : infinity;
    else power = hed_pow_positive(a, y);
    return odd ? hed_flip(power, hed_as_uint(x)) : power;
}

/* ---- trigonometry ---- */

/* Bits 32 (index - 1) and on of 2/pi after the point. */
HED_MATH_FUNCTION unsigned int hed_two_over_pi(int index)
{
    if (index < 4)
        return index < 2 ? (index == 0 ? 0u : 0xa2f9836eu)
                         : (index == 2 ? 0x4e441529u : 0xfc2757d1u);
    return index < 6 ? (index == 4 ? 0xf534ddc0u : 0xdb629599u)
                     : (index == 6 ? 0x3c439041u : 0xfe5163abu);
}

/* The word that starts `shift` bits into the pair (high, next). */
HED_MATH_FUNCTION unsigned int hed_funnel(unsigned int high, unsigned int next, unsigned int shift)
{
    return shift == 0 ? high : high << shift | next >> (32 - shift);
}

/* Reduction of hed_quadrant_pair() below, for finite a >= 2^17. Only a * 2/pi modulo 4 is needed,
 * so the bits of 2/pi that make multiples of 4 are skipped and 96 bits after them suffice (Payne
 * and Hanek 1983). */
HED_MATH_FUNCTION int hed_quadrant_far(float a, float *r, float *r_low)
{
    unsigned int bits = hed_as_uint(a);
    unsigned int start = (bits >> 23) - 120, shift = start & 31; /* a = mantissa * 2^(start - 30) */
    int index = (int)(start >> 5);
    unsigned int mantissa = (bits & 0x007fffffu) | 0x00800000u;
    unsigned int w0 = hed_two_over_pi(index), w1 = hed_two_over_pi(index + 1);
    unsigned int w2 = hed_two_over_pi(index + 2), w3 = hed_two_over_pi(index + 3);
    unsigned int h0 = hed_funnel(w0, w1, shift), h1 = hed_funnel(w1, w2, shift);
    unsigned int h2 = hed_funnel(w2, w3, shift);
    /* high:low: the value in units of 2^-62 */
    unsigned int low = mantissa * h1 + hed_multiply_high(mantissa, h2);
    unsigned int carry = low < hed_multiply_high(mantissa, h2) ? 1u : 0u;
    unsigned int high = mantissa * h0 + hed_multiply_high(mantissa, h1) + carry;
    int quadrant = (int)(high >> 30);
    high = high << 2 | low >> 30; /* the fraction, in units of 2^-64 */
    low = low << 2;
    unsigned int negative = high & HED_SIGN_BIT;
    if (negative != 0) { /* fraction of at least half: distance down from the next integer */
        quadrant++;
        high = ~high + (low == 0 ? 1u : 0u);
        low = ~low + 1u;
    }
    float top = (float)(high >> 8) * 5.96046448e-08f;
    float middle = (float)((high & 0xffu) << 16 | low >> 16) * 3.55271368e-15f;
    float bottom = (float)(low & 0xffffu) * 5.42101086e-20f;
    float fraction = top + middle, rest = ((top - fraction) + middle) + bottom;
    float tail = hed_fma(rest, 1.57079637f, fraction * -4.37113883e-08f);
    float y = hed_fma(fraction, 1.57079637f, tail);
    *r_low = hed_flip(hed_fma(fraction, 1.57079637f, -y) + tail, negative);
    *r = hed_flip(y, negative);
    return quadrant;
}

/* Range reduction: a = n pi/2 + *r with |*r| <= pi/4, for a >= 0; returns n, of which the last two
 * bits are valid. NaN for infinity and NaN. pi/2 in three parts, each subtracted by a fused step;
 * the first difference is exact. */
HED_MATH_FUNCTION int hed_quadrant(float a, float *r)
{
    float t = hed_fma(a, 0.636619747f, HED_ROUNDER), n = t - HED_ROUNDER, low;
    if (!(a <= 131072.0f) && hed_as_uint(a) < HED_INFINITY_BITS)
        return hed_quadrant_far(a, r, &low);
    *r = hed_fma(-n, -1.71512451e-15f, hed_fma(-n, -4.37113883e-08f, hed_fma(-n, 1.57079637f, a)));
    if (!(a <= 131072.0f)) *r = hed_as_float(HED_NAN_BITS);
    return (int)(hed_as_uint(t) & 3u);
}

/* Range reduction with more bits: a = n pi/2 + *r + *r_low. */
HED_MATH_FUNCTION int hed_quadrant_pair(float a, float *r, float *r_low)
{
    float t = hed_fma(a, 0.636619747f, HED_ROUNDER), n = t - HED_ROUNDER;
    if (!(a <= 131072.0f) && hed_as_uint(a) < HED_INFINITY_BITS)
        return hed_quadrant_far(a, r, r_low);
    float first = hed_fma(-n, 1.57079637f, a), second = hed_fma(-n, -4.37113883e-08f, first);
    float lost = hed_fma(-n, -4.37113883e-08f, first - second);
    /* exact at 2^-6 and above, useless below */
    lost = hed_magnitude(second) >= 0.015625f ? lost : 0.0f;
    *r = a <= 131072.0f ? second : hed_as_float(HED_NAN_BITS);
    *r_low = hed_fma(-n, -1.71512451e-15f, lost);
    return (int)(hed_as_uint(t) & 3u);
}

HED_MATH_FUNCTION float hed_sin_near(float r)
{
    float z = r * r;
    float p = hed_fma(z, 2.83254963e-06f, -0.000198530659f);
    p = hed_fma(z, p, 0.0083333794f);
    p = hed_fma(z, p, -0.166666672f);
    return hed_fma(r * z, p, r);
}

HED_MATH_FUNCTION float hed_cos_near(float r)
{
    float z = r * r;
    float p = hed_fma(z, 2.44325838e-05f, -0.00138873106f);
    p = hed_fma(z, p, 0.0416666456f);
    return hed_fma(z * z, p, hed_fma(z, -0.5f, 1.0f));
}

/** Computes the sine of every float (radians): 1.58 ulp. sin(-x) = -sin(x), sin(+-0) = +-0; NaN for
 *  infinity and NaN. Above 131072 a slower reduction runs, at which lanes of a warp diverge. */
HED_MATH_FUNCTION float hed_sin(float x)
{
    float r;
    int n = hed_quadrant(hed_magnitude(x), &r);
    float y = n & 1 ? hed_cos_near(r) : hed_sin_near(r);
    return hed_flip(y, (unsigned int)n << 30 ^ hed_as_uint(x));
}

/** Computes the cosine of every float (radians): 1.58 ulp. cos(-x) = cos(x); NaN for infinity and
 *  NaN. Above 131072 as hed_sin(). */
HED_MATH_FUNCTION float hed_cos(float x)
{
    float r;
    int n = hed_quadrant(hed_magnitude(x), &r) + 1;
    float y = n & 1 ? hed_cos_near(r) : hed_sin_near(r);
    return hed_flip(y, (unsigned int)n << 30);
}

/** Computes the tangent of every float (radians): 1.49 ulp. tan(-x) = -tan(x), tan(+-0) = +-0; NaN
 *  for infinity and NaN; never infinite, as no float is so close to an odd multiple of pi/2. Above
 *  131072 as hed_sin(). */
HED_MATH_FUNCTION float hed_tan(float x)
{
    float r, r_low;
    int n = hed_quadrant_pair(hed_magnitude(x), &r, &r_low);
    float z = r * r;
    float p = hed_fma(z, 0.00437022792f, 0.000103118044f);
    p = hed_fma(z, p, 0.0108237434f);
    p = hed_fma(z, p, 0.0212875511f);
    p = hed_fma(z, p, 0.0540586822f);
    p = hed_fma(z, p, 0.133326769f);
    p = hed_fma(z, p, 0.333333492f);
    /* slope of the tangent, nearly */
    float slope = hed_fma(z, hed_fma(z, 0.666666687f, 1.0f), 1.0f);
    float rest = hed_fma(r * z, p, r_low * slope), y = r + rest, y_low = (r - y) + rest;
    float cotangent = -1.0f / y;
    if (n & 1)
        y = hed_fma(cotangent, hed_fma(cotangent, y_low, hed_fma(cotangent, y, 1.0f)), cotangent);
    return hed_flip(y, hed_as_uint(x));
}

/* atan(t + t_low) - t for 0 <= t <= 1. */
HED_MATH_FUNCTION float hed_atan_rest(float t, float t_low)
{
    float z = t * t;
    float p = hed_fma(z, -0.0018048404f, 0.0109671121f);
    p = hed_fma(z, p, -0.0312809087f);
    p = hed_fma(z, p, 0.05806759f);
    p = hed_fma(z, p, -0.0841036513f);
    p = hed_fma(z, p, 0.109547742f);
    p = hed_fma(z, p, -0.142647952f);
    p = hed_fma(z, p, 0.199986085f);
    p = hed_fma(z, p, -0.333333015f);
    return hed_fma(t * z, p, t_low * hed_fma(z, -0.5f, 1.0f));
}

/** Computes the angle of the point (x, y) from the x axis, in (-pi, pi] as rounded, for all floats:
 *  1.56 ulp in 120 million pairs. Zeros and infinities as in C99, annex F: the sign of y is the
 *  sign of the result, atan2(+-0, -0) = +-pi, atan2(+-inf, -inf) = +-3 pi / 4. NaN if either is
 *  NaN. */
HED_MATH_FUNCTION float hed_atan2(float y, float x)
{
    float a = hed_magnitude(y), b = hed_magnitude(x), infinity = hed_as_float(HED_INFINITY_BITS);
    int steep = a > b, left = hed_as_uint(x) >> 31 != 0;
    if (x != x || y != y) return x + y;
    if (steep) {
        float other = a;
        a = b;
        b = other;
    }
    if (b == infinity) {
        a = a == infinity ? 1.0f : 0.0f;
        b = 1.0f;
    }
    float scale = 1.0f; /* a power of two, so that 1 / b is a normal number */
    if (b > 7.92281625e+28f) scale = 5.42101086e-20f;
    else if (b < 1.26217745e-29f) scale = 1.84467441e+19f;
    a *= scale;
    b = b == 0.0f ? 1.0f : b * scale;
    float reciprocal = 1.0f / b;
    float t = a * reciprocal;
    float rest = hed_atan_rest(t, reciprocal * hed_fma(-t, b, a));
    /* angle = base + turn (t + rest) */
    float base = steep ? 1.57079637f : left ? 3.14159274f : 0.0f;
    float base_low = steep ? -4.37113883e-08f : left ? -8.74227766e-08f : 0.0f;
    float turn = steep == left ? 1.0f : -1.0f;
    return hed_flip(hed_fma(turn, t, base) + hed_fma(turn, rest, base_low), hed_as_uint(y));
}

/* ---- hyperbolic tangent, reciprocal square root ---- */

/** Computes the hyperbolic tangent of every float: 1.59 ulp. tanh(+-0) = +-0, +-1 beyond +-9.02;
 *  NaN for NaN. */
HED_MATH_FUNCTION float hed_tanh(float x)
{
    float a = hed_magnitude(x), z = a * a;
    float p = hed_fma(z, -0.00629235478f, 0.0210861377f);
    p = hed_fma(z, p, -0.0538563952f);
    p = hed_fma(z, p, 0.133326337f);
    p = hed_fma(z, p, -0.333333194f);
    float small = hed_fma(a * z, p, a);
    float large = 1.0f - 2.0f / (hed_exp(2.0f * hed_clamp(a, 0.0f, 10.0f)) + 1.0f);
    return hed_flip(a < 0.55f ? small : large, hed_as_uint(x));
}

/** Computes 1 / sqrt(x) from multiplications alone, for every float: 1.00 ulp, denormals included.
 *  rsqrt(+-0) = +-inf, rsqrt(inf) = 0; NaN for x < 0 and for NaN. The first guess is the halved,
 *  negated exponent; three Newton steps. */
HED_MATH_FUNCTION float hed_rsqrt(float x)
{
    /* denormals are far below: where they are flushed, half of x must not be one */
    int tiny = x < 7.88860905e-31f;
    float a = tiny ? x * 16777216.0f : x;
    float y = hed_as_float(0x5f375a86u - (hed_as_uint(a) >> 1)), half_a = 0.5f * a;
    y = y * hed_fma(-half_a * y, y, 1.5f);
    y = y * hed_fma(-half_a * y, y, 1.5f);
    y = hed_fma(0.5f * y, hed_fma(-a * y, y, 1.0f), y);
    y = tiny ? y * 4096.0f : y;
    if (x == 0.0f) return hed_as_float(hed_as_uint(x) | HED_INFINITY_BITS);
    if (!(x > 0.0f)) return hed_as_float(HED_NAN_BITS);
    return hed_as_uint(x) == HED_INFINITY_BITS ? 0.0f : y;
}

#undef HED_MATH_FUNCTION
#undef HED_ROUNDER
#undef HED_ROUNDER_BITS

#endif
