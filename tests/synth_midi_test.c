/* Standard MIDI files: events and times of files made here, the same as midicsv reads them, and
 * what is said of files that are cut or wrong. */
#include <math.h>

#include "folder.h"
#include "heddle/synth_file.h"

TestSuite(synth_midi, .init = folder_make, .fini = folder_remove);

/* ---- writing files ---- */

enum { MOST_BYTES = 1 << 16 };

typedef struct song {
    uint8_t bytes[MOST_BYTES];
    size_t size, track; /* where the length of the open track stands; 0: none is open */
} song;

static void put(song *s, uint32_t value, uint32_t count)
{
    CHECK_LT(s->size + count, MOST_BYTES);
    while (count--) s->bytes[s->size++] = (uint8_t)(value >> 8 * count);
}

static void put_number(song *s, uint32_t value)
{
    for (uint32_t shift = 21; shift; shift -= 7)
        if (value >> shift) put(s, 0x80 | (value >> shift & 0x7f), 1);
    put(s, value & 0x7f, 1);
}

static void put_head(song *s, uint32_t format, uint32_t tracks, uint32_t division)
{
    *s = (song){.size = 0};
    put(s, 0x4d546864, 4); /* MThd */
    put(s, 6, 4);
    put(s, format, 2);
    put(s, tracks, 2);
    put(s, division, 2);
}

static void begin_track(song *s)
{
    put(s, 0x4d54726b, 4); /* MTrk */
    s->track = s->size;
    put(s, 0, 4);
}

static void end_track(song *s, uint32_t delta)
{
    put_number(s, delta);
    put(s, 0xff2f00, 3);
    size_t end = s->size;
    s->size = s->track;
    put(s, (uint32_t)(end - s->track - 4), 4);
    s->size = end;
}

static void put_tempo(song *s, uint32_t delta, uint32_t microseconds)
{
    put_number(s, delta);
    put(s, 0xff5103, 3);
    put(s, microseconds, 3);
}

static void put_event(song *s, uint32_t delta, uint32_t status, uint32_t first, uint32_t second)
{
    put_number(s, delta);
    put(s, status, 1);
    put(s, first, 1);
    if ((status & 0xe0) != 0xc0) put(s, second, 1);
}

static hed_synth_midi_file *parse(const song *s)
{
    hed_error error = {0};
    hed_synth_midi_file *file;
    OK(hed_synth_midi_file_parse(s->bytes, s->size, "song.mid", &file, &error));
    return file;
}

static void check_event(const hed_synth_midi_file *file, uint32_t index, double seconds,
    uint64_t tick, uint32_t track, uint32_t status, uint32_t first, uint32_t second)
{
    CHECK_LT(index, hed_synth_midi_file_count(file));
    const hed_synth_midi_event *e = &hed_synth_midi_file_events(file)[index];
    CHECK(e->bytes[0] == status && e->bytes[1] == first && e->bytes[2] == second,
        "event %u is %02x %02x %02x", index, e->bytes[0], e->bytes[1], e->bytes[2]);
    CHECK(e->tick == tick && e->track == track, "event %u is at tick %llu of track %u", index,
        (unsigned long long)e->tick, e->track);
    CHECK(fabs(e->seconds - seconds) < 1e-12 * (1 + seconds),
        "event %u is at %.15g s instead of %.15g", index, e->seconds, seconds);
}

/* ---- what is read ---- */

/* Of system exclusive messages only resets are events. */
Test(synth_midi, resets_are_events)
{
    static const uint8_t file[] = {'M', 'T', 'h', 'd', 0, 0, 0, 6, 0, 0, 0, 1, 0, 96, 'M', 'T', 'r',
        'k', 0, 0, 0, 23, 0, 0xf0, 5, 0x7e, 0x7f, 0x09, 0x01, 0xf7, 4, 0xf0, 3, 0x7d, 1, 0xf7, 4,
        0x90, 60, 100, 0, 0xff, 0x2f, 0, 0};
    hed_error error = {0};
    hed_synth_midi_file *midi;
    OK(hed_synth_midi_file_parse(file, 45, "resets", &midi, &error));
    CHECK_EQ(hed_synth_midi_file_count(midi), 2);
    const hed_synth_midi_event *events = hed_synth_midi_file_events(midi);
    CHECK_BYTES(events[0].bytes, "\xf0\x7e\x09", 3, "the reset");
    CHECK_EQ(events[1].bytes[0], 0x90);
    hed_synth_midi_file_close(midi);
}

Test(synth_midi, one_track_with_every_kind_of_event)
{
    song s;
    put_head(&s, 0, 1, 480);
    begin_track(&s);
    put_event(&s, 0, 0x93, 60, 100);
    put(&s, 0x604000, 3); /* running status: 96 ticks on, note 64 ends */
    put_event(&s, 0, 0x83, 60, 1);
    put_event(&s, 128, 0xa3, 60, 2);
    put_event(&s, 0, 0xb3, 64, 127);
    put_event(&s, 0, 0xc3, 12, 0);
    put_event(&s, 0, 0xd3, 13, 0);
    put_event(&s, 0, 0xe3, 1, 64);
    put(&s, 0x00f00301, 4), put(&s, 0x0203, 2);   /* system exclusive */
    put(&s, 0x00f70101, 4);                       /* its escape */
    put(&s, 0x00ff0103, 4), put(&s, 0x616263, 3); /* a text */
    put_event(&s, 0x0fffffff, 0x9f, 127, 127);
    end_track(&s, 3);
    hed_synth_midi_file *file = parse(&s);
    CHECK_EQ(hed_synth_midi_file_tracks(file), 1);
    CHECK_EQ(hed_synth_midi_file_count(file), 9);
    double a_tick = 0.5 / 480;
    check_event(file, 0, 0, 0, 0, 0x93, 60, 100);
    check_event(file, 1, 96 * a_tick, 96, 0, 0x93, 64, 0);
    check_event(file, 2, 96 * a_tick, 96, 0, 0x83, 60, 1);
    check_event(file, 3, 224 * a_tick, 224, 0, 0xa3, 60, 2);
    check_event(file, 4, 224 * a_tick, 224, 0, 0xb3, 64, 127);
    check_event(file, 5, 224 * a_tick, 224, 0, 0xc3, 12, 0);
    check_event(file, 6, 224 * a_tick, 224, 0, 0xd3, 13, 0);
    check_event(file, 7, 224 * a_tick, 224, 0, 0xe3, 1, 64);
    check_event(file, 8, (224 + 0x0fffffff) * a_tick, 224 + 0x0fffffff, 0, 0x9f, 127, 127);
    CHECK(fabs(hed_synth_midi_file_seconds(file) - (227 + 0x0fffffff) * a_tick) < 1e-6);
    hed_synth_midi_file_close(file);
}

/* Notes begun twice, ended by a note-on of velocity 0, by a controller, and not at all; pedals. */
Test(synth_midi, what_a_song_leaves_sounding_is_ended)
{
    song s;
    hed_error error = {0};
    put_head(&s, 1, 2, 480);
    begin_track(&s);
    put_event(&s, 0, 0xb0, 64, 127);
    put_event(&s, 0, 0x90, 60, 100);
    put_event(&s, 10, 0x90, 60, 90);
    put_event(&s, 0, 0x90, 62, 90);
    put_event(&s, 10, 0x90, 62, 0);
    put_event(&s, 10, 0xb1, 66, 64);
    put_event(&s, 0, 0xb2, 64, 64);
    put_event(&s, 0, 0xb2, 64, 63);
    put_event(&s, 0, 0x92, 50, 1);
    put_event(&s, 0, 0xb2, 123, 0);
    end_track(&s, 20);
    begin_track(&s);
    put_event(&s, 30, 0x9f, 127, 127);
    end_track(&s, 450);
    hed_synth_midi_file *file = parse(&s);
    CHECK_EQ(hed_synth_midi_file_count(file), 11);
    for (int i = 0; i < 2; i++) {
        OK(hed_synth_midi_file_end_notes(file, &error));
        CHECK_EQ(hed_synth_midi_file_count(file), 16);
    }
    check_event(file, 11, 0.5, 480, 0, 0xb0, 64, 0);
    check_event(file, 12, 0.5, 480, 0, 0x80, 60, 64);
    check_event(file, 13, 0.5, 480, 0, 0x80, 60, 64);
    check_event(file, 14, 0.5, 480, 0, 0xb1, 66, 0);
    check_event(file, 15, 0.5, 480, 0, 0x8f, 127, 64);
    hed_synth_midi_file_close(file);
}

Test(synth_midi, tempo_is_that_of_all_tracks)
{
    song s;
    put_head(&s, 1, 3, 100);
    begin_track(&s);
    put_tempo(&s, 0, 600000);
    put_tempo(&s, 150, 300007);
    end_track(&s, 0);
    put(&s, 0x58464948, 4), put(&s, 2, 4), put(&s, 0, 2); /* a chunk of another kind */
    begin_track(&s);
    put_event(&s, 100, 0x90, 60, 1);
    put_event(&s, 100, 0x90, 60, 2);
    end_track(&s, 1000);
    begin_track(&s);
    put_event(&s, 100, 0x91, 61, 1);
    put_tempo(&s, 60, 1000000);
    put_event(&s, 140, 0x91, 61, 2);
    end_track(&s, 0);
    hed_synth_midi_file *file = parse(&s);
    CHECK_EQ(hed_synth_midi_file_count(file), 7);
    check_event(file, 0, 0, 0, 0, 0xff, 0x51, 0);
    check_event(file, 1, 0.6, 100, 1, 0x90, 60, 1); /* tracks in their order at one tick */
    check_event(file, 2, 0.6, 100, 2, 0x91, 61, 1);
    check_event(file, 3, 0.9, 150, 0, 0xff, 0x51, 0);
    check_event(file, 4, 0.9 + 0.1 * 0.300007, 160, 2, 0xff, 0x51, 0);
    check_event(file, 5, 0.9300007 + 0.4, 200, 1, 0x90, 60, 2);
    check_event(file, 6, 0.9300007 + 1.4, 300, 2, 0x91, 61, 2);
    CHECK_NEAR(hed_synth_midi_file_events(file)[0].tempo, 100, 1e-4);
    CHECK_NEAR(hed_synth_midi_file_events(file)[4].tempo, 60, 1e-4);
    CHECK(hed_synth_midi_file_events(file)[1].tempo == 0);
    CHECK_NEAR(hed_synth_midi_file_seconds(file), 0.9300007 + 10.4, 1e-9);
    hed_synth_midi_file_close(file);
}

Test(synth_midi, time_code_does_not_follow_the_tempo)
{
    static const struct {
        uint32_t division;
        double a_tick;
    } codes[] = {{0xe850, 1.0 / (24 * 80)}, {0xe728, 1.0 / (25 * 40)}, {0xe302, 1001.0 / 60000},
        {0xe201, 1.0 / 30}};
    for (uint32_t i = 0; i < 4; i++) {
        song s;
        put_head(&s, 0, 1, codes[i].division);
        begin_track(&s);
        put_tempo(&s, 10, 250000);
        put_event(&s, 990, 0x90, 60, 100);
        end_track(&s, 1000);
        hed_synth_midi_file *file = parse(&s);
        check_event(file, 1, 1000 * codes[i].a_tick, 1000, 0, 0x90, 60, 100);
        CHECK_NEAR(hed_synth_midi_file_seconds(file), 2000 * codes[i].a_tick, 1e-9);
        hed_synth_midi_file_close(file);
    }
}

Test(synth_midi, a_file_without_events_has_a_length)
{
    song s;
    put_head(&s, 1, 1, 96);
    begin_track(&s);
    end_track(&s, 96);
    hed_synth_midi_file *file = parse(&s);
    CHECK_EQ(hed_synth_midi_file_count(file), 0);
    CHECK_NEAR(hed_synth_midi_file_seconds(file), 0.5, 1e-12);
    hed_synth_midi_file_close(file);
    hed_synth_midi_file_close(NULL);
}

Test(synth_midi, a_long_head_and_bytes_behind_the_end_are_passed_over)
{
    song s;
    put_head(&s, 0, 1, 96);
    s.bytes[7] = 8;
    put(&s, 0xabcd, 2);
    begin_track(&s);
    put_event(&s, 0, 0x90, 60, 100);
    end_track(&s, 0);
    put(&s, 0x6a756e6b, 4);
    hed_synth_midi_file *file = parse(&s);
    CHECK_EQ(hed_synth_midi_file_count(file), 1);
    hed_synth_midi_file_close(file);
}

/* ---- the same as midicsv reads ---- */

static uint32_t random_below(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % below;
}

static void random_song(song *s, uint32_t seed)
{
    uint32_t state = seed, tracks = 1 + random_below(&state, 4);
    put_head(s, tracks > 1 || seed & 1, tracks, 1 + random_below(&state, 0x7fff));
    for (uint32_t t = 0; t < tracks; t++) {
        begin_track(s);
        uint32_t running = 0;
        for (uint32_t i = random_below(&state, 120); i > 0; i--) {
            uint32_t delta = random_below(&state, 4) ? random_below(&state, 300)
                                                     : random_below(&state, 1 << 18),
                     kind = random_below(&state, 12);
            uint32_t status = (0x80 | random_below(&state, 7) << 4) + random_below(&state, 16),
                     first = random_below(&state, 128), second = random_below(&state, 128);
            if (kind == 0) {
                put_tempo(s, delta, 1 + random_below(&state, 0xffffff));
                running = 0;
            } else if (status == running) {
                put_number(s, delta);
                put(s, first, 1);
                if ((status & 0xe0) != 0xc0) put(s, second, 1);
            } else {
                put_event(s, delta, status, first, second);
                running = status;
            }
        }
        end_track(s, random_below(&state, 500));
    }
}

/* What midicsv says of an event. False: it is of no kind that is kept. */
static bool read_line(const char *line, hed_synth_midi_event *event)
{
    static const struct {
        const char *name;
        uint8_t status;
    } kinds[] = {
        {"Note_off_c", 0x80},
        {"Note_on_c", 0x90},
        {"Poly_aftertouch_c", 0xa0},
        {"Control_c", 0xb0},
        {"Program_c", 0xc0},
        {"Channel_aftertouch_c", 0xd0},
        {"Pitch_bend_c", 0xe0},
    };
    unsigned track, a = 0, b = 0, c = 0;
    unsigned long long tick;
    char name[32];
    int found = sscanf(line, "%u, %llu, %31[A-Za-z_], %u, %u, %u", &track, &tick, name, &a, &b, &c);
    if (found < 4) return false;
    *event = (hed_synth_midi_event){.tick = tick, .track = (uint16_t)(track - 1)};
    if (strcmp(name, "Tempo") == 0) {
        event->bytes[0] = 0xff;
        event->bytes[1] = 0x51;
        event->tempo = (float)(60e6 / a);
        return true;
    }
    for (uint32_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(name, kinds[i].name) != 0) continue;
        event->bytes[0] = (uint8_t)(kinds[i].status | a);
        event->bytes[1] = (uint8_t)(kinds[i].status == 0xe0 ? b & 127 : b);
        event->bytes[2] = (uint8_t)(kinds[i].status == 0xe0 ? b >> 7 : c);
        return true;
    }
    return false;
}

/* Each event of midicsv's list is the next one of its track. */
static void compare(const char *path, const hed_synth_midi_file *file)
{
    char command[128], line[256];
    static uint32_t next[0x10000];
    memset(next, 0, sizeof next);
    snprintf(command, sizeof command, "midicsv '%s'", path);
    FILE *list = popen(command, "r");
    CHECK_NOT_NULL(list);
    uint32_t compared = 0, count = hed_synth_midi_file_count(file);
    const hed_synth_midi_event *events = hed_synth_midi_file_events(file);
    while (fgets(line, sizeof line, list)) {
        hed_synth_midi_event expected;
        if (!read_line(line, &expected)) continue;
        uint32_t *at = &next[expected.track];
        while (*at < count && events[*at].track != expected.track) ++*at;
        CHECK_LT(*at, count, "%s has more events: %s", path, line);
        const hed_synth_midi_event *e = &events[(*at)++];
        CHECK(e->tick == expected.tick && e->tempo == expected.tempo &&
                  memcmp(e->bytes, expected.bytes, 3) == 0,
            "%s: %02x %02x %02x at tick %llu, where midicsv has %s", path, e->bytes[0], e->bytes[1],
            e->bytes[2], (unsigned long long)e->tick, line);
        compared++;
    }
    CHECK_EQ(pclose(list), 0);
    CHECK_EQ(compared, count);
}

Test(synth_midi, reads_what_midicsv_reads)
{
    if (system("command -v midicsv > /dev/null") != 0) test_skip("midicsv is not here");
    uint32_t events = 0;
    for (uint32_t seed = 1; seed <= 40; seed++) {
        hed_error error = {0};
        static song s;
        random_song(&s, seed);
        const char *path = in_folder("random.mid");
        write_file(path, s.bytes, s.size);
        hed_synth_midi_file *file;
        OK(hed_synth_midi_file_open(path, &file, &error));
        compare(path, file);
        for (uint32_t i = 1; i < hed_synth_midi_file_count(file); i++)
            CHECK_GE(hed_synth_midi_file_events(file)[i].seconds,
                hed_synth_midi_file_events(file)[i - 1].seconds);
        events += hed_synth_midi_file_count(file);
        hed_synth_midi_file_close(file);
    }
    CHECK_GT(events, 1000);
}

/* ---- what is wrong ---- */

static void refuse(const song *s, const char *text)
{
    hed_error error = {0};
    hed_synth_midi_file *file = (hed_synth_midi_file *)s;
    FAILS(
        HED_ERROR_FORMAT, hed_synth_midi_file_parse(s->bytes, s->size, "song.mid", &file, &error));
    CHECK_NULL(file);
    CHECK(strstr(error.text, text), "\"%s\" instead of \"%s\"", error.text, text);
}

/* A song of two tracks. The first has 4 + 4 + 4 bytes from byte 22 on, the second begins at byte
 * 42. */
static void two_tracks(song *s)
{
    put_head(s, 1, 2, 96);
    begin_track(s);
    put_event(s, 0, 0x90, 60, 100);
    put_event(s, 5, 0x80, 60, 100);
    end_track(s, 0);
    begin_track(s);
    put_tempo(s, 0, 500000);
    put_event(s, 300, 0xc0, 60, 0);
    end_track(s, 0);
}

Test(synth_midi, a_file_cut_anywhere_says_where)
{
    song whole;
    two_tracks(&whole);
    hed_synth_midi_file_close(parse(&whole));
    for (size_t size = 0; size < whole.size; size++) {
        song cut = whole;
        char text[96];
        cut.size = size;
        if (size < 14) snprintf(text, sizeof text, "found fewer bytes");
        else if (size < 22 || (size >= 34 && size < 42))
            snprintf(text, sizeof text,
                "byte %zu: found the end of the file and %u tracks, expected 2", size, size >= 34);
        else snprintf(text, sizeof text, "track %u ends at byte %zu, ", 1 + (size >= 42), size);
        refuse(&cut, text);
    }
}

Test(synth_midi, a_fault_is_named_with_its_place)
{
    song s, good;
    two_tracks(&good);
    s = good, s.bytes[0] = 'm';
    refuse(&s, "song.mid is no MIDI file");
    s = good, s.bytes[7] = 5;
    refuse(&s, "song.mid: byte 4: found a header of 5 bytes");
    s = good, s.bytes[4] = 200;
    refuse(&s, "byte 4: found a header of");
    s = good, s.bytes[9] = 2;
    refuse(&s, "byte 8: found format 2, expected 0 or 1 (2 is several songs");
    s = good, s.bytes[9] = 0;
    refuse(&s, "byte 10: found 2 tracks in a file of format 0, expected 1");
    s = good, s.bytes[11] = 0;
    refuse(&s, "byte 10: found 0 tracks");
    s = good, s.bytes[13] = 0;
    refuse(&s, "byte 12: found 0 ticks a quarter note");
    s = good, s.bytes[12] = 0xe5;
    refuse(&s, "byte 12: found time code of 27 frames a second");
    s = good, s.bytes[11] = 3;
    refuse(&s, "found the end of the file and 2 tracks, expected 3");
    s = good, s.bytes[23] = 0x40;
    refuse(&s, "track 1, byte 23: found 40, expected the status of an event");
    s = good, s.bytes[23] = 0xf4;
    refuse(&s, "track 1, byte 23: found f4");
    s = good, s.bytes[24] = 0xbc;
    refuse(&s, "track 1, byte 24: found bc, expected a data byte");
    s = good, s.bytes[21] = 11;
    refuse(&s, "track 1 ends at byte 33, in the middle of an event");
    s = good, s.bytes[21] = 8, s.size = 29;
    refuse(&s, "track 1 ends at byte 29, in the middle of an event");
    s = good, s.bytes[46] = s.bytes[47] = s.bytes[48] = 0;
    refuse(&s, "track 2, byte 43: found a tempo of");
    s = good, memset(s.bytes + 42, 0xff, 5);
    refuse(&s, "track 2, byte 42: found a number of more than 4 bytes");
    s = good, s.bytes[18] = 0x7f;
    refuse(&s, "track 1, byte 22: found");
    s = good, s.bytes[14] = 'X', s.bytes[18] = 0x7f;
    refuse(&s, "byte 14: found a chunk of");
}

/* Many programs leave out the end of a track, and Windows puts songs into RIFF files. */
Test(synth_midi, a_track_may_end_with_its_chunk_and_a_song_be_in_a_riff_file)
{
    song s, wrapped = {0};
    put_head(&s, 0, 1, 96);
    begin_track(&s);
    put_event(&s, 0, 0x90, 60, 100);
    put_event(&s, 5, 0x80, 60, 100);
    s.bytes[21] = (uint8_t)(s.size - 22);
    hed_synth_midi_file *file = parse(&s);
    CHECK_EQ(hed_synth_midi_file_count(file), 2u);
    hed_synth_midi_file_close(file);
    static const uint8_t riff[] = "RIFF\0\0\0\0RMIDDISP\3\0\0\0abc\0data";
    memcpy(wrapped.bytes, riff, sizeof riff - 1);
    wrapped.size = sizeof riff - 1 + 4;
    wrapped.bytes[wrapped.size - 4] = (uint8_t)s.size;
    memcpy(wrapped.bytes + wrapped.size, s.bytes, s.size);
    wrapped.size += s.size + 3; /* chunks may follow */
    file = parse(&wrapped);
    CHECK_EQ(hed_synth_midi_file_count(file), 2u);
    hed_synth_midi_file_close(file);
    for (size_t size = 0; size < wrapped.size - 3; size++) {
        song cut = wrapped;
        cut.size = size;
        refuse(&cut, size < 54 ? "song.mid" : "track 1 ends at byte");
    }
}

Test(synth_midi, files_that_are_not_there_are_named)
{
    hed_error error = {0};
    hed_synth_midi_file *file;
    FAILS(HED_ERROR_IO, hed_synth_midi_file_open(in_folder("none.mid"), &file, &error));
    CHECK(strstr(error.text, "none.mid") && !file);
}

Test(synth_midi, bytes_turned_round_are_read_or_refused)
{
    song good;
    random_song(&good, 3);
    uint32_t state = 1, refused = 0;
    for (uint32_t i = 0; i < 20000; i++) {
        hed_error error = {0};
        hed_synth_midi_file *file;
        static song s;
        memcpy(s.bytes, good.bytes, good.size);
        for (uint32_t k = 0; k < 3; k++)
            s.bytes[random_below(&state, (uint32_t)good.size)] = (uint8_t)random_below(&state, 256);
        hed_error_clear(&error);
        hed_status status = hed_synth_midi_file_parse(s.bytes, good.size, "s", &file, &error);
        CHECK(status == HED_OK || (status == HED_ERROR_FORMAT && error.text[0] && !file));
        refused += status != HED_OK;
        if (!status) hed_synth_midi_file_close(file);
    }
    CHECK(refused > 1000 && refused < 20000);
}
