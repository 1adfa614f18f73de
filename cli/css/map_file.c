/* See map_file.h. */
#include "cli/css/map_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/file.h"

enum { MOST_MAP_BYTES = 256 << 20 };

static size_t encode_bytes(const char *bytes, size_t size, char *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t length = 0;
    for (size_t i = 0; i < size; i += 3) {
        uint32_t bits = 0;
        for (size_t k = 0; k < 3; k++)
            bits = bits << 8 | (i + k < size ? (unsigned char)bytes[i + k] : 0);
        for (size_t k = 0; k < 4; k++)
            text[length++] = i + k > size ? '=' : digits[bits >> (18 - 6 * k) & 63];
    }
    text[length] = 0;
    return length;
}

char *css_map_address(const char *map, size_t length)
{
    static const char data[] = "data:application/json;base64,";
    char *address = malloc(sizeof data + length / 3 * 4 + 8);
    if (!address) return NULL;
    strcpy(address, data);
    encode_bytes(map, length, address + strlen(data));
    return address;
}

const char *css_map_make(const css_files *files, uint32_t number, const char *path, bool *inside,
    size_t *length, hed_error *error)
{
    const css_file *file = &files->items[number];
    const hed_css_sheet_use sheet = hed_css_unused_sheet_at(files->search, number);
    char old[PATH_MAX], root[3 * PATH_MAX], label[8], *bytes = NULL;
    const css_origin origin = {file->from, file->base};
    const char *slash = strrchr(path, '/'), *problem = NULL, *map = NULL;
    hed_error local = {0};
    if (!sheet.map_url) return NULL;
    char *url = strndup(sheet.map_url, sheet.map_url_length);
    if (!url) {
        HED_OUT_OF_MEMORY(error, "the source map of %s", path);
        return NULL;
    }
    *inside = css_address_is_data(url);
    hed_css_map_def def = {.file = slash ? slash + 1 : path};
    snprintf(old, sizeof old, "%s", file->name);
    if (*inside) css_address_data(url, &bytes, &def.map_length, label, sizeof label, &local);
    else problem = css_address_file(&origin, url, old, sizeof old);
    if (!*inside && !problem) hed_file_read(old, MOST_MAP_BYTES, &bytes, &def.map_length, &local);
    def.map = bytes;
    css_relative(path, old, root, sizeof root);
    char *root_end = strrchr(root, '/');
    if (root_end) root_end[1] = 0;
    def.root = root_end ? root : NULL; /* NULL: both maps are in one folder */
    if (bytes && !problem) map = hed_css_unused_map(files->search, number, &def, length, &local);
    if (local.status == HED_ERROR_MEMORY) *error = local;
    else if (!map) {
        if (*inside) url[strlen("data:")] = 0; /* the name in the message */
        fprintf(stderr, "heddle: warning: %s: its source map %s is left out of %s: %s\n",
            file->name, url, path, problem ? problem : local.text);
    }
    free(bytes);
    free(url);
    return map;
}

char *css_map_write(const css_files *files, uint32_t number, const char *path, hed_error *error)
{
    char name[PATH_MAX + 8];
    size_t length = 0;
    bool inside = false;
    const char *slash = strrchr(path, '/');
    const char *map = css_map_make(files, number, path, &inside, &length, error);
    if (!map) return NULL;
    snprintf(name, sizeof name, "%s.map", path);
    if (!inside) hed_file_write(name, map, length, error);
    snprintf(name, sizeof name, "%s.map", slash ? slash + 1 : path);
    char *address = inside ? css_map_address(map, length) : strdup(name);
    if (!address) HED_OUT_OF_MEMORY(error, "the source map of %s", path);
    return address;
}
