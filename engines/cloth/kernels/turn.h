/* Momenta of closed garments under pressure. Included after particle.h.
 *
 * Constraints of a sweep act one after another, each along the positions that it finds. So their
 * impulses have a torque about the positions at the substep's start: at each particle the sum of J_l x
 * J_k over l before k. Under pressure these impulses are large in every substep and always act in the
 * same order, so a cushion in the air would begin to spin. After a sweep each connected piece of cloth
 * turns back by the angle that cancels the torque of its corrections. Corrections are differences
 * from the positions after integration, so forces of air and gravity remain. Impulses of a body cannot
 * be separated from impulses of constraints, so a piece that touches a body, or is held, is skipped. */
#ifndef CLOTH_TURN_H
#define CLOTH_TURN_H

/* `expected`: position after integration. */
#define CLOTH_EXPECT(FIRST, NEXT) \
    FIRST(IN, float4, position) \
    NEXT(IN, float4, previous) \
    NEXT(IN, cloth_carry, carry) \
    NEXT(IN, float4, garments) \
    NEXT(IN, float4, air) NEXT(OUT, float4, expected) NEXT(STRUCT, cloth_step, step)
HED_VIEW(cloth_expect_view, CLOTH_EXPECT)

CLOTH_FUNCTION void cloth_expect_one(uint i, cloth_expect_view view)
{
    float4 at = view.position[i], before = view.previous[i];
    uint2 carried = view.carry[i];
    cloth_step step = cloth_blown(i, view.air, view.step);
    view.expected[i] =
        at.w == 0.0f ? at
                     : cloth_integrated_at(i, at, &before, &carried, view.garments, view.air, step);
}

#define CLOTH_TURN_LANES 128u /* lanes of a piece; a lane has every 128th particle */
/* Height over a body below which a particle touches it, m: more than a piece turns in a substep */
#define CLOTH_TURN_NEAR 1e-4f
#define CLOTH_TURN_LIMIT 0.1f /* maximum angle of a substep, rad */

/* `members`: particles of all pieces; `pieces`: first member and number of members. */
#define CLOTH_TURN(FIRST, NEXT) \
    FIRST(INOUT, float4, position) \
    NEXT(INOUT, cloth_carry, carry) \
    NEXT(IN, float4, previous) \
    NEXT(IN, float4, expected) \
    NEXT(IN, float4, garments) NEXT(IN, float4, colliders) NEXT(IN, float4, contact) \
        NEXT(IN, float4, driver_map) NEXT(IN, uint, members) NEXT(IN, uint2, pieces) \
            NEXT(STRUCT, cloth_step, step)
HED_VIEW(cloth_turn_view, CLOTH_TURN)

/* Sums over particles of mass m, at r from the piece's first one, that were corrected by c. */
typedef struct cloth_turn_sum {
    float4 mass;     /* m r, m */
    float4 torque;   /* m r x c; w: above 0 if a particle is held or touches a body */
    float4 pushed;   /* m c */
    float4 squares;  /* m x^2, m y^2, m z^2 */
    float4 products; /* m y z, m z x, m x y */
} cloth_turn_sum;

CLOTH_FUNCTION float4 cloth_plus(float4 a, float4 b)
{
    return hed_f4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

/* Returns a x b. */
CLOTH_FUNCTION float4 cloth_across(float4 a, float4 b)
{
    return hed_f4(fma(a.y, b.z, -(a.z * b.y)), fma(a.z, b.x, -(a.x * b.z)),
        fma(a.x, b.y, -(a.y * b.x)), 0.0f);
}

CLOTH_FUNCTION cloth_turn_sum cloth_turn_add(cloth_turn_sum a, cloth_turn_sum b)
{
    a.mass = cloth_plus(a.mass, b.mass);
    a.torque = cloth_plus(a.torque, b.torque);
    a.pushed = cloth_plus(a.pushed, b.pushed);
    a.squares = cloth_plus(a.squares, b.squares);
    a.products = cloth_plus(a.products, b.products);
    return a;
}

/* True if a particle is held, has a limit or spring of a driver, or a collider or the plane of a mesh would move it if it were thicker
 * by CLOTH_TURN_NEAR. */
CLOTH_FUNCTION uint cloth_turn_touches(uint i, cloth_turn_view view)
{
    float4 at = view.position[i], before = view.previous[i], moved = at;
    uint garment = (uint)before.w;
    float thickness = cloth_garment_at(view.garments, garment).thickness + CLOTH_TURN_NEAR;
    if (at.w == 0.0f) return 1u;
    if (view.step.flags & CLOTH_STEP_DRIVER) {
        float4 map = view.driver_map[i];
        if (map.x != CLOTH_UNDRIVEN && (map.x >= 0.0f || map.z >= 0.0f || map.w > 0.0f)) return 1u;
    }
    if (view.step.colliders > 0u)
        moved =
            cloth_collide(moved, before, thickness, 0.0f, cloth_origin_at(view.garments, garment),
                view.colliders, view.step.colliders, view.step.from, view.step.to);
    if (view.step.flags & CLOTH_STEP_CONTACTS)
        moved = cloth_touch_planes(moved, before, thickness, 0.0f,
            view.contact + CLOTH_CONTACT_WORDS * i, view.step.from, view.step.to);
    return moved.x != at.x || moved.y != at.y || moved.z != at.z;
}

/* Sum of a lane's particles, up to the first one that is held or touches a body. */
CLOTH_FUNCTION cloth_turn_sum cloth_turn_lane(cloth_turn_view view, uint2 piece, uint lane)
{
    float4 from = view.previous[view.members[piece.x]], zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    cloth_turn_sum sum = {zero, zero, zero, zero, zero};
    for (uint k = lane; k < piece.y && sum.torque.w == 0.0f; k += CLOTH_TURN_LANES) {
        uint i = view.members[piece.x + k];
        float4 at = view.position[i], r = cloth_from(view.previous[i], from),
               c = cloth_from(at, view.expected[i]);
        float m = at.w > 0.0f ? 1.0f / at.w : 0.0f;
        float4 across = cloth_across(r, c);
        cloth_turn_sum of;
        of.mass = hed_f4(m * r.x, m * r.y, m * r.z, m);
        of.torque =
            hed_f4(m * across.x, m * across.y, m * across.z, (float)cloth_turn_touches(i, view));
        of.pushed = hed_f4(m * c.x, m * c.y, m * c.z, 0.0f);
        of.squares = hed_f4(m * r.x * r.x, m * r.y * r.y, m * r.z * r.z, 0.0f);
        of.products = hed_f4(m * r.y * r.z, m * r.z * r.x, m * r.x * r.y, 0.0f);
        sum = cloth_turn_add(sum, of);
    }
    return sum;
}

/* Motion of a piece that cancels the impulse and the torque of its corrections. */
typedef struct cloth_turning {
    float4 centre; /* centre of mass at the substep's start; w: 0: the piece is skipped */
    float4 shift;  /* m; rounding alone makes such an impulse */
    float4 turn;   /* rad, along the axis */
} cloth_turning;

/* Returns the motion; `from`: start of the piece's first particle. */
CLOTH_FUNCTION cloth_turning cloth_turning_of(cloth_turn_sum sum, float4 from)
{
    float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f), s = sum.mass;
    cloth_turning by = {zero, zero, zero};
    if (sum.torque.w > 0.0f || !(s.w > 0.0f)) return by;
    float x = s.x / s.w, y = s.y / s.w, z = s.z / s.w;
    by.centre = hed_f4(from.x + x, from.y + y, from.z + z, 1.0f);
    by.shift = hed_f4(-sum.pushed.x / s.w, -sum.pushed.y / s.w, -sum.pushed.z / s.w, 0.0f);
    float4 shared = cloth_across(hed_f4(x, y, z, 0.0f), sum.pushed);
    float tx = sum.torque.x - shared.x, ty = sum.torque.y - shared.y, tz = sum.torque.z - shared.z;
    /* inertia about the centre */
    float sx = fma(-s.x, x, sum.squares.x), sy = fma(-s.y, y, sum.squares.y),
          sz = fma(-s.z, z, sum.squares.z);
    float xx = sy + sz, yy = sz + sx, zz = sx + sy, yz = -fma(-s.y, z, sum.products.x),
          zx = -fma(-s.z, x, sum.products.y), xy = -fma(-s.x, y, sum.products.z);
    /* inverse of it, by cofactors */
    float cxx = fma(yy, zz, -(yz * yz)), cyy = fma(zz, xx, -(zx * zx)),
          czz = fma(xx, yy, -(xy * xy)), cyz = fma(xy, zx, -(xx * yz)),
          czx = fma(xy, yz, -(yy * zx)), cxy = fma(yz, zx, -(zz * xy));
    float determinant = fma(xx, cxx, fma(xy, cxy, zx * czx)), trace = xx + yy + zz;
    if (!(determinant > 1e-5f * trace * trace * trace)) return by; /* nearly a line */
    float part = -1.0f / determinant;
    by.turn = hed_f4(part * fma(cxx, tx, fma(cxy, ty, czx * tz)),
        part * fma(cxy, tx, fma(cyy, ty, cyz * tz)), part * fma(czx, tx, fma(cyz, ty, czz * tz)),
        0.0f);
    float square = cloth_square(by.turn.x, by.turn.y, by.turn.z);
    if (!(square > CLOTH_TURN_LIMIT * CLOTH_TURN_LIMIT)) return by;
    part = CLOTH_TURN_LIMIT / sqrt(square);
    by.turn = hed_f4(part * by.turn.x, part * by.turn.y, part * by.turn.z, 0.0f);
    return by;
}

/* Moves a lane's particles. A carry takes the part of a motion that a position in float loses, often
 * all of it. */
CLOTH_FUNCTION void cloth_turn_move(cloth_turn_view view, uint2 piece, uint lane, cloth_turning by)
{
    if (by.centre.w == 0.0f) return;
    for (uint k = lane; k < piece.y; k += CLOTH_TURN_LANES) {
        uint i = view.members[piece.x + k];
        float4 at = view.position[i], loss = cloth_carry_of(view.carry[i]),
               way = cloth_plus(
                   by.shift, cloth_across(by.turn, cloth_from(view.previous[i], by.centre))),
               moved = hed_f4(at.x + way.x, at.y + way.y, at.z + way.z, at.w);
        view.position[i] = moved;
        view.carry[i] = cloth_carry_pack(hed_f4(loss.x + (way.x - (moved.x - at.x)),
            loss.y + (way.y - (moved.y - at.y)), loss.z + (way.z - (moved.z - at.z)), 0.0f));
    }
}

#endif
