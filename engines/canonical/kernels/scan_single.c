/* Description and native version of `scan_single`. */
#include <stdlib.h>
#include <string.h>

#include "canonical_kernels.h"
#include "heddle/tree.h"

enum {
    IN,
    OUT,
    WORKSPACE,
    N, /* arguments */
};
enum {
    WG,
    VEC,
    ROWS,
    LOOK,
    LANES,
    MERGE, /* parameters */
};
enum {
    SMALLEST_TILE = 1024,
    MOST_IN_REGISTERS = 32, /* elements of an item */
    PACKET_BYTES = 16,
    OTHER_PACKETS = 2, /* FIRST_NODE in the text */
};

static bool is_integer(const hed_kernel_def *def)
{
    for (uint32_t i = 0; i < def->define_count; i++)
        if (strcmp(def->defines[i].name, "INTEGER") == 0) return atoi(def->defines[i].value) != 0;
    return false;
}

static bool valid(
    const hed_kernel_def *def, const hed_config *config, const hed_device_info *device, bool strict)
{
    (void)def;
    const int64_t *value = config->values;
    bool lanes = hed_has_lanes_of_32(device);
    int64_t elements = value[VEC] * value[ROWS];
    /* Without lanes, LANES has one value. */
    if (!lanes && !value[LANES]) return false;
    if (elements > MOST_IN_REGISTERS || elements * value[WG] < SMALLEST_TILE) return false;
    int64_t slots = lanes && value[LANES] ? value[WG] / 32 : value[WG];
    int64_t words = 2 * slots * value[ROWS] + 32;
    return !(strict && value[MERGE]) && hed_static_local_fits(device, 4 * (uint64_t)words) &&
           hed_registers_fit(
               device, (uint64_t)value[WG], (uint64_t)(elements + 3 * value[ROWS] + 24));
}

static void geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    (void)def;
    const int64_t *value = config->values;
    uint64_t tile = (uint64_t)(value[WG] * value[VEC] * value[ROWS]);
    layout->dimensions = 1;
    layout->global[0] = hed_ceil_divide((uint64_t)problem->sizes[0], tile) * (uint64_t)value[WG];
    layout->group[0] = (uint32_t)value[WG];
}

/* ---- native: what a chain of the three other kernels does, by one team ---- */

typedef struct share {
    uint64_t begin, end;
} share;

static share share_of(uint64_t count, uint32_t member, uint32_t members)
{
    return (share){count * member / members, count * (member + 1) / members};
}

static void run_range(
    const hed_native_call *call, const hed_kernel_def *def, void *const *arguments, share part)
{
    hed_native_call own = *call;
    own.def = def;
    own.arguments = arguments;
    if (part.begin < part.end) def->range(&own, part.begin, part.end);
}

/* The workspace holds the tree of the sums of the tiles. */
static void scan_floats(const hed_native_call *call, hed_team *team, uint32_t member)
{
    void *in = call->arguments[IN], *out = call->arguments[OUT], *count = call->arguments[N];
    float *nodes = call->arguments[WORKSPACE];
    uint64_t tiles = hed_ceil_divide(*(const uint32_t *)count, HED_CANONICAL_TILE);
    share part = share_of(tiles, member, hed_team_size(team));
    run_range(call, &hed_reduction_def, (void *[]){in, nodes, count}, part);
    hed_team_barrier(team);
    float *level = nodes;
    for (uint64_t width = tiles; member == 0 && width > 1; width = (width + 1) / 2) {
        float *above = level + width;
        for (uint64_t i = 0; i < width / 2; i++) above[i] = level[2 * i] + level[2 * i + 1];
        if (width % 2) above[width / 2] = level[width - 1];
        level = above;
    }
    hed_team_barrier(team);
    run_range(call, &hed_scan_def, (void *[]){in, nodes, out, count}, part);
}

/* The workspace holds each member's sum. */
static void scan_integers(const hed_native_call *call, hed_team *team, uint32_t member)
{
    const uint32_t *in = call->arguments[IN];
    uint32_t *out = call->arguments[OUT], *sums = call->arguments[WORKSPACE], sum = 0;
    share part = share_of(*(const uint32_t *)call->arguments[N], member, hed_team_size(team));
    for (uint64_t i = part.begin; i < part.end; i++) sum += in[i];
    sums[member] = sum;
    hed_team_barrier(team);
    sum = 0;
    for (uint32_t before = 0; before < member; before++) sum += sums[before];
    for (uint64_t i = part.begin; i < part.end; i++) out[i] = sum += in[i];
}

static void native(const hed_native_call *call, hed_team *team, uint32_t member)
{
    if (is_integer(call->def)) scan_integers(call, team, member);
    else scan_floats(call, team, member);
}

/* ---- */

static void work(const hed_kernel_def *def, const hed_config *config, const hed_problem *problem,
    hed_work *amount)
{
    (void)def;
    (void)config;
    double n = (double)problem->sizes[0];
    *amount = (hed_work){.bytes = 8.0 * n, .operations = n - 1.0, .items = n};
}

uint64_t hed_canonical_scan_workspace(uint64_t n)
{
    /* Nodes of a tree over the smallest tiles; or a word for each member of a large team. */
    uint64_t packets = OTHER_PACKETS + 2 * hed_ceil_divide(n, SMALLEST_TILE);
    return PACKET_BYTES * (packets < 256 ? 256 : packets);
}

static uint64_t sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    (void)def;
    (void)config;
    uint64_t n = (uint64_t)problem->sizes[0];
    if (argument == WORKSPACE) return hed_canonical_scan_workspace(n);
    return argument == IN || argument == OUT ? 4 * n : 0;
}

static void sample_fill(const hed_kernel_def *def, const hed_problem *problem, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed)
{
    if (argument == N) *(uint32_t *)data = (uint32_t)problem->sizes[0];
    else if (argument == WORKSPACE) memset(data, 0, bytes);
    else if (is_integer(def)) hed_canonical_fill_words(data, bytes / 4, seed, argument);
    else hed_canonical_fill_floats(data, bytes / 4, seed, argument);
}

static const hed_argument_def arguments[] = {
    {.name = "in", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ},
    /* MERGE rounds otherwise: by parts of the largest prefix, which another one may be small
     * beside. */
    {.name = "out", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_WRITE, .tolerance = 1e-3},
    {.name = "workspace", .kind = HED_BUFFER, .type = HED_UINT32, .access = HED_WORKSPACE},
    {.name = "n", .kind = HED_SCALAR, .type = HED_UINT32},
};
static const int64_t groups[] = {128, 256, 512, 1024};
static const int64_t widths[] = {1, 2, 4};
static const int64_t rows[] = {1, 2, 4, 8, 16};
static const int64_t looks[] = {1, 3, 5};
static const int64_t switches[] = {0, 1};
static const hed_parameter_def parameters[] = {
    {"WG", groups, HED_COUNT(groups), 128, NULL},
    {"VEC", widths, HED_COUNT(widths), 4, NULL},
    {"ROWS", rows, HED_COUNT(rows), 8, NULL},
    {"LOOK", looks, HED_COUNT(looks), 5, NULL},
    {"LANES", switches, HED_COUNT(switches), 1, NULL},
    {"MERGE", switches, HED_COUNT(switches), 0, NULL},
};
static const hed_define defines[] = {{"INTEGER", "0"}};
static const char *const dimensions[] = {"n"};
static const hed_problem problems[] = {
    {1, {1}},
    {1, {31}},
    {1, {4096}},
    {1, {4099}},
    {1, {65537}},
    {1, {1100003}},
};

const hed_kernel_def hed_scan_single_def = {
    .name = "scan_single", .summary = "prefix sums of n floats in one pass",
    .sources = &hed_canonical_files[HED_CANONICAL_SCAN_SINGLE_CL], .source_count = 1,
    .arguments = arguments, .argument_count = HED_COUNT(arguments), .parameters = parameters,
    .parameter_count = HED_COUNT(parameters), .native_ignores = HED_ALL_PARAMETERS,
    .defines = defines, .define_count = HED_COUNT(defines), .dimensions = dimensions,
    .dimension_count = HED_COUNT(dimensions), .needs = HED_CAN_GLOBAL_ATOMICS, .max_threads = "WG",
    .valid = valid, .geometry = geometry, .team = native, .work = work, .metric = HED_METRIC_BYTES,
    .metric_unit = "GB/s",
    .sample = {problems, HED_COUNT(problems), {1, {1 << 27}}, sample_bytes, sample_fill},
};
