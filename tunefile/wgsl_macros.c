/* Lines of a preprocessor in WGSL, which browsers do not know: #define, #if with its branches, and
 * #include, as of C and of templates ({% include "FILE" %}, use FILE.wgsl; @import "FILE.wgsl";),
 * and imports of WESL. Their lines stay as blank lines, so that the first text's lines keep their
 * numbers; included files follow it, since the order of declarations has no meaning. */
#include "tunefile/spec.h"

#include "support/file.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_TEXT = 1 << 20, MOST_MACROS = 256, MOST_FILES = 64, DEEPEST = 32, PARENTS = 3 };

typedef struct macro {
    const char *name, *value;
    bool is_constant; /* a number, which stays a name of the text */
} macro;

typedef struct expansion {
    hed_spec_reader *reader;
    hed_json_node node;
    macro macros[MOST_MACROS];
    uint32_t macro_count;
    const char *files[MOST_FILES]; /* paths of included files, each of which is read once */
    uint32_t file_count;
    FILE *after; /* texts of the included files */
} expansion;

/* ---- macros ---- */

const char *hed_spec_skip_comment(const char *at)
{
    if (at[0] != '/' || (at[1] != '/' && at[1] != '*')) return at;
    if (at[1] == '/') return at + strcspn(at, "\n");
    uint32_t depth = 0;
    for (; *at; at++) {
        bool opens = at[0] == '/' && at[1] == '*', closes = at[0] == '*' && at[1] == '/';
        if (!opens && !closes) continue;
        depth += opens ? 1 : -1u;
        at++;
        if (!depth) return at + 1;
    }
    return at;
}

static size_t name_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_') length++;
    return isdigit((unsigned char)*at) ? 0 : length;
}

static macro *macro_of(expansion *e, const char *name, size_t length)
{
    for (uint32_t i = 0; i < e->macro_count; i++)
        if (strlen(e->macros[i].name) == length && !memcmp(e->macros[i].name, name, length))
            return &e->macros[i];
    return NULL;
}

static bool is_plain_number(const char *text)
{
    return isdigit((unsigned char)*text) && strspn(text, "0123456789abcdefxulh.") == strlen(text);
}

static void set_macro(expansion *e, const char *name, size_t length, const char *value)
{
    macro *m = macro_of(e, name, length);
    if (!m && e->macro_count == MOST_MACROS)
        hed_json_reject(e->node, "more than %d macros", MOST_MACROS);
    else if (!m)
        *(m = &e->macros[e->macro_count++]) =
            (macro){.name = hed_spec_text(e->reader, e->node, "%.*s", (int)length, name)};
    bool is_valid = strncmp(name, "__", 2) != 0; /* two underscores begin no name of WGSL */
    if (m) m->value = value, m->is_constant = is_valid && is_plain_number(value);
}

/* Returns the size of the placeholder at `at`, as {NAME}, {{NAME}}, $[NAME] and $NAME$; 0: another
 * text. */
static size_t placeholder_size(const char *at)
{
    bool is_square = at[0] == '$' && at[1] == '[', is_between = at[0] == '$' && !is_square;
    size_t size = is_between ? 1 : is_square ? 2 : strspn(at, "{");
    size += strspn(at + size, " ");
    size_t length = size ? name_length(at + size) : 0;
    size += length;
    size += strspn(at + size, " ");
    if (!length || at[size] != (is_between ? '$' : is_square ? ']' : '}')) return 0;
    return size + (at[0] == '$');
}

/* Writes a line, or a value, with the macros in it replaced. */
static void put_code(expansion *e, FILE *to, const char *at, size_t size, uint32_t depth)
{
    const char *end = at + size;
    if (depth && ftell(to) > 4L * LONGEST_TEXT) {
        hed_json_reject(e->node, "the text with its macros replaced has over %d MiB", 4 * LONGEST_TEXT >> 20);
        return;
    }
    while (at < end && hed_spec_fine(e->reader)) {
        size_t length = name_length(at);
        if (at + 1 < end && at[0] == '/' && at[1] == '/') length = (size_t)(end - at);
        if (*at == '{' || *at == '$') length = placeholder_size(at);
        const macro *m = length ? macro_of(e, at, length) : NULL;
        if (m && !m->is_constant && depth < DEEPEST)
            put_code(e, to, m->value, strlen(m->value), depth + 1);
        else if (length) fwrite(at, 1, length, to);
        else fputc(*at, to);
        while (
            !length && isdigit((unsigned char)*at) && isalnum((unsigned char)at[1]) && at + 1 < end)
            fputc(*++at, to);
        at += length ? length : 1;
    }
}

bool hed_spec_condition(const char *at, size_t size,
    const char *(*value_of)(void *user, const char *name, size_t length), void *user, bool *is_met)
{
    char *text = NULL;
    size_t used = 0;
    FILE *to = open_memstream(&text, &used);
    bool is_defined = false;
    hed_expression *expression = NULL;
    const hed_expression_names names = {.count = 0};
    const char *end = at + size;
    if (!to) return false;
    while (at < end && !(at[0] == '/' && (at[1] == '/' || at[1] == '*'))) {
        size_t length = name_length(at);
        bool is_word = length == 7 && !memcmp(at, "defined", length);
        const char *value = length && !is_word ? value_of(user, at, length) : NULL;
        if (is_word) is_defined = true;
        else if (length && is_defined) fputs(value ? "1" : "0", to), is_defined = false;
        else if (length) fputs(value && *value ? value : "0", to);
        else fputc(*at, to);
        at += length ? length : 1;
    }
    fclose(to);
    hed_expression_create(NULL, text, &names, &expression, NULL);
    *is_met = expression && hed_expression_value(expression, NULL) != 0;
    bool is_read = expression != NULL;
    hed_expression_destroy(expression);
    free(text);
    return is_read;
}

static const char *value_of_macro(void *user, const char *name, size_t length)
{
    const macro *m = macro_of(user, name, length);
    return m ? m->value : NULL;
}

static bool condition(expansion *e, const char *at, size_t size)
{
    bool is_met = false;
    if (!hed_spec_condition(at, size, value_of_macro, e, &is_met))
        hed_json_reject(e->node, "the condition \"%.*s\" of an #if is not understood; expected numbers, names "
                                 "and defined(NAME)", (int)size, at);
    return is_met;
}

/* ---- files ---- */

static void expand_text(expansion *e, const char *path, const char *text, FILE *to);

/* Finds an included file in the folder of the text or in the folders above. */
static const char *file_near(expansion *e, const char *path, const char *name, size_t length)
{
    const char *slash = strrchr(path, '/');
    const char *folder =
        slash ? hed_spec_text(e->reader, e->node, "%.*s/", (int)(slash - path), path) : "";
    for (int i = 0; i <= PARENTS; i++) {
        const char *found = hed_spec_text(e->reader, e->node, "%s%.*s", folder, (int)length, name);
        if (hed_spec_in_memory(e->reader, found) || access(found, R_OK) == 0) return found;
        folder = hed_spec_text(e->reader, e->node, "%s../", folder);
    }
    return NULL;
}

/* Finds an included file whose path may begin with folders that only the program knows, as the
 * alias of "@app/shaders/common.wgsl": the longest end of the path that is there. */
static const char *included_file(expansion *e, const char *path, const char *name, size_t length)
{
    for (const char *at = name, *end = name + length; at < end;) {
        const char *found = file_near(e, path, at, (size_t)(end - at));
        const char *slash = memchr(at, '/', (size_t)(end - at));
        if (found || !slash) return found;
        at = slash + 1;
    }
    return NULL;
}

static void expand_file(expansion *e, const char *path, const char *name, size_t length)
{
    const char *found = included_file(e, path, name, length);
    char *text = NULL;
    size_t size = 0;
    for (uint32_t i = 0; found && i < e->file_count; i++)
        if (strcmp(e->files[i], found) == 0) return;
    if (!found || e->file_count == MOST_FILES) {
        hed_json_reject(e->node, "%s includes \"%.*s\", which is not there; expected it in the text's folder, or one of "
                                 "the %d above", path, (int)length, name, PARENTS);
        return;
    }
    e->files[e->file_count++] = found;
    if (!hed_spec_read_text(e->reader, e->node, found, LONGEST_TEXT, &text, &size)) return;
    char *part = NULL;
    size_t used = 0;
    FILE *to = open_memstream(&part, &used);
    if (!to) return;
    expand_text(e, found, text, to);
    fclose(to);
    fprintf(e->after, "\n%s", part);
    free(part);
}

/* ---- lines ---- */

typedef struct branches {
    bool was_taken[DEEPEST], is_open[DEEPEST]; /* depth of the branch; [0]: the whole text */
    uint32_t depth;
} branches;

static bool all_open(const branches *b)
{
    for (uint32_t i = 0; i <= b->depth; i++)
        if (!b->is_open[i]) return false;
    return true;
}

/* Follows #if, #elif, #else and #endif: true if the word is one of them. */
static bool follow_branches(
    expansion *e, branches *b, const char *word, size_t length, const char *rest, size_t size)
{
    bool is_if = length >= 2 && !memcmp(word, "if", 2), is_elif = length == 4 && !memcmp(word, "elif", 4),
         is_else = length == 4 && !memcmp(word, "else", 4),
         is_end = length == 5 && !memcmp(word, "endif", 5);
    if (is_if && b->depth + 1 < DEEPEST) {
        bool is_open = all_open(b), by_name = length > 2;
        size_t name = name_length(rest);
        if (is_open && by_name) is_open = (macro_of(e, rest, name) != NULL) == (length == 5);
        else if (is_open) is_open = condition(e, rest, size);
        b->depth++;
        b->is_open[b->depth] = b->was_taken[b->depth] = is_open;
    } else if ((is_elif || is_else) && b->depth) {
        bool was_taken = b->was_taken[b->depth];
        b->is_open[b->depth] = true; /* all_open() then reads the outer branches */
        bool is_open = !was_taken && all_open(b) && (is_else || condition(e, rest, size));
        b->is_open[b->depth] = is_open;
        b->was_taken[b->depth] = was_taken || is_open;
    } else if (is_end && b->depth) {
        b->depth--;
    } else if (is_if || is_elif || is_else || is_end) {
        hed_json_reject(e->node, "#%.*s without its #if, or more than %d within each other", (int)length, word, DEEPEST);
    }
    return is_if || is_elif || is_else || is_end;
}

/* Takes a #define. A number becomes a constant of the text, which a tuning may change. */
static void take_define(expansion *e, const char *rest, size_t size, FILE *to)
{
    size_t length = name_length(rest);
    const char *end = rest + size, *value = rest + length;
    if (*value == '(' || !length) {
        hed_json_reject(e->node, "the macro \"%.*s\" has arguments or no name; expected a name and a value", (int)length, rest);
        return;
    }
    while (value < end && isspace((unsigned char)*value)) value++;
    const char *comment = memmem(value, (size_t)(end - value), "//", 2);
    if (comment) end = comment;
    while (end > value && isspace((unsigned char)end[-1])) end--;
    const char *copy = hed_spec_text(e->reader, e->node, "%.*s", (int)(end - value), value);
    set_macro(e, rest, length, copy);
    if (is_plain_number(copy)) fprintf(to, "const %.*s = %s;", (int)length, rest, copy);
}

/* Finds the file of a line `use FILE.wgsl;` or `import "FILE.wgsl"`: its length, or 0. */
static size_t used_file(const char *line, const char **name)
{
    static const char *const words[] = {"use ", "import ", "include "};
    const char *at = line + strspn(line, " \t@");
    size_t word = 0;
    while (word < HED_COUNT(words) && strncmp(at, words[word], strlen(words[word])) != 0) word++;
    if (word == HED_COUNT(words)) return 0;
    at += strlen(words[word]);
    *name = at + strspn(at, " \t\"'<");
    size_t length = strcspn(*name, "\"'>; \t\r\n");
    return length > 5 && !memcmp(*name + length - 5, ".wgsl", 5) ? length : 0;
}

/* True for a line of WESL, `import package::random::{rand, seed};`. The files of its names are
 * searched like others. */
static bool is_import(const char *line)
{
    const char *at = line + strspn(line, " \t");
    size_t size = strcspn(at, ";\n");
    return !strncmp(at, "import ", 7) && at[size] == ';' && memmem(at, size, "::", 2);
}

/* Returns the rest of a template's line, as `size > 10 and not wide -%}`, with the operators of
 * C. */
static const char *template_condition(expansion *e, const char *rest, size_t *size)
{
    static const char *const words[] = {"and", "or", "not"}, *const operators[] = {"&&", "||", "!"};
    const char *end = rest + *size, *close = memmem(rest, *size, "%}", 2);
    if (close) end = close;
    while (end > rest && strchr(" \t-", end[-1])) end--;
    char *text = hed_spec_allocate(e->reader, (size_t)(end - rest) + 1, e->node), *to = text;
    if (!text) return rest;
    for (const char *at = rest; at < end;) {
        size_t length = name_length(at), i = 0;
        while (i < HED_COUNT(words) && (length != strlen(words[i]) || memcmp(at, words[i], length) != 0)) i++;
        if (!length) length = 1;
        to = i < HED_COUNT(words) ? stpcpy(to, operators[i]) : mempcpy(to, at, length);
        at += length;
    }
    *to = 0;
    *size = (size_t)(to - text);
    return text;
}


/* Processes the directive of a line; false: the line has no directive. */
static bool put_directive(
    expansion *e, branches *b, const char *path, const char *line, size_t size, FILE *to)
{
    const char *at = line + strspn(line, " \t"), *end = line + size;
    bool is_template = !strncmp(at, "{%", 2);
    const char *used;
    size_t used_length = used_file(line, &used);
    if (used_length && all_open(b)) expand_file(e, path, used, used_length);
    if (used_length) return true;
    if (is_import(line)) {
        fprintf(to, "// %.*s", (int)size, line);
        return true;
    }
    if (at >= end || (*at != '#' && !is_template)) return false;
    at += is_template ? 2 : 1;
    at += strspn(at, " \t-");
    size_t length = name_length(at);
    const char *word = at;
    if (!length) return false;
    at += length;
    at += strspn(at, " \t");
    size_t rest = at < end ? (size_t)(end - at) : 0;
    if (is_template) at = template_condition(e, at, &rest);
    if (follow_branches(e, b, word, length, at, rest)) return true;
    if (!all_open(b)) return true;
    if (length == 7 && !memcmp(word, "include", 7) && rest) {
        size_t quotes = strspn(at, "\"'<");
        expand_file(e, path, at + quotes, strcspn(at + quotes, quotes ? "\"'>\n" : " \t;\r\n"));
    } else if (!is_template && length == 6 && !memcmp(word, "define", 6)) {
        take_define(e, at, rest, to);
    } else if (!is_template && length == 5 && !memcmp(word, "undef", 5)) {
        macro *m = macro_of(e, at, name_length(at));
        if (m) *m = e->macros[--e->macro_count];
    } else if (!is_template && rest > 1 && *at == '@' && isalpha((unsigned char)at[1])) {
        put_code(e, to, at, rest, 0); /* a declaration that the program marks: #dynamic @group(0) ... */
    } else {
        hed_json_reject(e->node, "\"%s%.*s\" is a line of the program that puts the text together; expected #include, "
                                 "#define or #if. Name the joined text", is_template ? "{% " : "#", (int)length, word);
    }
    return true;
}

static void expand_text(expansion *e, const char *path, const char *text, FILE *to)
{
    branches b = {.is_open = {true}};
    for (const char *line = text; *line && hed_spec_fine(e->reader);) {
        size_t size = strcspn(line, "\n");
        if (!put_directive(e, &b, path, line, size, to) && all_open(&b))
            put_code(e, to, line, size, 0);
        line += size;
        if (*line) fputc(*line++, to);
    }
    if (b.depth && hed_spec_fine(e->reader)) hed_json_reject(e->node, "%s: an #if has no #endif", path);
}

static bool has_directives(const char *text)
{
    for (const char *line = text; *line;) {
        const char *at = line + strspn(line, " \t");
        const char *used;
        if ((*at == '#' && isalpha((unsigned char)at[1 + strspn(at + 1, " \t")])) ||
            !strncmp(at, "{%", 2) || used_file(line, &used) || is_import(line))
            return true;
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return false;
}

/* True if the text before `at` ends with `word`. */
static bool is_after(const char *text, const char *at, const char *word)
{
    size_t size = strlen(word);
    while (at > text && isspace((unsigned char)at[-1])) at--;
    return (size_t)(at - text) >= size && !memcmp(at - size, word, size);
}

/* True if code uses a name, as a comment, a placeholder, `const NAME = ${NAME};` and the address
 * space of var<workgroup> do not. */
static bool uses_name(const char *text, const char *name)
{
    size_t size = strlen(name), length = 0;
    for (const char *at = text; *at; at += length ? length : 1) {
        length = (size_t)(hed_spec_skip_comment(at) - at);
        if (length) continue;
        length = *at == '{' || *at == '$' ? placeholder_size(at) : name_length(at);
        bool is_name = length == size && !memcmp(at, name, size) && !is_after(text, at, "var<") &&
                       !is_after(text, at, "ptr<"),
             is_declared =
                 is_name && (is_after(text, at, "const") || is_after(text, at, "override"));
        if (is_name) return !is_declared || !memmem(at + size, strcspn(at + size, ";"), name, size);
    }
    return false;
}

/* True if a variable begins with an expression of macros alone, as in `let size = ROWS * 2;`. Of
 * numbers without a type it would be i32, and constants of a program, sizes and counts, are u32. */
static bool begin_variables(expansion *e, const char *text)
{
    for (const char *at = text; (at = strchr(at, '=')) != NULL; at++) {
        const char *before = at, *next = at + 1;
        uint32_t names = 0;
        while (before > text && strchr(" \t", before[-1])) before--;
        while (before > text && (isalnum((unsigned char)before[-1]) || before[-1] == '_')) before--;
        if (!is_after(text, before, "let") && !is_after(text, before, "var")) continue;
        while (*next && (strchr(" \t+-*/%()", *next) || isalnum((unsigned char)*next) || *next == '_')) {
            size_t length = name_length(next);
            if (length && !macro_of(e, next, length)) break;
            names += length != 0;
            if (!length && isdigit((unsigned char)*next)) length = strspn(next, "0123456789");
            next += length ? length : 1;
        }
        if (*next == ';' && names) return true;
    }
    return false;
}

/* Takes the macros of the JSON. Numbers that code uses become constants after the text. */
static void take_defines(expansion *e, hed_json_node defines, const char *text)
{
    HED_SPEC_EACH(at, defines)
    {
        const char *value =
            hed_json_kind_of(at) == HED_JSON_NUMBER
                ? hed_spec_text(e->reader, at, "%.17g", hed_json_number(at, -1e300, 1e300))
                : hed_json_string(at);
        set_macro(e, at.key, strlen(at.key), value);
    }
    bool are_sizes = begin_variables(e, text);
    for (uint32_t i = 0; i < e->macro_count; i++) {
        const macro *m = &e->macros[i];
        bool is_whole = !m->value[strspn(m->value, "0123456789")];
        if (m->is_constant && uses_name(text, m->name))
            fprintf(e->after, "\nconst %s = %s%s;", m->name, m->value, are_sizes && is_whole ? "u" : "");
    }
}

void hed_spec_expand_wgsl(hed_spec_reader *reader, hed_json_node node, hed_json_node defines,
    const char *path, hed_source *source)
{
    expansion e = {.reader = reader, .node = node};
    char *text = NULL, *after = NULL;
    size_t size = 0, after_size = 0;
    bool has_defines = hed_json_kind_of(defines) != HED_JSON_NOTHING;
    if (!has_directives(source->text) && !has_defines) return;
    FILE *to = open_memstream(&text, &size);
    e.after = open_memstream(&after, &after_size);
    if (to && e.after) {
        if (has_defines) take_defines(&e, defines, source->text);
        expand_text(&e, path, source->text, to);
    }
    if (e.after) fclose(e.after);
    if (to && !fclose(to) && after && hed_spec_fine(reader)) {
        source->text = hed_spec_text(reader, node, "%s%s", text, after);
        source->size = strlen(source->text);
    }
    free(text);
    free(after);
}
