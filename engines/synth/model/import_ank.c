/* Presets of Anukari's published schema: protobuf, read by our own small reader. */
#include "heddle/synth_file.h"

#include "model/model.h"

hed_status hed_instrument_parse_ank(const void *bytes, size_t size, const char *name, hed_instrument **instrument,
                                    hed_import_report *report, hed_error *error)
{
    (void)bytes, (void)size, (void)report;
    *instrument = NULL;
    return synth_fail(error, HED_ERROR_UNSUPPORTED, "%s: not there yet", name);
}

hed_status hed_instrument_import_ank(const char *path, hed_instrument **instrument, hed_import_report *report, hed_error *error)
{
    return hed_instrument_parse_ank(NULL, 0, path, instrument, report, error);
}
