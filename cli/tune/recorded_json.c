/* Files of other tuners: Kernel Tuner's caches, results in the common format T4 (as `heddle tune
 * --t4` and Kernel Tuner write them), and results of KTT 2. A configuration that a search has
 * evaluated again counts with its first time. */
#include "cli/tune/recorded_table.h"
#include "heddle/author.h"

#include <inttypes.h>
#include <jansson.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct json_reader {
    recorded_table *table;
    const char *path;
    void *rows; /* tree of rows that were added, each as one text */
    hed_error *error;
} json_reader;

/* ---- cells ---- */

bool recorded_table_add(recorded_table *t, char *text)
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

static char *json_cell(const json_t *value)
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

static hed_status json_no_memory(const json_reader *r)
{
    return HED_OUT_OF_MEMORY(r->error, "%s", r->path);
}

static hed_status json_add(const json_reader *r, char *cell)
{
    return recorded_table_add(r->table, cell) ? HED_OK : json_no_memory(r);
}

/* Text of a member; NULL: the member is absent, or no text. */
static const char *json_member_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* Milliseconds of a unit's name, in the spellings of the tuners; 0: not a unit of time. */
static double json_unit(const char *name)
{
    static const struct {
        const char *begin;
        double milliseconds;
    } UNITS[] = {{"ms", 1}, {"mil", 1}, {"us", 1e-3}, {"mic", 1e-3}, {"ns", 1e-6}, {"nan", 1e-6},
        {"s", 1e3}};
    for (size_t i = 0; name && i < HED_COUNT(UNITS); i++)
        if (strncasecmp(name, UNITS[i].begin, strlen(UNITS[i].begin)) == 0)
            return UNITS[i].milliseconds;
    return 0;
}

/* ---- rows ---- */

static int json_compare(const void *a, const void *b) { return strcmp(a, b); }

/* Removes the last row's parameters if an earlier row has the same. Without a repetition the row's
 * text remains in the tree. */
static hed_status json_drop_repeated(json_reader *r, bool *repeated)
{
    recorded_table *t = r->table;
    size_t width = t->columns - 1, size = 0;
    char *row = NULL;
    FILE *out = open_memstream(&row, &size);
    if (!out) return json_no_memory(r);
    for (size_t i = t->count - width; i < t->count; i++) fprintf(out, "%s\t", t->cells[i]);
    bool fine = !ferror(out);
    fine = fclose(out) == 0 && fine;
    char **node = fine ? tsearch(row, &r->rows, json_compare) : NULL;
    *repeated = node && *node != row;
    if (!node || *repeated) free(row);
    for (size_t i = 0; i < width && *repeated; i++) free(t->cells[--t->count]);
    return node ? HED_OK : json_no_memory(r);
}

/* Ends a row whose parameters were added. `milliseconds`: 0 or less: the configuration failed. */
static hed_status json_end_row(json_reader *r, double milliseconds)
{
    char text[64] = "invalid";
    bool repeated = false;
    hed_status status = json_drop_repeated(r, &repeated);
    if (status || repeated) return status;
    if (milliseconds > 0) snprintf(text, sizeof text, "%.9g", milliseconds);
    return json_add(r, strdup(text));
}

/* Adds the values of the columns' names from an object with a member each. */
static hed_status json_add_values(json_reader *r, const json_t *object, const char *place)
{
    hed_status status = HED_OK;
    for (size_t i = 0; i + 1 < r->table->columns && !status; i++) {
        const json_t *value = json_object_get(object, r->table->cells[i]);
        status = value ? json_add(r, json_cell(value))
                       : hed_fail(r->error, HED_ERROR_FORMAT, "%s: %.60s has no %.40s", r->path,
                             place, r->table->cells[i]);
    }
    return status;
}

static hed_status json_end_names(json_reader *r)
{
    hed_status status = json_add(r, strdup("time_ms"));
    r->table->columns = r->table->count;
    return status;
}

/* ---- Kernel Tuner's cache ---- */

/* Parses a file. The cache of a tuning that is running or was interrupted lacks its last two
 * brackets. */
static json_t *json_load(const char *text, json_error_t *cause)
{
    json_t *document = json_loads(text, 0, cause);
    size_t size = strlen(text);
    if (document) return document;
    while (size > 0 && strchr(" \t\r\n,", text[size - 1])) size--;
    char *closed = malloc(size + 3);
    if (!closed) return NULL;
    snprintf(closed, size + 3, "%.*s}}", (int)size, text);
    json_error_t ignored;
    document = json_loads(closed, 0, &ignored);
    free(closed);
    return document;
}

/* Cost of a value of an objective: the reciprocal if Kernel Tuner looks for the largest one, of rates
 * and of "fitness". */
static double objective_cost(const char *objective, double value)
{
    const char *slash = strrchr(objective, '/');
    bool is_rate = slash && slash[1] && !slash[2] && strchr("sWJ", slash[1]);
    return (is_rate || strcmp(objective, "fitness") == 0) && value > 0 ? 1 / value : value;
}

/* Cost of an entry by the cache's objective: milliseconds, the objective's unit, or the reciprocal
 * of a value that is to be large. 0: it failed; a text instead of a number has the reason. */
static double cache_cost(const json_t *document, const json_t *entry)
{
    const char *objective = json_member_text(document, "objective");
    const json_t *value = objective ? json_object_get(entry, objective) : NULL;
    if (!value) return json_number_value(json_object_get(entry, "time"));
    return objective_cost(objective, json_number_value(value));
}

static hed_status json_read_cache(json_reader *r, json_t *document)
{
    json_t *names = json_object_get(document, "tune_params_keys"),
           *cache = json_object_get(document, "cache"), *entry;
    const char *key;
    hed_status status = HED_OK;
    for (size_t i = 0; i < json_array_size(names) && !status; i++)
        status = json_add(r, json_cell(json_array_get(names, i)));
    if (status || (status = json_end_names(r))) return status;
    json_object_foreach(cache, key, entry)
    {
        char place[80];
        snprintf(place, sizeof place, "\"%.60s\" in the cache", key);
        if (json_add_values(r, entry, place) || json_end_row(r, cache_cost(document, entry)))
            return r->error->status;
    }
    return HED_OK;
}

/* ---- results: T4 and KTT ---- */

/* Configuration of a result as an object with a member for each parameter: T4 has one, KTT a list
 * of {"Name", "Value"}. NULL: it has neither. Released by the caller. */
static json_t *json_configuration(const json_t *result)
{
    json_t *object = json_object_get(result, "configuration"),
           *list = json_object_get(result, "Configuration"), *built = json_object();
    if (json_is_object(object)) {
        json_decref(built);
        return json_incref(object);
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *pair = json_array_get(list, i);
        const char *name = json_member_text(pair, "Name");
        if (name) json_object_set(built, name, json_object_get(pair, "Value"));
    }
    if (json_object_size(built)) return built;
    json_decref(built);
    return NULL;
}

/* Cost of a measurement of a result: ms if it has a unit of time or the name "time", whose unit is
 * by default that of the whole file. */
static double measured_cost(const json_t *measurement, const char *name, double unit)
{
    double value = json_number_value(json_object_get(measurement, "value")),
           own_unit = json_unit(json_member_text(measurement, "unit"));
    if (own_unit > 0) return value * own_unit;
    return strcmp(name, "time") == 0 ? value * unit : objective_cost(name, value);
}

/* Cost of a result by its first objective, else by its time, ms; 0: it failed. `unit`: that of the
 * whole file. */
static double json_result_time(const json_t *result, double unit)
{
    const char *status = json_member_text(result, "Status"),
               *invalidity = json_member_text(result, "invalidity"),
               *objective =
                   json_string_value(json_array_get(json_object_get(result, "objectives"), 0));
    const json_t *measurements = json_object_get(result, "measurements");
    double time = json_number_value(json_object_get(result, "TotalDuration")) * unit;
    if ((status && strcmp(status, "Ok") != 0) || (invalidity && strcmp(invalidity, "correct") != 0))
        return 0;
    for (size_t i = 0; i < json_array_size(measurements); i++) {
        const json_t *measurement = json_array_get(measurements, i);
        const char *name = json_member_text(measurement, "name");
        if (!name) continue;
        if (objective && strcmp(name, objective) == 0)
            return measured_cost(measurement, name, unit);
        if (strcmp(name, "time") == 0) time = measured_cost(measurement, name, unit);
    }
    return time;
}

static hed_status json_add_names(json_reader *r, json_t *configuration)
{
    const char *name;
    json_t *value;
    json_object_foreach(configuration, name, value)
    {
        if (json_add(r, strdup(name))) return r->error->status;
    }
    return json_end_names(r);
}

static hed_status json_read_result(json_reader *r, const json_t *result, size_t index, double unit)
{
    char place[40];
    json_t *configuration = json_configuration(result);
    hed_status status = HED_OK;
    snprintf(place, sizeof place, "result %zu", index + 1);
    if (!configuration)
        return hed_fail(r->error, HED_ERROR_FORMAT,
            "%s: %s has no configuration; expected one as T4 or KTT have them", r->path, place);
    if (index == 0) status = json_add_names(r, configuration);
    status = status ? status : json_add_values(r, configuration, place);
    status = status ? status : json_end_row(r, json_result_time(result, unit));
    json_decref(configuration);
    return status;
}

static hed_status json_read_results(json_reader *r, const json_t *results, const json_t *metadata)
{
    const json_t *unit = json_object_get(metadata, "timeunit");
    if (!unit) unit = json_object_get(metadata, "TimeUnit");
    double milliseconds = unit ? json_unit(json_string_value(unit)) : 1;
    hed_status status = HED_OK;
    if (milliseconds <= 0)
        return hed_fail(r->error, HED_ERROR_FORMAT,
            "%s: the unit of time is \"%.40s\"; expected milliseconds, microseconds or the like",
            r->path, json_is_string(unit) ? json_string_value(unit) : "");
    for (size_t i = 0; i < json_array_size(results) && !status; i++)
        status = json_read_result(r, json_array_get(results, i), i, milliseconds);
    return status;
}

/* ---- all ---- */

static hed_status json_read_document(json_reader *r, json_t *document)
{
    const json_t *t4 = json_object_get(document, "results"),
                 *ktt = json_object_get(document, "Results");
    if (json_is_array(t4) && json_array_size(t4))
        return json_read_results(r, t4, json_object_get(document, "metadata"));
    if (json_is_array(ktt) && json_array_size(ktt))
        return json_read_results(r, ktt, json_object_get(document, "Metadata"));
    if (json_is_array(json_object_get(document, "tune_params_keys")) &&
        json_is_object(json_object_get(document, "cache")))
        return json_read_cache(r, document);
    return hed_fail(r->error, HED_ERROR_FORMAT,
        "%s: neither \"tune_params_keys\" and \"cache\" nor results; expected a cache file of Kernel "
        "Tuner, or results of T4 or of KTT",
        r->path);
}

hed_status recorded_json_read(
    recorded_table *t, const char *path, const char *text, hed_error *error)
{
    json_error_t cause = {0};
    json_reader r = {.table = t, .path = path, .error = error};
    json_t *document = json_load(text, &cause);
    if (!document) return hed_fail(error, HED_ERROR_FORMAT, "%s:%d: %s", path, cause.line, cause.text);
    hed_status status = json_read_document(&r, document);
    json_decref(document);
    tdestroy(r.rows, free);
    return status;
}
