/* Binding of a shader's buffers, by name or by order. */
#include "shader/shader_bindings.h"

#include <string.h>

#include "base/error.h"

static bool bind_is_named(const hed_shader_binding *binding, const char *name)
{
    return strcmp(binding->name, name) == 0 || strcmp(binding->block, name) == 0;
}

/* Returns the index of a buffer argument's binding; -1: not found. */
static int bind_find(const hed_kernel_def *def, const hed_shader_binding *bindings, uint32_t count,
    uint32_t argument)
{
    bool by_name = true;
    uint32_t place = 0;
    for (uint32_t i = 0; i < def->argument_count; i++) {
        bool is_found = def->arguments[i].kind != HED_BUFFER;
        for (uint32_t j = 0; j < count && !is_found; j++)
            is_found = bind_is_named(&bindings[j], def->arguments[i].name);
        by_name = by_name && is_found;
        if (i < argument && def->arguments[i].kind == HED_BUFFER) place++;
    }
    for (uint32_t j = 0; by_name && j < count; j++)
        if (bind_is_named(&bindings[j], def->arguments[argument].name)) return (int)j;
    return !by_name && place < count ? (int)place : -1;
}

hed_status hed_shader_bind(const hed_kernel_def *def, const hed_shader_binding *bindings,
    uint32_t count, hed_shader_bound *bound, hed_error *error)
{
    uint32_t buffers = 0;
    for (uint32_t i = 0; i < def->argument_count; i++) {
        if (def->arguments[i].kind != HED_BUFFER) continue;
        int binding = bind_find(def, bindings, count, i);
        if (binding < 0 || buffers == count)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "%s: the shader has %u buffers, the description more: \"%s\" has none", def->name,
                count, def->arguments[i].name);
        bound[buffers++] =
            (hed_shader_bound){bindings[binding].binding, i, bindings[binding].uniform};
    }
    if (buffers == count) return HED_OK;
    return hed_fail(error, HED_ERROR_ARGUMENT, "%s: the shader has %u buffers, the description %u",
        def->name, count, buffers);
}
