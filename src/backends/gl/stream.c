/* Streams, events and times. A context has one queue, in which all streams run one behind another;
 * a fence is a place in it. Times are time stamps where those agree with the host's clock, else the
 * host's, over steps that are waited for. */
#include "backends/gl/gl.h"

#include <string.h>

enum { SLICE_NS = 1000000 }; /* how long the device's lock is held while waiting */

typedef struct gl_stream {
    GLsync end; /* behind its last step; NULL: there is none, or it has no fence yet */
    bool dirty; /* steps came since */
} gl_stream;

typedef struct gl_event {
    GLsync fence;
    unsigned query;   /* a time stamp; 0: none */
    uint64_t host_ns; /* by the host's clock, where there are no stamps */
} gl_event;

typedef struct gl_time {
    unsigned queries[2]; /* 0: the host's clock */
    bool stamped;        /* the last step was; else `seconds` is its time */
    double seconds;
} gl_time;

static uint64_t stream_now(const gl_device *of)
{
    return of->driver->clock.now(of->driver->clock.user);
}

/* ---- fences; the context is current ---- */

static hed_status fence_put(const hed_device *device, GLsync *fence, hed_error *error)
{
    const gl_device *of = hed_gl_of(device);
    if (*fence) of->api.DeleteSync(*fence);
    *fence = of->api.FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    if (*fence) return HED_OK;
    hed_status status = hed_gl_check(device, "glFenceSync", "a stream", error);
    return status ? status
                  : hed_fail(error, HED_ERROR_DRIVER, "glFenceSync gave nothing: a stream on %s",
                        device->info.id);
}

static hed_status fence_ask(
    const hed_device *device, GLsync fence, uint64_t timeout, bool *done, hed_error *error)
{
    const gl_device *of = hed_gl_of(device);
    unsigned answer = of->api.ClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, timeout);
    *done = answer != GL_TIMEOUT_EXPIRED && answer != GL_WAIT_FAILED;
    if (answer != GL_WAIT_FAILED) return HED_OK;
    hed_status status = hed_gl_check(device, "glClientWaitSync", "waiting", error);
    return status ? status
                  : hed_fail(error, HED_ERROR_DRIVER, "glClientWaitSync failed: waiting for %s",
                        device->info.id);
}

/* Waits for a fence, and lets other threads in between. */
static hed_status fence_wait(hed_device *device, GLsync fence, hed_error *error)
{
    gl_device *of = hed_gl_of(device);
    bool done = false;
    hed_status status = fence_ask(device, fence, SLICE_NS, &done, error);
    while (!status && !done) {
        hed_gl_leave(of);
        status = hed_gl_begin(device, error);
        if (status) pthread_mutex_lock(&of->lock); /* as it was */
        else status = fence_ask(device, fence, SLICE_NS, &done, error);
    }
    return status;
}

/* All that was given to the device so far. */
static hed_status queue_wait(hed_device *device, hed_error *error)
{
    GLsync fence = NULL;
    hed_status status = fence_put(device, &fence, error);
    if (!status) status = fence_wait(device, fence, error);
    if (fence) hed_gl_of(device)->api.DeleteSync(fence);
    return status;
}

/* ---- streams ---- */

hed_status hed_gl_stream_create(hed_stream *stream, hed_error *error)
{
    const gl_device *of = hed_gl_of(stream->device);
    if (stream->def.use_handle)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "hed_stream_def.use_handle: a context of OpenGL has one queue, without a handle");
    stream->impl = hed_allocate(&of->driver->allocator, sizeof(gl_stream));
    return stream->impl ? HED_OK : hed_fail(error, HED_ERROR_MEMORY, "no memory for a stream");
}

void hed_gl_stream_destroy(hed_stream *stream)
{
    gl_device *of = hed_gl_of(stream->device);
    gl_stream *ended = stream->impl;
    hed_gl_stream_wait(stream, NULL);
    if (ended->end && hed_gl_enter(of)) {
        of->api.DeleteSync(ended->end);
        hed_gl_leave(of);
    }
    hed_release(&of->driver->allocator, ended, sizeof *ended);
}

/* A fence behind the stream's last step. */
static hed_status stream_end(hed_stream *stream, hed_error *error)
{
    gl_stream *s = stream->impl;
    if (!s->dirty) return HED_OK;
    hed_status status = fence_put(stream->device, &s->end, error);
    if (!status) s->dirty = false;
    return status;
}

hed_status hed_gl_device_wait(hed_device *device, hed_error *error)
{
    hed_status status = hed_gl_begin(device, error);
    if (status) return status;
    status = queue_wait(device, error);
    hed_gl_leave(hed_gl_of(device));
    return status;
}

hed_status hed_gl_stream_wait(hed_stream *stream, hed_error *error)
{
    const gl_stream *s = stream->impl;
    if (!s->end && !s->dirty) return HED_OK;
    return hed_gl_device_wait(stream->device, error);
}

hed_status hed_gl_stream_done(hed_stream *stream, bool *done, hed_error *error)
{
    const gl_stream *s = stream->impl;
    *done = false;
    hed_status status = hed_gl_begin(stream->device, error);
    if (status) return status;
    status = stream_end(stream, error);
    *done = !status && !s->end;
    if (!status && s->end) status = fence_ask(stream->device, s->end, 0, done, error);
    hed_gl_leave(hed_gl_of(stream->device));
    return status;
}

hed_status hed_gl_stream_flush(hed_stream *stream, hed_error *error)
{
    gl_device *of = hed_gl_of(stream->device);
    hed_status status = hed_gl_begin(stream->device, error);
    if (status) return status;
    status = stream_end(stream, error);
    of->api.Flush();
    hed_gl_leave(of);
    return status;
}

/* ---- steps ---- */

static hed_status step_do(hed_stream *stream, const hed_step *step, hed_error *error)
{
    ((gl_stream *)stream->impl)->dirty = true;
    return step->kind == HED_STEP_LAUNCH ? hed_gl_launch(stream->device, step, error)
                                         : hed_gl_transfer(stream->device, step, error);
}

static hed_status step_timed(
    hed_stream *stream, const hed_step *step, gl_time *time, hed_error *error)
{
    const gl_device *of = hed_gl_of(stream->device);
    time->stamped = time->queries[0] != 0;
    if (time->stamped) {
        of->api.QueryCounter(time->queries[0], GL_TIMESTAMP);
        hed_status status = step_do(stream, step, error);
        of->api.QueryCounter(time->queries[1], GL_TIMESTAMP);
        return status ? status : hed_gl_check(stream->device, "glQueryCounter", "a time", error);
    }
    hed_status status = queue_wait(stream->device, error);
    uint64_t start = stream_now(of);
    if (!status) status = step_do(stream, step, error);
    if (!status) status = queue_wait(stream->device, error);
    time->seconds = (double)(stream_now(of) - start) * 1e-9;
    return status;
}

/* Without the context: a function may call anything. */
static hed_status step_call(
    hed_stream *stream, const hed_step *step, gl_time *time, hed_error *error)
{
    hed_status status = hed_gl_stream_wait(stream, error);
    uint64_t start = stream_now(hed_gl_of(stream->device));
    if (status) return status;
    step->function(step->user);
    if (!time) return HED_OK;
    time->stamped = false;
    time->seconds = (double)(stream_now(hed_gl_of(stream->device)) - start) * 1e-9;
    return HED_OK;
}

hed_status hed_gl_step(hed_stream *stream, const hed_step *step, void *timing, hed_error *error)
{
    if (step->kind == HED_STEP_CALL) return step_call(stream, step, timing, error);
    if (step->kind == HED_STEP_COPY && step->to->device != step->from->device)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "a copy between two OpenGL devices goes through the host");
    hed_status status = hed_gl_begin(stream->device, error);
    if (status) return status;
    status = timing ? step_timed(stream, step, timing, error) : step_do(stream, step, error);
    hed_gl_leave(hed_gl_of(stream->device));
    return status;
}

/* ---- times ---- */

hed_status hed_gl_time_create(hed_device *device, void **timing, hed_error *error)
{
    gl_device *of = hed_gl_of(device);
    gl_time *made = hed_allocate(&of->driver->allocator, sizeof *made);
    if (!made) return hed_fail(error, HED_ERROR_MEMORY, "no memory for the time of a step");
    hed_status status = HED_OK;
    if (of->stamps) status = hed_gl_begin(device, error);
    if (of->stamps && !status) {
        of->api.GenQueries(2, made->queries);
        status = hed_gl_check(device, "glGenQueries", "the time of a step", error);
        if (status) of->api.DeleteQueries(2, made->queries);
        hed_gl_leave(of);
    }
    if (status) hed_release(&of->driver->allocator, made, sizeof *made);
    else *timing = made;
    return status;
}

void hed_gl_time_destroy(hed_device *device, void *timing)
{
    gl_device *of = hed_gl_of(device);
    gl_time *time = timing;
    if (time->queries[0] && hed_gl_enter(of)) {
        of->api.DeleteQueries(2, time->queries);
        hed_gl_leave(of);
    }
    hed_release(&of->driver->allocator, time, sizeof *time);
}

/* Seconds between two stamps that were reached. */
static hed_status stamps_read(
    hed_device *device, unsigned first, unsigned second, double *seconds, hed_error *error)
{
    gl_device *of = hed_gl_of(device);
    uint64_t from = 0, to = 0;
    hed_status status = hed_gl_begin(device, error);
    if (status) return status;
    of->api.GetQueryObjectui64v(first, GL_QUERY_RESULT, &from);
    of->api.GetQueryObjectui64v(second, GL_QUERY_RESULT, &to);
    status = hed_gl_check(device, "glGetQueryObjectui64v", "a time", error);
    hed_gl_leave(of);
    *seconds = (double)(int64_t)(to - from) * 1e-9;
    return status;
}

hed_status hed_gl_time_read(hed_device *device, void *timing, double *seconds, hed_error *error)
{
    const gl_time *time = timing;
    *seconds = time->seconds;
    if (!time->stamped) return HED_OK;
    return stamps_read(device, time->queries[0], time->queries[1], seconds, error);
}

/* ---- events ---- */

hed_status hed_gl_event_create(hed_event *event, hed_error *error)
{
    gl_device *of = hed_gl_of(event->device);
    gl_event *made = hed_allocate(&of->driver->allocator, sizeof *made);
    if (!made) return hed_fail(error, HED_ERROR_MEMORY, "no memory for an event");
    hed_status status = HED_OK;
    bool stamped = event->timed && of->stamps;
    if (stamped) status = hed_gl_begin(event->device, error);
    if (stamped && !status) {
        of->api.GenQueries(1, &made->query);
        status = hed_gl_check(event->device, "glGenQueries", "an event", error);
        if (status) of->api.DeleteQueries(1, &made->query);
        hed_gl_leave(of);
    }
    if (status) hed_release(&of->driver->allocator, made, sizeof *made);
    else event->impl = made;
    return status;
}

void hed_gl_event_destroy(hed_event *event)
{
    gl_device *of = hed_gl_of(event->device);
    gl_event *freed = event->impl;
    if ((freed->fence || freed->query) && hed_gl_enter(of)) {
        if (freed->fence) of->api.DeleteSync(freed->fence);
        if (freed->query) of->api.DeleteQueries(1, &freed->query);
        hed_gl_leave(of);
    }
    hed_release(&of->driver->allocator, freed, sizeof *freed);
}

hed_status hed_gl_event_record(hed_event *event, hed_stream *stream, hed_error *error)
{
    gl_device *of = hed_gl_of(event->device);
    gl_event *mark = event->impl;
    hed_status status = hed_gl_begin(event->device, error);
    (void)stream; /* all streams are one queue */
    if (status) return status;
    if (mark->query) of->api.QueryCounter(mark->query, GL_TIMESTAMP);
    else if (event->timed) status = queue_wait(event->device, error);
    mark->host_ns = stream_now(of);
    if (!status) status = fence_put(event->device, &mark->fence, error);
    if (!status) of->api.Flush();
    if (!status) status = hed_gl_check(event->device, "glFlush", "an event", error);
    hed_gl_leave(of);
    return status;
}

hed_status hed_gl_event_done(hed_event *event, bool *done, hed_error *error)
{
    const gl_event *mark = event->impl;
    *done = false;
    hed_status status = hed_gl_begin(event->device, error);
    if (status) return status;
    status = fence_ask(event->device, mark->fence, 0, done, error);
    hed_gl_leave(hed_gl_of(event->device));
    return status;
}

hed_status hed_gl_event_wait(hed_event *event, hed_error *error)
{
    const gl_event *mark = event->impl;
    hed_status status = hed_gl_begin(event->device, error);
    if (status) return status;
    status = fence_wait(event->device, mark->fence, error);
    hed_gl_leave(hed_gl_of(event->device));
    return status;
}

hed_status hed_gl_stream_wait_event(hed_stream *stream, hed_event *event, hed_error *error)
{
    if (event->device == stream->device) return HED_OK;
    return hed_fail(error, HED_ERROR_UNSUPPORTED, "an event of another device");
}

hed_status hed_gl_event_elapsed(hed_event *from, hed_event *to, double *seconds, hed_error *error)
{
    const gl_event *marks[2] = {from->impl, to->impl};
    *seconds = (double)(int64_t)(marks[1]->host_ns - marks[0]->host_ns) * 1e-9;
    if (!marks[0]->query || !marks[1]->query) return HED_OK;
    return stamps_read(from->device, marks[0]->query, marks[1]->query, seconds, error);
}

/* ---- the clock ---- */

enum { CLOCK_GROUPS = 1 << 14, CLOCK_BYTES = 4 * 64 * CLOCK_GROUPS, CLOCK_MOST = 1 << 26 };

static const char clock_text[] =
    "#version 430\n"
    "layout(local_size_x = 64) in;\n"
    "layout(std430, binding = 0) buffer Words { uint words[]; };\n"
    "void main()\n"
    "{\n"
    "    uint x = words[gl_GlobalInvocationID.x];\n"
    "    for (uint i = 0u; i < 1000u; i++) x = x * 1664525u + 1013904223u;\n"
    "    words[gl_GlobalInvocationID.x] = x;\n"
    "}\n";

/* `groups` groups of it between two stamps: their span by either clock. */
static hed_status clock_time(hed_device *device, const unsigned queries[2], uint32_t groups,
    double *stamped, double *hosted, hed_error *error)
{
    const gl_device *of = hed_gl_of(device);
    uint64_t from = 0, to = 0, start = stream_now(of);
    of->api.QueryCounter(queries[0], GL_TIMESTAMP);
    for (uint32_t size; groups; groups -= size) {
        size = groups < CLOCK_GROUPS ? groups : CLOCK_GROUPS;
        of->api.DispatchCompute(size, 1, 1);
        of->api.MemoryBarrier(GL_ALL_BARRIER_BITS);
    }
    of->api.QueryCounter(queries[1], GL_TIMESTAMP);
    hed_status status = queue_wait(device, error);
    *hosted = (double)(stream_now(of) - start) * 1e-9;
    of->api.GetQueryObjectui64v(queries[0], GL_QUERY_RESULT, &from);
    of->api.GetQueryObjectui64v(queries[1], GL_QUERY_RESULT, &to);
    *stamped = (double)(int64_t)(to - from) * 1e-9;
    return status ? status : hed_gl_check(device, "glDispatchCompute", "checking its clock", error);
}

/* Drivers promise 64 bits and give a nanosecond for a tenth of a second of computing. */
hed_status hed_gl_check_clock(hed_device *device, hed_error *error)
{
    gl_device *of = hed_gl_of(device);
    unsigned program = 0, queries[2] = {0, 0}, buffer = 0;
    double stamped = 0, hosted = 0;
    if (!of->stamps) return HED_OK;
    hed_status status = hed_gl_begin(device, error);
    if (status) return status;
    status = hed_gl_compile(
        device, "the clock's check", clock_text, sizeof clock_text - 1, &program, error);
    if (!status) {
        of->api.GenQueries(2, queries);
        of->api.GenBuffers(1, &buffer);
        of->api.BindBuffer(GL_COPY_WRITE_BUFFER, buffer);
        of->api.BufferData(GL_COPY_WRITE_BUFFER, CLOCK_BYTES, NULL, GL_DYNAMIC_COPY);
        of->api.BindBufferRange(GL_SHADER_STORAGE_BUFFER, 0, buffer, 0, CLOCK_BYTES);
        of->api.UseProgram(program);
        status = hed_gl_check(device, "glUseProgram", "checking its clock", error);
    }
    for (uint32_t groups = 16; !status && groups <= CLOCK_MOST && hosted < 2e-3; groups *= 4)
        status = clock_time(device, queries, groups, &stamped, &hosted, error);
    if (program) of->api.DeleteProgram(program);
    if (buffer) of->api.DeleteBuffers(1, &buffer);
    if (queries[0]) of->api.DeleteQueries(2, queries);
    hed_gl_leave(of);
    if (status || (stamped > 0.5 * hosted && stamped < 1.05 * hosted)) return status;
    of->stamps = false;
    device->info.capabilities &= ~(uint64_t)HED_CAN_DEVICE_TIME;
    hed_log_message(&of->driver->logger, HED_LOG_INFO,
        "%s: %.3g ms by its time stamps are %.3g by the host's clock, which is used instead",
        device->info.id, 1e3 * stamped, 1e3 * hosted);
    return HED_OK;
}
