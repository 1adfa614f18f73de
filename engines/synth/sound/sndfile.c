/* Sound files by libsndfile, read from memory, written through the writer that makes files
 * appear complete or not at all. */

#include "sound_file.h"
#include "heddle/author.h"
#include "support/file.h"
#include "support/optional_libraries.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 4096 }; /* frames converted at once */

static hed_status sndfile_load(const char *path, synth_sndfile_api *api, hed_error *error)
{
    static const char *const names[] = {"sf_open_virtual", "sf_close", "sf_strerror", "sf_command",
        "sf_readf_float", "sf_writef_float"};
    enum { COUNT = sizeof names / sizeof *names };
    void *slots[COUNT];
    hed_error reason = {0};
    _Static_assert(sizeof *api == sizeof slots, "synth_sndfile_api holds function pointers only");
    hed_status status = hed_library_load(
        NULL, &hed_optional_libraries[HED_LIBRARY_SNDFILE], names, slots, COUNT, NULL, &reason);
    if (status) return hed_fail(error, status, "%s: %s", path, reason.text);
    memcpy(api, slots, sizeof slots);
    return HED_OK;
}

/* ---- reading ---- */

typedef struct memory {
    const uint8_t *bytes;
    sf_count_t size, position;
} memory;

static sf_count_t memory_size(void *user) { return ((memory *)user)->size; }

static sf_count_t memory_tell(void *user) { return ((memory *)user)->position; }

static sf_count_t memory_seek(sf_count_t offset, int whence, void *user)
{
    memory *m = user;
    sf_count_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? m->position : m->size;
    if (offset < -from || offset > m->size - from) return -1;
    return m->position = from + offset;
}

static sf_count_t memory_read(void *to, sf_count_t count, void *user)
{
    memory *m = user;
    if (count > m->size - m->position) count = m->size - m->position;
    if (count > 0) memcpy(to, m->bytes + m->position, (size_t)count);
    m->position += count;
    return count;
}

static sf_count_t memory_write(const void *from, sf_count_t count, void *user)
{
    (void)from;
    (void)count;
    (void)user;
    return 0;
}

static hed_status read_samples(const synth_sndfile_api *api, SNDFILE *file, const char *path,
    synth_sound *sound, hed_error *error)
{
    float *piece = malloc(sizeof *piece * PIECE * sound->channels);
    uint64_t samples = sound->frames * sound->channels;
    sound->samples = malloc(sizeof *sound->samples * (samples ? samples : 1));
    hed_status status = HED_OK;
    if (!piece || !sound->samples)
        status = HED_OUT_OF_MEMORY(error, "%llu samples of %s", (unsigned long long)samples, path);
    uint64_t frames = 0;
    while (!status && frames < sound->frames) {
        sf_count_t request =
            sound->frames - frames < PIECE ? (sf_count_t)(sound->frames - frames) : PIECE;
        sf_count_t got = api->sf_readf_float(file, piece, request);
        for (sf_count_t n = 0; n < got; n++)
            for (uint32_t c = 0; c < sound->channels; c++) {
                float x = piece[n * sound->channels + c];
                sound->samples[c * sound->frames + frames + (uint64_t)n] = isfinite(x) ? x : 0.0f;
            }
        frames += (uint64_t)got;
        if (got < request)
            status = hed_fail(error, HED_ERROR_FORMAT,
                "%s ends after %llu of the %llu frames that its head promises", path,
                (unsigned long long)frames, (unsigned long long)sound->frames);
    }
    free(piece);
    return status;
}

hed_status synth_sndfile_parse(
    const void *bytes, size_t size, const char *path, synth_sound *sound, hed_error *error)
{
    synth_sndfile_api api = {0};
    SF_INFO info = {0};
    SF_VIRTUAL_IO io = {memory_size, memory_seek, memory_read, memory_write, memory_tell};
    memory m = {bytes, (sf_count_t)size, 0};
    *sound = (synth_sound){0};
    hed_status status = sndfile_load(path, &api, error);
    if (status) return status;
    SNDFILE *file = api.sf_open_virtual(&io, SFM_READ, &info, &m);
    if (!file)
        return hed_fail(error, HED_ERROR_FORMAT, "%s is no sound file that can be read: %s", path,
            api.sf_strerror(NULL));
    if (info.frames < 0 ||
        (uint64_t)info.frames > SYNTH_SOUND_MOST_SAMPLES / (uint32_t)info.channels) {
        status = hed_fail(error, HED_ERROR_LIMIT,
            "%s has %lld frames of %d channels: at most 2^30 samples are read", path,
            (long long)info.frames, info.channels);
    } else {
        *sound = (synth_sound){.rate = (uint32_t)info.samplerate,
            .channels = (uint32_t)info.channels, .frames = (uint64_t)info.frames};
        status = read_samples(&api, file, path, sound, error);
    }
    api.sf_close(file);
    if (status) synth_sound_free(sound);
    return status;
}

/* ---- writing ---- */

typedef struct sndfile_writer {
    synth_sound_writer base;
    synth_sndfile_api api;
    hed_file_writer *file;
    SNDFILE *sound;
    char *path;
    uint64_t position, size; /* position in the file, and its size, bytes */
    uint64_t max_size;       /* limit of the size field in the file's header, bytes */
    uint32_t channels;
    float piece[]; /* (PIECE x channels) */
} sndfile_writer;

static sf_count_t writer_size(void *user) { return (sf_count_t)((sndfile_writer *)user)->size; }

static sf_count_t writer_tell(void *user) { return (sf_count_t)((sndfile_writer *)user)->position; }

static sf_count_t writer_seek(sf_count_t offset, int whence, void *user)
{
    sndfile_writer *w = user;
    sf_count_t from = whence == SEEK_SET   ? 0
                      : whence == SEEK_CUR ? (sf_count_t)w->position
                                           : (sf_count_t)w->size;
    if (from + offset != (sf_count_t)w->position) {
        w->position = (uint64_t)(from + offset);
        hed_file_writer_seek(w->file, w->position); /* the writer keeps an error until commit */
    }
    return (sf_count_t)w->position;
}

static sf_count_t writer_read(void *to, sf_count_t count, void *user)
{
    (void)to;
    (void)count;
    (void)user;
    return 0;
}

static sf_count_t writer_write(const void *from, sf_count_t count, void *user)
{
    sndfile_writer *w = user;
    if (hed_file_writer_put(w->file, from, (size_t)count)) return 0;
    w->position += (uint64_t)count;
    if (w->position > w->size) w->size = w->position;
    return count;
}

static hed_status open_sound(sndfile_writer *w, SF_INFO *info, hed_error *error)
{
    SF_VIRTUAL_IO io = {writer_size, writer_seek, writer_read, writer_write, writer_tell};
    w->sound = w->api.sf_open_virtual(&io, SFM_WRITE, info, w);
    if (!w->sound) {
        int sub = info->format & SF_FORMAT_SUBMASK;
        const char *name = sub == SF_FORMAT_PCM_16   ? "16 bits"
                           : sub == SF_FORMAT_PCM_24 ? "24 bits"
                                                     : "floats";
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "%s cannot hold %u channels of %s at %d Hz: %s", w->path, w->channels, name,
            info->samplerate, w->api.sf_strerror(NULL));
    }
    /* no PEAK chunk: it contains the time of day, so equal sounds would differ in bytes */
    w->api.sf_command(w->sound, SFC_SET_ADD_PEAK_CHUNK, NULL, 0);
    w->api.sf_command(w->sound, SFC_SET_CLIPPING, NULL, 1);
    return HED_OK;
}

static hed_status too_long(const char *path, hed_error *error)
{
    return hed_fail(error, HED_ERROR_LIMIT,
        "%s would be longer than 4 GiB, which its format cannot say: name it .wav", path);
}

static hed_status sndfile_put(
    synth_sound_writer *base, const float *const *channels, uint32_t frames, hed_error *error)
{
    sndfile_writer *w = (sndfile_writer *)base;
    for (uint32_t first = 0; first < frames; first += PIECE) {
        uint32_t count = frames - first < PIECE ? frames - first : PIECE;
        for (uint32_t n = 0; n < count; n++)
            for (uint32_t c = 0; c < w->channels; c++)
                w->piece[n * w->channels + c] = channels[c][first + n];
        if (w->size + (uint64_t)count * w->channels * 4 > w->max_size)
            return too_long(w->path, error);
        errno = 0; /* libsndfile's own errors do not set errno */
        if (w->api.sf_writef_float(w->sound, w->piece, count) == count) continue;
        return hed_fail(error, HED_ERROR_IO, "cannot write %s: %s", w->path,
            errno ? strerror(errno) : w->api.sf_strerror(w->sound));
    }
    return HED_OK;
}

static void sndfile_free_writer(sndfile_writer *w)
{
    free(w->path);
    free(w);
}

static hed_status sndfile_commit(synth_sound_writer *base, hed_error *error)
{
    sndfile_writer *w = (sndfile_writer *)base;
    /* writes the header; the file's writer keeps an error until commit */
    w->api.sf_close(w->sound);
    hed_status status = hed_file_writer_commit(w->file, error);
    sndfile_free_writer(w);
    return status;
}

static void sndfile_abort_writer(synth_sound_writer *base)
{
    sndfile_writer *w = (sndfile_writer *)base;
    if (w->sound) w->api.sf_close(w->sound);
    hed_file_writer_abort(w->file);
    sndfile_free_writer(w);
}

hed_status synth_sndfile_writer_open(const char *path, int container, uint32_t rate,
    uint32_t channels, synth_sound_format format, uint64_t frames, synth_sound_writer **writer,
    hed_error *error)
{
    static const synth_sound_writer_ops ops = {sndfile_put, sndfile_commit, sndfile_abort_writer};
    static const int subtypes[] = {SF_FORMAT_PCM_16, SF_FORMAT_PCM_24, SF_FORMAT_FLOAT};
    SF_INFO info = {
        .samplerate = (int)rate, .channels = (int)channels, .format = container | subtypes[format]};
    bool short_head = container == SF_FORMAT_AIFF || container == SF_FORMAT_AU;
    uint64_t max_size = short_head ? UINT32_MAX - 4096u : UINT64_MAX, width = (uint64_t)format + 2;
    *writer = NULL;
    if (channels == 0)
        return hed_fail(
            error, HED_ERROR_UNSUPPORTED, "%s cannot hold 0 channels: 1 at the least", path);
    if (frames > max_size / (channels * width)) return too_long(path, error);
    sndfile_writer *w = calloc(1, sizeof *w + sizeof(float) * PIECE * channels);
    if (!w || !(w->path = strdup(path))) {
        free(w);
        return HED_OUT_OF_MEMORY(error, "%s", path);
    }
    w->base = (synth_sound_writer){&ops, format};
    w->max_size = max_size;
    w->channels = channels;
    hed_status status;
    if ((status = sndfile_load(path, &w->api, error)) ||
        (status = hed_file_writer_open(path, &w->file, error)) ||
        (status = open_sound(w, &info, error))) {
        sndfile_abort_writer(&w->base);
        return status;
    }
    *writer = &w->base;
    return HED_OK;
}
