/* Names of a shader that its program declares, as by -D of a compiler: the remedy lists all of them
 * with guesses of their values. */
#include "tunefile/spec.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void hed_spec_list_name(
    hed_spec_name_list *list, const char *name, size_t length, const char *value)
{
    static const struct {
        const char *word, *value;
    } guesses[] = {{"shift", "6"}, {"bank", "32"}, {"tile", "16"}, {"_x", "8"}, {"_y", "8"},
        {"_z", "1"}, {"wg", "64"}, {"group", "64"}, {"block", "64"}, {"thread", "64"},
        {"local", "64"}, {"size", "64"}};
    char entry[128], lower[64] = "";
    const char *guess = "1",
               *quote = value && (!*value || isalpha((unsigned char)*value)) ? "\"" : "";
    if ((size_t)snprintf(entry, sizeof entry, "\"%.*s\": ", (int)length, name) >= sizeof entry ||
        length >= sizeof lower || strstr(list->text, entry) ||
        list->used + length + 16 > sizeof list->text)
        return;
    for (size_t i = 0; i < length; i++) lower[i] = (char)tolower((unsigned char)name[i]);
    for (size_t i = 0; i < sizeof guesses / sizeof *guesses; i++)
        if (strstr(lower, guesses[i].word)) {
            guess = guesses[i].value;
            break;
        }
    list->used += (size_t)snprintf(list->text + list->used, sizeof list->text - list->used,
        "%s%s%s%s%s", list->used ? ", " : "", entry, quote, value ? value : guess, quote);
}

bool hed_spec_is_in_capitals(const char *name, size_t length)
{
    uint32_t letters = 0;
    for (size_t i = 0; i < length; i++) {
        if (islower((unsigned char)name[i])) return false;
        letters += isupper((unsigned char)name[i]) != 0;
    }
    return letters && !isdigit((unsigned char)*name);
}

/* ---- GLSL ---- */

hed_glsl_word hed_spec_glsl_next(const char *text, const char *at)
{
    for (;;) {
        at += strspn(at, " \t\r\n");
        const char *line = at;
        while (line > text && (line[-1] == ' ' || line[-1] == '\t')) line--;
        bool is_line = *at == '#' && (line == text || line[-1] == '\n');
        if (is_line || (at[0] == '/' && at[1] == '/')) {
            const char *start = at;
            at += strcspn(at, "\n");
            while (*at && (at[-1] == '\\' || (at[-1] == '\r' && at - start > 1 && at[-2] == '\\')))
                at += 1 + strcspn(at + 1, "\n");
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            at = end ? end + 2 : at + strlen(at);
        } else {
            break;
        }
    }
    size_t size = 0;
    while (isalnum((unsigned char)at[size]) || at[size] == '_') size++;
    return (hed_glsl_word){at, size ? size : *at != 0};
}

static bool is_glsl_name(hed_glsl_word w)
{
    return w.size && (isalpha((unsigned char)*w.at) || *w.at == '_');
}

/* True if the word before a name cannot declare it: a qualifier of a type, or a keyword. */
static bool is_qualifier(hed_glsl_word w)
{
    static const char *const words[] = {"return", "else", "case", "const", "in", "out", "inout",
        "shared", "uniform", "readonly", "writeonly", "highp", "mediump", "lowp", "flat",
        "coherent", "restrict", "volatile", "precise"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == w.size && !memcmp(words[i], w.at, w.size)) return true;
    return false;
}

bool hed_spec_glsl_names(hed_glsl_word before, hed_glsl_word next)
{
    return is_glsl_name(before) && !is_qualifier(before) && !is_glsl_name(next);
}

/* Branches of the preprocessor around a line. Guards of included files do not count. */
typedef struct branches {
    bool is_choice[32]; /* (depth) */
    bool has_macro[33]; /* (depth + 1) a branch so far defines the macro that is looked for */
    int depth, choices;
} branches;

/* Follows a line of the preprocessor. Returns its word after #; NULL: another line. */
static const char *follow_line(branches *b, const char *line)
{
    const char *word = line + strspn(line, " \t");
    if (*word++ != '#') return NULL;
    word += strspn(word, " \t");
    if (!strncmp(word, "if", 2) && b->depth < 31) {
        const char *rest = word + strcspn(word, " \t\n(");
        rest += strspn(rest, " \t(");
        b->is_choice[b->depth] =
            strncmp(word, "ifndef", 6) != 0 && strncmp(rest, "!defined", 8) != 0;
        b->choices += b->is_choice[b->depth++];
        b->has_macro[b->depth] = false;
    } else if (!strncmp(word, "endif", 5) && b->depth) {
        b->choices -= b->is_choice[--b->depth];
    }
    return word;
}

static const char *next_line(const char *line)
{
    line += strcspn(line, "\n");
    return line + (*line == '\n');
}

bool hed_spec_glsl_defines(const char *text, hed_glsl_word name)
{
    branches b = {.depth = 0};
    for (const char *line = text; *line; line = next_line(line)) {
        const char *word = follow_line(&b, line);
        if (!word) continue;
        if (!strncmp(word, "else", 4) && b.depth && b.has_macro[b.depth]) {
            if (b.choices == b.is_choice[b.depth - 1]) return true;
            b.has_macro[b.depth - 1] = true;
        }
        if (strncmp(word, "define", 6) != 0) continue;
        const char *at = word + 6 + strspn(word + 6, " \t");
        bool is_name = !strncmp(at, name.at, name.size) && !isalnum((unsigned char)at[name.size]) &&
                       at[name.size] != '_';
        if (is_name && !b.choices) return true;
        b.has_macro[b.depth] = b.has_macro[b.depth] || is_name;
    }
    return false;
}

bool hed_spec_glsl_may_have(const char *open, hed_glsl_word name)
{
    branches b = {.depth = 0};
    for (const char *line = open; *line; line = next_line(line)) {
        const char *word = follow_line(&b, line);
        bool is_define = word && !strncmp(word, "define", 6),
             is_test = word && (!strncmp(word, "if", 2) || !strncmp(word, "elif", 4));
        if (!is_define && !is_test) continue;
        const char *end = line + strcspn(line, "\n");
        for (const char *at = word; (at = memmem(at, (size_t)(end - at), name.at, name.size));
             at++) {
            bool is_begun = isalnum((unsigned char)at[-1]) || at[-1] == '_',
                 is_ended = !isalnum((unsigned char)at[name.size]) && at[name.size] != '_';
            if (!is_begun && is_ended && (is_test || at <= word + 8)) return true;
        }
    }
    return false;
}

typedef struct glsl_use {
    bool is_declared, is_type, is_call;
} glsl_use;

/* Reads all uses of a name. */
static glsl_use uses_of(const char *text, hed_glsl_word name)
{
    glsl_use use = {.is_declared = hed_spec_glsl_defines(text, name), .is_call = true};
    hed_glsl_word before = {text, 0};
    for (hed_glsl_word w = hed_spec_glsl_next(text, text); w.size && !use.is_declared;
         before = w, w = hed_spec_glsl_next(text, w.at + w.size)) {
        if (w.size != name.size || memcmp(w.at, name.at, w.size) != 0) continue;
        hed_glsl_word next = hed_spec_glsl_next(text, w.at + w.size);
        if (before.size == 1 && *before.at == '.') continue;
        use.is_declared = hed_spec_glsl_names(before, next);
        use.is_type = use.is_type || is_glsl_name(next);
        use.is_call = use.is_call && next.size == 1 && *next.at == '(';
    }
    return use;
}

bool hed_spec_glsl_declares(const char *text, hed_glsl_word name)
{
    return uses_of(text, name).is_declared;
}

bool hed_spec_glsl_lacks(const char *text, hed_glsl_word name, const char *log)
{
    const char *end = memmem(log, strlen(log), name.at, name.size);
    for (; end; end = memmem(end + 1, strlen(end + 1), name.at, name.size)) {
        const char *after = end + name.size;
        bool is_quoted = end > log && end[-1] == '\'' && *after == '\'';
        if (is_quoted &&
            (!strncmp(after, "' : undeclared", 14) || !strncmp(after, "' : no matching", 15)))
            return true;
    }
    if (!strstr(log, "unexpected IDENTIFIER")) return false;
    glsl_use use = uses_of(text, name);
    return use.is_type && !use.is_declared;
}

/* Counts the places where a name is the value of a key of a layout, `KEY = NAME`; `key` may be the
 * beginning. */
static uint32_t count_values(const char *text, hed_glsl_word name, const char *key)
{
    hed_glsl_word before[2] = {{text, 0}, {text, 0}};
    size_t length = strlen(key);
    uint32_t count = 0;
    for (hed_glsl_word w = hed_spec_glsl_next(text, text); w.size;
         before[0] = before[1], before[1] = w, w = hed_spec_glsl_next(text, w.at + w.size))
        count += w.size == name.size && !memcmp(w.at, name.at, name.size) && before[1].size == 1 &&
                 *before[1].at == '=' && before[0].size >= length &&
                 !memcmp(before[0].at, key, length);
    return count;
}

/* Returns the type of GLSL for one of HLSL, as vec3 for float3; NULL: it is another name. */
static const char *shading_type(hed_glsl_word w)
{
    static const char *const types[][2] = {{"float2", "vec2"}, {"float3", "vec3"},
        {"float4", "vec4"}, {"int2", "ivec2"}, {"int3", "ivec3"}, {"int4", "ivec4"},
        {"uint2", "uvec2"}, {"uint3", "uvec3"}, {"uint4", "uvec4"}, {"float3x3", "mat3"},
        {"float4x4", "mat4"}};
    for (size_t i = 0; i < HED_COUNT(types); i++)
        if (strlen(types[i][0]) == w.size && !memcmp(types[i][0], w.at, w.size)) return types[i][1];
    return NULL;
}

/* Guesses a type by its name, as vec2 of B_TYPE_VEC2 and FLOAT_TYPEV2. */
static const char *type_by_name(hed_glsl_word w)
{
    static const char *const types[][3] = {{"VEC2", "V2", "vec2"}, {"VEC3", "V3", "vec3"},
        {"VEC4", "V4", "vec4"}, {"MAT2X4", "V8", "mat2x4"}};
    for (size_t i = 0; i < HED_COUNT(types); i++)
        if (memmem(w.at, w.size, types[i][0], strlen(types[i][0])) ||
            (w.size > 2 && !memcmp(w.at + w.size - 2, types[i][1], 2)))
            return types[i][2];
    return "float";
}

static bool same_glsl(hed_glsl_word w, const char *text, size_t size)
{
    return w.size == size && memcmp(w.at, text, size) == 0;
}

/* Returns the type of a buffer's elements that is a name of the program, by a variable that begins
 * with one, as `uint row = rows[i]` of `ROW_TYPE rows[];`; else the type that the name has by
 * itself. */
static const char *type_by_use(const char *text, hed_glsl_word name)
{
    static const char *const whole[] = {"uint", "int"};
    hed_glsl_word last[4] = {{text, 0}, {text, 0}, {text, 0}, {text, 0}}, list = {text, 0};
    for (hed_glsl_word w = hed_spec_glsl_next(text, text); w.size;
         w = hed_spec_glsl_next(text, w.at + w.size)) {
        bool is_index = same_glsl(w, "[", 1);
        if (is_index && last[2].size && same_glsl(last[1], name.at, name.size)) list = last[0];
        for (size_t i = 0; is_index && list.size && i < HED_COUNT(whole); i++)
            if (same_glsl(last[0], list.at, list.size) && same_glsl(last[1], "=", 1) &&
                same_glsl(last[3], whole[i], strlen(whole[i])))
                return whole[i];
        memmove(last + 1, last, 3 * sizeof *last);
        last[0] = w;
    }
    return type_by_name(name);
}

const char *hed_spec_glsl_type_guess(const char *text, hed_glsl_word name)
{
    return uses_of(text, name).is_type ? type_by_use(text, name) : NULL;
}

/* True if the comment gives a name its value. */
static bool is_defined(const hed_spec_reader *reader, hed_glsl_word name)
{
    const hed_kernel_def *kernel = &reader->spec->kernel.def;
    uint32_t i = 0;
    while (i < kernel->define_count &&
           !same_glsl(name, kernel->defines[i].name, strlen(kernel->defines[i].name)))
        i++;
    return i < kernel->define_count;
}

/* Lists the names in capitals and types of HLSL that a text uses, and that the text with all its
 * branches does not declare. `with_branches`: names as well that it may declare in a branch. */
static void list_names(hed_spec_reader *reader, hed_json_node node, const char *text,
    const char *whole, bool with_branches, hed_spec_name_list *list)
{
    static const char *const square[] = {NULL, NULL, "16", "4"};
    static const char key[] = "binding";
    uint32_t bindings = 0; /* number after the highest of the text */
    for (const char *at = text; (at = strstr(at, key)) != NULL;) {
        unsigned value;
        at += sizeof key - 1;
        if (sscanf(at, " = %u", &value) == 1 && value < 64 && value >= bindings)
            bindings = value + 1;
    }
    for (hed_glsl_word w = hed_spec_glsl_next(text, text); w.size;
         w = hed_spec_glsl_next(text, w.at + w.size)) {
        bool is_own = w.size > 1 && strncmp(w.at, "GL_", 3) != 0 && strncmp(w.at, "__", 2) != 0;
        const char *type = shading_type(w);
        if (!is_own || (!type && !hed_spec_is_in_capitals(w.at, w.size)) || is_defined(reader, w))
            continue;
        glsl_use use = uses_of(whole, w);
        if (use.is_declared || (use.is_call && !use.is_type && !type)) continue;
        if (!with_branches && !type && hed_spec_glsl_may_have(text, w)) continue;
        branches around = {.depth = 0};
        for (const char *line = text; line < w.at && text == whole; line = next_line(line))
            follow_line(&around, line);
        if (around.choices) continue;
        uint32_t sizes = count_values(text, w, "local_size_");
        const char *value = use.is_type ? type_by_use(text, w) : NULL;
        if (sizes > 1 && sizes < 4) value = square[sizes];
        if (count_values(text, w, "set")) value = "0";
        if (type) value = type;
        size_t before = list->used;
        bool is_binding = count_values(text, w, "binding") > 0;
        if (is_binding) value = hed_spec_text(reader, node, "%u", bindings);
        hed_spec_list_name(list, w.at, w.size, value);
        bindings += is_binding && list->used > before;
    }
}

const char *hed_spec_glsl_names_hint(hed_spec_reader *reader, hed_json_node node, const char *text,
    const char *open, const char *log)
{
    hed_spec_name_list list = {.used = 0};
    list_names(reader, node, open, text, false, &list);
    /* a type that only its values name, TYPE(x), is a function to the compiler */
    for (const char *at = log; (at = strstr(at, "' : no matching overloaded function")) != NULL;
         at++) {
        const char *name = at;
        for (; name > log && name[-1] != '\'' && name[-1] != '\n';) name--;
        const hed_glsl_word type = {name, (size_t)(at - name)};
        if (hed_spec_is_in_capitals(name, type.size) && memmem(name, type.size, "TYPE", 4) &&
            !hed_spec_glsl_declares(text, type))
            hed_spec_list_name(&list, name, type.size, type_by_name(type));
    }
    if (!list.used) list_names(reader, node, open, text, true, &list);
    const char *unknown = strstr(log, "' : undeclared identifier"), *name = unknown;
    while (name && name > log && name[-1] != '\'' && name[-1] != '\n') name--;
    if (unknown && !list.used) hed_spec_list_name(&list, name, (size_t)(unknown - name), NULL);
    hed_spec_add_remedy(reader, "defines", list.text);
    return list.used
               ? hed_spec_text(reader, node,
                     "; the text does not declare names that it uses. Write as the first line "
                     "/* heddle {\"defines\": {%s}} */, with the program's values",
                     list.text)
               : "";
}
