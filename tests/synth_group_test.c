/* ctest: devices */
/* Solvers group and global: in strict mode the same bits as plain C, whatever the block, the
 * shape and the packing; near them in fast mode; a change while it sounds that does not click. */
#include "fixture.h"

#include <math.h>

#include "solver/group/group_kernels.h"
#include "solver/solver.h"

static hed_error error;

TestSuite(synth_group, .init = here_open, .fini = here_close);

enum { FRAMES = 700, BODIES = 40 };

/* How to play the sample instrument. */
typedef struct playing {
    hed_device *device;
    hed_synth_solver solver;
    hed_math math;
    uint32_t block;
    hed_pack_method pack;
    hed_synth_voice_mode mode;
} playing;

static const hed_synth_event song[] = {
    {.frame = 3, .bytes = {0x90, 60, 100}},
    {.frame = 40, .bytes = {0xb0, 1, 90}},
    {.frame = 41, .bytes = {0x90, 67, 60}},
    {.frame = 200, .bytes = {0xe0, 0, 80}},
    {.frame = 300, .bytes = {0x80, 60, 0}},
    {.frame = 300, .bytes = {0x90, 55, 127}},
    {.frame = 511, .kind = HED_SYNTH_EVENT_TEMPO, .value = 90.0f},
    {.frame = 650, .bytes = {0x80, 55, 0}},
};

static hed_synth_instrument *make_instrument(uint32_t bodies, hed_synth_voice_mode mode)
{
    hed_synth_instrument *instrument;
    OK(synth_sample_instrument(bodies, &instrument, &error));
    hed_synth_instrument_def def = *hed_synth_instrument_definition(instrument);
    def.mode = mode;
    def.voices = 3;
    def.low = 40;
    def.high = 80;
    OK(hed_synth_instrument_set_def(instrument, &def, &error));
    return instrument;
}

static hed_synth *make_synth(const playing *how, const hed_synth_instrument *instrument)
{
    hed_synth_def def = hed_default_synth_def();
    def.instrument = instrument;
    def.solver = how->solver;
    def.math = how->math;
    def.block = how->block;
    def.pack = how->pack;
    def.inputs = 1;
    hed_synth *synth;
    OK(hed_synth_create(how->device, &def, &synth, &error));
    return synth;
}

/* Frames [from, to) of the song, in blocks. */
static void play(
    hed_synth *synth, uint32_t block, uint32_t from, uint32_t to, float *left, float *right)
{
    float input[1024];
    for (uint32_t at = from; at < to; at += block) {
        uint32_t frames = to - at < block ? to - at : block, count = 0;
        hed_synth_event events[sizeof song / sizeof *song];
        for (uint32_t i = 0; i < sizeof song / sizeof *song; i++) {
            if (song[i].frame < at || song[i].frame >= at + frames) continue;
            events[count] = song[i];
            events[count++].frame -= at;
        }
        for (uint32_t n = 0; n < frames; n++) input[n] = sinf(0.05f * (float)(at + n));
        hed_synth_block b = {.frames = frames, .events = events, .event_count = count,
            .inputs = (const float *const[]){input}, .left = left + at, .right = right + at};
        OK(hed_synth_process(synth, &b, &error));
    }
}

/* Left, then right. */
static void render(const playing *how, float *sound)
{
    hed_synth_instrument *instrument = make_instrument(BODIES, how->mode);
    hed_synth *synth = make_synth(how, instrument);
    hed_synth_instrument_destroy(instrument);
    play(synth, how->block, 0, FRAMES, sound, sound + FRAMES);
    hed_synth_info report;
    report = hed_synth_describe(synth);
    CHECK_EQ(report.solver, how->solver);
    CHECK_EQ(report.breaks, 0);
    hed_synth_destroy(synth);
}

static double loudest(const float *sound)
{
    double peak = 0;
    for (uint32_t i = 0; i < 2 * FRAMES; i++) peak = fmax(peak, fabs(sound[i]));
    return peak;
}

static void expect_same(const float *a, const float *b, const char *what)
{
    for (uint32_t i = 0; i < 2 * FRAMES; i++)
        CHECK(memcmp(a + i, b + i, sizeof *a) == 0, "%s: sample %u is %.9g, expected %.9g", what, i,
            a[i], b[i]);
}

/* The solver under test for this device: native has no group. */
static float expected[2 * FRAMES], found[2 * FRAMES];

static void expect_solvers(test_device *t, hed_synth_voice_mode mode)
{
    hed_device *host;
    OK(hed_device_find(t->context, "host", &host, &error));
    render(&(playing){host, HED_SYNTH_SOLVER_CPU, HED_MATH_STRICT, 256, HED_PACK_ROWS, mode},
        expected);
    CHECK(loudest(expected) > 1e-4, "it is silent: %g", loudest(expected));
    const playing others[] = {
        {t->device, HED_SYNTH_SOLVER_GROUP, HED_MATH_STRICT, 256, HED_PACK_ROWS, mode},
        {t->device, HED_SYNTH_SOLVER_GROUP, HED_MATH_STRICT, 61, HED_PACK_GREEDY, mode},
        {t->device, HED_SYNTH_SOLVER_GLOBAL, HED_MATH_STRICT, 64, HED_PACK_ROWS, mode},
    };
    for (uint32_t i = 0; i < sizeof others / sizeof *others; i++) {
        render(&others[i], found);
        expect_same(found, expected, hed_synth_solver_name(others[i].solver));
    }
}

Test(synth_group, strict_gives_the_bits_of_plain_c) { expect_solvers(&here, HED_SYNTH_SINGLETON); }

Test(synth_group, so_do_voices) { expect_solvers(&here, HED_SYNTH_VOICES); }

/* ---- fast mode ---- */

/* The sample instrument is strongly nonlinear; half a cycle of its strings is compared. */
Test(synth_group, fast_is_near)
{
    render(&(playing){here.device, HED_SYNTH_SOLVER_GROUP, HED_MATH_STRICT, 256, HED_PACK_ROWS,
               HED_SYNTH_SINGLETON},
        expected);
    render(&(playing){here.device, HED_SYNTH_SOLVER_GROUP, HED_MATH_FAST, 256, HED_PACK_ROWS,
               HED_SYNTH_SINGLETON},
        found);
    double worst = 0, peak = loudest(expected);
    for (uint32_t i = 0; i < 2 * FRAMES; i++) worst = fmax(worst, fabs(expected[i] - found[i]));
    CHECK_LT(worst, 1e-3 * peak, "fast is %g from strict, whose peak is %g", worst, peak);
}

/* ---- changes, reset, reading ---- */

/* The song with `changed` swapped in at frame 333. */
static void render_with_change(const playing *how, const hed_synth_instrument *instrument,
    const hed_synth_instrument *changed, float *sound)
{
    hed_synth *synth = make_synth(how, instrument);
    hed_synth_change *change;
    play(synth, how->block, 0, 333, sound, sound + FRAMES);
    OK(hed_synth_prepare(synth, changed, &change, &error));
    OK(hed_synth_apply(synth, change, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_synth_apply(synth, change, &error));
    hed_synth_change_destroy(change);
    play(synth, how->block, 333, FRAMES, sound, sound + FRAMES);
    hed_synth_destroy(synth);
}

static void expect_no_seam(const playing *how)
{
    hed_synth_instrument *instrument = make_instrument(BODIES, how->mode), *changed;
    render(how, expected);
    render_with_change(how, instrument, instrument, found);
    expect_same(found, expected, "an unchanged instrument");
    /* What nobody hears and nothing is linked to changes no sample, though everything has another
     * place. */
    OK(hed_synth_instrument_copy(instrument, &changed, &error));
    hed_synth_entity_def body = hed_default_synth_entity_def(HED_SYNTH_BODY),
                         lfo = hed_default_synth_entity_def(HED_SYNTH_LFO),
                         mallet = hed_default_synth_entity_def(HED_SYNTH_MALLET);
    hed_synth_entity made[3];
    OK(hed_synth_instrument_add(changed, &body, NULL, &made[0], &error));
    OK(hed_synth_instrument_add(changed, &lfo, NULL, &made[1], &error));
    OK(hed_synth_instrument_add(changed, &mallet, NULL, &made[2], &error));
    OK(hed_synth_instrument_link(changed, made[2], made[0], 1.0f, &error));
    OK(hed_synth_instrument_modulate(changed,
        &(hed_synth_modulation_def){
            made[1], made[0], HED_SYNTH_TARGET_MASS, HED_SYNTH_MODULATE_MULTIPLY, 0.1f, false},
        &error));
    render_with_change(how, instrument, changed, found);
    expect_same(found, expected, "an instrument with more in it");
    hed_synth_instrument_destroy(instrument);
    hed_synth_instrument_destroy(changed);
}

Test(synth_group, a_change_has_no_seam)
{
    hed_device *host;
    OK(hed_device_find(here.context, "host", &host, &error));
    expect_no_seam(&(playing){
        host, HED_SYNTH_SOLVER_CPU, HED_MATH_STRICT, 64, HED_PACK_ROWS, HED_SYNTH_SINGLETON});
    expect_no_seam(&(playing){
        host, HED_SYNTH_SOLVER_CPU, HED_MATH_STRICT, 64, HED_PACK_ROWS, HED_SYNTH_VOICES});
    expect_no_seam(&(playing){
        here.device, HED_SYNTH_SOLVER_GROUP, HED_MATH_STRICT, 64, HED_PACK_ROWS, HED_SYNTH_VOICES});
}

Test(synth_group, another_mode_needs_another_synth)
{
    hed_synth_instrument *one = make_instrument(BODIES, HED_SYNTH_SINGLETON),
                         *many = make_instrument(BODIES, HED_SYNTH_VOICES);
    hed_synth *synth = make_synth(&(playing){here.device, HED_SYNTH_SOLVER_GROUP, HED_MATH_STRICT,
                                      64, HED_PACK_ROWS, HED_SYNTH_SINGLETON},
        one);
    hed_synth_change *change;
    FAILS(HED_ERROR_ARGUMENT, hed_synth_prepare(synth, many, &change, &error));
    CHECK_NULL(change);
    hed_synth_destroy(synth);
    hed_synth_instrument_destroy(one);
    hed_synth_instrument_destroy(many);
}

Test(synth_group, reset_begins_anew)
{
    hed_synth_instrument *instrument = make_instrument(BODIES, HED_SYNTH_VOICES);
    hed_synth *synth = make_synth(&(playing){here.device, HED_SYNTH_SOLVER_GLOBAL, HED_MATH_STRICT,
                                      64, HED_PACK_ROWS, HED_SYNTH_VOICES},
        instrument);
    play(synth, 64, 0, FRAMES, expected, expected + FRAMES);
    OK(hed_synth_reset(synth, &error));
    play(synth, 64, 0, FRAMES, found, found + FRAMES);
    expect_same(found, expected, "after a reset");
    hed_synth_destroy(synth);
    hed_synth_instrument_destroy(instrument);
}

Test(synth_group, bodies_are_read_in_the_order_they_were_added)
{
    hed_synth_instrument *instrument = make_instrument(BODIES, HED_SYNTH_SINGLETON);
    hed_synth *synth = make_synth(&(playing){here.device, HED_SYNTH_SOLVER_GROUP, HED_MATH_STRICT,
                                      64, HED_PACK_ROWS, HED_SYNTH_SINGLETON},
        instrument);
    float before[3 * BODIES], after[3 * BODIES], velocities[3 * BODIES];
    play(synth, 64, 0, 201, expected, expected + FRAMES);
    OK(hed_synth_read_bodies(synth, 0, before, NULL, &error));
    play(synth, 1, 201, 202, expected, expected + FRAMES);
    OK(hed_synth_read_bodies(synth, 0, after, velocities, &error));
    bool moved = false;
    for (uint32_t i = 0; i < 3 * BODIES; i++) {
        double way = (double)after[i] - before[i];
        CHECK_NEAR(way * 48000.0, velocities[i], 1e-2 + 1e-3 * fabs(velocities[i]),
            "axis %u of body %u", i % 3, i / 3);
        if (i < 3 || i >= 3 * BODIES - 3) CHECK_EQ(after[i], 0.0f, "an anchor has moved");
        moved = moved || after[i] != 0.0f;
    }
    CHECK(moved);
    FAILS(HED_ERROR_ARGUMENT, hed_synth_read_bodies(synth, 1, before, NULL, &error));
    hed_synth_destroy(synth);
    hed_synth_instrument_destroy(instrument);
}

/* ---- more pokes than a launch takes ---- */

enum { STORM = 6000 };

/* Gains and pulse widths of the oscillator: most at one sample, the last of them counts. */
static void render_storm(const playing *how, float *sound)
{
    hed_synth_instrument *instrument = make_instrument(BODIES, HED_SYNTH_SINGLETON);
    hed_synth_def def = hed_default_synth_def();
    def.instrument = instrument;
    def.solver = how->solver;
    def.math = how->math;
    def.max_events = STORM + 1;
    def.block = FRAMES;
    hed_synth *synth;
    OK(hed_synth_create(how->device, &def, &synth, &error));
    static hed_synth_event events[STORM + 1];
    events[0] = song[0];
    for (uint32_t i = 1; i <= STORM; i++) {
        events[i] = (hed_synth_event){.frame = i < 5000 ? 20 : 20 + (i - 5000) / 3,
            .kind = HED_SYNTH_EVENT_SET, .value = 0.1f + (float)(i % 97) * 0.001f,
            .entity = hed_synth_instrument_at(instrument, HED_SYNTH_OSCILLATOR, 0),
            .target = i % 3 ? HED_SYNTH_TARGET_GAIN : HED_SYNTH_TARGET_PULSE_WIDTH};
    }
    hed_synth_block block = {.frames = FRAMES, .events = events, .event_count = STORM + 1,
        .left = sound, .right = sound + FRAMES};
    OK(hed_synth_process(synth, &block, &error));
    hed_synth_destroy(synth);
    hed_synth_instrument_destroy(instrument);
}

Test(synth_group, a_storm_of_automation_is_taken_in_parts)
{
    hed_device *host;
    OK(hed_device_find(here.context, "host", &host, &error));
    render_storm(
        &(playing){.device = host, .solver = HED_SYNTH_SOLVER_CPU, .math = HED_MATH_STRICT},
        expected);
    render_storm(
        &(playing){
            .device = here.device, .solver = HED_SYNTH_SOLVER_GROUP, .math = HED_MATH_STRICT},
        found);
    expect_same(found, expected, "a storm");
}

/* ---- what there may be little of ---- */

Test(synth_group, an_empty_instrument_is_silent)
{
    hed_synth_instrument *instrument;
    OK(hed_synth_instrument_create(NULL, NULL, &instrument, &error));
    for (uint32_t solver = HED_SYNTH_SOLVER_GROUP; solver <= HED_SYNTH_SOLVER_GLOBAL; solver++) {
        hed_synth *synth = make_synth(&(playing){here.device, (hed_synth_solver)solver,
                                          HED_MATH_FAST, 64, HED_PACK_ROWS, HED_SYNTH_SINGLETON},
            instrument);
        play(synth, 64, 0, FRAMES, found, found + FRAMES);
        CHECK_EQ(loudest(found), 0.0);
        hed_synth_destroy(synth);
    }
    hed_synth_instrument_destroy(instrument);
}

Test(synth_group, what_a_device_cannot_do_is_said)
{
    hed_synth_instrument *instrument = make_instrument(BODIES, HED_SYNTH_SINGLETON);
    hed_synth_def def = hed_default_synth_def();
    hed_synth *synth;
    def.instrument = instrument;
    def.solver = HED_SYNTH_SOLVER_GROUP;
    if (!(hed_device_describe(here.device).capabilities & HED_CAN_RESIDENT)) {
        def.resident = true;
        FAILS(HED_ERROR_UNSUPPORTED, hed_synth_create(here.device, &def, &synth, &error));
        CHECK(strstr(error.text, "resident"), "%s", error.text);
        def.resident = false;
        def.keep_awake = true;
        FAILS(HED_ERROR_UNSUPPORTED, hed_synth_create(here.device, &def, &synth, &error));
    }
    def.keep_awake = false;
    def.rate = 10.0;
    FAILS(HED_ERROR_ARGUMENT, hed_synth_create(here.device, &def, &synth, &error));
    def.rate = 48000.0;
    def.block = 0;
    FAILS(HED_ERROR_ARGUMENT, hed_synth_create(here.device, &def, &synth, &error));
    hed_synth_instrument_destroy(instrument);
}

/* The context's allocator fails at each of its calls while a synth and a change are made. On host:
 * what drivers do is tested elsewhere. */
static void fail_each_allocation(hed_synth_solver solver)
{
    bool created = false;
    for (int64_t n = 1; !created; n++) {
        test_allocator counting = {0};
        hed_context_def context_def = hed_default_context_def();
        context_def.allocator = test_allocator_of(&counting);
        hed_context *context;
        hed_device *device;
        OK(hed_context_create(&context_def, &context, &error));
        OK(hed_device_find(context, "host", &device, &error));
        hed_synth_instrument *instrument = make_instrument(BODIES, HED_SYNTH_VOICES);
        hed_synth_def def = hed_default_synth_def();
        hed_synth *synth = NULL;
        hed_synth_change *change = NULL;
        def.instrument = instrument;
        def.solver = solver;
        def.math = HED_MATH_STRICT;
        counting.fail_at = counting.calls + n;
        hed_error_clear(&error);
        hed_status status = hed_synth_create(device, &def, &synth, &error);
        if (!status) status = hed_synth_prepare(synth, instrument, &change, &error);
        created = counting.calls < counting.fail_at;
        bool refused = status == HED_ERROR_MEMORY ||
                       status == HED_ERROR_DEVICE_MEMORY; /* of host, they are the same */
        CHECK(created ? status == HED_OK : refused, "allocation %d: %s: %s", (int)n,
            hed_status_name(status), error.text);
        hed_synth_change_destroy(change);
        hed_synth_destroy(synth);
        hed_synth_instrument_destroy(instrument);
        hed_context_destroy(context);
        CHECK_EQ(counting.live, 0, "allocation %d: %d are left", (int)n, (int)counting.live);
        if (created) CHECK_GT(n, 20);
    }
}

Test(synth_group, any_allocation_may_fail)
{
    fail_each_allocation(HED_SYNTH_SOLVER_CPU);
    fail_each_allocation(HED_SYNTH_SOLVER_GROUP);
}
