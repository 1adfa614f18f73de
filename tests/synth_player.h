/* What the tests of players and of plugins share: small instruments, random notes, and their sound
 * as a synth renders it. */
#ifndef HED_TESTS_SYNTH_PLAYER_H
#define HED_TESTS_SYNTH_PLAYER_H

#include "heddle/synth_player.h"
#include "testing.h"

/* A string with a hammer; macro 0 makes it harder, macro 2 moves the microphone's gain. */
#define PLAYER_STRING(pitch, mode) \
    "{\"version\": 1, \"instrument\": {\"mode\": \"" mode "\", \"voices\": 3, \"low\": 40, \"high\": 72, " \
    "\"note_bend_range\": 2}, \"macros\": [\"Hardness\", \"\", \"Loudness\"], " \
    "\"grids\": [{\"kind\": \"string\", \"name\": \"s\", \"size\": 12, \"step\": [0.01, 0, 0], \"tune\": " pitch ", " \
    "\"body\": {\"mass\": 0.0002, \"damping\": 9}}], " \
    "\"mallets\": [{\"name\": \"m\", \"impulse\": 0.0004}], " \
    "\"microphones\": [{\"name\": \"ear\", \"position\": [0.05, 0, 0.2], \"gain\": -20, \"pan\": -0.3}], " \
    "\"midi_sources\": [{\"name\": \"hard\", \"kind\": \"host\", \"number\": 0, \"initial\": 0.25}, " \
    "{\"name\": \"loud\", \"kind\": \"host\", \"number\": 2}], " \
    "\"links\": [{\"from\": \"m\", \"to\": \"s[4]\"}, {\"from\": \"ear\", \"to\": \"s\"}], " \
    "\"modulations\": [{\"source\": \"hard\", \"target\": \"m\", \"parameter\": \"hardness\", \"mode\": " \
    "\"exponential\", \"depth\": 4}, {\"source\": \"loud\", \"target\": \"ear\", \"parameter\": \"gain\", " \
    "\"mode\": \"add\", \"depth\": 6}]}"

static const char player_voices[] = PLAYER_STRING("220", "voices"),
                  player_single[] = PLAYER_STRING("330", "singleton");

/* A tone whose loudness an LFO moves once in a sixteenth note, by the tempo. */
static const char player_synced[] =
    "{\"version\": 1, \"bodies\": [{\"name\": \"b\", \"position\": [0, 0, 0]}], "
    "\"oscillators\": [{\"name\": \"o\", \"frequency\": 440, \"gain\": 2}], "
    "\"microphones\": [{\"name\": \"ear\", \"position\": [0, 0, 1], \"gain\": -20}], "
    "\"lfos\": [{\"name\": \"beat\", \"division\": 0.25}], "
    "\"links\": [{\"from\": \"o\", \"to\": \"b\"}, {\"from\": \"ear\", \"to\": \"b\"}], "
    "\"modulations\": [{\"source\": \"beat\", \"target\": \"ear\", \"parameter\": \"gain\", "
    "\"depth\": 12}]}";

/* Fifty masses on springs: input channel i drives the mass that microphone i, "ear1" to "ear50", hears. */
static inline char *player_fifty(void)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    const char *const lists[] = {"{\"name\": \"b%u\", \"position\": [%u, 0, 0], \"damping\": 2000}",
        "{\"name\": \"ear%u\", \"position\": [%u, 0, 0.1], \"gain\": 10}",
        "{\"name\": \"in%u\", \"channel\": %u, \"gain\": 1}",
        "{\"from\": \"in%u\", \"to\": \"b%u\"}", "{\"from\": \"ear%u\", \"to\": \"b%u\"}"};
    const char *const names[] = {"\"bodies\": [", "], \"microphones\": [", "], \"audio_inputs\": [",
        "], \"links\": [", ", "};
    fputs("{\"version\": 1, \"instrument\": {\"limit\": 0, \"gain\": -20}, ", to);
    for (uint32_t list = 0; list < HED_COUNT(lists); list++)
        for (uint32_t i = 1; i <= 50; i++) {
            fputs(i == 1 ? names[list] : ", ", to);
            fprintf(to, lists[list], i, list == 2 ? i - 1 : i);
        }
    fputs("]}", to);
    fclose(to);
    return text;
}

/* The least of congruential generators: tests draw the same everywhere. */
static inline uint32_t player_draw(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(*state >> 8) * below >> 24);
}

/* Something that a keyboard or a host says. */
static inline hed_synth_event player_draw_event(uint32_t *state, uint32_t frame)
{
    hed_synth_event event = {.frame = frame, .kind = HED_SYNTH_EVENT_MIDI};
    uint32_t what = player_draw(state, 10), channel = player_draw(state, 2);
    static const uint8_t kinds[] = {0x90, 0x90, 0x90, 0x80, 0x80, 0xe0, 0xd0, 0xb0};
    if (what < sizeof kinds) {
        event.bytes[0] = (uint8_t)(kinds[what] | channel);
        event.bytes[1] = (uint8_t)(what < 5    ? 45 + player_draw(state, 12)
                                   : what == 7 ? 1
                                               : player_draw(state, 128));
        event.bytes[2] = (uint8_t)player_draw(state, 128);
    } else {
        event.kind = HED_SYNTH_EVENT_HOST;
        event.number = player_draw(state, 3);
        event.value = (float)player_draw(state, 101) / 100.0f;
    }
    return event;
}

/* `frames` frames of an instrument with these events, by a synth in blocks of 512. */
static inline void player_render(const char *text, double rate, const hed_synth_event *events,
    uint32_t count, float *left, float *right, uint32_t frames)
{
    hed_error error = {0};
    hed_synth_instrument *instrument;
    hed_synth *synth;
    test_device t = {0};
    hed_context_def context = hed_default_context_def();
    context.device = "host";
    OK(hed_context_create(&context, &t.context, &error));
    OK(hed_device_find(t.context, "host", &t.device, &error));
    OK(hed_synth_instrument_parse(text, strlen(text), "a test's", &instrument, &error));
    hed_synth_def def = hed_default_synth_def();
    def.instrument = instrument;
    def.rate = rate;
    def.block = 512;
    def.solver = HED_SYNTH_SOLVER_CPU;
    OK(hed_synth_create(t.device, &def, &synth, &error));
    hed_synth_event some[256];
    for (uint32_t first = 0, next = 0; first < frames; first += 512) {
        hed_synth_block block = {.frames = frames - first < 512 ? frames - first : 512,
            .events = some, .left = left + first, .right = right + first};
        for (; next < count && events[next].frame < first + block.frames; next++) {
            CHECK(block.event_count < 256, "too many events for the test");
            some[block.event_count] = events[next];
            some[block.event_count++].frame -= first;
        }
        OK(hed_synth_process(synth, &block, &error));
    }
    hed_synth_destroy(synth);
    hed_synth_instrument_destroy(instrument);
    hed_context_destroy(t.context);
}

#endif
