/* Checks of a frame's numbers and of planes, spheres and capsules; height of a point over one of
 * these. A tapered capsule is the hull of two balls; its surface at a point is the surface of
 * one ball between them (kernels/collide.h does the same for each particle and substep, in
 * float). */
#include "model/collider.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

hed_status cloth_check_numbers(
    const float *values, uint64_t count, double most, const char *what, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    for (uint64_t i = 0; i < count; i++)
        if (!(fabs((double)values[i]) <= most))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "%s: number %" PRIu64 " is %g: finite and at most %g in size", what, i, values[i],
                most);
    return HED_OK;
}

hed_status cloth_check_collider(const hed_cloth_collider *c, uint32_t index, hed_error *error)
{
    char subject[64];
    snprintf(subject, sizeof subject, "collider %u", index);
    cloth_check_numbers(c->a, 3, CLOTH_FARTHEST, subject, error);
    if (c->shape != HED_CLOTH_SPHERE) cloth_check_numbers(c->b, 3, CLOTH_FARTHEST, subject, error);
    if (c->shape != HED_CLOTH_PLANE)
        cloth_check_numbers(
            c->radius, c->shape == HED_CLOTH_CAPSULE ? 2 : 1, CLOTH_FARTHEST, subject, error);
    if (error->status) return error->status;
    if ((unsigned)c->shape > HED_CLOTH_CAPSULE)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "collider %u: shape %d: a plane, a sphere or a capsule", index, (int)c->shape);
    if (!(c->friction >= 0.0f && c->friction <= 100.0f))
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "collider %u: friction %g: 0 to 100", index, c->friction);
    bool round = c->shape != HED_CLOTH_PLANE;
    if (round && (c->radius[0] < 0.0f || (c->shape == HED_CLOTH_CAPSULE && c->radius[1] < 0.0f)))
        return hed_fail(error, HED_ERROR_ARGUMENT, "collider %u: a radius below 0", index);
    double length =
        sqrt((double)c->b[0] * c->b[0] + (double)c->b[1] * c->b[1] + (double)c->b[2] * c->b[2]);
    if (!round && fabs(length - 1.0) > 1e-3)
        return hed_fail(error, HED_ERROR_ARGUMENT, "collider %u: a plane's normal of length %g: 1",
            index, length);
    return HED_OK;
}

/* Finds the ball of a capsule whose surface is nearest to a point at `offset` from the start of
 * its axis, along which the radius shrinks by `taper`; returns its position as a fraction of the
 * axis. The normal of a cone's mantle leans against the axis by the angle whose sine is
 * (difference of radii) / (length of the axis). */
static double nearest_ball(const double axis[3], double taper, const double offset[3])
{
    double square = 0, dot = 0, across = 0;
    for (int k = 0; k < 3; k++) {
        square += axis[k] * axis[k];
        dot += axis[k] * offset[k];
    }
    if (square <= taper * taper) return taper >= 0 ? 0 : 1; /* one ball contains the other */
    for (int k = 0; k < 3; k++) {
        double way = offset[k] - dot / square * axis[k];
        across += way * way;
    }
    double share = dot / square - taper * sqrt(across / (square * (square - taper * taper)));
    return fmin(fmax(share, 0), 1);
}

float cloth_collider_height(const hed_cloth_collider *c, const float *point, float out[3])
{
    bool capsule = c->shape == HED_CLOTH_CAPSULE;
    double axis[3] = {0}, offset[3], over = 0, length = 0;
    for (int k = 0; k < 3; k++) {
        offset[k] = (double)point[k] - c->a[k];
        if (capsule) axis[k] = (double)c->b[k] - c->a[k];
        if (c->shape != HED_CLOTH_PLANE) continue;
        over += offset[k] * c->b[k];
        out[k] = c->b[k];
    }
    if (c->shape == HED_CLOTH_PLANE) return (float)over;
    double taper = capsule ? (double)c->radius[0] - c->radius[1] : 0,
           share = nearest_ball(axis, taper, offset);
    int shortest = 0; /* the coordinate of the axis with the smallest extent */
    for (int k = 0; k < 3; k++) {
        offset[k] -= share * axis[k];
        length += offset[k] * offset[k];
        if (fabs(axis[k]) < fabs(axis[shortest])) shortest = k;
    }
    length = sqrt(length);
    /* exactly on the axis: any direction that is not along it */
    for (int k = 0; k < 3; k++) out[k] = length > 0 ? (float)(offset[k] / length) : k == shortest;
    return (float)(length - ((double)c->radius[0] - share * taper));
}
