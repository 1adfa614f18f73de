/* EGL and OpenGL: finding libEGL and its functions, a context without a window for each of its
 * devices, and the capabilities of a device. Displays belong to the whole process, so no display is
 * terminated. */
#include "backends/gl/gl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char packages[] =
    "apt install libegl1 libgl1-mesa-dri (Debian), dnf install libglvnd-egl mesa-dri-drivers (Fedora): llvmpipe "
    "runs on any processor; a GPU's driver comes with Mesa or from its vendor";

/* ---- loading ---- */

#define EGL_NAME(result, name, parameters) "egl" #name,
#define GL_NAME(result, name, parameters) "gl" #name,
static const char *const egl_names[] = {HED_EGL_FUNCTIONS(EGL_NAME)};
static const char *const gl_names[] = {HED_GL_FUNCTIONS(GL_NAME) HED_GL_DESKTOP_FUNCTIONS(GL_NAME)};
#undef EGL_NAME
#undef GL_NAME
enum {
    EGL_FUNCTIONS = sizeof egl_names / sizeof *egl_names,
    GL_FUNCTIONS = sizeof gl_names / sizeof *gl_names,
    GL_TIME_FUNCTIONS = 3
};
_Static_assert(sizeof(hed_egl_api) == EGL_FUNCTIONS * sizeof(void *), "functions alone");
_Static_assert(sizeof(hed_gl_api) == GL_FUNCTIONS * sizeof(void *), "functions alone");

static void gl_fail(hed_backend_slot *slot, hed_backend_state health, const char *reason)
{
    slot->health = health;
    hed_text_copy(slot->reason, sizeof slot->reason, reason);
    hed_text_copy(slot->remedy, sizeof slot->remedy, packages);
}

/* Creates a context that reports a reset of the device as GL_CONTEXT_LOST, if the driver has such
 * contexts; any other context continues after a reset without an error, and reads garbage. */
static void *gl_create_context(const hed_egl_api *egl, void *display, int major, int minor)
{
    const int attributes[] = {EGL_CONTEXT_MAJOR_VERSION, major, EGL_CONTEXT_MINOR_VERSION, minor,
        EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY, EGL_LOSE_CONTEXT_ON_RESET, EGL_NONE};
    const int plain[] = {
        EGL_CONTEXT_MAJOR_VERSION, major, EGL_CONTEXT_MINOR_VERSION, minor, EGL_NONE};
    void *context = egl->CreateContext(display, NULL, NULL, attributes);
    return context ? context : egl->CreateContext(display, NULL, NULL, plain);
}

/* Creates a context of the newest OpenGL with compute shaders, else of the newest ES with them;
 * NULL: there is no such context. */
static void *gl_make_context(const hed_egl_api *egl, void *display, bool *es)
{
    static const struct {
        unsigned api;
        int major, minor;
    } versions[] = {{EGL_OPENGL_API, 4, 6}, {EGL_OPENGL_API, 4, 5}, {EGL_OPENGL_API, 4, 4},
        {EGL_OPENGL_API, 4, 3}, {EGL_OPENGL_ES_API, 3, 2}, {EGL_OPENGL_ES_API, 3, 1}};
    unsigned before = egl->QueryAPI();
    void *context = NULL;
    for (size_t i = 0; i < sizeof versions / sizeof *versions && !context; i++) {
        *es = versions[i].api == EGL_OPENGL_ES_API;
        if (egl->BindAPI(versions[i].api))
            context = gl_create_context(egl, display, versions[i].major, versions[i].minor);
    }
    if (before) egl->BindAPI(before);
    return context;
}

static bool gl_load(gl_device *device, const char **missing)
{
    void *functions[GL_FUNCTIONS];
    for (size_t i = 0; i < GL_FUNCTIONS; i++) {
        functions[i] = device->driver->get(gl_names[i]);
        *missing = gl_names[i];
        if (!functions[i] && !(device->es && i >= GL_FUNCTIONS - GL_TIME_FUNCTIONS)) return false;
    }
    memcpy(&device->api, functions, sizeof functions);
    return true;
}

/* Adds the device of a display. A device without compute shaders is skipped. */
static void gl_add(gl_driver *driver, void *display)
{
    gl_device *device = &driver->devices[driver->device_count];
    const char *missing = NULL;
    if (!display || driver->device_count == GL_DEVICES ||
        !driver->egl.Initialize(display, NULL, NULL))
        return;
    *device = (gl_device){.driver = driver, .display = display};
    device->context = gl_make_context(&driver->egl, display, &device->es);
    if (!device->context) return;
    if (!gl_load(device, &missing)) {
        hed_log_message(
            &driver->logger, HED_LOG_WARNING, "gl: a device is left out: it has no %s", missing);
        driver->egl.DestroyContext(display, device->context);
        return;
    }
    pthread_mutex_init(&device->lock, NULL);
    driver->device_count++;
}

static void gl_list(gl_driver *driver, hed_backend_slot *slot)
{
    /* drivers that EGL has loaded, and whose threads would outlive them */
    static const char *const drivers[] = {
        "libEGL", "libGL", "libgallium", "swrast", "nvidia", NULL};
    int (*query)(int, void **, int *) =
        (int (*)(int, void **, int *))driver->get("eglQueryDevicesEXT");
    void *egl_devices[GL_DEVICES];
    int count = 0;
    if (query && query(0, NULL, &count) && count > GL_DEVICES)
        hed_log_message(&driver->logger, HED_LOG_WARNING,
            "gl: EGL lists %d devices; the first %d are used", count, GL_DEVICES);
    if (query && !query(GL_DEVICES, egl_devices, &count)) count = 0;
    for (int i = 0; i < count; i++)
        gl_add(driver, driver->egl.GetPlatformDisplay(EGL_PLATFORM_DEVICE, egl_devices[i], NULL));
    if (!driver->device_count)
        gl_add(driver, driver->egl.GetPlatformDisplay(EGL_PLATFORM_SURFACELESS, NULL, NULL));
    hed_dynlib_keep_loaded(drivers);
    if (driver->device_count) slot->health = HED_BACKEND_WORKS;
    else
        gl_fail(slot, HED_BACKEND_ABSENT,
            "libEGL is installed, but finds no driver of OpenGL 4.3 or OpenGL ES 3.1");
}

static void gl_start(gl_driver *driver, hed_backend_slot *slot)
{
    void *functions[EGL_FUNCTIONS];
    const char *missing = "eglGetProcAddress";
    char reason[128];
    driver->get = (void *(*)(const char *))hed_dynlib_symbol(driver->library, missing);
    if (driver->get &&
        hed_dynlib_symbols(driver->library, egl_names, functions, EGL_FUNCTIONS, &missing)) {
        memcpy(&driver->egl, functions, sizeof functions);
        gl_list(driver, slot);
        return;
    }
    snprintf(reason, sizeof reason, "the library has no %s: EGL 1.5 is needed", missing);
    gl_fail(slot, HED_BACKEND_FAILED, reason);
}

static void gl_close(const hed_settings *settings, hed_backend_slot *slot)
{
    gl_driver *driver = slot->state;
    slot->state = NULL;
    if (!driver) return;
    for (uint32_t i = 0; i < driver->device_count; i++) {
        driver->egl.DestroyContext(driver->devices[i].display, driver->devices[i].context);
        pthread_mutex_destroy(&driver->devices[i].lock);
    }
    hed_dynlib_close(&settings->allocator, driver->library);
    hed_release(&settings->allocator, driver, sizeof *driver);
}

static hed_status gl_open(const hed_settings *settings, hed_backend_slot *slot)
{
    const char *names[] = {settings->gl_library ? settings->gl_library : "libEGL.so.1", NULL};
    slot->health = HED_BACKEND_ABSENT;
    if (!settings->gl || !names[0][0]) {
        hed_text_copy(slot->reason, sizeof slot->reason,
            names[0][0] ? "not looked for: listing its devices takes a tenth of a second"
                        : "not wanted: the name of its library is set to \"\"");
        hed_text_copy(slot->remedy, sizeof slot->remedy,
            names[0][0] ? "name a device of it, such as gl:0, or set hed_context_def.gl"
                        : "leave hed_context_def.gl_library NULL");
        return HED_OK;
    }
    gl_driver *driver = hed_allocate(&settings->allocator, sizeof *driver);
    if (!driver) return HED_ERROR_MEMORY;
    driver->allocator = settings->allocator;
    driver->logger = settings->logger;
    driver->clock = settings->clock;
    slot->state = driver;
    hed_status status = hed_dynlib_open(
        &driver->allocator, names, &driver->library, slot->reason, sizeof slot->reason);
    if (!driver->library) {
        hed_text_copy(slot->remedy, sizeof slot->remedy, packages);
    } else {
        hed_text_copy(slot->library, sizeof slot->library, hed_dynlib_name(driver->library));
        gl_start(driver, slot);
    }
    if (status) gl_close(settings, slot);
    return status;
}

static uint32_t gl_device_count(hed_backend_slot *slot)
{
    const gl_driver *driver = slot->state;
    return driver ? driver->device_count : 0;
}

static void *gl_symbol(hed_backend_slot *slot, const char *name)
{
    const gl_driver *driver = slot->state;
    return driver && driver->get ? driver->get(name) : NULL;
}

/* ---- devices ---- */

static uint64_t gl_number(const gl_device *of, unsigned name)
{
    int value = 0;
    of->api.GetIntegerv(name, &value);
    return value > 0 ? (uint64_t)value : 0;
}

static void gl_text(const gl_device *of, unsigned name, char *to, size_t size)
{
    const char *text = of->api.GetString(name);
    hed_text_copy(to, size, text ? text : "unknown");
}

/* Reads a number of an extension; 0 if the driver lacks the extension. */
static uint64_t gl_extension_number(const gl_device *of, unsigned name)
{
    uint64_t value = gl_number(of, name);
    return of->api.GetError() == GL_NO_ERROR ? value : 0;
}

/* Reads GL_NVX_gpu_memory_info; 0 if the driver lacks it. */
static uint64_t gl_memory_bytes(const gl_device *of, bool only_free)
{
    return 1024 * gl_extension_number(of, only_free ? 0x9049 : 0x9047);
}

static void gl_fill_limits(const gl_device *of, hed_device_info *info)
{
    int64_t largest = 0;
    for (unsigned i = 0; i < 3; i++) {
        int size = 0, count = 0;
        of->api.GetIntegeri_v(GL_MAX_COMPUTE_WORK_GROUP_SIZE, i, &size);
        of->api.GetIntegeri_v(GL_MAX_COMPUTE_WORK_GROUP_COUNT, i, &count);
        info->max_group_size[i] = (uint32_t)size;
        info->max_groups[i] = (uint64_t)count;
    }
    info->max_group = (uint32_t)gl_number(of, GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS);
    info->local_bytes = gl_number(of, GL_MAX_COMPUTE_SHARED_MEMORY_SIZE);
    of->api.GetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &largest);
    info->max_buffer_bytes = largest > 0 ? (uint64_t)largest : 0;
    uint32_t storage = (uint32_t)gl_number(of, GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT),
             uniform = (uint32_t)gl_number(of, GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT);
    info->buffer_alignment = storage > uniform ? storage : uniform;
    info->max_arguments_bytes = HED_MAX_STRUCT_BYTES;
    info->memory_bytes = gl_memory_bytes(of, false);
    info->compute_units = (uint32_t)gl_extension_number(of, GL_SM_COUNT_NV);
}

static hed_status gl_describe(hed_backend_slot *slot, uint32_t index, hed_device *device)
{
    gl_driver *driver = slot->state;
    gl_device *of = &driver->devices[index];
    hed_device_info *info = &device->info;
    int bits = 0;
    snprintf(device->text[0], sizeof device->text[0], "gl:%u", index);
    info->id = device->text[0];
    of->info = info;
    if (hed_gl_begin(of, NULL)) return HED_ERROR_DRIVER;
    snprintf(device->text[1], sizeof device->text[1], "OpenGL%s %d.%d", of->es ? " ES" : "",
        (int)gl_number(of, GL_MAJOR_VERSION), (int)gl_number(of, GL_MINOR_VERSION));
    gl_text(of, GL_RENDERER, device->text[2], sizeof device->text[2]);
    gl_text(of, GL_VENDOR, device->text[3], sizeof device->text[3]);
    gl_text(of, GL_VERSION, device->text[4], sizeof device->text[4]);
    gl_fill_limits(of, info);
    if (!of->es) of->api.GetQueryiv(GL_TIMESTAMP, GL_QUERY_COUNTER_BITS, &bits);
    unsigned code = of->api.GetError();
    hed_gl_end(of);
    if (code) return code == GL_OUT_OF_MEMORY ? HED_ERROR_MEMORY : HED_ERROR_DRIVER;
    of->stamps = bits >= 30;
    info->backend = "gl";
    info->platform = device->text[1];
    info->name = device->text[2];
    info->vendor = device->text[3];
    info->driver = device->text[4];
    snprintf(device->build_key, sizeof device->build_key, "%.100s|%.100s|%.100s", info->name,
        info->driver, info->platform);
    bool software = hed_text_contains(info->name, "llvmpipe") ||
                    hed_text_contains(info->name, "softpipe") ||
                    hed_text_contains(info->name, "swrast");
    info->type = software ? HED_DEVICE_CPU : HED_DEVICE_GPU;
    if (software) {
        info->compute_units = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
        info->memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    }
    info->capabilities = HED_CAN_SOURCE | HED_CAN_GLOBAL_ATOMICS;
    if (of->stamps) info->capabilities |= HED_CAN_DEVICE_TIME;
    if (!of->es) info->capabilities |= HED_CAN_FP64;
    /* llvmpipe generates a program's code when it first runs */
    device->compiles_at_launch = software;
    return HED_OK;
}

static hed_status gl_device_open(hed_device *device, hed_error *error)
{
    gl_driver *driver = device->slot->state;
    device->impl = &driver->devices[strtoul(device->info.id + strlen("gl:"), NULL, 10)];
    hed_status status = hed_gl_check_clock(device, error);
    if (status) device->impl = NULL;
    return status;
}

/* Closes the device. The context belongs to the driver and is destroyed with it. */
static void gl_device_close(hed_device *device)
{
    gl_device *of = hed_gl_of(device);
    if (of->staging && !hed_gl_begin(of, NULL)) {
        of->api.DeleteBuffers(1, &of->staging);
        hed_gl_end(of);
    }
    of->staging = 0;
    device->impl = NULL;
}

static hed_status gl_device_memory(
    hed_device *device, uint64_t *free_bytes, uint64_t *total_bytes, hed_error *error)
{
    gl_device *of = hed_gl_of(device);
    hed_status status = hed_gl_begin(of, error);
    if (status) return status;
    *free_bytes = gl_memory_bytes(of, true);
    *total_bytes = device->info.memory_bytes;
    hed_gl_end(of);
    return HED_OK;
}

/* ---- the table ---- */

extern const hed_backend hed_gl_backend;

const hed_backend hed_gl_backend = {
    .name = "gl",
    .languages = 1u << HED_GLSL,
    .open = gl_open,
    .close = gl_close,
    .device_count = gl_device_count,
    .device_describe = gl_describe,
    .device_open = gl_device_open,
    .device_close = gl_device_close,
    .device_memory = gl_device_memory,
    .device_wait = hed_gl_device_wait,
    .symbol = gl_symbol,
    .buffer_create = hed_gl_buffer_create,
    .buffer_part = hed_gl_buffer_part,
    .buffer_destroy = hed_gl_buffer_destroy,
    .stream_create = hed_gl_stream_create,
    .stream_destroy = hed_gl_stream_destroy,
    .stream_wait = hed_gl_stream_wait,
    .stream_done = hed_gl_stream_done,
    .stream_flush = hed_gl_stream_flush,
    .step = hed_gl_step,
    .time_create = hed_gl_time_create,
    .time_destroy = hed_gl_time_destroy,
    .time_read = hed_gl_time_read,
    .event_create = hed_gl_event_create,
    .event_destroy = hed_gl_event_destroy,
    .event_record = hed_gl_event_record,
    .event_done = hed_gl_event_done,
    .event_wait = hed_gl_event_wait,
    .stream_wait_event = hed_gl_stream_wait_event,
    .event_elapsed = hed_gl_event_elapsed,
    .build = hed_gl_build,
    .program_load = hed_gl_program_load,
    .program_unload = hed_gl_program_unload,
};
