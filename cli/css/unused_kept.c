/* Reasons for which rules stay: element, state, word, keep; a list of them, and their sum. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/css/site.h"
#include "cli/css/unused.h"

char *css_evidence(const hed_css_selector_use *use)
{
    char *text = NULL;
    int length = 0;
    if (use->reason == HED_CSS_UNUSED && use->blocked && use->elements)
        length = asprintf(&text, "%s, although %s matches", use->found, use->element);
    else if (use->reason == HED_CSS_BY_KEEP && *use->where)
        length = asprintf(&text, "%s %s", use->where, use->found);
    else if (*use->where && use->reason == HED_CSS_BY_WORD && !use->line)
        length = asprintf(&text, "%s in %s", use->found, use->where);
    else if (*use->where) length = asprintf(&text, "%s in %s:%u", use->found, use->where, use->line);
    else text = strdup(use->found);
    return length < 0 ? NULL : text;
}

/* Lists the selectors of a sheet that stay. */
static void list_sheet(cli_report *report, const css_unused *u, uint32_t number)
{
    const hed_css_sheet_use sheet = hed_css_unused_sheet_at(u->files.search, number);
    for (uint32_t i = 0; i < hed_css_rule_count(sheet.sheet); i++) {
        const hed_css_selector_use use = hed_css_unused_selector(u->files.search, number, i);
        if (use.reason == HED_CSS_UNUSED) continue;
        hed_css_rule rule = hed_css_rule_at(sheet.sheet, i);
        char *selector = css_selector_line(&rule), *from = css_evidence(&use);
        cli_report_row(report, CLI_TEXT("file", sheet.name, .heading = "FILE"),
            CLI_WHOLE("line", rule.line, .heading = ">LINE"),
            CLI_TEXT("reason", hed_css_reason_text(use.reason), .heading = "REASON"),
            CLI_TEXT("selector", selector ? selector : "", .heading = "SELECTOR"),
            CLI_TEXT("from", from ? from : "", .heading = "FROM"));
        free(selector);
        free(from);
    }
}

void css_list_kept(cli_report *report, const css_unused *u)
{
    for (uint32_t i = 0; i < u->files.count; i++)
        if (u->files.items[i].judged) list_sheet(report, u, i);
}

void css_print_kept(const css_unused *u)
{
    static const struct {
        hed_css_reason reason;
        const char *words;
    } reasons[] = {{HED_CSS_BY_ELEMENT, "by an element"}, {HED_CSS_BY_STATE, "by a state"},
        {HED_CSS_BY_WORD, "by a word"}, {HED_CSS_BY_KEEP, "by a pattern or a comment"},
        {HED_CSS_NOT_JUDGED, "not judged"}};
    const char *comma = ":";
    uint32_t count = u->info.rules - u->info.unused_rules;
    if (!count) return;
    printf("%u rule%s", count, count == 1 ? " stays" : "s stay");
    for (size_t i = 0; i < HED_COUNT(reasons); i++) {
        if (!u->info.reasons[reasons[i].reason]) continue;
        printf("%s %u %s", comma, u->info.reasons[reasons[i].reason], reasons[i].words);
        comma = ",";
    }
    printf("\n");
}
