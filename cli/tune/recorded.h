/* Recorded tuning spaces: every configuration of a kernel with the time it took, on which searches
 * are replayed.
 *
 * The format, plain or gzipped: lines of comments, of which "# domain: NAME=VALUE,VALUE,...;
 * NAME=..." names the parameters with their values; a line of column names; then a line for each
 * configuration, columns parted by tabs. Besides the parameters, the column time_ms is read: a
 * positive number, or "invalid". A parameter with a value that is no whole number has texts for
 * values.
 *
 * What `heddle tune --csv` writes and Kernel Tuner's cache files are read as well, also one whose
 * end is missing since the tuning was broken off. */
#ifndef HED_CLI_RECORDED_H
#define HED_CLI_RECORDED_H

#include "heddle/space.h"

typedef struct hed_recorded_space {
    char *name; /* of the file, without folder and endings */
    hed_parameter_def parameters[HED_MAX_PARAMETERS];
    uint32_t parameter_count;
    hed_space *space; /* its points are the file's rows, in order */
    uint64_t count;   /* of them */
    double *times;    /* (count) ms; NAN: invalid */
    /* what those consist of */
    char *words;
    int64_t *values;
    uint64_t capacity;
} hed_recorded_space;

/* Reads a file. Errors: IO, LIMIT, MEMORY, FORMAT (file and line). */
hed_status hed_recorded_space_read(
    const char *path, hed_recorded_space *recorded, hed_error *error);
/* Reads a text of `size` bytes; `path` stands for the file in messages. Errors: LIMIT, MEMORY,
 * FORMAT. */
hed_status hed_recorded_space_parse(const char *path, const char *text, size_t size,
    hed_recorded_space *recorded, hed_error *error);
/* Zeroed ones are allowed. */
void hed_recorded_space_free(hed_recorded_space *recorded);

#endif
