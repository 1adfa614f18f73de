/* probe.wasm: true if the relaxed multiply-add of this machine rounds once. Then (1 + 2^-12)^2 - (1
 * + 2^-11) is 2^-24, otherwise 0. */
#include <wasm_simd128.h>

int hedw_fuses(void);

__attribute__((export_name("fuses"))) int hedw_fuses(void)
{
    volatile float a = 1.000244140625f, c = -1.00048828125f;
    v128_t sum =
        wasm_f32x4_relaxed_madd(wasm_f32x4_splat(a), wasm_f32x4_splat(a), wasm_f32x4_splat(c));
    return wasm_f32x4_extract_lane(sum, 0) != 0.0f;
}
