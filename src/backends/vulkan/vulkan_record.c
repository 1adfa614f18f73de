/* Steps as commands, for streams and graphs. Every step begins with a barrier, which covers all
 * work submitted to the queue before it, so that steps run one after another. */
#include "backends/vulkan/vulkan.h"

#include <string.h>

enum { LONGEST_UPDATE = 1024 }; /* bytes of a pattern that are written at once: whole words */

/* Records a barrier. Between two launches, where the barrier's cost matters, it covers the shader
 * stage alone. */
void hed_vulkan_barrier(const hed_vk_api *api, vulkan_recording *to, bool launch)
{
    bool between = launch && to->after_launch, idle = to->idle;
    to->idle = false;
    to->after_launch = launch;
    if (idle) return;
    const VkFlags work_stages =
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    const VkFlags reads = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_UNIFORM_READ_BIT;
    const VkMemoryBarrier barrier = {.sType = VK_TYPE_MEMORY_BARRIER,
        .srcAccessMask = between ? VK_ACCESS_SHADER_WRITE_BIT : VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = between ? reads | VK_ACCESS_SHADER_WRITE_BIT
                                 : VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
    VkFlags stages = between ? VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT : work_stages;
    api->CmdPipelineBarrier(to->commands, stages, stages, 0, 1, &barrier, 0, NULL, 0, NULL);
}

/* Ends a recording: makes written memory visible to the host, if the host sees it. */
void hed_vulkan_record_end(const hed_vk_api *api, vulkan_recording *to)
{
    const VkMemoryBarrier barrier = {.sType = VK_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    if (to->visible)
        api->CmdPipelineBarrier(to->commands,
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
            VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
    to->visible = to->after_launch = false;
}

/* ---- launches ---- */

hed_status hed_vulkan_make_pool(
    hed_device *device, uint32_t sets, VkDescriptorPool *pool, hed_error *error)
{
    const vulkan_device *of = hed_vulkan_of(device);
    const VkDescriptorPoolSize sizes[2] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 8 * sets + 32},
        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 2 * sets + 32}};
    const VkDescriptorPoolCreateInfo info = {.sType = VK_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = sets,
        .poolSizeCount = 2,
        .pPoolSizes = sizes};
    VkResult result = of->api->CreateDescriptorPool(of->device, &info, NULL, pool);
    return hed_vulkan_check(device, result, "vkCreateDescriptorPool", "a stream", error);
}

void hed_vulkan_prepare(const hed_step *step, vulkan_launch *launch)
{
    const vulkan_program *program = step->program->impl;
    memset(launch, 0, sizeof *launch);
    launch->program = program;
    launch->serial = program->serial;
    for (int i = 0; i < 3; i++)
        launch->groups[i] = (uint32_t)(step->geometry.global[i] / step->geometry.group[i]);
    for (uint32_t i = 0; i < program->binding_count; i++) {
        const hed_buffer *buffer = step->arguments[program->bindings[i].argument].value.buffer;
        launch->infos[i] = (VkDescriptorBufferInfo){buffer->handle, buffer->offset, buffer->size};
        launch->serials[i] = ((const vulkan_buffer *)buffer->impl)->serial;
        if (buffer->host) launch->visible = 1;
    }
    for (uint32_t i = 0; i < step->program->def->argument_count; i++) {
        const hed_argument *argument = &step->arguments[i];
        if (!program->pushes[i].used) continue;
        memcpy(launch->push + program->pushes[i].offset,
            argument->kind == HED_STRUCT ? argument->value.bytes : &argument->value,
            program->pushes[i].size);
    }
}

static VkResult record_descriptors(const vulkan_device *of, const vulkan_recording *to,
    const vulkan_launch *launch, VkDescriptorSet *set)
{
    const vulkan_program *program = launch->program;
    VkWriteDescriptorSet writes[HED_SHADER_BINDINGS];
    const VkDescriptorSetAllocateInfo info = {.sType = VK_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = to->pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &program->set_layout};
    VkResult result = of->api->AllocateDescriptorSets(of->device, &info, set);
    if (result) return result;
    for (uint32_t i = 0; i < program->binding_count; i++)
        writes[i] = (VkWriteDescriptorSet){.sType = VK_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = *set,
            .dstBinding = program->bindings[i].binding,
            .descriptorCount = 1,
            .descriptorType = hed_vulkan_descriptor(&program->bindings[i]),
            .pBufferInfo = &launch->infos[i]};
    of->api->UpdateDescriptorSets(of->device, program->binding_count, writes, 0, NULL);
    return VK_SUCCESS;
}

hed_status hed_vulkan_record_launch(
    hed_device *device, vulkan_recording *to, const vulkan_launch *launch, hed_error *error)
{
    const vulkan_device *of = hed_vulkan_of(device);
    const hed_vk_api *api = of->api;
    const vulkan_program *program = launch->program;
    VkDescriptorSet set = NULL;
    if (program->binding_count) {
        VkResult result = record_descriptors(of, to, launch, &set);
        if (result == VK_ERROR_FRAGMENTED_POOL) result = VK_ERROR_OUT_OF_POOL_MEMORY;
        if (result)
            return hed_vulkan_check(device, result, "vkAllocateDescriptorSets", "a launch", error);
    }
    hed_vulkan_barrier(api, to, true);
    api->CmdBindPipeline(to->commands, VK_PIPELINE_BIND_POINT_COMPUTE, program->pipeline);
    if (set)
        api->CmdBindDescriptorSets(
            to->commands, VK_PIPELINE_BIND_POINT_COMPUTE, program->layout, 0, 1, &set, 0, NULL);
    if (program->push_bytes)
        api->CmdPushConstants(to->commands, program->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
            program->push_bytes, launch->push);
    api->CmdDispatch(to->commands, launch->groups[0], launch->groups[1], launch->groups[2]);
    to->visible = to->visible || launch->visible;
    return HED_OK;
}

/* ---- copies and fills ---- */

bool hed_vulkan_is_plain(const hed_step *step)
{
    if (step->kind == HED_STEP_LAUNCH) return true;
    if (step->kind == HED_STEP_COPY) return step->to->device == step->from->device;
    return step->kind == HED_STEP_FILL && (step->to->offset + step->to_offset) % 4 == 0 &&
           step->size % 4 == 0;
}

/* Fills with a pattern longer than a word: writes it once, then doubles the filled range by
 * copies. */
static void record_pattern(const hed_vk_api *api, vulkan_recording *to, const hed_step *step)
{
    unsigned char bytes[LONGEST_UPDATE];
    VkBuffer buffer = step->to->handle;
    uint64_t start = step->to->offset + step->to_offset;
    uint64_t done = step->size < sizeof bytes ? step->size : sizeof bytes;
    for (uint64_t i = 0; i < done; i++) bytes[i] = step->pattern[i % step->pattern_size];
    api->CmdUpdateBuffer(to->commands, buffer, start, done, bytes);
    while (done < step->size) {
        uint64_t size = step->size - done < done ? step->size - done : done;
        const VkBufferCopy copy = {start, start + done, size};
        hed_vulkan_barrier(api, to, false);
        api->CmdCopyBuffer(to->commands, buffer, buffer, 1, &copy);
        done += size;
    }
}

void hed_vulkan_record_copy(const hed_device *device, vulkan_recording *to, const hed_step *step)
{
    const hed_vk_api *api = hed_vulkan_of(device)->api;
    hed_vulkan_barrier(api, to, false);
    to->visible = to->visible || step->to->host;
    if (step->kind == HED_STEP_COPY) {
        const VkBufferCopy copy = {
            step->from->offset + step->from_offset, step->to->offset + step->to_offset, step->size};
        api->CmdCopyBuffer(to->commands, step->from->handle, step->to->handle, 1, &copy);
        return;
    }
    uint32_t word;
    unsigned char bytes[4];
    if (step->pattern_size > 4) {
        record_pattern(api, to, step);
        return;
    }
    for (uint32_t i = 0; i < 4; i++) bytes[i] = step->pattern[i % step->pattern_size];
    memcpy(&word, bytes, sizeof word);
    api->CmdFillBuffer(
        to->commands, step->to->handle, step->to->offset + step->to_offset, step->size, word);
}
