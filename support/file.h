/* Files: reading one whole, and writing so that a half-written file is never seen.
 *
 * A writer puts its bytes into a temporary file in the target's own folder. Commit makes them
 * durable and renames; abort, or a failed commit, leaves the target as it was and nothing behind.
 * A target that is no regular file (/dev/null, a pipe) is written in place; a pipe without a reader
 * is an error. Names of open files (/dev/stdout, /dev/fd/3) are written in place from their position
 * on, so that nothing that is printed before or after is lost. A symbolic link as the last part of
 * the name is refused, and so is a file that the running command has read (sources.h).
 */
#ifndef HED_SUPPORT_FILE_H
#define HED_SUPPORT_FILE_H

#include "heddle/base.h"

/* Reads a whole file of at most `limit` bytes, with a zero behind it that is not counted. Released
 * with free(). A pipe is read to its end if it has a writer; one that no process has open is not
 * waited for. Errors: IO (the text names the path and the reason; a folder, a device, an empty pipe
 * are named), ARGUMENT (an output of the running command would replace the file), LIMIT, MEMORY. */
hed_status hed_file_read(
    const char *path, size_t limit, char **bytes, size_t *size, hed_error *error);

/* Whether `path` is a file that may be read, for libraries that open names by themselves. Errors:
 * IO (says what it is). */
hed_status hed_file_require_regular(const char *path, hed_error *error);

/* Writes a whole file at once. Errors: as hed_file_writer_open(). */
hed_status hed_file_write(const char *path, const void *bytes, size_t size, hed_error *error);

typedef struct hed_file_writer hed_file_writer;

/* Begins a file. Errors: IO (no such folder, not writable, a folder or a symbolic link in its
 * place), ARGUMENT (the running command reads it), MEMORY. */
hed_status hed_file_writer_open(const char *path, hed_file_writer **writer, hed_error *error);
/* Adds bytes at the end. After a failure further calls do nothing and give the same status and
 * errno; commit then explains it. */
hed_status hed_file_writer_put(hed_file_writer *writer, const void *bytes, size_t size);
/* The next bytes go to `offset`, from the file's beginning: for a head that is known last. Fails as
 * put does; a pipe cannot. */
hed_status hed_file_writer_seek(hed_file_writer *writer, uint64_t offset);
/* Puts the file in place and frees the writer, whether it worked or not. Errors: IO (whatever went
 * wrong first). */
hed_status hed_file_writer_commit(hed_file_writer *writer, hed_error *error);
/* Throws the bytes away and frees the writer. NULL is allowed. */
void hed_file_writer_abort(hed_file_writer *writer);

#endif
