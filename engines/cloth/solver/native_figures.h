/* Solution of packs of eight figures, elements or cells, in the lanes of native_lanes.h.
 *
 * A figure is a chain of dependent operations, whose latency bounds the speed: operations that do
 * not depend on positions are outside the chain. */

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
