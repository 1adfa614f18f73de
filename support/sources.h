/* Files that a running command reads and writes, so that no output replaces a source.
 *
 * A file is identified by device and inode, so that links and "./" do not hide it; a file that does
 * not exist yet by its folder and name. The program defines the register; in other programs that
 * use the libraries there is no register, and each function here does nothing. Readers and writers
 * of support/file.h call these functions themselves. */
#ifndef HED_SUPPORT_SOURCES_H
#define HED_SUPPORT_SOURCES_H

#include "heddle/base.h"

#include <pthread.h>
#include <sys/types.h>

/* Files of one command. Initialise with {.lock = PTHREAD_MUTEX_INITIALIZER}. */
typedef struct hed_file_register {
    pthread_mutex_t lock;
    void *sources, *outputs; /* trees of tsearch() */
} hed_file_register;

/* Register of the running command; NULL between commands. Only the program defines it; the
 * libraries that it loads refer to that definition. */
HED_API extern hed_file_register *hed_command_register __attribute__((weak));

/* Records that `file`, open under the name `path`, is read. Errors: ARGUMENT (an announced output
 * would replace it: both names; it is recorded nevertheless), MEMORY. */
hed_status hed_source_note(int file, const char *path, hed_error *error);
/* Records a file that will be read, by its name; it need not exist. Errors: as
 * hed_source_note(). */
hed_status hed_source_note_path(const char *path, hed_error *error);
/* Allows the command to replace a file that it has read, because it continues that file. */
void hed_source_forget(const char *path);

/* Announces a file that the command will write. `label` (nullable) precedes the name in messages,
 * as "--out". Errors: ARGUMENT (it would replace a source or another output: both names), IO (a
 * symbolic link), MEMORY. */
hed_status hed_output_announce(const char *label, const char *path, hed_error *error);
/* Allows or refuses a writer to begin a file. Errors: ARGUMENT (a source: both names), IO (a
 * symbolic link). */
hed_status hed_output_begin(const char *path, hed_error *error);
/* Allows the command to read an output that it writes in place. An output that is renamed to its
 * name is another file afterwards. */
void hed_output_written(const char *path);

/* Returns the descriptor of a name such as /dev/stdout or /dev/fd/3; -1: another name. */
int hed_open_descriptor(const char *path);

/* Calls `visit` with the name of each file that was read. */
void hed_sources_each(
    const hed_file_register *files, void (*visit)(const char *name, void *user), void *user);

/* Forgets all files. */
void hed_file_register_clear(hed_file_register *files);

/* Mark of Heddle's own pages, in their first 1,024 bytes: they are results, not pages of a site,
 * and may be replaced. */
#define HED_REPORT_MARK "<meta name=generator content=heddle>"
bool hed_is_report(const char *text, size_t size);

#endif
