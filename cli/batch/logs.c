/* Logs of a batch: one file per job, to which all attempts append. Different job names have
 * different files: "/" is written as %2F and "%" as %25, and a long name ends with its hash. */
#include "batch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_PART = 200 }; /* maximum bytes of a job's name in the name of its log */

/* Name of a job's log. */
static void log_name(const batch_job *job, char name[NAME_MAX + 1])
{
    size_t used = 0;
    const char *from = job->name;
    for (; *from && used + 3 <= LONGEST_PART; from++) {
        bool plain = *from != '/' && *from != '%';
        used += (size_t)sprintf(name + used, plain ? "%c" : "%%%02X", (unsigned char)*from);
    }
    if (*from) used += (size_t)sprintf(name + used, "%%~%016" PRIx64, batch_hash_text(job->name));
    strcpy(name + used, ".log");
}

/* Path of a job's log. Errors: LIMIT. */
static hed_status log_path(
    const char *folder, const batch_job *job, char path[PATH_MAX], hed_error *error)
{
    char name[NAME_MAX + 1];
    log_name(job, name);
    int size = snprintf(path, PATH_MAX, "%s/%s", folder, name);
    if (size < PATH_MAX) return HED_OK;
    return hed_fail(error, HED_ERROR_LIMIT,
        "--logs %.100s...: the path of the log of job %.100s has %d bytes; expected at most %d",
        folder, job->name, size, PATH_MAX - 1);
}

hed_status batch_logs_check(const char *folder, const batch_list *list, hed_error *error)
{
    char path[PATH_MAX];
    struct stat about;
    for (uint32_t i = 0; i < list->count && !hed_failed(error); i++)
        if (log_path(folder, &list->jobs[i], path, error) == HED_OK && lstat(path, &about) == 0 &&
            S_ISLNK(about.st_mode))
            hed_fail(error, HED_ERROR_IO,
                "cannot write %s: it is a symbolic link; expected the file's own name", path);
    return error->status;
}

FILE *batch_log_open(const char *folder, const batch_job *job)
{
    char path[PATH_MAX];
    if (log_path(folder, job, path, &(hed_error){0})) return NULL;
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
    FILE *log = file < 0 ? NULL : fdopen(file, "a");
    if (file >= 0 && !log) close(file);
    return log;
}
