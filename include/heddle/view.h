/** @file view.h
 *  Argument lists of kernels, written once. A list is a macro with a row for each argument of a
 *  kernel, in order; struct, parameters and unpacking are made from the list here, description and
 *  launch by author.h. This text is C, OpenCL C 1.2 and CUDA at once; in a kernel it is part of the
 *  prelude.
 *
 *  A row is `(KIND, type, name)`, after the list's first parameter for the first row and after its
 *  second one for all others. A list may contain another list:
 *
 *      #define SMOOTH(FIRST, NEXT) \
 *          FIRST(IN, float, in) NEXT(OUT, float, out) NEXT(VALUE, float, weight) NEXT(VALUE, uint, n)
 *      HED_VIEW(smooth_view, SMOOTH)
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
 *  SHARED_IN SHARED_OUT SHARED                         the same without `restrict`: other work items
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

/** Index of a row among the arguments, a constant: `[HED_ROW(smooth_view, out)].tolerance = 1e-6` in
 *  HED_ARGUMENTS(), `geometry->local_bytes[HED_ROW(smooth_view, tile)]`. */
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

#endif
