/* Pairs of contact in lanes, for C: the positions of their ends and their planes in arrays, on which
 * compilers run a loop over lanes in vector registers. */
#ifndef CLOTH_CONTACT_LANES_H
#define CLOTH_CONTACT_LANES_H

#include "contact/contact_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { BLOCK_LANES = 16, BLOCK_FOUR = 4 };

/* Vectorised loops have functions of their own: compilers fail to vectorise them among other
 * loops. A further clone is for AVX-512, with a block in one register, and has the same bits. */
#if defined(__GNUC__) && defined(__x86_64__)
#if defined(__clang__)
#define BLOCK_AVX512 "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma"
#else
#define BLOCK_AVX512 "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,prefer-vector-width=512"
#endif
static inline bool block_has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
}
static inline bool block_has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#define BLOCK_CLONES(name, parameters, arguments) \
    HED_CLONES( \
        static __attribute__((noinline)), name##_narrow, name##_body, parameters, arguments) \
    __attribute__((target(BLOCK_AVX512), flatten)) static void name##_avx512 parameters \
    { \
        name##_body arguments; \
    } \
    static void name parameters \
    { \
        if (block_has_avx512()) name##_avx512 arguments; \
        else name##_narrow arguments; \
    }
#else
#define BLOCK_CLONES(name, parameters, arguments) \
    HED_CLONES(static __attribute__((noinline)), name, name##_body, parameters, arguments)
#endif

/* Component of four float4, or one float4. */
typedef float block_four __attribute__((vector_size(16)));

/* Transposes four rows of four. */
static inline void block_transpose(block_four rows[BLOCK_FOUR])
{
    block_four ab = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5),
               cd = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5),
               ab_high = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7),
               cd_high = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
    rows[0] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    rows[1] = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    rows[2] = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
    rows[3] = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

/* Elements of 16 bytes in lanes: [axis][lane]. */
typedef struct block_lanes {
    _Alignas(64) float axes[4][BLOCK_LANES];
} block_lanes;

/* Gathers elements of 16 bytes: lane i of to[k] has from[at[k * BLOCK_LANES + i]], for k below
 * `count`. */
static inline void block_gather_plain(block_lanes *to, const void *from, const uint *at, uint count)
{
    const float4 *elements = from;
    for (uint k = 0; k < count; k++)
        for (uint lane = 0; lane < BLOCK_LANES; lane += BLOCK_FOUR) {
            block_four rows[BLOCK_FOUR];
            for (uint row = 0; row < BLOCK_FOUR; row++)
                memcpy(&rows[row], elements + at[k * BLOCK_LANES + lane + row], sizeof *rows);
            block_transpose(rows);
            for (uint axis = 0; axis < BLOCK_FOUR; axis++)
                memcpy(to[k].axes[axis] + lane, &rows[axis], sizeof *rows);
        }
}
#ifdef BLOCK_AVX512
__attribute__((target("avx2,fma"))) static void block_gather_avx2(
    block_lanes *to, const void *from, const uint *at, uint count)
{
    const float4 *elements = from;
    for (uint k = 0; k < count; k++)
        for (uint lane = 0; lane < BLOCK_LANES; lane += 8) {
            const uint *i = at + k * BLOCK_LANES + lane;
            __m256 rows[4];
            for (uint row = 0; row < 4; row++)
                rows[row] =
                    _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(&elements[i[row]].x)),
                        _mm_loadu_ps(&elements[i[row + 4]].x), 1);
            __m256d low = _mm256_castps_pd(_mm256_unpacklo_ps(rows[0], rows[1])),
                    high = _mm256_castps_pd(_mm256_unpackhi_ps(rows[0], rows[1])),
                    next_low = _mm256_castps_pd(_mm256_unpacklo_ps(rows[2], rows[3])),
                    next_high = _mm256_castps_pd(_mm256_unpackhi_ps(rows[2], rows[3]));
            _mm256_store_pd((double *)(to[k].axes[0] + lane), _mm256_unpacklo_pd(low, next_low));
            _mm256_store_pd((double *)(to[k].axes[1] + lane), _mm256_unpackhi_pd(low, next_low));
            _mm256_store_pd((double *)(to[k].axes[2] + lane), _mm256_unpacklo_pd(high, next_high));
            _mm256_store_pd((double *)(to[k].axes[3] + lane), _mm256_unpackhi_pd(high, next_high));
        }
}
#endif
#ifdef BLOCK_AVX512
__attribute__((target(BLOCK_AVX512))) static void block_gather_avx512(
    block_lanes *to, const void *from, const uint *at, uint count)
{
    const float4 *elements = from;
    for (uint k = 0; k < count; k++) {
        __m512 rows[4];
        for (uint row = 0; row < 4; row++) {
            const uint *i = at + k * BLOCK_LANES + row;
            __m512 first = _mm512_castps128_ps512(_mm_loadu_ps(&elements[i[0]].x));
            first = _mm512_insertf32x4(first, _mm_loadu_ps(&elements[i[4]].x), 1);
            first = _mm512_insertf32x4(first, _mm_loadu_ps(&elements[i[8]].x), 2);
            rows[row] = _mm512_insertf32x4(first, _mm_loadu_ps(&elements[i[12]].x), 3);
        }
        __m512d low = _mm512_castps_pd(_mm512_unpacklo_ps(rows[0], rows[1])),
                high = _mm512_castps_pd(_mm512_unpackhi_ps(rows[0], rows[1])),
                next_low = _mm512_castps_pd(_mm512_unpacklo_ps(rows[2], rows[3])),
                next_high = _mm512_castps_pd(_mm512_unpackhi_ps(rows[2], rows[3]));
        _mm512_store_pd((double *)to[k].axes[0], _mm512_unpacklo_pd(low, next_low));
        _mm512_store_pd((double *)to[k].axes[1], _mm512_unpackhi_pd(low, next_low));
        _mm512_store_pd((double *)to[k].axes[2], _mm512_unpacklo_pd(high, next_high));
        _mm512_store_pd((double *)to[k].axes[3], _mm512_unpackhi_pd(high, next_high));
    }
}
#endif
static void block_gather(block_lanes *to, const void *from, const uint *at, uint count)
{
#ifdef BLOCK_AVX512
    if (block_has_avx512()) {
        block_gather_avx512(to, from, at, count);
        return;
    }
    if (block_has_avx2()) {
        block_gather_avx2(to, from, at, count);
        return;
    }
#endif
    block_gather_plain(to, from, at, count);
}

/* ---- boxes ---- */

enum { BLOCK_BOX_LANES = 8 };

/* Boxes with neighbouring numbers in lanes: low sides, then high ones. */
typedef struct block_boxes_of {
    uint first; /* number of the first box */
    block_lanes sides;
} block_boxes_of;

/* Search for boxes of groups that overlap a box, with numbers from `from` on and before `to`. */
typedef struct block_search {
    const block_boxes_of *groups;
    const uint *groups_at; /* (count) indices of the groups */
    uint count, from, to;
    const float4 *box; /* low, high */
} block_search;

/* Writes the numbers of the boxes, `*total` in all; `numbers` has space for all boxes and
 * one group more. */
static inline void block_overlapping_plain(uint *numbers, uint *total, const block_search *search)
{
    const float4 low = search->box[0], high = search->box[1];
    uint written = 0;
    for (uint k = 0; k < search->count; k++) {
        const block_boxes_of *group = search->groups + search->groups_at[k];
        const float(*lows)[BLOCK_LANES] = group->sides.axes;
        for (uint lane = 0; lane < BLOCK_BOX_LANES; lane++) {
            uint top = lane + BLOCK_BOX_LANES, number = group->first + lane;
            uint misses = (lows[0][lane] > high.x) | (lows[0][top] < low.x) |
                          (lows[1][lane] > high.y) | (lows[1][top] < low.y) |
                          (lows[2][lane] > high.z) | (lows[2][top] < low.z);
            numbers[written] = number;
            written += !misses & (number >= search->from) & (number < search->to);
        }
    }
    *total = written;
}
#ifdef BLOCK_AVX512
/* Writes the sides of a box, each in all lanes. */
__attribute__((target("avx2,fma"))) static inline void block_box_lanes(
    const float4 *box, __m256 low[3], __m256 high[3])
{
    const float lows[3] = {box[0].x, box[0].y, box[0].z}, highs[3] = {box[1].x, box[1].y, box[1].z};
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = _mm256_set1_ps(lows[axis]);
        high[axis] = _mm256_set1_ps(highs[axis]);
    }
}

__attribute__((target("avx2,fma"))) static void block_overlapping_avx2(
    uint *numbers, uint *total, const block_search *search)
{
    __m256 low[3], high[3];
    block_box_lanes(search->box, low, high);
    uint written = 0;
    for (uint k = 0; k < search->count; k++) {
        const block_boxes_of *group = search->groups + search->groups_at[k];
        __m256 misses = _mm256_setzero_ps();
        for (int axis = 0; axis < 3; axis++) {
            const float *lows = group->sides.axes[axis], *highs = lows + BLOCK_BOX_LANES;
            misses = _mm256_or_ps(
                misses, _mm256_or_ps(_mm256_cmp_ps(_mm256_load_ps(lows), high[axis], _CMP_GT_OQ),
                            _mm256_cmp_ps(_mm256_load_ps(highs), low[axis], _CMP_LT_OQ)));
        }
        for (uint hits = ~(uint)_mm256_movemask_ps(misses) & 0xffu; hits; hits &= hits - 1u) {
            uint number = group->first + (uint)__builtin_ctz(hits);
            numbers[written] = number;
            written += (number >= search->from) & (number < search->to);
        }
    }
    *total = written;
}
#endif
#ifdef BLOCK_AVX512
__attribute__((target(BLOCK_AVX512))) static void block_overlapping_avx512(
    uint *numbers, uint *total, const block_search *search)
{
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
                  from = _mm256_set1_epi32((int)search->from),
                  to = _mm256_set1_epi32((int)search->to);
    __m256 low[3], high[3];
    block_box_lanes(search->box, low, high);
    uint written = 0;
    for (uint k = 0; k < search->count; k++) {
        const block_boxes_of *group = search->groups + search->groups_at[k];
        __m256i number = _mm256_add_epi32(_mm256_set1_epi32((int)group->first), lanes);
        uint misses =
            (uint)_mm256_cmplt_epu32_mask(number, from) | (uint)_mm256_cmpge_epu32_mask(number, to);
        for (int axis = 0; axis < 3; axis++) {
            const float *lows = group->sides.axes[axis], *highs = lows + BLOCK_BOX_LANES;
            misses |= (uint)_mm256_cmp_ps_mask(_mm256_load_ps(lows), high[axis], _CMP_GT_OQ) |
                      (uint)_mm256_cmp_ps_mask(_mm256_load_ps(highs), low[axis], _CMP_LT_OQ);
        }
        __mmask8 hits = (__mmask8)~misses;
        _mm256_storeu_si256(
            (__m256i *)(numbers + written), _mm256_maskz_compress_epi32(hits, number));
        written += (uint)__builtin_popcount(hits);
    }
    *total = written;
}
#endif
static inline void block_overlapping(uint *numbers, uint *total, const block_search *search)
{
#ifdef BLOCK_AVX512
    if (block_has_avx512()) {
        block_overlapping_avx512(numbers, total, search);
        return;
    }
    if (block_has_avx2()) {
        block_overlapping_avx2(numbers, total, search);
        return;
    }
#endif
    block_overlapping_plain(numbers, total, search);
}

/* ---- pairs ---- */

/* Gathers the ends of pairs `at`, [end][lane], of which `edges` are edges. */
static inline void block_gather_ends(
    uint *ends, uint *edges, const contact_pair *pairs, const uint *at)
{
    block_lanes words;
    block_gather(&words, pairs, at, 1);
    memcpy(ends, &words, sizeof words);
    for (uint lane = 0; lane < BLOCK_LANES; lane++) {
        edges[lane] = ends[lane] & CONTACT_EDGES;
        ends[lane] &= ~CONTACT_EDGES;
    }
}

static inline float4 block_float4(const block_lanes *of, int lane)
{
    return (float4){of->axes[0][lane], of->axes[1][lane], of->axes[2][lane], of->axes[3][lane]};
}

static inline contact_ends block_ends(const block_lanes positions[4], int lane)
{
    return (contact_ends){block_float4(positions, lane), block_float4(positions + 1, lane),
        block_float4(positions + 2, lane), block_float4(positions + 3, lane)};
}

#endif
