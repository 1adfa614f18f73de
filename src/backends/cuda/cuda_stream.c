/* CUDA streams and events, and the steps of a stream: copies, fills, host functions, launches. */
#include "backends/cuda/cuda_driver.h"

#include <string.h>

/* ---- streams ---- */

/* Converts a priority to the driver's, which counts backwards: 0 is the lowest priority, and -5,
 * for example, the highest. */
static int cuda_driver_priority(const hed_cuda_api *api, int32_t priority)
{
    int lowest = 0, greatest = 0;
    if (api->cuCtxGetStreamPriorityRange(&lowest, &greatest)) return 0;
    return priority <= 0 ? lowest : priority >= lowest - greatest ? greatest : lowest - priority;
}

hed_status hed_cuda_stream_create(hed_stream *stream, hed_error *error)
{
    const hed_cuda_api *api = hed_cuda_api_of(stream->device);
    CUcontext previous;
    CUstream native = NULL;
    if (stream->def.use_handle) {
        stream->native = stream->def.handle;
        return HED_OK;
    }
    hed_status status = hed_cuda_enter(stream->device, &previous, error);
    if (status) return status;
    CUresult result = api->cuStreamCreateWithPriority(
        &native, CU_STREAM_NON_BLOCKING, cuda_driver_priority(api, stream->def.priority));
    stream->native = native;
    return hed_cuda_leave(stream->device, previous, result, "cuStreamCreateWithPriority", error);
}

void hed_cuda_stream_destroy(hed_stream *stream)
{
    CUcontext previous;
    if (stream->def.use_handle || hed_cuda_enter(stream->device, &previous, NULL)) return;
    hed_cuda_api_of(stream->device)->cuStreamDestroy(stream->native);
    hed_cuda_restore(stream->device, previous);
}

hed_status hed_cuda_stream_wait(hed_stream *stream, hed_error *error)
{
    CUcontext previous;
    hed_status status = hed_cuda_enter(stream->device, &previous, error);
    if (status) return status;
    CUresult result = hed_cuda_api_of(stream->device)->cuStreamSynchronize(stream->native);
    return hed_cuda_leave(stream->device, previous, result, "cuStreamSynchronize", error);
}

hed_status hed_cuda_stream_done(hed_stream *stream, bool *done, hed_error *error)
{
    CUcontext previous;
    hed_status status = hed_cuda_enter(stream->device, &previous, error);
    if (status) return status;
    CUresult result = hed_cuda_api_of(stream->device)->cuStreamQuery(stream->native);
    *done = result == CUDA_SUCCESS;
    return hed_cuda_leave(stream->device, previous,
        result == CUDA_ERROR_NOT_READY ? CUDA_SUCCESS : result, "cuStreamQuery", error);
}

/* Does nothing: on Linux the driver passes every step to the device at once. */
hed_status hed_cuda_stream_flush(hed_stream *stream, hed_error *error)
{
    (void)stream, (void)error;
    return HED_OK;
}

/* ---- steps ---- */

/* Shortens a pattern to its smallest period. A period longer than a word becomes one strided run
 * for each of its words. */
hed_cuda_fill hed_cuda_plan_fill(const hed_step *step)
{
    uint32_t size = step->pattern_size;
    while (size > 1 && memcmp(step->pattern, step->pattern + size / 2, size / 2) == 0) size /= 2;
    hed_cuda_fill fill = {.element = size < 4 ? size : 4, .words = size < 4 ? 1 : size / 4,
        .count = step->size / size};
    fill.pitch = fill.words > 1 ? size : 0;
    memcpy(fill.values, step->pattern, size); /* little-endian, like the device */
    return fill;
}

/* Writes one period, then appends copies of the filled part, which doubles it each time: HIP has no fill
 * with a pitch. */
static CUresult cuda_double_fill(const hed_cuda_api *api, const hed_cuda_fill *fill, CUdeviceptr to,
    CUstream stream, const char **call)
{
    CUresult result = CUDA_SUCCESS;
    *call = "cuMemsetD32Async";
    for (uint32_t i = 0; i < fill->words && !result; i++)
        result = api->cuMemsetD32Async(to + 4 * i, fill->values[i], 1, stream);
    if (!result) *call = "cuMemcpyDtoDAsync";
    for (uint64_t done = fill->pitch, size = fill->pitch * fill->count; done < size && !result;) {
        uint64_t next = size - done < done ? size - done : done;
        result = api->cuMemcpyDtoDAsync(to + done, to, next, stream);
        done += next;
    }
    return result;
}

static CUresult cuda_run_fill(
    const hed_cuda_api *api, const hed_step *step, CUstream stream, const char **call)
{
    hed_cuda_fill fill = hed_cuda_plan_fill(step);
    CUdeviceptr to = step->to->address + step->to_offset;
    *call = fill.element == 1   ? "cuMemsetD8Async"
            : fill.element == 2 ? "cuMemsetD16Async"
                                : "cuMemsetD32Async";
    if (fill.element == 1)
        return api->cuMemsetD8Async(to, (unsigned char)fill.values[0], fill.count, stream);
    if (fill.element == 2)
        return api->cuMemsetD16Async(to, (unsigned short)fill.values[0], fill.count, stream);
    if (fill.words == 1) return api->cuMemsetD32Async(to, fill.values[0], fill.count, stream);
    CUresult result = CUDA_SUCCESS;
    *call = "cuMemsetD2D32Async";
    if (!api->cuMemsetD2D32Async) return cuda_double_fill(api, &fill, to, stream, call);
    for (uint32_t i = 0; i < fill.words && !result; i++)
        result =
            api->cuMemsetD2D32Async(to + 4 * i, fill.pitch, fill.values[i], 1, fill.count, stream);
    return result;
}

/* Copies between two ends. If an end is a buffer in host memory (mapped, pinned, the caller's), the
 * driver distinguishes host and device memory by the addresses. */
static CUresult cuda_run_copy(
    const hed_cuda_api *api, const hed_step *step, CUstream stream, const char **call)
{
    const hed_buffer *to = step->to, *from = step->from;
    CUdeviceptr to_at = to ? to->address + step->to_offset : (CUdeviceptr)(uintptr_t)step->host_to;
    CUdeviceptr from_at =
        from ? from->address + step->from_offset : (CUdeviceptr)(uintptr_t)step->host_from;
    *call = "cuMemcpyAsync";
    if ((to && to->host) || (from && from->host))
        return api->hipMemcpyAsync
                   ? api->hipMemcpyAsync(to_at, from_at, step->size, HIP_COPY_BY_ADDRESSES, stream)
                   : api->cuMemcpyAsync(to_at, from_at, step->size, stream);
    *call = !from ? "cuMemcpyHtoDAsync" : !to ? "cuMemcpyDtoHAsync" : "cuMemcpyDtoDAsync";
    if (!from) return api->cuMemcpyHtoDAsync(to_at, step->host_from, step->size, stream);
    if (!to) return api->cuMemcpyDtoHAsync(step->host_to, from_at, step->size, stream);
    if (to->device == from->device)
        return api->cuMemcpyDtoDAsync(to_at, from_at, step->size, stream);
    hed_cuda_open_peers(to->device, from->device);
    *call = "cuMemcpyPeerAsync";
    if (api->hipMemcpyPeerAsync)
        return api->hipMemcpyPeerAsync(to_at, ((const hed_cuda_device *)to->device->impl)->device,
            from_at, ((const hed_cuda_device *)from->device->impl)->device, step->size, stream);
    return api->cuMemcpyPeerAsync(to_at, hed_cuda_context_of(to->device), from_at,
        hed_cuda_context_of(from->device), step->size, stream);
}

static hed_status cuda_run_step(hed_stream *stream, const hed_step *step, hed_error *error)
{
    const hed_cuda_api *api = hed_cuda_api_of(stream->device);
    const char *call = "cuLaunchHostFunc";
    CUresult result;
    if (step->kind == HED_STEP_LAUNCH) {
        hed_cuda_launch launch;
        hed_status status = hed_cuda_prepare(step, &launch, error);
        return status ? status
                      : hed_cuda_launch_now(stream->device, &launch, stream->native, error);
    }
    if (step->kind == HED_STEP_CALL)
        result = api->cuLaunchHostFunc
                     ? api->cuLaunchHostFunc(stream->native, step->function, step->user)
                     : hed_hip_call(stream, step->function, step->user);
    else if (step->kind == HED_STEP_FILL) result = cuda_run_fill(api, step, stream->native, &call);
    else result = cuda_run_copy(api, step, stream->native, &call);
    return hed_cuda_check(stream->device, result, call, error);
}

typedef struct time_pair {
    CUevent begin, end;
} time_pair;

hed_status hed_cuda_step(hed_stream *stream, const hed_step *step, void *timing, hed_error *error)
{
    const hed_cuda_api *api = hed_cuda_api_of(stream->device);
    time_pair *pair = timing;
    CUcontext previous;
    hed_status status = hed_cuda_enter(stream->device, &previous, error);
    if (status) return status;
    if (pair)
        status = hed_cuda_check(stream->device, api->cuEventRecord(pair->begin, stream->native),
            "cuEventRecord", error);
    if (!status) status = cuda_run_step(stream, step, error);
    if (pair && !status)
        status = hed_cuda_check(
            stream->device, api->cuEventRecord(pair->end, stream->native), "cuEventRecord", error);
    hed_cuda_restore(stream->device, previous);
    return status;
}

/* ---- times ---- */

hed_status hed_cuda_time_create(hed_device *device, void **timing, hed_error *error)
{
    const hed_cuda_api *api = hed_cuda_api_of(device);
    CUcontext previous;
    time_pair *pair = hed_allocate(&device->settings->allocator, sizeof *pair);
    if (!pair) return HED_OUT_OF_MEMORY(error, "the time of a step");
    hed_status status = hed_cuda_enter(device, &previous, error);
    if (!status) {
        CUresult result = api->cuEventCreate(&pair->begin, CU_EVENT_DEFAULT);
        if (!result && (result = api->cuEventCreate(&pair->end, CU_EVENT_DEFAULT)))
            api->cuEventDestroy(pair->begin);
        status = hed_cuda_leave(device, previous, result, "cuEventCreate", error);
    }
    if (status) hed_release(&device->settings->allocator, pair, sizeof *pair);
    else *timing = pair;
    return status;
}

void hed_cuda_time_destroy(hed_device *device, void *timing)
{
    const hed_cuda_api *api = hed_cuda_api_of(device);
    time_pair *pair = timing;
    CUcontext previous;
    if (hed_cuda_enter(device, &previous, NULL) == HED_OK) {
        api->cuEventDestroy(pair->begin);
        api->cuEventDestroy(pair->end);
        hed_cuda_restore(device, previous);
    }
    hed_release(&device->settings->allocator, pair, sizeof *pair);
}

static hed_status cuda_elapsed(
    const hed_device *device, CUevent from, CUevent to, double *seconds, hed_error *error)
{
    float milliseconds = 0;
    CUcontext previous;
    hed_status status = hed_cuda_enter(device, &previous, error);
    if (status) return status;
    CUresult result = hed_cuda_api_of(device)->cuEventElapsedTime(&milliseconds, from, to);
    *seconds = (double)milliseconds * 1e-3;
    return hed_cuda_leave(device, previous, result, "cuEventElapsedTime", error);
}

hed_status hed_cuda_time_read(hed_device *device, void *timing, double *seconds, hed_error *error)
{
    const time_pair *pair = timing;
    return cuda_elapsed(device, pair->begin, pair->end, seconds, error);
}

/* ---- events ---- */

hed_status hed_cuda_event_create(hed_event *event, hed_error *error)
{
    CUcontext previous;
    CUevent native = NULL;
    hed_status status = hed_cuda_enter(event->device, &previous, error);
    if (status) return status;
    CUresult result =
        hed_cuda_api_of(event->device)
            ->cuEventCreate(&native, event->timed ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING);
    event->impl = native;
    return hed_cuda_leave(event->device, previous, result, "cuEventCreate", error);
}

void hed_cuda_event_destroy(hed_event *event)
{
    CUcontext previous;
    if (hed_cuda_enter(event->device, &previous, NULL)) return;
    hed_cuda_api_of(event->device)->cuEventDestroy(event->impl);
    hed_cuda_restore(event->device, previous);
}

hed_status hed_cuda_event_record(hed_event *event, hed_stream *stream, hed_error *error)
{
    CUcontext previous;
    hed_status status = hed_cuda_enter(event->device, &previous, error);
    if (status) return status;
    CUresult result = hed_cuda_api_of(event->device)->cuEventRecord(event->impl, stream->native);
    return hed_cuda_leave(event->device, previous, result, "cuEventRecord", error);
}

hed_status hed_cuda_event_done(hed_event *event, bool *done, hed_error *error)
{
    CUcontext previous;
    hed_status status = hed_cuda_enter(event->device, &previous, error);
    if (status) return status;
    CUresult result = hed_cuda_api_of(event->device)->cuEventQuery(event->impl);
    *done = result == CUDA_SUCCESS;
    return hed_cuda_leave(event->device, previous,
        result == CUDA_ERROR_NOT_READY ? CUDA_SUCCESS : result, "cuEventQuery", error);
}

hed_status hed_cuda_event_wait(hed_event *event, hed_error *error)
{
    CUcontext previous;
    hed_status status = hed_cuda_enter(event->device, &previous, error);
    if (status) return status;
    CUresult result = hed_cuda_api_of(event->device)->cuEventSynchronize(event->impl);
    return hed_cuda_leave(event->device, previous, result, "cuEventSynchronize", error);
}

/* Makes a stream wait for an event, which may belong to another CUDA device. */
hed_status hed_cuda_stream_wait_event(hed_stream *stream, hed_event *event, hed_error *error)
{
    CUcontext previous;
    hed_status status = hed_cuda_enter(stream->device, &previous, error);
    if (status) return status;
    CUresult result =
        hed_cuda_api_of(stream->device)->cuStreamWaitEvent(stream->native, event->impl, 0);
    return hed_cuda_leave(stream->device, previous, result, "cuStreamWaitEvent", error);
}

hed_status hed_cuda_event_elapsed(hed_event *from, hed_event *to, double *seconds, hed_error *error)
{
    return cuda_elapsed(from->device, from->impl, to->impl, seconds, error);
}
