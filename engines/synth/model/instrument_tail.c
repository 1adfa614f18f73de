/* Properties of an instrument that hosts show: the time in which its notes ring out, and the names
 * of its keys. */
#include "model/synth_model.h"
#include "support/strict_math.h"

#include <math.h>

static const double DECIBELS_120 = 13.815510557964274; /* ln(10^6) */

/* True if something besides notes can keep bodies moving, or take their damping away. */
static bool is_driven(const hed_synth_instrument *in)
{
    for (uint32_t i = 0; i < in->modulation_count; i++) {
        const hed_synth_modulation_def *def = &in->modulations[i];
        uint32_t type = in->places[def->entity].type, source = in->places[def->source].type;
        if (type != HED_SYNTH_BODY && type != HED_SYNTH_SPRING) continue;
        if (source == HED_SYNTH_LFO || def->target == HED_SYNTH_TARGET_DAMPING) return true;
    }
    for (uint32_t i = 0; i < in->link_count; i++)
        if (in->places[in->links[i].to].type == HED_SYNTH_DELAY_LINE) return true;
    return false;
}

static double longest_release(const hed_synth_instrument *in)
{
    double longest = 0;
    for (uint32_t i = 0; i < in->counts[HED_SYNTH_BOW]; i++)
        longest = fmax(longest, (double)in->bows[i].envelope.release);
    for (uint32_t i = 0; i < in->counts[HED_SYNTH_OSCILLATOR]; i++)
        longest = fmax(longest, (double)in->oscillators[i].envelope.release);
    for (uint32_t i = 0; i < in->counts[HED_SYNTH_AUDIO_INPUT]; i++)
        longest = fmax(longest, (double)in->audio_inputs[i].envelope.release);
    for (uint32_t i = 0; i < in->counts[HED_SYNTH_ENVELOPE]; i++)
        longest = fmax(longest, (double)in->envelopes[i].envelope.release);
    return longest;
}

/* Returns the tail of an instrument without layers. */
static double own_tail(const hed_synth_instrument *in)
{
    double damping = INFINITY, dilation = 1;
    for (uint32_t i = 0; i < in->counts[HED_SYNTH_BODY]; i++)
        if (!in->bodies[i].anchored) damping = fmin(damping, (double)in->bodies[i].damping);
    if (in->def.mode != HED_SYNTH_SINGLETON) {
        double bend = in->def.bend_range +
                      (in->def.mode == HED_SYNTH_VOICES_MPE ? in->def.note_bend_range : 0.0);
        dilation = fmin(1, hed_strict_exp2((in->def.low - in->def.root_note - bend) / 12));
    }
    if (damping <= 0 || is_driven(in)) return INFINITY;
    return longest_release(in) + DECIBELS_120 / (damping * dilation);
}

double hed_synth_instrument_tail(const hed_synth_instrument *in)
{
    if (!in) return 0;
    if (!in->layer_count) return own_tail(in);
    double longest = 0;
    for (uint32_t i = 0; i < in->layer_count; i++) {
        hed_synth_instrument *layer;
        if (synth_layer_extract(in, i, true, &layer, &(hed_error){0})) return INFINITY;
        longest = fmax(longest, own_tail(layer));
        hed_synth_instrument_destroy(layer);
    }
    return longest;
}

bool hed_synth_instrument_reaches(const hed_synth_instrument *in, hed_synth_entity entity)
{
    const synth_place *place = in ? synth_find(in, entity) : NULL;
    for (uint32_t i = 0; place && i < in->link_count; i++) {
        const synth_link *link = &in->links[i];
        const synth_place *to = &in->places[link->to];
        if (link->from != entity || link->weight == 0 || to->type != HED_SYNTH_BODY) continue;
        if (place->type == HED_SYNTH_MICROPHONE || !in->bodies[to->index].anchored) return true;
    }
    return false;
}

/* Returns the name of the first exciter among `count` of a type whose route is one key. */
#define NAME_OF_KEY(TYPE, name, plural, ...) \
    for (uint32_t i = 0; i < in->counts[HED_SYNTH_##TYPE]; i++) \
        if (in->plural[i].route.low == key && in->plural[i].route.high == key) \
            return hed_synth_instrument_name(in, in->ids[HED_SYNTH_##TYPE][i]);

const char *hed_synth_instrument_key(const hed_synth_instrument *in, uint32_t key)
{
    if (!in) return "";
    SYNTH_EXCITERS(NAME_OF_KEY)
    return "";
}
