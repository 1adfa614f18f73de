/* A sheet without what no page uses: which bytes are left out, and the text of the rest. */
#ifndef HED_CLI_CSS_REDUCE_H
#define HED_CLI_CSS_REDUCE_H

#include "cli/css/survey.h"

/* Bytes that are left out. */
typedef struct css_cut {
    size_t begin, end;
    char kind; /* 'r' a rule, 's' a selector of a list, 'm' the map's address, else as a part's */
    uint32_t index;      /* rule or part of the file */
    const char *instead; /* NULL: nothing */
} css_cut;

/* A rule or a part with its place in the sheet. */
typedef struct css_item {
    size_t begin, end; /* as written */
    char kind;         /* 'r', or that of a part */
    uint32_t index;    /* of a rule: its first selector */
    uint32_t count;    /* selectors of its list */
    uint32_t around;   /* item that holds it; HED_CSS_NONE */
    bool stays;        /* by itself */
    bool holds;        /* something that stays */
    bool cut;          /* left out, or within what is */
    bool bare;         /* declarations in a condition's block: no text of their own */
    bool inner;        /* something is in it */
} css_item;

typedef struct css_reduction {
    css_item *items; /* in the order in which they begin, outer ones first */
    uint32_t count;
    css_cut *cuts; /* ascending, none within another */
    uint32_t cut_count, cut_room;
    size_t bytes; /* left out */
} css_reduction;

hed_status css_reduce(
    const css_survey *survey, const css_file *file, css_reduction *reduction, hed_error *error);
/* The end of a comment that ends the line behind `end`, which is of what it stands behind; else `end`. */
size_t css_comment_behind(const css_file *file, size_t end);
void css_reduction_free(css_reduction *reduction);

#endif
