/* Fused multiply-add for loops over lanes, read after system.h: a function with a form for four
 * lanes that clang's vectorizer may take in its place (wasm/vector_fma.sh). */
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

#endif
