/** @file resident.h
 *  Resident kernels: a kernel that is started once, stays on the device, receives requests through
 *  a mailbox in mapped memory and replies there. For devices with HED_CAN_RESIDENT.
 *
 *  The kernel's first two arguments are the mailbox's: a mapped buffer and a device buffer, which
 *  the prelude's words hed_resident_wait() and hed_resident_done() use; the caller gives the
 *  others. Group 0 alone reads the mapped memory and forwards the request to the other groups.
 *
 *  Calls for which the driver waits for the whole device block while a resident kernel runs. With
 *  CUDA these are allocation and release of device memory (cuMemAlloc, cuMemFree), module loading
 *  (so compile and create every kernel and buffer before the start), hed_device_wait(), and copies
 *  from memory that is not pinned. Launches into other streams run at the same time as far as the
 *  device has space. */
#ifndef HEDDLE_RESIDENT_H
#define HEDDLE_RESIDENT_H

#include "heddle/launch.h"

HED_BEGIN

typedef struct hed_resident hed_resident;

/** Definition of a resident kernel. Start from hed_default_resident_def(). */
typedef struct hed_resident_def {
    hed_kernel *kernel;    /**< needs HED_CAN_RESIDENT; must outlive the resident */
    hed_geometry geometry; /**< every group must be resident at once (checked) */
    /** (argument_count) the arguments after the two of the mailbox */
    const hed_argument *arguments;
    uint32_t argument_count;
    uint32_t request_bytes; /**< size of one request, at most 64 KiB */
    uint32_t reply_bytes;   /**< size of one reply, at most 64 KiB */
    uint64_t idle_exit_ns;  /**< the kernel ends after this long without a request; 0: never */
    /** the kernel abandons a step after this long (waits between groups), at least 1; default one
     *  second */
    uint64_t step_timeout_ns;
} hed_resident_def;

/** Returns the defaults: no kernel yet, no end without a request, at most a second for a step.
 *  Thread class: any. */
static inline hed_resident_def hed_default_resident_def(void)
{
    hed_resident_def def = HED_ZERO;
    def.step_timeout_ns = 1000000000;
    return def;
}

/** State of a resident kernel. */
typedef enum hed_resident_state {
    HED_RESIDENT_RUNNING,
    HED_RESIDENT_IDLE_EXIT, /**< ended after idle_exit_ns; hed_resident_post() starts it again */
    HED_RESIDENT_STOPPED,   /**< stopped by hed_resident_stop() */
    HED_RESIDENT_TIMED_OUT, /**< a wait on the device ran into its time-out */
    /** ended without a reason, or the driver reports its stream as failed */
    HED_RESIDENT_LOST
} hed_resident_state;

/** Starts the kernel in `stream`, which it occupies until hed_resident_stop().
 *  Thread class: owner. Errors: UNSUPPORTED, ARGUMENT, LIMIT (not all groups fit), MEMORY,
 *  DEVICE_MEMORY, NOT_READY (the kernel is being built), DRIVER. */
HED_API hed_status hed_resident_create(
    hed_stream *stream, const hed_resident_def *def, hed_resident **resident, hed_error *error);
/** Posts one request (request_bytes long) and returns its number, from 1. One request at a time may
 *  be in progress.
 *  Thread class: rt while the kernel runs; owner if it has to start again. Errors: ARGUMENT (one is
 *  in progress), TIMEOUT, LOST. */
HED_API hed_status hed_resident_post(hed_resident *resident, const void *request, uint64_t *number);
/** Polls for the reply for at most `timeout_ns`, at least once. OK: the reply is copied to `reply`
 *  (reply_bytes, nullable). NOT_READY: not yet.
 *  Thread class: rt. Errors: ARGUMENT (no request is in progress), TIMEOUT (a wait on the device
 *  ran into its time-out). */
HED_API hed_status hed_resident_wait(hed_resident *resident, void *reply, uint64_t timeout_ns);
/** Polls for the reply once. Thread class: rt. Errors: as hed_resident_wait(). */
static inline hed_status hed_resident_poll(hed_resident *resident, void *reply)
{
    return hed_resident_wait(resident, reply, 0);
}
/** State of a resident kernel. */
typedef struct hed_resident_info {
    hed_resident_state state;
    uint64_t heartbeat; /**< changes while the kernel waits for a request */
} hed_resident_info;
/** Returns the state, after a query of the driver; LOST for NULL.
 *  Thread class: owner. */
HED_API hed_resident_info hed_resident_describe(const hed_resident *resident);
/** Ends the kernel and waits for it at most `timeout_ns`. Acts even if `error` is already set. NULL
 *  is allowed.
 *  Thread class: owner. Errors: TIMEOUT, DRIVER, LOST. */
HED_API hed_status hed_resident_stop(hed_resident *resident, uint64_t timeout_ns, hed_error *error);
/** Destroys a resident kernel; stops it if it runs, waiting at most a second. NULL is allowed.
 *  Thread class: owner. */
HED_API void hed_resident_destroy(hed_resident *resident);

HED_END

#endif
