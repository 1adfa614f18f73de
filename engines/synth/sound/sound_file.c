/* Sound files: choice of the reader or writer for a file. */
#include "sound_file.h"

#include "heddle/author.h"
#include "support/file.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

hed_status synth_sound_read(const char *path, synth_sound *sound, hed_error *error)
{
    /* bytes: the widest samples, and a head */
    static const size_t max_bytes = ((size_t)1 << 30) * 8 + (1 << 20);
    char *bytes;
    size_t size;
    *sound = (synth_sound){0};
    hed_status status = hed_file_read(path, max_bytes, &bytes, &size, error);
    if (status) return status;
    bool wav = synth_wav_begins(bytes, size);
    if (wav) status = synth_wav_parse(bytes, size, path, sound, error);
    /* WAV encodings that Heddle does not read may be readable by libsndfile; if it is missing,
     * Heddle's own message is the better one */
    hed_error second_error = {0};
    if (!wav) status = synth_sndfile_parse(bytes, size, path, sound, error);
    else if (status == HED_ERROR_UNSUPPORTED &&
             !synth_sndfile_parse(bytes, size, path, sound, &second_error)) {
        hed_error_clear(error);
        status = HED_OK;
    }
    free(bytes);
    return status;
}

hed_status synth_sound_writer_open(const char *path, uint32_t rate, uint32_t channels,
    synth_sound_format format, uint64_t frames, synth_sound_writer **writer, hed_error *error)
{
    enum { WAV, RF64 };
    static const struct {
        const char *ending;
        int container;
    } endings[] = {
        {"wav", WAV},
        {"rf64", RF64},
        {"flac", SF_FORMAT_FLAC},
        {"aiff", SF_FORMAT_AIFF},
        {"aif", SF_FORMAT_AIFF},
        {"w64", SF_FORMAT_W64},
        {"caf", SF_FORMAT_CAF},
        {"au", SF_FORMAT_AU},
    };
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    const char *ending = strncmp(path, "/dev/", 5) == 0 ? "wav" : dot ? dot + 1 : "";
    size_t i = 0, count = sizeof endings / sizeof *endings;
    while (i < count && strcasecmp(ending, endings[i].ending) != 0) i++;
    *writer = NULL;
    if (i == count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: expected a name that ends with .wav .rf64 .flac .aiff .w64 .caf .au", path);
    int container = endings[i].container;
    if (container == WAV || container == RF64)
        return synth_wav_writer_open(
            path, rate, channels, format, frames, container == RF64, writer, error);
    return synth_sndfile_writer_open(
        path, container, rate, channels, format, frames, writer, error);
}

hed_status synth_sound_writer_put(
    synth_sound_writer *writer, const float *const *channels, uint32_t frames, hed_error *error)
{
    return writer->ops->put(writer, channels, frames, error);
}

hed_status synth_sound_writer_commit(synth_sound_writer *writer, hed_error *error)
{
    return writer->ops->commit(writer, error);
}

void synth_sound_writer_abort(synth_sound_writer *writer)
{
    if (writer) writer->ops->abort(writer);
}
