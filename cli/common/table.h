/* Aligned tables for people. */
#ifndef HED_CLI_COMMON_TABLE_H
#define HED_CLI_COMMON_TABLE_H

#include "heddle/base.h"

#include <stdio.h>

typedef struct hed_table hed_table;

/* A table with these headings (ends with NULL). A heading that begins with '>' makes a column of
 * numbers: it is aligned to the right, and the '>' is not printed. NULL when memory runs out; what
 * follows then does nothing. */
hed_table *hed_table_create(const char *const *headings);
/* The next cell, row by row. A line break in it becomes a space. */
void hed_table_cell(hed_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Prints headings and rows, two spaces between columns, none at the end of a line. A column without
 * a single cell that is not empty is left out. Errors: MEMORY (of any call before), IO. */
hed_status hed_table_print(const hed_table *table, FILE *stream, hed_error *error);
void hed_table_free(hed_table *table); /* NULL is allowed */

#endif
