/* ctest: full long */
/* A bowed string locks its partials to one period, at the note's pitch: every sustained note of every
 * instrument, at three velocities and rates. Some weak notes take six seconds to lock. */
#include "synth_pitch.h"

static void expect_part(const pitch_part *part, uint32_t expected)
{
    static const double rates[] = {44100, 48000, 96000};
    static const uint8_t velocities[] = {30, 100, 127};
    test_device t = test_open(NULL);
    uint32_t played = 0;
    for (int rate = 0; rate < 3; rate++)
        for (int velocity = 0; velocity < 3; velocity++)
            for (uint8_t note = part->low; note <= part->high; note++) {
                pitch_expect(t.device,
                    &(pitch_request){part, note, velocities[velocity], rates[rate], 7}, &played);
            }
    CHECK_GE(played, 9 * expected);
    test_close(&t);
}

Test(synth_pitches, viol, .timeout = 3600) { expect_part(&pitch_parts[0], 26); }
Test(synth_pitches, glide, .timeout = 3600) { expect_part(&pitch_parts[1], 22); }
Test(synth_pitches, consort, .timeout = 3600) { expect_part(&pitch_parts[2], 27); }
