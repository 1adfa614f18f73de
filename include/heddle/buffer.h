/** @file buffer.h
 *  Memory that kernels access. Copies and fills are steps of a stream: see stream.h. */
#ifndef HEDDLE_BUFFER_H
#define HEDDLE_BUFFER_H

#include "heddle/device.h"

HED_BEGIN

typedef struct hed_buffer hed_buffer;

/** Location of a buffer's memory. */
typedef enum hed_memory {
    HED_MEMORY_DEVICE, /**< the device's own memory */
    /** host memory for copies at full speed; kernels cannot access it */
    HED_MEMORY_PINNED,
    /** host memory that kernels access. Writes of one side are visible to the other while a kernel
     *  runs only with HED_CAN_MAPPED, else at the ends of a stream's steps */
    HED_MEMORY_MAPPED,
    /** the caller's own memory (def.host), used in place if the device can */
    HED_MEMORY_CALLER,
    HED_MEMORY_ADOPTED /**< a buffer that the program created with the driver (def.handle) */
} hed_memory;

/** Definition of a buffer. Start from hed_default_buffer_def(). */
typedef struct hed_buffer_def {
    hed_memory memory;
    uint64_t size; /**< bytes, at least 1 */
    /** HED_MEMORY_CALLER: at least `size` bytes, aligned to 64, alive as long as the buffer */
    void *host;
    /** HED_MEMORY_ADOPTED: CUdeviceptr, cl_mem, or a pointer on `host`; stays the program's */
    uintptr_t handle;
} hed_buffer_def;

/** Returns the definition of a buffer in device memory, of `size` bytes. Thread class: any. */
static inline hed_buffer_def hed_default_buffer_def(uint64_t size)
{
    hed_buffer_def def = HED_ZERO;
    def.size = size;
    return def;
}

/** Creates a buffer. Its content is undefined (CALLER and ADOPTED: unchanged).
 *  Thread class: any. Errors: ARGUMENT, MEMORY, DEVICE_MEMORY, LIMIT (over max_buffer_bytes),
 *  UNSUPPORTED, DRIVER. */
HED_API hed_status hed_buffer_create(
    hed_device *device, const hed_buffer_def *def, hed_buffer **buffer, hed_error *error);

/** Creates a buffer that is a range of another one, for kernels. `offset` is a multiple of
 *  hed_device_info.buffer_alignment. The parent must outlive the range.
 *  Thread class: any. Errors: BOUNDS, ARGUMENT (alignment, a range of a range), MEMORY, DRIVER. */
HED_API hed_status hed_buffer_create_sub(
    hed_buffer *parent, uint64_t offset, uint64_t size, hed_buffer **part, hed_error *error);

/** Destroys a buffer once all work that uses it is done. NULL is allowed. Thread class: any. */
HED_API void hed_buffer_destroy(hed_buffer *buffer);

/** Properties of a buffer. */
typedef struct hed_buffer_info {
    hed_device *device;
    hed_memory memory;
    uint64_t size; /**< bytes */
    /** host address of PINNED, MAPPED and CALLER, and of every buffer of `host`; else NULL */
    void *host;
    /** device address, for drivers with addresses (CUDA, host); else 0 */
    uint64_t address;
    uintptr_t handle; /**< the driver's handle: CUdeviceptr, cl_mem, or the pointer on host */
} hed_buffer_info;
/** Returns the properties of a buffer, for code that calls the driver directly.
 *  Thread class: rt. */
HED_API hed_buffer_info hed_buffer_describe(const hed_buffer *buffer);

/** OpenGL context that is current in the calling thread. */
typedef struct hed_gl {
    /** loader of OpenGL functions, such as eglGetProcAddress */
    void *(*get_proc_address)(const char *name);
    /** EGLDisplay or X Display; may be NULL for CUDA */
    void *display;
    void *context; /**< EGLContext or GLXContext */
} hed_gl;

/** Shares OpenGL buffer object `name` of `size` bytes. `*copied` (nullable): true if the driver
 *  cannot share it, so that hed_buffer_gl_acquire() and _release() copy through the host.
 *  Thread class: owner, with the GL context current. Errors: ARGUMENT, MEMORY, DEVICE_MEMORY,
 *  DRIVER. */
HED_API hed_status hed_buffer_from_gl(hed_device *device, const hed_gl *gl, uint32_t name,
    uint64_t size, bool *copied, hed_buffer **buffer, hed_error *error);

HED_END

#endif
