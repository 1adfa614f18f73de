/* Setting a damaged file aside, though several processes may find the damage at once: the folder is
 * locked meanwhile, and only the very file that was examined is renamed, never the new one that
 * another process has begun in its place. */
#include "database/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_ASIDE = 1000 };

/* Locks the folder of `path`. -1: the file system has no such locks, and we do without. */
static int lock_folder(const char *path)
{
    char folder[HED_PATH_MAX];
    if (!hed_text_copy(folder, sizeof folder, path)) return -1;
    char *slash = strrchr(folder, '/');
    if (slash) slash[slash == folder] = 0;
    int file = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file >= 0) flock(file, LOCK_EX);
    return file;
}

/* Renames to the first number that is free. */
static bool take_name(const char *path, char *aside)
{
    for (int n = 1; n <= MOST_ASIDE; n++) {
        int length = snprintf(aside, HED_PATH_MAX, "%s.damaged-%d", path, n);
        if (length < 0 || length >= HED_PATH_MAX) {
            errno = ENAMETOOLONG;
            return false;
        }
        if (renameat2(AT_FDCWD, path, AT_FDCWD, aside, RENAME_NOREPLACE) == 0) return true;
        /* this file system cannot look and rename in one */
        if (errno == EINVAL || errno == ENOSYS) {
            struct stat taken;
            if (lstat(aside, &taken) != 0) return rename(path, aside) == 0;
            errno = EEXIST;
        }
        if (errno != EEXIST) return false;
    }
    return false;
}

/* What a journal holds belongs to the damaged file: beside a new one it would be taken for the new
 * one's. */
static void take_along(const char *path, const char *aside, const char *ending)
{
    char from[HED_PATH_MAX], to[HED_PATH_MAX];
    int a = snprintf(from, sizeof from, "%s%s", path, ending),
        b = snprintf(to, sizeof to, "%s%s", aside, ending);
    if (a > 0 && b > 0 && (size_t)a < sizeof from && (size_t)b < sizeof to &&
        rename(from, to) != 0 && errno != ENOENT)
        unlink(from);
}

hed_status hed_database_set_aside(
    const char *path, dev_t device, ino_t inode, char *aside, hed_error *error)
{
    static const char *const endings[] = {"-journal", "-wal", "-shm"};
    struct stat about;
    hed_status status = HED_OK;
    int folder = lock_folder(path);
    aside[0] = 0;
    if (stat(path, &about) == 0 && about.st_dev == device && about.st_ino == inode) {
        if (take_name(path, aside)) {
            for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
                take_along(path, aside, endings[i]);
        } else {
            char reason[256];
            status = hed_fail(error, HED_ERROR_IO,
                "%s is damaged and cannot be renamed: %s: rename or delete it", path,
                strerror_r(errno, reason, sizeof reason));
            aside[0] = 0;
        }
    }
    if (folder >= 0) close(folder);
    return status;
}
