/* Fused multiply-add and upper halves of products for loops over lanes, read after system.h:
 * functions with a form for four lanes that clang's vectorizer may take in their place
 * (wasm/vector_fma.sh). */
#ifndef HEDDLE_WASM_FMA_LANES_H
#define HEDDLE_WASM_FMA_LANES_H

#define WASM_VISIBLE_TO_PASSES __attribute__((noinline, used, const, nothrow))

static WASM_VISIBLE_TO_PASSES float wasm_fma_lane(float a, float b, float c)
{
    return wasm_fma(a, b, c);
}

static WASM_VISIBLE_TO_PASSES __f32x4 wasm_fma_lanes(__f32x4 a, __f32x4 b, __f32x4 c)
{
    return (__f32x4)wasm_fma4((v128_t)a, (v128_t)b, (v128_t)c);
}

#undef fmaf
#define fmaf wasm_fma_lane

#include "heddle/math.h"

/* Clang does not vectorize the product of 64 bits itself. */
static WASM_VISIBLE_TO_PASSES uint32_t wasm_multiply_high_lane(uint32_t a, uint32_t b)
{
    return hed_multiply_high(a, b);
}

/* Hides a constant factor, for which clang replaces extmul by a slower product of 64 bits. */
static volatile v128_t wasm_zeros;

static WASM_VISIBLE_TO_PASSES __u32x4 wasm_multiply_high_lanes(__u32x4 a, __u32x4 b)
{
    v128_t factor = wasm_v128_or((v128_t)a, wasm_zeros);
    v128_t low = wasm_u64x2_extmul_low_u32x4(factor, (v128_t)b),
           high = wasm_u64x2_extmul_high_u32x4(factor, (v128_t)b);
    return (__u32x4)wasm_i32x4_shuffle(low, high, 1, 3, 5, 7);
}

#define hed_multiply_high wasm_multiply_high_lane

#endif
