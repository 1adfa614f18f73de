/* The schema: one step for each version, which are taken one after another, for a new file too; and
 * what a file is that is found. docs/database.md explains the tables. */
#include "database/file.h"

#include <stdio.h>

/* Steps are never changed once released: files in the world have gone through them. */
static const char *const STEPS[HED_DATABASE_VERSION] = {
    /* 1 */
    "CREATE TABLE device(id INTEGER PRIMARY KEY, backend TEXT NOT NULL, platform TEXT NOT NULL, name TEXT NOT NULL,"
    "    vendor TEXT NOT NULL, type TEXT NOT NULL, architecture INTEGER NOT NULL, compute_units INTEGER NOT NULL,"
    "    UNIQUE(backend, platform, name, vendor, type, architecture, compute_units)) STRICT;"
    "CREATE TABLE key(id INTEGER PRIMARY KEY, kernel TEXT NOT NULL, source TEXT NOT NULL, math TEXT NOT NULL,"
    "    objective TEXT NOT NULL, device INTEGER NOT NULL REFERENCES device(id), driver TEXT NOT NULL,"
    "    compiler TEXT NOT NULL, problem TEXT NOT NULL,"
    "    UNIQUE(kernel, source, math, objective, device, driver, compiler, problem)) STRICT;"
    "CREATE TABLE session(id INTEGER PRIMARY KEY AUTOINCREMENT, uid TEXT NOT NULL UNIQUE,"
    "    key INTEGER NOT NULL REFERENCES key(id), settings TEXT NOT NULL, version TEXT NOT NULL,"
    "    begun INTEGER NOT NULL) STRICT;"
    "CREATE INDEX session_of_key ON session(key);"
    "CREATE TABLE measurement(session INTEGER NOT NULL REFERENCES session(id), number INTEGER NOT NULL,"
    "    config TEXT NOT NULL, outcome TEXT NOT NULL, seconds REAL, low REAL, high REAL, runs INTEGER NOT NULL,"
    "    build_seconds REAL, at REAL, deviation REAL, text TEXT NOT NULL,"
    "    PRIMARY KEY(session, number)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE choice(id INTEGER PRIMARY KEY AUTOINCREMENT, key INTEGER NOT NULL UNIQUE REFERENCES key(id),"
    "    session INTEGER NOT NULL REFERENCES session(id), config TEXT NOT NULL, seconds REAL NOT NULL, low REAL,"
    "    high REAL) STRICT;",
    /* 2: what the default took, so that a choice tells its gain after pruning too; and facts */
    "ALTER TABLE choice ADD COLUMN default_seconds REAL;"
    "CREATE TABLE fact(device INTEGER NOT NULL REFERENCES device(id), name TEXT NOT NULL, value REAL NOT NULL,"
    "    PRIMARY KEY(device, name)) STRICT, WITHOUT ROWID;",
};

/* files up to this size are read through at opening: some milliseconds */
enum { CHECKED_BYTES = 1 << 20 };

/* PRAGMA's answers are numbers or texts of one row. */
static bool ask(hed_database *database, const char *sql, int64_t *value)
{
    hed_status status;
    return hed_database_integer(database, value, &status, NULL, sql, "");
}

/* Reads a small file through. False: it could not be read; else `*whole` is the answer. */
static bool check_pages(hed_database *database, bool *whole)
{
    int64_t pages, page_bytes;
    hed_status status;
    *whole = true;
    if (!ask(database, "PRAGMA page_count", &pages) ||
        !ask(database, "PRAGMA page_size", &page_bytes))
        return false;
    if (pages * page_bytes > CHECKED_BYTES) return true;
    sqlite3_stmt *statement = hed_database_statement(database, "PRAGMA quick_check(1)", "");
    if (!hed_database_row(database, statement, &status, NULL)) return false;
    *whole = sqlite3_stricmp(hed_column_text(statement, 0), "ok") == 0;
    sqlite3_reset(statement);
    return true;
}

static hed_verdict refuse(hed_status *status, hed_status why)
{
    *status = why;
    return HED_VERDICT_REFUSED;
}

/* What could not be read: damage, or only a lock or a missing right. */
static hed_verdict explain(hed_database *database, hed_status *status, hed_error *error)
{
    hed_status why = hed_database_fail(database, "read", error);
    return database->damaged ? HED_VERDICT_DAMAGED : refuse(status, why);
}

hed_verdict hed_database_examine(hed_database *database, hed_status *status, hed_error *error)
{
    int64_t mark, version, tables;
    bool whole;
    *status = HED_OK;
    /* A file that is shorter than its first page says is found here by SQLite itself. The mark
     * comes last: another process may be making the file just now, in one transaction, and who has
     * seen its tables will then see its mark. */
    if (!ask(database, "SELECT count(*) FROM sqlite_schema", &tables) ||
        !ask(database, "PRAGMA user_version", &version) ||
        !ask(database, "PRAGMA application_id", &mark))
        return explain(database, status, error);
    if (mark != HED_DATABASE_MARK && (tables || mark || version))
        return refuse(status,
            hed_fail(error, HED_ERROR_FORMAT,
                "%s is the SQLite database of another program, and left alone: set HEDDLE_DATABASE "
                "to another file",
                database->path));
    if (version > HED_DATABASE_VERSION)
        return refuse(status,
            hed_fail(error, HED_ERROR_FORMAT,
                "%s is of version %lld and this Heddle knows versions up to %d: it was written by a "
                "newer one. Upgrade, or set HEDDLE_DATABASE to another file",
                database->path, (long long)version, HED_DATABASE_VERSION));
    if (version < 0) return HED_VERDICT_DAMAGED;
    if (!check_pages(database, &whole)) return explain(database, status, error);
    if (!whole) return HED_VERDICT_DAMAGED;
    return version < HED_DATABASE_VERSION ? HED_VERDICT_OLD : HED_VERDICT_GOOD;
}

static hed_status execute(hed_database *database, const char *sql, hed_error *error)
{
    return sqlite3_exec(database->handle, sql, NULL, NULL, NULL)
               ? hed_database_fail(database, "bring up to date", error)
               : HED_OK;
}

hed_status hed_database_migrate(hed_database *database, hed_error *error)
{
    int64_t version = 0;
    char number[64];
    hed_status status = execute(database, "BEGIN IMMEDIATE", error);
    if (status) return status;
    /* Another process may have done it while we waited for the lock. */
    if (!ask(database, "PRAGMA user_version", &version))
        status = hed_database_fail(database, "read", error);
    for (; version < HED_DATABASE_VERSION && !status; version++)
        status = execute(database, STEPS[version], error);
    snprintf(number, sizeof number, "PRAGMA user_version = %d; PRAGMA application_id = %d",
        HED_DATABASE_VERSION, HED_DATABASE_MARK);
    if (!status) status = execute(database, number, error);
    return hed_database_end(database, status, error);
}
