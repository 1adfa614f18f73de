/* Kernels: a description compiled for a device. A kernel has one variant in force; another can be built in the background
 * and is swapped in by the owner's next launch. Former variants stay until the kernel goes, since launches of theirs may be
 * on their way. */
#include <string.h>

#include "launch/launch.h"

hed_kernel_options hed_default_kernel_options(void) { return (hed_kernel_options){.math = HED_MATH_FAST}; }

static const hed_allocator *allocator_of(const hed_kernel *kernel) { return &kernel->device->settings->allocator; }

/* ---- the options' defines, copied ---- */

static void free_defines(hed_kernel *kernel)
{
    for (uint32_t i = 0; kernel->defines && i < kernel->define_count; i++) {
        hed_release_text(allocator_of(kernel), (char *)(uintptr_t)kernel->defines[i].name);
        hed_release_text(allocator_of(kernel), (char *)(uintptr_t)kernel->defines[i].value);
    }
    hed_release(allocator_of(kernel), kernel->defines, (kernel->define_count + 1) * sizeof *kernel->defines);
}

static hed_status copy_defines(hed_kernel *kernel, const hed_kernel_options *options, hed_error *error)
{
    bool failed = false;
    for (uint32_t i = 0; i < options->define_count; i++)
        if (!options->defines[i].name || !options->defines[i].value)
            return hed_fail(error, HED_ERROR_ARGUMENT, "define %u of hed_kernel_options has no name, or no value", i);
    kernel->define_count = options->define_count;
    kernel->defines = hed_allocate(allocator_of(kernel), (options->define_count + 1) * sizeof *kernel->defines);
    for (uint32_t i = 0; kernel->defines && i < options->define_count; i++) {
        kernel->defines[i].name = hed_copy_text(allocator_of(kernel), options->defines[i].name);
        kernel->defines[i].value = hed_copy_text(allocator_of(kernel), options->defines[i].value);
        failed = failed || !kernel->defines[i].name || !kernel->defines[i].value;
    }
    return kernel->defines && !failed
               ? HED_OK
               : hed_fail(error, HED_ERROR_MEMORY, "no memory for the defines of %s", kernel->def->name);
}

/* ---- building ---- */

static void put_in_force(hed_kernel *kernel, hed_variant *variant)
{
    if (kernel->active) {
        kernel->active->retired = kernel->retired;
        kernel->retired = kernel->active;
    }
    kernel->active = variant;
}

static hed_status run_job(hed_build_job *job)
{
    hed_kernel *kernel = job->kernel;
    hed_status status = hed_variant_create(kernel->device, kernel->def, kernel->math, &job->config, kernel->defines,
                                           kernel->define_count, job->max_registers, &job->variant, &job->error);
    if (!status) job->variant->configured = job->configured;
    return status;
}

static void *background(void *user)
{
    hed_build_job *job = user;
    run_job(job);
    atomic_store_explicit(&job->kernel->build, HED_BUILD_DONE, memory_order_release);
    return NULL;
}

/* Takes the result of a finished job; waits for the thread where it still runs. */
static hed_status finish_job(hed_kernel *kernel, hed_error *error)
{
    hed_build_job *job = kernel->job;
    if (!job) return HED_OK;
    pthread_join(kernel->thread, NULL);
    atomic_store_explicit(&kernel->build, HED_BUILD_IDLE, memory_order_relaxed);
    hed_status status = job->variant ? HED_OK : job->error.status;
    if (status && error) *error = job->error;
    if (!status) put_in_force(kernel, job->variant);
    hed_release(allocator_of(kernel), job, sizeof *job);
    kernel->job = NULL;
    return status;
}

static hed_status start_job(hed_kernel *kernel, const hed_kernel_options *options, hed_error *error)
{
    finish_job(kernel, NULL); /* a newer wish replaces the one that is being built */
    hed_build_job *job = hed_allocate(allocator_of(kernel), sizeof *job);
    if (!job) return hed_fail(error, HED_ERROR_MEMORY, "no memory to build %s", kernel->def->name);
    job->kernel = kernel;
    job->max_registers = options->max_registers;
    hed_status status = hed_resolve(kernel->device, kernel->def, options, &job->config, &job->configured, error);
    if (!status && options->background) {
        kernel->job = job;
        atomic_store_explicit(&kernel->build, HED_BUILD_RUNNING, memory_order_relaxed);
        if (pthread_create(&kernel->thread, NULL, background, job) == 0) return HED_OK;
        kernel->job = NULL;
        atomic_store_explicit(&kernel->build, HED_BUILD_IDLE, memory_order_relaxed);
    }
    if (!status) {
        status = run_job(job);
        if (status && error) *error = job->error;
        if (!status) put_in_force(kernel, job->variant);
    }
    hed_release(allocator_of(kernel), job, sizeof *job);
    return status;
}

hed_status hed_kernel_swap(hed_kernel *kernel, hed_error *error)
{
    int state = atomic_load_explicit(&kernel->build, memory_order_acquire);
    /* A failed build is kept for hed_kernel_ready() while the former configuration goes on. */
    if (state == HED_BUILD_DONE && (kernel->job->variant || !kernel->active)) return finish_job(kernel, error);
    if (kernel->active) return HED_OK;
    return hed_fail(error, HED_ERROR_NOT_READY, "%s is still being compiled", kernel->def->name);
}

/* ---- public ---- */

hed_status hed_kernel_create(hed_device *device, const hed_kernel_def *def, const hed_kernel_options *options,
                             hed_kernel **kernel, hed_error *error)
{
    *kernel = NULL;
    hed_kernel_options defaults = hed_default_kernel_options();
    if (!options) options = &defaults;
    hed_status status = hed_device_ensure_open(device, error);
    if (status) return status;
    hed_kernel *made = hed_allocate(&device->settings->allocator, sizeof *made);
    if (!made) return hed_fail(error, HED_ERROR_MEMORY, "no memory for kernel %s", def->name);
    made->device = device;
    made->def = def;
    made->math = options->math;
    made->capture = device->settings->capture && def->name && strcmp(device->settings->capture, def->name) == 0;
    status = copy_defines(made, options, error);
    if (!status) status = start_job(made, options, error);
    if (status) {
        hed_kernel_destroy(made);
        return status;
    }
    *kernel = made;
    return HED_OK;
}

hed_status hed_kernel_reconfigure(hed_kernel *kernel, const hed_kernel_options *options, hed_error *error)
{
    hed_kernel_options defaults = hed_default_kernel_options();
    defaults.math = kernel->math;
    if (!options) options = &defaults;
    if (options->math != kernel->math)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s was made for the other math mode: create a second kernel",
                        kernel->def->name);
    return start_job(kernel, options, error);
}

hed_status hed_kernel_ready(hed_kernel *kernel, hed_error *error)
{
    int state = atomic_load_explicit(&kernel->build, memory_order_acquire);
    if (state == HED_BUILD_RUNNING)
        return hed_fail(error, HED_ERROR_NOT_READY, "%s is still being compiled", kernel->def->name);
    return finish_job(kernel, error);
}

void hed_kernel_destroy(hed_kernel *kernel)
{
    if (!kernel) return;
    finish_job(kernel, NULL);
    hed_variant_release(kernel->active);
    for (hed_variant *variant = kernel->retired; variant;) {
        hed_variant *next = variant->retired;
        hed_variant_release(variant);
        variant = next;
    }
    free_defines(kernel);
    hed_release(allocator_of(kernel), kernel, sizeof *kernel);
}

const hed_kernel_def *hed_kernel_get_def(const hed_kernel *kernel) { return kernel->def; }
hed_device *hed_kernel_device(const hed_kernel *kernel) { return kernel->device; }

hed_config hed_kernel_config(const hed_kernel *kernel, hed_configured *configured)
{
    if (configured) *configured = kernel->active ? kernel->active->configured : HED_CONFIGURED_DEFAULT;
    return kernel->active ? kernel->active->program.config : hed_config_default(kernel->def);
}

void *hed_kernel_native(const hed_kernel *kernel) { return kernel->active ? kernel->active->program.handle : NULL; }
const char *hed_kernel_log(const hed_kernel *kernel)
{
    return kernel->active && kernel->active->program.log ? kernel->active->program.log : "";
}

static hed_status check_ready(const hed_kernel *kernel, hed_error *error)
{
    return kernel->active ? HED_OK
                          : hed_fail(error, HED_ERROR_NOT_READY, "%s is not compiled yet", kernel->def->name);
}

hed_status hed_kernel_get_resources(const hed_kernel *kernel, hed_kernel_resources *resources, hed_error *error)
{
    hed_status status = check_ready(kernel, error);
    if (!status) *resources = kernel->active->program.resources;
    return status;
}

hed_status hed_kernel_resident_groups(const hed_kernel *kernel, uint32_t group_items, uint64_t local_bytes,
                                      int64_t *groups, hed_error *error)
{
    *groups = -1;
    hed_status status = check_ready(kernel, error);
    if (status) return status;
    if (group_items == 0 || group_items > kernel->device->info.max_group ||
        local_bytes > kernel->device->info.local_bytes)
        return hed_fail(error, HED_ERROR_LIMIT,
                        "%s: a group of %u work items and %llu bytes of local memory: %s allows %u and %llu",
                        kernel->def->name, group_items, (unsigned long long)local_bytes, kernel->device->info.id,
                        kernel->device->info.max_group, (unsigned long long)kernel->device->info.local_bytes);
    return kernel->device->backend->resident_groups(&kernel->active->program, group_items, local_bytes, groups,
                                                    error);
}
