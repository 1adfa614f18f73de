/* Tunings of Scala and .tun files, and messages for what they are not. */
#include "heddle/synth_file.h"
#include "testing.h"

#include <math.h>

static const char *const JUST = "! just.scl\r\n!\r\nJust major scale\r\n 7\r\n!\r\n 9/8\r\n 5/4 third\r\n"
                                " 498.045\r\n 3/2\r\n 5/3\r\n 15/8\r\n 2\r\n";

static void parse(const char *text, const char *name, const char *map, float *pitches)
{
    hed_error error = {0};
    OK(hed_synth_tuning_parse(
        text, strlen(text), name, map, map ? strlen(map) : 0, pitches, &error));
}

static void expect_cents(const float *pitches, uint32_t key, double cents)
{
    EXPECT_LT(fabs(100.0 * (double)pitches[key] - cents), 0.01, "key %u: %g", key, (double)pitches[key]);
}

Test(synth_tuning, a_scale_without_a_mapping_begins_at_key_60)
{
    float p[128];
    parse(JUST, "just.scl", NULL, p);
    expect_cents(p, 60, 6000);
    expect_cents(p, 62, 6000 + 386.3137);
    expect_cents(p, 63, 6000 + 498.045);
    expect_cents(p, 67, 7200); /* seven keys an octave */
    expect_cents(p, 59, 4800 + 1088.2687);
    expect_cents(p, 53, 4800);
}

Test(synth_tuning, a_slash_makes_a_ratio_and_marks_of_utf_8_are_skipped)
{
    float p[128];
    parse("\xef\xbb\xbf! a.scl\nx\n1\n4.5/4\n", "a.scl", "\xef\xbb\xbf! a.kbm\n0\n0\n127\n60\n60\n261.6255653\n0\n", p);
    expect_cents(p, 61, 6000 + 203.91);
}

Test(synth_tuning, a_mapping_puts_degrees_on_keys)
{
    static const char *const white = "! white keys\n12\n0\n127\n60\n69\n440.0\n7\n0\nx\n1\nx\n2\n3\nx\n4\nx\n5\nx\n6\n";
    float p[128];
    parse(JUST, "just.scl", white, p);
    expect_cents(p, 69, 6900);
    expect_cents(p, 60, 6900 - 884.3587);
    expect_cents(p, 67, 6900 - 884.3587 + 701.955);
    expect_cents(p, 72, 6900 - 884.3587 + 1200);
    CHECK(isnan(p[61]), "key 61 is not mapped, but has pitch %g", (double)p[61]);
}

/* Plays keys 60 and 61 on a shipped instrument whose key 61 has no pitch. */
static hed_synth_info play_without_61(const char *path, bool fold)
{
    hed_error error = {0};
    test_device t = test_open(NULL);
    hed_synth_def def = hed_default_synth_def();
    hed_synth_instrument *instrument;
    hed_synth *synth;
    float pitches[128], left[256], right[256];
    for (uint32_t key = 0; key < 128; key++) pitches[key] = key == 61 ? NAN : (float)key;
    OK(hed_synth_instrument_read(path, &instrument, &error));
    def.instrument = instrument;
    def.tuning = pitches;
    def.fold = fold;
    OK(hed_synth_create(t.device, &def, &synth, &error));
    const hed_synth_event events[] = {{.kind = HED_SYNTH_EVENT_MIDI, .bytes = {0x90, 60, 100}},
        {.kind = HED_SYNTH_EVENT_MIDI, .bytes = {0x90, 61, 100}}};
    const hed_synth_block block = {
        .frames = 256, .events = events, .event_count = 2, .left = left, .right = right};
    OK(hed_synth_process(synth, &block, &error));
    hed_synth_info info = hed_synth_describe(synth);
    hed_synth_destroy(synth);
    hed_synth_instrument_destroy(instrument);
    test_close(&t);
    return info;
}

Test(synth_tuning, keys_without_a_pitch_are_silent)
{
    for (int fold = 0; fold < 2; fold++) {
        hed_synth_info info = play_without_61("data/instruments/vibes.json", fold);
        EXPECT_EQ(info.notes.struck, 2u);
        EXPECT_EQ(info.notes.dropped, 1u);
        EXPECT_EQ(info.notes.unmapped, 1u);
        EXPECT_EQ(info.notes.deaf_channels, 0u);
        EXPECT_EQ(info.sounding, 1u);
    }
}

Test(synth_tuning, a_string_for_each_key_is_reported_as_untuned)
{
    CHECK(play_without_61("data/instruments/vibes.json", false).tuned);
    CHECK(!play_without_61("data/instruments/harp.json", false).tuned);
}

Test(synth_tuning, tun_files_have_cents_of_notes)
{
    float p[128];
    parse("[Tuning]\nnote 0=0\nnote 60=6050\n[Exact Tuning]\nnote 60=6049.5\n", "x.tun", NULL, p);
    expect_cents(p, 60, 6049.5);
    expect_cents(p, 61, 6100);
}

Test(synth_tuning, wrong_files_name_the_line)
{
    static const struct {
        const char *text, *name, *map, *word;
    } wrong[] = {{"x\nmany\n", "a.scl", NULL, "line 2"}, {"x\n2\n3/2\n", "a.scl", NULL, "ratio"},
        {"x\n1\n3/0\n", "a.scl", NULL, "line 3"}, {"", "a.scl", NULL, "empty"},
        {"x\n1\n", "a.scl", NULL, "ends after line 2"},
        {"note 0=0\n", "a.TUN", "1\n", "expected a scale"}, {"x\n1\n2\n", "a.scl", "", "keyboard mapping"},
        {"x\n1\n2\n", "a.scl", "1\n0\n127\n60\n60\n0\n", "line 6"}, {"nothing\n", "a.tun", NULL, "note N"},
        {"x\n1\n2\n", "a.scl", "2\n0\n127\n60\n61\n440\n1\n0\nx\n", "not mapped"}};
    float p[128];
    for (uint32_t i = 0; i < HED_COUNT(wrong); i++) {
        hed_error error = {0};
        FAILS(HED_ERROR_FORMAT,
            hed_synth_tuning_parse(wrong[i].text, strlen(wrong[i].text), wrong[i].name,
                wrong[i].map, wrong[i].map ? strlen(wrong[i].map) : 0, p, &error));
        CHECK(strstr(error.text, wrong[i].word), "%s", error.text);
    }
}

/* Parts of valid texts, and noise, are read or refused, and pitches stay in the range of a synth. */
Test(synth_tuning, damaged_texts_are_read_or_refused)
{
    static const char *const map = "12\n0\n127\n60\n69\n440.0\n7\n0\nx\n1\nx\n2\n3\nx\n4\nx\n5\nx\n6\n";
    char text[128];
    uint32_t state = 1;
    for (uint32_t round = 0; round < 20000; round++) {
        uint32_t size = (uint32_t)strlen(JUST);
        memcpy(text, JUST, size);
        for (uint32_t k = 0; k < 4; k++) {
            state = state * 1664525u + 1013904223u;
            text[(state >> 8) % size] = (char)"0123456789./-\n! ex"[(state >> 20) % 18];
        }
        float p[128];
        if (hed_synth_tuning_parse(text, (state >> 12) % (size + 1), round % 3 ? "a.scl" : "a.tun",
                round & 1 ? map : NULL, strlen(map), p, NULL))
            continue;
        for (uint32_t key = 0; key < 128; key++)
            CHECK(isnan(p[key]) || (p[key] >= -128 && p[key] <= 256));
    }
}
