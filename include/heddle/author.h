/** @file author.h
 *  The kit for authors of kernels and engines: errors, memory, initialisers for the tables of a
 *  kernel's description, the usual geometry, work and sample data, and native functions compiled
 *  for more than one instruction set. Programs that only use Heddle do not need it, and heddle.h
 *  does not include it.
 *
 *  examples/kernel.c is a complete kernel that is written with it. */
#ifndef HEDDLE_AUTHOR_H
#define HEDDLE_AUTHOR_H

#include <string.h>

#include "heddle/kernel.h"

HED_BEGIN

#if defined(__GNUC__)
#define HED_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define HED_PRINTF(text, first)
#endif

/* ---- numbers ---- */

/** Number of elements of an array. */
#define HED_COUNT(array) (sizeof(array) / sizeof(*(array)))

/** Returns a / b, rounded up. */
static inline uint64_t hed_ceil_divide(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

/** Returns the smallest multiple of `step` that is at least `a`. */
static inline uint64_t hed_round_up(uint64_t a, uint64_t step)
{
    return hed_ceil_divide(a, step) * step;
}

/* ---- errors ---- */

/** Writes status and formatted text into `error` (nullable), clears its log, and returns `status`:
 *  @code return hed_fail(error, HED_ERROR_LIMIT, "%u voices: at most %u", voices, most); @endcode
 *  The text may quote the former text of the same error. Thread class: any. Errors: `status`. */
HED_API hed_status hed_fail(hed_error *error, hed_status status, const char *format, ...)
    HED_PRINTF(3, 4);

/** Fails with HED_ERROR_MEMORY and "out of memory for " before a literal format, which names the
 *  thing that was to be allocated. Thread class: any.
 *  @code if (!list) return HED_OUT_OF_MEMORY(error, "%u voices", voices); @endcode */
#define HED_OUT_OF_MEMORY(error, ...) \
    hed_fail((error), HED_ERROR_MEMORY, "out of memory for " __VA_ARGS__)

/** Returns HED_ERROR_ARGUMENT from a public function whose caller passed NULL for a required
 *  pointer, with the parameter's name in `error`, which is a parameter of the function. A condition
 *  is a parameter, or begins with one; it is the function's first statement, before anything is
 *  read:
 *  @code HED_REQUIRE(stream, kernel, arguments || !argument_count); @endcode
 *  If `error` is already set, the function returns its status. */
#define HED_REQUIRE(...) \
    do { \
        const bool hed_given[] = {__VA_ARGS__}; \
        hed_status hed_required = \
            hed_require(error, __func__, #__VA_ARGS__, hed_given, HED_COUNT(hed_given)); \
        if (hed_required) return hed_required; \
    } while (0)

/* ---- files ---- */

/** Replaces a file durably, so that no reader sees half of it, not even after a crash. Flushes the
 *  bytes written to `file` to the disk, renames `temporary` to `path`, in the same folder, and
 *  flushes the name. `file` stays open. Returns 0, or an errno: then `temporary` is removed and
 *  `path` is unchanged.
 *  Thread class: any. */
HED_API int hed_file_commit(int file, const char *temporary, const char *path);

/* ---- memory ---- */

/** Allocates zeroed memory for `count` elements of `size` bytes, aligned to 64 bytes; for one
 *  element if `count` is 0. `allocator` NULL: hed_default_allocator(). Returns NULL on failure, and
 *  if `error` is already set.
 *  Thread class: any. Errors: MEMORY. */
HED_API void *hed_new(
    const hed_allocator *allocator, uint64_t count, size_t size, hed_error *error);
/** Releases memory of hed_new(); `count` and `size` as they were there. NULL is allowed.
 *  Thread class: any. */
static inline void hed_delete(
    const hed_allocator *allocator, void *memory, uint64_t count, size_t size)
{
    if (!memory) return;
    hed_allocator from = allocator && allocator->allocate ? *allocator : hed_default_allocator();
    size *= (size_t)(count ? count : 1);
    from.release(from.user, memory, size ? size : 1);
}

/** Memory that is freed together: all blocks of an object, or the scratch of a function. Initialise
 *  it as `{.allocator = a, .owner = "a cloth"}`. */
typedef struct hed_arena {
    hed_allocator allocator;        /**< all zero: hed_default_allocator() */
    const char *owner;              /**< name in messages if memory runs out; NULL: not named */
    struct hed_arena_chunk *chunks; /**< the arena's own; initialise to 0 */
    /** an allocation failed; until hed_arena_free() every further one fails too */
    bool failed;
} hed_arena;

/** Allocates zeroed memory as hed_new() does; it lives until hed_arena_free(). One check of the
 *  last pointer or of the error covers several calls.
 *  Thread class: owner. Errors: MEMORY. */
HED_API void *hed_arena_new(hed_arena *arena, uint64_t count, size_t size, hed_error *error);
/** Frees all memory of an arena, which is then empty and can be used again. The arena itself may be
 *  stored in its own memory.
 *  Thread class: owner. */
HED_API void hed_arena_free(hed_arena *arena);

/** Copies a text into the arena; NULL: returns NULL. */
static inline char *hed_arena_text(hed_arena *arena, const char *text, hed_error *error)
{
    size_t size = text ? strlen(text) + 1 : 0;
    char *copy = text ? (char *)hed_arena_new(arena, size, 1, error) : NULL;
    return copy ? (char *)memcpy(copy, text, size) : NULL;
}

/* ---- the tables of a description ----
 *
 *  Pointer and count of a hed_kernel_def at once. In a description at file scope the tables live as
 *  long as the program; in a function, until its block ends. For C:
 *
 *      const hed_kernel_def blur = {
 *          .name = "blur",
 *          HED_SOURCES({"blur.cl", blur_text, 0}),
 *          HED_ARGUMENTS(HED_IN(float, in), HED_OUT(float, out, .tolerance = 1e-6),
 *              HED_VALUE(uint, n), HED_ARRAY(float, tile)),
 *          HED_PARAMETERS(HED_PARAMETER(WG, 256, 64, 128, 256), HED_SWITCH(PAD, 1)),
 *          HED_DIMENSIONS("n"),
 *          HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(1000)),
 *          .sample.benchmark = HED_PROBLEM(1 << 27), HED_DEFAULT_SAMPLE, ...
 *      };
 */

/** Sets member `list` of a description, and its count: an array of `type`. */
#define HED_LIST(type, list, count, ...) \
    .list = (type[]){__VA_ARGS__}, .count = sizeof((type[]){__VA_ARGS__}) / sizeof(type)

/** hed_source initialisers. */
#define HED_SOURCES(...) HED_LIST(const hed_source, sources, source_count, __VA_ARGS__)
/** Arguments, made by the macros below. */
#define HED_ARGUMENTS(...) HED_LIST(const hed_argument_def, arguments, argument_count, __VA_ARGS__)
/** Parameters: HED_PARAMETER(), HED_SWITCH(), HED_CHOICE(). */
#define HED_PARAMETERS(...) \
    HED_LIST(const hed_parameter_def, parameters, parameter_count, __VA_ARGS__)
/** Expressions, as texts. */
#define HED_CONSTRAINTS(...) HED_LIST(const char *const, constraints, constraint_count, __VA_ARGS__)
/** hed_condition initialisers. */
#define HED_CONDITIONS(...) HED_LIST(const hed_condition, conditions, condition_count, __VA_ARGS__)
/** hed_define initialisers. */
#define HED_DEFINES(...) HED_LIST(const hed_define, defines, define_count, __VA_ARGS__)
/** Names of the problem's sizes, as texts. */
#define HED_DIMENSIONS(...) HED_LIST(const char *const, dimensions, dimension_count, __VA_ARGS__)
/** Problems of conformance tests: HED_PROBLEM(). */
#define HED_PROBLEMS(...) HED_LIST(const hed_problem, sample.problems, sample.count, __VA_ARGS__)

/** A buffer that is read; `type` is one of the words of HED_TYPE_ below, the name is not quoted,
 *  and further members may follow: `HED_IN(float, weights, .count = "4*n")`. */
#define HED_IN(type, ...) HED_ARGUMENT_OF(HED_BUFFER, HED_TYPE_##type, HED_READ, __VA_ARGS__, )
/** A buffer that is written. */
#define HED_OUT(type, ...) HED_ARGUMENT_OF(HED_BUFFER, HED_TYPE_##type, HED_WRITE, __VA_ARGS__, )
/** A buffer that is read and written. */
#define HED_INOUT(type, ...) \
    HED_ARGUMENT_OF(HED_BUFFER, HED_TYPE_##type, HED_READ_WRITE, __VA_ARGS__, )
/** A workspace of the kernel: HED_WORKSPACE. */
#define HED_SCRATCH(type, ...) \
    HED_ARGUMENT_OF(HED_BUFFER, HED_TYPE_##type, HED_WORKSPACE, __VA_ARGS__, )
/** A number by value. */
#define HED_VALUE(type, ...) HED_ARGUMENT_OF(HED_SCALAR, HED_TYPE_##type, HED_READ, __VA_ARGS__, )
/** A struct by value; `type` is its C type. */
#define HED_VALUE_STRUCT(type, ...) \
    HED_ARGUMENT_OF(HED_STRUCT, HED_BYTES, HED_READ, __VA_ARGS__, .size = sizeof(type))
/** An array in local memory. */
#define HED_ARRAY(type, ...) HED_ARGUMENT_OF(HED_LOCAL, HED_TYPE_##type, HED_READ, __VA_ARGS__, )
/** Initialiser of one argument, for the macros above. */
#define HED_ARGUMENT_OF(what, of, how, label, ...) \
    { \
        .name = #label, .kind = what, .type = (hed_type)(of), .access = how, __VA_ARGS__ \
    }

/* hed_type of each type name of kernels and of C. */
#define HED_TYPE_bytes HED_BYTES
#define HED_TYPE_int HED_INT32
#define HED_TYPE_int32_t HED_INT32
#define HED_TYPE_uint HED_UINT32
#define HED_TYPE_uint32_t HED_UINT32
#define HED_TYPE_long HED_INT64
#define HED_TYPE_int64_t HED_INT64
#define HED_TYPE_ulong HED_UINT64
#define HED_TYPE_uint64_t HED_UINT64
#define HED_TYPE_float HED_FLOAT
#define HED_TYPE_double HED_DOUBLE

/** A parameter with its default and all its values: `HED_PARAMETER(WG, 256, 64, 128, 256)`. */
#define HED_PARAMETER(label, initial, ...) \
    { \
        .name = #label, .values = (const int64_t[]){__VA_ARGS__}, \
        .count = sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t), .value = initial \
    }
/** A parameter that is 0 or 1. */
#define HED_SWITCH(label, initial) HED_PARAMETER(label, initial, 0, 1)
/** A parameter whose values are at most eight choices, 0, 1, ..., with names for people:
 *  `HED_CHOICE(ORDER, 0, "tree", "free")`. */
#define HED_CHOICE(label, initial, ...) \
    { \
        .name = #label, .values = (const int64_t[]){0, 1, 2, 3, 4, 5, 6, 7}, \
        .count = sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), .value = initial, \
        .labels = (const char *const[]) \
        { \
            __VA_ARGS__ \
        } \
    }
/** A problem of these sizes. */
#define HED_PROBLEM(...) \
    { \
        .count = sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t), .sizes = { \
            __VA_ARGS__ \
        } \
    }
/** Sample data from the table of arguments. */
#define HED_DEFAULT_SAMPLE \
    .sample.bytes = hed_default_sample_bytes, .sample.fill = hed_default_sample_fill

/* ---- the usual functions of a description ---- */

/** Returns the bytes of an element; HED_BYTES: 1. */
static inline uint32_t hed_type_size(hed_type type)
{
    return type == HED_BYTES                                               ? 1
           : type == HED_INT64 || type == HED_UINT64 || type == HED_DOUBLE ? 8
                                                                           : 4;
}

/** Returns the product of a problem's sizes. */
static inline uint64_t hed_problem_items(const hed_problem *problem)
{
    uint64_t items = problem != NULL;
    for (uint32_t i = 0; problem && i < problem->count; i++) items *= (uint64_t)problem->sizes[i];
    return items;
}

/** Sets a geometry of one dimension: `groups` groups of `group` work items; natively `items` items,
 *  at least `grain` of them for each thread. */
static inline void hed_geometry_1d(
    hed_geometry *geometry, uint64_t groups, int64_t group, uint64_t items, uint64_t grain)
{
    if (!geometry) return;
    geometry->dimensions = 1;
    geometry->global[0] = groups * (uint64_t)group;
    geometry->group[0] = (uint32_t)group;
    geometry->native_items = items;
    geometry->native_grain = grain;
}

/** Sets the geometry of kernels that do the same for each of hed_problem_items(): groups of `WG`
 *  work items, each for `VEC` times `ITEMS` elements (if the description has such parameters);
 *  natively at least 65,536 items for each thread. Usable as geometry().
 *  Thread class: rt. */
HED_API void hed_default_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *geometry);
/** Sets the work of a launch: the bytes of all buffers by sample.bytes(), workspaces excepted,
 *  twice for buffers that are read and written; hed_problem_items(); no operations. Usable as
 *  work(); a work() of your own may call it and correct the differences.
 *  Thread class: rt. */
HED_API void hed_default_work(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_work *work);
/** Returns the bytes of a buffer by hed_argument_def.count, else for hed_problem_items() elements.
 *  Usable as sample.bytes().
 *  Thread class: rt. */
HED_API uint64_t hed_default_sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument);
/** Writes sample data: a scalar with the name of a dimension becomes that size; other scalars and
 *  buffers are hed_sample_floats() or hed_sample_words(). Usable as sample.fill().
 *  Thread class: rt. */
HED_API void hed_default_sample_fill(const hed_kernel_def *def, const hed_problem *problem,
    uint32_t argument, void *data, uint64_t bytes, uint64_t seed);

/* ---- sample data ---- */

/** Returns word `index` of a repeatable random sequence, a different one for each seed and
 *  argument: a counter through the finaliser of SplitMix64 (Steele, Lea and Flood 2014), so that a
 *  word does not depend on the number of words requested. */
static inline uint32_t hed_sample_word(uint64_t seed, uint32_t argument, uint64_t index)
{
    uint64_t z = seed * 0xd1342543de82ef95u + argument * 0xda942042e4dd58b5u +
                 (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ (z >> 31)) >> 32);
}
/** Writes words 0 to `count` - 1 of that sequence. */
static inline void hed_sample_words(
    uint32_t *words, uint64_t count, uint64_t seed, uint32_t argument)
{
    for (uint64_t i = 0; words && i < count; i++) words[i] = hed_sample_word(seed, argument, i);
}
/** Writes floats in (-1, 1), none of them zero, from that sequence. */
static inline void hed_sample_floats(
    float *values, uint64_t count, uint64_t seed, uint32_t argument)
{
    /* (an odd number below 2^24, less 2^23) / 2^23: exact, and never zero because it is odd. */
    for (uint64_t i = 0; values && i < count; i++)
        values[i] =
            ((float)((hed_sample_word(seed, argument, i) >> 9) * 2 + 1) - 8388608.0f) / 8388608.0f;
}

/* ---- native functions for more than one instruction set ---- */

/** Defines `name`, a hed_native_range_function, from `body`, a HED_NATIVE_BODY function of the same
 *  type: compiled once for the baseline and, on x86-64, once more for AVX2 with fused multiply-add,
 *  without which fma() is a call. Both give the same bits: fma() is fma() in both. */
#define HED_NATIVE_CLONES(name, body) \
    HED_CLONES(static, name, body, (const hed_native_call *call, uint64_t begin, uint64_t end), \
        (call, begin, end))

/** Defines `name` from `body` as HED_NATIVE_CLONES() does, for any function without a result:
 *  `parameters` with their types, and `arguments`, the same names alone, both in parentheses;
 *  `linkage` is static or empty. */
#if defined(__GNUC__) && defined(__x86_64__)
#define HED_CLONES(linkage, name, body, parameters, arguments) \
    __attribute__((target("avx2,fma"), flatten)) static void name##_avx2 parameters \
    { \
        body arguments; \
    } \
    linkage void name parameters \
    { \
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) \
            name##_avx2 arguments; \
        else body arguments; \
    }
#else
#define HED_CLONES(linkage, name, body, parameters, arguments) \
    linkage void name parameters { body arguments; }
#endif

/** Begins the definition of a body: `HED_NATIVE_BODY square_body(...) { ... }`. */
#if defined(__GNUC__)
#define HED_NATIVE_BODY static inline __attribute__((always_inline)) void
#else
#define HED_NATIVE_BODY static inline void
#endif

HED_END

#endif
