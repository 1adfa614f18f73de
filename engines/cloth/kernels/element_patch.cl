/* Kernel of the elements of fabrics in patches, a group each. */
#ifndef WG
#define WG 128
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "particle.h"
#include "element_patch.h"
#include "element_patch_group.h"
#endif

__kernel void cloth_element_patches(HED_VIEW_PARAMETERS(CLOTH_ELEMENT_PATCHES))
{
    HED_VIEW_HERE(cloth_element_patches_view, view, CLOTH_ELEMENT_PATCHES);
    HED_LOCAL_ARRAY(float4, memory, CLOTH_PATCH_ROOM);
    patch_solve((uint)get_group_id(0), view, cloth_stiffness_at(steps, substep),
        (uint)get_local_id(0), memory);
}
