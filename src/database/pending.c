/* Results of this process in memory, and the rows that they become: sessions, measurements,
 * choices. A new file that replaces a damaged one gets all of them. */
#include <stdio.h>
#include <time.h>

#include "database/database_file.h"

/* ---- rows inserted once ---- */

static const char FIND_DEVICE[] =
    "SELECT id FROM device WHERE backend = ? AND platform = ? AND name = ? AND vendor = ?"
    " AND type = ? AND architecture = ? AND compute_units = ?";
static const char ADD_DEVICE[] =
    "INSERT INTO device(backend, platform, name, vendor, type, architecture, compute_units)"
    " VALUES(?, ?, ?, ?, ?, ?, ?) RETURNING id";

static int64_t device_row(
    hed_database *database, const char *sql, const hed_database_entry *r, hed_error *error)
{
    int64_t id = 0;
    hed_database_integer(database, &id, error, sql, "tttttii", r->backend, r->platform, r->device,
        r->vendor, hed_device_type_word(r->type), (int64_t)r->architecture,
        (int64_t)r->compute_units);
    return id;
}

int64_t hed_database_find_device(
    hed_database *database, const hed_database_entry *record, hed_error *error)
{
    return device_row(database, FIND_DEVICE, record, error);
}

int64_t hed_database_put_device(
    hed_database *database, const hed_database_entry *record, hed_error *error)
{
    int64_t id = hed_database_find_device(database, record, error);
    return id ? id : device_row(database, ADD_DEVICE, record, error);
}

static const char FIND_KEY[] =
    "SELECT id FROM key WHERE kernel = ? AND source = ? AND math = ? AND objective = ?"
    " AND device = ? AND driver = ? AND compiler = ? AND problem = ?";
static const char ADD_KEY[] =
    "INSERT INTO key(kernel, source, math, objective, device, driver, compiler, problem)"
    " VALUES(?, ?, ?, ?, ?, ?, ?, ?) RETURNING id";

static int64_t key_row(hed_database *database, const char *sql, const hed_database_entry *r,
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
    int64_t id = key_row(database, FIND_KEY, record, device, error);
    return id ? id : key_row(database, ADD_KEY, record, device, error);
}

int64_t hed_database_find_key(hed_database *database, const hed_tune_key *key, hed_error *error)
{
    hed_database_entry record = {0};
    hed_text problem = {.allocator = &database->allocator};
    int64_t id;
    hed_problem_write(&problem, key->dimensions, &key->problem);
    hed_key_describe(key, &problem, &record);
    if (problem.failed) HED_OUT_OF_MEMORY(error, "a tuning's results");
    id = key_row(
        database, FIND_KEY, &record, hed_database_find_device(database, &record, error), error);
    hed_text_free(&problem);
    return id;
}

/* ---- sessions ---- */

/* Texts of an entry that a session owns; the texts of math and objective are constants. */
static const char **session_text(hed_database_entry *e, uint32_t index)
{
    const char **const texts[] = {&e->backend, &e->platform, &e->device, &e->vendor, &e->kernel,
        &e->source, &e->driver, &e->compiler, &e->problem, &e->session, &e->settings};
    return index < HED_COUNT(texts) ? texts[index] : NULL;
}

void hed_session_free(const hed_allocator *allocator, hed_recording *session)
{
    const char **text;
    for (uint32_t i = 0; (text = session_text(&session->entry, i)); i++)
        hed_release_text(allocator, (char *)(uintptr_t)*text);
    hed_release(allocator, session, sizeof *session);
}

hed_recording *hed_session_create(
    hed_database *database, const hed_tune_key *key, const char *settings, hed_error *error)
{
    const hed_allocator *allocator = &database->allocator;
    hed_text problem = {.allocator = allocator};
    unsigned char bytes[16];
    char name[2 * sizeof bytes + 1];
    const char **text;
    hed_recording *session = hed_allocate(allocator, sizeof *session);
    if (!session) {
        HED_OUT_OF_MEMORY(error, "a tuning's results");
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
    hed_session_free(allocator, session);
    HED_OUT_OF_MEMORY(error, "a tuning's results");
    return NULL;
}

static const char FIND_SESSION[] = "SELECT id FROM session WHERE uid = ?";
static const char ADD_SESSION[] = "INSERT INTO session(uid, key, settings, version, begun)"
                                  " VALUES(?, ?, ?, ?, ?) RETURNING id";

void hed_session_put(hed_database *database, void *user, hed_error *error)
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

void hed_recorded_free(const hed_allocator *allocator, hed_recorded *r)
{
    hed_release_text(allocator, r->config);
    hed_release_text(allocator, r->default_config);
    hed_release(allocator, r, sizeof *r);
}

hed_recorded *hed_recorded_create(hed_database *database, const hed_tune_key *key,
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
        if (failed) hed_recorded_free(allocator, r);
        r = failed ? NULL : r;
    }
    hed_text_free(&config);
    hed_text_free(&default_config);
    return r;
}

bool hed_recorded_add(hed_database *database, int64_t id, hed_recorded *r)
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

void hed_database_drop_results(hed_database *database)
{
    for (hed_recorded *r = database->recorded, *next; r; r = next) {
        next = r->next;
        hed_recorded_free(&database->allocator, r);
    }
    for (hed_recording *s = database->sessions, *next; s; s = next) {
        next = s->next;
        hed_session_free(&database->allocator, s);
    }
}

static void recorded_write(hed_database *database, const hed_recorded *r, hed_error *error)
{
    const hed_evaluation *e = &r->evaluation;
    hed_recording *session = r->session;
    if (!session->row) {
        session->is_new = true;
        hed_session_put(database, session, error);
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
