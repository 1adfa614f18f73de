/* What the tests of live playing share: an instrument, its sound rendered at leisure, a JACK server
 * of our own, and a client that records. */
#ifndef HED_TESTS_SYNTH_LIVE_H
#define HED_TESTS_SYNTH_LIVE_H

#include "testing.h"

#include "heddle/synth_live.h"

/* A string with a hammer; the note that it plays is of no matter. `detune`: the instrument to
 * change to. */
static inline hed_synth_instrument *live_instrument(bool detune)
{
    hed_error error = {0};
    hed_synth_instrument *instrument;
    hed_synth_generated string;
    hed_synth_entity mallet, microphone;
    OK(hed_synth_instrument_create(NULL, NULL, &instrument, &error));
    hed_synth_grid_def grid = hed_default_synth_grid_def();
    grid.size[0] = 18;
    grid.anchor_ends[0][0] = grid.anchor_ends[0][1] = true;
    grid.spring.rest_length = -0.5f;
    grid.body.damping = 3;
    grid.tune = detune ? 330 : 220;
    OK(hed_synth_instrument_add_grid(instrument, &grid, "string", &string, &error));
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_MALLET);
    OK(hed_synth_instrument_add(instrument, &def, "mallet", &mallet, &error));
    OK(hed_synth_instrument_link(instrument, mallet, string.first_body + 5, 1, &error));
    def = hed_default_synth_entity_def(HED_SYNTH_MICROPHONE);
    def.as.microphone.position[2] = 0.1f;
    def.as.microphone.pan = -0.3f;
    OK(hed_synth_instrument_add(instrument, &def, "microphone", &microphone, &error));
    for (uint32_t i = 0; i < string.bodies; i++)
        OK(hed_synth_instrument_link(instrument, microphone, string.first_body + i, 1, &error));
    return instrument;
}

static inline hed_synth_event live_note(uint8_t status, uint8_t velocity)
{
    return (hed_synth_event){.kind = HED_SYNTH_EVENT_MIDI, .bytes = {status, 60, velocity}};
}

/* `frames` of it with a note at sample `at`; in blocks of 100. */
static inline void live_render(hed_device *device, const hed_synth_def *live, uint32_t at,
    float *left, float *right, uint32_t frames)
{
    hed_error error = {0};
    hed_synth *synth;
    hed_synth_def def = *live;
    def.solver = HED_SYNTH_SOLVER_CPU;
    def.rate = 48000;
    def.block = 100;
    OK(hed_synth_create(device, &def, &synth, &error));
    hed_synth_event note = live_note(0x90, 100);
    note.frame = at % 100;
    for (uint32_t first = 0; first < frames; first += 100) {
        hed_synth_block block = {.frames = frames - first < 100 ? frames - first : 100,
            .left = left + first, .right = right + first};
        block.events = &note;
        block.event_count = first == at - at % 100;
        OK(hed_synth_process(synth, &block, &error));
    }
    hed_synth_destroy(synth);
}

/* The first sample above a level. Nothing is zero for long: against denormals a bias of some 10^-20
 * m moves every body. */
static inline uint32_t live_first_above(const float *left, uint32_t frames, float level)
{
    uint32_t n = 0;
    while (n < frames && !(left[n] > level || left[n] < -level)) n++;
    return n;
}

#endif
