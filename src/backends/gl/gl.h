/* Shared declarations of the OpenGL backend: the loaded library, devices with their one context,
 * programs, and error reports. */
#ifndef HED_BACKENDS_GL_H
#define HED_BACKENDS_GL_H

#include <pthread.h>

#include "backends/gl/gl_api.h"
#include "base/dynlib.h"
#include "base/text.h"
#include "core/backend.h"
#include "core/image_content.h"

enum { GL_DEVICES = 64, GL_MOVES = 256 };

/* An OpenGL device. Its context belongs to one thread at a time: a call takes the lock, makes the
 * context current, and restores the previous context. */
typedef struct gl_device {
    const struct gl_driver *driver;
    const hed_device_info *info;
    void *display, *context;
    hed_gl_api api;
    pthread_mutex_t lock;
    bool es;
    unsigned staging;          /* buffer that reads pass through; 0: nothing has been read yet */
    hed_image_content *images; /* gl_image */
    bool stamps;               /* time stamps exist, and agree with the host's clock */
    struct {
        void *display, *draw, *read, *context;
    } before; /* the calling thread's previous context, while the lock is held */
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

/* Texture that takes the place of a buffer in a shader. */
typedef struct gl_image {
    hed_image_content content;
    unsigned texture, target;
} gl_image;

/* Bytes of an argument that are copied into push constants, or into a uniform of its own. */
typedef struct gl_move {
    uint32_t argument, from, to, size;
    int location; /* -1: push constants */
    int type;
} gl_move;

/* hed_program.impl */
typedef struct gl_program {
    unsigned name, push_buffer; /* push_buffer 0: no push constants */
    uint32_t push_binding, push_bytes, binding_count, move_count;
    hed_shader_bound bindings[HED_SHADER_BINDINGS];
    gl_move moves[GL_MOVES];
    /* (2 * push_bytes) current content of the push constants, and space for the next content */
    unsigned char *pushed;
} gl_program;

static inline gl_device *hed_gl_of(const hed_device *device) { return device->impl; }

/* ---- gl_context.c ---- */

/* Makes the device's context current in this thread. After OK, hed_gl_end() must follow. */
hed_status hed_gl_begin(gl_device *of, hed_error *error);
void hed_gl_end(gl_device *of);
/* Checks a call. If OpenGL has recorded an error, or the call was not `fine`, fails with
 * "glBufferData failed with GL_OUT_OF_MEMORY (0x505): " and the purpose of the call. */
hed_status hed_gl_check(
    const gl_device *of, bool fine, const char *call, const char *purpose, hed_error *error);

/* ---- gl_memory.c ---- */

hed_status hed_gl_buffer_create(hed_buffer *buffer, const hed_buffer_def *def, hed_error *error);
hed_status hed_gl_buffer_part(hed_buffer *part, hed_error *error);
void hed_gl_buffer_destroy(hed_buffer *buffer);
static inline unsigned hed_gl_name(const hed_buffer *buffer)
{
    return (unsigned)(uintptr_t)buffer->handle;
}
/* Copies, fills, reads or writes as the step specifies; the context is current. */
hed_status hed_gl_transfer(gl_device *of, const hed_step *step, hed_error *error);

/* ---- gl_image.c: the context is current ---- */

/* Creates the textures that a launch needs, and copies contents between textures and buffers so that
 * the step finds the later ones. Errors: UNSUPPORTED, ARGUMENT, MEMORY, DRIVER. */
hed_status hed_gl_settle_images(gl_device *of, const hed_step *step, hed_error *error);
/* Binds the image of an argument to its unit. */
void hed_gl_bind_image(const gl_device *of, const hed_step *step, const hed_shader_bound *bound);
/* Frees the textures of a buffer that is being destroyed. */
void hed_gl_free_images(gl_device *of, const hed_buffer *buffer);

/* ---- gl_stream.c ---- */

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

/* ---- gl_program.c ---- */

/* Launches a kernel on the device; the context is current. */
hed_status hed_gl_launch(const gl_device *of, const hed_step *step, hed_error *error);
/* Compiles and links a text; the context is current. Errors: BUILD with the driver's log. */
hed_status hed_gl_compile(const gl_device *of, const char *kernel, const char *text, size_t size,
    unsigned *program, hed_error *error);
hed_status hed_gl_build(const hed_build *build, hed_binary *binary, hed_error *error);
hed_status hed_gl_program_load(
    hed_program *program, const hed_build *build, const hed_binary *binary, hed_error *error);
void hed_gl_program_unload(hed_program *program);

#endif
