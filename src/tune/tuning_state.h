/* The state of a tuning, shared by the loop (tune_loop.c), the final rounds (tune_finish.c) and
 * their set-up for kernels (tune_kernel.c) and pipelines (pipeline.c). */
#ifndef HED_TUNE_TUNING_STATE_H
#define HED_TUNE_TUNING_STATE_H

#include "core/objects.h"
#include "database/keyed_results.h"
#include "workers/fleet.h"
#include "measure/race.h"

/* Data of an evaluation that its public result lacks. */
typedef struct hed_mark {
    double level;  /* speed level of the race (race.h) when the evaluation was measured */
    uint32_t slot; /* runner slot of the prepared candidate; HED_NO_SLOT: not prepared */
} hed_mark;

enum { HED_NO_SLOT = HED_RUNNER_SLOTS };

/* A compiled candidate of the search that waits to be measured. */
typedef struct hed_ready {
    hed_config config;
    hed_trial trial;
} hed_ready;

typedef struct hed_tuning {
    hed_device *device;
    const hed_tune_def *def; /* the caller's settings, limits filled in */
    hed_runner *runner;
    bool fleet;        /* true if the runner spans several devices (fleet.h) */
    uint32_t unshown;  /* newest evaluations that were not reported yet */
    uint32_t builders; /* processes of the runner that compile ahead; 0: prepare() compiles */
    /* the builders occupy the processors that candidates run on: measure only while nothing
     * compiles */
    bool quiet;
    const hed_space *space;
    hed_tune_key key;
    double floor_seconds; /* lower bound on the time of a run, s; 0: unknown */
    bool has_default;     /* the default configuration is valid on this device and problem */
    bool is_unproven;     /* most elements of an output are not compared, as they are unsteady */
    hed_config default_config;
    hed_allocator allocator;
    hed_tune_result *result;

    hed_database *database; /* NULL: the tuning uses no database, or the database has failed */
    int64_t session;        /* session of the database; 0: nothing is recorded */
    bool has_stored;        /* the database has a choice of an earlier tuning */
    hed_config stored;
    hed_search *search;
    hed_race race;

    hed_mark *marks; /* one per entry of result->evaluations */
    uint32_t best;   /* index of the best evaluation; HED_NO_EVALUATION: nothing has worked yet */
    uint32_t new_count; /* evaluations measured by this tuning, not recalled from the database */
    double evaluation_seconds; /* duration of the last evaluation, without its build ahead */
    /* first evaluation made since the clock's drift was last checked */
    uint32_t unchecked;
    double checked_at, check_seconds; /* end and duration of that check, s */
    /* evaluations since the best time last improved by more than the margin */
    uint32_t since_gain;
    double gained; /* best time at that improvement, s */
    /* evaluation in each slot; HED_NO_EVALUATION: the slot is free */
    uint32_t in_slot[HED_RUNNER_SLOTS];

    hed_ready *ready; /* (ready_capacity) ring buffer of compiled candidates */
    uint32_t ready_capacity, ready_first, ready_count, building;
    bool dry; /* the search proposes no further candidates */
    bool warm, stopped;

    hed_config loaded[HED_RUNNER_SLOTS]; /* configuration in each slot of the runner */
    double fastest[HED_RUNNER_SLOTS];    /* fastest run of each slot, s; INFINITY: no run */
    bool energy_decides; /* true if the most sparing of the measured configurations wins, not the fastest */
    /* opens a runner for the energy; NULL: it is not measured */
    hed_status (*open_other)(void *user, hed_runner **runner, hed_error *error);
    /* opens a runner for hardware counters; NULL: not supported */
    hed_status (*open_counters)(void *user, hed_runner **runner, hed_error *error);
    void *user; /* argument of open_other() and open_counters() */

    const char *stage;
    double last_clock, elapsed, last_progress, last_flush; /* seconds */
} hed_tuning;

enum { HED_NO_EVALUATION = UINT32_MAX };

/* tuning.c: functions that every stage of a tuning uses. */

/* Allocates the result and reads the clock for the first time. `device` and `def` are set already.
 * Errors: MEMORY. */
hed_status hed_tuning_open(hed_tuning *t, hed_error *error);
/* Frees everything, including a result that was not handed over. */
void hed_tuning_close(hed_tuning *t);
/* Frees the drift marks of the evaluations. */
void hed_tuning_free_marks(hed_tuning *t);
/* Finds the device's ceilings, and a lower bound on the time of a run from result->work. Measures
 * the ceilings if the database lacks them and the tuning has time for it. */
void hed_tuning_find_limits(hed_tuning *t);
/* Seconds since hed_tuning_open(). A clock that steps backwards adds 0 s. */
double hed_tuning_elapsed(hed_tuning *t);
/* Calls the caller's stop(), and reports progress if the last report is a tenth of a second old. */
bool hed_tuning_stop(hed_tuning *t);
/* Reports progress if a report is due. `has_new`: the newest evaluation was not reported yet. */
void hed_tuning_show(hed_tuning *t, bool has_new);
/* Writes the evaluations to the database, then reports the unreported ones, and the stage. */
void hed_tuning_tell(hed_tuning *t);
/* Adds an evaluation, measured at the race's `level`, to the result, to the search's model and,
 * unless it was recalled, to the database. Errors: MEMORY. */
hed_status hed_tuning_add(
    hed_tuning *t, const hed_evaluation *evaluation, uint32_t slot, hed_error *error);
/* Writes an evaluation into the database, replacing an earlier measurement. A failure of the
 * database is logged and ends its use. */
void hed_tuning_record(hed_tuning *t, const hed_evaluation *evaluation);
/* Index of a configuration's evaluation; HED_NO_EVALUATION if it has not been evaluated. */
uint32_t hed_tuning_find(const hed_tuning *t, const hed_config *config);
/* Finds the best evaluation again, after times were corrected. */
void hed_tuning_find_best(hed_tuning *t);
/* Time of an evaluation at level 1, s; INFINITY if it has no time. */
double hed_tuning_value(const hed_tuning *t, uint32_t index);
/* Loads a configuration into a slot of the runner, as its prepare(). */
hed_status hed_tuning_load(
    hed_tuning *t, uint32_t slot, const hed_config *config, hed_trial *trial, hed_error *error);
/* Prepares an evaluated candidate in a slot, unless a slot has it. */
hed_status hed_tuning_prepare(hed_tuning *t, uint32_t index, hed_trial *trial, hed_error *error);
/* A slot for a new candidate: a free slot, else the slot of the worst candidate. */
uint32_t hed_tuning_free_slot(hed_tuning *t);
bool hed_tuning_worked(hed_outcome outcome); /* true if measured or dropped */
/* True if `error` reports that the runner is lost. Results measured before stay valid, and the
 * error ends the tuning. */
bool hed_tuning_lost_runner(hed_tuning *t, hed_error *error);
/* Time limit of the search and the final rounds, s; 0: no limit. */
double hed_tuning_limit(const hed_tuning *t);
/* Fraction of the roofline that a time reaches; NAN if the ceilings are unknown. */
double hed_tuning_share(const hed_tuning *t, double seconds);

/* tune_loop.c: creates the search and gives the builders their first candidates, before there are
 * expected outputs. Not with `resume`, whose history has verdicts of one judge. Errors: MEMORY,
 * LOST. */
hed_status hed_tuning_build_ahead(hed_tuning *t, hed_error *error);
/* tune_loop.c: undoes it, after the runner was destroyed. */
void hed_tuning_forget_ahead(hed_tuning *t);
/* tune_loop.c: collects finished builds; waits for one for at most `seconds`. */
void hed_tuning_collect(hed_tuning *t, double seconds);
/* tune_loop.c: replays the history, then searches until a limit is reached. Errors: MEMORY, DRIVER,
 * LOST, IO. */
hed_status hed_tuning_search(hed_tuning *t, hed_error *error);
/* tune_finish.c: runs the final rounds, picks the winner, settles ties and writes the choice to the
 * database. Errors: as hed_tuning_search(); BUILD if no candidate worked. */
hed_status hed_tuning_finish(hed_tuning *t, hed_error *error);

/* tune_other.c: measures the energy of each configuration that works, the fastest first, until the
 * time limit, and of three in any case. Failures are logged, and end it. Errors: DRIVER, if the
 * energy decides and is unknown. */
hed_status hed_tuning_measure_other(hed_tuning *t, hed_error *error);
/* tune_finish.c: writes the winner into the database under the tuning's key, or the reason against
 * it into the result. */
void hed_tuning_keep_choice(hed_tuning *t);
/* tune_counters.c: reads the hardware counters of the winner and of the default. A failure is
 * stored as the reason. */
void hed_tuning_measure_counters(hed_tuning *t);

/* tuning.c: runs all stages. On success the result is handed over, on failure
 * `*result` is unchanged. */
hed_status hed_tuning_run(hed_tuning *t, hed_tune_result **result, hed_error *error);

/* Ceilings of a device: bytes per second of a copy, operations per second of multiply-adds. */

typedef struct hed_roofline {
    double bandwidth; /* bytes/s, read plus written; 0: unknown */
    /* single-precision operations/s, a multiply-add counts as two; 0: unknown */
    double arithmetic;
} hed_roofline;

/* Reads the ceilings from the database's facts; else, with `measure`, measures them in under a
 * second (plus compile time) and stores them there. A failed measurement is logged and its ceiling
 * stays 0. `database` may be NULL. */
hed_roofline hed_roofline_of(hed_device *device, hed_database *database, bool measure);

#endif
