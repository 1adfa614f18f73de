/* HIP: its functions that differ from CUDA's (see HED_HIP_ONLY in cuda_api.h). No AMD device has run
 * Heddle yet: the code is tested with a fake driver, and kernels are compiled by hipRTC. */
#include "backends/cuda/cuda_driver.h"

#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

const char *hed_hip_name(const char *call)
{
    static const struct {
        const char *cuda, *hip;
    } names[] = {
#define NAMES(member, symbol, hip, parameters) {#member, hip},
        HED_CUDA_REQUIRED(NAMES) HED_CUDA_OPTIONAL(NAMES){"cuMemcpyAsync", "hipMemcpyAsync"},
        {"cuMemcpyPeerAsync", "hipMemcpyPeerAsync"}, {"cuLaunchHostFunc", "hipStreamAddCallback"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].hip && strcmp(names[i].cuda, call) == 0) return names[i].hip;
    return call;
}

/* hipDeviceAttribute_t of ROCm 5.2 and later */
int hed_hip_attribute(int attribute)
{
    static const struct {
        int cuda, hip;
    } numbers[] = {{CU_DEVICE_MAX_THREADS_PER_BLOCK, 56}, {CU_DEVICE_MAX_BLOCK_DIM_X, 26},
        {CU_DEVICE_MAX_BLOCK_DIM_X + 1, 27}, {CU_DEVICE_MAX_BLOCK_DIM_X + 2, 28},
        {CU_DEVICE_MAX_GRID_DIM_X, 29}, {CU_DEVICE_MAX_GRID_DIM_X + 1, 30},
        {CU_DEVICE_MAX_GRID_DIM_X + 2, 31}, {CU_DEVICE_SHARED_MEMORY_PER_BLOCK, 74},
        {CU_DEVICE_WARP_SIZE, 87}, {CU_DEVICE_CLOCK_RATE, 5}, {CU_DEVICE_MULTIPROCESSOR_COUNT, 63},
        {CU_DEVICE_L2_CACHE_SIZE, 19}, {CU_DEVICE_REGISTERS_PER_MULTIPROCESSOR, 72},
        {CU_DEVICE_COOPERATIVE_LAUNCH, 10}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (numbers[i].cuda == attribute) return numbers[i].hip;
    return -1;
}

/* The structure of a device's properties changed in ROCm 6. Both have the device's name first, and
 * the target as their only other text. */
void hed_hip_target(const hed_cuda_api *api, CUdevice device, char target[HED_NVRTC_TARGET])
{
    enum { NAME_SIZE = 256 };
    union {
        char bytes[8192];
        uint64_t alignment;
    } properties = {{0}};
    target[0] = 0;
    if (api->hipGetDeviceProperties(&properties, device)) return;
    const char *text = memmem(properties.bytes + NAME_SIZE, sizeof properties.bytes - NAME_SIZE - 1,
        "gfx", strlen("gfx"));
    if (text && strlen(text) < HED_NVRTC_TARGET) hed_text_copy(target, HED_NVRTC_TARGET, text);
}

typedef struct hip_call {
    hed_allocator allocator;
    CUhostFn function;
    void *user;
} hip_call;

static void hip_run_call(CUstream stream, CUresult result, void *user)
{
    hip_call call = *(hip_call *)user;
    (void)stream, (void)result;
    hed_release(&call.allocator, user, sizeof call);
    call.function(call.user);
}

/* Every version of HIP has this form of host functions, with two more arguments than CUDA's. */
CUresult hed_hip_call(const hed_stream *stream, CUhostFn function, void *user)
{
    const hed_allocator allocator = stream->device->settings->allocator;
    hip_call *call = hed_allocate(&allocator, sizeof *call);
    if (!call) return CUDA_ERROR_OUT_OF_MEMORY;
    *call = (hip_call){allocator, function, user};
    CUresult result = hed_cuda_api_of(stream->device)
                          ->hipStreamAddCallback(stream->native, hip_run_call, call, 0);
    if (result) hed_release(&allocator, call, sizeof *call);
    return result;
}
