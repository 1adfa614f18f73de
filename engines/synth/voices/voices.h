/* Voices: what was heard of MIDI, which key sounds in which instance, and the pokes of a block.
 *
 *   voices.c   creation, a block's events, pokes in order
 *   notes.c    keys, stealing, gates
 *   control.c  controllers, bends, pressure, MPE zones, and what follows them
 *   settings.c parameters that events have set
 *   look.c    islands of bodies that fall asleep and wake
 *
 * In HED_SYNTH_SINGLETON there is one instance and any number of keys down; otherwise each key that
 * is down has an instance of its own. */
#ifndef SYNTH_VOICES_H
#define SYNTH_VOICES_H

#include "heddle/author.h"
#include "program/program.h"

/* Rest as part of the model: islands of bodies fall asleep, as in engines of rigid bodies (E.
 * Catto, Box2D).
 *
 * An island is a set of free bodies joined by springs. Every eightieth of a second has a check, at
 * a sample that depends on its number alone, so that no pitch hides between checks. Where at
 * SYNTH_QUIET checks in a row, which is 0.1 s at the least, no body of an island moves as fast as
 * what is heard at -140 dB of full scale, and no exciter acts on it, it falls asleep: its bodies
 * stay where they are, as anchors do, of weight 0 and speed 0. A note of its exciters wakes it,
 * before the same sample; so does the first sample above -140 dB of an audio input that is open; a
 * parameter that is set wakes all, and so does "all sound off".
 *
 * Bodies that a delay line brings together, those that its microphone hears and those that it
 * drives, are of one island, which has to be still for as long as the longest echo, too. An island
 * that is modulated never sleeps: a body, a spring, an anchor that it hangs at. Falling asleep and
 * waking are pokes, the same for every solver. */

enum {
    SYNTH_QUIET = 10, /* checks */
    SYNTH_ASLEEP = 255,
    SYNTH_CHECKS_A_SECOND = 80,
    SYNTH_SLEEP_POKES = 5,        /* for a body: it may fall asleep and wake in one run */
    SYNTH_MOST_SLEEPERS = 1 << 16 /* bodies of all instances; a larger instrument stays awake */
};

typedef struct synth_sleep {
    const synth_program *program;
    uint32_t instances, islands;
    uint32_t body_count, contact_count, gate_count; /* of the lists below */
    uint32_t *body_begin, *bodies;                  /* (islands + 1), (body_count) elements */
    /* (islands + 1), (contact_count) seats of what acts on them */
    uint32_t *contact_begin, *contacts;
    /* (layout.gates + 1), (gate_count) islands that a gate wakes */
    uint32_t *gate_begin, *gates;
    /* (islands x 3) h v along x, y, z: slower is not heard */
    float *slow;
    uint8_t *enough;  /* (islands) quiet checks before each falls asleep */
    uint64_t *inputs; /* (islands) a bit for each audio input that wakes it */
    /* (instances x islands) quiet checks so far, or SYNTH_ASLEEP */
    uint8_t *quiet;
    /* (instances x body_count) of those asleep, when awake */
    uint32_t *weights;
    /* samples from check to check, about; number of the next check */
    uint64_t spacing, slot;
} synth_sleep;

/* In the memory of `arena`. `gain`: of the master, linear. Errors: MEMORY. */
hed_status synth_sleep_create(hed_arena *arena, const synth_program *program, double gain,
    synth_sleep **sleep, hed_error *error);
/* The synth begins anew at sample 0. */
void synth_sleep_reset(synth_sleep *sleep);
/* An instance's store, or all of them, were written as they are at rest: all is awake. */
void synth_sleep_forget(synth_sleep *sleep, uint32_t instance);
void synth_sleep_forget_all(synth_sleep *sleep);

/* The sample, from `sample` on, before which the next check is. */
uint64_t synth_sleep_next(const synth_sleep *sleep, uint64_t sample);
/* Whether an island is as good as still, by a store before `sample`. */
bool synth_sleep_is_quiet(
    const synth_sleep *sleep, uint32_t island, const uint32_t *store, uint64_t sample);
uint32_t synth_sleep_asleep(const synth_sleep *sleep); /* islands of all instances */

/* ---- what a synth calls. Allocates at creation only ---- */

typedef struct synth_voices synth_voices;

/* `how`: its max_events, transpose and fold. */
hed_status synth_voices_create(const hed_allocator *allocator, const hed_synth_instrument_def *def,
    const synth_program *program, const hed_synth_def *how, synth_voices **voices,
    hed_error *error);
void synth_voices_destroy(synth_voices *voices);
/* Whether synth_voices_run() takes a block's events; the same errors. Thread class: rt. */
hed_status synth_voices_check(const synth_voices *voices, const hed_synth_event *events,
    uint32_t count, uint32_t frames, hed_error *error);
/* Pokes for a block's events: sorted by instance, then by frame (stable). They live until the next
 * call. Thread class: rt. Errors: ARGUMENT (events out of order or beyond the block, no such entity
 * or parameter), LIMIT (too many events). */
hed_status synth_voices_run(synth_voices *voices, const hed_synth_event *events, uint32_t count,
    uint32_t frames, const synth_poke **pokes, const uint32_t **poke_begin, hed_error *error);
/* Takes over from the voices of a program that is replaced, of the same mode and voices: held
 * notes, controllers and bends stay, and are poked anew in the next run. `from` may be `voices`
 * itself: the store was put to rest. Thread class: rt. */
void synth_voices_adopt(synth_voices *voices, const synth_voices *from);
void synth_voices_reset(synth_voices *voices);
/* Whether an event is "all sound off". One that is played has to be at frame 0. */
bool synth_voices_is_sound_off(const hed_synth_event *event);
/* A bit for each instance that the last run's "all sound off" has silenced: to be put to rest
 * before that run's pokes. */
uint64_t synth_voices_silenced(const synth_voices *voices);
uint32_t synth_voices_sounding(const synth_voices *voices);

/* Rest (sleep.h). The sample, from `sample` on, before which stores are to be looked at;
 * UINT64_MAX: none. */
uint64_t synth_voices_next_look(const synth_voices *voices, uint64_t sample);
/* All instances' stores before `sample`, with which the next run begins; they live until it
 * ends. */
void synth_voices_look(synth_voices *voices, const uint32_t *stores, uint64_t sample);
/* Audio inputs, a bit each, that wake something that is asleep, or all that could. */
uint64_t synth_voices_inputs(const synth_voices *voices, bool asleep);
/* From the next run's first sample on there is sound in these. What is awake may be told so of any
 * sample of that run. */
void synth_voices_hear(synth_voices *voices, uint64_t inputs);
/* Of full scale, -140 dB. Above this there is sound in an input. */
#define SYNTH_INAUDIBLE 1e-7
/* The stores of the instances of these bits were written as they are at rest. */
void synth_voices_forget_sleep(synth_voices *voices, uint64_t instances);
void synth_voices_report_sleep(const synth_voices *voices, hed_synth_info *report);
/* The outcome of all notes so far; what the outcome of these would be. */
hed_synth_note_report synth_voices_notes(const synth_voices *voices);
hed_synth_note_report synth_voices_check_notes(
    const synth_voices *voices, const hed_synth_event *events, uint32_t count);

/* ---- the inside ---- */

enum {
    SYNTH_CHANNELS = 16,
    SYNTH_KEYS = 128,
    SYNTH_MOST_VOICES = 64,
    SYNTH_NONE = 0xffff,
    SYNTH_NO_CHANNEL = 255,
};

/* What a channel says for all its notes: the controllers, and behind them bend in [-1, 1] and
 * pressure in [0, 1]. */
enum {
    SYNTH_CONTROL_BEND = 128,
    SYNTH_CONTROL_PRESSURE,
    SYNTH_CONTROLS,
};
/* Controllers with a meaning of their own. */
enum {
    SYNTH_CC_MODULATION = 1,
    SYNTH_CC_DATA = 6,
    SYNTH_CC_EXPRESSION = 11,
    SYNTH_CC_DATA_FINE = 38,
    SYNTH_CC_SUSTAIN = 64,
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
    uint8_t rpn[2]; /* registered parameter that data entry sets: MSB, LSB; 127, 127: none */
    bool ranged;    /* its bend range was set */
    uint8_t semitones, cents;
} synth_channel;

typedef enum synth_key_state {
    SYNTH_KEY_UP,
    SYNTH_KEY_DOWN,
    SYNTH_KEY_SUSTAINED,
} synth_key_state;

typedef struct synth_key {
    uint32_t started; /* serial number of its last start; 0: never */
    uint8_t state, velocity, touch;
    bool touched; /* `touch` was said since */
    /* that it sounds in, while it is not up; a key whose voice is stolen counts as up */
    uint8_t voice;
} synth_key;

/* An instance in the modes with voices: the last key that it was given to. */
typedef struct synth_voice {
    uint8_t channel, note;
    bool used;
    bool follows;      /* its channel still speaks for it: in MPE until another note starts there */
    float bend;        /* semitones, as its channel last said */
    uint32_t started;  /* as of the key */
    uint32_t released; /* serial number; 0: its key is down or sustained */
} synth_voice;

typedef struct synth_record {
    synth_poke poke;
    uint32_t instance;
} synth_record;

/* Where a word's poke of the present frame is among the records: no word is poked twice before one
 * sample. */
typedef struct synth_slot {
    uint32_t generation, record;
} synth_slot;

typedef struct synth_host_value {
    uint32_t number;
    float value;
    bool received;
} synth_host_value;

/* What an event has set a parameter to, in all instances. */
typedef struct synth_setting {
    hed_synth_entity entity;
    hed_synth_target target;
    float value;
    uint32_t pokes; /* that it takes in all instances */
} synth_setting;
enum { SYNTH_SETTINGS = 256 };

struct synth_voices {
    hed_arena arena; /* it and all its arrays */
    hed_synth_instrument_def def;
    const synth_program *program;
    uint32_t instances, max_events, targets;
    int32_t transpose;
    bool fold;
    /* a bit for each key that something in the instrument hears */
    uint64_t heard[SYNTH_CHANNELS][2];
    float largest_dilation; /* that the instrument was proven stable for */

    synth_channel channels[SYNTH_CHANNELS];
    synth_channel any; /* what was said last, on whatever channel */
    /* MPE: channels of the lower zone, from 2 up, and of the upper one, from 15 down */
    uint8_t members[2];
    synth_key keys[SYNTH_CHANNELS][SYNTH_KEYS];
    uint64_t held[SYNTH_CHANNELS][2]; /* a bit for each key that is down or sustained */
    /* the key that a note plays while it is down, else HED_SYNTH_NO_KEY */
    uint8_t plays[SYNTH_CHANNELS][SYNTH_KEYS];
    /* its low and high are the program's, the rest counts */
    hed_synth_note_report notes;
    synth_voice voices[SYNTH_MOST_VOICES];
    uint32_t serial; /* of starts and releases */
    float tempo;     /* quarter notes a minute; 0: nothing was said yet */
    /* (targets) SINGLETON: channel and key that last played on its route, or SYNTH_NONE */
    uint16_t *last;
    synth_host_value *host; /* (targets), of those of kind HED_SYNTH_MIDI_HOST */
    /* a bit for each instance: by "all sound off" in the last run */
    uint64_t silenced;
    bool renew; /* all that holds is to be poked again */
    /* (setting_count) in the order in which they were set last */
    synth_setting settings[SYNTH_SETTINGS];
    uint32_t setting_count, setting_pokes, setting_room;

    synth_sleep *sleep;
    /* of all instances before sample `looked`, for the next run's check; NULL: none is due */
    const uint32_t *stores;
    uint64_t looked;
    uint64_t sounding; /* inputs with sound in the next run */

    uint32_t frame, count, capacity, event_room; /* pokes; those that events may make */
    synth_record *records;                       /* (capacity) in order of time */
    synth_poke *pokes;                           /* (capacity) sorted by instance; scratch before */
    uint32_t *begin;                             /* (instances + 1) */
    synth_slot *slots;                           /* (slot_count), a power of two */
    uint32_t slot_count, generation;
};

/* ---- voices.c ---- */

/* Changes a word of an instance before sample voices->frame; a second poke of it there replaces the
 * first. */
void synth_voices_poke(synth_voices *voices, uint32_t instance, uint32_t word, uint32_t value);
static inline void synth_voices_poke_float(
    synth_voices *voices, uint32_t instance, uint32_t word, float value)
{
    synth_voices_poke(voices, instance, word, hed_as_uint(value));
}

/* Ends all notes of a channel; the instances that they sounded in are put to rest before this run's
 * pokes. */
void synth_voices_silence(synth_voices *voices, uint32_t channel);

/* ---- notes.c ---- */

static inline bool synth_route_channel(const hed_synth_route *route, uint32_t channel)
{
    return !route->channel || route->channel == channel + 1;
}
static inline bool synth_route_fits(const hed_synth_route *route, uint32_t channel, uint32_t note)
{
    return synth_route_channel(route, channel) && note >= route->low && note <= route->high;
}

/* Notes as they come; what is said of keys below is of those that they play, which are others where
 * the synth transposes or folds. */
void synth_notes_start(synth_voices *voices, uint32_t channel, uint32_t note, uint32_t velocity);
void synth_notes_end(synth_voices *voices, uint32_t channel, uint32_t note);
void synth_notes_touch(synth_voices *voices, uint32_t channel, uint32_t note, uint32_t value);
/* The key that a note plays, or HED_SYNTH_NO_KEY. */
uint32_t synth_notes_key(const synth_voices *voices, uint32_t channel, uint32_t note);
/* Which keys are heard, once for a program. */
void synth_notes_listen(synth_voices *voices);
/* Ends what the channel's pedal alone keeps, where it is up. */
void synth_notes_pedal(synth_voices *voices, uint32_t channel);
/* Ends all notes of a channel; `sustain`: those that its pedal keeps stay. */
void synth_notes_end_all(synth_voices *voices, uint32_t channel, bool sustain);
void synth_notes_touch_key(synth_voices *voices, uint32_t channel, uint32_t key, uint32_t value);
/* Instances in which notes of a channel have sounded, and may ring still: they are free. */
uint64_t synth_notes_silence(synth_voices *voices, uint32_t channel);
/* Gates as they stand now, without starting anything. */
void synth_notes_renew(synth_voices *voices);

/* ---- control.c ---- */

void synth_control_default(synth_channel *channel);
void synth_control_change(synth_voices *voices, uint32_t channel, uint32_t number, uint32_t value);
void synth_control_bend(synth_voices *voices, uint32_t channel, uint32_t value);
void synth_control_pressure(synth_voices *voices, uint32_t channel, uint32_t value);
void synth_control_tempo(synth_voices *voices, float tempo);
void synth_control_host(synth_voices *voices, uint32_t number, float value);
bool synth_control_sustained(const synth_voices *voices, uint32_t channel);
/* The MPE manager of a member channel; SYNTH_NO_CHANNEL where it is none. */
uint32_t synth_control_manager(const synth_voices *voices, uint32_t channel);
/* Dilation of a voice, by its note and the bends. */
void synth_control_dilate(synth_voices *voices, uint32_t instance);
/* Pokes what a target is to be in an instance, where something is known of it; `always`: else its
 * value at rest. */
void synth_control_target(synth_voices *voices, uint32_t instance, uint32_t target, bool always);
/* Whether an event of this control on this channel reaches a target. */
bool synth_control_reaches(const synth_target *target, uint32_t channel, uint32_t control);

/* ---- look.c ---- */

/* Counts the check that is due, and puts to sleep what has been quiet for long enough. */
void synth_sleep_check(synth_voices *voices);
/* What a gate's notes act on; all islands of an instance. */
void synth_sleep_wake_gate(synth_voices *voices, uint32_t instance, uint32_t gate);
void synth_sleep_wake_all(synth_voices *voices, uint32_t instance);

/* ---- settings.c ---- */

/* Pokes a parameter, and keeps it. */
void synth_settings_set(
    synth_voices *voices, hed_synth_entity entity, hed_synth_target target, float value);
/* Keeps those of another program's voices that this program can set. */
void synth_settings_adopt(synth_voices *voices, const synth_voices *from);
void synth_settings_renew(synth_voices *voices);

#endif
