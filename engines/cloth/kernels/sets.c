/* Description and native version of `cloth_sets`. */
#include "kernels/kernels.h"

/* arguments */
enum { POSITION, ENDS, RESTS, KINDS, MATERIALS, MULTIPLIERS, STEPS, SET_AT, SUBSTEP, PASS, SETS };
/* parameters */
enum { WG, VECTOR };
enum { SAMPLE_WIDTH = 8 }; /* the slides' octets */

/* One group; a group of one item is the slides' task. */
static void geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    layout->dimensions = 1;
    layout->global[0] = (uint64_t)config->values[WG];
    layout->group[0] = (uint32_t)config->values[WG];
    layout->native_items = 1; /* one set after another */
}

HED_NATIVE_BODY body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *given = call->arguments;
    cloth_step step = cloth_step_at(given[STEPS], *(const uint *)given[SUBSTEP]);
    const uint *set_at = given[SET_AT];
    uint pass = *(const uint *)given[PASS], sets = *(const uint *)given[SETS];
    for (uint i = set_at[0]; begin < end && i < set_at[sets]; i++)
        cloth_distance_one(i, given[POSITION], given[ENDS], given[RESTS], given[KINDS],
            given[MATERIALS], given[MULTIPLIERS], step.stiffness, pass);
}
HED_NATIVE_CLONES(native, body)

/* Two particles read and written, 14 bytes of the constraint; 33 operations. */
static void work(const hed_kernel_def *def, const hed_config *config, const hed_problem *problem,
    hed_work *amount)
{
    double n = (double)problem->sizes[0];
    *amount = (hed_work){.bytes = (64.0 + 14.0) * n, .operations = 33.0 * n, .items = n};
}

/* The sample is a chain: the constraints with an even place in it, then those with an odd one, in
 * sets of eight. */
static uint64_t evens(uint64_t n) { return (n + 1) / 2; }
static uint64_t sample_sets(uint64_t n)
{
    return hed_ceil_divide(evens(n), SAMPLE_WIDTH) + hed_ceil_divide(n / 2, SAMPLE_WIDTH);
}

static uint64_t sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    uint64_t n = (uint64_t)problem->sizes[0];
    const uint64_t bytes[] = {[POSITION] = 16 * (n + 1),
        [ENDS] = 8 * n,
        [RESTS] = 4 * n,
        [KINDS] = 2 * n,
        [MATERIALS] = 3 * 16,
        [MULTIPLIERS] = 4 * n,
        [STEPS] = 2 * sizeof(cloth_step),
        [SET_AT] = 4 * (sample_sets(n) + 1)};
    return argument < HED_COUNT(bytes) ? bytes[argument] : 0;
}

static void fill_sets(uint *set_at, uint64_t n)
{
    uint64_t at = 0, set = 0;
    for (; at < evens(n); at += SAMPLE_WIDTH) set_at[set++] = (uint)at;
    for (at = evens(n); at < n; at += SAMPLE_WIDTH) set_at[set++] = (uint)at;
    set_at[set] = (uint)n;
}

static void sample_fill(const hed_kernel_def *def, const hed_problem *problem, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed)
{
    uint64_t n = (uint64_t)problem->sizes[0];
    switch (argument) {
    case POSITION: cloth_sample_positions(data, n + 1, seed); break;
    case ENDS:
        for (uint64_t i = 0; i < n; i++) {
            uint first = (uint)(i < evens(n) ? 2 * i : 2 * (i - evens(n)) + 1);
            ((uint2 *)data)[i] = (uint2){first, first + 1};
        }
        break;
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
        for (uint32_t k = 0; k < 2; k++)
            ((cloth_step *)data)[k] = cloth_sample_step((uint)(n + 1), 0);
        break;
    case SET_AT: fill_sets(data, n); break;
    case SUBSTEP: *(uint *)data = 1; break;
    case PASS: *(uint *)data = (uint)(n % 3); break;
    default: *(uint *)data = (uint)sample_sets(n);
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
    [SET_AT] = {.name = "set_at", .kind = HED_BUFFER, .type = HED_UINT32},
    [SUBSTEP] = {.name = "substep", .kind = HED_SCALAR, .type = HED_UINT32},
    [PASS] = {.name = "pass", .kind = HED_SCALAR, .type = HED_UINT32},
    [SETS] = {.name = "sets", .kind = HED_SCALAR, .type = HED_UINT32},
};
static const hed_source sources[] = {CLOTH_SHARED_SOURCES, {"lanes.h", hed_cloth_lanes_h, 0},
    {"project.h", hed_cloth_project_h, 0}, {"sets.cl", hed_cloth_sets_cl, 0}};
static const int64_t groups[] = {1, 8, 32, 128, 512, 1024};
static const int64_t forms[] = {0, 1};
static const char *const form_names[] = {"scalar", "vector"};
static const hed_parameter_def parameters[] = {
    [WG] = {"WG", groups, HED_COUNT(groups), 32, NULL},
    [VECTOR] = {"VECTOR", forms, HED_COUNT(forms), 0, form_names},
};
static const char *const dimensions[] = {"constraints"};
static const hed_problem problems[] = {{1, {1}}, {1, {7}}, {1, {63}}, {1, {302}}};

const hed_kernel_def cloth_sets_def = {
    .name = "cloth_sets",
    .summary = "all sets of distance constraints by one group, a barrier after each",
    .sources = sources,
    .source_count = HED_COUNT(sources),
    .arguments = arguments,
    .argument_count = HED_COUNT(arguments),
    .parameters = parameters,
    .parameter_count = HED_COUNT(parameters),
    .native_ignores = HED_ALL_PARAMETERS,
    .dimensions = dimensions,
    .dimension_count = HED_COUNT(dimensions),
    .max_threads = "WG",
    .geometry = geometry,
    .range = native,
    .work = work,
    .metric = HED_METRIC_ITEMS,
    .metric_unit = "Gconstraints/s",
    .sample = {problems, HED_COUNT(problems), {1, {1 << 16}}, sample_bytes, sample_fill},
};
