/* What the files of online tuning share: online.c is the launch path, online_trial.c the steps of a
 * trial in the program's stream and what follows from times and comparisons, online_search.c the
 * worker thread.
 *
 * Ownership: the caller's thread may use everything; but while the worker thread runs
 * (hed_online_worker.state), it alone uses a size's fields marked "worker", the side stream and the
 * copies. */
#ifndef HED_TUNE_ONLINE_STATE_H
#define HED_TUNE_ONLINE_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/objects.h"
#include "heddle/online.h"
#include "tune/check.h"
#include "database/database.h"

enum {
    HED_ONLINE_SIZES = 16,  /* problem sizes that are known at once */
    HED_ONLINE_WINDOW = 32, /* measured launches that a size's median is taken of */
    HED_ONLINE_PAIRS = 15   /* of a candidate, at most */
};

/* ---- one problem size ---- */

typedef struct hed_online_size {
    hed_problem problem;
    uint64_t used;      /* the launch that used it last */
    hed_config config;  /* in force for it, */
    bool known;         /* once it was launched; */
    bool promoted;      /* by us: otherwise it is what the kernel chose */
    const char *reason; /* why nothing is tried, or NULL */
    bool resting;
    /* times of launches */
    double window[HED_ONLINE_WINDOW];
    uint64_t measured;    /* since the configuration came into force, or the search came to rest */
    double typical;       /* their median, seconds; 0: not known */
    double first, rested; /* typical, as it was found, and when it came to rest; 0: not known yet */
    hed_config found;     /* the configuration that was in force at first */
    double trial_seconds; /* that the last trial took */
    bool stale;           /* the configuration in force is another one: earlier pairs say nothing */
    /* worker: search */
    hed_space *space;
    hed_search *search;
    bool begin_again;   /* with a new search */
    uint32_t searches;  /* begun */
    uint32_t done;      /* evaluations of this one */
    int64_t session;    /* of the database; 0: not begun */
    hed_config *failed; /* (failed_capacity) never tried again, whatever search it is */
    uint32_t failed_count, failed_capacity;
    /* worker: the candidate on trial */
    hed_kernel *candidate; /* NULL: none */
    /* its time over that of the configuration in force, run beside it */
    double ratios[HED_ONLINE_PAIRS];
    uint32_t pairs;
    bool warm;           /* has run once; the first time does not count */
    bool sampled, whole; /* outputs compared: in places, everywhere */
    double error;        /* largest difference found */
    bool over;           /* the trial has ended, and this is what came out */
    hed_evaluation evaluation;
    bool choose; /* and it is the choice from now on */
} hed_online_size;

/* ---- work for the worker thread ---- */

typedef enum hed_online_work {
    HED_ONLINE_SEARCH, /* tell the search what came out, ask it, build what it says */
    HED_ONLINE_COMPARE /* what the two runs wrote */
} hed_online_work;

typedef struct hed_online_worker {
    _Atomic int state; /* hed_build_state */
    pthread_t thread;
    hed_online_work work;
    hed_online_size *size;
    /* search: what is in force, what was at first, and the sizes of the copies by
     * hed_scratch_kind */
    hed_config config, found;
    double typical, first;
    /* the configuration is the kernel's own choice or ours: the next start may begin with it */
    bool ours;
    uint32_t max_registers;
    uint64_t sizes[2][HED_MAX_ARGUMENTS];
    bool whole; /* compare: everything */
    /* results */
    hed_status status;
    const char *reason; /* why nothing can be tried, or NULL */
    bool rests;         /* nothing is left to try */
    uint32_t failed;    /* candidates that do not build */
    hed_check check;
    double seconds; /* spent in reading copies */
} hed_online_worker;

/* ---- a trial in flight ---- */

/* Marks in the program's stream. Without a trial only those around the launch are set. */
typedef enum hed_online_mark {
    HED_MARK_COPY,
    HED_MARK_LAUNCH,
    HED_MARK_LAUNCHED,
    HED_MARK_FIRST, /* begin of the first run, */
    HED_MARK_FIRST_END,
    HED_MARK_SECOND, /* and of the second */
    HED_MARK_SECOND_END,
    HED_MARK_COUNT
} hed_online_mark;

typedef enum hed_online_flight {
    HED_FLIGHT_NONE,
    HED_FLIGHT_PROBE, /* the launch is measured */
    HED_FLIGHT_TRIAL
} hed_online_flight;

struct hed_online {
    hed_kernel *kernel;
    hed_device *device;
    hed_online_def def;
    bool given; /* the kernel was made with a configuration: */
    hed_config given_config;
    bool enforced;       /* it has one of ours */
    const char *reason;  /* why nothing is tried at all, or NULL */
    const char *refused; /* why the last launch could not be tried, or NULL */
    bool stopped;        /* the device failed: nothing more is tried */
    hed_online_size *sizes[HED_ONLINE_SIZES];
    hed_online_size *current; /* the size launched last */
    /* in flight in the program's stream */
    hed_online_flight flight;
    hed_online_size *flown;
    /* has landed, and its copies are to be compared before anything else; or NULL */
    hed_online_size *to_compare;
    bool candidate_first;    /* order of the two runs; they take turns */
    hed_status trial_status; /* of the candidate's launch */
    char trial_text[192];
    hed_event *marks[HED_MARK_COUNT];
    /* copies: what is changed in place, as it was before the launch; and what the two runs write */
    hed_scratch pristine, ours, theirs;
    hed_stream *side; /* the thread's */
    hed_online_worker worker;
    double began;       /* seconds of the clock */
    double launch_call; /* seconds that the last launch's own call took */
    hed_online_report report;
};

static inline double hed_online_seconds(const hed_online *online)
{
    const hed_clock *clock = &online->device->settings->clock;
    return (double)clock->now(clock->user) * 1e-9;
}

/* ---- online_trial.c ---- */

/* Makes the marks; UNSUPPORTED and the like are no reason to fail a launch. */
hed_status hed_online_make_marks(hed_online *online, hed_error *error);
/* The launch, measured or with a trial. `flight` says which; it falls back to less where something
 * fails. The status is the launch's own. */
hed_status hed_online_fly(hed_online *online, hed_online_size *size, hed_online_flight flight,
    hed_stream *stream, const hed_argument *arguments, uint32_t argument_count, hed_error *error);
/* Takes what is finished, if it is; never waits. */
void hed_online_land(hed_online *online);

/* ---- online_search.c ---- */

/* Starts the thread; false if there is none to be had: the work waits for a later launch. */
bool hed_online_start_beside(hed_online *online, hed_online_work work, hed_online_size *size);
/* Takes the thread's results, if it is done or `wait`. */
void hed_online_finish_beside(hed_online *online, bool wait);
void hed_online_free_size(hed_online *online, hed_online_size *size);

/* ---- online_judge.c: pure bookkeeping, no device ---- */

/* One more measured launch of a size. */
void hed_online_add_time(hed_online *online, hed_online_size *size, double seconds);
/* A trial has ended well: `ours` and `theirs` are seconds. */
void hed_online_add_pair(hed_online *online, hed_online_size *size, double ours, double theirs);
/* Outputs have been compared. */
void hed_online_add_check(
    hed_online *online, hed_online_size *size, const hed_check *check, bool whole);
/* The candidate's trial ends. */
void hed_online_conclude(
    hed_online *online, hed_online_size *size, hed_outcome outcome, const char *text);
/* Whether the outputs of the last pair have to be compared: before the first pair that counts in
 * places, and everywhere before the candidate may win (`*whole`). */
bool hed_online_wants_check(const hed_online_size *size, bool *whole);

#endif
