/* Files: reading a whole file, and writing to a temporary name that is renamed at the end. */
#include "support/file.h"

#include "heddle/author.h"
#include "support/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- kinds of files ---- */

static const char *kind_of(mode_t mode)
{
    return S_ISDIR(mode)    ? "a folder"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

hed_status hed_file_require_regular(const char *path, hed_error *error)
{
    struct stat about;
    if (stat(path, &about) != 0 || access(path, R_OK) != 0)
        return hed_fail(error, HED_ERROR_IO, "cannot open %s: %s", path, strerror(errno));
    if (!S_ISREG(about.st_mode))
        return hed_fail(
            error, HED_ERROR_IO, "%s is %s, expected a file", path, kind_of(about.st_mode));
    return hed_source_note_path(path, error);
}

int hed_file_open_regular(const char *path)
{
    char name[64];
    struct stat about;
    int place = open(path, O_PATH | O_CLOEXEC); /* the file's place alone: it is not opened yet */
    if (place < 0) return -1;
    bool is_regular = fstat(place, &about) == 0 && S_ISREG(about.st_mode);
    snprintf(name, sizeof name, "/proc/self/fd/%d", place);
    int file = is_regular ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    int reason = is_regular ? errno : EINVAL;
    close(place);
    errno = reason;
    return file;
}

/* ---- reading ---- */

/* Reads from a file opened without blocking: a pipe without a writer ends at once, a pipe with a
 * writer is waited for. */
static ssize_t read_piece(int file, char *to, size_t size)
{
    for (;;) {
        ssize_t got = read(file, to, size);
        if (got >= 0 || (errno != EINTR && errno != EAGAIN)) return got;
        if (errno == EAGAIN && fcntl(file, F_SETFL, 0) != 0) return -1;
    }
}

static hed_status read_open(
    int file, const char *path, size_t limit, char **bytes, size_t *size, hed_error *error)
{
    /* The buffer grows while reading: the size from stat() is wrong for pipes and for everything in
     * /proc. */
    size_t capacity = 1 << 16, used = 0;
    char *buffer = malloc(capacity);
    while (buffer) {
        ssize_t got = read_piece(file, buffer + used, capacity - used - 1);
        used += got > 0 ? (size_t)got : 0;
        if (used > limit || got < 0) {
            int reason = errno;
            free(buffer);
            if (used > limit)
                return hed_fail(error, HED_ERROR_LIMIT,
                    "%s is longer than %zu bytes, the most that is read", path, limit);
            return hed_fail(error, HED_ERROR_IO, "cannot read %s: %s", path, strerror(reason));
        }
        if (got == 0) {
            buffer[used] = 0;
            *bytes = buffer;
            *size = used;
            return HED_OK;
        }
        if (used < capacity - 1) continue;
        char *larger = capacity <= SIZE_MAX / 2 ? realloc(buffer, capacity * 2) : NULL;
        if (!larger) free(buffer);
        buffer = larger;
        capacity *= 2;
    }
    return hed_fail(error, HED_ERROR_MEMORY, "out of memory after %zu bytes of %s", used, path);
}

hed_status hed_file_read(
    const char *path, size_t limit, char **bytes, size_t *size, hed_error *error)
{
    *bytes = NULL;
    *size = 0;
    struct stat about;
    /* opening a pipe would wait for a writer */
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0 || fstat(file, &about) != 0) {
        hed_status status = errno == ENOMEM ? HED_ERROR_MEMORY : HED_ERROR_IO;
        hed_fail(error, status, "cannot open %s: %s", path, strerror(errno));
        if (file >= 0) close(file);
        return status;
    }
    hed_status status = HED_ERROR_IO;
    if (S_ISDIR(about.st_mode) || S_ISCHR(about.st_mode) || S_ISBLK(about.st_mode))
        hed_fail(error, status, "%s is %s, expected a file", path, kind_of(about.st_mode));
    else if ((status = hed_source_note(file, path, error)) == HED_OK)
        status = read_open(file, path, limit, bytes, size, error);
    close(file);
    if (status == HED_OK && S_ISFIFO(about.st_mode) && *size == 0) {
        free(*bytes);
        *bytes = NULL;
        status = hed_fail(error, HED_ERROR_IO,
            "%s is a pipe that nothing is written into, expected a file", path);
    }
    return status;
}

hed_status hed_input_read(size_t limit, char **bytes, size_t *size, hed_error *error)
{
    *bytes = NULL;
    *size = 0;
    return read_open(STDIN_FILENO, "standard input", limit, bytes, size, error);
}

/* ---- writing ---- */

struct hed_file_writer {
    FILE *stream;
    char *path;      /* path as the caller wrote it, for messages */
    char *target;    /* final name of the temporary file; NULL: written in place */
    char *temporary; /* NULL: written in place */
    off_t begin;     /* first position of the output in an open file */
    int failed;      /* errno of the first failure */
};

/* Opens a file of an unused name in the target's folder. The mode is that of a plain fopen(). */
static FILE *open_temporary(const char *target, mode_t mode, char **name)
{
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        if (asprintf(name, "%s.%ld-%u.part", target, (long)getpid(), attempt) < 0) {
            *name = NULL;
            errno = ENOMEM;
            return NULL;
        }
        int file = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0) {
            if (mode)
                (void)fchmod(
                    file, mode); /* old file's mode; without permission, the new file's remains */
            FILE *stream = fdopen(file, "wb");
            if (stream) return stream;
            int reason = errno;
            close(file);
            unlink(*name);
            errno = reason;
        }
        int reason = errno;
        free(*name);
        *name = NULL;
        errno = reason;
        if (reason != EEXIST) return NULL;
    }
    return NULL;
}

/* Opens a copy of a descriptor of this process. Both have one position, so that this output and
 * other outputs of the same file follow each other. */
static FILE *open_copy(int descriptor, off_t *begin)
{
    fflush(stdout);
    int file = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (file < 0) return NULL;
    off_t position = lseek(file, 0, SEEK_CUR);
    *begin = position > 0 ? position : 0;
    FILE *stream = fdopen(file, "wb");
    if (!stream) {
        int reason = errno;
        close(file);
        errno = reason;
    }
    return stream;
}

/* Opens a device or a pipe. Opening a pipe would wait for a reader, perhaps for ever; without a
 * reader it fails with ENXIO. */
static FILE *open_in_place(const char *path)
{
    int file = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) return NULL;
    FILE *stream = fcntl(file, F_SETFL, 0) == 0 ? fdopen(file, "wb") : NULL;
    if (!stream) {
        int reason = errno;
        close(file);
        errno = reason;
    }
    return stream;
}

static void free_writer(hed_file_writer *writer)
{
    free(writer->path);
    free(writer->target);
    free(writer->temporary);
    free(writer);
}

hed_status hed_file_writer_open(const char *path, hed_file_writer **result, hed_error *error)
{
    *result = NULL;
    hed_status allowed = hed_output_begin(path, error);
    if (allowed != HED_OK) return allowed;
    hed_file_writer *writer = calloc(1, sizeof *writer);
    if (!writer || !(writer->path = strdup(path))) {
        free(writer);
        return hed_fail(error, HED_ERROR_MEMORY, "out of memory while opening %s", path);
    }
    struct stat before;
    int descriptor = hed_open_descriptor(path);
    bool exists = stat(path, &before) == 0;
    if (descriptor >= 0) {
        writer->stream = open_copy(descriptor, &writer->begin);
    } else if (exists && S_ISDIR(before.st_mode)) {
        errno = EISDIR;
    } else if (exists && !S_ISREG(before.st_mode)) {
        writer->stream = open_in_place(path);
    } else if ((writer->target = strdup(path))) {
        /* A write-protected file is not replaced, although the folder's permissions would allow
         * it. */
        if (!exists || access(path, W_OK) == 0)
            writer->stream = open_temporary(
                writer->target, exists ? before.st_mode & 07777 : 0, &writer->temporary);
    }
    if (!writer->stream) {
        hed_status status = errno == ENOMEM ? HED_ERROR_MEMORY : HED_ERROR_IO;
        bool unread = exists && S_ISFIFO(before.st_mode) && errno == ENXIO;
        hed_fail(error, status, "cannot write %s: %s", path,
            unread ? "it is a pipe without a reader" : strerror(errno));
        free_writer(writer);
        return status;
    }
    *result = writer;
    return HED_OK;
}

hed_status hed_file_writer_put(hed_file_writer *writer, const void *bytes, size_t size)
{
    if (!writer->failed && size > 0 && fwrite(bytes, 1, size, writer->stream) != size)
        writer->failed = errno ? errno : EIO;
    if (!writer->failed) return HED_OK;
    errno = writer->failed;
    return HED_ERROR_IO;
}

hed_status hed_file_writer_seek(hed_file_writer *writer, uint64_t offset)
{
    /* writes to such a file append, whatever the position */
    bool appends = (fcntl(fileno(writer->stream), F_GETFL) & O_APPEND) != 0;
    off_t position = writer->begin + (off_t)offset;
    if (!writer->failed && (appends || fseeko(writer->stream, position, SEEK_SET) != 0))
        writer->failed = appends ? ESPIPE : errno;
    return writer->failed ? HED_ERROR_IO : HED_OK;
}

hed_status hed_file_writer_commit(hed_file_writer *writer, hed_error *error)
{
    if (!writer->failed && fflush(writer->stream) != 0) writer->failed = errno;
    if (!writer->failed && writer->temporary)
        writer->failed = hed_file_commit(fileno(writer->stream), writer->temporary, writer->target);
    else if (writer->temporary) unlink(writer->temporary);
    else if (!writer->target) lseek(fileno(writer->stream), 0, SEEK_END);
    if (fclose(writer->stream) != 0 && !writer->failed) writer->failed = errno;
    hed_status status = HED_OK;
    if (writer->failed)
        status = hed_fail(error, writer->failed == ENOMEM ? HED_ERROR_MEMORY : HED_ERROR_IO,
            "cannot write %s: %s", writer->path, strerror(writer->failed));
    free_writer(writer);
    return status;
}

void hed_file_writer_abort(hed_file_writer *writer)
{
    if (!writer) return;
    fclose(writer->stream);
    if (writer->temporary) unlink(writer->temporary);
    free_writer(writer);
}

hed_status hed_file_write(const char *path, const void *bytes, size_t size, hed_error *error)
{
    hed_file_writer *writer;
    hed_status status = hed_file_writer_open(path, &writer, error);
    if (status != HED_OK) return status;
    hed_file_writer_put(writer, bytes, size);
    return hed_file_writer_commit(writer, error);
}

bool hed_is_glsl_path(const char *path)
{
    static const char *const endings[] = {".comp", ".glsl", ".compute", ".csh", ".cs"};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t end = strlen(endings[i]);
        if (length > end && strcmp(path + length - end, endings[i]) == 0) return true;
    }
    return false;
}
