/* Internal interface of the database for the tuner and the launcher, in addition to
 * include/heddle/database.h. */
#ifndef HED_DATABASE_KEYED_RESULTS_H
#define HED_DATABASE_KEYED_RESULTS_H

#include "heddle/tune.h"

/* Identity of a measurement. Fixed sizes without allocation; its pointers refer to the description
 * and the device. */
typedef struct hed_tune_key {
    const char *kernel; /* name of the kernel */
    /* Hexadecimal hash of texts, entry, defines, argument kinds and types, language and parameter
     * names; not of the parameters' values, so that a new value keeps old results valid. "": the
     * texts cannot be read; such a key has no results, and new ones are discarded. */
    char source[40];
    const hed_device_info *device;
    char compiler[640]; /* NVRTC or driver version, prelude hash */
    /* Hash of everything that results are compared with; no part of the identity: times are valid
     * for every judge, a verdict "wrong" only for its own. "": unknown, or the key covers it. */
    char judge[33];
    hed_math math;
    hed_objective objective;
    uint32_t dimension_count;
    const char *const *dimensions;
    hed_problem problem;
    const hed_parameter_def *parameters;
    uint32_t parameter_count;
} hed_tune_key;

void hed_tune_key_of_kernel(hed_device *device, const hed_kernel_def *kernel, hed_math math,
    const hed_define *defines, uint32_t define_count, const hed_problem *problem,
    hed_objective objective, hed_tune_key *key);
void hed_tune_key_of_pipeline(hed_device *device, const hed_pipeline_def *pipeline,
    const hed_problem *problem, hed_objective objective, hed_tune_key *key);

/* Makes a key that of a metric: values of two metrics are not comparable. */
void hed_tune_key_add(hed_tune_key *key, const hed_tune_metric *metric);

/* Begins the session of a tuning; `settings` describes it for display ("auto, 200 evaluations, seed
 * 1"). Written to disk at once. Errors: IO, MEMORY. */
hed_status hed_database_begin(hed_database *database, const hed_tune_key *key, const char *settings,
    int64_t *session, hed_error *error);
/* Adds an evaluation. Evaluations are written in batches, so that a slow disk does not slow the
 * tuning, and at the latest by hed_database_flush(). A further evaluation of a configuration is
 * added to the earlier one and does not replace it; a recalled evaluation is skipped. A failure to
 * write a batch is logged once, and the batch is written with the next. Errors: MEMORY. */
hed_status hed_database_record(hed_database *database, int64_t session, const hed_tune_key *key,
    const hed_evaluation *evaluation, hed_error *error);
/* Writes all pending results. Errors: IO (they remain pending), MEMORY. */
hed_status hed_database_flush(hed_database *database, hed_error *error);
/* Flushes, and reads the whole file as the next process will: a damaged or removed file is replaced
 * by a new one with all results of this process. Errors: IO, MEMORY. */
hed_status hed_database_confirm(hed_database *database, hed_error *error);
/* Makes a measured evaluation the key's choice, replacing any earlier choice, and flushes. Errors:
 * ARGUMENT (it was not measured), IO, MEMORY. */
hed_status hed_database_choose(hed_database *database, int64_t session, const hed_tune_key *key,
    const hed_evaluation *evaluation, hed_error *error);

/* Reads the measurements of exactly this key: the newest evaluation of each configuration, oldest
 * first, including configurations that crashed or hung, which must not be tried again. Wrong
 * results that another judge found are skipped, unless key->judge is "". Free with
 * hed_release() of count * sizeof; NULL if the key has no measurements. Errors: IO, MEMORY. */
hed_status hed_database_history(hed_database *database, const hed_tune_key *key,
    hed_evaluation **evaluations, uint32_t *count, hed_error *error);
/* Reads the best `HED_SOURCE_TOP` configurations of other devices, drivers and sizes that measured
 * this kernel: at most `limit` sources, nearest first. If `database` is the context's own, sources
 * of the installed one are included. Earlier texts of the kernel count as distant. One allocation;
 * free with hed_release() of `*bytes`. Errors: IO, MEMORY. */
enum { HED_SOURCE_TOP = 20 };
hed_status hed_database_sources(hed_database *database, const hed_tune_key *key, uint32_t limit,
    hed_search_source **sources, uint32_t *count, size_t *bytes, hed_error *error);

/* Reads a number about a device, such as "copy bytes/s", that is stored so that it is measured only
 * once. Returns false if it is unknown. */
bool hed_database_get_fact(
    hed_database *database, const hed_device_info *device, const char *name, double *value);
hed_status hed_database_put_fact(hed_database *database, const hed_device_info *device,
    const char *name, double value, hed_error *error);

/* Choices that may serve one kernel on one device, for all sizes; a query ranks them for one size.
 * Used by launches. Immutable, and independent of the database once created. */
typedef struct hed_choices hed_choices;
/* True if the context has a database. */
bool hed_choices_any(hed_context *context);
/* Loads the choices, from the user's database first, then from the installed one; NULL: no choices.
 * Never fails a launch: problems are logged. */
hed_choices *hed_choices_load(hed_context *context, const hed_tune_key *key);
/* hed_choices_load() from one database. */
hed_choices *hed_choices_load_from(hed_database *database, const hed_tune_key *key);
void hed_choices_free(hed_choices *choices);
/* Finds the best choice for a size, in the order: exact, same device with another driver, near size
 * on the same device, same architecture, same vendor. `problem` NULL: every size counts as near.
 * `rank` 1, 2, ... selects the next best choices, for configurations that turn out to be invalid.
 * Returns false if there is no choice of this rank. Thread class: rt. */
bool hed_choices_find(const hed_choices *choices, const hed_problem *problem, uint32_t rank,
    hed_config *config, hed_config_origin *configured);

#endif
