/* Zeroed arrays from a sized allocator. */
#ifndef SYNTH_MEMORY_H
#define SYNTH_MEMORY_H

#include "heddle/base.h"

#include <string.h>

/* `count` elements of `size` bytes, zero; room for one where count is 0. NULL: no memory. */
static inline void *synth_new(const hed_allocator *allocator, uint64_t count, size_t size)
{
    uint64_t elements = count ? count : 1;
    if (elements > SIZE_MAX / size) return NULL;
    void *made = allocator->allocate(allocator->user, (size_t)elements * size, 64);
    return made ? memset(made, 0, (size_t)elements * size) : NULL;
}

static inline void synth_release(
    const hed_allocator *allocator, void *array, uint64_t count, size_t size)
{
    if (array) allocator->release(allocator->user, array, (size_t)(count ? count : 1) * size);
}

#endif
