/* Kernel of the colliders, contact planes and driver constraint of each particle. particle.h has
 * the scalar version. */
#ifndef WG
#define WG 256
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "particle.h"
#include "lanes.h"
#endif

#if VECTOR
/* Applies colliders and contact planes to one of the four particles: scalar, because branches
 * differ between particles. */
CLOTH_FUNCTION float4 cloth_collided(uint i, cloth_drive_view view, cloth_step step)
{
    float4 at = view.position[i];
    if (at.w == 0.0f || (step.colliders == 0 && !(step.flags & CLOTH_STEP_CONTACTS))) return at;
    float4 before = view.previous[i];
    cloth_cloth cloth = cloth_garment_at(view.garments, (uint)before.w);
    if (step.colliders > 0)
        at = cloth_collide(at, before, cloth.thickness, cloth.friction,
            cloth_origin_at(view.garments, (uint)before.w), view.colliders, step.colliders,
            step.from, step.to);
    if (step.flags & CLOTH_STEP_CONTACTS)
        at = cloth_touch_planes(at, before, cloth.thickness, cloth.friction,
            view.contact + CLOTH_CONTACT_WORDS * i, step.from, step.to);
    return at;
}

/* Loads four consecutive float4 of an array and transposes them. */
CLOTH_FUNCTION cloth_four cloth_row(__global const float4 *array, uint at)
{
    return cloth_turn(array[at], array[at + 1], array[at + 2], array[at + 3]);
}

/* Vector version of cloth_drive(). `loose`: 0: the particle is locked or has no driver, and does
 * not move. */
CLOTH_FUNCTION cloth_four cloth_drive4(cloth_four at, cloth_four target, cloth_four normal,
    cloth_four map, float4 stiffness, int4 loose, int4 *acted)
{
    float4 zero = hed_f4(0.0f);
    cloth_four p = at;
    p.x = fma(map.w, target.x - p.x, p.x);
    p.y = fma(map.w, target.y - p.y, p.y);
    p.z = fma(map.w, target.z - p.z, p.z);
    float4 x = p.x - target.x, y = p.y - target.y, z = p.z - target.z,
           square = cloth_square4(x, y, z);
    float4 part = map.x / sqrt(square);
    int4 ball =
        cloth_more(square, map.x * map.x) & (cloth_more(map.x, zero) | cloth_same(map.x, zero));
    p.x = cloth_pick(ball, fma(stiffness, fma(x, part, target.x) - p.x, p.x), p.x);
    p.y = cloth_pick(ball, fma(stiffness, fma(y, part, target.y) - p.y, p.y), p.y);
    p.z = cloth_pick(ball, fma(stiffness, fma(z, part, target.z) - p.z, p.z), p.z);
    float4 height =
        (p.x - target.x) * normal.x + (p.y - target.y) * normal.y + (p.z - target.z) * normal.z;
    int4 plane = cloth_same(map.z, zero) & cloth_more(map.y, height);
    float4 depth = map.z - map.y, cx = target.x - normal.x * depth,
           cy = target.y - normal.y * depth, cz = target.z - normal.z * depth;
    x = p.x - cx;
    y = p.y - cy;
    z = p.z - cz;
    square = cloth_square4(x, y, z);
    part = map.z / sqrt(square);
    int4 sphere =
        cloth_more(map.z, zero) & cloth_more(map.z * map.z, square) & cloth_more(square, zero);
    p.x = cloth_pick(
        plane, fma(normal.x, map.y - height, p.x), cloth_pick(sphere, fma(x, part, cx), p.x));
    p.y = cloth_pick(
        plane, fma(normal.y, map.y - height, p.y), cloth_pick(sphere, fma(y, part, cy), p.y));
    p.z = cloth_pick(
        plane, fma(normal.z, map.y - height, p.z), cloth_pick(sphere, fma(z, part, cz), p.z));
    *acted = loose &
             ((ball & hed_i4((int)CLOTH_BALL)) | ((plane | sphere) & hed_i4((int)CLOTH_BACKSTOP)));
    at.x = cloth_pick(loose, p.x, at.x);
    at.y = cloth_pick(loose, p.y, at.y);
    at.z = cloth_pick(loose, p.z, at.z);
    return at;
}

CLOTH_FUNCTION void cloth_drive_four(uint i, cloth_drive_view view, cloth_step step)
{
    __global const float4 *driver_from = view.driver_from, *driver_to = view.driver_to;
    __global cloth_debug *debug = view.debug;
    cloth_four at = cloth_turn(cloth_collided(i, view, step), cloth_collided(i + 1, view, step),
        cloth_collided(i + 2, view, step), cloth_collided(i + 3, view, step));
    if (step.flags & CLOTH_STEP_DRIVER) {
        uint rear = step.particles + i; /* normals and stiffnesses */
        cloth_four target =
                       cloth_between4(cloth_row(driver_from, i), cloth_row(driver_to, i), step.to),
                   start = at,
                   normal = cloth_unit4(cloth_between4(
                       cloth_row(driver_from, rear), cloth_row(driver_to, rear), step.to)),
                   map = cloth_row(view.driver_map, i);
        int4 acted,
            loose = cloth_more(at.w, hed_f4(0.0f)) & cloth_more(map.x, hed_f4(CLOTH_UNDRIVEN));
        at = cloth_drive4(
            at, target, normal, map, cloth_row(view.driver_map, rear).x, loose, &acted);
        float4 moved = sqrt(cloth_square4(at.x - start.x, at.y - start.y, at.z - start.z));
        debug[i] = hed_u2(cloth_colour((uint)acted.x), as_uint(moved.x));
        debug[i + 1] = hed_u2(cloth_colour((uint)acted.y), as_uint(moved.y));
        debug[i + 2] = hed_u2(cloth_colour((uint)acted.z), as_uint(moved.z));
        debug[i + 3] = hed_u2(cloth_colour((uint)acted.w), as_uint(moved.w));
    }
    at = cloth_turned(at);
    view.position[i] = at.x;
    view.position[i + 1] = at.y;
    view.position[i + 2] = at.z;
    view.position[i + 3] = at.w;
}
#endif

__kernel void cloth_drive_all(HED_VIEW_PARAMETERS(CLOTH_DRIVE))
{
    HED_VIEW_HERE(cloth_drive_view, view, CLOTH_DRIVE);
    cloth_step step = cloth_drive_step(view);
    CLOTH_EACH(step.particles, cloth_drive_four(i, view, step), cloth_drive_one(i, view, step))
}
