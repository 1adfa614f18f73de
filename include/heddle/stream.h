/** @file stream.h
 *  Streams, events and graphs: the order of the steps on a device.
 *
 *  A stream runs its steps one after another in the order in which they were enqueued. A step is a
 *  copy, a fill, a host function or a launch (launch.h). Enqueuing returns before the step is done,
 *  except on `host`, where the call does the step. Host memory of a step must stay valid until the
 *  stream has done the step. Thread class of everything here, unless a function has its own: owner
 *  of the stream. */
#ifndef HEDDLE_STREAM_H
#define HEDDLE_STREAM_H

#include "heddle/buffer.h"

HED_BEGIN

typedef struct hed_stream hed_stream;
typedef struct hed_event hed_event;
typedef struct hed_graph hed_graph;

/** Definition of a stream. Start from hed_default_stream_def(). */
typedef struct hed_stream_def {
    /** number of latest steps whose times are kept (hed_stream_read_times()); 0: none, at no
     *  cost */
    uint32_t timed_steps;
    /** CUstream or cl_command_queue of the program, which must outlive the stream */
    void *handle;
    bool use_handle; /**< true: use `handle`, since NULL is a valid CUstream */
    /** > 0: before other streams if the driver can; 0: normal; < 0: after them */
    int32_t priority;
} hed_stream_def;

/** Returns the defaults: a stream of Heddle's, not timed, of normal priority. Thread class: any. */
static inline hed_stream_def hed_default_stream_def(void)
{
    hed_stream_def def = HED_ZERO;
    return def;
}

/** Creates a stream. `def` NULL: defaults. Thread class: any. Errors: ARGUMENT, MEMORY, DRIVER. */
HED_API hed_status hed_stream_create(
    hed_device *device, const hed_stream_def *def, hed_stream **stream, hed_error *error);
/** Waits for the stream's work, then destroys it. NULL is allowed. */
HED_API void hed_stream_destroy(hed_stream *stream);
/** Returns the device of a stream. Thread class: rt. */
HED_API hed_device *hed_stream_device(const hed_stream *stream);
/** Returns the driver's handle: CUstream, cl_command_queue. Thread class: rt. */
HED_API void *hed_stream_handle(const hed_stream *stream);

/** Waits at most `timeout_ns` for all steps so far; UINT64_MAX: without a limit, by the driver's
 *  own wait. TIMEOUT is a result (the stream is still running; wait again, or treat it as hung),
 *  and nothing is written to `error`.
 *  Errors: DRIVER, LOST. */
HED_API hed_status hed_stream_wait_for(hed_stream *stream, uint64_t timeout_ns, hed_error *error);
/** Waits for all steps so far. Errors: DRIVER, LOST. */
static inline hed_status hed_stream_wait(hed_stream *stream, hed_error *error)
{
    return hed_stream_wait_for(stream, UINT64_MAX, error);
}
/** Submits all enqueued steps to the device without waiting. Errors: DRIVER, LOST. */
HED_API hed_status hed_stream_flush(hed_stream *stream, hed_error *error);

/* ---- steps ---- */

/** Copies host memory into a buffer. Errors: BOUNDS, ARGUMENT, MEMORY, DRIVER, LOST. */
HED_API hed_status hed_write(hed_stream *stream, hed_buffer *to, uint64_t offset, const void *from,
    uint64_t size, hed_error *error);
/** Copies a buffer into host memory. Errors: as hed_write(). */
HED_API hed_status hed_read(hed_stream *stream, void *to, hed_buffer *from, uint64_t offset,
    uint64_t size, hed_error *error);
/** Copies a range of a buffer to another buffer. The buffers may belong to different devices, one
 *  of which is the stream's; a copy between drivers goes through the host and is done when the call
 *  returns. Ranges of one buffer must not overlap.
 *  Errors: BOUNDS, ARGUMENT, MEMORY, DRIVER, LOST. */
HED_API hed_status hed_copy(hed_stream *stream, hed_buffer *to, uint64_t to_offset,
    hed_buffer *from, uint64_t from_offset, uint64_t size, hed_error *error);
/** Fills a range with a pattern of 1, 2, 4, 8 or 16 bytes; offset and size are multiples of its
 *  size.
 *  Errors: BOUNDS, ARGUMENT, MEMORY, DRIVER, LOST. */
HED_API hed_status hed_fill(hed_stream *stream, hed_buffer *to, uint64_t offset, uint64_t size,
    const void *pattern, uint32_t pattern_size, hed_error *error);
/** Maps `size` bytes of a buffer to `*pointer` on the host, readable and writable. Waits for the
 *  steps before it. No step may access the range until hed_unmap().
 *  Errors: BOUNDS, ARGUMENT, MEMORY, DRIVER, LOST. */
HED_API hed_status hed_map(hed_stream *stream, hed_buffer *buffer, uint64_t offset, uint64_t size,
    void **pointer, hed_error *error);
/** Unmaps a range of hed_map(); later steps see the host's writes. Acts even if `error` is already
 *  set, unless `pointer` is NULL.
 *  Errors: ARGUMENT (not mapped there), DRIVER. */
HED_API hed_status hed_unmap(
    hed_stream *stream, hed_buffer *buffer, void *pointer, hed_error *error);
/** Calls a function on the host as a step of the stream. The function must not call Heddle or the
 *  driver.
 *  Errors: MEMORY, DRIVER. */
HED_API hed_status hed_call(
    hed_stream *stream, void (*function)(void *user), void *user, hed_error *error);

/** Acquires a shared OpenGL buffer for kernels. Errors: ARGUMENT, MEMORY, DRIVER. */
HED_API hed_status hed_buffer_gl_acquire(hed_stream *stream, hed_buffer *buffer, hed_error *error);
/** Releases a shared buffer to OpenGL; acts even if `error` is already set, if the buffer was
 *  acquired.
 *  Errors: as hed_buffer_gl_acquire(). */
HED_API hed_status hed_buffer_gl_release(hed_stream *stream, hed_buffer *buffer, hed_error *error);

/* ---- events ---- */

/** Creates an event, a mark in a stream. `timed`: usable with hed_event_elapsed(); an untimed event
 *  is faster to reach (by about 4 us on CUDA).
 *  Thread class: any. Errors: MEMORY, DRIVER. */
HED_API hed_status hed_event_create(
    hed_device *device, bool timed, hed_event **event, hed_error *error);
/** Destroys an event. NULL is allowed. */
HED_API void hed_event_destroy(hed_event *event);
/** Marks the present end of the stream, which is of the event's device; replaces an earlier mark.
 *  Errors: ARGUMENT (another device; the stream records a graph), DRIVER, LOST. */
HED_API hed_status hed_event_record(hed_event *event, hed_stream *stream, hed_error *error);
/** Makes later steps of `stream` wait for the mark. Across drivers the calling thread waits
 *  instead.
 *  Errors: ARGUMENT (never recorded), DRIVER, LOST. */
HED_API hed_status hed_stream_wait_event(hed_stream *stream, hed_event *event, hed_error *error);
/** Waits in the calling thread for the mark, at most `timeout_ns`; UINT64_MAX: without a limit.
 *  TIMEOUT is a result, and nothing is written to `error`.
 *  Errors: ARGUMENT, DRIVER, LOST. */
HED_API hed_status hed_event_wait(hed_event *event, uint64_t timeout_ns, hed_error *error);
/** Returns the time between two timed marks, s. NOT_READY is a result: a mark is not reached yet,
 *  `*seconds` is NAN, and nothing is written to `error`.
 *  Errors: ARGUMENT, DRIVER. */
HED_API hed_status hed_event_elapsed(
    hed_event *from, hed_event *to, double *seconds, hed_error *error);

/* ---- times of single steps ---- */

/** Kind of a step. */
typedef enum hed_step_kind {
    HED_STEP_LAUNCH,
    HED_STEP_WRITE,
    HED_STEP_READ,
    HED_STEP_COPY,
    HED_STEP_FILL,
    HED_STEP_CALL
} hed_step_kind;

/** Time of one step. */
typedef struct hed_step_time {
    hed_step_kind kind;
    const char *name; /**< name of the kernel, else "write", "read", ... */
    double seconds;   /**< time on the device */
} hed_step_time;

/** Waits for the stream and returns the times of its steps since the last call, oldest first, at
 *  most `capacity`; `*count` receives their number. The stream keeps hed_stream_def.timed_steps of
 *  them and drops older ones.
 *  Errors: ARGUMENT (the stream is not timed), DRIVER, LOST. */
HED_API hed_status hed_stream_read_times(
    hed_stream *stream, hed_step_time *times, uint32_t capacity, uint32_t *count, hed_error *error);

/* ---- graphs: a chain recorded once, replayed often ---- */

/** Begins a recording: later steps of the stream are recorded instead of run.
 *  Errors: ARGUMENT (already recording), MEMORY. */
HED_API hed_status hed_graph_begin(hed_stream *stream, hed_error *error);
/** Ends the recording and returns the graph. If `error` is already set, the recording is dropped
 *  and `*graph` is NULL; the stream is usable again. A step that failed is not in the graph. Maps,
 *  events and copies across devices cannot be recorded (ARGUMENT).
 *  Errors: ARGUMENT (not recording), MEMORY, DRIVER. */
HED_API hed_status hed_graph_end(hed_stream *stream, hed_graph **graph, hed_error *error);
/** Runs the graph as steps of `stream`, on the device that it was recorded for.
 *  Errors: ARGUMENT (another device; the stream records), DRIVER, LOST. */
HED_API hed_status hed_graph_replay(hed_graph *graph, hed_stream *stream, hed_error *error);
/** Returns the number of steps, which are numbered from 0 in the order of recording. */
HED_API uint32_t hed_graph_step_count(const hed_graph *graph);
/** Destroys a graph, after its replays are done. NULL is allowed. */
HED_API void hed_graph_destroy(hed_graph *graph);

HED_END

#endif
