/* On which side of a plane a point lies, exactly: the sign of a 3 x 3 determinant of differences.
 *
 * First in doubles, with Shewchuk's bound on the error of that ("Adaptive Precision Floating-Point
 * Arithmetic and Fast Robust Geometric Predicates", Discrete & Computational Geometry 18, 1997,
 * orient3d A); what the bound leaves open is summed without any error, as an expansion: doubles
 * that do not overlap, whose largest one has the sum's sign. */
#ifndef CLOTH_ORIENT_H
#define CLOTH_ORIENT_H

#include <stdint.h>

/* 1: a, b, c appear clockwise from d, so that d is below a plane whose counter-clockwise side is
 * up; -1: above; 0: on the plane. `*exact` is counted up where doubles left it open. */
int cloth_orient(
    const double a[3], const double b[3], const double c[3], const double d[3], uint64_t *exact);

#endif
