/* Internals of live playing. A driver calls live_play() in its audio thread for each block. A
 * synth of the cpu solver plays in that thread; any other synth plays in a thread that drives
 * the device and exchanges blocks with the audio thread (struct live_exchange), one block
 * behind. The audio thread neither allocates nor locks. */
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
    /* Opens the driver; sets the rate and the block of `live`. */
    hed_status (*open)(const hed_synth_live_def *def, hed_synth_live *live, live_driver **driver,
        hed_error *error);
    /* Starts to call live_play(). */
    hed_status (*start)(live_driver *driver, const hed_synth_live_def *def, hed_error *error);
    /* Stops; live_play() is not called afterwards. */
    void (*close)(live_driver *driver);
} live_driver_ops;

extern const live_driver_ops live_jack_ops;
extern const live_driver_ops live_asound_ops;

/* ---- calls of the drivers ---- */

/* Adds a MIDI message to the block of the next live_play(), at frame `frame`. Audio thread. */
void live_midi_at(hed_synth_live *live, uint32_t frame, const uint8_t *bytes, uint32_t size);
/* Adds a MIDI message that arrived `ago` ns before now. Always the same thread of the driver. */
void live_midi_ago(hed_synth_live *live, uint64_t ago, const uint8_t *bytes, uint32_t size);
/* Plays one block. Audio thread. */
void live_play(
    hed_synth_live *live, uint32_t frames, const float *const *inputs, float *left, float *right);
/* Reports that the driver cannot continue. Any thread; the first call is recorded. */
void live_end(hed_synth_live *live, hed_status status, const char *text);

/* ---- the thread that drives a device: live_exchange.c ---- */

typedef struct live_exchange live_exchange;
hed_status live_exchange_create(hed_synth_live *live, live_exchange **exchange, hed_error *error);
void live_exchange_destroy(live_exchange *exchange);
/* Submits this block and takes the previous one. False: the previous block is not finished, and
 * `left` and `right` are silent. `taken` false: the device is so far behind that this block was
 * not submitted. Audio thread. */
bool live_exchange_block(live_exchange *exchange, const hed_synth_block *block, bool *taken);
/* Returns the number of submitted blocks that the device has not played yet. Audio thread. */
uint32_t live_exchange_behind(const live_exchange *exchange);

/* ---- the state ---- */

/* An event and its time of arrival, ns. */
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
    /* messages to the audio thread */
    hed_ring *events, *midi; /* live_timed, from hed_synth_live_event() and from the driver */
    _Atomic bool stopping;
    /* owned by the audio thread */
    synth_events *pending;
    uint32_t until_report;
    uint64_t previous; /* start of the previous block, ns */
    hed_meter load;
    hed_error error;
    /* messages from the audio thread */
    hed_ring *loads; /* hed_meter_info */
    _Atomic bool faded;
    _Atomic uint64_t xruns, late, played, lost;
    /* owned by the thread that calls live_process() */
    hed_ring *synths; /* hed_synth_info */
    uint32_t until_synth;
    /* a change, passed to the playing thread and back */
    _Atomic int change_state; /* live_change_state */
    hed_synth_change *change;
    hed_status change_status;
    hed_error change_error;
    /* cause of the end */
    _Atomic int ended; /* 0, 1: being written, 2 */
    hed_error end;
    hed_synth_live_info report; /* owner's copy */
};

/* Applies a pending change, plays a block, and reports ten times a second. Called by one thread
 * only. */
void live_process(hed_synth_live *live, hed_synth_block *block, hed_error *error);

#endif
