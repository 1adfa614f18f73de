/* Parameters, states and signals at rest, computed from an instrument's definitions in the units
 * of layout.h. Computed in double, stored as float. */
#include "tables/synth_parts.h"
#include "support/strict_math.h"

uint32_t synth_gate_word(const synth_program *program, hed_synth_route route)
{
    uint32_t i = 0;
    while (!synth_is_same_route(program->gates[i].route, route)) i++;
    return program->gates[i].word;
}

/* An element whose fields are being written. */
typedef struct element {
    synth_builder *b;
    const synth_type_layout *layout;
    uint32_t type, index;
} element;

static void set(const element *e, uint32_t field, double value)
{
    e->b->program->image[e->layout->parameter + field * e->layout->count + e->index] =
        hed_as_uint((float)value);
}

static void set_uint(const element *e, uint32_t field, uint32_t value)
{
    e->b->program->image[e->layout->parameter + field * e->layout->count + e->index] = value;
}

static void values_set_state(const element *e, uint32_t field, uint32_t bits)
{
    e->b->program->image[e->layout->state + field * e->layout->count + e->index] = bits;
}

/* Sets a signal in both halves. */
static void set_signal(const element *e, uint32_t field, float value)
{
    const synth_layout *layout = &e->b->program->layout;
    uint32_t word = layout->signals + synth_signal(layout, e->type, field, e->index);
    e->b->program->image[word] = e->b->program->image[word + layout->signal_count] =
        hed_as_uint(value);
}

static void set_direction(const element *e, uint32_t field, const float direction[3], double sign)
{
    double x = direction[0], y = direction[1], z = direction[2],
           length = sqrt(x * x + y * y + z * z);
    double factor = length > 0 ? sign / length : 0.0;
    set(e, field, x * factor);
    set(e, field + 1, y * factor);
    set(e, field + 2, z * factor);
}

/* Returns the fraction of the remaining distance that a smoothed value covers in one sample. */
static const double VOLUME_TIME = 0.005; /* s in which microphones follow the volume */

static double smoothing(const synth_builder *b, double seconds)
{
    return seconds > 0 ? 1.0 - hed_strict_exp(-b->step / seconds) : 1.0;
}

static double per_sample(const synth_builder *b, double way, double seconds)
{
    return seconds > 0 ? way * b->step / seconds : 1.0;
}

static void set_envelope(const element *e, uint32_t field, const hed_synth_adsr *adsr)
{
    set(e, field + ADSR_P_ATTACK, per_sample(e->b, 1.0, adsr->attack));
    set(e, field + ADSR_P_DECAY, per_sample(e->b, 1.0 - adsr->sustain, adsr->decay));
    set(e, field + ADSR_P_SUSTAIN, adsr->sustain);
    set(e, field + ADSR_P_RELEASE, per_sample(e->b, 1.0, adsr->release));
}

static synth_target *add_target(const element *e, synth_follow follow, uint32_t field)
{
    synth_target *target = &e->b->program->targets[e->b->program->target_count++];
    target->follow = follow;
    target->word = e->layout->parameter + field * e->layout->count + e->index;
    return target;
}

/* ---- the network ---- */

static void fill_body(const element *e, const synth_contact *contact, const hed_synth_body_def *def)
{
    const synth_program *program = e->b->program;
    double step = e->b->step;
    double factor = synth_body_factor(
        e->b->instrument, program->entities[SYNTH_BODY][e->index], e->b->def->rate);
    program->factors[e->index] = (float)factor;
    set(e, BODY_P_WEIGHT, def->anchored ? 0.0 : step * step / def->mass * factor);
    set(e, BODY_P_RATE, 2.0 * def->damping * step);
    for (uint32_t k = 0; k < 3; k++) set(e, BODY_P_X + k, def->position[k]);
}

double synth_spring_excess(const float vector[3], float rest_length, double rest)
{
    double square = (double)vector[0] * vector[0] + (double)vector[1] * vector[1] +
                    (double)vector[2] * vector[2];
    /* a rest length relative to the distance causes no cancellation */
    double excess =
        rest_length < 0 ? square * (1.0 - (double)rest_length * rest_length) : square - rest * rest;
    return (float)excess == 0.0f ? SYNTH_SLACK : excess;
}

static void fill_spring(
    const element *e, const synth_contact *contact, const hed_synth_spring_def *def)
{
    const hed_synth_instrument *in = e->b->instrument;
    const float *from = in->bodies[synth_find(in, def->from)->index].position,
                *to = in->bodies[synth_find(in, def->to)->index].position;
    float vector[3];
    for (uint32_t k = 0; k < 3; k++) set(e, SPRING_P_X + k, vector[k] = to[k] - from[k]);
    float rest = synth_rest_length(in, def);
    double fields[SPRING_SIGNALS] = {rest, synth_spring_excess(vector, def->rest_length, rest),
        def->stiffness, def->damping / e->b->step};
    static const uint8_t parameters[SPRING_SIGNALS] = {
        SPRING_P_REST, SPRING_P_EXCESS, SPRING_P_STIFFNESS, SPRING_P_DAMPING};
    for (uint32_t k = 0; k < SPRING_SIGNALS; k++) {
        set(e, parameters[k], fields[k]);
        if (e->index < e->layout->modulated) set_signal(e, k, (float)fields[k]);
    }
    set(e, SPRING_P_CUBIC, def->cubic);
    bool damped = def->damping != 0 ||
                  e->b->marks[e->b->program->entities[SYNTH_SPRING][e->index]] & SYNTH_MARK_DAMPED;
    e->b->program->layout.flags |=
        (damped ? SYNTH_HAS_DAMPING : 0) | (def->cubic != 0 ? SYNTH_HAS_CUBIC : 0);
}

static void fill_microphone(
    const element *e, const synth_contact *contact, const hed_synth_microphone_def *def)
{
    synth_builder *b = e->b;
    for (uint32_t k = 0; k < 3; k++) set(e, MICROPHONE_P_X + k, def->position[k]);
    set_direction(e, MICROPHONE_P_NX, def->direction, 1.0);
    set(e, MICROPHONE_P_DIRECTIONALITY, def->directionality);
    set(e, MICROPHONE_P_ISOTROPY, def->isotropy);
    set(e, MICROPHONE_P_GAIN, synth_level(def->gain) / b->step);
    set(e, MICROPHONE_P_PAN, def->pan);
    set(e, MICROPHONE_P_THRESHOLD, synth_level(def->threshold));
    set(e, MICROPHONE_P_SLOPE, 1.0 / def->ratio - 1.0);
    set(e, MICROPHONE_P_ATTACK, smoothing(b, def->attack));
    set(e, MICROPHONE_P_RELEASE, smoothing(b, def->release));
    set(e, MICROPHONE_P_MAKEUP, synth_level(def->makeup));
    set(e, MICROPHONE_P_FOLLOW, smoothing(b, VOLUME_TIME));
    values_set_state(e, MICROPHONE_S_VOLUME, hed_as_uint(1.0f));
    set_uint(e, MICROPHONE_P_STEM, SYNTH_NO_STEM); /* fill_stems() numbers the audible ones */
    set_uint(e, MICROPHONE_P_FIRST_EAR, b->first_ear[e->index]);
    set_uint(e, MICROPHONE_P_EARS, b->first_ear[e->index + 1] - b->first_ear[e->index]);
    for (uint32_t ear = b->first_ear[e->index]; ear < b->first_ear[e->index + 1]; ear++)
        set_uint(&(element){b, &b->program->layout.type[SYNTH_EAR], SYNTH_EAR, ear},
            EAR_P_MICROPHONE, e->index);
}

/* Numbers stems in the order of the instrument. */
static void fill_stems(synth_builder *b)
{
    synth_program *program = b->program;
    const hed_synth_instrument *in = b->instrument;
    for (uint32_t i = 0; i < in->counts[HED_SYNTH_MICROPHONE]; i++) {
        if (!in->microphones[i].heard) continue;
        uint32_t at = b->element[in->ids[HED_SYNTH_MICROPHONE][i]];
        program->image[synth_parameter_word(
            &program->layout, SYNTH_MICROPHONE, MICROPHONE_P_STEM, at)] = program->layout.stems;
        program->stems[program->layout.stems++] = in->ids[HED_SYNTH_MICROPHONE][i];
    }
}

/* ---- exciters: one element for each contact ---- */

static void fill_contact(const element *e, const synth_contact *contact, const float direction[3],
    double weight, double sensitivity)
{
    const synth_program *program = e->b->program;
    set_uint(e, CONTACT_P_BODY, contact->body);
    set_uint(e, CONTACT_P_GATE,
        synth_gate_word(program, *synth_route_of(e->b->instrument, e->type, contact->exciter)));
    set_direction(e, CONTACT_P_NX, direction, 1.0);
    set(e, CONTACT_P_WEIGHT, weight);
    set(e, CONTACT_P_SENSITIVITY, sensitivity);
    set_uint(e, CONTACT_P_NUMBER, program->entities[e->type][e->index]);
}

/* Fills in a contact of a mallet: a hammer whose mass is its fraction of the weights; a negative
 * weight strikes from the opposite side. */
static void fill_mallet(
    const element *e, const synth_contact *contact, const hed_synth_mallet_def *def)
{
    const synth_program *program = e->b->program;
    const synth_contact *contacts = e->b->contacts[SYNTH_MALLET];
    double sum = 0.0, step = e->b->step;
    hed_synth_entity entity = program->entities[SYNTH_MALLET][e->index];
    uint32_t first = SYNTH_SEAT_ENTITY(program->seats[entity]);
    for (uint32_t i = first; i < e->layout->count && program->entities[SYNTH_MALLET][i] == entity;
         i++)
        sum += fabs(contacts[i].weight);
    double mass =
        sum > 0 && contact->weight != 0 ? def->mass * fabs(contact->weight) / sum : def->mass;
    fill_contact(
        e, contact, def->direction, contact->weight != 0 ? 1.0 : 0.0, def->velocity_sensitivity);
    set_direction(e, CONTACT_P_NX, def->direction, contact->weight < 0 ? -1.0 : 1.0);
    double weight = step * step / mass;
    const synth_type_layout *bodies = &program->layout.type[SYNTH_BODY];
    double body = hed_as_float(
        program->image[bodies->parameter + BODY_P_WEIGHT * bodies->count + contact->body]);
    double lighter = weight > body ? weight : body;
    set(e, MALLET_P_WEIGHT, weight);
    set(e, MALLET_P_SPEED, step * def->impulse / def->mass);
    set(e, MALLET_P_SOFT, def->hardness_soft);
    set(e, MALLET_P_HARD, def->hardness_hard);
    set(e, MALLET_P_EXPONENT, def->exponent);
    set(e, MALLET_P_HYSTERESIS, def->hysteresis);
    set(e, MALLET_P_RELAXATION, smoothing(e->b, def->relaxation));
    set(e, MALLET_P_NOISE, def->noise);
    /* compression c with p Q c^(p-1) h^2/m = 1/4; a linear felt has no such bound */
    double bound = 0.25 / (def->exponent * def->hardness_hard * lighter);
    double limit = def->exponent > 1.001 ? hed_strict_pow(bound, 1.0 / (def->exponent - 1.0)) : 1e6;
    set(e, MALLET_P_LIMIT, limit < 1e6 ? limit : 1e6);
}

static void fill_plectrum(
    const element *e, const synth_contact *contact, const hed_synth_plectrum_def *def)
{
    fill_contact(e, contact, def->direction, contact->weight, def->velocity_sensitivity);
    set(e, PLECTRUM_P_DISTANCE, def->distance);
    set(e, PLECTRUM_P_DURATION, def->duration / e->b->step);
    values_set_state(e, PLECTRUM_S_TIME, hed_as_uint(-1.0f));
}

static void fill_bow(const element *e, const synth_contact *contact, const hed_synth_bow_def *def)
{
    fill_contact(e, contact, def->direction, contact->weight, def->velocity_sensitivity);
    set_envelope(e, BOW_P_ENVELOPE, &def->envelope);
    set(e, BOW_P_FORCE, def->force);
    set(e, BOW_P_SPEED, def->draw_velocity * e->b->step);
    set(e, BOW_P_STICTION, def->stiction);
    set(e, BOW_P_SLIDING, def->sliding);
    set(e, BOW_P_DROPOFF, def->dropoff * e->b->step);
}

static void fill_damper(
    const element *e, const synth_contact *contact, const hed_synth_damper_def *def)
{
    fill_contact(e, contact, def->direction, fabs((double)contact->weight), 0.0);
    set_envelope(e, DAMPER_P_ENVELOPE, &def->envelope);
    set(e, DAMPER_P_RESISTANCE, def->resistance / e->b->step);
}

static void fill_oscillator(
    const element *e, const synth_contact *contact, const hed_synth_oscillator_def *def)
{
    fill_contact(e, contact, def->direction, contact->weight, def->velocity_sensitivity);
    set_envelope(e, OSCILLATOR_P_ENVELOPE, &def->envelope);
    set(e, OSCILLATOR_P_FREQUENCY, def->frequency);
    if (def->follows_note) {
        synth_target *target = add_target(e, SYNTH_FOLLOW_NOTE, OSCILLATOR_P_FREQUENCY);
        target->route = def->route;
        target->factor =
            (float)hed_strict_exp2(def->octave + def->semitone / 12.0 + def->detune / 1200.0);
        double note = e->b->instrument->def.root_note; /* until the first note */
        set(e, OSCILLATOR_P_FREQUENCY,
            440.0 * hed_strict_exp2((note - 69.0) / 12.0) * target->factor);
    }
    set_uint(e, OSCILLATOR_P_WAVE, def->wave);
    set(e, OSCILLATOR_P_PULSE, def->pulse_width);
    set(e, OSCILLATOR_P_GAIN, def->gain);
}

static void fill_audio_input(
    const element *e, const synth_contact *contact, const hed_synth_audio_input_def *def)
{
    const synth_layout *layout = &e->b->program->layout;
    fill_contact(e, contact, def->direction, contact->weight, 0.0);
    set_envelope(e, AUDIO_P_ENVELOPE, &def->envelope);
    set_uint(e, AUDIO_P_GATED, def->gated);
    uint32_t source = def->channel < e->b->def->inputs ? def->channel : SYNTH_AUDIO_SILENT;
    if (contact->delay)
        source = SYNTH_AUDIO_SIGNAL | synth_signal(layout, SYNTH_DELAY_LINE, MODULATOR_O_SIGNAL,
                                          e->b->element[contact->delay]);
    set_uint(e, AUDIO_P_SOURCE, source);
    set(e, AUDIO_P_GAIN, def->gain);
}

/* ---- modulators and delay lines ---- */

static void fill_lfo(const element *e, const synth_contact *contact, const hed_synth_lfo_def *def)
{
    const hed_synth_instrument *in = e->b->instrument;
    set_uint(e, LFO_P_GATE, synth_gate_word(e->b->program, def->route));
    set(e, LFO_P_FREQUENCY, def->frequency);
    if (def->division > 0) {
        synth_target *target = add_target(e, SYNTH_FOLLOW_TEMPO, LFO_P_FREQUENCY);
        target->route = def->route;
        target->factor = def->division;
        set(e, LFO_P_FREQUENCY, in->def.tempo / 60.0 / def->division);
    }
    uint32_t phase = (uint32_t)(int64_t)(def->phase * 4294967296.0);
    set_uint(e, LFO_P_WAVE, def->wave);
    set(e, LFO_P_PULSE, def->pulse_width);
    set_uint(e, LFO_P_PHASE, phase);
    set_uint(e, LFO_P_FLAGS, (def->retrigger ? 1u : 0u) | (def->dilated ? 2u : 0u));
    set(e, LFO_P_DEPTH, def->depth);
    set_uint(e, LFO_P_NUMBER, e->b->program->entities[SYNTH_LFO][e->index]);
    values_set_state(e, LFO_S_PHASE, phase);
}

static void fill_envelope(
    const element *e, const synth_contact *contact, const hed_synth_envelope_def *def)
{
    set_uint(e, ENVELOPE_P_GATE, synth_gate_word(e->b->program, def->route));
    set_envelope(e, ENVELOPE_P_ENVELOPE, &def->envelope);
    set(e, ENVELOPE_P_SENSITIVITY, def->velocity_sensitivity);
    set(e, ENVELOPE_P_DEPTH, def->depth);
}

static uint32_t microphone_signal(const synth_builder *b, hed_synth_entity source)
{
    return synth_signal(
        &b->program->layout, SYNTH_MICROPHONE, MICROPHONE_O_SIGNAL, b->element[source]);
}

static void fill_follower(
    const element *e, const synth_contact *contact, const hed_synth_follower_def *def)
{
    set_uint(e, FOLLOWER_P_SOURCE, microphone_signal(e->b, def->source));
    set(e, FOLLOWER_P_ATTACK, smoothing(e->b, def->attack));
    set(e, FOLLOWER_P_RELEASE, smoothing(e->b, def->release));
    set(e, FOLLOWER_P_DEPTH, def->depth);
}

/* Fills in a MIDI source, which starts at its initial value without smoothing. */
static void fill_midi_source(
    const element *e, const synth_contact *contact, const hed_synth_midi_source_def *def)
{
    synth_target *target = add_target(e, SYNTH_FOLLOW_MIDI, MIDI_P_VALUE);
    target->kind = def->kind;
    target->number = def->number;
    target->route = def->route;
    target->centre = def->centre;
    set(e, MIDI_P_VALUE, def->initial);
    set(e, MIDI_P_SMOOTHING, def->smoothing);
    set(e, MIDI_P_DEPTH, def->depth);
    values_set_state(e, MIDI_S_LEVEL, hed_as_uint(def->initial));
    set_signal(e, MODULATOR_O_SIGNAL, def->initial * def->depth);
}

/* Fills in a delay line. Its ring has space for SYNTH_LONGEST_DELAY, since modulation and
 * automation may request it. */
static void fill_delay_line(
    const element *e, const synth_contact *contact, const hed_synth_delay_line_def *def)
{
    synth_layout *layout = &e->b->program->layout;
    uint32_t ring = 1;
    while (ring < SYNTH_LONGEST_DELAY / e->b->step + 4) ring *= 2;
    set_uint(e, DELAY_P_SOURCE, microphone_signal(e->b, def->source));
    set(e, DELAY_P_SECONDS, def->seconds);
    set(e, DELAY_P_GAIN, synth_level(def->gain));
    set_uint(e, DELAY_P_BUFFER, layout->delay_words);
    set_uint(e, DELAY_P_MASK, ring - 1);
    layout->delay_words += ring;
}

/* ---- all of it ---- */

const hed_synth_route *synth_route_of(const hed_synth_instrument *in, uint32_t type, uint32_t index)
{
    const hed_field *route = hed_fields_find(&synth_fields[type], "route");
    return (const void *)((const char *)synth_element(in, type, index) + route->offset);
}

#define FILL_CASE(TYPE, name, plural, ...) \
    case SYNTH_##TYPE: fill_##name(e, contact, &in->plural[index]); break;

static void fill_element(const element *e)
{
    const hed_synth_instrument *in = e->b->instrument;
    const synth_contact *contact =
        synth_is_contact(e->type) ? &e->b->contacts[e->type][e->index] : NULL;
    uint32_t index = contact ? contact->exciter : e->b->order[e->type][e->index];
    switch (e->type) {
        SYNTH_ENTITIES(FILL_CASE)
    default: break;
    }
}

void synth_fill_values(synth_builder *b)
{
    const synth_layout *layout = &b->program->layout;
    b->program->image[SYNTH_DILATION] = b->program->image[SYNTH_VOLUME] = hed_as_uint(1.0f);
    for (uint32_t type = 0; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++)
        for (uint32_t i = 0; i < layout->type[type].count; i++)
            fill_element(&(element){b, &layout->type[type], type, i});
    fill_stems(b);
}

/* Lists of the store (layout.h): springs and forces of bodies, bodies of ears, modulations. All
 * entries are enumerated twice: to count them, and to write them. */

/* Adds an entry to the list of an entity. The words after the list's own word are, for each
 * entity, the word of its entry 0 and its number of entries. */
static void emit(synth_builder *b, uint32_t list_index, uint32_t entity, const uint32_t *words)
{
    synth_list_plan *list = &b->lists[list_index];
    if (!b->appending) {
        list->counts[entity]++;
        return;
    }
    uint32_t *store = b->program->image;
    uint32_t first = store[list->word + entity],
             *count = &store[list->word + list->entities + entity];
    for (uint32_t k = 0; k < list->words; k++)
        store[first + (*count * list->words + k) * SYNTH_STRIDE(list->entities)] = words[k];
    ++*count;
}

/* Lists springs at their free ends: both ends compute the force, an anchored end needs none. */
static void list_springs(synth_builder *b)
{
    const hed_synth_instrument *in = b->instrument;
    for (uint32_t i = 0; i < b->ordered[HED_SYNTH_SPRING]; i++) {
        const hed_synth_spring_def *spring = &in->springs[b->order[HED_SYNTH_SPRING][i]];
        uint32_t from = b->element[spring->from], to = b->element[spring->to];
        if (!in->bodies[b->order[HED_SYNTH_BODY][from]].anchored)
            emit(b, SYNTH_LIST_SPRINGS, from, (uint32_t[]){to, i});
        if (!in->bodies[b->order[HED_SYNTH_BODY][to]].anchored)
            emit(b, SYNTH_LIST_SPRINGS, to, (uint32_t[]){from, i | SYNTH_SPRING_REVERSED});
    }
}

static void list_ears(synth_builder *b)
{
    const hed_synth_instrument *in = b->instrument;
    for (uint32_t i = 0; i < b->ordered[HED_SYNTH_MICROPHONE]; i++) {
        hed_synth_entity entity = in->ids[HED_SYNTH_MICROPHONE][b->order[HED_SYNTH_MICROPHONE][i]];
        uint32_t begin = b->link_begin[entity], end = b->link_begin[entity + 1];
        for (uint32_t k = begin; k < end; k++) {
            const synth_link *link = &in->links[b->link_order[k]];
            emit(b, SYNTH_LIST_EARS, b->first_ear[i] + (k - begin) / SYNTH_EAR_BODIES,
                (uint32_t[]){b->element[link->to], hed_as_uint(link->weight)});
        }
    }
}

/* Lists modulations; every contact of an exciter has all modulations of the exciter. */
static void list_modulations(synth_builder *b)
{
    const synth_program *program = b->program;
    const hed_synth_instrument *in = b->instrument;
    for (uint32_t i = 0; i < in->modulation_count; i++) {
        const hed_synth_modulation_def *m = &in->modulations[i];
        uint32_t seat = program->seats[m->entity], source = program->seats[m->source];
        if (seat == SYNTH_EMPTY) continue; /* not in the program, or an exciter without a body */
        uint32_t type = SYNTH_SEAT_TYPE(seat), count = program->layout.type[type].count;
        uint32_t words[SYNTH_LINK_WORDS] = {synth_signal(&program->layout, SYNTH_SEAT_TYPE(source),
                                                MODULATOR_O_SIGNAL, SYNTH_SEAT_ENTITY(source)),
            hed_as_uint(m->depth), SYNTH_LINK(m->target, m->mode, m->invert)};
        for (uint32_t e = SYNTH_SEAT_ENTITY(seat);
             e < count && program->entities[type][e] == m->entity; e++)
            emit(b, SYNTH_LIST_LINKS + type, e, words);
    }
}

static void list_all(synth_builder *b)
{
    list_springs(b);
    const synth_layout *layout = &b->program->layout;
    for (uint32_t type = SYNTH_FIRST_CONTACT; type <= SYNTH_LAST_CONTACT; type++)
        for (uint32_t i = 0; i < layout->type[type].count; i++)
            emit(b, SYNTH_LIST_FORCES, b->contacts[type][i].body,
                (uint32_t[]){
                    synth_signal(layout, type, CONTACT_O_NX, i), layout->type[type].count});
    list_ears(b);
    list_modulations(b);
}

/* Writes the first word of each entity's entries, from `word` on, to `first` unless it is NULL;
 * returns the list's number of words. */
static uint64_t place_list(const synth_list_plan *list, uint64_t word, uint32_t *first)
{
    uint64_t at = word + 2 * (uint64_t)list->entities;
    uint32_t stride = SYNTH_STRIDE(list->entities);
    for (uint32_t slice = 0; slice < list->entities; slice += SYNTH_SLICE) {
        uint32_t longest = 0;
        for (uint32_t i = slice; i < list->entities && i < slice + SYNTH_SLICE; i++) {
            if (first) first[i] = (uint32_t)at + i - slice;
            if (list->counts[i] > longest) longest = list->counts[i];
        }
        at += (uint64_t)longest * list->words * stride;
    }
    return at - word;
}

hed_status synth_count_lists(synth_builder *b, uint64_t *words, hed_error *error)
{
    const synth_layout *layout = &b->program->layout;
    b->lists[SYNTH_LIST_SPRINGS] =
        (synth_list_plan){NULL, layout->type[SYNTH_BODY].count, SYNTH_SPRING_WORDS, 0};
    b->lists[SYNTH_LIST_FORCES] =
        (synth_list_plan){NULL, layout->type[SYNTH_BODY].count, SYNTH_FORCE_WORDS, 0};
    b->lists[SYNTH_LIST_EARS] =
        (synth_list_plan){NULL, layout->type[SYNTH_EAR].count, SYNTH_EAR_WORDS, 0};
    for (uint32_t type = 0; type < SYNTH_TYPES; type++)
        b->lists[SYNTH_LIST_LINKS + type] =
            (synth_list_plan){NULL, layout->type[type].modulated, SYNTH_LINK_WORDS, 0};
    for (uint32_t i = 0; i < SYNTH_LISTS; i++) {
        b->lists[i].counts =
            hed_arena_new(&b->arena, b->lists[i].entities, sizeof(uint32_t), error);
        if (!b->lists[i].counts) return HED_ERROR_MEMORY;
    }
    list_all(b);
    *words = 0;
    for (uint32_t i = 0; i < SYNTH_LISTS; i++) *words += place_list(&b->lists[i], 0, NULL);
    return HED_OK;
}

void synth_fill_lists(synth_builder *b, uint32_t word)
{
    synth_layout *layout = &b->program->layout;
    for (uint32_t i = 0; i < SYNTH_LISTS; i++) {
        b->lists[i].word = word;
        word += (uint32_t)place_list(&b->lists[i], word, b->program->image + word);
    }
    layout->type[SYNTH_BODY].list = b->lists[SYNTH_LIST_SPRINGS].word;
    layout->type[SYNTH_BODY].forces = b->lists[SYNTH_LIST_FORCES].word;
    layout->type[SYNTH_EAR].list = b->lists[SYNTH_LIST_EARS].word;
    for (uint32_t type = 0; type < SYNTH_TYPES; type++)
        layout->type[type].links = b->lists[SYNTH_LIST_LINKS + type].word;
    b->appending = true;
    list_all(b);
}
