/* Synths: an instrument without layers made ready on a device, and its blocks of sound. voices.c
 * converts events to pokes, a solver runs the program, mix.c makes sound of the stems. */
#include "model/synth_model.h"
#include "solver/solver.h"

#include <math.h>

/* ---- creation ---- */

hed_status synth_make_program(const hed_allocator *allocator, hed_device *device,
    const hed_synth_def *def, uint32_t items, const hed_synth_instrument *instrument,
    synth_program **program, hed_error *error)
{
    synth_program_def shape = {.instrument = instrument, .rate = def->rate, .seed = def->seed,
        .pack = def->pack, .inputs = def->inputs, .remote = def->solver == HED_SYNTH_SOLVER_GRID,
        .vectors = def->solver == HED_SYNTH_SOLVER_CPU};
    const hed_device_info info = hed_device_describe(device);
    synth_choose_shape(&info, items, &shape.warps, &shape.lanes);
    return synth_program_create(allocator, &shape, program, error);
}

static uint64_t block_ns(const hed_synth_def *def)
{
    return (uint64_t)(def->block * 1e9 / def->rate);
}

/* Builds the program and its solver. */
static hed_status build_solver(
    hed_synth *synth, const hed_synth_instrument *instrument, bool grid, hed_error *error)
{
    if (synth_make_program(&synth->allocator, synth->device, &synth->def, synth->items, instrument,
            &synth->program, error) ||
        synth_choose_solver(synth, grid, error))
        return error->status;
    if (!synth->stream) {
        hed_stream_create(synth->device, NULL, &synth->stream, error);
        synth->own_stream = synth->stream;
    }
    return error->status ? error->status
                         : synth->ops->create(synth, synth->program, &synth->solver, error);
}

static hed_status synth_build(
    hed_synth *synth, const hed_synth_instrument *instrument, hed_error *error)
{
    char reason[256];
    bool automatic = synth->def.solver == HED_SYNTH_SOLVER_AUTO;
    /* cpu and grid have different programs, and for a grid the full program would be large */
    if (automatic && synth_is_sensible(synth, HED_SYNTH_SOLVER_CPU))
        synth->def.solver = HED_SYNTH_SOLVER_CPU;
    else if (automatic && synth_is_sensible(synth, HED_SYNTH_SOLVER_GRID) &&
             synth_grid_ops.valid(synth, reason, sizeof reason))
        synth->def.solver = HED_SYNTH_SOLVER_GRID;
    /* the grid's limits are checked only when its tables are made */
    bool may_fail = automatic && synth->def.solver == HED_SYNTH_SOLVER_GRID;
    hed_status status = build_solver(synth, instrument, true, error);
    if (may_fail && (status == HED_ERROR_UNSUPPORTED || status == HED_ERROR_LIMIT)) {
        synth_program_destroy(synth->program);
        synth->program = NULL;
        synth->def.solver = HED_SYNTH_SOLVER_AUTO;
        hed_error_clear(error);
        build_solver(synth, instrument, false, error);
    }
    hed_allocator *a = &synth->allocator;
    if (error->status ||
        synth_voices_create(
            a, &synth->instrument, synth->program, &synth->def, &synth->voices, error) ||
        synth_mix_create(a, &synth->instrument, synth->def.rate, synth_rates_filter(synth->rates),
            synth->is_layer ? SYNTH_MIX_LAYER : SYNTH_MIX_WHOLE, &synth->mix, error) ||
        synth_convert_stems(synth, synth->program, &synth->stem_converter, error))
        return error->status;
    uint64_t instances = synth->program->instances;
    synth->stem_floats = synth->def.block * instances * synth->program->layout.stems * 2;
    synth->store_words = instances * synth->program->layout.words;
    synth->stems = hed_new(a, synth->stem_floats, sizeof(float), error);
    synth->events = hed_new(a, synth->def.max_events, sizeof *synth->events, error);
    if (synth_needs_copy(synth->ops, synth->voices))
        synth->stores = hed_new(a, synth->store_words, sizeof *synth->stores, error);
    if (!synth->def.keep_awake || synth->def.resident) return error->status;
    return synth_awake_create(a, synth->device, block_ns(&synth->def), &synth->awake, error);
}

hed_status synth_convert_stems(const hed_synth *synth, const synth_program *program,
    synth_converter **converter, hed_error *error)
{
    const synth_filter *filter = synth_rates_filter(synth->rates);
    uint32_t channels = 2 * program->layout.stems;
    return filter
               ? synth_converter_create(&synth->allocator, filter, true, channels, converter, error)
               : HED_OK;
}

/* Chooses the rate of samples, and makes the solver's definition of the user's. */
static hed_status choose_rate(hed_synth *synth, const hed_synth_def *def, hed_error *error)
{
    synth_ratio ratio = synth->ratio = synth_choose_ratio(def->instrument, def->rate);
    synth->block = def->block;
    synth->def.rate = def->rate * ratio.samples / ratio.frames;
    if (ratio.samples == ratio.frames) return HED_OK;
    hed_status status = synth_rates_create(&synth->allocator, def, ratio, &synth->rates, error);
    if (status) return status;
    synth->def.block = synth_rates_samples(synth->rates);
    synth->def.max_events = synth_rates_events(synth->rates);
    return HED_OK;
}

hed_status synth_begin(
    hed_device *device, const hed_synth_def *def, hed_synth **synth, hed_error *error)
{
    hed_allocator allocator = hed_context_describe(hed_device_context(device)).allocator;
    hed_synth *created = *synth = hed_new(&allocator, 1, sizeof *created, error);
    if (!created) return HED_ERROR_MEMORY;
    created->allocator = allocator;
    created->device = device;
    created->stream = def->stream;
    created->def = *def;
    if (def->tuning) {
        memcpy(created->tuning, def->tuning, sizeof created->tuning);
        created->def.tuning = created->tuning;
    }
    created->instrument = *hed_synth_instrument_definition(def->instrument);
    created->is_layer = def->instrument->is_layer;
    created->configured =
        def->solver == HED_SYNTH_SOLVER_AUTO ? HED_ORIGIN_DEFAULT : HED_ORIGIN_GIVEN;
    hed_meter_reset(&created->meter, block_ns(def));
    return choose_rate(created, def, error);
}

hed_status synth_create_tuned(hed_device *device, const hed_synth_def *def, const hed_config *tuned,
    hed_synth **synth, hed_error *error)
{
    hed_error unseen = {0};
    if (!error) error = &unseen;
    hed_synth *created;
    hed_status status = synth_begin(device, def, &created, error);
    if (!status && tuned) synth_tuned_apply(tuned, &created->def, &created->items);
    if (!status) status = synth_build(created, def->instrument, error);
    if (created) created->def.instrument = NULL;
    if (status) synth_free(created);
    else *synth = created;
    return status;
}

hed_status synth_create_resolved(
    hed_device *device, const hed_synth_def *def, hed_synth **synth, hed_error *error)
{
    hed_config tuned;
    hed_config_origin configured;
    if (def->solver == HED_SYNTH_SOLVER_AUTO && !def->resident &&
        !synth_tuned_resolve(device, def->instrument, &tuned, &configured) &&
        configured != HED_ORIGIN_DEFAULT && !synth_create_tuned(device, def, &tuned, synth, NULL)) {
        (*synth)->configured = configured;
        return HED_OK;
    }
    return synth_create_tuned(device, def, NULL, synth, error);
}

void synth_free(hed_synth *synth)
{
    if (!synth) return;
    hed_allocator allocator = synth->allocator;
    synth_awake_destroy(synth->awake);
    hed_delete(&allocator, synth->events, synth->def.max_events, sizeof *synth->events);
    hed_delete(&allocator, synth->stems, synth->stem_floats, sizeof(float));
    hed_delete(&allocator, synth->stores, synth->store_words, sizeof *synth->stores);
    synth_mix_destroy(synth->mix);
    synth_converter_destroy(synth->stem_converter);
    synth_rates_destroy(synth->rates);
    synth_voices_destroy(synth->voices);
    if (synth->solver) synth->ops->destroy(synth->solver);
    if (synth->own_stream) hed_stream_destroy(synth->stream);
    synth_program_destroy(synth->program);
    hed_delete(&allocator, synth, 1, sizeof *synth);
}

/* ---- sound ---- */

/* Writes frames of stems that begin before the next sample, from `frame` of the block on. */
static void convert_stems(const hed_synth *synth, uint32_t frame, float *const *stems)
{
    synth_converter *converter = synth->stem_converter;
    for (; frame < synth->frames && synth_converter_is_ready(converter); frame++) {
        for (uint32_t channel = 0; channel < converter->channels; channel++)
            stems[channel][frame] = synth_convert(converter, channel);
        synth_converter_next(converter);
    }
}

/* Writes the sum of the voices for each microphone: the last `samples`, of which `sounding` are in
 * synth->stems. */
static void write_stems(
    const hed_synth *synth, uint32_t samples, uint32_t sounding, float *const *stems)
{
    uint32_t instances = synth->program->instances, channels = 2 * synth->program->layout.stems;
    /* samples and frames since the first pair */
    uint64_t begin = synth->sample - samples - synth->first_sample,
             done = synth->frame - synth->first_frame;
    synth_converter *converter = synth->stem_converter;
    for (uint32_t n = 0; n < samples; n++) {
        const float *at = synth->stems + (uint64_t)n * instances * channels;
        uint32_t frame =
            synth->written + (uint32_t)(synth_frames_before(synth->ratio, begin + n) - done);
        for (uint32_t channel = 0; channel < channels; channel++, at++) {
            float sum = 0.0f;
            for (uint32_t i = 0; n < sounding && i < instances; i++) sum += at[i * channels];
            if (converter) synth_converter_put(converter, channel, sum);
            else stems[channel][frame] = sum;
        }
        if (!converter) continue;
        synth_converter_step(converter);
        convert_stems(synth, frame, stems);
    }
}

/* Resets the instances that "all sound off" has silenced, and fades their sound. */
static hed_status synth_cut(hed_synth *synth, uint64_t instances, hed_error *error)
{
    if (!instances) return HED_OK;
    synth_mix_cut(synth->mix, instances);
    if (!synth->ops->rest) return synth->ops->write(synth->solver, NULL, NULL, error);
    hed_status status = HED_OK;
    for (uint32_t i = 0; i < 64 && !status; i++)
        if (instances >> i & 1) status = synth->ops->rest(synth->solver, i, error);
    return status;
}

/* Puts instances to rest whose fade has ended, and begins the fades of the next `frames`. */
static hed_status follow_fades(hed_synth *synth, hed_error *error)
{
    const synth_voices *voices = synth->voices;
    for (uint32_t i = 0; i < synth->program->instances && synth->ops->rest; i++)
        if (voices->faded >> i & 1 && synth->ops->rest(synth->solver, i, error))
            return error->status;
    for (uint32_t i = 0; i < synth->program->instances; i++) {
        if (voices->begun >> i & 1) synth_mix_open(synth->mix, i, voices->note_begin[i]);
        if (voices->fade_begin[i] != SYNTH_NO_FADE)
            synth_mix_fade(synth->mix, i, voices->fade_begin[i]);
    }
    return HED_OK;
}

/* Shows the voices the state before a sample at which a check is due. */
static hed_status look(hed_synth *synth, hed_error *error)
{
    synth_voices_listen(synth->voices, synth_mix_loudness(synth->mix));
    if (!synth_voices_needs_stores(synth->voices)) return HED_OK;
    const uint32_t *stores = synth->stores;
    if (synth->ops->stores) stores = synth->ops->stores(synth->solver);
    else if (synth->ops->read(synth->solver, synth->stores, NULL, error)) return error->status;
    synth_voices_look(synth->voices, stores, synth->sample);
    return HED_OK;
}

static synth_mix_out rest_of_block(const hed_synth *synth, const hed_synth_block *block)
{
    return (synth_mix_out){.left = block->left + synth->written,
        .right = block->right + synth->written,
        .frames = synth->frames - synth->written};
}

/* Counts the frames that were written to `out`. */
static void count_frames(hed_synth *synth, const synth_mix_out *out)
{
    uint32_t frames = synth->frames - synth->written - out->frames;
    synth->written += frames;
    synth->frame += frames;
}

/* Plays a part of a block: frames from `first`, in all of which the synth rests or plays, with
 * sound in the inputs `heard`. The events' frames count from `first` on. */
static hed_status play_part(hed_synth *synth, const hed_synth_block *block, uint32_t first,
    uint32_t frames, uint64_t heard, const hed_synth_event *events, uint32_t event_count,
    hed_error *error)
{
    const float *inputs[SYNTH_MOST_INPUTS];
    for (uint32_t i = 0; block->inputs && i < synth->def.inputs; i++)
        inputs[i] = block->inputs[i] + first;
    synth_run run = {.sample = synth->sample, .frames = frames,
        .inputs = block->inputs ? inputs : NULL, .stems = synth->stems};
    bool resting = synth_mix_resting(synth->mix) > 0;
    if (!resting && synth_voices_next_look(synth->voices, synth->sample) == synth->sample &&
        look(synth, error))
        return error->status;
    synth_voices_set_time(synth->voices, synth->sample);
    synth_voices_hear(synth->voices, resting ? 0 : heard);
    if (synth_voices_run(
            synth->voices, events, event_count, frames, &run.pokes, &run.poke_begin, error) ||
        follow_fades(synth, error) ||
        (!resting && (synth_cut(synth, synth_voices_silenced(synth->voices), error) ||
                         synth->ops->run(synth->solver, &run, error))))
        return error->status;
    synth->sample += frames;
    const synth_program *program = synth->program;
    synth_mix_out out = rest_of_block(synth, block);
    uint32_t sounding = synth_mix_run(synth->mix, resting ? NULL : synth->stems, program->instances,
        program->layout.stems, frames, &out);
    if (block->stems) write_stems(synth, frames, resting ? 0 : sounding, block->stems);
    count_frames(synth, &out);
    if (resting)
        synth_voices_adopt(synth->voices, synth->voices); /* no solver has applied the pokes */
    if (sounding == frames) return HED_OK;
    /* the breaker opened: reset everything except keys, controllers and bends */
    hed_status status = synth->ops->write(synth->solver, NULL, NULL, error);
    synth_voices_adopt(synth->voices, synth->voices);
    synth_voices_forget_sleep(synth->voices, UINT64_MAX);
    return status;
}

/* Returns the number of frames, up to `frames`, before the next "all sound off"; one at frame
 * `first` is ignored. */
static uint32_t frames_until_cut(const hed_synth *synth, const hed_synth_block *block,
    uint32_t event, uint32_t first, uint32_t frames)
{
    for (; event < block->event_count && block->events[event].frame < first + frames; event++)
        if (block->events[event].frame > first &&
            synth_voices_is_sound_off(synth->voices, &block->events[event]))
            return block->events[event].frame - first;
    return frames;
}

/* Returns the inputs with sound within `frames` from `first` on. Shortens `frames` to end before
 * sound that wakes a sleeping island, or an island that the check at the first frame may put to
 * sleep. */
static uint64_t listen_to_inputs(
    const hed_synth *synth, const hed_synth_block *block, uint32_t first, uint32_t *frames)
{
    bool looks = synth_voices_next_look(synth->voices, synth->sample) == synth->sample;
    uint64_t listened = block->inputs ? synth_voices_inputs(synth->voices, false) : 0, heard = 0,
             wakes = listened && !looks ? synth_voices_inputs(synth->voices, true) : listened;
    for (uint32_t i = 0; listened >> i && i < synth->def.inputs; i++) {
        const float *input = block->inputs[i] + first;
        uint32_t at = 0;
        if (!(listened >> i & 1)) continue;
        while (at < *frames && !(fabs(input[at]) > SYNTH_INAUDIBLE)) at++;
        if (at == *frames) continue;
        if (at > 0 && wakes >> i & 1) *frames = at;
        else heard |= 1ull << i;
    }
    return heard;
}

/* Plays a block in parts, so that rests of the breaker, cuts, checks of islands and their waking
 * take effect at their exact samples for every block size. */
static hed_status play_samples(hed_synth *synth, const hed_synth_block *block, hed_error *error)
{
    uint32_t done = 0;
    hed_status status = HED_OK;
    for (uint32_t first = 0, frames; first < block->frames; first += frames) {
        uint32_t resting = synth_mix_resting(synth->mix),
                 limit = resting ? resting : SYNTH_MIX_HOLD, end = done;
        frames = block->frames - first < limit ? block->frames - first : limit;
        uint64_t next = synth_voices_next_look(synth->voices, synth->sample + 1) - synth->sample,
                 end_of_fade = synth_voices_next_end(synth->voices, synth->sample) - synth->sample;
        if (frames > next) frames = (uint32_t)next;
        if (frames > end_of_fade) frames = (uint32_t)end_of_fade;
        frames = frames_until_cut(synth, block, done, first, frames);
        uint64_t heard = listen_to_inputs(synth, block, first, &frames);
        /* the last part gets events beyond the block, which are rejected */
        bool last = first + frames == block->frames;
        while (end < block->event_count && (last || block->events[end].frame < first + frames))
            end++;
        const hed_synth_event *events = block->event_count ? block->events + done : NULL;
        if (first > 0 && end - done <= synth->def.max_events) {
            for (uint32_t i = done; i < end; i++) {
                synth->events[i - done] = block->events[i];
                synth->events[i - done].frame -=
                    first < block->events[i].frame ? first : block->events[i].frame;
            }
            events = synth->events;
        }
        status = play_part(synth, block, first, frames, heard, events, end - done, error);
        if (status) return status;
        done = end;
    }
    return HED_OK;
}

/* Writes the frames that begin before the next sample: several do if samples are longer than frames. */
static void finish_sample(hed_synth *synth, const hed_synth_block *block)
{
    uint64_t samples = synth->sample - synth->first_sample,
             frames = synth->frame - synth->first_frame;
    synth_mix_out out = rest_of_block(synth, block);
    synth_mix_resume(synth->mix, samples, frames, &out);
    /* blocks without stems are not converted */
    synth_converter_seek(synth->stem_converter, samples, frames);
    if (block->stems) convert_stems(synth, 0, block->stems);
    count_frames(synth, &out);
}

/* Plays a block of frames that are not samples. */
static hed_status play_pieces(hed_synth *synth, const hed_synth_block *block, hed_error *error)
{
    hed_status status = HED_OK;
    synth_piece piece = {0};
    finish_sample(synth, block);
    while (!status && synth_rates_next(synth->rates, block, &piece))
        status = play_samples(synth, &piece.block, error);
    if (!status) return HED_OK;
    /* the rest of the block is lost; the next one begins with a sample */
    synth_rates_reset(synth->rates);
    synth->frame += synth->frames - synth->written;
    synth->first_frame = synth->frame;
    synth->first_sample = synth->sample;
    return status;
}

hed_status synth_play(hed_synth *synth, const hed_synth_block *block, hed_error *error)
{
    /* before any part has changed anything */
    if (synth_voices_check(synth->voices, block->events, block->event_count, block->frames, error))
        return error->status;
    synth->written = 0;
    synth->frames = block->frames;
    hed_status status =
        synth->rates ? play_pieces(synth, block, error) : play_samples(synth, block, error);
    if (!status && synth->awake) status = synth_awake_extend(synth->awake, error);
    return status;
}

hed_status synth_rest(hed_synth *synth, hed_error *error)
{
    synth_voices_reset(synth->voices);
    synth_mix_reset(synth->mix);
    synth_rates_reset(synth->rates);
    synth_converter_reset(synth->stem_converter);
    synth->sample = synth->frame = synth->first_sample = synth->first_frame = 0;
    return synth->ops->write(synth->solver, NULL, NULL, error);
}

/* ---- properties and reports ---- */

/* Copies vectors of bodies from signal field `field` of the half that the next sample reads;
 * numbers beyond `most` become 0. */
static void copy_vectors(const hed_synth *synth, const uint32_t *store, const uint32_t *order,
    uint32_t field, float most, double factor, float *to)
{
    const synth_layout *layout = &synth->program->layout;
    const uint32_t *half = store + layout->signals + (synth->sample & 1) * layout->signal_count;
    for (uint32_t i = 0; i < layout->type[SYNTH_BODY].count; i++)
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t word = half[synth_signal(layout, SYNTH_BODY, field + k, order[i])];
            to[3 * i + k] = (float)(synth_within(hed_as_float(word), most) * factor);
        }
}

hed_status synth_read_bodies(
    hed_synth *synth, uint32_t instance, float *positions, float *velocities, hed_error *error)
{
    if (instance >= synth->program->instances)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "instance %u of %u", instance, synth->program->instances);
    if (synth->ops->bodies) return synth->ops->bodies(synth->solver, positions, velocities, error);
    const synth_program *program = synth->program;
    const synth_layout *layout = &program->layout;
    uint64_t words = (uint64_t)program->instances * layout->words,
             floats = (uint64_t)program->instances * layout->delay_words;
    uint32_t bodies = layout->type[SYNTH_BODY].count;
    hed_arena scratch = {.allocator = synth->allocator, .owner = "positions of bodies"};
    uint32_t *stores = hed_arena_new(&scratch, words, sizeof *stores, error),
             *order = hed_arena_new(&scratch, bodies, sizeof *order, error);
    float *delays = hed_arena_new(&scratch, floats, sizeof *delays, error);
    if (!error->status && !synth->ops->read(synth->solver, stores, delays, error)) {
        const uint32_t *store = stores + (uint64_t)instance * layout->words;
        /* elements of bodies in the instrument's order, which is that of the entities' numbers */
        for (uint32_t entity = 1, count = 0; entity <= program->entity_count; entity++)
            if (SYNTH_SEAT_TYPE(program->seats[entity]) == SYNTH_BODY)
                order[count++] = SYNTH_SEAT_ENTITY(program->seats[entity]);
        if (positions) copy_vectors(synth, store, order, BODY_O_X, SYNTH_MOST_BODY, 1.0, positions);
        if (velocities)
            copy_vectors(
                synth, store, order, BODY_O_U, SYNTH_MOST_SPEED, synth->def.rate, velocities);
    }
    hed_arena_free(&scratch);
    return error->status;
}

hed_synth_note_state synth_note(const hed_synth *synth, uint32_t channel, uint32_t note)
{
    return synth_voices_note(synth->voices, channel, note, synth_mix_loudness(synth->mix));
}

/* True if the pitches of hed_synth_def.tuning act: on voices, or on oscillators that follow notes. */
static bool follows_tuning(const hed_synth *synth)
{
    bool follows = synth->instrument.mode != HED_SYNTH_SINGLETON;
    for (uint32_t t = 0; t < synth->program->target_count && !follows; t++)
        follows = synth->program->targets[t].follow == SYNTH_FOLLOW_NOTE;
    return synth->def.tuning && follows;
}

hed_synth_info synth_describe(const hed_synth *synth)
{
    hed_synth_info info = {.solver = synth->ops->id, .instances = synth->program->instances,
        .microphones = synth->program->layout.stems, .load = hed_meter_describe(&synth->meter),
        .samples = synth->frame, .sounding = synth_voices_sounding(synth->voices),
        .notes = synth_voices_notes(synth->voices), .tuned = follows_tuning(synth)};
    for (uint32_t type = 0; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++)
        info.entities[type] = synth->program->layout.type[type].count;
    synth_voices_report_sleep(synth->voices, &info);
    synth->ops->report(synth->solver, &info);
    info.configured = synth->configured;
    synth_mix_report(synth->mix, &info);
    info.oversampling = (double)synth->ratio.samples / synth->ratio.frames;
    if (synth->rates)
        info.input_latency = info.stem_latency = synth_rates_filter(synth->rates)->delay;
    return info;
}
