/* State of one load of a tune file: errors, memory, and the files that it reads. */
#include "tunefile/spec.h"

#include "support/file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool hed_spec_fine(const hed_spec_reader *reader)
{
    return hed_json_status(reader->spec->json, NULL) == HED_OK;
}

void *hed_spec_allocate(hed_spec_reader *reader, size_t size, hed_json_node node)
{
    void *memory = hed_arena_new(&reader->spec->arena, size, 1, NULL);
    if (!memory) hed_json_fail(node, HED_ERROR_MEMORY, "out of memory for %zu bytes", size);
    return memory;
}

void *hed_spec_grow(
    hed_spec_reader *reader, void *list, uint32_t count, size_t element, hed_json_node node)
{
    enum { FIRST_CAPACITY = 64 };
    bool is_full = count == 0 || (count >= FIRST_CAPACITY && (count & (count - 1)) == 0);
    if (!is_full) return list;
    void *longer =
        hed_spec_allocate(reader, (count ? 2 * (size_t)count : FIRST_CAPACITY) * element, node);
    if (longer && count) memcpy(longer, list, count * element);
    return longer;
}

const char *hed_spec_text(hed_spec_reader *reader, hed_json_node node, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length >= 0 ? hed_spec_allocate(reader, (size_t)length + 1, node) : NULL;
    if (!text) return "";
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

/* Returns the path of `file` in the spec's folder, or `up` folders above it. */
static const char *path_beside(
    hed_spec_reader *reader, hed_json_node node, const char *file, int up)
{
    const char *slash = strrchr(reader->path, '/');
    static const char *const prefixes[] = {"", "../"};
    if (file[0] == '/' || (!slash && !up)) return file;
    return hed_spec_text(reader, node, "%.*s%s%s", slash ? (int)(slash + 1 - reader->path) : 0,
        reader->path, prefixes[up], file);
}

const hed_tune_memory *hed_spec_in_memory(const hed_spec_reader *reader, const char *file)
{
    for (uint32_t i = 0; i < reader->file_count; i++)
        if (strcmp(reader->files[i].name, file) == 0) return &reader->files[i];
    return NULL;
}

const char *hed_spec_path(
    hed_spec_reader *reader, hed_json_node node, const char *file, int folders_above)
{
    if (hed_spec_in_memory(reader, file)) return file;
    const char *path = path_beside(reader, node, file, 0);
    bool is_above = folders_above > 0 && access(path, F_OK) != 0 &&
                    access(path_beside(reader, node, file, 1), F_OK) == 0;
    return is_above ? path_beside(reader, node, file, 1) : path;
}

const char *hed_spec_fraction_text(hed_spec_reader *reader, hed_json_node node, double number)
{
    char text[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number) break;
    }
    return hed_spec_text(reader, node, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

bool hed_spec_read_path(hed_spec_reader *reader, hed_json_node node, const char *path, size_t limit,
    char **bytes, size_t *size)
{
    hed_error error = {0};
    if (!hed_spec_fine(reader)) return false;
    const hed_tune_memory *memory = hed_spec_in_memory(reader, path);
    if (memory) { /* a copy with a final zero */
        if (memory->size > limit)
            hed_json_fail(node, HED_ERROR_LIMIT, "%s has %zu bytes; at most %zu are read", path,
                memory->size, limit);
        *bytes = hed_spec_fine(reader) ? hed_spec_allocate(reader, memory->size + 1, node) : NULL;
        *size = memory->size;
        if (*bytes && *size) memcpy(*bytes, memory->bytes, *size);
        return *bytes != NULL;
    }
    hed_status status = hed_file_read(path, limit, bytes, size, &error);
    if (status) {
        hed_json_fail(node, status, "%s", error.text);
        return false;
    }
    struct hed_spec_bytes *file = hed_spec_allocate(reader, sizeof *file, node);
    if (!file) {
        free(*bytes);
        return false;
    }
    *file = (struct hed_spec_bytes){reader->spec->files, *bytes};
    reader->spec->files = file;
    return true;
}

bool hed_spec_read_text(hed_spec_reader *reader, hed_json_node node, const char *path, size_t limit,
    char **text, size_t *size)
{
    static const char mark[] = "\xef\xbb\xbf";
    const size_t length = sizeof mark - 1;
    if (!hed_spec_read_path(reader, node, path, limit, text, size)) return false;
    for (char *at = *text; (at = memmem(at, *size - (size_t)(at - *text), mark, length));) {
        *size -= length;
        memmove(at, at + length, *size - (size_t)(at - *text) + 1);
    }
    return true;
}

bool hed_spec_read_file(hed_spec_reader *reader, hed_json_node node, const char *file,
    int folders_above, size_t limit, char **bytes, size_t *size)
{
    return hed_spec_read_path(
        reader, node, hed_spec_path(reader, node, file, folders_above), limit, bytes, size);
}
