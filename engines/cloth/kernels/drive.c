/* Description and native version of `cloth_drive`. */
#include "kernels/kernels.h"

enum {
    POSITION,
    PREVIOUS,
    GARMENTS,
    COLLIDERS,
    CONTACT,
    DRIVER_FROM,
    DRIVER_TO,
    DRIVER_MAP,
    DEBUG,
    STEPS,
    SUBSTEP
}; /* arguments */

enum { SAMPLE_COLLIDERS = 3 };

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
        cloth_drive_one((uint)i, given[POSITION], given[PREVIOUS], given[GARMENTS],
            given[COLLIDERS], given[CONTACT], given[DRIVER_FROM], given[DRIVER_TO],
            given[DRIVER_MAP], given[DEBUG], step);
}
HED_NATIVE_CLONES(native, body)

/* A particle, its driver, limits and contact plane read, for each backstop (half of the sample's)
 * its normals, the particle and its colour written; about 100 operations for each of three
 * colliders. */
static void work(const hed_kernel_def *def, const hed_config *config, const hed_problem *problem,
    hed_work *amount)
{
    double n = (double)problem->sizes[0];
    *amount = (hed_work){.bytes = (16.0 * 3 + 16.0 * 3 + 32.0 / 2 + 32.0 + 8.0) * n,
        .operations = 400.0 * n,
        .items = n};
}

static uint64_t sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    uint64_t n = (uint64_t)problem->sizes[0];
    const uint64_t bytes[] = {[POSITION] = 16 * n,
        [PREVIOUS] = 16 * n,
        [GARMENTS] = 32 * CLOTH_SAMPLE_GARMENTS,
        [COLLIDERS] = 16 * CLOTH_COLLIDER_WORDS * SAMPLE_COLLIDERS,
        [CONTACT] = 32 * n,
        [DRIVER_FROM] = 32 * n,
        [DRIVER_TO] = 32 * n,
        [DRIVER_MAP] = 32 * n,
        [DEBUG] = 8 * n,
        [STEPS] = 2 * sizeof(cloth_step)};
    return argument < HED_COUNT(bytes) ? bytes[argument] : 0;
}

/* A plane, a sphere and a capsule that move. */
static void fill_colliders(float4 *words)
{
    static const float4 shapes[SAMPLE_COLLIDERS][CLOTH_COLLIDER_WORDS] = {
        {{0.0f, -0.5f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f, 0.0f}, {0.0f, -0.45f, 0.0f, 0.0f},
            {0.0f, 1.0f, 0.0f, 0.0f}, {HED_CLOTH_PLANE, 0.5f, 0.0f, 0.0f}},
        {{0.1f, 0.2f, 0.0f, 0.3f}, {0.0f, 0.0f, 0.0f, 0.0f}, {0.15f, 0.2f, 0.1f, 0.3f},
            {0.0f, 0.0f, 0.0f, 0.0f}, {HED_CLOTH_SPHERE, 0.3f, 0.0f, 0.0f}},
        {{-0.5f, 0.0f, 0.0f, 0.2f}, {-0.5f, 0.6f, 0.2f, 0.1f}, {-0.4f, 0.0f, 0.0f, 0.2f},
            {-0.4f, 0.6f, 0.2f, 0.1f}, {HED_CLOTH_CAPSULE, 0.2f, 0.0f, 0.0f}}};
    memcpy(words, shapes, sizeof shapes);
}

/* Unit normals; every third has no contact. */
static void fill_contact(float4 *contact, uint64_t n, uint64_t seed)
{
    for (uint64_t i = 0; i < n; i++) {
        float v[8];
        cloth_sample_floats(v, 8, seed + i, CONTACT, -1.0f, 1.0f);
        contact[2 * i] = cloth_unit(hed_f4(v[0], v[1], v[2] + 2.0f, 0.3f * v[3]));
        contact[2 * i + 1] =
            (float4){0.05f * v[4], 0.05f * v[5], 0.05f * v[6], i % 3 == 1 ? -1.0f : 0.4f};
    }
}

static void fill_driver(float4 *driver, uint64_t n, uint64_t seed, uint32_t argument)
{
    for (uint64_t i = 0; i < n; i++) {
        float v[6];
        cloth_sample_floats(v, 6, seed + i, argument, -1.0f, 1.0f);
        driver[i] = (float4){v[0], v[1], v[2], 0.0f};
        driver[n + i] = cloth_unit(hed_f4(v[3], v[4] + 2.0f, v[5], 0.0f));
    }
}

static void sample_fill(const hed_kernel_def *def, const hed_problem *problem, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed)
{
    uint64_t n = (uint64_t)problem->sizes[0];
    switch (argument) {
    case POSITION: cloth_sample_positions(data, n, seed); break;
    case PREVIOUS: cloth_sample_previous(data, n, seed); break;
    case GARMENTS: cloth_sample_garments(data); break;
    case COLLIDERS: fill_colliders(data); break;
    case CONTACT: fill_contact(data, n, seed); break;
    case DRIVER_FROM:
    case DRIVER_TO: fill_driver(data, n, seed, argument); break;
    case DRIVER_MAP: cloth_sample_driver_map(data, n, seed); break;
    case STEPS:
        for (uint64_t s = 0; s < bytes / sizeof(cloth_step); s++) {
            cloth_step *step = (cloth_step *)data + s;
            *step = cloth_sample_step((uint)n, CLOTH_STEP_DRIVER | CLOTH_STEP_CONTACTS);
            step->colliders = SAMPLE_COLLIDERS;
        }
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
    [PREVIOUS] = {.name = "previous", .kind = HED_BUFFER, .type = HED_FLOAT},
    [GARMENTS] = {.name = "garments", .kind = HED_BUFFER, .type = HED_FLOAT},
    [COLLIDERS] = {.name = "colliders", .kind = HED_BUFFER, .type = HED_FLOAT},
    [CONTACT] = {.name = "contact", .kind = HED_BUFFER, .type = HED_FLOAT},
    [DRIVER_FROM] = {.name = "driver_from", .kind = HED_BUFFER, .type = HED_FLOAT},
    [DRIVER_TO] = {.name = "driver_to", .kind = HED_BUFFER, .type = HED_FLOAT},
    [DRIVER_MAP] = {.name = "driver_map", .kind = HED_BUFFER, .type = HED_FLOAT},
    [DEBUG] = {.name = "debug",
        .kind = HED_BUFFER,
        .type = HED_FLOAT,
        .access = HED_WRITE,
        .tolerance = 1e-5},
    [STEPS] = {.name = "steps", .kind = HED_BUFFER, .type = HED_BYTES},
    [SUBSTEP] = {.name = "substep", .kind = HED_SCALAR, .type = HED_UINT32},
};
static const hed_source sources[] = {
    CLOTH_SHARED_SOURCES, {"lanes.h", hed_cloth_lanes_h, 0}, {"drive.cl", hed_cloth_drive_cl, 0}};
static const char *const dimensions[] = {"particles"};
static const hed_problem problems[] = {{1, {1}}, {1, {7}}, {1, {64}}, {1, {1003}}};

const hed_kernel_def cloth_drive_def = {
    .name = "cloth_drive",
    .summary = "colliders, contact planes and the driver constraint of each particle",
    .entry = "cloth_drive_all",
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
    .sample = {problems, HED_COUNT(problems), {1, {1 << 22}}, sample_bytes, sample_fill},
};
