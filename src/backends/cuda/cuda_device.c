/* CUDA and HIP devices: description, capabilities, opening, adopting, and the backend's table. */
#include "backends/cuda/cuda_driver.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* First version of NVRTC and of the driver with 128-bit relaxed accesses, and with kernel arguments
 * beyond 4 KB; 1000 * major + 10 * minor. */
enum { PACKETS_SINCE = 12030, LARGE_ARGUMENTS_SINCE = 12010 };

static uint32_t cuda_device_count(hed_backend_slot *slot)
{
    const hed_cuda *cuda = slot->state;
    return cuda ? cuda->count : 0;
}

/* ---- description ---- */

static uint32_t cuda_attribute(const hed_cuda *cuda, CUdevice device, int attribute)
{
    int value = 0;
    if (cuda->hip && (attribute = hed_hip_attribute(attribute)) < 0) return 0;
    return cuda->api.cuDeviceGetAttribute(&value, attribute, device) == CUDA_SUCCESS && value > 0
               ? (uint32_t)value
               : 0;
}

/* Reads the capabilities. The memory consistency model that the prelude's atomics rely on came with
 * sm_70. */
static uint64_t cuda_capabilities(
    const hed_cuda *cuda, CUdevice device, uint32_t architecture, bool source)
{
    int compiler = cuda->nvrtc ? hed_nvrtc_version(cuda->nvrtc) : cuda->version;
    bool ordered = architecture >= 70;
    bool cooperative = ordered && cuda->api.cuLaunchCooperativeKernel &&
                       cuda_attribute(cuda, device, CU_DEVICE_COOPERATIVE_LAUNCH);
    bool mapped = ordered && cuda_attribute(cuda, device, CU_DEVICE_CAN_MAP_HOST_MEMORY) &&
                  cuda_attribute(cuda, device, CU_DEVICE_UNIFIED_ADDRESSING);
    uint64_t bits = HED_CAN_FP64 | HED_CAN_STRICT | HED_CAN_LANES | HED_CAN_DEVICE_TIME |
                    HED_CAN_GLOBAL_ATOMICS;
    if (source) bits |= HED_CAN_SOURCE | HED_CAN_CUDA_C;
    if (cuda->hip) { /* the capabilities for which hip.clh has the words */
        cooperative = cuda->api.cuLaunchCooperativeKernel &&
                      cuda_attribute(cuda, device, CU_DEVICE_COOPERATIVE_LAUNCH);
        bits |= HED_CAN_FP16;
        return cooperative ? bits | HED_CAN_COOPERATIVE | HED_CAN_GRID_BARRIER : bits;
    }
    bits |= HED_CAN_NAMED_BARRIERS;
    if (architecture >= 53) bits |= HED_CAN_FP16;
    if (cooperative) bits |= HED_CAN_COOPERATIVE | HED_CAN_GRID_BARRIER;
    if (cooperative && compiler >= PACKETS_SINCE) bits |= HED_CAN_PACKETS;
    if (architecture >= 90 && cuda->api.cuLaunchKernelEx &&
        cuda_attribute(cuda, device, CU_DEVICE_CLUSTER_LAUNCH))
        bits |= HED_CAN_CLUSTERS;
    if (mapped) bits |= HED_CAN_MAPPED;
    if (mapped && bits & HED_CAN_PACKETS) bits |= HED_CAN_RESIDENT;
    const hed_cuda_api *api = &cuda->api;
    if (api->cuGraphCreate && api->cuGraphDestroy && api->cuGraphAddKernelNode &&
        api->cuGraphAddMemcpyNode && api->cuGraphAddMemsetNode && api->cuGraphAddHostNode &&
        api->cuGraphInstantiate && api->cuGraphExecKernelNodeSetParams && api->cuGraphExecDestroy &&
        api->cuGraphLaunch)
        bits |= HED_CAN_GRAPHS;
    if (api->cuGraphicsGLRegisterBuffer && api->cuGraphicsUnregisterResource &&
        api->cuGraphicsMapResources && api->cuGraphicsUnmapResources &&
        api->cuGraphicsResourceGetMappedPointer)
        bits |= HED_CAN_GL_SHARING;
    return bits;
}

/* Finds the device's compilation target. False if no compiler supports the device. */
static bool cuda_describe_target(hed_backend_slot *slot, CUdevice device, hed_device *to)
{
    const hed_cuda *cuda = slot->state;
    char target[HED_NVRTC_TARGET];
    if (!cuda->nvrtc) return false;
    int version = hed_nvrtc_version(cuda->nvrtc);
    if (cuda->hip) {
        hed_hip_target(&cuda->api, device, target);
        hed_text_copy(to->text[HED_CUDA_TARGET], sizeof to->text[HED_CUDA_TARGET], target);
        snprintf(to->build_key, sizeof to->build_key, "%s %s", target, cuda->driver);
        return target[0] != 0;
    }
    if (!hed_nvrtc_target(cuda->nvrtc, to->info.architecture, target)) {
        slot->health = HED_BACKEND_LIMITED;
        snprintf(slot->reason, sizeof slot->reason, "NVRTC %d.%d does not know %.100s (sm_%u)",
            version / 1000, version % 1000 / 10, to->info.name, to->info.architecture);
        hed_text_copy(slot->remedy, sizeof slot->remedy,
            "install an older NVRTC and set HEDDLE_NVRTC_LIBRARY to its path");
        return false;
    }
    hed_text_copy(to->text[HED_CUDA_TARGET], sizeof to->text[HED_CUDA_TARGET], target);
    snprintf(to->build_key, sizeof to->build_key, "%s nvrtc %d.%d", target, version / 1000,
        version % 1000 / 10);
    return true;
}

static hed_status cuda_compiler_open(
    const hed_settings *settings, hed_backend_slot *slot, hed_device *device, hed_error *error)
{
    /* the end of the text that cuda_start() writes */
    int major = 0, minor = 0;
    const char *version = strstr(device->info.driver, "CUDA ");
    if (!version || sscanf(version, "CUDA %d.%d", &major, &minor) != 2)
        return hed_fail(error, HED_ERROR_UNSUPPORTED, "driver \"%s\" names no CUDA version",
            device->info.driver);
    if (hed_cuda_open_compiler(settings, 1000 * major + 10 * minor, slot, error))
        return error->status;
    return cuda_describe_target(slot, 0, device)
               ? HED_OK
               : hed_fail(error, HED_ERROR_UNSUPPORTED, "%s", slot->reason);
}

static hed_status cuda_describe(hed_backend_slot *slot, CUdevice device, hed_device *to)
{
    const hed_cuda *cuda = slot->state;
    hed_device_info *info = &to->info;
    size_t memory = 0;
    if (cuda->api.cuDeviceTotalMem(&memory, device)) return HED_ERROR_DRIVER;
    if (cuda->api.cuDeviceGetName(to->text[2], sizeof to->text[2], device))
        hed_text_copy(to->text[2], sizeof to->text[2], cuda->hip ? "AMD GPU" : "NVIDIA GPU");
    snprintf(to->text[0], sizeof to->text[0], "%s:%d", slot->backend->name, device);
    hed_text_copy(to->text[1], sizeof to->text[1], cuda->hip ? "AMD HIP" : "NVIDIA CUDA");
    hed_text_copy(to->text[3], sizeof to->text[3],
        cuda->hip ? "Advanced Micro Devices, Inc." : "NVIDIA Corporation");
    hed_text_copy(to->text[4], sizeof to->text[4], cuda->driver);
    to->info.id = to->text[0];
    to->info.backend = slot->backend->name;
    to->info.platform = to->text[1];
    to->info.name = to->text[2];
    to->info.vendor = to->text[3];
    to->info.driver = to->text[4];
    info->type = HED_DEVICE_GPU;
    info->compute_units = cuda_attribute(cuda, device, CU_DEVICE_MULTIPROCESSOR_COUNT);
    info->lane_width = cuda_attribute(cuda, device, CU_DEVICE_WARP_SIZE);
    info->max_group = cuda_attribute(cuda, device, CU_DEVICE_MAX_THREADS_PER_BLOCK);
    for (int i = 0; i < 3; i++) {
        info->max_group_size[i] = cuda_attribute(cuda, device, CU_DEVICE_MAX_BLOCK_DIM_X + i);
        info->max_groups[i] = cuda_attribute(cuda, device, CU_DEVICE_MAX_GRID_DIM_X + i);
    }
    info->local_bytes = cuda_attribute(cuda, device, CU_DEVICE_SHARED_MEMORY_PER_BLOCK_OPTIN);
    if (!info->local_bytes)
        info->local_bytes = cuda_attribute(cuda, device, CU_DEVICE_SHARED_MEMORY_PER_BLOCK);
    info->memory_bytes = info->max_buffer_bytes = memory;
    info->cache_bytes = cuda_attribute(cuda, device, CU_DEVICE_L2_CACHE_SIZE);
    info->buffer_alignment = 16; /* alignment of vector loads and packets, bytes */
    info->clock_mhz = cuda_attribute(cuda, device, CU_DEVICE_CLOCK_RATE) / 1000;
    info->architecture = 10 * cuda_attribute(cuda, device, CU_DEVICE_COMPUTE_CAPABILITY_MAJOR) +
                         cuda_attribute(cuda, device, CU_DEVICE_COMPUTE_CAPABILITY_MINOR);
    info->registers = cuda_attribute(cuda, device, CU_DEVICE_REGISTERS_PER_MULTIPROCESSOR);
    bool source = cuda_describe_target(slot, device, to);
    info->capabilities = cuda_capabilities(cuda, device, info->architecture, source);
    bool large = info->architecture >= 70 && cuda->version >= LARGE_ARGUMENTS_SINCE &&
                 (!cuda->nvrtc || hed_nvrtc_version(cuda->nvrtc) >= LARGE_ARGUMENTS_SINCE);
    info->max_arguments_bytes = large ? 32764 : 4096;
    return HED_OK;
}

static hed_status cuda_device_describe(hed_backend_slot *slot, uint32_t index, hed_device *device)
{
    const hed_cuda *cuda = slot->state;
    CUdevice handle;
    return cuda->api.cuDeviceGet(&handle, (int)index) ? HED_ERROR_DRIVER
                                                      : cuda_describe(slot, handle, device);
}

/* ---- opening ---- */

static hed_cuda_device *cuda_new_device(
    hed_device *device, const hed_cuda *cuda, CUdevice handle, CUcontext context)
{
    hed_cuda_device *impl = hed_allocate(&device->settings->allocator, sizeof *impl);
    if (!impl) return NULL;
    impl->cuda = cuda;
    impl->device = handle;
    impl->context = context;
    pthread_mutex_init(&impl->map_lock, NULL);
    device->impl = impl;
    return impl;
}

static hed_status cuda_device_open(hed_device *device, hed_error *error)
{
    const hed_cuda *cuda = device->slot->state;
    CUdevice handle = 0;
    CUcontext context = NULL;
    int ordinal = 0;
    sscanf(strchr(device->info.id, ':'), ":%d", &ordinal);
    CUresult result = cuda->api.cuDeviceGet(&handle, ordinal);
    if (result) return hed_cuda_fail(&cuda->api, result, "cuDeviceGet", error);
    result = cuda->api.cuDevicePrimaryCtxRetain(&context, handle);
    if (result) return hed_cuda_fail(&cuda->api, result, "cuDevicePrimaryCtxRetain", error);
    if (cuda_new_device(device, cuda, handle, context)) return HED_OK;
    cuda->api.cuDevicePrimaryCtxRelease(handle);
    return HED_OUT_OF_MEMORY(error, "%s", device->info.id);
}

static void cuda_device_close(hed_device *device)
{
    hed_cuda_device *closed = device->impl;
    const hed_cuda_api *api = &closed->cuda->api;
    CUcontext current = NULL;
    if (!device->adopted) {
        /* hed_cuda_enter() may have left this context current here; the release may destroy it. */
        if (api->cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == closed->context)
            api->cuCtxSetCurrent(NULL);
        api->cuDevicePrimaryCtxRelease(closed->device);
    }
    pthread_mutex_destroy(&closed->map_lock);
    hed_release(&device->settings->allocator, closed, sizeof *closed);
    device->impl = NULL;
}

static hed_status cuda_device_adopt(
    hed_backend_slot *slot, const hed_driver_handles *native, hed_device *device, hed_error *error)
{
    const hed_cuda *cuda = slot->state;
    CUcontext former = NULL, context = native->context;
    CUdevice handle = 0;
    cuda->api.cuCtxGetCurrent(&former);
    const char *call = "cuCtxSetCurrent";
    CUresult result = cuda->api.cuCtxSetCurrent(context);
    if (!result) result = cuda->api.cuCtxGetDevice(&handle), call = "cuCtxGetDevice";
    cuda->api.cuCtxSetCurrent(former);
    if (result) return hed_cuda_fail(&cuda->api, result, call, error);
    hed_status status = cuda_describe(slot, handle, device);
    if (status)
        return hed_fail(
            error, status, "the driver does not describe the device of the given context");
    return cuda_new_device(device, cuda, handle, context)
               ? HED_OK
               : HED_OUT_OF_MEMORY(error, "an adopted device");
}

static hed_status cuda_device_native(
    hed_device *device, hed_driver_handles *native, hed_error *error)
{
    const hed_cuda_device *open = device->impl;
    native->device = (void *)(intptr_t)open->device;
    native->context = open->context;
    return HED_OK;
}

static hed_status cuda_device_memory(
    hed_device *device, uint64_t *free_bytes, uint64_t *total_bytes, hed_error *error)
{
    size_t available = 0, total = 0;
    CUcontext previous;
    hed_status status = hed_cuda_enter(device, &previous, error);
    if (status) return status;
    CUresult result = hed_cuda_api_of(device)->cuMemGetInfo(&available, &total);
    *free_bytes = available;
    *total_bytes = total;
    return hed_cuda_leave(device, previous, result, "cuMemGetInfo", error);
}

static hed_status cuda_device_wait(hed_device *device, hed_error *error)
{
    CUcontext previous;
    hed_status status = hed_cuda_enter(device, &previous, error);
    if (status) return status;
    return hed_cuda_leave(
        device, previous, hed_cuda_api_of(device)->cuCtxSynchronize(), "cuCtxSynchronize", error);
}

static void *cuda_symbol(hed_backend_slot *slot, const char *name)
{
    const hed_cuda *cuda = slot->state;
    return cuda ? hed_dynlib_symbol(cuda->library, name) : NULL;
}

/* Members common to both backends. */
#define SHARED \
    .languages = 1u << HED_OPENCL_C | 1u << HED_CUDA_C, .close = hed_cuda_close, \
    .device_count = cuda_device_count, .device_describe = cuda_device_describe, \
    .device_open = cuda_device_open, .device_close = cuda_device_close, \
    .device_adopt = cuda_device_adopt, .device_native = cuda_device_native, \
    .device_memory = cuda_device_memory, .device_wait = cuda_device_wait, .symbol = cuda_symbol, \
    .buffer_create = hed_cuda_buffer_create, .buffer_part = hed_cuda_buffer_part, \
    .buffer_destroy = hed_cuda_buffer_destroy, .buffer_share_gl = hed_cuda_buffer_share_gl, \
    .gl_acquire = hed_cuda_gl_acquire, .gl_release = hed_cuda_gl_release, \
    .stream_create = hed_cuda_stream_create, .stream_destroy = hed_cuda_stream_destroy, \
    .stream_wait = hed_cuda_stream_wait, .stream_done = hed_cuda_stream_done, \
    .stream_flush = hed_cuda_stream_flush, .step = hed_cuda_step, .map = hed_cuda_map, \
    .unmap = hed_cuda_unmap, .time_create = hed_cuda_time_create, \
    .time_destroy = hed_cuda_time_destroy, .time_read = hed_cuda_time_read, \
    .event_create = hed_cuda_event_create, .event_destroy = hed_cuda_event_destroy, \
    .event_record = hed_cuda_event_record, .event_done = hed_cuda_event_done, \
    .event_wait = hed_cuda_event_wait, .stream_wait_event = hed_cuda_stream_wait_event, \
    .event_elapsed = hed_cuda_event_elapsed, .build = hed_cuda_build, \
    .build_options = hed_cuda_build_options, .prelude = hed_nvrtc_prelude, \
    .program_load = hed_cuda_program_load, .program_unload = hed_cuda_program_unload, \
    .resident_groups = hed_cuda_resident_groups, .graph_build = hed_cuda_graph_build, \
    .graph_update = hed_cuda_graph_update, .graph_replay = hed_cuda_graph_replay, \
    .graph_destroy = hed_cuda_graph_destroy

const hed_backend hed_cuda_backend = {
    .name = "cuda", .open = hed_cuda_open, .compiler_open = cuda_compiler_open,
    .build_ahead = hed_cuda_build_ahead, SHARED};

const hed_backend hed_hip_backend = {.name = "hip", .open = hed_hip_open, SHARED};
