/* Playing through ALSA on a machine without a sound card: a fake one, which plays as far as it is
 * let, captures a known signal, and has a sequencer with a few ports (tests/fake/fake_asound.h).
 * What is played is what the synth gives for the same events and the same inputs, bit for bit;
 * every call fails once. */
#include "synth_live.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#ifdef LIVE_ASOUND

#include "fake/fake_asound.h"
#include "fakes.h"

enum { BLOCK = 128, BLOCKS = 60, FRAMES = BLOCK * BLOCKS };
enum { AHEAD = 2 * BLOCK }; /* of silence, before a capture's answer */

/* ---- a synth that plays through the fake ---- */

static fake_asound_control *fake;

static void load_fake(void)
{
    const char *const names[] = {fakes_path("asound"), NULL};
    char reason[512];
    hed_dynlib *library;
    CHECK(hed_dynlib_open(NULL, names, &library, reason, sizeof reason) == HED_OK && library, "%s",
        reason);
    fake = hed_dynlib_symbol(library, FAKE_ASOUND_CONTROL);
    hed_dynlib_close(NULL, library);
    setenv("HEDDLE_ALSA_LIBRARY", names[0], 1);
    fake->start();
}

typedef struct rig {
    test_allocator counting;
    test_device t;
    hed_synth_instrument *instrument;
    hed_synth_live_def def;
    uint32_t warnings;
    char warning[600];
} rig;

static void keep_warning(void *user, hed_log_level level, const char *message)
{
    rig *r = user;
    if (level != HED_LOG_WARNING) return;
    r->warnings++;
    snprintf(r->warning, sizeof r->warning, "%s", message);
}

/* With `inputs` the string hears the last of them, too. */
static rig *make_rig(uint32_t inputs)
{
    hed_error error = {0};
    rig *r = calloc(1, sizeof *r);
    hed_context_def context = hed_default_context_def();
    context.allocator = test_allocator_of(&r->counting);
    context.logger = (hed_logger){.user = r, .log = keep_warning, .level = HED_LOG_WARNING};
    r->t = test_open(&context);
    r->instrument = live_instrument(false);
    for (uint32_t i = 0; i < 2 && inputs; i++) {
        hed_synth_entity input;
        hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_AUDIO_INPUT);
        def.as.audio_input.channel = i < inputs ? i : 0;
        def.as.audio_input.gated = false;
        def.as.audio_input.gain = 0.05f * (float)(i + 1);
        OK(hed_synth_instrument_add(r->instrument, &def, i ? "second" : "first", &input, &error));
        OK(hed_synth_instrument_link(r->instrument, input, 3 + i, 1, &error));
    }
    r->def = hed_default_synth_live_def();
    r->def.driver = HED_SYNTH_LIVE_ALSA;
    r->def.device = r->t.device;
    r->def.block = BLOCK;
    r->def.synth.instrument = r->instrument;
    r->def.synth.solver = HED_SYNTH_SOLVER_CPU;
    r->def.synth.inputs = inputs;
    load_fake();
    return r;
}

static void free_rig(rig *r)
{
    hed_synth_instrument_destroy(r->instrument);
    test_close(&r->t);
    CHECK(r->counting.live == 0, "%lld allocations are left", (long long)r->counting.live);
    CHECK(atomic_load(&fake->live) == 0, "%lld of ALSA's are left", (long long)fake->live);
    free(r);
}

static void sleep_a_little(void) { nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL); }

#define WAIT_UNTIL(condition) \
    do { \
        for (uint32_t waits = 0; waits < 200000 && !(condition); waits++) sleep_a_little(); \
        CHECK(condition, "in vain"); \
    } while (0)

/* Lets the card play `frames` more, and waits until it stands still before the next block, which is
 * made by then. */
static void play_on(uint64_t frames)
{
    uint64_t until = atomic_load(&fake->written) + frames;
    atomic_store(&fake->allowed, until);
    WAIT_UNTIL(atomic_load(&fake->written) == until && atomic_load(&fake->waiting));
}

static void stop(hed_synth_live *live)
{
    atomic_store(&fake->allowed, UINT64_MAX);
    hed_synth_live_close(live);
}

/* ---- what it should sound like ---- */

/* FRAMES of it with events at frame 0 of block `at`, and with `channels` of the fake's signal (0:
 * silence). */
static void render(const rig *r, const hed_synth_event *events, uint32_t count, uint32_t at,
    uint32_t channels, float *left, float *right)
{
    hed_error error = {0};
    hed_synth *synth;
    hed_synth_def def = r->def.synth;
    static float sound[2][BLOCK];
    const float *inputs[] = {sound[0], sound[1]};
    def.rate = 48000;
    def.block = BLOCK;
    OK(hed_synth_create(r->t.device, &def, &synth, &error));
    for (uint32_t i = 0; i < BLOCKS; i++) {
        for (uint32_t c = 0; c < channels; c++)
            for (uint32_t n = 0; n < BLOCK; n++)
                sound[c][n] = fake_asound_signal((uint64_t)i * BLOCK + n, c);
        hed_synth_block block = {
            .frames = BLOCK, .left = left + i * BLOCK, .right = right + i * BLOCK};
        block.events = events;
        block.event_count = i == at ? count : 0;
        block.inputs = def.inputs ? inputs : NULL;
        OK(hed_synth_process(synth, &block, &error));
    }
    hed_synth_destroy(synth);
}

static void heard_is(const float *left, const float *right, uint32_t first)
{
    for (uint32_t n = 0; n < FRAMES - first; n++) {
        CHECK(fake->heard[0][first + n] == left[n], "left, frame %u: %g instead of %g", n,
            (double)fake->heard[0][first + n], (double)left[n]);
        CHECK(fake->heard[1][first + n] == right[n], "right, frame %u", n);
    }
    CHECK(live_first_above(left, FRAMES, 1e-6f) < FRAMES / 2, "it was silent");
}

/* ---- MIDI ---- */

/* the block that events go to after five have been played: one is made, and waits */
enum { NEXT = 6 };

static snd_seq_event_t control(uint8_t type, unsigned param, int value)
{
    snd_seq_event_t event = {.type = type};
    event.data.control.param = param;
    event.data.control.value = value;
    return event;
}

static snd_seq_event_t note(uint8_t type, uint8_t key, uint8_t velocity)
{
    snd_seq_event_t event = {.type = type};
    event.data.note.note = key;
    event.data.note.velocity = velocity;
    return event;
}

static hed_synth_event midi(uint8_t status, uint8_t first, uint8_t second)
{
    return (hed_synth_event){.kind = HED_SYNTH_EVENT_MIDI, .bytes = {status, first, second}};
}

/* Every kind of message, all of them long ago: so they all come at the first frame of the next
 * block. */
Test(synth_asound, midi_sounds_as_the_same_events_do)
{
    hed_error error = {0};
    static float left[FRAMES], right[FRAMES];
    const snd_seq_event_t sent[] = {
        control(SND_SEQ_EVENT_PGMCHANGE, 0, 5),
        control(SND_SEQ_EVENT_CONTROLLER, 1, 80),
        control(SND_SEQ_EVENT_NONREGPARAM, 130, 300),
        control(SND_SEQ_EVENT_PITCHBEND, 0, 1000),
        {.type = SND_SEQ_EVENT_PORT_SUBSCRIBED}, /* no MIDI */
        note(SND_SEQ_EVENT_NOTEON, 60, 100),
        control(SND_SEQ_EVENT_CHANPRESS, 0, 90),
        note(SND_SEQ_EVENT_KEYPRESS, 60, 70),
        note(SND_SEQ_EVENT_NOTEON, 67, 30),
        note(SND_SEQ_EVENT_NOTEOFF, 67, 64),
        {.type = SND_SEQ_EVENT_CLOCK},
    };
    const hed_synth_event same[] = {
        midi(0xc0, 5, 0),
        midi(0xb0, 1, 80),
        midi(0xb0, 99, 1),
        midi(0xb0, 98, 2),
        midi(0xb0, 6, 2),
        midi(0xb0, 38, 44),
        midi(0xe0, 9192 % 128, 9192 / 128),
        midi(0x90, 60, 100),
        midi(0xd0, 90, 0),
        midi(0xa0, 60, 70),
        midi(0x90, 67, 30),
        midi(0x80, 67, 64),
    };
    enum { SENT = sizeof sent / sizeof *sent, SAME = sizeof same / sizeof *same };
    rig *r = make_rig(0);
    hed_synth_live *live;
    atomic_store(&fake->allowed, 0);
    OK(hed_synth_live_open(&r->def, &live, &error));
    int64_t calls = r->counting.calls;
    play_on(5 * BLOCK);
    for (uint32_t i = 0; i < SENT; i++) fake->send(&sent[i], hed_now() - 1000000000);
    WAIT_UNTIL(atomic_load(&fake->drained) == SENT);
    play_on(FRAMES - 5 * BLOCK);
    CHECK(r->counting.calls == calls, "something was allocated while it played");
    hed_synth_live_info report;
    OK(hed_synth_live_measure(live, &report, &error));
    stop(live);
    CHECK(fake->played_out, "the end was cut off");
    CHECK(report.events == SAME && report.events_lost == 0 && report.xruns == 0, "%u events",
        (unsigned)report.events);
    render(r, same, SAME, NEXT, 0, left, right);
    heard_is(left, right, 0);
    free_rig(r);
}

/* The frame of its block at which a note sounds that came 100 frames into the block before, however
 * late it is read: found by comparing with renders; UINT32_MAX: in no frame of this block. */
static uint32_t frame_of_stamped_note(void)
{
    hed_error error = {0};
    rig *r = make_rig(0);
    hed_synth_live *live;
    static float left[FRAMES], right[FRAMES];
    atomic_store(&fake->allowed, 0);
    OK(hed_synth_live_open(&r->def, &live, &error));
    play_on(5 * BLOCK);
    uint64_t stamp = atomic_load(&fake->begun) + 100 * 1000000000ull / 48000;
    while (hed_now() < stamp + 20000000) sleep_a_little();
    snd_seq_event_t key = note(SND_SEQ_EVENT_NOTEON, 60, 100);
    fake->send(&key, stamp);
    WAIT_UNTIL(atomic_load(&fake->drained) == 1);
    play_on(FRAMES - 5 * BLOCK);
    stop(live);
    uint32_t found = UINT32_MAX;
    for (uint32_t n = 0; n < BLOCK && found == UINT32_MAX; n++) {
        hed_synth_event same = midi(0x90, 60, 100);
        same.frame = n;
        render(r, &same, 1, NEXT, 0, left, right);
        if (memcmp(left, fake->heard[0], sizeof left) == 0) found = n;
    }
    free_rig(r);
    return found;
}

/* Between the block's begin and what the fake tells of it the machine may do something else: twenty
 * attempts. */
Test(synth_asound, midi_comes_at_its_time_stamp)
{
    uint32_t frame = 0;
    for (uint32_t i = 0; i < 20 && (frame < 94 || frame > 101); i++)
        frame = frame_of_stamped_note();
    CHECK(frame >= 94 && frame <= 101, "frame %u instead of 100", frame);
}

static void connects(const rig *r, const char *text, unsigned client, unsigned port)
{
    hed_error error = {0};
    hed_synth_live *live;
    hed_synth_live_def def = r->def;
    def.midi_port = text;
    OK(hed_synth_live_open(&def, &live, &error));
    stop(live);
    CHECK(fake->connected.client == client && fake->connected.port == port, "\"%s\" is %u:%u", text,
        fake->connected.client, fake->connected.port);
}

Test(synth_asound, finds_the_midi_port)
{
    hed_error error = {0};
    rig *r = make_rig(0);
    hed_synth_live *live;
    connects(r, "20:1", 20, 1);
    connects(r, "20", 20, 0);
    connects(r, "Piano", 20, 0);
    connects(r, "Pads", 20, 1);
    connects(r, "Piano:Pads", 20, 1);
    connects(r, "Port-0", 14, 0);
    for (uint32_t i = 0; i < 4; i++) {
        r->def.midi_port = (const char *[]){"Organ", "Announce", "Sounds", "24:0"}[i];
        FAILS(HED_ERROR_IO, hed_synth_live_open(&r->def, &live, &error));
        CHECK(strstr(error.text, r->def.midi_port) && !strstr(error.text, "System"), "%s",
            error.text);
        CHECK(
            strstr(error.text, "there are: 14:0 Midi Through:Port-0, 20:0 Stage Piano:Keys, 20:1"),
            "%s", error.text);
    }
    r->def.midi_port = "Keys";
    atomic_store(&fake->fail_name, "snd_seq_connect_from");
    FAILS(HED_ERROR_IO, hed_synth_live_open(&r->def, &live, &error));
    CHECK(strstr(error.text, "20:0") && strstr(error.text, "Input/output error"), "%s", error.text);
    atomic_store(&fake->fail_name, NULL);
    fake->no_sequencer = true;
    FAILS(HED_ERROR_IO, hed_synth_live_open(&r->def, &live, &error));
    CHECK(strstr(error.text, "Keys") && strstr(error.text, "snd-seq"), "%s", error.text);
    r->def.midi_port = NULL;
    OK(hed_synth_live_open(&r->def, &live, &error));
    stop(live);
    free_rig(r);
}

/* ---- capture ---- */

static void captures(
    snd_pcm_format_t format, uint32_t inputs, uint32_t channels, snd_pcm_uframes_t most)
{
    hed_error error = {0};
    static float left[FRAMES], right[FRAMES];
    rig *r = make_rig(inputs);
    hed_synth_live *live;
    fake->format = format;
    fake->channels = channels;
    fake->most = most;
    atomic_store(&fake->allowed, FRAMES);
    OK(hed_synth_live_open(&r->def, &live, &error));
    WAIT_UNTIL(atomic_load(&fake->written) == FRAMES);
    stop(live);
    CHECK(fake->linked && r->warnings == (channels < inputs), "%u warnings: %s", r->warnings,
        r->warning);
    CHECK(channels >= inputs || strstr(r->warning, "1 of 2"), "%s", r->warning);
    for (uint32_t n = 0; n < AHEAD; n++) CHECK(fake->heard[0][n] == 0, "no silence at frame %u", n);
    render(r, NULL, 0, 0, channels < inputs ? channels : inputs, left, right);
    if (format == SND_PCM_FORMAT_FLOAT) heard_is(left, right, AHEAD);
    for (uint32_t n = 0; n < FRAMES - AHEAD; n++)
        CHECK(fabsf(fake->heard[0][AHEAD + n] - left[n]) < 1e-4f, "frame %u", n);
    free_rig(r);
}

Test(synth_asound, inputs_hear_what_is_captured) { captures(SND_PCM_FORMAT_FLOAT, 2, 2, 0); }

Test(synth_asound, a_card_with_more_channels) { captures(SND_PCM_FORMAT_FLOAT, 1, 5, 50); }

Test(synth_asound, a_card_with_fewer_channels) { captures(SND_PCM_FORMAT_FLOAT, 2, 1, 0); }

Test(synth_asound, captures_32_bits) { captures(SND_PCM_FORMAT_S32, 2, 2, 77); }

Test(synth_asound, captures_16_bits) { captures(SND_PCM_FORMAT_S16, 2, 2, 0); }

/* A warning, and the inputs hear silence. */
Test(synth_asound, a_card_that_does_not_capture)
{
    hed_error error = {0};
    static float left[FRAMES], right[FRAMES];
    rig *r = make_rig(2);
    hed_synth_live *live;
    fake->channels = 0;
    atomic_store(&fake->allowed, 0);
    OK(hed_synth_live_open(&r->def, &live, &error));
    play_on(5 * BLOCK);
    hed_synth_event key = midi(0x90, 60, 100);
    snd_seq_event_t pressed = note(SND_SEQ_EVENT_NOTEON, 60, 100);
    fake->send(&pressed, hed_now() - 1000000000);
    WAIT_UNTIL(atomic_load(&fake->drained) == 1);
    play_on(FRAMES - 5 * BLOCK);
    stop(live);
    CHECK(r->warnings == 1 && strstr(r->warning, "capture") && strstr(r->warning, "silence"), "%s",
        r->warning);
    render(r, &key, 1, NEXT, 0, left, right);
    heard_is(left, right, 0);
    free_rig(r);
}

/* ---- what goes wrong ---- */

/* An xrun of either side is counted; both begin anew, with silence ahead as at the start. */
Test(synth_asound, recovers_from_xruns)
{
    hed_error error = {0};
    rig *r = make_rig(2);
    hed_synth_live *live;
    hed_synth_live_info report;
    uint64_t silence = 0;
    atomic_store(&fake->allowed, FRAMES);
    atomic_store(&fake->break_read, 10 * BLOCK);
    atomic_store(&fake->break_write, 30 * BLOCK);
    OK(hed_synth_live_open(&r->def, &live, &error));
    WAIT_UNTIL(atomic_load(&fake->written) == FRAMES);
    OK(hed_synth_live_measure(live, &report, &error));
    stop(live);
    CHECK(report.xruns == 2, "%u xruns", (unsigned)report.xruns);
    for (uint32_t n = 0; n < FRAMES; n++) silence += fake->heard[0][n] == 0;
    CHECK(
        silence >= 3 * AHEAD && silence < 3 * AHEAD + BLOCK, "%u silent frames", (unsigned)silence);
    free_rig(r);
    r = make_rig(0);
    atomic_store(&fake->break_write, 2 * FRAMES);
    OK(hed_synth_live_open(&r->def, &live, &error));
    WAIT_UNTIL(atomic_load(&fake->written) > 3 * FRAMES);
    OK(hed_synth_live_measure(live, &report, &error));
    stop(live);
    CHECK(report.xruns == 1);
    free_rig(r);
}

/* A function that fails from some time on: playing ends, and says why. */
static void ends_with(const char *function, bool xrun, int code, const char *text)
{
    hed_error error = {0};
    rig *r = make_rig(1);
    hed_synth_live *live;
    hed_synth_live_info report;
    OK(hed_synth_live_open(&r->def, &live, &error));
    fake->code = code;
    atomic_store(&fake->fail_name, function);
    if (xrun) atomic_store(&fake->break_read, 0);
    snd_seq_event_t event = note(SND_SEQ_EVENT_NOTEON, 60, 100);
    fake->send(&event, 0);
    WAIT_UNTIL(hed_synth_live_measure(live, &report, &error) == HED_ERROR_IO);
    stop(live);
    CHECK(strstr(error.text, text), "%s: %s", function, error.text);
    atomic_store(&fake->fail_name, NULL);
    free_rig(r);
}

Test(synth_asound, says_what_is_gone)
{
    ends_with("snd_pcm_writei", false, -ENODEV, "does not take sound any more");
    ends_with("snd_pcm_readi", false, -ENODEV, "gives no sound any more");
    ends_with("snd_pcm_recover", true, -EIO, "gives no sound any more");
    ends_with("snd_pcm_drop", true, -EIO, "gives no sound any more");
    ends_with("snd_pcm_prepare", true, -EIO, "gives no sound any more");
    ends_with("snd_seq_event_input", false, -ENODEV, "gives no MIDI any more");
}

/* More events than the sequencer keeps are lost, and counted; without a clock events come when they
 * are read. */
Test(synth_asound, goes_on_without_some_events)
{
    hed_error error = {0};
    rig *r = make_rig(0);
    hed_synth_live *live;
    hed_synth_live_info report = {0};
    OK(hed_synth_live_open(&r->def, &live, &error));
    fake->code = -ENOSPC;
    atomic_store(&fake->fail_name, "snd_seq_event_input");
    snd_seq_event_t event = note(SND_SEQ_EVENT_NOTEON, 60, 100);
    fake->send(&event, hed_now());
    WAIT_UNTIL(hed_synth_live_measure(live, &report, &error) == HED_OK && report.events_lost == 1);
    atomic_store(&fake->fail_name, "snd_seq_get_queue_status");
    fake->send(&event, hed_now());
    WAIT_UNTIL(hed_synth_live_measure(live, &report, &error) == HED_OK && report.events == 2);
    stop(live);
    CHECK(report.events_lost == 1);
    free_rig(r);
}

/* What the start may do without. */
static bool is_dispensable(const rig *r)
{
    const char *failed = fake->failed;
    return r->warnings == 1 || strcmp(failed, "snd_pcm_link") == 0 ||
           strncmp(failed, "snd_seq_query_next", 18) == 0;
}

/* Each call of the start in turn: an error or a warning that says so, and nothing is left. */
Test(synth_asound, every_call_fails_once)
{
    hed_error error = {0};
    uint32_t refused = 0, warned = 0;
    for (int64_t i = 1;; i++) {
        rig *r = make_rig(2);
        hed_synth_live *live;
        r->def.midi_port = "20:0";
        fake->calls = 0;
        fake->fail_call = i;
        fake->failed = NULL;
        hed_error_clear(&error);
        hed_status status = hed_synth_live_open(&r->def, &live, &error);
        fake->fail_call = 0;
        const char *failed = fake->failed;
        CHECK(status == HED_OK || (failed && !live), "%s", error.text);
        if (status)
            CHECK(strstr(error.text, "Input/output error") ||
                      strstr(error.text, "Invalid argument") ||
                      strstr(error.text, "out of memory") || strstr(error.text, "there are: "),
                "%s: %s", failed, error.text);
        else CHECK(!failed || is_dispensable(r), "%s does not matter", failed);
        refused += status != HED_OK;
        warned += r->warnings;
        stop(live);
        free_rig(r);
        if (!failed) break;
    }
    CHECK(refused > 20 && warned > 6, "%u refused, %u warned", refused, warned);
}

#else

Test(synth_asound, is_not_here) { test_skip("built without ALSA"); }

#endif
