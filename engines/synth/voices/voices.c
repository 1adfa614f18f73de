/* Conversion of MIDI, automation and host events to pokes: changes of words of a voice's store
 * between two samples. The events of a block and the pokes that they may need are checked first:
 * a rejected block changes nothing. */
#include "voices/voices.h"
#include "support/strict_math.h"

#include <assert.h>
#include <math.h>

static const double FADE = 0.02; /* s in which a stolen voice fades */

/* Capacity for pokes in addition to the widest event's: a dense block has some dozen pokes for
 * each event. */
enum {
    SYNTH_POKES = 1 << 16,
    SYNTH_SETTING_POKES = 1 << 14, /* pokes of kept parameters that are set again */
    SYNTH_MOST_CONTACTS = 1 << 18,
};

/* ---- creation ---- */

static void start_over(synth_voices *v)
{
    for (uint32_t c = 0; c < SYNTH_CHANNELS; c++) synth_control_default(&v->channels[c]);
    synth_control_default(&v->all_channels);
    v->members[0] = 15;
    v->members[1] = 0;
    memset(v->keys, 0, sizeof v->keys);
    memset(v->held, 0, sizeof v->held);
    memset(v->plays, HED_SYNTH_NO_KEY, sizeof v->plays);
    v->notes = (hed_synth_note_info){.low = v->notes.low, .high = v->notes.high};
    memset(v->voices, 0, sizeof v->voices);
    synth_volume_reset(v);
    v->played = 0;
    v->serial = 0;
    v->tempo = 0.0f;
    for (uint32_t t = 0; t < v->targets; t++) {
        v->last[t] = SYNTH_NONE;
        v->host[t] = (synth_host_value){0};
    }
    v->renew = false;
    v->silenced = v->faded = v->begun = v->gliding = v->now = 0;
    memset(v->fade_begin, 0xff, sizeof v->fade_begin);
    v->setting_count = v->setting_pokes = 0;
    v->stores = NULL;
    v->sounding = 0;
    synth_sleep_reset(v->sleep);
}

/* Counts the words that MIDI, tempo and host can poke. */
static uint64_t followers(const synth_voices *v)
{
    return (1 + synth_volume_pokes(v) + (uint64_t)v->program->layout.gates * SYNTH_GATE_WORDS +
               v->targets) *
           v->instances;
}

/* Returns the number of pokes of the widest event. */
static uint64_t widest(const synth_voices *v)
{
    const synth_program *p = v->program;
    uint64_t contacts = 0;
    for (uint32_t type = SYNTH_FIRST_CONTACT; type <= SYNTH_LAST_CONTACT; type++)
        if (p->layout.type[type].count > contacts) contacts = p->layout.type[type].count;
    if (contacts > SYNTH_MOST_CONTACTS) contacts = SYNTH_MOST_CONTACTS;
    uint64_t set = CONTACT_PARAMETERS * contacts * v->instances;
    return followers(v) > set ? followers(v) : set;
}

static hed_status make_room(synth_voices *v, hed_error *error)
{
    uint64_t width = widest(v), events = width * v->max_events;
    uint64_t settings = width * (SYNTH_SETTINGS - 1);
    settings = width + (settings < SYNTH_SETTING_POKES ? settings : SYNTH_SETTING_POKES);
    uint64_t room = 2 * width + settings + (events < SYNTH_POKES ? events : SYNTH_POKES), slots = 1;
    v->event_room = (uint32_t)room;
    room += width + settings; /* renewal of instances whose fade has ended */
    room += synth_glide_pokes(v);
    room += SYNTH_SLEEP_POKES * (uint64_t)v->sleep->body_count * v->instances;
    while (slots < 2 * room) slots *= 2;
    if (slots > 1u << 30)
        return hed_fail(error, HED_ERROR_LIMIT,
            "an event may change %llu words of %u voices: too many for MIDI",
            (unsigned long long)width, v->instances);
    v->capacity = (uint32_t)room;
    v->setting_room = (uint32_t)settings;
    v->slot_count = (uint32_t)slots;
    v->records = hed_arena_new(&v->arena, room, sizeof *v->records, error);
    v->pokes = hed_arena_new(&v->arena, room, sizeof *v->pokes, error);
    v->slots = hed_arena_new(&v->arena, slots, sizeof *v->slots, error);
    v->begin = hed_arena_new(&v->arena, v->instances + 1, sizeof *v->begin, error);
    v->last = hed_arena_new(&v->arena, v->targets, sizeof *v->last, error);
    v->host = hed_arena_new(&v->arena, v->targets, sizeof *v->host, error);
    return v->arena.failed ? HED_ERROR_MEMORY : HED_OK;
}

hed_status synth_voices_create(const hed_allocator *allocator, const hed_synth_instrument_def *def,
    const synth_program *program, const hed_synth_def *options, synth_voices **voices,
    hed_error *error)
{
    *voices = NULL;
    hed_arena arena = {.allocator = *allocator, .owner = "voices"};
    synth_voices *v = hed_arena_new(&arena, 1, sizeof *v, error);
    if (!v) return HED_ERROR_MEMORY;
    v->arena = arena;
    v->def = *def;
    v->program = program;
    v->instances =
        program->instances < SYNTH_INSTANCE_LIMIT ? program->instances : SYNTH_INSTANCE_LIMIT;
    v->max_events = options->max_events;
    v->transpose = options->transpose;
    v->fold = options->fold;
    for (uint32_t key = 0; key < SYNTH_KEYS; key++)
        v->pitch[key] = options->tuning ? options->tuning[key] : (float)key;
    v->fade_frames = (uint32_t)(FADE * options->rate) + 1;
    v->targets = program->target_count;
    v->largest_dilation = (float)synth_largest_dilation(def);
    if (synth_sleep_create(
            &v->arena, program, hed_strict_pow(10.0, def->gain / 20.0), &v->sleep, error) ||
        make_room(v, error)) {
        synth_voices_destroy(v);
        return error->status;
    }
    synth_notes_listen(v);
    synth_volume_listen(v);
    start_over(v);
    *voices = v;
    return HED_OK;
}

void synth_voices_destroy(synth_voices *v)
{
    if (v) hed_arena_free(&v->arena);
}

void synth_voices_reset(synth_voices *v) { start_over(v); }

hed_synth_note_info synth_voices_notes(const synth_voices *v) { return v->notes; }

uint32_t synth_voices_sounding(const synth_voices *v)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < v->instances; i++)
        count += v->voices[i].used && !v->voices[i].released;
    if (v->def.mode != HED_SYNTH_SINGLETON) return count;
    for (uint32_t c = 0; c < SYNTH_CHANNELS; c++)
        if (v->held[c][0] | v->held[c][1]) return 1;
    return 0;
}

/* ---- another program ---- */

/* Returns the last key to start on a target's route. */
static uint16_t last_key(const synth_voices *v, const hed_synth_route *route)
{
    uint16_t best = SYNTH_NONE;
    uint32_t started = 0;
    for (uint32_t c = 0; c < SYNTH_CHANNELS; c++)
        for (uint32_t note = route->low;
             synth_route_channel(route, c) && note <= route->high && note < SYNTH_KEYS; note++)
            if (v->keys[c][note].started > started) {
                started = v->keys[c][note].started;
                best = (uint16_t)(c << 7 | note);
            }
    return best;
}

void synth_voices_adopt(synth_voices *v, const synth_voices *from)
{
    v->renew = true;
    if (from == v) {
        synth_volume_reset(v);
        return;
    }
    v->sleep->slot = from->sleep->slot;
    memcpy(v->channels, from->channels, sizeof v->channels);
    memcpy(v->members, from->members, sizeof v->members);
    memcpy(v->keys, from->keys, sizeof v->keys);
    memcpy(v->held, from->held, sizeof v->held);
    memcpy(v->plays, from->plays, sizeof v->plays);
    hed_synth_note_info report = v->notes;
    v->notes = from->notes;
    v->notes.low = report.low;
    v->notes.high = report.high;
    memcpy(v->voices, from->voices, sizeof v->voices);
    v->all_channels = from->all_channels;
    v->played = from->played;
    v->gliding = from->gliding;
    v->serial = from->serial;
    v->tempo = from->tempo;
    for (uint32_t t = 0; t < v->targets; t++) {
        const synth_target *target = &v->program->targets[t];
        v->last[t] = last_key(v, &target->route);
        v->host[t] = (synth_host_value){0};
        for (uint32_t i = 0; i < from->targets; i++)
            if (target->kind == HED_SYNTH_MIDI_HOST && from->host[i].received &&
                from->host[i].number == target->number)
                v->host[t] = from->host[i];
    }
    synth_settings_adopt(v, from);
}

/* ---- fades ---- */

void synth_voices_set_time(synth_voices *v, uint64_t sample) { v->now = sample; }

uint64_t synth_voices_next_end(const synth_voices *v, uint64_t sample)
{
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 0; i < v->instances; i++) {
        uint64_t end = v->voices[i].fades;
        if (end > sample && end < next) next = end;
    }
    return next;
}

/* A voice that has just started counts as loud, and less so with each look. */
void synth_voices_listen(synth_voices *v, const float *loudness)
{
    for (uint32_t i = 0; i < v->instances; i++)
        v->voices[i].level = hed_max(loudness[i], 0.5f * v->voices[i].level);
}

/* ---- all sound off ---- */

bool synth_voices_is_sound_off(const synth_voices *v, const hed_synth_event *e)
{
    if (e->kind == HED_SYNTH_EVENT_CHOKE) return v->def.mode == HED_SYNTH_SINGLETON;
    if (e->kind != HED_SYNTH_EVENT_MIDI) return false;
    return synth_is_restart(e->bytes) ||
           (e->bytes[0] >> 4 == 11 && e->bytes[1] == SYNTH_CC_SOUND_OFF);
}

uint64_t synth_voices_silenced(const synth_voices *v) { return v->silenced; }

/* ---- pokes ---- */

/* Sorts pokes by instance; pokes of an instance stay in order of time. */
static void sort(synth_voices *v)
{
    uint32_t sum = 0;
    memset(v->begin, 0, (v->instances + 1) * sizeof *v->begin);
    for (uint32_t i = 0; i < v->count; i++) v->begin[v->records[i].instance]++;
    for (uint32_t i = 0; i <= v->instances; i++) {
        uint32_t count = v->begin[i];
        v->begin[i] = sum;
        sum += count;
    }
    for (uint32_t i = 0; i < v->count; i++)
        v->pokes[v->begin[v->records[i].instance]++] = v->records[i].poke;
    for (uint32_t i = v->instances; i > 0; i--) v->begin[i] = v->begin[i - 1];
    v->begin[0] = 0;
}

/* ---- events ---- */

/* Counts the gates that a key opens. */
static uint64_t gates_of(const synth_voices *v, uint32_t channel, uint32_t key)
{
    uint64_t count = 0;
    for (uint32_t g = 0; key != HED_SYNTH_NO_KEY && g < v->program->layout.gates; g++)
        count += synth_route_fits(&v->program->gates[g].route, channel, key);
    return count;
}

/* Returns the maximum number of pokes of a MIDI event. */
static uint64_t midi_pokes(const synth_voices *v, const uint8_t *bytes)
{
    uint64_t gates = v->program->layout.gates, targets = v->targets, reached = 0;
    uint32_t status = bytes[0] >> 4, control = status == 14   ? SYNTH_CONTROL_BEND
                                               : status == 13 ? SYNTH_CONTROL_PRESSURE
                                                              : bytes[1];
    if (status == 9 || status == 8) {
        /* start or end of a note; stealing a voice also closes its gates */
        uint32_t channel = bytes[0] & 15, key = synth_notes_key(v, channel, bytes[1]),
                 plays = v->plays[channel][bytes[1]];
        uint64_t stolen = v->def.mode == HED_SYNTH_SINGLETON ? 0 : gates,
                 opened = gates_of(v, channel, key);
        if (plays != key) opened += gates_of(v, channel, plays);
        /* a voice that goes to another key opens and closes gates of both */
        if (synth_glide_is_legato(v, channel) || v->channels[channel].source != SYNTH_NO_SOURCE)
            opened = 2 * gates;
        return 1 + synth_volume_pokes(v) + opened * SYNTH_GATE_WORDS + stolen + targets;
    }
    if (status == 10) return targets;
    if (status < 11 || status > 14) return 0;
    /* repeats everything, but only once in a sample: budgeted separately */
    if (status == 11 && control == SYNTH_CC_SOUND_OFF) return 0;
    bool ends = status == 11 && (control == SYNTH_CC_SUSTAIN || control == SYNTH_CC_SOSTENUTO ||
                                    control > SYNTH_CC_SOUND_OFF);
    bool data = status == 11 && (control == SYNTH_CC_DATA || control == SYNTH_CC_DATA_FINE);
    bool is_volume = status == 11 && (control == SYNTH_CC_VOLUME || control == SYNTH_CC_EXPRESSION);
    if (ends || data) return v->instances * (2 + gates * SYNTH_GATE_WORDS + targets);
    for (uint32_t t = 0; t < targets; t++)
        reached += synth_control_reaches(&v->program->targets[t], bytes[0] & 15, control);
    return v->instances * (reached + (control == SYNTH_CONTROL_BEND || is_volume));
}

/* Checks the value of an event that sets one. `needed`: pokes of one instance. */
static hed_status check_set(const synth_voices *v, const hed_synth_event *e, uint32_t index,
    uint64_t *needed, hed_error *error)
{
    synth_range range = synth_program_range(v->program, e->entity, e->target);
    if (!(e->value >= range.low && e->value <= range.high))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "events[%u] sets %s of entity %u to %g; expected a value from %g to %g", index,
            hed_synth_target_name(e->target), e->entity, (double)e->value, (double)range.low,
            (double)range.high);
    *needed = synth_program_set(v->program, e->entity, e->target, e->value, NULL, 0);
    if (*needed) return HED_OK;
    return hed_fail(error, HED_ERROR_ARGUMENT,
        "events[%u] sets %s of entity %u: there is no such entity, or it has no such value", index,
        hed_synth_target_name(e->target), e->entity);
}

static hed_status check_event(const synth_voices *v, const hed_synth_event *e, uint32_t index,
    uint64_t *pokes, hed_error *error)
{
    uint64_t needed = (uint64_t)v->instances * v->targets;
    switch (e->kind) {
    case HED_SYNTH_EVENT_MIDI:
        if (e->bytes[0] < 0x80 || (e->bytes[0] < 0xf0 && (e->bytes[1] > 127 || e->bytes[2] > 127)))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "events[%u] has bytes %02x %02x %02x; expected a MIDI status of 80 or above and data below 80",
                index, e->bytes[0], e->bytes[1], e->bytes[2]);
        needed = midi_pokes(v, e->bytes);
        break;
    case HED_SYNTH_EVENT_TEMPO:
        if (!(e->value > 0.0f && e->value < 1e6f))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "events[%u] sets the tempo to %g; expected more than 0 quarter notes a minute",
                index, (double)e->value);
        break;
    case HED_SYNTH_EVENT_SET:
        if (check_set(v, e, index, &needed, error)) return error->status;
        needed *= v->instances;
        break;
    case HED_SYNTH_EVENT_HOST:
        if (!isfinite(e->value))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "events[%u] has the host value %g; expected a finite number", index, (double)e->value);
        break;
    case HED_SYNTH_EVENT_CHOKE:
    case HED_SYNTH_EVENT_NOTE_HOST:
        if (e->bytes[0] >= SYNTH_CHANNELS || e->bytes[1] >= SYNTH_KEYS || !isfinite(e->value) ||
            (e->kind == HED_SYNTH_EVENT_NOTE_HOST && e->number >= HED_SYNTH_MACROS))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "events[%u] is of note %u on channel %u (number %u, value %g); expected at most 127, at most "
                "15, a macro below %u and a finite value",
                index, e->bytes[1], e->bytes[0], e->number, (double)e->value, HED_SYNTH_MACROS);
        needed = v->targets + (uint64_t)v->instances * v->program->layout.gates;
        break;
    default:
        return hed_fail(error, HED_ERROR_ARGUMENT, "events[%u]: unknown event kind %u", index,
            (unsigned)e->kind);
    }
    *pokes += needed;
    return HED_OK;
}

hed_status synth_voices_check(const synth_voices *v, const hed_synth_event *events, uint32_t count,
    uint32_t frames, hed_error *error)
{
    if (count > v->max_events)
        return hed_fail(error, HED_ERROR_LIMIT,
            "%u events in a block: at most %u, hed_synth_def.max_events", count, v->max_events);
    bool is_renewal = v->renew;
    for (uint32_t i = 0; i < count && !is_renewal; i++)
        is_renewal = synth_voices_is_sound_off(v, &events[i]);
    uint64_t pokes = is_renewal ? widest(v) + v->setting_pokes : 0, at_once = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (events[i].frame >= frames)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "events[%u] is at frame %u: the block has %u", i, events[i].frame, frames);
        if (i && events[i].frame < events[i - 1].frame)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "events[%u] is at frame %u, before events[%u] at %u; expected them in order of time",
                i, events[i].frame, i - 1, events[i - 1].frame);
        uint64_t needed = 0;
        hed_status status = check_event(v, &events[i], i, &needed, error);
        if (status) return status;
        if (i && events[i].frame > events[i - 1].frame) at_once = 0;
        if (events[i].kind == HED_SYNTH_EVENT_SET) {
            pokes += needed;
            continue;
        }
        /* the events of one sample never poke a word twice */
        if (needed > followers(v) - at_once) needed = followers(v) - at_once;
        at_once += needed;
        pokes += needed;
    }
    if (pokes > v->event_room)
        return hed_fail(error, HED_ERROR_LIMIT,
            "the events of a block may change %llu words: at most %u; use shorter blocks",
            (unsigned long long)pokes, v->event_room);
    return HED_OK;
}

static void play_midi(synth_voices *v, const uint8_t *bytes)
{
    uint32_t channel = bytes[0] & 15, first = bytes[1], second = bytes[2];
    switch (bytes[0] >> 4) {
    case 8: synth_notes_end(v, channel, first); break;
    case 9:
        if (second) synth_notes_start(v, channel, first, second);
        else synth_notes_end(v, channel, first);
        break;
    case 10: synth_notes_touch(v, channel, first, second); break;
    case 11: synth_control_change(v, channel, first, second); break;
    case 13: synth_control_pressure(v, channel, first); break;
    case 14: synth_control_bend(v, channel, first | second << 7); break;
    case 15:
        if (synth_is_restart(bytes)) synth_voices_restart(v);
        break;
    default: break; /* program changes and other system messages are ignored */
    }
}

hed_status synth_voices_run(synth_voices *v, const hed_synth_event *events, uint32_t count,
    uint32_t frames, const synth_poke **pokes, const uint32_t **poke_begin, hed_error *error)
{
    hed_status status = synth_voices_check(v, events, count, frames, error);
    if (status) return status;
    v->count = 0;
    v->silenced = v->faded = v->begun = 0;
    synth_voices_set_frame(v, 0);
    synth_voices_end_fades(v);
    synth_sleep_check(v);
    if (v->renew) synth_voices_renew(v);
    uint32_t glided = 0; /* number of frames whose glides are poked */
    for (uint32_t i = 0; i < count; i++) {
        const hed_synth_event *e = &events[i];
        synth_glide_run(v, glided, e->frame + 1);
        glided = e->frame + 1;
        if (e->frame != v->frame) synth_voices_set_frame(v, e->frame);
        switch (e->kind) {
        case HED_SYNTH_EVENT_MIDI: play_midi(v, e->bytes); break;
        case HED_SYNTH_EVENT_TEMPO: synth_control_tempo(v, e->value); break;
        case HED_SYNTH_EVENT_SET:
            for (uint32_t k = 0; k < v->instances; k++) synth_sleep_wake_all(v, k);
            synth_settings_set(v, e->entity, e->target, e->value);
            break;
        case HED_SYNTH_EVENT_HOST: synth_control_host(v, e->number, e->value); break;
        case HED_SYNTH_EVENT_CHOKE: synth_voices_choke(v, e->bytes[0], e->bytes[1]); break;
        case HED_SYNTH_EVENT_NOTE_HOST:
            synth_notes_offset(v, e->bytes[0], e->bytes[1], e->number, e->value);
            break;
        }
    }
    synth_glide_run(v, glided, frames);
    sort(v);
    *pokes = v->pokes;
    *poke_begin = v->begin;
    return HED_OK;
}
