/* Description and native version of `reduction`. */
#include "canonical_kernels.h"
#include "heddle/tree.h"

enum { WG, VEC, LANES, ORDER }; /* parameters */
enum { TILE = HED_CANONICAL_TILE };

static bool reduction_valid(
    const hed_kernel_def *def, const hed_config *config, const hed_device_info *device, bool strict)
{
    const int64_t *value = config->values;
    int64_t elements = TILE / value[WG]; /* elements of an item, in registers */
    if (elements < value[VEC] || elements > 64) return false;
    if (value[LANES] && !hed_has_lanes_of_32(device)) return false;
    if ((device->capabilities & HED_CAN_WGSL) && !value[ORDER]) return false; /* see its text */
    return !(strict && value[ORDER]) &&
           hed_static_local_fits(device, (TILE + (uint64_t)value[WG]) * 4);
}

/* Adds neighbours. */
static inline __attribute__((always_inline)) void reduction_pair_up(
    const float *restrict from, float *restrict to, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) to[i] = from[2 * i] + from[2 * i + 1];
}

/* S(in, TILE), one level of the tree at a time. */
static inline __attribute__((always_inline)) float reduction_tile(const float *in)
{
    float even[TILE / 2], odd[TILE / 4];
    reduction_pair_up(in, even, TILE / 2);
    for (uint32_t count = TILE / 4; count > 1; count /= 4) {
        reduction_pair_up(even, odd, count);
        reduction_pair_up(odd, even, count / 2);
    }
    return even[0] + even[1];
}

HED_NATIVE_BODY reduction_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const float *in = call->arguments[0];
    float *sums = call->arguments[1];
    uint64_t n = *(const uint32_t *)call->arguments[2];
    for (uint64_t tile = begin; tile < end; tile++) {
        const float *first = in + tile * TILE;
        uint64_t left = n - tile * TILE;
        sums[tile] = left >= TILE ? reduction_tile(first) : hed_tree_sum(first, left);
    }
}
HED_NATIVE_CLONES(reduction_native, reduction_body)

static void reduction_work(
    const hed_kernel_def *def, const hed_config *config, const hed_problem *problem, hed_work *work)
{
    hed_default_work(def, config, problem, work);
    work->operations = work->items - (double)hed_ceil_divide((uint64_t)problem->sizes[0], TILE);
}

const hed_kernel_def hed_reduction_def = {
    .name = "reduction",
    .summary = "sums of tiles of 4096 floats, in the fixed tree",
    HED_CANONICAL_TEXT(reduction),
    HED_CANONICAL_SHADERS(reduction),
    /* Sums of 4096 elements, in another order: the largest error of 32,768 such sums was 1.6e-5. */
    HED_ARGUMENTS(HED_IN(float, in), HED_OUT(float, sums, .count = "n/4096", .tolerance = 5e-5),
        HED_VALUE(uint, n)),
    HED_PARAMETERS(HED_PARAMETER(WG, 256, 64, 128, 256, 512, 1024), HED_PARAMETER(VEC, 4, 1, 2, 4),
        HED_SWITCH(LANES, 0), HED_CHOICE(ORDER, 0, "tree", "free")),
    .native_ignores = HED_ALL_PARAMETERS,
    HED_DIMENSIONS("n"),
    .max_threads = "WG",
    .valid = reduction_valid,
    .geometry = hed_canonical_tiles_geometry,
    .range = reduction_native,
    .work = reduction_work,
    .metric = HED_METRIC_BYTES,
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(31), HED_PROBLEM(4096), HED_PROBLEM(4099),
        HED_PROBLEM(12288), HED_PROBLEM(65537)),
    .sample.benchmark = HED_PROBLEM(1 << 27),
    HED_DEFAULT_SAMPLE,
};
