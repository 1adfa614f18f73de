/* Kernel of hed_cloth_read(): positions, normals and colours of the vertices, from particles, in
 * rows without gaps. vertex.h has the function of one vertex. */
#ifndef WG
#define WG 256
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "particle.h"
#include "vertex.h"
#endif

__kernel void cloth_read(HED_VIEW_PARAMETERS(CLOTH_READ))
{
    HED_VIEW_HERE(cloth_read_view, view, CLOTH_READ);
    uint i = (uint)get_global_id(0);
    if (i < show.vertices) cloth_read_one(i, view);
}
