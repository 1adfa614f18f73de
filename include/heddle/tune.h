/** @file tune.h
 *  Tuning: finds the fastest configuration of a kernel on a device, proves that its results are
 *  right, and stores it in the database (database.h), from where later launches load it.
 *
 *  Candidates are compiled and run in a worker process, so that one that crashes, hangs or poisons
 *  the driver costs one evaluation. Native C kernels (`host`) and pipelines are the program's own
 *  code, measured in its process.
 *
 *  Measurement: each candidate is warmed up before it is timed. A clearly slower one is abandoned
 *  after one to five runs; the closest contenders are measured again in interleaved final rounds,
 *  together with the stored choice and the default. A difference of half a percent, or within the
 *  noise, is a tie; in a tie the stored choice stays, else the default. */
#ifndef HEDDLE_TUNE_H
#define HEDDLE_TUNE_H

#include "heddle/database.h"
#include "heddle/launch.h"
#include "heddle/search.h"

HED_BEGIN

/* ---- the outcome of one candidate ---- */

/** Outcome of one candidate. */
typedef enum hed_outcome {
    HED_OUTCOME_MEASURED, /**< right results, and timed to the end */
    /** right results, but abandoned early as clearly slower; `seconds` is its time until then */
    HED_OUTCOME_DROPPED,
    HED_OUTCOME_INVALID, /**< limit of the device exceeded, found before or after compiling */
    HED_OUTCOME_BUILD,   /**< does not compile */
    HED_OUTCOME_LAUNCH,  /**< the driver refused to run it */
    HED_OUTCOME_WRONG,   /**< wrong results */
    HED_OUTCOME_CRASHED, /**< ended its process, or poisoned the driver */
    HED_OUTCOME_HUNG,    /**< not done within the time limit */
    /** an impossible time: 0, or faster than the device's memory or arithmetic allow */
    HED_OUTCOME_IMPOSSIBLE,
    HED_OUTCOME_COUNT
} hed_outcome;

/** Returns the name of an outcome: "measured", "dropped", "invalid", ...; NULL: none.
 *  Thread class: any. */
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
    /** median, s (joules, or the metric, by the objective); NAN unless measured or dropped */
    double seconds;
    double low, high; /**< 95 % confidence interval of the median; NAN: unknown */
    /** result only. With hed_tune_def.two_objectives: the objective that is not minimized, J or s.
     *  With a kernel's metric as the objective: its fastest run, s. 0: not measured */
    double second;
    uint32_t runs;        /**< number of timed runs */
    double build_seconds; /**< compile time, s; 0 if the binary came from the cache */
    double at;            /**< time since the start of the tuning, s */
    /** largest |found - expected| / max(1, |expected|) of any output; NAN: not checked */
    double error;
    bool recalled; /**< taken from an earlier tuning that this one continues, instead of run */
    bool tied;     /**< result only: as fast as the winner, within the noise */
    /** result only: clock drift, time of the reference workload at that moment / its time at the
     *  start (interpolated); `seconds / drift` corrects for it */
    double drift;
    char text[192]; /**< cause of a failure; "": none */
} hed_evaluation;

/* ---- what a kernel is tuned with ---- */

/** Content of one argument. Buffers that the kernel changes in place receive their first content
 *  again before every run; buffers that are only written are poisoned before every check. */
typedef struct hed_tune_argument {
    /** first content: buffers read, scalars, structs; NULL: buffers only written, workspaces
     *  (zeros), local arrays */
    const void *data;
    uint64_t bytes; /**< size of a buffer, enough for every configuration */
    /** (expected_bytes) right output, within the argument's tolerance; NULL: by the reference */
    const void *expected;
    /** 0: as `bytes`. Another number only if sums or sorted elements are compared */
    uint64_t expected_bytes;
} hed_tune_argument;

/** Reference of the results, if `expected` is NULL. */
typedef enum hed_reference {
    /** the description's native C version; without one, as HED_REFERENCE_DEFAULT */
    HED_REFERENCE_NATIVE,
    /** hed_tune_def.reference_kernel with the same arguments, in its default configuration */
    HED_REFERENCE_KERNEL,
    HED_REFERENCE_DEFAULT, /**< the kernel itself in its default configuration */
    HED_REFERENCE_NONE     /**< no comparison; the result reports it */
} hed_reference;

/** Objective, which tuning minimizes. */
typedef enum hed_objective {
    HED_OBJECTIVE_TIME,
    HED_OBJECTIVE_ENERGY, /**< J of a launch, by NVML: of the fastest, after a search by time; others are estimated */
    /** the value of a pipeline's run(), or hed_tune_def.metric of a kernel */
    HED_OBJECTIVE_METRIC
} hed_objective;

/** A quantity of a launch, computed from its time and energy, such as a rate. */
typedef struct hed_tune_metric {
    const char *name; /**< "GFLOP/s" */
    const char *text; /**< definition, a part of the database's key */
    /** Returns the quantity of a launch that takes `seconds` and `joules` (NAN: unknown); NAN: it
     *  has none. */
    double (*value)(const struct hed_tune_metric *metric, const hed_config *config, double seconds,
        double joules);
    bool maximized;   /**< more is better */
    bool uses_energy; /**< has no value without `joules`, and is no objective */
    const void *user;
} hed_tune_metric;

/** Cause for which a warp does not issue its next instruction. */
typedef enum hed_wait {
    HED_WAIT_MEMORY, /**< data of the device's memory or its caches, or room in the queue to them */
    HED_WAIT_LOCAL, /**< data of local (shared) memory or of a special function, or room in their queue */
    HED_WAIT_BARRIER,    /**< other items at a barrier, or a fence */
    HED_WAIT_ARITHMETIC, /**< an arithmetic or matrix unit, which is busy */
    HED_WAIT_RESULT,     /**< fixed latency of the previous instruction */
    HED_WAIT_TURN,       /**< another warp, which issues although this one is ready */
    HED_WAIT_CODE,       /**< instructions to be fetched, as after a branch */
    HED_WAIT_CONSTANT,   /**< constant memory */
    HED_WAIT_END,        /**< writes before its end */
    HED_WAIT_OTHER,
    HED_WAIT_COUNT
} hed_wait;

/** Returns the end of the sentence "it waits for ...": "memory", "local memory", ...; NULL: no
 *  cause.
 *  Thread class: any. */
static inline const char *hed_wait_name(hed_wait wait)
{
    static const char *const names[HED_WAIT_COUNT] = {"memory", "local memory",
        "other items at barriers", "arithmetic units", "the previous instruction", "its turn",
        "instructions", "constants", "its last writes", "other causes"};
    return (unsigned)wait < HED_WAIT_COUNT ? names[wait] : NULL;
}

/** Hardware counters of one launch; NAN: unknown. */
typedef struct hed_counters {
    /** mean number of warps on a compute unit while it works / the largest number possible */
    double occupancy;
    double bytes_read;    /**< bytes from the device's memory, caches excluded */
    double bytes_written; /**< bytes to the device's memory */
    double cache_hits; /**< fraction of the accesses to the last-level cache that find their data */
    double memory_busy; /**< achieved fraction of the peak throughput of the device's memory */
    double units_busy;  /**< achieved fraction of the peak throughput of the compute units */
    /** fraction of the cycles of local memory that bank conflicts add; NAN: local memory is not
     *  used */
    double conflicts;
    double issues; /**< fraction of a warp's time in which it issues an instruction */
    /** fractions of a warp's time in which it waits; with `issues` their sum is 1 */
    double waits[HED_WAIT_COUNT];
} hed_counters;

/** Process of the candidates. */
typedef enum hed_isolation {
    /** worker if possible, else in this process, which the result reports */
    HED_ISOLATION_AUTO,
    HED_ISOLATION_WORKER, /**< worker; an error if that is impossible */
    HED_ISOLATION_NONE    /**< this process */
} hed_isolation;

/** Cause of a tuning's end. */
typedef enum hed_tune_end {
    HED_TUNE_EVALUATIONS, /**< limit on the number of evaluations */
    HED_TUNE_SECONDS,     /**< limit on the time */
    HED_TUNE_GOOD_ENOUGH, /**< the requested fraction of the roofline is reached */
    HED_TUNE_NO_GAIN,     /**< no improvement for `patience` evaluations */
    HED_TUNE_EXHAUSTED,   /**< every point is known */
    HED_TUNE_STOPPED,     /**< stop() returned true */
    HED_TUNE_LOST /**< a candidate in this process has hung the device, or broken it for good */
} hed_tune_end;

/** Minimum number of working configurations before the fastest is kept, unless the space has
 *  fewer. */
enum { HED_TUNE_LEAST_COMPARED = 3 };

/** Returns a short description: "evaluations", "seconds", "good enough", ...; NULL: none.
 *  Thread class: any. */
static inline const char *hed_tune_end_name(hed_tune_end end)
{
    static const char *const names[] = {
        "evaluations", "seconds", "good enough", "no gain", "exhausted", "stopped", "lost"};
    return (unsigned)end < sizeof names / sizeof names[0] ? names[end] : NULL;
}

enum { HED_TUNE_DEVICES = 64 }; /**< maximum number of devices of one tuning */

/** State of one of several devices that a tuning runs on. */
typedef struct hed_tune_on {
    char device[128];      /**< id */
    char doing[48];        /**< "waiting", "compiling", "measuring", "final rounds", "lost", ... */
    uint32_t done, failed; /**< candidates that ran on it */
    /** present time of the first working candidate on this device / its time on the first device at
     *  the start */
    double drift;
    /** result only: the winner's median on this device, s, as measured; NAN: without final
     *  rounds */
    double seconds;
    bool lost;       /**< lost for good, or until it is started again */
    uint32_t losses; /**< number of losses */
    char why[160];   /**< cause of the last loss; "": none */
} hed_tune_on;

/** Progress of a tuning, for live views. */
typedef struct hed_tune_progress {
    const hed_evaluation *last; /**< newest evaluation; NULL in the final rounds */
    const hed_evaluation *best; /**< best evaluation; NULL: none yet */
    uint32_t done, failed;      /**< numbers of evaluations */
    uint32_t total;             /**< maximum number of evaluations */
    uint32_t building;          /**< candidates being compiled */
    uint64_t space;             /**< number of valid configurations */
    double seconds, limit;      /**< elapsed time and its limit, s; limit 0: none */
    double default_seconds;     /**< time of the default configuration, s; NAN: not known yet */
    double share;               /**< fraction of the roofline of the best so far; NAN: unknown */
    const char *stage;          /**< "starting", "searching", "final rounds" */
    const hed_tune_on *devices; /**< (device_count) if there are several */
    uint32_t device_count;
} hed_tune_progress;

typedef struct hed_runner hed_runner;         /**< runner.h */
typedef struct hed_runner_def hed_runner_def; /**< runner.h */

/** Definition of a tuning. Start from hed_default_tune_def(). */
typedef struct hed_tune_def {
    hed_math math;
    /** NULL: the sample's benchmark problem, halved in all its sizes until the default
     *  configuration takes at most 25 ms (the result has the problem). Pipelines with dimensions
     *  need one. */
    const hed_problem *problem;
    /** (def->argument_count), with a problem; NULL: the description's sample */
    const hed_tune_argument *arguments;
    const hed_define *defines; /**< (define_count) as in hed_kernel_options */
    uint32_t define_count;
    hed_reference reference;
    const hed_kernel_def *reference_kernel;
    hed_objective objective;
    /** measures time and energy: after the search by time the energy of each configuration that
     *  works, the fastest first, in half of limit_seconds, of three in any case
     *  (hed_evaluation.second). Without a counter of energy UNSUPPORTED, before any work */
    bool two_objectives;
    /** reads hardware counters of the winner and of the default, after everything else
     *  (hed_tune_result.counters): CUDA devices, through CUPTI. Where they cannot be read, the
     *  result has the reason */
    bool counters;
    const hed_tune_metric *metrics; /**< (metric_count) shown in reports */
    uint32_t metric_count;
    /** kernels, HED_OBJECTIVE_METRIC: the objective, with positive values. One that is maximized
     *  has its reciprocal in `seconds`, `low` and `high` of the evaluations */
    const hed_tune_metric *metric;
    hed_isolation isolation;
    hed_strategy strategy;
    uint64_t seed;        /**< seed of the search and of the sample */
    uint32_t evaluations; /**< maximum; default 200; 0: no limit */
    /** wall time, up to an eighth of it for the final rounds; a run in progress may finish; 0:
     *  none */
    double limit_seconds;
    double good_enough; /**< fraction of the roofline at which to stop, 0 to 1; 0: never */
    /** number of evaluations without a gain of 0.5 % after which to stop; 0: never */
    uint32_t patience;
    /** limit for one candidate's run, s. 0: 20 times the first run of the reference on this device,
     *  else of the first configuration that works, at least 5 s (10 s where the driver compiles in
     *  that run). Before that: 120 s, or limit_seconds (at least 10 s) if that is less. Where
     *  the driver compiles in the first run, a given limit is 10 s longer for that run */
    double timeout_seconds;
    /** limit for a run of the default as the reference, s, for a caller that has smaller problems.
     *  A run that is stopped by it, or takes more than a third of it, is HED_ERROR_TIMEOUT before
     *  any other configuration runs; 0: none */
    double default_seconds;
    uint32_t builders; /**< number of processes that compile ahead; 0: one for each processor */
    bool cold_cache;   /**< empties the device's last-level cache before each timed run */
    /** results of the same key in the database count as done and are not measured again;
     *  configurations that have crashed or hung are never tried again, with or without this */
    bool resume;
    bool keep;              /**< writes results into the database; default true */
    hed_database *database; /**< NULL: the context's own */
    /** Called after each evaluation, and ten times a second during waits for compilers and during
     *  short runs; may be NULL. Its argument is valid until it returns. */
    void (*progress)(void *user, const hed_tune_progress *progress);
    /** Called between candidates, and ten times a second during waits for compilers and during
     *  short runs; true ends the tuning with the results so far. May be NULL. */
    bool (*stop)(void *user);
    void *user;
    /** Opens the runner that candidates run in (runner.h), which the tuning destroys; called once
     *  for a reference by the kernel itself, and once for the tuning. NULL: a worker or this
     *  process. Not for pipelines. */
    hed_status (*open_runner)(
        void *user, const hed_runner_def *def, hed_runner **runner, hed_error *error);
    void *runner_user; /**< argument of open_runner() */
    /** (other_device_count) additional devices, of the same backend, name, architecture and driver.
     *  Several candidates are measured at once, each on one device alone; times are divided by the
     *  device's drift, and the final rounds compare medians over all devices. A lost device costs
     *  the candidate that was running on it. Not for pipelines, nor with isolation NONE. */
    hed_device *const *other_devices;
    uint32_t other_device_count; /**< below HED_TUNE_DEVICES */
} hed_tune_def;

/** Returns the defaults: at most 200 evaluations, no other limit, fast math, compared with the
 *  native version, in a worker if possible, stored in the database.
 *  Thread class: any. */
static inline hed_tune_def hed_default_tune_def(void)
{
    hed_tune_def def = HED_ZERO;
    def.evaluations = 200;
    def.keep = true;
    return def;
}

/* ---- what came out ---- */

/** A finished tuning. Free it with hed_tune_result_free(). */
typedef struct hed_tune_result {
    hed_evaluation *evaluations; /**< (count) in the order in which they were done */
    uint32_t count;
    uint32_t best;          /**< index of the winner; count: nothing worked */
    uint32_t default_index; /**< index of the description's default; count: not valid here */
    uint32_t stored_index;  /**< index of the former choice of the database; count: none */
    uint32_t ties;          /**< number of evaluations that tie with the winner */
    bool kept_stored;       /**< the former choice stays, since it was not beaten */
    bool kept;              /**< the winner is the database's choice now */
    /** cause, such as fewer than HED_TUNE_LEAST_COMPARED configurations to compare; "": it is
     *  stored. Static text */
    const char *not_kept_reason;
    /** the default's time / the winner's, from the final rounds if both took part; NAN: no
     *  default */
    double gain;
    /** problem of the tuning: hed_tune_def.problem, or a chosen one */
    hed_problem problem;
    uint64_t space; /**< number of valid configurations */
    hed_tune_end end;
    bool in_process;               /**< candidates were not isolated */
    const char *in_process_reason; /**< cause; "": isolated. Static text */
    hed_reference reference;       /**< reference of the results */
    /** configuration that made the expected results; count 0: they are not this kernel's own */
    hed_config reference_config;
    /** cause for which the default configuration could not make them; "": it did, or is not
     *  needed */
    char reference_reason[192];
    /** number of elements of all outputs that have a right content */
    uint64_t elements;
    /** number of these elements that the reference does not write, such as padding or the end of an
     *  array; they are not compared, and a configuration that writes one is wrong */
    uint64_t unwritten;
    /** number of these elements that are not compared because the reference's results differ from
     *  run to run by more than the tolerance, as after atomic functions in any order */
    uint64_t unsteady;
    bool device_time; /**< times are of the device's own clock */
    /** relative change of a repeated candidate's time from start to end; 0: steady clocks */
    double drift;
    double seconds; /**< wall time */
    hed_work work;  /**< work of one launch; zeros: unknown */
    /** bytes/s of the device in a copy; 0: unknown */
    double bandwidth;
    /** operations/s of the device in multiply-adds; 0: unknown */
    double arithmetic;
    /** the winner's fraction of the roofline of these two; NAN: unknown */
    double share;
    /** (parameters) fraction of the variation of the known times that each explains */
    double importance[HED_MAX_PARAMETERS];
    hed_tune_on devices[HED_TUNE_DEVICES]; /**< (device_count) if there are several */
    uint32_t device_count;
    bool has_counters;             /**< `counters` were read (hed_tune_def.counters) */
    hed_counters counters;         /**< the winner's */
    hed_counters default_counters; /**< the default configuration's; NAN: not read */
    /** cause for which counters of one of them were not read; "": they were, or were not
     *  requested */
    char counters_reason[512];
    hed_allocator allocator;
} hed_tune_result;

/** Tunes a kernel. `def` NULL: the defaults. On OK the winner is in the database (`keep`) and later
 *  kernels use it. A stopped tuning stores and returns everything measured so far. Other work on
 *  `device` meanwhile makes the times less reliable.
 *  Thread class: owner of the device's time. Errors: ARGUMENT (no sample and no arguments, ...),
 *  UNSUPPORTED (no valid configuration; no energy counter; isolation that is impossible here),
 *  MEMORY, DRIVER (the reference does not work, ...), LOST, IO (the worker program), BUILD (every
 *  configuration fails; with the first error). */
HED_API hed_status hed_tune_kernel(hed_device *device, const hed_kernel_def *kernel,
    const hed_tune_def *def, hed_tune_result **result, hed_error *error);

/** A program that can be timed: a chain of kernels, a choice between a split and a fused
 *  structure. */
typedef struct hed_pipeline_def {
    const char *name; /**< name in the database's key */
    /** version in the key; change it with the code, since another text is another pipeline. NULL:
     *  "" */
    const char *version;
    const hed_parameter_def *parameters;
    uint32_t parameter_count;
    const char *const *constraints;
    uint32_t constraint_count;
    const hed_condition *conditions;
    uint32_t condition_count;
    const char *const *dimensions; /**< names of hed_tune_def.problem's sizes */
    uint32_t dimension_count;
    /** Prepares a configuration to run, instead of the previous one. A failure costs this
     *  evaluation. */
    hed_status (*prepare)(void *user, const hed_config *config, hed_error *error);
    /** Runs the prepared configuration once, to its end. Sets `*value` to a positive number,
     *  seconds or the metric; if it stays NAN, the host's clock times the call. */
    hed_status (*run)(void *user, double *value, hed_error *error);
    /** Returns an error if the last run's results are wrong; NULL: not checked. */
    hed_status (*check)(void *user, hed_error *error);
    hed_work work; /**< work of one run; zeros: unknown */
    void *user;
    /** number of configurations that build_ahead() compiles at once; 0: prepare() compiles */
    uint32_t builders;
    /** Starts compiling a configuration for prepare(), in parallel to all other work, and returns
     *  at once. Needed if `builders` > 0, like `built`. */
    hed_status (*build_ahead)(void *user, const hed_config *config, hed_error *error);
    /** Returns one configuration whose compiling ahead has ended; prepare() reports a failure of
     *  it. False: none ended within `seconds`. */
    bool (*built)(void *user, double seconds, hed_config *config);
} hed_pipeline_def;

/** Tunes a pipeline in this process. The fields of `def` for arguments, references, defines,
 *  isolation, builders and caches are ignored.
 *  Thread class: owner of the device's time. Errors: as hed_tune_kernel(). */
HED_API hed_status hed_tune_pipeline(hed_device *device, const hed_pipeline_def *pipeline,
    const hed_tune_def *def, hed_tune_result **result, hed_error *error);
/** Finds the best configuration of a pipeline in the context's database (by time, else by its
 *  metric); its defaults if the database has none. `configured` may be NULL.
 *  Thread class: any. Errors: ARGUMENT, UNSUPPORTED (no configuration meets the constraints),
 *  FORMAT, MEMORY. */
HED_API hed_status hed_pipeline_resolve(hed_device *device, const hed_pipeline_def *pipeline,
    const hed_problem *problem, hed_config *config, hed_config_origin *configured,
    hed_error *error);

/** Frees a result. NULL is allowed. Thread class: owner. */
HED_API void hed_tune_result_free(hed_tune_result *result);

HED_END

#endif
