/** @file context.h
 *  The context: the root of everything. It owns the backends, the list of devices, the directories,
 *  the allocator, the log and the clock. There is no other global state; two contexts in one
 *  process are independent.
 */
#ifndef HEDDLE_CONTEXT_H
#define HEDDLE_CONTEXT_H

#include "heddle/base.h"

HED_BEGIN

typedef struct hed_context hed_context;

/** How to make a context. Start from hed_default_context_def(). Strings are copied. */
typedef struct hed_context_def {
    hed_allocator allocator;
    hed_logger logger;
    hed_clock clock;
    /** Default device: an id ("cuda:0"), part of a name ("H200") or "best". NULL: HEDDLE_DEVICE,
     *  else "best". */
    const char *device;
    /** compiled kernels; NULL: $XDG_CACHE_HOME/heddle; "": no cache on disk */
    const char *cache_dir;
    const char *data_dir; /**< persistent data; NULL: $XDG_DATA_HOME/heddle */
    /** read kernel files from here instead of the built-in text; NULL: HEDDLE_KERNEL_DIR */
    const char *kernel_dir;
    /** Precompiled kernels for machines without NVRTC; NULL: HEDDLE_PTX_DIR, else beside the
     *  installed library. */
    const char *ptx_dir;
    /** The tuning database, a file; NULL: HEDDLE_DATABASE ("none": as ""), else data_dir/tuning.db.
     *  "": none, and the one installed with Heddle is not read either: every kernel then runs in
     *  its description's default configuration. ":memory:": an empty one that goes with the
     *  context. */
    const char *database;
    /** The program that tuning runs candidates in; NULL: HEDDLE_WORKER, else the installed
     *  heddle-worker. */
    const char *worker;
    /** Driver libraries; NULL: the usual names are tried (or HEDDLE_OPENCL_LIBRARY,
     *  HEDDLE_CUDA_LIBRARY, HEDDLE_NVRTC_LIBRARY, HEDDLE_VULKAN_LIBRARY where set); "": this one is
     *  not used. */
    const char *opencl_library;
    const char *cuda_library;
    const char *nvrtc_library;
    /** Name of a kernel whose first launch is written to a file (capture.h). NULL: HEDDLE_CAPTURE,
     *  else none. */
    const char *capture;
    /** threads of the host device, the caller's included; 0: one for each processor */
    uint32_t host_threads;
    /** A CUDA toolkit, whose headers kernels in CUDA C may include; NULL: CUDA_HOME, else
     *  CUDA_PATH, else that of nvcc on PATH, else the one that NVRTC lies in, else /usr/local/cuda
     *  and /usr/include. */
    const char *cuda_home;
    const char *vulkan_library; /**< as the driver libraries above */
    /** glslangValidator or glslc, for kernels in GLSL: a path. NULL: HEDDLE_GLSL_COMPILER, else the
     *  first of the two on PATH. */
    const char *glsl_compiler;
    const char *gl_library; /**< EGL's, likewise: HEDDLE_GL_LIBRARY, else libEGL.so.1 */
    /** Lists OpenGL's devices too, which takes a tenth of a second, and mostly shows devices that
     *  are listed already. They are also listed where `device` or HEDDLE_DEVICE names one, as "gl:0". */
    bool gl;
} hed_context_def;

/** Defaults: C allocator, no log, system clock, every backend, directories by the XDG rules. Thread
 *  class: any. */
static inline hed_context_def hed_default_context_def(void)
{
    hed_context_def def = HED_ZERO;
    def.allocator = hed_default_allocator();
    def.clock = hed_default_clock();
    return def;
}

/** Makes a context, loads the drivers that are installed and lists their devices. A missing or
 *  broken driver is no failure (see hed_backend_report). `def` may be NULL for the defaults. Thread
 *  class: any. Errors: MEMORY. */
HED_API hed_status hed_context_create(
    const hed_context_def *def, hed_context **context, hed_error *error);

/** Destroys a context. Everything made from it must be destroyed before. NULL is allowed. Thread
 *  class: owner. */
HED_API void hed_context_destroy(hed_context *context);

/** The settings of a context, and what it found. Texts belong to it; "" where there is none. */
typedef struct hed_context_info {
    const char *cache_dir, *data_dir;
    /** where the context's own database lies or would lie, and the one installed with Heddle */
    const char *database, *installed_database;
    hed_allocator allocator;
    hed_logger logger;
    hed_clock clock;
    uint32_t devices;  /**< for hed_device_at() */
    uint32_t backends; /**< that this library was built with, for hed_backend_at() */
} hed_context_info;
/** Thread class: any. */
HED_API hed_context_info hed_context_describe(const hed_context *context);

/** How well a backend works on this machine. */
typedef enum hed_backend_state {
    HED_BACKEND_WORKS,
    HED_BACKEND_LIMITED, /**< devices are there, something is missing (say NVRTC) */
    HED_BACKEND_ABSENT,  /**< the driver library is not on this machine, or is switched off */
    HED_BACKEND_FAILED   /**< the library is there and does not work */
} hed_backend_state;

/** The state of one backend, as `heddle doctor` prints it. Strings are owned by the context. */
typedef struct hed_backend_report {
    const char *name; /**< "cuda", "opencl", "vulkan", "gl", "host" */
    hed_backend_state state;
    uint32_t devices;
    const char *library; /**< what was loaded, versions included; "" if nothing */
    const char *reason;  /**< why it does not work or what is limited; "" if nothing */
    const char *remedy;  /**< the Debian package or setting that mends it; "" if nothing */
} hed_backend_report;

/** Report on backend `index` < hed_context_info.backends, in order of preference. Thread class:
 *  any. */
HED_API hed_backend_report hed_backend_at(const hed_context *context, uint32_t index);

HED_END

#endif
