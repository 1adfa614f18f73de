/* Random transients: values at the limits of a function's range, set for a moment and taken back.
 * Transients come in groups, each with an object and a seed of its own; a group depends on nothing
 * but its seed. A test tries a few transients, 100,000 with HEDDLE_TEST_FULL set, or as many as
 * HEDDLE_TEST_TRANSIENTS requests: "COUNT" or "COUNT SEED", where SEED is that of the first group
 * and the others count up from it. So "1 SEED" repeats the group of a reported failure. */
#ifndef HED_TESTS_TRANSIENTS_H
#define HED_TESTS_TRANSIENTS_H

#include <float.h>
#include <math.h>

#include "fixture.h"

static uint64_t transient_group = 1; /* seed of the next group */
static uint64_t transient_state;

/* The next of a reproducible sequence (Steele, Lea and Flood 2014). */
static uint64_t transient_word(void)
{
    uint64_t z = transient_state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Below `count`. */
static uint32_t transient_choice(uint32_t count) { return (uint32_t)(transient_word() % count); }

/* In [-1, 1). */
static float transient_share(void) { return (float)(transient_word() >> 40) * 0x1p-23f - 1; }

/* A finite number in place of `value`: a limit, a multiple, another sign, or any bits. */
static inline float transient_number(float value)
{
    static const float limits[] = {0, -0.0f, 1, -1, FLT_MIN, -FLT_MIN, 1e-45f, FLT_MAX, -FLT_MAX,
        3e38f, -3e38f, 1e30f, -1e30f, 1e20f, -1e20f, 1e9f, 1e-9f, 1e-20f};
    uint32_t bits = (uint32_t)transient_word();
    float any;
    memcpy(&any, &bits, sizeof any);
    switch (transient_choice(4)) {
    case 0: return limits[transient_choice(HED_COUNT(limits))];
    case 1: any = value * (float)ldexp(transient_share(), (int)transient_choice(40)); break;
    case 2: any = transient_share() * 100; break;
    default: break;
    }
    return isfinite(any) ? any : FLT_MAX;
}

/* Number of transients to try; also takes the seed of the first group from the environment. */
static inline uint32_t transient_count(uint32_t few)
{
    const char *words = getenv("HEDDLE_TEST_TRANSIENTS");
    uint32_t count = getenv("HEDDLE_TEST_FULL") ? 100000 : few;
    unsigned long long seed = transient_group;
    if (words) sscanf(words, "%u %llu", &count, &seed);
    transient_group = seed;
    return count;
}

/* Begins a group; returns its seed. */
static uint64_t transient_begin(void)
{
    uint64_t group = transient_group++;
    transient_state = group;
    transient_state = transient_word(); /* neighbouring seeds share no part of the sequence */
    return group;
}

/* Index of the first number that is not finite; `count`: all are. */
static inline uint64_t transient_finite(const float *values, uint64_t count)
{
    uint64_t i = 0;
    while (i < count && isfinite(values[i])) i++;
    return i;
}

#endif
