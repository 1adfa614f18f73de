/* A kernel and its candidates as JSON for the page. */
#include "web/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/author.h"
#include "heddle/shader.h"

/* Writes bytes in hexadecimal digits. */
static json_t *digits_of(const unsigned char *bytes, size_t size)
{
    char *digits = malloc(2 * size + 1);
    for (size_t i = 0; digits && i < size; i++) snprintf(digits + 2 * i, 3, "%02x", bytes[i]);
    json_t *text = digits ? json_stringn(digits, 2 * size) : NULL;
    free(digits);
    return text;
}

/* Writes the bytes of a uniform, from its argument or from the numbers, each at its offset; `geometry`
 * (nullable) has the numbers that depend on the configuration. */
static json_t *uniform_of(const hed_runner_def *def, const hed_wgsl *shader, uint32_t binding,
    const hed_geometry *geometry)
{
    const hed_wgsl_binding *uniform = &shader->bindings[binding];
    unsigned char bytes[HED_MAX_STRUCT_BYTES] = {0};
    uint32_t size = uniform->bytes < sizeof bytes ? (uniform->bytes + 15) / 16 * 16 : 0,
             whole = hed_job_argument(def->kernel, uniform->name);
    if (whole < def->kernel->argument_count && def->kernel->arguments[whole].kind == HED_BUFFER)
        return digits_of(def->arguments[whole].data, def->arguments[whole].bytes);
    for (uint32_t i = 0; i < shader->member_count; i++) {
        const hed_wgsl_member *member = &shader->members[i];
        uint32_t j = hed_job_argument(def->kernel, member->name);
        if (member->binding != binding || j == def->kernel->argument_count ||
            member->offset + 4 > size)
            continue;
        bool by_config = geometry && def->kernel->arguments[j].by_config;
        memcpy(bytes + member->offset,
            by_config ? (const void *)&geometry->local_bytes[j] : def->arguments[j].data, 4);
    }
    return digits_of(bytes, size);
}

/* Describes a texture or a sampler. */
static json_t *resource_of(const hed_runner_def *def, const hed_wgsl_binding *binding)
{
    hed_wgsl_texture t;
    if (binding->resource == HED_WGSL_SAMPLER || binding->resource == HED_WGSL_COMPARISON_SAMPLER)
        return json_pack(
            "{ss}", "sampler", binding->resource == HED_WGSL_SAMPLER ? "filtering" : "comparison");
    hed_wgsl_texture_size(binding, def->problem->sizes, def->problem->count, &t);
    return json_pack("{ss ss ss? ss? s[III] sI}", "shape", binding->shape, "format",
        binding->format, "sample", binding->sample, "access", binding->access, "size",
        (json_int_t)t.width, (json_int_t)t.height, (json_int_t)t.layers, "row",
        (json_int_t)t.row_bytes);
}

/* Describes a storage buffer: its argument, contents and comparison. */
static json_t *buffer_of(const hed_runner_def *def, uint32_t index)
{
    static const char *const compares[] = {"each", "sum", "sorted"};
    static const char *const types[HED_TYPE_COUNT] = {"u8", "i32", "u32", "", "", "f32", ""};
    const hed_argument_def *argument = &def->kernel->arguments[index];
    const hed_runner_argument *content = &def->arguments[index];
    return json_pack("{sI sI ss ss sf sb sb sb sb sb}", "argument", (json_int_t)index, "bytes",
        (json_int_t)content->bytes, "type", types[argument->type], "compare",
        compares[argument->compare], "tolerance", content->tolerance, "first",
        content->data != NULL, "expected", content->expected != NULL, "marks",
        content->marks != NULL, "written", argument->access != HED_READ, "in_place",
        argument->access == HED_READ_WRITE && content->data != NULL);
}

uint32_t hed_job_argument(const hed_kernel_def *kernel, const char *name)
{
    uint32_t i = 0;
    while (i < kernel->argument_count && strcmp(kernel->arguments[i].name, name) != 0) i++;
    return i;
}

json_t *hed_job_bindings(const hed_runner_def *def, const hed_wgsl *shader)
{
    const hed_kernel_def *kernel = def->kernel;
    json_t *list = json_array();
    for (uint32_t i = 0; list && i < shader->binding_count; i++) {
        const hed_wgsl_binding *binding = &shader->bindings[i];
        uint32_t index = hed_job_argument(kernel, binding->name);
        bool has_content = !binding->uniform && index < kernel->argument_count;
        json_t *object = has_content ? buffer_of(def, index) : json_object();
        if (binding->uniform) json_object_set_new(object, "uniform", uniform_of(def, shader, i, NULL));
        if (binding->resource) json_object_set_new(object, "resource", resource_of(def, binding));
        if (binding->writable && !binding->bytes) /* an array without a length */
            json_object_set_new(object, "stride", json_integer(binding->stride));
        json_object_set_new(object, "name", json_string(binding->name));
        json_object_set_new(object, "group", json_integer(binding->group));
        json_object_set_new(object, "binding", json_integer(binding->binding));
        json_object_set_new(object, "writable", json_boolean(binding->writable));
        if (json_array_append_new(list, object)) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

/* True if every factor of an edit is a parameter of the kernel. */
static bool edit_applies(const hed_kernel_def *kernel, const hed_wgsl_edit *edit)
{
    for (int i = 0; i < 3 && edit->factors[i]; i++) {
        uint32_t p = 0;
        while (p < kernel->parameter_count &&
               strcmp(kernel->parameters[p].name, edit->factors[i]) != 0)
            p++;
        if (p == kernel->parameter_count) return false;
    }
    return true;
}

/* True if the width of subgroups is a parameter, which is written into the text. */
static bool has_width(const hed_kernel_def *kernel, const hed_wgsl *shader)
{
    for (uint32_t i = 0; i < kernel->parameter_count && !shader->sets_width; i++)
        if (strcmp(kernel->parameters[i].name, HED_SUBGROUP_SIZE) == 0) return true;
    return false;
}

/* True if the bits of a type are a parameter. */
static bool has_halves(const hed_kernel_def *kernel, const hed_wgsl *shader)
{
    for (uint32_t i = 0; i < shader->override_count; i++)
        for (uint32_t k = 0; k < kernel->parameter_count && shader->overrides[i].type == HED_WGSL_F16; k++)
            if (shader->overrides[i].is_text && !strcmp(kernel->parameters[k].name, shader->overrides[i].name)) return true;
    return false;
}

/* Adds a piece that is `text` with the width of subgroups, or nothing where the browser chooses it. */
static void put_width(json_t *pieces, const char *text)
{
    json_array_append_new(pieces, json_pack("{s[s] ss ss ss}", "factors", HED_SUBGROUP_SIZE,
                                      "suffix", "", "text", "", "when", text));
}

/* Adds the text from `from` to `to`, with the width before the entry point if this is there. */
static void put_text(
    const hed_runner_def *def, const hed_wgsl *shader, json_t *pieces, size_t from, size_t to)
{
    const hed_kernel_def *kernel = def->kernel;
    const char *text = kernel->sources[kernel->source_count - 1].text;
    if (from < shader->entry_at && shader->entry_at <= to && has_width(kernel, shader)) {
        json_array_append_new(pieces, json_stringn(text + from, shader->entry_at - from));
        put_width(pieces, "@subgroup_size(#) ");
        from = shader->entry_at;
    }
    json_array_append_new(pieces, json_stringn(text + from, to - from));
}

json_t *hed_job_code(const hed_runner_def *def, const hed_wgsl *shader)
{
    const hed_kernel_def *kernel = def->kernel;
    const hed_source *source = &kernel->sources[kernel->source_count - 1];
    size_t size = source->size ? source->size : strlen(source->text), at = 0;
    json_t *pieces = json_array();
    if (!shader->halves && has_halves(kernel, shader)) json_array_append_new(pieces, json_string("enable f16; "));
    if (shader->lacks_enable) json_array_append_new(pieces, json_string("enable subgroups; "));
    if (has_width(kernel, shader)) put_width(pieces, "enable subgroup_size_control; ");
    for (uint32_t i = 0; i < shader->edit_count; i++) {
        const hed_wgsl_edit *edit = &shader->edits[i];
        if (!edit_applies(kernel, edit)) continue;
        json_t *factors = json_array();
        char suffix[2] = {edit->suffix, 0};
        for (int k = 0; k < 3 && edit->factors[k]; k++)
            json_array_append_new(factors, json_string(edit->factors[k]));
        put_text(def, shader, pieces, at, edit->at);
        json_t *piece = json_pack("{so ss ss#}", "factors", factors, "suffix", suffix, "text",
            source->text + edit->at, (int)edit->size);
        if (edit->is_half || edit->is_double || edit->is_less_one)
            json_object_set_new(piece, "by",
                json_string(edit->is_half ? "half" : edit->is_double ? "double" : "less one"));
        json_array_append_new(pieces, piece);
        at = edit->at + edit->size;
    }
    put_text(def, shader, pieces, at, size);
    return pieces;
}

/* Lists the fixed values of overrides and the numbers of a configuration, by their names. */
static json_t *constants_of(const hed_runner_def *def, const hed_config *config)
{
    json_t *object = json_object();
    for (uint32_t i = 0; i < def->kernel->define_count; i++)
        json_object_set_new(object, def->kernel->defines[i].name,
            json_real(strtod(def->kernel->defines[i].value, NULL)));
    for (uint32_t i = 0; i < config->count; i++)
        json_object_set_new(
            object, def->kernel->parameters[i].name, json_real((double)config->values[i]));
    return object;
}

static json_t *key_of(const hed_config *config)
{
    char key[HED_MAX_PARAMETERS * 22];
    size_t used = 0;
    key[0] = 0;
    for (uint32_t i = 0; i < config->count && used < sizeof key; i++)
        used += (size_t)snprintf(
            key + used, sizeof key - used, "%s%lld", i ? "," : "", (long long)config->values[i]);
    return json_string(key);
}

/* Writes the uniforms with numbers that depend on the configuration, by their places among the
 * bindings. */
static json_t *uniforms_of(
    const hed_runner_def *def, const hed_wgsl *shader, const hed_geometry *geometry)
{
    json_t *uniforms = json_object();
    for (uint32_t i = 0; i < shader->member_count; i++) {
        char place[12];
        uint32_t argument = hed_job_argument(def->kernel, shader->members[i].name),
                 binding = shader->members[i].binding;
        if (argument == def->kernel->argument_count || !def->kernel->arguments[argument].by_config)
            continue;
        snprintf(place, sizeof place, "%u", binding);
        json_object_set_new(uniforms, place, uniform_of(def, shader, binding, geometry));
    }
    return uniforms;
}

json_t *hed_job_candidate(
    const hed_runner_def *def, const hed_wgsl *shader, const hed_config *config, uint32_t samples)
{
    const hed_kernel_def *kernel = def->kernel;
    hed_geometry g = {0};
    json_int_t groups[3] = {1, 1, 1};
    kernel->geometry(kernel, config, def->problem, &g);
    for (uint32_t i = 0; i < g.dimensions && i < 3; i++)
        groups[i] = (json_int_t)hed_ceil_divide(g.global[i], g.group[i] ? g.group[i] : 1);
    json_t *results = json_object();
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        char place[12];
        snprintf(place, sizeof place, "%u", i);
        if (kernel->arguments[i].compare != HED_COMPARE_EACH && g.local_bytes[i])
            json_object_set_new(results, place, json_integer((json_int_t)g.local_bytes[i]));
    }
    return json_pack("{so so s[III] sI so so}", "key", key_of(config), "constants",
        constants_of(def, config), "groups", groups[0], groups[1], groups[2], "samples",
        (json_int_t)samples, "results", results, "uniforms", uniforms_of(def, shader, &g));
}
