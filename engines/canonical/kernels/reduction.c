/* Description and native version of `reduction`. */
#include "canonical_kernels.h"
#include "heddle/tree.h"

enum {
    IN,
    SUMS,
    N, /* arguments */
};
enum {
    WG,
    VEC,
    LANES,
    ORDER, /* parameters */
};
enum { MOST_IN_REGISTERS = 64 }; /* elements an item loads */

static bool valid(
    const hed_kernel_def *def, const hed_config *config, const hed_device_info *device, bool strict)
{
    (void)def;
    const int64_t *value = config->values;
    int64_t elements = HED_CANONICAL_TILE / value[WG];
    if (elements < value[VEC] || elements > MOST_IN_REGISTERS) return false;
    if (value[LANES] && !hed_has_lanes_of_32(device)) return false;
    return !(strict && value[ORDER]) &&
           hed_static_local_fits(device, (HED_CANONICAL_TILE + (uint64_t)value[WG]) * 4);
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

/* Sums of neighbours. */
static inline __attribute__((always_inline)) void pair_up(
    const float *restrict from, float *restrict to, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) to[i] = from[2 * i] + from[2 * i + 1];
}

/* S(in, HED_CANONICAL_TILE), a level of the tree at a time. */
static inline __attribute__((always_inline)) float tile_sum(const float *in)
{
    float even[HED_CANONICAL_TILE / 2], odd[HED_CANONICAL_TILE / 4];
    pair_up(in, even, HED_CANONICAL_TILE / 2);
    for (uint32_t count = HED_CANONICAL_TILE / 4; count > 1; count /= 4) {
        pair_up(even, odd, count);
        pair_up(odd, even, count / 2);
    }
    return even[0] + even[1];
}

HED_NATIVE_BODY body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const float *in = call->arguments[IN];
    float *sums = call->arguments[SUMS];
    uint64_t n = *(const uint32_t *)call->arguments[N];
    for (uint64_t tile = begin; tile < end; tile++) {
        const float *first = in + tile * HED_CANONICAL_TILE;
        uint64_t left = n - tile * HED_CANONICAL_TILE;
        sums[tile] = left >= HED_CANONICAL_TILE ? tile_sum(first) : hed_tree_sum(first, left);
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
    *amount = (hed_work){.bytes = 4.0 * (n + tiles), .operations = n - tiles, .items = n};
}

static uint64_t sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    (void)def;
    (void)config;
    uint64_t n = (uint64_t)problem->sizes[0];
    return argument == IN     ? 4 * n
           : argument == SUMS ? 4 * hed_ceil_divide(n, HED_CANONICAL_TILE)
                              : 0;
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
    /* Sums of 4096 elements, in another order: the worst of 32,768 of them was 1.6e-5 off. */
    {.name = "sums", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_WRITE, .tolerance = 5e-5},
    {.name = "n", .kind = HED_SCALAR, .type = HED_UINT32},
};
static const int64_t groups[] = {64, 128, 256, 512, 1024};
static const int64_t widths[] = {1, 2, 4};
static const int64_t switches[] = {0, 1};
static const char *const orders[] = {"tree", "free"};
static const hed_parameter_def parameters[] = {
    {"WG", groups, HED_COUNT(groups), 256, NULL},
    {"VEC", widths, HED_COUNT(widths), 4, NULL},
    {"LANES", switches, HED_COUNT(switches), 0, NULL},
    {"ORDER", switches, HED_COUNT(switches), 0, orders},
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

const hed_kernel_def hed_reduction_def = {
    .name = "reduction", .summary = "sums of tiles of 4096 floats, in the fixed tree",
    .sources = &hed_canonical_files[HED_CANONICAL_REDUCTION_CL], .source_count = 1,
    .arguments = arguments, .argument_count = HED_COUNT(arguments), .parameters = parameters,
    .parameter_count = HED_COUNT(parameters), .native_ignores = HED_ALL_PARAMETERS,
    .dimensions = dimensions, .dimension_count = HED_COUNT(dimensions), .max_threads = "WG",
    .valid = valid, .geometry = geometry, .range = native, .work = work, .metric = HED_METRIC_BYTES,
    .metric_unit = "GB/s",
    .sample = {problems, HED_COUNT(problems), {1, {1 << 27}}, sample_bytes, sample_fill},
};
