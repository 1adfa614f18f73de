/* Filling a caller's hed_error. */
#include "base/error.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LAST_LINE = 80 }; /* bytes kept free for the line that says how much of a log is missing */

hed_status hed_fail(hed_error *error, hed_status status, const char *format, ...)
{
    assert(status != HED_OK);
    if (error == NULL) return status;
    /* Formatted aside: an argument may be the former text of the same error. */
    char text[HED_ERROR_TEXT];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0) text[0] = '\0';
    else if ((size_t)length >= sizeof text) memcpy(text + sizeof text - 4, "...", 4);
    error->status = status;
    memcpy(error->text, text, sizeof text);
    error->log[0] = '\0';
    return status;
}

void hed_fail_log(hed_error *error, const char *log)
{
    if (error == NULL) return;
    size_t length = log != NULL ? strlen(log) : 0;
    if (length < sizeof error->log) {
        memcpy(error->log, log != NULL ? log : "", length + 1);
        return;
    }
    size_t room = sizeof error->log - LAST_LINE;
    size_t cut = room;
    while (cut > 0 && log[cut - 1] != '\n') cut--;
    bool one_line = cut == 0; /* no line ends within the room: cut inside the line */
    cut = one_line ? room : cut;
    memcpy(error->log, log, cut);
    snprintf(error->log + cut, sizeof error->log - cut,
        "%s(%zu more bytes of this log are not shown)\n", one_line ? "\n" : "", length - cut);
}
