/* A block of a synth that plays live: events and notes by their times, the block, its end. */
#include "live.h"

/* Adds an event to the next block. */
static void add_event(hed_synth_live *live, const hed_synth_event *event)
{
    if (!synth_events_add(live->pending, event)) atomic_fetch_add(&live->lost, 1);
}

/* Moves events that arrived during the previous block to this block, at the same distance from
 * its beginning: one block of latency, without jitter. */
static void take_events(hed_synth_live *live, hed_ring *ring, uint64_t now)
{
    live_timed timed;
    while (live->pending->count < SYNTH_EVENT_ROOM && hed_ring_pop(ring, &timed)) {
        uint64_t since =
            timed.time > live->previous && live->previous ? timed.time - live->previous : 0;
        uint64_t frame =
            (timed.time < now ? since : now - live->previous) * live->rate / 1000000000u;
        timed.event.frame = frame < live->block ? (uint32_t)frame : live->block - 1;
        add_event(live, &timed.event);
    }
}

void live_midi_at(hed_synth_live *live, uint32_t frame, const uint8_t *bytes, uint32_t size)
{
    hed_synth_event event;
    if (!synth_events_from_midi(bytes, size, &event)) return;
    event.frame = frame < live->block ? frame : live->block - 1;
    add_event(live, &event);
}

static bool push(hed_synth_live *live, hed_ring *ring, uint64_t ago, const hed_synth_event *event)
{
    live_timed timed = {hed_now() - ago, *event};
    bool pushed = hed_ring_push(ring, &timed);
    if (!pushed) atomic_fetch_add(&live->lost, 1);
    return pushed;
}

void live_midi_ago(hed_synth_live *live, uint64_t ago, const uint8_t *bytes, uint32_t size)
{
    hed_synth_event event;
    if (synth_events_from_midi(bytes, size, &event)) push(live, live->midi, ago, &event);
}

bool hed_synth_live_event(hed_synth_live *live, const hed_synth_event *event)
{
    if (!live || !event) return false;
    return push(live, live->events, 0, event);
}

static void silence(uint32_t frames, float *left, float *right)
{
    memset(left, 0, frames * sizeof *left);
    memset(right, 0, frames * sizeof *right);
}

/* Plays the block of the pending events, in this thread or in the device's. */
static void live_play_block(hed_synth_live *live, hed_synth_block *block)
{
    bool taken = true;
    if (live->exchange) {
        if (!live_exchange_block(live->exchange, block, &taken)) atomic_fetch_add(&live->late, 1);
    } else {
        live_process(live, block, &live->error);
    }
    if (taken) live->pending->count = 0;
    /* not taken: the events go into the next block */
    for (uint32_t i = 0; i < live->pending->count; i++) live->pending->at[i].frame = 0;
}

static void fade_out(hed_synth_live *live, uint32_t frames, float *left, float *right)
{
    if (atomic_load(&live->faded)) {
        silence(frames, left, right);
        return;
    }
    for (uint32_t n = 0; n < frames; n++) {
        float share = (float)(frames - 1 - n) / (float)frames;
        left[n] *= share;
        right[n] *= share;
    }
    atomic_store(&live->faded, true);
}

void live_play(
    hed_synth_live *live, uint32_t frames, const float *const *inputs, float *left, float *right)
{
    uint64_t begin = hed_now();
    if (frames != live->block)
        live_end(live, HED_ERROR_IO, "the sound driver has changed its block: start again");
    if (atomic_load(&live->ended)) {
        silence(frames, left, right);
        atomic_store(&live->faded, true);
        return;
    }
    take_events(live, live->events, begin);
    take_events(live, live->midi, begin);
    live->previous = begin;
    hed_synth_block block = {.frames = frames, .left = left, .right = right, .inputs = inputs};
    block.events = live->pending->at;
    block.event_count = live->pending->count;
    live_play_block(live, &block);
    if (atomic_load(&live->stopping)) fade_out(live, frames, left, right);
    hed_meter_add(&live->load, hed_now() - begin);
    if (live->until_report-- > 0) return;
    live->until_report = live->rate / live->block / 10;
    hed_meter_info report = hed_meter_describe(&live->load);
    hed_ring_push(live->loads, &report);
}
