/* Graphs: a command buffer that is recorded once. Steps that need the host (calls, and copies of
 * memory that is not the driver's) and launches with images, whose contents may have to be moved
 * first, cannot be in a graph: the core then enqueues the steps one by one. */
#include "backends/vulkan/vulkan.h"

typedef struct vulkan_graph {
    uint32_t count;
    VkCommandPool commands;
    vulkan_recording recording;
} vulkan_graph;

static hed_status graph_record(
    hed_device *device, vulkan_graph *graph, const hed_step *steps, hed_error *error)
{
    const vulkan_device *of = hed_vulkan_of(device);
    const VkCommandBufferBeginInfo info = {.sType = VK_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT};
    VkResult result = of->api->ResetDescriptorPool(of->device, graph->recording.pool, 0);
    if (result) return hed_vulkan_check(device, result, "vkResetDescriptorPool", "a graph", error);
    result = of->api->BeginCommandBuffer(graph->recording.commands, &info);
    hed_status status = hed_vulkan_check(device, result, "vkBeginCommandBuffer", "a graph", error);
    for (uint32_t i = 0; i < graph->count && !status; i++) {
        vulkan_launch launch;
        if (steps[i].kind != HED_STEP_LAUNCH) {
            hed_vulkan_record_copy(device, &graph->recording, &steps[i]);
            continue;
        }
        hed_vulkan_prepare(&steps[i], &launch);
        status = hed_vulkan_record_launch(device, &graph->recording, &launch, error);
    }
    if (status) return status;
    hed_vulkan_record_end(of->api, &graph->recording);
    result = of->api->EndCommandBuffer(graph->recording.commands);
    return hed_vulkan_check(device, result, "vkEndCommandBuffer", "a graph", error);
}

static hed_status graph_make(
    hed_device *device, vulkan_graph *impl, const hed_step *steps, hed_error *error)
{
    const vulkan_device *of = hed_vulkan_of(device);
    const VkCommandPoolCreateInfo pool = {.sType = VK_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
        .queueFamilyIndex = of->family};
    uint32_t sets = 1;
    for (uint32_t i = 0; i < impl->count; i++) /* a set is eight descriptors */
        if (steps[i].kind == HED_STEP_LAUNCH)
            sets += ((const vulkan_program *)steps[i].program->impl)->set_count +
                    ((const vulkan_program *)steps[i].program->impl)->binding_count / 2;
    VkResult result = of->api->CreateCommandPool(of->device, &pool, NULL, &impl->commands);
    if (result) return hed_vulkan_check(device, result, "vkCreateCommandPool", "a graph", error);
    const VkCommandBufferAllocateInfo info = {.sType = VK_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = impl->commands,
        .commandBufferCount = 1};
    result = of->api->AllocateCommandBuffers(of->device, &info, &impl->recording.commands);
    hed_status status =
        hed_vulkan_check(device, result, "vkAllocateCommandBuffers", "a graph", error);
    if (!status) status = hed_vulkan_make_pool(device, sets, &impl->recording.pool, error);
    return status ? status : graph_record(device, impl, steps, error);
}

hed_status hed_vulkan_graph_build(
    hed_device *device, const hed_step *steps, uint32_t count, void **impl, hed_error *error)
{
    vulkan_device *of = hed_vulkan_of(device);
    *impl = NULL;
    pthread_mutex_lock(&of->image_lock);
    bool has_images = of->images != NULL; /* a step may need the content of one */
    pthread_mutex_unlock(&of->image_lock);
    for (uint32_t i = 0; i < count; i++)
        if (has_images || !hed_vulkan_is_plain(&steps[i])) return HED_OK;
    vulkan_graph *graph = hed_allocate(&of->driver->allocator, sizeof *graph);
    if (!graph) return HED_OUT_OF_MEMORY(error, "a graph");
    graph->count = count;
    hed_status status = graph_make(device, graph, steps, error);
    if (status) hed_vulkan_graph_destroy(device, graph);
    else *impl = graph;
    return status;
}

/* Records the graph again once its replays are over: Vulkan cannot change a recorded command. */
hed_status hed_vulkan_graph_update(
    hed_device *device, void *impl, const hed_step *steps, uint32_t step, hed_error *error)
{
    (void)step;
    hed_status status = hed_vulkan_streams_wait(device, error);
    return status ? status : graph_record(device, impl, steps, error);
}

hed_status hed_vulkan_graph_replay(hed_stream *stream, void *impl, hed_error *error)
{
    return hed_vulkan_submit(stream, ((const vulkan_graph *)impl)->recording.commands, error);
}

void hed_vulkan_graph_destroy(hed_device *device, void *impl)
{
    const vulkan_device *of = hed_vulkan_of(device);
    vulkan_graph *freed = impl;
    hed_vulkan_settle(device);
    if (freed->recording.pool)
        of->api->DestroyDescriptorPool(of->device, freed->recording.pool, NULL);
    if (freed->commands) of->api->DestroyCommandPool(of->device, freed->commands, NULL);
    hed_release(&of->driver->allocator, freed, sizeof *freed);
}
