/* Results of `heddle css unused`, for its output and its report. */
#ifndef HED_CLI_CSS_UNUSED_H
#define HED_CLI_CSS_UNUSED_H

#include "cli/common/report.h"
#include "cli/css/reduce.h"
#include "cli/css/settings.h"

/* Target of --out. */
typedef struct css_out {
    const char *path; /* NULL: no output */
    bool folder;      /* each sheet in this folder; otherwise one sheet */
    bool first;       /* the sheet of the only --css, whose imports are not reduced */
} css_out;

typedef struct css_unused {
    css_survey survey;
    css_out out;
    css_reduction *reductions; /* (files) */
    uint32_t rules, unused_rules, selectors, unused_selectors;
    uint32_t stays[CSS_VERDICTS]; /* rules that stay, by their verdict */
    size_t bytes, unused_bytes;
} css_unused;

/* Limit of --fail-over. */
typedef struct css_limit {
    double value;
    bool per_cent;
} css_limit;

/* Target that the settings name. */
css_out css_out_of(const css_settings *settings);
/* Refuses --out if there is nothing to write, or one file for several sheets, or an output that
 * would replace a file that was read. All sheets must be known. Errors: ARGUMENT, LIMIT, IO,
 * MEMORY. */
hed_status css_out_check(css_unused *unused, hed_error *error);
/* Writes the reduced sheets. Errors: IO, LIMIT, MEMORY, ARGUMENT (a file that was read). */
hed_status css_out_write(const css_unused *unused, hed_error *error);

/* Name of a verdict, such as "element". */
const char *css_verdict_name(css_verdict verdict);
/* Text of the reason for a selector's verdict, such as "div.a in page.html:12"; the caller frees
 * it. NULL: out of memory. */
char *css_evidence(const css_survey *survey, const css_file *file, uint32_t rule);
/* Verdict on a rule: the first one of element, state, word, keep that one of its selectors has. */
css_verdict css_rule_verdict(const css_survey *survey, const css_file *file, const css_item *item);
/* Lists the selectors that stay, with their reasons; prints the sum of the reasons. */
void css_list_kept(cli_report *report, const css_unused *unused);
void css_print_kept(const css_unused *unused);

/* Writes an HTML report of the rules and the pages that use them. */
hed_status css_write_report(const css_unused *unused, const char *path, hed_error *error);

#endif
