/* Description and native version of `nbody`. */
#include "canonical_kernels.h"
#include "heddle/math.h"

enum { BODIES, ACCELERATIONS, SOFTENING, N }; /* arguments */
enum { WG, ITEMS, UNROLL, LOCAL };            /* parameters */
enum { SIDE = 16 };                           /* native: bodies whose sums are computed together */

static bool nbody_valid(
    const hed_kernel_def *def, const hed_config *config, const hed_device_info *device, bool strict)
{
    const int64_t *value = config->values;
    return value[ITEMS] * value[UNROLL] <= 32 &&
           (!value[LOCAL] || hed_static_local_fits(device, 16 * (uint64_t)value[WG]));
}

static void nbody_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *geometry)
{
    hed_default_geometry(def, config, problem, geometry);
    geometry->native_items = hed_ceil_divide((uint64_t)problem->sizes[0], SIDE);
    geometry->native_grain = hed_ceil_divide(1 << 12, (uint64_t)problem->sizes[0]);
}

/* The range counts blocks of SIDE bodies. */
HED_NATIVE_BODY nbody_body(const hed_native_call *call, uint64_t begin, uint64_t end)
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
HED_NATIVE_CLONES(nbody_native, nbody_body)

/* Operations of a pair: 3 differences, 3 fma, the root, 3 products, 3 fma. */
static void nbody_work(
    const hed_kernel_def *def, const hed_config *config, const hed_problem *problem, hed_work *work)
{
    hed_default_work(def, config, problem, work);
    work->items *= work->items;
    work->operations = 19.0 * work->items;
}

static void nbody_fill(const hed_kernel_def *def, const hed_problem *problem, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed)
{
    hed_default_sample_fill(def, problem, argument, data, bytes, seed);
    float(*bodies)[4] = data;
    uint64_t count = bytes / sizeof *bodies;
    if (argument == SOFTENING) *(float *)data = 0.01f;
    else if (argument != N) /* masses above 0 with a sum of about one */
        for (uint64_t i = 0; i < count; i++) bodies[i][3] = (bodies[i][3] + 1.0f) / (float)count;
}

const hed_kernel_def hed_nbody_def = {
    .name = "nbody", .summary = "gravity of n bodies upon each other, all pairs",
    HED_CANONICAL_TEXT(nbody),
    HED_ARGUMENTS(HED_IN(float, bodies, .count = "4*n"),
        HED_OUT(float, accelerations, .count = "4*n", .tolerance = 1e-4),
        HED_VALUE(float, softening), HED_VALUE(uint, n)),
    HED_PARAMETERS(HED_PARAMETER(WG, 512, 32, 64, 128, 256, 512), HED_PARAMETER(ITEMS, 1, 1, 2, 4),
        HED_PARAMETER(UNROLL, 16, 1, 2, 4, 8, 16), HED_SWITCH(LOCAL, 1)),
    .native_ignores = HED_ALL_PARAMETERS, HED_DIMENSIONS("n"), .max_threads = "WG",
    .valid = nbody_valid, .geometry = nbody_geometry, .range = nbody_native, .work = nbody_work,
    .metric = HED_METRIC_OPERATIONS,
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(31), HED_PROBLEM(128), HED_PROBLEM(601)),
    .sample.benchmark = HED_PROBLEM(262144), .sample.bytes = hed_default_sample_bytes,
    .sample.fill = nbody_fill,
};
