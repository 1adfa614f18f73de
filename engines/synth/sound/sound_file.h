/* Sound files: WAV by our own reader and writer (wav.h), FLAC, AIFF, W64 and more by libsndfile
 * where it is installed. What is read is known by its content, what is written by the name's
 * ending. Writing is streamed, and nobody ever sees half a file. */
#ifndef SYNTH_SOUND_FILE_H
#define SYNTH_SOUND_FILE_H

#include "heddle/base.h"
#include "heddle/math.h"

static const uint64_t SYNTH_SOUND_MOST_SAMPLES = 1u << 30; /* that are read */

/* A sound in memory. */
typedef struct synth_sound {
    uint32_t rate, channels;
    uint64_t frames;
    uint64_t missing; /* frames that its head tells of beyond those: the file was cut short */
    float *samples;   /* (channels x frames), one channel behind another */
} synth_sound;

/* Reads a whole file. Errors: IO, FORMAT, UNSUPPORTED (another encoding, or no WAV and no
 * libsndfile: the text names its package), LIMIT, MEMORY. */
hed_status synth_sound_read(const char *path, synth_sound *sound, hed_error *error);
void synth_sound_free(synth_sound *sound); /* and sets it to nothing */

typedef enum synth_sound_format {
    SYNTH_SOUND_S16,
    SYNTH_SOUND_S24,
    SYNTH_SOUND_F32
} synth_sound_format;
typedef struct synth_sound_writer synth_sound_writer;

/* Begins a file for some `frames`, 0 where nobody knows. More than its format can say are refused
 * before the work; WAV becomes RF64 where it is longer than 4 GiB. Errors: IO, UNSUPPORTED (an
 * ending that is not known, a format that it cannot hold, or libsndfile is not there: the text
 * names its package), LIMIT, MEMORY. */
hed_status synth_sound_writer_open(const char *path, uint32_t rate, uint32_t channels,
    synth_sound_format format, uint64_t frames, synth_sound_writer **writer, hed_error *error);
/* Adds frames: (channels) pointers to (frames) samples each. What is beyond full scale is clipped,
 * but in F32. Errors: IO, LIMIT. */
hed_status synth_sound_writer_put(
    synth_sound_writer *writer, const float *const *channels, uint32_t frames, hed_error *error);
/* Puts the file in place and frees the writer, whether it worked or not. Errors: IO. */
hed_status synth_sound_writer_commit(synth_sound_writer *writer, hed_error *error);
/* leaves nothing behind. NULL is allowed */
void synth_sound_writer_abort(synth_sound_writer *writer);

/* FNV-1a over the samples' bits, left before right: what renders are compared by. Begin with
 * SYNTH_SOUND_HASH. */
#define SYNTH_SOUND_HASH 0xcbf29ce484222325u
static inline uint64_t synth_sound_hash(
    uint64_t hash, const float *left, const float *right, uint32_t frames)
{
    for (uint32_t n = 0; n < frames; n++) {
        uint64_t bits = hed_canonical_bits(left[n]) | (uint64_t)hed_canonical_bits(right[n]) << 32;
        for (uint32_t byte = 0; byte < 8; byte++)
            hash = (hash ^ (bits >> 8 * byte & 0xff)) * 0x100000001b3u;
    }
    return hash;
}

#endif
