/* Files: reading a whole file, and writing so that a half-written file is never seen.
 *
 * A writer puts its bytes into a temporary file in the target's own folder. Commit makes them
 * durable and renames; after abort, or a failed commit, the target is unchanged and no temporary
 * file remains. A target that is not a regular file (/dev/null, a pipe) is written in place; a pipe
 * without a reader is an error. Names of open files (/dev/stdout, /dev/fd/3) are written in place
 * from their position on, so that text printed before or after is preserved. A symbolic link as the
 * last component of the name is refused, and so is a file that the running command has read
 * (sources.h). */
#ifndef HED_SUPPORT_FILE_H
#define HED_SUPPORT_FILE_H

#include "heddle/base.h"

/* Reads a whole file of at most `limit` bytes, and adds a zero that `size` does not count. Free the
 * bytes with free(). A pipe is read to its end if it has a writer; a pipe without a writer is not
 * waited for. Errors: IO (path and reason: also a folder, a device, an empty pipe), ARGUMENT (an
 * output of the running command would replace the file), LIMIT, MEMORY. */
hed_status hed_file_read(
    const char *path, size_t limit, char **bytes, size_t *size, hed_error *error);

/* True if the ending of a path is one of compute shaders in GLSL: .comp, .glsl, .compute, .csh, .cs. */
bool hed_is_glsl_path(const char *path);

/* Reads standard input to its end, as hed_file_read(): a file, a pipe, a socket or a terminal, which
 * is waited for. Errors: IO, LIMIT, MEMORY. */
hed_status hed_input_read(size_t limit, char **bytes, size_t *size, hed_error *error);

/* Checks that `path` is a readable file, for libraries that open files themselves. Errors: IO (with
 * the kind of file found). */
hed_status hed_file_require_regular(const char *path, hed_error *error);
/* Opens a regular file for reading. Returns its descriptor; -1 (errno): it is of another kind, or
 * unreadable. A pipe is not opened even for a moment: its writer would go on and lose its output. */
int hed_file_open_regular(const char *path);

/* Writes a whole file at once. Errors: as hed_file_writer_open(). */
hed_status hed_file_write(const char *path, const void *bytes, size_t size, hed_error *error);

typedef struct hed_file_writer hed_file_writer;

/* Begins a file. Errors: IO (no such folder, not writable, a folder or a symbolic link of this
 * name), ARGUMENT (the running command reads it), MEMORY. */
hed_status hed_file_writer_open(const char *path, hed_file_writer **writer, hed_error *error);
/* Adds bytes at the end. After a failure further calls do nothing and return the same status and
 * errno; commit then reports the cause. */
hed_status hed_file_writer_put(hed_file_writer *writer, const void *bytes, size_t size);
/* Sets the position of the next bytes, from the file's beginning: for a header that is known last.
 * Fails as put does; fails for a pipe. */
hed_status hed_file_writer_seek(hed_file_writer *writer, uint64_t offset);
/* Renames the file to its name and frees the writer, also after a failure. Errors: IO (the first
 * failure of the writer). */
hed_status hed_file_writer_commit(hed_file_writer *writer, hed_error *error);
/* Discards the bytes and frees the writer. NULL is allowed. */
void hed_file_writer_abort(hed_file_writer *writer);

#endif
