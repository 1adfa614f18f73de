/* Protobuf's wire format (protobuf.dev, "Encoding"), read by tables. */
#include "files/import_ank.h"
#include "model/synth_model.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <stddef.h>

enum {
    VARINT = 0,
    BITS_64 = 1,
    BYTES = 2,
    BITS_32 = 5,
};

typedef struct reader {
    const uint8_t *bytes;
    size_t at;
    const char *name;
    hed_error *error;
} reader;

static hed_status wire_cut(const reader *r, const char *message, size_t end)
{
    return hed_fail(r->error, HED_ERROR_FORMAT,
        "%s: the %s ends at byte %zu, in the middle of a field", r->name, message, end);
}

static hed_status read_varint(reader *r, const char *message, size_t end, uint64_t *value)
{
    size_t begin = r->at;
    *value = 0;
    for (uint32_t shift = 0; shift < 70; shift += 7) {
        if (r->at == end) return wire_cut(r, message, end);
        uint64_t byte = r->bytes[r->at++];
        if (shift < 64) *value |= (byte & 0x7f) << shift;
        if (byte < 0x80) return HED_OK;
    }
    return hed_fail(r->error, HED_ERROR_FORMAT,
        "%s: byte %zu: found a number of more than 10 bytes", r->name, begin);
}

/* A field's value: a number, or the range of its bytes. */
typedef struct value {
    uint64_t number;
    size_t begin, end;
} value;

static hed_status read_value(
    reader *r, const char *message, size_t end, uint32_t type, size_t begin, value *v)
{
    uint64_t length = type == BITS_64 ? 8 : 4;
    if (type == VARINT) return read_varint(r, message, end, &v->number);
    if (type != BITS_64 && type != BITS_32 && type != BYTES)
        return hed_fail(r->error, HED_ERROR_FORMAT,
            "%s: byte %zu: found wire type %u in the %s, expected 0, 1, 2 or 5: this is no preset, or a damaged one",
            r->name, begin, type, message);
    if (type == BYTES) {
        hed_status status = read_varint(r, message, end, &length);
        if (status) return status;
    }
    if (length > end - r->at) return wire_cut(r, message, end);
    v->begin = r->at;
    v->end = r->at += (size_t)length;
    return HED_OK;
}

static hed_status read_message(reader *r, const synth_wire_message *message, size_t end, void *out);

/* Appends a zeroed item to a list. */
static hed_status wire_grow(
    const reader *r, const synth_wire_message *message, synth_wire_list *list, void **item)
{
    if (list->count == SYNTH_WIRE_MOST)
        return hed_fail(r->error, HED_ERROR_LIMIT,
            "%s: byte %zu: found more than %u of the kind %s", r->name, r->at, list->count,
            message->name);
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity ? 2 * list->capacity : 8;
        void *items = realloc(list->items, capacity * message->size);
        if (!items)
            return hed_fail(r->error, HED_ERROR_MEMORY, "%s: no memory for %u of the kind %s",
                r->name, capacity, message->name);
        list->items = items;
        list->capacity = capacity;
    }
    *item = memset((char *)list->items + list->count++ * message->size, 0, message->size);
    return HED_OK;
}

static hed_status store(reader *r, const synth_wire_field *field, const value *v, void *out)
{
    void *place = (char *)out + field->offset;
    hed_status status = HED_OK;
    switch (field->kind) {
    case SYNTH_WIRE_FLOAT: {
        uint32_t bits = 0;
        for (uint32_t i = 0; i < 4; i++) bits |= (uint32_t)r->bytes[v->begin + i] << 8 * i;
        memcpy(place, &bits, sizeof bits);
        break;
    }
    case SYNTH_WIRE_WHOLE: *(int32_t *)place = (int32_t)(uint32_t)v->number; break;
    case SYNTH_WIRE_FLAG: *(bool *)place = v->number != 0; break;
    case SYNTH_WIRE_LIST: status = wire_grow(r, field->message, place, &place); /* fall through */
    case SYNTH_WIRE_MESSAGE:
        if (status) return status;
        r->at = v->begin;
        status = read_message(r, field->message, v->end, place);
        break;
    }
    if (field->choice) *(int32_t *)((char *)out + field->choice - 1) = (int32_t)field->number;
    return status;
}

static hed_status read_message(reader *r, const synth_wire_message *message, size_t end, void *out)
{
    while (r->at < end) {
        static const uint32_t expected[] = {BITS_32, VARINT, VARINT, BYTES, BYTES};
        size_t begin = r->at;
        uint64_t tag;
        value v = {0};
        hed_status status = read_varint(r, message->name, end, &tag);
        if (status) return status;
        if (tag >> 3 == 0 || tag > UINT32_MAX)
            return hed_fail(r->error, HED_ERROR_FORMAT,
                "%s: byte %zu: found field %" PRIu64
                " in the %s, expected 1 or more: this is no preset",
                r->name, begin, tag >> 3, message->name);
        uint32_t number = (uint32_t)(tag >> 3), type = (uint32_t)(tag & 7);
        status = read_value(r, message->name, end, type, begin, &v);
        if (status) return status;
        const synth_wire_field *field = message->fields;
        while (field->number && field->number != number) field++;
        if (!field->number) continue;
        if (type != expected[field->kind])
            return hed_fail(r->error, HED_ERROR_FORMAT,
                "%s: byte %zu: found field %u of the %s with wire type %u, expected %u", r->name,
                begin, number, message->name, type, expected[field->kind]);
        status = store(r, field, &v, out);
        if (status) return status;
    }
    return HED_OK;
}

hed_status synth_wire_read(const synth_wire_message *message, const void *bytes, size_t size,
    const char *name, void *out, hed_error *error)
{
    reader r = {.bytes = bytes, .name = name, .error = error};
    return read_message(&r, message, size, out);
}

void synth_wire_free(const synth_wire_message *message, void *out)
{
    for (const synth_wire_field *field = message->fields; field->number; field++) {
        void *place = (char *)out + field->offset;
        if (field->kind == SYNTH_WIRE_MESSAGE) synth_wire_free(field->message, place);
        if (field->kind != SYNTH_WIRE_LIST) continue;
        synth_wire_list *list = place;
        for (uint32_t i = 0; i < list->count; i++)
            synth_wire_free(field->message, (char *)list->items + i * field->message->size);
        free(list->items);
        *list = (synth_wire_list){0};
    }
}

/* Field numbers of Anukari's published schema (anukari-preset-api, model.proto, version 0.9.6).
 * Camera, version and tangents are not read. The submessage that specifies an item's kind is
 * flattened into the item's struct. */

#define FIELD(number, kind, type, member, message) \
    { \
        (number), SYNTH_WIRE_##kind, offsetof(synth_ank_##type, member), message, 0 \
    }
#define NUMBER(number, type, member) FIELD(number, FLOAT, type, member, NULL)
#define WHOLE(number, type, member) FIELD(number, WHOLE, type, member, NULL)
#define FLAG(number, type, member) FIELD(number, FLAG, type, member, NULL)
#define MESSAGE(number, type, member, message) FIELD(number, MESSAGE, type, member, &(message))
#define LIST(number, type, member, message) FIELD(number, LIST, type, member, &(message))
#define INSIDE(number, message) \
    { \
        (number), SYNTH_WIRE_MESSAGE, 0, &(message), 0 \
    }
#define KIND(number, type, message) \
    { \
        (number), SYNTH_WIRE_MESSAGE, 0, &(message), offsetof(synth_ank_##type, what) + 1 \
    }
#define MESSAGE_OF(word, text, type, ...) \
    static const synth_wire_field word##_fields[] = {__VA_ARGS__, {0}}; \
    static const synth_wire_message word = {text, sizeof(synth_ank_##type), word##_fields}

/* ---- parts ---- */

static const synth_wire_field nothing_fields[] = {{0}};
static const synth_wire_message nothing = {"empty message", 1, nothing_fields};

MESSAGE_OF(
    vector, "vector", vector, NUMBER(1, vector, x), NUMBER(2, vector, y), NUMBER(3, vector, z));
MESSAGE_OF(envelope, "envelope", envelope, NUMBER(1, envelope, attack), NUMBER(2, envelope, decay),
    NUMBER(3, envelope, sustain), NUMBER(4, envelope, release));

/* Id of an item; its field number is the item's kind. */
#define ID(of) \
    { \
        (of), SYNTH_WIRE_WHOLE, offsetof(synth_ank_id, number), NULL, \
            offsetof(synth_ank_id, kind) + 1 \
    }
MESSAGE_OF(id, "id", id, ID(ANK_GLOBAL), ID(ANK_LINK), ID(ANK_BODY), ID(ANK_SENSOR),
    ID(ANK_EXCITER), ID(ANK_MODULATOR));
MESSAGE_OF(ends, "pair of ids", ends, MESSAGE(1, ends, a, id), MESSAGE(2, ends, b, id));

/* Positions (1: initial, 2: current), rotations (1: orientation) and orientations (1: normal). */
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
    {0},
};
const synth_wire_message synth_ank_schema = {"model", sizeof(synth_ank_model), model_fields};
