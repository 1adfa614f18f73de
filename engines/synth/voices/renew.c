/* Words of stores that were reset or replaced: all current values again. */
#include "voices/voices.h"

void synth_voices_renew_instance(synth_voices *v, uint32_t i)
{
    synth_sleep_wake_all(v, i);
    synth_settings_renew(v, i);
    synth_volume_update(v, i, true);
    if (v->voices[i].used) synth_control_dilate(v, i);
    for (uint32_t t = 0; t < v->targets; t++) synth_control_target(v, i, t, false);
    synth_notes_renew(v, i);
}

void synth_voices_renew(synth_voices *v)
{
    v->renew = false;
    for (uint32_t i = 0; i < v->instances; i++) synth_voices_renew_instance(v, i);
}

/* Silences instances, a bit each: resets their gate counts, since notes of this very sample may
 * have started gates. */
static void silence_instances(synth_voices *v, uint64_t silenced)
{
    for (uint32_t i = 0; i < v->instances; i++) {
        if (!(silenced >> i & 1)) continue;
        v->voices[i].volume = 1.0f;
        for (uint32_t g = 0; g < v->program->layout.gates; g++) {
            uint32_t word = v->program->gates[g].word + SYNTH_GATE_COUNT;
            synth_voices_poke(v, i, word, v->program->image[word]);
            synth_voices_poke(v, i, v->program->gates[g].word + SYNTH_GATE_HELD, 0);
        }
    }
    v->silenced |= silenced;
    synth_voices_renew(v);
}

void synth_voices_silence(synth_voices *v, uint32_t channel)
{
    silence_instances(v, synth_notes_silence(v, channel));
}

void synth_voices_restart(synth_voices *v)
{
    for (uint32_t c = 0; c < SYNTH_CHANNELS; c++) {
        synth_control_default(&v->channels[c]);
        for (uint32_t key = 0; key < SYNTH_KEYS; key++)
            v->keys[c][key].touched = v->keys[c][key].is_caught = false;
    }
    synth_control_default(&v->all_channels);
    v->played = 0;
    for (uint32_t c = 0; c < SYNTH_CHANNELS; c++) synth_voices_silence(v, c);
}

void synth_voices_choke(synth_voices *v, uint32_t channel, uint32_t note)
{
    if (synth_notes_choke(v, channel, note)) silence_instances(v, 1);
}

void synth_voices_end_fades(synth_voices *v)
{
    for (uint32_t i = 0; i < v->instances; i++) {
        v->fade_begin[i] = SYNTH_NO_FADE;
        if (v->voices[i].used || !v->voices[i].fades || v->voices[i].fades > v->now) continue;
        v->voices[i] = (synth_voice){.volume = 1.0f};
        v->faded |= (uint64_t)1 << i;
        synth_voices_renew_instance(v, i);
    }
}
