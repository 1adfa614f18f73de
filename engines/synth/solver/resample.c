/* Changes of the rate: the filter's weights, and converters of channels. */
#include "solver/resample.h"

#include <math.h>

#include "support/strict_math.h"

enum { LANES = 8 };

static const double PI = 3.14159265358979323846;
static const double CUTOFF = 0.47; /* frequency of half the amplitude, of the lower rate */
static const double SHAPE = 9.0;   /* beta of Kaiser's window: 90 dB */

/* ---- weights ---- */

/* Modified Bessel function of order 0, for Kaiser's window. */
static double bessel(double x)
{
    double sum = 1, term = 1;
    for (uint32_t k = 1; k < 60; k++) {
        term *= x / (2.0 * k) * (x / (2.0 * k));
        sum += term;
    }
    return sum;
}

/* Weight at `distance` samples from the middle, for `reach` samples on each side. */
static double weight_at(int32_t distance, uint32_t reach, uint32_t factor)
{
    double t = (double)distance / reach, turn = 2 * PI * CUTOFF * distance / factor,
           sinc = distance ? hed_strict_sin(turn) / turn : 1;
    return sinc * bessel(SHAPE * sqrt(1 - t * t)) / bessel(SHAPE);
}

static uint32_t padded(uint32_t count) { return (count + LANES - 1) / LANES * LANES; }

hed_status synth_filter_create(
    const hed_allocator *allocator, uint32_t factor, synth_filter **filter, hed_error *error)
{
    hed_arena arena = {.allocator = *allocator, .owner = "a filter for another rate"};
    uint32_t reach = SYNTH_FILTER_REACH * factor, taps = 2 * reach + 1;
    synth_filter *created = *filter = hed_arena_new(&arena, 1, sizeof *created, error);
    if (!created) return HED_ERROR_MEMORY;
    created->factor = factor;
    created->down_size = padded(taps);
    created->up_size = padded(2 * SYNTH_FILTER_REACH + 1);
    created->down = hed_arena_new(&arena, created->down_size, sizeof *created->down, error);
    created->up =
        hed_arena_new(&arena, (uint64_t)factor * created->up_size, sizeof *created->up, error);
    created->arena = arena;
    if (arena.failed) {
        *filter = NULL;
        hed_arena_free(&arena);
        return HED_ERROR_MEMORY;
    }
    double sum = 0;
    for (uint32_t k = 0; k < taps; k++)
        sum += weight_at((int32_t)k - (int32_t)reach, reach, factor);
    for (uint32_t k = 0; k < taps; k++) {
        double weight = weight_at((int32_t)k - (int32_t)reach, reach, factor) / sum;
        created->down[created->down_size - taps + k] = (float)weight;
        /* sample `index` of a frame meets the frame `back` frames before the last one */
        uint32_t index = k % factor, back = k / factor;
        created->up[index * created->up_size + created->up_size - 1 - back] =
            (float)(weight * factor);
    }
    return HED_OK;
}

void synth_filter_destroy(synth_filter *filter)
{
    if (filter) hed_arena_free(&filter->arena);
}

/* ---- converters ---- */

hed_status synth_converter_create(const hed_allocator *allocator, const synth_filter *filter,
    bool decimates, uint32_t channels, synth_converter **converter, hed_error *error)
{
    hed_arena arena = {.allocator = *allocator, .owner = "a converter to another rate"};
    synth_converter *created = *converter = hed_arena_new(&arena, 1, sizeof *created, error);
    if (!created) return HED_ERROR_MEMORY;
    created->filter = filter;
    created->channels = channels;
    created->size = decimates ? filter->down_size : filter->up_size;
    created->memory = hed_arena_new(&arena, 2ull * created->size * channels, sizeof(float), error);
    created->arena = arena;
    if (!arena.failed) return HED_OK;
    *converter = NULL;
    hed_arena_free(&arena);
    return HED_ERROR_MEMORY;
}

void synth_converter_destroy(synth_converter *converter)
{
    if (converter) hed_arena_free(&converter->arena);
}

void synth_converter_reset(synth_converter *converter)
{
    if (!converter) return;
    memset(converter->memory, 0, sizeof(float) * 2 * converter->size * converter->channels);
    converter->at = converter->phase = 0;
}

void synth_converter_put(synth_converter *converter, uint32_t channel, float sample)
{
    float *memory = converter->memory + 2ull * converter->size * channel + converter->at;
    memory[0] = memory[converter->size] = sample;
}

bool synth_converter_step(synth_converter *converter)
{
    bool is_first = converter->phase == 0;
    converter->at = (converter->at + 1) % converter->size;
    converter->phase = (converter->phase + 1) % converter->filter->factor;
    return is_first;
}

/* Sums in eight lanes, so that compilers use vectors and the order stays the same. */
static float weighted_sum(const float *weights, const float *samples, uint32_t count)
{
    float lane[LANES] = {0};
    for (uint32_t i = 0; i < count; i += LANES)
        for (uint32_t k = 0; k < LANES; k++) lane[k] += weights[i + k] * samples[i + k];
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) +
           ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

float synth_decimate(const synth_converter *converter, uint32_t channel)
{
    return weighted_sum(converter->filter->down,
        converter->memory + 2ull * converter->size * channel + converter->at, converter->size);
}

float synth_interpolate(const synth_converter *converter, uint32_t channel, uint32_t index)
{
    return weighted_sum(converter->filter->up + (uint64_t)index * converter->size,
        converter->memory + 2ull * converter->size * channel + converter->at, converter->size);
}
