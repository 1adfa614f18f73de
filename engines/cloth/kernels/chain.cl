/* Kernel of chains of distances, each solved as one system by a group: as cloth_lines. */
#ifndef WG
#define WG 32
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "particle.h"
#include "chain.h"
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
    cloth_chain_pass state = {0.0f, 0.0f};
    cloth_chain_row row;
    for (uint from = 0; from < chain.count; from += WG) {
        uint rows = min(chain.count - from, (uint)WG), to = chain.edges + from + lane;
        if (lane < rows) {
            row = cloth_chain_row_of(from + lane, chain, view, stiffness);
            right[lane] = row.unit.w;
            diagonal[lane] = row.diagonal;
            left[lane] = row.left;
            units[to] = row.unit;
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
            pulls[to] = right[lane];
            links[to] = left[lane];
        }
    }
    state.inverse = 0.0f;
    state.right = 0.0f;
    for (uint blocks = (chain.count + WG - 1) / WG; blocks-- > 0;) {
        uint from = blocks * WG, rows = min(chain.count - from, (uint)WG),
             to = chain.edges + from + lane;
        if (lane < rows) {
            right[lane] = pulls[to];
            left[lane] = links[to];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = rows; lane == 0 && k-- > 0;)
            right[k] = cloth_chain_back(&state, right[k], left[k]);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < rows) pulls[to] = right[lane];
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (uint j = lane; j <= chain.count; j += WG) cloth_chain_move(j, chain, view);
    for (uint j = lane; CLOTH_CHAINS_KEEP(pass) && j < chain.count; j += WG) cloth_chain_keep(j, chain, view);
}
