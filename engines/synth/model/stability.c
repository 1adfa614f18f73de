/* Stability margin of an instrument, before it sounds. Stoermer-Verlet is stable while h^2 times
 * the largest eigenvalue of M^-1 K is below 4; Gershgorin bounds the eigenvalue for each row by
 * (sum of k to all neighbours + sum of k to free ones) / m. A spring's k is increased where the
 * spring is stretched to less than half or pressed to more than twice its rest length, because
 * across its axis it acts with k (1 - L0/|d|). Damping c along springs adds 2 c/h to k. The
 * bound uses the smallest mass and the largest stiffness that modulation can reach, and the
 * largest time step that notes and bends can reach. */
#include "model/synth_model.h"
#include "support/strict_math.h"

#include <inttypes.h>
#include <math.h>

#define DEPTH_OF(TYPE, name, plural, ...) \
    case HED_SYNTH_##TYPE: depth = instrument->plural[place->index].depth; break;

/* Largest magnitude of a modulator's output. A follower's is its depth at full scale; modulation
 * of `depth` itself is not considered. */
static double largest_output(const hed_synth_instrument *instrument, hed_synth_entity source)
{
    const synth_place *place = synth_find(instrument, source);
    double depth = 0, range = 1;
    switch (place->type) {
        SYNTH_MODULATORS(DEPTH_OF)
    default: break;
    }
    if (place->type == HED_SYNTH_MIDI_SOURCE) {
        const hed_synth_midi_source_def *midi = &instrument->midi_sources[place->index];
        if (midi->kind == HED_SYNTH_MIDI_NOTE)
            range = fmax((double)midi->centre, 127.0 - midi->centre) / 12;
        range = fmax(range, fabs((double)midi->initial));
    }
    return fabs(depth) * range;
}

/* Largest (sign 1) or smallest (-1) value that one modulation can reach. */
static double reach(const hed_synth_instrument *instrument, const hed_synth_modulation_def *def,
    double value, double sign)
{
    double change = fabs((double)def->depth) * largest_output(instrument, def->source);
    switch (def->mode) {
    case HED_SYNTH_MODULATE_ADD: return value + sign * change;
    case HED_SYNTH_MODULATE_MULTIPLY: return value * (1 + sign * change);
    default: return value * hed_strict_exp2(sign * change);
    }
}

/* Smallest value that one modulation can reach; modulators that never change their sign, such as
 * envelopes, act in one direction. */
static double least_reach(
    const hed_synth_instrument *instrument, const hed_synth_modulation_def *def, double value)
{
    const synth_place *place = synth_find(instrument, def->source);
    const hed_synth_midi_source_def *midi = instrument->midi_sources + place->index;
    bool two_sided = place->type == HED_SYNTH_LFO;
    if (place->type == HED_SYNTH_MIDI_SOURCE)
        two_sided = midi->kind == HED_SYNTH_MIDI_BEND || midi->kind == HED_SYNTH_MIDI_NOTE ||
                    midi->initial < 0;
    double depth = 0;
    switch (place->type) {
        SYNTH_MODULATORS(DEPTH_OF)
    default: break;
    }
    double change = def->depth * depth * (def->invert ? -1 : 1);
    return change < 0 || two_sided ? fmin(value, reach(instrument, def, value, -1)) : value;
}

/* A spring's largest stiffness and damping. Modulations are applied in order. */
typedef struct spring_limits {
    double stiffness, damping;
} spring_limits;

/* Returns the first body or spring whose damping the modulations can take below 0; 0: none. */
static hed_synth_entity find_growing(const hed_synth_instrument *in)
{
    for (uint32_t i = 0; i < in->modulation_count; i++) {
        const hed_synth_modulation_def *def = &in->modulations[i];
        const synth_place *place = &in->places[def->entity];
        if (def->target != HED_SYNTH_TARGET_DAMPING) continue;
        bool is_body = place->type == HED_SYNTH_BODY;
        if (is_body && in->bodies[place->index].anchored) continue;
        double damping = is_body ? (double)in->bodies[place->index].damping
                                 : (double)in->springs[place->index].damping;
        /* modulations of a value act one after the modulation */
        for (uint32_t k = 0; k < in->modulation_count; k++) {
            const hed_synth_modulation_def *modulation = &in->modulations[k];
            if (modulation->entity == def->entity && modulation->target == def->target)
                damping = least_reach(in, modulation, damping);
        }
        if (damping < 0) return def->entity;
    }
    return 0;
}

/* State of a pass over an instrument; `masses` and `springs` are NULL if no modulation changes
 * them. */
typedef struct walk {
    const hed_synth_instrument *instrument;
    double step, rate;      /* h, s; samples a second */
    double *sums;           /* (bodies) sum of k to all and to free neighbours, N/m */
    double *masses;         /* (bodies) kg */
    spring_limits *springs; /* (springs) */
} walk;

static bool modulates(const hed_synth_instrument *instrument, hed_synth_entity_type type)
{
    for (uint32_t i = 0; i < instrument->modulation_count; i++)
        if (instrument->places[instrument->modulations[i].entity].type == (uint32_t)type)
            return true;
    return false;
}

static void find_limits(walk *w)
{
    const hed_synth_instrument *instrument = w->instrument;
    for (uint32_t i = 0; w->masses && i < instrument->counts[HED_SYNTH_BODY]; i++)
        w->masses[i] = instrument->bodies[i].mass;
    for (uint32_t i = 0; w->springs && i < instrument->counts[HED_SYNTH_SPRING]; i++)
        w->springs[i] =
            (spring_limits){instrument->springs[i].stiffness, instrument->springs[i].damping};
    for (uint32_t i = 0; i < instrument->modulation_count; i++) {
        const hed_synth_modulation_def *def = &instrument->modulations[i];
        uint32_t at = instrument->places[def->entity].index;
        hed_synth_entity_type type = instrument->places[def->entity].type;
        if (type == HED_SYNTH_BODY && def->target == HED_SYNTH_TARGET_MASS)
            w->masses[at] = reach(instrument, def, w->masses[at], -1);
        if (type == HED_SYNTH_SPRING && def->target == HED_SYNTH_TARGET_STIFFNESS)
            w->springs[at].stiffness = reach(instrument, def, w->springs[at].stiffness, 1);
        if (type == HED_SYNTH_SPRING && def->target == HED_SYNTH_TARGET_DAMPING)
            w->springs[at].damping = reach(instrument, def, w->springs[at].damping, 1);
    }
}

static void stability_add_spring(walk *w, uint32_t at)
{
    const hed_synth_instrument *instrument = w->instrument;
    const hed_synth_spring_def *spring = &instrument->springs[at];
    uint32_t from = instrument->places[spring->from].index,
             to = instrument->places[spring->to].index;
    const hed_synth_body_def *a = &instrument->bodies[from], *b = &instrument->bodies[to];
    spring_limits most =
        w->springs ? w->springs[at] : (spring_limits){spring->stiffness, spring->damping};
    double share = -(double)spring->rest_length; /* rest length divided by the distance */
    if (share <= 0) {
        double x = (double)b->position[0] - a->position[0],
               y = (double)b->position[1] - a->position[1];
        double z = (double)b->position[2] - a->position[2];
        share = spring->rest_length / sqrt(x * x + y * y + z * z);
    }
    double stiffness = most.stiffness * fmax(1, fabs(1 - share)) + 2 * most.damping / w->step;
    w->sums[from] += b->anchored ? stiffness : 2 * stiffness;
    w->sums[to] += a->anchored ? stiffness : 2 * stiffness;
}

static hed_synth_stability judge(const walk *w)
{
    const hed_synth_instrument *instrument = w->instrument;
    hed_synth_stability result = {.largest_dilation = synth_largest_dilation(&instrument->def)};
    for (uint32_t i = 0; i < instrument->counts[HED_SYNTH_BODY]; i++) {
        const hed_synth_body_def *body = &instrument->bodies[i];
        if (body->anchored) continue;
        double mass = w->masses ? w->masses[i] : body->mass;
        double factor = synth_body_factor(instrument, instrument->ids[HED_SYNTH_BODY][i], w->rate);
        double value = mass > 0 ? w->step * w->step * w->sums[i] * factor / (2 * mass) : INFINITY;
        if (result.body == 0 || value > result.worst) {
            result.worst = value;
            result.body = instrument->ids[HED_SYNTH_BODY][i];
        }
        result.unsafe += value > 2;
    }
    return result;
}

/* Computes the margin of an instrument without layers. */
static hed_status find_margin(const hed_synth_instrument *instrument, double rate,
    hed_synth_stability *stability, hed_error *error)
{
    uint32_t bodies = instrument->counts[HED_SYNTH_BODY],
             springs = instrument->counts[HED_SYNTH_SPRING];
    bool of_bodies = bodies > 0 && modulates(instrument, HED_SYNTH_BODY),
         of_springs = springs > 0 && modulates(instrument, HED_SYNTH_SPRING);
    double dilation = synth_largest_dilation(&instrument->def);
    walk w = {.instrument = instrument, .rate = rate,
        .step = synth_dilation_at(&instrument->def, dilation, rate) / rate};
    hed_arena arena = {.allocator = instrument->allocator};
    w.sums = hed_arena_new(&arena, bodies, sizeof *w.sums, NULL);
    if (of_bodies) w.masses = hed_arena_new(&arena, bodies, sizeof *w.masses, NULL);
    if (of_springs) w.springs = hed_arena_new(&arena, springs, sizeof *w.springs, NULL);
    bool whole = !arena.failed;
    if (whole) {
        find_limits(&w);
        for (uint32_t i = 0; i < springs; i++) stability_add_spring(&w, i);
        *stability = judge(&w);
        stability->growing = find_growing(instrument);
    }
    hed_arena_free(&arena);
    return whole ? HED_OK : HED_OUT_OF_MEMORY(error, "the stability of %" PRIu32 " bodies", bodies);
}

/* Combines the margins of all layers, whose notes have their own time steps. */
static hed_status find_layered_margin(const hed_synth_instrument *instrument, double rate,
    hed_synth_stability *stability, hed_error *error)
{
    for (uint32_t i = 0; i < instrument->layer_count; i++) {
        hed_synth_instrument *layer;
        hed_synth_stability margin;
        if (synth_layer_extract(instrument, i, true, &layer, error)) return error->status;
        hed_status status = find_margin(layer, rate, &margin, error);
        hed_synth_instrument_destroy(layer);
        if (status) return status;
        if (margin.body && (!stability->body || margin.worst > stability->worst)) {
            stability->worst = margin.worst;
            stability->body = margin.body;
        }
        stability->largest_dilation = fmax(stability->largest_dilation, margin.largest_dilation);
        stability->unsafe += margin.unsafe;
        if (!stability->growing) stability->growing = margin.growing;
    }
    return HED_OK;
}

hed_status hed_synth_instrument_stability(const hed_synth_instrument *instrument, double rate,
    hed_synth_stability *stability, hed_error *error)
{
    HED_REQUIRE(instrument, stability);
    *stability = (hed_synth_stability){.largest_dilation = 1};
    if (!(rate >= 1 && rate <= 1e7))
        return hed_fail(error, HED_ERROR_ARGUMENT, "the rate is %g Hz; expected 1 to 1e+07", rate);
    hed_error unseen = {0};
    if (!error) error = &unseen;
    return instrument->layer_count ? find_layered_margin(instrument, rate, stability, error)
                                   : find_margin(instrument, rate, stability, error);
}
