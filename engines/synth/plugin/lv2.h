/* The synth as an LV2 instrument: declarations common to the plugin and its window. */
#ifndef SYNTH_PLUGIN_LV2_H
#define SYNTH_PLUGIN_LV2_H

#include <stdatomic.h>

#include "heddle/ring.h"
#include "plugin.h"

/* Numbers of the ports; bundle.cmake describes them. MANY_INPUTS and those after it are ports of the
 * plugin with fifty inputs and microphones alone. */
enum {
    CONTROL,
    NOTIFY,
    LEFT,
    RIGHT,
    LATENCY,
    IN_LEFT,
    IN_RIGHT,
    KNOBS,
    MANY_INPUTS = KNOBS + PLUGIN_PARAMETERS,
    MANY_STEMS = MANY_INPUTS + PLUGIN_INPUTS - 2, /* left, right of each */
    MANY_PORTS = MANY_STEMS + 2 * PLUGIN_STEMS
};

/* Part of an instance that its window uses (instance-access gives the instance, of which it is the
 * first member). */
typedef struct lv2_shared {
    hed_synth_player *player;
    hed_ring *played;     /* MIDI from the window's user, three bytes a message */
    _Atomic bool changed; /* the window has changed the state of the session */
} lv2_shared;

#endif
