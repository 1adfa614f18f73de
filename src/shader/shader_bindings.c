/* Binding of a shader's buffers, by name or by order. */
#include "shader/shader_bindings.h"

#include <string.h>

#include "base/error.h"
#include "shader/image_format.h"

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
    for (uint32_t j = 0; !by_name && j < count; j++)
        if (bindings[j].resource != HED_SHADER_SAMPLER && place-- == 0) return (int)j;
    return -1;
}

/* Compares an argument's image with the shader's. */
static hed_status bind_check_image(const hed_kernel_def *def, uint32_t argument,
    const hed_shader_binding *binding, hed_error *error)
{
    const hed_argument_def *of = &def->arguments[argument];
    bool is_image = binding->resource != HED_SHADER_BUFFER;
    if (is_image != (of->image.format != HED_IMAGE_NONE))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: argument %u \"%s\" is %s; the shader has %s there. Set "
            "hed_argument_def.image of images alone",
            def->name, argument, of->name, is_image ? "a buffer" : "an image",
            is_image ? "an image" : "a buffer");
    if (is_image && !hed_texels_are_valid(&of->image))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: the image of argument %u \"%s\" has %u x %u x %u texels in rows of %u bytes; expected "
            "rows of whole texels that hold the width",
            def->name, argument, of->name, of->image.width, of->image.height, of->image.layers,
            of->image.row_bytes);
    if (is_image && of->image.shape != binding->shape)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: the image of argument %u \"%s\" has shape %d; expected %d, as in the shader",
            def->name, argument, of->name, (int)of->image.shape, (int)binding->shape);
    return HED_OK;
}

hed_status hed_shader_bind(const hed_kernel_def *def, const hed_shader_binding *bindings,
    uint32_t count, hed_shader_bound *bound, hed_error *error)
{
    uint32_t used = 0, buffers = count;
    for (uint32_t i = 0; i < count; i++) buffers -= bindings[i].resource == HED_SHADER_SAMPLER;
    for (uint32_t i = 0; i < def->argument_count; i++) {
        if (def->arguments[i].kind != HED_BUFFER) continue;
        int binding = bind_find(def, bindings, count, i);
        if (binding < 0 || used == buffers)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "%s: the shader has %u buffers, the description more: \"%s\" has none", def->name,
                buffers, def->arguments[i].name);
        const hed_shader_binding *of = &bindings[binding];
        hed_status status = bind_check_image(def, i, of, error);
        if (status) return status;
        bound[used++] = (hed_shader_bound){of->set, of->binding, i, of->uniform, of->resource};
    }
    if (used != buffers)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: the shader has %u buffers, the description %u", def->name, buffers, used);
    for (uint32_t i = 0; i < count; i++)
        if (bindings[i].resource == HED_SHADER_SAMPLER)
            bound[used++] = (hed_shader_bound){
                bindings[i].set, bindings[i].binding, UINT32_MAX, false, HED_SHADER_SAMPLER};
    return HED_OK;
}
