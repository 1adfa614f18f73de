/* heddle css match: how many elements each rule matches, and which. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/common/report.h"
#include "cli/css/site.h"

static hed_status print_matches(const site *s, const hed_arguments *arguments, uint32_t rules,
    const uint32_t *counts, const uint32_t *hashes, hed_error *error)
{
    cli_report *report = cli_report_create(hed_given(arguments, "json"));
    for (uint32_t r = 0; r < rules; r++) {
        uint32_t sheet;
        hed_css_rule rule = site_rule(s, r, &sheet);
        char *selector = css_selector_line(&rule), status[2] = {(char)rule.validity, 0};
        cli_report_row(report, CLI_WHOLE("rule", r, .heading = ">RULE"),
            CLI_TEXT("status", status, .heading = "ST"),
            CLI_WHOLE("elements", counts[r], .heading = ">ELEMENTS"), CLI_WHOLE("hash", hashes[r]),
            CLI_TEXT("file", site_file(s, sheet, rule.source)),
            CLI_WHOLE("line", rule.line, .heading = ">LINE"),
            CLI_TEXT("selector", selector ? selector : "", .heading = "SELECTOR"),
            CLI_TEXT("reason", rule.reason, .heading = "REASON"));
        free(selector);
    }
    return cli_report_end(report, HED_OK, error);
}

/* ---- winners ---- */

static void print_winners(const uint32_t *winners, uint32_t elements)
{
    for (uint32_t e = 0; e < elements; e++) {
        if (winners[e] == HED_CSS_NONE) printf("%u\t-\n", e);
        else if (winners[e] == HED_CSS_OWN_STYLE) printf("%u\tstyle\n", e);
        else printf("%u\t%u\n", e, winners[e]);
    }
}

/* Prints the number of elements on which each rule wins, on which a style attribute wins, and on
 * which nothing does. */
static hed_status report_winners(const site *s, const hed_arguments *arguments,
    const uint32_t *winners, uint32_t elements, uint32_t *counts, hed_error *error)
{
    cli_report *report = cli_report_create(hed_given(arguments, "json"));
    uint32_t rules = hed_css_matcher_results(s->matcher).rules;
    for (uint32_t e = 0; e < elements; e++) {
        uint32_t w = winners[e];
        counts[w == HED_CSS_NONE ? rules + 1 : w == HED_CSS_OWN_STYLE ? rules : w]++;
    }
    for (uint32_t r = 0; r < rules + 2; r++) {
        uint32_t sheet = 0;
        char place[32] = "";
        hed_css_rule rule = {.selector = ""};
        if (!counts[r]) continue;
        if (r < rules) {
            rule = site_rule(s, r, &sheet);
            snprintf(place, sizeof place, "%u", rule.line);
        }
        char *selector = css_selector_line(&rule);
        cli_report_row(report,
            CLI_TEXT("winner",
                r < rules    ? "rule"
                : r == rules ? "style"
                             : "none",
                .heading = "WINNER"),
            CLI_WHOLE("rule", r < rules ? (int64_t)r : -1, .heading = ">RULE",
                .shown = r < rules ? NULL : ""),
            CLI_WHOLE("elements", counts[r], .heading = ">ELEMENTS"),
            CLI_TEXT("file", r < rules ? site_file(s, sheet, rule.source) : "", .heading = "FILE"),
            CLI_WHOLE("line", rule.line, .heading = ">LINE", .shown = place),
            CLI_TEXT("selector", selector ? selector : "", .heading = "SELECTOR"));
        free(selector);
    }
    return cli_report_end(report, HED_OK, error);
}

static hed_status match_winners(const site *s, const hed_arguments *arguments, hed_error *error)
{
    hed_css_result result = hed_css_matcher_results(s->matcher);
    uint32_t *winners = calloc(result.elements + 1, sizeof *winners),
             *counts = calloc(result.rules + 2, sizeof *counts);
    if (!winners || !counts) HED_OUT_OF_MEMORY(error, "the winners of elements");
    else if (hed_given(arguments, "property")) {
        const char *name = hed_text_of(arguments, "property");
        if (hed_css_cascade(s->matcher, name, winners, error))
            cli_name_option(error, "property", name);
    } else hed_css_element_winners(s->matcher, winners, error);
    bool json = hed_given(arguments, "json"), property = hed_given(arguments, "property");
    bool lines = hed_given(arguments, "tsv") || (!property && !json);
    if (!hed_failed(error)) {
        if (lines) print_winners(winners, result.elements);
        else report_winners(s, arguments, winners, result.elements, counts, error);
    }
    free(winners);
    free(counts);
    return hed_failed(error) ? error->status : HED_OK;
}

/* Writes a number in decimal; returns the end. */
static char *put_decimal(char *to, uint32_t value)
{
    char digits[10];
    uint32_t count = 0;
    do digits[count++] = (char)('0' + value % 10);
    while (value /= 10);
    while (count) *to++ = digits[--count];
    return to;
}

/* Prints a line for each rule, for programs. A batch prints many of them, so printf() is too slow
 * here. */
static void print_lines(
    const site *s, uint32_t rules, const uint32_t *counts, const uint32_t *hashes)
{
    for (uint32_t r = 0; r < rules; r++) {
        char line[64], *to = put_decimal(line, r);
        *to++ = '\t';
        *to++ = (char)site_rule(s, r, NULL).validity;
        *to++ = '\t';
        to = put_decimal(to, counts[r]);
        *to++ = '\t';
        for (int shift = 28; shift >= 0; shift -= 4)
            *to++ = "0123456789abcdef"[hashes[r] >> shift & 15];
        *to++ = '\n';
        fwrite_unlocked(line, 1, (size_t)(to - line), stdout);
    }
}

static hed_status match_rules(const site *s, const hed_arguments *arguments, hed_error *error)
{
    uint32_t rules = hed_css_matcher_results(s->matcher).rules;
    uint32_t *counts = calloc(rules + 1, sizeof *counts),
             *hashes = calloc(rules + 1, sizeof *hashes);
    if (!counts || !hashes) HED_OUT_OF_MEMORY(error, "counts of rules");
    else hed_css_matcher_counts(s->matcher, counts, hashes);
    if (!hed_failed(error)) {
        if (!hed_given(arguments, "tsv")) print_matches(s, arguments, rules, counts, hashes, error);
        else print_lines(s, rules, counts, hashes);
    }
    free(counts);
    free(hashes);
    return hed_failed(error) ? error->status : HED_OK;
}

/* Sets :hover for all elements. */
static void hover_elements(const site *s, hed_error *error)
{
    for (uint32_t page = 0; page < s->page_count; page++)
        for (uint32_t e = 0; e < hed_css_document_describe(s->pages[page]).elements; e++)
            if (!hed_failed(error))
                hed_css_set_state(s->matcher, page, e, HED_CSS_HOVER, NULL, error);
}

static int match_command(const hed_arguments *arguments, void *user)
{
    site s = {.has_medium = true};
    hed_error error = {0};
    cli_session session = {0};
    (void)user;
    if (hed_given(arguments, "device")) {
        if (cli_open_devices(arguments, &session, &error) != HED_OK) return cli_fail(&error);
        s.device = session.devices[0];
    }
    site_open(&s, arguments, "PAGE", "SHEET", false, &error);
    if (!hed_failed(&error) && hed_given(arguments, "hover")) hover_elements(&s, &error);
    if (!hed_failed(&error)) {
        if (hed_given(arguments, "winners") || hed_given(arguments, "property"))
            match_winners(&s, arguments, &error);
        else match_rules(&s, arguments, &error);
    }
    site_close(&s);
    cli_close(&session);
    return cli_end(error.status, &error);
}

const hed_command hed_command_css_match = {
    .name = "match",
    .summary = "how many elements each rule matches",
    .description =
        "For each style rule in source order, those in @media, @supports and @layer flattened: whether "
        "it is valid (M), invalid and dropped as the specification says (E), or about what is not "
        "matched here (U), how many elements it matches, and its selector. With --property the cascade of "
        "that property instead: which rule wins it on how many elements, or which style attributes do; "
        "with --tsv the winner of each element, \"style\" for its own attribute, \"-\" for none. Without a sheet the page's "
        "own are taken: <style>, <link> and @import from the disk. Without --device the processor matches.",
    .positionals = (const hed_option[]){SITE_POSITIONALS, {0}},
    .options = (const hed_option[]){FLAG("tsv",
                                        "lines for programs: rule, status, elements, FNV-1a hash "
                                        "over the elements' numbers"),
        CLI_OPTION_JSON(true), CLI_OPTION_DEVICES(true),
        FLAG("winners", "for each element the rule that wins if every rule sets one same property"),
        OPTION("property", TEXT, "NAME", "which rule wins this property in the cascade: margin-left, or =--gap"),
        FLAG("hover", "as if the pointer were over every element: :hover matches"),
        SITE_OPTIONS_MEDIUM, {0}},
    .examples = (const hed_example[]){{"heddle css match page.html app.css", "a table of rules"},
        {"heddle css match page.html --tsv", "the page's own sheets, for a program"},
        {"heddle css match page.html --property display",
            "which rules set it on how many elements"},
        {0}},
    .repeats = true,
    .is_brief = true,
    .run = match_command,
};
