/* ctest: full long */
/* A bowed string locks its partials to one period, at the note's pitch: every sustained note of every
 * instrument, at three velocities and rates. Some weak notes take six seconds to lock. */
#include "synth_pitch.h"

static void expect_part(const pitch_part *part, double rate, uint32_t expected)
{
    static const uint8_t velocities[] = {30, 100, 127};
    test_device t = test_open(NULL);
    uint32_t played = 0;
    for (int velocity = 0; velocity < 3; velocity++)
        for (uint8_t note = part->low; note <= part->high; note++) {
            pitch_expect(
                t.device, &(pitch_request){part, note, velocities[velocity], rate, 7}, &played);
        }
    CHECK_GE(played, 3 * expected);
    test_close(&t);
}

Test(synth_pitches, viol_44100, .timeout = 3600) { expect_part(&pitch_parts[0], 44100, 26); }
Test(synth_pitches, viol_48000, .timeout = 3600) { expect_part(&pitch_parts[0], 48000, 26); }
Test(synth_pitches, viol_96000, .timeout = 3600) { expect_part(&pitch_parts[0], 96000, 26); }
Test(synth_pitches, glide_44100, .timeout = 3600) { expect_part(&pitch_parts[1], 44100, 22); }
Test(synth_pitches, glide_48000, .timeout = 3600) { expect_part(&pitch_parts[1], 48000, 22); }
Test(synth_pitches, glide_96000, .timeout = 3600) { expect_part(&pitch_parts[1], 96000, 22); }
Test(synth_pitches, consort_44100, .timeout = 3600) { expect_part(&pitch_parts[2], 44100, 27); }
Test(synth_pitches, consort_48000, .timeout = 3600) { expect_part(&pitch_parts[2], 48000, 27); }
Test(synth_pitches, consort_96000, .timeout = 3600) { expect_part(&pitch_parts[2], 96000, 27); }
