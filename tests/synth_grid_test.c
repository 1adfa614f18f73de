/* ctest: devices
 * Structure grid: lattices, membranes and irregular networks sound as plain C in strict mode has them, within stated tolerances; the same bits
 * whatever the block; dilation, automation and changes while it sounds; what it does not take is refused in words. */
#include "testing.h"

#include <math.h>

#include "solver/grid.h"

static hed_error error;

enum { FRAMES = 400, RATE = 48000 };

/* ---- instruments ---- */

static hed_entity add(hed_instrument *instrument, const hed_entity_def *def)
{
    hed_entity entity;
    OK(hed_instrument_add(instrument, def, NULL, &entity, &error));
    return entity;
}

/* A microphone, a mallet and a bow at bodies of the instrument. */
static void add_players(hed_instrument *instrument, hed_entity heard, hed_entity struck, hed_entity bowed)
{
    hed_entity_def microphone = hed_default_entity_def(HED_MICROPHONE), mallet = hed_default_entity_def(HED_MALLET), bow = hed_default_entity_def(HED_BOW);
    memcpy(microphone.as.microphone.position, (float[]){0.05f, 0.05f, 0.3f}, sizeof(float[3]));
    memcpy(microphone.as.microphone.direction, (float[]){0.1f, 0.2f, -1.0f}, sizeof(float[3]));
    memcpy(mallet.as.mallet.direction, (float[]){0.3f, 0.2f, 1.0f}, sizeof(float[3]));
    memcpy(bow.as.bow.direction, (float[]){1.0f, 0.5f, 0.0f}, sizeof(float[3]));
    hed_entity ear = add(instrument, &microphone), hammer = add(instrument, &mallet), hair = add(instrument, &bow);
    OK(hed_instrument_link(instrument, ear, heard, 1.0f, &error));
    OK(hed_instrument_link(instrument, ear, struck, 0.5f, &error));
    OK(hed_instrument_link(instrument, hammer, struck, 1.0f, &error));
    OK(hed_instrument_link(instrument, hair, bowed, 1.0f, &error));
    OK(hed_instrument_link(instrument, hair, struck, 0.3f, &error));
}

static hed_instrument *make_instrument(void)
{
    hed_instrument *instrument;
    hed_allocator allocator = hed_default_allocator();
    hed_instrument_def def = hed_default_instrument_def();
    def.mode = HED_SINGLETON;
    OK(hed_instrument_create(&allocator, &def, &instrument, &error));
    return instrument;
}

/* What a grid test plays on. */
typedef struct shape {
    uint32_t size[3];
    float rest;   /* of the springs */
    float diagonal;
    bool anchored; /* both ends along the first axis, and along the second where it is tense */
} shape;

static hed_instrument *make_lattice(const shape *of)
{
    hed_instrument *instrument = make_instrument();
    hed_grid_def grid = hed_default_grid_def();
    hed_generated made;
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
    OK(hed_instrument_add_grid(instrument, &grid, "block", &made, &error));
    uint32_t middle = (of->size[2] / 2 * of->size[1] + of->size[1] / 2) * of->size[0] + of->size[0] / 2;
    add_players(instrument, made.first_body + middle + 1, made.first_body + middle, made.first_body + middle + 2 * of->size[0]);
    return instrument;
}

static uint32_t random_state;
static float random_float(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (float)(random_state >> 8) * 0x1p-24f;
}

/* Bodies with `jitter` about the places of a lattice, springs to neighbours and to some further off, two masses, three dampings; some anchored. */
static hed_instrument *make_irregular(uint32_t width, float jitter, float rest, float moved)
{
    hed_instrument *instrument = make_instrument();
    uint32_t count = width * width * width;
    hed_entity *bodies = calloc(count, sizeof *bodies);
    random_state = 7;
    for (uint32_t i = 0; i < count; i++) {
        hed_entity_def body = hed_default_entity_def(HED_BODY);
        const uint32_t place[3] = {i % width, i / width % width, i / width / width};
        for (uint32_t k = 0; k < 3; k++) body.as.body.position[k] = 0.01f * ((float)place[k] + jitter * (random_float() - 0.5f));
        body.as.body.mass = random_float() < 0.5f ? 0.001f : 0.002f;
        body.as.body.damping = 2.0f + floorf(3.0f * random_float());
        body.as.body.anchored = random_float() < 0.02f;
        bodies[i] = add(instrument, &body);
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t axis = 0, stride = 1; axis < 3; axis++, stride *= width) {
            hed_entity_def spring = hed_default_entity_def(HED_SPRING);
            if (i / stride % width + 1 >= width) continue;
            uint32_t far = random_float() < moved ? i + stride + (i / width / width + 2 < width ? width * width : 0) : i + stride;
            spring.as.spring.from = bodies[i];
            spring.as.spring.to = bodies[far < count ? far : i + stride];
            spring.as.spring.stiffness = random_float() < 0.5f ? 2e4f : 3e4f;
            spring.as.spring.rest_length = rest;
            add(instrument, &spring);
        }
    uint32_t middle = (width / 2 * width + width / 2) * width + width / 2;
    for (uint32_t k = 0; k < 4; k++) { /* players touch free bodies, and listen to an anchored one, too */
        hed_entity_def def;
        OK(hed_instrument_get(instrument, bodies[middle + k], &def, &error));
        def.as.body.anchored = k == 3;
        OK(hed_instrument_set(instrument, bodies[middle + k], &def, &error));
    }
    add_players(instrument, bodies[middle], bodies[middle + 1], bodies[middle + 2]);
    OK(hed_instrument_link(instrument, hed_instrument_at(instrument, HED_MICROPHONE, 0), bodies[middle + 3], 1.0f, &error));
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

static hed_synth *make_synth(hed_device *device, const hed_instrument *instrument, hed_synth_structure structure, uint32_t block)
{
    hed_synth_def def = hed_default_synth_def();
    def.instrument = instrument;
    def.structure = structure;
    def.math = structure == HED_SYNTH_NATIVE ? HED_MATH_STRICT : HED_MATH_FAST;
    def.block = block;
    hed_synth *synth;
    OK(hed_synth_create(device, &def, &synth, &error));
    return synth;
}

static const hed_synth_event song[] = {{.frame = 5, .bytes = {0x90, 60, 110}}, {.frame = 150, .bytes = {0xe0, 0, 90}}, {.frame = 300, .bytes = {0x80, 60, 0}}};
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
        hed_synth_block b = {.frames = frames, .events = events, .event_count = count, .left = left + at, .right = right};
        OK(hed_synth_process(synth, &b, &error));
    }
}

static played finish(hed_synth *synth, played found)
{
    hed_synth_report report = hed_synth_get_report(synth);
    found.bodies = report.entities[HED_BODY];
    found.groups = report.groups;
    found.cut = report.partition_cut;
    found.positions = calloc(3 * (size_t)found.bodies, sizeof(float));
    found.velocities = calloc(3 * (size_t)found.bodies, sizeof(float));
    OK(hed_synth_read_bodies(synth, 0, found.positions, found.velocities, &error));
    cr_assert_eq(report.breaks, 0);
    hed_synth_destroy(synth);
    return found;
}

static played render(hed_device *device, const hed_instrument *instrument, hed_synth_structure structure, uint32_t block)
{
    played found = {0};
    hed_synth *synth = make_synth(device, instrument, structure, block);
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
        cr_assert(isfinite(a[i]), "value %zu is %g", i, a[i]);
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

static bool skips(const test_device *t) { return strcmp(hed_device_get_info(t->device)->backend, "host") == 0; }

/* The grid against plain C. */
static void expect_near(const test_device *t, hed_instrument *instrument, double tolerance, const char *what)
{
    played right = render(host_of(t), instrument, HED_SYNTH_NATIVE, 256), found = render(t->device, instrument, HED_SYNTH_GRID, 256);
    cr_assert(largest(right.left, FRAMES) > 1e-4, "%s is silent", what);
    cr_assert_eq(found.bodies, right.bodies);
    double sound = distance(found.left, right.left, FRAMES), places = distance(found.positions, right.positions, 3 * (size_t)right.bodies);
    double speeds = distance(found.velocities, right.velocities, 3 * (size_t)right.bodies);
    fprintf(stderr, "%s: %u bodies in %u groups, %u springs cut; off by %.2g of the sound, %.2g of the places, %.2g of the velocities\n", what,
            found.bodies, found.groups, found.cut, sound, places, speeds);
    cr_expect(sound < tolerance && places < tolerance && speeds < tolerance, "%s: off by %g, %g and %g, %g at most", what, sound, places, speeds,
              tolerance);
    forget(&right);
    forget(&found);
    hed_instrument_destroy(instrument);
}

Test(synth_grid, lattices_sound_as_plain_c_has_them)
{
    test_device t = test_open(NULL);
    if (!skips(&t)) {
        expect_near(&t, make_lattice(&(shape){.size = {20, 16, 12}, .rest = -1.0f, .anchored = true}), 1e-4, "block");
        expect_near(&t, make_lattice(&(shape){.size = {50, 40, 1}, .rest = -0.9f, .anchored = true}), 1e-4, "membrane");
        expect_near(&t, make_lattice(&(shape){.size = {12, 12, 8}, .rest = -1.0f, .diagonal = 1e4f}), 1e-4, "block with diagonals");
        expect_near(&t, make_lattice(&(shape){.size = {20, 10, 9}, .rest = -0.95f}), 1e-4, "block that hangs free");
    }
    test_close(&t);
}

Test(synth_grid, irregular_networks_sound_as_plain_c_has_them)
{
    test_device t = test_open(NULL);
    if (!skips(&t)) {
        expect_near(&t, make_irregular(14, 0.0f, -1.0f, 0.2f), 1e-3, "lattice with springs moved");
        expect_near(&t, make_irregular(14, 0.5f, -1.0f, 0.2f), 1e-2, "irregular network");
        expect_near(&t, make_irregular(11, 0.5f, -0.97f, 0.0f), 1e-2, "irregular network under tension");
    }
    test_close(&t);
}
