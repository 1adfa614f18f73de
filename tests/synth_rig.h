/* What the tests of the synth's physics share: an instrument that is built and played sample by
 * sample on the host. */
#ifndef HED_TESTS_SYNTH_RIG_H
#define HED_TESTS_SYNTH_RIG_H

#include <math.h>

#include "heddle/synth.h"
#include "testing.h"

#define RATE 48000.0
static const double PI = 3.14159265358979323846;

typedef struct rig {
    test_device t;
    hed_synth_instrument *instrument;
    hed_synth *synth;
    hed_error error;
    float left[4096], right[4096], sound[4096];
} rig;

static inline void rig_open(rig *r, const hed_synth_instrument_def *def)
{
    memset(r, 0, sizeof *r);
    hed_error error = {0};
    r->t = test_open(NULL);
    OK(hed_synth_instrument_create(NULL, def, &r->instrument, &error));
}

static inline void rig_close(rig *r)
{
    hed_synth_destroy(r->synth);
    hed_synth_instrument_destroy(r->instrument);
    test_close(&r->t);
}

static inline hed_synth_entity rig_add(rig *r, const hed_synth_entity_def *def)
{
    hed_error error = {0};
    hed_synth_entity entity;
    OK(hed_synth_instrument_add(r->instrument, def, NULL, &entity, &error));
    return entity;
}

static inline void rig_link(rig *r, hed_synth_entity from, hed_synth_entity to, float weight)
{
    hed_error error = {0};
    OK(hed_synth_instrument_link(r->instrument, from, to, weight, &error));
}

static inline hed_synth_entity rig_body(rig *r, float x, float mass, float damping)
{
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_BODY);
    def.as.body = (hed_synth_body_def){.position = {x, 0, 0}, .mass = mass > 0 ? mass : 1,
        .damping = damping, .anchored = mass <= 0};
    return rig_add(r, &def);
}

static inline hed_synth_entity rig_spring(
    rig *r, hed_synth_entity from, hed_synth_entity to, float stiffness, float rest_length)
{
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_SPRING);
    def.as.spring = (hed_synth_spring_def){
        .from = from, .to = to, .stiffness = stiffness, .rest_length = rest_length};
    return rig_add(r, &def);
}

/* Channel 0 as a force of `gain` N at full scale. */
static inline hed_synth_entity rig_input(rig *r, float x, float y, float gain)
{
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_AUDIO_INPUT);
    def.as.audio_input.direction[0] = x;
    def.as.audio_input.direction[1] = y;
    def.as.audio_input.direction[2] = 0;
    def.as.audio_input.channel = 0;
    def.as.audio_input.gain = gain;
    def.as.audio_input.gated = false;
    return rig_add(r, &def);
}

/* An anchor whose x `source` moves by `depth`: its displacement is what the modulator gives. */
static inline hed_synth_entity rig_probe(rig *r, hed_synth_entity source, float depth)
{
    hed_error error = {0};
    hed_synth_entity body = rig_body(r, 0, 0, 0);
    hed_synth_modulation_def def = {.source = source, .entity = body,
        .target = HED_SYNTH_TARGET_POSITION_X, .mode = HED_SYNTH_MODULATE_ADD, .depth = depth};
    OK(hed_synth_instrument_modulate(r->instrument, &def, &error));
    return body;
}

static inline void rig_start(rig *r)
{
    hed_error error = {0};
    hed_synth_def def = hed_default_synth_def();
    def.instrument = r->instrument;
    def.rate = RATE;
    def.block = 4096;
    def.inputs = 1;
    def.solver = HED_SYNTH_SOLVER_CPU;
    def.seed = 7;
    OK(hed_synth_create(r->t.device, &def, &r->synth, &error));
}

static inline void rig_play_events(
    rig *r, uint32_t frames, const hed_synth_event *events, uint32_t count)
{
    hed_error error = {0};
    const float *inputs[1] = {r->sound};
    hed_synth_block block = {.frames = frames, .events = events, .event_count = count,
        .inputs = inputs, .left = r->left, .right = r->right};
    OK(hed_synth_process(r->synth, &block, &error));
}

/* `samples` of silence on the input. */
static inline void rig_play(rig *r, uint64_t samples)
{
    memset(r->sound, 0, sizeof r->sound);
    for (uint64_t done = 0; done < samples;) {
        uint32_t frames = samples - done < 4096 ? (uint32_t)(samples - done) : 4096;
        rig_play_events(r, frames, NULL, 0);
        done += frames;
    }
}

/* One sample of full scale on the input, and the one in which its force arrives. */
static inline void rig_hit(rig *r)
{
    r->sound[0] = 1;
    rig_play_events(r, 1, NULL, 0);
    rig_play(r, 1);
}

static inline void rig_note(rig *r, uint8_t note, uint8_t velocity)
{
    hed_synth_event event = {.kind = HED_SYNTH_EVENT_MIDI,
        .bytes = {velocity ? 0x90 : 0x80, note, velocity ? velocity : 64}};
    memset(r->sound, 0, sizeof r->sound);
    rig_play_events(r, 1, &event, 1);
}

/* Displacements and velocities, (bodies x 3), of instance 0. */
static inline void rig_read(rig *r, float *places, float *speeds)
{
    hed_error error = {0};
    OK(hed_synth_read_bodies(r->synth, 0, places, speeds, &error));
}

static inline double cents(double a, double b) { return 1200.0 * log2(a / b); }

#endif
