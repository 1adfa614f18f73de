/* heddle css unused: rules that no page of a site uses, a report of the pages that use the others,
 * and reduced sheets. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/report.h"
#include "cli/css/site.h"
#include "cli/css/unused.h"

/* ---- --fail-over ---- */

/* Parses "4096" (bytes) or "20%" (of all bytes). */
static hed_status parse_limit(const char *text, css_limit *limit, hed_error *error)
{
    char *end = NULL;
    double value = strtod(text, &end);
    limit->per_cent = end != text && *end == '%';
    limit->value = value;
    if (end == text || end[limit->per_cent] || !(value >= 0) || (limit->per_cent && value > 100))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "--fail-over: expected bytes such as 4096, or a share such as 20%%, found \"%s\"",
            text);
    return HED_OK;
}

/* ---- output ---- */

/* Rows of the unused entries of a sheet. */
typedef struct entry_list {
    cli_report *report;
    const char *file;
} entry_list;

static void print_entry(void *user, const hed_css_unused_entry *entry)
{
    const entry_list *list = user;
    if (entry->use.reason != HED_CSS_UNUSED) return;
    cli_report_row(list->report, CLI_TEXT("file", list->file, .heading = "FILE"),
        CLI_WHOLE("line", entry->line, .heading = ">LINE"),
        CLI_TEXT("kind", entry->kind, .heading = "KIND"),
        CLI_WHOLE("bytes", entry->bytes, .heading = ">BYTES"),
        CLI_TEXT("selector", entry->text, .heading = "SELECTOR"));
}

static void print_sum(const css_unused *unused)
{
    const hed_css_unused_info *u = &unused->info;
    bool nothing_unused = !u->unused_rules && !u->unused_selectors && !u->unused_bytes;
    char selectors[64] = "";
    if (u->unused_selectors)
        snprintf(selectors, sizeof selectors, " and %u selector%s of others", u->unused_selectors,
            u->unused_selectors == 1 ? "" : "s");
    printf("%s%u of %u rules%s match nothing on %u page%s: %zu of %zu bytes (%.0f %%)\n",
        nothing_unused ? "" : "\n", u->unused_rules, u->rules, selectors, u->pages,
        u->pages == 1 ? "" : "s", u->unused_bytes, u->bytes,
        u->bytes ? 100.0 * (double)u->unused_bytes / (double)u->bytes : 0);
    if (!u->names_judged)
        printf("Names of keyframes, fonts and custom properties are not judged: %u sheet%s of the "
               "pages could not be read.\n",
            unused->files.missing_count, unused->files.missing_count == 1 ? "" : "s");
}

/* ---- the command ---- */

static void unused_print(const css_unused *u, hed_error *error)
{
    const css_settings *settings = u->settings;
    cli_report *report = cli_report_create(settings->json);
    if (settings->lists_kept) css_list_kept(report, u);
    for (uint32_t i = 0; i < u->files.count && !settings->lists_kept && !hed_failed(error); i++) {
        entry_list list = {report, u->files.items[i].name};
        if (u->files.items[i].judged)
            hed_css_unused_entries(u->files.search, i, print_entry, &list, error);
    }
    if (cli_report_end(report, error->status, error) == HED_OK && !settings->json) {
        print_sum(u);
        css_print_kept(u);
    }
}

/* Prints and writes the results. */
static void unused_write(css_unused *u, bool whole, hed_error *error)
{
    const css_settings *settings = u->settings;
    if (!hed_failed(error) && settings->lists_texts) css_answer(u, error);
    else if (!hed_failed(error)) unused_print(u, error);
    if (!hed_failed(error) && settings->report) css_write_report(u, settings->report, error);
    if (!hed_failed(error) && !whole)
        fprintf(stderr, "heddle: interrupted after %u of %u pages%s\n", u->info.pages,
            u->info.page_total,
            u->out.path ? ": what others use is not known, so --out is not written" : "");
    if (!hed_failed(error) && u->out.path && whole) css_out_write(u, error);
}

static int unused_command(const hed_arguments *arguments, void *user)
{
    css_unused u = {0};
    css_settings settings = {0};
    css_limit limit = {0};
    hed_error error = {0};
    (void)user;
    hed_interrupt_install();
    css_settings_open(&settings, arguments, &error);
    bool limited = settings.fail_over != NULL;
    if (!hed_failed(&error) && limited) parse_limit(settings.fail_over, &limit, &error);
    if (!hed_failed(&error)) css_unused_find(&u, &settings, &error);
    bool whole = u.info.pages == u.info.page_total;
    unused_write(&u, whole, &error);
    css_unused_close(&u);
    css_settings_close(&settings);
    if (hed_failed(&error)) return cli_end(error.status, &error);
    if (!whole) return HED_EXIT_INTERRUPTED;
    double byte_limit = limit.per_cent ? limit.value / 100 * (double)u.info.bytes : limit.value;
    return limited && (double)u.info.unused_bytes > byte_limit ? HED_EXIT_FAILURE : 0;
}

const hed_command hed_command_css_unused = {
    .name = "unused",
    .summary = "rules that match nothing on any page of a site",
    .description =
        "Which rules match no element on any of the pages, and which selectors in the lists of others; "
        "which @keyframes, @font-face, @counter-style and the like, @property and custom properties no rule that is used names, nor "
        "a style attribute. Each page is matched against the sheets that it names itself (<style>, "
        "<link> and @import, as far as they are files; an address from / on is looked for in the "
        "folders above the page), or against those of --css.\n\n"
        "States that a page does not hold (:hover, :focus ...) are taken as possible, and so is what a reader "
        "can change without a script (boxes, options, details, dialogs, typed text); a pseudo-element "
        "is used where its element is, and conditions (@media ...) are taken to hold. Rules that are "
        "not valid, and those of shadow trees that only scripts make, stay.\n\n"
        "Sheets of declarative shadow roots, and of recorded ones, are matched inside of their trees; a sheet "
        "that no page names, in any tree. "
        "Contents of <template> are taken as possible at every kind of element, and their sheets belong to "
        "all trees. "
        "Scripts are not run. Names that occur in the pages' scripts count as possible: in the pages, in files that "
        "they name, in modules that these import. Name other scripts and templates with --words, and names that no "
        "text has with --keep. A selector whose names are all on pages or in the words, one of them in the words, "
        "stays. A pattern of --keep is matched against whole names, with * ? and [abc] as in file names: classes "
        "(js-* or .js-*), ids (#dialog-*), elements (<x-*>), attributes ([data-open] or [data-state=o*]), custom "
        "properties (--keep=--chart-*), keyframes and fonts (@keyframes spin, @font-face Inter, @spin* for both). A "
        "selector that has such a name anywhere stays. /regular expression/i is matched against selectors. A pattern "
        "that fits nothing is reported. The comments purgecss ignore and uncss:ignore keep rules, too.\n\n"
        "--out writes a sheet without what is unused, comments and layout of the rest as they were: "
        "unused rules, selectors of lists (but of rules that hold others), blocks that are left empty, "
        "@keyframes, @font-face and the like; custom properties and @property with --properties. It is not written after Ctrl-C, when pages are missing.",
    .positionals = (const hed_option[]){POSITIONAL("PAGE", FILE, "HTML files",
                                            .names = &cli_data_pages, .repeated = true),
        {0}},
    .options = (const hed_option[]){SITE_OPTION_SHEETS,
        OPTION("out", OUTPUT, "FILE",
            "write the sheet without what is unused; a folder: each sheet there, in its folder"),
        OPTION("report", OUTPUT, "FILE", "write a page that shows what is used, where and how often", .endings = ".html .htm"),
        OPTION("keep", TEXT, "PATTERN", "what stays: js-* (classes), #id, <element>, [attribute=value], --property, @keyframes NAME, /regular expression/", .repeated = true),
        OPTION("words", FILE, "FILE", "a template, script or text, or a folder of them: names that occur in it stay", .repeated = true),
        OPTION("config", FILE, "FILE",
            "settings: heddle-css.json (default: in the working folder), or a purgecss.config.js"),
        FLAG("kept", "list the selectors that stay instead, with the reason: element, state, word, keep"),
        FLAG("properties",
            "leave out custom properties, too, that nothing names; scripts may read them"),
        OPTION("fail-over", TEXT, "LIMIT",
            "exit with 1 where more is unused: bytes (4096), or per cent of all bytes (20%)"),
        CLI_OPTION_JSON(true), {0}},
    .examples = (const hed_example[]){{"heddle css unused site", "of the pages' own sheets"},
        {"heddle css unused site --css app.css --out app.used.css --keep 'js-*'",
            "a sheet without what no page uses"},
        {"heddle css unused dist --words src", "of a site whose scripts and templates are in src"},
        {"heddle css unused --config purgecss.config.js", "by a configuration of PurgeCSS"},
        {"heddle css unused site --report unused.html", "a page to look at"},
        {"heddle css unused site --fail-over 20%", "for continuous integration"}, {0}},
    .repeats = true,
    .is_brief = true,
    .run = unused_command,
};
