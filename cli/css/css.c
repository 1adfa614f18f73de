/* heddle css: style sheets against pages. What each rule matches, which rules no page of a site uses,
 * and which rules match one element. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/command.h"
#include "cli/common/report.h"
#include "heddle/author.h"
#include "heddle/css.h"
#include "support/file.h"

enum { MOST_BYTES = 512 << 20, MOST_SHEETS = 1024, MOST_PAGES = 100000 };

/* Pages and sheets, and the texts that they are made from. */
typedef struct site {
    hed_css_names *names;
    hed_css_document **pages;
    uint32_t page_count, page_room;
    hed_css_sheet *sheets[MOST_SHEETS];
    char *files[MOST_SHEETS]; /* names of the sheets */
    uint32_t sheet_count;
    char **texts;
    uint32_t text_count, text_room;
    hed_css_matcher *matcher;
    char folder[2048]; /* of the sheet that is being read, for @import */
} site;

/* A larger array where `count` elements fill it; NULL: out of memory, the old one stays. */
static void *more(void *array, uint32_t *room, uint32_t count, size_t size, hed_error *error)
{
    if (count < *room) return array;
    uint32_t wanted = *room ? 2 * *room : 16;
    void *larger = realloc(array, wanted * size);
    if (!larger) {
        hed_fail(error, HED_ERROR_MEMORY, "no memory for the list of pages and sheets");
        return array;
    }
    *room = wanted;
    return larger;
}

/* A file's text, which lives as long as the site. */
static char *site_read(site *s, const char *path, size_t *length, hed_error *error)
{
    char *bytes = NULL;
    s->texts = more(s->texts, &s->text_room, s->text_count, sizeof *s->texts, error);
    if (hed_failed(error) || hed_file_read(path, MOST_BYTES, &bytes, length, error)) return NULL;
    return s->texts[s->text_count++] = bytes;
}

static void site_close(site *s)
{
    hed_css_matcher_destroy(s->matcher);
    for (uint32_t i = 0; i < s->sheet_count; i++) {
        hed_css_sheet_destroy(s->sheets[i]);
        free(s->files[i]);
    }
    for (uint32_t i = 0; i < s->page_count; i++) hed_css_document_destroy(s->pages[i]);
    for (uint32_t i = 0; i < s->text_count; i++) free(s->texts[i]);
    hed_css_names_destroy(s->names);
    free(s->pages);
    free(s->texts);
}

/* `path` beside the file `from`; what follows ? or # is no part of a file's name. False: it is no file
 * (http:, data:). */
static bool beside(const char *from, const char *path, char *joined, size_t size)
{
    size_t length = strcspn(path, "?#"), scheme = strcspn(path, ":/");
    const char *slash = strrchr(from, '/');
    int folder = path[0] == '/' || !slash ? 0 : (int)(slash + 1 - from);
    if (path[scheme] == ':' || (path[0] == '/' && path[1] == '/') || length == 0) return false;
    snprintf(joined, size, "%.*s%.*s", folder, from, (int)length, path);
    return true;
}

static const char *site_import(void *user, const char *url, size_t *length)
{
    site *s = user;
    hed_error error = {0};
    char path[2048];
    if (!beside(s->folder, url, path, sizeof path)) return NULL;
    const char *text = site_read(s, path, length, &error);
    if (!text) fprintf(stderr, "heddle: warning: @import: %s\n", error.text);
    return text;
}

static hed_status site_add_sheet(site *s, const char *file, const char *text, size_t length,
    const char *media, bool quirks, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    if (s->sheet_count == MOST_SHEETS)
        return hed_fail(error, HED_ERROR_LIMIT, "%s: more than %d sheets", file, MOST_SHEETS);
    snprintf(s->folder, sizeof s->folder, "%s", file);
    hed_css_sheet_def def = {.text = text,
        .length = length,
        .file = file,
        .origin = HED_CSS_AUTHOR,
        .media = media && *media ? media : NULL,
        .quirks = quirks,
        .medium = hed_default_css_medium(),
        .import = site_import,
        .user = s};
    if (hed_css_sheet_create(s->names, &def, &s->sheets[s->sheet_count], error))
        return error->status;
    s->files[s->sheet_count] = strdup(file);
    s->sheet_count++;
    return HED_OK;
}

/* The sheets that page `index` names itself; those that several pages name are taken once. */
static hed_status site_add_own(site *s, const char *page, uint32_t index, hed_error *error)
{
    const hed_css_document *d = s->pages[index];
    hed_css_document_info info = hed_css_document_describe(d);
    for (uint32_t i = 0; i < info.style_sheets && !hed_failed(error); i++) {
        const char *href, *media;
        size_t length;
        char path[2048];
        const char *text = hed_css_document_sheet(d, i, &length, &href, &media);
        if (text) {
            site_add_sheet(s, page, text, length, media, info.quirks, error);
            continue;
        }
        bool known = false;
        if (!beside(page, href, path, sizeof path)) {
            fprintf(
                stderr, "heddle: warning: %s: the sheet %s is not on this machine\n", page, href);
            continue;
        }
        for (uint32_t k = 0; k < s->sheet_count; k++) known = known || !strcmp(s->files[k], path);
        if (known) continue;
        hed_error missing = {0};
        text = site_read(s, path, &length, &missing);
        if (!text) fprintf(stderr, "heddle: warning: %s: %s\n", page, missing.text);
        else site_add_sheet(s, path, text, length, media, info.quirks, error);
    }
    return hed_failed(error) ? error->status : HED_OK;
}

static hed_status site_add_page(site *s, const char *path, hed_error *error)
{
    size_t length;
    if (s->page_count == MOST_PAGES)
        return hed_fail(error, HED_ERROR_LIMIT, "more than %d pages", MOST_PAGES);
    s->pages = more(s->pages, &s->page_room, s->page_count, sizeof(void *), error);
    const char *text = site_read(s, path, &length, error);
    if (!text) return error->status;
    const hed_css_document_def def = {.html = text, .html_length = length, .file = path};
    if (hed_css_document_create(s->names, &def, &s->pages[s->page_count], error))
        return error->status;
    s->page_count++;
    return HED_OK;
}

/* Pages and sheets of the command line; without a sheet the pages' own. */
static hed_status site_open(site *s, const hed_arguments *arguments, const char *pages,
    const char *sheets, bool states_possible, hed_error *error)
{
    const char *path;
    bool quirks = false;
    if (hed_css_names_create(NULL, &s->names, error)) return error->status;
    for (uint32_t i = 0; (path = hed_text_at(arguments, pages, i)) && !hed_failed(error); i++) {
        if (hed_interrupted()) return hed_fail(error, HED_ERROR_TIMEOUT, "interrupted");
        site_add_page(s, path, error);
        if (!hed_failed(error)) quirks = quirks || hed_css_document_describe(s->pages[i]).quirks;
    }
    for (uint32_t i = 0; (path = hed_text_at(arguments, sheets, i)) && !hed_failed(error); i++) {
        size_t length;
        const char *text = site_read(s, path, &length, error);
        if (text) site_add_sheet(s, path, text, length, NULL, quirks, error);
    }
    if (!hed_given(arguments, sheets))
        for (uint32_t i = 0; i < s->page_count && !hed_failed(error); i++)
            site_add_own(s, hed_text_at(arguments, pages, i), i, error);
    if (hed_failed(error)) return error->status;
    if (!s->sheet_count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "no style sheet was given, and %s names none of its own",
            hed_text_at(arguments, pages, 0));
    const hed_css_matcher_def def = {.documents = s->pages,
        .document_count = s->page_count,
        .sheets = s->sheets,
        .sheet_count = s->sheet_count,
        .states_possible = states_possible};
    hed_css_matcher_create(NULL, &def, &s->matcher, error);
    return hed_css_match(s->matcher, error);
}

/* Rule `rule` of all sheets together. */
static hed_css_rule site_rule(const site *s, uint32_t rule, uint32_t *sheet)
{
    uint32_t i = 0;
    for (; rule >= hed_css_rule_count(s->sheets[i]); i++) rule -= hed_css_rule_count(s->sheets[i]);
    if (sheet) *sheet = i;
    return hed_css_rule_at(s->sheets[i], rule);
}

/* A selector on one line, cut to `size`. */
static void one_line(const hed_css_rule *rule, char *text, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < rule->selector_length && used + 1 < size; i++) {
        char c = rule->selector[i];
        bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
        if (space && used && text[used - 1] == ' ') continue;
        text[used++] = space ? ' ' : c;
    }
    text[used] = 0;
}

/* ---- match ---- */

static void print_tsv(const site *s, uint32_t rules, const uint32_t *counts, const uint32_t *hashes)
{
    for (uint32_t r = 0; r < rules; r++)
        printf("%u\t%c\t%u\t%08x\n", r, site_rule(s, r, NULL).validity, counts[r], hashes[r]);
}

static hed_status print_matches(const site *s, const hed_arguments *arguments, uint32_t rules,
    const uint32_t *counts, const uint32_t *hashes, hed_error *error)
{
    cli_report *report = cli_report_create(hed_given(arguments, "json"));
    for (uint32_t r = 0; r < rules; r++) {
        uint32_t sheet;
        hed_css_rule rule = site_rule(s, r, &sheet);
        char selector[512], status[2] = {(char)rule.validity, 0};
        one_line(&rule, selector, sizeof selector);
        cli_report_row(report, CLI_WHOLE("rule", r, .heading = ">RULE"),
            CLI_TEXT("status", status, .heading = "ST"),
            CLI_WHOLE("elements", counts[r], .heading = ">ELEMENTS"), CLI_WHOLE("hash", hashes[r]),
            CLI_TEXT("file", s->files[sheet]), CLI_WHOLE("line", rule.line, .heading = ">LINE"),
            CLI_TEXT("selector", selector, .heading = "SELECTOR"),
            CLI_TEXT("reason", rule.reason, .heading = "REASON"));
    }
    return cli_report_end(report, HED_OK, error);
}

static int match_command(const hed_arguments *arguments, void *user)
{
    site s = {0};
    hed_error error = {0};
    (void)user;
    site_open(&s, arguments, "PAGE", "SHEET", false, &error);
    if (!hed_failed(&error) && hed_given(arguments, "winners")) {
        hed_css_result result = hed_css_results(s.matcher);
        uint32_t *winners = calloc(result.elements + 1, sizeof *winners);
        if (winners) hed_css_winners(s.matcher, winners);
        else hed_fail(&error, HED_ERROR_MEMORY, "no memory for the winners of elements");
        for (uint32_t e = 0; winners && e < result.elements; e++) {
            if (winners[e] == HED_CSS_NONE) printf("%u\t-\n", e);
            else printf("%u\t%u\n", e, winners[e]);
        }
        free(winners);
    } else if (!hed_failed(&error)) {
        uint32_t rules = hed_css_results(s.matcher).rules;
        uint32_t *counts = calloc(rules + 1, sizeof *counts),
                 *hashes = calloc(rules + 1, sizeof *hashes);
        if (!counts || !hashes) hed_fail(&error, HED_ERROR_MEMORY, "no memory for counts of rules");
        else hed_css_counts(s.matcher, counts, hashes);
        if (!hed_failed(&error)) {
            if (hed_given(arguments, "tsv")) print_tsv(&s, rules, counts, hashes);
            else print_matches(&s, arguments, rules, counts, hashes, &error);
        }
        free(counts);
        free(hashes);
    }
    site_close(&s);
    return cli_end(error.status, &error);
}

static const hed_command css_match = {
    .name = "match",
    .summary = "how many elements each rule matches",
    .description =
        "For each style rule in source order, those in @media, @supports and @layer flattened: whether "
        "it is valid (M), invalid and dropped as the specification says (E), or about what is not "
        "matched here (U), how many elements it matches, and its selector. Without a sheet the page's "
        "own are taken: <style>, <link> and @import from the disk.",
    .positionals =
        (const hed_option[]){
            {.name = "PAGE", .kind = HED_OPTION_FILE, .required = true, .help = "an HTML file"},
            {.name = "SHEET", .kind = HED_OPTION_FILE, .repeated = true, .help = "style sheets"},
            {0}},
    .options = (const hed_option[]){FLAG("tsv",
                                        "lines for programs: rule, status, elements, FNV-1a hash "
                                        "over the elements' numbers"),
        CLI_OPTION_JSON(true),
        FLAG("winners", "for each element the rule that wins if every rule sets one same property"),
        {0}},
    .examples = (const hed_example[]){{"heddle css match page.html app.css", "a table of rules"},
        {"heddle css match page.html --tsv", "the page's own sheets, for a program"}, {0}},
    .run = match_command,
};

/* ---- unused ---- */

/* Whether a selector names a class that a pattern of --keep fits. */
static bool is_kept(const hed_arguments *arguments, const hed_css_rule *rule)
{
    const char *pattern;
    for (uint32_t i = 0; (pattern = hed_text_at(arguments, "keep", i)); i++)
        for (size_t at = 0; at + 1 < rule->selector_length; at++) {
            char name[256];
            size_t length = 0;
            if (rule->selector[at] != '.') continue;
            while (at + 1 + length < rule->selector_length && length + 1 < sizeof name) {
                char c = rule->selector[at + 1 + length];
                if (strchr(" .#:>+~,[(){}\t\r\n\f)", c)) break;
                name[length++] = c;
            }
            name[length] = 0;
            if (fnmatch(*pattern == '.' ? pattern + 1 : pattern, name, 0) == 0) return true;
        }
    return false;
}

/* The only sheet without the rules that are unused; a rule that holds one that is used stays. */
static hed_status write_used(
    site *s, const char *path, const bool *unused, uint32_t rules, hed_error *error)
{
    if (s->sheet_count != 1)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "--out writes one sheet without its unused rules: %u sheets were read", s->sheet_count);
    size_t length = 0;
    char *sheet = site_read(s, s->files[0], &length, error);
    hed_file_writer *writer = NULL;
    if (!sheet || hed_file_writer_open(path, &writer, error)) return error->status;
    size_t at = 0;
    for (uint32_t r = 0; r < rules; r++) {
        hed_css_rule rule = hed_css_rule_at(s->sheets[0], r);
        bool holds_used = false;
        if (!unused[r] || rule.source != 0 || rule.begin < at) continue;
        for (uint32_t k = r + 1; k < rules; k++) {
            hed_css_rule inner = hed_css_rule_at(s->sheets[0], k);
            if (inner.source != 0 || inner.begin >= rule.end) break;
            holds_used = holds_used || !unused[k];
        }
        if (holds_used) continue;
        hed_file_writer_put(writer, sheet + at, rule.begin - at);
        at = rule.end;
        while (at < length && (sheet[at] == '\n' || sheet[at] == ' ')) at++;
    }
    hed_file_writer_put(writer, sheet + at, length - at);
    return hed_file_writer_commit(writer, error);
}

static int unused_command(const hed_arguments *arguments, void *user)
{
    site s = {0};
    hed_error error = {0};
    uint32_t count = 0;
    size_t bytes = 0;
    (void)user;
    site_open(&s, arguments, "PAGE", "css", true, &error);
    uint32_t rules = hed_failed(&error) ? 0 : hed_css_results(s.matcher).rules;
    uint32_t *counts = calloc(rules + 1, sizeof *counts);
    bool *unused = calloc(rules + 1, sizeof *unused), json = hed_given(arguments, "json");
    if (!counts || !unused) hed_fail(&error, HED_ERROR_MEMORY, "no memory for counts of rules");
    if (!hed_failed(&error)) {
        cli_report *report = cli_report_create(json);
        hed_css_counts(s.matcher, counts, NULL);
        for (uint32_t r = 0; r < rules; r++) {
            uint32_t sheet;
            char selector[512];
            hed_css_rule rule = site_rule(&s, r, &sheet);
            unused[r] = rule.validity == HED_CSS_VALID && !counts[r] && !is_kept(arguments, &rule);
            if (!unused[r]) continue;
            one_line(&rule, selector, sizeof selector);
            count++;
            bytes += rule.end - rule.begin;
            cli_report_row(report, CLI_TEXT("file", s.files[sheet], .heading = "FILE"),
                CLI_WHOLE("line", rule.line, .heading = ">LINE"),
                CLI_WHOLE("bytes", rule.end - rule.begin, .heading = ">BYTES"),
                CLI_TEXT("selector", selector, .heading = "SELECTOR"));
        }
        cli_report_end(report, HED_OK, &error);
        if (hed_given(arguments, "out"))
            write_used(&s, hed_text_of(arguments, "out"), unused, rules, &error);
    }
    if (!hed_failed(&error) && !json)
        printf("%s%u of %u rules match nothing on %u page%s: %zu bytes\n", count ? "\n" : "", count,
            rules, s.page_count, s.page_count == 1 ? "" : "s", bytes);
    free(counts);
    free(unused);
    site_close(&s);
    if (hed_failed(&error)) return cli_end(error.status, &error);
    bool over = hed_given(arguments, "fail-over") && count > hed_integer_of(arguments, "fail-over");
    return over ? HED_EXIT_FAILURE : 0;
}

static const hed_command css_unused = {
    .name = "unused",
    .summary = "rules that match nothing on any page of a site",
    .description =
        "Which rules match no element on any of the pages. States that a page does not hold (:hover, "
        ":focus ...) are taken as possible, and a pseudo-element is used where its element is. Classes "
        "that scripts add are given by --keep. Without --css the pages' own sheets are taken.",
    .positionals = (const hed_option[]){{.name = "PAGE",
                                            .kind = HED_OPTION_FILE,
                                            .required = true,
                                            .repeated = true,
                                            .help = "HTML files"},
        {0}},
    .options = (const hed_option[]){{.name = "css",
                                        .kind = HED_OPTION_FILE,
                                        .value = "FILE",
                                        .repeated = true,
                                        .own = true,
                                        .help = "a style sheet"},
        OPTION("out", FILE, "FILE", "write the sheet without the unused rules"),
        {.name = "keep",
            .kind = HED_OPTION_TEXT,
            .value = "PATTERN",
            .repeated = true,
            .own = true,
            .help = "classes that scripts add, such as js-*; a rule that names one is used"},
        {.name = "fail-over",
            .kind = HED_OPTION_INTEGER,
            .value = "COUNT",
            .own = true,
            .low = 0,
            .high = 1e9,
            .help = "exit with 1 where more rules are unused"},
        CLI_OPTION_JSON(true), {0}},
    .examples = (const hed_example[]){{"heddle css unused site/*.html", "of the pages' own sheets"},
        {"heddle css unused site/*.html --css app.css --out app.used.css --keep 'js-*'",
            "a sheet without what no page uses"},
        {"heddle css unused site/*.html --fail-over 0", "for continuous integration"}, {0}},
    .run = unused_command,
};

static int css_none(const hed_arguments *arguments, void *user)
{
    (void)user;
    hed_options_help(arguments, stderr);
    return HED_EXIT_USAGE;
}

const hed_command hed_command_css = {
    .name = "css",
    .summary = "style sheets against pages: what matches, what is unused",
    .description = "Style sheets against whole pages: CSS Syntax 3 and Selectors 4.",
    .commands = (const hed_command *const[]){&css_match, &css_unused, NULL},
    .examples =
        (const hed_example[]){{"heddle css unused site/*.html", "rules that no page uses"}, {0}},
    .run = css_none,
};
