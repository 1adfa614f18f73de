/* Kernels' texts: replaces #include lines by the files, and plain OpenCL C by the prelude's names.
 *
 * The compiler gets one text, which caches identify by its content, for which workers need no
 * files, and which every compiler accepts, whatever its rules for folders. "file" is searched in
 * the folder of the including text, then in the folders of "include"; <file> only in the latter. A
 * name that is not found stays unchanged, for the compiler: CUDA's own headers. */
#include "tunefile/spec.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { DEEPEST = 32, MOST_ONCE = 1024, MOST_BRANCHES = 128, LONGEST_PATH = 4096, PARENTS = 3 };
enum { INCLUDED_NUMBER = 100 }; /* source number of the first file that a text in GLSL includes */

/* A file with #pragma once, and the branch of conditional text in which it was last inserted. */
typedef struct once_file {
    const char *path;
    uint32_t branch;
} once_file;

/* A text being assembled, and the files that are being read. */
typedef struct including {
    hed_spec_reader *reader;
    hed_json_node node;         /* node that names the text */
    const char *const *folders; /* ends with NULL */
    char *text;                 /* grows; the spec owns it */
    size_t size, room;
    const char *open[DEEPEST]; /* paths */
    uint32_t numbers[DEEPEST]; /* numbers of the files in GLSL; 0: the text itself */
    uint32_t depth;
    once_file once_files[MOST_ONCE];
    uint32_t once_count;
    /* numbers of the open branches of #if; [0] is the whole text */
    uint32_t branches[MOST_BRANCHES];
    uint32_t branch_depth, branch_count;
    bool has_inserted; /* a file was inserted */
    bool is_glsl;      /* lines name files by number: `#line 1 101 // NAME` */
    uint32_t file_count;
} including;

static void including_put(including *in, const char *bytes, size_t size)
{
    if (size > HED_SPEC_LONGEST_SOURCE || in->size > HED_SPEC_LONGEST_SOURCE - size) {
        hed_json_fail(in->node, HED_ERROR_LIMIT,
            "with all that it includes the text is longer than %d MiB: give the folder to "
            "the compiler itself (options: -I)",
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

/* Writes the position of the next line in GLSL. A file's beginning gets a new number, and the lines
 * after it the number of the text that includes it. */
static void including_put_glsl_line(including *in, unsigned line, const char *name)
{
    char words[64];
    if (in->depth > 1 && !in->numbers[in->depth - 1]) {
        in->numbers[in->depth - 1] = INCLUDED_NUMBER + in->file_count++;
        snprintf(words, sizeof words, "#line 1 %u // ", in->numbers[in->depth - 1]);
        including_put(in, words, strlen(words));
        including_put(in, name, strlen(name));
    } else {
        snprintf(words, sizeof words, "#line %u %u", line, in->numbers[in->depth - 1]);
        including_put(in, words, strlen(words));
    }
    including_put(in, "\n", 1);
}

static void including_put_line(including *in, unsigned line, const char *name)
{
    char words[32];
    if (in->is_glsl) {
        including_put_glsl_line(in, line, name);
        return;
    }
    snprintf(words, sizeof words, "#line %u \"", line);
    including_put(in, words, strlen(words));
    for (; *name; name++) {
        if (*name == '"' || *name == '\\') including_put(in, "\\", 1);
        including_put(in, name, 1);
    }
    including_put(in, "\"\n", 2);
}

/* Returns a path if it can be read; in GLSL also with letters of other case in the last folder and
 * the file's name, as systems take them on which programs with GLSL are written. "": not found. */
static const char *including_path(including *in, const char *path)
{
    const char *slash = strrchr(path, '/'), *found = "";
    if (access(path, R_OK) == 0) return path;
    if (!in->is_glsl || !hed_spec_fine(in->reader)) return "";
    const char *folder =
                   slash ? hed_spec_text(in->reader, in->node, "%.*s", (int)(slash - path), path)
                         : ".",
               *name = slash ? slash + 1 : path;
    if (slash && slash > path && access(folder, R_OK) != 0) folder = including_path(in, folder);
    DIR *entries = *folder ? opendir(folder) : NULL;
    for (struct dirent *entry; entries && !*found && (entry = readdir(entries));)
        if (strcasecmp(entry->d_name, name) == 0)
            found = hed_spec_text(in->reader, in->node, "%s/%s", folder, entry->d_name);
    if (entries) closedir(entries);
    return found;
}

/* Finds the file of an #include: "" if it is not found. */
static const char *including_find(including *in, const char *name, bool quoted)
{
    static const char root[] = "res://"; /* Godot's folder of the project */
    const char *open = in->open[in->depth - 1], *slash = strrchr(open, '/');
    if (in->is_glsl && strncmp(name, root, sizeof root - 1) == 0) name += sizeof root - 1;
    const char *sibling =
        slash ? hed_spec_text(in->reader, in->node, "%.*s%s", (int)(slash + 1 - open), open, name)
              : name;
    if (quoted && hed_spec_in_memory(in->reader, sibling)) return sibling;
    const char *path = quoted ? including_path(in, sibling) : "";
    for (uint32_t i = 0; !*path && in->folders && in->folders[i]; i++)
        path =
            including_path(in, hed_spec_text(in->reader, in->node, "%s/%s", in->folders[i], name));
    /* programs give their compiler of GLSL a folder above the shader's */
    const char *first = in->open[0], *end = strrchr(first, '/'), *folder = "";
    if (end) folder = hed_spec_text(in->reader, in->node, "%.*s", (int)(end + 1 - first), first);
    for (int i = 0; !*path && in->is_glsl && i <= PARENTS; i++) {
        path = including_path(in, hed_spec_text(in->reader, in->node, "%s%s", folder, name));
        folder = hed_spec_text(in->reader, in->node, "%s../", folder);
    }
    return path;
}

/* True if a line is #word, or #word next (NULL: anything). `word` may be the beginning of the
 * directive. */
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

static bool has_pragma_once(const char *text)
{
    bool comment = false;
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        if (!comment && is_directive(line, length, "pragma", "once")) return true;
        comment = hed_spec_in_comment(line, length, comment);
        line += length + (line[length] == '\n');
    }
    return false;
}

/* Returns the index of a file in `once_files`; MOST_ONCE if the table is full. */
static uint32_t including_once(including *in, const char *path)
{
    uint32_t i = 0;
    while (i < in->once_count && strcmp(in->once_files[i].path, path) != 0) i++;
    if (i < in->once_count) return i;
    if (i == MOST_ONCE)
        hed_json_fail(in->node, HED_ERROR_LIMIT,
            "more than %d files with #pragma once are included: give the folder to "
            "the compiler itself (options: -I)",
            MOST_ONCE);
    else in->once_files[in->once_count++] = (once_file){path, UINT32_MAX};
    return i;
}

static void including_put_text(including *in, const char *name, const char *text);

/* Inserts a file with #pragma once. The compiler decides which branch of #if applies, and so which
 * of two insertions comes first: the file is inserted in both, with a guard. If the branch of an
 * earlier insertion is still open, the file is not inserted again. */
static void including_put_once(including *in, const char *path, const char *text)
{
    char words[64];
    uint32_t index = including_once(in, path);
    if (index == MOST_ONCE) return;
    for (uint32_t i = 0; i <= in->branch_depth; i++)
        if (in->branches[i] == in->once_files[index].branch) return;
    in->once_files[index].branch = in->branches[in->branch_depth];
    snprintf(words, sizeof words, "#ifndef HED_ONCE_%u\n#define HED_ONCE_%u\n", index, index);
    including_put(in, words, strlen(words));
    including_put_line(in, 1, path);
    including_put_text(in, path, text);
    including_put(in, "#endif\n", 7);
}

/* Returns the last characters of a path that is too long to be read. */
static const char *path_end(const char *path)
{
    enum { SHOWN = 60 };
    size_t size = strlen(path);
    return size > SHOWN ? path + size - SHOWN : path;
}

/* Inserts a file. A file that is already being read adds nothing: its guard would have the same
 * effect. */
static void including_put_file(including *in, const char *path, bool is_once)
{
    char *text = NULL;
    size_t size = 0;
    in->has_inserted = true;
    for (uint32_t i = 0; i < in->depth; i++)
        if (strcmp(in->open[i], path) == 0) return;
    if (in->depth == DEEPEST) {
        hed_json_reject(in->node,
            "more than %d files deep, ...%s includes ...%s: do files include each other "
            "by different paths? Name them from a folder of \"include\"",
            DEEPEST, path_end(in->open[in->depth - 1]), path_end(path));
        return;
    }
    if (!hed_spec_read_text(in->reader, in->node, path, HED_SPEC_LONGEST_SOURCE, &text, &size))
        return;
    in->numbers[in->depth] = 0;
    in->open[in->depth++] = path;
    if (is_once || has_pragma_once(text)) {
        including_put_once(in, path, text);
    } else {
        including_put_line(in, 1, path);
        including_put_text(in, path, text);
    }
    in->depth--;
}

/* Finds the file of a directive that only a loader of GLSL knows, as `#pragma include ./NAME;`,
 * `#insert NAME` and a line `WORD(FOLDER/NAME.glsl)`, which inserts it once, with or without its
 * ending: "" if it is not found. */
static const char *including_find_loaded(including *in, const char *line)
{
    static const char *const words[] = {"define", "undef", "if", "ifdef", "ifndef", "elif", "else",
        "endif", "error", "extension", "version", "line"};
    char word[16], text[LONGEST_PATH];
    const char *name = text;
    int end = 0;
    if (!in->is_glsl || !hed_spec_fine(in->reader)) return "";
    if (sscanf(line, "%*[A-Za-z_](%4095[A-Za-z0-9_./-])%n", text, &end) == 1 && end &&
        !line[end + strspn(line + end, " \t\r;")] && strchr(text, '.'))
        return including_find(in, text, true);
    if (sscanf(line, " # %15[a-z]%*[ \t\"<]%4095[^;<>\" \t\r]%n", word, text, &end) != 2) return "";
    if (strcmp(word, "include") == 0 && strpbrk(line, "\"<")) return ""; /* the language's own */
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0) return "";
    if (strcmp(word, "pragma") == 0 &&
        (strcmp(text, "include") != 0 ||
            sscanf(line + end, "%*[ \t\"<]%4095[^;<>\" \t\r]", text) != 1))
        return "";
    while (!strncmp(name, "./", 2)) name += 2;
    const char *path = including_find(in, name, true);
    return path[0] ? path
                   : including_find(in, hed_spec_text(in->reader, in->node, "%s.glsl", name), true);
}

/* Processes one line without its end: if it is an #include of a file that is found, inserts the
 * file and returns the text after the file's name; else NULL. */
static const char *including_put_include(including *in, const char *line, size_t length)
{
    char word[16] = "", open = 0, name[LONGEST_PATH] = "", copy[LONGEST_PATH];
    int end = 0;
    if (length >= sizeof copy) return NULL;
    memcpy(copy, line, length);
    copy[length] = 0;
    const char *plain = including_find_loaded(in, copy);
    if (plain[0]) including_put_file(in, plain, true);
    if (plain[0]) return line + length;
    if (sscanf(copy, " # %15[a-z] %c%4095[^\">]%n", word, &open, name, &end) != 3 ||
        strcmp(word, "include") != 0)
        return NULL;
    if (open != '"' && open != '<') return NULL;
    const char *rest = line + end + ((size_t)end < length);
    /* NVRTC defines the parts of this header that texts for HIP and CUDA use */
    if (strncmp(name, "hip/hip_runtime", 15) == 0) {
        in->has_inserted = true;
        return rest;
    }
    const char *path = hed_spec_fine(in->reader) ? including_find(in, name, open == '"') : "";
    if (path[0]) including_put_file(in, path, false);
    return path[0] ? rest : NULL;
}

/* Follows #if, #else and #endif: text in a branch is certain to apply only while that branch is
 * open. */
static void including_follow(including *in, const char *line, size_t length, uint32_t outermost)
{
    if (is_directive(line, length, "if", NULL))
        if (in->branch_depth + 1 == MOST_BRANCHES)
            hed_json_fail(in->node, HED_ERROR_LIMIT, "%s: more than %d #if within each other",
                in->open[in->depth - 1], MOST_BRANCHES - 1);
        else in->branches[++in->branch_depth] = ++in->branch_count;
    else if (in->branch_depth > outermost && is_directive(line, length, "el", NULL))
        in->branches[in->branch_depth] = ++in->branch_count;
    else if (in->branch_depth > outermost && is_directive(line, length, "endif", NULL))
        in->branch_depth--;
}

bool hed_spec_in_comment(const char *line, size_t length, bool open)
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

static void including_put_text(including *in, const char *name, const char *text)
{
    bool comment = false;
    unsigned number = 1;
    uint32_t outermost = in->branch_depth;
    for (const char *line = text; *line && hed_spec_fine(in->reader); number++) {
        size_t length = strcspn(line, "\n");
        const char *end = line + length,
                   *rest = comment ? NULL : including_put_include(in, line, length),
                   *from = rest ? rest : line;
        if (!comment && !rest) including_follow(in, line, length, outermost);
        /* invalid in a text that consists of many files */
        if (!comment && is_directive(line, length, "pragma", "once")) from = end;
        /* a comment may begin after the file's name */
        if (rest) including_put_line(in, number, name);
        including_put(in, from, (size_t)(end - from));
        including_put(in, "\n", 1);
        comment = hed_spec_in_comment(from, (size_t)(end - from), comment);
        line = end + (*end == '\n');
    }
    in->branch_depth = outermost;
}

void hed_spec_put_includes(hed_spec_reader *reader, hed_json_node node, const char *path,
    const char *const *folders, hed_language language, hed_source *source)
{
    including in = {.reader = reader,
        .node = node,
        .folders = folders,
        .open = {path},
        .depth = 1,
        .is_glsl = language == HED_GLSL};
    if (strlen(source->text) != source->size || (!in.is_glsl && !strstr(source->text, "include")))
        return;
    including_put_text(&in, source->name, source->text);
    if (!hed_spec_fine(reader) || !in.has_inserted) return;
    source->text = in.text;
    source->size = in.size;
}

/* ---- OpenCL C with the prelude's names ----
 *
 * Local memory and vector literals are rewritten so that unchanged texts run on CUDA:
 *
 *     void f(__local float *tile) {      ->  void f(HED_LOCAL(float, tile)) {
 *                                            HED_LOCAL_USE(float, tile);
 *     __local float4 rows[WG][WG + 1];   ->  HED_LOCAL_ARRAY(float4, rows, WG][WG + 1);
 *     (float4)(a, b, 0, 1)               ->  HED_LITERAL(float4)(a, b, 0, 1)
 *     __attribute__((reqd_work_group_size(WG, 1, 1)))  ->  HED_GROUP_OF(WG, 1, 1)
 *     kernel global constant local private
 *                                        ->  __kernel __global __constant __local __private
 *
 * In OpenCL C the prelude's names expand to the original text again (src/prelude/opencl.clh), so
 * all devices have one text with one hash. Line numbers are preserved. Other forms (macros, several
 * arrays in one declaration) stay unchanged. */

/* A word or sign of the text; comments, strings and lines of the preprocessor are skipped. */
typedef struct word {
    const char *at;
    size_t size; /* 0: the end */
} word;

static bool word_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool word_is(word w, const char *text)
{
    return w.size == strlen(text) && memcmp(w.at, text, w.size) == 0;
}

static word word_read(const char *at, bool skip_directives)
{
    for (;;) {
        if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            at = end ? end + 2 : at + strlen(at);
        } else if ((at[0] == '/' && at[1] == '/') || (skip_directives && *at == '#')) {
            /* skip it, with the lines that a \ at its end adds */
            while (*at && (*at != '\n' || at[-1] == '\\')) at++;
        } else if (*at == '"' || *at == '\'') {
            const char quote = *at++;
            while (*at && *at != quote && *at != '\n') at += 1 + (at[0] == '\\' && at[1]);
            at += *at != 0;
        } else if (*at && strchr(" \t\r\n\\", *at)) {
            at++;
        } else {
            break;
        }
    }
    size_t size = *at != 0;
    while (size > 0 && word_letter(*at) && word_letter(at[size])) size++;
    return (word){at, size};
}

static word next_word(const char *at) { return word_read(at, true); }
/* does not skip directives */
static word next_code(const char *at) { return word_read(at, false); }

static word word_after(word w) { return next_word(w.at + w.size); }

/* Returns the word after the ) that closes the (. */
static word word_after_parentheses(word w)
{
    int depth = 0;
    do {
        depth += word_is(w, "(") - word_is(w, ")");
        w = word_after(w);
    } while (w.size > 0 && depth > 0);
    return w;
}

static bool word_is_one_of(word w, const char *const *list)
{
    while (*list && !word_is(w, *list)) list++;
    return *list != NULL;
}

/* ---- one declaration ---- */

/* `__local T *name` or `__local T name`, without qualifiers. */
typedef struct declaration {
    word type, name;
    bool pointer;
    word end; /* the sign after it */
} declaration;

/* Reads a declaration from the word after __local, up to one of `ends`. The last word is the name,
 * the words before it are the type. False: not such a declaration. */
static bool declaration_read(word from, const char *ends, declaration *d)
{
    static const char *const passed[] = {
        "const", "volatile", "restrict", "__restrict", "__restrict__", NULL};
    *d = (declaration){.pointer = false};
    word w = from;
    for (; w.size > 0 && !(w.size == 1 && strchr(ends, *w.at)); w = word_after(w)) {
        if (word_is_one_of(w, passed)) continue;
        bool sign = word_is(w, "*") && d->name.size > 0 && !d->pointer,
             name = word_letter(*w.at) && !(d->pointer && d->name.size > 0);
        if (!sign && !name) return false;
        d->pointer = d->pointer || sign;
        if (d->name.size > 0) /* the previous word was not the name, but part of the type */
            d->type = (word){d->type.size ? d->type.at : d->name.at,
                (size_t)(d->name.at + d->name.size - (d->type.size ? d->type.at : d->name.at))};
        d->name = sign ? (word){w.at, 0} : w;
    }
    d->end = w;
    return d->type.size > 0 && d->name.size > 0 && w.size > 0;
}

static bool word_is_local(word w) { return word_is(w, "__local") || word_is(w, "local"); }

/* ---- the text ---- */

/* The new text written so far, in a buffer that is large enough. */
typedef struct writer {
    char *to;
    const char *from; /* first character of the old text that is not copied yet */
} writer;

static void writer_copy(writer *out, const char *end)
{
    memcpy(out->to, out->from, (size_t)(end - out->from));
    out->to += end - out->from;
    out->from = end;
}

/* Writes "WORD(type, name", with one blank between the type's words. */
static void writer_put_words(writer *out, const char *with, const declaration *d)
{
    out->to += sprintf(out->to, "%s(", with);
    for (word w = next_word(d->type.at); w.at < d->type.at + d->type.size; w = word_after(w))
        out->to += sprintf(out->to, "%s%.*s", w.at == d->type.at ? "" : " ", (int)w.size, w.at);
    out->to += sprintf(out->to, ", %.*s", (int)d->name.size, d->name.at);
}

/* Replaces the text from `start` to `rest` by such words; newlines are preserved. */
static void writer_replace(
    writer *out, const char *start, const char *with, const declaration *d, const char *rest)
{
    writer_copy(out, start);
    writer_put_words(out, with, d);
    for (const char *at = start; at < rest; at++)
        if (*at == '\n') *out->to++ = '\n';
    out->from = rest;
}

/* Rewrites the parameters of a kernel, from the word after its (; returns the word after the body's
 * {. */
static word rewrite_parameters(writer *out, word w)
{
    declaration arrays[HED_MAX_ARGUMENTS];
    uint32_t count = 0;
    int depth = 1;
    for (; w.size > 0 && depth > 0; w = word_after(w)) {
        depth += word_is(w, "(") - word_is(w, ")");
        if (depth != 1 || !word_is_local(w) || count == HED_MAX_ARGUMENTS) continue;
        declaration d;
        if (!declaration_read(word_after(w), ",)", &d) || !d.pointer) continue;
        writer_replace(out, w.at, "HED_LOCAL", &d, d.end.at);
        *out->to++ = ')';
        arrays[count++] = d;
        w = d.name; /* the sign after it is read again */
    }
    if (!word_is(w, "{")) return w;
    writer_copy(out, w.at + 1);
    for (uint32_t i = 0; i < count; i++) {
        writer_put_words(out, " HED_LOCAL_USE", &arrays[i]);
        out->to += sprintf(out->to, ");");
    }
    return word_after(w);
}

/* Rewrites the statement `__local T name[..]..;`. */
static word rewrite_array(writer *out, word local)
{
    declaration d;
    if (!declaration_read(word_after(local), "[;,", &d) || d.pointer || !word_is(d.end, "["))
        return word_after(local);
    word last = d.end, w = word_after(last);
    for (; w.size > 0 && !word_is(w, ";"); last = w, w = word_after(w))
        if (strchr(",={}", *w.at)) return word_after(local);
    if (!word_is(last, "]") || w.size == 0) return word_after(local);
    writer_replace(out, local.at, "HED_LOCAL_ARRAY", &d, d.end.at + 1);
    out->to += sprintf(out->to, ", ");
    writer_copy(out, last.at);
    *out->to++ = ')';
    out->from = last.at + 1;
    return w;
}

/* ---- literals ---- */

/* Replaces (NAME)( by HED_LITERAL(NAME)(, and adds __ to keywords, in lines of the preprocessor,
 * too. */
static void rewrite_literals(const char *text, char *to)
{
    /* Types of C: a cast to one of them has the same meaning everywhere. */
    static const char *const plain[] = {"char", "uchar", "short", "ushort", "int", "uint", "long",
        "ulong", "float", "double", "half", "bool", "size_t", "void", "signed", "unsigned",
        "ptrdiff_t", "min", "max", NULL};
    /* OpenCL C's keywords are valid without their __. NVRTC's own __global__ and __constant__ are
     * macros that end in these words, so the prelude cannot define the words as macros. */
    static const char *const bare[] = {"kernel", "global", "constant", "local", "private", NULL};
    static const char *const before_casts[] = {"return", "else", "case", NULL};
    writer out = {.to = to, .from = text};
    word last[2] = {{text, 0}, {text, 0}}; /* the two words before this one, the nearer first */
    for (word w = next_code(text); w.size > 0; w = next_code(w.at + w.size)) {
        /* skip a macro's parameters */
        if (word_is(last[1], "define") && word_is(w, "(") && w.at == last[0].at + last[0].size) {
            while (w.size > 0 && !word_is(w, ")")) w = next_code(w.at + w.size);
            last[0] = (word){w.at, 0};
            if (w.size == 0) break;
            continue;
        }
        if (word_is_one_of(w, bare)) {
            writer_copy(&out, w.at);
            out.to += sprintf(out.to, "__");
        }
        word name = word_is(w, "(") ? next_code(w.at + 1) : w;
        bool named = name.at != w.at && word_letter(*name.at) &&
                     !(*name.at >= '0' && *name.at <= '9') && !word_is_one_of(name, plain);
        word close = named ? next_code(name.at + name.size) : w;
        /* A ( begins a cast in a macro's content, and if it contains neither a call's arguments nor
         * a condition. */
        bool may_cast =
            last[0].size == 0 || word_is(last[1], "define") ||
            word_is_one_of(last[0], before_casts) ||
            (!word_letter(*last[0].at) && !word_is(last[0], ")") && !word_is(last[0], "]"));
        if (named && may_cast && word_is(close, ")") && word_is(next_code(close.at + 1), "(")) {
            writer_copy(&out, w.at);
            out.to += sprintf(out.to, "HED_LITERAL");
        }
        last[1] = last[0];
        last[0] = w;
    }
    writer_copy(&out, out.from + strlen(out.from));
    *out.to = 0;
}

/* ---- attributes ---- */

/* Rewrites __attribute__((reqd_work_group_size(x, y, z))), which C++ accepts in few places, from
 * its first word; returns the word to continue from. */
static word rewrite_attribute(writer *out, word attribute)
{
    word outer = word_after(attribute), inner = word_after(outer), name = word_after(inner),
         open = word_after(name);
    bool required = word_is(outer, "(") && word_is(inner, "(") &&
                    word_is(name, "reqd_work_group_size") && word_is(open, "(");
    word close = required ? word_after_parentheses(open) : open, last = word_after(close);
    if (!required || !word_is(close, ")") || !word_is(last, ")"))
        return word_after_parentheses(outer);
    writer_copy(out, attribute.at);
    out->to += sprintf(out->to, "HED_GROUP_OF");
    for (const char *at = attribute.at; at < open.at; at++)
        if (*at == '\n') *out->to++ = '\n';
    out->from = open.at;
    writer_copy(out, close.at);
    for (const char *at = close.at; at < last.at; at++)
        if (*at == '\n') *out->to++ = '\n';
    out->from = last.at + 1;
    return word_after(last);
}

static void rewrite_local(const char *text, char *to)
{
    writer out = {.to = to, .from = text};
    bool in_kernel = false, statement = false;
    for (word w = next_word(text); w.size > 0;) {
        word next = word_after(w);
        bool parameters = in_kernel && word_is(w, "(");
        if (word_is(w, "__kernel") || word_is(w, "kernel")) in_kernel = true;
        else if (word_is(w, "__attribute__")) next = rewrite_attribute(&out, w);
        else if (parameters) next = rewrite_parameters(&out, next);
        else if (statement && word_is_local(w)) next = rewrite_array(&out, w);
        in_kernel = in_kernel && !parameters && !word_is(w, ";") && !word_is(w, "{");
        statement = parameters || word_is(w, ";") || word_is(w, "{") || word_is(w, "}");
        w = next;
    }
    writer_copy(&out, out.from + strlen(out.from));
    *out.to = 0;
}

void hed_spec_use_words(hed_spec_reader *reader, hed_json_node node, hed_source *source)
{
    size_t size = strlen(source->text);
    if (source->size > 0 && source->size != size) return; /* not a text */
    /* A replacement is less than four times as long as the replaced text. */
    char *first = hed_spec_allocate(reader, 4 * size + 1, node);
    if (!first) return;
    rewrite_local(source->text, first);
    char *second = hed_spec_allocate(reader, 4 * strlen(first) + 1, node);
    if (!second) return;
    rewrite_literals(first, second);
    source->text = second;
    source->size = 0;
}

bool hed_spec_read_source(hed_spec_reader *reader, hed_json_node node, const char *file,
    int folders_above, const char *const *folders, hed_source *source)
{
    char *text = NULL;
    size_t size = 0;
    const char *path = hed_spec_path(reader, node, file, folders_above);
    if (!hed_spec_read_text(reader, node, path, HED_SPEC_LONGEST_SOURCE, &text, &size))
        return false;
    *source = (hed_source){.name = file, .text = text, .size = size};
    hed_spec_put_includes(reader, node, path, folders, HED_OPENCL_C, source);
    return hed_spec_fine(reader);
}

bool hed_spec_is_cuda_file(const char *file)
{
    static const char *const endings[] = {".cu", ".cuh", ".hip"};
    size_t length = strlen(file);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t end = strlen(endings[i]);
        if (length > end && strcmp(file + length - end, endings[i]) == 0) return true;
    }
    return false;
}
