/* Description and native version of `cloth_feed`. */
#include "kernels/kernels.h"

enum { POSITIONS, NORMALS, PAIRS, DRIVER_MAP, DRIVER_TO, FED }; /* arguments */

static void geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    cloth_plain_geometry(config, (uint64_t)problem->sizes[0], layout);
}

HED_NATIVE_BODY body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *given = call->arguments;
    for (uint64_t i = begin; i < end; i++)
        cloth_feed_one((uint)i, given[POSITIONS], given[NORMALS], given[PAIRS], given[DRIVER_MAP],
            given[DRIVER_TO], *(const cloth_feeding *)given[FED]);
}
HED_NATIVE_CLONES(native, body)

/* A pair, or six floats, and the limits read, a pair written. */
static void work(const hed_kernel_def *def, const hed_config *config, const hed_problem *problem,
    hed_work *amount)
{
    double n = (double)problem->sizes[0];
    *amount = (hed_work){.bytes = (32.0 + 16.0 + 32.0) * n, .items = n};
}

static uint64_t sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    uint64_t n = (uint64_t)problem->sizes[0];
    const uint64_t bytes[] = {[POSITIONS] = 12 * n,
        [NORMALS] = 12 * n,
        [PAIRS] = 32 * n,
        [DRIVER_MAP] = 32 * n,
        [DRIVER_TO] = 32 * n};
    return argument < HED_COUNT(bytes) ? bytes[argument] : 0;
}

static void sample_fill(const hed_kernel_def *def, const hed_problem *problem, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed)
{
    uint64_t n = (uint64_t)problem->sizes[0];
    switch (argument) {
    case DRIVER_MAP: cloth_sample_driver_map(data, n, seed); break;
    case FED:
        *(cloth_feeding *)data = (cloth_feeding){
            n % 4 ? (uint)(n % 4) : CLOTH_FEED_PAIRS, (uint)n, 0.125f, -2.5f, 1000.0f};
        break;
    default: cloth_sample_floats(data, bytes / 4, seed, argument, -1.0f, 1.0f);
    }
}

static const hed_argument_def arguments[] = {
    [POSITIONS] = {.name = "positions", .kind = HED_BUFFER, .type = HED_FLOAT},
    [NORMALS] = {.name = "normals", .kind = HED_BUFFER, .type = HED_FLOAT},
    [PAIRS] = {.name = "pairs", .kind = HED_BUFFER, .type = HED_FLOAT},
    [DRIVER_MAP] = {.name = "driver_map", .kind = HED_BUFFER, .type = HED_FLOAT},
    [DRIVER_TO] = {.name = "driver_to",
        .kind = HED_BUFFER,
        .type = HED_FLOAT,
        .access = HED_READ_WRITE},
    [FED] = {.name = "fed", .kind = HED_STRUCT, .type = HED_BYTES, .size = sizeof(cloth_feeding)},
};
static const hed_source sources[] = {CLOTH_SHARED_SOURCES, {"feed.cl", hed_cloth_feed_cl, 0}};
static const char *const dimensions[] = {"particles"};
static const hed_problem problems[] = {{1, {1}}, {1, {6}}, {1, {64}}, {1, {1003}}};

const hed_kernel_def cloth_feed_def = {
    .name = "cloth_feed",
    .summary = "the driver as the program has it into positions and normals",
    .sources = sources,
    .source_count = HED_COUNT(sources),
    .arguments = arguments,
    .argument_count = HED_COUNT(arguments),
    .parameters = &cloth_version_parameters[CLOTH_WG],
    .parameter_count = 1,
    .native_ignores = HED_ALL_PARAMETERS,
    .dimensions = dimensions,
    .dimension_count = HED_COUNT(dimensions),
    .max_threads = "WG",
    .geometry = geometry,
    .range = native,
    .work = work,
    .metric = HED_METRIC_ITEMS,
    .metric_unit = "Gparticles/s",
    .sample = {problems, HED_COUNT(problems), {1, {1 << 22}}, sample_bytes, sample_fill},
};
