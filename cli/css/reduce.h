/* Reduction of a sheet to the rules that pages use: the bytes to remove. */
#ifndef HED_CLI_CSS_REDUCE_H
#define HED_CLI_CSS_REDUCE_H

#include "cli/css/survey.h"

/* Bytes that are removed. */
typedef struct css_cut {
    size_t begin, end;
    char kind;           /* 'r' a rule, 's' a selector of a list; otherwise the kind of a part */
    uint32_t index;      /* rule or part of the file */
    const char *instead; /* text that replaces the bytes; NULL: none */
} css_cut;

/* A rule or a part, with its position in the sheet. */
typedef struct css_item {
    size_t begin, end; /* offsets in the text */
    char kind;         /* 'r' a rule; otherwise the kind of a part */
    uint32_t index;    /* a part; the first selector of a rule */
    uint32_t count;    /* selectors of the rule */
    uint32_t around;   /* enclosing item; HED_CSS_NONE */
    bool stays;        /* used, whatever it contains */
    bool holds;        /* contains an item that stays */
    bool removed;      /* itself or an enclosing item */
    bool bare;         /* declarations in a condition's block: no selector in the text */
    bool inner;        /* contains an item */
} css_item;

typedef struct css_reduction {
    css_item *items; /* sorted by position, outer items first */
    uint32_t count;
    css_cut *cuts; /* ascending, disjoint */
    uint32_t cut_count, cut_room;
    size_t bytes; /* removed */
} css_reduction;

hed_status css_reduce(
    const css_survey *survey, const css_file *file, css_reduction *reduction, hed_error *error);
/* End of a comment that follows `end` and ends the line, as it belongs to the text before it;
 * otherwise `end`. */
size_t css_comment_behind(const css_file *file, size_t end);
void css_reduction_free(css_reduction *reduction);

#endif
