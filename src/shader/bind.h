/* Which buffer of a shader an argument of a description is. */
#ifndef HED_SHADER_BIND_H
#define HED_SHADER_BIND_H

#include "heddle/shader.h"

/* The binding of a buffer argument, an index; -1: there is none. By its name where all buffer
 * arguments have one among the bindings, else in their order. */
int hed_shader_find_binding(const hed_kernel_def *def, const hed_shader_binding *bindings,
    uint32_t count, uint32_t argument);

#endif
