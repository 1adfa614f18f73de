/* Kernel of chains of distances, each solved as one system by a group: as cloth_lines. SOLVE of fast
 * mode: by elimination, or, up to WG edges, by cyclic reduction. */
#ifndef WG
#define WG 32
#endif
#ifndef SOLVE
#define SOLVE 0
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "particle.h"
#include "chain.h"
#endif

/* Eliminates along the chain: items compute rows in parallel, item 0 runs the recurrence, over WG
 * rows at a time in local memory. */
CLOTH_FUNCTION void chain_eliminate(cloth_chain_at chain, cloth_chains_view view, float stiffness,
    uint lane, __local float *right, __local float *diagonal, __local float *left)
{
    cloth_chain_pass state = {0.0f, 0.0f};
    cloth_chain_row row;
    for (uint from = 0; from < chain.count; from += WG) {
        uint rows = min(chain.count - from, (uint)WG), to = chain.edges + from + lane;
        if (lane < rows) {
            row = cloth_chain_row_of(from + lane, chain, view, stiffness);
            right[lane] = row.unit.w;
            diagonal[lane] = row.diagonal;
            left[lane] = row.left;
            view.units[to] = row.unit;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; lane == 0 && k < rows; k++) {
            row.unit.w = right[k];
            row.diagonal = diagonal[k];
            row.left = left[k];
            row = cloth_chain_forth(&state, row);
            right[k] = row.unit.w;
            left[k] = row.left;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < rows) {
            view.pulls[to] = right[lane];
            view.links[to] = left[lane];
        }
    }
    state.inverse = 0.0f;
    state.right = 0.0f;
    for (uint blocks = (chain.count + WG - 1) / WG; blocks-- > 0;) {
        uint from = blocks * WG, rows = min(chain.count - from, (uint)WG),
             to = chain.edges + from + lane;
        if (lane < rows) {
            right[lane] = view.pulls[to];
            left[lane] = view.links[to];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = rows; lane == 0 && k-- > 0;)
            right[k] = cloth_chain_back(&state, right[k], left[k]);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < rows) view.pulls[to] = right[lane];
    }
}

#if SOLVE && !HED_STRICT
/* Solves a chain of at most WG edges by cyclic reduction, edge j in item j: every row eliminates
 * the rows at distance `step` on both sides from its system until no other row is left (R. W. Hockney and C. R.
 * Jesshope, Parallel Computers, 1981: PARACR). */
CLOTH_FUNCTION void chain_reduce(cloth_chain_at chain, cloth_chains_view view, float stiffness,
    uint lane, __local float *right, __local float *before, __local float *after)
{
    cloth_chain_row row = {{0.0f, 0.0f, 0.0f, 0.0f}, 1.0f, 0.0f};
    if (lane < chain.count) {
        row = cloth_chain_row_of(lane, chain, view, stiffness);
        view.units[chain.edges + lane] = row.unit;
    }
    before[lane] = row.left;
    barrier(CLK_LOCAL_MEM_FENCE);
    cloth_chain_reduced me = cloth_chain_begin(row, lane + 1u < WG ? before[lane + 1u] : 0.0f);
    for (uint step = 1; step < chain.count; step *= 2) {
        cloth_chain_reduced left = {0.0f, 0.0f, 0.0f}, next = {0.0f, 0.0f, 0.0f};
        barrier(CLK_LOCAL_MEM_FENCE);
        before[lane] = me.before;
        after[lane] = me.after;
        right[lane] = me.right;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane >= step) {
            left.before = before[lane - step];
            left.after = after[lane - step];
            left.right = right[lane - step];
        }
        if (lane + step < WG) {
            next.before = before[lane + step];
            next.after = after[lane + step];
            next.right = right[lane + step];
        }
        me = cloth_chain_without(me, left, next);
    }
    if (lane < chain.count) view.pulls[chain.edges + lane] = me.right;
}
#endif

__kernel void cloth_chains(HED_VIEW_PARAMETERS(CLOTH_CHAINS))
{
    HED_VIEW_HERE(cloth_chains_view, view, CLOTH_CHAINS);
    HED_LOCAL_ARRAY(float, right, WG);
    HED_LOCAL_ARRAY(float, diagonal, WG);
    HED_LOCAL_ARRAY(float, left, WG);
    cloth_chain_at chain = cloth_chain_of(chains, first + (uint)get_group_id(0));
    uint lane = (uint)get_local_id(0);
    float stiffness = cloth_stiffness_at(steps, substep);
#if SOLVE && !HED_STRICT
    if (chain.count <= WG) chain_reduce(chain, view, stiffness, lane, right, diagonal, left);
    else
#endif
        chain_eliminate(chain, view, stiffness, lane, right, diagonal, left);
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (uint j = lane; j <= chain.count; j += WG) cloth_chain_move(j, chain, view);
    for (uint j = lane; CLOTH_CHAINS_KEEP(pass) && j < chain.count; j += WG)
        cloth_chain_keep(j, chain, view);
}
