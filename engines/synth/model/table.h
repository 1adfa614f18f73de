/* Places in an array, found by a hash of what stands there: open addressing, at most half full.
 * What has the same hash is told apart by the caller, who looks at the array. */
#ifndef SYNTH_TABLE_H
#define SYNTH_TABLE_H

#include "heddle/base.h"

typedef struct synth_table {
    /* (capacity) hash in the high half, place + 1 in the low one; 0: free */
    uint64_t *slots;
    uint32_t capacity, count; /* capacity is 0 or a power of two */
} synth_table;

#define SYNTH_NO_PLACE UINT32_MAX

uint32_t synth_hash_text(const char *text, size_t length);
uint32_t synth_hash_pair(uint32_t a, uint32_t b);
/* Adds a place. False: out of memory, and nothing has changed. */
bool synth_table_put(
    synth_table *table, const hed_allocator *allocator, uint32_t hash, uint32_t place);
/* The next place with this hash, SYNTH_NO_PLACE behind the last. `probe` is 0 for the first. */
uint32_t synth_table_next(const synth_table *table, uint32_t hash, uint32_t *probe);
/* Forgets all places; the memory stays. */
void synth_table_clear(synth_table *table);
void synth_table_free(synth_table *table, const hed_allocator *allocator);

#endif
