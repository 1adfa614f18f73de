/** @file tune_file.h
 *  Files around tuning, for front ends (libheddle-tunefile): a kernel with everything that tuning
 *  it needs, from a tune file; the results of a tuning as a page, T4 or CSV; the tuning database as
 *  JSON. docs/tune-file.md describes the files. */
#ifndef HEDDLE_TUNE_FILE_H
#define HEDDLE_TUNE_FILE_H

#include "heddle/tune.h"

HED_BEGIN

/* ---- tune files ---- */

/** A kernel from a file, with its problem, arguments and reference: Heddle's own JSON, or Kernel
 *  Tuner's T1, which is recognised by its keys. Files that it names are relative to its folder. */
typedef struct hed_tune_file hed_tune_file;

/** Opens a tune file. Its expressions may name limits of `device`.
 *  Thread class: any. Errors: IO, FORMAT (file, line, path, the value expected), LIMIT (an argument
 *  larger than addressable memory), MEMORY. */
HED_API hed_status hed_tune_file_open(
    const char *path, const hed_device_info *device, hed_tune_file **file, hed_error *error);
/** A file in memory. */
typedef struct hed_tune_memory {
    const char *name; /**< name in the tune file */
    const void *bytes;
    size_t size;
} hed_tune_memory;
/** A tune file in memory, with the files that it names, or a file with settings of the caller.
 *  Start from {0}. */
typedef struct hed_tune_text_def {
    /** name in messages; its folder contains the files that are not in memory; NULL: "tune file" */
    const char *name;
    /** (size) JSON in Heddle's own format, or T1; NULL: that of the file `name` */
    const char *text;
    size_t size;
    /** (file_count) files that replace those on disk: texts of kernels, and contents of arguments,
     *  which are raw elements for any name. Texts are copied; contents are used in place and must
     *  outlive the object. */
    const hed_tune_memory *files;
    uint32_t file_count;
    const char *entry; /**< entry point of a shader; NULL: the file's, or the only one */
    /** (setting_count) "NAME=NUMBER" of a shader: sizes of the problem, numbers of uniforms and
     *  values of overrides; they replace those of the file */
    const char *const *settings;
    uint32_t setting_count;
} hed_tune_text_def;
/** Opens a tune file in memory, so that arrays of the program become arguments, or a file with
 *  settings.
 *  Thread class: any. Errors: as hed_tune_file_open(), ARGUMENT (a setting that fits nothing). */
HED_API hed_status hed_tune_file_parse(const hed_tune_text_def *def, const hed_device_info *device,
    hed_tune_file **file, hed_error *error);
/** Replaces the initial content of argument `name`: `content` is a file, relative to the current
 *  folder (.npy, else raw bytes), or "LOW:HIGH" for random numbers between the two. Read-only
 *  buffers and symbols may change their size.
 *  Thread class: owner. Errors: ARGUMENT (no such argument), IO, FORMAT, MEMORY; after an error
 *  nothing has changed. */
HED_API hed_status hed_tune_file_set_content(hed_tune_file *file, const hed_device_info *device,
    const char *name, const char *content, hed_error *error);
/** Returns the kernel's description; lives as long as the tune file. Thread class: any. */
HED_API const hed_kernel_def *hed_tune_file_kernel(const hed_tune_file *file);
/** Applies the settings of the file to `def` (may be NULL): math mode, problem, arguments, the
 *  reference and its kernel, the metrics and the objective, and a budget if it has one. All other
 *  members stay. Returns a sentence
 *  on settings that the file leaves open and their values here, or NULL.
 *  Thread class: any. */
HED_API const char *hed_tune_file_apply(const hed_tune_file *file, hed_tune_def *def);
/** Closes a tune file. NULL is allowed. Thread class: owner. */
HED_API void hed_tune_file_close(hed_tune_file *file);

/* ---- reports ---- */

/** Format of hed_tune_report_save(). */
typedef enum hed_report_format {
    /** a self-contained page: convergence, heat map, importance, the best configurations, roofline,
     *  failures, device and conditions; a script in the page draws it */
    HED_REPORT_HTML,
    /** T4, the results format of the auto-tuning community, schema 1.0.0, with times in
     *  milliseconds as Kernel Tuner writes them. Only the median of the runs is kept, so "runtimes"
     *  has one entry. */
    HED_REPORT_T4,
    /** A line for each evaluation after a line of names: the parameters, then outcome, value
     *  (seconds, joules or the metric), low, high, runs, build_seconds, at, error, recalled,
     *  winner, text. Unknown values are empty. */
    HED_REPORT_CSV
} hed_report_format;

/** Resources of a tuning's winner, as compiler and driver report them without a run. */
typedef struct hed_tune_resources {
    hed_kernel_resources
        kernel;              /**< resources of an item, and local memory that the text declares */
    uint32_t group_items;    /**< work items of a group */
    uint64_t local_bytes;    /**< local memory of a group: the text's and the launch's */
    int64_t resident_groups; /**< number of groups that are on the device at once */
} hed_tune_resources;

/** Subject of a report. Start from {0}; T4 and CSV need the members before `device`. */
typedef struct hed_tune_report_def {
    const hed_kernel_def *kernel;
    const hed_tune_result *result;
    hed_objective objective;
    const hed_tune_metric *metric;  /**< hed_tune_def.metric */
    const hed_tune_metric *metrics; /**< (metric_count) */
    uint32_t metric_count;
    /** device; this and the rest are for the page, and texts may be NULL */
    const hed_device_info *device;
    hed_math math;
    /** arguments of the tuning; NULL: the description's sample */
    const hed_tune_argument *arguments;
    bool cold_cache;
    const hed_tune_resources *resources; /**< NULL: unknown */
    const char *origin;                  /**< tuned object: "heddle:convolution", "blur.json" */
    const char *settings;                /**< "auto, 200 evaluations, seed 1" */
    const char *database;                /**< path of the measurements; NULL: not stored */
    const char *date;                    /**< "2026-11-21 14:03" */
} hed_tune_report_def;

/** Writes a report; a complete new file replaces the previous one.
 *  Thread class: any. Errors: IO, MEMORY. */
HED_API hed_status hed_tune_report_save(
    const hed_tune_report_def *def, const char *path, hed_report_format format, hed_error *error);

/* ---- the tuning database as JSON ---- */

/** Exports the records of a filter (NULL: all). `stop`, called between records, ends the export
 *  with TIMEOUT and no file if it returns true; `stop` and `written` may be NULL.
 *  Thread class: any. Errors: IO, MEMORY, TIMEOUT. */
HED_API hed_status hed_exchange_export(hed_database *database, const hed_record_filter *filter,
    const char *path, bool (*stop)(void), hed_database_changes *written, hed_error *error);
/** Imports the records of exported files as hed_database_import() does: all of them or none. `stop`
 *  and `added` may be NULL.
 *  Thread class: any. Errors: FORMAT (file, line and path), IO, MEMORY, TIMEOUT. */
HED_API hed_status hed_exchange_import(hed_database *database, const char *const *paths,
    uint32_t count, bool (*stop)(void), hed_database_changes *added, hed_error *error);

HED_END

#endif
