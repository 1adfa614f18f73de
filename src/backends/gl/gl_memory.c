/* Buffers: buffer objects of OpenGL; PINNED memory is plain host memory, because OpenGL has nothing
 * closer. Copies from and to the host complete at once: a driver keeps a copy of the data that it
 * gets. Reads pass through a staging buffer of the device, since NVIDIA's driver moves a buffer
 * that the host has mapped to host memory for good: copies of 512 MiB ran at 84 GB/s from there. */
#include "backends/gl/gl.h"

#include <stdio.h>
#include <string.h>

enum { FILL_BYTES = 4096, READ_BYTES = 1 << 24 };

hed_status hed_gl_buffer_create(hed_buffer *buffer, const hed_buffer_def *def, hed_error *error)
{
    gl_device *of = hed_gl_of(buffer->device);
    unsigned name = 0;
    char purpose[64];
    if (buffer->memory == HED_MEMORY_ADOPTED) {
        buffer->handle = (void *)def->handle;
        return HED_OK;
    }
    if (buffer->memory == HED_MEMORY_PINNED) {
        buffer->host = hed_allocate(&of->driver->allocator, buffer->size);
        return buffer->host ? HED_OK : HED_OUT_OF_MEMORY(error, "a buffer");
    }
    if (buffer->memory != HED_MEMORY_DEVICE)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "%s has buffers of HED_MEMORY_DEVICE and HED_MEMORY_PINNED: OpenGL's kernels reach no "
            "memory of the host's",
            of->info->id);
    hed_status status = hed_gl_begin(of, error);
    if (status) return status;
    of->api.GenBuffers(1, &name);
    of->api.BindBuffer(GL_COPY_WRITE_BUFFER, name);
    of->api.BufferData(GL_COPY_WRITE_BUFFER, (intptr_t)buffer->size, NULL, GL_DYNAMIC_COPY);
    snprintf(purpose, sizeof purpose, "a buffer of %llu bytes", (unsigned long long)buffer->size);
    status = hed_gl_check(of, true, "glBufferData", purpose, error);
    if (status) of->api.DeleteBuffers(1, &name);
    hed_gl_end(of);
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
    unsigned name = hed_gl_name(buffer);
    if (buffer->host) hed_release(&of->driver->allocator, buffer->host, buffer->size);
    if (!name || hed_gl_begin(of, NULL)) return;
    hed_gl_free_images(of, buffer);
    if (!buffer->parent && buffer->memory != HED_MEMORY_ADOPTED)
        of->api.DeleteBuffers(1, &name); /* waits for the work that uses the buffer */
    hed_gl_end(of);
}

/* Writes a block of repeated patterns, then doubles the filled range by copies. */
static void memory_fill(const hed_gl_api *api, const hed_step *step, uint64_t at)
{
    unsigned char bytes[FILL_BYTES];
    uint64_t done = step->size < FILL_BYTES ? step->size : FILL_BYTES;
    for (size_t i = 0; i < done; i++) bytes[i] = step->pattern[i % step->pattern_size];
    api->BufferSubData(GL_COPY_WRITE_BUFFER, (intptr_t)at, (intptr_t)done, bytes);
    for (uint64_t size; done < step->size; done += size) {
        size = step->size - done < done ? step->size - done : done;
        api->CopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, (intptr_t)at,
            (intptr_t)(at + done), (intptr_t)size);
    }
}

/* Reads from the buffer that is bound for reading. */
static hed_status memory_read(
    gl_device *of, void *host, uint64_t from, uint64_t bytes, hed_error *error)
{
    const hed_gl_api *api = &of->api;
    if (!of->staging) {
        api->GenBuffers(1, &of->staging);
        api->BindBuffer(GL_COPY_WRITE_BUFFER, of->staging);
        api->BufferData(GL_COPY_WRITE_BUFFER, READ_BYTES, NULL, GL_STREAM_READ);
        hed_status status =
            hed_gl_check(of, true, "glBufferData", "a buffer that reads go through", error);
        if (status) {
            api->DeleteBuffers(1, &of->staging);
            of->staging = 0;
            return status;
        }
    }
    api->BindBuffer(GL_COPY_WRITE_BUFFER, of->staging);
    for (uint64_t done = 0, size; done < bytes; done += size) {
        size = bytes - done < READ_BYTES ? bytes - done : READ_BYTES;
        api->CopyBufferSubData(
            GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, (intptr_t)(from + done), 0, (intptr_t)size);
        const void *there =
            api->MapBufferRange(GL_COPY_WRITE_BUFFER, 0, (intptr_t)size, GL_MAP_READ_BIT);
        if (there) memcpy((char *)host + done, there, size);
        if (there) api->UnmapBuffer(GL_COPY_WRITE_BUFFER);
        hed_status status =
            hed_gl_check(of, there != NULL, "glMapBufferRange", "reading a buffer", error);
        if (status) return status;
    }
    return HED_OK;
}

hed_status hed_gl_transfer(gl_device *of, const hed_step *step, hed_error *error)
{
    const hed_gl_api *api = &of->api;
    const hed_buffer *to = step->to ? step->to : step->from,
                     *from = step->from ? step->from : step->to;
    uint64_t to_offset = to->offset + step->to_offset,
             from_offset = from->offset + step->from_offset;
    api->BindBuffer(GL_COPY_WRITE_BUFFER, hed_gl_name(to));
    api->BindBuffer(GL_COPY_READ_BUFFER, hed_gl_name(from));
    switch (step->kind) {
    case HED_STEP_FILL:
        memory_fill(api, step, to_offset);
        return hed_gl_check(of, true, "glCopyBufferSubData", "a fill", error);
    case HED_STEP_WRITE:
        api->BufferSubData(
            GL_COPY_WRITE_BUFFER, (intptr_t)to_offset, (intptr_t)step->size, step->host_from);
        return hed_gl_check(of, true, "glBufferSubData", "writing a buffer", error);
    case HED_STEP_READ: return memory_read(of, step->host_to, from_offset, step->size, error);
    default: break;
    }
    api->CopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, (intptr_t)from_offset,
        (intptr_t)to_offset, (intptr_t)step->size);
    return hed_gl_check(of, true, "glCopyBufferSubData", "a copy", error);
}
