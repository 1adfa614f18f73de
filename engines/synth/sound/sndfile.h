/* Sound files other than WAV, by libsndfile, which is loaded where it is installed. */
#ifndef SYNTH_SNDFILE_H
#define SYNTH_SNDFILE_H

#include "sound_file.h"

/* As synth_wav_parse(), of any format that libsndfile knows. */
hed_status synth_sndfile_parse(
    const void *bytes, size_t size, const char *path, synth_sound *sound, hed_error *error);

/* As synth_sound_writer_open(); `container` is one of SF_FORMAT_* below. */
hed_status synth_sndfile_writer_open(const char *path, int container, uint32_t rate,
    uint32_t channels, synth_sound_format format, uint64_t frames, synth_sound_writer **writer,
    hed_error *error);

/* ---- what we use of libsndfile 1.0 and later, declared from its documentation ---- */

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
