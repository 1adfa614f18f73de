/* LFO, envelope, follower, MIDI source, delay line and microphone against their formulas. A
 * modulator's value is read from an anchor whose place it moves. */
#include "synth_rig.h"

/* Displacement of body `body` along x at each of `count` samples. */
static void places(rig *r, int body, double *place, int count)
{
    static float x[3 * 64], v[3 * 64];
    for (int i = 0; i < count; i++) {
        rig_play(r, 1);
        rig_read(r, x, v);
        place[i] = x[3 * body];
    }
}

static hed_synth_entity add_lfo(rig *r, hed_synth_wave wave, float frequency)
{
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_LFO);
    def.as.lfo = (hed_synth_lfo_def){.wave = wave, .frequency = frequency, .pulse_width = 0.3f,
        .depth = 2, .phase = 0.25f, .retrigger = true, .route = {0, 0, 127}};
    return rig_add(r, &def);
}

Test(synth_modulators, an_lfo_keeps_time_and_shape)
{
    for (int wave = HED_SYNTH_WAVE_SINE; wave <= HED_SYNTH_WAVE_RECTANGLE; wave++) {
        static rig r;
        static double value[300];
        rig_open(&r, NULL);
        rig_probe(&r, add_lfo(&r, (hed_synth_wave)wave, 7), 0.5f);
        rig_start(&r);
        rig_play(&r, 480000);
        places(&r, 0, value, 300);
        for (int i = 0; i < 300; i++) {
            double phase = 0.25 + 7 * (480000 + i - 1) / RATE, part = phase - floor(phase);
            double expected = wave == HED_SYNTH_WAVE_SINE  ? sin(2 * PI * phase)
                              : wave == HED_SYNTH_WAVE_SAW ? 2 * part - 1
                              : part < 0.3                 ? 1
                                                           : -1;
            CHECK(fabs(value[i] - expected) < 2e-4, "wave %d, sample %d: %g, not %g", wave, i,
                value[i], expected);
        }
        rig_note(&r, 60, 100);
        places(&r, 0, value, 1);
        double start = wave == HED_SYNTH_WAVE_SINE ? 1 : wave == HED_SYNTH_WAVE_SAW ? -0.5 : 1;
        EXPECT(fabs(value[0] - start) < 1e-5, "wave %d starts anew at %g", wave, value[0]);
        rig_close(&r);
    }
}

Test(synth_modulators, a_held_value_stays_for_a_period)
{
    static rig r;
    static double value[4000];
    rig_open(&r, NULL);
    rig_probe(&r, add_lfo(&r, HED_SYNTH_WAVE_HOLD, 100), 0.5f);
    rig_start(&r);
    rig_play(&r, 480); /* behind the first, shorter period */
    places(&r, 0, value, 4000);
    int changes = 0;
    for (int i = 1; i < 4000; i++) {
        changes += value[i] != value[i - 1];
        CHECK(fabs(value[i]) <= 1);
    }
    EXPECT(changes >= 7 && changes <= 9, "%d changes in 8.3 periods", changes);
    rig_close(&r);
}

Test(synth_modulators, an_envelope_goes_in_straight_lines)
{
    static rig r;
    static double value[4000];
    rig_open(&r, NULL);
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_ENVELOPE);
    def.as.envelope = (hed_synth_envelope_def){.envelope = {0.01f, 0.02f, 0.25f, 0.04f}, .depth = 2,
        .velocity_sensitivity = 1, .route = {0, 0, 127}};
    rig_probe(&r, rig_add(&r, &def), 0.5f);
    rig_start(&r);
    rig_note(&r, 60, 64);
    const double v = 64 / 127.0; /* sensitivity 1 */
    places(&r, 0, value, 2000);
    EXPECT(fabs(value[240] / v - 0.5) < 0.005 && fabs(value[480] / v - 1) < 0.005, "attack: %g %g",
        value[240], value[480]);
    EXPECT(fabs(value[960] / v - 0.625) < 0.005 && fabs(value[1500] / v - 0.25) < 1e-4,
        "decay: %g %g", value[960], value[1500]);
    rig_note(&r, 60, 0);
    places(&r, 0, value, 2000);
    EXPECT(fabs(value[240] / v - 0.125) < 0.005 && value[490] == 0,
        "release, 40 ms from 1 to 0: %g %g", value[240], value[490]);
    rig_close(&r);
}

Test(synth_modulators, a_midi_source_is_smoothed)
{
    static rig r;
    static double value[2000];
    rig_open(&r, NULL);
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_MIDI_SOURCE);
    def.as.midi_source.kind = HED_SYNTH_MIDI_CC;
    def.as.midi_source.number = 74;
    def.as.midi_source.smoothing = 0.01f;
    def.as.midi_source.depth = 3;
    rig_probe(&r, rig_add(&r, &def), 1);
    rig_start(&r);
    rig_play(&r, 5);
    hed_synth_event event = {.kind = HED_SYNTH_EVENT_MIDI, .bytes = {0xb0, 74, 127}};
    rig_play_events(&r, 1, &event, 1);
    places(&r, 0, value, 2000);
    for (int i = 0; i < 2000; i += 100) {
        double expected = 3 * (1 - exp(-(i + 1) / RATE / 0.01));
        EXPECT(fabs(value[i] - expected) < 1e-3, "sample %d: %g, not %g", i, value[i], expected);
    }
    rig_close(&r);
}

/* A mass that a force of one sample sets going at `speed` past a microphone. */
static hed_synth_entity add_microphone(rig *r, const hed_synth_microphone_def *microphone)
{
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_MICROPHONE);
    def.as.microphone = *microphone;
    if (def.as.microphone.ratio < 1) def.as.microphone.ratio = 1;
    return rig_add(r, &def);
}

static double heard(rig *r, hed_synth_microphone_def microphone, double *right)
{
    hed_error error = {0};
    rig_open(r, NULL);
    microphone.heard = true;
    hed_synth_entity body = rig_body(r, 0, 1, 0),
                     input = rig_input(r, 0.6f, 0.8f, (float)RATE * 0.01f),
                     mic = add_microphone(r, &microphone);
    rig_link(r, input, body, 1);
    rig_link(r, mic, body, 0.5f);
    rig_start(r);
    rig_hit(r);
    rig_play(r, 4);
    static float left_stem[8], right_stem[8];
    float *stems[2] = {left_stem, right_stem};
    memset(r->sound, 0, sizeof r->sound);
    const float *inputs[1] = {r->sound};
    hed_synth_block block = {
        .frames = 4, .inputs = inputs, .left = r->left, .right = r->right, .stems = stems};
    OK(hed_synth_process(r->synth, &block, &error));
    rig_close(r);
    *right = right_stem[3];
    return left_stem[3];
}

Test(synth_modulators, a_microphone_hears_by_direction_distance_and_pan)
{
    static rig r;
    double right, left;
    /* The body goes at 0.01 m/s along (0.6, 0.8, 0); links weigh a half. */
    left = heard(
        &r, (hed_synth_microphone_def){.position = {-2, 0, 0}, .direction = {1, 0, 0}}, &right);
    EXPECT(fabs(left / (0.5 * 0.006 / 2 * sqrt(0.5)) - 1) < 1e-3 && fabs(right / left - 1) < 1e-6,
        "2 m off: %g %g", left, right);
    left = heard(&r,
        (hed_synth_microphone_def){
            .position = {-2, 0, 0}, .direction = {1, 1, 0}, .directionality = 1, .pan = -0.5f},
        &right);
    EXPECT(fabs(left / (0.5 * sqrt(0.5) * 0.014 * sqrt(0.5) / 2 * sqrt(0.75)) - 1) < 1e-3,
        "at 45 degrees: %g", left);
    EXPECT(fabs(right / left - sqrt(0.25 / 0.75)) < 1e-5, "pan: %g", right / left);
    left = heard(&r,
        (hed_synth_microphone_def){
            .position = {-2, 0, 0}, .direction = {0, 1, 0}, .isotropy = 0.25f, .gain = 20},
        &right);
    EXPECT(fabs(left / (10 * 0.5 * (0.25 * 0.006 + 0.75 * 0.008) / 2 * sqrt(0.5)) - 1) < 1e-3,
        "axis between: %g", left);
    left = heard(&r,
        (hed_synth_microphone_def){.position = {-0.001f, 0, 0}, .direction = {1, 0, 0}}, &right);
    EXPECT(
        fabs(left / (0.5 * 0.006 / 0.01 * sqrt(0.5)) - 1) < 1e-3, "at 1 mm as at 1 cm: %g", left);
    left = heard(&r,
        (hed_synth_microphone_def){
            .position = {2, 0, 0}, .direction = {1, 0, 0}, .directionality = 1},
        &right);
    EXPECT(fabs(left) < 1e-9, "from behind: %g", left);
}

Test(synth_modulators, a_compressor_takes_what_is_above_its_threshold)
{
    static rig r;
    double right,
        plain = heard(&r,
            (hed_synth_microphone_def){.position = {-2, 0, 0}, .direction = {1, 0, 0}, .gain = 60},
            &right);
    double pressed = heard(&r,
        (hed_synth_microphone_def){.position = {-2, 0, 0}, .direction = {1, 0, 0}, .gain = 60,
            .threshold = -20, .ratio = 4, .makeup = 6},
        &right);
    double level = plain / sqrt(0.5),
           expected = plain * pow(level / 0.1, 1.0 / 4 - 1) * pow(10, 6 / 20.0);
    EXPECT(level > 0.5 && fabs(pressed / expected - 1) < 1e-3, "%g of %g, not %g", pressed, plain,
        expected);
}

Test(synth_modulators, a_follower_is_a_level_and_a_delay_line_is_late)
{
    static rig r;
    static double value[1200], late[1200];
    rig_open(&r, NULL);
    hed_synth_entity body = rig_body(&r, 0, 1, 0), input = rig_input(&r, 1, 0, (float)RATE * 0.01f);
    hed_synth_entity mic = add_microphone(&r,
        &(hed_synth_microphone_def){.position = {-1, 0, 0}, .direction = {1, 0, 0}, .gain = 20});
    rig_link(&r, input, body, 1);
    rig_link(&r, mic, body, 1);
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_FOLLOWER);
    def.as.follower =
        (hed_synth_follower_def){.source = mic, .attack = 0.002f, .release = 0.1f, .depth = 2};
    rig_probe(&r, rig_add(&r, &def), 1);
    def = hed_default_synth_entity_def(HED_SYNTH_DELAY_LINE);
    def.as.delay_line = (hed_synth_delay_line_def){.source = mic, .seconds = 0.01f, .gain = 6};
    hed_synth_entity delay = rig_add(&r, &def), heavy = rig_body(&r, 5, 1, 0);
    def = hed_default_synth_entity_def(HED_SYNTH_AUDIO_INPUT);
    def.as.audio_input = (hed_synth_audio_input_def){.direction = {1, 0, 0}, .gain = (float)RATE};
    hed_synth_entity echo = rig_add(&r, &def);
    rig_link(&r, echo, delay, 1);
    rig_link(&r, echo, heavy, 1);
    rig_start(&r);
    rig_hit(&r);
    static float x[9], v[9];
    double last = 0;
    for (int i = 0; i < 1200; i++) {
        rig_play(&r, 1);
        rig_read(&r, x, v);
        value[i] = x[3];
        late[i] = (double)v[6] - last; /* h F/m: the delay line's signal */
        last = v[6];
    }
    /* The mass moves from then on at 0.01 m/s: 0.1 at 1 m. */
    EXPECT(fabs(value[96 + 3] / 0.2 - (1 - exp(-1))) < 0.02 && fabs(value[1100] - 0.2) < 1e-3,
        "%g after 2 ms, %g", value[99], value[1100]);
    int first = 0;
    while (first < 1199 && late[first] < 0.01) first++;
    EXPECT(first >= 480 && first <= 486 && fabs(late[1000] - 0.1 * pow(10, 6 / 20.0)) < 1e-3,
        "comes at sample %d with %g", first, late[1000]);
    rig_close(&r);
}
