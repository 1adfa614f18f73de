/* Sized allocation through the context's allocator; without one (NULL), through the C library's. */
#include "base/alloc.h"

#include <assert.h>
#include <string.h>

enum { ALIGNMENT = 64 };

void *hed_allocate(const hed_allocator *allocator, size_t size)
{
    hed_allocator library = hed_default_allocator();
    const hed_allocator *source = allocator != NULL ? allocator : &library;
    size = size > 0 ? size : 1;
    void *pointer = source->allocate(source->user, size, ALIGNMENT);
    assert((uintptr_t)pointer % ALIGNMENT == 0);
    if (pointer != NULL) memset(pointer, 0, size);
    return pointer;
}

void hed_release(const hed_allocator *allocator, void *pointer, size_t size)
{
    if (pointer == NULL) return;
    hed_allocator library = hed_default_allocator();
    const hed_allocator *source = allocator != NULL ? allocator : &library;
    source->release(source->user, pointer, size > 0 ? size : 1);
}

char *hed_copy_text(const hed_allocator *allocator, const char *text)
{
    if (text == NULL) return NULL;
    size_t size = strlen(text) + 1;
    char *copy = hed_allocate(allocator, size);
    if (copy != NULL) memcpy(copy, text, size);
    return copy;
}

void hed_release_text(const hed_allocator *allocator, char *text)
{
    if (text != NULL) hed_release(allocator, text, strlen(text) + 1);
}
