/* Events: hed_event.impl is the marker in a queue, NULL until the event is recorded. Markers are
 * handed to the device at once, because another queue may wait for them. */
#include "backends/opencl/opencl.h"

hed_status opencl_reached(const hed_device *device, cl_event event, bool *done, hed_error *error)
{
    cl_int state = CL_COMPLETE;
    cl_int code = opencl_of(device)->api->clGetEventInfo(
        event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    *done = !code && state == CL_COMPLETE;
    if (!code && state < 0) code = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    return code ? opencl_fail_work(
                      error, device, "clGetEventInfo", code, "asking how far the work is")
                : HED_OK;
}

hed_status opencl_moment(
    const hed_device *device, cl_event event, cl_uint what, cl_ulong *moment, hed_error *error)
{
    cl_int code =
        opencl_of(device)->api->clGetEventProfilingInfo(event, what, sizeof *moment, moment, NULL);
    if (code == CL_PROFILING_INFO_NOT_AVAILABLE)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "no times: the queue given to the stream lacks CL_QUEUE_PROFILING_ENABLE");
    return code ? opencl_fail(error, "clGetEventProfilingInfo", code, "asking for a time") : HED_OK;
}

hed_status opencl_event_create(hed_event *event, hed_error *error)
{
    (void)error;
    event->impl = NULL;
    return HED_OK;
}

void opencl_event_destroy(hed_event *event)
{
    if (event->impl) opencl_of(event->device)->api->clReleaseEvent(event->impl);
}

hed_status opencl_event_record(hed_event *event, hed_stream *stream, hed_error *error)
{
    opencl_stream *in = stream->impl;
    cl_event marker = NULL;
    cl_int code = in->api->clEnqueueMarkerWithWaitList(in->queue, 0, NULL, &marker);
    if (code)
        return opencl_fail_work(
            error, stream->device, "clEnqueueMarkerWithWaitList", code, "an event");
    if (event->impl) in->api->clReleaseEvent(event->impl);
    event->impl = marker;
    return opencl_stream_flush(stream, error);
}

hed_status opencl_event_done(hed_event *event, bool *done, hed_error *error)
{
    return opencl_reached(event->device, event->impl, done, error);
}

hed_status opencl_event_wait(hed_event *event, hed_error *error)
{
    cl_event marker = event->impl;
    cl_int code = opencl_of(event->device)->api->clWaitForEvents(1, &marker);
    return code ? opencl_fail_wait(
                      error, event->device, "clWaitForEvents", code, "waiting for an event")
                : HED_OK;
}

hed_status opencl_stream_wait_event(hed_stream *stream, hed_event *event, hed_error *error)
{
    opencl_stream *in = stream->impl;
    cl_event marker = event->impl;
    if (opencl_of(event->device)->context != in->device->context)
        return hed_fail(error, HED_ERROR_UNSUPPORTED, "an event of another OpenCL context");
    in->steps++;
    cl_int code = in->api->clEnqueueBarrierWithWaitList(in->queue, 1, &marker, NULL);
    return code ? opencl_fail_work(error, stream->device, "clEnqueueBarrierWithWaitList", code,
                      "waiting for an event")
                : HED_OK;
}

hed_status opencl_event_elapsed(hed_event *from, hed_event *to, double *seconds, hed_error *error)
{
    cl_ulong start = 0, end = 0;
    hed_status status =
        opencl_moment(from->device, from->impl, CL_PROFILING_COMMAND_END, &start, error);
    if (!status)
        status = opencl_moment(to->device, to->impl, CL_PROFILING_COMMAND_END, &end, error);
    *seconds = (double)(int64_t)(end - start) * 1e-9;
    return status;
}
