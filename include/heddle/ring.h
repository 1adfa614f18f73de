/** @file ring.h
 *  A ring of plain records between one writing and one reading thread, neither of which ever waits.
 *  Control reaches a real-time thread through one ring, and results return through another. */
#ifndef HEDDLE_RING_H
#define HEDDLE_RING_H

#include "heddle/base.h"

HED_BEGIN

typedef struct hed_ring hed_ring;

/** Creates a ring of at least `capacity` records of `record_bytes` each. `allocator` may be NULL.
 *  Thread class: any. Errors: ARGUMENT (a zero, or over 2^31 records), MEMORY. */
HED_API hed_status hed_ring_create(const hed_allocator *allocator, uint32_t record_bytes,
    uint32_t capacity, hed_ring **ring, hed_error *error);
/** Destroys a ring. NULL is allowed. Thread class: owner. */
HED_API void hed_ring_destroy(hed_ring *ring);
/** Copies a record into the ring. False: the ring is full. Thread class: rt, one writing thread. */
HED_API bool hed_ring_push(hed_ring *ring, const void *record);
/** Copies the oldest record out and removes it. False: the ring is empty.
 *  Thread class: rt, one reading thread. */
HED_API bool hed_ring_pop(hed_ring *ring, void *record);
/** Returns the number of records in the ring, as the calling thread sees it. Thread class: rt. */
HED_API uint32_t hed_ring_count(const hed_ring *ring);

HED_END

#endif
