/* The measuring policy: how often a candidate is timed, when it is abandoned, how a clock that
 * drifts is noticed, and which of the best wins. Pure logic over a callback that times what is in a
 * slot, so that it is tested on simulated clocks.
 *
 * Search (race.c). Times are put in relation to a level, the speed of the device now against that
 * at the start: an anchor, a candidate known from the start, is timed again now and then. A
 * candidate gets 1, 3, 5, ... runs and is abandoned as soon as it is clearly slower than the best
 * (see hed_race_probe()).
 *
 * Final rounds (race.c, too). The best are timed in rounds, forwards and backwards in turn, so that
 * drift hits all alike and two that are left meet as A B B A. Times of one round are compared as
 * pairs. A candidate leaves once it is shown to be more than HED_RACE_MARGIN slower than the
 * leader; what is not shown is a tie, and ties go to the one kept before. */
#ifndef HED_TUNE_RACE_H
#define HED_TUNE_RACE_H

#include "tune/runner.h"

#define HED_RACE_MARGIN 0.005 /* faster by less than this counts as equal */

typedef struct hed_race_def {
    void *user;
    /* As a runner's time(). DROPPED: it was abandoned since stop() said so. */
    hed_status (*time)(void *user, uint32_t slot, uint32_t runs, double *values, hed_trial *trial,
        hed_error *error);
    /* As a runner's announce(); NULL: never called. */
    hed_status (*announce)(
        void *user, const uint32_t *slots, const uint32_t *runs, uint32_t count, hed_error *error);
    double (*now)(void *user); /* seconds of the host's clock; it may step */
    bool (*stop)(void *user);  /* asked between batches of runs of 0.1 s, or one run; NULL: never */
    double floor_seconds;      /* a median below is impossible; 0: not known */
} hed_race_def;

/* Start from {.def = ..., .level = 1, .best = INFINITY, .best_high = INFINITY}. */
typedef struct hed_race {
    hed_race_def def;
    double level;           /* times now over times at the start, for the same work */
    double best, best_high; /* of the best at level 1: median, and the end of its interval */
    bool anchored;
    uint32_t anchor;    /* slot */
    double anchor_base; /* its median at level 1 */
} hed_race;

enum { HED_PROBE_RUNS = 24 };

/* A candidate's runs. */
typedef struct hed_probe {
    hed_trial trial; /* MEASURED, DROPPED, IMPOSSIBLE, or what timing gave */
    uint32_t runs;
    double values[HED_PROBE_RUNS];
    double seconds, low, high; /* as measured, not at level 1; NAN where it failed */
    bool stopped;              /* by stop(): the rest is the result so far */
} hed_probe;

/* Runs a slot until batches of runs take the same time, at most `seconds`. Trial as of
 * a runner's time(). Errors (of all functions here): those of def.time. */
hed_status hed_race_warm_up(
    hed_race *race, uint32_t slot, double seconds, hed_trial *trial, hed_error *error);
/* Times a candidate and compares it with the best, which it may become. */
hed_status hed_race_probe(hed_race *race, uint32_t slot, hed_probe *probe, hed_error *error);
/* Makes a slot with this probe the anchor. The level stays. */
void hed_race_anchor(hed_race *race, uint32_t slot, const hed_probe *probe);
/* Times the anchor and corrects the level where it has moved by more than the noise. A failure of
 * the anchor's run is in `trial`. */
hed_status hed_race_check(hed_race *race, hed_trial *trial, hed_error *error);

enum { HED_FINAL_ENTRANTS = 12, HED_FINAL_ROUNDS = 64 };

/* One in the final rounds. */
typedef struct hed_entrant {
    uint32_t slot;
    /* the stored choice, the default: wins where nothing is shown to be faster */
    bool kept;
    uint64_t preference; /* among equals the smallest wins */
    /* What came out: */
    hed_trial trial;                /* MEASURED unless a run failed */
    bool out;                       /* left: failed, or shown to be slower */
    uint32_t rounds, runs;          /* it was in; timed ones in all */
    double times[HED_FINAL_ROUNDS]; /* (rounds) */
    double seconds, low, high;      /* median of its rounds */
    /* over the winner: median over the rounds of both; NAN where it has none */
    double ratio;
    bool tied; /* cannot be told from the winner */
} hed_entrant;

/* Final rounds, for at most `seconds` (three rounds at least). Ends early when all is settled, or
 * by stop(). `*winner` is `count` where every entrant failed. */
hed_status hed_race_finals(hed_race *race, hed_entrant *entrants, uint32_t count, double seconds,
    uint32_t *winner, hed_error *error);

/* Evidence that a coin falls on one side more often than not, after `s` falls on it and `f` on the
 * other; may be looked at after every fall: it ever exceeds 1/a with probability a at most, if the
 * coin is fair. */
double hed_race_evidence(uint32_t s, uint32_t f);

/* Times `runs` runs of a slot into `values`, in batches short enough to be stopped between. Runs of
 * no or negative duration (a clock that steps back) are repeated; where more than half are such,
 * the outcome is IMPOSSIBLE. `*done` may be less than `runs` only where it failed or was
 * stopped. */
hed_status hed_race_take(hed_race *race, uint32_t slot, uint32_t runs, double *values,
    uint32_t *done, hed_trial *trial, hed_error *error);
bool hed_race_stopped(const hed_race *race);

#endif
