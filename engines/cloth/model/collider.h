/* Numbers of a frame, and planes, spheres and capsules: whether they are sound, and how high a
 * point is over one. */
#ifndef CLOTH_COLLIDER_H
#define CLOTH_COLLIDER_H

#include "heddle/author.h"
#include "heddle/cloth.h"

/* No place is farther from the world's zero, m: squares and products of places stay far from what a
 * float holds.
 */
enum { CLOTH_FARTHEST = 1000000 };

/* ARGUMENT unless all `count` numbers are finite and at most `most` in size; `what` names them. */
hed_status cloth_check_numbers(
    const float *values, uint64_t count, double most, const char *what, hed_error *error);
/* Errors: ARGUMENT (names the collider by its `index`). */
hed_status cloth_check_collider(const hed_cloth_collider *c, uint32_t index, hed_error *error);
/* How high a point is over a collider, m, below 0 within; and the way out, of length 1. */
float cloth_collider_height(const hed_cloth_collider *c, const float *point, float out[3]);

#endif
