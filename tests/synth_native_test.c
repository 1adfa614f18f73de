/* The cpu solver against its own text: bodies by vectors, bands and ears give the bits of
 * synth_entity() one by one; blocks and voices do not matter; memory that is not there gives an
 * error. */
#include <fenv.h>
#include <math.h>

#include "heddle/thread.h"
#include "kernels/physics.h"
#include "solver/solver.h"
#include "testing.h"

enum { FRAMES = 96 };

typedef struct machine {
    hed_synth_instrument *instrument;
    synth_program *program;
    hed_synth synth; /* what create() looks at */
    synth_solver *solver;
    float *stems, input[FRAMES];
    synth_poke pokes[64];
    uint32_t poke_count, *poke_begin;
    uint32_t threads; /* 0: one */
} machine;

static hed_synth_entity add(hed_synth_instrument *in, const hed_synth_entity_def *def)
{
    hed_error error = {0};
    hed_synth_entity entity;
    OK(hed_synth_instrument_add(in, def, NULL, &entity, &error));
    return entity;
}

static uint32_t random_state;
static float uniform(float low, float high)
{
    random_state = random_state * 1664525u + 1013904223u;
    return low + (high - low) * (float)(random_state >> 8) / 16777216.0f;
}

static hed_synth_entity add_grid(hed_synth_instrument *in, uint32_t nx, uint32_t ny, uint32_t nz,
    float diagonal, uint32_t *bodies)
{
    hed_error error = {0};
    hed_synth_grid_def def = hed_default_synth_grid_def();
    hed_synth_generated made;
    def.size[0] = nx;
    def.size[1] = ny;
    def.size[2] = nz;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) def.step[i][k] = i == k ? 0.01f : 0.0f;
    }
    def.body.mass = 0.001f;
    def.body.damping = 2;
    def.spring.stiffness = 5000;
    def.spring.rest_length = -0.9f;
    def.diagonal = diagonal;
    def.anchor_ends[0][0] = def.anchor_ends[0][1] = true;
    OK(hed_synth_instrument_add_grid(in, &def, NULL, &made, &error));
    *bodies = made.bodies;
    return made.first_body;
}

static hed_synth_entity add_tangle(
    hed_synth_instrument *in, uint32_t bodies, uint32_t springs, bool more)
{
    hed_synth_entity first = 0;
    for (uint32_t i = 0; i < bodies; i++) {
        hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_BODY);
        for (int k = 0; k < 3; k++) def.as.body.position[k] = uniform(0, 1);
        def.as.body.mass = uniform(0.001f, 0.003f);
        def.as.body.anchored = i % 11 == 3;
        hed_synth_entity entity = add(in, &def);
        if (i == 0) first = entity;
    }
    for (uint32_t i = 0; i < springs; i++) {
        hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_SPRING);
        uint32_t from = (uint32_t)uniform(0, (float)bodies),
                 to = (from + 1 + (uint32_t)uniform(0, (float)bodies - 1)) % bodies;
        def.as.spring = (hed_synth_spring_def){.from = first + from, .to = first + to,
            .stiffness = uniform(100, 5000), .rest_length = -0.95f};
        if (more) def.as.spring.damping = uniform(0, 0.01f);
        if (more) def.as.spring.cubic = uniform(0, 1e5f);
        add(in, &def);
    }
    return first;
}

/* Something of everything at bodies first .. first + count - 1. */
static void add_others(hed_synth_instrument *in, hed_synth_entity first, uint32_t count)
{
    hed_error error = {0};
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_MICROPHONE);
    def.as.microphone.position[2] = 0.3f;
    def.as.microphone.ratio = 3;
    def.as.microphone.threshold = -60;
    hed_synth_entity microphone = add(in, &def), last[HED_SYNTH_ENTITY_TYPE_COUNT] = {0};
    for (uint32_t i = 0; i < count; i += 2)
        OK(hed_synth_instrument_link(in, microphone, first + i, 0.5f, &error));
    for (int type = HED_SYNTH_MALLET; type <= HED_SYNTH_DELAY_LINE; type++) {
        for (uint32_t i = 0; i < 3; i++) {
            def = hed_default_synth_entity_def((hed_synth_entity_type)type);
            if (type == HED_SYNTH_FOLLOWER) def.as.follower.source = microphone;
            if (type == HED_SYNTH_DELAY_LINE) def.as.delay_line.source = microphone;
            last[type] = add(in, &def);
            if (type > HED_SYNTH_AUDIO_INPUT) continue;
            for (uint32_t k = 0; k < 2; k++)
                OK(hed_synth_instrument_link(
                    in, last[type], first + (i * 7 + k + (uint32_t)type) % count, 1, &error));
        }
    }
    const hed_synth_modulation_def modulations[] = {
        {.source = last[HED_SYNTH_LFO],
            .entity = first + 2,
            .target = HED_SYNTH_TARGET_MASS,
            .mode = HED_SYNTH_MODULATE_EXPONENTIAL,
            .depth = 0.1f},
        {.source = last[HED_SYNTH_ENVELOPE],
            .entity = first + 4,
            .target = HED_SYNTH_TARGET_DAMPING,
            .mode = HED_SYNTH_MODULATE_MULTIPLY,
            .depth = 2},
        {.source = last[HED_SYNTH_LFO],
            .entity = hed_synth_instrument_at(in, HED_SYNTH_SPRING, 5),
            .target = HED_SYNTH_TARGET_STIFFNESS,
            .mode = HED_SYNTH_MODULATE_MULTIPLY,
            .depth = 0.2f},
        {.source = last[HED_SYNTH_MIDI_SOURCE],
            .entity = hed_synth_instrument_at(in, HED_SYNTH_SPRING, 1),
            .target = HED_SYNTH_TARGET_REST_LENGTH,
            .depth = 1e-4f},
        {.source = last[HED_SYNTH_FOLLOWER],
            .entity = last[HED_SYNTH_BOW],
            .target = HED_SYNTH_TARGET_DRAW_VELOCITY,
            .depth = 0.1f},
        {.source = last[HED_SYNTH_LFO],
            .entity = last[HED_SYNTH_LFO] - 1,
            .target = HED_SYNTH_TARGET_FREQUENCY,
            .depth = 3},
        {.source = last[HED_SYNTH_LFO], .entity = microphone, .target = HED_SYNTH_TARGET_ROTATION,
            .depth = 0.3f},
    };
    for (size_t i = 0; i < sizeof modulations / sizeof *modulations; i++)
        OK(hed_synth_instrument_modulate(in, &modulations[i], &error));
}

/* All gates open at frame 3; then some parameters change. */
static void add_pokes(machine *m)
{
    const synth_program *p = m->program;
    for (uint32_t i = 0; i < p->layout.gates && m->poke_count < 40; i++) {
        uint32_t word = p->gates[i].word;
        m->pokes[m->poke_count++] = (synth_poke){3, word + SYNTH_GATE_COUNT, 1};
        m->pokes[m->poke_count++] = (synth_poke){3, word + SYNTH_GATE_HELD, 1};
        m->pokes[m->poke_count++] = (synth_poke){3, word + SYNTH_GATE_VELOCITY, hed_as_uint(0.7f)};
    }
    const synth_type_layout *spring = &p->layout.type[SYNTH_SPRING],
                            *body = &p->layout.type[SYNTH_BODY];
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t field = i < 4 ? SPRING_P_STIFFNESS : SPRING_P_X,
                 word = spring->parameter + field * spring->count + spring->count * (i % 4) / 4;
        m->pokes[m->poke_count++] =
            (synth_poke){20 + i / 4, word, hed_as_uint(i < 4 ? 900.0f : 0.02f)};
    }
    m->pokes[m->poke_count++] = (synth_poke){
        22, body->parameter + BODY_P_RATE * body->count + body->count - 2, hed_as_uint(0.001f)};
    m->pokes[m->poke_count++] = (synth_poke){23, SYNTH_DILATION, hed_as_uint(1.5f)};
}

static void start(machine *m, const hed_allocator *allocator)
{
    hed_error error = {0};
    synth_program_def def = {.instrument = m->instrument, .rate = 48000, .seed = 3, .inputs = 1,
        .warps = 1, .lanes = 32, .vectors = true, .pack = HED_PACK_ROWS};
    OK(synth_program_create(allocator, &def, &m->program, &error));
    m->synth.allocator = *allocator;
    m->synth.def.inputs = 1;
    m->synth.def.block = FRAMES;
    m->synth.def.threads = m->threads;
    OK(synth_cpu_ops.create(&m->synth, m->program, &m->solver, &error));
    m->stems = calloc((size_t)FRAMES * m->program->instances * m->program->layout.stems * 2 + 1,
        sizeof *m->stems);
    m->poke_begin = calloc(m->program->instances + 1u, sizeof *m->poke_begin);
    add_pokes(m);
    for (uint32_t i = 0; i < FRAMES; i++) m->input[i] = uniform(-1, 1);
}

static void stop(machine *m)
{
    synth_cpu_ops.destroy(m->solver);
    synth_program_destroy(m->program);
    hed_synth_instrument_destroy(m->instrument);
    free(m->stems);
    free(m->poke_begin);
    memset(m, 0, sizeof *m);
}

/* All frames, `block` at a time; every instance is given the pokes. */
static void run(machine *m, uint32_t block)
{
    hed_error error = {0};
    uint32_t width = m->program->instances * m->program->layout.stems * 2;
    for (uint32_t first = 0; first < FRAMES; first += block) {
        uint32_t frames = FRAMES - first < block ? FRAMES - first : block, count = 0;
        synth_poke pokes[64 * 4];
        for (uint32_t i = 0; i < m->program->instances; i++) {
            m->poke_begin[i] = count;
            for (uint32_t k = 0; k < m->poke_count; k++) {
                if (m->pokes[k].frame < first || m->pokes[k].frame >= first + frames) continue;
                pokes[count] = m->pokes[k];
                pokes[count++].frame -= first;
            }
        }
        m->poke_begin[m->program->instances] = count;
        const float *inputs[1] = {m->input + first};
        synth_run def = {.sample = first, .frames = frames, .pokes = pokes,
            .poke_begin = m->poke_begin, .inputs = inputs, .stems = m->stems + first * width};
        OK(synth_cpu_ops.run(m->solver, &def, &error));
    }
}

/* The same by synth_entity() and synth_late() alone, for instance `instance`. Gives the store. */
static uint32_t *run_plainly(const machine *m, uint32_t instance, float *stems, float *delay)
{
    const synth_layout *layout = &m->program->layout;
    uint32_t *store = malloc(layout->words * sizeof *store);
    memcpy(store, m->program->image, layout->words * sizeof *store);
    hed_float_state state = hed_float_strict();
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        for (uint32_t k = 0; k < m->poke_count; k++) {
            if (m->pokes[k].frame == frame) store[m->pokes[k].word] = m->pokes[k].value;
        }
        uint32_t half = layout->signal_count;
        synth_at at = {.store = store, .read = layout->signals + (frame & 1) * half,
            .write = layout->signals + (1 - (frame & 1)) * half, .sample = frame,
            .instance = instance, .frame = frame, .frames = FRAMES, .inputs = m->input,
            .stems = stems + frame * layout->stems * 2, .delay = delay};
        for (uint32_t type = 0; type < SYNTH_TYPES; type++) {
            uint32_t count =
                type == SYNTH_SPRING ? layout->type[type].modulated : layout->type[type].count;
            for (uint32_t i = 0; i < count; i++) synth_entity(layout, &at, type, i);
        }
        synth_late(layout, &at, 0, 1);
    }
    hed_float_restore(state);
    return store;
}

static void compare(machine *m, const char *what)
{
    hed_error error = {0};
    const synth_layout *layout = &m->program->layout;
    uint32_t instances = m->program->instances, channels = layout->stems * 2;
    uint32_t *stores = malloc((size_t)instances * layout->words * sizeof *stores);
    float *delays = malloc((size_t)instances * layout->delay_words * sizeof *delays + 1);
    OK(synth_cpu_ops.read(m->solver, stores, delays, &error));
    for (uint32_t i = 0; i < instances; i++) {
        float *delay = calloc(layout->delay_words + 1u, sizeof *delay),
              *stems = calloc((size_t)FRAMES * channels + 1, sizeof *stems);
        uint32_t *store = run_plainly(m, i, stems, delay), moved = 0;
        for (uint32_t k = 0; k < layout->words; k++)
            CHECK(store[k] == stores[(size_t)i * layout->words + k],
                "%s: instance %u: word %u is %08x, one by one %08x", what, i, k,
                stores[(size_t)i * layout->words + k], store[k]);
        EXPECT(memcmp(delay, delays + (size_t)i * layout->delay_words,
                   layout->delay_words * sizeof *delay) == 0,
            "%s: delay memory", what);
        for (uint32_t k = 0; k < FRAMES * channels; k++) {
            float found = m->stems[(k / channels * instances + i) * channels + k % channels];
            CHECK(hed_as_uint(found) == hed_as_uint(stems[k]),
                "%s: instance %u, stem value %u: %g, one by one %g", what, i, k, (double)found,
                (double)stems[k]);
            CHECK(isfinite(stems[k]), "%s: stem value %u", what, k);
            moved += fabsf(stems[k]) > 1e-9f;
        }
        EXPECT(moved > FRAMES, "%s: instance %u sounds", what, i);
        free(store);
        free(delay);
        free(stems);
    }
    free(stores);
    free(delays);
}

typedef enum kind { LATTICE, DIAGONALS, STRING, TANGLE, DAMPED_TANGLE, FEW, KINDS } kind;
static const char *const names[KINDS] = {"lattice", "lattice with diagonals", "string", "tangle",
    "damped and cubic tangle", "few bodies"};

static void make(machine *m, kind what, const hed_synth_instrument_def *def)
{
    hed_error error = {0};
    uint32_t count = 0;
    hed_synth_entity first;
    random_state = 11;
    OK(hed_synth_instrument_create(NULL, def, &m->instrument, &error));
    switch (what) {
    case LATTICE: first = add_grid(m->instrument, 6, 7, 5, 0, &count); break;
    case DIAGONALS: first = add_grid(m->instrument, 9, 6, 1, 1000, &count); break;
    case STRING: first = add_grid(m->instrument, 33, 1, 1, 0, &count); break;
    case TANGLE: first = add_tangle(m->instrument, count = 75, 230, false); break;
    case DAMPED_TANGLE: first = add_tangle(m->instrument, count = 61, 150, true); break;
    default: first = add_tangle(m->instrument, count = 9, 20, false); break;
    }
    add_others(m->instrument, first, count);
}

Test(synth_native, vectors_give_the_bits_of_one_after_the_other)
{
    for (int what = 0; what < KINDS; what++) {
        machine m = {0};
        hed_allocator allocator = hed_default_allocator();
        make(&m, (kind)what, NULL);
        start(&m, &allocator);
        run(&m, FRAMES);
        compare(&m, names[what]);
        stop(&m);
    }
}

Test(synth_native, blocks_of_any_size_and_each_voice)
{
    const uint32_t blocks[] = {1, 7, 32};
    for (int i = 0; i < 3; i++) {
        machine m = {0};
        hed_synth_instrument_def def = hed_default_synth_instrument_def();
        hed_allocator allocator = hed_default_allocator();
        def.mode = HED_SYNTH_VOICES;
        def.voices = 3;
        def.high = 72;
        make(&m, LATTICE, &def);
        start(&m, &allocator);
        run(&m, blocks[i]);
        compare(&m, "three voices");
        stop(&m);
    }
}

/* Two threads; a lattice of 210 bodies has slices for three. */
Test(synth_native, threads_share_bodies_and_voices)
{
    for (int what = 0; what <= KINDS; what++) {
        machine m = {.threads = what == LATTICE || what == KINDS ? 3 : 2};
        hed_synth_instrument_def def = hed_default_synth_instrument_def();
        hed_allocator allocator = hed_default_allocator();
        if (what == KINDS) {
            def.mode = HED_SYNTH_VOICES;
            def.voices = 5;
            def.high = 72;
        }
        make(&m, what == KINDS ? FEW : (kind)what, &def);
        start(&m, &allocator);
        hed_synth_info report = {0};
        synth_cpu_ops.report(m.solver, &report);
        /* four slices */
        bool shared = what == KINDS || m.program->layout.type[SYNTH_BODY].count >= 49;
        EXPECT(report.groups == (shared ? m.threads : 1), "%d: %u threads", what, report.groups);
        run(&m, 32);
        compare(&m, "shared out");
        stop(&m);
    }
}

Test(synth_native, rest_is_as_it_was_made)
{
    hed_error error = {0};
    machine m = {0};
    hed_allocator allocator = hed_default_allocator();
    make(&m, DIAGONALS, NULL);
    start(&m, &allocator);
    run(&m, FRAMES);
    OK(synth_cpu_ops.write(m.solver, NULL, NULL, &error));
    run(&m, 5);
    compare(&m, "after rest");
    stop(&m);
}

/* Operations that end in a denormal number may take processors a hundred times as long. */
Test(synth_native, rest_makes_no_denormals)
{
    hed_error error = {0};
    machine m = {0};
    hed_allocator allocator = hed_default_allocator();
    hed_synth_grid_def def = hed_default_synth_grid_def();
    hed_synth_generated made;
    for (int i = 0; i < 3; i++) {
        def.size[i] = 5;
        def.step[i][i] = 0.01f;
    }
    def.spring.stiffness = 20000;
    def.spring.damping = 0.01f;
    def.anchor_ends[0][0] = true;
    OK(hed_synth_instrument_create(NULL, NULL, &m.instrument, &error));
    OK(hed_synth_instrument_add_grid(m.instrument, &def, NULL, &made, &error));
    start(&m, &allocator);
    m.poke_count = 0;
    for (int i = 0; i < 20; i++) run(&m, FRAMES);
    feclearexcept(FE_UNDERFLOW);
    run(&m, FRAMES);
    EXPECT(!fetestexcept(FE_UNDERFLOW), "what rests steps through denormals");
    stop(&m);
}

Test(synth_native, runs_without_allocating_and_fails_without_memory)
{
    machine m = {0};
    test_allocator counter = {0};
    hed_allocator allocator = test_allocator_of(&counter);
    make(&m, TANGLE, NULL);
    start(&m, &allocator);
    int64_t before = counter.calls;
    run(&m, 32);
    EXPECT(
        counter.calls == before, "run() allocated %lld times", (long long)(counter.calls - before));
    synth_cpu_ops.destroy(m.solver);
    m.solver = NULL;
    int64_t live = counter.live, needed = 0;
    for (bool failed = true; failed; needed++) {
        hed_error error = {0};
        counter.fail_at = counter.calls + 1 + needed;
        hed_error_clear(&error);
        hed_status status = synth_cpu_ops.create(&m.synth, m.program, &m.solver, &error);
        failed = status != HED_OK;
        CHECK(!failed || (status == HED_ERROR_MEMORY && error.text[0]), "allocation %lld: %s",
            (long long)needed, error.text);
        CHECK(!failed || counter.live == live, "allocation %lld leaks", (long long)needed);
    }
    EXPECT(needed > 6, "%lld allocations", (long long)needed);
    counter.fail_at = 0;
    stop(&m);
}
