/* Description and native version of `transpose`. */
#include "canonical_kernels.h"

enum { TILE, ROWS, PAD }; /* parameters */
enum { BLOCK = 32 };      /* native: side of a block that fits the first cache */

static bool transpose_valid(
    const hed_kernel_def *def, const hed_config *config, const hed_device_info *device, bool strict)
{
    const int64_t *value = config->values;
    return value[ROWS] <= value[TILE] &&
           hed_static_local_fits(device, (uint64_t)(4 * value[TILE] * (value[TILE] + value[PAD])));
}

static void transpose_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *geometry)
{
    uint64_t tile = (uint64_t)config->values[TILE], rows = (uint64_t)config->values[ROWS];
    uint64_t width = (uint64_t)problem->sizes[0], height = (uint64_t)problem->sizes[1];
    /* Tiles in one dimension, since the second one of CUDA ends at 65535. */
    uint64_t tiles = hed_ceil_divide(width, tile) * hed_ceil_divide(height, tile);
    hed_geometry_1d(geometry, tiles, (int64_t)tile, hed_ceil_divide(width, BLOCK),
        hed_ceil_divide(1 << 16, BLOCK * height));
    geometry->dimensions = 2;
    geometry->global[1] = rows;
    geometry->group[1] = (uint32_t)rows;
}

/* The range counts blocks of columns of the input, which are rows of the output. */
static void transpose_native(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const uint32_t *restrict in = call->arguments[0];
    uint32_t *restrict out = call->arguments[1];
    uint64_t width = *(const uint32_t *)call->arguments[2];
    uint64_t height = *(const uint32_t *)call->arguments[3];
    for (uint64_t left = begin * BLOCK; left < end * BLOCK && left < width; left += BLOCK) {
        uint64_t right = left + BLOCK < width ? left + BLOCK : width;
        for (uint64_t top = 0; top < height; top += BLOCK) {
            uint64_t bottom = top + BLOCK < height ? top + BLOCK : height;
            for (uint64_t x = left; x < right; x++)
                for (uint64_t y = top; y < bottom; y++) out[x * height + y] = in[y * width + x];
        }
    }
}

const hed_kernel_def hed_transpose_def = {
    .name = "transpose",
    .summary = "transposes a matrix of 32-bit words",
    HED_CANONICAL_TEXT(transpose),
    HED_CANONICAL_SHADERS(transpose),
    HED_ARGUMENTS(
        HED_IN(uint, in), HED_OUT(uint, out), HED_VALUE(uint, width), HED_VALUE(uint, height)),
    HED_PARAMETERS(HED_PARAMETER(TILE, 64, 8, 16, 32, 64), HED_PARAMETER(ROWS, 8, 1, 2, 4, 8, 16),
        HED_SWITCH(PAD, 1)),
    .native_ignores = HED_ALL_PARAMETERS,
    HED_DIMENSIONS("width", "height"),
    .max_threads = "TILE*ROWS",
    .valid = transpose_valid,
    .geometry = transpose_geometry,
    .range = transpose_native,
    .work = hed_default_work,
    .metric = HED_METRIC_BYTES,
    HED_PROBLEMS(HED_PROBLEM(1, 1), HED_PROBLEM(7, 3), HED_PROBLEM(64, 64), HED_PROBLEM(101, 1),
        HED_PROBLEM(1, 131), HED_PROBLEM(257, 131), HED_PROBLEM(128, 320)),
    .sample.benchmark = HED_PROBLEM(16384, 16384),
    HED_DEFAULT_SAMPLE,
};
