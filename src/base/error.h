/* Filling a caller's hed_error. */
#ifndef HED_BASE_ERROR_H
#define HED_BASE_ERROR_H

#include "heddle/base.h"

/* Writes status and formatted text into `error` (nullable), empties its log, and returns `status`:
 *     return hed_fail(error, HED_ERROR_LIMIT, "group of %u work items: %s allows %u", ...); */
hed_status hed_fail(hed_error *error, hed_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a build log (cut to fit, cut at a line's end, with a last line that says how much is
 * missing). */
void hed_fail_log(hed_error *error, const char *log);

#endif
