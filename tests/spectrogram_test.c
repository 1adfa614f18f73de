/* support/spectrum.c and support/spectrogram.c: levels of known sounds, and where their lines stand
 * in the picture. */
#include "testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/synth/spectrogram.h"

#define PI 3.14159265358979323846
enum { RATE = 48000, FRAMES = 48000 };

static void add_tone(float *samples, uint32_t step, double frequency, double amplitude)
{
    for (uint32_t i = 0; i < FRAMES; i++)
        samples[i * step] += (float)(amplitude * sin(2 * PI * frequency * i / RATE));
}

static hed_image draw(const hed_spectrogram_def *def)
{
    hed_image image;
    hed_error error = {0};
    CHECK_EQ(hed_spectrogram_draw(def, &image, &error), HED_OK, "%s", error.text);
    return image;
}

static uint32_t brightness(const hed_image *image, uint32_t x, uint32_t y)
{
    const uint8_t *pixel = image->pixels + ((size_t)y * image->width + x) * 3;
    return (uint32_t)pixel[0] + pixel[1] + pixel[2];
}

/* The brightest row of a column between two rows. */
static uint32_t brightest_row(const hed_image *image, uint32_t x, uint32_t from, uint32_t to)
{
    uint32_t best = from;
    for (uint32_t y = from; y <= to; y++)
        if (brightness(image, x, y) > brightness(image, x, best)) best = y;
    return best;
}

static hed_spectrogram_def def_of(const float *samples, uint32_t channels)
{
    hed_spectrogram_def def = hed_default_spectrogram_def();
    def.samples = samples;
    def.frames = FRAMES;
    def.channels = channels;
    def.rate = RATE;
    return def;
}

/* The transform against its definition, for noise in both channels. */
Test(spectrum, equals_the_sum_that_defines_it)
{
    enum { SIZE = 256 };
    float samples[2 * SIZE];
    uint32_t random = 1;
    for (int i = 0; i < 2 * SIZE; i++) {
        random = random * 1664525u + 1013904223u;
        samples[i] = (float)(int32_t)random / 2147483648.0f;
    }
    hed_spectrum *spectrum;
    CHECK_EQ(hed_spectrum_create(SIZE, &spectrum, NULL), HED_OK);
    double power[SIZE / 2 + 1];
    hed_spectrum_power(spectrum, samples, samples + 1, 2, power);
    for (int k = 0; k <= SIZE / 2; k++) {
        double expected = 0;
        for (int c = 0; c < 2; c++) {
            double re = 0, im = 0;
            for (int i = 0; i < SIZE; i++) {
                double value = (0.5 - 0.5 * cos(2 * PI * i / SIZE)) * (double)samples[2 * i + c];
                re += value * cos(2 * PI * k * i / SIZE);
                im -= value * sin(2 * PI * k * i / SIZE);
            }
            expected += (re * re + im * im) * 16.0 / SIZE / SIZE / 2;
        }
        CHECK_NEAR(power[k], expected, 1e-12, "bin %d: %g, expected %g", k, power[k], expected);
    }
    hed_spectrum_destroy(spectrum);
}

Test(spectrum, a_sine_at_full_scale_has_power_1)
{
    enum { SIZE = 1024 };
    float samples[SIZE];
    for (int i = 0; i < SIZE; i++) samples[i] = (float)sin(2 * PI * 100 * i / SIZE);
    hed_spectrum *spectrum;
    CHECK_EQ(hed_spectrum_create(SIZE, &spectrum, NULL), HED_OK);
    double power[SIZE / 2 + 1];
    hed_spectrum_power(spectrum, samples, NULL, 1, power);
    CHECK_NEAR(power[100], 1, 1e-6);
    CHECK_NEAR(power[101], 0.25, 1e-6, "Hann's side, 6 dB down");
    CHECK_LT(power[103], 1e-9);
    hed_spectrum_destroy(spectrum);
}

Test(spectrum, refuses_a_size_that_is_no_power_of_two)
{
    hed_spectrum *spectrum;
    hed_error error = {0};
    CHECK_EQ(hed_spectrum_create(1000, &spectrum, &error), HED_ERROR_ARGUMENT);
    CHECK_NOT_NULL(strstr(error.text, "1000"), "%s", error.text);
    CHECK_NULL(spectrum);
    hed_spectrum_destroy(spectrum);
}

/* A line for each tone, within a pixel of where the axis says, in the left channel, the right one,
 * or the only one. */
Test(spectrogram, a_tone_stands_at_its_frequency)
{
    static const double frequencies[] = {110, 440, 1000, 5000, 12000};
    for (uint32_t channels = 1; channels <= 2; channels++)
        for (size_t i = 0; i < sizeof frequencies / sizeof *frequencies; i++) {
            float *samples = calloc((size_t)FRAMES * channels, sizeof *samples);
            add_tone(samples + (i & (channels - 1)), channels, frequencies[i], 0.5);
            hed_spectrogram_def def = def_of(samples, channels);
            hed_image image = draw(&def);
            uint32_t top = (uint32_t)hed_spectrogram_y(&def, def.high),
                     bottom = (uint32_t)hed_spectrogram_y(&def, def.low) - 1;
            uint32_t row =
                brightest_row(&image, (uint32_t)hed_spectrogram_x(&def, 0.5), top, bottom);
            double expected = hed_spectrogram_y(&def, frequencies[i]);
            EXPECT(fabs(row + 0.5 - expected) <= 1.5, "%g Hz: row %u, expected %.1f",
                frequencies[i], row, expected);
            uint32_t middle = (uint32_t)hed_spectrogram_x(&def, 0.5),
                     away = (uint32_t)hed_spectrogram_y(&def, frequencies[i] / 2);
            EXPECT_LT(brightness(&image, middle, away) * 4, brightness(&image, middle, row),
                "an octave below is dark");
            hed_image_free(&image);
            free(samples);
        }
}

Test(spectrogram, a_click_stands_at_its_time)
{
    float *samples = calloc(FRAMES, sizeof *samples);
    samples[30000] = 1;
    hed_spectrogram_def def = def_of(samples, 1);
    def.window = 512;
    hed_image image = draw(&def);
    uint32_t row = (uint32_t)hed_spectrogram_y(&def, 4000),
             at = (uint32_t)hed_spectrogram_x(&def, 30000.0 / RATE);
    EXPECT_GT(brightness(&image, at, row), 400u);
    EXPECT_LT(brightness(&image, at - 10, row), 20u);
    EXPECT_LT(brightness(&image, at + 10, row), 20u);
    hed_image_free(&image);
    free(samples);
}

/* A column that stands for more than a window loses nothing of it. */
Test(spectrogram, a_short_sound_in_a_long_one_is_seen)
{
    float *samples = calloc(FRAMES, sizeof *samples);
    for (uint32_t i = 20100; i < 20164; i++) samples[i] = i & 1 ? -1.0f : 1.0f;
    hed_spectrogram_def def = def_of(samples, 1);
    def.window = 128;
    def.width = 16;
    def.high = 24000;
    hed_image image = draw(&def);
    uint32_t row = (uint32_t)hed_spectrogram_y(&def, 23900);
    EXPECT_GT(brightness(&image, (uint32_t)hed_spectrogram_x(&def, 20130.0 / RATE), row), 400u);
    hed_image_free(&image);
    free(samples);
}

Test(spectrogram, silence_is_dark_and_faults_are_named)
{
    float *samples = calloc(FRAMES, sizeof *samples);
    hed_spectrogram_def def = def_of(samples, 1);
    hed_image image = draw(&def);
    uint32_t middle = (uint32_t)hed_spectrogram_x(&def, 0.5);
    EXPECT_EQ(brightness(&image, middle, (uint32_t)hed_spectrogram_y(&def, 1000)), 8u);
    hed_image_free(&image);
    hed_error error = {0};
    hed_spectrogram_def none = def, three = def, upside = def, tiny = def;
    none.frames = 0;
    three.channels = 3;
    upside.high = 20;
    tiny.width = 2;
    const hed_spectrogram_def *bad[] = {&none, &three, &upside, &tiny};
    const char *words[] = {"0 frames", "3 channels", "40 to 20", "2 x 400"};
    for (int i = 0; i < 4; i++) {
        hed_error_clear(&error);
        EXPECT_EQ(hed_spectrogram_draw(bad[i], &image, &error), HED_ERROR_ARGUMENT);
        EXPECT_NOT_NULL(strstr(error.text, words[i]), "%s", error.text);
        EXPECT_NULL(image.pixels);
    }
    free(samples);
}
