/* The discrete Fourier transform by Cooley and Tukey's algorithm: radix 2, decimation in time, in
 * place. Two real channels go through one complex transform: with z = a + i b, |A(k)|^2 + |B(k)|^2
 * = (|Z(k)|^2 + |Z(size - k)|^2) / 2. */
#include "cli/synth/spectrum.h"

#include "support/errors.h"

#include <math.h>
#include <stdlib.h>

struct hed_spectrum {
    uint32_t size;
    double *window;           /* (size) */
    double *cosine, *sine;    /* (size / 2) of 2 pi k / size */
    double *real, *imaginary; /* (size) */
};

hed_status hed_spectrum_create(uint32_t size, hed_spectrum **spectrum, hed_error *error)
{
    *spectrum = NULL;
    if (size < HED_SPECTRUM_LEAST || size > HED_SPECTRUM_MOST || (size & (size - 1)) != 0)
        return hed_error_set(error, HED_ERROR_ARGUMENT,
            "a spectrum of %u samples: expected a power of two from %u to %u", size,
            HED_SPECTRUM_LEAST, HED_SPECTRUM_MOST);
    hed_spectrum *s = malloc(sizeof *s + (size_t)size * 4 * sizeof(double));
    if (!s)
        return hed_error_set(
            error, HED_ERROR_MEMORY, "out of memory for a spectrum of %u samples", size);
    s->size = size;
    s->window = (double *)(s + 1);
    s->cosine = s->window + size;
    s->sine = s->cosine + size / 2;
    s->real = s->sine + size / 2;
    s->imaginary = s->real + size;
    double turn = 2 * acos(-1.0) / size;
    for (uint32_t i = 0; i < size; i++) s->window[i] = 0.5 - 0.5 * cos(turn * i);
    for (uint32_t i = 0; i < size / 2; i++) {
        s->cosine[i] = cos(turn * i);
        s->sine[i] = sin(turn * i);
    }
    *spectrum = s;
    return HED_OK;
}

void hed_spectrum_destroy(hed_spectrum *spectrum) { free(spectrum); }

/* Fills the two arrays in the order in which the transform wants them: by the index with its bits
 * reversed. */
static void fill(hed_spectrum *s, const float *first, const float *second, uint32_t step)
{
    for (uint32_t i = 0, reversed = 0; i < s->size; i++) {
        s->real[reversed] = s->window[i] * (double)first[(size_t)i * step];
        s->imaginary[reversed] = second ? s->window[i] * (double)second[(size_t)i * step] : 0;
        uint32_t bit = s->size >> 1; /* counts `reversed` up from its highest bit */
        while (reversed & bit) {
            reversed ^= bit;
            bit >>= 1;
        }
        reversed |= bit;
    }
}

static void transform(hed_spectrum *s)
{
    double *re = s->real, *im = s->imaginary;
    for (uint32_t half = 1; half < s->size; half *= 2)
        for (uint32_t begin = 0; begin < s->size; begin += 2 * half)
            for (uint32_t i = 0; i < half; i++) {
                uint32_t even = begin + i, odd = even + half, turn = i * (s->size / (2 * half));
                double c = s->cosine[turn], n = -s->sine[turn];
                double x = c * re[odd] - n * im[odd], y = c * im[odd] + n * re[odd];
                re[odd] = re[even] - x;
                im[odd] = im[even] - y;
                re[even] += x;
                im[even] += y;
            }
}

void hed_spectrum_power(
    hed_spectrum *s, const float *first, const float *second, uint32_t step, double *power)
{
    fill(s, first, second, step);
    transform(s);
    /* A sine of amplitude 1 gives size/2 times the window's mean, which is 1/2. */
    double scale = 4.0 / s->size, factor = scale * scale / (second ? 4 : 2);
    for (uint32_t k = 0; k <= s->size / 2; k++) {
        uint32_t mirror = (s->size - k) & (s->size - 1);
        double here = s->real[k] * s->real[k] + s->imaginary[k] * s->imaginary[k];
        double there =
            s->real[mirror] * s->real[mirror] + s->imaginary[mirror] * s->imaginary[mirror];
        power[k] = factor * (here + there);
    }
}
