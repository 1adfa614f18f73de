/** @file synth_player.h
 *  An instrument inside another program: what plugins for music programs stand on, and any program
 *  that has an audio callback of its own. In the library heddle-synth-live.
 *
 *  A player holds one instrument and plays it by the processor, in the calling thread: no driver of
 *  a GPU is loaded. Its two sides meet without a lock. One thread, the audio thread, gives events
 *  and asks for sound (thread class rt: nothing is allocated, locked or waited for); all others
 *  load instruments, which take over at the next block while the former one fades out, and read and
 *  restore the state. Sound is the same to the bit for every division into blocks, and what
 *  `heddle synth render` makes of the same events, later by hed_synth_player_latency().
 */
#ifndef HEDDLE_SYNTH_PLAYER_H
#define HEDDLE_SYNTH_PLAYER_H

#include "heddle/synth_file.h"

HED_BEGIN

/** Knobs: the macros of the instrument, from 0 to 1, and the gain behind it all, in dB. */
enum {
    HED_SYNTH_KNOB_GAIN = HED_SYNTH_MACROS, /**< -60 to 12, 0 to begin with */
    HED_SYNTH_KNOB_COUNT,
    HED_SYNTH_NO_KNOB = -1
};

/** How to play. Start from hed_default_synth_player_def(). */
typedef struct hed_synth_player_def {
    hed_allocator allocator;
    /** Hz; 0: not known yet, and instruments wait for hed_synth_player_set_rate() */
    double rate;
    uint32_t block;  /**< most frames at a time inside, 1 to 65536; runs may have any number. 256 */
    uint32_t inputs; /**< channels of sound that come in, 0 */
} hed_synth_player_def;

HED_API hed_synth_player_def hed_default_synth_player_def(void); /**< Thread class: rt */

typedef struct hed_synth_player hed_synth_player;

/** Makes a player without an instrument, which is silent. Thread class: any. Errors: ARGUMENT,
 *  MEMORY. */
HED_API hed_status hed_synth_player_create(
    const hed_synth_player_def *def, hed_synth_player **player, hed_error *error);
/** NULL is allowed. Thread class: owner, while no other thread uses it */
HED_API void hed_synth_player_destroy(hed_synth_player *player);

/* ---- instruments: from any thread but the audio thread ---- */

/** Loads an instrument file. It takes over at the next hed_synth_player_run(); of several that were
 *  loaded between two runs the last does. Knobs are where the instrument has them; gain and learned
 *  controllers stay. Thread class: any but rt. Errors: hed_synth_instrument_load()'s and
 *  hed_synth_create()'s: then the player is as it was. */
HED_API hed_status hed_synth_player_load(
    hed_synth_player *player, const char *path, hed_error *error);
/** The same from memory; `name` is shown and stands in messages. Thread class: any but rt. */
HED_API hed_status hed_synth_player_load_text(
    hed_synth_player *player, const char *text, size_t size, const char *name, hed_error *error);
/** Everything that a session has to keep, as text (JSON): the instrument's text and name, the knobs
 *  and what has been learned. The same state gives the same bytes. Zero-terminated; it belongs to
 *  the player until the next call. NULL on failure. Thread class: any but rt, one at a time.
 *  Errors: ARGUMENT (there is no instrument), MEMORY. */
HED_API const char *hed_synth_player_save(hed_synth_player *player, size_t *size, hed_error *error);
/** Takes such a text. Thread class: any but rt. Errors: FORMAT (says where and what was expected),
 *  and hed_synth_player_load()'s: then the player is as it was. */
HED_API hed_status hed_synth_player_restore(
    hed_synth_player *player, const char *state, size_t size, hed_error *error);
/** Frees what the audio thread has handed back: at the latest the next load does it. Thread class:
 *  any but rt. */
HED_API void hed_synth_player_collect(hed_synth_player *player);

/** Another sample rate: the instrument is made anew, at rest. At the same rate it is put to rest.
 *  Thread class: owner, while no other thread runs it. Errors: hed_synth_create()'s; then it is
 *  silent. */
HED_API hed_status hed_synth_player_set_rate(
    hed_synth_player *player, double rate, hed_error *error);

/** What a player is. Names of knobs are "" where the instrument gives none. */
typedef struct hed_synth_player_info {
    char name[128];  /**< of the instrument; "": there is none */
    char path[1024]; /**< of its file; "": it came from memory, or the path is longer */
    /** where a user may put instruments for all programs to find: $XDG_DATA_HOME/heddle/instruments;
     *  "": the path is longer */
    char folder[1024];
    char knobs[HED_SYNTH_KNOB_COUNT][64];
    /** semitones at full bend of a note's own channel (MPE); 0: notes have none */
    float note_bend_range;
    double rate;
    uint64_t events, events_lost;
} hed_synth_player_info;
/** Thread class: any but rt. */
HED_API void hed_synth_player_describe(hed_synth_player *player, hed_synth_player_info *info);

/* ---- sound: the audio thread ---- */

/** Adds an event to the next run, at one of its frames (a later one counts as the last); in any
 *  order. Events of kind HOST below HED_SYNTH_MACROS turn knobs. False: it is none, or there is no
 *  room (1,024 events a run). Thread class: rt. */
HED_API bool hed_synth_player_event(hed_synth_player *player, const hed_synth_event *event);
/** Bytes of a MIDI message, of which channel messages are taken. Thread class: rt. */
HED_API bool hed_synth_player_midi(
    hed_synth_player *player, uint32_t frame, const uint8_t *bytes, uint32_t size);
/** Turns a knob at a frame of the next run. Thread class: rt. */
HED_API bool hed_synth_player_turn(
    hed_synth_player *player, uint32_t frame, uint32_t knob, float value);
/** Plays `frames`, any number, also 0 (then events wait). `inputs` (inputs of the definition) each
 *  (frames), or NULL: silence. The processor's modes of rounding and denormals are the library's
 *  meanwhile, and the caller's again afterwards. True: hed_synth_player_collect() has something to
 *  free. Thread class: rt. */
HED_API bool hed_synth_player_run(hed_synth_player *player, uint32_t frames,
    const float *const *inputs, float *left, float *right);

/** Back to rest and silence; knobs and learned controllers stay. Thread class: rt. */
HED_API void hed_synth_player_reset(hed_synth_player *player);

/* ---- knobs, and controllers that turn them: any thread ---- */

/** Where a knob stands. Thread class: rt, any thread. */
HED_API float hed_synth_player_knob(const hed_synth_player *player, uint32_t knob);
/** The MIDI controller that is moved next turns this knob from then on, instead of what it turned
 *  before; HED_SYNTH_NO_KNOB: none is waited for any more. Thread class: rt, any thread. */
HED_API void hed_synth_player_learn(hed_synth_player *player, int32_t knob);
/** The knob that a controller is waited for, or HED_SYNTH_NO_KNOB. Thread class: rt, any thread. */
HED_API int32_t hed_synth_player_learning(const hed_synth_player *player);
/** The controller that turns a knob, -1: none. Thread class: rt, any thread. */
HED_API int32_t hed_synth_player_controller(const hed_synth_player *player, uint32_t knob);
/** Gives a knob a controller, 0 to 119, or -1 for none. Thread class: rt, any thread. */
HED_API void hed_synth_player_set_controller(
    hed_synth_player *player, uint32_t knob, int32_t controller);
/** Frames that the sound comes late; the same for all instruments at one rate. 0 while there is no
 *  instrument. Thread class: rt, any thread. */
HED_API uint32_t hed_synth_player_latency(const hed_synth_player *player);

HED_END

#endif
