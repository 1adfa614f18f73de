/* The host device: native functions on a team of threads. A step is done when the call that
 * enqueues it returns, so a stream needs no queue, an event is a time, and a graph is a list that
 * the core replays. The device always exists. */
#include "base/text.h"
#include "core/backend.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the processor, from /proc and sysconf; unreadable values are empty or 0 ---- */

typedef struct host_processor {
    char name[128], vendor[64];
    uint32_t lanes; /* floats in the widest vector register of this processor */
    uint32_t clock_mhz;
    uint64_t memory_bytes, cache_bytes;
} host_processor;

/* Reads the text after the colon of the first line of `path` that starts with `key`. */
static int host_find_line(const char *path, const char *key, char *value, size_t size)
{
    char line[512];
    FILE *file = fopen(path, "r");
    int is_found = 0;
    while (file && !is_found && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, key, strlen(key)) || !colon) continue;
        colon += 1 + strspn(colon + 1, " \t");
        colon[strcspn(colon, "\n")] = 0;
        snprintf(value, size, "%s", colon);
        is_found = 1;
    }
    if (file) fclose(file);
    return is_found;
}

static host_processor host_processor_read(void)
{
    host_processor p = {.lanes = 4};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) p.lanes = 16;
    else if (__builtin_cpu_supports("avx2")) p.lanes = 8;
#endif
    char clock[64];
    if (!host_find_line("/proc/cpuinfo", "model name", p.name, sizeof p.name))
        snprintf(p.name, sizeof p.name, "processor");
    if (!host_find_line("/proc/cpuinfo", "vendor_id", p.vendor, sizeof p.vendor))
        snprintf(p.vendor, sizeof p.vendor, "unknown");
    if (host_find_line("/proc/cpuinfo", "cpu MHz", clock, sizeof clock))
        p.clock_mhz = (uint32_t)strtod(clock, NULL);
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE),
         cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    p.memory_bytes = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
#ifdef __wasm__
    p.memory_bytes = UINT32_MAX; /* memory grows to that; sysconf() knows its present size */
#endif
    p.cache_bytes = cache > 0 ? (uint64_t)cache : 0;
    return p;
}

/* Returns the approximate memory that can be allocated without swapping, bytes; 0: unknown. */
static uint64_t host_free_memory(void)
{
    char value[64];
    return host_find_line("/proc/meminfo", "MemAvailable", value, sizeof value)
               ? strtoull(value, NULL, 10) * 1024
               : 0;
}

/* ---- the device ---- */

typedef struct host_device {
    hed_team *team;
    pthread_mutex_t lock; /* the team runs one launch at a time */
} host_device;

typedef struct host_time {
    uint64_t start, end;
} host_time;

static uint64_t host_now(const hed_device *device)
{
    return device->settings->clock.now(device->settings->clock.user);
}

/* ---- backend and device ---- */

static hed_status host_open(const hed_settings *settings, hed_backend_slot *slot)
{
    uint32_t threads = settings->host_threads ? settings->host_threads : hed_processor_count();
    slot->health = HED_BACKEND_WORKS;
    snprintf(slot->library, sizeof slot->library, "native C, %u thread%s", threads,
        threads == 1 ? "" : "s");
    return HED_OK;
}

static void host_close(const hed_settings *settings, hed_backend_slot *slot) {}

static uint32_t host_device_count(hed_backend_slot *slot) { return 1; }

static hed_status host_describe(hed_backend_slot *slot, uint32_t index, hed_device *device)
{
    const hed_settings *settings = device->settings;
    host_processor processor = host_processor_read();
    hed_text_copy(device->text[0], sizeof device->text[0], processor.name);
    hed_text_copy(device->text[1], sizeof device->text[1], processor.vendor);
    device->info = (hed_device_info){
        .id = "host", .backend = "host", .platform = "Heddle native C", .name = device->text[0],
        .vendor = device->text[1], .driver = HED_VERSION_TEXT, .type = HED_DEVICE_CPU,
        .compute_units = settings->host_threads ? settings->host_threads : hed_processor_count(),
        .lane_width = processor.lanes,
        /* A native function has no groups and no local memory: these limits only must not exclude a
         * configuration. */
        .max_group = 1u << 16, .max_group_size = {1u << 16, 1u << 16, 1u << 16},
        .max_groups = {INT32_MAX, INT32_MAX, INT32_MAX}, .local_bytes = 16u << 20,
        .memory_bytes = processor.memory_bytes, .max_buffer_bytes = processor.memory_bytes,
        .cache_bytes = processor.cache_bytes, .buffer_alignment = 64,
        .max_arguments_bytes = HED_MAX_ARGUMENTS * HED_MAX_STRUCT_BYTES,
        .clock_mhz = processor.clock_mhz,
        .capabilities = HED_CAN_FP64 | HED_CAN_STRICT | HED_CAN_MAPPED | HED_CAN_GLOBAL_ATOMICS,
    };
    return HED_OK;
}

static hed_status host_device_open(hed_device *device, hed_error *error)
{
    const hed_allocator *allocator = &device->settings->allocator;
    host_device *host = hed_allocate(allocator, sizeof *host);
    if (!host) return HED_OUT_OF_MEMORY(error, "the host device");
    hed_status status = hed_team_create(allocator, device->info.compute_units, &host->team, error);
    if (status) {
        hed_release(allocator, host, sizeof *host);
        return status;
    }
    pthread_mutex_init(&host->lock, NULL);
    device->impl = host;
    return HED_OK;
}

static void host_device_close(hed_device *device)
{
    host_device *host = device->impl;
    hed_team_destroy(host->team);
    pthread_mutex_destroy(&host->lock);
    hed_release(&device->settings->allocator, host, sizeof *host);
}

static hed_status host_memory(
    hed_device *device, uint64_t *free_bytes, uint64_t *total_bytes, hed_error *error)
{
    *free_bytes = host_free_memory();
    *total_bytes = device->info.memory_bytes;
    return HED_OK;
}

static hed_status host_device_wait(hed_device *device, hed_error *error) { return HED_OK; }

/* ---- buffers: plain memory ---- */

static void host_place(hed_buffer *buffer, void *memory)
{
    buffer->host = memory;
    buffer->address = (uintptr_t)memory;
}

static hed_status host_buffer_create(
    hed_buffer *buffer, const hed_buffer_def *def, hed_error *error)
{
    const hed_allocator *allocator = &buffer->device->settings->allocator;
    if (def->memory == HED_MEMORY_CALLER) host_place(buffer, def->host);
    else if (def->memory == HED_MEMORY_ADOPTED) host_place(buffer, (void *)def->handle);
    else host_place(buffer, allocator->allocate(allocator->user, def->size, 64));
    if (buffer->host) return HED_OK;
    return hed_fail(error, HED_ERROR_DEVICE_MEMORY,
        "no memory for a buffer of %llu bytes: %llu are free", (unsigned long long)def->size,
        (unsigned long long)host_free_memory());
}

static hed_status host_buffer_part(hed_buffer *part, hed_error *error)
{
    host_place(part, (char *)part->parent->host + part->offset);
    return HED_OK;
}

static void host_buffer_destroy(hed_buffer *buffer)
{
    const hed_allocator *allocator = &buffer->device->settings->allocator;
    if (buffer->parent || buffer->memory == HED_MEMORY_CALLER ||
        buffer->memory == HED_MEMORY_ADOPTED)
        return;
    allocator->release(allocator->user, buffer->host, buffer->size);
}

/* ---- streams and events ---- */

static hed_status host_stream_ok(hed_stream *stream, hed_error *error) { return HED_OK; }

static void host_stream_destroy(hed_stream *stream) {}

static hed_status host_stream_done(hed_stream *stream, bool *done, hed_error *error)
{
    *done = true;
    return host_stream_ok(stream, error);
}

static hed_status host_time_create(hed_device *device, void **timing, hed_error *error)
{
    *timing = hed_allocate(&device->settings->allocator, sizeof(host_time));
    return *timing ? HED_OK : HED_OUT_OF_MEMORY(error, "a time");
}

static void host_time_destroy(hed_device *device, void *timing)
{
    hed_release(&device->settings->allocator, timing, sizeof(host_time));
}

static hed_status host_time_read(
    hed_device *device, void *timing, double *seconds, hed_error *error)
{
    const host_time *time = timing;
    *seconds = (double)(time->end - time->start) * 1e-9;
    return HED_OK;
}

static hed_status host_event_create(hed_event *event, hed_error *error)
{
    return host_time_create(event->device, &event->impl, error);
}
static void host_event_destroy(hed_event *event) { host_time_destroy(event->device, event->impl); }

static hed_status host_event_record(hed_event *event, hed_stream *stream, hed_error *error)
{
    ((host_time *)event->impl)->end = host_now(stream->device);
    return HED_OK;
}

static hed_status host_event_done(hed_event *event, bool *done, hed_error *error)
{
    *done = true;
    return HED_OK;
}

static hed_status host_event_wait(hed_event *event, hed_error *error) { return HED_OK; }

static hed_status host_stream_wait_event(hed_stream *stream, hed_event *event, hed_error *error)
{
    return host_event_wait(event, error);
}

static hed_status host_event_elapsed(
    hed_event *from, hed_event *to, double *seconds, hed_error *error)
{
    *seconds =
        ((double)((host_time *)to->impl)->end - (double)((host_time *)from->impl)->end) * 1e-9;
    return HED_OK;
}

/* ---- steps ---- */

typedef struct host_launch {
    hed_native_call call;
    hed_native_range_function *range;
    hed_native_team_function *team;
} host_launch;

/* Runs a range. Strict mode needs a fixed rounding and denormal state, which a program may have
 * changed in this thread (an audio thread does). */
static void host_run_range(void *user, uint64_t begin, uint64_t end)
{
    const host_launch *launch = user;
    hed_float_state state = {0};
    if (launch->call.strict) state = hed_float_strict();
    launch->range(&launch->call, begin, end);
    if (launch->call.strict) hed_float_restore(state);
}

static void host_run_member(void *user, hed_team *team, uint32_t member)
{
    const host_launch *launch = user;
    hed_float_state state = {0};
    if (launch->call.strict) state = hed_float_strict();
    launch->team(&launch->call, team, member);
    if (launch->call.strict) hed_float_restore(state);
}

static void *host_argument_memory(const hed_argument *a)
{
    if (a->kind == HED_BUFFER) return a->value.buffer->host;
    if (a->kind == HED_STRUCT) return (void *)(uintptr_t)a->value.bytes;
    return a->kind == HED_SCALAR ? (void *)(uintptr_t)&a->value : NULL;
}

static void host_run_launch(hed_device *device, const hed_step *step)
{
    host_device *host = device->impl;
    const hed_program *program = step->program;
    const hed_kernel_def *def = program->def;
    void *arguments[HED_MAX_ARGUMENTS];
    for (uint32_t i = 0; i < def->argument_count; i++)
        arguments[i] = host_argument_memory(&step->arguments[i]);
    host_launch launch = {
        .call = {def, &program->config, step->has_problem ? &step->problem : NULL, &step->geometry,
            arguments, program->math == HED_MATH_STRICT},
        .range = def->range, .team = def->team,
    };
    uint64_t grain = step->geometry.native_grain ? step->geometry.native_grain : 1;
    pthread_mutex_lock(&host->lock);
    if (def->team) hed_team_run(host->team, host_run_member, &launch);
    else hed_team_for(host->team, step->geometry.native_items, grain, host_run_range, &launch);
    pthread_mutex_unlock(&host->lock);
}

static void host_run_fill(const hed_step *step)
{
    unsigned char *to = (unsigned char *)step->to->host + step->to_offset;
    if (step->pattern_size == 1) memset(to, step->pattern[0], step->size);
    else
        for (uint64_t i = 0; i < step->size; i += step->pattern_size)
            memcpy(to + i, step->pattern, step->pattern_size);
}

static hed_status host_step(
    hed_stream *stream, const hed_step *step, void *timing, hed_error *error)
{
    host_time *time = timing;
    if (time) time->start = host_now(stream->device);
    switch (step->kind) {
    case HED_STEP_LAUNCH: host_run_launch(stream->device, step); break;
    case HED_STEP_WRITE:
        memcpy((char *)step->to->host + step->to_offset, step->host_from, step->size);
        break;
    case HED_STEP_READ:
        memcpy(step->host_to, (char *)step->from->host + step->from_offset, step->size);
        break;
    case HED_STEP_COPY:
        memcpy((char *)step->to->host + step->to_offset,
            (char *)step->from->host + step->from_offset, step->size);
        break;
    case HED_STEP_FILL: host_run_fill(step); break;
    case HED_STEP_CALL: step->function(step->user); break;
    }
    if (time) time->end = host_now(stream->device);
    return HED_OK;
}

/* ---- programs: the native function itself ---- */

static hed_status host_program_load(
    hed_program *program, const hed_build *build, const hed_binary *binary, hed_error *error)
{
    return HED_OK;
}

static void host_program_unload(hed_program *program) {}

extern const hed_backend hed_host_backend;
const hed_backend hed_host_backend = {
    .name = "host", .open = host_open, .close = host_close, .device_count = host_device_count,
    .device_describe = host_describe, .device_open = host_device_open,
    .device_close = host_device_close, .device_memory = host_memory,
    .device_wait = host_device_wait, .buffer_create = host_buffer_create,
    .buffer_part = host_buffer_part, .buffer_destroy = host_buffer_destroy,
    .stream_create = host_stream_ok, .stream_destroy = host_stream_destroy,
    .stream_wait = host_stream_ok, .stream_done = host_stream_done, .stream_flush = host_stream_ok,
    .step = host_step, .time_create = host_time_create,
    .time_destroy = host_time_destroy, .time_read = host_time_read,
    .event_create = host_event_create, .event_destroy = host_event_destroy,
    .event_record = host_event_record, .event_done = host_event_done, .event_wait = host_event_wait,
    .stream_wait_event = host_stream_wait_event, .event_elapsed = host_event_elapsed,
    .program_load = host_program_load, .program_unload = host_program_unload,
};
