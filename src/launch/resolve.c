/* Choice of a kernel's configuration for the size of each launch, for kernels without a given one.
 *
 * Candidates are read when the kernel is created, so that a launch never accesses a file. A known
 * size costs a comparison. A new size is looked up; if it needs a configuration that is not
 * compiled yet, the launch uses the present one while the other is built in the background. */
#include "launch/launcher.h"

static bool resolve_recall(hed_kernel *kernel, const hed_problem *problem)
{
    for (uint32_t i = 0; i < HED_RECENT_SIZES; i++) {
        const hed_recent *recent = &kernel->recent[i];
        if (!recent->variant || !hed_same_problem(&recent->problem, problem)) continue;
        hed_kernel_put_in_force(kernel, recent->variant, recent->configured, problem);
        return true;
    }
    return false;
}

hed_status hed_kernel_choose(hed_kernel *kernel, const hed_problem *problem, hed_error *error)
{
    if (resolve_recall(kernel, problem)) return HED_OK;
    for (;;) {
        hed_config config;
        hed_config_origin configured;
        hed_status status = hed_kernel_pick(kernel, problem, &config, &configured, error);
        if (status) return status;
        bool is_same = hed_config_equal(&kernel->active->program.config, &config);
        hed_variant *variant = is_same ? kernel->active : kernel->retired;
        while (!is_same && variant && !hed_config_equal(&variant->program.config, &config))
            variant = variant->retired;
        if (variant) {
            kernel->recent[kernel->next_recent++ % HED_RECENT_SIZES] =
                (hed_recent){*problem, variant, configured};
            hed_kernel_put_in_force(kernel, variant, configured, problem);
            return HED_OK;
        }
        /* the launch can use the present configuration meanwhile; without a compiler this would
         * save no time */
        if (kernel->device->backend->build &&
            !hed_config_check(kernel->device, kernel->def, kernel->rules,
                &kernel->active->program.config, problem, kernel->math, NULL) &&
            hed_kernel_build_in_background(kernel, problem, &config, configured)) {
            /* the present configuration was chosen for another size */
            bool is_own = kernel->configured == HED_ORIGIN_EXACT ||
                          kernel->configured == HED_ORIGIN_OTHER_DRIVER;
            hed_kernel_put_in_force(kernel, kernel->active,
                is_own ? HED_ORIGIN_NEAR_SIZE : kernel->configured, problem);
            return HED_OK;
        }
        status = hed_kernel_build_now(kernel, &config, configured, error);
        if (status) return status;
    }
}
