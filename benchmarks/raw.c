/* The drivers called directly: CUDA, OpenCL and Vulkan as their backends declare them, and the
 * host's, which is the C library. */
#include "benchmarks/raw.h"

#include "src/backends/cuda/cuda_api.h"
#include "src/backends/opencl/opencl_api.h"
#include "src/backends/vulkan/vulkan_api.h"
#include "heddle/author.h"

#include <stdlib.h>
#include <string.h>

typedef hed_status raw_function(raw_driver *raw, hed_error *error);

struct raw_driver {
    raw_def def;
    const char *names[RAW_OPERATION_COUNT];
    raw_function *operations[RAW_OPERATION_COUNT];
    union {
        hed_cuda_api cuda;
        hed_cl_api opencl;
        hed_vk_api vulkan;
    } api;
    hed_driver_handles handles; /* the rest is Vulkan's: each operation recorded once */
    VkCommandPool pool;
    VkCommandBuffer recorded[RAW_OPERATION_COUNT];
    VkFence fence;
    CUevent event;
    CUgraph graph;
    CUgraphExec executable;
    CUdeviceptr argument;
    void *arguments[2];
};

static void raw_offer(
    raw_driver *raw, raw_operation operation, const char *name, raw_function *function)
{
    raw->names[operation] = name;
    raw->operations[operation] = function;
}

/* Fills a table of function pointers; what the driver lacks stays NULL. */
static void raw_find(
    const hed_device *device, const char *const *names, size_t count, void (**functions)(void))
{
    for (size_t i = 0; i < count; i++) {
        void *symbol = hed_device_symbol(device, names[i]);
        memcpy(&functions[i], &symbol, sizeof symbol);
    }
}

static hed_status raw_check(int result, const char *call, hed_error *error)
{
    return result ? hed_fail(error, HED_ERROR_DRIVER, "%s gave %d", call, result) : HED_OK;
}

/* ---- CUDA ---- */

static hed_status cuda_wait(raw_driver *raw, hed_status status, hed_error *error)
{
    if (status) return status;
    CUstream stream = hed_stream_handle(raw->def.stream);
    return raw_check(raw->api.cuda.cuStreamSynchronize(stream), "cuStreamSynchronize", error);
}

static hed_status cuda_launch(raw_driver *raw, hed_error *error)
{
    int result = raw->api.cuda.cuLaunchKernel(hed_kernel_describe(raw->def.kernel).handle, 1, 1, 1,
        RAW_GROUP, 1, 1, 0, hed_stream_handle(raw->def.stream), raw->arguments, NULL);
    return cuda_wait(raw, raw_check(result, "cuLaunchKernel", error), error);
}

static hed_status cuda_graph(raw_driver *raw, hed_error *error)
{
    CUstream stream = hed_stream_handle(raw->def.stream);
    int result = raw->api.cuda.cuGraphLaunch(raw->executable, stream);
    return cuda_wait(raw, raw_check(result, "cuGraphLaunch", error), error);
}

static hed_status cuda_copy(raw_driver *raw, hed_error *error)
{
    int result = raw->api.cuda.cuMemcpyDtoDAsync(hed_buffer_describe(raw->def.to).address,
        hed_buffer_describe(raw->def.from).address, raw->def.bytes,
        hed_stream_handle(raw->def.stream));
    return cuda_wait(raw, raw_check(result, "cuMemcpyDtoDAsync", error), error);
}

static hed_status cuda_event(raw_driver *raw, hed_error *error)
{
    int result = raw->api.cuda.cuEventRecord(raw->event, hed_stream_handle(raw->def.stream));
    hed_status status = raw_check(result, "cuEventRecord", error);
    if (status) return status;
    return raw_check(raw->api.cuda.cuEventSynchronize(raw->event), "cuEventSynchronize", error);
}

static void raw_nothing(void *user) { (void)user; }

static hed_status cuda_call(raw_driver *raw, hed_error *error)
{
    CUstream stream = hed_stream_handle(raw->def.stream);
    int result = raw->api.cuda.cuLaunchHostFunc(stream, raw_nothing, NULL);
    return cuda_wait(raw, raw_check(result, "cuLaunchHostFunc", error), error);
}

/* A chain: each node waits for the one before, as the launches of a stream do. */
static hed_status cuda_build_graph(raw_driver *raw, hed_error *error)
{
    const hed_cuda_api *api = &raw->api.cuda;
    cuda_kernel_node node = {.function = hed_kernel_describe(raw->def.kernel).handle,
        .grid = {1, 1, 1},
        .block = {RAW_GROUP, 1, 1},
        .arguments = raw->arguments};
    CUgraphNode before = NULL;
    hed_status status = raw_check(api->cuGraphCreate(&raw->graph, 0), "cuGraphCreate", error);
    for (int i = 0; i < RAW_GRAPH_NODES && !status; i++) {
        CUgraphNode added = NULL;
        status = raw_check(api->cuGraphAddKernelNode(&added, raw->graph, &before, i > 0, &node),
            "cuGraphAddKernelNode", error);
        before = added;
    }
    if (status) return status;
    return raw_check(api->cuGraphInstantiate(&raw->executable, raw->graph, NULL, NULL, 0),
        "cuGraphInstantiate", error);
}

static hed_status cuda_open(raw_driver *raw, hed_error *error)
{
#define NAME(member, symbol, hip, parameters) symbol,
    static const char *const names[] = {HED_CUDA_REQUIRED(NAME) HED_CUDA_OPTIONAL(NAME)};
#undef NAME
    hed_cuda_api *api = &raw->api.cuda;
    raw_find(raw->def.device, names, sizeof names / sizeof *names, (void (**)(void))api);
    hed_driver_handles native;
    hed_status status = hed_device_handles(raw->def.device, &native, error);
    if (status || !api->cuCtxSetCurrent || !api->cuStreamSynchronize) return status;
    raw->argument = hed_buffer_describe(raw->def.argument).address;
    raw->arguments[0] = &raw->argument;
    raw->arguments[1] = &raw->def.number;
    status = raw_check(api->cuCtxSetCurrent(native.context), "cuCtxSetCurrent", error);
    if (status) return status;
    raw_offer(raw, RAW_LAUNCH, "cuLaunchKernel + cuStreamSynchronize", cuda_launch);
    raw_offer(raw, RAW_COPY, "cuMemcpyDtoDAsync", cuda_copy);
    raw_offer(raw, RAW_CALL, "cuLaunchHostFunc + cuStreamSynchronize", cuda_call);
    raw_offer(raw, RAW_EVENT, "cuEventRecord + cuEventSynchronize", cuda_event);
    status =
        raw_check(api->cuEventCreate(&raw->event, CU_EVENT_DISABLE_TIMING), "cuEventCreate", error);
    if (!status && api->cuGraphCreate && api->cuGraphAddKernelNode && api->cuGraphInstantiate &&
        api->cuGraphLaunch && api->cuGraphExecDestroy && api->cuGraphDestroy) {
        status = cuda_build_graph(raw, error);
        raw_offer(raw, RAW_GRAPH, "cuGraphLaunch + cuStreamSynchronize", cuda_graph);
    }
    return status;
}

/* ---- OpenCL ---- */

static hed_status opencl_finish(raw_driver *raw, hed_status status, hed_error *error)
{
    if (status) return status;
    return raw_check(
        raw->api.opencl.clFinish(hed_stream_handle(raw->def.stream)), "clFinish", error);
}

static hed_status opencl_enqueue(raw_driver *raw, hed_error *error)
{
    static const size_t size = RAW_GROUP;
    const hed_cl_api *api = &raw->api.opencl;
    cl_kernel kernel = hed_kernel_describe(raw->def.kernel).handle;
    cl_mem argument = (cl_mem)hed_buffer_describe(raw->def.argument).handle;
    int result = api->clSetKernelArg(kernel, 0, sizeof argument, &argument);
    if (!result) result = api->clSetKernelArg(kernel, 1, sizeof raw->def.number, &raw->def.number);
    if (result) return raw_check(result, "clSetKernelArg", error);
    result = api->clEnqueueNDRangeKernel(
        hed_stream_handle(raw->def.stream), kernel, 1, NULL, &size, &size, 0, NULL, NULL);
    return raw_check(result, "clEnqueueNDRangeKernel", error);
}

static hed_status opencl_launch(raw_driver *raw, hed_error *error)
{
    return opencl_finish(raw, opencl_enqueue(raw, error), error);
}

static hed_status opencl_graph(raw_driver *raw, hed_error *error)
{
    hed_status status = HED_OK;
    for (int i = 0; i < RAW_GRAPH_NODES && !status; i++) status = opencl_enqueue(raw, error);
    return opencl_finish(raw, status, error);
}

static hed_status opencl_copy(raw_driver *raw, hed_error *error)
{
    int result = raw->api.opencl.clEnqueueCopyBuffer(hed_stream_handle(raw->def.stream),
        (cl_mem)hed_buffer_describe(raw->def.from).handle,
        (cl_mem)hed_buffer_describe(raw->def.to).handle, 0, 0, raw->def.bytes, 0, NULL, NULL);
    return opencl_finish(raw, raw_check(result, "clEnqueueCopyBuffer", error), error);
}

static hed_status opencl_event(raw_driver *raw, hed_error *error)
{
    const hed_cl_api *api = &raw->api.opencl;
    cl_event mark = NULL;
    int result =
        api->clEnqueueMarkerWithWaitList(hed_stream_handle(raw->def.stream), 0, NULL, &mark);
    hed_status status = raw_check(result, "clEnqueueMarkerWithWaitList", error);
    if (!status) status = raw_check(api->clWaitForEvents(1, &mark), "clWaitForEvents", error);
    if (mark) api->clReleaseEvent(mark);
    return status;
}

static void opencl_open(raw_driver *raw)
{
#define NAME(result, name, parameters) #name,
    static const char *const names[] = {HED_CL_FUNCTIONS(NAME)};
#undef NAME
    raw_find(
        raw->def.device, names, sizeof names / sizeof *names, (void (**)(void)) & raw->api.opencl);
    if (!raw->api.opencl.clFinish) return;
    raw_offer(raw, RAW_LAUNCH, "clSetKernelArg + clEnqueueNDRangeKernel + clFinish", opencl_launch);
    raw_offer(
        raw, RAW_GRAPH, "100 x clSetKernelArg + clEnqueueNDRangeKernel, clFinish", opencl_graph);
    raw_offer(raw, RAW_COPY, "clEnqueueCopyBuffer", opencl_copy);
    raw_offer(raw, RAW_EVENT, "clEnqueueMarkerWithWaitList + clWaitForEvents", opencl_event);
}

/* ---- Vulkan ---- */

static hed_status vulkan_submit(raw_driver *raw, raw_operation operation, hed_error *error)
{
    const hed_vk_api *api = &raw->api.vulkan;
    VkDevice device = raw->handles.context;
    const VkSubmitInfo submit = {.sType = VK_TYPE_SUBMIT_INFO,
        .commandBufferCount = 1,
        .pCommandBuffers = &raw->recorded[operation]};
    int result = api->QueueSubmit(raw->handles.queue, 1, &submit, raw->fence);
    if (result) return raw_check(result, "vkQueueSubmit", error);
    do result = api->GetFenceStatus(device, raw->fence);
    while (result == VK_NOT_READY);
    if (!result) result = api->ResetFences(device, 1, &raw->fence);
    return raw_check(result, "vkGetFenceStatus", error);
}

static hed_status vulkan_launch(raw_driver *raw, hed_error *error)
{
    return vulkan_submit(raw, RAW_LAUNCH, error);
}

static hed_status vulkan_graph(raw_driver *raw, hed_error *error)
{
    return vulkan_submit(raw, RAW_GRAPH, error);
}

static hed_status vulkan_copy(raw_driver *raw, hed_error *error)
{
    return vulkan_submit(raw, RAW_COPY, error);
}

/* The kernel uses none of its arguments, so no descriptors are bound. */
static void vulkan_record_launches(raw_driver *raw, VkCommandBuffer to, int count)
{
    const VkMemoryBarrier barrier = {.sType = VK_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
    const hed_vk_api *api = &raw->api.vulkan;
    api->CmdBindPipeline(
        to, VK_PIPELINE_BIND_POINT_COMPUTE, hed_kernel_describe(raw->def.kernel).handle);
    for (int i = 0; i < count; i++) {
        if (i)
            api->CmdPipelineBarrier(to, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
        api->CmdDispatch(to, 1, 1, 1);
    }
}

static hed_status vulkan_record(raw_driver *raw, raw_operation operation, hed_error *error)
{
    const VkCommandBufferBeginInfo begin = {.sType = VK_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkBufferCopy copy = {0, 0, raw->def.bytes};
    VkCommandBuffer to = raw->recorded[operation];
    int result = raw->api.vulkan.BeginCommandBuffer(to, &begin);
    if (result) return raw_check(result, "vkBeginCommandBuffer", error);
    if (operation == RAW_COPY)
        raw->api.vulkan.CmdCopyBuffer(to, (VkBuffer)hed_buffer_describe(raw->def.from).handle,
            (VkBuffer)hed_buffer_describe(raw->def.to).handle, 1, &copy);
    else vulkan_record_launches(raw, to, operation == RAW_GRAPH ? RAW_GRAPH_NODES : 1);
    return raw_check(raw->api.vulkan.EndCommandBuffer(to), "vkEndCommandBuffer", error);
}

static hed_status vulkan_open(raw_driver *raw, hed_error *error)
{
#define NAME(result, name, parameters) "vk" #name,
    static const char *const names[] = {HED_VK_FUNCTIONS(NAME)};
#undef NAME
    hed_vk_api *api = &raw->api.vulkan;
    raw_find(raw->def.device, names, sizeof names / sizeof *names, (void (**)(void))api);
    hed_status status = hed_device_handles(raw->def.device, &raw->handles, error);
    if (status) return status;
    const VkCommandPoolCreateInfo pool = {
        .sType = VK_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = raw->handles.queue_family};
    const VkFenceCreateInfo fence = {.sType = VK_TYPE_FENCE_CREATE_INFO};
    int result = api->CreateCommandPool(raw->handles.context, &pool, NULL, &raw->pool);
    if (!result) result = api->CreateFence(raw->handles.context, &fence, NULL, &raw->fence);
    const VkCommandBufferAllocateInfo commands = {.sType = VK_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = raw->pool,
        .commandBufferCount = RAW_OPERATION_COUNT};
    if (!result)
        result = api->AllocateCommandBuffers(raw->handles.context, &commands, raw->recorded);
    status = raw_check(result, "vkAllocateCommandBuffers, or one before it,", error);
    static const raw_operation operations[] = {RAW_LAUNCH, RAW_GRAPH, RAW_COPY};
    for (size_t i = 0; i < HED_COUNT(operations) && !status; i++)
        status = vulkan_record(raw, operations[i], error);
    raw_offer(raw, RAW_LAUNCH, "vkQueueSubmit, recorded before, + vkGetFenceStatus", vulkan_launch);
    raw_offer(raw, RAW_GRAPH, "100 x vkCmdDispatch, recorded before", vulkan_graph);
    raw_offer(raw, RAW_COPY, "vkCmdCopyBuffer", vulkan_copy);
    return status;
}

static void vulkan_close(raw_driver *raw)
{
    if (raw->fence) raw->api.vulkan.DestroyFence(raw->handles.context, raw->fence, NULL);
    if (raw->pool) raw->api.vulkan.DestroyCommandPool(raw->handles.context, raw->pool, NULL);
}

/* ---- any of them ---- */

static hed_status host_copy(raw_driver *raw, hed_error *error)
{
    memcpy(hed_buffer_describe(raw->def.to).host, hed_buffer_describe(raw->def.from).host,
        raw->def.bytes);
    return HED_OK;
}

hed_status raw_open(const raw_def *def, raw_driver **result, hed_error *error)
{
    *result = NULL;
    raw_driver *raw = calloc(1, sizeof *raw);
    if (!raw) return HED_OUT_OF_MEMORY(error, "a benchmark");
    raw->def = *def;
    const char *backend = hed_device_describe(def->device).backend;
    hed_status status = HED_OK;
    if (strcmp(backend, "cuda") == 0) status = cuda_open(raw, error);
    else if (strcmp(backend, "opencl") == 0) opencl_open(raw);
    else if (strcmp(backend, "vulkan") == 0) status = vulkan_open(raw, error);
    else if (strcmp(backend, "host") == 0) raw_offer(raw, RAW_COPY, "memcpy", host_copy);
    if (status) raw_close(raw);
    else *result = raw;
    return status;
}

const char *raw_name(const raw_driver *raw, raw_operation operation)
{
    return raw->names[operation];
}

hed_status raw_run(raw_driver *raw, raw_operation operation, hed_error *error)
{
    return raw->operations[operation](raw, error);
}

void raw_close(raw_driver *raw)
{
    if (!raw) return;
    vulkan_close(raw);
    if (raw->executable) raw->api.cuda.cuGraphExecDestroy(raw->executable);
    if (raw->graph) raw->api.cuda.cuGraphDestroy(raw->graph);
    if (raw->event) raw->api.cuda.cuEventDestroy(raw->event);
    free(raw);
}
