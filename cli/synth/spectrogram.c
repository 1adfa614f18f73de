/* Short-time Fourier transform: a column of the picture is the maximum over the spectra in its
 * time span, a row the maximum over the frequencies in its band. */
#include "cli/synth/spectrogram.h"
#include "heddle/author.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the spectrum ---- */

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
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "a spectrum of %u samples: expected a power of two from %u to %u", size,
            HED_SPECTRUM_LEAST, HED_SPECTRUM_MOST);
    hed_spectrum *s = malloc(sizeof *s + (size_t)size * 4 * sizeof(double));
    if (!s) return HED_OUT_OF_MEMORY(error, "a spectrum of %u samples", size);
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
    /* fill the arrays in bit-reversed order, the input order of the transform */
    for (uint32_t i = 0, reversed = 0; i < s->size; i++) {
        s->real[reversed] = s->window[i] * (double)first[(size_t)i * step];
        s->imaginary[reversed] = second ? s->window[i] * (double)second[(size_t)i * step] : 0;
        uint32_t bit = s->size >> 1; /* increments `reversed` from its highest bit */
        while (reversed & bit) {
            reversed ^= bit;
            bit >>= 1;
        }
        reversed |= bit;
    }
    transform(s);
    /* the power of a sine of amplitude 1 is size/2 times the window's mean, which is 1/2 */
    double scale = 4.0 / s->size, factor = scale * scale / (second ? 4 : 2);
    for (uint32_t k = 0; k <= s->size / 2; k++) {
        uint32_t mirror = (s->size - k) & (s->size - 1);
        double here = s->real[k] * s->real[k] + s->imaginary[k] * s->imaginary[k];
        double there =
            s->real[mirror] * s->real[mirror] + s->imaginary[mirror] * s->imaginary[mirror];
        power[k] = factor * (here + there);
    }
}

/* ---- the picture ---- */

/* Pixels: margins around the plot, the scale of colours, letters, marks on the axes. */
enum {
    LEFT = 44,
    RIGHT = 66,
    TOP = 12,
    BOTTOM = 28,
    BAR_GAP = 14,
    BAR_WIDTH = 12,
    GLYPH_WIDTH = 6,
    GLYPH_HEIGHT = 7,
    TICK = 4
};

static const double SILENCE = 1e-20; /* power: -200 dB */

/* Letters of the axes: rows of five points, the leftmost as highest bit. */
static const struct glyph {
    char letter;
    uint8_t rows[GLYPH_HEIGHT];
} glyphs[] = {
    {'0', {14, 17, 17, 17, 17, 17, 14}},
    {'1', {4, 12, 4, 4, 4, 4, 14}},
    {'2', {14, 17, 1, 2, 4, 8, 31}},
    {'3', {31, 2, 4, 2, 1, 17, 14}},
    {'4', {2, 6, 10, 18, 31, 2, 2}},
    {'5', {31, 16, 30, 1, 1, 17, 14}},
    {'6', {6, 8, 16, 30, 17, 17, 14}},
    {'7', {31, 1, 2, 4, 8, 8, 8}},
    {'8', {14, 17, 17, 14, 17, 17, 14}},
    {'9', {14, 17, 17, 15, 1, 2, 12}},
    {'.', {0, 0, 0, 0, 0, 12, 12}},
    {'-', {0, 0, 0, 31, 0, 0, 0}},
    {'k', {16, 16, 18, 20, 24, 20, 18}},
    {'H', {17, 17, 17, 31, 17, 17, 17}},
    {'z', {0, 0, 31, 2, 4, 8, 31}},
    {'s', {0, 0, 15, 16, 14, 1, 30}},
    {'d', {1, 1, 13, 19, 17, 19, 13}},
    {'B', {30, 17, 17, 30, 17, 17, 30}},
};

/* Colours from black to nearly white, with evenly increasing lightness. */
static const uint8_t colours[][3] = {{0, 0, 8}, {38, 14, 84}, {104, 24, 118}, {172, 44, 96},
    {226, 90, 52}, {250, 162, 40}, {252, 250, 190}};

hed_spectrogram_def hed_default_spectrogram_def(void)
{
    return (hed_spectrogram_def){.channels = 1, .rate = 48000, .width = 800, .height = 400,
        .window = 8192, .low = 40, .high = 16000, .range = 90};
}

double hed_spectrogram_x(const hed_spectrogram_def *def, double seconds)
{
    return LEFT + seconds * def->rate / (double)def->frames * def->width;
}

double hed_spectrogram_y(const hed_spectrogram_def *def, double frequency)
{
    return TOP + def->height * (1 - log(frequency / def->low) / log(def->high / def->low));
}

/* ---- levels ---- */

/* Returns the power in the band from `from` to `to`, in bins: the loudest bin, or for a band
 * between two bins the interpolated level. */
static double band(const double *power, uint32_t bins, double from, double to)
{
    if (to > bins - 1) return 0;
    double centre = 0.5 * (from + to);
    uint32_t below = (uint32_t)centre, next = below + 1 < bins ? below + 1 : below;
    double share = centre - below;
    double low = log(fmax(power[below], SILENCE)), high = log(fmax(power[next], SILENCE));
    double most = exp(low + share * (high - low));
    for (uint32_t k = (uint32_t)ceil(from); k <= (uint32_t)to; k++) most = fmax(most, power[k]);
    return most;
}

/* Computes the spectrum of the window around a frame; before the beginning and after the end is
 * silence. */
static void power_about(const hed_spectrogram_def *def, hed_spectrum *spectrum, int64_t centre,
    float *stretch, double *power)
{
    int64_t begin = centre - def->window / 2;
    for (uint32_t i = 0; i < def->window; i++) {
        int64_t frame = begin + i;
        bool is_inside = frame >= 0 && (uint64_t)frame < def->frames;
        for (uint32_t c = 0; c < def->channels; c++)
            stretch[i * def->channels + c] =
                is_inside ? def->samples[(size_t)frame * def->channels + c] : 0.0f;
    }
    hed_spectrum_power(
        spectrum, stretch, def->channels == 2 ? stretch + 1 : NULL, def->channels, power);
}

/* Fills in levels: (height x width), power. */
static void spectrogram_measure(const hed_spectrogram_def *def, hed_spectrum *spectrum,
    float *stretch, double *power, float *levels)
{
    uint32_t bins = def->window / 2 + 1;
    double hop = (double)def->frames / def->width, bin = def->window / def->rate;
    /* spectra in a column, at most half a window apart */
    uint32_t spectra = (uint32_t)fmax(1, ceil(hop / (def->window / 2.0)));
    double ratio = pow(def->high / def->low, 1.0 / def->height);
    memset(levels, 0, (size_t)def->width * def->height * sizeof *levels);
    for (uint32_t x = 0; x < def->width; x++)
        for (uint32_t i = 0; i < spectra; i++) {
            power_about(def, spectrum, (int64_t)((x + (i + 0.5) / spectra) * hop), stretch, power);
            double edge = def->low * bin;
            for (uint32_t y = def->height; y-- > 0; edge *= ratio) {
                float *level = &levels[(size_t)y * def->width + x];
                *level = fmaxf(*level, (float)band(power, bins, edge, edge * ratio));
            }
        }
}

/* ---- drawing ---- */

static void colour_of(double share, uint8_t *pixel)
{
    const uint32_t last = sizeof colours / sizeof *colours - 1;
    double place = fmin(fmax(share, 0), 1) * last;
    uint32_t below = place < last ? (uint32_t)place : last - 1;
    for (int c = 0; c < 3; c++)
        pixel[c] = (uint8_t)lround(
            colours[below][c] + (place - below) * (colours[below + 1][c] - colours[below][c]));
}

static void spectrogram_fill(
    hed_image *image, int64_t x, int64_t y, uint32_t width, uint32_t height)
{
    for (int64_t j = y; j < y + height; j++)
        for (int64_t i = x; i < x + width; i++)
            if (i >= 0 && j >= 0 && i < image->width && j < image->height)
                memset(image->pixels + ((size_t)j * image->width + (size_t)i) * 3, 40, 3);
}

static void write_text(hed_image *image, int64_t x, int64_t y, const char *text)
{
    for (; *text; text++, x += GLYPH_WIDTH)
        for (size_t g = 0; g < sizeof glyphs / sizeof *glyphs; g++)
            for (int row = 0; glyphs[g].letter == *text && row < GLYPH_HEIGHT; row++)
                for (int column = 0; column < GLYPH_WIDTH - 1; column++)
                    if (glyphs[g].rows[row] >> (GLYPH_WIDTH - 2 - column) & 1)
                        spectrogram_fill(image, x + column, y + row, 1, 1);
}

/* 1, 2 or 5 times a power of ten, at least `least`. */
static double round_step(double minimum)
{
    double power = pow(10, floor(log10(minimum)));
    for (int i = 0; i < 3; i++) {
        static const double steps[] = {1, 2, 5};
        if (steps[i] * power >= minimum * (1 - 1e-9)) return steps[i] * power;
    }
    return 10 * power;
}

static void draw_frequencies(const hed_spectrogram_def *def, hed_image *image)
{
    for (double f = round_step(def->low); f <= def->high; f = round_step(f * 1.01)) {
        int64_t y = llround(hed_spectrogram_y(def, f));
        char text[32];
        snprintf(text, sizeof text, f >= 1000 ? "%gk" : "%g", f >= 1000 ? f / 1000 : f);
        if (y < TOP + 2 * GLYPH_HEIGHT) continue; /* leave space for the unit */
        spectrogram_fill(image, LEFT - TICK, y, TICK, 1);
        write_text(image, LEFT - TICK - 3 - (int64_t)strlen(text) * GLYPH_WIDTH,
            y - GLYPH_HEIGHT / 2, text);
    }
    write_text(image, LEFT - TICK - 3 - 2 * GLYPH_WIDTH, TOP, "Hz");
}

static void draw_times(const hed_spectrogram_def *def, hed_image *image)
{
    double seconds = (double)def->frames / def->rate, step = round_step(seconds * 60 / def->width);
    for (uint32_t i = 0; i * step <= seconds * (1 + 1e-9); i++) {
        int64_t x = llround(hed_spectrogram_x(def, i * step));
        char text[32];
        snprintf(text, sizeof text, "%gs", i * step);
        spectrogram_fill(image, x, TOP + def->height, 1, TICK);
        write_text(
            image, x - (int64_t)strlen(text) * GLYPH_WIDTH / 2, TOP + def->height + TICK + 4, text);
    }
}

static void draw_scale(const hed_spectrogram_def *def, double top, hed_image *image)
{
    uint32_t left = LEFT + def->width + BAR_GAP;
    for (uint32_t y = 0; y < def->height; y++)
        for (uint32_t x = 0; x < BAR_WIDTH; x++)
            colour_of(1 - (y + 0.5) / def->height,
                image->pixels + ((size_t)(TOP + y) * image->width + left + x) * 3);
    double step = round_step(def->range / 6);
    for (double level = floor(top / step) * step; level >= top - def->range; level -= step) {
        int64_t y = TOP + llround((top - level) / def->range * def->height);
        char text[32];
        snprintf(text, sizeof text, "%g", level + 0.0); /* no "-0" */
        spectrogram_fill(image, left + BAR_WIDTH, y, TICK, 1);
        write_text(image, left + BAR_WIDTH + TICK + 3, y - GLYPH_HEIGHT / 2, text);
    }
    write_text(image, left, TOP + def->height + TICK + 4, "dB");
}

static void spectrogram_draw(const hed_spectrogram_def *def, const float *levels, hed_image *image)
{
    size_t count = (size_t)def->width * def->height;
    double most = SILENCE;
    for (size_t i = 0; i < count; i++) most = fmax(most, levels[i]);
    double top = 10 * log10(most);
    memset(image->pixels, 255, (size_t)image->width * image->height * 3);
    for (uint32_t y = 0; y < def->height; y++)
        for (uint32_t x = 0; x < def->width; x++) {
            double level = 10 * log10(fmax(levels[(size_t)y * def->width + x], SILENCE));
            bool dark = most <= SILENCE; /* silence: no maximum */
            colour_of(dark ? 0 : 1 - (top - level) / def->range,
                image->pixels + ((size_t)(TOP + y) * image->width + LEFT + x) * 3);
        }
    draw_frequencies(def, image);
    draw_times(def, image);
    draw_scale(def, top, image);
}

/* ---- the whole ---- */

static hed_status spectrogram_check(const hed_spectrogram_def *def, hed_error *error)
{
    if (def->frames == 0 || def->channels < 1 || def->channels > 2 || !(def->rate > 0))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "a spectrogram of %" PRIu64 " frames of %u channels at %g Hz: expected sound of one or two channels",
            def->frames, def->channels, def->rate);
    if (def->width < 16 || def->height < 16 || def->width > 16384 || def->height > 16384)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "a spectrogram of %u x %u pixels: expected 16 to 16384 each way", def->width,
            def->height);
    if (!(def->low > 0) || !(def->high > def->low) || !(def->range > 0))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "a spectrogram from %g to %g Hz and of %g dB: expected 0 < low < high, and a range above 0",
            def->low, def->high, def->range);
    return HED_OK;
}

hed_status hed_spectrogram_draw(const hed_spectrogram_def *def, hed_image *image, hed_error *error)
{
    *image = (hed_image){0};
    hed_spectrum *spectrum = NULL;
    if (spectrogram_check(def, error)) return error->status;
    hed_spectrum_create(def->window, &spectrum, error);
    if (!error->status)
        hed_image_create(def->width + LEFT + RIGHT, def->height + TOP + BOTTOM, 3, image, error);
    float *levels = malloc((size_t)def->width * def->height * sizeof *levels),
          *stretch = malloc((size_t)def->window * def->channels * sizeof *stretch);
    double *power = malloc((def->window / 2 + 1) * sizeof *power);
    if (!levels || !stretch || !power)
        HED_OUT_OF_MEMORY(error, "a spectrogram of %u x %u pixels", def->width, def->height);
    if (!error->status) {
        spectrogram_measure(def, spectrum, stretch, power, levels);
        spectrogram_draw(def, levels, image);
    } else {
        hed_image_free(image);
    }
    free(power);
    free(stretch);
    free(levels);
    hed_spectrum_destroy(spectrum);
    return error->status;
}
