/** @file base.h
 *  Basics that every other header needs: status codes, the error that a caller may receive, the
 *  allocator, the log callback and the clock. Nothing here depends on a device.
 *
 *  Rules of the whole library:
 *  - A function that can fail returns hed_status. If there is something to explain, its last
 *   argument is an `hed_error *`, which may be NULL and is written only on failure. Initialise it
 *   by `hed_error error = {0};` (in C++ `{}`). A function that receives an error that is already
 *   set does nothing and returns its status, so that one check after a list of calls is enough.
 *   Functions that destroy an object take no error and always act; so do real-time functions.
 *   Functions that end an operation of another call (hed_unmap(), hed_buffer_gl_release(),
 *   hed_graph_end(), hed_resident_stop()) act too; the error that they received stays.
 *  - A query may return "not yet" (hed_kernel_ready(), hed_event_elapsed(), waits with a limit) or
 *   "none left" (hed_search_ask()). That status is no failure: nothing is written to the error,
 *   and the same error can be passed again.
 *  - A required pointer is not NULL: otherwise the call returns HED_ERROR_ARGUMENT, with the
 *   parameter's name in the error, and has no other effect; lists of errors do not repeat this.
 *   Functions without a status return 0, NULL or the like for NULL, and functions that destroy or
 *   close do nothing. tests/null_optional.txt lists the parameters that may be NULL; the comment of
 *   the function describes the meaning of NULL.
 *  - A definition starts from hed_default_x_def() where its comment names one, else from {0}. In a
 *   member that this start leaves at 0, NULL or false, zero is the default, and the comment of the
 *   member describes it. In a member that the start sets, zero is a value like any other, used or
 *   refused with HED_ERROR_ARGUMENT, and never replaced by the default.
 *  - "Thread class" names the threads that may call a function: `any` (any thread, at any time),
 *   `owner` (one thread at a time for the objects named; the caller ensures it), `rt` (safe in a
 *   real-time thread: never allocates, locks, logs, opens a file or compiles).
 *  - Sizes and offsets of memory are bytes; times are nanoseconds or seconds, as the name
 *  specifies. */
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

/** Initialiser of a definition or a hed_error, in C and in C++. */
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

/** Result of a call. */
typedef enum hed_status {
    HED_OK = 0,
    HED_ERROR_ARGUMENT, /**< invalid call: a wrong kind, type, count or name, or NULL */
    HED_ERROR_MEMORY,   /**< host memory ran out */
    /** device memory ran out; the text has the requested size and the free memory */
    HED_ERROR_DEVICE_MEMORY,
    HED_ERROR_NO_DEVICE, /**< no device matches the selection */
    /** the device or the driver lacks a capability, which the text names */
    HED_ERROR_UNSUPPORTED,
    HED_ERROR_LIMIT,   /**< limit of the device or of the kernel exceeded */
    HED_ERROR_BOUNDS,  /**< a range reaches outside a buffer */
    HED_ERROR_BUILD,   /**< a kernel did not compile; the log has the compiler's messages */
    HED_ERROR_DRIVER,  /**< a driver call failed; the text names the call and its code */
    HED_ERROR_TIMEOUT, /**< not done within the given time; the work may still be running */
    HED_ERROR_LOST,    /**< the device is lost or hung; no object on it can be used again */
    HED_ERROR_IO,      /**< a file could not be read or written */
    HED_ERROR_FORMAT,  /**< malformed input; the text has line and path */
    /** a background build is not finished, and no other configuration can run */
    HED_ERROR_NOT_READY,
    HED_STATUS_COUNT
} hed_status;

/** Returns a short English name, such as "out of device memory"; never NULL. Thread class: any. */
static inline const char *hed_status_name(hed_status status)
{
    /* no default, so that the compiler reports a status without a case */
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

/** Description of a failure for people. Owned by the caller, initialised to zeros, and written only
 *  by a call that fails. */
typedef struct hed_error {
    hed_status status;
    /** one or two sentences: the value found, where, the value expected, the remedy */
    char text[HED_ERROR_TEXT];
    /** the compiler's log (its head if it is longer) with HED_ERROR_BUILD, else "" */
    char log[HED_ERROR_LOG];
} hed_error;

/** True if an error is set. Functions that receive a set error do nothing and return its status, so
 *  that a program can be a list of calls with one check at the end.
 *  Thread class: rt. */
static inline bool hed_failed(const hed_error *error) { return error && error->status != HED_OK; }
/** Clears an error after its failure was handled, so that it can be passed again.
 *  Thread class: rt. */
static inline void hed_error_clear(hed_error *error)
{
    if (!error) return;
    error->status = HED_OK;
    error->text[0] = error->log[0] = 0;
}

/** Checks pointers, for HED_REQUIRE() of author.h. `function` and `names` are for the message:
 *  `names` is the text of all conditions, separated by commas. `given`: (count) the conditions.
 *  Thread class: rt. Errors: ARGUMENT, with the name of the first condition that is false; the
 *  status of `error` if it is already set. */
HED_API hed_status hed_require(
    hed_error *error, const char *function, const char *names, const bool *given, size_t count);

/** Returns the version of the running library, such as "0.1.0"; HED_VERSION_TEXT is the header's.
 *  Thread class: any. */
HED_API const char *hed_version_text(void);

/** Allocator that receives the size of each block again. Any thread may call both functions. */
typedef struct hed_allocator {
    void *user;
    /** Allocates `size` bytes, never 0, aligned to `alignment`, a power of two. NULL: out of
     *  memory. */
    void *(*allocate)(void *user, size_t size, size_t alignment);
    /** Releases memory; `size` as it was allocated. `pointer` is never NULL. */
    void (*release)(void *user, void *pointer, size_t size);
} hed_allocator;

/** Returns the C library's allocator. Thread class: any. */
HED_API hed_allocator hed_default_allocator(void);

/** Severity of a message, the most severe first. */
typedef enum hed_log_level {
    HED_LOG_ERROR,
    HED_LOG_WARNING,
    HED_LOG_INFO,
    HED_LOG_DEBUG
} hed_log_level;

/** Receiver of the library's messages, one line each without a newline. Any thread may call it. */
typedef struct hed_logger {
    void *user;
    /** NULL: no log */
    void (*log)(void *user, hed_log_level level, const char *message);
    /** messages above this level are not composed */
    hed_log_level level;
} hed_logger;

/** Monotonic clock. Any thread may call it, and so may `rt` functions. */
typedef struct hed_clock {
    void *user;
    uint64_t (*now)(void *user); /**< nanoseconds since a fixed moment */
} hed_clock;

/** Returns the system's monotonic clock. Thread class: any. */
HED_API hed_clock hed_default_clock(void);
/** Returns the present time of the system's monotonic clock, ns. Thread class: rt. */
static inline uint64_t hed_now(void)
{
    hed_clock clock = hed_default_clock();
    return clock.now(clock.user);
}

HED_END

#endif
