/* Survey of the selectors that the pages of a site use: number of elements and pages, and the first
 * element. Pages are read and matched in batches, so that the largest batch bounds the memory; each
 * page is matched against the sheets that it names. */
#ifndef HED_CLI_CSS_SURVEY_H
#define HED_CLI_CSS_SURVEY_H

#include "cli/common/command.h"
#include "cli/css/files.h"
#include "cli/css/pages.h"
#include "cli/css/settings.h"

/* Use of a selector. */
typedef struct css_use {
    uint64_t elements;
    uint32_t pages;
    uint32_t page, line; /* position of the first element */
    char *element;       /* first element, such as "div#main" */
} css_use;

typedef struct css_page {
    const char *path;
    uint32_t elements;     /* number of elements, with the possible ones */
    uint32_t possible;     /* elements that only scripts make of templates */
    uint32_t rules;        /* rules with a selector that matches on the page */
    uint32_t unique_rules; /* rules that match on no other page */
} css_page;

typedef enum css_verdict {
    CSS_NEVER,
    CSS_USED,
    CSS_BY_STATE,   /* matches if an element is hovered, focused ... */
    CSS_BY_WORD,    /* the names are in words */
    CSS_BY_PATTERN, /* kept by a pattern or a comment */
    CSS_NOT_JUDGED, /* invalid or not supported */
    CSS_VERDICTS
} css_verdict;

/* Reasons for which a selector stays without an element; absent: NULL, false. */
typedef struct css_reason {
    const css_keep *keep;
    const css_word *word;
    const char *markup; /* file with Markdown that makes such elements */
    bool comment;       /* a comment in the sheet keeps it */
    bool blocked;       /* removed, although elements match */
} css_reason;

typedef struct css_survey {
    css_settings *settings;
    css_files files;
    css_page *pages;
    uint32_t page_count, page_total; /* pages read; pages named */
    css_use *uses;                   /* (files.rules) */
    uint32_t use_room;
    css_reason *reasons;       /* (files.rules) */
    bool *used;                /* (files.parts) */
    bool names_judged;         /* all sheets were read, so that all uses of names are known */
    hed_css_names *page_names; /* names of the pages' elements, for words; NULL: not needed */
    uint32_t page_name_count;
    hed_css_names *styles; /* distinct texts of style attributes */
    uint32_t style_count;
} css_survey;

/* Lists the pages and reads the given sheets; `all_sheets`: also the sheets that the pages name, so
 * that all are known before the pages are matched. The caller calls css_survey_close() even after
 * an error. */
hed_status css_survey_open(
    css_survey *survey, css_settings *settings, bool all_sheets, hed_error *error);
/* Reads and matches the pages; ends early without an error after Ctrl-C. */
hed_status css_survey_run(css_survey *survey, hed_error *error);
void css_survey_close(css_survey *survey);
/* Verdict on a selector of a file, by its number in the file. */
css_verdict css_survey_verdict(const css_survey *survey, const css_file *file, uint32_t rule);

#endif
