/* ctest: drivers */
/* Playing live. Through JACK's dummy driver at 48 kHz: what is heard is what a render gives, bit
 * for bit; MIDI at its samples; xruns are counted; a server that goes is reported. The exchange
 * with a device's thread is tested without a clock. How many deadlines are missed is no matter
 * here. */
#include "fixture.h"
#include "synth_live.h"

#include "rt/jack_api.h"
#include "rt/live.h"

#include "support/optional_libraries.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static void sleep_milliseconds(long milliseconds)
{
    nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
}

/* ---- the exchange with a device's thread ---- */

enum { BLOCK = 64, BLOCKS = 60 };

/* As much of a hed_synth_live as the exchange needs. */
static hed_synth_live *make_live(
    hed_device *device, const hed_synth_instrument *instrument, test_allocator *counting)
{
    hed_error error = {0};
    hed_synth_live *live = calloc(1, sizeof *live);
    live->allocator = test_allocator_of(counting);
    live->rate = 48000;
    live->block = BLOCK;
    hed_synth_def def = hed_default_synth_def();
    def.instrument = instrument;
    def.block = BLOCK;
    def.math = HED_MATH_STRICT;
    OK(hed_synth_create(device, &def, &live->synth, &error));
    OK(hed_ring_create(NULL, sizeof(hed_synth_info), 4, &live->synths, &error));
    OK(live_exchange_create(live, &live->exchange, &error));
    return live;
}

static void free_live(hed_synth_live *live)
{
    live_exchange_destroy(live->exchange);
    hed_synth_destroy(live->synth);
    hed_ring_destroy(live->synths);
    free(live);
}

/* Waits for the device's thread: up to five minutes, since a driver under ThreadSanitizer on a busy machine took over
 * 20 s for its first block. */
static void wait_for(hed_synth_live *live)
{
    for (uint32_t i = 0; i < 300000 && live_exchange_behind(live->exchange); i++)
        sleep_milliseconds(1);
    CHECK(live_exchange_behind(live->exchange) == 0, "the device's thread stands still");
}

static void is_one_block_behind(hed_device *host, hed_device *device)
{
    test_allocator counting = {0};
    hed_synth_instrument *instrument = live_instrument(false);
    hed_synth_live *live = make_live(device, instrument, &counting);
    hed_synth_def def = hed_default_synth_def();
    def.instrument = instrument;
    def.math = HED_MATH_STRICT;
    static float left[BLOCKS * BLOCK], right[BLOCKS * BLOCK], found[2][BLOCK];
    live_render(host, &def, 0, left, right, BLOCKS * BLOCK);
    hed_synth_event note = live_note(0x90, 100);
    int64_t calls = counting.calls;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        hed_synth_block block = {.frames = BLOCK, .left = found[0], .right = found[1],
            .events = &note, .event_count = i == 0};
        bool taken;
        CHECK(live_exchange_block(live->exchange, &block, &taken) && taken, "block %u", i);
        for (uint32_t n = 0; n < BLOCK; n++) {
            CHECK(
                found[0][n] == (i ? left[(i - 1) * BLOCK + n] : 0.0f), "block %u, frame %u", i, n);
            CHECK(
                found[1][n] == (i ? right[(i - 1) * BLOCK + n] : 0.0f), "block %u, frame %u", i, n);
        }
        wait_for(live);
    }
    CHECK(live_first_above(left, BLOCKS * BLOCK, 1e-6f) < BLOCKS * BLOCK / 2, "it was silent");
    CHECK(counting.calls == calls, "something was allocated while it played");
    free_live(live);
    CHECK(counting.live == 0);
    hed_synth_instrument_destroy(instrument);
}

/* In strict mode the device's sound is the host's, a block late. */
Test(synth_live, a_device_is_one_block_behind, .init = here_open, .fini = here_close)
{
    hed_device *host, *device;
    hed_error error = {0};
    OK(hed_device_find(here.context, "host", &host, &error));
    is_one_block_behind(host, host);
    if (!hed_device_find(here.context, "Portable Computing Language", &device, &error))
        is_one_block_behind(host, device);
}

/* Blocks that come too late are dropped; nothing that was handed over is played at the wrong time,
 * and afterwards it is one block behind again. */
Test(synth_live, late_blocks_are_dropped, .init = here_open, .fini = here_close)
{
    test_allocator counting = {0};
    hed_synth_instrument *instrument = live_instrument(false);
    hed_synth_live *live = make_live(here.device, instrument, &counting);
    hed_synth_def def = hed_default_synth_def();
    def.instrument = instrument;
    def.math = HED_MATH_STRICT;
    static float left[BLOCKS * BLOCK], right[BLOCKS * BLOCK], found[2][BLOCK];
    live_render(here.device, &def, 0, left, right, BLOCKS * BLOCK);
    hed_synth_event note = live_note(0x90, 100);
    uint32_t asked = 0, silent = 0, refused = 0;
    bool pending = true;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        hed_synth_block block = {.frames = BLOCK, .left = found[0], .right = found[1],
            .events = &note, .event_count = pending};
        bool taken, there = live_exchange_block(live->exchange, &block, &taken);
        uint32_t wanted = asked;
        for (uint32_t n = 0; n < BLOCK; n++)
            CHECK(found[0][n] == (there && wanted ? left[(wanted - 1) * BLOCK + n] : 0.0f),
                "block %u", i);
        silent += !there;
        refused += !taken;
        if (taken) {
            pending = false;
            asked++;
        }
        if (i % 10 == 9) wait_for(live);
    }
    CHECK(asked + refused == BLOCKS && asked >= BLOCKS / 10 * 4, "%u asked, %u refused, %u silent",
        asked, refused, silent);
    free_live(live);
    hed_synth_instrument_destroy(instrument);
}

/* Without their libraries both ways to play name the package that is missing. */
Test(synth_live, names_what_is_not_installed)
{
    hed_error error = {0};
    test_allocator counting = {0};
    hed_context_def context = hed_default_context_def();
    context.allocator = test_allocator_of(&counting);
    test_device t = test_open(&context);
    hed_synth_instrument *instrument = live_instrument(false);
    hed_synth_live_def def = hed_default_synth_live_def();
    hed_synth_live *live;
    def.device = t.device;
    def.synth.instrument = instrument;
    setenv("HEDDLE_JACK_LIBRARY", "none", 1);
    setenv("HEDDLE_ALSA_LIBRARY", "libm.so.6", 1);
    FAILS(HED_ERROR_UNSUPPORTED, hed_synth_live_open(&def, &live, &error));
    CHECK(strstr(error.text, "apt install libjack-jackd2-0") && !live, "%s", error.text);
    def.driver = HED_SYNTH_LIVE_ALSA;
    FAILS(HED_ERROR_UNSUPPORTED, hed_synth_live_open(&def, &live, &error));
    CHECK(strstr(error.text, "libm.so.6 of HEDDLE_ALSA_LIBRARY, which lacks snd_") &&
              strstr(error.text, "apt install libasound2"),
        "%s", error.text);
    hed_synth_instrument_destroy(instrument);
    test_close(&t);
    CHECK(counting.live == 0);
}

#ifdef LIVE_DRIVERS

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a server, and a client that records ---- */

enum { MOST_FRAMES = 48000 * 20 };

/* What our own client calls besides. */
#define TEST_FUNCTIONS(X) \
    X(void, jack_midi_clear_buffer, (void *buffer)) \
    X(int, jack_midi_event_write, \
        (void *buffer, jack_nframes_t time, const uint8_t *bytes, size_t size)) \
    X(jack_port_t *, jack_port_by_name, (jack_client_t * client, const char *name)) \
    X(int, jack_disconnect, (jack_client_t * client, const char *from, const char *to))

static jack_api jack;
static struct {
#define MEMBER(type, name, parameters) type(*name) parameters;
    TEST_FUNCTIONS(MEMBER)
} more;

static void load_jack(void)
{
#define NAME(type, name, parameters) #name,
    static const char *const names[] = {TEST_FUNCTIONS(NAME)};
    void *slots[4];
    hed_error error = {0};
    _Static_assert(sizeof more == sizeof slots, "function pointers only");
    const hed_library_def *library = &hed_optional_libraries[HED_LIBRARY_JACK];
    if (jack_load(NULL, &jack, &error)) test_skip("%s", error.text);
    OK(hed_library_load(NULL, library, names, slots, 4, NULL, &error));
    memcpy(&more, slots, sizeof slots);
}

typedef struct recorder {
    pid_t server;
    int lock; /* of its name */
    jack_client_t *client;
    jack_port_t *left, *right, *midi;
    float *sound[2];         /* (MOST_FRAMES) */
    _Atomic uint32_t frames; /* recorded */
    /* frame of the next cycle at which to send a note; UINT32_MAX: none */
    _Atomic uint32_t note_at;
    _Atomic uint32_t sent; /* which recorded frame it was */
    _Atomic bool dawdle;   /* for once, sleep through some cycles */
} recorder;

static int record(jack_nframes_t frames, void *user)
{
    recorder *r = user;
    uint32_t done = atomic_load(&r->frames), note = atomic_exchange(&r->note_at, UINT32_MAX);
    void *midi = jack.jack_port_get_buffer(r->midi, frames);
    more.jack_midi_clear_buffer(midi);
    if (note < frames) {
        more.jack_midi_event_write(midi, note, (const uint8_t[]){0x90, 60, 100}, 3);
        atomic_store(&r->sent, done + note);
    }
    if (atomic_exchange(&r->dawdle, false)) sleep_milliseconds(100);
    if (done + frames > MOST_FRAMES) return 0;
    memcpy(r->sound[0] + done, jack.jack_port_get_buffer(r->left, frames), frames * sizeof(float));
    memcpy(r->sound[1] + done, jack.jack_port_get_buffer(r->right, frames), frames * sizeof(float));
    atomic_store(&r->frames, done + frames);
    return 0;
}

/* What lies before its keys and behind its ears, in frames. */
static const jack_latency_range_t before_keys = {30, 50}, behind_ears = {100, 120};

static void tell_latency(jack_latency_callback_mode_t mode, void *user)
{
    recorder *r = user;
    jack_latency_range_t before = before_keys, behind = behind_ears;
    if (mode == JackCaptureLatency) {
        jack.jack_port_set_latency_range(r->midi, mode, &before);
    } else {
        jack.jack_port_set_latency_range(r->left, mode, &behind);
        jack.jack_port_set_latency_range(r->right, mode, &behind);
    }
}

static void say_nothing(const char *text) { (void)text; }

static pid_t start_server(const char *name, uint32_t block)
{
    char period[16];
    snprintf(period, sizeof period, "%u", block);
    pid_t server = fork();
    if (server) return server;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves no server behind */
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(127);
    /* Synchronous: a client that is slow once delays the others and loses nothing. */
    execlp("jackd", "jackd", "-n", name, "-r", "-S", "-t", "10000", "-d", "dummy", "-r", "48000",
        "-p", period, "-C", "0", "-P", "2", (char *)NULL);
    _exit(127);
}

/* A name that nobody else uses now: JACK keeps up to eight, and forgets one that a server left
 * behind only when it is used again. */
static int lock_name(char *name, size_t size)
{
    for (uint32_t i = 0; i < 4; i++) {
        char path[64];
        snprintf(name, size, "heddle-test-%u", i);
        snprintf(path, sizeof path, "/tmp/%s.lock", name);
        int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0) return lock;
        if (lock >= 0) close(lock);
    }
    test_skip("four JACK servers of tests are running");
    return -1;
}

/* The recorder's client, once the server answers. */
static bool open_client(recorder *r)
{
    for (uint32_t i = 0; i < 200 && !r->client && waitpid(r->server, NULL, WNOHANG) == 0; i++) {
        sleep_milliseconds(50);
        r->client = jack.jack_client_open("recorder", JackNoStartServer, NULL);
    }
    if (!r->client) return false;
    r->left =
        jack.jack_port_register(r->client, "left", JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
    r->right =
        jack.jack_port_register(r->client, "right", JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
    r->midi =
        jack.jack_port_register(r->client, "keys", JACK_DEFAULT_MIDI_TYPE, JackPortIsOutput, 0);
    jack.jack_set_process_callback(r->client, record, r);
    jack.jack_set_latency_callback(r->client, tell_latency, r);
    return jack.jack_activate(r->client) == 0;
}

/* While the processors are busy a server that has let one client in may let no other in any
 * more. */
static bool lets_another_in(void)
{
    jack_client_t *other = jack.jack_client_open("another", JackNoStartServer, NULL);
    if (other) jack.jack_client_close(other);
    return other;
}

/* A server, and a client on it. Servers that come and go quickly do not always start: three
 * attempts. */
static recorder *start_recorder(uint32_t block)
{
    recorder *r = calloc(1, sizeof *r);
    for (uint32_t i = 0; i < 2; i++) r->sound[i] = calloc(MOST_FRAMES, sizeof(float));
    r->note_at = UINT32_MAX;
    load_jack();
    jack.jack_set_error_function(say_nothing);
    jack.jack_set_info_function(say_nothing);
    char name[32];
    r->lock = lock_name(name, sizeof name);
    setenv("JACK_DEFAULT_SERVER", name, 1);
    for (uint32_t attempt = 0; attempt < 3; attempt++) {
        if (attempt) sleep_milliseconds(500);
        r->server = start_server(name, block);
        if (open_client(r) && lets_another_in()) return r;
        kill(r->server, SIGKILL);
        waitpid(r->server, NULL, 0);
        if (r->client) jack.jack_client_close(r->client);
        r->client = NULL;
    }
    test_skip("jackd does not start here");
    return NULL;
}

static void stop_recorder(recorder *r)
{
    jack.jack_client_close(r->client);
    kill(r->server, SIGTERM);
    waitpid(r->server, NULL, 0);
    close(r->lock);
    free(r->sound[0]);
    free(r->sound[1]);
    free(r);
}

static void wait_for_frames(recorder *r, uint32_t frames)
{
    uint32_t target = atomic_load(&r->frames) + frames;
    for (uint32_t i = 0; i < 20000 && atomic_load(&r->frames) < target; i++) sleep_milliseconds(5);
    CHECK(atomic_load(&r->frames) >= target, "the server stands still");
}

static hed_synth_live_def live_def(hed_device *device, const hed_synth_instrument *instrument)
{
    hed_synth_live_def def = hed_default_synth_live_def();
    def.device = device;
    def.output = "recorder:";
    def.midi_port = "recorder:keys";
    def.synth.instrument = instrument;
    def.synth.solver = HED_SYNTH_SOLVER_CPU;
    return def;
}

/* ---- sound ---- */

/* The frame of the recording at which the synth's first block began, though it was heard only when
 * its ports were connected: a whole number of cycles, of which one alone makes of what the bias
 * sounds like, some 10^-15, what a render gives without a note. The recorder hears a block late
 * what comes of the keys that it presses, since the server cuts the loop there. */
static uint32_t find_begin(const recorder *r, const float *quiet, uint32_t heard, uint32_t block)
{
    for (uint32_t begin = 0; begin <= heard; begin += block)
        if (memcmp(r->sound[0] + heard, quiet + (heard - begin), block * sizeof *quiet) == 0)
            return begin;
    FAIL("what was heard from frame %u on is nowhere in a render", heard);
    return 0;
}

static void plays_what_a_render_gives(uint32_t block)
{
    enum { FRAMES = 24000 };
    hed_error error = {0};
    test_allocator counting = {0};
    hed_context_def context = hed_default_context_def();
    context.allocator = test_allocator_of(&counting);
    test_device t = test_open(&context);
    recorder *r = start_recorder(block);
    hed_synth_instrument *instrument = live_instrument(false);
    hed_synth_live_def def = live_def(t.device, instrument);
    hed_synth_live *live;
    OK(hed_synth_live_open(&def, &live, &error));
    int64_t calls = counting.calls;
    wait_for_frames(r, 4 * block);
    atomic_store(&r->note_at, 17);
    wait_for_frames(r, FRAMES);
    CHECK(counting.calls == calls, "something was allocated while it played");
    hed_synth_live_info report;
    OK(hed_synth_live_measure(live, &report, &error));
    hed_synth_live_close(live);
    CHECK(report.rate == 48000 && report.block == block && report.latency == report.synth.latency);
    CHECK(report.events == 1 && report.events_lost == 0 && report.late == 0);
    CHECK(report.load.count > 10 && report.synth.solver == HED_SYNTH_SOLVER_CPU);
    static float left[FRAMES], right[FRAMES];
    uint32_t frames = atomic_load(&r->frames), sent = atomic_load(&r->sent);
    live_render(t.device, &def.synth, FRAMES, left, right, FRAMES);
    uint32_t heard = live_first_above(r->sound[0], frames, 0),
             also = live_first_above(r->sound[1], frames, 0);
    if (also > heard) heard = also; /* connected one after the other */
    uint32_t begin = find_begin(r, left, heard, block), note = sent + block - begin;
    CHECK(heard < sent && begin + FRAMES < frames && note < FRAMES / 2,
        "%u frames, from %u on, a note at %u", frames, begin, note);
    live_render(t.device, &def.synth, note, left, right, FRAMES);
    CHECK(live_first_above(left, FRAMES, 1e-6f) < note + 1000 &&
              live_first_above(left, FRAMES, 1e-6f) > note,
        "it was silent");
    for (uint32_t n = heard - begin; n < FRAMES; n++) {
        CHECK(r->sound[0][begin + n] == left[n], "left, frame %u: %g instead of %g", n,
            (double)r->sound[0][begin + n], (double)left[n]);
        CHECK(r->sound[1][begin + n] == right[n], "right, frame %u", n);
    }
    hed_synth_instrument_destroy(instrument);
    stop_recorder(r);
    test_close(&t);
}

Test(synth_live, jack_in_blocks_of_64) { plays_what_a_render_gives(64); }

Test(synth_live, jack_in_blocks_of_256) { plays_what_a_render_gives(256); }

/* ---- latency ---- */

/* The server computes them some time after the graph has changed. */
static void expect_latency(
    recorder *r, const char *port, jack_latency_callback_mode_t mode, uint32_t min, uint32_t max)
{
    jack_latency_range_t range = {0};
    for (uint32_t i = 0; i < 20000 && (range.min != min || range.max != max); i++) {
        if (i) sleep_milliseconds(5);
        jack.jack_port_get_latency_range(more.jack_port_by_name(r->client, port), mode, &range);
    }
    CHECK(range.min == min && range.max == max, "%s, %s: %u to %u instead of %u to %u", port,
        mode == JackCaptureLatency ? "capture" : "playback", range.min, range.max, min, max);
}

/* Ranges of the ports of a synth on `device`, which is `blocks` behind, while it is connected and
 * as connections go. */
static void tells_its_latency(
    recorder *r, hed_device *device, hed_synth_solver solver, uint32_t blocks)
{
    hed_error error = {0};
    hed_synth_instrument *instrument = live_instrument(false);
    hed_synth_live_def def = live_def(device, instrument);
    def.synth.solver = solver;
    def.synth.inputs = 1;
    hed_synth_live *live;
    hed_synth_live_info report;
    OK(hed_synth_live_open(&def, &live, &error));
    OK(hed_synth_live_measure(live, &report, &error));
    uint32_t ours = report.latency;
    CHECK(ours == report.synth.latency + blocks * report.block && report.synth.latency > 0);
    expect_latency(
        r, "heddle:left", JackCaptureLatency, before_keys.min + ours, before_keys.max + ours);
    expect_latency(
        r, "heddle:right", JackCaptureLatency, before_keys.min + ours, before_keys.max + ours);
    expect_latency(
        r, "heddle:midi", JackPlaybackLatency, behind_ears.min + ours, behind_ears.max + ours);
    expect_latency(
        r, "heddle:in_1", JackPlaybackLatency, behind_ears.min + ours, behind_ears.max + ours);
    CHECK_EQ(more.jack_disconnect(r->client, "recorder:keys", "heddle:midi"), 0);
    CHECK_EQ(more.jack_disconnect(r->client, "heddle:left", "recorder:left"), 0);
    expect_latency(r, "heddle:left", JackCaptureLatency, ours, ours);
    expect_latency(
        r, "heddle:in_1", JackPlaybackLatency, behind_ears.min + ours, behind_ears.max + ours);
    CHECK_EQ(more.jack_disconnect(r->client, "heddle:right", "recorder:right"), 0);
    expect_latency(r, "heddle:in_1", JackPlaybackLatency, ours, ours);
    hed_synth_live_close(live);
    hed_synth_instrument_destroy(instrument);
}

Test(synth_live, jack_is_told_the_latency, .init = here_open, .fini = here_close)
{
    hed_device *device;
    recorder *r = start_recorder(256);
    tells_its_latency(r, here.device, HED_SYNTH_SOLVER_CPU, 0);
    if (!hed_device_find(here.context, "Portable Computing Language", &device, NULL))
        tells_its_latency(r, device, HED_SYNTH_SOLVER_GROUP, 1);
    stop_recorder(r);
}

/* ---- what happens while it plays ---- */

/* Late cycles, a changed instrument, events from the program, and an end, where the largest step of
 * the sound is given over what it may be. */
static float play_and_end(void)
{
    hed_error error = {0};
    recorder *r = start_recorder(256);
    hed_synth_instrument *instrument = live_instrument(false), *other = live_instrument(true);
    hed_synth_live_def def = live_def(here.device, instrument);
    hed_synth_live *live;
    hed_synth_live_info before, after;
    OK(hed_synth_live_open(&def, &live, &error));
    OK(hed_synth_live_measure(live, &before, &error));
    atomic_store(&r->dawdle, true);
    wait_for_frames(r, 9600);
    OK(hed_synth_live_measure(live, &after, &error));
    CHECK(after.xruns > before.xruns, "a cycle that took 100 ms was no xrun");
    hed_synth_event note = live_note(0x90, 127);
    CHECK(hed_synth_live_event(live, &note));
    wait_for_frames(r, 4800);
    uint32_t at = live_first_above(r->sound[0], atomic_load(&r->frames), 1e-6f);
    CHECK(at < atomic_load(&r->frames), "no sound of an event");
    OK(hed_synth_live_change(live, other, &error));
    wait_for_frames(r, 4800);
    CHECK(hed_synth_live_event(live, &note));
    wait_for_frames(r, 4800);
    uint32_t stopped = atomic_load(&r->frames);
    hed_synth_live_close(live);
    wait_for_frames(r, 1024);
    float peak = 0, step = 0;
    for (uint32_t n = at; n < stopped; n++) {
        peak = fmaxf(peak, fabsf(r->sound[0][n]));
        step = fmaxf(step, fabsf(r->sound[0][n] - r->sound[0][n - 1]));
    }
    CHECK(peak > 0 && peak <= 1);
    float last = 0;
    for (uint32_t n = stopped; n < atomic_load(&r->frames); n++)
        last = fmaxf(last, fabsf(r->sound[0][n] - r->sound[0][n - 1]));
    hed_synth_instrument_destroy(instrument);
    hed_synth_instrument_destroy(other);
    stop_recorder(r);
    return last / (step + peak / 256);
}

/* A server that gets no processor for a while may not play the last block: five attempts. */
Test(synth_live, counts_xruns_changes_and_fades, .init = here_open, .fini = here_close)
{
    float click = INFINITY;
    for (uint32_t i = 0; i < 5 && click > 1; i++) click = play_and_end();
    CHECK_LE(click, 1.0f, "the end clicks");
}

/* ---- what goes wrong ---- */

Test(synth_live, says_what_it_does_not_find, .init = here_open, .fini = here_close)
{
    hed_error error = {0};
    hed_synth_instrument *instrument = live_instrument(false);
    hed_synth_live_def def = live_def(here.device, instrument);
    hed_synth_live *live;
    setenv("JACK_DEFAULT_SERVER", "heddle-no-such-server", 1);
    FAILS(HED_ERROR_IO, hed_synth_live_open(&def, &live, &error));
    CHECK(strstr(error.text, "no JACK server") && !live);
    def.device = NULL;
    FAILS(HED_ERROR_ARGUMENT, hed_synth_live_open(&def, &live, &error));
    def.device = here.device;
    recorder *r = start_recorder(256);
    def.midi_port = "no such keyboard";
    FAILS(HED_ERROR_IO, hed_synth_live_open(&def, &live, &error));
    CHECK(strstr(error.text, "no such keyboard") && strstr(error.text, "recorder:keys"), "%s",
        error.text);
    def.midi_port = NULL;
    def.output = "no such card";
    FAILS(HED_ERROR_IO, hed_synth_live_open(&def, &live, &error));
    CHECK(strstr(error.text, "no such card") && strstr(error.text, "system:playback_1"), "%s",
        error.text);
    def.output = NULL;
    OK(hed_synth_live_open(&def, &live, &error));
    /* The server goes while it plays. */
    kill(r->server, SIGTERM);
    hed_status status = HED_OK;
    hed_synth_live_info report;
    for (uint32_t i = 0; i < 20000 && !status; i++) {
        sleep_milliseconds(10);
        hed_error_clear(&error);
        status = hed_synth_live_measure(live, &report, &error);
    }
    CHECK(status == HED_ERROR_IO && strstr(error.text, "server has ended"), "%s: %s",
        hed_status_name(status), error.text);
    hed_synth_live_close(live);
    hed_synth_live_close(NULL);
    hed_synth_instrument_destroy(instrument);
    stop_recorder(r);
}

/* ALSA's "null" takes everything at once, and captures silence: that it is asked, that it ends, and
 * that what is not there is named. */
Test(synth_live, alsa, .init = here_open, .fini = here_close)
{
    hed_error error = {0};
    hed_synth_instrument *instrument = live_instrument(false);
    hed_synth_live_def def = live_def(here.device, instrument);
    def.driver = HED_SYNTH_LIVE_ALSA;
    def.midi_port = NULL;
    def.output = "null";
    def.block = 128;
    hed_synth_live *live;
    hed_synth_live_info report = {0};
    OK(hed_synth_live_open(&def, &live, &error));
    hed_synth_event note = live_note(0x90, 127),
                    wrong = {.kind = HED_SYNTH_EVENT_SET, .entity = 4711};
    CHECK(hed_synth_live_event(live, &wrong));
    for (uint32_t i = 0; i < 20000 && report.events_lost == 0; i++) {
        sleep_milliseconds(5);
        OK(hed_synth_live_measure(live, &report, &error));
    }
    CHECK(report.events_lost == 1, "an event of nothing counts as played");
    CHECK(hed_synth_live_event(live, &note));
    for (uint32_t i = 0; i < 20000 && (report.load.count < 100 || report.synth.peak < 1e-6f); i++) {
        sleep_milliseconds(5);
        OK(hed_synth_live_measure(live, &report, &error));
    }
    CHECK(report.load.count >= 100 && report.block == 128 && report.rate == 48000 &&
          report.events == 1);
    CHECK(report.synth.peak > 1e-6f, "it was silent");
    hed_synth_live_close(live);
    def.output = "no_such_card";
    FAILS(HED_ERROR_IO, hed_synth_live_open(&def, &live, &error));
    CHECK(strstr(error.text, "no_such_card"));
    def.output = "null";
    def.synth.inputs = 1; /* it captures silence */
    OK(hed_synth_live_open(&def, &live, &error));
    OK(hed_synth_live_measure(live, &report, &error));
    for (uint32_t i = 0; i < 20000 && report.load.count < 100; i++) {
        sleep_milliseconds(5);
        OK(hed_synth_live_measure(live, &report, &error));
    }
    CHECK(report.load.count >= 100 && report.xruns == 0);
    hed_synth_live_close(live);
    hed_synth_instrument_destroy(instrument);
}

/* Every allocation of the start in turn: an error, and nothing is left. */
Test(synth_live, memory_runs_out)
{
    hed_error error = {0};
    test_allocator counting = {0};
    hed_context_def context = hed_default_context_def();
    context.allocator = test_allocator_of(&counting);
    test_device t = test_open(&context);
    hed_synth_instrument *instrument = live_instrument(false);
    hed_synth_live_def def = live_def(t.device, instrument);
    def.driver = HED_SYNTH_LIVE_ALSA;
    def.midi_port = NULL;
    def.output = "null";
    def.synth.inputs = 1;
    hed_status status = HED_ERROR_MEMORY;
    uint32_t failures = 0;
    for (; status; failures++) {
        int64_t live_before = counting.live;
        hed_synth_live *live;
        counting.calls = 0;
        counting.fail_at = failures + 1;
        hed_error_clear(&error);
        status = hed_synth_live_open(&def, &live, &error);
        CHECK(status == HED_OK || (status == HED_ERROR_MEMORY && !live), "allocation %u: %s",
            failures + 1, error.text);
        hed_synth_live_close(live);
        CHECK(counting.live == live_before, "allocation %u: %lld are left", failures + 1,
            (long long)(counting.live - live_before));
    }
    CHECK(failures > 10, "%u", failures);
    hed_synth_instrument_destroy(instrument);
    test_close(&t);
}

#endif
