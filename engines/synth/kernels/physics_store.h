/* Access to an entity's words, and modulation. One text for OpenCL C, CUDA and C (words.h),
 * which precedes each kernel that runs a program, after layout.h. The kernel defines SYNTH_SPACE
 * first: the address space of the stores, __local or __global. */
#ifndef SYNTH_PHYSICS_STORE_H
#define SYNTH_PHYSICS_STORE_H
#if !defined(__OPENCL_C_VERSION__) && !defined(__CUDACC_RTC__)
#include "support/words.h"
#include "layout.h"
#define SYNTH_SPACE
#endif

#define SYNTH_FUNCTION static inline __attribute__((unused))

/* Memory of an instance during a step. */
typedef struct synth_at {
    SYNTH_SPACE uint *store;
    /* words of signal 0 of the half that is read and of the one that is written */
    uint read, write;
    uint sample; /* number of the sample, low 32 bits */
    uint instance;
    uint frame, frames;           /* position in the block, and its length */
    __global const float *inputs; /* (channels x frames) */
    __global float *stems;        /* (stems x 2) of this frame and instance */
    __global float *delay;        /* (delay_words) of this instance */
} synth_at;

SYNTH_FUNCTION uint synth_word(const synth_at *at, uint word) { return at->store[word]; }
SYNTH_FUNCTION float synth_number(const synth_at *at, uint word)
{
    return as_float(at->store[word]);
}
SYNTH_FUNCTION float synth_dilation(const synth_at *at) { return synth_number(at, SYNTH_DILATION); }

/* Words of one entity: field f is `count` f words after the first. Callers pass a constant
 * `type`, so its part of the layout becomes constants of the kernel. */
typedef struct synth_self {
    uint parameter, state, signal, count;
} synth_self;

SYNTH_FUNCTION synth_self synth_self_of(const synth_layout *layout, uint type, uint entity)
{
    synth_self me;
    me.parameter = layout->type[type].parameter + entity;
    me.state = layout->type[type].state + entity;
    me.signal = layout->type[type].signal + entity;
    me.count = layout->type[type].count;
    return me;
}
SYNTH_FUNCTION uint synth_bits(const synth_at *at, synth_self me, uint field)
{
    return synth_word(at, me.parameter + field * me.count);
}
SYNTH_FUNCTION float synth_value(const synth_at *at, synth_self me, uint field)
{
    return as_float(synth_bits(at, me, field));
}
SYNTH_FUNCTION uint synth_state(synth_self me, uint field) { return me.state + field * me.count; }
/* Return signal `field` of an entity of the previous sample; write the one of this sample. */
SYNTH_FUNCTION float synth_seen(const synth_at *at, synth_self me, uint field)
{
    return synth_number(at, at->read + me.signal + field * me.count);
}
SYNTH_FUNCTION void synth_show(const synth_at *at, synth_self me, uint field, float value)
{
    at->store[at->write + me.signal + field * me.count] = as_uint(value);
}
SYNTH_FUNCTION float synth_parameter(
    const synth_layout *layout, const synth_at *at, uint type, uint field, uint entity)
{
    return synth_value(at, synth_self_of(layout, type, entity), field);
}

/* The entries of one entity in a list over `count` entities. */
typedef struct synth_list {
    uint first, length, stride;
} synth_list;

SYNTH_FUNCTION synth_list synth_list_of(const synth_at *at, uint list, uint count, uint entity)
{
    synth_list found;
    found.first = synth_word(at, list + entity);
    found.length = synth_word(at, list + count + entity);
    found.stride = SYNTH_STRIDE(count);
    return found;
}

/* ---- arithmetic that fast mode has approximations for ----
 *
 * They may be off by an ulp or two, for one argument always to the same side. In the quotient of a
 * spring that detunes by half as much, and what is out of tune drifts away: pi f t times the error.
 * So the quotient has a step of refinement, behind which only the last rounding is left, and what a
 * body keeps of its velocity (synth_keep) is not approximated at all. What is left of that in a
 * second, see tests/synth_fidelity_test.c. */

#if HED_STRICT
SYNTH_FUNCTION float synth_reciprocal(float x) { return 1.0f / x; }
SYNTH_FUNCTION float synth_quotient(float x, float y) { return x / y; }
SYNTH_FUNCTION float synth_root(float x) { return sqrt(x); }
SYNTH_FUNCTION float synth_exp(float x) { return hed_exp(x); }
SYNTH_FUNCTION float synth_log(float x) { return hed_log(x); }
#else
SYNTH_FUNCTION float synth_reciprocal(float x) { return hed_near_rcp(x); }
SYNTH_FUNCTION float synth_quotient(float x, float y)
{
    float r = hed_near_rcp(y), q = x * r;
    return hed_fma(hed_fma(-y, q, x), r, q);
}
SYNTH_FUNCTION float synth_root(float x) { return x * hed_near_rsqrt(hed_max(x, 1e-30f)); }
SYNTH_FUNCTION float synth_exp(float x) { return hed_near_exp2(x * 1.44269502f); }
SYNTH_FUNCTION float synth_log(float x) { return hed_near_log2(x) * 0.693147182f; }
#endif

/* x^p for x > 0. */
SYNTH_FUNCTION float synth_power(float x, float p) { return synth_exp(p * synth_log(x)); }

SYNTH_FUNCTION float synth_dot(float ax, float ay, float az, float bx, float by, float bz)
{
    return hed_fma(ax, bx, hed_fma(ay, by, az * bz));
}

/* Added to squares of lengths, which would be denormal at rest; negligible for audible motion. */
#define SYNTH_TINY 1e-30f

SYNTH_FUNCTION float synth_square(float x, float y, float z)
{
    return hed_fma(x, x, hed_fma(y, y, hed_fma(z, z, SYNTH_TINY)));
}

/* Sine of a phase of 2^32 a period. */
SYNTH_FUNCTION float synth_sine(uint phase)
{
    uint quadrant = (phase + 0x20000000u) >> 30;
    float r = (float)(int)(phase - (quadrant << 30)) * 1.46291808e-09f; /* 2 pi / 2^32 */
    float y = quadrant & 1u ? hed_cos_near(r) : hed_sin_near(r);
    return hed_flip(y, quadrant << 30);
}

/* Returns noise in [-1, 1) that depends only on instance, number and sample, so all devices
 * agree. Wang Yi's and Wellons's mix of 32 bits, twice. */
SYNTH_FUNCTION uint synth_scramble(uint x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}
SYNTH_FUNCTION float synth_noise(const synth_layout *layout, const synth_at *at, uint number)
{
    uint who = synth_scramble(layout->seed + at->instance) + number * 0x9e3779b9u;
    return (float)(int)synth_scramble(synth_scramble(who) + at->sample) * 4.65661287e-10f;
}

/* Moves a level towards `target`; it ends at target + 1e-20, so it never becomes denormal. */
SYNTH_FUNCTION float synth_approach(float level, float target, float share)
{
    return hed_fma(share, target + 1e-20f - level, level);
}

/* ---- limits of a sound instrument ----
 *
 * The breaker (solver/mix.c) sees the heard sound alone. NaN, infinity and an energy that no body
 * has may be where nothing is heard; they would outlast a rest and come back through followers and
 * delay lines. So every SYNTH_CHECK samples all signals and levels of an instance are compared with
 * limits. An instance beyond its limits makes its sound at this sample NaN, which opens the
 * breaker. Numbers of samples decide, so that the sound does not depend on blocks. */

#define SYNTH_CHECK 256u        /* a power of 2 */
#define SYNTH_MOST_BODY 1e6f    /* m, of displacements */
#define SYNTH_MOST_SPEED 1e3f   /* m a sample, of h v */
#define SYNTH_MOST_LEVEL 1e9f   /* limit of microphones, followers and compressors, full scale 1 */
#define SYNTH_MOST_SIGNAL 1e30f /* limit of all signals */

/* `x`, or 0 where it is larger than `most` in size, or NaN: values read before the breaker
 * opens. */
SYNTH_FUNCTION float synth_within(float x, float most)
{
    return hed_magnitude(x) <= most ? x : 0.0f;
}

/* True if a float among `count` words from `word` on is larger than `most` in size, or NaN; every
 * `step`-th from `from` on is compared. */
SYNTH_FUNCTION uint synth_exceeds(
    const synth_at *at, uint word, uint count, float most, uint from, uint step)
{
    uint limit = as_uint(most), over = 0; /* bit 31 */
    for (uint k = from; k < count; k += step) over |= limit - (at->store[word + k] & 0x7fffffffu);
    return over >> 31;
}

/* True if an instance is beyond a limit after a sample; every `step`-th of its words from `from` on
 * is compared. */
SYNTH_FUNCTION uint synth_is_broken(
    const synth_layout *layout, const synth_at *at, uint from, uint step)
{
    const synth_type_layout *ear = &layout->type[SYNTH_MICROPHONE];
    uint axes = 3u * layout->type[SYNTH_BODY].count, bodies = 2u * axes; /* the first signals */
    uint broken =
        synth_exceeds(at, at->write, axes, SYNTH_MOST_BODY, from, step) |
        synth_exceeds(at, at->write + axes, axes, SYNTH_MOST_SPEED, from, step) |
        synth_exceeds(
            at, at->write + bodies, layout->signal_count - bodies, SYNTH_MOST_SIGNAL, from, step) |
        synth_exceeds(at, at->write + ear->signal, ear->count, SYNTH_MOST_LEVEL, from, step);
    broken |= synth_exceeds(at, layout->type[SYNTH_FOLLOWER].state,
        layout->type[SYNTH_FOLLOWER].count * FOLLOWER_STATES, SYNTH_MOST_LEVEL, from, step);
    broken |= synth_exceeds(at, layout->type[SYNTH_MICROPHONE].state,
        layout->type[SYNTH_MICROPHONE].count * MICROPHONE_STATES, SYNTH_MOST_LEVEL, from, step);
    return broken;
}

/* True for each SYNTH_CHECK-th sample. */
SYNTH_FUNCTION uint synth_is_checked(uint sample)
{
    return (sample & (SYNTH_CHECK - 1u)) == SYNTH_CHECK - 1u;
}

/* ---- modulation: what links can reach is in registers, and each link acts on the one that it
 * names ---- */

typedef struct synth_change {
    uint parameter;
    float factor, shift; /* p becomes p factor + shift */
    float amount;        /* amount of ADD, for gains in dB; else 0 */
} synth_change;

SYNTH_FUNCTION synth_list synth_links_of(
    const synth_layout *layout, const synth_at *at, uint type, uint entity)
{
    synth_list none;
    none.first = none.length = none.stride = 0;
    return entity < layout->type[type].modulated
               ? synth_list_of(at, layout->type[type].links, layout->type[type].modulated, entity)
               : none;
}

SYNTH_FUNCTION synth_change synth_change_at(const synth_at *at, synth_list links, uint index)
{
    uint word = links.first + index * SYNTH_LINK_WORDS * links.stride;
    uint how = synth_word(at, word + 2u * links.stride), mode = SYNTH_LINK_MODE(how);
    float amount =
        synth_number(at, at->read + synth_word(at, word)) * synth_number(at, word + links.stride);
    synth_change change;
    amount = SYNTH_LINK_INVERT(how) != 0 ? -amount : amount;
    change.parameter = SYNTH_LINK_PARAMETER(how);
    change.factor = mode == SYNTH_MULTIPLY      ? 1.0f + amount
                    : mode == SYNTH_EXPONENTIAL ? synth_exp(amount * 0.693147182f)
                                                : 1.0f;
    change.shift = mode == SYNTH_ADD ? amount : 0.0f;
    change.amount = change.shift;
    return change;
}

/* Applies a change to a value that is `scale` times the parameter's unit. */
SYNTH_FUNCTION float synth_changed(float value, synth_change change, uint parameter, float scale)
{
    return change.parameter == parameter ? hed_fma(value, change.factor, change.shift * scale)
                                         : value;
}

/* Applies a change to a gain: ADD is in dB, the other modes multiply the amplitude. */
SYNTH_FUNCTION float synth_changed_gain(float gain, synth_change change)
{
    if (change.parameter != SYNTH_GAIN) return gain;
    return gain * change.factor *
           (change.amount != 0.0f ? synth_exp(change.amount * 0.115129255f)
                                  : 1.0f); /* ln(10) / 20 */
}

/* Turns a direction about the y axis by `angle`, radians. */
SYNTH_FUNCTION void synth_rotate(float angle, float *nx, float *nz)
{
    float turns = angle * 0.159154943f;
    uint phase = (uint)hed_int((turns - (float)hed_int(turns)) * 2147483648.0f) << 1;
    float s = synth_sine(phase), c = synth_sine(phase + 0x40000000u), x = *nx, z = *nz;
    *nx = hed_fma(c, x, s * z);
    *nz = hed_fma(c, z, -s * x);
}

#endif
