/* A large network of bodies and springs, distributed over groups that keep their bodies'
 * displacements in local memory.
 *
 * A group has EACH bodies for each of its WG items. Bodies that other groups need (the rim) come
 * first in its order and are published as packets (x, y, z, epoch): a packet contains the number
 * of its sample, so a group reads it until the number is right, and no barrier between groups is
 * needed. Two alternating buffers suffice: a group that publishes sample n + 1 has read its
 * neighbours' n, and no neighbour computes n + 2 without it. On devices without packets (PACKETS
 * 0) a launch computes one sample, and the end of the launch is the barrier.
 *
 * The spring's force does not cancel (heddle/synth.h): with u the difference of displacements
 * and d0 the rest vector, w = u.(u + 2 d0),   |d|^2 = w + |d0|^2,   e = (w + |d0|^2 - L0^2) /
 * (|d| + L0),   F = k e d/|d|. Velocities are displacements of one sample, s h v. Anchored
 * bodies are not stepped: they share one position, which stays 0. */
#ifndef SYNTH_SPACE /* address space of the control group's store */
#define SYNTH_SPACE __global
#endif
#ifndef SYNTH_LAYOUT_H
#include "layout.h"
#endif
#ifndef SYNTH_PHYSICS_STORE_H
#include "physics_store.h"
#endif
#ifndef SYNTH_PHYSICS_BODY_H
#include "physics_spring.h"
#include "physics_body.h"
#endif
#ifndef SYNTH_PHYSICS_EXCITERS_H
#include "physics_exciters.h"
#endif
#ifndef SYNTH_PHYSICS_H
#include "physics.h"
#endif
#ifndef SYNTH_LATTICE_H
#include "lattice.h"
#endif
#ifndef SYNTH_LATTICE_SPRINGS_H
#include "lattice_springs.h"
#endif
#ifndef SYNTH_LATTICE_CONTROL_H
#include "lattice_control.h"
#endif

/* Returns the displacement of the next sample. `force` is divided by the unit, and by the
 * stiffness if all springs have one. */
LATTICE_FUNCTION lattice_vector lattice_next(lattice_vector velocity, lattice_vector force,
    __local const float *block, __global const uchar *classes, const lattice_step *step, uint i)
{
    float decay = step->decay, gain = step->gain;
    if (BODIES == BODIES_CLASSES) {
        uint kind = CLASSES > 1 ? classes[i] : 0u;
        decay = block[CLASS_AT + 2 * kind];
        gain = block[CLASS_AT + 2 * kind + 1];
    }
    velocity.x = fma(velocity.x, decay, gain * force.x);
    velocity.y = fma(velocity.y, decay, gain * force.y);
    velocity.z = fma(velocity.z, decay, gain * force.z);
    return velocity;
}

/* ---- a group ---- */

LATTICE_FUNCTION void lattice_place(__local float *block, uint at, uint4 packet)
{
    block[at] = as_float(packet.x);
    block[at + PLACES] = as_float(packet.y);
    block[at + 2 * PLACES] = as_float(packet.z);
}

/* Data of a group, as an item uses them. */
typedef struct lattice_view {
    __local float *block;
    __global const uint *table, *springs, *halo;
    __global const uchar *classes;
    __global uint *flags;
    lattice_group info;
    uint slot; /* index of the group's first packet */
    uint link; /* link of the item's first body with the control group, or LATTICE_NOTHING */
    uint item;
} lattice_view;

/* Loads palettes, table and displacements into local memory. */
LATTICE_FUNCTION void lattice_load(const lattice_view *group, __global const float *palette,
    __global const float *state, __global const uint4 *packets, const lattice_step *step)
{
    __local float *block = group->block;
    uint item = group->item;
    for (uint k = item; BODIES == BODIES_CLASSES && k < CLASSES; k += WG) {
        /* palette: h^2/m, 2 damping h */
        float decay = exp(-palette[2 * k + 1] * step->dilation);
        block[CLASS_AT + 2 * k] = decay;
        block[CLASS_AT + 2 * k + 1] =
            decay * palette[2 * k] * step->dilation * step->dilation * step->common;
    }
    for (uint k = item; k < (uint)(MATERIAL_FLOATS * MATERIALS); k += WG)
        block[MATERIAL_AT + k] = palette[2 * CLASSES + k];
    for (uint k = item; TABLE_LOCAL && k < WORDS * OWN; k += WG)
        block[TABLE_AT + k] = as_float(group->table[k]);
    for (uint k = item; k < OWN; k += WG) {
        block[k] = state[k];
        block[k + PLACES] = state[k + OWN];
        block[k + 2 * PLACES] = state[k + 2 * OWN];
    }
    /* halo without pushes, which are made in this launch */
    for (uint k = item; k < group->info.halo; k += WG) {
        __global const uint4 *from = packets + (step->epoch & 1u) * step->side + group->halo[k];
        uint4 packet = lattice_get(from);
        if (group->halo[k] >= step->forces)
            packet = lattice_wait(from, packet, step->epoch, group->flags);
        lattice_place(block, OWN + k, packet);
    }
    if (item == 0) lattice_place(block, PLACES - 1, hed_u4(0u, 0u, 0u, 0u));
}

/* Returns the product of row `at` of the received pushes and a velocity. */
LATTICE_FUNCTION float lattice_row(__local const float *block, uint at, lattice_vector way)
{
    return block[at] * way.x + block[at + PLACES] * way.y + block[at + 2 * PLACES] * way.z;
}

/* Applies the contacts to a velocity, by the control group's map (lattice.h), which was received
 * with the other groups' bodies. A group without contacts receives too, so that no group gets
 * ahead of the control group. */
LATTICE_FUNCTION lattice_vector lattice_push(
    lattice_vector way, __local const float *block, uint link, float unit)
{
    uint at = OWN + LATTICE_PUSH_AT(link);
    lattice_vector made;
    made.x = fma(block[at], unit, way.x);
    made.y = fma(block[at + PLACES], unit, way.y);
    made.z = fma(block[at + 2 * PLACES], unit, way.z);
    if (link & LATTICE_PUSHED) {
        made.x += lattice_row(block, at + 1u, way);
        made.y += lattice_row(block, at + 2u, way);
        made.z += lattice_row(block, at + 3u, way);
    }
    return made;
}

/* Steps body m of an item from position `at`: publishes the new displacement, and returns it. */
LATTICE_FUNCTION lattice_vector lattice_step_body(const lattice_view *group,
    const lattice_step *step, __global uint4 *sent, uint epoch, uint m, lattice_vector at,
    lattice_vector *velocity)
{
    uint i = m * WG + group->item, link = group->link;
    bool linked = m == 0 && link != LATTICE_NOTHING;
    lattice_vector force = lattice_force(group->block, group->table, group->springs, step, i, at);
    *velocity = lattice_next(*velocity, force, group->block, group->classes, step, i);
    if (linked) *velocity = lattice_push(*velocity, group->block, link, 1.0f / step->unit);
    at.x += velocity->x;
    at.y += velocity->y;
    at.z += velocity->z;
    if (m < RIM && i < group->info.rim)
        lattice_put(sent + group->slot + i, at.x, at.y, at.z, epoch);
    if (linked) {
        __global uint4 *told = sent + step->remote + LATTICE_TOLD * LATTICE_ELEMENT(link);
        float way = step->unit * step->slowness;
        lattice_put(told, at.x * step->unit, at.y * step->unit, at.z * step->unit, epoch);
        lattice_put(told + 1, velocity->x * way, velocity->y * way, velocity->z * way, epoch);
    }
    return at;
}

/* Rounds of the halo that no inner body can hide: requested before the barrier, received after
 * it. */
#define LATE (HALO > EACH - RIM ? HALO - (EACH - RIM) : 0)

/* Computes one sample. Own displacements are read from local memory, or kept in registers, and
 * written at the sample's end. */
LATTICE_FUNCTION void lattice_sample(const lattice_view *group, const lattice_step *step,
    __global uint4 *packets, uint epoch, bool receive, lattice_vector *velocity,
    lattice_vector *held)
{
    __local float *block = group->block;
    __global uint4 *sent = packets + (epoch & 1u) * step->side;
    uint4 late[LATE > 0 ? LATE : 1];
#pragma unroll
    for (uint m = 0; m < EACH; m++) {
        uint i = m * WG + group->item, round = m - (EACH - HALO), got = round * WG + group->item;
        bool here = m >= RIM && round < HALO && receive && got < group->info.halo;
        __global const uint4 *from = packets;
        uint4 packet;
        lattice_vector at;
        if (PACKETS && m == RIM && receive)
            barrier(CLK_LOCAL_MEM_FENCE); /* the rim is finished: the halo is not read again */
        if (here) {
            from = sent + group->halo[got];
            packet = lattice_get(from);
        }
        if (HELD) {
            at = held[HELD ? m : 0];
        } else {
            at.x = block[i];
            at.y = block[i + PLACES];
            at.z = block[i + 2 * PLACES];
        }
        at = lattice_step_body(group, step, sent, epoch, m, at, &velocity[m]);
        if (HELD) held[HELD ? m : 0] = at;
        if (here) lattice_place(block, OWN + got, lattice_wait(from, packet, epoch, group->flags));
    }
#pragma unroll
    for (uint round = 0; round < LATE; round++)
        if (receive && round * WG + group->item < group->info.halo)
            late[round] = lattice_get(sent + group->halo[round * WG + group->item]);
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint m = 0; m < EACH; m++) {
        uint i = m * WG + group->item;
        if (HELD) {
            block[i] = held[HELD ? m : 0].x;
            block[i + PLACES] = held[HELD ? m : 0].y;
            block[i + 2 * PLACES] = held[HELD ? m : 0].z;
        } else {
            block[i] += velocity[m].x;
            block[i + PLACES] += velocity[m].y;
            block[i + 2 * PLACES] += velocity[m].z;
        }
    }
#pragma unroll
    for (uint round = 0; round < LATE; round++) {
        uint got = round * WG + group->item;
        if (receive && got < group->info.halo)
            lattice_place(block, OWN + got,
                lattice_wait(sent + group->halo[got], late[round], epoch, group->flags));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

LATTICE_FUNCTION bool lattice_within(lattice_vector v, float limit)
{
    return fabs(v.x) <= limit && fabs(v.y) <= limit && fabs(v.z) <= limit; /* false for NaN */
}

/* Marks the sample after which one of the item's bodies is beyond the breaker's limits. */
LATTICE_FUNCTION void lattice_check(
    const lattice_view *group, const lattice_step *step, uint n, const lattice_vector *velocity)
{
    float far_limit = SYNTH_MOST_BODY / step->unit, fast_limit = SYNTH_MOST_SPEED / step->unit;
    bool sound = true;
#pragma unroll
    for (uint m = 0; m < EACH; m++) {
        uint i = m * WG + group->item;
        lattice_vector at = {
            group->block[i], group->block[i + PLACES], group->block[i + 2 * PLACES]};
        sound = sound && lattice_within(at, far_limit) && lattice_within(velocity[m], fast_limit);
    }
    uint sample = step->sample + n;
    if (!sound) group->flags[LATTICE_MARK(sample, step->sample - step->frame)] = sample;
}

/* Computes all samples of a launch. */
LATTICE_FUNCTION void lattice_run(const lattice_view *group, __global const float *palette,
    __global float *state, __global uint4 *packets, const lattice_step *step)
{
    lattice_vector velocity[EACH], held[HELD ? EACH : 1];
    __local float *block = group->block;
    lattice_load(group, palette, state, packets, step);
#pragma unroll
    for (uint m = 0; m < EACH; m++) {
        uint i = m * WG + group->item;
        velocity[m].x = state[i + 3 * OWN] * step->dilation;
        velocity[m].y = state[i + 4 * OWN] * step->dilation;
        velocity[m].z = state[i + 5 * OWN] * step->dilation;
        if (HELD) {
            held[HELD ? m : 0].x = state[i];
            held[HELD ? m : 0].y = state[i + OWN];
            held[HELD ? m : 0].z = state[i + 2 * OWN];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint n = 0; n < step->count; n++) {
        lattice_sample(group, step, packets, step->epoch + n + 1u, PACKETS && n + 1 < step->count,
            velocity, held);
        if (synth_is_checked(step->sample + n)) lattice_check(group, step, n, velocity);
    }
#pragma unroll
    for (uint m = 0; m < EACH; m++) {
        uint i = m * WG + group->item;
        state[i] = block[i];
        state[i + OWN] = block[i + PLACES];
        state[i + 2 * OWN] = block[i + 2 * PLACES];
        state[i + 3 * OWN] = velocity[m].x * step->slowness;
        state[i + 4 * OWN] = velocity[m].y * step->slowness;
        state[i + 5 * OWN] = velocity[m].z * step->slowness;
    }
}

/* ---- the kernel ---- */

__kernel void synth_lattice(HED_VIEW_PARAMETERS(SYNTH_LATTICE))
{
    HED_LOCAL_USE(float, block);
    uint item = (uint)get_local_id(0), group = (uint)get_group_id(0);
    if (ROLE == ROLE_LATTICE || (ROLE == ROLE_ALL && group < step.groups)) {
        uint4 words = groups[group];
        lattice_view view;
        view.block = block;
        view.table = table + group * (WORDS * OWN);
        view.springs = springs + group * SPRING_WORDS;
        view.halo = halo + group * halo_room;
        view.classes = classes + group * OWN;
        view.flags = flags;
        view.info.own = words.x;
        view.info.rim = words.y;
        view.info.linked = words.z;
        view.info.halo = words.w;
        view.slot = group * (RIM * WG);
        view.link = item < view.info.linked ? links[group * WG + item] : LATTICE_NOTHING;
        view.item = item;
        lattice_run(&view, palette, state + group * (6 * OWN), packets, &step);
    } else
        control_all(
            block, store, delay, pokes, inputs, stems, packets, flags, &layout, &step, item);
}
