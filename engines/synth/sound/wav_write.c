/* Writing WAV files, as a stream: the head is written first for as many frames as were announced,
 * and again at the end where they were others. */
#include "wav.h"
#include "writer.h"

#include "support/errors.h"
#include "support/file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECE = 4096, /* frames that are turned at once */
    HEAD_BYTES = 96,
    LONG_SIZES = 28, /* bytes of the chunk "ds64" */
};
enum { WAV_INTEGERS = 1, WAV_FLOATS = 3 };

typedef struct wav_writer {
    synth_sound_writer base;
    hed_file_writer *file;
    char *path;
    uint32_t rate, channels, width; /* width: bytes of a sample */
    bool rf64;                      /* however short it is */
    bool room;                      /* in the head for RF64's sizes */
    uint64_t announced, frames;
    uint8_t piece[]; /* (PIECE x channels x width) */
} wav_writer;

/* ---- the head ---- */

static void put_number(uint8_t **to, uint64_t value, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++) *(*to)++ = (uint8_t)(value >> 8 * i);
}

static void put_chunk(uint8_t **to, const char *name, uint32_t size)
{
    memcpy(*to, name, 4);
    *to += 4;
    put_number(to, size, 4);
}

static uint32_t head_size(const wav_writer *w)
{
    return 12 + (w->room ? 8 + LONG_SIZES : 0) +
           (w->base.format == SYNTH_SOUND_F32 ? 8 + 18 + 8 + 4 : 8 + 16) + 8;
}

static uint64_t data_size(const wav_writer *w, uint64_t frames)
{
    return frames * w->channels * w->width;
}

/* What the file's first size counts: all behind it. */
static uint64_t riff_size(const wav_writer *w, uint64_t frames)
{
    uint64_t data = data_size(w, frames);
    return head_size(w) - 8 + data + (data & 1);
}

static hed_status write_head(wav_writer *w, uint64_t frames)
{
    uint8_t bytes[HEAD_BYTES], *to = bytes;
    bool floats = w->base.format == SYNTH_SOUND_F32;
    bool large = w->room && (w->rf64 || riff_size(w, frames) > UINT32_MAX);
    uint32_t elsewhere = UINT32_MAX, block = w->channels * w->width;
    put_chunk(&to, large ? "RF64" : "RIFF", large ? elsewhere : (uint32_t)riff_size(w, frames));
    memcpy(to, "WAVE", 4);
    to += 4;
    if (w->room) {
        put_chunk(&to, large ? "ds64" : "JUNK", LONG_SIZES);
        put_number(&to, large ? riff_size(w, frames) : 0, 8);
        put_number(&to, large ? data_size(w, frames) : 0, 8);
        put_number(&to, large ? frames : 0, 8);
        put_number(&to, 0, 4); /* no other chunk is as large */
    }
    put_chunk(&to, "fmt ", floats ? 18 : 16);
    put_number(&to, floats ? WAV_FLOATS : WAV_INTEGERS, 2);
    put_number(&to, w->channels, 2);
    put_number(&to, w->rate, 4);
    put_number(&to, (uint64_t)w->rate * block, 4);
    put_number(&to, block, 2);
    put_number(&to, 8 * w->width, 2);
    if (floats) {
        put_number(&to, 0, 2);
        put_chunk(&to, "fact", 4);
        put_number(&to, large ? elsewhere : frames, 4);
    }
    put_chunk(&to, "data", large ? elsewhere : (uint32_t)data_size(w, frames));
    return hed_file_writer_put(w->file, bytes, (size_t)(to - bytes));
}

/* ---- samples ---- */

/* Full scale is the power of two that it is when it is read, so that integers come back as they
 * were. */
static int32_t quantize(float x, float scale)
{
    float y = x * scale;
    if (isnan(y)) return 0;
    if (y < -scale) return (int32_t)-scale;
    return y > scale - 1 ? (int32_t)(scale - 1) : (int32_t)lrintf(y);
}

static hed_status put(
    synth_sound_writer *base, const float *const *channels, uint32_t frames, hed_error *error)
{
    wav_writer *w = (wav_writer *)base;
    if (!w->room && riff_size(w, w->frames + frames) > UINT32_MAX)
        return hed_error_set(error, HED_ERROR_LIMIT,
            "%s was begun for %llu frames: its head cannot count as many as come now", w->path,
            (unsigned long long)w->announced);
    float scale = w->base.format == SYNTH_SOUND_S16 ? 0x1p15f : 0x1p23f;
    for (uint32_t first = 0; first < frames; first += PIECE) {
        uint32_t count = frames - first < PIECE ? frames - first : PIECE;
        uint8_t *to = w->piece;
        for (uint32_t n = first; n < first + count; n++)
            for (uint32_t c = 0; c < w->channels; c++) {
                uint32_t bits;
                if (w->base.format == SYNTH_SOUND_F32) memcpy(&bits, &channels[c][n], sizeof bits);
                else bits = (uint32_t)quantize(channels[c][n], scale);
                put_number(&to, bits, w->width);
            }
        if (hed_file_writer_put(w->file, w->piece, (size_t)(to - w->piece)))
            return hed_error_set(
                error, HED_ERROR_IO, "cannot write %s: %s", w->path, strerror(errno));
        w->frames += count;
    }
    return HED_OK;
}

/* ---- beginning and end ---- */

static void free_writer(wav_writer *w)
{
    free(w->path);
    free(w);
}

static hed_status commit(synth_sound_writer *base, hed_error *error)
{
    wav_writer *w = (wav_writer *)base;
    if (data_size(w, w->frames) & 1) hed_file_writer_put(w->file, "", 1);
    if (w->frames != w->announced && !hed_file_writer_seek(w->file, 0)) write_head(w, w->frames);
    hed_status status = hed_file_writer_commit(w->file, error); /* tells of whatever failed */
    free_writer(w);
    return status;
}

static void abort_writer(synth_sound_writer *base)
{
    wav_writer *w = (wav_writer *)base;
    hed_file_writer_abort(w->file);
    free_writer(w);
}

hed_status synth_wav_writer_open(const char *path, uint32_t rate, uint32_t channels,
    synth_sound_format format, uint64_t frames, bool rf64, synth_sound_writer **writer,
    hed_error *error)
{
    static const synth_sound_writer_ops ops = {put, commit, abort_writer};
    uint32_t width = (uint32_t)format + 2;
    *writer = NULL;
    if (channels == 0 || channels > UINT16_MAX / width)
        return hed_error_set(error, HED_ERROR_UNSUPPORTED,
            "%s cannot hold %u channels: WAV has 1 to %u of %u bytes", path, channels,
            UINT16_MAX / width, width);
    if (frames > (uint64_t)INT64_MAX / (channels * width))
        return hed_error_set(error, HED_ERROR_LIMIT, "%s: %llu frames are more than any file holds",
            path, (unsigned long long)frames);
    wav_writer *w = calloc(1, sizeof *w + (size_t)PIECE * channels * width);
    if (!w || !(w->path = strdup(path))) {
        free(w);
        return hed_error_set(error, HED_ERROR_MEMORY, "no memory to write %s", path);
    }
    w->base = (synth_sound_writer){&ops, format};
    w->rate = rate;
    w->channels = channels;
    w->width = width;
    w->announced = frames;
    w->rf64 = rf64;
    w->room = rf64 || frames == 0 || riff_size(w, frames) > UINT32_MAX;
    hed_status status = hed_file_writer_open(path, &w->file, error);
    if (status) {
        free_writer(w);
        return status;
    }
    write_head(w, frames); /* a failure is kept for the next put, and for commit */
    *writer = &w->base;
    return HED_OK;
}
