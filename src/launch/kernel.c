/* Kernels: a description compiled for a device. One variant is in force; another can be built in
 * the background, and the owner's next launch activates it. Other compiled variants stay until the
 * kernel is destroyed, since launches may still use them, and launches of their sizes may recur
 * (resolve.c). */
#include <string.h>

#include "launch/launcher.h"

/* ---- the options' defines, copied ---- */

static hed_status copy_defines(
    hed_kernel *kernel, const hed_kernel_options *options, hed_error *error)
{
    bool failed = false;
    for (uint32_t i = 0; i < options->define_count; i++)
        if (!options->defines[i].name || !options->defines[i].value)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "hed_kernel_options: define %u has no name or no value", i);
    kernel->define_count = options->define_count;
    kernel->defines = hed_allocate(
        hed_allocator_of(kernel->device), (options->define_count + 1) * sizeof *kernel->defines);
    for (uint32_t i = 0; kernel->defines && i < options->define_count; i++) {
        kernel->defines[i].name =
            hed_copy_text(hed_allocator_of(kernel->device), options->defines[i].name);
        kernel->defines[i].value =
            hed_copy_text(hed_allocator_of(kernel->device), options->defines[i].value);
        failed = failed || !kernel->defines[i].name || !kernel->defines[i].value;
    }
    return kernel->defines && !failed ? HED_OK
                                      : HED_OUT_OF_MEMORY(error, "the defines of %s", kernel->def->name);
}

/* ---- the variant in force ---- */

static void keep_compiled(hed_kernel *kernel, hed_variant *variant)
{
    variant->retired = kernel->retired;
    kernel->retired = variant;
}

void hed_kernel_put_in_force(hed_kernel *kernel, hed_variant *variant, hed_config_origin configured,
    const hed_problem *problem)
{
    if (variant != kernel->active) {
        hed_variant **place = &kernel->retired;
        while (*place && *place != variant) place = &(*place)->retired;
        if (*place) *place = variant->retired;
        variant->retired = NULL;
        if (kernel->active) keep_compiled(kernel, kernel->active);
        kernel->active = variant;
    }
    kernel->configured = configured;
    kernel->resolved = problem ? *problem : (hed_problem){0};
}

/* ---- building ---- */

static bool is_tuned(hed_config_origin configured)
{
    return configured != HED_ORIGIN_GIVEN && configured != HED_ORIGIN_DEFAULT;
}

static hed_status run_job(hed_build_job *job)
{
    hed_kernel *kernel = job->kernel;
    hed_error_clear(&job->error); /* clear the error of the previous, skipped configuration */
    return hed_variant_create(kernel->device, kernel->def, kernel->math, &job->config,
        kernel->defines, kernel->define_count, kernel->max_registers, &job->variant, &job->error);
}

static void *background(void *user)
{
    hed_build_job *job = user;
    run_job(job);
    atomic_store_explicit(&job->kernel->build, HED_BUILD_DONE, memory_order_release);
    return NULL;
}

/* Starts a job in a thread. Returns false if no thread can be created. */
static bool run_in_background(hed_build_job *job)
{
    hed_kernel *kernel = job->kernel;
    kernel->job = job;
    atomic_store_explicit(&kernel->build, HED_BUILD_RUNNING, memory_order_relaxed);
    if (pthread_create(&kernel->thread, NULL, background, job) == 0) return true;
    kernel->job = NULL;
    atomic_store_explicit(&kernel->build, HED_BUILD_IDLE, memory_order_relaxed);
    return false;
}

/* Applies the outcome of a job: the variant is put in force, or kept for launches of its size; a
 * failed tuned configuration is excluded, so that the next best is picked. */
static hed_status settle_job(hed_kernel *kernel, const hed_build_job *job, hed_error *error)
{
    if (job->by_size) kernel->resolved.count = 0; /* makes the next launch look the size up again */
    if (job->variant && job->by_size) keep_compiled(kernel, job->variant);
    if (job->variant && !job->by_size)
        hed_kernel_put_in_force(kernel, job->variant, job->configured, &job->problem);
    if (job->variant) return HED_OK;
    bool passed_over = is_tuned(job->configured) && job->error.status != HED_ERROR_MEMORY;
    if (passed_over) hed_kernel_refuse(kernel, &job->config, &job->error);
    else if (error) *error = job->error;
    return passed_over ? HED_OK : job->error.status;
}

static hed_build_job *make_job(hed_kernel *kernel, const hed_problem *problem)
{
    hed_build_job *job = hed_allocate(hed_allocator_of(kernel->device), sizeof *job);
    if (!job) return NULL;
    job->kernel = kernel;
    if (problem) job->problem = *problem;
    return job;
}

/* Builds the job's configuration; if it is tuned and fails to build, the next best, and so on. */
static hed_status carry_out(
    hed_kernel *kernel, hed_build_job *job, bool in_background, hed_error *error)
{
    hed_status status = HED_OK;
    for (;;) {
        const hed_problem *problem = job->problem.count ? &job->problem : NULL;
        if (job->configured != HED_ORIGIN_GIVEN)
            status = hed_kernel_pick(kernel, problem, &job->config, &job->configured, error);
        if (status) break;
        if (in_background && run_in_background(job)) return HED_OK;
        run_job(job);
        status = settle_job(kernel, job, error);
        if (status || job->variant) break;
    }
    hed_release(hed_allocator_of(kernel->device), job, sizeof *job);
    return status;
}

/* Collects a finished job; waits for the thread if it still runs. */
static hed_status finish_job(hed_kernel *kernel, hed_error *error)
{
    hed_build_job *job = kernel->job;
    if (!job) return HED_OK;
    pthread_join(kernel->thread, NULL);
    atomic_store_explicit(&kernel->build, HED_BUILD_IDLE, memory_order_relaxed);
    kernel->job = NULL;
    hed_status status = settle_job(kernel, job, error);
    if (!status && !job->variant && !job->by_size) {
        status = carry_out(kernel, job, true, error);
        return !status && kernel->job ? HED_ERROR_NOT_READY : status;
    }
    hed_release(hed_allocator_of(kernel->device), job, sizeof *job);
    return status;
}

/* Waits for a job and discards its purpose; a compiled variant is kept for later use. */
static void abandon_job(hed_kernel *kernel)
{
    hed_build_job *job = kernel->job;
    if (!job) return;
    pthread_join(kernel->thread, NULL);
    atomic_store_explicit(&kernel->build, HED_BUILD_IDLE, memory_order_relaxed);
    kernel->job = NULL;
    if (job->variant) keep_compiled(kernel, job->variant);
    hed_release(hed_allocator_of(kernel->device), job, sizeof *job);
}

/* Builds the configuration that the options request. */
static hed_status kernel_configure(
    hed_kernel *kernel, const hed_kernel_options *options, hed_error *error)
{
    abandon_job(kernel); /* a newer request replaces the pending build */
    hed_build_job *job = make_job(kernel, options->problem);
    if (!job) return HED_OUT_OF_MEMORY(error, "the build of %s", kernel->def->name);
    hed_status status = HED_OK;
    kernel->max_registers = options->max_registers;
    if (options->config) {
        job->config = *options->config;
        job->configured = HED_ORIGIN_GIVEN;
        status = hed_config_check(kernel->device, kernel->def, kernel->rules, &job->config,
            options->problem, kernel->math, error);
    } else {
        job->configured = HED_ORIGIN_DEFAULT;
        if (!kernel->choices && kernel->def->parameter_count &&
            hed_choices_any(kernel->device->context)) {
            hed_tune_key key;
            hed_tune_key_of_kernel(kernel->device, kernel->def, kernel->math, kernel->defines,
                kernel->define_count, NULL, HED_OBJECTIVE_TIME, &key);
            kernel->choices = hed_choices_load(kernel->device->context, &key);
        }
    }
    if (status) {
        hed_release(hed_allocator_of(kernel->device), job, sizeof *job);
        return status;
    }
    status = carry_out(kernel, job, options->background, error);
    if (!status && options->config) {
        hed_choices_free(kernel->choices);
        kernel->choices = NULL;
        memset(kernel->recent, 0, sizeof kernel->recent);
    }
    return status;
}

bool hed_kernel_build_in_background(hed_kernel *kernel, const hed_problem *problem,
    const hed_config *config, hed_config_origin configured)
{
    if (kernel->job) return true; /* the next launch will look the size up again after it */
    hed_build_job *job = make_job(kernel, problem);
    if (!job) return false;
    job->config = *config;
    job->configured = configured;
    job->by_size = true;
    if (run_in_background(job)) return true;
    hed_release(hed_allocator_of(kernel->device), job, sizeof *job);
    return false;
}

hed_status hed_kernel_build_now(
    hed_kernel *kernel, const hed_config *config, hed_config_origin configured, hed_error *error)
{
    abandon_job(kernel);
    hed_build_job *job = make_job(kernel, NULL);
    if (!job) return HED_OUT_OF_MEMORY(error, "the build of %s", kernel->def->name);
    job->config = *config;
    job->configured = configured;
    job->by_size = true;
    run_job(job);
    hed_status status = settle_job(kernel, job, error);
    hed_release(hed_allocator_of(kernel->device), job, sizeof *job);
    return status;
}

hed_status hed_kernel_swap(hed_kernel *kernel, hed_error *error)
{
    int state = atomic_load_explicit(&kernel->build, memory_order_acquire);
    if (state == HED_BUILD_DONE) {
        /* a failed build is kept for hed_kernel_ready() while the previous configuration
         * continues */
        const hed_build_job *job = kernel->job;
        if (job->variant || !kernel->active || is_tuned(job->configured) || job->by_size) {
            hed_status status = finish_job(kernel, kernel->active ? NULL : error);
            if (!kernel->active && status != HED_ERROR_NOT_READY) return status;
        }
    }
    if (kernel->active) return HED_OK;
    return hed_fail(error, HED_ERROR_NOT_READY, "%s is still being compiled", kernel->def->name);
}

/* ---- public functions ---- */

hed_status hed_kernel_create(hed_device *device, const hed_kernel_def *def,
    const hed_kernel_options *options, hed_kernel **kernel, hed_error *error)
{
    HED_REQUIRE(device, def, kernel);
    *kernel = NULL;
    hed_kernel_options defaults = hed_default_kernel_options();
    if (!options) options = &defaults;
    hed_status status = hed_device_ensure_open(device, error);
    if (status) return status;
    status = hed_description_check(device, def, options->math, error);
    if (status) return status;
    hed_kernel *instance = hed_allocate(&device->settings->allocator, sizeof *instance);
    if (!instance) return HED_OUT_OF_MEMORY(error, "kernel %s", def->name);
    instance->device = device;
    instance->def = def;
    instance->math = options->math;
    instance->configured = HED_ORIGIN_DEFAULT;
    instance->capture =
        device->settings->capture && strcmp(device->settings->capture, def->name) == 0;
    if ((status = copy_defines(instance, options, error)) ||
        (status = hed_rules_create(device, def, &instance->rules, error)) ||
        (status = kernel_configure(instance, options, error))) {
        hed_kernel_destroy(instance);
        return status;
    }
    *kernel = instance;
    return HED_OK;
}

hed_status hed_kernel_reconfigure(
    hed_kernel *kernel, const hed_kernel_options *options, hed_error *error)
{
    HED_REQUIRE(kernel);
    hed_kernel_options defaults = hed_default_kernel_options();
    defaults.math = kernel->math;
    if (!options) options = &defaults;
    if (options->math != kernel->math)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s was made for the other math mode: create a second kernel", kernel->def->name);
    return kernel_configure(kernel, options, error);
}

hed_status hed_kernel_ready(hed_kernel *kernel, hed_error *error)
{
    HED_REQUIRE(kernel);
    int state = atomic_load_explicit(&kernel->build, memory_order_acquire);
    return state == HED_BUILD_RUNNING ? HED_ERROR_NOT_READY : finish_job(kernel, error);
}

void hed_kernel_destroy(hed_kernel *kernel)
{
    if (!kernel) return;
    abandon_job(kernel);
    hed_variant_release(kernel->active);
    for (hed_variant *variant = kernel->retired; variant;) {
        hed_variant *next = variant->retired;
        hed_variant_release(variant);
        variant = next;
    }
    hed_choices_free(kernel->choices);
    hed_rules_destroy(kernel->rules);
    hed_release(hed_allocator_of(kernel->device), kernel->refused,
        kernel->refused_count * sizeof *kernel->refused);
    for (uint32_t i = 0; kernel->defines && i < kernel->define_count; i++) {
        hed_release_text(
            hed_allocator_of(kernel->device), (char *)(uintptr_t)kernel->defines[i].name);
        hed_release_text(
            hed_allocator_of(kernel->device), (char *)(uintptr_t)kernel->defines[i].value);
    }
    hed_release(hed_allocator_of(kernel->device), kernel->defines,
        (kernel->define_count + 1) * sizeof *kernel->defines);
    hed_release(hed_allocator_of(kernel->device), kernel, sizeof *kernel);
}

hed_kernel_info hed_kernel_describe(const hed_kernel *kernel)
{
    if (!kernel) return (hed_kernel_info){0};
    const hed_program *program = kernel->active ? &kernel->active->program : NULL;
    return (hed_kernel_info){kernel->def, kernel->device, program ? program->handle : NULL,
        program && program->log ? program->log : ""};
}

hed_config hed_kernel_config(const hed_kernel *kernel, hed_config_origin *configured)
{
    if (!kernel) return (hed_config){0};
    if (configured) *configured = kernel->active ? kernel->configured : HED_ORIGIN_DEFAULT;
    return kernel->active ? kernel->active->program.config : hed_config_default(kernel->def);
}

static hed_status check_ready(const hed_kernel *kernel, hed_error *error)
{
    return kernel->active
               ? HED_OK
               : hed_fail(error, HED_ERROR_NOT_READY, "%s is not compiled yet", kernel->def->name);
}

hed_status hed_kernel_measure_resources(
    const hed_kernel *kernel, hed_kernel_resources *resources, hed_error *error)
{
    HED_REQUIRE(kernel, resources);
    hed_status status = check_ready(kernel, error);
    if (!status) *resources = kernel->active->program.resources;
    return status;
}

hed_status hed_kernel_resident_groups(const hed_kernel *kernel, uint32_t group_items,
    uint64_t local_bytes, int64_t *groups, hed_error *error)
{
    HED_REQUIRE(kernel, groups);
    *groups = -1;
    hed_status status = check_ready(kernel, error);
    if (status) return status;
    if (group_items == 0 || group_items > kernel->device->info.max_group ||
        local_bytes > kernel->device->info.local_bytes)
        return hed_fail(error, HED_ERROR_LIMIT,
            "%s: a group of %u work items and %llu bytes of local memory: %s allows %u and %llu",
            kernel->def->name, group_items, (unsigned long long)local_bytes,
            kernel->device->info.id, kernel->device->info.max_group,
            (unsigned long long)kernel->device->info.local_bytes);
    const hed_backend *backend = kernel->device->backend;
    return backend->resident_groups ? backend->resident_groups(&kernel->active->program,
                                          group_items, local_bytes, groups, error)
                                    : HED_OK;
}
