/* Descriptions of `synth_group`, `synth_global` and `synth_resident`: a program run for a block,
 * with a work-group for each instance; and the native version, which steps the same rows one
 * entity after the other. */
#include "solver/group/group_kernels.h"
#include "heddle/author.h"
#include "support/words.h"
#include "kernels/physics.h"
#include "tables/synth_program.h"

#include <string.h>

enum { WG };

/* ---- native ---- */

/* Applies the pokes from *poke on that are due at `frame`. */
HED_NATIVE_BODY apply(uint *store, const uint *pokes, uint *poke, uint end, uint frame)
{
    for (; *poke < end && pokes[3 * *poke] == frame; ++*poke)
        store[pokes[3 * *poke + 1]] = pokes[3 * *poke + 2];
}

HED_NATIVE_BODY run_instance(
    const hed_native_call *call, const synth_store_view *view, uint instance)
{
    const synth_layout *layout = &view->layout;
    uint frames = view->frames, instances = (uint)call->geometry->native_items;
    const uint *pokes = view->pokes;
    uint poke = pokes[instance], end = pokes[instance + 1];
    synth_at at = {.store = view->stores + (size_t)instance * layout->words, .instance = instance,
        .frames = frames, .inputs = view->inputs,
        .delay = view->delays + (size_t)instance * layout->delay_words};
    const uint *rows = at.store + layout->rows,
               count = at.store[layout->row_begin + layout->warps] * layout->lanes;
    for (uint frame = 0; frame < frames; frame++) {
        apply(at.store, pokes + instances + 1, &poke, end, frame);
        at.sample = view->sample + frame;
        at.frame = frame;
        at.read = layout->signals + (at.sample & 1u) * layout->signal_count;
        at.write = layout->signals + (~at.sample & 1u) * layout->signal_count;
        at.stems = view->stems + ((size_t)frame * instances + instance) * layout->stems * 2;
        for (uint i = 0; i < count; i++)
            if (rows[i] != SYNTH_EMPTY)
                synth_entity(layout, &at, SYNTH_SEAT_TYPE(rows[i]), SYNTH_SEAT_ENTITY(rows[i]));
        synth_late(layout, &at, 0, 1);
        if (synth_is_checked(at.sample) && layout->stems > 0 && synth_is_broken(layout, &at, 0, 1))
            at.stems[0] = hed_as_float(HED_NAN_BITS);
    }
    apply(at.store, pokes + instances + 1, &poke, end, frames);
}

HED_NATIVE_BODY store_native_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const synth_store_view view = synth_store_view_of(call->arguments);
    for (uint64_t instance = begin; instance < end; instance++)
        run_instance(call, &view, (uint)instance);
}

HED_NATIVE_CLONES(store_native, store_native_body)

/* ---- shape and cost ---- */

static void geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    uint64_t instances = (uint64_t)problem->sizes[SYNTH_STORE_INSTANCES],
             group = (uint64_t)config->values[WG];
    *layout = (hed_geometry){.dimensions = 1, .global = {instances * group},
        .group = {(uint32_t)group}, .native_items = instances};
    const hed_argument_def *last = &def->arguments[def->argument_count - 1];
    if (last->kind == HED_LOCAL)
        layout->local_bytes[def->argument_count - 1] =
            4 * (uint64_t)problem->sizes[SYNTH_STORE_WORDS];
}

/* Estimates the work: stores are read and written once; an entity takes some 100 operations a
 * sample. */
static void work(const hed_kernel_def *def, const hed_config *config, const hed_problem *problem,
    hed_work *amount)
{
    (void)def, (void)config;
    double instances = (double)problem->sizes[SYNTH_STORE_INSTANCES],
           words = (double)problem->sizes[SYNTH_STORE_WORDS];
    double steps = instances * (double)problem->sizes[SYNTH_STORE_ITEMS] *
                   (double)problem->sizes[SYNTH_STORE_BLOCK];
    *amount =
        (hed_work){.bytes = 8.0 * instances * words, .operations = 100.0 * steps, .items = steps};
}

/* ---- samples: the instrument of sample.c, `items` bodies long ---- */

static uint64_t store_sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    (void)def, (void)config;
    const int64_t *sizes = problem->sizes;
    return synth_sample_bytes((uint32_t)sizes[SYNTH_STORE_ITEMS],
        (uint32_t)sizes[SYNTH_STORE_INSTANCES], (uint32_t)sizes[SYNTH_STORE_BLOCK], argument);
}

static void sample_fill(const hed_kernel_def *def, const hed_problem *problem, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed)
{
    (void)def;
    const int64_t *sizes = problem->sizes;
    memset(data, 0, bytes);
    synth_sample_fill((uint32_t)sizes[SYNTH_STORE_ITEMS], (uint32_t)sizes[SYNTH_STORE_INSTANCES],
        (uint32_t)sizes[SYNTH_STORE_BLOCK], argument, data, bytes, seed);
}

static const hed_problem problems[] = {
    HED_PROBLEM(1, 4096, 3, 24), HED_PROBLEM(3, 6144, 40, 17), HED_PROBLEM(1, 8192, 100, 33)};

#define COMMON \
    HED_SOURCES(SYNTH_PHYSICS_SOURCES, {"store.cl", hed_synth_store_cl, 0}), \
        HED_PARAMETERS(HED_PARAMETER(WG, 256, 32, 64, 128, 256, 384, 512, 640, 768, 1024)), \
        HED_DIMENSIONS("instances", "words", "items", "block"), \
        .max_threads = "WG", .min_groups = 1, .geometry = geometry
#define LAUNCHED \
    .entry = "synth_program", .native_ignores = HED_ALL_PARAMETERS, .range = store_native, \
    .work = work, .metric = HED_METRIC_ITEMS, .metric_unit = "Gsteps/s", \
    .sample = {problems, HED_COUNT(problems), {4, {264, 11776, 256, 64}}, store_sample_bytes, \
        sample_fill, 1}

/* Stores are integers and floats mixed: compared in strict mode only. */
#define WITHIN \
    [HED_ROW(synth_store_view, stores)].tolerance = 1e30, \
                               [HED_ROW(synth_store_view, delays)].tolerance = 1e-3, \
                               [HED_ROW(synth_store_view, stems)].tolerance = 1e-3

const hed_kernel_def synth_group_def = {.name = "synth_group",
    .summary = "an instrument for a block, each instance in the local memory of a group",
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(SYNTH_STORE_IN_LOCAL), WITHIN),
    HED_DEFINES({"IN_LOCAL", "1"}, {"SYNTH_SPACE", "__local"}),
    COMMON,
    LAUNCHED};
const hed_kernel_def synth_global_def = {.name = "synth_global",
    .summary = "an instrument for a block, each instance in global memory",
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(SYNTH_STORE), WITHIN),
    HED_DEFINES({"IN_LOCAL", "0"}, {"SYNTH_SPACE", "__global"}),
    COMMON,
    LAUNCHED};
/* `words` of its problem: of a request and a store together. */
const hed_kernel_def synth_resident_def = {.name = "synth_resident", .entry = "synth_resident",
    .summary = "an instrument that stays in local memory, each instance in a group",
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(SYNTH_RESIDENT)),
    HED_DEFINES({"IN_LOCAL", "1"}, {"SYNTH_SPACE", "__local"}, {"RESIDENT", "1"}),
    .needs = HED_CAN_RESIDENT | HED_CAN_COOPERATIVE | HED_CAN_PACKETS | HED_CAN_MAPPED,
    COMMON};

/* Descriptions of the engine's kernels, for conformance tests, tuning, benchmarks and the kernel
 * cache. */

static const hed_kernel_def *const kernels[] = {
    &synth_group_def,
    &synth_global_def,
};

uint32_t hed_synth_kernel_count(void) { return HED_COUNT(kernels); }

const hed_kernel_def *hed_synth_kernel_at(uint32_t index)
{
    return index < HED_COUNT(kernels) ? kernels[index] : NULL;
}

/* ---- the instrument ---- */

/* An instrument under construction; the first error ends it. */
typedef struct building {
    hed_synth_instrument *instrument;
    hed_synth_entity first_body, first_spring;
    uint32_t bodies;
    hed_error *error;
    hed_status status;
} building;

static hed_synth_entity store_add(building *b, const hed_synth_entity_def *def)
{
    hed_synth_entity made = 0;
    if (!b->status) b->status = hed_synth_instrument_add(b->instrument, def, NULL, &made, b->error);
    return made;
}

static void link_to(building *b, hed_synth_entity from, hed_synth_entity to, float weight)
{
    if (!b->status)
        b->status = hed_synth_instrument_link(b->instrument, from, to, weight, b->error);
}

static void store_modulate(building *b, hed_synth_entity source, hed_synth_entity entity,
    hed_synth_target target, hed_synth_modulation_mode mode, float depth)
{
    hed_synth_modulation_def def = {
        source, entity, target, mode, depth, target == HED_SYNTH_TARGET_PAN};
    if (!b->status) b->status = hed_synth_instrument_modulate(b->instrument, &def, b->error);
}

/* Returns body `part` of 7 along the string. */
static hed_synth_entity store_body_at(const building *b, uint32_t part)
{
    return b->first_body + (b->bodies - 1) * part / 7;
}

static void add_string(building *b)
{
    hed_synth_grid_def def = hed_default_synth_grid_def();
    hed_synth_generated made = {0};
    def.size[0] = b->bodies;
    def.size[1] = def.size[2] = 1;
    def.step[0][0] = 0.01f;
    def.body.mass = 0.0005f;
    def.spring.stiffness = 20000.0f;
    def.spring.rest_length = -0.9f;
    def.spring.damping = 0.001f;
    def.spring.cubic = 1e5f;
    def.anchor_ends[0][0] = def.anchor_ends[0][1] = b->bodies > 2;
    b->status = hed_synth_instrument_add_grid(b->instrument, &def, NULL, &made, b->error);
    b->first_body = made.first_body;
    b->first_spring = made.first_spring;
}

static hed_synth_entity add_microphone(building *b, float pan, bool heard)
{
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_MICROPHONE);
    def.as.microphone.position[1] = 0.3f;
    def.as.microphone.isotropy = 0.25f;
    def.as.microphone.directionality = 0.5f;
    def.as.microphone.pan = pan;
    def.as.microphone.heard = heard;
    def.as.microphone.ratio = 4.0f;
    def.as.microphone.threshold = -30.0f;
    hed_synth_entity made = store_add(b, &def);
    for (uint32_t i = 0; i < b->bodies; i++)
        link_to(b, made, b->first_body + i, 0.5f + 0.5f * (float)i / (float)b->bodies);
    return made;
}

static void add_exciters(
    building *b, hed_synth_entity lfo, hed_synth_entity envelope, hed_synth_entity delay)
{
    for (uint32_t type = HED_SYNTH_MALLET; type <= HED_SYNTH_AUDIO_INPUT; type++) {
        hed_synth_entity_def def = hed_default_synth_entity_def((hed_synth_entity_type)type);
        if (type == HED_SYNTH_MALLET) def.as.mallet.noise = 0.2f;
        if (type == HED_SYNTH_OSCILLATOR) def.as.oscillator.follows_note = true;
        if (type == HED_SYNTH_AUDIO_INPUT) def.as.audio_input.gain = 0.1f;
        hed_synth_entity made = store_add(b, &def);
        link_to(b, made, store_body_at(b, 2 + type - HED_SYNTH_MALLET), 1.0f);
        link_to(b, made, store_body_at(b, 1), 0.5f);
        if (type == HED_SYNTH_DAMPER) continue; /* has no values to modulate */
        hed_synth_target target = type == HED_SYNTH_MALLET ? HED_SYNTH_TARGET_HARDNESS
                                  : type == HED_SYNTH_BOW  ? HED_SYNTH_TARGET_ROSIN_STICTION
                                                           : HED_SYNTH_TARGET_ROTATION;
        store_modulate(
            b, type % 2 ? lfo : envelope, made, target, HED_SYNTH_MODULATE_EXPONENTIAL, 0.3f);
    }
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_AUDIO_INPUT);
    def.as.audio_input.gain = 0.001f;
    hed_synth_entity echo = store_add(b, &def);
    link_to(b, echo, store_body_at(b, 5), 1.0f);
    link_to(b, echo, delay, 1.0f);
}

static hed_synth_entity store_add_modulator(
    building *b, hed_synth_entity_type type, hed_synth_entity source)
{
    hed_synth_entity_def def = hed_default_synth_entity_def(type);
    if (type == HED_SYNTH_LFO)
        def.as.lfo = (hed_synth_lfo_def){.wave = HED_SYNTH_WAVE_SINE,
            .frequency = 300.0f,
            .pulse_width = 0.5f,
            .depth = 1.0f,
            .route = {0, 0, 127}};
    if (type == HED_SYNTH_FOLLOWER) def.as.follower.source = source;
    if (type == HED_SYNTH_DELAY_LINE) {
        def.as.delay_line.source = source;
        def.as.delay_line.seconds = 0.0002f;
    }
    return store_add(b, &def);
}

hed_status synth_sample_instrument(
    uint32_t bodies, hed_synth_instrument **instrument, hed_error *error)
{
    building b = {.bodies = bodies, .error = error};
    *instrument = NULL;
    b.status = hed_synth_instrument_create(NULL, NULL, &b.instrument, error);
    if (b.status) return b.status;
    add_string(&b);
    hed_synth_entity left = add_microphone(&b, -0.5f, true),
                     quiet = add_microphone(&b, 0.0f, false);
    hed_synth_entity lfo = store_add_modulator(&b, HED_SYNTH_LFO, 0),
                     envelope = store_add_modulator(&b, HED_SYNTH_ENVELOPE, 0);
    hed_synth_entity follower = store_add_modulator(&b, HED_SYNTH_FOLLOWER, quiet),
                     source = store_add_modulator(&b, HED_SYNTH_MIDI_SOURCE, 0);
    hed_synth_entity delay = store_add_modulator(&b, HED_SYNTH_DELAY_LINE, quiet);
    add_exciters(&b, lfo, envelope, delay);
    store_modulate(&b, lfo, left, HED_SYNTH_TARGET_PAN, HED_SYNTH_MODULATE_ADD, 0.5f);
    store_modulate(
        &b, follower, lfo, HED_SYNTH_TARGET_FREQUENCY, HED_SYNTH_MODULATE_MULTIPLY, 0.5f);
    store_modulate(&b, source, envelope, HED_SYNTH_TARGET_DEPTH, HED_SYNTH_MODULATE_MULTIPLY, 1.0f);
    store_modulate(
        &b, lfo, store_body_at(&b, 3), HED_SYNTH_TARGET_MASS, HED_SYNTH_MODULATE_MULTIPLY, 0.1f);
    if (bodies > 1)
        store_modulate(&b, lfo, b.first_spring, HED_SYNTH_TARGET_REST_LENGTH,
            HED_SYNTH_MODULATE_MULTIPLY, 0.01f);
    if (b.status) hed_synth_instrument_destroy(b.instrument);
    else *instrument = b.instrument;
    return b.status;
}

/* ---- arguments ---- */

enum { POKES = 5, WARPS = 4, LANES = 32 };

static synth_program *make_sample_program(uint32_t bodies)
{
    hed_allocator allocator = hed_default_allocator();
    hed_error error = {0};
    hed_synth_instrument *instrument;
    synth_program *program = NULL;
    if (synth_sample_instrument(bodies, &instrument, &error)) return NULL;
    synth_program_def def = {.instrument = instrument, .rate = 48000.0, .seed = 1, .warps = WARPS,
        .lanes = LANES, .pack = HED_PACK_ROWS, .inputs = 1};
    synth_program_create(&allocator, &def, &program, &error);
    hed_synth_instrument_destroy(instrument);
    return program;
}

uint64_t synth_sample_bytes(uint32_t bodies, uint32_t instances, uint32_t frames, uint32_t argument)
{
    synth_program *program = make_sample_program(bodies);
    if (!program) return 0;
    const synth_layout *layout = &program->layout;
    uint64_t words[HED_MAX_ARGUMENTS] = {
        [HED_ROW(synth_store_view, stores)] = (uint64_t)instances * layout->words,
        [HED_ROW(synth_store_view, delays)] = (uint64_t)instances * layout->delay_words,
        [HED_ROW(synth_store_view, inputs)] = frames,
        [HED_ROW(synth_store_view, stems)] = (uint64_t)frames * instances * layout->stems * 2,
        [HED_ROW(synth_store_view, pokes)] = instances + 1 + (uint64_t)instances * POKES * 3,
    };
    synth_program_destroy(program);
    return 4 * words[argument];
}

/* Writes pokes that start a note at once in each instance, and increase the dilation a little
 * later. */
static void fill_pokes(
    const synth_program *program, uint32_t instances, uint32_t frames, uint32_t *to)
{
    uint32_t gate = program->gates[0].word;
    synth_poke *pokes = (synth_poke *)(to + instances + 1);
    for (uint32_t i = 0; i < instances; i++) {
        const synth_poke made[POKES] = {{0, gate + SYNTH_GATE_VELOCITY, hed_as_uint(0.8f)},
            {0, gate + SYNTH_GATE_HELD, 1}, {0, gate + SYNTH_GATE_COUNT, 1},
            {frames / 2, SYNTH_DILATION, hed_as_uint(1.0f + 0.01f * (float)i)},
            {frames - 1, gate + SYNTH_GATE_HELD, 0}};
        to[i + 1] = (i + 1) * POKES;
        memcpy(pokes + i * POKES, made, sizeof made);
    }
}

void synth_sample_fill(uint32_t bodies, uint32_t instances, uint32_t frames, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed)
{
    synth_program *program = make_sample_program(bodies);
    if (!program) return;
    const synth_layout *layout = &program->layout;
    uint32_t *words = data;
    switch (argument) {
    case HED_ROW(synth_store_view, stores):
        for (uint32_t i = 0; i < instances; i++)
            memcpy(
                words + (size_t)i * layout->words, program->image, layout->words * sizeof *words);
        break;
    case HED_ROW(synth_store_view, inputs):
        for (uint64_t i = 0; i < bytes / 4; i++)
            ((float *)data)[i] = (float)((i * 7919 + seed) % 2001) * 0.001f - 1.0f;
        break;
    case HED_ROW(synth_store_view, pokes): fill_pokes(program, instances, frames, words); break;
    case HED_ROW(synth_store_view, layout): memcpy(data, layout, sizeof *layout); break;
    case HED_ROW(synth_store_view, sample): *words = 0; break;
    case HED_ROW(synth_store_view, frames): *words = frames; break;
    default: break; /* zeros */
    }
    synth_program_destroy(program);
}
