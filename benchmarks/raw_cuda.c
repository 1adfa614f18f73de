/* The CUDA driver called directly. Types and signatures as in the CUDA driver API reference, 11.2
 * and later. */
#include "raw.h"

#include "support/errors.h"

#include <stdlib.h>
#include <string.h>

typedef int cu_result;
typedef unsigned long long cu_address;

/* CUDA_KERNEL_NODE_PARAMS_v1 */
typedef struct cu_kernel_node {
    void *function;
    unsigned grid[3], block[3];
    unsigned shared_bytes;
    void **arguments;
    void **extra;
} cu_kernel_node;

typedef struct cuda_state {
    cu_result (*set_context)(void *context);
    cu_result (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream,
        void **arguments, void **extra);
    cu_result (*synchronize)(void *stream);
    cu_result (*copy)(cu_address to, cu_address from, size_t bytes, void *stream);
    cu_result (*event_create)(void **event, unsigned flags);
    cu_result (*event_record)(void *event, void *stream);
    cu_result (*event_synchronize)(void *event);
    cu_result (*event_destroy)(void *event);
    cu_result (*call)(void *stream, void (*function)(void *user), void *user);
    cu_result (*graph_create)(void **graph, unsigned flags);
    cu_result (*graph_add)(void **node, void *graph, void *const *before, size_t count,
        const cu_kernel_node *parameters);
    cu_result (*graph_instantiate)(void **executable, void *graph, unsigned long long flags);
    cu_result (*graph_launch)(void *executable, void *stream);
    cu_result (*graph_exec_destroy)(void *executable);
    cu_result (*graph_destroy)(void *graph);
    void *function, *stream, *event, *graph, *executable;
    cu_address argument;
    void *arguments[2];
} cuda_state;

static hed_status check(cu_result result, const char *call, hed_error *error)
{
    return result == 0 ? HED_OK
                       : hed_error_set(error, HED_ERROR_DRIVER, "%s gave %d", call, result);
}

/* ---- operations ---- */

static hed_status wait(cuda_state *s, hed_error *error)
{
    return check(s->synchronize(s->stream), "cuStreamSynchronize", error);
}

static hed_status launch(raw_driver *raw, hed_error *error)
{
    cuda_state *s = raw->state;
    cu_result result =
        s->launch(s->function, 1, 1, 1, RAW_GROUP, 1, 1, 0, s->stream, s->arguments, NULL);
    hed_status status = check(result, "cuLaunchKernel", error);
    return status == HED_OK ? wait(s, error) : status;
}

static hed_status graph(raw_driver *raw, hed_error *error)
{
    cuda_state *s = raw->state;
    hed_status status = check(s->graph_launch(s->executable, s->stream), "cuGraphLaunch", error);
    return status == HED_OK ? wait(s, error) : status;
}

static hed_status copy(raw_driver *raw, hed_error *error)
{
    cuda_state *s = raw->state;
    cu_address to = hed_buffer_address(raw->def.to), from = hed_buffer_address(raw->def.from);
    hed_status status =
        check(s->copy(to, from, raw->def.bytes, s->stream), "cuMemcpyDtoDAsync", error);
    return status == HED_OK ? wait(s, error) : status;
}

static hed_status event(raw_driver *raw, hed_error *error)
{
    cuda_state *s = raw->state;
    hed_status status = check(s->event_record(s->event, s->stream), "cuEventRecord", error);
    return status == HED_OK ? check(s->event_synchronize(s->event), "cuEventSynchronize", error)
                            : status;
}

static void nothing(void *user) { (void)user; }

static hed_status call(raw_driver *raw, hed_error *error)
{
    cuda_state *s = raw->state;
    hed_status status = check(s->call(s->stream, nothing, NULL), "cuLaunchHostFunc", error);
    return status == HED_OK ? wait(s, error) : status;
}

/* ---- opening ---- */

static void find(const hed_device *device, const char *name, void *slot)
{
    void *symbol = hed_device_symbol(device, name);
    memcpy(slot, &symbol, sizeof symbol);
}

static void find_functions(const hed_device *device, cuda_state *s)
{
    find(device, "cuCtxSetCurrent", &s->set_context);
    find(device, "cuLaunchKernel", &s->launch);
    find(device, "cuStreamSynchronize", &s->synchronize);
    find(device, "cuMemcpyDtoDAsync_v2", &s->copy);
    find(device, "cuEventCreate", &s->event_create);
    find(device, "cuEventRecord", &s->event_record);
    find(device, "cuEventSynchronize", &s->event_synchronize);
    find(device, "cuEventDestroy_v2", &s->event_destroy);
    find(device, "cuLaunchHostFunc", &s->call);
    find(device, "cuGraphCreate", &s->graph_create);
    find(device, "cuGraphAddKernelNode", &s->graph_add);
    find(device, "cuGraphInstantiateWithFlags", &s->graph_instantiate);
    find(device, "cuGraphLaunch", &s->graph_launch);
    find(device, "cuGraphExecDestroy", &s->graph_exec_destroy);
    find(device, "cuGraphDestroy", &s->graph_destroy);
}

/* A chain: each node waits for the one before, as the launches of a stream do. */
static hed_status build_graph(cuda_state *s, hed_error *error)
{
    cu_kernel_node node = {.function = s->function, .grid = {1, 1, 1}, .block = {RAW_GROUP, 1, 1},
        .arguments = s->arguments};
    void *before = NULL;
    hed_status status = check(s->graph_create(&s->graph, 0), "cuGraphCreate", error);
    for (int i = 0; i < RAW_GRAPH_NODES && status == HED_OK; i++) {
        void *added = NULL;
        status = check(
            s->graph_add(&added, s->graph, &before, i > 0, &node), "cuGraphAddKernelNode", error);
        before = added;
    }
    if (status == HED_OK)
        status = check(s->graph_instantiate(&s->executable, s->graph, 0),
            "cuGraphInstantiateWithFlags", error);
    return status;
}

static void close_cuda(raw_driver *raw)
{
    cuda_state *s = raw->state;
    if (s->executable) s->graph_exec_destroy(s->executable);
    if (s->graph) s->graph_destroy(s->graph);
    if (s->event) s->event_destroy(s->event);
    free(s);
}

static void offer(raw_driver *raw, raw_operation operation, const char *name,
    hed_status (*function)(raw_driver *, hed_error *))
{
    raw->names[operation] = name;
    raw->operations[operation] = function;
}

hed_status raw_open_cuda(raw_driver *raw, hed_error *error)
{
    cuda_state *s = calloc(1, sizeof *s);
    if (!s) return hed_error_set(error, HED_ERROR_MEMORY, "out of memory for a benchmark");
    raw->state = s;
    raw->close = close_cuda;
    find_functions(raw->def.device, s);
    hed_native_device native;
    hed_status status = hed_device_native(raw->def.device, &native, error);
    if (status != HED_OK || !s->set_context || !s->synchronize) return status;
    s->function = hed_kernel_native(raw->def.kernel);
    s->stream = hed_stream_native(raw->def.stream);
    s->argument = hed_buffer_address(raw->def.argument);
    s->arguments[0] = &s->argument;
    s->arguments[1] = &raw->def.number;
    status = check(s->set_context(native.context), "cuCtxSetCurrent", error);
    if (s->launch) offer(raw, RAW_LAUNCH, "cuLaunchKernel + cuStreamSynchronize", launch);
    if (s->copy) offer(raw, RAW_COPY, "cuMemcpyDtoDAsync", copy);
    if (s->call) offer(raw, RAW_CALL, "cuLaunchHostFunc + cuStreamSynchronize", call);
    if (status == HED_OK && s->event_create && s->event_record && s->event_synchronize &&
        s->event_destroy) {
        enum { DISABLE_TIMING = 2 };
        status = check(s->event_create(&s->event, DISABLE_TIMING), "cuEventCreate", error);
        offer(raw, RAW_EVENT, "cuEventRecord + cuEventSynchronize", event);
    }
    if (status == HED_OK && s->graph_create && s->graph_add && s->graph_instantiate &&
        s->graph_launch && s->graph_exec_destroy && s->graph_destroy) {
        status = build_graph(s, error);
        offer(raw, RAW_GRAPH, "cuGraphLaunch + cuStreamSynchronize", graph);
    }
    return status;
}
