/* Reasons for which rules stay: element, state, word, keep; a list of them, and their sum. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/css/site.h"
#include "cli/css/unused.h"

const char *css_verdict_name(css_verdict verdict)
{
    static const char *const names[] = {[CSS_NEVER] = "unused",
        [CSS_USED] = "element",
        [CSS_BY_STATE] = "state",
        [CSS_BY_WORD] = "word",
        [CSS_BY_PATTERN] = "keep",
        [CSS_NOT_JUDGED] = "not judged"};
    return names[verdict];
}

char *css_evidence(const css_survey *s, const css_file *file, uint32_t rule)
{
    const css_use *use = &s->uses[file->first_rule + rule];
    const css_reason *reason = &s->reasons[file->first_rule + rule];
    css_verdict verdict = css_survey_verdict(s, file, rule);
    char *text = NULL;
    int length = 0;
    if (verdict == CSS_USED || verdict == CSS_BY_STATE)
        length = asprintf(&text, "%s in %s:%u", use->element, s->pages[use->page].path, use->line);
    else if (verdict == CSS_BY_WORD && reason->word)
        length = asprintf(&text, "%s in %s:%u", reason->word->text,
            s->settings->words.files[reason->word->file], reason->word->line);
    else if (verdict == CSS_BY_WORD) length = asprintf(&text, "markup in %s", reason->markup);
    else if (verdict == CSS_BY_PATTERN && reason->comment)
        length = asprintf(&text, "a comment in the sheet");
    else if (verdict == CSS_BY_PATTERN)
        length = asprintf(&text, "%s %s", reason->keep->origin, reason->keep->text);
    else if (verdict == CSS_NEVER && reason->blocked && use->elements)
        length = asprintf(&text, "blocklist, although %s matches", use->element);
    else text = strdup(hed_css_rule_at(file->sheet, rule).reason);
    return length < 0 ? NULL : text;
}

css_verdict css_rule_verdict(const css_survey *s, const css_file *file, const css_item *item)
{
    static const css_verdict order[] = {
        CSS_USED, CSS_BY_STATE, CSS_BY_WORD, CSS_BY_PATTERN, CSS_NOT_JUDGED};
    for (size_t o = 0; o < HED_COUNT(order); o++)
        for (uint32_t i = 0; i < item->count; i++)
            if (css_survey_verdict(s, file, item->index + i) == order[o]) return order[o];
    return CSS_NEVER;
}

/* Lists the selectors of a file that stay. */
static void list_file(cli_report *report, const css_survey *s, const css_file *file)
{
    for (uint32_t i = 0; i < file->rules; i++) {
        css_verdict verdict = css_survey_verdict(s, file, i);
        if (verdict == CSS_NEVER) continue;
        hed_css_rule rule = hed_css_rule_at(file->sheet, i);
        char *selector = css_selector_line(&rule), *from = css_evidence(s, file, i);
        cli_report_row(report, CLI_TEXT("file", file->name, .heading = "FILE"),
            CLI_WHOLE("line", rule.line, .heading = ">LINE"),
            CLI_TEXT("reason", css_verdict_name(verdict), .heading = "REASON"),
            CLI_TEXT("selector", selector ? selector : "", .heading = "SELECTOR"),
            CLI_TEXT("from", from ? from : "", .heading = "FROM"));
        free(selector);
        free(from);
    }
}

void css_list_kept(cli_report *report, const css_unused *unused)
{
    const css_files *files = &unused->survey.files;
    for (uint32_t i = 0; i < files->count; i++)
        if (files->items[i].judged) list_file(report, &unused->survey, &files->items[i]);
}

void css_print_kept(const css_unused *u)
{
    static const struct {
        css_verdict verdict;
        const char *words;
    } reasons[] = {{CSS_USED, "by an element"}, {CSS_BY_STATE, "by a state"},
        {CSS_BY_WORD, "by a word"}, {CSS_BY_PATTERN, "by a pattern or a comment"},
        {CSS_NOT_JUDGED, "not judged"}};
    const char *comma = ":";
    if (u->rules == u->unused_rules) return;
    printf("%u rule%s", u->rules - u->unused_rules, u->rules - u->unused_rules == 1 ? " stays" : "s stay");
    for (size_t i = 0; i < HED_COUNT(reasons); i++) {
        if (!u->stays[reasons[i].verdict]) continue;
        printf("%s %u %s", comma, u->stays[reasons[i].verdict], reasons[i].words);
        comma = ",";
    }
    printf("\n");
}
