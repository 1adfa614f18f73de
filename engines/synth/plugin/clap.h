/* The synth as a CLAP instrument: what its files have in common. */
#ifndef SYNTH_PLUGIN_CLAP_H
#define SYNTH_PLUGIN_CLAP_H

#include "clap_api.h"
#include "plugin.h"

/* What a host looks for in the file. */
extern __attribute__((visibility("default"))) const clap_api_entry clap_entry;
extern const clap_api_preset_factory clap_presets; /* clap_presets.c */

#endif
