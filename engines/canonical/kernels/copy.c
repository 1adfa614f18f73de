/* Description and native version of `copy`. */
#include <string.h>

#include "canonical_kernels.h"

enum {
    IN,
    OUT,
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
    layout->native_grain = 1 << 16;
}

static void native(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const uint32_t *in = call->arguments[IN];
    uint32_t *out = call->arguments[OUT];
    memcpy(out + begin, in + begin, (end - begin) * sizeof *out);
}

static void work(const hed_kernel_def *def, const hed_config *config, const hed_problem *problem,
    hed_work *amount)
{
    (void)def;
    (void)config;
    double n = (double)problem->sizes[0];
    *amount = (hed_work){.bytes = 8.0 * n, .items = n};
}

static uint64_t sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    (void)def;
    (void)config;
    return argument == N ? 0 : 4 * (uint64_t)problem->sizes[0];
}

static void sample_fill(const hed_kernel_def *def, const hed_problem *problem, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed)
{
    (void)def;
    if (argument == N) *(uint32_t *)data = (uint32_t)problem->sizes[0];
    else hed_canonical_fill_words(data, bytes / 4, seed, argument);
}

static const hed_argument_def arguments[] = {
    {.name = "in", .kind = HED_BUFFER, .type = HED_UINT32, .access = HED_READ},
    {.name = "out", .kind = HED_BUFFER, .type = HED_UINT32, .access = HED_WRITE},
    {.name = "n", .kind = HED_SCALAR, .type = HED_UINT32},
};
static const int64_t groups[] = {32, 64, 128, 256, 512, 1024};
static const int64_t widths[] = {1, 2, 4};
static const int64_t items[] = {1, 2, 4, 8};
static const hed_parameter_def parameters[] = {
    {"WG", groups, HED_COUNT(groups), 256, NULL},
    {"VEC", widths, HED_COUNT(widths), 2, NULL},
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

const hed_kernel_def hed_copy_def = {
    .name = "copy", .summary = "copies n 32-bit words",
    .sources = &hed_canonical_files[HED_CANONICAL_COPY_CL], .source_count = 1,
    .arguments = arguments, .argument_count = HED_COUNT(arguments), .parameters = parameters,
    .parameter_count = HED_COUNT(parameters), .native_ignores = HED_ALL_PARAMETERS,
    .dimensions = dimensions, .dimension_count = HED_COUNT(dimensions), .max_threads = "WG",
    .geometry = geometry, .range = native, .work = work, .metric = HED_METRIC_BYTES,
    .metric_unit = "GB/s",
    .sample = {problems, HED_COUNT(problems), {1, {1 << 27}}, sample_bytes, sample_fill},
};
