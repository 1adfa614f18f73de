/** @file view.h
 *  Argument lists of kernels, written once. A list is a macro with a row for each argument of a
 *  kernel, in order; parameters, a struct, the unpacking of native calls, the description and the
 *  launch are made from the list. This text is C, OpenCL C 1.2 and CUDA at once; in a kernel it is
 *  part of the prelude.
 *
 *  A row is `(KIND, type, name)`, after the list's first parameter for the first row and after its
 *  second one for all others. A list may contain another list:
 *
 *      #define SMOOTH(FIRST, NEXT) \
 *          FIRST(IN, float, in) NEXT(OUT, float, out) NEXT(VALUE, float, weight) NEXT(VALUE, uint,
 *          n) VIEW(smooth_view, SMOOTH)
 *
 *      __kernel void smooth(HED_VIEW_PARAMETERS(SMOOTH))
 *      {
 *          HED_VIEW_HERE(smooth_view, view, SMOOTH);
 *          ... view.in[i], view.weight ...
 *      }
 *
 *  KIND        parameter of the kernel                 description (author.h)
 *  IN          __global const type *restrict name      HED_IN
 *  OUT         __global type *restrict name            HED_OUT
 *  INOUT       __global type *restrict name            HED_INOUT
 *  SHARED_IN SHARED_OUT SHARED                         the same without `restrict`: other work
 *  items
 *                                                      write to the array during a launch
 *  SCRATCH     __global type *name                     HED_SCRATCH
 *  VALUE       type name                               HED_VALUE
 *  STRUCT      type name                               HED_VALUE_STRUCT
 *  LOCAL       HED_LOCAL(type, name)                   HED_ARRAY */
#ifndef HEDDLE_VIEW_H
#define HEDDLE_VIEW_H

#if defined(__OPENCL_C_VERSION__) || defined(__CUDACC_RTC__)
#define HED_VIEW_GLOBAL __global
#define HED_VIEW_LOCAL __local
#else
#include <stddef.h> /* C only, where there is no prelude */
#define HED_VIEW_GLOBAL
#define HED_VIEW_LOCAL
#endif

/* ---- the struct ---- */

/* Member of a view. */
#define HED_VIEW_MEMBER(kind, type, name) HED_VIEW_MEMBER_##kind(type, name)
#define HED_VIEW_MEMBER_IN(type, name) HED_VIEW_GLOBAL const type *name;
#define HED_VIEW_MEMBER_OUT(type, name) HED_VIEW_GLOBAL type *name;
#define HED_VIEW_MEMBER_INOUT(type, name) HED_VIEW_GLOBAL type *name;
#define HED_VIEW_MEMBER_SHARED_IN(type, name) HED_VIEW_GLOBAL const type *name;
#define HED_VIEW_MEMBER_SHARED_OUT(type, name) HED_VIEW_GLOBAL type *name;
#define HED_VIEW_MEMBER_SHARED(type, name) HED_VIEW_GLOBAL type *name;
#define HED_VIEW_MEMBER_SCRATCH(type, name) HED_VIEW_GLOBAL type *name;
#define HED_VIEW_MEMBER_VALUE(type, name) type name;
#define HED_VIEW_MEMBER_STRUCT(type, name) type name;
#define HED_VIEW_MEMBER_LOCAL(type, name) HED_VIEW_LOCAL type *name;

#if defined(__OPENCL_C_VERSION__) || defined(__CUDACC_RTC__)
/** Declares the struct `view` with a member for each row of a list. In C also the function
 *  `view`_of(), which makes a view from hed_native_call.arguments, and HED_ROW(). */
#define HED_VIEW(view, LIST) \
    typedef struct view { \
        LIST(HED_VIEW_MEMBER, HED_VIEW_MEMBER) \
    } view;
#else
#define HED_VIEW(view, LIST) \
    typedef struct view { \
        LIST(HED_VIEW_MEMBER, HED_VIEW_MEMBER) \
    } view; \
    static inline __attribute__((unused)) view view##_of(void *const *hed_argument_at) \
    { \
        view hed_view; \
        LIST(HED_VIEW_TAKE, HED_VIEW_TAKE) \
        return hed_view; \
    } \
    struct view##_rows { \
        LIST(HED_VIEW_BYTE, HED_VIEW_BYTE) \
    };

/** Index of a row among the arguments, a constant: `[HED_ROW(smooth_view, out)].tolerance = 1e-6`
 *  in HED_ARGUMENTS(), `geometry->local_bytes[HED_ROW(smooth_view, tile)]`. */
#define HED_ROW(view, name) offsetof(struct view##_rows, name)
#define HED_VIEW_BYTE(kind, type, name) char name;

/* Statement that sets a member from the next argument of a native call. */
#define HED_VIEW_TAKE(kind, type, name) HED_VIEW_TAKE_##kind(type, name)
#define HED_VIEW_TAKE_IN(type, name) hed_view.name = *hed_argument_at++;
#define HED_VIEW_TAKE_OUT(type, name) hed_view.name = *hed_argument_at++;
#define HED_VIEW_TAKE_INOUT(type, name) hed_view.name = *hed_argument_at++;
#define HED_VIEW_TAKE_SHARED_IN(type, name) hed_view.name = *hed_argument_at++;
#define HED_VIEW_TAKE_SHARED_OUT(type, name) hed_view.name = *hed_argument_at++;
#define HED_VIEW_TAKE_SHARED(type, name) hed_view.name = *hed_argument_at++;
#define HED_VIEW_TAKE_SCRATCH(type, name) hed_view.name = *hed_argument_at++;
#define HED_VIEW_TAKE_VALUE(type, name) hed_view.name = *(const type *)*hed_argument_at++;
#define HED_VIEW_TAKE_STRUCT(type, name) hed_view.name = *(const type *)*hed_argument_at++;
#define HED_VIEW_TAKE_LOCAL(type, name) hed_view.name = *hed_argument_at++; /* NULL */

/** Line of kernel text that defines a list, for a text within a C file: the first source of the
 *  kernel, `{"smooth.h", HED_VIEW_TEXT(SMOOTH), 0}`. */
#define HED_VIEW_TEXT(LIST) \
    "#define " #LIST "(FIRST, NEXT) " HED_VIEW_STRING(LIST(FIRST, NEXT)) "\n"
#define HED_VIEW_STRING(...) HED_VIEW_STRING_OF(__VA_ARGS__)
#define HED_VIEW_STRING_OF(...) #__VA_ARGS__
#endif

/* ---- the kernel ---- */

/** Parameters of a kernel, one for each row. */
#define HED_VIEW_PARAMETERS(LIST) LIST(HED_VIEW_PARAMETER, HED_VIEW_NEXT_PARAMETER)
#define HED_VIEW_NEXT_PARAMETER(kind, type, name) , HED_VIEW_PARAMETER_##kind(type, name)
#define HED_VIEW_PARAMETER(kind, type, name) HED_VIEW_PARAMETER_##kind(type, name)
#define HED_VIEW_PARAMETER_IN(type, name) HED_VIEW_GLOBAL const type *restrict name
#define HED_VIEW_PARAMETER_OUT(type, name) HED_VIEW_GLOBAL type *restrict name
#define HED_VIEW_PARAMETER_INOUT(type, name) HED_VIEW_GLOBAL type *restrict name
#define HED_VIEW_PARAMETER_SHARED_IN(type, name) HED_VIEW_GLOBAL const type *name
#define HED_VIEW_PARAMETER_SHARED_OUT(type, name) HED_VIEW_GLOBAL type *name
#define HED_VIEW_PARAMETER_SHARED(type, name) HED_VIEW_GLOBAL type *name
#define HED_VIEW_PARAMETER_SCRATCH(type, name) HED_VIEW_GLOBAL type *name
#define HED_VIEW_PARAMETER_VALUE(type, name) type name
#define HED_VIEW_PARAMETER_STRUCT(type, name) type name
#define HED_VIEW_PARAMETER_LOCAL(type, name) HED_LOCAL(type, name)

/** Declares `variable`, a view of the variables with the names of the rows: first line of a
 *  kernel's body, whose parameters they are. */
#define HED_VIEW_HERE(view, variable, LIST) \
    LIST(HED_VIEW_USE, HED_VIEW_USE) view variable = {LIST(HED_VIEW_NAME, HED_VIEW_NEXT_NAME)}
#define HED_VIEW_NAME(kind, type, name) name
#define HED_VIEW_NEXT_NAME(kind, type, name) , name
/* Statement before the use of an array in local memory. */
#define HED_VIEW_USE(kind, type, name) HED_VIEW_USE_##kind(type, name)
#define HED_VIEW_USE_IN(type, name)
#define HED_VIEW_USE_OUT(type, name)
#define HED_VIEW_USE_INOUT(type, name)
#define HED_VIEW_USE_SHARED_IN(type, name)
#define HED_VIEW_USE_SHARED_OUT(type, name)
#define HED_VIEW_USE_SHARED(type, name)
#define HED_VIEW_USE_SCRATCH(type, name)
#define HED_VIEW_USE_VALUE(type, name)
#define HED_VIEW_USE_STRUCT(type, name)
#define HED_VIEW_USE_LOCAL(type, name) HED_LOCAL_USE(type, name);

/* ---- description and launch, in C after author.h and launch.h ---- */

#if !defined(__OPENCL_C_VERSION__) && !defined(__CUDACC_RTC__)
/** Arguments from a list of view.h, in HED_ARGUMENTS(). Members of a row beyond its kind, type,
 *  name and element size (hed_argument_def.size) follow: `HED_ARGUMENTS(HED_VIEW_ARGUMENTS(SMOOTH),
 *  [HED_ROW(smooth_view, out)].tolerance = 1e-6)`. A struct of a buffer's elements has a word for
 *  its comparison: `#define HED_TYPE_particle HED_FLOAT`. */
#define HED_VIEW_ARGUMENTS(LIST) LIST(HED_VIEW_ARGUMENT, HED_VIEW_NEXT_ARGUMENT)
#define HED_VIEW_NEXT_ARGUMENT(kind, type, label) , HED_VIEW_ARGUMENT_##kind(type, label)
#define HED_VIEW_ARGUMENT(kind, type, label) HED_VIEW_ARGUMENT_##kind(type, label)
#define HED_VIEW_ARGUMENT_IN(type, label) HED_IN(type, label, .size = sizeof(type))
#define HED_VIEW_ARGUMENT_OUT(type, label) HED_OUT(type, label, .size = sizeof(type))
#define HED_VIEW_ARGUMENT_INOUT(type, label) HED_INOUT(type, label, .size = sizeof(type))
#define HED_VIEW_ARGUMENT_SHARED_IN(type, label) HED_IN(type, label, .size = sizeof(type))
#define HED_VIEW_ARGUMENT_SHARED_OUT(type, label) HED_OUT(type, label, .size = sizeof(type))
#define HED_VIEW_ARGUMENT_SHARED(type, label) HED_INOUT(type, label, .size = sizeof(type))
#define HED_VIEW_ARGUMENT_SCRATCH(type, label) HED_SCRATCH(type, label, .size = sizeof(type))
#define HED_VIEW_ARGUMENT_VALUE(type, label) HED_VALUE(type, label)
#define HED_VIEW_ARGUMENT_STRUCT(type, label) HED_VALUE_STRUCT(type, label)
#define HED_VIEW_ARGUMENT_LOCAL(type, label) HED_ARRAY(type, label)

/* hed_type of vectors, that of their elements, and of small integers, as in author.h. */
#define HED_TYPE_uchar HED_BYTES
#define HED_TYPE_ushort HED_BYTES
#define HED_TYPE_int2 HED_INT32
#define HED_TYPE_int4 HED_INT32
#define HED_TYPE_uint2 HED_UINT32
#define HED_TYPE_uint4 HED_UINT32
#define HED_TYPE_float2 HED_FLOAT
#define HED_TYPE_float4 HED_FLOAT

/** Declares the struct `launch`, with a hed_buffer for each array of a list, and its values, for
 *  HED_VIEW_ARGS(). */
#define HED_VIEW_LAUNCH(launch, LIST) \
    typedef struct launch { \
        LIST(HED_VIEW_BUFFER, HED_VIEW_BUFFER) \
    } launch; \
    HED_VIEW_BIND(launch, LIST, launch)
/** Arguments of a launch by their names, as two arguments of the call, pointer and count. They live
 *  until the enclosing block ends:
 *
 *      HED_VIEW_LAUNCH(smooth_launch, SMOOTH)
 *      hed_launch(stream, kernel, &problem,
 *          HED_VIEW_ARGS(smooth_launch, .in = in, .out = out, .weight = 0.25f, .n = n),
 *&error); */
#define HED_VIEW_ARGS(launch, ...) HED_VIEW_ARGS_FROM(launch, &((const launch){__VA_ARGS__}))

/** Declares `bind` for HED_VIEW_ARGS_FROM(): arguments of a list from a struct `source` whose
 *  members have the names of the list's rows, and may have others. One source serves several
 *  kernels. */
#define HED_VIEW_BIND(bind, LIST, source) \
    struct bind##_rows { \
        LIST(HED_VIEW_BYTE, HED_VIEW_BYTE) \
    }; \
    static inline __attribute__((unused)) \
    const hed_argument *bind##_arguments(const source *hed_from, hed_argument *hed_first) \
    { \
        hed_argument *hed_argument_at = hed_first; \
        (void)hed_from; \
        LIST(HED_VIEW_PUT, HED_VIEW_PUT) \
        return hed_first; \
    }
/** Arguments of a launch from a struct, as two arguments of the call, pointer and count. `from`
 *  points to the struct, which lives until the launch returns. */
#define HED_VIEW_ARGS_FROM(bind, from) \
    bind##_arguments(from, (hed_argument[HED_MAX_ARGUMENTS]){{.kind = HED_BUFFER}}), \
        (uint32_t)sizeof(struct bind##_rows)

/* Member of the struct of a launch. */
#define HED_VIEW_BUFFER(kind, type, name) HED_VIEW_BUFFER_##kind(type, name)
#define HED_VIEW_BUFFER_IN(type, name) hed_buffer *name;
#define HED_VIEW_BUFFER_OUT(type, name) hed_buffer *name;
#define HED_VIEW_BUFFER_INOUT(type, name) hed_buffer *name;
#define HED_VIEW_BUFFER_SHARED_IN(type, name) hed_buffer *name;
#define HED_VIEW_BUFFER_SHARED_OUT(type, name) hed_buffer *name;
#define HED_VIEW_BUFFER_SHARED(type, name) hed_buffer *name;
#define HED_VIEW_BUFFER_SCRATCH(type, name) hed_buffer *name;
#define HED_VIEW_BUFFER_VALUE(type, name) type name;
#define HED_VIEW_BUFFER_STRUCT(type, name) type name;
#define HED_VIEW_BUFFER_LOCAL(type, name)

/* Statement that writes an argument of a launch. */
#define HED_VIEW_PUT(kind, type, name) HED_VIEW_PUT_##kind(type, name)
#define HED_VIEW_PUT_IN(type, name) *hed_argument_at++ = hed_buffer_argument(hed_from->name);
#define HED_VIEW_PUT_OUT(type, name) *hed_argument_at++ = hed_buffer_argument(hed_from->name);
#define HED_VIEW_PUT_INOUT(type, name) *hed_argument_at++ = hed_buffer_argument(hed_from->name);
#define HED_VIEW_PUT_SHARED_IN(type, name) *hed_argument_at++ = hed_buffer_argument(hed_from->name);
#define HED_VIEW_PUT_SHARED_OUT(type, name) \
    *hed_argument_at++ = hed_buffer_argument(hed_from->name);
#define HED_VIEW_PUT_SHARED(type, name) *hed_argument_at++ = hed_buffer_argument(hed_from->name);
#define HED_VIEW_PUT_SCRATCH(type, name) *hed_argument_at++ = hed_buffer_argument(hed_from->name);
#define HED_VIEW_PUT_VALUE(type, name) *hed_argument_at++ = HED_ARG(hed_from->name);
#define HED_VIEW_PUT_STRUCT(type, name) \
    *hed_argument_at++ = hed_struct_argument(&hed_from->name, sizeof hed_from->name);
#define HED_VIEW_PUT_LOCAL(type, name) *hed_argument_at++ = hed_local_argument();

#endif

#endif
