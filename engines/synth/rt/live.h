/* The inside of live playing. A driver calls live_play() in its audio thread for each block. With a
 * synth of the cpu solver that plays by itself; else it exchanges records with the thread that
 * drives the device (exchange.c), one block behind. Nothing in the audio thread allocates or
 * locks. */
#ifndef SYNTH_LIVE_INSIDE_H
#define SYNTH_LIVE_INSIDE_H

#include "heddle/ring.h"
#include "heddle/synth_live.h"
#include "events.h"

#include <pthread.h>
#include <stdatomic.h>

enum { LIVE_MOST_INPUTS = 64 };

/* ---- drivers: jack.c, asound.c ---- */

typedef struct live_driver live_driver;

typedef struct live_driver_ops {
    /* Opens it and says at which rate and block it will ask for sound. */
    hed_status (*open)(const hed_synth_live_def *def, hed_synth_live *live, live_driver **driver,
        hed_error *error);
    /* From here on live_play() is called. */
    hed_status (*start)(live_driver *driver, const hed_synth_live_def *def, hed_error *error);
    /* Behind it live_play() is not called any more. */
    void (*close)(live_driver *driver);
} live_driver_ops;

extern const live_driver_ops live_jack_ops;
extern const live_driver_ops live_asound_ops;

/* ---- what drivers call ---- */

/* Bytes of a MIDI message for the block that live_play() is asked for next, at one of its frames.
 * Audio thread. */
void live_midi_at(hed_synth_live *live, uint32_t frame, const uint8_t *bytes, uint32_t size);
/* Bytes of a MIDI message that came `ago` ns before now. One thread of the driver. */
void live_midi_ago(hed_synth_live *live, uint64_t ago, const uint8_t *bytes, uint32_t size);
/* One block. Audio thread. */
void live_play(
    hed_synth_live *live, uint32_t frames, const float *const *inputs, float *left, float *right);
/* The driver can go on no more. Any thread; the first one counts. */
void live_end(hed_synth_live *live, hed_status status, const char *text);

/* ---- the thread that drives a device: exchange.c ---- */

typedef struct live_exchange live_exchange;
hed_status live_exchange_create(hed_synth_live *live, live_exchange **exchange, hed_error *error);
void live_exchange_destroy(live_exchange *exchange);
/* Hands this block over and takes the one before. False: that is not there yet, and `left` and
 * `right` are silent; or, where `taken` is false too, the device is so far behind that this block
 * was not handed over. Audio thread. */
bool live_exchange_block(live_exchange *exchange, const hed_synth_block *block, bool *taken);
/* Blocks handed over that the device has not played yet. Audio thread. */
uint32_t live_exchange_behind(const live_exchange *exchange);

/* ---- the state ---- */

/* An event with the time at which it came. */
typedef struct live_timed {
    uint64_t time;
    hed_synth_event event;
} live_timed;

typedef enum live_change_state {
    LIVE_CHANGE_NONE,
    LIVE_CHANGE_ASKED,
    LIVE_CHANGE_TAKEN,
    LIVE_CHANGE_DONE
} live_change_state;

struct hed_synth_live {
    hed_allocator allocator;
    const live_driver_ops *ops;
    live_driver *driver;
    hed_synth *synth;
    live_exchange *exchange; /* NULL: the audio thread plays */
    uint32_t rate, block, inputs, latency;
    /* into the audio thread */
    hed_ring *events, *midi; /* of live_timed: by hed_synth_live_event(), by the driver */
    _Atomic bool stopping;
    /* the audio thread's own */
    synth_events *pending;
    uint32_t until_report;
    uint64_t previous; /* when the last block began, ns */
    hed_meter load;
    hed_error error;
    /* out of the audio thread */
    hed_ring *loads; /* of hed_meter_report */
    _Atomic bool faded;
    _Atomic uint64_t xruns, late, played, lost;
    /* of the thread that calls live_process() */
    hed_ring *synths; /* of hed_synth_info */
    uint32_t until_synth;
    /* a change, handed to and fro */
    _Atomic int change_state; /* live_change_state */
    hed_synth_change *change;
    hed_status change_status;
    hed_error change_error;
    /* why it ended */
    _Atomic int ended; /* 0, 1: being written, 2 */
    hed_error end;
    hed_synth_live_info report; /* the owner's */
};

/* Applies a change that waits, plays a block, and now and then hands out a report. The one thread
 * that plays. */
void live_process(hed_synth_live *live, hed_synth_block *block, hed_error *error);

#endif
