/* Rows for people and for programs. */
#include "cli/common/report.h"

#include "heddle/author.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REPORT_DEPTH = 4, REPORT_COLUMNS = 32 };

struct cli_report {
    bool json, failed;
    uint64_t rows; /* rows of the outermost level */
    /* state for programs */
    json_t *root;
    json_t *array;  /* array that objects are added to: the root, or a list in an object */
    json_t *object; /* object under construction, in the array or in another object */
    struct {
        json_t *array, *object;
    } around[REPORT_DEPTH];
    uint32_t depth;
    /* state for people */
    const char *headings[REPORT_COLUMNS];
    size_t columns;
    char **cells; /* (count), row by row */
    size_t count, capacity;
};

cli_report *cli_report_create(bool json)
{
    cli_report *report = calloc(1, sizeof *report);
    if (!report) return NULL;
    report->json = json;
    if (json && !(report->root = report->array = json_array())) {
        free(report);
        return NULL;
    }
    return report;
}

void cli_report_free(cli_report *report)
{
    if (!report) return;
    json_decref(report->root);
    for (size_t i = 0; i < report->count; i++) free(report->cells[i]);
    free(report->cells);
    free(report);
}

uint64_t cli_report_rows(const cli_report *report) { return report ? report->rows : 0; }

/* ---- for programs ---- */

/* Takes ownership of `value`; NULL: memory is short. */
static void report_member(cli_report *report, const char *key, json_t *value)
{
    if (report && report->object) {
        if (json_object_set_new(report->object, key, value)) report->failed = true;
    } else {
        json_decref(value);
    }
}

/* Converts a text to JSON. Drivers' texts may not be UTF-8: then all but ASCII is replaced. */
static json_t *report_string(const char *value)
{
    json_t *text = json_string(value);
    if (text) return text;
    char *copy = strdup(value);
    for (char *c = copy; copy && *c; c++)
        if ((unsigned char)*c >= 0x80) *c = '?';
    text = copy ? json_string(copy) : NULL;
    free(copy);
    return text;
}

static json_t *report_value(const cli_cell *cell)
{
    switch (cell->kind) {
    case CLI_IS_TEXT: return report_string(cell->text);
    case CLI_IS_NUMBER: return isfinite(cell->number) ? json_real(cell->number) : json_null();
    case CLI_IS_WHOLE: return json_integer(cell->whole);
    default: return json_boolean(cell->whole);
    }
}

void cli_report_texts(cli_report *report, const char *key, const char *const *values, size_t count)
{
    if (!report || !report->json) return;
    json_t *array = json_array();
    for (size_t i = 0; array && i < count; i++)
        if (json_array_append_new(array, report_string(values[i]))) {
            json_decref(array);
            array = NULL;
        }
    report_member(report, key, array);
}

static void report_enter(cli_report *report, const char *key, json_t *inner, bool list)
{
    bool valid = report->object && inner;
    report_member(report, key, inner);
    if (!valid || report->failed) inner = NULL; /* memory is short */
    assert(report->depth < REPORT_DEPTH);
    report->around[report->depth].array = report->array;
    report->around[report->depth++].object = report->object;
    report->array = list ? inner : NULL;
    report->object = list ? NULL : inner;
}

void cli_report_open(cli_report *report, const char *key)
{
    if (report && report->json) report_enter(report, key, json_object(), false);
}

void cli_report_open_list(cli_report *report, const char *key)
{
    if (report && report->json) report_enter(report, key, json_array(), true);
}

void cli_report_close(cli_report *report)
{
    if (!report || report->depth == 0) return;
    report->depth--;
    report->array = report->around[report->depth].array;
    report->object = report->around[report->depth].object;
}

/* ---- for people ---- */

static char *report_shown(const cli_cell *cell)
{
    char *text = NULL;
    int size = 0;
    if (cell->shown) return strdup(cell->shown);
    switch (cell->kind) {
    case CLI_IS_TEXT: text = strdup(cell->text); break;
    case CLI_IS_NUMBER:
        if (!isfinite(cell->number)) return strdup("");
        size = asprintf(&text, cell->format ? cell->format : "%g", cell->number);
        break;
    case CLI_IS_WHOLE: size = asprintf(&text, "%" PRId64, cell->whole); break;
    default: text = strdup(cell->whole ? "yes" : "no"); break;
    }
    return size < 0 ? NULL : text;
}

static void report_column(cli_report *report, const cli_cell *cell)
{
    if (report->failed) return;
    if (report->rows == 1) {
        assert(report->columns < REPORT_COLUMNS);
        report->headings[report->columns++] = cell->heading;
    }
    if (report->count == report->capacity) {
        size_t capacity = report->capacity ? report->capacity * 2 : 64;
        char **larger = realloc(report->cells, capacity * sizeof *larger);
        report->failed = !larger;
        if (!larger) return;
        report->cells = larger;
        report->capacity = capacity;
    }
    char *text = report_shown(cell);
    report->failed = !text;
    if (!text) return;
    for (char *c = text; *c; c++)
        if (*c == '\n' || *c == '\t' || *c == '\r') *c = ' ';
    report->cells[report->count++] = text;
}

/* Width in characters, not bytes. */
static size_t report_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

/* Prints a line: cells up to the last that is not empty. */
static void report_line(
    const cli_report *report, const size_t *widths, FILE *stream, const char *const *cells)
{
    size_t last = 0;
    for (size_t column = 0; column < report->columns; column++)
        if (cells[column][0] && widths[column] > 0) last = column;
    for (size_t column = 0; column <= last; column++) {
        if (widths[column] == 0) continue;
        int gap = (int)(widths[column] - report_width(cells[column]));
        if (report->headings[column][0] == '>') fprintf(stream, "%*s%s", gap, "", cells[column]);
        else fprintf(stream, "%s%*s", cells[column], column == last ? 0 : gap, "");
        fputs(column == last ? "\n" : "  ", stream);
    }
}

static hed_status report_print_table(const cli_report *report, FILE *stream, hed_error *error)
{
    size_t widths[REPORT_COLUMNS] = {0}; /* 0: omitted */
    const char *names[REPORT_COLUMNS];
    for (size_t i = 0; i < report->count; i++) {
        size_t column = i % report->columns, width = report_width(report->cells[i]);
        if (width > widths[column]) widths[column] = width;
    }
    for (size_t column = 0; column < report->columns; column++) {
        names[column] = report->headings[column] + (report->headings[column][0] == '>');
        size_t width = report_width(names[column]);
        if (widths[column] > 0 && width > widths[column]) widths[column] = width;
    }
    if (report->columns > 0) report_line(report, widths, stream, names);
    for (size_t i = 0; i < report->count; i += report->columns)
        report_line(report, widths, stream, (const char *const *)report->cells + i);
    if (fflush(stream))
        return hed_fail(error, HED_ERROR_IO, "cannot write a table: %s", strerror(errno));
    return HED_OK;
}

/* ---- printing ---- */

void cli_report_begin(cli_report *report)
{
    if (!report) return;
    if (report->depth == 0) report->rows++;
    if (!report->json) return;
    report->object = json_object();
    if (json_array_append_new(report->array, report->object)) {
        report->object = NULL;
        report->failed = true;
    }
}

void cli_report_cells(cli_report *report, const cli_cell *cells, size_t count)
{
    for (size_t i = 0; report && i < count; i++)
        if (report->json && cells[i].key)
            report_member(report, cells[i].key, report_value(&cells[i]));
        else if (!report->json && cells[i].heading) report_column(report, &cells[i]);
}

static hed_status report_print_json(const json_t *value, FILE *stream, hed_error *error)
{
    errno = 0;
    /* nine digits: more than any measurement has, and 0.1 is printed as 0.1 */
    if (json_dumpf(value, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) ||
        fputc('\n', stream) == EOF || fflush(stream))
        return hed_fail(error, errno == ENOMEM ? HED_ERROR_MEMORY : HED_ERROR_IO,
            "cannot write JSON: %s", strerror(errno));
    return HED_OK;
}

hed_status cli_report_print(const cli_report *report, FILE *stream, hed_error *error)
{
    if (!report || report->failed) return HED_OUT_OF_MEMORY(error, "a report");
    if (report->json) return report_print_json(report->root, stream, error);
    return report_print_table(report, stream, error);
}

hed_status cli_report_print_one(const cli_report *report, FILE *stream, hed_error *error)
{
    if (!report || report->failed) return HED_OUT_OF_MEMORY(error, "a report");
    return report_print_json(json_array_get(report->root, 0), stream, error);
}

hed_status cli_report_end(cli_report *report, hed_status status, hed_error *error)
{
    hed_status printed = status ? status : cli_report_print(report, stdout, error);
    cli_report_free(report);
    return printed;
}
