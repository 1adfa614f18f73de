/* Description and native version of `scan_single`. */
#include <stdlib.h>

#include "canonical_kernels.h"

enum { IN, OUT, WORKSPACE, N };             /* arguments */
enum { WG, VEC, ROWS, LOOK, LANES, MERGE }; /* parameters */
enum {
    SMALLEST_TILE = 1024,
    MOST_IN_REGISTERS = 32, /* elements of an item */
    PACKET_BYTES = 16,
    OTHER_PACKETS = 2 /* FIRST_NODE in the text */
};

static bool scan_is_integer(const hed_kernel_def *def)
{
    for (uint32_t i = 0; i < def->define_count; i++)
        if (strcmp(def->defines[i].name, "INTEGER") == 0) return atoi(def->defines[i].value) != 0;
    return false;
}

static bool scan_single_valid(
    const hed_kernel_def *def, const hed_config *config, const hed_device_info *device, bool strict)
{
    const int64_t *value = config->values;
    bool lanes = hed_has_lanes_of_32(device);
    int64_t elements = value[VEC] * value[ROWS];
    /* LANES has one value on devices without lane exchanges */
    if (!lanes && !value[LANES]) return false;
    if (elements > MOST_IN_REGISTERS || elements * value[WG] < SMALLEST_TILE) return false;
    int64_t slots = lanes && value[LANES] ? value[WG] / 32 : value[WG];
    int64_t words = 2 * slots * value[ROWS] + 32;
    return !(strict && value[MERGE]) && hed_static_local_fits(device, 4 * (uint64_t)words) &&
           hed_registers_fit(
               device, (uint64_t)value[WG], (uint64_t)(elements + 3 * value[ROWS] + 24));
}

static void scan_single_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *geometry)
{
    const int64_t *value = config->values;
    uint64_t tile = (uint64_t)(value[WG] * value[VEC] * value[ROWS]);
    hed_geometry_1d(geometry, hed_ceil_divide((uint64_t)problem->sizes[0], tile), value[WG], 0, 0);
}

/* ---- native: the chain of the three other kernels, by one team ---- */

typedef struct share {
    uint64_t begin, end;
} share;

static share scan_share(uint64_t count, uint32_t member, uint32_t members)
{
    return (share){count * member / members, count * (member + 1) / members};
}

static void scan_run_range(
    const hed_native_call *call, const hed_kernel_def *def, void *const *arguments, share part)
{
    hed_native_call member_call = *call;
    member_call.def = def;
    member_call.arguments = arguments;
    if (part.begin < part.end) def->range(&member_call, part.begin, part.end);
}

/* Scans floats; the workspace contains the tree of the tiles' sums. */
static void scan_floats(const hed_native_call *call, hed_team *team, uint32_t member)
{
    void *in = call->arguments[IN], *out = call->arguments[OUT], *count = call->arguments[N];
    float *nodes = call->arguments[WORKSPACE];
    uint64_t tiles = hed_ceil_divide(*(const uint32_t *)count, HED_CANONICAL_TILE);
    share part = scan_share(tiles, member, hed_team_size(team));
    scan_run_range(call, &hed_reduction_def, (void *[]){in, nodes, count}, part);
    hed_team_barrier(team);
    float *level = nodes;
    for (uint64_t width = tiles; member == 0 && width > 1; width = (width + 1) / 2) {
        float *above = level + width;
        for (uint64_t i = 0; i < width / 2; i++) above[i] = level[2 * i] + level[2 * i + 1];
        if (width % 2) above[width / 2] = level[width - 1];
        level = above;
    }
    hed_team_barrier(team);
    scan_run_range(call, &hed_scan_def, (void *[]){in, nodes, out, count}, part);
}

/* Scans integers; the workspace contains each member's sum. */
static void scan_integers(const hed_native_call *call, hed_team *team, uint32_t member)
{
    const uint32_t *in = call->arguments[IN];
    uint32_t *out = call->arguments[OUT], *sums = call->arguments[WORKSPACE], sum = 0;
    share part = scan_share(*(const uint32_t *)call->arguments[N], member, hed_team_size(team));
    for (uint64_t i = part.begin; i < part.end; i++) sum += in[i];
    sums[member] = sum;
    hed_team_barrier(team);
    sum = 0;
    for (uint32_t before = 0; before < member; before++) sum += sums[before];
    for (uint64_t i = part.begin; i < part.end; i++) out[i] = sum += in[i];
}

static void scan_single_native(const hed_native_call *call, hed_team *team, uint32_t member)
{
    if (scan_is_integer(call->def)) scan_integers(call, team, member);
    else scan_floats(call, team, member);
}

/* ---- */

static void scan_single_work(
    const hed_kernel_def *def, const hed_config *config, const hed_problem *problem, hed_work *work)
{
    hed_default_work(def, config, problem, work);
    work->operations = work->items - 1.0;
}

uint64_t hed_canonical_scan_workspace(uint64_t n)
{
    /* Nodes of a tree over the smallest tiles; or a word for each member of a large team. */
    uint64_t packets = OTHER_PACKETS + 2 * hed_ceil_divide(n, SMALLEST_TILE);
    return PACKET_BYTES * (packets < 256 ? 256 : packets);
}

static uint64_t scan_single_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    if (argument == WORKSPACE) return hed_canonical_scan_workspace((uint64_t)problem->sizes[0]);
    return hed_default_sample_bytes(def, config, problem, argument);
}

static void scan_single_fill(const hed_kernel_def *def, const hed_problem *problem,
    uint32_t argument, void *data, uint64_t bytes, uint64_t seed)
{
    if (argument == WORKSPACE) memset(data, 0, bytes);
    else if (argument != N && scan_is_integer(def))
        hed_sample_words(data, bytes / 4, seed, argument);
    else hed_default_sample_fill(def, problem, argument, data, bytes, seed);
}

const hed_kernel_def hed_scan_single_def = {
    .name = "scan_single", .summary = "prefix sums of n floats in one pass",
    HED_CANONICAL_TEXT(scan_single),
    /* MERGE rounds differently: relative to the largest prefix sum, compared with which another one
     * may be small. */
    HED_ARGUMENTS(HED_IN(float, in), HED_OUT(float, out, .tolerance = 1e-3),
        HED_SCRATCH(uint, workspace), HED_VALUE(uint, n)),
    HED_PARAMETERS(HED_PARAMETER(WG, 128, 128, 256, 512, 1024), HED_PARAMETER(VEC, 4, 1, 2, 4),
        HED_PARAMETER(ROWS, 8, 1, 2, 4, 8, 16), HED_PARAMETER(LOOK, 5, 1, 3, 5),
        HED_SWITCH(LANES, 1), HED_SWITCH(MERGE, 0)),
    .native_ignores = HED_ALL_PARAMETERS, HED_DEFINES({"INTEGER", "0"}), HED_DIMENSIONS("n"),
    .needs = HED_CAN_GLOBAL_ATOMICS, .max_threads = "WG", .valid = scan_single_valid,
    .geometry = scan_single_geometry, .team = scan_single_native, .work = scan_single_work,
    .metric = HED_METRIC_BYTES,
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(31), HED_PROBLEM(4096), HED_PROBLEM(4099),
        HED_PROBLEM(65537), HED_PROBLEM(1100003)),
    .sample.benchmark = HED_PROBLEM(1 << 27), .sample.bytes = scan_single_bytes,
    .sample.fill = scan_single_fill,
};
