/* A tuning as one HTML page. */
#include "support/tune_report.h"

#include "support/errors.h"

hed_status hed_tune_report_write(const char *path, const hed_tune_report_def *def, hed_error *error)
{
    (void)def;
    return hed_error_set(error, HED_ERROR_UNSUPPORTED, "%s: reports are not there yet", path);
}
