/* Removing measurements that nobody needs any more. */
#include <time.h>

#include "database/file.h"

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

static hed_status list(hed_database *database, const hed_prune_def *def,
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
    status = list(database, def, removed, error);
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
