/* ctest: devices */
/* Volume and expression of channels are heard: in stems and in the sound, from a note's first sample
 * on; a change is followed within a few milliseconds. */
#include "heddle/synth_file.h"
#include "testing.h"

#include <math.h>

enum { FRAMES = 9600, BLOCK = 240 };

/* Plays note 57 of vibes from frame 10 on; controller `number` is `before` at frame 0 and `later` at
 * frame 4800. */
static void play(uint8_t number, uint8_t before, uint8_t later, float *left)
{
    hed_error error = {0};
    test_device t = test_open(NULL);
    hed_synth_instrument *instrument;
    hed_synth *synth;
    OK(hed_synth_instrument_read("data/instruments/vibes.json", &instrument, &error));
    hed_synth_def def = hed_default_synth_def();
    def.instrument = instrument;
    def.math = HED_MATH_STRICT;
    OK(hed_synth_create(t.device, &def, &synth, &error));
    const hed_synth_event events[] = {
        {.kind = HED_SYNTH_EVENT_MIDI, .bytes = {0xb2, number, before}},
        {.frame = 10, .kind = HED_SYNTH_EVENT_MIDI, .bytes = {0x92, 57, 60}},
        {.kind = HED_SYNTH_EVENT_MIDI, .bytes = {0xb2, number, later}}};
    for (uint32_t first = 0; first < FRAMES; first += BLOCK) {
        float right[BLOCK];
        hed_synth_block block = {.frames = BLOCK, .left = left + first, .right = right,
            .events = first ? events + 2 : events,
            .event_count = first == 0 ? 2 : first == 4800};
        OK(hed_synth_process(synth, &block, &error));
    }
    hed_synth_destroy(synth);
    hed_synth_instrument_destroy(instrument);
    test_close(&t);
}

static void expect_ratio(
    const float *found, const float *plain, uint32_t from, uint32_t to, double ratio)
{
    for (uint32_t n = from; n < to; n++)
        CHECK(fabs(found[n] - ratio * plain[n]) <= 1e-6 + 1e-5 * fabs((double)plain[n]),
            "frame %u: %g of %g, expected %g", n, (double)found[n], (double)plain[n], ratio);
}

Test(synth_volume, controllers_7_and_11_scale_the_sound)
{
    static float plain[FRAMES], found[FRAMES];
    play(7, 100, 100, plain); /* the default */
    play(7, 50, 25, found);
    expect_ratio(found, plain, 0, 4800, 0.25);
    expect_ratio(found, plain, 4800 + 4000, FRAMES, 0.0625);
    play(11, 127, 0, found);
    expect_ratio(found, plain, 0, 4800, 1);
    expect_ratio(found, plain, 4800 + 4000, FRAMES, 0);
}
