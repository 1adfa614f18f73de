/* Which buffers of a shader the arguments of a description are. */
#ifndef HED_SHADER_BIND_H
#define HED_SHADER_BIND_H

#include "heddle/shader.h"

/* A buffer argument with its binding. */
typedef struct hed_shader_bound {
    uint32_t binding, argument;
    bool uniform;
} hed_shader_bound;

/* The buffer arguments in their order, `bound` (count): by name where all of them have one among the
 * bindings, else in the order of those. Errors: ARGUMENT (one has no binding, or one is left). */
hed_status hed_shader_bind(const hed_kernel_def *def, const hed_shader_binding *bindings,
    uint32_t count, hed_shader_bound *bound, hed_error *error);

#endif
