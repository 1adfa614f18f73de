/* The OpenCL driver called directly. Types and signatures as in the OpenCL 1.2 specification. */
#include "raw.h"

#include "support/errors.h"

#include <stdlib.h>
#include <string.h>

typedef int32_t cl_result;

typedef struct opencl_state {
    cl_result (*set_argument)(void *kernel, uint32_t index, size_t size, const void *value);
    cl_result (*enqueue)(void *queue, void *kernel, uint32_t dimensions, const size_t *offset,
        const size_t *global, const size_t *local, uint32_t wait_count, void *const *wait,
        void **event);
    cl_result (*copy)(void *queue, void *from, void *to, size_t from_offset, size_t to_offset,
        size_t size, uint32_t wait_count, void *const *wait, void **event);
    cl_result (*marker)(void *queue, uint32_t wait_count, void *const *wait, void **event);
    cl_result (*wait)(uint32_t count, void *const *events);
    cl_result (*release_event)(void *event);
    cl_result (*finish)(void *queue);
    void *queue, *kernel, *argument, *from, *to;
} opencl_state;

static hed_status check(cl_result result, const char *call, hed_error *error)
{
    return result == 0 ? HED_OK
                       : hed_error_set(error, HED_ERROR_DRIVER, "%s gave %d", call, result);
}

static hed_status finish(opencl_state *s, hed_error *error)
{
    return check(s->finish(s->queue), "clFinish", error);
}

static hed_status enqueue(raw_driver *raw, hed_error *error)
{
    opencl_state *s = raw->state;
    static const size_t size = RAW_GROUP;
    hed_status status = check(
        s->set_argument(s->kernel, 0, sizeof s->argument, &s->argument), "clSetKernelArg", error);
    if (status == HED_OK)
        status = check(s->set_argument(s->kernel, 1, sizeof raw->def.number, &raw->def.number),
            "clSetKernelArg", error);
    if (status == HED_OK)
        status = check(s->enqueue(s->queue, s->kernel, 1, NULL, &size, &size, 0, NULL, NULL),
            "clEnqueueNDRangeKernel", error);
    return status;
}

static hed_status launch(raw_driver *raw, hed_error *error)
{
    hed_status status = enqueue(raw, error);
    return status == HED_OK ? finish(raw->state, error) : status;
}

static hed_status graph(raw_driver *raw, hed_error *error)
{
    hed_status status = HED_OK;
    for (int i = 0; i < RAW_GRAPH_NODES && status == HED_OK; i++) status = enqueue(raw, error);
    return status == HED_OK ? finish(raw->state, error) : status;
}

static hed_status copy(raw_driver *raw, hed_error *error)
{
    opencl_state *s = raw->state;
    cl_result result = s->copy(s->queue, s->from, s->to, 0, 0, raw->def.bytes, 0, NULL, NULL);
    hed_status status = check(result, "clEnqueueCopyBuffer", error);
    return status == HED_OK ? finish(s, error) : status;
}

static hed_status event(raw_driver *raw, hed_error *error)
{
    opencl_state *s = raw->state;
    void *mark = NULL;
    hed_status status =
        check(s->marker(s->queue, 0, NULL, &mark), "clEnqueueMarkerWithWaitList", error);
    if (status == HED_OK) status = check(s->wait(1, &mark), "clWaitForEvents", error);
    if (mark) s->release_event(mark);
    return status;
}

static void find(const hed_device *device, const char *name, void *slot)
{
    void *symbol = hed_device_symbol(device, name);
    memcpy(slot, &symbol, sizeof symbol);
}

static void close_opencl(raw_driver *raw) { free(raw->state); }

static void offer(raw_driver *raw, raw_operation operation, const char *name,
    hed_status (*function)(raw_driver *, hed_error *))
{
    raw->names[operation] = name;
    raw->operations[operation] = function;
}

hed_status raw_open_opencl(raw_driver *raw, hed_error *error)
{
    opencl_state *s = calloc(1, sizeof *s);
    if (!s) return hed_error_set(error, HED_ERROR_MEMORY, "out of memory for a benchmark");
    raw->state = s;
    raw->close = close_opencl;
    const hed_device *device = raw->def.device;
    find(device, "clSetKernelArg", &s->set_argument);
    find(device, "clEnqueueNDRangeKernel", &s->enqueue);
    find(device, "clEnqueueCopyBuffer", &s->copy);
    find(device, "clEnqueueMarkerWithWaitList", &s->marker);
    find(device, "clWaitForEvents", &s->wait);
    find(device, "clReleaseEvent", &s->release_event);
    find(device, "clFinish", &s->finish);
    s->queue = hed_stream_native(raw->def.stream);
    s->kernel = hed_kernel_native(raw->def.kernel);
    s->argument = (void *)hed_buffer_native(raw->def.argument);
    s->from = (void *)hed_buffer_native(raw->def.from);
    s->to = (void *)hed_buffer_native(raw->def.to);
    if (!s->finish) return HED_OK;
    if (s->set_argument && s->enqueue) {
        offer(raw, RAW_LAUNCH, "clSetKernelArg + clEnqueueNDRangeKernel + clFinish", launch);
        offer(raw, RAW_GRAPH, "100 x clSetKernelArg + clEnqueueNDRangeKernel, clFinish", graph);
    }
    if (s->copy) offer(raw, RAW_COPY, "clEnqueueCopyBuffer", copy);
    if (s->marker && s->wait && s->release_event)
        offer(raw, RAW_EVENT, "clEnqueueMarkerWithWaitList + clWaitForEvents", event);
    return HED_OK;
}
