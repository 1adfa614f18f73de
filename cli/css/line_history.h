/* Last change of each line of a sheet in its git repository. */
#ifndef HED_CLI_CSS_LINE_HISTORY_H
#define HED_CLI_CSS_LINE_HISTORY_H

#include "heddle/author.h"

/* A commit. */
typedef struct css_commit {
    char id[41];    /* 40 hexadecimal digits; all zero: the line is not committed */
    long long time; /* author's time, s since 1970 */
    char summary[160];
} css_commit;

typedef struct css_history {
    css_commit *commits; /* (commit_count) */
    uint32_t commit_count, commit_room;
    uint32_t *lines; /* (line_count) number of the commit of each line */
    uint32_t line_count, line_room;
} css_history;

/* Reads the history of a file by `git blame`. Without git, or outside of a repository, the history
 * is empty. Errors: MEMORY. */
hed_status css_history_read(css_history *history, const char *path, hed_error *error);
/* Latest commit of the lines `first` to `last`, from 1; NULL: unknown. */
const css_commit *css_history_find(const css_history *history, uint32_t first, uint32_t last);
/* True if the commit stands for changes that are not committed. */
bool css_is_uncommitted(const css_commit *commit);
void css_history_free(css_history *history);

#endif
