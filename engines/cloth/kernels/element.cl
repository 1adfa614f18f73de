/* Kernel of the elements of fabrics of one colour: no free particle is in two elements of a colour.
 * particle.h has the function of one element. */
#ifndef WG
#define WG 256
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "particle.h"
#endif

__kernel void cloth_elements(HED_VIEW_PARAMETERS(CLOTH_ELEMENTS))
{
    HED_VIEW_HERE(cloth_elements_view, view, CLOTH_ELEMENTS);
    uint i = (uint)get_global_id(0);
    if (i < count) cloth_element_one(first + i, view, cloth_stiffness_at(steps, substep));
}
