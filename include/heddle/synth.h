/** @file synth.h
 *  Mass-spring instruments: bodies joined by springs, struck, plucked, bowed and heard, one time
 *  step a sample.
 *
 *  An instrument is described once (hed_synth_instrument: entities, links, modulations) and played
 *  by a hed_synth on one device. Units are SI: metres, kilograms, seconds, newtons; gains of sound
 *  are in decibels.
 *
 *  THE MODEL, the same in every solver and on every device. Time step h = 1/rate. A body is kept
 *  as displacement x from its place of rest and velocity v; s is the voice's time dilation (a note
 *  an octave up has s = 2):
 *      v <- exp(-2 damping s h) (v + s h F/m);   x <- x + s h v
 *  which is Stoermer-Verlet in the positions. F is the sum of its springs' forces at this sample,
 *  then of its exciters'. A spring between ends at rest vector d0, with u the difference of the
 *  displacements and d = d0 + u, pulls with
 *      F = (k e + k3 e^3 + c (dv.d)/|d|) d/|d|,  e = |d| - L0 = (2 d0.u + u.u + |d0|^2 - L0^2) /
 *      (|d| + L0)
 *  (that form of e does not cancel). Whatever one entity reads of another is its value at the
 *  previous sample; a microphone hears bodies as they were two samples ago. Friction and plectrums
 *  act as resistances, which the body's step solves for. A constant force of 1e-16 N
 *  per axis on every free body keeps states out of the denormal range.
 *
 *  A synth is one or several instances (voices) of the whole instrument. Notes are pitched by
 *  dilation.
 */
#ifndef HEDDLE_SYNTH_H
#define HEDDLE_SYNTH_H

#include "heddle/pack.h"
#include "heddle/stats.h"
#include "heddle/tune.h"

HED_BEGIN

/* ---- instruments ---- */

typedef struct hed_synth_instrument hed_synth_instrument;

/** An entity of an instrument: a number from 1 that no other entity of it ever had; 0 is none. */
typedef uint32_t hed_synth_entity;

/** What an entity is. */
typedef enum hed_synth_entity_type {
    HED_SYNTH_BODY,
    HED_SYNTH_SPRING,
    HED_SYNTH_MICROPHONE,
    HED_SYNTH_MALLET,
    HED_SYNTH_PLECTRUM,
    HED_SYNTH_BOW,
    HED_SYNTH_OSCILLATOR,
    HED_SYNTH_AUDIO_INPUT,
    HED_SYNTH_LFO,
    HED_SYNTH_ENVELOPE,
    HED_SYNTH_FOLLOWER,
    HED_SYNTH_MIDI_SOURCE,
    HED_SYNTH_DELAY_LINE,
    HED_SYNTH_ENTITY_TYPE_COUNT
} hed_synth_entity_type;

/** Its name in files, such as "audio_input". Thread class: rt. */
HED_API const char *hed_synth_entity_type_name(hed_synth_entity_type type);

/** A value of an entity that modulation and automation can reach. */
typedef enum hed_synth_target {
    HED_SYNTH_TARGET_MASS,
    HED_SYNTH_TARGET_DAMPING,
    HED_SYNTH_TARGET_POSITION_X, /**< of an anchored body, a microphone, an exciter */
    HED_SYNTH_TARGET_POSITION_Y,
    HED_SYNTH_TARGET_POSITION_Z,
    HED_SYNTH_TARGET_IMPULSE,
    HED_SYNTH_TARGET_STIFFNESS,
    HED_SYNTH_TARGET_REST_LENGTH,
    HED_SYNTH_TARGET_DEPTH, /**< of a modulator: what its output is multiplied by */
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
    HED_SYNTH_TARGET_ROTATION, /**< of a direction about the y axis, radians */
    HED_SYNTH_TARGET_DELAY,
    HED_SYNTH_TARGET_SYNC_FREQUENCY, /**< of an LFO that follows the tempo: in Hz like FREQUENCY */
    HED_SYNTH_TARGET_SMOOTHING,
    HED_SYNTH_TARGET_DIRECTIONALITY,
    HED_SYNTH_TARGET_ISOTROPY,
    HED_SYNTH_TARGET_COUNT
} hed_synth_target;

/** Its name in files, such as "rest_length". Thread class: rt. */
HED_API const char *hed_synth_target_name(hed_synth_target target);
/** Whether entities of this type have this target. Thread class: rt. */
HED_API bool hed_synth_target_of(hed_synth_entity_type type, hed_synth_target target);

/** Which notes start an exciter, an envelope or an LFO, and which channels a MIDI source hears. {0,
 * 0, 127}: all. */
typedef struct hed_synth_route {
    uint8_t channel;   /**< 1 to 16; 0: any */
    uint8_t low, high; /**< notes, both included */
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

/** A mass. */
typedef struct hed_synth_body_def {
    float position[3]; /**< m, at rest */
    float mass;        /**< kg, > 0 */
    /** 1/s: amplitude falls as exp(-damping t) when it is alone; 60 dB in ln(1000)/damping */
    float damping;
    bool anchored; /**< never moves, but by modulation of its position */
} hed_synth_body_def;

/** A spring between two bodies. */
typedef struct hed_synth_spring_def {
    hed_synth_entity from, to; /**< bodies */
    float stiffness;           /**< N/m */
    /** m; negative: the distance of the bodies at rest, times -rest_length (so -1 is without
     *  tension, -0.9 stretched by a tenth) */
    float rest_length;
    float damping; /**< N s/m, along the spring */
    float cubic;   /**< N/m^3 */
} hed_synth_spring_def;

/** Hears bodies (hed_synth_instrument_link): the sum over them of weight x direction factor x
 *  velocity along the axis / distance. With r from the microphone to the body: direction factor (1
 *  - directionality) + directionality max(0, direction.r/|r|); the axis goes from `direction`
 *  (isotropy 0) to r/|r| (isotropy 1), not normalised between; distances below 1 cm count as 1
 *  cm. */
typedef struct hed_synth_microphone_def {
    float position[3], direction[3]; /**< m; direction of any length but 0 */
    float directionality, isotropy;  /**< [0, 1] */
    float gain;                      /**< dB: 0 makes a velocity of 1 m/s at 1 m full scale */
    /** -1 left to 1 right: left sqrt((1 - pan)/2), right sqrt((1 + pan)/2) */
    float pan;
    bool heard;            /**< false: only a source for followers and delay lines */
    float threshold;       /**< dB; compressor: above it the level rises by 1/ratio */
    float ratio;           /**< >= 1; 1: no compressor */
    float attack, release; /**< s */
    float makeup;          /**< dB */
} hed_synth_microphone_def;

/** A hammer with felt that flies at each linked body along `direction` when a note starts: F = Q
 *  (c^p - hysteresis y) >= 0 for a compression c, y following c^p with `relaxation` (Stulov). Each
 *  linked body has a hammer of its own with its share of the mass. */
typedef struct hed_synth_mallet_def {
    float direction[3];
    float mass; /**< kg */
    /** N s at velocity 1: the hammer comes at impulse / mass */
    float impulse;
    float velocity_sensitivity;         /**< [0, 1]: 0, all notes are as loud as velocity 1 */
    float hardness_soft, hardness_hard; /**< Q in N/m^p at velocity 0 and 1 */
    float exponent;                     /**< p, 1 to 6 */
    float hysteresis, relaxation;       /**< [0, 1), s */
    float noise;                        /**< [0, 1]: share of the force that is noise */
    hed_synth_route route;
} hed_synth_mallet_def;

/** Draws each linked body by `distance` along `direction` over `duration`, then lets go. */
typedef struct hed_synth_plectrum_def {
    float direction[3];
    float distance;             /**< m at velocity 1 */
    float duration;             /**< s */
    float velocity_sensitivity; /**< [0, 1] */
    hed_synth_route route;
} hed_synth_plectrum_def;

/** Friction of rosin: F = force x envelope x (sliding + (stiction - sliding) exp(-|w|/dropoff))
 *  w/(|w| + dropoff/16), for the velocity w of the bow relative to the body along `direction`; the
 *  last w is taken after the step. */
typedef struct hed_synth_bow_def {
    float direction[3];
    float force;                /**< N, normal to the string */
    float draw_velocity;        /**< m/s */
    float stiction, sliding;    /**< coefficients of friction */
    float dropoff;              /**< m/s */
    float velocity_sensitivity; /**< [0, 1], on the force */
    hed_synth_adsr envelope;
    hed_synth_route route;
} hed_synth_bow_def;

/** A force that swings along `direction`. */
typedef struct hed_synth_oscillator_def {
    float direction[3];
    hed_synth_wave wave;
    float gain;                     /**< N */
    float frequency;                /**< Hz; ignored where `follows_note` */
    bool follows_note;              /**< the note's frequency, by octave, semitone and detune */
    float octave, semitone, detune; /**< octaves, semitones, cents */
    float pulse_width;              /**< (0, 1) */
    float velocity_sensitivity;     /**< [0, 1] */
    hed_synth_adsr envelope;
    hed_synth_route route;
} hed_synth_oscillator_def;

/** Sound as a force along `direction`: a channel of the synth's input, or a delay line
 *  (hed_synth_instrument_link with the delay line). */
typedef struct hed_synth_audio_input_def {
    float direction[3];
    uint32_t channel; /**< from 0 */
    float gain;       /**< N at full scale */
    bool gated;       /**< sounds while a note is held, by the envelope; else always */
    hed_synth_adsr envelope;
    hed_synth_route route;
} hed_synth_audio_input_def;

/** A slow oscillator: a modulator with values in [-depth, depth]. */
typedef struct hed_synth_lfo_def {
    hed_synth_wave wave;
    float frequency;   /**< Hz */
    float division;    /**< > 0: periods of this many quarter notes instead, by the tempo */
    float pulse_width; /**< (0, 1) */
    float depth;
    bool retrigger; /**< a note starts it at `phase` */
    float phase;    /**< [0, 1) */
    bool dilated;   /**< runs in the voice's time */
    hed_synth_route route;
} hed_synth_lfo_def;

/** An envelope that notes start: a modulator in [0, depth]. */
typedef struct hed_synth_envelope_def {
    hed_synth_adsr envelope;
    float depth;
    float velocity_sensitivity; /**< [0, 1] */
    hed_synth_route route;
} hed_synth_envelope_def;

/** The level of a microphone: a modulator, depth times its magnitude smoothed. */
typedef struct hed_synth_follower_def {
    hed_synth_entity source; /**< a microphone */
    float attack, release;   /**< s */
    float depth;
} hed_synth_follower_def;

/** What a MIDI source follows. */
typedef enum hed_synth_midi_kind {
    HED_SYNTH_MIDI_CC,         /**< [0, 1] */
    HED_SYNTH_MIDI_BEND,       /**< [-1, 1] */
    HED_SYNTH_MIDI_PRESSURE,   /**< of the channel, [0, 1] */
    HED_SYNTH_MIDI_AFTERTOUCH, /**< of the note, [0, 1] */
    HED_SYNTH_MIDI_VELOCITY,   /**< of the last note, [0, 1] */
    HED_SYNTH_MIDI_NOTE,       /**< (note - centre) / 12 */
    HED_SYNTH_MIDI_HOST,       /**< hed_synth_event of kind HED_SYNTH_EVENT_HOST */
    HED_SYNTH_MIDI_KIND_COUNT
} hed_synth_midi_kind;

/** A modulator that follows MIDI or the host. */
typedef struct hed_synth_midi_source_def {
    hed_synth_midi_kind kind;
    uint32_t number; /**< of the controller, or of the host's control */
    float centre;    /**< note */
    float initial;   /**< value before the first event */
    float smoothing; /**< s: time constant */
    float depth;
    hed_synth_route route;
} hed_synth_midi_source_def;

/** What a microphone heard some time ago: a signal for audio inputs. */
typedef struct hed_synth_delay_line_def {
    hed_synth_entity source; /**< a microphone */
    float seconds;           /**< up to 1 */
    float gain;              /**< dB */
} hed_synth_delay_line_def;

/** Any entity. Start from hed_default_synth_entity_def(type). */
typedef struct hed_synth_entity_def {
    hed_synth_entity_type type;
    union {
        hed_synth_body_def body;
        hed_synth_spring_def spring;
        hed_synth_microphone_def microphone;
        hed_synth_mallet_def mallet;
        hed_synth_plectrum_def plectrum;
        hed_synth_bow_def bow;
        hed_synth_oscillator_def oscillator;
        hed_synth_audio_input_def audio_input;
        hed_synth_lfo_def lfo;
        hed_synth_envelope_def envelope;
        hed_synth_follower_def follower;
        hed_synth_midi_source_def midi_source;
        hed_synth_delay_line_def delay_line;
    } as;
} hed_synth_entity_def;

/** Sensible values of everything but positions and references. Thread class: rt. */
HED_API hed_synth_entity_def hed_default_synth_entity_def(hed_synth_entity_type type);

/** How modulation acts on a value p, for the modulator's output m (times -1 where inverted). Of a
 *  gain that is given in dB (microphones, delay lines) ADD adds dB, and the other two act on the
 *  amplitude. ROTATION is 0 but for modulation. */
typedef enum hed_synth_modulation_mode {
    HED_SYNTH_MODULATE_ADD,         /**< p + depth m, in the unit of p */
    HED_SYNTH_MODULATE_MULTIPLY,    /**< p (1 + depth m) */
    HED_SYNTH_MODULATE_EXPONENTIAL, /**< p 2^(depth m) */
    HED_SYNTH_MODULATION_MODE_COUNT
} hed_synth_modulation_mode;

/** One modulator acting on one value of an entity. */
typedef struct hed_synth_modulation_def {
    hed_synth_entity source; /**< an LFO, envelope, follower or MIDI source */
    hed_synth_entity entity; /**< any, also a modulator */
    hed_synth_target target;
    hed_synth_modulation_mode mode;
    float depth;
    bool invert;
} hed_synth_modulation_def;

/** How notes are played. */
typedef enum hed_synth_voice_mode {
    /** one instance; notes start what their route names, nothing is dilated */
    HED_SYNTH_SINGLETON,
    HED_SYNTH_VOICES, /**< an instance for each sounding note, dilated from the root note */
    HED_SYNTH_VOICES_MPE /**< that, and bend and pressure of a note's own channel act on its voice alone */
} hed_synth_voice_mode;

/** What belongs to the whole instrument. Start from hed_default_synth_instrument_def(). */
typedef struct hed_synth_instrument_def {
    hed_synth_voice_mode mode;
    uint32_t voices;       /**< instances in the modes with voices, 1 to 64 */
    float root_note;       /**< the note at which s = 1 */
    uint8_t low, high;     /**< notes that are heard */
    float bend_range;      /**< semitones, at full bend of the channel */
    float note_bend_range; /**< semitones, MPE: of a note's own channel */
    float tempo;           /**< quarter notes a minute, until a tempo event */
    float gain;            /**< dB, master */
    float limit;           /**< dB below which the limiter keeps the peaks; <= 0 */
    float limit_release;   /**< s */
} hed_synth_instrument_def;

HED_API hed_synth_instrument_def hed_default_synth_instrument_def(void); /**< Thread class: rt */

/** An empty instrument. `def` NULL: the defaults. Thread class: any. Errors: ARGUMENT (says which
 * value), MEMORY. */
HED_API hed_status hed_synth_instrument_create(const hed_allocator *allocator,
    const hed_synth_instrument_def *def, hed_synth_instrument **instrument, hed_error *error);
/** A copy with the same entity numbers, to be changed and given to hed_synth_change(). Thread class:
 * any. Errors:
 *  MEMORY. */
HED_API hed_status hed_synth_instrument_copy(
    const hed_synth_instrument *instrument, hed_synth_instrument **copy, hed_error *error);
/** NULL is allowed. Thread class: owner */
HED_API void hed_synth_instrument_destroy(hed_synth_instrument *instrument);
/** Thread class: rt */
HED_API const hed_synth_instrument_def *hed_synth_instrument_definition(
    const hed_synth_instrument *instrument);
HED_API hed_status hed_synth_instrument_set_def(hed_synth_instrument *instrument,
    const hed_synth_instrument_def *def,
    hed_error *error); /**< Thread class: owner. Errors: ARGUMENT */

/** Adds an entity; `name` may be NULL. Thread class: owner. Errors: ARGUMENT (what it refers to is
 *  not there or of another type, a value out of its range, a name taken), LIMIT, MEMORY. */
HED_API hed_status hed_synth_instrument_add(hed_synth_instrument *instrument,
    const hed_synth_entity_def *def, const char *name, hed_synth_entity *entity, hed_error *error);
/** Gives an entity new values of the same type. Thread class: owner. Errors: ARGUMENT. */
HED_API hed_status hed_synth_instrument_set(hed_synth_instrument *instrument,
    hed_synth_entity entity, const hed_synth_entity_def *def, hed_error *error);
HED_API hed_status hed_synth_instrument_get(const hed_synth_instrument *instrument,
    hed_synth_entity entity, hed_synth_entity_def *def,
    hed_error *error); /**< Thread class: any. Errors: ARGUMENT */
/** Removes it and every spring, link, modulation, follower and delay line that refers to it. Thread
 *  class: owner. Errors: ARGUMENT. */
HED_API hed_status hed_synth_instrument_remove(
    hed_synth_instrument *instrument, hed_synth_entity entity, hed_error *error);
/** Joins an exciter or microphone to a body (weight: of its force, or of what it hears), or an
 *  audio input to its delay line. Linking twice replaces the weight. Thread class: owner. Errors:
 *  ARGUMENT, MEMORY. */
HED_API hed_status hed_synth_instrument_link(hed_synth_instrument *instrument,
    hed_synth_entity from, hed_synth_entity to, float weight, hed_error *error);
/** Adds a modulation. Thread class: owner. Errors: ARGUMENT (the entity has no such target,
 *  the source is no modulator), MEMORY. */
HED_API hed_status hed_synth_instrument_modulate(
    hed_synth_instrument *instrument, const hed_synth_modulation_def *def, hed_error *error);

HED_API uint32_t hed_synth_instrument_count(
    const hed_synth_instrument *instrument, hed_synth_entity_type type); /**< Thread class: any */
HED_API hed_synth_entity hed_synth_instrument_at(const hed_synth_instrument *instrument,
    hed_synth_entity_type type,
    uint32_t index); /**< in the order they were added. Thread class: any */
/** The entity of a name; also a part of a grid: "string1[3]", "plate[4,7]", "string1.springs[2]".
 *  0: no such name, or more than one entity. Thread class: any. */
HED_API hed_synth_entity hed_synth_instrument_find(
    const hed_synth_instrument *instrument, const char *name);
HED_API const char *hed_synth_instrument_name(const hed_synth_instrument *instrument,
    hed_synth_entity entity); /**< "" where it has none. Thread class: any */
/** What messages call it: its name in quotation marks, that of a part of a grid ("string1[3]"), or
 *  its type and place ("spring 12"). Gives `text`. Thread class: any. */
HED_API const char *hed_synth_instrument_describe(
    const hed_synth_instrument *instrument, hed_synth_entity entity, char *text, size_t size);

/** Controls of a host (knobs of a plugin) that an instrument may name: the MIDI sources of kind
 *  HED_SYNTH_MIDI_HOST with numbers below it. */
enum { HED_SYNTH_MACROS = 8 };
/** Names such a control; `name` NULL or "": none. Thread class: owner. Errors: ARGUMENT (no such
 *  control; a name of over 63 bytes, or with control characters). */
HED_API hed_status hed_synth_instrument_set_macro(
    hed_synth_instrument *instrument, uint32_t macro, const char *name, hed_error *error);
/** Its name, "" where it has none. Thread class: any */
HED_API const char *hed_synth_instrument_macro(
    const hed_synth_instrument *instrument, uint32_t macro);

/* ---- generators: large instruments by few calls ---- */

/** What was generated: entities of one call are numbered one behind another. */
typedef struct hed_synth_generated {
    hed_synth_entity first_body, first_spring;
    uint32_t bodies, springs;
} hed_synth_generated;

/** Bodies and springs of a regular grid of nx x ny x nz places; body (i, j, k) is first_body + (k ny
 * + j) nx + i. nx
 *  > 1 and ny = nz = 1: a string; nz = 1: a membrane or a plate. Start from
 * hed_default_synth_grid_def(). */
typedef struct hed_synth_grid_def {
    uint32_t size[3];
    float origin[3];
    float step[3][3];            /**< m: from a place to the next along each of the three */
    hed_synth_body_def body;     /**< `position` is ignored; mass of each body */
    hed_synth_spring_def spring; /**< `from` and `to` are ignored */
    /** stiffness of springs along the diagonals of each square, N/m; 0: none */
    float diagonal;
    /** stiffness of springs to the next but one along each axis, N/m; 0: none (a plate has them).
     *  They push, and those to the next pull against them: the grid resists bending as a beam does,
     *  bend x (fourth difference), and rests. Below stiffness x rest length / distance */
    float bend;
    /** Hz > 0: spring.stiffness is chosen so that mode 1 across a string or membrane (tension by
     *  rest_length), or along the first axis of a lattice, is exactly this at `rate`, body.damping
     *  included; where there is no tension, `bend` is chosen. All ends have to be anchored */
    float tune;
    double rate; /**< for `tune` */
    bool anchor_ends
        [3]
        [2]; /**< whether the first and last bodies along each axis are anchored; an axis of one body
                  has no ends */
} hed_synth_grid_def;

HED_API hed_synth_grid_def hed_default_synth_grid_def(void); /**< Thread class: rt */
/** Thread class: owner. Errors: ARGUMENT, LIMIT, MEMORY. */
HED_API hed_status hed_synth_instrument_add_grid(hed_synth_instrument *instrument,
    const hed_synth_grid_def *def, const char *name, hed_synth_generated *generated,
    hed_error *error);

/** A grid that was added. */
typedef struct hed_synth_grid_info {
    const char *name; /**< "": none; lives as long as the instrument is not changed */
    hed_synth_grid_def def;
    hed_synth_generated generated; /**< some of it may have been changed or removed since */
    /** Hz: the exact frequency of mode 1 of the grid as it was made; 0 where there is no closed
     *  form: an end is not anchored, or a lattice has diagonal or bend springs */
    double frequency;
} hed_synth_grid_info;

/** Thread class: any */
HED_API uint32_t hed_synth_instrument_grid_count(const hed_synth_instrument *instrument);
/** Grid `index`, in the order they were added, and its pitch at `rate` undilated. Thread class: any.
 * Errors:
 *  ARGUMENT. */
HED_API hed_status hed_synth_instrument_grid_at(const hed_synth_instrument *instrument,
    uint32_t index, double rate, hed_synth_grid_info *info, hed_error *error);

/* ---- analysis of an instrument ---- */

/** Stability margin of an instrument by Gershgorin's bound: for each free body h^2 s^2 sum(k)/m <=
 *  2 is safe, where springs to anchored bodies count half, damping c along springs adds 2 c/(h s)
 *  to k, and modulated stiffness and mass enter with their worst values. Cubic terms and exciters
 *  depend on the motion and are not part of the bound; the breaker handles them. */
typedef struct hed_synth_stability {
    double worst;            /**< largest h^2 s^2 sum(k)/m; at most 2 is proven safe */
    hed_synth_entity body;   /**< the body with it */
    double largest_dilation; /**< s taken: highest note and bend */
    uint32_t unsafe;         /**< bodies above 2 */
} hed_synth_stability;

/** Thread class: any. Errors: ARGUMENT, MEMORY. */
HED_API hed_status hed_synth_instrument_stability(const hed_synth_instrument *instrument,
    double rate, hed_synth_stability *stability, hed_error *error);

/** Exact frequency of mode j (from 1) of a string of `masses` masses between fixed ends, k/m =
 *  `ratio` for each spring: asin(h sqrt(ratio) sin(j pi / (2 (masses + 1)))) / (pi h). 0 where it
 *  is unstable. Thread class: rt. */
HED_API double hed_synth_string_frequency(
    uint32_t masses, uint32_t mode, double ratio, double rate);
/** The k/m that puts mode 1 exactly at `frequency`. Thread class: rt. */
HED_API double hed_synth_string_ratio(uint32_t masses, double frequency, double rate);

/* ---- playing ---- */

typedef struct hed_synth hed_synth;

/** How a synth runs. */
typedef enum hed_synth_solver {
    HED_SYNTH_AUTO,
    HED_SYNTH_CPU,   /**< plain C, in the calling thread: real-time safe */
    HED_SYNTH_GROUP, /**< a work-group for each instance, its state in local memory */
    /** a work-group for each instance, its state in global memory: of any size */
    HED_SYNTH_GLOBAL,
    /** one instance over the whole device, bodies partitioned, boundary positions as packets */
    HED_SYNTH_GRID,
    HED_SYNTH_SOLVER_COUNT
} hed_synth_solver;

HED_API const char *hed_synth_solver_name(
    hed_synth_solver solver); /**< "cpu", "group", ... Thread class: rt */

/** What an event is. */
typedef enum hed_synth_event_kind {
    /** bytes: status, data 1, data 2. "All sound off" (controller 120) resets all voices of that
     *  channel at once (in singleton mode the whole instrument, whose bodies are shared); the
     *  output fades out over a few milliseconds */
    HED_SYNTH_EVENT_MIDI,
    HED_SYNTH_EVENT_TEMPO, /**< value: quarter notes a minute */
    /** entity, target, value in the unit and range of its definition (rotation: -1e4 to 1e4 rad;
     *  `heddle synth check --schema` prints all ranges); a value beyond it is refused with the
     *  whole block. Holds until hed_synth_reset(). At
     *  most 256 different targets outlast a break, "all sound off" or hed_synth_apply(); of
     *  more, those set longest ago return to their definitions */
    HED_SYNTH_EVENT_SET,
    HED_SYNTH_EVENT_HOST /**< number, value: of MIDI sources of kind HED_SYNTH_MIDI_HOST */
} hed_synth_event_kind;

/** Something that happens at a sample. */
typedef struct hed_synth_event {
    uint32_t frame; /**< of the block */
    hed_synth_event_kind kind;
    uint8_t bytes[3];
    hed_synth_entity entity;
    hed_synth_target target;
    uint32_t number;
    float value;
} hed_synth_event;

/** How to play. Start from hed_default_synth_def(). */
typedef struct hed_synth_def {
    const hed_synth_instrument *instrument; /**< read by hed_synth_create() only */
    double rate;                            /**< Hz, 48000 */
    uint32_t block;                         /**< most frames of one hed_synth_process(), 256 */
    uint32_t inputs;                        /**< channels of sound that come in, 0 */
    uint32_t max_events;                    /**< of one block, 1024 */
    int32_t transpose; /**< semitones that notes are moved by, -127 to 127; 0 */
    /** a note that nothing hears then plays the nearest octave that is heard */
    bool fold;
    hed_math math;
    hed_synth_solver solver;
    hed_pack_method pack; /**< HED_PACK_ROWS */
    /** CPU: number of threads that share the voices, or the bodies of a single instrument; 1. The
     *  result is the same to the bit. Sharing bodies pays from some thousands on, since the threads
     *  synchronize at each sample, spinning */
    uint32_t threads;
    /** a resident kernel with a mailbox instead of a launch a block (HED_CAN_RESIDENT) */
    bool resident;
    bool keep_awake;    /**< a warp that spins between blocks, for devices that clock down */
    uint64_t seed;      /**< of noise */
    hed_stream *stream; /**< NULL: its own */
} hed_synth_def;

HED_API hed_synth_def hed_default_synth_def(void); /**< Thread class: rt */

/** Makes an instrument ready on a device. Thread class: any. Errors: ARGUMENT (no instrument,
 *  unstable: says which body), UNSUPPORTED (says why the solver cannot), LIMIT, MEMORY,
 *  DEVICE_MEMORY, BUILD, DRIVER. */
HED_API hed_status hed_synth_create(
    hed_device *device, const hed_synth_def *def, hed_synth **synth, hed_error *error);
HED_API void hed_synth_destroy(hed_synth *synth); /**< NULL is allowed. Thread class: owner */

/** One block of sound. */
typedef struct hed_synth_block {
    uint32_t frames;
    const hed_synth_event *events; /**< (event_count) in order of frame */
    uint32_t event_count;
    const float *const *inputs; /**< (inputs) each (frames); NULL: silence */
    float *left, *right;        /**< (frames) out, within [-1, 1] */
    /** (2 x heard microphones: left, right) each (frames), before master gain and limiter,
     *  voices summed; NULL: none */
    float *const *stems;
} hed_synth_block;

/** Plays a block. Thread class: rt with HED_SYNTH_CPU and one thread, or resident and awake; else
 *  owner. Errors: ARGUMENT (frames, event order or count, no such entity), DRIVER, TIMEOUT, LOST.
 *  On failure the outputs are silent. */
HED_API hed_status hed_synth_process(
    hed_synth *synth, const hed_synth_block *block, hed_error *error);

/** An instrument packed anew, waiting to be swapped in. */
typedef struct hed_synth_change hed_synth_change;
/** Packs a changed instrument (a hed_synth_instrument_copy() of the one that sounds, with entities
 *  added, removed, linked) for the synth. One change at a time: the next is prepared when this one
 *  was applied or destroyed. Master gain and limiter change with it, the gain without a click.
 *  Thread class: any, also while another thread plays. Errors: as hed_synth_create, and ARGUMENT
 *  (another mode or number of voices), UNSUPPORTED (a resident synth). */
HED_API hed_status hed_synth_prepare(const hed_synth *synth, const hed_synth_instrument *instrument,
    hed_synth_change **change, hed_error *error);
/** Swaps it in: entities that are in both go on with their state. The change then holds what was
 *  replaced, to be destroyed. Thread class: as hed_synth_process. */
HED_API hed_status hed_synth_apply(hed_synth *synth, hed_synth_change *change, hed_error *error);
/** NULL is allowed. Thread class: any but rt */
HED_API void hed_synth_change_destroy(hed_synth_change *change);

/** Back to rest, to silence and to sample 0. Thread class: owner. Errors: DRIVER, LOST. */
HED_API hed_status hed_synth_reset(hed_synth *synth, hed_error *error);
/** Positions of bodies (x, y, z displacement in m) as after the last block, (bodies of one instance
 *  x 3), in hed_synth_instrument_at()'s order. Thread class: owner. Errors: ARGUMENT, DRIVER. */
HED_API hed_status hed_synth_read_bodies(
    hed_synth *synth, uint32_t instance, float *positions, float *velocities, hed_error *error);

enum { HED_SYNTH_NO_KEY = 255 };

/** The outcome of all notes since creation or hed_synth_reset(). A note that nothing in the
 *  instrument hears (out of its range, or on a channel that nothing listens to) is dropped. */
typedef struct hed_synth_note_report {
    uint64_t struck, dropped;
    uint8_t low, high; /**< the lowest and the highest key that is heard on some channel; low is
                                          HED_SYNTH_NO_KEY where none is */
    /** the lowest and the highest that was dropped, as it came */
    uint8_t dropped_low, dropped_high;
    /** where keys from low to high were dropped: bit 0 is channel 1 */
    uint16_t deaf_channels;
} hed_synth_note_report;

/** What would become of the notes among these events; nothing is played. Thread class: rt */
HED_API hed_synth_note_report hed_synth_check_notes(
    const hed_synth *synth, const hed_synth_event *events, uint32_t count);

/** What a synth is and has seen. */
typedef struct hed_synth_info {
    hed_synth_solver solver;
    hed_config_origin configured;
    uint32_t instances, microphones; /**< heard ones */
    /** of one instance; exciters count once for each body */
    uint32_t entities[HED_SYNTH_ENTITY_TYPE_COUNT];
    uint64_t bytes;                 /**< of state and tables, all instances */
    uint32_t groups, partition_cut; /**< GRID: groups, springs between them */
    /** times of hed_synth_process() against the block's length */
    hed_meter_report load;
    uint64_t samples, muted; /**< played; muted by the breaker */
    /** how often the breaker opened: NaN, or energy running away */
    uint32_t breaks;
    /** largest magnitude before the limiter, full scale 1 */
    float peak;
    float reduction; /**< dB, most of the limiter */
    /** frames that the sound comes late: the limiter looks ahead */
    uint32_t latency;
    uint32_t sounding; /**< voices */
    hed_synth_note_report notes;
    uint32_t islands, asleep; /**< connected parts that can rest, of all instances; those that do */
} hed_synth_info;

/** Thread class: owner */
HED_API void hed_synth_report(const hed_synth *synth, hed_synth_info *info);

/** Finds the fastest solver for instruments like this one (their bodies, springs, other entities
 *  and voices), how to pack it and the size of a work-group, and keeps it in the context's
 *  database, where hed_synth_create() with HED_SYNTH_AUTO finds it. A choice counts as right when a
 *  chord over the whole range sounds as the cpu solver has it, within 5 % of the peak for 1,024
 *  samples. `tune` as for hed_tune_pipeline(), its problem is filled in here; NULL: its defaults.
 *  Thread class: owner of the device's time. Errors: as hed_synth_create() and hed_tune_pipeline();
 *  UNSUPPORTED (host: nothing to choose), ARGUMENT (nothing is heard). */
HED_API hed_status hed_synth_tune(hed_device *device, const hed_synth_def *def,
    const hed_tune_def *tune, hed_tune_result **result, hed_error *error);
/** Names what hed_synth_tune() chooses among, its parameters and dimensions, for those who show a
 *  result: no kernel that can be created. Thread class: any. */
HED_API const hed_kernel_def *hed_synth_tune_description(void);

/** The kernels, for conformance, tuning and benchmarks. Thread class: any. */
HED_API uint32_t hed_synth_kernel_count(void);
HED_API const hed_kernel_def *hed_synth_kernel_at(uint32_t index); /**< Thread class: any */

HED_END

#endif
