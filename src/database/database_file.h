/* Internal interface of the database's files: the SQLite file, its statements, transactions and
 * errors. The only header that includes SQLite's. */
#ifndef HED_DATABASE_FILE_H
#define HED_DATABASE_FILE_H

#include <pthread.h>
#include <sqlite3.h>
#include <sys/types.h>

#include "base/text.h"
#include "core/objects.h"
#include "database/keyed_results.h"

enum {
    /* PRAGMA user_version of files written by this version of Heddle */
    HED_DATABASE_VERSION = 2,
    HED_DATABASE_MARK = 0x4845444c, /* PRAGMA application_id: "HEDL" */
    /* maximum number of distinct statements; each is prepared once */
    HED_DATABASE_STATEMENTS = 64,
    HED_READ_PATIENCE = 500,    /* time that a launch waits for another process's lock, ms */
    HED_WRITE_PATIENCE = 10000, /* time that a tuning waits for it, ms */
    /* time of each further write after such a wait was in vain, ms: results stay in memory */
    HED_HELD_PATIENCE = 20
};

/* Session of a tuning begun by this process. A file that replaces a damaged one stores it under the
 * same name (entry.session), so that merging both files adds nothing twice. */
typedef struct hed_recording {
    struct hed_recording *next;
    int64_t id;               /* identifier for callers, from 1 */
    int64_t row;              /* row in the file; 0: not in the file */
    bool is_new;              /* the pending transaction has searched for the row */
    bool was_there;           /* the file had the row before */
    int64_t measurements;     /* number of the last measurement */
    hed_database_entry entry; /* key and record; owns the texts */
} hed_recording;

/* An evaluation or choice of this process. All are kept until the database is closed, since damage
 * to the file may destroy results that were written already. */
typedef struct hed_recorded {
    struct hed_recorded *next;
    hed_recording *session;
    int64_t number; /* number of a measurement in its session */
    char *config;
    char *default_config; /* default configuration, for a choice; NULL: a measurement */
    hed_evaluation evaluation;
} hed_recorded;

struct hed_database {
    hed_context *context;
    hed_allocator allocator;
    hed_logger logger;
    hed_clock clock;
    char *path;
    bool read_only;
    bool needs_owner_check; /* the context's database: it must belong to this user alone */
    int patience;           /* time that opening waits for another process's lock, ms */
    pthread_mutex_t lock;   /* protects the fields below */
    sqlite3 *handle;        /* NULL: the file was set aside */
    dev_t device;           /* device and inode of the opened file: no other file is set aside */
    ino_t inode;
    bool damaged;    /* damage was found: hed_database_leave() replaces the file */
    bool checked;    /* completely read since it was opened */
    bool changed;    /* written since it was completely read */
    bool complained; /* a failure to write was reported already */
    bool is_held;    /* another process has kept its lock for a whole patience of a write */
    struct {
        const char *sql;
        sqlite3_stmt *statement;
    } statements[HED_DATABASE_STATEMENTS];
    uint32_t statement_count;
    hed_recording *sessions;
    hed_recorded *recorded, **recorded_end;
    /* first of `recorded` that the file lacks; it lacks all after it too */
    hed_recorded *unwritten;
    uint32_t unwritten_count;
    uint64_t written_at; /* time of the last attempt to write a batch, by `clock` */
};

/* ---- statements.c: statements, transactions and failures of SQLite ---- */

/* Returns a prepared statement with its parameters bound. `types` has one letter per parameter: t
 * text (const char *), i int64_t, r double (NAN: NULL). `sql` is a constant whose address
 * identifies the statement. Texts must stay valid until all rows are read. NULL on failure: call
 * hed_database_fail(). */
sqlite3_stmt *hed_database_statement(
    hed_database *database, const char *sql, const char *types, ...);
/* Steps to the next row. Returns false after the last row, on failure, or if `error` is set, and
 * then resets the statement. */
bool hed_database_row(hed_database *database, sqlite3_stmt *statement, hed_error *error);
/* Prepares and executes a statement that returns no rows. */
hed_status hed_database_run(
    hed_database *database, hed_error *error, const char *sql, const char *types, ...);
/* Reads the first column of the first row. Returns false if there is no row, or on failure. */
bool hed_database_integer(hed_database *database, int64_t *value, hed_error *error, const char *sql,
    const char *types, ...);
/* A column as text, never NULL; as a number, NAN for NULL. */
const char *hed_column_text(sqlite3_stmt *statement, int column);
double hed_column_number(sqlite3_stmt *statement, int column);

/* Converts SQLite's last failure into a status and a message, and notes damage. */
hed_status hed_database_fail(hed_database *database, const char *action, hed_error *error);

/* Begins a transaction that writes, or one that reads a consistent state of the file. After a
 * failure of any statement the transaction must be rolled back by hed_database_end(). */
hed_status hed_database_begin_write(hed_database *database, hed_error *error);
hed_status hed_database_begin_read(hed_database *database, hed_error *error);
/* Commits, or rolls back if `error` (not NULL) is set. Not needed if the transaction failed to
 * begin. */
hed_status hed_database_end(hed_database *database, hed_error *error);

/* ---- database.c: use of the file ----
 *
 * As everywhere, a function whose `error` is set already does nothing. If `error` is NULL, only the
 * return value reports failure. */

/* hed_database_open() with a chosen patience, ms. */
hed_status hed_database_open_for(hed_context *context, const char *path, bool read_only,
    int patience, hed_database **database, hed_error *error);

/* Takes the lock. Errors: IO if the file is lost (the lock is then not taken). */
hed_status hed_database_enter(hed_database *database, hed_error *error);
/* Releases the lock, and replaces a file that was found to be damaged. */
void hed_database_leave(hed_database *database);
/* Sets a damaged file aside, creates a new one, writes all results of this process into it, and
 * logs it. The caller holds the lock. Errors: IO (nothing is lost; the next use tries again),
 * MEMORY. */
hed_status hed_database_mend(hed_database *database, hed_error *error);

/* Calls `write` in a transaction, after checking the whole file if it has not been checked; calls
 * it again if the file was damaged and has been replaced. The caller holds the lock. */
hed_status hed_database_transact(hed_database *database,
    void (*write)(hed_database *database, void *user, hed_error *error), void *user,
    hed_error *error);

/* Writes pending results, into a new file if this one is damaged; the caller holds the lock. */
hed_status hed_database_settle(hed_database *database, hed_error *error);

/* ---- schema.c ---- */

/* Verdict on the state of a file. */
typedef enum hed_verdict {
    HED_VERDICT_GOOD,
    HED_VERDICT_OLD, /* empty, or of an earlier version */
    HED_VERDICT_DAMAGED,
    /* newer, another program's, locked or unreadable: the reason is in `error` */
    HED_VERDICT_REFUSED
} hed_verdict;
hed_verdict hed_database_examine(hed_database *database, hed_error *error);
/* Reads the whole file from disk, and notes damage or replacement by another file. */
void hed_database_check(hed_database *database);
/* Upgrades the file to HED_DATABASE_VERSION in one transaction. */
hed_status hed_database_migrate(hed_database *database, hed_error *error);

/* Renames a closed file and its journal to NAME.damaged-N, if it still has the identity `device`,
 * `inode`. `aside` (HED_PATH_MAX): the new name, "" if another process has renamed it already.
 * `error` may be set before the call, since damage precedes it. */
hed_status hed_database_set_aside(
    const char *path, dev_t device, ino_t inode, char *aside, hed_error *error);

/* ---- key.c: text form of keys and configurations ---- */

/* Writes "WG=64 TILE=4": names and labels with %, =, blanks and control characters as %XX. The
 * text's `failed` reports missing memory. */
void hed_config_write(
    hed_text *text, const hed_parameter_def *parameters, uint32_t count, const hed_config *config);
/* Parses a configuration: each value must be in its parameter's list. With `partly` a missing
 * parameter gets its default and an unknown name is skipped; otherwise both are rejected. */
bool hed_config_read(const char *text, const hed_parameter_def *parameters, uint32_t count,
    bool partly, hed_config *config);
/* Writes "width=512 height=512". */
void hed_problem_write(hed_text *text, const char *const *dimensions, const hed_problem *problem);
bool hed_problem_read(
    const char *text, const char *const *dimensions, uint32_t count, hed_problem *problem);
/* Words for enumerators in the database. */
const char *hed_math_word(hed_math math);
const char *hed_objective_word(hed_objective objective);
const char *hed_device_type_word(hed_device_type type);
/* HED_DEVICE_OTHER for an unknown word. */
hed_device_type hed_device_type_read(const char *word);
/* Fills in a record's device and key; `problem` is the text that the record points to. */
void hed_key_describe(const hed_tune_key *key, const hed_text *problem, hed_database_entry *record);
void hed_entry_take_device(const hed_device_info *device, hed_database_entry *record);

/* ---- pending.c ---- */

/* Finds the row of a device or key; 0: not in the database, or a failure. */
int64_t hed_database_find_device(
    hed_database *database, const hed_database_entry *record, hed_error *error);
int64_t hed_database_find_key(hed_database *database, const hed_tune_key *key, hed_error *error);
/* Finds or inserts the row of a device or key, inside a transaction; 0 on failure. */
int64_t hed_database_put_device(
    hed_database *database, const hed_database_entry *record, hed_error *error);
int64_t hed_database_put_key(
    hed_database *database, const hed_database_entry *record, hed_error *error);
/* Creates a session. Its name is unique across machines: it comes from SQLite's generator, which
 * the system seeds. NULL: out of memory. */
hed_recording *hed_session_create(
    hed_database *database, const hed_tune_key *key, const char *settings, hed_error *error);
void hed_session_free(const hed_allocator *allocator, hed_recording *session);
/* Finds or inserts the row of a session (`user`), for hed_database_transact(). */
void hed_session_put(hed_database *database, void *user, hed_error *error);
/* Creates a result. `defaults`: the default configuration, for a choice; NULL: a measurement.
 * Returns NULL if memory is short. */
hed_recorded *hed_recorded_create(hed_database *database, const hed_tune_key *key,
    const hed_evaluation *evaluation, const hed_config *defaults);
void hed_recorded_free(const hed_allocator *allocator, hed_recorded *r);
/* Adds a result to the pending ones; the caller holds the lock. Returns false if the session is
 * unknown. */
bool hed_recorded_add(hed_database *database, int64_t id, hed_recorded *r);
/* Writes pending results; the caller holds the lock. */
hed_status hed_database_write_pending(hed_database *database, hed_error *error);
/* Marks all results as pending, for a new file. */
void hed_database_rewind(hed_database *database);
void hed_database_drop_results(hed_database *database);

/* ---- choices.c: distance of a key in the database from a requested one ---- */

typedef enum hed_relation {
    HED_SAME_DEVICE,
    HED_SAME_ARCHITECTURE,
    HED_SAME_VENDOR,
    HED_SAME_TYPE,
    HED_UNRELATED
} hed_relation;
hed_relation hed_device_relation(const hed_device_info *device, const hed_database_entry *entry);
/* Euclidean distance of the sizes' base-2 logarithms; 0 if one of the problems is unknown. */
double hed_problem_distance(const hed_problem *a, const hed_problem *b);

/* ---- databases.c ---- */

/* The context's database if its file exists, since a launch creates no file; NULL: no file, or it
 * is unusable. */
hed_database *hed_context_database_found(hed_context *context);
/* The installed database; NULL: no file, or it is unusable. */
hed_database *hed_context_installed(hed_context *context);

#endif
