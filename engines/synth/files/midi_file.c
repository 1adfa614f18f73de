/* Reader of Standard MIDI Files of format 0 and 1 (MMA RP-001): merges the events of all tracks
 * in order of time and converts ticks to seconds by the tempo map. */
#include "heddle/synth_file.h"

#include "model/synth_model.h"
#include "support/file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hed_synth_midi_file {
    hed_synth_midi_event *events;
    uint32_t count, capacity, tracks;
    uint64_t ticks; /* end of the longest track; `seconds` likewise */
    double seconds;
};

/* State of the reader. Positions are in bytes from the beginning of the file. */
typedef struct reader {
    const char *name;
    const uint8_t *bytes;
    size_t at, end; /* position, and end of the readable range: the file, or a track */
    size_t size;    /* size of the file */
    uint32_t track; /* from 0 */
    bool in_track;
    uint32_t ticks_a_quarter;
    double seconds_a_tick; /* fixed by a time code; 0: set by the tempo */
    hed_synth_midi_file *file;
    uint64_t longest; /* tick at which the longest track ends */
    hed_error *error;
} reader;

enum {
    END_OF_TRACK = 0x2f,
    SET_TEMPO = 0x51,
    QUARTER_AT_REST = 500000, /* us; initial tempo */
};
static const size_t largest_file = (size_t)1 << 28;

static uint32_t big_endian(const uint8_t *bytes, uint32_t count)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < count; i++) value = value << 8 | bytes[i];
    return value;
}

/* ---- errors with positions ---- */

__attribute__((format(printf, 3, 4))) static hed_status wrong(
    const reader *r, size_t byte, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (r->in_track)
        return hed_fail(r->error, HED_ERROR_FORMAT, "%s: track %u, byte %zu: found %s", r->name,
            r->track + 1, byte, text);
    return hed_fail(r->error, HED_ERROR_FORMAT, "%s: byte %zu: found %s", r->name, byte, text);
}

static hed_status ends(const reader *r, const char *position)
{
    return hed_fail(r->error, HED_ERROR_FORMAT, "%s: track %u ends at byte %zu, %s", r->name,
        r->track + 1, r->end, position);
}

static hed_status midi_cut(const reader *r) { return ends(r, "in the middle of an event"); }

/* ---- bytes of a track ---- */

static hed_status read_byte(reader *r, uint32_t *value)
{
    if (r->at >= r->end) return midi_cut(r);
    *value = r->bytes[r->at++];
    return HED_OK;
}

/* Reads a variable-length number: groups of seven bits, at most four of them. */
static hed_status midi_read_number(reader *r, uint32_t *value)
{
    size_t begin = r->at;
    uint32_t byte = 0x80;
    *value = 0;
    while (byte & 0x80) {
        if (r->at - begin == 4) return wrong(r, begin, "a number of more than 4 bytes");
        hed_status status = read_byte(r, &byte);
        if (status) return status;
        *value = *value << 7 | (byte & 0x7f);
    }
    return HED_OK;
}

static hed_status read_data(reader *r, uint8_t *value)
{
    uint32_t byte = 0;
    hed_status status = read_byte(r, &byte);
    if (status) return status;
    if (byte > 0x7f) return wrong(r, r->at - 1, "%02x, expected a data byte below 80", byte);
    *value = (uint8_t)byte;
    return HED_OK;
}

/* ---- events ---- */

static bool midi_add_event(hed_synth_midi_file *file, const hed_synth_midi_event *event)
{
    if (file->count == file->capacity) {
        uint32_t capacity = file->capacity ? 2 * file->capacity : 256;
        hed_synth_midi_event *events = realloc(file->events, capacity * sizeof *events);
        if (!events) return false;
        file->events = events;
        file->capacity = capacity;
    }
    file->events[file->count++] = *event;
    return true;
}

static hed_status midi_add(reader *r, hed_synth_midi_event *event)
{
    /* until times are known: keeps the order of events in one tick */
    event->seconds = r->file->count;
    if (midi_add_event(r->file, event)) return HED_OK;
    return hed_fail(
        r->error, HED_ERROR_MEMORY, "%s: no memory for %u events", r->name, r->file->count);
}

static hed_status read_meta(reader *r, hed_synth_midi_event *event, bool *ended)
{
    uint32_t type = 0, length = 0;
    size_t begin = r->at - 1;
    hed_status status;
    if ((status = read_byte(r, &type)) || (status = midi_read_number(r, &length))) return status;
    if (length > r->end - r->at) return midi_cut(r);
    const uint8_t *data = r->bytes + r->at;
    r->at += length;
    *ended = type == END_OF_TRACK;
    if (type != SET_TEMPO) return HED_OK;
    uint32_t microseconds = length == 3 ? big_endian(data, 3) : 0;
    if (!microseconds)
        return wrong(
            r, begin, "a tempo of %u bytes or of 0, expected 3 bytes of microseconds", length);
    memcpy(event->bytes, (uint8_t[]){0xff, SET_TEMPO, 0}, sizeof event->bytes);
    event->tempo = (float)(60e6 / microseconds);
    return midi_add(r, event);
}

/* Reads a system exclusive message. All but resets are skipped. */
static hed_status read_exclusive(reader *r, hed_synth_midi_event *event, uint32_t status_byte)
{
    uint8_t message[16] = {0xf0};
    uint32_t length = 0;
    hed_status status = midi_read_number(r, &length);
    if (status) return status;
    if (length > r->end - r->at) return midi_cut(r);
    uint32_t size = length < sizeof message ? length : sizeof message - 1;
    memcpy(message + 1, r->bytes + r->at, size);
    r->at += length;
    if (status_byte != 0xf0 || !hed_synth_midi_is_reset(message, 1 + size)) return HED_OK;
    memcpy(event->bytes, (const uint8_t[]){0xf0, 0x7e, 0x09}, 3);
    return midi_add(r, event);
}

/* Reads an event. `running` is the status of the previous channel message. The standard ends
 * running status at meta and exclusive events; files that continue it are unambiguous, so they
 * are accepted. */
static hed_status read_event(reader *r, uint64_t tick, uint32_t *running, bool *ended)
{
    hed_synth_midi_event event = {.tick = tick, .track = (uint16_t)r->track};
    uint32_t status_byte = 0;
    hed_status status = read_byte(r, &status_byte);
    if (status) return status;
    if (status_byte == 0xff) return read_meta(r, &event, ended);
    if (status_byte == 0xf0 || status_byte == 0xf7) return read_exclusive(r, &event, status_byte);
    if (status_byte > 0xf0 || (status_byte < 0x80 && !*running))
        return wrong(r, r->at - 1, "%02x, expected the status of an event", status_byte);
    if (status_byte < 0x80) r->at--;
    else *running = status_byte;
    event.bytes[0] = (uint8_t)*running;
    status = read_data(r, &event.bytes[1]);
    uint32_t kind = *running >> 4;
    if (!status && kind != 0xc && kind != 0xd) status = read_data(r, &event.bytes[2]);
    return status ? status : midi_add(r, &event);
}

/* Reads a track from r->at on; `length` is the length in its header, bytes. */
static hed_status read_track(reader *r, uint32_t length)
{
    size_t begin = r->at, rest = r->size - begin;
    uint64_t tick = 0;
    uint32_t running = 0, delta;
    bool ended = false;
    r->in_track = true;
    r->end = begin + (length < rest ? length : rest);
    while (!ended) {
        /* a track whose chunk ends instead is whole; in a file that was cut it is not */
        if (r->at == r->end && length <= rest) break;
        if (r->at == r->end) return ends(r, "without an end of track");
        hed_status status = midi_read_number(r, &delta);
        if (status) return status;
        tick += delta;
        status = read_event(r, tick, &running, &ended);
        if (status) return status;
    }
    if (length > rest)
        return wrong(r, begin, "%zu bytes, expected %u as its head says", rest, length);
    if (tick > r->longest) r->longest = tick;
    r->in_track = false;
    r->at = begin + length;
    r->end = r->size;
    return HED_OK;
}

/* ---- the file ---- */

/* Sets the division: ticks in a quarter note, or, if negative, frames of time code a second and
 * ticks in a frame. */
static hed_status set_division(reader *r, uint32_t division)
{
    uint32_t ticks = division & 0xff, frames = 256 - (division >> 8);
    r->ticks_a_quarter = division;
    if (!(division & 0x8000)) {
        return division ? HED_OK : wrong(r, 12, "0 ticks a quarter note, expected 1 to 32767");
    }
    if ((frames != 24 && frames != 25 && frames != 29 && frames != 30) || !ticks)
        return wrong(r, 12,
            "time code of %u frames a second, %u ticks each, expected 24, 25, 29 or 30 and 1 or more",
            frames, ticks);
    /* 29 is 30 with frames dropped */
    double rate = frames == 29 ? 30000.0 / 1001.0 : (double)frames;
    r->seconds_a_tick = 1.0 / (rate * ticks);
    return HED_OK;
}

/* Moves to the song in a RIFF file (RMID, as .rmi); positions are counted from its beginning. */
static void enter_riff(reader *r)
{
    size_t at = 12;
    if (r->size < at || memcmp(r->bytes, "RIFF", 4) != 0 || memcmp(r->bytes + 8, "RMID", 4) != 0)
        return;
    while (r->size - at >= 8) {
        const uint8_t *head = r->bytes + at;
        size_t rest = r->size - at - 8, length = 0; /* little-endian, unlike a song's numbers */
        for (uint32_t i = 4; i-- > 0;) length = length << 8 | head[4 + i];
        if (length > rest) length = rest;
        if (memcmp(head, "data", 4) == 0) {
            r->bytes = head + 8;
            r->size = r->end = length;
            return;
        }
        at += 8 + length + (length & 1 && length < rest);
    }
}

static hed_status midi_read_head(reader *r, uint32_t *tracks)
{
    enter_riff(r);
    if (r->size < 14 || memcmp(r->bytes, "MThd", 4) != 0)
        return hed_fail(r->error, HED_ERROR_FORMAT,
            "%s is no MIDI file: expected \"MThd\" and a header of 14 bytes, found %s", r->name,
            r->size < 14 ? "fewer bytes" : "others");
    uint32_t length = big_endian(r->bytes + 4, 4), format = big_endian(r->bytes + 8, 2);
    *tracks = big_endian(r->bytes + 10, 2);
    if (length < 6 || length > r->size - 8)
        return wrong(
            r, 4, "a header of %u bytes, expected 6 and not more than the file has", length);
    if (format > 1)
        return wrong(r, 8, "format %u, expected 0 or 1%s", format,
            format == 2 ? " (2 is several songs: save one of them)" : "");
    if (*tracks == 0 || (format == 0 && *tracks != 1))
        return wrong(r, 10, "%u tracks in a file of format %u, expected 1%s", *tracks, format,
            format ? " or more" : "");
    r->at = 8 + (size_t)length;
    return set_division(r, big_endian(r->bytes + 12, 2));
}

/* Reads the tracks; skips chunks of other kinds between them. */
static hed_status read_tracks(reader *r, uint32_t tracks)
{
    for (r->track = 0; r->track < tracks;) {
        if (r->size - r->at < 8)
            return wrong(r, r->size,
                "the end of the file and %u tracks, expected %u as byte 10 says", r->track, tracks);
        const uint8_t *head = r->bytes + r->at;
        uint32_t length = big_endian(head + 4, 4);
        r->at += 8;
        if (memcmp(head, "MTrk", 4) == 0) {
            hed_status status = read_track(r, length);
            if (status) return status;
            r->track++;
        } else if (length > r->size - r->at) {
            return wrong(r, r->at - 8,
                "a chunk of %u bytes, expected at most the %zu that are left; %u of %u tracks were read",
                length, r->size - r->at, r->track, tracks);
        } else {
            r->at += length;
        }
    }
    return HED_OK;
}

static int by_time(const void *a, const void *b)
{
    const hed_synth_midi_event *x = a, *y = b;
    if (x->tick != y->tick) return x->tick < y->tick ? -1 : 1;
    return x->seconds < y->seconds ? -1 : x->seconds > y->seconds;
}

/* Converts ticks to seconds; a tempo is valid for all tracks. */
static void set_times(const reader *r)
{
    hed_synth_midi_file *file = r->file;
    if (file->count) qsort(file->events, file->count, sizeof *file->events, by_time);
    double seconds = 0.0, a_tick = r->seconds_a_tick;
    if (a_tick == 0.0) a_tick = QUARTER_AT_REST * 1e-6 / r->ticks_a_quarter;
    uint64_t from = 0; /* tick at `seconds`, the last change of tempo */
    for (uint32_t i = 0; i < file->count; i++) {
        hed_synth_midi_event *e = &file->events[i];
        e->seconds = seconds + (double)(e->tick - from) * a_tick;
        if (e->tempo == 0.0f || r->seconds_a_tick > 0.0) continue;
        seconds = e->seconds;
        from = e->tick;
        /* whole microseconds, as in the file */
        a_tick = round(60e6 / (double)e->tempo) * 1e-6 / r->ticks_a_quarter;
    }
    file->seconds = seconds + (double)(r->longest - from) * a_tick;
    file->ticks = r->longest;
}

hed_status hed_synth_midi_file_parse(
    const void *bytes, size_t size, const char *name, hed_synth_midi_file **file, hed_error *error)
{
    HED_REQUIRE(bytes || !size, name, file);
    *file = NULL;
    hed_synth_midi_file *parsed = calloc(1, sizeof *parsed);
    if (!parsed) return hed_fail(error, HED_ERROR_MEMORY, "%s: no memory for a MIDI file", name);
    reader r = {
        .name = name, .bytes = bytes, .size = size, .end = size, .file = parsed, .error = error};
    hed_status status;
    if ((status = midi_read_head(&r, &parsed->tracks)) ||
        (status = read_tracks(&r, parsed->tracks))) {
        hed_synth_midi_file_close(parsed);
        return status;
    }
    set_times(&r);
    *file = parsed;
    return HED_OK;
}

hed_status hed_synth_midi_file_open(const char *path, hed_synth_midi_file **file, hed_error *error)
{
    HED_REQUIRE(path, file);
    *file = NULL;
    char *bytes;
    size_t size;
    hed_status status = hed_file_read(path, largest_file, &bytes, &size, error);
    if (status) return status;
    status = hed_synth_midi_file_parse(bytes, size, path, file, error);
    free(bytes);
    return status;
}

void hed_synth_midi_file_close(hed_synth_midi_file *file)
{
    if (!file) return;
    free(file->events);
    free(file);
}

uint32_t hed_synth_midi_file_count(const hed_synth_midi_file *file)
{
    if (!file) return 0;
    return file->count;
}
const hed_synth_midi_event *hed_synth_midi_file_events(const hed_synth_midi_file *file)
{
    if (!file) return NULL;
    return file->events;
}
double hed_synth_midi_file_seconds(const hed_synth_midi_file *file)
{
    if (!file) return 0;
    return file->seconds;
}
uint32_t hed_synth_midi_file_tracks(const hed_synth_midi_file *file)
{
    if (!file) return 0;
    return file->tracks;
}

/* ---- what sounds at the end ---- */

/* Notes and pedals of the sixteen channels. */
typedef struct sounding {
    uint32_t notes[16][128]; /* begun and not yet ended */
    bool pedals[16][128];    /* true while pressed, by controller */
} sounding;

static const uint8_t PEDALS[] = {64, 66}; /* sustain, sostenuto */

static void follow_event(sounding *s, const uint8_t *bytes)
{
    enum { RESET = 121, NOTES_OFF = 123, OFF = 8, ON = 9, CONTROL = 11 };
    uint32_t kind = bytes[0] >> 4, channel = bytes[0] & 15;
    uint32_t *note = &s->notes[channel][bytes[1] & 127];
    if (kind == ON && bytes[2]) ++*note;
    else if ((kind == ON || kind == OFF) && *note) --*note;
    if (kind != CONTROL) return;
    s->pedals[channel][bytes[1] & 127] = bytes[2] >= 64;
    if (bytes[1] >= NOTES_OFF || bytes[1] == 120)
        memset(s->notes[channel], 0, sizeof s->notes[channel]);
    if (bytes[1] == RESET) memset(s->pedals[channel], 0, sizeof s->pedals[channel]);
}

hed_status hed_synth_midi_file_end_notes(hed_synth_midi_file *file, hed_error *error)
{
    HED_REQUIRE(file);
    sounding *s = calloc(1, sizeof *s);
    bool fits = s != NULL;
    hed_synth_midi_event end = {.tick = file->ticks, .seconds = file->seconds};
    for (uint32_t i = 0; i < file->count && fits; i++) follow_event(s, file->events[i].bytes);
    for (uint8_t channel = 0; channel < 16 && fits; channel++) {
        for (size_t i = 0; i < sizeof PEDALS && fits; i++) {
            memcpy(end.bytes, (uint8_t[]){0xb0 | channel, PEDALS[i], 0}, sizeof end.bytes);
            if (s->pedals[channel][PEDALS[i]]) fits = midi_add_event(file, &end);
        }
        for (uint8_t key = 0; key < 128 && fits; key++) {
            memcpy(end.bytes, (uint8_t[]){0x80 | channel, key, 64}, sizeof end.bytes);
            for (; s->notes[channel][key] && fits; s->notes[channel][key]--)
                fits = midi_add_event(file, &end);
        }
    }
    free(s);
    return fits ? HED_OK : HED_OUT_OF_MEMORY(error, "the ends of %u events", file->count);
}
