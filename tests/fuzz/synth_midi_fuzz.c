/* libFuzzer harness for MIDI files: whatever the bytes, an error that says something, or events in
 * order of time. Build with -DHEDDLE_FUZZ=ON. */
#include <stdint.h>
#include <stdlib.h>

#include "heddle/synth_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hed_synth_midi_file *file;
    hed_error error = {0};
    hed_status status = hed_synth_midi_file_parse(data, size, "fuzz.mid", &file, &error);
    if (status != HED_OK) {
        if (status != HED_ERROR_FORMAT || !error.text[0] || file) abort();
        return 0;
    }
    const hed_synth_midi_event *events = hed_synth_midi_file_events(file);
    for (uint32_t i = 0; i < hed_synth_midi_file_count(file); i++) {
        const hed_synth_midi_event *e = &events[i];
        if (e->track >= hed_synth_midi_file_tracks(file) || e->bytes[0] < 0x80 ||
            e->bytes[1] > 127 || e->bytes[2] > 127)
            abort();
        if (!(e->seconds >= 0 && e->seconds <= hed_synth_midi_file_seconds(file) * (1 + 1e-9)))
            abort();
        if (i && (e->tick < events[i - 1].tick || e->seconds < events[i - 1].seconds)) abort();
    }
    hed_synth_midi_file_close(file);
    return 0;
}
