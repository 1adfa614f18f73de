/* Grids: what they are made of, that they rest, their exact pitch; and the stability bound. Pitch
 * is measured on a simulation in double precision of the bodies and springs that the grid made,
 * with the full spring force in three dimensions. */
#include <math.h>

#include "heddle/synth.h"
#include "model/synth_model.h"
#include "testing.h"

static const double PI = 3.14159265358979323846;
static const double RATE = 48000;
static hed_error error;
static hed_synth_instrument *instrument;

static void open(void) { OK(hed_synth_instrument_create(NULL, NULL, &instrument, &error)); }

static void close(void) { hed_synth_instrument_destroy(instrument); }

TestSuite(synth_grids, .init = open, .fini = close);

/* ---- a simulation ---- */

typedef struct sim {
    uint32_t bodies;
    double *x, *v, *f; /* (bodies x 3) displacement m, velocity m/s, force N */
    double step;
} sim;

static uint32_t place(hed_synth_entity entity) { return synth_find(instrument, entity)->index; }

static sim sim_open(double dilation)
{
    sim s = {.bodies = instrument->counts[HED_SYNTH_BODY], .step = dilation / RATE};
    s.x = calloc(3 * (size_t)s.bodies, sizeof(double));
    s.v = calloc(3 * (size_t)s.bodies, sizeof(double));
    s.f = calloc(3 * (size_t)s.bodies, sizeof(double));
    CHECK(s.x && s.v && s.f);
    return s;
}

static void sim_close(sim *s)
{
    free(s->x);
    free(s->v);
    free(s->f);
}

static void sim_forces(sim *s)
{
    memset(s->f, 0, 3 * s->bodies * sizeof(double));
    for (uint32_t i = 0; i < instrument->counts[HED_SYNTH_SPRING]; i++) {
        const hed_synth_spring_def *spring = &instrument->springs[i];
        uint32_t a = place(spring->from), b = place(spring->to);
        double rest[3], d[3], u[3], rest_square = 0, square = 0, dot = 0, speed = 0;
        for (uint32_t k = 0; k < 3; k++) {
            rest[k] = (double)instrument->bodies[b].position[k] - instrument->bodies[a].position[k];
            u[k] = s->x[3 * b + k] - s->x[3 * a + k];
            d[k] = rest[k] + u[k];
            rest_square += rest[k] * rest[k];
            square += d[k] * d[k];
            dot += (2 * rest[k] + u[k]) * u[k];
            speed += (s->v[3 * b + k] - s->v[3 * a + k]) * d[k];
        }
        double share = -(double)spring->rest_length,
               natural = share > 0 ? share * sqrt(rest_square) : spring->rest_length;
        double length = sqrt(square),
               e = (dot + rest_square - natural * natural) / (length + natural);
        double force = (spring->stiffness * e + spring->damping * speed / length) / length;
        for (uint32_t k = 0; k < 3; k++) {
            s->f[3 * a + k] += force * d[k];
            s->f[3 * b + k] -= force * d[k];
        }
    }
}

static void sim_step(sim *s)
{
    sim_forces(s);
    for (uint32_t i = 0; i < s->bodies; i++) {
        const hed_synth_body_def *body = &instrument->bodies[i];
        double g = exp(-2 * (double)body->damping * s->step);
        for (uint32_t k = 0; k < 3 && !body->anchored; k++) {
            s->v[3 * i + k] = g * (s->v[3 * i + k] + s->step * s->f[3 * i + k] / body->mass);
            s->x[3 * i + k] += s->step * s->v[3 * i + k];
        }
    }
}

/* ---- what a grid is made of ---- */

typedef struct count {
    uint32_t straight, diagonal, bend;
} count;

/* Every spring joins two places that are one or two steps apart, no two join the same, and there
 * are as many as there should be. */
static count count_springs(const hed_synth_grid_def *def, const hed_synth_generated *made)
{
    count found = {0};
    const uint32_t *n = def->size;
    static bool seen[64][64];
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < made->springs; i++) {
        const hed_synth_spring_def *spring = &instrument->springs[place(made->first_spring + i)];
        uint32_t a = spring->from - made->first_body, b = spring->to - made->first_body, steps = 0,
                 axes = 0;
        uint32_t from[3] = {a % n[0], a / n[0] % n[1], a / n[0] / n[1]},
                 to[3] = {b % n[0], b / n[0] % n[1], b / n[0] / n[1]};
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t way = from[k] < to[k] ? to[k] - from[k] : from[k] - to[k];
            steps += way;
            axes += way > 0;
        }
        CHECK(a < made->bodies && b < made->bodies && a != b && !seen[a][b]);
        seen[a][b] = seen[b][a] = true;
        CHECK(steps == 1 || steps == 2);
        found.straight += steps == 1;
        found.diagonal += steps == 2 && axes == 2;
        found.bend += steps == 2 && axes == 1;
    }
    return found;
}

Test(synth_grids, a_block_has_all_its_springs)
{
    hed_synth_grid_def def = hed_default_synth_grid_def();
    hed_synth_generated made;
    memcpy(def.size, (uint32_t[]){4, 3, 2}, sizeof def.size);
    def.origin[1] = 5;
    def.diagonal = 10;
    def.bend = 20;
    OK(hed_synth_instrument_add_grid(instrument, &def, "block", &made, &error));
    EXPECT(made.bodies == 24 && made.first_body == 1 && made.first_spring == 25);
    count found = count_springs(&def, &made);
    EXPECT(found.straight == 3 * 3 * 2 + 4 * 2 * 2 + 4 * 3, "%u straight", found.straight);
    EXPECT(
        found.diagonal == 2 * (3 * 2 * 2 + 3 * 1 * 3 + 2 * 1 * 4), "%u diagonal", found.diagonal);
    EXPECT(found.bend == 2 * 3 * 2 + 4 * 1 * 2, "%u bend", found.bend);
    const float *position = instrument->bodies[(1 * 3 + 2) * 4 + 3].position;
    EXPECT_NEAR(position[0], 0.03f, 1e-8f);
    EXPECT_NEAR(position[1], 5.02f, 1e-6f);
    EXPECT_NEAR(position[2], 0.01f, 1e-8f);
}

Test(synth_grids, anchors_are_where_they_are_asked_for)
{
    hed_synth_grid_def def = hed_default_synth_grid_def();
    hed_synth_generated made;
    memcpy(def.size, (uint32_t[]){5, 4, 3}, sizeof def.size);
    def.anchor_ends[0][0] = def.anchor_ends[1][1] = def.anchor_ends[2][0] = true;
    OK(hed_synth_instrument_add_grid(instrument, &def, NULL, &made, &error));
    uint32_t springs = 0;
    for (uint32_t i = 0; i < 60; i++) {
        uint32_t at[3] = {i % 5, i / 5 % 4, i / 20};
        bool anchored = at[0] == 0 || at[1] == 3 || at[2] == 0;
        CHECK(instrument->bodies[i].anchored == anchored);
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t next[3] = {at[0], at[1], at[2]};
            if (++next[k] >= def.size[k]) continue;
            springs += !(anchored && (next[0] == 0 || next[1] == 3 || next[2] == 0));
        }
    }
    EXPECT(made.springs == springs,
        "%u springs, not %u: those between two anchored bodies are left out", made.springs,
        springs);
}

/* Prestressed or not: the force on every free body is nothing beside what each spring pulls
 * with. */
static void must_rest(const hed_synth_grid_def *def)
{
    hed_synth_generated made;
    OK(hed_synth_instrument_add_grid(instrument, def, NULL, &made, &error));
    sim s = sim_open(1);
    sim_forces(&s);
    for (uint32_t i = 0; i < s.bodies; i++)
        for (uint32_t k = 0; k < 3; k++)
            CHECK(instrument->bodies[i].anchored || fabs(s.f[3 * i + k]) < 1e-5,
                "body %u is pushed by %g N along %u", i, s.f[3 * i + k], k);
    sim_close(&s);
}

Test(synth_grids, free_plates_rest)
{
    hed_synth_grid_def def = hed_default_synth_grid_def();
    memcpy(def.size, (uint32_t[]){7, 5, 1}, sizeof def.size);
    memcpy(
        def.step, (float[3][3]){{0.0078125f, 0, 0}, {0, 0.015625f, 0}, {0, 0, 1}}, sizeof def.step);
    def.spring.stiffness = 4000;
    def.bend = 3000; /* pushes with 11.7 N along the first axis */
    must_rest(&def);
    def.diagonal = 500;
    def.anchor_ends[0][0] = true;
    must_rest(&def);
}

Test(synth_grids, strings_under_tension_rest)
{
    hed_synth_grid_def def = hed_default_synth_grid_def();
    def.size[0] = 12;
    def.step[0][0] = 0.0078125f;
    def.spring.rest_length = -0.25f;
    def.bend = 100;
    def.anchor_ends[0][0] = def.anchor_ends[0][1] = true;
    must_rest(&def);
    def.spring.rest_length = 0.003f; /* in metres */
    must_rest(&def);
}

Test(synth_grids, grids_that_are_refused)
{
    static const struct {
        hed_status status;
        const char *words;
        uint32_t size[3];
        float stiffness, bend, tune, rest_length;
        bool ends;
    } cases[] = {
        {HED_ERROR_ARGUMENT, "size[1] is 0", {3, 0, 1}, 1, 0, 0, -1, true},
        {HED_ERROR_LIMIT, "a grid holds up to", {5000, 5000, 2}, 1, 0, 0, -1, true},
        {HED_ERROR_ARGUMENT, "stiffness", {3, 1, 1}, NAN, 0, 0, -1, true},
        {HED_ERROR_ARGUMENT, "bend -1", {3, 1, 1}, 1, -1, 0, -1, true},
        {HED_ERROR_ARGUMENT, "below stiffness times rest length by distance, which is 500",
            {3, 1, 1}, 1000, 500, 0, -0.5f, true},
        {HED_ERROR_ARGUMENT, "less than half of the rate", {3, 1, 1}, 1, 0, 24000, -0.5f, true},
        {HED_ERROR_ARGUMENT, "no tension to tune", {9, 1, 1}, 1, 0, 100, -1, true},
        {HED_ERROR_ARGUMENT, "have to be anchored", {9, 1, 1}, 1, 0, 100, -0.5f, false},
        {HED_ERROR_ARGUMENT, "with a body between", {2, 1, 1}, 1, 0, 100, -0.5f, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hed_synth_grid_def def = hed_default_synth_grid_def();
        hed_synth_generated made;
        memcpy(def.size, cases[i].size, sizeof def.size);
        def.spring.stiffness = cases[i].stiffness;
        def.spring.rest_length = cases[i].rest_length;
        def.bend = cases[i].bend;
        def.tune = cases[i].tune;
        def.anchor_ends[0][0] = def.anchor_ends[0][1] = cases[i].ends;
        FAILS(cases[i].status, hed_synth_instrument_add_grid(instrument, &def, "g", &made, &error));
        EXPECT(strstr(error.text, cases[i].words), "case %zu: \"%s\" does not say \"%s\"", i,
            error.text, cases[i].words);
        EXPECT(hed_synth_instrument_count(instrument, HED_SYNTH_BODY) == 0 &&
               hed_synth_instrument_grid_count(instrument) == 0);
    }
    hed_synth_grid_def def = hed_default_synth_grid_def();
    hed_synth_generated made;
    memcpy(def.size, (uint32_t[]){3, 3, 1}, sizeof def.size);
    memcpy(def.step[1], def.step[0], sizeof def.step[0]);
    def.diagonal = 1;
    FAILS(HED_ERROR_ARGUMENT, hed_synth_instrument_add_grid(instrument, &def, NULL, &made, &error));
    EXPECT(strstr(error.text, "lie along one line"));
    def = hed_default_synth_grid_def();
    def.size[0] = 1 << 20;
    FAILS(HED_ERROR_ARGUMENT, hed_synth_instrument_add_grid(instrument, &def, NULL, &made, &error));
    EXPECT(strstr(error.text, "position is 10485.8"), "%s", error.text);
}

/* ---- pitch ---- */

Test(synth_grids, strings_have_the_notes_figures)
{
    static const struct {
        uint32_t masses;
        double ratio, third; /* K h^2/m rounded, Hz: measured for the notes on numerics */
    } known[] = {{8, 0.00172, 316.752329}, {32, 0.02289, 329.026411}, {64, 0.08877, 329.765843}};
    for (uint32_t i = 0; i < 3; i++) {
        double ratio = hed_synth_string_ratio(known[i].masses, 110, RATE);
        EXPECT_NEAR(ratio / (RATE * RATE), known[i].ratio, 6e-6);
        EXPECT_NEAR(hed_synth_string_frequency(known[i].masses, 1, ratio, RATE), 110, 1e-9);
        EXPECT_NEAR(
            hed_synth_string_frequency(known[i].masses, 3, ratio, RATE), known[i].third, 1e-6);
    }
    EXPECT(hed_synth_string_frequency(8, 9, 1, RATE) == 0 &&
           hed_synth_string_frequency(8, 0, 1, RATE) == 0);
    EXPECT(hed_synth_string_frequency(1, 1, 2.001 * RATE * RATE, RATE) == 0,
        "beyond the edge it has no pitch");
    EXPECT(hed_synth_string_frequency(1, 1, 1.999 * RATE * RATE, RATE) > 23000);
}

static double cents(double found, double wanted) { return 1200 * log2(found / wanted); }

/* Starts the lowest mode of the instrument's only grid and measures its pitch from the recurrence
 * that samples of a damped sine obey, a[n+1] - 2 sqrt(g) cos(w h) a[n] + g a[n-1] = 0. */
static double measure(const hed_synth_grid_def *def, uint32_t direction)
{
    sim s = sim_open(1);
    double *shape = calloc(s.bodies, sizeof *shape), past[2] = {0}, above = 0, below = 0;
    CHECK(shape);
    for (uint32_t i = 0; i < s.bodies; i++) {
        uint32_t at[3] = {
            i % def->size[0], i / def->size[0] % def->size[1], i / def->size[0] / def->size[1]};
        shape[i] = 1;
        for (uint32_t axis = 0; axis < 3; axis++)
            if (def->size[axis] > 1) shape[i] *= sin(PI * at[axis] / (def->size[axis] - 1.0));
        s.x[3 * i + direction] = 1e-6 * shape[i];
    }
    double g = exp(-2 * (double)def->body.damping / RATE);
    for (uint32_t n = 0; n < 3000; n++) {
        double now = 0;
        for (uint32_t i = 0; i < s.bodies; i++) now += shape[i] * s.x[3 * i + direction];
        if (n > 1) {
            above += past[1] * (now + g * past[0]);
            below += 2 * sqrt(g) * past[1] * past[1];
        }
        past[0] = past[1];
        past[1] = now;
        sim_step(&s);
    }
    free(shape);
    sim_close(&s);
    return acos(above / below) * RATE / (2 * PI);
}

/* The grid says that it has the pitch that was asked for, and it has. */
static void must_sound(hed_synth_grid_def def, float frequency, uint32_t direction)
{
    hed_synth_generated made;
    hed_synth_grid_info info;
    hed_synth_stability stability;
    /* Steps that are exact in binary: no rounding of places moves the bodies at rest. */
    memcpy(def.step, (float[3][3]){{0.0078125f, 0, 0}, {0, 0.015625f, 0}, {0, 0, 0.0078125f}},
        sizeof def.step);
    def.tune = frequency;
    for (uint32_t axis = 0; axis < 3; axis++)
        def.anchor_ends[axis][0] = def.anchor_ends[axis][1] = def.size[axis] > 1;
    OK(hed_synth_instrument_add_grid(instrument, &def, NULL, &made, &error));
    OK(hed_synth_instrument_grid_at(instrument, 0, RATE, &info, &error));
    OK(hed_synth_instrument_stability(instrument, RATE, &stability, &error));
    CHECK(stability.unsafe == 0, "worst %g", stability.worst);
    EXPECT(
        fabs(cents(info.frequency, (double)frequency)) < 1e-3, "it says %.6f Hz", info.frequency);
    double found = measure(&def, direction);
    EXPECT(fabs(cents(found, (double)frequency)) < 0.01, "%.6f Hz instead of %g: %.4f cents", found,
        (double)frequency, cents(found, (double)frequency));
}

static hed_synth_grid_def grid_of(uint32_t x, uint32_t y, uint32_t z, float rest_length)
{
    hed_synth_grid_def def = hed_default_synth_grid_def();
    memcpy(def.size, (uint32_t[]){x, y, z}, sizeof def.size);
    def.body.damping = 0;
    def.spring.rest_length = rest_length;
    return def;
}

Test(synth_grids, pitch_of_a_string_of_8) { must_sound(grid_of(10, 1, 1, -0.5f), 110, 2); }

Test(synth_grids, pitch_of_a_string_of_64) { must_sound(grid_of(66, 1, 1, -0.25f), 220, 1); }

Test(synth_grids, pitch_of_a_damped_string)
{
    hed_synth_grid_def def = grid_of(34, 1, 1, 0.002f);
    def.body.damping = 40;
    must_sound(def, 55, 2);
}

Test(synth_grids, pitch_of_a_stiff_string)
{
    hed_synth_grid_def def = grid_of(20, 1, 1, -0.5f);
    def.bend = 800;
    must_sound(def, 330, 2);
}

Test(synth_grids, pitch_of_a_bar)
{
    hed_synth_grid_def def = grid_of(9, 1, 1, -1);
    def.spring.stiffness = 60000;
    def.bend = 1; /* tune chooses it */
    must_sound(def, 60, 2);
}

Test(synth_grids, pitch_of_a_membrane)
{
    hed_synth_grid_def def = grid_of(12, 9, 1, -0.5f);
    def.diagonal = 400;
    must_sound(def, 220, 2);
}

Test(synth_grids, pitch_of_a_stiff_membrane)
{
    hed_synth_grid_def def = grid_of(9, 11, 1, -0.5f);
    def.bend = 500;
    must_sound(def, 700, 2);
}

Test(synth_grids, pitch_of_a_block) { must_sound(grid_of(9, 5, 4, -0.75f), 1500, 0); }

Test(synth_grids, partials_of_a_tuned_string)
{
    hed_synth_grid_def def = grid_of(34, 1, 1, -0.5f), resolved;
    def.tune = 110;
    def.anchor_ends[0][0] = def.anchor_ends[0][1] = true;
    OK(synth_resolve_grid(&def, &resolved, &error));
    double ratio = 0.5 * (double)resolved.spring.stiffness / def.body.mass;
    EXPECT_NEAR(hed_synth_string_frequency(32, 3, ratio, RATE), 329.026411, 1e-4);
}

/* ---- stability ---- */

static hed_synth_entity add_body(float x, float mass, bool anchored)
{
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_BODY);
    hed_synth_entity entity;
    def.as.body = (hed_synth_body_def){.position = {x, 0, 0}, .mass = mass, .anchored = anchored};
    OK(hed_synth_instrument_add(instrument, &def, NULL, &entity, &error));
    return entity;
}

static hed_synth_entity add_spring(
    hed_synth_entity from, hed_synth_entity to, double stiffness, double damping)
{
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_SPRING);
    hed_synth_entity entity;
    def.as.spring = (hed_synth_spring_def){from, to, (float)stiffness, -1, (float)damping, 0};
    OK(hed_synth_instrument_add(instrument, &def, NULL, &entity, &error));
    return entity;
}

/* Largest displacement in so many steps after a push, as springs that blow up may come to rest by
 * chance. What is no number has gone to infinity. */
static double grown(uint32_t steps, double dilation)
{
    sim s = sim_open(dilation);
    for (uint32_t i = 0; i < s.bodies; i++)
        s.v[3 * i] =
            i % 2 ? 1e-5 : -1e-5; /* 2e-10 m: linear, yet far above the rounding of places */
    double most = 0;
    for (uint32_t n = 0; n < steps; n++) {
        sim_step(&s);
        for (uint32_t i = 0; i < 3 * s.bodies; i++)
            most = isnan(s.x[i]) ? INFINITY : fmax(most, fabs(s.x[i]));
    }
    sim_close(&s);
    return most;
}

static hed_synth_stability judge(void)
{
    hed_synth_stability found;
    OK(hed_synth_instrument_stability(instrument, RATE, &found, &error));
    return found;
}

/* Two equal masses and a spring: the bound is exact. */
static void pair(double factor, double damping_share)
{
    double k = factor * RATE * RATE * 0.001 * (1 - damping_share),
           c = factor * RATE * 0.001 * damping_share / 2;
    add_spring(add_body(0, 0.001f, false), add_body(1, 0.001f, false), k, c);
}

Test(synth_grids, the_bound_is_the_edge)
{
    pair(1.999, 0);
    hed_synth_stability found = judge();
    EXPECT_NEAR(found.worst, 1.999, 1e-5);
    EXPECT(found.unsafe == 0 && found.body == 1 && found.largest_dilation == 1);
    EXPECT(grown(2000, 1) < 1e-6);
}

Test(synth_grids, beyond_the_bound_it_blows_up)
{
    pair(2.01, 0);
    EXPECT(judge().unsafe == 2);
    EXPECT(!(grown(2000, 1) < 1e-3));
}

Test(synth_grids, damping_counts)
{
    pair(1.99, 0.5);
    EXPECT_NEAR(judge().worst, 1.99, 1e-5);
    EXPECT(grown(2000, 1) < 1e-6);
}

Test(synth_grids, damping_beyond_the_bound_blows_up)
{
    pair(2.02, 0.5);
    EXPECT(judge().unsafe == 2);
    EXPECT(!(grown(2000, 1) < 1e-3));
}

Test(synth_grids, springs_to_anchors_count_half)
{
    hed_synth_entity body = add_body(0, 0.001f, false);
    for (int side = -1; side < 2; side += 2)
        add_spring(body, add_body((float)side, 1, true), 1.99 * RATE * RATE * 0.001, 0);
    EXPECT_NEAR(judge().worst, 1.99, 1e-5);
    EXPECT(grown(2000, 1) < 1e-6);
}

Test(synth_grids, high_notes_are_fast)
{
    hed_synth_instrument_def def = hed_default_synth_instrument_def();
    def.mode = HED_SYNTH_VOICES;
    def.root_note = 60;
    def.high = 70;
    def.bend_range = 2;
    OK(hed_synth_instrument_set_def(instrument, &def, &error));
    pair(0.51, 0);
    hed_synth_stability found = judge();
    EXPECT_NEAR(found.largest_dilation, 2, 1e-12);
    EXPECT_NEAR(found.worst, 2.04, 1e-5);
    EXPECT(found.unsafe == 2);
    EXPECT(
        grown(2000, 1) < 1e-6 && !(grown(2000, 2) < 1e-3), "stable as written, not an octave up");
    def.mode = HED_SYNTH_VOICES_MPE;
    def.note_bend_range = 12;
    OK(hed_synth_instrument_set_def(instrument, &def, &error));
    EXPECT_NEAR(judge().largest_dilation, 4, 1e-12);
    def.mode = HED_SYNTH_SINGLETON;
    OK(hed_synth_instrument_set_def(instrument, &def, &error));
    EXPECT(judge().largest_dilation == 1 && judge().unsafe == 0);
}

Test(synth_grids, modulation_counts)
{
    pair(1, 0);
    hed_synth_entity_def lfo = hed_default_synth_entity_def(HED_SYNTH_LFO);
    hed_synth_entity source;
    lfo.as.lfo.depth = -0.5f;
    OK(hed_synth_instrument_add(instrument, &lfo, NULL, &source, &error));
    hed_synth_modulation_def stiffer = {source,
        hed_synth_instrument_at(instrument, HED_SYNTH_SPRING, 0), HED_SYNTH_TARGET_STIFFNESS,
        HED_SYNTH_MODULATE_MULTIPLY, 1, false};
    OK(hed_synth_instrument_modulate(instrument, &stiffer, &error));
    EXPECT_NEAR(judge().worst, 1.5, 1e-5);
    hed_synth_modulation_def lighter = {
        source, 2, HED_SYNTH_TARGET_MASS, HED_SYNTH_MODULATE_EXPONENTIAL, 2, true};
    OK(hed_synth_instrument_modulate(instrument, &lighter, &error));
    hed_synth_stability found = judge();
    EXPECT_NEAR(found.worst, 3, 1e-5);
    EXPECT(found.body == 2 && found.unsafe == 1);
    lighter.mode = HED_SYNTH_MODULATE_ADD;
    lighter.depth = 1;
    OK(hed_synth_instrument_modulate(instrument, &lighter, &error));
    EXPECT(isinf(judge().worst), "a mass that may become nothing");
    FAILS(HED_ERROR_ARGUMENT, hed_synth_instrument_stability(instrument, 0, &found, &error));
}

/* Random networks, made just safe, do not grow. */
Test(synth_grids, what_is_safe_does_not_grow)
{
    uint32_t random = 7;
    for (uint32_t round = 0; round < 20; round++) {
        enum { BODIES = 12, SPRINGS = 24 };
        double stiffness[SPRINGS];
        uint32_t ends[SPRINGS][2];
        float masses[BODIES];
        for (uint32_t i = 0; i < BODIES; i++)
            masses[i] = 1e-3f * (float)(1 + (random = random * 1664525u + 1013904223u) % 9);
        for (uint32_t i = 0; i < SPRINGS; i++) {
            ends[i][0] = (random = random * 1664525u + 1013904223u) / 65536 % BODIES;
            ends[i][1] = (ends[i][0] + 1 +
                             (random = random * 1664525u + 1013904223u) / 65536 % (BODIES - 1)) %
                         BODIES;
            stiffness[i] = 1 + (random = random * 1664525u + 1013904223u) / 65536 % 100;
        }
        double scale = 1;
        for (uint32_t pass = 0; pass < 2; pass++) { /* once to see how stiff it may be */
            close();
            open();
            for (uint32_t i = 0; i < BODIES; i++)
                add_body((float)i + 0.25f * (float)(i % 3), masses[i], i == 0);
            for (uint32_t i = 0; i < SPRINGS; i++)
                add_spring(1 + ends[i][0], 1 + ends[i][1], scale * stiffness[i], 0);
            scale *= 1.99 / judge().worst;
        }
        EXPECT(judge().unsafe == 0 && judge().worst > 1.98);
        double most = grown(3000, 1);
        /* a body without springs flies 6.25e-7 m */
        EXPECT(most < 1e-6, "round %u: %g", round, most);
    }
}
