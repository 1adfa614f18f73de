/* Voices: state of MIDI channels, assignment of keys to instances, and the pokes of a block.
 *
 *   pokes.c        changes of words before a sample
 *   settings.c     parameters set by events
 *   sleep.c        islands of bodies that fall asleep and wake
 *   control.c      values of words that follow controllers, bends and pressure; MPE zones
 *   notes.c        keys, stealing, gates
 *   volume.c       volume and expression of channels
 *   glide.c        portamento and legato
 *   renew.c        all current values again, in stores that were reset
 *   controllers.c  controllers, bends, pressure and tempo as received
 *   voices.c       creation, events of a block, pokes in order
 *
 * In HED_SYNTH_SINGLETON there is one instance for any number of keys; otherwise each key that
 * is down has its own instance. */
#ifndef SYNTH_VOICES_H
#define SYNTH_VOICES_H

#include "heddle/author.h"
#include "tables/synth_program.h"

/* Sleep as part of the model: islands of bodies fall asleep, as in rigid body engines (E. Catto,
 * Box2D).
 *
 * An island is a set of free bodies joined by springs. It is checked every eightieth of a
 * second, at a sample that varies with the check's number, so that no pitch hides between
 * checks. The island falls asleep if at SYNTH_QUIET checks in a row (at least 0.1 s) each of its
 * bodies moves too slowly to be heard at -140 dB of full scale, and no exciter acts on the
 * island. Sleeping bodies keep their positions like anchors, with weight 0 and speed 0. A note
 * of the island's exciters wakes it, before the same sample; so does the first sample above -140
 * dB of an open audio input. Setting a parameter wakes all islands, and so does "all sound off".
 *
 * Bodies coupled by a delay line (the recorded bodies and the driven bodies) form
 * one island, which has to be at rest for the longest echo, too. An island with modulation of a
 * body, a spring or an attached anchor never sleeps. Falling asleep and waking are pokes, the
 * same for every solver. */

enum {
    SYNTH_QUIET = 10, /* checks */
    SYNTH_ASLEEP = 255,
    SYNTH_CHECKS_A_SECOND = 80,
    SYNTH_SLEEP_POKES = 5,        /* pokes of a body, which may fall asleep and wake in one run */
    SYNTH_MOST_SLEEPERS = 1 << 16 /* bodies of all instances; larger instruments never sleep */
};

typedef struct synth_sleep {
    const synth_program *program;
    uint32_t instances, islands;
    uint32_t body_count, contact_count, gate_count; /* lengths of the lists below */
    uint32_t *body_begin, *bodies;                  /* (islands + 1), (body_count) elements */
    /* (islands + 1), (contact_count) seats of exciters that act on the island */
    uint32_t *contact_begin, *contacts;
    /* (layout.gates + 1), (gate_count) islands that a gate wakes */
    uint32_t *gate_begin, *gates;
    /* (islands x 3) h v along x, y, z; slower motion is inaudible */
    float *slow;
    uint8_t *enough;  /* (islands) number of quiet checks before the island falls asleep */
    uint64_t *inputs; /* (islands) a bit for each audio input that wakes the island */
    /* (instances x islands) quiet checks so far, or SYNTH_ASLEEP */
    uint8_t *quiet;
    /* (instances x body_count) weights of sleeping bodies, to restore on waking */
    uint32_t *weights;
    /* approximate distance of checks, samples; number of the next check */
    uint64_t spacing, slot;
} synth_sleep;

/* Finds the islands of a program, in the memory of `arena`. `gain`: of the master, linear.
 * Errors: MEMORY. */
hed_status synth_sleep_create(hed_arena *arena, const synth_program *program, double gain,
    synth_sleep **sleep, hed_error *error);
/* Restarts at sample 0 with all islands awake. */
void synth_sleep_reset(synth_sleep *sleep);
/* Marks all islands of an instance, or of all, as awake, after their stores were reset. */
void synth_sleep_forget(synth_sleep *sleep, uint32_t instance);
void synth_sleep_forget_all(synth_sleep *sleep);

/* Returns the first sample from `sample` on before which a check is due. */
uint64_t synth_sleep_next(const synth_sleep *sleep, uint64_t sample);
/* True if an island is practically at rest in a store before `sample`. */
bool synth_sleep_is_quiet(
    const synth_sleep *sleep, uint32_t island, const uint32_t *store, uint64_t sample);
/* Counts sleeping islands of all instances. */
uint32_t synth_sleep_asleep(const synth_sleep *sleep);

/* ---- calls of a synth; only creation allocates ---- */

typedef struct synth_voices synth_voices;

/* Creates voices. Of `how` only max_events, transpose and fold are used. */
hed_status synth_voices_create(const hed_allocator *allocator, const hed_synth_instrument_def *def,
    const synth_program *program, const hed_synth_def *how, synth_voices **voices,
    hed_error *error);
void synth_voices_destroy(synth_voices *voices);
/* Checks that synth_voices_run() accepts the events of a block. Errors: as synth_voices_run().
 * Thread class: rt. */
hed_status synth_voices_check(const synth_voices *voices, const hed_synth_event *events,
    uint32_t count, uint32_t frames, hed_error *error);
/* Converts the events of a block to pokes, sorted by instance, then by frame (stable), valid
 * until the next call. Thread class: rt. Errors: ARGUMENT (events out of order or beyond the
 * block, no such entity or parameter), LIMIT (too many events). */
hed_status synth_voices_run(synth_voices *voices, const hed_synth_event *events, uint32_t count,
    uint32_t frames, const synth_poke **pokes, const uint32_t **poke_begin, hed_error *error);
/* Copies the state of the voices of a replaced program of the same mode and voices: held notes,
 * controllers and bends stay, and are poked again in the next run. `from` may be `voices`
 * itself, after its stores were reset. Thread class: rt. */
void synth_voices_adopt(synth_voices *voices, const synth_voices *from);
void synth_voices_reset(synth_voices *voices);
/* True for an event that may silence instances at once, which must be at frame 0 of a run: "all
 * sound off", GM System On, or the choke of a note if all notes have one instance. */
bool synth_voices_is_sound_off(const synth_voices *voices, const hed_synth_event *event);
/* Returns a bit for each instance that the last run's "all sound off" silenced; reset these
 * before that run's pokes. */
uint64_t synth_voices_silenced(const synth_voices *voices);
uint32_t synth_voices_sounding(const synth_voices *voices);
/* State of a note as received; `loudness`: of all instances, full scale 1. Thread class: rt. */
hed_synth_note_state synth_voices_note(
    const synth_voices *voices, uint32_t channel, uint32_t note, const float *loudness);

/* ---- fades: a stolen voice goes on in its instance until it has faded, then rests ---- */

/* quieter voices, -100 dB, are free */
#define SYNTH_SILENT 1e-5f
#define SYNTH_NO_FADE UINT32_MAX
/* Sets the sample of the next run's first frame. */
void synth_voices_set_time(synth_voices *voices, uint64_t sample);
/* Returns the first sample after `sample` at which a fade ends, for a run to begin there;
 * UINT64_MAX: no fade. */
uint64_t synth_voices_next_end(const synth_voices *voices, uint64_t sample);
/* Takes the loudness of all instances, full scale 1, at a look. */
void synth_voices_listen(synth_voices *voices, const float *loudness);

/* True if synth_voices_look() needs stores. */
bool synth_voices_needs_stores(const synth_voices *voices);
/* Returns the first sample from `sample` on before which synth_voices_look() is due; UINT64_MAX:
 * never. */
uint64_t synth_voices_next_look(const synth_voices *voices, uint64_t sample);
/* Passes the stores of all instances before `sample`, the first of the next run; they must live
 * until that run ends. */
void synth_voices_look(synth_voices *voices, const uint32_t *stores, uint64_t sample);
/* Returns a bit for each audio input that can wake an island: any island, or with `asleep` a
 * sleeping one. */
uint64_t synth_voices_inputs(const synth_voices *voices, bool asleep);
/* Reports sound in these inputs from the first sample of the next run on. For awake islands any
 * sample of that run will do. */
void synth_voices_hear(synth_voices *voices, uint64_t inputs);
/* -140 dB of full scale; sound in an input is louder than this */
#define SYNTH_INAUDIBLE 1e-7
/* Marks all islands of these instances (a bit each) as awake, after their stores were reset. */
void synth_voices_forget_sleep(synth_voices *voices, uint64_t instances);
void synth_voices_report_sleep(const synth_voices *voices, hed_synth_info *report);
/* Return the outcome of all notes so far, and the outcome that `events` would have. */
hed_synth_note_info synth_voices_notes(const synth_voices *voices);
hed_synth_note_info synth_voices_check_notes(
    const synth_voices *voices, const hed_synth_event *events, uint32_t count);
/* True for the bytes of GM System On in a MIDI event. */
static inline bool synth_is_restart(const uint8_t *bytes)
{
    return bytes[0] == 0xf0 && bytes[1] == 0x7e && bytes[2] == 0x09;
}

/* ---- internals ---- */

enum {
    SYNTH_CHANNELS = 16,
    SYNTH_KEYS = 128,
    SYNTH_NONE = 0xffff,
    SYNTH_NO_CHANNEL = 255,
};

/* Values of a channel: 128 controllers, then bend in [-1, 1] and pressure in [0, 1]. */
enum {
    SYNTH_CONTROL_BEND = 128,
    SYNTH_CONTROL_PRESSURE,
    SYNTH_CONTROLS,
};
/* Controllers with a fixed meaning. */
enum {
    SYNTH_CC_MODULATION = 1,
    SYNTH_CC_GLIDE_TIME = 5,
    SYNTH_CC_DATA = 6,
    SYNTH_CC_VOLUME = 7,
    SYNTH_CC_EXPRESSION = 11,
    SYNTH_CC_DATA_FINE = 38,
    SYNTH_CC_SUSTAIN = 64,
    SYNTH_CC_GLIDE,
    SYNTH_CC_SOSTENUTO,
    SYNTH_CC_LEGATO = 68,
    SYNTH_CC_GLIDE_SOURCE = 84,
    SYNTH_CC_NRPN_FINE = 98,
    SYNTH_CC_NRPN,
    SYNTH_CC_RPN_FINE,
    SYNTH_CC_RPN,
    SYNTH_CC_SOUND_OFF = 120,
    SYNTH_CC_RESET,
    SYNTH_CC_NOTES_OFF = 123,
};

typedef struct synth_channel {
    float value[SYNTH_CONTROLS];
    bool received[SYNTH_CONTROLS];
    uint8_t rpn[2]; /* registered parameter that data entry sets, MSB and LSB; 127, 127: none */
    bool ranged;    /* true: a bend range was received */
    uint8_t semitones, cents;
    uint8_t source; /* key from which the next note glides (controller 84), or SYNTH_NO_SOURCE */
    bool has_last;  /* true: a note has started, with the pitch `last`, semitones */
    float last;
} synth_channel;
enum { SYNTH_NO_SOURCE = 255 };

typedef enum synth_key_state {
    SYNTH_KEY_UP,
    SYNTH_KEY_DOWN,
    SYNTH_KEY_SUSTAINED,
} synth_key_state;

typedef struct synth_key {
    uint32_t started; /* serial number of the last start; 0: never */
    uint8_t state, velocity, touch;
    bool touched;   /* `touch` was received since the start */
    bool is_caught; /* the sostenuto pedal sustains the key: it was down when the pedal went down */
    /* voice of the key while it is not up; a key whose voice is stolen is up. In legato several
     * keys have one voice, which sounds the last of them */
    uint8_t voice;
} synth_key;

/* An instance in the modes with voices, with the last key assigned to it. */
typedef struct synth_voice {
    uint8_t channel, note;
    bool used;
    /* true: the channel controls the voice; in MPE until another note starts on the channel */
    bool follows;
    float bend;        /* semitones; last bend of the channel */
    uint32_t started;  /* serial number of the key's start */
    uint32_t released; /* serial number of the release; 0: the key is down or sustained */
    float level;       /* loudness at the last look, full scale 1; 1 when it starts */
    /* sample at which the fade of an unused instance ends, and it is put to rest; 0: no fade */
    uint64_t fades;
    float volume;                   /* factor that the instance has */
    float offset[HED_SYNTH_MACROS]; /* offsets of the host's controls, of this voice alone */
    /* distance from the note's pitch now, and when the glide began, semitones; its first sample
     * and its length */
    float glide, glide_from;
    uint64_t glide_begin, glide_samples;
} synth_voice;

typedef struct synth_record {
    synth_poke poke;
    uint32_t instance;
} synth_record;

/* Record of the poke of a word at the current frame: no word is poked twice before a sample. */
typedef struct synth_slot {
    uint32_t generation, record;
} synth_slot;

typedef struct synth_host_value {
    uint32_t number;
    float value;
    bool received;
} synth_host_value;

/* Value of a parameter set by an event, in all instances. */
typedef struct synth_setting {
    hed_synth_entity entity;
    hed_synth_target target;
    float value;
    uint32_t pokes; /* pokes in all instances together */
} synth_setting;
enum { SYNTH_SETTINGS = 256 };

struct synth_voices {
    hed_arena arena; /* memory of the voices and all their arrays */
    hed_synth_instrument_def def;
    const synth_program *program;
    uint32_t instances, max_events, targets;
    int32_t transpose;
    bool fold;
    float pitch[SYNTH_KEYS]; /* pitch of each key, semitones */
    /* a bit for each key to which the instrument responds */
    uint64_t heard[SYNTH_CHANNELS][2];
    /* a bit for each key to which another layer responds: no note folds away from it */
    uint64_t elsewhere[SYNTH_CHANNELS][2];
    float largest_dilation; /* limit within which the instrument is proven stable */

    synth_channel channels[SYNTH_CHANNELS];
    synth_channel all_channels; /* last values received on any channel */
    /* MPE: channels of the lower zone, from 2 up, and of the upper one, from 15 down */
    uint8_t members[2];
    synth_key keys[SYNTH_CHANNELS][SYNTH_KEYS];
    uint64_t held[SYNTH_CHANNELS][2]; /* a bit for each key that is down or sustained */
    /* (channels x notes) key that a sounding note plays, else HED_SYNTH_NO_KEY */
    uint8_t plays[SYNTH_CHANNELS][SYNTH_KEYS];
    /* `low` and `high` are the program's; the other members are counters */
    hed_synth_note_info notes;
    synth_voice voices[SYNTH_INSTANCE_LIMIT];
    /* a bit for each channel on which a note has started; the controllers that the instrument
     * itself follows, so that they change no volume */
    uint16_t played;
    bool follows_volume, follows_expression;
    uint32_t serial; /* number of starts and releases so far */
    float tempo;     /* quarter notes a minute; 0: not received yet */
    /* (targets) SINGLETON: last channel and key on the target's route, or SYNTH_NONE */
    uint16_t *last;
    synth_host_value *host; /* (targets) values of targets of kind HED_SYNTH_MIDI_HOST */
    /* a bit for each instance that "all sound off" silenced in the last run; whose fade ended at
     * its beginning; in which a note started in it */
    uint64_t silenced, faded, begun;
    uint64_t gliding;     /* a bit for each instance that glides */
    uint64_t now;         /* sample of frame 0 of the run */
    uint32_t fade_frames; /* length of a fade */
    /* (instances) frame of the last run at which a fade begins, or SYNTH_NO_FADE */
    uint32_t fade_begin[SYNTH_INSTANCE_LIMIT];
    uint32_t
        note_begin[SYNTH_INSTANCE_LIMIT]; /* (instances) frame of the first note, if in `begun` */
    bool renew;                           /* true: the next run pokes all current values again */
    /* (setting_count) in order of their last setting */
    synth_setting settings[SYNTH_SETTINGS];
    uint32_t setting_count, setting_pokes, setting_room;

    synth_sleep *sleep;
    /* all instances' stores before sample `looked`, for the check in the next run; NULL: no
     * check is due */
    const uint32_t *stores;
    uint64_t looked;
    uint64_t sounding; /* inputs with sound in the next run */

    uint32_t frame, count, capacity, event_room; /* event_room: pokes available for events */
    synth_record *records;                       /* (capacity) in order of time */
    /* (capacity) sorted by instance; scratch before sorting */
    synth_poke *pokes;
    uint32_t *begin;   /* (instances + 1) */
    synth_slot *slots; /* (slot_count), a power of two */
    uint32_t slot_count, generation;
};

/* ---- pokes.c ---- */

/* Changes a word of an instance before sample voices->frame; replaces an earlier poke of the
 * word at that sample. */
void synth_voices_poke(synth_voices *voices, uint32_t instance, uint32_t word, uint32_t value);
static inline void synth_voices_poke_float(
    synth_voices *voices, uint32_t instance, uint32_t word, float value)
{
    synth_voices_poke(voices, instance, word, hed_as_uint(value));
}

/* Begins the pokes of another sample of the run. */
void synth_voices_set_frame(synth_voices *voices, uint32_t frame);

/* ---- glide.c: controllers 5, 65, 68, 84 ---- */

enum {
    SYNTH_GLIDE_STEP = 32, /* samples between changes of a gliding pitch */
    SYNTH_GLIDES = 150,    /* changes in a run; more samples than these have keep the last pitch */
};

/* True if notes of a channel that overlap share a voice. */
bool synth_glide_is_legato(const synth_voices *voices, uint32_t channel);
/* Returns the instance that the next note of a channel takes over, or SYNTH_NONE. */
uint32_t synth_glide_shared(const synth_voices *voices, uint32_t channel);
/* Begins the glide of a note that starts, if portamento is on, to its pitch. */
void synth_glide_start(synth_voices *voices, uint32_t instance, uint32_t channel, uint32_t note);
/* Begins the glide of a voice from its note to another one. */
void synth_glide_move(synth_voices *voices, uint32_t instance, uint32_t channel, uint32_t note);
/* Pokes the pitches of gliding voices in frames `begin` to `end` - 1 of the run. */
void synth_glide_run(synth_voices *voices, uint32_t begin, uint32_t end);
/* Returns the maximum number of pokes of synth_glide_run() in a run. */
uint64_t synth_glide_pokes(const synth_voices *voices);

/* ---- volume.c: controllers 7 and 11 ---- */

/* Finds the controllers that the instrument follows; once for a program. */
void synth_volume_listen(synth_voices *voices);
/* Notes that all instances were reset. */
void synth_volume_reset(synth_voices *voices);
/* Returns the number of words that a change of an instance's volume pokes. */
uint32_t synth_volume_pokes(const synth_voices *voices);
/* Pokes the volume of an instance, if it has changed. `jumps`: at once, for a note that begins;
 * else it is followed in a few milliseconds. */
void synth_volume_update(synth_voices *voices, uint32_t instance, bool jumps);

/* ---- renew.c ---- */

/* Pokes all current values again into stores that were replaced or reset; words that follow MIDI
 * last. All islands wake, as they do when a parameter is set: a repeated setting may be the
 * weight of a sleeping body. */
void synth_voices_renew(synth_voices *voices);
/* The same for one instance. */
void synth_voices_renew_instance(synth_voices *voices, uint32_t instance);
/* Ends all notes of a channel; the instances of these notes are reset before this run's pokes. */
void synth_voices_silence(synth_voices *voices, uint32_t channel);
/* Resets all channels as GM System On does: silence, and the controllers' default values. */
void synth_voices_restart(synth_voices *voices);
/* Frees instances whose fade has ended. */
void synth_voices_end_fades(synth_voices *voices);
/* Ends a note and its sound at once. */
void synth_voices_choke(synth_voices *voices, uint32_t channel, uint32_t note);

/* ---- notes.c ---- */

static inline bool synth_route_channel(const hed_synth_route *route, uint32_t channel)
{
    return !route->channel || route->channel == channel + 1;
}
static inline bool synth_route_fits(const hed_synth_route *route, uint32_t channel, uint32_t note)
{
    return synth_route_channel(route, channel) && note >= route->low && note <= route->high;
}

/* Start, end and pressure of notes as received. The functions below take keys, which differ from
 * notes if the synth transposes or folds. */
void synth_notes_start(synth_voices *voices, uint32_t channel, uint32_t note, uint32_t velocity);
void synth_notes_end(synth_voices *voices, uint32_t channel, uint32_t note);
void synth_notes_touch(synth_voices *voices, uint32_t channel, uint32_t note, uint32_t value);
/* Returns the key that a note plays, or HED_SYNTH_NO_KEY. */
uint32_t synth_notes_key(const synth_voices *voices, uint32_t channel, uint32_t note);
/* Finds the keys to which the program responds; once for a program. */
void synth_notes_listen(synth_voices *voices);
/* Informs the voices of layers of each other's keys, after synth_notes_listen() of all. */
void synth_notes_share(synth_voices *const *layers, uint32_t count);
/* Counts a note as received, which is played or dropped. */
void synth_notes_count(const synth_voices *voices, uint32_t channel, uint32_t note, bool is_played,
    hed_synth_note_info *notes);
/* Catches the keys that are down, for the sostenuto pedal of a channel, or lets them go. */
void synth_notes_sostenuto(synth_voices *voices, uint32_t channel);
/* Ends keys that were only sustained, if the channel's pedals are up. */
void synth_notes_pedal(synth_voices *voices, uint32_t channel);
/* Ends all notes of a channel; `sustain`: except notes that its pedal sustains. */
void synth_notes_end_all(synth_voices *voices, uint32_t channel, bool sustain);
void synth_notes_touch_key(synth_voices *voices, uint32_t channel, uint32_t key, uint32_t value);
/* Frees the instances in which notes of a channel have sounded and may still ring; returns a bit
 * for each. */
uint64_t synth_notes_silence(synth_voices *voices, uint32_t channel);
/* Ends a note and its sound: its voice fades. In SINGLETON returns true if no other key is held,
 * and the caller silences the instrument. */
bool synth_notes_choke(synth_voices *voices, uint32_t channel, uint32_t note);
/* Sets the offset of a host's control for the voice of a note; in SINGLETON for the instrument. */
void synth_notes_offset(
    synth_voices *voices, uint32_t channel, uint32_t note, uint32_t number, float value);
/* Pokes the gates' current states without starting anything. */
void synth_notes_renew(synth_voices *voices, uint32_t instance);

/* ---- control.c ---- */

void synth_control_default(synth_channel *channel);
void synth_control_change(synth_voices *voices, uint32_t channel, uint32_t number, uint32_t value);
void synth_control_bend(synth_voices *voices, uint32_t channel, uint32_t value);
void synth_control_pressure(synth_voices *voices, uint32_t channel, uint32_t value);
void synth_control_tempo(synth_voices *voices, float tempo);
void synth_control_host(synth_voices *voices, uint32_t number, float value);
/* True if a pedal (its controller) of the channel or of the channel's MPE manager is down. */
bool synth_control_pressed(const synth_voices *voices, uint32_t channel, uint32_t pedal);
/* Returns the MPE manager of a member channel; SYNTH_NO_CHANNEL if it is not a member. */
uint32_t synth_control_manager(const synth_voices *voices, uint32_t channel);
/* Pokes the dilation of a voice, from its note and the bends. */
void synth_control_dilate(synth_voices *voices, uint32_t instance);
/* Pokes a target's word in an instance if its value is known; `always`: else its value at rest. */
void synth_control_target(synth_voices *voices, uint32_t instance, uint32_t target, bool always);
/* True if an event of this control on this channel changes a target. */
bool synth_control_reaches(const synth_target *target, uint32_t channel, uint32_t control);

/* ---- look.c ---- */

/* Performs the check that is due: counts quiet islands, and puts islands to sleep that were
 * quiet long enough. */
void synth_sleep_check(synth_voices *voices);
/* Wake the islands on which a gate's exciters act, or all islands of an instance. */
void synth_sleep_wake_gate(synth_voices *voices, uint32_t instance, uint32_t gate);
void synth_sleep_wake_all(synth_voices *voices, uint32_t instance);
/* True if a modulation changes the time of a delay line. */
bool synth_delay_is_stretched(const synth_layout *layout, const uint32_t *store, uint32_t line);

/* ---- settings.c ---- */

/* Pokes a parameter in all instances and keeps its value. */
void synth_settings_set(
    synth_voices *voices, hed_synth_entity entity, hed_synth_target target, float value);
/* Keeps the settings of another program's voices that this program can make. */
void synth_settings_adopt(synth_voices *voices, const synth_voices *from);
void synth_settings_renew(synth_voices *voices, uint32_t instance);

#endif
