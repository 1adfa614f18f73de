/** @file synth_live.h
 *  Live playing through JACK or ALSA, in a library of its own (libheddle-synth-live).
 *
 *  The audio thread allocates and locks nothing. With the cpu solver it plays by itself; otherwise
 *  it exchanges records with a thread that drives the device, one block later. */
#ifndef HEDDLE_SYNTH_LIVE_H
#define HEDDLE_SYNTH_LIVE_H

#include "heddle/synth.h"

HED_BEGIN

/** Sound system. */
typedef enum hed_synth_live_driver {
    HED_SYNTH_LIVE_JACK,
    HED_SYNTH_LIVE_ALSA
} hed_synth_live_driver;

/** Definition of live playing. Start from hed_default_synth_live_def(). */
typedef struct hed_synth_live_def {
    hed_synth_live_driver driver;
    /** name of the client, "heddle"; other programs connect to its port "midi" */
    const char *name;
    /** MIDI port to connect from: a name or part of it, or ALSA's "20:0"; NULL: none */
    const char *midi_port;
    const char *output; /**< ALSA device, or JACK port pattern; NULL: the first playback ports */
    uint32_t block;     /**< ALSA: frames of a period; JACK has its own */
    uint32_t rate;      /**< ALSA; JACK has its own */
    hed_device *device;
    /** rate and block are replaced by the driver's. `inputs` are JACK ports, or channels that the
     *  ALSA device captures; channels that it lacks are silent, with a warning in the context's
     *  log */
    hed_synth_def synth;
} hed_synth_live_def;

/** Returns the defaults of live playing. Thread class: rt. */
HED_API hed_synth_live_def hed_default_synth_live_def(void);

/** Statistics of live playing. */
typedef struct hed_synth_live_info {
    hed_meter_info load; /**< time of the audio callback against the block */
    uint64_t xruns;      /**< counted by the driver, of playback and capture */
    /** blocks that the device finished too late (silence was played) */
    uint64_t late;
    /** Hz, frames, frames of Heddle's own delay, which JACK's ports report too */
    uint32_t rate, block, latency;
    uint64_t events, events_lost;
    hed_synth_info synth; /**< a recent copy */
} hed_synth_live_info;

typedef struct hed_synth_live hed_synth_live;

/** Connects and starts playing. ALSA without a sequencer plays without MIDI, unless `midi_port` is
 *  given.
 *  Thread class: owner. Errors: UNSUPPORTED (the library of JACK or of ALSA is not installed: the
 *  text names its packages), IO (no server; no such port, with the existing ones), and as
 *  hed_synth_create(). */
HED_API hed_status hed_synth_live_open(
    const hed_synth_live_def *def, hed_synth_live **live, hed_error *error);
/** Adds an event, as if it had been received by MIDI now. False: the queue is full.
 *  Thread class: any one thread. */
HED_API bool hed_synth_live_event(hed_synth_live *live, const hed_synth_event *event);
/** Replaces the instrument by a changed one.
 *  Thread class: owner. Errors: as hed_synth_prepare(); TIMEOUT (the driver plays no blocks). */
HED_API hed_status hed_synth_live_change(
    hed_synth_live *live, const hed_synth_instrument *instrument, hed_error *error);
/** Returns the statistics, and OK while it plays.
 *  Thread class: owner. Errors: the cause of its end (IO: server gone; LOST and DRIVER: the
 *  device). */
HED_API hed_status hed_synth_live_measure(
    hed_synth_live *live, hed_synth_live_info *report, hed_error *error);
/** Stops playing: fades out in a block, disconnects and frees. NULL is allowed.
 *  Thread class: owner. */
HED_API void hed_synth_live_close(hed_synth_live *live);

HED_END

#endif
