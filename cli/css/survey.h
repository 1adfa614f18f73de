/* What the pages of a site use of its sheets: for each selector how often, on how many pages and where
 * first. Pages are read and matched in batches, so that memory is bounded by the largest of them; each
 * page is matched against the sheets that it names itself. */
#ifndef HED_CLI_CSS_SURVEY_H
#define HED_CLI_CSS_SURVEY_H

#include "cli/common/command.h"
#include "cli/css/files.h"
#include "cli/css/pages.h"

/* Of a selector. */
typedef struct css_use {
    uint64_t elements;
    uint32_t pages;
    uint32_t page, line; /* of the first element */
    char *element;       /* the same, "div#main" */
} css_use;

typedef struct css_page {
    const char *path;
    uint32_t elements;
    uint32_t rules; /* of which a selector matches here */
    uint32_t only;  /* and on no other page */
} css_page;

typedef enum css_verdict {
    CSS_NEVER,
    CSS_USED,
    CSS_BY_STATE,   /* where an element is hovered, focused ... */
    CSS_BY_PATTERN, /* --keep */
    CSS_NOT_JUDGED  /* not valid here, or not matched */
} css_verdict;

typedef struct css_survey {
    css_files files;
    css_page *pages;
    css_page_list page_files;
    uint32_t page_count, page_total; /* read; named */
    css_use *uses;                   /* (files.rules) */
    uint32_t use_room;
    bool *kept;            /* (files.rules) by --keep */
    bool *used;            /* (files.parts) */
    bool names_judged;     /* no sheet is missing: what uses a name is known */
    bool drops_properties; /* --properties */
    hed_css_names *styles; /* texts of style attributes, each once */
    uint32_t style_count;
} css_survey;

/* Lists the pages and reads the given sheets, with `all_sheets` also those that the pages name, so
 * that all are known before the work. css_survey_close() in any case. */
hed_status css_survey_open(
    css_survey *survey, const hed_arguments *arguments, bool all_sheets, hed_error *error);
/* Reads and matches; ends early, and well, after Ctrl-C. */
hed_status css_survey_run(css_survey *survey, const hed_arguments *arguments, hed_error *error);
void css_survey_close(css_survey *survey);
/* Selector `rule` of a file, by its number there. */
css_verdict css_survey_verdict(const css_survey *survey, const css_file *file, uint32_t rule);

#endif
