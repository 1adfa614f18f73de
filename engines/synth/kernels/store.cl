/* A program (layout.h) run for some samples, with a work-group for each instance.
 *
 * Every item iterates over the rows of its list and steps the entity in its lane, which reads
 * the signals of the previous sample and writes those of this one: one barrier a sample, and another
 * one behind the bows, which step when the bodies have moved. Pokes
 * that are due are written before the sample, each by a different item; while none is due this
 * costs a comparison of two registers.
 *
 * IN_LOCAL: the store is in local memory during the launch; otherwise in global memory. The
 * result does not depend on WG: if there are more lists than WG has space for, items take
 * several. RESIDENT: a kernel that stays on the device, with the store always in local memory;
 * blocks come through its mailbox. */
#ifndef IN_LOCAL
#define IN_LOCAL 1
#define SYNTH_SPACE __local
#endif
#ifndef RESIDENT
#define RESIDENT 0
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
#include "physics_spring.h"
#include "physics_body.h"
#endif
#ifndef SYNTH_PHYSICS_EXCITERS_H
#include "physics_exciters.h"
#endif
#ifndef SYNTH_PHYSICS_MODULATORS_H
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

SYNTH_FUNCTION uint frame_of(__global const uint *pokes, uint poke, uint end)
{
    return poke < end ? pokes[POKE_WORDS * poke] : NEVER;
}

/* Applies the pokes from `poke` on that are due at `frame`, each item some of them: no word is
 * poked twice before one sample. Returns the next poke. */
SYNTH_FUNCTION uint apply(
    SYNTH_SPACE uint *store, __global const uint *pokes, uint poke, uint end, uint frame)
{
    for (uint k = poke + get_local_id(0); frame_of(pokes, k, end) == frame; k += WG)
        store[pokes[POKE_WORDS * k + 1u]] = pokes[POKE_WORDS * k + 2u];
    for (uint step = 256u; step > 0; step /= 4u)
        while (frame_of(pokes, poke + step - 1u, end) == frame) poke += step;
    return poke;
}

/* Rows [begin, end) of a list. */
typedef struct rows {
    uint begin, end;
} rows;

SYNTH_FUNCTION rows rows_of(const synth_layout *layout, SYNTH_SPACE const uint *store, uint warp)
{
    rows found;
    found.begin = warp < layout->warps ? store[layout->row_begin + warp] : 0;
    found.end = warp < layout->warps ? store[layout->row_begin + warp + 1u] : 0;
    return found;
}

/* Steps the lanes of lists `warp`, `warp` + step, ... `first` are the rows of the first list,
 * `seat` is the item's seat in the first row: most items have no other rows. */
SYNTH_FUNCTION void walk(const synth_layout *layout, const synth_at *at, rows first, uint seat,
    uint warp, uint step, uint lane)
{
    for (rows list = first;; list = rows_of(layout, at->store, warp)) {
        for (uint row = list.begin; row < list.end; row++) {
            if (row != first.begin) seat = at->store[layout->rows + row * layout->lanes + lane];
            if (seat != SYNTH_EMPTY)
                synth_entity(layout, at, SYNTH_SEAT_TYPE(seat), SYNTH_SEAT_ENTITY(seat));
        }
        warp += step;
        if (warp >= layout->warps) return;
    }
}

/* Runs at->frames samples, then applies the pokes that are due after the last one. `pokes`:
 * (instances + 1) indices of the first poke of each instance, then the pokes. */
SYNTH_FUNCTION void play(const synth_layout *layout, synth_at *at, __global const uint *pokes,
    __global float *stems, uint sample)
{
    uint item = get_local_id(0), instances = get_num_groups(0), step = WG / layout->lanes;
    uint lane = item % layout->lanes,
         warp = item / layout->lanes < step ? item / layout->lanes : layout->warps;
    uint poke = pokes[at->instance], end = pokes[at->instance + 1u];
    rows first = rows_of(layout, at->store, warp);
    uint seat = first.begin < first.end
                    ? at->store[layout->rows + first.begin * layout->lanes + lane]
                    : SYNTH_EMPTY;
    pokes += instances + 1u;
    uint due = frame_of(pokes, poke, end);
    for (uint frame = 0; frame < at->frames; frame++) {
        if (frame == due) {
            poke = apply(at->store, pokes, poke, end, frame);
            due = frame_of(pokes, poke, end);
            barrier(FENCE);
        }
        uint half_at = (sample + frame) & 1u;
        at->sample = sample + frame;
        at->frame = frame;
        at->read = layout->signals + half_at * layout->signal_count;
        at->write = layout->signals + (1u - half_at) * layout->signal_count;
        at->stems = stems + ((size_t)frame * instances + at->instance) * layout->stems * 2u;
        walk(layout, at, first, seat, warp, step, lane);
        barrier(FENCE);
        if (layout->type[SYNTH_BOW].count > 0) {
            synth_late(layout, at, item, WG);
            barrier(FENCE);
        }
        if (!synth_is_checked(at->sample) || layout->stems == 0u) continue;
        barrier(CLK_GLOBAL_MEM_FENCE); /* an item marks the sound that another one wrote */
        if (synth_is_broken(layout, at, item, WG)) at->stems[0] = as_float(HED_NAN_BITS);
        barrier(FENCE); /* levels are of this sample */
    }
    apply(at->store, pokes, poke, end, at->frames);
    barrier(FENCE);
}

#if !RESIDENT
#if IN_LOCAL
__kernel void synth_program(HED_VIEW_PARAMETERS(SYNTH_STORE_IN_LOCAL))
#else
__kernel void synth_program(HED_VIEW_PARAMETERS(SYNTH_STORE))
#endif
{
#if IN_LOCAL
    HED_LOCAL_USE(uint, room);
#endif
    synth_at at;
    at.instance = get_group_id(0);
    __global uint *kept = stores + (size_t)at.instance * layout.words;
#if IN_LOCAL
    for (uint k = get_local_id(0); k < layout.words; k += WG) room[k] = kept[k];
    at.store = room;
#else
    at.store = kept;
#endif
    at.frames = frames;
    at.inputs = inputs;
    at.delay = delays + (size_t)at.instance * layout.delay_words;
    barrier(FENCE);
    play(&layout, &at, pokes, stems, sample);
#if IN_LOCAL
    for (uint k = get_local_id(0); k < layout.signals + 2u * layout.signal_count; k += WG)
        kept[k] = room[k];
#endif
}
#else
/* A request: command, first sample, frames, channels of input; then pokes as in play(). */
enum { REQUEST_PLAY, REQUEST_REST, REQUEST_SAVE, REQUEST_LOAD };
#define REQUEST_HEAD 4u

/* `room` contains the request, then the store. The host writes `mapped_inputs`, and copies change
 * `stores`, while this kernel runs: so these are read past the cache. */
__kernel void synth_resident(HED_VIEW_PARAMETERS(SYNTH_RESIDENT))
{
    HED_LOCAL_USE(uint, room);
    uint item = get_local_id(0), number = hed_resident_first(relay);
    uint mutable_words = layout.signals + 2u * layout.signal_count;
    synth_at at;
    at.instance = get_group_id(0);
    at.store = room + request_words;
    at.inputs = inputs + (size_t)at.instance * input_words;
    at.delay = delays + (size_t)at.instance * layout.delay_words;
    __global uint *kept = stores + (size_t)at.instance * layout.words;
    for (uint k = item; k < layout.words; k += WG) at.store[k] = kept[k];
    while (hed_resident_wait(mail, relay, &number)) {
        for (uint k = item; k < request_words; k += WG) room[k] = hed_resident_request(relay, k);
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        barrier(FENCE);
        uint command = room[0];
        at.frames = room[2];
        if (command == REQUEST_PLAY) {
            __global float *heard = inputs + (size_t)at.instance * input_words;
            for (uint k = item; k < room[3] * at.frames; k += WG)
                heard[k] = as_float(hed_resident_load(mapped_inputs + k));
            barrier(CLK_GLOBAL_MEM_FENCE);
            play(&layout, &at, room + REQUEST_HEAD, stems, room[1]);
        } else if (command == REQUEST_SAVE) {
            for (uint k = item; k < mutable_words; k += WG) kept[k] = at.store[k];
        } else {
            bool rest = command == REQUEST_REST;
            for (uint k = item; k < layout.words; k += WG)
                at.store[k] = rest ? image[k] : hed_resident_load(kept + k);
            for (uint k = item; rest && k < layout.delay_words; k += WG) at.delay[k] = 0.0f;
        }
        hed_resident_done(mail, relay, number);
    }
    for (uint k = item; k < mutable_words; k += WG) kept[k] = at.store[k];
}
#endif
