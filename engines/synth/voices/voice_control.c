/* Channel state: the values of words that follow controllers, bend and pressure; the dilation of
 * voices. Zones by MPE 1.0 (RP-053): until a zone is set, MPE has the lower zone with all
 * channels. */
#include "voices/voices.h"

static float exp2_of(float octaves) { return hed_pow(2.0f, octaves); }

/* ---- zones ---- */

uint32_t synth_control_manager(const synth_voices *v, uint32_t channel)
{
    if (v->def.mode != HED_SYNTH_VOICES_MPE) return SYNTH_NO_CHANNEL;
    if (channel >= 1 && channel <= v->members[0]) return 0;
    if (channel <= 14 && channel + v->members[1] >= 15) return 15;
    return SYNTH_NO_CHANNEL;
}

bool synth_control_pressed(const synth_voices *v, uint32_t channel, uint32_t pedal)
{
    uint32_t manager = synth_control_manager(v, channel);
    return v->channels[channel].value[pedal] >= 0.5f ||
           (manager != SYNTH_NO_CHANNEL && v->channels[manager].value[pedal] >= 0.5f);
}

/* ---- bends ---- */

/* Returns the bend range of a channel, semitones. */
static float range_of(const synth_voices *v, uint32_t channel)
{
    const synth_channel *c = &v->channels[channel];
    if (c->ranged) return (float)c->semitones + 0.01f * (float)c->cents;
    return synth_control_manager(v, channel) != SYNTH_NO_CHANNEL ? v->def.note_bend_range
                                                                 : v->def.bend_range;
}

/* Returns the bend of a channel's notes, semitones. */
static float bend_of(const synth_voices *v, uint32_t channel)
{
    uint32_t manager = synth_control_manager(v, channel);
    float bend = v->channels[channel].value[SYNTH_CONTROL_BEND] * range_of(v, channel);
    if (manager != SYNTH_NO_CHANNEL)
        bend += v->channels[manager].value[SYNTH_CONTROL_BEND] * range_of(v, manager);
    return bend;
}

void synth_control_dilate(synth_voices *v, uint32_t instance)
{
    synth_voice *voice = &v->voices[instance];
    if (voice->follows) voice->bend = bend_of(v, voice->channel);
    float bend = voice->bend + voice->glide;
    float dilation = exp2_of((v->pitch[voice->note] - v->def.root_note + bend) / 12.0f);
    /* a range set by MIDI may exceed the dilation for which the instrument is proven stable */
    if (dilation > v->largest_dilation) dilation = v->largest_dilation;
    synth_voices_poke_float(
        v, instance, SYNTH_DILATION, (float)synth_dilation_at(&v->def, dilation, v->program->rate));
}

/* ---- words that follow ---- */

bool synth_control_reaches(const synth_target *target, uint32_t channel, uint32_t control)
{
    if (control == SYNTH_CONTROL_BEND && target->follow == SYNTH_FOLLOW_NOTE) return true;
    if (target->follow != SYNTH_FOLLOW_MIDI || !synth_route_channel(&target->route, channel))
        return false;
    switch (target->kind) {
    case HED_SYNTH_MIDI_CC: return control < SYNTH_CC_SOUND_OFF && target->number == control;
    case HED_SYNTH_MIDI_BEND: return control == SYNTH_CONTROL_BEND;
    case HED_SYNTH_MIDI_PRESSURE: return control == SYNTH_CONTROL_PRESSURE;
    default: return false;
    }
}

/* Finds the channel and key that a target follows in an instance. False: no note has played. */
static bool control_key_of(
    const synth_voices *v, uint32_t instance, uint32_t target, uint32_t *channel, uint32_t *note)
{
    if (v->def.mode == HED_SYNTH_SINGLETON) {
        uint32_t last = v->last[target];
        *channel = last >> 7;
        *note = last & 127;
        return last != SYNTH_NONE;
    }
    const synth_voice *voice = &v->voices[instance];
    *channel = voice->channel;
    *note = voice->note;
    return voice->used && synth_route_fits(&v->program->targets[target].route, *channel, *note);
}

/* Returns the last value of a control; a voice's own channel has precedence. False: never
 * received. */
static bool control_value(
    const synth_voices *v, uint32_t instance, const synth_target *target, float *value)
{
    uint32_t control = target->kind == HED_SYNTH_MIDI_CC     ? target->number
                       : target->kind == HED_SYNTH_MIDI_BEND ? SYNTH_CONTROL_BEND
                                                             : SYNTH_CONTROL_PRESSURE;
    if (target->kind == HED_SYNTH_MIDI_CC && control >= SYNTH_CC_SOUND_OFF) return false;
    const synth_channel *source =
        target->route.channel ? &v->channels[target->route.channel - 1] : &v->all_channels;
    if (v->def.mode == HED_SYNTH_VOICES_MPE) {
        uint32_t channel = v->voices[instance].channel, manager = synth_control_manager(v, channel);
        source = &v->channels[channel];
        if (manager != SYNTH_NO_CHANNEL &&
            (!source->received[control] || !synth_route_channel(&target->route, channel))) {
            source = &v->channels[manager];
            channel = manager;
        }
        if (!synth_route_channel(&target->route, channel)) return false;
    }
    *value = source->value[control];
    return source->received[control];
}

/* Returns the value of a host's control in an instance: macros have offsets of their own in voices,
 * within [0, 1]. */
static float host_value(const synth_voices *v, uint32_t instance, uint32_t number, float value)
{
    float offset = number < HED_SYNTH_MACROS ? v->voices[instance].offset[number] : 0.0f;
    return offset == 0.0f ? value : hed_clamp(value + offset, 0.0f, 1.0f);
}

/* Computes the value of a target's word. False: unknown. */
static bool target_value(const synth_voices *v, uint32_t instance, uint32_t index, float *value)
{
    const synth_target *target = &v->program->targets[index];
    uint32_t channel, note;
    if (target->follow == SYNTH_FOLLOW_TEMPO) {
        *value = v->tempo / 60.0f / target->factor;
        return v->tempo > 0.0f;
    }
    if (target->follow == SYNTH_FOLLOW_MIDI) {
        if (target->kind == HED_SYNTH_MIDI_HOST) {
            for (uint32_t i = 0; i < v->targets; i++)
                if (v->host[i].received && v->host[i].number == target->number) {
                    *value = host_value(v, instance, target->number, v->host[i].value);
                    return true;
                }
            *value = host_value(
                v, instance, target->number, hed_as_float(v->program->image[target->word]));
            return target->number < HED_SYNTH_MACROS &&
                   v->voices[instance].offset[target->number] != 0.0f;
        }
        if (target->kind == HED_SYNTH_MIDI_CC || target->kind == HED_SYNTH_MIDI_BEND ||
            target->kind == HED_SYNTH_MIDI_PRESSURE)
            return control_value(v, instance, target, value);
    }
    if (!control_key_of(v, instance, index, &channel, &note)) return false;
    const synth_key *key = &v->keys[channel][note];
    if (target->follow == SYNTH_FOLLOW_NOTE) {
        float bend = v->def.mode == HED_SYNTH_SINGLETON
                         ? bend_of(v, channel)
                         : v->voices[instance].bend + v->voices[instance].glide;
        *value = target->factor * 440.0f * exp2_of((v->pitch[note] - 69.0f + bend) / 12.0f);
    } else if (target->kind == HED_SYNTH_MIDI_NOTE) *value = ((float)note - target->centre) / 12.0f;
    else if (target->kind == HED_SYNTH_MIDI_VELOCITY) *value = (float)key->velocity / 127.0f;
    else *value = (float)key->touch / 127.0f;
    return target->kind != HED_SYNTH_MIDI_AFTERTOUCH || target->follow != SYNTH_FOLLOW_MIDI ||
           key->touched;
}

void synth_control_target(synth_voices *v, uint32_t instance, uint32_t index, bool always)
{
    uint32_t word = v->program->targets[index].word;
    float value;
    if (target_value(v, instance, index, &value)) synth_voices_poke_float(v, instance, word, value);
    else if (always) synth_voices_poke(v, instance, word, v->program->image[word]);
}

/* ---- received values ---- */

void synth_control_default(synth_channel *channel)
{
    *channel = (synth_channel){.rpn = {127, 127}, .source = SYNTH_NO_SOURCE};
}
