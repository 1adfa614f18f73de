/* Description and native version of `transpose`. */
#include "canonical_kernels.h"

enum {
    IN,
    OUT,
    WIDTH,
    HEIGHT, /* arguments; the last two are the problem's sizes 0 and 1 */
};
enum {
    TILE,
    ROWS,
    PAD, /* parameters */
};
enum { BLOCK = 32 }; /* native: side of a block that stays in the first cache */

static bool valid(
    const hed_kernel_def *def, const hed_config *config, const hed_device_info *device, bool strict)
{
    (void)def;
    (void)strict;
    const int64_t *value = config->values;
    return value[ROWS] <= value[TILE] &&
           hed_static_local_fits(device, (uint64_t)(4 * value[TILE] * (value[TILE] + value[PAD])));
}

static void geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    (void)def;
    uint64_t tile = (uint64_t)config->values[TILE], rows = (uint64_t)config->values[ROWS];
    uint64_t width = (uint64_t)problem->sizes[0], height = (uint64_t)problem->sizes[1];
    /* Tiles in one dimension: the second one of CUDA ends at 65535. */
    layout->dimensions = 2;
    layout->global[0] = hed_ceil_divide(width, tile) * hed_ceil_divide(height, tile) * tile;
    layout->global[1] = rows;
    layout->group[0] = (uint32_t)tile;
    layout->group[1] = (uint32_t)rows;
    layout->native_items = hed_ceil_divide(width, BLOCK);
    layout->native_grain = hed_ceil_divide(1 << 16, BLOCK * height);
}

/* Range: blocks of columns of the input, rows of the output. */
static void native(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const uint32_t *restrict in = call->arguments[IN];
    uint32_t *restrict out = call->arguments[OUT];
    uint64_t width = *(const uint32_t *)call->arguments[WIDTH],
             height = *(const uint32_t *)call->arguments[HEIGHT];
    for (uint64_t left = begin * BLOCK; left < end * BLOCK && left < width; left += BLOCK) {
        uint64_t right = left + BLOCK < width ? left + BLOCK : width;
        for (uint64_t top = 0; top < height; top += BLOCK) {
            uint64_t bottom = top + BLOCK < height ? top + BLOCK : height;
            for (uint64_t x = left; x < right; x++)
                for (uint64_t y = top; y < bottom; y++) out[x * height + y] = in[y * width + x];
        }
    }
}

static void work(const hed_kernel_def *def, const hed_config *config, const hed_problem *problem,
    hed_work *amount)
{
    (void)def;
    (void)config;
    double n = (double)problem->sizes[0] * (double)problem->sizes[1];
    *amount = (hed_work){.bytes = 8.0 * n, .items = n};
}

static uint64_t sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    (void)def;
    (void)config;
    return argument == IN || argument == OUT ? 4 * (uint64_t)(problem->sizes[0] * problem->sizes[1])
                                             : 0;
}

static void sample_fill(const hed_kernel_def *def, const hed_problem *problem, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed)
{
    (void)def;
    if (argument == WIDTH || argument == HEIGHT)
        *(uint32_t *)data = (uint32_t)problem->sizes[argument - WIDTH];
    else hed_canonical_fill_words(data, bytes / 4, seed, argument);
}

static const hed_argument_def arguments[] = {
    {.name = "in", .kind = HED_BUFFER, .type = HED_UINT32, .access = HED_READ},
    {.name = "out", .kind = HED_BUFFER, .type = HED_UINT32, .access = HED_WRITE},
    {.name = "width", .kind = HED_SCALAR, .type = HED_UINT32},
    {.name = "height", .kind = HED_SCALAR, .type = HED_UINT32},
};
static const int64_t tiles[] = {8, 16, 32, 64};
static const int64_t rows[] = {1, 2, 4, 8, 16};
static const int64_t pads[] = {0, 1};
static const hed_parameter_def parameters[] = {
    {"TILE", tiles, HED_COUNT(tiles), 64, NULL},
    {"ROWS", rows, HED_COUNT(rows), 8, NULL},
    {"PAD", pads, HED_COUNT(pads), 1, NULL},
};
static const char *const dimensions[] = {"width", "height"};
static const hed_problem problems[] = {
    {2, {1, 1}},
    {2, {7, 3}},
    {2, {64, 64}},
    {2, {101, 1}},
    {2, {1, 131}},
    {2, {257, 131}},
    {2, {128, 320}},
};

const hed_kernel_def hed_transpose_def = {
    .name = "transpose", .summary = "transposes a matrix of 32-bit words",
    .sources = &hed_canonical_files[HED_CANONICAL_TRANSPOSE_CL], .source_count = 1,
    .arguments = arguments, .argument_count = HED_COUNT(arguments), .parameters = parameters,
    .parameter_count = HED_COUNT(parameters), .native_ignores = HED_ALL_PARAMETERS,
    .dimensions = dimensions, .dimension_count = HED_COUNT(dimensions), .max_threads = "TILE*ROWS",
    .valid = valid, .geometry = geometry, .range = native, .work = work, .metric = HED_METRIC_BYTES,
    .metric_unit = "GB/s",
    .sample = {problems, HED_COUNT(problems), {2, {16384, 16384}}, sample_bytes, sample_fill},
};
