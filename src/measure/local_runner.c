/* Runner in this process. Buffers are allocated once for all candidates. Before each check, every
 * buffer that is only written is filled with a pattern that differs from the last check's, so an
 * earlier candidate's results cannot pass as this candidate's. Elements that the reference does not
 * write must still equal the pattern afterwards. Arguments changed in place are restored from a
 * copy on the device. A GPU compares large contents itself (check_device.c).
 *
 * A launch that hangs cannot be ended from within its process: it is reported, and the runner is
 * lost. */
#include "measure/runners.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "measure/check.h"

enum { STAGING_BYTES = 16 << 20, LEAST_GUARD = 4096, MOST_GUARD = 1 << 20 };

static hed_local_runner *local_of(hed_runner *runner) { return (hed_local_runner *)runner; }

/* ---- buffers ---- */

static hed_status local_make_buffer(hed_local_runner *local, uint64_t size, hed_memory memory,
    hed_buffer **buffer, hed_error *error)
{
    hed_buffer_def def = hed_default_buffer_def(size);
    def.memory = memory;
    return hed_buffer_create(local->def.device, &def, buffer, error);
}

/* Size of a guard, bytes: an index that is wrong by one usually misses by a few elements, or by a
 * row of the largest dimension. Whole pages, so that contents are aligned like separate
 * allocations. */
static uint64_t guard_of(const hed_runner_def *def)
{
    uint64_t row = 0;
    for (uint32_t i = 0; def->problem && def->problem->count > 1 && i < def->problem->count; i++)
        if ((uint64_t)def->problem->sizes[i] > row) row = (uint64_t)def->problem->sizes[i];
    uint64_t pages = row < MOST_GUARD / sizeof(double) ? row * sizeof(double) : MOST_GUARD;
    pages = (pages + LEAST_GUARD - 1) / LEAST_GUARD * LEAST_GUARD;
    return pages > LEAST_GUARD ? pages : LEAST_GUARD;
}

/* Uploads the initial content to the buffer that the kernel reads or that restores it. */
static hed_status local_upload(hed_local_runner *local, uint32_t index, hed_error *error)
{
    hed_buffer *pristine = local->pristine[index],
               *to = pristine ? pristine : local->buffers[index];
    const void *data = local->def.arguments[index].data;
    if (!to || !data) return HED_OK;
    return hed_write(
        local->stream, to, pristine ? 0 : local->guard, data, hed_local_bytes(local, index), error);
}

static hed_status local_place_buffer(hed_local_runner *local, uint32_t index, hed_error *error)
{
    const void *data = local->def.arguments[index].data;
    uint64_t bytes = hed_local_bytes(local, index);
    bool in_place = data && bytes && hed_scratch_is_output(&local->def.kernel->arguments[index]);
    local_make_buffer(local, local->guard + bytes + local->guard, HED_MEMORY_DEVICE,
        &local->buffers[index], error);
    hed_buffer_create_sub(
        local->buffers[index], local->guard, bytes ? bytes : 1, &local->contents[index], error);
    if (in_place)
        local_make_buffer(local, bytes, HED_MEMORY_DEVICE, &local->pristine[index], error);
    if (hed_failed(error)) return error->status;
    local->restores = local->restores || in_place;
    local->arguments[index] = hed_buffer_argument(local->contents[index]);
    return local_upload(local, index, error);
}

static hed_status place_argument(hed_local_runner *local, uint32_t index, hed_error *error)
{
    const hed_argument_def *argument = &local->def.kernel->arguments[index];
    const void *data = local->def.arguments[index].data;
    if (argument->kind == HED_BUFFER) return local_place_buffer(local, index, error);
    if (argument->kind != HED_LOCAL && !data)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: argument %u \"%s\" has no value to tune with", local->def.kernel->name, index,
            argument->name);
    hed_argument scalar = {.kind = HED_SCALAR, .type = argument->type};
    if (argument->kind == HED_SCALAR)
        memcpy(&scalar.value, data, hed_check_element_bytes(argument->type));
    local->arguments[index] = argument->kind == HED_LOCAL ? hed_local_argument()
                              : argument->kind == HED_STRUCT
                                  ? hed_struct_argument(data, argument->size)
                                  : scalar;
    return HED_OK;
}

static void place_all(hed_local_runner *local, hed_error *error)
{
    const hed_kernel_def *kernel = local->def.kernel;
    uint64_t largest = 0;
    if (hed_failed(error)) return;
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        if (place_argument(local, i, error)) return;
        if (local->buffers[i] && !hed_buffer_describe(local->buffers[i]).host &&
            hed_local_bytes(local, i) > largest)
            largest = hed_local_bytes(local, i);
    }
    uint64_t cache = hed_device_describe(local->def.device).cache_bytes;
    if (local->def.cold_cache && cache)
        local_make_buffer(local, 2 * cache, HED_MEMORY_DEVICE, &local->sweep, error);
    if (largest)
        local_make_buffer(local, (largest < STAGING_BYTES ? largest : STAGING_BYTES) + local->guard,
            HED_MEMORY_PINNED, &local->staging, error);
    hed_stream_wait(local->stream, error);
}

/* ---- before a run ---- */

static void poison(hed_local_runner *local, unsigned char byte, hed_error *error)
{
    for (uint32_t i = 0; i < local->def.kernel->argument_count; i++) {
        if (!local->buffers[i]) continue;
        uint64_t extra_bytes =
            local->guard + (local->def.arguments[i].data ? hed_local_bytes(local, i) : 0);
        uint64_t size = hed_buffer_describe(local->buffers[i]).size;
        hed_fill(local->stream, local->buffers[i], 0, local->guard, &byte, 1, error);
        hed_fill(
            local->stream, local->buffers[i], extra_bytes, size - extra_bytes, &byte, 1, error);
    }
}

/* ---- comparing ---- */

static void local_compare_piece(hed_local_runner *local, uint32_t index, uint64_t at,
    const unsigned char *actual, uint64_t bytes, unsigned char byte, hed_check *check)
{
    const hed_argument_def *argument = &local->def.kernel->arguments[index];
    const hed_runner_argument *content = &local->def.arguments[index];
    if (content->expected)
        hed_check_partial(check, argument, at, actual,
            (const unsigned char *)content->expected + at, content->marks, byte, bytes,
            content->tolerance);
    else if (argument->access == HED_READ && content->data)
        hed_check_input(
            check, argument, at, actual, (const unsigned char *)content->data + at, bytes);
}

/* Reads a piece of a buffer into host memory, or returns its address if it is there already. */
static hed_status fetch(hed_local_runner *local, hed_buffer *buffer, uint64_t at, uint64_t bytes,
    const unsigned char **bytes_read, hed_error *error)
{
    const unsigned char *host = hed_buffer_describe(buffer).host;
    *bytes_read = host ? host + at : hed_buffer_describe(local->staging).host;
    if (host) return HED_OK;
    hed_copy(local->stream, local->staging, 0, buffer, at, bytes, error);
    return hed_stream_wait(local->stream, error);
}

static void compare_guard(hed_local_runner *local, uint32_t index, bool before, unsigned char byte,
    hed_check *check, hed_error *error)
{
    const unsigned char *actual;
    uint64_t at = before ? 0 : local->guard + hed_local_bytes(local, index);
    if (!fetch(local, local->buffers[index], at, local->guard, &actual, error))
        hed_check_guard(
            check, &local->def.kernel->arguments[index], before, actual, local->guard, byte);
}

/* Compares an output that is summed or sorted; it needs the whole content. */
static void compare_whole(hed_local_runner *local, uint32_t index, const hed_geometry *geometry,
    unsigned char byte, hed_check *check, hed_error *error)
{
    const hed_argument_def *argument = &local->def.kernel->arguments[index];
    const hed_runner_argument *content = &local->def.arguments[index];
    const hed_allocator *allocator = &local->allocator;
    uint64_t size = hed_check_result_bytes(geometry, index, hed_local_bytes(local, index)),
             expected_size = hed_runner_expected_bytes(content);
    void *actual = hed_allocate(allocator, size),
         *expected = hed_allocate(allocator, expected_size);
    if (!actual || !expected) HED_OUT_OF_MEMORY(error, "the comparison of \"%s\"", argument->name);
    hed_read(local->stream, actual, local->buffers[index], local->guard, size, error);
    if (!hed_stream_wait(local->stream, error)) {
        memcpy(expected, content->expected, expected_size);
        uint64_t left = size, expected_left = expected_size;
        if (content->marks) {
            left = hed_check_drop_pattern(argument->type, actual, size, byte);
            expected_left =
                hed_check_drop_marked(argument->type, expected, expected_size, content->marks);
        }
        hed_check_reduced(
            check, argument, actual, left, expected, expected_left, content->tolerance);
    }
    hed_release(allocator, actual, size);
    hed_release(allocator, expected, expected_size);
}

static void local_compare_buffer(hed_local_runner *local, uint32_t index,
    const hed_geometry *geometry, unsigned char byte, hed_check *check, hed_error *error)
{
    const hed_argument_def *argument = &local->def.kernel->arguments[index];
    const unsigned char *actual;
    uint64_t size = hed_local_bytes(local, index);
    bool expected = local->def.arguments[index].expected,
         whole = expected && argument->compare != HED_COMPARE_EACH;
    bool content = (expected && !whole) || argument->access == HED_READ;
    if (content &&
        hed_check_device_passes(local->check_device, index, local->contents[index], check)) {
        check->compared = check->compared || expected;
        content = false;
    }
    if (whole) compare_whole(local, index, geometry, byte, check, error);
    for (uint64_t at = 0; content && at < size;) {
        uint64_t piece = size - at < STAGING_BYTES ? size - at : STAGING_BYTES;
        if (fetch(local, local->buffers[index], local->guard + at, piece, &actual, error)) return;
        local_compare_piece(local, index, at, actual, piece, byte, check);
        at += piece;
    }
    compare_guard(local, index, true, byte, check, error);
    compare_guard(local, index, false, byte, check, error);
}

static hed_status local_compare(
    hed_local_runner *local, uint32_t slot, unsigned char byte, hed_trial *trial, hed_error *error)
{
    const hed_kernel_def *kernel = local->def.kernel;
    hed_check check = {0};
    hed_geometry geometry = {0};
    hed_config config = hed_kernel_config(local->slots[slot].kernel, NULL);
    if (kernel->geometry) kernel->geometry(kernel, &config, local->def.problem, &geometry);
    /* the first check is the host's: a runner of few checks compiles nothing for them */
    if (local->checks == 2 && hed_device_describe(local->def.device).type == HED_DEVICE_GPU)
        local->check_device = hed_check_device_create(&local->def, local->stream);
    for (uint32_t i = 0; i < local->def.kernel->argument_count; i++)
        if (local->buffers[i]) local_compare_buffer(local, i, &geometry, byte, &check, error);
    if (hed_failed(error)) return error->status;
    trial->error = check.compared ? check.error : (double)NAN;
    if (!check.wrong) return HED_OK;
    trial->outcome = HED_OUTCOME_WRONG;
    hed_text_copy(trial->text, sizeof trial->text, check.text);
    return HED_OK;
}

/* ---- building ---- */

hed_status hed_local_judge_build(
    hed_status status, hed_trial *trial, const hed_error *cause, hed_error *error)
{
    const char *at = strstr(cause->log, "error");
    switch (status) {
    case HED_OK: return HED_OK;
    case HED_ERROR_BUILD: /* quote the compiler's own error line if the log has one */
        hed_local_set_outcome(trial, HED_OUTCOME_BUILD, cause);
        while (at && at > cause->log && at[-1] != '\n') at--;
        if (at) snprintf(trial->text, sizeof trial->text, "%.*s", (int)strcspn(at, "\n"), at);
        return HED_OK;
    case HED_ERROR_LIMIT:
    case HED_ERROR_UNSUPPORTED:
        hed_local_set_outcome(trial, HED_OUTCOME_INVALID, cause);
        return HED_OK;
    case HED_ERROR_ARGUMENT:
    case HED_ERROR_DEVICE_MEMORY:
    case HED_ERROR_DRIVER: hed_local_set_outcome(trial, HED_OUTCOME_LAUNCH, cause); return HED_OK;
    default:
        if (error) *error = *cause;
        return status;
    }
}

/* Rejects a candidate whose group needs more registers than a compute unit has, which no launch
 * reports. Spilled registers are slow, but not wrong. */
static void check_resources(
    const hed_local_runner *local, const hed_config *config, hed_trial *trial)
{
    const hed_kernel_def *kernel = local->def.kernel;
    uint32_t available = hed_device_describe(local->def.device).registers;
    hed_geometry geometry = {0};
    if (trial->resources.registers <= 0 || !available || !kernel->geometry) return;
    kernel->geometry(kernel, config, local->def.problem, &geometry);
    uint64_t items = (uint64_t)geometry.group[0] * (geometry.group[1] ? geometry.group[1] : 1) *
                     (geometry.group[2] ? geometry.group[2] : 1);
    if (items * (uint64_t)trial->resources.registers <= available) return;
    trial->outcome = HED_OUTCOME_INVALID;
    snprintf(trial->text, sizeof trial->text,
        "%llu work items of %lld registers each: a compute unit has %u", (unsigned long long)items,
        (long long)trial->resources.registers, available);
}

hed_status hed_local_build(
    hed_runner *runner, uint32_t slot, const hed_config *config, hed_trial *trial, hed_error *error)
{
    hed_local_runner *local = local_of(runner);
    const hed_runner_def *def = &local->def;
    hed_kernel **kernel = &local->slots[slot].kernel;
    hed_error cause = {0};
    *trial = hed_local_new_trial();
    hed_status status = hed_local_refuse_lost(local, error);
    if (status) return status;
    hed_kernel_destroy(*kernel);
    local->slots[slot] = (hed_local_slot){0};
    if (!hed_runner_accepts(def, config, trial)) return HED_OK;
    hed_kernel_options options = hed_default_kernel_options();
    options.math = def->math;
    options.config = config;
    options.problem = def->problem;
    options.defines = def->defines;
    options.define_count = def->define_count;
    status =
        hed_local_judge_build(hed_kernel_create(def->device, def->kernel, &options, kernel, &cause),
            trial, &cause, error);
    if (status || trial->outcome) return status;
    status = hed_kernel_measure_resources(*kernel, &trial->resources, error);
    if (status) return status;
    trial->build_seconds = trial->resources.from_cache ? 0 : trial->resources.build_seconds;
    check_resources(local, config, trial);
    return HED_OK;
}

/* Runs a slot once over poisoned outputs; the run may include compilation. */
static hed_status run_poisoned(
    hed_local_runner *local, uint32_t slot, unsigned char byte, hed_trial *trial, hed_error *error)
{
    poison(local, byte, error);
    if (hed_failed(error)) return error->status;
    local->allowance = local->def.compile_seconds;
    hed_local_time_first(local, slot, trial, error);
    local->allowance = 0;
    return error->status;
}

/* Removes a failed candidate, and uploads the inputs again in case it changed them. */
static hed_status local_forget(hed_local_runner *local, uint32_t slot, hed_error *error)
{
    if (local->runner.lost) return HED_OK;
    for (uint32_t i = 0; i < local->def.kernel->argument_count; i++) local_upload(local, i, error);
    hed_status status = hed_stream_wait(local->stream, error);
    hed_kernel_destroy(local->slots[slot].kernel);
    local->slots[slot] = (hed_local_slot){0};
    return status;
}

hed_status hed_local_check(hed_runner *runner, uint32_t slot, hed_trial *trial, hed_error *error)
{
    hed_local_runner *local = local_of(runner);
    unsigned char byte = hed_runner_pattern(local->checks++);
    if (hed_local_refuse_empty(local, slot, error) ||
        run_poisoned(local, slot, byte, trial, error) ||
        (!trial->outcome && local_compare(local, slot, byte, trial, error)))
        return error->status;
    return trial->outcome ? local_forget(local, slot, error) : HED_OK;
}

/* ---- the runner ---- */

static hed_status local_prepare(
    hed_runner *runner, uint32_t slot, const hed_config *config, hed_trial *trial, hed_error *error)
{
    hed_status status = hed_local_build(runner, slot, config, trial, error);
    return status || trial->outcome ? status : hed_local_check(runner, slot, trial, error);
}

static hed_status local_output(hed_runner *runner, uint32_t slot, uint32_t argument,
    uint32_t pattern, void *data, hed_trial *trial, hed_error *error)
{
    hed_local_runner *local = local_of(runner);
    hed_buffer *buffer = local->buffers[argument];
    if (hed_local_begin(local, slot, trial, error) ||
        run_poisoned(local, slot, hed_runner_pattern(pattern), trial, error) || trial->outcome)
        return error->status;
    hed_read(local->stream, data, buffer, local->guard, hed_local_bytes(local, argument), error);
    return hed_stream_wait(local->stream, error);
}

/* Returns a requested build at once: this process builds no candidate ahead. */
static hed_status local_build_ahead(hed_runner *runner, const hed_config *config, hed_error *error)
{
    hed_trial trial = hed_local_new_trial();
    return hed_trial_queue_put(&local_of(runner)->builds, config, &trial, error);
}

static bool local_built(hed_runner *runner, double seconds, hed_config *config, hed_trial *trial)
{
    (void)seconds;
    return hed_trial_queue_take(&local_of(runner)->builds, config, trial);
}

/* Frees device objects; objects that a hung launch still uses remain until the process ends. */
static void free_device_objects(hed_local_runner *local)
{
    if (local->hung) return;
    if (local->stream) hed_stream_wait(local->stream, NULL);
    for (uint32_t i = 0; i < HED_RUNNER_SLOTS; i++) hed_kernel_destroy(local->slots[i].kernel);
    for (uint32_t i = 0; i < HED_MAX_ARGUMENTS; i++) {
        hed_buffer_destroy(local->contents[i]);
        hed_buffer_destroy(local->buffers[i]);
        hed_buffer_destroy(local->pristine[i]);
    }
    hed_buffer_destroy(local->sweep);
    hed_buffer_destroy(local->staging);
    hed_check_device_destroy(local->check_device);
    for (uint32_t i = 0; i < 2 * HED_LOCAL_CHUNK; i++) hed_event_destroy(local->marks[i]);
    hed_stream_destroy(local->stream);
}

static void local_destroy(hed_runner *runner)
{
    hed_local_runner *local = local_of(runner);
    free_device_objects(local);
    hed_energy_close(local->energy);
    hed_clock_hold_close(local->clock_hold);
    hed_profiler_close(local->profiler);
    hed_trial_queue_free(&local->builds);
    hed_allocator allocator = local->allocator;
    hed_release(&allocator, local, sizeof *local);
}

static const hed_runner_kind LOCAL = {.destroy = local_destroy,
    .build_ahead = local_build_ahead,
    .built = local_built,
    .prepare = local_prepare,
    .time = hed_local_time,
    .output = local_output};

hed_status hed_runner_create_local(const hed_runner_def *def, hed_runner **runner, hed_error *error)
{
    hed_allocator allocator = hed_context_describe(hed_device_context(def->device)).allocator;
    hed_local_runner *instance = hed_allocate(&allocator, sizeof *instance);
    *runner = NULL;
    if (!instance) return HED_OUT_OF_MEMORY(error, "the tuning of %s", def->kernel->name);
    instance->runner.kind = &LOCAL;
    instance->def = *def;
    instance->allocator = instance->builds.allocator = allocator;
    instance->guard = guard_of(def);
    hed_local_open_clock(instance, error);
    if (def->objective == HED_OBJECTIVE_ENERGY)
        hed_energy_open(def->device, NULL, &instance->energy, error);
    if (def->counters) hed_profiler_open(def->device, NULL, &instance->profiler, error);
    place_all(instance, error);
    if (hed_failed(error)) local_destroy(&instance->runner);
    else *runner = &instance->runner;
    return error->status;
}
