/* Orientation of a point relative to a plane, exactly: the sign of a 3 x 3 determinant of
 * differences.
 *
 * First in doubles, with Shewchuk's bound on their error ("Adaptive Precision Floating-Point
 * Arithmetic and Fast Robust Geometric Predicates", Discrete & Computational Geometry 18, 1997,
 * orient3d A). If the bound leaves the sign open, the sum is computed without any error, as an
 * expansion: doubles that do not overlap, whose largest has the sum's sign. */
#ifndef CLOTH_ORIENT_H
#define CLOTH_ORIENT_H

#include <stdint.h>

/* 1: a, b, c appear clockwise from d, so that d is below a plane whose counter-clockwise side is
 * up; -1: above; 0: on the plane. `*exact` counts the cases that doubles left open. */
int cloth_orient(
    const double a[3], const double b[3], const double c[3], const double d[3], uint64_t *exact);

#endif
