/* See files.h. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/css/files.h"
#include "cli/css/site.h"
#include "support/file.h"
#include "support/sources.h"

enum { MOST_SHEET_BYTES = 256 << 20, MOST_FILES = 100000 };

void *css_more(void *array, uint32_t *room, uint32_t count, size_t size, hed_error *error)
{
    if (count < *room || hed_failed(error)) return array;
    uint32_t capacity = 2 * count + 16;
    char *larger = realloc(array, capacity * size);
    if (!larger) {
        HED_OUT_OF_MEMORY(error, "the list of pages and sheets");
        return array;
    }
    memset(larger + *room * size, 0, (capacity - *room) * size);
    *room = capacity;
    return larger;
}

hed_status css_files_open(css_files *files, hed_error *error)
{
    return hed_css_names_create(NULL, &files->names, error);
}

void css_files_close(css_files *files)
{
    for (uint32_t i = 0; i < files->count; i++) {
        css_file *file = &files->items[i];
        hed_css_sheet_destroy(file->sheet);
        free(file->name);
        free(file->identity);
        free(file->text);
        free(file->imports);
    }
    for (uint32_t i = 0; i < files->missing_count; i++) free(files->missing[i]);
    hed_css_names_destroy(files->names);
    free(files->items);
    free(files->missing);
}

/* ---- one sheet ---- */

struct url_list {
    char **items;
    uint32_t count, room;
};

/* Lists the address of an import; its text is not inserted into this sheet. */
static const char *note_import(void *user, uint32_t source, const char *url, size_t *length)
{
    struct url_list *urls = user;
    hed_error error = {0};
    (void)source;
    (void)length;
    urls->items = css_more(urls->items, &urls->room, urls->count, sizeof *urls->items, &error);
    char *copy = hed_failed(&error) ? NULL : strdup(url);
    if (copy) urls->items[urls->count++] = copy;
    return NULL;
}

/* Reads the sheet of a new file, and its imports. */
static uint32_t files_read(css_files *files, css_file file, hed_error *error)
{
    struct url_list urls = {0};
    const hed_css_sheet_def def = {.text = file.text,
        .length = file.length,
        .file = file.name,
        .origin = HED_CSS_AUTHOR,
        .import = note_import,
        .user = &urls,
        .split = true};
    uint32_t number = files->count;
    if (number == MOST_FILES)
        hed_fail(error, HED_ERROR_LIMIT, "%s: more than %d sheets", file.name, MOST_FILES);
    files->items = css_more(files->items, &files->room, number, sizeof file, error);
    hed_css_sheet_create(files->names, &def, &file.sheet, error);
    if (hed_failed(error)) {
        free(file.name);
        free(file.identity);
        free(file.text);
        number = HED_CSS_NONE;
    } else {
        file.first_rule = files->rules;
        file.first_part = files->parts;
        files->rules += file.rules = hed_css_rule_count(file.sheet);
        files->parts += file.parts = hed_css_part_count(file.sheet);
        file.imports = calloc(urls.count + 1, sizeof *file.imports);
        files->items[files->count++] = file;
    }
    for (uint32_t i = 0; i < urls.count; i++) {
        uint32_t import = HED_CSS_NONE;
        if (number != HED_CSS_NONE && !hed_failed(error))
            import = css_files_find(files, file.name, urls.items[i], file.judged, error);
        css_file *importer = number == HED_CSS_NONE ? NULL : &files->items[number];
        if (import != HED_CSS_NONE && importer->imports)
            importer->imports[importer->import_count++] = import;
        free(urls.items[i]);
    }
    free(urls.items);
    return number;
}

/* Refuses a sheet whose reduced version would replace an input file, or the reduced version of
 * another sheet, in the out folder. */
static hed_status files_plan(const css_files *files, const char *path, hed_error *error)
{
    char out[PATH_MAX], used_path[PATH_MAX];
    if (css_files_out(files->out_folder, path, out, sizeof out, error)) return error->status;
    for (uint32_t i = 0; i < files->count; i++) {
        const css_file *file = &files->items[i];
        if (!file->judged || !file->identity) continue;
        if (css_files_out(files->out_folder, file->name, used_path, sizeof used_path, error))
            return error->status;
        if (strcmp(out, used_path) == 0)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "--out %s: both %s and %s would be %s: reduce them one by one with --css",
                files->out_folder, file->name, path, out);
    }
    return hed_output_begin(out, error);
}

uint32_t css_files_add(css_files *files, const char *path, bool judged, hed_error *error)
{
    char identity[PATH_MAX];
    if (hed_failed(error)) return HED_CSS_NONE;
    if (!realpath(path, identity)) snprintf(identity, sizeof identity, "%s", path);
    for (uint32_t i = 0; i < files->count; i++)
        if (files->items[i].identity && strcmp(files->items[i].identity, identity) == 0) return i;
    css_file file = {.judged = judged};
    if (hed_file_read(path, MOST_SHEET_BYTES, &file.text, &file.length, error)) return HED_CSS_NONE;
    file.name = strdup(path);
    file.identity = strdup(identity);
    if (!file.name || !file.identity) HED_OUT_OF_MEMORY(error, "the name of %s", path);
    if (!hed_failed(error) && judged && files->out_folder) files_plan(files, path, error);
    return files_read(files, file, error);
}

hed_status css_files_out(
    const char *folder, const char *name, char *path, size_t size, hed_error *error)
{
    size_t length = strlen(folder);
    const char *slash = strrchr(name, '/');
    int used = snprintf(path, size, "%s%s%s", folder,
        length && folder[length - 1] == '/' ? "" : "/", slash ? slash + 1 : name);
    if (used >= 0 && (size_t)used < size) return HED_OK;
    return hed_fail(error, HED_ERROR_LIMIT,
        "--out %.100s...: the path of a sheet there has %d bytes; expected at most %zu", folder,
        used, size - 1);
}

uint32_t css_files_add_text(css_files *files, const char *page, uint32_t index, const char *text,
    size_t length, bool judged, hed_error *error)
{
    if (hed_failed(error)) return HED_CSS_NONE;
    for (uint32_t i = 0; i < files->count; i++) {
        const css_file *item = &files->items[i];
        if (!item->identity && item->length == length && memcmp(item->text, text, length) == 0)
            return i;
    }
    css_file file = {.length = length, .judged = judged};
    size_t size = strlen(page) + 32;
    file.text = malloc(length + 1);
    file.name = malloc(size);
    if (!file.text || !file.name) HED_OUT_OF_MEMORY(error, "the styles of %s", page);
    if (file.text) memcpy(file.text, text, length + 1);
    if (file.name) snprintf(file.name, size, "%s <style> %u", page, index + 1);
    return files_read(files, file, error);
}

/* ---- sheets that a page names ---- */

/* Lists a sheet that is not on the disk, and reports it once. */
static void files_miss(css_files *files, const char *from, const char *url, const char *reason)
{
    hed_error error = {0};
    for (uint32_t i = 0; i < files->missing_count; i++)
        if (strcmp(files->missing[i], url) == 0) return;
    files->missing = css_more(
        files->missing, &files->missing_room, files->missing_count, sizeof(char *), &error);
    char *copy = hed_failed(&error) ? NULL : strdup(url);
    if (copy) files->missing[files->missing_count++] = copy;
    fprintf(stderr, "heddle: warning: %s: the sheet %s is not read: %s\n", from, url, reason);
}

/* Finds `url`, which begins with a slash, in the folder of `from` or in a folder above. */
static bool find_above(const char *from, const char *url, char *path, size_t size)
{
    char folder[PATH_MAX], joined[PATH_MAX];
    if (!realpath(from, folder)) return false;
    for (char *slash; (slash = strrchr(folder, '/')); *slash = 0) {
        slash[1] = 0;
        FILE *file =
            css_beside(folder, url + 1, joined, sizeof joined) ? fopen(joined, "rb") : NULL;
        if (!file) continue;
        fclose(file);
        snprintf(path, size, "%s", joined);
        return true;
    }
    return false;
}

uint32_t css_files_find(
    css_files *files, const char *from, const char *url, bool judged, hed_error *error)
{
    char path[PATH_MAX];
    hed_error missing = {0};
    /* the name of a style element begins with that of its page */
    char page[PATH_MAX];
    const char *element = strstr(from, " <style> ");
    snprintf(page, sizeof page, "%.*s", element ? (int)(element - from) : (int)strlen(from), from);
    bool from_root = url[0] == '/' && url[1] != '/';
    if (!css_beside(page, url, path, sizeof path)) {
        files_miss(files, from, url, "it is no file");
        return HED_CSS_NONE;
    }
    if (from_root && !find_above(page, url, path, sizeof path)) {
        files_miss(files, from, url, "no folder above the page has it");
        return HED_CSS_NONE;
    }
    uint32_t number = css_files_add(files, path, judged, &missing);
    if (number != HED_CSS_NONE) return number;
    if (missing.status == HED_ERROR_MEMORY || missing.status == HED_ERROR_ARGUMENT)
        *error = missing;
    else files_miss(files, from, url, missing.text);
    return HED_CSS_NONE;
}
