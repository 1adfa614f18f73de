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

/* Weight at `distance` from the middle, for `reach` on each side; `period` of the lower rate. */
static double weight_at(int32_t distance, uint32_t reach, uint32_t period)
{
    double t = (double)distance / reach, turn = 2 * PI * CUTOFF * distance / period,
           sinc = distance ? hed_strict_sin(turn) / turn : 1;
    return sinc * bessel(SHAPE * sqrt(1 - t * t)) / bessel(SHAPE);
}

/* Length of a row for inputs of `in`, padded. */
static uint32_t row_size(uint32_t reach, uint32_t in)
{
    return (2 * reach / in + LANES) / LANES * LANES;
}

hed_status synth_filter_create(
    const hed_allocator *allocator, synth_ratio ratio, synth_filter **filter, hed_error *error)
{
    hed_arena arena = {.allocator = *allocator, .owner = "a filter for another rate"};
    synth_filter *created = *filter = hed_arena_new(&arena, 1, sizeof *created, error);
    if (!created) return HED_ERROR_MEMORY;
    uint32_t period = ratio.samples > ratio.frames ? ratio.samples : ratio.frames;
    created->ratio = ratio;
    created->delay = (SYNTH_FILTER_REACH * period + ratio.samples - 1) / ratio.samples;
    uint32_t reach = created->delay * ratio.samples, taps = 2 * reach + 1;
    uint32_t down_size = created->down_size = row_size(reach, ratio.frames),
             up_size = created->up_size = row_size(reach, ratio.samples);
    created->down =
        hed_arena_new(&arena, (uint64_t)ratio.frames * down_size, sizeof *created->down, error);
    created->up =
        hed_arena_new(&arena, (uint64_t)ratio.samples * up_size, sizeof *created->up, error);
    created->arena = arena;
    if (arena.failed) {
        *filter = NULL;
        hed_arena_free(&arena);
        return HED_ERROR_MEMORY;
    }
    double sum = 0;
    for (uint32_t k = 0; k < taps; k++)
        sum += weight_at((int32_t)k - (int32_t)reach, reach, period);
    for (uint32_t k = 0; k < taps; k++) {
        double weight = weight_at((int32_t)k - (int32_t)reach, reach, period) / sum;
        uint32_t down = k % ratio.frames * down_size + down_size - 1 - k / ratio.frames,
                 up = k % ratio.samples * up_size + up_size - 1 - k / ratio.samples;
        created->down[down] = (float)(weight * ratio.frames);
        created->up[up] = (float)(weight * ratio.samples);
    }
    return HED_OK;
}

void synth_filter_destroy(synth_filter *filter)
{
    if (filter) hed_arena_free(&filter->arena);
}

/* ---- converters ---- */

hed_status synth_converter_create(const hed_allocator *allocator, const synth_filter *filter,
    bool makes_frames, uint32_t channels, synth_converter **converter, hed_error *error)
{
    hed_arena arena = {.allocator = *allocator, .owner = "a converter to another rate"};
    synth_converter *created = *converter = hed_arena_new(&arena, 1, sizeof *created, error);
    if (!created) return HED_ERROR_MEMORY;
    const synth_ratio ratio = filter->ratio;
    created->channels = channels;
    created->in = created->due = makes_frames ? ratio.frames : ratio.samples;
    created->out = makes_frames ? ratio.samples : ratio.frames;
    created->weights = makes_frames ? filter->down : filter->up;
    created->size = makes_frames ? filter->down_size : filter->up_size;
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
    converter->at = 0;
    converter->due = converter->in;
}

void synth_converter_put(synth_converter *converter, uint32_t channel, float input)
{
    float *memory = converter->memory + 2ull * converter->size * channel + converter->at;
    memory[0] = memory[converter->size] = input;
}

void synth_converter_step(synth_converter *converter)
{
    converter->at = (converter->at + 1) % converter->size;
    converter->due -= converter->in;
}

/* Sums in eight lanes, so that compilers use vectors and the order stays the same. */
float synth_convert(const synth_converter *converter, uint32_t channel)
{
    const float *weights = converter->weights + (uint64_t)converter->due * converter->size,
                *inputs = converter->memory + 2ull * converter->size * channel + converter->at;
    float lane[LANES] = {0};
    for (uint32_t i = 0; i < converter->size; i += LANES)
        for (uint32_t k = 0; k < LANES; k++) lane[k] += weights[i + k] * inputs[i + k];
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) +
           ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}
