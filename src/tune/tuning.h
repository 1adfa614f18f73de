/* The state of a tuning, shared by the loop (tune_loop.c), the final rounds (tune_finish.c) and
 * their set-up for kernels (tune_kernel.c) and pipelines (pipeline.c). */
#ifndef HED_TUNE_TUNING_H
#define HED_TUNE_TUNING_H

#include "core/objects.h"
#include "database/database.h"
#include "tune/fleet.h"
#include "tune/race.h"

/* What the result does not say of an evaluation: one for each. */
typedef struct hed_mark {
    double level;  /* the race's when it was measured */
    uint32_t slot; /* where it is prepared; HED_NO_SLOT: nowhere */
} hed_mark;

enum { HED_NO_SLOT = HED_RUNNER_SLOTS };

/* A candidate that was asked for and compiled, and waits to be measured. */
typedef struct hed_ready {
    hed_config config;
    hed_trial trial;
} hed_ready;

typedef struct hed_tuning {
    hed_device *device;
    const hed_tune_def *def; /* with limits settled */
    hed_runner *runner;
    bool fleet;        /* it is one of several devices (fleet.h) */
    uint32_t unshown;  /* of the newest evaluations: not yet on the disk */
    uint32_t builders; /* processes of it that compile ahead; 0: none, preparing does it all */
    /* they take the processors that candidates run on: measure only while nothing compiles */
    bool quiet;
    const hed_space *space;
    hed_tune_key key;
    double floor_seconds; /* no run can be faster; 0: not known */
    bool has_default;     /* it is valid here */
    hed_config default_config;
    hed_allocator allocator;
    hed_tune_result *result;

    hed_database *database; /* NULL: none, or it has failed */
    int64_t session;        /* 0: nothing is kept */
    bool has_stored;        /* the database has chosen one before */
    hed_config stored;
    hed_search *search;
    hed_race race;

    hed_mark *marks; /* beside result->evaluations */
    uint32_t best;   /* evaluation; HED_NO_EVALUATION: none yet */
    uint32_t fresh;  /* evaluations made now */
    /* evaluations from here on were made since the clock was looked at */
    uint32_t unchecked;
    /* evaluations since the best became better by more than the margin */
    uint32_t since_gain;
    double gained;                      /* what it was then */
    uint32_t in_slot[HED_RUNNER_SLOTS]; /* evaluation; HED_NO_EVALUATION: free */

    hed_ready *ready; /* (ready_capacity) a ring */
    uint32_t ready_capacity, ready_first, ready_count, building;
    bool dry; /* the search has no more questions */
    bool warm, stopped;

    const char *stage;
    double last_clock, elapsed, last_progress, last_flush; /* seconds */
} hed_tuning;

enum { HED_NO_EVALUATION = UINT32_MAX };

/* tuning.c: the parts that all need. */

/* The caller's wishes (NULL: the defaults), with a limit where there is none. */
hed_tune_def hed_tune_settled(const hed_tune_def *def);

/* Makes the result and looks at the clock for the first time. `device` and `def` are set already.
 * Errors: MEMORY. */
hed_status hed_tuning_open(hed_tuning *t, hed_error *error);
/* Frees everything, the result included if it has not been handed over. */
void hed_tuning_close(hed_tuning *t);
/* The device's ceilings, and the time that no run can be below, for result->work. Measured where
 * the database does not know them and the tuning has time for that. */
void hed_tuning_find_limits(hed_tuning *t);
/* Seconds since hed_tuning_open(). A clock that steps back counts as one that stood. */
double hed_tuning_elapsed(hed_tuning *t);
/* Asks the caller's stop(), and shows how it stands where that was last done a tenth of a second
 * ago. */
bool hed_tuning_stop(hed_tuning *t);
void hed_tuning_show(hed_tuning *t, const hed_evaluation *last);
/* Adds an evaluation, `level` being the race's: to the result, to the search's knowledge, and to
 * the database unless recalled. Errors: MEMORY. */
hed_status hed_tuning_add(
    hed_tuning *t, const hed_evaluation *evaluation, uint32_t slot, hed_error *error);
/* Writes an evaluation into the database (again, where it has been measured anew). The database's
 * failure is logged and ends its use. */
void hed_tuning_record(hed_tuning *t, const hed_evaluation *evaluation);
/* The evaluation of a configuration; HED_NO_EVALUATION: none. */
uint32_t hed_tuning_find(const hed_tuning *t, const hed_config *config);
/* Finds the best again, after times were corrected. */
void hed_tuning_find_best(hed_tuning *t);
/* Its time at level 1; INFINITY where it has none. */
double hed_tuning_value(const hed_tuning *t, uint32_t index);
/* Puts an evaluated candidate into a slot, where it is in none. */
hed_status hed_tuning_prepare(hed_tuning *t, uint32_t index, hed_trial *trial, hed_error *error);
/* A slot for a new candidate: a free one, else the one of the worst. */
uint32_t hed_tuning_free_slot(hed_tuning *t);
bool hed_tuning_worked(hed_outcome outcome); /* measured or dropped */
/* Whether `error` says that the runner is lost: what was measured before stands, and the error is
 * the tuning's end. */
bool hed_tuning_lost_runner(hed_tuning *t, hed_error *error);
/* Share of the roofline; NAN where it is not known. */
double hed_tuning_share(const hed_tuning *t, double seconds);

/* tune_loop.c: everything from the history to the end of the search. Errors: MEMORY, DRIVER, LOST,
 * IO. */
hed_status hed_tuning_search(hed_tuning *t, hed_error *error);
/* tune_finish.c: final rounds, the winner, ties, and what is written to the database. Errors:
 * likewise; BUILD where nothing worked. */
hed_status hed_tuning_finish(hed_tuning *t, hed_error *error);

/* tuning.c: both. On success the result is handed over, on failure `*result` is left alone. */
hed_status hed_tuning_run(hed_tuning *t, hed_tune_result **result, hed_error *error);

/* What a device reaches: bytes per second in a copy, operations per second in multiply-adds. */

typedef struct hed_roofline {
    double bandwidth; /* bytes/s, read and written; 0: not known */
    /* single-precision operations/s, a multiply-add counting two; 0: not known */
    double arithmetic;
} hed_roofline;

/* From the database's facts, else, with `measure`, measured in under a second (and a compiler's
 * time) and kept there. What cannot be measured is logged and stays 0. `database` may be NULL. */
hed_roofline hed_roofline_of(hed_device *device, hed_database *database, bool measure);

#endif
