/* Measuring policy: number of runs of a candidate, early abandonment, detection of clock drift, and
 * the choice of the winner. Pure logic over a callback that times a slot, so that tests run it on
 * simulated clocks.
 *
 * Search (race.c). Times are relative to a level, the device's time now over its time at the start
 * for the same work: an anchor, a candidate measured at the start, is timed again at intervals. A
 * candidate gets 1, 3, 5, ... runs and is abandoned as soon as it is clearly slower than the best
 * (see hed_race_probe()).
 *
 * Final rounds (race.c). The best candidates are timed in rounds, in alternating order, so that
 * drift affects all alike and the last two meet as A B B A. Times of one round are compared as
 * pairs. A candidate leaves once it is proven more than HED_RACE_MARGIN slower than the leader.
 * Candidates without such proof tie, and a tie is won by the kept entrant. */
#ifndef HED_MEASURE_RACE_H
#define HED_MEASURE_RACE_H

#include "measure/runners.h"

#define HED_RACE_MARGIN 0.005 /* relative gain below which two times count as equal */

/* Runs of a slot that a device made before its probe; the probe adds no further ones. */
typedef struct hed_race_runs {
    uint32_t count; /* 0: the probe decides on the number */
    bool dropped;   /* true if the device found the candidate clearly slower than the best */
} hed_race_runs;

typedef struct hed_race_def {
    void *user;
    /* like a runner's time(); outcome DROPPED: abandoned at a request of stop() */
    hed_status (*time)(void *user, uint32_t slot, uint32_t runs, double *values, hed_trial *trial,
        hed_error *error);
    /* like a runner's announce(); NULL: never called */
    hed_status (*announce)(
        void *user, const uint32_t *slots, const uint32_t *runs, uint32_t count, hed_error *error);
    hed_race_runs (*runs_of)(void *user, uint32_t slot); /* NULL: no slot has such runs */
    double (*now)(void *user);                           /* host clock, s; it may step */
    /* called between batches of runs of 0.1 s, or after one run; NULL: never stop */
    bool (*stop)(void *user);
    double floor_seconds; /* a median below it is impossible, s; 0: unknown */
} hed_race_def;

/* Start from {.def = ..., .level = 1, .best = INFINITY, .best_high = INFINITY}. */
typedef struct hed_race {
    hed_race_def def;
    double level; /* times now / times at the start, for the same work */
    /* best candidate at level 1, s: median, and upper end of its interval */
    double best, best_high;
    bool anchored;
    uint32_t anchor;    /* slot */
    double anchor_base; /* the anchor's median at level 1, s */
} hed_race;

enum { HED_PROBE_RUNS = 24 };

/* Runs of a candidate under test. */
typedef struct hed_probe {
    hed_trial trial; /* MEASURED, DROPPED, IMPOSSIBLE, or the outcome of def.time */
    uint32_t runs;
    double values[HED_PROBE_RUNS];
    double seconds, low, high; /* s as measured, not scaled to level 1; NAN after a failure */
    /* stop() returned true: the other fields describe the runs made until then */
    bool stopped;
} hed_probe;

/* Runs a slot for at most `seconds`, until batches of runs take the same time. `trial` as in a
 * runner's time(). Errors (of all functions here): as def.time. */
hed_status hed_race_warm_up(
    hed_race *race, uint32_t slot, double seconds, hed_trial *trial, hed_error *error);
/* Times a candidate and compares it with the best, which it may replace. */
hed_status hed_race_probe(hed_race *race, uint32_t slot, hed_probe *probe, hed_error *error);
/* Makes a slot with this probe the anchor. The level does not change. */
void hed_race_anchor(hed_race *race, uint32_t slot, const hed_probe *probe);
/* Times the anchor and corrects the level if it has moved by more than the noise. A failure of the
 * anchor's run is returned in `trial`. */
hed_status hed_race_check(hed_race *race, hed_trial *trial, hed_error *error);

enum { HED_FINAL_ENTRANTS = 12, HED_FINAL_ROUNDS = 64 };

/* A candidate in the final rounds. */
typedef struct hed_entrant {
    uint32_t slot;
    /* the stored choice or the default: wins unless another is proven faster */
    bool is_kept;
    uint64_t preference; /* the smallest wins among equals */
    /* results: */
    hed_trial trial;                /* MEASURED unless a run failed */
    bool out;                       /* left the rounds: failed, or proven slower */
    uint32_t rounds, runs;          /* rounds it took part in; timed runs in total */
    double times[HED_FINAL_ROUNDS]; /* (rounds) */
    /* median over its rounds and its interval, s; NAN: too few rounds for an interval */
    double seconds, low, high;
    /* time / the winner's time: median over their common rounds; NAN if there is no common round */
    double ratio;
    bool tied; /* statistically equal to the winner */
} hed_entrant;

/* Runs final rounds for at most `seconds` (at least three rounds). Ends early when the ranking is
 * settled, or by stop(). `*winner` is `count` if every entrant failed. */
hed_status hed_race_finals(hed_race *race, hed_entrant *entrants, uint32_t count, double seconds,
    uint32_t *winner, hed_error *error);

/* Evidence (e-value) that a coin prefers one side, after `s` falls on that side and `f` on the
 * other. Valid under optional stopping: for a fair coin, the probability that it ever exceeds 1/a
 * is at most a. */
double hed_race_evidence(uint32_t s, uint32_t f);

/* Times `runs` runs of a slot into `values`, in batches short enough for stop() between them. Runs
 * of zero or negative duration (a clock that steps backwards) are repeated; if they are more than
 * half of all runs, the outcome is IMPOSSIBLE. `*done` is less than `runs` only after a failure or
 * a stop. */
hed_status hed_race_take(hed_race *race, uint32_t slot, uint32_t runs, double *values,
    uint32_t *done, hed_trial *trial, hed_error *error);
bool hed_race_stopped(const hed_race *race);

#endif
