/* Compiled constraints and conditions of a description, evaluated for one configuration at a
 * time. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "core/backend.h"
#include "launch/launcher.h"

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
