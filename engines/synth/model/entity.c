/* Facts about each entity type: name, fields of its definition with their ranges, parameters
 * that modulation can reach, and defaults that do not depend on the instrument. */
#include "model/model.h"
#include "support/strict_math.h"

#include <math.h>
#include <string.h>

/* Ranges are wide, but the product of any two values stays within single precision. */
#define MAX_DISTANCE 1e4     /* m */
#define MAX_COEFFICIENT 1e12 /* N/m and similar units */

static const char *const wave_names[] = {"sine", "saw", "rectangle", "noise", "hold", NULL};
static const char *const midi_names[] = {
    "cc", "bend", "pressure", "aftertouch", "velocity", "note", "host", NULL};
const char *const synth_mode_names[] = {"singleton", "voices", "mpe", NULL};
const char *const synth_modulation_names[] = {"add", "multiply", "exponential", NULL};

/* ---- fields ---- */

#define FIELD(type, member, ...) \
    { \
        .key = #member, .offset = offsetof(hed_synth_##type##_def, member), .kind = __VA_ARGS__ \
    }
#define NUMBER(type, member, least, most) \
    FIELD(type, member, SYNTH_FIELD_NUMBER, .low = (least), .high = (most))
#define WHOLE(type, member, least, most) \
    FIELD(type, member, SYNTH_FIELD_WHOLE, .low = (least), .high = (most))
#define POINT(type, member) \
    FIELD(type, member, SYNTH_FIELD_VECTOR, .low = -MAX_DISTANCE, .high = MAX_DISTANCE)
#define DIRECTION(type) \
    FIELD(type, direction, SYNTH_FIELD_DIRECTION, .low = -MAX_DISTANCE, .high = MAX_DISTANCE)
#define BOOLEAN(type, member) FIELD(type, member, SYNTH_FIELD_BOOLEAN)
#define CHOICE(type, member, names) FIELD(type, member, SYNTH_FIELD_CHOICE, .choices = (names))
#define ENTITY(type, member, what) FIELD(type, member, SYNTH_FIELD_ENTITY, .refers = (what))
#define ADSR(type) FIELD(type, envelope, SYNTH_FIELD_ADSR, .high = 1000)
#define ROUTE(type) FIELD(type, route, SYNTH_FIELD_ROUTE)
#define SENSITIVITY(type) NUMBER(type, velocity_sensitivity, 0, 1)

static const synth_field body_fields[] = {POINT(body, position), NUMBER(body, mass, 1e-12, 1e6),
    NUMBER(body, damping, 0, 1e6), BOOLEAN(body, anchored), {0}};

static const synth_field spring_fields[] = {ENTITY(spring, from, HED_SYNTH_BODY),
    ENTITY(spring, to, HED_SYNTH_BODY), NUMBER(spring, stiffness, 0, MAX_COEFFICIENT),
    NUMBER(spring, rest_length, -MAX_DISTANCE, MAX_DISTANCE), NUMBER(spring, damping, 0, 1e6),
    NUMBER(spring, cubic, 0, 1e24), {0}};

static const synth_field microphone_fields[] = {POINT(microphone, position), DIRECTION(microphone),
    NUMBER(microphone, directionality, 0, 1), NUMBER(microphone, isotropy, 0, 1),
    NUMBER(microphone, gain, -200, 200), NUMBER(microphone, pan, -1, 1), BOOLEAN(microphone, heard),
    NUMBER(microphone, threshold, -200, 200), NUMBER(microphone, ratio, 1, 1000),
    NUMBER(microphone, attack, 0, 10), NUMBER(microphone, release, 0, 10),
    NUMBER(microphone, makeup, -200, 200), {0}};

static const synth_field mallet_fields[] = {DIRECTION(mallet), NUMBER(mallet, mass, 1e-9, 1e3),
    NUMBER(mallet, impulse, -1e6, 1e6), SENSITIVITY(mallet), NUMBER(mallet, hardness_soft, 0, 1e18),
    NUMBER(mallet, hardness_hard, 0, 1e18), NUMBER(mallet, exponent, 1, 6),
    NUMBER(mallet, hysteresis, 0, 0.999), NUMBER(mallet, relaxation, 1e-7, 1),
    NUMBER(mallet, noise, 0, 1), ROUTE(mallet), {0}};

static const synth_field plectrum_fields[] = {DIRECTION(plectrum),
    NUMBER(plectrum, distance, -MAX_DISTANCE, MAX_DISTANCE), NUMBER(plectrum, duration, 0, 100),
    SENSITIVITY(plectrum), ROUTE(plectrum), {0}};

static const synth_field bow_fields[] = {DIRECTION(bow), NUMBER(bow, force, 0, 1e6),
    NUMBER(bow, draw_velocity, -1e3, 1e3), NUMBER(bow, stiction, 0, 100),
    NUMBER(bow, sliding, 0, 100), NUMBER(bow, dropoff, 1e-6, 1e3), SENSITIVITY(bow), ADSR(bow),
    ROUTE(bow), {0}};

static const synth_field oscillator_fields[] = {DIRECTION(oscillator),
    CHOICE(oscillator, wave, wave_names), NUMBER(oscillator, gain, -1e6, 1e6),
    NUMBER(oscillator, frequency, 0, 1e5), BOOLEAN(oscillator, follows_note),
    NUMBER(oscillator, octave, -10, 10), NUMBER(oscillator, semitone, -120, 120),
    NUMBER(oscillator, detune, -1200, 1200), NUMBER(oscillator, pulse_width, 0.001, 0.999),
    SENSITIVITY(oscillator), ADSR(oscillator), ROUTE(oscillator), {0}};

static const synth_field audio_input_fields[] = {DIRECTION(audio_input),
    WHOLE(audio_input, channel, 0, 63), NUMBER(audio_input, gain, -1e6, 1e6),
    BOOLEAN(audio_input, gated), ADSR(audio_input), ROUTE(audio_input), {0}};

static const synth_field lfo_fields[] = {CHOICE(lfo, wave, wave_names),
    NUMBER(lfo, frequency, 0, 1e4), NUMBER(lfo, division, 0, 1024),
    NUMBER(lfo, pulse_width, 0.001, 0.999), NUMBER(lfo, depth, -1e6, 1e6), BOOLEAN(lfo, retrigger),
    NUMBER(lfo, phase, 0, 0.999999), BOOLEAN(lfo, dilated), ROUTE(lfo), {0}};

static const synth_field envelope_fields[] = {ADSR(envelope), NUMBER(envelope, depth, -1e6, 1e6),
    SENSITIVITY(envelope), ROUTE(envelope), {0}};

static const synth_field follower_fields[] = {ENTITY(follower, source, HED_SYNTH_MICROPHONE),
    NUMBER(follower, attack, 0, 10), NUMBER(follower, release, 0, 10),
    NUMBER(follower, depth, -1e6, 1e6), {0}};

static const synth_field midi_source_fields[] = {CHOICE(midi_source, kind, midi_names),
    WHOLE(midi_source, number, 0, 65535), NUMBER(midi_source, centre, 0, 127),
    NUMBER(midi_source, initial, -11, 11), NUMBER(midi_source, smoothing, 0, 100),
    NUMBER(midi_source, depth, -1e6, 1e6), ROUTE(midi_source), {0}};

static const synth_field delay_line_fields[] = {ENTITY(delay_line, source, HED_SYNTH_MICROPHONE),
    NUMBER(delay_line, seconds, 0, 1), NUMBER(delay_line, gain, -200, 200), {0}};

const synth_field synth_instrument_fields[] = {
    CHOICE(instrument, mode, synth_mode_names),
    WHOLE(instrument, voices, 1, 64),
    NUMBER(instrument, root_note, 0, 127),
    FIELD(instrument, low, SYNTH_FIELD_NOTE),
    FIELD(instrument, high, SYNTH_FIELD_NOTE),
    NUMBER(instrument, bend_range, 0, 96),
    NUMBER(instrument, note_bend_range, 0, 96),
    NUMBER(instrument, tempo, 1, 10000),
    NUMBER(instrument, gain, -200, 200),
    NUMBER(instrument, limit, -60, 0),
    NUMBER(instrument, limit_release, 0.001, 10),
    {0},
};

/* ---- types ---- */

#define P(name) (1u << HED_SYNTH_TARGET_##name)
#define POSITION (P(POSITION_X) | P(POSITION_Y) | P(POSITION_Z))

static const struct {
    const char *name;
    uint32_t parameters;
} types[HED_SYNTH_ENTITY_TYPE_COUNT] = {
    [HED_SYNTH_BODY] = {"body", P(MASS) | P(DAMPING) | POSITION},
    [HED_SYNTH_SPRING] = {"spring", P(STIFFNESS) | P(REST_LENGTH) | P(DAMPING)},
    [HED_SYNTH_MICROPHONE] = {"microphone",
        POSITION | P(GAIN) | P(PAN) | P(ROTATION) | P(DIRECTIONALITY) | P(ISOTROPY)},
    [HED_SYNTH_MALLET] = {"mallet", P(IMPULSE) | P(HARDNESS) | P(NOISE) | P(ROTATION)},
    [HED_SYNTH_PLECTRUM] = {"plectrum", P(DISTANCE) | P(DURATION) | P(ROTATION)},
    [HED_SYNTH_BOW] = {"bow", P(DRAW_VELOCITY) | P(ROSIN_STICTION) | P(ROSIN_DROPOFF) | P(ROTATION)},
    [HED_SYNTH_OSCILLATOR] = {"oscillator", P(FREQUENCY) | P(PULSE_WIDTH) | P(GAIN) | P(ROTATION)},
    [HED_SYNTH_AUDIO_INPUT] = {"audio_input", P(GAIN) | P(ROTATION)},
    [HED_SYNTH_LFO] = {"lfo", P(DEPTH) | P(FREQUENCY) | P(PULSE_WIDTH) | P(SYNC_FREQUENCY)},
    [HED_SYNTH_ENVELOPE] = {"envelope", P(DEPTH)},
    [HED_SYNTH_FOLLOWER] = {"follower", P(DEPTH)},
    [HED_SYNTH_MIDI_SOURCE] = {"midi_source", P(DEPTH) | P(SMOOTHING)},
    [HED_SYNTH_DELAY_LINE] = {"delay_line", P(GAIN) | P(DELAY)},
};

static const char *const parameter_names[HED_SYNTH_TARGET_COUNT] = {"mass", "damping", "position_x",
    "position_y", "position_z", "impulse", "stiffness", "rest_length", "depth", "frequency",
    "pulse_width", "gain", "pan", "hardness", "noise", "draw_velocity", "rosin_stiction",
    "rosin_dropoff", "distance", "duration", "rotation", "delay", "sync_frequency", "smoothing",
    "directionality", "isotropy"};

const synth_field *const synth_fields[HED_SYNTH_ENTITY_TYPE_COUNT] = {body_fields, spring_fields,
    microphone_fields, mallet_fields, plectrum_fields, bow_fields, oscillator_fields,
    audio_input_fields, lfo_fields, envelope_fields, follower_fields, midi_source_fields,
    delay_line_fields};

const size_t synth_def_sizes[HED_SYNTH_ENTITY_TYPE_COUNT] = {sizeof(hed_synth_body_def),
    sizeof(hed_synth_spring_def), sizeof(hed_synth_microphone_def), sizeof(hed_synth_mallet_def),
    sizeof(hed_synth_plectrum_def), sizeof(hed_synth_bow_def), sizeof(hed_synth_oscillator_def),
    sizeof(hed_synth_audio_input_def), sizeof(hed_synth_lfo_def), sizeof(hed_synth_envelope_def),
    sizeof(hed_synth_follower_def), sizeof(hed_synth_midi_source_def),
    sizeof(hed_synth_delay_line_def)};

const char *hed_synth_entity_type_name(hed_synth_entity_type type)
{
    return (uint32_t)type < HED_SYNTH_ENTITY_TYPE_COUNT ? types[type].name : "unknown";
}

const char *hed_synth_target_name(hed_synth_target target)
{
    return (uint32_t)target < HED_SYNTH_TARGET_COUNT ? parameter_names[target] : "unknown";
}

bool hed_synth_target_of(hed_synth_entity_type type, hed_synth_target target)
{
    return (uint32_t)type < HED_SYNTH_ENTITY_TYPE_COUNT &&
           (uint32_t)target < HED_SYNTH_TARGET_COUNT && (types[type].parameters >> target & 1u);
}

/* Fields whose names differ from their parameters'. */
static const char *const parameter_fields[HED_SYNTH_TARGET_COUNT] = {
    [HED_SYNTH_TARGET_POSITION_X] = "position",
    [HED_SYNTH_TARGET_POSITION_Y] = "position",
    [HED_SYNTH_TARGET_POSITION_Z] = "position",
    [HED_SYNTH_TARGET_HARDNESS] = "hardness_hard",
    [HED_SYNTH_TARGET_ROSIN_STICTION] = "stiction",
    [HED_SYNTH_TARGET_ROSIN_DROPOFF] = "dropoff",
    [HED_SYNTH_TARGET_DELAY] = "seconds",
    [HED_SYNTH_TARGET_SYNC_FREQUENCY] = "frequency",
};

synth_range synth_target_range(hed_synth_entity_type type, hed_synth_target target)
{
    const char *key = parameter_fields[target] ? parameter_fields[target] : parameter_names[target];
    for (const synth_field *field = synth_fields[type]; field->key; field++)
        if (strcmp(field->key, key) == 0)
            return (synth_range){(float)field->low, (float)field->high};
    return (synth_range){-(float)MAX_DISTANCE, (float)MAX_DISTANCE};
}

bool synth_is_exciter(hed_synth_entity_type type)
{
    return type >= HED_SYNTH_MALLET && type <= HED_SYNTH_AUDIO_INPUT;
}

bool synth_is_modulator(hed_synth_entity_type type)
{
    return type >= HED_SYNTH_LFO && type <= HED_SYNTH_MIDI_SOURCE;
}

/* ---- sensible values ---- */

#define EVERY_NOTE {0, 0, 127}
#define SOFT_GATE {0.01f, 0, 1, 0.05f}
#define DEFAULT(type, member, ...) [type] = {(type), {.member = {__VA_ARGS__}}}
static const hed_synth_entity_def entity_defaults[HED_SYNTH_ENTITY_TYPE_COUNT] = {
    DEFAULT(HED_SYNTH_BODY, body, .mass = 0.001f, .damping = 0.5f),
    DEFAULT(HED_SYNTH_SPRING, spring, .stiffness = 1000, .rest_length = -1),
    DEFAULT(HED_SYNTH_MICROPHONE, microphone, .direction = {0, 0, 1}, .heard = true, .ratio = 1,
        .attack = 0.005f, .release = 0.1f),
    DEFAULT(HED_SYNTH_MALLET, mallet, .direction = {0, 0, 1}, .mass = 0.005f, .impulse = 0.01f,
        .velocity_sensitivity = 1, .hardness_soft = 1e5f, .hardness_hard = 1e6f, .exponent = 2.5f,
        .relaxation = 1e-4f, .route = EVERY_NOTE),
    DEFAULT(HED_SYNTH_PLECTRUM, plectrum, .direction = {0, 0, 1}, .distance = 0.002f,
        .duration = 0.005f, .velocity_sensitivity = 1, .route = EVERY_NOTE),
    DEFAULT(HED_SYNTH_BOW, bow, .direction = {0, 0, 1}, .force = 0.5f, .draw_velocity = 0.2f,
        .stiction = 0.8f, .sliding = 0.3f, .dropoff = 0.05f, .velocity_sensitivity = 0.5f,
        .envelope = {0.05f, 0, 1, 0.1f}, .route = EVERY_NOTE),
    DEFAULT(HED_SYNTH_OSCILLATOR, oscillator, .direction = {0, 0, 1}, .gain = 0.1f,
        .frequency = 440, .pulse_width = 0.5f, .velocity_sensitivity = 1, .envelope = SOFT_GATE,
        .route = EVERY_NOTE),
    DEFAULT(HED_SYNTH_AUDIO_INPUT, audio_input, .direction = {0, 0, 1}, .gain = 1,
        .envelope = SOFT_GATE, .route = EVERY_NOTE),
    DEFAULT(
        HED_SYNTH_LFO, lfo, .frequency = 5, .pulse_width = 0.5f, .depth = 1, .route = EVERY_NOTE),
    DEFAULT(HED_SYNTH_ENVELOPE, envelope, .envelope = {0.01f, 0.1f, 0.7f, 0.2f}, .depth = 1,
        .route = EVERY_NOTE),
    DEFAULT(HED_SYNTH_FOLLOWER, follower, .attack = 0.005f, .release = 0.1f, .depth = 1),
    DEFAULT(HED_SYNTH_MIDI_SOURCE, midi_source, .number = 1, .centre = 60, .smoothing = 0.005f,
        .depth = 1, .route = EVERY_NOTE),
    DEFAULT(HED_SYNTH_DELAY_LINE, delay_line, .seconds = 0.1f),
};

hed_synth_entity_def hed_default_synth_entity_def(hed_synth_entity_type type)
{
    return (uint32_t)type < HED_SYNTH_ENTITY_TYPE_COUNT ? entity_defaults[type]
                                                        : (hed_synth_entity_def){.type = type};
}

hed_synth_instrument_def hed_default_synth_instrument_def(void)
{
    return (hed_synth_instrument_def){.mode = HED_SYNTH_SINGLETON,
        .voices = 8,
        .root_note = 60,
        .high = 127,
        .bend_range = 2,
        .note_bend_range = 48,
        .tempo = 120,
        .limit = -1,
        .limit_release = 0.05f};
}

double synth_largest_dilation(const hed_synth_instrument_def *def)
{
    if (def->mode == HED_SYNTH_SINGLETON) return 1;
    double bend =
        def->bend_range + (def->mode == HED_SYNTH_VOICES_MPE ? def->note_bend_range : 0.0);
    double dilation = hed_strict_exp2(((double)def->high - def->root_note + bend) / 12);
    return dilation > 1 ? dilation : 1; /* an instance runs at dilation 1 until its first note */
}

/* ---- checking ---- */

static hed_status entity_refuse(const char *subject, const synth_field *field, double low,
    double high, double value, hed_error *error)
{
    return hed_fail(error, HED_ERROR_ARGUMENT, "%s: %s is %g; expected a value from %g to %g",
        subject, field->key, value, low, high);
}

/* Checks that a number is in its range; NaN fails the comparison. */
static hed_status entity_check_number(
    const char *subject, const synth_field *field, float value, hed_error *error)
{
    return value >= (float)field->low && value <= (float)field->high
               ? HED_OK
               : entity_refuse(subject, field, field->low, field->high, (double)value, error);
}

static hed_status check_vector(
    const char *subject, const synth_field *field, const float v[3], hed_error *error)
{
    for (uint32_t i = 0; i < 3; i++) {
        hed_status status = entity_check_number(subject, field, v[i], error);
        if (status != HED_OK) return status;
    }
    if (field->kind == SYNTH_FIELD_DIRECTION && v[0] * v[0] + v[1] * v[1] + v[2] * v[2] < 1e-12f)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s: %s is 0 0 0; it has to point somewhere",
            subject, field->key);
    return HED_OK;
}

static hed_status check_adsr(
    const char *subject, const synth_field *field, const hed_synth_adsr *adsr, hed_error *error)
{
    const float times[] = {adsr->attack, adsr->decay, adsr->release};
    for (uint32_t i = 0; i < 3; i++) {
        hed_status status = entity_check_number(subject, field, times[i], error);
        if (status != HED_OK) return status;
    }
    if (!(adsr->sustain >= 0 && adsr->sustain <= 1))
        return entity_refuse(subject, field, 0, 1, (double)adsr->sustain, error);
    return HED_OK;
}

static hed_status check_route(const char *subject, const hed_synth_route *route, hed_error *error)
{
    if (route->channel <= 16 && route->low <= route->high && route->high <= 127) return HED_OK;
    return hed_fail(error, HED_ERROR_ARGUMENT,
        "%s: route is channel %u, notes %u to %u; expected a channel from 1 to 16, or 0 for all, and notes "
        "from 0 to 127, the lower one first",
        subject, route->channel, route->low, route->high);
}

/* Checks an integer, a choice, a boolean or a note as a number in a range. */
static hed_status check_whole(
    const char *subject, const synth_field *field, const void *at, hed_error *error)
{
    uint32_t value = 0;
    double low = field->low, high = field->high;
    if (field->kind == SYNTH_FIELD_NOTE) {
        value = *(const uint8_t *)at;
        high = 127;
    } else {
        memcpy(&value, at, sizeof value);
    }
    if (field->kind == SYNTH_FIELD_CHOICE)
        for (high = -1; field->choices[(uint32_t)(high + 1)];) high++;
    return value >= low && value <= high ? HED_OK
                                         : entity_refuse(subject, field, low, high, value, error);
}

hed_status synth_check_fields(
    const synth_field *fields, const void *def, const char *subject, hed_error *error)
{
    hed_status status = HED_OK;
    for (const synth_field *field = fields; field->key && status == HED_OK; field++) {
        const void *at = (const char *)def + field->offset;
        switch (field->kind) {
        case SYNTH_FIELD_NUMBER:
            status = entity_check_number(subject, field, *(const float *)at, error);
            break;
        case SYNTH_FIELD_VECTOR:
        case SYNTH_FIELD_DIRECTION: status = check_vector(subject, field, at, error); break;
        case SYNTH_FIELD_WHOLE:
        case SYNTH_FIELD_CHOICE:
        case SYNTH_FIELD_NOTE: status = check_whole(subject, field, at, error); break;
        case SYNTH_FIELD_ADSR: status = check_adsr(subject, field, at, error); break;
        case SYNTH_FIELD_ROUTE: status = check_route(subject, at, error); break;
        case SYNTH_FIELD_BOOLEAN:
        case SYNTH_FIELD_ENTITY: break;
        }
    }
    return status;
}

static size_t size_of(const synth_field *field)
{
    switch (field->kind) {
    case SYNTH_FIELD_VECTOR:
    case SYNTH_FIELD_DIRECTION: return 3 * sizeof(float);
    case SYNTH_FIELD_NOTE: return sizeof(uint8_t);
    case SYNTH_FIELD_BOOLEAN: return sizeof(bool);
    case SYNTH_FIELD_ADSR: return sizeof(hed_synth_adsr);
    case SYNTH_FIELD_ROUTE: return sizeof(hed_synth_route);
    default: return sizeof(uint32_t);
    }
}

bool synth_same_value(const synth_field *field, const void *a, const void *b)
{
    return memcmp(a, b, size_of(field)) == 0;
}
