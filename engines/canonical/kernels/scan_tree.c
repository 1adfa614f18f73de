/* Description and native version of `scan_tree`. */
#include "canonical_kernels.h"
#include "heddle/tree.h"

enum { NODES, OFFSET, TILES };       /* arguments */
enum { BLOCK = HED_CANONICAL_TILE }; /* nodes that a group reads: BLOCK in the text */

static void scan_tree_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *geometry)
{
    hed_canonical_tiles_geometry(def, config, problem, geometry);
    geometry->native_grain = 1;
}

static void scan_tree_native(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    for (uint64_t block = begin; block < end; block++) {
        float *level = (float *)call->arguments[NODES] + *(const uint32_t *)call->arguments[OFFSET];
        uint64_t count = *(const uint32_t *)call->arguments[TILES], first = block * BLOCK;
        for (uint64_t pairs = BLOCK / 2; pairs != 0 && count > 1; pairs /= 2) {
            float *above = level + count;
            uint64_t count_above = (count + 1) / 2;
            first /= 2;
            for (uint64_t i = first; i < first + pairs && i < count_above; i++)
                above[i] = 2 * i + 1 < count ? level[2 * i] + level[2 * i + 1] : level[2 * i];
            level = above;
            count = count_above;
        }
    }
}

static void scan_tree_work(
    const hed_kernel_def *def, const hed_config *config, const hed_problem *problem, hed_work *work)
{
    double tiles = (double)problem->sizes[0];
    *work = (hed_work){.bytes = 8.0 * tiles, .operations = tiles - 1.0, .items = tiles};
}

static uint64_t scan_tree_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    return argument == NODES ? 4 * (uint64_t)hed_tree_node_count((uint32_t)problem->sizes[0]) : 0;
}

static void scan_tree_fill(const hed_kernel_def *def, const hed_problem *problem, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed)
{
    if (argument == OFFSET) *(uint32_t *)data = 0;
    else hed_default_sample_fill(def, problem, argument, data, bytes, seed);
}

const hed_kernel_def hed_scan_tree_def = {
    .name = "scan_tree", .summary = "upper levels of the tree of sums that a prefix sum needs",
    HED_CANONICAL_TEXT(scan_tree),
    HED_ARGUMENTS(HED_INOUT(float, nodes), HED_VALUE(uint, offset), HED_VALUE(uint, tiles)),
    HED_PARAMETERS(HED_PARAMETER(WG, 256, 64, 128, 256, 512, 1024)),
    .native_ignores = HED_ALL_PARAMETERS, HED_DIMENSIONS("tiles"), .max_threads = "WG",
    .geometry = scan_tree_geometry, .range = scan_tree_native, .work = scan_tree_work,
    .metric = HED_METRIC_BYTES,
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(2), HED_PROBLEM(31), HED_PROBLEM(4096),
        HED_PROBLEM(10007)),
    .sample.benchmark = HED_PROBLEM(1 << 24), .sample.bytes = scan_tree_bytes,
    .sample.fill = scan_tree_fill,
};
