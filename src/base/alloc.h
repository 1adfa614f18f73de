/* Sized allocation through the context's allocator. */
#ifndef HED_BASE_ALLOC_H
#define HED_BASE_ALLOC_H

#include "heddle/base.h"

/* Allocates zeroed memory, aligned to 64 bytes; NULL: out of memory. Size 0 counts as 1. */
void *hed_allocate(const hed_allocator *allocator, size_t size);
/* Frees memory; `size` is the size that was allocated. NULL is allowed. */
void hed_release(const hed_allocator *allocator, void *pointer, size_t size);
/* Copies text (NULL returns NULL); hed_release_text() frees the copy. */
char *hed_copy_text(const hed_allocator *allocator, const char *text);
void hed_release_text(const hed_allocator *allocator, char *text);

#endif
