/* Aligned tables for people. */
#include "cli/common/table.h"

#include "support/errors.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct hed_table {
    const char *const *headings;
    size_t columns;
    char **cells; /* (count), row by row */
    size_t count, capacity;
    bool failed;
};

hed_table *hed_table_create(const char *const *headings)
{
    hed_table *table = calloc(1, sizeof *table);
    if (!table) return NULL;
    table->headings = headings;
    while (headings[table->columns]) table->columns++;
    return table;
}

void hed_table_cell(hed_table *table, const char *format, ...)
{
    if (!table || table->failed) return;
    if (table->count == table->capacity) {
        size_t capacity = table->capacity ? table->capacity * 2 : 64;
        char **larger = realloc(table->cells, capacity * sizeof *larger);
        if (!larger) {
            table->failed = true;
            return;
        }
        table->cells = larger;
        table->capacity = capacity;
    }
    va_list arguments;
    va_start(arguments, format);
    char *cell = NULL;
    if (vasprintf(&cell, format, arguments) < 0) table->failed = true;
    else table->cells[table->count++] = cell;
    va_end(arguments);
    for (char *c = table->failed ? NULL : cell; c && *c; c++)
        if (*c == '\n' || *c == '\t' || *c == '\r') *c = ' ';
}

/* Characters, not bytes. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void print_cell(FILE *stream, const char *text, size_t width, bool right, bool last)
{
    int gap = (int)(width - width_of(text));
    if (right) fprintf(stream, "%*s%s", gap, "", text);
    else fprintf(stream, "%s%*s", text, last ? 0 : gap, "");
    fputs(last ? "\n" : "  ", stream);
}

/* One line: the cells of `row`, up to the last one that is not empty. */
static void print_row(
    const hed_table *table, const size_t *widths, FILE *stream, const char *const *row)
{
    size_t last = 0;
    for (size_t column = 0; column < table->columns; column++)
        if (row[column][0] && widths[column] > 0) last = column;
    for (size_t column = 0; column <= last; column++)
        if (widths[column] > 0)
            print_cell(stream, row[column], widths[column], table->headings[column][0] == '>',
                column == last);
}

/* Width of each column, 0 for one that is left out. */
static void measure(const hed_table *table, size_t *widths)
{
    for (size_t i = 0; i < table->count; i++) {
        size_t column = i % table->columns, width = width_of(table->cells[i]);
        if (width > widths[column]) widths[column] = width;
    }
    for (size_t column = 0; column < table->columns; column++) {
        const char *heading = table->headings[column];
        size_t width = width_of(heading + (heading[0] == '>'));
        if (widths[column] > 0 && width > widths[column]) widths[column] = width;
    }
}

hed_status hed_table_print(const hed_table *table, FILE *stream, hed_error *error)
{
    size_t *widths = table && !table->failed ? calloc(table->columns, sizeof *widths) : NULL;
    if (!widths) return hed_error_set(error, HED_ERROR_MEMORY, "out of memory for a table");
    const char **names = calloc(table->columns, sizeof *names);
    if (!names) {
        free(widths);
        return hed_error_set(error, HED_ERROR_MEMORY, "out of memory for a table");
    }
    measure(table, widths);
    for (size_t column = 0; column < table->columns; column++)
        names[column] = table->headings[column] + (table->headings[column][0] == '>');
    if (table->count > 0) print_row(table, widths, stream, names);
    for (size_t i = 0; i + table->columns <= table->count; i += table->columns)
        print_row(table, widths, stream, (const char *const *)table->cells + i);
    free(names);
    free(widths);
    if (fflush(stream) != 0)
        return hed_error_set(error, HED_ERROR_IO, "cannot write a table: %s", strerror(errno));
    return HED_OK;
}

void hed_table_free(hed_table *table)
{
    if (!table) return;
    for (size_t i = 0; i < table->count; i++) free(table->cells[i]);
    free(table->cells);
    free(table);
}
