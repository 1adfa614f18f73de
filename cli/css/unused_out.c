/* Reduced sheets of `heddle css unused --out`, each in the encoding of its sheet. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/css/source_map.h"
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
    css_files *files = &u->survey.files;
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
    const css_page_list *roots = &u->survey.settings->roots;
    for (uint32_t i = 0; i < files->count; i++)
        if (files->items[i].judged && files->items[i].identity)
            css_files_root(files, files->items[i].name, error);
    for (uint32_t i = 0; i < roots->count && !u->survey.settings->sheets.count; i++)
        css_files_root(files, roots->paths[i], error);
    if (hed_failed(error)) return error->status;
    return css_files_check_out(files, u->out.path, error);
}

/* ---- writing ---- */

/* Text of the reduced sheet, with `comment` in place of the address of its source map. The caller
 * frees it. */
static char *reduced_text(const css_file *file, const css_reduction *reduction,
    const css_map_address *map, const char *comment, size_t *length)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, length);
    if (!stream) return NULL;
    size_t at = 0;
    for (uint32_t i = 0; i <= reduction->cut_count; i++) {
        css_cut end = {file->length, file->length, 0, 0, NULL};
        const css_cut *removed = i < reduction->cut_count ? &reduction->cuts[i] : &end;
        if (map && map->begin >= at && map->end <= removed->begin) {
            fwrite(file->text + at, 1, map->begin - at, stream);
            if (comment) fputs(comment, stream);
            at = map->end;
        }
        fwrite(file->text + at, 1, removed->begin - at, stream);
        if (removed->instead) fputs(removed->instead, stream);
        at = removed->end;
    }
    if (fclose(stream) == 0) return text;
    free(text);
    return NULL;
}

/* Writes the reduced sheet and its source map. */
static hed_status write_reduced(
    const css_file *file, const css_reduction *reduction, const char *path, hed_error *error)
{
    hed_file_writer *writer = NULL;
    css_map_address map = {0};
    char *comment = NULL;
    size_t length = 0;
    bool mapped = css_map_find(file->text, file->length, &map);
    if (mapped)
        comment = css_map_write(file, &map, reduction->cuts, reduction->cut_count, path, error);
    char *text = hed_failed(error)
                     ? NULL
                     : reduced_text(file, reduction, mapped ? &map : NULL, comment, &length);
    free(comment);
    if (!text && !hed_failed(error)) HED_OUT_OF_MEMORY(error, "the reduced sheet %s", path);
    if (!hed_failed(error)) hed_encoding_encode(file->encoding, path, &text, &length, error);
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
    const css_files *files = &u->survey.files;
    const css_out *out = &u->out;
    uint32_t left = !out->folder && out->first ? 1 : css_files_count(files);
    if (out->folder && mkdir(out->path, 0777) != 0 && !names_folder(out->path))
        return hed_fail(error, HED_ERROR_IO, "--out %s: no such folder", out->path);
    for (uint32_t i = 0; i < files->count && left && !hed_failed(error); i++) {
        const css_file *file = &files->items[i];
        if (!file->judged || !file->identity) continue;
        left--;
        if (out->folder && (css_files_out(files, file, out->path, path, sizeof path, error) ||
                               make_folders(out->path, path, error)))
            break;
        write_reduced(file, &u->reductions[i], out->folder ? path : out->path, error);
    }
    return hed_failed(error) ? error->status : HED_OK;
}
