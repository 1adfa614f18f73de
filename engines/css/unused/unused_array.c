/* Growing arrays of a search for unused rules. */
#include "survey.h"

#include <string.h>

void *css_grow(const hed_allocator *allocator, void *array, uint32_t *room, uint32_t count,
    size_t size, hed_error *error)
{
    if (count < *room || hed_failed(error)) return array;
    uint32_t capacity = 2 * count + 16;
    void *larger = hed_new(allocator, capacity, size, error);
    if (!larger) return array;
    if (array) memcpy(larger, array, *room * size);
    hed_delete(allocator, array, *room, size);
    *room = capacity;
    return larger;
}
