/* Description and native version of `convolution`. */
#include <stdlib.h>

#include "canonical_kernels.h"

enum { IN, OUT, FILTER, WIDTH, HEIGHT, PIXELS, WEIGHTS };       /* arguments */
enum { WG_X, WG_Y, TILE_X, TILE_Y, LOCAL, WEIGHTS_LOCAL, PAD }; /* parameters */
enum { MOST_W = 64, MOST_H = 64 };                              /* limits of the filter's size */
enum { BLOCK = 8 * HED_LANES }; /* native: pixels of a row computed at once, in registers */

/* Returns a filter's size, which is one of the description's defines, so that the compiler knows
 * it. */
static int64_t filter_size(const hed_kernel_def *def, const char *name)
{
    for (uint32_t i = 0; i < def->define_count; i++)
        if (strcmp(def->defines[i].name, name) == 0) return atoll(def->defines[i].value);
    return 17;
}

/* Counts the pixels kept in local memory: rows, or a shader's columns of vectors of four. */
static uint64_t local_pixels(const hed_kernel_def *def, const int64_t *value, bool shader)
{
    int64_t columns = value[WG_X] * value[TILE_X] + filter_size(def, "FILTER_W") - 1;
    int64_t lines = value[WG_Y] * value[TILE_Y] + filter_size(def, "FILTER_H") - 1;
    int64_t rows = (columns + value[PAD]) * lines;
    int64_t vectors = columns * ((lines + 3) / 4 | value[PAD]);
    return !value[LOCAL] ? (shader ? 4 : 1) : (uint64_t)(shader ? 4 * vectors : rows);
}

static uint64_t local_weights(const hed_kernel_def *def, const int64_t *value)
{
    uint64_t column = hed_ceil_divide((uint64_t)filter_size(def, "FILTER_H"), 4) * 4;
    return value[WEIGHTS_LOCAL] ? (uint64_t)filter_size(def, "FILTER_W") * column : 4;
}

static bool convolution_valid(
    const hed_kernel_def *def, const hed_config *config, const hed_device_info *device, bool strict)
{
    const int64_t *value = config->values;
    int64_t items = value[WG_X] * value[WG_Y], pixels = value[TILE_X] * value[TILE_Y];
    if (items < 32 || items > 1024 || pixels > 64 || (value[PAD] && !value[LOCAL])) return false;
    int64_t width = filter_size(def, "FILTER_W"), height = filter_size(def, "FILTER_H");
    if (width < 1 || width > MOST_W || height < 1 || height > MOST_H) return false;
    uint64_t registers = (uint64_t)(pixels + value[TILE_Y] + 2 * height + 24);
    const char *backend = device->backend ? device->backend : ""; /* NULL: not known */
    bool shader = strcmp(backend, "vulkan") == 0 || strcmp(backend, "gl") == 0;
    uint64_t bytes = 4 * (local_pixels(def, value, shader) + local_weights(def, value)) + 32;
    return hed_registers_fit(device, (uint64_t)items, registers) && bytes <= device->local_bytes;
}

static void convolution_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *geometry)
{
    const int64_t *value = config->values;
    uint64_t width = (uint64_t)problem->sizes[0], height = (uint64_t)problem->sizes[1];
    geometry->dimensions = 2;
    geometry->global[0] =
        hed_ceil_divide(width, (uint64_t)(value[WG_X] * value[TILE_X])) * (uint64_t)value[WG_X];
    geometry->global[1] =
        hed_ceil_divide(height, (uint64_t)(value[WG_Y] * value[TILE_Y])) * (uint64_t)value[WG_Y];
    geometry->group[0] = (uint32_t)value[WG_X];
    geometry->group[1] = (uint32_t)value[WG_Y];
    geometry->local_bytes[PIXELS] = 4 * local_pixels(def, value, false);
    geometry->local_bytes[WEIGHTS] = 4 * local_weights(def, value);
    geometry->native_items = height;
    geometry->native_grain = hed_ceil_divide(1 << 12, width);
}

/* ---- native: rows ---- */

typedef struct image {
    const float *restrict in;
    float *restrict out;
    const float *restrict filter;
    int64_t width, height, filter_w, filter_h;
} image;

static inline int64_t clamp_index(int64_t i, int64_t size)
{
    return i < 0 ? 0 : i < size ? i : size - 1;
}

typedef float window_line[BLOCK + MOST_W - 1];

/* Copies the pixels for BLOCK pixels of row y from x on, with the filter's border. */
static inline void window_copy(const image *m, int64_t x, int64_t y, window_line *window)
{
    int64_t left = x - m->filter_w / 2, columns = BLOCK + m->filter_w - 1;
    for (int64_t line = 0; line < m->filter_h; line++) {
        const float *from = m->in + clamp_index(y + line - m->filter_h / 2, m->height) * m->width;
        if (left >= 0 && left + columns <= m->width)
            memcpy(window[line], from + left, (size_t)columns * sizeof **window);
        else
            for (int64_t column = 0; column < columns; column++)
                window[line][column] = from[clamp_index(left + column, m->width)];
    }
}

HED_NATIVE_BODY convolution_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    image m = {call->arguments[IN], call->arguments[OUT], call->arguments[FILTER],
        *(const uint32_t *)call->arguments[WIDTH], *(const uint32_t *)call->arguments[HEIGHT],
        filter_size(call->def, "FILTER_W"), filter_size(call->def, "FILTER_H")};
    window_line window[MOST_H];
    for (int64_t y = (int64_t)begin; y < (int64_t)end; y++)
        for (int64_t x = 0; x < m.width; x += BLOCK) {
            window_copy(&m, x, y, window);
            hed_lanes sum[BLOCK / HED_LANES] = {0};
            for (int64_t column = 0; column < m.filter_w; column++)
                for (int64_t line = 0; line < m.filter_h; line++) {
                    float weight = m.filter[line * m.filter_w + column];
#pragma GCC unroll 8
                    for (int b = 0; b < BLOCK / HED_LANES; b++)
                        HED_LANES_FMA(sum[b], weight, &window[line][column + b * HED_LANES]);
                }
            int64_t count = m.width - x < BLOCK ? m.width - x : BLOCK;
            memcpy(m.out + y * m.width + x, sum, (size_t)count * sizeof *m.out);
        }
}
HED_NATIVE_CLONES(convolution_native, convolution_body)

/* ---- */

static void convolution_work(
    const hed_kernel_def *def, const hed_config *config, const hed_problem *problem, hed_work *work)
{
    double weights = (double)filter_size(def, "FILTER_W") * (double)filter_size(def, "FILTER_H");
    hed_default_work(def, config, problem, work);
    work->operations = 2.0 * weights * work->items;
}

const hed_kernel_def hed_convolution_def = {
    .name = "convolution",
    .summary = "blurs an image with a 17 x 17 filter",
    HED_CANONICAL_TEXT(convolution),
    HED_CANONICAL_SHADERS(convolution),
    HED_ARGUMENTS(HED_IN(float, in), HED_OUT(float, out, .tolerance = 1e-5),
        HED_IN(float, mask, .count = "FILTER_W*FILTER_H"), HED_VALUE(uint, width),
        HED_VALUE(uint, height), HED_ARRAY(float, pixels), HED_ARRAY(float, weights)),
    HED_PARAMETERS(HED_PARAMETER(WG_X, 16, 8, 16, 32, 64, 96, 128, 256),
        HED_PARAMETER(WG_Y, 8, 1, 2, 4, 6, 8, 16), HED_PARAMETER(TILE_X, 2, 1, 2, 3, 4, 6, 8),
        HED_PARAMETER(TILE_Y, 16, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32), HED_SWITCH(LOCAL, 1),
        HED_SWITCH(WEIGHTS_LOCAL, 1), HED_SWITCH(PAD, 1)),
    .native_ignores = HED_ALL_PARAMETERS,
    HED_DEFINES({"FILTER_W", "17"}, {"FILTER_H", "17"}),
    HED_DIMENSIONS("width", "height"),
    .max_threads = "WG_X*WG_Y",
    .valid = convolution_valid,
    .geometry = convolution_geometry,
    .range = convolution_native,
    .work = convolution_work,
    .metric = HED_METRIC_OPERATIONS,
    HED_PROBLEMS(HED_PROBLEM(1, 1), HED_PROBLEM(7, 5), HED_PROBLEM(131, 37), HED_PROBLEM(192, 64)),
    .sample.benchmark = HED_PROBLEM(8192, 8192),
    HED_DEFAULT_SAMPLE,
};
