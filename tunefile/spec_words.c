/* Local memory and vector literals of plain OpenCL C, put into the prelude's words, so that users'
 * texts run on CUDA as they are:
 *
 *     void f(__local float *tile) {      ->  void f(HED_LOCAL(float, tile)) { HED_LOCAL_USE(float,
 *                                        tile);
 *     __local float4 rows[WG][WG + 1];   ->  HED_LOCAL_ARRAY(float4, rows, WG][WG + 1);
 *     (float4)(a, b, 0, 1)               ->  HED_LITERAL(float4)(a, b, 0, 1)
 *     __attribute__((reqd_work_group_size(WG, 1, 1)))  ->  HED_GROUP_OF(WG, 1, 1)
 *     kernel global constant local private             ->  __kernel __global __constant __local
 *     __private
 *
 * In OpenCL C the words mean the same again (src/prelude/opencl.clh), so the text is one for all
 * devices, and so is its hash. Nothing else changes, lines least of all; what is written in any
 * other way (by macros, several arrays in one declaration) stays as it is. */
#include "tunefile/spec_parts.h"

#include <stdio.h>
#include <string.h>

/* A word or sign of the text; comments, strings and lines of the preprocessor are none. */
typedef struct word {
    const char *at;
    size_t size; /* 0: the end */
} word;

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is(word w, const char *text)
{
    return w.size == strlen(text) && memcmp(w.at, text, w.size) == 0;
}

/* Behind a line of the preprocessor, with the lines that a \ at its end adds. */
static const char *skip_line(const char *at)
{
    while (*at && (*at != '\n' || at[-1] == '\\')) at++;
    return at;
}

static const char *skip_string(const char *at)
{
    const char quote = *at++;
    while (*at && *at != quote && *at != '\n') at += 1 + (at[0] == '\\' && at[1]);
    return *at ? at + 1 : at;
}

static word read_word(const char *at, bool skip_directives)
{
    for (;;) {
        if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            at = end ? end + 2 : at + strlen(at);
        } else if ((at[0] == '/' && at[1] == '/') || (skip_directives && *at == '#')) {
            at = skip_line(at);
        } else if (*at == '"' || *at == '\'') {
            at = skip_string(at);
        } else if (*at && strchr(" \t\r\n\\", *at)) {
            at++;
        } else {
            break;
        }
    }
    size_t size = *at != 0;
    while (size > 0 && is_letter(*at) && is_letter(at[size])) size++;
    return (word){at, size};
}

static word next_word(const char *at) { return read_word(at, true); }
static word next_code(const char *at) { return read_word(at, false); } /* of a directive, too */

static word after(word w) { return next_word(w.at + w.size); }

/* From a ( to the word behind its ). */
static word skip_parentheses(word w)
{
    int depth = 0;
    do {
        depth += is(w, "(") - is(w, ")");
        w = after(w);
    } while (w.size > 0 && depth > 0);
    return w;
}

/* ---- one declaration ---- */

/* `__local T *name` or `__local T name`, without what else may stand there. */
typedef struct declaration {
    word type, name;
    bool pointer;
    word end; /* the sign behind it */
} declaration;

/* Reads it from the word behind __local, up to one of `ends`. The last word is the name, those
 * before it are the type. False: something else stands there. */
static bool read_declaration(word from, const char *ends, declaration *d)
{
    static const char *const passed[] = {
        "const", "volatile", "restrict", "__restrict", "__restrict__"};
    *d = (declaration){.pointer = false};
    word w = from;
    for (; w.size > 0 && !(w.size == 1 && strchr(ends, *w.at)); w = after(w)) {
        bool qualifier = false;
        for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
            qualifier = qualifier || is(w, passed[i]);
        if (qualifier) continue;
        bool sign = is(w, "*") && d->name.size > 0 && !d->pointer,
             name = is_letter(*w.at) && !(d->pointer && d->name.size > 0);
        if (!sign && !name) return false;
        d->pointer = d->pointer || sign;
        if (d->name.size > 0) /* what looked like the name is the type, or its last word */
            d->type = (word){d->type.size ? d->type.at : d->name.at,
                (size_t)(d->name.at + d->name.size - (d->type.size ? d->type.at : d->name.at))};
        d->name = sign ? (word){w.at, 0} : w;
    }
    d->end = w;
    return d->type.size > 0 && d->name.size > 0 && w.size > 0;
}

static bool is_local(word w) { return is(w, "__local") || is(w, "local"); }

/* ---- the text ---- */

/* The new text, as far as it is written; it has room for everything. */
typedef struct writer {
    char *to;
    const char *from; /* the first character of the old text that is not in it yet */
} writer;

static void copy_until(writer *out, const char *end)
{
    memcpy(out->to, out->from, (size_t)(end - out->from));
    out->to += end - out->from;
    out->from = end;
}

/* Writes "WORD(type, name", the type's words with one blank between them. */
static void put_words(writer *out, const char *with, const declaration *d)
{
    out->to += sprintf(out->to, "%s(", with);
    for (word w = next_word(d->type.at); w.at < d->type.at + d->type.size; w = after(w))
        out->to += sprintf(out->to, "%s%.*s", w.at == d->type.at ? "" : " ", (int)w.size, w.at);
    out->to += sprintf(out->to, ", %.*s", (int)d->name.size, d->name.at);
}

/* The same for what stands from `start` to `rest`, where the old text goes on; its ends of lines
 * are kept. */
static void replace(
    writer *out, const char *start, const char *with, const declaration *d, const char *rest)
{
    copy_until(out, start);
    put_words(out, with, d);
    for (const char *at = start; at < rest; at++)
        if (*at == '\n') *out->to++ = '\n';
    out->from = rest;
}

/* The parameters of a kernel, from the word behind its (; gives the word behind the body's {. */
static word rewrite_parameters(writer *out, word w)
{
    declaration arrays[HED_MAX_ARGUMENTS];
    uint32_t count = 0;
    int depth = 1;
    for (; w.size > 0 && depth > 0; w = after(w)) {
        depth += is(w, "(") - is(w, ")");
        if (depth != 1 || !is_local(w) || count == HED_MAX_ARGUMENTS) continue;
        declaration d;
        if (!read_declaration(after(w), ",)", &d) || !d.pointer) continue;
        replace(out, w.at, "HED_LOCAL", &d, d.end.at);
        *out->to++ = ')';
        arrays[count++] = d;
        w = d.name; /* the sign behind it is looked at again */
    }
    if (!is(w, "{")) return w;
    copy_until(out, w.at + 1);
    for (uint32_t i = 0; i < count; i++) {
        put_words(out, " HED_LOCAL_USE", &arrays[i]);
        out->to += sprintf(out->to, ");");
    }
    return after(w);
}

/* `__local T name[..]..;` as a statement. */
static word rewrite_array(writer *out, word local)
{
    declaration d;
    if (!read_declaration(after(local), "[;,", &d) || d.pointer || !is(d.end, "["))
        return after(local);
    word last = d.end, w = after(last);
    for (; w.size > 0 && !is(w, ";"); last = w, w = after(w))
        if (strchr(",={}", *w.at)) return after(local);
    if (!is(last, "]") || w.size == 0) return after(local);
    replace(out, local.at, "HED_LOCAL_ARRAY", &d, d.end.at + 1);
    out->to += sprintf(out->to, ", ");
    copy_until(out, last.at);
    *out->to++ = ')';
    out->from = last.at + 1;
    return w;
}

/* ---- literals ---- */

/* Types of C: a cast to one of them means the same everywhere. */
static bool is_plain_type(word w)
{
    static const char *const plain[] = {"char", "uchar", "short", "ushort", "int", "uint", "long",
        "ulong", "float", "double", "half", "bool", "size_t", "void", "signed", "unsigned",
        "ptrdiff_t", "min", "max"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (is(w, plain[i])) return true;
    return false;
}

/* Whether a ( may begin a cast behind this word: not where it holds a call's arguments or a
 * condition. */
static bool may_cast_behind(word before, word before_that)
{
    if (before.size == 0) return true;
    if (is(before_that, "define")) return true; /* a macro's content */
    if (is(before, "return") || is(before, "else") || is(before, "case")) return true;
    return !is_letter(*before.at) && !is(before, ")") && !is(before, "]");
}

/* OpenCL C's keywords may go without their __. NVRTC's own __global__ and __constant__ are macros
 * that end in these words, so no macro of the prelude can stand for them. */
static bool is_bare_keyword(word w)
{
    static const char *const bare[] = {"kernel", "global", "constant", "local", "private"};
    for (size_t i = 0; i < sizeof bare / sizeof *bare; i++)
        if (is(w, bare[i])) return true;
    return false;
}

/* (NAME)( becomes HED_LITERAL(NAME)(, and keywords get their __, in lines of the preprocessor,
 * too. */
static void rewrite_literals(const char *text, char *to)
{
    writer out = {.to = to, .from = text};
    word last[2] = {{text, 0}, {text, 0}}; /* the words before this one, the nearer first */
    for (word w = next_code(text); w.size > 0; w = next_code(w.at + w.size)) {
        /* a macro's parameters */
        if (is(last[1], "define") && is(w, "(") && w.at == last[0].at + last[0].size) {
            while (w.size > 0 && !is(w, ")")) w = next_code(w.at + w.size);
            last[0] = (word){w.at, 0};
            if (w.size == 0) break;
            continue;
        }
        if (is_bare_keyword(w)) {
            copy_until(&out, w.at);
            out.to += sprintf(out.to, "__");
        }
        word name = is(w, "(") ? next_code(w.at + 1) : w;
        bool named = name.at != w.at && is_letter(*name.at) &&
                     !(*name.at >= '0' && *name.at <= '9') && !is_plain_type(name);
        word close = named ? next_code(name.at + name.size) : w;
        if (named && is(close, ")") && is(next_code(close.at + 1), "(") &&
            may_cast_behind(last[0], last[1])) {
            copy_until(&out, w.at);
            out.to += sprintf(out.to, "HED_LITERAL");
        }
        last[1] = last[0];
        last[0] = w;
    }
    copy_until(&out, out.from + strlen(out.from));
    *out.to = 0;
}

/* ---- attributes ---- */

/* __attribute__((reqd_work_group_size(x, y, z))), which C++ takes at few places, from its first
 * word; gives the word to go on from. */
static word rewrite_attribute(writer *out, word attribute)
{
    word outer = after(attribute), inner = after(outer), name = after(inner), open = after(name);
    bool required =
        is(outer, "(") && is(inner, "(") && is(name, "reqd_work_group_size") && is(open, "(");
    word close = required ? skip_parentheses(open) : open, last = after(close);
    if (!required || !is(close, ")") || !is(last, ")")) return skip_parentheses(outer);
    copy_until(out, attribute.at);
    out->to += sprintf(out->to, "HED_GROUP_OF");
    for (const char *at = attribute.at; at < open.at; at++)
        if (*at == '\n') *out->to++ = '\n';
    out->from = open.at;
    copy_until(out, close.at);
    for (const char *at = close.at; at < last.at; at++)
        if (*at == '\n') *out->to++ = '\n';
    out->from = last.at + 1;
    return after(last);
}

static void rewrite_local(const char *text, char *to)
{
    writer out = {.to = to, .from = text};
    bool in_kernel = false, statement = false;
    for (word w = next_word(text); w.size > 0;) {
        word next = after(w);
        bool parameters = in_kernel && is(w, "(");
        if (is(w, "__kernel") || is(w, "kernel")) in_kernel = true;
        else if (is(w, "__attribute__")) next = rewrite_attribute(&out, w);
        else if (parameters) next = rewrite_parameters(&out, next);
        else if (statement && is_local(w)) next = rewrite_array(&out, w);
        in_kernel = in_kernel && !parameters && !is(w, ";") && !is(w, "{");
        statement = parameters || is(w, ";") || is(w, "{") || is(w, "}");
        w = next;
    }
    copy_until(&out, out.from + strlen(out.from));
    *out.to = 0;
}

void hed_spec_use_words(hed_spec_reader *reader, hed_json_node node, hed_source *source)
{
    size_t size = strlen(source->text);
    if (source->size > 0 && source->size != size) return; /* no text at all */
    /* No replacement is four times as long as what it replaces. */
    char *first = hed_spec_allocate(reader, 4 * size + 1, node);
    if (!first) return;
    rewrite_local(source->text, first);
    char *second = hed_spec_allocate(reader, 4 * strlen(first) + 1, node);
    if (!second) return;
    rewrite_literals(first, second);
    source->text = second;
    source->size = 0;
}
