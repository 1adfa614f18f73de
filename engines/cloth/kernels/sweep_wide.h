/* Sweeps over places in local memory along chains of more than 16 edges: several edges in each lane, so
 * that a group has a lane for each and no warp does one chain after another. For
 * cooperative_tasks.cl, in fast mode. */
#ifndef CLOTH_SWEEP_WIDE_H
#define CLOTH_SWEEP_WIDE_H

#define SEVERAL 3u /* places that an item loads before it stores one */

#if HED_HAS_LANES && !HED_STRICT
#define WIDE_EACH 4u /* edges of a lane */

/* Number in local memory of a place: places WIDE_EACH apart have different banks. */
CLOTH_FUNCTION uint sweep_wide_place(uint place) { return place + place / WIDE_EACH; }

/* Edges of a lane in all sweeps along a direction: number of its first place in the lattice, distance
 * of its places; edges from its first one to the end of the chain, 0: no chain; number of the chain
 * and of the first edge; factors of the minimum and the maximum length. Then the unit vector of each
 * edge at the substep's start, or 0 (cloth_chain_axis()). */
typedef struct sweep_wide {
    uint first, step, left, chain, edge;
    float low, high;
    float past_x[WIDE_EACH], past_y[WIDE_EACH], past_z[WIDE_EACH];
} sweep_wide;

/* `number` >= `count`: no chain. `lane`: of the chain; `base`: number of the lattice's first place. */
CLOTH_FUNCTION sweep_wide sweep_wide_of(
    uint first, uint number, uint count, uint lane, cloth_chains_view chains, uint base)
{
    sweep_wide side = {0, 0, 0, 0, 0, 0.0f, 0.0f, {0.0f}, {0.0f}, {0.0f}};
    if (number >= count) return side;
    cloth_chain_at chain = cloth_chain_of(chains.chains, first + number);
    uint from = lane * WIDE_EACH;
    if (from >= chain.count) return side;
    side.first = chain.first - base + from * chain.step;
    side.step = chain.step;
    side.left = chain.count - from;
    side.chain = first + number;
    side.edge = chain.edges + from;
    side.low = chain.low;
    side.high = chain.high;
    for (uint k = 0; k < WIDE_EACH && k < side.left && chains.turns; k++) {
        __global const float4 *past =
            chains.before + chains.turns + base + side.first + k * side.step;
        float4 way = cloth_from(past[side.step], past[0]);
        float part =
            hed_near_rsqrt(fma(way.x, way.x, fma(way.y, way.y, fma(way.z, way.z, 1e-24f))));
        side.past_x[k] = way.x * part;
        side.past_y[k] = way.y * part;
        side.past_z[k] = way.z * part;
    }
    return side;
}

/* Vectors along which the edges of a lane pull, and rows of its system. */
typedef struct sweep_wide_rows {
    float x[WIDE_EACH], y[WIDE_EACH], z[WIDE_EACH];
    cloth_chain_row rows[WIDE_EACH];
} sweep_wide_rows;

/* Makes the row of edge `k` from point `a` to point `b`, whose elements off the diagonal are to be
 * multiplied by cosines; returns its unit vector. */
CLOTH_FUNCTION float4 sweep_wide_row(const sweep_wide *side, uint k, float4 a, float4 b, float rest,
    float give, float pulled, sweep_wide_rows *to)
{
    float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z,
          square = fma(x, x, fma(y, y, fma(z, z, 1e-24f))), part = hed_near_rsqrt(square),
          length = square * part, low = side->low * rest, high = side->high * rest,
          right = length - hed_min(hed_max(length, low), high), weight = a.w + b.w,
          diagonal = fma(weight, CLOTH_CHAIN_SCALE, 1e-20f + give);
    right = fma(-give, pulled, right);
    if (low < high && right == 0.0f) part = 0.0f;
    x *= part;
    y *= part;
    z *= part;
    float4 unit = hed_f4(x, y, z, 0.0f);
    float px = side->past_x[k], py = side->past_y[k], pz = side->past_z[k],
          turn = fma(x, px, fma(y, py, z * pz));
    if (turn > 0.5f) { /* mean of both directions: cloth_chain_axis() */
        part = cloth_inverse(1.0f + turn);
        x = (x + px) * part;
        y = (y + py) * part;
        z = (z + pz) * part;
    }
    to->x[k] = x;
    to->y[k] = y;
    to->z[k] = z;
    float inverse = k < side->left ? cloth_inverse(diagonal) : 0.0f;
    to->rows[k].before = -a.w * inverse;
    to->rows[k].after = k + 1u < side->left ? -b.w * inverse : 0.0f;
    to->rows[k].right = inverse * right;
    return unit;
}

CLOTH_FUNCTION float sweep_wide_cosine(const sweep_wide_rows *of, uint k, float4 unit)
{
    return fma(of->x[k], unit.x, fma(of->y[k], unit.y, of->z[k] * unit.z));
}

/* Solves the rows of a chain, as chain_solve_by_warp(). `lanes`: of a chain. Multipliers replace the right
 * sides; returns that of the edge before the lane's first one. */
CLOTH_FUNCTION float sweep_wide_solve(cloth_chain_row *rows, uint lane, uint lanes)
{
    uint id = hed_lane_id();
    cloth_chain_row last = rows[0], first, me, left, next;
    for (uint j = 1; j < WIDE_EACH; j++) { /* rows without the one before */
        float inverse = cloth_inverse(fma(-rows[j].before, last.after, 1.0f));
        last.right = inverse * fma(-rows[j].before, last.right, rows[j].right);
        last.before *= -rows[j].before * inverse;
        last.after = rows[j].after * inverse;
        rows[j] = last;
    }
    for (uint j = WIDE_EACH - 2u; j-- > 0u;) { /* Rows without the next one, too, but the last. */
        rows[j].right = fma(-rows[j].after, rows[j + 1u].right, rows[j].right);
        rows[j].before = fma(-rows[j].after, rows[j + 1u].before, rows[j].before);
        rows[j].after *= -rows[j + 1u].after;
    }
    first.before = hed_lane_shuffle(rows[0].before, id + 1u);
    first.after = hed_lane_shuffle(rows[0].after, id + 1u);
    first.right = hed_lane_shuffle(rows[0].right, id + 1u);
    float inverse = cloth_inverse(fma(-last.after, first.before, 1.0f));
    me.before = last.before * inverse;
    me.right = inverse * fma(-last.after, first.right, last.right);
    me.after = -last.after * first.after * inverse;
    for (uint step = 1; step < lanes; step *= 2) {
        left.before = hed_lane_shuffle(me.before, id - step);
        left.after = hed_lane_shuffle(me.after, id - step);
        left.right = hed_lane_shuffle(me.right, id - step);
        next.before = hed_lane_shuffle(me.before, id + step);
        next.after = hed_lane_shuffle(me.after, id + step);
        next.right = hed_lane_shuffle(me.right, id + step);
        me = cloth_chain_without(me, left, next);
    }
    float before = hed_lane_shuffle(me.right, id - 1u);
    if (lane == 0u) before = 0.0f;
    for (uint j = 0; j + 1u < WIDE_EACH; j++)
        rows[j].right = fma(-rows[j].before, before, fma(-rows[j].after, me.right, rows[j].right));
    rows[WIDE_EACH - 1u].right = me.right;
    return before;
}

/* Solves the chains of a warp and moves their places. `pass`: of CLOTH_CHAINS, 0 if no edge gives;
 * `pulls`: multipliers of the lane's edges. */
CLOTH_FUNCTION void sweep_wide_pull(const sweep_wide *side, uint lane, uint lanes, uint pass,
    cloth_chains_view chains, float stiffness, __local float4 *copies, __local float *pulls)
{
    uint id = hed_lane_id();
    float4 first, unit, last, a, b = copies[sweep_wide_place(side->first)];
    float pulled[WIDE_EACH];
    sweep_wide_rows of;
    for (uint k = 0; k < WIDE_EACH; k++) {
        float give = 0.0f;
        a = b;
        b = copies[sweep_wide_place(side->first + min(k + 1u, side->left) * side->step)];
        pulled[k] = 0.0f;
        if (pass && k < side->left) {
            cloth_chain_at chain = cloth_chain_of(chains.chains, side->chain);
            float compliance = chains.edges[2 * (side->edge + k) + 1];
            give = cloth_chain_give(compliance, stiffness, chain.soften, a.w + b.w);
            if (pass == 2u) pulled[k] = pulls[k];
        }
        unit = sweep_wide_row(side, k, a, b,
            side->left ? chains.edges[2 * (side->edge + min(k, side->left - 1u))] : 0.0f, give,
            pulled[k], &of);
        if (k == 0u) first = unit;
        else {
            of.rows[k].before *= sweep_wide_cosine(&of, k - 1u, unit);
            of.rows[k - 1u].after *= sweep_wide_cosine(&of, k, last);
        }
        last = unit;
    }
    const uint end = WIDE_EACH - 1u;
    float last_x = hed_lane_shuffle(of.x[end], id - 1u),
          last_y = hed_lane_shuffle(of.y[end], id - 1u),
          last_z = hed_lane_shuffle(of.z[end], id - 1u),
          next_x = hed_lane_shuffle(of.x[0], id + 1u), next_y = hed_lane_shuffle(of.y[0], id + 1u),
          next_z = hed_lane_shuffle(of.z[0], id + 1u);
    float cosine = fma(last_x, first.x, fma(last_y, first.y, last_z * first.z));
    of.rows[0].before *= lane > 0u ? cosine : 0.0f;
    of.rows[end].after *= fma(next_x, last.x, fma(next_y, last.y, next_z * last.z));
    float before = sweep_wide_solve(of.rows, lane, lanes);
    hed_lane_barrier(); /* neighbours have read the places */
    for (uint k = 0; k <= WIDE_EACH; k++) {
        if (!side->left || k > side->left || (k == WIDE_EACH && k < side->left)) continue;
        __local float4 *place = copies + sweep_wide_place(side->first + k * side->step);
        float4 at = *place; /* again, instead of in registers */
        if (k < WIDE_EACH) {
            float pull = at.w * of.rows[k].right;
            at.x = fma(pull, of.x[k], at.x);
            at.y = fma(pull, of.y[k], at.y);
            at.z = fma(pull, of.z[k], at.z);
        }
        float pull = at.w * before;
        at.x = fma(-pull, last_x, at.x);
        at.y = fma(-pull, last_y, at.y);
        at.z = fma(-pull, last_z, at.z);
        *place = at;
        if (k == WIDE_EACH) continue;
        before = of.rows[k].right;
        last_x = of.x[k];
        last_y = of.y[k];
        last_z = of.z[k];
        if (pass && k < side->left) pulls[k] = pulled[k] + before;
    }
}

/* Sweeps over the places of the group's lattice; the constants of the first chains of both directions
 * stay in registers. */
CLOTH_FUNCTION void sweep_wide_lattice(
    uint4 task, cloth_chains_view chains, float stiffness, uint item, __local float4 *memory)
{
    uint width = 1u << cloth_task_side_bits(task), lanes = width / WIDE_EACH, at = item / lanes,
         lane = item % lanes, pass = cloth_task_pass(task), lattice = (uint)get_group_id(0),
         places = cloth_task_places(task), base = task.z + lattice * places,
         warps = cloth_task_warp(task), wefts = cloth_task_weft(task),
         warp_at = task.y + lattice * warps,
         weft_at = task.y + cloth_task_lattices(task) * warps + lattice * wefts;
    __local float *pulls = (__local float *)(memory + sweep_wide_place(places));
    CLOTH_ROLLED
    for (uint i = item; i < places; i += SEVERAL * WG) {
        float4 place[SEVERAL];
        for (uint k = 0; k < SEVERAL; k++)
            place[k] = chains.points[base + min(i + k * WG, places - 1u)];
        for (uint k = 0; k < SEVERAL; k++)
            if (i + k * WG < places) memory[sweep_wide_place(i + k * WG)] = place[k];
    }
    sweep_wide warp = sweep_wide_of(warp_at, at, warps, lane, chains, base),
               weft = sweep_wide_of(weft_at, at, wefts, lane, chains, base);
    uint has_warp = hed_lane_count(warp.left > 0u), has_weft = hed_lane_count(weft.left > 0u);
    /* a lane without a chain reads a place of its warp's first one: other warps write theirs */
    uint of_warp = hed_lane_shuffle(warp.first, 0), of_weft = hed_lane_shuffle(weft.first, 0);
    if (!warp.left) warp.first = of_warp;
    if (!weft.left) weft.first = of_weft;
    barrier(CLK_LOCAL_MEM_FENCE);
    CLOTH_ROLLED
    for (uint half_sweep = 0; half_sweep < cloth_task_halves(task); half_sweep++) {
        uint is_weft = half_sweep & 1u, sweep_pass = pass && half_sweep > 1u ? 2u : pass;
        if (!is_weft && has_warp)
            sweep_wide_pull(&warp, lane, lanes, sweep_pass, chains, stiffness, memory,
                pulls + item * WIDE_EACH);
        if (is_weft && has_weft)
            sweep_wide_pull(&weft, lane, lanes, sweep_pass, chains, stiffness, memory,
                pulls + warps * width + item * WIDE_EACH);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    CLOTH_ROLLED
    for (uint i = item; i < places; i += WG) chains.points[base + i] = memory[sweep_wide_place(i)];
}
#endif

#endif
