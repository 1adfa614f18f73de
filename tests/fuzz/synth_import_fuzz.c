/* libFuzzer harness for presets of Anukari's schema: whatever the bytes, an error that says
 * something, or an instrument that can be copied, with a report of whole lines. Build with
 * -DHEDDLE_FUZZ=ON. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/synth_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hed_synth_instrument *instrument, *copy;
    hed_synth_import_info report;
    hed_error error = {0};
    hed_status status =
        hed_synth_instrument_parse_ank(data, size, "fuzz.ank", &instrument, &report, &error);
    if (status != HED_OK) {
        if ((status != HED_ERROR_FORMAT && status != HED_ERROR_LIMIT) || !error.text[0] ||
            instrument)
            abort();
        return 0;
    }
    size_t length = strlen(report.text);
    if (length >= sizeof report.text || (length && report.text[length - 1] != '\n')) abort();
    if (hed_synth_instrument_copy(instrument, &copy, &error) != HED_OK) abort();
    hed_synth_instrument_destroy(copy);
    hed_synth_instrument_destroy(instrument);
    return 0;
}
