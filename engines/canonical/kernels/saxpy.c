/* Description and native version of `saxpy`. */
#include "canonical_kernels.h"

enum {
    X,
    Y,
    A,
    N, /* arguments */
};
enum {
    WG,
    VEC,
    ITEMS, /* parameters */
};

static void geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    (void)def;
    const int64_t *value = config->values;
    uint64_t n = (uint64_t)problem->sizes[0];
    layout->dimensions = 1;
    layout->global[0] =
        hed_ceil_divide(n, (uint64_t)(value[WG] * value[VEC] * value[ITEMS])) * (uint64_t)value[WG];
    layout->group[0] = (uint32_t)value[WG];
    layout->native_items = n;
    layout->native_grain = 1 << 15;
}

HED_NATIVE_BODY body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const float *restrict x = call->arguments[X];
    float *restrict y = call->arguments[Y];
    float a = *(const float *)call->arguments[A];
    for (uint64_t i = begin; i < end; i++) y[i] = __builtin_fmaf(a, x[i], y[i]);
}
HED_NATIVE_CLONES(native, body)

static void work(const hed_kernel_def *def, const hed_config *config, const hed_problem *problem,
    hed_work *amount)
{
    (void)def;
    (void)config;
    double n = (double)problem->sizes[0];
    *amount = (hed_work){.bytes = 12.0 * n, .operations = 2.0 * n, .items = n};
}

static uint64_t sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    (void)def;
    (void)config;
    return argument == X || argument == Y ? 4 * (uint64_t)problem->sizes[0] : 0;
}

static void sample_fill(const hed_kernel_def *def, const hed_problem *problem, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed)
{
    (void)def;
    if (argument == N) *(uint32_t *)data = (uint32_t)problem->sizes[0];
    else hed_canonical_fill_floats(data, argument == A ? 1 : bytes / 4, seed, argument);
}

static const hed_argument_def arguments[] = {
    {.name = "x", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ},
    {.name = "y", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ_WRITE,
        .tolerance = 1e-6},
    {.name = "a", .kind = HED_SCALAR, .type = HED_FLOAT},
    {.name = "n", .kind = HED_SCALAR, .type = HED_UINT32},
};
static const int64_t groups[] = {32, 64, 128, 256, 512, 1024};
static const int64_t widths[] = {1, 2, 4};
static const int64_t items[] = {1, 2, 4};
static const hed_parameter_def parameters[] = {
    {"WG", groups, HED_COUNT(groups), 256, NULL},
    {"VEC", widths, HED_COUNT(widths), 4, NULL},
    {"ITEMS", items, HED_COUNT(items), 2, NULL},
};
static const char *const dimensions[] = {"n"};
static const hed_problem problems[] = {
    {1, {1}},
    {1, {31}},
    {1, {1000}},
    {1, {4096}},
    {1, {65537}},
    {1, {262139}},
};

const hed_kernel_def hed_saxpy_def = {
    .name = "saxpy", .summary = "y = a x + y over n floats",
    .sources = &hed_canonical_files[HED_CANONICAL_SAXPY_CL], .source_count = 1,
    .arguments = arguments, .argument_count = HED_COUNT(arguments), .parameters = parameters,
    .parameter_count = HED_COUNT(parameters), .native_ignores = HED_ALL_PARAMETERS,
    .dimensions = dimensions, .dimension_count = HED_COUNT(dimensions), .max_threads = "WG",
    .geometry = geometry, .range = native, .work = work, .metric = HED_METRIC_BYTES,
    .metric_unit = "GB/s",
    .sample = {problems, HED_COUNT(problems), {1, {1 << 27}}, sample_bytes, sample_fill},
};
