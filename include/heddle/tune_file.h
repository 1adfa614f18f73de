/** @file tune_file.h
 *  Files around tuning, for front ends (libheddle-tunefile): a kernel with everything that tuning
 *  it needs, read from a tune file; the results of a tuning as a page, T4 or CSV; the tuning
 *  database as JSON. docs/tune-file.md describes the files.
 */
#ifndef HEDDLE_TUNE_FILE_H
#define HEDDLE_TUNE_FILE_H

#include "heddle/tune.h"

HED_BEGIN

/* ---- tune files ---- */

/** A kernel from a file, with its problem, arguments and reference: Heddle's own JSON, or Kernel
 *  Tuner's T1, which is recognised by its keys. Files that it names are looked for beside it. */
typedef struct hed_tune_file hed_tune_file;

/** Reads a file. Its expressions may name limits of `device`. Thread class: any. Errors: IO, FORMAT
 *  (file, line, path, what was expected), LIMIT (an argument larger than addressable memory),
 *  MEMORY. */
HED_API hed_status hed_tune_file_open(
    const char *path, const hed_device_info *device, hed_tune_file **file, hed_error *error);
/** A file that is in memory. */
typedef struct hed_tune_memory {
    const char *name; /**< as the tune file names it */
    const void *bytes;
    size_t size;
} hed_tune_memory;
/** A tune file that is in memory, with what it names. Start from {0}. */
typedef struct hed_tune_text_def {
    /** for messages; files that are not in memory are looked for in its folder; NULL: "tune file" */
    const char *name;
    const char *text; /**< (size) JSON in Heddle's own format, or T1 */
    size_t size;
    /** (file_count) found before those on disk: texts of kernels, and contents of arguments, which
     *  are raw elements whatever their name. Texts are copied; contents are used where they are and
     *  must outlive the object. */
    const hed_tune_memory *files;
    uint32_t file_count;
} hed_tune_text_def;
/** The same from memory: so arrays that a program holds become arguments. Thread class: any. Errors:
 *  as hed_tune_file_open(). */
HED_API hed_status hed_tune_file_parse(const hed_tune_text_def *def, const hed_device_info *device,
    hed_tune_file **file, hed_error *error);
/** Replaces the initial content of argument `name`: `content` is a file, relative to the current
 *  folder (.npy, else raw bytes), or "LOW:HIGH" for random numbers between the two. Read-only
 *  buffers and symbols may change their size with it. Thread class: owner. Errors: ARGUMENT (no
 *  such argument), IO, FORMAT, MEMORY; none of them changes anything. */
HED_API hed_status hed_tune_file_set_content(hed_tune_file *file, const hed_device_info *device,
    const char *name, const char *content, hed_error *error);
/** The kernel's description; lives as long as the file's object. Thread class: any. */
HED_API const hed_kernel_def *hed_tune_file_kernel(const hed_tune_file *file);
/** Sets what the file decides: math mode, problem, arguments, the reference and its kernel, and a
 *  budget where it has one. Everything else in `def` stays. Returns a sentence on what the file
 *  leaves open and how it was taken, or NULL. `def` may be NULL. Thread class: any. */
HED_API const char *hed_tune_file_apply(const hed_tune_file *file, hed_tune_def *def);
/** NULL is allowed. Thread class: owner. */
HED_API void hed_tune_file_close(hed_tune_file *file);

/* ---- reports ---- */

/** What hed_tune_report_write() writes. */
typedef enum hed_report_format {
    /** a page that stands alone: convergence, heat map, importance, the best configurations,
     *  roofline, failures, device and conditions; drawn by a script in the page */
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

/** The subject of a report. Start from {0}; T4 and CSV need the first three fields. */
typedef struct hed_tune_report_def {
    const hed_kernel_def *kernel;
    const hed_tune_result *result;
    hed_objective objective;
    const hed_device_info *device; /**< the rest is for the page; texts may be NULL */
    hed_math math;
    const hed_tune_argument *arguments; /**< used in tuning; NULL: the description's sample */
    bool cold_cache;
    const char *origin;   /**< what was tuned: "heddle:convolution", "blur.json" */
    const char *settings; /**< "auto, 200 evaluations, seed 1" */
    const char *database; /**< where the measurements are kept; NULL: nowhere */
    const char *date;     /**< "2026-11-21 14:03" */
} hed_tune_report_def;

/** Writes a report; a previous file is replaced only once the new one is complete. Thread class:
 *  any. Errors: IO, MEMORY. */
HED_API hed_status hed_tune_report_write(
    const char *path, hed_report_format format, const hed_tune_report_def *def, hed_error *error);

/* ---- the tuning database as JSON ---- */

/** Writes the records that the filter selects (NULL: all). `stop`, asked between records, ends it
 *  with TIMEOUT and no file; `stop` and `written` may be NULL. Thread class: any. Errors: IO,
 *  MEMORY, TIMEOUT. */
HED_API hed_status hed_exchange_export(hed_database *database, const hed_record_filter *filter,
    const char *path, bool (*stop)(void), hed_database_changes *written, hed_error *error);
/** Adds the records of exported files as hed_database_import() does: all of them or none. `stop`
 *  and `added` may be NULL. Thread class: any. Errors: FORMAT (file, line and path), IO, MEMORY,
 *  TIMEOUT. */
HED_API hed_status hed_exchange_import(hed_database *database, const char *const *paths,
    uint32_t count, bool (*stop)(void), hed_database_changes *added, hed_error *error);

HED_END

#endif
