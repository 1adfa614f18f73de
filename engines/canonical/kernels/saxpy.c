/* Description and native version of `saxpy`. */
#include "canonical_kernels.h"

static void saxpy_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *geometry)
{
    hed_default_geometry(def, config, problem, geometry);
    geometry->native_grain = 1 << 15;
}

HED_NATIVE_BODY saxpy_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const float *restrict x = call->arguments[0];
    float *restrict y = call->arguments[1], a = *(const float *)call->arguments[2];
    for (uint64_t i = begin; i < end; i++) y[i] = __builtin_fmaf(a, x[i], y[i]);
}
HED_NATIVE_CLONES(saxpy_native, saxpy_body)

static void saxpy_work(
    const hed_kernel_def *def, const hed_config *config, const hed_problem *problem, hed_work *work)
{
    hed_default_work(def, config, problem, work);
    work->operations = 2.0 * work->items;
}

const hed_kernel_def hed_saxpy_def = {
    .name = "saxpy", .summary = "y = a x + y over n floats", HED_CANONICAL_TEXT(saxpy),
    HED_ARGUMENTS(HED_IN(float, x), HED_INOUT(float, y, .tolerance = 1e-6), HED_VALUE(float, a),
        HED_VALUE(uint, n)),
    HED_PARAMETERS(HED_PARAMETER(WG, 256, 32, 64, 128, 256, 512, 1024),
        HED_PARAMETER(VEC, 4, 1, 2, 4), HED_PARAMETER(ITEMS, 2, 1, 2, 4)),
    .native_ignores = HED_ALL_PARAMETERS, HED_DIMENSIONS("n"), .max_threads = "WG",
    .geometry = saxpy_geometry, .range = saxpy_native, .work = saxpy_work,
    .metric = HED_METRIC_BYTES,
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(31), HED_PROBLEM(1000), HED_PROBLEM(4096),
        HED_PROBLEM(65537), HED_PROBLEM(262139)),
    .sample.benchmark = HED_PROBLEM(1 << 27), HED_DEFAULT_SAMPLE,
};
