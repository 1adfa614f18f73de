/* Adding a log to an error that hed_fail() has filled. */
#ifndef HED_BASE_ERROR_H
#define HED_BASE_ERROR_H

#include "heddle/author.h"

/* Adds a build log to an error. A log that does not fit is cut at a line's end; a last line reports
 * how much is missing. */
void hed_fail_log(hed_error *error, const char *log);

#endif
