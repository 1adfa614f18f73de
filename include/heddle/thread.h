/** @file thread.h
 *  A team of threads with a barrier. The host device runs kernels on one; the native code of an
 *  engine may use one too. */
#ifndef HEDDLE_THREAD_H
#define HEDDLE_THREAD_H

#include "heddle/base.h"

HED_BEGIN

typedef struct hed_team hed_team;

/** Returns the number of processors that this process may run on. Thread class: any. */
HED_API uint32_t hed_processor_count(void);

/** Creates a team of `threads` members (0: one for each processor); the thread that calls
 *  hed_team_run() is one of them. `allocator` may be NULL.
 *  Thread class: any. Errors: MEMORY (memory or threads ran out). */
HED_API hed_status hed_team_create(
    const hed_allocator *allocator, uint32_t threads, hed_team **team, hed_error *error);
/** Destroys a team and ends its threads. NULL is allowed. Thread class: owner. */
HED_API void hed_team_destroy(hed_team *team);
/** Returns the number of members. Thread class: rt. */
HED_API uint32_t hed_team_size(const hed_team *team);

/** Runs `function` once in each member at the same time and returns when all members are done; the
 *  caller is member 0. Members spin for a short while between runs, then sleep.
 *  Thread class: owner. */
HED_API void hed_team_run(
    hed_team *team, void (*function)(void *user, hed_team *team, uint32_t member), void *user);
/** Waits until every member of the running function has reached the barrier.
 *  Thread class: rt, inside hed_team_run(). */
HED_API void hed_team_barrier(hed_team *team);
/** Calls `function` on disjoint ranges of [0, count), each at least `grain` long, in several
 *  threads.
 *  Thread class: owner. */
HED_API void hed_team_for(hed_team *team, uint64_t count, uint64_t grain,
    void (*function)(void *user, uint64_t begin, uint64_t end), void *user);

/** Rounding and denormal state of a thread. */
typedef struct hed_float_state {
    uint64_t bits;
} hed_float_state;
/** Sets round-to-nearest and keeps denormals in the calling thread, as strict mode requires.
 *  Returns the former state, for hed_float_restore().
 *  Thread class: rt. */
HED_API hed_float_state hed_float_strict(void);
/** Restores a rounding and denormal state. Thread class: rt. */
HED_API void hed_float_restore(hed_float_state state);

HED_END

#endif
