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
 *  crosses (hed_cloth_check()). In a cleft of a body that is narrower than two thicknesses they end
 *  at a third of its width.
 *
 *  A garment with HED_CLOTH_LAYER_AUTO is moved only if one of its free particles begins in a body
 *  deeper than a tenth of the thickness. It then regains its lengths at rest as far as there is
 *  room. Where no move has fewer crossings than the start, it keeps its start. Such garments come
 *  first, in their order; one that began within another that was moved is moved outside of it. */
#ifndef HEDDLE_CLOTH_LAYERS_H
#define HEDDLE_CLOTH_LAYERS_H

#include "heddle/cloth.h"

HED_BEGIN

/** Statistics of one garment. */
typedef struct hed_cloth_laid {
    uint32_t moved;  /**< number of moved particles */
    double farthest; /**< maximum distance of a move, m */
    /** number of free particles that began within a body, or within a garment moved before; this
     *  and all below: of a garment with HED_CLOTH_LAYER_AUTO */
    uint32_t within;
    double deepest; /**< maximum depth of these, m */
    /** length / rest length - 1 that 1 % of the sides of triangles exceed: how much too small the
     *  garment is */
    double stretch_p99;
    /** pairs of triangles that cross afterwards for lack of room, or because a corner is locked */
    uint64_t crossings;
} hed_cloth_laid;

/** Computes start positions for garments with a `layer`, so that each is outside of the bodies and
 *  of lower layers. Locked particles and garments of layer 0 stay; copies count once. Use the
 *  result as hed_cloth_garment_def.positions; with the former rest_positions a garment that was
 *  moved far snaps back inwards, without them it keeps its new size. `frame`: its colliders and
 *  meshes are the bodies, at their positions at the start; nothing else in it is used; NULL: no
 *  bodies. `positions`: out, (particles of all garments in order x 3) m; `laid`: (garment_count),
 *  nullable.
 *  Errors: ARGUMENT (a garment or a body is not sound; or a garment with a layer still crosses
 *  another, a body or itself: the text names both and the number of crossings), LIMIT, MEMORY. */
HED_API hed_status hed_cloth_lay(const hed_cloth_garment_def *garments, uint32_t garment_count,
    const hed_cloth_frame *frame, float *positions, hed_cloth_laid *laid, hed_error *error);

HED_END

#endif
