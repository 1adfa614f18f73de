/* A libcuda on the host's processor: see fake.h. Kernels are in fake_cuda_module.c, graphs in
 * fake_cuda_graph.c. */
#include "fake_cuda.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors, devices ---- */

CUresult cuInit(unsigned flags)
{
    ENTER(cuInit);
    return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version)
{
    ENTER(cuDriverGetVersion);
    *version = 12040;
    return CUDA_SUCCESS;
}

/* The table of names works whatever else fails: so does the driver's. */
CUresult cuGetErrorName(CUresult result, const char **text)
{
    *text = result == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
            : result == 999                    ? "CUDA_ERROR_UNKNOWN"
                                               : NULL;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult result, const char **text)
{
    *text = result == CUDA_ERROR_OUT_OF_MEMORY ? "out of memory" : NULL;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetCount(int *count)
{
    ENTER(cuDeviceGetCount);
    *count = fake_state.devices;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    ENTER(cuDeviceGet);
    if (ordinal < 0 || ordinal >= fake_state.devices) return 101;
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
    ENTER(cuDeviceGetName);
    snprintf(name, (size_t)size, "Fake GPU %d", device);
    return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    (void)device;
    ENTER(cuDeviceTotalMem);
    *bytes = fake_state.memory_bytes;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device)
{
    static const struct {
        int attribute, value;
    } known[] = {{CU_DEVICE_MAX_THREADS_PER_BLOCK, 1024}, {CU_DEVICE_MAX_BLOCK_DIM_X, 1024},
        {CU_DEVICE_MAX_BLOCK_DIM_X + 1, 1024}, {CU_DEVICE_MAX_BLOCK_DIM_X + 2, 64},
        {CU_DEVICE_MAX_GRID_DIM_X, INT32_MAX}, {CU_DEVICE_MAX_GRID_DIM_X + 1, 65535},
        {CU_DEVICE_MAX_GRID_DIM_X + 2, 65535}, {CU_DEVICE_SHARED_MEMORY_PER_BLOCK, 48 << 10},
        {CU_DEVICE_WARP_SIZE, 32}, {CU_DEVICE_CLOCK_RATE, 1000000},
        {CU_DEVICE_MULTIPROCESSOR_COUNT, 4}, {CU_DEVICE_CAN_MAP_HOST_MEMORY, 1},
        {CU_DEVICE_L2_CACHE_SIZE, 1 << 20}, {CU_DEVICE_UNIFIED_ADDRESSING, 1},
        {CU_DEVICE_COMPUTE_CAPABILITY_MAJOR, 8}, {CU_DEVICE_REGISTERS_PER_MULTIPROCESSOR, 65536},
        {CU_DEVICE_COOPERATIVE_LAUNCH, 1}, {CU_DEVICE_SHARED_MEMORY_PER_BLOCK_OPTIN, 96 << 10}};
    (void)device;
    ENTER(cuDeviceGetAttribute);
    *value = 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].attribute == attribute) *value = known[i].value;
    return CUDA_SUCCESS;
}

/* Not among what the backend looks up: whoever reads energy asks for it. */
FAKE_EXPORT CUresult cuDeviceGetPCIBusId(char *address, int size, CUdevice device);
CUresult cuDeviceGetPCIBusId(char *address, int size, CUdevice device)
{
    ENTER(cuDeviceGetPCIBusId);
    snprintf(address, (size_t)size, "0000:%02X:00.0", 0x0a + 0x10 * device);
    return CUDA_SUCCESS;
}

/* Nor is this: whoever holds the clock of a GPU asks for it. */
FAKE_EXPORT CUresult cuDeviceGetUuid(char uuid[16], CUdevice device);
CUresult cuDeviceGetUuid(char uuid[16], CUdevice device)
{
    ENTER(cuDeviceGetUuid);
    memset(uuid, 0x10 + device, 16);
    return CUDA_SUCCESS;
}

/* ---- contexts ---- */

static pthread_mutex_t primary_lock = PTHREAD_MUTEX_INITIALIZER;
static CUcontext primary[MOST_DEVICES];
static _Thread_local CUcontext current;

CUcontext fake_cuda_current(void) { return current; }

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    ENTER(cuDevicePrimaryCtxRetain);
    if (device < 0 || device >= MOST_DEVICES) return 101;
    pthread_mutex_lock(&primary_lock);
    if (primary[device]) {
        fake_retain(primary[device]);
    } else if ((primary[device] = fake_new(FAKE_CONTEXT, sizeof *primary[device]))) {
        primary[device]->device = device;
    }
    *context = primary[device];
    pthread_mutex_unlock(&primary_lock);
    return *context ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    ENTER(cuDevicePrimaryCtxRelease);
    pthread_mutex_lock(&primary_lock);
    CUcontext context = device >= 0 && device < MOST_DEVICES ? primary[device] : NULL;
    if (context && fake_release(context)) {
        if (current == context) current = NULL;
        free(context);
        primary[device] = NULL;
    }
    pthread_mutex_unlock(&primary_lock);
    if (!context) fake_misuse("cuDevicePrimaryCtxRelease");
    return context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    ENTER(cuCtxGetCurrent);
    *context = current;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    ENTER(cuCtxSetCurrent);
    if (context) CHECK(cuCtxSetCurrent, context, FAKE_CONTEXT);
    current = context;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    ENTER_CONTEXT(cuCtxGetDevice);
    *device = current->device;
    return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void)
{
    ENTER_CONTEXT(cuCtxSynchronize);
    return CUDA_SUCCESS;
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    ENTER_CONTEXT(cuCtxGetStreamPriorityRange);
    *least = 0;
    *greatest = -5;
    return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    ENTER(cuDeviceCanAccessPeer);
    *can = device != peer;
    return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
    ENTER_CONTEXT(cuCtxEnablePeerAccess);
    CHECK(cuCtxEnablePeerAccess, peer, FAKE_CONTEXT);
    if (flags || peer->device == current->device) return CUDA_ERROR_INVALID_VALUE;
    if (current->reaches[peer->device]) return 704;
    current->reaches[peer->device] = true;
    return CUDA_SUCCESS;
}

/* ---- memory ---- */

typedef struct cuda_memory {
    fake_object head;
    unsigned char *bytes;
    size_t size;
    bool registered; /* the caller's */
    bool pinned;
} cuda_memory;

typedef struct cuda_range {
    uintptr_t address;
    size_t size;
} cuda_range;

static bool holds(const void *object, const void *key)
{
    const cuda_memory *m = object;
    const cuda_range *r = key;
    uintptr_t first = (uintptr_t)m->bytes;
    return r->address >= first && r->address - first <= m->size &&
           r->size <= m->size - (r->address - first);
}

bool fake_cuda_range(const char *function, CUdeviceptr address, size_t size)
{
    const cuda_range range = {(uintptr_t)address, size};
    if (fake_find(FAKE_MEMORY, holds, &range)) return true;
    fake_misuse(function);
    return false;
}

static bool begins(const void *object, const void *key)
{
    return ((const cuda_memory *)object)->bytes == key;
}

/* `*bytes`: the caller's memory, or NULL where it is to be made. */
static CUresult add_memory(void **bytes, size_t size, bool pinned)
{
    if (!*bytes && !fake_take_bytes(size)) return CUDA_ERROR_OUT_OF_MEMORY;
    cuda_memory *m = fake_new(FAKE_MEMORY, sizeof *m);
    if (!m) return CUDA_ERROR_OUT_OF_MEMORY;
    m->registered = *bytes != NULL;
    m->pinned = pinned;
    m->size = size;
    m->bytes = m->registered ? *bytes : aligned_alloc(256, (size + 255) / 256 * 256);
    if (!m->registered) memset(m->bytes, 0xcd, size);
    *bytes = m->bytes;
    return CUDA_SUCCESS;
}

static CUresult remove_memory(const char *function, const void *bytes, bool pinned, bool registered)
{
    cuda_memory *m = fake_find(FAKE_MEMORY, begins, bytes);
    if (!m || m->pinned != pinned || m->registered != registered) {
        fake_misuse(function);
        return CUDA_ERROR_INVALID_VALUE;
    }
    fake_release(m);
    if (!registered) fake_give_bytes(m->size);
    if (!registered) free(m->bytes);
    free(m);
    return CUDA_SUCCESS;
}

CUresult cuMemGetInfo(size_t *free_bytes, size_t *total)
{
    ENTER_CONTEXT(cuMemGetInfo);
    *total = fake_state.memory_bytes;
    *free_bytes = fake_state.memory_bytes / 2;
    return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr *address, size_t size)
{
    ENTER_CONTEXT(cuMemAlloc);
    void *bytes = NULL;
    CUresult result = size ? add_memory(&bytes, size, false) : CUDA_ERROR_INVALID_VALUE;
    if (!result) *address = (uintptr_t)bytes;
    return result;
}

CUresult cuMemFree(CUdeviceptr address)
{
    ENTER_CONTEXT(cuMemFree);
    return remove_memory("cuMemFree", (void *)(uintptr_t)address, false, false);
}

CUresult cuMemHostAlloc(void **host, size_t size, unsigned flags)
{
    (void)flags;
    ENTER_CONTEXT(cuMemHostAlloc);
    *host = NULL;
    return add_memory(host, size, true);
}

CUresult cuMemFreeHost(void *host)
{
    ENTER_CONTEXT(cuMemFreeHost);
    return remove_memory("cuMemFreeHost", host, true, false);
}

CUresult cuMemHostRegister(void *host, size_t size, unsigned flags)
{
    (void)flags;
    ENTER_CONTEXT(cuMemHostRegister);
    return host ? add_memory(&host, size, true) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemHostUnregister(void *host)
{
    ENTER_CONTEXT(cuMemHostUnregister);
    return remove_memory("cuMemHostUnregister", host, true, true);
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr *address, void *host, unsigned flags)
{
    (void)flags;
    ENTER_CONTEXT(cuMemHostGetDevicePointer);
    *address = (uintptr_t)host;
    return fake_cuda_range("cuMemHostGetDevicePointer", *address, 1) ? CUDA_SUCCESS
                                                                     : CUDA_ERROR_INVALID_VALUE;
}

/* ---- copies and fills ---- */

bool fake_cuda_is_stream(const char *function, CUstream stream)
{
    return !stream || fake_check(function, stream, FAKE_QUEUE);
}

static CUresult copy(const char *function, CUdeviceptr to, bool to_device, CUdeviceptr from,
    bool from_device, size_t size)
{
    if (to_device && !fake_cuda_range(function, to, size)) return CUDA_ERROR_INVALID_VALUE;
    if (from_device && !fake_cuda_range(function, from, size)) return CUDA_ERROR_INVALID_VALUE;
    memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, size);
    return CUDA_SUCCESS;
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)
{
    ENTER_STREAM(cuMemcpyAsync, stream);
    return copy("cuMemcpyAsync", to, false, from, false, size);
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t size, CUstream stream)
{
    ENTER_STREAM(cuMemcpyHtoDAsync, stream);
    return copy("cuMemcpyHtoDAsync", to, true, (uintptr_t)from, false, size);
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t size, CUstream stream)
{
    ENTER_STREAM(cuMemcpyDtoHAsync, stream);
    return copy("cuMemcpyDtoHAsync", (uintptr_t)to, false, from, true, size);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)
{
    ENTER_STREAM(cuMemcpyDtoDAsync, stream);
    return copy("cuMemcpyDtoDAsync", to, true, from, true, size);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
    CUcontext from_context, size_t size, CUstream stream)
{
    ENTER_STREAM(cuMemcpyPeerAsync, stream);
    CHECK(cuMemcpyPeerAsync, to_context, FAKE_CONTEXT);
    CHECK(cuMemcpyPeerAsync, from_context, FAKE_CONTEXT);
    bool direct =
        to_context->reaches[from_context->device] && from_context->reaches[to_context->device];
    if (!direct && !fake_state.failures) fake_misuse("cuMemcpyPeerAsync");
    return copy("cuMemcpyPeerAsync", to, true, from, true, size);
}

CUresult fake_cuda_fill(const char *function, CUdeviceptr to, unsigned value, size_t element,
    size_t pitch, size_t width, size_t height)
{
    for (size_t y = 0; y < height; y++) {
        unsigned char *row = (unsigned char *)(uintptr_t)to + y * pitch;
        if (!fake_cuda_range(function, (uintptr_t)row, width * element))
            return CUDA_ERROR_INVALID_VALUE;
        for (size_t x = 0; x < width; x++) memcpy(row + x * element, &value, element);
    }
    return CUDA_SUCCESS;
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream)
{
    ENTER_STREAM(cuMemsetD8Async, stream);
    return fake_cuda_fill("cuMemsetD8Async", to, value, 1, 0, count, 1);
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream)
{
    ENTER_STREAM(cuMemsetD16Async, stream);
    return fake_cuda_fill("cuMemsetD16Async", to, value, 2, 0, count, 1);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream)
{
    ENTER_STREAM(cuMemsetD32Async, stream);
    return fake_cuda_fill("cuMemsetD32Async", to, value, 4, 0, count, 1);
}

CUresult cuMemsetD2D32Async(
    CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height, CUstream stream)
{
    ENTER_STREAM(cuMemsetD2D32Async, stream);
    return fake_cuda_fill("cuMemsetD2D32Async", to, value, 4, pitch, width, height);
}

/* ---- streams and events ---- */

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority)
{
    (void)flags;
    (void)priority;
    ENTER_CONTEXT(cuStreamCreateWithPriority);
    *stream = fake_new(FAKE_QUEUE, sizeof **stream);
    return *stream ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuStreamDestroy(CUstream stream)
{
    ENTER_CONTEXT(cuStreamDestroy);
    CHECK(cuStreamDestroy, stream, FAKE_QUEUE);
    fake_release(stream);
    free(stream);
    return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream)
{
    ENTER_STREAM(cuStreamSynchronize, stream);
    return CUDA_SUCCESS;
}

CUresult cuStreamQuery(CUstream stream)
{
    ENTER_STREAM(cuStreamQuery, stream);
    return fake_state.hangs ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *user)
{
    ENTER_STREAM(cuLaunchHostFunc, stream);
    function(user);
    return CUDA_SUCCESS;
}

struct CUevent_st {
    fake_object head;
    uint64_t time;
};

CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    (void)flags;
    ENTER_CONTEXT(cuEventCreate);
    *event = fake_new(FAKE_EVENT, sizeof **event);
    return *event ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuEventDestroy(CUevent event)
{
    ENTER_CONTEXT(cuEventDestroy);
    CHECK(cuEventDestroy, event, FAKE_EVENT);
    fake_release(event);
    free(event);
    return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    ENTER_STREAM(cuEventRecord, stream);
    CHECK(cuEventRecord, event, FAKE_EVENT);
    event->time = fake_now();
    return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent event)
{
    ENTER_CONTEXT(cuEventQuery);
    CHECK(cuEventQuery, event, FAKE_EVENT);
    return fake_state.hangs ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent event)
{
    ENTER_CONTEXT(cuEventSynchronize);
    CHECK(cuEventSynchronize, event, FAKE_EVENT);
    return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to)
{
    ENTER_CONTEXT(cuEventElapsedTime);
    CHECK(cuEventElapsedTime, from, FAKE_EVENT);
    CHECK(cuEventElapsedTime, to, FAKE_EVENT);
    if (!from->time || !to->time) return CUDA_ERROR_INVALID_HANDLE;
    *milliseconds = (float)((double)to->time - (double)from->time) * 1e-6f;
    return CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
    (void)flags;
    ENTER_STREAM(cuStreamWaitEvent, stream);
    CHECK(cuStreamWaitEvent, event, FAKE_EVENT);
    return CUDA_SUCCESS;
}
