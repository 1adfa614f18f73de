/* Description and native version of `scan`. */
#include <string.h>

#include "canonical_kernels.h"
#include "heddle/tree.h"

enum {
    IN,
    NODES,
    OUT,
    N, /* arguments */
};
enum {
    WG,
    VEC,
    LANES,
    MERGE, /* parameters */
};

static bool valid(
    const hed_kernel_def *def, const hed_config *config, const hed_device_info *device, bool strict)
{
    (void)def;
    const int64_t *value = config->values;
    if (value[LANES] && !hed_has_lanes_of_32(device)) return false;
    uint64_t words = HED_CANONICAL_TILE + HED_CANONICAL_TILE / 32 + 2 * (uint64_t)value[WG];
    return !(strict && value[MERGE]) && hed_static_local_fits(device, 4 * words);
}

static void geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    (void)def;
    uint64_t tiles = hed_ceil_divide((uint64_t)problem->sizes[0], HED_CANONICAL_TILE);
    layout->dimensions = 1;
    layout->global[0] = tiles * (uint64_t)config->values[WG];
    layout->group[0] = (uint32_t)config->values[WG];
    layout->native_items = tiles;
    layout->native_grain = 8;
}

/* Puts `left` in front of `count` prefixes. */
static inline __attribute__((always_inline)) void prepend(
    float *prefixes, uint32_t count, float left)
{
    for (uint32_t i = 0; i < count; i++) prefixes[i] = left + prefixes[i];
}

/* Prefix sums of a tile, in place: of eights, then in each pair of blocks the right one gets the
 * sum of the left one. */
static inline __attribute__((always_inline)) void tile_scan(float *values)
{
    for (uint32_t i = 0; i < HED_CANONICAL_TILE; i += 8) {
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
    for (uint32_t block = 8; block < HED_CANONICAL_TILE; block *= 2)
        for (uint32_t right = block; right < HED_CANONICAL_TILE; right += 2 * block)
            prepend(values + right, block, values[right - 1]);
}

HED_NATIVE_BODY body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const float *in = call->arguments[IN];
    float *out = call->arguments[OUT];
    uint64_t n = *(const uint32_t *)call->arguments[N];
    for (uint64_t tile = begin; tile < end; tile++) {
        uint64_t first = tile * HED_CANONICAL_TILE, rest = n - first;
        uint32_t count = rest < HED_CANONICAL_TILE ? (uint32_t)rest : HED_CANONICAL_TILE;
        float values[HED_CANONICAL_TILE];
        memcpy(values, in + first, count * sizeof *values);
        for (uint32_t i = count; i < HED_CANONICAL_TILE; i++) values[i] = HED_TREE_NEUTRAL;
        tile_scan(values);
        const float *nodes = call->arguments[NODES];
        uint64_t nodes_of_level = hed_ceil_divide(n, HED_CANONICAL_TILE);
        for (uint64_t block = tile; block != 0; block >>= 1) {
            if (block & 1) prepend(values, HED_CANONICAL_TILE, nodes[block - 1]);
            nodes += nodes_of_level;
            nodes_of_level = (nodes_of_level + 1) / 2;
        }
        memcpy(out + first, values, count * sizeof *values);
    }
}
HED_NATIVE_CLONES(native, body)

static void work(const hed_kernel_def *def, const hed_config *config, const hed_problem *problem,
    hed_work *amount)
{
    (void)def;
    (void)config;
    double n = (double)problem->sizes[0];
    double tiles = (double)hed_ceil_divide((uint64_t)problem->sizes[0], HED_CANONICAL_TILE);
    *amount = (hed_work){.bytes = 4.0 * (2.0 * n + tiles), .operations = n - 1.0, .items = n};
}

static uint64_t sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    (void)def;
    (void)config;
    uint64_t n = (uint64_t)problem->sizes[0];
    if (argument == NODES)
        return 4 * (uint64_t)hed_tree_node_count((uint32_t)hed_ceil_divide(n, HED_CANONICAL_TILE));
    return argument == IN || argument == OUT ? 4 * n : 0;
}

static void sample_fill(const hed_kernel_def *def, const hed_problem *problem, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed)
{
    (void)def;
    if (argument == N) *(uint32_t *)data = (uint32_t)problem->sizes[0];
    else hed_canonical_fill_floats(data, bytes / 4, seed, argument);
}

static const hed_argument_def arguments[] = {
    {.name = "in", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ},
    {.name = "nodes", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ},
    /* Sums of 4096 elements, in another order: the worst of 32,768 of them was 1.6e-5 off. */
    {.name = "out", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_WRITE, .tolerance = 5e-5},
    {.name = "n", .kind = HED_SCALAR, .type = HED_UINT32},
};
static const int64_t groups[] = {128, 256, 512, 1024};
static const int64_t widths[] = {1, 2, 4};
static const int64_t switches[] = {0, 1};
static const hed_parameter_def parameters[] = {
    {"WG", groups, HED_COUNT(groups), 256, NULL},
    {"VEC", widths, HED_COUNT(widths), 4, NULL},
    {"LANES", switches, HED_COUNT(switches), 0, NULL},
    {"MERGE", switches, HED_COUNT(switches), 0, NULL},
};
static const char *const dimensions[] = {"n"};
static const hed_problem problems[] = {
    {1, {1}},
    {1, {31}},
    {1, {4096}},
    {1, {4099}},
    {1, {12288}},
    {1, {65537}},
};

const hed_kernel_def hed_scan_def = {
    .name = "scan", .summary = "prefix sums of n floats, given the tree of the sums of its tiles",
    .sources = &hed_canonical_files[HED_CANONICAL_SCAN_CL], .source_count = 1,
    .arguments = arguments, .argument_count = HED_COUNT(arguments), .parameters = parameters,
    .parameter_count = HED_COUNT(parameters), .native_ignores = HED_ALL_PARAMETERS,
    .dimensions = dimensions, .dimension_count = HED_COUNT(dimensions), .max_threads = "WG",
    .valid = valid, .geometry = geometry, .range = native, .work = work, .metric = HED_METRIC_BYTES,
    .metric_unit = "GB/s",
    .sample = {problems, HED_COUNT(problems), {1, {1 << 27}}, sample_bytes, sample_fill},
};
