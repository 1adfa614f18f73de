/* Description and native version of `scan_tree`. */
#include "canonical_kernels.h"
#include "heddle/tree.h"

enum {
    NODES,
    OFFSET,
    TILES, /* arguments */
};
enum { WG };                         /* parameters */
enum { BLOCK = HED_CANONICAL_TILE }; /* nodes a group takes: BLOCK in the text */

static void geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    (void)def;
    uint64_t blocks = hed_ceil_divide((uint64_t)problem->sizes[0], BLOCK);
    layout->dimensions = 1;
    layout->global[0] = blocks * (uint64_t)config->values[WG];
    layout->group[0] = (uint32_t)config->values[WG];
    layout->native_items = blocks;
}

static void native(const hed_native_call *call, uint64_t begin, uint64_t end)
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

static void work(const hed_kernel_def *def, const hed_config *config, const hed_problem *problem,
    hed_work *amount)
{
    (void)def;
    (void)config;
    double tiles = (double)problem->sizes[0];
    *amount = (hed_work){.bytes = 8.0 * tiles, .operations = tiles - 1.0, .items = tiles};
}

static uint64_t sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    (void)def;
    (void)config;
    return argument == NODES ? 4 * (uint64_t)hed_tree_node_count((uint32_t)problem->sizes[0]) : 0;
}

static void sample_fill(const hed_kernel_def *def, const hed_problem *problem, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed)
{
    (void)def;
    if (argument == NODES) hed_canonical_fill_floats(data, bytes / 4, seed, argument);
    else *(uint32_t *)data = argument == TILES ? (uint32_t)problem->sizes[0] : 0;
}

static const hed_argument_def arguments[] = {
    {.name = "nodes", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ_WRITE},
    {.name = "offset", .kind = HED_SCALAR, .type = HED_UINT32},
    {.name = "tiles", .kind = HED_SCALAR, .type = HED_UINT32},
};
static const int64_t groups[] = {64, 128, 256, 512, 1024};
static const hed_parameter_def parameters[] = {{"WG", groups, HED_COUNT(groups), 256, NULL}};
static const char *const dimensions[] = {"tiles"};
static const hed_problem problems[] = {{1, {1}}, {1, {2}}, {1, {31}}, {1, {4096}}, {1, {10007}}};

const hed_kernel_def hed_scan_tree_def = {
    .name = "scan_tree", .summary = "upper levels of the tree of sums that a prefix sum needs",
    .sources = &hed_canonical_files[HED_CANONICAL_SCAN_TREE_CL], .source_count = 1,
    .arguments = arguments, .argument_count = HED_COUNT(arguments), .parameters = parameters,
    .parameter_count = HED_COUNT(parameters), .native_ignores = HED_ALL_PARAMETERS,
    .dimensions = dimensions, .dimension_count = HED_COUNT(dimensions), .max_threads = "WG",
    .geometry = geometry, .range = native, .work = work, .metric = HED_METRIC_BYTES,
    .metric_unit = "GB/s",
    .sample = {problems, HED_COUNT(problems), {1, {1 << 24}}, sample_bytes, sample_fill},
};
