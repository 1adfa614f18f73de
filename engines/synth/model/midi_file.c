/* Standard MIDI files of format 0 and 1 (Standard MIDI Files 1.0, MMA RP-001). */
#include "heddle/synth_file.h"

#include "model/model.h"

hed_status hed_midi_file_parse(const void *bytes, size_t size, const char *name, hed_midi_file **file, hed_error *error)
{
    (void)bytes, (void)size;
    *file = NULL;
    return synth_fail(error, HED_ERROR_UNSUPPORTED, "%s: not there yet", name);
}

hed_status hed_midi_file_load(const char *path, hed_midi_file **file, hed_error *error)
{
    return hed_midi_file_parse(NULL, 0, path, file, error);
}

void hed_midi_file_destroy(hed_midi_file *file) { (void)file; }

uint32_t hed_midi_file_count(const hed_midi_file *file)
{
    (void)file;
    return 0;
}

const hed_midi_event *hed_midi_file_events(const hed_midi_file *file)
{
    (void)file;
    return NULL;
}

double hed_midi_file_seconds(const hed_midi_file *file)
{
    (void)file;
    return 0;
}

uint32_t hed_midi_file_tracks(const hed_midi_file *file)
{
    (void)file;
    return 0;
}
