/* File of the tuning database: opening, closing, replacing a damaged file, writing pending results.
 *
 * A rollback journal is used, not a write-ahead log: transactions are short and rare, and the
 * shared memory of a log fails on a network file system or in a read-only folder. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "database/database_file.h"

/* ---- transactions ---- */

hed_status hed_database_transact(hed_database *database,
    void (*write)(hed_database *database, void *user, hed_error *error), void *user,
    hed_error *error)
{
    if (hed_failed(error)) return error->status;
    /* check before hours of work, not after them */
    if (!database->checked) hed_database_check(database);
    if (database->damaged) hed_database_mend(database, error);
    for (int attempt = 0; attempt < 2 && !hed_failed(error); attempt++) {
        hed_database_begin_write(database, error);
        if (!hed_failed(error)) write(database, user, error);
        if (!hed_database_end(database, error) || !database->damaged) return error->status;
        if (attempt == 0 && !database->read_only) {
            hed_error_clear(error);
            hed_database_mend(database, error);
        }
    }
    return error->status;
}

/* ---- opening ---- */

/* Suffixes of a database's files. */
static const char *const endings[] = {"", "-journal", "-wal"};

static void disconnect(hed_database *database)
{
    for (uint32_t i = 0; i < database->statement_count; i++)
        sqlite3_finalize(database->statements[i].statement);
    database->statement_count = 0;
    sqlite3_close(database->handle);
    database->handle = NULL;
}

/* Rejects other kinds of files: a pipe would block, a device may never end. */
static hed_status check_regular(const char *path, const struct stat *about, hed_error *error)
{
    mode_t mode = about->st_mode;
    if (S_ISREG(mode)) return HED_OK;
    return hed_fail(error, HED_ERROR_IO,
        "%s is not loaded: it is %s; expected a file. Set HEDDLE_DATABASE to a file elsewhere", path,
        S_ISDIR(mode)    ? "a folder"
        : S_ISFIFO(mode) ? "a pipe"
        : S_ISSOCK(mode) ? "a socket"
                         : "a device");
}

/* Checks the kinds of the database file and its journals. */
static hed_status check_kinds(const hed_database *database, hed_error *error)
{
    char path[HED_PATH_MAX + 16];
    struct stat about;
    for (size_t i = 0; i < HED_COUNT(endings); i++) {
        snprintf(path, sizeof path, "%s%s", database->path, endings[i]);
        if (stat(path, &about) == 0 && check_regular(path, &about, error)) return error->status;
    }
    return HED_OK;
}

/* Checks owner and kind of the files that exist. `*has_file`: the database file exists. */
static hed_status check_existing(const hed_database *database, bool *has_file, hed_error *error)
{
    char path[HED_PATH_MAX + 16], reason[96];
    struct stat about;
    for (size_t i = 0; i < HED_COUNT(endings); i++) {
        snprintf(path, sizeof path, "%s%s", database->path, endings[i]);
        bool exists = lstat(path, &about) == 0;
        if (i == 0) *has_file = exists;
        if (!exists) continue;
        if (S_ISLNK(about.st_mode))
            return hed_fail(error, HED_ERROR_IO,
                "%s is not loaded: it is a symbolic link; set HEDDLE_DATABASE to the file itself",
                path);
        if (!hed_path_is_own(&about, reason, sizeof reason))
            return hed_fail(error, HED_ERROR_IO,
                "%s is not loaded: %s; make it yours alone (chown, chmod go-w), or set HEDDLE_DATABASE to a file elsewhere",
                path, reason);
    }
    hed_text_copy(path, sizeof path, database->path);
    char *slash = strrchr(path, '/');
    if (slash) slash[slash == path] = 0;
    if (stat(slash ? path : ".", &about) == 0 && !hed_path_is_own(&about, reason, sizeof reason))
        return hed_fail(error, HED_ERROR_IO,
            "%s is not loaded: of its folder, %s; set HEDDLE_DATABASE to a file elsewhere",
            database->path, reason);
    return HED_OK;
}

/* Checks that the user's database and journal were created by this user: they determine how kernels
 * run, and SQLite restores the database from the journal. A missing database is created here,
 * writable for this user alone. */
static hed_status check_own(const hed_database *database, hed_error *error)
{
    enum { ATTEMPTS = 3 };
    for (int i = 0; i < ATTEMPTS; i++) {
        bool exists = false;
        hed_status status = check_existing(database, &exists, error);
        if (status || exists || database->read_only) return status;
        int file = open(database->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
        if (file >= 0) close(file); /* an empty file is an empty database */
        /* SQLite reports the reason of the failure */
        if (file >= 0 || errno != EEXIST) return HED_OK;
        /* another process has just created it: check that file too */
    }
    return hed_fail(error, HED_ERROR_IO,
        "%s is not loaded: other processes repeatedly create and remove it", database->path);
}

static hed_status connect(hed_database *database, hed_error *error)
{
    int flags =
        database->read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    struct stat about;
    char folder[HED_PATH_MAX];
    hed_text_copy(folder, sizeof folder, database->path);
    char *slash = strrchr(folder, '/');
    if (slash) *slash = 0;
    if (slash && slash != folder && !database->read_only && hed_path_make(folder, error))
        return error->status;
    if (check_kinds(database, error)) return error->status;
    if (database->needs_owner_check && check_own(database, error)) return error->status;
    /* read the identity before opening: a file that another process puts in its place is then never
     * mistaken for this one */
    bool exists = stat(database->path, &about) == 0;
    database->device = exists ? about.st_dev : 0;
    database->inode = exists ? about.st_ino : 0;
    /* SQLite's own mutex is redundant with this database's lock */
    if (sqlite3_open_v2(database->path, &database->handle,
            flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, NULL))
        return database->handle ? hed_database_fail(database, "open", error)
                                : HED_OUT_OF_MEMORY(error, "%s", database->path);
    if (!exists && stat(database->path, &about) == 0) { /* SQLite has created the file */
        database->device = about.st_dev;
        database->inode = about.st_ino;
    }
    sqlite3_extended_result_codes(database->handle, 1);
    sqlite3_busy_timeout(database->handle, database->patience);
    /* treat a file of unknown origin as data only */
    sqlite3_db_config(database->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(database->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_exec(database->handle, "PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON", NULL,
        NULL, NULL);
    return HED_OK;
}

/* Reads an older file that must not be written through a migrated copy in memory. */
static hed_status migrate_copy(hed_database *database, hed_error *error)
{
    sqlite3 *memory = NULL;
    int code =
        sqlite3_open_v2(":memory:", &memory, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (code == SQLITE_OK) {
        sqlite3_backup *copy = sqlite3_backup_init(memory, "main", database->handle, "main");
        code = copy ? sqlite3_backup_step(copy, -1) : SQLITE_NOMEM;
        sqlite3_backup_finish(copy);
    }
    if (code != SQLITE_DONE) {
        sqlite3_close(memory);
        return hed_fail(error, HED_ERROR_IO,
            "cannot copy %s, which is of an older version, into memory", database->path);
    }
    disconnect(database);
    database->handle = memory;
    return hed_database_migrate(database, error);
}

static hed_status set_aside(hed_database *database, char *aside, hed_error *error)
{
    disconnect(database);
    return hed_database_set_aside(database->path, database->device, database->inode, aside, error);
}

/* Opens the file, replacing a damaged one. `aside` (HED_PATH_MAX): name given to a damaged file;
 * "": no damage. */
static hed_status database_open_file(hed_database *database, char *aside, hed_error *error)
{
    enum { ATTEMPTS = 3 };
    aside[0] = 0;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        hed_error_clear(error); /* the error of the previous attempt has been handled */
        hed_verdict verdict = HED_VERDICT_REFUSED;
        database->damaged = database->checked = database->changed = false;
        if (!connect(database, error)) verdict = hed_database_examine(database, error);
        if (verdict == HED_VERDICT_OLD) {
            bool fixed = database->read_only || sqlite3_db_readonly(database->handle, "main") == 1;
            if (fixed) migrate_copy(database, error);
            else hed_database_migrate(database, error);
            verdict = database->damaged ? HED_VERDICT_DAMAGED : HED_VERDICT_GOOD;
        }
        if (verdict != HED_VERDICT_DAMAGED) {
            struct stat about;
            if (!error->status || attempt + 1 == ATTEMPTS ||
                (stat(database->path, &about) == 0 && about.st_dev == database->device &&
                    about.st_ino == database->inode))
                return error->status;
            /* another process has replaced the open file, which causes misleading errors */
            disconnect(database);
            continue;
        }
        if (database->read_only)
            return hed_fail(
                error, HED_ERROR_FORMAT, "%s is damaged, or no tuning database", database->path);
        if (set_aside(database, aside, error)) return error->status;
    }
    return hed_fail(error, HED_ERROR_IO, "%s is damaged each time it is created: check the disk",
        database->path);
}

/* Opens the file for the first time. */
static hed_status database_open_first(hed_database *database, hed_error *error)
{
    char aside[HED_PATH_MAX];
    hed_status status = database_open_file(database, aside, error);
    if (aside[0])
        hed_log_message(&database->logger, HED_LOG_WARNING,
            "the tuning database %s is damaged: it was renamed to %s, and %s", database->path,
            aside, status ? "a new one cannot be begun" : "a new one is begun");
    return status;
}

/* Logs the replacement of a file. */
static void mend_report(hed_database *database, const char *aside, const hed_error *error)
{
    bool complained = database->complained;
    char was[HED_PATH_MAX + 64] = "another file was in its place";
    if (aside[0]) snprintf(was, sizeof was, "it was renamed to %s", aside);
    database->complained = hed_failed(error);
    if (!hed_failed(error))
        hed_log_message(&database->logger, HED_LOG_WARNING,
            "the tuning database %s was found damaged or removed: %s, and %s", database->path, was,
            database->recorded ? "the new one has all results of this process"
                               : "a new one is begun");
    else if (!complained)
        hed_log_message(&database->logger, HED_LOG_WARNING,
            "the tuning database %s was found damaged or removed: %s; results are not kept: %s",
            database->path, aside[0] ? was : "it is not replaced", error->text);
}

hed_status hed_database_mend(hed_database *database, hed_error *error)
{
    enum { ATTEMPTS = 3 };
    char aside[HED_PATH_MAX] = "", second[HED_PATH_MAX] = "";
    error = error ? error : &(hed_error){0};
    if (database->read_only) {
        disconnect(database);
        return hed_fail(
            error, HED_ERROR_IO, "%s was found damaged and is no longer used", database->path);
    }
    for (int attempt = 0; attempt < ATTEMPTS && database->damaged; attempt++) {
        hed_error_clear(error);
        if (set_aside(database, second, error)) break;
        if (second[0]) hed_text_copy(aside, sizeof aside, second);
        if (database_open_file(database, second, error)) {
            disconnect(database);
            database->damaged = true;
            break;
        }
        hed_database_rewind(database);
        hed_database_write_pending(database, error);
    }
    mend_report(database, aside, error);
    return error->status;
}

static void free_database(hed_database *database)
{
    if (database->handle) disconnect(database);
    hed_database_drop_results(database);
    hed_release_text(&database->allocator, database->path);
    pthread_mutex_destroy(&database->lock);
    hed_allocator allocator = database->allocator;
    hed_release(&allocator, database, sizeof *database);
}

hed_status hed_database_open_for(hed_context *context, const char *path, bool read_only,
    int patience, hed_database **database, hed_error *error)
{
    const hed_settings *settings = &context->settings;
    *database = NULL;
    error = error ? error : &(hed_error){0};
    if (!path) path = settings->database;
    if (!path[0])
        return hed_fail(error, HED_ERROR_IO,
            "no path for a tuning database; set HEDDLE_DATABASE to a file, or HOME");
    hed_database *instance = hed_allocate(&settings->allocator, sizeof *instance);
    if (!instance) return HED_OUT_OF_MEMORY(error, "a database");
    instance->context = context;
    instance->allocator = settings->allocator;
    instance->logger = settings->logger;
    instance->clock = settings->clock;
    instance->read_only = read_only;
    instance->needs_owner_check = strcmp(path, settings->database) == 0 && strcmp(path, ":memory:") != 0;
    instance->patience = patience;
    instance->recorded_end = &instance->recorded;
    pthread_mutex_init(&instance->lock, NULL);
    instance->path = hed_copy_text(&settings->allocator, path);
    if (!instance->path) HED_OUT_OF_MEMORY(error, "the name of a database");
    else if (!database_open_first(instance, error)) *database = instance;
    if (!*database) free_database(instance);
    return error->status;
}

hed_status hed_database_open(hed_context *context, const char *path, bool read_only,
    hed_database **database, hed_error *error)
{
    HED_REQUIRE(context, database);
    return hed_database_open_for(context, path, read_only, HED_WRITE_PATIENCE, database, error);
}

void hed_database_close(hed_database *database)
{
    if (!database) return;
    if (database->recorded && (database->changed || database->unwritten))
        hed_database_confirm(database, NULL);
    free_database(database);
}

const char *hed_database_path(const hed_database *database)
{
    if (!database) return "";
    return database->path;
}

/* ---- use of the file ---- */

hed_status hed_database_enter(hed_database *database, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    pthread_mutex_lock(&database->lock);
    hed_status status = database->handle ? HED_OK : hed_database_mend(database, error);
    if (status) pthread_mutex_unlock(&database->lock);
    return status;
}

void hed_database_leave(hed_database *database)
{
    if (database->damaged && database->handle) hed_database_mend(database, NULL);
    pthread_mutex_unlock(&database->lock);
}

/* ---- pending results ---- */

hed_status hed_database_settle(hed_database *database, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    if (!database->handle) return hed_database_mend(database, error);
    if (!hed_database_write_pending(database, error) || !database->damaged) return error->status;
    hed_error_clear(error);
    return hed_database_mend(database, error);
}

hed_status hed_database_flush(hed_database *database, hed_error *error)
{
    error = error ? error : &(hed_error){0};
    if (hed_database_enter(database, error)) return error->status;
    hed_database_settle(database, error);
    hed_database_leave(database);
    return error->status;
}

hed_status hed_database_confirm(hed_database *database, hed_error *error)
{
    error = error ? error : &(hed_error){0};
    if (hed_database_enter(database, error)) return error->status;
    if (!hed_database_settle(database, error)) {
        hed_database_check(database);
        if (database->damaged) hed_database_mend(database, error);
    }
    hed_database_leave(database);
    return error->status;
}
