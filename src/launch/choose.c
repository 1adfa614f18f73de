/* Which configuration a kernel runs with where none was given: the best that the database knows for
 * the size of each launch.
 *
 * What could serve was read when the kernel was made, so that a launch never touches a file. A size
 * that was met before costs a comparison; a new one is looked up, and where it wants another
 * configuration that is not compiled yet, the launch goes on with the present one while the other
 * is built in the background. */
#include <string.h>

#include "launch/launch.h"

static const hed_allocator *allocator_of(const hed_kernel *kernel)
{
    return &kernel->device->settings->allocator;
}

static bool same_config(const hed_config *a, const hed_config *b)
{
    return a->count == b->count &&
           memcmp(a->values, b->values, a->count * sizeof a->values[0]) == 0;
}

/* ---- what must not be tried again ---- */

static bool is_refused(const hed_kernel *kernel, const hed_config *config)
{
    for (uint32_t i = 0; i < kernel->refused_count; i++)
        if (same_config(&kernel->refused[i], config)) return true;
    return false;
}

void hed_kernel_refuse(hed_kernel *kernel, const hed_config *config, const hed_error *why)
{
    uint32_t count = kernel->refused_count;
    char text[256];
    hed_config_format(kernel->def, config, text, sizeof text);
    hed_log_message(&kernel->device->settings->logger, HED_LOG_WARNING,
        "%s: the tuned configuration [%s] cannot be built here and is passed over: %s",
        kernel->def->name, text, why->text);
    hed_config *longer = hed_allocate(allocator_of(kernel), (count + 1) * sizeof *longer);
    if (!longer) { /* then none that is tuned, rather than this one over and over */
        hed_choices_free(kernel->choices);
        kernel->choices = NULL;
        return;
    }
    if (count) memcpy(longer, kernel->refused, count * sizeof *longer);
    longer[count] = *config;
    hed_release(allocator_of(kernel), kernel->refused, count * sizeof *longer);
    kernel->refused = longer;
    kernel->refused_count = count + 1;
}

/* ---- choosing ---- */

hed_status hed_kernel_pick(const hed_kernel *kernel, const hed_problem *problem, hed_config *config,
    hed_configured *configured, hed_error *error)
{
    for (uint32_t rank = 0; hed_choices_find(kernel->choices, problem, rank, config, configured);
         rank++)
        if (!is_refused(kernel, config) && !hed_config_check(kernel->device, kernel->def,
                                               kernel->rules, config, problem, kernel->math, NULL))
            return HED_OK;
    *configured = HED_CONFIGURED_DEFAULT;
    return hed_resolve_default(
        kernel->device, kernel->def, kernel->rules, problem, kernel->math, config, error);
}

static bool recall(hed_kernel *kernel, const hed_problem *problem)
{
    for (uint32_t i = 0; i < HED_RECENT_SIZES; i++) {
        const hed_recent *recent = &kernel->recent[i];
        if (!recent->variant || !hed_same_problem(&recent->problem, problem)) continue;
        hed_kernel_put_in_force(kernel, recent->variant, recent->configured, problem);
        return true;
    }
    return false;
}

static void remember(
    hed_kernel *kernel, const hed_problem *problem, hed_variant *variant, hed_configured configured)
{
    kernel->recent[kernel->next_recent++ % HED_RECENT_SIZES] =
        (hed_recent){*problem, variant, configured};
}

static hed_variant *find_compiled(hed_kernel *kernel, const hed_config *config)
{
    if (same_config(&kernel->active->program.config, config)) return kernel->active;
    hed_variant *former = kernel->retired;
    while (former && !same_config(&former->program.config, config)) former = former->retired;
    return former;
}

/* What a configuration is to a size that it was not chosen for. */
static hed_configured stands_in(hed_configured configured)
{
    bool own = configured == HED_CONFIGURED_EXACT || configured == HED_CONFIGURED_OTHER_DRIVER;
    return own ? HED_CONFIGURED_NEAR_SIZE : configured;
}

/* Whether the launch can go on with the present configuration while another one is compiled. */
static bool can_stand_in(const hed_kernel *kernel, const hed_problem *problem)
{
    return kernel->device->backend->build && /* else nothing is compiled, and no time saved */
           !hed_config_check(kernel->device, kernel->def, kernel->rules,
               &kernel->active->program.config, problem, kernel->math, NULL);
}

hed_status hed_kernel_choose(hed_kernel *kernel, const hed_problem *problem, hed_error *error)
{
    if (recall(kernel, problem)) return HED_OK;
    for (;;) {
        hed_config config;
        hed_configured configured;
        hed_status status = hed_kernel_pick(kernel, problem, &config, &configured, error);
        if (status) return status;
        hed_variant *variant = find_compiled(kernel, &config);
        if (variant) {
            remember(kernel, problem, variant, configured);
            hed_kernel_put_in_force(kernel, variant, configured, problem);
            return HED_OK;
        }
        if (can_stand_in(kernel, problem) &&
            hed_kernel_build_beside(kernel, problem, &config, configured)) {
            hed_kernel_put_in_force(kernel, kernel->active, stands_in(kernel->configured), problem);
            return HED_OK;
        }
        status = hed_kernel_build_now(kernel, &config, configured, error);
        if (status) return status;
    }
}
