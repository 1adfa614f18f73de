/* Packs of figures and the plain integrator, compiled for the baseline and on x86-64 for AVX2 with fused multiply-add; the one to use is asked for
 * at run time. AVX-512 was measured and left out: 16 lanes, and eight with its 32 registers, both gain nothing, because putting particles
 * together in wider registers costs what the arithmetic saves. */
#include "solver/native.h"

#include "heddle/math.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,fma")))
#define NAME(word) avx2_##word
#include "solver/native_lanes.h"
#undef TARGET
#undef NAME

__attribute__((target("avx2,fma"))) static uint32_t avx2_integrate(float *positions, float *previous, uint32_t count, const float *keep,
                                                                   const float *fall, float longest)
{
    __m128 share = _mm_loadu_ps(keep), drop = _mm_loadu_ps(fall), most = _mm_set1_ps(longest), sign = _mm_set1_ps(-0.0f);
    for (uint32_t i = 0; i < count; i++, positions += 4, previous += 4) {
        __m128 at = _mm_load_ps(positions), before = _mm_load_ps(previous);
        __m128 is_free = _mm_cmpgt_ps(_mm_permute_ps(at, 0xff), _mm_setzero_ps());
        __m128 way = _mm_and_ps(_mm_fmadd_ps(_mm_sub_ps(at, before), share, drop), is_free);
        if (_mm_movemask_ps(_mm_cmpgt_ps(_mm_andnot_ps(sign, way), most))) return i;
        _mm_store_ps(previous, _mm_blend_ps(at, before, 8));
        _mm_store_ps(positions, _mm_add_ps(at, way));
    }
    return count;
}
#endif

#define LANES_PLAIN
#define TARGET
#define NAME(word) plain_##word
#include "solver/native_lanes.h"

static uint32_t plain_integrate(float *positions, float *previous, uint32_t count, const float *keep, const float *fall, float longest)
{
    for (uint32_t i = 0; i < count; i++, positions += 4, previous += 4) {
        float way[3], farthest = 0.0f;
        for (int axis = 0; axis < 3; axis++) {
            way[axis] = positions[3] > 0.0f ? (positions[axis] - previous[axis]) * keep[axis] + fall[axis] : 0.0f;
            farthest = fmaxf(farthest, fabsf(way[axis]));
        }
        if (farthest > longest) return i;
        for (int axis = 0; axis < 3; axis++) {
            previous[axis] = positions[axis];
            positions[axis] += way[axis];
        }
    }
    return count;
}

const cloth_native_functions *cloth_native_best(void)
{
    static const cloth_native_functions plain = {"plain", plain_packs, plain_integrate};
#if defined(__x86_64__)
    static const cloth_native_functions avx2 = {"AVX2", avx2_packs, avx2_integrate};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &avx2;
#endif
    return &plain;
}
