/* The specialization constants that a text in GLSL declares: a word by word scan for `layout(...
 * constant_id = N ...) const TYPE NAME`. The preprocessor is not run: a constant in a branch that
 * is not compiled counts too, since the branch usually depends on the macro that replaces the
 * constant. */
#include "shader/glsl.h"

#include <stdlib.h>

static bool glsl_in_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static const char *glsl_find(const hed_glsl_scanner *s, const char *pattern)
{
    const char *match = memmem(s->at, (size_t)(s->end - s->at), pattern, strlen(pattern));
    return match ? match + strlen(pattern) : s->end;
}

/* Skips blanks and comments. */
static void glsl_skip(hed_glsl_scanner *s)
{
    while (s->at < s->end) {
        bool has_pair = s->end - s->at > 1 && s->at[0] == '/';
        if (strchr(" \t\r\n", *s->at) && *s->at) s->at++;
        else if (has_pair && s->at[1] == '/') s->at = glsl_find(s, "\n");
        else if (has_pair && s->at[1] == '*') s->at += 2, s->at = glsl_find(s, "*/");
        else return;
    }
}

bool hed_glsl_next(hed_glsl_scanner *s)
{
    size_t length = 0;
    glsl_skip(s);
    s->begin = s->at;
    while (s->at < s->end && glsl_in_word(*s->at)) s->at++;
    if (s->at == s->begin && s->at < s->end) s->at++;
    for (const char *c = s->begin; c < s->at; c++)
        if (length + 1 < sizeof s->word) s->word[length++] = *c;
    s->word[length] = 0;
    return length > 0;
}

/* Reads the default after the name: `= 16`, `= -1`, `= 8u`, `= true`; a float is truncated. */
static int64_t glsl_default(hed_glsl_scanner s)
{
    if (!hed_glsl_next(&s) || !hed_glsl_is(&s, "=") || !hed_glsl_next(&s)) return 0;
    bool negative = hed_glsl_is(&s, "-");
    if (negative && !hed_glsl_next(&s)) return 0;
    int64_t value = hed_glsl_is(&s, "true") ? 1 : strtoll(s.word, NULL, 0);
    return negative ? -value : value;
}

/* Reads the list after `layout`, then the declaration. */
static bool glsl_declared(hed_glsl_scanner *s, hed_glsl_constant *to)
{
    bool is_found = false;
    hed_shader_constant *constant = &to->about;
    *to = (hed_glsl_constant){.length = 0};
    if (!hed_glsl_next(s) || !hed_glsl_is(s, "(")) return false;
    while (hed_glsl_next(s) && !hed_glsl_is(s, ")")) {
        if (!hed_glsl_is(s, "constant_id") || !hed_glsl_next(s) || !hed_glsl_is(s, "=")) continue;
        if (!hed_glsl_next(s)) break;
        constant->id = (uint32_t)strtoul(s->word, NULL, 0);
        is_found = true;
    }
    if (!is_found || !hed_glsl_next(s) || !hed_glsl_is(s, "const") || !hed_glsl_next(s)) return false;
    constant->type = hed_glsl_is(s, "int")      ? HED_INT32
                     : hed_glsl_is(s, "uint")   ? HED_UINT32
                     : hed_glsl_is(s, "float")  ? HED_FLOAT
                     : hed_glsl_is(s, "double") ? HED_DOUBLE
                                                : HED_BYTES;
    if (!hed_glsl_next(s)) return false;
    to->name = s->begin;
    to->length = hed_glsl_length(s);
    hed_text_copy(constant->name, sizeof constant->name, s->word);
    constant->value = glsl_default(*s);
    return true;
}

bool hed_glsl_next_constant(hed_glsl_scanner *s, hed_glsl_constant *constant)
{
    while (hed_glsl_next(s))
        if (hed_glsl_is(s, "layout") && glsl_declared(s, constant)) return true;
    return false;
}

uint32_t hed_shader_glsl_constants(
    const char *text, size_t size, hed_shader_constant *constants, uint32_t capacity)
{
    if ((!text && size) || (!constants && capacity)) return 0;
    hed_glsl_scanner s = {text, text + size, text, ""};
    hed_glsl_constant constant;
    uint32_t count = 0;
    for (; count < capacity && hed_glsl_next_constant(&s, &constant); count++) {
        constants[count] = constant.about;
        if (constant.length >= sizeof constant.about.name) constants[count].name[0] = 0;
    }
    return count;
}
