/* Portamento, legato and MPE: pitches of voices as a solver gets them, and of two notes of an MPE file
 * as they sound. */
#include "synth_pitch.h"

#include "voices/voices.h"

/* ---- pokes of a program without sound ---- */

enum { VOICES = 3, GATE = SYNTH_FIRST_GATE, HIGH_GATE = GATE + SYNTH_GATE_WORDS, WORDS = 32 };

typedef struct rig {
    synth_program program;
    synth_gate gates[2];
    uint32_t image[WORDS], store[2 * VOICES][WORDS];
    hed_synth_instrument_def def;
    synth_voices *voices;
    uint64_t sample;
} rig;

static void rig_open(rig *r, float glide, bool legato)
{
    hed_error error = {0};
    hed_allocator allocator = hed_default_allocator();
    *r = (rig){.def = hed_default_synth_instrument_def()};
    r->def.mode = HED_SYNTH_VOICES;
    r->def.voices = VOICES;
    r->def.glide = glide;
    r->def.legato = legato;
    r->gates[0] = (synth_gate){{0, 0, 127}, GATE, true};
    r->gates[1] = (synth_gate){{0, 64, 127}, HIGH_GATE, true};
    r->image[SYNTH_DILATION] = r->image[SYNTH_VOLUME] = hed_as_uint(1.0f);
    r->program =
        (synth_program){.instances = VOICES, .rate = 48000, .image = r->image, .gates = r->gates};
    r->program.layout.words = WORDS;
    r->program.layout.gates = 2;
    OK(synth_voices_create(&allocator, &r->def, &r->program,
        &(hed_synth_def){.max_events = 64, .rate = 48000}, &r->voices, &error));
}

static void rig_run(rig *r, const hed_synth_event *events, uint32_t count, uint32_t frames)
{
    hed_error error = {0};
    const synth_poke *pokes;
    const uint32_t *begin;
    synth_voices_set_time(r->voices, r->sample);
    OK(synth_voices_run(r->voices, events, count, frames, &pokes, &begin, &error));
    for (uint32_t i = 0; i < VOICES; i++)
        for (uint32_t k = begin[i]; k < begin[i + 1]; k++)
            r->store[i][pokes[k].word] = pokes[k].value;
    r->sample += frames;
}

static hed_synth_event midi(uint32_t frame, uint8_t status, uint8_t first, uint8_t second)
{
    return (hed_synth_event){
        .frame = frame, .kind = HED_SYNTH_EVENT_MIDI, .bytes = {status, first, second}};
}

#define PLAY(r, frames, ...) \
    do { \
        const hed_synth_event played[] = {__VA_ARGS__}; \
        rig_run(&(r), played, sizeof played / sizeof *played, frames); \
    } while (0)

/* Pitch of an instance, as a note. */
static double pitch_of(const rig *r, uint32_t instance)
{
    return 60 + 12 * log2((double)hed_as_float(r->store[instance][SYNTH_DILATION]));
}

static uint32_t gate(const rig *r, uint32_t instance, uint32_t word)
{
    return r->store[instance][word];
}

Test(synth_glide, portamento_is_a_straight_line_in_pitch)
{
    rig r;
    rig_open(&r, 0, false);
    PLAY(r, 32, midi(0, 0x90, 48, 100), midi(0, 0xb0, 5, 127), midi(0, 0xb0, 65, 127));
    CHECK_NEAR(pitch_of(&r, 0), 48, 1e-4);
    PLAY(r, 32, midi(0, 0x90, 60, 100)); /* 2 s from 48 to 60 */
    CHECK_NEAR(pitch_of(&r, 1), 48, 1e-4);
    CHECK_NEAR(pitch_of(&r, 0), 48, 1e-4); /* the held note stays */
    for (uint32_t i = 0; i < 3000; i++) {
        CHECK_NEAR(pitch_of(&r, 1), 48 + 12.0 * (32.0 * i) / 96001, 1e-4);
        rig_run(&r, NULL, 0, 32);
    }
    rig_run(&r, NULL, 0, 32);
    CHECK_NEAR(pitch_of(&r, 1), 60, 1e-6);
    PLAY(r, 32, midi(0, 0xb0, 65, 0), midi(0, 0x90, 55, 100));
    CHECK_NEAR(pitch_of(&r, 2), 55, 1e-4);
    synth_voices_destroy(r.voices);
}

/* The time of a glide is in proportion to the square of controller 5. */
Test(synth_glide, half_the_controller_is_a_quarter_of_the_time)
{
    rig r;
    rig_open(&r, 0, false);
    PLAY(r, 32, midi(0, 0x90, 48, 100), midi(0, 0xb0, 5, 64), midi(0, 0xb0, 65, 127));
    PLAY(r, 32, midi(0, 0x90, 60, 100));
    double samples = 1 + floor(48000 * 2 * (64 / 127.0) * (64 / 127.0));
    for (uint32_t i = 0; i < 700; i++) {
        CHECK_NEAR(pitch_of(&r, 1), 48 + 12.0 * (32.0 * i) / samples, 1e-3);
        rig_run(&r, NULL, 0, 32);
    }
    synth_voices_destroy(r.voices);
}

/* The same pokes, however the time is divided into runs. */
Test(synth_glide, blocks_do_not_matter)
{
    rig whole, parts;
    rig_open(&whole, 0.05f, false);
    rig_open(&parts, 0.05f, false);
    PLAY(whole, 1000, midi(0, 0x90, 48, 100), midi(70, 0x90, 60, 100));
    PLAY(parts, 70, midi(0, 0x90, 48, 100));
    PLAY(parts, 26, midi(0, 0x90, 60, 100));
    for (uint32_t i = 0; i < 904; i++) rig_run(&parts, NULL, 0, 1);
    CHECK_EQ(whole.sample, parts.sample);
    CHECK_GT(pitch_of(&whole, 1), 48.5);
    CHECK_EQ(whole.store[1][SYNTH_DILATION], parts.store[1][SYNTH_DILATION]);
    synth_voices_destroy(whole.voices);
    synth_voices_destroy(parts.voices);
}

Test(synth_glide, legato_takes_over_the_voice_and_returns)
{
    rig r;
    rig_open(&r, 0, false);
    PLAY(r, 32, midi(0, 0xb0, 68, 127), midi(0, 0x90, 60, 100));
    uint32_t count = gate(&r, 0, GATE + SYNTH_GATE_COUNT);
    PLAY(r, 32, midi(0, 0x90, 67, 100));
    CHECK_EQ(synth_voices_sounding(r.voices), 1);
    CHECK_NEAR(pitch_of(&r, 0), 67, 1e-4);
    CHECK_EQ(gate(&r, 0, GATE + SYNTH_GATE_COUNT), count, "%s", "no new attack");
    CHECK(gate(&r, 0, HIGH_GATE + SYNTH_GATE_HELD), "%s", "a gate of the new key alone starts");
    PLAY(r, 32, midi(0, 0x80, 67, 0));
    CHECK_NEAR(pitch_of(&r, 0), 60, 1e-4);
    CHECK(gate(&r, 0, GATE + SYNTH_GATE_HELD) && !gate(&r, 0, HIGH_GATE + SYNTH_GATE_HELD));
    PLAY(r, 32, midi(0, 0x90, 62, 100), midi(1, 0x80, 60, 0)); /* the former key ends first */
    CHECK_NEAR(pitch_of(&r, 0), 62, 1e-4);
    CHECK(gate(&r, 0, GATE + SYNTH_GATE_HELD));
    PLAY(r, 32, midi(0, 0x80, 62, 0));
    CHECK(!gate(&r, 0, GATE + SYNTH_GATE_HELD));
    CHECK_EQ(synth_voices_sounding(r.voices), 0);
    PLAY(r, 32, midi(0, 0xb0, 68, 0), midi(0, 0x90, 60, 100), midi(0, 0x90, 64, 100));
    CHECK_EQ(synth_voices_sounding(r.voices), 2);
    synth_voices_destroy(r.voices);
}

/* Keys that start again while they are held, with legato and without: each has one voice, and all
 * gates close in the end. */
Test(synth_glide, keys_that_start_again_have_one_voice)
{
    rig r;
    rig_open(&r, 0, false);
    PLAY(r, 32, midi(0, 0x90, 48, 100), midi(1, 0x90, 55, 100)); /* two voices */
    PLAY(r, 32, midi(0, 0xb0, 68, 127), midi(1, 0x90, 48, 100)); /* the voice of 55 plays 48 */
    EXPECT_EQ(gate(&r, 0, GATE + SYNTH_GATE_HELD), 0);
    EXPECT_EQ(gate(&r, 1, GATE + SYNTH_GATE_HELD), 1);
    EXPECT_NEAR(pitch_of(&r, 1), 48, 1e-3);
    PLAY(r, 32, midi(0, 0xb0, 68, 0), midi(1, 0x90, 55, 100)); /* a voice of its own again */
    uint32_t own = 0;
    for (uint32_t i = 0; i < VOICES; i++)
        own += i != 1 && gate(&r, i, GATE + SYNTH_GATE_HELD) == 1 &&
               fabs(pitch_of(&r, i) - 55) < 1e-3;
    EXPECT_EQ(own, 1);
    EXPECT_EQ(gate(&r, 1, GATE + SYNTH_GATE_HELD), 1);
    EXPECT_NEAR(pitch_of(&r, 1), 48, 1e-3);
    PLAY(r, 32, midi(0, 0x80, 48, 0), midi(1, 0x80, 55, 0));
    for (uint32_t i = 0; i < VOICES; i++)
        EXPECT_EQ(gate(&r, i, GATE + SYNTH_GATE_HELD), 0, "voice %u", i);
    for (uint8_t note = 40; note < 70; note++) PLAY(r, 32, midi(0, 0x90, note, 100));
    synth_voices_destroy(r.voices);
}

Test(synth_glide, an_instrument_glides_and_shares_by_itself)
{
    rig r;
    rig_open(&r, 0.1f, true);
    PLAY(r, 32, midi(0, 0x90, 60, 100));
    PLAY(r, 2400, midi(0, 0x90, 72, 100));
    CHECK_NEAR(pitch_of(&r, 0), 66, 0.2);
    rig_run(&r, NULL, 0, 2500);
    CHECK_NEAR(pitch_of(&r, 0), 72, 1e-4);
    PLAY(r, 32, midi(0, 0xb0, 65, 0), midi(0, 0x80, 72, 0)); /* without portamento it jumps back */
    CHECK_NEAR(pitch_of(&r, 0), 60, 1e-4);
    synth_voices_destroy(r.voices);
}

Test(synth_glide, controller_84_names_the_source)
{
    rig r;
    rig_open(&r, 0, false);
    PLAY(r, 32, midi(0, 0xb0, 5, 64), midi(0, 0xb0, 84, 48), midi(0, 0x90, 60, 100));
    CHECK_NEAR(pitch_of(&r, 0), 48, 1e-4);
    rig_run(&r, NULL, 0, 4800);
    CHECK(pitch_of(&r, 0) > 48.5 && pitch_of(&r, 0) < 59);
    uint32_t count = gate(&r, 0, GATE + SYNTH_GATE_COUNT);
    /* a held source gives its voice away */
    PLAY(r, 32, midi(0, 0xb0, 84, 60), midi(0, 0x90, 63, 100));
    CHECK_EQ(synth_voices_sounding(r.voices), 1);
    CHECK_EQ(gate(&r, 0, GATE + SYNTH_GATE_COUNT), count);
    PLAY(r, 32, midi(0, 0x90, 65, 100)); /* one note only */
    CHECK_EQ(synth_voices_sounding(r.voices), 2);
    CHECK_NEAR(pitch_of(&r, 1), 65, 1e-4);
    synth_voices_destroy(r.voices);
}

/* ---- two notes of a file, bent in different directions ---- */

/* Zone of 15 members by channel 1: channel 2 plays A2 (45) and bends it up by a fifth, channel 3 plays
 * A3 (57) and bends it down by a whole tone. Full bend is 48 semitones:
 * 8192 + 7 / 48 * 8191 is 9386, 8192 - 2 / 48 * 8192 is 7851. Both press and slide. */
static const uint8_t song[] = {'M', 'T', 'h', 'd', 0, 0, 0, 6, 0, 0, 0, 1, 1, 0xe0, 'M', 'T', 'r',
    'k', 0, 0, 0, 46,                                               /* bytes */
    0, 0xb0, 101, 0, 0, 100, 6, 0, 6, 15,                           /* zone */
    0, 0xe1, 9386 & 127, 9386 >> 7, 0, 0xe2, 7851 & 127, 7851 >> 7, /* bends */
    0, 0xd1, 60, 0, 0xb2, 74, 50,                                   /* pressure, slide */
    0, 0x91, 45, 100, 0, 0x92, 57, 100,                             /* notes */
    0xa0, 0, 0x81, 45, 0, 0, 0x82, 57, 0, 0, 0xff, 0x2f, 0};

/* `up`: octaves by which the file is transposed. */
static void expect_bends(hed_device *device, const char *name, int32_t up)
{
    enum { RATE = 48000, SIZE = 1 << 18 };
    char path[128];
    hed_error error = {0};
    hed_synth_instrument *instrument;
    hed_synth *synth;
    hed_synth_midi_file *file;
    snprintf(path, sizeof path, "data/instruments/%s.json", name);
    OK(hed_synth_instrument_read(path, &instrument, &error));
    OK(hed_synth_midi_file_parse(song, sizeof song, "bends.mid", &file, &error));
    hed_synth_def def = hed_default_synth_def();
    def.instrument = instrument;
    def.rate = RATE;
    def.transpose = 12 * up;
    def.solver = HED_SYNTH_SOLVER_CPU;
    OK(hed_synth_create(device, &def, &synth, &error));
    double complex *sound = calloc(SIZE, sizeof *sound);
    CHECK(sound);
    hed_synth_event events[32];
    uint32_t count = 0;
    for (uint32_t i = 0; i < hed_synth_midi_file_count(file); i++) {
        const hed_synth_midi_event *e = &hed_synth_midi_file_events(file)[i];
        if (e->seconds > 0) continue;
        events[count] = (hed_synth_event){.kind = HED_SYNTH_EVENT_MIDI};
        memcpy(events[count++].bytes, e->bytes, 3);
    }
    for (uint32_t at = 0; at < 3 * RATE; at += PITCH_BLOCK) {
        float left[PITCH_BLOCK], right[PITCH_BLOCK];
        hed_synth_block block = {.frames = PITCH_BLOCK, .events = events,
            .event_count = at == 0 ? count : 0, .left = left, .right = right};
        OK(hed_synth_process(synth, &block, &error));
        for (uint32_t i = 0; i < PITCH_BLOCK && at >= RATE; i++)
            sound[at - RATE + i] = left[i] + right[i];
    }
    CHECK_EQ(hed_synth_describe(synth).notes.struck, 2);
    pitch_power(sound, 2 * RATE, SIZE);
    const double notes[] = {52, 55};
    for (uint32_t i = 0; i < 2; i++) {
        double expected = 440 * exp2((notes[i] - 69) / 12 + up), peak, none;
        double found = pitch_line(sound, (double)RATE / SIZE, expected, &peak);
        EXPECT_LT(fabs(1200 * log2(found / expected)), 4, "%s: note %g is at %.3f Hz", name,
            notes[i], found);
        /* nothing is left where the keys are */
        pitch_line(sound, (double)RATE / SIZE, 440 * exp2((i ? -1 : -2) + up), &none);
        EXPECT_LT(10 * log10(none / peak), -30, "%s: %s key sounds too", name, i ? "the second" : "the first");
    }
    free(sound);
    hed_synth_midi_file_close(file);
    hed_synth_destroy(synth);
    hed_synth_instrument_destroy(instrument);
}

Test(synth_glide, mpe_bends_two_notes_apart)
{
    test_device t = test_open(NULL);
    expect_bends(t.device, "glide", 0);
    expect_bends(t.device, "gamba", 0);
    expect_bends(t.device, "flute", 2);
    test_close(&t);
}
