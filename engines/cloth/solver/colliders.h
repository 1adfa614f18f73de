/* Simple colliders as the program gives them, checked and packed for kernels/collide.h. */
#ifndef CLOTH_COLLIDERS_H
#define CLOTH_COLLIDERS_H

#include "solver/solver.h"

/* Checks all numbers of `count` colliders: finite and within 1e6 m, a plane's normal of length 1, radii not negative, friction not
 * negative. Errors: ARGUMENT (names collider and field), LIMIT (more than `most`). */
hed_status cloth_colliders_check(const hed_cloth_collider *colliders, uint32_t count, uint32_t most, hed_error *error);

/* Packs the way from where they were (`previous_count` of them; others, and those whose shape changed, stand still) to where they are.
 * `packed`: (count x CLOTH_COLLIDER_WORDS). */
void cloth_colliders_pack(const hed_cloth_collider *previous, uint32_t previous_count, const hed_cloth_collider *present, uint32_t count,
                          float (*packed)[4]);

#endif
