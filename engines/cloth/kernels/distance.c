/* Description and native version of `cloth_distance`. */
#include "kernels/kernels.h"

/* arguments */
enum { POSITION, ENDS, RESTS, KINDS, MATERIALS, MULTIPLIERS, STEPS, SUBSTEP, PASS, FIRST, NUMBER };

static void geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    cloth_version_geometry(config, (uint64_t)problem->sizes[0], layout);
}

HED_NATIVE_BODY body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *given = call->arguments;
    cloth_step step = cloth_step_at(given[STEPS], *(const uint *)given[SUBSTEP]);
    uint pass = *(const uint *)given[PASS], first = *(const uint *)given[FIRST];
    for (uint64_t i = begin; i < end; i++)
        cloth_distance_one(first + (uint)i, given[POSITION], given[ENDS], given[RESTS],
            given[KINDS], given[MATERIALS], given[MULTIPLIERS], step.stiffness, pass);
}
HED_NATIVE_CLONES(native, body)

/* Two particles read and written, 14 bytes of the constraint; 33 operations. */
static void work(const hed_kernel_def *def, const hed_config *config, const hed_problem *problem,
    hed_work *amount)
{
    double n = (double)problem->sizes[0];
    *amount = (hed_work){.bytes = (64.0 + 14.0) * n, .operations = 33.0 * n, .items = n};
}

/* Constraint i of the sample, from 1 on, connects particles 2 i and 2 i + 1; the first element is
 * not in the range. */
static uint64_t sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    uint64_t n = (uint64_t)problem->sizes[0] + 1;
    const uint64_t bytes[] = {[POSITION] = 32 * n,
        [ENDS] = 8 * n,
        [RESTS] = 4 * n,
        [KINDS] = 2 * n,
        [MATERIALS] = 3 * 16,
        [MULTIPLIERS] = 4 * n,
        [STEPS] = 2 * sizeof(cloth_step)};
    return argument < SUBSTEP ? bytes[argument] : 0;
}

static void fill_ends(uint2 *ends, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        uint mixed =
            (uint)((i * 5 + 2) %
                   n); /* some order; the same pair twice only where n divides by 5, which no
                                                 problem's does */
        ends[i] = i % 2 ? (uint2){2 * mixed, 2 * mixed + 1} : (uint2){2 * mixed + 1, 2 * mixed};
    }
}

static void sample_fill(const hed_kernel_def *def, const hed_problem *problem, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed)
{
    uint64_t n = (uint64_t)problem->sizes[0] + 1;
    switch (argument) {
    case POSITION:
        cloth_sample_positions(data, 2 * n, seed);
        ((float4 *)data)[1] = ((float4 *)data)[0]; /* two at one place */
        break;
    case ENDS: fill_ends(data, n); break;
    case RESTS: cloth_sample_floats(data, n, seed, argument, 0.2f, 1.5f); break;
    case KINDS:
        for (uint64_t i = 0; i < n; i++) ((ushort *)data)[i] = (ushort)(i % 3);
        break;
    case MATERIALS:
        memcpy(data,
            (const float[]){
                1.0f, 1.0f, 0.0f, 0.0f, 0.8f, 1.1f, 0.0f, 0.0f, 0.9f, 1.0f, 1e-4f, 0.0f},
            bytes);
        break;
    case MULTIPLIERS: cloth_sample_floats(data, n, seed, argument, -0.01f, 0.01f); break;
    case STEPS:
        for (uint32_t s = 0; s < 2; s++)
            ((cloth_step *)data)[s] = cloth_sample_step((uint)(2 * n), 0);
        break;
    case SUBSTEP: *(uint *)data = 1; break;
    case PASS: *(uint *)data = (uint)(n % 3); break;
    case FIRST: *(uint *)data = 1; break;
    default: *(uint *)data = (uint)n - 1;
    }
}

static const hed_argument_def arguments[] = {
    [POSITION] = {.name = "position",
        .kind = HED_BUFFER,
        .type = HED_FLOAT,
        .access = HED_READ_WRITE,
        .tolerance = 1e-5},
    [ENDS] = {.name = "ends", .kind = HED_BUFFER, .type = HED_UINT32},
    [RESTS] = {.name = "rests", .kind = HED_BUFFER, .type = HED_FLOAT},
    [KINDS] = {.name = "kinds", .kind = HED_BUFFER, .type = HED_BYTES},
    [MATERIALS] = {.name = "materials", .kind = HED_BUFFER, .type = HED_FLOAT},
    [MULTIPLIERS] = {.name = "multipliers",
        .kind = HED_BUFFER,
        .type = HED_FLOAT,
        .access = HED_READ_WRITE,
        .tolerance = 1e-5},
    [STEPS] = {.name = "steps", .kind = HED_BUFFER, .type = HED_BYTES},
    [SUBSTEP] = {.name = "substep", .kind = HED_SCALAR, .type = HED_UINT32},
    [PASS] = {.name = "pass", .kind = HED_SCALAR, .type = HED_UINT32},
    [FIRST] = {.name = "first", .kind = HED_SCALAR, .type = HED_UINT32},
    [NUMBER] = {.name = "count", .kind = HED_SCALAR, .type = HED_UINT32},
};
static const hed_source sources[] = {CLOTH_SHARED_SOURCES, {"lanes.h", hed_cloth_lanes_h, 0},
    {"project.h", hed_cloth_project_h, 0}, {"distance.cl", hed_cloth_distance_cl, 0}};
static const char *const dimensions[] = {"constraints"};
static const hed_problem problems[] = {{1, {1}}, {1, {7}}, {1, {63}}, {1, {1001}}, {1, {1002}}};

const hed_kernel_def cloth_distance_def = {
    .name = "cloth_distance",
    .summary = "min/max distance constraints of one colour, projected",
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
    .metric_unit = "Gconstraints/s",
    .sample = {problems, HED_COUNT(problems), {1, {(1 << 22) - 1}}, sample_bytes, sample_fill},
};
