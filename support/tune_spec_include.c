/* #include lines of a kernel's text, put in place: what is compiled is then one text, which caches know by its content, workers need no
 * file for, and every compiler takes, whatever it makes of folders. "file" is looked for beside the text it stands in, then in the folders of
 * "include"; <file> in those folders alone. What is in none of them stays as it is, for the compiler: CUDA's own headers. */
#include "support/tune_spec_parts.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DEEPEST = 32,
       LONGEST_PATH = 4096 };

/* One text in the making, and the files it is in the middle of. */
typedef struct including {
    hed_spec_reader *reader;
    hed_json_node node;         /* where the text is named */
    const char *const *folders; /* ends with NULL */
    char *text;                 /* the spec's; grows */
    size_t size, room;
    const char *open[DEEPEST]; /* paths */
    uint32_t depth;
    const char *once[HED_SPEC_VALUES]; /* paths with #pragma once */
    uint32_t once_count;
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
    const char *beside = slash ? hed_spec_text(in->reader, in->node, "%.*s%s", (int)(slash + 1 - open), open, name) : name;
    if (quoted && access(beside, R_OK) == 0) return beside;
    for (uint32_t i = 0; in->folders && in->folders[i]; i++) {
        const char *path = hed_spec_text(in->reader, in->node, "%s/%s", in->folders[i], name);
        if (access(path, R_OK) == 0) return path;
    }
    return "";
}

static bool is_among(const char *const *paths, uint32_t count, const char *path)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(paths[i], path) == 0) return true;
    return false;
}

static void put_text(including *in, const char *name, const char *text);

/* A file that is being read already, or says #pragma once, adds nothing: its guard would see to that. */
static void put_file(including *in, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    in->any = true;
    if (is_among(in->open, in->depth, path) || is_among(in->once, in->once_count, path)) return;
    if (in->depth == DEEPEST) {
        hed_spec_fail(in->reader, HED_ERROR_FORMAT, in->node, "%s is included more than %d files deep", path, DEEPEST);
        return;
    }
    if (!hed_spec_read_path(in->reader, in->node, path, HED_SPEC_LONGEST_SOURCE, &text, &size)) return;
    in->open[in->depth++] = path;
    put_line_number(in, 1, path);
    put_text(in, path, text);
    in->depth--;
}

/* One line without its end: whether it is an #include of a file that is here, which then stands in its place. */
static bool put_include(including *in, const char *line, size_t length)
{
    char word[16] = "", open = 0, name[LONGEST_PATH] = "", copy[LONGEST_PATH];
    if (length >= sizeof copy) return false;
    memcpy(copy, line, length);
    copy[length] = 0;
    if (sscanf(copy, " # %15[a-z] %c%4095[^\">]", word, &open, name) != 3 || strcmp(word, "include") != 0) return false;
    if (open != '"' && open != '<') return false;
    if (strncmp(name, "hip/hip_runtime", 15) == 0) return in->any = true; /* NVRTC knows all of it that texts for both share */
    const char *path = hed_spec_fine(in->reader) ? find(in, name, open == '"') : "";
    if (path[0]) put_file(in, path);
    return path[0] != 0;
}

static bool is_pragma_once(const char *line)
{
    char word[16] = "", what[16] = "";
    return sscanf(line, " # %15[a-z] %15[a-z]", word, what) == 2 && strcmp(word, "pragma") == 0 && strcmp(what, "once") == 0;
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
    for (const char *line = text; *line && hed_spec_fine(in->reader); number++) {
        size_t length = strcspn(line, "\n");
        if (!comment && is_pragma_once(line)) {
            if (in->once_count < HED_SPEC_VALUES) in->once[in->once_count++] = in->open[in->depth - 1];
        } else if (!comment && put_include(in, line, length)) {
            put_line_number(in, number + 1, name);
            comment = in_comment(line, length, comment);
            line += length + (line[length] == '\n');
            continue;
        } else {
            put(in, line, length);
        }
        put(in, "\n", 1);
        comment = in_comment(line, length, comment);
        line += length + (line[length] == '\n');
    }
}

void hed_spec_put_includes(hed_spec_reader *reader, hed_json_node node, const char *path, const char *const *folders,
                           hed_source *source)
{
    including in = {.reader = reader, .node = node, .folders = folders, .open = {path}, .depth = 1};
    if (strlen(source->text) != source->size || !strstr(source->text, "include")) return;
    put_text(&in, source->name, source->text);
    if (!hed_spec_fine(reader) || !in.any) return;
    source->text = in.text;
    source->size = in.size;
}
