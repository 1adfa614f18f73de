/* Change of an instrument: the changed one is packed next to the sounding one and then swapped
 * in; entities in both keep their state. hed_synth_prepare() does everything that allocates, so
 * that hed_synth_apply() can be called in an audio callback. */
#include "model/synth_model.h"
#include "solver/solver.h"

/* A prepared change: before hed_synth_apply() the new parts, afterwards the replaced ones. */
struct hed_synth_change {
    hed_allocator allocator;
    const synth_solver_ops *ops;
    hed_synth_instrument_def instrument;
    synth_program *program;
    synth_solver *solver;
    synth_voices *voices;
    float *stems;
    uint64_t stem_floats;
    synth_converter *stem_converter;
    uint32_t *looked; /* (looked_words) as hed_synth.stores */
    uint64_t looked_words;
    const synth_program *of; /* the program to be replaced, when the change was prepared */
    hed_arena arena;         /* memory of the four arrays that follow */
    uint32_t *old_stores, *stores;
    float *old_delays, *delays;
    uint64_t old_words, words, old_floats, floats; /* sizes for all instances together */
    /* change of each layer of a synth with layers, NULL after the last, and the layers' ranges;
     * such a synth uses no member above but `instrument` */
    hed_synth_change *layers[SYNTH_MOST_LAYERS];
    synth_layer_range ranges[SYNTH_MOST_LAYERS];
    bool applied;
};

static hed_status rebuild_check_defs(
    const hed_synth *synth, const hed_synth_instrument *instrument, hed_error *error)
{
    if (!synth || !instrument)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "a change needs a synth and an instrument: one of them is NULL");
    if (!synth->layers && instrument->layer_count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "the instrument has layers and the synth's has none: make another synth for it");
    const hed_synth_instrument_def *old = &synth->instrument,
                                   *def = hed_synth_instrument_definition(instrument);
    if (def->mode == old->mode && (def->mode == HED_SYNTH_SINGLETON || def->voices == old->voices))
        return HED_OK;
    return hed_fail(error, HED_ERROR_ARGUMENT,
        "the instrument has mode %d with %u voices, the synth plays mode %d with %u: make another synth for it",
        (int)def->mode, def->voices, (int)old->mode, old->voices);
}

static hed_status rebuild_solver(const hed_synth *synth, const hed_synth_instrument *instrument,
    hed_synth_change *c, hed_error *error)
{
    char reason[256];
    if (synth->def.resident)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "while a resident kernel runs the driver gives no memory: a resident synth cannot be changed");
    if (synth_make_program(&synth->allocator, synth->device, &synth->def, synth->items, instrument,
            &c->program, error))
        return error->status;
    /* copy only members that never change while another thread plays */
    hed_synth view = {.allocator = synth->allocator, .device = synth->device,
        .stream = synth->stream, .def = synth->def, .items = synth->items,
        .instrument = c->instrument, .program = c->program, .ops = synth->ops};
    view.def.instrument = instrument;
    if (!c->ops->valid(&view, reason, sizeof reason))
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "solver %s cannot run the changed instrument: %s", hed_synth_solver_name(c->ops->id),
            reason);
    if (c->ops->create(&view, c->program, &c->solver, error) ||
        synth_voices_create(
            &c->allocator, &c->instrument, c->program, &synth->def, &c->voices, error) ||
        synth_convert_stems(synth, c->program, &c->stem_converter, error))
        return error->status;
    uint64_t instances = c->program->instances;
    c->stem_floats = (uint64_t)synth->def.block * instances * c->program->layout.stems * 2;
    c->old_words = instances * c->of->layout.words;
    c->words = instances * c->program->layout.words;
    c->old_floats = instances * c->of->layout.delay_words;
    c->floats = instances * c->program->layout.delay_words;
    hed_allocator *a = &c->allocator;
    c->stems = hed_new(a, c->stem_floats, sizeof *c->stems, error);
    c->old_stores = hed_arena_new(&c->arena, c->old_words, sizeof *c->old_stores, error);
    c->stores = hed_arena_new(&c->arena, c->words, sizeof *c->stores, error);
    c->old_delays = hed_arena_new(&c->arena, c->old_floats, sizeof *c->old_delays, error);
    c->delays = hed_arena_new(&c->arena, c->floats, sizeof *c->delays, error);
    if (synth_needs_copy(c->ops, c->voices)) {
        c->looked_words = c->words;
        c->looked = hed_new(a, c->words, sizeof *c->looked, error);
    }
    return error->status;
}

/* Prepares a change of each layer. */
static hed_status prepare_layers(const hed_synth *synth, const hed_synth_instrument *instrument,
    hed_synth_change *c, hed_error *error)
{
    uint32_t count = synth_layers_count(synth->layers);
    if (instrument->layer_count != count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "the instrument has %u layers, the synth plays %u: make another synth for it",
            instrument->layer_count, count);
    for (uint32_t i = 0; i < count && !error->status; i++) {
        hed_synth_instrument *content;
        if (synth_layer_extract(instrument, i, true, &content, error)) break;
        hed_synth_prepare(synth_layers_at(synth->layers, i), content, &c->layers[i], error);
        c->ranges[i] = synth_layers_range(instrument, i);
        hed_synth_instrument_destroy(content);
    }
    return error->status;
}

hed_status hed_synth_prepare(const hed_synth *synth, const hed_synth_instrument *instrument,
    hed_synth_change **change, hed_error *error)
{
    HED_REQUIRE(synth, instrument, change);
    if (!change)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "hed_synth_prepare needs a place for the change");
    *change = NULL;
    hed_error unseen = {0};
    if (!error) error = &unseen;
    if (rebuild_check_defs(synth, instrument, error)) return error->status;
    hed_synth_change *created = hed_new(&synth->allocator, 1, sizeof *created, error);
    if (!created) return HED_ERROR_MEMORY;
    created->arena = (hed_arena){.allocator = synth->allocator, .owner = "a changed instrument"};
    created->allocator = synth->allocator;
    created->ops = synth->ops;
    created->of = synth->program;
    created->instrument = *hed_synth_instrument_definition(instrument);
    hed_status status = synth->layers ? prepare_layers(synth, instrument, created, error)
                                      : rebuild_solver(synth, instrument, created, error);
    if (status) hed_synth_change_destroy(created);
    else *change = created;
    return status;
}

#define SWAP(T, a, b) \
    do { \
        T swapped = (a); \
        (a) = (b); \
        (b) = swapped; \
    } while (0)

/* Applies the changes of all layers. */
static hed_status apply_layers(hed_synth *synth, hed_synth_change *change, hed_error *error)
{
    for (uint32_t i = 0; i < synth_layers_count(synth->layers); i++)
        if (hed_synth_apply(synth_layers_at(synth->layers, i), change->layers[i], error))
            return error->status;
    synth_layers_adopt(synth->layers, change->ranges);
    synth_mix_adopt(synth->mix, &change->instrument);
    synth->instrument = change->instrument;
    change->applied = true;
    return HED_OK;
}

hed_status hed_synth_apply(hed_synth *synth, hed_synth_change *change, hed_error *error)
{
    HED_REQUIRE(synth, change);
    if (change->applied || change->of != synth->program)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "this change was applied before, or prepared before another one was applied: prepare it again");
    hed_error unseen;
    if (!error) hed_error_clear(error = &unseen);
    if (synth->layers) return apply_layers(synth, change, error);
    if (synth->ops->read(synth->solver, change->old_stores, change->old_delays, error))
        return error->status;
    const synth_layout *from = &synth->program->layout, *to = &change->program->layout;
    for (uint64_t i = 0; i < change->program->instances; i++)
        synth_program_carry(synth->program, change->old_stores + i * from->words,
            change->old_delays + i * from->delay_words, change->program,
            change->stores + i * to->words, change->delays + i * to->delay_words);
    if (change->ops->write(change->solver, change->stores, change->delays, error) ||
        (change->ops->carry && change->ops->carry(change->solver, synth->solver, error)))
        return error->status;
    synth_voices_adopt(change->voices, synth->voices);
    synth_mix_adopt(synth->mix, &change->instrument);
    SWAP(synth_program *, synth->program, change->program);
    SWAP(synth_solver *, synth->solver, change->solver);
    SWAP(synth_voices *, synth->voices, change->voices);
    SWAP(float *, synth->stems, change->stems);
    SWAP(uint64_t, synth->stem_floats, change->stem_floats);
    SWAP(synth_converter *, synth->stem_converter, change->stem_converter);
    SWAP(uint32_t *, synth->stores, change->looked);
    change->looked_words = synth->store_words;
    synth->store_words = change->words;
    synth->instrument = change->instrument;
    change->applied = true;
    return HED_OK;
}

void hed_synth_change_destroy(hed_synth_change *c)
{
    if (!c) return;
    hed_allocator allocator = c->allocator;
    for (uint32_t i = 0; i < SYNTH_MOST_LAYERS; i++) hed_synth_change_destroy(c->layers[i]);
    if (c->solver) c->ops->destroy(c->solver);
    synth_converter_destroy(c->stem_converter);
    synth_voices_destroy(c->voices);
    synth_program_destroy(c->program);
    hed_delete(&allocator, c->stems, c->stem_floats, sizeof *c->stems);
    hed_delete(&allocator, c->looked, c->looked_words, sizeof *c->looked);
    hed_arena_free(&c->arena);
    hed_delete(&allocator, c, 1, sizeof *c);
}
