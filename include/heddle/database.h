/** @file database.h
 *  The tuning database: every measurement, and the choice made for each key. A key is the kernel's
 *  text, its parameters' names, the device, driver and compiler, problem size, types, math mode and
 *  objective. docs/database.md has the schema.
 *
 *  Two databases answer: the user's (hed_context_def.database), over a read-only one that is
 *  installed with Heddle. A database that is damaged, locked, from a newer version or not writable
 *  never stops a launch: it is logged once, and the default is taken. Several processes and threads
 *  may use one database at once.
 */
#ifndef HEDDLE_DATABASE_H
#define HEDDLE_DATABASE_H

#include "heddle/kernel.h"

HED_BEGIN

typedef struct hed_database hed_database;

/* ---- opening ---- */

/** Opens a database, makes it where there is none, and brings one of an older version up to date.
 *  `path` NULL: the context's own. A damaged file is set aside as NAME.damaged-N, with a warning in
 *  the log, and a new one is begun. With `read_only` nothing on disk is changed, and a file that is
 *  not there or damaged is an error. Thread class: any. Errors: IO (folder, permissions, full disk,
 *  locked), FORMAT (from a newer Heddle; another program's database; damaged and read-only),
 *  MEMORY. */
HED_API hed_status hed_database_open(hed_context *context, const char *path, bool read_only,
    hed_database **database, hed_error *error);
/** Writes what waits and closes. Before the context is destroyed. NULL is allowed. Thread class:
 *  owner. */
HED_API void hed_database_close(hed_database *database);
/** The context's own, opened (and made) at the first call; NULL where there is none that works,
 *  which is logged. It belongs to the context. Thread class: any. */
HED_API hed_database *hed_context_database(hed_context *context);
/** Where it lies. Lives as long as the database. Thread class: any. */
HED_API const char *hed_database_path(const hed_database *database);

/* ---- a search of one's own ---- */

/** Makes a configuration the choice for a kernel on a device, as a tuning would: for programs with
 *  a loop of their own (search.h). `options` gives the configuration, the problem (NULL: any size),
 *  math mode and defines. `seconds` is what a launch took. Kernels that are created afterwards take
 *  it. Thread class: any. Errors: ARGUMENT (no configuration, or no time), IO, MEMORY. */
HED_API hed_status hed_database_keep(hed_database *database, hed_device *device,
    const hed_kernel_def *kernel, const hed_kernel_options *options, double seconds,
    hed_error *error);

/* ---- looking into it, and carrying it elsewhere ---- */

/** What a record is about. */
typedef enum hed_record_kind {
    HED_RECORD_KEY = 1,         /**< a key, with the number of its measurements */
    HED_RECORD_MEASUREMENT = 2, /**< one evaluation of one configuration */
    HED_RECORD_CHOICE = 4,      /**< the configuration that launches take for a key */
    HED_RECORD_FACT = 8         /**< a number about a device */
} hed_record_kind;

/** One record of any kind; the fields of other kinds are 0 or NULL. Texts are UTF-8. */
typedef struct hed_database_entry {
    hed_record_kind kind;
    /* the device: every kind */
    const char *backend;  /**< "cuda", "opencl", "host" */
    const char *platform; /**< as in hed_device_info; likewise the next ones */
    const char *device;
    const char *vendor;
    hed_device_type type;
    uint32_t architecture;
    uint32_t compute_units;
    /* the key: every kind but facts */
    const char *kernel;
    /** hash of the texts and everything else of the description that counts, hexadecimal */
    const char *source;
    const char *math;      /**< "fast", "strict" */
    const char *objective; /**< "time", "energy", "metric" */
    const char *driver;
    const char *compiler;
    const char *problem;   /**< "width=512 height=512"; "": any size */
    uint64_t measurements; /**< keys: how many there are */
    /* the tuning that it came from: measurements and choices */
    const char *session;  /**< 32 hexadecimal digits that no other tuning has */
    const char *settings; /**< a line for people: "auto, 200 evaluations, seed 1" */
    const char *version;  /**< Heddle's */
    /** when, in seconds since 1970, by that machine's clock; nothing depends on it */
    int64_t begun;
    /* measurements and choices */
    const char *config; /**< "WG=64 TILE=4" */
    /** median (joules, or the metric, by the objective); NAN: it was not measured */
    double seconds;
    double low, high;         /**< 95 % confidence interval of the median; NAN: not known */
    double default_seconds;   /**< choices: what the default configuration took; NAN: not known */
    uint32_t number;          /**< measurements: place in its session, from 1; the next ones too */
    const char *outcome;      /**< hed_outcome_name() */
    uint32_t runs;            /**< timed ones */
    double build_seconds, at; /**< as in hed_evaluation */
    double deviation;         /**< hed_evaluation.error; NAN: not checked */
    const char *text;         /**< why it failed; "": it did not */
    /* facts */
    const char *name; /**< such as "copy bytes/s" */
    double value;
} hed_database_entry;

/** Which records to go through. Start from {0}: all. */
typedef struct hed_record_filter {
    uint32_t kinds;     /**< bits of hed_record_kind; 0: all */
    const char *kernel; /**< of this name only; NULL: all. Facts have no kernel and are left out */
    /** backend, or part of the device's or platform's name, case ignored; NULL: all */
    const char *device;
} hed_record_filter;

/** Calls `visit` for each record: facts, then key after key (by kernel, device, problem), each with
 *  its choice and then its measurements, oldest first. A record lives until visit() returns. A
 *  status of visit() other than OK ends it and is returned. visit() must not use this database.
 *  Thread class: any. Errors: IO, MEMORY. */
HED_API hed_status hed_database_each(hed_database *database, const hed_record_filter *filter,
    hed_status (*visit)(void *user, const hed_database_entry *record, hed_error *error), void *user,
    hed_error *error);

/** How much was added, or removed. */
typedef struct hed_database_changes {
    uint64_t keys, measurements, choices, facts;
} hed_database_changes;

/** Adds what `next` gives, record after record until it sets `*end`: all or nothing. Measurements
 *  and facts that are there already are passed over. A choice that is there stays, unless the new
 *  one's confidence interval lies wholly below its own: a choice that cannot be told apart changes
 *  nothing. A record's texts must live until `next` is called again. `changes` may be NULL. Thread
 *  class: any. Errors: FORMAT (names the field), IO, MEMORY, and what `next` gave. */
HED_API hed_status hed_database_import(hed_database *database,
    hed_status (*next)(void *user, hed_database_entry *record, bool *end, hed_error *error),
    void *user, hed_database_changes *changes, hed_error *error);

/** Adds everything of another file, as hed_database_import() does; doing it again adds nothing. The
 *  other file is only read. Thread class: any. Errors: IO, FORMAT, MEMORY. */
HED_API hed_status hed_database_merge(
    hed_database *database, const char *path, hed_database_changes *changes, hed_error *error);

/** What to remove. Start from {0}, and give at least one of the fields. */
typedef struct hed_prune_def {
    const char *kernel; /**< of this kernel only; alone: everything of it, choices too */
    /** measurements of tunings that began longer ago than this, by the clock on the wall */
    double older_seconds;
    /** all but so many of each key's configurations, the fastest ones, and the choice's own */
    uint32_t keep_best;
    bool dry_run; /**< only count */
} hed_prune_def;

/** Removes measurements. Choices stay, and so do measurements of crashes and hangs where
 *  `keep_best` is given alone: those are never tried again. `removed` may be NULL. Thread class:
 *  any. Errors: ARGUMENT (nothing was asked for), IO, MEMORY. */
HED_API hed_status hed_database_prune(hed_database *database, const hed_prune_def *def,
    hed_database_changes *removed, hed_error *error);

HED_END

#endif
