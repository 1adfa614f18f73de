/* See pages.h. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "cli/css/files.h"
#include "cli/css/pages.h"
#include "support/file.h"

enum { MOST_DEPTH = 64, MOST_INPUT_BYTES = 512 << 20 };

static void page_add(css_page_list *list, const char *path, hed_error *error)
{
    list->paths = css_more(list->paths, &list->room, list->count, sizeof *list->paths, error);
    if (hed_failed(error)) return;
    list->paths[list->count] = strdup(path);
    if (list->paths[list->count]) list->count++;
    else HED_OUT_OF_MEMORY(error, "the path of %s", path);
}

bool css_page_ending(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (strcasecmp(dot, ".html") == 0 || strcasecmp(dot, ".htm") == 0);
}

static void folder_add(css_page_list *list, const char *folder, int depth,
    bool (*takes)(const char *path), hed_error *error)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, NULL, alphasort);
    if (count < 0) hed_fail(error, HED_ERROR_IO, "%s: %s", folder, strerror(errno));
    if (depth == MOST_DEPTH)
        hed_fail(error, HED_ERROR_LIMIT, "%s: folder is nested deeper than %d", folder, MOST_DEPTH);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        char path[PATH_MAX];
        struct stat status;
        int size = snprintf(path, sizeof path, "%s/%s", folder, name);
        bool hidden = name[0] == '.' || strcmp(name, "node_modules") == 0, fits = size < (int)sizeof path;
        if (!fits && !hidden)
            hed_fail(error, HED_ERROR_LIMIT, "%.100s...: a path has %d bytes; expected at most %zu",
                path, size, sizeof path - 1);
        bool exists = fits && !hidden && lstat(path, &status) == 0;
        if (exists && S_ISDIR(status.st_mode) && !hed_failed(error))
            folder_add(list, path, depth + 1, takes, error);
        else if (exists && takes(name) && stat(path, &status) == 0 && S_ISREG(status.st_mode))
            page_add(list, path, error);
        free(entries[i]);
    }
    free(entries);
}

hed_status css_page_list_add(css_page_list *list, const char *path, hed_error *error)
{
    if (!hed_failed(error)) page_add(list, path, error);
    return hed_failed(error) ? error->status : HED_OK;
}

hed_status css_page_list_add_text(
    css_page_list *list, const char *name, const char *text, size_t length, hed_error *error)
{
    while (list->text_room <= list->count && !hed_failed(error))
        list->texts =
            css_more(list->texts, &list->text_room, list->text_room, sizeof *list->texts, error);
    char *copy = hed_failed(error) ? NULL : malloc(length + 1);
    if (!copy && !hed_failed(error)) HED_OUT_OF_MEMORY(error, "the text of %s", name);
    if (hed_failed(error)) return error->status;
    memcpy(copy, text, length);
    copy[length] = 0;
    list->texts[list->count] = (css_page_text){copy, length};
    return css_page_list_add(list, name, error);
}

hed_status css_page_list_add_input(css_page_list *list, const char *path, hed_error *error)
{
    char *text = NULL;
    size_t length;
    if (strcmp(path, "-") != 0) return css_page_list_add(list, path, error);
    if (hed_failed(error) || hed_input_read(MOST_INPUT_BYTES, &text, &length, error))
        return error->status;
    css_page_list_add_text(list, path, text, length, error);
    free(text);
    return hed_failed(error) ? error->status : HED_OK;
}

css_page_text css_page_list_text(const css_page_list *list, uint32_t index)
{
    return index < list->text_room ? list->texts[index] : (css_page_text){0};
}

hed_status css_page_list_take(css_page_list *list, const char *path, hed_error *error)
{
    struct stat status;
    uint32_t before = list->count;
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
        css_page_list_add_input(list, path, error);
    else folder_add(list, path, 0, css_page_ending, error);
    if (list->count == before && !hed_failed(error))
        hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: no page in this folder; expected files that end in .html or .htm. Templates and "
            "scripts are words: heddle css unused --words %s",
            path, path);
    return hed_failed(error) ? error->status : HED_OK;
}

hed_status css_page_list_open(
    css_page_list *list, const hed_arguments *arguments, const char *positional, hed_error *error)
{
    const char *path;
    for (uint32_t i = 0; (path = hed_text_at(arguments, positional, i)) && !hed_failed(error); i++)
        css_page_list_take(list, path, error);
    return hed_failed(error) ? error->status : HED_OK;
}

hed_status css_page_list_folder(
    css_page_list *list, const char *folder, bool (*takes)(const char *path), hed_error *error)
{
    folder_add(list, folder, 0, takes, error);
    return hed_failed(error) ? error->status : HED_OK;
}

void css_page_list_free(css_page_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) free(list->paths[i]);
    for (uint32_t i = 0; i < list->text_room; i++) free(list->texts[i].bytes);
    free(list->texts);
    free(list->paths);
    *list = (css_page_list){0};
}
