/* Balls around particles, for one particle: one text for every device and for C. After physics.h
 * and collide.h.
 *
 * Particles are balls. Two balls touch if they are nearer to each other than the mean thickness
 * of their garments, unless they belong to one body (a copy of a garment) and are about that
 * near at rest. Balls that may touch are found by hashing: space is cut into cubes, a row of
 * cubes along x has a bucket by a hash of y and z, and neighbours in a row have neighbouring
 * buckets, so that the search for a particle covers nine ranges. Particles are sorted by bucket
 * and, in a bucket, by number: sums have the same order on every device.
 *
 * The hashed position is the middle of a particle's motion in the substep. No motion is longer
 * than the smallest thickness (cloth_contacts_longest_move()), so two balls that touch anywhere
 * on their motions have middles at most thickness + motion apart, which is the edge of a cube.
 * Balls that passed through each other return to the sides that they came from.
 *
 * Correction (Müller et al., Position Based Dynamics, 2007, section 4; averaged as Macklin et
 * al., Unified Particle Physics, 2014, but weighted by depth): the approach is removed, at most
 * the depth. An overlap from before the substep is reduced slowly and moves the previous
 * position too, so that it causes no velocity: a contact neither bounces nor jumps. Friction
 * shortens the tangential motion by at most friction * the removed approach. */
#ifndef CLOTH_CONTACT_SELF_H
#define CLOTH_CONTACT_SELF_H

#define CLOTH_SELF_NONE 0xffffffffu
#define CLOTH_SELF_TILE 1024u /* buckets of a tile of the prefix sum */
#define CLOTH_SELF_REST 1.1f /* factor of the contact distance: balls nearer at rest do not touch */
#define CLOTH_SELF_UNDO 0.1f /* fraction of an old overlap that a pass removes, */
#define CLOTH_SELF_MOST \
    0.01f /* maximum of the removed overlap, as a factor of the contact distance */
#define CLOTH_SELF_PASSES \
    4u /* passes of a substep: with fewer, cloth on cloth on a collider sinks */
#define CLOTH_SELF_REACH \
    1.2f /* factor of the largest thickness: balls that may touch in a later pass */
#define CLOTH_SELF_NEAR 32u /* neighbours that are stored for a ball */

/* Parameters of a pass, passed by value. */
typedef struct cloth_self {
    float cell, inverse_cell; /* edge of a cube, m */
    float widest;             /* m, the largest thickness */
    float to;                 /* fraction of the colliders' motion at the substep's end */
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

/* First bucket of a row of cubes, modulo the number of buckets. */
CLOTH_FUNCTION uint cloth_row(int y, int z)
{
    uint h = ((uint)y * 0x9e3779b1u) ^ ((uint)z * 0x85ebca77u);
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    return h ^ (h >> 13);
}

/* Cube of the middle of a particle's motion. */
CLOTH_FUNCTION void cloth_self_cell(float4 at, float4 before, cloth_self self, int *cell)
{
    cell[0] = cloth_cell(0.5f * (at.x + before.x), self.inverse_cell);
    cell[1] = cloth_cell(0.5f * (at.y + before.y), self.inverse_cell);
    cell[2] = cloth_cell(0.5f * (at.z + before.z), self.inverse_cell);
}

/* Bucket of a particle; CLOTH_SELF_NONE if it takes no part. */
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

/* First slot of a bucket; for bucket `buckets`, the number of particles that take part. */
CLOTH_FUNCTION uint cloth_self_start(
    __global const uint *starts, __global const uint *totals, uint bucket)
{
    return starts[bucket] + totals[bucket / CLOTH_SELF_TILE];
}

/* ---- the kernels' arguments, in the order of their launches ---- */

/* `entries`: bucket of each particle, and the number of particles that were counted before it,
 * in any order. */
#define SELF_COUNT(FIRST, NEXT) \
    FIRST(IN, float4, position) NEXT(IN, float4, previous) NEXT(IN, float4, rests) \
    NEXT(INOUT, uint, starts) NEXT(OUT, uint2, entries) NEXT(STRUCT, cloth_self, self)
HED_VIEW(cloth_self_count_view, SELF_COUNT)
#define SELF_SCAN(FIRST, NEXT) \
    FIRST(INOUT, uint, starts) NEXT(OUT, uint, totals) NEXT(VALUE, uint, buckets)
HED_VIEW(cloth_self_scan_view, SELF_SCAN)
#define SELF_TOTALS(FIRST, NEXT) FIRST(INOUT, uint, totals) NEXT(VALUE, uint, tiles)
HED_VIEW(cloth_self_totals_view, SELF_TOTALS)
#define SELF_PLACE(FIRST, NEXT) \
    FIRST(IN, uint, starts) NEXT(IN, uint, totals) NEXT(IN, uint2, entries) \
    NEXT(OUT, uint, slots) NEXT(STRUCT, cloth_self, self)
HED_VIEW(cloth_self_place_view, SELF_PLACE)
#define SELF_ORDER(FIRST, NEXT) \
    FIRST(IN, float4, position) NEXT(IN, float4, previous) NEXT(IN, uint, starts) \
    NEXT(IN, uint, totals) NEXT(IN, uint2, entries) NEXT(IN, uint, slots) \
    NEXT(OUT, float4, sorted) NEXT(OUT, uint, rows) NEXT(STRUCT, cloth_self, self)
HED_VIEW(cloth_self_order_view, SELF_ORDER)
/* Particles sorted into buckets: first slots of the buckets (cloth_self_start()), two `sorted` of
 * each slot (cloth_self_order_one()), (slots) row of cubes, (particles) `rests`. */
#define CLOTH_SELF_ARRAYS(FIRST, NEXT) \
    FIRST(IN, uint, starts) NEXT(IN, uint, totals) NEXT(IN, float4, sorted) NEXT(IN, uint, rows) \
    NEXT(IN, float4, rests) NEXT(IN, float4, bodies)
HED_VIEW(cloth_self_view, CLOTH_SELF_ARRAYS)
#define SELF_NEAR(FIRST, NEXT) \
    CLOTH_SELF_ARRAYS(FIRST, NEXT) \
    NEXT(OUT, uint, neighbours) NEXT(OUT, uint, counts) NEXT(STRUCT, cloth_self, self)
HED_VIEW(cloth_self_near_view, SELF_NEAR)
/* Colliders that a push must not undo, and results: positions, written by the last pass, and
 * `pushed`, the `sorted` of the next pass. */
#define CLOTH_SELF_TARGET(FIRST, NEXT) \
    FIRST(IN, float4, colliders) NEXT(IN, float4, contact) NEXT(INOUT, float4, position) \
    NEXT(INOUT, float4, previous) NEXT(INOUT, float4, pushed)
HED_VIEW(cloth_self_target, CLOTH_SELF_TARGET)
#define SELF_PUSH(FIRST, NEXT) \
    CLOTH_SELF_TARGET(FIRST, NEXT) \
    CLOTH_SELF_ARRAYS(NEXT, NEXT) \
    NEXT(IN, uint, neighbours) NEXT(IN, uint, counts) NEXT(STRUCT, cloth_self, self)
HED_VIEW(cloth_self_push_view, SELF_PUSH)

/* Puts a particle of an unordered bucket after the particles with smaller numbers. `sorted`: two
 * float4 a slot: position, w: particle; previous position, w: inverse mass. `rows`: row of cubes
 * of each slot. */
CLOTH_FUNCTION void cloth_self_order_one(uint slot, cloth_self_order_view view)
{
    __global const uint *starts = view.starts, *totals = view.totals, *slots = view.slots;
    cloth_self self = view.self;
    if (slot >= cloth_self_start(starts, totals, self.buckets)) return;
    uint particle = slots[slot], bucket = view.entries[particle].x;
    uint begin = cloth_self_start(starts, totals, bucket),
         end = cloth_self_start(starts, totals, bucket + 1), place = begin;
    for (uint k = begin; k < end; k++) place += slots[k] < particle ? 1u : 0u;
    float4 at = view.position[particle], before = view.previous[particle];
    int cell[3];
    cloth_self_cell(at, before, self, cell);
    view.sorted[2 * place] = hed_f4(at.x, at.y, at.z, as_float(particle));
    view.sorted[2 * place + 1] = hed_f4(before.x, before.y, before.z, at.w);
    view.rows[place] = cloth_row(cell[1], cell[2]);
}

/* Sums of a particle's contacts. */
typedef struct cloth_pushes {
    float x, y, z;    /* weighted corrections */
    float ux, uy, uz; /* the part that moves the previous position too */
    float weight;
} cloth_pushes;

/* Contact normal from the other particle, length 1; w: depth, m; 0: no contact. `offset` and
 * `old_offset`: vector from the other particle at the substep's end and start; `way`: their
 * difference. The normal is the direction at the first contact, or at the start if the balls
 * overlapped then: after a fast motion the end has little to do with it. `side`: 1 or -1, for
 * two balls at one position. */
CLOTH_FUNCTION float4 cloth_self_touch(
    float4 offset, float4 old_offset, float4 way, float distance, float side)
{
    float4 none = hed_f4(0.0f, 0.0f, 0.0f, 0.0f), normal = old_offset;
    float offset_square = cloth_square(offset.x, offset.y, offset.z),
          old_square = cloth_square(old_offset.x, old_offset.y, old_offset.z);
    /* positive sum: the other particle was not passed */
    float along = fma(old_offset.x, way.x, fma(old_offset.y, way.y, old_offset.z * way.z));
    if (offset_square >= distance * distance && old_square + along > 0.0f) return none;
    if (old_square > distance * distance) {
        float square = cloth_square(way.x, way.y, way.z);
        float inside = fma(along, along, -(square * (old_square - distance * distance)));
        if (!(along < 0.0f && inside > 0.0f)) return none;
        float share = (-along - sqrt(inside)) / square;
        if (!(share < 1.0f)) return none;
        normal = hed_f4(fma(way.x, share, old_offset.x), fma(way.y, share, old_offset.y),
            fma(way.z, share, old_offset.z), 0.0f);
    }
    if (!(cloth_square(normal.x, normal.y, normal.z) > 0.0f))
        normal = offset_square > 0.0f ? offset : hed_f4(0.0f, side, 0.0f, 0.0f);
    normal = cloth_unit(normal);
    normal.w = distance - fma(normal.x, offset.x, fma(normal.y, offset.y, normal.z * offset.z));
    return normal;
}

/* Adds one contact to a particle's sums. `share`: fraction of the correction by inverse masses. */
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
    float square = cloth_square(x, y, z), limit = friction * stop;
    if (!(limit > 0.0f && square > 0.0f)) return;
    float part = weight * share * (square > limit * limit ? limit / sqrt(square) : 1.0f);
    sum->x = fma(-part, x, sum->x);
    sum->y = fma(-part, y, sum->y);
    sum->z = fma(-part, z, sum->z);
}

/* A particle of a slot. */
typedef struct cloth_self_ball {
    float4 at, before; /* two float4 of `sorted` */
    float4 rest, body;
} cloth_self_ball;

CLOTH_FUNCTION cloth_self_ball cloth_self_ball_at(uint slot, cloth_self_view view)
{
    cloth_self_ball entry;
    entry.at = view.sorted[2 * slot];
    entry.before = view.sorted[2 * slot + 1];
    entry.rest = view.rests[as_uint(entry.at.w)];
    entry.body = view.bodies[as_uint(entry.rest.w)];
    return entry;
}

/* Sets the k-th of 18 ranges of slots around a ball in cube `cell`: two for each of nine rows,
 * since a row may continue at bucket 0; else the second is empty. Returns the row. */
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

/* Sets the offsets of two balls at the substep's end and start. Returns a lower bound on the
 * square of their distance in between. */
CLOTH_FUNCTION float cloth_self_apart(
    cloth_self_ball entry, float4 other_at, float4 other_before, float4 *offset, float4 *old_offset)
{
    *offset =
        hed_f4(entry.at.x - other_at.x, entry.at.y - other_at.y, entry.at.z - other_at.z, 0.0f);
    *old_offset = hed_f4(entry.before.x - other_before.x, entry.before.y - other_before.y,
        entry.before.z - other_before.z, 0.0f);
    return hed_min(cloth_square(offset->x, offset->y, offset->z),
        fma(offset->x, old_offset->x, fma(offset->y, old_offset->y, offset->z * old_offset->z)));
}

/* True if the ball in slot `other` may touch in one of the passes. `row`: row of the search,
 * since a bucket has balls of other rows too. */
CLOTH_FUNCTION uint cloth_self_may_touch(
    cloth_self_ball entry, uint other_slot, uint row, cloth_self_view view, cloth_self self)
{
    float4 other_at = view.sorted[2 * other_slot], offset, old_offset;
    float nearest = cloth_self_apart(
              entry, other_at, view.sorted[2 * other_slot + 1], &offset, &old_offset),
          reach = CLOTH_SELF_REACH * self.widest;
    if (!(nearest < reach * reach) || as_uint(entry.at.w) == as_uint(other_at.w) ||
        view.rows[other_slot] != row)
        return 0;
    float4 other_rest = view.rests[as_uint(other_at.w)];
    float distance = CLOTH_SELF_REST * entry.body.x;
    return as_uint(other_rest.w) != as_uint(entry.rest.w) ||
           cloth_square(entry.rest.x - other_rest.x, entry.rest.y - other_rest.y,
               entry.rest.z - other_rest.z) >= distance * distance;
}

/* Stores the neighbours that may touch the ball in a slot: the k-th in neighbours[k * particles +
 * slot]; and their number, of which the first CLOTH_SELF_NEAR are stored. */
CLOTH_FUNCTION void cloth_self_near_one(uint slot, cloth_self_view view, __global uint *neighbours,
    __global uint *counts, cloth_self self)
{
    if (slot >= cloth_self_start(view.starts, view.totals, self.buckets)) return;
    cloth_self_ball entry = cloth_self_ball_at(slot, view);
    uint count = 0, begin, end;
    int cell[3];
    cloth_self_cell(entry.at, entry.before, self, cell);
    CLOTH_ROLLED
    for (int k = 0; k < 18 && entry.before.w > 0.0f; k++) {
        uint row = cloth_self_range(k, cell, view, self, &begin, &end);
        CLOTH_ROLLED
        for (uint other_slot = begin; other_slot < end; other_slot++) {
            if (!cloth_self_may_touch(entry, other_slot, row, view, self)) continue;
            if (count < CLOTH_SELF_NEAR) neighbours[count * self.particles + slot] = other_slot;
            count++;
        }
    }
    counts[slot] = count;
}

/* Adds the contact with the ball in slot `other`, if there is one. */
CLOTH_FUNCTION void cloth_self_pair(cloth_pushes *sum, cloth_self_ball entry, uint other_slot,
    cloth_self_view view, cloth_self self)
{
    float4 other_at = view.sorted[2 * other_slot], other_before = view.sorted[2 * other_slot + 1],
           offset, old_offset;
    if (!(cloth_self_apart(entry, other_at, other_before, &offset, &old_offset) <
            self.widest * self.widest))
        return;
    float4 other_body = view.bodies[as_uint(view.rests[as_uint(other_at.w)].w)];
    float distance = 0.5f * (entry.body.x + other_body.x);
    float4 way =
        hed_f4(offset.x - old_offset.x, offset.y - old_offset.y, offset.z - old_offset.z, 0.0f);
    float4 touch = cloth_self_touch(offset, old_offset, way, distance,
        as_uint(entry.at.w) < as_uint(other_at.w) ? 1.0f : -1.0f);
    if (!(touch.w > 0.0f)) return;
    cloth_self_gather(sum, touch, way, entry.before.w / (entry.before.w + other_before.w), distance,
        sqrt(entry.body.y * other_body.y));
}

/* Sums the contacts of a ball. If there are more neighbours than were stored, they are searched
 * again. */
CLOTH_FUNCTION cloth_pushes cloth_self_sum(uint slot, cloth_self_ball entry, cloth_self_view view,
    __global const uint *neighbours, uint count, cloth_self self)
{
    cloth_pushes sum = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    uint begin, end;
    int cell[3];
    if (count <= CLOTH_SELF_NEAR) {
        CLOTH_ROLLED
        for (uint k = 0; k < count; k++)
            cloth_self_pair(&sum, entry, neighbours[k * self.particles + slot], view, self);
        return sum;
    }
    cloth_self_cell(entry.at, entry.before, self, cell);
    CLOTH_ROLLED
    for (int k = 0; k < 18; k++) {
        uint row = cloth_self_range(k, cell, view, self, &begin, &end);
        CLOTH_ROLLED
        for (uint other_slot = begin; other_slot < end; other_slot++)
            if (cloth_self_may_touch(entry, other_slot, row, view, self))
                cloth_self_pair(&sum, entry, other_slot, view, self);
    }
    return sum;
}

/* Moves a ball by the mean of its contacts, then out of colliders into which the contacts may
 * have pushed it. The part of the push that was a velocity into a collider is lost; the rest of
 * the motion out of the collider causes no velocity. */
CLOTH_FUNCTION void cloth_self_move(
    cloth_self_ball *entry, cloth_pushes sum, cloth_self_target target, cloth_self self)
{
    float4 at = hed_f4(entry->at.x, entry->at.y, entry->at.z, entry->before.w);
    float x = sum.x / sum.weight, y = sum.y / sum.weight, z = sum.z / sum.weight;
    float ux = sum.ux / sum.weight, uy = sum.uy / sum.weight, uz = sum.uz / sum.weight;
    float4 pushed = hed_f4(at.x + x, at.y + y, at.z + z, at.w), moved = pushed;
    if (self.colliders > 0)
        moved = cloth_collide(moved, at, entry->body.x, 0.0f, hed_f4(0.0f, 0.0f, 0.0f, 0.0f),
            target.colliders, self.colliders, self.to, self.to);
    if (self.flags & CLOTH_STEP_CONTACTS) {
        uint particle = as_uint(entry->at.w);
        moved = cloth_touch_planes(moved, at, entry->body.x, 0.0f,
            target.contact + CLOTH_CONTACT_WORDS * particle, self.to, self.to);
    }
    float out_x = moved.x - pushed.x, out_y = moved.y - pushed.y, out_z = moved.z - pushed.z,
          square = cloth_square(out_x, out_y, out_z);
    float into = hed_max(-fma(x - ux, out_x, fma(y - uy, out_y, (z - uz) * out_z)), 0.0f);
    float fraction = square > into ? 1.0f - into / square : 0.0f;
    entry->at = hed_f4(moved.x, moved.y, moved.z, entry->at.w);
    entry->before.x += fma(fraction, out_x, ux);
    entry->before.y += fma(fraction, out_y, uy);
    entry->before.z += fma(fraction, out_z, uz);
}

/* Runs a pass for the particle of a slot against its neighbours in `view.sorted`. The last pass
 * writes the particles' positions. */
CLOTH_FUNCTION void cloth_self_push_one(uint slot, cloth_self_view view,
    __global const uint *neighbours, __global const uint *counts, cloth_self_target target,
    cloth_self self)
{
    if (slot >= cloth_self_start(view.starts, view.totals, self.buckets)) return;
    cloth_self_ball entry = cloth_self_ball_at(slot, view);
    uint particle = as_uint(entry.at.w), count = counts[slot];
    if (count > 0) {
        cloth_pushes sum = cloth_self_sum(slot, entry, view, neighbours, count, self);
        if (sum.weight > 0.0f) cloth_self_move(&entry, sum, target, self);
    }
    if (self.last == 0) {
        target.pushed[2 * slot] = entry.at;
        target.pushed[2 * slot + 1] = entry.before;
    } else if (entry.before.w > 0.0f) {
        target.position[particle] = hed_f4(entry.at.x, entry.at.y, entry.at.z, entry.before.w);
        target.previous[particle] =
            hed_f4(entry.before.x, entry.before.y, entry.before.z, entry.body.z);
    }
}

#endif
