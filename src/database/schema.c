/* Schema: one upgrade step per version, applied in order, also to a new file; examination of
 * existing files; and setting damaged files aside. docs/database.md explains the tables. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "database/database_file.h"

/* Steps never change once released, since existing files were created by them. */
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
    /* 2: time of the default configuration, so that a choice's gain remains known after pruning;
     * facts */
    "ALTER TABLE choice ADD COLUMN default_seconds REAL;"
    "CREATE TABLE fact(device INTEGER NOT NULL REFERENCES device(id), name TEXT NOT NULL, value REAL NOT NULL,"
    "    PRIMARY KEY(device, name)) STRICT, WITHOUT ROWID;",
};

/* files up to this size are completely read at opening, which takes milliseconds */
enum { CHECKED_BYTES = 1 << 20 };

/* Runs a PRAGMA or query that returns one number. */
static bool schema_query(hed_database *database, const char *sql, int64_t *value)
{
    return hed_database_integer(database, value, NULL, sql, "");
}

/* Checks a file of at most `limit` bytes completely. Returns false if it cannot be read; `*whole`
 * is the result. */
static bool check_pages(hed_database *database, int64_t limit, bool *whole)
{
    int64_t pages, page_bytes;
    *whole = true;
    if (!schema_query(database, "PRAGMA page_count", &pages) ||
        !schema_query(database, "PRAGMA page_size", &page_bytes))
        return false;
    if (pages * page_bytes > limit) return true;
    sqlite3_stmt *statement = hed_database_statement(database, "PRAGMA quick_check(1)", "");
    if (!hed_database_row(database, statement, NULL)) return false;
    *whole = sqlite3_stricmp(hed_column_text(statement, 0), "ok") == 0;
    sqlite3_reset(statement);
    database->checked = true;
    return true;
}

/* Checks that a file of the newest version has its tables; `*whole` is the result. Returns false if
 * it cannot be read. */
static bool check_tables(hed_database *database, bool *whole)
{
    int64_t tables;
    bool read = schema_query(database,
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN"
        " ('device', 'key', 'session', 'measurement', 'choice', 'fact')",
        &tables);
    *whole = read && tables == 6;
    return read;
}

void hed_database_check(hed_database *database)
{
    struct stat about;
    bool pages = true, tables = true;
    if (database->inode && (stat(database->path, &about) != 0 || about.st_dev != database->device ||
                               about.st_ino != database->inode))
        database->damaged = true;
    if (database->damaged) return;
    sqlite3_db_release_memory(database->handle); /* discard cached pages */
    if (!check_tables(database, &tables) || !check_pages(database, INT64_MAX, &pages))
        hed_database_fail(database, "read", NULL);
    database->damaged = database->damaged || !pages || !tables;
    database->changed = false;
}

/* Classifies a read failure: damage, or only a lock or missing permission. */
static hed_verdict schema_explain(hed_database *database, hed_error *error)
{
    hed_database_fail(database, "read", error);
    return database->damaged ? HED_VERDICT_DAMAGED : HED_VERDICT_REFUSED;
}

hed_verdict hed_database_examine(hed_database *database, hed_error *error)
{
    int64_t mark, version, tables;
    bool whole;
    /* SQLite itself detects a truncated file here. The mark is read last: another process may be
     * creating the file in one transaction, and its mark is visible as soon as its tables are. */
    if (!schema_query(database, "SELECT count(*) FROM sqlite_schema", &tables) ||
        !schema_query(database, "PRAGMA user_version", &version) ||
        !schema_query(database, "PRAGMA application_id", &mark))
        return schema_explain(database, error);
    if (mark != HED_DATABASE_MARK && (tables || mark || version)) {
        hed_fail(error, HED_ERROR_FORMAT,
            "%s is the SQLite database of another program, and left alone: set HEDDLE_DATABASE "
            "to another file",
            database->path);
        return HED_VERDICT_REFUSED;
    }
    if (version > HED_DATABASE_VERSION) {
        hed_fail(error, HED_ERROR_FORMAT,
            "%s is of version %" PRId64 " and this Heddle knows versions up to %d: it was written "
            "by a newer one. Upgrade, or set HEDDLE_DATABASE to another file",
            database->path, version, HED_DATABASE_VERSION);
        return HED_VERDICT_REFUSED;
    }
    if (version < 0) return HED_VERDICT_DAMAGED;
    if (version == HED_DATABASE_VERSION) {
        if (!check_tables(database, &whole)) return schema_explain(database, error);
        if (!whole) return HED_VERDICT_DAMAGED;
    }
    if (!check_pages(database, CHECKED_BYTES, &whole)) return schema_explain(database, error);
    if (!whole) return HED_VERDICT_DAMAGED;
    return version < HED_DATABASE_VERSION ? HED_VERDICT_OLD : HED_VERDICT_GOOD;
}

static void execute(hed_database *database, const char *sql, hed_error *error)
{
    if (!hed_failed(error) && sqlite3_exec(database->handle, sql, NULL, NULL, NULL))
        hed_database_fail(database, "bring up to date", error);
}

hed_status hed_database_migrate(hed_database *database, hed_error *error)
{
    int64_t version = 0;
    char number[64];
    execute(database, "BEGIN IMMEDIATE", error);
    /* another process may have migrated the file while this one waited for the lock */
    if (!hed_failed(error) && !schema_query(database, "PRAGMA user_version", &version))
        hed_database_fail(database, "read", error);
    for (; version < HED_DATABASE_VERSION && !hed_failed(error); version++)
        execute(database, STEPS[version], error);
    snprintf(number, sizeof number, "PRAGMA user_version = %d; PRAGMA application_id = %d",
        HED_DATABASE_VERSION, HED_DATABASE_MARK);
    execute(database, number, error);
    return hed_database_end(database, error);
}

/* Setting a damaged file aside. Several processes may detect the damage at once: the folder is
 * locked, and only the examined file is renamed, never the new one that another process has created
 * in its place. */

enum { MOST_ASIDE = 1000 };

/* Renames the file to the first free number. */
static bool take_name(const char *path, char *aside)
{
    for (int n = 1; n <= MOST_ASIDE; n++) {
        int length = snprintf(aside, HED_PATH_MAX, "%s.damaged-%d", path, n);
        if (length < 0 || length >= HED_PATH_MAX) {
            errno = ENAMETOOLONG;
            return false;
        }
        if (renameat2(AT_FDCWD, path, AT_FDCWD, aside, RENAME_NOREPLACE) == 0) return true;
        /* the file system lacks an atomic rename without replacement */
        if (errno == EINVAL || errno == ENOSYS) {
            struct stat existing;
            if (lstat(aside, &existing) != 0) return rename(path, aside) == 0;
            errno = EEXIST;
        }
        if (errno != EEXIST) return false;
    }
    return false;
}

hed_status hed_database_set_aside(
    const char *path, dev_t device, ino_t inode, char *aside, hed_error *error)
{
    static const char *const endings[] = {"-journal", "-wal", "-shm"};
    struct stat about;
    char from[HED_PATH_MAX], reason[256];
    hed_status status = HED_OK;
    /* lock the folder; file systems without such locks are used unlocked */
    hed_text_copy(from, sizeof from, path);
    char *slash = strrchr(from, '/');
    if (slash) slash[slash == from] = 0;
    int folder = open(slash ? from : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) flock(folder, LOCK_EX);
    aside[0] = 0;
    bool is_same = stat(path, &about) == 0 && about.st_dev == device && about.st_ino == inode;
    if (is_same && !take_name(path, aside)) {
        status = hed_fail(error, HED_ERROR_IO,
            "%s is damaged and cannot be renamed: %s: rename or delete it", path,
            strerror_r(errno, reason, sizeof reason));
        aside[0] = 0;
    }
    /* the journal belongs to the damaged file: next to a new file it would be applied to that */
    for (size_t i = 0; i < sizeof endings / sizeof endings[0] && aside[0]; i++) {
        char to[HED_PATH_MAX];
        int a = snprintf(from, sizeof from, "%s%s", path, endings[i]),
            b = snprintf(to, sizeof to, "%s%s", aside, endings[i]);
        if (a > 0 && b > 0 && (size_t)a < sizeof from && (size_t)b < sizeof to &&
            rename(from, to) != 0 && errno != ENOENT)
            unlink(from);
    }
    if (folder >= 0) close(folder);
    return status;
}
