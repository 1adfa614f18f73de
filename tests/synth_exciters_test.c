/* Exciters against their formulas (heddle/synth.h): mallet, plectrum, bow, oscillator, sound; and
 * parameters that modulation acts on. */
#include "synth_rig.h"

/* ---- mallet ---- */

typedef struct blow {
    double mass, hammer, speed, hardness, exponent, hysteresis, relaxation;
} blow;

static hed_synth_entity add_mallet(rig *r, const blow *b, float noise)
{
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_MALLET);
    def.as.mallet = (hed_synth_mallet_def){.direction = {1, 0, 0}, .mass = (float)b->hammer,
        .impulse = (float)(b->hammer * b->speed), .hardness_soft = (float)b->hardness,
        .hardness_hard = (float)b->hardness, .exponent = (float)b->exponent,
        .hysteresis = (float)b->hysteresis, .relaxation = (float)b->relaxation, .noise = noise,
        .velocity_sensitivity = 1, .route = {0, 0, 127}};
    return rig_add(r, &def);
}

/* Speed of a free body after a blow, and the largest force. */
static double strike(const blow *b, float noise, double *peak)
{
    static rig r;
    rig_open(&r, NULL);
    hed_synth_entity body = rig_body(&r, 0, (float)b->mass, 0), mallet = add_mallet(&r, b, noise);
    rig_link(&r, mallet, body, 1);
    rig_start(&r);
    rig_note(&r, 60, 127);
    float x[3], v[3], last = 0;
    *peak = 0;
    for (int i = 0; i < 400; i++) {
        rig_play(&r, 1);
        rig_read(&r, x, v);
        double force = (double)(v[0] - last) * b->mass * RATE;
        if (force > *peak) *peak = force;
        last = v[0];
    }
    rig_close(&r);
    return last;
}

Test(synth_exciters, a_mallet_without_losses_is_an_elastic_blow)
{
    const blow blows[] = {{0.002, 0.004, 2, 1e8, 2.5, 0, 1e-4},
        {0.001, 0.002, 1, 3e6, 2.0, 0, 1e-4}, {0.05, 0.003, 4, 5e9, 3.0, 0, 1e-4}};
    for (int i = 0; i < 3; i++) {
        const blow *b = &blows[i];
        double peak, found = strike(b, 0, &peak),
                     expected = 2 * b->hammer / (b->hammer + b->mass) * b->speed;
        EXPECT(fabs(found / expected - 1) < 2e-3, "blow %d: %g m/s, momentum and energy say %g", i,
            found, expected);
        double reduced = b->hammer * b->mass / (b->hammer + b->mass), p = b->exponent;
        double deepest =
            pow((p + 1) * 0.5 * reduced * b->speed * b->speed / b->hardness, 1 / (p + 1));
        EXPECT(fabs(peak / (b->hardness * pow(deepest, p)) - 1) < 0.01,
            "blow %d: %g N, energy says %g", i, peak, b->hardness * pow(deepest, p));
    }
}

/* Stulov's felt, in double and at a tenth of the step. */
static double stulov(const blow *b)
{
    double h = 0.1 / RATE, x = 0, v = 0, p = 0, u = b->speed, felt = 0,
           share = 1 - exp(-h / b->relaxation);
    for (int i = 0; i < 4000; i++) {
        p += h * u;
        x += h * v;
        double c = p - x, power = c > 0 ? pow(c, b->exponent) : 0;
        felt += share * (power - felt);
        double force = c > 0 ? b->hardness * fmax(power - b->hysteresis * felt, 0) : 0;
        u -= h * force / b->hammer;
        v += h * force / b->mass;
    }
    return v;
}

Test(synth_exciters, felt_loses_energy_as_in_its_formula)
{
    const blow b = {0.002, 0.004, 2, 1e8, 2.5, 0.6, 2e-4};
    double peak, found = strike(&b, 0, &peak), expected = stulov(&b),
                 elastic = 2 * b.hammer / (b.hammer + b.mass) * b.speed;
    EXPECT(expected < 0.95 * elastic, "%g of %g", expected, elastic);
    EXPECT(fabs(found / expected - 1) < 0.01, "%g m/s, the formula %g", found, expected);
}

Test(synth_exciters, softer_notes_come_slower_and_noise_changes_the_blow)
{
    const blow b = {0.002, 0.004, 2, 1e8, 2.5, 0, 1e-4};
    double peak, plain = strike(&b, 0, &peak), noisy = strike(&b, 0.5f, &peak);
    EXPECT(fabs(noisy / plain - 1) > 1e-3 && fabs(noisy / plain - 1) < 0.5, "%g and %g m/s", plain,
        noisy);
    static rig r;
    rig_open(&r, NULL);
    rig_link(&r, add_mallet(&r, &b, 0), rig_body(&r, 0, 0.002f, 0), 1);
    rig_start(&r);
    rig_note(&r, 60, 64);
    rig_play(&r, 900);
    float x[3], v[3];
    rig_read(&r, x, v);
    EXPECT(fabs(v[0] / plain - 64.0 / 127) < 2e-3, "at half the velocity %g of the speed",
        v[0] / plain);
    rig_close(&r);
}

/* ---- plectrum ---- */

static void pluck(double ratio, double tolerance)
{
    static rig r;
    rig_open(&r, NULL);
    hed_synth_entity last = rig_body(&r, 0, 0, 0);
    for (int i = 1; i <= 10; i++) {
        hed_synth_entity body = rig_body(&r, (float)i / 64, i < 10 ? 0.001f : 0, 1);
        rig_spring(&r, last, body, (float)(0.001 * ratio * RATE * RATE), -0.5f);
        if (i == 3) {
            hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_PLECTRUM);
            def.as.plectrum = (hed_synth_plectrum_def){.direction = {0, 1, 0}, .distance = 0.001f,
                .duration = 0.01f, .route = {0, 0, 127}};
            rig_link(&r, rig_add(&r, &def), body, 1);
        }
        last = body;
    }
    rig_start(&r);
    rig_note(&r, 60, 100);
    rig_play(&r, 240);
    float x[33], v[33], lowest = 0;
    rig_read(&r, x, v);
    EXPECT(fabs(x[10] - 0.0005) < tolerance * 0.0005, "K h^2/m %g: %g m of 0.5 mm half way", ratio,
        (double)x[10]);
    rig_play(&r, 239);
    rig_read(&r, x, v);
    EXPECT(fabs(x[10] - 0.001) < tolerance * 0.001, "K h^2/m %g: %g m of 1 mm before it lets go",
        ratio, (double)x[10]);
    for (int i = 0; i < 600; i++) {
        rig_play(&r, 1);
        rig_read(&r, x, v);
        if (x[10] < lowest) lowest = x[10];
    }
    EXPECT(lowest < -0.0002f && lowest > -0.0011f, "K h^2/m %g: it swings to %g m", ratio,
        (double)lowest);
    rig_close(&r);
}

Test(synth_exciters, a_plectrum_draws_by_its_distance_and_lets_go)
{
    pluck(0.001, 0.01);
    pluck(0.02, 0.01);
    pluck(0.9, 0.05); /* nearly as stiff as the scheme bears */
}

/* ---- bow ---- */

static hed_synth_entity add_bow(rig *r, float force, float speed)
{
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_BOW);
    def.as.bow = (hed_synth_bow_def){.direction = {1, 0, 0}, .force = force, .draw_velocity = speed,
        .stiction = 0.8f, .sliding = 0.3f, .dropoff = 0.1f, .envelope = {0, 0, 1, 0},
        .route = {0, 0, 127}};
    return rig_add(r, &def);
}

Test(synth_exciters, friction_is_that_of_its_curve)
{
    const float speeds[] = {0.001f, 0.02f, 0.1f, 0.5f, -0.3f};
    for (int i = 0; i < 5; i++) {
        static rig r;
        rig_open(&r, NULL);
        rig_link(&r, add_bow(&r, 0.5f, speeds[i]), rig_body(&r, 0, 1000, 0), 1);
        rig_start(&r);
        rig_note(&r, 60, 100);
        float x[3], before[3], after[3];
        rig_play(&r, 1);
        rig_read(&r, x, before);
        rig_play(&r, 100);
        rig_read(&r, x, after);
        double force = (after[0] - before[0]) * 1000 * RATE / 100, w = fabs(speeds[i]);
        double expected = 0.5 * (0.3 + 0.5 * exp(-w / 0.1)) * speeds[i] / (w + 0.1 / 16);
        EXPECT(fabs(force / expected - 1) < 1e-3, "at %g m/s: %g N, the curve has %g",
            (double)speeds[i], force, expected);
        rig_close(&r);
    }
}

Test(synth_exciters, a_bowed_mass_sticks_and_slips)
{
    static rig r;
    rig_open(&r, NULL);
    hed_synth_entity body = rig_body(&r, 0, 0.001f, 5), wall = rig_body(&r, 0.1f, 0, 0);
    double w = 2 * RATE * sin(PI * 200 / RATE);
    rig_spring(&r, body, wall, (float)(0.001 * w * w), -1);
    rig_link(&r, add_bow(&r, 0.5f, 0.2f), body, 1);
    rig_start(&r);
    rig_note(&r, 60, 100);
    rig_play(&r, 24000);
    int sticks = 0, slips = 0;
    float x[6], v[6], fastest = 0;
    for (int i = 0; i < 2400; i++) {
        rig_play(&r, 1);
        rig_read(&r, x, v);
        sticks += fabsf(v[0] - 0.2f) < 0.02f;
        slips += v[0] < 0;
        if (v[0] > fastest) fastest = v[0];
    }
    EXPECT(sticks > 480 && slips > 480, "it sticks in %d samples of 2400 and slips back in %d",
        sticks, slips);
    EXPECT(fastest < 0.22f, "it goes at %g m/s, the bow at 0.2", (double)fastest);
    rig_close(&r);
}

/* ---- forces on a heavy body ---- */

/* Force along x on body 0 of 1 kg at each of `count` samples. */
static void forces(rig *r, double *force, int count)
{
    float x[9], v[9], last = 0;
    rig_read(r, x, v);
    last = v[0];
    for (int i = 0; i < count; i++) {
        rig_play(r, 1);
        rig_read(r, x, v);
        force[i] = ((double)v[0] - last) * RATE;
        last = v[0];
    }
}

static hed_synth_entity add_oscillator(rig *r, hed_synth_wave wave, float frequency)
{
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_OSCILLATOR);
    def.as.oscillator = (hed_synth_oscillator_def){.direction = {1, 0, 0}, .wave = wave, .gain = 2,
        .frequency = frequency, .pulse_width = 0.25f, .envelope = {0, 0, 1, 0},
        .route = {0, 0, 127}};
    return rig_add(r, &def);
}

Test(synth_exciters, an_oscillator_keeps_pitch_and_shape)
{
    for (int wave = HED_SYNTH_WAVE_SINE; wave <= HED_SYNTH_WAVE_RECTANGLE; wave++) {
        static rig r;
        rig_open(&r, NULL);
        hed_synth_entity body = rig_body(&r, 0, 1, 0);
        rig_link(&r, add_oscillator(&r, (hed_synth_wave)wave, 440), body, 1);
        rig_start(&r);
        rig_note(&r, 60, 100);
        rig_play(&r, 48000);
        double force[200], worst = 0;
        forces(&r, force, 200);
        /* the body takes at sample n what the oscillator gave at n - 1 */
        for (int i = 0; i < 200; i++) {
            double phase = 440 * (48000 + i) / RATE, part = phase - floor(phase);
            double expected = wave == HED_SYNTH_WAVE_SINE  ? 2 * sin(2 * PI * phase)
                              : wave == HED_SYNTH_WAVE_SAW ? 4 * part - 2
                              : part < 0.25                ? 2
                                                           : -2;
            /* steps are rounded over 8 samples to each side */
            const double near = 8 * 440 / RATE;
            if (wave != HED_SYNTH_WAVE_SINE && (part < near || part > 1 - near)) continue;
            if (wave == HED_SYNTH_WAVE_RECTANGLE && fabs(part - 0.25) < near) continue;
            worst = fmax(worst, fabs(force[i] - expected));
        }
        /* 0.01 cent would be 0.03 N */
        EXPECT(worst < 0.01, "wave %d: %g N off after a second", wave, worst);
        rig_close(&r);
    }
}

/* Level of a frequency in force[0..count), in dB of a sine of amplitude 1. */
static double level_at(const double *force, int count, double frequency)
{
    double re = 0, im = 0, sum = 0;
    for (int i = 0; i < count; i++) {
        double t = 2 * PI * (i + 0.5) / count,
               window = 0.35875 - 0.48829 * cos(t) + 0.14128 * cos(2 * t) - 0.01168 * cos(3 * t);
        re += window * force[i] * cos(2 * PI * frequency * i / RATE);
        im += window * force[i] * sin(2 * PI * frequency * i / RATE);
        sum += window;
    }
    return 20 * log10(2 * sqrt(re * re + im * im) / sum + 1e-12);
}

/* Harmonics have the levels of the wave's series; what the rate folds back is 60 dB below the first. */
Test(synth_exciters, saw_and_rectangle_are_band_limited)
{
    enum { COUNT = 8192 };
    static rig r;
    static double force[COUNT];
    static const float frequencies[] = {110.3f, 441.7f, 1237.1f, 4186.1f, 7901.3f};
    for (uint32_t at = 0; at < 2 * HED_COUNT(frequencies); at++) {
        bool is_saw = at < HED_COUNT(frequencies);
        double f = (double)frequencies[at % HED_COUNT(frequencies)];
        rig_open(&r, NULL);
        hed_synth_entity body = rig_body(&r, 0, 1, 0);
        hed_synth_wave wave = is_saw ? HED_SYNTH_WAVE_SAW : HED_SYNTH_WAVE_RECTANGLE;
        rig_link(&r, add_oscillator(&r, wave, (float)f), body, 1);
        rig_start(&r);
        rig_note(&r, 60, 100);
        rig_play(&r, 100);
        forces(&r, force, COUNT);
        double first = level_at(force, COUNT, f);
        EXPECT(fabs(first - 20 * log10(is_saw ? 4 / PI : 8 / PI * sin(PI / 4))) < 0.3,
            "%g Hz: %g dB", f, first);
        for (int k = 2; k * f < 0.36 * RATE && is_saw; k++)
            EXPECT(fabs(level_at(force, COUNT, k * f) - first + 20 * log10(k)) < 0.7, "%g Hz: partial %d", f, k);
        for (int k = (int)ceil(0.5 * RATE / f); k < 3 * RATE / f; k++) {
            double folded = fabs(k * f - RATE * round(k * f / RATE));
            if (fabs(folded - f * round(folded / f)) < 60) continue; /* beside a partial */
            double level = level_at(force, COUNT, folded) - first;
            EXPECT(level < -60, "%g Hz: partial %d comes back at %g Hz with %g dB", f, k, folded, level);
        }
        rig_close(&r);
    }
}

Test(synth_exciters, noise_is_white_and_even)
{
    static rig r;
    static double force[20000];
    rig_open(&r, NULL);
    hed_synth_entity body = rig_body(&r, 0, 1, 0);
    rig_link(&r, add_oscillator(&r, HED_SYNTH_WAVE_NOISE, 440), body, 1);
    rig_start(&r);
    rig_note(&r, 60, 100);
    forces(&r, force, 20000);
    double sum = 0, square = 0, next = 0;
    for (int i = 1; i < 20000; i++) {
        CHECK(fabs(force[i]) < 2.001);
        sum += force[i] / 20000;
        square += force[i] * force[i] / 20000;
        next += force[i] * force[i - 1] / 20000;
    }
    EXPECT(fabs(sum) < 0.04 && fabs(square - 4.0 / 3) < 0.04 && fabs(next) < 0.04,
        "mean %g, variance %g, neighbours %g", sum, square, next);
    rig_close(&r);
}

Test(synth_exciters, sound_is_a_force_two_samples_later)
{
    static rig r;
    rig_open(&r, NULL);
    hed_synth_entity body = rig_body(&r, 0, 1, 0);
    rig_link(&r, rig_input(&r, 1, 0, 3), body, 0.5f);
    rig_start(&r);
    for (int i = 0; i < 4; i++) r.sound[i] = 0.25f * (float)(i + 1);
    rig_play_events(&r, 3, NULL, 0);
    float x[3], v[3];
    rig_read(&r, x, v);
    EXPECT(fabs(v[0] * RATE - 1.5 * (0.25 + 0.5)) < 1e-5, "%g N so far", v[0] * RATE);
    rig_close(&r);
}

/* ---- modulation of what they do: each way of acting ---- */

static double modulated_force(hed_synth_modulation_mode mode, bool invert)
{
    static rig r;
    hed_error error = {0};
    rig_open(&r, NULL);
    hed_synth_entity body = rig_body(&r, 0, 1, 0), input = rig_input(&r, 1, 0, 3);
    rig_link(&r, input, body, 1);
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_MIDI_SOURCE);
    def.as.midi_source.initial = 0.5f;
    def.as.midi_source.smoothing = 0;
    hed_synth_entity source = rig_add(&r, &def);
    hed_synth_modulation_def modulation = {.source = source, .entity = input,
        .target = HED_SYNTH_TARGET_GAIN, .mode = mode, .depth = 0.8f, .invert = invert};
    OK(hed_synth_instrument_modulate(r.instrument, &modulation, &error));
    rig_start(&r);
    rig_play(&r, 10);
    r.sound[0] = 1;
    rig_play_events(&r, 1, NULL, 0);
    double force;
    forces(&r, &force, 1);
    rig_close(&r);
    return force;
}

Test(synth_exciters, modulation_adds_multiplies_and_goes_in_octaves)
{
    EXPECT(fabs(modulated_force(HED_SYNTH_MODULATE_ADD, false) - 3.4) < 1e-5);
    EXPECT(fabs(modulated_force(HED_SYNTH_MODULATE_ADD, true) - 2.6) < 1e-5);
    EXPECT(fabs(modulated_force(HED_SYNTH_MODULATE_MULTIPLY, false) - 4.2) < 1e-5);
    EXPECT(fabs(modulated_force(HED_SYNTH_MODULATE_MULTIPLY, true) - 1.8) < 1e-5);
    EXPECT(fabs(modulated_force(HED_SYNTH_MODULATE_EXPONENTIAL, false) - 3 * exp2(0.4)) < 1e-5);
    EXPECT(fabs(modulated_force(HED_SYNTH_MODULATE_EXPONENTIAL, true) - 3 * exp2(-0.4)) < 1e-5);
}
