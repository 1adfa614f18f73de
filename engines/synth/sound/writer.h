/* The two writers behind synth_sound_writer: WAV by ourselves, anything else by libsndfile. */
#ifndef SYNTH_SOUND_WRITER_H
#define SYNTH_SOUND_WRITER_H

#include "sound_file.h"

typedef struct synth_sound_writer_ops {
    hed_status (*put)(synth_sound_writer *writer, const float *const *channels, uint32_t frames,
        hed_error *error);
    hed_status (*commit)(synth_sound_writer *writer, hed_error *error);
    void (*abort)(synth_sound_writer *writer);
} synth_sound_writer_ops;

/* What each writer's own structure begins with. */
struct synth_sound_writer {
    const synth_sound_writer_ops *ops;
    synth_sound_format format;
};

#endif
