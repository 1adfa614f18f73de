/* heddle db: content of the tuning database as tables and as JSON, export, import and pruning. */
#include "cli/common/command.h"
#include "cli/common/report.h"
#include "cli/db/module.h"
#include "heddle/database.h"
#include "heddle/tune_file.h"
#include "heddle/author.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- opening ---- */

static const char *database_path_of(const hed_arguments *arguments, const cli_session *session)
{
    const char *option = hed_text_of(arguments, "database");
    hed_context_info info = hed_context_describe(session->context);
    return option                              ? option
           : hed_given(arguments, "installed") ? info.installed_database
                                               : info.database;
}

/* Opens the context and the database that the options name. `*database` is NULL, with status OK, if
 * the user's own is to be read and does not exist: nothing has been tuned. Close both, even after a
 * failure. */
static hed_status db_open(const hed_arguments *arguments, cli_session *session, bool write,
    hed_database **database, hed_error *error)
{
    *database = NULL;
    hed_status status = cli_open_context(arguments, session, error);
    if (status) return status;
    const char *path = database_path_of(arguments, session);
    if (write && hed_given(arguments, "installed") && !hed_given(arguments, "database"))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "--installed: that database is only read; change your own, without the option");
    if (!path[0])
        return hed_fail(error, HED_ERROR_IO, "%s",
            hed_given(arguments, "installed")
                ? "no tuning database came with this installation of Heddle"
                : "there is no tuning database: HEDDLE_DATABASE is none, or HOME is not set");
    if (!write && !hed_given(arguments, "database") && access(path, F_OK) != 0) return HED_OK;
    return hed_database_open(session->context, path, !write, database, error);
}

/* Closes database and session, and returns the exit code. */
static int db_close(
    cli_session *session, hed_database *database, hed_status status, const hed_error *error)
{
    hed_database_close(database);
    cli_close(session);
    return cli_end(status, error);
}

/* Filter given by --kernel and --device; the command must have both options. */
static hed_record_filter record_filter(const hed_arguments *arguments, uint32_t kinds)
{
    return (hed_record_filter){.kinds = kinds,
        .kernel = hed_text_of(arguments, "kernel"),
        .device = hed_text_of(arguments, "device")};
}

/* Formats a value: times as "1.23 ms"; energies and metrics unchanged. */
static void format_value(const char *objective, double value, char *text, size_t size)
{
    static const struct {
        double minimum, scale;
        const char *unit;
    } units[] = {{1, 1, "s"}, {1e-3, 1e3, "ms"}, {1e-6, 1e6, "us"}, {0, 1e9, "ns"}};
    int unit = 0;
    if (strcmp(objective, "time") != 0) {
        snprintf(text, size, "%.4g%s", value, strcmp(objective, "energy") == 0 ? " J" : "");
        return;
    }
    while (value < units[unit].minimum) unit++;
    snprintf(text, size, "%.4g %s", value * units[unit].scale, units[unit].unit);
}

/* Formats a device: "NVIDIA H200 (cuda)". */
static void format_device(const hed_database_entry *e, char *text, size_t size)
{
    snprintf(text, size, "%.40s (%s)", e->device, e->backend);
}

/* ---- list ---- */

/* A row per key: its KEY entry, completed by its CHOICE entry, which follows if there is one. */
typedef struct listing {
    cli_report *report;
    bool waiting; /* the key's row still lacks the columns of its choice */
} listing;

static void listing_close_row(listing *l)
{
    if (l->waiting)
        cli_report_more(l->report, CLI_TEXT(NULL, "-", .heading = ">BEST"),
            CLI_TEXT(NULL, "-", .heading = ">GAIN"),
            CLI_TEXT(NULL, "-", .heading = "CONFIGURATION"));
    l->waiting = false;
}

static void listing_add_key(listing *l, const hed_database_entry *e)
{
    char device[64], driver[24];
    listing_close_row(l);
    l->waiting = true;
    format_device(e, device, sizeof device);
    snprintf(driver, sizeof driver, "%.20s", e->driver);
    /* unusual properties of a key other than kernel, device and size, by name */
    const char *mode = e->objective;
    if (strcmp(mode, "time") == 0) mode = strcmp(e->math, "fast") == 0 ? "" : e->math;
    cli_report_row(l->report, CLI_TEXT("kernel", e->kernel, .heading = "KERNEL"),
        CLI_TEXT("source", e->source), CLI_TEXT("backend", e->backend),
        CLI_TEXT("platform", e->platform),
        CLI_TEXT("device", e->device, .heading = "DEVICE", .shown = device),
        CLI_TEXT("driver", e->driver, .heading = "DRIVER", .shown = driver),
        CLI_TEXT("compiler", e->compiler), CLI_TEXT("math", e->math),
        CLI_TEXT("objective", e->objective),
        CLI_TEXT("problem", e->problem, .heading = "SIZE", .shown = e->problem[0] ? NULL : "any"),
        CLI_TEXT(NULL, mode, .heading = "MODE"),
        CLI_WHOLE("measurements", e->measurements, .heading = ">TRIED"));
}

static void listing_add_choice(listing *l, const hed_database_entry *e)
{
    char value[32];
    format_value(e->objective, e->seconds, value, sizeof value);
    bool has_default = !isnan(e->default_seconds);
    cli_report_more(l->report,
        CLI_NUMBER("seconds", e->seconds, .heading = ">BEST", .shown = value),
        CLI_NUMBER("gain", e->default_seconds / e->seconds, .heading = ">GAIN", .format = "%.2fx",
            .shown = has_default ? NULL : "-"),
        CLI_TEXT("config", e->config, .heading = "CONFIGURATION",
            .shown = e->config[0] ? NULL : "(no parameters)"),
        CLI_NUMBER("low", e->low), CLI_NUMBER("high", e->high),
        CLI_NUMBER("default_seconds", e->default_seconds));
    l->waiting = false;
}

static hed_status list_entry(void *user, const hed_database_entry *e, hed_error *error)
{
    if (hed_interrupted()) return hed_fail(error, HED_ERROR_TIMEOUT, "interrupted");
    if (e->kind == HED_RECORD_KEY) listing_add_key(user, e);
    else listing_add_choice(user, e);
    return HED_OK;
}

static int db_list_run(const hed_arguments *arguments, void *user)
{
    cli_session session;
    hed_database *database;
    hed_error error = {0};
    bool json = hed_given(arguments, "json");
    listing l = {.report = cli_report_create(json)};
    hed_record_filter filter = record_filter(arguments, HED_RECORD_KEY | HED_RECORD_CHOICE);
    hed_status status = db_open(arguments, &session, false, &database, &error);
    if (!status && database) status = hed_database_each(database, &filter, list_entry, &l, &error);
    listing_close_row(&l);
    if (!status && !json && !cli_report_rows(l.report)) {
        const char *path =
            database ? hed_database_path(database) : database_path_of(arguments, &session);
        printf("nothing found in %s\n", path[0] ? path : "a database that is not installed");
    }
    status = cli_report_end(l.report, status, &error);
    return db_close(&session, database, status, &error);
}

/* ---- show ---- */

enum { SHOW_LIMIT = 10, OUTCOMES = 16 };

/* Configurations of the key being shown, and counts of outcomes. */
typedef struct result {
    char *config;
    double seconds, low, high;
    uint32_t runs;
    bool dropped; /* abandoned early, since it was slower than others */
    size_t place; /* index in order of measurement */
} result;

typedef struct showing {
    cli_report *report; /* report of --json */
    result *results;
    size_t count, capacity;
    struct {
        char name[16];
        uint64_t count;
    } outcomes[OUTCOMES];
    uint32_t outcome_count;
    uint64_t keys;
    bool open;             /* the table of a key is not printed yet */
    char chosen[4096 + 1]; /* the choice, with the maximum length of a record's text */
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

static hed_status showing_add(showing *s, const hed_database_entry *e, hed_error *error)
{
    if (s->count == s->capacity) {
        size_t capacity = s->capacity ? s->capacity * 2 : 64;
        result *larger = realloc(s->results, capacity * sizeof *larger);
        if (!larger) return HED_OUT_OF_MEMORY(error, "more than %zu measurements", s->count);
        s->results = larger;
        s->capacity = capacity;
    }
    char *config = strdup(e->config);
    if (!config) return HED_OUT_OF_MEMORY(error, "more than %zu measurements", s->count);
    bool dropped = strcmp(e->outcome, "dropped") == 0;
    s->results[s->count] =
        (result){config, e->seconds, e->low, e->high, e->runs, dropped, s->count};
    s->count++;
    return HED_OK;
}

/* Keeps the newest measurement of each configuration, fastest first. */
static void rank_results(showing *s)
{
    size_t unique = 0;
    if (!s->count) return;
    qsort(s->results, s->count, sizeof *s->results, compare_configs);
    for (size_t i = 0; i < s->count; i++)
        if (unique && strcmp(s->results[i].config, s->results[unique - 1].config) == 0)
            free(s->results[i].config);
        else s->results[unique++] = s->results[i];
    s->count = unique;
    qsort(s->results, s->count, sizeof *s->results, compare_seconds);
}

static hed_status print_results(const showing *s, hed_error *error)
{
    cli_report *report = cli_report_create(false);
    for (size_t i = 0; i < s->count && i < SHOW_LIMIT; i++) {
        const result *r = &s->results[i];
        char place[24], value[32], low[32] = "-", high[32] = "-";
        snprintf(place, sizeof place, "%zu%s", i + 1, strcmp(r->config, s->chosen) ? "" : "*");
        format_value(s->objective, r->seconds, value, sizeof value);
        if (!isnan(r->low)) format_value(s->objective, r->low, low, sizeof low);
        if (!isnan(r->high)) format_value(s->objective, r->high, high, sizeof high);
        cli_report_row(report, CLI_TEXT(NULL, place, .heading = ">"),
            CLI_TEXT(NULL, value, .heading = ">BEST"), CLI_TEXT(NULL, low, .heading = ">FROM"),
            CLI_TEXT(NULL, high, .heading = ">TO"), CLI_WHOLE(NULL, r->runs, .heading = ">RUNS"),
            CLI_TEXT(NULL, r->dropped ? "early" : "", .heading = "ENDED"),
            CLI_TEXT(NULL, r->config, .heading = "CONFIGURATION"));
    }
    return cli_report_end(report, HED_OK, error);
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
    if (hed_interrupted()) return hed_fail(error, HED_ERROR_TIMEOUT, "interrupted");
    if (e->kind == HED_RECORD_KEY) return show_key(s, e, error);
    if (e->kind == HED_RECORD_CHOICE) show_choice(s, e);
    if (e->kind != HED_RECORD_MEASUREMENT) return HED_OK;
    count_outcome(s, e->outcome);
    bool timed = strcmp(e->outcome, "measured") == 0 || strcmp(e->outcome, "dropped") == 0;
    return timed && !isnan(e->seconds) ? showing_add(s, e, error) : HED_OK;
}

/* Prints every measurement as an object. */
static hed_status show_json(void *user, const hed_database_entry *e, hed_error *error)
{
    showing *s = user;
    if (hed_interrupted()) return hed_fail(error, HED_ERROR_TIMEOUT, "interrupted");
    if (e->kind == HED_RECORD_KEY) s->keys++, s->chosen[0] = 0;
    if (e->kind == HED_RECORD_CHOICE) snprintf(s->chosen, sizeof s->chosen, "%s", e->config);
    if (e->kind != HED_RECORD_MEASUREMENT) return HED_OK;
    cli_report_row(s->report, CLI_TEXT("kernel", e->kernel), CLI_TEXT("backend", e->backend),
        CLI_TEXT("device", e->device), CLI_TEXT("driver", e->driver), CLI_TEXT("math", e->math),
        CLI_TEXT("objective", e->objective), CLI_TEXT("problem", e->problem),
        CLI_TEXT("session", e->session), CLI_TEXT("settings", e->settings),
        CLI_WHOLE("number", e->number), CLI_TEXT("config", e->config),
        CLI_FLAG("chosen", strcmp(e->config, s->chosen) == 0), CLI_TEXT("outcome", e->outcome),
        CLI_NUMBER("seconds", e->seconds), CLI_NUMBER("low", e->low), CLI_NUMBER("high", e->high),
        CLI_WHOLE("runs", e->runs), CLI_NUMBER("build_seconds", e->build_seconds),
        CLI_NUMBER("at", e->at), CLI_TEXT("text", e->text));
    return HED_OK;
}

static int db_show_run(const hed_arguments *arguments, void *user)
{
    cli_session session;
    hed_database *database;
    hed_error error = {0};
    bool json = hed_given(arguments, "json");
    const char *kernel = hed_text_of(arguments, "KERNEL");
    showing s = {.report = json ? cli_report_create(true) : NULL};
    hed_record_filter filter = {.kernel = kernel, .device = hed_text_of(arguments, "device")};
    hed_status status = db_open(arguments, &session, false, &database, &error);
    if (!status && database)
        status = hed_database_each(database, &filter, json ? show_json : show_entry, &s, &error);
    if (!status) status = close_key(&s, &error);
    if (!status && !s.keys)
        status = hed_fail(&error, HED_ERROR_ARGUMENT,
            "nothing is known about \"%s\"%s; \"heddle db list\" shows what has been tuned", kernel,
            filter.device ? " on such a device" : "");
    if (json) status = cli_report_end(s.report, status, &error);
    forget_key(&s);
    free(s.results);
    return db_close(&session, database, status, &error);
}

/* ---- changes ---- */

static void format_changes(const hed_database_changes *c, char *text, size_t size)
{
    const struct {
        uint64_t count;
        const char *singular, *plural;
    } parts[] = {{c->keys, "key", "keys"}, {c->measurements, "measurement", "measurements"},
        {c->choices, "choice", "choices"}, {c->facts, "fact", "facts"}};
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && used < size; i++)
        if (parts[i].count)
            used += (size_t)snprintf(text + used, size - used, "%s%" PRIu64 " %s", used ? ", " : "",
                parts[i].count, parts[i].count == 1 ? parts[i].singular : parts[i].plural);
    if (!used) snprintf(text, size, "nothing");
}

static hed_status print_changes(const hed_arguments *arguments, const hed_database_changes *changes,
    const char *verb, const char *preposition, const char *path, hed_error *error)
{
    if (hed_given(arguments, "json")) {
        cli_report *report = cli_report_create(true);
        cli_report_row(report, CLI_TEXT("file", path), CLI_TEXT("action", verb),
            CLI_WHOLE("keys", changes->keys), CLI_WHOLE("measurements", changes->measurements),
            CLI_WHOLE("choices", changes->choices), CLI_WHOLE("facts", changes->facts));
        return cli_report_end(report, HED_OK, error);
    }
    char text[128];
    format_changes(changes, text, sizeof text);
    printf("%s %s %s %s\n", verb, text, preposition, path);
    return HED_OK;
}

/* ---- export ---- */

/* Exports FILE.js, from which a web page chooses configurations. */
static hed_status export_module(
    const hed_arguments *arguments, hed_database *database, const char *file, hed_error *error)
{
    uint32_t configs = 0;
    if (!hed_given(arguments, "shader"))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "--shader is missing: the module %s needs FILE.wgsl (or its tune file), which has the size of "
            "each configuration's group",
            file);
    if (!cli_module_write(arguments, database, file, &configs, error) &&
        !hed_given(arguments, "quiet"))
        fprintf(stderr, "heddle: wrote %u configurations to %s\n", configs, file);
    return error->status;
}

static hed_status export_count(void *user, const hed_database_entry *entry, hed_error *error)
{
    (void)entry;
    (void)error;
    ++*(uint64_t *)user;
    return HED_OK;
}

/* Exports a file, unless there are no results: an empty file would look like results. */
static hed_status export_file(hed_database *database, const hed_record_filter *filter,
    const char *file, hed_database_changes *count, hed_error *error)
{
    uint64_t entries = 0;
    if (hed_database_each(database, filter, export_count, &entries, error)) return error->status;
    if (!entries)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s is not written: %s has no such results; \"heddle db list\" shows what has been tuned",
            file, hed_database_path(database));
    return hed_exchange_export(database, filter, file, hed_interrupted, count, error);
}

static int db_export_run(const hed_arguments *arguments, void *user)
{
    cli_session session;
    hed_database *database;
    hed_error error = {0};
    hed_database_changes count = {0};
    const char *file = hed_text_of(arguments, "FILE");
    hed_record_filter filter =
        record_filter(arguments, hed_given(arguments, "choices") ? HED_RECORD_CHOICE : 0);
    hed_status status = db_open(arguments, &session, false, &database, &error);
    if (!status && !database)
        status = hed_fail(&error, HED_ERROR_IO, "%s is not there: nothing was tuned yet",
            database_path_of(arguments, &session));
    size_t length = strlen(file);
    bool module = length > 3 && strcmp(file + length - 3, ".js") == 0;
    if (!status && module) status = export_module(arguments, database, file, &error);
    if (!status && !module) status = export_file(database, &filter, file, &count, &error);
    if (!status && !module) status = print_changes(arguments, &count, "wrote", "to", file, &error);
    return db_close(&session, database, status, &error);
}

/* ---- import, merge ---- */

static hed_status import_files(const hed_arguments *arguments, hed_database *database,
    hed_database_changes *added, hed_error *error)
{
    uint32_t count = 0;
    while (hed_text_at(arguments, "FILES", count)) count++;
    const char **paths = calloc(count + 1, sizeof *paths);
    if (!paths) return HED_OUT_OF_MEMORY(error, "%u files", count);
    for (uint32_t i = 0; i < count; i++) paths[i] = hed_text_at(arguments, "FILES", i);
    hed_status status = hed_exchange_import(database, paths, count, hed_interrupted, added, error);
    free(paths);
    return status;
}

static int db_import_run(const hed_arguments *arguments, void *user)
{
    cli_session session;
    hed_database *database;
    hed_error error = {0};
    hed_database_changes added = {0};
    db_open(arguments, &session, true, &database, &error);
    hed_status status = import_files(arguments, database, &added, &error);
    if (!status)
        status =
            print_changes(arguments, &added, "added", "to", hed_database_path(database), &error);
    return db_close(&session, database, status, &error);
}

static int db_merge_run(const hed_arguments *arguments, void *user)
{
    cli_session session;
    hed_database *database;
    hed_error error = {0};
    hed_database_changes total = {0}, added;
    hed_status status = db_open(arguments, &session, true, &database, &error);
    for (uint32_t i = 0; !status && hed_text_at(arguments, "FILES", i) && !hed_interrupted(); i++) {
        status = hed_database_merge(database, hed_text_at(arguments, "FILES", i), &added, &error);
        total.keys += added.keys;
        total.measurements += added.measurements;
        total.choices += added.choices;
        total.facts += added.facts;
    }
    if (!status)
        status = print_changes(arguments, &total, "added", "to", hed_database_path(database), &error);
    return db_close(&session, database, status, &error);
}

/* ---- prune ---- */

static int db_prune_run(const hed_arguments *arguments, void *user)
{
    cli_session session;
    hed_database *database;
    hed_error error = {0};
    hed_database_changes removed = {0};
    hed_prune_def def = {.kernel = hed_text_of(arguments, "kernel"),
        .older_seconds = hed_number_of(arguments, "older-than") * 86400,
        .keep_best = (uint32_t)hed_integer_of(arguments, "keep-best"),
        .dry_run = hed_given(arguments, "dry-run")};
    if (!def.kernel && !hed_given(arguments, "older-than") && !hed_given(arguments, "keep-best")) {
        fputs(
            "heddle: db prune needs to know what to remove: --older-than DAYS, --keep-best N or --kernel NAME\n",
            stderr);
        return HED_EXIT_USAGE;
    }
    db_open(arguments, &session, true, &database, &error);
    hed_status status = hed_database_prune(database, &def, &removed, &error);
    if (!status)
        status = print_changes(arguments, &removed, def.dry_run ? "would remove" : "removed",
            "from", hed_database_path(database), &error);
    return db_close(&session, database, status, &error);
}

/* ---- path ---- */

static int db_path_run(const hed_arguments *arguments, void *user)
{
    cli_session session;
    hed_error error = {0};
    hed_status status = cli_open_context(arguments, &session, &error);
    const char *path = status ? "" : database_path_of(arguments, &session);
    if (!status && hed_given(arguments, "json")) {
        cli_report *report = cli_report_create(true);
        cli_report_row(report, CLI_TEXT("file", path), CLI_FLAG("exists", access(path, F_OK) == 0));
        status = cli_report_end(report, status, &error);
    } else if (!status) {
        printf("%s\n", path[0] ? path : "none");
    }
    return db_close(&session, NULL, status, &error);
}

/* ---- the commands ---- */

#define OPTION_KERNEL(words) \
    { \
        .name = "kernel", .letter = 'k', .kind = HED_OPTION_TEXT, .value = "NAME", .help = (words) \
    }
#define OPTION_DEVICE \
    { \
        .name = "device", .letter = 'd', .kind = HED_OPTION_TEXT, .value = "NAME", \
        .help = "only of devices whose name or platform has this in it, or of this backend" \
    }

static const hed_option EXPORT_OPTIONS[] = {OPTION_KERNEL("only this kernel"), OPTION_DEVICE,
    FLAG("choices", "only what launches take, without the measurements"),
    OPTION("shader", FILE, "FILE", "of FILE.js: the shader in WGSL, or its tune file", .letter = 0),
    OPTION("entry", TEXT, "NAME", "the entry point that was tuned, if the shader has several"),
    OPTION(
        "set", TEXT, "NAME=NUMBER", "a number that was set at the tuning, again", .repeated = true),
    {0}};
static const hed_option PRUNE_OPTIONS[] = {
    OPTION("older-than", NUMBER, "DAYS", "measurements of tunings that began longer ago than this",
        .low = 0, .high = 1e6),
    OPTION("keep-best", INTEGER, "COUNT",
        "all but this many of each key's fastest configurations, and the choice", .low = 1,
        .high = 1e6),
    OPTION_KERNEL("of this kernel; alone: everything of it, choices too"),
    FLAG("dry-run", "only say what would go", .letter = 'n'), {0}};
static const hed_option EXPORT_POSITIONALS[] = {
    POSITIONAL("FILE", OUTPUT, "the JSON file to write, or FILE.js: a module by which a web page chooses", .required = true, .endings = ".json .js"),
    {0}};
static const hed_option IMPORT_POSITIONALS[] = {
    POSITIONAL("FILES", FILE, "files of heddle db export", .required = true, .repeated = true),
    {0}};
static const hed_option MERGE_POSITIONALS[] = {
    POSITIONAL("FILES", FILE, "tuning.db of other machines", .required = true, .repeated = true),
    {0}};

static const hed_option LIST_OPTIONS[] = {
    OPTION("kernel", TEXT, "NAME", "only this kernel", .letter = 'k'),
    OPTION("device", TEXT, "NAME",
        "only devices whose name or platform has this in it, or of this backend", .letter = 'd'),
    {0}};
static const hed_option SHOW_POSITIONALS[] = {
    POSITIONAL("KERNEL", TEXT, "its name", .required = true), {0}};

static const hed_command LIST = {.name = "list",
    .summary = "what was tuned, for which device and size, and what it gained",
    .description =
        "GAIN is how many times as fast the choice is as the kernel's default configuration.",
    .options = LIST_OPTIONS,
    .run = db_list_run};
static const hed_command SHOW = {.name = "show",
    .summary = "the ten best configurations of a kernel, for each device and size",
    .description =
        "FROM and TO are the 95 % confidence interval of the median; what ENDED early was slower than "
        "others after a few runs. With --json every measurement is printed.",
    .options = LIST_OPTIONS + 1,
    .positionals = SHOW_POSITIONALS,
    .run = db_show_run};

static const hed_command EXPORT = {.name = "export",
    .summary = "write results to a JSON file",
    .options = EXPORT_OPTIONS,
    .positionals = EXPORT_POSITIONALS,
    .run = db_export_run};
static const hed_command IMPORT = {.name = "import",
    .summary = "take in results of JSON files, all or nothing",
    .description =
        "Results that are there already are passed over. A choice that is there stays, unless the new one's "
        "confidence interval lies wholly below its own.",
    .positionals = IMPORT_POSITIONALS,
    .run = db_import_run};
static const hed_command MERGE = {.name = "merge",
    .summary = "take in another machine's database",
    .description =
        "As import does, from the database itself, which is only read. Merging the same file again adds nothing.",
    .positionals = MERGE_POSITIONALS,
    .run = db_merge_run};
static const hed_command PRUNE = {.name = "prune",
    .summary = "remove measurements that are not needed any more",
    .description =
        "Choices stay, so launches do what they did before. Configurations that crashed or hung stay with "
        "--keep-best, so that they are never tried again.",
    .options = PRUNE_OPTIONS,
    .run = db_prune_run};
static const hed_command PATH = {
    .name = "path", .summary = "print where the database lies", .run = db_path_run};

static const hed_option OPTIONS[] = {{.name = "database",
                                         .kind = HED_OPTION_FILE,
                                         .value = "FILE",
                                         .help = "use this database instead of your own"},
    {.name = "installed",
        .kind = HED_OPTION_FLAG,
        .help = "look into the one that came with Heddle instead of your own"},
    CLI_OPTION_JSON(false), {0}};
static const hed_example EXAMPLES[] = {
    {"heddle db list", "what was tuned, for which device and size, and what it gained"},
    {"heddle db show convolution -d H200", "the ten best configurations of a kernel"},
    {"heddle db export --choices -k blur blur.json", "to ship with a program"},
    {"heddle db export --shader blur.wgsl blur.tuned.js", "for the web page that runs the shader"},
    {"heddle db merge /mnt/other/tuning.db", "another machine's results beside one's own"},
    {"heddle db prune --older-than 365 --keep-best 20 --dry-run", "what could go"}, {0}};
static const hed_command *const COMMANDS[] = {
    &LIST, &SHOW, &EXPORT, &IMPORT, &MERGE, &PRUNE, &PATH, NULL};

const hed_command hed_command_db = {
    .name = "db",
    .summary = "the tuning database: what was measured, and what launches take",
    .description =
        "Every measurement of heddle tune is kept, and for each kernel, device, driver and size the "
        "configuration that "
        "launches take. Your own database lies over one that came with Heddle, which is only read.",
    .options = OPTIONS,
    .commands = COMMANDS,
    .examples = EXAMPLES,
};
