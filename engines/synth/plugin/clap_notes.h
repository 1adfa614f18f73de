/* Notes of a CLAP host: each is known by its id, port, channel and key until its voice ends, and then
 * reported by a NOTE_END. Events with wildcards (-1) reach every note that they match, and no other.
 * All calls: audio thread. */
#ifndef SYNTH_CLAP_NOTES_H
#define SYNTH_CLAP_NOTES_H

#include "clap_api.h"
#include "heddle/synth_player.h"

#include <stdatomic.h>

enum {
    CLAP_NOTES_MEMBERS = 15, /* channels 2 to 16, for notes that are bent alone */
    CLAP_NOTES_MOST = 128
};

/* A note that sounds; with channels for notes, note i has channel i + 2. */
typedef struct clap_note {
    int32_t id; /* -1: none */
    int16_t port, channel, key;
    uint8_t midi; /* MIDI channel, from 0 */
    bool used, held, bent, pressed;
    uint64_t since; /* serial number of its start or end */
} clap_note;

typedef struct clap_notes {
    hed_synth_player *player;
    _Atomic float bend_range; /* semitones; 0: notes have no channels of their own */
    clap_note notes[CLAP_NOTES_MOST];
    uint64_t serial;
    clap_note ended[CLAP_NOTES_MOST]; /* (ended_count) to report */
    uint32_t ended_count;
} clap_notes;

/* Forgets all notes, after a reset of the player. */
void clap_notes_reset(clap_notes *notes);
/* Passes a NOTE_ON, NOTE_OFF or NOTE_CHOKE to the player. */
void clap_notes_play(clap_notes *notes, const clap_api_note *event);
/* Passes an expression to the player. */
void clap_notes_express(clap_notes *notes, const clap_api_expression *event);
/* Adds the modulation of a macro in the voices of the notes that match. */
void clap_notes_modulate(clap_notes *notes, const clap_api_value *event);
/* Reports notes whose voices have ended, after the player has run, at `frame` of the block. */
void clap_notes_report(clap_notes *notes, uint32_t frame, const clap_api_out_events *out);

#endif
