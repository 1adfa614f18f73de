/* Buffers: buffer objects of OpenGL, and for PINNED plain host memory, which is as near as OpenGL
 * goes. Copies read and write at once: a driver keeps a copy of what it is given. */
#include "backends/gl/gl.h"

#include <stdio.h>
#include <string.h>

enum { FILL_BYTES = 4096 };

/* A range that the host works on: a copy of it that is written back. */
typedef struct gl_mapping {
    struct gl_mapping *next;
    uint64_t offset, size;
    char bytes[]; /* (size) */
} gl_mapping;

static unsigned memory_name(const hed_buffer *buffer)
{
    return (unsigned)(uintptr_t)buffer->handle;
}

hed_status hed_gl_buffer_create(hed_buffer *buffer, const hed_buffer_def *def, hed_error *error)
{
    hed_device *device = buffer->device;
    gl_device *of = hed_gl_of(device);
    unsigned name = 0;
    if (buffer->memory == HED_MEMORY_ADOPTED) {
        buffer->handle = (void *)def->handle;
        return HED_OK;
    }
    if (buffer->memory == HED_MEMORY_PINNED) {
        buffer->host = hed_allocate(&of->driver->allocator, buffer->size);
        return buffer->host ? HED_OK : hed_fail(error, HED_ERROR_MEMORY, "no memory for a buffer");
    }
    if (buffer->memory != HED_MEMORY_DEVICE)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "%s has buffers of HED_MEMORY_DEVICE and HED_MEMORY_PINNED: OpenGL's kernels reach no "
            "memory of the host's",
            device->info.id);
    hed_status status = hed_gl_begin(device, error);
    if (status) return status;
    of->api.GenBuffers(1, &name);
    of->api.BindBuffer(GL_COPY_WRITE_BUFFER, name);
    of->api.BufferData(GL_COPY_WRITE_BUFFER, (intptr_t)buffer->size, NULL, GL_DYNAMIC_COPY);
    char what[64];
    snprintf(what, sizeof what, "a buffer of %llu bytes", (unsigned long long)buffer->size);
    status = hed_gl_check(device, "glBufferData", what, error);
    if (status) of->api.DeleteBuffers(1, &name);
    hed_gl_leave(of);
    buffer->handle = (void *)(uintptr_t)name;
    return status;
}

hed_status hed_gl_buffer_part(hed_buffer *part, hed_error *error)
{
    (void)error;
    part->handle = part->parent->handle;
    return HED_OK;
}

void hed_gl_buffer_destroy(hed_buffer *buffer)
{
    gl_device *of = hed_gl_of(buffer->device);
    const hed_allocator *allocator = &of->driver->allocator;
    unsigned name = memory_name(buffer);
    if (buffer->host) hed_release(allocator, buffer->host, buffer->size);
    for (gl_mapping *mapping = buffer->impl, *next; mapping; mapping = next) {
        next = mapping->next;
        hed_release(allocator, mapping, sizeof *mapping + mapping->size);
    }
    if (!name || buffer->parent || buffer->memory == HED_MEMORY_ADOPTED || !hed_gl_enter(of))
        return;
    of->api.DeleteBuffers(1, &name); /* which waits for the work that uses it */
    hed_gl_leave(of);
}

/* ---- copies ---- */

/* A few times the pattern, then what stands already, again and again. */
static void memory_fill(const hed_gl_api *api, const hed_step *step, uint64_t at)
{
    unsigned char bytes[FILL_BYTES];
    uint64_t done = step->size < FILL_BYTES ? step->size : FILL_BYTES;
    for (size_t i = 0; i < done; i++) bytes[i] = step->pattern[i % step->pattern_size];
    api->BindBuffer(GL_COPY_WRITE_BUFFER, memory_name(step->to));
    api->BindBuffer(GL_COPY_READ_BUFFER, memory_name(step->to));
    api->BufferSubData(GL_COPY_WRITE_BUFFER, (intptr_t)at, (intptr_t)done, bytes);
    for (uint64_t size; done < step->size; done += size) {
        size = step->size - done < done ? step->size - done : done;
        api->CopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, (intptr_t)at,
            (intptr_t)(at + done), (intptr_t)size);
    }
}

static hed_status memory_read(
    const hed_device *device, const hed_step *step, uint64_t at, hed_error *error)
{
    const hed_gl_api *api = &hed_gl_of(device)->api;
    api->BindBuffer(GL_COPY_READ_BUFFER, memory_name(step->from));
    const void *from = api->MapBufferRange(
        GL_COPY_READ_BUFFER, (intptr_t)at, (intptr_t)step->size, GL_MAP_READ_BIT);
    if (!from) {
        hed_status status = hed_gl_check(device, "glMapBufferRange", "reading a buffer", error);
        return status
                   ? status
                   : hed_fail(error, HED_ERROR_DRIVER,
                         "glMapBufferRange gave nothing: reading a buffer of %s", device->info.id);
    }
    memcpy(step->host_to, from, step->size);
    api->UnmapBuffer(GL_COPY_READ_BUFFER);
    return hed_gl_check(device, "glUnmapBuffer", "reading a buffer", error);
}

hed_status hed_gl_transfer(const hed_device *device, const hed_step *step, hed_error *error)
{
    const hed_gl_api *api = &hed_gl_of(device)->api;
    uint64_t to = step->to ? step->to->offset + step->to_offset : 0,
             from = step->from ? step->from->offset + step->from_offset : 0;
    if (step->kind == HED_STEP_READ) return memory_read(device, step, from, error);
    if (step->kind == HED_STEP_FILL) {
        memory_fill(api, step, to);
        return hed_gl_check(device, "glCopyBufferSubData", "a fill", error);
    }
    api->BindBuffer(GL_COPY_WRITE_BUFFER, memory_name(step->to));
    if (step->kind == HED_STEP_WRITE) {
        api->BufferSubData(
            GL_COPY_WRITE_BUFFER, (intptr_t)to, (intptr_t)step->size, step->host_from);
        return hed_gl_check(device, "glBufferSubData", "writing a buffer", error);
    }
    api->BindBuffer(GL_COPY_READ_BUFFER, memory_name(step->from));
    api->CopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, (intptr_t)from, (intptr_t)to,
        (intptr_t)step->size);
    return hed_gl_check(device, "glCopyBufferSubData", "a copy", error);
}

/* ---- mapping ---- */

hed_status hed_gl_map(hed_stream *stream, hed_buffer *buffer, uint64_t offset, uint64_t size,
    void **pointer, hed_error *error)
{
    gl_device *of = hed_gl_of(stream->device);
    gl_mapping *made = hed_allocate(&of->driver->allocator, sizeof *made + size);
    if (!made)
        return hed_fail(error, HED_ERROR_MEMORY, "no memory to map %llu bytes of a buffer",
            (unsigned long long)size);
    made->offset = offset;
    made->size = size;
    const hed_step step = {.kind = HED_STEP_READ,
        .from = buffer,
        .from_offset = offset,
        .size = size,
        .host_to = made->bytes};
    hed_status status = hed_gl_step(stream, &step, NULL, error);
    if (status) {
        hed_release(&of->driver->allocator, made, sizeof *made + size);
        return status;
    }
    pthread_mutex_lock(&of->lock);
    made->next = buffer->impl;
    buffer->impl = made;
    pthread_mutex_unlock(&of->lock);
    *pointer = made->bytes;
    return HED_OK;
}

hed_status hed_gl_unmap(hed_stream *stream, hed_buffer *buffer, void *pointer, hed_error *error)
{
    gl_device *of = hed_gl_of(stream->device);
    pthread_mutex_lock(&of->lock);
    gl_mapping *found = buffer->impl, *before = NULL;
    for (; found && found->bytes != pointer; found = found->next) before = found;
    if (found && before) before->next = found->next;
    else if (found) buffer->impl = found->next;
    pthread_mutex_unlock(&of->lock);
    if (!found)
        return hed_fail(error, HED_ERROR_ARGUMENT, "this buffer is not mapped at %p", pointer);
    const hed_step step = {.kind = HED_STEP_WRITE,
        .to = buffer,
        .to_offset = found->offset,
        .size = found->size,
        .host_from = found->bytes};
    hed_status status = hed_gl_step(stream, &step, NULL, error);
    hed_release(&of->driver->allocator, found, sizeof *found + found->size);
    return status;
}
