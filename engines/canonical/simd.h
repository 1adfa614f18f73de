/* Eight floats that the compiler keeps in one register (two on processors with 128 bits). The words
 * are macros because a vector as a function's argument would tie the function to one instruction
 * set. */
#ifndef HED_CANONICAL_SIMD_H
#define HED_CANONICAL_SIMD_H

#include <string.h>

enum { HED_LANES = 8 };
typedef float hed_lanes __attribute__((vector_size(4 * HED_LANES)));

/* sum += a * from[0 .. HED_LANES), fused; `from` at any address. */
#define HED_LANES_FMA(sum, a, from) \
    do { \
        hed_lanes lanes_from; \
        memcpy(&lanes_from, from, sizeof lanes_from); \
        for (int lane = 0; lane < HED_LANES; lane++) \
            (sum)[lane] = __builtin_fmaf(a, lanes_from[lane], (sum)[lane]); \
    } while (0)

#endif
