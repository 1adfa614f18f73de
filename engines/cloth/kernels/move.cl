/* Kernel that transforms points, directions, or particles with their motions by a rigid matrix. */
#ifndef WG
#define WG 256
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "particle.h"
#include "vertex.h"
#endif

__kernel void cloth_move(HED_VIEW_PARAMETERS(CLOTH_MOVE))
{
    HED_VIEW_HERE(cloth_move_view, view, CLOTH_MOVE);
    uint i = (uint)get_global_id(0);
    if (i < rigid.count) cloth_move_one(i, view);
}
