/* Files of a module, in place of support/file.c: the texts and bytes that JavaScript has given by
 * name. Nothing is written. */
#include "support/file.h"

#include "heddle/author.h"

#include <stdio.h>
#include <stdlib.h>

#define IMPORT(name) __attribute__((import_module("env"), import_name(#name)))

/* Returns the size of a file, bytes; negative: no such file. */
IMPORT(heddle_file_size) double heddle_file_size(const char *path);
/* Copies a file. */
IMPORT(heddle_file_read) void heddle_file_read(const char *path, char *to);

hed_status hed_file_read(
    const char *path, size_t limit, char **bytes, size_t *size, hed_error *error)
{
    *bytes = NULL;
    *size = 0;
    double length = heddle_file_size(path);
    if (!(length >= 0))
        return hed_fail(error, HED_ERROR_IO, "cannot open %s: no such file among the given ones", path);
    if (length > (double)limit)
        return hed_fail(error, HED_ERROR_LIMIT, "%s is longer than %zu bytes, the most that is read", path, limit);
    char *text = malloc((size_t)length + 1);
    if (!text) return HED_OUT_OF_MEMORY(error, "the %zu bytes of %s", (size_t)length, path);
    heddle_file_read(path, text);
    text[(size_t)length] = 0;
    *bytes = text;
    *size = (size_t)length;
    return HED_OK;
}

static hed_status refuse(hed_error *error)
{
    return hed_fail(error, HED_ERROR_UNSUPPORTED, "a module of WebAssembly writes no files");
}

hed_status hed_file_write(const char *path, const void *bytes, size_t size, hed_error *error)
{
    return refuse(error);
}

hed_status hed_file_writer_open(const char *path, hed_file_writer **writer, hed_error *error)
{
    *writer = NULL;
    return refuse(error);
}

hed_status hed_file_writer_put(hed_file_writer *writer, const void *bytes, size_t size)
{
    return HED_ERROR_UNSUPPORTED;
}

hed_status hed_file_writer_seek(hed_file_writer *writer, uint64_t offset)
{
    return HED_ERROR_UNSUPPORTED;
}

hed_status hed_file_writer_commit(hed_file_writer *writer, hed_error *error)
{
    return refuse(error);
}

void hed_file_writer_abort(hed_file_writer *writer) {}
