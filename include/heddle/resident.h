/** @file resident.h
 *  Resident kernels: a kernel that is started once, stays on the device, takes work through a
 *  mailbox in mapped memory and answers there. For devices with HED_CAN_RESIDENT.
 *
 *  The kernel's first two arguments are the mailbox's: a mapped buffer and a device buffer, which
 *  the prelude's words hed_resident_wait() and hed_resident_done() use; the caller gives the
 *  others. Group 0 alone reads the mapped memory and forwards the request to the other groups.
 *
 *  Whatever makes the driver wait for the whole device blocks while a resident kernel runs. With
 *  CUDA that is allocation and release of device memory (cuMemAlloc, cuMemFree), module loading (so
 *  compile and create every kernel and buffer before the start), hed_device_wait(), and copies from
 *  memory that is not pinned. Launches into other streams run beside it as far as there is room on
 *  the device.
 */
#ifndef HEDDLE_RESIDENT_H
#define HEDDLE_RESIDENT_H

#include "heddle/launch.h"

HED_BEGIN

typedef struct hed_resident hed_resident;

/** How to start a resident kernel. Start from hed_default_resident_def(). */
typedef struct hed_resident_def {
    hed_kernel *kernel;            /**< needs HED_CAN_RESIDENT; must outlive the resident */
    hed_geometry geometry;         /**< every group must be resident at once (checked) */
    const hed_argument *arguments; /**< (argument_count) those after the two mailbox arguments */
    uint32_t argument_count;
    uint32_t request_bytes; /**< of one request, at most 64 KiB */
    uint32_t reply_bytes;   /**< of one reply, at most 64 KiB */
    uint64_t idle_exit_ns;  /**< the kernel leaves after this long without work; 0: never */
    /** the kernel abandons a step after this long (waits between groups); 0: one second */
    uint64_t step_timeout_ns;
} hed_resident_def;

/** No kernel yet; never leaves by itself, a step takes at most a second. Thread class: any. */
static inline hed_resident_def hed_default_resident_def(void)
{
    hed_resident_def def = HED_ZERO;
    def.step_timeout_ns = 1000000000;
    return def;
}

/** What a resident kernel is doing. */
typedef enum hed_resident_state {
    HED_RESIDENT_RUNNING,
    HED_RESIDENT_IDLE_EXIT, /**< left after idle_exit_ns; hed_resident_post() starts it again */
    HED_RESIDENT_STOPPED,   /**< by hed_resident_stop() */
    HED_RESIDENT_TIMED_OUT, /**< a wait on the device ran into its time-out */
    /** it ended without saying why, or the driver reports its stream as failed */
    HED_RESIDENT_LOST
} hed_resident_state;

/** Starts the kernel in `stream`, which is its own until hed_resident_stop(). Thread class: owner.
 *  Errors: UNSUPPORTED, ARGUMENT, LIMIT (not all groups fit), MEMORY, DEVICE_MEMORY, DRIVER. */
HED_API hed_status hed_resident_start(
    hed_stream *stream, const hed_resident_def *def, hed_resident **resident, hed_error *error);
/** Posts one request (request_bytes long) and gives its number, from 1. One request may be under
 *  way at a time. Thread class: rt while the kernel runs; owner when it has to start again. Errors:
 *  ARGUMENT (one is under way), TIMEOUT, LOST. */
HED_API hed_status hed_resident_post(hed_resident *resident, const void *request, uint64_t *number);
/** Polls for at most `timeout_ns`, at least once. OK: the answer is there and copied to `reply`
 *  (reply_bytes, nullable). NOT_READY: not yet. Thread class: rt. Errors: ARGUMENT (nothing is
 *  under way), TIMEOUT (a wait on the device ran into its time-out). */
HED_API hed_status hed_resident_wait(hed_resident *resident, void *reply, uint64_t timeout_ns);
/** Asks once. Thread class and errors: as hed_resident_wait. */
static inline hed_status hed_resident_poll(hed_resident *resident, void *reply)
{
    return hed_resident_wait(resident, reply, 0);
}
/** State, and the heartbeat (nullable), which changes while the kernel waits for work. Asks the
 *  driver too. Thread class: owner. */
HED_API hed_resident_state hed_resident_report(const hed_resident *resident, uint64_t *heartbeat);
/** Tells the kernel to leave, waits for it at most `timeout_ns`. Acts where it is handed an error
 *  already set, too. NULL is allowed. Thread class: owner. Errors: TIMEOUT, DRIVER, LOST. */
HED_API hed_status hed_resident_stop(hed_resident *resident, uint64_t timeout_ns, hed_error *error);
/** Stops it if it runs (waiting at most a second) and frees it. NULL is allowed. Thread class:
 *  owner. */
HED_API void hed_resident_destroy(hed_resident *resident);

HED_END

#endif
