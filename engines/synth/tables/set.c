/* Changes of a sounding program: words of a parameter, and state that a store takes over from a
 * store of another program. */
#include "kernels/physics_store.h"
#include "tables/synth_parts.h"
#include "support/strict_math.h"

/* ---- setting a parameter ---- */

typedef enum conversion {
    AS_IS,
    DECIBEL,      /* dB to a factor */
    DECIBEL_RATE, /* dB to a factor of h v */
    PER_SAMPLE,   /* times h */
    SAMPLES,      /* divided by h */
    DAMPING_RATE, /* 2 h x */
    DAMPER,       /* c/h; ignored in a program without dampers */
    MASS,         /* h^2/m; ignored for an anchored body */
    PLACE,        /* displacement of an anchored body */
    REST_LENGTH,  /* sets the excess, too */
    IMPULSE,      /* h x / (mass of all hammers of the mallet) */
    HARDNESS,     /* hardness of a hard stroke; a soft one in proportion */
    ROTATION      /* angle from the initial direction */
} conversion;

/* Field and conversion of each parameter. */
static const struct {
    uint8_t type, target, field, conversion;
} places[] = {
    {SYNTH_BODY, HED_SYNTH_TARGET_MASS, BODY_P_WEIGHT, MASS},
    {SYNTH_BODY, HED_SYNTH_TARGET_DAMPING, BODY_P_RATE, DAMPING_RATE},
    {SYNTH_BODY, HED_SYNTH_TARGET_POSITION_X, 0, PLACE},
    {SYNTH_BODY, HED_SYNTH_TARGET_POSITION_Y, 1, PLACE},
    {SYNTH_BODY, HED_SYNTH_TARGET_POSITION_Z, 2, PLACE},
    {SYNTH_SPRING, HED_SYNTH_TARGET_STIFFNESS, SPRING_P_STIFFNESS, AS_IS},
    {SYNTH_SPRING, HED_SYNTH_TARGET_REST_LENGTH, SPRING_P_REST, REST_LENGTH},
    {SYNTH_SPRING, HED_SYNTH_TARGET_DAMPING, SPRING_P_DAMPING, DAMPER},
    {SYNTH_MICROPHONE, HED_SYNTH_TARGET_POSITION_X, MICROPHONE_P_X, AS_IS},
    {SYNTH_MICROPHONE, HED_SYNTH_TARGET_POSITION_Y, MICROPHONE_P_Y, AS_IS},
    {SYNTH_MICROPHONE, HED_SYNTH_TARGET_POSITION_Z, MICROPHONE_P_Z, AS_IS},
    {SYNTH_MICROPHONE, HED_SYNTH_TARGET_GAIN, MICROPHONE_P_GAIN, DECIBEL_RATE},
    {SYNTH_MICROPHONE, HED_SYNTH_TARGET_PAN, MICROPHONE_P_PAN, AS_IS},
    {SYNTH_MICROPHONE, HED_SYNTH_TARGET_DIRECTIONALITY, MICROPHONE_P_DIRECTIONALITY, AS_IS},
    {SYNTH_MICROPHONE, HED_SYNTH_TARGET_ISOTROPY, MICROPHONE_P_ISOTROPY, AS_IS},
    {SYNTH_MICROPHONE, HED_SYNTH_TARGET_ROTATION, MICROPHONE_P_NX, ROTATION},
    {SYNTH_MALLET, HED_SYNTH_TARGET_IMPULSE, MALLET_P_SPEED, IMPULSE},
    {SYNTH_MALLET, HED_SYNTH_TARGET_HARDNESS, MALLET_P_HARD, HARDNESS},
    {SYNTH_MALLET, HED_SYNTH_TARGET_NOISE, MALLET_P_NOISE, AS_IS},
    {SYNTH_MALLET, HED_SYNTH_TARGET_ROTATION, CONTACT_P_NX, ROTATION},
    {SYNTH_PLECTRUM, HED_SYNTH_TARGET_DISTANCE, PLECTRUM_P_DISTANCE, AS_IS},
    {SYNTH_PLECTRUM, HED_SYNTH_TARGET_DURATION, PLECTRUM_P_DURATION, SAMPLES},
    {SYNTH_PLECTRUM, HED_SYNTH_TARGET_ROTATION, CONTACT_P_NX, ROTATION},
    {SYNTH_BOW, HED_SYNTH_TARGET_DRAW_VELOCITY, BOW_P_SPEED, PER_SAMPLE},
    {SYNTH_BOW, HED_SYNTH_TARGET_ROSIN_STICTION, BOW_P_STICTION, AS_IS},
    {SYNTH_BOW, HED_SYNTH_TARGET_ROSIN_DROPOFF, BOW_P_DROPOFF, PER_SAMPLE},
    {SYNTH_BOW, HED_SYNTH_TARGET_ROTATION, CONTACT_P_NX, ROTATION},
    {SYNTH_OSCILLATOR, HED_SYNTH_TARGET_FREQUENCY, OSCILLATOR_P_FREQUENCY, AS_IS},
    {SYNTH_OSCILLATOR, HED_SYNTH_TARGET_PULSE_WIDTH, OSCILLATOR_P_PULSE, AS_IS},
    {SYNTH_OSCILLATOR, HED_SYNTH_TARGET_GAIN, OSCILLATOR_P_GAIN, AS_IS},
    {SYNTH_OSCILLATOR, HED_SYNTH_TARGET_ROTATION, CONTACT_P_NX, ROTATION},
    {SYNTH_AUDIO_INPUT, HED_SYNTH_TARGET_GAIN, AUDIO_P_GAIN, AS_IS},
    {SYNTH_AUDIO_INPUT, HED_SYNTH_TARGET_ROTATION, CONTACT_P_NX, ROTATION},
    {SYNTH_LFO, HED_SYNTH_TARGET_DEPTH, LFO_P_DEPTH, AS_IS},
    {SYNTH_LFO, HED_SYNTH_TARGET_FREQUENCY, LFO_P_FREQUENCY, AS_IS},
    {SYNTH_LFO, HED_SYNTH_TARGET_SYNC_FREQUENCY, LFO_P_FREQUENCY, AS_IS},
    {SYNTH_LFO, HED_SYNTH_TARGET_PULSE_WIDTH, LFO_P_PULSE, AS_IS},
    {SYNTH_ENVELOPE, HED_SYNTH_TARGET_DEPTH, ENVELOPE_P_DEPTH, AS_IS},
    {SYNTH_FOLLOWER, HED_SYNTH_TARGET_DEPTH, FOLLOWER_P_DEPTH, AS_IS},
    {SYNTH_MIDI_SOURCE, HED_SYNTH_TARGET_DEPTH, MIDI_P_DEPTH, AS_IS},
    {SYNTH_MIDI_SOURCE, HED_SYNTH_TARGET_SMOOTHING, MIDI_P_SMOOTHING, AS_IS},
    {SYNTH_DELAY_LINE, HED_SYNTH_TARGET_GAIN, DELAY_P_GAIN, DECIBEL},
    {SYNTH_DELAY_LINE, HED_SYNTH_TARGET_DELAY, DELAY_P_SECONDS, AS_IS},
};

/* Pokes under collection. */
typedef struct collection {
    const synth_program *program;
    synth_poke *pokes;
    uint32_t capacity, count;
} collection;

static void collect(collection *c, uint32_t word, double value)
{
    if (c->count < c->capacity)
        c->pokes[c->count] = (synth_poke){0, word, hed_as_uint((float)value)};
    c->count++;
}

static double at_rest(const synth_program *p, uint32_t type, uint32_t field, uint32_t element)
{
    return hed_as_float(p->image[synth_parameter_word(&p->layout, type, field, element)]);
}

static void collect_rest_length(collection *c, uint32_t element, float value)
{
    const synth_program *p = c->program;
    float vector[3];
    double square = 0.0;
    for (uint32_t k = 0; k < 3; k++) {
        vector[k] = (float)at_rest(p, SYNTH_SPRING, SPRING_P_X + k, element);
        square += (double)vector[k] * vector[k];
    }
    float rest = value < 0 ? (float)(sqrt(square) * -(double)value) : value;
    collect(c, synth_parameter_word(&p->layout, SYNTH_SPRING, SPRING_P_REST, element), rest);
    collect(c, synth_parameter_word(&p->layout, SYNTH_SPRING, SPRING_P_EXCESS, element),
        synth_spring_excess(vector, value, rest));
}

/* Sets the position of an anchored body: its displacement in both halves, since the body copies
 * it from half to half. The position of a modulated body is set by the modulation. */
static void collect_place(collection *c, uint32_t axis, uint32_t element, double value)
{
    const synth_layout *layout = &c->program->layout;
    synth_at image = {.store = c->program->image};
    if (at_rest(c->program, SYNTH_BODY, BODY_P_WEIGHT, element) != 0.0 ||
        synth_links_of(layout, &image, SYNTH_BODY, element).length > 0)
        return;
    uint32_t word = layout->signals + synth_signal(layout, SYNTH_BODY, BODY_O_X + axis, element);
    value -= at_rest(c->program, SYNTH_BODY, BODY_P_X + axis, element);
    collect(c, word, value);
    collect(c, word + layout->signal_count, value);
}

static void collect_element(
    collection *c, uint32_t place, uint32_t element, uint32_t first, float value)
{
    const synth_program *p = c->program;
    uint32_t type = places[place].type, field = places[place].field,
             word = synth_parameter_word(&p->layout, type, field, element);
    double step = p->step;
    switch (places[place].conversion) {
    case AS_IS: collect(c, word, value); break;
    case DECIBEL: collect(c, word, synth_level(value)); break;
    case DECIBEL_RATE: collect(c, word, synth_level(value) / step); break;
    case PER_SAMPLE: collect(c, word, value * step); break;
    case SAMPLES: collect(c, word, value / step); break;
    case DAMPING_RATE: collect(c, word, 2.0 * value * step); break;
    case DAMPER:
        if (p->layout.flags & SYNTH_HAS_DAMPING) collect(c, word, value / step);
        break;
    case MASS:
        if (at_rest(p, type, field, element) != 0.0)
            collect(c, word, step * step / value * p->factors[element]);
        break;
    case PLACE: collect_place(c, field, element, value); break;
    case REST_LENGTH: collect_rest_length(c, element, value); break;
    case IMPULSE: {
        /* mass of all hammers of the mallet whose first contact is `first` */
        double mass = 0.0;
        hed_synth_entity entity = p->entities[SYNTH_MALLET][first];
        for (uint32_t i = first;
             i < p->layout.type[SYNTH_MALLET].count && p->entities[SYNTH_MALLET][i] == entity; i++)
            mass += step * step / at_rest(p, SYNTH_MALLET, MALLET_P_WEIGHT, i);
        collect(c, word, step * value / mass);
        break;
    }
    case HARDNESS: {
        double soft = at_rest(p, type, MALLET_P_SOFT, element),
               hard = at_rest(p, type, field, element);
        collect(c, word, value);
        collect(c, synth_parameter_word(&p->layout, type, MALLET_P_SOFT, element),
            value * (soft / hard));
        break;
    }
    case ROTATION: {
        double x = at_rest(p, type, field, element), z = at_rest(p, type, field + 2, element);
        collect(c, word, x * hed_strict_cos(value) + z * hed_strict_sin(value));
        collect(c, synth_parameter_word(&p->layout, type, field + 2, element),
            z * hed_strict_cos(value) - x * hed_strict_sin(value));
        break;
    }
    default: break;
    }
}

synth_range synth_program_range(
    const synth_program *program, hed_synth_entity entity, hed_synth_target target)
{
    uint32_t seat = entity <= program->entity_count ? program->seats[entity] : SYNTH_EMPTY;
    hed_synth_entity_type type = (hed_synth_entity_type)SYNTH_SEAT_TYPE(seat);
    return seat != SYNTH_EMPTY && hed_synth_target_of(type, target)
               ? synth_target_range(type, target)
               : (synth_range){-INFINITY, INFINITY};
}

uint32_t synth_program_set(const synth_program *program, hed_synth_entity entity,
    hed_synth_target target, float value, synth_poke *pokes, uint32_t capacity)
{
    if (entity > program->entity_count || program->seats[entity] == SYNTH_EMPTY) return 0;
    uint32_t type = SYNTH_SEAT_TYPE(program->seats[entity]),
             first = SYNTH_SEAT_ENTITY(program->seats[entity]), place = 0;
    uint32_t count = sizeof places / sizeof *places;
    while (place < count && (places[place].type != type || places[place].target != target)) place++;
    if (place == count) return 0;
    if (type == SYNTH_BODY && program->remote) return 0; /* the grid stores the bodies */
    collection c = {program, pokes, capacity, 0};
    for (uint32_t i = first;
         i < program->layout.type[type].count && program->entities[type][i] == entity; i++)
        collect_element(&c, place, i, first, value);
    return c.count;
}

/* ---- carrying a store over ---- */

/* Two stores and their programs. */
typedef struct transfer {
    const synth_program *from, *to;
    const uint32_t *old;
    uint32_t *store;
} transfer;

/* Returns the element of `from` that corresponds to element `i` of `to`, or SYNTH_EMPTY.
 * Contacts correspond if exciter and body are the same. */
static uint32_t counterpart(const transfer *t, uint32_t type, uint32_t i)
{
    const synth_program *from = t->from, *to = t->to;
    hed_synth_entity entity = to->entities[type][i];
    if (entity > from->entity_count || from->seats[entity] == SYNTH_EMPTY ||
        SYNTH_SEAT_TYPE(from->seats[entity]) != type)
        return SYNTH_EMPTY;
    uint32_t at = SYNTH_SEAT_ENTITY(from->seats[entity]);
    if (!synth_is_contact(type)) return at;
    hed_synth_entity body = to->entities[SYNTH_BODY][to->contact_body[type][i]];
    for (; at < from->layout.type[type].count && from->entities[type][at] == entity; at++)
        if (from->entities[SYNTH_BODY][from->contact_body[type][at]] == body) return at;
    return SYNTH_EMPTY;
}

static void carry_gates(const transfer *t)
{
    for (uint32_t i = 0; i < t->to->layout.gates; i++) {
        const synth_gate *gate = &t->to->gates[i];
        for (uint32_t k = 0; k < t->from->layout.gates; k++)
            if (synth_is_same_route(gate->route, t->from->gates[k].route))
                memcpy(t->store + gate->word, t->old + t->from->gates[k].word,
                    SYNTH_GATE_WORDS * sizeof *t->store);
    }
    t->store[SYNTH_DILATION] = t->old[SYNTH_DILATION];
    t->store[SYNTH_VOLUME] = t->old[SYNTH_VOLUME];
}

/* Keeps the number of gate events that an element has not handled yet; 0 for a new element. */
static void carry_seen(const transfer *t, uint32_t type, uint32_t i, uint32_t was)
{
    const synth_layout *to = &t->to->layout, *from = &t->from->layout;
    uint32_t field = synth_is_contact(type) ? (uint32_t)CONTACT_P_GATE
                     : type == SYNTH_LFO    ? (uint32_t)LFO_P_GATE
                                            : (uint32_t)ENVELOPE_P_GATE;
    uint32_t unseen = 0;
    if (was != SYNTH_EMPTY) {
        uint32_t gate = t->from->image[synth_parameter_word(from, type, field, was)];
        unseen = t->old[gate + SYNTH_GATE_COUNT] - t->old[synth_state_word(from, type, 0, was)];
    }
    uint32_t gate = t->store[synth_parameter_word(to, type, field, i)];
    t->store[synth_state_word(to, type, 0, i)] = t->store[gate + SYNTH_GATE_COUNT] - unseen;
}

static void carry_element(const transfer *t, uint32_t type, uint32_t i)
{
    const synth_layout *to = &t->to->layout, *from = &t->from->layout;
    uint32_t was = counterpart(t, type, i);
    for (uint32_t field = 0; was != SYNTH_EMPTY && field < synth_shapes[type].states; field++)
        t->store[synth_state_word(to, type, field, i)] =
            t->old[synth_state_word(from, type, field, was)];
    if (synth_shapes[type].gated) carry_seen(t, type, i, was);
    bool signals = type != SYNTH_SPRING || (i < to->type[type].modulated && was != SYNTH_EMPTY &&
                                               was < from->type[type].modulated);
    for (uint32_t field = 0; was != SYNTH_EMPTY && signals && field < synth_shapes[type].signals;
         field++)
        for (uint32_t half = 0; half < 2; half++)
            t->store[to->signals + half * to->signal_count + synth_signal(to, type, field, i)] =
                t->old[from->signals + half * from->signal_count +
                       synth_signal(from, type, field, was)];
}

static uint32_t ear_word(const synth_layout *layout, uint32_t half, uint32_t ear)
{
    return layout->signals + half * layout->signal_count +
           synth_signal(layout, SYNTH_EAR, EAR_O_SUM, ear);
}

/* Copies the signals of a microphone's ears. Signals of surplus old ears are added to the last
 * new ear, since the next sample sums ears: no sound is lost if there are fewer ears now. */
static void carry_ears(const transfer *t, uint32_t microphone)
{
    const synth_layout *to = &t->to->layout, *from = &t->from->layout;
    uint32_t was = counterpart(t, SYNTH_MICROPHONE, microphone), count = 0;
    uint32_t ears =
        t->store[synth_parameter_word(to, SYNTH_MICROPHONE, MICROPHONE_P_EARS, microphone)];
    uint32_t first = t->store[synth_parameter_word(
                 to, SYNTH_MICROPHONE, MICROPHONE_P_FIRST_EAR, microphone)],
             old = 0;
    if (was != SYNTH_EMPTY) {
        count =
            t->from->image[synth_parameter_word(from, SYNTH_MICROPHONE, MICROPHONE_P_EARS, was)];
        old =
            t->from
                ->image[synth_parameter_word(from, SYNTH_MICROPHONE, MICROPHONE_P_FIRST_EAR, was)];
    }
    for (uint32_t half = 0; half < 2; half++) {
        for (uint32_t k = 0; k < count && k < ears; k++)
            t->store[ear_word(to, half, first + k)] = t->old[ear_word(from, half, old + k)];
        for (uint32_t k = ears; k < count && ears > 0; k++) {
            uint32_t *last = &t->store[ear_word(to, half, first + ears - 1)];
            *last = hed_as_uint(
                hed_as_float(*last) + hed_as_float(t->old[ear_word(from, half, old + k)]));
        }
    }
}

static void carry_delay(const transfer *t, uint32_t i, const float *old_delay, float *delay)
{
    uint32_t was = counterpart(t, SYNTH_DELAY_LINE, i);
    if (was == SYNTH_EMPTY) return;
    const uint32_t *image = t->to->image, *old = t->from->image;
    const synth_layout *to = &t->to->layout, *from = &t->from->layout;
    /* rings have equal sizes: the rate is the same */
    uint32_t mask = image[synth_parameter_word(to, SYNTH_DELAY_LINE, DELAY_P_MASK, i)];
    memcpy(delay + image[synth_parameter_word(to, SYNTH_DELAY_LINE, DELAY_P_BUFFER, i)],
        old_delay + old[synth_parameter_word(from, SYNTH_DELAY_LINE, DELAY_P_BUFFER, was)],
        (mask + 1u) * sizeof *delay);
}

void synth_program_carry(const synth_program *from, const uint32_t *old_store,
    const float *old_delay, const synth_program *to, uint32_t *store, float *delay)
{
    transfer t = {from, to, old_store, store};
    memcpy(store, to->image, to->layout.words * sizeof *store);
    memset(delay, 0, to->layout.delay_words * sizeof *delay);
    carry_gates(&t);
    for (uint32_t type = 0; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++)
        for (uint32_t i = 0; i < to->layout.type[type].count; i++) carry_element(&t, type, i);
    for (uint32_t i = 0; i < to->layout.type[SYNTH_MICROPHONE].count; i++) carry_ears(&t, i);
    for (uint32_t i = 0; i < to->layout.type[SYNTH_DELAY_LINE].count; i++)
        carry_delay(&t, i, old_delay, delay);
}
