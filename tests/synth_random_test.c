/* ctest: devices */
/* Instruments put together by chance, with entities removed again, any modulation that is allowed,
 * notes and automation, and a change in the middle: plain C and a work-group give the same bits,
 * whatever the block and the packing. */
#include "testing.h"

#include "heddle/synth.h"

static hed_error error;

enum { FRAMES = 240, CHANGE_AT = 128, MOST_EVENTS = 24 };

/* Numerical Recipes' quick generator is enough here. */
static uint32_t draw(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(*state >> 8) * below >> 24);
}

static float uniform(uint32_t *state, float low, float high)
{
    return low + (high - low) * (float)draw(state, 10000) * 1e-4f;
}

static void set_direction(uint32_t *state, float direction[3])
{
    for (int k = 0; k < 3; k++) direction[k] = uniform(state, -1, 1) + (k == 2 ? 2.0f : 0.0f);
}

static hed_synth_entity any(
    uint32_t *state, const hed_synth_instrument *instrument, hed_synth_entity_type type)
{
    uint32_t count = hed_synth_instrument_count(instrument, type);
    return count ? hed_synth_instrument_at(instrument, type, draw(state, count)) : 0;
}

static void set_exciter(uint32_t *state, hed_synth_entity_def *def)
{
    hed_synth_route route = {(uint8_t)draw(state, 3), 0, (uint8_t)(60 + draw(state, 60))};
    switch (def->type) {
    case HED_SYNTH_MALLET:
        set_direction(state, def->as.mallet.direction);
        def->as.mallet.noise = uniform(state, 0, 0.5f);
        def->as.mallet.route = route;
        break;
    case HED_SYNTH_PLECTRUM: set_direction(state, def->as.plectrum.direction); break;
    case HED_SYNTH_BOW:
        set_direction(state, def->as.bow.direction);
        def->as.bow.route = route;
        break;
    case HED_SYNTH_OSCILLATOR:
        def->as.oscillator.wave = (hed_synth_wave)draw(state, HED_SYNTH_WAVE_COUNT);
        def->as.oscillator.follows_note = draw(state, 2);
        break;
    case HED_SYNTH_AUDIO_INPUT:
        def->as.audio_input.channel = draw(state, 3); /* 2 is not there */
        def->as.audio_input.gated = draw(state, 2);
        break;
    default: break;
    }
}

static void set_other(
    uint32_t *state, const hed_synth_instrument *instrument, hed_synth_entity_def *def)
{
    switch (def->type) {
    case HED_SYNTH_BODY:
        for (int k = 0; k < 3; k++) def->as.body.position[k] = uniform(state, 0, 0.3f);
        def->as.body.mass = uniform(state, 0.0005f, 0.002f);
        def->as.body.anchored = draw(state, 4) == 0;
        break;
    case HED_SYNTH_SPRING:
        def->as.spring.from = any(state, instrument, HED_SYNTH_BODY);
        while (
            (def->as.spring.to = any(state, instrument, HED_SYNTH_BODY)) == def->as.spring.from) {}
        def->as.spring.stiffness = uniform(state, 100, 5000);
        def->as.spring.rest_length = uniform(state, -1.0f, -0.8f);
        def->as.spring.damping = draw(state, 2) ? 0.001f : 0.0f;
        def->as.spring.cubic = draw(state, 3) ? 0.0f : 1e4f;
        break;
    case HED_SYNTH_MICROPHONE:
        def->as.microphone.heard = draw(state, 4) > 0;
        def->as.microphone.ratio = draw(state, 2) ? 3.0f : 1.0f;
        def->as.microphone.threshold = -40;
        def->as.microphone.isotropy = uniform(state, 0, 1);
        break;
    case HED_SYNTH_LFO:
        def->as.lfo.wave = (hed_synth_wave)draw(state, HED_SYNTH_WAVE_COUNT);
        def->as.lfo.frequency = uniform(state, 1, 500);
        def->as.lfo.retrigger = draw(state, 2);
        break;
    case HED_SYNTH_FOLLOWER:
        def->as.follower.source = any(state, instrument, HED_SYNTH_MICROPHONE);
        break;
    case HED_SYNTH_MIDI_SOURCE:
        def->as.midi_source.kind = (hed_synth_midi_kind)draw(state, HED_SYNTH_MIDI_KIND_COUNT);
        break;
    case HED_SYNTH_DELAY_LINE:
        def->as.delay_line.source = any(state, instrument, HED_SYNTH_MICROPHONE);
        def->as.delay_line.seconds = uniform(state, 0, 0.002f);
        break;
    default: set_exciter(state, def); break;
    }
}

static hed_synth_entity add_any(
    uint32_t *state, hed_synth_instrument *instrument, hed_synth_entity_type type)
{
    hed_synth_entity_def def = hed_default_synth_entity_def(type);
    hed_synth_entity made;
    set_other(state, instrument, &def);
    OK(hed_synth_instrument_add(instrument, &def, NULL, &made, &error));
    bool links =
        (type >= HED_SYNTH_MALLET && type <= HED_SYNTH_AUDIO_INPUT) || type == HED_SYNTH_MICROPHONE;
    for (uint32_t k = draw(state, type == HED_SYNTH_MICROPHONE ? 40 : 5); links && k > 0; k--)
        OK(hed_synth_instrument_link(instrument, made, any(state, instrument, HED_SYNTH_BODY),
            uniform(state, -1, 1), &error));
    if (type == HED_SYNTH_AUDIO_INPUT && draw(state, 2) &&
        hed_synth_instrument_count(instrument, HED_SYNTH_DELAY_LINE))
        OK(hed_synth_instrument_link(
            instrument, made, any(state, instrument, HED_SYNTH_DELAY_LINE), 0.5f, &error));
    return made;
}

static void modulate_any(uint32_t *state, hed_synth_instrument *instrument)
{
    hed_synth_modulation_def def = {
        .mode = (hed_synth_modulation_mode)draw(state, HED_SYNTH_MODULATION_MODE_COUNT),
        .depth = uniform(state, 0, 0.1f)};
    hed_synth_entity_type type = (hed_synth_entity_type)draw(state, HED_SYNTH_ENTITY_TYPE_COUNT);
    if (type == HED_SYNTH_DAMPER) return; /* it has no parameter to modulate */
    def.source = any(state, instrument, (hed_synth_entity_type)(HED_SYNTH_LFO + draw(state, 4)));
    def.entity = any(state, instrument, type);
    def.invert = draw(state, 2);
    do def.target = (hed_synth_target)draw(state, HED_SYNTH_TARGET_COUNT);
    while (!hed_synth_target_of(type, def.target));
    if (!def.source || !def.entity) return;
    if (def.target == HED_SYNTH_TARGET_MASS || def.target == HED_SYNTH_TARGET_STIFFNESS)
        def.mode = HED_SYNTH_MODULATE_MULTIPLY;
    hed_synth_entity_def target;
    OK(hed_synth_instrument_get(instrument, def.entity, &target, &error));
    bool place =
        def.target >= HED_SYNTH_TARGET_POSITION_X && def.target <= HED_SYNTH_TARGET_POSITION_Z;
    /* only anchors can be moved */
    if (type == HED_SYNTH_BODY && place && !target.as.body.anchored) return;
    OK(hed_synth_instrument_modulate(instrument, &def, &error));
}

/* A few more of everything, then some of it removed. */
static void grow(uint32_t *state, hed_synth_instrument *instrument, uint32_t most)
{
    for (uint32_t k = 2 + draw(state, most); k > 0; k--) add_any(state, instrument, HED_SYNTH_BODY);
    for (uint32_t k = draw(state, 2 * most); k > 0; k--)
        add_any(state, instrument, HED_SYNTH_SPRING);
    for (uint32_t k = 1 + draw(state, 3); k > 0; k--)
        add_any(state, instrument, HED_SYNTH_MICROPHONE);
    for (uint32_t type = HED_SYNTH_DELAY_LINE; type >= HED_SYNTH_MALLET; type--)
        for (uint32_t k = draw(state, 4); k > 0; k--)
            add_any(state, instrument, (hed_synth_entity_type)type);
    for (uint32_t k = draw(state, 12); k > 0; k--) modulate_any(state, instrument);
    for (uint32_t k = draw(state, 6); k > 0; k--) {
        hed_synth_entity_type type =
            (hed_synth_entity_type)draw(state, HED_SYNTH_ENTITY_TYPE_COUNT);
        hed_synth_entity gone = any(state, instrument, type);
        if (gone &&
            (type != HED_SYNTH_BODY || hed_synth_instrument_count(instrument, HED_SYNTH_BODY) > 2))
            OK(hed_synth_instrument_remove(instrument, gone, &error));
    }
}

typedef struct piece {
    hed_synth_instrument *instrument, *changed;
    hed_synth_event events[MOST_EVENTS];
    uint32_t event_count;
} piece;

static void compose(piece *p, uint32_t seed)
{
    uint32_t state = seed * 77 + 1;
    hed_synth_instrument_def def = hed_default_synth_instrument_def();
    def.mode = (hed_synth_voice_mode)(seed % 3);
    def.voices = 1 + seed % 4;
    def.low = 50;
    def.high = 70;
    def.root_note = 70; /* slower only: so that springs stay stable */
    def.note_bend_range = 2;
    OK(hed_synth_instrument_create(NULL, &def, &p->instrument, &error));
    grow(&state, p->instrument, 30);
    OK(hed_synth_instrument_copy(p->instrument, &p->changed, &error));
    grow(&state, p->changed, 4);
    p->event_count = MOST_EVENTS;
    for (uint32_t i = 0, frame = 0; i < MOST_EVENTS; i++) {
        static const uint8_t statuses[] = {0x90, 0x90, 0x80, 0xb0, 0xd0, 0xe0};
        frame += draw(&state, 2 * FRAMES / MOST_EVENTS - 1);
        p->events[i] = (hed_synth_event){.frame = frame,
            .bytes = {statuses[draw(&state, 6)], (uint8_t)(50 + draw(&state, 20)),
                (uint8_t)draw(&state, 128)}};
        if (draw(&state, 4) == 0)
            p->events[i] = (hed_synth_event){
                .frame = frame, .kind = HED_SYNTH_EVENT_TEMPO, .value = uniform(&state, 60, 200)};
        if (frame >= FRAMES) p->event_count = p->event_count < i ? p->event_count : i;
    }
}

static void play(
    hed_synth *synth, const piece *p, uint32_t block, uint32_t from, uint32_t to, float *sound)
{
    static float input[2][FRAMES];
    for (uint32_t n = 0; n < FRAMES; n++)
        input[0][n] = (float)(n % 17) * 0.05f - 0.4f, input[1][n] = (float)(n % 5) * 0.1f;
    for (uint32_t at = from, frames; at < to; at += frames) {
        hed_synth_event events[MOST_EVENTS];
        uint32_t count = 0;
        frames = to - at < block ? to - at : block;
        for (uint32_t i = 0; i < p->event_count; i++) {
            if (p->events[i].frame < at || p->events[i].frame >= at + frames) continue;
            events[count] = p->events[i];
            events[count++].frame -= at;
        }
        const float *const inputs[] = {input[0] + at, input[1] + at};
        hed_synth_block b = {.frames = frames, .events = events, .event_count = count,
            .inputs = inputs, .left = sound + at, .right = sound + FRAMES + at};
        OK(hed_synth_process(synth, &b, &error));
    }
}

static void render(hed_device *device, hed_synth_solver solver, uint32_t block,
    hed_pack_method pack, const piece *p, float *sound)
{
    hed_synth_def def = hed_default_synth_def();
    hed_synth *synth;
    hed_synth_change *change;
    def.instrument = p->instrument;
    def.solver = solver;
    def.math = HED_MATH_STRICT;
    def.block = block;
    def.pack = pack;
    def.inputs = 2;
    OK(hed_synth_create(device, &def, &synth, &error));
    play(synth, p, block, 0, CHANGE_AT, sound);
    OK(hed_synth_prepare(synth, p->changed, &change, &error));
    OK(hed_synth_apply(synth, change, &error));
    hed_synth_change_destroy(change);
    play(synth, p, block, CHANGE_AT, FRAMES, sound);
    hed_synth_destroy(synth);
}

static void expect_same(hed_device *host, hed_device *device, uint32_t seed, uint32_t *sounding)
{
    static float expected[2 * FRAMES], found[2 * FRAMES];
    piece p;
    compose(&p, seed);
    render(host, HED_SYNTH_SOLVER_CPU, 64, HED_PACK_ROWS, &p, expected);
    render(device, seed % 2 ? HED_SYNTH_SOLVER_GROUP : HED_SYNTH_SOLVER_GLOBAL, 1 + seed % 90,
        (hed_pack_method)(seed % HED_PACK_METHOD_COUNT), &p, found);
    bool sounds = false;
    for (uint32_t i = 0; i < 2 * FRAMES; i++) {
        sounds = sounds || expected[i] != 0;
        CHECK(memcmp(expected + i, found + i, sizeof *found) == 0,
            "seed %u: sample %u is %.9g, of plain C %.9g", seed, i, found[i], expected[i]);
    }
    *sounding += sounds;
    hed_synth_instrument_destroy(p.instrument);
    hed_synth_instrument_destroy(p.changed);
}

Test(synth_random, groups_play_as_plain_c)
{
    test_device t = test_open(NULL);
    hed_device *host;
    uint32_t sounding = 0, pieces = 120;
    OK(hed_device_find(t.context, "host", &host, &error));
    for (uint32_t seed = 0; seed < pieces; seed++) expect_same(host, t.device, seed, &sounding);
    CHECK_GT(sounding, pieces / 4, "only %u of %u pieces sound", sounding, pieces);
    test_close(&t);
}
