/** @file launch.h
 *  Launches. Arguments are checked against the description and the geometry against the device
 *  before the driver is called. */
#ifndef HEDDLE_LAUNCH_H
#define HEDDLE_LAUNCH_H

#include "heddle/kernel.h"

HED_BEGIN

/** One argument of a launch, made by the functions below. Scalars and buffers are copied; the
 *  memory of a struct must live until the launch returns. */
typedef struct hed_argument {
    hed_argument_kind kind;
    hed_type type;
    size_t size; /**< bytes, of structs */
    union {
        hed_buffer *buffer;
        const void *bytes;
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
        float f32;
        double f64;
    } value;
} hed_argument;

static inline hed_argument hed_buffer_argument(hed_buffer *buffer)
{
    hed_argument a = {HED_BUFFER, HED_BYTES, 0, {0}};
    a.value.buffer = buffer;
    return a;
}
static inline hed_argument hed_int_argument(int32_t value)
{
    hed_argument a = {HED_SCALAR, HED_INT32, 0, {0}};
    a.value.i32 = value;
    return a;
}
static inline hed_argument hed_uint_argument(uint32_t value)
{
    hed_argument a = {HED_SCALAR, HED_UINT32, 0, {0}};
    a.value.u32 = value;
    return a;
}
static inline hed_argument hed_long_argument(int64_t value)
{
    hed_argument a = {HED_SCALAR, HED_INT64, 0, {0}};
    a.value.i64 = value;
    return a;
}
static inline hed_argument hed_ulong_argument(uint64_t value)
{
    hed_argument a = {HED_SCALAR, HED_UINT64, 0, {0}};
    a.value.u64 = value;
    return a;
}
static inline hed_argument hed_float_argument(float value)
{
    hed_argument a = {HED_SCALAR, HED_FLOAT, 0, {0}};
    a.value.f32 = value;
    return a;
}
static inline hed_argument hed_double_argument(double value)
{
    hed_argument a = {HED_SCALAR, HED_DOUBLE, 0, {0}};
    a.value.f64 = value;
    return a;
}
static inline hed_argument hed_struct_argument(const void *bytes, size_t size)
{
    hed_argument a = {HED_STRUCT, HED_BYTES, size, {0}};
    a.value.bytes = bytes;
    return a;
}
/** Makes the placeholder of a HED_LOCAL argument, whose size comes from the geometry. */
static inline hed_argument hed_local_argument(void)
{
    hed_argument a = {HED_LOCAL, HED_BYTES, 0, {0}};
    return a;
}

/** Arguments of a launch by their values, as two arguments of the call, pointer and count:
 *  @code hed_launch(stream, kernel, &problem, HED_ARGS(x, y, 2.0f, n), &error); @endcode
 *  The type of each buffer and number must be the description's: `5u` for a uint, `5` for an int.
 *  Structs and local arrays are passed as hed_struct_argument() and hed_local_argument(). 1 to 32
 *  arguments; they live until the enclosing block ends (in C++: until the call returns). */
#ifdef __cplusplus
#define HED_ARGS(...) \
    hed_arguments_of(__VA_ARGS__).list(), (uint32_t)hed_arguments_of(__VA_ARGS__).count
#else
#define HED_ARGS(...) \
    (const hed_argument[]){HED_EACH(HED_ARG, __VA_ARGS__)}, \
        (uint32_t)(sizeof((hed_argument[]){HED_EACH(HED_ARG, __VA_ARGS__)}) / \
                   sizeof(hed_argument))
/** One argument of HED_ARGS(). */
#define HED_ARG(x) \
    _Generic((x), hed_buffer * \
             : hed_buffer_argument, int \
             : hed_int_argument, unsigned \
             : hed_uint_argument, long \
             : hed_long_argument, long long \
             : hed_long_argument, unsigned long \
             : hed_ulong_argument, unsigned long long \
             : hed_ulong_argument, float \
             : hed_float_argument, double \
             : hed_double_argument, hed_argument \
             : hed_same_argument)(x)
static inline hed_argument hed_same_argument(hed_argument argument) { return argument; }
/* clang-format off */
#define HED_EACH(f, ...) \
    HED_PICK(__VA_ARGS__, \
        HED_MAP_32, HED_MAP_31, HED_MAP_30, HED_MAP_29, HED_MAP_28, HED_MAP_27, HED_MAP_26, \
        HED_MAP_25, HED_MAP_24, HED_MAP_23, HED_MAP_22, HED_MAP_21, HED_MAP_20, HED_MAP_19, \
        HED_MAP_18, HED_MAP_17, HED_MAP_16, HED_MAP_15, HED_MAP_14, HED_MAP_13, HED_MAP_12, \
        HED_MAP_11, HED_MAP_10, HED_MAP_9, HED_MAP_8, HED_MAP_7, HED_MAP_6, HED_MAP_5, HED_MAP_4, \
        HED_MAP_3, HED_MAP_2, HED_MAP_1, 0)(f, __VA_ARGS__, 0)
#define HED_PICK( \
    a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, \
    a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, picked, ...) picked
#define HED_MAP_1(f, a, ...) f(a)
#define HED_MAP_2(f, a, ...) f(a), HED_MAP_1(f, __VA_ARGS__)
#define HED_MAP_3(f, a, ...) f(a), HED_MAP_2(f, __VA_ARGS__)
#define HED_MAP_4(f, a, ...) f(a), HED_MAP_3(f, __VA_ARGS__)
#define HED_MAP_5(f, a, ...) f(a), HED_MAP_4(f, __VA_ARGS__)
#define HED_MAP_6(f, a, ...) f(a), HED_MAP_5(f, __VA_ARGS__)
#define HED_MAP_7(f, a, ...) f(a), HED_MAP_6(f, __VA_ARGS__)
#define HED_MAP_8(f, a, ...) f(a), HED_MAP_7(f, __VA_ARGS__)
#define HED_MAP_9(f, a, ...) f(a), HED_MAP_8(f, __VA_ARGS__)
#define HED_MAP_10(f, a, ...) f(a), HED_MAP_9(f, __VA_ARGS__)
#define HED_MAP_11(f, a, ...) f(a), HED_MAP_10(f, __VA_ARGS__)
#define HED_MAP_12(f, a, ...) f(a), HED_MAP_11(f, __VA_ARGS__)
#define HED_MAP_13(f, a, ...) f(a), HED_MAP_12(f, __VA_ARGS__)
#define HED_MAP_14(f, a, ...) f(a), HED_MAP_13(f, __VA_ARGS__)
#define HED_MAP_15(f, a, ...) f(a), HED_MAP_14(f, __VA_ARGS__)
#define HED_MAP_16(f, a, ...) f(a), HED_MAP_15(f, __VA_ARGS__)
#define HED_MAP_17(f, a, ...) f(a), HED_MAP_16(f, __VA_ARGS__)
#define HED_MAP_18(f, a, ...) f(a), HED_MAP_17(f, __VA_ARGS__)
#define HED_MAP_19(f, a, ...) f(a), HED_MAP_18(f, __VA_ARGS__)
#define HED_MAP_20(f, a, ...) f(a), HED_MAP_19(f, __VA_ARGS__)
#define HED_MAP_21(f, a, ...) f(a), HED_MAP_20(f, __VA_ARGS__)
#define HED_MAP_22(f, a, ...) f(a), HED_MAP_21(f, __VA_ARGS__)
#define HED_MAP_23(f, a, ...) f(a), HED_MAP_22(f, __VA_ARGS__)
#define HED_MAP_24(f, a, ...) f(a), HED_MAP_23(f, __VA_ARGS__)
#define HED_MAP_25(f, a, ...) f(a), HED_MAP_24(f, __VA_ARGS__)
#define HED_MAP_26(f, a, ...) f(a), HED_MAP_25(f, __VA_ARGS__)
#define HED_MAP_27(f, a, ...) f(a), HED_MAP_26(f, __VA_ARGS__)
#define HED_MAP_28(f, a, ...) f(a), HED_MAP_27(f, __VA_ARGS__)
#define HED_MAP_29(f, a, ...) f(a), HED_MAP_28(f, __VA_ARGS__)
#define HED_MAP_30(f, a, ...) f(a), HED_MAP_29(f, __VA_ARGS__)
#define HED_MAP_31(f, a, ...) f(a), HED_MAP_30(f, __VA_ARGS__)
#define HED_MAP_32(f, a, ...) f(a), HED_MAP_31(f, __VA_ARGS__)
/* clang-format on */
#endif

/** Launches a kernel for a problem, in the description's geometry(). A kernel without a given
 *  configuration uses the best one that the database had for this size when the kernel was created;
 *  the current one is used until that one is compiled (hed_kernel_config() reports it).
 *  Thread class: owner of stream and kernel. Errors: ARGUMENT (count, kind or type of an argument;
 *  a size below 1; kernel and stream of different devices), LIMIT (group or local memory too
 *  large), NOT_READY (no configuration is built yet: call hed_kernel_ready() first), DRIVER,
 *  LOST. */
HED_API hed_status hed_launch(hed_stream *stream, hed_kernel *kernel, const hed_problem *problem,
    const hed_argument *arguments, uint32_t argument_count, hed_error *error);

/** Launches a kernel over a given geometry. `group` all 0: Heddle chooses it.
 *  Thread class: owner of stream and kernel. Errors: as hed_launch(). */
HED_API hed_status hed_launch_over(hed_stream *stream, hed_kernel *kernel,
    const hed_geometry *geometry, const hed_argument *arguments, uint32_t argument_count,
    hed_error *error);

/** Replaces the arguments of a step of a graph, which must be a launch, by new ones of the same
 *  kinds, from the next replay on.
 *  Thread class: owner. Errors: ARGUMENT, MEMORY, DRIVER. */
HED_API hed_status hed_graph_update(hed_graph *graph, uint32_t step, const hed_argument *arguments,
    uint32_t argument_count, hed_error *error);

HED_END

#ifdef __cplusplus
static inline hed_argument hed_argument_of(hed_buffer *x) { return hed_buffer_argument(x); }
static inline hed_argument hed_argument_of(int x) { return hed_int_argument(x); }
static inline hed_argument hed_argument_of(unsigned x) { return hed_uint_argument(x); }
static inline hed_argument hed_argument_of(long x) { return hed_long_argument(x); }
static inline hed_argument hed_argument_of(long long x) { return hed_long_argument(x); }
static inline hed_argument hed_argument_of(unsigned long x) { return hed_ulong_argument(x); }
static inline hed_argument hed_argument_of(unsigned long long x) { return hed_ulong_argument(x); }
static inline hed_argument hed_argument_of(float x) { return hed_float_argument(x); }
static inline hed_argument hed_argument_of(double x) { return hed_double_argument(x); }
static inline hed_argument hed_argument_of(const hed_argument &x) { return x; }

/** Result of HED_ARGS(); lives until the end of the call that it is written in. */
template <typename... types> struct hed_argument_list {
    static constexpr size_t count = sizeof...(types);
    hed_argument arguments[count];
    const hed_argument *list() const { return arguments; }
};
template <typename... types> hed_argument_list<types...> hed_arguments_of(const types &...values)
{
    return {{hed_argument_of(values)...}};
}
#endif

#endif
