/* Solution of packs of eight figures in SIMD registers, for one instruction set. native_packs.c
 * includes this file with NAME and TARGET defined, and LANES_PLAIN if lanes are arrays, which the
 * compiler vectorises.
 *
 * Particles are float4 in memory, loaded as float4 and transposed in registers to x, y, z and
 * inverse mass: one cache line for a particle instead of three or four, and half the cost of
 * gathers. Root and quotient are the processor's estimates with one step of Newton's method; their
 * error is about two units in the last place.
 *
 * A figure is a chain of dependent operations, whose latency bounds the speed: operations that do
 * not depend on positions are outside the chain. */
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

/* ---- constraints ---- */

FUNCTION VECTOR NAME(inverse)(VECTOR a)
{
    VECTOR estimate = NAME(inverse_estimate)(a);
    return NAME(multiply)(estimate, NAME(negated)(a, estimate, NAME(all)(2.0f)));
}

/* Projects pairs of equal inverse masses: each particle moves by (1 - rest length / length) / 2 of
 * the vector to the other. */
FUNCTION void NAME(project_even)(PARTICLES *a, PARTICLES *b, VECTOR rest)
{
    VECTOR x = NAME(subtract)(b->x, a->x), y = NAME(subtract)(b->y, a->y),
           z = NAME(subtract)(b->z, a->z), half = NAME(all)(0.5f);
    VECTOR square = NAME(fused)(x, x, NAME(fused)(y, y, NAME(fused)(z, z, NAME(all)(1e-24f))));
    VECTOR root = NAME(root_estimate)(square);
    /* Newton's step for half the inverse root */
    VECTOR newton = NAME(negated)(
        NAME(multiply)(NAME(multiply)(square, NAME(all)(0.25f)), root), root, NAME(all)(0.75f));
    VECTOR part = NAME(negated)(NAME(multiply)(rest, root), newton, half);
    a->x = NAME(fused)(part, x, a->x);
    a->y = NAME(fused)(part, y, a->y);
    a->z = NAME(fused)(part, z, a->z);
    b->x = NAME(negated)(part, x, b->x);
    b->y = NAME(negated)(part, y, b->y);
    b->z = NAME(negated)(part, z, b->z);
}

/* Projects pairs as cloth_project() (physics.h): with r = allowed length / length, each end moves
 * by inverse mass / (sum of inverse masses and give) * (1 - r) of the vector to the other. */
FUNCTION void NAME(project)(PARTICLES *a, PARTICLES *b, VECTOR rest, const cloth_limits *limits)
{
    VECTOR low = NAME(multiply)(rest, NAME(all)(limits->low)),
           high = NAME(multiply)(rest, NAME(all)(limits->high));
    VECTOR weight =
        NAME(most)(NAME(add)(NAME(add)(a->w, b->w), NAME(all)(limits->give)), NAME(all)(1e-20f));
    VECTOR inverse = NAME(inverse)(weight);
    VECTOR wa = NAME(multiply)(a->w, inverse), wb = NAME(multiply)(b->w, inverse);

    VECTOR x = NAME(subtract)(b->x, a->x), y = NAME(subtract)(b->y, a->y),
           z = NAME(subtract)(b->z, a->z);
    VECTOR square = NAME(fused)(x, x, NAME(fused)(y, y, NAME(fused)(z, z, NAME(all)(1e-24f))));
    VECTOR root = NAME(root_estimate)(square);
    VECTOR newton = NAME(negated)(
        NAME(multiply)(NAME(multiply)(square, NAME(all)(0.5f)), root), root, NAME(all)(1.5f));
    VECTOR shortest = NAME(multiply)(NAME(multiply)(low, root), newton),
           longest = NAME(multiply)(NAME(multiply)(high, root), newton);
    VECTOR ratio = NAME(least)(NAME(most)(NAME(all)(1.0f), shortest), longest);
    VECTOR pa = NAME(negated)(wa, ratio, wa), pb = NAME(negated)(wb, ratio, wb);
    a->x = NAME(fused)(pa, x, a->x);
    a->y = NAME(fused)(pa, y, a->y);
    a->z = NAME(fused)(pa, z, a->z);
    b->x = NAME(negated)(pb, x, b->x);
    b->y = NAME(negated)(pb, y, b->y);
    b->z = NAME(negated)(pb, z, b->z);
}

/* Solves a pack of any inverse masses and materials. */
FUNCTION void NAME(pack)(
    char *positions, const uint32_t *words, cloth_shape shape, const cloth_limits *limits)
{
    const uint32_t *offsets = words + CLOTH_LANES,
                   *rests = offsets + CLOTH_LANES * cloth_shape_particles(shape);
    PARTICLES p[4];
    for (uint32_t v = 0; v < cloth_shape_particles(shape); v++)
        p[v] = NAME(load)(positions, offsets + CLOTH_LANES * v);
    for (uint32_t e = 0; e < cloth_shape_constraints(shape); e++)
        CALL(project, p + cloth_figure_ends[e][0], p + cloth_figure_ends[e][1],
            NAME(read)(rests + CLOTH_LANES * e), limits + words[e]);
    for (uint32_t v = 0; v < cloth_shape_particles(shape); v++)
        if (words[CLOTH_LOCKED]) CALL(store_free, positions, offsets + CLOTH_LANES * v, p[v]);
        else CALL(store, positions, offsets + CLOTH_LANES * v, p[v]);
}

/* Computes p -= share * way. */
FUNCTION void NAME(shift_back)(PARTICLES *p, VECTOR share, const PARTICLES *way)
{
    p->x = NAME(negated)(share, way->x, p->x);
    p->y = NAME(negated)(share, way->y, p->y);
    p->z = NAME(negated)(share, way->z, p->z);
}

/* Lanes of cloth_way_of() (physics.h). */
FUNCTION PARTICLES NAME(way_of)(const PARTICLES *corner, VECTOR gb, VECTOR gc)
{
    PARTICLES way = {NAME(multiply)(gc, NAME(subtract)(corner[2].x, corner[0].x)),
        NAME(multiply)(gc, NAME(subtract)(corner[2].y, corner[0].y)),
        NAME(multiply)(gc, NAME(subtract)(corner[2].z, corner[0].z)), gc};
    way.x = NAME(fused)(gb, NAME(subtract)(corner[1].x, corner[0].x), way.x);
    way.y = NAME(fused)(gb, NAME(subtract)(corner[1].y, corner[0].y), way.y);
    way.z = NAME(fused)(gb, NAME(subtract)(corner[1].z, corner[0].z), way.z);
    return way;
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

/* Lanes of cloth_strain(). `g`: two rows; `pulled`: minus the multiplier. */
FUNCTION void NAME(strain)(PARTICLES *corner, const uint32_t *g, VECTOR give, VECTOR *pulled)
{
    VECTOR k[3] = {NAME(all)(0.0f), NAME(read)(g), NAME(read)(g + CLOTH_LANES)};
    PARTICLES way = NAME(way_of)(corner, k[1], k[2]);
    VECTOR weight = give, square = NAME(add)(NAME(inner)(&way, &way), NAME(all)(1e-24f)),
           root = NAME(inverse_root)(square);
    k[0] = NAME(subtract)(NAME(subtract)(k[0], k[1]), k[2]);
    for (int v = 0; v < 3; v++)
        weight = NAME(fused)(NAME(multiply)(k[v], k[v]), corner[v].w, weight);
    VECTOR part = NAME(multiply)(
        NAME(negated)(NAME(multiply)(give, *pulled), root, NAME(subtract)(NAME(all)(1.0f), root)),
        NAME(inverse)(weight));
    *pulled = NAME(fused)(part, NAME(multiply)(square, root), *pulled);
    for (int v = 0; v < 3; v++)
        CALL(shift_back, corner + v, NAME(multiply)(NAME(multiply)(part, k[v]), corner[v].w), &way);
}

/* Lanes of cloth_strain_coupled(). `g`: two rows of the warp and two of the weft. */
FUNCTION void NAME(strain_coupled)(
    PARTICLES *corner, const uint32_t *g, VECTOR coupling, VECTOR give, VECTOR *pulled)
{
    VECTOR k[3] = {NAME(all)(0.0f), NAME(read)(g), NAME(read)(g + CLOTH_LANES)},
           l[3] = {NAME(all)(0.0f), NAME(read)(g + 2 * CLOTH_LANES),
               NAME(read)(g + 3 * CLOTH_LANES)},
           weight = give, one = NAME(all)(1.0f), least = NAME(all)(1e-12f);
    PARTICLES u = NAME(way_of)(corner, k[1], k[2]), v = NAME(way_of)(corner, l[1], l[2]);
    VECTOR uu = NAME(most)(NAME(inner)(&u, &u), least), vv = NAME(most)(NAME(inner)(&v, &v), least),
           per_u = NAME(inverse_root)(uu), per_v = NAME(inverse_root)(vv),
           uv = NAME(multiply)(NAME(inner)(&u, &v), NAME(multiply)(per_u, per_v)),
           twice = NAME(multiply)(NAME(add)(coupling, coupling), uv),
           excess = NAME(fused)(coupling, NAME(subtract)(NAME(multiply)(uu, per_u), one),
               NAME(subtract)(NAME(multiply)(vv, per_v), one));
    k[0] = NAME(subtract)(NAME(subtract)(k[0], k[1]), k[2]);
    l[0] = NAME(subtract)(NAME(subtract)(l[0], l[1]), l[2]);
    for (int i = 0; i < 3; i++) {
        VECTOR part = NAME(multiply)(coupling, k[i]),
               squares =
                   NAME(fused)(l[i], NAME(fused)(twice, k[i], l[i]), NAME(multiply)(part, part));
        weight = NAME(fused)(squares, corner[i].w, weight);
    }
    VECTOR pull = NAME(multiply)(NAME(negated)(give, *pulled, excess), NAME(inverse)(weight)),
           part_u = NAME(multiply)(NAME(multiply)(pull, coupling), per_u),
           part_v = NAME(multiply)(pull, per_v);
    *pulled = NAME(add)(*pulled, pull);
    for (int i = 0; i < 3; i++) {
        CALL(shift_back, corner + i, NAME(multiply)(NAME(multiply)(part_v, l[i]), corner[i].w), &v);
        CALL(shift_back, corner + i, NAME(multiply)(NAME(multiply)(part_u, k[i]), corner[i].w), &u);
    }
}

/* Lanes of cloth_square_up(). `g`: two rows of the warp and two of the weft. */
FUNCTION void NAME(square_up)(PARTICLES *corner, const uint32_t *g, VECTOR give, VECTOR *pulled)
{
    VECTOR k[3] = {NAME(all)(0.0f), NAME(read)(g), NAME(read)(g + CLOTH_LANES)},
           l[3] = {NAME(all)(0.0f), NAME(read)(g + 2 * CLOTH_LANES),
               NAME(read)(g + 3 * CLOTH_LANES)},
           weight = give;
    PARTICLES u = NAME(way_of)(corner, k[1], k[2]), v = NAME(way_of)(corner, l[1], l[2]);
    VECTOR uu = NAME(inner)(&u, &u), vv = NAME(inner)(&v, &v), uv = NAME(inner)(&u, &v),
           twice = NAME(add)(uv, uv);
    k[0] = NAME(subtract)(NAME(subtract)(k[0], k[1]), k[2]);
    l[0] = NAME(subtract)(NAME(subtract)(l[0], l[1]), l[2]);
    for (int i = 0; i < 3; i++) {
        VECTOR squares = NAME(fused)(NAME(multiply)(l[i], l[i]), uu,
            NAME(fused)(
                NAME(multiply)(k[i], l[i]), twice, NAME(multiply)(NAME(multiply)(k[i], k[i]), vv)));
        weight = NAME(fused)(squares, corner[i].w, weight);
    }
    VECTOR part = NAME(multiply)(NAME(negated)(give, *pulled, uv), NAME(inverse)(weight));
    *pulled = NAME(add)(*pulled, part);
    for (int i = 0; i < 3; i++) {
        VECTOR share = NAME(multiply)(part, corner[i].w);
        CALL(shift_back, corner + i, NAME(multiply)(share, l[i]), &u);
        CALL(shift_back, corner + i, NAME(multiply)(share, k[i]), &v);
    }
}

/* Lanes of cloth_flatten(). `weights`: six rows. */
FUNCTION void NAME(flatten)(PARTICLES *p, const uint32_t *weights, float stiffness)
{
    VECTOR k[6], weight = NAME(all)(stiffness), zero = NAME(all)(0.0f);
    PARTICLES sum = {zero, zero, zero, zero};
    for (int v = 0; v < 6; v++) {
        k[v] = NAME(read)(weights + CLOTH_LANES * v);
        weight = NAME(fused)(NAME(multiply)(k[v], k[v]), p[v].w, weight);
        if (v == 3) continue;
        sum.x = NAME(fused)(k[v], NAME(subtract)(p[v].x, p[3].x), sum.x);
        sum.y = NAME(fused)(k[v], NAME(subtract)(p[v].y, p[3].y), sum.y);
        sum.z = NAME(fused)(k[v], NAME(subtract)(p[v].z, p[3].z), sum.z);
    }
    VECTOR inverse = NAME(inverse)(weight);
    for (int v = 0; v < 6; v++)
        CALL(shift_back, p + v, NAME(multiply)(NAME(multiply)(k[v], p[v].w), inverse), &sum);
}

FUNCTION PARTICLES NAME(from)(PARTICLES at, const PARTICLES *origin)
{
    return (PARTICLES){NAME(subtract)(at.x, origin->x), NAME(subtract)(at.y, origin->y),
        NAME(subtract)(at.z, origin->z), at.w};
}

/* Solves the strains of a pack of elements: p: corners relative to the first one; `rows`: from
 * cloth_element.warp on; `pulled`: minus the multipliers. */
FUNCTION void NAME(strains)(PARTICLES *p, const uint32_t *rows, float stiffness, VECTOR pulled[3])
{
    const uint32_t *compliance = rows + 4 * CLOTH_LANES;
    VECTOR give[3];
    for (int k = 0; k < 3; k++)
        give[k] = NAME(multiply)(NAME(read)(compliance + CLOTH_LANES * k), NAME(all)(stiffness));
    CALL(square_up, p, rows, give[2], pulled + 2);
    CALL(strain_coupled, p, rows, NAME(read)(compliance + 3 * CLOTH_LANES), give[1], pulled + 1);
    CALL(strain, p, rows, give[0], pulled);
}

/* Moves particle `v` of a pack by `part` times the correction; p: relative to `origin`. */
FUNCTION void NAME(move)(char *positions, const uint32_t *words, int v, const PARTICLES *p,
    const PARTICLES *origin, VECTOR part)
{
    const uint32_t *offsets = words + CLOTH_LANES * (1 + v);
    PARTICLES at = NAME(load)(positions, offsets), before = NAME(from)(at, origin);
    at.x = NAME(fused)(NAME(subtract)(p->x, before.x), part, at.x);
    at.y = NAME(fused)(NAME(subtract)(p->y, before.y), part, at.y);
    at.z = NAME(fused)(NAME(subtract)(p->z, before.z), part, at.z);
    if (words[CLOTH_LOCKED]) CALL(store_free, positions, offsets, at);
    else CALL(store, positions, offsets, at);
}

/* Solves a pack of elements as cloth_element_one() (particle.h), the first sweep over its strains.
 * `kept`: three rows of multipliers for the other sweeps; NULL: this sweep is the only one. */
FUNCTION void NAME(element_pack)(
    char *positions, const uint32_t *words, float stiffness, float *kept)
{
    const uint32_t *offsets = words + CLOTH_LANES, *rows = offsets + 6 * CLOTH_LANES,
                   *bend = rows + 8 * CLOTH_LANES;
    PARTICLES p[6], origin = NAME(load)(positions, offsets + 3 * CLOTH_LANES);
    VECTOR zero = NAME(all)(0.0f), pulled[3] = {zero, zero, zero};
    for (int v = 0; v < 6; v++)
        p[v] = NAME(from)(NAME(load)(positions, offsets + CLOTH_LANES * v), &origin);
    for (int row = 0; row < 3; row++) CALL(flatten, p, bend + 6 * CLOTH_LANES * row, stiffness);
    CALL(strains, p + 3, rows, stiffness, pulled);
    for (int k = 0; kept && k < 3; k++) NAME(write)(kept + CLOTH_LANES * k, pulled[k]);
    for (int v = 0; v < 6; v++) CALL(move, positions, words, v, p + v, &origin, NAME(all)(1.0f));
}

/* Solves a later sweep over the strains of a pack of elements. */
FUNCTION void NAME(strain_pack)(
    char *positions, const uint32_t *words, float stiffness, uint32_t sweep, float *kept)
{
    const uint32_t *offsets = words + CLOTH_LANES, *rows = offsets + 6 * CLOTH_LANES;
    PARTICLES p[3], origin = NAME(load)(positions, offsets + 3 * CLOTH_LANES);
    VECTOR before[3], pulled[3], part = NAME(all)(cloth_strain_part(sweep));
    for (int v = 0; v < 3; v++)
        p[v] = NAME(from)(NAME(load)(positions, offsets + CLOTH_LANES * (3 + v)), &origin);
    for (int k = 0; k < 3; k++) memcpy(before + k, kept + CLOTH_LANES * k, sizeof *before);
    memcpy(pulled, before, sizeof pulled);
    CALL(strains, p, rows, stiffness, pulled);
    for (int k = 0; k < 3; k++) NAME(write)
    (kept + CLOTH_LANES * k, NAME(fused)(NAME(subtract)(pulled[k], before[k]), part, before[k]));
    for (int v = 0; v < 3; v++) CALL(move, positions, words, 3 + v, p + v, &origin, part);
}

/* Solves a pack of cells as cloth_cell_one() (particle.h) with one iteration. */
FUNCTION void NAME(cell_pack)(char *positions, const uint32_t *words, float stiffness, float over)
{
    const uint32_t *offsets = words + CLOTH_LANES, *rests = offsets + 4 * CLOTH_LANES;
    PARTICLES p[4], way[2];
    VECTOR least = NAME(all)(1e-12f), per[2], excess[2], give[2], weight[2];
    for (int v = 0; v < 4; v++) p[v] = NAME(load)(positions, offsets + CLOTH_LANES * v);
    for (int k = 0; k < 2; k++) {
        way[k] = NAME(from)(p[2 * k + 1], p + 2 * k);
        VECTOR square = NAME(most)(NAME(inner)(way + k, way + k), least);
        per[k] = NAME(inverse_root)(square);
        weight[k] = NAME(add)(p[2 * k].w, p[2 * k + 1].w);
        excess[k] =
            NAME(subtract)(NAME(multiply)(square, per[k]), NAME(read)(rests + CLOTH_LANES * k));
        give[k] = NAME(multiply)(NAME(read)(rests + CLOTH_LANES * (2 + k)), NAME(all)(stiffness));
    }
    VECTOR both = NAME(add)(weight[0], weight[1]), part[2], factor = NAME(all)(over);
    for (int k = 0; k < 2; k++)
        part[k] = over > 0.0f
                      ? NAME(multiply)(factor,
                            NAME(inverse)(NAME(most)(both, NAME(multiply)(factor, give[k]))))
                      : NAME(inverse)(NAME(add)(both, give[k]));
    VECTOR sum = NAME(multiply)(NAME(add)(excess[0], excess[1]), part[0]),
           turned = NAME(negated)(
               NAME(subtract)(weight[0], weight[1]), sum, NAME(subtract)(excess[0], excess[1])),
           turn = NAME(multiply)(turned, part[1]);
    const VECTOR pull[2] = {NAME(add)(sum, turn), NAME(subtract)(sum, turn)};
    for (int v = 0; v < 4; v++) {
        VECTOR moved = NAME(multiply)(NAME(multiply)(pull[v / 2], per[v / 2]), p[v].w);
        if (v % 2 == 0) moved = NAME(subtract)(NAME(all)(0.0f), moved);
        CALL(shift_back, p + v, moved, way + v / 2);
        if (words[CLOTH_LOCKED]) CALL(store_free, positions, offsets + CLOTH_LANES * v, p[v]);
        else CALL(store, positions, offsets + CLOTH_LANES * v, p[v]);
    }
}

/* Solves an even pack. The inverse mass is known, so it needs no register. */
FUNCTION void NAME(even_pack)(char *positions, const uint32_t *words, cloth_shape shape)
{
    const uint32_t *offsets = words + CLOTH_LANES,
                   *rests = offsets + CLOTH_LANES * cloth_shape_particles(shape);
    PARTICLES p[4];
    for (uint32_t v = 0; v < cloth_shape_particles(shape); v++)
        p[v] = NAME(load)(positions, offsets + CLOTH_LANES * v);
    for (uint32_t e = 0; e < cloth_shape_constraints(shape); e++)
        CALL(project_even, p + cloth_figure_ends[e][0], p + cloth_figure_ends[e][1],
            NAME(read)(rests + CLOTH_LANES * e));
    for (uint32_t v = 0; v < cloth_shape_particles(shape); v++) {
        p[v].w = NAME(all)(hed_as_float(words[CLOTH_EVEN]));
        CALL(store, positions, offsets + CLOTH_LANES * v, p[v]);
    }
}

FUNCTION void NAME(packs_of)(
    char *positions, const cloth_packs *packs, cloth_shape shape, const cloth_limits *limits)
{
    const uint32_t *words = packs->words;
    for (uint32_t k = 0; k < packs->count; k++, words += cloth_pack_words(shape))
        if (words[CLOTH_EVEN]) CALL(even_pack, positions, words, shape);
        else CALL(pack, positions, words, shape, limits);
}

TARGET static void NAME(packs)(
    void *positions, const cloth_packs *packs, const cloth_limits *limits)
{
    if (packs->shape == CLOTH_SHAPE_ELEMENT)
        for (uint32_t k = 0; k < packs->count; k++)
            CALL(element_pack, positions, packs->words + k * cloth_pack_words(CLOTH_SHAPE_ELEMENT),
                limits->stiffness,
                packs->pulled ? packs->pulled + 3 * CLOTH_LANES * (uint64_t)k : NULL);
    else if (packs->shape == CLOTH_SHAPE_CELL)
        for (uint32_t k = 0; k < packs->count; k++)
            CALL(cell_pack, positions, packs->words + k * cloth_pack_words(CLOTH_SHAPE_CELL),
                limits->stiffness, limits->over);
    else if (packs->shape == CLOTH_SHAPE_PAIR)
        CALL(packs_of, positions, packs, CLOTH_SHAPE_PAIR, limits);
    else if (packs->shape == CLOTH_SHAPE_RING)
        CALL(packs_of, positions, packs, CLOTH_SHAPE_RING, limits);
    else CALL(packs_of, positions, packs, CLOTH_SHAPE_COMPLETE, limits);
}

TARGET static void NAME(sweep)(
    void *positions, const cloth_packs *packs, float stiffness, uint32_t sweep)
{
    for (uint32_t k = 0; packs->pulled && k < packs->count; k++)
        CALL(strain_pack, positions, packs->words + k * cloth_pack_words(CLOTH_SHAPE_ELEMENT),
            stiffness, sweep, packs->pulled + 3 * CLOTH_LANES * (uint64_t)k);
}

/* ---- lines: cloth_line_row_of(), cloth_line_forth(), cloth_line_back() and cloth_line_move() of
 * particle.h in one forward and one backward pass, with one iteration ---- */

/* Moves particles by the multipliers of a row. `weight`: the row's weight of the particle. */
FUNCTION void NAME(pull)(PARTICLES *p, VECTOR weight, const PARTICLES *pull)
{
    VECTOR part = NAME(multiply)(weight, p->w);
    p->x = NAME(fused)(part, pull->x, p->x);
    p->y = NAME(fused)(part, pull->y, p->y);
    p->z = NAME(fused)(part, pull->z, p->z);
}

typedef struct NAME(elimination) {
    PARTICLES one,
        two; /* right sides of the two rows before, or multipliers of the two rows after */
    VECTOR near, far, inverse, inverse_before;
} NAME(elimination);

/* Factorises a row and substitutes forward. `sum`: right side; w: diagonal; `with_one`, `with_two`:
 * elements left of the diagonal. Writes L and the scaled right side to `scratch`. */
FUNCTION void NAME(eliminate)(
    NAME(elimination) * e, PARTICLES sum, VECTOR with_one, VECTOR with_two, float *scratch)
{
    with_one = NAME(negated)(with_two, e->near, with_one);
    e->near = NAME(multiply)(with_one, e->inverse);
    e->far = NAME(multiply)(with_two, e->inverse_before);
    e->inverse_before = e->inverse;
    e->inverse =
        NAME(inverse)(NAME(negated)(with_two, e->far, NAME(negated)(with_one, e->near, sum.w)));
    CALL(shift_back, &sum, e->far, &e->two);
    CALL(shift_back, &sum, e->near, &e->one);
    e->two = e->one;
    e->one = sum;
    CALL(write, scratch, e->near);
    CALL(write, scratch + CLOTH_LANES, e->far);
    CALL(write, scratch + 2 * CLOTH_LANES, NAME(multiply)(sum.x, e->inverse));
    CALL(write, scratch + 3 * CLOTH_LANES, NAME(multiply)(sum.y, e->inverse));
    CALL(write, scratch + 4 * CLOTH_LANES, NAME(multiply)(sum.z, e->inverse));
}

/* Substitutes backward: stores the row's multipliers in e->one, and the row's L in `near` and
 * `inverse` for the rows before. */
FUNCTION void NAME(substitute)(NAME(elimination) * e, const float *scratch)
{
    const uint32_t *words = (const uint32_t *)scratch;
    PARTICLES sum = {NAME(read)(words + 2 * CLOTH_LANES), NAME(read)(words + 3 * CLOTH_LANES),
        NAME(read)(words + 4 * CLOTH_LANES), e->one.w};
    CALL(shift_back, &sum, e->far, &e->two);
    CALL(shift_back, &sum, e->near, &e->one);
    e->two = e->one;
    e->one = sum;
    e->far = e->inverse;
    e->near = NAME(read)(words);
    e->inverse = NAME(read)(words + CLOTH_LANES);
}

FUNCTION VECTOR NAME(weight_of)(
    const PARTICLES *p, const VECTOR *k, const PARTICLES *q, const VECTOR *l)
{
    return NAME(fused)(NAME(multiply)(*k, *k), p->w, NAME(multiply)(NAME(multiply)(*l, *l), q->w));
}

/* Computes sum -= k (p - from). */
FUNCTION void NAME(take)(PARTICLES *sum, VECTOR k, const PARTICLES *p, const PARTICLES *from)
{
    sum->x = NAME(negated)(k, NAME(subtract)(p->x, from->x), sum->x);
    sum->y = NAME(negated)(k, NAME(subtract)(p->y, from->y), sum->y);
    sum->z = NAME(negated)(k, NAME(subtract)(p->z, from->z), sum->z);
}

/* Solves a pack of lines or strips. `strip`: the pack's `across`; 0: lines. */
FUNCTION void NAME(line_of)(
    char *positions, const cloth_line_pack *pack, uint32_t strip, float stiffness, float *scratch)
{
    enum { ROW = 4 * CLOTH_LANES };
    const uint32_t *offsets = pack->words, *weights = pack->words + CLOTH_LANES;
    uint32_t step = pack->step, count = pack->count;
    VECTOR zero = NAME(all)(0.0f), give = NAME(all)(stiffness), l1 = zero, l2 = zero, m2 = zero;
    PARTICLES none = {zero, zero, zero, zero}, a = NAME(load)(positions, offsets), d = none,
              b = NAME(load)(positions + step, offsets), c = none;
    NAME(elimination) e = {none, none, zero, zero, zero, zero};
    if (strip) d = NAME(load)(positions + strip, offsets);
    for (uint32_t j = 0; j < count; j++) {
        const uint32_t *k = weights + ROW * j;
        VECTOR k0 = NAME(read)(k), k1 = NAME(read)(k + CLOTH_LANES),
               k2 = NAME(read)(k + 2 * CLOTH_LANES), ka = NAME(multiply)(k0, a.w), link, far = zero;
        PARTICLES sum = none;
        c = NAME(load)(positions + (uint64_t)step * (strip ? j + 1 : j + 2) + strip, offsets);
        sum.w = NAME(add)(give, NAME(weight_of)(&a, &k0, &b, &k1));
        sum.w = NAME(fused)(NAME(multiply)(k2, k2), c.w, sum.w);
        CALL(take, &sum, k0, &a, &b);
        CALL(take, &sum, k2, &c, &b);
        link = NAME(multiply)(ka, l1);
        if (strip) {
            VECTOR k3 = NAME(read)(k + 3 * CLOTH_LANES);
            sum.w = NAME(fused)(NAME(multiply)(k3, k3), d.w, sum.w);
            CALL(take, &sum, k3, &d, &b);
            link = NAME(fused)(NAME(multiply)(k3, d.w), l2, link);
        } else {
            link = NAME(fused)(NAME(multiply)(k1, b.w), l2, link);
            far = NAME(multiply)(ka, m2);
        }
        CALL(eliminate, &e, sum, link, far, scratch + CLOTH_LINE_SCRATCH * (uint64_t)j);
        m2 = l2;
        l1 = k1;
        l2 = k2;
        a = b;
        if (strip) {
            d = c;
            b = NAME(load)(positions + (uint64_t)step * (j + 2 <= count ? j + 2 : count), offsets);
        } else b = c;
    }
    /* a particle moves when the multipliers of all its rows are known */
    VECTOR k_one[4] = {zero, zero, zero, zero}, k_two[4] = {zero, zero, zero, zero}, k[4];
    e = (NAME(elimination)){none, none, zero, zero, zero, zero};
    for (uint32_t j = count; j-- > 0;) {
        for (int v = 0; v < 4; v++) k[v] = NAME(read)(weights + ROW * j + CLOTH_LANES * v);
        PARTICLES two = e.two;
        CALL(substitute, &e, scratch + CLOTH_LINE_SCRATCH * (uint64_t)j);
        for (uint32_t side = 0; side < (strip ? 2 : 1); side++) {
            char *at = positions + (uint64_t)step * (strip ? j + 1 : j + 2) + side * strip;
            PARTICLES p = NAME(load)(at, offsets);
            if (strip) {
                CALL(pull, &p, k[1 + side], &e.one);
                CALL(pull, &p, k_one[3 * side], &e.two);
            } else {
                CALL(pull, &p, k[2], &e.one);
                CALL(pull, &p, k_one[1], &e.two);
                CALL(pull, &p, k_two[0], &two);
            }
            CALL(store, at, offsets, p);
        }
        for (int v = 0; v < 4; v++) k_two[v] = k_one[v], k_one[v] = k[v];
    }
    PARTICLES p = NAME(load)(positions, offsets);
    CALL(pull, &p, k_one[0], &e.one);
    CALL(store, positions, offsets, p);
    char *last = positions + (strip ? strip : step);
    p = NAME(load)(last, offsets);
    CALL(pull, &p, k_one[strip ? 3 : 1], &e.one);
    if (!strip) CALL(pull, &p, k_two[0], &e.two);
    CALL(store, last, offsets, p);
}

TARGET static void NAME(line)(
    void *positions, const cloth_line_pack *pack, float stiffness, float *scratch)
{
    if (pack->across) CALL(line_of, positions, pack, pack->across, stiffness, scratch);
    else CALL(line_of, positions, pack, 0, stiffness, scratch);
}

/* ---- chains: rows of the double reference's chain(), in one forward and one backward pass ---- */

/* True where the edge is part of the system, as a factor of 1 or 0. */
FUNCTION VECTOR NAME(unless_equal)(VECTOR a, VECTOR b)
{
#if defined(LANES_PLAIN)
    VECTOR made;
    for (int i = 0; i < CLOTH_LANES; i++) made.lane[i] = a.lane[i] != b.lane[i] ? 1.0f : 0.0f;
    return made;
#else
    return _mm256_and_ps(_mm256_cmp_ps(a, b, _CMP_NEQ_UQ), _mm256_set1_ps(1.0f));
#endif
}

FUNCTION PARTICLES NAME(scaled)(PARTICLES p, VECTOR factor)
{
    return (PARTICLES){
        NAME(multiply)(p.x, factor), NAME(multiply)(p.y, factor), NAME(multiply)(p.z, factor), p.w};
}

/* Lanes of cloth_chain_give(). `words`: of the edge; `weight`: sum of its ends' inverse masses. */
FUNCTION VECTOR NAME(chain_give)(
    const cloth_chain_pack *pack, const uint32_t *words, VECTOR weight, float stiffness)
{
    VECTOR give = NAME(multiply)(NAME(read)(words + CLOTH_LANES), NAME(all)(stiffness));
    if (!(pack->soften > 0.0f)) return give;
    return NAME(fused)(NAME(multiply)(NAME(multiply)(give, give), NAME(all)(pack->soften)),
        NAME(inverse)(NAME(most)(weight, NAME(all)(1e-20f))), give);
}

/* Row j of a pack's systems: unit vector and violation (w) of the edge from `a` to `b`. */
FUNCTION PARTICLES NAME(chain_edge)(const cloth_chain_pack *pack, const uint32_t *words,
    const PARTICLES *a, const PARTICLES *b, VECTOR give, const float *pulled)
{
    PARTICLES way = NAME(from)(*b, a);
    VECTOR rest = NAME(read)(words), square = NAME(add)(NAME(inner)(&way, &way), NAME(all)(1e-24f)),
           root = NAME(root_estimate)(square);
    root = NAME(multiply)(
        root, NAME(negated)(NAME(multiply)(NAME(multiply)(square, NAME(all)(0.5f)), root), root,
                  NAME(all)(1.5f)));
    VECTOR length = NAME(multiply)(square, root),
           high = NAME(multiply)(rest, NAME(all)(pack->high));
    if (pack->limits && pulled)
        high = NAME(fused)(
            give, NAME(most)(NAME(read)((const uint32_t *)pulled), NAME(all)(0.0f)), high);
    VECTOR bound =
        NAME(least)(NAME(most)(length, NAME(multiply)(rest, NAME(all)(pack->low))), high);
    way.w = NAME(subtract)(length, bound);
    if (pack->low < pack->high) {
        VECTOR violated = NAME(unless_equal)(length, bound);
        if (pulled && !pack->limits)
            violated = NAME(most)(violated,
                NAME(unless_equal)(NAME(read)((const uint32_t *)pulled), NAME(all)(0.0f)));
        root = NAME(multiply)(root, violated);
    }
    if (pulled && !pack->limits)
        way.w = NAME(negated)(give, NAME(read)((const uint32_t *)pulled), way.w);
    return NAME(scaled)(way, root);
}

/* Returns the vector along which an edge pulls, as cloth_chain_axis(). `past`: from its first point to its second
 * at the substep's start. */
FUNCTION PARTICLES NAME(chain_axis)(const PARTICLES *unit, PARTICLES past)
{
    VECTOR whole = NAME(all)(1.0f),
           square = NAME(add)(NAME(inner)(&past, &past), NAME(all)(1e-24f));
    past = NAME(scaled)(past, NAME(inverse_root)(square));
    VECTOR turn = NAME(inner)(unit, &past), is_turned = turn;
#if defined(LANES_PLAIN)
    for (int i = 0; i < CLOTH_LANES; i++) is_turned.lane[i] = turn.lane[i] > 0.5f ? 1.0f : 0.0f;
#else
    is_turned = _mm256_and_ps(_mm256_cmp_ps(turn, NAME(all)(0.5f), _CMP_GT_OQ), whole);
#endif
    VECTOR part = NAME(multiply)(
               is_turned, NAME(inverse)(NAME(add)(whole, NAME(multiply)(is_turned, turn)))),
           share = NAME(add)(part, NAME(subtract)(whole, is_turned));
    return (PARTICLES){NAME(fused)(past.x, part, NAME(multiply)(unit->x, share)),
        NAME(fused)(past.y, part, NAME(multiply)(unit->y, share)),
        NAME(fused)(past.z, part, NAME(multiply)(unit->z, share)), unit->w};
}

/* Shortens every second edge of a pack's chains from edge `j` on, as cloth_chain_shorten(); false: no edge
 * is too long. */
FUNCTION bool NAME(shorten_half)(
    char *positions, const cloth_chain_pack *pack, uint32_t j, float stiffness, const float *pulled)
{
    const uint32_t *offsets = pack->words;
    VECTOR zero = NAME(all)(0.0f), found = zero;
    for (; j < pack->count; j += 2) {
        const uint32_t *words = offsets + CLOTH_LANES * (1 + 2 * j);
        char *from = positions + (uint64_t)pack->step * j, *to = from + pack->step;
        PARTICLES a = NAME(load)(from, offsets), b = NAME(load)(to, offsets),
                  way = NAME(from)(b, &a);
        VECTOR square = NAME(add)(NAME(inner)(&way, &way), NAME(all)(1e-24f)),
               root = NAME(inverse_root)(square), length = NAME(multiply)(square, root),
               weight = NAME(most)(NAME(add)(a.w, b.w), NAME(all)(1e-20f)),
               most = NAME(multiply)(NAME(read)(words), NAME(all)(pack->high));
        if (pulled)
            most = NAME(fused)(NAME(chain_give)(pack, words, weight, stiffness),
                NAME(most)(NAME(read)((const uint32_t *)pulled + CLOTH_LANES * j), zero), most);
        VECTOR excess = NAME(most)(NAME(negated)(NAME(all)(CLOTH_SHORTEN), most, length), zero),
               part = NAME(multiply)(NAME(multiply)(excess, root), NAME(inverse)(weight));
        found = NAME(most)(found, excess);
        CALL(shift_back, &a, NAME(subtract)(zero, NAME(multiply)(a.w, part)), &way);
        CALL(shift_back, &b, NAME(multiply)(b.w, part), &way);
        CALL(store, from, offsets, a);
        CALL(store, to, offsets, b);
    }
    float numbers[CLOTH_LANES], longest = 0;
    CALL(write, numbers, found);
    for (int i = 0; i < CLOTH_LANES; i++)
        if (numbers[i] > longest) longest = numbers[i];
    return longest > 0;
}

/* Shortens the edges of a pack's chains. */
TARGET static void NAME(shorten)(
    void *positions, const cloth_chain_pack *pack, float stiffness, const float *pulled)
{
    bool is_long = true;
    for (uint32_t k = 0; k < CLOTH_SHORTENINGS && is_long; k++) {
        is_long = NAME(shorten_half)(positions, pack, 0, stiffness, pulled);
        is_long |= NAME(shorten_half)(positions, pack, 1, stiffness, pulled);
    }
}

/* Solves a pack of chains. `before`: their points at the substep's start; NULL: edges pull along
 * themselves. `scratch`: CLOTH_LINE_SCRATCH for each edge; `pulled`: multipliers, a row of lanes for
 * each edge; NULL: solved once. */
TARGET static void NAME(chain)(void *points, const void *before, const cloth_chain_pack *pack,
    float stiffness, float *scratch, float *pulled)
{
    char *positions = points;
    const char *past = before;
    const uint32_t *offsets = pack->words, *words = pack->words + CLOTH_LANES;
    uint32_t step = pack->step, count = pack->count;
    VECTOR zero = NAME(all)(0.0f), inverse = zero, right = zero;
    PARTICLES a = NAME(load)(positions, offsets), last = {zero, zero, zero, zero}, last_way = last,
              past_a = last;
    if (past) past_a = NAME(load)(past, offsets);
    for (uint32_t j = 0; j < count; j++, words += 2 * CLOTH_LANES) {
        float *row = scratch + CLOTH_LINE_SCRATCH * (uint64_t)j;
        PARTICLES b = NAME(load)(positions + (uint64_t)step * (j + 1), offsets);
        VECTOR give = NAME(multiply)(NAME(read)(words + CLOTH_LANES), NAME(all)(stiffness));
        if (pulled) give = NAME(chain_give)(pack, words, NAME(add)(a.w, b.w), stiffness);
        PARTICLES edge = NAME(chain_edge)(
            pack, words, &a, &b, give, pulled ? pulled + CLOTH_LANES * (uint64_t)j : NULL);
        VECTOR diagonal = NAME(fused)(NAME(add)(a.w, b.w), NAME(all)(CLOTH_CHAIN_DIAGONAL),
                   NAME(add)(give, NAME(all)(1e-20f))),
               off = NAME(multiply)(a.w, NAME(inner)(&edge, &last_way)),
               forth = NAME(multiply)(off, inverse), link = forth;
        /* signs of `off`, `forth` and `link` are opposite to the system */
        PARTICLES way = edge;
        if (past) {
            PARTICLES past_b = NAME(load)(past + (uint64_t)step * (j + 1), offsets);
            way = NAME(chain_axis)(&edge, NAME(from)(past_b, &past_a));
            link = NAME(multiply)(NAME(multiply)(a.w, NAME(inner)(&last, &way)), inverse);
            past_a = past_b;
        }
        inverse = NAME(inverse)(NAME(negated)(off, link, diagonal));
        right = NAME(fused)(forth, right, edge.w);
        CALL(write, row, way.x);
        CALL(write, row + CLOTH_LANES, way.y);
        CALL(write, row + 2 * CLOTH_LANES, way.z);
        CALL(write, row + 3 * CLOTH_LANES, link);
        CALL(write, row + 4 * CLOTH_LANES, NAME(multiply)(right, inverse));
        last = edge;
        last_way = way;
        a = b;
    }
    PARTICLES later = {zero, zero, zero, zero};
    VECTOR pull = zero, link = zero;
    for (uint32_t j = count; j-- > 0;) {
        const uint32_t *row = (const uint32_t *)(scratch + CLOTH_LINE_SCRATCH * (uint64_t)j);
        char *at = positions + (uint64_t)step * (j + 1);
        PARTICLES p = NAME(load)(at, offsets),
                  edge = {NAME(read)(row), NAME(read)(row + CLOTH_LANES),
                      NAME(read)(row + 2 * CLOTH_LANES), zero};
        pull = NAME(fused)(link, pull, NAME(read)(row + 4 * CLOTH_LANES));
        link = NAME(read)(row + 3 * CLOTH_LANES);
        if (pulled && !pack->limits) {
            float *sum = pulled + CLOTH_LANES * (uint64_t)j;
            CALL(write, sum, NAME(add)(NAME(read)((const uint32_t *)sum), pull));
        }
        edge = NAME(scaled)(edge, pull);
        later = NAME(from)(later, &edge);
        CALL(pull, &p, NAME(all)(1.0f), &later);
        CALL(store, at, offsets, p);
        later = edge;
    }
    PARTICLES p = NAME(load)(positions, offsets);
    CALL(pull, &p, NAME(all)(1.0f), &later);
    CALL(store, positions, offsets, p);
}

/* ---- lattices ---- */

/* Moves free points by the motions of places. */
TARGET static void NAME(follow)(
    float4 *points, const cloth_share *shares, uint32_t count, const float4 *motions)
{
    typedef float four __attribute__((vector_size(16)));
    four *at = (four *)points;
    const four *motion = (const four *)motions;
    for (uint32_t k = 0; k < count; k++) {
        const cloth_share *share = shares + k;
        four p = at[share->point];
        if (!(p[3] > 0.0f)) continue;
        at[share->point] =
            p +
            ((share->part[0] * motion[share->place[0]] + share->part[1] * motion[share->place[1]]) +
                (share->part[2] * motion[share->place[2]] +
                    share->part[3] * motion[share->place[3]]));
    }
}

#undef FUNCTION
#undef CALL
#undef PARTICLES
#undef VECTOR
