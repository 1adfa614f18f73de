/* Search of `heddle css unused`, for its output and its report. */
#ifndef HED_CLI_CSS_UNUSED_H
#define HED_CLI_CSS_UNUSED_H

#include "cli/common/report.h"
#include "cli/css/files.h"
#include "cli/css/settings.h"

/* Target of --out. */
typedef struct css_out {
    const char *path; /* NULL: no output */
    bool folder;      /* each sheet in this folder; otherwise one sheet */
    bool first;       /* the sheet of the only --css, whose imports are not reduced */
} css_out;

typedef struct css_unused {
    css_settings *settings;
    css_files files;  /* search that has the results */
    uint32_t *sheets; /* (settings' sheets) their numbers in `files` */
    css_out out;
    hed_css_unused_info info; /* after the run */
} css_unused;

/* Limit of --fail-over. */
typedef struct css_limit {
    double value;
    bool per_cent;
} css_limit;

/* Reads the sheets and pages of the settings, and finds the unused rules. The caller calls
 * css_unused_close() even after an error. Errors: as hed_css_unused_create() and
 * hed_css_unused_run(), IO. */
hed_status css_unused_find(css_unused *unused, css_settings *settings, hed_error *error);
void css_unused_close(css_unused *unused);

/* Target that the settings name. */
css_out css_out_of(const css_settings *settings);
/* Refuses --out if there is nothing to write, or one file for several sheets, or an output that
 * would replace a file that was read. All sheets must be known. Errors: ARGUMENT, LIMIT, IO,
 * MEMORY. */
hed_status css_out_check(css_unused *unused, hed_error *error);
/* Writes the reduced sheets. Errors: IO, LIMIT, MEMORY, ARGUMENT (a file that was read). */
hed_status css_out_write(const css_unused *unused, hed_error *error);

/* Prints the answer to a list of texts: one JSON object. Errors: IO, MEMORY. */
hed_status css_answer(css_unused *unused, hed_error *error);

/* Text of the evidence for a judgement, such as "div.a in page.html:12"; the caller frees it. NULL:
 * out of memory. */
char *css_evidence(const hed_css_selector_use *use);
/* Lists the selectors that stay, with their reasons; prints the sum of the reasons. */
void css_list_kept(cli_report *report, const css_unused *unused);
void css_print_kept(const css_unused *unused);

/* Writes an HTML report of the rules and the pages that use them. */
hed_status css_write_report(const css_unused *unused, const char *path, hed_error *error);

#endif
