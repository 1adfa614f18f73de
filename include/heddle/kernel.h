/** @file kernel.h
 *  Descriptions of kernels, and compiled kernels. One hed_kernel_def describes a kernel to the
 *  launcher, the tuner, the conformance test, the benchmark and the documentation. A hed_kernel is
 *  such a description compiled for one device.
 *
 *  Kernel text is OpenCL C 1.2 after Heddle's prelude (src/prelude/heddle.clh lists its words); the
 *  same text compiles for CUDA. Each tunable parameter and each define is a macro of its name. */
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
    /** a set of parameters has a bit for each, by its index */
    HED_ALL_PARAMETERS = (1 << HED_MAX_PARAMETERS) - 1,
    HED_MAX_DIMENSIONS = 8,
    HED_MAX_STRUCT_BYTES = 4096, /**< bytes of a struct passed by value */
    /** bytes of a struct copied into a symbol; __constant__ memory ends at 65,536 */
    HED_MAX_SYMBOL_BYTES = 1 << 20
};

/* ---- pieces of a description ---- */

/** A piece of kernel text. The compiler's messages refer to it by `name` and its own line
 *  numbers. */
typedef struct hed_source {
    const char *name; /**< file name, such as "blur.cl" */
    /** NULL: the file `name` is read from hed_context_def.kernel_dir, else the current folder */
    const char *text;
    size_t size; /**< bytes of text; 0: up to its final zero */
} hed_source;

/** Language of a kernel's text. */
typedef enum hed_language {
    HED_OPENCL_C, /**< OpenCL C 1.2 and the prelude: every device */
    HED_CUDA_C,   /**< CUDA C++ as NVRTC takes it, without the prelude: CUDA devices only */
    /** WebGPU's language, without the prelude: browsers (runner.h). Parameters are the text's
     *  `override` constants. */
    HED_WGSL,
    /** GLSL for compute, a text with `#version`: Vulkan and OpenGL devices. A parameter is the
     *  specialization constant of its name where the text has one, else a macro. */
    HED_GLSL,
    /** SPIR-V for shaders, one source of words: Vulkan devices. Parameters are specialization
     *  constants. */
    HED_SPIRV,
    HED_LANGUAGE_COUNT
} hed_language;

/** Returns a name for people, such as "OpenCL C". Thread class: any. */
static inline const char *hed_language_name(hed_language language)
{
    static const char *const names[HED_LANGUAGE_COUNT] = {
        "OpenCL C", "CUDA C", "WGSL", "GLSL", "SPIR-V"};
    return (unsigned)language < HED_LANGUAGE_COUNT ? names[language] : "an unknown language";
}

/** Text of a kernel in a further language; parameters, arguments and geometry are those of the
 *  description. A shader cannot receive arrays: it declares the arrays that are HED_LOCAL in the
 *  description itself. */
typedef struct hed_kernel_text {
    hed_language language;
    const char *entry;         /**< NULL: "main" of a shader, else the description's */
    const hed_source *sources; /**< (source_count) */
    uint32_t source_count;
} hed_kernel_text;

/** Kind of a kernel's argument. */
typedef enum hed_argument_kind {
    HED_BUFFER, /**< a hed_buffer, `__global T *` */
    HED_SCALAR, /**< a number by value */
    HED_STRUCT, /**< a struct by value, without pointers, at most HED_MAX_STRUCT_BYTES */
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

/** Returns the bytes of one element; 1 without an element type. */
static inline uint32_t hed_type_bytes(hed_type type)
{
    return type == HED_BYTES                                              ? 1
           : type == HED_INT32 || type == HED_UINT32 || type == HED_FLOAT ? 4
                                                                          : 8;
}

/** Access of a kernel to a buffer. */
typedef enum hed_access {
    HED_READ,
    HED_WRITE,
    HED_READ_WRITE,
    /** zeros before the first launch, then kept from one launch to the next in any configuration;
     *  private to the kernel: never compared, poisoned or restored */
    HED_WORKSPACE
} hed_access;

/** Comparison of a written buffer with the right content. */
typedef enum hed_compare {
    HED_COMPARE_EACH, /**< element by element */
    /** the sums of all elements: partial results, whose number may depend on the configuration */
    HED_COMPARE_SUM,
    HED_COMPARE_SORTED /**< the elements in ascending order: results that may come in any order */
} hed_compare;

/** Formats of images, numbered as SPIR-V's image formats. */
typedef enum hed_image_format {
    HED_IMAGE_NONE,
    HED_IMAGE_RGBA32F,
    HED_IMAGE_RGBA16F,
    HED_IMAGE_R32F,
    HED_IMAGE_RGBA8,
    HED_IMAGE_RGBA8_SNORM,
    HED_IMAGE_RG32F,
    HED_IMAGE_RG16F,
    HED_IMAGE_R11F_G11F_B10F,
    HED_IMAGE_R16F,
    HED_IMAGE_RGBA16,
    HED_IMAGE_RGB10_A2,
    HED_IMAGE_RG16,
    HED_IMAGE_RG8,
    HED_IMAGE_R16,
    HED_IMAGE_R8,
    HED_IMAGE_RGBA16_SNORM,
    HED_IMAGE_RG16_SNORM,
    HED_IMAGE_RG8_SNORM,
    HED_IMAGE_R16_SNORM,
    HED_IMAGE_R8_SNORM,
    HED_IMAGE_RGBA32I,
    HED_IMAGE_RGBA16I,
    HED_IMAGE_RGBA8I,
    HED_IMAGE_R32I,
    HED_IMAGE_RG32I,
    HED_IMAGE_RG16I,
    HED_IMAGE_RG8I,
    HED_IMAGE_R16I,
    HED_IMAGE_R8I,
    HED_IMAGE_RGBA32UI,
    HED_IMAGE_RGBA16UI,
    HED_IMAGE_RGBA8UI,
    HED_IMAGE_R32UI,
    HED_IMAGE_RGB10_A2UI,
    HED_IMAGE_RG32UI,
    HED_IMAGE_RG16UI,
    HED_IMAGE_RG8UI,
    HED_IMAGE_R16UI,
    HED_IMAGE_R8UI,
    HED_IMAGE_FORMATS
} hed_image_format;

/** Shapes of images. Faces of a cube are layers. */
typedef enum hed_image_shape {
    HED_IMAGE_1D,
    HED_IMAGE_2D,
    HED_IMAGE_2D_ARRAY,
    HED_IMAGE_3D,
    HED_IMAGE_CUBE,
    HED_IMAGE_CUBE_ARRAY,
    HED_IMAGE_SHAPES
} hed_image_shape;

/** Image that a shader accesses as a texture or a storage image. Its content is a buffer's: rows of
 *  texels, one layer (of a 3D image one slice) after another. */
typedef struct hed_texels {
    hed_image_format format; /**< HED_IMAGE_NONE: no image */
    hed_image_shape shape;
    uint32_t width, height, layers; /**< texels; slices of a 3D image are layers */
    uint32_t row_bytes;             /**< bytes from one row to the next, a multiple of a texel's */
} hed_texels;

/** One argument of a kernel. */
typedef struct hed_argument_def {
    const char *name;
    hed_argument_kind kind;
    hed_type type;
    hed_access access; /**< access, of buffers */
    /** structs: bytes; arrays, for sample data (author.h): bytes of an element, 0: the size of `type` */
    size_t size;
    /** Structs, CUDA C: copied into the __constant__ or __device__ variable `name` (as in C++:
     *  "weights", "ns::weights") instead of passed as an argument, before each launch with another
     *  content than the previous one. All launches of a compiled kernel use the same variable, so
     *  the copy waits for them. At most HED_MAX_SYMBOL_BYTES, which is more than other structs may
     *  have. */
    bool symbol;
    hed_compare compare; /**< comparison, of written buffers */
    /** written buffers, fast mode: largest |a - b| / max(1, |b|) from the native result; 0:
     * equal */
    double tolerance;
    /** buffers, sample data (author.h): elements, as a product of dimensions, parameters, defines
     *  and numbers like "4*width*height"; "n/256" is divided and rounded up. NULL: the product of
     *  all dimensions */
    const char *count;
    /** scalars: a tuning takes the value from the geometry (hed_geometry.local_bytes), since it depends
     *  on the configuration, as a number of blocks does */
    bool by_config;
    /** buffers: the kernel's text has an image in its place (shaders of Vulkan and OpenGL). The driver
     *  copies the buffer into the image before a launch if it has changed, and back when it is read */
    hed_texels image;
} hed_argument_def;

/** A tunable parameter: a macro of this name in the kernel text, with one of these values. */
typedef struct hed_parameter_def {
    const char *name;
    const int64_t *values; /**< (count), in order */
    uint32_t count;
    int64_t value;             /**< the default: one of `values` */
    const char *const *labels; /**< (count) names of choices, or NULL */
} hed_parameter_def;

/** A build-time constant that is not tuned, such as a size or a text of the user. */
typedef struct hed_define {
    const char *name;
    const char *value;
} hed_define;

/** A parameter that matters only in some configurations. If the expression `when` (space.h) is 0,
 *  it keeps its default value, so that no two configurations are the same kernel. */
typedef struct hed_condition {
    const char *parameter;
    const char *when; /**< expression over other parameters */
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

/** Layout of a launch. */
typedef struct hed_geometry {
    uint32_t dimensions; /**< 1 to 3 */
    /** work items; rounded up to whole groups, so the kernel tests its index */
    uint64_t global[3];
    uint32_t group[3]; /**< work items of a group; all 0: hed_launch_over() chooses */
    /** Bytes of each HED_LOCAL argument, by its index among all arguments. For a written
     *  buffer that is not compared element by element: bytes at its start that this configuration
     *  fills with results; 0: all. For a scalar that is by_config: its value's bits. */
    uint64_t local_bytes[HED_MAX_ARGUMENTS];
    /** groups of a cluster along dimension 0 (HED_CAN_CLUSTERS); 0 or 1: none */
    uint32_t cluster;
    uint64_t native_items; /**< range of the native function; 0: product of `global` */
    uint64_t native_grain; /**< minimum number of items for a thread; 0: one */
} hed_geometry;

/** Minimum work of one launch, the basis of every rate and of the roofline. */
typedef struct hed_work {
    double bytes;      /**< each input read once, each output written once */
    double operations; /**< floating-point operations */
    double items;      /**< items in the metric's own unit */
} hed_work;

/** Quantity of a kernel's rate. */
typedef enum hed_metric { HED_METRIC_BYTES, HED_METRIC_OPERATIONS, HED_METRIC_ITEMS } hed_metric;

/** Input of a native function. `arguments[i]`: the memory of a buffer, struct or scalar; NULL for a
 *  local array, since a native function has its own stack. */
typedef struct hed_native_call {
    const hed_kernel_def *def;
    const hed_config *config;
    const hed_problem *problem; /**< NULL: launched over an explicit geometry */
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
/** Processes items [begin, end) of `native_items`; several threads call it with disjoint ranges. */
typedef void hed_native_range_function(const hed_native_call *call, uint64_t begin, uint64_t end);
/** Processes one member's part; each of hed_team_size(team) threads calls it once, and they meet in
 *  hed_team_barrier(team). */
typedef void hed_native_team_function(const hed_native_call *call, hed_team *team, uint32_t member);
/** Returns the bytes of buffer argument `argument` for a sample problem. */
typedef uint64_t hed_sample_bytes_function(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument);
/** Writes argument `argument` of a sample problem: a buffer's first content, a scalar, or a
 *  struct. */
typedef void hed_sample_fill_function(const hed_kernel_def *def, const hed_problem *problem,
    uint32_t argument, void *data, uint64_t bytes, uint64_t seed);

/** Sample inputs of the conformance test, the tuner and the benchmark. */
typedef struct hed_sample_def {
    /** (count) small problems for conformance, odd sizes among them */
    const hed_problem *problems;
    uint32_t count;
    hed_problem benchmark; /**< a problem that fills a large GPU */
    hed_sample_bytes_function *bytes;
    hed_sample_fill_function *fill;
    /** Number of leading dimensions that a benchmark may shrink, if the others depend on each
     *  other; 0: all. */
    uint32_t free_dimensions;
} hed_sample_def;

/** Description of a kernel. All its memory must live as long as the kernels made from it. Start
 *  from {0}. */
struct hed_kernel_def {
    const char *name;    /**< unique name, such as "convolution" */
    const char *summary; /**< one line for people */
    /** Entry point in the text; NULL: `name`. In CUDA C an expression that names one kernel:
     *  "scale", "ns::scale<float, WG>", with macros expanded; `extern "C"` is not needed. */
    const char *entry;
    const hed_source *sources; /**< (source_count), compiled as one text in this order */
    uint32_t source_count;
    hed_language language;
    /** (text_count) texts in other languages. A device uses `sources` if it compiles their
     *  language, else the first of these texts that it compiles. */
    const hed_kernel_text *texts;
    uint32_t text_count;
    const hed_argument_def *arguments; /**< (argument_count) */
    uint32_t argument_count;
    const hed_parameter_def *parameters; /**< (parameter_count) */
    uint32_t parameter_count;
    /** set of parameters that the native version ignores, both itself and through geometry(): they
     *  are not tuned on `host`. HED_ALL_PARAMETERS: it ignores all; 0: none */
    uint32_t native_ignores;
    /** (constraint_count) expressions (space.h) that must not be 0, in addition to valid() */
    const char *const *constraints;
    uint32_t constraint_count;
    const hed_condition *conditions; /**< (condition_count) */
    uint32_t condition_count;
    const hed_define *defines; /**< (define_count) */
    uint32_t define_count;
    /** (option_count) further options of the device's compiler, NVRTC or OpenCL; options that begin
     *  with "-cl-" are skipped on CUDA */
    const char *const *options;
    uint32_t option_count;
    /** (dimension_count) names of the problem's sizes: "n", "width", ... */
    const char *const *dimensions;
    uint32_t dimension_count;
    uint64_t needs; /**< bits of hed_capability */
    /** maximum number of work items in a group (launch bounds): parameter, number or their product,
     *  as "WG_X*WG_Y"; NULL: none */
    const char *max_threads;
    /** minimum number of resident groups on a compute unit (launch bounds). 0: the compiler's
     *  choice; CUDA's saves registers for several groups, so set 1 if a group has a unit to
     *  itself */
    uint32_t min_groups;
    bool may_spill;                   /**< accepts a spill or a stack frame */
    hed_valid_function *valid;        /**< NULL: every configuration that fits the device */
    hed_geometry_function *geometry;  /**< NULL: launched with hed_launch_over() only */
    hed_native_range_function *range; /**< native version by ranges */
    /** native version by a team; range and team NULL: not valid on `host` */
    hed_native_team_function *team;
    hed_work_function *work; /**< NULL: no rates */
    hed_metric metric;
    const char *metric_unit; /**< "GB/s", "GFLOP/s", "constraints/s"; NULL: by metric */
    hed_sample_def sample;
    void *user; /**< argument of the functions above */
};

/* ---- configurations ---- */

/** Returns the set of parameters that a kernel ignores on a device: native_ignores on `host`, else
 *  none.
 *  Thread class: rt. */
HED_API uint32_t hed_kernel_ignores(const hed_kernel_def *def, const hed_device *device);
/** Returns the value of parameter `name`. An unknown name is an error of the caller: an assert, and
 *  0.
 *  Thread class: rt. */
static inline int64_t hed_config_get(
    const hed_kernel_def *def, const hed_config *config, const char *name)
{
    if (!def || !config || !name) return 0;
    for (uint32_t i = 0; i < def->parameter_count; i++)
        if (strcmp(def->parameters[i].name, name) == 0) return config->values[i];
    assert(!"hed_config_get: no parameter of this name");
    return 0;
}
/** True if two configurations of one kernel have the same values. Thread class: any. */
static inline bool hed_config_equal(const hed_config *a, const hed_config *b)
{
    return a && b && a->count == b->count &&
           memcmp(a->values, b->values, a->count * sizeof a->values[0]) == 0;
}
/** Returns the configuration of all default values. Thread class: any. */
static inline hed_config hed_config_default(const hed_kernel_def *def)
{
    hed_config config = HED_ZERO;
    if (!def) return config;
    config.count = def->parameter_count;
    for (uint32_t i = 0; i < def->parameter_count; i++) config.values[i] = def->parameters[i].value;
    return config;
}
/** Returns the number of configurations without constraints, the full product; UINT64_MAX: at least
 *  that many.
 *  Thread class: any. */
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
/** Returns configuration `index` of the full product, in which the last parameter varies fastest.
 *  Thread class: any. */
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
/** Returns the problem of three sizes. Thread class: rt. */
static inline hed_problem hed_problem_3d(int64_t x, int64_t y, int64_t z)
{
    hed_problem problem = {3, {x, y, z}};
    return problem;
}
/** Returns the problem of two sizes. Thread class: rt. */
static inline hed_problem hed_problem_2d(int64_t width, int64_t height)
{
    hed_problem problem = {2, {width, height}};
    return problem;
}
/** Returns the problem of one size. Thread class: rt. */
static inline hed_problem hed_problem_1d(int64_t n)
{
    hed_problem problem = {1, {n}};
    return problem;
}

/* ---- compiled kernels ---- */

/** Arithmetic of a kernel. */
typedef enum hed_math {
    /** contraction, approximate divide and square root; denormals may be flushed */
    HED_MATH_FAST,
    HED_MATH_STRICT /**< the same bits on every device, at every group size */
} hed_math;

/** Origin of a configuration. */
typedef enum hed_config_origin {
    HED_ORIGIN_GIVEN,             /**< given by the caller */
    HED_ORIGIN_EXACT,             /**< tuned: this device, driver and size */
    HED_ORIGIN_OTHER_DRIVER,      /**< tuned under another driver version */
    HED_ORIGIN_NEAR_SIZE,         /**< tuned for a similar size */
    HED_ORIGIN_SAME_ARCHITECTURE, /**< tuned on a device of the same architecture */
    HED_ORIGIN_SAME_VENDOR,       /**< tuned on a device of the same vendor */
    HED_ORIGIN_DEFAULT /**< the description's default, or its first valid configuration */
} hed_config_origin;

/** Returns a short description, such as "same architecture". Thread class: any. */
static inline const char *hed_config_origin_name(hed_config_origin configured)
{
    static const char *const names[] = {"given", "exact", "other driver", "near size",
        "same architecture", "same vendor", "default"};
    return (unsigned)configured < sizeof names / sizeof names[0] ? names[configured] : "unknown";
}

/** Options of a compilation. Start from hed_default_kernel_options(). */
typedef struct hed_kernel_options {
    hed_math math;
    const hed_config *config;   /**< NULL: the best known for `problem`, else the default */
    const hed_problem *problem; /**< size of later launches; NULL: unknown */
    /** (define_count) defines in addition to the description's; one with the same name replaces
     *  it */
    const hed_define *defines;
    uint32_t define_count;
    /** limit for a work item, if the compiler has such an option; 0: no limit */
    uint32_t max_registers;
    bool background; /**< build in a thread; see hed_kernel_ready() */
} hed_kernel_options;

/** Returns the defaults: fast math, the best known configuration, built at once.
 *  Thread class: any. */
static inline hed_kernel_options hed_default_kernel_options(void)
{
    hed_kernel_options def = HED_ZERO;
    return def;
}

/** True if a configuration can run on a device; else `reason` (nullable, `size` bytes) receives the
 *  cause. Checks needs, constraints and conditions, launch bounds, local memory and valid().
 *  `problem` NULL: without the checks that depend on the size.
 *  Thread class: any. */
HED_API bool hed_kernel_valid(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_device *device, hed_math math, char *reason, size_t size);

/** Compiles a kernel or loads it from the cache. `options` NULL: the defaults. With `background`
 *  the call returns at once, and hed_kernel_ready() returns the error of the build.
 *  Thread class: any. Errors: ARGUMENT, UNSUPPORTED (names the missing capability), LIMIT, BUILD
 *  (with the log), MEMORY, DRIVER, IO. */
HED_API hed_status hed_kernel_create(hed_device *device, const hed_kernel_def *def,
    const hed_kernel_options *options, hed_kernel **kernel, hed_error *error);
/** Builds another configuration. Launches continue with the old one until the new one is ready, at
 *  once without `background`. After a failure the old one stays.
 *  Thread class: owner. Errors: as hed_kernel_create(). */
HED_API hed_status hed_kernel_reconfigure(
    hed_kernel *kernel, const hed_kernel_options *options, hed_error *error);
/** Activates a finished background build. OK: the configuration requested last is active.
 *  NOT_READY: it is still being built; this is a result, and nothing is written to `error`. A
 *  launch of another size also starts a build, if the kernel has no given configuration: NOT_READY
 *  until it is done, while launches continue.
 *  Thread class: owner. Errors: as hed_kernel_create(), once for each build. */
HED_API hed_status hed_kernel_ready(hed_kernel *kernel, hed_error *error);
/** Destroys a kernel once all its launches are done. NULL is allowed. Thread class: owner. */
HED_API void hed_kernel_destroy(hed_kernel *kernel);

/** Properties of a kernel. */
typedef struct hed_kernel_info {
    const hed_kernel_def *def;
    hed_device *device;
    void *handle; /**< the driver's handle: CUfunction or cl_kernel; NULL on host */
    /** the compiler's log for the active configuration; "": none. Lives until another configuration
     *  becomes active */
    const char *log;
} hed_kernel_info;
/** Returns the properties of a kernel, for code that calls the driver directly or shows the
 *  compiler's log.
 *  Thread class: rt; owner for `log`. */
HED_API hed_kernel_info hed_kernel_describe(const hed_kernel *kernel);

/** Returns the active configuration; `configured` (nullable) receives its origin.
 *  Thread class: rt. */
HED_API hed_config hed_kernel_config(const hed_kernel *kernel, hed_config_origin *configured);

/** Resources of a compiled kernel, as the compiler and the driver report them; -1: not reported, or
 *  known to be wrong. */
typedef struct hed_kernel_resources {
    int64_t registers;    /**< registers of a work item */
    int64_t spill_bytes;  /**< stores and loads of spilled registers, of a work item */
    int64_t stack_bytes;  /**< stack of a work item */
    int64_t local_bytes;  /**< static local memory of a group */
    int64_t max_group;    /**< largest possible group of this kernel */
    int64_t lane_width;   /**< preferred multiple of the group size */
    bool from_cache;      /**< not compiled in this process */
    double build_seconds; /**< time of the compiler, now or when the cache entry was made */
} hed_kernel_resources;

/** Returns the resources of the active configuration.
 *  Thread class: any. Errors: NOT_READY (nothing is built yet). */
HED_API hed_status hed_kernel_measure_resources(
    const hed_kernel *kernel, hed_kernel_resources *resources, hed_error *error);
/** Computes the number of groups of this shape that are resident on the device at once, for kernels
 *  whose data is partitioned over resident groups. `*groups` is -1 if the driver does not report
 *  it.
 *  Thread class: any. Errors: NOT_READY, LIMIT, DRIVER. */
HED_API hed_status hed_kernel_resident_groups(const hed_kernel *kernel, uint32_t group_items,
    uint64_t local_bytes, int64_t *groups, hed_error *error);

HED_END

#endif
