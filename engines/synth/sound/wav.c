/* Reading WAV files: the chunks up to the samples, then the samples. */
#include "sound_file.h"
#include "heddle/author.h"
#include "support/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>

enum { WAV_INTEGERS = 1, WAV_FLOATS = 3, WAV_EXTENSIBLE = 0xfffe };
enum { MOST_CHANNELS = 1024 };
/* the size is in RF64's "ds64" chunk, or missing from a stream that was never closed */
static const uint32_t UNKNOWN_SIZE = UINT32_MAX;

typedef struct wav_file {
    const uint8_t *bytes;
    size_t size;
    const char *path;
    uint32_t tag, channels, rate, width; /* width: bytes of a sample; 0: no format seen yet */
    bool has_long_size;
    uint64_t long_size; /* size of the samples in RF64's chunk "ds64", bytes */
    size_t data;        /* offset of the samples, bytes */
    uint32_t data_size; /* size in the chunk's header, bytes */
} wav_file;

static uint32_t u16(const uint8_t *p) { return (uint32_t)p[0] | (uint32_t)p[1] << 8; }
static uint32_t u32(const uint8_t *p) { return u16(p) | u16(p + 2) << 16; }
static uint64_t u64(const uint8_t *p) { return u32(p) | (uint64_t)u32(p + 4) << 32; }

bool synth_wav_begins(const void *bytes, size_t size)
{
    const char *text = bytes;
    return size >= 12 && (memcmp(text, "RIFF", 4) == 0 || memcmp(text, "RF64", 4) == 0) &&
           memcmp(text + 8, "WAVE", 4) == 0;
}

/* ---- chunks ---- */

static hed_status read_format(wav_file *f, const uint8_t *p, uint32_t size, hed_error *error)
{
    /* the GUID of an extensible format begins with the format's tag */
    static const uint8_t guid[14] = {0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71};
    uint32_t tag = u16(p), block = u16(p + 12), bits = u16(p + 14);
    if (tag == WAV_EXTENSIBLE && size >= 40 && memcmp(p + 26, guid, sizeof guid) == 0)
        tag = u16(p + 24);
    f->tag = tag;
    f->channels = u16(p + 2);
    f->rate = u32(p + 4);
    uint32_t width = (bits + 7) / 8;
    bool is_supported = tag == WAV_INTEGERS ? width >= 1 && width <= 4
                                            : tag == WAV_FLOATS && (bits == 32 || bits == 64);
    if (!is_supported)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "%s has samples of %u bits in WAV's encoding %u: integers (1) of 8 to 32 bits and floats "
            "(3) of 32 and 64 are read",
            f->path, bits, tag);
    if (f->channels == 0 || f->channels > MOST_CHANNELS || f->rate == 0 ||
        block != width * f->channels)
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s: its format is damaged: %u channels at %u Hz, %u bits a sample, %u bytes a frame",
            f->path, f->channels, f->rate, bits, block);
    f->width = width;
    return HED_OK;
}

/* Reads the chunks up to "data". */
static hed_status find_samples(wav_file *f, hed_error *error)
{
    size_t at = 12;
    while (f->size - at >= 8) {
        const uint8_t *p = f->bytes + at;
        uint32_t size = u32(p + 4);
        size_t rest = f->size - at - 8;
        if (memcmp(p, "data", 4) == 0) {
            if (!f->width)
                return hed_fail(error, HED_ERROR_FORMAT,
                    "%s has samples at byte %zu and no format before them", f->path, at);
            f->data = at + 8;
            f->data_size = size;
            return HED_OK;
        }
        if (size > rest)
            return hed_fail(error, HED_ERROR_FORMAT,
                "%s ends within its head: the chunk at byte %zu has %u bytes, but only %zu remain",
                f->path, at, size, rest);
        hed_status status = HED_OK;
        if (memcmp(p, "fmt ", 4) == 0) {
            if (size < 16)
                return hed_fail(error, HED_ERROR_FORMAT,
                    "%s: its format has %u bytes instead of 16 or more", f->path, size);
            status = read_format(f, p + 8, size, error);
        } else if (memcmp(p, "ds64", 4) == 0 && size >= 16) {
            f->has_long_size = true;
            f->long_size = u64(p + 16);
        }
        if (status) return status;
        size_t step = 8 + (size_t)size + (size & 1); /* chunks begin at even bytes */
        if (step > f->size - at) step = f->size - at;
        at += step;
    }
    return hed_fail(
        error, HED_ERROR_FORMAT, "%s ends after %zu bytes, before its samples", f->path, f->size);
}

/* True if a complete chunk begins at `at`. */
static bool is_chunk(const wav_file *f, size_t at)
{
    if (f->size - at < 8 || u32(f->bytes + at + 4) > f->size - at - 8) return false;
    for (size_t i = 0; i < 4; i++)
        if (f->bytes[at + i] < ' ' || f->bytes[at + i] > '~') return false;
    return true;
}

/* ---- samples ---- */

static float number_of(const wav_file *f, const uint8_t *p)
{
    if (f->tag == WAV_FLOATS) {
        float x;
        double wide;
        uint64_t bits = f->width == 8 ? u64(p) : u32(p);
        uint32_t narrow = (uint32_t)bits;
        memcpy(&x, &narrow, sizeof x);
        memcpy(&wide, &bits, sizeof wide);
        if (f->width == 8) x = (float)wide;
        return isfinite(x) ? x : 0.0f;
    }
    uint32_t bits = 0;
    for (uint32_t i = 0; i < f->width; i++) bits |= (uint32_t)p[i] << 8 * (4 - f->width + i);
    if (f->width == 1) bits ^= 0x80000000u; /* 8-bit samples are unsigned */
    return (float)(int32_t)bits * 0x1p-31f;
}

hed_status synth_wav_parse(
    const void *bytes, size_t size, const char *path, synth_sound *sound, hed_error *error)
{
    wav_file f = {.bytes = bytes, .size = size, .path = path};
    *sound = (synth_sound){0};
    if (!synth_wav_begins(bytes, size))
        return hed_fail(error, HED_ERROR_FORMAT, "%s is no WAV file", path);
    hed_status status = find_samples(&f, error);
    if (status) return status;
    size_t step = (size_t)f.width * f.channels;

    /* size of the samples by the header, bytes; if the writer stopped early, they extend to the
     * end of the file */
    uint64_t announced = f.data_size;
    if (f.data_size == UNKNOWN_SIZE) announced = f.has_long_size ? f.long_size : f.size - f.data;
    else if (f.data_size == 0 && !is_chunk(&f, f.data)) announced = f.size - f.data;
    announced /= step;

    uint64_t frames = (size - f.data) / step;
    if (announced < frames) frames = announced;
    if (frames > SYNTH_SOUND_MOST_SAMPLES / f.channels)
        return hed_fail(error, HED_ERROR_LIMIT,
            "%s has %llu frames of %u channels: at most 2^30 samples are read", path,
            (unsigned long long)frames, f.channels);
    float *samples = malloc(sizeof *samples * (frames * f.channels + 1));
    if (!samples)
        return HED_OUT_OF_MEMORY(
            error, "%llu samples of %s", (unsigned long long)(frames * f.channels), path);
    for (uint64_t n = 0; n < frames; n++)
        for (uint32_t c = 0; c < f.channels; c++)
            samples[c * frames + n] =
                number_of(&f, f.bytes + f.data + n * step + (size_t)c * f.width);
    *sound = (synth_sound){.rate = f.rate, .channels = f.channels, .frames = frames,
        .missing = announced - frames, .samples = samples};
    return HED_OK;
}

/* Writing WAV files as a stream: the header is written first for the announced number of frames,
 * and rewritten at the end if the number differs. */

enum {
    PIECE = 4096, /* frames converted at once */
    HEAD_BYTES = 96,
    LONG_SIZES = 28, /* bytes of the chunk "ds64" */
};

typedef struct wav_writer {
    synth_sound_writer base;
    hed_file_writer *file;
    char *path;
    uint32_t rate, channels, width; /* width: bytes of a sample */
    bool rf64;                      /* RF64 header for any length */
    bool room;                      /* the header has space for RF64's sizes */
    uint64_t announced, frames;
    uint8_t piece[]; /* (PIECE x channels x width) */
} wav_writer;

/* ---- the head ---- */

static void wav_put_number(uint8_t **to, uint64_t value, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++) *(*to)++ = (uint8_t)(value >> 8 * i);
}

static void put_chunk(uint8_t **to, const char *name, uint32_t size)
{
    memcpy(*to, name, 4);
    *to += 4;
    wav_put_number(to, size, 4);
}

static uint64_t data_size(const wav_writer *w, uint64_t frames)
{
    return frames * w->channels * w->width;
}

/* Returns the first size field: number of bytes after it. */
static uint64_t riff_size(const wav_writer *w, uint64_t frames)
{
    uint64_t data = data_size(w, frames);
    uint32_t head = 12 + (w->room ? 8 + LONG_SIZES : 0) +
                    (w->base.format == SYNTH_SOUND_F32 ? 8 + 18 + 8 + 4 : 8 + 16) + 8;
    return head - 8 + data + (data & 1);
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
        wav_put_number(&to, large ? riff_size(w, frames) : 0, 8);
        wav_put_number(&to, large ? data_size(w, frames) : 0, 8);
        wav_put_number(&to, large ? frames : 0, 8);
        wav_put_number(&to, 0, 4); /* no other chunk is as large */
    }
    put_chunk(&to, "fmt ", floats ? 18 : 16);
    wav_put_number(&to, floats ? WAV_FLOATS : WAV_INTEGERS, 2);
    wav_put_number(&to, w->channels, 2);
    wav_put_number(&to, w->rate, 4);
    wav_put_number(&to, (uint64_t)w->rate * block, 4);
    wav_put_number(&to, block, 2);
    wav_put_number(&to, 8 * w->width, 2);
    if (floats) {
        wav_put_number(&to, 0, 2);
        put_chunk(&to, "fact", 4);
        wav_put_number(&to, large ? elsewhere : frames, 4);
    }
    put_chunk(&to, "data", large ? elsewhere : (uint32_t)data_size(w, frames));
    return hed_file_writer_put(w->file, bytes, (size_t)(to - bytes));
}

/* ---- samples ---- */

/* Converts a sample to an integer; full scale is the reader's power of two, so integers are
 * restored exactly. */
static int32_t quantize(float x, float scale)
{
    float y = x * scale;
    if (isnan(y)) return 0;
    if (y < -scale) return (int32_t)-scale;
    return y > scale - 1 ? (int32_t)(scale - 1) : (int32_t)lrintf(y);
}

static hed_status wav_put(
    synth_sound_writer *base, const float *const *channels, uint32_t frames, hed_error *error)
{
    wav_writer *w = (wav_writer *)base;
    if (!w->room && riff_size(w, w->frames + frames) > UINT32_MAX)
        return hed_fail(error, HED_ERROR_LIMIT,
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
                wav_put_number(&to, bits, w->width);
            }
        if (hed_file_writer_put(w->file, w->piece, (size_t)(to - w->piece)))
            return hed_fail(error, HED_ERROR_IO, "cannot write %s: %s", w->path, strerror(errno));
        w->frames += count;
    }
    return HED_OK;
}

/* ---- beginning and end ---- */

static void wav_free_writer(wav_writer *w)
{
    free(w->path);
    free(w);
}

static hed_status wav_commit(synth_sound_writer *base, hed_error *error)
{
    wav_writer *w = (wav_writer *)base;
    if (data_size(w, w->frames) & 1) hed_file_writer_put(w->file, "", 1);
    if (w->frames != w->announced && !hed_file_writer_seek(w->file, 0)) write_head(w, w->frames);
    hed_status status = hed_file_writer_commit(w->file, error); /* reports any earlier failure */
    wav_free_writer(w);
    return status;
}

static void wav_abort_writer(synth_sound_writer *base)
{
    wav_writer *w = (wav_writer *)base;
    hed_file_writer_abort(w->file);
    wav_free_writer(w);
}

hed_status synth_wav_writer_open(const char *path, uint32_t rate, uint32_t channels,
    synth_sound_format format, uint64_t frames, bool rf64, synth_sound_writer **writer,
    hed_error *error)
{
    static const synth_sound_writer_ops ops = {wav_put, wav_commit, wav_abort_writer};
    uint32_t width = (uint32_t)format + 2;
    *writer = NULL;
    if (channels == 0 || channels > UINT16_MAX / width)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "%s cannot hold %u channels: WAV has 1 to %u of %u bytes", path, channels,
            UINT16_MAX / width, width);
    if (frames > (uint64_t)INT64_MAX / (channels * width))
        return hed_fail(error, HED_ERROR_LIMIT, "%s: %llu frames are more than any file holds",
            path, (unsigned long long)frames);
    wav_writer *w = calloc(1, sizeof *w + (size_t)PIECE * channels * width);
    if (!w || !(w->path = strdup(path))) {
        free(w);
        return HED_OUT_OF_MEMORY(error, "%s", path);
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
        wav_free_writer(w);
        return status;
    }
    write_head(w, frames); /* the writer keeps an error for the next put, and for commit */
    *writer = &w->base;
    return HED_OK;
}

void synth_sound_free(synth_sound *sound)
{
    free(sound->samples);
    *sound = (synth_sound){0};
}
