/* Instruments for benchmarks: see the header. Random choices come from a fixed seed, so that every
 * run plays the same. */
#include "benchmarks/instruments.h"

#include "heddle/author.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const float MASS = 1e-4f;
/* m between places: 2^-7, so that differences of places are exact */
static const float STEP = 0.0078125f;
static const float FARTHEST = 8192; /* m along an axis: bodies are at most 10 km off */
/* N/m: h^2 6 k/m = 0.1 at 48 kHz, a twentieth of what Gershgorin's bound allows for six springs. */
static const float STIFFNESS = 1e-4f * 0.1f / 6 * 48000.0f * 48000.0f;

static uint32_t draw(uint32_t *state) /* xorshift: Marsaglia 2003 */
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static uint32_t below(uint32_t *state, uint32_t bound)
{
    return (uint32_t)((uint64_t)draw(state) * bound >> 32);
}

/* ---- regular ones ---- */

static hed_status add_grid(hed_synth_instrument *instrument, const uint32_t size[3],
    hed_synth_generated *generated, hed_error *error)
{
    hed_synth_grid_def def = hed_default_synth_grid_def();
    uint32_t longest = size[0];
    float step = STEP; /* smaller for a string of more than a million masses; a power of two, too */
    for (int axis = 1; axis < 3; axis++) longest = size[axis] > longest ? size[axis] : longest;
    while (step * (float)longest > FARTHEST) step /= 2;
    for (int axis = 0; axis < 3; axis++) {
        def.size[axis] = size[axis];
        for (int c = 0; c < 3; c++) def.step[axis][c] = axis == c ? step : 0;
    }
    def.body.mass = MASS;
    def.body.damping = 2;
    def.spring.stiffness = STIFFNESS;
    /* under tension: springs along one axis give no shear stiffness otherwise */
    def.spring.rest_length = -0.9f;
    if (size[1] == 1 && size[2] == 1) def.anchor_ends[0][0] = def.anchor_ends[0][1] = true;
    else if (size[2] == 1)
        for (int axis = 0; axis < 2; axis++)
            def.anchor_ends[axis][0] = def.anchor_ends[axis][1] = true;
    else def.anchor_ends[2][0] = def.anchor_ends[2][1] = true;
    return hed_synth_instrument_add_grid(instrument, &def, NULL, generated, error);
}

/* ---- an irregular one ---- */

enum { MOST_SPRINGS = 8 };

typedef struct graph {
    uint32_t size[3];
    uint32_t masses;
    uint32_t (*others)[MOST_SPRINGS]; /* (masses), those of higher number only */
    uint8_t *degree, *higher;         /* (masses) springs, and those in `others` */
    uint32_t state;
    uint32_t most;    /* springs at a mass */
    uint32_t scatter; /* most of what a mass is off its place, in hundred thousandths of a metre */
} graph;

static void add_edge(graph *g, uint32_t a, uint32_t b)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    for (uint32_t e = 0; e < g->higher[low]; e++)
        if (g->others[low][e] == high) return;
    g->others[low][g->higher[low]++] = high;
    g->degree[a]++;
    g->degree[b]++;
}

/* A mass at most two places away along each axis that still has room; a itself when there is
 * none. */
static uint32_t near_mass(graph *g, uint32_t a)
{
    uint32_t place[3] = {a % g->size[0], a / g->size[0] % g->size[1], a / g->size[0] / g->size[1]};
    for (int trial = 0; trial < 20; trial++) {
        uint32_t to[3];
        bool inside = true;
        for (int axis = 0; axis < 3; axis++) {
            int64_t p = (int64_t)place[axis] + (int64_t)below(&g->state, 5) - 2;
            inside = inside && p >= 0 && p < (int64_t)g->size[axis];
            to[axis] = (uint32_t)p;
        }
        if (!inside) continue;
        uint32_t b = (to[2] * g->size[1] + to[1]) * g->size[0] + to[0];
        if (b != a && g->degree[b] < g->most) return b;
    }
    return a;
}

/* The springs of a lattice of which one in eight is moved: first those that stay, so that the moved
 * ones find room.
 */
static void connect(graph *g)
{
    static const uint32_t MOVED = UINT32_MAX / 8;
    uint32_t stride[3] = {1, g->size[0], g->size[0] * g->size[1]};
    for (int moved = 0; moved < 2; moved++) {
        uint32_t state = 7;
        for (uint32_t a = 0; a < g->masses; a++) {
            uint32_t place[3] = {
                a % g->size[0], a / g->size[0] % g->size[1], a / g->size[0] / g->size[1]};
            for (int axis = 0; axis < 3; axis++) {
                if (place[axis] + 1 == g->size[axis] || (draw(&state) < MOVED) != moved) continue;
                uint32_t b = moved ? near_mass(g, a) : a + stride[axis];
                if (b != a && g->degree[a] < g->most) add_edge(g, a, b);
            }
        }
    }
}

/* More springs, up to three for each mass, two more at one mass than a lattice has. */
static void connect_more(graph *g)
{
    uint32_t ends = 0;
    for (uint32_t a = 0; a < g->masses; a++) ends += g->degree[a];
    g->most = MOST_SPRINGS;
    for (uint32_t trial = 0; trial < 8 * g->masses && ends < 6 * g->masses; trial++) {
        uint32_t a = below(&g->state, g->masses), before = g->degree[a], b = near_mass(g, a);
        if (b != a && before < g->most) add_edge(g, a, b);
        ends += 2 * (g->degree[a] - before);
    }
}

static hed_status add_bodies_and_springs(hed_synth_instrument *instrument, const graph *g,
    hed_synth_generated *generated, hed_error *error)
{
    hed_synth_entity_def body = hed_default_synth_entity_def(HED_SYNTH_BODY),
                         spring = hed_default_synth_entity_def(HED_SYNTH_SPRING);
    hed_status status = HED_OK;
    uint32_t state = 11;
    body.as.body.mass = MASS;
    body.as.body.damping = 2;
    spring.as.spring.stiffness = STIFFNESS;
    spring.as.spring.rest_length = -0.9f;
    for (uint32_t a = 0; a < g->masses && !status; a++) {
        uint32_t place[3] = {
            a % g->size[0], a / g->size[0] % g->size[1], a / g->size[0] / g->size[1]};
        for (int c = 0; c < 3; c++)
            body.as.body.position[c] =
                STEP * (float)place[c] + 1e-5f * (float)below(&state, g->scatter);
        body.as.body.anchored = place[2] == 0 || place[2] + 1 == g->size[2];
        hed_synth_entity entity = 0;
        status = hed_synth_instrument_add(instrument, &body, NULL, &entity, error);
        if (a == 0) generated->first_body = entity;
    }
    for (uint32_t a = 0; a < g->masses && !status; a++) {
        for (uint32_t e = 0; e < g->higher[a] && !status; e++) {
            spring.as.spring.from = generated->first_body + a;
            spring.as.spring.to = generated->first_body + g->others[a][e];
            hed_synth_entity entity;
            status = hed_synth_instrument_add(instrument, &spring, NULL, &entity, error);
            if (generated->springs++ == 0) generated->first_spring = entity;
        }
    }
    generated->bodies = g->masses;
    return status;
}

static hed_status add_irregular(hed_synth_instrument *instrument, const uint32_t size[3],
    uint32_t scatter, bool more, hed_synth_generated *generated, hed_error *error)
{
    graph g = {.size = {size[0], size[1], size[2]}, .masses = size[0] * size[1] * size[2],
        .state = 3, .most = 6, .scatter = scatter};
    g.others = calloc(g.masses, sizeof *g.others);
    g.degree = calloc(g.masses, 1);
    g.higher = calloc(g.masses, 1);
    hed_status status = HED_ERROR_MEMORY;
    if (g.others && g.degree && g.higher) {
        connect(&g);
        if (more) connect_more(&g);
        status = add_bodies_and_springs(instrument, &g, generated, error);
    } else {
        *error = (hed_error){.status = status, .text = "no memory for an irregular instrument"};
    }
    free(g.others);
    free(g.degree);
    free(g.higher);
    return status;
}

/* ---- what all have: something that strikes, something that hears ---- */

static hed_status add_linked(hed_synth_instrument *instrument, const hed_synth_entity_def *def,
    hed_synth_entity body, hed_synth_entity *entity, hed_error *error)
{
    hed_status status = hed_synth_instrument_add(instrument, def, NULL, entity, error);
    return status ? status : hed_synth_instrument_link(instrument, *entity, body, 1, error);
}

static hed_status add_ends(
    hed_synth_instrument *instrument, const hed_synth_generated *g, hed_error *error)
{
    hed_synth_entity_def mallet = hed_default_synth_entity_def(HED_SYNTH_MALLET),
                         microphone = hed_default_synth_entity_def(HED_SYNTH_MICROPHONE), body;
    hed_synth_entity entity, struck = g->first_body + g->bodies / 3,
                             heard = g->first_body + g->bodies / 2;
    hed_status status = hed_synth_instrument_get(instrument, heard, &body, error);
    if (status) return status;
    for (int c = 0; c < 3; c++) {
        microphone.as.microphone.position[c] = body.as.body.position[c] + (c == 1 ? 0.1f : 0);
        microphone.as.microphone.direction[c] = c == 1;
        mallet.as.mallet.direction[c] = c == 1;
    }
    status = add_linked(instrument, &mallet, struck, &entity, error);
    return status ? status : add_linked(instrument, &microphone, heard, &entity, error);
}

/* ---- all types ---- */

/* Entities of each type among 64, bodies and springs aside: they are half of them, as a rich
 * instrument has them. */
static const uint32_t SHARES[HED_SYNTH_ENTITY_TYPE_COUNT] = {
    [HED_SYNTH_MICROPHONE] = 2,
    [HED_SYNTH_MALLET] = 4,
    [HED_SYNTH_PLECTRUM] = 3,
    [HED_SYNTH_BOW] = 3,
    [HED_SYNTH_OSCILLATOR] = 3,
    [HED_SYNTH_AUDIO_INPUT] = 2,
    [HED_SYNTH_LFO] = 4,
    [HED_SYNTH_ENVELOPE] = 4,
    [HED_SYNTH_FOLLOWER] = 2,
    [HED_SYNTH_MIDI_SOURCE] = 3,
    [HED_SYNTH_DELAY_LINE] = 2,
};

typedef struct mix {
    hed_synth_instrument *instrument;
    hed_synth_generated bodies;
    hed_synth_entity microphone, modulator; /* the last of each */
    uint32_t state;
} mix;

static void direct(float direction[3], uint32_t index)
{
    for (uint32_t c = 0; c < 3; c++) direction[c] = c == index % 3;
}

static hed_synth_entity_def mixed_def(const mix *m, hed_synth_entity_type type, uint32_t index)
{
    hed_synth_entity_def def = hed_default_synth_entity_def(type);
    switch (type) {
    case HED_SYNTH_MICROPHONE:
        direct(def.as.microphone.direction, index);
        def.as.microphone.position[1] = 0.3f;
        def.as.microphone.ratio = index % 2 ? 4 : 1;
        break;
    case HED_SYNTH_MALLET: direct(def.as.mallet.direction, index); break;
    case HED_SYNTH_PLECTRUM: direct(def.as.plectrum.direction, index); break;
    case HED_SYNTH_BOW: direct(def.as.bow.direction, index); break;
    case HED_SYNTH_OSCILLATOR:
        direct(def.as.oscillator.direction, index);
        def.as.oscillator.wave = (hed_synth_wave)(index % HED_SYNTH_WAVE_COUNT);
        break;
    case HED_SYNTH_AUDIO_INPUT: direct(def.as.audio_input.direction, index); break;
    case HED_SYNTH_LFO: def.as.lfo.wave = (hed_synth_wave)(index % HED_SYNTH_WAVE_COUNT); break;
    case HED_SYNTH_FOLLOWER: def.as.follower.source = m->microphone; break;
    case HED_SYNTH_DELAY_LINE:
        def.as.delay_line.source = m->microphone;
        def.as.delay_line.seconds = 0.1f;
        break;
    default: break;
    }
    return def;
}

/* Exciters and microphones hold on to a body, modulators act on a spring, a body or one another. */
static hed_status connect_mixed(
    mix *m, hed_synth_entity_type type, hed_synth_entity entity, uint32_t index, hed_error *error)
{
    hed_synth_entity body = m->bodies.first_body + below(&m->state, m->bodies.bodies);
    hed_synth_modulation_def modulation = {
        .source = entity, .mode = HED_SYNTH_MODULATE_MULTIPLY, .depth = 0.05f};
    switch (type) {
    case HED_SYNTH_MICROPHONE:
        m->microphone = entity;
        for (int i = 0; i < 3; i++) {
            hed_status status = hed_synth_instrument_link(m->instrument, entity, body, 0.3f, error);
            if (status) return status;
            body = m->bodies.first_body + below(&m->state, m->bodies.bodies);
        }
        return HED_OK;
    case HED_SYNTH_MALLET:
    case HED_SYNTH_PLECTRUM:
    case HED_SYNTH_BOW:
    case HED_SYNTH_OSCILLATOR:
    case HED_SYNTH_AUDIO_INPUT:
        return hed_synth_instrument_link(m->instrument, entity, body, 1, error);
    case HED_SYNTH_LFO:
    case HED_SYNTH_ENVELOPE:
    case HED_SYNTH_FOLLOWER:
    case HED_SYNTH_MIDI_SOURCE:
        modulation.entity = index % 3 == 0
                                ? m->bodies.first_spring + below(&m->state, m->bodies.springs)
                            : index % 3 == 1 ? body
                                             : m->modulator;
        modulation.target = index % 3 == 0   ? HED_SYNTH_TARGET_STIFFNESS
                            : index % 3 == 1 ? HED_SYNTH_TARGET_DAMPING
                                             : HED_SYNTH_TARGET_DEPTH;
        m->modulator = entity;
        return modulation.entity ? hed_synth_instrument_modulate(m->instrument, &modulation, error)
                                 : HED_OK;
    default: return HED_OK;
    }
}

/* Others are half as many as `entities`, or a few more: as many of each type as its share, rounded
 * up. */
static hed_status add_mixed(
    hed_synth_instrument *instrument, const uint32_t bodies[3], uint32_t entities, hed_error *error)
{
    mix m = {.instrument = instrument, .state = 5};
    hed_status status = add_irregular(instrument, bodies, 200, true, &m.bodies, error);
    for (int type = HED_SYNTH_MICROPHONE; type < HED_SYNTH_ENTITY_TYPE_COUNT && !status; type++) {
        uint32_t count = (SHARES[type] * entities + 63) / 64;
        for (uint32_t i = 0; i < count && !status; i++) {
            hed_synth_entity_def def = mixed_def(&m, (hed_synth_entity_type)type, i);
            hed_synth_entity entity;
            if (!(status = hed_synth_instrument_add(instrument, &def, NULL, &entity, error)))
                status = connect_mixed(&m, (hed_synth_entity_type)type, entity, i, error);
        }
    }
    return status;
}

static hed_status add_entities(cli_instrument_kind kind, const uint32_t size[3],
    hed_synth_instrument *instrument, hed_error *error)
{
    hed_synth_generated generated = {0};
    uint32_t masses = size[0] * size[1] * size[2];
    hed_status status;
    switch (kind) {
    case CLI_MIXED: return add_mixed(instrument, size, 2 * masses, error);
    case CLI_COUNTED: return add_mixed(instrument, size, 40 * masses / 27, error);
    case CLI_NETWORK: return add_mixed(instrument, size, masses / 8, error);
    case CLI_IRREGULAR:
        status = add_irregular(instrument, size, 0, false, &generated, error);
        break;
    case CLI_SCATTERED:
        status = add_irregular(instrument, size, 200, false, &generated, error);
        break;
    default: status = add_grid(instrument, size, &generated, error); break;
    }
    return status ? status : add_ends(instrument, &generated, error);
}

hed_status cli_instrument(cli_instrument_kind kind, const uint32_t size[3],
    hed_synth_instrument **instrument, hed_error *error)
{
    *instrument = NULL;
    if (size[0] < 1 || size[1] < 1 || size[2] < 1)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "an instrument of %u x %u x %u masses: at least one each way", size[0], size[1],
            size[2]);
    hed_status status = hed_synth_instrument_create(NULL, NULL, instrument, error);
    if (!status) status = add_entities(kind, size, *instrument, error);
    if (!status) return HED_OK;
    hed_synth_instrument_destroy(*instrument);
    *instrument = NULL;
    return status;
}
