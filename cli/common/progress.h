/* Progress line on stderr for work longer than a second: amount done, rate, remaining time.
 *
 * On a terminal one line is redrawn ten times a second and erased at the end; on other streams (a
 * log file, CI) a plain line is added every ten seconds. Shorter work prints nothing. */
#ifndef HED_CLI_COMMON_PROGRESS_H
#define HED_CLI_COMMON_PROGRESS_H

#include "heddle/base.h"

#include <stdio.h>

typedef struct hed_progress {
    const char *label; /* description of the work, such as "verify" */
    const char *unit;  /* unit of the count, such as "runs" */
    uint64_t total;    /* 0: unknown */
    FILE *stream;      /* NULL: silent */
    bool terminal;
    hed_clock clock;
    uint64_t started, last_drawn; /* ns */
    uint64_t done;
    bool is_visible;
} hed_progress;

/* Starts the clock. `quiet` (--quiet, --json) disables output. Both texts must outlive the
 * progress. */
hed_progress hed_progress_begin(const char *label, const char *unit, uint64_t total, bool quiet);
/* Reports that `done` of the total are done; cheap enough to call for every item. */
void hed_progress_update(hed_progress *progress, uint64_t done);
/* Erases the line, so that further output begins on a clean one. */
void hed_progress_end(hed_progress *progress);

/* Formats the line, such as "verify: 120 of 480 runs, 25 %, 31 runs/s, 12 s left". */
void hed_progress_format(const hed_progress *progress, double seconds, char *text, size_t size);

#endif
