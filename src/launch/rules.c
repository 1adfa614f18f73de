/* Compiled constraints and conditions of a description, evaluated for one configuration at a
 * time. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "core/backend.h"
#include "heddle/space.h"
#include "launch/launch.h"

enum { SLOTS = HED_MAX_PARAMETERS + HED_DEVICE_CONSTANTS + HED_MAX_DIMENSIONS };

/* Values of names by slot: parameters, then the device's limits, then the problem's sizes. */
struct hed_rules {
    const hed_allocator *allocator;
    const hed_kernel_def *def;
    hed_constant limits[HED_DEVICE_CONSTANTS];
    uint32_t first_size, slots;
    uint32_t count;                /* number of constraints, then of conditions */
    hed_expression *expressions[]; /* (count) */
};

static size_t rules_size_of(uint32_t count)
{
    return sizeof(hed_rules) + count * sizeof(hed_expression *);
}

static hed_status rules_compile(
    hed_rules *rules, const hed_expression_names *names, hed_error *error)
{
    const hed_kernel_def *def = rules->def;
    for (uint32_t i = 0; i < rules->count; i++) {
        const hed_condition *condition =
            i < def->constraint_count ? NULL : &def->conditions[i - def->constraint_count];
        const char *text = condition ? condition->when : def->constraints[i];
        if (condition) {
            uint32_t j = 0;
            while (condition->parameter && j < def->parameter_count &&
                   strcmp(def->parameters[j].name, condition->parameter) != 0)
                j++;
            if (!condition->parameter || j == def->parameter_count)
                return hed_fail(error, HED_ERROR_ARGUMENT,
                    "%s: condition on \"%s\", which is not a parameter", def->name,
                    condition->parameter ? condition->parameter : "");
        }
        if (!text)
            return hed_fail(error, HED_ERROR_ARGUMENT, "%s: constraint or condition %u has no text",
                def->name, i);
        hed_status status =
            hed_expression_create(rules->allocator, text, names, &rules->expressions[i], error);
        if (status) return status;
    }
    return HED_OK;
}

hed_status hed_rules_create(
    const hed_device *device, const hed_kernel_def *def, hed_rules **rules, hed_error *error)
{
    const char *words[SLOTS];
    uint32_t count = def->constraint_count + def->condition_count, slots = 0;
    *rules = NULL;
    if (!count) return HED_OK;
    hed_rules *instance = hed_allocate(&device->settings->allocator, rules_size_of(count));
    if (!instance) return HED_OUT_OF_MEMORY(error, "the constraints of %s", def->name);
    instance->allocator = &device->settings->allocator;
    instance->def = def;
    instance->count = count;
    hed_device_constants(&device->info, instance->limits);
    for (uint32_t i = 0; i < def->parameter_count; i++) words[slots++] = def->parameters[i].name;
    for (uint32_t i = 0; i < HED_DEVICE_CONSTANTS; i++) words[slots++] = instance->limits[i].name;
    instance->first_size = slots;
    for (uint32_t i = 0; i < def->dimension_count; i++) words[slots++] = def->dimensions[i];
    instance->slots = slots;
    const hed_expression_names names = {words, slots, def->parameters, def->parameter_count};
    hed_status status = rules_compile(instance, &names, error);
    if (status) hed_rules_destroy(instance);
    else *rules = instance;
    return status;
}

void hed_rules_destroy(hed_rules *rules)
{
    if (!rules) return;
    for (uint32_t i = 0; i < rules->count; i++) hed_expression_destroy(rules->expressions[i]);
    hed_release(rules->allocator, rules, rules_size_of(rules->count));
}

/* True if an expression can be evaluated without the problem's sizes. */
static bool is_known(const hed_rules *rules, const hed_expression *expression, bool sized)
{
    for (uint32_t slot = rules->first_size; slot < rules->slots && !sized; slot++)
        if (hed_expression_uses(expression, slot)) return false;
    return true;
}

/* Checks that a parameter that does not matter has its default value. */
static hed_status check_unused(const hed_kernel_def *def, const hed_condition *condition,
    const hed_config *config, hed_error *error)
{
    uint32_t i = 0;
    while (strcmp(def->parameters[i].name, condition->parameter) != 0) i++;
    if (config->values[i] == def->parameters[i].value) return HED_OK;
    return hed_fail(error, HED_ERROR_UNSUPPORTED,
        "%s: %s=%lld where it does not matter (\"%s\" does not hold): it has to be %lld there",
        def->name, condition->parameter, (long long)config->values[i], condition->when,
        (long long)def->parameters[i].value);
}

hed_status hed_rules_check(
    const hed_rules *rules, const hed_config *config, const hed_problem *problem, hed_error *error)
{
    double values[SLOTS];
    uint32_t slots = 0;
    hed_status status = HED_OK;
    if (!rules) return HED_OK;
    const hed_kernel_def *def = rules->def;
    bool sized = problem && problem->count == def->dimension_count;
    for (uint32_t i = 0; i < def->parameter_count; i++) values[slots++] = (double)config->values[i];
    for (uint32_t i = 0; i < HED_DEVICE_CONSTANTS; i++) values[slots++] = rules->limits[i].value;
    for (uint32_t i = 0; i < def->dimension_count; i++)
        values[slots++] = sized ? (double)problem->sizes[i] : NAN;
    for (uint32_t i = 0; i < rules->count && !status; i++) {
        if (!is_known(rules, rules->expressions[i], sized)) continue;
        double value = hed_expression_value(rules->expressions[i], values);
        if (value != 0 && !isnan(value)) continue;
        if (i >= def->constraint_count)
            status = check_unused(def, &def->conditions[i - def->constraint_count], config, error);
        else
            status = hed_fail(error, HED_ERROR_UNSUPPORTED,
                "%s: the constraint \"%s\" does not hold", def->name, def->constraints[i]);
    }
    return status;
}

/* Space of a kernel on a device for a problem: its constraints and conditions, with the problem's
 * sizes and the device's limits as constants, filtered by hed_kernel_valid(). A parameter that the
 * kernel ignores on the device has one value: configurations that differ in it alone are
 * identical. */

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
    const hed_device_info *info = hed_device_describe(device);
    hed_constant constants[HED_DEVICE_CONSTANTS + HED_MAX_DIMENSIONS];
    uint32_t count = hed_device_constants(info, constants);
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
