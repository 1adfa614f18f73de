/* See glob.h. */
#include "cli/css/glob.h"

#include <dirent.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifndef FNM_EXTMATCH
#define FNM_EXTMATCH 0
#endif

enum { MOST_ALTERNATIVES = 4096, MOST_DEPTH = 64 };

typedef struct search {
    css_page_list *list;
    const css_page_list *skipped;
    uint32_t alternatives, depth;
    hed_error *error;
} search;

/* True if a pattern fits a path; ** and * fit any characters, slashes too. */
static bool skips(const char *pattern, const char *path)
{
    char folded[PATH_MAX];
    size_t used = 0;
    while (strncmp(path, "./", 2) == 0) path += 2;
    while (strncmp(pattern, "./", 2) == 0) pattern += 2;
    for (const char *c = pattern; *c && used + 1 < sizeof folded; c++)
        if (!(c[0] == '*' && c[1] == '*')) folded[used++] = *c;
    folded[used] = 0;
    if (fnmatch(folded, path, FNM_EXTMATCH) == 0) return true;
    return strncmp(pattern, "**/", 3) == 0 && skips(pattern + 3, path);
}

static void glob_add(search *s, const char *path)
{
    for (uint32_t i = 0; i < s->skipped->count; i++)
        if (skips(s->skipped->paths[i], path)) return;
    css_page_list_add(s->list, strncmp(path, "./", 2) == 0 && path[2] ? path + 2 : path, s->error);
}

static bool glob_folder(const char *path, bool follows)
{
    struct stat about;
    return (follows ? stat(path, &about) : lstat(path, &about)) == 0 && S_ISDIR(about.st_mode);
}

static void glob_walk(search *s, const char *base, const char *pattern);

/* Visits the entries of a folder that the first `length` bytes of a pattern fit; `rest`: the
 * pattern after its slash; NULL: the entries are files. `deep`: the folders alone, with the pattern
 * again. */
static void walk_entries(
    search *s, const char *base, const char *pattern, size_t length, const char *rest, bool deep)
{
    char part[NAME_MAX + 1], path[PATH_MAX];
    struct dirent **entries = NULL;
    snprintf(part, sizeof part, "%.*s", (int)length, pattern);
    int count = scandir(*base ? base : ".", &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        int size = snprintf(path, sizeof path, "%s%s", base, name);
        bool fits = size < (int)sizeof path - 1 && !hed_failed(s->error);
        if (deep) fits = fits && name[0] != '.' && glob_folder(path, false);
        else fits = fits && fnmatch(part, name, FNM_PERIOD | FNM_EXTMATCH) == 0;
        if (fits && (deep || rest) && glob_folder(path, !deep)) {
            strcat(path, "/");
            glob_walk(s, path, deep ? pattern : rest);
        } else if (fits && !deep && !rest && !glob_folder(path, true)) glob_add(s, path);
        free(entries[i]);
    }
    free(entries);
}

/* Visits the files of a pattern without braces below `base`, which is empty or ends with a
 * slash. */
static void glob_walk(search *s, const char *base, const char *pattern)
{
    char path[PATH_MAX];
    size_t length = strcspn(pattern, "/");
    const char *rest = pattern[length] ? pattern + length + 1 : NULL;
    bool any_folders = length == 2 && strncmp(pattern, "**", 2) == 0;
    bool plain = strcspn(pattern, "*?[(") >= length;
    if (hed_failed(s->error) || s->depth++ == MOST_DEPTH) {
        s->depth -= !hed_failed(s->error);
        return;
    }
    while (rest && *rest == '/') rest++;
    if (any_folders) {
        glob_walk(s, base, rest ? rest : "*");
        walk_entries(s, base, pattern, length, rest, true);
    } else if (!plain) walk_entries(s, base, pattern, length, rest, false);
    else if (snprintf(path, sizeof path, "%s%.*s%s", base, (int)length, pattern, rest ? "/" : "") <
             (int)sizeof path) {
        struct stat about;
        if (rest && *rest) glob_walk(s, path, rest);
        else if (stat(path, &about) == 0) glob_add(s, path);
    }
    s->depth--;
}

/* Visits the alternatives of the first braces of a pattern, or its files. */
static void expand(search *s, const char *base, const char *pattern)
{
    const char *open = strchr(pattern, '{'), *from, *close = NULL;
    uint32_t depth = 0;
    if (hed_failed(s->error)) return;
    if (++s->alternatives > MOST_ALTERNATIVES)
        hed_fail(s->error, HED_ERROR_LIMIT, "%.100s: pattern has more than %d alternatives",
            pattern, MOST_ALTERNATIVES);
    for (const char *c = open; c && *c && !close; c++) {
        depth += *c == '{';
        if (*c == '}' && --depth == 0) close = c;
    }
    if (!close) {
        glob_walk(s, base, pattern);
        return;
    }
    depth = 0;
    from = open + 1;
    for (const char *c = from; c <= close; c++) {
        if ((*c == ',' && !depth) || c == close) {
            char next[PATH_MAX];
            int size = snprintf(next, sizeof next, "%.*s%.*s%s", (int)(open - pattern), pattern,
                (int)(c - from), from, close + 1);
            if (size < (int)sizeof next) expand(s, base, next);
            from = c + 1;
        }
        depth += *c == '{';
        depth -= *c == '}' && c != close;
    }
}

static int by_path(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

hed_status css_glob_find(css_page_list *list, const char *folder, const char *pattern,
    const css_page_list *skipped, hed_error *error)
{
    css_page_list files = {0};
    search s = {&files, skipped, 0, 0, error};
    char base[PATH_MAX];
    snprintf(base, sizeof base, "%s%s", *pattern == '/' ? "/" : folder,
        *pattern == '/' || !*folder || folder[strlen(folder) - 1] == '/' ? "" : "/");
    while (strncmp(pattern, "./", 2) == 0 || *pattern == '/') pattern += *pattern == '/' ? 1 : 2;
    expand(&s, base, pattern);
    if (files.count) qsort(files.paths, files.count, sizeof *files.paths, by_path);
    for (uint32_t i = 0; i < files.count; i++)
        if (!i || strcmp(files.paths[i], files.paths[i - 1]) != 0)
            css_page_list_add(list, files.paths[i], error);
    css_page_list_free(&files);
    return hed_failed(error) ? error->status : HED_OK;
}
