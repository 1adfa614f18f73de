/* Voices: what MIDI, automation and the host change in which instance, and before which sample.
 * Most tests run a program that is nothing but gates and targets, and apply the pokes to stores as
 * a solver would. */
#include <math.h>

#include "voices/voices.h"
#include "testing.h"

enum {
    WORDS = 64,
    MOST = 8,
    FRAMES = 64,
};

/* Gates: all notes; middle C alone; channel 2. */
enum {
    ALL = SYNTH_FIRST_GATE,
    MIDDLE = ALL + SYNTH_GATE_WORDS,
    SECOND = MIDDLE + SYNTH_GATE_WORDS,
};
/* Words that follow something, from 32 on. */
enum {
    MODULATION = 32,
    BEND,
    PRESSURE,
    TOUCH,
    VELOCITY,
    NOTE,
    HOST,
    FREQUENCY,
    TEMPO,
    SECOND_MODULATION,
};

typedef struct rig {
    synth_program program;
    synth_gate gates[3];
    synth_target targets[10];
    uint32_t image[WORDS], store[MOST][WORDS];
    hed_synth_instrument_def def;
    synth_voices *voices;
    const synth_poke *pokes;
    const uint32_t *begin;
    bool only; /* nothing is heard but 60 to 71, and all on channel 2 */
} rig;

#define ANY \
    { \
        0, 0, 127 \
    }
#define MIDI(of_kind, at, ...) \
    { \
        .follow = SYNTH_FOLLOW_MIDI, .kind = HED_SYNTH_MIDI_##of_kind, .word = (at), .route = ANY, \
        __VA_ARGS__ \
    }

/* A program of so many instances, with every kind of target; the image has a quarter in each of
 * their words. */
static void make_program(rig *r, uint32_t instances)
{
    const synth_gate gates[] = {
        {ANY, ALL, true}, {{0, 60, 60}, MIDDLE, true}, {{2, 0, 127}, SECOND, true}};
    const synth_target targets[] = {MIDI(CC, MODULATION, .number = 1), MIDI(BEND, BEND, ),
        MIDI(PRESSURE, PRESSURE, ), MIDI(AFTERTOUCH, TOUCH, ), MIDI(VELOCITY, VELOCITY, ),
        MIDI(NOTE, NOTE, .centre = 60.0f), MIDI(HOST, HOST, .number = 7),
        {.follow = SYNTH_FOLLOW_NOTE, .factor = 2.0f, .word = FREQUENCY, .route = ANY},
        {.follow = SYNTH_FOLLOW_TEMPO, .factor = 0.5f, .word = TEMPO, .route = ANY},
        {.follow = SYNTH_FOLLOW_MIDI,
            .kind = HED_SYNTH_MIDI_CC,
            .number = 1,
            .word = SECOND_MODULATION,
            .route = {2, 0, 127}}};
    memcpy(r->gates, gates, sizeof gates);
    if (r->only) r->gates[0].route = r->gates[1].route = (hed_synth_route){0, 60, 71};
    memcpy(r->targets, targets, sizeof targets);
    for (uint32_t i = 0; r->only && i < 10; i++)
        if (r->targets[i].route.channel == 0) r->targets[i].route = (hed_synth_route){0, 60, 71};
    r->program = (synth_program){.instances = instances,
        .rate = 48000,
        .image = r->image,
        .gates = r->gates,
        .targets = r->targets,
        .target_count = 10};
    r->program.layout.words = WORDS;
    r->program.layout.gates = 3;
    for (uint32_t i = 0; i < WORDS; i++) r->image[i] = 0;
    r->image[SYNTH_DILATION] = r->image[SYNTH_VOLUME] = hed_as_uint(1.0f);
    for (uint32_t i = MODULATION; i <= SECOND_MODULATION; i++) r->image[i] = hed_as_uint(0.25f);
    for (uint32_t i = 0; i < MOST; i++) memcpy(r->store[i], r->image, sizeof r->image);
}

static rig open_rig(hed_synth_voice_mode mode, uint32_t instances)
{
    rig r = {.def = {.mode = mode, .voices = instances, .root_note = 60, .low = 0, .high = 127,
                 .bend_range = 2, .note_bend_range = 48, .tempo = 120}};
    return r;
}

static void start_rig_as(rig *r, const hed_synth_def *how)
{
    hed_error error = {0};
    hed_allocator allocator = hed_default_allocator();
    make_program(r, r->def.mode == HED_SYNTH_SINGLETON ? 1 : r->def.voices);
    OK(synth_voices_create(&allocator, &r->def, &r->program, how, &r->voices, &error));
}

static void start_rig(rig *r) { start_rig_as(r, &(hed_synth_def){.max_events = 256}); }

#define RIG(name, mode, instances) \
    rig name = open_rig(mode, instances); \
    start_rig(&name)

/* ---- events ---- */

static hed_synth_event midi(uint32_t frame, uint8_t status, uint8_t first, uint8_t second)
{
    return (hed_synth_event){
        .frame = frame, .kind = HED_SYNTH_EVENT_MIDI, .bytes = {status, first, second}};
}

/* What holds of any list of pokes: one instance after another, each in order of time, no word twice
 * at a time. */
static void check_order(const rig *r, uint32_t frames)
{
    CHECK_EQ(r->begin[0], 0);
    for (uint32_t i = 0; i < r->program.instances; i++) {
        CHECK_LE(r->begin[i], r->begin[i + 1]);
        for (uint32_t k = r->begin[i]; k < r->begin[i + 1]; k++) {
            CHECK_LT(r->pokes[k].frame, frames);
            CHECK_LT(r->pokes[k].word, WORDS);
            if (k > r->begin[i]) CHECK_GE(r->pokes[k].frame, r->pokes[k - 1].frame);
            for (uint32_t other = r->begin[i]; other < k; other++)
                CHECK(r->pokes[k].frame != r->pokes[other].frame ||
                      r->pokes[k].word != r->pokes[other].word);
        }
    }
}

static void run(rig *r, const hed_synth_event *events, uint32_t count, uint32_t frames)
{
    hed_error error = {0};
    OK(synth_voices_run(r->voices, events, count, frames, &r->pokes, &r->begin, &error));
    check_order(r, frames);
    for (uint32_t i = 0; i < r->program.instances; i++)
        for (uint32_t k = r->begin[i]; k < r->begin[i + 1]; k++)
            r->store[i][r->pokes[k].word] = r->pokes[k].value;
}

/* Plays events in one block. */
#define PLAY(r, ...) \
    do { \
        const hed_synth_event played[] = {__VA_ARGS__}; \
        run(&(r), played, sizeof played / sizeof *played, FRAMES); \
    } while (0)

static float word(const rig *r, uint32_t instance, uint32_t at)
{
    return hed_as_float(r->store[instance][at]);
}

#define EQUAL(found, expected) \
    CHECK( \
        fabs((double)(found) - (double)(expected)) <= 2e-6 * fmax(1.0, fabs((double)(expected))), \
        "%s is %.9g instead of %.9g", #found, (double)(found), (double)(expected))

static bool held(const rig *r, uint32_t instance, uint32_t gate)
{
    return r->store[instance][gate + SYNTH_GATE_HELD];
}
static uint32_t started(const rig *r, uint32_t instance, uint32_t gate)
{
    return r->store[instance][gate + SYNTH_GATE_COUNT];
}

static float pitch(float note) { return exp2f((note - 60.0f) / 12.0f); }

/* ---- one instance ---- */

Test(synth_voices, notes_open_the_gates_of_their_routes)
{
    RIG(r, HED_SYNTH_SINGLETON, 1);
    PLAY(r, midi(3, 0x90, 60, 127));
    for (uint32_t k = 0; k < r.begin[1]; k++) CHECK_EQ(r.pokes[k].frame, 3);
    CHECK(held(&r, 0, ALL) && held(&r, 0, MIDDLE) && !held(&r, 0, SECOND));
    EQUAL(word(&r, 0, ALL + SYNTH_GATE_VELOCITY), 1);
    EQUAL(word(&r, 0, ALL + SYNTH_GATE_NOTE), 60);
    uint32_t first = started(&r, 0, ALL), middle = started(&r, 0, MIDDLE);
    PLAY(r, midi(0, 0x91, 62, 64));
    CHECK(started(&r, 0, ALL) != first && started(&r, 0, MIDDLE) == middle && held(&r, 0, SECOND));
    EQUAL(word(&r, 0, ALL + SYNTH_GATE_VELOCITY), 64.0 / 127);
    EQUAL(word(&r, 0, SYNTH_DILATION), 1);
    CHECK_EQ(synth_voices_sounding(r.voices), 1);
    synth_voices_destroy(r.voices);
}

Test(synth_voices, a_gate_closes_with_the_last_of_its_notes)
{
    RIG(r, HED_SYNTH_SINGLETON, 1);
    PLAY(r, midi(0, 0x90, 60, 100), midi(0, 0x90, 64, 100), midi(1, 0x80, 60, 0));
    CHECK(held(&r, 0, ALL) && !held(&r, 0, MIDDLE));
    PLAY(r, midi(9, 0x90, 64, 0)); /* velocity 0 ends a note */
    CHECK(!held(&r, 0, ALL));
    CHECK_EQ(r.begin[1], 1);
    CHECK_EQ(r.pokes[0].frame, 9);
    PLAY(r, midi(0, 0x80, 64, 0), midi(0, 0x80, 99, 0));
    CHECK_EQ(r.begin[1], 0);
    CHECK_EQ(synth_voices_sounding(r.voices), 0);
    synth_voices_destroy(r.voices);
}

Test(synth_voices, notes_outside_the_range_are_not_heard)
{
    rig r = open_rig(HED_SYNTH_SINGLETON, 1);
    r.def.low = 50;
    r.def.high = 70;
    start_rig(&r);
    PLAY(r, midi(0, 0x90, 49, 100), midi(0, 0x90, 71, 100), midi(0, 0x80, 71, 100));
    CHECK_EQ(r.begin[1], 0);
    PLAY(r, midi(0, 0x90, 50, 100), midi(0, 0x90, 70, 100));
    CHECK(held(&r, 0, ALL));
    synth_voices_destroy(r.voices);
}

Test(synth_voices, words_follow_what_they_listen_to)
{
    RIG(r, HED_SYNTH_SINGLETON, 1);
    PLAY(r, midi(0, 0xb0, 1, 127), midi(1, 0xe0, 0, 0), midi(2, 0xd0, 127, 0),
        midi(3, 0x90, 72, 127), midi(4, 0xa0, 72, 127));
    EQUAL(word(&r, 0, MODULATION), 1);
    EQUAL(word(&r, 0, SECOND_MODULATION), 0.25); /* listens to channel 2 */
    EQUAL(word(&r, 0, BEND), -1);
    EQUAL(word(&r, 0, PRESSURE), 1);
    EQUAL(word(&r, 0, TOUCH), 1);
    EQUAL(word(&r, 0, VELOCITY), 1);
    EQUAL(word(&r, 0, NOTE), 1);
    EQUAL(word(&r, 0, FREQUENCY), 2 * 440 * exp2(1.0 / 12));
    PLAY(r, midi(0, 0xe0, 0x7f, 0x7f), midi(0, 0xb1, 1, 0));
    EQUAL(word(&r, 0, BEND), 1);
    EQUAL(word(&r, 0, FREQUENCY), 2 * 440 * exp2(5.0 / 12));
    EQUAL(word(&r, 0, SECOND_MODULATION), 0);
    EQUAL(word(&r, 0, MODULATION), 0);
    PLAY(r, midi(0, 0xe0, 0, 0x40));
    EQUAL(word(&r, 0, BEND), 0);
    PLAY(r, (hed_synth_event){.kind = HED_SYNTH_EVENT_TEMPO, .value = 90},
        (hed_synth_event){.frame = 5, .kind = HED_SYNTH_EVENT_HOST, .number = 7, .value = 0.6f},
        (hed_synth_event){.frame = 6, .kind = HED_SYNTH_EVENT_HOST, .number = 8, .value = 0.1f});
    EQUAL(word(&r, 0, TEMPO), 3); /* half a quarter note, 1.5 of which a second */
    EQUAL(word(&r, 0, HOST), 0.6);
    CHECK_EQ(r.begin[1], 2);
    synth_voices_destroy(r.voices);
}

/* ---- voices ---- */

Test(synth_voices, notes_have_instances_and_dilations_of_their_own)
{
    RIG(r, HED_SYNTH_VOICES, 3);
    PLAY(r, midi(0, 0x90, 60, 100), midi(7, 0x90, 72, 50), midi(7, 0xa0, 72, 127));
    EQUAL(word(&r, 0, SYNTH_DILATION), 1);
    EQUAL(word(&r, 1, SYNTH_DILATION), 2);
    CHECK(held(&r, 0, MIDDLE) && !held(&r, 1, MIDDLE) && held(&r, 1, ALL) && !held(&r, 2, ALL));
    EQUAL(word(&r, 0, TOUCH), 0.25); /* nothing was said of that key */
    EQUAL(word(&r, 1, TOUCH), 1);
    EQUAL(word(&r, 1, VELOCITY), 50.0 / 127);
    EQUAL(word(&r, 1, NOTE), 1);
    EQUAL(word(&r, 2, NOTE), 0.25);
    CHECK_EQ(synth_voices_sounding(r.voices), 2);
    PLAY(r, midi(0, 0xe0, 0x7f, 0x7f), midi(0, 0xb0, 1, 127));
    EQUAL(word(&r, 0, SYNTH_DILATION), pitch(62));
    EQUAL(word(&r, 1, SYNTH_DILATION), pitch(74));
    for (uint32_t i = 0; i < 3; i++) EQUAL(word(&r, i, MODULATION), 1);
    PLAY(r, midi(0, 0xe5, 0, 0)); /* another channel's bend */
    EQUAL(word(&r, 1, SYNTH_DILATION), pitch(74));
    synth_voices_destroy(r.voices);
}

Test(synth_voices, takes_a_free_voice_then_the_longest_released_then_the_oldest)
{
    RIG(r, HED_SYNTH_VOICES, 3);
    PLAY(r, midi(0, 0x90, 60, 100), midi(0, 0x90, 61, 100), midi(0, 0x80, 60, 0));
    PLAY(r, midi(0, 0x90, 62, 100)); /* the third is free, though the first is released */
    EQUAL(word(&r, 2, SYNTH_DILATION), pitch(62));
    /* the first was released before the third */
    PLAY(r, midi(0, 0x80, 62, 0), midi(0, 0x90, 63, 100));
    EQUAL(word(&r, 0, SYNTH_DILATION), pitch(63));
    CHECK(!held(&r, 0, MIDDLE));
    /* the third, then the oldest: 61 in the second */
    PLAY(r, midi(0, 0x90, 64, 100), midi(0, 0x90, 65, 100));
    EQUAL(word(&r, 2, SYNTH_DILATION), pitch(64));
    EQUAL(word(&r, 1, SYNTH_DILATION), pitch(65));
    PLAY(r, midi(0, 0x80, 61, 0)); /* its voice sounds another note now */
    CHECK_EQ(r.begin[3], 0);
    CHECK(held(&r, 1, ALL));
    CHECK_EQ(synth_voices_sounding(r.voices), 3);
    synth_voices_destroy(r.voices);
}

Test(synth_voices, a_stolen_voice_lets_go_of_gates_that_its_new_note_has_not)
{
    RIG(r, HED_SYNTH_VOICES, 1);
    PLAY(r, midi(0, 0x90, 60, 100));
    CHECK(held(&r, 0, MIDDLE));
    PLAY(r, midi(0, 0x90, 61, 100));
    CHECK(!held(&r, 0, MIDDLE) && held(&r, 0, ALL));
    synth_voices_destroy(r.voices);
}

Test(synth_voices, a_key_struck_again_keeps_its_voice)
{
    RIG(r, HED_SYNTH_VOICES, 2);
    PLAY(r, midi(0, 0x90, 60, 100));
    uint32_t before = started(&r, 0, ALL);
    PLAY(r, midi(0, 0x90, 60, 90));
    CHECK(started(&r, 0, ALL) != before && !held(&r, 1, ALL));
    PLAY(r, midi(0, 0xb0, 64, 127), midi(0, 0x80, 60, 0), midi(0, 0x90, 60, 80));
    CHECK(!held(&r, 1, ALL) && synth_voices_sounding(r.voices) == 1);
    synth_voices_destroy(r.voices);
}

/* ---- pedal and channel modes ---- */

Test(synth_voices, the_pedal_holds_what_keys_let_go)
{
    RIG(r, HED_SYNTH_VOICES, 2);
    PLAY(r, midi(0, 0xb0, 64, 64), midi(0, 0x90, 60, 100), midi(1, 0x80, 60, 0),
        midi(1, 0x90, 61, 100));
    CHECK(held(&r, 0, ALL) && held(&r, 1, ALL));
    PLAY(r, midi(0, 0xb1, 64, 0)); /* another channel's pedal */
    CHECK(held(&r, 0, ALL));
    PLAY(r, midi(5, 0xb0, 64, 63));
    CHECK(!held(&r, 0, ALL) && held(&r, 1, ALL));
    synth_voices_destroy(r.voices);
}

Test(synth_voices, all_notes_off_leaves_the_pedal_its_notes_and_all_sound_off_does_not)
{
    RIG(r, HED_SYNTH_SINGLETON, 1);
    PLAY(r, midi(0, 0xb0, 64, 127), midi(0, 0x90, 60, 100), midi(0, 0x91, 61, 100),
        midi(1, 0xb0, 123, 0));
    CHECK(held(&r, 0, MIDDLE) && held(&r, 0, SECOND));
    PLAY(r, midi(0, 0xb0, 120, 0));
    CHECK(!held(&r, 0, MIDDLE) && held(&r, 0, SECOND));
    PLAY(r, midi(0, 0xb1, 126, 0)); /* mode changes end notes as well */
    CHECK(!held(&r, 0, SECOND) && !held(&r, 0, ALL));
    synth_voices_destroy(r.voices);
}

Test(synth_voices, controllers_go_back_to_where_they_rest)
{
    RIG(r, HED_SYNTH_SINGLETON, 1);
    PLAY(r, midi(0, 0x90, 60, 100), midi(0, 0xb0, 64, 127), midi(0, 0x80, 60, 0),
        midi(0, 0xb0, 1, 9), midi(0, 0xe0, 1, 1), midi(0, 0xd0, 5, 0), midi(0, 0xa0, 60, 7),
        midi(0, 0xb0, 7, 99), midi(0, 0xb0, 101, 0), midi(0, 0xb0, 100, 0));
    PLAY(r, midi(8, 0xb0, 121, 0), midi(9, 0xb0, 6, 12));
    for (uint32_t at = MODULATION; at <= PRESSURE; at++) EQUAL(word(&r, 0, at), 0);
    CHECK(!held(&r, 0, ALL));
    /* data behind the reset has set no bend range */
    PLAY(r, midi(0, 0x90, 69, 100), midi(0, 0xe0, 0x7f, 0x7f));
    EQUAL(word(&r, 0, FREQUENCY), 880 * exp2(2.0 / 12));
    synth_voices_destroy(r.voices);
}

Test(synth_voices, sostenuto_keeps_only_the_keys_that_were_down)
{
    RIG(r, HED_SYNTH_SINGLETON, 1);
    PLAY(r, midi(0, 0x90, 60, 100), midi(1, 0xb0, 66, 127), midi(2, 0x80, 60, 0));
    CHECK(held(&r, 0, MIDDLE), "the pedal keeps a key that was down");
    PLAY(r, midi(0, 0xb0, 66, 100), midi(0, 0x91, 60, 100), midi(1, 0x81, 60, 0));
    CHECK(held(&r, 0, MIDDLE) && !held(&r, 0, SECOND), "no later key, and not of another channel");
    PLAY(r, midi(0, 0xb0, 64, 127), midi(1, 0xb0, 64, 0));
    CHECK(held(&r, 0, MIDDLE), "the other pedal does not let go of it");
    PLAY(r, midi(0, 0xb0, 66, 63));
    CHECK(!held(&r, 0, MIDDLE) && !held(&r, 0, ALL));
    /* a key under the pedal may be struck again, and stays when the hand leaves */
    PLAY(r, midi(0, 0x90, 60, 100), midi(1, 0xb0, 66, 127), midi(2, 0x80, 60, 0),
        midi(3, 0x90, 60, 90), midi(4, 0x80, 60, 0));
    CHECK(held(&r, 0, MIDDLE));
    PLAY(r, midi(0, 0xb0, 121, 0)); /* controllers reset: the pedal is up */
    CHECK(!held(&r, 0, MIDDLE));
    synth_voices_destroy(r.voices);
}

Test(synth_voices, volume_and_expression_are_those_of_the_channel)
{
    RIG(r, HED_SYNTH_VOICES, 2);
    PLAY(r, midi(0, 0xb0, 7, 50), midi(1, 0x90, 60, 100), midi(2, 0x91, 64, 100));
    EQUAL(word(&r, 0, SYNTH_VOLUME), 0.25);
    EQUAL(word(&r, 1, SYNTH_VOLUME), 1);
    PLAY(r, midi(0, 0xb1, 7, 127), midi(1, 0xb0, 11, 64));
    EQUAL(word(&r, 0, SYNTH_VOLUME), 0.25 * (64 / 127.0) * (64 / 127.0));
    EQUAL(word(&r, 1, SYNTH_VOLUME), 1.27 * 1.27);
    PLAY(r, midi(0, 0xb0, 121, 0)); /* the reset of controllers leaves the volume */
    EQUAL(word(&r, 0, SYNTH_VOLUME), 0.25);
    synth_voices_destroy(r.voices);
}

Test(synth_voices, one_instance_has_the_volume_of_the_loudest_channel)
{
    RIG(r, HED_SYNTH_SINGLETON, 1);
    PLAY(r, midi(0, 0xb0, 7, 50), midi(0, 0xb1, 7, 20), midi(1, 0x91, 60, 100));
    EQUAL(word(&r, 0, SYNTH_VOLUME), 0.04);
    PLAY(r, midi(0, 0x90, 60, 100));
    EQUAL(word(&r, 0, SYNTH_VOLUME), 0.25);
    synth_voices_destroy(r.voices);
}

Test(synth_voices, gm_system_on_resets_all_channels)
{
    RIG(r, HED_SYNTH_SINGLETON, 1);
    PLAY(r, midi(0, 0xb0, 7, 50), midi(0, 0xb1, 1, 99), midi(0, 0xe0, 0x7f, 0x7f),
        midi(0, 0xb0, 64, 127), midi(0, 0x90, 60, 100), midi(1, 0x80, 60, 0));
    CHECK(held(&r, 0, MIDDLE));
    hed_synth_event on = midi(0, 0xf0, 0x7e, 0x09);
    CHECK(synth_voices_is_sound_off(r.voices, &on));
    PLAY(r, on);
    CHECK_EQ(synth_voices_silenced(r.voices), 1);
    memcpy(r.store[0], r.image, sizeof r.image); /* as the synth does then */
    PLAY(r, midi(0, 0x90, 69, 100));
    EQUAL(word(&r, 0, SYNTH_VOLUME), 1);
    EQUAL(word(&r, 0, FREQUENCY), 880);
    static const uint8_t gs[] = {0xf0, 0x41, 0x10, 0x42, 0x12, 0x40, 0, 0x7f, 0, 0x41, 0xf7},
                         gm[] = {0xf0, 0x7e, 0x7f, 0x09, 0x01, 0xf7},
                         off[] = {0xf0, 0x7e, 0x7f, 0x09, 0x02, 0xf7};
    CHECK(hed_synth_midi_is_reset(gs, sizeof gs) && hed_synth_midi_is_reset(gm, sizeof gm));
    CHECK(!hed_synth_midi_is_reset(off, sizeof off) && !hed_synth_midi_is_reset(gm, 5));
    synth_voices_destroy(r.voices);
}

/* ---- bends ---- */

Test(synth_voices, the_bend_range_is_a_registered_parameter)
{
    RIG(r, HED_SYNTH_VOICES, 1);
    PLAY(r, midi(0, 0x90, 60, 100), midi(0, 0xe0, 0x7f, 0x7f), midi(0, 0xb0, 101, 0),
        midi(0, 0xb0, 100, 0), midi(1, 0xb0, 6, 12));
    EQUAL(word(&r, 0, SYNTH_DILATION), 2);
    PLAY(r, midi(0, 0xb0, 38, 50));
    EQUAL(word(&r, 0, SYNTH_DILATION), pitch(72.5f));
    PLAY(r, midi(0, 0xb0, 99, 0), midi(0, 0xb0, 98, 0),
        midi(0, 0xb0, 6, 1)); /* data of a parameter that is not registered */
    EQUAL(word(&r, 0, SYNTH_DILATION), pitch(72.5f));
    PLAY(r, midi(0, 0xb0, 101, 127), midi(0, 0xb0, 100, 127), midi(0, 0xb0, 6, 1));
    EQUAL(word(&r, 0, SYNTH_DILATION), pitch(72.5f));
    synth_voices_destroy(r.voices);
}

Test(synth_voices, no_bend_reaches_beyond_what_the_instrument_is_stable_for)
{
    RIG(r, HED_SYNTH_VOICES, 1);
    PLAY(r, midi(0, 0x90, 127, 100), midi(0, 0xe0, 0x7f, 0x7f), midi(0, 0xb0, 101, 0),
        midi(0, 0xb0, 100, 0), midi(1, 0xb0, 6, 96));
    EQUAL(word(&r, 0, SYNTH_DILATION), synth_largest_dilation(&r.def));
    CHECK_GT(word(&r, 0, SYNTH_DILATION), 40); /* 127 + 2 semitones */
    synth_voices_destroy(r.voices);
}

Test(synth_voices, mpe_bends_and_presses_a_note_by_its_own_channel)
{
    RIG(r, HED_SYNTH_VOICES_MPE, 3);
    PLAY(r, midi(0, 0x91, 60, 100), midi(0, 0x92, 64, 100), midi(1, 0xe1, 0x7f, 0x7f),
        midi(1, 0xd2, 127, 0));
    EQUAL(word(&r, 0, SYNTH_DILATION), pitch(108));
    EQUAL(word(&r, 1, SYNTH_DILATION), pitch(64));
    EQUAL(word(&r, 0, PRESSURE), 0.25);
    EQUAL(word(&r, 1, PRESSURE), 1);
    PLAY(r, midi(0, 0xe0, 0, 0), midi(0, 0xb0, 1, 127)); /* the manager speaks for all */
    EQUAL(word(&r, 0, SYNTH_DILATION), pitch(106));
    EQUAL(word(&r, 1, SYNTH_DILATION), pitch(62));
    EQUAL(word(&r, 0, MODULATION), 1);
    EQUAL(word(&r, 1, MODULATION), 1);
    PLAY(r, midi(0, 0xb0, 64, 127), midi(0, 0x82, 64, 0));
    CHECK(held(&r, 1, ALL));
    PLAY(r, midi(0, 0xb0, 64, 0));
    CHECK(!held(&r, 1, ALL));
    PLAY(r, midi(0, 0xe2, 0x7f, 0x7f)); /* released, and still its channel's */
    EQUAL(word(&r, 1, SYNTH_DILATION), pitch(110));
    PLAY(r, midi(0, 0xe2, 0, 0x40), midi(0, 0x92, 50, 100), midi(1, 0xe2, 0, 0));
    EQUAL(word(&r, 1, SYNTH_DILATION), pitch(62)); /* another note has the channel now */
    EQUAL(word(&r, 2, SYNTH_DILATION), pitch(0));
    EQUAL(word(&r, 2, MODULATION), 1); /* a new note learns what holds */
    synth_voices_destroy(r.voices);
}

/* (50 / 100)^2 for each of a channel's own volume and its manager's, and (64 / 127)^2 for an expression. */
Test(synth_voices, mpe_multiplies_the_volumes_of_a_channel_and_of_its_manager)
{
    RIG(r, HED_SYNTH_VOICES_MPE, 3);
    PLAY(r, midi(0, 0x91, 60, 100), midi(0, 0x92, 64, 100), midi(1, 0xb0, 7, 50));
    EQUAL(word(&r, 0, SYNTH_VOLUME), 0.25);
    EQUAL(word(&r, 1, SYNTH_VOLUME), 0.25);
    PLAY(r, midi(0, 0xb1, 7, 50));
    EQUAL(word(&r, 0, SYNTH_VOLUME), 0.0625);
    EQUAL(word(&r, 1, SYNTH_VOLUME), 0.25);
    PLAY(r, midi(0, 0xb0, 7, 100), midi(1, 0xb0, 11, 64), midi(2, 0x93, 67, 100));
    EQUAL(word(&r, 0, SYNTH_VOLUME), 0.25 * (64.0 / 127) * (64.0 / 127));
    EQUAL(
        word(&r, 2, SYNTH_VOLUME), (64.0 / 127) * (64.0 / 127)); /* a new note learns what holds */
    synth_voices_destroy(r.voices);
}

Test(synth_voices, mpe_zones_are_set_by_registered_parameter_6)
{
    RIG(r, HED_SYNTH_VOICES_MPE, 3);
    /* An upper zone of 3 members: channels 13 to 15, managed by 16. The lower zone keeps 11. */
    PLAY(r, midi(0, 0xbf, 101, 0), midi(0, 0xbf, 100, 6), midi(0, 0xbf, 6, 3));
    PLAY(r, midi(0, 0x9e, 60, 100), midi(0, 0x91, 60, 100), midi(0, 0xef, 0x7f, 0x7f),
        midi(0, 0xe1, 0, 0));
    EQUAL(word(&r, 0, SYNTH_DILATION), pitch(62));
    EQUAL(word(&r, 1, SYNTH_DILATION), pitch(12));
    /* A member's range is that of its zone. */
    PLAY(r, midi(0, 0xbd, 101, 0), midi(0, 0xbd, 100, 0), midi(0, 0xbd, 6, 24),
        midi(0, 0xee, 0x7f, 0x7f));
    EQUAL(word(&r, 0, SYNTH_DILATION), pitch(86));
    EQUAL(word(&r, 1, SYNTH_DILATION), pitch(12));
    synth_voices_destroy(r.voices);
}

/* ---- automation of a real program ---- */

/* What was set is poked in each instance after a rest, but not after a reset. */
static void expect_said_again(synth_voices *voices, synth_poke set, uint32_t instances)
{
    hed_error error = {0};
    const synth_poke *pokes;
    const uint32_t *begin;
    OK(synth_voices_run(voices, NULL, 0, 32, &pokes, &begin, &error));
    CHECK_EQ(begin[instances], 0);
    synth_voices_adopt(voices, voices);
    OK(synth_voices_run(voices, NULL, 0, 32, &pokes, &begin, &error));
    CHECK_EQ(begin[instances], instances);
    for (uint32_t i = 0; i < instances; i++)
        CHECK(pokes[i].frame == 0 && pokes[i].word == set.word && pokes[i].value == set.value);
    synth_voices_adopt(voices, voices);
    synth_voices_reset(voices);
    OK(synth_voices_run(voices, NULL, 0, 32, &pokes, &begin, &error));
    CHECK_EQ(begin[instances], 0);
}

/* Of more parameters than are kept those set last are, each with its last value, also by another
 * program's voices. */
Test(synth_voices, the_last_settings_are_kept)
{
    enum { BODIES = SYNTH_SETTINGS + 20 };
    hed_error error = {0};
    hed_synth_instrument *instrument;
    hed_synth_entity bodies[BODIES];
    hed_synth_entity_def body = hed_default_synth_entity_def(HED_SYNTH_BODY);
    hed_synth_instrument_def def = hed_default_synth_instrument_def();
    OK(hed_synth_instrument_create(NULL, &def, &instrument, &error));
    for (uint32_t i = 0; i < BODIES; i++)
        OK(hed_synth_instrument_add(instrument, &body, NULL, &bodies[i], &error));
    hed_allocator allocator = hed_default_allocator();
    synth_program_def program_def = {
        .instrument = instrument, .rate = 48000, .warps = 1, .lanes = 32, .pack = HED_PACK_ROWS};
    synth_program *program, *fewer;
    synth_voices *voices, *heirs;
    const synth_poke *pokes;
    const uint32_t *begin;
    OK(synth_program_create(&allocator, &program_def, &program, &error));
    OK(hed_synth_instrument_remove(instrument, bodies[BODIES - 1], &error));
    OK(synth_program_create(&allocator, &program_def, &fewer, &error));
    OK(synth_voices_create(
        &allocator, &def, program, &(hed_synth_def){.max_events = 8}, &voices, &error));
    OK(synth_voices_create(
        &allocator, &def, fewer, &(hed_synth_def){.max_events = 8}, &heirs, &error));
    for (uint32_t i = 0; i < 2 * BODIES; i++) {
        hed_synth_event set = {.kind = HED_SYNTH_EVENT_SET, .entity = bodies[i % BODIES],
            .target = HED_SYNTH_TARGET_DAMPING, .value = (float)i};
        OK(synth_voices_run(voices, &set, 1, 32, &pokes, &begin, &error));
    }
    synth_voices_adopt(heirs, voices);
    synth_voices_destroy(voices);
    OK(synth_voices_run(heirs, NULL, 0, 32, &pokes, &begin, &error));
    CHECK_EQ(begin[1], SYNTH_SETTINGS - 1); /* one body is not there any more */
    for (uint32_t i = 0; i < begin[1]; i++) {
        uint32_t last = i + BODIES - SYNTH_SETTINGS;
        CHECK_EQ(
            pokes[i].word, synth_parameter_word(&fewer->layout, SYNTH_BODY, BODY_P_RATE, last));
        EQUAL(hed_as_float(pokes[i].value) * 24000, BODIES + last);
    }
    synth_voices_destroy(heirs);
    synth_program_destroy(program);
    synth_program_destroy(fewer);
    hed_synth_instrument_destroy(instrument);
}

Test(synth_voices, parameters_are_set_in_every_instance)
{
    hed_error error = {0};
    hed_synth_instrument *instrument;
    hed_synth_instrument_def def = hed_default_synth_instrument_def();
    def.mode = HED_SYNTH_VOICES;
    def.voices = 2;
    OK(hed_synth_instrument_create(NULL, &def, &instrument, &error));
    hed_synth_entity_def body = hed_default_synth_entity_def(HED_SYNTH_BODY);
    hed_synth_entity first, second;
    body.as.body.mass = 1;
    OK(hed_synth_instrument_add(instrument, &body, "a", &first, &error));
    body.as.body.position[0] = 1;
    OK(hed_synth_instrument_add(instrument, &body, "b", &second, &error));
    synth_program *program;
    hed_allocator allocator = hed_default_allocator();
    synth_program_def program_def = {
        .instrument = instrument, .rate = 48000, .warps = 1, .lanes = 32, .pack = HED_PACK_ROWS};
    OK(synth_program_create(&allocator, &program_def, &program, &error));
    synth_voices *voices;
    OK(synth_voices_create(
        &allocator, &def, program, &(hed_synth_def){.max_events = 8}, &voices, &error));
    const synth_poke *pokes;
    const uint32_t *begin;
    const hed_synth_event set[] = {{.frame = 9, .kind = HED_SYNTH_EVENT_SET, .entity = second,
        .target = HED_SYNTH_TARGET_MASS, .value = 2}};
    OK(synth_voices_run(voices, set, 1, 32, &pokes, &begin, &error));
    uint32_t element = program->entities[SYNTH_BODY][0] == second ? 0 : 1;
    for (uint32_t i = 0; i < 2; i++) {
        CHECK_EQ(begin[i + 1] - begin[i], 1);
        CHECK_EQ(pokes[begin[i]].frame, 9);
        CHECK_EQ(pokes[begin[i]].word,
            synth_parameter_word(&program->layout, SYNTH_BODY, BODY_P_WEIGHT, element));
        EQUAL(hed_as_float(pokes[begin[i]].value) * 2 * 48000.0 * 48000.0, 1);
    }
    expect_said_again(voices, pokes[0], 2);
    const hed_synth_event wrong[] = {
        {.kind = HED_SYNTH_EVENT_SET, .entity = 99, .target = HED_SYNTH_TARGET_MASS, .value = 2},
        {.kind = HED_SYNTH_EVENT_SET,
            .entity = first,
            .target = HED_SYNTH_TARGET_STIFFNESS,
            .value = 2},
        {.kind = HED_SYNTH_EVENT_SET,
            .entity = first,
            .target = HED_SYNTH_TARGET_MASS,
            .value = NAN},
        {.kind = HED_SYNTH_EVENT_SET, .entity = first, .target = HED_SYNTH_TARGET_MASS},
        {.kind = HED_SYNTH_EVENT_SET,
            .entity = first,
            .target = HED_SYNTH_TARGET_MASS,
            .value = 1.1e6f},
        {.kind = HED_SYNTH_EVENT_SET,
            .entity = first,
            .target = HED_SYNTH_TARGET_DAMPING,
            .value = -1}};
    for (uint32_t i = 0; i < HED_COUNT(wrong); i++)
        FAILS(
            HED_ERROR_ARGUMENT, synth_voices_run(voices, &wrong[i], 1, 32, &pokes, &begin, &error));
    CHECK_TEXT(error.text, "events[0] sets damping of entity 1 to -1; expected a value from 0 to 1e+06");
    synth_voices_destroy(voices);
    synth_program_destroy(program);
    hed_synth_instrument_destroy(instrument);
}

/* Each parameter has the range of its field. */
Test(synth_voices, parameters_have_the_ranges_of_their_definitions)
{
    uint32_t rotations = 0;
    for (uint32_t type = 0; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++)
        for (uint32_t target = 0; target < HED_SYNTH_TARGET_COUNT; target++) {
            if (!hed_synth_target_of(type, target)) continue;
            synth_range range = synth_target_range(type, target);
            bool found = false;
            for (const hed_field *f = synth_fields[type].rows; f->key; f++)
                found |= (float)f->low == range.low && (float)f->high == range.high &&
                         f->tag != SYNTH_FIELD_DIRECTION;
            CHECK(found || target == HED_SYNTH_TARGET_ROTATION, "%s of %s: %g to %g",
                hed_synth_target_name(target), hed_synth_entity_type_name(type), (double)range.low,
                (double)range.high);
            rotations += target == HED_SYNTH_TARGET_ROTATION;
        }
    CHECK_EQ(rotations, 6);
}

/* A parameter that is set at the sample of a controller does not hide that the controller's pokes
 * are of another sample than those before. */
Test(synth_voices, a_block_has_no_more_pokes_than_there_is_room_for)
{
    enum { GROUPS = 100, SOURCES = 16 };
    hed_error error = {0};
    hed_synth_instrument *instrument;
    hed_synth_entity body;
    hed_synth_instrument_def def = hed_default_synth_instrument_def();
    def.mode = HED_SYNTH_VOICES;
    def.voices = 64;
    OK(hed_synth_instrument_create(NULL, &def, &instrument, &error));
    hed_synth_entity_def body_def = hed_default_synth_entity_def(HED_SYNTH_BODY),
                         source = hed_default_synth_entity_def(HED_SYNTH_MIDI_SOURCE);
    OK(hed_synth_instrument_add(instrument, &body_def, NULL, &body, &error));
    for (uint32_t i = 0; i < SOURCES; i++)
        OK(hed_synth_instrument_add(instrument, &source, NULL, &(hed_synth_entity){0}, &error));
    synth_program *program;
    synth_voices *voices;
    hed_allocator allocator = hed_default_allocator();
    synth_program_def program_def = {
        .instrument = instrument, .rate = 48000, .warps = 1, .lanes = 32, .pack = HED_PACK_ROWS};
    OK(synth_program_create(&allocator, &program_def, &program, &error));
    OK(synth_voices_create(
        &allocator, &def, program, &(hed_synth_def){.max_events = 2 * GROUPS}, &voices, &error));
    hed_synth_event events[2 * GROUPS];
    for (uint32_t i = 0; i < GROUPS; i++) {
        events[2 * i] = (hed_synth_event){.frame = i, .kind = HED_SYNTH_EVENT_SET, .entity = body,
            .target = HED_SYNTH_TARGET_MASS, .value = 1};
        events[2 * i + 1] = midi(i, 0xb0, 1, (uint8_t)i);
    }
    const synth_poke *pokes;
    const uint32_t *begin;
    OK(synth_voices_run(voices, events, GROUPS, GROUPS, &pokes, &begin, &error));
    uint32_t group = (SOURCES + 1) * def.voices;
    CHECK_EQ(begin[def.voices], GROUPS / 2 * group);
    CHECK_LT(voices->event_room, GROUPS * group);
    FAILS(HED_ERROR_LIMIT, synth_voices_check(voices, events, 2 * GROUPS, GROUPS, &error));
    synth_voices_destroy(voices);
    synth_program_destroy(program);
    hed_synth_instrument_destroy(instrument);
}

/* ---- what is refused, and what does not matter ---- */

Test(synth_voices, a_block_that_is_refused_has_changed_nothing)
{
    RIG(r, HED_SYNTH_SINGLETON, 1);
    hed_error error = {0};
    const hed_synth_event late[] = {midi(0, 0x90, 60, 100), midi(FRAMES, 0x90, 61, 100)};
    const hed_synth_event disordered[] = {midi(5, 0x90, 60, 100), midi(4, 0x90, 61, 100)};
    const hed_synth_event no_status[] = {midi(5, 0x90, 60, 100), midi(6, 0x60, 61, 100)};
    const hed_synth_event no_data[] = {midi(5, 0x90, 60, 100), midi(6, 0x90, 200, 100)};
    const hed_synth_event no_kind[] = {
        midi(5, 0x90, 60, 100), {.frame = 6, .kind = (hed_synth_event_kind)17}};
    const hed_synth_event no_tempo[] = {
        midi(5, 0x90, 60, 100), {.frame = 6, .kind = HED_SYNTH_EVENT_TEMPO}};
    const hed_synth_event *const wrong[] = {
        late, disordered, no_status, no_data, no_kind, no_tempo};
    for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        FAILS(HED_ERROR_ARGUMENT,
            synth_voices_run(r.voices, wrong[i], 2, FRAMES, &r.pokes, &r.begin, &error));
    static hed_synth_event many[257];
    for (uint32_t i = 0; i < 257; i++) many[i] = midi(0, 0x90, 60, 100);
    FAILS(
        HED_ERROR_LIMIT, synth_voices_run(r.voices, many, 257, FRAMES, &r.pokes, &r.begin, &error));
    CHECK_EQ(synth_voices_sounding(r.voices), 0);
    /* clock and programs are heard and mean nothing */
    PLAY(r, midi(0, 0xf8, 200, 200), midi(0, 0xc0, 5, 0));
    CHECK_EQ(r.begin[1], 0);
    synth_voices_destroy(r.voices);
}

/* ---- notes that are not heard ---- */

/* An instrument that hears 60 to 71 on all channels, and on channel 2 from 48 on. */
static void octave_rig(rig *r, int32_t transpose, bool fold)
{
    *r = open_rig(HED_SYNTH_SINGLETON, 1);
    r->def.low = 48;
    r->def.high = 71;
    r->only = true;
    start_rig_as(r, &(hed_synth_def){.max_events = 4096, .transpose = transpose, .fold = fold});
}

static uint32_t note_of(const rig *r) { return (uint32_t)word(r, 0, ALL + SYNTH_GATE_NOTE); }

Test(synth_voices, notes_that_are_not_heard_are_dropped_and_counted)
{
    rig r;
    octave_rig(&r, 0, false);
    hed_synth_note_info n = synth_voices_notes(r.voices);
    CHECK(n.low == 48 && n.high == 71 && n.struck == 0 && n.dropped == 0);
    PLAY(r, midi(0, 0x90, 84, 100), midi(0, 0x90, 36, 100), midi(1, 0x90, 85, 100),
        midi(1, 0x90, 50, 100));
    CHECK_EQ(r.begin[1], 0, "something was poked");
    PLAY(r, midi(0, 0x80, 84, 0), midi(0, 0x91, 50, 100), midi(0, 0x90, 61, 100),
        midi(5, 0x90, 61, 0));
    n = synth_voices_notes(r.voices);
    CHECK(n.struck == 6 && n.dropped == 4 && n.dropped_low == 36 && n.dropped_high == 85);
    CHECK_EQ(n.deaf_channels, 1, "50 is heard on channel 2 and was dropped on channel 1");
    const hed_synth_event coming[] = {
        midi(0, 0x92, 72, 100), midi(0, 0x92, 50, 1), midi(0, 0x91, 50, 0)};
    n = synth_voices_check_notes(r.voices, coming, 3);
    CHECK(n.struck == 2 && n.dropped == 2 && n.deaf_channels == 4 && n.low == 48 && n.high == 71);
    synth_voices_reset(r.voices);
    n = synth_voices_notes(r.voices);
    CHECK(n.struck == 0 && n.dropped == 0 && n.low == 48);
    synth_voices_destroy(r.voices);
}

Test(synth_voices, notes_are_transposed_and_folded)
{
    rig r;
    octave_rig(&r, -3, false);
    PLAY(r, midi(0, 0x90, 63, 100));
    CHECK(held(&r, 0, ALL) && note_of(&r) == 60);
    /* 59 is not heard; the note ends as it came */
    PLAY(r, midi(0, 0x90, 62, 100), midi(1, 0x80, 63, 0));
    CHECK(!held(&r, 0, ALL) && synth_voices_notes(r.voices).dropped == 1);
    synth_voices_destroy(r.voices);

    rig f;
    octave_rig(&f, 0, true);
    PLAY(f, midi(0, 0x90, 84, 100));
    CHECK(note_of(&f) == 60);
    PLAY(f, midi(0, 0x90, 36 + 5, 100));
    CHECK(note_of(&f) == 65);
    PLAY(f, midi(0, 0x91, 43, 100)); /* the nearest octave that is heard there */
    CHECK(started(&f, 0, SECOND) && word(&f, 0, SECOND + SYNTH_GATE_NOTE) == 55);
    CHECK_EQ(synth_voices_notes(f.voices).dropped, 0);
    synth_voices_destroy(f.voices);
}

Test(synth_voices, notes_folded_to_one_key_hold_it_together)
{
    rig r;
    octave_rig(&r, 0, true);
    PLAY(r, midi(0, 0x90, 60, 100), midi(1, 0x90, 72, 100), midi(2, 0x90, 84, 100));
    PLAY(r, midi(0, 0x80, 72, 0), midi(1, 0x80, 60, 0));
    CHECK(held(&r, 0, ALL), "84 is down still");
    PLAY(r, midi(0, 0xa0, 84, 127), midi(0, 0x80, 84, 0));
    EQUAL(word(&r, 0, TOUCH), 1);
    CHECK(!held(&r, 0, ALL));
    /* all notes off */
    PLAY(r, midi(0, 0x90, 60, 100), midi(0, 0x90, 72, 100), midi(1, 0xb0, 123, 0));
    PLAY(r, midi(0, 0x90, 60, 100), midi(1, 0x80, 60, 0));
    CHECK(!held(&r, 0, ALL), "what ended holds no key");
    synth_voices_destroy(r.voices);
}

Test(synth_voices, however_many_notes_come_at_once)
{
    rig r;
    octave_rig(&r, 0, true);
    static hed_synth_event many[4000];
    for (uint32_t i = 0; i < 4000; i++)
        many[i] = midi(i / 2000, (uint8_t)(0x90 | i % 16), (uint8_t)(i / 16 % 128), 100);
    run(&r, many, 4000, FRAMES);
    CHECK(held(&r, 0, ALL) && synth_voices_notes(r.voices).struck == 4000);
    synth_voices_destroy(r.voices);
}

static uint32_t random_below(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % below;
}

static hed_synth_event random_event(uint32_t *state, uint32_t frame)
{
    static const uint8_t kinds[] = {0x80, 0x90, 0x90, 0x90, 0xa0, 0xb0, 0xb0, 0xd0, 0xe0};
    static const uint8_t controllers[] = {
        1, 6, 11, 38, 64, 64, 98, 99, 100, 101, 120, 121, 123, 127};
    uint8_t kind = kinds[random_below(state, sizeof kinds)],
            first = (uint8_t)(48 + random_below(state, 24));
    if (kind == 0xb0) first = controllers[random_below(state, sizeof controllers)];
    uint8_t second = (uint8_t)random_below(state, 128);
    if (kind == 0xb0 && first >= 98 && first <= 101)
        second = second < 90 ? 0 : second < 100 ? 6 : 127;
    return midi(frame, (uint8_t)(kind | random_below(state, 16)), first, second);
}

/* The same storm in blocks of any length changes the same words before the same samples. */
Test(synth_voices, pokes_do_not_depend_on_the_block)
{
    enum {
        EVENTS = 240,
        LENGTH = 960,
    };
    for (uint32_t mode = HED_SYNTH_SINGLETON; mode <= HED_SYNTH_VOICES_MPE; mode++) {
        uint64_t hashes[4] = {0};
        static const uint32_t blocks[] = {960, 64, 7, 1};
        for (uint32_t b = 0; b < 4; b++) {
            RIG(r, (hed_synth_voice_mode)mode, 5);
            uint32_t state = 7 + mode, next = 0;
            hed_synth_event events[EVENTS];
            for (uint32_t i = 0; i < EVENTS; i++)
                events[i] = random_event(&state, i * LENGTH / EVENTS / 3 * 3);
            for (uint32_t from = 0; from < LENGTH; from += blocks[b]) {
                uint32_t frames = LENGTH - from < blocks[b] ? LENGTH - from : blocks[b], count = 0;
                hed_synth_event block[EVENTS];
                while (next < EVENTS && events[next].frame < from + frames) {
                    block[count] = events[next++];
                    block[count++].frame -= from;
                }
                run(&r, block, count, frames);
                for (uint32_t i = 0; i < r.program.instances; i++)
                    for (uint32_t k = r.begin[i]; k < r.begin[i + 1]; k++) {
                        uint64_t item = ((uint64_t)(r.pokes[k].frame + from) << 40 ^
                                            (uint64_t)r.pokes[k].word << 32 ^ r.pokes[k].value) +
                                        i;
                        item *= 0x9e3779b97f4a7c15u;
                        hashes[b] += item ^ item >> 29; /* in whatever order instances come */
                    }
            }
            hashes[b] += synth_voices_sounding(r.voices);
            synth_voices_destroy(r.voices);
        }
        for (uint32_t b = 1; b < 4; b++)
            CHECK_EQ(hashes[b], hashes[0], "mode %u in blocks of %u", mode, blocks[b]);
    }
}

/* After each event of a storm, words are what they would be if everything that holds was said
 * again. */
Test(synth_voices, what_was_poked_is_what_holds)
{
    for (uint32_t mode = HED_SYNTH_SINGLETON; mode <= HED_SYNTH_VOICES_MPE; mode++) {
        RIG(r, (hed_synth_voice_mode)mode, 4);
        uint32_t state = 99 + mode;
        for (uint32_t i = 0; i < 600; i++) {
            hed_synth_event event = random_event(&state, 0);
            run(&r, &event, 1, 1);
            uint32_t before[MOST][WORDS];
            memcpy(before, r.store, sizeof before);
            synth_voices_adopt(r.voices, r.voices);
            run(&r, NULL, 0, 1);
            for (uint32_t k = 0; k < r.program.instances; k++) {
                CHECK_EQ(r.store[k][SYNTH_DILATION], before[k][SYNTH_DILATION],
                    "mode %u, event %u: dilation", mode, i);
                for (uint32_t g = ALL; g <= SECOND; g += SYNTH_GATE_WORDS)
                    CHECK_EQ(held(&r, k, g), before[k][g + SYNTH_GATE_HELD] != 0,
                        "mode %u, event %u: gate %u", mode, i, g);
                CHECK_EQ(r.store[k][FREQUENCY], before[k][FREQUENCY],
                    "mode %u, event %u: frequency", mode, i);
            }
        }
        synth_voices_reset(r.voices);
        CHECK_EQ(synth_voices_sounding(r.voices), 0);
        run(&r, NULL, 0, 1);
        CHECK_EQ(r.begin[r.program.instances], 0);
        synth_voices_destroy(r.voices);
    }
}

Test(synth_voices, another_program_goes_on_with_what_is_held)
{
    RIG(r, HED_SYNTH_VOICES, 2);
    PLAY(r, midi(0, 0x90, 72, 100), midi(0, 0xb0, 1, 127), midi(0, 0xb0, 64, 127),
        (hed_synth_event){.kind = HED_SYNTH_EVENT_HOST, .number = 7, .value = 0.5f});
    RIG(changed, HED_SYNTH_VOICES, 2);
    changed.targets[0].word = 50; /* words lie elsewhere now */
    changed.gates[0].word = 52;
    synth_voices_adopt(changed.voices, r.voices);
    synth_voices_destroy(r.voices);
    run(&changed, NULL, 0, 16);
    EQUAL(word(&changed, 0, SYNTH_DILATION), 2);
    EQUAL(word(&changed, 0, 50), 1);
    EQUAL(word(&changed, 0, HOST), 0.5);
    CHECK(held(&changed, 0, 52) && !held(&changed, 1, 52));
    PLAY(changed, midi(0, 0x80, 72, 0));
    CHECK(held(&changed, 0, 52));
    PLAY(changed, midi(0, 0xb0, 64, 0));
    CHECK(!held(&changed, 0, 52));
    synth_voices_destroy(changed.voices);
}

Test(synth_voices, memory_that_runs_out_is_reported)
{
    rig r = open_rig(HED_SYNTH_VOICES, 4);
    make_program(&r, 4);
    hed_error error = {0};
    test_allocator counter = {0};
    hed_allocator allocator = test_allocator_of(&counter);
    OK(synth_voices_create(
        &allocator, &r.def, &r.program, &(hed_synth_def){.max_events = 16}, &r.voices, &error));
    int64_t calls = counter.calls;
    PLAY(r, midi(0, 0x90, 60, 100), midi(0, 0xe0, 1, 2), midi(3, 0xb0, 123, 0));
    CHECK_EQ(counter.calls, calls, "playing has allocated");
    synth_voices_destroy(r.voices);
    CHECK_EQ(counter.live, 0);
    for (int64_t n = 1; n <= calls; n++) {
        counter = (test_allocator){.fail_at = n};
        FAILS(HED_ERROR_MEMORY, synth_voices_create(&allocator, &r.def, &r.program,
                                    &(hed_synth_def){.max_events = 16}, &r.voices, &error));
        CHECK(!r.voices && counter.live == 0 && counter.bytes == 0);
    }
    synth_voices_destroy(NULL);
}
