/* Kernel of Newton's method for the strains of a mesh, a group for each patch. */
#ifndef WG
#define WG 256
#endif
#ifndef JOINT
#define JOINT 0 /* 1: whole substeps in one launch of resident groups; 0: a launch for each leg */
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
#include "newton_contact.h"
#include "newton_exchange.h"
#include "newton_group.h"
#endif

#if JOINT
/* Whole substeps. The integrator moves the particles that the group itself moved last. */
CLOTH_FUNCTION void newton_run(cloth_newton_view view, uint number, uint item)
{
    CLOTH_ROLLED
    for (; view.launch.substeps > 0u; view.launch.substeps--, view.launch.substep++) {
        newton_group group = newton_group_of(number, view, item);
        newton_item of;
        if (view.launch.integrates) {
            newton_integrate(&group, view);
            hed_grid_barrier(view.state);
        }
        newton_leg(&group, view, view.memory, &of, CLOTH_NEWTON_BEND);
        hed_grid_barrier(view.state);
        group = newton_anew(group);
        newton_leg(&group, view, view.memory, &of, CLOTH_NEWTON_MATRIX);
        group = newton_anew(group);
        CLOTH_ROLLED
        for (uint leg = CLOTH_NEWTON_ITERATE; leg < CLOTH_NEWTON_LEGS(view.launch.iterations);
             leg++) {
            if (leg == CLOTH_NEWTON_ITERATE || !NEWTON_PACKETS) hed_grid_barrier(view.state);
            newton_leg(&group, view, view.memory, &of, leg);
        }
    }
}
#endif

__kernel void cloth_newton(HED_VIEW_PARAMETERS(CLOTH_NEWTON))
{
    HED_VIEW_HERE(cloth_newton_view, view, CLOTH_NEWTON);
#if JOINT
    newton_run(view, (uint)get_group_id(0), (uint)get_local_id(0));
#else
    newton_group group = newton_group_of((uint)get_group_id(0), view, (uint)get_local_id(0));
    newton_item of;
    newton_leg(&group, view, view.memory, &of, view.launch.leg);
#endif
}
