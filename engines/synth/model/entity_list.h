/* Types of entities, in the order of hed_synth_entity_type: the only list of them. A row has all
 * facts about a type except its fields, which are NAME_rows in entity.c, and its physics. Names,
 * sizes, arrays of an instrument, sections of files and defaults are made of the rows.
 * CONTRIBUTING.md has how to add an entity.
 *
 *   ENTITY(TYPE, name, plural, section, targets, defaults...)
 *
 * `name` is that of hed_synth_NAME_def and of the member of hed_synth_entity_def.as, `plural` the
 * key of files and the array of an instrument, `section` the description of the key; `targets` are
 * the values that modulation can reach, and `defaults` initialise members that are not 0. */
#ifndef HED_SYNTH_ENTITY_LIST_H
#define HED_SYNTH_ENTITY_LIST_H

/* clang-format off */
#define SYNTH_ENTITIES(ENTITY) \
    SYNTH_BODIES(ENTITY) SYNTH_SPRINGS(ENTITY) SYNTH_OTHER_ENTITIES(ENTITY)

/* Bodies and springs have lists of their own, since grids of both follow each of them in files. */
#define SYNTH_BODIES(ENTITY) \
    ENTITY(BODY, body, bodies, "masses", P(MASS) | P(DAMPING) | POSITION, \
        .mass = 0.001f, .damping = 0.5f)
#define SYNTH_SPRINGS(ENTITY) \
    ENTITY(SPRING, spring, springs, "springs between bodies", P(STIFFNESS) | P(REST_LENGTH) | P(DAMPING), \
        .stiffness = 1000, .rest_length = -1)
#define SYNTH_OTHER_ENTITIES(ENTITY) \
    SYNTH_MICROPHONES(ENTITY) SYNTH_EXCITERS(ENTITY) SYNTH_MODULATORS(ENTITY) SYNTH_DELAY_LINES(ENTITY)
#define SYNTH_MICROPHONES(ENTITY) \
    ENTITY(MICROPHONE, microphone, microphones, "velocities of bodies as sound", \
        POSITION | P(GAIN) | P(PAN) | P(ROTATION) | P(DIRECTIONALITY) | P(ISOTROPY), \
        .direction = {0, 0, 1}, .heard = true, .ratio = 1, .attack = 0.005f, .release = 0.1f)
/* Exciters act on bodies through links; each has a `direction`. */
#define SYNTH_EXCITERS(ENTITY) \
    ENTITY(MALLET, mallet, mallets, "hammers with felt", P(IMPULSE) | P(HARDNESS) | P(NOISE) | P(ROTATION), \
        .direction = {0, 0, 1}, .mass = 0.005f, .impulse = 0.01f, .velocity_sensitivity = 1, .hardness_soft = 1e5f, \
        .hardness_hard = 1e6f, .exponent = 2.5f, .relaxation = 1e-4f, .route = EVERY_NOTE) \
    ENTITY(PLECTRUM, plectrum, plectrums, "forces that draw and release", P(DISTANCE) | P(DURATION) | P(ROTATION), \
        .direction = {0, 0, 1}, .distance = 0.002f, .duration = 0.005f, .velocity_sensitivity = 1, .route = EVERY_NOTE) \
    ENTITY(BOW, bow, bows, "friction", P(DRAW_VELOCITY) | P(ROSIN_STICTION) | P(ROSIN_DROPOFF) | P(ROTATION), \
        .direction = {0, 0, 1}, .force = 0.5f, .draw_velocity = 0.2f, .stiction = 0.8f, .sliding = 0.3f, \
        .dropoff = 0.05f, .velocity_sensitivity = 0.5f, .envelope = {0.05f, 0, 1, 0.1f}, .route = EVERY_NOTE) \
    ENTITY(DAMPER, damper, dampers, "felts that brake until a note lifts them", 0, \
        .direction = {0, 0, 1}, .resistance = 0.1f, .envelope = {0.005f, 0, 1, 0.05f}, .route = EVERY_NOTE) \
    ENTITY(OSCILLATOR, oscillator, oscillators, "periodic forces", \
        P(FREQUENCY) | P(PULSE_WIDTH) | P(GAIN) | P(ROTATION), \
        .direction = {0, 0, 1}, .gain = 0.1f, .frequency = 440, .pulse_width = 0.5f, .velocity_sensitivity = 1, \
        .envelope = SOFT_GATE, .route = EVERY_NOTE) \
    ENTITY(AUDIO_INPUT, audio_input, audio_inputs, "sound as a force", P(GAIN) | P(ROTATION), \
        .direction = {0, 0, 1}, .gain = 1, .envelope = SOFT_GATE, .route = EVERY_NOTE)
/* Modulators change parameters; each has a `depth`, the largest value of its output. */
#define SYNTH_MODULATORS(ENTITY) \
    ENTITY(LFO, lfo, lfos, "periodic modulators", P(DEPTH) | P(FREQUENCY) | P(PULSE_WIDTH) | P(SYNC_FREQUENCY), \
        .frequency = 5, .pulse_width = 0.5f, .depth = 1, .route = EVERY_NOTE) \
    ENTITY(ENVELOPE, envelope, envelopes, "modulators that notes start", P(DEPTH), \
        .envelope = {0.01f, 0.1f, 0.7f, 0.2f}, .depth = 1, .route = EVERY_NOTE) \
    ENTITY(FOLLOWER, follower, followers, "levels of microphones as modulators", P(DEPTH), \
        .attack = 0.005f, .release = 0.1f, .depth = 1) \
    ENTITY(MIDI_SOURCE, midi_source, midi_sources, "MIDI values as modulators", P(DEPTH) | P(SMOOTHING), \
        .number = 1, .centre = 60, .smoothing = 0.005f, .depth = 1, .route = EVERY_NOTE)
#define SYNTH_DELAY_LINES(ENTITY) \
    ENTITY(DELAY_LINE, delay_line, delay_lines, "delayed sound of microphones", P(GAIN) | P(DELAY), .seconds = 0.1f)
/* clang-format on */

#endif
