/* Internals of the objects that only the core and the launcher use: the context, a kernel, a
 * graph. */
#ifndef HED_CORE_OBJECTS_H
#define HED_CORE_OBJECTS_H

#include <pthread.h>

#include "base/path.h"
#include "core/backend.h"

enum { HED_MAX_BACKENDS = 8, HED_MAX_DEVICES = 64 };

/* Data that a folder above the core attaches to a context; destroyed before the context's other
 * members. */
typedef struct hed_extension {
    void *object; /* NULL: not created yet */
    void (*destroy)(void *object);
} hed_extension;

struct hed_context {
    hed_settings settings;
    hed_backend_slot slots[HED_MAX_BACKENDS];
    uint32_t slot_count;
    hed_device *devices[HED_MAX_DEVICES]; /* order of preference */
    uint32_t device_count;
    pthread_mutex_t open_lock; /* one device is opened at a time */
    pthread_mutex_t extension_lock;
    pthread_mutex_t mapping_lock; /* guards the lists of buffers' mappings */
    hed_extension extension;      /* the databases: src/database/database.c */
    /* the launch requested by hed_context_def.capture has been written */
    _Atomic int captured;
};

/* A range of a buffer that the host has mapped: a copy that is written back. */
typedef struct hed_mapping {
    struct hed_mapping *next;
    uint64_t offset, size;
    char bytes[]; /* (size) */
} hed_mapping;

static inline const hed_allocator *hed_allocator_of(const hed_device *device)
{
    return &device->settings->allocator;
}

static inline bool hed_same_problem(const hed_problem *a, const hed_problem *b)
{
    return a->count == b->count && memcmp(a->sizes, b->sizes, a->count * sizeof a->sizes[0]) == 0;
}

/* A compiled configuration, shared by its kernel and by the graphs that recorded it. */
typedef struct hed_variant {
    hed_program program;
    _Atomic uint32_t users;
    struct hed_variant *retired; /* next in the kernel's list of former variants */
} hed_variant;

typedef enum hed_build_state { HED_BUILD_IDLE, HED_BUILD_RUNNING, HED_BUILD_DONE } hed_build_state;

/* Input and result of a background build; it owns copies of everything it needs. */
typedef struct hed_build_job {
    struct hed_kernel *kernel;
    hed_config config;
    hed_config_origin configured;
    hed_problem problem; /* problem that the configuration was chosen for; count 0: no problem */
    /* started by a launch, which does not wait for it; false: requested by name */
    bool by_size;
    hed_variant *variant; /* result; NULL: see `error` */
    hed_error error;
} hed_build_job;

/* Choice for a problem size that was launched recently. */
enum { HED_RECENT_SIZES = 16 };
typedef struct hed_recent {
    hed_problem problem;
    hed_variant *variant; /* a variant of the kernel; NULL: unused entry */
    hed_config_origin configured;
} hed_recent;

struct hed_kernel {
    hed_device *device;
    const hed_kernel_def *def;
    hed_math math;
    hed_define *defines; /* copies of the options' defines */
    uint32_t define_count;
    uint32_t max_registers;
    hed_variant *active; /* NULL until the first build is done */
    /* former variants; their launches may still be pending */
    hed_variant *retired;
    hed_config_origin configured; /* relation of the active variant to the size `resolved` */
    hed_problem resolved;         /* count 0: no size */
    /* table by which launches choose; NULL: a configuration was given, or no choices are known */
    struct hed_choices *choices;
    struct hed_rules *rules; /* NULL: the description has no constraints */
    hed_recent recent[HED_RECENT_SIZES];
    uint32_t next_recent;
    hed_config *refused; /* (refused_count) tuned configurations that do not build here */
    uint32_t refused_count;
    bool capture; /* the next launch is written to a file, once in a context */
    pthread_t thread;
    _Atomic int build; /* hed_build_state */
    hed_build_job *job;
};

struct hed_graph {
    hed_device *device;
    hed_step *steps;
    uint32_t count, capacity;
    void *impl; /* backend's graph; NULL: steps are enqueued again */
};

typedef struct hed_timed_step {
    hed_step_kind kind;
    const char *name;
    void *timing; /* backend's */
} hed_timed_step;

/* Recorded times of a stream: a ring of the last `capacity` steps. */
struct hed_step_times {
    uint32_t capacity, first, count;
    hed_timed_step steps[];
};

/* core/described.c: the backend of devices that are described and not opened. */
extern const hed_backend hed_described_backend;
/* Creates a device of another process, with this `info`, for which this one compiles without its driver: see
 * hed_backend.compiler_open(). It belongs to the context. Errors: UNSUPPORTED if the backend cannot, or its
 * compiler is missing; LIMIT; MEMORY. */
hed_status hed_device_create_compiler(
    hed_context *context, const hed_device_info *info, hed_device **device, hed_error *error);

/* core/context.c */
hed_status hed_device_ensure_open(hed_device *device, hed_error *error);

/* core/stream.c: runs, records or times one step that has been checked. */
hed_status hed_stream_step(
    hed_stream *stream, const hed_step *step, const char *name, hed_error *error);

/* core/graph.c */
hed_status hed_graph_add(hed_graph *graph, const hed_step *step, hed_error *error);
hed_status hed_graph_set_arguments(
    hed_graph *graph, uint32_t index, const hed_argument *arguments, hed_error *error);

/* core/program.c: compiles one configuration or takes it from the cache. */
hed_status hed_variant_create(hed_device *device, const hed_kernel_def *def, hed_math math,
    const hed_config *config, const hed_define *defines, uint32_t define_count,
    uint32_t max_registers, hed_variant **variant, hed_error *error);
hed_variant *hed_variant_retain(hed_variant *variant);
void hed_variant_release(hed_variant *variant);

/* core/config.c: launch bound of a configuration, 0: no bound. */
uint32_t hed_config_max_threads(const hed_kernel_def *def, const hed_config *config);

#endif
