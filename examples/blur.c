/* blur OUT.png [IN.png]: gives a picture a camera's depth of field, with the canonical convolution
 * on the device.
 *
 * Rows near the plane of focus stay sharp; the further from it, the more passes of a 17 x 17
 * Gaussian a pixel has been through. Passes run on the device, on linear light; what lies between
 * two of them is mixed here. Without IN.png the picture is a woven cloth (scene.c). The device is
 * chosen by HEDDLE_DEVICE. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/scene.h"
#include "heddle/canonical.h"
#include "heddle/heddle.h"
#include "heddle/author.h"

enum { CHANNELS = 3, TAPS = 17, LEVELS = 4 };
static const int passes[LEVELS] = {0, 1, 2, 4}; /* that a level has been through */

typedef struct blur {
    hed_context *context;
    hed_device *device;
    hed_stream *stream;
    hed_kernel *kernel;
    hed_buffer *filter, *from[CHANNELS], *to[CHANNELS];
    uint32_t width, height;
    float *level[LEVELS]; /* (CHANNELS x height x width) linear light, 0 to 1 */
} blur;

static hed_status out_of_memory(hed_error *error)
{
    return hed_fail(error, HED_ERROR_MEMORY, "memory ran out for the picture");
}

/* ---- pictures: 8-bit sRGB to linear light and back ---- */

static float *to_linear(const hed_image *image)
{
    float table[256];
    for (int i = 0; i < 256; i++)
        table[i] =
            i <= 10 ? (float)i / 255 / 12.92f : powf(((float)i / 255 + 0.055f) / 1.055f, 2.4f);
    size_t area = (size_t)image->width * image->height;
    float *light = malloc(CHANNELS * area * sizeof *light);
    for (size_t i = 0; light && i < area; i++)
        for (size_t c = 0; c < CHANNELS; c++)
            light[c * area + i] =
                table[image->pixels[i * image->channels + (image->channels < CHANNELS ? 0 : c)]];
    return light;
}

static uint8_t to_srgb(float light)
{
    float s = light <= 0.0031308f ? 12.92f * light : 1.055f * powf(light, 1 / 2.4f) - 0.055f;
    return (uint8_t)(255 * fminf(1, fmaxf(0, s)) + 0.5f);
}

/* Mixes the levels: in focus at 0.68 of the height, LEVELS - 1 at the top. */
static void mix_levels(const blur *b, hed_image *image)
{
    size_t area = (size_t)b->width * b->height;
    for (uint32_t row = 0; row < b->height; row++) {
        float distance = fabsf(((float)row + 0.5f) / (float)b->height - 0.68f) / 0.68f;
        float amount = fminf(LEVELS - 1.001f, LEVELS * fmaxf(0, distance - 0.15f));
        int level = (int)amount;
        float share = amount - (float)level;
        for (size_t i = (size_t)row * b->width; i < (size_t)(row + 1) * b->width; i++)
            for (size_t c = 0; c < CHANNELS; c++)
                image->pixels[i * CHANNELS + c] =
                    to_srgb((1 - share) * b->level[level][c * area + i] +
                            share * b->level[level + 1][c * area + i]);
    }
}

/* ---- the device ---- */

static hed_status write_filter(blur *b, hed_error *error)
{
    float weights[TAPS][TAPS], total = 0;
    const float sigma = 3.5f;
    for (int j = 0; j < TAPS; j++)
        for (int i = 0; i < TAPS; i++) {
            float x = (float)(i - TAPS / 2), y = (float)(j - TAPS / 2);
            total += weights[j][i] = expf(-(x * x + y * y) / (2 * sigma * sigma));
        }
    for (int j = 0; j < TAPS; j++)
        for (int i = 0; i < TAPS; i++) weights[j][i] /= total;
    hed_buffer_def def = hed_default_buffer_def(sizeof weights);
    hed_buffer_create(b->device, &def, &b->filter, error);
    hed_write(b->stream, b->filter, 0, weights, sizeof weights, error);
    return hed_stream_wait(b->stream, error);
}

static hed_status open_device(blur *b, hed_error *error)
{
    hed_stream_def stream = hed_default_stream_def();
    hed_problem problem = hed_problem_2d(b->width, b->height);
    hed_kernel_options options = hed_default_kernel_options();
    hed_buffer_def plane = hed_default_buffer_def((uint64_t)b->width * b->height * sizeof(float));
    options.problem = &problem;
    stream.timed_steps = 64;
    hed_context_create(NULL, &b->context, error);
    hed_device_find(b->context, NULL, &b->device, error);
    hed_stream_create(b->device, &stream, &b->stream, error);
    hed_kernel_create(b->device, hed_canonical_find("convolution"), &options, &b->kernel, error);
    write_filter(b, error);
    for (int c = 0; c < CHANNELS; c++) {
        hed_buffer_create(b->device, &plane, &b->from[c], error);
        hed_buffer_create(b->device, &plane, &b->to[c], error);
    }
    return error->status;
}

static void close_device(blur *b)
{
    for (int c = 0; c < CHANNELS; c++) {
        hed_buffer_destroy(b->from[c]);
        hed_buffer_destroy(b->to[c]);
    }
    hed_buffer_destroy(b->filter);
    hed_kernel_destroy(b->kernel);
    hed_stream_destroy(b->stream);
    hed_context_destroy(b->context);
}

/* One pass over the three planes; then what came out is what the next pass takes. */
static hed_status run_pass(blur *b, hed_error *error)
{
    hed_problem problem = hed_problem_2d(b->width, b->height);
    for (int c = 0; c < CHANNELS; c++) {
        hed_launch(b->stream, b->kernel, &problem,
            HED_ARGS(b->from[c], b->to[c], b->filter, b->width, b->height, hed_local_argument(),
                hed_local_argument()),
            error);
        hed_buffer *swap = b->from[c];
        b->from[c] = b->to[c];
        b->to[c] = swap;
    }
    return error->status;
}

/* Level 0 to the device, then every level back as the passes reach it. */
static hed_status run(blur *b, hed_error *error)
{
    uint64_t area = (uint64_t)b->width * b->height;
    for (size_t c = 0; c < CHANNELS; c++)
        hed_write(b->stream, b->from[c], 0, b->level[0] + c * area, area * sizeof(float), error);
    for (int level = 1; level < LEVELS; level++) {
        for (int pass = passes[level - 1]; pass < passes[level]; pass++) run_pass(b, error);
        b->level[level] = malloc(CHANNELS * area * sizeof(float));
        if (!b->level[level]) return out_of_memory(error);
        for (size_t c = 0; c < CHANNELS; c++)
            hed_read(
                b->stream, b->level[level] + c * area, b->from[c], 0, area * sizeof(float), error);
    }
    return hed_stream_wait(b->stream, error);
}

/* Says where it ran, how it was configured and how long the convolutions took. */
static hed_status report(blur *b, const char *path, hed_error *error)
{
    hed_step_time times[64];
    uint32_t count, launches = 0;
    double seconds = 0;
    char configuration[256];
    hed_config_origin source;
    hed_config config = hed_kernel_config(b->kernel, &source);
    hed_status status = hed_stream_times(b->stream, times, 64, &count, error);
    if (status) return status;
    for (uint32_t i = 0; i < count; i++)
        if (times[i].kind == HED_STEP_LAUNCH) {
            seconds += times[i].seconds;
            launches++;
        }
    hed_config_format(hed_kernel_describe(b->kernel).def, &config, configuration, sizeof configuration);
    printf("%s: %u x %u, %u convolutions of %d x %d in %.1f ms on %s (%s; %s)\n", path, b->width,
        b->height, launches, TAPS, TAPS, 1e3 * seconds, hed_device_describe(b->device)->name,
        configuration, hed_config_origin_name(source));
    return HED_OK;
}

int main(int argc, char **argv)
{
    blur b = {0};
    hed_image image = {0}, result = {0};
    hed_error error = {0};
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: blur OUT.png [IN.png]\n");
        return 2;
    }
    hed_status status = argc > 2 ? hed_png_read(argv[2], &image, &error)
                                 : hed_image_create(1280, 800, CHANNELS, &image, &error);
    if (!status && argc == 2) scene_draw_cloth(&image);
    b.width = image.width;
    b.height = image.height;
    if (!status && !(b.level[0] = to_linear(&image))) status = out_of_memory(&error);
    if (!status) status = hed_image_create(b.width, b.height, CHANNELS, &result, &error);
    if (!status) status = open_device(&b, &error);
    if (!status) status = run(&b, &error);
    if (!status) {
        mix_levels(&b, &result);
        status = hed_png_write(argv[1], &result, &error);
    }
    if (!status) status = report(&b, argv[1], &error);
    if (status) fprintf(stderr, "blur: %s\n%s", error.text, error.log);
    close_device(&b);
    for (int level = 0; level < LEVELS; level++) free(b.level[level]);
    hed_image_free(&image);
    hed_image_free(&result);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
