/* Reading recorded tuning spaces. */
#include "cli/tune/recorded.h"

#include "support/errors.h"
#include "cli/tune/recorded_convert.h"
#include "support/file.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    MOST_BYTES = 1 << 28,
    MOST_VALUES = 255, /* of a parameter: what a space takes */
    MOST_COLUMNS = 64,
    NO_COLUMN = -1,
    TIME_COLUMN = -2
};

/* ---- the file ---- */

static hed_status read_gzip(
    gzFile file, const char *path, char **text, size_t *size, hed_error *error)
{
    size_t capacity = 1 << 16, used = 0;
    char *bytes = malloc(capacity);
    while (bytes) {
        int got = gzread(file, bytes + used, (unsigned)(capacity - used - 1));
        int code;
        const char *words = gzerror(file, &code);
        if (got < 0 || (got == 0 && code == Z_BUF_ERROR)) {
            free(bytes);
            return hed_error_set(error, code == Z_MEM_ERROR ? HED_ERROR_MEMORY : HED_ERROR_IO,
                "cannot read %s: %s", path, code == Z_ERRNO ? strerror(errno) : words);
        }
        if (got == 0) {
            bytes[used] = 0;
            *text = bytes;
            *size = used;
            return HED_OK;
        }
        used += (size_t)got;
        if (used > MOST_BYTES) {
            free(bytes);
            return hed_error_set(error, HED_ERROR_LIMIT,
                "%s is longer than %d MiB, the most that is read", path, MOST_BYTES >> 20);
        }
        if (used == capacity - 1) {
            char *larger = realloc(bytes, capacity *= 2);
            if (!larger) free(bytes);
            bytes = larger;
        }
    }
    return hed_error_set(error, HED_ERROR_MEMORY, "out of memory for %s", path);
}

/* "a/b/gemm_A100.tsv.gz" gives "gemm_A100". */
static char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *begin = slash ? slash + 1 : path;
    size_t size = strlen(begin);
    static const char *const endings[] = {".gz", ".tsv", ".csv", ".json"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t ending = strlen(endings[i]);
        if (size > ending && memcmp(begin + size - ending, endings[i], ending) == 0) size -= ending;
    }
    return strndup(begin, size);
}

/* ---- lines ---- */

typedef struct reader {
    hed_recorded_space *recorded;
    const char *path;
    char *next; /* what is still to read; NULL: nothing */
    uint32_t line;
    bool converted;            /* the lines are not those of the file */
    int columns[MOST_COLUMNS]; /* what each one holds: a parameter, NO_COLUMN or TIME_COLUMN */
    uint32_t column_count;
    hed_error *error;
} reader;

/* Cuts the next line off; NULL: there is none. */
static char *next_line(reader *r)
{
    char *line = r->next;
    if (!line || !*line) return NULL;
    char *end = strchr(line, '\n');
    r->next = end ? end + 1 : NULL;
    if (end) *end = 0;
    size_t size = strlen(line);
    if (size > 0 && line[size - 1] == '\r') line[size - 1] = 0;
    r->line++;
    return line;
}

/* Where a row is: its line, or, where the text has been converted (a domain and names before it),
 * its number. */
static const char *row_unit(const reader *r) { return r->converted ? ": configuration " : ":"; }
static uint32_t row_number(const reader *r) { return r->converted ? r->line - 2 : r->line; }

static hed_status out_of_memory(const reader *r)
{
    return hed_error_set(r->error, HED_ERROR_MEMORY, "out of memory for %s", r->path);
}

static bool read_integer(const char *text, int64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    return end != text && *end == 0 && errno == 0;
}

/* ---- the domain ---- */

static int find_parameter(const hed_recorded_space *recorded, const char *name)
{
    for (uint32_t i = 0; i < recorded->parameter_count; i++)
        if (strcmp(recorded->parameters[i].name, name) == 0) return (int)i;
    return NO_COLUMN;
}

/* "NAME=1,2,4" */
static hed_status read_parameter(reader *r, char *text)
{
    hed_recorded_space *recorded = r->recorded;
    char *equals = strchr(text, '='), *rest = NULL;
    if (!equals || equals == text)
        return hed_error_set(r->error, HED_ERROR_FORMAT,
            "%s:%u: \"%.40s\" in the domain: expected NAME=VALUE,VALUE,...", r->path, r->line,
            text);
    *equals = 0;
    if (recorded->parameter_count == HED_MAX_PARAMETERS)
        return hed_error_set(r->error, HED_ERROR_LIMIT, "%s:%u: more than %d parameters", r->path,
            r->line, HED_MAX_PARAMETERS);
    if (find_parameter(recorded, text) != NO_COLUMN)
        return hed_error_set(r->error, HED_ERROR_FORMAT,
            "%s:%u: the parameter \"%.40s\" is there twice", r->path, r->line, text);
    int64_t *values = calloc(MOST_VALUES, sizeof *values);
    const char **labels = calloc(MOST_VALUES, sizeof *labels);
    hed_parameter_def *parameter = &recorded->parameters[recorded->parameter_count++];
    *parameter = (hed_parameter_def){.name = text, .values = values, .labels = labels};
    if (!values || !labels) return out_of_memory(r);
    bool whole = true;
    for (char *word = strtok_r(equals + 1, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        if (parameter->count == MOST_VALUES)
            return hed_error_set(r->error, HED_ERROR_LIMIT,
                "%s:%u: \"%.40s\" has more than %d values", r->path, r->line, text, MOST_VALUES);
        whole = read_integer(word, &values[parameter->count]) && whole;
        labels[parameter->count++] = word;
    }
    for (uint32_t i = 0; i < parameter->count && !whole; i++) values[i] = i;
    if (whole) {
        free(labels);
        parameter->labels = NULL;
    }
    parameter->value = values[0];
    return HED_OK;
}

static hed_status read_domain(reader *r, char *text)
{
    hed_status status = HED_OK;
    char *rest = NULL;
    for (char *word = strtok_r(text, ";", &rest); word && status == HED_OK;
         word = strtok_r(NULL, ";", &rest)) {
        word += strspn(word, " \t");
        if (*word) status = read_parameter(r, word);
    }
    return status;
}

/* ---- columns and rows ---- */

static hed_status read_columns(reader *r, char *line)
{
    hed_recorded_space *recorded = r->recorded;
    uint32_t found = 0, times = 0;
    for (char *word; (word = strsep(&line, "\t"));) {
        if (r->column_count == MOST_COLUMNS)
            return hed_error_set(r->error, HED_ERROR_LIMIT, "%s:%u: more than %d columns", r->path,
                r->line, MOST_COLUMNS);
        int column = strcmp(word, "time_ms") == 0 ? TIME_COLUMN : find_parameter(recorded, word);
        for (uint32_t i = 0; i < r->column_count && column != NO_COLUMN; i++)
            if (r->columns[i] == column)
                return hed_error_set(r->error, HED_ERROR_FORMAT,
                    "%s:%u: the column \"%.40s\" is there twice", r->path, r->line, word);
        r->columns[r->column_count++] = column;
        found += column >= 0;
        times += column == TIME_COLUMN;
    }
    if (recorded->parameter_count == 0)
        return hed_error_set(r->error, HED_ERROR_FORMAT,
            "%s:%u: no line \"# domain: NAME=VALUE,VALUE,...; ...\" before the columns' names",
            r->path, r->line);
    if (found != recorded->parameter_count || times != 1)
        return hed_error_set(r->error, HED_ERROR_FORMAT,
            "%s:%u: of the domain's %u parameters and time_ms, %u are among the columns", r->path,
            r->line, recorded->parameter_count, found + times);
    return HED_OK;
}

static bool grow(hed_recorded_space *recorded)
{
    if (recorded->count < recorded->capacity) return true;
    uint64_t capacity = recorded->capacity ? recorded->capacity * 2 : 1024;
    double *times = realloc(recorded->times, capacity * sizeof *times);
    recorded->times = times ? times : recorded->times;
    int64_t *values =
        realloc(recorded->values, capacity * recorded->parameter_count * sizeof *values);
    recorded->values = values ? values : recorded->values;
    recorded->capacity = times && values ? capacity : recorded->capacity;
    return times && values;
}

static hed_status read_time(const reader *r, const char *word, double *time)
{
    char *end;
    *time = NAN;
    if (strcmp(word, "invalid") == 0) return HED_OK;
    *time = strtod(word, &end);
    if (end == word || *end || !(*time > 0) || isinf(*time))
        return hed_error_set(r->error, HED_ERROR_FORMAT,
            "%s%s%u: time_ms is \"%.40s\": expected a positive number or invalid", r->path,
            row_unit(r), row_number(r), word);
    return HED_OK;
}

/* The value of a parameter that stands there as a number or, if the domain has texts, as one of
 * them. */
static bool read_value(const hed_parameter_def *parameter, const char *word, int64_t *value)
{
    if (!parameter->labels) return read_integer(word, value);
    for (*value = 0; *value < (int64_t)parameter->count; ++*value)
        if (strcmp(parameter->labels[*value], word) == 0) return true;
    return false;
}

static hed_status read_row(reader *r, char *line)
{
    hed_recorded_space *recorded = r->recorded;
    if (!grow(recorded)) return out_of_memory(r);
    int64_t *values = recorded->values + recorded->count * recorded->parameter_count;
    hed_status status = HED_OK;
    uint32_t column = 0;
    for (char *word; (word = strsep(&line, "\t")) && status == HED_OK; column++) {
        int what = column < r->column_count ? r->columns[column] : NO_COLUMN;
        if (what == TIME_COLUMN) status = read_time(r, word, &recorded->times[recorded->count]);
        if (what >= 0 && !read_value(&recorded->parameters[what], word, &values[what]))
            return hed_error_set(r->error, HED_ERROR_FORMAT, "%s%s%u: %s is \"%.40s\": expected %s",
                r->path, row_unit(r), row_number(r), recorded->parameters[what].name, word,
                recorded->parameters[what].labels ? "one of the domain's values"
                                                  : "a whole number");
    }
    if (status == HED_OK && column != r->column_count)
        return hed_error_set(r->error, HED_ERROR_FORMAT, "%s:%u: %u columns, expected %u", r->path,
            r->line, column, r->column_count);
    recorded->count++;
    return status;
}

/* What a space checks itself: values of the domain, no configuration twice. */
static hed_status make_space(reader *r, uint32_t first_row)
{
    hed_recorded_space *recorded = r->recorded;
    hed_error why = {0};
    hed_status status = hed_space_create_list(NULL, recorded->parameters, recorded->parameter_count,
        recorded->values, recorded->count, &recorded->space, &why);
    if (status == HED_OK) return HED_OK;
    return hed_error_set(r->error, status == HED_ERROR_ARGUMENT ? HED_ERROR_FORMAT : status,
        "%s: %s (point 0 is %s %u)", r->path, why.text, r->converted ? "configuration" : "line",
        r->converted ? 1 : first_row);
}

static hed_status parse(reader *r)
{
    static const char DOMAIN[] = "# domain:";
    char *line = next_line(r);
    hed_status status = HED_OK;
    for (; line && line[0] == '#' && status == HED_OK; line = next_line(r))
        if (strncmp(line, DOMAIN, sizeof DOMAIN - 1) == 0)
            status = read_domain(r, line + sizeof DOMAIN - 1);
    if (status != HED_OK) return status;
    if (!line)
        return hed_error_set(r->error, HED_ERROR_FORMAT,
            "%s:%u: the file ends before the columns' names", r->path, r->line);
    status = read_columns(r, line);
    uint32_t first_row = r->line + 1;
    while (status == HED_OK && (line = next_line(r)) && *line) status = read_row(r, line);
    if (status != HED_OK) return status;
    if (line && next_line(r))
        return hed_error_set(r->error, HED_ERROR_FORMAT, "%s:%u: an empty line, and more behind it",
            r->path, r->line - 1);
    if (r->recorded->count == 0)
        return hed_error_set(r->error, HED_ERROR_FORMAT,
            "%s:%u: no configurations behind the columns' names", r->path, r->line);
    return make_space(r, first_row);
}

/* ---- the whole ---- */

hed_status hed_recorded_space_parse(
    const char *path, const char *text, size_t size, hed_recorded_space *recorded, hed_error *error)
{
    *recorded = (hed_recorded_space){.name = name_of(path)};
    /* names of parameters, and values that are text, point into it */
    recorded->words = malloc(size + 1);
    reader r = {.recorded = recorded, .path = path, .error = error};
    hed_status status = recorded->name && recorded->words ? HED_OK : out_of_memory(&r);
    if (status == HED_OK) {
        memcpy(recorded->words, text, size);
        recorded->words[size] = 0;
        char *converted = NULL;
        if (strlen(recorded->words) != size)
            status =
                hed_error_set(error, HED_ERROR_FORMAT, "%s: a zero byte: this is no text", path);
        else status = hed_recorded_convert(path, recorded->words, &converted, error);
        if (converted) {
            free(recorded->words);
            recorded->words = converted;
            r.converted = true;
        }
        r.next = recorded->words;
    }
    if (status == HED_OK) status = parse(&r);
    if (status != HED_OK) hed_recorded_space_free(recorded);
    return status;
}

hed_status hed_recorded_space_read(const char *path, hed_recorded_space *recorded, hed_error *error)
{
    char *text = NULL;
    size_t size = 0;
    *recorded = (hed_recorded_space){0};
    hed_status readable = hed_file_require_regular(path, error);
    if (readable != HED_OK) return readable;
    errno = 0;
    gzFile file = gzopen(path, "rbe");
    if (!file)
        return hed_error_set(error, errno == 0 || errno == ENOMEM ? HED_ERROR_MEMORY : HED_ERROR_IO,
            "cannot open %s: %s", path, strerror(errno));
    hed_status status = read_gzip(file, path, &text, &size, error);
    gzclose(file);
    if (status != HED_OK) return status;
    status = hed_recorded_space_parse(path, text, size, recorded, error);
    free(text);
    return status;
}

void hed_recorded_space_free(hed_recorded_space *recorded)
{
    hed_space_destroy(recorded->space);
    for (uint32_t i = 0; i < recorded->parameter_count; i++) {
        free((void *)recorded->parameters[i].values);
        free((void *)recorded->parameters[i].labels);
    }
    free(recorded->name);
    free(recorded->times);
    free(recorded->values);
    free(recorded->words);
    *recorded = (hed_recorded_space){0};
}
