/* Description and native version of `convolution`. */
#include <stdlib.h>
#include <string.h>

#include "canonical_kernels.h"
#include "simd.h"

enum {
    IN,
    OUT,
    FILTER,
    WIDTH,
    HEIGHT,
    PIXELS,
    WEIGHTS, /* arguments */
};
enum {
    WG_X,
    WG_Y,
    TILE_X,
    TILE_Y,
    LOCAL,
    WEIGHTS_LOCAL,
    PAD, /* parameters */
};
enum {
    MOST_W = 64,
    MOST_H = 64, /* largest filter */
};
enum { BLOCK = 8 * HED_LANES }; /* native: pixels of a row made at once, in registers */

/* A filter's size is one of the description's defines, so that the compiler knows it. */
static int64_t filter_size(const hed_kernel_def *def, const char *name)
{
    for (uint32_t i = 0; i < def->define_count; i++)
        if (strcmp(def->defines[i].name, name) == 0) return atoll(def->defines[i].value);
    return 17;
}

static uint64_t local_pixels(const hed_kernel_def *def, const int64_t *value)
{
    int64_t columns = value[WG_X] * value[TILE_X] + filter_size(def, "FILTER_W") - 1 + value[PAD];
    int64_t lines = value[WG_Y] * value[TILE_Y] + filter_size(def, "FILTER_H") - 1;
    return value[LOCAL] ? (uint64_t)(columns * lines) : 1;
}

static uint64_t local_weights(const hed_kernel_def *def, const int64_t *value)
{
    uint64_t column = hed_ceil_divide((uint64_t)filter_size(def, "FILTER_H"), 4) * 4;
    return value[WEIGHTS_LOCAL] ? (uint64_t)filter_size(def, "FILTER_W") * column : 4;
}

static bool valid(
    const hed_kernel_def *def, const hed_config *config, const hed_device_info *device, bool strict)
{
    (void)strict;
    const int64_t *value = config->values;
    int64_t items = value[WG_X] * value[WG_Y], pixels = value[TILE_X] * value[TILE_Y];
    if (items < 32 || items > 1024 || pixels > 64 || (value[PAD] && !value[LOCAL])) return false;
    int64_t width = filter_size(def, "FILTER_W"), height = filter_size(def, "FILTER_H");
    if (width < 1 || width > MOST_W || height < 1 || height > MOST_H) return false;
    uint64_t registers = (uint64_t)(pixels + value[TILE_Y] + 2 * height + 24);
    return hed_registers_fit(device, (uint64_t)items, registers) &&
           4 * (local_pixels(def, value) + local_weights(def, value)) + 32 <= device->local_bytes;
}

static void geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    const int64_t *value = config->values;
    uint64_t width = (uint64_t)problem->sizes[0], height = (uint64_t)problem->sizes[1];
    layout->dimensions = 2;
    layout->global[0] =
        hed_ceil_divide(width, (uint64_t)(value[WG_X] * value[TILE_X])) * (uint64_t)value[WG_X];
    layout->global[1] =
        hed_ceil_divide(height, (uint64_t)(value[WG_Y] * value[TILE_Y])) * (uint64_t)value[WG_Y];
    layout->group[0] = (uint32_t)value[WG_X];
    layout->group[1] = (uint32_t)value[WG_Y];
    layout->local_bytes[PIXELS] = 4 * local_pixels(def, value);
    layout->local_bytes[WEIGHTS] = 4 * local_weights(def, value);
    layout->native_items = height;
    layout->native_grain = hed_ceil_divide(1 << 12, width);
}

/* ---- native: rows ---- */

typedef struct image {
    const float *restrict in;
    float *restrict out;
    const float *restrict filter;
    int64_t width, height, filter_w, filter_h;
} image;

static inline int64_t within(int64_t i, int64_t size)
{
    return i < 0 ? 0 : i < size ? i : size - 1;
}

typedef float window_line[BLOCK + MOST_W - 1];

/* The pixels that BLOCK pixels of row y from x on need, border and all. */
static inline void copy_window(const image *m, int64_t x, int64_t y, window_line *window)
{
    int64_t left = x - m->filter_w / 2, columns = BLOCK + m->filter_w - 1;
    for (int64_t line = 0; line < m->filter_h; line++) {
        const float *from = m->in + within(y + line - m->filter_h / 2, m->height) * m->width;
        if (left >= 0 && left + columns <= m->width)
            memcpy(window[line], from + left, (size_t)columns * sizeof **window);
        else
            for (int64_t column = 0; column < columns; column++)
                window[line][column] = from[within(left + column, m->width)];
    }
}

HED_NATIVE_BODY body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    image m = {call->arguments[IN], call->arguments[OUT], call->arguments[FILTER],
        *(const uint32_t *)call->arguments[WIDTH], *(const uint32_t *)call->arguments[HEIGHT],
        filter_size(call->def, "FILTER_W"), filter_size(call->def, "FILTER_H")};
    window_line window[MOST_H];
    for (int64_t y = (int64_t)begin; y < (int64_t)end; y++)
        for (int64_t x = 0; x < m.width; x += BLOCK) {
            copy_window(&m, x, y, window);
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
HED_NATIVE_CLONES(native, body)

/* ---- */

static void work(const hed_kernel_def *def, const hed_config *config, const hed_problem *problem,
    hed_work *amount)
{
    (void)config;
    double pixels = (double)problem->sizes[0] * (double)problem->sizes[1];
    double weights = (double)filter_size(def, "FILTER_W") * (double)filter_size(def, "FILTER_H");
    *amount = (hed_work){.bytes = 8.0 * pixels + 4.0 * weights,
        .operations = 2.0 * weights * pixels, .items = pixels};
}

static uint64_t sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    (void)config;
    if (argument == FILTER)
        return (uint64_t)(4 * filter_size(def, "FILTER_W") * filter_size(def, "FILTER_H"));
    return argument == IN || argument == OUT ? 4 * (uint64_t)(problem->sizes[0] * problem->sizes[1])
                                             : 0;
}

static void sample_fill(const hed_kernel_def *def, const hed_problem *problem, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed)
{
    (void)def;
    if (argument == WIDTH || argument == HEIGHT)
        *(uint32_t *)data = (uint32_t)problem->sizes[argument - WIDTH];
    else hed_canonical_fill_floats(data, bytes / 4, seed, argument);
}

static const hed_argument_def arguments[] = {
    {.name = "in", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ},
    {.name = "out", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_WRITE, .tolerance = 1e-5},
    {.name = "filter", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ},
    {.name = "width", .kind = HED_SCALAR, .type = HED_UINT32},
    {.name = "height", .kind = HED_SCALAR, .type = HED_UINT32},
    {.name = "pixels", .kind = HED_LOCAL, .type = HED_FLOAT},
    {.name = "weights", .kind = HED_LOCAL, .type = HED_FLOAT},
};
static const int64_t groups_x[] = {8, 16, 32, 64, 96, 128, 256};
static const int64_t groups_y[] = {1, 2, 4, 6, 8, 16};
static const int64_t tiles_x[] = {1, 2, 3, 4, 6, 8};
static const int64_t tiles_y[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
static const int64_t switches[] = {0, 1};
static const hed_parameter_def parameters[] = {
    {"WG_X", groups_x, HED_COUNT(groups_x), 16, NULL},
    {"WG_Y", groups_y, HED_COUNT(groups_y), 8, NULL},
    {"TILE_X", tiles_x, HED_COUNT(tiles_x), 2, NULL},
    {"TILE_Y", tiles_y, HED_COUNT(tiles_y), 16, NULL},
    {"LOCAL", switches, HED_COUNT(switches), 1, NULL},
    {"WEIGHTS_LOCAL", switches, HED_COUNT(switches), 1, NULL},
    {"PAD", switches, HED_COUNT(switches), 1, NULL},
};
static const hed_define defines[] = {{"FILTER_W", "17"}, {"FILTER_H", "17"}};
static const char *const dimensions[] = {"width", "height"};
static const hed_problem problems[] = {{2, {1, 1}}, {2, {7, 5}}, {2, {131, 37}}, {2, {192, 64}}};

const hed_kernel_def hed_convolution_def = {
    .name = "convolution", .summary = "blurs an image with a 17 x 17 filter",
    .sources = &hed_canonical_files[HED_CANONICAL_CONVOLUTION_CL], .source_count = 1,
    .arguments = arguments, .argument_count = HED_COUNT(arguments), .parameters = parameters,
    .parameter_count = HED_COUNT(parameters), .native_ignores = HED_ALL_PARAMETERS,
    .defines = defines, .define_count = HED_COUNT(defines), .dimensions = dimensions,
    .dimension_count = HED_COUNT(dimensions), .max_threads = "WG_X*WG_Y", .valid = valid,
    .geometry = geometry, .range = native, .work = work, .metric = HED_METRIC_OPERATIONS,
    .metric_unit = "GFLOP/s",
    .sample = {problems, HED_COUNT(problems), {2, {8192, 8192}}, sample_bytes, sample_fill},
};
