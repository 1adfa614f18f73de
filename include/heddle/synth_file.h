/** @file synth_file.h
 *  Files of the synth: instruments (JSON), Anukari's published presets, standard MIDI files.
 */
#ifndef HEDDLE_SYNTH_FILE_H
#define HEDDLE_SYNTH_FILE_H

#include "heddle/synth.h"

HED_BEGIN

/** Reads an instrument file (docs/instrument-file.md; version 1).
 *  Thread class: any. Errors: IO, FORMAT ("harp.json:12: springs[3].to: no body \"b9\""), LIMIT,
 *  MEMORY. */
HED_API hed_status hed_synth_instrument_read(
    const char *path, hed_synth_instrument **instrument, hed_error *error);
/** Reads an instrument from memory (`text`: size bytes); `name` replaces the path in messages.
 *  A layer whose instrument is a file is refused: it must be in the text itself.
 *  Thread class: any. Errors: FORMAT, LIMIT, MEMORY. */
HED_API hed_status hed_synth_instrument_parse(const char *text, size_t size, const char *name,
    hed_synth_instrument **instrument, hed_error *error);
/** Writes an instrument file, whole or not at all. Thread class: any. Errors: IO, MEMORY. */
HED_API hed_status hed_synth_instrument_save(
    const hed_synth_instrument *instrument, const char *path, hed_error *error);
/** Writes the text of an instrument file to memory, for a program without files. Release `text`
 *  (size bytes and a zero) with free(). Thread class: any. Errors: MEMORY. */
HED_API hed_status hed_synth_instrument_print(
    const hed_synth_instrument *instrument, char **text, size_t *size, hed_error *error);
/** Returns the number of layers of an instrument: instruments in one, whose notes sound together or
 *  share the keys (docs/instrument-file.md). 0: it is one instrument. Thread class: any. */
HED_API uint32_t hed_synth_instrument_layer_count(const hed_synth_instrument *instrument);
/** Returns the JSON schema of instrument files, zero-terminated. Thread class: rt. */
HED_API const char *hed_synth_instrument_schema(size_t *size);

/** Differences of an imported instrument from its preset. */
typedef struct hed_synth_import_info {
    /** numbers of imported entities, and of those without a counterpart or with such a reference */
    uint32_t entities, left_out;
    /** number of lines on entities imported with another value or meaning */
    uint32_t changed;
    /** number of lines beyond the capacity of `text` */
    uint32_t unlisted;
    /** a line for each entity skipped or changed: "mallet1: impulse 50 -> 27.5 N s, ..." */
    char text[8192];
} hed_synth_import_info;

/** Reads a preset of Anukari's published schema (protobuf). `report` may be NULL.
 *  Thread class: any. Errors: IO, FORMAT (has the byte), LIMIT, MEMORY. */
HED_API hed_status hed_synth_instrument_read_ank(const char *path,
    hed_synth_instrument **instrument, hed_synth_import_info *report, hed_error *error);
/** Reads a preset of Anukari's published schema from memory. `name` replaces the path in messages;
 *  `report` may be NULL.
 *  Thread class: any. Errors: FORMAT (has the byte), LIMIT, MEMORY. */
HED_API hed_status hed_synth_instrument_parse_ank(const void *bytes, size_t size, const char *name,
    hed_synth_instrument **instrument, hed_synth_import_info *report, hed_error *error);

/** Reads the pitch of each key, (128) semitones for hed_synth_def.tuning, from a scale of Scala's
 *  (.scl) or a file of AnaMark's (name ends in .tun). `mapping`: Scala's keyboard mapping (.kbm);
 *  NULL: degree 0 is key 60 with 261.63 Hz. Keys that the mapping omits are NaN, so silent.
 *  Thread class: any. Errors: IO, FORMAT (has the line), LIMIT (over 1 MiB), MEMORY. */
HED_API hed_status hed_synth_tuning_read(
    const char *path, const char *mapping, float *pitches, hed_error *error);
/** Reads the pitch of each key from memory, as hed_synth_tuning_read(); `name` replaces the path,
 *  `map_text` NULL: no mapping.
 *  Thread class: any. Errors: FORMAT (has the line). */
HED_API hed_status hed_synth_tuning_parse(const char *text, size_t size, const char *name,
    const char *map_text, size_t map_size, float *pitches, hed_error *error);

/** An event of a MIDI file, of all tracks, in order of time. */
typedef struct hed_synth_midi_event {
    double seconds; /**< time by the tempo map */
    uint64_t tick;
    uint16_t track;
    /** status (with channel), data 1, data 2; 0xff 0x51 for a tempo, f0 7e 09 for a reset */
    uint8_t bytes[3];
    float tempo; /**< quarter notes a minute, for 0xff 0x51 */
} hed_synth_midi_event;

typedef struct hed_synth_midi_file hed_synth_midi_file;

/** Reads a standard MIDI file of format 0 or 1 (Standard MIDI Files 1.0, MMA RP-001), also in RIFF
 *  (.rmi). Thread class: any. Errors: IO, FORMAT ("song.mid: track 2 ends at byte 1204, in the
 *  middle of an event"), LIMIT (over 256 MiB), MEMORY. */
HED_API hed_status hed_synth_midi_file_open(
    const char *path, hed_synth_midi_file **file, hed_error *error);
/** Reads a standard MIDI file from memory (`bytes`: size); `name` replaces the path in messages.
 *  Thread class: any. Errors: FORMAT, LIMIT (over 256 MiB), MEMORY. */
HED_API hed_status hed_synth_midi_file_parse(
    const void *bytes, size_t size, const char *name, hed_synth_midi_file **file, hed_error *error);
/** Adds events at the end of the longest track that end what the file leaves sounding: pressed
 *  sustain and sostenuto pedals, and notes without an end. Nothing is added a second time.
 *  Thread class: owner. Errors: MEMORY. */
HED_API hed_status hed_synth_midi_file_end_notes(hed_synth_midi_file *file, hed_error *error);
/** Destroys a MIDI file. NULL is allowed. Thread class: owner. */
HED_API void hed_synth_midi_file_close(hed_synth_midi_file *file);
/** Returns the number of events of all tracks. Thread class: any. */
HED_API uint32_t hed_synth_midi_file_count(const hed_synth_midi_file *file);
/** Returns the events of all tracks in order of time, (count). Thread class: any. */
HED_API const hed_synth_midi_event *hed_synth_midi_file_events(const hed_synth_midi_file *file);
/** Returns the time at the end of the longest track. Thread class: any. */
HED_API double hed_synth_midi_file_seconds(const hed_synth_midi_file *file);
/** Returns the number of tracks. Thread class: any. */
HED_API uint32_t hed_synth_midi_file_tracks(const hed_synth_midi_file *file);

HED_END

#endif
