/* Memory that runs out: malloc() replaced by one whose n-th allocation fails, in the libraries that
 * are called too. For programs of their own, one file each: this header defines the functions. */
#ifndef HED_TESTS_FAILING_MALLOC_H
#define HED_TESTS_FAILING_MALLOC_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/base.h"

/* ---- malloc, with glibc's underneath; visible, so that the libraries find it too ---- */

#define VISIBLE __attribute__((visibility("default")))

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *pointer, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *pointer);

static long allocations_left = -1; /* allocations until one fails; -1: none does */
static bool hit;
static long live;

static bool fails(void)
{
    if (allocations_left < 0 || allocations_left-- > 0) return false;
    hit = true;
    errno = ENOMEM;
    return true;
}

VISIBLE void *malloc(size_t size)
{
    if (fails()) return NULL;
    live++;
    return __libc_malloc(size);
}

VISIBLE void *calloc(size_t count, size_t size)
{
    if (fails()) return NULL;
    live++;
    return __libc_calloc(count, size);
}

VISIBLE void *realloc(void *pointer, size_t size)
{
    if (fails()) return NULL;
    live += !pointer;
    return __libc_realloc(pointer, size);
}

VISIBLE void *aligned_alloc(size_t alignment, size_t size)
{
    if (fails()) return NULL;
    live++;
    return __libc_memalign(alignment, size);
}

VISIBLE int posix_memalign(void **pointer, size_t alignment, size_t size)
{
    *pointer = aligned_alloc(alignment, size);
    return *pointer ? 0 : ENOMEM;
}

VISIBLE void free(void *pointer)
{
    live -= pointer != NULL;
    __libc_free(pointer);
}

/* ---- trying ---- */

typedef struct fault_case {
    const char *name;
    hed_status (*run)(void);
} fault_case;

/* Runs each case with its first, second, third ... allocation failing, until none is
 * allocations_left to fail. Each time the status has to be MEMORY (or OK, where the memory was not
 * needed) and everything else has to be given back. Gives 0 if it was so. */
static inline int try_all(const fault_case *cases, size_t count)
{
    int bad = 0;
    for (size_t i = 0; i < count; i++) {
        long n = 0, failures = 0;
        do {
            long before = live;
            hit = false;
            allocations_left = n++;
            hed_status status = cases[i].run();
            allocations_left = -1;
            if (live != before)
                bad += fprintf(stderr, "%s: allocation %ld failed, %ld blocks leaked\n",
                    cases[i].name, n, live - before);
            if (status != HED_OK && (status != HED_ERROR_MEMORY || !hit))
                bad += fprintf(stderr, "%s: allocation %ld failed: %s\n", cases[i].name, n,
                    hed_status_name(status));
            failures += status != HED_OK;
        } while (hit);
        if (failures == 0) bad += fprintf(stderr, "%s: nothing ever failed\n", cases[i].name);
        printf("%s: %ld allocations, %ld of them needed\n", cases[i].name, n - 1, failures);
    }
    return bad;
}

#endif
