/* ctest: devices */
/* Solver grid: lattices, membranes and irregular networks sound as plain C in strict mode has them,
 * within stated tolerances; the same bits whatever the block; dilation, automation and changes
 * while it sounds; what it does not take is refused in words. */
#include "fixture.h"

#include <math.h>

#include "solver/grid/grid.h"

static hed_synth_info info_of(const hed_synth *synth)
{
    hed_synth_info info;
    info = hed_synth_describe(synth);
    return info;
}

static hed_error error;

TestSuite(synth_grid, .init = here_open, .fini = here_close);

enum { FRAMES = 400 };

/* ---- instruments ---- */

static hed_synth_entity add(hed_synth_instrument *instrument, const hed_synth_entity_def *def)
{
    hed_synth_entity entity;
    OK(hed_synth_instrument_add(instrument, def, NULL, &entity, &error));
    return entity;
}

/* A bow looks one step ahead at the springs of its body, but not on the grid, whose control group
 * lacks them: its friction there is a sample late, and only one test has it. */
static bool has_bow;

/* A microphone, a mallet and, for that test, a bow at bodies of the instrument. */
static void add_players(hed_synth_instrument *instrument, hed_synth_entity heard,
    hed_synth_entity struck, hed_synth_entity bowed)
{
    hed_synth_entity_def microphone = hed_default_synth_entity_def(HED_SYNTH_MICROPHONE),
                         mallet = hed_default_synth_entity_def(HED_SYNTH_MALLET),
                         bow = hed_default_synth_entity_def(HED_SYNTH_BOW);
    memcpy(microphone.as.microphone.position, (float[]){0.05f, 0.05f, 0.3f}, sizeof(float[3]));
    memcpy(microphone.as.microphone.direction, (float[]){0.1f, 0.2f, -1.0f}, sizeof(float[3]));
    memcpy(mallet.as.mallet.direction, (float[]){0.3f, 0.2f, 1.0f}, sizeof(float[3]));
    memcpy(bow.as.bow.direction, (float[]){1.0f, 0.5f, 0.0f}, sizeof(float[3]));
    hed_synth_entity ear = add(instrument, &microphone), hammer = add(instrument, &mallet);
    OK(hed_synth_instrument_link(instrument, ear, heard, 1.0f, &error));
    OK(hed_synth_instrument_link(instrument, ear, struck, 0.5f, &error));
    OK(hed_synth_instrument_link(instrument, hammer, struck, 1.0f, &error));
    if (!has_bow) return;
    hed_synth_entity hair = add(instrument, &bow);
    OK(hed_synth_instrument_link(instrument, hair, bowed, 1.0f, &error));
    OK(hed_synth_instrument_link(instrument, hair, struck, 0.3f, &error));
}

static hed_synth_instrument *make_instrument(void)
{
    hed_synth_instrument *instrument;
    hed_allocator allocator = hed_default_allocator();
    hed_synth_instrument_def def = hed_default_synth_instrument_def();
    def.mode = HED_SYNTH_SINGLETON;
    OK(hed_synth_instrument_create(&allocator, &def, &instrument, &error));
    return instrument;
}

/* What a grid test plays on. */
typedef struct shape {
    uint32_t size[3];
    float rest; /* of the springs */
    float diagonal;
    bool anchored; /* both ends along the first axis, and along the second where it is tense */
} shape;

static hed_synth_instrument *make_lattice(const shape *of)
{
    hed_synth_instrument *instrument = make_instrument();
    hed_synth_grid_def grid = hed_default_synth_grid_def();
    hed_synth_generated made;
    memcpy(grid.size, of->size, sizeof grid.size);
    for (uint32_t k = 0; k < 3; k++) grid.step[k][0] = grid.step[k][1] = grid.step[k][2] = 0.0f;
    grid.step[0][0] = 0.010f, grid.step[1][1] = 0.012f, grid.step[2][2] = 0.011f;
    grid.body.mass = 0.001f;
    grid.body.damping = 3.0f;
    grid.spring.stiffness = 3e4f;
    grid.spring.rest_length = of->rest;
    grid.diagonal = of->diagonal;
    grid.anchor_ends[0][0] = grid.anchor_ends[0][1] = of->anchored;
    grid.anchor_ends[1][0] = grid.anchor_ends[1][1] = of->anchored && of->rest > -1.0f;
    OK(hed_synth_instrument_add_grid(instrument, &grid, "block", &made, &error));
    uint32_t middle =
        (of->size[2] / 2 * of->size[1] + of->size[1] / 2) * of->size[0] + of->size[0] / 2;
    add_players(instrument, made.first_body + middle + 1, made.first_body + middle,
        made.first_body + middle + 2 * of->size[0]);
    return instrument;
}

static uint32_t random_state;
static float random_float(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (float)(random_state >> 8) * 0x1p-24f;
}

/* Bodies with `jitter` about the places of a lattice, springs to neighbours and to some further
 * off, two masses, three dampings; some anchored. */
static hed_synth_instrument *make_irregular(uint32_t width, float jitter, float rest, float moved)
{
    hed_synth_instrument *instrument = make_instrument();
    uint32_t count = width * width * width;
    hed_synth_entity *bodies = calloc(count, sizeof *bodies);
    random_state = 7;
    for (uint32_t i = 0; i < count; i++) {
        hed_synth_entity_def body = hed_default_synth_entity_def(HED_SYNTH_BODY);
        const uint32_t place[3] = {i % width, i / width % width, i / width / width};
        for (uint32_t k = 0; k < 3; k++)
            body.as.body.position[k] = 0.01f * ((float)place[k] + jitter * (random_float() - 0.5f));
        body.as.body.mass = random_float() < 0.5f ? 0.001f : 0.002f;
        body.as.body.damping = 2.0f + floorf(3.0f * random_float());
        body.as.body.anchored = random_float() < 0.02f;
        bodies[i] = add(instrument, &body);
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t axis = 0, stride = 1; axis < 3; axis++, stride *= width) {
            hed_synth_entity_def spring = hed_default_synth_entity_def(HED_SYNTH_SPRING);
            if (i / stride % width + 1 >= width) continue;
            uint32_t far = random_float() < moved
                               ? i + stride + (i / width / width + 2 < width ? width * width : 0)
                               : i + stride;
            spring.as.spring.from = bodies[i];
            spring.as.spring.to = bodies[far < count ? far : i + stride];
            spring.as.spring.stiffness = random_float() < 0.5f ? 2e4f : 3e4f;
            spring.as.spring.rest_length = rest;
            add(instrument, &spring);
        }
    uint32_t middle = (width / 2 * width + width / 2) * width + width / 2;
    /* players touch free bodies, and listen to an anchored one, too */
    for (uint32_t k = 0; k < 4; k++) {
        hed_synth_entity_def def;
        OK(hed_synth_instrument_get(instrument, bodies[middle + k], &def, &error));
        def.as.body.anchored = k == 3;
        OK(hed_synth_instrument_set(instrument, bodies[middle + k], &def, &error));
    }
    add_players(instrument, bodies[middle], bodies[middle + 1], bodies[middle + 2]);
    OK(hed_synth_instrument_link(instrument,
        hed_synth_instrument_at(instrument, HED_SYNTH_MICROPHONE, 0), bodies[middle + 3], 1.0f,
        &error));
    free(bodies);
    return instrument;
}

/* ---- playing ---- */

/* What was heard, and where everything is at the end. */
typedef struct played {
    float left[FRAMES];
    float *positions, *velocities;
    uint32_t bodies, groups, cut;
} played;

static hed_synth *make_synth(hed_device *device, const hed_synth_instrument *instrument,
    hed_synth_solver solver, uint32_t block)
{
    hed_synth_def def = hed_default_synth_def();
    def.instrument = instrument;
    def.solver = solver;
    def.math = solver == HED_SYNTH_SOLVER_CPU ? HED_MATH_STRICT : HED_MATH_FAST;
    def.block = block;
    hed_synth *synth;
    OK(hed_synth_create(device, &def, &synth, &error));
    return synth;
}

static const hed_synth_event song[] = {{.frame = 5, .bytes = {0x90, 60, 110}},
    {.frame = 150, .bytes = {0xe0, 0, 90}}, {.frame = 300, .bytes = {0x80, 60, 0}}};
enum { EVENTS = sizeof song / sizeof *song };

static void play(hed_synth *synth, uint32_t from, uint32_t to, uint32_t block, float *left)
{
    float right[FRAMES];
    for (uint32_t at = from; at < to; at += block) {
        uint32_t frames = to - at < block ? to - at : block, count = 0;
        hed_synth_event events[EVENTS];
        for (uint32_t i = 0; i < EVENTS; i++)
            if (song[i].frame >= at && song[i].frame < at + frames) {
                events[count] = song[i];
                events[count++].frame -= at;
            }
        hed_synth_block b = {.frames = frames, .events = events, .event_count = count,
            .left = left + at, .right = right};
        OK(hed_synth_process(synth, &b, &error));
    }
}

static played finish(hed_synth *synth, played found)
{
    hed_synth_info report;
    report = hed_synth_describe(synth);
    found.bodies = report.entities[HED_SYNTH_BODY];
    found.groups = report.groups;
    found.cut = report.partition_cut;
    found.positions = calloc(3 * (size_t)found.bodies, sizeof(float));
    found.velocities = calloc(3 * (size_t)found.bodies, sizeof(float));
    OK(hed_synth_read_bodies(synth, 0, found.positions, found.velocities, &error));
    CHECK_EQ(report.breaks, 0);
    hed_synth_destroy(synth);
    return found;
}

static played render(hed_device *device, const hed_synth_instrument *instrument,
    hed_synth_solver solver, uint32_t block)
{
    played found = {0};
    hed_synth *synth = make_synth(device, instrument, solver, block);
    play(synth, 0, FRAMES, block, found.left);
    return finish(synth, found);
}

static void forget(played *p)
{
    free(p->positions);
    free(p->velocities);
}

static double largest(const float *values, size_t count)
{
    double most = 0.0;
    for (size_t i = 0; i < count; i++) most = fmax(most, fabs(values[i]));
    return most;
}

/* Largest difference over the largest value. */
static double distance(const float *a, const float *b, size_t count)
{
    double most = 0.0;
    for (size_t i = 0; i < count; i++) {
        CHECK(isfinite(a[i]), "value %zu is %g", i, a[i]);
        most = fmax(most, fabs((double)a[i] - b[i]));
    }
    return most / largest(b, count);
}

static hed_device *host_of(const test_device *t)
{
    hed_device *host;
    OK(hed_device_find(t->context, "host", &host, &error));
    return host;
}

static bool skips(const test_device *t)
{
    return strcmp(hed_device_describe(t->device).backend, "host") == 0;
}

/* The grid against plain C. */
static void expect_near(
    const test_device *t, hed_synth_instrument *instrument, double tolerance, const char *what)
{
    played right = render(host_of(t), instrument, HED_SYNTH_SOLVER_CPU, 256),
           found = render(t->device, instrument, HED_SYNTH_SOLVER_GRID, 256);
    CHECK(largest(right.left, FRAMES) > 1e-4, "%s is silent", what);
    CHECK_EQ(found.bodies, right.bodies);
    double sound = distance(found.left, right.left, FRAMES),
           places = distance(found.positions, right.positions, 3 * (size_t)right.bodies);
    double speeds = distance(found.velocities, right.velocities, 3 * (size_t)right.bodies);
    fprintf(stderr,
        "%s: %u bodies in %u groups, %u springs cut; off by %.2g of the sound, %.2g of the places, %.2g of the "
        "velocities\n",
        what, found.bodies, found.groups, found.cut, sound, places, speeds);
    EXPECT(sound < tolerance && places < tolerance && speeds < tolerance,
        "%s: off by %g, %g and %g, %g at most", what, sound, places, speeds, tolerance);
    forget(&right);
    forget(&found);
    hed_synth_instrument_destroy(instrument);
}

/* Places and speeds of a membrane under tension are small differences: 1e-3 of the largest. */
Test(synth_grid, a_bow_is_a_sample_late)
{
    if (skips(&here)) return;
    has_bow = true;
    expect_near(&here, make_lattice(&(shape){.size = {50, 40, 1}, .rest = -0.9f, .anchored = true}),
        3e-3, "membrane under a bow");
    has_bow = false;
}

Test(synth_grid, lattices_sound_as_plain_c_has_them)
{
    if (!skips(&here)) {
        expect_near(&here,
            make_lattice(&(shape){.size = {20, 16, 12}, .rest = -1.0f, .anchored = true}), 1e-4,
            "block");
        expect_near(&here,
            make_lattice(&(shape){.size = {50, 40, 1}, .rest = -0.9f, .anchored = true}), 1e-3,
            "membrane");
        expect_near(&here,
            make_lattice(&(shape){.size = {12, 12, 8}, .rest = -1.0f, .diagonal = 1e4f}), 1e-4,
            "block with diagonals");
    }
}

Test(synth_grid, irregular_networks_sound_as_plain_c_has_them)
{
    if (!skips(&here)) {
        expect_near(&here, make_irregular(14, 0.0f, -1.0f, 0.2f), 1e-4, "lattice with springs moved");
        expect_near(&here, make_irregular(14, 0.5f, -1.0f, 0.2f), 1e-3, "irregular network");
        expect_near(
            &here, make_irregular(11, 0.5f, -0.97f, 0.0f), 3e-3, "irregular network under tension");
        expect_near(&here, make_lattice(&(shape){.size = {20, 10, 9}, .rest = -0.95f}), 3e-3,
            "block that draws itself together");
    }
}

static const shape plain = {.size = {20, 16, 12}, .rest = -1.0f, .anchored = true};

Test(synth_grid, neither_the_block_nor_what_was_played_before_matters)
{
    if (!skips(&here)) {
        float first[FRAMES], other[FRAMES];
        hed_synth_instrument *instrument = make_lattice(&plain);
        hed_synth *synth = make_synth(here.device, instrument, HED_SYNTH_SOLVER_GRID, 256);
        play(synth, 0, FRAMES, 256, first);
        OK(hed_synth_reset(synth, &error));
        play(synth, 0, FRAMES, 61, other);
        EXPECT(memcmp(first, other, sizeof first) == 0, "in blocks of 61 it is another sound");
        hed_synth_destroy(synth);
        hed_synth_instrument_destroy(instrument);
    }
}

Test(synth_grid, one_voice_is_dilated_and_bent)
{
    if (!skips(&here)) {
        hed_synth_instrument *instrument = make_lattice(&plain);
        hed_synth_instrument_def def = *hed_synth_instrument_definition(instrument);
        def.mode = HED_SYNTH_VOICES;
        def.voices = 1;
        def.root_note = 57.0f;
        def.low = 55;
        def.high = 61;
        OK(hed_synth_instrument_set_def(instrument, &def, &error));
        expect_near(&here, instrument, 1e-4, "a voice");
    }
}

/* A body and its springs go, a spring comes and the hammer grows softer, between two samples. */
static played render_change(hed_device *device, hed_synth_solver solver)
{
    played found = {0};
    hed_synth_instrument *instrument = make_lattice(&plain), *changed;
    hed_synth *synth = make_synth(device, instrument, solver, 64);
    hed_synth_change *change;
    play(synth, 0, 192, 64, found.left);
    OK(hed_synth_instrument_copy(instrument, &changed, &error));
    OK(hed_synth_instrument_remove(
        changed, hed_synth_instrument_at(changed, HED_SYNTH_BODY, 700), &error));
    hed_synth_entity_def spring = hed_default_synth_entity_def(HED_SYNTH_SPRING), mallet;
    spring.as.spring.from = hed_synth_instrument_at(changed, HED_SYNTH_BODY, 1000);
    spring.as.spring.to = hed_synth_instrument_at(changed, HED_SYNTH_BODY, 1023);
    spring.as.spring.stiffness = 2e4f;
    add(changed, &spring);
    OK(hed_synth_instrument_get(
        changed, hed_synth_instrument_at(changed, HED_SYNTH_MALLET, 0), &mallet, &error));
    mallet.as.mallet.hardness_hard *= 0.5f;
    OK(hed_synth_instrument_set(
        changed, hed_synth_instrument_at(changed, HED_SYNTH_MALLET, 0), &mallet, &error));
    OK(hed_synth_prepare(synth, changed, &change, &error));
    OK(hed_synth_apply(synth, change, &error));
    hed_synth_change_destroy(change);
    play(synth, 192, FRAMES, 64, found.left);
    hed_synth_instrument_destroy(changed);
    hed_synth_instrument_destroy(instrument);
    return finish(synth, found);
}

Test(synth_grid, changes_while_it_sounds)
{
    if (!skips(&here)) {
        played right = render_change(host_of(&here), HED_SYNTH_SOLVER_CPU),
               found = render_change(here.device, HED_SYNTH_SOLVER_GRID);
        double sound = distance(found.left, right.left, FRAMES),
               places = distance(found.positions, right.positions, 3 * (size_t)right.bodies);
        EXPECT(sound < 1e-4 && places < 1e-4, "off by %g and %g", sound, places);
        forget(&right);
        forget(&found);
    }
}

/* ---- the breaker ---- */

/* Two light bodies apart from the lattice, and an oscillator that moves the first. */
static hed_synth_entity add_pair(hed_synth_instrument *instrument)
{
    hed_synth_entity_def body = hed_default_synth_entity_def(HED_SYNTH_BODY),
                         spring = hed_default_synth_entity_def(HED_SYNTH_SPRING),
                         oscillator = hed_default_synth_entity_def(HED_SYNTH_OSCILLATOR);
    body.as.body.mass = 1e-9f;
    spring.as.spring.from = add(instrument, &body);
    body.as.body.position[0] = 0.1f;
    spring.as.spring.to = add(instrument, &body);
    spring.as.spring.stiffness = 0.1f;
    add(instrument, &spring);
    oscillator.as.oscillator.gain = 0;
    hed_synth_entity entity = add(instrument, &oscillator);
    OK(hed_synth_instrument_link(instrument, entity, spring.as.spring.from, 1.0f, &error));
    return entity;
}

/* Plays blocks with the oscillator at `gain` and one MIDI event; the largest of the sound. */
static float play_pair(
    hed_synth *synth, hed_synth_entity oscillator, float gain, uint8_t status, uint32_t blocks)
{
    float left[256], right[256], largest = 0;
    const hed_synth_event events[] = {{.kind = HED_SYNTH_EVENT_SET, .entity = oscillator,
                                          .target = HED_SYNTH_TARGET_GAIN, .value = gain},
        {.bytes = {status, 60, 110}}};
    for (uint32_t n = 0; n < blocks; n++) {
        hed_synth_block block = {.frames = 256, .events = events, .event_count = n ? 0 : 2,
            .left = left, .right = right};
        OK(hed_synth_process(synth, &block, &error));
        for (uint32_t i = 0; i < 256; i++) {
            CHECK(isfinite(left[i]) && isfinite(right[i]), "sound is %g", (double)left[i]);
            largest = fmaxf(largest, fabsf(left[i]));
        }
    }
    return largest;
}

Test(synth_grid, bodies_that_nothing_hears_open_the_breaker)
{
    if (!skips(&here)) {
        hed_synth_instrument *instrument = make_lattice(&plain);
        hed_synth_entity oscillator = add_pair(instrument);
        hed_synth *synth = make_synth(here.device, instrument, HED_SYNTH_SOLVER_GRID, 256);
        uint32_t count = 3 * hed_synth_instrument_count(instrument, HED_SYNTH_BODY);
        float *places = calloc(2 * count, sizeof *places);
        play_pair(synth, oscillator, 1e6f, 0x90, 2);
        OK(hed_synth_read_bodies(synth, 0, places, places + count, &error));
        for (uint32_t i = 0; i < 2 * count; i++) CHECK(isfinite(places[i]));
        play_pair(synth, oscillator, 0, 0x80, 22); /* a rest is 4,800 samples */
        uint32_t breaks = info_of(synth).breaks;
        CHECK_GT(breaks, 0);
        CHECK_GT(play_pair(synth, oscillator, 0, 0x90, 2), 0);
        CHECK_EQ(info_of(synth).breaks, breaks);
        free(places);
        hed_synth_destroy(synth);
        hed_synth_instrument_destroy(instrument);
    }
}

/* Plays 6 blocks of a note: the breaker opens, and the sound stays finite. */
static void expect_break(hed_synth_instrument *instrument, const char *name)
{
    float left[256], right[256];
    const hed_synth_event note = {.bytes = {0x90, 60, 110}};
    hed_synth *synth = make_synth(here.device, instrument, HED_SYNTH_SOLVER_GRID, 256);
    for (uint32_t n = 0; n < 6; n++) {
        hed_synth_block block = {
            .frames = 256, .events = &note, .event_count = n == 0, .left = left, .right = right};
        OK(hed_synth_process(synth, &block, &error));
        for (uint32_t i = 0; i < 256; i++) CHECK(isfinite(left[i]) && isfinite(right[i]));
    }
    EXPECT_GT(info_of(synth).breaks, 0, "%s", name);
    hed_synth_destroy(synth);
    hed_synth_instrument_destroy(instrument);
}

/* The blocks of the lattice check their bodies, the group that plays checks its levels: each alone
 * opens the breaker. */
Test(synth_grid, bodies_and_levels_open_the_breaker_each_alone)
{
    if (!skips(&here)) {
        hed_synth_entity_def body = hed_default_synth_entity_def(HED_SYNTH_BODY),
                             spring = hed_default_synth_entity_def(HED_SYNTH_SPRING),
                             ear = hed_default_synth_entity_def(HED_SYNTH_MICROPHONE),
                             follower = hed_default_synth_entity_def(HED_SYNTH_FOLLOWER);
        hed_synth_instrument *instrument = make_lattice(&plain);
        body.as.body.mass = 1e-9f;
        spring.as.spring.from = add(instrument, &body);
        body.as.body.position[0] = 5e3f;
        spring.as.spring.to = add(instrument, &body);
        spring.as.spring.stiffness = 0.5f;
        spring.as.spring.rest_length = 1e4f; /* km a sample */
        add(instrument, &spring);
        expect_break(instrument, "two bodies that fly apart");

        instrument = make_lattice(&plain);
        hed_synth_entity struck = instrument->links[0].to;
        ear.as.microphone.heard = false;
        ear.as.microphone.gain = 200.0f;
        follower.as.follower.source = add(instrument, &ear);
        OK(hed_synth_instrument_link(
            instrument, follower.as.follower.source, struck, 1.0f, &error));
        add(instrument, &follower);
        expect_break(instrument, "a level of a microphone that is not heard");
    }
}

/* ---- what it does not take ---- */

/* What plays can be set while it sounds, the lattice cannot. */
Test(synth_grid, players_can_be_set_and_bodies_cannot)
{
    if (!skips(&here)) {
        hed_synth_instrument *instrument = make_lattice(&plain);
        hed_synth *synth = make_synth(here.device, instrument, HED_SYNTH_SOLVER_GRID, 256);
        hed_synth_event set = {.kind = HED_SYNTH_EVENT_SET,
            .entity = hed_synth_instrument_at(instrument, HED_SYNTH_MICROPHONE, 0),
            .target = HED_SYNTH_TARGET_GAIN, .value = -6.0f};
        float left[64], right[64];
        hed_synth_block block = {
            .frames = 64, .events = &set, .event_count = 1, .left = left, .right = right};
        OK(hed_synth_process(synth, &block, &error));
        set = (hed_synth_event){.kind = HED_SYNTH_EVENT_SET, .entity = instrument->links[0].to,
            .target = HED_SYNTH_TARGET_MASS, .value = 0.002f};
        FAILS(HED_ERROR_ARGUMENT, hed_synth_process(synth, &block, &error));
        hed_synth_destroy(synth);
        hed_synth_instrument_destroy(instrument);
    }
}

static void expect_refused(
    hed_device *device, hed_synth_instrument *instrument, hed_math math, const char *word)
{
    hed_synth *synth = NULL;
    hed_synth_def def = hed_default_synth_def();
    def.instrument = instrument;
    def.solver = HED_SYNTH_SOLVER_GRID;
    def.math = math;
    hed_status status = hed_synth_create(device, &def, &synth, &error);
    EXPECT_EQ(status, HED_ERROR_UNSUPPORTED, "\"%s\" was taken", word);
    EXPECT(strstr(error.text, word), "it says \"%s\" and not \"%s\"", error.text, word);
    hed_synth_destroy(synth);
    hed_synth_instrument_destroy(instrument);
}

static hed_synth_entity spring_of(
    const hed_synth_instrument *instrument, uint32_t index, hed_synth_entity_def *def)
{
    hed_synth_entity spring = hed_synth_instrument_at(instrument, HED_SYNTH_SPRING, index);
    OK(hed_synth_instrument_get(instrument, spring, def, &error));
    return spring;
}

static hed_synth_instrument *with_spring_damping(void)
{
    hed_synth_instrument *instrument = make_lattice(&plain);
    hed_synth_entity_def def;
    hed_synth_entity spring = spring_of(instrument, 5, &def);
    def.as.spring.damping = 0.1f;
    OK(hed_synth_instrument_set(instrument, spring, &def, &error));
    return instrument;
}

static hed_synth_instrument *with_modulated_body(void)
{
    hed_synth_instrument *instrument = make_lattice(&plain);
    hed_synth_entity_def lfo = hed_default_synth_entity_def(HED_SYNTH_LFO);
    OK(hed_synth_instrument_modulate(instrument,
        &(hed_synth_modulation_def){.source = add(instrument, &lfo),
            .entity = hed_synth_instrument_at(instrument, HED_SYNTH_BODY, 40),
            .target = HED_SYNTH_TARGET_DAMPING, .mode = HED_SYNTH_MODULATE_ADD, .depth = 0.5f},
        &error));
    return instrument;
}

static hed_synth_instrument *with_voices(void)
{
    hed_synth_instrument *instrument = make_lattice(&plain);
    hed_synth_instrument_def def = *hed_synth_instrument_definition(instrument);
    def.mode = HED_SYNTH_VOICES;
    def.voices = 4;
    def.low = def.high = 60;
    OK(hed_synth_instrument_set_def(instrument, &def, &error));
    return instrument;
}

static hed_synth_instrument *with_many_materials(void)
{
    hed_synth_instrument *instrument = make_irregular(9, 0.5f, -1.0f, 0.0f);
    hed_synth_entity_def def;
    for (uint32_t i = 0; i < 400; i++) {
        hed_synth_entity spring = spring_of(instrument, i, &def);
        def.as.spring.stiffness = 1e4f + (float)i;
        OK(hed_synth_instrument_set(instrument, spring, &def, &error));
    }
    return instrument;
}

static hed_synth_instrument *with_many_masses(void)
{
    hed_synth_instrument *instrument = make_lattice(&plain);
    hed_synth_entity_def def;
    for (uint32_t i = 0; i < 400; i++) {
        hed_synth_entity body = hed_synth_instrument_at(instrument, HED_SYNTH_BODY, i);
        OK(hed_synth_instrument_get(instrument, body, &def, &error));
        def.as.body.mass = 0.001f + 1e-6f * (float)i;
        OK(hed_synth_instrument_set(instrument, body, &def, &error));
    }
    return instrument;
}

Test(synth_grid, what_it_does_not_take_is_said)
{
    expect_refused(host_of(&here), make_lattice(&plain), HED_MATH_FAST, "native");
    if (!skips(&here)) {
        expect_refused(here.device, make_lattice(&plain), HED_MATH_STRICT, "strict");
        expect_refused(here.device, with_spring_damping(), HED_MATH_FAST, "damping");
        expect_refused(here.device, with_modulated_body(), HED_MATH_FAST, "modulated");
        expect_refused(here.device, with_voices(), HED_MATH_FAST, "one voice");
        expect_refused(here.device, with_many_materials(), HED_MATH_FAST, "materials");
        expect_refused(here.device, with_many_masses(), HED_MATH_FAST, "mass and damping");
    }
}

/* That a grid has no room for an instrument shows only while its tables are made: AUTO takes
 * another solver then. */
Test(synth_grid, auto_goes_on_without_it)
{
    enum { BODIES = 8300, MASSES = 300 };
    if (!skips(&here)) {
        hed_synth_instrument *instrument = make_instrument();
        hed_synth_entity_def body = hed_default_synth_entity_def(HED_SYNTH_BODY),
                             spring = hed_default_synth_entity_def(HED_SYNTH_SPRING);
        hed_synth_entity before = 0, first = 0;
        spring.as.spring.stiffness = 100.0f;
        for (uint32_t i = 0; i < BODIES; i++) {
            body.as.body.position[0] = 0.01f * (float)i;
            body.as.body.mass = 0.001f + 1e-6f * (float)(i % MASSES);
            hed_synth_entity placed = add(instrument, &body);
            spring.as.spring.from = before;
            spring.as.spring.to = placed;
            if (i > 0) add(instrument, &spring);
            if (i == 0) first = placed;
            before = placed;
        }
        add_players(instrument, first, first, first);
        hed_synth_def def = hed_default_synth_def();
        def.instrument = instrument;
        def.solver = HED_SYNTH_SOLVER_GRID;
        hed_synth *synth;
        FAILS(HED_ERROR_UNSUPPORTED, hed_synth_create(here.device, &def, &synth, &error));
        synth = make_synth(here.device, instrument, HED_SYNTH_SOLVER_AUTO, 64);
        EXPECT(info_of(synth).solver != HED_SYNTH_SOLVER_GRID);
        hed_synth_destroy(synth);
        hed_synth_instrument_destroy(instrument);
    }
}
