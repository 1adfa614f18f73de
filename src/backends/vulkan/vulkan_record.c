/* Steps as commands, for streams and graphs. Every step begins with a barrier, which covers all
 * work submitted to the queue before it, so that steps run one after another. */
#include "backends/vulkan/vulkan.h"

#include <string.h>

#include "shader/image_format.h"

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
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 8 * sets + 32},
        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 2 * sets + 32},
        {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 2 * sets + 32},
        {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 2 * sets + 32},
        {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 2 * sets + 32},
        {VK_DESCRIPTOR_TYPE_SAMPLER, 2 * sets + 32}};
    const VkDescriptorPoolCreateInfo info = {.sType = VK_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = sets,
        .poolSizeCount = sizeof sizes / sizeof *sizes,
        .pPoolSizes = sizes};
    VkResult result = of->api->CreateDescriptorPool(of->device, &info, NULL, pool);
    return hed_vulkan_check(device, result, "vkCreateDescriptorPool", "a stream", error);
}

static void prepare_image(const vulkan_image *image, const hed_shader_bound *bound,
    const VkSampler samplers[2], VkDescriptorImageInfo *info)
{
    bool is_linear = image->features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
    if (bound->resource == HED_SHADER_SAMPLED) info->sampler = samplers[is_linear];
    info->imageView = image->view;
    info->imageLayout = VK_IMAGE_LAYOUT_GENERAL;
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
        const hed_shader_bound *bound = &program->bindings[i];
        const VkSampler *samplers = hed_vulkan_of(step->program->device)->samplers;
        if (bound->resource == HED_SHADER_SAMPLER) {
            launch->infos[i].image.sampler = samplers[VK_FILTER_LINEAR];
            continue;
        }
        const hed_buffer *buffer = step->arguments[bound->argument].value.buffer;
        const vulkan_buffer *impl = buffer->impl;
        if (bound->resource) {
            const vulkan_image *image =
                hed_vulkan_image_of(hed_vulkan_of(step->program->device), step, bound);
            prepare_image(image, bound, samplers, &launch->infos[i].image);
            launch->serials[i] = image->serial;
            continue;
        }
        launch->infos[i].buffer =
            (VkDescriptorBufferInfo){buffer->handle, buffer->offset, buffer->size};
        launch->serials[i] = impl->serial;
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
    const vulkan_launch *launch, VkDescriptorSet sets[VULKAN_SETS])
{
    const vulkan_program *program = launch->program;
    VkWriteDescriptorSet writes[HED_SHADER_BINDINGS];
    const VkDescriptorSetAllocateInfo info = {.sType = VK_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = to->pool,
        .descriptorSetCount = program->set_count,
        .pSetLayouts = program->set_layouts};
    VkResult result = of->api->AllocateDescriptorSets(of->device, &info, sets);
    if (result) return result;
    for (uint32_t i = 0; i < program->binding_count; i++)
        writes[i] = (VkWriteDescriptorSet){.sType = VK_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = sets[program->bindings[i].set],
            .dstBinding = program->bindings[i].binding,
            .descriptorCount = 1,
            .descriptorType = hed_vulkan_descriptor(&program->bindings[i]),
            .pImageInfo = &launch->infos[i].image,
            .pBufferInfo = &launch->infos[i].buffer};
    of->api->UpdateDescriptorSets(of->device, program->binding_count, writes, 0, NULL);
    return VK_SUCCESS;
}

hed_status hed_vulkan_record_launch(
    hed_device *device, vulkan_recording *to, const vulkan_launch *launch, hed_error *error)
{
    const vulkan_device *of = hed_vulkan_of(device);
    const hed_vk_api *api = of->api;
    const vulkan_program *program = launch->program;
    VkDescriptorSet sets[VULKAN_SETS];
    if (program->set_count) {
        VkResult result = record_descriptors(of, to, launch, sets);
        if (result == VK_ERROR_FRAGMENTED_POOL) result = VK_ERROR_OUT_OF_POOL_MEMORY;
        if (result)
            return hed_vulkan_check(device, result, "vkAllocateDescriptorSets", "a launch", error);
    }
    hed_vulkan_barrier(api, to, true);
    api->CmdBindPipeline(to->commands, VK_PIPELINE_BIND_POINT_COMPUTE, program->pipeline);
    if (program->set_count)
        api->CmdBindDescriptorSets(to->commands, VK_PIPELINE_BIND_POINT_COMPUTE, program->layout, 0,
            program->set_count, sets, 0, NULL);
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
    if (step->kind == HED_STEP_LAUNCH)
        return !((const vulkan_program *)step->program->impl)->has_images;
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

/* ---- images ---- */

void hed_vulkan_record_image(
    const hed_vk_api *api, vulkan_recording *to, vulkan_image *image, bool to_image)
{
    const hed_texels *of = &image->content.of;
    bool is_deep = of->shape == HED_IMAGE_3D;
    VkBuffer buffer = image->content.owner->handle;
    const VkBufferImageCopy region = {.bufferOffset = image->content.owner->offset,
        .bufferRowLength = of->row_bytes / hed_image_properties_of(of->format)->bytes,
        .bufferImageHeight = of->height,
        .aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
        .layerCount = is_deep ? 1 : of->layers,
        .imageExtent = {of->width, of->height, is_deep ? of->layers : 1}};
    hed_vulkan_barrier(api, to, false);
    if (!image->is_laid_out) { /* the content of a new image is undefined until it has a layout */
        const VkImageMemoryBarrier barrier = {.sType = VK_TYPE_IMAGE_MEMORY_BARRIER,
            .dstAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
            .newLayout = VK_IMAGE_LAYOUT_GENERAL,
            .srcQueueFamilyIndex = ~0u,
            .dstQueueFamilyIndex = ~0u,
            .image = image->image,
            .subresourceRange = hed_vulkan_image_range(of)};
        api->CmdPipelineBarrier(to->commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
            VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
        image->is_laid_out = true;
    }
    if (to_image)
        api->CmdCopyBufferToImage(
            to->commands, buffer, image->image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    else
        api->CmdCopyImageToBuffer(
            to->commands, image->image, VK_IMAGE_LAYOUT_GENERAL, buffer, 1, &region);
}
