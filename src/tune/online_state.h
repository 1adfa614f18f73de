/* State shared by the files of online tuning: online.c is the launch path, online_trial.c the steps
 * of a trial in the program's stream and the evaluation of times and comparisons, online_search.c
 * the worker thread.
 *
 * Ownership: the caller's thread may access everything. While the worker thread runs
 * (hed_online_worker.state), a size's fields marked "worker", the side stream and the copies belong
 * to the worker. */
#ifndef HED_TUNE_ONLINE_STATE_H
#define HED_TUNE_ONLINE_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/objects.h"
#include "heddle/online.h"
#include "measure/check.h"
#include "database/keyed_results.h"

enum {
    HED_ONLINE_SIZES = 16,  /* problem sizes remembered at once */
    HED_ONLINE_WINDOW = 32, /* measured launches in the window of a size's median */
    HED_ONLINE_PAIRS = 15   /* maximum pairs of runs of a candidate */
};

/* ---- one problem size ---- */

typedef struct hed_online_size {
    hed_problem problem;
    uint64_t used;      /* number of the last launch that used it */
    hed_config config;  /* the configuration in force, */
    bool is_known;      /* set by the first launch; */
    bool promoted;      /* chosen by online tuning; else by the kernel */
    const char *reason; /* reason why nothing is tried, or NULL */
    bool resting;
    /* times of launches */
    double window[HED_ONLINE_WINDOW];
    /* launches since the configuration came into force, or since the search came to rest */
    uint64_t measured;
    double typical;       /* median of the window, s; 0: unknown */
    double first, rested; /* `typical` at the start, and at rest, s; 0: unknown */
    hed_config initial;   /* the configuration in force at the start */
    double trial_seconds; /* duration of the last trial, s */
    bool stale;           /* the configuration in force has changed: earlier pairs are invalid */
    /* worker: search */
    hed_space *space;
    hed_search *search;
    bool begin_again;   /* restart with a new search */
    uint32_t searches;  /* searches begun */
    uint32_t done;      /* evaluations of the current search */
    int64_t session;    /* session of the database; 0: not begun */
    hed_config *failed; /* (failed_capacity) configurations that no search tries again */
    uint32_t failed_count, failed_capacity;
    /* worker: the candidate on trial */
    hed_kernel *candidate; /* NULL: no candidate */
    /* candidate's time / time of the configuration in force, run next to it */
    double ratios[HED_ONLINE_PAIRS];
    uint32_t pairs;
    bool warm;           /* has run once; the first run is not timed */
    bool sampled, whole; /* outputs compared: at samples, completely */
    double error;        /* largest difference */
    bool over;           /* the trial has ended with this evaluation */
    hed_evaluation evaluation;
    bool choose; /* the candidate becomes the configuration in force */
} hed_online_size;

/* ---- work for the worker thread ---- */

typedef enum hed_online_work {
    HED_ONLINE_SEARCH, /* report results to the search, get its next candidate, build it */
    HED_ONLINE_COMPARE /* compare the outputs of the two runs */
} hed_online_work;

typedef struct hed_online_worker {
    _Atomic int state; /* hed_build_state */
    pthread_t thread;
    hed_online_work work;
    hed_online_size *size;
    /* search: the configuration in force, the initial one, and the sizes of the copies by
     * hed_scratch_kind */
    hed_config config, initial;
    double typical, first;
    /* true if the kernel or online tuning chose the configuration: the next start may begin with
     * it */
    bool ours;
    uint32_t max_registers;
    uint64_t sizes[2][HED_MAX_ARGUMENTS];
    bool whole; /* compare: all elements */
    /* results */
    hed_status status;
    const char *reason; /* reason why nothing can be tried, or NULL */
    bool rests;         /* no candidates remain */
    uint32_t failed;    /* candidates that failed to build */
    hed_check check;
    double seconds; /* time spent reading copies, s */
} hed_online_worker;

/* ---- a trial in flight ---- */

/* Events in the program's stream. Without a trial only the events around the launch are set. */
typedef enum hed_online_mark {
    HED_MARK_COPY,
    HED_MARK_LAUNCH,
    HED_MARK_LAUNCHED,
    HED_MARK_FIRST, /* begin of the first run */
    HED_MARK_FIRST_END,
    HED_MARK_SECOND, /* begin of the second run */
    HED_MARK_SECOND_END,
    HED_MARK_COUNT
} hed_online_mark;

typedef enum hed_online_flight {
    HED_FLIGHT_NONE,
    HED_FLIGHT_PROBE, /* the launch is timed */
    HED_FLIGHT_TRIAL
} hed_online_flight;

struct hed_online {
    hed_kernel *kernel;
    hed_device *device;
    hed_online_def def;
    bool has_given_config; /* the kernel was created with a configuration: */
    hed_config given_config;
    bool enforced;       /* online tuning has set its configuration */
    const char *reason;  /* reason why online tuning is off, or NULL */
    const char *refused; /* reason why the last launch could not be tried, or NULL */
    bool stopped;        /* the device failed: nothing more is tried */
    hed_online_size *sizes[HED_ONLINE_SIZES];
    hed_online_size *current; /* the size launched last */
    /* work in flight in the program's stream */
    hed_online_flight flight;
    hed_online_size *flown;
    /* the size of a finished trial whose copies must be compared first; or NULL */
    hed_online_size *to_compare;
    bool candidate_first;    /* order of the two runs, which alternates */
    hed_status trial_status; /* status of the candidate's launch */
    char trial_text[192];
    hed_event *marks[HED_MARK_COUNT];
    /* copies: initial content of arguments changed in place; outputs of the two runs */
    hed_scratch pristine, ours, theirs;
    hed_stream *side; /* stream of the worker thread */
    hed_online_worker worker;
    double began;       /* start time, s of the clock */
    double launch_call; /* host time of the last launch call, s */
    hed_online_info report;
};

static inline double hed_online_seconds(const hed_online *online)
{
    const hed_clock *clock = &online->device->settings->clock;
    return (double)clock->now(clock->user) * 1e-9;
}

/* ---- online_trial.c ---- */

/* Creates the events; UNSUPPORTED and similar errors do not fail a launch. */
hed_status hed_online_make_marks(hed_online *online, hed_error *error);
/* Launches, with timing or a trial as `flight` requests; after a failure with a simpler one.
 * Returns the launch's own status. */
hed_status hed_online_fly(hed_online *online, hed_online_size *size, hed_online_flight flight,
    hed_stream *stream, const hed_argument *arguments, uint32_t argument_count, hed_error *error);
/* Collects finished work, if there is any; never waits. */
void hed_online_land(hed_online *online);

/* ---- online_search.c ---- */

/* Starts the thread. Returns false if no thread can be created: the work waits for a later
 * launch. */
bool hed_online_start_work(hed_online *online, hed_online_work work, hed_online_size *size);
/* Collects the thread's results if it has finished; with `wait`, waits for it. */
void hed_online_finish_work(hed_online *online, bool wait);
void hed_online_free_size(hed_online *online, hed_online_size *size);

/* ---- online_trial.c: pure bookkeeping, no device ---- */

/* Adds the time of a measured launch of a size. */
void hed_online_add_time(hed_online *online, hed_online_size *size, double seconds);
/* Adds a successful pair of runs: `ours` and `theirs` in seconds. */
void hed_online_add_pair(hed_online *online, hed_online_size *size, double ours, double theirs);
/* Adds the result of comparing outputs. */
void hed_online_add_check(
    hed_online *online, hed_online_size *size, const hed_check *check, bool whole);
/* Ends the candidate's trial. */
void hed_online_conclude(
    hed_online *online, hed_online_size *size, hed_outcome outcome, const char *text);
/* True if the outputs of the last pair must be compared: at samples before the first counted pair,
 * completely (`*whole`) before the candidate may win. */
bool hed_online_needs_check(const hed_online_size *size, bool *whole);

#endif
