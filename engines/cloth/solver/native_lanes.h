/* Octets of figures in SIMD registers, for one instruction set: read by native_octets.c with NAME and TARGET defined, and LANES_AVX where
 * x86-64's registers of eight floats are there. Without them lanes are arrays, which the compiler puts into what registers there are.
 *
 * Particles are float4 in memory. Eight of them are loaded as such and transposed in registers to x, y, z and weight: one cache line
 * each instead of three or four, and half the cost of gathers. Root and quotient are the processor's estimates with one step of Newton's
 * method, good to about two units in the last place. */

#ifdef LANES_AVX
typedef __m256 NAME(lanes);
#define LANES NAME(lanes)
#define FUNCTION TARGET static inline __attribute__((always_inline))
FUNCTION LANES NAME(all)(float value) { return _mm256_set1_ps(value); }
FUNCTION LANES NAME(read)(const uint32_t *words) { return _mm256_load_ps((const float *)words); }
FUNCTION LANES NAME(subtract)(LANES a, LANES b) { return _mm256_sub_ps(a, b); }
FUNCTION LANES NAME(add)(LANES a, LANES b) { return _mm256_add_ps(a, b); }
FUNCTION LANES NAME(multiply)(LANES a, LANES b) { return _mm256_mul_ps(a, b); }
FUNCTION LANES NAME(fused)(LANES a, LANES b, LANES c) { return _mm256_fmadd_ps(a, b, c); }
FUNCTION LANES NAME(negated)(LANES a, LANES b, LANES c) { return _mm256_fnmadd_ps(a, b, c); }
FUNCTION LANES NAME(least)(LANES a, LANES b) { return _mm256_min_ps(a, b); }
FUNCTION LANES NAME(most)(LANES a, LANES b) { return _mm256_max_ps(a, b); }

/* 1 / sqrt(a) */
FUNCTION LANES NAME(inverse_root)(LANES a)
{
    LANES y = _mm256_rsqrt_ps(a), half = _mm256_mul_ps(_mm256_set1_ps(0.5f), a);
    return _mm256_mul_ps(y, _mm256_fnmadd_ps(_mm256_mul_ps(half, y), y, _mm256_set1_ps(1.5f)));
}

/* 1 / a */
FUNCTION LANES NAME(inverse)(LANES a)
{
    LANES y = _mm256_rcp_ps(a);
    return _mm256_mul_ps(y, _mm256_fnmadd_ps(a, y, _mm256_set1_ps(2.0f)));
}

typedef struct NAME(four) {
    LANES x, y, z, w;
} NAME(four);

FUNCTION __m256 NAME(two)(const char *positions, const uint32_t *offsets, int lane)
{
    __m128 low = _mm_load_ps((const float *)(positions + offsets[lane])), high = _mm_load_ps((const float *)(positions + offsets[lane + 4]));
    return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
}

FUNCTION NAME(four) NAME(load)(const char *positions, const uint32_t *offsets)
{
    __m256 a = NAME(two)(positions, offsets, 0), b = NAME(two)(positions, offsets, 1);
    __m256 c = NAME(two)(positions, offsets, 2), d = NAME(two)(positions, offsets, 3);
    __m256 ab = _mm256_unpacklo_ps(a, b), abh = _mm256_unpackhi_ps(a, b), cd = _mm256_unpacklo_ps(c, d), cdh = _mm256_unpackhi_ps(c, d);
    return (NAME(four)){_mm256_shuffle_ps(ab, cd, 0x44), _mm256_shuffle_ps(ab, cd, 0xee), _mm256_shuffle_ps(abh, cdh, 0x44),
                        _mm256_shuffle_ps(abh, cdh, 0xee)};
}

FUNCTION void NAME(put)(char *positions, const uint32_t *offsets, int lane, __m256 two)
{
    _mm_store_ps((float *)(positions + offsets[lane]), _mm256_castps256_ps128(two));
    _mm_store_ps((float *)(positions + offsets[lane + 4]), _mm256_extractf128_ps(two, 1));
}

FUNCTION void NAME(store)(char *positions, const uint32_t *offsets, NAME(four) p)
{
    __m256 xy = _mm256_unpacklo_ps(p.x, p.y), xyh = _mm256_unpackhi_ps(p.x, p.y), zw = _mm256_unpacklo_ps(p.z, p.w),
           zwh = _mm256_unpackhi_ps(p.z, p.w);
    NAME(put)(positions, offsets, 0, _mm256_shuffle_ps(xy, zw, 0x44));
    NAME(put)(positions, offsets, 1, _mm256_shuffle_ps(xy, zw, 0xee));
    NAME(put)(positions, offsets, 2, _mm256_shuffle_ps(xyh, zwh, 0x44));
    NAME(put)(positions, offsets, 3, _mm256_shuffle_ps(xyh, zwh, 0xee));
}

FUNCTION float NAME(lane_of)(LANES a, int lane)
{
    union {
        LANES lanes;
        float floats[CLOTH_LANES];
    } both = {a};
    return both.floats[lane];
}
#else
typedef struct NAME(lanes) {
    float lane[CLOTH_LANES];
} NAME(lanes);
#define LANES NAME(lanes)
#define FUNCTION static inline
#define EACH(expression) \
    LANES made; \
    for (int i = 0; i < CLOTH_LANES; i++) made.lane[i] = expression; \
    return made
FUNCTION LANES NAME(all)(float value) { EACH(value); }
FUNCTION LANES NAME(read)(const uint32_t *words)
{
    LANES made;
    memcpy(&made, words, sizeof made);
    return made;
}
FUNCTION LANES NAME(subtract)(LANES a, LANES b) { EACH(a.lane[i] - b.lane[i]); }
FUNCTION LANES NAME(add)(LANES a, LANES b) { EACH(a.lane[i] + b.lane[i]); }
FUNCTION LANES NAME(multiply)(LANES a, LANES b) { EACH(a.lane[i] * b.lane[i]); }
FUNCTION LANES NAME(fused)(LANES a, LANES b, LANES c) { EACH(a.lane[i] * b.lane[i] + c.lane[i]); }
FUNCTION LANES NAME(negated)(LANES a, LANES b, LANES c) { EACH(c.lane[i] - a.lane[i] * b.lane[i]); }
FUNCTION LANES NAME(least)(LANES a, LANES b) { EACH(a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i]); }
FUNCTION LANES NAME(most)(LANES a, LANES b) { EACH(a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]); }
FUNCTION LANES NAME(inverse_root)(LANES a) { EACH(1.0f / sqrtf(a.lane[i])); }
FUNCTION LANES NAME(inverse)(LANES a) { EACH(1.0f / a.lane[i]); }

typedef struct NAME(four) {
    LANES x, y, z, w;
} NAME(four);

FUNCTION NAME(four) NAME(load)(const char *positions, const uint32_t *offsets)
{
    NAME(four) made;
    for (int i = 0; i < CLOTH_LANES; i++) {
        const float *p = (const float *)(positions + offsets[i]);
        made.x.lane[i] = p[0], made.y.lane[i] = p[1], made.z.lane[i] = p[2], made.w.lane[i] = p[3];
    }
    return made;
}

FUNCTION void NAME(store)(char *positions, const uint32_t *offsets, NAME(four) p)
{
    for (int i = 0; i < CLOTH_LANES; i++) {
        float *to = (float *)(positions + offsets[i]);
        to[0] = p.x.lane[i], to[1] = p.y.lane[i], to[2] = p.z.lane[i];
    }
}

FUNCTION float NAME(lane_of)(LANES a, int lane) { return a.lane[lane]; }
#undef EACH
#endif

/* Other octets may hold the same locked particle at the same moment, in another thread: it is read, never written. */
FUNCTION void NAME(store_free)(char *positions, const uint32_t *offsets, NAME(four) p)
{
    for (int i = 0; i < CLOTH_LANES; i++) {
        float *to = (float *)(positions + offsets[i]);
        if (!(NAME(lane_of)(p.w, i) > 0.0f)) continue;
        to[0] = NAME(lane_of)(p.x, i), to[1] = NAME(lane_of)(p.y, i), to[2] = NAME(lane_of)(p.z, i);
    }
}

/* cloth_project() of physics.h, eight at a time. */
FUNCTION void NAME(project)(NAME(four) *a, NAME(four) *b, LANES rest, const cloth_limits *limits)
{
    LANES x = NAME(subtract)(b->x, a->x), y = NAME(subtract)(b->y, a->y), z = NAME(subtract)(b->z, a->z);
    LANES weight = NAME(most)(NAME(add)(NAME(add)(a->w, b->w), NAME(all)(limits->give)), NAME(all)(1e-20f));
    LANES square = NAME(fused)(x, x, NAME(fused)(y, y, NAME(fused)(z, z, NAME(all)(1e-24f))));
    LANES inverse = NAME(multiply)(NAME(inverse_root)(square), rest), one = NAME(all)(1.0f);
    LANES allowed = NAME(least)(NAME(most)(one, NAME(multiply)(inverse, NAME(all)(limits->low))), NAME(multiply)(inverse, NAME(all)(limits->high)));
    LANES part = NAME(multiply)(NAME(subtract)(one, allowed), NAME(inverse)(weight));
    LANES pa = NAME(multiply)(a->w, part), pb = NAME(multiply)(b->w, part);
    a->x = NAME(fused)(pa, x, a->x);
    a->y = NAME(fused)(pa, y, a->y);
    a->z = NAME(fused)(pa, z, a->z);
    b->x = NAME(negated)(pb, x, b->x);
    b->y = NAME(negated)(pb, y, b->y);
    b->z = NAME(negated)(pb, z, b->z);
}

/* One octet; `shape` is known where this is inlined. */
FUNCTION void NAME(octet)(char *positions, const uint32_t *words, cloth_shape shape, const cloth_limits *limits)
{
    const uint32_t *offsets = words + CLOTH_HEADER_WORDS, *rests = offsets + CLOTH_LANES * cloth_shape_particles(shape);
    NAME(four) p[4];
    for (uint32_t v = 0; v < cloth_shape_particles(shape); v++) p[v] = NAME(load)(positions, offsets + CLOTH_LANES * v);
#define PROJECT(e, a, b) NAME(project)(p + a, p + b, NAME(read)(rests + CLOTH_LANES * e), limits + words[e])
    PROJECT(0, 0, 1);
    if (shape != CLOTH_SHAPE_PAIR) {
        PROJECT(1, 2, 3);
        PROJECT(2, 0, 2);
        PROJECT(3, 1, 3);
    }
    if (shape == CLOTH_SHAPE_COMPLETE) {
        PROJECT(4, 0, 3);
        PROJECT(5, 1, 2);
    }
#undef PROJECT
    if (words[6])
        for (uint32_t v = 0; v < cloth_shape_particles(shape); v++) NAME(store_free)(positions, offsets + CLOTH_LANES * v, p[v]);
    else
        for (uint32_t v = 0; v < cloth_shape_particles(shape); v++) NAME(store)(positions, offsets + CLOTH_LANES * v, p[v]);
}

TARGET static void NAME(octets)(void *positions, const cloth_octets *octets, const cloth_limits *limits)
{
    const uint32_t *words = octets->words;
#define ALL(shape) \
    for (uint32_t k = 0; k < octets->count; k++, words += cloth_octet_words(shape)) NAME(octet)(positions, words, shape, limits)
    if (octets->shape == CLOTH_SHAPE_PAIR)
        ALL(CLOTH_SHAPE_PAIR);
    else if (octets->shape == CLOTH_SHAPE_RING)
        ALL(CLOTH_SHAPE_RING);
    else
        ALL(CLOTH_SHAPE_COMPLETE);
#undef ALL
}

#undef FUNCTION
#undef LANES
