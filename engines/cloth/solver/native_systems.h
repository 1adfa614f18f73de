/* Solution of linear systems along lines, strips and chains, eight systems in the lanes of
 * native_lanes.h, and the points that follow the places of a lattice. */

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

/* Returns the vector along which an edge pulls, as cloth_chain_axis(). `past`: from its first point
 * to its second at the substep's start. */
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

/* Shortens every second edge of a pack's chains from edge `j` on, as cloth_chain_shorten(); false:
 * no edge is too long. */
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
               most = NAME(multiply)(
                   NAME(read)(words), NAME(all)(CLOTH_SHORTENED(pack->limits) * pack->high));
        if (pulled)
            most = NAME(fused)(NAME(chain_give)(pack, words, weight, stiffness),
                NAME(most)(NAME(read)((const uint32_t *)pulled + CLOTH_LANES * j), zero), most);
        VECTOR excess = NAME(most)(NAME(subtract)(length, most), zero),
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
    for (uint32_t k = 0; k < CLOTH_SHORTENINGS(pack->limits, pack->count) && is_long; k++) {
        is_long = NAME(shorten_half)(positions, pack, 0, stiffness, pulled);
        is_long |= NAME(shorten_half)(positions, pack, 1, stiffness, pulled);
    }
}

/* Solves a pack of chains. `before`: their points at the substep's start; NULL: edges pull along
 * themselves. `scratch`: CLOTH_LINE_SCRATCH for each edge; `pulled`: multipliers, a row of lanes
 * for each edge; NULL: solved once. */
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
