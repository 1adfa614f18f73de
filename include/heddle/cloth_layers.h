/** @file cloth_layers.h
 *  Garments over each other: who lies outside of whom at the start. Contact keeps cloth on the side
 *  where it begins, so a start in which garments or a body reach through each other has to be set
 *  right before it. Part of heddle-cloth. Thread class of everything here: any.
 *
 *  Outside is where faces look (counter-clockwise from there). Layer by layer, from 1 on, and of one
 *  layer in the order of the garments, each particle that is nearer than the thickness to a body (a
 *  mesh, a plane, a sphere or a capsule) or to a garment before it, or within it, is moved out along
 *  the way to the nearest place of its surface; what lies beyond an open border of a garment has no
 *  side and is left. The moves of neighbours are evened out, and grow until no pair of triangles
 *  crosses (hed_cloth_check()).
 */
#ifndef HEDDLE_CLOTH_LAYERS_H
#define HEDDLE_CLOTH_LAYERS_H

#include "heddle/cloth.h"

HED_BEGIN

/** What was done with a garment. */
typedef struct hed_cloth_laid {
    uint32_t moved;  /**< particles */
    double farthest; /**< m, of them */
} hed_cloth_laid;

/** Where garments with a `layer` start so that each lies outside of the bodies and of those of
 *  lower layers. Locked particles and garments of layer 0 stay; copies count once. Give the result
 *  as hed_cloth_garment_def.positions; with rest_positions as they were a garment that was moved far
 *  shoots back inwards, without them it keeps its new size. `frame`: the bodies are its
 *  colliders and meshes, where they are at the start; all else in it is unused; NULL: there are
 *  none. `positions`: out, (particles of all garments, one behind another, x 3) m; `laid`:
 *  (garment_count), NULL: not wanted. Errors: ARGUMENT (a garment or a body is not sound; or a
 *  garment still reaches through another, a body or itself: the text names both and says how
 *  often), MEMORY. */
HED_API hed_status hed_cloth_lay(const hed_cloth_garment_def *garments, uint32_t garment_count,
    const hed_cloth_frame *frame, float *positions, hed_cloth_laid *laid, hed_error *error);

HED_END

#endif
