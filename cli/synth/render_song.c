/* A song for `heddle synth render`: events at samples. */
#include "render.h"

#include "support/errors.h"

#include <math.h>
#include <stdlib.h>

static const double MOST_SECONDS = 1e7; /* of a song: four months */

static hed_status make_room(cli_synth_song *song, uint32_t count, hed_error *error)
{
    *song = (cli_synth_song){0};
    song->events = calloc((size_t)count + 1, sizeof *song->events);
    song->samples = calloc((size_t)count + 1, sizeof *song->samples);
    if (song->events && song->samples) return HED_OK;
    cli_synth_song_free(song);
    return hed_error_set(error, HED_ERROR_MEMORY, "out of memory for %u events", count);
}

static void add_midi(
    cli_synth_song *song, uint64_t sample, uint8_t status, uint8_t first, uint8_t second)
{
    song->events[song->count] =
        (hed_synth_event){.kind = HED_SYNTH_EVENT_MIDI, .bytes = {status, first, second}};
    song->samples[song->count++] = sample;
}

hed_status cli_synth_song_load(
    const char *path, double rate, cli_synth_song *song, hed_error *error)
{
    hed_synth_midi_file *file;
    *song = (cli_synth_song){0};
    hed_status status = hed_synth_midi_file_load(path, &file, error);
    if (status != HED_OK) return status;
    if (hed_synth_midi_file_seconds(file) > MOST_SECONDS)
        status = hed_error_set(error, HED_ERROR_LIMIT,
            "%s lasts %.3g s; at most %g are rendered. Is a tempo or a time in it damaged?", path,
            hed_synth_midi_file_seconds(file), MOST_SECONDS);
    if (status == HED_OK) status = make_room(song, hed_synth_midi_file_count(file), error);
    const hed_synth_midi_event *events = hed_synth_midi_file_events(file);
    for (uint32_t i = 0; status == HED_OK && i < hed_synth_midi_file_count(file); i++) {
        uint64_t sample = (uint64_t)llround(events[i].seconds * rate);
        if (events[i].bytes[0] != 0xff) {
            add_midi(song, sample, events[i].bytes[0], events[i].bytes[1], events[i].bytes[2]);
        } else if (events[i].bytes[1] == 0x51) {
            song->events[song->count] =
                (hed_synth_event){.kind = HED_SYNTH_EVENT_TEMPO, .value = events[i].tempo};
            song->samples[song->count++] = sample;
        }
    }
    song->length = (uint64_t)llround(hed_synth_midi_file_seconds(file) * rate);
    hed_synth_midi_file_destroy(file);
    return status;
}

hed_status cli_synth_song_note(
    const hed_synth_instrument *instrument, double rate, cli_synth_song *song, hed_error *error)
{
    hed_status status = make_room(song, 2, error);
    if (status != HED_OK) return status;
    const hed_synth_instrument_def *def = hed_synth_instrument_definition(instrument);
    double root = fmin(fmax(round(def->root_note), def->low), def->high);
    song->length = (uint64_t)llround(rate);
    add_midi(song, 0, 0x90, (uint8_t)root, 100);
    add_midi(song, song->length, 0x80, (uint8_t)root, 0);
    return HED_OK;
}

/* Whether the synth hears the song's first note as this one on this channel, which it becomes. */
static bool move_note(cli_synth_song *song, const hed_synth *synth, uint32_t channel, uint32_t note)
{
    for (uint32_t i = 0; i < song->count; i++) {
        song->events[i].bytes[0] = (uint8_t)((song->events[i].bytes[0] & 0xf0) | channel);
        song->events[i].bytes[1] = (uint8_t)note;
    }
    return hed_synth_check_notes(synth, song->events, song->count).dropped == 0;
}

void cli_synth_song_retune(cli_synth_song *song, const hed_synth *synth)
{
    uint32_t root = song->count ? song->events[0].bytes[1] : 0;
    for (uint32_t away = 0; away < 128 && song->count; away++)
        for (uint32_t channel = 0; channel < 16; channel++) {
            if (root >= away && move_note(song, synth, channel, root - away)) return;
            if (root + away < 128 && move_note(song, synth, channel, root + away)) return;
        }
}

uint32_t cli_synth_song_most(const cli_synth_song *song, uint32_t block)
{
    uint32_t most = 0, first = 0;
    for (uint32_t i = 0; i < song->count; i++) {
        while (song->samples[first] / block < song->samples[i] / block) first++;
        if (i - first + 1 > most) most = i - first + 1;
    }
    return most;
}

void cli_synth_song_free(cli_synth_song *song)
{
    free(song->events);
    free(song->samples);
    *song = (cli_synth_song){0};
}
