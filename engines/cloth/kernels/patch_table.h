/* What a group of patch.cl works on, and its table of constraints: pairs of particles, or figures
 * of four, kept in registers or streamed.
 *
 * The defines are what an instance has: the host gives them (solver/patches.c), the values here let
 * the file stand alone. */
#ifndef CLOTH_PATCH_TABLE_H
#define CLOTH_PATCH_TABLE_H
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#endif
#ifndef CLOTH_COLLIDE_H
#include "collide.h"
#endif
#ifndef WG
#define WG 64 /* items of a group */
#endif
#ifndef OWN
#define OWN 16 /* own particles of an item at most */
#endif
#ifndef GHOSTS
#define GHOSTS 1 /* others' particles that an item receives at most */
#endif
#ifndef STEPS
#define STEPS 0 /* steps with one constraint of each item, in registers; 0: streamed */
#endif
#ifndef SHARES
#define SHARES 0 /* STEPS: what it needs of the masses is in registers too */
#endif
#ifndef EARLY
#define EARLY 0 /* first of STEPS done while packets travel */
#endif
#ifndef QUEUE
#define QUEUE 2 /* entries of the next step that an item fetches ahead */
#endif
#ifndef HELD
#define HELD \
    OWN /* of OWN, how many previous positions stay in registers; the others in global memory */
#endif
#ifndef EXCHANGE
#define EXCHANGE 0
#endif
#define NO_EXCHANGE 0 /* a group for each whole garment */
#define BY_PACKETS 1
#define BY_LAUNCHES 2 /* a launch ends after each sending: for devices without packets */
#ifndef FIGURES
#define FIGURES 0
#endif
#define FIGURES_WIDE 1   /* an entry has its lengths: 32 bytes */
#define FIGURES_SHAPES 2 /* an entry has the number of a shape: 8 bytes */
#ifndef ITERATIONS
#define ITERATIONS 1
#endif
#ifndef RANGES
#define RANGES 0 /* some constraint allows more than one length */
#endif
#ifndef COMPLIANCE
#define COMPLIANCE 0
#endif
#ifndef SHORT_MOVES
#define SHORT_MOVES 0 /* cloth_step.longest_move means something */
#endif
#ifndef FABRIC
#define FABRIC 0 /* some garment bends, or has elements: with STEPS 0 */
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
#ifndef COLLIDERS
#define COLLIDERS 0
#endif
#ifndef CONTACTS
#define CONTACTS 0
#endif
#define LIMITED (RANGES || COMPLIANCE)
#define SURROUNDED (COLLIDERS || CONTACTS || DRIVER)
#define NEEDS_PARTICLE (HELD < OWN || AIR || DRIVER) /* its number, in the integration */
/* Particles of an item that are integrated side by side, so that their loads are on their way
 * together. */
#if (STEPS || !HELD) && WG <= 512
#define BATCH (OWN < 4 ? OWN : 4)
#elif STEPS || !HELD
#define BATCH (OWN < 2 ? OWN : 2)
#else
#define BATCH 1
#endif
#define NOTHING 0xffffffffu
#define COMPLETE_STEP \
    0x80000000u /* of a figure step's first entry: six constraints a figure, else four */
/* Polls before one exchange's packets are given up: seconds, where microseconds are usual. */
#define PATIENCE (EXCHANGE == BY_PACKETS ? 4000000u : 0u)

/* What a launch makes; cloth_patch_launch in kernels.h. Substeps are as `first`, then like `rest`,
 * going on by `dt`. An exchange has two halves, up to the sending and from the receiving on; a
 * launch makes the halves [begin, end): all of them, or with BY_LAUNCHES those from behind one
 * sending to behind the next. */
typedef struct patch_launch {
    cloth_step first, rest;
    float dt;
    uint slot_count;          /* packets of one of the two buffers */
    uint begin, end;          /* halves of exchanges */
    uint total;               /* exchanges of all substeps that were asked for */
    uint tether_at, limit_at; /* in `tables`: see cloth_patch_launch */
} patch_launch;

/* What a group works on (cloth_patch_record). Numbers of particles are within the garment, places
 * in `tables` in the words that they are read by. */
typedef struct patch_group {
    uint first, garment; /* the garment's first particle, its number */
    uint own_at, own_count;
    uint ghost_at, ghost_count;
    uint send_at, send_count; /* own particle i < send_count goes into packet send_at + i */
    uint slot_at;             /* packets of this garment */
    uint step_at, pair_steps, figure_steps;
    uint anchor_at, anchor_count;
    uint shape_at, shape_count; /* float4s */
} patch_group;

/* Bending constraints of a group, or elements: rows of uint4, a row of each behind a row of all, with
 * places in the group for particles; the first of each step at `step_at`. The steps before `middle`
 * are of those between patches; behind them come pair steps up to `pair_middle`, then the other
 * steps, then the other pair steps. */
typedef struct patch_fabric {
    uint at, count, step_at, elements, middle, steps, pair_middle;
} patch_fabric;

#define GROUP_ROWS 6 /* uint4s of a record, of which the last two are its patch_fabric */

CLOTH_FUNCTION patch_fabric fabric_at(__global const uint4 *groups, uint index)
{
    uint4 a = groups[GROUP_ROWS * index + 4], b = groups[GROUP_ROWS * index + 5];
    patch_fabric all = {a.x, a.y, a.z, a.w, b.x, b.y, b.z};
    return all;
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

/* What every function of the kernel works on. */
typedef struct patch_view {
    __global float4 *position, *previous;
    __global uint2 *carry;
    __global const float4 *garments;
    /* the tables, by 4, 8 and 16 bytes */
    __global const uint *word;
    __global const uint2 *word2;
    __global const uint4 *word4;
    __global uint4 *packets;
    __global const float4 *air, *driver_from, *driver_to, *driver_map;
    __global uint2 *debug;
    __global const float4 *colliders, *contact;
    __global uint *flags;
    __local float4 *place; /* own particles, ghosts, anchors */
    /* limits of 16 materials, then COLLIDERS as they are in the substep, then shapes */
    __local float4 *palette;
    __local float4 *shapes; /* in palette */
    __local uint *steps;
    __local uint2 *carries;
    uint slot_count, tether_at;
    patch_group group;
    cloth_cloth cloth;
    cloth_step step; /* the substep at work */
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

/* What cloth_project() does, with the chain from loaded positions to stored ones kept short: the
 * ends' shares of the way are ready before the length is. `low`, `high`: lengths allowed. */
CLOTH_FUNCTION void correct(
    float4 *a, float4 *b, float low, float high, float share_a, float share_b)
{
    float x = b->x - a->x, y = b->y - a->y, z = b->z - a->z;
    float inverse = hed_near_rsqrt(fma(x, x, fma(y, y, fma(z, z, 1e-24f))));
    /* of the distance */
    float kept = RANGES ? fmin(fmax(1.0f, low * inverse), high * inverse) : low * inverse;
    float pa = fma(-share_a, kept, share_a), pb = fma(share_b, kept, -share_b);
    a->x = fma(pa, x, a->x);
    a->y = fma(pa, y, a->y);
    a->z = fma(pa, z, a->z);
    b->x = fma(pb, x, b->x);
    b->y = fma(pb, y, b->y);
    b->z = fma(pb, z, b->z);
}

/* What a constraint's `rest` stands for: its rest length; where materials differ, the last four
 * bits are the number of one in `limits`, which are the shortest and longest length over the rest
 * length, and the give. */
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

/* An end's share is this times its inverse mass. */
CLOTH_FUNCTION float part_of(float weight_a, float weight_b, float give)
{
    float weight = weight_a + weight_b;
    if (COMPLIANCE) weight += give;
    return hed_near_rcp(fmax(weight, 1e-20f));
}

/* `equal`: both ends are free and weigh the same, and nothing gives. */
CLOTH_FUNCTION void project(
    float4 *a, float4 *b, float rest, __local const float4 *limits, int equal)
{
    patch_limit limit = limit_of(rest, limits);
    float part = equal ? 0.0f : part_of(a->w, b->w, limit.give);
    correct(a, b, limit.low, limit.high, equal ? 0.5f : a->w * part, equal ? 0.5f : b->w * part);
}

/* With compliance there is a reciprocal for each constraint in any case. */
#define SAME(a, b) (!COMPLIANCE && (a).w > 0.0f && (a).w == (b).w)

/* Constraints of one step may share a locked particle: they all read it, and none writes it. */
CLOTH_FUNCTION void store_free(__local float4 *at, float4 moved)
{
    if (moved.w > 0.0f) *at = moved;
}

/* Entry of a pair: 14 bits of each end; bits of `rest`. */
CLOTH_FUNCTION void solve_pair(const patch_view *view, uint ends, float rest)
{
    uint i = ends & 16383u, j = ends >> 14;
    float4 a = view->place[i], b = view->place[j];
    if (SAME(a, b)) project(&a, &b, rest, view->palette, 1);
    else project(&a, &b, rest, view->palette, 0);
    store_free(&view->place[i], a);
    store_free(&view->place[j], b);
}

/* 14 bits of each particle; then bits of six rests, or 8 bits of the shape: six rests in two
 * float4. */
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

/* ---- the table of constraints: in registers, or streamed ---- */

/* Whether a sweep has a barrier. */
#define SWEEP_WAITS (STEPS ? EARLY < STEPS : view->group.pair_steps + view->group.figure_steps > 0)

#if STEPS
/* An item's constraint of each step. Ends are bytes from the first particle, which saves work:
 * 4,096 particles. Masses do not change in a launch, so with SHARES there is nothing left to
 * compute of them. */
typedef struct patch_table {
    uint ends[STEPS];
    float rests[STEPS]; /* SHARES: lengths */
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
        /* Without a branch, so that all loads are on their way together. */
        uint at = s < view->group.pair_steps ? steps[s] + view->item : 0,
             some = s < view->group.pair_steps && at < steps[s + 1];
        uint2 pair = view->word2[some ? at : 0];
        table->ends[s] = some ? (pair.x & 16383u) << 4 | pair.x >> 14 << 20 : NOTHING;
        table->rests[s] = as_float(pair.y);
    }
    if (!SHARES) return;
#pragma unroll
    for (uint s = 0; s < STEPS; s++) {
        uint ends = table->ends[s] == NOTHING ? 0 : table->ends[s];
        patch_limit limit = limit_of(table->rests[s], view->palette);
        float weight_a = end_of(view, ends & 0xffffu)->w, weight_b = end_of(view, ends >> 16)->w;
        float part = part_of(weight_a, weight_b, limit.give);
        table->rests[s] = limit.low;
        table->share_a[s] = weight_a * part;
        table->share_b[s] = weight_b * part;
        table->longest[s] = limit.high; /* used with RANGES */
    }
}

CLOTH_FUNCTION void solve_step(const patch_view *view, const patch_table *table, uint step)
{
    uint ends = table->ends[step];
    if (ends == NOTHING) return;
    __local float4 *i = end_of(view, ends & 0xffffu), *j = end_of(view, ends >> 16);
    float4 a = *i, b = *j;
    if (SHARES)
        correct(&a, &b, table->rests[step], RANGES ? table->longest[step] : 0.0f,
            table->share_a[step], table->share_b[step]);
    else project(&a, &b, table->rests[step], view->palette, 0);
    store_free(i, a);
    store_free(j, b);
}

/* Steps that need no ghosts, while these are on their way. */
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
/* An item's first entries of the step that comes next. */
typedef struct patch_table {
    entry next[QUEUE];
} patch_table;

/* Entry `item` of a step; head.x is NOTHING where the step has no more. */
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

/* Steps [from, to): the table has entries of the first of them, and then of the one behind them. */
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
