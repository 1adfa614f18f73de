/* Numbers for the tests of mathematics: the same on every machine, and every awkward kind among
 * them. */
#ifndef HED_TESTS_INPUTS_H
#define HED_TESTS_INPUTS_H

#include <math.h>

#include "heddle/math.h"

/* splitmix64, folded to a word */
static inline uint32_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(z >> 32 ^ z);
}

/* In [0, 1). */
static inline float next_unit(uint64_t *state)
{
    return (float)(next_random(state) >> 8) * 0x1p-24f;
}

/* Any sign, magnitude in [2^low, 2^high). */
static inline float next_scaled(uint64_t *state, int low, int high)
{
    /* first: compilers differ on arguments */
    int power = low + (int)(next_random(state) % (uint32_t)(high - low));
    float x = ldexpf(1.0f + next_unit(state), power);
    return next_random(state) & 1 ? -x : x;
}

/* Zeros, denormals, infinities, NaNs, edges of conversions and reductions. */
enum { SPECIALS = 40 };
static inline float special(uint32_t index)
{
    static const uint32_t bits[SPECIALS] = {0x00000000, 0x80000000, 0x00000001, 0x80000001,
        0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
        0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0x7fffffff, 0x3f800000, 0xbf800000,
        0x3f7fffff, 0x3f800001, 0x4f000000, 0xcf000000, 0x4effffff, 0x4f800000, 0x4f7fffff,
        0x40490fdb, 0x3fc90fdb, 0x42b17218, 0xc2cff1b5, 0x4b000000, 0x4b000001, 0x3f000000,
        0xbf000000, 0x3fc00000, 0x40200000, 0x34000000, 0x48000000, 0x48000001, 0x40400000,
        0xc0400000};
    return hed_as_float(bits[index % SPECIALS]);
}

#endif
