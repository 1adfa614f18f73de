/** @file synth.h
 *  Mass-spring instruments: bodies joined by springs, struck, plucked, bowed and recorded, one time
 *  step a sample.
 *
 *  An instrument is described once (hed_synth_instrument: entities, links, modulations) and played
 *  by a hed_synth on one device. Units are SI: metres, kilograms, seconds, newtons; gains of sound
 *  are in decibels.
 *
 *  THE MODEL, the same in every solver and on every device. Time step h = 1/rate. A body has the
 *  displacement x from its rest position and the velocity v; s is the voice's time dilation (a note
 *  an octave up has s = 2):
 *     v <- exp(-2 damping s h) (v + s h F/m);   x <- x + s h v
 *  which is Stoermer-Verlet in the positions. F is the sum of its springs' forces at this sample,
 *  then of its exciters'. A spring between ends at rest vector d0, with u the difference of the
 *  displacements and d = d0 + u, has the force
 *     F = (k e + k3 e^3 + c (dv.d)/|d|) d/|d|,  e = |d| - L0 = (2 d0.u + u.u + |d0|^2 - L0^2) /
 *     (|d| + L0)
 *  (that form of e does not cancel). An entity reads the value of another one at the previous
 *  sample; a microphone reads bodies as they were two samples ago. Friction and plectrums act as
 *  resistances, which the body's step solves for. A constant force of 1e-16 N per axis on every
 *  free body keeps states out of the denormal range.
 *
 *  A synth has one or several instances (voices) of the whole instrument. Notes are pitched by
 *  dilation.
 *
 *  Each function has a thread class of its own. */
#ifndef HEDDLE_SYNTH_H
#define HEDDLE_SYNTH_H

#include "heddle/pack.h"
#include "heddle/stats.h"
#include "heddle/tune.h"

HED_BEGIN

/* ---- the model: instruments ---- */

typedef struct hed_synth_instrument hed_synth_instrument;

/** Number of an entity of an instrument, from 1, never used again; 0: none. */
typedef uint32_t hed_synth_entity;

/** Type of an entity. */
typedef enum hed_synth_entity_type {
    HED_SYNTH_BODY,
    HED_SYNTH_SPRING,
    HED_SYNTH_MICROPHONE,
    HED_SYNTH_MALLET,
    HED_SYNTH_PLECTRUM,
    HED_SYNTH_BOW,
    HED_SYNTH_DAMPER,
    HED_SYNTH_OSCILLATOR,
    HED_SYNTH_AUDIO_INPUT,
    HED_SYNTH_LFO,
    HED_SYNTH_ENVELOPE,
    HED_SYNTH_FOLLOWER,
    HED_SYNTH_MIDI_SOURCE,
    HED_SYNTH_DELAY_LINE,
    HED_SYNTH_ENTITY_TYPE_COUNT
} hed_synth_entity_type;

/** Returns the name of an entity type in files, such as "audio_input". Thread class: rt. */
HED_API const char *hed_synth_entity_type_name(hed_synth_entity_type type);

/** A value of an entity that modulation and automation can change. */
typedef enum hed_synth_target {
    HED_SYNTH_TARGET_MASS,
    HED_SYNTH_TARGET_DAMPING,
    HED_SYNTH_TARGET_POSITION_X, /**< position of an anchored body, a microphone, an exciter */
    HED_SYNTH_TARGET_POSITION_Y,
    HED_SYNTH_TARGET_POSITION_Z,
    HED_SYNTH_TARGET_IMPULSE,
    HED_SYNTH_TARGET_STIFFNESS,
    HED_SYNTH_TARGET_REST_LENGTH,
    HED_SYNTH_TARGET_DEPTH, /**< factor of its output */
    HED_SYNTH_TARGET_FREQUENCY,
    HED_SYNTH_TARGET_PULSE_WIDTH,
    HED_SYNTH_TARGET_GAIN,
    HED_SYNTH_TARGET_PAN,
    HED_SYNTH_TARGET_HARDNESS,
    HED_SYNTH_TARGET_NOISE,
    HED_SYNTH_TARGET_DRAW_VELOCITY,
    HED_SYNTH_TARGET_ROSIN_STICTION,
    HED_SYNTH_TARGET_ROSIN_DROPOFF,
    HED_SYNTH_TARGET_DISTANCE,
    HED_SYNTH_TARGET_DURATION,
    HED_SYNTH_TARGET_ROTATION, /**< rotation of a direction about the y axis, radians */
    HED_SYNTH_TARGET_DELAY,
    HED_SYNTH_TARGET_SYNC_FREQUENCY, /**< frequency of an LFO that follows the tempo, Hz */
    HED_SYNTH_TARGET_SMOOTHING,
    HED_SYNTH_TARGET_DIRECTIONALITY,
    HED_SYNTH_TARGET_ISOTROPY,
    HED_SYNTH_TARGET_COUNT
} hed_synth_target;

/** Returns the name of a target in files, such as "rest_length". Thread class: rt. */
HED_API const char *hed_synth_target_name(hed_synth_target target);
/** True if entities of this type have this target. Thread class: rt. */
HED_API bool hed_synth_target_of(hed_synth_entity_type type, hed_synth_target target);

/** Notes that start an exciter, an envelope or an LFO, and channels that a MIDI source follows. {0,
 *  0, 127}: all. */
typedef struct hed_synth_route {
    uint8_t channel;   /**< 1 to 16; 0: any */
    uint8_t low, high; /**< range of notes, both included */
} hed_synth_route;

/** Attack, decay and release in seconds (straight lines), sustain in [0, 1]. {0, 0, 1, 0} is a
 *  plain gate. */
typedef struct hed_synth_adsr {
    float attack, decay, sustain, release;
} hed_synth_adsr;

/** Shape of an oscillator or LFO. NOISE is white; HOLD draws a new value each period. */
typedef enum hed_synth_wave {
    HED_SYNTH_WAVE_SINE,
    HED_SYNTH_WAVE_SAW,
    HED_SYNTH_WAVE_RECTANGLE,
    HED_SYNTH_WAVE_NOISE,
    HED_SYNTH_WAVE_HOLD,
    HED_SYNTH_WAVE_COUNT
} hed_synth_wave;

/** A point mass. */
typedef struct hed_synth_body_def {
    float position[3]; /**< rest position, m */
    float mass;        /**< kg, > 0 */
    /** 1/s: the amplitude of a body alone falls as exp(-damping t), by 60 dB in ln(1000)/damping */
    float damping;
    bool anchored; /**< fixed, except for modulation of its position */
} hed_synth_body_def;

/** A spring between two bodies. */
typedef struct hed_synth_spring_def {
    hed_synth_entity from, to; /**< bodies */
    float stiffness;           /**< N/m */
    /** m; negative: factor of the bodies' distance at rest (-1: without tension, -0.9: stretched by
     *  a tenth) */
    float rest_length;
    float damping; /**< N s/m, along the spring */
    float cubic;   /**< N/m^3 */
} hed_synth_spring_def;

/** A microphone for linked bodies (hed_synth_instrument_link): the sum over them of weight x
 *  direction factor x velocity along the axis / distance. With r from the microphone to the body:
 *  direction factor (1 - directionality) + directionality max(0, direction.r/|r|); the axis is
 *  interpolated from `direction` (isotropy 0) to r/|r| (isotropy 1), without normalisation;
 *  distances below 1 cm count as 1 cm. */
typedef struct hed_synth_microphone_def {
    float position[3], direction[3]; /**< m; direction of any length except 0 */
    float directionality, isotropy;  /**< [0, 1] */
    float gain;                      /**< dB; at 0 a velocity of 1 m/s at 1 m is full scale */
    /** -1 left to 1 right: left sqrt((1 - pan)/2), right sqrt((1 + pan)/2) */
    float pan;
    bool heard;      /**< part of the output; false: only a source for followers and delay lines */
    float threshold; /**< dB; compressor: above it the level rises by 1/ratio */
    float ratio;     /**< >= 1; 1: no compressor */
    float attack, release; /**< s */
    float makeup;          /**< dB */
} hed_synth_microphone_def;

/** A felt hammer that flies at each linked body along `direction` when a note starts: F = Q (c^p -
 *  hysteresis y) >= 0 for a compression c, y following c^p with `relaxation` (Stulov). Each linked
 *  body has a hammer of its own with its fraction of the mass. */
typedef struct hed_synth_mallet_def {
    float direction[3];
    float mass; /**< kg */
    /** N s at velocity 1: the hammer's speed is impulse / mass */
    float impulse;
    float velocity_sensitivity;         /**< [0, 1]; 0: all notes are as loud as velocity 1 */
    float hardness_soft, hardness_hard; /**< Q in N/m^p at velocity 0 and 1 */
    float exponent;                     /**< p, 1 to 6 */
    float hysteresis, relaxation;       /**< [0, 1), s */
    float noise;                        /**< [0, 1]: fraction of the force that is noise */
    hed_synth_route route;
} hed_synth_mallet_def;

/** A plectrum that draws each linked body by `distance` along `direction` over `duration`, then
 *  lets go. */
typedef struct hed_synth_plectrum_def {
    float direction[3];
    float distance;             /**< m at velocity 1 */
    float duration;             /**< s */
    float velocity_sensitivity; /**< [0, 1] */
    hed_synth_route route;
} hed_synth_plectrum_def;

/** A bow with the friction of rosin: F = force x envelope x (sliding + (stiction - sliding)
 *  exp(-|w|/dropoff)) w/(|w| + dropoff/16), for the velocity w of the bow relative to the body
 *  along `direction`; the last w is taken after the step. */
typedef struct hed_synth_bow_def {
    float direction[3];
    float force;             /**< N, normal to the string */
    float draw_velocity;     /**< m/s */
    float stiction, sliding; /**< coefficients of friction */
    float dropoff;           /**< m/s */
    /** [0, 1], on force and draw velocity alike: a force that is light for its speed slips twice */
    float velocity_sensitivity;
    hed_synth_adsr envelope;
    hed_synth_route route;
} hed_synth_bow_def;

/** A felt that rests on each linked body and brakes its motion along `direction`: F = -resistance x
 *  weight x (1 - envelope) v. The envelope of the note lifts it (attack) and lowers it (release), so
 *  that notes ring while they are held or sustained by the pedal. */
typedef struct hed_synth_damper_def {
    float direction[3];
    float resistance; /**< N s/m, on each body */
    hed_synth_adsr envelope;
    hed_synth_route route;
} hed_synth_damper_def;

/** A periodic force along `direction`. Saw and rectangle are band-limited: up to 0.36 of the rate the
 *  partials have their levels within 0.7 dB, and images folded back are 60 dB below the first. */
typedef struct hed_synth_oscillator_def {
    float direction[3];
    hed_synth_wave wave;
    float gain;      /**< N */
    float frequency; /**< Hz; unused with `follows_note` */
    /** uses the note's frequency, shifted by octave, semitone and detune */
    bool follows_note;
    float octave, semitone, detune; /**< octaves, semitones, cents */
    float pulse_width;              /**< (0, 1) */
    float velocity_sensitivity;     /**< [0, 1] */
    hed_synth_adsr envelope;
    hed_synth_route route;
} hed_synth_oscillator_def;

/** A sound as a force along `direction`: a channel of the synth's input, or a delay line
 *  (hed_synth_instrument_link with the delay line). */
typedef struct hed_synth_audio_input_def {
    float direction[3];
    uint32_t channel; /**< input channel, from 0 */
    float gain;       /**< N at full scale */
    bool gated;       /**< sounds while a note is held, by the envelope; false: always */
    hed_synth_adsr envelope;
    hed_synth_route route;
} hed_synth_audio_input_def;

/** A slow oscillator: a modulator with values in [-depth, depth]. */
typedef struct hed_synth_lfo_def {
    hed_synth_wave wave;
    float frequency; /**< Hz */
    /** > 0: periods of this many quarter notes, by the tempo, in place of `frequency` */
    float division;
    float pulse_width; /**< (0, 1) */
    float depth;
    bool retrigger; /**< restarts at `phase` with each note */
    float phase;    /**< [0, 1) */
    bool dilated;   /**< runs in the voice's dilated time */
    hed_synth_route route;
} hed_synth_lfo_def;

/** An envelope that notes start: a modulator in [0, depth]. */
typedef struct hed_synth_envelope_def {
    hed_synth_adsr envelope;
    float depth;
    float velocity_sensitivity; /**< [0, 1] */
    hed_synth_route route;
} hed_synth_envelope_def;

/** The level of a microphone: a modulator, depth times its smoothed magnitude. */
typedef struct hed_synth_follower_def {
    hed_synth_entity source; /**< a microphone */
    float attack, release;   /**< s */
    float depth;
} hed_synth_follower_def;

/** Source of a MIDI modulator. */
typedef enum hed_synth_midi_kind {
    HED_SYNTH_MIDI_CC,         /**< [0, 1] */
    HED_SYNTH_MIDI_BEND,       /**< [-1, 1] */
    HED_SYNTH_MIDI_PRESSURE,   /**< pressure of the channel, [0, 1] */
    HED_SYNTH_MIDI_AFTERTOUCH, /**< pressure of the note, [0, 1] */
    HED_SYNTH_MIDI_VELOCITY,   /**< velocity of the last note, [0, 1] */
    HED_SYNTH_MIDI_NOTE,       /**< (note - centre) / 12 */
    HED_SYNTH_MIDI_HOST,       /**< hed_synth_event of kind HED_SYNTH_EVENT_HOST */
    HED_SYNTH_MIDI_KIND_COUNT
} hed_synth_midi_kind;

/** A modulator that follows MIDI or the host. */
typedef struct hed_synth_midi_source_def {
    hed_synth_midi_kind kind;
    uint32_t number; /**< number of the controller, or of the host's control */
    float centre;    /**< note */
    float initial;   /**< value before the first event */
    float smoothing; /**< s: time constant */
    float depth;
    hed_synth_route route;
} hed_synth_midi_source_def;

/** Delayed signal of a microphone, for audio inputs. */
typedef struct hed_synth_delay_line_def {
    hed_synth_entity source; /**< a microphone */
    float seconds;           /**< delay, s, up to 1 */
    float gain;              /**< dB */
} hed_synth_delay_line_def;

/** Definition of any entity. Start from hed_default_synth_entity_def(type). */
typedef struct hed_synth_entity_def {
    hed_synth_entity_type type;
    union {
        hed_synth_body_def body;
        hed_synth_spring_def spring;
        hed_synth_microphone_def microphone;
        hed_synth_mallet_def mallet;
        hed_synth_plectrum_def plectrum;
        hed_synth_bow_def bow;
        hed_synth_damper_def damper;
        hed_synth_oscillator_def oscillator;
        hed_synth_audio_input_def audio_input;
        hed_synth_lfo_def lfo;
        hed_synth_envelope_def envelope;
        hed_synth_follower_def follower;
        hed_synth_midi_source_def midi_source;
        hed_synth_delay_line_def delay_line;
    } as;
} hed_synth_entity_def;

/** Returns sensible values for everything except positions and references. Thread class: rt. */
HED_API hed_synth_entity_def hed_default_synth_entity_def(hed_synth_entity_type type);

/** Effect of a modulation on a value p, for the modulator's output m (times -1 if inverted). For
 *  gains in dB (microphones, delay lines) ADD adds dB, and the others act on the amplitude.
 *  ROTATION is 0 without modulation. */
typedef enum hed_synth_modulation_mode {
    HED_SYNTH_MODULATE_ADD,         /**< p + depth m, in the unit of p */
    HED_SYNTH_MODULATE_MULTIPLY,    /**< p (1 + depth m) */
    HED_SYNTH_MODULATE_EXPONENTIAL, /**< p 2^(depth m) */
    HED_SYNTH_MODULATION_MODE_COUNT
} hed_synth_modulation_mode;

/** Modulation of one value of an entity by one modulator. */
typedef struct hed_synth_modulation_def {
    hed_synth_entity source; /**< an LFO, envelope, follower or MIDI source */
    hed_synth_entity entity; /**< any entity, also a modulator */
    hed_synth_target target;
    hed_synth_modulation_mode mode;
    float depth;
    bool invert;
} hed_synth_modulation_def;

/** Assignment of notes to instances. */
typedef enum hed_synth_voice_mode {
    /** one instance; notes start the entities of their route, without dilation */
    HED_SYNTH_SINGLETON,
    HED_SYNTH_VOICES, /**< an instance for each sounding note, dilated from the root note */
    /** voices as VOICES; bend and pressure of a note's own channel act on its voice alone */
    HED_SYNTH_VOICES_MPE
} hed_synth_voice_mode;

/** Properties of the whole instrument. Start from hed_default_synth_instrument_def(). */
typedef struct hed_synth_instrument_def {
    hed_synth_voice_mode mode;
    uint32_t voices;       /**< number of instances in the modes with voices, 1 to 64 */
    float root_note;       /**< note at which s = 1 */
    uint8_t low, high;     /**< range of notes that the instrument plays */
    float bend_range;      /**< bend at full bend of the channel, semitones */
    float note_bend_range; /**< MPE: bend at full bend of a note's own channel, semitones */
    float glide;         /**< voices: duration of a glide from a channel's last pitch, s; 0: none */
    bool legato;         /**< voices: a note takes over the voice of a held note of its channel */
    float tempo;         /**< quarter notes a minute, until a tempo event */
    float gain;          /**< master gain, dB */
    float limit;         /**< maximum peak after the limiter, dB, <= 0 */
    float limit_release; /**< s */
} hed_synth_instrument_def;

/** Returns the defaults of an instrument. Thread class: rt. */
HED_API hed_synth_instrument_def hed_default_synth_instrument_def(void);

/** Creates an empty instrument. `def` NULL: the defaults.
 *  Thread class: any. Errors: ARGUMENT (names the value), MEMORY. */
HED_API hed_status hed_synth_instrument_create(const hed_allocator *allocator,
    const hed_synth_instrument_def *def, hed_synth_instrument **instrument, hed_error *error);
/** Copies an instrument with the same entity numbers, for hed_synth_prepare() after changes.
 *  Thread class: any. Errors: MEMORY. */
HED_API hed_status hed_synth_instrument_copy(
    const hed_synth_instrument *instrument, hed_synth_instrument **copy, hed_error *error);
/** Destroys an instrument. NULL is allowed. Thread class: owner. */
HED_API void hed_synth_instrument_destroy(hed_synth_instrument *instrument);
/** Returns the properties of the whole instrument. Thread class: rt. */
HED_API const hed_synth_instrument_def *hed_synth_instrument_definition(
    const hed_synth_instrument *instrument);
/** Sets the properties of the whole instrument. Thread class: owner. Errors: ARGUMENT. */
HED_API hed_status hed_synth_instrument_set_def(
    hed_synth_instrument *instrument, const hed_synth_instrument_def *def, hed_error *error);

/** Adds an entity; `name` may be NULL.
 *  Thread class: owner. Errors: ARGUMENT (a reference to no entity or to one of another type, a
 *  value out of its range, a name in use), LIMIT, MEMORY. */
HED_API hed_status hed_synth_instrument_add(hed_synth_instrument *instrument,
    const hed_synth_entity_def *def, const char *name, hed_synth_entity *entity, hed_error *error);
/** Replaces the values of an entity by others of the same type.
 *  Thread class: owner. Errors: ARGUMENT. */
HED_API hed_status hed_synth_instrument_set(hed_synth_instrument *instrument,
    hed_synth_entity entity, const hed_synth_entity_def *def, hed_error *error);
/** Returns the values of an entity. Thread class: any. Errors: ARGUMENT. */
HED_API hed_status hed_synth_instrument_get(const hed_synth_instrument *instrument,
    hed_synth_entity entity, hed_synth_entity_def *def, hed_error *error);
/** Removes an entity, and every spring, link, modulation, follower and delay line that refers to
 *  it.
 *  Thread class: owner. Errors: ARGUMENT. */
HED_API hed_status hed_synth_instrument_remove(
    hed_synth_instrument *instrument, hed_synth_entity entity, hed_error *error);
/** Links an exciter or microphone to a body (weight: of its force, or of the body's sound), or an
 *  audio input to its delay line. A second link replaces the weight.
 *  Thread class: owner. Errors: ARGUMENT, MEMORY. */
HED_API hed_status hed_synth_instrument_link(hed_synth_instrument *instrument,
    hed_synth_entity from, hed_synth_entity to, float weight, hed_error *error);
/** Adds a modulation.
 *  Thread class: owner. Errors: ARGUMENT (the entity has no such target, the source is no
 *  modulator), MEMORY. */
HED_API hed_status hed_synth_instrument_modulate(
    hed_synth_instrument *instrument, const hed_synth_modulation_def *def, hed_error *error);

/** Returns the number of entities of a type. Thread class: any. */
HED_API uint32_t hed_synth_instrument_count(
    const hed_synth_instrument *instrument, hed_synth_entity_type type);
/** Returns entity `index` of a type, in the order in which they were added. Thread class: any. */
HED_API hed_synth_entity hed_synth_instrument_at(
    const hed_synth_instrument *instrument, hed_synth_entity_type type, uint32_t index);
/** Finds the entity of a name; also a part of a grid: "string1[3]", "plate[4,7]",
 *  "string1.springs[2]". 0: no such name, or more than one entity.
 *  Thread class: any. */
HED_API hed_synth_entity hed_synth_instrument_find(
    const hed_synth_instrument *instrument, const char *name);
/** Returns the name of an entity; "": none. Thread class: any. */
HED_API const char *hed_synth_instrument_name(
    const hed_synth_instrument *instrument, hed_synth_entity entity);
/** Writes the description of an entity for messages: its name in quotation marks, that of a part of
 *  a grid ("string1[3]"), or its type and index ("spring 12"). Returns `text`.
 *  Thread class: any. */
HED_API const char *hed_synth_instrument_describe(
    const hed_synth_instrument *instrument, hed_synth_entity entity, char *text, size_t size);

/** Number of controls of a host (knobs of a plugin) that an instrument may name: MIDI sources of
 *  kind HED_SYNTH_MIDI_HOST with numbers below it. */
enum { HED_SYNTH_MACROS = 8 };
/** Sets the name of a control of the host; `name` NULL or "": none.
 *  Thread class: owner. Errors: ARGUMENT (no such control; a name of over 63 bytes, or with control
 *  characters). */
HED_API hed_status hed_synth_instrument_set_macro(
    hed_synth_instrument *instrument, uint32_t macro, const char *name, hed_error *error);
/** Returns the name of a control of the host; "": none. Thread class: any. */
HED_API const char *hed_synth_instrument_macro(
    const hed_synth_instrument *instrument, uint32_t macro);

/* ---- the model: generators of large instruments ---- */

/** Generated entities; those of one call have consecutive numbers. */
typedef struct hed_synth_generated {
    hed_synth_entity first_body, first_spring;
    uint32_t bodies, springs;
} hed_synth_generated;

/** Bodies and springs of a regular grid of nx x ny x nz positions; body (i, j, k) is first_body +
 *  (k ny + j) nx + i. nx > 1 and ny = nz = 1: a string; nz = 1: a membrane or a plate. Start from
 *  hed_default_synth_grid_def(). */
typedef struct hed_synth_grid_def {
    uint32_t size[3];
    float origin[3];
    float step[3][3];        /**< vectors to the next position along each of the three axes, m */
    hed_synth_body_def body; /**< `position` is ignored; mass of each body */
    hed_synth_spring_def spring; /**< properties of each spring; `from` and `to` are ignored */
    /** stiffness of springs along the diagonals of each square, N/m; 0: no such springs */
    float diagonal;
    /** stiffness of springs to the neighbour after next along each axis, N/m; 0: no such springs (a
     *  plate has them). They push, and springs to the next neighbour pull: the grid resists bending
     *  as a beam does, bend x (fourth difference), and rests. Below stiffness x rest length /
     *  distance */
    float bend;
    /** > 0: frequency of mode 1 at `rate`, Hz, exact, body.damping included. It determines
     *  spring.stiffness of a string or membrane (tension by rest_length) or along the first axis of
     *  a lattice; without tension it determines `bend`. All ends have to be anchored */
    float tune;
    double rate; /**< sample rate for `tune`, Hz */
    /** anchors the first and last bodies along each axis; an axis of one body has no ends */
    bool anchor_ends[3][2];
} hed_synth_grid_def;

/** Returns the defaults of a grid. Thread class: rt. */
HED_API hed_synth_grid_def hed_default_synth_grid_def(void);
/** Adds a grid of bodies and springs; `name` may be NULL.
 *  Thread class: owner. Errors: ARGUMENT, LIMIT, MEMORY. */
HED_API hed_status hed_synth_instrument_add_grid(hed_synth_instrument *instrument,
    const hed_synth_grid_def *def, const char *name, hed_synth_generated *generated,
    hed_error *error);

/** A grid of an instrument. */
typedef struct hed_synth_grid_info {
    const char *name; /**< name; "": none; lives until the instrument is changed */
    hed_synth_grid_def def;
    hed_synth_generated generated; /**< may include entities that were changed or removed since */
    /** exact frequency of mode 1 of the grid as generated, Hz; 0: no closed form, since an end is
     *  not anchored, or a lattice has diagonal or bend springs */
    double frequency;
} hed_synth_grid_info;

/** Returns the number of grids. Thread class: any. */
HED_API uint32_t hed_synth_instrument_grid_count(const hed_synth_instrument *instrument);
/** Returns grid `index`, in the order in which they were added, and its undilated pitch at `rate`.
 *  Thread class: any. Errors: ARGUMENT. */
HED_API hed_status hed_synth_instrument_grid_at(const hed_synth_instrument *instrument,
    uint32_t index, double rate, hed_synth_grid_info *info, hed_error *error);

/* ---- the model: analysis of an instrument ---- */

/** Stability margin of an instrument by Gershgorin's bound: for each free body h^2 s^2 sum(k)/m <=
 *  2 is safe. Springs to anchored bodies count half, damping c along springs adds 2 c/(h s) to k,
 *  and modulated stiffness and mass enter with their worst values. Cubic terms and exciters depend
 *  on the motion and are not part of the bound; the breaker limits them. */
typedef struct hed_synth_stability {
    double worst;            /**< maximum of h^2 s^2 sum(k)/m; at most 2 is proven safe */
    hed_synth_entity body;   /**< body of that maximum */
    double largest_dilation; /**< s of the highest note and bend */
    uint32_t unsafe;         /**< number of bodies above 2 */
    /** body or spring whose damping modulation may take below 0, so that its motion grows; 0: none */
    hed_synth_entity growing;
} hed_synth_stability;

/** Computes the stability margin of an instrument. Thread class: any. Errors: ARGUMENT, MEMORY. */
HED_API hed_status hed_synth_instrument_stability(const hed_synth_instrument *instrument,
    double rate, hed_synth_stability *stability, hed_error *error);

/** Returns the rate at which a synth of this rate simulates the instrument, Hz: `rate` from 44.1 to
 *  53 kHz, else a fraction of small numbers of it that lies between 44.1 and 48 kHz, or, where the
 *  instrument is not stable, between 48 and 53 kHz; where it is not stable either, the smallest multiple
 *  of `rate` of at least 48 kHz. An instrument that is stable at 48 kHz so plays at every rate, with
 *  one pitch and one decay. 0: `rate` is not from 1000 to 768000. Thread class: any. */
HED_API double hed_synth_instrument_rate(const hed_synth_instrument *instrument, double rate);

/** Returns an upper bound of the time in seconds after which a released note is 120 dB quieter, by
 *  the least damping of the bodies and the longest release; INFINITY: it may ring for ever (a body
 *  without damping, a delay line in a loop, an LFO that moves bodies or springs).
 *  Thread class: any. */
HED_API double hed_synth_instrument_tail(const hed_synth_instrument *instrument);
/** True if a microphone is linked to a body, or an exciter to a body that is not anchored, with a
 *  weight other than 0. Thread class: any. */
HED_API bool hed_synth_instrument_reaches(
    const hed_synth_instrument *instrument, hed_synth_entity entity);
/** Returns the name of the exciter that only this key plays, such as a drum of a kit; "": none.
 *  Lives until the instrument is changed. Thread class: any. */
HED_API const char *hed_synth_instrument_key(const hed_synth_instrument *instrument, uint32_t key);

/** Returns the exact frequency of mode j (from 1) of a string of `masses` masses between fixed
 *  ends, k/m = `ratio` for each spring: asin(h sqrt(ratio) sin(j pi / (2 (masses + 1)))) / (pi h).
 *  0: unstable.
 *  Thread class: rt. */
HED_API double hed_synth_string_frequency(
    uint32_t masses, uint32_t mode, double ratio, double rate);
/** Returns the k/m that gives mode 1 exactly `frequency`. Thread class: rt. */
HED_API double hed_synth_string_ratio(uint32_t masses, double frequency, double rate);

/* ---- creation ---- */

typedef struct hed_synth hed_synth;

/** Execution of a synth. */
typedef enum hed_synth_solver {
    HED_SYNTH_SOLVER_AUTO,
    HED_SYNTH_SOLVER_CPU,   /**< plain C, in the calling thread: real-time safe */
    HED_SYNTH_SOLVER_GROUP, /**< a work-group for each instance, its state in local memory */
    /** a work-group for each instance, its state in global memory, of any size */
    HED_SYNTH_SOLVER_GLOBAL,
    /** one instance over the whole device, bodies partitioned, boundary positions as packets */
    HED_SYNTH_SOLVER_GRID,
    HED_SYNTH_SOLVER_COUNT
} hed_synth_solver;

/** Returns the name of a solver, such as "cpu". Thread class: rt. */
HED_API const char *hed_synth_solver_name(hed_synth_solver solver);

/** Definition of a synth. Start from hed_default_synth_def(). */
typedef struct hed_synth_def {
    const hed_synth_instrument *instrument; /**< read by hed_synth_create() only */
    /** Hz, 48000; 1000 to 768000. Below 44.1 and above 53 kHz samples of the simulation are not
     *  frames of the sound (hed_synth_instrument_rate()) */
    double rate;
    /** maximum number of frames of hed_synth_process(), 256 */
    uint32_t block;
    uint32_t inputs;     /**< number of input channels, 0 */
    uint32_t max_events; /**< maximum number of events of one block, 1024 */
    int32_t transpose;   /**< shift of notes in semitones, -127 to 127; 0 */
    /** moves a note that no part plays to the nearest octave that is played */
    bool fold;
    hed_math math;
    hed_synth_solver solver;
    hed_pack_method pack; /**< HED_PACK_ROWS */
    /** CPU: number of threads that divide the voices, or the bodies of a single instrument; 1. The
     *  result is the same to the bit. Dividing bodies pays from some thousands on, since the
     *  threads synchronize at each sample, spinning */
    uint32_t threads;
    /** a resident kernel with a mailbox instead of a launch for each block (HED_CAN_RESIDENT) */
    bool resident;
    bool keep_awake; /**< a warp that spins between blocks, for devices that clock down */
    uint64_t seed;   /**< seed of noise */
    /** (128) pitch of each key in semitones of equal temperament, 69: 440 Hz. It acts on the
     *  dilation of voices and on oscillators that follow notes; an instrument with neither keeps the
     *  pitches of its strings, with a warning in the context's log. NaN: the key is silent. Read by
     *  hed_synth_create() only; NULL: key n has pitch n */
    const float *tuning;
    hed_stream *stream; /**< NULL: a stream of the synth */
} hed_synth_def;

/** Returns the defaults of a synth. Thread class: rt. */
HED_API hed_synth_def hed_default_synth_def(void);

/** Creates a synth of an instrument on a device.
 *  Thread class: any. Errors: ARGUMENT (no instrument, unstable: names the body), UNSUPPORTED (the
 *  cause for the solver), LIMIT, MEMORY, DEVICE_MEMORY, BUILD, DRIVER. */
HED_API hed_status hed_synth_create(
    hed_device *device, const hed_synth_def *def, hed_synth **synth, hed_error *error);
/** Destroys a synth. NULL is allowed. Thread class: owner. */
HED_API void hed_synth_destroy(hed_synth *synth);

/* ---- running: blocks ---- */

/** Kind of an event. */
typedef enum hed_synth_event_kind {
    /** bytes: status, data 1, data 2. Volume (controller 7) and expression (11) act as MIDI
     *  recommends, unless the instrument follows that controller itself: amplitude in proportion to
     *  their squares, 1 at the defaults 100 and 127. In singleton mode the loudest channel that has
     *  played decides. Pedals are controllers 64 and 66 (sostenuto); 5, 65 and 84 are portamento
     *  (2 s at 127, falling as the square), 68 is legato. The bytes f0 7e 09 are GM System On
     *  (hed_synth_midi_is_reset()). "All sound off" (120) resets all voices of that channel at once
     *  (in singleton mode the whole instrument); the output fades out over a few milliseconds */
    HED_SYNTH_EVENT_MIDI,
    HED_SYNTH_EVENT_TEMPO, /**< value: quarter notes a minute */
    /** entity, target, value in the unit and range of its definition (rotation: -1e4 to 1e4 rad;
     *  `heddle synth check --schema` prints all ranges), until hed_synth_reset(). A value out of
     *  its range is an error of the whole block. At most 256 different targets survive a break,
     *  "all sound off" or hed_synth_apply(); of more, the oldest return to their definitions */
    HED_SYNTH_EVENT_SET,
    HED_SYNTH_EVENT_HOST, /**< number, value: of MIDI sources of kind HED_SYNTH_MIDI_HOST */
    /** bytes: channel (0 to 15), note. Ends the note and its sound: its voice fades in 20 ms. In
     *  singleton mode the whole instrument is silenced unless other keys are held */
    HED_SYNTH_EVENT_CHOKE,
    /** bytes: channel (0 to 15), note; number (below HED_SYNTH_MACROS), value: added to the control
     *  of the host in the voice of this note alone, until the voice ends; the sum stays within
     *  [0, 1]. In singleton mode it acts on the whole instrument */
    HED_SYNTH_EVENT_NOTE_HOST
} hed_synth_event_kind;

/** An event at a sample. */
typedef struct hed_synth_event {
    uint32_t frame; /**< frame of the block */
    hed_synth_event_kind kind;
    uint8_t bytes[3];
    hed_synth_entity entity;
    hed_synth_target target;
    uint32_t number;
    float value;
} hed_synth_event;

/** Input and output of one block of sound. */
typedef struct hed_synth_block {
    uint32_t frames;
    const hed_synth_event *events; /**< (event_count) in order of frame */
    uint32_t event_count;
    const float *const *inputs; /**< (inputs) each (frames); NULL: silence */
    float *left, *right;        /**< (frames) out, within [-1, 1] */
    /** (2 x microphones in the output: left, right) each (frames), before master gain and limiter,
     *  voices summed; NULL: none */
    float *const *stems;
} hed_synth_block;

/** True if a system exclusive message, which begins with f0, resets an instrument: GM System On,
 *  GM2 System On, GS Reset, XG System On. Thread class: rt. */
HED_API bool hed_synth_midi_is_reset(const uint8_t *bytes, uint32_t size);

/** Plays a block. On failure the outputs are silent.
 *  Thread class: rt with HED_SYNTH_SOLVER_CPU and one thread, or resident and awake; else owner.
 *  Errors: ARGUMENT (frames, event order, no such entity), LIMIT (events), DRIVER, TIMEOUT,
 *  LOST. */
HED_API hed_status hed_synth_process(
    hed_synth *synth, const hed_synth_block *block, hed_error *error);

/* ---- results ---- */

/** Reads displacements (x, y, z, m) and velocities of bodies after the last block, (bodies of one
 *  instance x 3), in the order of hed_synth_instrument_at().
 *  Thread class: owner. Errors: ARGUMENT, MEMORY, DRIVER. */
HED_API hed_status hed_synth_read_bodies(
    hed_synth *synth, uint32_t instance, float *positions, float *velocities, hed_error *error);

/* ---- changes: another instrument, rest ---- */

/** A prepared change of the instrument. */
typedef struct hed_synth_change hed_synth_change;
/** Prepares a changed instrument for the synth: a hed_synth_instrument_copy() of the present one,
 *  with entities added, removed or linked. One change at a time: the next is prepared after this
 *  one was applied or destroyed. Master gain and limiter change too, the gain without a click.
 *  Thread class: any, also while another thread plays. Errors: as hed_synth_create(), and ARGUMENT
 *  (another mode or number of voices), UNSUPPORTED (a resident synth). */
HED_API hed_status hed_synth_prepare(const hed_synth *synth, const hed_synth_instrument *instrument,
    hed_synth_change **change, hed_error *error);
/** Applies a change: entities that are in both instruments keep their state. Afterwards `change`
 *  contains the replaced instrument; destroy it.
 *  Thread class: as hed_synth_process(). Errors: ARGUMENT (applied before, or prepared before
 *  another change was applied), DRIVER, LOST. */
HED_API hed_status hed_synth_apply(hed_synth *synth, hed_synth_change *change, hed_error *error);
/** Destroys a change. NULL is allowed. Thread class: any but rt. */
HED_API void hed_synth_change_destroy(hed_synth_change *change);

/** Resets the synth to rest, silence and sample 0. Thread class: owner. Errors: DRIVER, LOST. */
HED_API hed_status hed_synth_reset(hed_synth *synth, hed_error *error);

/* ---- information ---- */

enum { HED_SYNTH_NO_KEY = 255 };

/** Outcome of all notes since creation or hed_synth_reset(). A note that no part of the instrument
 *  plays (out of its range, on an unused channel, or without a pitch in the tuning) is dropped. */
typedef struct hed_synth_note_info {
    uint64_t struck, dropped;
    /** lowest and highest key that is played on some channel; low is HED_SYNTH_NO_KEY if none is */
    uint8_t low, high;
    /** lowest and highest dropped key, as received */
    uint8_t dropped_low, dropped_high;
    /** channels on which keys from low to high were dropped; bit 0 is channel 1 */
    uint16_t deaf_channels;
    uint64_t unmapped; /**< number of dropped notes whose key has no pitch in the tuning */
} hed_synth_note_info;

/** State of a note. */
typedef enum hed_synth_note_state {
    HED_SYNTH_NOTE_ENDED,  /**< silent, stolen, or never played */
    HED_SYNTH_NOTE_HELD,   /**< the key is down, or the pedal sustains it */
    HED_SYNTH_NOTE_RINGING /**< released, and louder than -100 dB */
} hed_synth_note_state;
/** Returns the state of a note after the last block. In singleton mode a released note rings as
 *  long as the instrument does.
 *  Thread class: as hed_synth_process(). */
HED_API hed_synth_note_state hed_synth_note(
    const hed_synth *synth, uint32_t channel, uint32_t note);

/** Predicts the outcome of the notes among these events, without playing. Thread class: rt. */
HED_API hed_synth_note_info hed_synth_check_notes(
    const hed_synth *synth, const hed_synth_event *events, uint32_t count);

/** Properties and statistics of a synth. */
typedef struct hed_synth_info {
    hed_synth_solver solver;
    hed_config_origin configured;
    uint32_t instances, microphones; /**< voices and spare ones; microphones in the output */
    /** counts in one instance; exciters count once for each body */
    uint32_t entities[HED_SYNTH_ENTITY_TYPE_COUNT];
    uint64_t bytes;                 /**< size of state and tables of all instances */
    uint32_t groups, partition_cut; /**< GRID: groups, and springs between them */
    /** times of hed_synth_process() against the block's length */
    hed_meter_info load;
    uint64_t samples, muted; /**< frames played, and frames muted by the breaker */
    /** number of times that the breaker opened: NaN, or growing energy */
    uint32_t breaks;
    /** largest magnitude before the limiter, full scale 1 */
    float peak;
    float reduction; /**< maximum reduction of the limiter, dB */
    /** delay of the sound after a note, frames: of the limiter, and of a filter if samples are not frames */
    uint32_t latency;
    uint32_t sounding; /**< number of voices */
    hed_synth_note_info notes;
    /** number of connected components that can sleep, in all instances, and of those asleep */
    uint32_t islands, asleep;
    double oversampling; /**< simulated samples a frame; 1: samples are frames */
    /** delay of an input in addition to `latency`, and delay of stems, frames; 0 where samples are
     *  frames */
    uint32_t input_latency, stem_latency;
    /** true if hed_synth_def.tuning acts; false without one, or if each key has parts of its own */
    bool tuned;
} hed_synth_info;

/** Returns the properties and statistics of a synth. Thread class: owner. */
HED_API hed_synth_info hed_synth_describe(const hed_synth *synth);

/* ---- tuning and kernels ---- */

/** Finds the fastest solver, packing and group size for instruments like this one (their bodies,
 *  springs, other entities and voices), and stores them in the context's database, from where
 *  hed_synth_create() with HED_SYNTH_SOLVER_AUTO loads them. A choice is correct if a chord over
 *  the whole range sounds as with the cpu solver, within 5 % of the peak for 1,024 samples. `tune`
 *  as for hed_tune_pipeline(), its problem is set here; NULL: its defaults.
 *  Thread class: owner of the device's time. Errors: as hed_synth_create() and hed_tune_pipeline();
 *  UNSUPPORTED (host: only one solver), ARGUMENT (no audible note). */
HED_API hed_status hed_synth_tune(hed_device *device, const hed_synth_def *def,
    const hed_tune_def *tune, hed_tune_result **result, hed_error *error);
/** Describes the search space of hed_synth_tune(), for displaying a result; it is not a kernel that
 *  can be created.
 *  Thread class: any. */
HED_API const hed_kernel_def *hed_synth_tune_description(void);

/** Returns the number of the engine's kernels. Thread class: any. */
HED_API uint32_t hed_synth_kernel_count(void);
/** Returns the description of kernel `index`, for conformance, tuning and benchmarks.
 *  Thread class: any. */
HED_API const hed_kernel_def *hed_synth_kernel_at(uint32_t index);

HED_END

#endif
