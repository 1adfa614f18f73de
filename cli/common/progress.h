/* A line on stderr for what takes longer than a second: how much is done, how fast, how long still.
 *
 * On a terminal one line is redrawn ten times a second and taken away at the end; elsewhere (a log
 * file, CI) a plain line is added every ten seconds. Work shorter than a second says nothing.
 */
#ifndef HED_CLI_COMMON_PROGRESS_H
#define HED_CLI_COMMON_PROGRESS_H

#include "heddle/base.h"

#include <stdio.h>

typedef struct hed_progress {
    const char *label; /* what is going on, such as "verify" */
    const char *unit;  /* what is counted, such as "runs" */
    uint64_t total;    /* 0: not known */
    FILE *stream;      /* NULL: silent */
    bool terminal;
    hed_clock clock;
    uint64_t started, drawn; /* ns */
    uint64_t done;
    bool shown;
} hed_progress;

/* Starts the clock. `quiet` (--quiet, --json) silences it. Both texts must outlive it. */
hed_progress hed_progress_begin(const char *label, const char *unit, uint64_t total, bool quiet);
/* `done` of the total; cheap enough to call for every item. */
void hed_progress_update(hed_progress *progress, uint64_t done);
/* Takes the line away, so that what follows begins on a clean one. */
void hed_progress_end(hed_progress *progress);

/* The line itself, such as "verify: 120 of 480 runs, 25 %, 31 runs/s, 12 s left". */
void hed_progress_format(const hed_progress *progress, double seconds, char *text, size_t size);

#endif
