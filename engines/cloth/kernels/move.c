/* Description and native version of `cloth_move`. */
#include "kernels/kernels.h"

enum { ARRAY, PREVIOUS, CARRY, RIGID }; /* arguments */

static void geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    cloth_plain_geometry(config, (uint64_t)problem->sizes[0], layout);
}

HED_NATIVE_BODY body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    cloth_rigid rigid = *(const cloth_rigid *)call->arguments[RIGID];
    for (uint64_t i = begin; i < end; i++)
        cloth_move_one((uint)i, call->arguments[ARRAY], call->arguments[PREVIOUS],
            call->arguments[CARRY], rigid);
}
HED_NATIVE_CLONES(native, body)

/* A point read and written, through a matrix; particles have two and a half times as much. */
static void work(const hed_kernel_def *def, const hed_config *config, const hed_problem *problem,
    hed_work *amount)
{
    double n = (double)problem->sizes[0];
    *amount = (hed_work){.bytes = 32.0 * n, .operations = 18.0 * n, .items = n};
}

static uint64_t sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    uint64_t n = (uint64_t)problem->sizes[0];
    const uint64_t bytes[] = {
        [ARRAY] = 16 * (n + 1), [PREVIOUS] = 16 * (n + 1), [CARRY] = 8 * (n + 1)};
    return argument < HED_COUNT(bytes) ? bytes[argument] : 0;
}

static void sample_fill(const hed_kernel_def *def, const hed_problem *problem, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed)
{
    uint64_t n = (uint64_t)problem->sizes[0];
    switch (argument) {
    case ARRAY: cloth_sample_positions(data, n + 1, seed); break;
    case PREVIOUS: cloth_sample_previous(data, n + 1, seed); break;
    case CARRY: memset(data, 0, bytes); break;
    case RIGID:
        *(cloth_rigid *)data = (cloth_rigid){{0.8f, 0.6f, 0.0f, 0.0f, -0.6f, 0.8f, 0.0f, 0.0f, 0.0f,
                                                 0.0f, 1.0f, 0.0f, 0.5f, -0.25f, 2.0f, 1.0f},
            1, (uint)n, (uint)((n + 2) % 4 % 3)}; /* all three among the problems below */
        break;
    }
}

static const hed_argument_def arguments[] = {
    [ARRAY] = {.name = "array",
        .kind = HED_BUFFER,
        .type = HED_FLOAT,
        .access = HED_READ_WRITE,
        .tolerance = 1e-5},
    [PREVIOUS] = {.name = "previous",
        .kind = HED_BUFFER,
        .type = HED_FLOAT,
        .access = HED_READ_WRITE,
        .tolerance = 1e-5},
    [CARRY] = {.name = "carry",
        .kind = HED_BUFFER,
        .type = HED_FLOAT,
        .access = HED_READ_WRITE,
        .tolerance = 1e-5},
    [RIGID] = {.name = "rigid", .kind = HED_STRUCT, .type = HED_BYTES, .size = sizeof(cloth_rigid)},
};
static const hed_source sources[] = {CLOTH_SHARED_SOURCES, {"move.cl", hed_cloth_move_cl, 0}};
static const char *const dimensions[] = {"points"};
static const hed_problem problems[] = {{1, {1}}, {1, {7}}, {1, {64}}, {1, {1003}}};

const hed_kernel_def cloth_move_def = {
    .name = "cloth_move",
    .summary = "points, directions or particles through a rigid matrix",
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
    .metric_unit = "Gpoints/s",
    .sample = {problems, HED_COUNT(problems), {1, {1 << 22}}, sample_bytes, sample_fill},
};
