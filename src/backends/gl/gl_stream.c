/* Streams, events and times. A context has one queue, in which all streams run in order; a mark is
 * a position in the queue. Times are the device's time stamps if they agree with the host's clock,
 * else the host's times, taken after waiting for the steps. */
#include "backends/gl/gl.h"

enum { SLICE_NS = 1000000 }; /* longest time that the device's lock is held while waiting */

/* Implementation of a stream (a mark after its last step) and of an event; two marks are the time
 * of a step. */
typedef struct gl_mark {
    GLsync fence;     /* NULL: there is no fence yet */
    unsigned query;   /* time stamp query; 0: no query */
    bool stamped;     /* the query has the time; otherwise `host_ns` is the time */
    bool needs_fence; /* (stream only) steps were enqueued after the fence */
    uint64_t host_ns; /* host's clock, ns */
} gl_mark;

/* ---- marks ---- */

static hed_status marks_create(
    hed_device *device, uint32_t count, bool timed, void **result, hed_error *error)
{
    gl_device *of = hed_gl_of(device);
    gl_mark *marks = hed_allocate(&of->driver->allocator, count * sizeof *marks);
    hed_status status = HED_OK;
    if (!marks) return HED_OUT_OF_MEMORY(error, "a mark in a stream");
    if (timed && of->stamps) status = hed_gl_begin(of, error);
    if (timed && of->stamps && !status) {
        for (uint32_t i = 0; i < count; i++) of->api.GenQueries(1, &marks[i].query);
        status = hed_gl_check(of, true, "glGenQueries", "the time of a step", error);
        for (uint32_t i = 0; status && i < count; i++) of->api.DeleteQueries(1, &marks[i].query);
        hed_gl_end(of);
    }
    if (status) hed_release(&of->driver->allocator, marks, count * sizeof *marks);
    else *result = marks;
    return status;
}

static void marks_destroy(hed_device *device, uint32_t count, gl_mark *marks)
{
    gl_device *of = hed_gl_of(device);
    if (!hed_gl_begin(of, NULL)) {
        for (uint32_t i = 0; i < count; i++) {
            if (marks[i].fence) of->api.DeleteSync(marks[i].fence);
            if (marks[i].query) of->api.DeleteQueries(1, &marks[i].query);
        }
        hed_gl_end(of);
    }
    hed_release(&of->driver->allocator, marks, count * sizeof *marks);
}

/* The functions from here on expect a current context, except functions of the backend's table. */
static hed_status mark_fence(const gl_device *of, gl_mark *mark, hed_error *error)
{
    if (mark->fence) of->api.DeleteSync(mark->fence);
    mark->fence = of->api.FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    mark->needs_fence = false;
    return hed_gl_check(of, mark->fence != NULL, "glFenceSync", "a mark in a stream", error);
}

static hed_status mark_ask(
    const gl_device *of, const gl_mark *mark, uint64_t timeout, bool *done, hed_error *error)
{
    unsigned answer = of->api.ClientWaitSync(mark->fence, GL_SYNC_FLUSH_COMMANDS_BIT, timeout);
    *done = answer != GL_TIMEOUT_EXPIRED && answer != GL_WAIT_FAILED;
    return hed_gl_check(of, answer != GL_WAIT_FAILED, "glClientWaitSync", "waiting", error);
}

/* Waits for a mark, and lets other threads use the context in between. */
static hed_status mark_wait(gl_device *of, const gl_mark *mark, hed_error *error)
{
    bool done = false;
    hed_status status = mark_ask(of, mark, SLICE_NS, &done, error);
    while (!status && !done) {
        hed_gl_end(of);
        status = hed_gl_begin(of, error);
        if (status) pthread_mutex_lock(&of->lock); /* the caller expects the lock */
        else status = mark_ask(of, mark, SLICE_NS, &done, error);
    }
    return status;
}

/* Waits for all work that was submitted so far. */
static hed_status queue_wait(gl_device *of, hed_error *error)
{
    gl_mark end = {0};
    hed_status status = mark_fence(of, &end, error);
    if (!status) status = mark_wait(of, &end, error);
    if (end.fence) of->api.DeleteSync(end.fence);
    return status;
}

/* Records the time of a mark: a time stamp if the device's clock is usable; otherwise waits for the
 * queue and reads the host's clock. */
static hed_status mark_time(gl_device *of, gl_mark *mark, hed_error *error)
{
    hed_status status = HED_OK;
    mark->stamped = mark->query != 0;
    if (mark->stamped) of->api.QueryCounter(mark->query, GL_TIMESTAMP);
    else status = queue_wait(of, error);
    mark->host_ns = of->driver->clock.now(of->driver->clock.user);
    return status ? status : hed_gl_check(of, true, "glQueryCounter", "a time", error);
}

/* Computes the seconds between two marks that were reached; the context is not current. */
static hed_status marks_elapsed(
    gl_device *of, const gl_mark *from, const gl_mark *to, double *seconds, hed_error *error)
{
    uint64_t stamps[2] = {from->host_ns, to->host_ns};
    hed_status status = HED_OK;
    if (from->stamped && to->stamped) {
        status = hed_gl_begin(of, error);
        if (status) return status;
        of->api.GetQueryObjectui64v(from->query, GL_QUERY_RESULT, &stamps[0]);
        of->api.GetQueryObjectui64v(to->query, GL_QUERY_RESULT, &stamps[1]);
        status = hed_gl_check(of, true, "glGetQueryObjectui64v", "a time", error);
        hed_gl_end(of);
    }
    *seconds = (double)(int64_t)(stamps[1] - stamps[0]) * 1e-9;
    return status;
}

/* ---- streams ---- */

hed_status hed_gl_stream_create(hed_stream *stream, hed_error *error)
{
    if (stream->def.use_handle)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "hed_stream_def.use_handle: a context of OpenGL has one queue, without a handle");
    return marks_create(stream->device, 1, false, &stream->impl, error);
}

void hed_gl_stream_destroy(hed_stream *stream)
{
    hed_gl_stream_wait(stream, NULL);
    marks_destroy(stream->device, 1, stream->impl);
}

hed_status hed_gl_device_wait(hed_device *device, hed_error *error)
{
    hed_status status = hed_gl_begin(hed_gl_of(device), error);
    if (status) return status;
    status = queue_wait(hed_gl_of(device), error);
    hed_gl_end(hed_gl_of(device));
    return status;
}

hed_status hed_gl_stream_wait(hed_stream *stream, hed_error *error)
{
    gl_device *of = hed_gl_of(stream->device);
    const gl_mark *end =
        stream->impl; /* other threads' steps mark it while they have the context */
    hed_status status = hed_gl_begin(of, error);
    if (status) return status;
    if (end->fence || end->needs_fence) status = queue_wait(of, error);
    hed_gl_end(of);
    return status;
}

/* Reports if all steps of a stream are done, with a fence after the last step. */
hed_status hed_gl_stream_done(hed_stream *stream, bool *done, hed_error *error)
{
    gl_device *of = hed_gl_of(stream->device);
    gl_mark *end = stream->impl;
    *done = false;
    hed_status status = hed_gl_begin(of, error);
    if (status) return status;
    if (end->needs_fence) status = mark_fence(of, end, error);
    *done = !status && !end->fence;
    if (!status && end->fence) status = mark_ask(of, end, 0, done, error);
    hed_gl_end(of);
    return status;
}

hed_status hed_gl_stream_flush(hed_stream *stream, hed_error *error)
{
    gl_device *of = hed_gl_of(stream->device);
    hed_status status = hed_gl_begin(of, error);
    if (status) return status;
    of->api.Flush();
    status = hed_gl_check(of, true, "glFlush", "a stream", error);
    hed_gl_end(of);
    return status;
}

/* ---- steps ---- */

/* Calls a host function without the context, since the function may call anything. */
static hed_status step_call(
    hed_stream *stream, const hed_step *step, gl_mark *times, hed_error *error)
{
    const hed_clock *clock = &hed_gl_of(stream->device)->driver->clock;
    hed_status status = hed_gl_stream_wait(stream, error);
    if (status) return status;
    if (times) times[0] = (gl_mark){.query = times[0].query, .host_ns = clock->now(clock->user)};
    step->function(step->user);
    if (times) times[1] = (gl_mark){.query = times[1].query, .host_ns = clock->now(clock->user)};
    return HED_OK;
}

hed_status hed_gl_step(hed_stream *stream, const hed_step *step, void *timing, hed_error *error)
{
    gl_device *of = hed_gl_of(stream->device);
    gl_mark *times = timing;
    if (step->kind == HED_STEP_CALL) return step_call(stream, step, times, error);
    if (step->kind == HED_STEP_COPY && step->to->device != step->from->device)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "a copy between two OpenGL devices goes through the host");
    hed_status status = hed_gl_begin(of, error);
    if (status) return status;
    status = hed_gl_settle_images(of, step, error);
    if (!status && times) status = mark_time(of, &times[0], error);
    ((gl_mark *)stream->impl)->needs_fence = true;
    if (!status && step->kind == HED_STEP_LAUNCH) status = hed_gl_launch(of, step, error);
    else if (!status) status = hed_gl_transfer(of, step, error);
    if (!status && times) status = mark_time(of, &times[1], error);
    hed_gl_end(of);
    return status;
}

/* ---- times and events ---- */

hed_status hed_gl_time_create(hed_device *device, void **timing, hed_error *error)
{
    return marks_create(device, 2, true, timing, error);
}

void hed_gl_time_destroy(hed_device *device, void *timing) { marks_destroy(device, 2, timing); }

hed_status hed_gl_time_read(hed_device *device, void *timing, double *seconds, hed_error *error)
{
    const gl_mark *times = timing;
    return marks_elapsed(hed_gl_of(device), &times[0], &times[1], seconds, error);
}

hed_status hed_gl_event_create(hed_event *event, hed_error *error)
{
    return marks_create(event->device, 1, event->timed, &event->impl, error);
}

void hed_gl_event_destroy(hed_event *event) { marks_destroy(event->device, 1, event->impl); }

hed_status hed_gl_event_record(hed_event *event, hed_stream *stream, hed_error *error)
{
    gl_device *of = hed_gl_of(event->device);
    (void)stream; /* all streams use one queue */
    hed_status status = hed_gl_begin(of, error);
    if (status) return status;
    if (event->timed) status = mark_time(of, event->impl, error);
    if (!status) status = mark_fence(of, event->impl, error);
    of->api.Flush();
    if (!status) status = hed_gl_check(of, true, "glFlush", "an event", error);
    hed_gl_end(of);
    return status;
}

hed_status hed_gl_event_done(hed_event *event, bool *done, hed_error *error)
{
    gl_device *of = hed_gl_of(event->device);
    *done = false;
    hed_status status = hed_gl_begin(of, error);
    if (status) return status;
    status = mark_ask(of, event->impl, 0, done, error);
    hed_gl_end(of);
    return status;
}

hed_status hed_gl_event_wait(hed_event *event, hed_error *error)
{
    gl_device *of = hed_gl_of(event->device);
    hed_status status = hed_gl_begin(of, error);
    if (status) return status;
    status = mark_wait(of, event->impl, error);
    hed_gl_end(of);
    return status;
}

hed_status hed_gl_stream_wait_event(hed_stream *stream, hed_event *event, hed_error *error)
{
    if (event->device == stream->device) return HED_OK;
    return hed_fail(error, HED_ERROR_UNSUPPORTED, "an event of another device");
}

hed_status hed_gl_event_elapsed(hed_event *from, hed_event *to, double *seconds, hed_error *error)
{
    return marks_elapsed(hed_gl_of(from->device), from->impl, to->impl, seconds, error);
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

/* Runs `groups` groups between two marks, and measures their time by the host's clock. */
static hed_status clock_run(
    gl_device *of, gl_mark times[2], uint32_t groups, double *hosted, hed_error *error)
{
    const hed_clock *clock = &of->driver->clock;
    hed_status status = mark_time(of, &times[0], error);
    for (uint32_t size; groups; groups -= size) {
        size = groups < CLOCK_GROUPS ? groups : CLOCK_GROUPS;
        of->api.DispatchCompute(size, 1, 1);
        of->api.MemoryBarrier(GL_ALL_BARRIER_BITS);
    }
    if (!status) status = mark_time(of, &times[1], error);
    if (!status) status = queue_wait(of, error);
    *hosted = (double)(clock->now(clock->user) - times[0].host_ns) * 1e-9;
    return status ? status : hed_gl_check(of, true, "glDispatchCompute", "checking its clock", error);
}

/* Measures a launch of at least 2 ms between the marks. */
static hed_status clock_measure(gl_device *of, gl_mark times[2], double *hosted, hed_error *error)
{
    unsigned program = 0, buffer = 0;
    hed_status status = hed_gl_begin(of, error);
    if (status) return status;
    status =
        hed_gl_compile(of, "the clock's check", clock_text, sizeof clock_text - 1, &program, error);
    of->api.GenBuffers(1, &buffer);
    of->api.BindBuffer(GL_COPY_WRITE_BUFFER, buffer);
    of->api.BufferData(GL_COPY_WRITE_BUFFER, CLOCK_BYTES, NULL, GL_DYNAMIC_COPY);
    of->api.BindBufferRange(GL_SHADER_STORAGE_BUFFER, 0, buffer, 0, CLOCK_BYTES);
    of->api.UseProgram(program);
    if (!status) status = hed_gl_check(of, true, "glUseProgram", "checking its clock", error);
    for (uint32_t groups = 16; !status && groups <= CLOCK_MOST && *hosted < 2e-3; groups *= 4)
        status = clock_run(of, times, groups, hosted, error);
    if (program) of->api.DeleteProgram(program);
    of->api.DeleteBuffers(1, &buffer);
    hed_gl_end(of);
    return status;
}

/* Checks the device's clock. Some drivers promise 64 bits and report a nanosecond for a tenth of a
 * second of work. */
hed_status hed_gl_check_clock(hed_device *device, hed_error *error)
{
    gl_device *of = hed_gl_of(device);
    double stamped = 0, hosted = 0;
    void *times = NULL;
    if (!of->stamps) return HED_OK;
    hed_status status = marks_create(device, 2, true, &times, error);
    if (status) return status;
    status = clock_measure(of, times, &hosted, error);
    if (!status) status = hed_gl_time_read(device, times, &stamped, error);
    marks_destroy(device, 2, times);
    if (status || (stamped > 0.5 * hosted && stamped < 1.05 * hosted)) return status;
    of->stamps = false;
    device->info.capabilities &= ~(uint64_t)HED_CAN_DEVICE_TIME;
    hed_log_message(&of->driver->logger, HED_LOG_INFO,
        "%s: %.3g ms by its time stamps are %.3g by the host's clock, which is used instead",
        device->info.id, 1e3 * stamped, 1e3 * hosted);
    return HED_OK;
}
