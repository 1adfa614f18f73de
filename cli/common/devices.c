/* Several devices at once, in groups of one kind: --device repeated, --device all. */
#include "cli/common/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cli_device_ids(hed_device *const *devices, uint32_t count, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(
            text + used, size - used, "%s%s", i ? " + " : "", hed_device_describe(devices[i]).id);
}

bool cli_is_socket(const char *worker, int *descriptor)
{
    char *end;
    if (strncmp(worker, "fd:", 3) != 0) return false;
    *descriptor = (int)strtol(worker + 3, &end, 10);
    return *end == 0 && end != worker + 3;
}

static bool same_device_kind(const hed_device *x, const hed_device *y)
{
    const hed_device_info a = hed_device_describe(x), b = hed_device_describe(y);
    return strcmp(a.backend, b.backend) == 0 && strcmp(a.name, b.name) == 0 &&
           strcmp(a.driver, b.driver) == 0 && a.architecture == b.architecture;
}

hed_status cli_device_group_add(
    cli_device_group *groups, uint32_t *count, hed_device *device, hed_error *error)
{
    uint32_t g = 0;
    while (g < *count && !same_device_kind(groups[g].devices[0], device)) g++;
    if (g == HED_TUNE_DEVICES || (g < *count && groups[g].count == CLI_MOST_DEVICES))
        return hed_fail(error, HED_ERROR_LIMIT, "more than %d devices at once", CLI_MOST_DEVICES);
    if (g == *count) groups[(*count)++].count = 0;
    groups[g].devices[groups[g].count++] = device;
    return HED_OK;
}

/* Adds every GPU once: one reported by both CUDA and OpenCL is used through the first. Devices that
 * run only shaders are skipped. */
static hed_status group_add_gpus(
    cli_session *session, cli_device_group *groups, uint32_t *count, hed_error *error)
{
    uint32_t devices = hed_context_describe(session->context).devices, gpu_count = 0;
    for (uint32_t i = 0; i < devices; i++) {
        const hed_device_info info = hed_device_describe(hed_device_at(session->context, i));
        bool skip = info.type == HED_DEVICE_CPU || !(info.capabilities & HED_CAN_SOURCE);
        for (uint32_t j = 0; j < i && !skip; j++) {
            const hed_device_info before = hed_device_describe(hed_device_at(session->context, j));
            skip = strcmp(before.name, info.name) == 0 && strcmp(before.backend, info.backend) != 0;
        }
        if (skip) continue;
        gpu_count++;
        if (cli_device_group_add(groups, count, hed_device_at(session->context, i), error))
            return error->status;
    }
    if (gpu_count) return HED_OK;
    return hed_fail(error, HED_ERROR_NO_DEVICE,
        "there is no GPU here for --device all; processors are used when they are named, as in --device host (\"heddle devices\" lists all)");
}

hed_status cli_device_groups(const hed_arguments *arguments, cli_session *session,
    cli_device_group *groups, uint32_t *count, hed_error *error)
{
    *count = 0;
    const char *selector;
    for (uint32_t i = 0; (selector = hed_text_at(arguments, "device", i)); i++) {
        hed_device *device;
        if (strcmp(selector, "all") == 0) {
            if (group_add_gpus(session, groups, count, error)) return error->status;
        } else if (cli_find_device(session, selector, &device, error) ||
                   cli_device_group_add(groups, count, device, error)) {
            return error->status;
        }
    }
    if (*count) return HED_OK;
    groups[0] = (cli_device_group){0};
    *count = !hed_device_find(session->context, NULL, &groups[0].devices[0], error);
    groups[0].count = *count;
    return error->status;
}

hed_status cli_open_devices_together(
    const hed_arguments *arguments, cli_session *session, hed_error *error)
{
    cli_device_group groups[HED_TUNE_DEVICES];
    uint32_t count;
    if (cli_open_context(arguments, session, error)) return error->status;
    if (cli_device_groups(arguments, session, groups, &count, error)) {
        cli_close(session);
        return error->status;
    }
    for (uint32_t g = 0; g < count; g++)
        for (uint32_t i = 0; i < groups[g].count && session->count < CLI_MOST_DEVICES; i++)
            session->devices[session->count++] = groups[g].devices[i];
    return HED_OK;
}
