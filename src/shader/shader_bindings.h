/* Assignment of a description's arguments to the buffers of a shader. */
#ifndef HED_SHADER_BIND_H
#define HED_SHADER_BIND_H

#include "heddle/shader.h"

/* A buffer argument with its binding, or a sampler. */
typedef struct hed_shader_bound {
    uint32_t set, binding, argument; /* argument UINT32_MAX: a sampler */
    bool uniform;
    hed_shader_resource resource;
} hed_shader_bound;

/* Lists the buffer arguments in their order, then the samplers, `bound` (count): bound by name if
 * every one of them names a binding, else by the order of the bindings. Errors: ARGUMENT (an argument
 * without a binding, or a binding without an argument; an image where the shader has a buffer, or
 * another shape). */
hed_status hed_shader_bind(const hed_kernel_def *def, const hed_shader_binding *bindings,
    uint32_t count, hed_shader_bound *bound, hed_error *error);

#endif
