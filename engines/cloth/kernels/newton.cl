/* Kernel of Newton's method for the strains of a mesh, a group for each patch. */
#ifndef WG
#define WG 256
#endif
#ifndef JOINT
#define JOINT 0 /* 1: all legs in one launch of resident groups; 0: a launch for each leg */
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "particle.h"
#include "element_patch.h"
#include "element_patch_group.h"
#include "newton_patch.h"
#include "newton.h"
#include "newton_coarse.h"
#include "newton_group.h"
#endif

__kernel void cloth_newton(HED_VIEW_PARAMETERS(CLOTH_NEWTON))
{
    HED_VIEW_HERE(cloth_newton_view, view, CLOTH_NEWTON);
    newton_group group = newton_group_of((uint)get_group_id(0), view, (uint)get_local_id(0));
    newton_item of;
#if JOINT
    CLOTH_ROLLED
    for (uint leg = view.launch.begin; leg < view.launch.end; leg++) {
        newton_leg(&group, view, view.memory, &of, leg);
        if (leg + 1u < view.launch.end) hed_grid_barrier(view.state);
    }
#else
    newton_leg(&group, view, view.memory, &of, view.launch.begin);
#endif
}
