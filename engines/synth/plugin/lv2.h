/* The synth as an LV2 instrument: declarations common to the plugin and its window. */
#ifndef SYNTH_PLUGIN_LV2_H
#define SYNTH_PLUGIN_LV2_H

#include <stdatomic.h>

#include "heddle/ring.h"
#include "plugin.h"

/* Numbers of the ports; bundle.cmake describes them. */
enum { CONTROL, NOTIFY, LEFT, RIGHT, LATENCY, IN_LEFT, IN_RIGHT, KNOBS };

/* Part of an instance that its window uses (instance-access gives the instance, of which it is the
 * first member). */
typedef struct lv2_shared {
    hed_synth_player *player;
    hed_ring *played;     /* MIDI from the window's user, three bytes a message */
    _Atomic bool changed; /* the window has changed the state of the session */
} lv2_shared;

#endif
