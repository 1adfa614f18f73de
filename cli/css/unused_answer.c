/* Answer of `heddle css unused --json -` to a list of texts: the reduced sheets, with their removed
 * parts and the reason for each selector that stays. */
#include <stdlib.h>
#include <string.h>

#include "cli/css/map_file.h"
#include "cli/css/unused.h"

typedef struct answer {
    css_unused *unused;
    cli_report *report;
    const char *file; /* NULL: rows without the name of the sheet */
} answer;

static void add_removed(void *user, const hed_css_unused_entry *entry)
{
    const answer *a = user;
    if (entry->use.reason != HED_CSS_UNUSED) return;
    cli_report_begin(a->report);
    if (a->file) cli_report_more(a->report, CLI_TEXT("file", a->file));
    cli_report_more(a->report, CLI_WHOLE("line", entry->line), CLI_TEXT("kind", entry->kind),
        CLI_WHOLE("bytes", entry->bytes), CLI_TEXT("selector", entry->text));
}

static void add_kept(void *user, const hed_css_unused_entry *entry)
{
    const answer *a = user;
    if (entry->use.reason == HED_CSS_UNUSED) return;
    char *from = css_evidence(&entry->use);
    cli_report_row(a->report, CLI_WHOLE("line", entry->line), CLI_TEXT("kind", entry->kind),
        CLI_TEXT("selector", entry->text),
        CLI_TEXT("reason", hed_css_reason_text(entry->use.reason)),
        CLI_TEXT("from", from ? from : ""));
    free(from);
}

/* Adds the reduced text of a sheet, and its map: in the text if the old one was there. */
static void add_text(const answer *a, uint32_t number, hed_error *error)
{
    const css_files *files = &a->unused->files;
    const hed_css_sheet_use sheet = hed_css_unused_sheet_at(files->search, number);
    size_t length = 0;
    bool inside = false;
    const char *map = css_map_make(files, number, sheet.name, &inside, &length, error);
    char *url = !map     ? NULL
                : inside ? css_map_address(map, length)
                         : strndup(sheet.map_url, sheet.map_url_length);
    if (map && !url) HED_OUT_OF_MEMORY(error, "the source map of %s", sheet.name);
    const char *text = hed_css_unused_text(files->search, number, url, NULL, error);
    if (text) cli_report_more(a->report, CLI_TEXT("text", text));
    if (map && !inside) cli_report_more(a->report, CLI_TEXT("map", map));
    free(url);
}

static void add_sheet(const answer *a, uint32_t number, hed_error *error)
{
    answer rows = *a;
    hed_css_unused *search = a->unused->files.search;
    cli_report_begin(a->report);
    cli_report_more(a->report, CLI_TEXT("name", a->unused->files.items[number].name));
    add_text(a, number, error);
    cli_report_open_list(a->report, "removed");
    if (!hed_failed(error)) hed_css_unused_entries(search, number, add_removed, &rows, error);
    cli_report_close(a->report);
    cli_report_open_list(a->report, "kept");
    if (!hed_failed(error)) hed_css_unused_entries(search, number, add_kept, &rows, error);
    cli_report_close(a->report);
}

hed_status css_answer(css_unused *u, hed_error *error)
{
    answer a = {.unused = u, .report = cli_report_create(true)};
    const css_files *files = &u->files;
    cli_report_begin(a.report);
    cli_report_open_list(a.report, "sheets");
    for (uint32_t i = 0; i < files->count && !hed_failed(error); i++)
        if (css_file_is_reduced(&files->items[i])) add_sheet(&a, i, error);
    cli_report_close(a.report);
    cli_report_open_list(a.report, "removed");
    for (uint32_t i = 0; i < files->count && !hed_failed(error); i++) {
        answer rows = {u, a.report, files->items[i].name};
        if (files->items[i].judged)
            hed_css_unused_entries(files->search, i, add_removed, &rows, error);
    }
    cli_report_close(a.report);
    if (!hed_failed(error)) cli_report_print_one(a.report, stdout, error);
    cli_report_free(a.report);
    return hed_failed(error) ? error->status : HED_OK;
}
