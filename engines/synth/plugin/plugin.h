/* What the two formats of plugins have in common: names, and the instruments that are built in.
 * Both only translate between a host and a player (heddle/synth_player.h). */
#ifndef SYNTH_PLUGIN_H
#define SYNTH_PLUGIN_H

#include "heddle/kernel.h"
#include "heddle/synth_player.h"

#define PLUGIN_URI "urn:heddle:synth" /* of LV2; never to change: sessions refer to it */
#define PLUGIN_ID "heddle.synth"      /* of CLAP; likewise, and the numbers of parameters */
#define PLUGIN_NAME "Heddle Synth"
#define PLUGIN_FIRST "vibes" /* the preset that a new instance has */

/* Learning as a parameter: 0 nothing, from 1 on the knob of which the controller is waited for, and
 * behind them "forget all". */
enum {
    PLUGIN_LEARN = HED_SYNTH_KNOB_COUNT,
    PLUGIN_PARAMETERS,
    PLUGIN_FORGET = HED_SYNTH_KNOB_COUNT + 1
};

/* Generated from data/instruments: names end in ".json", the list with a NULL. */
extern const hed_source hed_synth_preset_files[];

/* Loads a built-in instrument by its name. Errors: as hed_synth_player_load_text(); ARGUMENT (there
 * is no such preset: says which there are). */
hed_status plugin_load_preset(hed_synth_player *player, const char *name, hed_error *error);
/* The preset's name without ".json". */
void plugin_preset_name(const hed_source *file, char *name, size_t size);
/* What the learning parameter at `value` asks for. Audio thread. */
void plugin_learn(hed_synth_player *player, uint32_t value);

#endif
