/* Sound files: what is written is read again, the same sound is the same bytes, and nobody sees half a file. */
#include "folder.h"
#include "testing.h"

#include "sound/sound_file.h"
#include "support/file.h"

#include <math.h>

TestSuite(synth_sound, .init = folder_make, .fini = folder_remove);

enum { FRAMES = 10007 };

static void make_sound(float *left, float *right)
{
    for (uint32_t n = 0; n < FRAMES; n++) {
        left[n] = 0.9f * sinf((float)n * 0.05f);
        right[n] = n % 100 == 7 ? 3.0f : -0.25f; /* beyond full scale now and then */
    }
}

static hed_status write_sound(const char *path, synth_sound_format format, uint32_t pieces, hed_error *error)
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

/* A build without libsndfile says so; the other tests have nothing to test then. */
static bool is_there(const char *path)
{
    hed_error error;
    synth_sound_writer *writer;
    hed_status status = synth_sound_writer_open(path, 48000, 2, SYNTH_SOUND_F32, 0, &writer, &error);
    cr_assert(status == HED_OK || (status == HED_ERROR_UNSUPPORTED && strstr(error.text, "without libsndfile")));
    synth_sound_writer_abort(writer);
    return status == HED_OK;
}

Test(synth_sound, what_is_written_is_read_again)
{
    static const char *const names[] = {"a.wav", "a.flac", "a.aiff", "a.w64", "a.caf", "A.WAV"};
    static const double steps[] = {1.0 / 32767, 1.0 / 8388607, 0};
    static float left[FRAMES], right[FRAMES];
    make_sound(left, right);
    hed_error error;
    if (!is_there(in_folder("there.wav"))) cr_skip_test("no libsndfile");
    for (uint32_t i = 0; i < 6; i++)
        for (uint32_t format = 0; format < 3; format++) {
            const char *path = in_folder(names[i]);
            if (i == 1 && format == SYNTH_SOUND_F32) {
                FAILS(HED_ERROR_UNSUPPORTED, write_sound(path, (synth_sound_format)format, 512, &error));
                continue;
            }
            OK(write_sound(path, (synth_sound_format)format, 512, &error));
            synth_sound sound;
            OK(synth_sound_read(path, &sound, &error));
            cr_assert(sound.rate == 48000 && sound.channels == 2 && sound.frames == FRAMES);
            for (uint32_t n = 0; n < FRAMES; n++) {
                double wanted = format == SYNTH_SOUND_F32 ? right[n] : fmin(right[n], 1 - steps[format]);
                cr_assert(fabs(sound.samples[n] - left[n]) <= steps[format], "%s, frame %u", path, n);
                cr_assert(fabs(sound.samples[FRAMES + n] - wanted) <= steps[format], "%s, frame %u: %g", path, n,
                          (double)sound.samples[FRAMES + n]);
            }
            synth_sound_free(&sound);
            cr_assert(!sound.samples && !sound.frames);
        }
}

/* In pieces of any size, and a second later. */
Test(synth_sound, the_same_sound_is_the_same_bytes)
{
    hed_error error;
    if (!is_there(in_folder("there.wav"))) cr_skip_test("no libsndfile");
    char *found[2];
    size_t size[2];
    for (uint32_t i = 0; i < 2; i++) {
        OK(write_sound(in_folder("a.wav"), SYNTH_SOUND_F32, i ? FRAMES : 33, &error));
        OK(hed_file_read(in_folder("a.wav"), 1 << 20, &found[i], &size[i], &error));
        if (i == 0) sleep(1);
    }
    cr_assert(size[0] == size[1] && memcmp(found[0], found[1], size[0]) == 0);
    free(found[0]);
    free(found[1]);
}

Test(synth_sound, what_goes_wrong_leaves_nothing_behind)
{
    hed_error error;
    synth_sound sound;
    synth_sound_writer *writer;
    if (!is_there(in_folder("there.wav"))) cr_skip_test("no libsndfile");
    cr_assert(access(in_folder("there.wav"), F_OK) != 0, "an aborted file is there");
    FAILS(HED_ERROR_IO, synth_sound_read(in_folder("none.wav"), &sound, &error));
    cr_assert(strstr(error.text, "none.wav") && !sound.samples);
    write_file(in_folder("text.wav"), "no sound at all", 15);
    FAILS(HED_ERROR_FORMAT, synth_sound_read(in_folder("text.wav"), &sound, &error));
    FAILS(HED_ERROR_UNSUPPORTED,
          synth_sound_writer_open(in_folder("a.txt"), 48000, 2, SYNTH_SOUND_F32, 0, &writer, &error));
    cr_assert(strstr(error.text, "wav") && !writer);
    FAILS(HED_ERROR_LIMIT,
          synth_sound_writer_open(in_folder("a.wav"), 48000, 2, SYNTH_SOUND_S24, 800000000, &writer, &error));
    cr_assert(strstr(error.text, "w64") && !writer);
    OK(synth_sound_writer_open(in_folder("a.w64"), 48000, 2, SYNTH_SOUND_S24, 800000000, &writer, &error));
    synth_sound_writer_abort(writer);
    FAILS(HED_ERROR_IO,
          synth_sound_writer_open(in_folder("no/a.wav"), 48000, 2, SYNTH_SOUND_F32, 0, &writer, &error));
    OK(synth_sound_writer_open(in_folder("b.wav"), 48000, 1, SYNTH_SOUND_S16, 0, &writer, &error));
    cr_assert(access(in_folder("b.wav"), F_OK) != 0, "a file is there before it is whole");
    OK(synth_sound_writer_commit(writer, &error));
    OK(synth_sound_read(in_folder("b.wav"), &sound, &error));
    cr_assert(sound.frames == 0 && sound.channels == 1);
    synth_sound_free(&sound);
    /* Floats that are no numbers come in as silence. */
    const float bad[] = {NAN, 0.5f, INFINITY};
    OK(synth_sound_writer_open(in_folder("c.wav"), 48000, 1, SYNTH_SOUND_F32, 0, &writer, &error));
    OK(synth_sound_writer_put(writer, (const float *const[]){bad}, 3, &error));
    OK(synth_sound_writer_commit(writer, &error));
    OK(synth_sound_read(in_folder("c.wav"), &sound, &error));
    cr_assert(sound.samples[0] == 0 && sound.samples[1] == 0.5f && sound.samples[2] == 0);
    synth_sound_free(&sound);
    FAILS(HED_ERROR_IO, write_sound("/dev/full", SYNTH_SOUND_S16, 512, &error));
    cr_assert(strstr(error.text, "/dev/full"));
}
