/* Public functions of synths, for instruments with layers (synth_layers.c) and without (synth.c). */
#include "model/synth_model.h"
#include "solver/solver.h"

hed_synth_def hed_default_synth_def(void)
{
    return (hed_synth_def){
        .rate = 48000.0, .block = 256, .max_events = 1024, .pack = HED_PACK_ROWS, .threads = 1};
}

/* ---- creation ---- */

enum { MOST_THREADS = 256 };

static hed_status synth_check_def(
    const hed_device *device, const hed_synth_def *def, hed_error *error)
{
    if (!device || !def || !def->instrument)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "a synth needs a device, a definition and its instrument: one of them is NULL");
    if (!(def->rate >= SYNTH_LOWEST_RATE && def->rate <= SYNTH_HIGHEST_RATE))
        return hed_fail(error, HED_ERROR_ARGUMENT, "hed_synth_def.rate is %g; expected %g to %g Hz",
            def->rate, SYNTH_LOWEST_RATE, SYNTH_HIGHEST_RATE);
    const struct {
        const char *name;
        uint32_t value, low, high;
    } ranges[] = {
        {"block", def->block, 1, 1u << 16},
        {"inputs", def->inputs, 0, SYNTH_MOST_INPUTS},
        {"threads", def->threads, 1, MOST_THREADS},
        {"max_events", def->max_events, 0, 1u << 20},
        {"math", (uint32_t)def->math, HED_MATH_FAST, HED_MATH_STRICT},
        {"solver", (uint32_t)def->solver, 0, HED_SYNTH_SOLVER_COUNT - 1},
        {"pack", (uint32_t)def->pack, 0, HED_PACK_METHOD_COUNT - 1},
    };
    for (uint32_t i = 0; i < HED_COUNT(ranges); i++)
        if (ranges[i].value < ranges[i].low || ranges[i].value > ranges[i].high)
            return hed_fail(error, HED_ERROR_ARGUMENT, "hed_synth_def.%s is %u; expected %u to %u",
                ranges[i].name, ranges[i].value, ranges[i].low, ranges[i].high);
    if (def->transpose < -127 || def->transpose > 127)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "hed_synth_def.transpose is %d; expected -127 to 127 semitones", def->transpose);
    for (uint32_t key = 0; def->tuning && key < 128; key++)
        if (def->tuning[key] < -128.0f || def->tuning[key] > 256.0f)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "hed_synth_def.tuning[%u] is %g; expected -128 to 256 semitones, or NaN", key,
                (double)def->tuning[key]);
    if (def->stream && hed_stream_device(def->stream) != device)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "hed_synth_def.stream belongs to another device");
    return HED_OK;
}

/* Logs that a tuning does not act on a synth. */
static void warn_of_tuning(const hed_synth *synth)
{
    hed_logger logger = hed_context_describe(hed_device_context(synth->device)).logger;
    if (synth->def.tuning && !synth_describe(synth).tuned && logger.log &&
        logger.level >= HED_LOG_WARNING)
        (logger.log)(logger.user, HED_LOG_WARNING,
            "tuning: pitches stay as they are, since each key of the instrument has parts of its "
            "own; expected mode \"voices\" or \"mpe\", or oscillators that follow notes");
}

hed_status hed_synth_create(
    hed_device *device, const hed_synth_def *def, hed_synth **synth, hed_error *error)
{
    HED_REQUIRE(device, def, synth);
    hed_error unseen = {0};
    if (!error) error = &unseen;
    *synth = NULL;
    hed_status status = synth_check_def(device, def, error);
    if (!status)
        status = def->instrument->layer_count ? synth_layers_create(device, def, synth, error)
                                              : synth_create_resolved(device, def, synth, error);
    if (status) return status;
    if (!(*synth)->layers) warn_of_tuning(*synth);
    for (uint32_t i = 0; (*synth)->layers && i < synth_layers_count((*synth)->layers); i++)
        warn_of_tuning(synth_layers_at((*synth)->layers, i));
    return HED_OK;
}

void hed_synth_destroy(hed_synth *synth)
{
    if (!synth) return;
    synth_layers_destroy(synth->layers);
    synth_free(synth);
}

/* ---- sound ---- */

hed_status hed_synth_process(hed_synth *synth, const hed_synth_block *block, hed_error *error)
{
    if (!synth || !block) HED_REQUIRE(synth, block);
    if (!block->left || !block->right || (block->event_count && !block->events))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "a block needs left, right and its events: one of them is NULL");
    if (block->frames < 1 || block->frames > synth->block)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "a block of %u frames; expected 1 to %u (hed_synth_def.block)", block->frames, synth->block);
    uint64_t begin = hed_now();
    hed_error unseen;
    if (!error) hed_error_clear(error = &unseen); /* clearing the whole struct would take time */
    hed_status status =
        synth->layers ? synth_layers_play(synth, block, error) : synth_play(synth, block, error);
    uint32_t stems =
        synth->layers ? synth_layers_stems(synth->layers) : synth->program->layout.stems;
    for (uint32_t i = 0; status && i < 2 * stems + 2; i++) {
        float *channel = i == 0         ? block->left
                         : i == 1       ? block->right
                         : block->stems ? block->stems[i - 2]
                                        : NULL;
        if (channel) memset(channel, 0, block->frames * sizeof *channel);
    }
    hed_meter_add(&synth->meter, hed_now() - begin);
    return status;
}

hed_status hed_synth_reset(hed_synth *synth, hed_error *error)
{
    HED_REQUIRE(synth);
    hed_error unseen = {0};
    if (!error) error = &unseen;
    return synth->layers ? synth_layers_rest(synth, error) : synth_rest(synth, error);
}

/* ---- properties and reports ---- */

hed_status hed_synth_read_bodies(
    hed_synth *synth, uint32_t instance, float *positions, float *velocities, hed_error *error)
{
    HED_REQUIRE(synth);
    hed_error unseen = {0};
    if (!error) error = &unseen;
    return synth->layers ? synth_layers_read_bodies(synth, instance, positions, velocities, error)
                         : synth_read_bodies(synth, instance, positions, velocities, error);
}

hed_synth_note_state hed_synth_note(const hed_synth *synth, uint32_t channel, uint32_t note)
{
    if (!synth || channel >= SYNTH_CHANNELS || note >= SYNTH_KEYS) return HED_SYNTH_NOTE_ENDED;
    return synth->layers ? synth_layers_note(synth->layers, channel, note)
                         : synth_note(synth, channel, note);
}

hed_synth_note_info hed_synth_check_notes(
    const hed_synth *synth, const hed_synth_event *events, uint32_t count)
{
    if (!synth || (!events && count)) return (hed_synth_note_info){0};
    return synth->layers ? synth_layers_check_notes(synth->layers, events, count)
                         : synth_voices_check_notes(synth->voices, events, count);
}

hed_synth_info hed_synth_describe(const hed_synth *synth)
{
    if (!synth) return (hed_synth_info){0};
    return synth->layers ? synth_layers_describe(synth) : synth_describe(synth);
}
