/* Volume and expression of channels (controllers 7 and 11). The amplitude is in
 * proportion to the squares of both, as GM recommends (MMA RP-003: 40 log10(value/127) dB), relative
 * to their default values 100 and 127: a song that sets no volume sounds as one that sets 100. */
#include "voices/voices.h"

static const float DEFAULT_VOLUME = 100.0f / 127.0f;

void synth_volume_listen(synth_voices *v)
{
    v->follows_volume = v->follows_expression = false;
    for (uint32_t t = 0; t < v->targets; t++) {
        const synth_target *target = &v->program->targets[t];
        if (target->follow != SYNTH_FOLLOW_MIDI || target->kind != HED_SYNTH_MIDI_CC) continue;
        v->follows_volume |= target->number == SYNTH_CC_VOLUME;
        v->follows_expression |= target->number == SYNTH_CC_EXPRESSION;
    }
}

void synth_volume_reset(synth_voices *v)
{
    for (uint32_t i = 0; i < SYNTH_INSTANCE_LIMIT; i++) v->voices[i].volume = 1.0f;
}

uint32_t synth_volume_pokes(const synth_voices *v)
{
    return 1 + v->program->layout.type[SYNTH_MICROPHONE].count;
}

static float channel_volume(const synth_voices *v, uint32_t channel)
{
    const synth_channel *c = &v->channels[channel];
    float volume = 1.0f;
    if (c->received[SYNTH_CC_VOLUME] && !v->follows_volume) {
        float share = c->value[SYNTH_CC_VOLUME] / DEFAULT_VOLUME;
        volume = share * share;
    }
    if (c->received[SYNTH_CC_EXPRESSION] && !v->follows_expression)
        volume *= c->value[SYNTH_CC_EXPRESSION] * c->value[SYNTH_CC_EXPRESSION];
    return volume;
}

/* Returns the volume of an instance: of its channel; MPE: times that of the zone's manager. The
 * notes of all channels have one instance in SINGLETON, so the loudest channel decides. */
static float instance_volume(const synth_voices *v, uint32_t instance)
{
    const synth_voice *voice = &v->voices[instance];
    if (v->def.mode == HED_SYNTH_SINGLETON) {
        float loudest = 0.0f;
        for (uint32_t c = 0; c < SYNTH_CHANNELS; c++)
            if (v->played >> c & 1) loudest = hed_max(loudest, channel_volume(v, c));
        return v->played ? loudest : 1.0f;
    }
    uint32_t manager = synth_control_manager(v, voice->channel);
    float volume = channel_volume(v, voice->channel);
    return manager == SYNTH_NO_CHANNEL ? volume : volume * channel_volume(v, manager);
}

void synth_volume_update(synth_voices *v, uint32_t instance, bool jumps)
{
    synth_voice *voice = &v->voices[instance];
    bool is_single = v->def.mode == HED_SYNTH_SINGLETON;
    if (!is_single && (!voice->used || !voice->follows)) return;
    float volume = instance_volume(v, instance);
    if (volume == voice->volume) return;
    voice->volume = volume;
    synth_voices_poke_float(v, instance, SYNTH_VOLUME, volume);
    const synth_layout *layout = &v->program->layout;
    for (uint32_t i = 0; jumps && i < layout->type[SYNTH_MICROPHONE].count; i++)
        synth_voices_poke_float(v, instance,
            synth_state_word(layout, SYNTH_MICROPHONE, MICROPHONE_S_VOLUME, i), volume);
}
