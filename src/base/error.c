/* Filling a caller's hed_error, and messages to the caller's log. */
#include "base/error.h"
#include "base/log.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LAST_LINE = 80 }; /* bytes reserved for the line that reports how much of a log is missing */

hed_status hed_fail(hed_error *error, hed_status status, const char *format, ...)
{
    assert(status != HED_OK);
    if (!error) return status;
    /* formatted in a separate buffer: an argument may be the former text of the same error */
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

hed_status hed_require(
    hed_error *error, const char *function, const char *names, const bool *is_set, size_t count)
{
    if (hed_failed(error)) return error->status;
    if (!function || !names || !is_set)
        return hed_fail(error, HED_ERROR_ARGUMENT, "hed_require(): %s is NULL; expected a pointer",
            !function ? "function" : !names ? "names" : "given");
    for (size_t i = 0; i < count; i++) {
        if (i) names = strchr(names, ',') + 2;
        if (is_set[i]) continue;
        int length = (int)strcspn(names, " ,");
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s(): %.*s is NULL; expected a pointer",
            function, length, names);
    }
    return HED_OK;
}

void hed_fail_log(hed_error *error, const char *log)
{
    if (!error) return;
    size_t length = log ? strlen(log) : 0;
    if (length < sizeof error->log) {
        memcpy(error->log, log ? log : "", length + 1);
        return;
    }
    size_t room = sizeof error->log - LAST_LINE;
    size_t kept_bytes = room;
    while (kept_bytes > 0 && log[kept_bytes - 1] != '\n') kept_bytes--;
    bool one_line = kept_bytes == 0; /* no line ends within the space: cut inside the line */
    kept_bytes = one_line ? room : kept_bytes;
    memcpy(error->log, log, kept_bytes);
    snprintf(error->log + kept_bytes, sizeof error->log - kept_bytes,
        "%s(%zu more bytes of this log are not shown)\n", one_line ? "\n" : "", length - kept_bytes);
}

/* ---- messages to the caller's log ---- */

void hed_log_message(const hed_logger *logger, hed_log_level level, const char *format, ...)
{
    if (!logger || !logger->log || level > logger->level) return;
    char message[2048]; /* longer messages are cut */
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (length < 0) return;
    /* one line, although a driver's text may have several */
    for (char *byte = message; *byte != '\0'; byte++)
        if (*byte == '\n' || *byte == '\r') *byte = byte[1] == '\0' ? '\0' : ' ';
    logger->log(logger->user, level, message);
}
