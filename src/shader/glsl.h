/* GLSL word by word, its two steps to SPIR-V (the assembled text is also the key of the compiled
 * words), and translation of Vulkan's GLSL to OpenGL's. */
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
    const char *begin;          /* start of the word, which ends at `at` */
    char word[HED_SHADER_NAME]; /* a name, a number, or one character, cut to fit; "" at the end */
} hed_glsl_scanner;

static inline size_t hed_glsl_length(const hed_glsl_scanner *s)
{
    return (size_t)(s->at - s->begin);
}

/* Reads the next word; skips blanks and comments, and does not run the preprocessor. */
bool hed_glsl_next(hed_glsl_scanner *s);
static inline bool hed_glsl_is(const hed_glsl_scanner *s, const char *word)
{
    return strlen(word) == hed_glsl_length(s) && memcmp(s->begin, word, hed_glsl_length(s)) == 0;
}

/* A specialization constant of a text, with its whole name. */
typedef struct hed_glsl_constant {
    hed_shader_constant about; /* the constant, its name cut to fit */
    const char *name;          /* (length) position of the name in the text */
    size_t length;
} hed_glsl_constant;

/* Finds the next specialization constant from `s` on; false: there is no other. */
bool hed_glsl_next_constant(hed_glsl_scanner *s, hed_glsl_constant *constant);

/* ---- SPIR-V ---- */

void hed_glsl_assemble(const hed_glsl_def *def, hed_text *text);
/* Compiles an assembled text, as hed_shader_compile_glsl() does. */
hed_status hed_glsl_compile_text(
    const hed_glsl_def *def, const hed_text *text, void **words, size_t *size, hed_error *error);
/* Rewrites lines of compilers and drivers that contain a position, "ERROR: 0:12: ...", "0:12(3):
 * error: ..." or "0(12) : error ...", as "blur.comp:12: error: ..."; the first number is the
 * source's. */
/* the bits above are the source's number, for drivers that lose it */
enum { HED_GLSL_LINE_BITS = 20 };
void hed_glsl_place_log(const hed_glsl_def *def, const char *log, hed_text *placed);

/* ---- OpenGL ---- */

/* A text translated for OpenGL's drivers. */
typedef struct hed_glsl_opengl {
    hed_text text;
    /* all except the push constants; sorted by binding */
    hed_shader_binding bindings[HED_SHADER_BINDINGS];
    uint32_t binding_count;
    uint32_t push_binding; /* binding of the uniform block of the push constants */
} hed_glsl_opengl;

/* Translates the assembled text. Specialization constants become constants with the values of
 * `def->defines`, else their defaults; push constants become a uniform block. Line numbers do not
 * change. The caller frees `opengl->text`, also after a failure. Errors: UNSUPPORTED (textures,
 * sets and arrays of buffers, by name), LIMIT (names, items of a layout, constants and buffers,
 * each with the number found), MEMORY. */
hed_status hed_glsl_for_opengl(
    const hed_glsl_def *def, bool es, hed_glsl_opengl *opengl, hed_error *error);

#endif
