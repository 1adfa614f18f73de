/* CUDA buffers: device, pinned and mapped memory, memory of the caller, adopted memory; mapping
 * through pinned staging; OpenGL buffers. */
#include "backends/cuda/cuda_driver.h"

#include <inttypes.h>

/* A pinned block that replaces a range of device memory while the range is mapped. The block stays
 * with its buffer and serves later maps of the same stream, whose order protects it. */
typedef struct staging {
    struct staging *next;
    void *host;
    uint64_t capacity, offset, size;
    CUstream stream;
    bool in_use;
} staging;

typedef struct cuda_buffer {
    bool registered; /* the caller's memory, registered by Heddle */
    CUgraphicsResource graphics;
    staging *stagings; /* list of blocks, guarded by the device's map_lock */
} cuda_buffer;

static bool cuda_on_host(hed_memory memory)
{
    return memory == HED_MEMORY_PINNED || memory == HED_MEMORY_MAPPED ||
           memory == HED_MEMORY_CALLER;
}

/* ---- creating buffers ---- */

static hed_status cuda_make_device(hed_buffer *buffer, hed_error *error)
{
    const hed_cuda_api *api = hed_cuda_api_of(buffer->device);
    size_t available = 0, total = 0;
    CUresult result = api->cuMemAlloc(&buffer->address, buffer->size);
    if (result != CUDA_ERROR_OUT_OF_MEMORY)
        return hed_cuda_check(buffer->device, result, "cuMemAlloc", error);
    api->cuMemGetInfo(&available, &total);
    return hed_fail(error, HED_ERROR_DEVICE_MEMORY,
        "%" PRIu64 " bytes of device memory: %s has %zu of %zu bytes free", buffer->size,
        buffer->device->info.id, available, total);
}

static hed_status cuda_make_host(hed_buffer *buffer, hed_error *error)
{
    const hed_cuda_api *api = hed_cuda_api_of(buffer->device);
    CUresult result = api->cuMemHostAlloc(&buffer->host, buffer->size, CU_MEMHOST_PORTABLE_MAPPED);
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
        return hed_fail(error, HED_ERROR_MEMORY,
            "%llu bytes of pinned host memory: the system does not give that much",
            (unsigned long long)buffer->size);
    if (result) return hed_cuda_check(buffer->device, result, "cuMemHostAlloc", error);
    result = api->cuMemHostGetDevicePointer(&buffer->address, buffer->host, 0);
    if (result) api->cuMemFreeHost(buffer->host);
    return hed_cuda_check(buffer->device, result, "cuMemHostGetDevicePointer", error);
}

/* Uses the caller's memory. Memory that is already registered (by the program, or for another
 * buffer on the same pages, which must then live longer) is used as it is, provided that all of it
 * is registered. */
static hed_status cuda_make_caller(
    hed_buffer *buffer, cuda_buffer *impl, void *host, hed_error *error)
{
    const hed_cuda_api *api = hed_cuda_api_of(buffer->device);
    CUresult result = api->cuMemHostRegister(host, buffer->size, CU_MEMHOST_PORTABLE_MAPPED);
    impl->registered = result == CUDA_SUCCESS;
    CUdeviceptr last = 0;
    if (!result || result == CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED)
        result = api->cuMemHostGetDevicePointer(&buffer->address, host, 0);
    if (!result) result = api->cuMemHostGetDevicePointer(&last, (char *)host + buffer->size - 1, 0);
    if (!result && last - buffer->address != buffer->size - 1)
        result = CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    if (!result) {
        buffer->host = host;
        return HED_OK;
    }
    hed_error cause = {0};
    hed_cuda_fail(
        api, result, impl->registered ? "cuMemHostGetDevicePointer" : "cuMemHostRegister", &cause);
    if (impl->registered) api->cuMemHostUnregister(host);
    if (cause.status == HED_ERROR_LOST) return hed_fail(error, cause.status, "%s", cause.text);
    return hed_fail(error, HED_ERROR_UNSUPPORTED,
        "%s cannot use the caller's memory at %p in place (read-only, a mapped file, partly registered, "
        "or over the limit of locked memory): use HED_MEMORY_MAPPED and copy. %.300s",
        buffer->device->info.id, host, cause.text);
}

static hed_status cuda_new_impl(hed_buffer *buffer, hed_error *error)
{
    buffer->impl = hed_allocate(&buffer->device->settings->allocator, sizeof(cuda_buffer));
    return buffer->impl ? HED_OK : HED_OUT_OF_MEMORY(error, "a buffer");
}

static void cuda_free_impl(hed_buffer *buffer)
{
    hed_release(&buffer->device->settings->allocator, buffer->impl, sizeof(cuda_buffer));
    buffer->impl = NULL;
}

hed_status hed_cuda_buffer_create(hed_buffer *buffer, const hed_buffer_def *def, hed_error *error)
{
    CUcontext previous;
    hed_status status = cuda_new_impl(buffer, error);
    if (status) return status;
    status = hed_cuda_enter(buffer->device, &previous, error);
    if (!status) {
        if (def->memory == HED_MEMORY_PINNED || def->memory == HED_MEMORY_MAPPED)
            status = cuda_make_host(buffer, error);
        else if (def->memory == HED_MEMORY_CALLER)
            status = cuda_make_caller(buffer, buffer->impl, def->host, error);
        else if (def->memory == HED_MEMORY_DEVICE) status = cuda_make_device(buffer, error);
        else buffer->address = def->handle;
        hed_cuda_restore(buffer->device, previous);
    }
    if (status) cuda_free_impl(buffer);
    return status;
}

hed_status hed_cuda_buffer_part(hed_buffer *part, hed_error *error)
{
    const hed_buffer *whole = part->parent;
    part->address = whole->address + part->offset;
    if (whole->host) part->host = (char *)whole->host + part->offset;
    return cuda_new_impl(part, error);
}

void hed_cuda_buffer_destroy(hed_buffer *buffer)
{
    const hed_cuda_api *api = hed_cuda_api_of(buffer->device);
    cuda_buffer *freed = buffer->impl;
    CUcontext previous;
    bool entered = hed_cuda_enter(buffer->device, &previous, NULL) == HED_OK;
    /* If the context cannot be made current, driver memory leaks; host memory is still released. */
    for (staging *s = freed->stagings, *next; s; s = next) {
        next = s->next;
        if (s->host && entered) api->cuMemFreeHost(s->host);
        hed_release(&buffer->device->settings->allocator, s, sizeof *s);
    }
    if (entered) {
        if (freed->graphics) api->cuGraphicsUnregisterResource(freed->graphics);
        else if (freed->registered) api->cuMemHostUnregister(buffer->host);
        else if (!buffer->parent && buffer->memory == HED_MEMORY_DEVICE)
            api->cuMemFree(buffer->address);
        else if (!buffer->parent && buffer->host && buffer->memory != HED_MEMORY_CALLER)
            api->cuMemFreeHost(buffer->host);
        hed_cuda_restore(buffer->device, previous);
    }
    cuda_free_impl(buffer);
}

/* ---- mapping ---- */

/* Reserves a free block of this stream for the caller: one that is large enough, else one to be
 * grown; NULL if there is no free block. */
static staging *cuda_take_staging(
    hed_cuda_device *device, cuda_buffer *buffer, CUstream stream, uint64_t size)
{
    staging *block = NULL;
    pthread_mutex_lock(&device->map_lock);
    for (staging *s = buffer->stagings; s; s = s->next)
        if (!s->in_use && s->stream == stream && (!block || s->capacity >= size)) block = s;
    if (block) block->in_use = true;
    pthread_mutex_unlock(&device->map_lock);
    return block;
}

static void cuda_give_staging(hed_cuda_device *device, staging *block)
{
    pthread_mutex_lock(&device->map_lock);
    block->in_use = false;
    pthread_mutex_unlock(&device->map_lock);
}

static staging *cuda_add_staging(hed_stream *stream, cuda_buffer *buffer)
{
    hed_cuda_device *device = stream->device->impl;
    staging *block = hed_allocate(&stream->device->settings->allocator, sizeof *block);
    if (!block) return NULL;
    block->stream = stream->native;
    block->in_use = true;
    pthread_mutex_lock(&device->map_lock);
    block->next = buffer->stagings;
    buffer->stagings = block;
    pthread_mutex_unlock(&device->map_lock);
    return block;
}

/* Grows a block. Waits for the stream first, because it may still be reading the old block. */
static hed_status cuda_grow_staging(hed_stream *stream, staging *s, uint64_t size, hed_error *error)
{
    const hed_cuda_api *api = hed_cuda_api_of(stream->device);
    if (s->capacity >= size) return HED_OK;
    hed_status status = hed_cuda_check(
        stream->device, api->cuStreamSynchronize(stream->native), "cuStreamSynchronize", error);
    if (status) return status;
    if (s->host) api->cuMemFreeHost(s->host);
    s->host = NULL;
    s->capacity = 0;
    CUresult result = api->cuMemHostAlloc(&s->host, size, CU_MEMHOST_PORTABLE_MAPPED);
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
        return hed_fail(error, HED_ERROR_MEMORY, "%llu bytes of pinned host memory to map a buffer",
            (unsigned long long)size);
    if (!result) s->capacity = size;
    return hed_cuda_check(stream->device, result, "cuMemHostAlloc", error);
}

static hed_status cuda_map_staged(hed_stream *stream, hed_buffer *buffer, uint64_t offset,
    uint64_t size, void **pointer, hed_error *error)
{
    const hed_cuda_api *api = hed_cuda_api_of(stream->device);
    staging *s = cuda_take_staging(stream->device->impl, buffer->impl, stream->native, size);
    if (!s) s = cuda_add_staging(stream, buffer->impl);
    if (!s) return HED_OUT_OF_MEMORY(error, "a mapped buffer");
    hed_status status = cuda_grow_staging(stream, s, size, error);
    s->offset = offset;
    s->size = size;
    if (!status)
        status = hed_cuda_check(stream->device,
            api->cuMemcpyDtoHAsync(s->host, buffer->address + offset, size, stream->native),
            "cuMemcpyDtoHAsync", error);
    if (!status)
        status = hed_cuda_check(
            stream->device, api->cuStreamSynchronize(stream->native), "cuStreamSynchronize", error);
    if (status) cuda_give_staging(stream->device->impl, s);
    else *pointer = s->host;
    return status;
}

hed_status hed_cuda_map(hed_stream *stream, hed_buffer *buffer, uint64_t offset, uint64_t size,
    void **pointer, hed_error *error)
{
    CUcontext previous;
    if (cuda_on_host(buffer->memory)) {
        hed_status status = hed_cuda_stream_wait(stream, error);
        if (!status) *pointer = (char *)buffer->host + offset;
        return status;
    }
    hed_status status = hed_cuda_enter(stream->device, &previous, error);
    if (status) return status;
    status = cuda_map_staged(stream, buffer, offset, size, pointer, error);
    hed_cuda_restore(stream->device, previous);
    return status;
}

hed_status hed_cuda_unmap(hed_stream *stream, hed_buffer *buffer, void *pointer, hed_error *error)
{
    CUcontext previous;
    const char *host = buffer->host, *at = pointer;
    if (cuda_on_host(buffer->memory) && at >= host && at < host + buffer->size) return HED_OK;
    hed_cuda_device *device = stream->device->impl;
    pthread_mutex_lock(&device->map_lock);
    staging *s = ((cuda_buffer *)buffer->impl)->stagings;
    while (s && !(s->in_use && s->host == pointer)) s = s->next;
    pthread_mutex_unlock(&device->map_lock);
    if (!s) return hed_fail(error, HED_ERROR_ARGUMENT, "this buffer is not mapped at %p", pointer);
    hed_status status = hed_cuda_enter(stream->device, &previous, error);
    if (status) return status;
    CUresult result =
        hed_cuda_api_of(stream->device)
            ->cuMemcpyHtoDAsync(buffer->address + s->offset, s->host, s->size, stream->native);
    s->stream = stream->native;
    cuda_give_staging(stream->device->impl, s);
    return hed_cuda_leave(stream->device, previous, result, "cuMemcpyHtoDAsync", error);
}

/* ---- OpenGL ---- */

/* Registers an OpenGL buffer. After any failure (for example an OpenGL context of another vendor)
 * the core copies instead. */
hed_status hed_cuda_buffer_share_gl(hed_buffer *buffer, hed_error *error)
{
    const hed_cuda_api *api = hed_cuda_api_of(buffer->device);
    CUcontext previous;
    if (!(buffer->device->info.capabilities & HED_CAN_GL_SHARING)) return HED_ERROR_UNSUPPORTED;
    hed_status status = cuda_new_impl(buffer, error);
    if (status) return status;
    status = hed_cuda_enter(buffer->device, &previous, error);
    if (!status) {
        cuda_buffer *impl = buffer->impl;
        if (api->cuGraphicsGLRegisterBuffer(
                &impl->graphics, buffer->gl_name, CU_GRAPHICS_REGISTER_NONE))
            status = HED_ERROR_UNSUPPORTED;
        hed_cuda_restore(buffer->device, previous);
    }
    if (status) cuda_free_impl(buffer);
    return status;
}

hed_status hed_cuda_gl_acquire(hed_stream *stream, hed_buffer *buffer, hed_error *error)
{
    const hed_cuda_api *api = hed_cuda_api_of(stream->device);
    cuda_buffer *shared = buffer->impl;
    CUcontext previous;
    size_t size = 0;
    hed_status status = hed_cuda_enter(stream->device, &previous, error);
    if (status) return status;
    status = hed_cuda_check(stream->device,
        api->cuGraphicsMapResources(1, &shared->graphics, stream->native), "cuGraphicsMapResources",
        error);
    if (!status) {
        CUresult result =
            api->cuGraphicsResourceGetMappedPointer(&buffer->address, &size, shared->graphics);
        status =
            hed_cuda_check(stream->device, result, "cuGraphicsResourceGetMappedPointer", error);
        if (!status && size < buffer->size)
            status = hed_fail(error, HED_ERROR_ARGUMENT, "OpenGL buffer %u has %zu bytes, not %llu",
                buffer->gl_name, size, (unsigned long long)buffer->size);
        if (status) api->cuGraphicsUnmapResources(1, &shared->graphics, stream->native);
    }
    if (status) buffer->address = 0;
    hed_cuda_restore(stream->device, previous);
    return status;
}

hed_status hed_cuda_gl_release(hed_stream *stream, hed_buffer *buffer, hed_error *error)
{
    cuda_buffer *shared = buffer->impl;
    CUcontext previous;
    hed_status status = hed_cuda_enter(stream->device, &previous, error);
    if (status) return status;
    CUresult result = hed_cuda_api_of(stream->device)
                          ->cuGraphicsUnmapResources(1, &shared->graphics, stream->native);
    buffer->address = 0;
    return hed_cuda_leave(stream->device, previous, result, "cuGraphicsUnmapResources", error);
}
