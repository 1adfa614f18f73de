/* Kernel of the cells of fabrics' grids of one colour: no free particle is in two cells of a colour.
 * particle.h has the function of one cell. */
#ifndef WG
#define WG 256
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "particle.h"
#endif

__kernel void cloth_cells(HED_VIEW_PARAMETERS(CLOTH_CELLS))
{
    HED_VIEW_HERE(cloth_cells_view, view, CLOTH_CELLS);
    uint i = (uint)get_global_id(0);
    if (i < count) cloth_cell_one(first + i, view, cloth_stiffness_at(steps, substep));
}
