/* A kernel and its candidates as JSON for the page. */
#include "web/job.h"

#include <stdio.h>
#include <string.h>

#include "heddle/author.h"

/* Writes the bytes of a uniform in hexadecimal digits, each number at its offset. */
static json_t *uniform_of(const hed_runner_def *def, const hed_wgsl *shader, uint32_t binding)
{
    const hed_wgsl_binding *uniform = &shader->bindings[binding];
    unsigned char bytes[HED_MAX_STRUCT_BYTES] = {0};
    char digits[2 * HED_MAX_STRUCT_BYTES + 1];
    uint32_t size = uniform->bytes < sizeof bytes ? (uniform->bytes + 15) / 16 * 16 : 0;
    for (uint32_t i = 0; i < shader->member_count; i++) {
        const hed_wgsl_member *member = &shader->members[i];
        for (uint32_t j = 0; member->binding == binding && j < def->kernel->argument_count; j++)
            if (strcmp(def->kernel->arguments[j].name, member->name) == 0 &&
                member->offset + 4 <= size)
                memcpy(bytes + member->offset, def->arguments[j].data, 4);
    }
    for (uint32_t i = 0; i < size; i++) snprintf(digits + 2 * i, 3, "%02x", bytes[i]);
    return json_stringn(digits, 2 * (size_t)size);
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
        content->data != NULL, "expected", content->expected != NULL, "unwritten",
        content->unwritten != NULL, "written", argument->access != HED_READ, "in_place",
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
        json_t *object = binding->uniform ? json_object() : buffer_of(def, index);
        if (binding->uniform) json_object_set_new(object, "uniform", uniform_of(def, shader, i));
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

/* Lists the numbers of a configuration, by the names of the overrides. */
static json_t *constants_of(const hed_runner_def *def, const hed_config *config)
{
    json_t *object = json_object();
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

json_t *hed_job_candidate(const hed_runner_def *def, const hed_config *config, uint32_t samples)
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
    return json_pack("{so so s[III] sI so}", "key", key_of(config), "constants",
        constants_of(def, config), "groups", groups[0], groups[1], groups[2], "samples",
        (json_int_t)samples, "results", results);
}
