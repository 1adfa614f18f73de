/* Rates: a time step bends modes up, each by its own frequency, so a simulation at 96 kHz has other
 * intervals between its partials than one at 48 kHz, and a bowed string another pitch. So samples
 * have 44.1 to 53 kHz at every rate of frames, except where the instrument is stable only at a higher
 * rate. Inputs and events are moved to samples here; mix.c makes frames of the sound. */
#include <math.h>

#include "model/synth_model.h"
#include "solver/solver.h"

static const double LEAST_RATE = 44100.0; /* Hz, of samples */
static const double STANDARD_RATE =
    48000.0; /* Hz; instruments that are stable at it play at any rate */
static const double HIGHEST_RATE = 53000.0; /* Hz; the fiddle's top note is a cent flatter there */
enum {
    MOST_SAMPLES = 1 << 16, /* limit of a block of the solver */
    MOST_FRAMES = 16        /* limit of synth_ratio.frames: 48 kHz for 768 */
};

struct synth_rates {
    hed_allocator allocator;
    synth_filter *filter;
    synth_converter *inputs; /* NULL: no inputs */
    synth_ratio ratio;
    uint32_t input_count, frames, samples; /* limits of a piece */
    uint32_t ringing;                      /* frames until the memory of the inputs is silent */
    uint64_t frame;                        /* frames so far */
    float *converted;                      /* (input_count x samples) inputs at samples */
    const float **rows;                    /* (input_count) rows of it */
    hed_synth_event *events;               /* (max_events) at samples */
    /* events of the present piece, and all that are in `events`: the others are due at the first sample
     * of the next piece */
    uint32_t max_events, played, held;
};

static bool is_stable(const hed_synth_instrument *instrument, double rate)
{
    hed_synth_stability stability;
    return !hed_synth_instrument_stability(instrument, rate, &stability, NULL) &&
           stability.unsafe == 0;
}

/* Finds the ratio with the fewest frames that gives samples `low` to `high` Hz. */
static bool find_ratio(double rate, double low, double high, synth_ratio *ratio)
{
    for (uint32_t frames = 1; frames <= MOST_FRAMES; frames++) {
        uint32_t samples = (uint32_t)ceil(low * frames / rate);
        *ratio = (synth_ratio){samples, frames};
        if (samples * rate <= high * frames) return true;
    }
    return false;
}

synth_ratio synth_choose_ratio(const hed_synth_instrument *instrument, double rate)
{
    synth_ratio ratio = {1, 1};
    if (instrument->layer_frames)
        return (synth_ratio){instrument->layer_samples, instrument->layer_frames};
    if (rate >= STANDARD_RATE && rate <= HIGHEST_RATE) return ratio;
    if (rate >= LEAST_RATE && rate < STANDARD_RATE && is_stable(instrument, rate)) return ratio;
    if (rate < LEAST_RATE || rate > HIGHEST_RATE)
        if (find_ratio(rate, LEAST_RATE, STANDARD_RATE, &ratio) &&
            is_stable(instrument, rate * ratio.samples / ratio.frames))
            return ratio;
    if (find_ratio(rate, STANDARD_RATE, HIGHEST_RATE, &ratio) &&
        is_stable(instrument, rate * ratio.samples / ratio.frames))
        return ratio;
    return (synth_ratio){(uint32_t)ceil(STANDARD_RATE / rate), 1};
}

double hed_synth_instrument_rate(const hed_synth_instrument *instrument, double rate)
{
    if (!instrument || !(rate >= SYNTH_LOWEST_RATE && rate <= SYNTH_HIGHEST_RATE)) return 0;
    synth_ratio ratio = synth_choose_ratio(instrument, rate);
    return rate * ratio.samples / ratio.frames;
}

/* ---- creation ---- */

hed_status synth_rates_create(const hed_allocator *allocator, const hed_synth_def *def,
    synth_ratio ratio, synth_rates **rates, hed_error *error)
{
    synth_rates *created = *rates = hed_new(allocator, 1, sizeof *created, error);
    if (!created) return HED_ERROR_MEMORY;
    created->allocator = *allocator;
    created->ratio = ratio;
    created->input_count = def->inputs;
    /* an event may wait for ratio.frames frames, which may be as many blocks */
    created->max_events = def->max_events * ratio.frames;
    uint32_t limit = MOST_SAMPLES / ratio.samples * ratio.frames;
    created->frames = def->block < limit ? def->block : limit;
    created->samples = (uint32_t)synth_samples_before(ratio, created->frames);
    uint64_t samples = (uint64_t)created->input_count * created->samples;
    created->converted = hed_new(allocator, samples, sizeof *created->converted, error);
    created->rows = hed_new(allocator, created->input_count, sizeof *created->rows, error);
    created->events = hed_new(allocator, created->max_events, sizeof *created->events, error);
    if (!error->status && !synth_filter_create(allocator, ratio, &created->filter, error) &&
        def->inputs > 0)
        synth_converter_create(
            allocator, created->filter, false, def->inputs, &created->inputs, error);
    for (uint32_t i = 0; created->rows && i < created->input_count; i++)
        created->rows[i] = created->converted + (uint64_t)i * created->samples;
    return error->status;
}

void synth_rates_destroy(synth_rates *rates)
{
    if (!rates) return;
    hed_allocator allocator = rates->allocator;
    synth_converter_destroy(rates->inputs);
    hed_delete(&allocator, rates->events, rates->max_events, sizeof *rates->events);
    hed_delete(&allocator, rates->rows, rates->input_count, sizeof *rates->rows);
    hed_delete(&allocator, rates->converted, (uint64_t)rates->input_count * rates->samples,
        sizeof *rates->converted);
    synth_filter_destroy(rates->filter);
    hed_delete(&allocator, rates, 1, sizeof *rates);
}

void synth_rates_reset(synth_rates *rates)
{
    if (!rates) return;
    synth_converter_reset(rates->inputs);
    rates->ringing = rates->played = rates->held = 0;
    rates->frame = 0;
}

const synth_filter *synth_rates_filter(const synth_rates *rates)
{
    return rates ? rates->filter : NULL;
}

uint32_t synth_rates_samples(const synth_rates *rates) { return rates->samples; }
uint32_t synth_rates_events(const synth_rates *rates) { return rates->max_events; }

/* ---- blocks ---- */

/* Converts the inputs of a piece, frames from `first` of the block. Returns NULL if all are silent. */
static const float *const *convert_inputs(
    synth_rates *r, const hed_synth_block *block, uint32_t first, uint32_t frames)
{
    if (!r->inputs || (!block->inputs && r->ringing == 0)) return NULL;
    if (block->inputs) r->ringing = 2 * r->filter->delay + 1;
    uint32_t sample = 0;
    /* silent pieces are not converted */
    synth_converter_seek(r->inputs, r->frame, synth_samples_before(r->ratio, r->frame));
    for (uint32_t n = 0; n < frames; n++) {
        for (uint32_t i = 0; i < r->input_count; i++)
            synth_converter_put(r->inputs, i, block->inputs ? block->inputs[i][first + n] : 0.0f);
        synth_converter_step(r->inputs);
        for (; synth_converter_is_ready(r->inputs); sample++, synth_converter_next(r->inputs))
            for (uint32_t i = 0; i < r->input_count; i++)
                r->converted[(uint64_t)i * r->samples + sample] = synth_convert(r->inputs, i);
    }
    if (!block->inputs) r->ringing -= frames < r->ringing ? frames : r->ringing;
    return r->rows;
}

/* Moves the events of frames [first, end) of a block to samples, which count from `begin`; returns
 * the number of those before `samples`. */
static uint32_t convert_events(synth_rates *r, const hed_synth_block *block, uint32_t next,
    uint32_t first, uint32_t end, uint64_t begin, uint32_t samples)
{
    uint32_t held = r->held -= r->played;
    memmove(r->events, r->events + r->played, held * sizeof *r->events);
    for (uint32_t i = 0; i < held; i++) r->events[i].frame = 0;
    for (; next < block->event_count && block->events[next].frame < end; next++, held++) {
        r->events[held] = block->events[next];
        uint64_t frame = r->frame + block->events[next].frame - first;
        r->events[held].frame = (uint32_t)(synth_samples_before(r->ratio, frame) - begin);
    }
    r->held = held;
    for (r->played = 0; r->played < held && r->events[r->played].frame < samples;) r->played++;
    return r->played;
}

bool synth_rates_next(synth_rates *r, const hed_synth_block *block, synth_piece *piece)
{
    uint32_t first = piece->end, left = block->frames - first;
    uint32_t frames = left < r->frames ? left : r->frames;
    if (!frames) return false;
    piece->end = first + frames;
    uint64_t begin = synth_samples_before(r->ratio, r->frame);
    uint32_t samples = (uint32_t)(synth_samples_before(r->ratio, r->frame + frames) - begin);
    piece->block = (hed_synth_block){.frames = samples,
        .events = r->events,
        .event_count = convert_events(r, block, piece->events, first, piece->end, begin, samples),
        .inputs = convert_inputs(r, block, first, frames),
        .left = block->left,
        .right = block->right,
        .stems = block->stems};
    while (piece->events < block->event_count && block->events[piece->events].frame < piece->end)
        piece->events++;
    r->frame += frames;
    return true;
}
