/* Fields of each type of entity with their ranges and meanings; tables of types, made of
 * entity_list.h. */
#include "model/synth_model.h"
#include "support/strict_math.h"

#include <math.h>
#include <string.h>

/* Ranges are wide, but the product of any two values stays within single precision. */
#define MAX_DISTANCE 1e4     /* m */
#define MAX_COEFFICIENT 1e12 /* N/m and similar units */

static const char *const wave_names[] = {"sine", "saw", "rectangle", "noise", "hold", NULL};
static const char *const midi_names[] = {
    "cc", "bend", "pressure", "aftertouch", "velocity", "note", "host", NULL};
static const char *const mode_names[] = {"singleton", "voices", "mpe", NULL};
const char *const synth_modulation_names[] = {"add", "multiply", "exponential", NULL};

/* ---- fields ---- */

#define NUMBER(type, member, least, most, unit) \
    HED_AS_NUMBER(hed_synth_##type##_def, member, least, most, unit)
#define WHOLE(type, member, least, most) HED_AS_INTEGER(hed_synth_##type##_def, member, least, most)
#define BOOLEAN(type, member) HED_AS_BOOLEAN(hed_synth_##type##_def, member)
#define CHOICE(type, member, names) HED_AS_CHOICE(hed_synth_##type##_def, member, names)
#define VECTOR(type, member) \
    HED_AS_VECTOR(hed_synth_##type##_def, member, 3, -MAX_DISTANCE, MAX_DISTANCE, "m")
#define ENTITY(type, member, entity_type) \
    HED_MEMBER(hed_synth_##type##_def, member), HED_AS_OTHER("reference", NULL), \
        .tag = (entity_type), .required = true
/* Rows of several types. */
#define NAME_ROW {"name", "name of the entity; each name occurs once", HED_AS_OTHER("name", NULL)}
#define DIRECTION_ROW(type, help) \
    {"direction", help ", of any length above 0", \
        HED_AS_VECTOR( \
            hed_synth_##type##_def, direction, 3, -MAX_DISTANCE, MAX_DISTANCE, NULL), \
        .tag = SYNTH_FIELD_DIRECTION}
#define ENVELOPE_ROW(type, help) \
    {"envelope", help, HED_AS_OBJECT(hed_synth_##type##_def, envelope, &synth_adsr_fields)}
#define ROUTE_ROW(type) \
    {"route", "notes that start it", \
        HED_AS_OBJECT(hed_synth_##type##_def, route, &synth_route_fields)}
#define SENSITIVITY_ROW(type) \
    {"velocity_sensitivity", "effect of a note's velocity; 0: all notes are as loud as the loudest", \
        NUMBER(type, velocity_sensitivity, 0, 1, NULL)}

static const hed_field adsr_rows[] = {
    {"attack", "duration of the rise", HED_AS_NUMBER(hed_synth_adsr, attack, 0, 1000, "s")},
    {"decay", "duration of the fall", HED_AS_NUMBER(hed_synth_adsr, decay, 0, 1000, "s")},
    {"sustain", "level while the note is held", HED_AS_NUMBER(hed_synth_adsr, sustain, 0, 1, NULL)},
    {"release", "duration of the end", HED_AS_NUMBER(hed_synth_adsr, release, 0, 1000, "s")},
    {0},
};
const hed_fields synth_adsr_fields = {"adsr", "envelope of straight lines", .rows = adsr_rows};

static const hed_field route_rows[] = {
    {"channel", "MIDI channel; 0: all", HED_AS_INTEGER(hed_synth_route, channel, 0, 16)},
    {"low", "lowest note", HED_AS_INTEGER(hed_synth_route, low, 0, 127)},
    {"high", "highest note", HED_AS_INTEGER(hed_synth_route, high, 0, 127)},
    {0},
};
const hed_fields synth_route_fields = {"route", "notes of a channel", .rows = route_rows};

#define BODY_ROWS \
    {"mass", "mass", NUMBER(body, mass, 1e-12, 1e6, "kg")}, \
        {"damping", "rate d of the decay exp(-d t) of the amplitude", NUMBER(body, damping, 0, 1e6, "1/s")}, \
    { \
        "anchored", "true: the body moves by modulation of its position only", BOOLEAN(body, anchored) \
    }
#define SPRING_ROWS \
    {"stiffness", "stiffness", NUMBER(spring, stiffness, 0, MAX_COEFFICIENT, "N/m")}, \
        {"rest_length", "length without force; negative: multiple of the distance of the ends", \
            NUMBER(spring, rest_length, -MAX_DISTANCE, MAX_DISTANCE, "m")}, \
        {"damping", "damping along the spring", NUMBER(spring, damping, 0, 1e6, "N s/m")}, \
    { \
        "cubic", "cubic stiffness", NUMBER(spring, cubic, 0, 1e24, "N/m^3") \
    }

static const hed_field body_rows[] = {
    NAME_ROW,
    {"position", "position at rest", VECTOR(body, position), .required = true},
    BODY_ROWS,
    {0},
};
static const hed_field grid_body_rows[] = {BODY_ROWS, {0}};
const hed_fields synth_grid_body_fields = {
    "grid_body", "properties of all bodies of a grid", .rows = grid_body_rows};

static const hed_field spring_rows[] = {
    NAME_ROW,
    {"from", "body at one end", ENTITY(spring, from, HED_SYNTH_BODY)},
    {"to", "body at the other end", ENTITY(spring, to, HED_SYNTH_BODY)},
    SPRING_ROWS,
    {0},
};
static const hed_field grid_spring_rows[] = {SPRING_ROWS, {0}};
const hed_fields synth_grid_spring_fields = {
    "grid_spring", "properties of all springs of a grid", .rows = grid_spring_rows};

static const hed_field microphone_rows[] = {
    NAME_ROW,
    {"position", "position", VECTOR(microphone, position), .required = true},
    DIRECTION_ROW(microphone, "axis of hearing"),
    {"directionality", "0: hears in all directions; 1: hears the front only", NUMBER(microphone, directionality, 0, 1, NULL)},
    {"isotropy", "0: hears motion along the direction; 1: hears motion towards itself", NUMBER(microphone, isotropy, 0, 1, NULL)},
    {"gain", "gain; at 0 a velocity of 1 m/s at 1 m is full scale", NUMBER(microphone, gain, -200, 200, "dB")},
    {"pan", "-1: left; 1: right", NUMBER(microphone, pan, -1, 1, NULL)},
    {"heard", "false: only a source of followers and delay lines", BOOLEAN(microphone, heard)},
    {"threshold", "level above which the compressor acts", NUMBER(microphone, threshold, -200, 200, "dB")},
    {"ratio", "ratio of the compressor; 1: no compression", NUMBER(microphone, ratio, 1, 1000, NULL)},
    {"attack", "attack of the compressor", NUMBER(microphone, attack, 0, 10, "s")},
    {"release", "release of the compressor", NUMBER(microphone, release, 0, 10, "s")},
    {"makeup", "gain after the compressor", NUMBER(microphone, makeup, -200, 200, "dB")},
    {0},
};

static const hed_field mallet_rows[] = {
    NAME_ROW,
    DIRECTION_ROW(mallet, "direction of flight"),
    {"mass", "mass of the hammer", NUMBER(mallet, mass, 1e-9, 1e3, "kg")},
    {"impulse", "impulse at full velocity", NUMBER(mallet, impulse, -1e6, 1e6, "N s")},
    SENSITIVITY_ROW(mallet),
    {"hardness_soft", "stiffness of the felt at velocity 0", NUMBER(mallet, hardness_soft, 0, 1e18, "N/m^exponent")},
    {"hardness_hard", "stiffness of the felt at full velocity", NUMBER(mallet, hardness_hard, 0, 1e18, "N/m^exponent")},
    {"exponent", "exponent of the felt's force", NUMBER(mallet, exponent, 1, 6, NULL)},
    {"hysteresis", "fraction of the force that the felt loses", NUMBER(mallet, hysteresis, 0, 0.999, NULL)},
    {"relaxation", "relaxation time of the felt", NUMBER(mallet, relaxation, 1e-7, 1, "s")},
    {"noise", "fraction of the force that is noise", NUMBER(mallet, noise, 0, 1, NULL)},
    ROUTE_ROW(mallet),
    {0},
};

static const hed_field plectrum_rows[] = {
    NAME_ROW,
    DIRECTION_ROW(plectrum, "direction of drawing"),
    {"distance", "distance at full velocity", NUMBER(plectrum, distance, -MAX_DISTANCE, MAX_DISTANCE, "m")},
    {"duration", "duration of drawing", NUMBER(plectrum, duration, 0, 100, "s")},
    SENSITIVITY_ROW(plectrum),
    ROUTE_ROW(plectrum),
    {0},
};

static const hed_field bow_rows[] = {
    NAME_ROW,
    DIRECTION_ROW(bow, "direction of the bow"),
    {"force", "force on the string", NUMBER(bow, force, 0, 1e6, "N")},
    {"draw_velocity", "velocity of the bow", NUMBER(bow, draw_velocity, -1e3, 1e3, "m/s")},
    {"stiction", "coefficient of friction at rest", NUMBER(bow, stiction, 0, 100, NULL)},
    {"sliding", "coefficient of friction at high velocity", NUMBER(bow, sliding, 0, 100, NULL)},
    {"dropoff", "velocity between the two", NUMBER(bow, dropoff, 1e-6, 1e3, "m/s")},
    SENSITIVITY_ROW(bow),
    ENVELOPE_ROW(bow, "envelope of the force"),
    ROUTE_ROW(bow),
    {0},
};

static const hed_field damper_rows[] = {
    NAME_ROW,
    DIRECTION_ROW(damper, "direction of the motion that it brakes"),
    {"resistance", "force at 1 m/s on each body", NUMBER(damper, resistance, 0, 1e6, "N s/m")},
    ENVELOPE_ROW(damper, "lifting: attack raises it from the body, release lowers it again"),
    ROUTE_ROW(damper),
    {0},
};

static const hed_field oscillator_rows[] = {
    NAME_ROW,
    DIRECTION_ROW(oscillator, "direction of the force"),
    {"wave", "shape of the force", CHOICE(oscillator, wave, wave_names)},
    {"gain", "amplitude", NUMBER(oscillator, gain, -1e6, 1e6, "N")},
    {"frequency", "frequency", NUMBER(oscillator, frequency, 0, 1e5, "Hz")},
    {"follows_note", "true: the frequency is the note's", BOOLEAN(oscillator, follows_note)},
    {"octave", "transposition, octaves", NUMBER(oscillator, octave, -10, 10, NULL)},
    {"semitone", "transposition, semitones", NUMBER(oscillator, semitone, -120, 120, NULL)},
    {"detune", "transposition, cents", NUMBER(oscillator, detune, -1200, 1200, NULL)},
    {"pulse_width", "fraction of a period in which a rectangle is high", NUMBER(oscillator, pulse_width, 0.001, 0.999, NULL)},
    SENSITIVITY_ROW(oscillator),
    ENVELOPE_ROW(oscillator, "envelope of the force"),
    ROUTE_ROW(oscillator),
    {0},
};

static const hed_field audio_input_rows[] = {
    NAME_ROW,
    DIRECTION_ROW(audio_input, "direction of the force"),
    {"channel", "channel of the incoming sound, from 0", WHOLE(audio_input, channel, 0, 63)},
    {"gain", "force at full scale", NUMBER(audio_input, gain, -1e6, 1e6, "N")},
    {"gated", "true: only while a note is held", BOOLEAN(audio_input, gated)},
    ENVELOPE_ROW(audio_input, "envelope of a gated input"),
    ROUTE_ROW(audio_input),
    {0},
};

static const hed_field lfo_rows[] = {
    NAME_ROW,
    {"wave", "shape", CHOICE(lfo, wave, wave_names)},
    {"frequency", "frequency", NUMBER(lfo, frequency, 0, 1e4, "Hz")},
    {"division", "period in quarter notes; 0: the period of the frequency", NUMBER(lfo, division, 0, 1024, NULL)},
    {"pulse_width", "fraction of a period in which a rectangle is high", NUMBER(lfo, pulse_width, 0.001, 0.999, NULL)},
    {"depth", "maximum value", NUMBER(lfo, depth, -1e6, 1e6, NULL)},
    {"retrigger", "true: notes restart it", BOOLEAN(lfo, retrigger)},
    {"phase", "fraction of a period at which it starts", NUMBER(lfo, phase, 0, 0.999999, NULL)},
    {"dilated", "true: runs in the time of its voice", BOOLEAN(lfo, dilated)},
    ROUTE_ROW(lfo),
    {0},
};

static const hed_field envelope_rows[] = {
    NAME_ROW,
    ENVELOPE_ROW(envelope, "shape"),
    {"depth", "maximum value", NUMBER(envelope, depth, -1e6, 1e6, NULL)},
    SENSITIVITY_ROW(envelope),
    ROUTE_ROW(envelope),
    {0},
};

static const hed_field follower_rows[] = {
    NAME_ROW,
    {"source", "microphone", ENTITY(follower, source, HED_SYNTH_MICROPHONE)},
    {"attack", "duration of a rise", NUMBER(follower, attack, 0, 10, "s")},
    {"release", "duration of a fall", NUMBER(follower, release, 0, 10, "s")},
    {"depth", "value at full scale", NUMBER(follower, depth, -1e6, 1e6, NULL)},
    {0},
};

static const hed_field midi_source_rows[] = {
    NAME_ROW,
    {"kind", "messages or values to follow", CHOICE(midi_source, kind, midi_names)},
    {"number", "number of the controller, or of the host's parameter", WHOLE(midi_source, number, 0, 65535)},
    {"centre", "note at which the value is 0", NUMBER(midi_source, centre, 0, 127, NULL)},
    {"initial", "value before the first message", NUMBER(midi_source, initial, -11, 11, NULL)},
    {"smoothing", "time constant of changes", NUMBER(midi_source, smoothing, 0, 100, "s")},
    {"depth", "value at 1", NUMBER(midi_source, depth, -1e6, 1e6, NULL)},
    ROUTE_ROW(midi_source),
    {0},
};

static const hed_field delay_line_rows[] = {
    NAME_ROW,
    {"source", "microphone", ENTITY(delay_line, source, HED_SYNTH_MICROPHONE)},
    {"seconds", "delay", NUMBER(delay_line, seconds, 0, 1, "s")},
    {"gain", "gain", NUMBER(delay_line, gain, -200, 200, "dB")},
    {0},
};

static const hed_field instrument_rows[] = {
    {"mode", "voices: one instance; an instance for each note; an instance for each note of MPE", CHOICE(instrument, mode, mode_names)},
    {"voices", "number of instances", WHOLE(instrument, voices, 1, 64)},
    {"root_note", "note at which the instrument plays at its written speed", NUMBER(instrument, root_note, 0, 127, NULL)},
    {"low", "lowest note that is played", WHOLE(instrument, low, 0, 127)},
    {"high", "highest note that is played", WHOLE(instrument, high, 0, 127)},
    {"bend_range", "full bend of the channel, semitones", NUMBER(instrument, bend_range, 0, 96, NULL)},
    {"note_bend_range", "full bend of a note's own channel in MPE, semitones", NUMBER(instrument, note_bend_range, 0, 96, NULL)},
    {"glide", "duration of a glide from the last note's pitch to the next one's; 0: none", NUMBER(instrument, glide, 0, 10, "s")},
    {"legato", "true: a note that begins while another one is held takes over its voice", BOOLEAN(instrument, legato)},
    {"tempo", "quarter notes in a minute, until the song sets it", NUMBER(instrument, tempo, 1, 10000, NULL)},
    {"gain", "gain of the whole", NUMBER(instrument, gain, -200, 200, "dB")},
    {"limit", "level that the limiter keeps", NUMBER(instrument, limit, -60, 0, "dB")},
    {"limit_release", "release of the limiter", NUMBER(instrument, limit_release, 0.001, 10, "s")},
    {0},
};

/* ---- types ---- */

#define P(name) (1u << HED_SYNTH_TARGET_##name)
#define POSITION (P(POSITION_X) | P(POSITION_Y) | P(POSITION_Z))

#define TYPE_OF(TYPE, name, plural, section, targets, ...) [HED_SYNTH_##TYPE] = {#name, targets},
static const struct {
    const char *name;
    uint32_t targets;
} types[HED_SYNTH_ENTITY_TYPE_COUNT] = {SYNTH_ENTITIES(TYPE_OF)};

#define SIZE_OF(TYPE, name, ...) [HED_SYNTH_##TYPE] = sizeof(hed_synth_##name##_def),
const size_t synth_def_sizes[HED_SYNTH_ENTITY_TYPE_COUNT] = {SYNTH_ENTITIES(SIZE_OF)};

const char *const synth_target_names[HED_SYNTH_TARGET_COUNT + 1] = {"mass", "damping", "position_x",
    "position_y", "position_z", "impulse", "stiffness", "rest_length", "depth", "frequency",
    "pulse_width", "gain", "pan", "hardness", "noise", "draw_velocity", "rosin_stiction",
    "rosin_dropoff", "distance", "duration", "rotation", "delay", "sync_frequency", "smoothing",
    "directionality", "isotropy"};

static const hed_synth_entity_def entity_defaults[HED_SYNTH_ENTITY_TYPE_COUNT];
#define FIELDS_OF(TYPE, name, plural, ...) \
    [HED_SYNTH_##TYPE] = { \
        #plural, NULL, .rows = name##_rows, .defaults = &entity_defaults[HED_SYNTH_##TYPE].as},
const hed_fields synth_fields[HED_SYNTH_ENTITY_TYPE_COUNT] = {SYNTH_ENTITIES(FIELDS_OF)};

const char *hed_synth_entity_type_name(hed_synth_entity_type type)
{
    return (uint32_t)type < HED_SYNTH_ENTITY_TYPE_COUNT ? types[type].name : "unknown";
}

const char *hed_synth_target_name(hed_synth_target target)
{
    return (uint32_t)target < HED_SYNTH_TARGET_COUNT ? synth_target_names[target] : "unknown";
}

bool hed_synth_target_of(hed_synth_entity_type type, hed_synth_target target)
{
    return (uint32_t)type < HED_SYNTH_ENTITY_TYPE_COUNT &&
           (uint32_t)target < HED_SYNTH_TARGET_COUNT && (types[type].targets >> target & 1u);
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
    const char *key =
        parameter_fields[target] ? parameter_fields[target] : synth_target_names[target];
    const hed_field *field = hed_fields_find(&synth_fields[type], key);
    if (field) return (synth_range){(float)field->low, (float)field->high};
    return (synth_range){-(float)MAX_DISTANCE, (float)MAX_DISTANCE};
}

#define IS(TYPE, ...) || type == HED_SYNTH_##TYPE
bool synth_is_exciter(hed_synth_entity_type type) { return false SYNTH_EXCITERS(IS); }
bool synth_is_modulator(hed_synth_entity_type type) { return false SYNTH_MODULATORS(IS); }

/* ---- sensible values ---- */

#define EVERY_NOTE {0, 0, 127}
#define SOFT_GATE {0.01f, 0, 1, 0.05f}
#define DEFAULT_OF(TYPE, name, plural, section, targets, ...) \
    [HED_SYNTH_##TYPE] = {HED_SYNTH_##TYPE, {.name = {__VA_ARGS__}}},
static const hed_synth_entity_def entity_defaults[HED_SYNTH_ENTITY_TYPE_COUNT] = {
    SYNTH_ENTITIES(DEFAULT_OF)};

hed_synth_entity_def hed_default_synth_entity_def(hed_synth_entity_type type)
{
    return (uint32_t)type < HED_SYNTH_ENTITY_TYPE_COUNT ? entity_defaults[type]
                                                        : (hed_synth_entity_def){.type = type};
}

static const hed_synth_instrument_def instrument_default = {.mode = HED_SYNTH_SINGLETON,
    .voices = 8,
    .root_note = 60,
    .high = 127,
    .bend_range = 2,
    .note_bend_range = 48,
    .tempo = 120,
    .limit = -1,
    .limit_release = 0.05f};
const hed_fields synth_instrument_fields = {"instrument", "properties of the whole",
    .rows = instrument_rows, .defaults = &instrument_default};

hed_synth_instrument_def hed_default_synth_instrument_def(void) { return instrument_default; }

double synth_largest_dilation(const hed_synth_instrument_def *def)
{
    if (def->mode == HED_SYNTH_SINGLETON) return 1;
    double bend =
        def->bend_range + (def->mode == HED_SYNTH_VOICES_MPE ? def->note_bend_range : 0.0);
    double dilation = hed_strict_exp2(((double)def->high - def->root_note + bend) / 12);
    return dilation > 1 ? dilation : 1; /* an instance runs at dilation 1 until its first note */
}

/* ---- checking ---- */

static hed_status check_row(
    const char *subject, const hed_field *field, const void *at, hed_error *error)
{
    if (field->kind == HED_FIELD_VECTOR && field->tag == SYNTH_FIELD_DIRECTION) {
        const float *v = at;
        if (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] >= 1e-12f) return HED_OK;
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s: %s is 0 0 0; it has to point somewhere",
            subject, field->key);
    }
    const hed_synth_route *route = at;
    if (field->fields != &synth_route_fields || route->low <= route->high) return HED_OK;
    return hed_fail(error, HED_ERROR_ARGUMENT,
        "%s: route is notes %u to %u; expected the lower one first", subject, route->low,
        route->high);
}

hed_status synth_check_fields(
    const hed_fields *fields, const void *def, const char *subject, hed_error *error)
{
    hed_status status = hed_fields_check(fields, def, subject, error);
    for (const hed_field *field = fields->rows; field->key && status == HED_OK; field++)
        status = check_row(subject, field, (const char *)def + field->offset, error);
    return status;
}
