/* Sized allocation through the context's allocator. */
#ifndef HED_BASE_ALLOC_H
#define HED_BASE_ALLOC_H

#include "heddle/base.h"

/* Zeroed memory, aligned to 64 bytes, or NULL. Size 0 counts as 1. */
void *hed_allocate(const hed_allocator *allocator, size_t size);
/* Gives it back with the same size. NULL is allowed. */
void hed_release(const hed_allocator *allocator, void *pointer, size_t size);
/* A copy of text (NULL gives NULL), released with hed_release_text(). */
char *hed_copy_text(const hed_allocator *allocator, const char *text);
void hed_release_text(const hed_allocator *allocator, char *text);

#endif
