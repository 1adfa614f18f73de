/* Buffers of a shader by name or by order. */
#include "shader/bind.h"

#include <string.h>

static bool bind_is_named(const hed_shader_binding *binding, const char *name)
{
    return strcmp(binding->name, name) == 0 || strcmp(binding->block, name) == 0;
}

int hed_shader_find_binding(const hed_kernel_def *def, const hed_shader_binding *bindings,
    uint32_t count, uint32_t argument)
{
    bool by_name = true;
    uint32_t place = 0;
    for (uint32_t i = 0; i < def->argument_count; i++) {
        bool found = def->arguments[i].kind != HED_BUFFER;
        for (uint32_t j = 0; j < count && !found; j++)
            found = bind_is_named(&bindings[j], def->arguments[i].name);
        by_name = by_name && found;
        if (i < argument && def->arguments[i].kind == HED_BUFFER) place++;
    }
    for (uint32_t j = 0; by_name && j < count; j++)
        if (bind_is_named(&bindings[j], def->arguments[argument].name)) return (int)j;
    return !by_name && place < count ? (int)place : -1;
}
