/** @file context.h
 *  The context, which owns the backends, the list of devices, the directories, the allocator, the
 *  log and the clock. There is no other global state; two contexts in one process are
 *  independent. */
#ifndef HEDDLE_CONTEXT_H
#define HEDDLE_CONTEXT_H

#include "heddle/base.h"

HED_BEGIN

typedef struct hed_context hed_context;

/** Definition of a context. Start from hed_default_context_def(). Strings are copied. */
typedef struct hed_context_def {
    hed_allocator allocator;
    hed_logger logger;
    hed_clock clock;
    /** Default device: an id ("cuda:0"), part of a name ("H200") or "best". NULL: HEDDLE_DEVICE,
     *  else "best". */
    const char *device;
    /** folder of compiled kernels; NULL: $XDG_CACHE_HOME/heddle; "": no cache on disk */
    const char *cache_dir;
    const char *data_dir; /**< persistent data; NULL: $XDG_DATA_HOME/heddle */
    /** folder of kernel files that replace the built-in text; NULL: HEDDLE_KERNEL_DIR */
    const char *kernel_dir;
    /** Folder of precompiled kernels for machines without NVRTC. NULL: HEDDLE_PTX_DIR, else the
     *  folder beside the installed library. */
    const char *ptx_dir;
    /** File of the tuning database. NULL: HEDDLE_DATABASE ("none": as ""), else data_dir/tuning.db.
     *  "": no database, and the one installed with Heddle is not read either: every kernel then
     *  runs in its description's default configuration. ":memory:": an empty database that ends
     *  with the context. */
    const char *database;
    /** Program that tuning runs candidates in. NULL: HEDDLE_WORKER, else the installed
     *  heddle-worker. */
    const char *worker;
    /** Driver libraries. NULL: the usual names (HEDDLE_OPENCL_LIBRARY, HEDDLE_CUDA_LIBRARY,
     *  HEDDLE_NVRTC_LIBRARY, HEDDLE_VULKAN_LIBRARY, HEDDLE_HIP_LIBRARY replace them); "": the driver
     *  is not used. */
    const char *opencl_library;
    const char *cuda_library;
    const char *nvrtc_library;
    /** Name of a kernel whose first launch is written to a file (capture.h). NULL: HEDDLE_CAPTURE,
     *  else none. */
    const char *capture;
    /** threads of the host device, the calling thread included; 0: one for each processor */
    uint32_t host_threads;
    /** Folder of a CUDA toolkit, whose headers kernels in CUDA C may include. NULL: CUDA_HOME, else
     *  CUDA_PATH, else the toolkit of nvcc on PATH, else that of NVRTC, else /usr/local/cuda and
     *  /usr/include. */
    const char *cuda_home;
    const char *vulkan_library; /**< driver library as above */
    const char *hip_library;    /**< AMD's libamdhip64, as above */
    /** glslangValidator or glslc, for kernels in GLSL: a path. NULL: HEDDLE_GLSL_COMPILER, else the
     *  first of the two on PATH. */
    const char *glsl_compiler;
    const char *gl_library; /**< EGL library; NULL: HEDDLE_GL_LIBRARY, else libEGL.so.1 */
    /** Lists OpenGL's devices too. This takes a tenth of a second, and most of them are listed
     *  already by another backend. They are also listed if `device` or HEDDLE_DEVICE is one, as
     *  "gl:0". */
    bool gl;
} hed_context_def;

/** Returns the defaults: C allocator, no log, system clock, every backend, directories by the XDG
 *  rules.
 *  Thread class: any. */
static inline hed_context_def hed_default_context_def(void)
{
    hed_context_def def = HED_ZERO;
    def.allocator = hed_default_allocator();
    def.clock = hed_default_clock();
    return def;
}

/** Creates a context, loads the installed drivers and lists their devices. A missing or broken
 *  driver is no failure (see hed_backend_info). `def` NULL: the defaults.
 *  Thread class: any. Errors: ARGUMENT (no allocator or clock), MEMORY. */
HED_API hed_status hed_context_create(
    const hed_context_def *def, hed_context **context, hed_error *error);

/** Destroys a context, after all objects made from it. NULL is allowed. Thread class: owner. */
HED_API void hed_context_destroy(hed_context *context);

/** Settings of a context, and the lengths of its lists. The context owns the texts; "": no
 *  value. */
typedef struct hed_context_info {
    const char *cache_dir, *data_dir;
    /** path of the context's own database, which need not exist, and of the installed one */
    const char *database, *installed_database;
    hed_allocator allocator;
    hed_logger logger;
    hed_clock clock;
    uint32_t devices;  /**< number of devices, for hed_device_at() */
    uint32_t backends; /**< number of backends in this library, for hed_backend_at() */
} hed_context_info;
/** Returns the settings of a context. Thread class: any. */
HED_API hed_context_info hed_context_describe(const hed_context *context);

/** Condition of a backend on this machine. */
typedef enum hed_backend_state {
    HED_BACKEND_WORKS,
    HED_BACKEND_LIMITED, /**< devices are usable, but something is missing, such as NVRTC */
    HED_BACKEND_ABSENT,  /**< the driver library is not installed, or is switched off */
    HED_BACKEND_FAILED   /**< the library is installed and does not work */
} hed_backend_state;

/** State of one backend, as `heddle doctor` prints it. The context owns the strings. */
typedef struct hed_backend_info {
    const char *name; /**< "cuda", "opencl", "vulkan", "gl", "host" */
    hed_backend_state state;
    uint32_t devices;
    const char *library; /**< the loaded library with its version; "": none */
    const char *reason;  /**< cause of a failure or limitation; "": none */
    const char *remedy;  /**< Debian package or setting that repairs it; "": none */
} hed_backend_info;

/** Returns the state of backend `index` < hed_context_info.backends, in order of preference.
 *  Thread class: any. */
HED_API hed_backend_info hed_backend_at(const hed_context *context, uint32_t index);

HED_END

#endif
