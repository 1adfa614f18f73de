/* Rates: a synth simulates several samples a frame if its rate is below 44.1 kHz, or if the
 * instrument is stable only at a higher rate. Inputs are interpolated and events moved to samples
 * here; mix.c decimates the sound. */
#include <math.h>

#include "solver/solver.h"

static const double LEAST_RATE = 44100.0; /* Hz, of samples */
static const double STANDARD_RATE =
    48000.0;                     /* Hz; instruments that are stable at it play at any rate */
enum { MOST_SAMPLES = 1 << 16 }; /* limit of a block of the solver */

struct synth_rates {
    hed_allocator allocator;
    synth_filter *filter;
    synth_converter *inputs; /* NULL: no inputs */
    uint32_t factor, input_count, frames, max_events;
    uint32_t ringing; /* frames until the memory of the inputs is silent */
    /* (input_count x frames x factor) inputs at samples, and the input_count rows of it */
    float *samples;
    const float **rows;
    hed_synth_event *events; /* (max_events) at samples */
};

uint32_t synth_choose_factor(const hed_synth_instrument *instrument, double rate)
{
    uint32_t factor = (uint32_t)ceil(LEAST_RATE / rate),
             limit = (uint32_t)ceil(STANDARD_RATE / rate);
    hed_synth_stability stability;
    for (; factor < limit; factor++)
        if (!hed_synth_instrument_stability(instrument, factor * rate, &stability, NULL) &&
            stability.unsafe == 0)
            break;
    return factor;
}

double hed_synth_instrument_rate(const hed_synth_instrument *instrument, double rate)
{
    if (!instrument || !(rate >= SYNTH_LOWEST_RATE && rate <= SYNTH_HIGHEST_RATE)) return 0;
    return rate * synth_choose_factor(instrument, rate);
}

/* ---- creation ---- */

hed_status synth_rates_create(const hed_allocator *allocator, const hed_synth_def *def,
    uint32_t factor, synth_rates **rates, hed_error *error)
{
    synth_rates *created = *rates = hed_new(allocator, 1, sizeof *created, error);
    if (!created) return HED_ERROR_MEMORY;
    created->allocator = *allocator;
    created->factor = factor;
    created->input_count = def->inputs;
    created->max_events = def->max_events;
    created->frames = def->block < MOST_SAMPLES / factor ? def->block : MOST_SAMPLES / factor;
    uint64_t samples = (uint64_t)created->input_count * created->frames * factor;
    created->samples = hed_new(allocator, samples, sizeof *created->samples, error);
    created->rows = hed_new(allocator, created->input_count, sizeof *created->rows, error);
    created->events = hed_new(allocator, created->max_events, sizeof *created->events, error);
    if (!error->status && !synth_filter_create(allocator, factor, &created->filter, error) &&
        def->inputs > 0)
        synth_converter_create(
            allocator, created->filter, false, def->inputs, &created->inputs, error);
    for (uint32_t i = 0; created->rows && i < created->input_count; i++)
        created->rows[i] = created->samples + (uint64_t)i * created->frames * factor;
    return error->status;
}

void synth_rates_destroy(synth_rates *rates)
{
    if (!rates) return;
    hed_allocator allocator = rates->allocator;
    synth_converter_destroy(rates->inputs);
    hed_delete(&allocator, rates->events, rates->max_events, sizeof *rates->events);
    hed_delete(&allocator, rates->rows, rates->input_count, sizeof *rates->rows);
    hed_delete(&allocator, rates->samples,
        (uint64_t)rates->input_count * rates->frames * rates->factor, sizeof *rates->samples);
    synth_filter_destroy(rates->filter);
    hed_delete(&allocator, rates, 1, sizeof *rates);
}

void synth_rates_reset(synth_rates *rates)
{
    if (!rates) return;
    synth_converter_reset(rates->inputs);
    rates->ringing = 0;
}

const synth_filter *synth_rates_filter(const synth_rates *rates)
{
    return rates ? rates->filter : NULL;
}

uint32_t synth_rates_frames(const synth_rates *rates) { return rates->frames; }

/* ---- blocks ---- */

/* Interpolates the inputs of a piece, frames from `first`. Returns NULL if all are silent. */
static const float *const *convert_inputs(
    synth_rates *r, const hed_synth_block *block, uint32_t first, uint32_t frames)
{
    if (!r->inputs || (!block->inputs && r->ringing == 0)) return NULL;
    if (block->inputs) r->ringing = 2 * SYNTH_FILTER_REACH + 1;
    for (uint32_t n = 0; n < frames; n++) {
        for (uint32_t i = 0; i < r->input_count; i++)
            synth_converter_put(r->inputs, i, block->inputs ? block->inputs[i][first + n] : 0.0f);
        synth_converter_step(r->inputs);
        for (uint32_t i = 0; i < r->input_count; i++)
            for (uint32_t k = 0; k < r->factor; k++)
                r->samples[((uint64_t)i * r->frames + n) * r->factor + k] =
                    synth_interpolate(r->inputs, i, k);
    }
    if (!block->inputs) r->ringing -= frames < r->ringing ? frames : r->ringing;
    return r->rows;
}

bool synth_rates_next(synth_rates *r, const hed_synth_block *block, synth_piece *piece)
{
    uint32_t first = piece->end, left = block->frames - first;
    uint32_t frames = left < r->frames ? left : r->frames;
    if (!frames) return false;
    piece->end = first + frames;
    uint32_t count = 0;
    for (uint32_t i = piece->events; i < block->event_count; i++, count++) {
        if (block->events[i].frame >= piece->end) break;
        r->events[count] = block->events[i];
        r->events[count].frame = (r->events[count].frame - first) * r->factor;
    }
    piece->events += count;
    piece->block = (hed_synth_block){.frames = frames * r->factor,
        .events = r->events,
        .event_count = count,
        .inputs = convert_inputs(r, block, first, frames),
        .left = block->left,
        .right = block->right,
        .stems = block->stems};
    return true;
}
