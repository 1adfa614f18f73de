/* Messages to the caller's log. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

void hed_log_message(const hed_logger *logger, hed_log_level level, const char *format, ...)
{
    if (logger == NULL || logger->log == NULL || level > logger->level) return;
    char message[2048]; /* longer messages are cut */
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (length < 0) return;
    /* one line, whatever a driver put into it */
    for (char *byte = message; *byte != '\0'; byte++)
        if (*byte == '\n' || *byte == '\r') *byte = byte[1] == '\0' ? '\0' : ' ';
    logger->log(logger->user, level, message);
}
