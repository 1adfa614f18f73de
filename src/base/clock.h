/* Waiting by the monotonic clock, which hed_now() reads: setting the system clock has no effect. */
#ifndef HED_BASE_CLOCK_H
#define HED_BASE_CLOCK_H

#include <pthread.h>

#include "heddle/base.h"

/* Waits for a condition for up to `seconds`; the caller has locked the mutex. False: the time is
 * up. As after pthread_cond_wait(), a return proves nothing: check the awaited state again. */
bool hed_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, double seconds);

#endif
