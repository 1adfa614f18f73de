/** @file database.h
 *  The tuning database: every measurement, and the choice for each key. A key is the kernel's text,
 *  its parameters' names, the device, driver and compiler, problem size, types, math mode and
 *  objective. docs/database.md has the schema.
 *
 *  Lookups read two databases: the user's (hed_context_def.database), then a read-only one that is
 *  installed with Heddle. A database that is damaged, locked, from a newer version or not writable
 *  never stops a launch: a message is logged once, and the default is used. Several processes and
 *  threads may use one database at once. */
#ifndef HEDDLE_DATABASE_H
#define HEDDLE_DATABASE_H

#include "heddle/kernel.h"

HED_BEGIN

typedef struct hed_database hed_database;

/* ---- opening ---- */

/** Opens a database, creates it if there is none, and converts one of an older version. `path`
 *  NULL: the context's own. A damaged file is renamed to NAME.damaged-N, with a warning in the log,
 *  and a new one is started. `read_only`: nothing on disk is changed, and a missing or damaged file
 *  is an error.
 *  Thread class: any. Errors: IO (folder, permissions, full disk, locked), FORMAT (from a newer
 *  Heddle; another program's database; damaged and read-only), MEMORY. */
HED_API hed_status hed_database_open(hed_context *context, const char *path, bool read_only,
    hed_database **database, hed_error *error);
/** Closes a database, before its context is destroyed, and writes pending records. NULL is allowed.
 *  Thread class: owner. */
HED_API void hed_database_close(hed_database *database);
/** Returns the context's own database, which the first call opens or creates; NULL: no working one,
 *  with a message in the log. It belongs to the context.
 *  Thread class: any. */
HED_API hed_database *hed_context_database(hed_context *context);
/** Returns the path of a database, which lives as long as the database. Thread class: any. */
HED_API const char *hed_database_path(const hed_database *database);

/* ---- a search of one's own ---- */

/** Stores a configuration as the choice for a kernel on a device, as a tuning would: for programs
 *  with a loop of their own (search.h). `options` has the configuration, the problem (NULL: any
 *  size), math mode and defines. `seconds` is the time of a launch. Kernels created afterwards use
 *  it.
 *  Thread class: any. Errors: ARGUMENT (no configuration, or no time), IO, MEMORY. */
HED_API hed_status hed_database_keep(hed_database *database, hed_device *device,
    const hed_kernel_def *kernel, const hed_kernel_options *options, double seconds,
    hed_error *error);

/* ---- looking into it, and carrying it elsewhere ---- */

/** Kind of a record. */
typedef enum hed_record_kind {
    HED_RECORD_KEY = 1,         /**< a key, with the number of its measurements */
    HED_RECORD_MEASUREMENT = 2, /**< one evaluation of one configuration */
    HED_RECORD_CHOICE = 4,      /**< the configuration that launches use for a key */
    HED_RECORD_FACT = 8         /**< a number about a device */
} hed_record_kind;

/** One record of any kind; the fields of other kinds are 0 or NULL. Texts are UTF-8. */
typedef struct hed_database_entry {
    hed_record_kind kind;
    /* the device: every kind */
    const char *backend;  /**< "cuda", "opencl", "host" */
    const char *platform; /**< name as in hed_device_info, like device to compute_units */
    const char *device;
    const char *vendor;
    hed_device_type type;
    uint32_t architecture;
    uint32_t compute_units;
    /* the key: every kind except facts */
    const char *kernel;
    /** hash of the texts and everything else in the description that affects results,
     *  hexadecimal */
    const char *source;
    const char *math;      /**< "fast", "strict" */
    const char *objective; /**< "time", "energy", "metric" */
    const char *driver;
    const char *compiler;
    const char *problem;   /**< "width=512 height=512"; "": any size */
    uint64_t measurements; /**< keys: number of measurements */
    /* session of the tuning: measurements and choices */
    const char *session;  /**< 32 hexadecimal digits that no other tuning has */
    const char *settings; /**< description for people: "auto, 200 evaluations, seed 1" */
    const char *version;  /**< version of Heddle */
    /** start, s since 1970, by that machine's clock; nothing depends on it */
    int64_t begun;
    /* measurements and choices */
    const char *config; /**< "WG=64 TILE=4" */
    /** median, s (joules, or the metric, by the objective); NAN: not measured */
    double seconds;
    double low, high;       /**< 95 % confidence interval of the median; NAN: unknown */
    double default_seconds; /**< choices: time of the default configuration; NAN: unknown */
    /** measurements, as all further fields: index in its session, from 1 */
    uint32_t number;
    const char *outcome;      /**< hed_outcome_name() */
    uint32_t runs;            /**< number of timed runs */
    double build_seconds, at; /**< times as in hed_evaluation */
    double deviation;         /**< hed_evaluation.error; NAN: not checked */
    const char *text;         /**< cause of a failure; "": none */
    /* facts */
    const char *name; /**< quantity, such as "copy bytes/s" */
    double value;
} hed_database_entry;

/** Filter of records. Start from {0}: all. */
typedef struct hed_record_filter {
    uint32_t kinds;     /**< bits of hed_record_kind; 0: all */
    const char *kernel; /**< records of this kernel ("blur radius=2", too), without facts; NULL: all */
    /** backend, or part of the device's or platform's name, case ignored; NULL: all */
    const char *device;
} hed_record_filter;

/** Calls `visit` for each record: facts, then key after key (by kernel, device, problem), each with
 *  its choice and then its measurements, oldest first. A record lives until visit() returns. A
 *  status of visit() other than OK ends the iteration and is returned. visit() must not use this
 *  database.
 *  Thread class: any. Errors: IO, MEMORY. */
HED_API hed_status hed_database_each(hed_database *database, const hed_record_filter *filter,
    hed_status (*visit)(void *user, const hed_database_entry *record, hed_error *error), void *user,
    hed_error *error);

/** Numbers of added or removed records. */
typedef struct hed_database_changes {
    uint64_t keys, measurements, choices, facts;
} hed_database_changes;

/** Adds the records that `next` returns until it sets `*end`: all or none. Existing measurements
 *  and facts are skipped. An existing choice stays, unless the confidence interval of the new one
 *  is entirely below its own. A record's texts must live until `next` is called again. `changes`
 *  may be NULL.
 *  Thread class: any. Errors: FORMAT (names the field), IO, MEMORY, and those of `next`. */
HED_API hed_status hed_database_import(hed_database *database,
    hed_status (*next)(void *user, hed_database_entry *record, bool *end, hed_error *error),
    void *user, hed_database_changes *changes, hed_error *error);

/** Adds all records of another file, as hed_database_import() does; a second time adds nothing. The
 *  other file is only read.
 *  Thread class: any. Errors: IO, FORMAT, MEMORY. */
HED_API hed_status hed_database_merge(
    hed_database *database, const char *path, hed_database_changes *changes, hed_error *error);

/** Records to remove. Start from {0}, and set at least one of the fields. */
typedef struct hed_prune_def {
    /** records of this kernel, also with fixed arguments; without other fields: all of them, choices too */
    const char *kernel;
    /** measurements of tunings that began longer ago than this, s, by the wall clock */
    double older_seconds;
    /** all measurements except this many configurations of each key, the fastest, and the
     *  choice's */
    uint32_t keep_best;
    bool dry_run; /**< counts without removing */
} hed_prune_def;

/** Removes measurements. Choices stay. With `keep_best` alone, measurements of crashes and hangs
 *  stay too, since those configurations are never tried again. `removed` may be NULL.
 *  Thread class: any. Errors: ARGUMENT (no field is set), IO, MEMORY. */
HED_API hed_status hed_database_prune(hed_database *database, const hed_prune_def *def,
    hed_database_changes *removed, hed_error *error);

HED_END

#endif
