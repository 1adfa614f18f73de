/** @file kernel.h
 *  A kernel is described once, by a hed_kernel_def; the launcher, the tuner, the conformance test,
 *  the benchmark and the docs read that one object. A hed_kernel is such a description compiled for
 *  one device.
 *
 *  Kernel text is OpenCL C 1.2 with Heddle's prelude in front (src/prelude/heddle.clh lists its
 *  words); the same text compiles for CUDA. Each tunable parameter and each define is a macro of
 *  its own name in it.
 */
#ifndef HEDDLE_KERNEL_H
#define HEDDLE_KERNEL_H

#include <assert.h>
#include <string.h>

#include "heddle/stream.h"
#include "heddle/thread.h"

HED_BEGIN

typedef struct hed_kernel hed_kernel;
typedef struct hed_kernel_def hed_kernel_def;

enum {
    HED_MAX_ARGUMENTS = 32,
    HED_MAX_PARAMETERS = 24,
    /** a set of parameters: a bit for each, by its place */
    HED_ALL_PARAMETERS = (1 << HED_MAX_PARAMETERS) - 1,
    HED_MAX_DIMENSIONS = 8,
    HED_MAX_STRUCT_BYTES = 4096, /**< a struct passed by value */
    /** a struct copied into a symbol; __constant__ memory ends at 65,536 */
    HED_MAX_SYMBOL_BYTES = 1 << 20
};

/* ---- pieces of a description ---- */

/** A chunk of kernel text. The compiler's messages name it by `name` and count its own lines. */
typedef struct hed_source {
    const char *name; /**< file name, such as "blur.cl" */
    /** NULL: the file `name` is read from hed_context_def.kernel_dir, else the current folder */
    const char *text;
    size_t size; /**< bytes of text; 0: up to its final zero */
} hed_source;

/** What a kernel's text is written in. */
typedef enum hed_language {
    HED_OPENCL_C, /**< OpenCL C 1.2 and the prelude: every device */
    HED_CUDA_C,   /**< CUDA C++ as NVRTC takes it, without the prelude: CUDA devices only */
    /** WebGPU's language, without the prelude: browsers (runner.h). Parameters are the text's
     *  `override` constants. */
    HED_WGSL,
    /** GLSL for compute, a text with `#version`: Vulkan and OpenGL devices. A parameter is the specialization
     *  constant of its name where the text has one, else a macro. */
    HED_GLSL,
    /** SPIR-V for shaders, one source of words: Vulkan devices. Parameters are specialization
     *  constants. */
    HED_SPIRV,
    HED_LANGUAGE_COUNT
} hed_language;

/** A name for people, such as "OpenCL C". Thread class: any. */
static inline const char *hed_language_name(hed_language language)
{
    static const char *const names[HED_LANGUAGE_COUNT] = {
        "OpenCL C", "CUDA C", "WGSL", "GLSL", "SPIR-V"};
    return (unsigned)language < HED_LANGUAGE_COUNT ? names[language] : "an unknown language";
}

/** The text of a kernel in one more language than the description's own; the same parameters,
 *  arguments and geometry hold for it. A shader knows no arrays that are passed: what is HED_LOCAL
 *  in the description, it declares itself. */
typedef struct hed_kernel_text {
    hed_language language;
    const char *entry;         /**< NULL: "main" of a shader, else the description's */
    const hed_source *sources; /**< (source_count) */
    uint32_t source_count;
} hed_kernel_text;

/** What an argument of a kernel is. */
typedef enum hed_argument_kind {
    HED_BUFFER, /**< a hed_buffer, `__global T *` */
    HED_SCALAR, /**< a number by value */
    HED_STRUCT, /**< a struct by value, no pointers in it, at most HED_MAX_STRUCT_BYTES */
    HED_LOCAL   /**< an array in local memory, HED_LOCAL(T, name); its bytes come from geometry() */
} hed_argument_kind;

/** Element type of an argument. */
typedef enum hed_type {
    HED_BYTES, /**< no element type: structs and untyped buffers */
    HED_INT32,
    HED_UINT32,
    HED_INT64,
    HED_UINT64,
    HED_FLOAT,
    HED_DOUBLE,
    HED_TYPE_COUNT
} hed_type;

/** Bytes of one element; 1 where there is no element type. */
static inline uint32_t hed_type_bytes(hed_type type)
{
    return type == HED_BYTES                                              ? 1
           : type == HED_INT32 || type == HED_UINT32 || type == HED_FLOAT ? 4
                                                                          : 8;
}

/** What a kernel does with a buffer. */
typedef enum hed_access {
    HED_READ,
    HED_WRITE,
    HED_READ_WRITE,
    /** zeros before the first launch and then kept from one to the next, whatever the
     *  configuration; private to the kernel: never compared, poisoned or restored */
    HED_WORKSPACE
} hed_access;

/** How a written buffer is compared with what is right. */
typedef enum hed_compare {
    HED_COMPARE_EACH, /**< element by element */
    /** the sums of all elements: partial results, whose number may depend on the configuration */
    HED_COMPARE_SUM,
    HED_COMPARE_SORTED /**< the elements in ascending order: results that may come in any order */
} hed_compare;

/** One argument of a kernel. */
typedef struct hed_argument_def {
    const char *name;
    hed_argument_kind kind;
    hed_type type;
    hed_access access; /**< buffers */
    size_t size;       /**< structs: bytes */
    /** Structs, CUDA C: not an argument of the kernel, but copied into the __constant__ or
     *  __device__ variable that `name` names (as C++ does: "weights", "ns::weights") before a
     *  launch whose content differs from that of the previous one. All launches of a compiled
     *  kernel share it, so they are waited for then. May have more bytes than a struct: at most
     *  HED_MAX_SYMBOL_BYTES. */
    bool symbol;
    hed_compare compare; /**< written buffers */
    /** written buffers, fast mode: largest |a - b| / max(1, |b|) from the native result; 0: equal
     * */
    double tolerance;
    /** buffers, sample data (author.h): elements, as a product of dimensions, parameters, defines
     *  and numbers like "4*width*height"; "n/256" is divided and rounded up. NULL: the product of
     *  all dimensions */
    const char *count;
} hed_argument_def;

/** A tunable parameter: a macro of this name in the kernel text, with one of these values. */
typedef struct hed_parameter_def {
    const char *name;
    const int64_t *values; /**< (count), in order */
    uint32_t count;
    int64_t value;             /**< the default: one of `values` */
    const char *const *labels; /**< (count) names of choices, or NULL */
} hed_parameter_def;

/** A build-time constant that is not tuned: a size, or a user's own text. */
typedef struct hed_define {
    const char *name;
    const char *value;
} hed_define;

/** A parameter that matters only in some configurations. Where the expression `when` (space.h) is
 *  0, it keeps its default value, so that no two configurations are the same kernel. */
typedef struct hed_condition {
    const char *parameter;
    const char *when; /**< over other parameters */
} hed_condition;

/** One value for each parameter of a description, in its order. */
typedef struct hed_config {
    uint32_t count;
    int64_t values[HED_MAX_PARAMETERS];
} hed_config;

/** One size for each named dimension of a description, in its order. */
typedef struct hed_problem {
    uint32_t count;
    int64_t sizes[HED_MAX_DIMENSIONS];
} hed_problem;

/** How a launch is laid out. */
typedef struct hed_geometry {
    uint32_t dimensions; /**< 1 to 3 */
    /** work items; rounded up to whole groups, so the kernel tests its index */
    uint64_t global[3];
    uint32_t group[3]; /**< work items of a group; all 0: chosen by hed_launch_over() */
    /** For each HED_LOCAL argument, by its index among all arguments: its bytes. For a written
     *  buffer that is not compared element by element: how many of its bytes, from the first on,
     *  this configuration fills with results; 0: all. */
    uint64_t local_bytes[HED_MAX_ARGUMENTS];
    /** groups of a cluster along dimension 0 (HED_CAN_CLUSTERS); 0 or 1: none */
    uint32_t cluster;
    uint64_t native_items; /**< what the native function counts over; 0: product of `global` */
    uint64_t native_grain; /**< fewest items worth a thread; 0: one */
} hed_geometry;

/** What one launch must do at the least: the basis of every rate and of the roofline. */
typedef struct hed_work {
    double bytes;      /**< each input read once, each output written once */
    double operations; /**< floating-point operations */
    double items;      /**< in the metric's own unit */
} hed_work;

/** What a kernel's rate counts. */
typedef enum hed_metric { HED_METRIC_BYTES, HED_METRIC_OPERATIONS, HED_METRIC_ITEMS } hed_metric;

/** What a native function is given. `arguments[i]`: the memory of a buffer, struct or scalar; NULL
 *  for a local array, since a native function has its own stack. */
typedef struct hed_native_call {
    const hed_kernel_def *def;
    const hed_config *config;
    const hed_problem *problem; /**< NULL when launched over an explicit geometry */
    const hed_geometry *geometry;
    void *const *arguments; /**< (def->argument_count) */
    bool strict;
} hed_native_call;

typedef bool hed_valid_function(const hed_kernel_def *def, const hed_config *config,
    const hed_device_info *device, bool strict);
typedef void hed_geometry_function(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *geometry);
typedef void hed_work_function(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_work *work);
/** Does items [begin, end) of `native_items`; called from several threads with disjoint ranges. */
typedef void hed_native_range_function(const hed_native_call *call, uint64_t begin, uint64_t end);
/** Called once by each of hed_team_size(team) threads, which meet in hed_team_barrier(team). */
typedef void hed_native_team_function(const hed_native_call *call, hed_team *team, uint32_t member);
/** Bytes of buffer argument `argument` for a sample problem. */
typedef uint64_t hed_sample_bytes_function(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument);
/** Writes argument `argument` of a sample problem: a buffer's first content, a scalar, or a
 *  struct. */
typedef void hed_sample_fill_function(const hed_kernel_def *def, const hed_problem *problem,
    uint32_t argument, void *data, uint64_t bytes, uint64_t seed);

/** Real inputs for the conformance test, the tuner and the benchmark. */
typedef struct hed_sample_def {
    const hed_problem *problems; /**< (count), small ones for conformance; odd sizes among them */
    uint32_t count;
    hed_problem benchmark; /**< fills a large GPU */
    hed_sample_bytes_function *bytes;
    hed_sample_fill_function *fill;
    /** A benchmark may shrink the first so many dimensions, where others follow from each other; 0:
     *  all. */
    uint32_t free_dimensions;
} hed_sample_def;

/** The description of a kernel. Everything in it must live as long as the kernels made from it.
 *  Start from {0}. */
struct hed_kernel_def {
    const char *name;    /**< unique, such as "convolution" */
    const char *summary; /**< one line for people */
    /** Entry point in the text; NULL: `name`. In CUDA C an expression that names one kernel:
     *  "scale", "ns::scale<float, WG>", with macros expanded; `extern "C"` is not needed. */
    const char *entry;
    const hed_source *sources; /**< (source_count), compiled as one text in this order */
    uint32_t source_count;
    hed_language language;
    /** (text_count) texts in other languages: a device takes `sources` where it knows their
     *  language, else the first of these that it knows */
    const hed_kernel_text *texts;
    uint32_t text_count;
    const hed_argument_def *arguments; /**< (argument_count) */
    uint32_t argument_count;
    const hed_parameter_def *parameters; /**< (parameter_count) */
    uint32_t parameter_count;
    /** set of parameters that the native version does not read, neither itself nor through
     *  geometry(): they are not tuned on `host`. HED_ALL_PARAMETERS: it reads none; 0: all */
    uint32_t native_ignores;
    /** (constraint_count) expressions (space.h) that must not be 0, beside valid() */
    const char *const *constraints;
    uint32_t constraint_count;
    const hed_condition *conditions; /**< (condition_count) */
    uint32_t condition_count;
    const hed_define *defines; /**< (define_count) */
    uint32_t define_count;
    /** (option_count) further options of the device's compiler: NVRTC's, or OpenCL's; those that
     *  begin with "-cl-" are left out on CUDA */
    const char *const *options;
    uint32_t option_count;
    /** (dimension_count) names of the problem's sizes: "n", "width", ... */
    const char *const *dimensions;
    uint32_t dimension_count;
    uint64_t needs; /**< bits of hed_capability */
    /** most work items of a group (launch bounds): parameter, number or their product, as
     *  "WG_X*WG_Y"; NULL: none */
    const char *max_threads;
    /** groups a compute unit should hold (launch bounds); 0: the compiler's choice: CUDA's saves
     *  registers for several, so set 1 where a group has a unit to itself */
    uint32_t min_groups;
    bool may_spill;                   /**< a spill or a stack frame is accepted */
    hed_valid_function *valid;        /**< NULL: every configuration that fits the device */
    hed_geometry_function *geometry;  /**< NULL: launched with hed_launch_over() only */
    hed_native_range_function *range; /**< native version, or */
    hed_native_team_function *team;   /**< this one; both NULL: not valid on `host` */
    hed_work_function *work;          /**< NULL: no rates */
    hed_metric metric;
    const char *metric_unit; /**< "GB/s", "GFLOP/s", "constraints/s"; NULL: by metric */
    hed_sample_def sample;
    void *user; /**< for the functions above */
};

/* ---- configurations ---- */

/** The parameters that a kernel does not read on a device, as a set: native_ignores on `host`, else
 *  none. Thread class: rt. */
HED_API uint32_t hed_kernel_ignores(const hed_kernel_def *def, const hed_device *device);
/** Value of parameter `name`; the caller's mistake (0 and an assert) if there is none. Thread
 *  class: rt. */
static inline int64_t hed_config_get(
    const hed_kernel_def *def, const hed_config *config, const char *name)
{
    if (!def || !config || !name) return 0;
    for (uint32_t i = 0; i < def->parameter_count; i++)
        if (strcmp(def->parameters[i].name, name) == 0) return config->values[i];
    assert(!"hed_config_get: no parameter of this name");
    return 0;
}
/** Whether two configurations of one kernel have the same values. Thread class: any. */
static inline bool hed_config_equal(const hed_config *a, const hed_config *b)
{
    return a && b && a->count == b->count &&
           memcmp(a->values, b->values, a->count * sizeof a->values[0]) == 0;
}
/** The default of every parameter. Thread class: any. */
static inline hed_config hed_config_default(const hed_kernel_def *def)
{
    hed_config config = HED_ZERO;
    if (!def) return config;
    config.count = def->parameter_count;
    for (uint32_t i = 0; i < def->parameter_count; i++) config.values[i] = def->parameters[i].value;
    return config;
}
/** Number of configurations without constraints (the full product; saturates). Thread class:
 *  any. */
static inline uint64_t hed_config_count(const hed_kernel_def *def)
{
    uint64_t count = def != NULL;
    for (uint32_t i = 0; def && i < def->parameter_count; i++) {
        uint64_t values = def->parameters[i].count;
        if (values && count > UINT64_MAX / values) return UINT64_MAX;
        count *= values;
    }
    return count;
}
/** Configuration `index` of the full product, the last parameter running fastest. Thread class:
 *  any. */
static inline hed_config hed_config_at(const hed_kernel_def *def, uint64_t index)
{
    hed_config config = HED_ZERO;
    if (!def) return config;
    config.count = def->parameter_count;
    for (uint32_t i = def->parameter_count; i-- > 0;) {
        const hed_parameter_def *parameter = &def->parameters[i];
        config.values[i] = parameter->values[index % parameter->count];
        index /= parameter->count;
    }
    return config;
}
/** Writes "WG=64 TILE=4" into `text` (cut to `size`). Thread class: any. */
HED_API void hed_config_format(
    const hed_kernel_def *def, const hed_config *config, char *text, size_t size);
/** A problem of these sizes. Thread class: rt. */
static inline hed_problem hed_problem_3d(int64_t x, int64_t y, int64_t z)
{
    hed_problem problem = {3, {x, y, z}};
    return problem;
}
/** \copydoc hed_problem_3d() */
static inline hed_problem hed_problem_2d(int64_t width, int64_t height)
{
    hed_problem problem = {2, {width, height}};
    return problem;
}
/** \copydoc hed_problem_3d() */
static inline hed_problem hed_problem_1d(int64_t n)
{
    hed_problem problem = {1, {n}};
    return problem;
}

/* ---- compiled kernels ---- */

/** How a kernel computes. */
typedef enum hed_math {
    /** contraction, approximate divide and square root, denormals may be flushed */
    HED_MATH_FAST,
    HED_MATH_STRICT /**< the same bits on every device, whatever the group size */
} hed_math;

/** Where a configuration came from. */
typedef enum hed_config_origin {
    HED_ORIGIN_GIVEN,             /**< by the caller */
    HED_ORIGIN_EXACT,             /**< tuned: this device, driver and size */
    HED_ORIGIN_OTHER_DRIVER,      /**< tuned under another driver version */
    HED_ORIGIN_NEAR_SIZE,         /**< tuned for a size near this one */
    HED_ORIGIN_SAME_ARCHITECTURE, /**< tuned on a device of the same architecture */
    HED_ORIGIN_SAME_VENDOR,       /**< tuned on a device of the same vendor */
    HED_ORIGIN_DEFAULT /**< the description's default, or its first valid configuration */
} hed_config_origin;

/** A word for it, such as "same architecture". Thread class: any. */
static inline const char *hed_config_origin_name(hed_config_origin configured)
{
    static const char *const names[] = {"given", "exact", "other driver", "near size",
        "same architecture", "same vendor", "default"};
    return (unsigned)configured < sizeof names / sizeof names[0] ? names[configured] : "unknown";
}

/** How to compile a kernel. Start from hed_default_kernel_options(). */
typedef struct hed_kernel_options {
    hed_math math;
    const hed_config *config;   /**< NULL: the best known for `problem`, else the default */
    const hed_problem *problem; /**< the size the kernel will be used with; NULL: unknown */
    /** (define_count), beside the description's own, which they replace where the names are equal
     * */
    const hed_define *defines;
    uint32_t define_count;
    uint32_t max_registers; /**< of a work item, where the compiler takes it; 0: no limit */
    bool background;        /**< build in a thread; see hed_kernel_ready() */
} hed_kernel_options;

/** Fast math, the best known configuration, built at once. Thread class: any. */
static inline hed_kernel_options hed_default_kernel_options(void)
{
    hed_kernel_options def = HED_ZERO;
    return def;
}

/** Whether a configuration can run on a device, and if not, why (`reason`, nullable, `size` bytes).
 *  Checks needs, constraints and conditions, launch bounds, local memory and valid(). What depends
 *  on the size is passed over where `problem` is NULL. Thread class: any. */
HED_API bool hed_kernel_valid(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_device *device, hed_math math, char *reason, size_t size);

/** Compiles a kernel (or takes it from the cache). `options` may be NULL. With `background` the
 *  call returns at once and an error of the build comes from hed_kernel_ready(). Thread class: any.
 *  Errors: ARGUMENT, UNSUPPORTED (names the missing capability), LIMIT, BUILD (with the log),
 *  MEMORY, DRIVER, IO. */
HED_API hed_status hed_kernel_create(hed_device *device, const hed_kernel_def *def,
    const hed_kernel_options *options, hed_kernel **kernel, hed_error *error);
/** Builds another configuration; launches go on with the old one until the new one is ready (at
 *  once without `background`). On failure the old one stays. Thread class: owner. Errors: as
 *  hed_kernel_create. */
HED_API hed_status hed_kernel_reconfigure(
    hed_kernel *kernel, const hed_kernel_options *options, hed_error *error);
/** OK: what was asked for last is in force. NOT_READY: it is still being built; that is an answer,
 *  and nothing is written to `error`. Else the build's error, once. Swaps a finished background
 *  build in. A kernel that was not given a configuration also builds when a launch of another size
 *  wants another one: NOT_READY until that is done, though launches go on. Thread class: owner. */
HED_API hed_status hed_kernel_ready(hed_kernel *kernel, hed_error *error);
/** Destroys a kernel once all its launches are done. NULL is allowed. Thread class: owner. */
HED_API void hed_kernel_destroy(hed_kernel *kernel);

/** The properties of a kernel. */
typedef struct hed_kernel_info {
    const hed_kernel_def *def;
    hed_device *device;
    void *handle; /**< the driver's: CUfunction or cl_kernel; NULL on host */
    /** the compiler's, of the configuration in force; "" if it said nothing. Lives until the next
     *  swap */
    const char *log;
} hed_kernel_info;
/** Thread class: rt; owner for `log`. */
HED_API hed_kernel_info hed_kernel_describe(const hed_kernel *kernel);

/** The configuration in force, and where it came from (nullable). Thread class: rt. */
HED_API hed_config hed_kernel_config(const hed_kernel *kernel, hed_config_origin *configured);

/** What the compiler and the driver report about a kernel; -1 where they do not, or are known to be
 *  wrong. */
typedef struct hed_kernel_resources {
    int64_t registers;    /**< of a work item */
    int64_t spill_bytes;  /**< stores and loads of spilled registers, of a work item */
    int64_t stack_bytes;  /**< of a work item */
    int64_t local_bytes;  /**< static local memory of a group */
    int64_t max_group;    /**< largest group this kernel can run with */
    int64_t lane_width;   /**< preferred multiple of the group size */
    bool from_cache;      /**< not compiled in this process */
    double build_seconds; /**< time the compiler took, now or when the cache entry was made */
} hed_kernel_resources;

/** Thread class: any. Errors: NOT_READY. */
HED_API hed_status hed_kernel_report(
    const hed_kernel *kernel, hed_kernel_resources *resources, hed_error *error);
/** How many groups of this shape are resident on the device at once; asked before data are
 *  partitioned. `*groups` is -1 where the driver does not tell. Thread class: any. Errors:
 *  NOT_READY, LIMIT, DRIVER. */
HED_API hed_status hed_kernel_resident_groups(const hed_kernel *kernel, uint32_t group_items,
    uint64_t local_bytes, int64_t *groups, hed_error *error);

HED_END

#endif
