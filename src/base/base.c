/* Names of statuses, the version, the C library's allocator and the system's clock. */
#include "heddle/base.h"

#include <stdlib.h>
#include <time.h>

const char *hed_status_name(hed_status status)
{
    /* A switch without default: the compiler names a status that is forgotten here. */
    switch (status) {
    case HED_OK: return "ok";
    case HED_ERROR_ARGUMENT: return "invalid argument";
    case HED_ERROR_MEMORY: return "out of memory";
    case HED_ERROR_DEVICE_MEMORY: return "out of device memory";
    case HED_ERROR_NO_DEVICE: return "no device";
    case HED_ERROR_UNSUPPORTED: return "unsupported";
    case HED_ERROR_LIMIT: return "over a limit";
    case HED_ERROR_BOUNDS: return "out of bounds";
    case HED_ERROR_BUILD: return "build failed";
    case HED_ERROR_DRIVER: return "driver error";
    case HED_ERROR_TIMEOUT: return "timed out";
    case HED_ERROR_LOST: return "device lost";
    case HED_ERROR_IO: return "input or output failed";
    case HED_ERROR_FORMAT: return "invalid format";
    case HED_ERROR_NOT_READY: return "not ready";
    case HED_STATUS_COUNT: break;
    }
    return "unknown status";
}

uint32_t hed_version(void)
{
    return HED_VERSION_MAJOR * 10000 + HED_VERSION_MINOR * 100 + HED_VERSION_PATCH;
}

const char *hed_version_text(void) { return HED_VERSION_TEXT; }

static void *library_allocate(void *user, size_t size, size_t alignment)
{
    void *pointer = NULL;
    if (alignment < sizeof(void *)) alignment = sizeof(void *);
    return posix_memalign(&pointer, alignment, size) == 0 ? pointer : NULL;
}

static void library_release(void *user, void *pointer, size_t size) { free(pointer); }

hed_allocator hed_default_allocator(void)
{
    return (hed_allocator){.allocate = library_allocate, .release = library_release};
}

static uint64_t system_now(void *user)
{
    (void)user;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

hed_clock hed_default_clock(void) { return (hed_clock){.now = system_now}; }
