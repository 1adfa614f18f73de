/* Journal of a batch: a line per ended attempt, on disk within a tenth of a second. A batch that
 * was killed resumes from it. Fields of a line: name, hash of the words, exit code, device, begin,
 * end, number of the attempt, digest of the result, then path and digest of each input. Only the
 * last line of a job counts. */
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

/* Fields of a line after the name. */
enum { HASH, CODE, DEVICE, BEGIN, END, TRIES, DIGEST, INPUTS };

/* True if a file is unchanged; else writes the change to `again`. */
static bool journal_is_same(
    const batch_list *list, batch_job *job, const char *kind, const char *name, const char *digest)
{
    char path[8192], actual[BATCH_DIGEST];
    snprintf(path, sizeof path, "%s%s", name[0] == '/' ? "" : list->folder, name);
    bool exists = batch_digest_file(path, NULL, NULL, actual);
    if (exists && strcmp(actual, digest) == 0) return true;
    snprintf(job->repeat_reason, sizeof job->repeat_reason, "%s %.100s %s", kind, name,
        exists ? "has changed" : "is not there");
    return false;
}

/* True if a successful job is still done: its words, result and inputs are unchanged. */
static bool journal_is_done(const batch_list *list, batch_job *job, const batch_fields *line)
{
    const char **fields = line->items;
    if (strtoull(fields[HASH], NULL, 16) != job->hash) {
        snprintf(job->repeat_reason, sizeof job->repeat_reason, "its command has changed");
        return false;
    }
    if (line->count < INPUTS) {
        snprintf(job->repeat_reason, sizeof job->repeat_reason, "the journal has no hash of its result");
        return false;
    }
    if (!journal_is_same(list, job, "its result", job->output, fields[DIGEST])) return false;
    for (uint32_t i = INPUTS; i + 1 < line->count; i += 2)
        if (!journal_is_same(list, job, "its input", fields[i], fields[i + 1])) return false;
    return true;
}

/* Marks jobs as done by their last lines; `lines` (list->count) begin after the name, NULL: no
 * line. Returns the number of successful jobs. */
static uint32_t journal_take(batch_list *list, char **lines, bool resume)
{
    batch_fields fields = {0};
    uint32_t done = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        batch_job *job = &list->jobs[i];
        if (!lines[i] || !batch_line_take(lines[i], &fields) || fields.count < TRIES) continue;
        if (strcmp(fields.items[CODE], "0") != 0) continue;
        done++;
        if (!resume || !journal_is_done(list, job, &fields)) continue;
        job->state = BATCH_DONE;
        job->before = true;
        job->seconds = strtod(fields.items[END], NULL) - strtod(fields.items[BEGIN], NULL);
    }
    free(fields.items);
    return done;
}

/* Splits the lines of a journal. A last line without a newline was being written when the leader
 * died, and is ignored. Returns the size of the complete lines. */
static size_t journal_split(const batch_list *list, char *bytes, char **lines)
{
    batch_fields name = {0};
    char *line = bytes;
    for (char *end; (end = strchr(line, '\n')); line = end + 1) {
        char *tab = memchr(line, '\t', (size_t)(end - line));
        *end = 0;
        if (!tab) continue;
        *tab = 0;
        if (!batch_line_take(line, &name)) continue;
        batch_job *job = batch_list_find(list, name.items[0]);
        if (job) lines[job - list->jobs] = tab + 1;
    }
    free(name.items);
    return (size_t)(line - bytes);
}

/* Reads the file, and sets `*done` to the number of successful jobs. */
static hed_status journal_read(
    int file, const char *path, batch_list *list, bool resume, uint32_t *done, hed_error *error)
{
    struct stat about;
    if (fstat(file, &about)) return HED_OK;
    size_t size = (size_t)about.st_size, whole = 0;
    char *bytes = malloc(size + 1), **lines = calloc(list->count + 1, sizeof *lines);
    if (!bytes || !lines) {
        free(bytes);
        free(lines);
        return HED_OUT_OF_MEMORY(error, "%s", path);
    }
    ssize_t got = pread(file, bytes, size, 0);
    size = got > 0 ? (size_t)got : 0;
    bytes[size] = 0;
    bool ours = size < sizeof HEAD - 1 || memcmp(bytes, HEAD, sizeof HEAD - 1) == 0;
    if (ours) whole = journal_split(list, bytes, lines);
    if (ours) *done = journal_take(list, lines, resume);
    free(bytes);
    free(lines);
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
    if ((size_t)snprintf(name, sizeof name, "%s.journal", path) >= sizeof name)
        return hed_fail(error, HED_ERROR_LIMIT,
            "%.100s...: the path of the list has %zu bytes; expected at most %zu", path,
            strlen(path), sizeof name - sizeof ".journal");
    *journal = open(name, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (*journal < 0 && errno == ELOOP)
        return hed_fail(error, HED_ERROR_IO,
            "cannot write %s: it is a symbolic link; expected the file's own name", name);
    if (*journal < 0)
        return hed_fail(error, HED_ERROR_IO, "cannot open %s: %s", name, strerrordesc_np(errno));
    if (flock(*journal, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        hed_fail(error, HED_ERROR_IO,
            "another heddle batch is at work on %s; wait for it, or stop it first", path);
    else journal_read(*journal, name, list, resume, &before, error);
    if (!hed_failed(error) && before && !resume)
        hed_fail(error, HED_ERROR_ARGUMENT,
            "%u of %u jobs are done already, says %s: --resume does the rest; delete it to start over",
            before, list->count, name);
    if (hed_failed(error)) close(*journal);
    return error->status;
}

hed_status batch_journal_add(
    int journal, const batch_job *job, const batch_end *end, hed_error *error)
{
    char hash[24], code[16], from[32], to[32], tries[16];
    size_t size;
    snprintf(hash, sizeof hash, "%016" PRIx64, job->hash);
    snprintf(code, sizeof code, "%d", end->code);
    snprintf(from, sizeof from, "%.3f", end->begin);
    snprintf(to, sizeof to, "%.3f", end->end);
    snprintf(tries, sizeof tries, "%u", job->tries);
    const char *const head[] = {job->name, hash, code, end->device, from, to, tries, end->digest};
    const char **fields = calloc(HED_COUNT(head) + end->input_count, sizeof *fields);
    char *line = NULL;
    if (fields) {
        memcpy(fields, head, sizeof head);
        for (uint32_t i = 0; i < end->input_count; i++)
            fields[HED_COUNT(head) + i] = end->inputs[i];
        line = batch_line_make(fields, HED_COUNT(head) + end->input_count, &size);
    }
    free(fields);
    if (!line) return HED_OUT_OF_MEMORY(error, "a line of the journal");
    ssize_t count = write(journal, line, size);
    int reason = count < 0 ? errno : ENOSPC;
    free(line);
    if (count == (ssize_t)size) return HED_OK;
    /* remove an incomplete line, which would hide the next one */
    struct stat about;
    if (count > 0 && fstat(journal, &about) == 0) {
        if (ftruncate(journal, about.st_size - count)) return HED_ERROR_IO;
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
