/** @file launch.h
 *  Launching: arguments are checked against the description, the geometry against the device,
 *  before anything reaches a driver.
 */
#ifndef HEDDLE_LAUNCH_H
#define HEDDLE_LAUNCH_H

#include "heddle/kernel.h"

HED_BEGIN

/** One argument of a launch. Made by the functions below; scalars and buffers are copied, a struct's
 * memory
 *  only has to live until the launch returns. */
typedef struct hed_argument {
    hed_argument_kind kind;
    hed_type type;
    size_t size; /**< structs */
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
/** Stands for a HED_LOCAL argument; its size comes from the geometry. */
static inline hed_argument hed_local_argument(void)
{
    hed_argument a = {HED_LOCAL, HED_BYTES, 0, {0}};
    return a;
}

/** Launches a kernel for a problem; the description's geometry() says how. A kernel that was not
 * given a configuration takes
 *  the best that the database knew for this size when the kernel was made; where that one has to be
 *  compiled first, the present one stands in for it (hed_kernel_config() says so). Thread class:
 *  owner of stream and kernel. Errors: ARGUMENT (count, kind or type of an argument; a size below
 *  1; kernel and stream of different devices), LIMIT (group or local memory too large), NOT_READY,
 *  DRIVER, LOST. */
HED_API hed_status hed_launch(hed_stream *stream, hed_kernel *kernel, const hed_problem *problem,
    const hed_argument *arguments, uint32_t argument_count, hed_error *error);

/** Launches over a geometry given by the caller; `group` all 0 lets Heddle choose it. Thread class
 * and errors: as hed_launch. */
HED_API hed_status hed_launch_over(hed_stream *stream, hed_kernel *kernel,
    const hed_geometry *geometry, const hed_argument *arguments, uint32_t argument_count,
    hed_error *error);

/** Gives step `step` of a graph, which must be a launch, new arguments of the same kinds; they hold
 * from the next replay on.
 *  Thread class: owner. Errors: ARGUMENT, DRIVER. */
HED_API hed_status hed_graph_update(hed_graph *graph, uint32_t step, const hed_argument *arguments,
    uint32_t argument_count, hed_error *error);

HED_END

#endif
