/* Sound files: WAV by Heddle's own reader and writer (wav.c), FLAC, AIFF, W64 and more by
 * libsndfile where it is installed (sndfile.c). The format of a file to read is recognised by
 * its content, of a file to write by the ending of its name. Writing is streamed; a file appears
 * only when it is complete. */
#ifndef SYNTH_SOUND_FILE_H
#define SYNTH_SOUND_FILE_H

#include "heddle/base.h"
#include "heddle/math.h"
#include "sound_file.h"

static const uint64_t SYNTH_SOUND_MOST_SAMPLES = 1u << 30; /* limit for reading */

/* A sound in memory. */
typedef struct synth_sound {
    uint32_t rate, channels;
    uint64_t frames;
    uint64_t missing; /* frames that the header announces beyond `frames`: the file was cut short */
    float *samples;   /* (channels x frames), channel after channel */
} synth_sound;

/* Reads a whole file. Errors: IO, FORMAT, UNSUPPORTED (another encoding, or no WAV and
 * libsndfile is missing: the text names its package), LIMIT, MEMORY. */
hed_status synth_sound_read(const char *path, synth_sound *sound, hed_error *error);
void synth_sound_free(synth_sound *sound); /* Frees the samples and clears the struct. */

typedef enum synth_sound_format {
    SYNTH_SOUND_S16,
    SYNTH_SOUND_S24,
    SYNTH_SOUND_F32
} synth_sound_format;
typedef struct synth_sound_writer synth_sound_writer;

/* Begins a file of `frames` frames, 0: unknown. A number beyond the format's limit is rejected
 * at once; WAV becomes RF64 if it is longer than 4 GiB. Errors: IO, ARGUMENT (an unknown
 * ending), UNSUPPORTED (a sample format that the container lacks, or libsndfile is missing: the
 * text names its package), LIMIT, MEMORY. */
hed_status synth_sound_writer_open(const char *path, uint32_t rate, uint32_t channels,
    synth_sound_format format, uint64_t frames, synth_sound_writer **writer, hed_error *error);
/* Appends frames: (channels) pointers to (frames) samples each. Integer formats clip at full
 * scale. Errors: IO, LIMIT. */
hed_status synth_sound_writer_put(
    synth_sound_writer *writer, const float *const *channels, uint32_t frames, hed_error *error);
/* Moves the complete file to its path and frees the writer, after a failure too. Errors: IO. */
hed_status synth_sound_writer_commit(synth_sound_writer *writer, hed_error *error);
/* Frees the writer and removes the unfinished file. `writer` may be NULL. */
void synth_sound_writer_abort(synth_sound_writer *writer);

/* Updates an FNV-1a hash over the samples' bits, left before right, for comparing renders. The
 * first `hash` is SYNTH_SOUND_HASH. */
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

/* Operations of the two implementations of synth_sound_writer: WAV by Heddle, other formats by
 * libsndfile. */

typedef struct synth_sound_writer_ops {
    hed_status (*put)(synth_sound_writer *writer, const float *const *channels, uint32_t frames,
        hed_error *error);
    hed_status (*commit)(synth_sound_writer *writer, hed_error *error);
    void (*abort)(synth_sound_writer *writer);
} synth_sound_writer_ops;

/* Common first part of both writers. */
struct synth_sound_writer {
    const synth_sound_writer_ops *ops;
    synth_sound_format format;
};

/* WAV files by Heddle's own reader and writer: "Multimedia Programming Interface and Data
 * Specifications 1.0" (IBM, Microsoft 1991), WAVE_FORMAT_EXTENSIBLE ("Multiple Channel Audio
 * Data and WAVE Files", Microsoft 2001), and RF64 for files longer than 4 GiB (EBU Tech 3306,
 * 2009). */

/* True if the bytes begin like a WAV file. */
bool synth_wav_begins(const void *bytes, size_t size);
/* Decodes a WAV file: integers of 8 to 32 bits, floats of 32 and 64. NaN becomes 0. A file that
 * was cut short yields the frames before the cut and the number of missing ones. `path` is for
 * messages. Errors: FORMAT, UNSUPPORTED (another encoding), LIMIT (over 2^30 samples), MEMORY. */
hed_status synth_wav_parse(
    const void *bytes, size_t size, const char *path, synth_sound *sound, hed_error *error);

/* Begins a WAV file, as synth_sound_writer_open(). `rf64`: write an RF64 header for any length. */
hed_status synth_wav_writer_open(const char *path, uint32_t rate, uint32_t channels,
    synth_sound_format format, uint64_t frames, bool rf64, synth_sound_writer **writer,
    hed_error *error);

/* Sound files other than WAV, by libsndfile, which is loaded if it is installed. */

/* Decodes a file in any format that libsndfile supports, as synth_wav_parse(). */
hed_status synth_sndfile_parse(
    const void *bytes, size_t size, const char *path, synth_sound *sound, hed_error *error);

/* Begins a file, as synth_sound_writer_open(); `container` is one of SF_FORMAT_... below. */
hed_status synth_sndfile_writer_open(const char *path, int container, uint32_t rate,
    uint32_t channels, synth_sound_format format, uint64_t frames, synth_sound_writer **writer,
    hed_error *error);

/* ---- the part of libsndfile 1.0 and later that Heddle calls, declared from its documentation
 * ---- */

typedef int64_t sf_count_t;
typedef struct sf_private_tag SNDFILE;

enum { SFM_READ = 0x10, SFM_WRITE = 0x20 };
enum {
    SF_FORMAT_AIFF = 0x020000,
    SF_FORMAT_AU = 0x030000,
    SF_FORMAT_W64 = 0x0b0000,
    SF_FORMAT_FLAC = 0x170000,
    SF_FORMAT_CAF = 0x180000,
    SF_FORMAT_PCM_16 = 2,
    SF_FORMAT_PCM_24 = 3,
    SF_FORMAT_FLOAT = 6,
    SF_FORMAT_SUBMASK = 0xffff
};
enum { SFC_SET_ADD_PEAK_CHUNK = 0x1050, SFC_SET_CLIPPING = 0x10c0 };

typedef struct SF_INFO {
    sf_count_t frames;
    int samplerate, channels, format, sections, seekable;
} SF_INFO;

typedef struct SF_VIRTUAL_IO {
    sf_count_t (*get_filelen)(void *user);
    sf_count_t (*seek)(sf_count_t offset, int whence, void *user);
    sf_count_t (*read)(void *to, sf_count_t count, void *user);
    sf_count_t (*write)(const void *from, sf_count_t count, void *user);
    sf_count_t (*tell)(void *user);
} SF_VIRTUAL_IO;

typedef struct synth_sndfile_api {
    SNDFILE *(*sf_open_virtual)(SF_VIRTUAL_IO *io, int mode, SF_INFO *info, void *user);
    int (*sf_close)(SNDFILE *file);
    const char *(*sf_strerror)(SNDFILE *file);
    int (*sf_command)(SNDFILE *file, int command, void *data, int size);
    sf_count_t (*sf_readf_float)(SNDFILE *file, float *to, sf_count_t frames);
    sf_count_t (*sf_writef_float)(SNDFILE *file, const float *from, sf_count_t frames);
} synth_sndfile_api;

#endif
