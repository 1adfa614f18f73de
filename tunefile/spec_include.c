/* #include lines of a kernel's text, put in place: what is compiled is then one text, which caches
 * know by its content, workers need no file for, and every compiler takes, whatever it makes of
 * folders. "file" is looked for beside the text it stands in, then in the folders of "include";
 * <file> in those folders alone. What is in none of them stays as it is, for the compiler: CUDA's
 * own headers. */
#include "tunefile/spec_parts.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DEEPEST = 32, MOST_ONCE = 1024, MOST_BRANCHES = 128, LONGEST_PATH = 4096 };

/* A file with #pragma once, and the branch of conditional text in which it was last put in
 * place. */
typedef struct once_file {
    const char *path;
    uint32_t branch;
} once_file;

/* One text in the making, and the files it is in the middle of. */
typedef struct including {
    hed_spec_reader *reader;
    hed_json_node node;         /* where the text is named */
    const char *const *folders; /* ends with NULL */
    char *text;                 /* the spec's; grows */
    size_t size, room;
    const char *open[DEEPEST]; /* paths */
    uint32_t depth;
    once_file once[MOST_ONCE];
    uint32_t once_count;
    /* the branches of #if that are open, each with its own number; [0] is the whole text */
    uint32_t branches[MOST_BRANCHES];
    uint32_t branch_depth, branch_count;
    bool any; /* something was put in place */
} including;

static void put(including *in, const char *bytes, size_t size)
{
    if (size > HED_SPEC_LONGEST_SOURCE || in->size > HED_SPEC_LONGEST_SOURCE - size) {
        hed_spec_fail(in->reader, HED_ERROR_LIMIT, in->node,
            "with all that it includes the text is longer than %d MiB: give the folder to the compiler itself (options: -I)",
            HED_SPEC_LONGEST_SOURCE >> 20);
        return;
    }
    if (in->size + size + 1 > in->room) {
        size_t room = 2 * (in->size + size + 1);
        char *grown = hed_spec_allocate(in->reader, room, in->node);
        if (!grown) return;
        if (in->size) memcpy(grown, in->text, in->size);
        in->text = grown;
        in->room = room;
    }
    memcpy(in->text + in->size, bytes, size);
    in->size += size;
    in->text[in->size] = 0;
}

static void put_line_number(including *in, unsigned line, const char *name)
{
    char words[32];
    snprintf(words, sizeof words, "#line %u \"", line);
    put(in, words, strlen(words));
    for (; *name; name++) {
        if (*name == '"' || *name == '\\') put(in, "\\", 1);
        put(in, name, 1);
    }
    put(in, "\"\n", 2);
}

/* Where an #include points to: "" if to nothing that is here. */
static const char *find(including *in, const char *name, bool quoted)
{
    const char *open = in->open[in->depth - 1], *slash = strrchr(open, '/');
    const char *beside =
        slash ? hed_spec_text(in->reader, in->node, "%.*s%s", (int)(slash + 1 - open), open, name)
              : name;
    if (quoted && access(beside, R_OK) == 0) return beside;
    for (uint32_t i = 0; in->folders && in->folders[i]; i++) {
        const char *path = hed_spec_text(in->reader, in->node, "%s/%s", in->folders[i], name);
        if (access(path, R_OK) == 0) return path;
    }
    return "";
}

static bool is_open(const including *in, const char *path)
{
    for (uint32_t i = 0; i < in->depth; i++)
        if (strcmp(in->open[i], path) == 0) return true;
    return false;
}

/* Whether a line says #word, or #word next (NULL: whatever comes). `word` may be the word's
 * beginning. */
static bool is_directive(const char *line, size_t length, const char *word, const char *next)
{
    const char *const words[] = {"#", word, next};
    const char *end = line + length;
    for (size_t i = 0; i < 3 && words[i]; i++) {
        size_t size = strlen(words[i]);
        while (line < end && (*line == ' ' || *line == '\t')) line++;
        if ((size_t)(end - line) < size || memcmp(line, words[i], size) != 0) return false;
        line += size;
    }
    return true;
}

static bool in_comment(const char *line, size_t length, bool open);

static bool has_pragma_once(const char *text)
{
    bool comment = false;
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        if (!comment && is_directive(line, length, "pragma", "once")) return true;
        comment = in_comment(line, length, comment);
        line += length + (line[length] == '\n');
    }
    return false;
}

/* The place of a file in `once`; MOST_ONCE where there is none left. */
static uint32_t once_index(including *in, const char *path)
{
    uint32_t i = 0;
    while (i < in->once_count && strcmp(in->once[i].path, path) != 0) i++;
    if (i < in->once_count) return i;
    if (i == MOST_ONCE)
        hed_spec_fail(in->reader, HED_ERROR_LIMIT, in->node,
            "more than %d files with #pragma once are included: give the folder to the compiler itself (options: -I)",
            MOST_ONCE);
    else in->once[in->once_count++] = (once_file){path, UINT32_MAX};
    return i;
}

static bool is_branch_open(const including *in, uint32_t branch)
{
    for (uint32_t i = 0; i <= in->branch_depth; i++)
        if (in->branches[i] == branch) return true;
    return false;
}

static void put_text(including *in, const char *name, const char *text);

/* The compiler decides which branch of #if is taken, and so which of two places of a file with
 * #pragma once is the first: it stands in both, with a guard. Where the branch that it was put in
 * is open still, it is there already. */
static void put_once(including *in, const char *path, const char *text)
{
    char words[64];
    uint32_t index = once_index(in, path);
    if (index == MOST_ONCE || is_branch_open(in, in->once[index].branch)) return;
    in->once[index].branch = in->branches[in->branch_depth];
    snprintf(words, sizeof words, "#ifndef HED_ONCE_%u\n#define HED_ONCE_%u\n", index, index);
    put(in, words, strlen(words));
    put_line_number(in, 1, path);
    put_text(in, path, text);
    put(in, "#endif\n", 7);
}

/* Of a path that has grown too long to be read. */
static const char *end_of(const char *path)
{
    enum { SHOWN = 60 };
    size_t size = strlen(path);
    return size > SHOWN ? path + size - SHOWN : path;
}

/* A file that is being read already adds nothing: its guard would see to that. */
static void put_file(including *in, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    in->any = true;
    if (is_open(in, path)) return;
    if (in->depth == DEEPEST) {
        hed_spec_fail(in->reader, HED_ERROR_FORMAT, in->node,
            "more than %d files deep, ...%s includes ...%s: do files include each other by different paths? Name them from a folder of \"include\"",
            DEEPEST, end_of(in->open[in->depth - 1]), end_of(path));
        return;
    }
    if (!hed_spec_read_path(in->reader, in->node, path, HED_SPEC_LONGEST_SOURCE, &text, &size))
        return;
    in->open[in->depth++] = path;
    if (has_pragma_once(text)) {
        put_once(in, path, text);
    } else {
        put_line_number(in, 1, path);
        put_text(in, path, text);
    }
    in->depth--;
}

/* One line without its end: if it is an #include of a file that is here, which then stands in its
 * place, what is behind the file's name; else NULL. */
static const char *put_include(including *in, const char *line, size_t length)
{
    char word[16] = "", open = 0, name[LONGEST_PATH] = "", copy[LONGEST_PATH];
    int end = 0;
    if (length >= sizeof copy) return NULL;
    memcpy(copy, line, length);
    copy[length] = 0;
    if (sscanf(copy, " # %15[a-z] %c%4095[^\">]%n", word, &open, name, &end) != 3 ||
        strcmp(word, "include") != 0)
        return NULL;
    if (open != '"' && open != '<') return NULL;
    const char *rest = line + end + ((size_t)end < length);
    /* NVRTC knows all of it that texts for both share */
    if (strncmp(name, "hip/hip_runtime", 15) == 0) {
        in->any = true;
        return rest;
    }
    const char *path = hed_spec_fine(in->reader) ? find(in, name, open == '"') : "";
    if (path[0]) put_file(in, path);
    return path[0] ? rest : NULL;
}

/* Follows #if, #else and #endif: what stands in a branch is there for certain as long as that
 * branch is open. */
static void follow_branch(including *in, const char *line, size_t length, uint32_t outermost)
{
    if (is_directive(line, length, "if", NULL))
        if (in->branch_depth + 1 == MOST_BRANCHES)
            hed_spec_fail(in->reader, HED_ERROR_LIMIT, in->node,
                "%s: more than %d #if within each other", in->open[in->depth - 1],
                MOST_BRANCHES - 1);
        else in->branches[++in->branch_depth] = ++in->branch_count;
    else if (in->branch_depth > outermost && is_directive(line, length, "el", NULL))
        in->branches[in->branch_depth] = ++in->branch_count;
    else if (in->branch_depth > outermost && is_directive(line, length, "endif", NULL))
        in->branch_depth--;
}

/* Whether a comment of several lines is open behind this line. */
static bool in_comment(const char *line, size_t length, bool open)
{
    char quote = 0;
    for (size_t i = 0; i < length; i++) {
        bool pair = i + 1 < length;
        if (open) {
            if (pair && line[i] == '*' && line[i + 1] == '/') open = false, i++;
        } else if (quote) {
            if (line[i] == '\\') i++;
            else if (line[i] == quote) quote = 0;
        } else if (pair && line[i] == '/' && line[i + 1] == '/') {
            return false;
        } else if (pair && line[i] == '/' && line[i + 1] == '*') {
            open = true, i++;
        } else if (line[i] == '"' || line[i] == '\'') {
            quote = line[i];
        }
    }
    return open;
}

static void put_text(including *in, const char *name, const char *text)
{
    bool comment = false;
    unsigned number = 1;
    uint32_t outermost = in->branch_depth;
    for (const char *line = text; *line && hed_spec_fine(in->reader); number++) {
        size_t length = strcspn(line, "\n");
        const char *end = line + length, *rest = comment ? NULL : put_include(in, line, length),
                   *from = rest ? rest : line;
        if (!comment && !rest) follow_branch(in, line, length, outermost);
        /* said to a text of many files it is wrong */
        if (!comment && is_directive(line, length, "pragma", "once")) from = end;
        /* a comment may begin behind the file's name */
        if (rest) put_line_number(in, number, name);
        put(in, from, (size_t)(end - from));
        put(in, "\n", 1);
        comment = in_comment(from, (size_t)(end - from), comment);
        line = end + (*end == '\n');
    }
    in->branch_depth = outermost;
}

void hed_spec_put_includes(hed_spec_reader *reader, hed_json_node node, const char *path,
    const char *const *folders, hed_source *source)
{
    including in = {.reader = reader, .node = node, .folders = folders, .open = {path}, .depth = 1};
    if (strlen(source->text) != source->size || !strstr(source->text, "include")) return;
    put_text(&in, source->name, source->text);
    if (!hed_spec_fine(reader) || !in.any) return;
    source->text = in.text;
    source->size = in.size;
}
