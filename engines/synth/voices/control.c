/* Channel state: controllers, bend, pressure, and the words that follow them; registered
 * parameters 0 (bend range) and 6 (MPE zones); the dilation of voices. MIDI 1.0 Detailed
 * Specification 4.2; reset of controllers by RP-015; zones by MPE 1.0 (RP-053). Until a zone is
 * set, MPE has the lower zone with all channels. */
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

/* True if messages of `channel` control a voice. */
static bool speaks_for(const synth_voices *v, uint32_t channel, const synth_voice *voice)
{
    if (v->def.mode != HED_SYNTH_VOICES_MPE) return true;
    /* a free voice takes its channel's state when it starts */
    if (!voice->used || !voice->follows) return false;
    return voice->channel == channel || synth_control_manager(v, voice->channel) == channel;
}

bool synth_control_sustained(const synth_voices *v, uint32_t channel)
{
    uint32_t manager = synth_control_manager(v, channel);
    return v->channels[channel].value[SYNTH_CC_SUSTAIN] >= 0.5f ||
           (manager != SYNTH_NO_CHANNEL && v->channels[manager].value[SYNTH_CC_SUSTAIN] >= 0.5f);
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
    float dilation = exp2_of(((float)voice->note - v->def.root_note + voice->bend) / 12.0f);
    /* a range set by MIDI may exceed the dilation for which the instrument is proven stable */
    synth_voices_poke_float(v, instance, SYNTH_DILATION,
        dilation < v->largest_dilation ? dilation : v->largest_dilation);
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

/* Finds the channel and key that a target follows in an instance. False: none has played. */
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
        target->route.channel ? &v->channels[target->route.channel - 1] : &v->any;
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
                    *value = v->host[i].value;
                    return true;
                }
            return false;
        }
        if (target->kind == HED_SYNTH_MIDI_CC || target->kind == HED_SYNTH_MIDI_BEND ||
            target->kind == HED_SYNTH_MIDI_PRESSURE)
            return control_value(v, instance, target, value);
    }
    if (!control_key_of(v, instance, index, &channel, &note)) return false;
    const synth_key *key = &v->keys[channel][note];
    if (target->follow == SYNTH_FOLLOW_NOTE) {
        float bend =
            v->def.mode == HED_SYNTH_SINGLETON ? bend_of(v, channel) : v->voices[instance].bend;
        *value = target->factor * 440.0f * exp2_of(((float)note - 69.0f + bend) / 12.0f);
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

static void receive(synth_voices *v, uint32_t channel, uint32_t control, float value)
{
    synth_channel *state = &v->channels[channel];
    state->value[control] = v->any.value[control] = value;
    state->received[control] = v->any.received[control] = true;
    for (uint32_t i = 0; i < v->instances; i++) {
        if (!speaks_for(v, channel, &v->voices[i])) continue;
        if (control == SYNTH_CONTROL_BEND && v->voices[i].used) synth_control_dilate(v, i);
        for (uint32_t t = 0; t < v->targets; t++) {
            const synth_target *target = &v->program->targets[t];
            if (!synth_control_reaches(target, channel, control)) continue;
            if (target->follow == SYNTH_FOLLOW_NOTE) synth_control_target(v, i, t, false);
            else synth_voices_poke_float(v, i, target->word, value);
        }
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
        /* the zone of channel 1 or 16 gets `value` members, the other zone shrinks, and bend
         * ranges are reset to the instrument's */
        uint32_t zone = channel == 15, count = value < 15 ? value : 15;
        v->members[zone] = (uint8_t)count;
        uint32_t left = count < 14 ? 14 - count : 0;
        if (count && v->members[!zone] > left) v->members[!zone] = (uint8_t)left;
        for (uint32_t i = 0; i < SYNTH_CHANNELS; i++) v->channels[i].ranged = false;
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
    static const uint8_t zeroed[] = {SYNTH_CC_MODULATION, SYNTH_CC_SUSTAIN, 65, 66, 67,
        SYNTH_CONTROL_BEND, SYNTH_CONTROL_PRESSURE};
    for (uint32_t i = 0; i < sizeof zeroed; i++)
        if (c->received[zeroed[i]]) receive(v, channel, zeroed[i], 0.0f);
    if (c->received[SYNTH_CC_EXPRESSION]) receive(v, channel, SYNTH_CC_EXPRESSION, 1.0f);
    for (uint32_t note = 0; note < SYNTH_KEYS; note++)
        if (v->keys[channel][note].touch) synth_notes_touch_key(v, channel, note, 0);
    c->rpn[0] = c->rpn[1] = 127;
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
    if (number < SYNTH_CC_SOUND_OFF) receive(v, channel, number, (float)value / 127.0f);
    if (number == SYNTH_CC_SUSTAIN) each_of_zone(v, channel, synth_notes_pedal);
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
        for (uint32_t i = 0; i < v->instances; i++)
            synth_voices_poke_float(v, i, target->word, value);
    }
}

void synth_control_default(synth_channel *channel)
{
    *channel = (synth_channel){.rpn = {127, 127}};
}

/* Parameters set by events. A store that was reset, or that belongs to another program, has lost
 * their values, so the last ones are kept, in order of setting, and poked again. */

static void poke_setting(synth_voices *v, const synth_setting *s)
{
    /* v->pokes serves as scratch: it is filled only after all events are processed */
    uint32_t count =
        synth_program_set(v->program, s->entity, s->target, s->value, v->pokes, v->capacity);
    for (uint32_t i = 0; i < v->instances; i++)
        for (uint32_t k = 0; k < count; k++)
            synth_voices_poke(v, i, v->pokes[k].word, v->pokes[k].value);
}

static void forget(synth_voices *v, uint32_t index)
{
    v->setting_pokes -= v->settings[index].pokes;
    v->setting_count--;
    memmove(v->settings + index, v->settings + index + 1,
        (v->setting_count - index) * sizeof *v->settings);
}

/* Keeps a setting, in place of the oldest if the list is full. A setting that this program
 * cannot make, or whose pokes exceed the capacity, is not kept. */
static void control_keep(synth_voices *v, synth_setting s)
{
    for (uint32_t i = 0; i < v->setting_count; i++)
        if (v->settings[i].entity == s.entity && v->settings[i].target == s.target) {
            forget(v, i);
            break;
        }
    uint64_t pokes = (uint64_t)v->instances *
                     synth_program_set(v->program, s.entity, s.target, s.value, NULL, 0);
    if (pokes == 0 || pokes > v->setting_room) return;
    while (v->setting_count == SYNTH_SETTINGS || v->setting_pokes + pokes > v->setting_room)
        forget(v, 0);
    s.pokes = (uint32_t)pokes;
    v->setting_pokes += s.pokes;
    v->settings[v->setting_count++] = s;
}

void synth_settings_set(
    synth_voices *v, hed_synth_entity entity, hed_synth_target target, float value)
{
    synth_setting s = {.entity = entity, .target = target, .value = value};
    poke_setting(v, &s);
    control_keep(v, s);
}

void synth_settings_adopt(synth_voices *v, const synth_voices *from)
{
    for (uint32_t i = 0; i < from->setting_count; i++) control_keep(v, from->settings[i]);
}

void synth_settings_renew(synth_voices *v)
{
    for (uint32_t i = 0; i < v->setting_count; i++) poke_setting(v, &v->settings[i]);
}
