/** @file online.h
 *  Tuning while a program works. hed_online_launch() does the program's launch in the active
 *  configuration. Now and then, for a bounded fraction of the launches' time, it runs the same
 *  launch twice more, over copies of the written buffers: in the active configuration, and in a
 *  candidate. Their outputs are compared and their times paired. A candidate with the same results
 *  and a clearly lower time becomes active. So the program's buffers always contain results of the
 *  active configuration.
 *
 *  Searching, compiling and comparing run in a worker thread; results are stored in the database,
 *  so that the next start begins with the best. A new problem size has a search of its own, and a
 *  lasting slowdown starts a search again.
 *
 *  Candidates run in the program's own process and stream: one that crashes or hangs ends the
 *  program too. Use kernels whose configurations are known to be harmless, or tune them in a worker
 *  first (tune.h). The worker thread calls functions of the description. Real-time streams must not
 *  be launched through this; a stream with hed_stream_def.priority above 0, or one that records a
 *  graph, is launched as usual. */
#ifndef HEDDLE_ONLINE_H
#define HEDDLE_ONLINE_H

#include "heddle/tune.h"

HED_BEGIN

typedef struct hed_online hed_online;

/** Definition of online tuning. Start from hed_default_online_def(). */
typedef struct hed_online_def {
    /** fraction of the launches' time for trials, above 0 to 1; default 0.05 */
    double share;
    /** number for each size, earlier ones in the database included, after which the search rests;
     *  default 60 */
    uint32_t evaluations;
    /** the search starts again when the median of the last 32 measured launches exceeds this
     *  multiple of the median at which it came to rest; above 1, default 1.25 */
    double slowdown;
    /** device memory for copies, default 1 GiB; launches that need more are not tried */
    uint64_t copy_limit;
    uint64_t seed;          /**< seed of the searches */
    hed_database *database; /**< NULL: the context's own */
} hed_online_def;

/** Returns the defaults: a fraction of 0.05, 60 evaluations, a slowdown of 1.25, 1 GiB.
 *  Thread class: any. */
static inline hed_online_def hed_default_online_def(void)
{
    hed_online_def def = HED_ZERO;
    def.share = 0.05;
    def.evaluations = 60;
    def.slowdown = 1.25;
    def.copy_limit = (uint64_t)1 << 30;
    return def;
}

/** Creates the online tuning of a kernel. `kernel` stays the program's and must outlive the object,
 *  which changes its configuration (hed_kernel_reconfigure()). `def` NULL: the defaults. Kernels
 *  that must be resident or cooperative, or access memory that the host changes meanwhile
 *  (HED_CAN_RESIDENT, HED_CAN_COOPERATIVE, HED_CAN_GRID_BARRIER, HED_CAN_MAPPED), have no trials:
 *  hed_online_info.reason is the cause.
 *  Thread class: owner of the kernel. Errors: ARGUMENT, MEMORY, UNSUPPORTED (a kernel without
 *  geometry()). */
HED_API hed_status hed_online_create(
    hed_kernel *kernel, const hed_online_def *def, hed_online **online, hed_error *error);
/** Destroys the online tuning, after the device's work and the thread are done. NULL is allowed.
 *  Thread class: owner. */
HED_API void hed_online_destroy(hed_online *online);
/** Launches as hed_launch() does, and now and then enqueues a trial: copies before the launch, runs
 *  after it. A trial never waits, and its failure is never the launch's. The duration of a
 *  candidate's first run is not known in advance; afterwards no trial is made until the fraction is
 *  met again. Compiling in the thread is not counted.
 *  Thread class: owner of stream and kernel. Errors: those of hed_launch() for the launch
 *  itself. */
HED_API hed_status hed_online_launch(hed_online *online, hed_stream *stream,
    const hed_problem *problem, const hed_argument *arguments, uint32_t argument_count,
    hed_error *error);

/** Statistics of online tuning. */
typedef struct hed_online_info {
    uint64_t launches, trials; /**< trials: runs in addition to a launch */
    uint64_t candidates;       /**< configurations with a complete trial */
    /** candidates that do not build or run, or have other results; never tried again */
    uint64_t failed;
    uint64_t promotions; /**< number of times that a better configuration became active */
    uint64_t restarts;   /**< searches started again by a slowdown */
    /** time of launches: for each size, the median of its measured ones */
    double launch_seconds;
    double trial_seconds; /**< time of trials, on the device and in the calling thread */
    /** time of one launch of the active size at the start; 0: not known yet */
    double first_seconds;
    double best_seconds; /**< time of one launch at present */
    bool resting;        /**< no trials until something changes */
    /** cause, if such launches have no trials at all; else "". Static text */
    const char *reason;
    hed_config config; /**< active configuration */
} hed_online_info;
/** Returns the statistics, for the size launched last. Thread class: owner. */
HED_API hed_online_info hed_online_describe(const hed_online *online);

HED_END

#endif
