/* Instruments of several layers: the sound is the sum of the layers' own, whoever plays it. */
#include "heddle/synth_file.h"
#include "folder.h"
#include "synth_judge.h"

enum { RATE = 48000, BLOCK = 256, LONGEST = 96 * BLOCK };

/* Makes the folder of a test, with the shipped instruments that it layers. */
static void open_folder(void)
{
    static const char *const names[] = {"harp.json", "vibes.json", "bass.json", "guitar.json", "make.py"};
    char path[64], whole_path[PATH_MAX];
    folder_make();
    for (size_t i = 0; i < HED_COUNT(names); i++) {
        snprintf(path, sizeof path, "data/instruments/%s", names[i]);
        CHECK_NOT_NULL(realpath(path, whole_path));
        CHECK_EQ(symlink(whole_path, in_folder(names[i])), 0);
    }
}
TestSuite(synth_layers, .init = open_folder, .fini = folder_remove);

/* Reads a text as a file beside the instruments. */
static hed_status read_beside(const char *text, hed_synth_instrument **instrument, hed_error *error)
{
    write_file(in_folder("layers.json"), text, strlen(text));
    return hed_synth_instrument_read(in_folder("layers.json"), instrument, error);
}

static hed_synth_instrument *read_text(const char *text)
{
    hed_error error = {0};
    hed_synth_instrument *instrument;
    OK(read_beside(text, &instrument, &error));
    return instrument;
}

/* Reads a shipped instrument with a limiter that never acts, `gain` dB louder. */
static hed_synth_instrument *read_alone(const char *name, float gain)
{
    hed_error error = {0};
    hed_synth_instrument *instrument;
    char path[64];
    snprintf(path, sizeof path, "data/instruments/%s.json", name);
    OK(hed_synth_instrument_read(path, &instrument, &error));
    hed_synth_instrument_def def = *hed_synth_instrument_definition(instrument);
    def.limit = 0;
    def.gain += gain;
    OK(hed_synth_instrument_set_def(instrument, &def, &error));
    return instrument;
}

typedef struct layers_run {
    float left[LONGEST], right[LONGEST];
    hed_synth_info info;
} layers_run;

/* A phrase over the whole range: notes that overlap, their ends, a bend and a pedal. */
static uint32_t phrase(uint32_t first, uint32_t frames, hed_synth_event *events)
{
    static const struct {
        uint32_t frame;
        uint8_t bytes[3];
    } song[] = {{0, {0x90, 45, 60}}, {0, {0x90, 60, 70}}, {3000, {0xb0, 64, 127}},
        {4000, {0x90, 64, 50}}, {6000, {0x80, 60, 0}}, {7000, {0xe0, 0, 80}},
        {9000, {0x90, 72, 100}}, {12000, {0xb0, 64, 0}}, {15000, {0x80, 64, 0}},
        {15001, {0x90, 60, 30}}, {18000, {0x80, 72, 0}}, {18000, {0x80, 45, 0}}};
    uint32_t count = 0;
    for (uint32_t i = 0; i < HED_COUNT(song); i++)
        if (song[i].frame >= first && song[i].frame < first + frames) {
            events[count] =
                (hed_synth_event){.frame = song[i].frame - first, .kind = HED_SYNTH_EVENT_MIDI};
            memcpy(events[count++].bytes, song[i].bytes, 3);
        }
    return count;
}

static void play_block(hed_synth *synth, uint32_t first, uint32_t frames, layers_run *run)
{
    hed_error error = {0};
    hed_synth_event events[16];
    uint32_t count = phrase(first, frames, events);
    const hed_synth_block block = {.frames = frames, .events = events, .event_count = count,
        .left = run->left + first, .right = run->right + first};
    OK(hed_synth_process(synth, &block, &error));
}

/* Plays the phrase in blocks of a size. */
static void play_layers(test_device *t, const hed_synth_instrument *instrument, double rate,
    uint32_t block, layers_run *run)
{
    hed_error error = {0};
    hed_synth *synth;
    hed_synth_def def = hed_default_synth_def();
    def.instrument = instrument;
    def.rate = rate;
    def.math = HED_MATH_STRICT;
    OK(hed_synth_create(t->device, &def, &synth, &error));
    for (uint32_t first = 0; first < LONGEST; first += block)
        play_block(synth, first, LONGEST - first < block ? LONGEST - first : block, run);
    run->info = hed_synth_describe(synth);
    hed_synth_destroy(synth);
}

static layers_run whole, parts[2];
static const char *const PAIR = "{\"version\": 1, \"instrument\": {\"limit\": 0}, \"layers\": ["
                                "{\"instrument\": \"harp.json\"},"
                                "{\"instrument\": \"vibes.json\", \"gain\": -6}]}";

Test(synth_layers, sound_is_the_sum_of_the_layers_to_the_bit)
{
    test_device t = test_open(NULL);
    hed_synth_instrument *pair = read_text(PAIR), *harp = read_alone("harp", 0),
                         *vibes = read_alone("vibes", -6);
    play_layers(&t, pair, RATE, BLOCK, &whole);
    play_layers(&t, harp, RATE, BLOCK, &parts[0]);
    play_layers(&t, vibes, RATE, BLOCK, &parts[1]);
    EXPECT_LT(whole.info.peak, 1.0f);
    for (int i = 0; i < 2; i++) CHECK(parts[i].info.peak > 1e-3f, "layer %d alone: silent", i);
    for (uint32_t n = 0; n < LONGEST; n++)
        CHECK(whole.left[n] == parts[0].left[n] + parts[1].left[n] &&
                  whole.right[n] == parts[0].right[n] + parts[1].right[n],
            "frame %u: %.9g instead of %.9g + %.9g", n, (double)whole.left[n],
            (double)parts[0].left[n], (double)parts[1].left[n]);
    EXPECT_EQ(whole.info.latency, parts[0].info.latency);
    EXPECT_EQ(whole.info.microphones, parts[0].info.microphones + parts[1].info.microphones);
    play_layers(&t, pair, RATE, 97, &parts[0]);
    CHECK(memcmp(whole.left, parts[0].left, sizeof whole.left) == 0, "blocks of 97 sound otherwise");
    hed_synth_instrument_destroy(pair);
    hed_synth_instrument_destroy(harp);
    hed_synth_instrument_destroy(vibes);
    test_close(&t);
}

Test(synth_layers, layers_have_one_rate_of_samples)
{
    test_device t = test_open(NULL);
    hed_synth_instrument *pair = read_text(PAIR);
    play_layers(&t, pair, 22050, BLOCK, &whole);
    play_layers(&t, pair, 22050, 100, &parts[0]);
    CHECK(memcmp(whole.left, parts[0].left, sizeof whole.left) == 0, "blocks of 100 sound otherwise");
    CHECK(whole.info.peak > 1e-3f, "silent");
    CHECK(whole.info.oversampling >= 2, "22050 Hz with %g samples a frame", whole.info.oversampling);
    EXPECT_EQ(whole.info.oversampling * 22050, hed_synth_instrument_rate(pair, 22050));
    hed_synth_instrument_destroy(pair);
    test_close(&t);
}

Test(synth_layers, the_saved_text_plays_the_same_bits)
{
    test_device t = test_open(NULL);
    hed_error error = {0};
    hed_synth_instrument *pair = read_text(PAIR), *again, *copy;
    char *text;
    size_t size;
    OK(hed_synth_instrument_print(pair, &text, &size, &error));
    OK(hed_synth_instrument_parse(text, size, "saved", &again, &error));
    OK(hed_synth_instrument_copy(again, &copy, &error));
    EXPECT_EQ(hed_synth_instrument_layer_count(copy), 2u);
    play_layers(&t, pair, RATE, BLOCK, &whole);
    play_layers(&t, copy, RATE, BLOCK, &parts[0]);
    CHECK(memcmp(whole.left, parts[0].left, sizeof whole.left) == 0, "the saved text sounds otherwise");
    char *second;
    size_t second_size;
    OK(hed_synth_instrument_print(copy, &second, &second_size, &error));
    CHECK(size == second_size && memcmp(text, second, size) == 0, "saved twice, it differs");
    free(text);
    free(second);
    hed_synth_instrument_destroy(pair);
    hed_synth_instrument_destroy(again);
    hed_synth_instrument_destroy(copy);
    test_close(&t);
}

/* ---- keys and velocities ---- */

/* Strikes keys of one channel for a block; a bit is set in the result for each key that is held. */
static uint64_t strike(hed_synth *synth, const uint8_t (*notes)[2], uint32_t count)
{
    hed_error error = {0};
    hed_synth_event events[8] = {0};
    uint64_t held = 0;
    for (uint32_t i = 0; i < count; i++)
        events[i] = (hed_synth_event){
            .kind = HED_SYNTH_EVENT_MIDI, .bytes = {0x90, notes[i][0], notes[i][1]}};
    const hed_synth_block block = {.frames = BLOCK, .events = events, .event_count = count,
        .left = whole.left, .right = whole.right};
    OK(hed_synth_process(synth, &block, &error));
    for (uint32_t i = 0; i < count; i++)
        held |= (uint64_t)(hed_synth_note(synth, 0, notes[i][0]) == HED_SYNTH_NOTE_HELD) << i;
    return held;
}

static hed_synth *make_synth(test_device *t, const char *text, bool fold)
{
    hed_error error = {0};
    hed_synth *synth;
    hed_synth_def def = hed_default_synth_def();
    hed_synth_instrument *instrument = read_text(text);
    def.instrument = instrument;
    def.fold = fold;
    OK(hed_synth_create(t->device, &def, &synth, &error));
    hed_synth_instrument_destroy(instrument);
    return synth;
}

Test(synth_layers, keys_are_split_and_notes_of_no_layer_are_dropped)
{
    test_device t = test_open(NULL);
    hed_synth *synth = make_synth(&t,
        "{\"version\": 1, \"layers\": [{\"instrument\": \"bass.json\", \"high\": 47},"
        "{\"instrument\": \"vibes.json\", \"low\": 60}]}",
        false);
    EXPECT_EQ(strike(synth, (const uint8_t[][2]){{40, 90}, {50, 90}, {62, 90}}, 3), 5u);
    hed_synth_info info = hed_synth_describe(synth);
    EXPECT_EQ(info.sounding, 2u);
    EXPECT_EQ(info.notes.struck, 3u);
    EXPECT_EQ(info.notes.dropped, 1u);
    EXPECT_EQ(info.notes.dropped_low, 50u);
    EXPECT_EQ(info.notes.low, 28u);
    EXPECT_EQ(info.notes.high, 76u);
    hed_synth_destroy(synth);
    test_close(&t);
}

Test(synth_layers, notes_fold_to_the_nearest_key_of_any_layer_once)
{
    test_device t = test_open(NULL);
    hed_synth *synth = make_synth(&t,
        "{\"version\": 1, \"layers\": [{\"instrument\": \"bass.json\", \"high\": 47},"
        "{\"instrument\": \"vibes.json\", \"low\": 60}]}",
        true);
    /* 40 and 62 are each one layer's own; 50 is an octave above 38 and below 62, and goes down */
    EXPECT_EQ(strike(synth, (const uint8_t[][2]){{40, 90}, {50, 90}, {62, 90}}, 3), 7u);
    EXPECT_EQ(hed_synth_describe(synth).sounding, 3u);
    EXPECT_EQ(hed_synth_describe(synth).notes.dropped, 0u);
    hed_synth_destroy(synth);
    test_close(&t);
}

Test(synth_layers, velocities_choose_the_layer)
{
    test_device t = test_open(NULL);
    hed_synth *synth = make_synth(&t,
        "{\"version\": 1, \"layers\": [{\"instrument\": \"bass.json\", \"velocity_high\": 70},"
        "{\"instrument\": \"guitar.json\", \"velocity_low\": 60}]}",
        false);
    strike(synth, (const uint8_t[][2]){{45, 50}}, 1);
    EXPECT_EQ(hed_synth_describe(synth).sounding, 1u);
    strike(synth, (const uint8_t[][2]){{46, 65}}, 1);
    EXPECT_EQ(hed_synth_describe(synth).sounding, 3u);
    strike(synth, (const uint8_t[][2]){{47, 127}}, 1);
    EXPECT_EQ(hed_synth_describe(synth).sounding, 4u);
    hed_synth_event event = {.kind = HED_SYNTH_EVENT_MIDI, .bytes = {0x90, 70, 50}};
    EXPECT_EQ(hed_synth_check_notes(synth, &event, 1).dropped, 1u);
    hed_synth_destroy(synth);
    test_close(&t);
}

/* ---- controls and parameters ---- */

Test(synth_layers, knobs_follow_each_other_and_turn_their_layer_alone)
{
    hed_synth_instrument *pair = read_text(PAIR);
    EXPECT_TEXT(hed_synth_instrument_macro(pair, 0), "harp: Reach");
    EXPECT_TEXT(hed_synth_instrument_macro(pair, 1), "harp: Softness");
    EXPECT_TEXT(hed_synth_instrument_macro(pair, 2), "vibes: Hardness");
    EXPECT_TEXT(hed_synth_instrument_macro(pair, 3), "vibes: Noise");
    EXPECT_TEXT(hed_synth_instrument_macro(pair, 4), "");
    hed_synth_entity_def def;
    hed_error error = {0};
    uint32_t last = hed_synth_instrument_count(pair, HED_SYNTH_MIDI_SOURCE) - 1;
    hed_synth_entity source = hed_synth_instrument_at(pair, HED_SYNTH_MIDI_SOURCE, last);
    OK(hed_synth_instrument_get(pair, source, &def, &error));
    CHECK(def.as.midi_source.number >= 2, "vibes follows control %u", def.as.midi_source.number);
    def.as.midi_source.number = 1;
    FAILS(HED_ERROR_ARGUMENT, hed_synth_instrument_set(pair, source, &def, &error));
    hed_synth_instrument_destroy(pair);
}

Test(synth_layers, a_parameter_changes_in_its_layer_and_an_unknown_one_is_refused)
{
    test_device t = test_open(NULL);
    hed_error error = {0};
    hed_synth *synth;
    hed_synth_instrument *pair = read_text(PAIR);
    hed_synth_def def = hed_default_synth_def();
    def.instrument = pair;
    OK(hed_synth_create(t.device, &def, &synth, &error));
    hed_synth_entity last = 0;
    for (uint32_t type = 0; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++)
        for (uint32_t i = 0; i < hed_synth_instrument_count(pair, type); i++)
            if (hed_synth_instrument_at(pair, type, i) > last)
                last = hed_synth_instrument_at(pair, type, i);
    uint32_t microphones = hed_synth_instrument_count(pair, HED_SYNTH_MICROPHONE);
    hed_synth_event event = {.kind = HED_SYNTH_EVENT_SET,
        .target = HED_SYNTH_TARGET_GAIN,
        .value = -200,
        .entity = hed_synth_instrument_at(pair, HED_SYNTH_MICROPHONE, microphones - 1)};
    const hed_synth_block block = {.frames = BLOCK, .events = &event, .event_count = 1,
        .left = whole.left, .right = whole.right};
    OK(hed_synth_process(synth, &block, &error));
    event.entity = last + 1;
    FAILS(HED_ERROR_ARGUMENT, hed_synth_process(synth, &block, &error));
    hed_synth_destroy(synth);
    hed_synth_instrument_destroy(pair);
    test_close(&t);
}

Test(synth_layers, a_change_keeps_what_sounds)
{
    test_device t = test_open(NULL);
    hed_error error = {0};
    hed_synth *synth;
    hed_synth_instrument *pair = read_text(PAIR), *alone = read_alone("vibes", 0);
    hed_synth_change *change, *late;
    hed_synth_def def = hed_default_synth_def();
    def.instrument = pair;
    def.math = HED_MATH_STRICT;
    play_layers(&t, pair, RATE, BLOCK, &whole);
    OK(hed_synth_create(t.device, &def, &synth, &error));
    for (uint32_t first = 0; first < LONGEST; first += BLOCK) {
        if (first == 20 * BLOCK) {
            OK(hed_synth_prepare(synth, pair, &change, &error));
            OK(hed_synth_prepare(synth, pair, &late, &error));
            OK(hed_synth_apply(synth, change, &error));
            FAILS(HED_ERROR_ARGUMENT, hed_synth_apply(synth, late, &error));
            hed_synth_change_destroy(change);
            hed_synth_change_destroy(late);
        }
        play_block(synth, first, BLOCK, &parts[0]);
    }
    /* all islands wake at a change, so that it is not to the bit */
    for (uint32_t n = 0; n < LONGEST; n++)
        EXPECT_LT(fabs((double)whole.left[n] - (double)parts[0].left[n]), 1e-4, "frame %u", n);
    FAILS(HED_ERROR_ARGUMENT, hed_synth_prepare(synth, alone, &change, &error));
    hed_synth_destroy(synth);
    def.instrument = alone;
    OK(hed_synth_create(t.device, &def, &synth, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_synth_prepare(synth, pair, &change, &error));
    hed_synth_destroy(synth);
    hed_synth_instrument_destroy(pair);
    hed_synth_instrument_destroy(alone);
    test_close(&t);
}

Test(synth_layers, positions_are_of_all_layers_and_a_reset_repeats_the_sound)
{
    test_device t = test_open(NULL);
    hed_error error = {0};
    hed_synth *synth = make_synth(&t, PAIR, false);
    static float positions[3 * 2048];
    play_block(synth, 0, BLOCK, &whole);
    OK(hed_synth_read_bodies(synth, 0, positions, NULL, &error));
    hed_synth_info info = hed_synth_describe(synth);
    uint32_t bodies = info.entities[HED_SYNTH_BODY];
    CHECK(bodies > 1000 && bodies < 2048, "%u bodies", bodies);
    double moved[2] = {0, 0};
    for (uint32_t i = 0; i < 3 * bodies; i++)
        moved[i >= 3 * (bodies - 11)] += fabs((double)positions[i]);
    CHECK(moved[0] > 0 && moved[1] > 0, "moved by %g and %g m", moved[0], moved[1]);
    OK(hed_synth_read_bodies(synth, info.instances - 1, positions, positions, &error));
    FAILS(
        HED_ERROR_ARGUMENT, hed_synth_read_bodies(synth, info.instances, positions, NULL, &error));
    OK(hed_synth_reset(synth, &error));
    play_block(synth, 0, BLOCK, &parts[0]);
    CHECK(memcmp(whole.left, parts[0].left, BLOCK * sizeof(float)) == 0, "a reset sounds otherwise");
    EXPECT_EQ(hed_synth_describe(synth).notes.struck, 2u);
    hed_synth_destroy(synth);
    test_close(&t);
}

Test(synth_layers, a_layer_that_runs_away_rests_and_the_other_one_is_heard_again)
{
    test_device t = test_open(NULL);
    hed_synth *synth = make_synth(&t,
        "{\"version\": 1, \"layers\": [{\"instrument\": \"harp.json\"},"
        "{\"instrument\": \"vibes.json\", \"gain\": 160}]}",
        false);
    double after = 0;
    for (uint32_t first = 0; first < LONGEST; first += BLOCK) {
        play_block(synth, first, BLOCK, &whole);
        for (uint32_t n = first; n < first + BLOCK; n++) {
            CHECK(fabsf(whole.left[n]) <= 1 && fabsf(whole.right[n]) <= 1, "frame %u: %g", n,
                (double)whole.left[n]);
            after += fabs((double)whole.left[n]);
        }
    }
    hed_synth_info info = hed_synth_describe(synth);
    CHECK(info.breaks > 0 && info.muted > 0, "%u breaks", info.breaks);
    CHECK(after > 1, "silent");
    hed_synth_destroy(synth);
    test_close(&t);
}

/* ---- the whole as an instrument ---- */

Test(synth_layers, no_part_joins_two_layers)
{
    hed_error error = {0};
    hed_synth_instrument *pair = read_text(PAIR);
    hed_synth_entity a = hed_synth_instrument_find(pair, "harp/harp_A4[3]"),
                     b = hed_synth_instrument_at(pair, HED_SYNTH_BODY,
                         hed_synth_instrument_count(pair, HED_SYNTH_BODY) - 1), spring;
    CHECK(a && b, "no such bodies");
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_SPRING);
    def.as.spring.from = a;
    def.as.spring.to = b;
    FAILS(HED_ERROR_ARGUMENT, hed_synth_instrument_add(pair, &def, NULL, &spring, &error));
    hed_synth_entity ear = hed_synth_instrument_at(pair, HED_SYNTH_MICROPHONE, 0);
    FAILS(HED_ERROR_ARGUMENT, hed_synth_instrument_link(pair, ear, b, 1, &error));
    CHECK(strstr(error.text, "\"vibes\"") && strstr(error.text, "\"harp\""), "%s", error.text);
    hed_synth_instrument_def whole_def = *hed_synth_instrument_definition(pair);
    EXPECT_EQ((int)whole_def.mode, HED_SYNTH_VOICES);
    EXPECT_EQ(whole_def.voices, 8u);
    whole_def.gain = -3;
    OK(hed_synth_instrument_set_def(pair, &whole_def, &error));
    whole_def.root_note = 40;
    FAILS(HED_ERROR_ARGUMENT, hed_synth_instrument_set_def(pair, &whole_def, &error));
    hed_synth_instrument_destroy(pair);
}

Test(synth_layers, stability_and_tail_are_the_worst_layer_s)
{
    hed_error error = {0};
    hed_synth_instrument *pair = read_text(PAIR), *harp = read_alone("harp", 0),
                         *vibes = read_alone("vibes", 0);
    hed_synth_stability all, own[2];
    OK(hed_synth_instrument_stability(pair, RATE, &all, &error));
    OK(hed_synth_instrument_stability(harp, RATE, &own[0], &error));
    OK(hed_synth_instrument_stability(vibes, RATE, &own[1], &error));
    EXPECT_EQ(all.worst, fmax(own[0].worst, own[1].worst));
    EXPECT_EQ(all.largest_dilation, fmax(own[0].largest_dilation, own[1].largest_dilation));
    EXPECT_EQ(hed_synth_instrument_tail(pair),
        fmax(hed_synth_instrument_tail(harp), hed_synth_instrument_tail(vibes)));
    EXPECT_EQ(hed_synth_instrument_rate(pair, RATE), (double)RATE);
    hed_synth_instrument_destroy(pair);
    hed_synth_instrument_destroy(harp);
    hed_synth_instrument_destroy(vibes);
}

/* ---- the shipped instrument of two layers, judged as the presets are ---- */

/* Pitches are those of the layers alone, which other tests judge: lines of one frequency that rise and
 * fall in other phases have no common one. */
Test(synth_layers, dusk_is_even_and_damped)
{
    test_device t = test_open(NULL);
    static const uint8_t chord[4] = {60, 64, 67, 72};
    judge j;
    judge_open(&j, t.device, "data/instruments/dusk.json");
    double lowest = 0, highest = -200, peak;
    for (uint8_t key = 55; key <= 79; key += 8) {
        judge_sound sound = judge_measure(&j, &(judge_note){key, 100, 1, 1.5, false});
        lowest = fmin(lowest, sound.level);
        highest = fmax(highest, sound.level);
    }
    EXPECT_LT(highest - lowest, 6, "levels from %.1f to %.1f dB", lowest, highest);
    EXPECT_EQ(judge_chord(&j, chord, 0.6, &peak), 0.0, "the chord peaks at %.1f dB", peak);
    EXPECT_GT(judge_fall(&j, 67, 0.5, 1, false), 30.0);
    judge_play_note(&j, &(judge_note){67, 100, 0.2, 7.2, false});
    hed_synth_info info = hed_synth_describe(j.synth);
    EXPECT_EQ(info.asleep, info.islands, "%u of %u islands sleep", info.asleep, info.islands);
    judge_close(&j);
    test_close(&t);
}

/* ---- faults of files ---- */

static void expect_refusal(const char *layers, const char *expected)
{
    hed_error error = {0};
    hed_synth_instrument *instrument = NULL;
    char text[1024];
    snprintf(text, sizeof text, "{\"version\": 1,\n%s}", layers);
    hed_status status = read_beside(text, &instrument, &error);
    CHECK(status && !instrument, "accepted: %s", layers);
    CHECK(strstr(error.text, expected), "\"%s\" instead of \"%s\"", error.text, expected);
}

Test(synth_layers, messages_name_the_place_and_the_cause)
{
    static const char *const cases[][2] = {
        {"\"layers\": [{\"instrument\": \"nowhere.json\"}]", "layers[0].instrument: cannot open /tmp/heddle-test-"},
        {"\"layers\": [{\"instrument\": \"make.py\"}]", "make.py"},
        {"\"layers\": [{\"instrument\": \"harp.json\", \"low\": 60, \"high\": 50}]", "layers[0]: low is 60 and high 50"},
        {"\"layers\": [{\"instrument\": \"vibes.json\", \"low\": 100}]",
            "layers[0]: layer \"vibes\" plays no note: its instrument plays 45 to 76"},
        {"\"layers\": [{\"instrument\": \"vibes.json\", \"velocity_low\": 9, \"velocity_high\": 3}]", "velocity_low is 9"},
        {"\"layers\": [{\"instrument\": \"harp.json\"}, {\"instrument\": \"harp.json\"}]", "two layers have the name \"harp\""},
        {"\"layers\": [{\"instrument\": \"harp.json\", \"name\": \"a/b\"}]", "without \"/\""},
        {"\"layers\": [{\"instrument\": \"harp.json\"}], \"bodies\": [{\"position\": [0, 0, 0]}]",
            "bodies: an instrument with layers has no \"bodies\" of its own"},
        {"\"instrument\": {\"mode\": \"voices\"}, \"layers\": [{\"instrument\": \"harp.json\"}]",
            "instrument.mode: each layer has a \"mode\" of its own"},
        {"\"layers\": [{\"instrument\": {\"version\": 1, \"bodies\": [{\"mass\": 1}]}}]",
            "layers[0].instrument.bodies[0]: \"position\""},
        {"\"layers\": [{\"instrument\": {\"version\": 1, \"layers\": []}}]", "a layer has layers"},
        {"\"layers\": [{\"instrument\": \"harp.json\", \"volume\": 3}]", "layers[0].volume"},
        {"\"layers\": []", "layers: "},
        {"\"layers\": [{\"gain\": 3}]", "instrument"},
    };
    for (size_t i = 0; i < HED_COUNT(cases); i++) expect_refusal(cases[i][0], cases[i][1]);
}

Test(synth_layers, a_file_cannot_be_its_own_layer)
{
    expect_refusal("\"layers\": [{\"instrument\": \"layers.json\"}]", "a layer has layers");
}

Test(synth_layers, a_text_in_memory_reads_no_file)
{
    hed_error error = {0};
    hed_synth_instrument *instrument;
    FAILS(HED_ERROR_FORMAT, hed_synth_instrument_parse(
                                PAIR, strlen(PAIR), "data/instruments/pair", &instrument, &error));
    CHECK(strstr(error.text, "layers[0].instrument: \"harp.json\" is a file"), "%s", error.text);
}
