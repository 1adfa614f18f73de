/* Recording: follows modules, pipelines and buffers, and copies the buffers of a dispatch before it runs. A dispatch is recorded if its pipeline has none with these counts of
 * groups yet, LAYER_KINDS at most. */
#include "layer/layer.h"

#include <stdlib.h>
#include <string.h>

static const VkDeviceSize most_bytes = (VkDeviceSize)512 << 20; /* of all copies together */
static _Atomic VkDeviceSize copied_bytes;

/* ---- modules, pipelines, buffers ---- */

static VkResult create_module(VkDevice device, const VkShaderModuleCreateInfo *info,
    const void *allocator, VkShaderModule *made)
{
    VkResult result =
        layer_device_of(device)->next.CreateShaderModule(device, info, allocator, made);
    layer_module *module = result ? NULL : layer_put(&layer_modules, *made, sizeof *module);
    if (!module) return result;
    module->words = malloc(info->codeSize);
    if (!module->words) return result;
    memcpy(module->words, info->pCode, info->codeSize);
    module->size = info->codeSize;
    return result;
}

static void destroy_module(VkDevice device, VkShaderModule module, const void *allocator)
{
    layer_module *freed = layer_get(&layer_modules, module);
    if (freed) {
        free(freed->words);
        freed->words = NULL;
    }
    layer_device_of(device)->next.DestroyShaderModule(device, module, allocator);
}

static uint64_t hash_of(const void *bytes, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Returns the record of a text with its constants, which all its pipelines share; NULL: memory ran
 * out. Records live as long as the program: shots refer to them. */
static layer_pipeline *find_record(uint32_t *words, size_t size, const char *entry)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static layer_pipeline *first;
    uint64_t hash = hash_of(words, size);
    pthread_mutex_lock(&lock);
    layer_pipeline *at = first;
    while (at && (at->hash != hash || strcmp(at->entry, entry) != 0)) at = at->next;
    if (at) free(words);
    else if ((at = calloc(1, sizeof *at))) {
        *at = (layer_pipeline){.next = first, .words = words, .size = size, .hash = hash};
        strncpy(at->entry, entry, sizeof at->entry - 1);
        first = at;
    }
    pthread_mutex_unlock(&lock);
    return at;
}

static void keep_pipeline(VkPipeline made, const VkComputePipelineCreateInfo *info)
{
    const layer_module *module = layer_get(&layer_modules, info->stage.module);
    layer_pipeline **of = layer_put(&layer_pipelines, made, sizeof *of);
    uint32_t *words = of && module && module->words
                          ? layer_specialize(module, info->stage.pSpecializationInfo)
                          : NULL;
    if (words) *of = find_record(words, module->size, info->stage.pName);
}

static VkResult create_pipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
    const VkComputePipelineCreateInfo *infos, const void *allocator, VkPipeline *made)
{
    VkResult result = layer_device_of(device)->next.CreateComputePipelines(
        device, cache, count, infos, allocator, made);
    for (uint32_t i = 0; i < count && !result; i++) keep_pipeline(made[i], &infos[i]);
    return result;
}

static VkResult create_buffer(
    VkDevice device, const VkBufferCreateInfo *info, const void *allocator, VkBuffer *made)
{
    VkBufferCreateInfo copied = *info;
    copied.usage |= VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
    VkResult result = layer_device_of(device)->next.CreateBuffer(device, &copied, allocator, made);
    layer_buffer *buffer = result ? NULL : layer_put(&layer_buffers, *made, sizeof *buffer);
    if (buffer) *buffer = (layer_buffer){info->size, info->usage};
    return result;
}

/* ---- commands ---- */

/* Frees recorded dispatches whose command buffer is not in use any more. */
static void free_shots(layer_device *of, layer_shot *shots)
{
    while (shots) {
        layer_shot *shot = shots;
        shots = shot->next;
        for (uint32_t i = 0; i < shot->content_count; i++) {
            of->next.DestroyBuffer(of->device, shot->contents[i].copy, NULL);
            of->next.FreeMemory(of->device, shot->contents[i].memory, NULL);
            copied_bytes -= shot->contents[i].size;
        }
        free(shot);
    }
}

static VkResult begin_commands(VkCommandBuffer commands, const VkCommandBufferBeginInfo *info)
{
    layer_device *of = layer_device_of(commands);
    layer_commands *state = layer_get(&layer_command_buffers, commands);
    if (state) {
        layer_write_pending(of);
        free_shots(of, state->shots);
        free_shots(of, state->written);
        memset(state, 0, sizeof *state);
    } else layer_put(&layer_command_buffers, commands, sizeof *state);
    return of->next.BeginCommandBuffer(commands, info);
}

static void bind_pipeline(VkCommandBuffer commands, int32_t point, VkPipeline pipeline)
{
    layer_commands *state = layer_get(&layer_command_buffers, commands);
    layer_pipeline **of = layer_get(&layer_pipelines, pipeline);
    if (state && point == VK_PIPELINE_BIND_POINT_COMPUTE) state->pipeline = of ? *of : NULL;
    layer_device_of(commands)->next.CmdBindPipeline(commands, point, pipeline);
}

static void push_constants(VkCommandBuffer commands, VkPipelineLayout layout, VkFlags stages,
    uint32_t offset, uint32_t size, const void *values)
{
    layer_commands *state = layer_get(&layer_command_buffers, commands);
    bool fits = offset <= LAYER_PUSH_BYTES && size <= LAYER_PUSH_BYTES - offset;
    if (state && fits && (stages & VK_SHADER_STAGE_COMPUTE_BIT))
        memcpy(state->push + offset, values, size);
    layer_device_of(commands)->next.CmdPushConstants(
        commands, layout, stages, offset, size, values);
}

/* ---- dispatches ---- */

/* Creates a buffer that the host reads. */
static bool make_copy(layer_device *of, layer_content *content)
{
    const VkBufferCreateInfo info = {.sType = VK_TYPE_BUFFER_CREATE_INFO,
        .size = content->size,
        .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    const VkFlags visible = VK_MEMORY_HOST_VISIBLE_BIT | VK_MEMORY_HOST_COHERENT_BIT;
    VkMemoryRequirements needed;
    if (of->next.CreateBuffer(of->device, &info, NULL, &content->copy)) return false;
    of->next.GetBufferMemoryRequirements(of->device, content->copy, &needed);
    uint32_t type = 0;
    while (type < of->memory.memoryTypeCount &&
           !(needed.memoryTypeBits >> type & 1 &&
               (of->memory.memoryTypes[type].propertyFlags & visible) == visible))
        type++;
    const VkMemoryAllocateInfo memory = {.sType = VK_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize = needed.size,
        .memoryTypeIndex = type};
    return type < of->memory.memoryTypeCount &&
           !of->next.AllocateMemory(of->device, &memory, NULL, &content->memory) &&
           !of->next.BindBufferMemory(of->device, content->copy, content->memory, 0);
}

/* Lists the buffers of a dispatch; false, with a reason: it cannot be recorded. */
static bool list_contents(const layer_commands *state, layer_shot *shot, const char **reason)
{
    VkDeviceSize bytes = 0;
    for (uint32_t i = 0; i < LAYER_SETS; i++)
        for (uint32_t j = 0; state->has_set[i] && j < state->sets[i].count; j++) {
            const layer_binding *binding = &state->sets[i].bindings[j];
            const layer_buffer *buffer = layer_get(&layer_buffers, binding->info.buffer);
            *reason = state->sets[i].is_partial || shot->content_count == LAYER_SETS * 4
                          ? "it has too many bindings"
                      : !layer_is_buffer_type(binding->type) ? "it has images, samplers or texel buffers"
                      : binding->count > 1             ? "it has an array of buffers"
                      : !buffer ? "a buffer is not known"
                                : NULL;
            if (*reason) return false;
            bool is_whole = binding->info.range == VK_WHOLE_SIZE;
            VkDeviceSize size =
                is_whole ? buffer->size - binding->info.offset : binding->info.range;
            shot->contents[shot->content_count++] =
                (layer_content){.set = i, .binding = binding->binding, .size = size};
            bytes += size;
        }
    *reason = copied_bytes + bytes > most_bytes ? "its buffers are over 512 MiB with the others" : NULL;
    if (!*reason) copied_bytes += bytes;
    return !*reason;
}

/* Copies the buffers of a dispatch, between barriers. */
static bool copy_contents(
    layer_device *of, VkCommandBuffer commands, const layer_commands *state, layer_shot *shot)
{
    const VkFlags all = 0x10000,
                  everything = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    const VkMemoryBarrier barrier = {.sType = VK_TYPE_MEMORY_BARRIER,
        .srcAccessMask = everything,
        .dstAccessMask = everything | VK_ACCESS_HOST_READ_BIT};
    for (uint32_t i = 0; i < shot->content_count; i++)
        if (!make_copy(of, &shot->contents[i])) return false;
    of->next.CmdPipelineBarrier(commands, all, all, 0, 1, &barrier, 0, NULL, 0, NULL);
    for (uint32_t i = 0; i < shot->content_count; i++) {
        const layer_content *content = &shot->contents[i];
        const layer_set *set = &state->sets[content->set];
        uint32_t j = 0;
        while (set->bindings[j].binding != content->binding) j++;
        const VkBufferCopy copy = {set->bindings[j].info.offset, 0, content->size};
        of->next.CmdCopyBuffer(commands, set->bindings[j].info.buffer, content->copy, 1, &copy);
    }
    of->next.CmdPipelineBarrier(commands, all | VK_PIPELINE_STAGE_HOST_BIT,
        all | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
    return true;
}

/* Returns true if a dispatch with these counts is to be recorded. */
static bool is_new(layer_pipeline *pipeline, const uint32_t counts[3])
{
    pipeline->dispatches++;
    for (uint32_t i = 0; i < pipeline->kinds; i++)
        if (memcmp(pipeline->counts[i], counts, sizeof pipeline->counts[i]) == 0) return false;
    if (pipeline->kinds == LAYER_KINDS) return false;
    memcpy(pipeline->counts[pipeline->kinds++], counts, sizeof pipeline->counts[0]);
    return true;
}

static void dispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z)
{
    layer_device *of = layer_device_of(commands);
    layer_commands *state = layer_get(&layer_command_buffers, commands);
    const uint32_t counts[3] = {x, y, z};
    const char *reason = NULL;
    layer_shot *shot = state && state->pipeline && is_new(state->pipeline, counts)
                           ? calloc(1, sizeof *shot)
                           : NULL;
    if (shot && list_contents(state, shot, &reason)) {
        memcpy(shot->counts, counts, sizeof counts);
        memcpy(shot->push, state->push, sizeof shot->push);
        shot->pipeline = state->pipeline;
        shot->commands = state;
        if (copy_contents(of, commands, state, shot)) {
            shot->next = state->shots;
            state->shots = shot;
            shot = NULL;
        } else reason = "there is no memory for copies of its buffers";
    }
    if (reason)
        layer_report("%s (%016llx), %u x %u x %u groups: not recorded, since %s",
            state->pipeline->entry, (unsigned long long)state->pipeline->hash, x, y, z, reason);
    free(shot);
    of->next.CmdDispatch(commands, x, y, z);
}

/* ---- submitting ---- */

void layer_write_pending(layer_device *of)
{
    if (!of->pending || of->next.DeviceWaitIdle(of->device)) return;
    while (of->pending) {
        layer_shot *shot = of->pending;
        void *bytes[LAYER_SETS * 4] = {0};
        of->pending = shot->next;
        for (uint32_t i = 0; i < shot->content_count; i++)
            of->next.MapMemory(
                of->device, shot->contents[i].memory, 0, VK_WHOLE_SIZE, 0, &bytes[i]);
        layer_write(shot, bytes);
        shot->next = shot->commands->written; /* the commands may be submitted again */
        shot->commands->written = shot;
    }
}

/* Moves the recorded dispatches of a submitted command buffer to the device's list. */
static void take_shots(layer_device *of, VkCommandBuffer commands)
{
    layer_commands *state = layer_get(&layer_command_buffers, commands);
    while (state && state->shots) {
        layer_shot *shot = state->shots;
        state->shots = shot->next;
        shot->next = of->pending;
        of->pending = shot;
    }
}

/* A submission that waits for a semaphore may have to wait for a later one: its dispatches are written
 * when the device is idle, or destroyed. */
static VkResult submit(VkQueue queue, uint32_t count, const VkSubmitInfo *infos, VkFence fence)
{
    layer_device *of = layer_device_of(queue);
    bool waits = false;
    VkResult result = of->next.QueueSubmit(queue, count, infos, fence);
    for (uint32_t i = 0; i < count && !result; i++) {
        waits = waits || infos[i].waitSemaphoreCount;
        for (uint32_t j = 0; j < infos[i].commandBufferCount; j++)
            take_shots(of, infos[i].pCommandBuffers[j]);
    }
    if (!waits && !result) layer_write_pending(of);
    return result;
}

/* vkQueueSubmit2 of Vulkan 1.3 and of the extension before it. */
typedef struct command_info {
    int32_t type;
    const void *next;
    VkCommandBuffer commands;
    uint32_t mask;
} command_info;
typedef struct submit_info {
    int32_t type;
    const void *next;
    VkFlags flags;
    uint32_t wait_count;
    const void *waits;
    uint32_t command_count;
    const command_info *commands;
    uint32_t signal_count;
    const void *signals;
} submit_info;

static VkResult submit_2(VkQueue queue, uint32_t count, const submit_info *infos, VkFence fence)
{
    layer_device *of = layer_device_of(queue);
    bool waits = false;
    VkResult result = of->extra.submit_2(queue, count, infos, fence);
    for (uint32_t i = 0; i < count && !result; i++) {
        waits = waits || infos[i].wait_count;
        for (uint32_t j = 0; j < infos[i].command_count; j++)
            take_shots(of, infos[i].commands[j].commands);
    }
    if (!waits && !result) layer_write_pending(of);
    return result;
}

static VkResult wait_idle(VkDevice device)
{
    layer_device *of = layer_device_of(device);
    VkResult result = of->next.DeviceWaitIdle(device);
    if (!result) layer_write_pending(of);
    return result;
}

static void destroy_device(VkDevice device, const void *allocator)
{
    layer_device *of = layer_device_of(device);
    layer_write_pending(of);
    of->next.DestroyDevice(device, allocator);
}

layer_function layer_record_function(const char *name)
{
    static const struct {
        const char *name;
        layer_function function;
    } own[] = {{"vkCreateShaderModule", (layer_function)create_module},
        {"vkDestroyShaderModule", (layer_function)destroy_module},
        {"vkCreateComputePipelines", (layer_function)create_pipelines},
        {"vkCreateBuffer", (layer_function)create_buffer},
        {"vkBeginCommandBuffer", (layer_function)begin_commands},
        {"vkCmdBindPipeline", (layer_function)bind_pipeline},
        {"vkCmdPushConstants", (layer_function)push_constants},
        {"vkCmdDispatch", (layer_function)dispatch}, {"vkQueueSubmit", (layer_function)submit},
        {"vkQueueSubmit2", (layer_function)submit_2},
        {"vkQueueSubmit2KHR", (layer_function)submit_2},
        {"vkDeviceWaitIdle", (layer_function)wait_idle},
        {"vkDestroyDevice", (layer_function)destroy_device}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(name, own[i].name) == 0) return own[i].function;
    return layer_set_function(name);
}
