/** @file cloth_hold.h
 *  Vertices of a cloth that a program holds, such as those that a mouse has grabbed. Part of
 *  heddle-cloth.
 *
 *  @code
 *  hed_cloth_hold_create(&def, &hold, &error);
 *  def = hed_cloth_hold_def(hold);
 *  hed_cloth_create(device, &def, &cloth, &error);
 *  hed_cloth_hold_vertex(hold, 7, place, &error);
 *  hed_cloth_hold_frame(hold, cloth, positions, &frame, &error);
 *  hed_cloth_step(cloth, &frame, &error);
 *  @endcode
 *
 *  Every garment gets a driver, which acts on held vertices alone: until a vertex is held, the cloth
 *  has the bits that it has without.
 *
 *  Thread class of everything here: owner of the cloth. */
#ifndef HEDDLE_CLOTH_HOLD_H
#define HEDDLE_CLOTH_HOLD_H

#include "heddle/cloth.h"

HED_BEGIN

/** Held vertices of a cloth. */
typedef struct hed_cloth_hold hed_cloth_hold;

/** Prepares a definition, which is not kept but for its arrays, for holding.
 *  Errors: MEMORY. */
HED_API hed_status hed_cloth_hold_create(
    const hed_cloth_def *def, hed_cloth_hold **hold, hed_error *error);
/** Destroys the list of held vertices, which stay held by their cloth. NULL is allowed. */
HED_API void hed_cloth_hold_destroy(hed_cloth_hold *hold);
/** Returns the definition of a cloth whose vertices can be held; its arrays belong to `hold` and to
 *  the original definition. */
HED_API hed_cloth_def hed_cloth_hold_def(const hed_cloth_hold *hold);

/** Holds a vertex at a point, m, which it reaches evenly during the next frame; a new one first
 *  moves freely for two frames, in which its motion is measured. A garment that has a driver of its
 *  own can be held, too.
 *  Errors: ARGUMENT (no such vertex, a point that is not finite), UNSUPPORTED (a vertex that was
 *  created as locked), MEMORY. */
HED_API hed_status hed_cloth_hold_vertex(
    hed_cloth_hold *hold, uint32_t vertex, const float place[3], hed_error *error);
/** Lets a vertex go, and gives it back to its driver. A vertex that is not held stays as it is.
 *  Errors: as hed_cloth_set_max_distance(). */
HED_API hed_status hed_cloth_hold_release(
    hed_cloth_hold *hold, hed_cloth *cloth, uint32_t vertex, hed_error *error);
/** Returns the number of held vertices. */
HED_API uint32_t hed_cloth_hold_count(const hed_cloth_hold *hold);

/** Adds the held vertices to the next frame's driver. `positions`: (vertices x 3) at present, m,
 *  untransformed.
 *  Errors: as hed_cloth_set_max_distance(). */
HED_API hed_status hed_cloth_hold_frame(hed_cloth_hold *hold, hed_cloth *cloth,
    const float *positions, hed_cloth_frame *frame, hed_error *error);

HED_END

#endif
