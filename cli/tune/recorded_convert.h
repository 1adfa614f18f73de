/* Other tools' records of a tuning, as the text that recorded_space.h describes: Heddle's own
 * `--csv` (RFC 4180) and Kernel Tuner's cache files (JSON, also one whose end is missing since the
 * tuning was broken off). */
#ifndef HED_CLI_RECORDED_CONVERT_H
#define HED_CLI_RECORDED_CONVERT_H

#include "heddle/base.h"

/* `*converted` is the text in the format of recorded spaces, which the caller frees; NULL: `text`
 * is in that format already, as far as its beginning tells. `path` stands for the file in messages.
 * Errors: MEMORY, FORMAT. */
hed_status hed_recorded_convert(
    const char *path, const char *text, char **converted, hed_error *error);

#endif
