/* A large network of bodies and springs, spread over groups that hold their bodies' displacements in local memory.
 *
 * A group has EACH bodies for each of its WG items. Those that other groups need (the rim) come first in its order and are published as
 * packets (x, y, z, epoch): the datum carries the number of its sample, so whoever needs it reads until the number is right, and no
 * barrier between groups is needed. Two buffers in turn suffice: who publishes sample n + 1 has read its neighbours' n, and nobody
 * makes n + 2 without it. On devices without packets (PACKETS 0) a launch makes one sample and the end of the launch is the barrier.
 *
 * The spring's force does not cancel (heddle/synth.h): with u the difference of displacements and d0 the rest vector,
 *     w = u.(u + 2 d0),   |d|^2 = w + |d0|^2,   e = (w + |d0|^2 - L0^2) / (|d| + L0),   F = k e d/|d|.
 * A velocity here is the way of one sample, s h v. Anchored bodies are not stepped: they are all one place that stays 0. */
#ifndef SYNTH_SPACE /* where the control group has its store */
#define SYNTH_SPACE __global
#endif
#ifndef SYNTH_LAYOUT_H
#include "layout.h"
#endif
#ifndef SYNTH_PHYSICS_STORE_H
#include "physics_store.h"
#endif
#ifndef SYNTH_PHYSICS_BODY_H
#include "physics_body.h"
#endif
#ifndef SYNTH_PHYSICS_EXCITERS_H
#include "physics_exciters.h"
#endif
#ifndef SYNTH_PHYSICS_MODULATORS_H
#include "physics_modulators.h"
#endif
#ifndef SYNTH_PHYSICS_H
#include "physics.h"
#endif
#ifndef SYNTH_LATTICE_H
#include "lattice.h"
#endif
#ifndef WG
#define WG 64
#endif
#ifndef EACH
#define EACH 2
#endif
#ifndef RIM /* the first RIM of EACH hold every body of the rim */
#define RIM 1
#endif
#ifndef HALO /* others' bodies that an item receives */
#define HALO 1
#endif
#ifndef DEGREE /* even */
#define DEGREE 6
#endif
#ifndef PLACES /* own bodies, halo, and the place of anchors, which is the last */
#define PLACES (WG * EACH + WG * HALO + 1)
#endif
#ifndef HELD /* 1: displacements in registers too; pays up to about four bodies an item */
#define HELD 1
#endif
#ifndef SPRINGS
#define SPRINGS SPRINGS_SLOTS
#endif
/* SPRINGS_SLOTS: of each slot the rest vector, its length squared, the rest length L0, and |d0|^2 - L0^2, in units. They are literals, since loads of
 * constants would be a tenth of all instructions. */
#ifndef SLOT_X
#define SLOT_X 1.0f, -1.0f, 0.0f, 0.0f, 0.0f, 0.0f
#define SLOT_Y 0.0f, 0.0f, 1.0f, -1.0f, 0.0f, 0.0f
#define SLOT_Z 0.0f, 0.0f, 0.0f, 0.0f, 1.0f, -1.0f
#define SLOT_SQUARE 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f
#define SLOT_REST 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f
#define SLOT_EXCESS 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f
#endif
#ifndef SAME /* 1: all springs have one stiffness, which is in the gain */
#define SAME 0
#endif
#ifndef STRETCH /* SPRINGS_OWN with one material: L0/|d0| */
#define STRETCH 1.0f
#endif
#ifndef MATERIALS /* or kinds of half-springs */
#define MATERIALS 1
#endif
#ifndef TENSE /* whether some spring is stretched at rest */
#define TENSE 0
#endif
#ifndef CUBIC
#define CUBIC 0
#endif
#ifndef BODIES
#define BODIES BODIES_CLASSES
#endif
#ifndef CLASSES
#define CLASSES 1
#endif
#ifndef TABLE_LOCAL /* whether the neighbour table is in local memory; else it is read from global memory every sample */
#define TABLE_LOCAL 1
#endif
#ifndef CONTROL_LOCAL /* whether the store of the control group is in local memory (SYNTH_SPACE) */
#define CONTROL_LOCAL 0
#endif
#ifndef PACKETS
#define PACKETS 0
#endif
#define ROLE_ALL 0     /* the lattice, and one more group that is the control group */
#define ROLE_LATTICE 1 /* one of the two: where a launch makes one sample, each has its own */
#define ROLE_CONTROL 2
#ifndef ROLE
#define ROLE ROLE_ALL
#endif

#if HED_STRICT /* the host gives no such configuration: this is for the syntax test */
#define lattice_rsqrt(x) hed_rsqrt(x)
#define lattice_rcp(x) (1.0f / (x))
#else
#define lattice_rsqrt(x) hed_near_rsqrt(x)
#define lattice_rcp(x) hed_near_rcp(x)
#endif

#define OWN (WG * EACH)
#define WORDS (DEGREE / 2)
#define POLLS 4000000u /* before a packet is given up: seconds, where microseconds are usual */
/* In local memory, in floats: displacements, the classes' decay and gain, the materials, the neighbour table. */
#define CLASS_AT (3 * PLACES)
#define MATERIAL_AT ((CLASS_AT + (BODIES == BODIES_CLASSES ? 2 * CLASSES : 0) + 3) / 4 * 4)
#define MATERIAL_FLOATS (SPRINGS == SPRINGS_KINDS ? LATTICE_KIND_FLOATS : SPRINGS == SPRINGS_OWN && MATERIALS > 1 ? LATTICE_MATERIAL_FLOATS : 0)
#define TABLE_AT (MATERIAL_AT + MATERIAL_FLOATS * MATERIALS)
/* Words of a group's half-springs. */
#define SPRING_WORDS (OWN * (SPRINGS == SPRINGS_KINDS ? LATTICE_KIND_WORDS(DEGREE) : SPRINGS == SPRINGS_OWN ? 2 * DEGREE : 0))

#ifdef __CUDACC__
#define LATTICE_FUNCTION __device__ __forceinline__
#else
#define LATTICE_FUNCTION static inline
#endif

/* A neighbour in the table is the byte at which its x lies among the x. */
#define NEIGHBOUR(place, axis, byte) (*(__local const float *)((__local const char *)((place) + (axis)*PLACES) + (byte)))

typedef struct lattice_vector {
    float x, y, z;
} lattice_vector;

/* ---- packets ---- */

LATTICE_FUNCTION void lattice_put(__global uint4 *at, float x, float y, float z, uint epoch)
{
    uint4 packet = hed_u4(as_uint(x), as_uint(y), as_uint(z), epoch);
#if PACKETS
    hed_packet_put(at, packet);
#else
    *at = packet;
#endif
}

LATTICE_FUNCTION uint4 lattice_get(__global const uint4 *at)
{
#if PACKETS
    return hed_packet_get(at);
#else
    return *at;
#endif
}

/* Reads again until the epoch is right. Past POLLS it goes on with what is there and says so; then nobody waits any more. */
LATTICE_FUNCTION uint4 lattice_wait(__global const uint4 *at, uint4 packet, uint epoch, __global uint *flags)
{
#if PACKETS
    for (uint poll = 0; packet.w != epoch; poll++) {
        if (poll >= POLLS || ((poll & 1023u) == 1023u && flags[0])) {
            flags[0] = 1;
            break;
        }
        packet = hed_packet_get(at);
    }
#else
    if (packet.w != epoch) flags[0] = 1;
    (void)at;
#endif
    return packet;
}

#if ROLE != ROLE_CONTROL
/* ---- springs ---- */

/* A spring while its force is computed. */
typedef struct lattice_spring {
    float x, y, z, square, rest, excess, stiffness, cubic;
} lattice_spring;

/* |d0|^2 in |d|^2 is taken larger by 2^-21, so that rounding never makes |d|^2 negative, even where both ends meet. */
#define SAFE 1.0000005f

/* The pull of a spring along d, over |d|; w = u.(u + 2 d0). */
LATTICE_FUNCTION float lattice_pull(float w, lattice_spring s)
{
    /* A palette's rest lengths are larger themselves: where nothing is stretched one operation is enough. */
#if SPRINGS == SPRINGS_KINDS && !TENSE
    float now = fma(s.rest, s.rest, w);
#else
    float now = fma(s.square, SAFE, w);
#endif
    float inverse = lattice_rsqrt(now), sum = lattice_rcp(fma(now, inverse, s.rest)); /* 1/(|d| + L0) */
    float e = TENSE || CUBIC ? (w + s.excess) * sum : w * sum;
    if (CUBIC) return fma(s.cubic * e, e, s.stiffness) * (e * inverse);
    return SAME ? e * inverse : s.stiffness * (e * inverse);
}

#if SPRINGS == SPRINGS_SLOTS
/* Slot j; all of it but the stiffness is known to the compiler. */
LATTICE_FUNCTION lattice_spring lattice_slot(const lattice_step *step, uint j)
{
    const float x[] = {SLOT_X}, y[] = {SLOT_Y}, z[] = {SLOT_Z}, square[] = {SLOT_SQUARE}, rest[] = {SLOT_REST}, excess[] = {SLOT_EXCESS};
    lattice_spring s;
    s.x = x[j];
    s.y = y[j];
    s.z = z[j];
    s.square = square[j];
    s.rest = rest[j];
    s.excess = excess[j];
    s.stiffness = SAME ? 1.0f : step->stiffness[j];
    s.cubic = step->cubic[SAME ? 0 : j];
    return s;
}
#endif

#if SPRINGS == SPRINGS_KINDS
/* A half-spring of kind `kind`. */
LATTICE_FUNCTION lattice_spring lattice_of_kind(__local const float *block, const lattice_step *step, uint kind)
{
    __local const float4 *palette = (__local const float4 *)(block + MATERIAL_AT) + LATTICE_KIND_FLOATS / 4 * kind;
    float4 shape = palette[0];
    lattice_spring s;
    s.x = shape.x;
    s.y = shape.y;
    s.z = shape.z;
    s.rest = shape.w;
#if TENSE || CUBIC || !SAME
    float4 more = palette[1];
    s.stiffness = more.x;
    s.excess = more.y;
    s.cubic = more.z;
#else
    s.stiffness = 1.0f;
    s.excess = s.cubic = 0.0f;
#endif
    s.square = TENSE ? fma(s.rest, s.rest, s.excess) : s.rest * s.rest;
    (void)step;
    return s;
}
#endif

#if SPRINGS == SPRINGS_OWN
/* Bits to a whole number: the low bits of a float of that size, without a conversion. */
LATTICE_FUNCTION float lattice_whole(uint bits) { return as_float(bits | 0x4b000000u) - (8388608.0f + 32768.0f); }

/* A half-spring by its words. */
LATTICE_FUNCTION lattice_spring lattice_of_its_own(__local const float *block, const lattice_step *step, uint2 word)
{
    lattice_spring s;
    s.x = lattice_whole(word.x & 0xffffu);
    s.y = lattice_whole(word.x >> 16);
    s.z = lattice_whole(word.y & 0xffffu);
    s.square = fma(s.x, s.x, fma(s.y, s.y, s.z * s.z));
    s.rest = s.square * lattice_rsqrt(s.square);
#if MATERIALS > 1
    __local const float *made = block + MATERIAL_AT + LATTICE_MATERIAL_FLOATS * (word.y >> 16);
    s.stiffness = made[0];
    s.cubic = made[1];
    s.rest *= made[2];
    s.excess = made[3] * s.square;
    (void)step;
#else
    s.stiffness = 1.0f;
    s.cubic = step->cubic[0];
    s.rest *= STRETCH;
    s.excess = (1.0f - STRETCH * STRETCH) * s.square;
    (void)block;
#endif
    return s;
}
#endif

#define HAS_PART(part) (SPRINGS != SPRINGS_SLOTS || (part) != 0.0f)

/* The sum of the springs' forces on the body at `i`, which is at `at`. */
LATTICE_FUNCTION lattice_vector lattice_force(__local const float *block, __global const uint *table, __global const uint *springs,
                                              const lattice_step *step, uint i, lattice_vector at)
{
    lattice_vector force = {0.0f, 0.0f, 0.0f};
    uint words[WORDS];
#pragma unroll
    for (uint k = 0; k < WORDS; k++) {
#if TABLE_LOCAL
        words[k] = as_uint(block[TABLE_AT + k * OWN + i]);
#else
        words[k] = table[k * OWN + i];
#endif
    }
#if SPRINGS == SPRINGS_KINDS
    uint kinds[LATTICE_KIND_WORDS(DEGREE)];
#pragma unroll
    for (uint k = 0; k < LATTICE_KIND_WORDS(DEGREE); k++) kinds[k] = springs[k * OWN + i];
#endif
    (void)table, (void)springs;
#pragma unroll
    for (uint j = 0; j < DEGREE; j++) {
        uint byte = j & 1u ? words[j / 2] >> 16 : words[j / 2] & 0xffffu;
        float ux = NEIGHBOUR(block, 0, byte) - at.x, uy = NEIGHBOUR(block, 1, byte) - at.y, uz = NEIGHBOUR(block, 2, byte) - at.z;
#if SPRINGS == SPRINGS_SLOTS
        lattice_spring s = lattice_slot(step, j);
#elif SPRINGS == SPRINGS_KINDS
        lattice_spring s = lattice_of_kind(block, step, kinds[j / 4] >> 8 * (j % 4) & 255u);
#else
        lattice_spring s = lattice_of_its_own(block, step, ((__global const uint2 *)springs)[j * OWN + i]);
#endif
        /* d, and u + 2 d0 = d + d0. Parts of a slot that are 0 are known to be. */
        float dx = HAS_PART(s.x) ? ux + s.x : ux, dy = HAS_PART(s.y) ? uy + s.y : uy, dz = HAS_PART(s.z) ? uz + s.z : uz;
        float ex = HAS_PART(s.x) ? dx + s.x : ux, ey = HAS_PART(s.y) ? dy + s.y : uy, ez = HAS_PART(s.z) ? dz + s.z : uz;
        float pull = lattice_pull(fma(ux, ex, fma(uy, ey, uz * ez)), s);
        force.x = fma(pull, dx, force.x);
        force.y = fma(pull, dy, force.y);
        force.z = fma(pull, dz, force.z);
    }
    return force;
}

/* The way of the next sample. `force` is over the unit, and over the stiffness where all springs have one. */
LATTICE_FUNCTION lattice_vector lattice_next(lattice_vector velocity, lattice_vector force, __local const float *block,
                                             __global const uchar *classes, lattice_step step, uint i)
{
#if BODIES == BODIES_CLASSES
    uint kind = CLASSES > 1 ? classes[i] : 0u;
    float decay = block[CLASS_AT + 2 * kind], gain = block[CLASS_AT + 2 * kind + 1];
    velocity.x = fma(velocity.x, decay, gain * force.x);
    velocity.y = fma(velocity.y, decay, gain * force.y);
    velocity.z = fma(velocity.z, decay, gain * force.z);
#else
    velocity.x = fma(velocity.x, step.decay, step.gain * force.x);
    velocity.y = fma(velocity.y, step.decay, step.gain * force.y);
    velocity.z = fma(velocity.z, step.decay, step.gain * force.z);
    (void)block, (void)classes, (void)i;
#endif
    (void)step;
    return velocity;
}

/* ---- a group ---- */

LATTICE_FUNCTION void lattice_place(__local float *block, uint at, uint4 packet)
{
    block[at] = as_float(packet.x);
    block[at + PLACES] = as_float(packet.y);
    block[at + 2 * PLACES] = as_float(packet.z);
}

/* Palettes, table and displacements into local memory. */
LATTICE_FUNCTION void lattice_load(__local float *block, lattice_group info, __global const uint *table, __global const uint *halo,
                                   __global const float *palette, __global const float *state, __global const uint4 *packets, lattice_step step,
                                   uint item)
{
#if BODIES == BODIES_CLASSES
    for (uint k = item; k < CLASSES; k += WG) { /* palette: h^2/m, 2 damping h */
        float decay = exp(-palette[2 * k + 1] * step.dilation);
        block[CLASS_AT + 2 * k] = decay;
        block[CLASS_AT + 2 * k + 1] = decay * palette[2 * k] * step.dilation * step.dilation * step.common;
    }
#endif
    for (uint k = item; k < (uint)(MATERIAL_FLOATS * MATERIALS); k += WG) block[MATERIAL_AT + k] = palette[2 * CLASSES + k];
#if TABLE_LOCAL
    for (uint k = item; k < WORDS * OWN; k += WG) block[TABLE_AT + k] = as_float(table[k]);
#endif
    for (uint k = item; k < OWN; k += WG) {
        block[k] = state[k];
        block[k + PLACES] = state[k + OWN];
        block[k + 2 * PLACES] = state[k + 2 * OWN];
    }
    for (uint k = item; k < info.halo; k += WG)
        lattice_place(block, OWN + k, packets[(step.epoch & 1u) * step.side + halo[k]]);
    if (item == 0) lattice_place(block, PLACES - 1, hed_u4(0u, 0u, 0u, 0u));
    (void)table;
}

/* What contacts do to a way, as the control group says (lattice.h). Who has none reads too, so that nobody runs away from the control group. */
LATTICE_FUNCTION lattice_vector lattice_push(lattice_vector way, __global const uint4 *pushes, uint pushed, uint epoch, float unit, __global uint *flags)
{
    lattice_vector made;
    uint4 push = lattice_wait(pushes, lattice_get(pushes), epoch, flags);
    made.x = fma(as_float(push.x), unit, way.x);
    made.y = fma(as_float(push.y), unit, way.y);
    made.z = fma(as_float(push.z), unit, way.z);
    if (pushed) {
        push = lattice_wait(pushes + 1, lattice_get(pushes + 1), epoch, flags);
        made.x += as_float(push.x) * way.x + as_float(push.y) * way.y + as_float(push.z) * way.z;
        push = lattice_wait(pushes + 2, lattice_get(pushes + 2), epoch, flags);
        made.y += as_float(push.x) * way.x + as_float(push.y) * way.y + as_float(push.z) * way.z;
        push = lattice_wait(pushes + 3, lattice_get(pushes + 3), epoch, flags);
        made.z += as_float(push.x) * way.x + as_float(push.y) * way.y + as_float(push.z) * way.z;
    }
    return made;
}

/* `count` samples of group `group`. */
LATTICE_FUNCTION void lattice_run(__local float *block, lattice_group info, uint group, __global const uint *table, __global const uint *springs,
                                  __global const uchar *classes, __global const float *palette, __global const uint *halo,
                                  __global const uint *links, __global float *state, __global uint4 *packets, __global uint *flags,
                                  lattice_step step, uint item)
{
    lattice_vector velocity[EACH], held[HELD ? EACH : 1];
    uint link = item < info.linked ? links[item] : LATTICE_NOTHING, element = link & ~LATTICE_PUSHED;
    lattice_load(block, info, table, halo, palette, state, packets, step, item);
#pragma unroll
    for (uint m = 0; m < EACH; m++) {
        uint i = m * WG + item;
        velocity[m].x = state[i + 3 * OWN] * step.dilation;
        velocity[m].y = state[i + 4 * OWN] * step.dilation;
        velocity[m].z = state[i + 5 * OWN] * step.dilation;
        if (HELD) {
            held[HELD ? m : 0].x = state[i];
            held[HELD ? m : 0].y = state[i + OWN];
            held[HELD ? m : 0].z = state[i + 2 * OWN];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint n = 0; n < step.count; n++) {
        uint epoch = step.epoch + n + 1u;
        __global uint4 *sent = packets + (epoch & 1u) * step.side, *before = packets + (~epoch & 1u) * step.side;
        bool receive = PACKETS && n + 1 < step.count;
#pragma unroll
        for (uint m = 0; m < EACH; m++) {
            uint i = m * WG + item, round = m - (EACH - HALO), got = round * WG + item;
            lattice_vector at;
            uint4 packet;
            __global const uint4 *from = packets;
            bool late = m >= RIM && round < HALO && receive && got < info.halo;
#if PACKETS
            if (m == RIM && receive) barrier(CLK_LOCAL_MEM_FENCE); /* the rim is done: nobody reads the halo any more */
#endif
            if (late) {
                from = sent + halo[got];
                packet = lattice_get(from);
            }
            if (HELD) {
                at = held[HELD ? m : 0];
            } else {
                at.x = block[i];
                at.y = block[i + PLACES];
                at.z = block[i + 2 * PLACES];
            }
            lattice_vector force = lattice_force(block, table, springs, &step, i, at);
            velocity[m] = lattice_next(velocity[m], force, block, classes, step, i);
            if (m == 0 && link != LATTICE_NOTHING)
                velocity[0] = lattice_push(velocity[0], before + step.forces + LATTICE_PUSHES * element, link & LATTICE_PUSHED, epoch - 1u,
                                           1.0f / step.unit, flags);
            at.x += velocity[m].x;
            at.y += velocity[m].y;
            at.z += velocity[m].z;
            if (HELD) held[HELD ? m : 0] = at;
            if (m < RIM && i < info.rim) lattice_put(sent + group * (RIM * WG) + i, at.x, at.y, at.z, epoch);
            if (m == 0 && link != LATTICE_NOTHING) {
                __global uint4 *told = sent + step.remote + LATTICE_TOLD * element;
                float way = step.unit * step.slowness;
                lattice_put(told, at.x * step.unit, at.y * step.unit, at.z * step.unit, epoch);
                lattice_put(told + 1, velocity[0].x * way, velocity[0].y * way, velocity[0].z * way, epoch);
            }
            if (late) lattice_place(block, OWN + got, lattice_wait(from, packet, epoch, flags));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (uint m = 0; m < EACH; m++) {
            uint i = m * WG + item;
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
        if (receive) { /* what there was no inner body left for */
#pragma unroll
            for (uint round = 0; round + (EACH - RIM) < HALO; round++) {
                uint got = round * WG + item;
                if (got < info.halo) {
                    __global const uint4 *from = sent + halo[got];
                    lattice_place(block, OWN + got, lattice_wait(from, lattice_get(from), epoch, flags));
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

#pragma unroll
    for (uint m = 0; m < EACH; m++) {
        uint i = m * WG + item;
        state[i] = block[i];
        state[i + OWN] = block[i + PLACES];
        state[i + 2 * OWN] = block[i + 2 * PLACES];
        state[i + 3 * OWN] = velocity[m].x * step.slowness;
        state[i + 4 * OWN] = velocity[m].y * step.slowness;
        state[i + 5 * OWN] = velocity[m].z * step.slowness;
    }
}

#endif

#if ROLE != ROLE_LATTICE
/* ---- the control group: everything that is no lattice, as a program whose bodies are elsewhere ---- */

#if CONTROL_LOCAL
#define FENCE CLK_LOCAL_MEM_FENCE
#else
#define FENCE CLK_GLOBAL_MEM_FENCE
#endif
#define POKE_WORDS 3u /* synth_poke: frame, word, value */

/* Where the linked bodies are, into the half that is read. Anchored ones (weight 0) stay where they are. What the host wrote has no epoch. */
LATTICE_FUNCTION void control_fetch(const synth_layout *layout, const synth_at *at, __global const uint4 *told, uint epoch, uint fresh,
                                    lattice_step step, __global uint *flags, uint item)
{
    uint count = layout->type[SYNTH_BODY].count, signal = at->read + layout->type[SYNTH_BODY].signal;
    for (uint e = item; e < step.linked; e += WG) {
        if (synth_parameter(layout, at, SYNTH_BODY, BODY_P_WEIGHT, e) == 0.0f) continue;
        __global const uint4 *from = told + LATTICE_TOLD * e;
        uint4 packet = lattice_get(from);
        if (!fresh) packet = lattice_wait(from, packet, epoch, flags);
        at->store[signal + BODY_O_X * count + e] = packet.x;
        at->store[signal + BODY_O_Y * count + e] = packet.y;
        at->store[signal + BODY_O_Z * count + e] = packet.z;
        packet = lattice_get(from + 1);
        if (!fresh) packet = lattice_wait(from + 1, packet, epoch, flags);
        at->store[signal + BODY_O_U * count + e] = packet.x;
        at->store[signal + BODY_O_V * count + e] = packet.y;
        at->store[signal + BODY_O_W * count + e] = packet.z;
    }
}

LATTICE_FUNCTION lattice_vector control_along(lattice_vector to, lattice_vector n, float amount)
{
    to.x = fma(n.x, amount, to.x);
    to.y = fma(n.y, amount, to.y);
    to.z = fma(n.z, amount, to.z);
    return to;
}

LATTICE_FUNCTION float control_dot(lattice_vector a, lattice_vector b) { return fma(a.x, b.x, fma(a.y, b.y, a.z * b.z)); }

/* The contacts of a linked body, one after the other as synth_push() takes them, as one affine map of its h v. */
LATTICE_FUNCTION void control_push(const synth_layout *layout, const synth_at *at, __global uint4 *pushes, uint e, uint epoch)
{
    synth_list contacts = synth_list_of(at, layout->type[SYNTH_BODY].forces, layout->type[SYNTH_BODY].count, e);
    float dilation = synth_dilation(at), mobility = dilation * synth_parameter(layout, at, SYNTH_BODY, BODY_P_WEIGHT, e);
    float kept = dilation * synth_keep(synth_parameter(layout, at, SYNTH_BODY, BODY_P_RATE, e), dilation);
    lattice_vector x = {1.0f, 0.0f, 0.0f}, y = {0.0f, 1.0f, 0.0f}, z = {0.0f, 0.0f, 1.0f}, b = {0.0f, 0.0f, 0.0f}; /* columns, and the shift */
    for (uint i = 0; i < contacts.length; i++) {
        uint entry = contacts.first + i * SYNTH_FORCE_WORDS * contacts.stride;
        uint word = at->read + synth_word(at, entry), far = synth_word(at, entry + contacts.stride);
        lattice_vector n = {synth_number(at, word), synth_number(at, word + far), synth_number(at, word + 2u * far)};
        float share = synth_reciprocal(fma(mobility, synth_number(at, word + 4u * far), 1.0f));
        float less = share - 1.0f, push = mobility * synth_number(at, word + 3u * far) * share;
        x = control_along(x, n, less * control_dot(n, x));
        y = control_along(y, n, less * control_dot(n, y));
        z = control_along(z, n, less * control_dot(n, z));
        b = control_along(b, n, fma(less, control_dot(n, b), push));
    }
    if (contacts.length > 0) {
        lattice_put(pushes + 1, x.x - 1.0f, y.x, z.x, epoch);
        lattice_put(pushes + 2, x.y, y.y - 1.0f, z.y, epoch);
        lattice_put(pushes + 3, x.z, y.z, z.z - 1.0f, epoch);
    }
    lattice_put(pushes, kept * b.x, kept * b.y, kept * b.z, epoch);
}

/* Every seat of the program, a list of rows for each of `warps`. */
LATTICE_FUNCTION void control_rows(const synth_layout *layout, const synth_at *at, uint item)
{
    uint lane = item % layout->lanes, lists = WG / layout->lanes;
    if (item >= lists * layout->lanes) return;
    for (uint w = item / layout->lanes; w < layout->warps; w += lists)
        for (uint row = synth_word(at, layout->row_begin + w); row < synth_word(at, layout->row_begin + w + 1u); row++) {
            uint seat = synth_word(at, layout->rows + row * layout->lanes + lane);
            if (seat != SYNTH_EMPTY) synth_entity(layout, at, SYNTH_SEAT_TYPE(seat), SYNTH_SEAT_ENTITY(seat));
        }
}

LATTICE_FUNCTION uint control_due(__global const uint *pokes, uint poke, uint end) { return poke < end ? pokes[POKE_WORDS * poke] : LATTICE_NOTHING; }

LATTICE_FUNCTION void control_run(SYNTH_SPACE uint *store, __global float *delay, __global const uint *pokes, __global const float *inputs,
                                  __global float *stems, __global uint4 *packets, __global uint *flags, synth_layout layout, lattice_step step,
                                  uint item)
{
    synth_at at;
    uint poke = step.poke, due = control_due(pokes, poke, step.poke_end);
    at.store = store;
    at.instance = 0;
    at.frames = step.frames;
    at.inputs = inputs;
    at.delay = delay;
    for (uint n = 0; n < step.count; n++) {
        uint epoch = step.epoch + n, fresh = n == 0 ? step.fresh : 0u, parity = (step.sample + n) & 1u;
        __global uint4 *packets_now = packets + (epoch & 1u) * step.side;
        at.read = layout.signals + parity * layout.signal_count;
        at.write = layout.signals + (parity ^ 1u) * layout.signal_count;
        at.sample = step.sample + n;
        at.frame = step.frame + n;
        at.stems = stems + 2u * layout.stems * at.frame;
        if (due <= at.frame) {
            barrier(FENCE);
            for (; due <= at.frame; due = control_due(pokes, ++poke, step.poke_end))
                if (item == 0) store[pokes[POKE_WORDS * poke + 1u]] = pokes[POKE_WORDS * poke + 2u];
            barrier(FENCE);
        }
        for (uint e = item; e < step.linked; e += WG)
            if (synth_parameter(&layout, &at, SYNTH_BODY, BODY_P_WEIGHT, e) != 0.0f)
                control_push(&layout, &at, packets_now + step.forces + LATTICE_PUSHES * e, e, epoch);
        control_fetch(&layout, &at, packets_now + step.remote, epoch, fresh, step, flags, item);
        barrier(FENCE);
        control_rows(&layout, &at, item);
        barrier(FENCE);
    }
}

/* The control group's samples, its store brought where it is to be. */
LATTICE_FUNCTION void control_all(__local float *block, __global uint *store, __global float *delay, __global const uint *pokes,
                                  __global const float *inputs, __global float *stems, __global uint4 *packets, __global uint *flags,
                                  const synth_layout *layout, const lattice_step *step, uint item)
{
#if CONTROL_LOCAL
    __local uint *own = (__local uint *)block;
    for (uint k = item; k < layout->words; k += WG) own[k] = store[k];
    barrier(FENCE);
    control_run(own, delay, pokes, inputs, stems, packets, flags, *layout, *step, item);
    for (uint k = item; k < layout->words; k += WG) store[k] = own[k];
#else
    (void)block;
    control_run(store, delay, pokes, inputs, stems, packets, flags, *layout, *step, item);
#endif
}
#endif

/* ---- the kernel ---- */

/* Tables are described in solver/grid.h. `state`: of each
 * group, OWN floats each of x, y, z and of h v along them, in units. */
__kernel void synth_lattice(__global const uint4 *groups, __global const uint *table, __global const uint *springs, __global const uchar *classes,
                            __global const float *palette, __global const uint *halo, __global const uint *links, __global float *state,
                            __global uint4 *packets, __global uint *flags, __global uint *store, __global float *delay,
                            __global const uint *pokes, __global const float *inputs, __global float *stems, lattice_step step,
                            synth_layout layout, uint halo_room, HED_LOCAL(float, block))
{
    HED_LOCAL_USE(float, block);
    uint item = (uint)get_local_id(0), group = (uint)get_group_id(0);
#if ROLE == ROLE_ALL
    if (group == step.groups) {
        control_all(block, store, delay, pokes, inputs, stems, packets, flags, &layout, &step, item);
        return;
    }
#endif
#if ROLE == ROLE_CONTROL
    (void)groups, (void)table, (void)springs, (void)classes, (void)palette, (void)halo, (void)links, (void)state, (void)halo_room, (void)group;
    control_all(block, store, delay, pokes, inputs, stems, packets, flags, &layout, &step, item);
#else
    uint4 words = groups[group];
    lattice_group info;
    info.own = words.x;
    info.rim = words.y;
    info.linked = words.z;
    info.halo = words.w;
    (void)store, (void)delay, (void)pokes, (void)inputs, (void)stems, (void)layout;
    lattice_run(block, info, group, table + group * (WORDS * OWN), springs + group * SPRING_WORDS, classes + group * OWN, palette,
                halo + group * halo_room, links + group * WG, state + group * (6 * OWN), packets, flags, step, item);
#endif
}
