/* Streams and their copy, fill, map and call steps: everything is checked here, then passed to the
 * backend, recorded in a graph, or timed. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "core/objects.h"
#include "heddle/author.h"

static size_t times_bytes(uint32_t capacity)
{
    return sizeof(struct hed_step_times) + capacity * sizeof(hed_timed_step);
}

static void free_times(hed_stream *stream)
{
    struct hed_step_times *times = stream->times;
    if (!times) return;
    for (uint32_t i = 0; i < times->capacity; i++)
        if (times->steps[i].timing)
            stream->device->backend->time_destroy(stream->device, times->steps[i].timing);
    hed_release(&stream->device->settings->allocator, times, times_bytes(times->capacity));
}

hed_status hed_stream_create(
    hed_device *device, const hed_stream_def *def, hed_stream **stream, hed_error *error)
{
    HED_REQUIRE(device, stream);
    *stream = NULL;
    hed_stream_def defaults = hed_default_stream_def();
    if (!def) def = &defaults;
    if (def->timed_steps > 1u << 20)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "%u timed steps: at most 1048576", def->timed_steps);
    hed_status status = hed_device_ensure_open(device, error);
    if (status) return status;
    const hed_allocator *allocator = &device->settings->allocator;
    hed_stream *new_stream = hed_allocate(allocator, sizeof *new_stream);
    if (!new_stream) return HED_OUT_OF_MEMORY(error, "a stream");
    new_stream->device = device;
    new_stream->def = *def;
    if (def->timed_steps) {
        new_stream->times = hed_allocate(allocator, times_bytes(def->timed_steps));
        if (new_stream->times) new_stream->times->capacity = def->timed_steps;
        else status = HED_OUT_OF_MEMORY(error, "the times of %u steps", def->timed_steps);
    }
    if (!status) status = device->backend->stream_create(new_stream, error);
    if (status) {
        free_times(new_stream);
        hed_release(allocator, new_stream, sizeof *new_stream);
        return status;
    }
    *stream = new_stream;
    return HED_OK;
}

void hed_stream_destroy(hed_stream *stream)
{
    if (!stream) return;
    const hed_allocator *allocator = &stream->device->settings->allocator;
    stream->device->backend->stream_wait(stream, NULL);
    if (stream->recording) hed_graph_destroy(stream->recording);
    free_times(stream);
    stream->device->backend->stream_destroy(stream);
    hed_release(allocator, stream, sizeof *stream);
}

hed_device *hed_stream_device(const hed_stream *stream)
{
    if (!stream) return NULL;
    return stream->device;
}
void *hed_stream_handle(const hed_stream *stream)
{
    if (!stream) return NULL;
    return stream->native;
}

/* ---- waiting ---- */

hed_status hed_stream_flush(hed_stream *stream, hed_error *error)
{
    HED_REQUIRE(stream);
    return stream->device->backend->stream_flush(stream, error);
}

typedef hed_status poll_function(void *object, bool *done, hed_error *error);

/* Polls without a pause for the first 100 us, then with sleeps that grow to 1 ms. TIMEOUT is a
 * regular result: `error` stays unchanged. */
static hed_status poll_until(
    hed_device *device, poll_function *poll, void *object, uint64_t timeout_ns, hed_error *error)
{
    const hed_clock *clock = &device->settings->clock;
    uint64_t start = clock->now(clock->user), pause = 20000;
    for (;;) {
        bool done = false;
        hed_status status = poll(object, &done, error);
        if (status || done) return status;
        uint64_t spent = clock->now(clock->user) - start;
        if (spent >= timeout_ns) return HED_ERROR_TIMEOUT;
        if (spent < 100000) continue;
        nanosleep(&(struct timespec){0, (long)pause}, NULL);
        if (pause < 1000000) pause *= 2;
    }
}

static hed_status poll_stream(void *object, bool *done, hed_error *error)
{
    hed_stream *stream = object;
    return stream->device->backend->stream_done(stream, done, error);
}

hed_status hed_stream_wait_for(hed_stream *stream, uint64_t timeout_ns, hed_error *error)
{
    HED_REQUIRE(stream);
    if (timeout_ns == UINT64_MAX) return stream->device->backend->stream_wait(stream, error);
    hed_status status = hed_stream_flush(stream, error);
    return status ? status : poll_until(stream->device, poll_stream, stream, timeout_ns, error);
}

/* ---- one step ---- */

static hed_status timed_slot(
    hed_stream *stream, hed_step_kind kind, const char *name, void **timing, hed_error *error)
{
    struct hed_step_times *times = stream->times;
    uint32_t at = (times->first + times->count) % times->capacity;
    if (times->count == times->capacity) times->first = (times->first + 1) % times->capacity;
    else times->count++;
    hed_timed_step *slot = &times->steps[at];
    slot->kind = kind;
    slot->name = name;
    *timing = slot->timing;
    if (slot->timing) return HED_OK;
    hed_status status = stream->device->backend->time_create(stream->device, &slot->timing, error);
    if (status) times->count--;
    *timing = slot->timing;
    return status;
}

hed_status hed_stream_step(
    hed_stream *stream, const hed_step *step, const char *name, hed_error *error)
{
    if (stream->recording) return hed_graph_add(stream->recording, step, error);
    void *timing = NULL;
    if (stream->times) {
        hed_status status = timed_slot(stream, step->kind, name, &timing, error);
        if (status) return status;
    }
    hed_status status = stream->device->backend->step(stream, step, timing, error);
    if (status && stream->times) stream->times->count--;
    return status;
}

hed_status hed_stream_read_times(
    hed_stream *stream, hed_step_time *times, uint32_t capacity, uint32_t *count, hed_error *error)
{
    HED_REQUIRE(stream, times || !capacity, count);
    *count = 0;
    struct hed_step_times *recorded = stream->times;
    if (!recorded)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "this stream is not timed: set hed_stream_def.timed_steps");
    hed_status status = hed_stream_wait(stream, error);
    while (!status && recorded->count && *count < capacity) {
        hed_timed_step *slot = &recorded->steps[recorded->first];
        hed_step_time *time = &times[*count];
        time->kind = slot->kind;
        time->name = slot->name;
        status =
            stream->device->backend->time_read(stream->device, slot->timing, &time->seconds, error);
        if (status) break;
        recorded->first = (recorded->first + 1) % recorded->capacity;
        recorded->count--;
        ++*count;
    }
    return status;
}

/* ---- copies ---- */

static hed_status check_range(
    const hed_buffer *buffer, uint64_t offset, uint64_t size, const char *role, hed_error *error)
{
    if (!buffer) return hed_fail(error, HED_ERROR_ARGUMENT, "%s: the buffer is NULL", role);
    if (offset <= buffer->size && size <= buffer->size - offset) return HED_OK;
    return hed_fail(error, HED_ERROR_BOUNDS,
        "%s of %llu bytes at byte %llu of a buffer of %llu bytes", role, (unsigned long long)size,
        (unsigned long long)offset, (unsigned long long)buffer->size);
}

static hed_status check_device(
    const hed_stream *stream, const hed_buffer *buffer, const char *role, hed_error *error)
{
    if (stream->device == buffer->device) return HED_OK;
    return hed_fail(error, HED_ERROR_ARGUMENT, "%s: the buffer belongs to %s, the stream to %s",
        role, buffer->device->info.id, stream->device->info.id);
}

static hed_status check_place(const hed_stream *stream, const hed_buffer *buffer, uint64_t offset,
    uint64_t size, const char *role, hed_error *error)
{
    hed_status status = check_range(buffer, offset, size, role, error);
    return status ? status : check_device(stream, buffer, role, error);
}

/* Copies within host memory, in stream order; the driver is not needed. */
static hed_status copy_on_host(
    hed_stream *stream, void *to, const void *from, uint64_t size, hed_error *error)
{
    if (stream->recording)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "a copy within host memory cannot be recorded in a graph: use hed_call()");
    hed_status status = hed_stream_wait(stream, error);
    if (status) return status;
    memmove(to, from, size);
    return HED_OK;
}

static unsigned char *pinned_at(const hed_buffer *buffer, uint64_t offset)
{
    return (unsigned char *)buffer->host + offset;
}

hed_status hed_write(hed_stream *stream, hed_buffer *to, uint64_t offset, const void *from,
    uint64_t size, hed_error *error)
{
    HED_REQUIRE(stream, to, from || !size);
    hed_status status = check_place(stream, to, offset, size, "a write", error);
    if (status || size == 0) return status;
    if (to->memory == HED_MEMORY_PINNED)
        return copy_on_host(stream, pinned_at(to, offset), from, size, error);
    hed_step step = {
        .kind = HED_STEP_WRITE, .to = to, .to_offset = offset, .host_from = from, .size = size};
    return hed_stream_step(stream, &step, "write", error);
}

hed_status hed_read(hed_stream *stream, void *to, hed_buffer *from, uint64_t offset, uint64_t size,
    hed_error *error)
{
    HED_REQUIRE(stream, to || !size, from);
    hed_status status = check_place(stream, from, offset, size, "a read", error);
    if (status || size == 0) return status;
    if (from->memory == HED_MEMORY_PINNED)
        return copy_on_host(stream, to, pinned_at(from, offset), size, error);
    hed_step step = {
        .kind = HED_STEP_READ, .from = from, .from_offset = offset, .host_to = to, .size = size};
    return hed_stream_step(stream, &step, "read", error);
}

/* Copies through host memory, done when it returns: the two drivers cannot access each other's
 * buffers. */
static hed_status copy_staged(hed_stream *stream, hed_buffer *to, uint64_t to_offset,
    hed_buffer *from, uint64_t from_offset, uint64_t size, hed_error *error)
{
    const hed_allocator *allocator = &stream->device->settings->allocator;
    hed_device *remote_device = stream->device == to->device ? from->device : to->device;
    hed_stream *helper = NULL;
    hed_error cause = {0};
    if (!error) error = &cause;
    void *bytes = hed_new(allocator, 1, size, error);
    hed_stream_create(remote_device, NULL, &helper, error);
    hed_stream *reader = stream->device == from->device ? stream : helper;
    hed_stream *writer = stream->device == from->device ? helper : stream;
    hed_stream_wait(stream, error);
    hed_read(reader, bytes, from, from_offset, size, error);
    hed_stream_wait(reader, error);
    hed_write(writer, to, to_offset, bytes, size, error);
    hed_stream_wait(writer, error);
    hed_stream_destroy(helper);
    hed_delete(allocator, bytes, 1, size);
    return error->status;
}

static hed_status copy_across(hed_stream *stream, hed_buffer *to, uint64_t to_offset,
    hed_buffer *from, uint64_t from_offset, uint64_t size, hed_error *error)
{
    if (stream->device != to->device && stream->device != from->device)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "a copy from %s to %s in a stream of %s: it must be a stream of one of the two",
            from->device->info.id, to->device->info.id, stream->device->info.id);
    if (stream->recording)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "a copy across devices cannot be recorded in a graph");
    if (to->device->backend == from->device->backend) {
        hed_step step = {.kind = HED_STEP_COPY,
            .to = to,
            .from = from,
            .to_offset = to_offset,
            .from_offset = from_offset,
            .size = size};
        hed_status status = hed_stream_step(stream, &step, "copy", error);
        if (status != HED_ERROR_UNSUPPORTED) return status;
        hed_error_clear(error);
    }
    return copy_staged(stream, to, to_offset, from, from_offset, size, error);
}

/* True if two ranges of buffers overlap in memory, as a part and its whole do. */
static bool overlap(
    const hed_buffer *a, uint64_t a_offset, const hed_buffer *b, uint64_t b_offset, uint64_t size)
{
    const hed_buffer *whole_a = a->parent ? a->parent : a, *whole_b = b->parent ? b->parent : b;
    if (whole_a != whole_b) return false;
    uint64_t at_a = a->offset + a_offset, at_b = b->offset + b_offset;
    return at_a < at_b + size && at_b < at_a + size;
}

hed_status hed_copy(hed_stream *stream, hed_buffer *to, uint64_t to_offset, hed_buffer *from,
    uint64_t from_offset, uint64_t size, hed_error *error)
{
    HED_REQUIRE(stream, to, from);
    hed_status status = check_range(to, to_offset, size, "a copy", error);
    if (status) return status;
    status = check_range(from, from_offset, size, "a copy", error);
    if (status || size == 0) return status;
    if (overlap(to, to_offset, from, from_offset, size))
        return hed_fail(error, HED_ERROR_BOUNDS,
            "a copy of %llu bytes from byte %llu to byte %llu overlaps itself",
            (unsigned long long)size, (unsigned long long)from_offset,
            (unsigned long long)to_offset);
    bool from_pinned = from->memory == HED_MEMORY_PINNED,
         to_pinned = to->memory == HED_MEMORY_PINNED;
    if (from_pinned && to_pinned)
        return copy_on_host(
            stream, pinned_at(to, to_offset), pinned_at(from, from_offset), size, error);
    if (from_pinned && stream->device == to->device)
        return hed_write(stream, to, to_offset, pinned_at(from, from_offset), size, error);
    if (to_pinned && stream->device == from->device)
        return hed_read(stream, pinned_at(to, to_offset), from, from_offset, size, error);
    if (to->device != from->device)
        return copy_across(stream, to, to_offset, from, from_offset, size, error);
    status = check_device(stream, to, "a copy", error);
    if (status) return status;
    hed_step step = {.kind = HED_STEP_COPY,
        .to = to,
        .from = from,
        .to_offset = to_offset,
        .from_offset = from_offset,
        .size = size};
    return hed_stream_step(stream, &step, "copy", error);
}

hed_status hed_fill(hed_stream *stream, hed_buffer *to, uint64_t offset, uint64_t size,
    const void *pattern, uint32_t pattern_size, hed_error *error)
{
    HED_REQUIRE(stream, to, pattern);
    hed_status status = check_place(stream, to, offset, size, "a fill", error);
    if (status) return status;
    if (!pattern_size || pattern_size > 16 || (pattern_size & (pattern_size - 1)))
        return hed_fail(error, HED_ERROR_ARGUMENT, "a fill pattern of %u bytes: 1, 2, 4, 8 or 16",
            pattern_size);
    if (offset % pattern_size || size % pattern_size)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "a fill of %llu bytes at byte %llu: both must be multiples of the pattern's %u bytes",
            (unsigned long long)size, (unsigned long long)offset, pattern_size);
    if (size == 0) return HED_OK;
    hed_step step = {.kind = HED_STEP_FILL,
        .to = to,
        .to_offset = offset,
        .size = size,
        .pattern_size = pattern_size};
    memcpy(step.pattern, pattern, pattern_size);
    if (to->memory != HED_MEMORY_PINNED) return hed_stream_step(stream, &step, "fill", error);
    if (stream->recording)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "a fill of pinned memory cannot be recorded in a graph");
    status = hed_stream_wait(stream, error);
    for (uint64_t i = 0; !status && i < size; i += pattern_size)
        memcpy(pinned_at(to, offset + i), pattern, pattern_size);
    return status;
}

/* ---- map and call ---- */

static hed_status map_copy(hed_stream *stream, hed_buffer *buffer, uint64_t offset, uint64_t size,
    void **pointer, hed_error *error)
{
    pthread_mutex_t *lock = &stream->device->context->mapping_lock;
    const hed_backend *backend = stream->device->backend;
    hed_mapping *mapping = hed_allocate(hed_allocator_of(stream->device), sizeof *mapping + size);
    if (!mapping)
        return HED_OUT_OF_MEMORY(
            error, "a map of %llu bytes of a buffer", (unsigned long long)size);
    mapping->offset = offset;
    mapping->size = size;
    const hed_step step = {.kind = HED_STEP_READ,
        .from = buffer,
        .from_offset = offset,
        .size = size,
        .host_to = mapping->bytes};
    hed_status status = backend->step(stream, &step, NULL, error);
    if (!status) status = backend->stream_wait(stream, error);
    if (status) {
        hed_release(hed_allocator_of(stream->device), mapping, sizeof *mapping + size);
        return status;
    }
    pthread_mutex_lock(lock);
    mapping->next = buffer->mappings;
    buffer->mappings = mapping;
    pthread_mutex_unlock(lock);
    *pointer = mapping->bytes;
    return HED_OK;
}

static hed_status unmap_copy(
    hed_stream *stream, hed_buffer *buffer, const void *pointer, hed_error *error)
{
    pthread_mutex_t *lock = &stream->device->context->mapping_lock;
    pthread_mutex_lock(lock);
    hed_mapping **place = &buffer->mappings;
    while (*place && (*place)->bytes != pointer) place = &(*place)->next;
    hed_mapping *mapping = *place;
    if (mapping) *place = mapping->next;
    pthread_mutex_unlock(lock);
    if (!mapping)
        return hed_fail(error, HED_ERROR_ARGUMENT, "this buffer is not mapped at %p", pointer);
    const hed_step step = {.kind = HED_STEP_WRITE,
        .to = buffer,
        .to_offset = mapping->offset,
        .size = mapping->size,
        .host_from = mapping->bytes};
    hed_status status = stream->device->backend->step(stream, &step, NULL, error);
    hed_release(hed_allocator_of(stream->device), mapping, sizeof *mapping + mapping->size);
    return status;
}

hed_status hed_map(hed_stream *stream, hed_buffer *buffer, uint64_t offset, uint64_t size,
    void **pointer, hed_error *error)
{
    HED_REQUIRE(stream, buffer, pointer);
    *pointer = NULL;
    hed_status status = check_place(stream, buffer, offset, size, "a map", error);
    if (status) return status;
    if (size == 0) return hed_fail(error, HED_ERROR_BOUNDS, "a map of 0 bytes");
    if (stream->recording)
        return hed_fail(error, HED_ERROR_ARGUMENT, "a map cannot be recorded in a graph");
    if (buffer->memory != HED_MEMORY_PINNED && stream->device->backend->map)
        return stream->device->backend->map(stream, buffer, offset, size, pointer, error);
    if (!buffer->host) return map_copy(stream, buffer, offset, size, pointer, error);
    status = hed_stream_wait(stream, error);
    *pointer = status ? NULL : pinned_at(buffer, offset);
    return status;
}

static hed_status unmap(hed_stream *stream, hed_buffer *buffer, void *pointer, hed_error *error)
{
    hed_status status = check_device(stream, buffer, "an unmap", error);
    if (status) return status;
    if (!pointer) return hed_fail(error, HED_ERROR_ARGUMENT, "an unmap of NULL");
    const unsigned char *host = buffer->host, *at = pointer;
    if (buffer->memory != HED_MEMORY_PINNED && stream->device->backend->unmap)
        return stream->device->backend->unmap(stream, buffer, pointer, error);
    if (host && at >= host && at < host + buffer->size) return HED_OK;
    return unmap_copy(stream, buffer, pointer, error);
}

hed_status hed_unmap(hed_stream *stream, hed_buffer *buffer, void *pointer, hed_error *error)
{
    if (!stream || !buffer || !pointer) HED_REQUIRE(stream, buffer, pointer);
    if (!hed_failed(error)) return unmap(stream, buffer, pointer, error);
    unmap(stream, buffer, pointer, NULL);
    return error->status;
}

hed_status hed_call(hed_stream *stream, void (*function)(void *user), void *user, hed_error *error)
{
    HED_REQUIRE(stream, function);
    hed_step step = {.kind = HED_STEP_CALL, .function = function, .user = user};
    return hed_stream_step(stream, &step, "call", error);
}

/* ---- events ---- */

hed_status hed_event_create(hed_device *device, bool timed, hed_event **event, hed_error *error)
{
    HED_REQUIRE(device, event);
    *event = NULL;
    hed_status status = hed_device_ensure_open(device, error);
    if (status) return status;
    hed_event *new_event = hed_allocate(&device->settings->allocator, sizeof *new_event);
    if (!new_event) return HED_OUT_OF_MEMORY(error, "an event");
    new_event->device = device;
    new_event->timed = timed;
    status = device->backend->event_create(new_event, error);
    if (status) hed_release(&device->settings->allocator, new_event, sizeof *new_event);
    else *event = new_event;
    return status;
}

void hed_event_destroy(hed_event *event)
{
    if (!event) return;
    event->device->backend->event_destroy(event);
    hed_release(&event->device->settings->allocator, event, sizeof *event);
}

hed_status hed_event_record(hed_event *event, hed_stream *stream, hed_error *error)
{
    HED_REQUIRE(event, stream);
    if (event->device != stream->device)
        return hed_fail(error, HED_ERROR_ARGUMENT, "an event of %s in a stream of %s",
            event->device->info.id, stream->device->info.id);
    if (stream->recording)
        return hed_fail(error, HED_ERROR_ARGUMENT, "an event cannot be recorded in a graph");
    hed_status status = stream->device->backend->event_record(event, stream, error);
    event->recorded = event->recorded || !status;
    return status;
}

static hed_status check_recorded(const hed_event *event, hed_error *error)
{
    return event->recorded
               ? HED_OK
               : hed_fail(error, HED_ERROR_ARGUMENT, "an event that was never recorded");
}

hed_status hed_stream_wait_event(hed_stream *stream, hed_event *event, hed_error *error)
{
    HED_REQUIRE(stream, event);
    hed_status status = check_recorded(event, error);
    if (status) return status;
    if (stream->recording)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "a wait for an event cannot be recorded in a graph");
    if (event->device->backend == stream->device->backend) {
        status = stream->device->backend->stream_wait_event(stream, event, error);
        if (status != HED_ERROR_UNSUPPORTED) return status;
        hed_error_clear(error);
    }
    return event->device->backend->event_wait(event, error);
}

static hed_status poll_event(void *object, bool *done, hed_error *error)
{
    hed_event *event = object;
    return event->device->backend->event_done(event, done, error);
}

hed_status hed_event_wait(hed_event *event, uint64_t timeout_ns, hed_error *error)
{
    HED_REQUIRE(event);
    hed_status status = check_recorded(event, error);
    if (status) return status;
    if (timeout_ns == UINT64_MAX) return event->device->backend->event_wait(event, error);
    return poll_until(event->device, poll_event, event, timeout_ns, error);
}

hed_status hed_event_elapsed(hed_event *from, hed_event *to, double *seconds, hed_error *error)
{
    HED_REQUIRE(from, to, seconds);
    hed_event *const events[2] = {from, to};
    bool done = true;
    for (int i = 0; i < 2; i++) {
        hed_status status = check_recorded(events[i], error);
        if (status) return status;
    }
    if (!from->timed || !to->timed)
        return hed_fail(error, HED_ERROR_ARGUMENT, "an event that was not created as a timed one");
    if (from->device != to->device)
        return hed_fail(error, HED_ERROR_ARGUMENT, "events of two devices have no common clock");
    for (int i = 0; i < 2 && done; i++) {
        hed_status status = poll_event(events[i], &done, error);
        if (status) return status;
    }
    if (!done) {
        *seconds = NAN;
        return HED_ERROR_NOT_READY;
    }
    return from->device->backend->event_elapsed(from, to, seconds, error);
}
