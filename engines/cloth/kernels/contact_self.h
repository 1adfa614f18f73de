/* Cloth against cloth, for one particle: one text for every device and for C. After physics.h and collide.h.
 *
 * Particles are balls. Two of them touch where they come nearer to each other than their garments' mean thickness, unless they are of
 * one body (a copy of a garment) and about that near at rest. Who may touch is found by hashing: space is cut into cubes, rows of cubes
 * along x are spread over the buckets by a hash of y and z, and neighbours in a row lie in neighbouring buckets, so that a particle looks
 * through nine ranges. Particles are sorted by bucket and, in a bucket, by number: sums run in the same order on every device.
 *
 * What is hashed is the middle of a particle's way in the substep. Each goes no farther than the thinnest garment's thickness
 * (cloth_contacts_longest_move()), so pairs that touch anywhere on their ways have middles no farther apart than thickness + that way,
 * the edge of a cube. A pair that passed through each other is put back on the side that it came from.
 *
 * Correction (Müller et al., Position Based Dynamics, 2007, section 4; averaged as Macklin et al., Unified Particle Physics, 2014, but
 * weighted by depth): the approach is taken away, at most the depth; what was too near already is undone gently, and the previous position
 * goes along, so that it makes no velocity: a contact does not bounce and does not pop. Friction shortens the tangential way by at most
 * friction * the approach taken away. */
#ifndef CLOTH_CONTACT_SELF_H
#define CLOTH_CONTACT_SELF_H

#define CLOTH_SELF_NONE 0xffffffffu
#define CLOTH_SELF_TILE 1024u   /* buckets of a tile of the prefix sum */
#define CLOTH_SELF_REST 1.1f    /* times the distance of contact: nearer at rest is no contact */
#define CLOTH_SELF_UNDO 0.3f    /* share of what was too near already that is undone in a substep */
#define CLOTH_SELF_MOST 0.1f    /* and times the thickness, at most */

/* What a pass is given; by value. */
typedef struct cloth_self {
    float cell, inverse_cell; /* edge of a cube, m */
    float widest;             /* m, the largest thickness */
    float to;                 /* the substep's end on the colliders' way, 0 to 1 */
    uint particles;
    uint buckets; /* power of 2, a multiple of CLOTH_SELF_TILE */
    uint colliders;
    uint flags; /* CLOTH_STEP_* */
} cloth_self;

/* The largest whole number that is not above x. */
CLOTH_FUNCTION int cloth_cell(float x, float inverse_cell)
{
    float scaled = hed_min(hed_max(x * inverse_cell, -1e9f), 1e9f);
    int whole = hed_int(scaled);
    return (float)whole > scaled ? whole - 1 : whole;
}

/* Where a row of cubes begins among the buckets, modulo their number. */
CLOTH_FUNCTION uint cloth_row(int y, int z)
{
    uint h = ((uint)y * 0x9e3779b1u) ^ ((uint)z * 0x85ebca77u);
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    return h ^ (h >> 13);
}

/* The middle of a particle's way in the substep. */
CLOTH_FUNCTION float4 cloth_middle(float4 at, float4 before)
{
    return hed_f4(0.5f * (at.x + before.x), 0.5f * (at.y + before.y), 0.5f * (at.z + before.z), 0.0f);
}

/* The bucket of a particle; CLOTH_SELF_NONE: it takes no part. */
CLOTH_FUNCTION uint cloth_self_bucket(float4 at, float4 before, float4 rest, cloth_self self)
{
    if (as_uint(rest.w) == CLOTH_SELF_NONE) return CLOTH_SELF_NONE;
    float4 middle = cloth_middle(at, before);
    if (!(fabs(middle.x) < 1e30f && fabs(middle.y) < 1e30f && fabs(middle.z) < 1e30f)) return CLOTH_SELF_NONE;
    uint row = cloth_row(cloth_cell(middle.y, self.inverse_cell), cloth_cell(middle.z, self.inverse_cell));
    return (row + (uint)cloth_cell(middle.x, self.inverse_cell)) & (self.buckets - 1);
}

/* First slot of a bucket; of bucket `buckets`: how many take part. */
CLOTH_FUNCTION uint cloth_self_start(__global const uint *starts, __global const uint *totals, uint bucket)
{
    return starts[bucket] + totals[bucket / CLOTH_SELF_TILE];
}

/* Puts a particle of an unordered bucket in its place: behind those with smaller numbers. `sorted`: two float4 a slot: the middle of the
 * way and in w the particle; half the way and in w the inverse mass. */
CLOTH_FUNCTION void cloth_self_order_one(uint slot, __global const float4 *position, __global const float4 *previous,
                                         __global const uint *starts, __global const uint *totals, __global const uint2 *entries,
                                         __global const uint *slots, __global float4 *sorted, cloth_self self)
{
    if (slot >= cloth_self_start(starts, totals, self.buckets)) return;
    uint particle = slots[slot], bucket = entries[particle].x;
    uint begin = cloth_self_start(starts, totals, bucket), end = cloth_self_start(starts, totals, bucket + 1), place = begin;
    for (uint k = begin; k < end; k++) place += slots[k] < particle ? 1u : 0u;
    float4 at = position[particle], before = previous[particle], middle = cloth_middle(at, before);
    sorted[2 * place] = hed_f4(middle.x, middle.y, middle.z, as_float(particle));
    sorted[2 * place + 1] = hed_f4(0.5f * (at.x - before.x), 0.5f * (at.y - before.y), 0.5f * (at.z - before.z), at.w);
}

/* What a particle has gathered. */
typedef struct cloth_pushes {
    float x, y, z;    /* weighted corrections */
    float ux, uy, uz; /* of them, those that the previous position makes too */
    float weight;
} cloth_pushes;

/* The direction from the other particle in which two touch, and in w the depth: 0: they do not. `now` and `then`: from the other
 * particle at the substep's end and beginning; `way`: the difference. `side`: 1 or -1, for two in one place. */
CLOTH_FUNCTION float4 cloth_self_touch(float4 now, float4 then, float4 way, float distance, float side)
{
    float4 none = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    float now_square = cloth_square(now.x, now.y, now.z), then_square = cloth_square(then.x, then.y, then.z);
    float same = fma(now.x, then.x, fma(now.y, then.y, now.z * then.z));
    if (same > 0.0f) {
        if (!(now_square < distance * distance)) return none;
        float away = sqrt(now_square);
        return hed_f4(now.x / away, now.y / away, now.z / away, distance - away);
    }
    float4 normal = then;
    if (then_square > distance * distance) { /* where the way enters the ball */
        float square = cloth_square(way.x, way.y, way.z);
        float along = fma(then.x, way.x, fma(then.y, way.y, then.z * way.z));
        float inside = fma(along, along, -(square * (then_square - distance * distance)));
        if (!(along < 0.0f && inside > 0.0f)) return none;
        float share = (-along - sqrt(inside)) / square;
        if (!(share < 1.0f)) return none;
        normal = hed_f4(fma(way.x, share, then.x), fma(way.y, share, then.y), fma(way.z, share, then.z), 0.0f);
    }
    if (!(cloth_square(normal.x, normal.y, normal.z) > 0.0f)) normal = hed_f4(0.0f, side, 0.0f, 0.0f);
    normal = cloth_unit(normal);
    normal.w = distance - fma(normal.x, now.x, fma(normal.y, now.y, normal.z * now.z));
    return normal;
}

/* Adds what one contact asks of a particle. `share`: its part of the correction by weights. */
CLOTH_FUNCTION void cloth_self_gather(cloth_pushes *sum, float4 touch, float4 way, float share, float distance, float friction)
{
    float approach = -fma(touch.x, way.x, fma(touch.y, way.y, touch.z * way.z));
    float stop = hed_min(hed_max(approach, 0.0f), touch.w);
    float undo = hed_min((touch.w - stop) * CLOTH_SELF_UNDO, distance * CLOTH_SELF_MOST);
    float weight = stop + undo;
    float push = weight * share * (stop + undo), along = weight * share * undo;
    sum->x = fma(push, touch.x, sum->x);
    sum->y = fma(push, touch.y, sum->y);
    sum->z = fma(push, touch.z, sum->z);
    sum->ux = fma(along, touch.x, sum->ux);
    sum->uy = fma(along, touch.y, sum->uy);
    sum->uz = fma(along, touch.z, sum->uz);
    sum->weight += weight;
    float x = fma(approach, touch.x, way.x), y = fma(approach, touch.y, way.y), z = fma(approach, touch.z, way.z);
    float square = cloth_square(x, y, z), most = friction * stop;
    if (!(most > 0.0f && square > 0.0f)) return;
    float part = weight * share * (square > most * most ? most / sqrt(square) : 1.0f);
    sum->x = fma(-part, x, sum->x);
    sum->y = fma(-part, y, sum->y);
    sum->z = fma(-part, z, sum->z);
}

/* One candidate, in slot `other`. (y z) is the row that is looked through: buckets hold other rows too. */
CLOTH_FUNCTION void cloth_self_pair(cloth_pushes *sum, float4 middle, float4 half_way, float4 rest, float4 body, uint other, int x, int y, int z,
                                    __global const float4 *sorted, __global const float4 *rests, __global const float4 *bodies,
                                    cloth_self self)
{
    float4 its_middle = sorted[2 * other];
    float4 between = hed_f4(middle.x - its_middle.x, middle.y - its_middle.y, middle.z - its_middle.z, 0.0f);
    if (!(cloth_square(between.x, between.y, between.z) < self.cell * self.cell) || as_uint(its_middle.w) == as_uint(middle.w)) return;
    int its_x = cloth_cell(its_middle.x, self.inverse_cell);
    if (cloth_cell(its_middle.y, self.inverse_cell) != y || cloth_cell(its_middle.z, self.inverse_cell) != z || its_x < x - 1 || its_x > x + 1)
        return;
    float4 its_half = sorted[2 * other + 1];
    float weights = half_way.w + its_half.w;
    float4 turn = hed_f4(half_way.x - its_half.x, half_way.y - its_half.y, half_way.z - its_half.z, 0.0f);
    float4 now = hed_f4(between.x + turn.x, between.y + turn.y, between.z + turn.z, 0.0f);
    float4 then = hed_f4(between.x - turn.x, between.y - turn.y, between.z - turn.z, 0.0f);
    float nearest = hed_min(cloth_square(now.x, now.y, now.z), fma(now.x, then.x, fma(now.y, then.y, now.z * then.z)));
    if (!(nearest < self.widest * self.widest) || !(weights > 0.0f)) return;

    float4 its_rest = rests[as_uint(its_middle.w)], its_body = bodies[as_uint(its_rest.w)];
    float distance = 0.5f * (body.x + its_body.x), apart = CLOTH_SELF_REST * distance;
    if (as_uint(its_rest.w) == as_uint(rest.w) &&
        cloth_square(rest.x - its_rest.x, rest.y - its_rest.y, rest.z - its_rest.z) < apart * apart)
        return;
    float4 way = hed_f4(2.0f * turn.x, 2.0f * turn.y, 2.0f * turn.z, 0.0f);
    float4 touch = cloth_self_touch(now, then, way, distance, as_uint(middle.w) < as_uint(its_middle.w) ? 1.0f : -1.0f);
    if (!(touch.w > 0.0f)) return;
    cloth_self_gather(sum, touch, way, half_way.w / weights, distance, sqrt(body.y * its_body.y));
}

/* The particle of a slot against all near it; then out of the colliders again, into which it may have been pushed: that makes no velocity
 * either. */
CLOTH_FUNCTION void cloth_self_push_one(uint slot, __global float4 *position, __global float4 *previous, __global const uint *starts,
                                        __global const uint *totals, __global const float4 *sorted, __global const float4 *rests,
                                        __global const float4 *bodies, __global const float4 *colliders, __global const float4 *contact,
                                        cloth_self self)
{
    if (slot >= cloth_self_start(starts, totals, self.buckets)) return;
    float4 middle = sorted[2 * slot], half_way = sorted[2 * slot + 1];
    if (!(half_way.w > 0.0f)) return;
    uint particle = as_uint(middle.w), mask = self.buckets - 1;
    float4 rest = rests[particle], body = bodies[as_uint(rest.w)];
    int x = cloth_cell(middle.x, self.inverse_cell), y = cloth_cell(middle.y, self.inverse_cell), z = cloth_cell(middle.z, self.inverse_cell);
    cloth_pushes sum = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    for (int row = 0; row < 9; row++) {
        int row_y = y + row % 3 - 1, row_z = z + row / 3 - 1;
        uint first = (cloth_row(row_y, row_z) + (uint)(x - 1)) & mask, last = (first + 2) & mask;
        uint parts = first > last ? 2u : 1u; /* 2: the row runs over the end of the buckets */
        for (uint part = 0; part < parts; part++) {
            uint begin = cloth_self_start(starts, totals, part == 0 ? first : 0u);
            uint end = cloth_self_start(starts, totals, part + 1 == parts ? last + 1 : self.buckets);
            for (uint other = begin; other < end; other++)
                cloth_self_pair(&sum, middle, half_way, rest, body, other, x, row_y, row_z, sorted, rests, bodies, self);
        }
    }
    if (!(sum.weight > 0.0f)) return;
    float4 at = position[particle], before = previous[particle];
    float dx = sum.x / sum.weight, dy = sum.y / sum.weight, dz = sum.z / sum.weight;
    float4 moved = hed_f4(at.x + dx, at.y + dy, at.z + dz, at.w), kept = moved;
    if (self.colliders > 0) moved = cloth_collide(moved, at, body.x, 0.0f, colliders, self.colliders, self.to, self.to);
    if (self.flags & CLOTH_STEP_CONTACTS)
        moved = cloth_touch(moved, at, body.x, 0.0f, contact[2 * particle], contact[2 * particle + 1], self.to, self.to);
    position[particle] = moved;
    previous[particle] = hed_f4(before.x + sum.ux / sum.weight + (moved.x - kept.x), before.y + sum.uy / sum.weight + (moved.y - kept.y),
                                before.z + sum.uz / sum.weight + (moved.z - kept.z), before.w);
}

#endif
