/* Waiting by the monotonic clock, that of hed_now(): a system clock that is set changes nothing. */
#ifndef HED_BASE_CLOCK_H
#define HED_BASE_CLOCK_H

#include <pthread.h>

#include "heddle/base.h"

/* Waits for a condition `seconds` at most; the caller holds the mutex. False: the time is up. As with
 * pthread_cond_wait(), a return proves nothing: look again at what was waited for. */
bool hed_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, double seconds);

#endif
