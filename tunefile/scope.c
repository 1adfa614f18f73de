/* Names and expressions of tune files: parameters, dimensions and the device's limits. */
#include "tunefile/spec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Allocates from the arena, for expressions. */
static void *arena_allocate(void *arena, size_t size, size_t alignment)
{
    (void)alignment; /* 64, which suffices */
    return hed_arena_new(arena, size, 1, NULL);
}

static void arena_release(void *arena, void *memory, size_t size)
{
    (void)arena, (void)memory, (void)size;
}

bool hed_spec_is_name(const char *text)
{
    static const char *const reserved[] = {
        "and", "or", "not", "in", "if", "else", "true", "false", "True", "False"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(text, reserved[i]) == 0) return false;
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return text[0] && strspn(text, letters) == strlen(text) && !(text[0] >= '0' && text[0] <= '9');
}

void hed_spec_set_scope(hed_spec_reader *reader, hed_spec_kernel *kernel)
{
    hed_constant constants[HED_DEVICE_CONSTANTS];
    hed_device_constants(reader->device, constants);
    uint32_t slot = 0;
    for (uint32_t i = 0; i < kernel->def.parameter_count; i++)
        kernel->names[slot++] = kernel->parameters[i].name;
    for (uint32_t i = 0; i < reader->spec->problem.count; i++)
        kernel->names[slot++] = reader->spec->dimensions[i];
    for (uint32_t i = 0; i < HED_DEVICE_CONSTANTS; i++) {
        kernel->names[slot++] = constants[i].name;
        kernel->constants[i] = constants[i].value;
    }
}

void hed_spec_values(const hed_spec_kernel *kernel, const hed_config *config,
    const hed_problem *problem, double *values)
{
    for (uint32_t i = 0; i < kernel->def.parameter_count; i++)
        *values++ = (double)config->values[i];
    for (uint32_t i = 0; i < kernel->def.dimension_count; i++)
        *values++ = (double)problem->sizes[i];
    memcpy(values, kernel->constants, sizeof kernel->constants);
}

hed_expression *hed_spec_compile(hed_spec_reader *reader, const hed_allocator *allocator,
    const hed_expression_names *names, hed_json_node node, const char *text)
{
    hed_expression *expression = NULL;
    hed_error error = {0};
    if (hed_spec_fine(reader) && hed_expression_create(allocator, text, names, &expression, &error))
        hed_json_fail(node, error.status == HED_ERROR_MEMORY ? HED_ERROR_MEMORY : HED_ERROR_FORMAT,
            "%s", error.text);
    return expression;
}

hed_allocator hed_spec_allocator(hed_spec_reader *reader)
{
    return (hed_allocator){&reader->spec->arena, arena_allocate, arena_release};
}

hed_expression *hed_spec_expression_of(
    hed_spec_reader *reader, const hed_spec_kernel *kernel, hed_json_node node, const char *text)
{
    hed_expression_names names = {kernel->names,
        kernel->def.parameter_count + reader->spec->problem.count + HED_DEVICE_CONSTANTS,
        kernel->parameters, kernel->def.parameter_count};
    hed_allocator allocator = hed_spec_allocator(reader);
    return hed_spec_compile(reader, &allocator, &names, node, text);
}

hed_expression *hed_spec_expression(
    hed_spec_reader *reader, const hed_spec_kernel *kernel, hed_json_node node)
{
    if (hed_json_kind_of(node) != HED_JSON_NUMBER)
        return hed_spec_expression_of(reader, kernel, node, hed_json_string(node));
    char digits[40];
    snprintf(digits, sizeof digits, "%.17g", hed_json_number(node, -1e300, 1e300));
    return hed_spec_expression_of(reader, kernel, node, digits);
}

bool hed_spec_uses_parameters(const hed_spec_kernel *kernel, const hed_expression *expression)
{
    for (uint32_t i = 0; expression && i < kernel->def.parameter_count; i++)
        if (hed_expression_uses(expression, i)) return true;
    return false;
}

double hed_spec_usual_value(
    hed_spec_reader *reader, const hed_spec_kernel *kernel, const hed_expression *expression)
{
    hed_spec_kernel plain = {.def.parameter_count = kernel->def.parameter_count,
        .def.dimension_count = reader->spec->problem.count};
    hed_config config = {.count = kernel->def.parameter_count};
    double values[sizeof kernel->names / sizeof *kernel->names];
    for (uint32_t i = 0; i < config.count; i++) config.values[i] = kernel->parameters[i].value;
    memcpy(plain.constants, kernel->constants, sizeof plain.constants);
    hed_spec_values(&plain, &config, &reader->spec->problem, values);
    return hed_expression_value(expression, values);
}

double hed_spec_largest(hed_spec_reader *reader, hed_json_node node, const hed_spec_kernel *kernel,
    const hed_expression *size)
{
    enum { MOST = 1 << 20 };
    double values[sizeof kernel->names / sizeof *kernel->names], largest = 0;
    hed_config config = {.count = kernel->def.parameter_count};
    uint32_t used[HED_MAX_PARAMETERS], used_count = 0;
    uint64_t total = 1;
    for (uint32_t i = 0; i < kernel->def.parameter_count; i++) {
        config.values[i] = kernel->parameters[i].values[0];
        if (!size || !hed_expression_uses(size, i)) continue;
        used[used_count++] = i;
        total = total > MOST ? total : total * kernel->parameters[i].count;
    }
    if (total > MOST)
        hed_json_fail(node, HED_ERROR_LIMIT,
            "this size has more than %d values: let it depend on fewer parameters", MOST);
    hed_spec_kernel plain = {.def.parameter_count = kernel->def.parameter_count,
        .def.dimension_count = reader->spec->problem.count};
    memcpy(plain.constants, kernel->constants, sizeof plain.constants);
    for (uint64_t n = 0; size && n < total && total <= MOST; n++) {
        uint64_t left = n;
        for (uint32_t i = 0; i < used_count; left /= kernel->parameters[used[i]].count, i++)
            config.values[used[i]] =
                kernel->parameters[used[i]].values[left % kernel->parameters[used[i]].count];
        hed_spec_values(&plain, &config, &reader->spec->problem, values);
        double value = hed_expression_value(size, values);
        /* an undefined value, or less than one element, means that the configuration has no
         * launch */
        if (value > largest) largest = value;
    }
    return ceil(largest);
}

double hed_spec_number_of(hed_spec_reader *reader, hed_json_node node, const char *text)
{
    hed_tune_file *spec = reader->spec;
    hed_spec_kernel plain = {.def.dimension_count = spec->problem.count};
    hed_spec_set_scope(reader, &plain);
    hed_expression *expression = hed_spec_expression_of(reader, &plain, node, text);
    double values[HED_MAX_DIMENSIONS + HED_DEVICE_CONSTANTS];
    if (!expression) return 0;
    hed_spec_values(&plain, NULL, &spec->problem, values);
    double value = hed_expression_value(expression, values);
    if (isfinite(value)) return value;
    hed_json_reject(node, "\"%s\" has no value here: it divides by zero, or is too large", text);
    return 0;
}

/* ---- shaders ---- */

bool hed_spec_shader_keeps(void *user, const char *name)
{
    const hed_spec_kernel *kernel = user;
    for (uint32_t i = 0; i < kernel->def.parameter_count; i++)
        if (strcmp(kernel->parameters[i].name, name) == 0) return true;
    return false;
}

const char *hed_spec_shader_group(
    hed_spec_reader *reader, hed_json_node node, hed_spec_kernel *kernel, uint32_t index)
{
    hed_wgsl_span size = reader->shader->group[index];
    const char *text = hed_wgsl_expression(reader->shader, size, hed_spec_shader_keeps, kernel);
    if (!text) {
        hed_json_reject(node,
            "the size \"%.*s\" of @workgroup_size is not understood: give it in \"group\"",
            (int)size.size, size.at);
        return "1";
    }
    /* a single word is used in launch bounds, without the blank after it */
    return hed_spec_text(reader, node, "%.*s", (int)strlen(text) - 1, text);
}
