/* A bowed string locks its partials to one period, at the note's pitch: some notes of the
 * instruments that sustain. synth_pitches has all of them. */
#include "synth_pitch.h"

Test(synth_pitch, sustained_notes_have_one_period, .timeout = 240)
{
    static const pitch_request requests[] = {
        {&pitch_parts[0], 40, 100, 48000, 3},
        {&pitch_parts[0], 40, 30, 48000, 1}, /* slips twice if the force alone follows velocity */
        {&pitch_parts[0], 52, 100, 48000, 3},
        {&pitch_parts[0], 60, 30, 48000, 3},
        {&pitch_parts[0], 65, 127, 44100, 3},
        {&pitch_parts[0], 65, 100, 96000, 2},
        {&pitch_parts[1], 36, 100, 48000, 3},
        {&pitch_parts[1], 57, 100, 44100, 3},
        {&pitch_parts[2], 57, 100, 48000, 3},
    };
    test_device t = test_open(NULL);
    uint32_t played = 0;
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        pitch_expect(t.device, &requests[i], &played);
    CHECK_EQ(played, sizeof requests / sizeof *requests);
    test_close(&t);
}
