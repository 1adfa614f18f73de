/* ctest: devices */
/* Rest: islands of bodies fall asleep without a click, at the same sample whatever the block, wake
 * with their notes, and not while anything drives them (solver/sleep.h). */
#include "fixture.h"

#include <math.h>

#include "heddle/synth_file.h"

static hed_synth_info info_of(const hed_synth *synth)
{
    hed_synth_info info;
    info = hed_synth_describe(synth);
    return info;
}

enum { RATE = 48000, LONG = 3 * RATE, MOST_EVENTS = 8 };

static hed_error error;

TestSuite(synth_sleep, .init = here_open, .fini = here_close);

static hed_synth_instrument *load(const char *path)
{
    hed_synth_instrument *instrument;
    OK(hed_synth_instrument_read(path, &instrument, &error));
    return instrument;
}

static hed_synth *start(const test_device *t, const hed_synth_instrument *instrument,
    hed_synth_solver solver, uint32_t inputs)
{
    hed_synth_def def = hed_default_synth_def();
    def.instrument = instrument;
    def.rate = RATE;
    def.block = 4096;
    def.inputs = inputs;
    def.solver = solver;
    def.math = HED_MATH_STRICT;
    hed_synth *synth;
    OK(hed_synth_create(t->device, &def, &synth, &error));
    return synth;
}

static hed_synth_event note(uint32_t frame, uint8_t number)
{
    return (hed_synth_event){
        .frame = frame, .kind = HED_SYNTH_EVENT_MIDI, .bytes = {0x90, number, 100}};
}

static const float *incoming; /* what play() lets in; NULL: silence */

/* `frames` in blocks, with events; the left channel goes to `sound`, which may be NULL. */
static void play(hed_synth *synth, uint32_t frames, uint32_t block_size,
    const hed_synth_event *events, uint32_t count, float *sound)
{
    static float left[4096], right[4096], input[4096];
    for (uint32_t at = 0, length; at < frames; at += length) {
        hed_synth_event part[MOST_EVENTS];
        uint32_t in_block = 0;
        length = frames - at < block_size ? frames - at : block_size;
        for (uint32_t i = 0; i < count; i++) {
            if (events[i].frame < at || events[i].frame >= at + length) continue;
            part[in_block] = events[i];
            part[in_block++].frame -= at;
        }
        const float *inputs[] = {incoming ? incoming + at : input};
        hed_synth_block block = {.frames = length, .events = part, .event_count = in_block,
            .inputs = inputs, .left = left, .right = right};
        OK(hed_synth_process(synth, &block, &error));
        if (sound) memcpy(sound + at, left, length * sizeof *left);
    }
}

static uint32_t asleep(const hed_synth *synth) { return info_of(synth).asleep; }

/* ---- strings ---- */

/* tests/golden/sleep.json: a string that notes below 64 pluck, one that the others strike, and a
 * body that an LFO shakes. */
Test(synth_sleep, each_island_sleeps_and_wakes_by_itself)
{
    hed_synth_instrument *instrument = load("tests/golden/sleep.json");
    hed_synth *synth = start(&here, instrument, HED_SYNTH_SOLVER_AUTO, 0);
    CHECK_EQ(info_of(synth).islands, 2, "what an LFO shakes cannot rest");
    CHECK_EQ(asleep(synth), 0);
    play(synth, RATE / 8 + 600, 256, NULL, 0, NULL);
    CHECK_EQ(asleep(synth), 2, "nothing has been played for 0.1 s");
    hed_synth_event low = note(0, 60), high = note(0, 70),
                    nobody = {.kind = HED_SYNTH_EVENT_MIDI, .bytes = {0xb0, 7, 1}};
    play(synth, 256, 256, &nobody, 1, NULL);
    CHECK_EQ(asleep(synth), 2);
    play(synth, 256, 256, &low, 1, NULL);
    CHECK_EQ(asleep(synth), 1, "the other string was not played");
    play(synth, 256, 256, &high, 1, NULL);
    CHECK_EQ(asleep(synth), 0);
    play(synth, RATE / 2, 256, NULL, 0, NULL);
    CHECK_EQ(asleep(synth), 2);
    hed_synth_event set = {.kind = HED_SYNTH_EVENT_SET,
        .entity = hed_synth_instrument_find(instrument, "ear"),
        .target = HED_SYNTH_TARGET_PAN,
        .value = 0.5f};
    play(synth, 256, 256, &set, 1, NULL);
    CHECK_EQ(asleep(synth), 0, "a parameter wakes all");
    OK(hed_synth_reset(synth, &error));
    CHECK_EQ(asleep(synth), 0);
    hed_synth_destroy(synth);
    hed_synth_instrument_destroy(instrument);
}

/* A string of T60 = 28 ms sleeps within three times that and the 0.125 s that count; what it is cut
 * off at is not heard, and behind it is silence to the bit. */
Test(synth_sleep, silence_is_exact_and_comes_without_a_click)
{
    hed_synth_instrument *instrument = load("tests/golden/sleep.json");
    hed_synth *synth = start(&here, instrument, HED_SYNTH_SOLVER_AUTO, 0);
    static float sound[LONG];
    hed_synth_event low = note(0, 60);
    play(synth, LONG, 256, &low, 1, sound);
    uint32_t last = 0;
    float peak = 0;
    for (uint32_t i = 0; i < LONG; i++) {
        peak = fmaxf(peak, fabsf(sound[i]));
        if (sound[i] != 0.0f) last = i;
    }
    uint32_t latency = info_of(synth).latency;
    double t60 = log(1000.0) / 250.0;
    CHECK_GT(peak, 0.01f);
    CHECK_LT(last, (uint32_t)((0.125 + 3 * t60) * RATE) + latency + 600, "sound until %.3f s",
        (double)last / RATE);
    for (uint32_t i = last > 2000 ? last - 2000 : 0; i <= last; i++)
        CHECK_LT(fabsf(sound[i]), 1e-7f, "%g at %u, %u samples before silence", (double)sound[i], i,
            last - i);
    hed_synth_destroy(synth);
    hed_synth_instrument_destroy(instrument);
}

/* Sound of notes that come while strings sleep, in blocks of any size. */
Test(synth_sleep, sound_is_the_same_for_every_block)
{
    static const uint32_t blocks[] = {256, 1, 100, 1024, 4096};
    static float first[RATE / 2], again[RATE / 2];
    hed_synth_instrument *instrument = load("tests/golden/sleep.json");
    const hed_synth_event events[] = {
        note(5, 60), note(15001, 62), note(15001, 70), note(21000, 60)};
    bool slow = strcmp(hed_device_describe(here.device).backend, "host") != 0;
    for (uint32_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        if (slow && blocks[i] == 1) continue; /* a launch a sample */
        hed_synth *synth = start(&here, instrument, HED_SYNTH_SOLVER_AUTO, 0);
        play(synth, RATE / 2, blocks[i], events, 4, i ? again : first);
        if (i) CHECK_EQ(memcmp(first, again, sizeof first), 0, "blocks of %u", blocks[i]);
        hed_synth_destroy(synth);
    }
    hed_synth_instrument_destroy(instrument);
}

/* LFOs go on while their instance sleeps. Small blocks let it be frozen before the note, large ones do
 * not. The chorale has a sine at a pulse width, the clockwork a rectangle at all gains, the sitar a delay line. */
Test(synth_sleep, modulators_go_on_in_a_frozen_instance)
{
    static const char *const files[] = {"chorale", "clockwork", "sitar"};
    static float first[RATE], again[RATE];
    for (uint32_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[64];
        snprintf(path, sizeof path, "data/instruments/%s.json", files[i]);
        hed_synth_instrument *instrument = load(path);
        const hed_synth_event events[] = {note(RATE * 6 / 10, 60), note(RATE * 8 / 10 + 1, 64)};
        for (uint32_t k = 0; k < 2; k++) {
            hed_synth *synth = start(&here, instrument, HED_SYNTH_SOLVER_AUTO, 0);
            play(synth, RATE, k ? 64 : 4096, events, 2, k ? again : first);
            hed_synth_destroy(synth);
        }
        CHECK_EQ(memcmp(first, again, sizeof first), 0, "%s", files[i]);
        hed_synth_instrument_destroy(instrument);
    }
}

/* A string that has slept sounds as a new one does, but for where it rests. */
Test(synth_sleep, a_string_that_slept_sounds_as_before)
{
    enum { NOTE = 9600 };
    static float sound[2 * RATE];
    hed_synth_instrument *instrument = load("tests/golden/sleep.json");
    hed_synth *synth = start(&here, instrument, HED_SYNTH_SOLVER_AUTO, 0);
    const hed_synth_event events[] = {note(0, 60), note(RATE, 60)};
    play(synth, 2 * RATE, 256, events, 2, sound);
    double difference = 0, power = 0;
    for (uint32_t i = 0; i < NOTE; i++) {
        difference += pow((double)sound[i] - sound[RATE + i], 2);
        power += pow(sound[i], 2);
    }
    CHECK_LT(difference, 1e-8 * power, "%.1f dB", 10 * log10(difference / power));
    hed_synth_destroy(synth);
    hed_synth_instrument_destroy(instrument);
}

/* ---- what drives ---- */

/* A body on a spring, with `more` added to the instrument. */
static hed_synth_instrument *body_with(double damping, const char *more)
{
    char text[2048];
    snprintf(text, sizeof text,
        "{\"version\": 1, \"bodies\": [{\"name\": \"wall\", \"position\": [0, 0, 0], \"anchored\": true}, {\"name\": \"body\", \"position\": "
        "[0.1, 0, 0], \"mass\": 0.01, \"damping\": %g}], \"springs\": [{\"name\": \"spring\", \"from\": \"wall\", "
        "\"to\": \"body\", \"stiffness\": 1000, \"rest_length\": 0.1}], %s}",
        damping, more);
    hed_synth_instrument *instrument;
    OK(hed_synth_instrument_parse(text, strlen(text), "test", &instrument, &error));
    return instrument;
}

/* How many islands can rest, and how many do when nothing is played for half a second, or one note
 * is held. */
static void expect(
    const test_device *t, const char *more, uint32_t islands, uint32_t quiet, uint32_t played)
{
    hed_synth_instrument *instrument = body_with(300, more);
    hed_synth *synth = start(t, instrument, HED_SYNTH_SOLVER_AUTO, 1);
    CHECK_EQ(info_of(synth).islands, islands, "%s", more);
    play(synth, RATE / 2, 512, NULL, 0, NULL);
    CHECK_EQ(asleep(synth), quiet, "%s", more);
    hed_synth_event on = note(0, 60);
    play(synth, RATE / 2, 512, &on, 1, NULL);
    CHECK_EQ(asleep(synth), played, "with a note: %s", more);
    hed_synth_destroy(synth);
    hed_synth_instrument_destroy(instrument);
}

Test(synth_sleep, what_is_driven_stays_awake)
{
#define AT_BODY(name) "\"links\": [{\"from\": \"" name "\", \"to\": \"body\"}]"
#define LFO \
    "\"lfos\": [{\"name\": \"lfo\", \"frequency\": 2}], \"modulations\": [{\"source\": \"lfo\", \"depth\": 0.001, "
    expect(&here, "\"mallets\": [{\"name\": \"x\"}], " AT_BODY("x"), 1, 1, 1);
    expect(&here, "\"plectrums\": [{\"name\": \"x\"}], " AT_BODY("x"), 1, 1, 1);
    /* A held bow, however slowly it begins; an oscillator. */
    expect(&here,
        "\"bows\": [{\"name\": \"x\", \"envelope\": {\"attack\": 50}, \"force\": 1e-9}], " AT_BODY(
            "x"),
        1, 1, 0);
    expect(&here, "\"oscillators\": [{\"name\": \"x\", \"gain\": 1e-12}], " AT_BODY("x"), 1, 1, 0);
    /* Sound that comes in, while it is not silent; with a gate, while that is open. */
    expect(&here, "\"audio_inputs\": [{\"name\": \"x\", \"gain\": 1}], " AT_BODY("x"), 1, 1, 1);
    expect(&here, "\"audio_inputs\": [{\"name\": \"x\", \"gain\": 1, \"gated\": true}], " AT_BODY("x"),
        1, 1, 0);
    expect(&here, "\"audio_inputs\": [{\"name\": \"x\", \"gain\": 1, \"channel\": 5}], " AT_BODY("x"),
        1, 1, 1);
    /* Modulation of the body, its spring, its anchor; that of an exciter drives nothing. */
    expect(&here, LFO "\"target\": \"body\", \"parameter\": \"mass\"}]", 0, 0, 0);
    expect(&here, LFO "\"target\": \"spring\", \"parameter\": \"stiffness\"}]", 0, 0, 0);
    expect(&here, LFO "\"target\": \"wall\", \"parameter\": \"position_x\"}]", 0, 0, 0);
    expect(&here,
        "\"mallets\": [{\"name\": \"x\"}], " LFO
        "\"target\": \"x\", \"parameter\": \"impulse\"}], " AT_BODY("x"),
        1, 1, 1);
}

/* ---- sound that comes in ---- */

#define HEARD \
    "\"microphones\": [{\"name\": \"ear\", \"position\": [0.2, 0, 0], \"direction\": [1, 0, 0]}], "
#define DRIVEN \
    HEARD \
    "\"audio_inputs\": [{\"name\": \"in\", \"direction\": [1, 0, 0], \"gain\": 5}], \"links\": [{\"from\": \"in\", \"to\": \"body\"}, " \
    "{\"from\": \"ear\", \"to\": \"body\"}]"

/* A burst wakes what it drives at its sample, in blocks of any size: what is heard is what a body
 * hears that has not slept yet. */
Test(synth_sleep, sound_that_comes_in_wakes)
{
    enum { AT = 2 * RATE + 77, BURST = 500, HEARD_FOR = RATE / 4 };
    static const uint32_t blocks[] = {256, 64, 4096, 1000};
    static float twice[LONG], early[RATE], sound[LONG], first[HEARD_FOR], awake[HEARD_FOR];
    hed_synth_instrument *instrument = body_with(30, DRIVEN);
    for (uint32_t i = 0; i < BURST; i++)
        early[77 + i] = twice[i] = twice[AT + i] = i % 7 ? sinf(0.1f * (float)i) : 0.0f;
    hed_synth *synth = start(&here, instrument, HED_SYNTH_SOLVER_AUTO, 1);
    incoming = early;
    play(synth, HEARD_FOR, 256, NULL, 0, awake);
    hed_synth_destroy(synth);
    for (uint32_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        synth = start(&here, instrument, HED_SYNTH_SOLVER_AUTO, 1);
        incoming = twice; /* it falls asleep near where it would rest */
        play(synth, AT - 77, blocks[i], NULL, 0, sound);
        CHECK_EQ(asleep(synth), 1);
        incoming = twice + AT - 77;
        play(synth, HEARD_FOR, blocks[i], NULL, 0, sound);
        if (!i) memcpy(first, sound, sizeof first);
        CHECK_EQ(memcmp(sound, first, sizeof first), 0, "blocks of %u", blocks[i]);
        incoming = NULL;
        play(synth, 2 * RATE, blocks[i], NULL, 0, NULL);
        CHECK_EQ(asleep(synth), 1, "again at rest");
        hed_synth_destroy(synth);
    }
    double loudest = 0, apart = 0;
    for (uint32_t i = 0; i < HEARD_FOR; i++) {
        loudest = fmax(loudest, fabs(awake[i]));
        apart = fmax(apart, fabs(awake[i] - first[i]));
    }
    CHECK_GT(loudest, 1e-3);
    CHECK_LT(apart, 1e-6 * loudest, "of one that has not slept yet");
    hed_synth_instrument_destroy(instrument);
}

Test(synth_sleep, sound_keeps_awake_what_it_drives)
{
    static float sound[RATE];
    hed_synth_instrument *instrument = body_with(300, DRIVEN);
    hed_synth *synth = start(&here, instrument, HED_SYNTH_SOLVER_AUTO, 1);
    for (uint32_t i = 0; i < RATE; i++) sound[i] = i % 480 ? 0.0f : 2e-7f; /* -134 dB, at times */
    incoming = sound;
    play(synth, RATE, 256, NULL, 0, NULL);
    CHECK_EQ(asleep(synth), 0);
    for (uint32_t i = 0; i < RATE; i++) sound[i] *= 0.25f; /* -146 dB */
    play(synth, RATE, 256, NULL, 0, NULL);
    CHECK_EQ(asleep(synth), 1);
    incoming = NULL;
    hed_synth_destroy(synth);
    hed_synth_instrument_destroy(instrument);
}

/* A body that an echo of its own sound drives is not asleep when that comes, though it was still
 * for long; then all ends. */
Test(synth_sleep, echoes_are_waited_for)
{
    static float burst[RATE], sound[RATE];
    hed_synth_instrument *instrument = body_with(300, HEARD
        "\"audio_inputs\": [{\"name\": \"in\", \"direction\": [1, 0, 0], \"gain\": 5}, {\"name\": \"return\", \"direction\": [1, 0, 0], "
        "\"gain\": 0.05}], \"delay_lines\": [{\"name\": \"echo\", \"source\": \"ear\", \"seconds\": 0.8}], \"links\": "
        "[{\"from\": \"in\", \"to\": \"body\"}, {\"from\": \"return\", \"to\": \"body\"}, {\"from\": \"ear\", \"to\": \"body\"}, "
        "{\"from\": \"return\", \"to\": \"echo\"}]");
    hed_synth *synth = start(&here, instrument, HED_SYNTH_SOLVER_AUTO, 1);
    for (uint32_t i = 0; i < 500; i++) burst[i] = sinf(0.1f * (float)i);
    incoming = burst;
    play(synth, RATE, 256, NULL, 0, sound);
    double before = 0, echo = 0;
    for (uint32_t i = RATE / 2; i < RATE * 3 / 4; i++) before = fmax(before, fabs(sound[i]));
    for (uint32_t i = RATE * 8 / 10; i < RATE; i++) echo = fmax(echo, fabs(sound[i]));
    CHECK_LT(before, 1e-7);
    CHECK_GT(echo, 1e-5);
    incoming = NULL;
    for (uint32_t i = 0; i < 10 && !asleep(synth); i++) play(synth, RATE, 256, NULL, 0, NULL);
    CHECK_EQ(asleep(synth), 1);
    hed_synth_destroy(synth);
    hed_synth_instrument_destroy(instrument);
}

/* ---- voices, solvers ---- */

Test(synth_sleep, voices_rest_each_by_itself)
{
    hed_synth_instrument *instrument = load("tests/golden/voices.json");
    hed_synth *synth = start(&here, instrument, HED_SYNTH_SOLVER_AUTO, 0);
    hed_synth_info report;
    report = hed_synth_describe(synth);
    CHECK(report.islands >= report.instances && report.instances > 1);
    uint32_t each = report.islands / report.instances;
    play(synth, RATE / 4, 256, NULL, 0, NULL);
    CHECK_EQ(asleep(synth), report.islands);
    hed_synth_event on = note(17, 60);
    play(synth, 256, 256, &on, 1, NULL);
    CHECK_EQ(asleep(synth), report.islands - each, "a voice alone plays");
    hed_synth_destroy(synth);
    hed_synth_instrument_destroy(instrument);
}

/* "All sound off" says parameters that were set again to all voices: those of other channels wake,
 * too. */
Test(synth_sleep, sound_off_wakes_every_voice)
{
    hed_synth_instrument *instrument = load("tests/golden/voices.json");
    hed_synth *synth = start(&here, instrument, HED_SYNTH_SOLVER_AUTO, 0);
    uint32_t islands = info_of(synth).islands;
    hed_synth_event set = {.kind = HED_SYNTH_EVENT_SET,
        .entity = hed_synth_instrument_at(instrument, HED_SYNTH_BODY, 5),
        .target = HED_SYNTH_TARGET_MASS,
        .value = 0.0003f};
    play(synth, RATE / 4, 256, &set, 1, NULL);
    CHECK_EQ(asleep(synth), islands);
    hed_synth_event on = note(0, 60), off = {.kind = HED_SYNTH_EVENT_MIDI, .bytes = {0xb0, 120, 0}};
    play(synth, 256, 256, &on, 1, NULL);
    CHECK(asleep(synth) > 0 && asleep(synth) < islands);
    play(synth, 256, 256, &off, 1, NULL);
    CHECK_EQ(asleep(synth), 0, "a voice sleeps with a body that has its weight");
    hed_synth_destroy(synth);
    hed_synth_instrument_destroy(instrument);
}

/* Every solver that the device has hears the same. */
Test(synth_sleep, solvers_sleep_alike)
{
    static float first[RATE / 2], again[RATE / 2];
    static const hed_synth_solver solvers[] = {
        HED_SYNTH_SOLVER_CPU, HED_SYNTH_SOLVER_GROUP, HED_SYNTH_SOLVER_GLOBAL};
    test_device t = test_open(NULL), host = t;
    OK(hed_device_find(t.context, "host", &host.device, &error));
    hed_synth_instrument *instrument = load("tests/golden/sleep.json");
    const hed_synth_event events[] = {
        note(5, 60), note(15001, 62), note(15001, 70), note(21000, 60)};
    hed_synth *synth = start(&host, instrument, HED_SYNTH_SOLVER_CPU, 0);
    play(synth, RATE / 2, 256, events, 4, first);
    uint32_t sleepers = asleep(synth), compared = 0;
    CHECK_GT(sleepers, 0, "nothing sleeps at the end");
    hed_synth_destroy(synth);
    for (uint32_t i = 0; i < 3; i++) {
        hed_synth_def def = hed_default_synth_def();
        def.instrument = instrument;
        def.solver = solvers[i];
        def.math = HED_MATH_STRICT;
        def.rate = RATE;
        hed_error_clear(&error);
        hed_status status = hed_synth_create(t.device, &def, &synth, &error);
        if (status) {
            CHECK_EQ(status, HED_ERROR_UNSUPPORTED, "%s: %s", hed_synth_solver_name(solvers[i]),
                error.text);
            continue;
        }
        play(synth, RATE / 2, 256, events, 4, again);
        compared++;
        CHECK_EQ(asleep(synth), sleepers, "%s", hed_synth_solver_name(solvers[i]));
        CHECK_EQ(memcmp(first, again, sizeof first), 0, "%s", hed_synth_solver_name(solvers[i]));
        hed_synth_destroy(synth);
    }
    CHECK_GT(compared, 0, "the device has no solver");
    hed_synth_instrument_destroy(instrument);
    test_close(&t);
}
