/* Page of a batch: devices, queue, failures and a time line, in one self-contained file that is
 * rewritten during the batch. */
#include "batch.h"

#include "cli/common/report.h"
#include "heddle/author.h"
#include "support/file.h"

#include <stdlib.h>
#include <string.h>

extern const hed_source hed_batch_page_files[]; /* embedded */

static const char MARK[] = ">DATA<";
enum { QUEUE_SHOWN = 200 };

static bool page_tried_again(const batch_result *result, uint32_t index)
{
    for (uint32_t i = index + 1; i < result->try_count; i++)
        if (result->tries[i].job == result->tries[index].job) return true;
    return false;
}

static cli_report *page_data(const batch_def *def, const batch_result *result)
{
    const batch_list *list = def->list;
    uint32_t states[BATCH_FAILED + 1] = {0}, before = 0, shown_count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        states[list->jobs[i].state]++;
        before += list->jobs[i].before;
    }
    cli_report *report = cli_report_create(true);
    cli_report_row(report, CLI_TEXT("title", def->title), CLI_WHOLE("jobs", list->count),
        CLI_WHOLE("done", states[BATCH_DONE]), CLI_WHOLE("failed", states[BATCH_FAILED]),
        CLI_WHOLE("waiting", states[BATCH_WAITING]), CLI_WHOLE("before", before),
        CLI_NUMBER("seconds", result->seconds));
    cli_report_open_list(report, "devices");
    for (uint32_t i = 0; i < result->hand_count; i++) {
        const batch_hand_view *hand = &result->hands[i];
        cli_report_row(report, CLI_TEXT("device", hand->device), CLI_TEXT("doing", hand->doing),
            CLI_WHOLE("done", hand->done), CLI_WHOLE("failed", hand->failed),
            CLI_NUMBER("busy", hand->busy));
    }
    cli_report_close(report);
    cli_report_open_list(report, "tries");
    for (uint32_t i = 0; i < result->try_count; i++) {
        const batch_try *t = &result->tries[i];
        cli_report_row(report, CLI_TEXT("job", list->jobs[t->job].name), CLI_WHOLE("hand", t->hand),
            CLI_NUMBER("begin", t->begin), CLI_NUMBER("end", t->end), CLI_WHOLE("code", t->code),
            CLI_FLAG("again", t->code != 0 && page_tried_again(result, i)));
    }
    cli_report_close(report);
    cli_report_open_list(report, "queue");
    for (uint32_t i = 0; i < list->count && shown_count < QUEUE_SHOWN; i++) {
        if (list->jobs[i].state != BATCH_WAITING) continue;
        shown_count++;
        cli_report_row(
            report, CLI_TEXT("job", list->jobs[i].name), CLI_NUMBER("cost", list->jobs[i].cost));
    }
    cli_report_close(report);
    return report;
}

/* Writes data with '<' escaped, since "</script>" in a name would end the data. */
static void page_put_data(hed_file_writer *writer, const char *text, size_t size)
{
    size_t from = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] != '<') continue;
        hed_file_writer_put(writer, text + from, i - from);
        hed_file_writer_put(writer, "\\u003c", 6);
        from = i + 1;
    }
    hed_file_writer_put(writer, text + from, size - from);
}

hed_status batch_page_write(const batch_def *def, const batch_result *result, hed_error *error)
{
    char *text = NULL;
    size_t size = 0;
    hed_file_writer *writer;
    FILE *memory = open_memstream(&text, &size);
    cli_report *report = page_data(def, result);
    if (!memory) HED_OUT_OF_MEMORY(error, "the page");
    else cli_report_print_one(report, memory, error);
    if (memory) fclose(memory);
    cli_report_free(report);
    if (!hed_failed(error) && !hed_file_writer_open(def->page, &writer, error)) {
        const char *page = hed_batch_page_files[0].text, *mark = strstr(page, MARK);
        hed_file_writer_put(writer, page, (size_t)(mark + 1 - page));
        page_put_data(writer, text, size);
        mark += sizeof MARK - 2;
        hed_file_writer_put(writer, mark, strlen(mark));
        hed_file_writer_commit(writer, error);
    }
    free(text);
    return error->status;
}
