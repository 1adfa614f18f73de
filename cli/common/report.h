/* Results of a command, described once: rows of cells that are printed as an aligned table for
 * people or, with --json, as an array of objects for programs.
 *
 *     cli_report *report = cli_report_create(json);
 *     for (...)
 *         cli_report_row(report, CLI_TEXT("id", info->id, .heading = "ID"),
 *             CLI_WHOLE("compute_units", info->compute_units, .heading = ">UNITS"),
 *             CLI_TEXT("vendor", info->vendor));
 *     status = cli_report_end(report, status, error);
 *
 * A cell with a key is a member of the row's object; a cell with a heading is a column of the
 * table. The first row defines the columns, and later rows must have the same ones. Every function
 * accepts a NULL report, left by a failed allocation, which cli_report_print() reports as
 * MEMORY. */
#ifndef HED_CLI_COMMON_REPORT_H
#define HED_CLI_COMMON_REPORT_H

#include "heddle/base.h"

#include <stdio.h>

typedef enum cli_cell_kind { CLI_IS_TEXT, CLI_IS_NUMBER, CLI_IS_WHOLE, CLI_IS_FLAG } cli_cell_kind;

typedef struct cli_cell {
    cli_cell_kind kind;
    const char *key;     /* key of the object's member; NULL: for people only */
    const char *text;    /* if not UTF-8: '?' in JSON; a line break: ' ' in a table */
    double number;       /* NaN and infinities become null, or an empty cell */
    int64_t whole;       /* integer or flag */
    const char *heading; /* leading '>': right-aligned; NULL: for programs only */
    const char *format;  /* printf() format of a number, for people; NULL: "%g" */
    const char *shown;   /* text for people, instead of the value */
} cli_cell;

/* Cells; arguments after the value are designated initialisers, such as .heading = "NAME". */
#define CLI_TEXT(key_, value_, ...) \
    (cli_cell) { CLI_IS_TEXT, .key = (key_), .text = (value_), __VA_ARGS__ }
#define CLI_NUMBER(key_, value_, ...) \
    (cli_cell) { CLI_IS_NUMBER, .key = (key_), .number = (value_), __VA_ARGS__ }
#define CLI_WHOLE(key_, value_, ...) \
    (cli_cell) { CLI_IS_WHOLE, .key = (key_), .whole = (int64_t)(value_), __VA_ARGS__ }
#define CLI_FLAG(key_, value_, ...) \
    (cli_cell) { CLI_IS_FLAG, .key = (key_), .whole = (value_), __VA_ARGS__ }

typedef struct cli_report cli_report;

cli_report *cli_report_create(bool json);
void cli_report_free(cli_report *report);
uint64_t cli_report_rows(const cli_report *report);

/* Begins a row with these cells; adds cells to the row, or to the open inner object. */
void cli_report_begin(cli_report *report);
void cli_report_cells(cli_report *report, const cli_cell *cells, size_t count);
#define cli_report_more(report, ...) \
    cli_report_cells(report, (const cli_cell[]){__VA_ARGS__}, \
        sizeof((const cli_cell[]){__VA_ARGS__}) / sizeof(cli_cell))
#define cli_report_row(report, ...) (cli_report_begin(report), cli_report_more(report, __VA_ARGS__))

/* Elements for programs only: a list of texts; an inner object, or a list whose objects are begun
 * by cli_report_begin(), until cli_report_close(). At most four levels. */
void cli_report_texts(cli_report *report, const char *key, const char *const *values, size_t count);
void cli_report_open(cli_report *report, const char *key);
void cli_report_open_list(cli_report *report, const char *key);
void cli_report_close(cli_report *report);

/* Prints the table, or the array of objects. A table has two spaces between columns and no trailing
 * spaces; a column whose cells are all empty is omitted. Errors: MEMORY (of any earlier call),
 * IO. */
hed_status cli_report_print(const cli_report *report, FILE *stream, hed_error *error);
/* Prints the first object alone. */
hed_status cli_report_print_one(const cli_report *report, FILE *stream, hed_error *error);
/* Prints on stdout, if `status` is OK, and frees the report. Returns the first status that is not
 * OK. */
hed_status cli_report_end(cli_report *report, hed_status status, hed_error *error);

#endif
