/* Kernels that keep the angular momentum of closed garments under pressure (turn.h). */
#ifndef WG
#define WG 128
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "particle.h"
#include "turn.h"
#endif

__kernel void cloth_expect(HED_VIEW_PARAMETERS(CLOTH_EXPECT))
{
    HED_VIEW_HERE(cloth_expect_view, view, CLOTH_EXPECT);
    uint i = (uint)get_global_id(0);
    if (i < step.particles) cloth_expect_one(i, view);
}

/* Turns each piece, one group for a piece. */
__kernel void cloth_turn(HED_VIEW_PARAMETERS(CLOTH_TURN))
{
    HED_VIEW_HERE(cloth_turn_view, view, CLOTH_TURN);
    HED_LOCAL_ARRAY(cloth_turn_sum, sums, CLOTH_TURN_LANES);
    uint lane = (uint)get_local_id(0);
    uint2 piece = pieces[(uint)get_group_id(0)];
    float4 from = previous[members[piece.x]];
    sums[lane] = cloth_turn_lane(view, piece, lane);
    for (uint left = CLOTH_TURN_LANES / 2; left > 0; left /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < left) sums[lane] = cloth_turn_add(sums[lane], sums[lane + left]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    cloth_turn_move(view, piece, lane, cloth_turning_of(sums[0], from));
}
