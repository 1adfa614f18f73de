/* Spectrograms: sound as a picture. Time to the right, frequency upwards on a logarithmic scale,
 * the level in dB of a sine at full scale as colour; axes and a scale of colours with figures. */
#ifndef HED_CLI_SPECTROGRAM_H
#define HED_CLI_SPECTROGRAM_H

#include "support/png.h"
#include "heddle/base.h"

/* Start from hed_default_spectrogram_def(). */
typedef struct hed_spectrogram_def {
    const float *samples; /* (frames x channels), interleaved */
    uint64_t frames;
    uint32_t channels;      /* 1 or 2: mean of both powers */
    double rate;            /* Hz */
    uint32_t width, height; /* size of the plot without its axes: 800 x 400 */
    uint32_t window;        /* samples of a spectrum, a power of two: 8192 */
    double low, high;       /* Hz: 40 to 16000; black above rate/2 */
    double range;           /* dB from the maximum down to black: 90 */
} hed_spectrogram_def;

hed_spectrogram_def hed_default_spectrogram_def(void);

/* Draws a spectrogram; free the pixels with hed_image_free(). Errors: ARGUMENT (no frames, a
 * size, frequencies), LIMIT, MEMORY. */
hed_status hed_spectrogram_draw(const hed_spectrogram_def *def, hed_image *image, hed_error *error);

/* Return the position of a time and of a frequency, in pixels from the left and from the top. */
double hed_spectrogram_x(const hed_spectrogram_def *def, double seconds);
double hed_spectrogram_y(const hed_spectrogram_def *def, double frequency);

/* ---- the spectrum ---- */

#define HED_SPECTRUM_LEAST 64u
#define HED_SPECTRUM_MOST (1u << 20)

/* Tables for spectra of one size. */
typedef struct hed_spectrum hed_spectrum;

/* Creates the tables. `size`: samples of a spectrum, a power of two. Errors: ARGUMENT, MEMORY. */
hed_status hed_spectrum_create(uint32_t size, hed_spectrum **spectrum, hed_error *error);
void hed_spectrum_destroy(hed_spectrum *spectrum); /* NULL is allowed */

/* Computes the power at the frequencies k rate / size, k from 0 to size / 2, under a Hann
 * window: 1 for a sine of amplitude 1 at such a frequency. `second` NULL: the power of `first`,
 * else the mean of both powers. `step`: distance between samples. */
void hed_spectrum_power(
    hed_spectrum *spectrum, const float *first, const float *second, uint32_t step, double *power);

#endif
