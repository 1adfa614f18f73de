/* Space of a kernel on a device for a problem: its constraints and conditions, with the problem's
 * sizes and the device's limits as constants, filtered by hed_kernel_valid(). A parameter that the
 * kernel ignores on the device has one value: configurations that differ in it alone are
 * identical. */
#include "base/error.h"
#include "core/backend.h"
#include "heddle/space.h"
#include "launch/launcher.h"

typedef struct valid_here {
    hed_device *device;
    const hed_kernel_def *def;
    const hed_problem *problem;
    hed_math math;
    uint32_t ignored; /* parameters that keep their value in `usual` */
    hed_config usual;
} valid_here;

static bool accept(void *user, const hed_config *config)
{
    const valid_here *context = user;
    for (uint32_t i = 0; i < config->count; i++)
        if (context->ignored >> i & 1 && config->values[i] != context->usual.values[i])
            return false;
    return hed_kernel_valid(
        context->def, config, context->problem, context->device, context->math, NULL, 0);
}

/* Rebuilds the space around the first valid configuration, whose values the ignored parameters get,
 * if no configuration with their defaults is valid. */
static hed_status create_around_first(
    const hed_space_def *def, valid_here *context, hed_space **space, hed_error *error)
{
    uint32_t ignored = context->ignored;
    hed_space_destroy(*space);
    context->ignored = 0;
    hed_status status = hed_space_create(def, space, error);
    if (status || hed_space_count(*space) == 0) return status;
    context->ignored = ignored;
    context->usual = hed_space_at(*space, 0);
    hed_space_destroy(*space);
    return hed_space_create(def, space, error);
}

hed_status hed_space_create_for_kernel(hed_device *device, const hed_kernel_def *def,
    const hed_problem *problem, hed_math math, hed_space **space, hed_error *error)
{
    HED_REQUIRE(device, def, space);
    const hed_device_info info = hed_device_describe(device);
    hed_constant constants[HED_DEVICE_CONSTANTS + HED_MAX_DIMENSIONS];
    uint32_t count = hed_device_constants(&info, constants);
    *space = NULL;
    if (problem && problem->count != def->dimension_count)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s: problem has %u sizes; expected %u",
            def->name, problem->count, def->dimension_count);
    for (uint32_t i = 0; problem && i < problem->count && i < HED_MAX_DIMENSIONS; i++)
        constants[count++] = (hed_constant){def->dimensions[i], (double)problem->sizes[i]};
    /* the space itself applies constraints and conditions: hed_kernel_valid() would compile them
     * again for each point */
    hed_kernel_def plain = *def;
    plain.constraint_count = plain.condition_count = 0;
    valid_here context = {
        device, &plain, problem, math, hed_kernel_ignores(def, device), hed_config_default(def)};
    hed_space_def space_def = {
        .allocator = &device->settings->allocator,
        .parameters = def->parameters,
        .parameter_count = def->parameter_count,
        .constraints = def->constraints,
        .constraint_count = def->constraint_count,
        .conditions = def->conditions,
        .condition_count = def->condition_count,
        .constants = constants,
        .constant_count = count,
        .accept = accept,
        .user = &context,
    };
    hed_status status = hed_space_create(&space_def, space, error);
    if (status || !context.ignored || hed_space_count(*space)) return status;
    return create_around_first(&space_def, &context, space, error);
}
