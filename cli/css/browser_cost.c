/* heddle css cost --browser: the statistics that Chromium keeps of each selector while it computes
 * the styles of a page (its trace category disabled-by-default-blink.debug, events SelectorStats),
 * next to the elements that Heddle matches. The browser runs without a window, a network, or the
 * page's scripts, with a profile of its own that is removed. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
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

/* Elements that Heddle matches by the rules with one selector. */
typedef struct selector_count {
    char *form; /* comparable_form() */
    uint32_t elements;
} selector_count;

typedef struct selector_counts {
    selector_count *items; /* (count) ascending by form, then by elements */
    uint32_t count;
} selector_counts;

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || (unsigned char)c >= 0x80;
}

/* Copies the escape at *text, a hexadecimal one with one space after it. Returns the bytes written. */
static size_t copy_escape(const char **text, char *form)
{
    size_t digits = strspn(*text + 1, "0123456789abcdefABCDEF"), length;
    if (digits > 6) digits = 6;
    length = digits ? 1 + digits : 1 + ((*text)[1] != 0);
    memcpy(form, *text, length);
    *text += length;
    if (!digits) return length;
    if (**text == ' ') ++*text;
    form[length] = ' ';
    return length + 1;
}

/* True if text begins with the name of a pseudo-element that one colon may introduce. */
static bool is_old_pseudo_element(const char *text)
{
    static const char *const names[] = {"before", "after", "first-line", "first-letter"};
    for (size_t i = 0; i < HED_COUNT(names); i++)
        if (strncasecmp(text, names[i], strlen(names[i])) == 0 &&
            !is_name_byte(text[strlen(names[i])]))
            return true;
    return false;
}

/* Returns a selector in a form in which the text of a sheet equals the text that Chromium makes of
 * it: spaces, quotes, universal selectors before others and the case of names do not count. NULL: no
 * memory. */
static char *comparable_form(const char *text)
{
    char *form = malloc(2 * strlen(text) + 1);
    size_t used = 0;
    bool in_brackets = false;
    while (form && *text) {
        const char last = used ? form[used - 1] : 0, c = *text;
        bool before_others = c == '*' && text[1] && strchr(".#[:", text[1]);
        if (c == ' ') {
            text += strspn(text, " ");
            if (!in_brackets && last && !strchr(">~+,(", last) && !strchr(">~+,)", *text))
                form[used++] = ' ';
        } else if (c == '\\') used += copy_escape(&text, form + used);
        else if (c == '*' && text[1] == '|') text += 2;
        else if (c == '"' || c == '\'' || before_others) text++;
        else if (is_name_byte(c)) {
            bool exact = last == '.' || last == '#';
            for (; is_name_byte(*text); text++)
                form[used++] = !exact && *text >= 'A' && *text <= 'Z' ? (char)(*text + 32) : *text;
        } else {
            if (c == ':' && last != ':' && is_old_pseudo_element(text + 1)) form[used++] = ':';
            if (c == '[' || c == ']') in_brackets = c == '[';
            form[used++] = c;
            text++;
        }
    }
    if (form) form[used] = 0;
    return form;
}

static int by_form(const void *a, const void *b)
{
    const selector_count *x = a, *y = b;
    int order = strcmp(x->form, y->form);
    return order ? order : (x->elements > y->elements) - (x->elements < y->elements);
}

/* Collects the selectors of all sheets with the elements that they match. */
static hed_status collect_counts(selector_counts *counts, const site *s, hed_error *error)
{
    const uint32_t rules = hed_css_matcher_results(s->matcher).rules;
    uint32_t *elements = calloc(rules + 1ull, sizeof *elements);
    counts->items = calloc(rules + 1ull, sizeof *counts->items);
    bool complete = elements && counts->items;
    if (complete) hed_css_matcher_counts(s->matcher, elements, NULL);
    for (uint32_t r = 0; complete && r < rules; r++) {
        hed_css_rule rule = site_rule(s, r, NULL);
        char *line = css_selector_line(&rule), *form = line ? comparable_form(line) : NULL;
        free(line);
        complete = form != NULL;
        if (form) counts->items[counts->count++] = (selector_count){form, elements[r]};
    }
    free(elements);
    if (!complete) return HED_OUT_OF_MEMORY(error, "counts of rules");
    qsort(counts->items, counts->count, sizeof *counts->items, by_form);
    return HED_OK;
}

/* Number of elements that Heddle matches by the rules with this selector; -1: it has no such
 * rule. */
static int64_t heddle_count(const selector_counts *counts, const char *selector)
{
    char *form = comparable_form(selector);
    uint32_t low = 0, high = counts->count;
    while (form && low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(counts->items[middle].form, form) <= 0) low = middle + 1;
        else high = middle;
    }
    bool is_known = form && low && strcmp(counts->items[low - 1].form, form) == 0;
    free(form);
    return is_known ? (int64_t)counts->items[low - 1].elements : -1;
}

static hed_status print_stats(
    const site *s, const selector_stats *stats, bool json, hed_error *error)
{
    cli_report *report = cli_report_create(json);
    selector_counts counts = {0};
    collect_counts(&counts, s, error);
    for (uint32_t i = 0; !hed_failed(error) && i < stats->count && (json || i < BROWSER_ROWS);
         i++) {
        const selector_stat *x = &stats->items[i];
        int64_t elements = heddle_count(&counts, x->selector);
        cli_report_row(report,
            CLI_NUMBER("browser_us", x->microseconds, .heading = ">BROWSER", .format = "%.0f us"),
            CLI_WHOLE("attempts", x->attempts, .heading = ">LOOKED AT"),
            CLI_WHOLE("matches", x->matches, .heading = ">MATCHED"),
            CLI_WHOLE("fast_rejects", x->fast_rejects, .heading = ">REJECTED AT ONCE"),
            CLI_WHOLE("elements", elements, .heading = ">HEDDLE MATCHES", .shown = elements < 0 ? "" : NULL),
            CLI_TEXT("selector", x->selector, .heading = "SELECTOR"));
    }
    for (uint32_t i = 0; i < counts.count; i++) free(counts.items[i].form);
    free(counts.items);
    hed_status status = cli_report_end(report, hed_failed(error) ? error->status : HED_OK, error);
    if (!status && !json)
        printf("\n%u selectors took Chromium %.0f us; LOOKED AT counts the elements on which it tried a selector. "
               "Chromium computes no styles inside of display: none, and the styles of some elements "
               "several times, so that MATCHED and HEDDLE MATCHES may differ.\n",
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
