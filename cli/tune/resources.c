/* Resources of a tuning's winner. */
#include <string.h>

#include "cli/tune/tune_command.h"

bool cli_tune_find_resources(hed_device *device, const hed_kernel_def *kernel,
    const hed_tune_def *def, const hed_tune_result *result, hed_tune_resources *to)
{
    const hed_device_info info = hed_device_describe(device);
    bool is_reported = strcmp(info.backend, "cuda") == 0 || strcmp(info.backend, "hip") == 0;
    if (!is_reported || result->best >= result->count || result->end == HED_TUNE_LOST) return false;
    const hed_config *config = &result->evaluations[result->best].config;
    const hed_kernel_options options = {.math = def->math,
        .config = config,
        .problem = &result->problem,
        .defines = def->defines,
        .define_count = def->define_count};
    hed_kernel *built = NULL;
    hed_geometry geometry = {0};
    uint64_t dynamic = 0;
    *to = (hed_tune_resources){.group_items = 1};
    kernel->geometry(kernel, config, &result->problem, &geometry);
    for (uint32_t i = 0; i < geometry.dimensions; i++) to->group_items *= geometry.group[i];
    for (uint32_t i = 0; i < kernel->argument_count; i++)
        if (kernel->arguments[i].kind == HED_LOCAL) dynamic += geometry.local_bytes[i];
    bool is_found =
        !hed_kernel_create(device, kernel, &options, &built, NULL) &&
        !hed_kernel_measure_resources(built, &to->kernel, NULL) &&
        !hed_kernel_resident_groups(built, to->group_items, dynamic, &to->resident_groups, NULL);
    to->local_bytes = dynamic + (to->kernel.local_bytes > 0 ? (uint64_t)to->kernel.local_bytes : 0);
    hed_kernel_destroy(built);
    return is_found && to->resident_groups >= 0;
}
