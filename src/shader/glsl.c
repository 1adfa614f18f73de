/* The specialization constants that a text in GLSL declares: a word by word scan for
 * `layout(... constant_id = N ...) const TYPE NAME`. The preprocessor is not run: a constant in a
 * branch that is not taken counts too, since what makes the branch is a macro that the constant
 * would otherwise be. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "heddle/shader.h"

typedef struct glsl_scanner {
    const char *at, *end;
    char word[HED_SHADER_NAME]; /* a name, a number, or one character; "" at the end */
} glsl_scanner;

static bool glsl_in_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static const char *glsl_find(const glsl_scanner *s, const char *what)
{
    const char *found = memmem(s->at, (size_t)(s->end - s->at), what, strlen(what));
    return found ? found + strlen(what) : s->end;
}

/* Passes over blanks and comments. */
static void glsl_skip(glsl_scanner *s)
{
    while (s->at < s->end) {
        bool two = s->end - s->at > 1 && s->at[0] == '/';
        if (strchr(" \t\r\n", *s->at) && *s->at) s->at++;
        else if (two && s->at[1] == '/') s->at = glsl_find(s, "\n");
        else if (two && s->at[1] == '*') s->at += 2, s->at = glsl_find(s, "*/");
        else return;
    }
}

static bool glsl_next(glsl_scanner *s)
{
    size_t length = 0;
    glsl_skip(s);
    const char *start = s->at;
    while (s->at < s->end && glsl_in_word(*s->at)) s->at++;
    if (s->at == start && s->at < s->end) s->at++;
    for (; start < s->at; start++)
        if (length + 1 < sizeof s->word) s->word[length++] = *start;
    s->word[length] = 0;
    return length > 0;
}

static bool glsl_is(const glsl_scanner *s, const char *word) { return !strcmp(s->word, word); }

/* Behind `layout`: its list, then what is declared. */
static bool glsl_declared(glsl_scanner *s, hed_shader_constant *constant)
{
    bool found = false;
    *constant = (hed_shader_constant){.id = 0};
    if (!glsl_next(s) || !glsl_is(s, "(")) return false;
    while (glsl_next(s) && !glsl_is(s, ")")) {
        if (!glsl_is(s, "constant_id") || !glsl_next(s) || !glsl_is(s, "=")) continue;
        if (!glsl_next(s)) break;
        constant->id = (uint32_t)strtoul(s->word, NULL, 0);
        found = true;
    }
    if (!found || !glsl_next(s) || !glsl_is(s, "const") || !glsl_next(s)) return false;
    constant->type = glsl_is(s, "int")      ? HED_INT32
                     : glsl_is(s, "uint")   ? HED_UINT32
                     : glsl_is(s, "float")  ? HED_FLOAT
                     : glsl_is(s, "double") ? HED_DOUBLE
                                            : HED_BYTES;
    if (!glsl_next(s)) return false;
    hed_text_copy(constant->name, sizeof constant->name, s->word);
    return true;
}

uint32_t hed_shader_glsl_constants(
    const char *text, size_t size, hed_shader_constant *constants, uint32_t capacity)
{
    glsl_scanner s = {text, text + size, ""};
    uint32_t count = 0;
    while (count < capacity && glsl_next(&s))
        if (glsl_is(&s, "layout") && glsl_declared(&s, &constants[count])) count++;
    return count;
}
