/* Kernel of the integrator: one time-corrected Verlet step of each particle, and its tether.
 * particle.h has the scalar version. */
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
/* Vector version of cloth_air(). `at`: positions from the origin of gusts; `plate`: normals; w: area / mass, m^2/kg; `wind`: motion of the air
 * in this substep, m. */
CLOTH_FUNCTION cloth_four cloth_air4(cloth_four way, cloth_four at, cloth_four plate, float4 drags,
    float4 lifts, cloth_four wind, cloth_step step)
{
    float4 gust = hed_f4(1.0f), zero = hed_f4(0.0f);
    if (step.gust > 0.0f)
        gust = hed_f4(cloth_gust(hed_f4(at.x.x, at.y.x, at.z.x, 0.0f), step),
            cloth_gust(hed_f4(at.x.y, at.y.y, at.z.y, 0.0f), step),
            cloth_gust(hed_f4(at.x.z, at.y.z, at.z.z, 0.0f), step),
            cloth_gust(hed_f4(at.x.w, at.y.w, at.z.w, 0.0f), step));
    float4 x = wind.x * gust - way.x, y = wind.y * gust - way.y, z = wind.z * gust - way.z;
    float4 speed = sqrt(cloth_square4(x, y, z));
    float4 facing = (x * plate.x + y * plate.y + z * plate.z) / speed;
    float4 amount = fabs(facing) * speed * plate.w;
    float4 drag = drags * amount / (1.0f + drags * amount);
    float4 lift = lifts * amount * facing, limit = 0.5f * speed;
    lift = cloth_min4(cloth_max4(lift * speed, -limit), limit);
    float4 nx = plate.x - facing * x / speed, ny = plate.y - facing * y / speed,
           nz = plate.z - facing * z / speed;
    int4 blows = cloth_more(speed, hed_f4(1e-12f)) & cloth_more(plate.w, zero);
    way.x = cloth_pick(blows, way.x + drag * x + lift * nx, way.x);
    way.y = cloth_pick(blows, way.y + drag * y + lift * ny, way.y);
    way.z = cloth_pick(blows, way.z + drag * z + lift * nz, way.z);
    return way;
}

/* Vector version of cloth_tether(). `anchor`: positions of the anchors; w: lengths, m, below 0: no
 * tether. */
CLOTH_FUNCTION cloth_four cloth_tether4(cloth_four at, cloth_four anchor)
{
    float4 x = at.x - anchor.x, y = at.y - anchor.y, z = at.z - anchor.z, length = anchor.w;
    float4 square = cloth_square4(x, y, z);
#if HED_STRICT
    float4 part = length / sqrt(square);
#else
    float4 part = length * cloth_near_rsqrt(square);
#endif
    int4 taut = cloth_more(square, length * length) & cloth_more(length, hed_f4(-0.5f));
    at.x = cloth_pick(taut, fma(x, part, anchor.x), at.x);
    at.y = cloth_pick(taut, fma(y, part, anchor.y), at.y);
    at.z = cloth_pick(taut, fma(z, part, anchor.z), at.z);
    return at;
}

/* Stores one of the four particles; a locked particle moves to its driver. `loss`: of the addition
 * of the motion. */
CLOTH_FUNCTION void cloth_integrated(uint i, float4 at, float4 before, float4 moved, float4 loss,
    cloth_integrate_view view, cloth_step step)
{
    if (at.w == 0.0f) {
        cloth_follow(i, before.w, view, step);
        return;
    }
    view.carry[i] = cloth_carry_pack(loss);
    view.previous[i] = hed_f4(at.x, at.y, at.z, before.w);
    view.position[i] = hed_f4(moved.x, moved.y, moved.z, at.w);
}

CLOTH_FUNCTION void cloth_integrate_four(uint i, cloth_integrate_view view, cloth_step step)
{
    __global const float4 *position = view.position, *previous = view.previous,
                          *garments = view.garments, *air = view.air;
    __global const cloth_carry *carry = view.carry;
    float4 p0 = position[i], p1 = position[i + 1], p2 = position[i + 2], p3 = position[i + 3];
    float4 b0 = previous[i], b1 = previous[i + 1], b2 = previous[i + 2], b3 = previous[i + 3];
    uint g0 = CLOTH_GARMENT_WORDS * (uint)b0.w, g1 = CLOTH_GARMENT_WORDS * (uint)b1.w,
         g2 = CLOTH_GARMENT_WORDS * (uint)b2.w, g3 = CLOTH_GARMENT_WORDS * (uint)b3.w;
    cloth_four at = cloth_turn(p0, p1, p2, p3), before = cloth_turn(b0, b1, b2, b3), way;
    cloth_four keep = cloth_turn(garments[g0], garments[g1], garments[g2], garments[g3]);
    cloth_four loss = cloth_turn(cloth_carry_of(carry[i]), cloth_carry_of(carry[i + 1]),
        cloth_carry_of(carry[i + 2]), cloth_carry_of(carry[i + 3]));
    float4 factor = hed_f4(cloth_recalled(step));
    way.x = (factor * (at.x - before.x) + loss.x) * (step.ratio * keep.x) + step.fall_x;
    way.y = (factor * (at.y - before.y) + loss.y) * (step.ratio * keep.y) + step.fall_y;
    way.z = (factor * (at.z - before.z) + loss.z) * (step.ratio * keep.z) + step.fall_z;
    way.w = hed_f4(0.0f);
    if (step.flags & CLOTH_STEP_AIR) {
        cloth_four plate = cloth_turn(air[i], air[i + 1], air[i + 2], air[i + 3]);
        cloth_four made_of =
            cloth_turn(garments[g0 + 1], garments[g1 + 1], garments[g2 + 1], garments[g3 + 1]);
        float4 push = plate.w * made_of.w;
        way.x = way.x + plate.x * push;
        way.y = way.y + plate.y * push;
        way.z = way.z + plate.z * push;
        cloth_four wind = {
            hed_f4(step.wind_x), hed_f4(step.wind_y), hed_f4(step.wind_z), hed_f4(0.0f)};
        if (step.flags & CLOTH_STEP_FIELD) {
            uint k = step.particles + i;
            cloth_four field = cloth_turn(air[k], air[k + 1], air[k + 2], air[k + 3]);
            wind.x = wind.x + field.x;
            wind.y = wind.y + field.y;
            wind.z = wind.z + field.z;
        }
        cloth_four place = at, origin;
        if (step.gust > 0.0f) {
            origin =
                cloth_turn(garments[g0 + 2], garments[g1 + 2], garments[g2 + 2], garments[g3 + 2]);
            place.x = place.x + origin.x;
            place.y = place.y + origin.y;
            place.z = place.z + origin.z;
        }
        way = cloth_air4(way, place, plate, made_of.x, made_of.y, wind, step);
    }
    float4 square = cloth_square4(way.x, way.y, way.z);
    float4 scale = cloth_pick(cloth_more(square, hed_f4(step.longest_move * step.longest_move)),
        step.longest_move / sqrt(square), hed_f4(1.0f));
    cloth_four moved;
    way.x = way.x * scale;
    way.y = way.y * scale;
    way.z = way.z * scale;
    moved.x = at.x + way.x;
    moved.y = at.y + way.y;
    moved.z = at.z + way.z;
    moved.w = at.w;
    loss.x = way.x - (moved.x - at.x);
    loss.y = way.y - (moved.y - at.y);
    loss.z = way.z - (moved.z - at.z);
    loss = cloth_turned(loss);
    float4 s0 = p0, s1 = p1, s2 = p2, s3 = p3;
    if (step.recall > 0.0f) {
        s0 = cloth_remember(p0, cloth_from(p0, b0), &loss.x, step);
        s1 = cloth_remember(p1, cloth_from(p1, b1), &loss.y, step);
        s2 = cloth_remember(p2, cloth_from(p2, b2), &loss.z, step);
        s3 = cloth_remember(p3, cloth_from(p3, b3), &loss.w, step);
    }
    if (step.flags & CLOTH_STEP_TETHERS)
        moved = cloth_tether4(
            moved, cloth_turn(cloth_anchor_of(i, view, step), cloth_anchor_of(i + 1, view, step),
                       cloth_anchor_of(i + 2, view, step), cloth_anchor_of(i + 3, view, step)));
    moved = cloth_turned(moved);
    cloth_integrated(i, s0, b0, moved.x, loss.x, view, step);
    cloth_integrated(i + 1, s1, b1, moved.y, loss.y, view, step);
    cloth_integrated(i + 2, s2, b2, moved.z, loss.z, view, step);
    cloth_integrated(i + 3, s3, b3, moved.w, loss.w, view, step);
}
#endif

__kernel void cloth_integrate_all(HED_VIEW_PARAMETERS(CLOTH_INTEGRATE))
{
    HED_VIEW_HERE(cloth_integrate_view, view, CLOTH_INTEGRATE);
    cloth_step step = cloth_step_at(steps, substep);
    CLOTH_EACH(step.particles, cloth_integrate_four(i, view, step),
        cloth_integrate_one(i, view, cloth_blown(i, air, step)))
}
