/* Description and native version of `cloth_surface`. */
#include "kernels/kernels.h"

enum { POSITION, INCIDENT_AT, INCIDENT, TRIANGLES, AIR, PARTICLES }; /* arguments */
/* triangles around a particle of the sample */
enum { AROUND = 6 };

static void geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    cloth_plain_geometry(config, (uint64_t)problem->sizes[0], layout);
}

HED_NATIVE_BODY body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *given = call->arguments;
    for (uint64_t i = begin; i < end; i++)
        cloth_surface_one((uint)i, given[POSITION], given[INCIDENT_AT], given[INCIDENT],
            given[TRIANGLES], given[AIR]);
}
HED_NATIVE_CLONES(native, body)

/* Six triangles around each particle: their corners are read once each, two triangles a particle;
 * 30 operations a triangle. */
static void work(const hed_kernel_def *def, const hed_config *config, const hed_problem *problem,
    hed_work *amount)
{
    double n = (double)problem->sizes[0];
    *amount = (hed_work){
        .bytes = (16.0 + 4.0 + 24.0 + 24.0 + 16.0) * n, .operations = 190.0 * n, .items = n};
}

static uint64_t sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    uint64_t n = (uint64_t)problem->sizes[0];
    const uint64_t bytes[] = {[POSITION] = 16 * n,
        [INCIDENT_AT] = 4 * (n + 1),
        [INCIDENT] = 4 * AROUND * n,
        [TRIANGLES] = 12 * n,
        [AIR] = 16 * n};
    return argument < HED_COUNT(bytes) ? bytes[argument] : 0;
}

static void sample_fill(const hed_kernel_def *def, const hed_problem *problem, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed)
{
    uint64_t n = (uint64_t)problem->sizes[0];
    switch (argument) {
    case POSITION: cloth_sample_positions(data, n, seed); break;
    case INCIDENT_AT: /* the last particle has no triangle */
        for (uint64_t i = 0; i <= n; i++) ((uint *)data)[i] = (uint)(AROUND * (i < n ? i : n - 1));
        break;
    case INCIDENT:
        for (uint64_t i = 0; i < AROUND * n; i++) ((uint *)data)[i] = (uint)((i * 7 + i / 3) % n);
        break;
    case TRIANGLES:
        for (uint64_t i = 0; i < bytes / 4; i++) ((uint *)data)[i] = (uint)((i * 5 + i / 7) % n);
        break;
    case PARTICLES: *(uint *)data = (uint)n; break;
    }
}

static const hed_argument_def arguments[] = {
    [POSITION] = {.name = "position", .kind = HED_BUFFER, .type = HED_FLOAT},
    [INCIDENT_AT] = {.name = "incident_at", .kind = HED_BUFFER, .type = HED_UINT32},
    [INCIDENT] = {.name = "incident", .kind = HED_BUFFER, .type = HED_UINT32},
    [TRIANGLES] = {.name = "triangles", .kind = HED_BUFFER, .type = HED_UINT32},
    [AIR] = {.name = "air",
        .kind = HED_BUFFER,
        .type = HED_FLOAT,
        .access = HED_WRITE,
        .tolerance = 1e-4},
    [PARTICLES] = {.name = "particles", .kind = HED_SCALAR, .type = HED_UINT32},
};
static const hed_source sources[] = {CLOTH_SHARED_SOURCES, {"surface.cl", hed_cloth_surface_cl, 0}};
static const char *const dimensions[] = {"particles"};
static const hed_problem problems[] = {{1, {1}}, {1, {7}}, {1, {64}}, {1, {1003}}};

const hed_kernel_def cloth_surface_def = {
    .name = "cloth_surface",
    .summary = "normal and area of each particle, from the triangles around it",
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
