/** @file cloth_layers.h
 *  Layers of garments at the start. Contact keeps cloth on the side on which it begins, so garments
 *  or bodies that cross at the start must be separated before. Part of heddle-cloth. Thread class
 *  of everything here: any.
 *
 *  Faces point outside (counter-clockwise from there). Garments are processed layer by layer, from
 *  1 on, and in their order within a layer. A particle that is inside, or nearer than the thickness
 *  to, a body (a mesh, a plane, a sphere or a capsule) or an earlier garment moves out along the
 *  direction to the nearest point of that surface; beyond an open border of a garment there is no
 *  side, and no motion. The moves of neighbours are smoothed, and grow until no pair of triangles
 *  crosses (hed_cloth_check()). */
#ifndef HEDDLE_CLOTH_LAYERS_H
#define HEDDLE_CLOTH_LAYERS_H

#include "heddle/cloth.h"

HED_BEGIN

/** Statistics of one garment. */
typedef struct hed_cloth_laid {
    uint32_t moved;  /**< number of moved particles */
    double farthest; /**< maximum distance of a move, m */
} hed_cloth_laid;

/** Computes start positions for garments with a `layer`, so that each is outside of the bodies and
 *  of lower layers. Locked particles and garments of layer 0 stay; copies count once. Use the
 *  result as hed_cloth_garment_def.positions; with the former rest_positions a garment that was
 *  moved far snaps back inwards, without them it keeps its new size. `frame`: its colliders and
 *  meshes are the bodies, at their positions at the start; nothing else in it is used; NULL: no
 *  bodies. `positions`: out, (particles of all garments in order x 3) m; `laid`: (garment_count),
 *  nullable.
 *  Errors: ARGUMENT (a garment or a body is not sound; or a garment still crosses another, a body
 *  or itself: the text names both and the number of crossings), LIMIT, MEMORY. */
HED_API hed_status hed_cloth_lay(const hed_cloth_garment_def *garments, uint32_t garment_count,
    const hed_cloth_frame *frame, float *positions, hed_cloth_laid *laid, hed_error *error);

HED_END

#endif
