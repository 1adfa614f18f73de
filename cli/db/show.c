/* heddle db list, heddle db show: the tuning database as tables for people and as JSON for
 * programs. */
#include "db.h"
#include "support/errors.h"
#include "support/json.h"
#include "cli/common/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "1.23 ms": seconds for people; energies and metrics as they are. */
static void format_value(const char *objective, double value, char *text, size_t size)
{
    static const struct {
        double least, scale;
        const char *unit;
    } units[] = {{1, 1, "s"}, {1e-3, 1e3, "ms"}, {1e-6, 1e6, "us"}, {0, 1e9, "ns"}};
    int unit = 0;
    if (strcmp(objective, "time") != 0) {
        snprintf(text, size, "%.4g%s", value, strcmp(objective, "energy") == 0 ? " J" : "");
        return;
    }
    while (value < units[unit].least) unit++;
    snprintf(text, size, "%.4g %s", value * units[unit].scale, units[unit].unit);
}

/* "NVIDIA H200 (cuda)". */
static void format_device(const hed_database_entry *e, char *text, size_t size)
{
    snprintf(text, size, "%.40s (%s)", e->device, e->backend);
}

/* What sets a key apart beside kernel, device and size: the unusual, by name. */
static const char *mode_of(const hed_database_entry *e)
{
    bool time = strcmp(e->objective, "time") == 0;
    return time ? (strcmp(e->math, "fast") == 0 ? "" : e->math) : e->objective;
}

/* ---- list ---- */

/* One line for each key: its KEY entry, and its CHOICE where there is one comes next. */
typedef struct listing {
    hed_table *table;
    hed_records *records;
    uint64_t keys;
    bool waiting; /* the key's line lacks what its choice would say */
} listing;

static void close_line(listing *l)
{
    for (int i = 0; l->waiting && i < 3; i++) hed_table_cell(l->table, "-");
    l->waiting = false;
}

static void list_key(listing *l, const hed_database_entry *e)
{
    char device[64];
    close_line(l);
    l->keys++;
    l->waiting = true;
    format_device(e, device, sizeof device);
    hed_table_cell(l->table, "%s", e->kernel);
    hed_table_cell(l->table, "%s", device);
    hed_table_cell(l->table, "%.20s", e->driver);
    hed_table_cell(l->table, "%s", e->problem[0] ? e->problem : "any");
    hed_table_cell(l->table, "%s", mode_of(e));
    hed_table_cell(l->table, "%" PRIu64, e->measurements);
    hed_records_next(l->records);
    hed_records_text(l->records, "kernel", e->kernel);
    hed_records_text(l->records, "source", e->source);
    hed_records_text(l->records, "backend", e->backend);
    hed_records_text(l->records, "platform", e->platform);
    hed_records_text(l->records, "device", e->device);
    hed_records_text(l->records, "driver", e->driver);
    hed_records_text(l->records, "compiler", e->compiler);
    hed_records_text(l->records, "math", e->math);
    hed_records_text(l->records, "objective", e->objective);
    hed_records_text(l->records, "problem", e->problem);
    hed_records_integer(l->records, "measurements", e->measurements);
}

static void list_choice(listing *l, const hed_database_entry *e)
{
    char value[32];
    format_value(e->objective, e->seconds, value, sizeof value);
    hed_table_cell(l->table, "%s", value);
    if (isnan(e->default_seconds)) hed_table_cell(l->table, "-");
    else hed_table_cell(l->table, "%.2fx", e->default_seconds / e->seconds);
    hed_table_cell(l->table, "%s", e->config[0] ? e->config : "(no parameters)");
    l->waiting = false;
    hed_records_text(l->records, "config", e->config);
    hed_records_number(l->records, "seconds", e->seconds);
    hed_records_number(l->records, "low", e->low);
    hed_records_number(l->records, "high", e->high);
    hed_records_number(l->records, "default_seconds", e->default_seconds);
    hed_records_number(l->records, "gain", e->default_seconds / e->seconds);
}

static hed_status list_entry(void *user, const hed_database_entry *e, hed_error *error)
{
    if (hed_interrupted()) return hed_error_set(error, HED_ERROR_TIMEOUT, "interrupted");
    if (e->kind == HED_RECORD_KEY) list_key(user, e);
    else list_choice(user, e);
    return HED_OK;
}

static void say_nothing_there(
    const hed_arguments *arguments, const cli_session *session, const hed_database *database)
{
    const char *path =
        database ? hed_database_path(database)
                 : hed_context_database_path(session->context, hed_given(arguments, "installed"));
    printf("nothing was found in %s\n", path[0] ? path : "a database that is not installed");
}

static int run_list(const hed_arguments *arguments, void *user)
{
    (void)user;
    static const char *const headings[] = {"KERNEL", "DEVICE", "DRIVER", "SIZE", "MODE", ">TRIED",
        ">BEST", ">GAIN", "CONFIGURATION", NULL};
    cli_session session;
    hed_database *database;
    hed_error error;
    bool json = hed_given(arguments, "json");
    listing l = {.table = json ? NULL : hed_table_create(headings),
        .records = json ? hed_records_create() : NULL};
    hed_record_filter filter = cli_record_filter(arguments, HED_RECORD_KEY | HED_RECORD_CHOICE);
    hed_status status = cli_open_database(arguments, &session, false, &database, &error);
    if (status == HED_OK && database)
        status = hed_database_each(database, &filter, list_entry, &l, &error);
    close_line(&l);
    if (status == HED_OK && json) status = hed_records_print(l.records, stdout, &error);
    else if (status == HED_OK && l.keys) status = hed_table_print(l.table, stdout, &error);
    else if (status == HED_OK) say_nothing_there(arguments, &session, database);
    hed_table_free(l.table);
    hed_records_free(l.records);
    hed_database_close(database);
    cli_close(&session);
    return cli_end(status, &error);
}

/* ---- show ---- */

enum { SHOWN = 10, OUTCOMES = 16 };

/* The configurations of the key that is being shown, and how many evaluations ended how. */
typedef struct result {
    char *config;
    double seconds, low, high;
    uint32_t runs;
    bool dropped; /* given up early, since it was slower than others */
    size_t place; /* in the order in which they were measured */
} result;

typedef struct showing {
    hed_records *records; /* instead of tables */
    result *results;
    size_t count, capacity;
    struct {
        char name[16];
        uint64_t count;
    } outcomes[OUTCOMES];
    uint32_t outcome_count;
    uint64_t keys;
    bool open;         /* a key whose table is not printed yet */
    char chosen[4096]; /* its choice */
    char objective[16];
} showing;

static int compare_configs(const void *a, const void *b)
{
    const result *x = a, *y = b;
    int order = strcmp(x->config, y->config);
    return order ? order : (x->place < y->place) - (x->place > y->place);
}

static int compare_seconds(const void *a, const void *b)
{
    const result *x = a, *y = b;
    return x->seconds < y->seconds ? -1 : x->seconds > y->seconds;
}

static void forget_key(showing *s)
{
    for (size_t i = 0; i < s->count; i++) free(s->results[i].config);
    s->count = 0;
    s->outcome_count = 0;
    s->chosen[0] = 0;
    s->open = false;
}

static void count_outcome(showing *s, const char *outcome)
{
    uint32_t i = 0;
    while (i < s->outcome_count && strcmp(s->outcomes[i].name, outcome) != 0) i++;
    if (i == OUTCOMES) return;
    if (i == s->outcome_count) {
        snprintf(s->outcomes[i].name, sizeof s->outcomes[i].name, "%s", outcome);
        s->outcomes[i].count = 0;
        s->outcome_count++;
    }
    s->outcomes[i].count++;
}

static hed_status add_result(showing *s, const hed_database_entry *e, hed_error *error)
{
    if (s->count == s->capacity) {
        size_t capacity = s->capacity ? s->capacity * 2 : 64;
        result *larger = realloc(s->results, capacity * sizeof *larger);
        if (!larger)
            return hed_error_set(
                error, HED_ERROR_MEMORY, "out of memory after %zu measurements", s->count);
        s->results = larger;
        s->capacity = capacity;
    }
    char *config = strdup(e->config);
    if (!config)
        return hed_error_set(
            error, HED_ERROR_MEMORY, "out of memory after %zu measurements", s->count);
    bool dropped = strcmp(e->outcome, "dropped") == 0;
    s->results[s->count] =
        (result){config, e->seconds, e->low, e->high, e->runs, dropped, s->count};
    s->count++;
    return HED_OK;
}

/* The newest measurement of each configuration, the fastest first. */
static void rank_results(showing *s)
{
    size_t kept = 0;
    if (!s->count) return;
    qsort(s->results, s->count, sizeof *s->results, compare_configs);
    for (size_t i = 0; i < s->count; i++)
        if (kept && strcmp(s->results[i].config, s->results[kept - 1].config) == 0)
            free(s->results[i].config);
        else s->results[kept++] = s->results[i];
    s->count = kept;
    qsort(s->results, s->count, sizeof *s->results, compare_seconds);
}

static hed_status print_results(const showing *s, hed_error *error)
{
    static const char *const headings[] = {
        ">", ">BEST", ">FROM", ">TO", ">RUNS", "ENDED", "CONFIGURATION", NULL};
    hed_table *table = hed_table_create(headings);
    for (size_t i = 0; i < s->count && i < SHOWN; i++) {
        const result *r = &s->results[i];
        char value[32], low[32] = "-", high[32] = "-";
        format_value(s->objective, r->seconds, value, sizeof value);
        if (!isnan(r->low)) format_value(s->objective, r->low, low, sizeof low);
        if (!isnan(r->high)) format_value(s->objective, r->high, high, sizeof high);
        hed_table_cell(table, "%zu%s", i + 1, strcmp(r->config, s->chosen) == 0 ? "*" : "");
        hed_table_cell(table, "%s", value);
        hed_table_cell(table, "%s", low);
        hed_table_cell(table, "%s", high);
        hed_table_cell(table, "%" PRIu32, r->runs);
        hed_table_cell(table, "%s", r->dropped ? "early" : "");
        hed_table_cell(table, "%s", r->config);
    }
    hed_status status = hed_table_print(table, stdout, error);
    hed_table_free(table);
    return status;
}

static hed_status close_key(showing *s, hed_error *error)
{
    hed_status status = HED_OK;
    if (!s->open) return status;
    rank_results(s);
    if (s->outcome_count) printf("  evaluations:");
    for (uint32_t i = 0; i < s->outcome_count; i++)
        printf("%s %" PRIu64 " %s", i ? "," : "", s->outcomes[i].count, s->outcomes[i].name);
    printf(s->outcome_count ? "\n" : "  no measurements\n");
    if (s->count) status = print_results(s, error);
    forget_key(s);
    return status;
}

static hed_status show_key(showing *s, const hed_database_entry *e, hed_error *error)
{
    char device[64];
    hed_status status = close_key(s, error);
    format_device(e, device, sizeof device);
    printf("%s%s on %s, driver %s\n  size %s, %s math, best %s\n", s->keys ? "\n" : "", e->kernel,
        device, e->driver, e->problem[0] ? e->problem : "any", e->math, e->objective);
    s->keys++;
    s->open = true;
    snprintf(s->objective, sizeof s->objective, "%s", e->objective);
    return status;
}

static void show_choice(showing *s, const hed_database_entry *e)
{
    char value[32], former[32];
    format_value(e->objective, e->seconds, value, sizeof value);
    printf("  launches take (*): %s, %s", e->config, value);
    if (!isnan(e->default_seconds)) {
        format_value(e->objective, e->default_seconds, former, sizeof former);
        printf(", the default %s: %.2f times as fast", former, e->default_seconds / e->seconds);
    }
    printf("\n");
    snprintf(s->chosen, sizeof s->chosen, "%s", e->config);
}

static hed_status show_entry(void *user, const hed_database_entry *e, hed_error *error)
{
    showing *s = user;
    if (hed_interrupted()) return hed_error_set(error, HED_ERROR_TIMEOUT, "interrupted");
    if (e->kind == HED_RECORD_KEY) return show_key(s, e, error);
    if (e->kind == HED_RECORD_CHOICE) show_choice(s, e);
    if (e->kind != HED_RECORD_MEASUREMENT) return HED_OK;
    count_outcome(s, e->outcome);
    bool timed = strcmp(e->outcome, "measured") == 0 || strcmp(e->outcome, "dropped") == 0;
    return timed && !isnan(e->seconds) ? add_result(s, e, error) : HED_OK;
}

/* Every measurement, one object each. */
static hed_status show_json(void *user, const hed_database_entry *e, hed_error *error)
{
    showing *s = user;
    if (hed_interrupted()) return hed_error_set(error, HED_ERROR_TIMEOUT, "interrupted");
    if (e->kind == HED_RECORD_KEY) s->keys++, s->chosen[0] = 0;
    if (e->kind == HED_RECORD_CHOICE) snprintf(s->chosen, sizeof s->chosen, "%s", e->config);
    if (e->kind != HED_RECORD_MEASUREMENT) return HED_OK;
    hed_records_next(s->records);
    hed_records_text(s->records, "kernel", e->kernel);
    hed_records_text(s->records, "backend", e->backend);
    hed_records_text(s->records, "device", e->device);
    hed_records_text(s->records, "driver", e->driver);
    hed_records_text(s->records, "math", e->math);
    hed_records_text(s->records, "objective", e->objective);
    hed_records_text(s->records, "problem", e->problem);
    hed_records_text(s->records, "session", e->session);
    hed_records_text(s->records, "settings", e->settings);
    hed_records_integer(s->records, "number", e->number);
    hed_records_text(s->records, "config", e->config);
    hed_records_boolean(s->records, "chosen", strcmp(e->config, s->chosen) == 0);
    hed_records_text(s->records, "outcome", e->outcome);
    hed_records_number(s->records, "seconds", e->seconds);
    hed_records_number(s->records, "low", e->low);
    hed_records_number(s->records, "high", e->high);
    hed_records_integer(s->records, "runs", e->runs);
    hed_records_number(s->records, "build_seconds", e->build_seconds);
    hed_records_number(s->records, "at", e->at);
    hed_records_text(s->records, "text", e->text);
    return HED_OK;
}

static int run_show(const hed_arguments *arguments, void *user)
{
    (void)user;
    cli_session session;
    hed_database *database;
    hed_error error;
    bool json = hed_given(arguments, "json");
    const char *kernel = hed_text_of(arguments, "KERNEL");
    showing s = {.records = json ? hed_records_create() : NULL};
    hed_record_filter filter = {.kernel = kernel, .device = hed_text_of(arguments, "device")};
    hed_status status = cli_open_database(arguments, &session, false, &database, &error);
    if (status == HED_OK && database)
        status = hed_database_each(database, &filter, json ? show_json : show_entry, &s, &error);
    if (status == HED_OK) status = close_key(&s, &error);
    if (status == HED_OK && !s.keys)
        status = hed_error_set(&error, HED_ERROR_ARGUMENT,
            "nothing is known of \"%s\"%s; heddle db list shows what was tuned", kernel,
            filter.device ? " on such a device" : "");
    if (status == HED_OK && json) status = hed_records_print(s.records, stdout, &error);
    forget_key(&s);
    free(s.results);
    hed_records_free(s.records);
    hed_database_close(database);
    cli_close(&session);
    return cli_end(status, &error);
}

/* ---- the commands ---- */

static const hed_option LIST_OPTIONS[] = {{.name = "kernel", .letter = 'k', .kind = HED_OPTION_TEXT,
                                              .value = "NAME", .help = "only this kernel"},
    {.name = "device", .letter = 'd', .kind = HED_OPTION_TEXT, .value = "NAME",
        .help = "only devices whose name or platform has this in it, or of this backend"},
    {0}};
static const hed_option SHOW_POSITIONALS[] = {
    {.name = "KERNEL", .kind = HED_OPTION_TEXT, .required = true, .help = "its name"}, {0}};

const hed_command cli_db_list = {.name = "list",
    .summary = "what was tuned, for which device and size, and what it gained", .description =
        "GAIN is how many times as fast the choice is as the kernel's default configuration.",
    .options = LIST_OPTIONS, .run = run_list};
const hed_command cli_db_show = {.name = "show",
    .summary = "the ten best configurations of a kernel, for each device and size", .description =
        "FROM and TO are the 95 % confidence interval of the median; what ENDED early was slower than "
        "others after a few runs. With --json every measurement is printed.",
    .options = LIST_OPTIONS + 1, .positionals = SHOW_POSITIONALS, .run = run_show};
