/* The best configuration that the database has for a size and that builds here. */
#include <string.h>

#include "launch/launcher.h"

static bool is_refused(const hed_kernel *kernel, const hed_config *config)
{
    for (uint32_t i = 0; i < kernel->refused_count; i++)
        if (hed_config_equal(&kernel->refused[i], config)) return true;
    return false;
}

void hed_kernel_refuse(hed_kernel *kernel, const hed_config *config, const hed_error *cause)
{
    uint32_t count = kernel->refused_count;
    char text[256];
    hed_config_format(kernel->def, config, text, sizeof text);
    hed_log_message(&kernel->device->settings->logger, HED_LOG_WARNING,
        "%s: the tuned configuration [%s] cannot be built here and is skipped: %s",
        kernel->def->name, text, cause->text);
    hed_config *longer =
        hed_allocate(hed_allocator_of(kernel->device), (count + 1) * sizeof *longer);
    if (!longer) { /* fall back to untuned configurations, instead of trying this one repeatedly */
        hed_choices_free(kernel->choices);
        kernel->choices = NULL;
        return;
    }
    if (count) memcpy(longer, kernel->refused, count * sizeof *longer);
    longer[count] = *config;
    hed_release(hed_allocator_of(kernel->device), kernel->refused, count * sizeof *longer);
    kernel->refused = longer;
    kernel->refused_count = count + 1;
}

hed_status hed_kernel_pick(const hed_kernel *kernel, const hed_problem *problem, hed_config *config,
    hed_config_origin *configured, hed_error *error)
{
    for (uint32_t rank = 0; hed_choices_find(kernel->choices, problem, rank, config, configured);
         rank++)
        if (!is_refused(kernel, config) && !hed_config_check(kernel->device, kernel->def,
                                               kernel->rules, config, problem, kernel->math, NULL))
            return HED_OK;
    *configured = HED_ORIGIN_DEFAULT;
    return hed_resolve_default(
        kernel->device, kernel->def, kernel->rules, problem, kernel->math, config, error);
}
