/* The space of a kernel on a device for a problem: its constraints and conditions with the
 * problem's sizes and the device's limits as constants, and hed_kernel_valid() on what those leave.
 * A parameter that the kernel does not read on the device has one value: configurations that differ
 * in it alone are one and the same.
 */
#include "heddle/space.h"

#include "base/error.h"
#include "core/backend.h"

typedef struct valid_here {
    hed_device *device;
    const hed_kernel_def *def;
    const hed_problem *problem;
    hed_math math;
    uint32_t ignored; /* parameters that keep the value they have in `usual` */
    hed_config usual;
} valid_here;

static bool accept(void *user, const hed_config *config)
{
    const valid_here *here = user;
    for (uint32_t i = 0; i < config->count; i++)
        if (here->ignored >> i & 1 && config->values[i] != here->usual.values[i]) return false;
    return hed_kernel_valid(here->def, config, here->problem, here->device, here->math, NULL, 0);
}

/* Where no configuration with the defaults of what is ignored is valid, the first valid one of all
 * gives those values. */
static hed_status create_around_first(
    const hed_space_def *def, valid_here *here, hed_space **space, hed_error *error)
{
    uint32_t ignored = here->ignored;
    hed_space_destroy(*space);
    here->ignored = 0;
    hed_status status = hed_space_create(def, space, error);
    if (status || hed_space_count(*space) == 0) return status;
    here->ignored = ignored;
    here->usual = hed_space_at(*space, 0);
    hed_space_destroy(*space);
    return hed_space_create(def, space, error);
}

hed_status hed_space_create_for_kernel(hed_device *device, const hed_kernel_def *def,
    const hed_problem *problem, hed_math math, hed_space **space, hed_error *error)
{
    const hed_device_info *info = hed_device_get_info(device);
    hed_constant constants[HED_DEVICE_CONSTANTS + HED_MAX_DIMENSIONS];
    uint32_t count = hed_device_constants(info, constants);
    *space = NULL;
    if (problem && problem->count != def->dimension_count)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s: a problem of %u sizes for %u dimensions",
            def->name, problem->count, def->dimension_count);
    for (uint32_t i = 0; problem && i < problem->count && i < HED_MAX_DIMENSIONS; i++)
        constants[count++] = (hed_constant){def->dimensions[i], (double)problem->sizes[i]};
    /* The space sees to constraints and conditions: hed_kernel_valid() would compile them for each
     * point once more.
     */
    hed_kernel_def plain = *def;
    plain.constraint_count = plain.condition_count = 0;
    valid_here here = {
        device, &plain, problem, math, hed_kernel_ignores(def, device), hed_config_default(def)};
    hed_space_def space_def = {
        .allocator = &device->settings->allocator, .parameters = def->parameters,
        .parameter_count = def->parameter_count, .constraints = def->constraints,
        .constraint_count = def->constraint_count, .conditions = def->conditions,
        .condition_count = def->condition_count, .constants = constants, .constant_count = count,
        .accept = accept, .user = &here,
    };
    hed_status status = hed_space_create(&space_def, space, error);
    if (!status && here.ignored && hed_space_count(*space) == 0)
        status = create_around_first(&space_def, &here, space, error);
    return status;
}
