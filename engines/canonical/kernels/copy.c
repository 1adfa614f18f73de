/* Description and native version of `copy`. */
#include "canonical_kernels.h"

static void copy_native(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const uint32_t *in = call->arguments[0];
    uint32_t *out = call->arguments[1];
    memcpy(out + begin, in + begin, (end - begin) * sizeof *out);
}

const hed_kernel_def hed_copy_def = {
    .name = "copy",
    .summary = "copies n 32-bit words",
    HED_CANONICAL_TEXT(copy),
    HED_CANONICAL_SHADERS(copy),
    HED_ARGUMENTS(HED_IN(uint, in), HED_OUT(uint, out), HED_VALUE(uint, n)),
    HED_PARAMETERS(HED_PARAMETER(WG, 256, 32, 64, 128, 256, 512, 1024),
        HED_PARAMETER(VEC, 2, 1, 2, 4), HED_PARAMETER(ITEMS, 2, 1, 2, 4, 8)),
    .native_ignores = HED_ALL_PARAMETERS,
    HED_DIMENSIONS("n"),
    .max_threads = "WG",
    .geometry = hed_default_geometry,
    .range = copy_native,
    .work = hed_default_work,
    .metric = HED_METRIC_BYTES,
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(31), HED_PROBLEM(1000), HED_PROBLEM(4096),
        HED_PROBLEM(65537), HED_PROBLEM(262139)),
    .sample.benchmark = HED_PROBLEM(1 << 27),
    HED_DEFAULT_SAMPLE,
};
