/* Layout of one instance in memory: an array of 32-bit words, the store, equal on every device.
 * One text for C, OpenCL C and CUDA.
 *
 *   control   SYNTH_DILATION, SYNTH_VOLUME, then gates: SYNTH_GATE_WORDS for each
 *   parameter for each type and field an array over its entities: constant, or changed by a
 *             poke between two samples
 *   state     an array for each type and field: read and written by the entity alone
 *   signals   an array for each type and field, twice (for even and odd samples): read by other
 *             entities. Sample n reads half n & 1 and writes the other one
 *   lists     of entities that have entries: the word of the first entry for each of the
 *             `count`, then the number of entries for each, then the entries: word k of entry e
 *             is at first + (e words + k) SYNTH_STRIDE(count). So neighbours are contiguous, as
 *             their lanes read them: entities are grouped SYNTH_SLICE at a time, with space for
 *             the longest list of each slice
 *   rows      entity of each lane
 *
 * Field f of entity i of type t is word type[t].parameter + f * type[t].count + i, and
 * accordingly for state; a signal is numbered from the start of a half: type[t].signal + f *
 * type[t].count + i. Entity numbers here are indices in the order of the layout, not
 * hed_synth_entity. An exciter is one entity for each body it is linked to (a contact). A
 * microphone has ears, of up to SYNTH_EAR_BODIES bodies each, so that no lane sums more bodies
 * than that: it sums its ears' signals of the previous sample. */
#ifndef SYNTH_LAYOUT_H
#define SYNTH_LAYOUT_H

#define SYNTH_SLICE 32u
#define SYNTH_STRIDE(count) ((count) < SYNTH_SLICE ? (count) : SYNTH_SLICE)

/* Types of the store, in the order of hed_synth_entity_type; ears are in the store alone. Enumerators,
 * shapes, costs and the calls of the physics are made of the rows.
 *
 *   TYPE_ROW(TYPE, name, parameters, states, signals, is_gated, step, cost)
 *
 * Function synth_ with `name` is the physics. `parameters`, `states`, `signals`: words of an element;
 * `is_gated`: 1 if notes start it, by its `route`. `step`: elements that the CPU's solver steps
 * (solver/cpu/step.h); LATE: each in a second stage of a sample, when the bodies have moved, and in no
 * row unless the bodies are elsewhere. `cost`: relative duration of a row, in 0.05 us: duration of a sample on an H200
 * of an instrument of 1,024 entities with rows of one type only, less that of an empty sample
 * (benchmarks/results/2026-11-22-h200-group). In that measurement mallets and plectra are inactive and
 * take 3; active ones count as much as a bow.
 *
 * A SPRING has a row if it is modulated: these are the first springs. */
#define SYNTH_TYPE_ROWS(TYPE_ROW) \
    TYPE_ROW(BODY, body, BODY_PARAMETERS, 0, BODY_SIGNALS, 0, VECTORS, 36) \
    TYPE_ROW(SPRING, spring, SPRING_PARAMETERS, 0, SPRING_SIGNALS, 0, MODULATED, 5) \
    TYPE_ROW(MICROPHONE, microphone, MICROPHONE_PARAMETERS, MICROPHONE_STATES, MICROPHONE_SIGNALS, \
        0, ALL, 8) \
    TYPE_ROW(MALLET, mallet, MALLET_PARAMETERS, MALLET_STATES, CONTACT_SIGNALS, 1, ACTIVE, 9) \
    TYPE_ROW( \
        PLECTRUM, plectrum, PLECTRUM_PARAMETERS, PLECTRUM_STATES, CONTACT_SIGNALS, 1, ACTIVE, 9) \
    TYPE_ROW(BOW, bow, BOW_PARAMETERS, BOW_STATES, CONTACT_SIGNALS, 1, LATE, 9) \
    TYPE_ROW(DAMPER, damper, DAMPER_PARAMETERS, DAMPER_STATES, CONTACT_SIGNALS, 1, ACTIVE, 5) \
    TYPE_ROW(OSCILLATOR, oscillator, OSCILLATOR_PARAMETERS, OSCILLATOR_STATES, CONTACT_SIGNALS, 1, \
        ACTIVE, 13) \
    TYPE_ROW(AUDIO_INPUT, audio, AUDIO_PARAMETERS, AUDIO_STATES, CONTACT_SIGNALS, 1, ALL, 5) \
    TYPE_ROW(LFO, lfo, LFO_PARAMETERS, LFO_STATES, MODULATOR_SIGNALS, 1, ALL, 11) \
    TYPE_ROW( \
        ENVELOPE, envelope, ENVELOPE_PARAMETERS, ENVELOPE_STATES, MODULATOR_SIGNALS, 1, ACTIVE, 7) \
    TYPE_ROW( \
        FOLLOWER, follower, FOLLOWER_PARAMETERS, FOLLOWER_STATES, MODULATOR_SIGNALS, 0, ALL, 6) \
    TYPE_ROW(MIDI_SOURCE, midi, MIDI_PARAMETERS, MIDI_STATES, MODULATOR_SIGNALS, 0, ACTIVE, 6) \
    TYPE_ROW(DELAY_LINE, delay, DELAY_PARAMETERS, 0, MODULATOR_SIGNALS, 0, ALL, 6) \
    TYPE_ROW(EAR, ear, EAR_PARAMETERS, 0, EAR_SIGNALS, 0, SUMS, 10)

#define SYNTH_TYPE_NAME(TYPE, name, parameters, states, signals, gated, step, cost) SYNTH_##TYPE,
enum synth_type { SYNTH_TYPE_ROWS(SYNTH_TYPE_NAME) SYNTH_TYPES };

/* ---- control words ---- */
/* SYNTH_VOLUME: factor of the stems, by the volume and expression of the voice's channel. */
enum { SYNTH_DILATION, SYNTH_VOLUME, SYNTH_FIRST_GATE };
/* Words of a gate: number of notes started, 1 while one is held (else 0), velocity in [0, 1],
 * note. */
enum { SYNTH_GATE_COUNT, SYNTH_GATE_HELD, SYNTH_GATE_VELOCITY, SYNTH_GATE_NOTE, SYNTH_GATE_WORDS };

/* ---- fields: P parameters, S state, O signals. h is the time step, r = 1/h ---- */

/* BODY. Forces of springs are summed in the order of their list, then contacts act in the order
 * of theirs. WEIGHT 0: anchored. */
enum {
    BODY_P_WEIGHT /* h^2/m, m/N */,
    BODY_P_RATE /* 2 damping h */,
    BODY_P_X,
    BODY_P_Y,
    BODY_P_Z /* position at rest, m */,
    BODY_PARAMETERS
};
enum {
    BODY_O_X,
    BODY_O_Y,
    BODY_O_Z /* displacement, m */,
    BODY_O_U,
    BODY_O_V,
    BODY_O_W /* h v, m */,
    BODY_SIGNALS
};
/* Entries of list SPRINGS: 2 words, the other body; the spring with its flags. Entries of list
 * FORCES: 2 words, the contact's signal NX; distance between its signals. Weights are in the
 * contacts. */
#define SYNTH_SLACK 1e-22f /* m^2; keeps every spring's force a normal number */
#define SYNTH_SPRING_WORDS 2u
#define SYNTH_SPRING_REVERSED 0x80000000u /* this body is the spring's `to` */
#define SYNTH_SPRING_INDEX 0x7fffffffu
#define SYNTH_FORCE_WORDS 2u

/* SPRING: count is of all springs, `modulated` of springs with a row. */
enum {
    SPRING_P_X,
    SPRING_P_Y,
    SPRING_P_Z,         /* rest vector, from -> to, m */
    SPRING_P_REST,      /* L0, m */
    SPRING_P_EXCESS,    /* |d0|^2 - L0^2, m^2; SYNTH_SLACK instead of 0 */
    SPRING_P_STIFFNESS, /* N/m */
    SPRING_P_DAMPING,   /* c/h, N/m (of h v) */
    SPRING_P_CUBIC,     /* N/m^3 */
    SPRING_PARAMETERS
};
/* Values that replace the parameters of spring < modulated; these arrays are over `modulated`
 * springs. */
enum { SPRING_O_REST, SPRING_O_EXCESS, SPRING_O_STIFFNESS, SPRING_O_DAMPING, SPRING_SIGNALS };

/* MICROPHONE: its ears are EARS elements of type EAR from FIRST_EAR on. */
enum {
    MICROPHONE_P_X,
    MICROPHONE_P_Y,
    MICROPHONE_P_Z,
    MICROPHONE_P_NX,
    MICROPHONE_P_NY,
    MICROPHONE_P_NZ, /* position; direction of length 1 */
    MICROPHONE_P_DIRECTIONALITY,
    MICROPHONE_P_ISOTROPY,
    MICROPHONE_P_GAIN, /* linear, of h v: gain times r */
    MICROPHONE_P_PAN,
    MICROPHONE_P_THRESHOLD, /* linear */
    MICROPHONE_P_SLOPE,     /* 1/ratio - 1, <= 0; 0: no compressor */
    MICROPHONE_P_ATTACK,
    MICROPHONE_P_RELEASE, /* 1 - exp(-h/tau) */
    MICROPHONE_P_MAKEUP,  /* linear */
    MICROPHONE_P_FOLLOW,  /* 1 - exp(-h/tau) with which it follows SYNTH_VOLUME */
    MICROPHONE_P_STEM,    /* (uint) number of its stem; SYNTH_NO_STEM: inaudible */
    MICROPHONE_P_FIRST_EAR,
    MICROPHONE_P_EARS, /* (uint) */
    MICROPHONE_PARAMETERS
};
enum { MICROPHONE_S_LEVEL, MICROPHONE_S_VOLUME, MICROPHONE_STATES };
enum { MICROPHONE_O_SIGNAL /* after gain and compressor */, MICROPHONE_SIGNALS };
#define SYNTH_NO_STEM 0xffffffffu
/* EAR: position and direction are its microphone's, including modulation. Entries of its list: 2
 * words, body; bits of the weight. */
enum { EAR_P_MICROPHONE /* (uint) element */, EAR_PARAMETERS };
enum { EAR_O_SUM, EAR_SIGNALS };
#define SYNTH_EAR_BODIES 16u
#define SYNTH_EAR_WORDS 2u
#define SYNTH_NEAREST 0.01f /* m: minimum distance of bodies */

/* Contacts: all types have these first parameters and these signals. */
enum {
    CONTACT_P_BODY, /* (uint) element */
    CONTACT_P_GATE, /* (uint) word of the store */
    CONTACT_P_NX,
    CONTACT_P_NY,
    CONTACT_P_NZ, /* direction of length 1 */
    /* factor of the force; plectrum: of the distance; mallet: 1, because the mass is divided */
    CONTACT_P_WEIGHT,
    CONTACT_P_SENSITIVITY,
    CONTACT_P_NUMBER, /* (uint) number of the exciter, for noise */
    CONTACT_PARAMETERS
};
/* A contact pushes along (NX, NY, NZ) with FORCE - RESISTANCE u, where u is the body's h v along
 * this direction after the step: the body solves for it, so that friction and controllers,
 * however stiff, dissipate energy. */
enum {
    CONTACT_O_NX,
    CONTACT_O_NY,
    CONTACT_O_NZ,
    CONTACT_O_FORCE,      /* N */
    CONTACT_O_RESISTANCE, /* c/h, N/m; >= 0 */
    CONTACT_SIGNALS
};

/* ADSR: change of level a sample (linear): ATTACK h/attack, DECAY (1 - sustain) h/decay, RELEASE
 * h/release, 1 if the time is 0; stage 0 idle, 1 attack, 2 decay and sustain, 3 release. */
enum { ADSR_P_ATTACK, ADSR_P_DECAY, ADSR_P_SUSTAIN, ADSR_P_RELEASE, ADSR_PARAMETERS };
enum { ADSR_S_SEEN /* (uint) GATE_COUNT */, ADSR_S_STAGE /* (uint) */, ADSR_S_LEVEL, ADSR_STATES };

/* MALLET: the mass is this contact's fraction. LIMIT is the largest compression c for which p Q
 * c^(p-1) h^2/m <= 1/4, with the hard Q, and m the mass of the lighter of hammer and body. */
enum {
    MALLET_P_WEIGHT = CONTACT_PARAMETERS, /* h^2/mass */
    MALLET_P_SPEED,                       /* h impulse/mass, m a sample at velocity 1 */
    MALLET_P_SOFT,
    MALLET_P_HARD, /* Q */
    MALLET_P_EXPONENT,
    MALLET_P_HYSTERESIS,
    MALLET_P_RELAXATION, /* 1 - exp(-h/tau0) */
    MALLET_P_NOISE,
    MALLET_P_LIMIT, /* m: deeper compressions are clamped to it */
    MALLET_PARAMETERS
};
enum {
    MALLET_S_SEEN,
    MALLET_S_ACTIVE /* (uint) */,
    MALLET_S_POSITION,
    MALLET_S_SPEED /* along the direction */,
    MALLET_S_FELT,
    MALLET_S_HARDNESS,
    MALLET_STATES
};

/* PLECTRUM: a controller, stiff for its body's mass, that makes the body follow a moving point. */
enum {
    PLECTRUM_P_DISTANCE = CONTACT_PARAMETERS,
    PLECTRUM_P_DURATION /* samples */,
    PLECTRUM_PARAMETERS
};
enum {
    PLECTRUM_S_SEEN,
    PLECTRUM_S_TIME /* samples; negative: idle (as at rest) */,
    PLECTRUM_S_ORIGIN,
    PLECTRUM_S_DEPTH,
    PLECTRUM_S_PULL,
    PLECTRUM_STATES
};

/* BOW */
enum {
    BOW_P_ENVELOPE = CONTACT_PARAMETERS,
    BOW_P_FORCE = BOW_P_ENVELOPE + ADSR_PARAMETERS,
    BOW_P_SPEED /* m a sample */,
    BOW_P_STICTION,
    BOW_P_SLIDING,
    BOW_P_DROPOFF /* m a sample */,
    BOW_PARAMETERS
};
enum { BOW_S_SLIP = ADSR_STATES /* magnitude of the slip, m a sample */, BOW_STATES };

/* DAMPER */
enum {
    DAMPER_P_ENVELOPE = CONTACT_PARAMETERS,
    DAMPER_P_RESISTANCE = DAMPER_P_ENVELOPE + ADSR_PARAMETERS /* c/h, N/m (of h v) */,
    DAMPER_PARAMETERS
};
enum { DAMPER_STATES = ADSR_STATES };

/* OSCILLATOR */
enum {
    OSCILLATOR_P_ENVELOPE = CONTACT_PARAMETERS,
    OSCILLATOR_P_FREQUENCY = OSCILLATOR_P_ENVELOPE + ADSR_PARAMETERS /* Hz */,
    OSCILLATOR_P_WAVE /* (uint) hed_synth_wave */,
    OSCILLATOR_P_PULSE,
    OSCILLATOR_P_GAIN,
    OSCILLATOR_PARAMETERS
};
enum {
    OSCILLATOR_S_PHASE = ADSR_STATES /* (uint) 2^32 a period */,
    OSCILLATOR_S_HOLD,
    OSCILLATOR_STATES
};

/* AUDIO */
enum {
    AUDIO_P_ENVELOPE = CONTACT_PARAMETERS,
    AUDIO_P_GATED = AUDIO_P_ENVELOPE + ADSR_PARAMETERS /* (uint) */,
    AUDIO_P_SOURCE /* (uint) channel, or SYNTH_AUDIO_SIGNAL | signal */,
    AUDIO_P_GAIN,
    AUDIO_PARAMETERS
};
enum { AUDIO_STATES = ADSR_STATES };
#define SYNTH_AUDIO_SIGNAL 0x80000000u
#define SYNTH_AUDIO_SILENT 0x7fffffffu

/* Modulators: one signal. */
enum {
    LFO_P_GATE,
    LFO_P_FREQUENCY,
    LFO_P_WAVE /* (uint) hed_synth_wave */,
    LFO_P_PULSE,
    LFO_P_PHASE /* (uint) */,
    LFO_P_FLAGS /* (uint) SYNTH_LFO_... */,
    LFO_P_DEPTH,
    LFO_P_NUMBER /* (uint) for noise */,
    LFO_PARAMETERS
};
#define SYNTH_LFO_RETRIGGER 1u
#define SYNTH_LFO_DILATED 2u
enum { LFO_S_SEEN, LFO_S_PHASE /* (uint) */, LFO_S_HOLD, LFO_STATES };
enum {
    ENVELOPE_P_GATE,
    ENVELOPE_P_ENVELOPE,
    ENVELOPE_P_SENSITIVITY = ENVELOPE_P_ENVELOPE + ADSR_PARAMETERS,
    ENVELOPE_P_DEPTH,
    ENVELOPE_PARAMETERS
};
enum { ENVELOPE_STATES = ADSR_STATES };
enum {
    FOLLOWER_P_SOURCE /* (uint) signal */,
    FOLLOWER_P_ATTACK,
    FOLLOWER_P_RELEASE,
    FOLLOWER_P_DEPTH,
    FOLLOWER_PARAMETERS
};
enum { FOLLOWER_S_LEVEL, FOLLOWER_STATES };
enum { MIDI_P_VALUE, MIDI_P_SMOOTHING /* s */, MIDI_P_DEPTH, MIDI_PARAMETERS };
enum { MIDI_S_LEVEL, MIDI_STATES };
enum { MODULATOR_O_SIGNAL, MODULATOR_SIGNALS };
/* DELAY: a ring of MASK + 1 floats at BUFFER of the instance's delay memory. */
enum {
    DELAY_P_SOURCE /* (uint) signal */,
    DELAY_P_SECONDS /* s */,
    DELAY_P_GAIN,
    DELAY_P_BUFFER /* (uint) */,
    DELAY_P_MASK /* (uint) */,
    DELAY_PARAMETERS
};

/* Values of hed_synth_wave for devices. */
enum { SYNTH_SINE, SYNTH_SAW, SYNTH_RECTANGLE, SYNTH_NOISE, SYNTH_HOLD };
/* Values of hed_synth_modulation_mode and hed_synth_target for devices. */
enum { SYNTH_ADD, SYNTH_MULTIPLY, SYNTH_EXPONENTIAL };
enum {
    SYNTH_MASS,
    SYNTH_DAMPING,
    SYNTH_POSITION_X,
    SYNTH_POSITION_Y,
    SYNTH_POSITION_Z,
    SYNTH_IMPULSE,
    SYNTH_STIFFNESS,
    SYNTH_REST_LENGTH,
    SYNTH_DEPTH,
    SYNTH_FREQUENCY,
    SYNTH_PULSE_WIDTH,
    SYNTH_GAIN,
    SYNTH_PAN,
    SYNTH_HARDNESS,
    SYNTH_MALLET_NOISE,
    SYNTH_DRAW_VELOCITY,
    SYNTH_STICTION,
    SYNTH_DROPOFF,
    SYNTH_DISTANCE,
    SYNTH_DURATION,
    SYNTH_ROTATION,
    SYNTH_DELAY_SECONDS,
    SYNTH_SYNC_FREQUENCY,
    SYNTH_SMOOTHING,
    SYNTH_DIRECTIONALITY,
    SYNTH_ISOTROPY,
    SYNTH_PARAMETER_COUNT
};

/* ---- modulation: entries of list LINKS: source signal; bits of depth; SYNTH_LINK(parameter, mode,
 * invert) ---- */
#define SYNTH_LINK_WORDS 3u
#define SYNTH_LINK(parameter, mode, invert) \
    ((uint)(parameter) | (uint)(mode) << 8 | (uint)(invert) << 16)
#define SYNTH_LINK_PARAMETER(word) ((word)&0xffu)   /* hed_synth_target */
#define SYNTH_LINK_MODE(word) ((word) >> 8 & 0xffu) /* hed_synth_modulation_mode */
#define SYNTH_LINK_INVERT(word) ((word) >> 16)

/* ---- the layout ---- */
typedef struct synth_type_layout {
    uint count;            /* entities; springs: of all */
    uint modulated;        /* entities 0 .. modulated - 1 have links */
    uint parameter, state; /* words */
    uint signal;           /* number of the first signal */
    uint links;            /* word where list LINKS is, over `modulated` entities */
    uint list;             /* word of list SPRINGS (BODY) or bodies (EAR), over `count` entities */
    uint forces;           /* word of list FORCES (BODY), over `count` entities */
} synth_type_layout;

typedef struct synth_layout {
    uint words;        /* words of an instance */
    uint signals;      /* word of half 0 */
    uint signal_count; /* signals of a half */
    uint gates;        /* number */
    uint row_begin;    /* word of the (warps + 1) first rows of the warps */
    /* word of the rows: `lanes` words each, SYNTH_SEAT(type, entity) or SYNTH_EMPTY */
    uint rows;
    uint warps, lanes;
    uint delay_words; /* floats of an instance's delay memory */
    uint stems;       /* audible microphones: 2 floats for each and frame */
    uint flags;       /* SYNTH_HAS_... */
    uint seed;        /* seed of noise of instance 0; instance i has seed + i */
    float step;       /* h */
    synth_type_layout type[SYNTH_TYPES];
} synth_layout;

#define SYNTH_HAS_DAMPING 1u /* some spring has damping */
#define SYNTH_HAS_CUBIC 2u   /* some spring has a cubic term */
#define SYNTH_SEAT(type, entity) \
    ((uint)(type) << 24 | (uint)(entity)) /* limit: 2^24 entities of a type */
#define SYNTH_SEAT_TYPE(seat) ((seat) >> 24)
#define SYNTH_SEAT_ENTITY(seat) ((seat)&0xffffffu)
#define SYNTH_EMPTY 0xffffffffu

/* Arguments of the kernels of solvers group and global, and of the resident one: the host writes
 * `mapped_inputs` while it runs. */
#define SYNTH_STORE(FIRST, NEXT) \
    FIRST(INOUT, uint, stores) NEXT(INOUT, float, delays) NEXT(IN, float, inputs) \
    NEXT(OUT, float, stems) NEXT(IN, uint, pokes) NEXT(STRUCT, synth_layout, layout) \
    NEXT(VALUE, uint, sample) NEXT(VALUE, uint, frames)
#define SYNTH_STORE_IN_LOCAL(FIRST, NEXT) SYNTH_STORE(FIRST, NEXT) NEXT(LOCAL, uint, room)
#define SYNTH_RESIDENT(FIRST, NEXT) \
    FIRST(SHARED, uint, mail) NEXT(SHARED, uint4, relay) NEXT(SHARED, uint, stores) \
    NEXT(SHARED, float, delays) NEXT(IN, uint, image) NEXT(SHARED_IN, uint, mapped_inputs) \
    NEXT(SHARED, float, inputs) NEXT(SHARED_OUT, float, stems) NEXT(STRUCT, synth_layout, layout) \
    NEXT(VALUE, uint, request_words) NEXT(VALUE, uint, input_words) NEXT(LOCAL, uint, room)

#endif
