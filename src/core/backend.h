/* The driver interface between the core and its backends.
 *
 * A backend is one table of functions, struct hed_backend. The core has checked everything before
 * it calls: arguments against the description, ranges against sizes, groups against limits. A
 * backend turns the call into driver calls and driver errors into a status; it writes `error` with
 * hed_fail() (base/error.h).
 *
 * The objects below are plain structs. The core allocates and frees them. Fields marked "backend's"
 * belong to the backend; `impl` is the backend's data, allocated with the context's allocator
 * (base/alloc.h). */
#ifndef HED_CORE_BACKEND_H
#define HED_CORE_BACKEND_H

#include <stdatomic.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/log.h"
#include "base/path.h"
#include "heddle/launch.h"

typedef struct hed_backend hed_backend;
typedef struct hed_program hed_program;
typedef struct hed_step hed_step;

/* ---- settings a backend reads ---- */

/* Values of hed_context_def and of the environment, copied once by core/context.c. Unset strings
 * are "". */
typedef struct hed_settings {
    hed_allocator allocator;
    hed_logger logger;
    hed_clock clock;
    char *device, *cache_dir, *data_dir, *kernel_dir, *ptx_dir, *worker;
    char *database, *installed_database; /* "": no database */
    /* NULL: usual names; "": not used */
    char *opencl_library, *cuda_library, *nvrtc_library;
    char *hip_library;
    /* folder of a CUDA toolkit; NULL: unknown */
    char *cuda_home;
    char *vulkan_library; /* NULL: usual names; "": not used */
    char *gl_library;
    char *glsl_compiler;
    bool gl; /* search for OpenGL devices */
    /* name of the kernel to capture; NULL: capture nothing */
    char *capture;
    uint32_t host_threads;
} hed_settings;

/* ---- objects ---- */

typedef struct hed_backend_slot {
    const hed_backend *backend;
    void *state; /* backend's */
    hed_backend_state health;
    uint32_t devices;
    char library[256], reason[512], remedy[256]; /* backend's, written by open() */
} hed_backend_slot;

struct hed_device {
    hed_context *context;
    const hed_settings *settings;
    hed_backend_slot *slot;
    const hed_backend *backend;
    hed_device_info info; /* strings point into `text` */
    char text[8][256];    /* id, platform, name, vendor, driver, then free use by the backend */
    /* backend's, written by device_describe() and device_adopt(): all properties of the device that
     * decide on compiled code */
    char build_key[512];
    /* backend's: identity of the GPU, one for all of its drivers; zeros: unknown */
    uint8_t uuid[16];
    bool adopted;
    /* backend's: the first launch of a kernel compiles, which may take long */
    bool compiles_at_launch;
    _Atomic int open; /* core's: 0 not yet open, 1 open */
    void *impl;       /* backend's, created by device_open() or device_adopt() */
};

struct hed_buffer {
    hed_device *device;
    hed_memory memory;
    uint64_t size;
    hed_buffer *parent; /* buffer that a part belongs to; NULL: not a part */
    uint64_t offset;    /* offset of a part in its parent, bytes */
    void *host;         /* backend's: host address; NULL: not visible to the host */
    /* backend's: device address if the driver has one. The CUDA launcher passes &address. */
    uint64_t address;
    void *handle;                 /* backend's: cl_mem */
    void *impl;                   /* backend's */
    struct hed_mapping *mappings; /* core's: copies of ranges that the host has mapped */
    uint32_t gl_name;             /* shared OpenGL buffer, else 0 */
    hed_gl gl;
    bool gl_acquired; /* true between hed_buffer_gl_acquire() and the release */
    bool gl_copied;   /* no driver sharing: the core copies on acquire and release */
};

struct hed_stream {
    hed_device *device;
    hed_stream_def def;
    void *native; /* backend's: CUstream, cl_command_queue */
    void *impl;   /* backend's */
    hed_graph *recording;
    struct hed_step_times *times; /* core's; NULL: not timed */
};

struct hed_event {
    hed_device *device;
    bool recorded, timed;
    void *impl; /* backend's */
};

/* One compiled configuration. */
struct hed_program {
    hed_device *device;
    const hed_kernel_def *def;
    hed_config config;
    hed_language language; /* language of the text */
    hed_math math;
    /* program_load() fills the figures that the backend knows; the others stay -1 */
    hed_kernel_resources resources;
    char *log; /* core's: the build's log; "": no log */
    size_t log_size;
    uint32_t max_threads; /* launch bound; 0: no bound */
    uint32_t group[3];    /* backend's: group size that the text declares; 0: any */
    void *handle;         /* backend's: CUfunction, cl_kernel */
    void *impl;           /* backend's */
};

/* A build request. Texts and options together are the cache key. */
typedef struct hed_build {
    hed_device *device;
    const hed_kernel_def *def;
    /* language of `sources` and of the entry: the description's, or that of the chosen text */
    hed_language language;
    const char *entry;
    hed_math math;
    /* parameters, the description's defines, and the options' defines in one list */
    const hed_define *defines;
    uint32_t define_count;
    const hed_source *sources; /* texts are loaded (not NULL), without the prelude */
    uint32_t source_count;
    uint32_t max_registers, max_threads, min_groups;
} hed_build;

/* Result of a build. The backend allocates both blocks with hed_allocate(); the core frees them
 * with these sizes. */
typedef struct hed_binary {
    void *bytes; /* cubin, PTX, OpenCL program binary */
    size_t size;
    char *log; /* always zero-terminated; NULL: no log */
    size_t log_size;
} hed_binary;

/* One step of a stream, as recorded in a graph and as passed to the backend. */
struct hed_step {
    hed_step_kind kind;
    /* launch */
    hed_program *program;
    hed_geometry geometry;
    hed_problem problem;
    bool has_problem;
    const hed_argument *arguments; /* (program->def->argument_count) */
    /* copies and fills; a PINNED buffer counts as host memory: `host` is set and `to`/`from` is
     * NULL */
    hed_buffer *to, *from;
    uint64_t to_offset, from_offset, size;
    void *host_to;
    const void *host_from;
    unsigned char pattern[16];
    uint32_t pattern_size;
    /* call */
    void (*function)(void *user);
    void *user;
};

/* ---- the table: an entry marked optional may be NULL, with the effect described ---- */

struct hed_backend {
    const char *name;
    /* languages that build() accepts: bits 1 << hed_language; 0: the backend builds nothing */
    uint32_t languages;

    /* Loads the driver and fills slot->state, health, library, reason, remedy. A missing driver is
     * no error; only MEMORY is. close() undoes it. */
    hed_status (*open)(const hed_settings *settings, hed_backend_slot *slot);
    void (*close)(const hed_settings *settings, hed_backend_slot *slot);
    /* Optional: opens the compiler of a closed backend without the driver, for a device whose info the
     * caller has written, and writes its build_key; build() works then. close() undoes it. */
    hed_status (*compiler_open)(
        const hed_settings *settings, hed_backend_slot *slot, hed_device *device, hed_error *error);
    uint32_t (*device_count)(hed_backend_slot *slot);
    /* Fills info, text and build_key of device `index`; must not create driver contexts. Called
     * once at context creation. */
    hed_status (*device_describe)(hed_backend_slot *slot, uint32_t index, hed_device *device);
    /* First use: creates the driver's context. */
    hed_status (*device_open)(hed_device *device, hed_error *error);
    /* Closes an opened or adopted device; a program's own handles stay valid. */
    void (*device_close)(hed_device *device);
    /* optional: without it the backend adopts no contexts, and provides neither handles nor
     * functions of the driver */
    hed_status (*device_adopt)(hed_backend_slot *slot, const hed_driver_handles *native,
        hed_device *device, hed_error *error);
    /* optional */
    hed_status (*device_native)(hed_device *device, hed_driver_handles *native, hed_error *error);
    hed_status (*device_memory)(
        hed_device *device, uint64_t *free_bytes, uint64_t *total_bytes, hed_error *error);
    hed_status (*device_wait)(hed_device *device, hed_error *error);
    /* optional */
    void *(*symbol)(hed_backend_slot *slot, const char *name);

    /* `def` has the memory kind and size, `host` for CALLER, `native` for NATIVE; fills host,
     * address, handle, impl. */
    hed_status (*buffer_create)(hed_buffer *buffer, const hed_buffer_def *def, hed_error *error);
    hed_status (*buffer_part)(hed_buffer *part, hed_error *error);
    void (*buffer_destroy)(hed_buffer *buffer);
    /* optional: without it buffers are never shared. UNSUPPORTED makes the core fall back to
     * copies. */
    hed_status (*buffer_share_gl)(hed_buffer *buffer, hed_error *error);
    hed_status (*gl_acquire)(hed_stream *stream, hed_buffer *buffer, hed_error *error);
    hed_status (*gl_release)(hed_stream *stream, hed_buffer *buffer, hed_error *error);

    hed_status (*stream_create)(hed_stream *stream, hed_error *error);
    void (*stream_destroy)(hed_stream *stream);
    hed_status (*stream_wait)(hed_stream *stream, hed_error *error);
    /* must not block */
    hed_status (*stream_done)(hed_stream *stream, bool *done, hed_error *error);
    hed_status (*stream_flush)(hed_stream *stream, hed_error *error);

    /* Runs one step. If `timing` (from time_create) is set, it measures the step. */
    hed_status (*step)(hed_stream *stream, const hed_step *step, void *timing, hed_error *error);
    /* optional, both or neither: without them the core returns `host` if it is set, else a copy */
    hed_status (*map)(hed_stream *stream, hed_buffer *buffer, uint64_t offset, uint64_t size,
        void **pointer, hed_error *error);
    hed_status (*unmap)(hed_stream *stream, hed_buffer *buffer, void *pointer, hed_error *error);

    /* Time of one step on the device. */
    hed_status (*time_create)(hed_device *device, void **timing, hed_error *error);
    void (*time_destroy)(hed_device *device, void *timing);
    /* called after a wait */
    hed_status (*time_read)(hed_device *device, void *timing, double *seconds, hed_error *error);

    hed_status (*event_create)(hed_event *event, hed_error *error);
    void (*event_destroy)(hed_event *event);
    hed_status (*event_record)(hed_event *event, hed_stream *stream, hed_error *error);
    hed_status (*event_done)(hed_event *event, bool *done, hed_error *error); /* must not block */
    hed_status (*event_wait)(hed_event *event, hed_error *error);
    /* Event of the same backend. UNSUPPORTED makes the core wait in the calling thread. */
    hed_status (*stream_wait_event)(hed_stream *stream, hed_event *event, hed_error *error);
    hed_status (*event_elapsed)(hed_event *from, hed_event *to, double *seconds, hed_error *error);

    /* optional: without it there is nothing to compile (host). Compiles source to a binary. BUILD
     * fills error->log. May run in any thread. */
    hed_status (*build)(const hed_build *build, hed_binary *binary, hed_error *error);
    /* optional, never required. Compiles without a device, for machines that have no compiler:
     * `build->device` has only info.capabilities. */
    hed_status (*build_ahead)(
        const hed_settings *settings, const hed_build *build, hed_binary *binary, hed_error *error);
    /* optional: without it there are no options. Text of all options that build() would use, for
     * the cache key, without the prelude's text. */
    hed_status (*build_options)(const hed_build *build, char *text, size_t size);
    /* optional: without it there is no prelude. Text of the prelude before `build`'s sources. */
    const char *(*prelude)(const hed_build *build);
    /* Loads a program from a binary: fills handle, impl, resources. FORMAT: this driver cannot use
     * the binary (the core rebuilds). */
    hed_status (*program_load)(
        hed_program *program, const hed_build *build, const hed_binary *binary, hed_error *error);
    void (*program_unload)(hed_program *program);
    /* optional: without it the number is unknown */
    hed_status (*resident_groups)(const hed_program *program, uint32_t group_items,
        uint64_t local_bytes, int64_t *groups, hed_error *error);

    /* optional, all four or not any: without them the core enqueues the steps again. The driver's
     * own graphs. */
    hed_status (*graph_build)(
        hed_device *device, const hed_step *steps, uint32_t count, void **impl, hed_error *error);
    hed_status (*graph_update)(
        hed_device *device, void *impl, const hed_step *steps, uint32_t step, hed_error *error);
    hed_status (*graph_replay)(hed_stream *stream, void *impl, hed_error *error);
    void (*graph_destroy)(hed_device *device, void *impl);
};

/* List of the backends (src/heddle.c), in order of preference; ends with NULL. */
extern const hed_backend *const hed_backends[];

#endif
