/* libFuzzer harness for WAV files: whatever the bytes, an error that says something, or samples
 * that are all there and all numbers. Build with -DHEDDLE_FUZZ=ON. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "engines/synth/sound/sound_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    synth_sound sound;
    hed_error error = {0};
    hed_status status = synth_wav_parse(data, size, "fuzz.wav", &sound, &error);
    if (status) {
        if ((status != HED_ERROR_FORMAT && status != HED_ERROR_UNSUPPORTED) || !error.text[0] ||
            sound.samples)
            abort();
        return 0;
    }
    if (!sound.rate || !sound.channels || sound.frames * sound.channels > size) abort();
    for (uint64_t i = 0; i < sound.frames * sound.channels; i++)
        if (!isfinite(sound.samples[i])) abort();
    synth_sound_free(&sound);
    return 0;
}
