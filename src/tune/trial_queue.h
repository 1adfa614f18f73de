/* Configurations that wait to be built, or to be taken, first in first out. */
#ifndef HED_TUNE_TRIAL_QUEUE_H
#define HED_TUNE_TRIAL_QUEUE_H

#include "tune/runner.h"

typedef struct hed_queued_trial {
    hed_config config;
    hed_trial trial;
} hed_queued_trial;

/* Start from {.allocator = ...}. */
typedef struct hed_trial_queue {
    hed_allocator allocator;
    hed_queued_trial *entries; /* (capacity), of which [taken, count) are in the queue */
    uint32_t count, taken, capacity;
} hed_trial_queue;

/* Makes room for `more` entries, whose putting cannot fail then. Errors: MEMORY. */
hed_status hed_trial_queue_reserve(hed_trial_queue *queue, uint32_t more, hed_error *error);
/* Errors: MEMORY. */
hed_status hed_trial_queue_put(
    hed_trial_queue *queue, const hed_config *config, const hed_trial *trial, hed_error *error);
/* `trial` may be NULL. false: it is empty. */
bool hed_trial_queue_take(hed_trial_queue *queue, hed_config *config, hed_trial *trial);
bool hed_trial_queue_empty(const hed_trial_queue *queue);
void hed_trial_queue_free(hed_trial_queue *queue);

#endif
