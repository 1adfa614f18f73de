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

/* Writes the place of a rule, "file:line selector", or names the style attribute. */
static void rule_text(const explained *x, uint32_t number, char *text, size_t size)
{
    if (number == HED_CSS_OWN_STYLE) {
        snprintf(text, size, "the style attribute");
        return;
    }
    char selector[80];
    uint32_t sheet;
    hed_css_rule rule = site_rule(x->s, number, &sheet);
    const char *file = site_file(x->s, sheet, rule.source), *slash = strrchr(file, '/');
    hed_css_selector_text(&rule, selector, sizeof selector);
    snprintf(text, size, "%s:%u %s", slash ? slash + 1 : file, rule.line, selector);
}

/* Writes the layer of a rule; "": it is in no layer. */
static void rule_layer(const explained *x, uint32_t number, char *text, size_t size)
{
    uint32_t sheet;
    text[0] = 0;
    if (number == HED_CSS_OWN_STYLE) return;
    site_rule(x->s, number, &sheet);
    hed_css_layer_text(x->s->sheets[sheet], number - site_first_rule(x->s, sheet), text, size);
}

/* Writes the name of a tree: the page, or the shadow tree of an element. */
static void tree_text(const explained *x, uint32_t tree, char *text, size_t size)
{
    uint32_t host = hed_css_tree_host(x->s->pages[0], tree);
    int used = snprintf(text, size, host == HED_CSS_NONE ? "the page" : "the shadow tree of ");
    if (host != HED_CSS_NONE && (size_t)used < size)
        hed_css_element_text(x->s->pages[0], host, text + used, size - (size_t)used);
}

/* Writes the reason for which another declaration wins. */
static void defeat_text(const explained *x, const hed_css_declaration *d, char *text, size_t size)
{
    static const char outside[] = "a rule outside of layers";
    char layers[2][64], trees[2][64];
    uint32_t high = d->winner_specificity, low = d->specificity;
    rule_layer(x, d->winner, layers[0], sizeof layers[0]);
    rule_layer(x, d->rule, layers[1], sizeof layers[1]);
    tree_text(x, d->winner_tree, trees[0], sizeof trees[0]);
    tree_text(x, d->tree, trees[1], sizeof trees[1]);
    switch (d->defeat) {
    case HED_CSS_BY_TREE:
        snprintf(text, size, "%s of %s is stronger than one of %s, which is further %s",
            d->important ? "an !important declaration" : "a declaration", trees[0], trees[1],
            d->important ? "out" : "in");
        break;
    case HED_CSS_BY_IMPORTANCE: snprintf(text, size, "is !important"); break;
    case HED_CSS_BY_STYLE:
        snprintf(text, size, "a style attribute is stronger than selectors");
        break;
    case HED_CSS_BY_LAYER:
        snprintf(text, size, "%s%s is stronger than %s%s%s", layers[0][0] ? "layer " : outside,
            layers[0], layers[1][0] ? "layer " : outside, layers[1],
            d->important ? " for !important" : "");
        break;
    case HED_CSS_BY_SPECIFICITY:
        snprintf(text, size, "specificity %u,%u,%u is above %u,%u,%u", high >> 20,
            high >> 10 & 1023, high & 1023, low >> 20, low >> 10 & 1023, low & 1023);
        break;
    case HED_CSS_BY_SCOPE:
        snprintf(text, size, "the root of its @scope is nearer to the element");
        break;
    case HED_CSS_BY_ORDER:
        snprintf(text, size, "%s",
            d->winner == d->rule ? "a later declaration of the same rule" : "comes later");
        break;
    default: text[0] = 0;
    }
}

/* Writes one sentence: why a declaration does nothing, or not all that it could. */
static void sentence_text(const explained *x, const hed_css_declaration *d, char *text, size_t size)
{
    char rule[160], reason[256], condition[256] = "";
    uint32_t sheet;
    text[0] = 0;
    switch (d->standing) {
    case HED_CSS_TAKES_PART:
        if (!d->defeat) break;
        rule_text(x, d->winner, rule, sizeof rule);
        defeat_text(x, d, reason, sizeof reason);
        if (d->defeat == HED_CSS_BY_REVERT)
            snprintf(text, size, "rolled back by %s, which reverts", rule);
        else
            snprintf(text, size, "%soverridden by %s: %s", d->wins ? "in part " : "", rule, reason);
        break;
    case HED_CSS_CONDITION_FAILS:
        site_rule(x->s, d->rule, &sheet);
        hed_css_failing_condition(x->s->sheets[sheet], d->rule - site_first_rule(x->s, sheet),
            condition, sizeof condition);
        snprintf(text, size, "condition does not hold: %s", condition);
        break;
    case HED_CSS_NO_PROPERTY:
        snprintf(text, size, "unknown property%s%s%s", d->suggestion[0] ? "; did you mean " : "",
            d->suggestion, d->suggestion[0] ? "?" : "");
        break;
    case HED_CSS_NO_VALUE:
        snprintf(text, size, "invalid at %s%.*s%s: %s%s%s%s%s",
            d->fault_begin < d->fault_end ? "\"" : "the end",
            (int)(d->fault_end - d->fault_begin < 40 ? d->fault_end - d->fault_begin : 40),
            d->value + d->fault_begin, d->fault_begin < d->fault_end ? "\"" : "",
            d->lacks_unit ? "a number without a unit; " : "", "expected ", d->expected,
            d->suggestion[0] ? "; did you mean " : "", d->suggestion);
        if (d->suggestion[0]) strncat(text, "?", size - strlen(text) - 1);
        break;
    default: break;
    }
}

static void explain_row(void *user, const hed_css_declaration *d)
{
    const explained *x = user;
    char result[32], declaration[160], layer[128] = "", condition[512] = "", *selector = NULL;
    char specificity[32] = "style", short_value[48] = "", place[640], reason[640], tree[96];
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
    sentence_text(x, d, reason, sizeof reason);
    tree_text(x, d->tree, tree, sizeof tree);
    cli_report_row(x->report, CLI_WHOLE("element", x->element),
        CLI_TEXT("pseudo_element", d->pseudo_element, .heading = "PSEUDO"),
        CLI_TEXT("result", outcome, .heading = "RESULT", .shown = result),
        CLI_TEXT(NULL, declaration, .heading = "DECLARATION"), CLI_TEXT("property", d->property),
        CLI_TEXT("value", value ? value : ""), CLI_FLAG("important", d->important),
        CLI_WHOLE("sets", d->sets), CLI_WHOLE("wins", d->wins),
        CLI_WHOLE("rule", d->rule == HED_CSS_OWN_STYLE ? -1 : (int64_t)d->rule),
        CLI_TEXT("specificity", specificity, .heading = "SPECIFICITY"),
        CLI_TEXT("origin", "author"), CLI_TEXT("tree", tree), CLI_TEXT("layer", layer, .heading = "LAYER"),
        CLI_TEXT("condition", condition, .heading = "CONDITION"), CLI_TEXT("file", file),
        CLI_WHOLE("line", rule.line), CLI_TEXT(NULL, place, .heading = "WHERE"),
        CLI_TEXT("selector", selector ? selector : "", .heading = "SELECTOR"),
        CLI_TEXT("why", reason, .heading = "WHY"));
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

/* Sets :hover for an element and its ancestors. */
static void hover_element(const site *s, uint32_t element, hed_error *error)
{
    for (uint32_t at = element; at != HED_CSS_NONE && !hed_failed(error);
         at = hed_css_element_parent(s->pages[0], at))
        hed_css_set_state(s->matcher, 0, at, HED_CSS_HOVER, NULL, error);
}

static int explain_command(const hed_arguments *arguments, void *user)
{
    site s = {.has_medium = true};
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
        if (hed_given(arguments, "hover")) hover_element(&s, x.element, &error);
        if (!hed_failed(&error)) hed_css_explain(s.matcher, x.element, explain_row, &x, &error);
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
        "wins, wins part of what its shorthand sets, or does nothing, with the reason: overridden by a rule "
        "(by importance, style attribute, layer, specificity or order), rolled back, a condition that does "
        "not hold, an unknown property, or an invalid value, with what fits in its place. Where several "
        "elements match the selector, the first is taken. Without a sheet the page's own are taken.",
    .positionals = (const hed_option[]){SITE_POSITIONALS,
        POSITIONAL("SELECTOR", TEXT, "what the element is found by, such as 'div#main > p'", .required = true),
        {0}},
    .options = (const hed_option[]){OPTION("nth", INTEGER, "NUMBER", "of the elements that match, from 1", .low = 1, .high = 1e9),
        FLAG("hover", "as if the pointer were over the element: it and those around it are :hover"),
        SITE_OPTIONS_MEDIUM, CLI_OPTION_JSON(true), {0}},
    .examples = (const hed_example[]){{"heddle css explain page.html '#main > p'",
                                          "by the page's own sheets"},
        {"heddle css explain page.html app.css p --nth 3", "the third paragraph, by one sheet"},
        {"heddle css explain page.html nav --width 480 --dark", "on a narrow, dark screen"}, {0}},
    .repeats = true,
    .is_brief = true,
    .run = explain_command,
};
