/* Queue of trials: an array that starts again at the front whenever it has run empty. */
#include "measure/runners.h"

#include <string.h>

#include "base/error.h"

hed_status hed_trial_queue_reserve(hed_trial_queue *queue, uint32_t additional, hed_error *error)
{
    if (hed_trial_queue_empty(queue)) queue->begin = queue->count = 0;
    if (additional <= queue->capacity - queue->count) return HED_OK;
    uint32_t capacity = 2 * queue->capacity > queue->count + additional
                            ? 2 * queue->capacity
                            : queue->count + additional + 16;
    hed_queued_trial *grown = hed_allocate(&queue->allocator, capacity * sizeof *grown);
    if (!grown) return HED_OUT_OF_MEMORY(error, "%u candidates", capacity);
    if (queue->count) memcpy(grown, queue->entries, queue->count * sizeof *grown);
    hed_release(&queue->allocator, queue->entries, queue->capacity * sizeof *grown);
    queue->entries = grown;
    queue->capacity = capacity;
    return HED_OK;
}

hed_status hed_trial_queue_put(
    hed_trial_queue *queue, const hed_config *config, const hed_trial *trial, hed_error *error)
{
    hed_status status = hed_trial_queue_reserve(queue, 1, error);
    if (status) return status;
    queue->entries[queue->count++] = (hed_queued_trial){*config, *trial};
    return HED_OK;
}

bool hed_trial_queue_take(hed_trial_queue *queue, hed_config *config, hed_trial *trial)
{
    if (hed_trial_queue_empty(queue)) return false;
    const hed_queued_trial *first = &queue->entries[queue->begin++];
    *config = first->config;
    if (trial) *trial = first->trial;
    return true;
}

bool hed_trial_queue_empty(const hed_trial_queue *queue) { return queue->begin == queue->count; }

void hed_trial_queue_free(hed_trial_queue *queue)
{
    hed_release(&queue->allocator, queue->entries, queue->capacity * sizeof *queue->entries);
    queue->entries = NULL;
    queue->count = queue->begin = queue->capacity = 0;
}
