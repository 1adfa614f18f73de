/* CUDA graphs: a recorded chain as explicit nodes, each after the previous one, instantiated once
 * and launched as a whole. */
#include "backends/cuda/cuda_driver.h"

#include <string.h>

typedef struct cuda_graph {
    CUgraph graph;
    CUgraphExec exec;
    uint32_t count;
    CUgraphNode last;    /* the chain's end while it is built */
    CUgraphNode nodes[]; /* (count) nodes of launches; NULL for other steps */
} cuda_graph;

static size_t cuda_graph_bytes(uint32_t count)
{
    return sizeof(cuda_graph) + count * sizeof(CUgraphNode);
}

static cuda_kernel_node cuda_node_of_kernel(hed_cuda_launch *launch)
{
    cuda_kernel_node node = {.function = launch->function, .shared_bytes = launch->shared_bytes,
        .arguments = launch->arguments};
    memcpy(node.grid, launch->grid, sizeof node.grid);
    memcpy(node.block, launch->block, sizeof node.block);
    return node;
}

static CUresult cuda_add_launch(
    const hed_cuda_api *api, cuda_graph *g, hed_cuda_launch *launch, CUgraphNode *node)
{
    cuda_kernel_node kernel = cuda_node_of_kernel(launch);
    CUlaunchAttributeValue value = {{0}};
    CUresult result = api->cuGraphAddKernelNode(node, g->graph, &g->last, g->last ? 1 : 0, &kernel);
    value.cooperative = 1;
    if (!result && launch->cooperative)
        result = api->cuGraphKernelNodeSetAttribute(*node, CU_LAUNCH_COOPERATIVE, &value);
    value.cluster[0] = launch->cluster;
    value.cluster[1] = value.cluster[2] = 1;
    if (!result && launch->cluster > 1)
        result = api->cuGraphKernelNodeSetAttribute(*node, CU_LAUNCH_CLUSTER_DIMENSION, &value);
    g->last = *node;
    return result;
}

/* Describes one side of a copy: memory that the host sees by its host address, other memory by its
 * device address. */
static cuda_copy_side cuda_side_of(const hed_buffer *buffer, uint64_t offset, const void *host)
{
    if (buffer && buffer->host) host = (const char *)buffer->host + offset;
    if (host) return (cuda_copy_side){.memory_type = CU_MEMORYTYPE_HOST, .host = host};
    return (cuda_copy_side){
        .memory_type = CU_MEMORYTYPE_DEVICE, .device = buffer->address + offset};
}

static CUresult cuda_add_copy(
    const hed_cuda_api *api, cuda_graph *g, CUcontext context, const hed_step *step)
{
    cuda_copy_node copy = {.from = cuda_side_of(step->from, step->from_offset, step->host_from),
        .to = cuda_side_of(step->to, step->to_offset, step->host_to), .width_bytes = step->size,
        .height = 1, .depth = 1};
    CUgraphNode node = NULL;
    CUresult result =
        api->cuGraphAddMemcpyNode(&node, g->graph, &g->last, g->last ? 1 : 0, &copy, context);
    g->last = node;
    return result;
}

static CUresult cuda_add_fill(
    const hed_cuda_api *api, cuda_graph *g, CUcontext context, const hed_step *step)
{
    hed_cuda_fill plan = hed_cuda_plan_fill(step);
    CUresult result = CUDA_SUCCESS;
    for (uint32_t i = 0; i < plan.words && !result; i++) {
        cuda_memset_node fill = {.to = step->to->address + step->to_offset + 4 * i,
            .pitch = plan.pitch, .value = plan.values[i], .element_size = plan.element,
            .width = plan.words > 1 ? 1 : plan.count, .height = plan.words > 1 ? plan.count : 1};
        CUgraphNode node = NULL;
        result =
            api->cuGraphAddMemsetNode(&node, g->graph, &g->last, g->last ? 1 : 0, &fill, context);
        g->last = node;
    }
    return result;
}

static CUresult cuda_add_call(const hed_cuda_api *api, cuda_graph *g, const hed_step *step)
{
    cuda_host_node call = {step->function, step->user};
    CUgraphNode node = NULL;
    CUresult result = api->cuGraphAddHostNode(&node, g->graph, &g->last, g->last ? 1 : 0, &call);
    g->last = node;
    return result;
}

static hed_status cuda_add_step(
    const hed_device *device, cuda_graph *g, const hed_step *step, uint32_t index, hed_error *error)
{
    const hed_cuda_api *api = hed_cuda_api_of(device);
    CUcontext context = hed_cuda_context_of(device);
    if (step->kind == HED_STEP_FILL)
        return hed_cuda_check(
            device, cuda_add_fill(api, g, context, step), "cuGraphAddMemsetNode", error);
    if (step->kind == HED_STEP_CALL)
        return hed_cuda_check(device, cuda_add_call(api, g, step), "cuGraphAddHostNode", error);
    if (step->kind != HED_STEP_LAUNCH)
        return hed_cuda_check(
            device, cuda_add_copy(api, g, context, step), "cuGraphAddMemcpyNode", error);
    hed_cuda_launch launch;
    hed_status status = hed_cuda_prepare(step, &launch, error);
    return status ? status
                  : hed_cuda_check(device, cuda_add_launch(api, g, &launch, &g->nodes[index]),
                        "cuGraphAddKernelNode", error);
}

static hed_status cuda_build(
    hed_device *device, cuda_graph *g, const hed_step *steps, hed_error *error)
{
    const hed_cuda_api *api = hed_cuda_api_of(device);
    hed_status status =
        hed_cuda_check(device, api->cuGraphCreate(&g->graph, 0), "cuGraphCreate", error);
    for (uint32_t i = 0; i < g->count && !status; i++)
        status = cuda_add_step(device, g, &steps[i], i, error);
    if (!status)
        status = hed_cuda_check(device, api->cuGraphInstantiate(&g->exec, g->graph, NULL, NULL, 0),
            "cuGraphInstantiate", error);
    return status;
}

/* True if the driver can record the steps as a graph: it has every node kind that the steps need,
 * and no step has symbols (their content is written before each launch, outside the graph).
 * Otherwise the core enqueues the steps one by one. */
static bool cuda_can_build(const hed_device *device, const hed_step *steps, uint32_t count)
{
    if (!(device->info.capabilities & HED_CAN_GRAPHS)) return false;
    for (uint32_t i = 0; i < count; i++)
        if (steps[i].kind == HED_STEP_LAUNCH &&
            ((hed_cuda_program *)steps[i].program->impl)->symbols)
            return false;
    for (uint32_t i = 0; i < count && !hed_cuda_api_of(device)->cuGraphKernelNodeSetAttribute; i++)
        if (steps[i].kind == HED_STEP_LAUNCH &&
            (steps[i].geometry.cluster > 1 ||
                ((hed_cuda_program *)steps[i].program->impl)->cooperative))
            return false;
    return true;
}

hed_status hed_cuda_graph_build(
    hed_device *device, const hed_step *steps, uint32_t count, void **impl, hed_error *error)
{
    CUcontext previous;
    *impl = NULL;
    if (!cuda_can_build(device, steps, count)) return HED_OK;
    cuda_graph *recorded_graph =
        hed_allocate(&device->settings->allocator, cuda_graph_bytes(count));
    if (!recorded_graph) return HED_OUT_OF_MEMORY(error, "a graph of %u steps", count);
    recorded_graph->count = count;
    hed_status status = hed_cuda_enter(device, &previous, error);
    if (!status) {
        status = cuda_build(device, recorded_graph, steps, error);
        hed_cuda_restore(device, previous);
    }
    if (status) hed_cuda_graph_destroy(device, recorded_graph);
    else *impl = recorded_graph;
    return status;
}

hed_status hed_cuda_graph_update(
    hed_device *device, void *impl, const hed_step *steps, uint32_t step, hed_error *error)
{
    cuda_graph *g = impl;
    hed_cuda_launch launch;
    CUcontext previous;
    hed_status status = hed_cuda_enter(device, &previous, error);
    if (status) return status;
    status = hed_cuda_prepare(&steps[step], &launch, error);
    if (!status) {
        cuda_kernel_node kernel = cuda_node_of_kernel(&launch);
        CUresult result = hed_cuda_api_of(device)->cuGraphExecKernelNodeSetParams(
            g->exec, g->nodes[step], &kernel);
        status = hed_cuda_check(device, result, "cuGraphExecKernelNodeSetParams", error);
    }
    hed_cuda_restore(device, previous);
    return status;
}

hed_status hed_cuda_graph_replay(hed_stream *stream, void *impl, hed_error *error)
{
    CUcontext previous;
    hed_status status = hed_cuda_enter(stream->device, &previous, error);
    if (status) return status;
    CUresult result =
        hed_cuda_api_of(stream->device)->cuGraphLaunch(((cuda_graph *)impl)->exec, stream->native);
    return hed_cuda_leave(stream->device, previous, result, "cuGraphLaunch", error);
}

void hed_cuda_graph_destroy(hed_device *device, void *impl)
{
    const hed_cuda_api *api = hed_cuda_api_of(device);
    cuda_graph *freed = impl;
    CUcontext previous;
    if (hed_cuda_enter(device, &previous, NULL) == HED_OK) {
        if (freed->exec) api->cuGraphExecDestroy(freed->exec);
        if (freed->graph) api->cuGraphDestroy(freed->graph);
        hed_cuda_restore(device, previous);
    }
    hed_release(&device->settings->allocator, freed, cuda_graph_bytes(freed->count));
}
