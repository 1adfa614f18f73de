/* What the files of the OpenGL backend share: the loaded library, devices with their one context,
 * marks in the order of its commands, programs, and how errors are reported. */
#ifndef HED_BACKENDS_GL_H
#define HED_BACKENDS_GL_H

#include <pthread.h>

#include "backends/gl/gl_api.h"
#include "base/dynlib.h"
#include "base/text.h"
#include "core/backend.h"

enum { GL_DEVICES = 8, GL_MOVES = 256 };

/* A context belongs to one thread at a time: a call takes the lock, makes the context current, and
 * gives back what was current before. */
typedef struct gl_device {
    const struct gl_driver *driver;
    void *display, *context;
    hed_gl_api api;
    pthread_mutex_t lock;
    bool es;
    bool stamps; /* time stamps are there, and agree with the host's clock */
    struct {
        void *display, *draw, *read, *context;
    } before; /* current in the calling thread, while the lock is held */
} gl_device;

/* hed_backend_slot.state */
typedef struct gl_driver {
    hed_egl_api egl;
    void *(*get)(const char *name);
    hed_allocator allocator;
    hed_logger logger;
    hed_clock clock;
    hed_dynlib *library;
    gl_device devices[GL_DEVICES];
    uint32_t device_count;
} gl_driver;

/* hed_program.impl */
typedef struct gl_program {
    unsigned name, push_buffer; /* push_buffer 0: no push constants */
    uint32_t group[3], push_binding, push_bytes, binding_count, move_count;
    struct {
        uint32_t binding, target, argument;
    } bindings[HED_MAX_ARGUMENTS];
    /* bytes of arguments that go into push constants, or into a uniform of its own */
    struct {
        uint32_t argument, from, to, size;
        int location; /* -1: push constants */
        int type;
    } moves[GL_MOVES];
    unsigned char
        *pushed; /* (2 * push_bytes) what the push constants hold, and room for the next */
} gl_program;

static inline gl_device *hed_gl_of(const hed_device *device) { return device->impl; }

/* ---- driver.c ---- */

/* Makes the device's context current in this thread; every true one is followed by a leave. */
bool hed_gl_enter(gl_device *device);
void hed_gl_leave(gl_device *device);
/* The same with a message. */
hed_status hed_gl_begin(hed_device *device, hed_error *error);
/* "glBufferData failed with GL_OUT_OF_MEMORY (0x505): " and what it was for, if OpenGL has an error
 * on record. */
hed_status hed_gl_check(
    const hed_device *device, const char *call, const char *what, hed_error *error);

/* ---- memory.c ---- */

hed_status hed_gl_buffer_create(hed_buffer *buffer, const hed_buffer_def *def, hed_error *error);
hed_status hed_gl_buffer_part(hed_buffer *part, hed_error *error);
void hed_gl_buffer_destroy(hed_buffer *buffer);
hed_status hed_gl_map(hed_stream *stream, hed_buffer *buffer, uint64_t offset, uint64_t size,
    void **pointer, hed_error *error);
hed_status hed_gl_unmap(hed_stream *stream, hed_buffer *buffer, void *pointer, hed_error *error);
/* Copies, fills, reads and writes; the context is current. */
hed_status hed_gl_transfer(const hed_device *device, const hed_step *step, hed_error *error);

/* ---- stream.c ---- */

hed_status hed_gl_check_clock(hed_device *device, hed_error *error);
hed_status hed_gl_stream_create(hed_stream *stream, hed_error *error);
void hed_gl_stream_destroy(hed_stream *stream);
hed_status hed_gl_device_wait(hed_device *device, hed_error *error);
hed_status hed_gl_stream_wait(hed_stream *stream, hed_error *error);
hed_status hed_gl_stream_done(hed_stream *stream, bool *done, hed_error *error);
hed_status hed_gl_stream_flush(hed_stream *stream, hed_error *error);
hed_status hed_gl_step(hed_stream *stream, const hed_step *step, void *timing, hed_error *error);
hed_status hed_gl_time_create(hed_device *device, void **timing, hed_error *error);
void hed_gl_time_destroy(hed_device *device, void *timing);
hed_status hed_gl_time_read(hed_device *device, void *timing, double *seconds, hed_error *error);
hed_status hed_gl_event_create(hed_event *event, hed_error *error);
void hed_gl_event_destroy(hed_event *event);
hed_status hed_gl_event_record(hed_event *event, hed_stream *stream, hed_error *error);
hed_status hed_gl_event_done(hed_event *event, bool *done, hed_error *error);
hed_status hed_gl_event_wait(hed_event *event, hed_error *error);
hed_status hed_gl_stream_wait_event(hed_stream *stream, hed_event *event, hed_error *error);
hed_status hed_gl_event_elapsed(hed_event *from, hed_event *to, double *seconds, hed_error *error);

/* ---- program.c ---- */

/* Gives a launch to the device; the context is current. */
hed_status hed_gl_launch(const hed_device *device, const hed_step *step, hed_error *error);

/* A text compiled and linked; the context is current. Errors: BUILD with the driver's log. */
hed_status hed_gl_compile(const hed_device *device, const char *kernel, const char *text,
    size_t size, unsigned *program, hed_error *error);
hed_status hed_gl_build(const hed_build *build, hed_binary *binary, hed_error *error);
hed_status hed_gl_build_options(const hed_build *build, char *text, size_t size);
const char *hed_gl_prelude(const hed_build *build);
hed_status hed_gl_program_load(
    hed_program *program, const hed_build *build, const hed_binary *binary, hed_error *error);
void hed_gl_program_unload(hed_program *program);
hed_status hed_gl_resident_groups(const hed_program *program, uint32_t group_items,
    uint64_t local_bytes, int64_t *groups, hed_error *error);

#endif
