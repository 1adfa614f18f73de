/* libFuzzer harness for a batch's list of jobs and for the journal beside it: the text up to the
 * first zero byte is the list, the rest the journal. A list is refused with a reason, or each of
 * its jobs is found by its name; a journal marks jobs of the list, and is taken again as it was
 * left. */
#include "cli/batch/batch.h"
#include "fuzz.h"

static char list_path[128], journal_path[160];

static void remove_files(void)
{
    unlink(list_path);
    unlink(journal_path);
    fuzz_folder_remove();
}

static void check_list(const batch_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const batch_job *job = &list->jobs[i];
        must(batch_list_find(list, job->name) == job);
        must(job->output[0] && job->count && job->cost >= 0);
    }
}

/* Opens the journal, and says which jobs it takes for done: a bit for each of the first 64. */
static uint64_t open_journal(batch_list *list, hed_error *error)
{
    int journal = -1;
    uint64_t done = 0;
    if (batch_journal_open(list_path, list, true, &journal, error)) {
        must(error->text[0]);
        return 0;
    }
    close(journal);
    for (uint32_t i = 0; i < list->count && i < 64; i++)
        done |= (uint64_t)(list->jobs[i].state == BATCH_DONE) << i;
    return done;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, 0, size) : NULL;
    size_t length = end ? (size_t)(end - data) : size;
    if (!list_path[0]) {
        snprintf(list_path, sizeof list_path, "%s/jobs.json", fuzz_folder());
        snprintf(journal_path, sizeof journal_path, "%s.journal", list_path);
        atexit(remove_files);
    }
    fuzz_write(list_path, data, length);
    unlink(journal_path);
    if (end) fuzz_write(journal_path, end + 1, size - length - 1);
    batch_list list;
    hed_error error = {0};
    if (batch_list_read(list_path, &list, &error)) {
        must(error.text[0]);
        return 0;
    }
    check_list(&list);
    uint64_t done = open_journal(&list, &error);
    if (!hed_failed(&error)) must(open_journal(&list, &error) == done && !hed_failed(&error));
    batch_list_free(&list);
    return 0;
}
