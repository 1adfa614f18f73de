/** @file tune.h
 *  Tuning: finds the fastest configuration of a kernel on a device, proves that it gives the right
 *  answer, and keeps it in the database (database.h), from which every later launch takes it.
 *
 *  Candidates are compiled and run in a worker process, so that one that crashes, hangs or poisons
 *  the driver costs one evaluation. Native C kernels (`host`) and pipelines are the program's own
 *  code, measured in its process.
 *
 *  How it measures: each candidate is warmed up before it is timed. One that is clearly slower is
 *  abandoned after one to five runs; the closest contenders are measured again in interleaved final
 *  rounds, with the stored choice and the default. A difference of half a percent, or one within
 *  the noise, is a tie, and in a tie the stored choice stays, else the default.
 */
#ifndef HEDDLE_TUNE_H
#define HEDDLE_TUNE_H

#include "heddle/database.h"
#include "heddle/launch.h"
#include "heddle/search.h"

HED_BEGIN

/* ---- the outcome of one candidate ---- */

/** The outcome of trying one candidate. */
typedef enum hed_outcome {
    HED_OUTCOME_MEASURED, /**< right, and timed to the end */
    /** right, but abandoned early because it was clearly slower; `seconds` is its time until
     *  then */
    HED_OUTCOME_DROPPED,
    HED_OUTCOME_INVALID, /**< over a limit of the device, found before or after compiling */
    HED_OUTCOME_BUILD,   /**< does not compile */
    HED_OUTCOME_LAUNCH,  /**< the driver refused to run it */
    HED_OUTCOME_WRONG,   /**< wrong results */
    HED_OUTCOME_CRASHED, /**< ended its process, or poisoned the driver */
    HED_OUTCOME_HUNG,    /**< not done in time */
    /** an impossible time: 0, or faster than the device's memory or arithmetic allow */
    HED_OUTCOME_IMPOSSIBLE,
    HED_OUTCOME_COUNT
} hed_outcome;

/** "measured", "dropped", "invalid", ... Thread class: any. */
static inline const char *hed_outcome_name(hed_outcome outcome)
{
    static const char *const names[HED_OUTCOME_COUNT] = {"measured", "dropped", "invalid", "build",
        "launch", "wrong", "crashed", "hung", "impossible"};
    return (unsigned)outcome < HED_OUTCOME_COUNT ? names[outcome] : NULL;
}

/** One candidate and its outcome. */
typedef struct hed_evaluation {
    hed_config config;
    hed_outcome outcome;
    /** median (or joules, or the metric: by the objective); NAN unless measured or dropped */
    double seconds;
    double low, high;     /**< 95 % confidence interval of the median; NAN where unknown */
    uint32_t runs;        /**< timed ones */
    double build_seconds; /**< of the compiler; 0 from its cache */
    double at;            /**< seconds since the tuning began */
    /** largest |found - expected| / max(1, |expected|) of any output; NAN where not checked */
    double error;
    bool recalled; /**< not run now: from an earlier tuning that this one continues */
    bool tied;     /**< in the result: cannot be told from the winner */
    /** in the result: clock drift, the time of the reference workload at that moment over its time
     *  at the start (interpolated); `seconds / drift` corrects for it */
    double drift;
    char text[192]; /**< why it failed; "" if it did not */
} hed_evaluation;

/* ---- what a kernel is tuned with ---- */

/** One argument's content. Buffers that the kernel changes in place are given back their first
 *  content before every run; those that it only writes are poisoned before every check. */
typedef struct hed_tune_argument {
    /** first content: buffers read, scalars, structs; NULL: buffers only written, workspaces
     *  (zeros), local arrays */
    const void *data;
    uint64_t bytes; /**< of a buffer, enough for every configuration */
    /** (expected_bytes) right output, to the argument's tolerance; NULL: by reference */
    const void *expected;
    /** 0: as `bytes`. Another number only where sums or sorted elements are compared */
    uint64_t expected_bytes;
} hed_tune_argument;

/** What results are compared with where `expected` is not given. */
typedef enum hed_reference {
    /** the description's native C version; without one, as HED_REFERENCE_DEFAULT */
    HED_REFERENCE_NATIVE,
    /** hed_tune_def.reference_kernel with the same arguments, in its default configuration */
    HED_REFERENCE_KERNEL,
    HED_REFERENCE_DEFAULT, /**< the kernel itself in its default configuration */
    HED_REFERENCE_NONE     /**< not checked, and the result says so */
} hed_reference;

/** What is made as small as possible. */
typedef enum hed_objective {
    HED_OBJECTIVE_TIME,
    HED_OBJECTIVE_ENERGY, /**< joules of a launch, by NVML; UNSUPPORTED elsewhere */
    HED_OBJECTIVE_METRIC  /**< what a pipeline's run() gives */
} hed_objective;

/** Where candidates run. */
typedef enum hed_isolation {
    /** in a worker where possible, else in this process, and the result says so */
    HED_ISOLATION_AUTO,
    HED_ISOLATION_WORKER, /**< in a worker, or fail */
    HED_ISOLATION_NONE    /**< in this process */
} hed_isolation;

/** Why a tuning ended. */
typedef enum hed_tune_end {
    HED_TUNE_EVALUATIONS, /**< the number of evaluations is reached */
    HED_TUNE_SECONDS,     /**< the time is up */
    HED_TUNE_GOOD_ENOUGH, /**< the share of the roofline is reached */
    HED_TUNE_NO_GAIN,     /**< nothing better for long */
    HED_TUNE_EXHAUSTED,   /**< every point is known */
    HED_TUNE_STOPPED,     /**< by the caller's stop() */
    HED_TUNE_LOST /**< a candidate in this process has hung the device, or broken it for good */
} hed_tune_end;

/** At least so many configurations must work before the fastest is kept, unless there are no more
 *  to try. */
enum { HED_TUNE_LEAST_COMPARED = 3 };

/** "evaluations", "seconds", "good enough", ... Thread class: any. */
static inline const char *hed_tune_end_name(hed_tune_end end)
{
    static const char *const names[] = {
        "evaluations", "seconds", "good enough", "no gain", "exhausted", "stopped", "lost"};
    return (unsigned)end < sizeof names / sizeof names[0] ? names[end] : NULL;
}

enum { HED_TUNE_DEVICES = 64 }; /**< of one tuning, at most */

/** One of several devices that a tuning runs on. */
typedef struct hed_tune_on {
    char device[128];      /**< id */
    char doing[48];        /**< "waiting", "compiling", "measuring", "final rounds", "lost", ... */
    uint32_t done, failed; /**< candidates that ran on it */
    /** its time for the first candidate that works, now, over the first device's at the start */
    double pace;
    /** in the result: the winner's median on this device, as measured; NAN: without final rounds */
    double seconds;
    bool lost;       /**< for good, or until it is started again */
    uint32_t losses; /**< how often it was lost */
    char why[160];   /**< the last time; "": it was never lost */
} hed_tune_on;

/** How a tuning stands; what a live view shows. */
typedef struct hed_tune_progress {
    const hed_evaluation *last; /**< the newest; NULL in the final rounds */
    const hed_evaluation *best; /**< NULL: none yet */
    uint32_t done, failed;      /**< evaluations */
    uint32_t total;             /**< at most so many evaluations */
    uint32_t building;          /**< on their way */
    uint64_t space;             /**< valid configurations */
    double seconds, limit;      /**< passed, and allowed (0: no limit) */
    double default_seconds;     /**< of the default configuration; NAN: not known yet */
    double share;               /**< of the roofline, the best so far; NAN: not known */
    const char *stage;          /**< "starting", "searching", "final rounds" */
    const hed_tune_on *devices; /**< (device_count) where there are several */
    uint32_t device_count;
} hed_tune_progress;

typedef struct hed_runner hed_runner;         /**< runner.h */
typedef struct hed_runner_def hed_runner_def; /**< runner.h */

/** How to tune. Start from hed_default_tune_def(). */
typedef struct hed_tune_def {
    hed_math math;
    /** NULL: the sample's benchmark problem, halved in all its sizes until the default
     *  configuration takes 25 ms at the most (the result says which that is). Pipelines with
     *  dimensions need one. */
    const hed_problem *problem;
    /** (def->argument_count), with a problem; NULL: the description's sample */
    const hed_tune_argument *arguments;
    const hed_define *defines; /**< (define_count) as in hed_kernel_options */
    uint32_t define_count;
    hed_reference reference;
    const hed_kernel_def *reference_kernel;
    hed_objective objective;
    hed_isolation isolation;
    hed_strategy strategy;
    uint64_t seed;        /**< of the search and of the sample */
    uint32_t evaluations; /**< 0: as many as the other limits allow; all four limits 0: 200 */
    /** wall time, up to an eighth of it for the final rounds; a run in progress may finish; 0:
     *  none */
    double limit_seconds;
    double good_enough; /**< stop at this share of the roofline, 0 to 1; 0: never */
    /** stop after this many evaluations without a gain of 0.5 %; 0: never */
    uint32_t patience;
    /** of one candidate's run; 0: 10 s, or 20 times the default configuration's if that has been
     *  timed before (no problem given) and is more */
    double timeout_seconds;
    uint32_t builders; /**< processes that compile ahead; 0: one for each processor */
    bool cold_cache;   /**< empty the device's last-level cache before each timed run */
    /** results that the database has for this very key count as done and are not measured again; a
     *  configuration that has crashed or hung is never tried again, with or without this */
    bool resume;
    bool keep;              /**< write results into the database; default true */
    hed_database *database; /**< NULL: the context's */
    /** Called after each evaluation, and ten times a second while compilers are waited for or runs
     *  are short; may be NULL. Its argument is valid until it returns. */
    void (*progress)(void *user, const hed_tune_progress *progress);
    /** Asked between candidates, and ten times a second while compilers are waited for or runs are
     *  short; true ends the tuning with the results so far. May be NULL. */
    bool (*stop)(void *user);
    void *user;
    /** Opens the runner that candidates run in (runner.h), which the tuning destroys; called once
     *  for a reference by the kernel itself, and once for the tuning. NULL: a worker or this
     *  process. Not for pipelines. */
    hed_status (*open_runner)(
        void *user, const hed_runner_def *def, hed_runner **runner, hed_error *error);
    void *runner_user; /**< of open_runner() */
    /** (also_count) further devices, of the same backend, name, architecture and driver:
     *  several candidates are under way, each on one device alone; times are divided by the
     *  device's pace, and what counts in the final rounds is the median over all devices. One that
     *  is lost costs what was running on it. Not for pipelines, nor with isolation NONE. */
    hed_device *const *also;
    uint32_t also_count; /**< below HED_TUNE_DEVICES */
} hed_tune_def;

/** 200 evaluations at most, no other limit, fast math, compared with the native version, in a
 *  worker where possible, kept in the database. Thread class: any. */
static inline hed_tune_def hed_default_tune_def(void)
{
    hed_tune_def def = HED_ZERO;
    def.evaluations = 200;
    def.keep = true;
    return def;
}

/* ---- what came out ---- */

/** A finished tuning. Freed with hed_tune_result_free(). */
typedef struct hed_tune_result {
    hed_evaluation *evaluations; /**< (count), in the order in which they were done */
    uint32_t count;
    uint32_t best;          /**< the winner, an index; count: nothing worked */
    uint32_t default_index; /**< the description's default; count: not valid here */
    uint32_t stored_index;  /**< what the database had chosen before; count: nothing */
    uint32_t ties;          /**< evaluations that cannot be told from the winner */
    bool kept_stored;       /**< the former choice was not beaten and so stays */
    bool kept;              /**< the winner is the database's choice now */
    /** why not, such as fewer than HED_TUNE_LEAST_COMPARED configurations to compare; "" where it
     *  is kept. Static text */
    const char *not_kept_reason;
    /** the default's time over the winner's, from the final rounds if both took part; NAN: no
     *  default */
    double gain;
    /** the one that it was tuned for: hed_tune_def.problem, or one that was chosen */
    hed_problem problem;
    uint64_t space; /**< valid configurations */
    hed_tune_end end;
    bool in_process;               /**< not isolated */
    const char *in_process_reason; /**< why; "" where isolated. Static text */
    hed_reference reference;       /**< what results were compared with */
    uint64_t elements;             /**< of all outputs that have a right content */
    /** of `elements`: those that the reference does not write, such as padding or the end of an
     *  array; they are not compared, and a configuration that writes one is wrong */
    uint64_t unwritten;
    bool device_time; /**< times are the device's own clock */
    /** how far a repeated candidate moved from start to end, relative; 0: steady clocks */
    double drift;
    double seconds; /**< wall time */
    hed_work work;  /**< of one launch; zeros: not known */
    /** bytes/s that the device reached in a copy; 0: not known */
    double bandwidth;
    /** operations/s that it reached in multiply-adds; 0: not known */
    double arithmetic;
    /** the winner's share of the roofline that those two give; NAN: not known */
    double share;
    /** share of each parameter in what is known of the times */
    double importance[HED_MAX_PARAMETERS];
    hed_tune_on devices[HED_TUNE_DEVICES]; /**< (device_count), where there are several */
    uint32_t device_count;
    hed_allocator allocator;
} hed_tune_result;

/** Tunes a kernel; `def` NULL: the defaults. On OK the winner is in the database (`keep`) and later
 *  kernels take it. If it is stopped, everything measured so far is kept and returned. Nothing else
 *  should use `device` meanwhile, or the times are less reliable. Thread class: owner of the
 *  device's time. Errors: ARGUMENT (no sample and no arguments, ...), UNSUPPORTED (no valid
 *  configuration; no energy counter; isolation that cannot be had), MEMORY, DRIVER (the reference
 *  does not work, ...), LOST, IO (the worker program), BUILD (every configuration fails; the first
 *  error in words). */
HED_API hed_status hed_tune_kernel(hed_device *device, const hed_kernel_def *kernel,
    const hed_tune_def *def, hed_tune_result **result, hed_error *error);

/** Anything that can be timed: a chain of kernels, a choice between a split and a fused
 *  structure. */
typedef struct hed_pipeline_def {
    const char *name;    /**< of the database's key */
    const char *version; /**< another text is another pipeline: change it with the code; NULL: "" */
    const hed_parameter_def *parameters;
    uint32_t parameter_count;
    const char *const *constraints;
    uint32_t constraint_count;
    const hed_condition *conditions;
    uint32_t condition_count;
    const char *const *dimensions; /**< names of hed_tune_def.problem's sizes */
    uint32_t dimension_count;
    /** Makes a configuration ready to run, instead of the one before. A failure costs this
     *  evaluation. */
    hed_status (*prepare)(void *user, const hed_config *config, hed_error *error);
    /** Runs what is prepared once, to its end. Gives `*value`, a positive number: seconds, or the
     *  metric; if it stays NAN, the call is timed by the host's clock. */
    hed_status (*run)(void *user, double *value, hed_error *error);
    /** Whether the last run's results are right; NULL: not checked. */
    hed_status (*check)(void *user, hed_error *error);
    hed_work work; /**< of one run; zeros: not known */
    void *user;
} hed_pipeline_def;

/** Tunes a pipeline in this process. The fields of `def` for arguments, references, defines,
 *  isolation, builders and caches are ignored. Thread class and errors: as hed_tune_kernel(). */
HED_API hed_status hed_tune_pipeline(hed_device *device, const hed_pipeline_def *pipeline,
    const hed_tune_def *def, hed_tune_result **result, hed_error *error);
/** The best configuration that the context's database knows for a pipeline (by time, else by its
 *  metric); its defaults where it knows none. `configured` may be NULL. Thread class: any. Errors:
 *  ARGUMENT, UNSUPPORTED (the constraints leave nothing), FORMAT, MEMORY. */
HED_API hed_status hed_pipeline_resolve(hed_device *device, const hed_pipeline_def *pipeline,
    const hed_problem *problem, hed_config *config, hed_config_origin *configured,
    hed_error *error);

/** NULL is allowed. Thread class: owner. */
HED_API void hed_tune_result_free(hed_tune_result *result);

HED_END

#endif
