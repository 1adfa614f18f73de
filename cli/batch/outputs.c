/* Files of a whole list of jobs: rejects, before any job runs, a result that would replace a
 * source. Jobs have no order, so no job may read another one's result either. */
#include "batch.h"

#include "support/sources.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Joins the list's folder and a path of a job. */
static char *outputs_path(const batch_list *list, const char *path)
{
    char *joined = NULL;
    return asprintf(&joined, "%s%s", path[0] == '/' ? "" : list->folder, path) < 0 ? NULL : joined;
}

static hed_status outputs_announce(
    const batch_list *list, const char *label, const char *path, hed_error *error)
{
    char *joined = outputs_path(list, path);
    if (!joined) return HED_OUT_OF_MEMORY(error, "the name of %s", path);
    hed_output_announce(label, joined, error);
    free(joined);
    return error->status;
}

hed_status batch_result_check(const char *path, hed_error *error)
{
    struct stat about;
    if (lstat(path, &about) != 0 || S_ISREG(about.st_mode) || S_ISLNK(about.st_mode) ||
        S_ISDIR(about.st_mode))
        return HED_OK;
    return hed_fail(error, HED_ERROR_ARGUMENT,
        "%s is a device or a pipe, and a result is a file that is moved to its name when the job has "
        "succeeded; expected the name of a file",
        path);
}

/* Checks the files on a job's command line. */
static hed_status outputs_check_job(
    const batch_list *list, const batch_job *job, const char *label, hed_error *error)
{
    hed_arguments arguments;
    char **words = calloc(job->count + 2, sizeof *words);
    if (!words) return HED_OUT_OF_MEMORY(error, "job %s", job->name);
    words[0] = (char *)(uintptr_t) "heddle";
    for (uint32_t i = 0; i < job->count; i++) words[i + 1] = (char *)(uintptr_t)job->words[i];
    hed_options_parse(&hed_command_root, (int)job->count + 1, words, &arguments, error);
    if (!hed_failed(error)) hed_options_find_files(&arguments, list->folder, error);
    bool announced = false; /* true if the result was announced */
    for (uint32_t i = 0; i < arguments.count && !hed_failed(error); i++) {
        const hed_value *value = &arguments.values[i];
        if (value->option->kind == HED_OPTION_OUTPUT) {
            outputs_announce(list, label, value->text, error);
            announced |= strcmp(value->text, job->output) == 0;
        } else if (value->option->kind == HED_OPTION_FILE) {
            char *path = outputs_path(list, hed_value_text(value));
            if (path) hed_source_note_path(path, error);
            else HED_OUT_OF_MEMORY(error, "the name of %s", value->text);
            free(path);
        }
    }
    if (!hed_failed(error)) hed_options_check_endings(&arguments, error);
    if (!announced && !hed_failed(error)) outputs_announce(list, label, job->output, error);
    char *result = hed_failed(error) ? NULL : outputs_path(list, job->output);
    if (result) batch_result_check(result, error);
    else if (!hed_failed(error)) HED_OUT_OF_MEMORY(error, "the name of %s", job->output);
    free(result);
    hed_arguments_free(&arguments);
    free(words);
    return error->status;
}

hed_status batch_list_check(const batch_list *list, const char *path, hed_error *error)
{
    char name[4096];
    snprintf(name, sizeof name, "%s.journal", path);
    if (hed_source_note_path(name, error)) return error->status;
    for (uint32_t i = 0; i < list->count && !hed_failed(error); i++) {
        snprintf(name, sizeof name, "job %s:", list->jobs[i].name);
        outputs_check_job(list, &list->jobs[i], name, error);
    }
    return error->status;
}
