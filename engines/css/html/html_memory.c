/* Growing arrays, and decoded text. */
#include "html_tokenizer.h"

#include <string.h>

bool html_grow(
    const hed_allocator *allocator, void *items, uint32_t *room, uint64_t count, size_t size)
{
    void *old = *(void **)items;
    uint64_t larger = *room ? *room : 64;
    while (larger < count) larger *= 2;
    if (larger == *room) return true;
    void *grown = larger > UINT32_MAX / 2
                      ? NULL
                      : allocator->allocate(allocator->user, (size_t)larger * size, HTML_ALIGNMENT);
    if (!grown) return false;
    if (old) memcpy(grown, old, *room * size);
    hed_delete(allocator, old, *room, size);
    *(void **)items = grown;
    *room = (uint32_t)larger;
    return true;
}

void html_decode(html_tokenizer *t, const char *bytes, size_t length)
{
    if (!html_grow(&t->allocator, &t->decoded, &t->decoded_room,
            (uint64_t)t->decoded_length + length, 1)) {
        t->failed = true;
        return;
    }
    memcpy(t->decoded + t->decoded_length, bytes, length);
    t->decoded_length += (uint32_t)length;
}
