/* Names of statuses, the version, the C library's allocator and the system's clock. */
#include "base/clock.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

const char *hed_version_text(void) { return HED_VERSION_TEXT; }

/* Large blocks consist of huge pages if the system has them: a page fault for each 4 KiB takes
 * longer than most programs need to fill the memory. */
static void *library_allocate(void *user, size_t size, size_t alignment)
{
    enum { HUGE_PAGE = 2 << 20, LARGE_BLOCK = 4 << 20 };
    void *pointer = NULL;
    bool large = size >= LARGE_BLOCK;
    if (alignment < sizeof(void *)) alignment = sizeof(void *);
    if (large && alignment < HUGE_PAGE) alignment = HUGE_PAGE;
    if (posix_memalign(&pointer, alignment, size) != 0) return NULL;
    if (large) (void)madvise(pointer, size, MADV_HUGEPAGE);
    return pointer;
}

static void library_release(void *user, void *pointer, size_t size) { free(pointer); }

hed_allocator hed_default_allocator(void)
{
    return (hed_allocator){.allocate = library_allocate, .release = library_release};
}

static uint64_t system_now(void *user)
{
    (void)user;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

bool hed_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, double seconds)
{
    uint64_t until = system_now(NULL) + (uint64_t)(1e9 * fmin(fmax(seconds, 0), 1e9));
    const struct timespec moment = {
        .tv_sec = (time_t)(until / 1000000000u), .tv_nsec = (long)(until % 1000000000u)};
    return pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, &moment) == 0;
}

hed_clock hed_default_clock(void) { return (hed_clock){.now = system_now}; }
