/** @file thread.h
 *  A team of threads with a barrier: what the host device runs on, and what an engine's own native
 *  code may use.
 */
#ifndef HEDDLE_THREAD_H
#define HEDDLE_THREAD_H

#include "heddle/base.h"

HED_BEGIN

typedef struct hed_team hed_team;

/** Number of processors this process may run on. Thread class: any. */
HED_API uint32_t hed_processor_count(void);

/** Makes a team of `threads` members (0: one for each processor), of which the caller of
 *  hed_team_run() is one. `allocator` may be NULL. Thread class: any. Errors: MEMORY (memory or
 *  threads ran out). */
HED_API hed_status hed_team_create(
    const hed_allocator *allocator, uint32_t threads, hed_team **team, hed_error *error);
/** Ends the threads. NULL is allowed. Thread class: owner. */
HED_API void hed_team_destroy(hed_team *team);
HED_API uint32_t hed_team_size(const hed_team *team); /**< members. Thread class: rt */

/** Calls `function` once in each member at the same time and returns when all have ended; the
 *  caller is member 0. Members spin a short while between runs, then sleep. Thread class: owner. */
HED_API void hed_team_run(
    hed_team *team, void (*function)(void *user, hed_team *team, uint32_t member), void *user);
/** Waits until every member of the running function is here. Thread class: rt, inside
 *  hed_team_run(). */
HED_API void hed_team_barrier(hed_team *team);
/** Calls `function` on pieces of [0, count), each at least `grain` long, in several threads. Thread
 *  class: owner. */
HED_API void hed_team_for(hed_team *team, uint64_t count, uint64_t grain,
    void (*function)(void *user, uint64_t begin, uint64_t end), void *user);

/** Rounding and denormal state of the calling thread, as strict mode needs it. */
typedef struct hed_float_state {
    uint64_t bits;
} hed_float_state;
/** Sets round-to-nearest and keeps denormals; gives the former state. Thread class: rt. */
HED_API hed_float_state hed_float_strict(void);
/** Restores it. Thread class: rt. */
HED_API void hed_float_restore(hed_float_state state);

HED_END

#endif
