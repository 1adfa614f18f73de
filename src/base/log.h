/* Messages to the caller's log. */
#ifndef HED_BASE_LOG_H
#define HED_BASE_LOG_H

#include "heddle/base.h"

void hed_log_message(const hed_logger *logger, hed_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
