/* Growing arrays and sets of a search for unused rules. */
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

void css_name_set_add(css_name_set *set, const char *text, size_t length)
{
    uint32_t number = hed_css_names_add(set->names, text, length);
    set->incomplete |= number == HED_CSS_NONE;
    if (number != HED_CSS_NONE && number >= set->count) set->count = number + 1;
}

void css_name_set_join(css_name_set *set, const css_name_set *added)
{
    set->incomplete |= added->incomplete;
    for (uint32_t i = 0; i < added->count; i++) {
        size_t length;
        const char *text = hed_css_names_text(added->names, i, &length);
        css_name_set_add(set, text, length);
    }
}
