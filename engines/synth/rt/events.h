/* Events of the next block in order of time, for live playing and for players. Real-time safe. */
#ifndef SYNTH_RT_EVENTS_H
#define SYNTH_RT_EVENTS_H

#include "heddle/synth.h"

enum { SYNTH_EVENT_ROOM = 1024 };

typedef struct synth_events {
    hed_synth_event at[SYNTH_EVENT_ROOM]; /* events in order of frame */
    uint32_t count;
} synth_events;

/* Adds an event; events of one frame keep their order of arrival. False: full. */
bool synth_events_add(synth_events *events, const hed_synth_event *event);
/* Converts a MIDI message to an event at frame 0. False: neither a channel message of two or three
 * bytes nor a reset; instruments ignore other system messages. */
bool synth_events_from_midi(const uint8_t *bytes, uint32_t size, hed_synth_event *event);

#endif
