/* See files.h. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/css/files.h"
#include "support/sources.h"

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

static void file_free(css_file *file)
{
    for (uint32_t i = file->found_count; i < file->url_count; i++) free(file->urls[i]);
    free(file->urls);
    free(file->imports);
    free(file->name);
    free(file->identity);
    free(file->from);
    free(file->base);
}

void css_files_close(css_files *files)
{
    for (uint32_t i = 0; i < files->count; i++) file_free(&files->items[i]);
    free(files->root);
    for (uint32_t i = 0; i < files->missing_count; i++) free(files->missing[i]);
    free(files->items);
    free(files->missing);
}

/* ---- one sheet ---- */

/* Lists the address of an import; its text is not inserted into this sheet. */
static const char *note_import(void *user, uint32_t source, const char *url, size_t *length)
{
    css_file *file = user;
    hed_error error = {0};
    (void)source;
    (void)length;
    file->urls = css_more(file->urls, &file->url_room, file->url_count, sizeof *file->urls, &error);
    char *copy = hed_failed(&error) ? NULL : strdup(url);
    if (copy) file->urls[file->url_count++] = copy;
    return NULL;
}

/* Adds the imports of a new sheet, depth first. A chain of imports may be as long as the site has
 * sheets, so none is a call within a call. */
static void files_read_imports(css_files *files, uint32_t number, hed_error *error)
{
    files->finds_imports = true;
    while (number != HED_CSS_NONE && !hed_failed(error)) {
        css_file *file = &files->items[number];
        if (file->found_count == file->url_count) {
            number = file->importer;
            continue;
        }
        const css_namer namer = {{file->from, file->base}, file->encoding, file->judged};
        char *url = file->urls[file->found_count++];
        uint32_t count = files->count, import = css_files_find(files, &namer, url, error);
        free(url);
        file = &files->items[number];
        if (import == HED_CSS_NONE) continue;
        file->imports[file->import_count++] = import;
        if (import < count) continue;
        files->items[import].importer = number;
        number = import;
    }
    files->finds_imports = false;
}

/* Adds a new sheet to the search, and its imports. Frees the text. */
static uint32_t files_read(css_files *files, css_file file, css_text text, hed_error *error)
{
    const hed_css_unused_sheet sheet = {.sheet = {file.name, text.bytes, text.length},
        .only_names = !file.judged,
        .import = note_import,
        .user = &file};
    uint32_t number = HED_CSS_NONE;
    files->items = css_more(files->items, &files->room, files->count, sizeof file, error);
    if (!hed_failed(error)) hed_css_unused_add_sheet(files->search, &sheet, &number, error);
    free(text.bytes);
    if (!hed_failed(error)) {
        file.importer = HED_CSS_NONE;
        file.imports = calloc(file.url_count + 1, sizeof *file.imports);
        if (!file.imports) HED_OUT_OF_MEMORY(error, "the imports of %s", file.name);
    }
    if (hed_failed(error)) {
        file_free(&file);
        return HED_CSS_NONE;
    }
    files->items[files->count++] = file;
    if (!files->finds_imports) files_read_imports(files, number, error);
    return number;
}

uint32_t css_files_add(
    css_files *files, const char *path, const hed_encoding *fallback, bool judged, hed_error *error)
{
    char identity[PATH_MAX];
    css_text text;
    if (hed_failed(error)) return HED_CSS_NONE;
    for (uint32_t i = 0; i < files->count; i++)
        if (files->items[i].identity && strcmp(files->items[i].from, path) == 0) return i;
    if (!realpath(path, identity)) snprintf(identity, sizeof identity, "%s", path);
    for (uint32_t i = 0; i < files->count; i++)
        if (files->items[i].identity && strcmp(files->items[i].identity, identity) == 0) return i;
    if (css_read_sheet(path, fallback, &text, error)) return HED_CSS_NONE;
    css_file file = {.judged = judged,
        .encoding = text.encoding,
        .mark = text.mark,
        .name = strdup(path),
        .from = strdup(path),
        .identity = strdup(identity)};
    if (!file.name || !file.from || !file.identity)
        HED_OUT_OF_MEMORY(error, "the name of %s", path);
    return files_read(files, file, text, error);
}

uint32_t css_files_add_given(
    css_files *files, const css_page_list *list, uint32_t index, hed_error *error)
{
    css_text text;
    const char *name = list->paths[index];
    if (!css_page_list_text(list, index).bytes)
        return css_files_add(files, name, NULL, true, error);
    if (hed_failed(error) || css_sheet_list_read(list, index, &text, error)) return HED_CSS_NONE;
    css_file file = {.judged = true,
        .given = true,
        .encoding = text.encoding,
        .mark = text.mark,
        .name = strdup(name),
        .from = strdup(name)};
    if (!file.name || !file.from) HED_OUT_OF_MEMORY(error, "the name of %s", name);
    return files_read(files, file, text, error);
}

bool css_file_is_reduced(const css_file *file)
{
    return file->judged && (file->identity || file->given);
}

/* Adds a text, which the list owns from now on, unless an equal one is listed. */
static uint32_t files_add_text(
    css_files *files, const css_namer *page, const char *label, css_text text, hed_error *error)
{
    for (uint32_t i = 0; i < files->count; i++) {
        const hed_css_sheet_use item = hed_css_unused_sheet_at(files->search, i);
        if (files->items[i].identity || files->items[i].given || item.length != text.length ||
            memcmp(item.text, text.bytes, text.length) != 0)
            continue;
        free(text.bytes);
        return i;
    }
    css_file file = {.judged = page->judged,
        .encoding = text.encoding,
        .mark = "",
        .from = strdup(page->origin.file),
        .base = page->origin.base ? strdup(page->origin.base) : NULL};
    size_t size = strlen(page->origin.file) + strlen(label) + 2;
    file.name = malloc(size);
    if (!file.name || !file.from || (page->origin.base && !file.base))
        HED_OUT_OF_MEMORY(error, "the styles of %s", page->origin.file);
    if (file.name) snprintf(file.name, size, "%s %s", page->origin.file, label);
    return files_read(files, file, text, error);
}

uint32_t css_files_add_text(css_files *files, const css_namer *page, uint32_t index,
    const char *text, size_t length, hed_error *error)
{
    char label[32];
    css_text copy = {.bytes = malloc(length + 1), .length = length, .encoding = hed_encodings};
    if (hed_failed(error) || !copy.bytes) {
        free(copy.bytes);
        if (!hed_failed(error)) HED_OUT_OF_MEMORY(error, "the styles of %s", page->origin.file);
        return HED_CSS_NONE;
    }
    memcpy(copy.bytes, text, length);
    copy.bytes[length] = 0;
    snprintf(label, sizeof label, "<style> %u", index + 1);
    return files_add_text(files, page, label, copy, error);
}

/* ---- sheets that a page names ---- */

/* Lists a sheet that is not on the disk, and reports it once; it may use any name. */
static void files_miss(css_files *files, const char *from, const char *url, const char *reason)
{
    hed_error error = {0};
    hed_css_unused_link(files->search, HED_CSS_NONE, NULL);
    for (uint32_t i = 0; i < files->missing_count; i++)
        if (strcmp(files->missing[i], url) == 0) return;
    files->missing = css_more(
        files->missing, &files->missing_room, files->missing_count, sizeof(char *), &error);
    char *copy = hed_failed(&error) ? NULL : strdup(url);
    if (copy) files->missing[files->missing_count++] = copy;
    fprintf(stderr, "heddle: warning: %s: the sheet %s is not read: %s\n", from, url, reason);
}

uint32_t css_files_find(
    css_files *files, const css_namer *namer, const char *address, hed_error *error)
{
    char path[PATH_MAX];
    hed_error missing = {0};
    uint32_t number = HED_CSS_NONE;
    const char *reason = NULL;
    css_text text;
    if (css_address_is_data(address)) {
        if (css_read_data(address, namer->encoding, &text, &missing) == HED_OK)
            number = files_add_text(files, namer, "data:", text, &missing);
    } else {
        reason = css_address_file(&namer->origin, address, path, sizeof path);
        if (!reason) number = css_files_add(files, path, namer->encoding, namer->judged, &missing);
    }
    if (number != HED_CSS_NONE) return number;
    if (missing.status == HED_ERROR_MEMORY || missing.status == HED_ERROR_ARGUMENT)
        *error = missing;
    else files_miss(files, namer->origin.file, address, reason ? reason : missing.text);
    return HED_CSS_NONE;
}

hed_status css_files_link(css_files *files, uint32_t file, uint32_t tree, hed_error *error)
{
    if (file == HED_CSS_NONE || hed_failed(error))
        return hed_failed(error) ? error->status : HED_OK;
    uint32_t *reached = malloc(files->count * sizeof *reached), count = 0;
    bool *is_reached = calloc(files->count, sizeof *is_reached);
    if (!reached || !is_reached)
        HED_OUT_OF_MEMORY(error, "the imports of %s", files->items[file].name);
    else {
        is_reached[file] = true;
        reached[count++] = file;
    }
    for (uint32_t k = 0; k < count && !hed_failed(error); k++) { /* sheets may import each other */
        const css_file *sheet = &files->items[reached[k]];
        hed_css_unused_link_tree(files->search, reached[k], tree, error);
        for (uint32_t i = 0; i < sheet->import_count; i++) {
            uint32_t import = sheet->imports[i];
            if (is_reached[import]) continue;
            is_reached[import] = true;
            reached[count++] = import;
        }
    }
    free(reached);
    free(is_reached);
    return hed_failed(error) ? error->status : HED_OK;
}

/* ---- reduced sheets ---- */

uint32_t css_files_count(const css_files *files)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < files->count; i++) count += css_file_is_reduced(&files->items[i]);
    return count;
}

hed_status css_files_root(css_files *files, const char *path, hed_error *error)
{
    char whole[PATH_MAX + 2];
    struct stat about;
    if (hed_failed(error)) return error->status;
    if (!css_absolute(path, whole, PATH_MAX))
        return hed_fail(error, HED_ERROR_IO, "%s: its absolute path is too long", path);
    bool folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    size_t length = strlen(whole), common = 0;
    if (folder && whole[length - 1] != '/') strcpy(whole + length, "/");
    if (!folder) strrchr(whole, '/')[1] = 0;
    if (!files->root) {
        files->root = strdup(whole);
        return files->root ? HED_OK : HED_OUT_OF_MEMORY(error, "the folder of the sheets");
    }
    for (size_t i = 0; whole[i] && whole[i] == files->root[i]; i++)
        if (whole[i] == '/') common = i + 1;
    files->root[common] = 0;
    return HED_OK;
}

hed_status css_files_out(const css_files *files, const css_file *file, const char *folder,
    char *path, size_t size, hed_error *error)
{
    char whole[PATH_MAX];
    size_t length = strlen(folder), root = files->root ? strlen(files->root) : 0;
    bool fits = css_absolute(file->name, whole, sizeof whole) && strlen(whole) > root;
    int used = snprintf(path, size, "%s%s%s", folder,
        length && folder[length - 1] == '/' ? "" : "/", fits ? whole + root : file->name);
    if (used >= 0 && (size_t)used < size) return HED_OK;
    return hed_fail(error, HED_ERROR_LIMIT,
        "--out %.100s...: the path of a sheet there has %d bytes; expected at most %zu", folder,
        used, size - 1);
}

hed_status css_files_check_out(const css_files *files, const char *folder, hed_error *error)
{
    char path[PATH_MAX];
    for (uint32_t i = 0; i < files->count; i++) {
        const css_file *file = &files->items[i];
        if (!css_file_is_reduced(file)) continue;
        if (css_files_out(files, file, folder, path, sizeof path, error) ||
            hed_output_begin(path, error))
            return error->status;
    }
    return HED_OK;
}
