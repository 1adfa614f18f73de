/* Kernel of any number of substeps of cloth: a group has a patch of a garment, or a whole garment,
 * in local memory.
 *
 * Before a sweep over the constraints a patch receives the particles that it needs of other patches
 * (ghosts) in 16-byte packets with the number of the exchange: a packet is its own flag, and groups
 * need no barrier between them. A patch repeats the constraints between patches on which its own
 * particles depend, so both patches compute the same bits and one exchange for each sweep is enough
 * (tables/cloth_plan.h). Two alternating buffers suffice, because a patch receives from every patch to
 * which it sends.
 *
 * The table of constraints is in registers, one constraint of an item in each of STEPS steps, or
 * (STEPS 0) streamed from global memory one step ahead. Streamed constraints may be figures: four
 * particles in registers and the four or six constraints between them, in three matchings
 * (tables/cloth_plan.h), with half the loads and stores of pairs.
 *
 * The defines of patch_table.h select the features of a cloth; other features are not compiled. */
#ifndef CLOTH_PATCH_TABLE_H
#include "patch_table.h"
#endif

/* ---- work on single particles: integration before a sweep, surroundings after the sweep ---- */

/* Previous positions of an item's first HELD particles. The carries (physics.h) of these particles
 * are in local memory, because registers are full. Previous positions and carries of the other
 * particles are in global memory. */
typedef struct patch_held {
    float x[HELD > 0 ? HELD : 1], y[HELD > 0 ? HELD : 1], z[HELD > 0 ? HELD : 1];
    uint
        overstretched; /* bit k: mark of particle k (collide.h); no substep of the launch sets it */
} patch_held;

/* Position in the patch of an item's particle k. Registers cannot be indexed at run time, so with
 * HELD the loops over k are unrolled. */
#define OWN_AT(k) ((k)*WG + view->item)
#if HELD
#define UNROLL_OWN _Pragma("unroll")
#else
#define UNROLL_OWN _Pragma("unroll 1")
#endif
#define EACH_OWN(k) UNROLL_OWN for (uint k = 0; k < OWN; k++) if (OWN_AT(k) < view->group.own_count)

/* Mark of particle k of the item: 0 or CLOTH_OVERSTRETCHED. Only colliders read it. */
CLOTH_FUNCTION float mark_of(const patch_held *held, uint k)
{
    return COLLIDERS && ((held->overstretched >> k) & 1u) ? CLOTH_OVERSTRETCHED : 0.0f;
}

/* Previous position of particle k; w: its garment with its mark, or its mark alone with HELD. */
CLOTH_FUNCTION float4 before_of(
    const patch_view *view, const patch_held *held, uint particle, uint k)
{
    if (k >= HELD) return view->previous[particle];
    return hed_f4(held->x[k], held->y[k], held->z[k], mark_of(held, k));
}

/* Previous position of particle k, for a k that is known at run time only. */
CLOTH_FUNCTION float4 any_before_of(
    const patch_view *view, const patch_held *held, uint particle, uint k)
{
    float4 before = hed_f4(held->x[0], held->y[0], held->z[0], 0.0f);
    if (k >= HELD) return view->previous[particle];
#pragma unroll
    for (uint j = 1; j < HELD; j++)
        if (j == k) before = hed_f4(held->x[j], held->y[j], held->z[j], 0.0f);
    before.w = mark_of(held, k);
    return before;
}

CLOTH_FUNCTION void keep_before(
    const patch_view *view, patch_held *held, uint particle, uint k, float4 at)
{
    if (k >= HELD) {
        view->previous[particle] = at;
    } else {
        held->x[k] = at.x;
        held->y[k] = at.y;
        held->z[k] = at.z;
    }
}

/* Carry of the item's particle k. `particle`: its number in the cloth. */
CLOTH_FUNCTION uint2 carry_of(const patch_view *view, uint particle, uint k)
{
    return k < HELD ? view->carries[OWN_AT(k)] : view->carry[particle];
}

CLOTH_FUNCTION void keep_carry(const patch_view *view, uint particle, uint k, uint2 value)
{
    if (k < HELD) view->carries[OWN_AT(k)] = value;
    else view->carry[particle] = value;
}

/* Number in the cloth of the patch's own particle i. */
CLOTH_FUNCTION uint particle_at(const patch_view *view, uint i)
{
    return view->group.first + view->word[view->group.own_at + i];
}

/* Position of a locked particle at fraction `to` of the driver's motion. */
CLOTH_FUNCTION float4 locked_at(const patch_view *view, uint particle, float4 at, float to)
{
    if (!DRIVER || view->driver_map[particle].x == CLOTH_UNDRIVEN) return at;
    float4 target = cloth_between(view->driver_from[particle], view->driver_to[particle], to);
    return hed_f4(target.x, target.y, target.z, at.w);
}

/* Integrates own particle i, number `particle` in the cloth, and applies its tether. `*before`
 * becomes the previous position and keeps its w, `*carry` the new carry. */
CLOTH_FUNCTION float4 advance(
    const patch_view *view, uint i, uint particle, float4 at, float4 *before, uint2 *carry)
{
    float4 moved;
    float garment = before->w;
    if (at.w > 0.0f) {
#if FIELD
        cloth_step step = cloth_blown(particle, view->air, view->step);
#else
        cloth_step step = view->step;
#endif
        moved = cloth_integrate(at, before, carry,
            AIR ? view->air[particle] : hed_f4(0.0f, 0.0f, 0.0f, 0.0f), view->cloth, step);
        if (TETHERS) {
            uint2 tether = view->word2[view->tether_at + view->group.own_at + i];
            if (tether.x != NOTHING)
                moved = cloth_tether(moved, anchor_places(view)[tether.x], as_float(tether.y));
        }
    } else {
        moved = locked_at(view, particle, at, view->step.to);
        *before = moved;
    }
    before->w = garment;
    return moved;
}

/* ---- simple colliders, posed for a substep by the group's items ---- */

CLOTH_FUNCTION void pose(const patch_view *view)
{
    CLOTH_ROLLED
    for (uint c = view->item; c < view->step.colliders; c += WG) {
        cloth_posed posed = cloth_pose(view->colliders + c * CLOTH_COLLIDER_WORDS,
            cloth_origin_at(view->garments, view->group.garment), view->cloth.friction,
            view->step.from, view->step.to);
        __local float4 *to = posed_colliders(view) + c * CLOTH_POSED_WORDS;
        to[0] = posed.a0;
        to[1] = posed.b0;
        to[2] = posed.a1;
        to[3] = posed.b1;
        to[4] = posed.kind;
        to[5] = posed.bounds;
    }
}

CLOTH_FUNCTION cloth_posed posed_at(const patch_view *view, uint c)
{
    __local const float4 *from = posed_colliders(view) + c * CLOTH_POSED_WORDS;
    cloth_posed posed;
    posed.a0 = from[0];
    posed.b0 = from[1];
    posed.a1 = from[2];
    posed.b1 = from[3];
    posed.kind = from[4];
    posed.bounds = from[5];
    return posed;
}

/* Applies colliders, contact planes and, with `drives`, the driver to a particle at an iteration's
 * end. `last`: the iteration is the last of all requested substeps. */
CLOTH_FUNCTION float4 surround(
    const patch_view *view, uint particle, float4 at, float4 before, uint drives, uint last)
{
    cloth_cloth cloth = view->cloth;
    uint acted = 0;
    if (at.w > 0.0f) {
        if (COLLIDERS) {
            CLOTH_ROLLED
            for (uint c = 0; c < view->step.colliders; c++)
                at = cloth_collide_posed(at, before, cloth.thickness, posed_at(view, c));
        }
        if (CONTACTS)
            at = cloth_touch_planes(at, before, cloth.thickness, cloth.friction,
                view->contact + CLOTH_CONTACT_WORDS * particle, view->step.from, view->step.to);
    }
    if (DRIVER && drives) {
        float4 start = at;
        if (at.w > 0.0f)
            at = cloth_drive(particle, at, view->driver_from, view->driver_to, view->driver_map,
                view->step.particles, view->step.to, &acted);
        if (last) {
            float way = sqrt(cloth_square(at.x - start.x, at.y - start.y, at.z - start.z));
            view->debug[particle] = hed_u2(cloth_colour(acted), as_uint(way));
        }
    }
    return at;
}

/* ---- the exchange ---- */

/* Ghosts that an item receives: indices of their packets in a buffer; NOTHING: no ghost. */
typedef struct patch_ghosts {
    uint slot[GHOSTS];
} patch_ghosts;

/* First packet of this exchange's buffer; before the two buffers there is a number for each
 * group. */
CLOTH_FUNCTION uint packet_buffer(const patch_view *view, uint epoch)
{
    return (uint)get_num_groups(0) + (epoch & 1u) * view->slot_count;
}

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

/* Waits for an item's ghosts. After `patience` polls the item continues without the ghosts, sets
 * flags[1], and does not wait in later exchanges. */
CLOTH_FUNCTION void receive(
    const patch_view *view, const patch_ghosts *ghosts, uint epoch, uint *patience)
{
    uint4 packet[GHOSTS];
    uint missing, left = *patience, buffer = packet_buffer(view, epoch);
    do {
        missing = 0;
#pragma unroll
        for (uint g = 0; g < GHOSTS; g++)
            if (ghosts->slot[g] != NOTHING)
                packet[g] = look(&view->packets[buffer + ghosts->slot[g]]);
#pragma unroll
        for (uint g = 0; g < GHOSTS; g++)
            if (ghosts->slot[g] != NOTHING) missing |= packet[g].w ^ epoch;
    } while (EXCHANGE == BY_PACKETS && missing && left-- > 0);
    if (missing) {
        *patience = 0;
        view->flags[1] = 1;
    }
#pragma unroll
    for (uint g = 0; g < GHOSTS; g++)
        if (ghosts->slot[g] != NOTHING) {
            __local float4 *place = view->place + view->group.own_count + g * WG + view->item;
            *place = hed_f4(
                as_float(packet[g].x), as_float(packet[g].y), as_float(packet[g].z), place->w);
        }
}

/* ---- the kernel ---- */

/* Parameters of a requested substep. */
CLOTH_FUNCTION cloth_step step_of(cloth_patch_launch launch, uint substep)
{
    cloth_step step = launch.first;
    if (substep > 0) step = cloth_step_after(launch.rest, substep - 1u, launch.dt);
    step.flags = (AIR ? CLOTH_STEP_AIR : 0u) | (FIELD ? CLOTH_STEP_FIELD : 0u);
    if (!SHORT_MOVES) step.longest_move = INFINITY;
    return step;
}

/* Stores the positions of a patch's anchors at fraction `to` of the driver's motion. */
CLOTH_FUNCTION void place_anchors(const patch_view *view, float to)
{
    for (uint k = view->item; k < view->group.anchor_count; k += WG) {
        uint particle = view->group.first + view->word[view->group.anchor_at + k];
        anchor_places(view)[k] = locked_at(view, particle, view->position[particle], to);
    }
}

/* First half of an exchange: integrates own particles in the first iteration of a substep, and
 * sends the particles of the boundary. */
CLOTH_FUNCTION void begin_sweep(
    const patch_view *view, patch_held *held, uint iteration, uint epoch)
{
    uint buffer = packet_buffer(view, epoch);
    UNROLL_OWN for (uint batch = 0; batch < OWN; batch += BATCH)
    {
        float4 at[BATCH], before[BATCH]; /* loads first: they cannot overtake stores */
        uint2 carried[BATCH];
        uint particle[BATCH];
#pragma unroll
        for (uint k = 0; k < BATCH; k++) {
            uint i = OWN_AT(batch + k);
            if (batch + k >= OWN || i >= view->group.own_count) continue;
            at[k] = view->place[i];
            particle[k] = NEEDS_PARTICLE ? particle_at(view, i) : 0;
            if (iteration > 0) continue;
            before[k] = before_of(view, held, particle[k], batch + k);
            carried[k] = carry_of(view, particle[k], batch + k);
        }
#pragma unroll
        for (uint k = 0; k < BATCH; k++) {
            uint i = OWN_AT(batch + k), to = buffer + view->group.send_at + i;
            if (batch + k >= OWN || i >= view->group.own_count) continue;
            if (iteration == 0) {
                at[k] = advance(view, i, particle[k], at[k], &before[k], &carried[k]);
                keep_before(view, held, particle[k], batch + k, before[k]);
                keep_carry(view, particle[k], batch + k, carried[k]);
                view->place[i] = at[k];
            }
            if (EXCHANGE && i < view->group.send_count) send(&view->packets[to], at[k], epoch);
        }
    }
}

/* ---- bending constraints, cells and elements of fabrics ---- */

#if FABRIC
/* Solves a bending constraint, or a cell, whose words are all above 0. */
CLOTH_FUNCTION void bend(const patch_view *view, patch_fabric fabric, uint k)
{
    uint4 at = view->word4[fabric.at + k], words = view->word4[fabric.at + fabric.count + k];
    __local float4 *place = view->place;
    float stiffness = view->step.stiffness * (float)FABRIC_SWEEPS;
    float4 pulled = hed_f4(0.0f, 0.0f, 0.0f, 0.0f), a = place[at.x], b = place[at.y],
           c = place[at.z], d = place[at.w],
           of = hed_f4(as_float(words.x), as_float(words.y), as_float(words.z), as_float(words.w));
    if (of.x > 0.0f && of.y > 0.0f && of.z > 0.0f && of.w > 0.0f)
        cloth_project_cell(
            &a, &b, &c, &d, of, stiffness, FABRIC_SWEEPS > 1u ? CLOTH_CELL_OVER : 0.0f, &pulled);
    else cloth_unbend(&a, &b, &c, &d, of, stiffness, &pulled);
    /* first: if it is the same particle as another, the other's value counts */
    store_free(&place[at.x], a);
    store_free(&place[at.y], b);
    store_free(&place[at.z], c);
    store_free(&place[at.w], d);
}

CLOTH_FUNCTION void move_as(__local float4 *to, float4 moved, float4 origin)
{
    store_free(to, cloth_moved(*to, moved, origin));
}

CLOTH_FUNCTION void strain(const patch_view *view, patch_fabric fabric, uint k)
{
    __global const uint4 *rows = view->word4 + fabric.at + k;
    uint4 at = rows[0];
    cloth_element_rows of = {rows[fabric.count], rows[2 * fabric.count], rows[3 * fabric.count],
        rows[4 * fabric.count], rows[5 * fabric.count], rows[6 * fabric.count],
        rows[7 * fabric.count]};
    __local float4 *place = view->place;
    float4 origin = place[at.w], zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f),
           a = cloth_from(origin, origin), b = cloth_from(place[of.r1.x], origin),
           c = cloth_from(place[of.r1.y], origin), p = cloth_from(place[at.x], origin),
           q = cloth_from(place[at.y], origin), r = cloth_from(place[at.z], origin);
    cloth_element_pull pulled = {zero, zero, zero};
    cloth_project_element(&a, &b, &c, &p, &q, &r, of, view->step.stiffness, &pulled);
    move_as(&place[at.x], p, origin);
    move_as(&place[at.y], q, origin);
    move_as(&place[at.z], r, origin);
    move_as(&place[at.w], a, origin);
    move_as(&place[of.r1.x], b, origin);
    move_as(&place[of.r1.y], c, origin);
}

/* Solves steps [from, to) of bending constraints and cells, or of elements. */
CLOTH_FUNCTION void sweep_fabric(const patch_view *view, patch_fabric fabric, uint from, uint to)
{
    CLOTH_ROLLED
    for (uint s = from; s < to; s++) {
        uint end = view->word[fabric.step_at + s + 1];
        CLOTH_ROLLED
        for (uint k = view->word[fabric.step_at + s] + view->item; k < end; k += WG)
            if (fabric.elements) strain(view, fabric, k);
            else bend(view, fabric, k);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* Solves the constraints between patches, fabric before pairs, then the constraints inside the
 * patch in the same order; bending constraints and cells in FABRIC_SWEEPS sweeps. */
CLOTH_FUNCTION void sweep_with_fabric(const patch_view *view, patch_table *table)
{
    CLOTH_ROLLED
    for (uint inside = EXCHANGE ? 0u : 1u; inside < 2u; inside++) {
        patch_fabric fabric = fabric_at(view->word4, (uint)get_group_id(0));
        CLOTH_ROLLED
        for (uint k = 0; k < (fabric.elements ? 1u : FABRIC_SWEEPS); k++)
            sweep_fabric(
                view, fabric, inside ? fabric.middle : 0u, inside ? fabric.steps : fabric.middle);
        sweep_steps(view, table, inside ? fabric.pair_middle : 0u,
            inside ? view->group.pair_steps + view->group.figure_steps : fabric.pair_middle);
    }
}
#endif

/* Applies the surroundings to the item's own particles. */
CLOTH_FUNCTION void surround_own(
    const patch_view *view, const patch_held *held, uint drives, uint last)
{
    /* not unrolled: several copies of this code do not fit the instruction cache */
    CLOTH_ROLLED
    for (uint k = 0; k < OWN && OWN_AT(k) < view->group.own_count; k++) {
        uint particle = particle_at(view, OWN_AT(k));
        view->place[OWN_AT(k)] = surround(view, particle, view->place[OWN_AT(k)],
            any_before_of(view, held, particle, k), drives, last);
    }
}

/* ---- tension over the whole garment of the group ---- */

#if LATTICES
/* Arrays of tension: views of chain.h. */
typedef struct patch_tension {
    __global const uint4 *tasks; /* tasks of the group */
    cloth_places_view places;
    cloth_shares_view shares;
    cloth_chains_view chains;
    uint gives;
} patch_tension;

/* Does item i of a task. `turns`: of CLOTH_CHAINS. */
CLOTH_FUNCTION void do_task(const patch_view *view, const patch_tension *tension,
    const patch_held *memory, uint4 task, uint turns, uint i)
{
    uint at = task.y + i, kind = task.x & ~(CLOTH_TASK_OF_PLACES | CLOTH_TASK_STRAIGHT);
    __global float4 *points =
        task.x & CLOTH_TASK_OF_PLACES ? tension->places.places : view->position;
    if (kind == CLOTH_TASK_PUBLISH) {
        uint particle = particle_at(view, i), k = (i - view->item) / WG;
        view->position[particle] = view->place[i];
        if (turns && k < HELD && view->place[i].w > 0.0f)
            view->previous[particle] = any_before_of(view, memory, particle, k);
    } else if (kind == CLOTH_TASK_TAKE) {
        view->place[i] = view->position[particle_at(view, i)];
    } else if (kind == CLOTH_TASK_SAMPLE) {
        cloth_places_view places = tension->places;
        places.turns = turns;
        places.recall = view->step.recall;
        cloth_place_one(at, places);
    } else if (kind == CLOTH_TASK_FOLLOW) {
        cloth_shares_view shares = tension->shares;
        shares.points = points;
        cloth_share_one(at, shares);
    } else {
        cloth_chains_view chains = tension->chains;
        chains.points = points;
        chains.turns = task.x & CLOTH_TASK_STRAIGHT ? 0u : turns;
        chains.pass = tension->gives || task.w >= CLOTH_LIMIT_PASS ? task.w : 0u;
        cloth_chain_solve(cloth_chain_of(chains.chains, at), chains, view->step.stiffness);
    }
}

/* Does tasks [from, to) of the group, one after the other. The positions of particles are in global
 * memory meanwhile. */
CLOTH_FUNCTION void do_tasks(const patch_view *view, const patch_tension *tension,
    const patch_held *memory, uint turns, uint from, uint to)
{
    CLOTH_ROLLED
    for (uint k = from; k < to; k++) {
        uint4 task = tension->tasks[k];
        CLOTH_ROLLED
        for (uint i = view->item; i < task.z; i += WG)
            do_task(view, tension, memory, task, turns, i);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}
#endif

/* Loads the group and its garment. With streaming they are loaded again before each use, because
 * the registers are needed for constraints. */
CLOTH_FUNCTION void load_group(patch_view *view)
{
    view->group = group_at(view->word4, (uint)get_group_id(0));
    view->cloth = cloth_garment_at(view->garments, view->group.garment);
}

/* Copies the numbers of the steps, the limits and the shapes to local memory. */
CLOTH_FUNCTION void load_steps(const patch_view *view, uint limit_at, float stiffness)
{
    for (uint k = view->item; k < view->group.pair_steps + view->group.figure_steps + 3; k += WG)
        view->steps[k] = view->word[view->group.step_at + k];
    for (uint k = view->item; LIMITED && k < 16; k += WG) {
        uint4 limit = view->word4[limit_at + 16 * view->group.garment + k];
        view->palette[k] =
            hed_f4(as_float(limit.x), as_float(limit.y), as_float(limit.z) * stiffness, 0.0f);
    }
    for (uint k = view->item; FIGURES && k < view->group.shape_count; k += WG)
        view->shapes[k] = ((__global const float4 *)view->word4)[view->group.shape_at + k];
}

/* Copies own particles to local memory, and the previous positions and carries of the first HELD of
 * an item to `held` and `carries`. */
CLOTH_FUNCTION void load_own(const patch_view *view, patch_held *held)
{
    held->overstretched = 0;
    EACH_OWN(k)
    {
        uint particle = particle_at(view, OWN_AT(k));
        /* loads first, as in begin_sweep() */
        float4 at = view->position[particle], before = k < HELD ? view->previous[particle] : at;
        uint2 carried = k < HELD ? view->carry[particle] : hed_u2(0u, 0u);
        view->place[OWN_AT(k)] = at;
        if (k >= HELD) continue;
        if (COLLIDERS && cloth_is_overstretched(before.w)) held->overstretched |= 1u << k;
        keep_before(view, held, particle, k, before);
        keep_carry(view, particle, k, carried);
    }
}

/* Copies ghosts to local memory, for their inverse masses: receive() replaces x y z. */
CLOTH_FUNCTION void load_ghosts(const patch_view *view, patch_ghosts *ghosts)
{
#pragma unroll
    for (uint g = 0; g < GHOSTS; g++) {
        ghosts->slot[g] = NOTHING;
        if (EXCHANGE && g * WG + view->item < view->group.ghost_count) {
            uint2 ghost = view->word2[view->group.ghost_at + g * WG + view->item];
            ghosts->slot[g] = view->group.slot_at + ghost.y;
            view->place[view->group.own_count + g * WG + view->item] =
                view->position[view->group.first + ghost.x];
        }
    }
}

/* Poses the colliders and, at fraction `next` of the driver's motion, the anchors of the next
 * substep: a sweep does not read them. */
CLOTH_FUNCTION void prepare_surroundings(const patch_view *view, float next)
{
    if (COLLIDERS) pose(view);
    if (TETHERS && DRIVER) place_anchors(view, next);
    if ((COLLIDERS | (TETHERS && DRIVER)) && !SWEEP_WAITS) barrier(CLK_LOCAL_MEM_FENCE);
}

/* Stores own particles in global memory. */
CLOTH_FUNCTION void store_own(const patch_view *view, const patch_held *held)
{
    EACH_OWN(k)
    {
        uint particle = particle_at(view, OWN_AT(k));
        float4 at = view->place[OWN_AT(k)];
        if (!DRIVER && at.w == 0.0f) continue; /* other groups may be reading its position */
        view->position[particle] = at;
        if (k >= HELD) continue;
        view->previous[particle] = hed_f4(
            held->x[k], held->y[k], held->z[k], (float)view->group.garment + mark_of(held, k));
        view->carry[particle] = carry_of(view, particle, k);
    }
}

/* Runs the halves of exchanges of a launch. Buffers: object/cloth_object.h (cloth_buffers);
 * patch_arguments.h. */
__kernel void cloth_patch(HED_VIEW_PARAMETERS(CLOTH_PATCH))
{
    HED_LOCAL_USE(float4, place);
    HED_LOCAL_USE(float4, palette);
    HED_LOCAL_USE(uint, steps);
    HED_LOCAL_USE(uint2, carries);
    patch_view all, *view = &all;
    all.position = position, all.previous = previous, all.carry = carry;
    all.garments = garments, all.packets = packets, all.air = air;
    all.word = (__global const uint *)tables, all.word2 = (__global const uint2 *)tables;
    all.word4 = tables;
    all.driver_from = driver_from, all.driver_to = driver_to, all.driver_map = driver_map;
    all.debug = debug, all.colliders = colliders, all.contact = contact, all.flags = flags;
    all.place = place, all.palette = palette, all.steps = steps, all.carries = carries;
    all.slot_count = launch.slot_count, all.tether_at = launch.tether_at;
    all.item = (uint)get_local_id(0);
    load_group(&all);
    all.shapes = palette + 16 + COLLIDERS * CLOTH_POSED_WORDS;
    patch_held held;
    patch_ghosts ghosts;
    patch_table table;
    uint index = (uint)get_group_id(0);
    uint epoch = EXCHANGE ? packets[index].x : 0, patience = PATIENCE;

#if LATTICES
    patch_tension tension;
    tension.tasks = tasks + index * launch.tasks[4];
    tension.places.position = position, tension.places.previous = previous;
    tension.places.sources = sources, tension.chains.before = from;
    tension.places.places = samples, tension.places.from = from;
    tension.shares.shares = shares, tension.shares.places = samples, tension.shares.from = from;
    tension.chains.chains = chains, tension.chains.edges = edges, tension.chains.units = units;
    tension.chains.links = links, tension.chains.pulls = pulls, tension.chains.pulled = pulled;
    tension.gives = launch.gives & 1u;
#endif

    load_steps(view, launch.limit_at, launch.first.stiffness);
    load_own(view, &held);
    load_ghosts(view, &ghosts);
    all.step = step_of(launch, (launch.begin + 1) / 2 / ITERATIONS);
    if (TETHERS) place_anchors(view, all.step.to);
    barrier(CLK_LOCAL_MEM_FENCE);
    load_table(view, &table);
    /* load_table() has read the masses of positions that are written next */
    if (SHARES) barrier(CLK_LOCAL_MEM_FENCE);

    for (uint exchange = launch.begin / 2; 2 * exchange < launch.end; exchange++) {
        all.step = step_of(launch, exchange / ITERATIONS);
        if (!STEPS) load_group(&all);
        if (AIR) all.step = cloth_step_from(all.step, cloth_origin_at(garments, all.group.garment));
        if (EXCHANGE != BY_LAUNCHES || 2 * exchange >= launch.begin)
            begin_sweep(view, &held, exchange % ITERATIONS, ++epoch);
        if (EXCHANGE == BY_LAUNCHES && 2 * exchange + 1 >= launch.end) break;
        sweep_early(view, &table);
        if (EXCHANGE) receive(view, &ghosts, epoch, &patience);
        barrier(CLK_LOCAL_MEM_FENCE);
        prepare_surroundings(view, step_of(launch, (exchange + 1) / ITERATIONS).to);
#if LATTICES
        do_tasks(view, &tension, &held, SURROUNDED ? 0u : launch.gives >> 1, launch.tasks[0],
            launch.tasks[1]);
#endif
#if FABRIC
        sweep_with_fabric(view, &table);
#else
        sweep(view, &table);
#endif
        /* tension and surroundings; with lattices then limits and surroundings again, of which the
         * last include the driver */
        CLOTH_ROLLED
        for (uint k = 0; k <= LIMITS; k++) {
#if LATTICES
            uint part = k ? 3u : SURROUNDED ? 2u : 1u;
            do_tasks(view, &tension, &held, 0u, launch.tasks[part], launch.tasks[part + 1]);
#endif
            if (!SURROUNDED) continue;
            if (!STEPS) load_group(&all);
            surround_own(view, &held, k == LIMITS, exchange + 1 == launch.total);
        }
    }

    if (!STEPS) load_group(&all);
    store_own(view, &held);
    if (EXCHANGE && all.item == 0) packets[index].x = epoch;
}
