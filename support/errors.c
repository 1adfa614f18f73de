/* Filling a caller's hed_error. */
#include "support/errors.h"

#include <stdarg.h>
#include <stdio.h>

hed_status hed_error_set(hed_error *error, hed_status status, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
        error->log[0] = 0;
        error->status = status;
    }
    return status;
}
