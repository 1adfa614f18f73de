/* Compiling GLSL in two steps: the text as the compiler gets it is also what decides on the words. */
#ifndef HED_SHADER_GLSL_H
#define HED_SHADER_GLSL_H

#include <string.h>

#include "base/text.h"
#include "heddle/shader.h"

static inline size_t hed_glsl_size(const hed_source *source)
{
    return source->size ? source->size : strlen(source->text);
}

void hed_glsl_assemble(const hed_glsl_def *def, hed_text *text);
/* As hed_shader_compile_glsl() does it. */
hed_status hed_glsl_compile_text(
    const hed_glsl_def *def, const hed_text *text, void **words, size_t *size, hed_error *error);

#endif
