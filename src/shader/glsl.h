/* GLSL word by word, its two steps to SPIR-V (the text as the compiler gets it is also what decides
 * on the words), and GLSL of Vulkan in the words of OpenGL. */
#ifndef HED_SHADER_GLSL_H
#define HED_SHADER_GLSL_H

#include <string.h>

#include "base/text.h"
#include "heddle/shader.h"

static inline size_t hed_glsl_size(const hed_source *source)
{
    return source->size ? source->size : strlen(source->text);
}

/* ---- words ---- */

typedef struct hed_glsl_scanner {
    const char *at, *end;
    const char *begin;          /* of the word, which ends at `at` */
    char word[HED_SHADER_NAME]; /* a name, a number, or one character, cut; "" at the end */
} hed_glsl_scanner;

static inline size_t hed_glsl_length(const hed_glsl_scanner *s)
{
    return (size_t)(s->at - s->begin);
}

/* The next word; blanks and comments are passed over, the preprocessor is not run. */
bool hed_glsl_next(hed_glsl_scanner *s);
static inline bool hed_glsl_is(const hed_glsl_scanner *s, const char *word)
{
    return strlen(word) == hed_glsl_length(s) && memcmp(s->begin, word, hed_glsl_length(s)) == 0;
}

/* A specialization constant of a text, with its whole name. */
typedef struct hed_glsl_constant {
    hed_shader_constant about; /* constant whose name is cut */
    const char *name;          /* (length) place of the name in the text */
    size_t length;
} hed_glsl_constant;

/* The next specialization constant from `s` on; false: there is none. */
bool hed_glsl_next_constant(hed_glsl_scanner *s, hed_glsl_constant *constant);

/* ---- SPIR-V ---- */

void hed_glsl_assemble(const hed_glsl_def *def, hed_text *text);
/* As hed_shader_compile_glsl() does it. */
hed_status hed_glsl_compile_text(
    const hed_glsl_def *def, const hed_text *text, void **words, size_t *size, hed_error *error);
/* Lines of compilers and drivers that name a place, "ERROR: 0:12: ...", "0:12(3): error: ..." or
 * "0(12) : error ...", as "blur.comp:12: error: ..."; the first number is the source's. */
enum { HED_GLSL_LINE_BITS = 20 }; /* above them the source's number, where that is lost */
void hed_glsl_place_log(const hed_glsl_def *def, const char *log, hed_text *placed);

/* ---- OpenGL ---- */

/* A text as OpenGL's drivers take it. */
typedef struct hed_glsl_opengl {
    hed_text text;
    hed_shader_binding bindings[HED_SHADER_BINDINGS]; /* but the push constants; by binding */
    uint32_t binding_count;
    uint32_t push_binding; /* of the uniform block that holds the push constants */
} hed_glsl_opengl;

/* The assembled text with constants that have the values of `def->defines`, else their own, instead
 * of specialization constants, and a uniform block instead of push constants. Its lines are those of
 * the text. `opengl->text` is freed by the caller, also after a failure. Errors: UNSUPPORTED
 * (textures, sets and arrays of buffers, by name), LIMIT (names, items of a layout, constants and
 * buffers, each with the number found), MEMORY. */
hed_status hed_glsl_for_opengl(
    const hed_glsl_def *def, bool es, hed_glsl_opengl *opengl, hed_error *error);

#endif
