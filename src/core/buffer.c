/* Buffers: checks, then the backend. OpenGL buffers without driver sharing are copied through the
 * host. */
#include "core/objects.h"

static hed_status check_def(hed_device *device, const hed_buffer_def *def, hed_error *error)
{
    if (def->size == 0)
        return hed_fail(error, HED_ERROR_ARGUMENT, "hed_buffer_def.size is 0; expected at least 1");
    if (device->info.max_buffer_bytes && def->size > device->info.max_buffer_bytes)
        return hed_fail(error, HED_ERROR_LIMIT, "a buffer of %llu bytes: %s allows %llu",
            (unsigned long long)def->size, device->info.id,
            (unsigned long long)device->info.max_buffer_bytes);
    if (def->memory == HED_MEMORY_CALLER && (!def->host || (uintptr_t)def->host % 64))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "memory of the caller at %p: hed_buffer_def.host must be set and aligned to 64 bytes",
            def->host);
    if (def->memory == HED_MEMORY_ADOPTED && !def->handle)
        return hed_fail(error, HED_ERROR_ARGUMENT, "hed_buffer_def.handle is 0");
    if ((unsigned)def->memory > HED_MEMORY_ADOPTED)
        return hed_fail(error, HED_ERROR_ARGUMENT, "unknown memory kind %d", (int)def->memory);
    return HED_OK;
}

static hed_status buffer_open(
    hed_device *device, hed_memory memory, uint64_t size, hed_buffer **buffer, hed_error *error)
{
    hed_status status = hed_device_ensure_open(device, error);
    if (status) return status;
    *buffer = hed_allocate(&device->settings->allocator, sizeof **buffer);
    if (!*buffer) return HED_OUT_OF_MEMORY(error, "a buffer");
    (*buffer)->device = device;
    (*buffer)->memory = memory;
    (*buffer)->size = size;
    return HED_OK;
}

/* Passes a buffer that the backend has created to the caller; frees it after a failure. */
static hed_status buffer_finish(hed_buffer *new_buffer, hed_status status, hed_buffer **buffer)
{
    if (status)
        hed_release(&new_buffer->device->settings->allocator, new_buffer, sizeof *new_buffer);
    else *buffer = new_buffer;
    return status;
}

hed_status hed_buffer_create(
    hed_device *device, const hed_buffer_def *def, hed_buffer **buffer, hed_error *error)
{
    HED_REQUIRE(device, def, buffer);
    hed_buffer *new_buffer;
    *buffer = NULL;
    hed_status status = check_def(device, def, error);
    if (status) return status;
    status = buffer_open(device, def->memory, def->size, &new_buffer, error);
    if (status) return status;
    return buffer_finish(
        new_buffer, device->backend->buffer_create(new_buffer, def, error), buffer);
}

hed_status hed_buffer_create_sub(
    hed_buffer *parent, uint64_t offset, uint64_t size, hed_buffer **part, hed_error *error)
{
    HED_REQUIRE(parent, part);
    *part = NULL;
    uint32_t alignment = parent->device->info.buffer_alignment;
    if (size == 0 || offset > parent->size || size > parent->size - offset)
        return hed_fail(error, HED_ERROR_BOUNDS, "bytes %llu to %llu of a buffer of %llu bytes",
            (unsigned long long)offset, (unsigned long long)(offset + size),
            (unsigned long long)parent->size);
    if (parent->parent)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "a part of a part: take it from the whole buffer");
    if (parent->memory == HED_MEMORY_PINNED)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "pinned memory is not for kernels and has no parts");
    if (alignment && offset % alignment)
        return hed_fail(error, HED_ERROR_ARGUMENT, "a part at byte %llu: %s requires a multiple of %u",
            (unsigned long long)offset, parent->device->info.id, alignment);
    hed_buffer *new_buffer;
    hed_status status = buffer_open(parent->device, parent->memory, size, &new_buffer, error);
    if (status) return status;
    new_buffer->parent = parent;
    new_buffer->offset = offset;
    return buffer_finish(new_buffer, parent->device->backend->buffer_part(new_buffer, error), part);
}

void hed_buffer_destroy(hed_buffer *buffer)
{
    if (!buffer) return;
    buffer->device->backend->buffer_destroy(buffer);
    for (hed_mapping *mapping = buffer->mappings, *next; mapping; mapping = next) {
        next = mapping->next;
        hed_release(hed_allocator_of(buffer->device), mapping, sizeof *mapping + mapping->size);
    }
    hed_release(&buffer->device->settings->allocator, buffer, sizeof *buffer);
}

hed_buffer_info hed_buffer_describe(const hed_buffer *buffer)
{
    if (!buffer) return (hed_buffer_info){0};
    return (hed_buffer_info){buffer->device, buffer->memory, buffer->size, buffer->host,
        buffer->address, buffer->handle ? (uintptr_t)buffer->handle : (uintptr_t)buffer->address};
}

/* ---- OpenGL ---- */

enum { GL_COPY_READ = 0x8F36 }; /* GL_COPY_READ_BUFFER: a binding point that no drawing uses */

typedef void (*gl_bind_function)(unsigned target, unsigned buffer);
typedef void (*gl_read_function)(unsigned target, intptr_t offset, intptr_t size, void *data);
typedef void (*gl_write_function)(
    unsigned target, intptr_t offset, intptr_t size, const void *data);

hed_status hed_buffer_from_gl(hed_device *device, const hed_gl *gl, uint32_t name, uint64_t size,
    bool *copied, hed_buffer **buffer, hed_error *error)
{
    HED_REQUIRE(device, gl, buffer);
    *buffer = NULL;
    if (!gl->get_proc_address || !name || !size)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "an OpenGL buffer needs get_proc_address, a name and a size");
    hed_buffer *new_buffer;
    hed_status status = buffer_open(device, HED_MEMORY_DEVICE, size, &new_buffer, error);
    if (status) return status;
    new_buffer->gl_name = name;
    new_buffer->gl = *gl;
    status = device->backend->buffer_share_gl ? device->backend->buffer_share_gl(new_buffer, error)
                                              : HED_ERROR_UNSUPPORTED;
    if (status == HED_ERROR_UNSUPPORTED) {
        hed_buffer_def def = hed_default_buffer_def(size);
        new_buffer->gl_copied = true;
        hed_error_clear(error);
        status = device->backend->buffer_create(new_buffer, &def, error);
    }
    if (copied) *copied = new_buffer->gl_copied;
    return buffer_finish(new_buffer, status, buffer);
}

/* Copies through host memory: waits, because OpenGL's calls take effect at once. */
static hed_status copy_gl(hed_stream *stream, hed_buffer *buffer, bool to_device, hed_error *error)
{
    gl_bind_function bind = (gl_bind_function)buffer->gl.get_proc_address("glBindBuffer");
    gl_read_function get = (gl_read_function)buffer->gl.get_proc_address("glGetBufferSubData");
    gl_write_function write = (gl_write_function)buffer->gl.get_proc_address("glBufferSubData");
    if (!bind || !get || !write)
        return hed_fail(error, HED_ERROR_DRIVER,
            "OpenGL lacks glBindBuffer, glBufferSubData or glGetBufferSubData");
    const hed_allocator *allocator = &buffer->device->settings->allocator;
    void *bytes = hed_allocate(allocator, buffer->size);
    if (!bytes)
        return HED_OUT_OF_MEMORY(
            error, "a copy of an OpenGL buffer of %llu bytes", (unsigned long long)buffer->size);
    hed_status status;
    bind(GL_COPY_READ, buffer->gl_name);
    if (to_device) {
        get(GL_COPY_READ, 0, (intptr_t)buffer->size, bytes);
        status = hed_write(stream, buffer, 0, bytes, buffer->size, error);
    } else {
        status = hed_read(stream, bytes, buffer, 0, buffer->size, error);
    }
    status = status ? status : hed_stream_wait(stream, error);
    if (!status && !to_device) write(GL_COPY_READ, 0, (intptr_t)buffer->size, bytes);
    bind(GL_COPY_READ, 0);
    hed_release(allocator, bytes, buffer->size);
    return status;
}

static hed_status gl_step(hed_stream *stream, hed_buffer *buffer, bool acquire, hed_error *error)
{
    if (!buffer->gl_name)
        return hed_fail(error, HED_ERROR_ARGUMENT, "this buffer is not shared with OpenGL");
    if (stream->device != buffer->device)
        return hed_fail(error, HED_ERROR_ARGUMENT, "buffer and stream belong to different devices");
    if (stream->recording)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "sharing with OpenGL cannot be recorded in a graph");
    if (buffer->gl_copied) return copy_gl(stream, buffer, acquire, error);
    return acquire ? stream->device->backend->gl_acquire(stream, buffer, error)
                   : stream->device->backend->gl_release(stream, buffer, error);
}

hed_status hed_buffer_gl_acquire(hed_stream *stream, hed_buffer *buffer, hed_error *error)
{
    HED_REQUIRE(stream, buffer);
    hed_status status = gl_step(stream, buffer, true, error);
    buffer->gl_acquired = buffer->gl_acquired || !status;
    return status;
}
hed_status hed_buffer_gl_release(hed_stream *stream, hed_buffer *buffer, hed_error *error)
{
    if (!stream || !buffer) HED_REQUIRE(stream, buffer);
    bool acts = !hed_failed(error);
    if (!acts && !buffer->gl_acquired) return error->status;
    hed_status status = gl_step(stream, buffer, false, acts ? error : NULL);
    if (!status) buffer->gl_acquired = false;
    return acts ? status : error->status;
}
