/* Buffers: one allocation each. Memory that the host sees (PINNED, MAPPED) is coherent and stays
 * mapped; a copy from or to host memory inside such a buffer is a copy between buffers. */
#include "backends/vulkan/vulkan.h"

#include <string.h>

hed_status hed_vulkan_buffer_create(hed_buffer *buffer, const hed_buffer_def *def, hed_error *error)
{
    hed_device *device = buffer->device;
    vulkan_device *of = hed_vulkan_of(device);
    bool visible = buffer->memory == HED_MEMORY_PINNED || buffer->memory == HED_MEMORY_MAPPED;
    if (buffer->memory == HED_MEMORY_CALLER)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "memory of the caller cannot be used in place by %s: take HED_MEMORY_MAPPED",
            device->info.id);
    vulkan_buffer *impl = hed_allocate(&of->driver->allocator, sizeof *impl);
    if (!impl) return HED_OUT_OF_MEMORY(error, "a buffer");
    hed_status status = HED_OK;
    if (buffer->memory == HED_MEMORY_ADOPTED)
        *impl = (vulkan_buffer){
            .buffer = (VkBuffer)def->handle, .size = buffer->size, .serial = hed_vulkan_serial(of)};
    else status = hed_vulkan_allocate(device, buffer->size, visible, impl, error);
    if (status) {
        hed_release(&of->driver->allocator, impl, sizeof *impl);
        return status;
    }
    buffer->impl = impl;
    buffer->handle = impl->buffer;
    buffer->host = impl->host;
    if (!visible) return HED_OK;
    pthread_mutex_lock(&of->lock);
    impl->next = of->visible;
    of->visible = impl;
    pthread_mutex_unlock(&of->lock);
    return HED_OK;
}

/* Creates a part: its whole from an offset on, with a serial and mappings of its own. */
hed_status hed_vulkan_buffer_part(hed_buffer *part, hed_error *error)
{
    vulkan_device *of = hed_vulkan_of(part->device);
    vulkan_buffer *impl = hed_allocate(&of->driver->allocator, sizeof *impl);
    if (!impl) return HED_OUT_OF_MEMORY(error, "a part of a buffer");
    *impl = (vulkan_buffer){
        .buffer = part->parent->handle, .size = part->size, .serial = hed_vulkan_serial(of)};
    part->impl = impl;
    part->handle = impl->buffer;
    if (part->parent->host) part->host = (char *)part->parent->host + part->offset;
    return HED_OK;
}

void hed_vulkan_buffer_destroy(hed_buffer *buffer)
{
    vulkan_device *of = hed_vulkan_of(buffer->device);
    vulkan_buffer *freed = buffer->impl;
    hed_vulkan_settle(buffer->device); /* steps that use it may not be submitted yet */
    pthread_mutex_lock(&of->lock);
    for (vulkan_buffer **at = &of->visible; *at; at = &(*at)->next)
        if (*at == freed) {
            *at = freed->next;
            break;
        }
    pthread_mutex_unlock(&of->lock);
    hed_vulkan_free_images(buffer);
    if (!buffer->parent && buffer->memory != HED_MEMORY_ADOPTED)
        hed_vulkan_free(buffer->device, freed);
    hed_release(&of->driver->allocator, freed, sizeof *freed);
}
