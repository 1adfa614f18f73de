/* Filling a caller's hed_error from support/ and from what is built on it. */
#ifndef HED_SUPPORT_ERRORS_H
#define HED_SUPPORT_ERRORS_H

#include "heddle/base.h"

/* Writes status and formatted text into `error` (nullable), empties its log, and returns `status`:
 *     return hed_error_set(error, HED_ERROR_FORMAT, "%s ends after %zu bytes", name, size); */
hed_status hed_error_set(hed_error *error, hed_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
