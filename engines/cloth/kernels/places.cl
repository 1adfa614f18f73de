/* Kernels of lattices: places sampled from particles, points that follow places. */
#ifndef WG
#define WG 256
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "particle.h"
#include "chain.h"
#endif

__kernel void cloth_places(HED_VIEW_PARAMETERS(CLOTH_PLACES))
{
    HED_VIEW_HERE(cloth_places_view, view, CLOTH_PLACES);
    uint i = (uint)get_global_id(0);
    if (i < count) cloth_place_one(first + i, view);
}

__kernel void cloth_shares(HED_VIEW_PARAMETERS(CLOTH_SHARES))
{
    HED_VIEW_HERE(cloth_shares_view, view, CLOTH_SHARES);
    uint i = (uint)get_global_id(0);
    if (i < count) cloth_share_one(first + i, view);
}
