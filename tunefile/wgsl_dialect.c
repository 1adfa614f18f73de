/* Texts in WGSL that browsers refuse for their words alone: texts of 2021, with `let` for constants
 * of the module, `@stage(compute)`, attributes in double brackets and members that end with `;`,
 * and variables of native wgpu in the address spaces push_constant and immediate, which become
 * uniforms. */
#include "tunefile/spec.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BINDINGS = 1000 }; /* limit of browsers, for a group */

/* A text being rewritten. */
typedef struct dialect {
    FILE *to;
    bool
        is_single; /* `enable f32;`, by a macro f16 of the comment: literals and vectors of f16 are of f32 */
    uint32_t old_line,
        native_line; /* first line with words of 2021, and of native wgpu; 0: no line */
    uint32_t line;
    int braces;            /* open ones */
    bool is_struct;        /* the text is within a struct, or between the word and its { */
    uint32_t next_binding; /* first free one */
} dialect;

static size_t word_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_') length++;
    return length;
}

static bool same_word(const char *at, size_t length, const char *word)
{
    return length == strlen(word) && memcmp(at, word, length) == 0;
}

static void note_line(dialect *d, uint32_t *first)
{
    if (!*first) *first = d->line;
}

/* Writes the attributes of [[...]] as WGSL of today has them; `block`, `stride` and `access` have
 * no meaning now. */
static void put_attributes(dialect *d, const char *at, const char *end)
{
    while (at < end) {
        at += strspn(at, ", \t\r\n");
        size_t length = word_length(at);
        if (at >= end || !length) return;
        const char *after = at + length;
        if (*after == '(') after += strcspn(after, ")") + 1;
        if (after > end) return;
        if (same_word(at, length, "stage")) fprintf(d->to, "@%.*s ", (int)(after - at) - 7, at + 6);
        else if (!same_word(at, length, "block") && !same_word(at, length, "stride") &&
                 !same_word(at, length, "access"))
            fprintf(d->to, "@%.*s ", (int)(after - at), at);
        at = after;
    }
}

/* Returns the length of [[ATTRIBUTES]]; 0: another text, as the index a[b[0]] or a placeholder. */
static size_t old_attributes(const char *at)
{
    static const char *const words[] = {"stage", "block", "group", "binding", "builtin", "location",
        "stride", "access", "workgroup_size", "override", "size", "align", "interpolate"};
    if (at[0] != '[' || at[1] != '[') return 0;
    const char *name = at + 2 + strspn(at + 2, " \t"), *end = strstr(at, "]]");
    size_t length = word_length(name), i = 0;
    while (i < HED_COUNT(words) && !same_word(name, length, words[i])) i++;
    return end && i < HED_COUNT(words) ? (size_t)(end - at) + 2 : 0;
}

/* Writes `enable` with the extensions of a list but f32, which is no extension; returns the length
 * of the directive. */
static size_t put_enable(dialect *d, const char *at)
{
    const char *before = "enable ", *end = at + strcspn(at, ";");
    for (const char *name = at + 6; name < end; name++) {
        size_t length = word_length(name);
        if (!length) continue;
        if (!same_word(name, length, "f32"))
            fprintf(d->to, "%s%.*s", before, (int)length, name), before = ", ";
        name += length - 1;
    }
    if (*before == ',') fputc(';', d->to);
    return (size_t)(end - at) + (*end == ';');
}

/* Writes `var<uniform>` for a variable that the program sets with its commands; returns the length
 * of the old words. */
static size_t put_uniform(dialect *d, const char *at)
{
    static const char *const spaces[] = {"push_constant", "immediate"};
    const char *name = at + 3 + strspn(at + 3, " \t");
    if (*name != '<') return 0;
    name += 1 + strspn(name + 1, " \t");
    size_t length = word_length(name), i = 0;
    while (i < HED_COUNT(spaces) && !same_word(name, length, spaces[i])) i++;
    const char *end = name + length + strspn(name + length, " \t");
    if (i == HED_COUNT(spaces) || *end != '>') return 0;
    note_line(d, &d->native_line);
    fprintf(d->to, "@group(0) @binding(%u) var<uniform>", d->next_binding++);
    return (size_t)(end + 1 - at);
}

static size_t put_sign(dialect *d, const char *at)
{
    static const char stage[] = "@stage(";
    size_t size = old_attributes(at);
    if (size) {
        note_line(d, &d->old_line);
        put_attributes(d, at + 2, at + size - 2);
        return size;
    }
    if (strncmp(at, stage, sizeof stage - 1) == 0) {
        const char *name = at + sizeof stage - 1;
        size_t length = word_length(name);
        if (!length || name[length] != ')') return 0;
        note_line(d, &d->old_line);
        fprintf(d->to, "@%.*s", (int)length, name);
        return sizeof stage + length;
    }
    d->braces += (*at == '{') - (*at == '}');
    if (*at == '}' && d->braces <= 0) d->is_struct = false;
    if (*at != ';' || !d->is_struct || d->braces != 1) return 0;
    note_line(d, &d->old_line);
    fputc(',', d->to);
    return 1;
}

/* Writes another word for one that browsers refuse; returns the length of the old text, 0: browsers
 * take the word. With f32 in the place of f16 a literal and a type have its letter: 0.5h, vec4h. Of
 * a literal with a point, 1.5h, the word is 5h. */
static size_t put_word(dialect *d, const char *at, size_t length)
{
    if (same_word(at, length, "let") && !d->braces) {
        note_line(d, &d->old_line);
        fputs("const", d->to);
        return length;
    }
    if (same_word(at, length, "var") && !d->braces) return put_uniform(d, at);
    if (!d->is_single) return 0;
    if (same_word(at, length, "enable")) return put_enable(d, at);
    size_t digits = strspn(at, "0123456789");
    bool is_literal = digits && digits + 1 == length && at[digits] == 'h',
         is_vector = length == 5 && !memcmp(at, "vec", 3) && strchr("234", at[3]) && at[4] == 'h',
         is_matrix = length == 7 && !memcmp(at, "mat", 3) && at[4] == 'x' && at[6] == 'h';
    if (!is_literal && !is_vector && !is_matrix) return 0;
    fprintf(d->to, "%.*sf", (int)length - 1, at);
    return length;
}

static void put_words(dialect *d, const char *text)
{
    for (const char *at = text; *at;) {
        const char *after = hed_spec_skip_comment(at);
        size_t length = after != at ? 0 : word_length(at), done = 0;
        if (length) done = put_word(d, at, length);
        else if (after == at) done = put_sign(d, at);
        d->is_struct = d->is_struct || (same_word(at, length, "struct") && !d->braces);
        size_t size = done ? done : after != at ? (size_t)(after - at) : length ? length : 1;
        for (size_t i = 0; i < size; i++) d->line += at[i] == '\n';
        if (!done) fwrite(at, 1, size, d->to);
        at += size;
    }
}

void hed_spec_put_dialect(hed_spec_reader *reader, hed_json_node node, hed_source *source)
{
    char *text = NULL;
    size_t size = 0;
    dialect d = {.to = open_memstream(&text, &size), .line = 1};
    if (!d.to) return;
    d.is_single = strstr(source->text, "enable f32") != NULL;
    for (const char *at = source->text; (at = strstr(at, "binding(")) != NULL;) {
        at += sizeof "binding(" - 1;
        unsigned long number = strtoul(at, NULL, 10);
        if (number < MOST_BINDINGS && number >= d.next_binding)
            d.next_binding = (uint32_t)number + 1;
    }
    put_words(&d, source->text);
    if (!fclose(d.to) && (d.old_line || d.native_line || d.is_single)) {
        source->text = hed_spec_text(reader, node, "%s", text);
        source->size = strlen(source->text);
    }
    free(text);
    if (d.old_line)
        hed_spec_add_note(reader, node,
            hed_spec_text(reader, node,
                "the text is WGSL of 2021, from line %u on: it is read with the words of today (const, @compute), without "
                "which no browser takes it",
                d.old_line));
    if (d.native_line)
        hed_spec_add_note(reader, node,
            hed_spec_text(reader, node,
                "line %u is a variable of native wgpu (push_constant, immediate): in a browser it is a uniform",
                d.native_line));
}
