/* Events of the block that comes next, in order of time: what live playing and players have in
 * common. Real-time safe. */
#ifndef SYNTH_RT_EVENTS_H
#define SYNTH_RT_EVENTS_H

#include "heddle/synth.h"

enum { SYNTH_EVENT_ROOM = 1024 };

typedef struct synth_events {
    hed_synth_event at[SYNTH_EVENT_ROOM]; /* in order of frame */
    uint32_t count;
} synth_events;

/* Adds an event; of two at one frame the one that came first stays first. False: no room. */
bool synth_events_add(synth_events *events, const hed_synth_event *event);
/* Bytes of a MIDI message as an event at frame 0. False: no channel message of two or three bytes;
 * system messages move no instrument. */
bool synth_events_from_midi(const uint8_t *bytes, uint32_t size, hed_synth_event *event);

#endif
