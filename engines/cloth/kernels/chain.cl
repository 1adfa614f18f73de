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
#include "chain_group.h"
#endif

/* Eliminates along the chain: items compute rows in parallel, item 0 runs the recurrence, over WG
 * rows at a time in local memory. */
CLOTH_FUNCTION void chain_eliminate(cloth_chain_at chain, cloth_chains_view view, float stiffness,
    uint lane, __local float *right, __local float *diagonal, __local float *left,
    __local float *upper)
{
    cloth_chain_pass state = {0.0f, 0.0f};
    cloth_chain_row row;
    for (uint from = 0; from < chain.count; from += WG) {
        uint rows = min(chain.count - from, (uint)WG), to = chain.edges + from + lane;
        if (lane < rows) {
            row = cloth_chain_row_of(from + lane, chain, view, stiffness);
            right[lane] = row.axis.w;
            diagonal[lane] = row.diagonal;
            left[lane] = row.left;
            upper[lane] = row.upper;
            view.units[to] = row.axis;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; lane == 0 && k < rows; k++) {
            row.axis.w = right[k];
            row.diagonal = diagonal[k];
            row.left = left[k];
            row.upper = upper[k];
            row = cloth_chain_forth(&state, row);
            right[k] = row.axis.w;
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

/* Moves the points of a chain after chain_eliminate(). */
CLOTH_FUNCTION void chain_move(cloth_chain_at chain, cloth_chains_view view, uint lane)
{
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (uint j = lane; j <= chain.count; j += WG) cloth_chain_move(j, chain, view);
    for (uint j = lane; CLOTH_CHAINS_KEEP(view.pass) && j < chain.count; j += WG)
        cloth_chain_keep(chain.edges + j, view.pulls[chain.edges + j], view);
}

__kernel void cloth_chains(HED_VIEW_PARAMETERS(CLOTH_CHAINS))
{
    HED_VIEW_HERE(cloth_chains_view, view, CLOTH_CHAINS);
    HED_LOCAL_ARRAY(float4, rows, 3 * WG);
    cloth_chain_at chain = cloth_chain_of(chains, first + (uint)get_group_id(0));
    uint lane = (uint)get_local_id(0);
    float stiffness = cloth_stiffness_at(steps, substep);
#if SOLVE && !HED_STRICT
    if (chain.count <= WG) {
        chain_reduce(
            chain, chain_edge_at(lane, chain, view), view, stiffness, WG, chain.count, lane, rows);
        return;
    }
    if (chain.count <= 2u * WG && !turns) chain_reduce_pairs(chain, view, stiffness, lane, rows);
    else
#endif
    {
        __local float *numbers = (__local float *)rows;
        chain_eliminate(chain, view, stiffness, lane, numbers, numbers + WG, numbers + 2 * WG,
            numbers + 3 * WG);
        chain_move(chain, view, lane);
    }
    if (pass != CLOTH_LIMIT_PASS) return;
    for (uint k = 0; k < 2u * CLOTH_SHORTENINGS(chain.count); k++) {
        barrier(CLK_GLOBAL_MEM_FENCE);
        for (uint j = 2 * lane + k % 2; j < chain.count; j += 2 * WG)
            cloth_chain_shorten_at(j, chain, view, stiffness);
    }
}
