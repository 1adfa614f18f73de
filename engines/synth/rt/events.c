/* Events of the next block, see events.h. */
#include "events.h"

#include <string.h>

bool synth_events_add(synth_events *events, const hed_synth_event *event)
{
    if (events->count == SYNTH_EVENT_ROOM) return false;
    uint32_t at = events->count++;
    for (; at > 0 && events->at[at - 1].frame > event->frame; at--)
        events->at[at] = events->at[at - 1];
    events->at[at] = *event;
    return true;
}

bool synth_events_from_midi(const uint8_t *bytes, uint32_t size, hed_synth_event *event)
{
    static const uint8_t reset[] = {0xf0, 0x7e, 0x09}; /* bytes of a reset event */
    if ((size == 3 && memcmp(bytes, reset, 3) == 0) || hed_synth_midi_is_reset(bytes, size)) {
        *event = (hed_synth_event){.kind = HED_SYNTH_EVENT_MIDI, .bytes = {0xf0, 0x7e, 0x09}};
        return true;
    }
    if (size < 2 || size > 3 || bytes[0] < 0x80 || bytes[0] >= 0xf0) return false;
    /* invalid data byte: the synth would reject the whole block */
    if (bytes[1] > 127 || (size > 2 && bytes[2] > 127)) return false;
    *event = (hed_synth_event){
        .kind = HED_SYNTH_EVENT_MIDI, .bytes = {bytes[0], bytes[1], size > 2 ? bytes[2] : 0}};
    return true;
}
