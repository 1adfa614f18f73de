/* Keys and their voices. In HED_SYNTH_SINGLETON keys open gates of the one instance; otherwise
 * each key gets an instance: a free or silent one, else a spare one, while the quietest voice fades in
 * its own. A key struck again while it sounds keeps its instance, as on a string. */
#include "voices/voices.h"

#include <math.h>

/* ---- held keys ---- */

static bool is_held(const synth_voices *v, uint32_t channel, uint32_t note)
{
    return v->held[channel][note >> 6] >> (note & 63) & 1;
}

static void notes_set_state(synth_voices *v, uint32_t channel, uint32_t note, synth_key_state state)
{
    uint64_t bit = (uint64_t)1 << (note & 63), *word = &v->held[channel][note >> 6];
    v->keys[channel][note].state = (uint8_t)state;
    *word = state == SYNTH_KEY_UP ? *word & ~bit : *word | bit;
}

/* Returns the bits of notes `low` to `high` in word 0 (notes 0 to 63) or 1. */
static uint64_t notes_between(uint32_t low, uint32_t high, uint32_t word)
{
    uint32_t base = 64 * word;
    if (low > high || high < base || low > base + 63) return 0;
    uint32_t from = low > base ? low - base : 0, to = high < base + 63 ? high - base : 63;
    return ~(uint64_t)0 >> (63 - to) & ~(uint64_t)0 << from;
}

/* Marks the keys of a route as heard on a channel, within the instrument's range. */
static void listen_to(synth_voices *v, uint32_t channel, const hed_synth_route *route)
{
    uint32_t low = route->low > v->def.low ? route->low : v->def.low,
             high = route->high < v->def.high ? route->high : v->def.high;
    for (uint32_t word = 0; synth_route_channel(route, channel) && word < 2; word++)
        v->heard[channel][word] |= notes_between(low, high, word);
}

static bool any_held(const synth_voices *v, const hed_synth_route *route)
{
    uint64_t low = notes_between(route->low, route->high, 0),
             high = notes_between(route->low, route->high, 1);
    for (uint32_t c = 0; c < SYNTH_CHANNELS; c++)
        if (synth_route_channel(route, c) && ((v->held[c][0] & low) | (v->held[c][1] & high)))
            return true;
    return false;
}

/* ---- notes that the instrument hears, and their keys ---- */

/* True if the tuning has no pitch for a key. */
static bool is_unmapped(const synth_voices *v, int32_t key)
{
    return key >= 0 && key < SYNTH_KEYS && isnan(v->pitch[key]);
}

/* True if a key is in a set, a bit for each. */
static bool is_in(const uint64_t keys[2], int32_t key)
{
    return key >= 0 && key < SYNTH_KEYS && (keys[key >> 6] >> (key & 63) & 1);
}

static bool is_heard(const synth_voices *v, uint32_t channel, int32_t key)
{
    return is_in(v->heard[channel], key);
}

void synth_notes_listen(synth_voices *v)
{
    const synth_program *p = v->program;
    bool has_route = false;
    memset(v->heard, 0, sizeof v->heard);
    for (uint32_t c = 0; c < SYNTH_CHANNELS; c++) {
        for (uint32_t g = 0; g < p->layout.gates; g++) {
            if (!p->gates[g].starts) continue;
            has_route = true;
            listen_to(v, c, &p->gates[g].route);
        }
        for (uint32_t t = 0; t < p->target_count; t++) {
            const synth_target *target = &p->targets[t];
            if (target->follow == SYNTH_FOLLOW_NOTE ||
                (target->follow == SYNTH_FOLLOW_MIDI &&
                    (target->kind == HED_SYNTH_MIDI_NOTE ||
                        target->kind == HED_SYNTH_MIDI_VELOCITY)))
                listen_to(v, c, &target->route);
        }
        /* a voice without gates still follows its notes by dilation */
        if (v->def.mode != HED_SYNTH_SINGLETON && !has_route)
            listen_to(v, c, &(hed_synth_route){0, 0, 127});
    }
    v->notes.low = HED_SYNTH_NO_KEY;
    for (uint32_t key = 0; key < SYNTH_KEYS; key++)
        for (uint32_t c = 0; c < SYNTH_CHANNELS; c++) {
            if (is_unmapped(v, (int32_t)key)) v->heard[c][key >> 6] &= ~((uint64_t)1 << (key & 63));
            if (!is_heard(v, c, (int32_t)key)) continue;
            if (v->notes.low == HED_SYNTH_NO_KEY) v->notes.low = (uint8_t)key;
            v->notes.high = (uint8_t)key;
        }
}

uint32_t synth_notes_key(const synth_voices *v, uint32_t channel, uint32_t note)
{
    int32_t key = (int32_t)note + v->transpose;
    if (is_heard(v, channel, key)) return (uint32_t)key;
    if (is_unmapped(v, key)) return HED_SYNTH_NO_KEY; /* silent, rather than an octave away */
    /* the nearest octave that this layer plays, or another one */
    bool folds = v->fold && !is_in(v->elsewhere[channel], key);
    for (int32_t octaves = 12; folds && octaves <= 2 * SYNTH_KEYS; octaves += 12)
        for (int32_t sign = -1; sign <= 1; sign += 2) {
            int32_t folded = key + sign * octaves;
            if (is_heard(v, channel, folded)) return (uint32_t)folded;
            if (is_in(v->elsewhere[channel], folded)) return HED_SYNTH_NO_KEY;
        }
    return HED_SYNTH_NO_KEY;
}

void synth_notes_share(synth_voices *const *layers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        synth_voices *v = layers[i];
        memset(v->elsewhere, 0, sizeof v->elsewhere);
        for (uint32_t k = 0; k < count; k++)
            for (uint32_t c = 0; c < SYNTH_CHANNELS && k != i; c++)
                for (uint32_t word = 0; word < 2; word++)
                    v->elsewhere[c][word] |= layers[k]->heard[c][word];
    }
}

void synth_notes_count(
    const synth_voices *v, uint32_t channel, uint32_t note, bool is_played, hed_synth_note_info *n)
{
    int32_t shifted = (int32_t)note + v->transpose;
    n->struck++;
    if (is_played) return;
    if (!n->dropped || note < n->dropped_low) n->dropped_low = (uint8_t)note;
    if (!n->dropped || note > n->dropped_high) n->dropped_high = (uint8_t)note;
    if (is_unmapped(v, shifted)) n->unmapped++;
    else if (n->low != HED_SYNTH_NO_KEY && shifted >= n->low && shifted <= n->high)
        n->deaf_channels |= (uint16_t)(1u << channel);
    n->dropped++;
}

/* Counts a note in `n` and returns its key. */
static uint32_t count_note(
    const synth_voices *v, uint32_t channel, uint32_t note, hed_synth_note_info *n)
{
    uint32_t key = synth_notes_key(v, channel, note);
    synth_notes_count(v, channel, note, key != HED_SYNTH_NO_KEY, n);
    return key;
}

hed_synth_note_info synth_voices_check_notes(
    const synth_voices *v, const hed_synth_event *events, uint32_t count)
{
    hed_synth_note_info notes = {.low = v->notes.low, .high = v->notes.high};
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *bytes = events[i].bytes;
        if (events[i].kind == HED_SYNTH_EVENT_MIDI && bytes[0] >> 4 == 9 && bytes[1] < SYNTH_KEYS &&
            bytes[2])
            count_note(v, bytes[0] & 15, bytes[1], &notes);
    }
    return notes;
}

/* ---- gates ---- */

static void open_gate(
    synth_voices *v, uint32_t instance, uint32_t g, uint32_t channel, uint32_t note)
{
    const synth_key *key = &v->keys[channel][note];
    uint32_t word = v->program->gates[g].word;
    synth_sleep_wake_gate(v, instance, g);
    synth_voices_poke(v, instance, word + SYNTH_GATE_COUNT, key->started);
    synth_voices_poke(v, instance, word + SYNTH_GATE_HELD, 1);
    synth_voices_poke_float(v, instance, word + SYNTH_GATE_VELOCITY, (float)key->velocity / 127.0f);
    synth_voices_poke_float(v, instance, word + SYNTH_GATE_NOTE, (float)note);
}

/* ---- voices ---- */

static bool is_silent(const synth_voice *voice)
{
    return voice->released && voice->level < SYNTH_SILENT;
}

/* True if voice `a` is to be stolen before `b`: it is silent, quieter, or was released or started
 * earlier. */
static bool sooner(const synth_voice *a, const synth_voice *b)
{
    if (a->used != b->used) return a->used;
    if (is_silent(a) != is_silent(b)) return is_silent(a);
    if (!is_silent(a) && a->level != b->level) return a->level < b->level;
    if (!a->released != !b->released) return a->released;
    return a->released ? a->released < b->released : a->started < b->started;
}

/* Starts words that follow notes: in SINGLETON the words whose route contains the note;
 * otherwise all words of the voice, which may still have the previous note's values. */
static void start_targets(synth_voices *v, uint32_t instance, uint32_t channel, uint32_t note)
{
    for (uint32_t t = 0; t < v->targets; t++) {
        const synth_target *target = &v->program->targets[t];
        if (v->def.mode != HED_SYNTH_SINGLETON) {
            synth_control_target(v, instance, t, true);
        } else if (synth_route_fits(&target->route, channel, note)) {
            v->last[t] = (uint16_t)(channel << 7 | note);
            synth_control_target(v, instance, t, false);
        }
    }
}

/* Moves a sounding voice to another key of its channel, in legato: gates of both keys go on without a
 * start, those of the former key alone close, those of the new key alone start. */
static void move_voice(synth_voices *v, uint32_t instance, uint32_t channel, uint32_t note)
{
    uint32_t from = v->voices[instance].note;
    synth_glide_move(v, instance, channel, note);
    v->voices[instance].note = (uint8_t)note;
    synth_control_dilate(v, instance);
    for (uint32_t g = 0; g < v->program->layout.gates; g++) {
        const synth_gate *gate = &v->program->gates[g];
        bool fitted = synth_route_fits(&gate->route, channel, from),
             fits = synth_route_fits(&gate->route, channel, note);
        if (fits && !fitted) open_gate(v, instance, g, channel, note);
        else if (fits)
            synth_voices_poke_float(v, instance, gate->word + SYNTH_GATE_NOTE, (float)note);
        else if (fitted) synth_voices_poke(v, instance, gate->word + SYNTH_GATE_HELD, 0);
    }
    start_targets(v, instance, channel, note);
}

/* Returns the last key of a channel that is held and has this voice, or SYNTH_NONE. */
static uint32_t heir(const synth_voices *v, uint32_t channel, uint32_t instance)
{
    uint32_t best = SYNTH_NONE;
    for (uint32_t note = 0; note < SYNTH_KEYS; note++)
        if (is_held(v, channel, note) && v->keys[channel][note].voice == instance &&
            (best == SYNTH_NONE || v->keys[channel][note].started > v->keys[channel][best].started))
            best = note;
    return best;
}

/* Ends a key that is neither down nor sustained by the pedal. */
static void let_go(synth_voices *v, uint32_t channel, uint32_t note)
{
    synth_key *key = &v->keys[channel][note];
    notes_set_state(v, channel, note, SYNTH_KEY_UP);
    key->is_caught = false;
    for (uint32_t i = 0; i < SYNTH_KEYS; i++)
        if (v->plays[channel][i] == note) v->plays[channel][i] = HED_SYNTH_NO_KEY;
    if (v->def.mode != HED_SYNTH_SINGLETON) {
        synth_voice *voice = &v->voices[key->voice];
        uint32_t next = heir(v, channel, key->voice);
        if (next != SYNTH_NONE) {
            if (voice->note == note) move_voice(v, key->voice, channel, next);
            return;
        }
        voice->released = ++v->serial;
    }

    /* close the gates that no other key keeps open */
    for (uint32_t g = 0; g < v->program->layout.gates; g++) {
        const synth_gate *gate = &v->program->gates[g];
        if (!synth_route_fits(&gate->route, channel, note)) continue;
        if (v->def.mode == HED_SYNTH_SINGLETON && any_held(v, &gate->route)) continue;
        synth_voices_poke(v, key->voice, gate->word + SYNTH_GATE_HELD, 0);
    }
}

/* Ends all keys of a voice. */
static void let_go_all(synth_voices *v, uint32_t instance)
{
    uint32_t channel = v->voices[instance].channel;
    for (uint32_t note = 0; note < SYNTH_KEYS; note++)
        if (is_held(v, channel, note) && v->keys[channel][note].voice == instance)
            let_go(v, channel, note);
}

static void begin_fade(synth_voices *v, uint32_t instance)
{
    synth_voice *voice = &v->voices[instance];
    let_go_all(v, instance);
    voice->used = false;
    voice->fades = v->now + v->frame + v->fade_frames;
    v->fade_begin[instance] = v->frame;
}

/* Finds an instance for a new key. If all voices sound, the first to be stolen fades, and a spare
 * instance takes over; without a spare one the new key sounds in the stolen instance. */
static uint32_t find_instance(synth_voices *v)
{
    uint32_t used = 0, free = SYNTH_NONE, stolen = 0;
    for (uint32_t i = 0; i < v->instances; i++) {
        const synth_voice *voice = &v->voices[i];
        used += voice->used;
        if (free == SYNTH_NONE && !voice->used && !voice->fades) free = i;
        if (sooner(voice, &v->voices[stolen])) stolen = i;
    }
    if (free != SYNTH_NONE && used < v->def.voices) return free;
    const synth_voice *voice = &v->voices[stolen];
    bool is_sounding = voice->used && !is_silent(voice);
    if (is_sounding && free != SYNTH_NONE) {
        begin_fade(v, stolen);
        return free;
    }
    if (voice->used) let_go_all(v, stolen);
    return stolen;
}

static uint32_t take_voice(synth_voices *v, uint32_t channel, uint32_t note)
{
    if (v->def.mode == HED_SYNTH_SINGLETON) return 0;
    if (is_held(v, channel, note)) return v->keys[channel][note].voice;
    uint32_t instance = find_instance(v);
    synth_voice *voice = &v->voices[instance];
    if (v->def.mode == HED_SYNTH_VOICES_MPE)
        for (uint32_t i = 0; i < v->instances; i++)
            if (v->voices[i].released && v->voices[i].channel == channel)
                v->voices[i].follows = false;
    *voice = (synth_voice){.channel = (uint8_t)channel,
        .note = (uint8_t)note,
        .used = true,
        .follows = true,
        .level = 1,
        .volume = voice->volume};
    if (!(v->begun >> instance & 1)) v->note_begin[instance] = v->frame; /* the first of a run */
    v->begun |= (uint64_t)1 << instance;
    v->fade_begin[instance] = SYNTH_NO_FADE;
    return instance;
}

static void start_key(synth_voices *v, uint32_t channel, uint32_t note, uint32_t velocity)
{
    uint32_t shared = synth_glide_shared(v, channel);
    bool is_shared = shared != SYNTH_NONE;
    synth_key *key = &v->keys[channel][note];
    /* a key that is held already leaves a voice that is not to sound it */
    if (v->def.mode != HED_SYNTH_SINGLETON && is_held(v, channel, note) &&
        (is_shared ? key->voice != shared : v->voices[key->voice].note != note))
        let_go(v, channel, note);
    uint32_t instance = is_shared ? shared : take_voice(v, channel, note);
    notes_set_state(v, channel, note, SYNTH_KEY_DOWN);
    *key = (synth_key){.started = ++v->serial, .state = SYNTH_KEY_DOWN,
        .velocity = (uint8_t)velocity, .voice = (uint8_t)instance, .is_caught = key->is_caught};
    v->played |= (uint16_t)(1u << channel);
    if (is_shared) {
        v->voices[instance].started = key->started;
        move_voice(v, instance, channel, note);
        return;
    }
    synth_volume_update(v, instance, v->def.mode != HED_SYNTH_SINGLETON);
    if (v->def.mode != HED_SYNTH_SINGLETON) {
        v->voices[instance].started = key->started;
        synth_glide_start(v, instance, channel, note);
        synth_control_dilate(v, instance);
    }
    for (uint32_t g = 0; g < v->program->layout.gates; g++)
        if (synth_route_fits(&v->program->gates[g].route, channel, note))
            open_gate(v, instance, g, channel, note);
    start_targets(v, instance, channel, note);
}

static void end_key(synth_voices *v, uint32_t channel, uint32_t note)
{
    if (v->keys[channel][note].state != SYNTH_KEY_DOWN) return;
    if (v->keys[channel][note].is_caught || synth_control_pressed(v, channel, SYNTH_CC_SUSTAIN))
        notes_set_state(v, channel, note, SYNTH_KEY_SUSTAINED);
    else let_go(v, channel, note);
}

/* Ends a note. If several notes fold to one key, the last one ends the key. */
void synth_notes_end(synth_voices *v, uint32_t channel, uint32_t note)
{
    uint32_t key = v->plays[channel][note];
    v->plays[channel][note] = HED_SYNTH_NO_KEY;
    if (key != HED_SYNTH_NO_KEY && !memchr(v->plays[channel], (int)key, SYNTH_KEYS))
        end_key(v, channel, key);
}

void synth_notes_start(synth_voices *v, uint32_t channel, uint32_t note, uint32_t velocity)
{
    uint32_t key = count_note(v, channel, note, &v->notes);
    if (key == HED_SYNTH_NO_KEY) return;
    /* a key that the note plays since before a change of program */
    if (v->plays[channel][note] != key) synth_notes_end(v, channel, note);
    start_key(v, channel, key, velocity);
    v->plays[channel][note] = (uint8_t)key;
}

void synth_notes_pedal(synth_voices *v, uint32_t channel)
{
    if (synth_control_pressed(v, channel, SYNTH_CC_SUSTAIN)) return;
    for (uint32_t note = 0; note < SYNTH_KEYS; note++) {
        const synth_key *key = &v->keys[channel][note];
        if (key->state == SYNTH_KEY_SUSTAINED && !key->is_caught) let_go(v, channel, note);
    }
}

void synth_notes_sostenuto(synth_voices *v, uint32_t channel)
{
    bool is_down = synth_control_pressed(v, channel, SYNTH_CC_SOSTENUTO);
    for (uint32_t note = 0; note < SYNTH_KEYS; note++) {
        synth_key *key = &v->keys[channel][note];
        if (!is_down) key->is_caught = false;
        else if (key->state == SYNTH_KEY_DOWN) key->is_caught = true;
    }
    if (!is_down) synth_notes_pedal(v, channel);
}

void synth_notes_end_all(synth_voices *v, uint32_t channel, bool sustain)
{
    for (uint32_t note = 0; note < SYNTH_KEYS; note++) {
        if (!is_held(v, channel, note)) continue;
        if (sustain) end_key(v, channel, note);
        else let_go(v, channel, note);
    }
}

uint64_t synth_notes_silence(synth_voices *v, uint32_t channel)
{
    uint64_t silenced = 0;
    synth_notes_end_all(v, channel, false);
    if (v->def.mode == HED_SYNTH_SINGLETON) return 1;
    for (uint32_t i = 0; i < v->instances; i++) {
        if (!v->voices[i].used || v->voices[i].channel != channel) continue;
        v->voices[i].used = false;
        silenced |= (uint64_t)1 << i;
    }
    return silenced;
}

bool synth_notes_choke(synth_voices *v, uint32_t channel, uint32_t note)
{
    uint32_t key = v->plays[channel][note];
    if (key == HED_SYNTH_NO_KEY) key = synth_notes_key(v, channel, note);
    if (key == HED_SYNTH_NO_KEY) return false;
    if (is_held(v, channel, key)) let_go(v, channel, key);
    for (uint32_t i = 0; v->def.mode != HED_SYNTH_SINGLETON && i < v->instances; i++)
        if (v->voices[i].used && v->voices[i].channel == channel && v->voices[i].note == key)
            begin_fade(v, i);
    return v->def.mode == HED_SYNTH_SINGLETON && !any_held(v, &(hed_synth_route){0, 0, 127});
}

void synth_notes_offset(
    synth_voices *v, uint32_t channel, uint32_t note, uint32_t number, float value)
{
    uint32_t key = v->plays[channel][note], instance = 0;
    if (key == HED_SYNTH_NO_KEY || number >= HED_SYNTH_MACROS) return;
    if (v->def.mode != HED_SYNTH_SINGLETON) instance = v->keys[channel][key].voice;
    v->voices[instance].offset[number] = value;
    for (uint32_t t = 0; t < v->targets; t++)
        if (v->program->targets[t].follow == SYNTH_FOLLOW_MIDI &&
            v->program->targets[t].kind == HED_SYNTH_MIDI_HOST &&
            v->program->targets[t].number == number)
            synth_control_target(v, instance, t, true);
}

hed_synth_note_state synth_voices_note(
    const synth_voices *v, uint32_t channel, uint32_t note, const float *loudness)
{
    uint32_t key = v->plays[channel][note];
    if (key == HED_SYNTH_NO_KEY) key = synth_notes_key(v, channel, note);
    if (key == HED_SYNTH_NO_KEY) return HED_SYNTH_NOTE_ENDED;
    if (is_held(v, channel, key)) return HED_SYNTH_NOTE_HELD;
    for (uint32_t i = 0; i < v->instances; i++) {
        const synth_voice *voice = &v->voices[i];
        bool is_its = v->def.mode == HED_SYNTH_SINGLETON ||
                      (voice->used && voice->channel == channel && voice->note == key);
        if (is_its && loudness[i] >= SYNTH_SILENT) return HED_SYNTH_NOTE_RINGING;
    }
    return HED_SYNTH_NOTE_ENDED;
}

void synth_notes_touch(synth_voices *v, uint32_t channel, uint32_t note, uint32_t value)
{
    uint32_t key = v->plays[channel][note];
    if (key == HED_SYNTH_NO_KEY) key = synth_notes_key(v, channel, note);
    if (key != HED_SYNTH_NO_KEY) synth_notes_touch_key(v, channel, key, value);
}

void synth_notes_touch_key(synth_voices *v, uint32_t channel, uint32_t note, uint32_t value)
{
    synth_key *key = &v->keys[channel][note];
    key->touch = (uint8_t)value;
    key->touched = true;
    if (!is_held(v, channel, note)) return;
    for (uint32_t t = 0; t < v->targets; t++) {
        const synth_target *target = &v->program->targets[t];
        if (target->follow != SYNTH_FOLLOW_MIDI || target->kind != HED_SYNTH_MIDI_AFTERTOUCH)
            continue;
        if (synth_route_fits(&target->route, channel, note))
            synth_voices_poke_float(v, key->voice, target->word, (float)value / 127.0f);
    }
}

void synth_notes_renew(synth_voices *v, uint32_t instance)
{
    for (uint32_t c = 0; c < SYNTH_CHANNELS; c++)
        for (uint32_t note = 0; note < SYNTH_KEYS; note++) {
            if (!is_held(v, c, note) || v->keys[c][note].voice != instance) continue;
            if (v->def.mode != HED_SYNTH_SINGLETON && v->voices[instance].note != note) continue;
            for (uint32_t g = 0; g < v->program->layout.gates; g++) {
                const synth_gate *gate = &v->program->gates[g];
                if (synth_route_fits(&gate->route, c, note))
                    synth_voices_poke(v, instance, gate->word + SYNTH_GATE_HELD, 1);
            }
        }
}
