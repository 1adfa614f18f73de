/* Reader of recorded tuning spaces. Heddle's own `--csv` (RFC 4180) and the files of other tuners
 * (recorded_json.c) are first converted to a table of texts, then to a recorded space whose domain
 * is the set of occurring values. */
#include "cli/tune/recorded.h"

#include "cli/tune/recorded_table.h"
#include "heddle/author.h"
#include "support/file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    MOST_BYTES = 1 << 28,
    MOST_VALUES = 65535, /* maximum number of values of a parameter: the limit of a space */
    MOST_COLUMNS = 64,
    NO_COLUMN = -1,
    TIME_COLUMN = -2
};

/* ---- the file ---- */

static hed_status recorded_unzip(
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
            return hed_fail(error, code == Z_MEM_ERROR ? HED_ERROR_MEMORY : HED_ERROR_IO,
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
            return hed_fail(error, HED_ERROR_LIMIT,
                "%s is longer than %d MiB, the most that is read", path, MOST_BYTES >> 20);
        }
        if (used == capacity - 1) {
            char *larger = realloc(bytes, capacity *= 2);
            if (!larger) free(bytes);
            bytes = larger;
        }
    }
    return HED_OUT_OF_MEMORY(error, "%s", path);
}

/* Name of a space: "a/b/gemm_A100.tsv.gz" becomes "gemm_A100". */
static char *recorded_name(const char *path)
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

static bool read_integer(const char *text, int64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    return end != text && *end == 0 && errno == 0;
}

/* ---- writing ---- */

static int table_compare(const void *a, const void *b)
{
    long long left = strtoll(*(char *const *)a, NULL, 10),
              right = strtoll(*(char *const *)b, NULL, 10);
    return left < right ? -1 : left > right;
}

/* Writes the distinct values of a column: numbers in ascending order, texts in order of
 * occurrence. */
static bool table_write_domain(FILE *out, const recorded_table *t, size_t column)
{
    size_t rows = t->count / t->columns, count = 0;
    bool numbers = true;
    char **values = malloc((rows + 1) * sizeof *values);
    if (!values) return false;
    for (size_t row = 1; row < rows; row++) {
        char *value = t->cells[row * t->columns + column];
        size_t at = 0;
        while (at < count && strcmp(values[at], value) != 0) at++;
        if (at < count) continue;
        values[count++] = value;
        int64_t number;
        numbers = numbers && read_integer(value, &number);
    }
    if (numbers) qsort(values, count, sizeof *values, table_compare);
    fprintf(out, "%s%s=", column ? "; " : " ", t->cells[column]);
    for (size_t i = 0; i < count; i++) fprintf(out, "%s%s", i ? "," : "", values[i]);
    free(values);
    return true;
}

static hed_status table_write(
    const recorded_table *t, const char *path, char **converted, hed_error *error)
{
    size_t size;
    for (size_t i = 0; i < t->count; i++)
        if (strpbrk(t->cells[i], "\t\n\r,;") || !t->cells[i][0])
            return hed_fail(error, HED_ERROR_FORMAT,
                "%s: the value \"%.60s\" of %.40s: expected words without tabs, commas, semicolons "
                "and ends of lines",
                path, t->cells[i], t->cells[i % t->columns]);
    FILE *out = open_memstream(converted, &size);
    if (!out) return HED_OUT_OF_MEMORY(error, "%s", path);
    fputs("# domain:", out);
    bool fine = true;
    for (size_t i = 0; i + 1 < t->columns && fine; i++) fine = table_write_domain(out, t, i);
    fputc('\n', out);
    for (size_t i = 0; i < t->count; i++)
        fprintf(out, "%s%c", t->cells[i], i % t->columns + 1 == t->columns ? '\n' : '\t');
    fine = !ferror(out) && fine;
    fine = fclose(out) == 0 && fine;
    if (fine) return HED_OK;
    free(*converted);
    *converted = NULL;
    return HED_OUT_OF_MEMORY(error, "%s", path);
}

/* ---- Heddle's own CSV ---- */

static const char OUTCOME[] = "outcome";

/* Returns the next field without quotes; `*at` is then after it and its comma or line end. */
static char *csv_next(const char **at, bool *last)
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

/* Reads a row: parameters are before "outcome"; after it is the value, s. */
static hed_status csv_read_row(
    recorded_table *t, const char *path, uint32_t line, const char **at, hed_error *error)
{
    char *outcome = NULL;
    bool last = false, fine = true;
    for (size_t i = 0; i < t->columns + 1 && fine && !last; i++) {
        char *field = csv_next(at, &last);
        fine = field != NULL;
        if (i + 1 == t->columns) outcome = field;
        else if (i < t->columns) fine = recorded_table_add(t, field);
        else if (fine) {
            bool works =
                outcome && (strcmp(outcome, "measured") == 0 || strcmp(outcome, "dropped") == 0);
            char text[64];
            snprintf(text, sizeof text, "%.9g", strtod(field, NULL) * 1e3);
            fine = recorded_table_add(t, strdup(works ? text : "invalid"));
            free(field);
        }
    }
    free(outcome);
    while (fine && !last) {
        char *rest = csv_next(at, &last);
        fine = rest != NULL;
        free(rest);
    }
    if (!fine) return HED_OUT_OF_MEMORY(error, "%s", path);
    if (t->count % t->columns == 0) return HED_OK;
    return hed_fail(error, HED_ERROR_FORMAT,
        "%s: row %u has too few fields: expected %zu parameters, %s and value", path, line,
        t->columns - 1, OUTCOME);
}

static hed_status csv_read(recorded_table *t, const char *path, const char *text, hed_error *error)
{
    bool last = false;
    while (!last) {
        char *name = csv_next(&text, &last);
        if (!name) return HED_OUT_OF_MEMORY(error, "%s", path);
        bool end = strcmp(name, OUTCOME) == 0;
        if (end) free(name);
        else if (!recorded_table_add(t, name)) return HED_OUT_OF_MEMORY(error, "%s", path);
        if (end) break;
    }
    if (!recorded_table_add(t, strdup("time_ms"))) return HED_OUT_OF_MEMORY(error, "%s", path);
    t->columns = t->count;
    while (!last) {
        char *name = csv_next(&text, &last);
        if (!name) return HED_OUT_OF_MEMORY(error, "%s", path);
        free(name);
    }
    hed_status status = HED_OK;
    for (uint32_t row = 1; *text && !status; row++)
        status = csv_read_row(t, path, row, &text, error);
    return status;
}

/* Converts a text to the format of recorded spaces. The caller frees `*converted`; NULL: judging by
 * its beginning, `text` is in that format already. */
static hed_status recorded_convert(
    const char *path, const char *text, char **converted, hed_error *error)
{
    recorded_table t = {0};
    hed_status status = HED_OK;
    *converted = NULL;
    const char *names = strstr(text, ",outcome,value,");
    if (names && (size_t)(names - text) < strcspn(text, "\r\n")) {
        status = csv_read(&t, path, text, error);
    } else if (text[strspn(text, " \t\r\n")] == '{') {
        status = recorded_json_read(&t, path, text, error);
    } else {
        return HED_OK;
    }
    if (status == HED_OK) status = table_write(&t, path, converted, error);
    for (size_t i = 0; i < t.count; i++) free(t.cells[i]);
    free(t.cells);
    return status;
}

/* ---- lines ---- */

typedef struct reader {
    hed_recorded_space *recorded;
    const char *path;
    char *next; /* unread rest; NULL: end */
    uint32_t line;
    bool converted;            /* the lines are not the file's lines */
    int columns[MOST_COLUMNS]; /* content of each column: a parameter, NO_COLUMN or TIME_COLUMN */
    uint32_t column_count;
    hed_error *error;
} reader;

/* Cuts off the next line; NULL at the end. */
static char *reader_line(reader *r)
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

/* Location of a row: its line, or, in a converted text (a domain and names precede it), its
 * number. */
static const char *row_unit(const reader *r) { return r->converted ? ": configuration " : ":"; }
static uint32_t row_number(const reader *r) { return r->converted ? r->line - 2 : r->line; }

static hed_status reader_no_memory(const reader *r)
{
    return HED_OUT_OF_MEMORY(r->error, "%s", r->path);
}

/* ---- the domain ---- */

static int recorded_find(const hed_recorded_space *recorded, const char *name)
{
    for (uint32_t i = 0; i < recorded->parameter_count; i++)
        if (strcmp(recorded->parameters[i].name, name) == 0) return (int)i;
    return NO_COLUMN;
}

/* Reads a parameter, "NAME=1,2,4". */
static hed_status reader_parameter(reader *r, char *text)
{
    hed_recorded_space *recorded = r->recorded;
    char *equals = strchr(text, '='), *rest = NULL;
    if (!equals || equals == text)
        return hed_fail(r->error, HED_ERROR_FORMAT,
            "%s:%u: \"%.40s\" in the domain: expected NAME=VALUE,VALUE,...", r->path, r->line,
            text);
    *equals = 0;
    if (recorded->parameter_count == HED_MAX_PARAMETERS)
        return hed_fail(r->error, HED_ERROR_LIMIT, "%s:%u: more than %d parameters", r->path,
            r->line, HED_MAX_PARAMETERS);
    if (recorded_find(recorded, text) != NO_COLUMN)
        return hed_fail(r->error, HED_ERROR_FORMAT, "%s:%u: the parameter \"%.40s\" is there twice",
            r->path, r->line, text);
    int64_t *values = calloc(MOST_VALUES, sizeof *values);
    const char **labels = calloc(MOST_VALUES, sizeof *labels);
    hed_parameter_def *parameter = &recorded->parameters[recorded->parameter_count++];
    *parameter = (hed_parameter_def){.name = text, .values = values, .labels = labels};
    if (!values || !labels) return reader_no_memory(r);
    bool whole = true;
    for (char *word = strtok_r(equals + 1, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        if (parameter->count == MOST_VALUES)
            return hed_fail(r->error, HED_ERROR_LIMIT, "%s:%u: \"%.40s\" has more than %d values",
                r->path, r->line, text, MOST_VALUES);
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

static hed_status reader_domain(reader *r, char *text)
{
    hed_status status = HED_OK;
    char *rest = NULL;
    for (char *word = strtok_r(text, ";", &rest); word && !status;
         word = strtok_r(NULL, ";", &rest)) {
        word += strspn(word, " \t");
        if (*word) status = reader_parameter(r, word);
    }
    return status;
}

/* ---- columns and rows ---- */

static hed_status reader_columns(reader *r, char *line)
{
    hed_recorded_space *recorded = r->recorded;
    uint32_t named = 0, times = 0;
    for (char *word; (word = strsep(&line, "\t"));) {
        if (r->column_count == MOST_COLUMNS)
            return hed_fail(r->error, HED_ERROR_LIMIT, "%s:%u: more than %d columns", r->path,
                r->line, MOST_COLUMNS);
        int column = strcmp(word, "time_ms") == 0 ? TIME_COLUMN : recorded_find(recorded, word);
        for (uint32_t i = 0; i < r->column_count && column != NO_COLUMN; i++)
            if (r->columns[i] == column)
                return hed_fail(r->error, HED_ERROR_FORMAT,
                    "%s:%u: the column \"%.40s\" is there twice", r->path, r->line, word);
        r->columns[r->column_count++] = column;
        named += column >= 0;
        times += column == TIME_COLUMN;
    }
    if (recorded->parameter_count == 0)
        return hed_fail(r->error, HED_ERROR_FORMAT,
            "%s:%u: no line \"# domain: NAME=VALUE,VALUE,...; ...\" before the columns' names",
            r->path, r->line);
    if (named != recorded->parameter_count || times != 1)
        return hed_fail(r->error, HED_ERROR_FORMAT,
            "%s:%u: of the domain's %u parameters and time_ms, %u are among the columns", r->path,
            r->line, recorded->parameter_count, named + times);
    return HED_OK;
}

static bool recorded_grow(hed_recorded_space *recorded)
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

static hed_status reader_time(const reader *r, const char *word, double *time)
{
    char *end;
    *time = NAN;
    if (strcmp(word, "invalid") == 0) return HED_OK;
    *time = strtod(word, &end);
    if (end == word || *end || !(*time > 0) || isinf(*time))
        return hed_fail(r->error, HED_ERROR_FORMAT,
            "%s%s%u: time_ms is \"%.40s\": expected a positive number or invalid", r->path,
            row_unit(r), row_number(r), word);
    return HED_OK;
}

static hed_status reader_row(reader *r, char *line)
{
    hed_recorded_space *recorded = r->recorded;
    if (!recorded_grow(recorded)) return reader_no_memory(r);
    int64_t *values = recorded->values + recorded->count * recorded->parameter_count;
    hed_status status = HED_OK;
    uint32_t column = 0;
    for (char *word; (word = strsep(&line, "\t")) && !status; column++) {
        int content = column < r->column_count ? r->columns[column] : NO_COLUMN;
        if (content == TIME_COLUMN)
            status = reader_time(r, word, &recorded->times[recorded->count]);
        if (content < 0) continue;
        /* a number or, if the domain has texts, one of them */
        const hed_parameter_def *parameter = &recorded->parameters[content];
        uint32_t place = 0;
        while (parameter->labels && place < parameter->count &&
               strcmp(parameter->labels[place], word) != 0)
            place++;
        values[content] = place;
        if (parameter->labels ? place == parameter->count : !read_integer(word, &values[content]))
            return hed_fail(r->error, HED_ERROR_FORMAT, "%s%s%u: %s is \"%.40s\": expected %s",
                r->path, row_unit(r), row_number(r), recorded->parameters[content].name, word,
                recorded->parameters[content].labels ? "one of the domain's values"
                                                     : "a whole number");
    }
    if (!status && column != r->column_count)
        return hed_fail(r->error, HED_ERROR_FORMAT, "%s:%u: %u columns, expected %u", r->path,
            r->line, column, r->column_count);
    recorded->count++;
    return status;
}

/* Creates the space, which checks that values are in the domain and configurations are unique. */
static hed_status reader_space(reader *r, uint32_t first_row)
{
    hed_recorded_space *recorded = r->recorded;
    hed_error cause = {0};
    hed_status status = hed_space_create_list(NULL, recorded->parameters, recorded->parameter_count,
        recorded->values, recorded->count, &recorded->space, &cause);
    if (!status) return HED_OK;
    return hed_fail(r->error, status == HED_ERROR_ARGUMENT ? HED_ERROR_FORMAT : status,
        "%s: %s (point 0 is %s %u)", r->path, cause.text, r->converted ? "configuration" : "line",
        r->converted ? 1 : first_row);
}

static hed_status reader_parse(reader *r)
{
    static const char DOMAIN[] = "# domain:";
    char *line = reader_line(r);
    hed_status status = HED_OK;
    for (; line && line[0] == '#' && !status; line = reader_line(r))
        if (strncmp(line, DOMAIN, sizeof DOMAIN - 1) == 0)
            status = reader_domain(r, line + sizeof DOMAIN - 1);
    if (status) return status;
    if (!line)
        return hed_fail(r->error, HED_ERROR_FORMAT,
            "%s:%u: the file ends before the columns' names", r->path, r->line);
    status = reader_columns(r, line);
    uint32_t first_row = r->line + 1;
    while (!status && (line = reader_line(r)) && *line) status = reader_row(r, line);
    if (status) return status;
    if (line && reader_line(r))
        return hed_fail(r->error, HED_ERROR_FORMAT, "%s:%u: an empty line, and more behind it",
            r->path, r->line - 1);
    if (r->recorded->count == 0)
        return hed_fail(r->error, HED_ERROR_FORMAT,
            "%s:%u: no configurations behind the columns' names", r->path, r->line);
    return reader_space(r, first_row);
}

/* ---- public functions ---- */

hed_status hed_recorded_space_parse(
    const char *path, const char *text, size_t size, hed_recorded_space *recorded, hed_error *error)
{
    *recorded = (hed_recorded_space){.name = recorded_name(path)};
    /* names of parameters and text values point into it */
    recorded->words = malloc(size + 1);
    reader r = {.recorded = recorded, .path = path, .error = error};
    char *converted = NULL;
    hed_status status = recorded->name && recorded->words ? HED_OK : reader_no_memory(&r);
    if (size && memchr(text, 0, size))
        status = hed_fail(error, HED_ERROR_FORMAT, "%s: a zero byte: this is not a text", path);
    if (status == HED_OK) {
        memcpy(recorded->words, text, size);
        recorded->words[size] = 0;
        status = recorded_convert(path, recorded->words, &converted, error);
    }
    if (converted) {
        free(recorded->words);
        recorded->words = converted;
        r.converted = true;
    }
    r.next = recorded->words;
    if (status || (status = reader_parse(&r))) hed_recorded_space_free(recorded);
    return status;
}

hed_status hed_recorded_space_read(const char *path, hed_recorded_space *recorded, hed_error *error)
{
    char *text = NULL;
    size_t size = 0;
    *recorded = (hed_recorded_space){0};
    hed_status readable = hed_file_require_regular(path, error);
    if (readable) return readable;
    errno = 0;
    gzFile file = gzopen(path, "rbe");
    if (!file)
        return hed_fail(error, errno == 0 || errno == ENOMEM ? HED_ERROR_MEMORY : HED_ERROR_IO,
            "cannot open %s: %s", path, strerror(errno));
    hed_status status = recorded_unzip(file, path, &text, &size, error);
    gzclose(file);
    if (status) return status;
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
