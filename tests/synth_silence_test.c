/* ctest: devices */
/* "All sound off" through a whole synth: bodies stop ringing at its sample, without a click and
 * whatever the block; other channels' voices go on, and notes of the same sample start from rest.
 * And what a change keeps of settings. */
#include "testing.h"

#include <math.h>

#include "heddle/synth_file.h"

static hed_synth_info info_of(const hed_synth *synth)
{
    hed_synth_info info;
    info = hed_synth_describe(synth);
    return info;
}

/* OFF is at no multiple of a block; from SILENT on, 50 ms later, nothing may be left. */
enum { RATE = 48000, FRAMES = 9600, OFF = 4001, SILENT = OFF + 2400, MOST_EVENTS = 8 };

static hed_error error;

typedef struct playing {
    const test_device *t;
    const char *instrument;
    hed_synth_solver solver;
    uint32_t block;
    bool changes; /* at frame OFF, into the same instrument */
} playing;

static void process(hed_synth *synth, uint32_t at, uint32_t frames, const hed_synth_event *events,
    uint32_t count, float *sound)
{
    hed_synth_event part[MOST_EVENTS];
    uint32_t in_block = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (events[i].frame < at || events[i].frame >= at + frames) continue;
        part[in_block] = events[i];
        part[in_block++].frame -= at;
    }
    float right[1024];
    hed_synth_block block = {.frames = frames, .events = part, .event_count = in_block,
        .left = sound + at, .right = right};
    OK(hed_synth_process(synth, &block, &error));
}

static void render(const playing *how, const hed_synth_event *events, uint32_t count, float *sound)
{
    char path[64];
    hed_synth_instrument *instrument;
    snprintf(path, sizeof path, "tests/golden/%s.json", how->instrument);
    OK(hed_synth_instrument_read(path, &instrument, &error));
    hed_synth_instrument_def quiet = *hed_synth_instrument_definition(instrument);
    quiet.gain = -20; /* so that the limiter, which remembers, has nothing to do */
    OK(hed_synth_instrument_set_def(instrument, &quiet, &error));
    hed_synth_def def = hed_default_synth_def();
    def.instrument = instrument;
    def.rate = RATE;
    def.block = 1024;
    def.solver = how->solver;
    def.math = how->solver == HED_SYNTH_SOLVER_GRID ? HED_MATH_FAST : HED_MATH_STRICT;
    hed_synth *synth;
    OK(hed_synth_create(how->t->device, &def, &synth, &error));
    for (uint32_t at = 0, frames; at < FRAMES; at += frames) {
        uint32_t end = how->changes && at < OFF ? OFF : FRAMES;
        frames = end - at < how->block ? end - at : how->block;
        if (how->changes && at == OFF) {
            hed_synth_change *change;
            OK(hed_synth_prepare(synth, instrument, &change, &error));
            OK(hed_synth_apply(synth, change, &error));
            hed_synth_change_destroy(change);
        }
        process(synth, at, frames, events, count, sound);
    }
    CHECK_EQ(info_of(synth).breaks, 0);
    hed_synth_destroy(synth);
    hed_synth_instrument_destroy(instrument);
}

static hed_synth_event midi(uint32_t frame, uint8_t status, uint8_t first, uint8_t second)
{
    return (hed_synth_event){
        .frame = frame, .kind = HED_SYNTH_EVENT_MIDI, .bytes = {status, first, second}};
}

#define RENDER(how, sound, ...) \
    do { \
        const hed_synth_event played[] = {__VA_ARGS__}; \
        render(how, played, sizeof played / sizeof *played, sound); \
    } while (0)

static float loudest(const float *sound, uint32_t from, uint32_t to)
{
    float peak = 0;
    for (uint32_t i = from; i < to; i++) peak = fmaxf(peak, fabsf(sound[i]));
    return peak;
}

static float steepest(const float *sound, uint32_t from, uint32_t to)
{
    float most = 0;
    for (uint32_t i = from + 1; i < to; i++) most = fmaxf(most, fabsf(sound[i] - sound[i - 1]));
    return most;
}

static float plain[FRAMES], found[FRAMES], again[FRAMES];

/* What an instance at rest sounds like is nothing that anybody hears: the wind of the model. */
static void expect_silence(const playing *how)
{
    RENDER(how, plain, midi(0, 0x90, 60, 100));
    RENDER(how, found, midi(0, 0x90, 60, 100), midi(OFF, 0xb0, 120, 0));
    const char *name = hed_synth_solver_name(how->solver);
    float peak = loudest(plain, SILENT, FRAMES);
    CHECK_GT(peak, 1e-4f, "%s does not ring", name);
    for (uint32_t i = 0; i < OFF; i++) CHECK_EQ(found[i], plain[i]);
    EXPECT_LT(loudest(found, SILENT, FRAMES), 1e-6f * peak, "%s rings on", name);
    EXPECT_LE(steepest(found, OFF - 1, SILENT), steepest(plain, OFF, FRAMES), "%s clicks", name);
}

Test(synth_silence, all_sound_off_stops_what_rings)
{
    test_device t = test_open(NULL);
    bool host = strcmp(hed_device_describe(t.device).backend, "host") == 0;
    if (host) expect_silence(&(playing){&t, "string", HED_SYNTH_SOLVER_CPU, 256, false});
    if (host) expect_silence(&(playing){&t, "voices", HED_SYNTH_SOLVER_CPU, 256, false});
    expect_silence(&(playing){&t, "voices", HED_SYNTH_SOLVER_GROUP, 256, false});
    expect_silence(&(playing){&t, "string", HED_SYNTH_SOLVER_GLOBAL, 256, false});
    if (!host) expect_silence(&(playing){&t, "membrane", HED_SYNTH_SOLVER_GRID, 256, false});
    test_close(&t);
}

Test(synth_silence, the_block_does_not_matter)
{
    test_device t = test_open(NULL);
    static const uint32_t blocks[] = {1024, 61, 4};
    for (uint32_t i = 0; i < 3; i++) {
        playing how = {&t, "voices", HED_SYNTH_SOLVER_AUTO, blocks[i], false};
        RENDER(&how, i ? again : found, midi(0, 0x90, 60, 100), midi(9, 0x91, 67, 90),
            midi(OFF - 1, 0xb1, 120, 0), midi(OFF, 0xb0, 120, 0), midi(OFF, 0x90, 62, 80),
            midi(OFF + 1, 0xb0, 120, 0), midi(OFF + 1, 0x91, 70, 80));
        for (uint32_t n = 0; i && n < FRAMES; n++)
            CHECK_EQ(found[n], again[n], "blocks of %u: sample %u", blocks[i], n);
    }
    test_close(&t);
}

Test(synth_silence, other_channels_go_on)
{
    test_device t = test_open(NULL);
    playing how = {&t, "voices", HED_SYNTH_SOLVER_GROUP, 256, false};
    RENDER(&how, plain, midi(0, 0x91, 67, 90));
    RENDER(&how, found, midi(0, 0x91, 67, 90), midi(0, 0x90, 60, 100), midi(OFF, 0xb0, 120, 0));
    float peak = loudest(plain, SILENT, FRAMES);
    CHECK_GT(peak, 1e-4f);
    for (uint32_t i = SILENT; i < FRAMES; i++)
        CHECK_NEAR(
            found[i], plain[i], 1e-6f * peak, "sample %u: %g, expected %g", i, found[i], plain[i]);
    test_close(&t);
}

/* In the order of events: what comes before "all sound off" is ended with it, what comes behind is
 * whole. */
Test(synth_silence, notes_of_the_same_sample)
{
    test_device t = test_open(NULL);
    static const char *const instruments[] = {"string", "voices"};
    for (uint32_t i = 0; i < 2; i++) {
        playing how = {&t, instruments[i], HED_SYNTH_SOLVER_AUTO, 256, false};
        RENDER(&how, plain, midi(OFF, 0x90, 60, 70));
        RENDER(
            &how, found, midi(0, 0x90, 60, 100), midi(OFF, 0xb0, 120, 0), midi(OFF, 0x90, 60, 70));
        RENDER(
            &how, again, midi(0, 0x90, 60, 100), midi(OFF, 0x90, 60, 70), midi(OFF, 0xb0, 120, 0));
        float peak = loudest(plain, SILENT, FRAMES);
        CHECK_GT(peak, 1e-4f);
        for (uint32_t n = SILENT; n < FRAMES; n++)
            CHECK_NEAR(found[n], plain[n], 1e-5f * peak, "%s: sample %u", instruments[i], n);
        EXPECT_LT(loudest(again, SILENT, FRAMES), 1e-6f * peak, "%s", instruments[i]);
    }
    test_close(&t);
}

Test(synth_silence, a_change_keeps_what_was_set)
{
    test_device t = test_open(NULL);
    hed_synth_instrument *instrument;
    OK(hed_synth_instrument_read("tests/golden/string.json", &instrument, &error));
    hed_synth_event set = {
        .frame = 5,
        .kind = HED_SYNTH_EVENT_SET,
        .entity = hed_synth_instrument_find(instrument, "middle"),
        .target = HED_SYNTH_TARGET_DAMPING,
        .value = 50,
    };
    hed_synth_instrument_destroy(instrument);
    RENDER((&(playing){&t, "string", HED_SYNTH_SOLVER_AUTO, 256, false}), again,
        midi(0, 0x90, 60, 100));
    RENDER((&(playing){&t, "string", HED_SYNTH_SOLVER_AUTO, 256, false}), plain,
        midi(0, 0x90, 60, 100), set);
    RENDER((&(playing){&t, "string", HED_SYNTH_SOLVER_AUTO, 256, true}), found,
        midi(0, 0x90, 60, 100), set);
    CHECK(memcmp(again + OFF, plain + OFF, sizeof plain - OFF * sizeof *plain) != 0,
        "setting it does nothing");
    for (uint32_t i = 0; i < FRAMES; i++) CHECK_EQ(found[i], plain[i], "sample %u", i);
    test_close(&t);
}
