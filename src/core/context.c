/* The context: settings from the definition and the environment, the backends, and the list of
 * devices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "core/objects.h"
#include "heddle/author.h"

/* ---- settings ---- */

/* Applies the XDG base directory rules: the variable, else the folder under HOME, else "". */
static void xdg_folder(char *path, const char *variable, const char *under_home)
{
    char base[HED_PATH_MAX];
    const char *folder = hed_environment(variable), *home = hed_environment("HOME");
    path[0] = 0;
    if (folder && folder[0] == '/') {
        if (!hed_path_join(path, folder, "heddle")) path[0] = 0;
    } else if (home && hed_path_join(base, home, under_home)) {
        if (!hed_path_join(path, base, "heddle")) path[0] = 0;
    }
}

/* Name of the worker's folder. A distribution installs libraries of several versions and machines
 * side by side, so each has a worker in a folder with its soname's version: heddle-0.1. */
#define TEXT_OF(number) #number
#define WORKER_OF(major, minor) "heddle-" TEXT_OF(major) "." TEXT_OF(minor) "/heddle-worker"

/* Finds an installed file: the first of `places`, relative to the library's folder (lib, or
 * lib/MACHINE, of an installation prefix, or a build folder), that allows `access_mode`. */
static void find_installed(char *path, const char *const *places, size_t count, int access_mode)
{
    char library[HED_PATH_MAX];
    hed_path_of_library(library, sizeof library);
    for (size_t i = 0; library[0] && i < count; i++)
        if (hed_path_join(path, library, places[i]) && access(path, access_mode) == 0) return;
    path[0] = 0;
}

/* Finds the first folder of PATH that has a program, and the program's path. */
static bool find_program(const char *name, char *folder, char *program)
{
    for (const char *at = hed_environment("PATH"); at; at = *at ? at + 1 : NULL) {
        size_t length = strcspn(at, ":");
        if (length > 0 && length < HED_PATH_MAX) {
            memcpy(folder, at, length);
            folder[length] = 0;
            if (hed_path_join(program, folder, name) && access(program, X_OK) == 0) return true;
        }
        at += length;
    }
    program[0] = 0;
    return false;
}

/* Finds the user's own database (given, from the environment, or in the data folder) and the
 * installed one. If the user has disabled the own database, the installed one is not used
 * either. */
static void find_databases(char *path, char *installed, const char *setting, const char *data_dir)
{
    const char *variable = hed_environment("HEDDLE_DATABASE");
    if (!setting && variable) setting = strcmp(variable, "none") == 0 ? "" : variable;
    static const char *const places[] = {
        "../share/heddle/tuning.db", "../../share/heddle/tuning.db", "share/heddle/tuning.db"};
    bool fits = setting ? hed_text_copy(path, HED_PATH_MAX, setting)
                        : data_dir[0] && hed_path_join(path, data_dir, "tuning.db");
    if (!fits) path[0] = 0;
    installed[0] = 0;
    if (!setting || setting[0]) find_installed(installed, places, HED_COUNT(places), R_OK);
}

static const char *given_or(const char *setting, const char *variable)
{
    return setting ? setting : hed_environment(variable);
}

static hed_status make_settings(hed_settings *settings, const hed_context_def *def)
{
    char cache[HED_PATH_MAX], data[HED_PATH_MAX], ptx[HED_PATH_MAX], worker[HED_PATH_MAX];
    char database[HED_PATH_MAX], installed[HED_PATH_MAX], toolkit[HED_PATH_MAX];
    char folder[HED_PATH_MAX], program[HED_PATH_MAX];
    static const char *const workers[] = {"../libexec/heddle/heddle-worker",
        "../../libexec/heddle/heddle-worker", WORKER_OF(HED_VERSION_MAJOR, HED_VERSION_MINOR),
        "heddle-worker", "../heddle-worker"};
    static const char *const shipped[] = {"../share/heddle/ptx", "../../share/heddle/ptx"};
    const hed_allocator *a = &settings->allocator;
    xdg_folder(cache, "XDG_CACHE_HOME", ".cache");
    xdg_folder(data, "XDG_DATA_HOME", ".local/share");
    find_installed(ptx, shipped, HED_COUNT(shipped), R_OK);
    find_installed(worker, workers, HED_COUNT(workers), X_OK);
    find_databases(database, installed, def->database, def->data_dir ? def->data_dir : data);
    const char *kernel_dir = given_or(def->kernel_dir, "HEDDLE_KERNEL_DIR");
    const char *ptx_dir = given_or(def->ptx_dir, "HEDDLE_PTX_DIR");
    const char *cuda_home = given_or(def->cuda_home, "CUDA_HOME");
    if (!cuda_home) cuda_home = hed_environment("CUDA_PATH");
    if (!cuda_home && find_program("nvcc", folder, program) && hed_path_join(toolkit, folder, ".."))
        cuda_home = toolkit; /* the parent of nvcc's folder */
    const char *glsl = given_or(def->glsl_compiler, "HEDDLE_GLSL_COMPILER");
    if (!glsl) {
        if (!find_program("glslangValidator", folder, program))
            find_program("glslc", folder, program);
        glsl = program;
    }
    const char *worker_given = given_or(def->worker, "HEDDLE_WORKER");
    settings->allocator = def->allocator;
    settings->logger = def->logger;
    settings->clock = def->clock;
    settings->host_threads = def->host_threads;
    const struct {
        char **to;
        const char *value;
    } all[] = {
        {&settings->device, given_or(def->device, "HEDDLE_DEVICE")},
        {&settings->cache_dir, def->cache_dir ? def->cache_dir : cache},
        {&settings->data_dir, def->data_dir ? def->data_dir : data},
        {&settings->database, database},
        {&settings->installed_database, installed},
        {&settings->kernel_dir, kernel_dir ? kernel_dir : ""},
        {&settings->ptx_dir, ptx_dir ? ptx_dir : ptx},
        {&settings->worker, worker_given ? worker_given : worker},
        {&settings->opencl_library, given_or(def->opencl_library, "HEDDLE_OPENCL_LIBRARY")},
        {&settings->cuda_library, given_or(def->cuda_library, "HEDDLE_CUDA_LIBRARY")},
        {&settings->nvrtc_library, given_or(def->nvrtc_library, "HEDDLE_NVRTC_LIBRARY")},
        {&settings->hip_library, given_or(def->hip_library, "HEDDLE_HIP_LIBRARY")},
        {&settings->cuda_home, cuda_home},
        {&settings->vulkan_library, given_or(def->vulkan_library, "HEDDLE_VULKAN_LIBRARY")},
        {&settings->gl_library, given_or(def->gl_library, "HEDDLE_GL_LIBRARY")},
        {&settings->glsl_compiler, glsl},
        {&settings->capture, given_or(def->capture, "HEDDLE_CAPTURE")},
    };
    for (size_t i = 0; i < HED_COUNT(all); i++) {
        *all[i].to = hed_copy_text(a, all[i].value);
        if (all[i].value && !*all[i].to) return HED_ERROR_MEMORY;
    }
    settings->gl = def->gl || (settings->device && strncmp(settings->device, "gl", 2) == 0);
    return HED_OK;
}

static void free_settings(hed_settings *settings)
{
    hed_allocator a = settings->allocator;
    char *strings[] = {settings->device, settings->cache_dir, settings->data_dir,
        settings->kernel_dir, settings->ptx_dir, settings->opencl_library, settings->cuda_library,
        settings->nvrtc_library, settings->hip_library, settings->cuda_home,
        settings->vulkan_library, settings->gl_library, settings->glsl_compiler, settings->capture,
        settings->worker, settings->database, settings->installed_database};
    for (size_t i = 0; i < HED_COUNT(strings); i++) hed_release_text(&a, strings[i]);
}

/* ---- devices of the backends ---- */

/* Reports a device that its driver lists but cannot describe. */
static void leave_out(const hed_context *context, hed_backend_slot *slot, uint32_t index)
{
    hed_log_message(&context->settings.logger, HED_LOG_WARNING,
        "%s: device %u cannot be described and is left out", slot->backend->name, index);
    if (slot->health == HED_BACKEND_WORKS) slot->health = HED_BACKEND_LIMITED;
    if (slot->reason[0]) return;
    snprintf(slot->reason, sizeof slot->reason,
        "the driver lists device %u and does not describe it: it is left out", index);
    hed_text_copy(slot->remedy, sizeof slot->remedy,
        "restart the machine if its driver was updated since the start; else reinstall the driver");
}

static hed_status list_devices(hed_context *context, hed_backend_slot *slot)
{
    uint32_t count = slot->backend->device_count(slot);
    for (uint32_t i = 0; i < count; i++) {
        if (context->device_count == HED_MAX_DEVICES) {
            hed_log_message(&context->settings.logger, HED_LOG_WARNING,
                "%s lists %u devices; %u are used, and at most %d of all backends",
                slot->backend->name, count, i, HED_MAX_DEVICES);
            break;
        }
        hed_device *device = hed_allocate(&context->settings.allocator, sizeof *device);
        if (!device) return HED_ERROR_MEMORY;
        device->context = context;
        device->settings = &context->settings;
        device->slot = slot;
        device->backend = slot->backend;
        hed_status status = slot->backend->device_describe(slot, i, device);
        if (status) {
            hed_release(&context->settings.allocator, device, sizeof *device);
            if (status == HED_ERROR_MEMORY) return status;
            leave_out(context, slot, i);
            continue;
        }
        slot->devices++;
        context->devices[context->device_count++] = device;
    }
    if (count && !slot->devices) slot->health = HED_BACKEND_FAILED;
    return HED_OK;
}

/* Returns the sort key of a device: GPUs first, by backend; then the host, which has no driver in
 * between; then other processors; last, devices for shaders alone, because the engines' kernels do
 * not run on them. */
static uint32_t rank(const hed_device *device)
{
    const hed_backend *backend = device->backend;
    if (backend->build && !(backend->languages >> HED_OPENCL_C & 1)) return 3;
    if (device->info.type == HED_DEVICE_GPU) return 0;
    return strcmp(device->info.backend, "host") == 0 ? 1 : 2;
}

static void sort_devices(hed_context *context)
{
    for (uint32_t i = 1; i < context->device_count; i++)
        for (uint32_t j = i; j > 0 && rank(context->devices[j]) < rank(context->devices[j - 1]);
             j--) {
            hed_device *device = context->devices[j];
            context->devices[j] = context->devices[j - 1];
            context->devices[j - 1] = device;
        }
}

static hed_status open_backends(hed_context *context)
{
    for (uint32_t i = 0; hed_backends[i]; i++) {
        hed_backend_slot *slot = &context->slots[context->slot_count];
        slot->backend = hed_backends[i];
        hed_log_message(
            &context->settings.logger, HED_LOG_DEBUG, "%s: listing devices", slot->backend->name);
        if (hed_backends[i]->open(&context->settings, slot)) return HED_ERROR_MEMORY;
        context->slot_count++;
        if (list_devices(context, slot)) return HED_ERROR_MEMORY;
        hed_log_message(&context->settings.logger, HED_LOG_DEBUG, "%s: %u devices listed",
            slot->backend->name, slot->devices);
    }
    sort_devices(context);
    return HED_OK;
}

hed_status hed_context_create(const hed_context_def *def, hed_context **context, hed_error *error)
{
    HED_REQUIRE(context);
    hed_context_def defaults = hed_default_context_def();
    if (!def) def = &defaults;
    *context = NULL;
    if (!def->allocator.allocate || !def->allocator.release || !def->clock.now)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "hed_context_def lacks an allocator or a clock: start from hed_default_context_def()");
    hed_context *new_context = hed_allocate(&def->allocator, sizeof *new_context);
    if (!new_context) return HED_OUT_OF_MEMORY(error, "a context");
    new_context->settings.allocator = def->allocator;
    pthread_mutex_init(&new_context->open_lock, NULL);
    pthread_mutex_init(&new_context->mapping_lock, NULL);
    pthread_mutex_init(&new_context->extension_lock, NULL);
    if (make_settings(&new_context->settings, def) || open_backends(new_context)) {
        hed_context_destroy(new_context);
        return HED_OUT_OF_MEMORY(error, "the list of devices");
    }
    *context = new_context;
    return HED_OK;
}

void hed_context_destroy(hed_context *context)
{
    if (!context) return;
    if (context->extension.object) context->extension.destroy(context->extension.object);
    for (uint32_t i = 0; i < context->device_count; i++) {
        hed_device *device = context->devices[i];
        if (device->open) device->backend->device_close(device);
        hed_release(&context->settings.allocator, device, sizeof *device);
    }
    for (uint32_t i = 0; i < context->slot_count; i++)
        context->slots[i].backend->close(&context->settings, &context->slots[i]);
    pthread_mutex_destroy(&context->open_lock);
    pthread_mutex_destroy(&context->mapping_lock);
    pthread_mutex_destroy(&context->extension_lock);
    free_settings(&context->settings);
    hed_allocator allocator = context->settings.allocator;
    hed_release(&allocator, context, sizeof *context);
}

hed_context_info hed_context_describe(const hed_context *context)
{
    if (!context) return (hed_context_info){0};
    const hed_settings *s = &context->settings;
    return (hed_context_info){s->cache_dir, s->data_dir, s->database, s->installed_database,
        s->allocator, s->logger, s->clock, context->device_count, context->slot_count};
}

hed_backend_info hed_backend_at(const hed_context *context, uint32_t index)
{
    if (!context) return (hed_backend_info){0};
    const hed_backend_slot *slot = &context->slots[index];
    return (hed_backend_info){slot->backend->name, slot->health, slot->devices, slot->library,
        slot->reason, slot->remedy};
}
