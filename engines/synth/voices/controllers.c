/* Controllers, bend, pressure and tempo as received: they change the state of channels and poke the
 * words that follow them; registered parameters 0 (bend range) and 6 (MPE zones). MIDI 1.0 Detailed
 * Specification 4.2; reset of controllers by RP-015. */
#include "voices/voices.h"

/* True if messages of `channel` control a voice. */
static bool speaks_for(const synth_voices *v, uint32_t channel, const synth_voice *voice)
{
    if (v->def.mode != HED_SYNTH_VOICES_MPE) return true;
    /* a free voice takes its channel's state when it starts */
    if (!voice->used || !voice->follows) return false;
    return voice->channel == channel || synth_control_manager(v, voice->channel) == channel;
}

static void receive(synth_voices *v, uint32_t channel, uint32_t control, float value)
{
    synth_channel *state = &v->channels[channel];
    state->value[control] = v->all_channels.value[control] = value;
    state->received[control] = v->all_channels.received[control] = true;
    for (uint32_t i = 0; i < v->instances; i++) {
        if (!speaks_for(v, channel, &v->voices[i])) continue;
        if (control == SYNTH_CONTROL_BEND && v->voices[i].used) synth_control_dilate(v, i);
        for (uint32_t t = 0; t < v->targets; t++) {
            const synth_target *target = &v->program->targets[t];
            if (!synth_control_reaches(target, channel, control)) continue;
            if (target->follow == SYNTH_FOLLOW_NOTE) synth_control_target(v, i, t, false);
            else synth_voices_poke_float(v, i, target->word, value);
        }
        if (control == SYNTH_CC_VOLUME || control == SYNTH_CC_EXPRESSION)
            synth_volume_update(v, i, false);
    }
}

void synth_control_bend(synth_voices *v, uint32_t channel, uint32_t value)
{
    /* 8192 is the centre; both ends are full scale */
    float bend =
        value < 8192 ? ((float)value - 8192.0f) / 8192.0f : ((float)value - 8192.0f) / 8191.0f;
    receive(v, channel, SYNTH_CONTROL_BEND, bend);
}

void synth_control_pressure(synth_voices *v, uint32_t channel, uint32_t value)
{
    receive(v, channel, SYNTH_CONTROL_PRESSURE, (float)value / 127.0f);
}

/* Sets registered parameter 0. In MPE a member's range applies to all members of its zone. */
static void set_range(synth_voices *v, uint32_t channel, uint32_t number, uint32_t value)
{
    uint32_t manager = synth_control_manager(v, channel);
    for (uint32_t i = 0; i < SYNTH_CHANNELS; i++) {
        if (i != channel && (manager == SYNTH_NO_CHANNEL || synth_control_manager(v, i) != manager))
            continue;
        synth_channel *c = &v->channels[i];
        if (!c->ranged) c->semitones = c->cents = 0;
        c->ranged = true;
        if (number == SYNTH_CC_DATA) c->semitones = (uint8_t)value;
        else c->cents = (uint8_t)value;
    }
}

static void enter_data(synth_voices *v, uint32_t channel, uint32_t number, uint32_t value)
{
    const synth_channel *c = &v->channels[channel];
    if (c->rpn[0] != 0) return;
    if (c->rpn[1] == 0) set_range(v, channel, number, value);
    else if (c->rpn[1] == 6 && number == SYNTH_CC_DATA && v->def.mode == HED_SYNTH_VOICES_MPE &&
             (channel == 0 || channel == 15)) {
        /* the zone of channel 1 or 16 gets `value` members, the other zone shrinks, and the bend
         * ranges of the zone are 2 semitones of its manager, 48 of its members */
        uint32_t zone = channel == 15, count = value < 15 ? value : 15;
        v->members[zone] = (uint8_t)count;
        uint32_t left = count < 14 ? 14 - count : 0;
        if (count && v->members[!zone] > left) v->members[!zone] = (uint8_t)left;
        for (uint32_t i = 0; i < SYNTH_CHANNELS; i++) {
            synth_channel *member = &v->channels[i];
            bool is_member = synth_control_manager(v, i) == channel;
            if (!is_member && i != channel) continue;
            member->ranged = true;
            member->semitones = is_member ? 48 : 2;
            member->cents = 0;
        }
    } else return;

    /* the same bend now means another interval: update all words that follow bends */
    for (uint32_t i = 0; i < v->instances; i++) {
        if (v->voices[i].used) synth_control_dilate(v, i);
        for (uint32_t t = 0; t < v->targets; t++)
            if (v->program->targets[t].follow == SYNTH_FOLLOW_NOTE)
                synth_control_target(v, i, t, false);
    }
}

static void reset_controllers(synth_voices *v, uint32_t channel)
{
    synth_channel *c = &v->channels[channel];
    static const uint8_t zeroed[] = {SYNTH_CC_MODULATION, SYNTH_CC_SUSTAIN, SYNTH_CC_GLIDE,
        SYNTH_CC_SOSTENUTO, 67, SYNTH_CONTROL_BEND, SYNTH_CONTROL_PRESSURE};
    for (uint32_t i = 0; i < sizeof zeroed; i++)
        if (c->received[zeroed[i]]) receive(v, channel, zeroed[i], 0.0f);
    if (c->received[SYNTH_CC_EXPRESSION]) receive(v, channel, SYNTH_CC_EXPRESSION, 1.0f);
    for (uint32_t note = 0; note < SYNTH_KEYS; note++)
        if (v->keys[channel][note].touch) synth_notes_touch_key(v, channel, note, 0);
    c->rpn[0] = c->rpn[1] = 127;
    c->received[SYNTH_CC_GLIDE] = false; /* portamento is as the instrument has it */
    c->source = SYNTH_NO_SOURCE;
    synth_notes_sostenuto(v, channel);
    synth_notes_pedal(v, channel);
}

/* Calls `act` for a channel and, if it is a zone's manager, for the zone's members. */
static void each_of_zone(synth_voices *v, uint32_t channel, void (*act)(synth_voices *, uint32_t))
{
    act(v, channel);
    for (uint32_t c = 0; c < SYNTH_CHANNELS; c++)
        if (synth_control_manager(v, c) == channel) act(v, c);
}

static void end_notes(synth_voices *v, uint32_t channel) { synth_notes_end_all(v, channel, true); }

void synth_control_change(synth_voices *v, uint32_t channel, uint32_t number, uint32_t value)
{
    synth_channel *c = &v->channels[channel];
    /* a pedal that is down already catches no more keys */
    if (number == SYNTH_CC_SOSTENUTO && value >= 64 && c->value[number] >= 0.5f) return;
    if (number < SYNTH_CC_SOUND_OFF) receive(v, channel, number, (float)value / 127.0f);
    if (number == SYNTH_CC_GLIDE_SOURCE) {
        uint32_t key = synth_notes_key(v, channel, value);
        c->source = key == HED_SYNTH_NO_KEY ? SYNTH_NO_SOURCE : (uint8_t)key;
    }
    if (number == SYNTH_CC_SUSTAIN) each_of_zone(v, channel, synth_notes_pedal);
    else if (number == SYNTH_CC_SOSTENUTO) each_of_zone(v, channel, synth_notes_sostenuto);
    else if (number == SYNTH_CC_RPN || number == SYNTH_CC_RPN_FINE)
        c->rpn[number == SYNTH_CC_RPN_FINE] = (uint8_t)value;
    else if (number == SYNTH_CC_NRPN || number == SYNTH_CC_NRPN_FINE) c->rpn[0] = c->rpn[1] = 127;
    else if (number == SYNTH_CC_DATA || number == SYNTH_CC_DATA_FINE)
        enter_data(v, channel, number, value);
    else if (number == SYNTH_CC_RESET) each_of_zone(v, channel, reset_controllers);
    else if (number == SYNTH_CC_SOUND_OFF) each_of_zone(v, channel, synth_voices_silence);
    else if (number >= SYNTH_CC_NOTES_OFF) /* 124 to 127 (omni and mono modes) end all notes too */
        each_of_zone(v, channel, end_notes);
}

void synth_control_tempo(synth_voices *v, float tempo)
{
    v->tempo = tempo;
    for (uint32_t i = 0; i < v->instances; i++)
        for (uint32_t t = 0; t < v->targets; t++)
            if (v->program->targets[t].follow == SYNTH_FOLLOW_TEMPO)
                synth_control_target(v, i, t, false);
}

void synth_control_host(synth_voices *v, uint32_t number, float value)
{
    for (uint32_t t = 0; t < v->targets; t++) {
        const synth_target *target = &v->program->targets[t];
        if (target->follow != SYNTH_FOLLOW_MIDI || target->kind != HED_SYNTH_MIDI_HOST ||
            target->number != number)
            continue;
        v->host[t] = (synth_host_value){number, value, true};
        for (uint32_t i = 0; i < v->instances; i++) synth_control_target(v, i, t, false);
    }
}
