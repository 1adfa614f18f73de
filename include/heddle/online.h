/** @file online.h
 *  Tuning while a program works: a bounded share of its launches tries another configuration on the real job, on copies of the buffers that are written; the answer is
 *  compared with that of the configuration in force, which has done the job as always. Converges on the best; a change of size or a lasting slowdown starts it again.
 *  Real-time streams must not be launched through this.
 *
 *  Candidates run in the program's own process: give it kernels whose configurations are known to be harmless, or tune those in a worker first (tune.h).
 */
#ifndef HEDDLE_ONLINE_H
#define HEDDLE_ONLINE_H

#include "heddle/tune.h"

HED_BEGIN

typedef struct hed_online hed_online;

/** How. Start from hed_default_online_def(). */
typedef struct hed_online_def {
    double share;          /**< of the time spent in launches that trials may take, default 0.05 */
    uint32_t evaluations;  /**< per size, default 60; then it rests */
    double slowdown;       /**< a lasting rise of the time by this factor starts it again, default 1.25 */
    uint64_t copy_limit;   /**< bytes of scratch buffers at most, default 1 GiB; kernels that write more are not tried */
    uint64_t seed;
    hed_database *database; /**< NULL: the context's */
} hed_online_def;

HED_API hed_online_def hed_default_online_def(void);
/** `kernel` stays the program's and must outlive the object; its configuration changes. Thread class: owner of the kernel. Errors: ARGUMENT, MEMORY, UNSUPPORTED. */
HED_API hed_status hed_online_create(hed_kernel *kernel, const hed_online_def *def, hed_online **online, hed_error *error);
HED_API void hed_online_destroy(hed_online *online);
/** As hed_launch(). Now and then it also enqueues a trial behind it. Thread class: owner. Errors: those of hed_launch() for the job itself; a trial's never. */
HED_API hed_status hed_online_launch(hed_online *online, hed_stream *stream, const hed_problem *problem, const hed_argument *arguments,
                                     uint32_t argument_count, hed_error *error);

/** What it has done. */
typedef struct hed_online_report {
    uint64_t launches, trials, failed, restarts;
    double launch_seconds, trial_seconds; /**< spent */
    double first_seconds, best_seconds;   /**< of one launch, for the size in force */
    bool resting;                         /**< converged; nothing is tried until something changes */
    hed_config config;                    /**< in force */
} hed_online_report;
HED_API hed_online_report hed_online_read(const hed_online *online); /**< Thread class: owner */

HED_END

#endif
