/* Statements and transactions of the database's file, and SQLite's failures as messages. */
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "database/database_file.h"

/* Returns another process with a lock on the file, one that writes first; 0: unknown, as on a
 * network file system. The file is not opened, since closing it would release SQLite's own locks. */
static long find_holder(const hed_database *database)
{
    /* bytes that SQLite locks, at 1 GiB in every file */
    static const unsigned long long first = 0x40000000, count = 512;
    char line[256], kind[8];
    long holder = 0, process;
    unsigned long long inode, start;
    FILE *locks = fopen("/proc/locks", "re");
    while (locks && fgets(line, sizeof line, locks)) {
        if (sscanf(line, "%*s %*s %*s %7s %ld %*x:%*x:%llu %llu", kind, &process, &inode, &start) !=
                4 ||
            inode != database->inode || start - first >= count || process <= 0 ||
            process == getpid())
            continue;
        if (!holder || strcmp(kind, "WRITE") == 0) holder = process;
    }
    if (locks) fclose(locks);
    return holder;
}

static const char *advice(int code)
{
    switch (code) {
    case SQLITE_BUSY: return ": another process holds it; try again when that is done";
    case SQLITE_FULL: return ": make room there, or set HEDDLE_DATABASE to a file elsewhere";
    case SQLITE_READONLY:
        return ": check the permissions of file and folder, or set HEDDLE_DATABASE to a file elsewhere";
    case SQLITE_CANTOPEN: return ": check that the folder exists and the file can be read";
    default: return "";
    }
}

hed_status hed_database_fail(hed_database *database, const char *action, hed_error *error)
{
    int code = sqlite3_errcode(database->handle) & 0xff;
    if (code == SQLITE_NOMEM) return HED_OUT_OF_MEMORY(error, "%s", database->path);
    if (sqlite3_extended_errcode(database->handle) == SQLITE_READONLY_DBMOVED) {
        database->damaged = true;
        return hed_fail(
            error, HED_ERROR_IO, "cannot %s %s: it was renamed or removed", action, database->path);
    }
    /* the statements match the schema of this version, so one that does not compile reveals a
     * broken schema */
    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_ERROR ||
        sqlite3_extended_errcode(database->handle) == SQLITE_IOERR_SHORT_READ) {
        database->damaged = true;
        return hed_fail(error, HED_ERROR_IO, "cannot %s %s: the file is damaged (%s)", action,
            database->path, sqlite3_errmsg(database->handle));
    }
    long holder = code == SQLITE_BUSY ? find_holder(database) : 0;
    if (holder)
        return hed_fail(error, HED_ERROR_IO,
            "cannot %s %s: %s: process %ld holds it; try again when that has ended", action,
            database->path, sqlite3_errmsg(database->handle), holder);
    return hed_fail(error, HED_ERROR_IO, "cannot %s %s: %s%s", action, database->path,
        sqlite3_errmsg(database->handle), advice(code));
}

static sqlite3_stmt *database_prepare(hed_database *database, const char *sql)
{
    for (uint32_t i = 0; i < database->statement_count; i++)
        if (database->statements[i].sql == sql) return database->statements[i].statement;
    sqlite3_stmt *statement = NULL;
    assert(database->statement_count < HED_DATABASE_STATEMENTS);
    if (sqlite3_prepare_v3(database->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL))
        return NULL;
    database->statements[database->statement_count].sql = sql;
    database->statements[database->statement_count++].statement = statement;
    return statement;
}

static sqlite3_stmt *bind(
    hed_database *database, const char *sql, const char *types, va_list values)
{
    sqlite3_stmt *statement = database_prepare(database, sql);
    if (!statement) return NULL;
    sqlite3_reset(statement);
    for (int i = 0; types[i]; i++) {
        int code = SQLITE_OK;
        switch (types[i]) {
        case 't':
            code = sqlite3_bind_text(
                statement, i + 1, va_arg(values, const char *), -1, SQLITE_STATIC);
            break;
        case 'i': code = sqlite3_bind_int64(statement, i + 1, va_arg(values, int64_t)); break;
        default: code = sqlite3_bind_double(statement, i + 1, va_arg(values, double)); break;
        }
        if (code) return NULL;
    }
    return statement;
}

sqlite3_stmt *hed_database_statement(
    hed_database *database, const char *sql, const char *types, ...)
{
    va_list values;
    va_start(values, types);
    sqlite3_stmt *statement = bind(database, sql, types, values);
    va_end(values);
    return statement;
}

bool hed_database_row(hed_database *database, sqlite3_stmt *statement, hed_error *error)
{
    int code = hed_failed(error) ? SQLITE_DONE : statement ? sqlite3_step(statement) : SQLITE_ERROR;
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) hed_database_fail(database, "use", error);
    if (statement) sqlite3_reset(statement); /* releases its read lock */
    return false;
}

hed_status hed_database_run(
    hed_database *database, hed_error *error, const char *sql, const char *types, ...)
{
    va_list values;
    error = error ? error : &(hed_error){0};
    va_start(values, types);
    sqlite3_stmt *statement = bind(database, sql, types, values);
    va_end(values);
    while (hed_database_row(database, statement, error)) continue;
    return error->status;
}

bool hed_database_integer(hed_database *database, int64_t *value, hed_error *error, const char *sql,
    const char *types, ...)
{
    va_list values;
    va_start(values, types);
    sqlite3_stmt *statement = bind(database, sql, types, values);
    va_end(values);
    if (!hed_database_row(database, statement, error)) return false;
    *value = sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
    return true;
}

const char *hed_column_text(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text ? text : "";
}

double hed_column_number(sqlite3_stmt *statement, int column)
{
    return sqlite3_column_type(statement, column) == SQLITE_NULL
               ? NAN
               : sqlite3_column_double(statement, column);
}

/* Notes after a failure that another process has kept its lock for the whole patience. */
static void note_holder(hed_database *database)
{
    if ((sqlite3_errcode(database->handle) & 0xff) == SQLITE_BUSY) database->is_held = true;
}

hed_status hed_database_begin_write(hed_database *database, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    if (database->read_only)
        return hed_fail(error, HED_ERROR_IO, "%s was opened for reading only", database->path);
    sqlite3_busy_timeout(
        database->handle, database->is_held ? HED_HELD_PATIENCE : HED_WRITE_PATIENCE);
    /* take the write lock at once: upgrading a read lock may be rejected */
    hed_status status = hed_database_run(database, error, "BEGIN IMMEDIATE", "");
    if (status) note_holder(database);
    return status;
}

hed_status hed_database_begin_read(hed_database *database, hed_error *error)
{
    sqlite3_busy_timeout(database->handle, HED_READ_PATIENCE);
    return hed_database_run(database, error, "BEGIN", "");
}

hed_status hed_database_end(hed_database *database, hed_error *error)
{
    bool writes = sqlite3_txn_state(database->handle, "main") == SQLITE_TXN_WRITE;
    if (!hed_database_run(database, error, "COMMIT", "")) {
        if (writes) database->is_held = false;
        return HED_OK;
    }
    if (writes) note_holder(database);
    /* some failures, such as a full disk, have rolled back already */
    if (!sqlite3_get_autocommit(database->handle)) hed_database_run(database, NULL, "ROLLBACK", "");
    return error->status;
}
