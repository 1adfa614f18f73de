/* Texts in GLSL that a program joins or completes before it compiles them: other texts are inserted
 * before the shader's own ("source" of the comment), placeholders become names, and the remedy
 * lists the texts near the shader that declare the missing names. */
#include "tunefile/spec.h"

#include "support/file.h"

#include <ctype.h>
#include <dirent.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NEAR = 64, LONGEST_NEAR = 1 << 18 };

/* ---- inserted texts ---- */

/* Returns the first line after `#version` and `#extension`, and after the branches in which they
 * are alone, with its number. */
static const char *line_after_head(const char *text, uint32_t *number)
{
    const char *after = text;
    uint32_t line = 1, depth = 0;
    bool is_inside = false; /* the last line of the head is in a branch that has no code so far */
    *number = 1;
    for (const char *at = text; *at; line++) {
        const char *word = at + strspn(at, " \t\r");
        bool is_head = !strncmp(word, "#version", 8) || !strncmp(word, "#extension", 10),
             is_end = !strncmp(word, "#endif", 6), is_code = !strchr("#/*\n", *word);
        depth += !strncmp(word, "#if", 3);
        depth -= is_end && depth;
        bool is_closed = is_end && is_inside && !depth;
        is_inside = is_head ? depth > 0 : is_inside && !is_code && !is_closed;
        at += strcspn(at, "\n");
        if (*at) at++;
        if (!is_head && !is_closed) continue;
        after = at;
        *number = line + 1;
    }
    return after;
}

void hed_spec_put_glsl_texts(
    hed_spec_reader *reader, hed_json_node node, hed_json_node list, hed_source *source)
{
    const char *lines = "";
    uint32_t number;
    if (hed_json_kind_of(list) != HED_JSON_ARRAY || !hed_spec_fine(reader)) return;
    for (size_t i = 1; i < hed_json_count(list) && hed_spec_fine(reader); i++)
        lines = hed_spec_text(
            reader, node, "%s#include \"%s\"\n", lines, hed_json_string(hed_json_item(list, i)));
    if (!*lines || !hed_spec_fine(reader)) return;
    const char *rest = line_after_head(source->text, &number);
    source->text = hed_spec_text(reader, node, "%.*s%s%s#line %u 0\n%s", (int)(rest - source->text),
        source->text, rest > source->text && rest[-1] != '\n' ? "\n" : "", lines, number, rest);
    source->size = strlen(source->text);
}

void hed_spec_put_extensions(hed_spec_reader *reader, hed_json_node node, hed_source *source)
{
    static const char *const names[] = {"EXT_shader_explicit_arithmetic_types", "EXT_shader_8bit_storage",
        "EXT_shader_16bit_storage", "EXT_scalar_block_layout", "EXT_samplerless_texture_functions",
        "EXT_nonuniform_qualifier", "EXT_shader_image_load_formatted", "EXT_control_flow_attributes",
        "KHR_shader_subgroup_basic", "KHR_shader_subgroup_vote", "KHR_shader_subgroup_arithmetic",
        "KHR_shader_subgroup_ballot", "KHR_shader_subgroup_shuffle", "KHR_shader_subgroup_shuffle_relative",
        "KHR_shader_subgroup_clustered", "EXT_shader_atomic_float", "ARB_gpu_shader_int64"};
    const char *lines = "";
    uint32_t number;
    for (size_t i = 0; i < sizeof names / sizeof *names && hed_spec_fine(reader); i++)
        lines = hed_spec_text(reader, node, "%s#extension GL_%s : enable\n", lines, names[i]);
    const char *rest = line_after_head(source->text, &number);
    if (rest == source->text || !hed_spec_fine(reader)) return; /* no line #version */
    source->text = hed_spec_text(reader, node, "%.*s%s#line %u 0\n%s", (int)(rest - source->text),
        source->text, lines, number, rest);
    source->size = strlen(source->text);
}

void hed_spec_put_prelude(hed_spec_reader *reader, hed_json_node node, hed_source *source)
{
    static const struct {
        const char *name, *rest;
    } macros[] = {{"sfp", " float"}, {"sfpvec2", " vec2"}, {"sfpvec4", " vec4"}, {"sfpmat4", " mat4"},
        {"afp", " float"}, {"afpvec2", " vec2"}, {"afpvec4", " vec4"}, {"afpmat4", " mat4"},
        {"lfp", " float"}, {"lfpvec4", " vec4"}, {"lfp2afp", "(v) (v)"}, {"lfp2afpvec4", "(v) (v)"},
        {"afp2lfp", "(v) (v)"}, {"afp2lfpvec4", "(v) (v)"}, {"sfp2float", "(v) (v)"},
        {"sfp2afp", "(v) (v)"}, {"sfp2afpvec2", "(v) (v)"}, {"sfp2afpvec4", "(v) (v)"}, {"sfp2afpmat4", "(v) (v)"},
        {"afp2sfp", "(v) (v)"}, {"afp2sfpvec2", "(v) (v)"}, {"afp2sfpvec4", "(v) (v)"}, {"afp2sfpmat4", "(v) (v)"},
        {"psc", "(x) ((x) == 0 ? p.x : (x))"}, {"buffer_ld1", "(from, i) from[i]"},
        {"buffer_ld2", "(from, i) from[i]"}, {"buffer_ld4", "(from, i) from[i]"},
        {"buffer_st1", "(to, i, v) {to[i] = v;}"}, {"buffer_st2", "(to, i, v) {to[i] = v;}"},
        {"buffer_st4", "(to, i, v) {to[i] = v;}"}, {"buffer_sm1", "(to, i, from, k) {to[i] = from[k];}"},
        {"buffer_sm4", "(to, i, from, k) {to[i] = from[k];}"},
        {"buffer_cp1", "(to, i, from, k) {to[i] = from[k];}"},
        {"buffer_cp4", "(to, i, from, k) {to[i] = from[k];}"},
        {"buffer_cp1to4", "(to, i, from, k) {to[i] = vec4(from[k.x], from[k.y], from[k.z], from[k.w]);}"},
        {"buffer_cp4to1",
            "(to, k, from, i) {to[k.x] = from[i].x; to[k.y] = from[i].y; to[k.z] = from[i].z; to[k.w] = from[i].w;}"}};
    const char *lines = "";
    uint32_t number;
    if (!strstr(source->text, "sfp") && !strstr(source->text, "afp")) return;
    for (size_t i = 0; i < sizeof macros / sizeof *macros && hed_spec_fine(reader); i++) {
        const hed_glsl_word name = {macros[i].name, strlen(macros[i].name)};
        bool is_used = false;
        for (const char *at = source->text; !is_used && (at = strstr(at, name.at)) != NULL; at++) {
            bool is_begun = at > source->text && (isalnum((unsigned char)at[-1]) || at[-1] == '_');
            is_used = !is_begun && !isalnum((unsigned char)at[name.size]) && at[name.size] != '_';
        }
        if (is_used && !hed_spec_glsl_declares(source->text, name))
            lines = hed_spec_text(reader, node, "%s#define %s%s\n", lines, name.at, macros[i].rest);
    }
    if (!*lines || !hed_spec_fine(reader)) return;
    const char *rest = line_after_head(source->text, &number),
               *group = strstr(source->text, "local_size_")                      ? ""
                        : strstr(source->text, "gl_GlobalInvocationID.z")        ? "layout(local_size_x = 4, local_size_y = 4, local_size_z = 4) in;\n"
                        : strstr(source->text, "gl_GlobalInvocationID.y") ? "layout(local_size_x = 8, local_size_y = 8) in;\n"
                                                                          : "layout(local_size_x = 64) in;\n";
    source->text = hed_spec_text(reader, node, "%.*s%s%s#line %u 0\n%s", (int)(rest - source->text),
        source->text, lines, group, number, rest);
    source->size = strlen(source->text);
    hed_spec_add_note(reader, node,
        hed_spec_text(reader, node, "names of ncnn are defined as for numbers of 32 bits%s",
            *group ? ", and the group's size is a guess" : ""));
}

void hed_spec_complete_literals(hed_spec_reader *reader, hed_json_node node, hed_source *source)
{
    char *text = hed_spec_allocate(reader, 3 * strlen(source->text) + 1, node), *to = text;
    bool has_any = false;
    for (const char *at = source->text; text && *at;) {
        const char *after = hed_spec_skip_comment(at);
        const ptrdiff_t place = at - source->text;
        /* 1e+5: no number begins after the sign */
        bool is_exponent = place > 2 && strchr("+-", at[-1]) && strchr("eE", at[-2]) &&
                           (isdigit((unsigned char)at[-3]) || at[-3] == '.'),
             is_start = !place ||
                        (!is_exponent && !isalnum((unsigned char)at[-1]) && !strchr("_.", at[-1]));
        size_t size = after == at && is_start ? strspn(at, "0123456789") : 0,
               copied = after > at ? (size_t)(after - at) : size ? size : 1;
        bool is_literal = size && (at[size] == 'f' || at[size] == 'F') &&
                          !isalnum((unsigned char)at[size + 1]) && !strchr("_.", at[size + 1]);
        memcpy(to, at, copied);
        to += copied;
        at += copied;
        if (is_literal) *to++ = '.', *to++ = '0';
        has_any = has_any || is_literal;
    }
    if (!has_any) return;
    *to = 0;
    source->text = text;
    source->size = (size_t)(to - text);
}

/* True if the declaration from `at` to its `;` contains one of the names, which are between
 * blanks. */
static bool contains_name(const char *text, const char *at, const char *names)
{
    char name[68];
    for (hed_glsl_word w = hed_spec_glsl_next(text, at); w.size && *w.at != ';';
         w = hed_spec_glsl_next(text, w.at + w.size)) {
        bool fits = (size_t)snprintf(name, sizeof name, " %.*s ", (int)w.size, w.at) < sizeof name;
        if (fits && strstr(names, name)) return true;
    }
    return false;
}

void hed_spec_free_constants(hed_spec_reader *reader, hed_json_node node, hed_source *source)
{
    char *text = NULL, names[4096] = " "; /* uniforms, and constants that begin with one */
    int depth = 0;
    hed_glsl_word last = {source->text, 0}, name = last, constant = last;
    bool is_uniform = false, is_block = false;
    for (hed_glsl_word w = hed_spec_glsl_next(source->text, source->text); w.size && hed_spec_fine(reader);
         last = w, w = hed_spec_glsl_next(source->text, w.at + w.size)) {
        if (*w.at == '{' && !depth++) is_block = is_uniform;
        if (*w.at == '}' && !--depth) is_block = false;
        if (depth > is_block) continue;
        if (w.size == 7 && !memcmp(w.at, "uniform", 7)) is_uniform = true;
        if (w.size == 5 && !memcmp(w.at, "const", 5)) constant = w;
        bool is_end = strchr(";={}()", *w.at) != NULL;
        if ((*w.at == '[' || is_end) && !name.size) name = last;
        bool is_free = constant.size && *w.at == '=' && contains_name(source->text, w.at, names),
             is_listed = is_free || ((is_uniform || is_block) && *w.at == ';');
        size_t used = strlen(names);
        if (is_listed && used + name.size + 2 < sizeof names)
            snprintf(names + used, sizeof names - used, "%.*s ", (int)name.size, name.at);
        if (is_free && !text) {
            text = hed_spec_allocate(reader, strlen(source->text) + 1, node);
            if (!text) return;
            strcpy(text, source->text);
        }
        if (is_free) memset(text + (constant.at - source->text), ' ', constant.size);
        if (!is_end) continue;
        is_uniform = false;
        name.size = constant.size = 0;
    }
    if (text) source->text = text;
}

/* Returns the length of a placeholder with its brackets, as [[NAME]], {{NAME}}, ${NAME} and @NAME@;
 * 0: another text. */
static size_t placeholder_at(const char *at, const char **name, size_t *length)
{
    static const char *const brackets[][2] = {{"[[", "]]"}, {"{{", "}}"}, {"${", "}"}, {"@", "@"}};
    for (size_t i = 0; i < sizeof brackets / sizeof *brackets; i++) {
        size_t opening = strlen(brackets[i][0]), closing = strlen(brackets[i][1]);
        if (strncmp(at, brackets[i][0], opening) != 0) continue;
        *name = at + opening + strspn(at + opening, " ");
        *length = 0;
        while (isalnum((unsigned char)(*name)[*length]) || (*name)[*length] == '_') ++*length;
        const char *end = *name + *length + strspn(*name + *length, " ");
        /* [[unroll]] is an attribute, {{x}} a list */
        bool is_name = i > 1 || hed_spec_is_in_capitals(*name, *length);
        if (*length && is_name && !isdigit((unsigned char)**name) &&
            !strncmp(end, brackets[i][1], closing))
            return (size_t)(end + closing - at);
    }
    return 0;
}

/* True at the beginning of a line that a program replaces, as #VERSION_DEFINES: GLSL has no
 * directive in capitals. */
static bool is_program_line(const char *text, const char *at)
{
    return *at == '#' && isupper((unsigned char)at[1]) && (at == text || at[-1] == '\n');
}

void hed_spec_name_placeholders(hed_spec_reader *reader, hed_json_node node, hed_source *source)
{
    const char *name;
    size_t length;
    bool has_any = false;
    for (const char *at = source->text; *at && !has_any; at++)
        has_any = placeholder_at(at, &name, &length) || is_program_line(source->text, at);
    char *text = has_any ? hed_spec_allocate(reader, source->size + 1, node) : NULL, *to = text;
    if (!text || strlen(source->text) != source->size) return;
    for (const char *at = source->text; *at;) {
        if (is_program_line(source->text, at)) at += strcspn(at, "\n");
        if (!*at) break;
        size_t whole = placeholder_at(at, &name, &length);
        if (whole) memcpy(to, name, length);
        else *to = *at;
        to += whole ? length : 1;
        at += whole ? whole : 1;
    }
    *to = 0;
    source->text = text;
    source->size = (size_t)(to - text);
}

/* ---- the remedy ---- */

/* Texts near the shader. */
typedef struct near_texts {
    char *texts[MOST_NEAR]; /* (count) */
    char labels[MOST_NEAR][256];
    bool is_listed[MOST_NEAR];
    uint32_t count;
} near_texts;

static void read_near(near_texts *around, const char *folder, const char *label, const char *base)
{
    DIR *entries = opendir(folder);
    for (struct dirent *entry;
         entries && around->count < MOST_NEAR && (entry = readdir(entries));) {
        hed_error ignored = {0};
        char path[1024], *text = NULL;
        size_t size = 0, length = strlen(entry->d_name);
        bool is_part = hed_is_glsl_path(entry->d_name) ||
                       (length > 2 && !strcmp(entry->d_name + length - 2, ".h")) ||
                       (length > 4 && !strcmp(entry->d_name + length - 4, ".inc"));
        if (!is_part || !strcmp(entry->d_name, base) ||
            (size_t)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= sizeof path ||
            (size_t)snprintf(around->labels[around->count], sizeof *around->labels, "%s%s", label,
                entry->d_name) >= sizeof *around->labels ||
            hed_file_read(path, LONGEST_NEAR, &text, &size, &ignored))
            continue;
        bool is_whole =
            strlen(text) != size || hed_spec_glsl_declares(text, (hed_glsl_word){"main", 4});
        if (is_whole) free(text);
        else around->texts[around->count++] = text;
    }
    if (entries) closedir(entries);
}

/* True if the text declares the name at the level of the module: a struct, macro, constant or
 * function. A macro in a branch alone is another text's choice, which joining does not make. */
static bool declares_name(const char *text, hed_glsl_word name)
{
    hed_glsl_word before = {NULL, 0};
    int depth = 0;
    if (!memmem(text, strlen(text), name.at, name.size)) return false;
    if (hed_spec_glsl_defines(text, name)) return true;
    for (hed_glsl_word w = hed_spec_glsl_next(text, text); w.size;
         before = w, w = hed_spec_glsl_next(text, w.at + w.size)) {
        depth += *w.at == '{' || *w.at == '(';
        depth -= *w.at == '}' || *w.at == ')';
        if (!depth && w.size == name.size && !memcmp(w.at, name.at, w.size) &&
            hed_spec_glsl_names(before, hed_spec_glsl_next(text, w.at + w.size)))
            return true;
    }
    return false;
}

/* Lists the texts that declare missing names of a text, each after the texts that it
 * needs. `log`:
 * only names that the compiler's log says are missing; NULL: all. Returns true if one was added. */
static bool list_texts(
    near_texts *around, const char *text, const char *log, char *list, size_t room)
{
    enum { SEEN = 2048 };
    hed_glsl_word seen[SEEN] = {{NULL, 0}}; /* words that need no second look, by a hash */
    bool is_added = false;
    for (hed_glsl_word w = hed_spec_glsl_next(text, text); w.size;
         w = hed_spec_glsl_next(text, w.at + w.size)) {
        bool is_name = w.size > 1 && (isalpha((unsigned char)*w.at) || *w.at == '_');
        uint32_t i = around->count, hash = 0;
        for (size_t k = 0; k < w.size; k++) hash = hash * 31 + (unsigned char)w.at[k];
        hed_glsl_word *place = &seen[hash % SEEN];
        bool is_seen = place->size == w.size && !memcmp(place->at, w.at, w.size);
        *place = w;
        if (!is_name || is_seen || (log && !hed_spec_glsl_lacks(text, w, log))) continue;
        for (uint32_t k = around->count; k-- > 0;) {
            if (!declares_name(around->texts[k], w)) continue;
            i = around->is_listed[k] ? around->count : k;
            if (around->is_listed[k]) break;
        }
        if (i == around->count || strlen(list) + strlen(around->labels[i]) + 5 > room ||
            hed_spec_glsl_declares(text, w))
            continue;
        around->is_listed[i] = true;
        list_texts(around, around->texts[i], NULL, list, room);
        size_t used = strlen(list);
        snprintf(list + used, room - used, ", \"%s\"", around->labels[i]);
        is_added = true;
    }
    return is_added;
}

const char *hed_spec_glsl_join_hint(
    hed_spec_reader *reader, hed_json_node node, const char *text, const char *log)
{
    near_texts *around = calloc(1, sizeof *around);
    char list[1024] = "";
    const char *path = reader->path, *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *folder =
        hed_spec_text(reader, node, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    if (!around) return "";
    read_near(around, folder, "", base);
    bool has_texts = list_texts(around, text, log, list, sizeof list);
    if (has_texts) list_texts(around, text, NULL, list, sizeof list);
    if (has_texts) hed_spec_add_source(reader, node, base, list + 2);
    for (uint32_t i = 0; i < around->count; i++) free(around->texts[i]);
    free(around);
    return has_texts ? hed_spec_text(reader, node,
                           "; texts beside this one declare names that it uses, and its program joins them. Write as the "
                           "first line /* heddle {\"source\": [\"%s\"%s]} */",
                           base, list)
                     : "";
}
