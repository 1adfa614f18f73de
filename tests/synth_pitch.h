/* Pitch of a sustained note: its period by autocorrelation, partials 1 to 6 against multiples of the
 * first, and the loudest component that is no multiple of it. */
#ifndef HED_TESTS_SYNTH_PITCH_H
#define HED_TESTS_SYNTH_PITCH_H

#include <complex.h>
#include <math.h>

#include "heddle/synth_file.h"
#include "testing.h"

enum { PITCH_BLOCK = 256, PITCH_PARTIALS = 6 };
static const double PITCH_PI = 3.14159265358979323846;

/* Notes of one instrument that sound until they are released. */
typedef struct pitch_part {
    const char *file;
    uint8_t channel; /* from 0 */
    uint8_t low, high;
} pitch_part;

static const pitch_part pitch_parts[] = {
    {"data/instruments/viol.json", 0, 40, 65},
    {"data/instruments/glide.json", 0, 36, 57},
    {"data/instruments/consort.json", 1, 40, 66},
};

typedef struct pitch_request {
    const pitch_part *part;
    uint8_t note, velocity;
    double rate, settle; /* Hz; s before the analysis */
} pitch_request;

typedef struct pitch_found {
    double period;   /* of the autocorrelation, from the note's pitch, cents */
    double partials; /* largest distance of a partial above -60 dB from its multiple, cents */
    double second;   /* loudest other component, dB of the loudest partial */
    double second_hz;
} pitch_found;

/* Discrete Fourier transform of `size` values, a power of two, in place. */
static inline void pitch_transform(double complex *z, uint32_t size)
{
    for (uint32_t i = 1, j = 0; i < size; i++) {
        uint32_t bit = size >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) {
            double complex swap = z[i];
            z[i] = z[j];
            z[j] = swap;
        }
    }
    for (uint32_t length = 2; length <= size; length <<= 1) {
        double complex turn = cexp(-2 * PITCH_PI * I / length), factor = 1;
        for (uint32_t k = 0; k < length / 2; k++, factor *= turn)
            for (uint32_t i = k; i < size; i += length) {
                double complex a = z[i], b = z[i + length / 2] * factor;
                z[i] = a + b;
                z[i + length / 2] = a - b;
            }
    }
}

/* Position of the peak of a parabola through three values, from the middle one. */
static inline double pitch_vertex(double before, double at, double after)
{
    return 0.5 * (before - after) / (before - 2 * at + after);
}

/* Plays the note, and keeps the last `count` frames of the sum of both channels. */
static inline bool pitch_play(
    hed_device *device, const pitch_request *request, double complex *sound, uint32_t count)
{
    hed_error error = {0};
    hed_synth_instrument *instrument;
    hed_synth *synth;
    OK(hed_synth_instrument_read(request->part->file, &instrument, &error));
    hed_synth_def def = hed_default_synth_def();
    def.instrument = instrument;
    def.rate = request->rate;
    def.solver = HED_SYNTH_SOLVER_CPU;
    def.math = HED_MATH_STRICT;
    OK(hed_synth_create(device, &def, &synth, &error));
    hed_synth_event on = {.kind = HED_SYNTH_EVENT_MIDI,
        .bytes = {(uint8_t)(0x90 | request->part->channel), request->note, request->velocity}};
    uint32_t first = (uint32_t)(request->settle * request->rate);
    for (uint32_t at = 0; at < first + count; at += PITCH_BLOCK) {
        float left[PITCH_BLOCK], right[PITCH_BLOCK];
        hed_synth_block block = {.frames = PITCH_BLOCK, .events = &on, .event_count = at == 0,
            .left = left, .right = right};
        OK(hed_synth_process(synth, &block, &error));
        for (uint32_t i = 0; i < PITCH_BLOCK; i++)
            if (at + i >= first && at + i < first + count)
                sound[at + i - first] = left[i] + right[i];
    }
    bool is_played = hed_synth_describe(synth).notes.struck == 1;
    hed_synth_destroy(synth);
    hed_synth_instrument_destroy(instrument);
    return is_played;
}

/* Replaces sound by its power, (size / 2), under a window of Blackman and Harris (four terms, -92 dB),
 * whose lines are 4 / duration wide to each side. */
static inline void pitch_power(double complex *z, uint32_t count, uint32_t size)
{
    static const double terms[] = {0.35875, -0.48829, 0.14128, -0.01168};
    for (uint32_t i = 0; i < count; i++) {
        double window = 0;
        for (int k = 0; k < 4; k++) window += terms[k] * cos(2 * PITCH_PI * k * i / count);
        z[i] *= window;
    }
    pitch_transform(z, size);
    for (uint32_t i = 0; i < size; i++)
        z[i] = creal(z[i]) * creal(z[i]) + cimag(z[i]) * cimag(z[i]);
}

/* Finds the strongest frequency within 30 cents of `frequency`, Hz, and its power. */
static inline double pitch_line(
    const double complex *power, double bin, double frequency, double *peak)
{
    uint32_t low = (uint32_t)(frequency * exp2(-0.025) / bin), best = low;
    for (uint32_t i = low; i <= frequency * exp2(0.025) / bin; i++)
        if (creal(power[i]) > creal(power[best])) best = i;
    *peak = creal(power[best]);
    return bin * (best + pitch_vertex(
                             log(creal(power[best - 1])), log(*peak), log(creal(power[best + 1]))));
}

/* Lag of the autocorrelation's maximum within a semitone of the note, samples. */
static inline double pitch_lag(double complex *power, uint32_t size, double expected)
{
    pitch_transform(power, size);
    uint32_t best = (uint32_t)(expected / 1.06);
    for (uint32_t i = best; i <= expected * 1.06; i++)
        if (creal(power[i]) > creal(power[best])) best = i;
    return best + pitch_vertex(creal(power[best - 1]), creal(power[best]), creal(power[best + 1]));
}

/* False: no part of the instrument sounds. */
static inline bool pitch_find(hed_device *device, const pitch_request *request, pitch_found *found)
{
    uint32_t count = (uint32_t)(4 * request->rate), size = 1;
    while (size < 2 * count) size <<= 1;
    double complex *power = calloc(size, sizeof *power);
    CHECK(power);
    if (!pitch_play(device, request, power, count)) { /* silence has no pitch */
        free(power);
        return false;
    }
    pitch_power(power, count, size);
    double bin = request->rate / size, expected = 440 * exp2((request->note - 69) / 12.0);
    double loudest = 0, second = 0, peak;
    for (uint32_t i = 1; i < size / 2; i++) loudest = fmax(loudest, creal(power[i]));
    if (!(loudest > 0)) { /* a damper alone heard the note: silence has no pitch */
        free(power);
        return false;
    }
    double first = pitch_line(power, bin, expected, &peak);
    *found = (pitch_found){0};
    for (int k = 2; k <= PITCH_PARTIALS; k++) {
        double line = pitch_line(power, bin, k * first, &peak);
        if (peak > 1e-6 * loudest)
            found->partials = fmax(found->partials, fabs(1200 * log2(line / (k * first))));
    }
    for (uint32_t i = (uint32_t)(15 / bin); i < size / 2; i++) {
        double multiple = round(i * bin / first);
        bool is_partial = multiple >= 1 && fabs(i * bin - multiple * first) < 1.6 + 1e-5 * i * bin;
        if (is_partial || creal(power[i]) <= second) continue;
        second = creal(power[i]);
        found->second_hz = i * bin;
    }
    found->second = 10 * log10(second / loudest);
    found->period =
        1200 * log2(request->rate / pitch_lag(power, size, request->rate / expected) / expected);
    free(power);
    return true;
}

static inline void pitch_expect(hed_device *device, const pitch_request *request, uint32_t *played)
{
    pitch_found found;
    if (!pitch_find(device, request, &found)) return;
    ++*played;
    const char *file = request->part->file;
    EXPECT_LT(fabs(found.period), 3, "%s, note %u, velocity %u, %g Hz: period is %+.2f cents off",
        file, request->note, request->velocity, request->rate, found.period);
    EXPECT_LT(found.partials, 3, "%s, note %u, velocity %u, %g Hz: a partial is %.2f cents off",
        file, request->note, request->velocity, request->rate, found.partials);
    EXPECT_LT(found.second, -60, "%s, note %u, velocity %u, %g Hz: %.1f dB at %.2f Hz", file,
        request->note, request->velocity, request->rate, found.second, found.second_hz);
}

#endif
