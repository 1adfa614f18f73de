/* heddle css cost --browser: the statistics that Chromium keeps of each selector while it computes
 * the styles of a page (its trace category disabled-by-default-blink.debug, events SelectorStats),
 * next to the elements that Heddle matches. The browser runs without a window, a network, or the
 * page's scripts, with a profile of its own that is removed. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/common/browser.h"
#include "cli/common/report.h"
#include "cli/css/cost.h"
#include "support/file.h"
#include "support/json.h"

extern char **environ;

enum { BROWSER_SECONDS = 120, BROWSER_ROWS = 50, TRACE_BYTES = 1 << 30 };

/* Statistics of one selector, summed over all style computations. */
typedef struct selector_stat {
    char *selector; /* text in Chromium's form */
    double microseconds;
    int64_t attempts, matches, fast_rejects;
} selector_stat;

typedef struct selector_stats {
    selector_stat *items; /* (count) */
    uint32_t count, capacity;
    double microseconds; /* sum */
} selector_stats;

/* ---- the browser ---- */

/* Waits for a process; ends it after BROWSER_SECONDS or if the user interrupts. True: it ended by
 * itself. */
static bool wait_for_browser(pid_t process)
{
    uint64_t begin = hed_now();
    for (int status; waitpid(process, &status, WNOHANG) == 0;) {
        if (hed_interrupted() || 1e-9 * (double)(hed_now() - begin) > BROWSER_SECONDS) {
            kill(-process, SIGKILL);
            waitpid(process, &status, 0);
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    return true;
}

/* Writes a page that shows the measured page in a frame without scripts. */
static hed_status write_frame(const char *path, const char *page, hed_error *error)
{
    char *real = realpath(page, NULL);
    FILE *file = real ? fopen(path, "wxe") : NULL;
    bool written = file != NULL;
    if (file) {
        fputs("<!doctype html><iframe sandbox=allow-same-origin width=1920 height=1080 src=\"file://", file);
        for (const char *c = real; *c; c++) {
            bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                         (*c >= '0' && *c <= '9') || strchr("/-_.~", *c);
            if (plain) fputc(*c, file);
            else fprintf(file, "%%%02X", (unsigned char)*c);
        }
        written = fputs("\"></iframe>\n", file) >= 0;
        written = fclose(file) == 0 && written;
    }
    free(real);
    return written ? HED_OK : hed_fail(error, HED_ERROR_IO, "%s: no such file, or no space", page);
}

/* Opens a page in a Chromium; its trace is written to FOLDER/trace.json. */
static hed_status trace_page(
    const char *program, const char *folder, const char *page, hed_error *error)
{
    char profile[PATH_MAX + 32], trace[PATH_MAX + 48], frame[PATH_MAX + 16], address[PATH_MAX + 32];
    snprintf(frame, sizeof frame, "%s/frame.html", folder);
    snprintf(address, sizeof address, "file://%s", frame);
    if (write_frame(frame, page, error)) return error->status;
    snprintf(profile, sizeof profile, "--user-data-dir=%s/profile", folder);
    snprintf(trace, sizeof trace, "--trace-startup-file=%s/trace.json", folder);
    const char *words[] = {program, "--headless=new", "--disable-gpu", "--no-first-run",
        "--proxy-server=127.0.0.1:9", "--allow-file-access-from-files",
        "--trace-startup=disabled-by-default-blink.debug,-*", "--trace-startup-duration=0",
        "--trace-startup-format=json", profile, trace, "--dump-dom", address,
        geteuid() == 0 ? "--no-sandbox" : NULL, NULL};
    pid_t process = cli_program_start(words, folder, NULL, true);
    if (!process) return hed_fail(error, HED_ERROR_IO, "%s: cannot be started", program);
    if (wait_for_browser(process)) return HED_OK;
    return hed_fail(error, HED_ERROR_TIMEOUT, "%s: Chromium did not end in %d s", page, BROWSER_SECONDS);
}

/* ---- the trace ---- */

static bool push_stat(selector_stats *stats, selector_stat stat)
{
    if (stats->count == stats->capacity) {
        uint32_t capacity = stats->capacity ? 2 * stats->capacity : 1024;
        selector_stat *items = realloc(stats->items, capacity * sizeof *items);
        if (!items) return false;
        stats->items = items;
        stats->capacity = capacity;
    }
    stats->items[stats->count++] = stat;
    return true;
}

static double count_of(hed_json_node object, const char *key)
{
    return hed_json_number(hed_json_member(object, key), 0, 1e15);
}

/* Adds the selectors of an event, except selectors of the browser's own sheet. */
static hed_status read_timings(selector_stats *stats, hed_json_node event, hed_error *error)
{
    hed_json_node arguments = hed_json_member(event, "args");
    if (!hed_json_has(arguments, "selector_stats")) return HED_OK;
    hed_json_node list =
        hed_json_member(hed_json_member(arguments, "selector_stats"), "selector_timings");
    for (size_t i = 0; i < hed_json_count(list); i++) {
        hed_json_node item = hed_json_item(list, i);
        if (strcmp(hed_json_string(hed_json_member(item, "style_sheet_id")), "ua-style-sheet") == 0)
            continue;
        const selector_stat stat = {
            .selector = strdup(hed_json_string(hed_json_member(item, "selector"))),
            .microseconds = count_of(item, "elapsed (us)"),
            .attempts = (int64_t)count_of(item, "match_attempts"),
            .matches = (int64_t)count_of(item, "match_count"),
            .fast_rejects = (int64_t)count_of(item, "fast_reject_count")};
        if (!stat.selector || !push_stat(stats, stat)) {
            free(stat.selector);
            return HED_OUT_OF_MEMORY(error, "the selectors of a trace");
        }
    }
    return HED_OK;
}

/* Reads the events SelectorStats of a trace. Each event is a line; other events have numbers of 64
 * bits, which JSON's integers here do not. */
static hed_status read_trace(selector_stats *stats, const char *path, hed_error *error)
{
    char *text;
    size_t length;
    if (hed_file_read(path, TRACE_BYTES, &text, &length, error)) return error->status;
    for (char *line = text, *end; line && !hed_failed(error); line = end ? end + 1 : NULL) {
        end = strchr(line, '\n');
        if (end) *end = 0;
        char *begin = strstr(line, "{\"args\":{\"selector_stats\""), *last = strrchr(line, '}');
        hed_json *json;
        if (!begin || !last ||
            hed_json_parse(path, begin, (size_t)(last + 1 - begin), &json, error))
            continue;
        read_timings(stats, hed_json_root(json), error);
        if (!hed_failed(error)) hed_json_status(json, error);
        hed_json_free(json);
    }
    free(text);
    return hed_failed(error) ? error->status : HED_OK;
}

static int by_selector(const void *a, const void *b)
{
    return strcmp(((const selector_stat *)a)->selector, ((const selector_stat *)b)->selector);
}

static int by_cost(const void *a, const void *b)
{
    const selector_stat *x = a, *y = b;
    if (x->microseconds != y->microseconds) return x->microseconds < y->microseconds ? 1 : -1;
    return x->attempts < y->attempts ? 1 : x->attempts > y->attempts ? -1 : 0;
}

/* Sums the entries of each selector, and orders selectors by their time. */
static void sum_stats(selector_stats *stats)
{
    uint32_t count = 0;
    if (stats->count) qsort(stats->items, stats->count, sizeof *stats->items, by_selector);
    for (uint32_t i = 0; i < stats->count; i++) {
        selector_stat *last = count ? &stats->items[count - 1] : NULL;
        stats->microseconds += stats->items[i].microseconds;
        if (!last || by_selector(last, &stats->items[i]) != 0) {
            stats->items[count++] = stats->items[i];
            continue;
        }
        last->microseconds += stats->items[i].microseconds;
        last->attempts += stats->items[i].attempts;
        last->matches += stats->items[i].matches;
        last->fast_rejects += stats->items[i].fast_rejects;
        free(stats->items[i].selector);
    }
    stats->count = count;
    if (count) qsort(stats->items, count, sizeof *stats->items, by_cost);
}

/* ---- the report ---- */

/* Number of elements that Heddle matches by the rule with this selector; -1: it has no such
 * rule. */
static int64_t heddle_count(const site *s, const uint32_t *counts, const char *selector)
{
    int64_t best = -1;
    for (uint32_t r = 0; r < hed_css_matcher_results(s->matcher).rules; r++) {
        char text[256];
        hed_css_rule rule = site_rule(s, r, NULL);
        hed_css_selector_text(&rule, text, sizeof text);
        if (strcmp(text, selector) == 0 && (int64_t)counts[r] > best) best = counts[r];
    }
    return best;
}

static hed_status print_stats(
    const site *s, const selector_stats *stats, bool json, hed_error *error)
{
    cli_report *report = cli_report_create(json);
    uint32_t *counts = calloc(hed_css_matcher_results(s->matcher).rules + 1ull, sizeof *counts);
    if (!counts) HED_OUT_OF_MEMORY(error, "counts of rules");
    else hed_css_matcher_counts(s->matcher, counts, NULL);
    for (uint32_t i = 0; counts && i < stats->count && (json || i < BROWSER_ROWS); i++) {
        const selector_stat *x = &stats->items[i];
        int64_t elements = heddle_count(s, counts, x->selector);
        cli_report_row(report,
            CLI_NUMBER("browser_us", x->microseconds, .heading = ">BROWSER", .format = "%.0f us"),
            CLI_WHOLE("attempts", x->attempts, .heading = ">LOOKED AT"),
            CLI_WHOLE("matches", x->matches, .heading = ">MATCHED"),
            CLI_WHOLE("fast_rejects", x->fast_rejects, .heading = ">REJECTED AT ONCE"),
            CLI_WHOLE("elements", elements, .heading = ">HEDDLE MATCHES", .shown = elements < 0 ? "" : NULL),
            CLI_TEXT("selector", x->selector, .heading = "SELECTOR"));
    }
    free(counts);
    hed_status status = cli_report_end(report, hed_failed(error) ? error->status : HED_OK, error);
    if (!status && !json)
        printf("\n%u selectors took Chromium %.0f us; LOOKED AT counts the elements on which it tried a selector.\n",
            stats->count, stats->microseconds);
    return status;
}

hed_status cost_in_browser(const site *s, bool json, hed_error *error)
{
    char program[PATH_MAX], folder[PATH_MAX], path[PATH_MAX + 16];
    selector_stats stats = {0};
    if (!cli_browser_find(cli_chromiums, program))
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "--browser: no Chromium on the path (Debian: chromium); without it the costs are Heddle's own");
    if (cli_browser_make_folder(program, folder, error)) return error->status;
    snprintf(path, sizeof path, "%s/trace.json", folder);
    if (!trace_page(program, folder, s->page_file, error)) read_trace(&stats, path, error);
    cli_browser_remove_folder(folder);
    sum_stats(&stats);
    if (!hed_failed(error)) print_stats(s, &stats, json, error);
    for (uint32_t i = 0; i < stats.count; i++) free(stats.items[i].selector);
    free(stats.items);
    return hed_failed(error) ? error->status : HED_OK;
}
