/* See page_folder.h. */
#include "cli/tune/page_folder.h"

#include "cli/common/base64.h"
#include "cli/tune/page_session.h"
#include "support/file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_FILE = 256 << 20 };

static const char NOT_FOUND[] = "bm90IGZvdW5k"; /* "not found": the browser replaces an empty page */

const char page_host[] = "http://heddle.localhost/";

static const char *type_of(const char *path)
{
    static const char *const types[][2] = {{".html", "text/html; charset=utf-8"},
        {".htm", "text/html; charset=utf-8"}, {".js", "text/javascript"},
        {".mjs", "text/javascript"}, {".css", "text/css"}, {".wgsl", "text/plain"},
        {".txt", "text/plain"}, {".json", "application/json"}, {".map", "application/json"},
        {".png", "image/png"}, {".jpg", "image/jpeg"}, {".jpeg", "image/jpeg"},
        {".webp", "image/webp"}, {".svg", "image/svg+xml"}, {".wasm", "application/wasm"},
        {".hrec", "application/octet-stream"}};
    const char *ending = strrchr(path, '.');
    for (size_t i = 0; ending && i < sizeof types / sizeof *types; i++)
        if (strcmp(ending, types[i][0]) == 0) return types[i][1];
    return "application/octet-stream";
}

/* Copies the path of an address to `path` (PATH_MAX), with escapes resolved. */
static void decode_path(const char *address, char *path)
{
    size_t used = 0;
    for (const char *c = address; *c && *c != '?' && *c != '#' && used < PATH_MAX - 1; c++) {
        unsigned byte;
        if (*c == '%' && sscanf(c + 1, "%2x", &byte) == 1 && byte) {
            path[used++] = (char)byte;
            c += 2;
        } else path[used++] = *c;
    }
    path[used] = 0;
}

/* Finds the file of a path under the folder; false: no file, or one elsewhere. */
static bool find_file(const char *folder, const char *path, char *file)
{
    char *joined = NULL;
    struct stat status;
    if (asprintf(&joined, "%s/%s", folder, path) < 0) return false;
    bool exists = realpath(joined, file) != NULL;
    free(joined);
    if (exists && stat(file, &status) == 0 && S_ISDIR(status.st_mode) &&
        strlen(file) + sizeof "/index.html" < PATH_MAX)
        strcat(file, "/index.html");
    size_t length = strlen(folder);
    return exists && strncmp(file, folder, length) == 0 &&
           (file[length] == '/' || folder[length - 1] == '/');
}

/* Finds the file of an address. A page that was built for a place under its host (Vite's `base`:
 * "/name/") asks for its files there; the folder is that place, so a path without a file is tried
 * once more without its first part. */
static bool find_page_file(const char *folder, const char *address, char *file)
{
    char path[PATH_MAX];
    decode_path(address + strlen(page_host), path);
    const char *remainder = strchr(path, '/');
    return find_file(folder, path, file) || (remainder && find_file(folder, remainder + 1, file));
}

static char *base64_of(const char *bytes, size_t size)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    if (!stream) return NULL;
    cli_base64_put(stream, (const uint8_t *)bytes, size);
    if (fclose(stream) == 0) return text;
    free(text);
    return NULL;
}

void page_folder_read(const char *folder, const char *address, page_folder_file *result)
{
    char file[PATH_MAX], *bytes = NULL;
    size_t size = 0;
    hed_error ignored = {0};
    bool exists = folder && address && strncmp(address, page_host, strlen(page_host)) == 0 &&
                  find_page_file(folder, address, file) &&
                  !hed_file_read(file, MOST_FILE, &bytes, &size, &ignored);
    result->base64 = exists ? base64_of(bytes, size) : NULL;
    result->status = result->base64 ? 200 : 404;
    result->type = result->base64 ? type_of(file) : "text/plain";
    if (!result->base64) result->base64 = strdup(NOT_FOUND);
    hed_error_clear(&ignored);
    free(bytes);
}

void page_folder_free(page_folder_file *file) { free(file->base64); }

void page_folder_answer(
    cli_devtools *devtools, const char *session, const char *folder, const json_t *parameters)
{
    const char *id = json_string_value(json_object_get(parameters, "requestId"));
    page_folder_file file;
    hed_error ignored = {0};
    page_folder_read(folder,
        json_string_value(json_object_get(json_object_get(parameters, "request"), "url")), &file);
    cli_devtools_send(devtools, session, "Fetch.fulfillRequest",
        json_pack("{s:s, s:i, s:[{s:s, s:s}], s:s}", "requestId", id ? id : "", "responseCode", file.status,
            "responseHeaders", "name", "Content-Type", "value", file.type, "body", file.base64),
        &ignored);
    hed_error_clear(&ignored);
    page_folder_free(&file);
}
