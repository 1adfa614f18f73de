/* Compiling ahead, for machines with a CUDA driver and no NVRTC: PTX for the oldest architecture
 * that has what the kernel needs, which the driver there compiles for its own device. */
#include "backends/cuda/cuda_driver.h"

static const char *target_of(const hed_kernel_def *def)
{
    return def->needs & HED_CAN_CLUSTERS ? "compute_90" : "compute_75";
}

hed_status hed_cuda_build_ahead(
    const hed_settings *settings, const hed_build *build, hed_binary *binary, hed_error *error)
{
    char reason[512];
    hed_nvrtc *nvrtc = NULL;
    hed_status status = hed_nvrtc_open(
        &settings->allocator, settings->nvrtc_library, 0, &nvrtc, reason, sizeof reason);
    if (status) return hed_fail(error, status, "no memory to load NVRTC");
    if (!nvrtc)
        return hed_fail(error, HED_ERROR_UNSUPPORTED, "%s: compiling ahead needs NVRTC: %.400s",
            build->def->name, reason);
    status = hed_nvrtc_compile(nvrtc, target_of(build->def), build, binary, error);
    hed_nvrtc_close(nvrtc);
    return status;
}
