/* Kernel of chains of distances, each solved as one system by a group: as cloth_lines. SOLVE of fast
 * mode: by cyclic reduction, or, up to WG edges, by parallel cyclic reduction in local memory. */
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

/* Solves a chain by cyclic reduction in global memory. */
CLOTH_FUNCTION void chain_solve_in_place(
    cloth_chain_at chain, cloth_chains_view view, float stiffness, uint lane)
{
    uint step = 1;
    for (uint j = lane; j < chain.count; j += WG) cloth_chain_aim(j, chain, view, stiffness);
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (uint j = lane; j < chain.count; j += WG) cloth_chain_begin(j, chain, view, stiffness);
    for (; step < chain.count; step *= 2) {
        barrier(CLK_GLOBAL_MEM_FENCE);
        for (uint j = cloth_reduced(lane, step); j < chain.count; j += 2 * step * WG)
            cloth_chain_reduce(j, step, chain, view);
    }
    for (; step > 0; step /= 2) {
        barrier(CLK_GLOBAL_MEM_FENCE);
        for (uint j = cloth_solved(lane, step); j < chain.count; j += 2 * step * WG)
            cloth_chain_substitute(j, step, chain, view);
    }
}

/* Moves the points of a chain after chain_solve_in_place(). */
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
    cloth_chain_at chain = cloth_chain_of(chains, first + (uint)get_group_id(0));
    uint lane = (uint)get_local_id(0);
    float stiffness = cloth_stiffness_at(steps, substep);
#if SOLVE && !HED_STRICT
    HED_LOCAL_ARRAY(float4, rows, 3 * WG);
    if (chain.count <= WG) {
        chain_reduce(
            chain, chain_edge_at(lane, chain, view), view, stiffness, WG, chain.count, lane, rows);
        return;
    }
    if (chain.count <= 2u * WG && !turns) chain_reduce_pairs(chain, view, stiffness, lane, rows);
    else
#endif
    {
        chain_solve_in_place(chain, view, stiffness, lane);
        chain_move(chain, view, lane);
    }
    if (pass < CLOTH_LIMIT_PASS) return;
    for (uint k = 0; k < 2u * CLOTH_SHORTENINGS(pass, chain.count); k++) {
        barrier(CLK_GLOBAL_MEM_FENCE);
        for (uint j = 2 * lane + k % 2; j < chain.count; j += 2 * WG)
            cloth_chain_shorten_at(j, chain, view, stiffness);
    }
}
