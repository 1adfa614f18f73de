/* Arithmetic of eight lanes in SIMD registers, and of eight particles, for one instruction set.
 * native_packs.c includes this file, native_figures.h and native_systems.h with NAME and TARGET
 * defined, and LANES_PLAIN if lanes are arrays, which the compiler vectorises.
 *
 * Particles are float4 in memory, loaded as float4 and transposed in registers to x, y, z and
 * inverse mass: one cache line for a particle instead of three or four, and half the cost of
 * gathers. Root and quotient are the processor's estimates with one step of Newton's method; their
 * error is about two units in the last place. */
#undef FUNCTION
#undef CALL
#undef PARTICLES
#undef VECTOR
#define VECTOR NAME(vector)
#define PARTICLES NAME(particles)
#define CALL(function, ...) NAME(function)(__VA_ARGS__)

#if defined(LANES_PLAIN)
typedef struct NAME(vector) {
    float lane[CLOTH_LANES];
} VECTOR;
#define FUNCTION static inline
#define EACH(expression) \
    VECTOR made; \
    for (int i = 0; i < CLOTH_LANES; i++) made.lane[i] = expression; \
    return made
FUNCTION VECTOR NAME(all)(float value) { EACH(value); }
FUNCTION VECTOR NAME(read)(const uint32_t *words)
{
    VECTOR made;
    memcpy(&made, words, sizeof made);
    return made;
}
FUNCTION void NAME(write)(float *values, VECTOR a) { memcpy(values, &a, sizeof a); }
FUNCTION VECTOR NAME(subtract)(VECTOR a, VECTOR b) { EACH(a.lane[i] - b.lane[i]); }
FUNCTION VECTOR NAME(add)(VECTOR a, VECTOR b) { EACH(a.lane[i] + b.lane[i]); }
FUNCTION VECTOR NAME(multiply)(VECTOR a, VECTOR b) { EACH(a.lane[i] * b.lane[i]); }
FUNCTION VECTOR NAME(fused)(VECTOR a, VECTOR b, VECTOR c)
{
    EACH(a.lane[i] * b.lane[i] + c.lane[i]);
}
FUNCTION VECTOR NAME(negated)(VECTOR a, VECTOR b, VECTOR c)
{
    EACH(c.lane[i] - a.lane[i] * b.lane[i]);
}
FUNCTION VECTOR NAME(least)(VECTOR a, VECTOR b)
{
    EACH(a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i]);
}
FUNCTION VECTOR NAME(most)(VECTOR a, VECTOR b)
{
    EACH(a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]);
}
FUNCTION VECTOR NAME(root_estimate)(VECTOR a) { EACH(1.0f / sqrtf(a.lane[i])); }
FUNCTION VECTOR NAME(inverse_estimate)(VECTOR a) { EACH(1.0f / a.lane[i]); }
#undef EACH
#else
typedef __m256 VECTOR;
#define FUNCTION TARGET static inline __attribute__((always_inline))
FUNCTION VECTOR NAME(all)(float value) { return _mm256_set1_ps(value); }
FUNCTION VECTOR NAME(read)(const uint32_t *words) { return _mm256_load_ps((const float *)words); }
FUNCTION void NAME(write)(float *values, VECTOR a) { _mm256_storeu_ps(values, a); }
FUNCTION VECTOR NAME(subtract)(VECTOR a, VECTOR b) { return _mm256_sub_ps(a, b); }
FUNCTION VECTOR NAME(add)(VECTOR a, VECTOR b) { return _mm256_add_ps(a, b); }
FUNCTION VECTOR NAME(multiply)(VECTOR a, VECTOR b) { return _mm256_mul_ps(a, b); }
FUNCTION VECTOR NAME(fused)(VECTOR a, VECTOR b, VECTOR c) { return _mm256_fmadd_ps(a, b, c); }
FUNCTION VECTOR NAME(negated)(VECTOR a, VECTOR b, VECTOR c) { return _mm256_fnmadd_ps(a, b, c); }
FUNCTION VECTOR NAME(least)(VECTOR a, VECTOR b) { return _mm256_min_ps(a, b); }
FUNCTION VECTOR NAME(most)(VECTOR a, VECTOR b) { return _mm256_max_ps(a, b); }
FUNCTION VECTOR NAME(root_estimate)(VECTOR a) { return _mm256_rsqrt_ps(a); }
FUNCTION VECTOR NAME(inverse_estimate)(VECTOR a) { return _mm256_rcp_ps(a); }
#endif

typedef struct PARTICLES {
    VECTOR x, y, z, w;
} PARTICLES;

/* ---- float4 to lanes and back ---- */

#if defined(LANES_PLAIN)
FUNCTION PARTICLES NAME(load)(const char *positions, const uint32_t *offsets)
{
    PARTICLES made;
    for (int i = 0; i < CLOTH_LANES; i++) {
        const float *p = (const float *)(positions + offsets[i]);
        made.x.lane[i] = p[0], made.y.lane[i] = p[1], made.z.lane[i] = p[2], made.w.lane[i] = p[3];
    }
    return made;
}

FUNCTION void NAME(store)(char *positions, const uint32_t *offsets, PARTICLES p)
{
    for (int i = 0; i < CLOTH_LANES; i++) {
        float *to = (float *)(positions + offsets[i]);
        to[0] = p.x.lane[i], to[1] = p.y.lane[i], to[2] = p.z.lane[i];
    }
}
#else
/* Loads particle `lane` into the lower half and particle `lane` + 4 into the upper half. */
FUNCTION VECTOR NAME(collect)(const char *positions, const uint32_t *offsets, int lane)
{
    __m128 low = _mm_load_ps((const float *)(positions + offsets[lane])),
           high = _mm_load_ps((const float *)(positions + offsets[lane + 4]));
    return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
}

FUNCTION void NAME(spread)(char *positions, const uint32_t *offsets, int lane, VECTOR two)
{
    _mm_store_ps((float *)(positions + offsets[lane]), _mm256_castps256_ps128(two));
    _mm_store_ps((float *)(positions + offsets[lane + 4]), _mm256_extractf128_ps(two, 1));
}

FUNCTION PARTICLES NAME(load)(const char *positions, const uint32_t *offsets)
{
    VECTOR a = NAME(collect)(positions, offsets, 0), b = NAME(collect)(positions, offsets, 1);
    VECTOR c = NAME(collect)(positions, offsets, 2), d = NAME(collect)(positions, offsets, 3);
    VECTOR ab = _mm256_unpacklo_ps(a, b), abh = _mm256_unpackhi_ps(a, b),
           cd = _mm256_unpacklo_ps(c, d), cdh = _mm256_unpackhi_ps(c, d);
    return (PARTICLES){_mm256_shuffle_ps(ab, cd, 0x44), _mm256_shuffle_ps(ab, cd, 0xee),
        _mm256_shuffle_ps(abh, cdh, 0x44), _mm256_shuffle_ps(abh, cdh, 0xee)};
}

FUNCTION void NAME(store)(char *positions, const uint32_t *offsets, PARTICLES p)
{
    VECTOR xy = _mm256_unpacklo_ps(p.x, p.y), xyh = _mm256_unpackhi_ps(p.x, p.y),
           zw = _mm256_unpacklo_ps(p.z, p.w), zwh = _mm256_unpackhi_ps(p.z, p.w);
    CALL(spread, positions, offsets, 0, _mm256_shuffle_ps(xy, zw, 0x44));
    CALL(spread, positions, offsets, 1, _mm256_shuffle_ps(xy, zw, 0xee));
    CALL(spread, positions, offsets, 2, _mm256_shuffle_ps(xyh, zwh, 0x44));
    CALL(spread, positions, offsets, 3, _mm256_shuffle_ps(xyh, zwh, 0xee));
}
#endif

/* Stores free particles. Another thread may read the same locked particle at this moment, so locked
 * particles are never written. */
FUNCTION void NAME(store_free)(char *positions, const uint32_t *offsets, PARTICLES p)
{
    float numbers[4][CLOTH_LANES];
    CALL(write, numbers[0], p.x);
    CALL(write, numbers[1], p.y);
    CALL(write, numbers[2], p.z);
    CALL(write, numbers[3], p.w);
    for (int i = 0; i < CLOTH_LANES; i++) {
        float *to = (float *)(positions + offsets[i]);
        if (numbers[3][i] > 0.0f)
            to[0] = numbers[0][i], to[1] = numbers[1][i], to[2] = numbers[2][i];
    }
}

/* ---- products and quotients ---- */

FUNCTION VECTOR NAME(inverse)(VECTOR a)
{
    VECTOR estimate = NAME(inverse_estimate)(a);
    return NAME(multiply)(estimate, NAME(negated)(a, estimate, NAME(all)(2.0f)));
}

/* Computes p -= share * way. */
FUNCTION void NAME(shift_back)(PARTICLES *p, VECTOR share, const PARTICLES *way)
{
    p->x = NAME(negated)(share, way->x, p->x);
    p->y = NAME(negated)(share, way->y, p->y);
    p->z = NAME(negated)(share, way->z, p->z);
}

FUNCTION VECTOR NAME(inner)(const PARTICLES *a, const PARTICLES *b)
{
    return NAME(fused)(a->x, b->x, NAME(fused)(a->y, b->y, NAME(multiply)(a->z, b->z)));
}

/* Lanes of an inverse root, with one step of Newton's method. */
FUNCTION VECTOR NAME(inverse_root)(VECTOR square)
{
    VECTOR root = NAME(root_estimate)(square);
    return NAME(multiply)(
        root, NAME(negated)(NAME(multiply)(NAME(multiply)(square, NAME(all)(0.5f)), root), root,
                  NAME(all)(1.5f)));
}

FUNCTION PARTICLES NAME(from)(PARTICLES at, const PARTICLES *origin)
{
    return (PARTICLES){NAME(subtract)(at.x, origin->x), NAME(subtract)(at.y, origin->y),
        NAME(subtract)(at.z, origin->z), at.w};
}
