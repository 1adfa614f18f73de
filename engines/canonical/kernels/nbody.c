/* Description and native version of `nbody`. */
#include "canonical_kernels.h"
#include "heddle/math.h"

enum {
    BODIES,
    ACCELERATIONS,
    SOFTENING,
    N, /* arguments */
};
enum {
    WG,
    ITEMS,
    UNROLL,
    LOCAL, /* parameters */
};
enum { SIDE = 16 }; /* native: bodies summed for side by side */

static bool valid(
    const hed_kernel_def *def, const hed_config *config, const hed_device_info *device, bool strict)
{
    (void)def;
    (void)strict;
    const int64_t *value = config->values;
    return value[ITEMS] * value[UNROLL] <= 32 &&
           (!value[LOCAL] || hed_static_local_fits(device, 16 * (uint64_t)value[WG]));
}

static void geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    (void)def;
    uint64_t n = (uint64_t)problem->sizes[0], group = (uint64_t)config->values[WG];
    layout->dimensions = 1;
    layout->global[0] = hed_ceil_divide(n, group * (uint64_t)config->values[ITEMS]) * group;
    layout->group[0] = (uint32_t)group;
    layout->native_items = hed_ceil_divide(n, SIDE);
    layout->native_grain = hed_ceil_divide(1 << 12, n);
}

/* Range: SIDE bodies each. */
HED_NATIVE_BODY body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const float(*bodies)[4] = call->arguments[BODIES];
    float(*accelerations)[4] = call->arguments[ACCELERATIONS];
    float softening = *(const float *)call->arguments[SOFTENING];
    uint64_t n = *(const uint32_t *)call->arguments[N];
    for (uint64_t first = begin * SIDE; first < end * SIDE && first < n; first += SIDE) {
        float place[3][SIDE], sum[3][SIDE] = {{0}};
        for (uint64_t s = 0; s < SIDE; s++)
            for (int axis = 0; axis < 3; axis++)
                place[axis][s] = bodies[first + s < n ? first + s : n - 1][axis];
        for (uint64_t j = 0; j < n; j++) {
            float px = bodies[j][0], py = bodies[j][1], pz = bodies[j][2], mass = bodies[j][3];
            for (int s = 0; s < SIDE; s++) {
                float x = px - place[0][s], y = py - place[1][s], z = pz - place[2][s];
                float square =
                    __builtin_fmaf(x, x, __builtin_fmaf(y, y, __builtin_fmaf(z, z, softening)));
                float inverse = hed_rsqrt(square), strength = mass * inverse * (inverse * inverse);
                sum[0][s] = __builtin_fmaf(x, strength, sum[0][s]);
                sum[1][s] = __builtin_fmaf(y, strength, sum[1][s]);
                sum[2][s] = __builtin_fmaf(z, strength, sum[2][s]);
            }
        }
        for (uint64_t s = 0; s < SIDE && first + s < n; s++) {
            for (int axis = 0; axis < 3; axis++) accelerations[first + s][axis] = sum[axis][s];
            accelerations[first + s][3] = 0.0f;
        }
    }
}
HED_NATIVE_CLONES(native, body)

/* Operations of a pair: 3 differences, 3 fma, the root, 3 products, 3 fma. */
static void work(const hed_kernel_def *def, const hed_config *config, const hed_problem *problem,
    hed_work *amount)
{
    (void)def;
    (void)config;
    double n = (double)problem->sizes[0];
    *amount = (hed_work){.bytes = 32.0 * n, .operations = 19.0 * n * n, .items = n * n};
}

static uint64_t sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    (void)def;
    (void)config;
    return argument == BODIES || argument == ACCELERATIONS ? 16 * (uint64_t)problem->sizes[0] : 0;
}

static void sample_fill(const hed_kernel_def *def, const hed_problem *problem, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed)
{
    (void)def;
    if (argument == N) {
        *(uint32_t *)data = (uint32_t)problem->sizes[0];
    } else if (argument == SOFTENING) {
        *(float *)data = 0.01f;
    } else {
        float(*bodies)[4] = data;
        hed_canonical_fill_floats(data, bytes / 4, seed, argument);
        /* Masses above 0 that make up about one. */
        uint64_t count = bytes / sizeof *bodies;
        for (uint64_t i = 0; i < count; i++) bodies[i][3] = (bodies[i][3] + 1.0f) / (float)count;
    }
}

static const hed_argument_def arguments[] = {
    {.name = "bodies", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ},
    {.name = "accelerations", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_WRITE,
        .tolerance = 1e-4},
    {.name = "softening", .kind = HED_SCALAR, .type = HED_FLOAT},
    {.name = "n", .kind = HED_SCALAR, .type = HED_UINT32},
};
static const int64_t groups[] = {32, 64, 128, 256, 512};
static const int64_t items[] = {1, 2, 4};
static const int64_t unrolled[] = {1, 2, 4, 8, 16};
static const int64_t switches[] = {0, 1};
static const hed_parameter_def parameters[] = {
    {"WG", groups, HED_COUNT(groups), 512, NULL},
    {"ITEMS", items, HED_COUNT(items), 1, NULL},
    {"UNROLL", unrolled, HED_COUNT(unrolled), 16, NULL},
    {"LOCAL", switches, HED_COUNT(switches), 1, NULL},
};
static const char *const dimensions[] = {"n"};
static const hed_problem problems[] = {{1, {1}}, {1, {31}}, {1, {128}}, {1, {601}}};

const hed_kernel_def hed_nbody_def = {
    .name = "nbody", .summary = "gravity of n bodies upon each other, all pairs",
    .sources = &hed_canonical_files[HED_CANONICAL_NBODY_CL], .source_count = 1,
    .arguments = arguments, .argument_count = HED_COUNT(arguments), .parameters = parameters,
    .parameter_count = HED_COUNT(parameters), .native_ignores = HED_ALL_PARAMETERS,
    .dimensions = dimensions, .dimension_count = HED_COUNT(dimensions), .max_threads = "WG",
    .valid = valid, .geometry = geometry, .range = native, .work = work,
    .metric = HED_METRIC_OPERATIONS, .metric_unit = "GFLOP/s",
    .sample = {problems, HED_COUNT(problems), {1, {262144}}, sample_bytes, sample_fill},
};
