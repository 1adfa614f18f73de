/* Reduced sheets of `heddle css unused --out`, each in the encoding of its sheet. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/css/map_file.h"
#include "cli/css/unused.h"
#include "support/file.h"

/* ---- the target ---- */

static bool names_folder(const char *path)
{
    struct stat status;
    size_t length = strlen(path);
    return (length && path[length - 1] == '/') ||
           (stat(path, &status) == 0 && S_ISDIR(status.st_mode));
}

css_out css_out_of(const css_settings *settings)
{
    const char *path = settings->out;
    return (css_out){path, path && names_folder(path), settings->sheets.count == 1};
}

hed_status css_out_check(css_unused *u, hed_error *error)
{
    css_files *files = &u->files;
    uint32_t count = css_files_count(files);
    if (!files->count) return HED_OK; /* the survey fails without a sheet */
    if (!count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "--out %s: nothing to write: all %u sheets of the pages are texts of <style> elements; "
            "expected a sheet in a file",
            u->out.path, files->count);
    if (!u->out.folder && count != 1 && !u->out.first)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "--out %s: a file holds one sheet, and %u were read: name a folder, or one sheet with "
            "--css",
            u->out.path, count);
    if (!u->out.folder) return HED_OK;
    /* the sheets keep their paths from the folder of all of them and, unless sheets are given, of
     * the pages */
    const css_page_list *roots = &u->settings->roots;
    for (uint32_t i = 0; i < files->count; i++)
        if (css_file_is_reduced(&files->items[i]))
            css_files_root(files, files->items[i].name, error);
    for (uint32_t i = 0; i < roots->count && !u->settings->sheets.count; i++)
        css_files_root(files, roots->paths[i], error);
    if (hed_failed(error)) return error->status;
    return css_files_check_out(files, u->out.path, error);
}

/* ---- writing ---- */

/* Writes the reduced sheet and its source map. */
static hed_status write_reduced(
    const css_files *files, uint32_t number, const char *path, hed_error *error)
{
    const css_file *file = &files->items[number];
    hed_file_writer *writer = NULL;
    size_t length = 0;
    char *map_url = css_map_write(files, number, path, error);
    const char *reduced = hed_failed(error)
                              ? NULL
                              : hed_css_unused_text(files->search, number, map_url, &length, error);
    free(map_url);
    char *text = reduced ? malloc(length + 1) : NULL;
    if (text) {
        memcpy(text, reduced, length + 1);
        hed_encoding_encode(file->encoding, path, &text, &length, error);
    } else if (!hed_failed(error)) HED_OUT_OF_MEMORY(error, "the reduced sheet %s", path);
    if (!hed_failed(error) && hed_file_writer_open(path, &writer, error) == HED_OK) {
        hed_file_writer_put(writer, file->mark, strlen(file->mark));
        hed_file_writer_put(writer, text, length);
        hed_file_writer_commit(writer, error);
    }
    free(text);
    return hed_failed(error) ? error->status : HED_OK;
}

/* Makes the folder of a file below the folder `out`, and the folders around it. */
static hed_status make_folders(const char *out, const char *path, hed_error *error)
{
    char folder[PATH_MAX];
    size_t length = strlen(out);
    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = folder + length; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        if (*folder && mkdir(folder, 0777) != 0 && errno != EEXIST)
            return hed_fail(error, HED_ERROR_IO, "--out %s: cannot make the folder %s: %s", out,
                folder, strerror(errno));
        *slash = '/';
    }
    return HED_OK;
}

hed_status css_out_write(const css_unused *u, hed_error *error)
{
    char path[PATH_MAX];
    const css_files *files = &u->files;
    const css_out *out = &u->out;
    uint32_t left = !out->folder && out->first ? 1 : css_files_count(files);
    if (out->folder && mkdir(out->path, 0777) != 0 && !names_folder(out->path))
        return hed_fail(error, HED_ERROR_IO, "--out %s: no such folder", out->path);
    for (uint32_t i = 0; i < files->count && left && !hed_failed(error); i++) {
        const css_file *file = &files->items[i];
        if (!css_file_is_reduced(file)) continue;
        left--;
        if (out->folder && (css_files_out(files, file, out->path, path, sizeof path, error) ||
                               make_folders(out->path, path, error)))
            break;
        write_reduced(files, i, out->folder ? path : out->path, error);
    }
    return hed_failed(error) ? error->status : HED_OK;
}
