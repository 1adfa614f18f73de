/* Results of `heddle css unused`, for its output and its report. */
#ifndef HED_CLI_CSS_UNUSED_H
#define HED_CLI_CSS_UNUSED_H

#include "cli/css/reduce.h"

typedef struct css_unused {
    css_survey survey;
    css_reduction *reductions; /* (files) */
    uint32_t rules, unused_rules, selectors, unused_selectors;
    size_t bytes, unused_bytes;
} css_unused;

/* Limit of --fail-over. */
typedef struct css_limit {
    double value;
    bool per_cent;
} css_limit;

/* Writes an HTML report of the rules and the pages that use them. */
hed_status css_write_report(const css_unused *unused, const char *path, hed_error *error);

#endif
