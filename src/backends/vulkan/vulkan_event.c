/* Events: a fence after all work submitted to the stream's queue, and for a timed event a time
 * stamp before the fence. */
#include "backends/vulkan/vulkan.h"

typedef struct vulkan_event {
    VkFence fence;
    VkQueue queue; /* queue of the mark; NULL: not recorded yet */
    bool reached;
    VkCommandPool pool; /* this and the following members: timed events only */
    VkCommandBuffer commands;
    VkQueryPool queries;
    double moment; /* host's clock, s, if the device's clock is unusable */
} vulkan_event;

static VkResult event_make_stamp(const vulkan_device *of, vulkan_event *impl, const char **call)
{
    const VkCommandPoolCreateInfo pool = {.sType = VK_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
        .queueFamilyIndex = of->family};
    const VkQueryPoolCreateInfo queries = {.sType = VK_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_TIMESTAMP,
        .queryCount = 1};
    *call = "vkCreateCommandPool";
    VkResult result = of->api->CreateCommandPool(of->device, &pool, NULL, &impl->pool);
    const VkCommandBufferAllocateInfo info = {.sType = VK_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = impl->pool,
        .commandBufferCount = 1};
    if (result) return result;
    *call = "vkAllocateCommandBuffers";
    result = of->api->AllocateCommandBuffers(of->device, &info, &impl->commands);
    if (result) return result;
    *call = "vkCreateQueryPool";
    return of->api->CreateQueryPool(of->device, &queries, NULL, &impl->queries);
}

static void event_free(const vulkan_device *of, vulkan_event *freed)
{
    if (freed->fence) of->api->DestroyFence(of->device, freed->fence, NULL);
    if (freed->queries) of->api->DestroyQueryPool(of->device, freed->queries, NULL);
    if (freed->pool) of->api->DestroyCommandPool(of->device, freed->pool, NULL);
    hed_release(&of->driver->allocator, freed, sizeof *freed);
}

hed_status hed_vulkan_event_create(hed_event *event, hed_error *error)
{
    const vulkan_device *of = hed_vulkan_of(event->device);
    const VkFenceCreateInfo fence = {.sType = VK_TYPE_FENCE_CREATE_INFO};
    vulkan_event *impl = hed_allocate(&of->driver->allocator, sizeof *impl);
    if (!impl) return HED_OUT_OF_MEMORY(error, "an event");
    const char *call = "vkCreateFence";
    VkResult result = of->api->CreateFence(of->device, &fence, NULL, &impl->fence);
    if (!result && event->timed && of->stamp_mask) result = event_make_stamp(of, impl, &call);
    if (result) event_free(of, impl);
    else event->impl = impl;
    return hed_vulkan_check(event->device, result, call, "an event", error);
}

void hed_vulkan_event_destroy(hed_event *event)
{
    vulkan_event *freed = event->impl;
    if (freed->queue && !freed->reached && hed_vulkan_wait_fence(event->device, freed->fence, NULL))
        hed_vulkan_settle(event->device);
    event_free(hed_vulkan_of(event->device), freed);
}

static VkResult event_record_stamp(const vulkan_device *of, vulkan_event *mark, const char **call)
{
    const VkCommandBufferBeginInfo begin = {.sType = VK_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    vulkan_recording to = {.commands = mark->commands};
    *call = "vkBeginCommandBuffer";
    VkResult result = of->api->BeginCommandBuffer(mark->commands, &begin);
    if (result) return result;
    hed_vulkan_barrier(of->api, &to, false);
    of->api->CmdResetQueryPool(mark->commands, mark->queries, 0, 1);
    of->api->CmdWriteTimestamp(
        mark->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, mark->queries, 0);
    *call = "vkEndCommandBuffer";
    return of->api->EndCommandBuffer(mark->commands);
}

hed_status hed_vulkan_event_record(hed_event *event, hed_stream *stream, hed_error *error)
{
    vulkan_device *of = hed_vulkan_of(event->device);
    vulkan_event *mark = event->impl;
    hed_status status = HED_OK;
    if (mark->queue && !mark->reached)
        status = hed_vulkan_wait_fence(event->device, mark->fence, error);
    if (!status) status = hed_vulkan_stream_flush(stream, error);
    if (!status && event->timed && !of->stamp_mask) status = hed_vulkan_stream_wait(stream, error);
    if (status) return status;
    mark->moment = (double)of->driver->clock.now(of->driver->clock.user) * 1e-9;
    const char *call = "vkResetFences";
    VkResult result = VK_SUCCESS;
    if (mark->queue) result = of->api->ResetFences(of->device, 1, &mark->fence);
    if (!result && mark->queries) result = event_record_stamp(of, mark, &call);
    const VkSubmitInfo info = {.sType = VK_TYPE_SUBMIT_INFO,
        .commandBufferCount = mark->queries ? 1 : 0,
        .pCommandBuffers = &mark->commands};
    pthread_mutex_t *lock = NULL;
    for (uint32_t i = 0; i < of->queue_count; i++)
        if (of->queues[i].queue == stream->native) lock = &of->queues[i].lock;
    if (lock) pthread_mutex_lock(lock);
    if (!result) {
        call = "vkQueueSubmit";
        result = of->api->QueueSubmit(stream->native, 1, &info, mark->fence);
    }
    if (lock) pthread_mutex_unlock(lock);
    mark->queue = stream->native;
    mark->reached = result != VK_SUCCESS;
    return hed_vulkan_check(event->device, result, call, "an event", error);
}

hed_status hed_vulkan_event_done(hed_event *event, bool *done, hed_error *error)
{
    const vulkan_device *of = hed_vulkan_of(event->device);
    vulkan_event *mark = event->impl;
    VkResult result = of->api->GetFenceStatus(of->device, mark->fence);
    *done = mark->reached = result == VK_SUCCESS;
    if (result == VK_NOT_READY) return HED_OK;
    return hed_vulkan_check(
        event->device, result, "vkGetFenceStatus", "asking for an event", error);
}

hed_status hed_vulkan_event_wait(hed_event *event, hed_error *error)
{
    vulkan_event *mark = event->impl;
    hed_status status = hed_vulkan_wait_fence(event->device, mark->fence, error);
    if (!status) mark->reached = true;
    return status;
}

/* Orders a stream after an event. Within a queue, submission order and barriers suffice. */
hed_status hed_vulkan_stream_wait_event(hed_stream *stream, hed_event *event, hed_error *error)
{
    const vulkan_event *mark = event->impl;
    if (event->device == stream->device && mark->queue == stream->native) {
        hed_vulkan_stream_follow(stream);
        return HED_OK;
    }
    return hed_fail(error, HED_ERROR_UNSUPPORTED, "an event of another queue");
}

hed_status hed_vulkan_event_elapsed(
    hed_event *from, hed_event *to, double *seconds, hed_error *error)
{
    const vulkan_device *of = hed_vulkan_of(from->device);
    const vulkan_event *marks[2] = {from->impl, to->impl};
    uint64_t stamps[2] = {0, 0};
    *seconds = marks[1]->moment - marks[0]->moment;
    if (!of->stamp_mask) return HED_OK;
    VkResult result = VK_SUCCESS;
    for (int i = 0; i < 2 && !result; i++)
        result = of->api->GetQueryPoolResults(of->device, marks[i]->queries, 0, 1, sizeof stamps[i],
            &stamps[i], 8, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    bool after = ((stamps[1] - stamps[0]) & of->stamp_mask) <= of->stamp_mask / 2;
    uint64_t span = (after ? stamps[1] - stamps[0] : stamps[0] - stamps[1]) & of->stamp_mask;
    *seconds = (after ? 1 : -1) * (double)span * of->period;
    return hed_vulkan_check(
        from->device, result, "vkGetQueryPoolResults", "the time between two events", error);
}
