/* Bodies and springs against the closed forms of the scheme: pitch of oscillators and strings, the
 * energy that it keeps, decay, dilation, and a network with everything in double precision. */
#include "synth_rig.h"

/* ---- pitch ---- */

/* Angle of x[n] = A sin(phase) for leapfrog at `step` radians a sample, from place and last way. */
static double phase_of(double x, double way, double step)
{
    return atan2(x * sin(step), x * cos(step) - (x - way));
}

/* Frequency of a mode over `samples`, by its phase at both ends; `expected` says how many whole
 * periods passed. */
static double measure(
    rig *r, const double *shape, uint32_t bodies, uint32_t axis, double expected, uint64_t samples)
{
    static float x[3 * 128], v[3 * 128];
    double phase[2], step = 2 * PI * expected / RATE;
    for (int i = 0; i < 2; i++) {
        if (i) rig_play(r, samples);
        rig_read(r, x, v);
        double q = 0, way = 0;
        for (uint32_t k = 0; k < bodies; k++) {
            q += shape[k] * x[3 * k + axis];
            way += shape[k] * v[3 * k + axis] / RATE;
        }
        phase[i] = phase_of(q, way, step);
    }
    double whole = step * (double)samples, passed = phase[1] - phase[0];
    passed += 2 * PI * round((whole - passed) / (2 * PI));
    return passed / (double)samples * RATE / (2 * PI);
}

static double oscillator_frequency(float stiffness, double expected, double *found)
{
    static rig r;
    const double one = 1;
    rig_open(&r, NULL);
    hed_synth_entity body = rig_body(&r, 0, 0.001f, 0), wall = rig_body(&r, 0.1f, 0, 0),
                     input = rig_input(&r, 1, 0, 0.01f);
    rig_spring(&r, body, wall, stiffness, -1);
    rig_link(&r, input, body, 1);
    rig_start(&r);
    rig_hit(&r);
    *found = measure(&r, &one, 1, 0, expected, 96000);
    rig_close(&r);
    return cents(*found, expected);
}

Test(synth_physics, an_oscillator_has_the_pitch_of_the_scheme)
{
    const double frequencies[] = {55, 440, 4186, 12000};
    for (int i = 0; i < 4; i++) {
        double w = 2 * RATE * sin(PI * frequencies[i] / RATE), found;
        float stiffness = (float)(0.001f * w * w);
        double error = oscillator_frequency(stiffness, frequencies[i], &found);
        EXPECT(fabs(error) < 0.01, "%g Hz: %.5f Hz, %.5f cent off", frequencies[i], found, error);
    }
}

Test(synth_physics, without_prewarp_it_is_sharp_as_the_notes_say)
{
    const double frequencies[] = {55, 440, 4186, 12000}, sharp[] = {0.004, 0.239, 22.3, 242};
    for (int i = 0; i < 4; i++) {
        double w = 2 * PI * frequencies[i], found;
        double expected = asin(PI * frequencies[i] / RATE) * RATE / PI;
        oscillator_frequency((float)(0.001f * w * w), expected, &found);
        EXPECT(fabs(cents(found, frequencies[i]) - sharp[i]) < 0.004 * sharp[i] + 0.005,
            "%g Hz is %.4f cent sharp", frequencies[i], cents(found, frequencies[i]));
    }
}

/* A string between walls, struck in the shape of mode `mode`. Along the string its springs, without
 * tension, are linear; across they are for small motions, with the tension's share of the
 * stiffness. */
static double string_error(uint32_t masses, uint32_t mode, bool across, double *expected)
{
    static rig r;
    double shape[128], ratio = hed_synth_string_ratio(masses, 110, RATE);
    float stretch = across ? 0.5f : 1.0f;
    rig_open(&r, NULL);
    hed_synth_entity last = rig_body(&r, 0, 0, 0),
                     input = rig_input(&r, across ? 0 : 1, across ? 1 : 0, across ? 0.02f : 0.1f);
    for (uint32_t i = 1; i <= masses + 1; i++) {
        hed_synth_entity body = rig_body(&r, (float)i / 128, i <= masses ? 0.001f : 0, 0);
        rig_spring(&r, last, body, (float)(0.001f * ratio / stretch) * (across ? 1.0f : stretch),
            across ? -(1 - stretch) : -1.0f);
        shape[i - 1] = sin(PI * mode * i / (masses + 1));
        if (i <= masses) rig_link(&r, input, body, (float)shape[i - 1]);
        last = body;
    }
    rig_start(&r);
    rig_hit(&r);
    *expected = hed_synth_string_frequency(masses, mode, ratio, RATE);
    double padded[129] = {0}; /* the wall is body 0 */
    memcpy(padded + 1, shape, masses * sizeof *shape);
    double found = measure(&r, padded, masses + 1, across ? 1 : 0, *expected, 48000);
    rig_close(&r);
    return cents(found, *expected);
}

Test(synth_physics, strings_have_the_pitches_of_their_modes)
{
    const struct {
        uint32_t masses;
        double third;
    } notes[] = {{8, 316.752329}, {32, 329.026411}, {64, 329.765843}};
    for (int i = 0; i < 3; i++) {
        for (int across = 0; across < 2; across++) {
            double expected, error = string_error(notes[i].masses, 1, across, &expected);
            EXPECT(fabs(expected - 110) < 1e-6 && fabs(error) < 0.01,
                "%u masses: mode 1 %.5f cent off %.6f Hz", notes[i].masses, error, expected);
            error = string_error(notes[i].masses, 3, across, &expected);
            EXPECT(fabs(expected - notes[i].third) < 1e-5 && fabs(error) < 0.01,
                "%u masses%s: mode 3 %.5f cent off %.6f Hz", notes[i].masses,
                across ? " across" : "", error, expected);
        }
    }
}

Test(synth_physics, a_note_an_octave_up_runs_twice_as_fast)
{
    static rig r;
    const double one = 1;
    hed_synth_instrument_def def = hed_default_synth_instrument_def();
    def.mode = HED_SYNTH_VOICES;
    def.voices = 1;
    def.root_note = 60;
    def.high = 84;
    rig_open(&r, &def);
    hed_synth_entity body = rig_body(&r, 0, 0.001f, 0), wall = rig_body(&r, 0.1f, 0, 0),
                     input = rig_input(&r, 1, 0, 0.01f);
    double w = 2 * RATE * sin(PI * 200 / RATE);
    rig_spring(&r, body, wall, (float)(0.001f * w * w), -1);
    rig_link(&r, input, body, 1);
    rig_start(&r);
    rig_note(&r, 72, 100);
    rig_hit(&r);
    float x[6], v[6];
    rig_read(&r, x, v);
    CHECK(x[0] != 0);
    double expected = asin(2 * sin(PI * 200 / RATE)) * RATE / PI, step = 2 * PI * expected / RATE,
           phase[2];
    phase[0] = phase_of(x[0], 2 * v[0] / RATE, step);
    rig_play(&r, 48000);
    rig_read(&r, x, v);
    phase[1] = phase_of(x[0], 2 * v[0] / RATE, step);
    double passed = phase[1] - phase[0];
    passed += 2 * PI * round((step * 48000 - passed) / (2 * PI));
    EXPECT(fabs(cents(passed, step * 48000)) < 0.01, "%.5f cent", cents(passed, step * 48000));
    (void)one;
    rig_close(&r);
}

/* ---- energy and decay ---- */

static double invariant(const float *x, const float *v, double mass, double stiffness)
{
    return 0.5 * mass * v[0] * v[0] + 0.5 * stiffness * x[0] * x[0] -
           0.5 / RATE * stiffness * x[0] * v[0];
}

Test(synth_physics, energy_stays_for_a_minute)
{
    const double frequencies[] = {440, 27.5},
                 drifts[] = {5.5e-5, 6.9e-5}; /* those of (x, v) in single precision in the notes */
    for (int i = 0; i < 2; i++) {
        static rig r;
        rig_open(&r, NULL);
        hed_synth_entity body = rig_body(&r, 0, 0.001f, 0), wall = rig_body(&r, 0.1f, 0, 0),
                         input = rig_input(&r, 1, 0, 0.01f);
        double w = 2 * RATE * sin(PI * frequencies[i] / RATE);
        float stiffness = (float)(0.001f * w * w), x[6], v[6];
        rig_spring(&r, body, wall, stiffness, -1);
        rig_link(&r, input, body, 1);
        rig_start(&r);
        rig_hit(&r);
        rig_read(&r, x, v);
        double first = invariant(x, v, 0.001f, stiffness), worst = 0;
        for (int second = 0; second < 600; second++) {
            rig_play(&r, 4800);
            rig_read(&r, x, v);
            double drift = fabs(invariant(x, v, 0.001f, stiffness) / first - 1);
            if (drift > worst) worst = drift;
        }
        EXPECT(first > 0 && worst < 2 * drifts[i], "%g Hz: energy drifts by %.2g", frequencies[i],
            worst);
        rig_close(&r);
    }
}

Test(synth_physics, a_body_decays_by_60_dB_in_the_time_of_its_damping)
{
    static rig r;
    rig_open(&r, NULL);
    float gamma = (float)(log(1000) / 0.5); /* half a second */
    hed_synth_entity body = rig_body(&r, 0, 0.001f, gamma), wall = rig_body(&r, 0.1f, 0, 0),
                     input = rig_input(&r, 1, 0, 0.01f);
    double w = 2 * RATE * sin(PI * 300 / RATE), g = exp(-2 * gamma / RATE), k = 0.001f * w * w;
    rig_spring(&r, body, wall, (float)k, -1);
    rig_link(&r, input, body, 1);
    rig_start(&r);
    rig_hit(&r);
    /* x[n+1] = (1 + g (1 - h^2 w^2)) x[n] - g x[n-1]: amplitude sqrt(g) a sample, angle as in the
     * notes. */
    double theta = acos((1 + g * (1 - w * w / (RATE * RATE))) / (2 * sqrt(g))), amplitude[2];
    for (int i = 0; i < 2; i++) {
        float x[6], v[6];
        if (i) rig_play(&r, 24000);
        rig_read(&r, x, v);
        double now = x[0], last = (x[0] - v[0] / RATE) * sqrt(g), s = sin(theta);
        amplitude[i] = sqrt(now * now - 2 * now * last * cos(theta) + last * last) / s;
    }
    EXPECT(fabs(20 * log10(amplitude[1] / amplitude[0]) + 60) < 0.01, "%.4f dB in half a second",
        20 * log10(amplitude[1] / amplitude[0]));
    rig_close(&r);
}

Test(synth_physics, what_has_died_away_is_neither_denormal_nor_moving)
{
    static rig r;
    rig_open(&r, NULL);
    hed_synth_entity last = rig_body(&r, 0, 0, 0), input = rig_input(&r, 0.6f, 0.8f, 0.01f);
    for (int i = 1; i <= 20; i++) {
        hed_synth_entity body = rig_body(&r, (float)i / 128, i < 20 ? 0.001f : 0, 200);
        rig_spring(&r, last, body, 1000, -0.8f);
        if (i == 7) rig_link(&r, input, body, 1);
        last = body;
    }
    rig_start(&r);
    rig_hit(&r);
    rig_play(&r, 96000);
    float x[63], v[63];
    rig_read(&r, x, v);
    for (int i = 3; i < 60; i++) {
        EXPECT(
            fpclassify(x[i]) == FP_NORMAL && fabsf(x[i]) < 1e-8f, "place %d: %g", i, (double)x[i]);
        EXPECT(fpclassify(v[i] / (float)RATE) != FP_SUBNORMAL && fabsf(v[i]) < 1e-7f,
            "speed %d: %g", i, (double)v[i]);
    }
    rig_close(&r);
}

/* ---- a network in double ---- */

enum { BODIES = 40, SPRINGS = 110 };
typedef struct network {
    double place[BODIES][3], x[BODIES][3], v[BODIES][3], mass[BODIES], damping[BODIES];
    hed_synth_spring_def springs[SPRINGS];
    int from[SPRINGS], to[SPRINGS];
} network;

/* The formulas of heddle/synth.h as they stand there, with lengths taken as differences. */
static void network_step(network *n, const double push[3], int pushed)
{
    double force[BODIES][3] = {{0}}, h = 1 / RATE;
    for (int i = 0; i < SPRINGS; i++) {
        int a = n->from[i], b = n->to[i];
        double d[3], rest = 0, length = 0, along = 0;
        for (int k = 0; k < 3; k++) {
            double d0 = n->place[b][k] - n->place[a][k];
            d[k] = d0 + n->x[b][k] - n->x[a][k];
            rest += d0 * d0;
            length += d[k] * d[k];
            along += (n->v[b][k] - n->v[a][k]) * d[k];
        }
        length = sqrt(length);
        const hed_synth_spring_def *s = &n->springs[i];
        double e = length - (s->rest_length < 0 ? -s->rest_length * sqrt(rest) : s->rest_length);
        double tension =
            (s->stiffness * e + s->cubic * e * e * e + s->damping * along / length) / length;
        for (int k = 0; k < 3; k++) {
            force[a][k] += tension * d[k];
            force[b][k] -= tension * d[k];
        }
    }
    for (int k = 0; k < 3; k++) force[pushed][k] += push[k];
    for (int i = 0; i < BODIES; i++) {
        for (int k = 0; k < 3 && n->mass[i] > 0; k++) {
            n->v[i][k] = exp(-2 * n->damping[i] * h) * (n->v[i][k] + h * force[i][k] / n->mass[i]);
            n->x[i][k] += h * n->v[i][k];
        }
    }
}

static float uniform(uint32_t *state, float low, float high)
{
    *state = *state * 1664525u + 1013904223u;
    return low + (high - low) * (float)(*state >> 8) / 16777216.0f;
}

static double distance(const network *n, int spring)
{
    const double *a = n->place[n->from[spring]], *b = n->place[n->to[spring]];
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

static void make_network(network *n, rig *r, hed_synth_entity *bodies, bool more)
{
    uint32_t state = 5;
    for (int i = 0; i < BODIES; i++) {
        hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_BODY);
        for (int k = 0; k < 3; k++)
            n->place[i][k] = def.as.body.position[k] = uniform(&state, 0, 1);
        n->mass[i] = def.as.body.mass = uniform(&state, 0.001f, 0.01f);
        n->damping[i] = def.as.body.damping = uniform(&state, 0, 3);
        def.as.body.anchored = i % 9 == 0;
        if (i % 9 == 0) n->mass[i] = 0;
        bodies[i] = rig_add(r, &def);
    }
    for (int i = 0; i < SPRINGS; i++) {
        n->from[i] = (int)uniform(&state, 0, BODIES);
        n->to[i] =
            (n->from[i] + 1 + (i % 3 == 0 ? 0 : (int)uniform(&state, 0, BODIES - 1))) % BODIES;
        hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_SPRING);
        def.as.spring = (hed_synth_spring_def){.from = bodies[n->from[i]], .to = bodies[n->to[i]],
            .stiffness = uniform(&state, 100, 3000), .rest_length = uniform(&state, -1, -0.98f)};
        if (i % 4 == 0) def.as.spring.rest_length *= -(float)distance(n, i);
        if (more) def.as.spring.damping = uniform(&state, 0, 0.02f);
        if (more) def.as.spring.cubic = uniform(&state, 0, 1e7f);
        n->springs[i] = def.as.spring;
        rig_add(r, &def);
    }
}

static void compare_network(bool more)
{
    static rig r;
    static network n;
    memset(&n, 0, sizeof n);
    hed_synth_entity bodies[BODIES];
    rig_open(&r, NULL);
    make_network(&n, &r, bodies, more);
    hed_synth_entity input = rig_input(&r, 0.6f, 0.8f, 20);
    rig_link(&r, input, bodies[7], 1);
    rig_start(&r);
    rig_hit(&r);
    rig_play(&r, 498);
    double none[3] = {0}, push[3] = {12, 16, 0};
    for (int i = 0; i < 500; i++) network_step(&n, i == 1 ? push : none, 7);
    float x[3 * BODIES], v[3 * BODIES];
    rig_read(&r, x, v);
    double largest = 0, worst = 0;
    for (int i = 0; i < 3 * BODIES; i++) {
        double exact = n.x[i / 3][i % 3];
        largest = fmax(largest, fabs(exact));
        worst = fmax(worst, fabs(exact - x[i]));
    }
    EXPECT(largest > 1e-3, "it moves by %g m", largest);
    EXPECT(worst < 2e-5 * largest, "%s: %g m off in %g m", more ? "damped and cubic" : "plain",
        worst, largest);
    rig_close(&r);
}

Test(synth_physics, a_network_goes_as_in_double_precision)
{
    compare_network(false);
    compare_network(true);
}
