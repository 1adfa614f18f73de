/* Devices: capabilities, the context, and contexts that a program already has. Describing a device
 * creates no context. */
#include "backends/opencl/opencl.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* ---- queries ---- */

/* Queries a number; 0 if the driver does not know the query. */
static uint64_t opencl_number32(const opencl_device *device, cl_uint query)
{
    cl_uint value = 0;
    return device->api->clGetDeviceInfo(device->id, query, sizeof value, &value, NULL) ? 0 : value;
}

static uint64_t opencl_number64(const opencl_device *device, cl_uint query)
{
    cl_ulong value = 0; /* size_t too: this backend is for 64-bit machines */
    return device->api->clGetDeviceInfo(device->id, query, sizeof value, &value, NULL) ? 0 : value;
}

/* Copies a name without blanks at either end, which some drivers add. */
static void opencl_trim_into(char *to, size_t size, const char *from)
{
    while (isspace((unsigned char)*from)) from++;
    hed_text_copy(to, size, from);
    for (size_t n = strlen(to); n > 0 && isspace((unsigned char)to[n - 1]); n--) to[n - 1] = 0;
}

static void opencl_device_text(const opencl_device *device, cl_uint query, char *to, size_t size)
{
    char text[1024] = "";
    if (device->api->clGetDeviceInfo(device->id, query, sizeof text - 1, text, NULL)) text[0] = 0;
    opencl_trim_into(to, size, text);
}

static void opencl_platform_text(const opencl_device *device, cl_uint query, char *to, size_t size)
{
    char text[1024] = "";
    if (device->api->clGetPlatformInfo(device->platform, query, sizeof text - 1, text, NULL))
        text[0] = 0;
    opencl_trim_into(to, size, text);
}

/* True if a list of words separated by blanks contains the word. */
static bool opencl_lists(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0)) return true;
    return false;
}

opencl_platform hed_opencl_platform_of(const hed_device *device)
{
    static const struct {
        const char *name;
        opencl_platform platform;
    } platforms[] = {{"Portable Computing Language", OPENCL_POCL}, {"NVIDIA CUDA", OPENCL_NVIDIA},
        {"Oclgrind", OPENCL_OCLGRIND}, {"rusticl", OPENCL_RUSTICL}};
    for (size_t i = 0; i < sizeof platforms / sizeof platforms[0]; i++)
        if (strcmp(device->info.platform, platforms[i].name) == 0) return platforms[i].platform;
    return OPENCL_OTHER;
}

/* ---- describing ---- */

static uint64_t opencl_capabilities(
    const opencl_device *device, opencl_platform platform, const char *extensions)
{
    uint64_t can = HED_CAN_DEVICE_TIME; /* every queue can record times */
    if (opencl_number32(device, CL_DEVICE_COMPILER_AVAILABLE)) can |= HED_CAN_SOURCE;
    /* Oclgrind reports neither fma nor correct division but has both. */
    const uint64_t strict_bits = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA |
                                 CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
    if (platform == OPENCL_OCLGRIND ||
        (opencl_number64(device, CL_DEVICE_SINGLE_FP_CONFIG) & strict_bits) == strict_bits)
        can |= HED_CAN_STRICT;
    if (opencl_lists(extensions, "cl_khr_fp64")) can |= HED_CAN_FP64;
    if (opencl_lists(extensions, "cl_khr_fp16")) can |= HED_CAN_FP16;
    if (opencl_lists(extensions, "cl_khr_global_int32_base_atomics") &&
        opencl_lists(extensions, "cl_khr_global_int32_extended_atomics"))
        can |= HED_CAN_GLOBAL_ATOMICS;
    if (device->gl && opencl_lists(extensions, "cl_khr_gl_sharing")) can |= HED_CAN_GL_SHARING;
    return can;
}

static uint32_t opencl_lane_width(
    const opencl_device *device, hed_device_type type, const char *extensions)
{
    if (type == HED_DEVICE_CPU)
        return (uint32_t)opencl_number32(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT);
    if (opencl_lists(extensions, "cl_nv_device_attribute_query"))
        return (uint32_t)opencl_number32(device, CL_DEVICE_WARP_SIZE_NV);
    if (opencl_lists(extensions, "cl_amd_device_attribute_query"))
        return (uint32_t)opencl_number32(device, CL_DEVICE_WAVEFRONT_WIDTH_AMD);
    return 0;
}

static void opencl_fill_texts(const opencl_device *device, hed_device *out)
{
    char version[128];
    hed_device_info *info = &out->info;
    snprintf(out->text[0], sizeof out->text[0], "opencl:%u:%u", device->platform_index,
        device->device_index);
    opencl_platform_text(device, CL_PLATFORM_NAME, out->text[1], sizeof out->text[1]);
    opencl_device_text(device, CL_DEVICE_NAME, out->text[2], sizeof out->text[2]);
    opencl_device_text(device, CL_DEVICE_VENDOR, out->text[3], sizeof out->text[3]);
    opencl_device_text(device, CL_DRIVER_VERSION, out->text[4], sizeof out->text[4]);
    info->id = out->text[0];
    info->backend = "opencl";
    info->platform = out->text[1];
    info->name = out->text[2];
    info->vendor = out->text[3];
    info->driver = out->text[4];
    opencl_platform_text(device, CL_PLATFORM_VERSION, version, sizeof version);
    snprintf(out->build_key, sizeof out->build_key, "%.100s|%s|%.120s|%.120s", info->platform,
        version, info->name, info->driver);
}

static void opencl_fill_limits(const opencl_device *device, hed_device_info *info)
{
    size_t sizes[16] = {0};
    device->api->clGetDeviceInfo(
        device->id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, NULL);
    for (int i = 0; i < 3; i++) {
        info->max_group_size[i] = (uint32_t)sizes[i];
        info->max_groups[i] = INT32_MAX;
    }
    info->compute_units = (uint32_t)opencl_number32(device, CL_DEVICE_MAX_COMPUTE_UNITS);
    info->max_group = (uint32_t)opencl_number64(device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    info->local_bytes = opencl_number64(device, CL_DEVICE_LOCAL_MEM_SIZE);
    info->memory_bytes = opencl_number64(device, CL_DEVICE_GLOBAL_MEM_SIZE);
    info->max_buffer_bytes = opencl_number64(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    info->cache_bytes = opencl_number64(device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
    /* the driver reports bits */
    info->buffer_alignment = (uint32_t)opencl_number32(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
    info->max_arguments_bytes = (uint32_t)opencl_number64(device, CL_DEVICE_MAX_PARAMETER_SIZE);
    info->clock_mhz = (uint32_t)opencl_number32(device, CL_DEVICE_MAX_CLOCK_FREQUENCY);
}

static hed_status opencl_describe(opencl_device *device, hed_device *out)
{
    hed_device_info *info = &out->info;
    uint64_t type = opencl_number64(device, CL_DEVICE_TYPE);
    size_t size = 0;
    char *extensions = NULL;
    if (!type) return HED_ERROR_DRIVER;
    opencl_fill_texts(device, out);
    opencl_fill_limits(device, info);
    opencl_platform platform = hed_opencl_platform_of(out);
    if (device->api->clGetDeviceInfo(device->id, CL_DEVICE_EXTENSIONS, 0, NULL, &size)) size = 0;
    extensions = hed_allocate(&device->driver->allocator, size + 1);
    if (!extensions) return HED_ERROR_MEMORY;
    if (size)
        device->api->clGetDeviceInfo(device->id, CL_DEVICE_EXTENSIONS, size, extensions, NULL);
    info->type = type & CL_DEVICE_TYPE_GPU   ? HED_DEVICE_GPU
                 : type & CL_DEVICE_TYPE_CPU ? HED_DEVICE_CPU
                                             : HED_DEVICE_OTHER;
    info->lane_width = opencl_lane_width(device, info->type, extensions);
    info->capabilities = opencl_capabilities(device, platform, extensions);
    if (opencl_lists(extensions, "cl_nv_device_attribute_query"))
        info->registers = (uint32_t)opencl_number32(device, CL_DEVICE_REGISTERS_PER_BLOCK_NV);
    device->threadless = platform == OPENCL_OCLGRIND ||
                         (platform == OPENCL_POCL && strncmp(info->name, "basic", 5) == 0);
    /* every group size is compiled at its first launch */
    out->compiles_at_launch = platform == OPENCL_POCL;
    if (platform == OPENCL_NVIDIA)
        info->cache_bytes = 0; /* the driver reports the first-level caches (H200: 132 x 32 KiB) */
    hed_release(&device->driver->allocator, extensions, size + 1);
    return HED_OK;
}

hed_status hed_opencl_device_describe(hed_backend_slot *slot, uint32_t index, hed_device *device)
{
    opencl_driver *driver = slot->state;
    device->impl = &driver->devices[index];
    return opencl_describe(device->impl, device);
}

/* ---- opening ---- */

/* Creates the queue and the lock that an open device needs, for an own and for an adopted
 * context. */
static hed_status opencl_prepare(opencl_device *device, hed_error *error)
{
    cl_int code = CL_SUCCESS;
    device->queue = device->api->clCreateCommandQueue(device->context, device->id, 0, &code);
    if (!device->queue)
        return hed_opencl_fail(error, "clCreateCommandQueue", code, "no queue for buffers");
    device->unified = opencl_number32(device, CL_DEVICE_HOST_UNIFIED_MEMORY);
    pthread_mutex_init(&device->lock, NULL);
    return HED_OK;
}

hed_status hed_opencl_device_open(hed_device *device, hed_error *error)
{
    opencl_device *opened = hed_opencl_of(device);
    cl_int code = CL_SUCCESS;
    const intptr_t properties[] = {CL_CONTEXT_PLATFORM, (intptr_t)opened->platform, 0};
    opened->context = opened->api->clCreateContext(properties, 1, &opened->id, NULL, NULL, &code);
    if (!opened->context)
        return hed_opencl_fail(error, "clCreateContext", code, "no context on %s (%s)",
            device->info.id, device->info.name);
    hed_status status = opencl_prepare(opened, error);
    if (!status) return HED_OK;
    opened->api->clReleaseContext(opened->context);
    opened->context = NULL;
    return status;
}

void hed_opencl_device_close(hed_device *device)
{
    opencl_device *closed = hed_opencl_of(device);
    hed_opencl_drop_programs(closed);
    closed->api->clReleaseCommandQueue(closed->queue);
    /* releases the reference of an adopted context that was taken in adopting it */
    closed->api->clReleaseContext(closed->context);
    closed->context = NULL;
    pthread_mutex_destroy(&closed->lock);
    if (device->adopted) hed_release(&closed->driver->allocator, closed, sizeof *closed);
}

/* ---- adopting ---- */

static hed_status opencl_check_context(const opencl_device *device, hed_error *error)
{
    cl_device_id ids[MOST_DEVICES];
    size_t size = 0;
    cl_int code =
        device->api->clGetContextInfo(device->context, CL_CONTEXT_DEVICES, sizeof ids, ids, &size);
    if (code)
        return hed_opencl_fail(
            error, "clGetContextInfo", code, "hed_driver_handles.context is no cl_context");
    for (size_t i = 0; i < size / sizeof ids[0]; i++)
        if (ids[i] == device->id) return HED_OK;
    return hed_fail(
        error, HED_ERROR_ARGUMENT, "the context given does not contain the device given");
}

static bool opencl_shares_gl(const opencl_device *device)
{
    intptr_t properties[64];
    size_t size = 0;
    if (device->api->clGetContextInfo(
            device->context, CL_CONTEXT_PROPERTIES, sizeof properties, properties, &size))
        return false;
    for (size_t i = 0; i + 1 < size / sizeof properties[0] && properties[i]; i += 2)
        if (properties[i] == CL_GL_CONTEXT_KHR) return properties[i + 1] != 0;
    return false;
}

/* Retains the program's context; not after a failure. */
static hed_status opencl_take_context(opencl_device *impl, hed_device *device, hed_error *error)
{
    hed_status status = opencl_check_context(impl, error);
    if (status) return status;
    cl_int code = impl->api->clRetainContext(impl->context);
    if (code) return hed_opencl_fail(error, "clRetainContext", code, "the context given");
    status = opencl_describe(impl, device);
    if (status == HED_ERROR_MEMORY) hed_fail(error, status, "no memory for a device");
    else if (status)
        hed_fail(error, status, "clGetDeviceInfo: the driver does not describe the device given");
    else status = opencl_prepare(impl, error);
    if (status) impl->api->clReleaseContext(impl->context);
    return status;
}

hed_status hed_opencl_device_adopt(
    hed_backend_slot *slot, const hed_driver_handles *native, hed_device *device, hed_error *error)
{
    opencl_driver *driver = slot->state;
    if (!native->device)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "hed_driver_handles.device is NULL: an OpenCL context may have several");
    opencl_device *impl = hed_allocate(&driver->allocator, sizeof *impl);
    if (!impl) return HED_OUT_OF_MEMORY(error, "a device");
    *impl = (opencl_device){.driver = driver,
        .api = &driver->api,
        .platform = native->platform,
        .id = native->device,
        .context = native->context};
    impl->api->clGetDeviceInfo(
        impl->id, CL_DEVICE_PLATFORM, sizeof impl->platform, &impl->platform, NULL);
    /* The indices of the listed device that it is, so that data keyed by that device's name apply
     * to it too. */
    for (uint32_t i = 0; i < driver->device_count; i++) {
        if (driver->devices[i].id != impl->id) continue;
        impl->platform_index = driver->devices[i].platform_index;
        impl->device_index = driver->devices[i].device_index;
    }
    impl->gl = opencl_shares_gl(impl);
    device->impl = impl;
    hed_status status = opencl_take_context(impl, device, error);
    if (!status) return HED_OK;
    device->impl = NULL;
    hed_release(&driver->allocator, impl, sizeof *impl);
    return status;
}

hed_status hed_opencl_device_native(
    hed_device *device, hed_driver_handles *native, hed_error *error)
{
    const opencl_device *opened = hed_opencl_of(device);
    *native = (hed_driver_handles){
        .platform = opened->platform, .device = opened->id, .context = opened->context};
    return HED_OK;
}

/* ---- device memory and waiting ---- */

hed_status hed_opencl_device_memory(
    hed_device *device, uint64_t *free_bytes, uint64_t *total_bytes, hed_error *error)
{
    *free_bytes = 0; /* OpenCL has no query for it */
    *total_bytes = device->info.memory_bytes;
    return HED_OK;
}

hed_status hed_opencl_device_wait(hed_device *device, hed_error *error)
{
    opencl_device *opened = hed_opencl_of(device);
    cl_int code = CL_SUCCESS;
    /* another thread that creates or destroys a stream waits meanwhile */
    pthread_mutex_lock(&opened->lock);
    for (opencl_stream *stream = opened->streams; stream && !code; stream = stream->next)
        code = opened->api->clFinish(stream->queue);
    pthread_mutex_unlock(&opened->lock);
    return hed_opencl_check_wait(error, device, "clFinish", code, "waiting for the device");
}
