/* Results: a tuning writes its session, its measurements in batches, the choice, and facts; a new
 * tuning reads the measurements of its own key, and the best configurations of other devices,
 * drivers and sizes. Rows are only added; only a key's choice is replaced. Results are ordered by
 * row, never by wall-clock time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "database/file.h"

enum { BATCH = 64 };
/* pending results older than this are written with the next evaluation */
static const uint64_t BATCH_NANOSECONDS = 1000000000;

static hed_status results_no_memory(hed_error *error)
{
    return HED_OUT_OF_MEMORY(error, "a tuning's results");
}

/* ---- rows inserted once ---- */

static const char FIND_DEVICE[] =
    "SELECT id FROM device WHERE backend = ? AND platform = ? AND name = ? AND vendor = ?"
    " AND type = ? AND architecture = ? AND compute_units = ?";
static const char ADD_DEVICE[] =
    "INSERT INTO device(backend, platform, name, vendor, type, architecture, compute_units)"
    " VALUES(?, ?, ?, ?, ?, ?, ?) RETURNING id";

static int64_t results_find_device(
    hed_database *database, const char *sql, const hed_database_entry *r, hed_error *error)
{
    int64_t id = 0;
    hed_database_integer(database, &id, error, sql, "tttttii", r->backend, r->platform, r->device,
        r->vendor, hed_device_type_word(r->type), (int64_t)r->architecture,
        (int64_t)r->compute_units);
    return id;
}

int64_t hed_database_put_device(
    hed_database *database, const hed_database_entry *record, hed_error *error)
{
    int64_t id = results_find_device(database, FIND_DEVICE, record, error);
    return id ? id : results_find_device(database, ADD_DEVICE, record, error);
}

static const char FIND_KEY[] =
    "SELECT id FROM key WHERE kernel = ? AND source = ? AND math = ? AND objective = ?"
    " AND device = ? AND driver = ? AND compiler = ? AND problem = ?";
static const char ADD_KEY[] =
    "INSERT INTO key(kernel, source, math, objective, device, driver, compiler, problem)"
    " VALUES(?, ?, ?, ?, ?, ?, ?, ?) RETURNING id";

static int64_t find_key(hed_database *database, const char *sql, const hed_database_entry *r,
    int64_t device, hed_error *error)
{
    int64_t id = 0;
    hed_database_integer(database, &id, error, sql, "ttttittt", r->kernel, r->source, r->math,
        r->objective, device, r->driver, r->compiler, r->problem);
    return id;
}

int64_t hed_database_put_key(
    hed_database *database, const hed_database_entry *record, hed_error *error)
{
    int64_t device = hed_database_put_device(database, record, error);
    int64_t id = find_key(database, FIND_KEY, record, device, error);
    return id ? id : find_key(database, ADD_KEY, record, device, error);
}

/* Row of a key; 0: not in the database, or a failure. */
static int64_t results_key(hed_database *database, const hed_tune_key *key, hed_error *error)
{
    hed_database_entry record = {0};
    hed_text problem = {.allocator = &database->allocator};
    int64_t id;
    hed_problem_write(&problem, key->dimensions, &key->problem);
    hed_key_describe(key, &problem, &record);
    if (problem.failed) results_no_memory(error);
    id = find_key(database, FIND_KEY, &record,
        results_find_device(database, FIND_DEVICE, &record, error), error);
    hed_text_free(&problem);
    return id;
}

/* ---- tunings ---- */

/* Texts of an entry that a session owns; the texts of math and objective are constants. */
static const char **session_text(hed_database_entry *e, uint32_t index)
{
    const char **const texts[] = {&e->backend, &e->platform, &e->device, &e->vendor, &e->kernel,
        &e->source, &e->driver, &e->compiler, &e->problem, &e->session, &e->settings};
    return index < HED_COUNT(texts) ? texts[index] : NULL;
}

static void session_free(const hed_allocator *allocator, hed_recording *session)
{
    const char **text;
    for (uint32_t i = 0; (text = session_text(&session->entry, i)); i++)
        hed_release_text(allocator, (char *)(uintptr_t)*text);
    hed_release(allocator, session, sizeof *session);
}

/* Creates a session. Its name is unique across machines: it comes from SQLite's generator, which
 * the system seeds. */
static hed_recording *session_create(
    hed_database *database, const hed_tune_key *key, const char *settings, hed_error *error)
{
    const hed_allocator *allocator = &database->allocator;
    hed_text problem = {.allocator = allocator};
    unsigned char bytes[16];
    char name[2 * sizeof bytes + 1];
    const char **text;
    hed_recording *session = hed_allocate(allocator, sizeof *session);
    if (!session) {
        results_no_memory(error);
        return NULL;
    }
    sqlite3_randomness(sizeof bytes, bytes);
    for (size_t i = 0; i < sizeof bytes; i++) snprintf(name + 2 * i, 3, "%02x", bytes[i]);
    hed_problem_write(&problem, key->dimensions, &key->problem);
    hed_key_describe(key, &problem, &session->entry);
    session->entry.session = name;
    session->entry.settings = settings;
    session->entry.begun = (int64_t)time(NULL);
    bool failed = problem.failed;
    for (uint32_t i = 0; (text = session_text(&session->entry, i)); i++) {
        *text = hed_copy_text(allocator, *text);
        failed |= !*text;
    }
    hed_text_free(&problem);
    if (!failed) return session;
    session_free(allocator, session);
    results_no_memory(error);
    return NULL;
}

static const char FIND_SESSION[] = "SELECT id FROM session WHERE uid = ?";
static const char ADD_SESSION[] = "INSERT INTO session(uid, key, settings, version, begun)"
                                  " VALUES(?, ?, ?, ?, ?) RETURNING id";

/* Finds or inserts the row of a session. */
static void session_put(hed_database *database, void *user, hed_error *error)
{
    hed_recording *s = user;
    const hed_database_entry *e = &s->entry;
    s->row = 0;
    s->was_there = hed_database_integer(database, &s->row, error, FIND_SESSION, "t", e->session);
    if (s->was_there) return;
    int64_t key = hed_database_put_key(database, e, error);
    hed_database_integer(database, &s->row, error, ADD_SESSION, "titti", e->session, key,
        e->settings, HED_VERSION_TEXT, e->begun);
}

hed_status hed_database_begin(hed_database *database, const hed_tune_key *key, const char *settings,
    int64_t *session, hed_error *error)
{
    *session = 0;
    error = error ? error : &(hed_error){0};
    if (hed_failed(error)) return error->status;
    if (!key->source[0])
        return hed_fail(error, HED_ERROR_IO,
            "%s: its texts cannot be read, so that its results have no key", key->kernel);
    hed_recording *recording = session_create(database, key, settings, error);
    if (!recording) return error->status;
    if (!hed_database_enter(database, error)) {
        hed_database_transact(database, session_put, recording, error);
        if (!hed_failed(error)) {
            recording->id = database->sessions ? database->sessions->id + 1 : 1;
            recording->next = database->sessions;
            database->sessions = recording;
            *session = recording->id;
        }
        hed_database_leave(database);
    }
    if (hed_failed(error)) session_free(&database->allocator, recording);
    return error->status;
}

/* ---- measurements and choices ---- */

#define MEASUREMENT_ROW \
    " INTO measurement(session, number, config, outcome, seconds, low, high, runs, build_seconds," \
    " at, deviation, text) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

static const char ADD_MEASUREMENT[] = "INSERT" MEASUREMENT_ROW;
/* a copy of the file may have replaced it: the copy has the first rows of the session */
static const char ADD_MISSING_MEASUREMENT[] = "INSERT OR IGNORE" MEASUREMENT_ROW;

/* inserts the newest time of the default configuration with the choice */
static const char SET_CHOICE[] =
    "INSERT INTO choice(key, session, config, seconds, low, high, default_seconds)"
    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, (SELECT m.seconds FROM measurement m"
    "     JOIN session s ON s.id = m.session WHERE s.key = ?1 AND m.config = ?7"
    "     AND m.outcome = 'measured' ORDER BY m.session DESC, m.number DESC LIMIT 1))"
    " ON CONFLICT(key) DO UPDATE SET session = excluded.session, config = excluded.config,"
    " seconds = excluded.seconds, low = excluded.low, high = excluded.high,"
    " default_seconds = excluded.default_seconds";

void hed_database_rewind(hed_database *database)
{
    for (hed_recording *s = database->sessions; s; s = s->next) s->row = 0;
    database->unwritten = database->recorded;
    database->unwritten_count = 0;
    for (const hed_recorded *r = database->recorded; r; r = r->next) database->unwritten_count++;
}

static void recorded_free(const hed_allocator *allocator, hed_recorded *r)
{
    hed_release_text(allocator, r->config);
    hed_release_text(allocator, r->default_config);
    hed_release(allocator, r, sizeof *r);
}

void hed_database_drop_results(hed_database *database)
{
    for (hed_recorded *r = database->recorded, *next; r; r = next) {
        next = r->next;
        recorded_free(&database->allocator, r);
    }
    for (hed_recording *s = database->sessions, *next; s; s = next) {
        next = s->next;
        session_free(&database->allocator, s);
    }
}

static void recorded_write(hed_database *database, const hed_recorded *r, hed_error *error)
{
    const hed_evaluation *e = &r->evaluation;
    hed_recording *session = r->session;
    if (!session->row) {
        session->is_new = true;
        session_put(database, session, error);
    }
    if (!r->default_config) {
        hed_database_run(database, error,
            session->was_there ? ADD_MISSING_MEASUREMENT : ADD_MEASUREMENT, "iittrrrirrrt",
            session->row, r->number, r->config, hed_outcome_name(e->outcome), e->seconds, e->low,
            e->high, (int64_t)e->runs, e->build_seconds, e->at, e->error, e->text);
        return;
    }
    int64_t key = hed_database_put_key(database, &session->entry, error);
    hed_database_run(database, error, SET_CHOICE, "iitrrrt", key, session->row, r->config,
        e->seconds, e->low, e->high, r->default_config);
}

/* Updates sessions after a transaction: inserted rows exist only if it was committed. */
static void settle_sessions(hed_database *database, bool committed)
{
    for (hed_recording *s = database->sessions; s; s = s->next) {
        if (s->is_new && !committed) s->row = 0;
        s->is_new = false;
    }
}

hed_status hed_database_write_pending(hed_database *database, hed_error *error)
{
    error = error ? error : &(hed_error){0};
    if (!database->unwritten || hed_failed(error)) return error->status;
    database->written_at = database->clock.now(database->clock.user);
    hed_database_begin_write(database, error);
    for (const hed_recorded *r = database->unwritten; r && !hed_failed(error); r = r->next) {
        recorded_write(database, r, error);
        /* these statements satisfy the schema's constraints, so a violation reveals damaged
         * pages */
        int code = sqlite3_errcode(database->handle) & 0xff;
        if (hed_failed(error) && (code == SQLITE_CONSTRAINT || code == SQLITE_MISMATCH))
            database->damaged = true;
    }
    bool committed = !hed_database_end(database, error);
    settle_sessions(database, committed);
    if (committed) {
        database->unwritten = NULL;
        database->unwritten_count = 0;
        database->changed = true;
        return HED_OK;
    }
    /* a full disk is reported once, not with every batch; damage is repaired */
    if (database->damaged) return error->status;
    if (!database->complained)
        hed_log_message(
            &database->logger, HED_LOG_WARNING, "results are not kept: %s", error->text);
    database->complained = true;
    return error->status;
}

/* Writes pending results, into a new file if this one is damaged; the caller holds the lock. */
static hed_status results_settle(hed_database *database, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    if (!database->handle) return hed_database_mend(database, error);
    if (!hed_database_write_pending(database, error) || !database->damaged) return error->status;
    hed_error_clear(error);
    return hed_database_mend(database, error);
}

/* Creates a result. `defaults`: the default configuration, for a choice; NULL: a measurement. */
static hed_recorded *recorded_create(hed_database *database, const hed_tune_key *key,
    const hed_evaluation *evaluation, const hed_config *defaults)
{
    const hed_allocator *allocator = &database->allocator;
    hed_text config = {.allocator = allocator}, default_config = {.allocator = allocator};
    hed_recorded *r = hed_allocate(allocator, sizeof *r);
    hed_config_write(&config, key->parameters, key->parameter_count, &evaluation->config);
    if (defaults)
        hed_config_write(&default_config, key->parameters, key->parameter_count, defaults);
    if (r) {
        r->evaluation = *evaluation;
        r->config = hed_copy_text(allocator, config.bytes ? config.bytes : "");
        if (defaults)
            r->default_config =
                hed_copy_text(allocator, default_config.bytes ? default_config.bytes : "");
        bool failed = config.failed || default_config.failed || !r->config ||
                      (defaults && !r->default_config);
        if (failed) recorded_free(allocator, r);
        r = failed ? NULL : r;
    }
    hed_text_free(&config);
    hed_text_free(&default_config);
    return r;
}

/* Adds a result to the pending ones; the caller holds the lock. Returns false if the session is
 * unknown. */
static bool recorded_add(hed_database *database, int64_t id, hed_recorded *r)
{
    hed_recording *session = database->sessions;
    while (session && session->id != id) session = session->next;
    if (!session) return false;
    r->session = session;
    if (!r->default_config) r->number = ++session->measurements;
    *database->recorded_end = r;
    database->recorded_end = &r->next;
    if (!database->unwritten) database->unwritten = r;
    database->unwritten_count++;
    return true;
}

hed_status hed_database_record(hed_database *database, int64_t session, const hed_tune_key *key,
    const hed_evaluation *evaluation, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    if (evaluation->recalled || !session) return HED_OK;
    hed_recorded *r = recorded_create(database, key, evaluation, NULL);
    if (!r) return results_no_memory(error);
    pthread_mutex_lock(&database->lock);
    if (recorded_add(database, session, r)) {
        uint64_t waited = database->clock.now(database->clock.user) - database->written_at;
        if (database->unwritten_count % BATCH == 0 ||
            (waited >= BATCH_NANOSECONDS && !database->complained))
            results_settle(database, &(hed_error){0});
    } else {
        recorded_free(&database->allocator, r);
    }
    hed_database_leave(database);
    return HED_OK;
}

hed_status hed_database_flush(hed_database *database, hed_error *error)
{
    error = error ? error : &(hed_error){0};
    if (hed_database_enter(database, error)) return error->status;
    results_settle(database, error);
    hed_database_leave(database);
    return error->status;
}

hed_status hed_database_confirm(hed_database *database, hed_error *error)
{
    error = error ? error : &(hed_error){0};
    if (hed_database_enter(database, error)) return error->status;
    if (!results_settle(database, error)) {
        hed_database_check(database);
        if (database->damaged) hed_database_mend(database, error);
    }
    hed_database_leave(database);
    return error->status;
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
    hed_recorded *r = recorded_create(database, key, evaluation, &defaults);
    if (!r) return results_no_memory(error);
    pthread_mutex_lock(&database->lock);
    if (recorded_add(database, session, r)) {
        results_settle(database, error);
    } else {
        recorded_free(&database->allocator, r);
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
    int64_t id = results_find_device(database, FIND_DEVICE, &record, &ignored);
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

/* ---- growing lists ---- */

typedef struct list {
    const hed_allocator *allocator;
    unsigned char *items;
    size_t item_bytes;
    uint32_t count, capacity;
} list;

static void *list_add(list *l)
{
    if (l->count == l->capacity) {
        uint32_t capacity = l->capacity ? l->capacity * 2 : 64;
        unsigned char *items = hed_allocate(l->allocator, capacity * l->item_bytes);
        if (!items) return NULL;
        if (l->count) memcpy(items, l->items, l->count * l->item_bytes);
        hed_release(l->allocator, l->items, l->capacity * l->item_bytes);
        l->items = items;
        l->capacity = capacity;
    }
    return l->items + l->count++ * l->item_bytes;
}

static void list_free(list *l) { hed_release(l->allocator, l->items, l->capacity * l->item_bytes); }

static hed_status history_no_memory(hed_error *error)
{
    return HED_OUT_OF_MEMORY(error, "earlier results");
}

/* ---- history ---- */

/* Newest measurement of each configuration, in the order of rows. */
static const char HISTORY[] =
    "SELECT m.config, m.outcome, m.seconds, m.low, m.high, m.runs, m.build_seconds, m.at, m.deviation, m.text, s.settings,"
    "    max(m.session * 1048576 + m.number) AS age"
    " FROM measurement m JOIN session s ON s.id = m.session WHERE s.key = ? GROUP BY m.config ORDER BY age";

/* True if a session's verdicts are by the key's judge, which its settings end with. */
static bool same_judge(const char *settings, const hed_tune_key *key)
{
    size_t size = strlen(settings), judge_size = strlen(key->judge);
    return size >= judge_size && strcmp(settings + size - judge_size, key->judge) == 0;
}

/* Returns false for a configuration that the parameters no longer allow, and for a wrong result by
 * another judge. */
static bool read_evaluation(sqlite3_stmt *row, const hed_tune_key *key, hed_evaluation *e)
{
    *e = (hed_evaluation){.recalled = true};
    while (e->outcome < HED_OUTCOME_COUNT &&
           strcmp(hed_column_text(row, 1), hed_outcome_name(e->outcome)) != 0)
        e->outcome++;
    if (e->outcome == HED_OUTCOME_COUNT ||
        (e->outcome == HED_OUTCOME_WRONG && !same_judge(hed_column_text(row, 10), key)) ||
        !hed_config_read(
            hed_column_text(row, 0), key->parameters, key->parameter_count, false, &e->config))
        return false;
    e->seconds = hed_column_number(row, 2);
    e->low = hed_column_number(row, 3);
    e->high = hed_column_number(row, 4);
    e->runs = (uint32_t)sqlite3_column_int64(row, 5);
    e->build_seconds = sqlite3_column_double(row, 6);
    e->at = sqlite3_column_double(row, 7);
    e->error = hed_column_number(row, 8);
    hed_text_copy(e->text, sizeof e->text, hed_column_text(row, 9));
    return true;
}

hed_status hed_database_history(hed_database *database, const hed_tune_key *key,
    hed_evaluation **evaluations, uint32_t *count, hed_error *error)
{
    list history = {.allocator = &database->allocator, .item_bytes = sizeof **evaluations};
    *evaluations = NULL;
    *count = 0;
    error = error ? error : &(hed_error){0};
    if (hed_database_enter(database, error)) return error->status;
    /* pending results are history too; a full disk must not cause a failure */
    hed_database_write_pending(database, NULL);
    sqlite3_busy_timeout(database->handle, HED_READ_PATIENCE);
    int64_t id = results_key(database, key, error);
    sqlite3_stmt *row = hed_database_statement(database, HISTORY, "i", id);
    while (hed_database_row(database, row, error)) {
        hed_evaluation evaluation, *added;
        if (!read_evaluation(row, key, &evaluation)) continue;
        added = list_add(&history);
        if (added) *added = evaluation;
        else history_no_memory(error);
    }
    hed_database_leave(database);
    if (!hed_failed(error) && history.count) {
        *evaluations = hed_allocate(&database->allocator, history.count * sizeof **evaluations);
        if (*evaluations) memcpy(*evaluations, history.items, history.count * sizeof **evaluations);
        else history_no_memory(error);
        *count = hed_failed(error) ? 0 : history.count;
    }
    list_free(&history);
    return error->status;
}

/* ---- sources ---- */

/* Another key of this kernel. Keys are compared by `order`, the first field first; smaller values
 * are nearer. */
typedef struct source_key {
    hed_database *database;
    int64_t id;
    /* other text, other math mode, relation of devices, distance of sizes, driver, age */
    double order[6];
    hed_config configs[HED_SOURCE_TOP];
    uint32_t count;
} source_key;

static const char KEYS[] =
    "SELECT k.id, k.source, k.math, k.driver, k.compiler, k.problem, d.backend, d.platform, d.name, d.vendor, d.type,"
    "    d.architecture, d.compute_units"
    " FROM key k JOIN device d ON d.id = k.device WHERE k.kernel = ? AND k.objective = ? AND k.id <> ?";

/* dropped candidates were slower than some others, but their times still rank them */
static const char BEST[] =
    "SELECT config, 0.0 AS best FROM choice WHERE key = ?1 UNION ALL"
    " SELECT * FROM (SELECT config, seconds AS best FROM (SELECT m.config, m.seconds,"
    "        max(m.session * 1048576 + m.number) FROM measurement m JOIN session s ON s.id = m.session"
    "        WHERE s.key = ?1 AND m.outcome IN ('measured', 'dropped') AND m.seconds IS NOT NULL GROUP BY m.config)"
    "    ORDER BY best, config LIMIT 40)";

static void history_place(sqlite3_stmt *row, const hed_tune_key *key, source_key *s)
{
    const hed_database_entry device = {.backend = hed_column_text(row, 6),
        .platform = hed_column_text(row, 7),
        .device = hed_column_text(row, 8),
        .vendor = hed_column_text(row, 9),
        .type = hed_device_type_read(hed_column_text(row, 10)),
        .architecture = (uint32_t)sqlite3_column_int64(row, 11),
        .compute_units = (uint32_t)sqlite3_column_int64(row, 12)};
    hed_problem problem;
    bool sized =
        hed_problem_read(hed_column_text(row, 5), key->dimensions, key->dimension_count, &problem);
    s->id = sqlite3_column_int64(row, 0);
    s->order[0] = strcmp(hed_column_text(row, 1), key->source) != 0;
    s->order[1] = strcmp(hed_column_text(row, 2), hed_math_word(key->math)) != 0;
    s->order[2] = hed_device_relation(key->device, &device);
    s->order[3] = sized ? hed_problem_distance(&key->problem, &problem) : INFINITY;
    s->order[4] = strcmp(hed_column_text(row, 3), key->device->driver) ||
                  strcmp(hed_column_text(row, 4), key->compiler);
    s->order[5] = -(double)s->id;
}

static int compare_sources(const void *a, const void *b)
{
    const source_key *x = a, *y = b;
    for (int i = 0; i < 6; i++)
        if (x->order[i] != y->order[i]) return x->order[i] < y->order[i] ? -1 : 1;
    return 0;
}

static void collect_keys(
    hed_database *database, const hed_tune_key *key, list *keys, hed_error *error)
{
    if (hed_database_enter(database, error)) return;
    sqlite3_busy_timeout(database->handle, HED_READ_PATIENCE);
    int64_t own_id = results_key(database, key, error);
    sqlite3_stmt *row = hed_database_statement(
        database, KEYS, "tti", key->kernel, hed_objective_word(key->objective), own_id);
    while (hed_database_row(database, row, error)) {
        source_key *s = list_add(keys);
        if (!s) {
            history_no_memory(error);
            continue;
        }
        *s = (source_key){.database = database};
        history_place(row, key, s);
    }
    hed_database_leave(database);
}

/* Reads the choice, then the fastest configurations, each once, without configurations that this
 * kernel's parameters exclude. */
static void read_best(
    hed_database *database, const hed_tune_key *key, source_key *s, hed_error *error)
{
    sqlite3_stmt *row = hed_database_statement(database, BEST, "i", s->id);
    while (hed_database_row(database, row, error)) {
        hed_config config;
        bool skip =
            s->count == HED_SOURCE_TOP || !hed_config_read(hed_column_text(row, 0), key->parameters,
                                              key->parameter_count, true, &config);
        for (uint32_t i = 0; i < s->count && !skip; i++)
            skip = memcmp(s->configs[i].values, config.values,
                       key->parameter_count * sizeof *config.values) == 0;
        if (!skip) s->configs[s->count++] = config;
    }
}

/* Reads the configurations of keys until `limit` of them have some. */
static void collect_configs(const hed_tune_key *key, list *keys, uint32_t limit, hed_error *error)
{
    for (uint32_t i = 0, used = 0; i < keys->count && used < limit; i++) {
        source_key *s = (source_key *)keys->items + i;
        if (hed_database_enter(s->database, error)) return;
        read_best(s->database, key, s, error);
        hed_database_leave(s->database);
        used += s->count > 0;
    }
}

/* Packs the sources and their configurations into one block. */
static void history_pack(const list *source_keys, uint32_t limit, hed_search_source **sources,
    uint32_t *count, size_t *bytes, hed_error *error)
{
    const source_key *keys = (const source_key *)source_keys->items;
    uint32_t used = 0, configs = 0;
    for (uint32_t i = 0; i < source_keys->count && used < limit; i++) {
        used += keys[i].count > 0;
        configs += keys[i].count;
    }
    if (!used || hed_failed(error)) return;
    size_t size = used * sizeof **sources + configs * sizeof(hed_config);
    hed_search_source *block = hed_allocate(source_keys->allocator, size);
    if (!block) {
        history_no_memory(error);
        return;
    }
    hed_config *next = (hed_config *)(block + used);
    for (uint32_t i = 0, to = 0; to < used; i++) {
        if (!keys[i].count) continue;
        memcpy(next, keys[i].configs, keys[i].count * sizeof *next);
        block[to++] = (hed_search_source){next, keys[i].count};
        next += keys[i].count;
    }
    *sources = block;
    *count = used;
    *bytes = size;
}

hed_status hed_database_sources(hed_database *database, const hed_tune_key *key, uint32_t limit,
    hed_search_source **sources, uint32_t *count, size_t *bytes, hed_error *error)
{
    list keys = {.allocator = &database->allocator, .item_bytes = sizeof(source_key)};
    *sources = NULL;
    *count = 0;
    *bytes = 0;
    error = error ? error : &(hed_error){0};
    collect_keys(database, key, &keys, error);
    hed_database *installed = hed_context_database_found(database->context) == database
                                  ? hed_context_installed(database->context)
                                  : NULL;
    if (installed) collect_keys(installed, key, &keys, error);
    if (keys.count) qsort(keys.items, keys.count, sizeof(source_key), compare_sources);
    collect_configs(key, &keys, limit, error);
    history_pack(&keys, limit, sources, count, bytes, error);
    list_free(&keys);
    return error->status;
}
