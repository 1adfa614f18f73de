/* Shared declarations of the OpenCL backend: the loaded driver, devices, streams, and error
 * reports. */
#ifndef HED_BACKENDS_OPENCL_H
#define HED_BACKENDS_OPENCL_H

#include <pthread.h>
#include <signal.h>

#include "backends/opencl/opencl_api.h"
#include "base/dynlib.h"
#include "base/hash.h"
#include "base/text.h"
#include "core/backend.h"

enum {
    MOST_DEVICES = 64, /* limit for a platform, for a context, and for the backend */
    MOST_PROGRAMS = 48 /* built programs that a device keeps */
};

typedef struct opencl_driver opencl_driver;
typedef struct opencl_device opencl_device;
typedef struct opencl_stream opencl_stream;

/* Platforms that have properties which they do not report, or report properties which they lack. */
typedef enum opencl_platform {
    OPENCL_OTHER,
    OPENCL_POCL,
    OPENCL_RUSTICL,
    OPENCL_NVIDIA,
    OPENCL_OCLGRIND
} opencl_platform;

/* A built program that the device keeps for the next kernel of the same text. */
typedef struct opencl_kept_program {
    hed_hash hash;      /* hash of the text and of the build options */
    cl_program program; /* NULL: the entry is empty */
    uint64_t used;      /* number of the search that last found it */
} opencl_kept_program;

/* Implementation of a device (hed_device.impl): an entry of opencl_driver.devices if listed, its
 * own allocation if adopted. */
struct opencl_device {
    opencl_driver *driver;
    const hed_cl_api *api;
    cl_platform_id platform;
    cl_device_id id;
    uint32_t platform_index, device_index; /* P and D of the name "opencl:P:D" */
    cl_context context;                    /* NULL until opened; the program's own if adopted */
    /* queue that maps and places buffers; streams have their own queues */
    cl_command_queue queue;
    bool unified;         /* host and device use the same memory */
    bool gl;              /* the context can use OpenGL buffers */
    bool threadless;      /* the driver runs commands in the calling thread */
    _Atomic bool built;   /* a program has been built on this device */
    pthread_mutex_t lock; /* guards the list of streams and the kept programs */
    opencl_stream *streams;
    opencl_kept_program programs[MOST_PROGRAMS];
    uint64_t searches; /* number of searches of `programs` so far */
};

/* hed_backend_slot.state */
struct opencl_driver {
    hed_cl_api api;
    hed_allocator allocator;
    hed_logger logger;
    hed_dynlib *library;
    opencl_device *devices; /* (device_count) */
    uint32_t device_count;
};

/* hed_stream.impl */
struct opencl_stream {
    opencl_device *device;
    const hed_cl_api *api;
    opencl_stream *next; /* next in the device's list */
    cl_command_queue queue;
    /* marker of the last stream_done() call; NULL: there is no marker */
    cl_event marker;
    uint64_t steps, marked; /* number of steps enqueued so far, and at the marker */
    bool profiling;
    _Atomic uint32_t calls; /* host functions that have not returned yet */
};

/* ---- opencl_codes.c ---- */

/* Returns the name of an error code. */
const char *hed_opencl_code_name(cl_int code);
/* Fails with "clFlush failed with CL_OUT_OF_HOST_MEMORY (-6): " and `format`; the status follows
 * from the code. */
hed_status hed_opencl_fail(hed_error *error, const char *call, cl_int code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Check the result of a call that enqueues work, and of a call that waits for work: some codes then
 * mean that the device is lost. The last argument is the purpose of the call. */
hed_status hed_opencl_check_work(
    hed_error *error, const hed_device *device, const char *call, cl_int code, const char *purpose);
hed_status hed_opencl_check_wait(
    hed_error *error, const hed_device *device, const char *call, cl_int code, const char *purpose);

/* ---- opencl_signals.c ---- */

typedef struct opencl_signals {
    struct sigaction handlers[NSIG];
    stack_t stack; /* the thread's own stack for handlers: LLVM replaces it */
} opencl_signals;

/* Save and restore the program's signal handlers around a call in which the driver may install its
 * own. One thread at a time is in between. */
void hed_opencl_signals_keep(opencl_signals *signals);
void hed_opencl_signals_restore(const opencl_signals *signals);

/* ---- opencl_driver.c ---- */

hed_status hed_opencl_open(const hed_settings *settings, hed_backend_slot *slot);
void hed_opencl_close(const hed_settings *settings, hed_backend_slot *slot);
uint32_t hed_opencl_device_count(hed_backend_slot *slot);
void *hed_opencl_symbol(hed_backend_slot *slot, const char *name);

/* ---- opencl_device.c ---- */

static inline opencl_device *hed_opencl_of(const hed_device *device) { return device->impl; }
opencl_platform hed_opencl_platform_of(const hed_device *device);
hed_status hed_opencl_device_describe(hed_backend_slot *slot, uint32_t index, hed_device *device);
hed_status hed_opencl_device_open(hed_device *device, hed_error *error);
void hed_opencl_device_close(hed_device *device);
hed_status hed_opencl_device_adopt(
    hed_backend_slot *slot, const hed_driver_handles *native, hed_device *device, hed_error *error);
hed_status hed_opencl_device_native(
    hed_device *device, hed_driver_handles *native, hed_error *error);
hed_status hed_opencl_device_memory(
    hed_device *device, uint64_t *free_bytes, uint64_t *total_bytes, hed_error *error);
hed_status hed_opencl_device_wait(hed_device *device, hed_error *error);

/* ---- opencl_memory.c ---- */

hed_status hed_opencl_buffer_create(
    hed_buffer *buffer, const hed_buffer_def *def, hed_error *error);
hed_status hed_opencl_buffer_part(hed_buffer *part, hed_error *error);
void hed_opencl_buffer_destroy(hed_buffer *buffer);
hed_status hed_opencl_buffer_share_gl(hed_buffer *buffer, hed_error *error);
hed_status hed_opencl_gl_acquire(hed_stream *stream, hed_buffer *buffer, hed_error *error);
hed_status hed_opencl_gl_release(hed_stream *stream, hed_buffer *buffer, hed_error *error);
hed_status hed_opencl_map(hed_stream *stream, hed_buffer *buffer, uint64_t offset, uint64_t size,
    void **pointer, hed_error *error);
hed_status hed_opencl_unmap(
    hed_stream *stream, hed_buffer *buffer, void *pointer, hed_error *error);

/* ---- opencl_stream.c ---- */

hed_status hed_opencl_stream_create(hed_stream *stream, hed_error *error);
void hed_opencl_stream_destroy(hed_stream *stream);
hed_status hed_opencl_stream_wait(hed_stream *stream, hed_error *error);
hed_status hed_opencl_stream_done(hed_stream *stream, bool *done, hed_error *error);
hed_status hed_opencl_stream_flush(hed_stream *stream, hed_error *error);
hed_status hed_opencl_step(
    hed_stream *stream, const hed_step *step, void *timing, hed_error *error);
hed_status hed_opencl_time_create(hed_device *device, void **timing, hed_error *error);
void hed_opencl_time_destroy(hed_device *device, void *timing);
hed_status hed_opencl_time_read(
    hed_device *device, void *timing, double *seconds, hed_error *error);

hed_status hed_opencl_event_create(hed_event *event, hed_error *error);
void hed_opencl_event_destroy(hed_event *event);
hed_status hed_opencl_event_record(hed_event *event, hed_stream *stream, hed_error *error);
hed_status hed_opencl_event_done(hed_event *event, bool *done, hed_error *error);
hed_status hed_opencl_event_wait(hed_event *event, hed_error *error);
hed_status hed_opencl_stream_wait_event(hed_stream *stream, hed_event *event, hed_error *error);
hed_status hed_opencl_event_elapsed(
    hed_event *from, hed_event *to, double *seconds, hed_error *error);
/* Reports if the commands up to `event` are done; LOST if they failed. */
hed_status hed_opencl_reached(
    const hed_device *device, cl_event event, bool *done, hed_error *error);
/* Reads a profiling time of an event, ns of the device's clock. */
hed_status hed_opencl_moment(
    const hed_device *device, cl_event event, cl_uint query, cl_ulong *moment, hed_error *error);

/* Copies `log`, and turns line numbers of the whole text (called `whole_text` in the log) into the
 * user's own files and lines. */
void hed_opencl_place_log(
    const char *text, const char *whole_text, const char *log, hed_text *placed);

/* ---- opencl_program.c ---- */

hed_status hed_opencl_build(const hed_build *build, hed_binary *binary, hed_error *error);
hed_status hed_opencl_build_options(const hed_build *build, char *text, size_t size);
const char *hed_opencl_prelude(const hed_build *build);
hed_status hed_opencl_program_load(
    hed_program *program, const hed_build *build, const hed_binary *binary, hed_error *error);
void hed_opencl_program_unload(hed_program *program);

/* ---- opencl_kept.c ---- */

/* Returns a kept program, with a reference for the caller; NULL if the text is new. */
cl_program hed_opencl_recall(opencl_device *device, hed_hash hash);
/* Keeps a program instead of the one that was not used for longest. */
void hed_opencl_keep(opencl_device *device, hed_hash hash, cl_program program);
/* Releases all kept programs. */
void hed_opencl_drop_programs(opencl_device *device);

#endif
