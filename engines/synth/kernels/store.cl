/* A program (layout.h) run for some samples: a work-group for each instance.
 *
 * Every item walks the rows of its list and steps the entity in its lane, which reads the signals of the previous sample and writes
 * those of this one: one barrier a sample. Pokes that are due are written before the sample, in their order, by one item; while none is
 * due that costs a comparison of two registers.
 *
 * IN_LOCAL: the store is in local memory while the launch lasts. Else it stays where it is. The result does not depend on WG: where there
 * are more lists than WG has room for, items take several. */
#ifndef IN_LOCAL
#define IN_LOCAL 1
#define SYNTH_SPACE __local
#endif
#ifndef WG
#define WG 256
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

#if IN_LOCAL
#define FENCE CLK_LOCAL_MEM_FENCE
#else
#define FENCE CLK_GLOBAL_MEM_FENCE
#endif
#define POKE_WORDS 3u /* synth_poke: frame, word, value */
#define NEVER 0xffffffffu

SYNTH_FUNCTION uint frame_of(__global const uint *pokes, uint poke, uint end) { return poke < end ? pokes[POKE_WORDS * poke] : NEVER; }

/* Applies the pokes from `poke` on that are due at `frame`; gives the next one. */
SYNTH_FUNCTION uint apply(SYNTH_SPACE uint *store, __global const uint *pokes, uint poke, uint end, uint frame)
{
    for (; frame_of(pokes, poke, end) == frame; poke++)
        if (get_local_id(0) == 0) store[pokes[POKE_WORDS * poke + 1u]] = pokes[POKE_WORDS * poke + 2u];
    return poke;
}

/* The items of lists `warp`, `warp` + step, ... step their lanes. */
SYNTH_FUNCTION void walk(const synth_layout *layout, const synth_at *at, uint warp, uint step, uint lane)
{
    for (; warp < layout->warps; warp += step) {
        uint end = at->store[layout->row_begin + warp + 1u];
        for (uint row = at->store[layout->row_begin + warp]; row < end; row++) {
            uint seat = at->store[layout->rows + row * layout->lanes + lane];
            if (seat != SYNTH_EMPTY) synth_entity(layout, at, SYNTH_SEAT_TYPE(seat), SYNTH_SEAT_ENTITY(seat));
        }
    }
}

/* `pokes`: (instances + 1) numbers of the first poke of each instance, then the pokes. */
__kernel void synth_program(__global uint *restrict stores, __global float *restrict delays, __global const float *restrict inputs,
                            __global float *restrict stems, __global const uint *restrict pokes, const synth_layout layout, uint sample,
                            uint frames
#if IN_LOCAL
                            , HED_LOCAL(uint, room)
#endif
)
{
#if IN_LOCAL
    HED_LOCAL_USE(uint, room);
#endif
    uint item = get_local_id(0), instance = get_group_id(0), instances = get_num_groups(0);
    __global uint *kept = stores + (size_t)instance * layout.words;
    synth_at at;
#if IN_LOCAL
    for (uint k = item; k < layout.words; k += WG) room[k] = kept[k];
    at.store = room;
#else
    at.store = kept;
#endif
    at.instance = instance;
    at.frames = frames;
    at.inputs = inputs;
    at.delay = delays + (size_t)instance * layout.delay_words;
    uint step = WG / layout.lanes, lane = item % layout.lanes, warp = item / layout.lanes < step ? item / layout.lanes : layout.warps;
    uint poke = pokes[instance], end = pokes[instance + 1u];
    pokes += instances + 1u;
    uint due = frame_of(pokes, poke, end);
    barrier(FENCE);
    for (uint frame = 0; frame < frames; frame++) {
        if (frame == due) {
            poke = apply(at.store, pokes, poke, end, frame);
            due = frame_of(pokes, poke, end);
            barrier(FENCE);
        }
        uint half_at = sample + frame & 1u;
        at.sample = sample + frame;
        at.frame = frame;
        at.read = layout.signals + half_at * layout.signal_count;
        at.write = layout.signals + (1u - half_at) * layout.signal_count;
        at.stems = stems + ((size_t)frame * instances + instance) * layout.stems * 2u;
        walk(&layout, &at, warp, step, lane);
        barrier(FENCE);
    }
#if IN_LOCAL
    for (uint k = item; k < layout.signals + 2u * layout.signal_count; k += WG) kept[k] = room[k];
#endif
}
