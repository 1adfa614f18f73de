/* Streams and their steps.
 *
 * A stream is an in-order queue that records times: on PoCL and NVIDIA a queue with profiling is as
 * fast as one without (empty launch and wait: 46.9 against 46.8 us, 8.5 against 8.5 us), and every
 * event then has a time. An event object for each launch does cost (17 us on NVIDIA), so a step has
 * one only when it is timed, and clFinish waits. */
#include "backends/opencl/opencl.h"

#include <sched.h>
#include <time.h>

/* ---- creating and destroying ---- */

static cl_int opencl_ask_queue(const opencl_stream *stream, cl_uint query, size_t size, void *value)
{
    return stream->api->clGetCommandQueueInfo(stream->queue, query, size, value, NULL);
}

static hed_status opencl_adopt_queue(
    opencl_stream *impl, const hed_stream_def *def, hed_error *error)
{
    cl_context context = NULL;
    cl_device_id id = NULL;
    cl_bitfield properties = 0;
    if (!def->handle)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "hed_stream_def.use_handle with handle NULL: a cl_command_queue is needed");
    impl->queue = def->handle;
    cl_int code = opencl_ask_queue(impl, CL_QUEUE_CONTEXT, sizeof context, &context);
    if (!code) code = opencl_ask_queue(impl, CL_QUEUE_DEVICE, sizeof id, &id);
    if (!code) code = opencl_ask_queue(impl, CL_QUEUE_PROPERTIES, sizeof properties, &properties);
    if (code)
        return hed_opencl_fail(
            error, "clGetCommandQueueInfo", code, "hed_stream_def.handle is no cl_command_queue");
    if (context != impl->device->context || id != impl->device->id)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "the queue given belongs to another context or device: adopt that one first");
    if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "the queue given runs out of order: a stream needs one that runs in order");
    impl->profiling = properties & CL_QUEUE_PROFILING_ENABLE;
    if (def->timed_steps && !impl->profiling)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "timed steps need a queue made with CL_QUEUE_PROFILING_ENABLE, but this queue lacks it");
    code = impl->api->clRetainCommandQueue(impl->queue);
    return code ? hed_opencl_fail(error, "clRetainCommandQueue", code, "the queue given") : HED_OK;
}

static hed_status opencl_make_queue(opencl_stream *impl, hed_error *error)
{
    cl_int code = CL_SUCCESS;
    impl->profiling = true;
    impl->queue = impl->api->clCreateCommandQueue(
        impl->device->context, impl->device->id, CL_QUEUE_PROFILING_ENABLE, &code);
    return impl->queue ? HED_OK
                       : hed_opencl_fail(error, "clCreateCommandQueue", code, "no queue for a stream");
}

hed_status hed_opencl_stream_create(hed_stream *stream, hed_error *error)
{
    opencl_device *device = hed_opencl_of(stream->device);
    opencl_stream *impl = hed_allocate(&device->driver->allocator, sizeof *impl);
    if (!impl) return HED_OUT_OF_MEMORY(error, "a stream");
    impl->device = device;
    impl->api = device->api;
    hed_status status = stream->def.use_handle ? opencl_adopt_queue(impl, &stream->def, error)
                                               : opencl_make_queue(impl, error);
    if (status) {
        hed_release(&device->driver->allocator, impl, sizeof *impl);
        return status;
    }
    stream->native = impl->queue;
    stream->impl = impl;
    pthread_mutex_lock(&device->lock);
    impl->next = device->streams;
    device->streams = impl;
    pthread_mutex_unlock(&device->lock);
    return HED_OK;
}

void hed_opencl_stream_destroy(hed_stream *stream)
{
    opencl_stream *ended = stream->impl;
    opencl_device *device = ended->device;
    pthread_mutex_lock(&device->lock);
    for (opencl_stream **at = &device->streams; *at; at = &(*at)->next)
        if (*at == ended) {
            *at = ended->next;
            break;
        }
    pthread_mutex_unlock(&device->lock);
    bool finished = ended->api->clFinish(ended->queue) == CL_SUCCESS;
    if (ended->marker) ended->api->clReleaseEvent(ended->marker);
    ended->api->clReleaseCommandQueue(ended->queue);
    /* A host function may still be returning when the queue is already finished. On a lost device
     * it may never return: then its few bytes are not freed. */
    for (int i = 0; ended->calls && (finished || i < 1000); i++)
        if (finished) sched_yield();
        else nanosleep(&(struct timespec){0, 1000000}, NULL);
    if (ended->calls == 0) hed_release(&device->driver->allocator, ended, sizeof *ended);
}

/* ---- waiting ---- */

hed_status hed_opencl_stream_wait(hed_stream *stream, hed_error *error)
{
    opencl_stream *in = stream->impl;
    cl_int code = in->api->clFinish(in->queue);
    return hed_opencl_check_wait(error, stream->device, "clFinish", code, "waiting for a stream");
}

hed_status hed_opencl_stream_flush(hed_stream *stream, hed_error *error)
{
    opencl_stream *in = stream->impl;
    cl_int code = in->api->clFlush(in->queue);
    return hed_opencl_check_work(
        error, stream->device, "clFlush", code, "handing a stream's steps to the device");
}

/* Checks a marker at the end of the steps so far; a new marker is enqueued if steps came after the
 * old one. */
hed_status hed_opencl_stream_done(hed_stream *stream, bool *done, hed_error *error)
{
    opencl_stream *in = stream->impl;
    *done = false;
    if (in->marker && in->marked != in->steps) {
        in->api->clReleaseEvent(in->marker);
        in->marker = NULL;
    }
    if (!in->marker) {
        cl_int code = in->api->clEnqueueMarkerWithWaitList(in->queue, 0, NULL, &in->marker);
        if (code)
            return hed_opencl_check_work(error, stream->device, "clEnqueueMarkerWithWaitList", code,
                "asking whether a stream is done");
        in->marked = in->steps;
        hed_status status = hed_opencl_stream_flush(stream, error);
        if (status) return status;
    }
    hed_status status = hed_opencl_reached(stream->device, in->marker, done, error);
    if (!status && !*done) return HED_OK;
    in->api->clReleaseEvent(in->marker);
    in->marker = NULL;
    return status;
}

/* ---- host functions ---- */

typedef struct opencl_call {
    opencl_stream *stream;
    void (*function)(void *user);
    void *user;
    cl_event release; /* set when the function has returned: later steps wait for it */
} opencl_call;

/* Runs a host function in a thread of the driver. The stream is not accessed after its count has
 * been decremented. */
static void opencl_run_call(cl_event marker, cl_int status, void *user)
{
    opencl_call call = *(opencl_call *)user;
    const hed_cl_api *api = call.stream->api;
    hed_release(&call.stream->device->driver->allocator, user, sizeof call);
    if (status == CL_COMPLETE) call.function(call.user);
    api->clSetUserEventStatus(call.release, status < 0 ? status : CL_COMPLETE);
    api->clReleaseEvent(call.release);
    call.stream->calls--;
}

/* Enqueues a marker at the end of the steps so far, which calls the function back, and a barrier
 * that delays later steps until the function has returned. The marker itself waits for `gate`,
 * because PoCL calls back at once, in this thread, from a marker that is reached already. Once
 * `is_taken`, the callback owns `call`. */
static cl_int opencl_enqueue_call(
    opencl_stream *in, opencl_call *call, cl_event gate, bool *is_taken, const char **name)
{
    const hed_cl_api *api = in->api;
    cl_event marker = NULL;
    *name = "clEnqueueMarkerWithWaitList";
    cl_int code = api->clEnqueueMarkerWithWaitList(in->queue, 1, &gate, &marker);
    if (code) return code;
    *name = "clSetEventCallback";
    code = api->clSetEventCallback(marker, CL_COMPLETE, opencl_run_call, call);
    if (!code) {
        *is_taken = true;
        in->calls++;
        *name = "clEnqueueBarrierWithWaitList";
        code = api->clEnqueueBarrierWithWaitList(in->queue, 1, &call->release, NULL);
    }
    api->clReleaseEvent(marker);
    return code;
}

static hed_status opencl_call_step(hed_stream *stream, const hed_step *step, hed_error *error)
{
    opencl_stream *in = stream->impl;
    const hed_cl_api *api = in->api;
    opencl_call *call = hed_allocate(&in->device->driver->allocator, sizeof *call);
    if (!call) return HED_OUT_OF_MEMORY(error, "a host function in a stream");
    cl_int code = CL_SUCCESS;
    cl_event gate = api->clCreateUserEvent(in->device->context, &code);
    cl_event release = code ? NULL : api->clCreateUserEvent(in->device->context, &code);
    *call = (opencl_call){
        .stream = in, .function = step->function, .user = step->user, .release = release};
    bool is_taken = false;
    const char *name = "clCreateUserEvent";
    if (!code) code = opencl_enqueue_call(in, call, gate, &is_taken, &name);
    if (gate) api->clSetUserEventStatus(gate, CL_COMPLETE);
    if (gate) api->clReleaseEvent(gate);
    if (!is_taken) {
        if (release) api->clReleaseEvent(release);
        hed_release(&in->device->driver->allocator, call, sizeof *call);
    }
    if (code)
        return hed_opencl_check_work(error, stream->device, name, code, "a host function as a step");
    /* some drivers call back only from flushed markers */
    return hed_opencl_stream_flush(stream, error);
}

/* Calls a host function between two markers that time it; the inner markers, which wait for events,
 * have no times on NVIDIA. */
static hed_status opencl_timed_call(
    hed_stream *stream, const hed_step *step, cl_event *from, cl_event *to, hed_error *error)
{
    opencl_stream *in = stream->impl;
    cl_int code =
        from ? in->api->clEnqueueMarkerWithWaitList(in->queue, 0, NULL, from) : CL_SUCCESS;
    hed_status status = HED_OK;
    if (!code && in->device->threadless) {
        /* A driver without threads of its own runs commands in this thread: it would wait for a
         * function that nothing is left to call. */
        status = hed_opencl_stream_wait(stream, error);
        if (!status) step->function(step->user);
    } else if (!code) {
        status = opencl_call_step(stream, step, error);
    }
    if (!code && !status && to) code = in->api->clEnqueueMarkerWithWaitList(in->queue, 0, NULL, to);
    return code ? hed_opencl_check_work(error, stream->device, "clEnqueueMarkerWithWaitList", code,
                      "the time of a host function")
                : status;
}

/* ---- launches ---- */

static cl_int opencl_set_argument(const hed_cl_api *api, cl_kernel kernel, cl_uint index,
    const hed_argument *argument, uint64_t local_bytes)
{
    static const size_t sizes[HED_TYPE_COUNT] = {0, 4, 4, 8, 8, 4, 8};
    switch (argument->kind) {
    case HED_BUFFER: {
        cl_mem memory = argument->value.buffer->handle;
        return api->clSetKernelArg(kernel, index, sizeof memory, &memory);
    }
    case HED_SCALAR:
        return api->clSetKernelArg(kernel, index, sizes[argument->type], &argument->value);
    case HED_STRUCT:
        return api->clSetKernelArg(kernel, index, argument->size, argument->value.bytes);
    case HED_LOCAL: return api->clSetKernelArg(kernel, index, local_bytes, NULL);
    }
    return CL_INVALID_VALUE;
}

static hed_status opencl_argument_error(
    const hed_program *program, uint32_t index, cl_int code, hed_error *error)
{
    const hed_kernel_def *def = program->def;
    if (code != CL_INVALID_ARG_SIZE && code != CL_INVALID_ARG_VALUE && code != CL_INVALID_ARG_INDEX)
        return hed_opencl_fail(error, "clSetKernelArg", code, "argument %u \"%s\" of %s", index,
            def->arguments[index].name, def->name);
    return hed_fail(error, HED_ERROR_ARGUMENT,
        "%s: the driver refuses argument %u \"%s\" (clSetKernelArg: %d): in the kernel's text it is of "
        "another kind or size than in the description",
        def->name, index, def->arguments[index].name, (int)code);
}

/* Reports a size of the group that the driver refused, and the one that the text requires. */
static hed_status refuse_group(
    const hed_stream *stream, const hed_program *program, const size_t group[3], hed_error *error)
{
    const opencl_stream *in = stream->impl;
    const hed_device *device = stream->device;
    size_t required[3] = {0};
    in->api->clGetKernelWorkGroupInfo(program->handle, hed_opencl_of(device)->id,
        CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required, required, NULL);
    if (required[0])
        return hed_fail(error, HED_ERROR_LIMIT,
            "%s: group is %zu x %zu x %zu; its text requires %zu x %zu x %zu (reqd_work_group_size)",
            program->def->name, group[0], group[1], group[2], required[0], required[1],
            required[2]);
    return hed_opencl_check_work(error, stream->device, "clEnqueueNDRangeKernel",
        CL_INVALID_WORK_GROUP_SIZE, program->def->name);
}

static hed_status opencl_launch_step(
    hed_stream *stream, const hed_step *step, cl_event *event, hed_error *error)
{
    opencl_stream *in = stream->impl;
    const hed_program *program = step->program;
    const hed_geometry *geometry = &step->geometry;
    cl_kernel kernel = program->handle;
    for (uint32_t i = 0; i < program->def->argument_count; i++) {
        cl_int code =
            opencl_set_argument(in->api, kernel, i, &step->arguments[i], geometry->local_bytes[i]);
        if (code) return opencl_argument_error(program, i, code, error);
    }
    const size_t global[3] = {geometry->global[0], geometry->global[1], geometry->global[2]};
    const size_t group[3] = {geometry->group[0], geometry->group[1], geometry->group[2]};
    cl_int code = in->api->clEnqueueNDRangeKernel(
        in->queue, kernel, geometry->dimensions, NULL, global, group, 0, NULL, event);
    if (code == CL_OUT_OF_RESOURCES)
        return hed_fail(error, HED_ERROR_LIMIT,
            "%s: a group of %zu x %zu x %zu work items has too few registers or too little local memory on "
            "%s (clEnqueueNDRangeKernel: %d)",
            program->def->name, group[0], group[1], group[2], stream->device->info.id, (int)code);
    if (code == CL_INVALID_WORK_GROUP_SIZE) return refuse_group(stream, program, group, error);
    return hed_opencl_check_work(
        error, stream->device, "clEnqueueNDRangeKernel", code, program->def->name);
}

/* ---- steps ---- */

static hed_status opencl_copy_step(
    hed_stream *stream, const hed_step *step, cl_event *event, hed_error *error)
{
    opencl_stream *in = stream->impl;
    const hed_cl_api *api = in->api;
    cl_mem to = step->to ? step->to->handle : NULL, from = step->from ? step->from->handle : NULL;
    const char *call = "clEnqueueCopyBuffer";
    cl_int code;
    if (to && from &&
        hed_opencl_of(step->to->device)->context != hed_opencl_of(step->from->device)->context)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "a copy between two OpenCL contexts goes through the host");
    if (step->kind == HED_STEP_FILL) {
        call = "clEnqueueFillBuffer";
        code = api->clEnqueueFillBuffer(in->queue, to, step->pattern, step->pattern_size,
            step->to_offset, step->size, 0, NULL, event);
    } else if (!from) {
        call = "clEnqueueWriteBuffer";
        code = api->clEnqueueWriteBuffer(
            in->queue, to, CL_FALSE, step->to_offset, step->size, step->host_from, 0, NULL, event);
    } else if (!to) {
        call = "clEnqueueReadBuffer";
        code = api->clEnqueueReadBuffer(in->queue, from, CL_FALSE, step->from_offset, step->size,
            step->host_to, 0, NULL, event);
    } else {
        code = api->clEnqueueCopyBuffer(
            in->queue, from, to, step->from_offset, step->to_offset, step->size, 0, NULL, event);
    }
    return hed_opencl_check_work(error, stream->device, call, code, "a copy or fill");
}

/* Time of a step, from the start of `from` to the end of `to`; `to` is NULL if one command is the
 * whole step. */
typedef struct opencl_time {
    cl_event from, to;
} opencl_time;

static void opencl_forget(const hed_cl_api *api, opencl_time *time)
{
    if (time->from) api->clReleaseEvent(time->from);
    if (time->to) api->clReleaseEvent(time->to);
    *time = (opencl_time){NULL, NULL};
}

hed_status hed_opencl_step(hed_stream *stream, const hed_step *step, void *timing, hed_error *error)
{
    opencl_stream *in = stream->impl;
    opencl_time *time = timing;
    if (time) opencl_forget(in->api, time);
    cl_event *from = time ? &time->from : NULL, *to = time ? &time->to : NULL;
    in->steps++;
    if (step->kind == HED_STEP_LAUNCH) return opencl_launch_step(stream, step, from, error);
    if (step->kind == HED_STEP_CALL) return opencl_timed_call(stream, step, from, to, error);
    return opencl_copy_step(stream, step, from, error);
}

hed_status hed_opencl_time_create(hed_device *device, void **timing, hed_error *error)
{
    *timing = hed_allocate(&hed_opencl_of(device)->driver->allocator, sizeof(opencl_time));
    return *timing ? HED_OK : HED_OUT_OF_MEMORY(error, "the time of a step");
}

void hed_opencl_time_destroy(hed_device *device, void *timing)
{
    const opencl_device *of = hed_opencl_of(device);
    opencl_forget(of->api, timing);
    hed_release(&of->driver->allocator, timing, sizeof(opencl_time));
}

/* Reads the time of a step. A host function runs between two markers. */
hed_status hed_opencl_time_read(hed_device *device, void *timing, double *seconds, hed_error *error)
{
    const opencl_time *time = timing;
    cl_ulong start = 0, end = 0;
    hed_status status = hed_opencl_moment(device, time->from,
        time->to ? CL_PROFILING_COMMAND_END : CL_PROFILING_COMMAND_START, &start, error);
    if (!status)
        status = hed_opencl_moment(
            device, time->to ? time->to : time->from, CL_PROFILING_COMMAND_END, &end, error);
    *seconds = end > start ? (double)(end - start) * 1e-9 : 0;
    return status;
}

/* ---- events ---- */

/* hed_event.impl is the marker in a queue, NULL until the event is recorded. Markers are flushed to
 * the device at once, because another queue may wait for them. */

hed_status hed_opencl_reached(
    const hed_device *device, cl_event event, bool *done, hed_error *error)
{
    cl_int state = CL_COMPLETE;
    cl_int code = hed_opencl_of(device)->api->clGetEventInfo(
        event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    *done = !code && state == CL_COMPLETE;
    if (!code && state < 0) code = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    return hed_opencl_check_work(
        error, device, "clGetEventInfo", code, "asking how far the work is");
}

hed_status hed_opencl_moment(
    const hed_device *device, cl_event event, cl_uint query, cl_ulong *moment, hed_error *error)
{
    cl_int code = hed_opencl_of(device)->api->clGetEventProfilingInfo(
        event, query, sizeof *moment, moment, NULL);
    if (code == CL_PROFILING_INFO_NOT_AVAILABLE)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "no times: the queue given to the stream lacks CL_QUEUE_PROFILING_ENABLE");
    return code ? hed_opencl_fail(error, "clGetEventProfilingInfo", code, "asking for a time") : HED_OK;
}

hed_status hed_opencl_event_create(hed_event *event, hed_error *error)
{
    event->impl = NULL;
    return HED_OK;
}

void hed_opencl_event_destroy(hed_event *event)
{
    if (event->impl) hed_opencl_of(event->device)->api->clReleaseEvent(event->impl);
}

hed_status hed_opencl_event_record(hed_event *event, hed_stream *stream, hed_error *error)
{
    opencl_stream *in = stream->impl;
    cl_event marker = NULL;
    cl_int code = in->api->clEnqueueMarkerWithWaitList(in->queue, 0, NULL, &marker);
    if (code)
        return hed_opencl_check_work(
            error, stream->device, "clEnqueueMarkerWithWaitList", code, "an event");
    if (event->impl) in->api->clReleaseEvent(event->impl);
    event->impl = marker;
    return hed_opencl_stream_flush(stream, error);
}

hed_status hed_opencl_event_done(hed_event *event, bool *done, hed_error *error)
{
    return hed_opencl_reached(event->device, event->impl, done, error);
}

hed_status hed_opencl_event_wait(hed_event *event, hed_error *error)
{
    cl_event marker = event->impl;
    cl_int code = hed_opencl_of(event->device)->api->clWaitForEvents(1, &marker);
    return hed_opencl_check_wait(
        error, event->device, "clWaitForEvents", code, "waiting for an event");
}

hed_status hed_opencl_stream_wait_event(hed_stream *stream, hed_event *event, hed_error *error)
{
    opencl_stream *in = stream->impl;
    cl_event marker = event->impl;
    if (hed_opencl_of(event->device)->context != in->device->context)
        return hed_fail(error, HED_ERROR_UNSUPPORTED, "an event of another OpenCL context");
    in->steps++;
    cl_int code = in->api->clEnqueueBarrierWithWaitList(in->queue, 1, &marker, NULL);
    return hed_opencl_check_work(
        error, stream->device, "clEnqueueBarrierWithWaitList", code, "waiting for an event");
}

hed_status hed_opencl_event_elapsed(
    hed_event *from, hed_event *to, double *seconds, hed_error *error)
{
    cl_ulong start = 0, end = 0;
    hed_status status =
        hed_opencl_moment(from->device, from->impl, CL_PROFILING_COMMAND_END, &start, error);
    if (!status)
        status = hed_opencl_moment(to->device, to->impl, CL_PROFILING_COMMAND_END, &end, error);
    *seconds = (double)(int64_t)(end - start) * 1e-9;
    return status;
}
