/* Which field number of Anukari's published schema (anukari-preset-api, model.proto, version 0.9.6)
 * means what. Left out are the camera, the version and the tangents. The message inside a thing
 * that says of what kind it is goes into the thing's own struct. */
#include "model/import_ank.h"

#include <stddef.h>

#define NUMBER(number, type, member) \
    { \
        (number), SYNTH_WIRE_FLOAT, offsetof(synth_ank_##type, member), NULL, 0 \
    }
#define WHOLE(number, type, member) \
    { \
        (number), SYNTH_WIRE_WHOLE, offsetof(synth_ank_##type, member), NULL, 0 \
    }
#define FLAG(number, type, member) \
    { \
        (number), SYNTH_WIRE_FLAG, offsetof(synth_ank_##type, member), NULL, 0 \
    }
#define MESSAGE(number, type, member, message) \
    { \
        (number), SYNTH_WIRE_MESSAGE, offsetof(synth_ank_##type, member), &(message), 0 \
    }
#define LIST(number, type, member, message) \
    { \
        (number), SYNTH_WIRE_LIST, offsetof(synth_ank_##type, member), &(message), 0 \
    }
#define INSIDE(number, message) \
    { \
        (number), SYNTH_WIRE_MESSAGE, 0, &(message), 0 \
    }
#define KIND(number, type, message) \
    { \
        (number), SYNTH_WIRE_MESSAGE, 0, &(message), offsetof(synth_ank_##type, what) + 1 \
    }
#define END \
    { \
        .number = 0 \
    }
#define MESSAGE_OF(word, text, type, ...) \
    static const synth_wire_field word##_fields[] = {__VA_ARGS__, END}; \
    static const synth_wire_message word = {text, sizeof(synth_ank_##type), word##_fields}

/* ---- parts ---- */

static const synth_wire_field nothing_fields[] = {END};
static const synth_wire_message nothing = {"empty message", 1, nothing_fields};

MESSAGE_OF(
    vector, "vector", vector, NUMBER(1, vector, x), NUMBER(2, vector, y), NUMBER(3, vector, z));
MESSAGE_OF(envelope, "envelope", envelope, NUMBER(1, envelope, attack), NUMBER(2, envelope, decay),
    NUMBER(3, envelope, sustain), NUMBER(4, envelope, release));

/* An id of anything: the number of its field is the kind. */
#define ID(of) \
    { \
        (of), SYNTH_WIRE_WHOLE, offsetof(synth_ank_id, number), NULL, \
            offsetof(synth_ank_id, kind) + 1 \
    }
MESSAGE_OF(id, "id", id, ID(ANK_GLOBAL), ID(ANK_LINK), ID(ANK_BODY), ID(ANK_SENSOR),
    ID(ANK_EXCITER), ID(ANK_MODULATOR));
MESSAGE_OF(ends, "pair of ids", ends, MESSAGE(1, ends, a, id), MESSAGE(2, ends, b, id));

/* Where something is (1: at first, 2: now), and how it is turned (1: orientation, with 1: its
 * normal). */
MESSAGE_OF(body_place, "place of a body", body, MESSAGE(1, body, position, vector));
MESSAGE_OF(sensor_place, "place of a sensor", sensor, MESSAGE(1, sensor, position, vector));
MESSAGE_OF(sensor_axes, "orientation of a sensor", sensor, MESSAGE(1, sensor, normal, vector));
MESSAGE_OF(sensor_turn, "rotation of a sensor", sensor, INSIDE(1, sensor_axes));
MESSAGE_OF(exciter_axes, "orientation of an exciter", exciter, MESSAGE(1, exciter, normal, vector));
MESSAGE_OF(exciter_turn, "rotation of an exciter", exciter, INSIDE(1, exciter_axes));

/* ---- links ---- */

MESSAGE_OF(spring, "spring", link, NUMBER(1, link, spring.stiffness),
    NUMBER(2, link, spring.neutral_length));
MESSAGE_OF(modulation, "modulator link", link, WHOLE(1, link, modulator.operand),
    NUMBER(2, link, modulator.depth), FLAG(3, link, modulator.exponential),
    FLAG(4, link, modulator.multiply), FLAG(5, link, modulator.invert));
MESSAGE_OF(delay, "delay line", link, NUMBER(1, link, delay.seconds));
MESSAGE_OF(link, "link", link, WHOLE(1, link, id), MESSAGE(2, link, ends, ends),
    KIND(ANK_LINK_SPRING, link, spring), KIND(ANK_LINK_EXCITER, link, nothing),
    KIND(ANK_LINK_SENSOR, link, nothing), KIND(ANK_LINK_MODULATOR, link, modulation),
    KIND(ANK_LINK_DELAY, link, delay));

/* ---- bodies and sensors ---- */

MESSAGE_OF(body, "body", body, WHOLE(1, body, id), NUMBER(3, body, mass), NUMBER(4, body, damping),
    FLAG(5, body, anchored), INSIDE(7, body_place), NUMBER(8, body, damping_by_time),
    NUMBER(9, body, damping_by_mass));
MESSAGE_OF(compressor, "compressor", compressor, NUMBER(1, compressor, threshold),
    NUMBER(2, compressor, ratio), NUMBER(3, compressor, attack), NUMBER(4, compressor, release),
    NUMBER(5, compressor, makeup));
MESSAGE_OF(sensor, "sensor", sensor, WHOLE(1, sensor, id), NUMBER(4, sensor, gain),
    NUMBER(6, sensor, pan), MESSAGE(7, sensor, compressor, compressor), FLAG(8, sensor, heard),
    INSIDE(9, sensor_place), INSIDE(10, sensor_turn), NUMBER(11, sensor, directionality),
    NUMBER(12, sensor, isotropy));

/* ---- exciters ---- */

MESSAGE_OF(mallet, "mallet", exciter, NUMBER(1, exciter, mallet.impulse),
    NUMBER(2, exciter, mallet.soft), NUMBER(3, exciter, mallet.hard),
    NUMBER(4, exciter, mallet.noise));
MESSAGE_OF(audio, "audio signal", exciter, WHOLE(1, exciter, audio.channel),
    NUMBER(2, exciter, audio.gain), FLAG(3, exciter, audio.gated),
    MESSAGE(4, exciter, audio.envelope, envelope), NUMBER(5, exciter, audio.delay),
    FLAG(6, exciter, audio.external));
MESSAGE_OF(oscillator, "oscillator", exciter, NUMBER(1, exciter, oscillator.gain),
    WHOLE(2, exciter, oscillator.wave), WHOLE(3, exciter, oscillator.octave),
    WHOLE(4, exciter, oscillator.semitone), NUMBER(5, exciter, oscillator.detune),
    NUMBER(6, exciter, oscillator.pulse_width), MESSAGE(7, exciter, oscillator.envelope, envelope));
MESSAGE_OF(bow, "bow", exciter, NUMBER(1, exciter, bow.draw_velocity),
    MESSAGE(2, exciter, bow.envelope, envelope), NUMBER(3, exciter, bow.dropoff),
    NUMBER(4, exciter, bow.stiction));
MESSAGE_OF(plectrum, "plectrum", exciter, NUMBER(1, exciter, plectrum.distance),
    NUMBER(2, exciter, plectrum.duration));
MESSAGE_OF(exciter, "exciter", exciter, WHOLE(1, exciter, id), KIND(ANK_MALLET, exciter, mallet),
    KIND(ANK_AUDIO, exciter, audio), KIND(ANK_OSCILLATOR, exciter, oscillator),
    KIND(ANK_BOW, exciter, bow), KIND(ANK_PLECTRUM, exciter, plectrum), INSIDE(11, exciter_turn),
    NUMBER(12, exciter, velocity_sensitivity));

/* ---- modulators ---- */

MESSAGE_OF(smoothing, "controller", modulator, NUMBER(1, modulator, midi.smoothing));
MESSAGE_OF(smooth_at_1, "MIDI modulator", modulator, INSIDE(1, smoothing));
MESSAGE_OF(smooth_at_2, "MIDI controller", modulator, INSIDE(2, smoothing));
MESSAGE_OF(
    velocity, "MIDI velocity", modulator, INSIDE(2, smoothing), WHOLE(3, modulator, midi.phase));
MESSAGE_OF(
    note, "note follower", modulator, WHOLE(1, modulator, midi.centre), INSIDE(2, smoothing));
MESSAGE_OF(lfo, "LFO", modulator, WHOLE(1, modulator, lfo.wave),
    NUMBER(2, modulator, lfo.frequency), NUMBER(3, modulator, lfo.pulse_width),
    WHOLE(4, modulator, lfo.sync), FLAG(5, modulator, lfo.synced),
    FLAG(6, modulator, lfo.retrigger), NUMBER(7, modulator, lfo.phase),
    FLAG(8, modulator, lfo.dilated));
MESSAGE_OF(
    trigger, "trigger envelope", modulator, MESSAGE(1, modulator, trigger.envelope, envelope));
MESSAGE_OF(follower, "envelope follower", modulator, NUMBER(1, modulator, follower.attack),
    NUMBER(2, modulator, follower.release));
MESSAGE_OF(modulator, "modulator", modulator, WHOLE(1, modulator, id),
    KIND(ANK_CONTROLLER, modulator, smooth_at_2), KIND(ANK_LFO, modulator, lfo),
    KIND(ANK_TRIGGER, modulator, trigger), KIND(ANK_BEND, modulator, smooth_at_1),
    KIND(ANK_PRESSURE, modulator, smooth_at_1), KIND(ANK_AFTERTOUCH, modulator, smooth_at_1),
    KIND(ANK_VELOCITY, modulator, velocity), KIND(ANK_NOTE, modulator, note),
    KIND(ANK_HOST, modulator, smooth_at_1), KIND(ANK_FOLLOWER, modulator, follower));

/* ---- the model ---- */

#define EVENT(of) \
    { \
        (of), SYNTH_WIRE_WHOLE, offsetof(synth_ank_event, number), NULL, \
            offsetof(synth_ank_event, what) + 1 \
    }
MESSAGE_OF(event, "MIDI event", event, WHOLE(1, event, channel),
    KIND(ANK_EVENT_NONE, event, nothing), EVENT(ANK_EVENT_NOTE), EVENT(ANK_EVENT_CONTROLLER));
MESSAGE_OF(
    route, "MIDI route", route, LIST(4, route, targets, id), MESSAGE(5, route, event, event));
MESSAGE_OF(host, "host parameter", host, WHOLE(1, host, id), LIST(3, host, targets, id));
MESSAGE_OF(notes, "note range", model, WHOLE(1, model, notes.low), WHOLE(2, model, notes.high));

static const synth_wire_field model_fields[] = {
    LIST(1, model, links, link),
    LIST(2, model, bodies, body),
    LIST(3, model, sensors, sensor),
    LIST(4, model, exciters, exciter),
    LIST(6, model, routes, route),
    NUMBER(7, model, gain),
    NUMBER(8, model, pan),
    LIST(10, model, modulators, modulator),
    NUMBER(11, model, limit),
    NUMBER(12, model, limit_release),
    NUMBER(13, model, beats_a_second),
    LIST(14, model, hosts, host),
    WHOLE(16, model, mode),
    WHOLE(17, model, voices),
    WHOLE(18, model, zone),
    WHOLE(19, model, zone_channels),
    FLAG(20, model, bends),
    WHOLE(21, model, bend_semitones),
    WHOLE(22, model, note_bend_semitones),
    WHOLE(23, model, bend_channel),
    {25, SYNTH_WIRE_MESSAGE, 0, &notes, offsetof(synth_ank_model, ranged) + 1},
    NUMBER(26, model, wet),
    END,
};
const synth_wire_message synth_ank_schema = {"model", sizeof(synth_ank_model), model_fields};
