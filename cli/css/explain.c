/* heddle css explain: every declaration on one element, in the order of the cascade. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/report.h"
#include "cli/css/site.h"

typedef struct explained {
    const site *s;
    cli_report *report;
    uint32_t element;
} explained;

static const char *result_of(const hed_css_declaration *d, char *text, size_t size)
{
    static const char *const standings[][2] = {
        [HED_CSS_CONDITION_FAILS] = {"off", "condition fails"},
        [HED_CSS_NO_PROPERTY] = {"no property", "no property"},
        [HED_CSS_NO_VALUE] = {"no value", "no value of it"},
        [HED_CSS_EMPTY_RULE] = {"empty", "no declarations"},
    };
    if (d->standing != HED_CSS_TAKES_PART) {
        snprintf(text, size, "%s", standings[d->standing][1]);
        return standings[d->standing][0];
    }
    const char *result = !d->wins ? "beaten" : d->wins < d->sets ? "wins partly" : "wins";
    snprintf(text, size, "%s", result);
    if (d->wins && d->wins < d->sets) snprintf(text, size, "wins %u of %u", d->wins, d->sets);
    return result;
}

/* Writes a value on one line, cut between two characters to at most `limit` bytes. */
static void value_text(const hed_css_declaration *d, char *text, size_t limit)
{
    size_t used = 0, i = 0;
    for (; i < d->value_length && used < limit; i++) {
        char c = d->value[i];
        bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
        if (space && used && text[used - 1] == ' ') continue;
        text[used++] = space ? ' ' : c;
    }
    if (i < d->value_length) {
        while (used && (text[used - 1] & 0xc0) == 0x80) used--;
        while (used && text[used - 1] & 0x80) used--;
    }
    text[used] = 0;
}

static void explain_row(void *user, const hed_css_declaration *d)
{
    const explained *x = user;
    char result[32], declaration[160], layer[128] = "", condition[512] = "", *selector = NULL;
    char specificity[32] = "style", short_value[48] = "", place[640];
    const char *file = "", *outcome = result_of(d, result, sizeof result);
    hed_css_rule rule = {.line = hed_css_element_line(x->s->pages[0], x->element)};
    char *value = malloc(d->value_length + 1);
    if (value) value_text(d, value, d->value_length);
    value_text(d, short_value, 40);
    snprintf(declaration, sizeof declaration, "%.60s%s%s%s", d->property,
        d->property[0] ? ": " : "", short_value, d->important ? " !important" : "");
    if (d->rule != HED_CSS_OWN_STYLE) {
        uint32_t sheet;
        rule = site_rule(x->s, d->rule, &sheet);
        file = site_file(x->s, sheet, rule.source);
        uint32_t local = d->rule - site_first_rule(x->s, sheet);
        hed_css_layer_text(x->s->sheets[sheet], local, layer, sizeof layer);
        hed_css_condition_text(x->s->sheets[sheet], local, condition, sizeof condition);
        selector = css_selector_line(&rule);
        snprintf(specificity, sizeof specificity, "%u,%u,%u", d->specificity >> 20,
            d->specificity >> 10 & 1023, d->specificity & 1023);
    } else file = x->s->page_file;
    snprintf(place, sizeof place, "%.600s:%u", file, rule.line);
    cli_report_row(x->report, CLI_WHOLE("element", x->element),
        CLI_TEXT("pseudo_element", d->pseudo_element, .heading = "PSEUDO"),
        CLI_TEXT("result", outcome, .heading = "RESULT", .shown = result),
        CLI_TEXT(NULL, declaration, .heading = "DECLARATION"), CLI_TEXT("property", d->property),
        CLI_TEXT("value", value ? value : ""), CLI_FLAG("important", d->important),
        CLI_WHOLE("sets", d->sets), CLI_WHOLE("wins", d->wins),
        CLI_WHOLE("rule", d->rule == HED_CSS_OWN_STYLE ? -1 : (int64_t)d->rule),
        CLI_TEXT("specificity", specificity, .heading = "SPECIFICITY"),
        CLI_TEXT("origin", "author"), CLI_TEXT("layer", layer, .heading = "LAYER"),
        CLI_TEXT("condition", condition, .heading = "CONDITION"), CLI_TEXT("file", file),
        CLI_WHOLE("line", rule.line), CLI_TEXT(NULL, place, .heading = "WHERE"),
        CLI_TEXT("selector", selector ? selector : "", .heading = "SELECTOR"));
    free(selector);
    free(value);
}

/* Finds the element that the command line selects; prints a note if further elements match. */
static hed_status find_element(
    const site *s, const hed_arguments *arguments, uint32_t *element, hed_error *error)
{
    const char *selector = hed_text_of(arguments, "SELECTOR"), *page = s->page_file;
    uint32_t nth = (uint32_t)hed_integer_of(arguments, "nth"), count;
    uint32_t elements = hed_css_document_describe(s->pages[0]).elements;
    uint32_t *matches = calloc(elements + 1, sizeof *matches);
    if (!matches) return HED_OUT_OF_MEMORY(error, "the elements of %s", page);
    if (hed_css_select(s->pages[0], selector, matches, elements, &count, error) == HED_OK) {
        if (!count)
            hed_fail(error, HED_ERROR_ARGUMENT,
                "%s: none of %u elements matches %s; a selector in quotes is one word to the shell",
                page, elements, selector);
        else if (nth > count)
            hed_fail(error, HED_ERROR_ARGUMENT, "--nth %u: %u element%s of %s match%s %s", nth,
                count, count == 1 ? "" : "s", page, count == 1 ? "es" : "", selector);
        else *element = matches[nth ? nth - 1 : 0];
        if (!hed_failed(error) && count > 1 && !nth)
            fprintf(stderr,
                "heddle: note: %u elements match %s; this is the first, --nth 2 is the next\n",
                count, selector);
    }
    free(matches);
    return hed_failed(error) ? error->status : HED_OK;
}

static int explain_command(const hed_arguments *arguments, void *user)
{
    site s = {0};
    hed_error error = {0};
    (void)user;
    site_open(&s, arguments, "PAGE", "SHEET", false, &error);
    explained x = {.s = &s};
    bool opened = !hed_failed(&error);
    bool has_element = opened && !find_element(&s, arguments, &x.element, &error);
    if (has_element) {
        bool json = hed_given(arguments, "json");
        char text[256];
        x.report = cli_report_create(json);
        hed_css_element_text(s.pages[0], x.element, text, sizeof text);
        hed_css_explain(s.matcher, x.element, explain_row, &x, &error);
        if (!json)
            printf("%s, line %u of %s%s\n", text, hed_css_element_line(s.pages[0], x.element),
                s.page_file, cli_report_rows(x.report) ? "" : ": nothing matches it");
        cli_report_end(x.report, error.status, &error);
    }
    site_close(&s);
    if (opened && !has_element) return cli_refuse(&error);
    return cli_end(error.status, &error);
}

const hed_command hed_command_css_explain = {
    .name = "explain",
    .summary = "which rules match one element, and what of them counts",
    .description =
        "Every declaration of the rules that match one element of a page, and of its style attribute, in "
        "the order of the cascade: the strongest first, then those for its pseudo-elements. Each one "
        "wins, wins part of what its shorthand sets, is beaten, or has no part: its @media or @supports "
        "does not hold, the property is none, or the value is certainly none of it. Where several "
        "elements match the selector, the first is taken. Without a sheet the page's own are taken.",
    .positionals = (const hed_option[]){{.name = "PAGE",
                                            .kind = HED_OPTION_FILE,
                                            .names = &cli_data_pages,
                                            .required = true,
                                            .help = "an HTML file"},
        {.name = "SHEET",
            .kind = HED_OPTION_FILE,
            .names = &cli_data_sheets,
            .repeated = true,
            .help = "style sheets"},
        {.name = "SELECTOR",
            .kind = HED_OPTION_TEXT,
            .required = true,
            .help = "what the element is found by, such as 'div#main > p'"},
        {0}},
    .options = (const hed_option[]){{.name = "nth",
                                        .kind = HED_OPTION_INTEGER,
                                        .value = "NUMBER",
                                        .own = true,
                                        .low = 1,
                                        .high = 1e9,
                                        .help = "of the elements that match, from 1"},
        CLI_OPTION_JSON(true), {0}},
    .examples = (const hed_example[]){{"heddle css explain page.html '#main > p'",
                                          "by the page's own sheets"},
        {"heddle css explain page.html app.css p --nth 3", "the third paragraph, by one sheet"},
        {0}},
    .run = explain_command,
};
