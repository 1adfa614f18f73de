/** @file base.h
 *  What every other header needs: status codes, the error a caller may receive, the allocator, the
 *  log callback and the clock. Nothing here depends on a device.
 *
 *  Rules that hold for the whole library:
 *  - A function that can fail returns hed_status. Where there is something to explain, its last
 *    argument is an `hed_error *`, which may be NULL and is written only on failure. It starts as
 *    `hed_error error = {0};` (in C++ `{}`). A function that is handed an error already set does
 *    nothing and returns its status, so that one check behind a list of calls is enough. What
 *    destroys an object takes no error and always acts, and so do real-time functions. What ends
 *    something that another call began (hed_unmap(), hed_buffer_gl_release(), hed_graph_end(),
 *    hed_resident_stop()) acts too; the error that it was handed stays.
 *  - A call that asks may be answered "not yet" (hed_kernel_ready(), hed_event_elapsed(), waits
 *    with a limit) or "none left" (hed_search_ask()). That is a status and no failure: nothing is
 *    written to the error, and the same call may ask again with it.
 *  - A pointer that a call needs is not NULL: else the call gives HED_ERROR_ARGUMENT, with the
 *    parameter's name in the error, and nothing else happens. Functions without a status return 0,
 *    NULL or the like for NULL, and what destroys or closes does nothing. tests/null_optional.txt
 *    lists the parameters that may be NULL, whose meaning the function's own comment gives.
 *  - "Thread class" says where a function may be called: `any` (any thread, at any time), `owner`
 *    (by one thread at a time for the objects named; the caller ensures it), `rt` (safe in a
 *    real-time thread: never allocates, locks, logs, opens a file or compiles).
 *  - Sizes and offsets of memory are bytes, times are nanoseconds or seconds as the name says.
 */
#ifndef HEDDLE_BASE_H
#define HEDDLE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HED_VERSION_MAJOR 0
#define HED_VERSION_MINOR 1
#define HED_VERSION_PATCH 0
#define HED_VERSION_TEXT "0.1.0"

#if defined(__GNUC__)
#define HED_API __attribute__((visibility("default")))
#else
#define HED_API
#endif

#ifdef __cplusplus
#define HED_BEGIN extern "C" {
#define HED_END }
#else
#define HED_BEGIN
#define HED_END
#endif

/** What a definition or a hed_error begins as, in C and in C++. */
#ifdef __cplusplus
#define HED_ZERO \
    { \
    }
#else
#define HED_ZERO \
    { \
        0 \
    }
#endif

HED_BEGIN

/** How a call ended. */
typedef enum hed_status {
    HED_OK = 0,
    HED_ERROR_ARGUMENT, /**< the caller broke the description: kind, type, count, null, name */
    HED_ERROR_MEMORY,   /**< host memory ran out */
    /** device memory ran out; the text names the size asked and what was free */
    HED_ERROR_DEVICE_MEMORY,
    HED_ERROR_NO_DEVICE, /**< no device fits the selection */
    /** this device or driver cannot do it; the text names the capability */
    HED_ERROR_UNSUPPORTED,
    HED_ERROR_LIMIT,     /**< over a limit of the device or of the kernel */
    HED_ERROR_BOUNDS,    /**< a range reaches outside a buffer */
    HED_ERROR_BUILD,     /**< a kernel did not compile; the log has the compiler's words */
    HED_ERROR_DRIVER,    /**< a driver call failed; the text names the call and its code */
    HED_ERROR_TIMEOUT,   /**< not done within the time given; the work may still be running */
    HED_ERROR_LOST,      /**< the device is lost or hung; nothing on it can be used again */
    HED_ERROR_IO,        /**< a file could not be read or written */
    HED_ERROR_FORMAT,    /**< input is not what it should be; the text names line and path */
    HED_ERROR_NOT_READY, /**< a background build has not finished and nothing else can run */
    HED_STATUS_COUNT
} hed_status;

/** A short English name, such as "out of device memory"; never NULL. Thread class: any. */
static inline const char *hed_status_name(hed_status status)
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

enum {
    HED_ERROR_TEXT = 1024, /**< bytes of hed_error.text, the final zero included */
    HED_ERROR_LOG = 7168   /**< bytes of hed_error.log, the final zero included */
};

/** What went wrong, in words for a person. Owned by the caller, starts as zeros, and is written
 *  only when a call fails. */
typedef struct hed_error {
    hed_status status;
    /** one or two sentences: what was found, where, what was expected, what to do */
    char text[HED_ERROR_TEXT];
    /** the compiler's log for HED_ERROR_BUILD (its head where it is longer), else "" */
    char log[HED_ERROR_LOG];
} hed_error;

/** Whether an error is set. Functions that are handed one do nothing and return its status, so that
 *  a program can be a list of calls with one check at the end. Thread class: rt. */
static inline bool hed_failed(const hed_error *error) { return error && error->status != HED_OK; }
/** Makes an error ready for use again after a failure that was dealt with. Thread class: rt. */
static inline void hed_error_clear(hed_error *error)
{
    if (!error) return;
    error->status = HED_OK;
    error->text[0] = error->log[0] = 0;
}

/** Checks pointers, for HED_REQUIRE() of author.h: the status of `error` where it is set already, HED_ERROR_ARGUMENT
 *  with the name of the first condition that is false, else HED_OK. `names`: the text of all
 *  conditions, separated by commas. Thread class: rt. */
HED_API hed_status hed_require(
    hed_error *error, const char *function, const char *names, const bool *given, size_t count);

/** Version of the library that is running, such as "0.1.0"; HED_VERSION_TEXT is the header's.
 *  Thread class: any. */
HED_API const char *hed_version_text(void);

/** Sized allocation. Both functions must be callable from any thread. */
typedef struct hed_allocator {
    void *user;
    /** `size` bytes aligned to `alignment` (a power of two), or NULL. `size` is never 0. */
    void *(*allocate)(void *user, size_t size, size_t alignment);
    /** Gives back memory with the size it was asked with. `pointer` is never NULL. */
    void (*release)(void *user, void *pointer, size_t size);
} hed_allocator;

/** The C library's allocator. Thread class: any. */
HED_API hed_allocator hed_default_allocator(void);

/** How much a message matters, most first. */
typedef enum hed_log_level {
    HED_LOG_ERROR,
    HED_LOG_WARNING,
    HED_LOG_INFO,
    HED_LOG_DEBUG
} hed_log_level;

/** Receives the library's messages, one line each without a newline. Called from any thread. */
typedef struct hed_logger {
    void *user;
    /** NULL: nothing is logged */
    void (*log)(void *user, hed_log_level level, const char *message);
    /** messages above it are not made */
    hed_log_level level;
} hed_logger;

/** A monotonic clock. Called from any thread, and from `rt` functions. */
typedef struct hed_clock {
    void *user;
    uint64_t (*now)(void *user); /**< nanoseconds since some fixed moment */
} hed_clock;

/** The system's monotonic clock. Thread class: any. */
HED_API hed_clock hed_default_clock(void);
/** Now, in nanoseconds, by the system's monotonic clock. Thread class: rt. */
static inline uint64_t hed_now(void)
{
    hed_clock clock = hed_default_clock();
    return clock.now(clock.user);
}

HED_END

#endif
