/* What the tuner and the launcher ask of the database, beside include/heddle/database.h. */
#ifndef HED_DATABASE_DATABASE_H
#define HED_DATABASE_DATABASE_H

#include "heddle/tune.h"

/* What a measurement is a measurement of. Fixed sizes: no allocation; what it points to belongs to
 * description and device. */
typedef struct hed_tune_key {
    const char *kernel; /* name */
    /* Hash, hexadecimal: texts, entry, defines, argument kinds and types, language, parameter names
     * (not their values: a new value does not make old results worthless). "": the texts cannot be
     * read, and nothing is known of such a key, and nothing kept. */
    char source[40];
    const hed_device_info *device;
    char compiler[640]; /* NVRTC or driver version, prelude hash */
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

/* One tuning: `settings` is a line for people ("auto, 200 evaluations, seed 1"). Durable at once.
 * Errors: IO, MEMORY. */
hed_status hed_database_begin(hed_database *database, const hed_tune_key *key, const char *settings,
    int64_t *session, hed_error *error);
/* Adds one evaluation; written in batches so that a slow disk does not slow the tuning, at the
 * latest with hed_database_flush(). A key's evaluation of the same configuration is added beside
 * the old one, never over it; a recalled one is there already and passed over. A disk that does not
 * take a batch is logged once, and the batch is tried again with the next one. Errors: MEMORY. */
hed_status hed_database_record(hed_database *database, int64_t session, const hed_tune_key *key,
    const hed_evaluation *evaluation, hed_error *error);
/* Errors: IO (what waits goes on waiting), MEMORY. */
hed_status hed_database_flush(hed_database *database, hed_error *error);
/* Flushes, and reads the file through as the next process will: one that is damaged, or no longer
 * there, is replaced by a new one with all results of this process. Errors: IO, MEMORY. */
hed_status hed_database_confirm(hed_database *database, hed_error *error);
/* Makes this, which must have been measured, the key's choice, whatever it was before; flushes.
 * Errors: ARGUMENT (it was not measured), IO, MEMORY. */
hed_status hed_database_choose(hed_database *database, int64_t session, const hed_tune_key *key,
    const hed_evaluation *evaluation, hed_error *error);

/* What was measured for this very key: the newest evaluation of each configuration (crashed and
 * hung ones included: they are never tried again), oldest first. Freed with hed_release() of count
 * * sizeof; NULL where there are none. Errors: IO, MEMORY. */
hed_status hed_database_history(hed_database *database, const hed_tune_key *key,
    hed_evaluation **evaluations, uint32_t *count, hed_error *error);
/* The best `HED_SOURCE_TOP` configurations of each other device, driver or size that measured this
 * kernel, nearest first, at most `limit` of them; where `database` is the context's own, those of
 * the installed one too. Earlier texts of the kernel count as far away. One allocation, freed with
 * hed_release() of `*bytes`. Errors: IO, MEMORY. */
enum { HED_SOURCE_TOP = 20 };
hed_status hed_database_sources(hed_database *database, const hed_tune_key *key, uint32_t limit,
    hed_search_source **sources, uint32_t *count, size_t *bytes, hed_error *error);

/* A number about a device, such as "copy bytes/s": kept so that it is measured once. false: not
 * known. */
bool hed_database_get_fact(
    hed_database *database, const hed_device_info *device, const char *name, double *value);
hed_status hed_database_put_fact(hed_database *database, const hed_device_info *device,
    const char *name, double value, hed_error *error);

/* All choices that could serve one kernel on one device, whatever the size, ranked when asked with
 * a size: what a launch looks into. Immutable, and independent of the database once made. */
typedef struct hed_choices hed_choices;
/* Whether there is a database to look into at all. */
bool hed_choices_any(hed_context *context);
/* NULL: nothing is known. Looks into the user's database first, then into the installed one. Never
 * fails a launch: problems are logged. */
hed_choices *hed_choices_load(hed_context *context, const hed_tune_key *key);
/* Likewise, from one database alone. */
hed_choices *hed_choices_load_from(hed_database *database, const hed_tune_key *key);
void hed_choices_free(hed_choices *choices);
/* The best known for a size, in the order exact, same device with another driver, near size on the
 * same device, same architecture, same vendor. `problem` NULL: any size is near. `rank` 0, 1, ...
 * goes on to the next best where a configuration turns out not to be valid. false: no more. Thread
 * class: rt. */
bool hed_choices_find(const hed_choices *choices, const hed_problem *problem, uint32_t rank,
    hed_config *config, hed_config_origin *configured);

#endif
