/* A camera's depth of field, by the canonical convolution. */
#include "examples/focus.h"

#include <heddle/canonical.h>
#include <math.h>

enum { TAPS = 17 };
static const int passes[FOCUS_LEVELS] = {0, 1, 2, FOCUS_PASSES}; /* passes of each level */

/* ---- pictures: 8-bit sRGB, and linear light from 0 to 1, a plane for each channel ---- */

void focus_linear(const hed_image *image, float *light)
{
    size_t area = (size_t)image->width * image->height;
    for (size_t i = 0; i < area; i++)
        for (size_t c = 0; c < FOCUS_CHANNELS; c++) {
            size_t from = image->channels < FOCUS_CHANNELS ? 0 : c;
            float s = (float)image->pixels[i * image->channels + from] / 255;
            light[c * area + i] = s <= 0.04045f ? s / 12.92f : powf((s + 0.055f) / 1.055f, 2.4f);
        }
}

static uint8_t to_srgb(float light)
{
    float s = light <= 0.0031308f ? 12.92f * light : 1.055f * powf(light, 1 / 2.4f) - 0.055f;
    return (uint8_t)(255 * fminf(1, fmaxf(0, s)) + 0.5f);
}

/* Mixes levels: in focus at 0.68 of the height, all passes at the top. */
void focus_mix(const float *light, hed_image *image)
{
    size_t area = (size_t)image->width * image->height;
    for (size_t i = 0; i < area; i++) {
        float row = (float)(i / image->width) + 0.5f;
        float distance = fabsf(row / (float)image->height - 0.68f) / 0.68f;
        float amount = fminf(FOCUS_LEVELS - 1.001f, FOCUS_LEVELS * fmaxf(0, distance - 0.15f));
        float share = amount - floorf(amount);
        const float *level = light + (size_t)amount * FOCUS_CHANNELS * area;
        for (size_t c = 0; c < FOCUS_CHANNELS; c++)
            image->pixels[i * FOCUS_CHANNELS + c] = to_srgb(
                (1 - share) * level[c * area + i] + share * level[(FOCUS_CHANNELS + c) * area + i]);
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

hed_status focus_blur(const hed_session *on, hed_math math, uint32_t width, uint32_t height,
    float *light, hed_error *error)
{
    uint64_t area = (uint64_t)width * height, bytes = area * sizeof(float);
    hed_problem problem = hed_problem_2d(width, height);
    hed_kernel_options options = hed_default_kernel_options();
    hed_kernel *kernel = NULL;
    hed_buffer *filter = NULL, *from[FOCUS_CHANNELS] = {0}, *to[FOCUS_CHANNELS] = {0};
    float weights[TAPS * TAPS];
    gaussian(weights);
    options.problem = &problem;
    options.math = math;
    hed_kernel_create(on->device, hed_canonical_find("convolution"), &options, &kernel, error);
    hed_buffer_create(on->device, &(hed_buffer_def){.size = sizeof weights}, &filter, error);
    hed_write(on->stream, filter, 0, weights, sizeof weights, error);
    for (size_t c = 0; c < FOCUS_CHANNELS; c++) {
        hed_buffer_create(on->device, &(hed_buffer_def){.size = bytes}, &from[c], error);
        hed_buffer_create(on->device, &(hed_buffer_def){.size = bytes}, &to[c], error);
        hed_write(on->stream, from[c], 0, light + c * area, bytes, error);
        for (size_t level = 1; level < FOCUS_LEVELS; level++) {
            for (int pass = passes[level - 1]; pass < passes[level]; pass++) {
                hed_launch(on->stream, kernel, &problem,
                    HED_ARGS(from[c], to[c], filter, width, height, hed_local_argument(),
                        hed_local_argument()),
                    error);
                hed_buffer *swap = from[c];
                from[c] = to[c];
                to[c] = swap;
            }
            hed_read(
                on->stream, light + (level * FOCUS_CHANNELS + c) * area, from[c], 0, bytes, error);
        }
    }
    hed_stream_wait(on->stream, error);
    for (size_t c = 0; c < FOCUS_CHANNELS; c++) {
        hed_buffer_destroy(from[c]);
        hed_buffer_destroy(to[c]);
    }
    hed_buffer_destroy(filter);
    hed_kernel_destroy(kernel);
    return error->status;
}
