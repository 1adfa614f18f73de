/* Buffers. Memory that the host sees at all times (PINNED, MAPPED) is a buffer that the driver
 * allocates in host memory, mapped during its whole life. */
#include "backends/opencl/opencl.h"

static hed_status opencl_out_of_memory(
    const hed_device *device, uint64_t size, const char *call, cl_int code, hed_error *error)
{
    /* some drivers report a lack of memory so */
    if (code == CL_OUT_OF_RESOURCES) code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return hed_opencl_fail(error, call, code,
        "a buffer of %llu bytes on %s (%s), which has %llu bytes in all; how many are free its driver "
        "does not tell",
        (unsigned long long)size, device->info.id, device->info.name,
        (unsigned long long)device->info.memory_bytes);
}

/* Allocates the buffer's memory on the device now. Drivers of discrete devices allocate it at the
 * first use; allocating here reports a lack of memory here. */
static hed_status opencl_place(hed_buffer *buffer, hed_error *error)
{
    const opencl_device *device = hed_opencl_of(buffer->device);
    cl_mem memory = buffer->handle;
    if (device->unified) return HED_OK;
    cl_int code = device->api->clEnqueueMigrateMemObjects(
        device->queue, 1, &memory, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL, NULL);
    if (code)
        return opencl_out_of_memory(
            buffer->device, buffer->size, "clEnqueueMigrateMemObjects", code, error);
    code = device->api->clFinish(device->queue);
    return hed_opencl_check_wait(error, buffer->device, "clFinish", code, "placing a buffer");
}

static hed_status opencl_map_for_life(hed_buffer *buffer, hed_error *error)
{
    const opencl_device *device = hed_opencl_of(buffer->device);
    cl_int code = CL_SUCCESS;
    buffer->host = device->api->clEnqueueMapBuffer(device->queue, buffer->handle, CL_TRUE,
        CL_MAP_READ | CL_MAP_WRITE, 0, buffer->size, 0, NULL, NULL, &code);
    return buffer->host ? HED_OK
                        : opencl_out_of_memory(
                              buffer->device, buffer->size, "clEnqueueMapBuffer", code, error);
}

static hed_status opencl_import(hed_buffer *buffer, cl_mem memory, hed_error *error)
{
    const opencl_device *device = hed_opencl_of(buffer->device);
    cl_context context = NULL;
    size_t size = 0;
    cl_int code =
        device->api->clGetMemObjectInfo(memory, CL_MEM_CONTEXT, sizeof context, &context, NULL);
    if (!code)
        code = device->api->clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof size, &size, NULL);
    if (code)
        return hed_opencl_fail(error, "clGetMemObjectInfo", code, "hed_buffer_def.handle is no cl_mem");
    if (context != device->context)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "the cl_mem given belongs to another context than %s: adopt that one first",
            buffer->device->info.id);
    if (size < buffer->size)
        return hed_fail(error, HED_ERROR_BOUNDS, "a buffer of %llu bytes from a cl_mem of %zu",
            (unsigned long long)buffer->size, size);
    code = device->api->clRetainMemObject(memory);
    buffer->handle = memory;
    return code ? hed_opencl_fail(error, "clRetainMemObject", code, "hed_buffer_def.handle") : HED_OK;
}

hed_status hed_opencl_buffer_create(hed_buffer *buffer, const hed_buffer_def *def, hed_error *error)
{
    const opencl_device *device = hed_opencl_of(buffer->device);
    hed_memory kind = buffer->memory;
    cl_bitfield flags = CL_MEM_READ_WRITE;
    cl_int code = CL_SUCCESS;
    if (kind == HED_MEMORY_ADOPTED) return opencl_import(buffer, (cl_mem)def->handle, error);
    if (kind == HED_MEMORY_MAPPED && !device->unified)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "mapped memory: %s (%s) lacks \"mapped\", its memory is not the host's",
            buffer->device->info.id, buffer->device->info.name);
    if (kind == HED_MEMORY_PINNED || kind == HED_MEMORY_MAPPED) flags |= CL_MEM_ALLOC_HOST_PTR;
    if (kind == HED_MEMORY_CALLER) flags |= CL_MEM_USE_HOST_PTR;
    void *host = kind == HED_MEMORY_CALLER ? def->host : NULL;
    buffer->handle = device->api->clCreateBuffer(device->context, flags, buffer->size, host, &code);
    if (!buffer->handle)
        return opencl_out_of_memory(buffer->device, buffer->size, "clCreateBuffer", code, error);
    hed_status status = HED_OK;
    if (kind == HED_MEMORY_DEVICE) status = opencl_place(buffer, error);
    else if (kind == HED_MEMORY_CALLER) buffer->host = def->host;
    else status = opencl_map_for_life(buffer, error);
    if (status) device->api->clReleaseMemObject(buffer->handle);
    return status;
}

hed_status hed_opencl_buffer_part(hed_buffer *part, hed_error *error)
{
    const opencl_device *device = hed_opencl_of(part->device);
    cl_buffer_region region = {part->offset, part->size};
    cl_int code = CL_SUCCESS;
    part->handle = device->api->clCreateSubBuffer(
        part->parent->handle, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    if (!part->handle)
        return hed_opencl_fail(error, "clCreateSubBuffer", code,
            "%llu bytes at byte %llu of a buffer of %llu", (unsigned long long)part->size,
            (unsigned long long)part->offset, (unsigned long long)part->parent->size);
    if (part->parent->host) part->host = (char *)part->parent->host + part->offset;
    return HED_OK;
}

void hed_opencl_buffer_destroy(hed_buffer *buffer)
{
    const opencl_device *device = hed_opencl_of(buffer->device);
    bool mapped = buffer->memory == HED_MEMORY_PINNED || buffer->memory == HED_MEMORY_MAPPED;
    if (mapped && !buffer->parent) {
        device->api->clEnqueueUnmapMemObject(
            device->queue, buffer->handle, buffer->host, 0, NULL, NULL);
        device->api->clFinish(device->queue);
    }
    device->api->clReleaseMemObject(buffer->handle);
}

/* ---- shared with OpenGL (cl_khr_gl_sharing) ---- */

hed_status hed_opencl_buffer_share_gl(hed_buffer *buffer, hed_error *error)
{
    const opencl_device *device = hed_opencl_of(buffer->device);
    const hed_cl_api *api = device->api;
    cl_int code = CL_SUCCESS;
    size_t size = 0;
    if (!(buffer->device->info.capabilities & HED_CAN_GL_SHARING) || !api->clCreateFromGLBuffer ||
        !api->clEnqueueAcquireGLObjects || !api->clEnqueueReleaseGLObjects)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "%s lacks \"gl sharing\": the OpenCL context must be made with the OpenGL context "
            "(CL_GL_CONTEXT_KHR) and adopted",
            buffer->device->info.id);
    buffer->handle =
        api->clCreateFromGLBuffer(device->context, CL_MEM_READ_WRITE, buffer->gl_name, &code);
    if (!buffer->handle && code == CL_INVALID_GL_OBJECT)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%u is no OpenGL buffer with storage in the context that %s shares", buffer->gl_name,
            buffer->device->info.id);
    if (!buffer->handle)
        return hed_opencl_fail(
            error, "clCreateFromGLBuffer", code, "OpenGL buffer %u", buffer->gl_name);
    api->clGetMemObjectInfo(buffer->handle, CL_MEM_SIZE, sizeof size, &size, NULL);
    if (size >= buffer->size) return HED_OK;
    api->clReleaseMemObject(buffer->handle);
    buffer->handle = NULL;
    return hed_fail(error, HED_ERROR_ARGUMENT, "OpenGL buffer %u has %zu bytes; expected at least %llu",
        buffer->gl_name, size, (unsigned long long)buffer->size);
}

/* Acquires a buffer from OpenGL. The extension requires that OpenGL has finished with the buffer
 * before, and OpenCL before the release. */
hed_status hed_opencl_gl_acquire(hed_stream *stream, hed_buffer *buffer, hed_error *error)
{
    opencl_stream *in = stream->impl;
    cl_mem memory = buffer->handle;
    void (*finish)(void) = (void (*)(void))buffer->gl.get_proc_address("glFinish");
    if (finish) finish();
    in->steps++;
    cl_int code = in->api->clEnqueueAcquireGLObjects(in->queue, 1, &memory, 0, NULL, NULL);
    return hed_opencl_check_work(
        error, stream->device, "clEnqueueAcquireGLObjects", code, "taking a buffer from OpenGL");
}

hed_status hed_opencl_gl_release(hed_stream *stream, hed_buffer *buffer, hed_error *error)
{
    opencl_stream *in = stream->impl;
    cl_mem memory = buffer->handle;
    in->steps++;
    cl_int code = in->api->clEnqueueReleaseGLObjects(in->queue, 1, &memory, 0, NULL, NULL);
    if (code)
        return hed_opencl_check_work(error, stream->device, "clEnqueueReleaseGLObjects", code,
            "giving a buffer back to OpenGL");
    return hed_opencl_stream_wait(stream, error);
}

/* ---- mapping ---- */

static bool opencl_always_mapped(const hed_buffer *buffer)
{
    return buffer->memory == HED_MEMORY_PINNED || buffer->memory == HED_MEMORY_MAPPED;
}

hed_status hed_opencl_map(hed_stream *stream, hed_buffer *buffer, uint64_t offset, uint64_t size,
    void **pointer, hed_error *error)
{
    opencl_stream *in = stream->impl;
    cl_int code = CL_SUCCESS;
    if (opencl_always_mapped(buffer)) {
        *pointer = (char *)buffer->host + offset;
        return hed_opencl_stream_wait(stream, error);
    }
    in->steps++;
    *pointer = in->api->clEnqueueMapBuffer(in->queue, buffer->handle, CL_TRUE,
        CL_MAP_READ | CL_MAP_WRITE, offset, size, 0, NULL, NULL, &code);
    return hed_opencl_check_work(
        error, stream->device, "clEnqueueMapBuffer", code, "mapping a buffer");
}

hed_status hed_opencl_unmap(hed_stream *stream, hed_buffer *buffer, void *pointer, hed_error *error)
{
    opencl_stream *in = stream->impl;
    if (opencl_always_mapped(buffer)) return HED_OK;
    in->steps++;
    cl_int code =
        in->api->clEnqueueUnmapMemObject(in->queue, buffer->handle, pointer, 0, NULL, NULL);
    if (code == CL_INVALID_VALUE)
        return hed_fail(error, HED_ERROR_ARGUMENT, "the buffer is not mapped at %p", pointer);
    return hed_opencl_check_work(
        error, stream->device, "clEnqueueUnmapMemObject", code, "unmapping a buffer");
}
