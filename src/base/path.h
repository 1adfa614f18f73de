/* Files and folders: joining, making, reading whole, writing so that a reader never sees half a
 * file. */
#ifndef HED_BASE_PATH_H
#define HED_BASE_PATH_H

#include "heddle/base.h"

#include <sys/stat.h>

enum { HED_PATH_MAX = 4096 };

/* folder + "/" + name into `path` (HED_PATH_MAX bytes); false if it does not fit. */
bool hed_path_join(char *path, const char *folder, const char *name);
/* Makes a folder and those above it, each for this user alone (mode 0700); existing ones stay as
 * they are. */
hed_status hed_path_make(const char *folder, hed_error *error);
/* Reads a whole file of at most `limit` bytes, with a zero behind it that is not counted. Released
 * with hed_release(allocator, bytes, size + 1). IO: the text names the path and the reason. */
hed_status hed_path_read(const hed_allocator *allocator, const char *path, size_t limit,
    char **bytes, size_t *size, hed_error *error);
/* Whether a file or folder belongs to this process's user or to root, and others may not write it:
 * what it holds is believed, even machine code. If not, `reason` says why. */
bool hed_path_is_own(const struct stat *about, char *reason, size_t size);
/* hed_path_read() of a file that is to be believed: not through a symbolic link, and UNSUPPORTED
 * where it is not our own. */
hed_status hed_path_read_own(const hed_allocator *allocator, const char *path, size_t limit,
    char **bytes, size_t *size, hed_error *error);
/* Writes a file that this user alone may write (mode 0644) to a temporary name in the same folder,
 * then renames; a symbolic link of that name is replaced. Nothing is left behind on failure. After
 * a crash of the system it may be empty or cut: for what its reader checks and can do without. */
hed_status hed_path_write_own(const char *path, const void *const *parts, const size_t *sizes,
    size_t count, hed_error *error);

/* A file that the user has named, piece by piece, with the mode that the user's other files get. A
 * symbolic link of that name is refused (IO). */
typedef struct hed_path_writer {
    char path[HED_PATH_MAX], temporary[HED_PATH_MAX];
    int file;
} hed_path_writer;

hed_status hed_path_begin(hed_path_writer *writer, const char *path, hed_error *error);
hed_status hed_path_add(hed_path_writer *writer, const void *bytes, size_t size, hed_error *error);
/* One of these two ends it: the file is there whole, whatever happens next, or nothing is. */
hed_status hed_path_commit(hed_path_writer *writer, hed_error *error);
void hed_path_abandon(hed_path_writer *writer);
/* Reads a variable of the environment; NULL if it is not set, or empty. */
const char *hed_environment(const char *name);
/* Folder of the file that holds this code (the library or the program), "" if unknown. */
void hed_path_of_library(char *folder, size_t size);

#endif
