/* The prelude's names that the engines' formulas use, in C: one text has the formulas for every
 * device and for the native functions. C has the strict versions only; compile with
 * -ffp-contract=off. */
#ifndef HED_SUPPORT_WORDS_H
#define HED_SUPPORT_WORDS_H

#include "heddle/math.h"

#include <stdint.h>
#include <tgmath.h> /* sqrt, fma, fabs of a float are float, as on devices */

typedef uint16_t ushort;
typedef uint32_t uint;
typedef struct uint2 {
    uint x, y;
} uint2;
typedef struct uint4 {
    uint x, y, z, w;
} uint4;
typedef struct float4 {
    float x, y, z, w;
} float4;

#define HED_STRICT 1
/* NOLINTBEGIN(bugprone-reserved-identifier): words of OpenCL C */
#define __global
#define __local
/* NOLINTEND(bugprone-reserved-identifier) */
#define hed_f4(x, y, z, w) ((float4){(x), (y), (z), (w)})
#define hed_u2(x, y) ((uint2){(x), (y)})
#define as_uint(x) hed_as_uint(x)
#define as_float(x) hed_as_float(x)

#endif
