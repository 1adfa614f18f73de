/* Files and folders: joining paths, creating folders, reading whole files, and writing so that a
 * reader never sees half a file. */
#ifndef HED_BASE_PATH_H
#define HED_BASE_PATH_H

#include "heddle/base.h"

#include <sys/stat.h>

enum { HED_PATH_MAX = 4096 };

/* Writes folder + "/" + name to `path` (HED_PATH_MAX bytes); false if it does not fit. */
bool hed_path_join(char *path, const char *folder, const char *name);
/* Creates a folder and its missing parents, each for this user alone (mode 0700); existing folders
 * stay unchanged. */
hed_status hed_path_make(const char *folder, hed_error *error);
/* Reads a whole file of at most `limit` bytes, and adds a zero that `size` does not count. Free the
 * bytes with hed_release(allocator, bytes, size + 1). Errors: IO (path and reason), MEMORY. */
hed_status hed_path_read(const hed_allocator *allocator, const char *path, size_t limit,
    char **bytes, size_t *size, hed_error *error);
/* True if a file or folder belongs to this process's user or to root, and other users may not write
 * it: then its content is trusted, even machine code. If false, `reason` is the cause. */
bool hed_path_is_own(const struct stat *about, char *reason, size_t size);
/* Reads a file whose content is to be trusted, as hed_path_read(): UNSUPPORTED if it is a symbolic
 * link, or hed_path_is_own() is false. */
hed_status hed_path_read_own(const hed_allocator *allocator, const char *path, size_t limit,
    char **bytes, size_t *size, hed_error *error);
/* Writes a file that this user alone may write (mode 0644) to a temporary name in the same folder,
 * then renames it; a symbolic link of that name is replaced. A failure leaves no file. After a
 * crash of the system the file may be empty or cut: use it for content that the reader checks and
 * can do without. */
hed_status hed_path_write_own(const char *path, const void *const *parts, const size_t *sizes,
    size_t count, hed_error *error);

/* Writer of a file that the user has named, piece by piece, with the mode of the user's other
 * files. A symbolic link of that name is refused (IO). */
typedef struct hed_path_writer {
    char path[HED_PATH_MAX], temporary[HED_PATH_MAX];
    int file;
} hed_path_writer;

hed_status hed_path_begin(hed_path_writer *writer, const char *path, hed_error *error);
hed_status hed_path_add(hed_path_writer *writer, const void *bytes, size_t size, hed_error *error);
/* End a writer: commit makes the whole file durable under its name, abandon leaves no file. */
hed_status hed_path_commit(hed_path_writer *writer, hed_error *error);
void hed_path_abandon(hed_path_writer *writer);
/* Reads a variable of the environment; NULL if it is not set, or empty. */
const char *hed_environment(const char *name);
/* Writes the folder of the file that contains this code (the library or the program), "" if
 * unknown. */
void hed_path_of_library(char *folder, size_t size);

#endif
