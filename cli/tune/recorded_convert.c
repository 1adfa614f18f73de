/* Reading records of other formats: both are made a table of texts first, and that is written as a
 * recorded space whose domain are the values that occur. */
#include "cli/tune/recorded_convert.h"

#include "support/errors.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* (rows x columns) cells, the last column being time_ms; row 0 has the names. */
typedef struct table {
    char **cells;
    size_t count, capacity, columns;
} table;

static void free_table(table *t)
{
    for (size_t i = 0; i < t->count; i++) free(t->cells[i]);
    free(t->cells);
}

/* Takes the text over; false where there is no memory, for the text either (NULL). */
static bool add(table *t, char *text)
{
    if (text && t->count == t->capacity) {
        size_t capacity = t->capacity ? 2 * t->capacity : 1024;
        char **cells = realloc(t->cells, capacity * sizeof *cells);
        t->cells = cells ? cells : t->cells;
        t->capacity = cells ? capacity : t->capacity;
    }
    bool fits = text && t->count < t->capacity;
    if (fits) t->cells[t->count++] = text;
    else free(text);
    return fits;
}

static hed_status no_memory(const char *path, hed_error *error)
{
    return hed_error_set(error, HED_ERROR_MEMORY, "out of memory for %s", path);
}

/* ---- writing ---- */

static bool whole(const char *text)
{
    char *end;
    errno = 0;
    (void)strtoll(text, &end, 10);
    return end != text && *end == 0 && errno == 0;
}

static int by_number(const void *a, const void *b)
{
    long long left = strtoll(*(char *const *)a, NULL, 10),
              right = strtoll(*(char *const *)b, NULL, 10);
    return left < right ? -1 : left > right;
}

/* The distinct values of a column: numbers from the smallest up, texts as they occur. */
static bool write_domain(FILE *out, const table *t, size_t column)
{
    size_t rows = t->count / t->columns, count = 0;
    bool numbers = true;
    char **values = malloc(rows * sizeof *values);
    if (!values) return false;
    for (size_t row = 1; row < rows; row++) {
        char *value = t->cells[row * t->columns + column];
        size_t at = 0;
        while (at < count && strcmp(values[at], value) != 0) at++;
        if (at < count) continue;
        values[count++] = value;
        numbers = numbers && whole(value);
    }
    if (numbers) qsort(values, count, sizeof *values, by_number);
    fprintf(out, "%s%s=", column ? "; " : " ", t->cells[column]);
    for (size_t i = 0; i < count; i++) fprintf(out, "%s%s", i ? "," : "", values[i]);
    free(values);
    return true;
}

static hed_status write_table(const table *t, const char *path, char **converted, hed_error *error)
{
    size_t size;
    for (size_t i = 0; i < t->count; i++)
        if (strpbrk(t->cells[i], "\t\n\r,;") || !t->cells[i][0])
            return hed_error_set(error, HED_ERROR_FORMAT,
                "%s: the value \"%.60s\" of %.40s: expected words without tabs, commas, semicolons "
                "and ends of lines",
                path, t->cells[i], t->cells[i % t->columns]);
    FILE *out = open_memstream(converted, &size);
    if (!out) return no_memory(path, error);
    fputs("# domain:", out);
    bool fine = true;
    for (size_t i = 0; i + 1 < t->columns && fine; i++) fine = write_domain(out, t, i);
    fputc('\n', out);
    for (size_t i = 0; i < t->count; i++)
        fprintf(out, "%s%c", t->cells[i], i % t->columns + 1 == t->columns ? '\n' : '\t');
    fine = !ferror(out) && fine;
    fine = fclose(out) == 0 && fine;
    if (fine) return HED_OK;
    free(*converted);
    *converted = NULL;
    return no_memory(path, error);
}

/* ---- Heddle's own CSV ---- */

static const char OUTCOME[] = "outcome";

/* The next field, without its quotes; `*at` is behind it and its comma or end of line. */
static char *next_field(const char **at, bool *last)
{
    const char *from = *at;
    bool quoted = *from == '"';
    const char *end = from + (quoted ? 1 : strcspn(from, ",\r\n"));
    while (quoted && *end && (*end != '"' || *++end == '"')) end++;
    char *field = malloc((size_t)(end - from) + 1);
    size_t used = 0;
    if (!field) return NULL;
    for (from += quoted; *from && (quoted || !strchr(",\r\n", *from)); from++) {
        if (quoted && *from == '"' && *++from != '"') break;
        field[used++] = *from;
    }
    field[used] = 0;
    from += strcspn(from, ",\n");
    *last = *from != ',';
    *at = *from ? from + 1 : from;
    return field;
}

/* Parameters stand in front of "outcome"; behind it the value, in seconds. */
static hed_status read_csv_row(
    table *t, const char *path, uint32_t line, const char **at, hed_error *error)
{
    char *outcome = NULL;
    bool last = false, fine = true;
    for (size_t i = 0; i < t->columns + 1 && fine && !last; i++) {
        char *field = next_field(at, &last);
        fine = field != NULL;
        if (i + 1 == t->columns) outcome = field;
        else if (i < t->columns) fine = add(t, field);
        else if (fine) {
            bool works =
                outcome && (strcmp(outcome, "measured") == 0 || strcmp(outcome, "dropped") == 0);
            char text[64];
            snprintf(text, sizeof text, "%.9g", strtod(field, NULL) * 1e3);
            fine = add(t, strdup(works ? text : "invalid"));
            free(field);
        }
    }
    free(outcome);
    while (fine && !last) {
        char *rest = next_field(at, &last);
        fine = rest != NULL;
        free(rest);
    }
    if (!fine) return no_memory(path, error);
    if (t->count % t->columns == 0) return HED_OK;
    return hed_error_set(error, HED_ERROR_FORMAT,
        "%s: row %u has too few fields: expected %zu parameters, %s and value", path, line,
        t->columns - 1, OUTCOME);
}

static hed_status read_csv(table *t, const char *path, const char *text, hed_error *error)
{
    bool last = false;
    while (!last) {
        char *name = next_field(&text, &last);
        if (!name) return no_memory(path, error);
        bool end = strcmp(name, OUTCOME) == 0;
        if (end) free(name);
        else if (!add(t, name)) return no_memory(path, error);
        if (end) break;
    }
    if (!add(t, strdup("time_ms"))) return no_memory(path, error);
    t->columns = t->count;
    while (!last) {
        char *name = next_field(&text, &last);
        if (!name) return no_memory(path, error);
        free(name);
    }
    hed_status status = HED_OK;
    for (uint32_t row = 1; *text && status == HED_OK; row++)
        status = read_csv_row(t, path, row, &text, error);
    return status;
}

/* ---- Kernel Tuner's cache ---- */

static char *text_of(const json_t *value)
{
    char text[64];
    if (json_is_string(value)) return strdup(json_string_value(value));
    if (json_is_integer(value))
        snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value)) snprintf(text, sizeof text, "%.17g", json_real_value(value));
    else
        snprintf(text, sizeof text, "%s",
            json_is_true(value)    ? "1"
            : json_is_false(value) ? "0"
                                   : "");
    return strdup(text);
}

/* Milliseconds; a text instead says why there are none. */
static char *time_of(const json_t *entry)
{
    const json_t *time = json_object_get(entry, "time");
    char text[64];
    if (!json_is_number(time) || !(json_number_value(time) > 0)) return strdup("invalid");
    snprintf(text, sizeof text, "%.9g", json_number_value(time));
    return strdup(text);
}

/* The file of a tuning that is still going on, or was broken off, lacks its last two brackets. */
static json_t *load(const char *text, json_error_t *why)
{
    json_t *document = json_loads(text, 0, why);
    size_t size = strlen(text);
    if (document) return document;
    while (size > 0 && strchr(" \t\r\n,", text[size - 1])) size--;
    char *closed = malloc(size + 3);
    if (!closed) return NULL;
    memcpy(closed, text, size);
    memcpy(closed + size, "}}", 3);
    json_error_t ignored;
    document = json_loads(closed, 0, &ignored);
    free(closed);
    return document;
}

static hed_status read_cache(table *t, const char *path, json_t *document, hed_error *error)
{
    json_t *keys = json_object_get(document, "tune_params_keys"),
           *cache = json_object_get(document, "cache"), *entry;
    const char *key;
    if (!json_is_array(keys) || !json_is_object(cache))
        return hed_error_set(error, HED_ERROR_FORMAT,
            "%s: no \"tune_params_keys\" and \"cache\": expected a cache file of Kernel Tuner",
            path);
    for (size_t i = 0; i < json_array_size(keys); i++)
        if (!add(t, text_of(json_array_get(keys, i)))) return no_memory(path, error);
    if (!add(t, strdup("time_ms"))) return no_memory(path, error);
    t->columns = t->count;
    json_object_foreach(cache, key, entry)
    {
        for (size_t i = 0; i + 1 < t->columns; i++) {
            const json_t *value = json_object_get(entry, t->cells[i]);
            if (!value)
                return hed_error_set(error, HED_ERROR_FORMAT,
                    "%s: \"%.60s\" in the cache has no %.40s", path, key, t->cells[i]);
            if (!add(t, text_of(value))) return no_memory(path, error);
        }
        if (!add(t, time_of(entry))) return no_memory(path, error);
    }
    return HED_OK;
}

/* ---- which it is ---- */

static bool is_csv(const char *text)
{
    size_t head = strcspn(text, "\r\n");
    const char *at = strstr(text, ",outcome,value,");
    return at && (size_t)(at - text) < head;
}

hed_status hed_recorded_convert(
    const char *path, const char *text, char **converted, hed_error *error)
{
    table t = {0};
    hed_status status = HED_OK;
    *converted = NULL;
    if (is_csv(text)) {
        status = read_csv(&t, path, text, error);
    } else if (text[strspn(text, " \t\r\n")] == '{') {
        json_error_t why = {0};
        json_t *document = load(text, &why);
        if (document) status = read_cache(&t, path, document, error);
        else status = hed_error_set(error, HED_ERROR_FORMAT, "%s:%d: %s", path, why.line, why.text);
        json_decref(document);
    } else {
        return HED_OK;
    }
    if (status == HED_OK) status = write_table(&t, path, converted, error);
    free_table(&t);
    return status;
}
