/* Shaders as tune files: values that the JSON omits are taken from the text of a shader in WGSL
 * (support/wgsl.h): entry point, parameters from overrides, the group, arguments from bindings, and
 * the limit of group memory. */
#include "tunefile/spec.h"

#include "heddle/shader.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "support/file.h"

enum { LONGEST_SHADER = 1 << 20 };

bool hed_spec_is_shader_file(const char *file, hed_language *language)
{
    static const struct {
        const char *ending;
        hed_language language;
    } endings[] = {{".wgsl", HED_WGSL}, {".spv", HED_SPIRV}};
    size_t length = strlen(file);
    if (hed_is_glsl_path(file)) {
        *language = HED_GLSL;
        return true;
    }
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t end = strlen(endings[i].ending);
        if (length <= end || strcmp(file + length - end, endings[i].ending) != 0) continue;
        *language = endings[i].language;
        return true;
    }
    return false;
}

/* Refuses a macro of the JSON that the text does not have. */
static void refuse_unused_macros(hed_spec_reader *reader, hed_json_node node,
    const hed_spec_kernel *kernel, const hed_source *source)
{
    hed_wgsl_span json = hed_wgsl_comment(source->text, source->size);
    const char *rest = json.size ? json.at + json.size : source->text,
               *end = source->text + source->size;
    size_t before = json.size ? (size_t)(json.at - source->text) : 0;
    for (uint32_t i = 0; i < kernel->def.define_count && hed_spec_fine(reader); i++) {
        const char *name = kernel->def.defines[i].name;
        if (!memmem(source->text, before, name, strlen(name)) &&
            !memmem(rest, (size_t)(end - rest), name, strlen(name)))
            hed_json_reject(node, "\"defines\": the text does not have \"%s\"", name);
    }
}

/* Leaves the part of the compute shader in a text with parts of several stages. No compiler of GLSL
 * takes their heads: `#[compute]` of Godot, `#shader compute`, `#type compute`, `-- NAME`, of which
 * the first compute shader is taken. The other lines become empty, so that lines keep their
 * numbers. */
static void take_stage(hed_spec_reader *reader, hed_json_node node, hed_source *source)
{
    bool is_taken = false, is_compute = true;
    char *text = hed_spec_allocate(reader, strlen(source->text) + 1, node), *to = text;
    if (!text) return;
    for (const char *line = source->text; *line;) {
        size_t length = strcspn(line, "\n");
        bool is_part = !strncmp(line, "-- ", 3) && isalpha((unsigned char)line[3]),
             is_head = is_part || !strncmp(line, "#[", 2) || !strncmp(line, "#shader ", 8) ||
                       !strncmp(line, "#type ", 6);
        if (is_head) {
            const char *next = strstr(line, "\n-- ");
            size_t size = !is_part ? length : next ? (size_t)(next - line) : strlen(line);
            is_compute =
                !(is_part && is_taken) &&
                memmem(line, size, is_part ? "local_size_" : "compute", is_part ? 11 : 7) != NULL;
            is_taken = is_taken || is_compute;
        } else if (is_compute) {
            memcpy(to, line, length);
            to += length;
        }
        line += length;
        if (*line) *to++ = *line++;
    }
    *to = 0;
    if (!is_taken) return;
    source->text = text;
    source->size = (size_t)(to - text);
}

void hed_spec_read_shader(hed_spec_reader *reader, hed_json_node node, hed_spec_kernel *kernel,
    const char *file, const char *entry, const char *const *folders, hed_source *source)
{
    hed_language language = kernel->def.language;
    hed_error error = {0};
    char *text = NULL;
    size_t size = 0;
    const char *path = file ? hed_spec_path(reader, node, file, 0) : reader->path;
    if (!hed_spec_read_text(reader, node, path, LONGEST_SHADER, &text, &size)) return;
    *source = (hed_source){.name = file ? file : path, .text = text, .size = size};
    hed_wgsl_free(reader->shader);
    reader->shader = NULL;
    if (language != HED_WGSL) {
        if (language == HED_GLSL) {
            hed_json_node root = hed_json_root(reader->spec->json);
            take_stage(reader, node, source);
            if (hed_json_has(root, "source"))
                hed_spec_put_glsl_texts(reader, node, hed_json_member(root, "source"), source);
            hed_spec_put_includes(reader, node, path, folders, language, source);
            hed_spec_name_placeholders(reader, node, source);
            hed_spec_put_prelude(reader, node, source);
            hed_spec_complete_literals(reader, node, source);
            if (hed_spec_fine(reader)) hed_spec_free_constants(reader, node, source);
        }
        if (hed_spec_fine(reader)) hed_spec_read_module(reader, node, &kernel->def, source, entry);
        if (language == HED_GLSL) refuse_unused_macros(reader, node, kernel, source);
        return;
    }
    hed_json_node root = hed_json_root(reader->spec->json), none = {.json = root.json};
    hed_spec_join_wgsl(reader, node, hed_json_has(root, "source") ? hed_json_member(root, "source") : none,
        hed_json_has(root, "defines") ? hed_json_member(root, "defines") : none, path, source);
    if (!hed_spec_fine(reader)) return;
    hed_wgsl_read(path, source->text, source->size, reader->entry ? reader->entry : entry,
        &reader->shader, &error);
    if (!error.status && !hed_json_has(hed_json_root(reader->spec->json), "group"))
        hed_wgsl_name_sizes(reader->shader, &error);
    if (!error.status && reader->shader->halves && !(reader->device->capabilities & HED_CAN_FP16))
        hed_fail(&error, HED_ERROR_UNSUPPORTED,
            "%s enables f16, which %s (%s) does not have: take another browser (--browser "
            "firefox over lavapipe has it) or GPU, or f32 in its place: /* heddle {\"defines\": {\"f16\": \"f32\"}} */",
            path, reader->device->id, reader->device->name);
    if (!error.status && reader->shader->subgroups &&
        !(reader->device->capabilities & HED_CAN_LANES))
        hed_fail(&error, HED_ERROR_UNSUPPORTED,
            "%s enables subgroups, which %s (%s) does not have: take another browser or GPU, or "
            "group memory",
            path, reader->device->id, reader->device->name);
    if (!error.status) return;
    const char *hint = hed_spec_wgsl_hint(reader, node, path, error.text);
    snprintf(error.text + strlen(error.text), sizeof error.text - strlen(error.text), "%s", hint);
    hed_json_fail_as(node, &error);
}

/* ---- parameters ---- */

static const hed_wgsl_override *find_override(const hed_wgsl *shader, const char *name)
{
    for (uint32_t i = 0; i < shader->override_count; i++)
        if (strcmp(shader->overrides[i].name, name) == 0) return &shader->overrides[i];
    return NULL;
}

/* Returns the dimension whose group size is exactly this override; 3: not found. */
static uint32_t group_size_of(const hed_wgsl *shader, const hed_wgsl_override *override)
{
    uint32_t i = 0;
    while (i < shader->group_count &&
           (shader->group[i].size != strlen(override->name) ||
               memcmp(shader->group[i].at, override->name, shader->group[i].size) != 0))
        i++;
    return i < shader->group_count ? i : 3;
}

/* Inserts the default into the values, in ascending order. */
static uint32_t put_default(int64_t *values, uint32_t count, int64_t value)
{
    uint32_t place = 0;
    while (place < count && values[place] < value) place++;
    if (place < count && values[place] == value) return count;
    memmove(values + place + 1, values + place, (count - place) * sizeof *values);
    values[place] = value;
    return count + 1;
}

/* Adds a parameter that the JSON does not name: a size of the group gets powers of two up to the
 * device's limit, a bool whose name is a method both values, the bits of a type 16 and 32. Any
 * other override keeps its value. */
static void add_parameter(hed_spec_reader *reader, hed_json_node node, hed_spec_kernel *kernel,
    const hed_wgsl_override *override)
{
    enum { MOST = 64 };
    uint32_t size = group_size_of(reader->shader, override), count = 0;
    bool is_switch = override->type == HED_WGSL_BOOL && hed_spec_is_switch(override->name);
    bool is_half = override->type == HED_WGSL_F16 && override->is_text &&
                   reader->device->capabilities & HED_CAN_FP16;
    if ((size == 3 && !is_switch && !is_half) || (override->value.size && !override->plain)) return;
    if (kernel->def.parameter_count == HED_MAX_PARAMETERS) {
        hed_json_reject(node, "a kernel has at most %d parameters", HED_MAX_PARAMETERS);
        return;
    }
    int64_t *values = hed_spec_allocate(reader, MOST * sizeof *values, node);
    if (!values) return;
    uint64_t limit = size == 3 ? 1 : reader->device->max_group_size[size];
    if (!limit || (size < 3 && reader->device->max_group && limit > reader->device->max_group))
        limit = reader->device->max_group ? reader->device->max_group : 1;
    if (is_half) values[count++] = 16, limit = 0;
    else if (size == 3) values[count++] = 0;
    for (uint64_t value = 1; value <= limit && count + 1 < MOST; value *= 2)
        values[count++] = (int64_t)value;
    static const int64_t usual[] = {1, 64, 8, 4}; /* entry: number of sizes that the group has */
    int64_t initial = override->value.size ? (int64_t) override->number
                      : size == 3          ? values[count - 1]
                                           : usual[reader->shader->group_count];
    if (size < 3 && !override->value.size && initial > (int64_t)limit) initial = (int64_t)limit;
    count = put_default(values, count, is_half ? 32 : initial);
    if (is_half) reader->has_halves = true;
    kernel->parameters[kernel->def.parameter_count++] =
        (hed_parameter_def){.name = hed_spec_text(reader, node, "%s", override->name),
            .values = values,
            .count = count,
            .value = initial};
}

/* Gives an override that is no parameter its value if the text lacks one or the caller sets one: a
 * define, which the page gives to each pipeline. A size with the value 0 lacks one too: with it no
 * item works. */
static void fix_override(hed_spec_reader *reader, hed_json_node node, hed_spec_kernel *kernel,
    const hed_wgsl_override *override)
{
    const hed_wgsl_member member = {.name = override->name, .type = override->type};
    bool is_whole = member.type == HED_WGSL_U32 || member.type == HED_WGSL_I32,
         is_zero = is_whole && override->plain && override->number == 0;
    double value = 0;
    bool is_set = hed_spec_setting(reader, override->name, &value);
    uint32_t count = kernel->def.define_count;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(kernel->def.defines[i].name, override->name) == 0 && !is_set) return;
    if (!is_set && override->value.size && !is_zero) return;
    if (!is_set) value = hed_spec_invent_override(reader, kernel, &member);
    if (!is_set && override->value.size && value <= 1) return; /* no size */
    hed_define *defines = hed_spec_allocate(reader, (count + 1) * sizeof *defines, node);
    if (!defines) return;
    if (count) memcpy(defines, kernel->def.defines, count * sizeof *defines);
    defines[count] = (hed_define){hed_spec_text(reader, node, "%s", override->name),
        hed_spec_text(reader, node, "%.9g", value)};
    kernel->def.defines = defines;
    kernel->def.define_count = count + 1;
}

/* Adds the width of subgroups on a device that has several; 0 (the driver's choice) comes first in
 * a text that does not depend on the width. */
static void add_width(hed_spec_reader *reader, hed_json_node node, hed_spec_kernel *kernel)
{
    enum { MOST = 33 };
    const uint64_t widths = reader->device->capabilities >> HED_SUBGROUP_WIDTHS;
    uint32_t count = 0;
    bool uses_subgroups = reader->uses_subgroups || reader->shader->subgroups;
    if (!uses_subgroups || reader->shader->sets_width || !widths ||
        kernel->def.parameter_count == HED_MAX_PARAMETERS ||
        hed_spec_shader_keeps(kernel, HED_SUBGROUP_SIZE))
        return;
    int64_t *values = hed_spec_allocate(reader, MOST * sizeof *values, node);
    if (!values) return;
    if (!reader->sizes.names_width) values[count++] = 0;
    for (uint64_t width = 1; width <= widths; width *= 2)
        if (width & widths) values[count++] = (int64_t)width;
    kernel->parameters[kernel->def.parameter_count++] =
        (hed_parameter_def){.name = HED_SUBGROUP_SIZE,
            .values = values,
            .count = count,
            .value = reader->sizes.names_width ? reader->device->lane_width : 0};
}

void hed_spec_shader_parameters(
    hed_spec_reader *reader, hed_json_node node, hed_spec_kernel *kernel)
{
    const hed_wgsl *shader = reader->shader;
    for (uint32_t i = 0; i < kernel->def.parameter_count && hed_spec_fine(reader); i++) {
        hed_parameter_def *parameter = &kernel->parameters[i];
        const hed_wgsl_override *override = find_override(shader, parameter->name);
        bool is_width = !strcmp(parameter->name, HED_SUBGROUP_SIZE);
        if (!override && !is_width &&
            kernel->def.language != HED_GLSL) /* other names are macros in GLSL */
            hed_json_reject(node, "\"%s\" is no override or specialization constant of the shader",
                parameter->name);
        else if (override && parameter->labels)
            hed_json_reject(
                node, "\"%s\": an override has numbers, no choices and texts", parameter->name);
        for (uint32_t j = 0; override && override->plain && j < parameter->count; j++)
            if (parameter->values[j] == (int64_t) override->number)
                parameter->value = parameter->values[j];
    }
    for (uint32_t i = 0; i < shader->override_count && hed_spec_fine(reader); i++) {
        const hed_wgsl_override *override = &shader->overrides[i];
        if (!hed_spec_shader_keeps(kernel, override->name))
            add_parameter(reader, node, kernel, override);
    }
    for (uint32_t i = 0; i < shader->override_count && hed_spec_fine(reader); i++)
        if (!hed_spec_shader_keeps(kernel, shader->overrides[i].name))
            fix_override(reader, node, kernel, &shader->overrides[i]);
    if (hed_spec_fine(reader)) add_width(reader, node, kernel);
    uint32_t count = kernel->def.parameter_count;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < reader->spec->problem.count; j++)
            if (strcmp(kernel->parameters[i].name, reader->spec->dimensions[j]) == 0)
                hed_json_reject(node, "\"%s\" is an override and a size of the problem; rename one",
                    kernel->parameters[i].name);
}

/* ---- the group, and its memory ---- */

static void add_constraint(
    hed_spec_reader *reader, hed_json_node node, hed_spec_kernel *kernel, const char *text)
{
    uint32_t count = kernel->def.constraint_count;
    const char **texts = hed_spec_allocate(reader, (count + 1) * sizeof *texts, node);
    if (!texts) return;
    if (count) memcpy(texts, kernel->def.constraints, count * sizeof *texts);
    texts[count] = text;
    hed_spec_expression_of(reader, kernel, node, text);
    kernel->def.constraints = texts;
    kernel->def.constraint_count = count + 1;
}

void hed_spec_shader_memory(hed_spec_reader *reader, hed_json_node node, hed_spec_kernel *kernel)
{
    hed_wgsl *shader = reader->shader;
    if (shader->group_bytes && !shader->group_bytes[0]) return;
    const char *bytes = shader->group_bytes
                            ? hed_wgsl_expression(shader,
                                  (hed_wgsl_span){shader->group_bytes, strlen(shader->group_bytes)},
                                  hed_spec_shader_keeps, kernel)
                            : NULL;
    if (!bytes) {
        hed_spec_add_note(reader, node,
            "how much group memory a configuration takes is not understood; the browser will say");
        return;
    }
    add_constraint(reader, node, kernel, hed_spec_text(reader, node, "%s <= local_bytes", bytes));
}

void hed_spec_shader_cover(hed_spec_reader *reader, hed_json_node node, hed_spec_kernel *kernel,
    uint32_t dimension, const char *elements)
{
    const char *name = reader->spec->dimensions[dimension],
               *rest = hed_spec_text(reader, node, "%s %% (%s)", name, elements);
    int64_t size = reader->spec->problem.sizes[dimension];
    double value;
    bool is_whole = hed_spec_setting(reader, name, &value) && (size & (size - 1));
    hed_expression *expression = hed_spec_expression_of(reader, kernel, node, rest);
    if (is_whole || !hed_spec_uses_parameters(kernel, expression) ||
        hed_spec_usual_value(reader, kernel, expression) != 0)
        return;
    add_constraint(reader, node, kernel, hed_spec_text(reader, node, "%s == 0", rest));
}

/* ---- arguments ---- */

static hed_type type_of(hed_wgsl_scalar scalar)
{
    return scalar == HED_WGSL_F32                              ? HED_FLOAT
           : scalar == HED_WGSL_U32 || scalar == HED_WGSL_BOOL ? HED_UINT32
           : scalar == HED_WGSL_I32                            ? HED_INT32
                                                               : HED_BYTES;
}

/* Returns the bytes of a storage buffer, or of the rows of a texture. */
static double binding_bytes(const hed_tune_file *spec, const hed_wgsl_binding *binding)
{
    if (binding->resource) {
        hed_wgsl_texture t;
        hed_wgsl_texture_size(binding, spec->problem.sizes, spec->problem.count, &t);
        return (double)t.row_bytes * t.height * t.layers;
    }
    if (binding->uniform) return (binding->bytes + 15) / 16 * 16;
    if (binding->bytes) return binding->bytes;
    double elements = 1;
    for (uint32_t i = 0; i < spec->problem.count; i++) elements *= (double)spec->problem.sizes[i];
    return binding->header + elements * binding->factor * binding->stride;
}

static hed_spec_given give_buffer(
    hed_spec_reader *reader, hed_json_node node, const hed_wgsl_binding *binding)
{
    hed_type type = binding->uniform ? HED_BYTES : type_of(binding->element);
    bool is_push = strcmp(binding->name, HED_SPEC_PUSH) == 0;
    return (hed_spec_given){.name = hed_spec_text(reader, node, "%s", binding->name),
        .kind = is_push ? HED_STRUCT : HED_BUFFER,
        .type = type,
        .access = !binding->writable      ? HED_READ
                  : binding->only_written ? HED_WRITE
                                          : HED_READ_WRITE,
        .elements = binding_bytes(reader->spec, binding) / (type == HED_BYTES ? 1 : 4),
        .binding = binding,
        .compare = reader->shader->is_unordered && binding->writable ? HED_COMPARE_SORTED
                                                                     : HED_COMPARE_EACH};
}

/* True if the numbers of a uniform are arguments of their own; else the uniform is one argument:
 * with matrices, arrays and halves, where there are too many numbers, and a uniform block of
 * GLSL. */
static bool has_own_numbers(const hed_spec_reader *reader, uint32_t binding, uint32_t count)
{
    const hed_wgsl_binding *uniform = &reader->shader->bindings[binding];
    if (reader->spec->kernel.def.language != HED_WGSL)
        return strcmp(uniform->name, HED_SPEC_PUSH) == 0 && !reader->push_bytes &&
               count + uniform->number_count <= HED_MAX_ARGUMENTS;
    return uniform->plain && count + uniform->number_count <= HED_MAX_ARGUMENTS;
}

static uint32_t give_numbers(
    hed_spec_reader *reader, hed_json_node node, uint32_t binding, hed_spec_given *given)
{
    const hed_wgsl *shader = reader->shader;
    uint32_t count = 0;
    for (uint32_t i = 0; i < shader->member_count; i++) {
        const hed_wgsl_member *member = &shader->members[i];
        if (member->binding != binding) continue;
        given[count] = (hed_spec_given){.name = hed_spec_text(reader, node, "%s", member->name),
            .kind = HED_SCALAR,
            .type = type_of(member->type)};
        for (uint32_t j = 0; j < reader->spec->problem.count; j++)
            if (strcmp(reader->spec->dimensions[j], member->name) == 0)
                given[count].value = reader->spec->dimensions[j];
        double value = 0;
        bool is_set = hed_spec_setting(reader, member->name, &value);
        if (is_set || !given[count].value)
            given[count].value = is_set ? hed_spec_text(reader, node, "%.9g", value)
                                        : hed_spec_invent_value(reader, node, member);
        count++;
    }
    return count;
}

uint32_t hed_spec_shader_arguments(
    hed_spec_reader *reader, hed_json_node node, hed_spec_given given[HED_MAX_ARGUMENTS])
{
    const hed_wgsl *shader = reader->shader;
    uint32_t count = 0, uniforms = 0;
    for (uint32_t i = 0; i < shader->binding_count; i++) {
        const hed_wgsl_binding *binding = &shader->bindings[i];
        bool is_sampler = binding->resource == HED_WGSL_SAMPLER ||
                          binding->resource == HED_WGSL_COMPARISON_SAMPLER;
        if (binding->uniform) uniforms++;
        else if (!is_sampler) given[count++] = give_buffer(reader, node, binding);
    }
    for (uint32_t i = 0; i < shader->binding_count; i++) {
        if (!shader->bindings[i].uniform) continue;
        uniforms--;
        if (has_own_numbers(reader, i, count + uniforms))
            count += give_numbers(reader, node, i, given + count);
        else given[count++] = give_buffer(reader, node, &shader->bindings[i]);
    }
    return count;
}
