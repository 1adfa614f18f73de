/** @file online.h
 *  Tuning while a program works. hed_online_launch() does the program's launch with the
 *  configuration in force; now and then, for a bounded share of the time that launches take, it
 *  runs the same launch twice more after it, over copies of the buffers that the kernel writes: in
 *  the configuration in force, and in another one. Their outputs are compared and their times
 *  paired. One that gives the same results and is clearly faster is put in force. So the program's
 *  buffers hold what the configuration in force wrote, always.
 *
 *  Searching, compiling and comparing happen in a worker thread; results go to the database, so
 *  that the next start begins with the best. A problem size that is new has a search of its own,
 *  and a lasting slowdown starts one again.
 *
 *  Candidates run in the program's own process and stream: one that crashes or hangs takes the
 *  program along. Give it kernels whose configurations are known to be harmless, or tune those in a
 *  worker first (tune.h). Functions of the description are called from the worker thread. Real-time
 *  streams must not be launched through this; one with hed_stream_def.priority above 0 is launched
 *  as usual, and so is one that records a graph.
 */
#ifndef HEDDLE_ONLINE_H
#define HEDDLE_ONLINE_H

#include "heddle/tune.h"

HED_BEGIN

typedef struct hed_online hed_online;

/** How to tune online. Start from hed_default_online_def(). */
typedef struct hed_online_def {
    /** of the time spent in launches that trials may take, above 0 to 1; default 0.05 */
    double share;
    /** for each size, earlier ones in the database counted; default 60; then it rests */
    uint32_t evaluations;
    /** the search starts again when the median of the last 32 measured launches exceeds this
     *  multiple of the median at which it came to rest; above 1, default 1.25 */
    double slowdown;
    /** device memory for copies, default 1 GiB; launches that need more are not tried */
    uint64_t copy_limit;
    uint64_t seed;          /**< of the searches */
    hed_database *database; /**< NULL: the context's */
} hed_online_def;

/** A share of 0.05, 60 evaluations, a slowdown of 1.25, 1 GiB. Thread class: any. */
static inline hed_online_def hed_default_online_def(void)
{
    hed_online_def def = HED_ZERO;
    def.share = 0.05;
    def.evaluations = 60;
    def.slowdown = 1.25;
    def.copy_limit = (uint64_t)1 << 30;
    return def;
}

/** `kernel` stays the program's and must outlive the object, which changes its configuration
 *  (hed_kernel_reconfigure()). `def` NULL: the defaults. Nothing is tried where a kernel needs to
 *  be resident or cooperative, or memory that the host changes meanwhile (HED_CAN_RESIDENT,
 *  HED_CAN_COOPERATIVE, HED_CAN_GRID_BARRIER, HED_CAN_MAPPED): hed_online_report.reason says so.
 *  Thread class: owner of the kernel. Errors: ARGUMENT, MEMORY, UNSUPPORTED (a kernel without
 *  geometry()). */
HED_API hed_status hed_online_create(
    hed_kernel *kernel, const hed_online_def *def, hed_online **online, hed_error *error);
/** Waits for the device's work and for the thread. NULL is allowed. Thread class: owner. */
HED_API void hed_online_destroy(hed_online *online);
/** As hed_launch(). Now and then it also enqueues a trial: copies before the launch, runs after it.
 *  A trial never waits, and its failures are never the launch's. The time of a candidate's first
 *  run is not known in advance; whatever it was, no further trial is made until the share is right
 *  again. Compiling in the thread is not counted. Thread class: owner of stream and kernel. Errors:
 *  those of hed_launch() for the launch itself. */
HED_API hed_status hed_online_launch(hed_online *online, hed_stream *stream,
    const hed_problem *problem, const hed_argument *arguments, uint32_t argument_count,
    hed_error *error);

/** What it has done. */
typedef struct hed_online_report {
    uint64_t launches, trials; /**< trials: runs beside a launch */
    uint64_t candidates;       /**< configurations that were tried to the end */
    /** of those: do not build or run, or give other results; never tried again */
    uint64_t failed;
    uint64_t promotions; /**< times that a better one was put in force */
    uint64_t restarts;   /**< searches started again by a slowdown */
    /** spent in launches: the median of a size's measured ones, for each */
    double launch_seconds;
    double trial_seconds; /**< spent in trials: on the device, and of the caller's time */
    /** of one launch of the size in force, as it was found; 0: not known yet */
    double first_seconds;
    double best_seconds; /**< as it is now */
    bool resting;        /**< nothing is tried until something changes */
    /** why there is no trial of such launches at all; "" otherwise. Static text */
    const char *reason;
    hed_config config; /**< in force */
} hed_online_report;
/** For the size launched last. Thread class: owner. */
HED_API hed_online_report hed_online_read(const hed_online *online);

HED_END

#endif
