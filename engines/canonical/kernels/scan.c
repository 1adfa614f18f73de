/* Description and native version of `scan`. */
#include "canonical_kernels.h"
#include "heddle/tree.h"

enum { IN, NODES, OUT, N };     /* arguments */
enum { WG, VEC, LANES, MERGE }; /* parameters */
enum { TILE = HED_CANONICAL_TILE };

static bool scan_valid(
    const hed_kernel_def *def, const hed_config *config, const hed_device_info *device, bool strict)
{
    const int64_t *value = config->values;
    if (value[LANES] && !hed_has_lanes_of_32(device)) return false;
    uint64_t words = TILE + TILE / 32 + 2 * (uint64_t)value[WG];
    return !(strict && value[MERGE]) && hed_static_local_fits(device, 4 * words);
}

/* Adds `left` to each of `count` prefix sums. */
static inline __attribute__((always_inline)) void scan_prepend(
    float *prefixes, uint32_t count, float left)
{
    for (uint32_t i = 0; i < count; i++) prefixes[i] = left + prefixes[i];
}

/* Computes the prefix sums of a tile in place: of blocks of eight; then, in each pair of blocks,
 * adds the sum of the left one to the right one. */
static inline __attribute__((always_inline)) void scan_tile(float *values)
{
    for (uint32_t i = 0; i < TILE; i += 8) {
        float *x = values + i, pair = x[4] + x[5], last = x[6] + x[7];
        float left = (x[0] + x[1]) + (x[2] + x[3]);
        x[1] = x[0] + x[1];
        x[2] = x[1] + x[2];
        x[3] = left;
        x[4] = left + x[4];
        x[5] = left + pair;
        x[6] = left + (pair + x[6]);
        x[7] = left + (pair + last);
    }
    for (uint32_t block = 8; block < TILE; block *= 2)
        for (uint32_t right = block; right < TILE; right += 2 * block)
            scan_prepend(values + right, block, values[right - 1]);
}

HED_NATIVE_BODY scan_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const float *in = call->arguments[IN];
    float *out = call->arguments[OUT];
    uint64_t n = *(const uint32_t *)call->arguments[N];
    for (uint64_t tile = begin; tile < end; tile++) {
        uint64_t first = tile * TILE, rest = n - first;
        uint32_t count = rest < TILE ? (uint32_t)rest : TILE;
        float values[TILE];
        memcpy(values, in + first, count * sizeof *values);
        for (uint32_t i = count; i < TILE; i++) values[i] = HED_TREE_NEUTRAL;
        scan_tile(values);
        const float *nodes = call->arguments[NODES];
        uint64_t nodes_of_level = hed_ceil_divide(n, TILE);
        for (uint64_t block = tile; block != 0; block >>= 1) {
            if (block & 1) scan_prepend(values, TILE, nodes[block - 1]);
            nodes += nodes_of_level;
            nodes_of_level = (nodes_of_level + 1) / 2;
        }
        memcpy(out + first, values, count * sizeof *values);
    }
}
HED_NATIVE_CLONES(scan_native, scan_body)

static void scan_work(
    const hed_kernel_def *def, const hed_config *config, const hed_problem *problem, hed_work *work)
{
    double n = (double)problem->sizes[0];
    double tiles = (double)hed_ceil_divide((uint64_t)problem->sizes[0], TILE);
    *work = (hed_work){.bytes = 4.0 * (2.0 * n + tiles), .operations = n - 1.0, .items = n};
}

static uint64_t scan_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    uint32_t tiles = (uint32_t)hed_ceil_divide((uint64_t)problem->sizes[0], TILE);
    return argument == NODES ? 4 * (uint64_t)hed_tree_node_count(tiles)
                             : hed_default_sample_bytes(def, config, problem, argument);
}

const hed_kernel_def hed_scan_def = {
    .name = "scan", .summary = "prefix sums of n floats, given the tree of the sums of its tiles",
    HED_CANONICAL_TEXT(scan),
    /* Sums of 4096 elements, in another order: the largest error of 32,768 such sums was 1.6e-5. */
    HED_ARGUMENTS(HED_IN(float, in), HED_IN(float, nodes), HED_OUT(float, out, .tolerance = 5e-5),
        HED_VALUE(uint, n)),
    HED_PARAMETERS(HED_PARAMETER(WG, 256, 128, 256, 512, 1024), HED_PARAMETER(VEC, 4, 1, 2, 4),
        HED_SWITCH(LANES, 0), HED_SWITCH(MERGE, 0)),
    .native_ignores = HED_ALL_PARAMETERS, HED_DIMENSIONS("n"), .max_threads = "WG",
    .valid = scan_valid, .geometry = hed_canonical_tiles_geometry, .range = scan_native,
    .work = scan_work, .metric = HED_METRIC_BYTES,
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(31), HED_PROBLEM(4096), HED_PROBLEM(4099),
        HED_PROBLEM(12288), HED_PROBLEM(65537)),
    .sample.benchmark = HED_PROBLEM(1 << 27), .sample.bytes = scan_bytes,
    .sample.fill = hed_default_sample_fill,
};
