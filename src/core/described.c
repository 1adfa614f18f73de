/* Devices that are described and not opened (heddle/runner.h): their properties decide which
 * configurations are valid and under which key results are stored; nothing can run on them here. For some,
 * this process compiles. */
#include "heddle/runner.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "core/objects.h"

static hed_status described_refuse(const hed_device *device, hed_error *error)
{
    return hed_fail(error, HED_ERROR_UNSUPPORTED,
        "%s (%s) is described and not opened: kernels are tuned on it through a runner "
        "(hed_tune_def.open_runner), and run in its own programs",
        device->info.id, device->info.name);
}

static hed_status described_open(hed_device *device, hed_error *error)
{
    return described_refuse(device, error);
}

static void described_close(hed_device *device) { (void)device; }

static hed_status described_build(const hed_build *build, hed_binary *binary, hed_error *error)
{
    (void)binary;
    return described_refuse(build->device, error);
}

/* described_open() refuses, so the other functions are never called. */
const hed_backend hed_described_backend = {
    .name = "described",
    .languages = UINT32_MAX, /* the languages that its runner accepts */
    .device_open = described_open,
    .device_close = described_close,
    .build = described_build,
};

hed_status hed_device_create_described(
    hed_context *context, const hed_device_info *info, hed_device **device, hed_error *error)
{
    HED_REQUIRE(context, info, device);
    *device = NULL;
    const char *const strings[] = {
        info->id, info->platform, info->name, info->vendor, info->driver, info->backend};
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        if (strings[i] && strlen(strings[i]) >= sizeof(*device)->text[i])
            return hed_fail(error, HED_ERROR_LIMIT,
                "device %.100s: the text \"%.60s...\" has %zu bytes; expected at most %zu",
                info->id ? info->id : "", strings[i], strlen(strings[i]),
                sizeof(*device)->text[i] - 1);
    hed_device *new_device = hed_allocate(&context->settings.allocator, sizeof *new_device);
    if (!new_device) return HED_OUT_OF_MEMORY(error, "a device");
    new_device->context = context;
    new_device->settings = &context->settings;
    new_device->backend = &hed_described_backend;
    new_device->adopted = true;
    new_device->info = *info;
    const char **texts[] = {&new_device->info.id, &new_device->info.platform,
        &new_device->info.name, &new_device->info.vendor, &new_device->info.driver,
        &new_device->info.backend};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        hed_text_copy(new_device->text[i], sizeof new_device->text[i], *texts[i] ? *texts[i] : "");
        *texts[i] = new_device->text[i];
    }
    snprintf(new_device->build_key, sizeof new_device->build_key, "%s %s", new_device->info.backend,
        new_device->info.driver);
    *device = new_device;
    return HED_OK;
}

hed_status hed_device_create_compiler(
    hed_context *context, const hed_device_info *info, hed_device **device, hed_error *error)
{
    hed_backend_slot *slot = NULL;
    *device = NULL;
    for (uint32_t i = 0; i < context->slot_count; i++)
        if (!strcmp(context->slots[i].backend->name, info->backend)) slot = &context->slots[i];
    if (!slot || slot->state || !slot->backend->compiler_open ||
        context->device_count == HED_MAX_DEVICES)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "%s: kernels are compiled by its driver, in a process that has opened it", info->id);
    if (hed_device_create_described(context, info, device, error)) return error->status;
    context->devices[context->device_count++] = *device;
    (*device)->adopted = false; /* the context releases it */
    (*device)->slot = slot;
    (*device)->backend = slot->backend;
    (*device)->info.backend = slot->backend->name;
    return slot->backend->compiler_open(&context->settings, slot, *device, error);
}
