/* The journal of a batch: a line for each try that has ended, on the disk a tenth of a second later.
 * It is the leader's memory: a batch that was killed goes on from it. */
#include "batch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char HEAD[] = "heddle batch 1\n";

/* What an earlier run has done counts while the words are the same and the result is there. */
static void journal_take(batch_list *list, char *line, batch_fields *taken)
{
    struct stat about;
    char path[8192];
    if (!batch_line_take(line, taken) || taken->count < 6) return;
    const char **fields = taken->items;
    batch_job *job = batch_list_find(list, fields[0]);
    if (!job || strtoull(fields[1], NULL, 16) != job->hash) return;
    snprintf(path, sizeof path, "%s%s", job->output[0] == '/' ? "" : list->folder, job->output);
    bool good = strcmp(fields[2], "0") == 0 && stat(path, &about) == 0;
    if (good) job->state = BATCH_DONE;
    job->before = job->before || good;
    job->seconds = strtod(fields[5], NULL) - strtod(fields[4], NULL);
}

/* Reads the lines; one without an end was being written when the leader died, and is cut off. */
static hed_status journal_read(int file, const char *path, batch_list *list, hed_error *error)
{
    struct stat about;
    if (fstat(file, &about)) return HED_OK;
    size_t size = (size_t)about.st_size, whole = 0;
    batch_fields fields = {0};
    char *bytes = malloc(size + 1);
    if (!bytes) return hed_fail(error, HED_ERROR_MEMORY, "out of memory for %s", path);
    ssize_t got = pread(file, bytes, size, 0);
    size = got > 0 ? (size_t)got : 0;
    bytes[size] = 0;
    bool ours = size < sizeof HEAD - 1 || memcmp(bytes, HEAD, sizeof HEAD - 1) == 0;
    for (char *line = bytes, *end; ours && (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        journal_take(list, line, &fields);
        whole = (size_t)(end + 1 - bytes);
    }
    free(bytes);
    free(fields.items);
    if (!ours)
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s is not the journal of a batch: move it away, or name the list otherwise", path);
    if (whole < size && ftruncate(file, (off_t)whole))
        return hed_fail(error, HED_ERROR_IO, "cannot write %s: %s", path, strerrordesc_np(errno));
    if (whole == 0 && pwrite(file, HEAD, sizeof HEAD - 1, 0) != sizeof HEAD - 1)
        return hed_fail(error, HED_ERROR_IO, "cannot write %s: %s", path, strerrordesc_np(errno));
    return HED_OK;
}

hed_status batch_journal_open(
    const char *path, batch_list *list, bool resume, int *journal, hed_error *error)
{
    char name[4096];
    uint32_t before = 0;
    snprintf(name, sizeof name, "%s.journal", path);
    *journal = open(name, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (*journal < 0)
        return hed_fail(error, HED_ERROR_IO, "cannot open %s: %s", name, strerrordesc_np(errno));
    if (flock(*journal, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        hed_fail(error, HED_ERROR_IO,
            "another heddle batch is at work on %s; wait for it, or stop it first", path);
    else journal_read(*journal, name, list, error);
    for (uint32_t i = 0; i < list->count; i++) before += list->jobs[i].before;
    if (!hed_failed(error) && before && !resume)
        hed_fail(error, HED_ERROR_ARGUMENT,
            "%u of %u jobs are done already, says %s: --resume does the rest; delete it to start over",
            before, list->count, name);
    if (hed_failed(error)) close(*journal);
    return error->status;
}

hed_status batch_journal_add(int journal, const batch_job *job, const char *device, int code,
    double begin, double end, hed_error *error)
{
    char hash[24], how[16], from[32], to[32], tries[16];
    size_t size;
    snprintf(hash, sizeof hash, "%016" PRIx64, job->hash);
    snprintf(how, sizeof how, "%d", code);
    snprintf(from, sizeof from, "%.3f", begin);
    snprintf(to, sizeof to, "%.3f", end);
    snprintf(tries, sizeof tries, "%u", job->tries);
    const char *const fields[] = {job->name, hash, how, device, from, to, tries};
    char *line = batch_line_make(fields, HED_COUNT(fields), &size);
    if (!line) return hed_fail(error, HED_ERROR_MEMORY, "out of memory for a line of the journal");
    ssize_t put = write(journal, line, size);
    int reason = put < 0 ? errno : ENOSPC;
    free(line);
    if (put == (ssize_t)size) return HED_OK;
    /* half a line would hide the next one */
    struct stat about;
    if (put > 0 && fstat(journal, &about) == 0) {
        if (ftruncate(journal, about.st_size - put)) return HED_ERROR_IO;
    }
    return hed_fail(
        error, HED_ERROR_IO, "the journal cannot be written: %s", strerrordesc_np(reason));
}

hed_status batch_journal_sync(int journal, hed_error *error)
{
    if (fdatasync(journal) == 0) return HED_OK;
    return hed_fail(
        error, HED_ERROR_IO, "the journal cannot be written: %s", strerrordesc_np(errno));
}
