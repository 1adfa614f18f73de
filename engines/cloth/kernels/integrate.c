/* Description and native version of `cloth_integrate`. */
#include "kernels/kernels.h"

enum {
    POSITION,
    PREVIOUS,
    CARRY,
    GARMENTS,
    AIR,
    TETHER,
    ANCHORS,
    DRIVER_FROM,
    DRIVER_TO,
    DRIVER_MAP,
    STEPS,
    SUBSTEP
}; /* arguments */

static void geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    cloth_version_geometry(config, (uint64_t)problem->sizes[0], layout);
}

HED_NATIVE_BODY body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *given = call->arguments;
    cloth_step step = cloth_step_at(given[STEPS], *(const uint *)given[SUBSTEP]);
    for (uint64_t i = begin; i < end; i++)
        cloth_integrate_one((uint)i, given[POSITION], given[PREVIOUS], given[CARRY],
            given[GARMENTS], given[AIR], given[TETHER], given[ANCHORS], given[DRIVER_FROM],
            given[DRIVER_TO], given[DRIVER_MAP], step);
}
HED_NATIVE_CLONES(native, body)

/* A particle is read and written, with all maps read; about 100 operations with air and a
 * tether. */
static void work(const hed_kernel_def *def, const hed_config *config, const hed_problem *problem,
    hed_work *amount)
{
    double n = (double)problem->sizes[0];
    *amount = (hed_work){.bytes = (80.0 + 16.0 + 8.0) * n, .operations = 100.0 * n, .items = n};
}

static uint64_t sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    uint64_t n = (uint64_t)problem->sizes[0];
    const uint64_t bytes[] = {[POSITION] = 16 * n,
        [PREVIOUS] = 16 * n,
        [CARRY] = 8 * n,
        [GARMENTS] = 32 * CLOTH_SAMPLE_GARMENTS,
        [AIR] = 16 * n,
        [TETHER] = 8 * n,
        [ANCHORS] = 4 * 4,
        [DRIVER_FROM] = 32 * n,
        [DRIVER_TO] = 32 * n,
        [DRIVER_MAP] = 32 * n,
        [STEPS] = 2 * sizeof(cloth_step)};
    return argument < SUBSTEP ? bytes[argument] : 0;
}

static void fill_air(float4 *air, uint64_t n, uint64_t seed)
{
    for (uint64_t i = 0; i < n; i++) {
        float v[4];
        cloth_sample_floats(v, 4, seed + i, AIR, -1.0f, 1.0f);
        air[i] = cloth_unit(hed_f4(v[0], v[1], v[2], v[3] > 0.0f ? 4.0f + v[3] : 0.0f));
    }
}

static void fill_carry(uint2 *carry, uint64_t n, uint64_t seed)
{
    for (uint64_t i = 0; i < n; i++) {
        float v[3];
        cloth_sample_floats(v, 3, seed + i, CARRY, -3e-8f, 3e-8f);
        carry[i] = cloth_carry_pack(hed_f4(v[0], v[1], v[2], 0.0f));
    }
}

/* Every locked particle of the sample is an anchor, if it is among the first: 3, 10, 17, 24. */
static void fill_tethers(uint2 *tether, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        tether[i] = (uint2){i % 5 == 0 || n < 25 ? CLOTH_NONE : (uint)(i % 4),
            as_uint(0.3f + 0.1f * (float)(i % 11))};
}

static void sample_fill(const hed_kernel_def *def, const hed_problem *problem, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed)
{
    uint64_t n = (uint64_t)problem->sizes[0];
    switch (argument) {
    case POSITION: cloth_sample_positions(data, n, seed); break;
    case PREVIOUS: cloth_sample_previous(data, n, seed); break;
    case CARRY: fill_carry(data, n, seed); break;
    case GARMENTS: cloth_sample_garments(data); break;
    case AIR: fill_air(data, n, seed); break;
    case TETHER: fill_tethers(data, n); break;
    case ANCHORS: memcpy(data, (const uint[]){3, 10, 17, 24}, bytes); break;
    case DRIVER_FROM:
    case DRIVER_TO: cloth_sample_floats(data, bytes / 4, seed, argument, -1.0f, 1.0f); break;
    case DRIVER_MAP: cloth_sample_driver_map(data, n, seed); break;
    case STEPS:
        for (uint32_t s = 0; s < 2; s++)
            ((cloth_step *)data)[s] =
                cloth_sample_step((uint)n, CLOTH_STEP_TETHERS | CLOTH_STEP_DRIVER | CLOTH_STEP_AIR);
        break;
    default: *(uint *)data = 1;
    }
}

static const hed_argument_def arguments[] = {
    [POSITION] = {.name = "position",
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
    [GARMENTS] = {.name = "garments", .kind = HED_BUFFER, .type = HED_FLOAT},
    [AIR] = {.name = "air", .kind = HED_BUFFER, .type = HED_FLOAT},
    [TETHER] = {.name = "tether", .kind = HED_BUFFER, .type = HED_UINT32},
    [ANCHORS] = {.name = "anchors", .kind = HED_BUFFER, .type = HED_UINT32},
    [DRIVER_FROM] = {.name = "driver_from", .kind = HED_BUFFER, .type = HED_FLOAT},
    [DRIVER_TO] = {.name = "driver_to", .kind = HED_BUFFER, .type = HED_FLOAT},
    [DRIVER_MAP] = {.name = "driver_map", .kind = HED_BUFFER, .type = HED_FLOAT},
    [STEPS] = {.name = "steps", .kind = HED_BUFFER, .type = HED_BYTES},
    [SUBSTEP] = {.name = "substep", .kind = HED_SCALAR, .type = HED_UINT32},
};
static const hed_source sources[] = {CLOTH_SHARED_SOURCES, {"lanes.h", hed_cloth_lanes_h, 0},
    {"integrate.cl", hed_cloth_integrate_cl, 0}};
static const char *const dimensions[] = {"particles"};
static const hed_problem problems[] = {{1, {1}}, {1, {7}}, {1, {64}}, {1, {1003}}};

const hed_kernel_def cloth_integrate_def = {
    .name = "cloth_integrate",
    .summary = "time-corrected Verlet step of each particle, with air and its tether",
    .entry = "cloth_integrate_all",
    .sources = sources,
    .source_count = HED_COUNT(sources),
    .arguments = arguments,
    .argument_count = HED_COUNT(arguments),
    .parameters = cloth_version_parameters,
    .parameter_count = CLOTH_VERSION_PARAMETERS,
    .native_ignores = HED_ALL_PARAMETERS,
    .conditions = cloth_version_conditions,
    .condition_count = HED_COUNT(cloth_version_conditions),
    .dimensions = dimensions,
    .dimension_count = HED_COUNT(dimensions),
    .max_threads = "WG",
    .geometry = geometry,
    .range = native,
    .work = work,
    .metric = HED_METRIC_ITEMS,
    .metric_unit = "Gparticles/s",
    .sample = {problems, HED_COUNT(problems), {1, {(1 << 22) - 1}}, sample_bytes, sample_fill},
};
