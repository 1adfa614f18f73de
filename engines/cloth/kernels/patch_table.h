/* Data of a group of patch.cl, and its table of constraints: pairs of particles, or figures of four
 * particles, in registers or streamed.
 *
 * The host defines the parameters of an instance (solver/patches.c); the values here are defaults
 * with which the file compiles alone. */
#ifndef CLOTH_PATCH_TABLE_H
#define CLOTH_PATCH_TABLE_H
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#endif
#ifndef CLOTH_COLLIDE_H
#include "chain.h"
#include "collide.h"
#include "patch_arguments.h"
#endif
#ifndef WG
#define WG 64 /* work items of a group */
#endif
#ifndef OWN
#define OWN 16 /* maximum number of own particles of an item */
#endif
#ifndef GHOSTS
#define GHOSTS 1 /* maximum number of ghosts that an item receives */
#endif
#ifndef STEPS
#define STEPS 0 /* steps in registers, with a constraint of each item; 0: streamed */
#endif
#ifndef SHARES
#define SHARES 0 /* 1, with STEPS: weights of the corrections are in registers too */
#endif
#ifndef EARLY
#define EARLY 0 /* number of first steps that are solved while packets travel */
#endif
#ifndef QUEUE
#define QUEUE 2 /* entries of the next step that an item prefetches */
#endif
#ifndef HELD
#define HELD OWN /* number of own particles of an item whose previous positions are in registers */
#endif
#ifndef EXCHANGE
#define EXCHANGE 0
#endif
#define NO_EXCHANGE 0 /* each group has a whole garment */
#define BY_PACKETS 1
#define BY_LAUNCHES 2 /* a launch ends after each sending, for devices without packets */
#ifndef FIGURES
#define FIGURES 0
#endif
#define FIGURES_WIDE 1   /* an entry contains its lengths: 32 bytes */
#define FIGURES_SHAPES 2 /* an entry contains the number of a shape: 8 bytes */
#ifndef ITERATIONS
#define ITERATIONS 1
#endif
#ifndef RANGES
#define RANGES 0 /* 1: some constraint has a range of lengths */
#endif
#ifndef COMPLIANCE
#define COMPLIANCE 0
#endif
#ifndef SHORT_MOVES
#define SHORT_MOVES 0 /* 1: cloth_step.longest_move is applied */
#endif
#ifndef FABRIC
#define FABRIC 0 /* 1: some garment has bending constraints or elements; STEPS is 0 */
#endif
#ifndef LATTICES
#define LATTICES 0 /* 1: some garment has lattices; EXCHANGE is 0 */
#endif
#ifndef TETHERS
#define TETHERS 0
#endif
#ifndef DRIVER
#define DRIVER 0
#endif
#ifndef AIR
#define AIR 0
#endif
#ifndef FIELD
#define FIELD 0
#endif
#ifndef COLLIDERS
#define COLLIDERS 0
#endif
#ifndef CONTACTS
#define CONTACTS 0
#endif
#define LIMITED (RANGES || COMPLIANCE)
#define SURROUNDED (COLLIDERS || CONTACTS || DRIVER)
#define LIMITS (LATTICES && SURROUNDED ? 1u : 0u)
#define FABRIC_SWEEPS (LATTICES && SURROUNDED ? CLOTH_CELL_SWEEPS : 1u)
#define NEEDS_PARTICLE (HELD < OWN || AIR || DRIVER) /* integration uses the particle's number */
/* Particles of an item that are integrated together, so that their loads overlap. */
#if (STEPS || !HELD) && WG <= 512
#define BATCH (OWN < 4 ? OWN : 4)
#elif STEPS || !HELD
#define BATCH (OWN < 2 ? OWN : 2)
#else
#define BATCH 1
#endif
#define NOTHING 0xffffffffu
#define COMPLETE_STEP \
    0x80000000u /* flag in a figure step's first entry: figures have six constraints, else four */
/* Polls for an exchange's packets before the group continues without them: seconds; microseconds
 * are usual. */
#define PATIENCE (EXCHANGE == BY_PACKETS ? 4000000u : 0u)

/* Data of a group (cloth_patch_record). Particles are numbered within the garment; an index into
 * `tables` counts words of the size that is read there. */
typedef struct patch_group {
    uint first, garment; /* first particle of the garment, number of the garment */
    uint own_at, own_count;
    uint ghost_at, ghost_count;
    uint send_at, send_count; /* packet send_at + i receives own particle i < send_count */
    uint slot_at;             /* first packet of this garment */
    uint step_at, pair_steps, figure_steps;
    uint anchor_at, anchor_count;
    uint shape_at, shape_count; /* units of float4 */
} patch_group;

/* Bending constraints of a group, or its elements: rows of uint4, row r of constraint k at
 * at + r * count + k, with particles as positions in the group; first constraints of the steps at
 * `step_at`. Order: the steps before `middle` (between patches), pair steps before `pair_middle`,
 * the other steps, the other pair steps. */
typedef struct patch_fabric {
    uint at, count, step_at, elements, middle, steps, pair_middle;
} patch_fabric;

#define GROUP_ROWS 6 /* uint4 of a record; the last two are its patch_fabric */

CLOTH_FUNCTION patch_fabric fabric_at(__global const uint4 *groups, uint index)
{
    uint4 a = groups[GROUP_ROWS * index + 4], b = groups[GROUP_ROWS * index + 5];
    patch_fabric fabric = {a.x, a.y, a.z, a.w, b.x, b.y, b.z};
    return fabric;
}

CLOTH_FUNCTION patch_group group_at(__global const uint4 *groups, uint index)
{
    uint4 a = groups[GROUP_ROWS * index], b = groups[GROUP_ROWS * index + 1],
          c = groups[GROUP_ROWS * index + 2], d = groups[GROUP_ROWS * index + 3];
    patch_group group;
    group.first = a.x, group.garment = a.y, group.own_at = a.z, group.own_count = a.w;
    group.ghost_at = b.x, group.ghost_count = b.y, group.send_at = b.z, group.send_count = b.w;
    group.slot_at = c.x, group.step_at = c.y, group.pair_steps = c.z, group.figure_steps = c.w;
    group.anchor_at = d.x, group.anchor_count = d.y, group.shape_at = d.z, group.shape_count = d.w;
    return group;
}

/* Common data of the kernel's functions. */
typedef struct patch_view {
    __global float4 *position, *previous;
    __global uint2 *carry;
    __global const float4 *garments;
    /* the tables as words of 4, 8 and 16 bytes */
    __global const uint *word;
    __global const uint2 *word2;
    __global const uint4 *word4;
    __global uint4 *packets;
    __global const float4 *air, *driver_from, *driver_to, *driver_map;
    __global uint2 *debug;
    __global const float4 *colliders, *contact;
    __global uint *flags;
    __local float4 *place; /* positions of own particles, ghosts, anchors */
    /* limits of 16 materials, then COLLIDERS posed for the substep, then shapes */
    __local float4 *palette;
    __local float4 *shapes; /* points into palette */
    __local uint *steps;
    __local uint2 *carries;
    uint slot_count, tether_at;
    patch_group group;
    cloth_cloth cloth;
    cloth_step step; /* the current substep */
    uint item;
} patch_view;

CLOTH_FUNCTION __local float4 *anchor_places(const patch_view *view)
{
    return view->place + view->group.own_count + view->group.ghost_count;
}

CLOTH_FUNCTION __local float4 *posed_colliders(const patch_view *view)
{
    return view->palette + 16;
}

/* ---- constraints ---- */

/* Decoded `rest` of a constraint: shortest and longest length, m, and give. `rest` is the rest
 * length; with LIMITED its last four bits are the number of a material in `limits`: shortest length
 * / rest length, longest length / rest length, give. */
typedef struct patch_limit {
    float low, high, give;
} patch_limit;

CLOTH_FUNCTION patch_limit limit_of(float rest, __local const float4 *limits)
{
    patch_limit made;
    made.low = made.high = rest;
    made.give = 0.0f;
    if (LIMITED) {
        float4 limit = limits[as_uint(rest) & 15u];
        rest = as_float(as_uint(rest) & ~15u);
        made.low = rest * limit.x;
        made.high = rest * limit.y;
        made.give = limit.z;
    }
    return made;
}

#if HED_STRICT
/* Projects a distance constraint; `equal` is 0. */
CLOTH_FUNCTION void project(
    float4 *a, float4 *b, float rest, __local const float4 *limits, int equal)
{
    patch_limit limit = limit_of(rest, limits);
    (void)equal;
    cloth_project(a, b, limit.low, limit.high, limit.give);
}

#define SAME(a, b) 0
#else
/* Projects as cloth_project(), with a short chain of dependent operations from load to store: the
 * ends' fractions of the correction are computed before the length. `low`, `high`: range of
 * lengths. */
CLOTH_FUNCTION void correct(
    float4 *a, float4 *b, float low, float high, float share_a, float share_b)
{
    float x = b->x - a->x, y = b->y - a->y, z = b->z - a->z;
    float inverse = hed_near_rsqrt(fma(x, x, fma(y, y, fma(z, z, 1e-24f))));
    /* factor of the distance */
    float ratio = RANGES ? fmin(fmax(1.0f, low * inverse), high * inverse) : low * inverse;
    float pa = fma(-share_a, ratio, share_a), pb = fma(share_b, ratio, -share_b);
    a->x = fma(pa, x, a->x);
    a->y = fma(pa, y, a->y);
    a->z = fma(pa, z, a->z);
    b->x = fma(pb, x, b->x);
    b->y = fma(pb, y, b->y);
    b->z = fma(pb, z, b->z);
}

/* Fraction of the correction for an end / its inverse mass. */
CLOTH_FUNCTION float part_of(float weight_a, float weight_b, float give)
{
    float weight = weight_a + weight_b;
    if (COMPLIANCE) weight += give;
    return hed_near_rcp(fmax(weight, 1e-20f));
}

/* Projects a distance constraint. `equal`: both ends are free and have the same mass, and the
 * constraint has no compliance. */
CLOTH_FUNCTION void project(
    float4 *a, float4 *b, float rest, __local const float4 *limits, int equal)
{
    patch_limit limit = limit_of(rest, limits);
    float part = equal ? 0.0f : part_of(a->w, b->w, limit.give);
    correct(a, b, limit.low, limit.high, equal ? 0.5f : a->w * part, equal ? 0.5f : b->w * part);
}

/* True if project() can be called with `equal`; compliance needs the reciprocal in any case. */
#define SAME(a, b) (!COMPLIANCE && (a).w > 0.0f && (a).w == (b).w)
#endif

/* Stores a free particle. Constraints of one step may share a locked particle: they all read the
 * particle and must not write it. */
CLOTH_FUNCTION void store_free(__local float4 *at, float4 moved)
{
    if (moved.w > 0.0f) *at = moved;
}

/* Solves a pair. `ends`: 14 bits of each end; `rest`: see limit_of(). */
CLOTH_FUNCTION void solve_pair(const patch_view *view, uint ends, float rest)
{
    uint i = ends & 16383u, j = ends >> 14;
    float4 a = view->place[i], b = view->place[j];
    if (SAME(a, b)) project(&a, &b, rest, view->palette, 1);
    else project(&a, &b, rest, view->palette, 0);
    store_free(&view->place[i], a);
    store_free(&view->place[j], b);
}

/* Entry of a figure: 14 bits of each particle; then the bits of six `rest`, or 8 bits of a shape's
 * number. A shape has six `rest` in two float4. */
typedef struct entry {
#if FIGURES == FIGURES_WIDE
    uint4 head, tail;
#else
    uint2 head;
#endif
} entry;

#define MATCHINGS(equal) \
    project(&a, &b, lengths.x, limits, equal); \
    project(&c, &d, lengths.y, limits, equal); \
    project(&a, &c, lengths.z, limits, equal); \
    project(&b, &d, lengths.w, limits, equal); \
    if (complete) project(&a, &d, cross.x, limits, equal); \
    if (complete) project(&b, &c, cross.y, limits, equal);

CLOTH_FUNCTION void solve_figure(const patch_view *view, entry figure, uint complete)
{
    __local float4 *place = view->place;
    __local const float4 *limits = view->palette;
    uint low = figure.head.x, high = figure.head.y;
    uint i = low & 16383u, j = low >> 14 & 16383u, k = (low >> 28 | high << 4) & 16383u,
         l = high >> 10 & 16383u;
#if FIGURES == FIGURES_WIDE
    float4 lengths = hed_f4(as_float(figure.head.z), as_float(figure.head.w),
        as_float(figure.tail.x), as_float(figure.tail.y));
    float2 cross = hed_f2(as_float(figure.tail.z), as_float(figure.tail.w));
#else
    __local const float4 *shape = view->shapes + 2 * (high >> 24);
    float4 lengths = shape[0];
    float2 cross = hed_f2(0.0f, 0.0f);
    if (complete) cross = hed_f2(shape[1].x, shape[1].y);
#endif
    float4 a = place[i], b = place[j], c = place[k], d = place[l];
    if (SAME(a, b) && a.w == c.w && a.w == d.w) {
        MATCHINGS(1)
    } else {
        MATCHINGS(0)
    }
    store_free(&place[i], a);
    store_free(&place[j], b);
    store_free(&place[k], c);
    store_free(&place[l], d);
}

/* ---- the table of constraints, in registers or streamed ---- */

/* True if a sweep has a barrier. */
#define SWEEP_WAITS (STEPS ? EARLY < STEPS : view->group.pair_steps + view->group.figure_steps > 0)

#if STEPS
/* Constraint of an item in each step. Ends are 16-bit byte offsets from the first particle, at most
 * 4,096 particles, so that no index is multiplied. Masses do not change in a launch, so with SHARES
 * the fractions are computed once. */
typedef struct patch_table {
    uint ends[STEPS];
    float rests[STEPS]; /* shortest lengths, if SHARES */
    float share_a[STEPS], share_b[STEPS], longest[STEPS];
} patch_table;

CLOTH_FUNCTION __local float4 *end_of(const patch_view *view, uint bytes)
{
    return (__local float4 *)((__local char *)view->place + bytes);
}

CLOTH_FUNCTION void load_table(const patch_view *view, patch_table *table)
{
    __local const uint *steps = view->steps;
#pragma unroll
    for (uint s = 0; s < STEPS; s++) {
        /* no branch, so that all loads overlap */
        uint at = s < view->group.pair_steps ? steps[s] + view->item : 0,
             some = s < view->group.pair_steps && at < steps[s + 1];
        uint2 pair = view->word2[some ? at : 0];
        table->ends[s] = some ? (pair.x & 16383u) << 4 | pair.x >> 14 << 20 : NOTHING;
        table->rests[s] = as_float(pair.y);
    }
#if SHARES
#pragma unroll
    for (uint s = 0; s < STEPS; s++) {
        uint ends = table->ends[s] == NOTHING ? 0 : table->ends[s];
        patch_limit limit = limit_of(table->rests[s], view->palette);
        float weight_a = end_of(view, ends & 0xffffu)->w, weight_b = end_of(view, ends >> 16)->w;
        float part = part_of(weight_a, weight_b, limit.give);
        table->rests[s] = limit.low;
        table->share_a[s] = weight_a * part;
        table->share_b[s] = weight_b * part;
        table->longest[s] = limit.high; /* read with RANGES only */
    }
#endif
}

CLOTH_FUNCTION void solve_step(const patch_view *view, const patch_table *table, uint step)
{
    uint ends = table->ends[step];
    if (ends == NOTHING) return;
    __local float4 *i = end_of(view, ends & 0xffffu), *j = end_of(view, ends >> 16);
    float4 a = *i, b = *j;
#if SHARES
    correct(&a, &b, table->rests[step], RANGES ? table->longest[step] : 0.0f, table->share_a[step],
        table->share_b[step]);
#else
    project(&a, &b, table->rests[step], view->palette, 0);
#endif
    store_free(i, a);
    store_free(j, b);
}

/* Solves the steps that need no ghosts, while the packets of ghosts travel. */
CLOTH_FUNCTION void sweep_early(const patch_view *view, const patch_table *table)
{
#pragma unroll
    for (uint s = 0; s < EARLY; s++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        solve_step(view, table, s);
    }
}

CLOTH_FUNCTION void sweep(const patch_view *view, patch_table *table)
{
#pragma unroll
    for (uint s = EARLY; s < STEPS; s++) {
        solve_step(view, table, s);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
#else
/* First entries of an item in the next step. */
typedef struct patch_table {
    entry next[QUEUE];
} patch_table;

/* Entry `item` of a step; head.x is NOTHING after the step's last entry. */
CLOTH_FUNCTION entry fetch(const patch_view *view, uint step, uint item)
{
    __local const uint *steps = view->steps;
    entry made;
    made.head.x = NOTHING;
    if (!FIGURES || step < view->group.pair_steps) {
        uint at = steps[step] + item;
        if (at < steps[step + 1]) {
            uint2 pair = view->word2[at];
            made.head.x = pair.x;
            made.head.y = pair.y;
        }
    } else {
        uint begin = steps[step + 1] & ~COMPLETE_STEP,
             count = (steps[step + 2] & ~COMPLETE_STEP) - begin;
        if (item < count) {
#if FIGURES == FIGURES_WIDE
            made.head = view->word4[2 * begin + item];
            made.tail = view->word4[2 * begin + count + item];
#else
            made.head = view->word2[begin + item];
#endif
        }
    }
    return made;
}

CLOTH_FUNCTION void load_table(const patch_view *view, patch_table *table)
{
#pragma unroll
    for (uint q = 0; q < QUEUE; q++) table->next[q] = fetch(view, 0, q * WG + view->item);
}

CLOTH_FUNCTION void sweep_early(const patch_view *view, const patch_table *table)
{
    (void)view, (void)table; /* EARLY <= STEPS */
}

CLOTH_FUNCTION void solve(const patch_view *view, uint step, entry made)
{
    if (FIGURES && step >= view->group.pair_steps)
        solve_figure(view, made, view->steps[step + 1] & COMPLETE_STEP);
    else solve_pair(view, made.head.x, as_float(made.head.y));
}

/* Solves steps [from, to). The table has entries of step `from` before and of step `to` after the
 * call. */
CLOTH_FUNCTION void sweep_steps(const patch_view *view, patch_table *table, uint from, uint to)
{
    uint all = view->group.pair_steps + view->group.figure_steps;
    for (uint s = from; s < to; s++) {
        entry now[QUEUE], late = fetch(view, s, QUEUE * WG + view->item);
#pragma unroll
        for (uint q = 0; q < QUEUE; q++) now[q] = table->next[q];
#pragma unroll
        for (uint q = 0; q < QUEUE; q++)
            table->next[q] = fetch(view, s + 1 < all ? s + 1 : 0, q * WG + view->item);
#pragma unroll
        for (uint q = 0; q < QUEUE; q++)
            if (now[q].head.x != NOTHING) solve(view, s, now[q]);
        for (uint more = (QUEUE + 1) * WG + view->item; late.head.x != NOTHING; more += WG) {
            entry later = fetch(view, s, more);
            solve(view, s, late);
            late = later;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

CLOTH_FUNCTION void sweep(const patch_view *view, patch_table *table)
{
    sweep_steps(view, table, 0, view->group.pair_steps + view->group.figure_steps);
}
#endif

#endif
