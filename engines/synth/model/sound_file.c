/* Sound files: libsndfile over the writer whose files appear whole. */
#include "model/sound_file.h"

#include "model/model.h"

hed_status synth_sound_read(const char *path, synth_sound *sound, hed_error *error)
{
    *sound = (synth_sound){0};
    return synth_fail(error, HED_ERROR_UNSUPPORTED, "%s: sound files: not there yet", path);
}

void synth_sound_free(synth_sound *sound)
{
    *sound = (synth_sound){0};
}

hed_status synth_sound_writer_open(const char *path, uint32_t rate, uint32_t channels, synth_sound_format format, synth_sound_writer **writer,
                                   hed_error *error)
{
    (void)rate;
    (void)channels;
    (void)format;
    *writer = NULL;
    return synth_fail(error, HED_ERROR_UNSUPPORTED, "%s: sound files: not there yet", path);
}

hed_status synth_sound_writer_put(synth_sound_writer *writer, const float *const *channels, uint32_t frames, hed_error *error)
{
    (void)writer;
    (void)channels;
    (void)frames;
    return synth_fail(error, HED_ERROR_UNSUPPORTED, "sound files: not there yet");
}

hed_status synth_sound_writer_commit(synth_sound_writer *writer, hed_error *error)
{
    (void)writer;
    return synth_fail(error, HED_ERROR_UNSUPPORTED, "sound files: not there yet");
}

void synth_sound_writer_abort(synth_sound_writer *writer)
{
    (void)writer;
}
