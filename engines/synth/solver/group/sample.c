/* See sample.h. */
#include "solver/group/sample.h"

#include "solver/group/kernels.h"
#include "program/program.h"

#include <string.h>

/* ---- the instrument ---- */

/* What is being built; the first error ends it. */
typedef struct building {
    hed_synth_instrument *instrument;
    hed_synth_entity first_body, first_spring;
    uint32_t bodies;
    hed_error *error;
    hed_status status;
} building;

static hed_synth_entity add(building *b, const hed_synth_entity_def *def)
{
    hed_synth_entity made = 0;
    if (!b->status) b->status = hed_synth_instrument_add(b->instrument, def, NULL, &made, b->error);
    return made;
}

static void link_to(building *b, hed_synth_entity from, hed_synth_entity to, float weight)
{
    if (!b->status) b->status = hed_synth_instrument_link(b->instrument, from, to, weight, b->error);
}

static void modulate(building *b, hed_synth_entity source, hed_synth_entity target,
    hed_synth_target parameter, hed_synth_modulation_mode mode, float depth)
{
    hed_synth_modulation_def def = {
        source, target, parameter, mode, depth, parameter == HED_SYNTH_TARGET_PAN};
    if (!b->status) b->status = hed_synth_instrument_modulate(b->instrument, &def, b->error);
}

/* Body `part` of 7 along the string. */
static hed_synth_entity body_at(const building *b, uint32_t part)
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
    hed_synth_entity made = add(b, &def);
    for (uint32_t i = 0; i < b->bodies; i++)
        link_to(b, made, b->first_body + i, 0.5f + 0.5f * (float)i / (float)b->bodies);
    return made;
}

static void add_exciters(building *b, hed_synth_entity lfo, hed_synth_entity envelope, hed_synth_entity delay)
{
    for (uint32_t type = HED_SYNTH_MALLET; type <= HED_SYNTH_AUDIO_INPUT; type++) {
        hed_synth_entity_def def = hed_default_synth_entity_def((hed_synth_entity_type)type);
        if (type == HED_SYNTH_MALLET) def.as.mallet.noise = 0.2f;
        if (type == HED_SYNTH_OSCILLATOR) def.as.oscillator.follows_note = true;
        if (type == HED_SYNTH_AUDIO_INPUT) def.as.audio_input.gain = 0.1f;
        hed_synth_entity made = add(b, &def);
        link_to(b, made, body_at(b, 2 + type - HED_SYNTH_MALLET), 1.0f);
        link_to(b, made, body_at(b, 1), 0.5f);
        hed_synth_target parameter = type == HED_SYNTH_MALLET ? HED_SYNTH_TARGET_HARDNESS
                                  : type == HED_SYNTH_BOW  ? HED_SYNTH_TARGET_ROSIN_STICTION
                                                     : HED_SYNTH_TARGET_ROTATION;
        modulate(b, type % 2 ? lfo : envelope, made, parameter, HED_SYNTH_MODULATE_EXPONENTIAL, 0.3f);
    }
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_AUDIO_INPUT);
    def.as.audio_input.gain = 0.001f;
    hed_synth_entity echo = add(b, &def);
    link_to(b, echo, body_at(b, 5), 1.0f);
    link_to(b, echo, delay, 1.0f);
}

static hed_synth_entity add_modulator(building *b, hed_synth_entity_type type, hed_synth_entity source)
{
    hed_synth_entity_def def = hed_default_synth_entity_def(type);
    if (type == HED_SYNTH_LFO)
        def.as.lfo = (hed_synth_lfo_def){.wave = HED_SYNTH_WAVE_SINE, .frequency = 300.0f, .pulse_width = 0.5f,
            .depth = 1.0f, .route = {0, 0, 127}};
    if (type == HED_SYNTH_FOLLOWER) def.as.follower.source = source;
    if (type == HED_SYNTH_DELAY_LINE) {
        def.as.delay_line.source = source;
        def.as.delay_line.seconds = 0.0002f;
    }
    return add(b, &def);
}

hed_status synth_sample_instrument(uint32_t bodies, hed_synth_instrument **instrument, hed_error *error)
{
    building b = {.bodies = bodies, .error = error};
    *instrument = NULL;
    b.status = hed_synth_instrument_create(NULL, NULL, &b.instrument, error);
    if (b.status) return b.status;
    add_string(&b);
    hed_synth_entity left = add_microphone(&b, -0.5f, true), quiet = add_microphone(&b, 0.0f, false);
    hed_synth_entity lfo = add_modulator(&b, HED_SYNTH_LFO, 0), envelope = add_modulator(&b, HED_SYNTH_ENVELOPE, 0);
    hed_synth_entity follower = add_modulator(&b, HED_SYNTH_FOLLOWER, quiet),
                     source = add_modulator(&b, HED_SYNTH_MIDI_SOURCE, 0);
    hed_synth_entity delay = add_modulator(&b, HED_SYNTH_DELAY_LINE, quiet);
    add_exciters(&b, lfo, envelope, delay);
    modulate(&b, lfo, left, HED_SYNTH_TARGET_PAN, HED_SYNTH_MODULATE_ADD, 0.5f);
    modulate(&b, follower, lfo, HED_SYNTH_TARGET_FREQUENCY, HED_SYNTH_MODULATE_MULTIPLY, 0.5f);
    modulate(&b, source, envelope, HED_SYNTH_TARGET_DEPTH, HED_SYNTH_MODULATE_MULTIPLY, 1.0f);
    modulate(&b, lfo, body_at(&b, 3), HED_SYNTH_TARGET_MASS, HED_SYNTH_MODULATE_MULTIPLY, 0.1f);
    if (bodies > 1)
        modulate(&b, lfo, b.first_spring, HED_SYNTH_TARGET_REST_LENGTH, HED_SYNTH_MODULATE_MULTIPLY, 0.01f);
    if (b.status) hed_synth_instrument_destroy(b.instrument);
    else *instrument = b.instrument;
    return b.status;
}

/* ---- arguments ---- */

enum { POKES = 5, WARPS = 4, LANES = 32 };

static synth_program *make(uint32_t bodies)
{
    hed_allocator allocator = hed_default_allocator();
    hed_synth_instrument *instrument;
    synth_program *program = NULL;
    if (synth_sample_instrument(bodies, &instrument, NULL)) return NULL;
    synth_program_def def = {.instrument = instrument, .rate = 48000.0, .seed = 1, .warps = WARPS,
        .lanes = LANES, .pack = HED_PACK_ROWS, .inputs = 1};
    if (synth_program_create(&allocator, &def, &program, NULL)) program = NULL;
    hed_synth_instrument_destroy(instrument);
    return program;
}

uint64_t synth_sample_bytes(uint32_t bodies, uint32_t instances, uint32_t frames, uint32_t argument)
{
    synth_program *program = make(bodies);
    if (!program) return 0;
    const synth_layout *layout = &program->layout;
    uint64_t words[SYNTH_STORE_ARGUMENTS] = {
        [SYNTH_STORE_STORES] = (uint64_t)instances * layout->words,
        [SYNTH_STORE_DELAYS] = (uint64_t)instances * layout->delay_words,
        [SYNTH_STORE_INPUTS] = frames,
        [SYNTH_STORE_STEMS] = (uint64_t)frames * instances * layout->stems * 2,
        [SYNTH_STORE_POKES] = instances + 1 + (uint64_t)instances * POKES * 3,
    };
    synth_program_destroy(program);
    return 4 * words[argument];
}

/* A note starts at once in each instance; a little later time runs faster. */
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
    synth_program *program = make(bodies);
    if (!program) return;
    const synth_layout *layout = &program->layout;
    uint32_t *words = data;
    switch (argument) {
    case SYNTH_STORE_STORES:
        for (uint32_t i = 0; i < instances; i++)
            memcpy(
                words + (size_t)i * layout->words, program->image, layout->words * sizeof *words);
        break;
    case SYNTH_STORE_INPUTS:
        for (uint64_t i = 0; i < bytes / 4; i++)
            ((float *)data)[i] = (float)((i * 7919 + seed) % 2001) * 0.001f - 1.0f;
        break;
    case SYNTH_STORE_POKES: fill_pokes(program, instances, frames, words); break;
    case SYNTH_STORE_LAYOUT: memcpy(data, layout, sizeof *layout); break;
    case SYNTH_STORE_SAMPLE: *words = 0; break;
    case SYNTH_STORE_FRAMES: *words = frames; break;
    default: break; /* zeros */
    }
    synth_program_destroy(program);
}
