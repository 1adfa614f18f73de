/* heddle css record: pages as they run. A browser opens them, the reader or a script uses them, and
 * every element that ever existed is kept with its surroundings, and the sheets with it. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli/common/progress.h"
#include "cli/common/report.h"
#include "cli/css/address.h"
#include "cli/css/pages.h"
#include "cli/css/record_browser.h"
#include "support/file.h"
#include "support/sources.h"

enum { MOST_SCRIPT = 1 << 22 };

typedef struct record_list {
    json_t *addresses; /* array of texts, without a repetition */
    size_t done;
} record_list;

/* ---- addresses ---- */

static void add_address(record_list *list, const char *address)
{
    size_t i;
    json_t *former;
    json_array_foreach(list->addresses, i, former)
    {
        if (strcmp(json_string_value(former), address) == 0) return;
    }
    json_array_append_new(list->addresses, json_string(address));
}

/* Adds a file as a file: address, in which bytes other than letters, digits and -._~/ are escaped.
 * */
static hed_status list_add_file(record_list *list, const char *path, hed_error *error)
{
    char whole[PATH_MAX], *address, *at;
    if (!realpath(path, whole))
        return hed_fail(error, HED_ERROR_IO,
            "%s: no such file; expected a page, a folder of pages, or an address such as "
            "http://localhost:5173",
            path);
    address = at = malloc(3 * strlen(whole) + sizeof "file://");
    if (!address) return HED_OUT_OF_MEMORY(error, "the address of %s", path);
    at += sprintf(at, "file://");
    for (const unsigned char *c = (const unsigned char *)whole; *c; c++) {
        bool plain = (*c | 32) >= 'a' && (*c | 32) <= 'z';
        if (plain || (*c >= '0' && *c <= '9') || strchr("-._~/", *c)) *at++ = (char)*c;
        else at += sprintf(at, "%%%02X", *c);
    }
    *at = 0;
    add_address(list, address);
    free(address);
    return HED_OK;
}

static hed_status list_open(record_list *list, const hed_arguments *arguments, hed_error *error)
{
    static const css_origin nowhere = {.file = ""};
    char path[PATH_MAX];
    const char *text;
    bool files = false;
    for (uint32_t i = 0; (text = hed_text_at(arguments, "PAGE", i)) != NULL; i++) {
        if (strstr(text, "://") || strncmp(text, "about:", 6) == 0 ||
            strncmp(text, "data:", 5) == 0)
            add_address(list, text);
        else files = true;
    }
    css_page_list pages = {0};
    if (files && json_array_size(list->addresses))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "PAGE: files and addresses; expected either, since only one of them is the site");
    if (files) css_page_list_open(&pages, arguments, "PAGE", error);
    for (uint32_t i = 0; i < pages.count && !hed_failed(error); i++)
        list_add_file(list, pages.paths[i], error);
    css_page_list_free(&pages);
    for (size_t i = 0; i < json_array_size(list->addresses) && !hed_failed(error); i++) {
        const char *address = json_string_value(json_array_get(list->addresses, i));
        bool is_file = strncasecmp(address, "file:", 5) == 0; /* a file that the command reads */
        if (is_file && !css_address_file(&nowhere, address, path, sizeof path))
            hed_source_note_path(path, error);
    }
    return hed_failed(error) ? error->status : HED_OK;
}

/* Adds the links of the page to pages of the same origin. */
static hed_status list_add_links(record_list *list, record_browser *browser, hed_error *error)
{
    static const char links[] =
        "[...document.querySelectorAll('a[href], area[href]')].map(a => { try { const u = new "
        "URL(a.href, document.baseURI); u.hash = ''; return u; } catch { return null; } })"
        ".filter(u => u && u.protocol === location.protocol && u.host === location.host && "
        "!/\\.(pdf|zip|gz|png|jpe?g|gif|webp|svg|mp[34]|css|js|json|xml|txt)$/i.test(u.pathname))"
        ".map(u => u.href)";
    json_t *addresses = NULL, *link;
    size_t i;
    if (record_browser_evaluate(browser, browser->session, links, &addresses, error))
        return error->status;
    json_array_foreach(addresses, i, link)
    {
        if (json_is_string(link)) add_address(list, json_string_value(link));
    }
    json_decref(addresses);
    return HED_OK;
}

/* ---- the recording ---- */

/* Opens one page after the other; with --crawl also the pages that they link to. */
static hed_status visit_all(
    record_list *list, record_browser *browser, const hed_arguments *arguments, hed_error *error)
{
    bool crawl = hed_given(arguments, "crawl");
    size_t limit = (size_t)hed_integer_of(arguments, "limit");
    hed_progress progress = hed_progress_begin("record", "pages", 0, hed_given(arguments, "json"));
    while (list->done < json_array_size(list->addresses) && !hed_interrupted()) {
        const char *address = json_string_value(json_array_get(list->addresses, list->done));
        hed_error failed = {0};
        if (crawl && list->done == limit) break;
        if (record_browser_go(browser, address, &failed) == HED_OK && crawl)
            list_add_links(list, browser, &failed);
        bool first = list->done++ == 0;
        if (hed_interrupted()) hed_error_clear(&failed);
        if (failed.status && (first || !crawl || !browser->session[0]))
            return hed_fail(error, failed.status, "%s", failed.text);
        if (failed.status) fprintf(stderr, "heddle: %s: left out: %s\n", address, failed.text);
        hed_error_clear(&failed);
        hed_progress_update(&progress, list->done);
    }
    hed_progress_end(&progress);
    if (crawl && list->done < json_array_size(list->addresses) && !hed_interrupted())
        fprintf(stderr, "heddle: %zu further pages are linked; --limit %zu ended the crawl\n",
            json_array_size(list->addresses) - list->done, limit);
    return HED_OK;
}

/* Lets the reader use the page until its window is closed, or Ctrl-C. */
static void watch(record_browser *browser)
{
    hed_error ended = {0};
    fputs("heddle: recording: use the page; then close its window, or press Ctrl-C here\n", stderr);
    while (!hed_interrupted() && browser->session[0])
        if (cli_devtools_wait(browser->devtools, 0.2, &ended)) break;
    hed_error_clear(&ended);
}

static hed_status run_drive(
    record_browser *browser, const hed_arguments *arguments, hed_error *error)
{
    char *text;
    size_t length;
    const char *file = hed_text_of(arguments, "drive");
    if (hed_file_read(file, MOST_SCRIPT, &text, &length, error)) return error->status;
    record_drive(browser, file, text, error);
    free(text);
    return error->status;
}

static hed_status record_pages(
    record_list *list, css_recording *recording, const hed_arguments *arguments, hed_error *error)
{
    record_browser browser;
    const char *name = hed_text_of(arguments, "browser");
    bool headless = hed_given(arguments, "headless") || hed_given(arguments, "drive") ||
                    hed_given(arguments, "crawl");
    if (hed_given(arguments, "window")) headless = false;
    double patience = hed_number_of(arguments, "patience");
    if (!record_browser_open(&browser, name, headless, patience, recording, error) &&
        !visit_all(list, &browser, arguments, error) && !hed_interrupted()) {
        if (hed_given(arguments, "drive")) run_drive(&browser, arguments, error);
        if (hed_given(arguments, "drive") && !hed_failed(error)) record_browser_end(&browser, error);
        else if (!headless) watch(&browser);
    }
    if (browser.devtools && browser.session[0]) record_browser_flush(&browser);
    record_browser_close(&browser);
    return hed_failed(error) ? error->status : HED_OK;
}

static hed_status record_print(
    const char *path, css_recording_counts counts, bool json, hed_error *error)
{
    if (!json) {
        printf("%s: %zu pages, %zu different elements in %zu trees, %zu sheets\n", path,
            counts.pages, counts.nodes, counts.trees, counts.sheets);
        return HED_OK;
    }
    cli_report *report = cli_report_create(true);
    cli_report_row(report, CLI_TEXT("file", path), CLI_WHOLE("pages", counts.pages),
        CLI_WHOLE("elements", counts.nodes), CLI_WHOLE("trees", counts.trees),
        CLI_WHOLE("sheets", counts.sheets));
    hed_status status = cli_report_print_one(report, stdout, error);
    cli_report_free(report);
    return status;
}

static int record_command(const hed_arguments *arguments, void *user)
{
    record_list list = {.addresses = json_array()};
    css_recording *recording = NULL;
    hed_error error = {0};
    const char *path = hed_text_of(arguments, "out");
    (void)user;
    hed_interrupt_install();
    if (!list_open(&list, arguments, &error) && !css_recording_create(&recording, &error))
        record_pages(&list, recording, arguments, &error);
    css_recording_counts counts =
        recording ? css_recording_count(recording) : (css_recording_counts){0};
    hed_error failed = {0};
    if (counts.trees && css_recording_save(recording, path, &failed) == HED_OK)
        record_print(path, counts, hed_given(arguments, "json"), &failed);
    if (failed.status && !error.status) hed_fail(&error, failed.status, "%s", failed.text);
    else if (!counts.trees && !error.status && !hed_interrupted())
        hed_fail(&error, HED_ERROR_FORMAT, "%s: the pages had no element", path);
    hed_error_clear(&failed);
    css_recording_destroy(recording);
    json_decref(list.addresses);
    if (error.status) return cli_end(error.status, &error);
    return hed_interrupted() && hed_given(arguments, "drive") ? HED_EXIT_INTERRUPTED
                                                              : cli_end_output(0);
}

const hed_command hed_command_css_record = {
    .name = "record",
    .summary = "pages as they run: what scripts add is then known",
    .description =
        "Opens pages in Chromium and records every element that exists while they run, in each "
        "document and shadow root, with its surroundings, and the sheets as the browser has them. The "
        "file is taken as a page by the other commands.\n\n"
        "With a window the reader uses the page, until its window is closed or Ctrl-C. --drive runs a script in "
        "place of the reader: the body of an asynchronous function of `page`, whose methods are "
        "goto(address), click(selector), hover(selector), type(selector, text), press(key), "
        "wait(milliseconds or selector), size(width, height) and evaluate(code); each is awaited. "
        "--crawl opens the pages of the same origin that the pages link to.\n\n"
        "The browser has a profile of its own, without logins. Closed shadow roots of declarations are not "
        "seen. Ctrl-C keeps what was recorded.",
    .positionals = (const hed_option[]){POSITIONAL("PAGE", TEXT,
                                            "an address, an HTML file, or a folder of them",
                                            .required = true, .repeated = true),
        {0}},
    .options = (const hed_option[]){OPTION("out", OUTPUT, "FILE", "the recording", .letter = 'o',
                                        .required = true, .endings = ".json"),
        OPTION("drive", FILE, "FILE", "a script that uses the page: steps.js"),
        FLAG("crawl", "follow links of the same origin"),
        OPTION("limit", INTEGER, "N", "pages of a crawl", .fallback = "1000", .low = 1, .high = 1e6),
        OPTION("patience", NUMBER, "SECONDS", "limit of the wait for the first bytes of a page",
            .fallback = "12", .low = 0.1, .high = 1e5),
        OPTION("browser", TEXT, "NAME", "Chromium, or a browser made from it", .fallback = "chromium"),
        FLAG("headless", "no window: each page is recorded until it is quiet"),
        FLAG("window", "a window with --drive and --crawl, too"), CLI_OPTION_JSON(true), {0}},
    .examples = (const hed_example[]){{"heddle css record http://localhost:5173 -o app.json",
                                          "use the page, then close its window"},
        {"heddle css record site -o site.json --headless", "all pages of a folder"},
        {"heddle css record http://localhost:5173 -o app.json --drive steps.js",
            "a script clicks: await page.click('#menu')"},
        {"heddle css unused app.json --css dist/app.css --out dist/app.used.css",
            "a sheet without what no page used"},
        {0}},
    .run = record_command,
};
