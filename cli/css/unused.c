/* heddle css unused: which rules no page of a site uses. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/report.h"
#include "cli/css/site.h"
#include "support/file.h"

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
            css_one_line(&rule, selector, sizeof selector);
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

const hed_command hed_command_css_unused = {
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
