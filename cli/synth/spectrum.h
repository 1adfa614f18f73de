/* The spectrum of a stretch of sound. */
#ifndef HED_CLI_SPECTRUM_H
#define HED_CLI_SPECTRUM_H

#include "heddle/base.h"

#define HED_SPECTRUM_LEAST 64u
#define HED_SPECTRUM_MOST (1u << 20)

/* What is computed once for a size. */
typedef struct hed_spectrum hed_spectrum;

/* `size`: samples of a stretch, a power of two. Errors: ARGUMENT, MEMORY. */
hed_status hed_spectrum_create(uint32_t size, hed_spectrum **spectrum, hed_error *error);
void hed_spectrum_destroy(hed_spectrum *spectrum); /* NULL is allowed */

/* Power at the frequencies k rate / size, k from 0 to size / 2, under a Hann window: 1 for a sine
 * of amplitude 1 on such a frequency. `second` may be NULL: the power is then of `first` alone,
 * else the mean of both. `step`: from a sample to the next. */
void hed_spectrum_power(
    hed_spectrum *spectrum, const float *first, const float *second, uint32_t step, double *power);

#endif
