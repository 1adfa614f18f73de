/* Stolen and choked voices fade: what they leave above 2 kHz, which voice is stolen, and the states of
 * notes. Dampers: they lie on the bodies until a note lifts them. Tunings: the pitch of a voice. */
#include "synth_rig.h"

enum { LENGTH = 16384, STOLEN_AT = 8192 };

/* Notes of a mass on a spring, 220 Hz at note 60, which a plectrum draws. */
static void open_tones(rig *r, hed_synth_voice_mode mode, uint32_t voices)
{
    hed_synth_instrument_def def = hed_default_synth_instrument_def();
    def.mode = mode;
    def.voices = voices;
    def.low = 40;
    def.high = 80;
    rig_open(r, &def);
    hed_synth_entity anchor = rig_body(r, 0.1f, 0, 0), body = rig_body(r, 0, 0.001f, 0.5f);
    float omega = (float)(2 * PI * 220);
    rig_spring(r, body, anchor, 0.001f * omega * omega, -1);
    hed_synth_entity_def pick = hed_default_synth_entity_def(HED_SYNTH_PLECTRUM),
                         ear = hed_default_synth_entity_def(HED_SYNTH_MICROPHONE);
    pick.as.plectrum.direction[0] = ear.as.microphone.direction[0] = 1;
    pick.as.plectrum.direction[2] = ear.as.microphone.direction[2] = 0;
    pick.as.plectrum.distance = 0.0005f;
    ear.as.microphone.position[0] = -1;
    ear.as.microphone.gain = -20;
    rig_link(r, rig_add(r, &pick), body, 1);
    rig_link(r, rig_add(r, &ear), body, 1);
}

static hed_synth_event note(uint32_t frame, uint8_t status, uint8_t key, uint8_t velocity)
{
    return (hed_synth_event){
        .frame = frame, .kind = HED_SYNTH_EVENT_MIDI, .bytes = {status, key, velocity}};
}

/* Plays notes of three voices and a fourth one, which steals the soft one where there are three. */
static void play_four(uint32_t voices, uint32_t block, float *sound)
{
    rig r;
    open_tones(&r, HED_SYNTH_VOICES, voices);
    rig_start(&r);
    const hed_synth_event all[] = {note(0, 0x90, 62, 110), note(100, 0x90, 50, 40),
        note(200, 0x90, 65, 120), note(STOLEN_AT, 0x90, 45, 100)};
    for (uint32_t first = 0; first < LENGTH; first += block) {
        hed_synth_event here[4];
        uint32_t count = 0;
        for (uint32_t i = 0; i < 4; i++)
            if (all[i].frame >= first && all[i].frame < first + block) {
                here[count] = all[i];
                here[count++].frame -= first;
            }
        rig_play_events(&r, block, here, count);
        memcpy(sound + first, r.left, block * sizeof *sound);
    }
    rig_close(&r);
}

/* Level of a frequency in a sound under a window without side lobes to speak of, dB of a tone of
 * amplitude 1. */
static double level_at(const float *sound, const float *minus, double frequency)
{
    static const double a[] = {0.35875, 0.48829, 0.14128, 0.01168};
    double re = 0, im = 0, sum = 0;
    for (uint32_t n = 0; n < LENGTH; n++) {
        double t = 2 * PI * n / LENGTH,
               w = a[0] - a[1] * cos(t) + a[2] * cos(2 * t) - a[3] * cos(3 * t);
        double x = w * ((double)sound[n] - (minus ? (double)minus[n] : 0.0)),
               angle = 2 * PI * frequency * n / RATE;
        re += x * cos(angle);
        im += x * sin(angle);
        sum += w;
    }
    return 20 * log10(2 * sqrt(re * re + im * im) / sum + 1e-30);
}

Test(synth_fade, a_stolen_voice_leaves_nothing_high, .timeout = 120)
{
    static float three[LENGTH], four[LENGTH], again[LENGTH];
    play_four(3, 4096, three);
    play_four(4, 4096, four);
    /* before the theft both are equal; 20 ms after it the soft note is gone */
    for (uint32_t n = 0; n < STOLEN_AT; n++) CHECK_NEAR(three[n], four[n], 1e-6, "frame %u", n);
    double tone = level_at(four, three, 220 * exp2(-10.0 / 12));
    CHECK_GT(tone, -45, "the soft note was stolen (%g dB)", tone);
    for (uint32_t key = 62; key <= 65; key += 3)
        CHECK_LT(level_at(four, three, 220 * exp2((key - 60.0) / 12)), tone - 40, "key %u was not", key);
    double worst = -300;
    for (double f = 2000; f < 24000; f += 97) worst = fmax(worst, level_at(four, three, f) - tone);
    CHECK_LT(worst, -120, "above 2 kHz %g dB of the stolen tone are left", worst);
    /* the same for every block */
    play_four(3, 64, again);
    CHECK_BYTES(three, again, sizeof three);
}

/* Many thefts at once: all spare instances fade, then voices are taken over where they are. */
Test(synth_fade, bursts_of_notes_keep_their_voices)
{
    rig r;
    open_tones(&r, HED_SYNTH_VOICES, 4);
    rig_start(&r);
    for (uint32_t round = 0; round < 40; round++) {
        hed_synth_event burst[12];
        for (uint32_t i = 0; i < 12; i++)
            burst[i] = note(i * 7 * (round % 3), 0x90, (uint8_t)(41 + (i * 5 + round) % 37), 100);
        rig_play_events(&r, 300, burst, 12);
        uint32_t held = 0;
        for (uint32_t key = 0; key < 128; key++)
            held += hed_synth_note(r.synth, 0, key) == HED_SYNTH_NOTE_HELD;
        CHECK_EQ(held, 4, "round %u", round);
        for (uint32_t n = 0; n < 300; n++) CHECK(isfinite(r.left[n]));
    }
    rig_close(&r);
}

Test(synth_fade, states_of_notes_and_chokes)
{
    rig r;
    open_tones(&r, HED_SYNTH_VOICES, 4);
    rig_start(&r);
    CHECK_EQ(hed_synth_note(r.synth, 0, 60), HED_SYNTH_NOTE_ENDED);
    CHECK_EQ(hed_synth_note(NULL, 0, 60), HED_SYNTH_NOTE_ENDED);
    rig_note(&r, 60, 100);
    rig_note(&r, 64, 100);
    CHECK_EQ(hed_synth_note(r.synth, 0, 60), HED_SYNTH_NOTE_HELD);
    CHECK_EQ(hed_synth_note(r.synth, 1, 60), HED_SYNTH_NOTE_ENDED);
    rig_play(&r, 4000);
    rig_note(&r, 60, 0);
    CHECK_EQ(hed_synth_note(r.synth, 0, 60), HED_SYNTH_NOTE_RINGING);
    const hed_synth_event choke[] = {{.kind = HED_SYNTH_EVENT_CHOKE, .bytes = {0, 60}},
        {.frame = 5, .kind = HED_SYNTH_EVENT_CHOKE, .bytes = {0, 64}}};
    rig_play_events(&r, 4096, choke, 2);
    CHECK_EQ(hed_synth_note(r.synth, 0, 60), HED_SYNTH_NOTE_ENDED);
    CHECK_EQ(hed_synth_note(r.synth, 0, 64), HED_SYNTH_NOTE_ENDED);
    CHECK_GT(fabsf(r.left[200]), 1e-4f);
    for (uint32_t n = 1200; n < 4096; n++) CHECK_LT(fabsf(r.left[n]), 1e-9f, "frame %u", n);
    const hed_synth_event wrong[] = {{.kind = HED_SYNTH_EVENT_CHOKE, .bytes = {16, 60}},
        {.kind = HED_SYNTH_EVENT_NOTE_HOST, .bytes = {0, 60}, .number = 8}};
    hed_synth_block block = {.frames = 8, .event_count = 1, .left = r.left, .right = r.right};
    for (uint32_t i = 0; i < 2; i++) {
        hed_error error = {0};
        block.events = &wrong[i];
        CHECK_EQ(hed_synth_process(r.synth, &block, &error), HED_ERROR_ARGUMENT);
    }
    rig_close(&r);
}

/* In one instance a choke silences all, unless other keys are held. */
Test(synth_fade, chokes_in_one_instance)
{
    rig r;
    open_tones(&r, HED_SYNTH_SINGLETON, 1);
    rig_start(&r);
    rig_note(&r, 60, 100);
    rig_note(&r, 62, 100);
    rig_play(&r, 1000);
    hed_synth_event choke = {.frame = 100, .kind = HED_SYNTH_EVENT_CHOKE, .bytes = {0, 60}};
    rig_play_events(&r, 2000, &choke, 1);
    CHECK_GT(fabsf(r.left[1900]) + fabsf(r.left[1850]), 1e-4f);
    choke.bytes[1] = 62;
    rig_play_events(&r, 4000, &choke, 1);
    for (uint32_t n = 2600; n < 4000; n++) CHECK_LT(fabsf(r.left[n]), 1e-9f, "frame %u", n);
    CHECK_EQ(hed_synth_note(r.synth, 0, 62), HED_SYNTH_NOTE_ENDED);
    rig_close(&r);
}

/* ---- dampers ---- */

static double loudness(const rig *r, uint32_t frames)
{
    double sum = 0;
    for (uint32_t n = 0; n < frames; n++) sum += (double)r->left[n] * r->left[n];
    return 10 * log10(sum / frames + 1e-30);
}

Test(synth_fade, dampers_follow_note_off_and_pedal)
{
    static const hed_synth_voice_mode modes[] = {HED_SYNTH_SINGLETON, HED_SYNTH_VOICES};
    for (uint32_t i = 0; i < 2; i++) {
        rig r;
        open_tones(&r, modes[i], 4);
        hed_synth_entity_def felt = hed_default_synth_entity_def(HED_SYNTH_DAMPER);
        felt.as.damper.direction[0] = 1;
        felt.as.damper.direction[2] = 0;
        felt.as.damper.resistance = 0.1f;
        rig_link(
            &r, rig_add(&r, &felt), hed_synth_instrument_at(r.instrument, HED_SYNTH_BODY, 1), 1);
        rig_start(&r);
        for (uint32_t pedal = 0; pedal < 2; pedal++) {
            hed_synth_event sustain = note(0, 0xb0, 64, 127);
            rig_note(&r, 60, 100);
            rig_play(&r, 4096);
            double held = loudness(&r, 4096);
            if (pedal) rig_play_events(&r, 1, &sustain, 1);
            rig_note(&r, 60, 0);
            rig_play(&r, 3 * 4096);
            if (pedal) {
                CHECK_GT(loudness(&r, 4096), held - 4, "mode %u: the pedal lifts", i);
                sustain.bytes[2] = 0;
                rig_play_events(&r, 1, &sustain, 1);
                rig_play(&r, 3 * 4096);
            }
            CHECK_LT(loudness(&r, 4096), held - 60, "mode %u: the damper falls", i);
        }
        rig_play(&r, 48000);
        CHECK_EQ(hed_synth_note(r.synth, 0, 60), HED_SYNTH_NOTE_ENDED);
        CHECK_EQ(hed_synth_describe(r.synth).asleep, hed_synth_describe(r.synth).islands,
            "mode %u sleeps under its dampers", i);
        rig_close(&r);
    }
}

/* ---- tunings ---- */

/* Key 69 a quarter tone flat: the period of the voice is that of 60 + 8.5 semitones. */
Test(synth_fade, tunings_move_voices)
{
    float tuning[128];
    for (uint32_t key = 0; key < 128; key++) tuning[key] = (float)key;
    tuning[69] = 68.5f;
    rig r;
    open_tones(&r, HED_SYNTH_VOICES, 4);
    hed_error error = {0};
    hed_synth_def def = hed_default_synth_def();
    def.instrument = r.instrument;
    def.block = 4096;
    def.tuning = tuning;
    OK(hed_synth_create(r.t.device, &def, &r.synth, &error));
    static float sound[LENGTH];
    rig_note(&r, 69, 100);
    for (uint32_t i = 0; i < 4; i++) {
        rig_play(&r, 4096);
        memcpy(sound + 4096 * i, r.left, sizeof r.left);
    }
    double best = 0, level = -300;
    for (double f = 340; f < 400; f += 0.05)
        if (level_at(sound, NULL, f) > level) level = level_at(sound, NULL, best = f);
    CHECK_NEAR(cents(best, 220 * exp2(8.5 / 12)), 0, 3, "%g Hz", best);
    hed_synth_destroy(r.synth);
    tuning[3] = INFINITY;
    CHECK_EQ(hed_synth_create(r.t.device, &def, &r.synth, &error), HED_ERROR_ARGUMENT);
    rig_close(&r);
}
