/* Kernel that copies the program's driver data, rows of three floats or pairs of position and
 * normal, to the layout of the other kernels: positions, then normals. */
#ifndef WG
#define WG 256
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "particle.h"
#include "vertex.h"
#endif

__kernel void cloth_feed(HED_VIEW_PARAMETERS(CLOTH_FEED))
{
    HED_VIEW_HERE(cloth_feed_view, view, CLOTH_FEED);
    uint i = (uint)get_global_id(0);
    if (i < fed.particles) cloth_feed_one(i, view);
}
