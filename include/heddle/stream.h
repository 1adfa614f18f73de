/** @file stream.h
 *  Streams, events, graphs: the order in which steps run on a device.
 *
 *  A stream runs its steps one after another in the order given. A step is a copy, a fill, a host
 *  function or a launch (launch.h). Enqueuing returns before the step is done, except on `host`,
 *  where a step is done when the call returns. Host memory given to a step must stay until the
 *  stream has passed it. Thread class of everything here, unless it says otherwise: owner of the
 *  stream.
 */
#ifndef HEDDLE_STREAM_H
#define HEDDLE_STREAM_H

#include "heddle/buffer.h"

HED_BEGIN

typedef struct hed_stream hed_stream;
typedef struct hed_event hed_event;
typedef struct hed_graph hed_graph;

/** How to make a stream. Start from hed_default_stream_def(). */
typedef struct hed_stream_def {
    /** keep the times of this many steps (see hed_stream_times); 0: none, and no cost */
    uint32_t timed_steps;
    /** a CUstream or cl_command_queue of the program's own, which must outlive this */
    void *handle;
    bool use_handle;  /**< because NULL is a valid CUstream */
    int32_t priority; /**< > 0: before others where the driver can; 0 normal; < 0 after them */
} hed_stream_def;

/** A stream of its own, not timed, of normal priority. Thread class: any. */
static inline hed_stream_def hed_default_stream_def(void)
{
    hed_stream_def def = HED_ZERO;
    return def;
}

/** Makes a stream; `def` may be NULL. Thread class: any. Errors: MEMORY, DRIVER. */
HED_API hed_status hed_stream_create(
    hed_device *device, const hed_stream_def *def, hed_stream **stream, hed_error *error);
/** Waits for the stream's work, then destroys it. NULL is allowed. */
HED_API void hed_stream_destroy(hed_stream *stream);
HED_API hed_device *hed_stream_device(const hed_stream *stream); /**< Thread class: rt */
/** CUstream, cl_command_queue. Thread class: rt */
HED_API void *hed_stream_handle(const hed_stream *stream);

/** Waits at most `timeout_ns` for all steps so far; UINT64_MAX: for ever, the driver's own way.
 *  TIMEOUT is an answer (still running; wait again, or treat it as hung), and nothing is written to
 *  `error`. Errors: DRIVER, LOST. */
HED_API hed_status hed_stream_wait_for(hed_stream *stream, uint64_t timeout_ns, hed_error *error);
/** Waits for all steps so far. Errors: DRIVER, LOST. */
static inline hed_status hed_stream_wait(hed_stream *stream, hed_error *error)
{
    return hed_stream_wait_for(stream, UINT64_MAX, error);
}
/** Hands everything enqueued to the device without waiting. */
HED_API hed_status hed_stream_flush(hed_stream *stream, hed_error *error);

/* ---- steps ---- */

/** Host memory to buffer. Errors: BOUNDS, ARGUMENT, DRIVER, LOST. */
HED_API hed_status hed_write(hed_stream *stream, hed_buffer *to, uint64_t offset, const void *from,
    uint64_t size, hed_error *error);
/** Buffer to host memory. Errors: as hed_write. */
HED_API hed_status hed_read(hed_stream *stream, void *to, hed_buffer *from, uint64_t offset,
    uint64_t size, hed_error *error);
/** Buffer to buffer; the two may belong to different devices (then one of them to the stream's; a
 *  copy between drivers goes through the host and is done when the call returns). Overlap within
 *  one buffer is an error. Errors: BOUNDS, ARGUMENT, MEMORY, DRIVER, LOST. */
HED_API hed_status hed_copy(hed_stream *stream, hed_buffer *to, uint64_t to_offset,
    hed_buffer *from, uint64_t from_offset, uint64_t size, hed_error *error);
/** Fills with a pattern of 1, 2, 4, 8 or 16 bytes; offset and size are multiples of it. Errors:
 *  BOUNDS, ARGUMENT, DRIVER. */
HED_API hed_status hed_fill(hed_stream *stream, hed_buffer *to, uint64_t offset, uint64_t size,
    const void *pattern, uint32_t pattern_size, hed_error *error);
/** Makes `size` bytes of a buffer readable and writable at `*pointer` on the host, after the steps
 *  before it; returns when they are. Nothing else may touch the range until hed_unmap(). Errors:
 *  BOUNDS, MEMORY, DRIVER, LOST. */
HED_API hed_status hed_map(hed_stream *stream, hed_buffer *buffer, uint64_t offset, uint64_t size,
    void **pointer, hed_error *error);
/** Ends hed_map(); steps after it see what was written. Acts where it is handed an error already
 *  set, too, unless `pointer` is NULL. Errors: ARGUMENT (not mapped there), DRIVER. */
HED_API hed_status hed_unmap(
    hed_stream *stream, hed_buffer *buffer, void *pointer, hed_error *error);
/** Calls a function on the host as a step of the stream. It must not call Heddle or the driver.
 *  Errors: MEMORY, DRIVER. */
HED_API hed_status hed_call(
    hed_stream *stream, void (*function)(void *user), void *user, hed_error *error);

/** Takes a shared OpenGL buffer for kernels. Errors: ARGUMENT, DRIVER. */
HED_API hed_status hed_buffer_gl_acquire(hed_stream *stream, hed_buffer *buffer, hed_error *error);
/** Gives it back to OpenGL; where it is handed an error already set, too, if the buffer was
 *  acquired. Errors: as hed_buffer_gl_acquire. */
HED_API hed_status hed_buffer_gl_release(hed_stream *stream, hed_buffer *buffer, hed_error *error);

/* ---- events ---- */

/** A mark in a stream. A `timed` one can be given to hed_event_elapsed(); the other kind costs less
 *  to reach (on CUDA about 4 us less). Thread class: any. Errors: MEMORY, DRIVER. */
HED_API hed_status hed_event_create(
    hed_device *device, bool timed, hed_event **event, hed_error *error);
HED_API void hed_event_destroy(hed_event *event); /**< NULL is allowed */
/** Marks the current end of the stream (which belongs to the event's device); an earlier mark is
 *  forgotten. */
HED_API hed_status hed_event_record(hed_event *event, hed_stream *stream, hed_error *error);
/** Later steps of `stream` wait for the mark. Across drivers the calling thread waits instead.
 *  Errors: ARGUMENT (never recorded), DRIVER, LOST. */
HED_API hed_status hed_stream_wait_event(hed_stream *stream, hed_event *event, hed_error *error);
/** The calling thread waits at most `timeout_ns` (UINT64_MAX: for ever). TIMEOUT is an answer, and
 *  nothing is written to `error`. Errors: ARGUMENT, DRIVER, LOST. */
HED_API hed_status hed_event_wait(hed_event *event, uint64_t timeout_ns, hed_error *error);
/** Time between two timed marks. NOT_READY is an answer: one is not reached yet, `*seconds` is NAN,
 *  and nothing is written to `error`. Errors: ARGUMENT, DRIVER. */
HED_API hed_status hed_event_elapsed(
    hed_event *from, hed_event *to, double *seconds, hed_error *error);

/* ---- times of single steps ---- */

/** What a step of a stream does. */
typedef enum hed_step_kind {
    HED_STEP_LAUNCH,
    HED_STEP_WRITE,
    HED_STEP_READ,
    HED_STEP_COPY,
    HED_STEP_FILL,
    HED_STEP_CALL
} hed_step_kind;

/** How long one step took. */
typedef struct hed_step_time {
    hed_step_kind kind;
    const char *name; /**< the kernel's name, else "write", "read", ... */
    double seconds;   /**< how long the step took on the device */
} hed_step_time;

/** Waits for the stream and hands out the times kept since the last call, oldest first, at most
 *  `capacity`; `*count` is how many. The stream keeps hed_stream_def.timed_steps of them; beyond
 *  that the oldest are dropped. Errors: ARGUMENT (the stream is not timed), DRIVER, LOST. */
HED_API hed_status hed_stream_times(
    hed_stream *stream, hed_step_time *times, uint32_t capacity, uint32_t *count, hed_error *error);

/* ---- graphs: a chain recorded once, replayed often ---- */

/** From here the stream's steps are recorded and not run. Errors: ARGUMENT (already recording),
 *  MEMORY. */
HED_API hed_status hed_graph_begin(hed_stream *stream, hed_error *error);
/** Ends the recording, and drops it where it is handed an error already set: the stream is usable
 *  again, and `*graph` is NULL. A step that failed is not in the chain. Maps, events and copies
 *  across devices cannot be recorded (ARGUMENT). Errors: ARGUMENT (not recording), MEMORY,
 *  DRIVER. */
HED_API hed_status hed_graph_end(hed_stream *stream, hed_graph **graph, hed_error *error);
/** Runs the chain as steps of `stream`, on the device it was recorded for. Errors: ARGUMENT,
 *  DRIVER, LOST. */
HED_API hed_status hed_graph_replay(hed_graph *graph, hed_stream *stream, hed_error *error);
/** steps, numbered from 0 in the order recorded */
HED_API uint32_t hed_graph_step_count(const hed_graph *graph);
/** NULL is allowed; after its replays are done */
HED_API void hed_graph_destroy(hed_graph *graph);

HED_END

#endif
