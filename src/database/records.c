/* The database as records: going through them, taking them in from elsewhere, and removing them. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "database/file.h"

/* ---- going through them ---- */

#define DEVICE_COLUMNS \
    "d.backend, d.platform, d.name, d.vendor, d.type, d.architecture, d.compute_units"

/* A NULL filter lets everything through; the device's is part of a name, case ignored, as LIKE does
 * it. */
static const char FACTS[] =
    "SELECT " DEVICE_COLUMNS ", f.name, f.value FROM fact f JOIN device d ON d.id = f.device"
    " ORDER BY d.backend, d.platform, d.name, d.id, f.name";
static const char KEYS[] =
    "SELECT " DEVICE_COLUMNS
    ", k.kernel, k.source, k.math, k.objective, k.driver, k.compiler, k.problem, k.id,"
    "    (SELECT count(*) FROM measurement m JOIN session s ON s.id = m.session WHERE s.key = k.id)"
    " FROM key k JOIN device d ON d.id = k.device"
    " ORDER BY k.kernel, d.backend, d.platform, d.name, d.id, k.problem, k.math, k.objective, k.id";
static const char CHOICES[] =
    "SELECT s.uid, s.settings, s.version, s.begun, c.config, c.seconds, c.low, c.high,"
    "    c.default_seconds FROM choice c JOIN session s ON s.id = c.session WHERE c.key = ?";
static const char MEASUREMENTS[] =
    "SELECT s.uid, s.settings, s.version, s.begun, m.config, m.seconds, m.low, m.high, m.number, m.outcome, m.runs,"
    "    m.build_seconds, m.at, m.deviation, m.text FROM session s JOIN measurement m ON m.session = s.id"
    " WHERE s.key = ? ORDER BY s.id, m.number";

typedef hed_status visit_function(void *user, const hed_database_entry *record, hed_error *error);

typedef struct walk {
    hed_database *database;
    const hed_record_filter *filter;
    visit_function *visit;
    void *user;
} walk;

static bool wants(const walk *w, hed_record_kind kind)
{
    return !w->filter->kinds || (w->filter->kinds & kind);
}

static void read_device(sqlite3_stmt *row, hed_database_entry *r)
{
    r->backend = hed_column_text(row, 0);
    r->platform = hed_column_text(row, 1);
    r->device = hed_column_text(row, 2);
    r->vendor = hed_column_text(row, 3);
    r->type = hed_device_type_read(hed_column_text(row, 4));
    r->architecture = (uint32_t)sqlite3_column_int64(row, 5);
    r->compute_units = (uint32_t)sqlite3_column_int64(row, 6);
}

static bool is_wanted_device(const walk *w, const hed_database_entry *r)
{
    const char *device = w->filter->device;
    return !device || strcmp(device, r->backend) == 0 || hed_text_contains(r->device, device) ||
           hed_text_contains(r->platform, device);
}

static void read_session(sqlite3_stmt *row, hed_database_entry *r)
{
    r->session = hed_column_text(row, 0);
    r->settings = hed_column_text(row, 1);
    r->version = hed_column_text(row, 2);
    r->begun = sqlite3_column_int64(row, 3);
    r->config = hed_column_text(row, 4);
    r->seconds = hed_column_number(row, 5);
    r->low = hed_column_number(row, 6);
    r->high = hed_column_number(row, 7);
}

/* The rows of a statement as records of one kind, each over the fields that `base` has already. */
static hed_status visit_rows(const walk *w, sqlite3_stmt *row, const hed_database_entry *base,
    hed_record_kind kind, void (*read)(sqlite3_stmt *row, hed_database_entry *record),
    hed_error *error)
{
    hed_status status;
    while (hed_database_row(w->database, row, &status, error)) {
        hed_database_entry record = *base;
        record.kind = kind;
        record.measurements = 0;
        read(row, &record);
        if (kind == HED_RECORD_FACT && !is_wanted_device(w, &record)) continue;
        status = w->visit(w->user, &record, error);
        if (!status) continue;
        sqlite3_reset(row);
        return status;
    }
    return status;
}

static void read_fact(sqlite3_stmt *row, hed_database_entry *r)
{
    read_device(row, r);
    r->name = hed_column_text(row, 7);
    r->value = hed_column_number(row, 8);
}

static void records_read_choice(sqlite3_stmt *row, hed_database_entry *r)
{
    read_session(row, r);
    r->default_seconds = hed_column_number(row, 8);
}

static void read_measurement(sqlite3_stmt *row, hed_database_entry *r)
{
    read_session(row, r);
    r->number = (uint32_t)sqlite3_column_int64(row, 8);
    r->outcome = hed_column_text(row, 9);
    r->runs = (uint32_t)sqlite3_column_int64(row, 10);
    r->build_seconds = sqlite3_column_double(row, 11);
    r->at = sqlite3_column_double(row, 12);
    r->deviation = hed_column_number(row, 13);
    r->text = hed_column_text(row, 14);
}

static void records_read_key(sqlite3_stmt *row, hed_database_entry *r)
{
    *r = (hed_database_entry){.kind = HED_RECORD_KEY};
    read_device(row, r);
    r->kernel = hed_column_text(row, 7);
    r->source = hed_column_text(row, 8);
    r->math = hed_column_text(row, 9);
    r->objective = hed_column_text(row, 10);
    r->driver = hed_column_text(row, 11);
    r->compiler = hed_column_text(row, 12);
    r->problem = hed_column_text(row, 13);
    r->measurements = (uint64_t)sqlite3_column_int64(row, 15);
}

static hed_status visit_key(
    const walk *w, const hed_database_entry *key, int64_t id, hed_error *error)
{
    hed_status status = wants(w, HED_RECORD_KEY) ? w->visit(w->user, key, error) : HED_OK;
    if (!status && wants(w, HED_RECORD_CHOICE))
        status = visit_rows(w, hed_database_statement(w->database, CHOICES, "i", id), key,
            HED_RECORD_CHOICE, records_read_choice, error);
    if (!status && wants(w, HED_RECORD_MEASUREMENT))
        status = visit_rows(w, hed_database_statement(w->database, MEASUREMENTS, "i", id), key,
            HED_RECORD_MEASUREMENT, read_measurement, error);
    return status;
}

static hed_status visit_keys(const walk *w, hed_error *error)
{
    hed_status status;
    sqlite3_stmt *row = hed_database_statement(w->database, KEYS, "");
    while (hed_database_row(w->database, row, &status, error)) {
        hed_database_entry key;
        records_read_key(row, &key);
        if (w->filter->kernel && strcmp(w->filter->kernel, key.kernel) != 0) continue;
        if (!is_wanted_device(w, &key)) continue;
        status = visit_key(w, &key, sqlite3_column_int64(row, 14), error);
        if (!status) continue;
        sqlite3_reset(row);
        return status;
    }
    return status;
}

hed_status hed_database_each(hed_database *database, const hed_record_filter *filter,
    visit_function *visit, void *user, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    static const hed_record_filter all = {0};
    const hed_database_entry nothing = {0};
    const walk w = {database, filter ? filter : &all, visit, user};
    hed_status status = hed_database_enter(database, error);
    if (status) return status;
    hed_database_write_pending(database, NULL); /* what waits belongs to it */
    status = hed_database_begin_read(database, error);
    if (!status) {
        if (wants(&w, HED_RECORD_FACT) && !w.filter->kernel)
            status = visit_rows(&w, hed_database_statement(database, FACTS, ""), &nothing,
                HED_RECORD_FACT, read_fact, error);
        if (!status && (!w.filter->kinds || w.filter->kinds != HED_RECORD_FACT))
            status = visit_keys(&w, error);
        status = hed_database_end(database, status, error);
    }
    hed_database_leave(database);
    return status;
}

/* Removing measurements that are no longer needed. */

/* What stays and what goes is put into tables of this connection. Of each key the `?1` fastest
 * configurations stay: one is as fast as its newest measurement. */
static const char MAKE_BEST[] =
    "CREATE TEMP TABLE IF NOT EXISTS best(key INTEGER, config TEXT, PRIMARY KEY(key, config)) WITHOUT ROWID";
static const char MAKE_GONE[] =
    "CREATE TEMP TABLE IF NOT EXISTS gone(session INTEGER, number INTEGER, PRIMARY KEY(session, number))"
    " WITHOUT ROWID";
static const char CLEAR_BEST[] = "DELETE FROM temp.best";
static const char CLEAR_GONE[] = "DELETE FROM temp.gone";
static const char LIST_BEST[] =
    "WITH newest AS (SELECT s.key AS key, m.config AS config, m.outcome AS outcome, m.seconds AS seconds,"
    "        max(m.session * 1048576 + m.number) AS age"
    "    FROM measurement m JOIN session s ON s.id = m.session GROUP BY s.key, m.config),"
    " ranked AS (SELECT key, config, row_number() OVER (PARTITION BY key ORDER BY seconds, age) AS place FROM newest"
    "    WHERE outcome IN ('measured', 'dropped'))"
    " INSERT INTO temp.best SELECT key, config FROM ranked WHERE place <= ?1"
    " UNION SELECT key, config FROM choice";
static const char LIST_GONE[] =
    "INSERT INTO temp.gone SELECT m.session, m.number FROM measurement m"
    "    JOIN session s ON s.id = m.session JOIN key k ON k.id = s.key"
    " WHERE (?1 = '' OR k.kernel = ?1) AND s.begun < ?2"
    "    AND (?3 = 0 OR (NOT EXISTS (SELECT 1 FROM temp.best b WHERE b.key = s.key AND b.config = m.config)"
    "        AND (?4 OR m.outcome NOT IN ('crashed', 'hung'))))";
static const char COUNT[] = "SELECT count(*) FROM temp.gone";
static const char REMOVE[] =
    "DELETE FROM measurement WHERE (session, number) IN (SELECT session, number FROM temp.gone)";
static const char REMOVE_CHOICES[] =
    "DELETE FROM choice WHERE key IN (SELECT id FROM key WHERE kernel = ?)";
static const char REMOVE_SESSIONS[] =
    "DELETE FROM session WHERE id NOT IN (SELECT session FROM measurement)"
    " AND id NOT IN (SELECT session FROM choice)";
static const char REMOVE_KEYS[] = "DELETE FROM key WHERE id NOT IN (SELECT key FROM session)";

static hed_status records_list(hed_database *database, const hed_prune_def *def,
    hed_database_changes *removed, hed_error *error)
{
    bool by_age = def->older_seconds > 0;
    int64_t before = by_age ? (int64_t)time(NULL) - (int64_t)def->older_seconds : INT64_MAX,
            count = 0;
    const char *kernel = def->kernel ? def->kernel : "";
    hed_status status = hed_database_run(database, error, CLEAR_BEST, "");
    if (!status) status = hed_database_run(database, error, CLEAR_GONE, "");
    if (!status && def->keep_best)
        status = hed_database_run(database, error, LIST_BEST, "i", (int64_t)def->keep_best);
    if (!status)
        status = hed_database_run(database, error, LIST_GONE, "tiii", kernel, before,
            (int64_t)def->keep_best, (int64_t)by_age);
    if (!status) hed_database_integer(database, &count, &status, error, COUNT, "");
    removed->measurements = (uint64_t)count;
    return status;
}

static hed_status remove_listed(hed_database *database, const hed_prune_def *def,
    bool all_of_kernel, hed_database_changes *removed, hed_error *error)
{
    hed_status status = hed_database_run(database, error, REMOVE, "");
    if (!status && all_of_kernel) {
        status = hed_database_run(database, error, REMOVE_CHOICES, "t", def->kernel);
        if (!status) removed->choices = (uint64_t)sqlite3_changes64(database->handle);
    }
    if (!status) status = hed_database_run(database, error, REMOVE_SESSIONS, "");
    if (!status) status = hed_database_run(database, error, REMOVE_KEYS, "");
    if (!status) removed->keys = (uint64_t)sqlite3_changes64(database->handle);
    return status;
}

static hed_status prune(hed_database *database, const hed_prune_def *def,
    hed_database_changes *removed, hed_error *error)
{
    bool all_of_kernel = def->kernel && !def->keep_best && !(def->older_seconds > 0);
    hed_status status = hed_database_run(database, error, MAKE_BEST, "");
    if (!status) status = hed_database_run(database, error, MAKE_GONE, "");
    if (!status) status = hed_database_begin_write(database, error);
    if (status) return status;
    status = records_list(database, def, removed, error);
    if (!status) status = remove_listed(database, def, all_of_kernel, removed, error);
    /* Trying it and taking it back counts what really would go. */
    if (!status && def->dry_run) return hed_database_run(database, error, "ROLLBACK", "");
    status = hed_database_end(database, status, error);
    if (!status && removed->measurements)
        hed_database_run(database, NULL, "VACUUM", ""); /* without room for it: later */
    return status;
}

hed_status hed_database_prune(hed_database *database, const hed_prune_def *def,
    hed_database_changes *removed, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    hed_database_changes counted = {0};
    if (removed) *removed = counted;
    if (!def->kernel && !def->keep_best && !(def->older_seconds > 0))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "what to remove from %s? Give a kernel, an age, or how many to keep", database->path);
    hed_status status = hed_database_enter(database, error);
    if (status) return status;
    hed_database_write_pending(database, NULL);
    status = prune(database, def, &counted, error);
    hed_database_leave(database);
    if (!status && removed) *removed = counted;
    return status;
}
