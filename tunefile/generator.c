/* Arrays made by rule. The random numbers are SplitMix64 (Steele, Lea, Flood 2014) used by counter:
 * element i is the mix of seed and i, without a state that goes from one to the next. Normal ones
 * are Box and Muller's (1958) pairs in float, with the logarithm and cosine of heddle/math.h, which
 * are the same everywhere, as libm's are not.
 */
#include "tunefile/generator.h"

#include "heddle/math.h"

#include <math.h>

/* ---- random bits ---- */

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static uint64_t random_bits(uint64_t seed, uint64_t index)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
    return mix(mix((seed + 1) * golden) + (index + 1) * golden);
}

/* ---- one element ---- */

static double uniform(const hed_generator *rule, uint64_t index)
{
    double unit = (double)(random_bits(rule->seed, index) >> 11) * 0x1p-53;
    return rule->first * (1 - unit) + rule->second * unit;
}

static double normal(const hed_generator *rule, uint64_t index)
{
    /* Elements 2k and 2k + 1 are one pair: a radius and an angle from one draw of 64 bits. */
    uint64_t bits = random_bits(rule->seed, index / 2);
    float radius = sqrtf(-2 * hed_log(((float)(bits >> 41) + 1) * 0x1p-23f));
    float angle = (float)(bits & 0xffffff) * (0x1p-24f * 6.28318530718f);
    return rule->first +
           rule->second * (double)(radius * (index % 2 ? hed_sin(angle) : hed_cos(angle)));
}

/* Whole numbers go through 64 bits, not through a double: the largest of a 64-bit type are none. */
static int64_t whole(const hed_generator *rule, uint64_t index)
{
    uint64_t first = (uint64_t)(int64_t)rule->first;
    if (rule->kind == HED_GENERATE_CONSTANT) return (int64_t)first;
    if (rule->kind == HED_GENERATE_SEQUENCE)
        return (int64_t)(first + index * (uint64_t)(int64_t)rule->second);
    uint64_t range = (uint64_t)(int64_t)rule->second - first + 1;
    return (int64_t)(first +
                     (uint64_t)((unsigned __int128)random_bits(rule->seed, index) * range >> 64));
}

static double real(const hed_generator *rule, uint64_t index)
{
    switch (rule->kind) {
    case HED_GENERATE_CONSTANT: return rule->first;
    case HED_GENERATE_SEQUENCE: return rule->first + (double)index * rule->second;
    case HED_GENERATE_UNIFORM: return uniform(rule, index);
    case HED_GENERATE_NORMAL: return normal(rule, index);
    default: return (double)whole(rule, index);
    }
}

/* ---- arrays ---- */

static bool is_real(hed_type type) { return type == HED_FLOAT || type == HED_DOUBLE; }

const char *hed_generator_wrong(const hed_generator *rule, hed_type type)
{
    /* What a double holds exactly. */
    static const double lows[HED_TYPE_COUNT] = {0, INT32_MIN, 0, -0x1p53, 0},
                        highs[HED_TYPE_COUNT] = {255, INT32_MAX, UINT32_MAX, 0x1p53, 0x1p53};
    bool wants_real = rule->kind == HED_GENERATE_UNIFORM || rule->kind == HED_GENERATE_NORMAL;
    if (!isfinite(rule->first) || !isfinite(rule->second)) return "the numbers must be finite";
    if (rule->kind == HED_GENERATE_NORMAL && rule->second < 0)
        return "a standard deviation is not negative";
    if ((rule->kind == HED_GENERATE_UNIFORM || rule->kind == HED_GENERATE_INTEGERS) &&
        rule->first > rule->second)
        return "the first number is the lower end, the second the upper";
    if (wants_real) return is_real(type) ? NULL : "this is for float and double; use \"integers\"";
    double low = is_real(type) ? -0x1p53 : lows[type], high = is_real(type) ? 0x1p53 : highs[type];
    if (is_real(type) && rule->kind != HED_GENERATE_INTEGERS) return NULL;
    if (rule->first != floor(rule->first) || rule->second != floor(rule->second))
        return "whole numbers are needed";
    bool second_is_value = rule->kind == HED_GENERATE_INTEGERS;
    if (rule->first < low || rule->first > high || (second_is_value && rule->second > high) ||
        fabs(rule->second) > 0x1p53)
        return "the type does not hold these numbers";
    return NULL;
}

void hed_generate(const hed_generator *rule, hed_type type, void *data, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        switch (type) {
        case HED_FLOAT: ((float *)data)[i] = (float)real(rule, i); break;
        case HED_DOUBLE: ((double *)data)[i] = real(rule, i); break;
        case HED_INT32:
        case HED_UINT32: ((uint32_t *)data)[i] = (uint32_t)whole(rule, i); break;
        case HED_INT64:
        case HED_UINT64: ((uint64_t *)data)[i] = (uint64_t)whole(rule, i); break;
        default: ((uint8_t *)data)[i] = (uint8_t)whole(rule, i);
        }
    }
}
