/* Validity of descriptions and configurations on a device, and the configuration used without any
 * choice. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "core/program.h"
#include "launch/launcher.h"
#include "search/space_rows.h"

/* maximum number of configurations examined if the default is invalid */
enum { SEARCH_LIMIT = 1 << 20 };

enum { LONGEST_SYMBOL = 510 }; /* bytes of a name, to which NVRTC prepends an ampersand */

static hed_status missing_word(
    const hed_kernel_def *def, const char *kind, uint32_t index, hed_error *error)
{
    return hed_fail(
        error, HED_ERROR_ARGUMENT, "%s: %s %u has no name or no value", def->name, kind, index);
}

/* Checks that all names exist: they are used in messages, texts and the cache. */
static hed_status check_words(const hed_kernel_def *def, hed_error *error)
{
    for (uint32_t i = 0; i < def->argument_count; i++)
        if (!def->arguments[i].name) return missing_word(def, "argument", i, error);
    for (uint32_t i = 0; i < def->parameter_count; i++)
        if (!def->parameters[i].name) return missing_word(def, "parameter", i, error);
    for (uint32_t i = 0; i < def->dimension_count; i++)
        if (!def->dimensions[i]) return missing_word(def, "dimension", i, error);
    for (uint32_t i = 0; i < def->define_count; i++)
        if (!def->defines[i].name || !def->defines[i].value)
            return missing_word(def, "define", i, error);
    for (uint32_t i = 0; i < def->source_count; i++)
        if (!def->sources[i].name) return missing_word(def, "source", i, error);
    return HED_OK;
}

/* Checks that each list with a count is not NULL. */
static hed_status check_lists(const hed_kernel_def *def, hed_error *error)
{
    const struct {
        const char *name;
        const void *list;
        uint32_t count;
    } lists[] = {{"sources", def->sources, def->source_count},
        {"texts", def->texts, def->text_count}, {"arguments", def->arguments, def->argument_count},
        {"parameters", def->parameters, def->parameter_count},
        {"constraints", def->constraints, def->constraint_count},
        {"conditions", def->conditions, def->condition_count},
        {"defines", def->defines, def->define_count}, {"options", def->options, def->option_count},
        {"dimensions", def->dimensions, def->dimension_count}};
    for (size_t i = 0; i < HED_COUNT(lists); i++)
        if (lists[i].count && !lists[i].list)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "%s: hed_kernel_def.%s is NULL; expected %u of them", def->name, lists[i].name,
                lists[i].count);
    for (uint32_t i = 0; i < def->parameter_count; i++)
        if (def->parameters[i].count && !def->parameters[i].values)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "%s: values of parameter %u are NULL; expected %u of them", def->name, i,
                def->parameters[i].count);
    return HED_OK;
}

static hed_status check_description(const hed_kernel_def *def, hed_error *error)
{
    if (!def->name)
        return hed_fail(error, HED_ERROR_ARGUMENT, "hed_kernel_def.name is NULL; expected a name");
    if (def->argument_count > HED_MAX_ARGUMENTS || def->parameter_count > HED_MAX_PARAMETERS ||
        def->dimension_count > HED_MAX_DIMENSIONS)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: %u arguments, %u parameters, %u dimensions; expected at most %d, %d, %d",
            def->name, def->argument_count, def->parameter_count, def->dimension_count,
            HED_MAX_ARGUMENTS, HED_MAX_PARAMETERS, HED_MAX_DIMENSIONS);
    hed_status status = check_lists(def, error);
    if (!status) status = check_words(def, error);
    if (status) return status;
    for (uint32_t i = 0; i < def->argument_count; i++) {
        const hed_argument_def *argument = &def->arguments[i];
        size_t limit = argument->symbol ? HED_MAX_SYMBOL_BYTES : HED_MAX_STRUCT_BYTES;
        if (argument->kind == HED_STRUCT && (argument->size == 0 || argument->size > limit))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "%s: struct argument \"%s\" has %zu bytes; expected 1 to %zu", def->name,
                argument->name, argument->size, limit);
        if (argument->symbol && (argument->kind != HED_STRUCT || def->language != HED_CUDA_C))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "%s: argument \"%s\" cannot be a symbol: those are structs of texts in CUDA C",
                def->name, argument->name);
        if (argument->symbol && strlen(argument->name) > LONGEST_SYMBOL)
            return hed_fail(error, HED_ERROR_LIMIT,
                "%s: symbol \"%.60s...\" has %zu bytes; expected at most %d", def->name,
                argument->name, strlen(argument->name), LONGEST_SYMBOL);
    }
    return HED_OK;
}

/* First capability that the description needs and the device lacks, or NULL. */
static const char *missing_capability(
    const hed_kernel_def *def, const hed_device *device, hed_math math)
{
    hed_language language = hed_kernel_text_for(device, def).language;
    uint64_t needs = def->needs | (math == HED_MATH_STRICT ? HED_CAN_STRICT : 0) |
                     (language == HED_CUDA_C ? HED_CAN_CUDA_C : 0);
    uint64_t missing = needs & ~device->info.capabilities, first = missing & -missing;
    if (!missing) return NULL;
    const char *name = first <= UINT32_MAX ? hed_capability_name((uint32_t)first) : NULL;
    return name ? name : "a capability that is not known to this version";
}

static hed_status fail_language(
    const hed_kernel_def *def, const hed_device *device, hed_error *error)
{
    char languages[128] = "";
    size_t used = 0;
    for (int i = 0; i < HED_LANGUAGE_COUNT; i++)
        if (hed_device_languages(device) >> i & 1)
            used += (size_t)snprintf(languages + used, sizeof languages - used, "%s%s",
                used ? " and " : "", hed_language_name((hed_language)i));
    return hed_fail(error, HED_ERROR_UNSUPPORTED, "%s is written in %s: %s (%s) takes %s",
        def->name, hed_language_name(def->language), device->info.id, device->info.name, languages);
}

static hed_status resolve_check_device(
    const hed_kernel_def *def, const hed_device *device, hed_math math, hed_error *error)
{
    const char *missing = missing_capability(def, device, math);
    if (missing)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "%s needs \"%s\", which %s (%s) does not have", def->name, missing, device->info.id,
            device->info.name);
    if (!device->backend->build && !def->range && !def->team)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "%s has no native function, only kernel text, and so does not run on %s", def->name,
            device->info.id);
    const hed_kernel_text text = hed_kernel_text_for(device, def);
    if (device->backend->build && text.source_count == 0)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "%s has no kernel text, only a native function, and so runs on host alone", def->name);
    if (device->backend->build && !(hed_device_languages(device) >> text.language & 1))
        return fail_language(def, device, error);
    return HED_OK;
}

static hed_status check_values(
    const hed_kernel_def *def, const hed_config *config, hed_error *error)
{
    if (config->count != def->parameter_count)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s: configuration has %u values; expected %u",
            def->name, config->count, def->parameter_count);
    for (uint32_t i = 0; i < def->parameter_count; i++) {
        const hed_parameter_def *parameter = &def->parameters[i];
        if (hed_parameter_place(parameter, config->values[i]) == parameter->count)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "%s: %s=%lld is not among the parameter's values", def->name, parameter->name,
                (long long)config->values[i]);
    }
    return HED_OK;
}

hed_status hed_config_check(const hed_device *device, const hed_kernel_def *def,
    const hed_rules *rules, const hed_config *config, const hed_problem *problem, hed_math math,
    hed_error *error)
{
    hed_status status = check_values(def, config, error);
    if (status) return status;
    status = hed_rules_check(rules, config, problem, error);
    if (status) return status;
    uint32_t bound = hed_config_max_threads(def, config);
    if (bound > device->info.max_group)
        return hed_fail(error, HED_ERROR_LIMIT, "%s: groups of up to %u work items: %s allows %u",
            def->name, bound, device->info.id, device->info.max_group);
    if (def->valid && !def->valid(def, config, &device->info, math == HED_MATH_STRICT)) {
        char text[256];
        hed_config_format(def, config, text, sizeof text);
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "%s: [%s] is not valid on %s in %s mode by its valid()", def->name, text,
            device->info.id, math == HED_MATH_STRICT ? "strict" : "fast");
    }
    if (!def->geometry || !problem) return HED_OK;
    hed_geometry geometry = {0};
    def->geometry(def, config, problem, &geometry);
    return hed_geometry_settle(def, device, NULL, bound, &geometry, error);
}

hed_status hed_description_check(
    const hed_device *device, const hed_kernel_def *def, hed_math math, hed_error *error)
{
    hed_status status = check_description(def, error);
    return status ? status : resolve_check_device(def, device, math, error);
}

bool hed_kernel_valid(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_device *device, hed_math math, char *reason, size_t size)
{
    if (!def || !config || !device) return false;
    /* building messages takes time, and spaces call this often */
    hed_error local_error, *error = reason ? &local_error : NULL;
    local_error.status = HED_OK;
    hed_rules *rules = NULL;
    bool valid = !hed_description_check(device, def, math, error) &&
                 !hed_rules_create(device, def, &rules, error) &&
                 !hed_config_check(device, def, rules, config, problem, math, error);
    hed_rules_destroy(rules);
    if (!valid && reason) hed_text_copy(reason, size, local_error.text);
    return valid;
}

hed_status hed_resolve_default(const hed_device *device, const hed_kernel_def *def,
    const hed_rules *rules, const hed_problem *problem, hed_math math, hed_config *config,
    hed_error *error)
{
    *config = hed_config_default(def);
    hed_status status = hed_config_check(device, def, rules, config, problem, math, error);
    uint64_t count = hed_config_count(def);
    for (uint64_t i = 0; status && i < count && i < SEARCH_LIMIT; i++) {
        hed_config candidate = hed_config_at(def, i);
        if (hed_config_check(device, def, rules, &candidate, problem, math, NULL)) continue;
        *config = candidate;
        hed_error_clear(error);
        return HED_OK;
    }
    return status;
}
