/* Images of shaders. An image argument is a buffer for the program: the driver's image, in the
 * driver's own tiling, is created at the first launch. Contents move between the two when the other
 * one is needed, never during a launch, so that the time of a launch has no copies in it. All images
 * have the layout GENERAL. */
#include "backends/vulkan/vulkan.h"

#include <string.h>

#include "shader/image_format.h"

/* ---- samplers ---- */

static hed_status image_make_samplers(hed_device *device, hed_error *error)
{
    vulkan_device *of = hed_vulkan_of(device);
    VkResult result = VK_SUCCESS;
    pthread_mutex_lock(&of->image_lock);
    for (int32_t filter = 0; filter <= VK_FILTER_LINEAR && !result; filter++) {
        const VkSamplerCreateInfo info = {.sType = VK_TYPE_SAMPLER_CREATE_INFO,
            .magFilter = filter,
            .minFilter = filter,
            .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
            .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
            .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE};
        if (!of->samplers[filter])
            result = of->api->CreateSampler(of->device, &info, NULL, &of->samplers[filter]);
    }
    pthread_mutex_unlock(&of->image_lock);
    return hed_vulkan_check(device, result, "vkCreateSampler", "a launch", error);
}

/* ---- creating ---- */

VkImageSubresourceRange hed_vulkan_image_range(const hed_texels *image)
{
    return (VkImageSubresourceRange){.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
        .levelCount = 1,
        .layerCount = image->shape == HED_IMAGE_3D ? 1 : image->layers};
}

static VkResult image_create(vulkan_device *of, vulkan_image *image)
{
    enum { TYPE_1D, TYPE_2D, TYPE_3D };
    static const int32_t views[HED_IMAGE_SHAPES] = {0, 1, 5, 2, 3, 6}; /* VkImageViewType */
    const hed_texels *shape = &image->content.of;
    bool is_cube = shape->shape >= HED_IMAGE_CUBE, is_deep = shape->shape == HED_IMAGE_3D;
    int32_t format = hed_image_properties_of(shape->format)->vulkan;
    VkFlags usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    if (image->features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) usage |= VK_IMAGE_USAGE_SAMPLED_BIT;
    if (image->features & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT) usage |= VK_IMAGE_USAGE_STORAGE_BIT;
    const VkImageCreateInfo info = {.sType = VK_TYPE_IMAGE_CREATE_INFO,
        .flags = is_cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
        .imageType = shape->shape == HED_IMAGE_1D ? TYPE_1D : is_deep ? TYPE_3D : TYPE_2D,
        .format = format,
        .width = shape->width,
        .height = shape->height,
        .depth = is_deep ? shape->layers : 1,
        .mipLevels = 1,
        .arrayLayers = is_deep ? 1 : shape->layers,
        .samples = 1,
        .usage = usage};
    VkMemoryRequirements needed;
    VkResult result = of->api->CreateImage(of->device, &info, NULL, &image->image);
    if (result) return result;
    of->api->GetImageMemoryRequirements(of->device, image->image, &needed);
    result = hed_vulkan_allocate_image(of, &needed, &image->memory);
    if (!result) result = of->api->BindImageMemory(of->device, image->image, image->memory, 0);
    if (result) return result;
    const VkImageViewCreateInfo view = {.sType = VK_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = image->image,
        .viewType = views[shape->shape],
        .format = format,
        .subresourceRange = hed_vulkan_image_range(shape)};
    return of->api->CreateImageView(of->device, &view, NULL, &image->view);
}

static void image_free(const vulkan_device *of, vulkan_image *freed)
{
    if (freed->view) of->api->DestroyImageView(of->device, freed->view, NULL);
    if (freed->image) of->api->DestroyImage(of->device, freed->image, NULL);
    if (freed->memory) of->api->FreeMemory(of->device, freed->memory, NULL);
    hed_release(&of->driver->allocator, freed, sizeof *freed);
}

void hed_vulkan_free_images(hed_buffer *buffer)
{
    vulkan_device *of = hed_vulkan_of(buffer->device);
    pthread_mutex_lock(&of->image_lock);
    for (hed_image_content *removed; (removed = hed_image_remove(&of->images, buffer));)
        image_free(of, (vulkan_image *)removed);
    pthread_mutex_unlock(&of->image_lock);
}

static hed_status image_make(const hed_step *step, const hed_shader_bound *bound, hed_error *error)
{
    hed_device *device = step->program->device;
    vulkan_device *of = hed_vulkan_of(device);
    const hed_argument_def *argument = &step->program->def->arguments[bound->argument];
    VkFormatProperties format = {0};
    VkFlags needed = bound->resource == HED_SHADER_STORAGE_IMAGE
                         ? VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT
                         : VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT;
    if (hed_vulkan_image_of(of, step, bound)) return HED_OK;
    of->api->GetPhysicalDeviceFormatProperties(
        of->physical, hed_image_properties_of(argument->image.format)->vulkan, &format);
    hed_status status =
        hed_image_check(step, bound, (format.optimalTilingFeatures & needed) != 0, error);
    if (!status) status = image_make_samplers(device, error);
    if (status) return status;
    vulkan_image *image = hed_allocate(&of->driver->allocator, sizeof *image);
    if (!image) return HED_OUT_OF_MEMORY(error, "an image");
    *image = (vulkan_image){.features = format.optimalTilingFeatures,
        .serial = hed_vulkan_serial(of),
        .content = {.owner = step->arguments[bound->argument].value.buffer,
            .size = hed_texels_bytes(&argument->image)}};
    memcpy(&image->content.of, &argument->image, sizeof argument->image);
    VkResult result = image_create(of, image);
    if (result) {
        image_free(of, image);
        return hed_vulkan_check(device, result, "vkCreateImage", argument->name, error);
    }
    pthread_mutex_lock(&of->image_lock);
    image->content.next = of->images;
    of->images = &image->content;
    pthread_mutex_unlock(&of->image_lock);
    return HED_OK;
}

hed_status hed_vulkan_make_images(const hed_step *step, hed_error *error)
{
    const vulkan_program *program = step->program->impl;
    hed_status status = HED_OK;
    for (uint32_t i = 0; i < program->binding_count && !status; i++)
        if (program->bindings[i].resource == HED_SHADER_SAMPLER)
            status = image_make_samplers(step->program->device, error);
        else if (program->bindings[i].resource)
            status = image_make(step, &program->bindings[i], error);
    return status;
}

/* ---- contents ---- */

static hed_image_step image_step_of(const hed_step *step)
{
    const vulkan_program *program =
        step->kind == HED_STEP_LAUNCH ? step->program->impl : &(const vulkan_program){0};
    return (hed_image_step){step, program->bindings, program->binding_count};
}

vulkan_image *hed_vulkan_image_of(
    vulkan_device *of, const hed_step *step, const hed_shader_bound *bound)
{
    pthread_mutex_lock(&of->image_lock);
    hed_image_content *found = hed_image_find(of->images, step, bound);
    pthread_mutex_unlock(&of->image_lock);
    return (vulkan_image *)found;
}

vulkan_image *hed_vulkan_next_image_copy(vulkan_device *of, const hed_step *step, bool *to_image)
{
    const hed_image_step about = image_step_of(step);
    pthread_mutex_lock(&of->image_lock);
    hed_image_content *found = hed_image_next_copy(of->images, &about, to_image);
    pthread_mutex_unlock(&of->image_lock);
    return (vulkan_image *)found;
}

void hed_vulkan_mark_images(vulkan_device *of, const hed_step *step)
{
    const hed_image_step about = image_step_of(step);
    pthread_mutex_lock(&of->image_lock);
    hed_image_mark(of->images, &about);
    pthread_mutex_unlock(&of->image_lock);
}
