/* Sound files: what is written is read again, the same sound is the same bytes, and nobody sees
 * half a file. WAV as others write it: every encoding, chunks of any kind, heads that were never
 * finished, cut at every byte. What libsndfile reads and writes is asked for where it is
 * installed. */
#include "folder.h"
#include "testing.h"

#include "sound/sound_file.h"
#include "support/file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

TestSuite(synth_sound, .init = folder_make, .fini = folder_remove);

enum { FRAMES = 10007 };

static void make_sound(float *left, float *right)
{
    for (uint32_t n = 0; n < FRAMES; n++) {
        left[n] = 0.9f * sinf((float)n * 0.05f);
        right[n] = n % 100 == 7 ? 3.0f : -0.25f; /* beyond full scale now and then */
    }
}

static hed_status write_sound(
    const char *path, synth_sound_format format, uint32_t pieces, hed_error *error)
{
    static float left[FRAMES], right[FRAMES];
    make_sound(left, right);
    synth_sound_writer *writer;
    hed_status status = synth_sound_writer_open(path, 48000, 2, format, 0, &writer, error);
    if (status) return status;
    for (uint32_t first = 0; !status && first < FRAMES; first += pieces) {
        uint32_t frames = FRAMES - first < pieces ? FRAMES - first : pieces;
        const float *channels[] = {left + first, right + first};
        status = synth_sound_writer_put(writer, channels, frames, error);
    }
    if (!status) return synth_sound_writer_commit(writer, error);
    synth_sound_writer_abort(writer);
    return status;
}

static bool has_sndfile(void)
{
    hed_error error = {0};
    synth_sound_writer *writer;
    hed_status status = synth_sound_writer_open(
        in_folder("there.flac"), 48000, 2, SYNTH_SOUND_S16, 0, &writer, &error);
    CHECK(status == HED_OK ||
          (status == HED_ERROR_UNSUPPORTED && strstr(error.text, "apt install libsndfile1")));
    synth_sound_writer_abort(writer);
    return status == HED_OK;
}

static void is_read_alike_by_libsndfile(const char *path, const synth_sound *sound)
{
    hed_error error = {0};
    synth_sound other;
    char *bytes;
    size_t size;
    OK(hed_file_read(path, 1 << 20, &bytes, &size, &error));
    OK(synth_sndfile_parse(bytes, size, path, &other, &error));
    CHECK(other.rate == sound->rate && other.channels == sound->channels &&
              other.frames == sound->frames,
        "%s", path);
    CHECK(memcmp(other.samples, sound->samples, sizeof(float) * 2 * FRAMES) == 0, "%s", path);
    synth_sound_free(&other);
    free(bytes);
}

Test(synth_sound, what_is_written_is_read_again)
{
    static const char *const names[] = {
        "a.wav", "a.flac", "a.rf64", "A.WAV", "a.aiff", "a.w64", "a.caf"};
    static const double steps[] = {1.0 / 32767, 1.0 / 8388607, 0};
    static float left[FRAMES], right[FRAMES];
    make_sound(left, right);
    hed_error error = {0};
    bool others = has_sndfile();
    for (uint32_t i = 0; i < 7; i++)
        for (uint32_t format = 0; format < 3; format++) {
            const char *path = in_folder(names[i]);
            if ((i == 1 || i > 3) && !others) continue;
            if (i == 1 && format == SYNTH_SOUND_F32) {
                FAILS(HED_ERROR_UNSUPPORTED,
                    write_sound(path, (synth_sound_format)format, 512, &error));
                continue;
            }
            OK(write_sound(path, (synth_sound_format)format, 512, &error));
            synth_sound sound;
            OK(synth_sound_read(path, &sound, &error));
            CHECK(sound.rate == 48000 && sound.channels == 2 && sound.frames == FRAMES);
            for (uint32_t n = 0; n < FRAMES; n++) {
                double wanted =
                    format == SYNTH_SOUND_F32 ? right[n] : fmin(right[n], 1 - steps[format]);
                CHECK(fabs(sound.samples[n] - left[n]) <= steps[format], "%s, frame %u", path, n);
                CHECK(fabs(sound.samples[FRAMES + n] - wanted) <= steps[format], "%s, frame %u: %g",
                    path, n, (double)sound.samples[FRAMES + n]);
            }
            if (others) is_read_alike_by_libsndfile(path, &sound);
            synth_sound_free(&sound);
            CHECK(!sound.samples && !sound.frames);
        }
}

/* In pieces of any size, and a second later. */
Test(synth_sound, the_same_sound_is_the_same_bytes)
{
    hed_error error = {0};
    char *found[2];
    size_t size[2];
    for (uint32_t i = 0; i < 2; i++) {
        OK(write_sound(in_folder("a.wav"), SYNTH_SOUND_F32, i ? FRAMES : 33, &error));
        OK(hed_file_read(in_folder("a.wav"), 1 << 20, &found[i], &size[i], &error));
        if (i == 0) sleep(1);
    }
    CHECK(size[0] == size[1] && memcmp(found[0], found[1], size[0]) == 0);
    free(found[0]);
    free(found[1]);
}

Test(synth_sound, what_goes_wrong_leaves_nothing_behind)
{
    hed_error error = {0};
    synth_sound sound;
    synth_sound_writer *writer;
    OK(synth_sound_writer_open(
        in_folder("there.wav"), 48000, 2, SYNTH_SOUND_F32, 0, &writer, &error));
    synth_sound_writer_abort(writer);
    CHECK(access(in_folder("there.wav"), F_OK) != 0, "an aborted file is there");
    FAILS(HED_ERROR_IO, synth_sound_read(in_folder("none.wav"), &sound, &error));
    CHECK(strstr(error.text, "none.wav") && !sound.samples);
    write_file(in_folder("text.wav"), "no sound at all", 15);
    FAILS(has_sndfile() ? HED_ERROR_FORMAT : HED_ERROR_UNSUPPORTED,
        synth_sound_read(in_folder("text.wav"), &sound, &error));
    FAILS(HED_ERROR_ARGUMENT,
        synth_sound_writer_open(in_folder("a.txt"), 48000, 2, SYNTH_SOUND_F32, 0, &writer, &error));
    CHECK(strstr(error.text, "wav") && !writer);
    if (has_sndfile()) {
        FAILS(HED_ERROR_LIMIT, synth_sound_writer_open(in_folder("a.aiff"), 48000, 2,
                                   SYNTH_SOUND_S24, 800000000, &writer, &error));
        CHECK(strstr(error.text, "name it .wav") && !writer);
    }
    static const char *const names[] = {"a.wav", "a.aiff"};
    for (uint32_t i = 0; i < (has_sndfile() ? 2 : 1); i++)
        FAILS(HED_ERROR_UNSUPPORTED, synth_sound_writer_open(in_folder(names[i]), 48000, 0,
                                         SYNTH_SOUND_S24, 9, &writer, &error));
    FAILS(HED_ERROR_IO, synth_sound_writer_open(
                            in_folder("no/a.wav"), 48000, 2, SYNTH_SOUND_F32, 0, &writer, &error));
    OK(synth_sound_writer_open(in_folder("b.wav"), 48000, 1, SYNTH_SOUND_S16, 0, &writer, &error));
    CHECK(access(in_folder("b.wav"), F_OK) != 0, "a file is there before it is whole");
    OK(synth_sound_writer_commit(writer, &error));
    OK(synth_sound_read(in_folder("b.wav"), &sound, &error));
    CHECK(sound.frames == 0 && sound.channels == 1);
    synth_sound_free(&sound);
    /* Floats that are no numbers come in as silence. */
    const float bad[] = {NAN, 0.5f, INFINITY};
    OK(synth_sound_writer_open(in_folder("c.wav"), 48000, 1, SYNTH_SOUND_F32, 0, &writer, &error));
    OK(synth_sound_writer_put(writer, (const float *const[]){bad}, 3, &error));
    OK(synth_sound_writer_commit(writer, &error));
    OK(synth_sound_read(in_folder("c.wav"), &sound, &error));
    CHECK(sound.samples[0] == 0 && sound.samples[1] == 0.5f && sound.samples[2] == 0);
    synth_sound_free(&sound);
    FAILS(HED_ERROR_IO, write_sound("/dev/full", SYNTH_SOUND_S16, 512, &error));
    CHECK(
        strstr(error.text, "/dev/full") && strstr(error.text, strerror(ENOSPC)), "%s", error.text);
}

/* Without libsndfile WAV is written and read all the same; anything else names the package. */
Test(synth_sound, without_libsndfile)
{
    hed_error error = {0};
    synth_sound sound;
    setenv("HEDDLE_SNDFILE_LIBRARY", "none", 1);
    OK(write_sound(in_folder("a.wav"), SYNTH_SOUND_S24, 512, &error));
    OK(synth_sound_read(in_folder("a.wav"), &sound, &error));
    CHECK(sound.frames == FRAMES);
    synth_sound_free(&sound);
    FAILS(HED_ERROR_UNSUPPORTED, write_sound(in_folder("a.flac"), SYNTH_SOUND_S24, 512, &error));
    CHECK(strstr(error.text, "a.flac") && strstr(error.text, "apt install libsndfile1"), "%s",
        error.text);
    CHECK(access(in_folder("a.flac"), F_OK) != 0);
    write_file(in_folder("b.flac"), "fLaC", 4);
    FAILS(HED_ERROR_UNSUPPORTED, synth_sound_read(in_folder("b.flac"), &sound, &error));
    CHECK(strstr(error.text, "b.flac") && strstr(error.text, "apt install libsndfile1"), "%s",
        error.text);
}

/* ---- WAV as others write it ---- */

enum { MOST_BYTES = 4096 };

typedef struct wav_bytes {
    uint8_t bytes[MOST_BYTES];
    size_t size;
} wav_bytes;

static void add(wav_bytes *w, const void *bytes, size_t size)
{
    memcpy(w->bytes + w->size, bytes, size);
    w->size += size;
}

static void add_number(wav_bytes *w, uint64_t value, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        w->bytes[w->size++] = i < sizeof value ? (uint8_t)(value >> 8 * i) : 0;
}

static void add_chunk(wav_bytes *w, const char *name, uint32_t size)
{
    add(w, name, 4);
    add_number(w, size, 4);
}

static void begin_wav(wav_bytes *w, const char *magic)
{
    w->size = 0;
    add_chunk(w, magic, 0); /* a size that nobody believes */
    add(w, "WAVE", 4);
}

static void add_format(
    wav_bytes *w, uint32_t tag, uint32_t channels, uint32_t bits, bool extensible)
{
    static const uint8_t rest[14] = {0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71};
    uint32_t block = channels * ((bits + 7) / 8);
    add_chunk(w, "fmt ", extensible ? 40 : 16);
    add_number(w, extensible ? 0xfffe : tag, 2);
    add_number(w, channels, 2);
    add_number(w, 44100, 4);
    add_number(w, 44100 * block, 4);
    add_number(w, block, 2);
    add_number(w, bits, 2);
    if (!extensible) return;
    add_number(w, 22, 2);
    add_number(w, bits, 2);
    add_number(w, 3, 4);
    add_number(w, tag, 2);
    add(w, rest, sizeof rest);
}

/* 1/2, -1, and a step above 0 of each encoding, in a file with chunks around. */
Test(synth_sound, every_encoding)
{
    static const struct {
        uint32_t tag, bits;
        uint64_t samples[3];
        double step;
    } encodings[] = {
        {1, 8, {0xc0, 0x00, 0x81}, 0x1p-7},
        {1, 16, {0x4000, 0x8000, 0x0001}, 0x1p-15},
        {1, 20, {0x400000, 0x800000, 0x000010}, 0x1p-19}, /* the upper bits of three bytes */
        {1, 24, {0x400000, 0x800000, 0x000001}, 0x1p-23},
        {1, 32, {0x40000000, 0x80000000, 0x00000001}, 0x1p-31},
        {3, 32, {0x3f000000, 0xbf800000, 0x00800000}, 0x1p-126},
        {3, 64, {0x3fe0000000000000, 0xbff0000000000000, 0x3f50000000000000}, 0x1p-10},
    };
    hed_error error = {0};
    wav_bytes w;
    synth_sound sound;
    for (size_t i = 0; i < 7; i++)
        for (uint32_t extensible = 0; extensible < 2; extensible++) {
            uint32_t width = (encodings[i].bits + 7) / 8;
            begin_wav(&w, "RIFF");
            add_chunk(&w, "LIST", 3); /* odd: a byte of padding follows */
            add(&w, "abc", 4);
            add_format(&w, encodings[i].tag, 1, encodings[i].bits, extensible);
            add_chunk(&w, "data", 3 * width);
            for (uint32_t n = 0; n < 3; n++) add_number(&w, encodings[i].samples[n], width);
            if (width & 1) add_number(&w, 0, 1);
            add_chunk(&w, "id3 ", 2);
            add(&w, "xy", 2);
            OK(synth_wav_parse(w.bytes, w.size, "a.wav", &sound, &error));
            CHECK(sound.rate == 44100 && sound.channels == 1 && sound.frames == 3 &&
                  sound.missing == 0);
            CHECK(sound.samples[0] == 0.5f && sound.samples[1] == -1, "%u bits", encodings[i].bits);
            CHECK(sound.samples[2] == (float)encodings[i].step, "%u bits: %g", encodings[i].bits,
                (double)sound.samples[2]);
            synth_sound_free(&sound);
        }
}

/* Streams whose head was never finished: the samples reach to the end. */
Test(synth_sound, heads_that_nobody_finished)
{
    hed_error error = {0};
    wav_bytes w;
    synth_sound sound;
    for (uint32_t size = 0; size < 2; size++) {
        begin_wav(&w, "RIFF");
        add_format(&w, 1, 2, 16, false);
        add_chunk(&w, "data", size ? UINT32_MAX : 0);
        for (uint32_t i = 0; i < 10; i++) add_number(&w, 0x4000, 2);
        OK(synth_wav_parse(w.bytes, w.size, "a.wav", &sound, &error));
        CHECK(sound.channels == 2 && sound.frames == 5 && sound.missing == 0 &&
              sound.samples[9] == 0.5f);
        synth_sound_free(&sound);
    }
    begin_wav(&w, "RIFF"); /* but no samples are none */
    add_format(&w, 1, 2, 16, false);
    add_chunk(&w, "data", 0);
    add_chunk(&w, "LIST", 4);
    add(&w, "INFO", 4);
    OK(synth_wav_parse(w.bytes, w.size, "a.wav", &sound, &error));
    CHECK(sound.frames == 0);
    synth_sound_free(&sound);
}

Test(synth_sound, what_is_no_wav_is_said)
{
    static const struct {
        uint32_t tag, channels, bits;
        hed_status status;
        const char *text;
    } wrong[] = {
        {2, 1, 4, HED_ERROR_UNSUPPORTED, "encoding 2"},
        {7, 1, 8, HED_ERROR_UNSUPPORTED, "encoding 7"},
        {1, 1, 40, HED_ERROR_UNSUPPORTED, "40 bits"},
        {3, 1, 16, HED_ERROR_UNSUPPORTED, "16 bits"},
        {1, 0, 16, HED_ERROR_FORMAT, "0 channels"},
    };
    hed_error error = {0};
    wav_bytes w;
    synth_sound sound;
    for (size_t i = 0; i < 5; i++) {
        begin_wav(&w, "RIFF");
        add_format(&w, wrong[i].tag, wrong[i].channels, wrong[i].bits, false);
        add_chunk(&w, "data", 0);
        FAILS(wrong[i].status, synth_wav_parse(w.bytes, w.size, "a.wav", &sound, &error));
        CHECK(strstr(error.text, wrong[i].text), "%s", error.text);
    }
    begin_wav(&w, "RIFF");
    add_chunk(&w, "data", 4);
    add_number(&w, 0, 4);
    FAILS(HED_ERROR_FORMAT, synth_wav_parse(w.bytes, w.size, "a.wav", &sound, &error));
    CHECK(strstr(error.text, "no format"));
}

/* A file that ends anywhere: what is there, and how much is not, or an error that says where it
 * ends. The bytes lie at the end of memory of their own, so that a sanitizer sees a read behind
 * them. */
Test(synth_sound, cut_at_every_byte)
{
    hed_error error = {0};
    wav_bytes w;
    begin_wav(&w, "RF64");
    add_chunk(&w, "ds64", 28);
    add_number(&w, 0, 8);
    add_number(&w, 120, 8);
    add_number(&w, 0, 12);
    add_format(&w, 1, 2, 24, true);
    add_chunk(&w, "LIST", 5);
    add(&w, "abcde", 6);
    add_chunk(&w, "data", UINT32_MAX);
    size_t head = w.size;
    for (uint32_t i = 0; i < 40; i++) add_number(&w, 0x400000, 3);
    for (size_t size = 0; size <= w.size; size++) {
        synth_sound sound;
        uint8_t *cut = malloc(size + 1);
        memcpy(cut, w.bytes, size);
        cut = realloc(cut, size ? size : 1);
        hed_error_clear(&error);
        hed_status status = synth_wav_parse(cut, size, "a.wav", &sound, &error);
        if (size < head) {
            CHECK(status == HED_ERROR_FORMAT && error.text[0] && !sound.samples, "%zu", size);
        } else {
            uint64_t frames = (size - head) / 6;
            CHECK(status == HED_OK && sound.frames == frames && sound.missing == 20 - frames, "%zu",
                size);
        }
        synth_sound_free(&sound);
        free(cut);
    }
}

/* What a writer that is asked for so many frames puts at the head of a pipe, which nobody can go
 * back in. */
static void head_of_pipe(uint64_t frames, uint64_t put, uint8_t bytes[200], bool whole)
{
    static const float silence[2];
    int ends[2];
    char path[32];
    hed_error error = {0};
    synth_sound_writer *writer;
    CHECK(pipe(ends) == 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    OK(synth_sound_writer_open(path, 48000, 2, SYNTH_SOUND_S24, frames, &writer, &error));
    OK(synth_sound_writer_put(
        writer, (const float *const[]){silence, silence}, (uint32_t)put, &error));
    if (whole) OK(synth_sound_writer_commit(writer, &error));
    else synth_sound_writer_abort(writer);
    close(ends[1]);
    ssize_t size = read(ends[0], bytes, 200);
    CHECK(size == (ssize_t)(44 + 6 * put) || size == (ssize_t)(80 + 6 * put), "%zd bytes", size);
    close(ends[0]);
}

static uint64_t number_at(const uint8_t *bytes, uint32_t size)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < size; i++) value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

Test(synth_sound, longer_than_four_gibibytes_is_rf64)
{
    const uint64_t frames = 800000000;
    const float silence[1] = {0};
    uint8_t head[200];
    hed_error error = {0};
    synth_sound_writer *writer;
    head_of_pipe(frames, 1, head, false);
    CHECK(memcmp(head, "RF64\xff\xff\xff\xffWAVEds64", 16) == 0);
    CHECK(number_at(head + 20, 8) == 72 + 6 * frames && number_at(head + 28, 8) == 6 * frames);
    CHECK(number_at(head + 36, 8) == frames && memcmp(head + 72, "data\xff\xff\xff\xff", 8) == 0);
    /* all that was announced has come: nothing is to be written again */
    head_of_pipe(2, 2, head, true);
    CHECK(memcmp(head, "RIFF", 4) == 0 && number_at(head + 4, 4) == 48 &&
          number_at(head + 40, 4) == 12);
    /* Announced as long, and ended early as by Ctrl-C: RIFF, with room in its head. */
    OK(synth_sound_writer_open(
        in_folder("a.wav"), 48000, 2, SYNTH_SOUND_S24, frames, &writer, &error));
    OK(synth_sound_writer_put(writer, (const float *const[]){silence, silence}, 1, &error));
    OK(synth_sound_writer_commit(writer, &error));
    char *bytes;
    size_t size;
    OK(hed_file_read(in_folder("a.wav"), 1 << 20, &bytes, &size, &error));
    const uint8_t *found = (const uint8_t *)bytes;
    CHECK(size == 86 && memcmp(bytes, "RIFF", 4) == 0 && memcmp(bytes + 12, "JUNK", 4) == 0);
    CHECK(number_at(found + 4, 4) == 78 && number_at(found + 76, 4) == 6);
    free(bytes);
    FAILS(HED_ERROR_UNSUPPORTED, synth_sound_writer_open(in_folder("c.wav"), 48000, 30000,
                                     SYNTH_SOUND_S24, 0, &writer, &error));
    FAILS(HED_ERROR_LIMIT, synth_sound_writer_open(in_folder("c.wav"), 48000, 2, SYNTH_SOUND_S24,
                               UINT64_MAX, &writer, &error));
}

/* Whoever said that few would come cannot put many: 2^32 bytes are not counted in 32 bits. */
Test(synth_sound, more_than_was_announced)
{
    static float silence[1 << 16];
    static const float *channels[16384];
    for (uint32_t c = 0; c < 16000; c++) channels[c] = silence;
    hed_error error = {0};
    synth_sound_writer *writer;
    OK(synth_sound_writer_open("/dev/null", 48000, 16000, SYNTH_SOUND_F32, 1, &writer, &error));
    FAILS(HED_ERROR_LIMIT, synth_sound_writer_put(writer, channels, 1 << 17, &error));
    CHECK(strstr(error.text, "begun for 1 frames"));
    synth_sound_writer_abort(writer);
}
