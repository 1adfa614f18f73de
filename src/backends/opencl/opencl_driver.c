/* The loaded library: finding it and its functions, listing its platforms and devices. */
#include "backends/opencl/opencl.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* ---- loading ---- */

#define NAME(result, name, parameters) #name,
static const char *const function_names[] = {HED_CL_FUNCTIONS(NAME)};
static const char *const gl_names[] = {HED_CL_GL_FUNCTIONS(NAME)};
#undef NAME
enum {
    FUNCTIONS = sizeof function_names / sizeof function_names[0],
    GL_FUNCTIONS = sizeof gl_names / sizeof gl_names[0]
};
_Static_assert(sizeof(hed_cl_api) == (FUNCTIONS + GL_FUNCTIONS) * sizeof(void *),
    "the table is these functions and nothing else");

static hed_status opencl_load(
    opencl_driver *driver, const hed_settings *settings, hed_backend_slot *slot, bool *loaded)
{
    const char *names[] = {
        settings->opencl_library ? settings->opencl_library : "libOpenCL.so.1", NULL};
    const char *missing = "";
    void *functions[FUNCTIONS + GL_FUNCTIONS];
    hed_status status = hed_dynlib_open(
        &driver->allocator, names, &driver->library, slot->reason, sizeof slot->reason);
    *loaded = false;
    if (!driver->library) {
        hed_text_copy(slot->remedy, sizeof slot->remedy,
            "apt install ocl-icd-libopencl1 pocl-opencl-icd (Debian), dnf install ocl-icd pocl (Fedora): PoCL runs on any "
            "processor; a GPU's driver comes from its vendor");
        return status;
    }
    hed_text_copy(slot->library, sizeof slot->library, hed_dynlib_name(driver->library));
    if (!hed_dynlib_symbols(driver->library, function_names, functions, FUNCTIONS, &missing)) {
        slot->health = HED_BACKEND_FAILED;
        snprintf(slot->reason, sizeof slot->reason, "%s has no %s: it is no library of OpenCL 1.2",
            names[0], missing);
        hed_text_copy(slot->remedy, sizeof slot->remedy,
            "apt install ocl-icd-libopencl1, or HEDDLE_OPENCL_LIBRARY=another library");
        return HED_OK;
    }
    for (int i = 0; i < GL_FUNCTIONS; i++)
        functions[FUNCTIONS + i] = hed_dynlib_symbol(driver->library, gl_names[i]);
    memcpy(&driver->api, functions, sizeof functions);
    *loaded = true;
    return HED_OK;
}

void *hed_opencl_symbol(hed_backend_slot *slot, const char *name)
{
    const opencl_driver *driver = slot->state;
    return driver && driver->library ? hed_dynlib_symbol(driver->library, name) : NULL;
}

/* ---- list of devices ---- */

enum { MOST_PLATFORMS = 64 };

static bool opencl_is_fit(const opencl_driver *driver, cl_device_id id)
{
    char version[256] = "", name[256] = "";
    int major = 0, minor = 0;
    cl_bool available = CL_FALSE;
    driver->api.clGetDeviceInfo(id, CL_DEVICE_AVAILABLE, sizeof available, &available, NULL);
    driver->api.clGetDeviceInfo(id, CL_DEVICE_VERSION, sizeof version - 1, version, NULL);
    driver->api.clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
    sscanf(version, "OpenCL %d.%d", &major, &minor);
    if (available && major * 10 + minor >= 12) return true;
    hed_log_message(&driver->logger, HED_LOG_WARNING, "opencl: %s (%s) is left out: %s", name,
        version, available ? "OpenCL 1.2 is needed" : "its driver calls it not available");
    return false;
}

static cl_int opencl_add_devices(
    opencl_driver *driver, cl_platform_id platform, uint32_t platform_index, opencl_device *devices)
{
    cl_device_id ids[MOST_DEVICES];
    cl_uint count = 0;
    cl_int code =
        driver->api.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MOST_DEVICES, ids, &count);
    if (code == CL_DEVICE_NOT_FOUND) return CL_SUCCESS;
    if (code)
        hed_log_message(&driver->logger, HED_LOG_WARNING,
            "opencl: platform %u gives %s for its devices", platform_index, hed_opencl_code_name(code));
    if (code) return code;
    for (uint32_t i = 0; i < count; i++) {
        if (i == MOST_DEVICES || driver->device_count == MOST_DEVICES) {
            hed_log_message(&driver->logger, HED_LOG_WARNING,
                "opencl: platform %u lists %u devices; %u are used, and at most %d of all platforms",
                platform_index, count, i, MOST_DEVICES);
            break;
        }
        if (!opencl_is_fit(driver, ids[i])) continue;
        devices[driver->device_count++] = (opencl_device){.driver = driver, .api = &driver->api,
            .platform = platform, .id = ids[i], .platform_index = platform_index,
            .device_index = i};
    }
    return CL_SUCCESS;
}

static void opencl_name_versions(const opencl_driver *driver, const cl_platform_id *platforms,
    cl_uint count, hed_backend_slot *slot)
{
    for (cl_uint i = 0; i < count; i++) {
        char version[160] = "";
        size_t used = strlen(slot->library);
        driver->api.clGetPlatformInfo(
            platforms[i], CL_PLATFORM_VERSION, sizeof version - 1, version, NULL);
        snprintf(
            slot->library + used, sizeof slot->library - used, "%s%s", i ? "; " : ": ", version);
    }
}

/* Lists devices; the slot's health is FAILED until a device is found. */
static hed_status opencl_list(opencl_driver *driver, hed_backend_slot *slot)
{
    opencl_device devices[MOST_DEVICES];
    cl_platform_id platforms[MOST_PLATFORMS];
    cl_uint count = 0;
    cl_int code = driver->api.clGetPlatformIDs(MOST_PLATFORMS, platforms, &count);
    if (count > MOST_PLATFORMS) {
        hed_log_message(&driver->logger, HED_LOG_WARNING,
            "opencl: there are %u platforms; the first %d are used", count, MOST_PLATFORMS);
        count = MOST_PLATFORMS;
    }
    if (code) count = 0;
    opencl_name_versions(driver, platforms, count, slot);
    const char *call = "clGetPlatformIDs";
    for (cl_uint i = 0; i < count; i++) {
        cl_int failed = opencl_add_devices(driver, platforms[i], i, devices);
        if (failed) code = failed, call = "clGetDeviceIDs";
    }
    if (driver->device_count == 0) {
        bool empty = !code || code == CL_PLATFORM_NOT_FOUND_KHR;
        slot->health = empty ? HED_BACKEND_ABSENT : HED_BACKEND_FAILED;
        if (empty)
            snprintf(slot->reason, sizeof slot->reason,
                "the library is installed, but finds no device of OpenCL 1.2");
        else
            snprintf(slot->reason, sizeof slot->reason, "%s failed with %s (%d)", call,
                hed_opencl_code_name(code), (int)code);
        hed_text_copy(slot->remedy, sizeof slot->remedy,
            "install a driver: pocl-opencl-icd (Debian) or pocl (Fedora) runs on any processor; check OCL_ICD_VENDORS");
        return HED_OK;
    }
    driver->devices = hed_allocate(&driver->allocator, driver->device_count * sizeof *devices);
    if (!driver->devices) return HED_ERROR_MEMORY;
    memcpy(driver->devices, devices, driver->device_count * sizeof *devices);
    slot->health = HED_BACKEND_WORKS;
    return HED_OK;
}

hed_status hed_opencl_open(const hed_settings *settings, hed_backend_slot *slot)
{
    slot->health = HED_BACKEND_ABSENT;
    if (settings->opencl_library && !settings->opencl_library[0]) {
        hed_text_copy(slot->reason, sizeof slot->reason,
            "not wanted: the name of its library is set to \"\"");
        hed_text_copy(
            slot->remedy, sizeof slot->remedy, "leave hed_context_def.opencl_library NULL");
        return HED_OK;
    }
    opencl_driver *driver = hed_allocate(&settings->allocator, sizeof *driver);
    if (!driver) return HED_ERROR_MEMORY;
    driver->allocator = settings->allocator;
    driver->logger = settings->logger;
    slot->state = driver;
    bool loaded;
    hed_status status = opencl_load(driver, settings, slot, &loaded);
    if (loaded) {
        opencl_signals signals;
        hed_opencl_signals_keep(&signals);
        status = opencl_list(driver, slot);
        hed_opencl_signals_restore(&signals);
    }
    if (status) hed_opencl_close(settings, slot);
    return status;
}

void hed_opencl_close(const hed_settings *settings, hed_backend_slot *slot)
{
    opencl_driver *driver = slot->state;
    slot->state = NULL;
    if (!driver) return;
    hed_allocator allocator = driver->allocator;
    hed_release(&allocator, driver->devices, driver->device_count * sizeof *driver->devices);
    hed_dynlib_close(&allocator, driver->library);
    hed_release(&allocator, driver, sizeof *driver);
}

uint32_t hed_opencl_device_count(hed_backend_slot *slot)
{
    const opencl_driver *driver = slot->state;
    return driver ? driver->device_count : 0;
}

/* ---- the table ---- */

/* OpenCL has no recorded work that every driver replays, so graphs are left to the core. */

extern const hed_backend hed_opencl_backend;

const hed_backend hed_opencl_backend = {
    .name = "opencl",
    .languages = 1u << HED_OPENCL_C,
    .open = hed_opencl_open,
    .close = hed_opencl_close,
    .device_count = hed_opencl_device_count,
    .device_describe = hed_opencl_device_describe,
    .device_open = hed_opencl_device_open,
    .device_close = hed_opencl_device_close,
    .device_adopt = hed_opencl_device_adopt,
    .device_native = hed_opencl_device_native,
    .device_memory = hed_opencl_device_memory,
    .device_wait = hed_opencl_device_wait,
    .symbol = hed_opencl_symbol,
    .buffer_create = hed_opencl_buffer_create,
    .buffer_part = hed_opencl_buffer_part,
    .buffer_destroy = hed_opencl_buffer_destroy,
    .buffer_share_gl = hed_opencl_buffer_share_gl,
    .gl_acquire = hed_opencl_gl_acquire,
    .gl_release = hed_opencl_gl_release,
    .stream_create = hed_opencl_stream_create,
    .stream_destroy = hed_opencl_stream_destroy,
    .stream_wait = hed_opencl_stream_wait,
    .stream_done = hed_opencl_stream_done,
    .stream_flush = hed_opencl_stream_flush,
    .step = hed_opencl_step,
    .map = hed_opencl_map,
    .unmap = hed_opencl_unmap,
    .time_create = hed_opencl_time_create,
    .time_destroy = hed_opencl_time_destroy,
    .time_read = hed_opencl_time_read,
    .event_create = hed_opencl_event_create,
    .event_destroy = hed_opencl_event_destroy,
    .event_record = hed_opencl_event_record,
    .event_done = hed_opencl_event_done,
    .event_wait = hed_opencl_event_wait,
    .stream_wait_event = hed_opencl_stream_wait_event,
    .event_elapsed = hed_opencl_event_elapsed,
    .build = hed_opencl_build,
    .build_options = hed_opencl_build_options,
    .prelude = hed_opencl_prelude,
    .program_load = hed_opencl_program_load,
    .program_unload = hed_opencl_program_unload,
};
