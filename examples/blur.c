/* blur OUT.png [IN.png]: gives a picture a camera's depth of field, with the canonical convolution
 * on the device that HEDDLE_DEVICE names.
 *
 * Rows near the plane of focus stay sharp; the further from it, the more passes of a 17 x 17
 * Gaussian a pixel has been through. Passes run on the device, on linear light; levels between two
 * of them are mixed here. Without IN.png the picture is a woven cloth (scene.c). */
#include <heddle/canonical.h>
#include <heddle/heddle.h>
#include <math.h>
#include <stdio.h>

#include "examples/scene.h"

enum { CHANNELS = 3, TAPS = 17, LEVELS = 4 };
static const int passes[LEVELS] = {0, 1, 2, 4}; /* that a level has been through */

/* ---- pictures: 8-bit sRGB, and linear light from 0 to 1, a plane for each channel ---- */

static void to_linear(const hed_image *image, float *light)
{
    size_t area = (size_t)image->width * image->height;
    for (size_t i = 0; i < area; i++)
        for (size_t c = 0; c < CHANNELS; c++) {
            size_t from = image->channels < CHANNELS ? 0 : c;
            float s = (float)image->pixels[i * image->channels + from] / 255;
            light[c * area + i] = s <= 0.04045f ? s / 12.92f : powf((s + 0.055f) / 1.055f, 2.4f);
        }
}

static uint8_t to_srgb(float light)
{
    float s = light <= 0.0031308f ? 12.92f * light : 1.055f * powf(light, 1 / 2.4f) - 0.055f;
    return (uint8_t)(255 * fminf(1, fmaxf(0, s)) + 0.5f);
}

/* Mixes the levels: in focus at 0.68 of the height, LEVELS - 1 at the top. */
static void mix_levels(const float *light, hed_image *image)
{
    size_t area = (size_t)image->width * image->height;
    for (size_t i = 0; i < area; i++) {
        float row = (float)(i / image->width) + 0.5f;
        float distance = fabsf(row / (float)image->height - 0.68f) / 0.68f;
        float amount = fminf(LEVELS - 1.001f, LEVELS * fmaxf(0, distance - 0.15f));
        float share = amount - floorf(amount);
        const float *level = light + (size_t)amount * CHANNELS * area;
        for (size_t c = 0; c < CHANNELS; c++)
            image->pixels[i * CHANNELS + c] = to_srgb(
                (1 - share) * level[c * area + i] + share * level[(CHANNELS + c) * area + i]);
    }
}

/* ---- the device ---- */

static void gaussian(float weights[TAPS * TAPS])
{
    const float sigma = 3.5f;
    float total = 0;
    for (int i = 0; i < TAPS * TAPS; i++) {
        float x = (float)(i % TAPS - TAPS / 2), y = (float)(i / TAPS - TAPS / 2);
        total += weights[i] = expf(-(x * x + y * y) / (2 * sigma * sigma));
    }
    for (int i = 0; i < TAPS * TAPS; i++) weights[i] /= total;
}

/* Level 0 to the device, then every level back as the passes reach it. */
static hed_status blur(
    const hed_session *on, uint32_t width, uint32_t height, float *light, hed_error *error)
{
    uint64_t area = (uint64_t)width * height, bytes = area * sizeof(float);
    hed_problem problem = hed_problem_2d(width, height);
    hed_kernel_options options = hed_default_kernel_options();
    hed_kernel *kernel = NULL;
    hed_buffer *filter = NULL, *from[CHANNELS] = {0}, *to[CHANNELS] = {0};
    float weights[TAPS * TAPS];
    gaussian(weights);
    options.problem = &problem;
    hed_kernel_create(on->device, hed_canonical_find("convolution"), &options, &kernel, error);
    hed_buffer_create(on->device, &(hed_buffer_def){.size = sizeof weights}, &filter, error);
    hed_write(on->stream, filter, 0, weights, sizeof weights, error);
    for (size_t c = 0; c < CHANNELS; c++) {
        hed_buffer_create(on->device, &(hed_buffer_def){.size = bytes}, &from[c], error);
        hed_buffer_create(on->device, &(hed_buffer_def){.size = bytes}, &to[c], error);
        hed_write(on->stream, from[c], 0, light + c * area, bytes, error);
        for (size_t level = 1; level < LEVELS; level++) {
            for (int pass = passes[level - 1]; pass < passes[level]; pass++) {
                hed_launch(on->stream, kernel, &problem,
                    HED_ARGS(from[c], to[c], filter, width, height, hed_local_argument(),
                        hed_local_argument()),
                    error);
                hed_buffer *swap = from[c];
                from[c] = to[c];
                to[c] = swap;
            }
            hed_read(on->stream, light + (level * CHANNELS + c) * area, from[c], 0, bytes, error);
        }
    }
    hed_stream_wait(on->stream, error);
    for (size_t c = 0; c < CHANNELS; c++) {
        hed_buffer_destroy(from[c]);
        hed_buffer_destroy(to[c]);
    }
    hed_buffer_destroy(filter);
    hed_kernel_destroy(kernel);
    return error->status;
}

int main(int argc, char **argv)
{
    hed_session on = {0};
    hed_image image = {0}, result = {0};
    hed_error error = {0};
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: blur OUT.png [IN.png]\n");
        return 2;
    }
    if (argc > 2) hed_png_read(argv[2], &image, &error);
    else if (!hed_image_create(1280, 800, CHANNELS, &image, &error)) scene_draw_cloth(&image);
    uint64_t floats = (uint64_t)LEVELS * CHANNELS * image.width * image.height;
    float *light = hed_new(NULL, floats, sizeof *light, &error);
    if (light) to_linear(&image, light);
    hed_open(&on, &error);
    uint64_t begin = hed_now();
    blur(&on, image.width, image.height, light, &error);
    double seconds = 1e-9 * (double)(hed_now() - begin);
    if (!hed_failed(&error) &&
        !hed_image_create(image.width, image.height, CHANNELS, &result, &error)) {
        mix_levels(light, &result);
        hed_png_write(argv[1], &result, &error);
    }
    if (hed_failed(&error)) fprintf(stderr, "blur: %s\n%s", error.text, error.log);
    else
        printf("%s: %u x %u, %d convolutions of %d x %d, with their copies, in %.1f ms on %s\n",
            argv[1], image.width, image.height, CHANNELS * passes[LEVELS - 1], TAPS, TAPS,
            1e3 * seconds, on.name);
    hed_close(&on);
    hed_delete(NULL, light, floats, sizeof *light);
    hed_image_free(&image);
    hed_image_free(&result);
    return hed_failed(&error);
}
