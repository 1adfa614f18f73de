/* Functions of the fake libamdhip64 whose parameters differ from CUDA's; the others are fake_cuda.c. */
#include "fake_cuda.h"

#include <stdio.h>
#include <string.h>

#define FAKE_DECLARE_HIP(result, name, parameters) FAKE_EXPORT result name parameters;
HED_HIP_ONLY(FAKE_DECLARE_HIP)
FAKE_EXPORT CUresult hipDeviceGetAttribute(int *value, int attribute, CUdevice device);

const char *hipGetErrorName(CUresult result)
{
    return result == CUDA_ERROR_OUT_OF_MEMORY ? "hipErrorOutOfMemory"
           : result == 999                    ? "hipErrorUnknown"
                                              : NULL;
}

const char *hipGetErrorString(CUresult result)
{
    return result == CUDA_ERROR_OUT_OF_MEMORY ? "out of memory" : NULL;
}

/* hipDeviceAttribute_t as hip_runtime_api.h of ROCm 5.2 counts them */
CUresult hipDeviceGetAttribute(int *value, int attribute, CUdevice device)
{
    static const struct {
        int attribute, value;
    } known[] = {{5, 1000000}, {10, 1}, {19, 4 << 20}, {26, 1024}, {27, 1024}, {28, 1024},
        {29, INT32_MAX}, {30, 65535}, {31, 65535}, {56, 1024}, {63, 4}, {72, 65536}, {74, 64 << 10},
        {87, 32}};
    (void)device;
    ENTER(hipDeviceGetAttribute);
    *value = 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].attribute == attribute) *value = known[i].value;
    return CUDA_SUCCESS;
}

/* The name, which may have "gfx" in it, and the target where ROCm 5.2 has it. */
CUresult hipGetDeviceProperties(void *properties, CUdevice device)
{
    ENTER(hipGetDeviceProperties);
    memset(properties, 0, 792);
    snprintf(properties, 256, "Fake gfx %d", device);
    strcpy((char *)properties + 396, "gfx1030");
    return CUDA_SUCCESS;
}

CUresult hipMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size, int kind, CUstream stream)
{
    ENTER_STREAM(hipMemcpyAsync, stream);
    if (kind != HIP_COPY_BY_ADDRESSES) return CUDA_ERROR_INVALID_VALUE;
    memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, size);
    return CUDA_SUCCESS;
}

CUresult hipMemcpyPeerAsync(CUdeviceptr to, CUdevice to_device, CUdeviceptr from,
    CUdevice from_device, size_t size, CUstream stream)
{
    ENTER_STREAM(hipMemcpyPeerAsync, stream);
    bool known = to_device >= 0 && to_device < fake_state.devices && from_device >= 0 &&
                 from_device < fake_state.devices;
    if (!known || !fake_cuda_range("hipMemcpyPeerAsync", to, size) ||
        !fake_cuda_range("hipMemcpyPeerAsync", from, size))
        return CUDA_ERROR_INVALID_VALUE;
    memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, size);
    return CUDA_SUCCESS;
}

CUresult hipStreamAddCallback(CUstream stream, hip_callback callback, void *user, unsigned flags)
{
    ENTER_STREAM(hipStreamAddCallback, stream);
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    callback(stream, CUDA_SUCCESS, user);
    return CUDA_SUCCESS;
}
