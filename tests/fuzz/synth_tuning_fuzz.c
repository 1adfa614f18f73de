/* libFuzzer harness for tunings: up to the first zero byte a scale (or a .tun, if the size is odd), the
 * rest a keyboard mapping. Whatever the bytes, an error with a text, or 128 pitches in the range of a
 * synth, or NaN. Build with -DHEDDLE_FUZZ=ON. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/synth_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    size_t length = zero ? (size_t)(zero - data) : size;
    const char *map = zero ? text + length + 1 : NULL;
    float pitches[128];
    hed_error error = {0};
    hed_status status = hed_synth_tuning_parse(text, length, length % 2 ? "fuzz.tun" : "fuzz.scl",
        map, map ? size - length - 1 : 0, pitches, &error);
    if (status != HED_OK) {
        if (status != HED_ERROR_FORMAT || !error.text[0]) abort();
        return 0;
    }
    for (uint32_t key = 0; key < 128; key++)
        if (!isnan(pitches[key]) && !(pitches[key] >= -128 && pitches[key] <= 256)) abort();
    return 0;
}
