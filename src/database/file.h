/* The database as its own files see it: the SQLite file underneath, its statements, transactions
 * and errors. The only place that knows SQLite's header. */
#ifndef HED_DATABASE_FILE_H
#define HED_DATABASE_FILE_H

#include <pthread.h>
#include <sqlite3.h>
#include <sys/types.h>

#include "base/text.h"
#include "core/objects.h"
#include "database/database.h"

enum {
    HED_DATABASE_VERSION = 2,       /* PRAGMA user_version of what this Heddle writes */
    HED_DATABASE_MARK = 0x4845444c, /* PRAGMA application_id: "HEDL" */
    HED_DATABASE_STATEMENTS = 64,   /* distinct statements; they are prepared once */
    HED_READ_PATIENCE = 500,        /* ms a launch waits for another process's lock, */
    HED_WRITE_PATIENCE = 10000      /* and a tuning */
};

/* A tuning that this process has begun. A file that takes the place of a damaged one gets it under
 * the same name (entry.session), so that a merge of both adds nothing twice. */
typedef struct hed_recording {
    struct hed_recording *next;
    int64_t id;               /* for callers, from 1 */
    int64_t row;              /* row in the file; 0: not there */
    bool is_new;              /* the transaction under way has looked for it */
    bool was_there;           /* the file had the row */
    int64_t measurements;     /* number of the last one */
    hed_database_entry entry; /* key and record; the texts are owned */
} hed_recording;

/* An evaluation or a choice of this process. All are kept until the database is closed, since a file
 * that is damaged takes along what was written into it. */
typedef struct hed_recorded {
    struct hed_recorded *next;
    hed_recording *session;
    int64_t number; /* number of a measurement in its session */
    char *config;
    char *default_config; /* default beside a choice; NULL: a measurement */
    hed_evaluation evaluation;
} hed_recorded;

struct hed_database {
    hed_context *context;
    hed_allocator allocator;
    hed_logger logger;
    hed_clock clock;
    char *path;
    bool read_only;
    bool own;             /* the context's: it must be this user's alone */
    int patience;         /* ms that opening waits for another process's lock */
    pthread_mutex_t lock; /* for everything below */
    sqlite3 *handle;      /* NULL: set aside */
    dev_t device;         /* of the file that was opened, */
    ino_t inode;          /* so that no other file is set aside */
    bool damaged;         /* found while working: hed_database_leave() mends it */
    bool checked;         /* read through since it was opened */
    bool changed;         /* written since it was read through */
    bool complained;      /* that nothing can be written */
    struct {
        const char *sql;
        sqlite3_stmt *statement;
    } statements[HED_DATABASE_STATEMENTS];
    uint32_t statement_count;
    hed_recording *sessions;
    hed_recorded *recorded, **recorded_end;
    hed_recorded *unwritten; /* the first of `recorded` that is not in the file, nor are the next */
    uint32_t unwritten_count;
    uint64_t written_at; /* when a batch was last tried, by `clock` */
};

/* ---- database.c: using the file ----
 *
 * As everywhere, a function that is handed an error already set does nothing. Where `error` is
 * NULL, only what a function gives says whether it worked. */

/* As hed_database_open(), which is patient. */
hed_status hed_database_open_for(hed_context *context, const char *path, bool read_only,
    int patience, hed_database **database, hed_error *error);

/* Takes the lock. IO: the file is gone (nothing is locked then). */
hed_status hed_database_enter(hed_database *database, hed_error *error);
/* Gives it back, and mends a file that turned out to be damaged. */
void hed_database_leave(hed_database *database);
/* Sets a damaged file aside, begins a new one, and writes into it all that this process has
 * recorded; logs it. The caller holds the lock. Errors: IO (nothing is lost: it is tried again with
 * the next use), MEMORY. */
hed_status hed_database_mend(hed_database *database, hed_error *error);

/* A prepared statement with its parameters bound: one letter each, t text (const char *), i
 * int64_t, r double (NAN: NULL). `sql` is a constant; its address names it. Texts must live until
 * the statement was stepped through. NULL on failure: hed_database_fail() has the words. */
sqlite3_stmt *hed_database_statement(
    hed_database *database, const char *sql, const char *types, ...);
/* The next row: true. False at the end or on failure, or where `error` is set; each resets the
 * statement. */
bool hed_database_row(hed_database *database, sqlite3_stmt *statement, hed_error *error);
/* Statement and rows in one, for those without rows. */
hed_status hed_database_run(
    hed_database *database, hed_error *error, const char *sql, const char *types, ...);
/* The first column of the first row; false where there is no row, or on failure. */
bool hed_database_integer(hed_database *database, int64_t *value, hed_error *error, const char *sql,
    const char *types, ...);
/* Column as text, never NULL; as a number, NAN for NULL. */
const char *hed_column_text(sqlite3_stmt *statement, int column);
double hed_column_number(sqlite3_stmt *statement, int column);

/* Turns SQLite's last failure into a status with words, and notes damage. */
hed_status hed_database_fail(hed_database *database, const char *what, hed_error *error);

/* A transaction that writes, or one that reads from one state of the file. After a failure of any
 * statement: rollback. */
hed_status hed_database_begin_write(hed_database *database, hed_error *error);
hed_status hed_database_begin_read(hed_database *database, hed_error *error);
/* Commits, or rolls back where `error` (not NULL) is set; a transaction that could not begin needs
 * neither. */
hed_status hed_database_end(hed_database *database, hed_error *error);
/* Reads the file through if that was not done yet. Calls `write` in a transaction, and a second time where the file was found damaged and another is
 * in its place. The caller holds the lock. */
hed_status hed_database_transact(hed_database *database,
    void (*write)(hed_database *database, void *user, hed_error *error), void *user,
    hed_error *error);

/* ---- schema.c ---- */

/* What a file turned out to be. */
typedef enum hed_verdict {
    HED_VERDICT_GOOD,
    HED_VERDICT_OLD, /* empty, or of an earlier version */
    HED_VERDICT_DAMAGED,
    HED_VERDICT_REFUSED /* newer, another program's, locked, unreadable: `error` says it */
} hed_verdict;
hed_verdict hed_database_examine(hed_database *database, hed_error *error);
/* Reads the file through from the disk, and notes damage, or that another file is in its place. */
void hed_database_check(hed_database *database);
/* Brings it to HED_DATABASE_VERSION in one transaction. */
hed_status hed_database_migrate(hed_database *database, hed_error *error);

/* Renames a closed file to NAME.damaged-N, its journal along with it, if it is still the file
 * `device`, `inode`; the new name in `aside` (HED_PATH_MAX), "" where another process has already
 * renamed it. `error` may be set: this is what follows damage. */
hed_status hed_database_set_aside(
    const char *path, dev_t device, ino_t inode, char *aside, hed_error *error);

/* ---- key.c: how keys and configurations are written ---- */

/* "WG=64 TILE=4": names and labels with %, =, blanks and control characters as %XX. A text's
 * `failed` tells of memory. */
void hed_config_write(
    hed_text *text, const hed_parameter_def *parameters, uint32_t count, const hed_config *config);
/* Reads it back: values must be among the parameter's. A parameter that the text does not name gets
 * its default if `partly`, else the text is refused; what the text names beside the parameters is
 * refused, or passed over if `partly`. */
bool hed_config_read(const char *text, const hed_parameter_def *parameters, uint32_t count,
    bool partly, hed_config *config);
/* "width=512 height=512". */
void hed_problem_write(hed_text *text, const char *const *dimensions, const hed_problem *problem);
bool hed_problem_read(
    const char *text, const char *const *dimensions, uint32_t count, hed_problem *problem);
/* The words of the database. */
const char *hed_math_word(hed_math math);
const char *hed_objective_word(hed_objective objective);
const char *hed_device_type_word(hed_device_type type);
/* HED_DEVICE_OTHER for what is none of them */
hed_device_type hed_device_type_read(const char *word);
/* Device and key of a record; `problem` holds the text that it points to. */
void hed_key_describe(const hed_tune_key *key, const hed_text *problem, hed_database_entry *record);
void hed_entry_take_device(const hed_device_info *device, hed_database_entry *record);

/* ---- results.c ---- */

/* Row of a device or key, made where there is none, inside a transaction; 0 on failure. */
int64_t hed_database_put_device(
    hed_database *database, const hed_database_entry *record, hed_error *error);
int64_t hed_database_put_key(
    hed_database *database, const hed_database_entry *record, hed_error *error);
/* Writes results that are not in the file; the caller holds the lock. */
hed_status hed_database_write_pending(hed_database *database, hed_error *error);
/* Counts all results as not written: the file is a new one. */
void hed_database_rewind(hed_database *database);
void hed_database_drop_results(hed_database *database);

/* ---- choices.c: how near a key of the database is to the one that was asked for ---- */

typedef enum hed_relation {
    HED_SAME_DEVICE,
    HED_SAME_ARCHITECTURE,
    HED_SAME_VENDOR,
    HED_SAME_TYPE,
    HED_UNRELATED
} hed_relation;
hed_relation hed_device_relation(const hed_device_info *wanted, const hed_database_entry *found);
/* Euclidean distance of the sizes' logarithms to base 2; 0 where one of the problems is not
 * known. */
double hed_problem_distance(const hed_problem *a, const hed_problem *b);

/* ---- database.c ---- */

/* The context's database if its file exists: a launch makes none. NULL: there is none, or it does
 * not work. */
hed_database *hed_context_database_found(hed_context *context);
/* The installed one; likewise. */
hed_database *hed_context_installed(hed_context *context);

#endif
