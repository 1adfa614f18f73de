/* Shared declarations of the backends CUDA and HIP: the loaded driver, its contexts and errors,
 * programs and launches. One code serves both: "driver" is libcuda or libamdhip64, "compiler" NVRTC
 * or hipRTC.
 *
 * The current context of a thread. Every entry point makes the device's context current if it is
 * not, and restores the thread's previous context before it returns. A thread that had no context
 * keeps Heddle's, so that its next calls need not switch. A program with contexts of its own (see
 * hed_device_adopt) therefore finds its context in every thread where it left it. */
#ifndef HED_BACKENDS_CUDA_DRIVER_H
#define HED_BACKENDS_CUDA_DRIVER_H

#include <pthread.h>

#include "backends/cuda/cuda_api.h"
#include "backends/cuda/nvrtc.h"
#include "base/dynlib.h"
#include "core/backend.h"

/* Index in hed_device.text of the compilation target; "" if no compiler supports the device. */
enum { HED_CUDA_TARGET = 5 };

/* State of a backend slot: the loaded libraries. */
typedef struct hed_cuda {
    hed_cuda_api api;
    hed_dynlib *library;
    hed_nvrtc *nvrtc; /* NULL: no compiler is available */
    bool hip;         /* AMD's driver */
    int version;      /* CUDA: 1000 * major + 10 * minor; HIP: the driver's own number */
    char driver[64];  /* driver version as hed_device_info has it */
    uint32_t count;
} hed_cuda;

/* Implementation of an open device (hed_device.impl). */
typedef struct hed_cuda_device {
    const hed_cuda *cuda;
    CUdevice device;
    CUcontext context;
    pthread_mutex_t map_lock; /* guards the lists of staging blocks of all buffers of the device */
    /* bits 1 << (number of a device, modulo 64) whose memory was opened to this one, or cannot be */
    _Atomic uint64_t peers;
} hed_cuda_device;

/* A module variable that an argument is copied into. */
typedef struct hed_cuda_symbol {
    CUdeviceptr address;
    void *content; /* the variable's current content, as large as the argument */
    bool filled;
} hed_cuda_symbol;

/* Implementation of a program (hed_program.impl); the handle is the CUfunction. */
typedef struct hed_cuda_program {
    CUmodule module;
    uint32_t static_bytes; /* local memory that the kernel text declares, bytes */
    bool cooperative;      /* all groups must be resident at once */
    /* (the description's argument_count); NULL: the kernel has no symbols */
    hed_cuda_symbol *symbols;
    _Atomic bool local_grown, wide_clusters;
} hed_cuda_program;

/* A launch in the driver's form. `arguments` point into the step, its buffers and `offsets`. */
typedef struct hed_cuda_launch {
    CUfunction function;
    unsigned grid[3], block[3], shared_bytes, cluster;
    bool cooperative;
    void *arguments[HED_MAX_ARGUMENTS];
    unsigned offsets[HED_MAX_ARGUMENTS];
} hed_cuda_launch;

/* A fill in the driver's form: `words` runs of elements of `element` bytes, `pitch` bytes apart (0:
 * contiguous). */
typedef struct hed_cuda_fill {
    uint32_t element, words;
    uint64_t count, pitch;
    uint32_t values[4];
} hed_cuda_fill;

static inline const hed_cuda_api *hed_cuda_api_of(const hed_device *device)
{
    return &((const hed_cuda_device *)device->impl)->cuda->api;
}
static inline CUcontext hed_cuda_context_of(const hed_device *device)
{
    return ((const hed_cuda_device *)device->impl)->context;
}

/* cuda_driver.c */
hed_status hed_cuda_open(const hed_settings *settings, hed_backend_slot *slot);
/* Opens NVRTC alone, for a driver of a CUDA version (as cuDriverGetVersion()). Errors: UNSUPPORTED without
 * NVRTC; MEMORY. */
hed_status hed_cuda_open_compiler(
    const hed_settings *settings, int version, hed_backend_slot *slot, hed_error *error);
hed_status hed_hip_open(const hed_settings *settings, hed_backend_slot *slot);
void hed_cuda_close(const hed_settings *settings, hed_backend_slot *slot);
/* Makes the device's context current; `*previous` receives the context that hed_cuda_restore() puts
 * back. After a failure nothing has to be put back. */
hed_status hed_cuda_enter(const hed_device *device, CUcontext *previous, hed_error *error);
void hed_cuda_restore(const hed_device *device, CUcontext previous);
/* Opens the memory of two devices to each other before their first copy, where they can reach it.
 * Otherwise the driver copies through the host: a failure costs speed alone. */
void hed_cuda_open_peers(const hed_device *a, const hed_device *b);
/* Converts a driver's code to a status; `call` names the function that returned the code. */
hed_status hed_cuda_fail(
    const hed_cuda_api *api, CUresult result, const char *call, hed_error *error);
static inline hed_status hed_cuda_check(
    const hed_device *device, CUresult result, const char *call, hed_error *error)
{
    return result == CUDA_SUCCESS ? HED_OK
                                  : hed_cuda_fail(hed_cuda_api_of(device), result, call, error);
}
/* Ends an entry point that consists of one driver call. */
static inline hed_status hed_cuda_leave(const hed_device *device, CUcontext previous,
    CUresult result, const char *call, hed_error *error)
{
    hed_cuda_restore(device, previous);
    return hed_cuda_check(device, result, call, error);
}

/* hip.c: functions of HIP that differ from CUDA's */
/* Returns HIP's name of a function of CUDA; `call` itself if HIP has no such function. */
const char *hed_hip_name(const char *call);
/* Returns the number that HIP has for an attribute of devices, -1 if HIP has no such attribute. */
int hed_hip_attribute(int attribute);
/* Writes the compilation target of a device ("gfx90a:sramecc+:xnack-"); "" if it is unknown. */
void hed_hip_target(const hed_cuda_api *api, CUdevice device, char target[HED_NVRTC_TARGET]);
CUresult hed_hip_call(const hed_stream *stream, CUhostFn function, void *user);

/* cuda_memory.c */
hed_status hed_cuda_buffer_create(hed_buffer *buffer, const hed_buffer_def *def, hed_error *error);
hed_status hed_cuda_buffer_part(hed_buffer *part, hed_error *error);
void hed_cuda_buffer_destroy(hed_buffer *buffer);
hed_status hed_cuda_buffer_share_gl(hed_buffer *buffer, hed_error *error);
hed_status hed_cuda_gl_acquire(hed_stream *stream, hed_buffer *buffer, hed_error *error);
hed_status hed_cuda_gl_release(hed_stream *stream, hed_buffer *buffer, hed_error *error);
hed_status hed_cuda_map(hed_stream *stream, hed_buffer *buffer, uint64_t offset, uint64_t size,
    void **pointer, hed_error *error);
hed_status hed_cuda_unmap(hed_stream *stream, hed_buffer *buffer, void *pointer, hed_error *error);

/* cuda_stream.c */
hed_status hed_cuda_stream_create(hed_stream *stream, hed_error *error);
void hed_cuda_stream_destroy(hed_stream *stream);
hed_status hed_cuda_stream_wait(hed_stream *stream, hed_error *error);
hed_status hed_cuda_stream_done(hed_stream *stream, bool *done, hed_error *error);
hed_status hed_cuda_stream_flush(hed_stream *stream, hed_error *error);
hed_status hed_cuda_step(hed_stream *stream, const hed_step *step, void *timing, hed_error *error);
hed_cuda_fill hed_cuda_plan_fill(const hed_step *step);
hed_status hed_cuda_time_create(hed_device *device, void **timing, hed_error *error);
void hed_cuda_time_destroy(hed_device *device, void *timing);
hed_status hed_cuda_time_read(hed_device *device, void *timing, double *seconds, hed_error *error);
hed_status hed_cuda_event_create(hed_event *event, hed_error *error);
void hed_cuda_event_destroy(hed_event *event);
hed_status hed_cuda_event_record(hed_event *event, hed_stream *stream, hed_error *error);
hed_status hed_cuda_event_done(hed_event *event, bool *done, hed_error *error);
hed_status hed_cuda_event_wait(hed_event *event, hed_error *error);
hed_status hed_cuda_stream_wait_event(hed_stream *stream, hed_event *event, hed_error *error);
hed_status hed_cuda_event_elapsed(
    hed_event *from, hed_event *to, double *seconds, hed_error *error);

hed_status hed_cuda_build_ahead(
    const hed_settings *settings, const hed_build *build, hed_binary *binary, hed_error *error);

/* cuda_program.c */
hed_status hed_cuda_build_options(const hed_build *build, char *text, size_t size);
hed_status hed_cuda_build(const hed_build *build, hed_binary *binary, hed_error *error);
hed_status hed_cuda_program_load(
    hed_program *program, const hed_build *build, const hed_binary *binary, hed_error *error);
void hed_cuda_program_unload(hed_program *program);
hed_status hed_cuda_resident_groups(const hed_program *program, uint32_t group_items,
    uint64_t local_bytes, int64_t *groups, hed_error *error);
/* Converts a step to a launch, and allows the function the local memory and cluster size that the
 * launch needs. The context is current. */
hed_status hed_cuda_prepare(const hed_step *step, hed_cuda_launch *launch, hed_error *error);
hed_status hed_cuda_launch_now(
    const hed_device *device, hed_cuda_launch *launch, CUstream stream, hed_error *error);

/* cuda_graph.c */
hed_status hed_cuda_graph_build(
    hed_device *device, const hed_step *steps, uint32_t count, void **impl, hed_error *error);
hed_status hed_cuda_graph_update(
    hed_device *device, void *impl, const hed_step *steps, uint32_t step, hed_error *error);
hed_status hed_cuda_graph_replay(hed_stream *stream, void *impl, hed_error *error);
void hed_cuda_graph_destroy(hed_device *device, void *impl);

#endif
