/** @file buffer.h
 *  Memory that kernels see. Copies and fills are steps of a stream: see stream.h.
 */
#ifndef HEDDLE_BUFFER_H
#define HEDDLE_BUFFER_H

#include "heddle/device.h"

HED_BEGIN

typedef struct hed_buffer hed_buffer;

/** Where a buffer's memory lies. */
typedef enum hed_memory {
    HED_MEMORY_DEVICE, /**< the device's own memory */
    /** host memory that the device copies from and to at full speed; not for kernels */
    HED_MEMORY_PINNED,
    /** host memory that kernels reach; seen by both while a kernel runs only where the device has
     *  HED_CAN_MAPPED, else at the ends of a stream's steps */
    HED_MEMORY_MAPPED,
    /** the caller's own memory (def.host), used in place where the device can */
    HED_MEMORY_CALLER,
    HED_MEMORY_ADOPTED /**< a buffer that the program made with the driver (def.handle) */
} hed_memory;

/** How to make a buffer. Start from hed_default_buffer_def(). */
typedef struct hed_buffer_def {
    hed_memory memory;
    uint64_t size; /**< bytes, at least 1 */
    /** HED_MEMORY_CALLER: at least `size` bytes, aligned to 64, alive as long as the buffer */
    void *host;
    /** HED_MEMORY_ADOPTED: CUdeviceptr, cl_mem, or a pointer for host; stays the program's */
    uintptr_t handle;
} hed_buffer_def;

/** Device memory of `size` bytes. Thread class: any. */
static inline hed_buffer_def hed_default_buffer_def(uint64_t size)
{
    hed_buffer_def def = HED_ZERO;
    def.size = size;
    return def;
}

/** Makes a buffer. Its content is undefined (CALLER and ADOPTED: as it was). Thread class: any.
 *  Errors: ARGUMENT, MEMORY, DEVICE_MEMORY, LIMIT (over max_buffer_bytes), UNSUPPORTED, DRIVER. */
HED_API hed_status hed_buffer_create(
    hed_device *device, const hed_buffer_def *def, hed_buffer **buffer, hed_error *error);

/** A part of a buffer as a buffer of its own, for kernels: `offset` a multiple of
 *  hed_device_info.buffer_alignment. The parent must outlive it. Thread class: any. Errors: BOUNDS,
 *  ARGUMENT (alignment, part of a part), MEMORY, DRIVER. */
HED_API hed_status hed_buffer_create_sub(
    hed_buffer *parent, uint64_t offset, uint64_t size, hed_buffer **part, hed_error *error);

/** Destroys a buffer once all work that uses it is done. NULL is allowed. Thread class: any. */
HED_API void hed_buffer_destroy(hed_buffer *buffer);

/** The properties of a buffer. */
typedef struct hed_buffer_info {
    hed_device *device;
    hed_memory memory;
    uint64_t size; /**< bytes */
    /** where the host sees it: PINNED, MAPPED, CALLER, and every buffer of `host`; else NULL */
    void *host;
    /** where the device sees it, for drivers with addresses (CUDA, host); else 0 */
    uint64_t address;
    uintptr_t handle; /**< the driver's: CUdeviceptr, cl_mem, or the pointer on host */
} hed_buffer_info;
/** Thread class: rt. */
HED_API hed_buffer_info hed_buffer_describe(const hed_buffer *buffer);

/** Functions of the OpenGL that is current in the calling thread. */
typedef struct hed_gl {
    void *(*get_proc_address)(const char *name); /**< such as eglGetProcAddress */
    /** EGLDisplay or X Display; may be NULL for CUDA */
    void *display;
    void *context; /**< EGLContext or GLXContext */
} hed_gl;

/** Shares OpenGL buffer object `name` of `size` bytes. Where the driver can, no copy is made; where
 *  it cannot, hed_buffer_gl_acquire() and _release() copy through the host. `*copied` (nullable)
 *  tells which. Thread class: owner, with the GL context current. Errors: ARGUMENT, MEMORY,
 *  DEVICE_MEMORY, DRIVER. */
HED_API hed_status hed_buffer_from_gl(hed_device *device, const hed_gl *gl, uint32_t name,
    uint64_t size, bool *copied, hed_buffer **buffer, hed_error *error);

HED_END

#endif
