/* What ships: instruments that load, are stable, sound at a sensible loudness and at the pitch of
 * their notes; music that can be read. */
#include "testing.h"

#include <glob.h>
#include <math.h>

#include "heddle/synth_file.h"
#include "cli/synth/spectrogram.h"

static hed_synth_info info_of(const hed_synth *synth)
{
    hed_synth_info info;
    info = hed_synth_describe(synth);
    return info;
}

enum { RATE = 48000, BLOCK = 256, WINDOW = 16384, PATHS = 50, PATH_FRAMES = 1024 };

static hed_synth_instrument *load(const char *name)
{
    hed_error error = {0};
    char path[128];
    hed_synth_instrument *instrument;
    snprintf(path, sizeof path, "data/instruments/%s.json", name);
    OK(hed_synth_instrument_read(path, &instrument, &error));
    return instrument;
}

/* Plays `seconds` from events of the first sample, with a sawtooth of 125 Hz coming in. Returns the
 * left channel, to be freed. */
static float *play_events(const test_device *t, const char *name, const hed_synth_event *events,
    uint32_t count, double seconds, uint32_t *frames, hed_synth_info *report)
{
    hed_error error = {0};
    hed_synth_instrument *instrument = load(name);
    hed_synth_def def = hed_default_synth_def();
    def.instrument = instrument;
    def.rate = RATE;
    def.block = BLOCK;
    def.inputs = 1;
    def.solver = HED_SYNTH_SOLVER_CPU;
    hed_synth *synth;
    OK(hed_synth_create(t->device, &def, &synth, &error));
    uint32_t blocks = (uint32_t)ceil(seconds * RATE / BLOCK);
    float *left = malloc(sizeof *left * blocks * BLOCK), right[BLOCK], input[BLOCK];
    CHECK_NOT_NULL(left);
    for (uint32_t i = 0; i < blocks; i++) {
        for (uint32_t k = 0; k < BLOCK; k++)
            input[k] = (float)((i * BLOCK + k) % 384) / 192.0f - 1.0f;
        const float *inputs[] = {input};
        hed_synth_block block = {
            .frames = BLOCK, .events = events, .event_count = i ? 0 : count, .inputs = inputs,
            .left = left + i * BLOCK, .right = right,
        };
        OK(hed_synth_process(synth, &block, &error));
    }
    *report = hed_synth_describe(synth);
    *frames = blocks * BLOCK;
    hed_synth_destroy(synth);
    hed_synth_instrument_destroy(instrument);
    return left;
}

/* Holds a note. */
static float *play(const test_device *t, const char *name, uint8_t channel, uint8_t note,
    double seconds, uint32_t *frames, hed_synth_info *report)
{
    hed_synth_event on = {
        .kind = HED_SYNTH_EVENT_MIDI, .bytes = {(uint8_t)(0x90 | channel), note, 100}};
    return play_events(t, name, &on, 1, seconds, frames, report);
}

/* Frequency of the loudest peak within a semitone of `about` in the last WINDOW samples: a parabola
 * through three levels in dB. */
static double peak_near(const float *samples, uint32_t frames, double about)
{
    static double power[WINDOW / 2 + 1];
    hed_spectrum *spectrum;
    CHECK_EQ(hed_spectrum_create(WINDOW, &spectrum, NULL), HED_OK);
    hed_spectrum_power(spectrum, samples + frames - WINDOW, NULL, 1, power);
    hed_spectrum_destroy(spectrum);
    uint32_t low = (uint32_t)(about / 1.06 * WINDOW / RATE),
             high = (uint32_t)ceil(about * 1.06 * WINDOW / RATE);
    uint32_t best = low;
    for (uint32_t k = low; k <= high; k++)
        if (power[k] > power[best]) best = k;
    double a = log(power[best - 1]), b = log(power[best]), c = log(power[best + 1]);
    return (best + 0.5 * (a - c) / (a - 2 * b + c)) * RATE / WINDOW;
}

Test(synth_data, instruments_are_stable)
{
    static const char *const names[] = {
        "harp", "drum", "viol", "cymbal", "vibes", "glide", "tank", "orrery", "million", "consort"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        hed_error error = {0};
        hed_synth_instrument *instrument = load(names[i]);
        hed_synth_stability stability;
        OK(hed_synth_instrument_stability(instrument, RATE, &stability, &error));
        EXPECT_EQ(stability.unsafe, 0u, "%s: %u bodies are above the bound, at worst %g", names[i],
            stability.unsafe, stability.worst);
        if (strcmp(names[i], "million") == 0)
            EXPECT_GE(hed_synth_instrument_count(instrument, HED_SYNTH_BODY), 1000000u);
        for (uint32_t type = 0;
             strcmp(names[i], "orrery") == 0 && type < HED_SYNTH_ENTITY_TYPE_COUNT; type++)
            EXPECT_GT(hed_synth_instrument_count(instrument, type), 0u, "the orrery has no %s",
                hed_synth_entity_type_name(type));
        hed_synth_instrument_destroy(instrument);
    }
}

/* A hard stroke feeds the plate's highest partials, which reach beyond 8 kHz. */
Test(synth_data, the_cymbal_is_bright)
{
    const hed_synth_event on = {.kind = HED_SYNTH_EVENT_MIDI, .bytes = {0x90, 60, 127}};
    static double power[WINDOW / 2 + 1];
    uint32_t frames;
    hed_synth_info report;
    test_device t = test_open(NULL);
    float *sound = play_events(&t, "cymbal", &on, 1, 0.5, &frames, &report);
    hed_spectrum *spectrum;
    CHECK_EQ(hed_spectrum_create(WINDOW, &spectrum, NULL), HED_OK);
    hed_spectrum_power(spectrum, sound + frames - WINDOW, NULL, 1, power);
    hed_spectrum_destroy(spectrum);
    double whole = 0, high = 0;
    for (uint32_t k = 0; k <= WINDOW / 2; k++) {
        whole += power[k];
        if (k > 8000.0 * WINDOW / RATE) high += power[k];
    }
    double level = 10 * log10(high / whole);
    EXPECT_GT(level, -80, "above 8 kHz there are %.1f dB of the whole", level);
    free(sound);
    test_close(&t);
}

/* Each part of the consort has every note of its range. */
Test(synth_data, the_consort_is_chromatic)
{
    static const struct {
        uint8_t channel, low, high;
    } parts[] = {{0, 43, 79}, {1, 40, 66}};
    test_device t = test_open(NULL);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        hed_synth_event on[64];
        uint32_t count = 0, frames;
        hed_synth_info report;
        for (uint8_t note = parts[i].low; note <= parts[i].high; note++)
            on[count++] = (hed_synth_event){.kind = HED_SYNTH_EVENT_MIDI,
                .bytes = {(uint8_t)(0x90 | parts[i].channel), note, 40}};
        free(play_events(&t, "consort", on, count, 0.02, &frames, &report));
        EXPECT_EQ(report.notes.struck, count, "channel %u", parts[i].channel + 1u);
        EXPECT_EQ(report.notes.dropped, 0u, "channel %u", parts[i].channel + 1u);
    }
    test_close(&t);
}

Test(synth_data, notes_have_their_pitch)
{
    static const struct {
        const char *name;
        uint8_t channel, note;
        double seconds, cents; /* a bow pulls at the pitch */
        double partial;        /* 0: not looked at */
    } notes[] = {
        {"harp", 0, 45, 0.5, 1, 5},
        {"harp", 0, 69, 0.5, 1, 5},
        {"viol", 0, 57, 1.2, 3, 5},
        {"vibes", 0, 57, 0.6, 2, 0},
        {"vibes", 0, 69, 0.6, 2, 0},
        {"glide", 1, 45, 1.2, 3, 5},
        {"glide", 1, 52, 1.2, 3, 0},
        {"consort", 0, 76, 0.5, 1, 3},
    };
    test_device t = test_open(NULL);
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        uint32_t frames;
        hed_synth_info report;
        float *sound = play(
            &t, notes[i].name, notes[i].channel, notes[i].note, notes[i].seconds, &frames, &report);
        double pitch = 440 * exp2((notes[i].note - 69) / 12.0),
               found = peak_near(sound, frames, pitch);
        double cents = 1200 * log2(found / pitch);
        EXPECT_LT(fabs(cents), notes[i].cents, "%s, note %u: %.3f Hz is off by %.2f cents",
            notes[i].name, notes[i].note, found, cents);
        if (notes[i].partial > 0) {
            double high = peak_near(sound, frames, pitch * notes[i].partial);
            cents = 1200 * log2(high / (pitch * notes[i].partial));
            EXPECT_LT(fabs(cents), notes[i].cents + 3,
                "%s, note %u: partial %g is off by %.2f cents", notes[i].name, notes[i].note,
                notes[i].partial, cents);
        }
        free(sound);
    }
    test_close(&t);
}

/* Of two fingers on an MPE controller one bends and presses its own note, an octave at the most. */
Test(synth_data, fingers_bend_and_press_their_own_notes)
{
    enum { SOFT = 0, FIRM = 127 };
    double loudness[2];
    test_device t = test_open(NULL);
    for (uint32_t firm = 0; firm < 2; firm++) {
        const hed_synth_event events[] = {
            {.kind = HED_SYNTH_EVENT_MIDI, .bytes = {0xe1, 0x7f, 0x7f}},
            {.kind = HED_SYNTH_EVENT_MIDI, .bytes = {0xd1, firm ? FIRM : SOFT}},
            {.kind = HED_SYNTH_EVENT_MIDI, .bytes = {0x91, 36, 100}},
            {.kind = HED_SYNTH_EVENT_MIDI, .bytes = {0x92, 43, 100}},
        };
        uint32_t frames;
        hed_synth_info report;
        float *both = play_events(&t, "glide", events, 4, 1.5, &frames, &report);
        float *bent = play_events(&t, "glide", events, 3, 1.5, &frames, &report);
        double high = 440 * exp2((48 - 69) / 12.0), other = 440 * exp2((43 - 69) / 12.0);
        EXPECT_LT(fabs(1200 * log2(peak_near(both, frames, high) / high)), 15, "the bent note");
        EXPECT_LT(fabs(1200 * log2(peak_near(both, frames, other) / other)), 15, "the other");
        loudness[firm] = 0;
        for (uint32_t i = frames - WINDOW; i < frames; i++)
            loudness[firm] += (double)bent[i] * bent[i];
        free(both);
        free(bent);
    }
    EXPECT_GT(loudness[1], 1.5 * loudness[0], "a finger that presses is louder");
    test_close(&t);
}

/* Between -30 dB and full scale before the limiter, and never a breaker. */
Test(synth_data, instruments_sound_at_a_sensible_loudness)
{
    static const struct {
        const char *name;
        uint8_t channel, note;
        double seconds;
    } notes[] = {
        {"harp", 0, 60, 0.2},
        {"drum", 0, 36, 0.2},
        {"viol", 0, 57, 0.8},
        {"cymbal", 0, 60, 0.3},
        {"vibes", 0, 60, 0.3},
        {"glide", 1, 45, 0.8},
        {"tank", 0, 60, 1.0},
        {"orrery", 0, 57, 0.8},
        {"consort", 2, 36, 0.2},
    };
    test_device t = test_open(NULL);
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        uint32_t frames;
        hed_synth_info report;
        free(play(&t, notes[i].name, notes[i].channel, notes[i].note, notes[i].seconds, &frames,
            &report));
        double level = 20 * log10((double)report.peak);
        EXPECT(level > -30 && level < 0, "%s: the peak is at %.1f dB", notes[i].name, level);
        EXPECT_EQ(report.breaks, 0u, "%s: the breaker opened", notes[i].name);
    }
    test_close(&t);
}

/* Writes an instrument of PATHS bodies, each with an audio input and a microphone of its own. */
static char *write_paths(size_t *size)
{
    char *text = NULL;
    FILE *file = open_memstream(&text, size);
    CHECK_NOT_NULL(file);
    const char *comma = "";
    fputs("{\"version\": 1, \"instrument\": {\"mode\": \"singleton\"}, \"bodies\": [", file);
    for (int i = 0; i < PATHS; i++, comma = ",")
        fprintf(file,
            "%s{\"name\": \"a%d\", \"position\": [%d, 0, 0], \"anchored\": true},"
            "{\"name\": \"b%d\", \"position\": [%d, 0.1, 0], \"mass\": 0.001, \"damping\": 5}",
            comma, i, i, i, i);
    fputs("], \"springs\": [", file);
    for (int i = 0; i < PATHS; i++)
        fprintf(file, "%s{\"from\": \"a%d\", \"to\": \"b%d\", \"stiffness\": %d}", i ? "," : "", i,
            i, 2000 + 100 * i);
    fputs("], \"microphones\": [", file);
    for (int i = 0; i < PATHS; i++)
        fprintf(file, "%s{\"name\": \"m%d\", \"position\": [%d, 0.1, 0.5], \"direction\": [0, 1, 0]}",
            i ? "," : "", i, i);
    fputs("], \"audio_inputs\": [", file);
    for (int i = 0; i < PATHS; i++)
        fprintf(file, "%s{\"name\": \"i%d\", \"channel\": %d, \"direction\": [0, 1, 0]}",
            i ? "," : "", i, i);
    fputs("], \"links\": [", file);
    for (int i = 0; i < PATHS; i++)
        fprintf(file, "%s{\"from\": \"i%d\", \"to\": \"b%d\"}, {\"from\": \"m%d\", \"to\": \"b%d\"}",
            i ? "," : "", i, i, i, i);
    fputs("]}", file);
    CHECK_EQ(fclose(file), 0);
    return text;
}

/* Each of fifty microphones hears the pulse of its own input, at its frame, and none of the earlier
 * pulses of the others. */
Test(synth_data, fifty_inputs_reach_fifty_outputs)
{
    static float input[PATHS][PATH_FRAMES], stem[2 * PATHS][PATH_FRAMES], left[PATH_FRAMES],
        right[PATH_FRAMES];
    const float *inputs[PATHS];
    float *stems[2 * PATHS];
    hed_error error = {0};
    hed_synth_instrument *instrument;
    hed_synth *synth;
    size_t size;
    char *text = write_paths(&size);
    test_device t = test_open(NULL);
    OK(hed_synth_instrument_parse(text, size, "paths", &instrument, &error));
    free(text);
    hed_synth_def def = hed_default_synth_def();
    def.instrument = instrument;
    def.inputs = PATHS;
    def.block = PATH_FRAMES;
    OK(hed_synth_create(t.device, &def, &synth, &error));
    for (int i = 0; i < PATHS; i++) {
        inputs[i] = input[i];
        input[i][20 * i] = 1.0f;
        stems[2 * i] = stem[2 * i];
        stems[2 * i + 1] = stem[2 * i + 1];
    }
    const hed_synth_block block = {
        .frames = PATH_FRAMES, .inputs = inputs, .left = left, .right = right, .stems = stems};
    OK(hed_synth_process(synth, &block, &error));
    for (int i = 0; i < PATHS; i++) {
        float before = 0, after = 0;
        for (int n = 0; n < PATH_FRAMES; n++) {
            float level = fabsf(stem[2 * i][n]);
            if (n < 20 * i) before = fmaxf(before, level);
            else if (n < 20 * i + 15) after = fmaxf(after, level);
        }
        EXPECT_GT(after, 1e-4f, "microphone %d is silent", i);
        EXPECT_LT(before, 1e-6f * after, "microphone %d hears another input", i);
    }
    hed_synth_destroy(synth);
    hed_synth_instrument_destroy(instrument);
    test_close(&t);
}

/* Four notes of a bow at velocity 100 stay below the limiter: the chords are the loudest of each. */
Test(synth_data, bowed_chords_leave_the_limiter_alone)
{
    static const struct {
        const char *name;
        uint8_t channel, low;
    } chords[] = {{"viol", 0, 43}, {"consort", 1, 53}};
    static const uint8_t steps[4] = {0, 4, 7, 12};
    test_device t = test_open(NULL);
    for (size_t i = 0; i < sizeof chords / sizeof *chords; i++) {
        hed_synth_event events[4];
        hed_synth_info report;
        uint32_t frames;
        for (int k = 0; k < 4; k++)
            events[k] = (hed_synth_event){.kind = HED_SYNTH_EVENT_MIDI,
                .bytes = {
                    (uint8_t)(0x90 | chords[i].channel), (uint8_t)(chords[i].low + steps[k]), 100}};
        free(play_events(&t, chords[i].name, events, 4, 1.0, &frames, &report));
        EXPECT_EQ(report.reduction, 0.0f, "%s: the limiter takes %.1f dB", chords[i].name,
            (double)report.reduction);
    }
    test_close(&t);
}

Test(synth_data, the_piece_is_whole)
{
    hed_error error = {0};
    hed_synth_midi_file *file;
    OK(hed_synth_midi_file_open("data/music/greensleeves.mid", &file, &error));
    EXPECT_EQ(hed_synth_midi_file_tracks(file), 4u);
    EXPECT_NEAR(hed_synth_midi_file_seconds(file), 85.7, 0.1);
    const hed_synth_midi_event *events = hed_synth_midi_file_events(file);
    uint32_t notes[16] = {0}, held[16][128] = {{0}};
    for (uint32_t i = 0; i < hed_synth_midi_file_count(file); i++) {
        uint8_t status = events[i].bytes[0] >> 4, channel = events[i].bytes[0] & 15,
                note = events[i].bytes[1] & 127;
        bool on = status == 9 && events[i].bytes[2] > 0, off = status == 8 || (status == 9 && !on);
        notes[channel] += on;
        held[channel][note] += on;
        if (off) {
            EXPECT_GT(held[channel][note], 0u, "channel %u, note %u ends before it begins",
                channel + 1, note);
            held[channel][note]--;
        }
    }
    hed_synth_midi_file_close(file);
    for (uint32_t channel = 0; channel < 3; channel++) {
        EXPECT_GT(notes[channel], 50u, "channel %u has %u notes", channel + 1, notes[channel]);
        for (uint32_t note = 0; note < 128; note++)
            EXPECT_EQ(held[channel][note], 0u, "channel %u, note %u never ends", channel + 1, note);
    }
}

Test(synth_data, phrases_can_be_read)
{
    glob_t found;
    CHECK_EQ(glob("data/music/phrases/*.mid", 0, NULL, &found), 0);
    EXPECT_EQ(found.gl_pathc, 68u);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        hed_error error = {0};
        hed_synth_midi_file *file;
        OK(hed_synth_midi_file_open(found.gl_pathv[i], &file, &error));
        EXPECT_GT(hed_synth_midi_file_count(file), 2u);
        hed_synth_midi_file_close(file);
    }
    globfree(&found);
}

/* Every note on five channels at one sample, as a careless arranger or a cat writes them. */
Test(synth_data, the_harp_plays_all_notes_of_five_channels_at_once)
{
    hed_error error = {0};
    test_device t = test_open(NULL);
    hed_synth_instrument *harp = load("harp");
    hed_synth_def def = hed_default_synth_def();
    def.instrument = harp;
    def.solver = HED_SYNTH_SOLVER_CPU;
    hed_synth *synth;
    OK(hed_synth_create(t.device, &def, &synth, &error));
    static hed_synth_event events[640];
    for (uint32_t i = 0; i < 640; i++)
        events[i] = (hed_synth_event){
            .frame = 10, .bytes = {(uint8_t)(0x90 | i / 128), (uint8_t)(i % 128), 100}};
    float left[BLOCK], right[BLOCK];
    hed_synth_block block = {
        .frames = BLOCK, .events = events, .event_count = 640, .left = left, .right = right};
    OK(hed_synth_process(synth, &block, &error));
    hed_synth_note_info notes = info_of(synth).notes;
    CHECK(notes.struck == 640 && notes.dropped == 640 - 5 * 37 && notes.low == 43 &&
          notes.high == 79);
    CHECK(info_of(synth).peak > 0.001f);
    hed_synth_destroy(synth);
    hed_synth_instrument_destroy(harp);
    test_close(&t);
}
