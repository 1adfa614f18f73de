/** @file synth_live.h
 *  Playing live through JACK or ALSA, in a library of its own (libheddle-synth-live).
 *
 *  The audio thread allocates and locks nothing. With the cpu solver it plays by itself; else it
 *  exchanges records with a thread that drives the device, one block behind.
 */
#ifndef HEDDLE_SYNTH_LIVE_H
#define HEDDLE_SYNTH_LIVE_H

#include "heddle/synth.h"

HED_BEGIN

/** Where sound goes. */
typedef enum hed_synth_live_driver {
    HED_SYNTH_LIVE_JACK,
    HED_SYNTH_LIVE_ALSA
} hed_synth_live_driver;

/** How to play live. Start from hed_default_synth_live_def(). */
typedef struct hed_synth_live_def {
    hed_synth_live_driver driver;
    /** of the client: "heddle"; its port "midi" takes what others connect to it */
    const char *name;
    /** to connect from: a name or part of it, or ALSA's "20:0"; NULL: none */
    const char *midi_port;
    const char *output; /**< ALSA device, or JACK port pattern; NULL: the first playback ports */
    uint32_t block;     /**< ALSA: frames a period; JACK has its own */
    uint32_t rate;      /**< ALSA; JACK has its own */
    hed_device *device;
    /** Rate and block are replaced by the driver's. `inputs` are JACK ports, or channels that the
     * ALSA device
     *  captures; those that it does not are silent, and the context's log has a warning. */
    hed_synth_def synth;
} hed_synth_live_def;

HED_API hed_synth_live_def hed_default_synth_live_def(void); /**< Thread class: rt */

/** What the meter shows. */
typedef struct hed_synth_live_info {
    hed_meter_report load; /**< of the audio callback against the block */
    uint64_t xruns;        /**< counted by the driver, of playback and capture */
    /** blocks that the device had not finished in time (silence was played) */
    uint64_t late;
    /** Hz, frames, frames added by us: JACK's ports tell them, too */
    uint32_t rate, block, latency;
    uint64_t events, events_lost;
    hed_synth_info synth; /**< a copy taken now and then */
} hed_synth_live_info;

typedef struct hed_synth_live hed_synth_live;

/** Connects and starts to sound. Thread class: owner. Errors: UNSUPPORTED (the library of JACK or
 *  of ALSA is not installed: the text names its packages), IO (no server, no such port: says which
 *  there are), and hed_synth_create()'s. ALSA without a sequencer plays without MIDI, unless
 *  `midi_port` is given. */
HED_API hed_status hed_synth_live_start(
    const hed_synth_live_def *def, hed_synth_live **live, hed_error *error);
/** Adds an event, as if it had come by MIDI now. Thread class: any one thread. */
HED_API bool hed_synth_live_event(hed_synth_live *live, const hed_synth_event *event);
/** Swaps a changed instrument in. Thread class: owner. Errors: as hed_synth_prepare. */
HED_API hed_status hed_synth_live_change(
    hed_synth_live *live, const hed_synth_instrument *instrument, hed_error *error);
/** OK while it runs; else why it ended (server gone, device lost). Thread class: owner. */
HED_API hed_status hed_synth_live_report(
    hed_synth_live *live, hed_synth_live_info *report, hed_error *error);
/** Fades out in a block, disconnects, frees. NULL is allowed. Thread class: owner */
HED_API void hed_synth_live_stop(hed_synth_live *live);

HED_END

#endif
