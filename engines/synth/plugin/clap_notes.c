/* Notes of a CLAP host as MIDI of the player. If the instrument has MPE, each note gets a channel of
 * its own, so that it can be bent and pressed separately. */
#include "clap_notes.h"

#include <math.h>
#include <string.h>

/* ---- the list of notes ---- */

static bool is_own(const clap_notes *n) { return atomic_load(&n->bend_range) > 0; }

static uint32_t note_count(const clap_notes *n)
{
    return is_own(n) ? CLAP_NOTES_MEMBERS : CLAP_NOTES_MOST;
}

static bool addresses(int32_t id, int16_t port, int16_t channel, int16_t key, const clap_note *note)
{
    return note->used && (id < 0 || id == note->id) && (port < 0 || port == note->port) &&
           (channel < 0 || channel == note->channel) && (key < 0 || key == note->key);
}

/* Ends a note; with a full list of ends the host hears nothing of it. */
static void end_note(clap_notes *n, clap_note *note)
{
    if (note->used && n->ended_count < CLAP_NOTES_MOST) n->ended[n->ended_count++] = *note;
    note->used = note->held = false;
    note->since = ++n->serial;
}

/* Returns the place that is free for longest; if none is, that of the oldest note, released ones
 * first. */
static clap_note *free_note(clap_notes *n)
{
    clap_note *best = &n->notes[0];
    for (uint32_t i = 1; i < note_count(n); i++) {
        clap_note *note = &n->notes[i];
        if (note->used != best->used   ? best->used
            : note->held != best->held ? best->held
                                       : note->since < best->since)
            best = note;
    }
    return best;
}

void clap_notes_reset(clap_notes *n)
{
    for (uint32_t i = 0; i < CLAP_NOTES_MOST; i++) end_note(n, &n->notes[i]);
    memset(n->notes, 0, sizeof n->notes);
}

/* ---- events ---- */

static void notes_send(
    clap_notes *n, uint32_t frame, uint32_t status, uint32_t first, uint32_t second)
{
    const uint8_t bytes[] = {(uint8_t)status, (uint8_t)first, (uint8_t)second};
    hed_synth_player_midi(n->player, frame, bytes, 3);
}

static uint32_t in_seven_bits(double value)
{
    return (uint32_t)lrint(127 * fmin(fmax(value, 0), 1));
}

static void bend_note(clap_notes *n, uint32_t frame, uint32_t channel, double share)
{
    long value = share <= -1 ? 0 : lrint(8192 + 8191 * fmin(fmax(share, -1), 1));
    notes_send(n, frame, 0xe0 | channel, (uint32_t)value & 127, (uint32_t)value >> 7);
}

static void start_note(clap_notes *n, const clap_api_note *event)
{
    uint32_t frame = event->header.time, velocity = in_seven_bits(event->velocity);
    if (event->key < 0 || event->key > 127) return;
    uint8_t midi = event->channel < 0 ? 0 : (uint8_t)event->channel & 15;
    bool own = is_own(n);
    /* a key struck again keeps its voice, which is now the new note's */
    for (uint32_t i = 0; !own && i < CLAP_NOTES_MOST; i++)
        if (n->notes[i].used && n->notes[i].midi == midi && n->notes[i].key == event->key)
            end_note(n, &n->notes[i]);
    clap_note *note = free_note(n);
    if (own) midi = (uint8_t)(note - n->notes + 1);
    if (note->held) notes_send(n, frame, 0x80u | note->midi, (uint32_t)note->key, 0);
    if (own && note->bent) bend_note(n, frame, midi, 0);
    if (own && note->pressed) notes_send(n, frame, 0xd0u | midi, 0, 0);
    end_note(n, note);
    *note = (clap_note){.id = event->note, .port = event->port, .channel = event->channel,
        .key = event->key, .midi = midi, .used = true, .held = true, .since = ++n->serial};
    notes_send(n, frame, 0x90u | midi, (uint32_t)event->key, velocity ? velocity : 1);
}

static void release_note(clap_notes *n, clap_note *note, const clap_api_note *event)
{
    if (event->header.type == CLAP_API_NOTE_CHOKE)
        hed_synth_player_event(n->player, &(hed_synth_event){.frame = event->header.time,
                                              .kind = HED_SYNTH_EVENT_CHOKE,
                                              .bytes = {note->midi, (uint8_t)note->key}});
    else if (note->held)
        notes_send(n, event->header.time, 0x80u | note->midi, (uint32_t)note->key,
            in_seven_bits(event->velocity));
    note->held = false;
}

void clap_notes_play(clap_notes *n, const clap_api_note *event)
{
    if (event->header.type == CLAP_API_NOTE_ON) {
        start_note(n, event);
        return;
    }
    for (uint32_t i = 0; i < CLAP_NOTES_MOST; i++)
        if (addresses(event->note, event->port, event->channel, event->key, &n->notes[i]))
            release_note(n, &n->notes[i], event);
}

void clap_notes_express(clap_notes *n, const clap_api_expression *e)
{
    static const uint8_t controllers[] = {[CLAP_API_VOLUME] = 7, [CLAP_API_PAN] = 10,
        [CLAP_API_VIBRATO] = 1, [CLAP_API_EXPRESSION] = 11, [CLAP_API_BRIGHTNESS] = 74};
    float range = atomic_load(&n->bend_range);
    uint32_t frame = e->header.time, value = in_seven_bits(e->value);
    if (!isfinite(e->value) || e->expression < 0 || e->expression > CLAP_API_PRESSURE) return;
    for (uint32_t i = 0; i < note_count(n); i++) {
        clap_note *note = &n->notes[i];
        if (!addresses(e->note, e->port, e->channel, e->key, note)) continue;
        if (range <= 0) { /* notes without their own channels have only pressure */
            if (e->expression == CLAP_API_PRESSURE)
                notes_send(n, frame, 0xa0u | note->midi, (uint32_t)note->key, value);
        } else if (e->expression == CLAP_API_TUNING) {
            bend_note(n, frame, note->midi, e->value / (double)range);
            note->bent = true;
        } else if (e->expression == CLAP_API_PRESSURE) {
            notes_send(n, frame, 0xd0u | note->midi, value, 0);
            note->pressed = true;
        } else {
            notes_send(n, frame, 0xb0u | note->midi, controllers[e->expression], value);
        }
    }
}

void clap_notes_modulate(clap_notes *n, const clap_api_value *e)
{
    for (uint32_t i = 0; i < CLAP_NOTES_MOST; i++) {
        const clap_note *note = &n->notes[i];
        if (!addresses(e->note, e->port, e->channel, e->key, note)) continue;
        hed_synth_player_event(n->player,
            &(hed_synth_event){.frame = e->header.time, .kind = HED_SYNTH_EVENT_NOTE_HOST,
                .bytes = {note->midi, (uint8_t)note->key}, .number = e->param,
                .value = (float)e->value});
    }
}

/* ---- ends ---- */

void clap_notes_report(clap_notes *n, uint32_t frame, const clap_api_out_events *out)
{
    for (uint32_t i = 0; i < CLAP_NOTES_MOST; i++) {
        clap_note *note = &n->notes[i];
        if (note->used && hed_synth_player_note(n->player, note->midi, (uint32_t)note->key) ==
                              HED_SYNTH_NOTE_ENDED)
            end_note(n, note);
    }
    for (uint32_t i = 0; out && i < n->ended_count; i++) {
        const clap_note *note = &n->ended[i];
        clap_api_note event = {.header = {sizeof event, frame, 0, CLAP_API_NOTE_END, 0},
            .note = note->id, .port = note->port, .channel = note->channel, .key = note->key};
        out->try_push(out, &event.header);
    }
    n->ended_count = 0;
}
