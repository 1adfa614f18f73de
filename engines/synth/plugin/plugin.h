/* Declarations common to the CLAP and the LV2 plugin: names, and the built-in instruments. Both
 * plugins only translate between a host and a player (heddle/synth_player.h). */
#ifndef SYNTH_PLUGIN_H
#define SYNTH_PLUGIN_H

#include "heddle/kernel.h"
#include "heddle/synth_player.h"

#define PLUGIN_URI "urn:heddle:synth" /* LV2's URI; must never change: sessions refer to it */
/* CLAP's id; must never change, nor may the numbers of parameters */
#define PLUGIN_ID "heddle.synth"
#define PLUGIN_NAME "Heddle Synth"
/* the same with an output for each microphone, and more inputs */
#define PLUGIN_MANY_ID PLUGIN_ID ".many"
#define PLUGIN_MANY_URI PLUGIN_URI ":many"
#define PLUGIN_MANY_NAME PLUGIN_NAME " (50 in, 50 out)"
enum { PLUGIN_INPUTS = 50, PLUGIN_STEMS = 50 }; /* channels; microphones, in stereo */
#define PLUGIN_FIRST "vibes"                    /* preset of a new instance */

/* Learning as a parameter: 0 off, from 1 on the knob that waits for its controller, then "forget
 * all". */
enum {
    PLUGIN_LEARN = HED_SYNTH_KNOB_COUNT,
    PLUGIN_PARAMETERS,
    PLUGIN_FORGET = HED_SYNTH_KNOB_COUNT + 1
};

/* Generated from data/instruments: names end in ".json", the list with a NULL. */
extern const hed_source hed_synth_preset_files[];

/* Loads a built-in instrument by its name. Errors: as hed_synth_player_load_text(); ARGUMENT (no
 * such preset: the text lists them). */
hed_status plugin_load_preset(hed_synth_player *player, const char *name, hed_error *error);
/* Writes the preset's name without ".json". */
void plugin_preset_name(const hed_source *file, char *name, size_t size);
enum { PLUGIN_NOTE_TEXT = 160 };
/* Writes a warning of notes that the instrument does not play, to `text` (PLUGIN_NOTE_TEXT bytes).
 * False: all notes play. */
bool plugin_describe_dropped(const hed_synth_note_info *notes, char *text);
/* Applies a value of the learning parameter. Audio thread. */
void plugin_learn(hed_synth_player *player, uint32_t value);

#endif
