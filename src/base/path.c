/* Files and folders: joining paths, creating folders, reading whole files, and writing so that a
 * reader never sees half a file. */
#include "base/path.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "heddle/author.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static hed_status path_fail(hed_error *error, const char *action, const char *path, int code)
{
    char buffer[256];
    return hed_fail(error, HED_ERROR_IO, "cannot %s %s: %s", action, path,
        strerror_r(code, buffer, sizeof buffer));
}

bool hed_path_join(char *path, const char *folder, const char *name)
{
    size_t length = strlen(folder);
    /* no folder is the current one, not the root */
    bool slash = length == 0 || folder[length - 1] == '/';
    int written = snprintf(path, HED_PATH_MAX, "%s%s%s", folder, slash ? "" : "/", name);
    return written >= 0 && written < HED_PATH_MAX;
}

hed_status hed_path_make(const char *folder, hed_error *error)
{
    char path[HED_PATH_MAX];
    if (folder[0] == '\0' || !hed_text_copy(path, sizeof path, folder))
        return path_fail(error, "make the folder", folder, folder[0] == '\0' ? ENOENT : ENAMETOOLONG);
    /* Each '/' except a leading one ends the name of a folder to create; the end of the text ends
     * the last name. */
    for (char *end = path + 1;; end++) {
        if (*end != '/' && *end != '\0') continue;
        char former = *end;
        *end = '\0';
        /* Another process may create the same folder now: only its existence afterwards counts. */
        if (mkdir(path, 0700) != 0) {
            int code = errno;
            struct stat about;
            if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode))
                return path_fail(error, "make the folder", path, code == EEXIST ? ENOTDIR : code);
        }
        *end = former;
        if (former == '\0') return HED_OK;
    }
}

/* Reads to the end of the file into memory that grows, since the size of a pipe or of a file in
 * /proc is not known before. `*capacity` is the allocated size, also after a failure. */
static hed_status path_read_all(const hed_allocator *allocator, int file, const char *path,
    size_t limit, char **bytes, size_t *size, size_t *capacity, hed_error *error)
{
    for (;;) {
        if (*size > limit)
            return hed_fail(
                error, HED_ERROR_IO, "cannot read %s: it is larger than %zu bytes", path, limit);
        if (*size + 1 >= *capacity) {
            /* reading limit + 1 bytes shows that the file is too large */
            size_t larger = *capacity > limit / 2 ? limit + 2 : *capacity * 2;
            char *copy = hed_allocate(allocator, larger);
            if (!copy) return HED_OUT_OF_MEMORY(error, "the %zu bytes of %s", larger, path);
            memcpy(copy, *bytes, *size);
            hed_release(allocator, *bytes, *capacity);
            *bytes = copy;
            *capacity = larger;
        }
        ssize_t got = read(file, *bytes + *size, *capacity - *size - 1);
        if (got == 0) return HED_OK;
        if (got < 0 && errno == EAGAIN && fcntl(file, F_SETFL, 0) == 0)
            continue; /* a pipe open for writing: wait for data */
        if (got < 0 && errno != EINTR) return path_fail(error, "read", path, errno);
        *size += got > 0 ? (size_t)got : 0;
    }
}

bool hed_path_is_own(const struct stat *about, char *reason, size_t size)
{
    /* a group with the owner as its only member, as most systems create for each user */
    bool private_group = about->st_gid == about->st_uid;
    if (about->st_uid != geteuid() && about->st_uid != 0) {
        snprintf(reason, size, "it belongs to another user (%lu)", (unsigned long)about->st_uid);
        return false;
    }
    /* A sticky folder prevents others from replacing a file, but not from adding one (a database's
     * journal). */
    if ((about->st_mode & S_IWOTH) || ((about->st_mode & S_IWGRP) && !private_group)) {
        snprintf(reason, size, "others may write it (mode %03o)", (unsigned)about->st_mode & 0777);
        return false;
    }
    return true;
}

static hed_status path_read_file(const hed_allocator *allocator, const char *path, size_t limit,
    bool must_be_own, char **bytes, size_t *size, hed_error *error)
{
    limit = limit < SIZE_MAX / 4 ? limit : SIZE_MAX / 4;
    /* Opening a pipe would wait for a writer, perhaps for ever. */
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | (must_be_own ? O_NOFOLLOW : 0));
    struct stat about;
    if (file < 0 || fstat(file, &about) != 0) {
        int code = errno;
        if (file >= 0) close(file);
        struct stat link;
        if (must_be_own && code == ELOOP && lstat(path, &link) == 0 && S_ISLNK(link.st_mode))
            return hed_fail(
                error, HED_ERROR_UNSUPPORTED, "%s is not loaded: it is a symbolic link", path);
        return path_fail(error, "read", path, code);
    }
    char reason[96];
    if (must_be_own && !hed_path_is_own(&about, reason, sizeof reason)) {
        close(file);
        return hed_fail(error, HED_ERROR_UNSUPPORTED, "%s is not loaded: %s", path, reason);
    }
    /* Two bytes more than the size: the zero, and one that detects the end without growing. */
    size_t capacity =
        about.st_size > 0 && (uint64_t)about.st_size <= limit ? (size_t)about.st_size + 2 : 4096;
    size_t length = 0;
    char *content = hed_allocate(allocator, capacity);
    hed_status status =
        content ? path_read_all(allocator, file, path, limit, &content, &length, &capacity, error)
                : HED_OUT_OF_MEMORY(error, "the %zu bytes of %s", capacity, path);
    close(file);
    if (status == HED_OK && length == 0 && S_ISFIFO(about.st_mode))
        status = hed_fail(
            error, HED_ERROR_IO, "cannot read %s: it is a pipe that nothing is written into", path);
    /* Memory is freed with its exact size, and the caller knows only the size of the file. */
    char *exact = status == HED_OK ? hed_allocate(allocator, length + 1) : NULL;
    if (status == HED_OK && !exact)
        status = HED_OUT_OF_MEMORY(error, "the %zu bytes of %s", length + 1, path);
    if (status == HED_OK) {
        memcpy(exact, content, length);
        *bytes = exact;
        *size = length;
    }
    hed_release(allocator, content, capacity);
    return status;
}

hed_status hed_path_read(const hed_allocator *allocator, const char *path, size_t limit,
    char **bytes, size_t *size, hed_error *error)
{
    return path_read_file(allocator, path, limit, false, bytes, size, error);
}

hed_status hed_path_read_own(const hed_allocator *allocator, const char *path, size_t limit,
    char **bytes, size_t *size, hed_error *error)
{
    return path_read_file(allocator, path, limit, true, bytes, size, error);
}

/* Opens a new file in the folder of `path`. Its name contains process, thread and time; a file that
 * has this name nevertheless (in a folder shared by containers) is not changed. The name's length
 * does not depend on the name of the file, which may be as long as allowed. */
static int path_open_temporary(const char *path, char *temporary, mode_t mode)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    for (int attempt = 0; attempt < 16; attempt++) {
        int written = snprintf(temporary, HED_PATH_MAX, "%.*s.heddle-%ld-%ld-%llx.tmp", folder,
            path, (long)getpid(), (long)gettid(), (unsigned long long)hed_now());
        if (written < 0 || written >= HED_PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
}

static bool path_write_all(int file, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(file, bytes, size);
        if (written < 0 && errno != EINTR) return false;
        if (written == 0) { /* a file system that writes nothing and gives no reason is full */
            errno = ENOSPC;
            return false;
        }
        size_t done = written > 0 ? (size_t)written : 0;
        bytes += done;
        size -= done;
    }
    return true;
}

/* Opens a writer. A symbolic link is replaced if `replace_link` is set, otherwise refused: every
 * user who may write the folder could redirect the file to any other. */
static hed_status path_begin(
    hed_path_writer *writer, const char *path, bool replace_link, mode_t mode, hed_error *error)
{
    /* Renaming over a device (/dev/null) would replace the device. */
    struct stat about;
    bool exists = lstat(path, &about) == 0, link = exists && S_ISLNK(about.st_mode);
    if (link && !replace_link)
        return hed_fail(error, HED_ERROR_IO,
            "cannot write %s: it is a symbolic link; expected the file's own name", path);
    if (exists && !link && !S_ISREG(about.st_mode))
        return hed_fail(error, HED_ERROR_IO, "cannot write %s: it is not a regular file", path);
    if (!hed_text_copy(writer->path, sizeof writer->path, path))
        return path_fail(error, "write", path, ENAMETOOLONG);
    writer->file = path_open_temporary(path, writer->temporary, mode);
    return writer->file >= 0 ? HED_OK : path_fail(error, "write", path, errno);
}

hed_status hed_path_begin(hed_path_writer *writer, const char *path, hed_error *error)
{
    return path_begin(writer, path, false, 0666, error);
}

hed_status hed_path_add(hed_path_writer *writer, const void *bytes, size_t size, hed_error *error)
{
    return path_write_all(writer->file, bytes, size) ? HED_OK
                                                : path_fail(error, "write", writer->path, errno);
}

int hed_file_commit(int file, const char *temporary, const char *path)
{
    if (!temporary || !path) return EINVAL;
    /* Sync the content before the rename: after a crash the name must not refer to an empty
     * file. */
    if (fsync(file) != 0 || rename(temporary, path) != 0) {
        int code = errno;
        unlink(temporary);
        return code;
    }
    char folder[HED_PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    if (length >= sizeof folder) return 0;
    memcpy(folder, length ? path : ".", length ? length : 1);
    folder[length ? length : 1] = '\0';
    /* The file is complete even if its folder cannot be opened or synced. */
    int parent = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (parent >= 0) {
        (void)fsync(parent);
        close(parent);
    }
    return 0;
}

hed_status hed_path_commit(hed_path_writer *writer, hed_error *error)
{
    int code = hed_file_commit(writer->file, writer->temporary, writer->path);
    close(writer->file);
    return code ? path_fail(error, "write", writer->path, code) : HED_OK;
}

void hed_path_abandon(hed_path_writer *writer)
{
    close(writer->file);
    unlink(writer->temporary);
}

hed_status hed_path_write_own(
    const char *path, const void *const *parts, const size_t *sizes, size_t count, hed_error *error)
{
    hed_path_writer writer = {.file = -1};
    hed_status status = path_begin(&writer, path, true, 0644, error);
    if (status) return status;
    for (size_t index = 0; index < count && !status; index++)
        status = hed_path_add(&writer, parts[index], sizes[index], error);
    if (status) {
        hed_path_abandon(&writer);
        return status;
    }
    /* Not synced: the content can be created again, and its reader detects an incomplete file by
     * its hash. Network file systems report a full disk on closing. */
    bool good = close(writer.file) == 0 && rename(writer.temporary, writer.path) == 0;
    int code = errno;
    if (!good) unlink(writer.temporary);
    return good ? HED_OK : path_fail(error, "write", path, code);
}

typedef struct own_object {
    uintptr_t address;
    char *path;
    bool is_found;
} own_object;

/* Finds the loaded object (the program or a library) that contains the address. */
static int path_find_object(struct dl_phdr_info *object, size_t size, void *user)
{
    own_object *search = user;
    for (int index = 0; index < object->dlpi_phnum; index++) {
        uintptr_t begin = object->dlpi_addr + object->dlpi_phdr[index].p_vaddr;
        if (object->dlpi_phdr[index].p_type != PT_LOAD || search->address < begin ||
            search->address - begin >= object->dlpi_phdr[index].p_memsz)
            continue;
        const char *name = object->dlpi_name; /* empty for the program itself */
        search->is_found = realpath(name && name[0] != '\0' ? name : "/proc/self/exe", search->path) != NULL;
        return 1;
    }
    return 0;
}

void hed_path_of_library(char *folder, size_t size)
{
    char path[PATH_MAX];
    own_object search = {.address = (uintptr_t)&hed_path_of_library, .path = path};
    dl_iterate_phdr(path_find_object, &search);
    char *slash = search.is_found ? strrchr(path, '/') : NULL;
    if (slash) slash[slash == path ? 1 : 0] = '\0';
    if (!slash || !hed_text_copy(folder, size, path)) hed_text_copy(folder, size, "");
}

/* Reads a variable; a set-user-id program must not follow its caller's paths. */
const char *hed_environment(const char *name)
{
    const char *value = secure_getenv(name);
    return value && value[0] ? value : NULL;
}
