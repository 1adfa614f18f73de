/* Solution of chains by a group, for chain.cl and cooperative_tasks.cl. */
#ifndef CLOTH_CHAIN_GROUP_H
#define CLOTH_CHAIN_GROUP_H

#if SOLVE
CLOTH_FUNCTION cloth_chain_row chain_row_of(float4 numbers)
{
    cloth_chain_row row = {numbers.x, numbers.y, numbers.z};
    return row;
}

/* Edge of an item, without multipliers of earlier sweeps. */
CLOTH_FUNCTION cloth_chain_edge chain_edge_at(
    uint lane, cloth_chain_at chain, cloth_chains_view view)
{
    view.pass = 0;
    return cloth_chain_edge_of(chain.edges + min(lane, chain.count - 1u), view);
}

/* Item of a chain: its edge, from point `a` to point `b`, or no edge after the last one; `past_a`,
 * `past_b`: at the substep's start, if `turns` is not 0. `width`: items of the chain, a power of two; `fences`: stores
 * of the group so far come before its stores after the solution, for groups that read its packets. */
typedef struct chain_item {
    cloth_chain_at chain;
    cloth_chain_edge edge;
    float4 a, b, past_a, past_b;
    uint item, lane, width, is_edge, turns, fences;
} chain_item;

CLOTH_FUNCTION chain_item chain_item_of(
    cloth_chain_at chain, cloth_chain_edge edge, uint item, uint width)
{
    const float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    uint lane = item & (width - 1u);
    chain_item i = {
        chain, edge, zero, zero, zero, zero, item, lane, width, lane < chain.count, 0, 0};
    return i;
}

/* Vectors along which an edge and the edge before it pull, 0 without one; multipliers in w. */
typedef struct chain_pulls {
    float4 unit, last;
} chain_pulls;

/* `unit`: the edge's, with the right side in w; `next`: vector along which the next edge pulls, or 0. */
CLOTH_FUNCTION cloth_chain_row chain_begin(
    chain_item i, float4 unit, chain_pulls pulls, float4 next, float stiffness)
{
    float inverse = cloth_inverse(
        i.is_edge ? cloth_chain_diagonal(i.a.w + i.b.w, i.edge, i.chain, stiffness) : 1.0f);
    return cloth_chain_row_of(unit, pulls.last, next, i.a.w, i.b.w, inverse);
}

/* Vector along which an item's edge pulls. */
CLOTH_FUNCTION float4 chain_axis(chain_item i, float4 unit)
{
    return i.turns ? cloth_chain_axis(unit, i.past_a, i.past_b) : unit;
}

#define CHAIN_EACH 8u /* rows or edges of a lane where a warp works on a wider chain */
#define CHAIN_WIDEST (32u * CHAIN_EACH)
#define CHAIN_NARROW 64u /* items of a chain that are faster together: 0.456 ms a frame for 0.470 */

#if HED_HAS_LANES
/* Lane of an item in the warp that works on its chain for all of the chain's items; 32: it is
 * in another warp. A multiprocessor gives its warps to four schedulers by turns, and chains
 * of a group take warps of different ones. */
CLOTH_FUNCTION uint chain_worker_lane(chain_item i)
{
#if defined(KINDS) && (KINDS >> 10 & 1) /* patches of elements leave no registers for more */
    return i.lane;
#else
    uint first = (i.item - i.lane) / 128u; /* warps of the chains before it / schedulers */
    return i.lane / 32u == (first & (i.width / 32u - 1u)) ? i.lane % 32u : 32u;
#endif
}

/* Value of another lane of the chain; 0: not in the chain. */
CLOTH_FUNCTION float chain_shuffle(float value, uint lane, uint is_in)
{
    float other = hed_lane_shuffle(value, lane);
    return is_in ? other : 0.0f;
}

#if HED_STRICT
/* Solves a chain in the order of cloth_chain_solve(); returns the lane's multiplier. */
CLOTH_FUNCTION float chain_halve_lanes(chain_item i, cloth_chain_row me)
{
    uint at = hed_lane_id(), count = i.chain.count;
    CLOTH_ROLLED
    for (uint step = 1; step < i.width; step *= 2) {
        uint has_left = i.lane >= step, has_next = i.lane + step < count;
        cloth_chain_row left, next;
        left.before = chain_shuffle(me.before, at - step, has_left);
        left.after = chain_shuffle(me.after, at - step, has_left);
        left.right = chain_shuffle(me.right, at - step, has_left);
        next.before = chain_shuffle(me.before, at + step, has_next);
        next.after = chain_shuffle(me.after, at + step, has_next);
        next.right = chain_shuffle(me.right, at + step, has_next);
        if (i.is_edge && cloth_is_reduced(i.lane, step)) me = cloth_chain_without(me, left, next);
    }
    CLOTH_ROLLED
    for (uint step = i.width / 2; step > 0; step /= 2) {
        float left = chain_shuffle(me.right, at - step, i.lane >= step),
              next = chain_shuffle(me.right, at + step, i.lane + step < count);
        if (i.is_edge && cloth_is_solved(i.lane, step))
            me.right = cloth_chain_multiplier(me, left, next);
    }
    return me.right;
}
#else
/* Takes rows out of each lane's row until no other row of the chain is left, and returns its
 * multiplier. `width`: lanes of the chain. */
CLOTH_FUNCTION float chain_reduce_lanes(cloth_chain_row me, uint lane, uint width)
{
    uint at = hed_lane_id();
    CLOTH_ROLLED
    for (uint step = 1; step < width; step *= 2) {
        uint has_left = lane >= step, has_next = lane + step < width;
        cloth_chain_row left, next;
        left.before = chain_shuffle(me.before, at - step, has_left);
        left.after = chain_shuffle(me.after, at - step, has_left);
        left.right = chain_shuffle(me.right, at - step, has_left);
        next.before = chain_shuffle(me.before, at + step, has_next);
        next.after = chain_shuffle(me.after, at + step, has_next);
        next.right = chain_shuffle(me.right, at + step, has_next);
        me = cloth_chain_without(me, left, next);
    }
    return me.right;
}
#endif

CLOTH_FUNCTION chain_pulls chain_solve_in_warp(chain_item i, float4 unit, float stiffness)
{
    uint at = hed_lane_id(), has_left = i.lane > 0;
    chain_pulls pulls = {chain_axis(i, unit), {0.0f, 0.0f, 0.0f, 0.0f}};
    float4 way = pulls.unit, next = {0.0f, 0.0f, 0.0f, 0.0f};
    pulls.last.x = chain_shuffle(way.x, at - 1u, has_left);
    pulls.last.y = chain_shuffle(way.y, at - 1u, has_left);
    pulls.last.z = chain_shuffle(way.z, at - 1u, has_left);
    next.x = chain_shuffle(way.x, at + 1u, i.lane + 1u < i.width);
    next.y = chain_shuffle(way.y, at + 1u, i.lane + 1u < i.width);
    next.z = chain_shuffle(way.z, at + 1u, i.lane + 1u < i.width);
    cloth_chain_row me = chain_begin(i, unit, pulls, next, stiffness);
#if HED_STRICT
    pulls.unit.w = chain_halve_lanes(i, me);
#else
    pulls.unit.w = chain_reduce_lanes(me, i.lane, i.width);
#endif
    pulls.last.w = chain_shuffle(pulls.unit.w, at - 1u, has_left);
    hed_lane_barrier();
    return pulls;
}

#if !HED_STRICT
/* Solves the rows of a chain by one warp (chain_worker_lane()): each lane expresses its rows
 * by its last one and that of the lane before (H. H. Wang, A parallel method for tridiagonal
 * equations, 1981), then lanes reduce. `numbers`: planes of the rows' elements before and
 * after the diagonal and of right sides, which become the multipliers; row j of all lanes in
 * succession, with a distance that avoids conflicts of banks. */
CLOTH_FUNCTION void chain_solve_by_warp(__local float *numbers, uint lane, uint lanes)
{
    uint line = lanes + 4u, plane = CHAIN_EACH * line, is_lane = lane < lanes;
    cloth_chain_row rows[CHAIN_EACH], last = {0.0f, 0.0f, 0.0f}, first, me;
    for (uint j = 0; j < CHAIN_EACH; j++) {
        __local const float *number = numbers + j * line + (is_lane ? lane : 0u);
        rows[j].before = is_lane ? number[0] : 0.0f;
        rows[j].after = is_lane ? number[plane] : 0.0f;
        rows[j].right = is_lane ? number[2u * plane] : 0.0f;
    }
    last = rows[0];
    for (uint j = 1; j < CHAIN_EACH; j++) { /* rows without the one before */
        float inverse = cloth_inverse(fma(-rows[j].before, last.after, 1.0f));
        last.right = inverse * fma(-rows[j].before, last.right, rows[j].right);
        last.before *= -rows[j].before * inverse;
        last.after = rows[j].after * inverse;
        rows[j] = last;
    }
    for (uint j = CHAIN_EACH - 2u; j-- > 0u;) { /* and the next one, but the last */
        rows[j].right = fma(-rows[j].after, rows[j + 1u].right, rows[j].right);
        rows[j].before = fma(-rows[j].after, rows[j + 1u].before, rows[j].before);
        rows[j].after *= -rows[j + 1u].after;
    }
    uint at = hed_lane_id(), has_next = lane + 1u < lanes;
    first.before = chain_shuffle(rows[0].before, at + 1u, has_next);
    first.after = chain_shuffle(rows[0].after, at + 1u, has_next);
    first.right = chain_shuffle(rows[0].right, at + 1u, has_next);
    float inverse = cloth_inverse(fma(-last.after, first.before, 1.0f));
    me.before = last.before * inverse;
    me.right = inverse * fma(-last.after, first.right, last.right);
    me.after = -last.after * first.after * inverse;
    float pull = chain_reduce_lanes(me, lane, lanes);
    float before = chain_shuffle(pull, at - 1u, lane > 0u);
    for (uint j = 0; j < CHAIN_EACH && is_lane; j++)
        numbers[2u * plane + j * line + lane] =
            j + 1u < CHAIN_EACH
                ? fma(-rows[j].before, before, fma(-rows[j].after, pull, rows[j].right))
                : pull;
}

/* A chain of several warps, at most CHAIN_WIDEST edges. */
CLOTH_FUNCTION chain_pulls chain_solve_wide(
    chain_item i, float4 unit, float stiffness, __local float4 *rows)
{
    const float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    uint lanes = i.width / CHAIN_EACH, line = lanes + 4u, plane = CHAIN_EACH * line;
    __local float *numbers = (__local float *)(rows + WG) + i.item / i.width * 3u * plane;
    __local float *number = numbers + i.lane % CHAIN_EACH * line + i.lane / CHAIN_EACH;
    float4 way = chain_axis(i, unit);
    rows[i.item] = way;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); /* neighbours have read the points */
    chain_pulls pulls = {way, i.lane > 0 ? rows[i.item - 1] : zero};
    float4 next = i.lane + 1u < i.width ? rows[i.item + 1] : zero;
    cloth_chain_row me = chain_begin(i, unit, pulls, next, stiffness);
    number[0] = me.before;
    number[plane] = me.after;
    number[2u * plane] = me.right;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint worker = chain_worker_lane(i);
    if (worker < 32u) chain_solve_by_warp(numbers, worker, lanes);
    else if (i.fences && i.lane % 32u == 0u)
        mem_fence(CLK_GLOBAL_MEM_FENCE); /* a warp that waits */
    barrier(CLK_LOCAL_MEM_FENCE);
    pulls.unit.w = number[2u * plane];
    if (i.lane > 0u) {
        uint before = i.lane - 1u;
        pulls.last.w = numbers[2u * plane + before % CHAIN_EACH * line + before / CHAIN_EACH];
    }
    return pulls;
}
#endif
#endif

#if HED_STRICT
/* Rows of the chains of a group in local memory, in slots in which rows at any distance have different banks. */
#define CHAIN_SLOTS (WG + WG / 32u)

CLOTH_FUNCTION uint chain_row_slot(uint item) { return item + item / 32u; }

CLOTH_FUNCTION cloth_chain_row chain_row_at(__local const float *numbers, uint item)
{
    uint slot = chain_row_slot(item);
    cloth_chain_row row = {
        numbers[slot], numbers[CHAIN_SLOTS + slot], numbers[2u * CHAIN_SLOTS + slot]};
    return row;
}

CLOTH_FUNCTION void chain_put_row(__local float *numbers, uint item, cloth_chain_row row)
{
    uint slot = chain_row_slot(item);
    numbers[slot] = row.before;
    numbers[CHAIN_SLOTS + slot] = row.after;
    numbers[2u * CHAIN_SLOTS + slot] = row.right;
}

/* Solves chains in the order of cloth_chain_solve(), some of their items at each step; right sides become
 * the multipliers. */
CLOTH_FUNCTION void chain_reduce_memory(chain_item i, __local float *numbers)
{
    const cloth_chain_row no_row = {0.0f, 0.0f, 0.0f};
    __local float *rights = numbers + 2u * CHAIN_SLOTS;
    uint first = i.item - i.lane, count = i.chain.count;
    CLOTH_ROLLED
    for (uint step = 1; step < i.width; step *= 2) {
        uint j = cloth_reduced(i.lane, step), at = first + j;
        cloth_meet(i.width);
        if (j < count)
            chain_put_row(numbers, at,
                cloth_chain_without(chain_row_at(numbers, at), chain_row_at(numbers, at - step),
                    j + step < count ? chain_row_at(numbers, at + step) : no_row));
    }
    CLOTH_ROLLED
    for (uint step = i.width; step > 0; step /= 2) {
        uint j = cloth_solved(i.lane, step), at = first + j;
        cloth_meet(i.width);
        if (j < count)
            rights[chain_row_slot(at)] = cloth_chain_multiplier(chain_row_at(numbers, at),
                j >= step ? rights[chain_row_slot(at - step)] : 0.0f,
                j + step < count ? rights[chain_row_slot(at + step)] : 0.0f);
    }
    cloth_meet(i.width);
}

/* A chain whose items meet in local memory. `rows`: 2 WG. */
CLOTH_FUNCTION chain_pulls chain_solve_in_memory(
    chain_item i, float4 unit, float stiffness, __local float4 *rows)
{
    const float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    __local float *numbers = (__local float *)(rows + WG), *rights = numbers + 2u * CHAIN_SLOTS;
    float4 way = chain_axis(i, unit);
    rows[i.item] = way;
    if (i.fences && i.lane == 0u) mem_fence(CLK_GLOBAL_MEM_FENCE);
    cloth_meet(i.width); /* neighbours have read the points */
    chain_pulls pulls = {way, i.lane > 0 ? rows[i.item - 1] : zero};
    chain_put_row(numbers, i.item,
        chain_begin(i, unit, pulls, i.lane + 1u < i.width ? rows[i.item + 1] : zero, stiffness));
    chain_reduce_memory(i, numbers);
    pulls.unit.w = rights[chain_row_slot(i.item)];
    pulls.last.w = i.lane > 0 ? rights[chain_row_slot(i.item - 1u)] : 0.0f;
    return pulls;
}
#else
/* A chain whose items meet in local memory. No condition in the loop is the same in all steps: LLVM
 * makes a loop of each case then, and PoCL's barriers in two loops never meet. */
CLOTH_FUNCTION chain_pulls chain_solve_in_memory(
    chain_item i, float4 unit, float stiffness, uint longest, __local float4 *rows)
{
    const float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    __local float4 *units = rows + 2 * WG;
    uint item = i.item, lane = i.lane;
    float4 way = chain_axis(i, unit);
    units[item] = way;
    if (i.fences && lane == 0u) mem_fence(CLK_GLOBAL_MEM_FENCE);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); /* neighbours have read the points */
    chain_pulls pulls = {way, lane > 0 ? units[item - 1] : zero};
    cloth_chain_row me =
        chain_begin(i, unit, pulls, lane + 1u < i.width ? units[item + 1] : zero, stiffness);
    CLOTH_ROLLED
    for (uint step = 1, turn = 0; step < longest; step *= 2, turn ^= WG) {
        uint acts = step < i.chain.count;
        if (acts) rows[turn + item] = hed_f4(me.before, me.after, me.right, 0.0f);
        barrier(CLK_LOCAL_MEM_FENCE);
        cloth_chain_row left = {0.0f, 0.0f, 0.0f}, next = {0.0f, 0.0f, 0.0f};
        if (acts && lane >= step) left = chain_row_of(rows[turn + item - step]);
        if (acts && lane + step < i.width) next = chain_row_of(rows[turn + item + step]);
        if (acts) me = cloth_chain_without(me, left, next);
    }
    pulls.unit.w = me.right;
    units[item] = pulls.unit;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane > 0) pulls.last.w = units[item - 1].w;
    return pulls;
}
#endif

CLOTH_FUNCTION float4 chain_unit(chain_item i, uint pass, float stiffness)
{
    return i.is_edge ? cloth_chain_unit(i.a, i.b, i.edge, i.chain, pass, stiffness)
                     : hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
}

/* Solves chains of at most `width` edges, an edge in an item, by parallel cyclic reduction: every row
 * eliminates the rows at distance `step` on both sides from its system until no other row is left (R. W.
 * Hockney and C. R. Jesshope, Parallel Computers, 1981: PARACR); in strict mode, only every second row of
 * the step before does. A group solves up to WG / width chains at once; count 0: no chain. When it
 * returns, items of a chain have read their points. `longest`: edges of the longest one; `rows`: 3 WG,
 * in strict mode 2 WG. */
CLOTH_FUNCTION chain_pulls chain_solve(
    chain_item i, uint pass, float stiffness, uint longest, __local float4 *rows)
{
#if HED_HAS_LANES
    if (i.width <= 32u) return chain_solve_in_warp(i, chain_unit(i, pass, stiffness), stiffness);
#endif
#if HED_STRICT
    (void)longest;
    return chain_solve_in_memory(i, chain_unit(i, pass, stiffness), stiffness, rows);
#else
#if HED_HAS_LANES
    if (i.width <= CHAIN_WIDEST)
        return chain_solve_wide(i, chain_unit(i, pass, stiffness), stiffness, rows);
#endif
    return chain_solve_in_memory(i, chain_unit(i, pass, stiffness), stiffness, longest, rows);
#endif
}

/* True if an item's warp has no chain: nothing is to be done, nor a barrier of the group passed. */
CLOTH_FUNCTION uint chain_warp_is_idle(cloth_chain_at chain, uint width)
{
#if HED_HAS_LANES
    return width <= 32u && !hed_lane_shuffle(chain.count, 0);
#else
    (void)chain, (void)width;
    return 0;
#endif
}

/* Item of a chain with its points and its edge's multipliers of earlier sweeps. `edge`: chain_edge_at(). */
CLOTH_FUNCTION chain_item chain_item_at(
    cloth_chain_at chain, cloth_chain_edge edge, cloth_chains_view view, uint item, uint width)
{
    chain_item i = chain_item_of(chain, edge, item, width);
    uint at = chain.first + i.lane * chain.step;
    if (i.is_edge) {
        if (view.pass >= 2) i.edge.pulled = view.pulled[chain.edges + i.lane];
        i.a = view.points[at];
        i.b = view.points[at + chain.step];
        if (view.turns) {
            i.turns = view.turns;
            i.past_a = view.before[view.turns + at];
            i.past_b = view.before[view.turns + at + chain.step];
        }
    }
    return i;
}

/* Number in local memory of a point of an item's chain, which may have one more point than items: points CHAIN_EACH
 * apart have different banks. */
CLOTH_FUNCTION uint chain_slot_of(uint item, uint width, uint point)
{
    uint line = width + width / CHAIN_EACH + 2u;
    return item / width * line + point + point / CHAIN_EACH;
}

CLOTH_FUNCTION uint chain_slot(chain_item i, uint point)
{
    return chain_slot_of(i.item, i.width, point);
}

/* True if a warp shortens the edges of a chain alone: in cooperative_tasks.cl, where patches of elements (kind 10)
 * leave registers for it. */
#if HED_HAS_LANES && !HED_STRICT && defined(KINDS)
#define CHAIN_SHORTENS_BY_WARP (!(KINDS >> 10 & 1))
#else
#define CHAIN_SHORTENS_BY_WARP 0
#endif

#if CHAIN_SHORTENS_BY_WARP
/* Points of a lane and the next lane's first one; fractions of an excess by which the ends of the edges between
 * them move. */
typedef struct chain_short_edges {
    float x[CHAIN_EACH + 1], y[CHAIN_EACH + 1], z[CHAIN_EACH + 1];
    float first[CHAIN_EACH], second[CHAIN_EACH];
} chain_short_edges;

/* Shortens every second edge of a lane from edge `from` on, as cloth_chain_shorten(). `limits`: maximum lengths,
 * which stay in local memory since registers are few. */
CLOTH_FUNCTION void chain_shorten_every_second(
    chain_short_edges *edges, uint from, __local const volatile float *limits)
{
    for (uint k = from; k < CHAIN_EACH; k += 2u) {
        float x = edges->x[k + 1u] - edges->x[k], y = edges->y[k + 1u] - edges->y[k],
              z = edges->z[k + 1u] - edges->z[k],
              part = hed_near_rsqrt(fma(x, x, fma(y, y, fma(z, z, 1e-24f)))),
              excess = hed_max(fma(-limits[k], part, 1.0f), 0.0f), first = edges->first[k] * excess,
              second = edges->second[k] * excess;
        edges->x[k] = fma(first, x, edges->x[k]);
        edges->y[k] = fma(first, y, edges->y[k]);
        edges->z[k] = fma(first, z, edges->z[k]);
        edges->x[k + 1u] = fma(-second, x, edges->x[k + 1u]);
        edges->y[k + 1u] = fma(-second, y, edges->y[k + 1u]);
        edges->z[k + 1u] = fma(-second, z, edges->z[k + 1u]);
    }
}

/* Shortens the edges of a chain in local memory by one warp, of which an item is lane `lane`,
 * CHAIN_EACH edges in each lane. */
CLOTH_FUNCTION void chain_shorten_by_warp(
    chain_item i, uint lane, uint pass, __local float4 *rows, __local const float *limits)
{
    uint lanes = i.width / CHAIN_EACH, id = hed_lane_id(), from = lane * CHAIN_EACH,
         slot = chain_slot(i, from), count = i.chain.count, has_next = lane + 1u < lanes;
    uint no_edge = chain_slot(i, 0);
    if (lane >= lanes) from = count + 1u;
    float4 a = rows[from <= count ? slot : no_edge];
    chain_short_edges edges;
    for (uint k = 0; k <= CHAIN_EACH; k++) {
        uint next = slot + k + 1u + (k + 1u) / CHAIN_EACH, is_edge = from + k < count;
        float4 b = rows[is_edge ? next : no_edge];
        edges.x[k] = a.x;
        edges.y[k] = a.y;
        edges.z[k] = a.z;
        if (k < CHAIN_EACH) {
            float inverse = is_edge ? cloth_inverse(hed_max(a.w + b.w, 1e-20f)) : 0.0f;
            edges.first[k] = a.w * inverse;
            edges.second[k] = b.w * inverse;
        }
        a = b;
    }
    CLOTH_ROLLED
    for (uint k = 0; k < CLOTH_SHORTENINGS(pass, count); k++) {
        const uint end = CHAIN_EACH;
        chain_shorten_every_second(&edges, 0u, limits + slot);
        float x = hed_lane_shuffle(edges.x[0], id + 1u), y = hed_lane_shuffle(edges.y[0], id + 1u),
              z = hed_lane_shuffle(edges.z[0], id + 1u);
        edges.x[end] = has_next ? x : edges.x[end];
        edges.y[end] = has_next ? y : edges.y[end];
        edges.z[end] = has_next ? z : edges.z[end];
        chain_shorten_every_second(&edges, 1u, limits + slot);
        x = hed_lane_shuffle(edges.x[end], id - 1u);
        y = hed_lane_shuffle(edges.y[end], id - 1u);
        z = hed_lane_shuffle(edges.z[end], id - 1u);
        edges.x[0] = lane ? x : edges.x[0];
        edges.y[0] = lane ? y : edges.y[0];
        edges.z[0] = lane ? z : edges.z[0];
    }
    hed_lane_barrier(); /* neighbours have read the points */
    for (uint k = 0; k <= CHAIN_EACH; k++) {
        __local float4 *to = rows + slot + k + k / CHAIN_EACH;
        if (from + k > count || (k == CHAIN_EACH && has_next)) continue;
        *to = hed_f4(edges.x[k], edges.y[k], edges.z[k], to->w);
    }
}
#endif

/* Makes the points of chains as moved by `pulls`, then with shortened edges. Where a warp does not do it alone, the
 * first half of a chain's items does every second edge, so that half of the warps have nothing to do. `longest`: as
 * of chain_solve(); items meet as often as it needs. `rows`: 3 WG. */
CLOTH_FUNCTION void chain_shorten_points(chain_item i, cloth_chains_view view, chain_pulls pulls,
    float stiffness, uint longest, __local float4 *rows)
{
    const float4 none = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    uint slot = chain_slot(i, i.lane), is_last = i.lane + 1u == i.chain.count;
    __local float *limits = (__local float *)(rows + 2 * WG);
    float high = CLOTH_SHORTENED(view.pass) * (i.chain.high * i.edge.rest),
          stretch = cloth_chain_stretch(i.edge, i.chain, view.pass, stiffness, i.a.w + i.b.w);
    cloth_meet(i.width); /* neighbours have read their multipliers */
    if (i.is_edge) {
        rows[slot] = i.a.w > 0.0f ? cloth_chain_moved(i.a, pulls.unit, pulls.last) : i.a;
        if (is_last)
            rows[chain_slot(i, i.chain.count)] =
                i.b.w > 0.0f ? cloth_chain_moved(i.b, none, pulls.unit) : i.b;
    }
    limits[slot] = i.is_edge ? high + stretch : 1e30f;
#if CHAIN_SHORTENS_BY_WARP
    if (i.width > CHAIN_NARROW && i.width <= CHAIN_WIDEST) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint worker = chain_worker_lane(i);
        if (worker < 32u) chain_shorten_by_warp(i, worker, view.pass, rows, limits);
        barrier(CLK_LOCAL_MEM_FENCE);
        return;
    }
#endif
    uint half_sweeps = 2u * CLOTH_SHORTENINGS(view.pass, i.chain.count),
         most = 2u * CLOTH_SHORTENINGS(view.pass, longest);
    CLOTH_ROLLED
    for (uint half_sweep = 0; half_sweep < most; half_sweep++) {
        uint edge = 2u * i.lane + (half_sweep & 1u);
        cloth_meet(i.width);
        if (half_sweep < half_sweeps && edge < i.chain.count) {
            uint at = chain_slot(i, edge), next = chain_slot(i, edge + 1u);
            float4 a = rows[at], b = rows[next];
            cloth_chain_shorten(&a, &b, limits[at], 0.0f);
            rows[at] = a;
            rows[next] = b;
        }
    }
    cloth_meet(i.width);
}

/* Shortens the edges of chains after chain_apply() of `pulls`. `rows`: 3 WG. */
CLOTH_FUNCTION void chain_shorten(chain_item i, cloth_chains_view view, chain_pulls pulls,
    float stiffness, uint longest, __local float4 *rows)
{
    uint at = i.chain.first + i.lane * i.chain.step;
    chain_shorten_points(i, view, pulls, stiffness, longest, rows);
    if (i.is_edge && i.a.w > 0.0f) view.points[at] = rows[chain_slot(i, i.lane)];
    if (i.is_edge && i.lane + 1u == i.chain.count && i.b.w > 0.0f)
        view.points[at + i.chain.step] = rows[chain_slot(i, i.chain.count)];
}

/* Moves the points of chains. */
CLOTH_FUNCTION void chain_apply(chain_item i, cloth_chains_view view, chain_pulls pulls)
{
    uint at = i.chain.first + i.lane * i.chain.step;
#if HED_HAS_GRID_BARRIER
    if (!i.is_edge) return; /* ptxas spills without it */
#endif
    if (i.is_edge && i.a.w > 0.0f) view.points[at] = cloth_chain_moved(i.a, pulls.unit, pulls.last);
    if (i.is_edge && i.lane + 1u == i.chain.count && i.b.w > 0.0f)
        view.points[at + i.chain.step] =
            cloth_chain_moved(i.b, hed_f4(0.0f, 0.0f, 0.0f, 0.0f), pulls.unit);
#if !HED_HAS_GRID_BARRIER
    barrier(CLK_LOCAL_MEM_FENCE); /* without it PoCL 3.1 writes beyond `pulled`: cause unknown */
#endif
    if (i.is_edge && CLOTH_CHAINS_KEEP(view.pass))
        cloth_chain_keep(i.chain.edges + i.lane, pulls.unit.w, view);
}

/* Solves chains: chain_solve(). */
CLOTH_FUNCTION void chain_reduce(cloth_chain_at chain, cloth_chain_edge edge,
    cloth_chains_view view, float stiffness, uint width, uint longest, uint item,
    __local float4 *rows)
{
    if (chain_warp_is_idle(chain, width)) return;
    chain_item i = chain_item_at(chain, edge, view, item, width);
    chain_pulls pulls = chain_solve(i, view.pass, stiffness, longest, rows);
    chain_apply(i, view, pulls);
    if (view.pass >= CLOTH_LIMIT_PASS) chain_shorten(i, view, pulls, stiffness, longest, rows);
}

#if !HED_STRICT
/* Solves a chain of at most 2 WG edges that do not turn, two in an item: each item takes the first of its
 * rows out of the system, and the second ones are reduced as in chain_solve_in_memory(). `rows`: 3 WG. */
CLOTH_FUNCTION void chain_reduce_pairs(
    cloth_chain_at chain, cloth_chains_view view, float stiffness, uint lane, __local float4 *rows)
{
    const float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    __local float4 *seconds = rows + 2 * WG, *firsts = rows + WG;
    uint at = 2u * lane, has_left = lane > 0u, has_next = lane + 1u < WG;
    view.turns = 0;
    chain_item a = chain_item_at(chain, chain_edge_at(at, chain, view), view, at, 2 * WG),
               b = chain_item_at(chain, chain_edge_at(at + 1u, chain, view), view, at + 1u, 2 * WG);
    chain_pulls first = {chain_unit(a, view.pass, stiffness), zero},
                second = {chain_unit(b, view.pass, stiffness), first.unit};
    firsts[lane] = first.unit;
    seconds[lane] = second.unit;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); /* neighbours have read the points */
    if (has_left) first.last = seconds[lane - 1u];
    cloth_chain_row out = chain_begin(a, first.unit, first, second.unit, stiffness),
                    me = chain_begin(
                        b, second.unit, second, has_next ? firsts[lane + 1u] : zero, stiffness),
                    next = {0.0f, 0.0f, 0.0f};
    rows[lane] = hed_f4(out.before, out.after, out.right, 0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (has_next) next = chain_row_of(rows[lane + 1u]);
    me = cloth_chain_without(me, out, next);
    CLOTH_ROLLED
    for (uint step = 1, turn = WG; 2u * step < chain.count; step *= 2, turn ^= WG) {
        rows[turn + lane] = hed_f4(me.before, me.after, me.right, 0.0f);
        barrier(CLK_LOCAL_MEM_FENCE);
        cloth_chain_row left = {0.0f, 0.0f, 0.0f};
        next = left;
        if (lane >= step) left = chain_row_of(rows[turn + lane - step]);
        if (lane + step < WG) next = chain_row_of(rows[turn + lane + step]);
        me = cloth_chain_without(me, left, next);
    }
    seconds[lane].w = me.right;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (has_left) first.last.w = seconds[lane - 1u].w;
    first.unit.w = fma(-out.before, first.last.w, fma(-out.after, me.right, out.right));
    second.last.w = first.unit.w;
    second.unit.w = me.right;
    chain_apply(a, view, first);
    chain_apply(b, view, second);
}
#endif
#endif

#endif
