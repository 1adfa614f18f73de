/* Packs of figures and of lines, and the plain integrator, compiled for the baseline, and on x86-64
 * also for AVX2 with fused multiply-add; the version is chosen at run time. AVX-512 is not used:
 * measurements with 16 lanes, and with eight lanes and its 32 registers, were not faster, because
 * collecting particles in wider registers costs as much as the arithmetic saves. */
#include "solver/native.h"

#include <math.h>

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,fma")))
#define NAME(word) avx2_##word
#include "solver/native_lanes.h"
#include "solver/native_figures.h"
#include "solver/native_systems.h"
#undef TARGET
#undef NAME

__attribute__((target("avx2,fma"))) static uint32_t avx2_integrate(
    const cloth_integrate_view *arrays, const cloth_verlet *verlet, uint32_t begin, uint32_t end)
{
    __m128 keep = _mm_loadu_ps(verlet->keep), fall = _mm_loadu_ps(verlet->fall),
           recalled = _mm_set1_ps(verlet->recalled), part = _mm_set1_ps(verlet->part),
           more = _mm_set1_ps(verlet->more), thrown = _mm_loadu_ps(verlet->thrown),
           most = _mm_set1_ps(verlet->longest), sign = _mm_set1_ps(-0.0f);
    /* Lanes of cloth_carry_of() and cloth_carry_pack(). */
    const __m128i unpack_carry =
                      _mm_setr_epi8(-1, -1, 0, 1, -1, -1, 2, 3, -1, -1, 6, 7, -1, -1, -1, -1),
                  pack_carry =
                      _mm_setr_epi8(2, 3, 6, 7, -1, -1, 10, 11, -1, -1, -1, -1, -1, -1, -1, -1);
    for (uint32_t i = begin; i < end; i++) {
        float *position = &arrays->position[i].x, *previous = &arrays->previous[i].x;
        __m128 at = _mm_load_ps(position), before = _mm_load_ps(previous);
        __m128 is_free = _mm_cmpgt_ps(_mm_permute_ps(at, 0xff), _mm_setzero_ps());
        __m128i carry = _mm_loadl_epi64((const __m128i *)(arrays->carry + i));
        __m128 carried = _mm_castsi128_ps(_mm_shuffle_epi8(carry, unpack_carry));
        __m128 motion = _mm_sub_ps(at, before), last = _mm_fmadd_ps(motion, recalled, carried);
        __m128 way = _mm_and_ps(_mm_fmadd_ps(last, keep, fall), is_free);
        if (_mm_movemask_ps(_mm_cmpgt_ps(_mm_andnot_ps(sign, way), most))) return i;
        __m128 moved = _mm_add_ps(at, way);
        __m128 loss = _mm_sub_ps(way, _mm_sub_ps(moved, at));
        __m128 recall = _mm_and_ps(_mm_fmadd_ps(motion, part, thrown), is_free),
               start = _mm_add_ps(at, recall);
        loss = _mm_fmadd_ps(_mm_sub_ps(_mm_sub_ps(start, at), recall), more, loss);
        __m128i rounded = _mm_add_epi32(_mm_castps_si128(loss), _mm_set1_epi32(0x8000));
        _mm_storel_epi64((__m128i *)(arrays->carry + i), _mm_shuffle_epi8(rounded, pack_carry));
        if (verlet->tethers && arrays->tether[i].x != CLOTH_NONE) {
            __m128 anchor = _mm_load_ps(&arrays->position[arrays->anchors[arrays->tether[i].x]].x),
                   offset = _mm_sub_ps(moved, anchor);
            float length = hed_as_float(arrays->tether[i].y),
                  square = _mm_cvtss_f32(_mm_dp_ps(offset, offset, 0x71));
            if (square > length * length)
                moved = _mm_blend_ps(
                    _mm_fmadd_ps(offset, _mm_set1_ps(length / sqrtf(square)), anchor), moved, 8);
        }
        _mm_store_ps(previous, _mm_blend_ps(start, before, 8));
        _mm_store_ps(position, moved);
    }
    return end;
}
#endif

#define LANES_PLAIN
#define TARGET
#define NAME(word) plain_##word
#include "solver/native_lanes.h"
#include "solver/native_figures.h"
#include "solver/native_systems.h"

static const cloth_native_functions versions[] = {
#if defined(__x86_64__)
    {"AVX2", avx2_packs, avx2_sweep, avx2_line, avx2_chain, avx2_shorten, avx2_follow,
        avx2_integrate},
#endif
    {"plain", plain_packs, plain_sweep, plain_line, plain_chain, plain_shorten, plain_follow, NULL},
};

const cloth_native_functions *cloth_native_functions_at(uint32_t index)
{
    uint32_t first = 0, count = sizeof versions / sizeof *versions;
#if defined(__x86_64__)
    first = !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
#endif
    return index < count - first ? versions + first + index : NULL;
}
