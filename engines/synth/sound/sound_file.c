/* Sound files: libsndfile over the writer whose files appear whole. */
#include "sound_file.h"

#include "support/errors.h"
#include "support/file.h"

#include <stdlib.h>

#ifdef SYNTH_SNDFILE

#include <errno.h>
#include <math.h>
#include <sndfile.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { PIECE = 4096 }; /* frames that are turned at once */
static const uint64_t MOST_SAMPLES = 1u << 30;

/* ---- reading ---- */

static hed_status read_samples(SNDFILE *file, const char *path, synth_sound *sound, hed_error *error)
{
    float *piece = malloc(sizeof *piece * PIECE * sound->channels);
    uint64_t samples = sound->frames * sound->channels;
    sound->samples = malloc(sizeof *sound->samples * (samples ? samples : 1));
    hed_status status = HED_OK;
    if (!piece || !sound->samples)
        status = hed_error_set(error, HED_ERROR_MEMORY, "no memory for %llu samples of %s", (unsigned long long)samples,
                               path);
    uint64_t frames = 0;
    while (!status && frames < sound->frames) {
        sf_count_t wanted = sound->frames - frames < PIECE ? (sf_count_t)(sound->frames - frames) : PIECE;
        sf_count_t got = sf_readf_float(file, piece, wanted);
        for (sf_count_t n = 0; n < got; n++)
            for (uint32_t c = 0; c < sound->channels; c++) {
                float x = piece[n * sound->channels + c];
                sound->samples[c * sound->frames + frames + (uint64_t)n] = isfinite(x) ? x : 0.0f;
            }
        frames += (uint64_t)got;
        if (got < wanted)
            status =
                hed_error_set(error, HED_ERROR_FORMAT, "%s ends after %llu of the %llu frames that its head promises",
                              path, (unsigned long long)frames, (unsigned long long)sound->frames);
    }
    free(piece);
    return status;
}

hed_status synth_sound_read(const char *path, synth_sound *sound, hed_error *error)
{
    *sound = (synth_sound){0};
    SF_INFO info = {0};
    hed_status readable = hed_file_require_regular(path, error);
    if (readable) return readable;
    SNDFILE *file = sf_open(path, SFM_READ, &info);
    if (!file)
        return hed_error_set(error, HED_ERROR_FORMAT, "%s is no sound file that can be read: %s", path,
                             sf_strerror(NULL));
    hed_status status;
    if (info.frames < 0 || (uint64_t)info.frames > MOST_SAMPLES / (uint32_t)info.channels) {
        status =
            hed_error_set(error, HED_ERROR_LIMIT, "%s has %lld frames of %d channels: at most 2^30 samples are read",
                          path, (long long)info.frames, info.channels);
    } else {
        *sound = (synth_sound){
            .rate = (uint32_t)info.samplerate, .channels = (uint32_t)info.channels, .frames = (uint64_t)info.frames};
        status = read_samples(file, path, sound, error);
    }
    sf_close(file);
    if (status) synth_sound_free(sound);
    return status;
}

/* ---- writing ---- */

struct synth_sound_writer {
    hed_file_writer *file;
    SNDFILE *sound;
    char *path;
    uint64_t position, size; /* of the file, bytes */
    uint64_t most;           /* bytes that its head can count */
    uint32_t channels;
    float piece[]; /* (PIECE x channels) */
};

static sf_count_t tell_size(void *user)
{
    return (sf_count_t)((synth_sound_writer *)user)->size;
}

static sf_count_t tell_position(void *user)
{
    return (sf_count_t)((synth_sound_writer *)user)->position;
}

static sf_count_t seek(sf_count_t offset, int whence, void *user)
{
    synth_sound_writer *w = user;
    sf_count_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? (sf_count_t)w->position : (sf_count_t)w->size;
    if (from + offset != (sf_count_t)w->position) {
        w->position = (uint64_t)(from + offset);
        hed_file_writer_seek(w->file, w->position); /* a failure is kept for commit */
    }
    return (sf_count_t)w->position;
}

static sf_count_t read_nothing(void *bytes, sf_count_t count, void *user)
{
    (void)bytes;
    (void)count;
    (void)user;
    return 0;
}

static sf_count_t put(const void *bytes, sf_count_t count, void *user)
{
    synth_sound_writer *w = user;
    if (hed_file_writer_put(w->file, bytes, (size_t)count)) return 0;
    w->position += (uint64_t)count;
    if (w->position > w->size) w->size = w->position;
    return count;
}

/* What a name's ending stands for; 0: nothing that is known. */
static int container_of(const char *path)
{
    static const struct {
        const char *ending;
        int format;
    } known[] = {
        {"wav", SF_FORMAT_WAV},
        {"flac", SF_FORMAT_FLAC},
        {"aiff", SF_FORMAT_AIFF},
        {"aif", SF_FORMAT_AIFF},
        {"w64", SF_FORMAT_W64},
        {"rf64", SF_FORMAT_RF64},
        {"caf", SF_FORMAT_CAF},
        {"au", SF_FORMAT_AU},
    };
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    if (strncmp(path, "/dev/", 5) == 0) return SF_FORMAT_WAV;
    for (size_t i = 0; dot && i < sizeof known / sizeof *known; i++)
        if (strcasecmp(dot + 1, known[i].ending) == 0) return known[i].format;
    return 0;
}

static hed_status open_sound(synth_sound_writer *w, SF_INFO *info, hed_error *error)
{
    SF_VIRTUAL_IO io = {tell_size, seek, read_nothing, put, tell_position};
    w->sound = sf_open_virtual(&io, SFM_WRITE, info, w);
    if (!w->sound) {
        int sub = info->format & SF_FORMAT_SUBMASK;
        const char *name = sub == SF_FORMAT_PCM_16 ? "16 bits" : sub == SF_FORMAT_PCM_24 ? "24 bits" : "floats";
        return hed_error_set(error, HED_ERROR_UNSUPPORTED, "%s cannot hold %u channels of %s at %d Hz: %s", w->path,
                             w->channels, name, info->samplerate, sf_strerror(NULL));
    }
    /* The peak's place comes with the time of day: the same sound would be other bytes. */
    sf_command(w->sound, SFC_SET_ADD_PEAK_CHUNK, NULL, SF_FALSE);
    sf_command(w->sound, SFC_SET_CLIPPING, NULL, SF_TRUE);
    return HED_OK;
}

static hed_status too_long(const char *path, hed_error *error)
{
    return hed_error_set(error, HED_ERROR_LIMIT,
                         "%s would be longer than 4 GiB, which its format cannot say: name it .w64", path);
}

hed_status synth_sound_writer_open(const char *path, uint32_t rate, uint32_t channels, synth_sound_format format,
                                   uint64_t frames, synth_sound_writer **writer, hed_error *error)
{
    static const int subtypes[] = {SF_FORMAT_PCM_16, SF_FORMAT_PCM_24, SF_FORMAT_FLOAT};
    *writer = NULL;
    SF_INFO info = {.samplerate = (int)rate, .channels = (int)channels, .format = container_of(path)};
    if (!info.format)
        return hed_error_set(error, HED_ERROR_UNSUPPORTED,
                             "%s: its ending is none of wav, flac, aiff, w64, rf64, caf and au", path);
    bool short_head = info.format == SF_FORMAT_WAV || info.format == SF_FORMAT_AIFF || info.format == SF_FORMAT_AU;
    uint64_t most = short_head ? UINT32_MAX - 4096u : UINT64_MAX, width = (uint64_t)format + 2;
    if (frames > most / (channels * width)) return too_long(path, error);
    synth_sound_writer *w = calloc(1, sizeof *w + sizeof(float) * PIECE * channels);
    if (!w || !(w->path = strdup(path))) {
        free(w);
        return hed_error_set(error, HED_ERROR_MEMORY, "no memory to write %s", path);
    }
    w->most = most;
    w->channels = channels;
    info.format |= subtypes[format];
    hed_status status = hed_file_writer_open(path, &w->file, error);
    if (!status) status = open_sound(w, &info, error);
    if (status) {
        synth_sound_writer_abort(w);
        return status;
    }
    *writer = w;
    return HED_OK;
}

hed_status synth_sound_writer_put(synth_sound_writer *w, const float *const *channels, uint32_t frames,
                                  hed_error *error)
{
    for (uint32_t first = 0; first < frames; first += PIECE) {
        uint32_t count = frames - first < PIECE ? frames - first : PIECE;
        for (uint32_t n = 0; n < count; n++)
            for (uint32_t c = 0; c < w->channels; c++) w->piece[n * w->channels + c] = channels[c][first + n];
        if (w->size + (uint64_t)count * w->channels * 4 > w->most)
            return too_long(w->path, error);
        if (sf_writef_float(w->sound, w->piece, count) == count) continue;
        return hed_error_set(error, HED_ERROR_IO, "cannot write %s: %s", w->path,
                             errno ? strerror(errno) : sf_strerror(w->sound));
    }
    return HED_OK;
}

static void free_writer(synth_sound_writer *w)
{
    free(w->path);
    free(w);
}

hed_status synth_sound_writer_commit(synth_sound_writer *w, hed_error *error)
{
    sf_close(w->sound); /* writes the head; what fails in it is kept by the file's writer */
    hed_status status = hed_file_writer_commit(w->file, error);
    free_writer(w);
    return status;
}

void synth_sound_writer_abort(synth_sound_writer *w)
{
    if (!w) return;
    if (w->sound) sf_close(w->sound);
    hed_file_writer_abort(w->file);
    free_writer(w);
}

#else

static hed_status absent(const char *path, hed_error *error)
{
    return hed_error_set(error, HED_ERROR_UNSUPPORTED,
                         "%s: Heddle was built without libsndfile, and reads and writes no sound files", path);
}

hed_status synth_sound_read(const char *path, synth_sound *sound, hed_error *error)
{
    *sound = (synth_sound){0};
    return absent(path, error);
}

hed_status synth_sound_writer_open(const char *path, uint32_t rate, uint32_t channels, synth_sound_format format,
                                   uint64_t frames, synth_sound_writer **writer, hed_error *error)
{
    (void)rate;
    (void)channels;
    (void)format;
    (void)frames;
    *writer = NULL;
    return absent(path, error);
}

/* Nobody has a writer. */
hed_status synth_sound_writer_put(synth_sound_writer *writer, const float *const *channels, uint32_t frames,
                                  hed_error *error)
{
    (void)writer;
    (void)channels;
    (void)frames;
    return absent("sound", error);
}

hed_status synth_sound_writer_commit(synth_sound_writer *writer, hed_error *error)
{
    (void)writer;
    return absent("sound", error);
}

void synth_sound_writer_abort(synth_sound_writer *writer)
{
    (void)writer;
}

#endif

void synth_sound_free(synth_sound *sound)
{
    free(sound->samples);
    *sound = (synth_sound){0};
}
