/** @file synth_player.h
 *  An instrument inside another program, for plugins of music programs and for any program with an
 *  audio callback of its own. In the library heddle-synth-live.
 *
 *  A player plays one instrument on the processor, in the calling thread; no driver of a GPU is
 *  loaded. Its two sides exchange data without a lock. The audio thread passes events and receives
 *  sound (thread class rt: nothing is allocated, locked or waited for); all other threads load
 *  instruments, and save and restore the state. A loaded instrument takes over at the next block
 *  while the former one fades out. Sound is the same to the bit for every division into blocks, and
 *  equal to the output of `heddle synth render` for the same events, later by
 *  hed_synth_player_latency(). */
#ifndef HEDDLE_SYNTH_PLAYER_H
#define HEDDLE_SYNTH_PLAYER_H

#include "heddle/synth_file.h"

HED_BEGIN

/** Knobs: the macros of the instrument, from 0 to 1, and the output gain, in dB. */
enum {
    HED_SYNTH_KNOB_GAIN = HED_SYNTH_MACROS, /**< -60 to 12, initially 0 */
    HED_SYNTH_KNOB_COUNT,
    HED_SYNTH_NO_KNOB = -1
};

/** Definition of a player. Start from hed_default_synth_player_def(). */
typedef struct hed_synth_player_def {
    hed_allocator allocator;
    /** Hz; 0: not known yet, and instruments wait for hed_synth_player_set_rate() */
    double rate;
    /** maximum number of frames at a time inside, 1 to 65536; runs may have any number. 256 */
    uint32_t block;
    uint32_t inputs; /**< number of input channels, 0 */
    uint32_t stems;  /**< number of microphones with an output of their own, at most 64; 0 */
} hed_synth_player_def;

/** Returns the defaults of a player. Thread class: rt. */
HED_API hed_synth_player_def hed_default_synth_player_def(void);

typedef struct hed_synth_player hed_synth_player;

/** Creates a player without an instrument, which is silent.
 *  Thread class: any. Errors: ARGUMENT, MEMORY. */
HED_API hed_status hed_synth_player_create(
    const hed_synth_player_def *def, hed_synth_player **player, hed_error *error);
/** Destroys a player. NULL is allowed. Thread class: owner, while no other thread uses it. */
HED_API void hed_synth_player_destroy(hed_synth_player *player);

/* ---- instruments: from any thread but the audio thread ---- */

/** Loads an instrument file, which takes over at the next hed_synth_player_run(); of several loaded
 *  between two runs, the last one does. Knobs get the instrument's values; gain and learned
 *  controllers stay. After an error the player is unchanged.
 *  Thread class: any but rt. Errors: as hed_synth_instrument_read() and hed_synth_create(). */
HED_API hed_status hed_synth_player_load(
    hed_synth_player *player, const char *path, hed_error *error);
/** Loads an instrument from memory (`text`: size bytes); `name` is for display and for messages.
 *  Thread class: any but rt. Errors: as hed_synth_player_load(). */
HED_API hed_status hed_synth_player_load_text(
    hed_synth_player *player, const char *text, size_t size, const char *name, hed_error *error);
/** Replaces the instrument by an edited text of it (`text`: size bytes): its name, its path, turned
 *  knobs and learned controllers stay. Notes that sound fade out with the former text.
 *  Thread class: any but rt. Errors: ARGUMENT (no instrument), and as hed_synth_player_load(). */
HED_API hed_status hed_synth_player_edit(
    hed_synth_player *player, const char *text, size_t size, hed_error *error);
/** Copies the instrument's text to `text` (room bytes; NULL: not copied), zero-terminated, if it
 *  fits; returns its size without the zero, 0 without an instrument. `number` (NULL is allowed)
 *  counts loaded instruments, edits and restored states: a greater number means another text.
 *  Thread class: any but rt. */
HED_API size_t hed_synth_player_text(
    hed_synth_player *player, char *text, size_t room, uint64_t *number);
/** Writes the state of a session as text (JSON): the instrument's text and name, the knobs and the
 *  learned controllers. The same state gives the same bytes. The text is zero-terminated and
 *  belongs to the player until the next call. NULL: failure.
 *  Thread class: any but rt, one at a time. Errors: ARGUMENT (no instrument), MEMORY. */
HED_API const char *hed_synth_player_save(hed_synth_player *player, size_t *size, hed_error *error);
/** Restores a state of hed_synth_player_save(). After an error the player is unchanged.
 *  Thread class: any but rt. Errors: FORMAT (has the place and the value expected), and as
 *  hed_synth_player_load(). */
HED_API hed_status hed_synth_player_restore(
    hed_synth_player *player, const char *state, size_t size, hed_error *error);
/** Frees the memory that the audio thread has released; the next load does it too.
 *  Thread class: any but rt. */
HED_API void hed_synth_player_collect(hed_synth_player *player);

/** Sets the sample rate: creates the sound of the instrument again, at rest. The same rate puts it
 *  to rest. After an error the player is silent.
 *  Thread class: owner, while no other thread runs it. Errors: ARGUMENT (not 1,000 to 768,000 Hz),
 *  and as hed_synth_create(). */
HED_API hed_status hed_synth_player_set_rate(
    hed_synth_player *player, double rate, hed_error *error);

/** Properties of a player. Names of knobs are "" if the instrument has none. */
typedef struct hed_synth_player_info {
    char name[128];  /**< name of the instrument; "": none */
    char path[1024]; /**< path of its file; "": from memory, or the path is longer */
    /** folder of a user's instruments for all programs, $XDG_DATA_HOME/heddle/instruments; "": the
     *  path is longer */
    char folder[1024];
    char knobs[HED_SYNTH_KNOB_COUNT][64];
    /** semitones at full bend of a note's own channel (MPE); 0: no such bend */
    float note_bend_range;
    uint32_t voices; /**< number of notes that sound at a time; 1: all in one instance */
    double rate;
    uint64_t events, events_lost;
} hed_synth_player_info;
/** Returns the properties of a player. Thread class: any but rt. */
HED_API hed_synth_player_info hed_synth_player_describe(hed_synth_player *player);

/* ---- sound: the audio thread ---- */

/** Adds an event to the next run, at one of its frames (a later one counts as the last); in any
 *  order. Events of kind HOST below HED_SYNTH_MACROS turn knobs. False: no valid event, or the
 *  queue is full (1,024 events a run).
 *  Thread class: rt. */
HED_API bool hed_synth_player_event(hed_synth_player *player, const hed_synth_event *event);
/** Adds a MIDI message to the next run; all but channel messages are ignored. False: as
 *  hed_synth_player_event().
 *  Thread class: rt. */
HED_API bool hed_synth_player_midi(
    hed_synth_player *player, uint32_t frame, const uint8_t *bytes, uint32_t size);
/** Turns a knob at a frame of the next run. False: the queue is full. Thread class: rt. */
HED_API bool hed_synth_player_turn(
    hed_synth_player *player, uint32_t frame, uint32_t knob, float value);
/** Adds `amount` to a knob from a frame of the next run on, in place of an earlier amount, without
 *  turning it: the value of hed_synth_player_knob() and the saved state stay. A reset or another
 *  instrument ends it. False: the queue is full.
 *  Thread class: rt. */
HED_API bool hed_synth_player_modulate(
    hed_synth_player *player, uint32_t frame, uint32_t knob, float amount);
/** Plays `frames`, any number, also 0 (then events wait). `inputs` (inputs of the definition) each
 *  (frames), or NULL: silence; so is an input that is NULL. The processor's rounding and denormal
 *  modes are Heddle's during the call, and the caller's again afterwards. True:
 *  hed_synth_player_collect() has memory to free.
 *  Thread class: rt. */
HED_API bool hed_synth_player_run(hed_synth_player *player, uint32_t frames,
    const float *const *inputs, float *left, float *right);
/** Plays as hed_synth_player_run(), with the sound of each microphone too. `stems` (2 x stems of
 *  the definition: left, right) each (frames), in time with the mix and with the gains of the
 *  instrument and of the knob: their sum is the mix before its limiter, but for voices that fade.
 *  Microphones that the instrument lacks are silent. `stems` NULL: none.
 *  Thread class: rt. */
HED_API bool hed_synth_player_run_stems(hed_synth_player *player, uint32_t frames,
    const float *const *inputs, float *left, float *right, float *const *stems);

/** Returns the state of a note after the last run: see hed_synth_note(). ENDED without an
 *  instrument, and for notes of a former one. Thread class: rt. */
HED_API hed_synth_note_state hed_synth_player_note(
    const hed_synth_player *player, uint32_t channel, uint32_t note);
/** Returns the outcome of the notes since the instrument took over or was reset: notes that it does
 *  not play are dropped. Thread class: rt, any thread. */
HED_API hed_synth_note_info hed_synth_player_notes(const hed_synth_player *player);
/** True if a key was held or sustained after the last run. Thread class: rt. */
HED_API bool hed_synth_player_is_held(const hed_synth_player *player);
/** True if no key is held and the output has been below -140 dB for a tenth of a second: without
 *  events and input it stays so. Thread class: rt. */
HED_API bool hed_synth_player_is_silent(const hed_synth_player *player);

/** Resets the player to rest and silence; knobs and learned controllers stay. Thread class: rt. */
HED_API void hed_synth_player_reset(hed_synth_player *player);

/* ---- knobs, and controllers that turn them: any thread ---- */

/** Returns the value of a knob. Thread class: rt, any thread. */
HED_API float hed_synth_player_knob(const hed_synth_player *player, uint32_t knob);
/** Assigns the next MIDI controller that moves to this knob, in place of its former knob;
 *  HED_SYNTH_NO_KNOB: ends the wait.
 *  Thread class: rt, any thread. */
HED_API void hed_synth_player_learn(hed_synth_player *player, int32_t knob);
/** Returns the knob that waits for a controller, or HED_SYNTH_NO_KNOB.
 *  Thread class: rt, any thread. */
HED_API int32_t hed_synth_player_learning(const hed_synth_player *player);
/** Returns the controller of a knob; -1: none. Thread class: rt, any thread. */
HED_API int32_t hed_synth_player_controller(const hed_synth_player *player, uint32_t knob);
/** Sets the controller of a knob, 0 to 119; -1: none. Thread class: rt, any thread. */
HED_API void hed_synth_player_set_controller(
    hed_synth_player *player, uint32_t knob, int32_t controller);
/** Returns the delay of the sound in frames, the same for all instruments at one rate; 0 without an
 *  instrument.
 *  Thread class: rt, any thread. */
HED_API uint32_t hed_synth_player_latency(const hed_synth_player *player);
/** Returns hed_synth_instrument_tail() of the instrument in frames, with the latency; INT32_MAX:
 *  for ever. Thread class: rt, any thread. */
HED_API uint32_t hed_synth_player_tail(const hed_synth_player *player);
/** Copies the name of a key, or "", to `name`: see hed_synth_instrument_key(). False: no name.
 *  Thread class: any but rt. */
HED_API bool hed_synth_player_key(hed_synth_player *player, uint32_t key, char *name, size_t size);
/** Copies the name of a microphone in the output to `name`; that of an unnamed one is "microphone
 *  3". False: the instrument has fewer. Thread class: any but rt. */
HED_API bool hed_synth_player_microphone(
    hed_synth_player *player, uint32_t index, char *name, size_t size);

HED_END

#endif
