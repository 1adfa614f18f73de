/* Reduction of a sheet to the rules that pages use: the bytes to remove. */
#ifndef HED_CSS_REDUCE_H
#define HED_CSS_REDUCE_H

#include "survey.h"

/* Bytes that are removed. */
typedef struct css_cut {
    size_t begin, end;
    char kind;           /* 'r' a rule, 's' a selector of a list; otherwise the kind of a part */
    uint32_t index;      /* rule or part of the file */
    const char *instead; /* text that replaces the bytes; NULL: none */
} css_cut;

/* Finds the items and cuts of a file. Errors: MEMORY. */
hed_status css_reduce(
    const hed_css_unused *unused, const css_file *file, css_reduction *reduction, hed_error *error);
void css_reduction_free(
    const hed_css_unused *unused, const css_file *file, css_reduction *reduction);

#endif
