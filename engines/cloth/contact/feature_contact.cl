/* Kernels of thin features of bodies: pairs of a substep, and their pushes and limits. Pairs are
 * few, so one group solves them, with a barrier after each stage. */
#ifndef WG
#define WG 256
#endif
#ifndef CLOTH_PHYSICS_H
#include "kernels/physics.h"
#include "kernels/collide.h"
#include "mesh_contact.h"
#include "contact_types.h"
#include "contact_geometry.h"
#include "feature_contact.h"
#endif

__kernel void cloth_feature_find(HED_VIEW_PARAMETERS(FEATURE_FIND))
{
    HED_VIEW_HERE(feature_find_view, view, FEATURE_FIND);
    uint t = (uint)get_global_id(0);
    if (t < params.triangles) feature_find(t, view);
}

#define FEATURE_RUN(stage, argument) RUN_##stage(argument)
#define FEATURE_EACH(work) \
    for (uint k = (uint)get_local_id(0); k < count; k += WG) work; \
    barrier(CLK_GLOBAL_MEM_FENCE)
#define RUN_feature_push(pass) FEATURE_EACH(feature_push(k, pass, view))
#define RUN_feature_apply(pass) FEATURE_EACH(feature_apply(k, view))
#define RUN_feature_limit(round) FEATURE_EACH(feature_limit(k, round, view))
#define RUN_feature_finish(round) FEATURE_EACH(feature_finish(k, view))

__kernel void cloth_feature_solve(HED_VIEW_PARAMETERS(FEATURE_SOLVE))
{
    HED_VIEW_HERE(feature_solve_view, view, FEATURE_SOLVE);
    uint count = feature_count(counters, params);
    barrier(CLK_GLOBAL_MEM_FENCE);
    FEATURE_STAGES(FEATURE_RUN, counters);
    barrier(CLK_GLOBAL_MEM_FENCE); /* all items have read the counters */
    if (get_local_id(0) == 0) feature_tally(counters, params);
}
