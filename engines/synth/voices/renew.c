/* Words of stores that were reset or replaced: all current values again. */
#include "voices/voices.h"

void synth_voices_renew(synth_voices *v)
{
    v->renew = false;
    for (uint32_t i = 0; i < v->instances; i++) synth_sleep_wake_all(v, i);
    synth_settings_renew(v);
    for (uint32_t i = 0; i < v->instances; i++) {
        if (v->voices[i].used) synth_control_dilate(v, i);
        for (uint32_t t = 0; t < v->targets; t++) synth_control_target(v, i, t, false);
    }
    synth_notes_renew(v);
}

/* Silences a channel: resets gate counts of the silenced instances, since notes of this very
 * sample may have started gates. */
void synth_voices_silence(synth_voices *v, uint32_t channel)
{
    uint64_t silenced = synth_notes_silence(v, channel);
    for (uint32_t i = 0; i < v->instances; i++)
        for (uint32_t g = 0; silenced >> i & 1 && g < v->program->layout.gates; g++) {
            uint32_t word = v->program->gates[g].word + SYNTH_GATE_COUNT;
            synth_voices_poke(v, i, word, v->program->image[word]);
            synth_voices_poke(v, i, v->program->gates[g].word + SYNTH_GATE_HELD, 0);
        }
    v->silenced |= silenced;
    synth_voices_renew(v);
}
