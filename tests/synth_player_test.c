/* Players: what they play is what a synth renders, to the bit, for every division into runs;
 * instruments change without a jump while they sound; knobs, learning and gain by closed forms; the
 * state comes back to the byte, and no broken one does harm. */
#include "synth_player.h"

#include <fenv.h>
#include <math.h>
#include <pthread.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

enum { FRAMES = 30000, EVENTS = 150 };

static _Thread_local hed_error error; /* tests with threads share no error */
static float left[2][FRAMES], right[2][FRAMES];
static hed_synth_event events[EVENTS];

static hed_synth_player *open_player(const char *text, double rate)
{
    error = (hed_error){0};
    hed_synth_player *player;
    hed_synth_player_def def = hed_default_synth_player_def();
    def.rate = rate;
    OK(hed_synth_player_create(&def, &player, &error));
    if (text) OK(hed_synth_player_load_text(player, text, strlen(text), "test", &error));
    return player;
}

static void draw_events(uint32_t seed)
{
    for (uint32_t i = 0; i < EVENTS; i++)
        events[i] = player_draw_event(&seed, (uint32_t)((uint64_t)i * FRAMES / EVENTS));
}

/* All events in runs of `least` to `most` frames, into sound `to`. */
static void run_player(hed_synth_player *player, uint32_t least, uint32_t most, uint32_t to)
{
    uint32_t seed = most, next = 0;
    for (uint32_t first = 0, frames; first < FRAMES; first += frames) {
        frames = least + player_draw(&seed, most - least + 1);
        if (frames > FRAMES - first) frames = FRAMES - first;
        for (; next < EVENTS && events[next].frame < first + frames; next++) {
            hed_synth_event event = events[next];
            event.frame -= first;
            EXPECT(hed_synth_player_event(player, &event), "event %u", next);
        }
        hed_synth_player_run(player, frames, NULL, left[to] + first, right[to] + first);
    }
}

static void same_sound(const char *what)
{
    CHECK_BYTES(left[0], left[1], sizeof left[0], "%s", what);
    CHECK_BYTES(right[0], right[1], sizeof right[0], "%s", what);
}

static float loudest(const float *sound, uint32_t frames)
{
    float most = 0;
    for (uint32_t n = 0; n < frames; n++) most = fmaxf(most, fabsf(sound[n]));
    return most;
}

Test(synth_player, every_cut_gives_what_a_render_gives)
{
    static const uint32_t cuts[][2] = {
        {1, 1}, {1, 7}, {64, 64}, {255, 257}, {1, 4096}, {4096, 4096}};
    draw_events(7);
    player_render(player_voices, 48000, events, EVENTS, left[0], right[0], FRAMES);
    CHECK(loudest(left[0], FRAMES) > 0.005f, "it was silent");
    for (uint32_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        hed_synth_player *player = open_player(player_voices, 48000);
        run_player(player, cuts[i][0], cuts[i][1], 1);
        same_sound("a division into runs");
        hed_synth_player_destroy(player);
    }
}

/* The tempo of the host holds for the instruments that are loaded after it was received. */
Test(synth_player, the_tempo_stays)
{
    events[0] = (hed_synth_event){.kind = HED_SYNTH_EVENT_TEMPO, .value = 75};
    events[1] = (hed_synth_event){.kind = HED_SYNTH_EVENT_MIDI, .bytes = {0x90, 60, 90}};
    player_render(player_synced, 48000, events, 2, left[0], right[0], FRAMES);
    hed_synth_player *player = open_player(player_voices, 48000);
    CHECK(hed_synth_player_event(player, &events[0]));
    hed_synth_player_run(player, 100, NULL, left[1], right[1]);
    OK(hed_synth_player_load_text(player, player_synced, strlen(player_synced), "synced", &error));
    hed_synth_player_event(player, &events[1]);
    hed_synth_player_run(player, FRAMES, NULL, left[1], right[1]);
    /* the former instrument fades in the first 10 ms */
    CHECK_BYTES(left[0] + 1000, left[1] + 1000, (FRAMES - 1000) * sizeof(float));
    CHECK_GT(loudest(left[0], FRAMES), 0.005);
    hed_synth_player_destroy(player);
}

/* A run of no frames keeps its events; those that come in any order are put into theirs, and frames
 * beyond the run are its last. */
Test(synth_player, events_in_any_order)
{
    static const uint32_t frames[] = {0, 5, 5, 99, 99, 99};
    for (uint32_t i = 0; i < 6; i++)
        events[i] = (hed_synth_event){.frame = frames[i], .kind = HED_SYNTH_EVENT_MIDI,
            .bytes = {0x90, (uint8_t)(50 + i), 90}};
    player_render(player_single, 48000, events, 6, left[0], right[0], 2000);
    hed_synth_player *player = open_player(player_single, 48000);
    static const uint32_t order[] = {3, 1, 4, 0, 2, 5};
    for (uint32_t i = 0; i < 6; i++) {
        hed_synth_event event = events[order[i]];
        if (order[i] == 5) event.frame = 12345;
        EXPECT(hed_synth_player_event(player, &event));
        hed_synth_player_run(player, 0, NULL, NULL, NULL);
    }
    hed_synth_player_run(player, 100, NULL, left[1], right[1]);
    hed_synth_player_run(player, 1900, NULL, left[1] + 100, right[1] + 100);
    CHECK_BYTES(left[0], left[1], 2000 * sizeof(float));
    hed_synth_player_destroy(player);
}

/* More at a sample than there is room for is lost and counted, and the sound goes on. */
Test(synth_player, too_many_events)
{
    hed_synth_player *player = open_player(player_voices, 48000);
    hed_synth_player_info info;
    uint32_t taken = 0;
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < 1500; i++)
            taken += hed_synth_player_midi(player, round == 2 ? i % 64 : 3,
                (const uint8_t[]){(uint8_t)(i % 3 ? 0xb0 : 0x90), (uint8_t)(40 + i % 30), 64}, 3);
        hed_synth_player_run(player, 64, NULL, left[0], right[0]);
    }
    info = hed_synth_player_describe(player);
    EXPECT(taken <= 3 * 1024 && info.events == taken && info.events_lost >= 3 * 1500 - taken,
        "%u taken, %lu of them lost", taken, (unsigned long)info.events_lost);
    hed_synth_player_midi(player, 0, (const uint8_t[]){0xb0, 121, 0}, 3);
    hed_synth_player_midi(player, 9, (const uint8_t[]){0x91, 52, 127}, 3);
    hed_synth_player_run(player, FRAMES, NULL, left[0], right[0]);
    EXPECT(loudest(left[0], FRAMES) > 0.005f, "it is silent: %g", (double)loudest(left[0], FRAMES));
    hed_synth_player_destroy(player);
}

/* System messages, data above 127, halves of messages and long ones are not for an instrument. */
Test(synth_player, midi_that_is_none)
{
    hed_synth_player *player = open_player(player_single, 48000);
    uint8_t bytes[40] = {0xf0, 1, 2, 3};
    EXPECT(!hed_synth_player_midi(player, 0, bytes, sizeof bytes), "system exclusive");
    EXPECT(!hed_synth_player_midi(player, 0, (const uint8_t[]){0x90, 60, 90, 60}, 4));
    EXPECT(!hed_synth_player_midi(player, 0, (const uint8_t[]){0x90, 200, 90}, 3));
    EXPECT(!hed_synth_player_midi(player, 0, (const uint8_t[]){60, 60, 90}, 3));
    EXPECT(!hed_synth_player_midi(player, 0, (const uint8_t[]){0xf8}, 1), "clock");
    hed_synth_event wrong = {.kind = HED_SYNTH_EVENT_TEMPO, .value = NAN};
    EXPECT(!hed_synth_player_event(player, &wrong), "a tempo that is no number");
    wrong.kind = HED_SYNTH_EVENT_HOST;
    EXPECT(!hed_synth_player_event(player, &wrong), "a knob that is no number");
    EXPECT(hed_synth_player_midi(player, 0, (const uint8_t[]){0xd0, 60}, 2), "pressure");
    /* An entity that is not there is found only while it plays: the others of the run stay. */
    EXPECT(hed_synth_player_midi(player, 0, (const uint8_t[]){0x90, 60, 90}, 3));
    hed_synth_event set = {.kind = HED_SYNTH_EVENT_SET, .entity = 9999};
    hed_synth_player_event(player, &set);
    hed_synth_player_run(player, 4000, NULL, left[0], right[0]);
    EXPECT(loudest(left[0], 4000) > 0.001f, "the note was lost with its neighbour");
    hed_synth_player_destroy(player);
}

/* The sound of a change is that of the new instrument and what is left of the former one, which
 * falls along a line: no step, then. */
Test(synth_player, instruments_change_while_they_sound)
{
    enum { CHANGE = 12000, FADE = 481 };
    static float before[2][FRAMES], after[2][FRAMES];
    const hed_synth_event note = {.kind = HED_SYNTH_EVENT_MIDI, .bytes = {0x90, 57, 127}};
    player_render(player_voices, 48000, &note, 1, before[0], before[1], FRAMES);
    player_render(player_single, 48000, &note, 1, after[0], after[1], FRAMES - CHANGE);
    for (uint32_t cut = 100; cut <= 6000; cut *= 10) {
        hed_synth_player *player = open_player(player_voices, 48000);
        hed_synth_player_event(player, &note);
        bool retired = false;
        for (uint32_t first = 0; first < FRAMES; first += cut) {
            if (first == CHANGE) {
                OK(hed_synth_player_load_text(
                    player, player_single, strlen(player_single), "other", &error));
                hed_synth_player_event(player, &note);
            }
            uint32_t frames = FRAMES - first < cut ? FRAMES - first : cut;
            retired |=
                hed_synth_player_run(player, frames, NULL, left[1] + first, right[1] + first);
        }
        CHECK(retired, "nothing came back");
        float jump = 0, usual = 0;
        for (uint32_t n = 0; n < FRAMES; n++) {
            float sound = n < CHANGE ? before[0][n] : after[0][n - CHANGE];
            if (n >= CHANGE && n < CHANGE + FADE)
                sound += (float)(CHANGE + FADE - n) / (float)FADE * before[0][n];
            CHECK(left[1][n] == sound, "frame %u: %g, not %g", n, (double)left[1][n], (double)sound);
            if (n < CHANGE) usual = fmaxf(usual, fabsf(before[0][n + 1] - before[0][n]));
            if (n > CHANGE - 2 && n < CHANGE + FADE)
                jump = fmaxf(jump, fabsf(left[1][n] - left[1][n - 1]));
        }
        EXPECT(jump < usual + 0.01f, "a jump of %g, %g otherwise", (double)jump, (double)usual);
        hed_synth_player_destroy(player);
    }
}

/* Loads that no run takes, and runs that find a load each time. */
Test(synth_player, loads_without_runs)
{
    hed_synth_player *player = open_player(NULL, 48000);
    hed_synth_player_info info;
    hed_synth_player_run(player, 100, NULL, left[0], right[0]);
    EXPECT(loudest(left[0], 100) == 0 && hed_synth_player_latency(player) == 0);
    CHECK_NULL(hed_synth_player_save(player, NULL, &error));
    error = (hed_error){0};
    for (uint32_t i = 0; i < 5; i++)
        OK(hed_synth_player_load_text(
            player, player_single, strlen(player_single), "single", &error));
    FAILS(HED_ERROR_FORMAT, hed_synth_player_load_text(player, "{", 1, "broken", &error));
    FAILS(HED_ERROR_IO, hed_synth_player_load(player, "no/such/file.json", &error));
    error = (hed_error){0};
    info = hed_synth_player_describe(player);
    CHECK_TEXT(info.name, "single", "what failed has changed nothing");
    for (uint32_t i = 0; i < 20; i++) {
        const char *text = i % 2 ? player_voices : player_single;
        OK(hed_synth_player_load_text(player, text, strlen(text), "other", &error));
        hed_synth_player_run(player, 50, NULL, left[0], right[0]);
    }
    OK(hed_synth_player_load(player, "data/instruments/vibes.json", &error));
    info = hed_synth_player_describe(player);
    CHECK_TEXT(info.name, "vibes");
    CHECK_TEXT(info.path, "data/instruments/vibes.json");
    hed_synth_player_destroy(player);
}

/* ---- knobs ---- */

/* Until it is turned a knob stands where the instrument has it, and nothing is said to the synth;
 * turned before a rate is known, or before an instrument takes over, it counts for it. */
Test(synth_player, knobs)
{
    hed_synth_player *player = open_player(player_single, 0);
    hed_synth_player_info info;
    info = hed_synth_player_describe(player);
    CHECK_TEXT(info.knobs[0], "Hardness");
    CHECK_TEXT(info.knobs[1], "");
    CHECK_TEXT(info.knobs[2], "Loudness");
    CHECK_TEXT(info.knobs[HED_SYNTH_KNOB_GAIN], "Gain");
    CHECK_EQ(hed_synth_player_knob(player, 0), 0.25f);
    EXPECT(!hed_synth_player_turn(player, 0, HED_SYNTH_KNOB_COUNT, 0));
    EXPECT(hed_synth_player_turn(player, 0, 2, 7.0f));
    CHECK_EQ(hed_synth_player_knob(player, 2), 1.0f);
    OK(hed_synth_player_set_rate(player, 48000, &error));
    events[0] = (hed_synth_event){.kind = HED_SYNTH_EVENT_HOST, .number = 2, .value = 1};
    events[1] =
        (hed_synth_event){.frame = 10, .kind = HED_SYNTH_EVENT_MIDI, .bytes = {0x90, 60, 99}};
    player_render(player_single, 48000, events, 2, left[0], right[0], 5000);
    hed_synth_player_event(player, &events[1]);
    hed_synth_player_run(player, 5000, NULL, left[1], right[1]);
    CHECK_BYTES(left[0], left[1], 5000 * sizeof(float));
    OK(hed_synth_player_load_text(player, player_single, strlen(player_single), "again", &error));
    CHECK_EQ(hed_synth_player_knob(player, 2), 0.0f, "%s", "an instrument brings its own");
    hed_synth_player_destroy(player);
}

/* The gain goes to where it is turned along a line of 10 ms, and 0 dB leaves every bit. */
Test(synth_player, gain)
{
    const hed_synth_event note = {.kind = HED_SYNTH_EVENT_MIDI, .bytes = {0x90, 57, 127}};
    player_render(player_single, 48000, &note, 1, left[0], right[0], 4000);
    for (uint32_t cut = 1; cut <= 4000; cut *= 10) {
        hed_synth_player *player = open_player(player_single, 48000);
        hed_synth_player_event(player, &note);
        for (uint32_t first = 0; first < 4000; first += cut) {
            if (1000 >= first && 1000 < first + cut)
                hed_synth_player_turn(player, 1000 - first, HED_SYNTH_KNOB_GAIN, -20.0f);
            uint32_t frames = 4000 - first < cut ? 4000 - first : cut;
            hed_synth_player_run(player, frames, NULL, left[1] + first, right[1] + first);
        }
        for (uint32_t n = 0; n < 4000; n++) {
            double gain = n < 1000 ? 1 : n < 1481 ? 1 - 0.9 * (n - 999) / 481.0 : 0.1;
            CHECK_NEAR(left[1][n], gain * left[0][n], 1e-5 * fabsf(left[0][n]), "frame %u", n);
            CHECK(n >= 1000 || left[1][n] == left[0][n]);
        }
        hed_synth_player_destroy(player);
    }
}

Test(synth_player, controllers_are_learned)
{
    hed_synth_player *player = open_player(player_single, 48000);
    CHECK_EQ(hed_synth_player_learning(player), HED_SYNTH_NO_KNOB);
    hed_synth_player_learn(player, 2);
    EXPECT(hed_synth_player_midi(player, 0, (const uint8_t[]){0xb0, 64, 127}, 3), "a pedal");
    CHECK_EQ(hed_synth_player_learning(player), 2, "%s", "pedals are not learned");
    hed_synth_player_midi(player, 5, (const uint8_t[]){0xb3, 21, 127}, 3);
    CHECK_EQ(hed_synth_player_learning(player), HED_SYNTH_NO_KNOB);
    CHECK_EQ(hed_synth_player_controller(player, 2), 21);
    CHECK_EQ(hed_synth_player_knob(player, 2), 1.0f);
    hed_synth_player_learn(player, HED_SYNTH_KNOB_GAIN);
    hed_synth_player_midi(player, 5, (const uint8_t[]){0xb3, 21, 0}, 3);
    CHECK_EQ(hed_synth_player_controller(player, 2), -1, "%s", "a controller turns one knob");
    CHECK_EQ(hed_synth_player_knob(player, HED_SYNTH_KNOB_GAIN), -60.0f);
    CHECK_EQ(hed_synth_player_knob(player, 2), 1.0f);
    hed_synth_player_learn(player, 99);
    CHECK_EQ(hed_synth_player_learning(player), HED_SYNTH_NO_KNOB);
    hed_synth_player_set_controller(player, HED_SYNTH_KNOB_GAIN, 200);
    CHECK_EQ(hed_synth_player_controller(player, HED_SYNTH_KNOB_GAIN), -1);
    hed_synth_player_destroy(player);
}

/* ---- rates ---- */

Test(synth_player, other_rates)
{
    static const double rates[] = {44100, 48000, 96000, 48000, 48000};
    hed_synth_player *player = open_player(player_voices, 0);
    draw_events(3);
    for (uint32_t i = 0; i < 5; i++) {
        OK(hed_synth_player_set_rate(player, rates[i], &error));
        uint32_t filter = rates[i] > 53000 ? 96 : 0;
        CHECK_EQ(hed_synth_player_latency(player), (uint32_t)(0.0015 * rates[i]) - 1 + filter);
        /* knobs stay where the round before has turned them */
        hed_synth_event all[EVENTS + HED_SYNTH_MACROS];
        uint32_t count = 0;
        for (uint32_t k = 0; i && k < 3; k++)
            all[count++] = (hed_synth_event){.kind = HED_SYNTH_EVENT_HOST,
                .number = k, .value = hed_synth_player_knob(player, k)};
        memcpy(all + count, events, sizeof events);
        player_render(player_voices, rates[i], all, count + EVENTS, left[0], right[0], FRAMES);
        run_player(player, 100, 600, 1);
        same_sound("at another rate");
    }
    FAILS(HED_ERROR_ARGUMENT, hed_synth_player_set_rate(player, 10, &error));
    hed_synth_player_destroy(player);
}

/* The host's modes of rounding and of denormals do not get into the sound, and are its own again
 * afterwards. */
Test(synth_player, modes_of_the_host)
{
    draw_events(11);
    player_render(player_voices, 48000, events, EVENTS, left[0], right[0], FRAMES);
    hed_synth_player *player = open_player(player_voices, 48000);
    fesetround(FE_UPWARD);
#if defined(__SSE__)
    _mm_setcsr(_mm_getcsr() | 0x8040u);
    uint32_t mode = _mm_getcsr() & 0xffc0u;
#endif
    run_player(player, 1, 512, 1);
    CHECK_EQ(fegetround(), FE_UPWARD);
#if defined(__SSE__)
    CHECK_EQ(_mm_getcsr() & 0xffc0u, mode);
    _mm_setcsr(0x1f80);
#endif
    fesetround(FE_TONEAREST);
    same_sound("with another rounding");
    hed_synth_player_destroy(player);
}

/* ---- state ---- */

Test(synth_player, the_state_comes_back)
{
    hed_synth_player *one = open_player(player_single, 48000),
                     *other = open_player(player_voices, 48000);
    hed_synth_player_turn(one, 0, 2, 0.123456789f);
    hed_synth_player_turn(one, 0, HED_SYNTH_KNOB_GAIN, -7.5f);
    hed_synth_player_set_controller(one, 0, 74);
    hed_synth_player_run(one, 1000, NULL, left[0], right[0]);
    size_t size, again;
    const char *saved = hed_synth_player_save(one, &size, &error);
    CHECK(saved && strlen(saved) == size && strstr(saved, "\"name\": \"test\""), "%s", saved);
    char *first = strdup(saved);
    OK(hed_synth_player_restore(other, first, size, &error));
    saved = hed_synth_player_save(other, &again, &error);
    CHECK(again == size && memcmp(saved, first, size) == 0, "%s\n%s", first, saved);
    hed_synth_player_info info;
    info = hed_synth_player_describe(other);
    CHECK_TEXT(info.name, "test");
    CHECK_EQ(hed_synth_player_controller(other, 0), 74);
    /* It sounds like the one that it was saved from, from rest. */
    OK(hed_synth_player_set_rate(one, 48000, &error));
    OK(hed_synth_player_set_rate(other, 48000, &error));
    draw_events(5);
    run_player(one, 200, 200, 0);
    run_player(other, 1, 999, 1);
    same_sound("a state that came back");
    free(first);
    hed_synth_player_destroy(one);
    hed_synth_player_destroy(other);
}

/* Restored while it plays, gain and knobs are those of the state from the next run on. */
Test(synth_player, the_state_comes_back_while_it_plays)
{
    hed_synth_player *one = open_player(player_single, 48000);
    hed_synth_player_turn(one, 0, 2, 1.0f);
    hed_synth_player_turn(one, 0, HED_SYNTH_KNOB_GAIN, -20.0f);
    hed_synth_player_run(one, 100, NULL, left[0], right[0]);
    char *state = strdup(hed_synth_player_save(one, NULL, &error));
    hed_synth_player_turn(one, 0, 2, 0.0f);
    hed_synth_player_turn(one, 0, HED_SYNTH_KNOB_GAIN, 0.0f);
    hed_synth_player_run(one, 4000, NULL, left[0], right[0]);
    OK(hed_synth_player_restore(one, state, strlen(state), &error));
    hed_synth_player_run(one, 4000, NULL, left[0], right[0]);
    hed_synth_player_midi(one, 0, (const uint8_t[]){0x90, 60, 100}, 3);
    hed_synth_player_run(one, 4000, NULL, left[1], right[1]);
    events[0] = (hed_synth_event){.kind = HED_SYNTH_EVENT_HOST, .number = 2, .value = 1};
    events[1] =
        (hed_synth_event){.frame = 4000, .kind = HED_SYNTH_EVENT_MIDI, .bytes = {0x90, 60, 100}};
    player_render(player_single, 48000, events, 2, left[0], right[0], 8000);
    for (uint32_t n = 0; n < 4000; n++) {
        float sound = left[0][4000 + n];
        CHECK_NEAR(left[1][n], 0.1 * sound, 1e-5 * fabsf(sound), "frame %u", n);
    }
    free(state);
    hed_synth_player_destroy(one);
}

/* Names and paths are any bytes. */
Test(synth_player, states_of_strange_names)
{
    static const char *const names[] = {"a \"b\" \\ \n\t", "caf\xc3\xa9 \xf0\x9f\x8e\xb5",
        "latin \xe9t\xe9 \xc3", "\xed\xa0\x80 \xf5 \xc0\x80 \xe0\x80\x80"};
    for (uint32_t i = 0; i < 4; i++) {
        hed_synth_player *player = open_player(NULL, 0);
        OK(hed_synth_player_load_text(
            player, player_single, strlen(player_single), names[i], &error));
        size_t size;
        char *state = strdup(hed_synth_player_save(player, &size, &error));
        OK(hed_synth_player_restore(player, state, size, &error));
        CHECK_TEXT(hed_synth_player_save(player, &size, &error), state);
        hed_synth_player_info info;
        info = hed_synth_player_describe(player);
        if (i < 2) CHECK_TEXT(info.name, names[i]);
        free(state);
        hed_synth_player_destroy(player);
    }
}

Test(synth_player, broken_states)
{
    hed_synth_player *player = open_player(player_single, 0);
    size_t size;
    char *whole = strdup(hed_synth_player_save(player, &size, &error));
    char *broken = malloc(size);
    uint32_t seed = 1, refused = 0;
    FAILS(HED_ERROR_FORMAT, hed_synth_player_restore(player, "", 0, &error));
    FAILS(HED_ERROR_FORMAT, hed_synth_player_restore(player, "{\"version\": 2}", 14, &error));
    CHECK(strstr(error.text, "newer Heddle"), "%s", error.text);
    for (uint32_t i = 0; i < 600; i++) {
        size_t length = i < 200 ? player_draw(&seed, (uint32_t)size) : size;
        memcpy(broken, whole, length);
        for (uint32_t k = 0; i >= 200 && k <= i / 100; k++)
            broken[player_draw(&seed, (uint32_t)size)] = (char)player_draw(&seed, 256);
        error = (hed_error){0};
        hed_status status = hed_synth_player_restore(player, broken, length, &error);
        CHECK(status == HED_OK || error.text[0], "refused without a word");
        refused += status != HED_OK;
        if (!status) OK(hed_synth_player_restore(player, whole, size, &error));
        CHECK_TEXT(hed_synth_player_save(player, NULL, NULL), whole, "as it was before");
    }
    EXPECT(refused > 300, "%u refused", refused);
    free(whole);
    free(broken);
    hed_synth_player_destroy(player);
}

/* ---- threads ---- */

typedef struct loader {
    hed_synth_player *player;
    _Atomic bool stop;
    _Atomic uint32_t loads;
} loader;

static void *keep_loading(void *user)
{
    loader *l = user;
    hed_error own = {0};
    size_t size = 0;
    char *state = strdup(hed_synth_player_save(l->player, &size, &own));
    for (uint32_t seed = 5; !atomic_load(&l->stop); l->loads++) {
        const char *text = player_draw(&seed, 2) ? player_voices : player_single;
        if (player_draw(&seed, 2)) hed_synth_player_restore(l->player, state, size, &own);
        else hed_synth_player_load_text(l->player, text, strlen(text), "again", &own);
        hed_synth_player_save(l->player, NULL, &own);
        (void)hed_synth_player_describe(l->player);
        hed_synth_player_learn(l->player, (int32_t)player_draw(&seed, 9));
        if (own.status) break;
    }
    free(state);
    return own.status ? "a load failed" : NULL;
}

/* The audio thread plays while others load, restore, save and look: for ThreadSanitizer, above
 * all. */
Test(synth_player, loads_from_another_thread, .timeout = 120)
{
    loader l = {.player = open_player(player_voices, 48000)};
    pthread_t thread;
    void *complaint;
    uint32_t seed = 9, swaps = 0;
    CHECK_EQ(pthread_create(&thread, NULL, keep_loading, &l), 0);
    for (uint32_t i = 0; i < 1500 || (atomic_load(&l.loads) <= 3 && i < 1000000); i++) {
        hed_synth_event event = player_draw_event(&seed, player_draw(&seed, 64));
        hed_synth_player_event(l.player, &event);
        swaps +=
            hed_synth_player_run(l.player, 1 + player_draw(&seed, 128), NULL, left[0], right[0]);
        for (uint32_t n = 0; n < 100; n++) CHECK(fabsf(left[0][n]) <= 2.0f);
    }
    atomic_store(&l.stop, true);
    pthread_join(thread, &complaint);
    EXPECT(!complaint, "%s", (const char *)complaint);
    EXPECT(l.loads > 3, "%u loads, %u seen back", l.loads, swaps);
    hed_synth_player_destroy(l.player);
}

/* ---- memory ---- */

Test(synth_player, every_allocation_fails_once)
{
    int64_t failures = 0;
    for (int64_t at = 1;; at++) {
        test_allocator counting = {.fail_at = at};
        hed_synth_player_def def = hed_default_synth_player_def();
        def.allocator = test_allocator_of(&counting);
        def.rate = 48000;
        hed_synth_player *player;
        error = (hed_error){0};
        hed_status status = hed_synth_player_create(&def, &player, &error);
        if (!status) {
            status = hed_synth_player_load_text(
                player, player_single, strlen(player_single), "single", &error);
            if (!status && !hed_synth_player_save(player, NULL, &error)) status = error.status;
            hed_synth_player_run(player, 100, NULL, left[0], right[0]);
            hed_synth_player_destroy(player);
        }
        CHECK(!status || status == HED_ERROR_MEMORY, "allocation %ld: %s", (long)at, error.text);
        CHECK(counting.live == 0, "allocation %ld: %ld blocks leaked", (long)at, (long)counting.live);
        failures += status != HED_OK;
        if (counting.calls < at) break;
    }
    EXPECT(failures > 20, "%ld allocations failed", (long)failures);
}

Test(synth_player, refuses)
{
    hed_synth_player_def def = hed_default_synth_player_def();
    hed_synth_player *player;
    def.rate = 10;
    FAILS(HED_ERROR_ARGUMENT, hed_synth_player_create(&def, &player, &error));
    CHECK_NULL(player);
    def.rate = 48000;
    def.block = 0;
    FAILS(HED_ERROR_ARGUMENT, hed_synth_player_create(&def, &player, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_synth_player_create(NULL, &player, &error));
    hed_synth_player_destroy(NULL);
}
