/* Devices: choosing, opening on first use, adopting a program's own context, drivers' handles. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "core/objects.h"

hed_device *hed_device_at(const hed_context *context, uint32_t index)
{
    if (!context) return NULL;
    return index < context->device_count ? context->devices[index] : NULL;
}

/* Finds a device. An exact id has precedence over a part of a name, so that "cuda:1" never means
 * "cuda:10". */
static hed_device *find(hed_context *context, const char *selector)
{
    if (strcmp(selector, "best") == 0) return hed_device_at(context, 0);
    for (uint32_t i = 0; i < context->device_count; i++)
        if (strcasecmp(context->devices[i]->info.id, selector) == 0) return context->devices[i];
    for (uint32_t i = 0; i < context->device_count; i++) {
        const hed_device_info *info = &context->devices[i]->info;
        if (hed_text_contains(info->name, selector) ||
            hed_text_contains(info->platform, selector) || strcasecmp(info->backend, selector) == 0)
            return context->devices[i];
    }
    return NULL;
}

hed_status hed_device_find(
    hed_context *context, const char *selector, hed_device **device, hed_error *error)
{
    HED_REQUIRE(context, device);
    const char *from = selector                   ? ""
                       : context->settings.device ? " (default of the context or HEDDLE_DEVICE)"
                                                  : "";
    if (!selector) selector = context->settings.device ? context->settings.device : "best";
    *device = selector[0] ? find(context, selector) : NULL;
    if (*device) return HED_OK;
    char list[HED_ERROR_TEXT - 256] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < context->device_count && used < sizeof list - 1; i++) {
        const hed_device_info *info = &context->devices[i]->info;
        int n = snprintf(
            list + used, sizeof list - used, "%s%s (%s)", i ? ", " : "", info->id, info->name);
        used += n > 0 ? (size_t)n : 0;
    }
    return hed_fail(error, HED_ERROR_NO_DEVICE, "no device fits \"%.100s\"%s; there are: %s",
        selector, from, list);
}

hed_device_info hed_device_describe(const hed_device *device)
{
    static const hed_device_info empty = {
        .id = "", .name = "", .vendor = "", .driver = "", .platform = "", .backend = ""};
    return device ? device->info : empty;
}
hed_context *hed_device_context(const hed_device *device)
{
    if (!device) return NULL;
    return device->context;
}

hed_status hed_device_ensure_open(hed_device *device, hed_error *error)
{
    if (atomic_load_explicit(&device->open, memory_order_acquire)) return HED_OK;
    hed_status status = HED_OK;
    pthread_mutex_lock(&device->context->open_lock);
    if (!device->open) {
        const hed_logger *logger = &device->settings->logger;
        hed_log_message(logger, HED_LOG_DEBUG, "%s: opening", device->info.id);
        status = device->backend->device_open(device, error);
        hed_log_message(
            logger, HED_LOG_DEBUG, "%s: %s", device->info.id, status ? "not opened" : "opened");
        if (!status) atomic_store_explicit(&device->open, 1, memory_order_release);
    }
    pthread_mutex_unlock(&device->context->open_lock);
    return status;
}

hed_status hed_device_memory(
    hed_device *device, uint64_t *free_bytes, uint64_t *total_bytes, hed_error *error)
{
    HED_REQUIRE(device, free_bytes, total_bytes);
    hed_status status = hed_device_ensure_open(device, error);
    return status ? status : device->backend->device_memory(device, free_bytes, total_bytes, error);
}

hed_status hed_device_wait(hed_device *device, hed_error *error)
{
    HED_REQUIRE(device);
    hed_status status = hed_device_ensure_open(device, error);
    return status ? status : device->backend->device_wait(device, error);
}

/* ---- a program's own context ---- */

hed_status hed_device_adopt(hed_context *context, const char *backend,
    const hed_driver_handles *handles, hed_device **device, hed_error *error)
{
    HED_REQUIRE(context, backend, handles, device);
    *device = NULL;
    hed_backend_slot *slot = NULL;
    for (uint32_t i = 0; i < context->slot_count; i++)
        if (strcmp(context->slots[i].backend->name, backend) == 0) slot = &context->slots[i];
    if (!slot || !slot->backend->device_adopt)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "\"%.60s\" has no contexts to adopt: use \"cuda\", \"opencl\" or \"vulkan\"", backend);
    if (slot->health == HED_BACKEND_ABSENT || slot->health == HED_BACKEND_FAILED)
        return hed_fail(error, HED_ERROR_NO_DEVICE, "the %s backend does not work here: %s",
            backend, slot->reason);
    if (!handles->context)
        return hed_fail(error, HED_ERROR_ARGUMENT, "hed_driver_handles.context is NULL");
    hed_device *new_device = hed_allocate(&context->settings.allocator, sizeof *new_device);
    if (!new_device) return HED_OUT_OF_MEMORY(error, "a device");
    new_device->context = context;
    new_device->settings = &context->settings;
    new_device->slot = slot;
    new_device->backend = slot->backend;
    new_device->adopted = true;
    hed_status status = slot->backend->device_adopt(slot, handles, new_device, error);
    if (status) {
        hed_release(&context->settings.allocator, new_device, sizeof *new_device);
        return status;
    }
    new_device->open = 1;
    *device = new_device;
    return HED_OK;
}

void hed_device_release(hed_device *device)
{
    if (!device || !device->adopted) return;
    device->backend->device_close(device);
    hed_release(&device->settings->allocator, device, sizeof *device);
}

hed_status hed_device_handles(hed_device *device, hed_driver_handles *handles, hed_error *error)
{
    HED_REQUIRE(device, handles);
    *handles = (hed_driver_handles){0};
    if (!device->backend->device_native)
        return hed_fail(
            error, HED_ERROR_UNSUPPORTED, "%s has no driver and so no handles", device->info.id);
    hed_status status = hed_device_ensure_open(device, error);
    return status ? status : device->backend->device_native(device, handles, error);
}

void *hed_device_symbol(const hed_device *device, const char *name)
{
    if (!device || !name) return NULL;
    return device->backend->symbol ? device->backend->symbol(device->slot, name) : NULL;
}
