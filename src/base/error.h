/* Adding a log to an error that hed_fail() has filled. */
#ifndef HED_BASE_ERROR_H
#define HED_BASE_ERROR_H

#include "heddle/author.h"

/* Adds a build log (cut to fit, cut at a line's end, with a last line that says how much is
 * missing). */
void hed_fail_log(hed_error *error, const char *log);

#endif
