/* Kernels of balls around particles: particles are counted into buckets, prefix sums of the
 * counts are the first slots, particles are sorted and pushed. ball_contact.h has the work of
 * one particle. */
#ifndef WG
#define WG 128
#endif
#ifndef CLOTH_PHYSICS_H
#include "kernels/physics.h"
#include "kernels/collide.h"
#include "ball_contact.h"
#endif

__kernel void cloth_self_count(HED_VIEW_PARAMETERS(SELF_COUNT))
{
    uint i = (uint)get_global_id(0);
    if (i >= self.particles) return;
    uint bucket = cloth_self_bucket(position[i], previous[i], rests[i], self);
    uint before = bucket != CLOTH_SELF_NONE ? atomic_inc(starts + bucket) : 0u;
    entries[i] = hed_u2(bucket, before);
}

/* Replaces the counts of a tile by their exclusive prefix sums, and writes the tile's sum. An
 * item has RUN neighbouring counts. */
#define RUN (CLOTH_SELF_TILE / WG)
__kernel void cloth_self_scan(HED_VIEW_PARAMETERS(SELF_SCAN))
{
    HED_LOCAL_ARRAY(uint, sums, 2 * WG);
    uint item = (uint)get_local_id(0), tile = (uint)get_group_id(0);
    uint first = tile * CLOTH_SELF_TILE + item * RUN;
    uint run[RUN], sum = 0;
    for (uint i = 0; i < RUN; i++) {
        run[i] = sum;
        sum += first + i < buckets ? starts[first + i] : 0u;
    }
    uint at = 0, inclusive = sum; /* Hillis and Steele's scan, in two halves in turn */
    sums[item] = inclusive;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < WG; step *= 2) {
        if (item >= step) inclusive += sums[at + item - step];
        at = WG - at;
        sums[at + item] = inclusive;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint i = 0; i < RUN; i++)
        if (first + i < buckets) starts[first + i] = run[i] + inclusive - sum;
    if (item == WG - 1) totals[tile] = inclusive;
}

/* Replaces the sums of the tiles by their exclusive prefix sums, followed by the sum of all
 * tiles. One group. */
__kernel void cloth_self_totals(HED_VIEW_PARAMETERS(SELF_TOTALS))
{
    HED_LOCAL_ARRAY(uint, sums, 2 * WG);
    uint item = (uint)get_local_id(0), carry = 0;
    for (uint first = 0; first < tiles; first += WG) {
        uint own = first + item < tiles ? totals[first + item] : 0u, at = 0, inclusive = own;
        sums[item] = inclusive;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint step = 1; step < WG; step *= 2) {
            if (item >= step) inclusive += sums[at + item - step];
            at = WG - at;
            sums[at + item] = inclusive;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (first + item < tiles) totals[first + item] = carry + inclusive - own;
        carry += sums[at + WG - 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0) totals[tiles] = carry;
}

__kernel void cloth_self_place(HED_VIEW_PARAMETERS(SELF_PLACE))
{
    uint i = (uint)get_global_id(0);
    if (i >= self.particles) return;
    uint2 entry = entries[i];
    if (entry.x != CLOTH_SELF_NONE) slots[cloth_self_start(starts, totals, entry.x) + entry.y] = i;
}

__kernel void cloth_self_order(HED_VIEW_PARAMETERS(SELF_ORDER))
{
    HED_VIEW_HERE(cloth_self_order_view, view, SELF_ORDER);
    uint slot = (uint)get_global_id(0);
    if (slot < self.particles) cloth_self_order_one(slot, view);
}

__kernel void cloth_self_near(HED_VIEW_PARAMETERS(SELF_NEAR))
{
    HED_VIEW_HERE(cloth_self_view, view, CLOTH_SELF_ARRAYS);
    uint slot = (uint)get_global_id(0);
    if (slot < self.particles) cloth_self_near_one(slot, view, neighbours, counts, self);
}

__kernel void cloth_self_push(HED_VIEW_PARAMETERS(SELF_PUSH))
{
    HED_VIEW_HERE(cloth_self_view, view, CLOTH_SELF_ARRAYS);
    HED_VIEW_HERE(cloth_self_target, target, CLOTH_SELF_TARGET);
    uint slot = (uint)get_global_id(0);
    if (slot < self.particles) cloth_self_push_one(slot, view, neighbours, counts, target, self);
}
