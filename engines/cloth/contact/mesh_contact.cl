/* Kernels of mesh colliders: refit of the boxes, and each particle's plane of contact.
 * mesh_contact.h has the work of one node and of one particle. */
#ifndef WG
#define WG 64
#endif
#ifndef CLOTH_PHYSICS_H
#include "kernels/physics.h"
#include "kernels/collide.h"
#include "mesh_contact.h"
#endif

/* Refits a row of `row` nodes and the rows above it: a group refits WG nodes and the nodes above
 * them up to one, so the next launch begins with the row of row / WG / 2 nodes. */
__kernel void cloth_mesh_boxes(HED_VIEW_PARAMETERS(MESH_BOXES))
{
    HED_VIEW_HERE(cloth_mesh_boxes_view, view, MESH_BOXES);
    uint item = (uint)get_local_id(0), first = (uint)get_group_id(0) * WG;
    for (uint width = WG; width > 0 && row > 0; width /= 2) {
        if (item < width && first + item < row)
            cloth_box_one(row + first + item, view);
        barrier(CLK_GLOBAL_MEM_FENCE);
        row /= 2;
        first /= 2;
    }
}

__kernel void cloth_mesh_find(HED_VIEW_PARAMETERS(MESH_FIND))
{
    HED_VIEW_HERE(cloth_mesh_view, view, CLOTH_MESH_ARRAYS);
    HED_VIEW_HERE(cloth_mesh_find_view, of, MESH_FIND);
    uint i = (uint)get_global_id(0);
    if (i < meshes.particles) cloth_mesh_find_one(i, view, of);
}
