/* Checks of a frame's numbers and of planes, spheres and capsules; height of a point over one of
 * these. */
#ifndef CLOTH_COLLIDER_H
#define CLOTH_COLLIDER_H

#include "heddle/author.h"
#include "heddle/cloth.h"

/* Maximum distance from the origin, m: squares and products of positions stay far below the
 * limit of a float. */
enum { CLOTH_FARTHEST = 1000000 };

/* Fails with ARGUMENT unless all `count` numbers are finite and at most `most` in size; the message
 * names them by `what`. */
hed_status cloth_check_numbers(
    const float *values, uint64_t count, double most, const char *what, hed_error *error);
/* Checks a collider. Errors: ARGUMENT (names the collider by its `index`). */
hed_status cloth_check_collider(const hed_cloth_collider *c, uint32_t index, hed_error *error);
/* Computes the height of a point over a collider, m, below 0 inside; `out`: direction out of the
 * collider, of length 1. */
float cloth_collider_height(const hed_cloth_collider *c, const float *point, float out[3]);

#endif
