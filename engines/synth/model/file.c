/* Instrument files. */
#include "heddle/synth_file.h"

#include "model/model.h"

#include "heddle/kernel.h"

#include <string.h>

extern const hed_source hed_synth_instrument_files[]; /* generated from instrument.schema.json */

const char *hed_instrument_schema(size_t *size)
{
    if (size) *size = strlen(hed_synth_instrument_files[0].text);
    return hed_synth_instrument_files[0].text;
}
hed_status hed_instrument_load(const char *path, hed_instrument **instrument, hed_error *error)
{
    (void)path;
    *instrument = NULL;
    return synth_fail(error, HED_ERROR_UNSUPPORTED, "not there yet");
}
hed_status hed_instrument_parse(const char *text, size_t size, const char *name, hed_instrument **instrument, hed_error *error)
{
    (void)text, (void)size, (void)name;
    *instrument = NULL;
    return synth_fail(error, HED_ERROR_UNSUPPORTED, "not there yet");
}
hed_status hed_instrument_save(const hed_instrument *instrument, const char *path, hed_error *error)
{
    (void)instrument, (void)path;
    return synth_fail(error, HED_ERROR_UNSUPPORTED, "not there yet");
}
