/* Solution of chains by a group, for chain.cl and cooperative_tasks.cl. */
#ifndef CLOTH_CHAIN_GROUP_H
#define CLOTH_CHAIN_GROUP_H

#if SOLVE
CLOTH_FUNCTION cloth_chain_reduced chain_reduced_of(float4 row)
{
    cloth_chain_reduced reduced = {row.x, row.y, row.z};
    return reduced;
}

/* Edge of an item, without multipliers of earlier sweeps. */
CLOTH_FUNCTION cloth_chain_edge chain_edge_at(
    uint lane, cloth_chain_at chain, cloth_chains_view view)
{
    view.pass = 0;
    return cloth_chain_edge_of(chain.edges + min(lane, chain.count - 1u), view);
}

/* Items of a chain meet: in a warp if they are in one, else the group's. */
CLOTH_FUNCTION void chain_meet(uint width)
{
#if HED_HAS_LANES
    if (width <= 32u) {
        hed_lane_barrier();
        return;
    }
#endif
    (void)width;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

/* Moves the points of chains of at most `width` edges, a power of two, by cyclic reduction, an edge
 * in an item: every row eliminates the rows at distance `step` on both sides from its system until
 * no other row is left (R. W. Hockney and C. R. Jesshope, Parallel Computers, 1981: PARACR). A
 * group solves up to WG / width chains at once; count 0: no chain. `longest`: edges of the longest
 * one; `edge`: chain_edge_at(); `rows`: 3 WG. No condition in the loop is the same in all steps:
 * LLVM makes a loop of each case then, and PoCL's barriers in two loops never meet. */
CLOTH_FUNCTION void chain_reduce(cloth_chain_at chain, cloth_chain_edge edge,
    cloth_chains_view view, float stiffness, uint width, uint longest, uint item,
    __local float4 *rows)
{
#if HED_HAS_LANES
    if (width <= 32u && !hed_lane_shuffle(chain.count, 0)) return; /* a warp without a chain */
#endif
    const float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    uint lane = item & (width - 1u), at = chain.first + lane * chain.step,
         is_edge = lane < chain.count;
    __local float4 *units = rows + 2 * WG;
    float4 a = zero, b = zero, unit = zero;
    cloth_chain_row row = {{0.0f, 0.0f, 0.0f, 0.0f}, 1.0f, 0.0f};
    if (is_edge) {
        if (view.pass >= 2) edge.pulled = view.pulled[chain.edges + lane];
        a = view.points[at];
        b = view.points[at + chain.step];
        unit = cloth_chain_unit(a, b, edge, chain, view.pass, stiffness);
    }
    units[item] = unit;
    chain_meet(width); /* neighbours have read the points */
    if (is_edge)
        row = cloth_chain_row_between(
            unit, lane > 0 ? units[item - 1] : zero, a.w, b.w, edge, chain, stiffness);
    rows[WG + item] = hed_f4(row.left, 0.0f, 0.0f, 0.0f);
    chain_meet(width);
    cloth_chain_reduced me =
        cloth_chain_begin(row, lane + 1u < width ? rows[WG + item + 1].x : 0.0f);
    CLOTH_ROLLED
    for (uint step = 1, turn = 0; step < longest; step *= 2, turn ^= WG) {
        uint acts = step < chain.count;
        if (acts) rows[turn + item] = hed_f4(me.before, me.after, me.right, 0.0f);
        chain_meet(width);
        cloth_chain_reduced left = {0.0f, 0.0f, 0.0f}, next = {0.0f, 0.0f, 0.0f};
        if (acts && lane >= step) left = chain_reduced_of(rows[turn + item - step]);
        if (acts && lane + step < width) next = chain_reduced_of(rows[turn + item + step]);
        if (acts) me = cloth_chain_without(me, left, next);
    }
    unit.w = me.right;
    units[item] = unit;
    chain_meet(width);
#if HED_HAS_GRID_BARRIER
    if (!is_edge) return; /* ptxas spills without it */
#endif
    if (is_edge && a.w > 0.0f)
        view.points[at] = cloth_chain_moved(a, unit, lane > 0 ? units[item - 1] : zero);
    if (is_edge && lane + 1u == chain.count && b.w > 0.0f)
        view.points[at + chain.step] = cloth_chain_moved(b, zero, unit);
#if !HED_HAS_GRID_BARRIER
    barrier(CLK_LOCAL_MEM_FENCE); /* without it PoCL 3.1 writes beyond `pulled`: cause unknown */
#endif
    if (is_edge && CLOTH_CHAINS_KEEP(view.pass))
        cloth_chain_keep(chain.edges + lane, units[item].w, view);
}
#endif

#endif
