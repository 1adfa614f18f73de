/* The step of second order: CLOTH_RECALL (kernels/physics.h). */
#ifndef CLOTH_SOLVER_SECOND_ORDER_H
#define CLOTH_SOLVER_SECOND_ORDER_H

#include "object/cloth_object.h"

/* True if particles remember the motion of the substep before the last one: a cloth of grids with
 * lattices on which nothing but gravity acts. Its definition alone decides. */
bool cloth_remembers(const hed_cloth *cloth);

#endif
