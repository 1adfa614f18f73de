/* Memory of a device: the type for a purpose, allocation, binding to a buffer. */
#include "backends/vulkan/vulkan.h"

/* Finds the first memory type that is allowed and has all `flags`; VK_MAX_MEMORY_TYPES: not found.
 * Drivers list faster types first. */
static uint32_t memory_type(
    const VkPhysicalDeviceMemoryProperties *memory, uint32_t allowed, VkFlags flags)
{
    uint32_t type = 0;
    while (type < memory->memoryTypeCount &&
           !(allowed >> type & 1 && (memory->memoryTypes[type].propertyFlags & flags) == flags))
        type++;
    return type < memory->memoryTypeCount ? type : VK_MAX_MEMORY_TYPES;
}

static uint32_t memory_choose(
    const VkPhysicalDeviceMemoryProperties *memory, uint32_t allowed, bool visible)
{
    const VkFlags coherent = VK_MEMORY_HOST_VISIBLE_BIT | VK_MEMORY_HOST_COHERENT_BIT;
    uint32_t type = memory_type(memory, allowed,
        visible ? coherent | VK_MEMORY_HOST_CACHED_BIT : VK_MEMORY_DEVICE_LOCAL_BIT);
    return type < VK_MAX_MEMORY_TYPES ? type : memory_type(memory, allowed, visible ? coherent : 0);
}

static hed_status memory_place(
    hed_device *device, bool visible, vulkan_buffer *impl, hed_error *error)
{
    vulkan_device *of = hed_vulkan_of(device);
    VkMemoryRequirements needed;
    of->api->GetBufferMemoryRequirements(of->device, impl->buffer, &needed);
    const VkMemoryAllocateInfo info = {.sType = VK_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize = needed.size,
        .memoryTypeIndex = memory_choose(&of->memory, needed.memoryTypeBits, visible)};
    if (info.memoryTypeIndex == VK_MAX_MEMORY_TYPES)
        return hed_fail(
            error, HED_ERROR_UNSUPPORTED, "%s has no memory that the host sees", device->info.id);
    VkResult result = of->api->AllocateMemory(of->device, &info, NULL, &impl->memory);
    if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY ||
        (result == VK_ERROR_OUT_OF_HOST_MEMORY && !visible))
        return hed_fail(error, HED_ERROR_DEVICE_MEMORY,
            "a buffer of %llu bytes on %s (%s), which has %llu bytes in all; how many are free its "
            "driver does not tell",
            (unsigned long long)impl->size, device->info.id, device->info.name,
            (unsigned long long)device->info.memory_bytes);
    if (result) return hed_vulkan_check(device, result, "vkAllocateMemory", "a buffer", error);
    result = of->api->BindBufferMemory(of->device, impl->buffer, impl->memory, 0);
    if (result) return hed_vulkan_check(device, result, "vkBindBufferMemory", "a buffer", error);
    if (!visible) return HED_OK;
    void *host = NULL;
    result = of->api->MapMemory(of->device, impl->memory, 0, VK_WHOLE_SIZE, 0, &host);
    impl->host = host;
    return hed_vulkan_check(device, result, "vkMapMemory", "a buffer", error);
}

hed_status hed_vulkan_allocate(
    hed_device *device, uint64_t size, bool visible, vulkan_buffer *impl, hed_error *error)
{
    vulkan_device *of = hed_vulkan_of(device);
    /* whole words, because fills count words */
    const VkBufferCreateInfo info = {.sType = VK_TYPE_BUFFER_CREATE_INFO,
        .size = (size + 3) & ~(uint64_t)3,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                 VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    *impl = (vulkan_buffer){.size = size, .serial = hed_vulkan_serial(of)};
    VkResult result = of->api->CreateBuffer(of->device, &info, NULL, &impl->buffer);
    if (result) return hed_vulkan_check(device, result, "vkCreateBuffer", "a buffer", error);
    hed_status status = memory_place(device, visible, impl, error);
    if (status) hed_vulkan_free(device, impl);
    return status;
}

void hed_vulkan_free(hed_device *device, vulkan_buffer *freed)
{
    const vulkan_device *of = hed_vulkan_of(device);
    if (freed->buffer) of->api->DestroyBuffer(of->device, freed->buffer, NULL);
    if (freed->memory) of->api->FreeMemory(of->device, freed->memory, NULL);
    freed->buffer = NULL;
    freed->memory = NULL;
}

VkBuffer hed_vulkan_find_visible(
    vulkan_device *device, const void *host, uint64_t size, uint64_t *offset)
{
    const char *at = host;
    pthread_mutex_lock(&device->lock);
    vulkan_buffer *visible = device->visible;
    while (visible && !(at >= visible->host && at + size <= visible->host + visible->size))
        visible = visible->next;
    if (visible) *offset = (uint64_t)(at - visible->host);
    VkBuffer buffer = visible ? visible->buffer : NULL;
    pthread_mutex_unlock(&device->lock);
    return buffer;
}

VkResult hed_vulkan_allocate_image(
    vulkan_device *of, const VkMemoryRequirements *needed, VkDeviceMemory *memory)
{
    const VkMemoryAllocateInfo info = {.sType = VK_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize = needed->size,
        .memoryTypeIndex = memory_choose(&of->memory, needed->memoryTypeBits, false)};
    if (info.memoryTypeIndex == VK_MAX_MEMORY_TYPES) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    return of->api->AllocateMemory(of->device, &info, NULL, memory);
}
