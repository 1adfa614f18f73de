/* Streams: command buffers used in rotation, each with a fence and a pool of descriptors. Steps are
 * recorded until the stream is flushed or a command buffer is full. A single launch is not recorded
 * until the stream is flushed: if an equal launch was recorded before, that recording is submitted
 * again, which saves up to a fifth of an empty launch (H200: recording takes 2.8 us of 16).
 *
 * Host memory that is not the driver's is copied through a buffer of the stream: a write copies the
 * data there at once, a read waits. */
#include "backends/vulkan/vulkan.h"

#include <string.h>

enum { SLOTS = 8, MOST_STEPS = 64, STAGING_BYTES = 8 << 20 };
/* A sleeping thread wakes 26 us late on an H200, which would add to the time of a copy of 256 MiB
 * (128 us). On a CPU device, polling takes cores from the kernel. */
enum { POLL_NS = 1000000, POLL_CPU_NS = 100000 };

typedef struct vulkan_slot {
    vulkan_recording recording;
    VkFence fence;
    uint64_t serial; /* number of its last submission; 0: not submitted */
    bool alone;      /* contains `launch` and nothing else, and can be submitted again */
    bool bare;       /* begins without a barrier: submit only when the queue is idle */
    vulkan_launch launch;
} vulkan_slot;

typedef struct vulkan_stream {
    struct vulkan_stream *next; /* next in the device's list */
    hed_stream *stream;
    /* the stream's queue; `own`: a queue of the program that the device lacks */
    vulkan_queue *queue, own;
    VkCommandPool pool;
    vulkan_slot slots[SLOTS];
    vulkan_slot *open; /* being recorded; NULL: no slot */
    vulkan_slot *last; /* submitted last; NULL: no slot */
    uint32_t steps, turn;
    uint64_t submitted, completed;
    bool pending; /* `launch` is the only step since the last submission */
    bool follows; /* the next step needs a barrier: another stream of the queue came before */
    vulkan_launch launch;
    vulkan_buffer staging; /* created at the first use */
    uint64_t staged;       /* bytes of `staging` that pending copies use */
    pthread_mutex_t lock;
} vulkan_stream;

/* ---- slots ---- */

hed_status hed_vulkan_wait_fence(hed_device *device, VkFence fence, hed_error *error)
{
    const vulkan_device *of = hed_vulkan_of(device);
    const hed_clock *clock = &of->driver->clock;
    uint64_t start = clock->now(clock->user),
             poll_ns = device->info.type == HED_DEVICE_CPU ? POLL_CPU_NS : POLL_NS;
    VkResult result;
    do result = of->api->GetFenceStatus(of->device, fence);
    while (result == VK_NOT_READY && clock->now(clock->user) - start < poll_ns);
    bool blocks = result == VK_NOT_READY;
    if (blocks) result = of->api->WaitForFences(of->device, 1, &fence, 1, UINT64_MAX);
    return hed_vulkan_check(device, result, blocks ? "vkWaitForFences" : "vkGetFenceStatus",
        "waiting for a stream", error);
}

static hed_status slot_wait(vulkan_stream *s, const vulkan_slot *slot, hed_error *error)
{
    if (!slot || slot->serial <= s->completed) return HED_OK;
    hed_status status = hed_vulkan_wait_fence(s->stream->device, slot->fence, error);
    if (!status) s->completed = slot->serial;
    if (!status && s->completed == s->submitted && !s->open) s->staged = 0;
    return status;
}

/* Takes the next slot, after its previous work is done. */
static hed_status slot_take(vulkan_stream *s, vulkan_slot **free_slot, hed_error *error)
{
    const vulkan_device *of = hed_vulkan_of(s->stream->device);
    vulkan_slot *slot = &s->slots[s->turn++ % SLOTS];
    hed_status status = slot_wait(s, slot, error);
    if (status) return status;
    slot->alone = false;
    *free_slot = slot;
    VkResult result = of->api->ResetDescriptorPool(of->device, slot->recording.pool, 0);
    return hed_vulkan_check(s->stream->device, result, "vkResetDescriptorPool", "a stream", error);
}

static hed_status stream_submit(
    vulkan_stream *s, vulkan_slot *slot, VkCommandBuffer commands, hed_error *error)
{
    hed_device *device = s->stream->device;
    const vulkan_device *of = hed_vulkan_of(device);
    const VkSubmitInfo info = {
        .sType = VK_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    VkResult result = slot->serial ? of->api->ResetFences(of->device, 1, &slot->fence) : VK_SUCCESS;
    if (result) return hed_vulkan_check(device, result, "vkResetFences", "a stream", error);
    pthread_mutex_lock(&s->queue->lock);
    result = of->api->QueueSubmit(s->queue->queue, 1, &info, slot->fence);
    pthread_mutex_unlock(&s->queue->lock);
    if (result) return hed_vulkan_check(device, result, "vkQueueSubmit", "steps", error);
    s->follows = false;
    slot->serial = ++s->submitted;
    s->last = slot;
    return HED_OK;
}

static hed_status slot_begin(vulkan_stream *s, vulkan_slot **begun, hed_error *error)
{
    const VkCommandBufferBeginInfo info = {.sType = VK_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    hed_status status = slot_take(s, begun, error);
    if (status) return status;
    vulkan_recording *recording = &(*begun)->recording;
    recording->after_launch = recording->visible = recording->idle = false;
    VkResult result = hed_vulkan_of(s->stream->device)
                          ->api->BeginCommandBuffer((*begun)->recording.commands, &info);
    return hed_vulkan_check(s->stream->device, result, "vkBeginCommandBuffer", "a stream", error);
}

static hed_status slot_end(vulkan_stream *s, vulkan_slot *slot, hed_error *error)
{
    const hed_vk_api *api = hed_vulkan_of(s->stream->device)->api;
    hed_vulkan_record_end(api, &slot->recording);
    VkResult result = api->EndCommandBuffer(slot->recording.commands);
    hed_status status =
        hed_vulkan_check(s->stream->device, result, "vkEndCommandBuffer", "a stream", error);
    return status ? status : stream_submit(s, slot, slot->recording.commands, error);
}

/* ---- flushing ---- */

static hed_status flush_pending(vulkan_stream *s, hed_error *error)
{
    vulkan_slot *slot = NULL;
    bool idle = s->completed == s->submitted && !s->follows;
    s->pending = false;
    for (uint32_t i = 0; i < SLOTS && !slot; i++) {
        vulkan_slot *older = &s->slots[i];
        if (older->alone && (idle || !older->bare) && older->serial <= s->completed &&
            memcmp(&older->launch, &s->launch, sizeof s->launch) == 0)
            slot = older;
    }
    if (slot) return stream_submit(s, slot, slot->recording.commands, error);
    hed_status status = slot_begin(s, &slot, error);
    if (!status) {
        slot->bare = slot->recording.idle = idle;
        status = hed_vulkan_record_launch(s->stream->device, &slot->recording, &s->launch, error);
    }
    if (!status) status = slot_end(s, slot, error);
    if (status) return status;
    slot->alone = true;
    slot->launch = s->launch;
    return HED_OK;
}

static hed_status stream_flush(vulkan_stream *s, hed_error *error)
{
    if (s->pending) return flush_pending(s, error);
    if (!s->open) return HED_OK;
    vulkan_slot *slot = s->open;
    s->open = NULL;
    return slot_end(s, slot, error);
}

static hed_status stream_wait(vulkan_stream *s, hed_error *error)
{
    hed_status status = stream_flush(s, error);
    return status ? status : slot_wait(s, s->last, error);
}

/* Opens a recording with space for one more step. */
static hed_status stream_open(vulkan_stream *s, hed_error *error)
{
    bool pending = s->pending;
    s->pending = false;
    hed_status status = HED_OK;
    if (s->open && s->steps >= MOST_STEPS) status = stream_flush(s, error);
    if (status) return status;
    if (!s->open) {
        vulkan_slot *slot = NULL;
        status = slot_begin(s, &slot, error);
        if (status) return status;
        s->open = slot;
        s->steps = 0;
    }
    s->steps++;
    if (!pending) return HED_OK;
    s->steps++;
    return hed_vulkan_record_launch(s->stream->device, &s->open->recording, &s->launch, error);
}

/* ---- steps ---- */

static hed_status stream_launch(
    vulkan_stream *s, const hed_step *step, bool alone, hed_error *error)
{
    hed_device *device = s->stream->device;
    vulkan_launch launch;
    hed_error cause = {0};
    hed_status status;
    hed_vulkan_prepare(step, &launch);
    if (alone && !s->open && !s->pending) {
        s->launch = launch;
        s->pending = true;
        return HED_OK;
    }
    status = stream_open(s, error);
    if (status) return status;
    status = hed_vulkan_record_launch(device, &s->open->recording, &launch, &cause);
    if (status == HED_ERROR_LIMIT) { /* no descriptors left: the next recording has new ones */
        hed_error_clear(&cause);
        status = stream_flush(s, error);
        if (!status) status = stream_open(s, error);
        if (!status) status = hed_vulkan_record_launch(device, &s->open->recording, &launch, error);
        return status;
    }
    return status ? hed_fail(error, status, "%s", cause.text) : HED_OK;
}

/* Opens a recording with space in the staging buffer; reduces `*size` to the space available. */
static hed_status stream_stage(vulkan_stream *s, uint64_t *size, hed_error *error)
{
    hed_status status = HED_OK;
    if (!s->staging.buffer)
        status = hed_vulkan_allocate(s->stream->device, STAGING_BYTES, true, &s->staging, error);
    if (!status && s->staged == STAGING_BYTES) {
        status = stream_wait(s, error);
        s->staged = 0;
    }
    if (status) return status;
    if (*size > STAGING_BYTES - s->staged) *size = STAGING_BYTES - s->staged;
    return stream_open(s, error);
}

static void stream_copy(vulkan_stream *s, VkBuffer to, uint64_t to_offset, VkBuffer from,
    uint64_t from_offset, uint64_t size)
{
    const hed_vk_api *api = hed_vulkan_of(s->stream->device)->api;
    const VkBufferCopy copy = {from_offset, to_offset, size};
    hed_vulkan_barrier(api, &s->open->recording, false);
    api->CmdCopyBuffer(s->open->recording.commands, from, to, 1, &copy);
}

static hed_status stream_write(vulkan_stream *s, const hed_step *step, hed_error *error)
{
    const char *from = step->host_from;
    uint64_t at = step->to->offset + step->to_offset, offset;
    VkBuffer visible =
        hed_vulkan_find_visible(hed_vulkan_of(s->stream->device), from, step->size, &offset);
    hed_status status = HED_OK;
    if (visible) {
        status = stream_open(s, error);
        if (!status) stream_copy(s, step->to->handle, at, visible, offset, step->size);
        return status;
    }
    for (uint64_t done = 0, size; done < step->size && !status; done += size) {
        size = step->size - done;
        status = stream_stage(s, &size, error);
        if (status) break;
        memcpy(s->staging.host + s->staged, from + done, size);
        stream_copy(s, step->to->handle, at + done, s->staging.buffer, s->staged, size);
        /* The result is at most STAGING_BYTES, a multiple of 64. */
        s->staged = (s->staged + size + 63) / 64 * 64;
    }
    return status;
}

static hed_status stream_read(vulkan_stream *s, const hed_step *step, hed_error *error)
{
    char *to = step->host_to;
    uint64_t at = step->from->offset + step->from_offset, offset;
    VkBuffer visible =
        hed_vulkan_find_visible(hed_vulkan_of(s->stream->device), to, step->size, &offset);
    hed_status status = HED_OK;
    if (visible) {
        status = stream_open(s, error);
        if (status) return status;
        stream_copy(s, visible, offset, step->from->handle, at, step->size);
        s->open->recording.visible = true;
        return HED_OK;
    }
    for (uint64_t done = 0, size; done < step->size && !status; done += size) {
        size = step->size - done;
        status = stream_stage(s, &size, error);
        if (status) break;
        stream_copy(s, s->staging.buffer, s->staged, step->from->handle, at + done, size);
        s->open->recording.visible = true;
        uint64_t staged = s->staged;
        status = stream_wait(s, error);
        if (!status) memcpy(to + done, s->staging.host + staged, size);
    }
    return status;
}

/* Fills bytes that are not whole words, as writes from the host. */
static hed_status stream_fill_bytes(vulkan_stream *s, const hed_step *step, hed_error *error)
{
    unsigned char bytes[4096];
    hed_status status = HED_OK;
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = step->pattern[i % step->pattern_size];
    for (uint64_t done = 0; done < step->size && !status; done += sizeof bytes) {
        hed_step write = *step;
        write.host_from = bytes;
        write.to_offset = step->to_offset + done;
        write.size = step->size - done < sizeof bytes ? step->size - done : sizeof bytes;
        status = stream_write(s, &write, error);
    }
    return status;
}

static hed_status stream_step(vulkan_stream *s, const hed_step *step, bool alone, hed_error *error)
{
    hed_status status;
    switch (step->kind) {
    case HED_STEP_LAUNCH: return stream_launch(s, step, alone, error);
    case HED_STEP_WRITE: return stream_write(s, step, error);
    case HED_STEP_READ: return stream_read(s, step, error);
    case HED_STEP_CALL:
        status = stream_wait(s, error);
        if (!status) step->function(step->user);
        return status;
    default: break;
    }
    if (step->kind == HED_STEP_COPY && step->to->device != step->from->device)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "a copy between two Vulkan devices goes through the host");
    if (!hed_vulkan_is_plain(step)) return stream_fill_bytes(s, step, error);
    status = stream_open(s, error);
    if (!status) hed_vulkan_record_copy(s->stream->device, &s->open->recording, step);
    return status;
}

/* Brings the contents of images and their buffers to the side where a step needs them. */
static hed_status stream_settle_images(vulkan_stream *s, const hed_step *step, hed_error *error)
{
    vulkan_device *of = hed_vulkan_of(s->stream->device);
    hed_status status = HED_OK;
    vulkan_image *image = NULL;
    bool to_image, is_launch = step->kind == HED_STEP_LAUNCH;
    if (is_launch && ((const vulkan_program *)step->program->impl)->has_images)
        status = hed_vulkan_make_images(step, error);
    while (!status && (image = hed_vulkan_next_image_copy(of, step, &to_image))) {
        status = stream_open(s, error);
        if (!status) hed_vulkan_record_image(of->api, &s->open->recording, image, to_image);
    }
    if (!status) hed_vulkan_mark_images(of, step);
    return status;
}

/* ---- times ---- */

typedef struct vulkan_time {
    VkQueryPool queries; /* NULL: the host's clock */
    double seconds;
} vulkan_time;

hed_status hed_vulkan_time_create(hed_device *device, void **timing, hed_error *error)
{
    const vulkan_device *of = hed_vulkan_of(device);
    const VkQueryPoolCreateInfo info = {.sType = VK_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_TIMESTAMP,
        .queryCount = 2};
    vulkan_time *impl = hed_allocate(&of->driver->allocator, sizeof *impl);
    if (!impl) return HED_OUT_OF_MEMORY(error, "the time of a step");
    VkResult result = of->stamp_mask
                          ? of->api->CreateQueryPool(of->device, &info, NULL, &impl->queries)
                          : VK_SUCCESS;
    if (result) hed_release(&of->driver->allocator, impl, sizeof *impl);
    else *timing = impl;
    return hed_vulkan_check(device, result, "vkCreateQueryPool", "the time of a step", error);
}

void hed_vulkan_time_destroy(hed_device *device, void *timing)
{
    const vulkan_device *of = hed_vulkan_of(device);
    vulkan_time *time = timing;
    if (time->queries) of->api->DestroyQueryPool(of->device, time->queries, NULL);
    hed_release(&of->driver->allocator, time, sizeof *time);
}

hed_status hed_vulkan_time_read(hed_device *device, void *timing, double *seconds, hed_error *error)
{
    const vulkan_device *of = hed_vulkan_of(device);
    const vulkan_time *time = timing;
    uint64_t stamps[2] = {0, 0};
    *seconds = time->seconds;
    if (!time->queries) return HED_OK;
    VkResult result = of->api->GetQueryPoolResults(of->device, time->queries, 0, 2, sizeof stamps,
        stamps, 8, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    *seconds = (double)((stamps[1] - stamps[0]) & of->stamp_mask) * of->period;
    return hed_vulkan_check(device, result, "vkGetQueryPoolResults", "the time of a step", error);
}

static hed_status step_by_host_clock(
    vulkan_stream *s, const hed_step *step, vulkan_time *time, hed_error *error)
{
    const hed_clock *clock = &hed_vulkan_of(s->stream->device)->driver->clock;
    hed_status status = stream_wait(s, error);
    uint64_t start = clock->now(clock->user);
    if (!status) status = stream_step(s, step, true, error);
    if (!status) status = stream_wait(s, error);
    time->seconds = (double)(clock->now(clock->user) - start) * 1e-9;
    return status;
}

/* Runs a step between two time stamps. The first stamp comes after a barrier and both after all
 * earlier commands, so that their span excludes earlier work. */
static hed_status step_stamped(
    vulkan_stream *s, const hed_step *step, vulkan_time *time, hed_error *error)
{
    const hed_vk_api *api = hed_vulkan_of(s->stream->device)->api;
    hed_status status = stream_open(s, error);
    if (status) return status;
    VkCommandBuffer commands = s->open->recording.commands;
    hed_vulkan_barrier(api, &s->open->recording, false);
    api->CmdResetQueryPool(commands, time->queries, 0, 2);
    api->CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, time->queries, 0);
    status = stream_step(s, step, false, error);
    if (!status) status = stream_open(s, error); /* a read has submitted the first stamp */
    if (status) return status;
    api->CmdWriteTimestamp(
        s->open->recording.commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, time->queries, 1);
    return HED_OK;
}

hed_status hed_vulkan_step(hed_stream *stream, const hed_step *step, void *timing, hed_error *error)
{
    vulkan_stream *s = stream->impl;
    vulkan_time *time = timing;
    pthread_mutex_lock(&s->lock);
    hed_status status = stream_settle_images(s, step, error);
    if (!status)
        status = !time           ? stream_step(s, step, true, error)
                 : time->queries ? step_stamped(s, step, time, error)
                                 : step_by_host_clock(s, step, time, error);
    pthread_mutex_unlock(&s->lock);
    return status;
}

/* ---- creating and destroying ---- */

static hed_status stream_make(vulkan_stream *s, hed_error *error)
{
    hed_device *device = s->stream->device;
    const vulkan_device *of = hed_vulkan_of(device);
    const VkCommandPoolCreateInfo pool = {.sType = VK_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
        .queueFamilyIndex = of->family};
    const VkFenceCreateInfo fence = {.sType = VK_TYPE_FENCE_CREATE_INFO};
    VkCommandBuffer commands[SLOTS];
    VkResult result = of->api->CreateCommandPool(of->device, &pool, NULL, &s->pool);
    if (result) return hed_vulkan_check(device, result, "vkCreateCommandPool", "a stream", error);
    const VkCommandBufferAllocateInfo info = {.sType = VK_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = s->pool,
        .commandBufferCount = SLOTS};
    result = of->api->AllocateCommandBuffers(of->device, &info, commands);
    hed_status status =
        hed_vulkan_check(device, result, "vkAllocateCommandBuffers", "a stream", error);
    for (int i = 0; i < SLOTS && !status; i++) {
        s->slots[i].recording.commands = commands[i];
        result = of->api->CreateFence(of->device, &fence, NULL, &s->slots[i].fence);
        status = hed_vulkan_check(device, result, "vkCreateFence", "a stream", error);
        if (!status)
            status = hed_vulkan_make_pool(device, MOST_STEPS, &s->slots[i].recording.pool, error);
    }
    return status;
}

static void stream_free(vulkan_stream *s)
{
    hed_device *device = s->stream->device;
    const vulkan_device *of = hed_vulkan_of(device);
    for (int i = 0; i < SLOTS; i++) {
        const vulkan_slot *slot = &s->slots[i];
        if (slot->fence) of->api->DestroyFence(of->device, slot->fence, NULL);
        if (slot->recording.pool)
            of->api->DestroyDescriptorPool(of->device, slot->recording.pool, NULL);
    }
    if (s->pool) of->api->DestroyCommandPool(of->device, s->pool, NULL);
    hed_vulkan_free(device, &s->staging);
    pthread_mutex_destroy(&s->lock);
    pthread_mutex_destroy(&s->own.lock);
    hed_release(&of->driver->allocator, s, sizeof *s);
}

/* Chooses a queue. If the program's queue is one of the device's, the device's lock applies. */
static void stream_choose_queue(vulkan_stream *s, const hed_stream_def *def)
{
    vulkan_device *of = hed_vulkan_of(s->stream->device);
    s->queue = &of->queues[of->next_queue++ % of->queue_count];
    if (!def->use_handle) return;
    s->own.queue = def->handle;
    s->queue = &s->own;
    for (uint32_t i = 0; i < of->queue_count; i++)
        if (of->queues[i].queue == def->handle) s->queue = &of->queues[i];
}

hed_status hed_vulkan_stream_create(hed_stream *stream, hed_error *error)
{
    vulkan_device *of = hed_vulkan_of(stream->device);
    if (stream->def.use_handle && !stream->def.handle)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "hed_stream_def.use_handle with handle NULL; expected a VkQueue of the family that "
            "hed_device_handles() returns");
    vulkan_stream *impl = hed_allocate(&of->driver->allocator, sizeof *impl);
    if (!impl) return HED_OUT_OF_MEMORY(error, "a stream");
    impl->stream = stream;
    pthread_mutex_init(&impl->lock, NULL);
    pthread_mutex_init(&impl->own.lock, NULL);
    stream_choose_queue(impl, &stream->def);
    hed_status status = stream_make(impl, error);
    if (status) {
        stream_free(impl);
        return status;
    }
    stream->impl = impl;
    stream->native = impl->queue->queue;
    pthread_mutex_lock(&of->lock);
    impl->next = of->streams;
    of->streams = impl;
    pthread_mutex_unlock(&of->lock);
    return HED_OK;
}

void hed_vulkan_stream_destroy(hed_stream *stream)
{
    vulkan_device *of = hed_vulkan_of(stream->device);
    vulkan_stream *ended = stream->impl;
    hed_vulkan_settle(stream->device);
    pthread_mutex_lock(&of->lock);
    for (vulkan_stream **at = &of->streams; *at; at = &(*at)->next)
        if (*at == ended) {
            *at = ended->next;
            break;
        }
    pthread_mutex_unlock(&of->lock);
    stream_free(ended);
}

/* ---- entries of the backend's table ---- */

hed_status hed_vulkan_stream_wait(hed_stream *stream, hed_error *error)
{
    vulkan_stream *s = stream->impl;
    pthread_mutex_lock(&s->lock);
    hed_status status = stream_wait(s, error);
    pthread_mutex_unlock(&s->lock);
    return status;
}

hed_status hed_vulkan_streams_wait(hed_device *device, hed_error *error)
{
    vulkan_device *of = hed_vulkan_of(device);
    hed_status status = HED_OK;
    /* another thread that creates or destroys a stream waits meanwhile */
    pthread_mutex_lock(&of->lock);
    for (vulkan_stream *s = of->streams; s && !status; s = s->next)
        status = hed_vulkan_stream_wait(s->stream, error);
    pthread_mutex_unlock(&of->lock);
    return status;
}

void hed_vulkan_stream_follow(hed_stream *stream)
{
    vulkan_stream *s = stream->impl;
    pthread_mutex_lock(&s->lock);
    s->follows = true;
    pthread_mutex_unlock(&s->lock);
}

void hed_vulkan_settle(hed_device *device)
{
    vulkan_device *of = hed_vulkan_of(device);
    if (!hed_vulkan_streams_wait(device, NULL)) return;
    for (uint32_t i = 0; i < of->queue_count; i++) pthread_mutex_lock(&of->queues[i].lock);
    of->api->DeviceWaitIdle(of->device);
    for (uint32_t i = 0; i < of->queue_count; i++) pthread_mutex_unlock(&of->queues[i].lock);
}

hed_status hed_vulkan_stream_flush(hed_stream *stream, hed_error *error)
{
    vulkan_stream *s = stream->impl;
    pthread_mutex_lock(&s->lock);
    hed_status status = stream_flush(s, error);
    pthread_mutex_unlock(&s->lock);
    return status;
}

hed_status hed_vulkan_stream_done(hed_stream *stream, bool *done, hed_error *error)
{
    vulkan_stream *s = stream->impl;
    const vulkan_device *of = hed_vulkan_of(stream->device);
    pthread_mutex_lock(&s->lock);
    hed_status status = stream_flush(s, error);
    VkResult result = VK_SUCCESS;
    if (!status && s->last && s->last->serial > s->completed)
        result = of->api->GetFenceStatus(of->device, s->last->fence);
    *done = !status && result == VK_SUCCESS;
    if (*done && s->last) s->completed = s->last->serial, s->staged = 0;
    pthread_mutex_unlock(&s->lock);
    if (status || result == VK_NOT_READY) return status;
    return hed_vulkan_check(
        stream->device, result, "vkGetFenceStatus", "asking whether a stream is done", error);
}

hed_status hed_vulkan_submit(hed_stream *stream, VkCommandBuffer commands, hed_error *error)
{
    vulkan_stream *s = stream->impl;
    vulkan_slot *slot = NULL;
    pthread_mutex_lock(&s->lock);
    hed_status status = stream_flush(s, error);
    if (!status) status = slot_take(s, &slot, error);
    if (!status) status = stream_submit(s, slot, commands, error);
    pthread_mutex_unlock(&s->lock);
    return status;
}
