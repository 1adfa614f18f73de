/* Substeps of cloth, any number in one launch: a group holds a patch of a garment, or a whole one,
 * in local memory.
 *
 * In front of a sweep over the constraints a patch is sent those particles of others that it needs
 * (ghosts), which go through 16-byte packets that carry the number of the exchange: the data are
 * their own flag, and no barrier between groups is needed. A patch redoes the constraints between
 * patches that its own particles depend on, so both sides compute the same bits and one exchange a
 * sweep is enough (plan/plan.h). Two buffers in turn suffice, because who is sent to is also
 * received from.
 *
 * The table of constraints is kept in registers, one constraint of an item in each of STEPS steps,
 * or (STEPS 0) streamed from global memory one step ahead. Streamed ones may be figures: four
 * particles in registers and the four or six constraints between them, in three matchings (plan.h),
 * which takes half the loads and stores of pairs.
 *
 * What a cloth does not have is not compiled: the defines below are what it has. */
#ifndef CLOTH_PATCH_TABLE_H
#include "patch_table.h"
#endif

/* ---- a particle's own part: integration before a sweep, surroundings after it ---- */

/* Previous positions of an item's first HELD particles. Their carries (physics.h) are in local
 * memory, for which registers have no room; those of the others are in global memory, as their
 * previous positions are. */
typedef struct patch_held {
    float x[HELD > 0 ? HELD : 1], y[HELD > 0 ? HELD : 1], z[HELD > 0 ? HELD : 1];
} patch_held;

/* Particle k of an item, within the patch. Registers have no numbers, so with HELD the loops over k
 * are unrolled. */
#define OWN_AT(k) ((k)*WG + item)
#if HELD
#define UNROLL_OWN _Pragma("unroll")
#else
#define UNROLL_OWN _Pragma("unroll 1")
#endif
#define EACH_OWN(k) UNROLL_OWN for (uint k = 0; k < OWN; k++) if (OWN_AT(k) < group.own_count)

CLOTH_FUNCTION float4 before_of(
    const patch_held *held, __global const float4 *previous, uint particle, uint k)
{
    if (k >= HELD) return previous[particle];
    return hed_f4(held->x[k], held->y[k], held->z[k], 0.0f);
}

/* The same for a k that is known at run time only. */
CLOTH_FUNCTION float4 any_before_of(
    const patch_held *held, __global const float4 *previous, uint particle, uint k)
{
    float4 before = hed_f4(held->x[0], held->y[0], held->z[0], 0.0f);
    if (k >= HELD) return previous[particle];
#pragma unroll
    for (uint j = 1; j < HELD; j++)
        if (j == k) before = hed_f4(held->x[j], held->y[j], held->z[j], 0.0f);
    return before;
}

CLOTH_FUNCTION void keep_before(
    patch_held *held, __global float4 *previous, uint particle, uint garment, uint k, float4 at)
{
    if (k >= HELD) {
        previous[particle] = hed_f4(at.x, at.y, at.z, (float)garment);
    } else {
        held->x[k] = at.x;
        held->y[k] = at.y;
        held->z[k] = at.z;
    }
}

/* Carry of particle k, which is `particle` of all. */
CLOTH_FUNCTION uint2 carry_of(
    __local const uint2 *carries, __global const uint2 *carry, uint particle, uint k, uint item)
{
    return k < HELD ? carries[OWN_AT(k)] : carry[particle];
}

CLOTH_FUNCTION void keep_carry(
    __local uint2 *carries, __global uint2 *carry, uint particle, uint k, uint item, uint2 now)
{
    if (k < HELD) carries[OWN_AT(k)] = now;
    else carry[particle] = now;
}

/* Where a locked particle is at `to` of the driver's way. */
CLOTH_FUNCTION float4 locked_at(uint particle, float4 at, __global const float4 *driver_from,
    __global const float4 *driver_to, __global const float4 *driver_map, float to)
{
#if DRIVER
    if (driver_map[particle].x == CLOTH_UNDRIVEN) return at;
    float4 target = cloth_between(driver_from[particle], driver_to[particle], to);
    return hed_f4(target.x, target.y, target.z, at.w);
#else
    (void)particle, (void)driver_from, (void)driver_to, (void)driver_map, (void)to;
    return at;
#endif
}

/* A particle's step without the constraints; `*before` becomes what was `at`, and `*carry` the new
 * one. */
CLOTH_FUNCTION float4 advance(uint i, uint particle, float4 at, float4 *before, uint2 *carry,
    cloth_cloth cloth, cloth_step step, __local const float4 *anchor_place,
    __global const uint2 *tethers, __global const float4 *air, __global const float4 *driver_from,
    __global const float4 *driver_to, __global const float4 *driver_map)
{
    float4 moved;
    if (at.w > 0.0f) {
        moved = cloth_integrate(
            at, *before, carry, AIR ? air[particle] : hed_f4(0.0f, 0.0f, 0.0f, 0.0f), cloth, step);
        *before = at;
#if TETHERS
        uint2 tether = tethers[i];
        if (tether.x != NOTHING)
            moved = cloth_tether(moved, anchor_place[tether.x], as_float(tether.y));
#endif
    } else {
        moved = locked_at(particle, at, driver_from, driver_to, driver_map, step.to);
        *before = moved;
    }
    (void)i, (void)anchor_place, (void)tethers, (void)air;
    return moved;
}

/* ---- simple colliders, made ready for a substep by the group's items ---- */

CLOTH_FUNCTION void pose(__local float4 *posed, __global const float4 *colliders, cloth_cloth cloth,
    cloth_step step, uint item)
{
    CLOTH_ROLLED
    for (uint c = item; c < step.colliders; c += WG) {
        cloth_posed made =
            cloth_pose(colliders + c * CLOTH_COLLIDER_WORDS, cloth.friction, step.from, step.to);
        __local float4 *to = posed + c * CLOTH_POSED_WORDS;
        to[0] = made.a0;
        to[1] = made.b0;
        to[2] = made.a1;
        to[3] = made.b1;
        to[4] = made.kind;
        to[5] = made.bounds;
    }
}

CLOTH_FUNCTION cloth_posed posed_at(__local const float4 *posed, uint c)
{
    __local const float4 *from = posed + c * CLOTH_POSED_WORDS;
    cloth_posed made;
    made.a0 = from[0];
    made.b0 = from[1];
    made.a1 = from[2];
    made.b1 = from[3];
    made.kind = from[4];
    made.bounds = from[5];
    return made;
}

/* What surrounds a particle, at an iteration's end. */
CLOTH_FUNCTION float4 surround(uint particle, float4 at, float4 before, cloth_cloth cloth,
    cloth_step step, uint last, __local const float4 *posed, __global const float4 *contact,
    __global const float4 *driver_from, __global const float4 *driver_to,
    __global const float4 *driver_map, __global uint2 *debug)
{
    uint acted = 0;
    if (at.w > 0.0f) {
#if COLLIDERS
        CLOTH_ROLLED
        for (uint c = 0; c < step.colliders; c++)
            at = cloth_collide_posed(at, before, cloth.thickness, posed_at(posed, c));
#endif
#if CONTACTS
        at = cloth_touch(at, before, cloth.thickness, cloth.friction, contact[2 * particle],
            contact[2 * particle + 1], step.from, step.to);
#endif
    }
#if DRIVER
    float4 start = at;
    if (at.w > 0.0f)
        at = cloth_drive(
            particle, at, driver_from, driver_to, driver_map, step.particles, step.to, &acted);
    if (last) {
        float way = sqrt(cloth_square(at.x - start.x, at.y - start.y, at.z - start.z));
        debug[particle] = hed_u2(cloth_colour(acted), as_uint(way));
    }
#endif
    (void)acted, (void)particle, (void)before, (void)cloth, (void)step, (void)last, (void)posed,
        (void)contact;
    (void)driver_from, (void)driver_to, (void)driver_map, (void)debug;
    return at;
}

/* ---- the exchange ---- */

/* The packets of others' particles that an item receives: places in one of the two buffers. */
typedef struct patch_ghosts {
    uint slot[GHOSTS];
} patch_ghosts;

CLOTH_FUNCTION void send(__global uint4 *to, float4 at, uint epoch)
{
    uint4 packet = hed_u4(as_uint(at.x), as_uint(at.y), as_uint(at.z), epoch);
#if EXCHANGE == BY_PACKETS
    hed_packet_put(to, packet);
#else
    *to = packet;
#endif
}

CLOTH_FUNCTION uint4 look(__global const uint4 *at)
{
#if EXCHANGE == BY_PACKETS
    return hed_packet_get(at);
#else
    return *at;
#endif
}

/* Waits for an item's ghosts. Past `patience` polls it goes on without them, says so in `flags`,
 * and waits for none any more. */
CLOTH_FUNCTION void receive(__local float4 *ghost_place, const patch_ghosts *ghosts,
    __global const uint4 *packets, uint buffer, uint epoch, uint item, uint *patience,
    __global uint *flags)
{
    uint4 packet[GHOSTS];
    uint missing, left = *patience;
    do {
        missing = 0;
#pragma unroll
        for (uint g = 0; g < GHOSTS; g++)
            if (ghosts->slot[g] != NOTHING) packet[g] = look(&packets[buffer + ghosts->slot[g]]);
#pragma unroll
        for (uint g = 0; g < GHOSTS; g++)
            if (ghosts->slot[g] != NOTHING) missing |= packet[g].w ^ epoch;
    } while (EXCHANGE == BY_PACKETS && missing && left-- > 0);
    if (missing) {
        *patience = 0;
        flags[1] = 1;
    }
#pragma unroll
    for (uint g = 0; g < GHOSTS; g++)
        if (ghosts->slot[g] != NOTHING) {
            __local float4 *place = ghost_place + g * WG + item;
            *place = hed_f4(
                as_float(packet[g].x), as_float(packet[g].y), as_float(packet[g].z), place->w);
        }
}

/* ---- the kernel ---- */

/* Substep `substep` of those that are asked for. */
CLOTH_FUNCTION cloth_step step_of(cloth_step first, cloth_step rest, float dt, uint substep)
{
    cloth_step step = first;
    if (substep > 0) {
        float more = (float)(substep - 1), way = more * (rest.to - rest.from);
        step = rest;
        step.from += way;
        step.to += way;
        step.time += more * dt;
    }
    step.flags = AIR ? CLOTH_STEP_AIR : 0u;
    if (!SHORT_MOVES) step.longest_move = INFINITY;
    return step;
}

/* Where a patch's anchors are at `to` of the driver's way. */
CLOTH_FUNCTION void place_anchors(__local float4 *anchor_place, patch_group group,
    __global const uint *anchors, __global const float4 *position,
    __global const float4 *driver_from, __global const float4 *driver_to,
    __global const float4 *driver_map, float to, uint item)
{
    for (uint k = item; k < group.anchor_count; k += WG) {
        uint particle = group.first + anchors[group.anchor_at + k];
        anchor_place[k] =
            locked_at(particle, position[particle], driver_from, driver_to, driver_map, to);
    }
}

/* Up to the sending: own particles go on without constraints, in the first iteration of a substep,
 * and the rim's are sent. */
CLOTH_FUNCTION void begin_sweep(__local float4 *place, patch_held *held, __local uint2 *carries,
    patch_group group, cloth_cloth cloth, cloth_step step, uint iteration,
    __global float4 *previous, __global uint2 *carry, __global const uint *own,
    __global const uint2 *tethers, __global const float4 *air, __global const float4 *driver_from,
    __global const float4 *driver_to, __global const float4 *driver_map, __global uint4 *packets,
    uint buffer, uint epoch, uint item)
{
    __local const float4 *anchor_place = place + group.own_count + group.ghost_count;
    UNROLL_OWN for (uint batch = 0; batch < OWN; batch += BATCH)
    {
        float4 at[BATCH], before[BATCH]; /* loads first, for they could not pass the stores */
        uint2 carried[BATCH];
        uint particle[BATCH];
#pragma unroll
        for (uint k = 0; k < BATCH; k++) {
            uint i = OWN_AT(batch + k);
            if (batch + k >= OWN || i >= group.own_count) continue;
            at[k] = place[i];
            particle[k] = NEEDS_PARTICLE ? group.first + own[group.own_at + i] : 0;
            if (iteration > 0) continue;
            before[k] = before_of(held, previous, particle[k], batch + k);
            carried[k] = carry_of(carries, carry, particle[k], batch + k, item);
        }
#pragma unroll
        for (uint k = 0; k < BATCH; k++) {
            uint i = OWN_AT(batch + k), to = buffer + group.send_at + i;
            if (batch + k >= OWN || i >= group.own_count) continue;
            if (iteration == 0) {
                at[k] = advance(group.own_at + i, particle[k], at[k], &before[k], &carried[k],
                    cloth, step, anchor_place, tethers, air, driver_from, driver_to, driver_map);
                keep_before(held, previous, particle[k], group.garment, batch + k, before[k]);
                keep_carry(carries, carry, particle[k], batch + k, item, carried[k]);
                place[i] = at[k];
            }
            if (EXCHANGE && i < group.send_count) send(&packets[to], at[k], epoch);
        }
    }
}

/* What streaming needs registers for is read again where it is used. */
#if STEPS
#define RELOAD
#else
#define RELOAD \
    group = group_at(groups, index); \
    cloth = cloth_garment_at(garments, group.garment);
#endif

/* Every argument beyond the launch's own is described in solver/solver.h (cloth_buffers) or
 * kernels/kernels.h (tables). Substeps are as `first`, then like `rest`, going on by `dt`. Halves
 * [span.begin, span.end) of exchanges are made: one up to the sending, one from the receiving on. A
 * launch makes all of them, or with BY_LAUNCHES those from behind one sending to behind the
 * next. */
__kernel void cloth_patch(__global float4 *position, __global float4 *previous,
    __global uint2 *carry, __global const float4 *garments, __global const uint4 *groups,
    __global const uint *own, __global const uint2 *tethers, __global const uint *anchors,
    __global const uint2 *ghost_list, __global const uint *step_list, __global const uint2 *pairs,
    __global const uint4 *figures, __global const float4 *shape_list,
    __global const float4 *limit_list, __global uint4 *packets, __global const float4 *air,
    __global const float4 *driver_from, __global const float4 *driver_to,
    __global const float4 *driver_map, __global uint2 *debug, __global const float4 *colliders,
    __global const float4 *contact, __global uint *flags, cloth_step first, cloth_step rest,
    float dt, patch_span span, HED_LOCAL(float4, place), HED_LOCAL(float4, palette),
    HED_LOCAL(uint, steps), HED_LOCAL(uint2, carries))
{
    HED_LOCAL_USE(float4, place);
    HED_LOCAL_USE(float4, palette);
    HED_LOCAL_USE(uint, steps);
    HED_LOCAL_USE(uint2, carries);
    uint item = (uint)get_local_id(0), index = (uint)get_group_id(0),
         slots = (uint)get_num_groups(0);
    patch_group group = group_at(groups, index);
    cloth_cloth cloth = cloth_garment_at(garments, group.garment);
    __local float4 *anchor_place = place + group.own_count + group.ghost_count,
                   *posed = palette + 16, *shapes = posed + COLLIDERS * CLOTH_POSED_WORDS;
    patch_held held;
    patch_ghosts ghosts;
    patch_table table;
    uint epoch = EXCHANGE ? packets[index].x : 0, patience = PATIENCE;

    /* Particles and palettes into the group. */
    for (uint k = item; k < group.pair_steps + group.figure_steps + 3; k += WG)
        steps[k] = step_list[group.step_at + k];
    for (uint k = item; LIMITED && k < 16; k += WG) {
        float4 limit = limit_list[16 * group.garment + k];
        palette[k] = hed_f4(limit.x, limit.y, limit.z * first.stiffness, 0.0f);
    }
    for (uint k = item; FIGURES && k < group.shape_count; k += WG)
        shapes[k] = shape_list[group.shape_at + k];
    EACH_OWN(k)
    {
        uint particle = group.first + own[group.own_at + OWN_AT(k)];
        /* all loads first, as above */
        float4 at = position[particle], before = k < HELD ? previous[particle] : at;
        uint2 carried = k < HELD ? carry[particle] : hed_u2(0u, 0u);
        place[OWN_AT(k)] = at;
        if (k >= HELD) continue;
        keep_before(&held, previous, particle, group.garment, k, before);
        keep_carry(carries, carry, particle, k, item, carried);
    }
#pragma unroll
    for (uint g = 0; g < GHOSTS; g++) {
        ghosts.slot[g] = NOTHING;
        if (EXCHANGE && g * WG + item < group.ghost_count) {
            uint2 ghost = ghost_list[group.ghost_at + g * WG + item];
            ghosts.slot[g] = group.slot_at + ghost.y;
            /* its inverse mass stays */
            place[group.own_count + g * WG + item] = position[group.first + ghost.x];
        }
    }
    cloth_step step = step_of(first, rest, dt, (span.begin + 1) / 2 / ITERATIONS);
    if (TETHERS)
        place_anchors(anchor_place, group, anchors, position, driver_from, driver_to, driver_map,
            step.to, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    load_table(&table, place, palette, pairs, figures, steps, group, item);
    /* it has read masses of places that are now written whole */
    if (SHARES) barrier(CLK_LOCAL_MEM_FENCE);

    for (uint exchange = span.begin / 2; 2 * exchange < span.end; exchange++) {
        uint iteration = exchange % ITERATIONS;
        step = step_of(first, rest, dt, exchange / ITERATIONS);
        RELOAD
        if (EXCHANGE != BY_LAUNCHES || 2 * exchange >= span.begin) {
            epoch++;
            begin_sweep(place, &held, carries, group, cloth, step, iteration, previous, carry, own,
                tethers, air, driver_from, driver_to, driver_map, packets,
                slots + (epoch & 1u) * span.slot_count, epoch, item);
        }
        if (EXCHANGE == BY_LAUNCHES && 2 * exchange + 1 >= span.end) break;
#if EARLY
        sweep_early(place, palette, &table);
#endif
        if (EXCHANGE)
            receive(place + group.own_count, &ghosts, packets,
                slots + (epoch & 1u) * span.slot_count, epoch, item, &patience, flags);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (COLLIDERS) pose(posed, colliders, cloth, step, item);
        if (TETHERS && DRIVER) /* for the next substep: nobody reads them in a sweep */
            place_anchors(anchor_place, group, anchors, position, driver_from, driver_to,
                driver_map, step_of(first, rest, dt, (exchange + 1) / ITERATIONS).to, item);
#if COLLIDERS || (TETHERS && DRIVER)
        if (!SWEEP_WAITS) barrier(CLK_LOCAL_MEM_FENCE);
#endif
        sweep(place, palette, shapes, steps, pairs, figures, group, &table, item);
        if (SURROUNDED) {
            RELOAD
            /* Not unrolled: so much code, several times over, would not fit the instruction
             * cache. */
            CLOTH_ROLLED
            for (uint k = 0; k < OWN && OWN_AT(k) < group.own_count; k++) {
                uint particle = group.first + own[group.own_at + OWN_AT(k)];
                place[OWN_AT(k)] = surround(particle, place[OWN_AT(k)],
                    any_before_of(&held, previous, particle, k), cloth, step,
                    exchange + 1 == span.total, posed, contact, driver_from, driver_to, driver_map,
                    debug);
            }
        }
    }

    RELOAD
    EACH_OWN(k)
    {
        uint particle = group.first + own[group.own_at + OWN_AT(k)];
        float4 at = place[OWN_AT(k)];
        if (!DRIVER && at.w == 0.0f) continue; /* others may be reading where it is */
        position[particle] = at;
        if (k >= HELD) continue;
        previous[particle] = hed_f4(held.x[k], held.y[k], held.z[k], (float)group.garment);
        carry[particle] = carry_of(carries, carry, particle, k, item);
    }
    if (EXCHANGE && item == 0) packets[index].x = epoch;
}
