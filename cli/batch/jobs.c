/* List of jobs, and locations of their results. A command writes into a temporary folder next to
 * its result, .heddle-part-LIST-RUN-JOB-LAUNCH, whose files are moved to their destinations after the
 * command has succeeded, so that a result is either complete or absent. Each attempt has a new
 * folder without files of earlier attempts. If the result is the command's output, a file of this
 * name takes the place of the folder. */
#include "batch.h"

#include "support/json.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- reading ---- */

static const uint64_t HASH_START = 14695981039346656037u; /* FNV-1a */

static uint64_t jobs_hash_text(uint64_t hash, const char *text)
{
    do {
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    } while (*text++);
    return hash;
}

uint64_t batch_hash_text(const char *text) { return jobs_hash_text(HASH_START, text); }

/* Checks that heddle accepts the words of `bytes` bytes, and notes if they have a device, and if the
 * job is short. */
static void jobs_check(const batch_list *list, hed_json_node node, batch_job *job, size_t bytes)
{
    enum { SHORT_WORDS = 1 << 14 }; /* bytes that a socket takes while the hand is busy */
    hed_arguments arguments;
    hed_error cause = {0};
    char **words = calloc(job->count + 2, sizeof *words);
    if (!words) {
        hed_json_fail(node, HED_ERROR_MEMORY, "out of memory for a job");
        return;
    }
    words[0] = (char *)(uintptr_t) "heddle";
    for (uint32_t i = 0; i < job->count; i++) words[i + 1] = (char *)(uintptr_t)job->words[i];
    if (hed_options_parse(&hed_command_root, (int)job->count + 1, words, &arguments, &cause) ||
        hed_options_find_files(&arguments, list->folder, &cause))
        hed_json_reject(node, "%s", cause.text);
    else if (!hed_has_option(&arguments, "device")) job->takes_device = false;
    else if (hed_given(&arguments, "device"))
        hed_json_reject(node, "expected no --device: the batch chooses one");
    else job->takes_device = true;
    if (!cause.status)
        job->is_short = hed_arguments_command(&arguments)->is_brief && bytes < SHORT_WORDS;
    hed_arguments_free(&arguments);
    free(words);
}

static void jobs_read_one(batch_list *list, hed_json_node node, uint32_t index)
{
    batch_job *job = &list->jobs[index];
    job->cost = 1;
    job->output = "";
    hed_fields_read(&batch_job_fields, node, job, NULL);
    job->is_stdout = hed_json_has(node, "stdout");
    if (!job->name) job->name = job->output;
    hed_json_node run = hed_json_member(node, "run");
    job->count = (uint32_t)hed_json_count(run);
    job->words = calloc(job->count + 1, sizeof *job->words);
    if (!job->words) {
        hed_json_fail(node, HED_ERROR_MEMORY, "out of memory for a job");
        job->count = 0;
        return;
    }
    size_t bytes = 0;
    for (uint32_t i = 0; i < job->count; i++) {
        job->words[i] = hed_json_string(hed_json_item(run, i));
        bytes += strlen(job->words[i]) + 1;
    }
    if (!job->count) hed_json_reject(run, "\"run\" is empty; expected the words of a command");
    if (bytes > BATCH_WORDS_LIMIT)
        hed_json_reject(run, "\"run\" has %zu bytes; expected at most %d", bytes, BATCH_WORDS_LIMIT);
    job->bytes = (uint32_t)bytes;
    bool has_output = job->is_stdout;
    for (uint32_t i = 0; i < job->count; i++)
        has_output = has_output || strcmp(job->words[i], job->output) == 0;
    if (!has_output)
        hed_json_reject(
            node, "\"output\" is \"%s\": expected it among the words of \"run\"", job->output);
    if (!job->output[0] || job->output[strlen(job->output) - 1] == '/')
        hed_json_reject(node, "expected a file's name as result, found \"%s\"", job->output);
    jobs_check(list, run, job, bytes);
    job->hash = HASH_START;
    for (uint32_t i = 0; i < job->count; i++) job->hash = jobs_hash_text(job->hash, job->words[i]);
}

/* ---- names ---- */

typedef struct jobs_key {
    const char *text;
    uint32_t job;
} jobs_key;

static int jobs_key_order(const void *a, const void *b)
{
    const jobs_key *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    return order ? order : (x->job > y->job) - (x->job < y->job);
}

/* Sorts the jobs by name and by result, and checks that both are unique. */
static hed_status jobs_sort(batch_list *list, hed_json_node jobs, hed_error *error)
{
    jobs_key *keys = calloc(list->count + 1, sizeof *keys);
    list->by_name = calloc(list->count + 1, sizeof *list->by_name);
    list->by_output = calloc(list->count + 1, sizeof *list->by_output);
    bool allocated = keys && list->by_name && list->by_output;
    for (uint32_t by = 2; allocated && by-- > 0;) {
        for (uint32_t i = 0; i < list->count; i++)
            keys[i] = (jobs_key){by ? list->jobs[i].output : list->jobs[i].name, i};
        qsort(keys, list->count, sizeof *keys, jobs_key_order);
        for (uint32_t i = 1; i < list->count; i++)
            if (strcmp(keys[i].text, keys[i - 1].text) == 0)
                hed_json_reject(hed_json_item(jobs, keys[i].job), "job %u has the same %s, \"%s\"",
                    keys[i - 1].job, by ? "result" : "name", keys[i].text);
        for (uint32_t i = 0; i < list->count; i++)
            (by ? list->by_output : list->by_name)[i] = keys[i].job;
    }
    free(keys);
    if (!allocated) return HED_OUT_OF_MEMORY(error, "%u jobs", list->count);
    return hed_json_status(list->json, error);
}

static batch_job *jobs_find(
    const batch_list *list, const uint32_t *order_of, bool by_output, const char *name)
{
    uint32_t low = 0, high = list->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        batch_job *job = &list->jobs[order_of[middle]];
        int order = strcmp(name, by_output ? job->output : job->name);
        if (order == 0) return job;
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return NULL;
}

batch_job *batch_list_find(const batch_list *list, const char *name)
{
    return jobs_find(list, list->by_name, false, name);
}

/* ---- the whole list ---- */

hed_status batch_list_read(const char *path, batch_list *list, hed_error *error)
{
    *list = (batch_list){0};
    if (hed_json_read(path, &list->json, error)) return error->status;
    char *whole = realpath(path, NULL);
    char *slash = whole ? strrchr(whole, '/') : NULL;
    if (slash) snprintf(list->folder, sizeof list->folder, "%.*s", (int)(slash - whole + 1), whole);
    list->id = jobs_hash_text(HASH_START, whole ? whole : path);
    list->run = jobs_hash_text(list->id ^ hed_now() ^ (uint64_t)getpid() << 32, "") & 0xffffffff;
    free(whole);
    hed_json_node root = hed_json_root(list->json);
    hed_fields_only(&batch_list_fields, root);
    hed_json_node jobs = hed_json_member(root, "jobs");
    uint32_t count = (uint32_t)hed_json_count(jobs);
    list->jobs = calloc(count + 1, sizeof *list->jobs);
    if (!list->jobs) {
        batch_list_free(list);
        return HED_OUT_OF_MEMORY(error, "%u jobs", count);
    }
    list->count = count;
    for (uint32_t i = 0; i < count && !hed_json_status(list->json, error); i++)
        jobs_read_one(list, hed_json_item(jobs, i), i);
    if (!hed_json_status(list->json, error)) jobs_sort(list, jobs, error);
    if (hed_failed(error)) batch_list_free(list);
    return error->status;
}

void batch_list_free(batch_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) free(list->jobs[i].words);
    free(list->jobs);
    free(list->by_name);
    free(list->by_output);
    hed_json_free(list->json);
    *list = (batch_list){0};
}

/* ---- results ---- */

/* Name of the folders of a list's unfinished attempts, up to the number of the run. */
static const char PART[] = ".heddle-part-%08" PRIx32 "-";

static uint32_t jobs_list_number(const batch_list *list)
{
    return (uint32_t)(list->id ^ list->id >> 32);
}

static int jobs_remove(const char *path, const struct stat *about, int type, struct FTW *at)
{
    return remove(path) && errno != ENOENT ? -1 : 0;
}

/* Removes a folder and its content. */
static void jobs_remove_tree(const char *path)
{
    enum { DESCRIPTORS = 8 };
    nftw(path, jobs_remove, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
}

void batch_list_sweep(const batch_list *list)
{
    char name[64], path[8192], last[4096] = "", folder[4096];
    snprintf(name, sizeof name, PART, jobs_list_number(list));
    for (uint32_t i = 0; i < list->count; i++) {
        const char *output = list->jobs[i].output, *slash = strrchr(output, '/');
        int size = snprintf(folder, sizeof folder, "%s%.*s", output[0] == '/' ? "" : list->folder,
            slash ? (int)(slash - output + 1) : 0, output);
        if (size >= (int)sizeof folder || strcmp(folder, last) == 0) continue;
        strcpy(last, folder);
        DIR *open_folder = opendir(folder);
        for (struct dirent *e; open_folder && (e = readdir(open_folder));) {
            if (strncmp(e->d_name, name, strlen(name)) != 0) continue;
            snprintf(path, sizeof path, "%s%s", folder, e->d_name);
            jobs_remove_tree(path);
        }
        if (open_folder) closedir(open_folder);
    }
}

/* Folder of a result, with a trailing slash, and folder or file of its unfinished attempt. Errors:
 * LIMIT. */
static hed_status jobs_folders(const batch_list *list, const batch_job *job, uint32_t index,
    char *final, char *part, size_t size, hed_error *error)
{
    const char *slash = strrchr(job->output, '/');
    int length = slash ? (int)(slash - job->output + 1) : 0;
    int whole = snprintf(
        final, size, "%s%.*s", job->output[0] == '/' ? "" : list->folder, length, job->output);
    char name[64], number[64];
    snprintf(name, sizeof name, PART, jobs_list_number(list));
    snprintf(number, sizeof number, "%08" PRIx64 "-%u-%u", list->run, index, job->launches);
    int parts = snprintf(part, size, "%s%s%s", final, name, number);
    if (whole < 0 || parts < 0 || (size_t)whole >= size || (size_t)parts >= size)
        return hed_fail(error, HED_ERROR_LIMIT,
            "%.100s: the path of its result has %d bytes; expected at most %zu", job->name,
            parts > whole ? parts : whole, size - 1);
    return HED_OK;
}

static const char *jobs_base(const batch_job *job)
{
    const char *slash = strrchr(job->output, '/');
    return slash ? slash + 1 : job->output;
}

/* Makes a folder, and the folders around it. */
static void jobs_make_folder(char *path)
{
    for (char *c = path + 1; *c; c++) {
        if (*c != '/') continue;
        *c = 0;
        mkdir(path, 0777);
        *c = '/';
    }
}

hed_status batch_job_begin(const batch_list *list, batch_job *job, uint32_t index, char *part,
    size_t size, hed_error *error)
{
    char final[4096], folder[4096];
    job->launches++;
    if (jobs_folders(list, job, index, final, folder, sizeof final, error)) return error->status;
    bool exists = access(final, W_OK | X_OK) == 0;
    if (!exists) jobs_make_folder(final);
    if (!exists && access(final, W_OK | X_OK))
        return hed_fail(error, HED_ERROR_IO, "cannot write into the folder %s: %s", final,
            strerrordesc_np(errno));
    if (!job->is_stdout && mkdir(folder, 0777))
        return hed_fail(
            error, HED_ERROR_IO, "cannot make the folder %s: %s", folder, strerrordesc_np(errno));
    if (job->is_stdout) snprintf(part, size, "%s", folder);
    else snprintf(part, size, "%s/%s", folder, jobs_base(job));
    return HED_OK;
}

static hed_status jobs_move(
    const batch_job *job, const char *from, const char *to, const char *name, hed_error *error)
{
    char old[8192], new[8192];
    if ((size_t)snprintf(old, sizeof old, job->is_stdout ? "%s" : "%s/%s", from, name) >= sizeof old ||
        (size_t)snprintf(new, sizeof new, "%s%s", to, name) >= sizeof new)
        return hed_fail(error, HED_ERROR_LIMIT, "%.100s: the path of its file is too long", name);
    if (batch_result_check(new, error)) return error->status;
    if (rename(old, new) == 0) return HED_OK;
    return hed_fail(error, HED_ERROR_IO,
        errno == ENOENT ? "it ended well and has not written %s" : "cannot move %s: %s",
        errno == ENOENT ? job->output : old, strerrordesc_np(errno));
}

/* True, with an error, if a further file written by a command would replace the result of another
 * job. */
static bool jobs_is_of_another(
    const batch_list *list, const batch_job *job, const char *name, hed_error *error)
{
    char path[8192];
    snprintf(path, sizeof path, "%.*s%s", (int)(jobs_base(job) - job->output), job->output, name);
    const batch_job *owner = jobs_find(list, list->by_output, true, path);
    if (!owner) return false;
    hed_fail(error, HED_ERROR_ARGUMENT, "it has written %s, the result of job %s", path, owner->name);
    return true;
}

hed_status batch_job_end(
    const batch_list *list, const batch_job *job, uint32_t index, bool keep, hed_error *error)
{
    char final[4096], folder[4096];
    if (jobs_folders(list, job, index, final, folder, sizeof final, error)) return error->status;
    DIR *open_folder = job->is_stdout ? NULL : opendir(folder);
    for (struct dirent *e; keep && open_folder && (e = readdir(open_folder));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        if (strcmp(e->d_name, jobs_base(job)) != 0 &&
            (jobs_is_of_another(list, job, e->d_name, error) ||
                jobs_move(job, folder, final, e->d_name, error)))
            break;
    }
    if (open_folder) closedir(open_folder);
    if (keep && !hed_failed(error)) jobs_move(job, folder, final, jobs_base(job), error);
    if (!keep || hed_failed(error)) jobs_remove_tree(folder);
    else if (!job->is_stdout) rmdir(folder);
    return error->status;
}
