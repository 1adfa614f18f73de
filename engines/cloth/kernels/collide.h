/* Simple colliders and contact planes for one particle: one text for every device and for C, as
 * physics.h.
 *
 * A collider has CLOTH_COLLIDER_WORDS float4 in the array `colliders`: its positions at the start
 * and at the end of the driver's and the colliders' motion. `from` and `to` are the fractions of
 * that motion at the substep's start and end. Every particle meets the colliders in the same order.
 *
 * Detection is continuous: `before`, the particle's position at the substep's start, is moved along
 * with the collider, so that the collider is fixed at its position at `to` and the particle moves
 * from there to `at`. For balls and capsules that path is marched by the distance to the surface
 * (sphere tracing, Hart 1996); a tapered capsule is the hull of two balls, and its surface at a
 * point is the surface of one ball between them. A particle that passed through is moved before the
 * plane in which it met the surface, near the point of contact.
 *
 * Friction is Coulomb's in its position-based form (Müller et al. 2007; Macklin et al. 2014): the
 * tangential motion relative to the surface is shortened by at most friction * lift. */
#ifndef CLOTH_COLLIDE_H
#define CLOTH_COLLIDE_H

/* {a, radius at a} {b, radius at b} at the start, then at the end, {shape, friction, fast, 0} */
#define CLOTH_COLLIDER_WORDS 5

/* Overstretched particles pass through fast colliders: a limit of stretch that wins over them.
 * Their mark, CLOTH_OVERSTRETCHED, is added to the particle's garment, the fourth number of its
 * previous position (contact_motion.h). Edges are too long from CLOTH_MAX_STRETCH times their length at rest
 * at a frame's beginning; within a frame from CLOTH_MAX_FLING times, where a particle moves farther
 * than half the longest edge in a substep. */
#define CLOTH_OVERSTRETCHED 0.5f
#define CLOTH_MAX_STRETCH 2.0f
#define CLOTH_MAX_FLING 2.0f

CLOTH_FUNCTION uint cloth_is_overstretched(float garment) { return garment > (float)(uint)garment; }

#define CLOTH_MARCH_STEPS 16u
/* Fraction of its depth by which a particle that was inside at the substep's start (a collider
 * appeared around it) leaves in each substep: the whole depth at once would throw the particle. */
#define CLOTH_COME_OUT 0.25f

/* Lifts a particle out of a surface, with friction. `surface`: unit normal; w: height of `at` over
 * the surface, m. `origin`: position at the substep's start, moved along with the surface;
 * `height`: height of `origin` over the surface, m. */
CLOTH_FUNCTION float4 cloth_lift(
    float4 at, float4 origin, float4 surface, float height, float friction)
{
    float lift = hed_min(height, 0.0f) * (1.0f - CLOTH_COME_OUT) - surface.w;
    if (!(lift > 0.0f)) return at;
    at.x = fma(surface.x, lift, at.x);
    at.y = fma(surface.y, lift, at.y);
    at.z = fma(surface.z, lift, at.z);
    if (!(friction > 0.0f)) return at;
    float x = at.x - origin.x, y = at.y - origin.y, z = at.z - origin.z;
    float component = fma(x, surface.x, fma(y, surface.y, z * surface.z));
    x = fma(-component, surface.x, x);
    y = fma(-component, surface.y, y);
    z = fma(-component, surface.z, z);
    float square = cloth_square(x, y, z), limit = friction * lift;
    float part = square > limit * limit ? limit / sqrt(square) : 1.0f;
    return hed_f4(fma(-part, x, at.x), fma(-part, y, at.y), fma(-part, z, at.z), at.w);
}

/* Ball between two balls: centre and radius at a fraction of the axis. */
CLOTH_FUNCTION float4 cloth_ball(float4 a, float4 b, float share)
{
    return hed_f4(fma(b.x - a.x, share, a.x), fma(b.y - a.y, share, a.y),
        fma(b.z - a.z, share, a.z), fma(b.w - a.w, share, a.w));
}

/* Fraction of the axis from a to b at which a ball has the surface nearest to p, 0 to 1. The normal
 * of a cone's lateral surface is tilted against the plane across the axis by the angle whose sine
 * is (difference of radii) / (length of the axis). */
CLOTH_FUNCTION float cloth_axis_share(float4 a, float4 b, float4 p)
{
    float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z, taper = a.w - b.w;
    float square = cloth_square(x, y, z);
    /* one ball contains the other */
    if (!(square > taper * taper)) return taper >= 0.0f ? 0.0f : 1.0f;
    float px = p.x - a.x, py = p.y - a.y, pz = p.z - a.z;
    float share = fma(px, x, fma(py, y, pz * z)) / square;
    if (taper != 0.0f) {
        float rx = fma(-share, x, px), ry = fma(-share, y, py), rz = fma(-share, z, pz);
        share = fma(
            -taper, sqrt(cloth_square(rx, ry, rz) / (square * (square - taper * taper))), share);
    }
    return hed_min(hed_max(share, 0.0f), 1.0f);
}

/* Normal at p of the hull of two balls whose radii are increased by `thickness`; w: height of p
 * over the hull, m. */
CLOTH_FUNCTION float4 cloth_over_balls(float4 a, float4 b, float thickness, float4 p)
{
    float4 nearest = cloth_ball(a, b, cloth_axis_share(a, b, p));
    float x = p.x - nearest.x, y = p.y - nearest.y, z = p.z - nearest.z;
    float distance = sqrt(cloth_square(x, y, z));
    if (!(distance > 0.0f)) return hed_f4(0.0f, 1.0f, 0.0f, -(nearest.w + thickness));
    return hed_f4(x / distance, y / distance, z / distance, distance - (nearest.w + thickness));
}

/* A collider posed for a substep, once for all particles of a group: positions at `from` (a0, b0)
 * and at `to` (a1, b1); normals of planes have length 1. */
typedef struct cloth_posed {
    float4 a0, b0, a1, b1;
    float4 kind; /* shape, friction against the cloth, not 0: fast, 0 */
    /* bounding sphere of balls and capsules: centre at `to`; w: radius, m; a particle farther away
     * than w + its motion + thickness cannot touch */
    float4 bounds;
} cloth_posed;

#define CLOTH_POSED_WORDS 6

/* `origin`: of the garment's positions (cloth_origin_at()). */
CLOTH_INLINE cloth_posed cloth_pose(
    __global const float4 *collider, float4 origin, float friction, float from, float to)
{
    float4 a = cloth_from(collider[0], origin), b = collider[1],
           a_end = cloth_from(collider[2], origin), b_end = collider[3], kind = collider[4];
    if (kind.x != 0.0f) {
        b = cloth_from(b, origin);
        b_end = cloth_from(b_end, origin);
    }
    cloth_posed posed;
    posed.a0 = cloth_ball(a, a_end, from);
    posed.a1 = cloth_ball(a, a_end, to);
    posed.b0 = posed.a0; /* a sphere has no b */
    posed.b1 = posed.a1;
    if (kind.x != 1.0f) {
        posed.b0 = cloth_ball(b, b_end, from);
        posed.b1 = cloth_ball(b, b_end, to);
    }
    if (kind.x == 0.0f) {
        posed.b0 = cloth_unit(posed.b0);
        posed.b1 = cloth_unit(posed.b1);
    }
    posed.kind = hed_f4(kind.x, sqrt(friction * kind.y), kind.z, 0.0f);
    float4 a0 = posed.a0, b0 = posed.b0, a1 = posed.a1, b1 = posed.b1;
    float move = hed_max(cloth_square(a1.x - a0.x, a1.y - a0.y, a1.z - a0.z),
        cloth_square(b1.x - b0.x, b1.y - b0.y, b1.z - b0.z));
    float length = sqrt(cloth_square(b1.x - a1.x, b1.y - a1.y, b1.z - a1.z));
    posed.bounds = cloth_ball(a1, b1, 0.5f);
    posed.bounds.w = 1.001f * (0.5f * length + hed_max(a1.w, b1.w) + sqrt(move));
    return posed;
}

/* A particle at the hull of two balls. */
typedef struct cloth_meeting {
    int touches; /* 0: it does not reach the hull, and the rest means nothing */
    int turned;  /* not 0: its end is on another side than its start; it may have passed through */
    float4 origin;   /* its position at the substep's start, moved along with the hull */
    float4 met, end; /* normals over the hull at `origin` and at the end; w: heights, m */
} cloth_meeting;

/* True if a particle whose motion is `way` long may reach the hull of two balls: the height over a surface
 * changes by at most the motion. */
CLOTH_INLINE int cloth_is_near_balls(float4 at, float way, float thickness, float4 bounds)
{
    float reach = bounds.w + 1.001f * (thickness + way);
    return cloth_square(at.x - bounds.x, at.y - bounds.y, at.z - bounds.z) <= reach * reach;
}

CLOTH_INLINE cloth_meeting cloth_meet_balls(
    float4 at, float4 before, float thickness, cloth_posed posed)
{
    float4 a0 = posed.a0, b0 = posed.b0, a1 = posed.a1, b1 = posed.b1;
    cloth_meeting of;
    of.touches = of.turned = 0;
    of.origin = of.met = of.end = at;
    float way = sqrt(cloth_square(at.x - before.x, at.y - before.y, at.z - before.z));
    if (!cloth_is_near_balls(at, way, thickness, posed.bounds)) return of; /* most particles */
    of.end = cloth_over_balls(a1, b1, thickness, at);
    float move = hed_max(cloth_square(a1.x - a0.x, a1.y - a0.y, a1.z - a0.z),
        cloth_square(b1.x - b0.x, b1.y - b0.y, b1.z - b0.z));
    if (!(of.end.w <= way + sqrt(move))) return of;

    float share = cloth_axis_share(a0, b0, before);
    float4 c0 = cloth_ball(a0, b0, share), c1 = cloth_ball(a1, b1, share);
    of.touches = 1;
    of.origin = hed_f4(
        before.x + (c1.x - c0.x), before.y + (c1.y - c0.y), before.z + (c1.z - c0.z), before.w);
    of.met = cloth_over_balls(a1, b1, thickness, of.origin);
    of.turned = fma(of.met.x, of.end.x, fma(of.met.y, of.end.y, of.met.z * of.end.z)) < 0.5f;
    return of;
}

/* Moves a particle out of the hull of two balls. */
CLOTH_INLINE float4 cloth_collide_balls(
    float4 at, float4 before, float thickness, float friction, cloth_posed posed)
{
    cloth_meeting of = cloth_meet_balls(at, before, thickness, posed);
    if (!of.touches) return at;
    float4 a1 = posed.a1, b1 = posed.b1, origin = of.origin, met = of.met, end = of.end;
    float height = met.w, tolerance = 1e-3f * (thickness + hed_max(a1.w, b1.w)) + 1e-7f;
    float x = at.x - origin.x, y = at.y - origin.y, z = at.z - origin.z;
    float length = sqrt(cloth_square(x, y, z)), travel = 0.0f;
    float4 place = origin;
    int turned = of.turned;
    CLOTH_ROLLED
    for (uint i = 0; turned && i < CLOTH_MARCH_STEPS && met.w > tolerance && travel < length; i++) {
        travel += met.w;
        float part = travel / length;
        place =
            hed_f4(fma(part, x, origin.x), fma(part, y, origin.y), fma(part, z, origin.z), 0.0f);
        met = cloth_over_balls(a1, b1, thickness, place);
    }
    int through = turned && met.w <= tolerance && travel < length &&
                  fma(met.x, end.x, fma(met.y, end.y, met.z * end.z)) < 0.5f;
    if (through) { /* limits the slip from the point of contact: not around the collider */
        x = at.x - place.x;
        y = at.y - place.y;
        z = at.z - place.z;
        float component = fma(met.x, x, fma(met.y, y, met.z * z)),
              limit = 0.5f * (thickness + hed_min(a1.w, b1.w));
        x = fma(-component, met.x, x);
        y = fma(-component, met.y, y);
        z = fma(-component, met.z, z);
        float square = cloth_square(x, y, z);
        if (square > limit * limit) {
            float excess = limit / sqrt(square) - 1.0f;
            at = hed_f4(fma(excess, x, at.x), fma(excess, y, at.y), fma(excess, z, at.z), at.w);
        }
        end = hed_f4(met.x, met.y, met.z, component + met.w);
    }
    return cloth_lift(at, origin, end, height, friction);
}

/* Moves a particle out of a half-space whose plane moves from point a0, normal b0 to point a1,
 * normal b1. */
CLOTH_FUNCTION float4 cloth_collide_plane(
    float4 at, float4 before, float thickness, float friction, cloth_posed posed)
{
    float4 a0 = posed.a0, start = posed.b0, a1 = posed.a1, end = posed.b1;
    end.w = fma(end.x, at.x - a1.x, fma(end.y, at.y - a1.y, end.z * (at.z - a1.z))) - thickness;
    if (!(end.w < 0.0f)) return at;
    float height =
        fma(start.x, before.x - a0.x, fma(start.y, before.y - a0.y, start.z * (before.z - a0.z))) -
        thickness;
    float4 origin = hed_f4(
        before.x + (a1.x - a0.x), before.y + (a1.y - a0.y), before.z + (a1.z - a0.z), before.w);
    return cloth_lift(at, origin, end, height, friction);
}

CLOTH_INLINE float4 cloth_collide_posed(
    float4 at, float4 before, float thickness, cloth_posed posed)
{
    if (posed.kind.z != 0.0f && cloth_is_overstretched(before.w)) return at;
    return posed.kind.x == 0.0f ? cloth_collide_plane(at, before, thickness, posed.kind.y, posed)
                                : cloth_collide_balls(at, before, thickness, posed.kind.y, posed);
}

/* Moves a particle out of all colliders, with friction: its new position. A particle that passed
 * through a collider since `before` returns to the side of `before`. `friction`: of the cloth. */
CLOTH_INLINE float4 cloth_collide(float4 at, float4 before, float thickness, float friction,
    float4 origin, __global const float4 *colliders, uint count, float from, float to)
{
    if (!(at.w > 0.0f)) return at;
    CLOTH_ROLLED
    for (uint i = 0; i < count; i++)
        at = cloth_collide_posed(at, before, thickness,
            cloth_pose(colliders + i * CLOTH_COLLIDER_WORDS, origin, friction, from, to));
    return at;
}

/* Moves a particle out of a plane that moves with a triangle of a mesh collider. `plane`: unit
 * normal; w: offset at the frame's start, m (dot(normal, x) = offset). `motion`: motion of the
 * plane in the frame, m; w: friction of the mesh, below 0: no contact. */
CLOTH_FUNCTION float4 cloth_touch(float4 at, float4 before, float thickness, float friction,
    float4 plane, float4 motion, float from, float to)
{
    if (!(at.w > 0.0f) || motion.w < 0.0f) return at;
    float4 end = plane;
    float rise = fma(plane.x, motion.x, fma(plane.y, motion.y, plane.z * motion.z));
    end.w =
        fma(plane.x, at.x, fma(plane.y, at.y, plane.z * at.z)) - fma(rise, to, plane.w) - thickness;
    float height = fma(plane.x, before.x, fma(plane.y, before.y, plane.z * before.z)) -
                   fma(rise, from, plane.w) - thickness;
    float part = to - from;
    float4 origin = hed_f4(fma(motion.x, part, before.x), fma(motion.y, part, before.y),
        fma(motion.z, part, before.z), before.w);
    return cloth_lift(at, origin, end, height, sqrt(friction * motion.w));
}

/* Planes of a particle: {plane, motion} of the nearest surface, and of the surface across a cleft.
 * The first motion's w: friction; CLOTH_NO_PLANE: no plane; below that: two planes. The second
 * motion's w: number of searches in which the cleft left no room. */
#define CLOTH_CONTACT_WORDS 4
#define CLOTH_NO_PLANE -1.0f

CLOTH_FUNCTION int cloth_has_plane(float4 motion) { return motion.w != CLOTH_NO_PLANE; }

/* Mark of two planes, whose friction is given. */
CLOTH_FUNCTION float cloth_two_planes(float friction) { return 2.0f * CLOTH_NO_PLANE - friction; }

/* Moves a particle out of its planes. */
CLOTH_INLINE float4 cloth_touch_planes(float4 at, float4 before, float thickness, float friction,
    __global const float4 *planes, float from, float to)
{
    float4 motion = planes[1];
    if (!(motion.w < CLOTH_NO_PLANE))
        return cloth_touch(at, before, thickness, friction, planes[0], motion, from, to);
    float4 next = planes[3];
    motion.w = next.w = cloth_two_planes(motion.w);
    at = cloth_touch(at, before, thickness, friction, planes[0], motion, from, to);
    return cloth_touch(at, before, thickness, friction, planes[2], next, from, to);
}

#endif
