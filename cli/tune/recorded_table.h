/* Table of texts, which the files of other tuners are converted to. */
#ifndef HED_CLI_RECORDED_TABLE_H
#define HED_CLI_RECORDED_TABLE_H

#include "heddle/base.h"

/* (rows x columns) cells; the last column is time_ms; row 0 has the names. */
typedef struct recorded_table {
    char **cells;
    size_t count, capacity, columns;
} recorded_table;

/* Takes ownership of the text; false if memory is short, for the text as well (NULL). */
bool recorded_table_add(recorded_table *t, char *text);
/* Reads a cache file of Kernel Tuner, a file of results in the tuners' common format T4, or one of
 * KTT. Errors: FORMAT, MEMORY. */
hed_status recorded_json_read(
    recorded_table *t, const char *path, const char *text, hed_error *error);

#endif
