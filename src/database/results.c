/* Results: a tuning writes its session, its measurements in batches, the choice, and facts. Rows
 * are only added; only a key's choice is replaced. Results are ordered by row, never by wall-clock
 * time. */
#include <math.h>

#include "database/database_file.h"

enum { BATCH = 64 };
/* pending results older than this are written with the next evaluation */
static const uint64_t BATCH_NANOSECONDS = 1000000000;

/* ---- tunings ---- */

hed_status hed_database_begin(hed_database *database, const hed_tune_key *key, const char *settings,
    int64_t *session, hed_error *error)
{
    *session = 0;
    error = error ? error : &(hed_error){0};
    if (hed_failed(error)) return error->status;
    if (!key->source[0])
        return hed_fail(error, HED_ERROR_IO,
            "%s: its texts cannot be read, so that its results have no key", key->kernel);
    hed_recording *recording = hed_session_create(database, key, settings, error);
    if (!recording) return error->status;
    if (!hed_database_enter(database, error)) {
        database->is_held = false; /* a session is worth a whole patience again */
        hed_database_transact(database, hed_session_put, recording, error);
        if (!hed_failed(error)) {
            recording->id = database->sessions ? database->sessions->id + 1 : 1;
            recording->next = database->sessions;
            database->sessions = recording;
            *session = recording->id;
        }
        hed_database_leave(database);
    }
    if (hed_failed(error)) hed_session_free(&database->allocator, recording);
    return error->status;
}

/* ---- measurements and choices ---- */

hed_status hed_database_record(hed_database *database, int64_t session, const hed_tune_key *key,
    const hed_evaluation *evaluation, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    if (evaluation->recalled || !session) return HED_OK;
    hed_recorded *r = hed_recorded_create(database, key, evaluation, NULL);
    if (!r) return HED_OUT_OF_MEMORY(error, "a tuning's results");
    pthread_mutex_lock(&database->lock);
    if (hed_recorded_add(database, session, r)) {
        uint64_t waited = database->clock.now(database->clock.user) - database->written_at;
        if (database->unwritten_count % BATCH == 0 ||
            (waited >= BATCH_NANOSECONDS && !database->complained))
            hed_database_settle(database, &(hed_error){0});
    } else {
        hed_recorded_free(&database->allocator, r);
    }
    hed_database_leave(database);
    return HED_OK;
}

/* ---- choices ---- */

hed_status hed_database_choose(hed_database *database, int64_t session, const hed_tune_key *key,
    const hed_evaluation *evaluation, hed_error *error)
{
    error = error ? error : &(hed_error){0};
    if (hed_failed(error)) return error->status;
    if (evaluation->outcome != HED_OUTCOME_MEASURED || !(evaluation->seconds > 0))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: choice is \"%s\" with %g; expected a measured configuration", key->kernel,
            hed_outcome_name(evaluation->outcome), evaluation->seconds);
    hed_config defaults = {.count = key->parameter_count};
    for (uint32_t i = 0; i < key->parameter_count; i++)
        defaults.values[i] = key->parameters[i].value;
    hed_recorded *r = hed_recorded_create(database, key, evaluation, &defaults);
    if (!r) return HED_OUT_OF_MEMORY(error, "a tuning's results");
    pthread_mutex_lock(&database->lock);
    database->is_held = false; /* a choice is worth a whole patience again */
    if (hed_recorded_add(database, session, r)) {
        hed_database_settle(database, error);
    } else {
        hed_recorded_free(&database->allocator, r);
        hed_fail(error, HED_ERROR_ARGUMENT, "%s: session %lld was not begun here", key->kernel,
            (long long)session);
    }
    hed_database_leave(database);
    return error->status;
}

hed_status hed_database_keep(hed_database *database, hed_device *device,
    const hed_kernel_def *kernel, const hed_kernel_options *options, double seconds,
    hed_error *error)
{
    HED_REQUIRE(database, device, kernel, options);
    hed_tune_key key;
    int64_t session;
    error = error ? error : &(hed_error){0};
    if (hed_failed(error)) return error->status;
    if (!options->config)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: hed_kernel_options lack the configuration to keep", kernel->name);
    const hed_evaluation evaluation = {.config = *options->config,
        .outcome = HED_OUTCOME_MEASURED,
        .seconds = seconds,
        .low = NAN,
        .high = NAN,
        .runs = 1,
        .error = NAN};
    hed_tune_key_of_kernel(device, kernel, options->math, options->defines, options->define_count,
        options->problem, HED_OBJECTIVE_TIME, &key);
    if (!(seconds > 0))
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "%s: no launch takes %g seconds", kernel->name, seconds);
    hed_database_begin(database, &key, "kept by the program", &session, error);
    hed_database_record(database, session, &key, &evaluation, error);
    return hed_database_choose(database, session, &key, &evaluation, error);
}

/* ---- facts ---- */

static const char GET_FACT[] = "SELECT value FROM fact WHERE device = ? AND name = ?";
static const char PUT_FACT[] = "INSERT OR REPLACE INTO fact(device, name, value) VALUES(?, ?, ?)";

bool hed_database_get_fact(
    hed_database *database, const hed_device_info *device, const char *name, double *value)
{
    hed_database_entry record = {0};
    hed_error ignored = {0};
    bool exists = false;
    hed_entry_take_device(device, &record);
    if (hed_database_enter(database, &ignored)) return false;
    int64_t id = hed_database_find_device(database, &record, &ignored);
    sqlite3_stmt *statement = hed_database_statement(database, GET_FACT, "it", id, name);
    while (hed_database_row(database, statement, &ignored)) {
        *value = hed_column_number(statement, 0);
        exists = true;
    }
    hed_database_leave(database);
    return exists;
}

typedef struct fact_row {
    hed_database_entry device;
    const char *name;
    double value;
} fact_row;

static void fact_put(hed_database *database, void *user, hed_error *error)
{
    const fact_row *fact = user;
    int64_t id = hed_database_put_device(database, &fact->device, error);
    hed_database_run(database, error, PUT_FACT, "itr", id, fact->name, fact->value);
}

hed_status hed_database_put_fact(hed_database *database, const hed_device_info *device,
    const char *name, double value, hed_error *error)
{
    fact_row fact = {.name = name, .value = value};
    error = error ? error : &(hed_error){0};
    hed_entry_take_device(device, &fact.device);
    if (hed_database_enter(database, error)) return error->status;
    hed_database_transact(database, fact_put, &fact, error);
    hed_database_leave(database);
    return error->status;
}
