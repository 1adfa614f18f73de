/* Kernel of the distance constraints of one colour: no free particle is in two constraints of a
 * colour. particle.h has the scalar version. */
#ifndef WG
#define WG 256
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "particle.h"
#include "lanes.h"
#include "project.h"
#endif

__kernel void cloth_distance(HED_VIEW_PARAMETERS(CLOTH_DISTANCE))
{
    HED_VIEW_HERE(cloth_projection, view, CLOTH_PROJECTION);
    float stiffness = cloth_stiffness_at(steps, substep);
    CLOTH_EACH(count, cloth_distance_four(first + i, view, stiffness),
        cloth_distance_one(first + i, view, stiffness))
}
