/* Cloth against cloth, for one particle: one text for every device and for C. After physics.h and
 * collide.h.
 *
 * Particles are balls. Two of them touch where they come nearer to each other than their garments'
 * mean thickness, unless they are of one body (a copy of a garment) and about that near at rest.
 * Who may touch is found by hashing: space is cut into cubes, rows of cubes along x are spread over
 * the buckets by a hash of y and z, and neighbours in a row lie in neighbouring buckets, so that a
 * particle looks through nine ranges. Particles are sorted by bucket and, in a bucket, by number:
 * sums run in the same order on every device.
 *
 * What is hashed is the middle of a particle's way in the substep. Each goes no farther than the
 * thinnest garment's thickness (cloth_contacts_longest_move()), so pairs that touch anywhere on
 * their ways have middles no farther apart than thickness + that way, the edge of a cube. A pair
 * that passed through each other is put back on the side that it came from.
 *
 * Correction (Müller et al., Position Based Dynamics, 2007, section 4; averaged as Macklin et al.,
 * Unified Particle Physics, 2014, but weighted by depth): the approach is taken away, at most the
 * depth; what was too near already is undone gently, and the previous position goes along, so that
 * it makes no velocity: a contact does not bounce and does not pop. Friction shortens the
 * tangential way by at most friction * the approach taken away. */
#ifndef CLOTH_CONTACT_SELF_H
#define CLOTH_CONTACT_SELF_H

#define CLOTH_SELF_NONE 0xffffffffu
#define CLOTH_SELF_TILE 1024u /* buckets of a tile of the prefix sum */
#define CLOTH_SELF_REST 1.1f  /* times the distance of contact: nearer at rest is no contact */
#define CLOTH_SELF_UNDO 0.1f  /* share of what was too near already that is undone in a pass */
#define CLOTH_SELF_MOST 0.01f /* and times the thickness, at most */
#define CLOTH_SELF_PASSES \
    4u /* of a substep: what rests on cloth that rests on something would sink otherwise */
#define CLOTH_SELF_REACH 1.2f /* times the widest thickness: may touch in a later pass */
#define CLOTH_SELF_NEAR 32u   /* that may touch are written down */

/* What a pass is given; by value. */
typedef struct cloth_self {
    float cell, inverse_cell; /* edge of a cube, m */
    float widest;             /* m, the largest thickness */
    float to;                 /* the substep's end on the colliders' way, 0 to 1 */
    uint particles;
    uint buckets; /* power of 2, a multiple of CLOTH_SELF_TILE */
    uint colliders;
    uint flags; /* CLOTH_STEP_* */
    uint last;  /* not 0: this is the substep's last pass */
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

/* The cube in which the middle of a particle's way in the substep lies. */
CLOTH_FUNCTION void cloth_self_cell(float4 at, float4 before, cloth_self self, int *cell)
{
    cell[0] = cloth_cell(0.5f * (at.x + before.x), self.inverse_cell);
    cell[1] = cloth_cell(0.5f * (at.y + before.y), self.inverse_cell);
    cell[2] = cloth_cell(0.5f * (at.z + before.z), self.inverse_cell);
}

/* The bucket of a particle; CLOTH_SELF_NONE: it takes no part. */
CLOTH_FUNCTION uint cloth_self_bucket(float4 at, float4 before, float4 rest, cloth_self self)
{
    if (as_uint(rest.w) == CLOTH_SELF_NONE) return CLOTH_SELF_NONE;
    float sum =
        fabs(at.x) + fabs(at.y) + fabs(at.z) + fabs(before.x) + fabs(before.y) + fabs(before.z);
    if (!(sum < 1e30f)) return CLOTH_SELF_NONE;
    int cell[3];
    cloth_self_cell(at, before, self, cell);
    return (cloth_row(cell[1], cell[2]) + (uint)cell[0]) & (self.buckets - 1);
}

/* First slot of a bucket; of bucket `buckets`: how many take part. */
CLOTH_FUNCTION uint cloth_self_start(
    __global const uint *starts, __global const uint *totals, uint bucket)
{
    return starts[bucket] + totals[bucket / CLOTH_SELF_TILE];
}

/* Puts a particle of an unordered bucket in its place: behind those with smaller numbers. `sorted`:
 * two float4 a slot: the position and in w the particle; the previous position and in w the inverse
 * mass. `rows`: the row of cubes of each slot. */
CLOTH_FUNCTION void cloth_self_order_one(uint slot, __global const float4 *position,
    __global const float4 *previous, __global const uint *starts, __global const uint *totals,
    __global const uint2 *entries, __global const uint *slots, __global float4 *sorted,
    __global uint *rows, cloth_self self)
{
    if (slot >= cloth_self_start(starts, totals, self.buckets)) return;
    uint particle = slots[slot], bucket = entries[particle].x;
    uint begin = cloth_self_start(starts, totals, bucket),
         end = cloth_self_start(starts, totals, bucket + 1), place = begin;
    for (uint k = begin; k < end; k++) place += slots[k] < particle ? 1u : 0u;
    float4 at = position[particle], before = previous[particle];
    int cell[3];
    cloth_self_cell(at, before, self, cell);
    sorted[2 * place] = hed_f4(at.x, at.y, at.z, as_float(particle));
    sorted[2 * place + 1] = hed_f4(before.x, before.y, before.z, at.w);
    rows[place] = cloth_row(cell[1], cell[2]);
}

/* What a particle has gathered. */
typedef struct cloth_pushes {
    float x, y, z;    /* weighted corrections */
    float ux, uy, uz; /* of them, those that the previous position makes too */
    float weight;
} cloth_pushes;

/* The direction from the other particle in which two touch, and in w the depth: 0: they do not.
 * `now` and `then`: from the other particle at the substep's end and beginning; `way`: the
 * difference. The direction is that in which they met, or, where they were too near already, in
 * which they were: the end of a fast way says little of it. `side`: 1 or -1, for two in one
 * place. */
CLOTH_FUNCTION float4 cloth_self_touch(
    float4 now, float4 then, float4 way, float distance, float side)
{
    float4 none = hed_f4(0.0f, 0.0f, 0.0f, 0.0f), normal = then;
    float now_square = cloth_square(now.x, now.y, now.z),
          then_square = cloth_square(then.x, then.y, then.z);
    /* then_square + along: of one side */
    float along = fma(then.x, way.x, fma(then.y, way.y, then.z * way.z));
    if (now_square >= distance * distance && then_square + along > 0.0f) return none;
    if (then_square > distance * distance) {
        float square = cloth_square(way.x, way.y, way.z);
        float inside = fma(along, along, -(square * (then_square - distance * distance)));
        if (!(along < 0.0f && inside > 0.0f)) return none;
        float share = (-along - sqrt(inside)) / square;
        if (!(share < 1.0f)) return none;
        normal = hed_f4(
            fma(way.x, share, then.x), fma(way.y, share, then.y), fma(way.z, share, then.z), 0.0f);
    }
    if (!(cloth_square(normal.x, normal.y, normal.z) > 0.0f))
        normal = now_square > 0.0f ? now : hed_f4(0.0f, side, 0.0f, 0.0f);
    normal = cloth_unit(normal);
    normal.w = distance - fma(normal.x, now.x, fma(normal.y, now.y, normal.z * now.z));
    return normal;
}

/* Adds what one contact asks of a particle. `share`: its part of the correction by weights. */
CLOTH_FUNCTION void cloth_self_gather(
    cloth_pushes *sum, float4 touch, float4 way, float share, float distance, float friction)
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
    float x = fma(approach, touch.x, way.x), y = fma(approach, touch.y, way.y),
          z = fma(approach, touch.z, way.z);
    float square = cloth_square(x, y, z), most = friction * stop;
    if (!(most > 0.0f && square > 0.0f)) return;
    float part = weight * share * (square > most * most ? most / sqrt(square) : 1.0f);
    sum->x = fma(-part, x, sum->x);
    sum->y = fma(-part, y, sum->y);
    sum->z = fma(-part, z, sum->z);
}

/* The particles sorted into buckets, and what is read of them. */
typedef struct cloth_self_view {
    __global const uint *starts, *totals;  /* first slots of the buckets: cloth_self_start() */
    __global const float4 *sorted;         /* two of each slot: cloth_self_order_one() */
    __global const uint *rows;             /* of each slot */
    __global const float4 *rests, *bodies; /* of each particle, of each copy of a garment */
} cloth_self_view;

/* Other collisions that a push must not undo, and where its result goes. */
typedef struct cloth_self_target {
    __global const float4 *colliders, *contact;
    __global float4 *position, *previous; /* of the last pass */
    __global float4 *pushed;              /* `sorted` of the next pass */
} cloth_self_target;

/* A particle as it goes through the candidates. */
typedef struct cloth_self_ball {
    float4 at, before; /* as in `sorted` */
    float4 rest, body;
} cloth_self_ball;

CLOTH_FUNCTION cloth_self_ball cloth_self_ball_at(uint slot, cloth_self_view view)
{
    cloth_self_ball own;
    own.at = view.sorted[2 * slot];
    own.before = view.sorted[2 * slot + 1];
    own.rest = view.rests[as_uint(own.at.w)];
    own.body = view.bodies[as_uint(own.rest.w)];
    return own;
}

/* The k-th of 18 ranges of slots around a ball in cube `cell`: two for each of nine rows, since a
 * row may run over the end of the buckets; else the second is empty. Gives the row. */
CLOTH_FUNCTION uint cloth_self_range(
    int k, const int *cell, cloth_self_view view, cloth_self self, uint *begin, uint *end)
{
    uint row = cloth_row(cell[1] + k / 2 % 3 - 1, cell[2] + k / 6 - 1), mask = self.buckets - 1;
    uint first = (row + (uint)(cell[0] - 1)) & mask, last = (first + 2) & mask,
         second = (uint)k & 1u, over = first > last ? 1u : 0u;
    *begin = *end = 0;
    if (second > over) return row;
    *begin = cloth_self_start(view.starts, view.totals, second ? 0u : first);
    *end = cloth_self_start(view.starts, view.totals, second == over ? last + 1 : self.buckets);
    return row;
}

/* Where two are from each other at the substep's end and beginning; gives a lower bound of the
 * square of their distance in between. */
CLOTH_FUNCTION float cloth_self_apart(
    cloth_self_ball own, float4 its_at, float4 its_before, float4 *now, float4 *then)
{
    *now = hed_f4(own.at.x - its_at.x, own.at.y - its_at.y, own.at.z - its_at.z, 0.0f);
    *then = hed_f4(own.before.x - its_before.x, own.before.y - its_before.y,
        own.before.z - its_before.z, 0.0f);
    return hed_min(cloth_square(now->x, now->y, now->z),
        fma(now->x, then->x, fma(now->y, then->y, now->z * then->z)));
}

/* Whether the ball in slot `other` may touch in one of the passes. `row`: the one that is looked
 * through: buckets hold other rows too. */
CLOTH_FUNCTION uint cloth_self_may_touch(
    cloth_self_ball own, uint other, uint row, cloth_self_view view, cloth_self self)
{
    float4 its_at = view.sorted[2 * other], now, then;
    float nearest = cloth_self_apart(own, its_at, view.sorted[2 * other + 1], &now, &then),
          reach = CLOTH_SELF_REACH * self.widest;
    if (!(nearest < reach * reach) || as_uint(own.at.w) == as_uint(its_at.w) ||
        view.rows[other] != row)
        return 0;
    float4 its_rest = view.rests[as_uint(its_at.w)];
    float apart = CLOTH_SELF_REST * own.body.x;
    return as_uint(its_rest.w) != as_uint(own.rest.w) ||
           cloth_square(own.rest.x - its_rest.x, own.rest.y - its_rest.y,
               own.rest.z - its_rest.z) >= apart * apart;
}

/* Writes down who may touch the ball in a slot: the k-th in near[k * particles + slot]; and how
 * many those are, of which the first CLOTH_SELF_NEAR are written. */
CLOTH_FUNCTION void cloth_self_near_one(
    uint slot, cloth_self_view view, __global uint *near, __global uint *counts, cloth_self self)
{
    if (slot >= cloth_self_start(view.starts, view.totals, self.buckets)) return;
    cloth_self_ball own = cloth_self_ball_at(slot, view);
    uint count = 0, begin, end;
    int cell[3];
    cloth_self_cell(own.at, own.before, self, cell);
    CLOTH_ROLLED
    for (int k = 0; k < 18 && own.before.w > 0.0f; k++) {
        uint row = cloth_self_range(k, cell, view, self, &begin, &end);
        CLOTH_ROLLED
        for (uint other = begin; other < end; other++) {
            if (!cloth_self_may_touch(own, other, row, view, self)) continue;
            if (count < CLOTH_SELF_NEAR) near[count * self.particles + slot] = other;
            count++;
        }
    }
    counts[slot] = count;
}

/* One that may touch, in slot `other`. */
CLOTH_FUNCTION void cloth_self_pair(
    cloth_pushes *sum, cloth_self_ball own, uint other, cloth_self_view view, cloth_self self)
{
    float4 its_at = view.sorted[2 * other], its_before = view.sorted[2 * other + 1], now, then;
    if (!(cloth_self_apart(own, its_at, its_before, &now, &then) < self.widest * self.widest))
        return;
    float4 its_body = view.bodies[as_uint(view.rests[as_uint(its_at.w)].w)];
    float distance = 0.5f * (own.body.x + its_body.x);
    float4 way = hed_f4(now.x - then.x, now.y - then.y, now.z - then.z, 0.0f);
    float4 touch = cloth_self_touch(
        now, then, way, distance, as_uint(own.at.w) < as_uint(its_at.w) ? 1.0f : -1.0f);
    if (!(touch.w > 0.0f)) return;
    cloth_self_gather(sum, touch, way, own.before.w / (own.before.w + its_before.w), distance,
        sqrt(own.body.y * its_body.y));
}

/* What all that touch ask of a ball. Where more may than were written down, they are looked for
 * again. */
CLOTH_FUNCTION cloth_pushes cloth_self_sum(uint slot, cloth_self_ball own, cloth_self_view view,
    __global const uint *near, uint count, cloth_self self)
{
    cloth_pushes sum = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    uint begin, end;
    int cell[3];
    if (count <= CLOTH_SELF_NEAR) {
        CLOTH_ROLLED
        for (uint k = 0; k < count; k++)
            cloth_self_pair(&sum, own, near[k * self.particles + slot], view, self);
        return sum;
    }
    cloth_self_cell(own.at, own.before, self, cell);
    CLOTH_ROLLED
    for (int k = 0; k < 18; k++) {
        uint row = cloth_self_range(k, cell, view, self, &begin, &end);
        CLOTH_ROLLED
        for (uint other = begin; other < end; other++)
            if (cloth_self_may_touch(own, other, row, view, self))
                cloth_self_pair(&sum, own, other, view, self);
    }
    return sum;
}

/* Moves a ball by the mean of what it was asked, and out of the colliders again, into which that
 * may have pushed it: the part of the push that was a velocity into a collider is lost, and the
 * rest of the way out makes none. */
CLOTH_FUNCTION void cloth_self_move(
    cloth_self_ball *own, cloth_pushes sum, cloth_self_target target, cloth_self self)
{
    float4 at = hed_f4(own->at.x, own->at.y, own->at.z, own->before.w);
    float x = sum.x / sum.weight, y = sum.y / sum.weight, z = sum.z / sum.weight;
    float ux = sum.ux / sum.weight, uy = sum.uy / sum.weight, uz = sum.uz / sum.weight;
    float4 kept = hed_f4(at.x + x, at.y + y, at.z + z, at.w), moved = kept;
    if (self.colliders > 0)
        moved = cloth_collide(
            moved, at, own->body.x, 0.0f, target.colliders, self.colliders, self.to, self.to);
    if (self.flags & CLOTH_STEP_CONTACTS) {
        uint particle = as_uint(own->at.w);
        moved = cloth_touch(moved, at, own->body.x, 0.0f, target.contact[2 * particle],
            target.contact[2 * particle + 1], self.to, self.to);
    }
    float out_x = moved.x - kept.x, out_y = moved.y - kept.y, out_z = moved.z - kept.z,
          square = cloth_square(out_x, out_y, out_z);
    float into = hed_max(-fma(x - ux, out_x, fma(y - uy, out_y, (z - uz) * out_z)), 0.0f);
    float still = square > into ? 1.0f - into / square : 0.0f;
    own->at = hed_f4(moved.x, moved.y, moved.z, own->at.w);
    own->before.x += fma(still, out_x, ux);
    own->before.y += fma(still, out_y, uy);
    own->before.z += fma(still, out_z, uz);
}

/* One pass for the particle of a slot, against all near it as they are in `view.sorted`; the last
 * one goes back to the particles. */
CLOTH_FUNCTION void cloth_self_push_one(uint slot, cloth_self_view view, __global const uint *near,
    __global const uint *counts, cloth_self_target target, cloth_self self)
{
    if (slot >= cloth_self_start(view.starts, view.totals, self.buckets)) return;
    cloth_self_ball own = cloth_self_ball_at(slot, view);
    uint particle = as_uint(own.at.w), count = counts[slot];
    if (count > 0) {
        cloth_pushes sum = cloth_self_sum(slot, own, view, near, count, self);
        if (sum.weight > 0.0f) cloth_self_move(&own, sum, target, self);
    }
    if (self.last == 0) {
        target.pushed[2 * slot] = own.at;
        target.pushed[2 * slot + 1] = own.before;
    } else if (own.before.w > 0.0f) {
        target.position[particle] = hed_f4(own.at.x, own.at.y, own.at.z, own.before.w);
        target.previous[particle] = hed_f4(own.before.x, own.before.y, own.before.z, own.body.z);
    }
}

#endif
