/* Results of the tuning of a page, for people and programs. */
#include "cli/tune/page.h"

#include "cli/common/report.h"

#include <math.h>
#include <string.h>

/* Writes the numbers of an array as "16 x 8", without the ones at its end. */
static void format_size(const json_t *size, char *text, size_t room)
{
    int count = (int)json_array_size(size), used = 0;
    while (count > 1 && json_number_value(json_array_get(size, (size_t)count - 1)) == 1) count--;
    text[0] = 0;
    for (int i = 0; i < count && used >= 0 && (size_t)used < room; i++)
        used += snprintf(text + used, room - (size_t)used, "%s%.0f", i ? " x " : "",
            json_number_value(json_array_get(size, (size_t)i)));
}

hed_status page_print_list(const page_tuning *tuning, hed_error *error)
{
    size_t i;
    json_t *p;
    cli_report *report = cli_report_create(false);
    json_array_foreach(tuning->pipelines, i, p)
    {
        char size[64], counts[64], share[16] = "";
        const char *reason = page_text_at(p, "reason"), *kind = page_text_at(p, "kind");
        double total = page_number_at(p, "total");
        format_size(json_object_get(p, "size"), size, sizeof size);
        format_size(json_object_get(p, "counts"), counts, sizeof counts);
        if (json_is_true(json_object_get(p, "indirect"))) snprintf(counts, sizeof counts, "indirect");
        if (tuning->total > 0 && total > 0)
            snprintf(share, sizeof share, "%.1f %%", 100 * total / tuning->total);
        cli_report_row(report, CLI_TEXT("share", share, .heading = ">SHARE"),
            CLI_TEXT("pipeline", page_text_at(p, "entry"), .heading = "PIPELINE"),
            CLI_TEXT("label", page_text_at(p, "label"), .heading = "LABEL"),
            CLI_TEXT("hash", page_text_at(p, "hash"), .heading = "HASH"),
            CLI_TEXT("group", size, .heading = "GROUP"),
            CLI_TEXT("groups", counts, .heading = "GROUPS"),
            CLI_WHOLE("dispatches", page_number_at(p, "dispatches"), .heading = ">DISPATCHES"),
            CLI_NUMBER("ms", *reason ? (double)NAN : page_number_at(p, "ms"), .heading = ">MS",
                .format = "%.3f"),
            CLI_TEXT("items",
                *reason                     ? reason
                : strcmp(kind, "free") == 0 ? "independent"
                                            : kind,
                .heading = "ITEMS"));
    }
    hed_status status = cli_report_print(report, stdout, error);
    cli_report_free(report);
    return status;
}

/* Prints the sizes that failed, with the first reason. */
static void print_refused(const json_t *tuned)
{
    size_t i, count = 0;
    json_t *candidate;
    json_array_foreach(json_object_get(tuned, "candidates"), i, candidate)
    {
        if (json_is_true(json_object_get(candidate, "ok"))) continue;
        if (count++ < 3)
            printf("  refused: %s: %s\n", page_text_at(candidate, "name"), page_text_at(candidate, "reason"));
    }
    if (count > 3) printf("  refused: %zu further sizes\n", count - 3);
}

enum { NAME_ROOM = 256 };

/* Writes the entry point of a pipeline, with its hash if others have the same. */
static void name_pipeline(const page_tuning *tuning, const json_t *pipeline, char *text)
{
    size_t i, count = 0;
    const json_t *peer;
    const char *entry = page_text_at(pipeline, "entry");
    json_array_foreach(tuning->pipelines, i, peer)
    {
        count += strcmp(page_text_at(peer, "entry"), entry) == 0;
    }
    if (count > 1)
        snprintf(text, NAME_ROOM, "%.*s (%s)", NAME_ROOM / 2, entry, page_text_at(pipeline, "hash"));
    else snprintf(text, NAME_ROOM, "%s", entry);
}

static void print_best(const char *name, const json_t *tuned, const json_t *best)
{
    char from[64], to[64];
    bool proved = strcmp(page_text_at(best, "how"), "proved") == 0;
    format_size(json_object_get(tuned, "size"), from, sizeof from);
    format_size(json_object_get(best, "size"), to, sizeof to);
    printf("%s: %s instead of %s is %.2f times as fast (%.4f instead of %.4f ms)\n", name, to, from,
        page_number_at(best, "gain"), page_number_at(best, "ms"), page_number_at(tuned, "own"));
    printf("  compared in %.0f recordings of %.0f words in all, from two starts each: equal%s\n",
        page_number_at(tuned, "recordings"), page_number_at(tuned, "words"),
        proved ? "; proved by rules: items depend on their global id alone, and the same items run" : "");
    if (!proved) puts("  tested, not proved: no guard or divisor shows that the same items run for other data");
}

void page_print_changes(const json_t *pipeline)
{
    size_t i;
    json_t *line;
    const char *failure = page_text_at(pipeline, "changes_failure");
    json_array_foreach(json_object_get(pipeline, "changes"), i, line)
    {
        const char *advice = page_text_at(line, "advice"), *before = page_text_at(line, "before");
        double column = page_number_at(line, "column"); /* 0: the line is short */
        printf("  %s:%.0f:", page_text_at(line, "file"), page_number_at(line, "line"));
        if (column > 0) printf("%.0f:", column);
        putchar(' ');
        if (*advice) printf("%s%s%s\n", before, *before ? ": " : "", advice);
        else if (*page_text_at(line, "use")) printf("%s\n", page_text_at(line, "use"));
        else printf("%s -> %s in: %s\n", before, page_text_at(line, "text"), page_text_at(line, "row"));
    }
    if (*failure) printf("  the lines to change are not known: %s\n", failure);
}

void page_print_module(const page_tuning *tuning, const char *path)
{
    size_t i;
    json_t *pipeline;
    printf("\n%s:\n", path);
    json_array_foreach(tuning->pipelines, i, pipeline)
    {
        const char *omitted = page_text_at(pipeline, "omitted"), *name = page_text_at(pipeline, "table");
        if (*omitted) printf("%s: not in the module: %s\n", page_text_at(pipeline, "entry"), omitted);
        if (!*name) continue;
        if (!json_array_size(json_object_get(pipeline, "changes"))) printf("%s: the page uses it\n", name);
        else printf("%s: lines that use it, with the module beside %s\n", name, page_text_at(pipeline, "home"));
        if (json_is_true(json_object_get(pipeline, "bound")))
            puts("  no guard shows that its sizes are right for other data: give code() the number of items as its fourth argument");
        page_print_changes(pipeline);
    }
}

void page_print_tuned(const page_tuning *tuning, const json_t *pipeline)
{
    const json_t *tuned = json_object_get(pipeline, "tuned"), *best = json_object_get(tuned, "best");
    const char *verdict = page_text_at(tuned, "verdict");
    char name[NAME_ROOM];
    name_pipeline(tuning, pipeline, name);
    putchar('\n');
    if (best) {
        print_best(name, tuned, best);
        page_print_changes(pipeline);
    } else if (strcmp(verdict, "tunable") == 0)
        printf("%s: its own size is the best of %zu (%.4f ms)\n", name,
            json_array_size(json_object_get(tuned, "times")), page_number_at(tuned, "own"));
    else if (strcmp(verdict, "one item") == 0)
        printf("%s: one item runs; its group size does not matter\n", name);
    else if (strcmp(verdict, "by hand") == 0)
        printf("%s: another size has equal results, but its items work together through literals, so no rule proves it; try it by hand\n", name);
    else printf("%s: not tuned: %s\n", name, page_text_at(tuned, "reason"));
    if (json_is_true(json_object_get(tuned, "overruns")))
        puts("  the page's own dispatch runs beyond the end of an array that it writes; a guard is missing");
    if (page_number_at(tuned, "unsteady") > 0)
        printf("  %.0f words differ from run to run, and are not compared\n", page_number_at(tuned, "unsteady"));
    print_refused(tuned);
}

hed_status page_print_json(const page_tuning *tuning, hed_error *error)
{
    json_t *object = json_pack("{s:s, s:O, s:O}", "page", tuning->origin, "device", tuning->device,
        "pipelines", tuning->pipelines);
    if (!object || json_dumpf(object, stdout, JSON_INDENT(2)))
        HED_OUT_OF_MEMORY(error, "the result as JSON");
    else putchar('\n');
    json_decref(object);
    return error->status;
}
