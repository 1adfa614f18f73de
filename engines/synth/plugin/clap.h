/* The synth as a CLAP instrument: declarations common to its files. */
#ifndef SYNTH_PLUGIN_CLAP_H
#define SYNTH_PLUGIN_CLAP_H

#include "clap_api.h"
#include "plugin.h"

/* symbol that hosts look up */
extern __attribute__((visibility("default"))) const clap_api_entry clap_entry;
extern const clap_api_preset_factory clap_presets; /* clap_presets.c */

#endif
