/* Shaders as tune files: values that the JSON omits are taken from the text of a shader in WGSL
 * (support/wgsl.h): entry point, parameters from overrides, the group, arguments from bindings, and
 * the limit of group memory. */
#include "tunefile/spec.h"

#include <string.h>

enum { LONGEST_SHADER = 1 << 20 };

static bool shader_keeps(void *user, const char *name)
{
    const hed_spec_kernel *kernel = user;
    for (uint32_t i = 0; i < kernel->def.parameter_count; i++)
        if (strcmp(kernel->parameters[i].name, name) == 0) return true;
    return false;
}

bool hed_spec_is_shader_file(const char *file, hed_language *language)
{
    static const struct {
        const char *ending;
        hed_language language;
    } endings[] = {
        {".wgsl", HED_WGSL}, {".comp", HED_GLSL}, {".glsl", HED_GLSL}, {".spv", HED_SPIRV}};
    size_t length = strlen(file);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t end = strlen(endings[i].ending);
        if (length <= end || strcmp(file + length - end, endings[i].ending) != 0) continue;
        *language = endings[i].language;
        return true;
    }
    return false;
}

void hed_spec_read_shader(hed_spec_reader *reader, hed_json_node node, hed_language language,
    const char *file, const char *entry, hed_source *source)
{
    hed_error error = {0};
    char *text = NULL;
    size_t size = 0;
    const char *path = file ? hed_spec_path(reader, node, file, 0) : reader->path;
    if (!hed_spec_read_path(reader, node, path, LONGEST_SHADER, &text, &size)) return;
    *source = (hed_source){.name = file ? file : path, .text = text, .size = size};
    hed_wgsl_free(reader->shader);
    reader->shader = NULL;
    if (language != HED_WGSL) {
        hed_spec_read_module(reader, node, language, source, entry);
        return;
    }
    hed_wgsl_read(path, text, size, entry, &reader->shader, &error);
    if (!error.status && reader->shader->halves && !(reader->device->capabilities & HED_CAN_FP16))
        hed_fail(&error, HED_ERROR_UNSUPPORTED,
            "%s enables f16, which %s (%s) does not have: take another browser or GPU, or f32",
            path, reader->device->id, reader->device->name);
    if (!error.status && reader->shader->subgroups &&
        !(reader->device->capabilities & HED_CAN_LANES))
        hed_fail(&error, HED_ERROR_UNSUPPORTED,
            "%s enables subgroups, which %s (%s) does not have: take another browser or GPU, or "
            "group memory",
            path, reader->device->id, reader->device->name);
    if (error.status) hed_json_fail_as(node, &error);
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
 * device's limit, a bool both values. Any other override keeps its value. */
static void add_parameter(hed_spec_reader *reader, hed_json_node node, hed_spec_kernel *kernel,
    const hed_wgsl_override *override)
{
    enum { MOST = 64 };
    uint32_t size = group_size_of(reader->shader, override), count = 0;
    if ((size == 3 && override->type != HED_WGSL_BOOL) ||
        (override->value.size && !override->plain))
        return;
    if (kernel->def.parameter_count == HED_MAX_PARAMETERS) {
        hed_json_reject(node, "a kernel has at most %d parameters", HED_MAX_PARAMETERS);
        return;
    }
    int64_t *values = hed_spec_allocate(reader, MOST * sizeof *values, node);
    if (!values) return;
    uint64_t limit = size == 3 ? 1 : reader->device->max_group_size[size];
    if (!limit || (size < 3 && reader->device->max_group && limit > reader->device->max_group))
        limit = reader->device->max_group ? reader->device->max_group : 1;
    if (size == 3) values[count++] = 0;
    for (uint64_t value = 1; value <= limit && count + 1 < MOST; value *= 2)
        values[count++] = (int64_t)value;
    int64_t initial = override->value.size ? (int64_t) override->number : values[count - 1];
    count = put_default(values, count, initial);
    kernel->parameters[kernel->def.parameter_count++] =
        (hed_parameter_def){.name = hed_spec_text(reader, node, "%s", override->name),
            .values = values,
            .count = count,
            .value = initial};
}

void hed_spec_shader_parameters(
    hed_spec_reader *reader, hed_json_node node, hed_spec_kernel *kernel)
{
    const hed_wgsl *shader = reader->shader;
    for (uint32_t i = 0; i < kernel->def.parameter_count && hed_spec_fine(reader); i++) {
        hed_parameter_def *parameter = &kernel->parameters[i];
        const hed_wgsl_override *override = find_override(shader, parameter->name);
        if (!override && kernel->def.language != HED_GLSL) /* other names are macros in GLSL */
            hed_json_reject(node, "\"%s\" is no override or specialization constant of the shader", parameter->name);
        else if (override && parameter->labels)
            hed_json_reject(
                node, "\"%s\": an override has numbers, no choices and texts", parameter->name);
        for (uint32_t j = 0; override && override->plain && j < parameter->count; j++)
            if (parameter->values[j] == (int64_t) override->number)
                parameter->value = parameter->values[j];
    }
    for (uint32_t i = 0; i < shader->override_count && hed_spec_fine(reader); i++) {
        const hed_wgsl_override *override = &shader->overrides[i];
        if (!shader_keeps(kernel, override->name)) add_parameter(reader, node, kernel, override);
        if (!override->value.size && !shader_keeps(kernel, override->name))
            hed_json_reject(node,
                "override \"%s\" in line %u of the shader has no value: give it one there, or a list "
                "in \"parameters\"",
                override->name, override->line);
    }
    uint32_t count = kernel->def.parameter_count;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < reader->spec->problem.count; j++)
            if (strcmp(kernel->parameters[i].name, reader->spec->dimensions[j]) == 0)
                hed_json_reject(node, "\"%s\" is an override and a size of the problem; rename one",
                    kernel->parameters[i].name);
}

/* ---- the group, and its memory ---- */

const char *hed_spec_shader_group(
    hed_spec_reader *reader, hed_json_node node, hed_spec_kernel *kernel, uint32_t index)
{
    hed_wgsl_span size = reader->shader->group[index];
    const char *text = hed_wgsl_expression(reader->shader, size, shader_keeps, kernel);
    if (!text) {
        hed_json_reject(node,
            "the size \"%.*s\" of @workgroup_size is not understood: give it in \"group\"",
            (int)size.size, size.at);
        return "1";
    }
    /* a single word is used in launch bounds, without the blank after it */
    return hed_spec_text(reader, node, "%.*s", (int)strlen(text) - 1, text);
}

void hed_spec_shader_memory(hed_spec_reader *reader, hed_json_node node, hed_spec_kernel *kernel)
{
    hed_wgsl *shader = reader->shader;
    if (shader->group_bytes && !shader->group_bytes[0]) return;
    const char *bytes = shader->group_bytes
                            ? hed_wgsl_expression(shader,
                                  (hed_wgsl_span){shader->group_bytes, strlen(shader->group_bytes)},
                                  shader_keeps, kernel)
                            : NULL;
    if (!bytes) {
        reader->spec->note =
            "how much group memory a configuration takes is not understood; the browser will say";
        return;
    }
    uint32_t count = kernel->def.constraint_count;
    const char **texts = hed_spec_allocate(reader, (count + 1) * sizeof *texts, node);
    if (!texts) return;
    if (count) memcpy(texts, kernel->def.constraints, count * sizeof *texts);
    texts[count] = hed_spec_text(reader, node, "%s <= local_bytes", bytes);
    hed_spec_expression_of(reader, kernel, node, texts[count]);
    kernel->def.constraints = texts;
    kernel->def.constraint_count = count + 1;
}

/* ---- arguments ---- */

static hed_type type_of(hed_wgsl_scalar scalar)
{
    return scalar == HED_WGSL_F32                              ? HED_FLOAT
           : scalar == HED_WGSL_U32 || scalar == HED_WGSL_BOOL ? HED_UINT32
           : scalar == HED_WGSL_I32                            ? HED_INT32
                                                               : HED_BYTES;
}

static double problem_elements(const hed_tune_file *spec)
{
    double elements = 1;
    for (uint32_t i = 0; i < spec->problem.count; i++) elements *= (double)spec->problem.sizes[i];
    return elements;
}

uint32_t hed_spec_shader_arguments(
    hed_spec_reader *reader, hed_json_node node, hed_spec_given given[HED_MAX_ARGUMENTS])
{
    const hed_wgsl *shader = reader->shader;
    uint32_t count = 0;
    for (uint32_t i = 0; i < shader->binding_count; i++) {
        const hed_wgsl_binding *binding = &shader->bindings[i];
        if (binding->uniform) continue;
        hed_type type = type_of(binding->element);
        uint32_t bytes = type == HED_BYTES ? 1 : 4;
        double elements = binding->bytes ? (double)binding->bytes / bytes
                          : type == HED_BYTES
                              ? problem_elements(reader->spec) * binding->stride
                              : problem_elements(reader->spec) * binding->per_element;
        given[count++] = (hed_spec_given){.name = hed_spec_text(reader, node, "%s", binding->name),
            .kind = HED_BUFFER,
            .type = type,
            .access = !binding->writable      ? HED_READ
                      : binding->only_written ? HED_WRITE
                                              : HED_READ_WRITE,
            .elements = elements};
    }
    for (uint32_t i = 0; i < shader->member_count; i++) {
        if (count == HED_MAX_ARGUMENTS) {
            hed_json_reject(node, "a kernel has at most %d arguments", HED_MAX_ARGUMENTS);
            break;
        }
        const hed_wgsl_member *member = &shader->members[i];
        if (member->type == HED_WGSL_F16)
            hed_json_fail(
                node, HED_ERROR_UNSUPPORTED, "\"%s\" is an f16 in a uniform", member->name);
        given[count] = (hed_spec_given){.name = hed_spec_text(reader, node, "%s", member->name),
            .kind = HED_SCALAR,
            .type = type_of(member->type),
            .value = NULL};
        for (uint32_t j = 0; j < reader->spec->problem.count; j++)
            if (strcmp(reader->spec->dimensions[j], member->name) == 0)
                given[count].value = reader->spec->dimensions[j];
        count++;
    }
    return count;
}
