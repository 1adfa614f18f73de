/* Writing into the database: tunings, their measurements in batches, choices, facts. Rows are only
 * ever added, but for a key's choice, which is replaced; order is the order of rows, never that of
 * the clock on the wall. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "database/file.h"

enum { BATCH = 64 };
/* what waits longer goes with the next evaluation */
static const uint64_t BATCH_NANOSECONDS = 1000000000;

static hed_status results_no_memory(hed_error *error)
{
    return hed_fail(error, HED_ERROR_MEMORY, "no memory for a tuning's results");
}

/* ---- rows that are made once ---- */

static const char FIND_DEVICE[] =
    "SELECT id FROM device WHERE backend = ? AND platform = ? AND name = ? AND vendor = ?"
    " AND type = ? AND architecture = ? AND compute_units = ?";
static const char ADD_DEVICE[] =
    "INSERT INTO device(backend, platform, name, vendor, type, architecture, compute_units)"
    " VALUES(?, ?, ?, ?, ?, ?, ?) RETURNING id";

static hed_status results_find_device(hed_database *database, const char *sql,
    const hed_database_entry *r, int64_t *id, hed_error *error)
{
    hed_status status;
    *id = 0;
    hed_database_integer(database, id, &status, error, sql, "tttttii", r->backend, r->platform,
        r->device, r->vendor, hed_device_type_word(r->type), (int64_t)r->architecture,
        (int64_t)r->compute_units);
    return status;
}

hed_status hed_database_put_device(
    hed_database *database, const hed_database_entry *record, int64_t *id, hed_error *error)
{
    hed_status status = results_find_device(database, FIND_DEVICE, record, id, error);
    return status || *id ? status : results_find_device(database, ADD_DEVICE, record, id, error);
}

static const char FIND_KEY[] =
    "SELECT id FROM key WHERE kernel = ? AND source = ? AND math = ? AND objective = ?"
    " AND device = ? AND driver = ? AND compiler = ? AND problem = ?";
static const char ADD_KEY[] =
    "INSERT INTO key(kernel, source, math, objective, device, driver, compiler, problem)"
    " VALUES(?, ?, ?, ?, ?, ?, ?, ?) RETURNING id";

static hed_status find_key(hed_database *database, const char *sql, const hed_database_entry *r,
    int64_t device, int64_t *id, hed_error *error)
{
    hed_status status;
    *id = 0;
    hed_database_integer(database, id, &status, error, sql, "ttttittt", r->kernel, r->source,
        r->math, r->objective, device, r->driver, r->compiler, r->problem);
    return status;
}

hed_status hed_database_put_key(
    hed_database *database, const hed_database_entry *record, int64_t *id, hed_error *error)
{
    int64_t device;
    hed_status status = hed_database_put_device(database, record, &device, error);
    if (!status) status = find_key(database, FIND_KEY, record, device, id, error);
    return status || *id ? status : find_key(database, ADD_KEY, record, device, id, error);
}

hed_status hed_database_find_key(
    hed_database *database, const hed_tune_key *key, int64_t *id, hed_error *error)
{
    hed_database_entry record = {0};
    hed_text problem = {.allocator = &database->allocator};
    int64_t device;
    hed_problem_write(&problem, key->dimensions, &key->problem);
    hed_key_describe(key, &problem, &record);
    *id = 0;
    hed_status status = problem.failed
                            ? results_no_memory(error)
                            : results_find_device(database, FIND_DEVICE, &record, &device, error);
    if (!status && device) status = find_key(database, FIND_KEY, &record, device, id, error);
    hed_text_free(&problem);
    return status;
}

static hed_status results_put_key(
    hed_database *database, const hed_tune_key *key, int64_t *id, hed_error *error)
{
    hed_database_entry record = {0};
    hed_text problem = {.allocator = &database->allocator};
    hed_problem_write(&problem, key->dimensions, &key->problem);
    hed_key_describe(key, &problem, &record);
    hed_status status = problem.failed ? results_no_memory(error)
                                       : hed_database_put_key(database, &record, id, error);
    hed_text_free(&problem);
    return status;
}

/* ---- tunings ---- */

/* The name that no other tuning has, on any machine, comes from SQLite's generator, which the
 * system seeds. */
static const char ADD_SESSION[] = "INSERT INTO session(uid, key, settings, version, begun)"
                                  " VALUES(lower(hex(randomblob(16))), ?, ?, ?, ?) RETURNING id";

static hed_status results_begin(hed_database *database, const hed_tune_key *key,
    const char *settings, int64_t *session, hed_error *error)
{
    int64_t id;
    hed_status status = hed_database_begin_write(database, error);
    if (status) return status;
    status = results_put_key(database, key, &id, error);
    if (!status)
        hed_database_integer(database, session, &status, error, ADD_SESSION, "itti", id, settings,
            HED_VERSION_TEXT, (int64_t)time(NULL));
    return hed_database_end(database, status, error);
}

hed_status hed_database_begin(hed_database *database, const hed_tune_key *key, const char *settings,
    int64_t *session, hed_error *error)
{
    *session = 0;
    if (!key->source[0])
        return hed_fail(error, HED_ERROR_IO,
            "%s: its texts cannot be read, so that its results have no key", key->kernel);
    hed_status status = hed_database_enter(database, error);
    if (status) return status;
    status = results_begin(database, key, settings, session, error);
    hed_database_leave(database);
    return status;
}

/* ---- measurements ---- */

static const char ADD_MEASUREMENT[] =
    "INSERT INTO measurement(session, number, config, outcome, seconds, low, high, "
    "runs, build_seconds, at, deviation, text)"
    " VALUES(?1, (SELECT ifnull(max(number), 0) + 1 FROM measurement WHERE session "
    "= ?1), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

void hed_database_drop_pending(hed_database *database)
{
    for (hed_pending *p = database->pending; p;) {
        hed_pending *next = p->next;
        hed_release_text(&database->allocator, p->config);
        hed_release(&database->allocator, p, sizeof *p);
        p = next;
    }
    database->pending = NULL;
    database->pending_end = &database->pending;
    database->pending_count = 0;
}

/* A disk that takes nothing is told of once, not with every batch. */
static void results_complain(hed_database *database, const hed_error *error)
{
    if (!database->complained)
        hed_log_message(
            &database->logger, HED_LOG_WARNING, "results are not kept: %s", error->text);
    database->complained = true;
}

hed_status hed_database_write_pending(hed_database *database, hed_error *error)
{
    hed_error own = {0};
    if (!database->pending) return HED_OK;
    if (!error) error = &own;
    database->written_at = database->clock.now(database->clock.user);
    hed_status status = hed_database_begin_write(database, error);
    if (!status) {
        for (const hed_pending *p = database->pending; p && !status; p = p->next)
            status = hed_database_run(database, error, ADD_MEASUREMENT, "ittrrrirrrt", p->session,
                p->config, hed_outcome_name(p->evaluation.outcome), p->evaluation.seconds,
                p->evaluation.low, p->evaluation.high, (int64_t)p->evaluation.runs,
                p->evaluation.build_seconds, p->evaluation.at, p->evaluation.error,
                p->evaluation.text);
        status = hed_database_end(database, status, error);
    }
    if (!status) hed_database_drop_pending(database);
    else results_complain(database, error);
    return status;
}

static hed_pending *make_pending(hed_database *database, int64_t session, const hed_tune_key *key,
    const hed_evaluation *evaluation)
{
    hed_text config = {.allocator = &database->allocator};
    hed_pending *pending = hed_allocate(&database->allocator, sizeof *pending);
    hed_config_write(&config, key->parameters, key->parameter_count, &evaluation->config);
    if (pending) {
        pending->session = session;
        pending->evaluation = *evaluation;
        pending->config =
            config.failed ? NULL
                          : hed_copy_text(&database->allocator, config.bytes ? config.bytes : "");
    }
    hed_text_free(&config);
    if (!pending || pending->config) return pending;
    hed_release(&database->allocator, pending, sizeof *pending);
    return NULL;
}

hed_status hed_database_record(hed_database *database, int64_t session, const hed_tune_key *key,
    const hed_evaluation *evaluation, hed_error *error)
{
    if (evaluation->recalled || !session) return HED_OK;
    hed_pending *pending = make_pending(database, session, key, evaluation);
    if (!pending) return results_no_memory(error);
    pthread_mutex_lock(&database->lock);
    *database->pending_end = pending;
    database->pending_end = &pending->next;
    database->pending_count++;
    uint64_t waited = database->clock.now(database->clock.user) - database->written_at;
    bool due = database->pending_count % BATCH == 0 ||
               (waited >= BATCH_NANOSECONDS && !database->complained);
    if (due && database->handle) hed_database_write_pending(database, NULL);
    hed_database_leave(database);
    return HED_OK;
}

hed_status hed_database_flush(hed_database *database, hed_error *error)
{
    hed_status status = hed_database_enter(database, error);
    if (status) return status;
    status = hed_database_write_pending(database, error);
    hed_database_leave(database);
    return status;
}

/* ---- choices ---- */

/* What the default configuration took, by its newest measurement. */
static const char FIND_DEFAULT[] =
    "SELECT m.seconds FROM measurement m JOIN session s ON s.id = m.session WHERE s.key = ? AND m.config = ?"
    " AND m.outcome = 'measured' ORDER BY m.session DESC, m.number DESC LIMIT 1";
static const char SET_CHOICE[] =
    "INSERT INTO choice(key, session, config, seconds, low, high, default_seconds) VALUES(?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT(key) DO UPDATE SET session = excluded.session, config = excluded.config, seconds = "
    "excluded.seconds,"
    " low = excluded.low, high = excluded.high, default_seconds = excluded.default_seconds";

static hed_status find_default(
    hed_database *database, int64_t key, const char *config, double *seconds, hed_error *error)
{
    hed_status status;
    sqlite3_stmt *statement = hed_database_statement(database, FIND_DEFAULT, "it", key, config);
    *seconds = NAN;
    while (hed_database_row(database, statement, &status, error))
        *seconds = hed_column_number(statement, 0);
    return status;
}

static hed_status set_choice(hed_database *database, int64_t session, const hed_tune_key *key,
    const hed_evaluation *e, const char *config, const char *default_config, hed_error *error)
{
    int64_t id;
    double default_seconds;
    hed_status status = hed_database_begin_write(database, error);
    if (status) return status;
    status = results_put_key(database, key, &id, error);
    if (!status) status = find_default(database, id, default_config, &default_seconds, error);
    if (!status)
        status = hed_database_run(database, error, SET_CHOICE, "iitrrrr", id, session, config,
            e->seconds, e->low, e->high, default_seconds);
    return hed_database_end(database, status, error);
}

hed_status hed_database_choose(hed_database *database, int64_t session, const hed_tune_key *key,
    const hed_evaluation *evaluation, hed_error *error)
{
    if (evaluation->outcome != HED_OUTCOME_MEASURED || !(evaluation->seconds > 0))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: a choice has to be measured, this one is \"%s\" with %g", key->kernel,
            hed_outcome_name(evaluation->outcome), evaluation->seconds);
    hed_text config = {.allocator = &database->allocator},
             default_config = {.allocator = &database->allocator};
    hed_config defaults = {.count = key->parameter_count};
    for (uint32_t i = 0; i < key->parameter_count; i++)
        defaults.values[i] = key->parameters[i].value;
    hed_config_write(&config, key->parameters, key->parameter_count, &evaluation->config);
    hed_config_write(&default_config, key->parameters, key->parameter_count, &defaults);
    hed_status status = config.failed || default_config.failed
                            ? results_no_memory(error)
                            : hed_database_enter(database, error);
    if (!status) {
        status = hed_database_write_pending(database, error);
        if (!status)
            status =
                set_choice(database, session, key, evaluation, config.bytes ? config.bytes : "",
                    default_config.bytes ? default_config.bytes : "", error);
        hed_database_leave(database);
    }
    hed_text_free(&config);
    hed_text_free(&default_config);
    return status;
}

hed_status hed_database_keep(hed_database *database, hed_device *device,
    const hed_kernel_def *kernel, const hed_kernel_options *options, double seconds,
    hed_error *error)
{
    if (hed_failed(error)) return error->status;
    hed_tune_key key;
    int64_t session;
    if (!options->config)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: hed_kernel_options without the configuration to keep", kernel->name);
    const hed_evaluation evaluation = {.config = *options->config, .outcome = HED_OUTCOME_MEASURED,
        .seconds = seconds, .low = NAN, .high = NAN, .runs = 1, .error = NAN};
    hed_tune_key_of_kernel(device, kernel, options->math, options->defines, options->define_count,
        options->problem, HED_OBJECTIVE_TIME, &key);
    if (!(seconds > 0))
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "%s: no launch takes %g seconds", kernel->name, seconds);
    hed_status status = hed_database_begin(database, &key, "kept by the program", &session, error);
    if (!status) status = hed_database_record(database, session, &key, &evaluation, error);
    return status ? status : hed_database_choose(database, session, &key, &evaluation, error);
}

/* ---- facts ---- */

static const char GET_FACT[] = "SELECT value FROM fact WHERE device = ? AND name = ?";
static const char PUT_FACT[] = "INSERT OR REPLACE INTO fact(device, name, value) VALUES(?, ?, ?)";

bool hed_database_get_fact(
    hed_database *database, const hed_device_info *device, const char *name, double *value)
{
    hed_database_entry record = {0};
    int64_t id;
    bool found = false;
    hed_entry_take_device(device, &record);
    if (hed_database_enter(database, NULL)) return false;
    hed_status status = results_find_device(database, FIND_DEVICE, &record, &id, NULL);
    sqlite3_stmt *statement =
        status ? NULL : hed_database_statement(database, GET_FACT, "it", id, name);
    while (statement && hed_database_row(database, statement, &status, NULL)) {
        *value = hed_column_number(statement, 0);
        found = true;
    }
    hed_database_leave(database);
    return found;
}

hed_status hed_database_put_fact(hed_database *database, const hed_device_info *device,
    const char *name, double value, hed_error *error)
{
    hed_database_entry record = {0};
    int64_t id;
    hed_entry_take_device(device, &record);
    hed_status status = hed_database_enter(database, error);
    if (status) return status;
    status = hed_database_begin_write(database, error);
    if (!status) {
        status = hed_database_put_device(database, &record, &id, error);
        if (!status) status = hed_database_run(database, error, PUT_FACT, "itr", id, name, value);
        status = hed_database_end(database, status, error);
    }
    hed_database_leave(database);
    return status;
}
