/* Description and native version of `cloth_write_back`. */
#include "kernels/kernels.h"

enum { POSITION, DEBUG, VERTEX_PARTICLE, AIR, VERTICES, NORMALS, BROKEN, VIEW }; /* arguments */

static void geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    cloth_version_geometry(config, (uint64_t)problem->sizes[0], layout);
}

HED_NATIVE_BODY body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *given = call->arguments;
    cloth_view view = *(const cloth_view *)given[VIEW];
    for (uint64_t i = begin; i < end; i++)
        cloth_write_back_one((uint)i, given[POSITION], given[DEBUG], given[VERTEX_PARTICLE],
            given[AIR], given[VERTICES], given[NORMALS], given[BROKEN], view);
}
HED_NATIVE_CLONES(native, body)

/* A particle, its number, colour and normal read, a vertex and a normal written; two matrices. */
static void work(const hed_kernel_def *def, const hed_config *config, const hed_problem *problem,
    hed_work *amount)
{
    double n = (double)problem->sizes[0];
    *amount = (hed_work){
        .bytes = (4.0 + 16.0 + 8.0 + 16.0 + 32.0) * n, .operations = 45.0 * n, .items = n};
}

static uint64_t sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    uint64_t n = (uint64_t)problem->sizes[0];
    const uint64_t bytes[] = {[POSITION] = 16 * n,
        [DEBUG] = 8 * n,
        [VERTEX_PARTICLE] = 4 * n,
        [AIR] = 16 * n,
        [VERTICES] = 16 * n,
        [NORMALS] = 16 * n,
        [BROKEN] = 16};
    return argument < HED_COUNT(bytes) ? bytes[argument] : 0;
}

static void sample_fill(const hed_kernel_def *def, const hed_problem *problem, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed)
{
    uint64_t n = (uint64_t)problem->sizes[0];
    switch (argument) {
    case POSITION:
        cloth_sample_positions(data, n, seed);
        if (n > 40) ((float4 *)data)[40].y = NAN;
        break;
    case DEBUG:
        for (uint64_t i = 0; i < n; i++)
            ((uint2 *)data)[i] = (uint2){cloth_colour((uint)(i % 4)), 0};
        break;
    case VERTEX_PARTICLE:
        for (uint64_t i = 0; i < n; i++) ((uint *)data)[i] = (uint)((i * 11 + 3) % n);
        break;
    case AIR: cloth_sample_floats(data, bytes / 4, seed, argument, -1.0f, 1.0f); break;
    case VIEW: cloth_sample_view(data, n); break;
    }
}

/* `broken` begins as zeros, as it does in a cloth. */
static const hed_argument_def arguments[] = {
    [POSITION] = {.name = "position", .kind = HED_BUFFER, .type = HED_FLOAT},
    [DEBUG] = {.name = "debug", .kind = HED_BUFFER, .type = HED_UINT32},
    [VERTEX_PARTICLE] = {.name = "vertex_particle", .kind = HED_BUFFER, .type = HED_UINT32},
    [AIR] = {.name = "air", .kind = HED_BUFFER, .type = HED_FLOAT},
    [VERTICES] = {.name = "vertices",
        .kind = HED_BUFFER,
        .type = HED_FLOAT,
        .access = HED_WRITE,
        .tolerance = 1e-5},
    [NORMALS] = {.name = "normals",
        .kind = HED_BUFFER,
        .type = HED_FLOAT,
        .access = HED_WRITE,
        .tolerance = 1e-5},
    [BROKEN] = {.name = "broken", .kind = HED_BUFFER, .type = HED_UINT32, .access = HED_READ_WRITE},
    [VIEW] = {.name = "view", .kind = HED_STRUCT, .type = HED_BYTES, .size = sizeof(cloth_view)},
};
static const hed_source sources[] = {CLOTH_SHARED_SOURCES, {"lanes.h", hed_cloth_lanes_h, 0},
    {"write_back.cl", hed_cloth_write_back_cl, 0}};
static const char *const dimensions[] = {"vertices"};
static const hed_problem problems[] = {{1, {1}}, {1, {7}}, {1, {64}}, {1, {1003}}};

const hed_kernel_def cloth_write_back_def = {
    .name = "cloth_write_back",
    .summary = "vertices and normals from particles, through a matrix, colours packed",
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
    .metric_unit = "Gvertices/s",
    .sample = {problems, HED_COUNT(problems), {1, {1 << 22}}, sample_bytes, sample_fill},
};
