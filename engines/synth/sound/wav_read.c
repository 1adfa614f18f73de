/* Reading WAV files: chunks up to the samples, then the samples. */
#include "wav.h"

#include "support/errors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WAV_INTEGERS = 1, WAV_FLOATS = 3, WAV_EXTENSIBLE = 0xfffe };
enum { MOST_CHANNELS = 1024 };
/* RF64 has it elsewhere; a stream that was never closed, nowhere */
static const uint32_t UNKNOWN_SIZE = UINT32_MAX;

typedef struct wav_file {
    const uint8_t *bytes;
    size_t size;
    const char *path;
    uint32_t tag, channels, rate, width; /* width: bytes of a sample; 0: no format seen yet */
    bool has_long_size;
    uint64_t long_size; /* of the samples, by RF64's chunk "ds64" */
    size_t data;        /* where the samples begin */
    uint32_t data_size; /* bytes, as their chunk says it */
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
    /* An extensible format's GUID begins with the tag that it stands for. */
    static const uint8_t guid[14] = {0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71};
    uint32_t tag = u16(p), block = u16(p + 12), bits = u16(p + 14);
    if (tag == WAV_EXTENSIBLE && size >= 40 && memcmp(p + 26, guid, sizeof guid) == 0)
        tag = u16(p + 24);
    f->tag = tag;
    f->channels = u16(p + 2);
    f->rate = u32(p + 4);
    uint32_t width = (bits + 7) / 8;
    bool known = tag == WAV_INTEGERS ? width >= 1 && width <= 4
                                     : tag == WAV_FLOATS && (bits == 32 || bits == 64);
    if (!known)
        return hed_error_set(error, HED_ERROR_UNSUPPORTED,
            "%s has samples of %u bits in WAV's encoding %u: integers (1) of 8 to 32 bits and floats "
            "(3) of 32 and 64 are read",
            f->path, bits, tag);
    if (f->channels == 0 || f->channels > MOST_CHANNELS || f->rate == 0 ||
        block != width * f->channels)
        return hed_error_set(error, HED_ERROR_FORMAT,
            "%s: its format is damaged: %u channels at %u Hz, %u bits a sample, %u bytes a frame",
            f->path, f->channels, f->rate, bits, block);
    f->width = width;
    return HED_OK;
}

/* Goes through the chunks up to "data". */
static hed_status find_samples(wav_file *f, hed_error *error)
{
    size_t at = 12;
    while (f->size - at >= 8) {
        const uint8_t *p = f->bytes + at;
        uint32_t size = u32(p + 4);
        size_t rest = f->size - at - 8;
        if (memcmp(p, "data", 4) == 0) {
            if (!f->width)
                return hed_error_set(error, HED_ERROR_FORMAT,
                    "%s has samples at byte %zu and no format before them", f->path, at);
            f->data = at + 8;
            f->data_size = size;
            return HED_OK;
        }
        if (size > rest)
            return hed_error_set(error, HED_ERROR_FORMAT,
                "%s ends within its head: the chunk at byte %zu has %u bytes, and %zu are there",
                f->path, at, size, rest);
        hed_status status = HED_OK;
        if (memcmp(p, "fmt ", 4) == 0) {
            if (size < 16)
                return hed_error_set(error, HED_ERROR_FORMAT,
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
    return hed_error_set(
        error, HED_ERROR_FORMAT, "%s ends after %zu bytes, before its samples", f->path, f->size);
}

/* Whether a chunk begins at `at` that the file holds whole. */
static bool is_chunk(const wav_file *f, size_t at)
{
    if (f->size - at < 8 || u32(f->bytes + at + 4) > f->size - at - 8) return false;
    for (size_t i = 0; i < 4; i++)
        if (f->bytes[at + i] < ' ' || f->bytes[at + i] > '~') return false;
    return true;
}

/* Bytes of samples that the head tells of. Where nobody came to write it, they reach to the end. */
static uint64_t size_of_samples(const wav_file *f)
{
    if (f->data_size == UNKNOWN_SIZE) return f->has_long_size ? f->long_size : f->size - f->data;
    return f->data_size == 0 && !is_chunk(f, f->data) ? f->size - f->data : f->data_size;
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
    if (f->width == 1) bits ^= 0x80000000u; /* bytes count from 0 to 255 */
    return (float)(int32_t)bits * 0x1p-31f;
}

hed_status synth_wav_parse(
    const void *bytes, size_t size, const char *path, synth_sound *sound, hed_error *error)
{
    wav_file f = {.bytes = bytes, .size = size, .path = path};
    *sound = (synth_sound){0};
    if (!synth_wav_begins(bytes, size))
        return hed_error_set(error, HED_ERROR_FORMAT, "%s is no WAV file", path);
    hed_status status = find_samples(&f, error);
    if (status) return status;
    size_t step = (size_t)f.width * f.channels;
    uint64_t told = size_of_samples(&f) / step, frames = (size - f.data) / step;
    if (told < frames) frames = told;
    if (frames > SYNTH_SOUND_MOST_SAMPLES / f.channels)
        return hed_error_set(error, HED_ERROR_LIMIT,
            "%s has %llu frames of %u channels: at most 2^30 samples are read", path,
            (unsigned long long)frames, f.channels);
    float *samples = malloc(sizeof *samples * (frames * f.channels + 1));
    if (!samples)
        return hed_error_set(error, HED_ERROR_MEMORY, "no memory for %llu samples of %s",
            (unsigned long long)(frames * f.channels), path);
    for (uint64_t n = 0; n < frames; n++)
        for (uint32_t c = 0; c < f.channels; c++)
            samples[c * frames + n] =
                number_of(&f, f.bytes + f.data + n * step + (size_t)c * f.width);
    *sound = (synth_sound){.rate = f.rate, .channels = f.channels, .frames = frames,
        .missing = told - frames, .samples = samples};
    return HED_OK;
}
