/* The tuning database, see heddle/database.h. */
#include "tune/database.h"

#include "base/error.h"

hed_status hed_database_open(hed_context *context, const char *path, bool read_only, hed_database **database, hed_error *error)
{
    (void)context, (void)path, (void)read_only;
    *database = NULL;
    return hed_fail(error, HED_ERROR_UNSUPPORTED, "the database is not there yet");
}

void hed_database_close(hed_database *database) { (void)database; }
hed_database *hed_context_database(hed_context *context) { return (void)context, NULL; }
const char *hed_database_path(const hed_database *database) { return (void)database, ""; }

void hed_tune_key_of_kernel(hed_device *device, const hed_kernel_def *kernel, hed_math math, const hed_define *defines,
                            uint32_t define_count, const hed_problem *problem, hed_objective objective, hed_tune_key *key)
{
    (void)device, (void)kernel, (void)math, (void)defines, (void)define_count, (void)problem, (void)objective;
    *key = (hed_tune_key){0};
}

void hed_tune_key_of_pipeline(hed_device *device, const hed_pipeline_def *pipeline, const hed_problem *problem,
                              hed_objective objective, hed_tune_key *key)
{
    (void)device, (void)pipeline, (void)problem, (void)objective;
    *key = (hed_tune_key){0};
}

hed_status hed_database_begin(hed_database *database, const hed_tune_key *key, const char *settings, int64_t *session, hed_error *error)
{
    (void)database, (void)key, (void)settings;
    *session = 0;
    return hed_fail(error, HED_ERROR_UNSUPPORTED, "the database is not there yet");
}

hed_status hed_database_record(hed_database *database, int64_t session, const hed_tune_key *key, const hed_evaluation *evaluation, hed_error *error)
{
    (void)database, (void)session, (void)key, (void)evaluation;
    return hed_fail(error, HED_ERROR_UNSUPPORTED, "the database is not there yet");
}

hed_status hed_database_flush(hed_database *database, hed_error *error)
{
    (void)database;
    return hed_fail(error, HED_ERROR_UNSUPPORTED, "the database is not there yet");
}

hed_status hed_database_choose(hed_database *database, int64_t session, const hed_tune_key *key, const hed_evaluation *evaluation, hed_error *error)
{
    (void)database, (void)session, (void)key, (void)evaluation;
    return hed_fail(error, HED_ERROR_UNSUPPORTED, "the database is not there yet");
}

hed_status hed_database_history(hed_database *database, const hed_tune_key *key, hed_evaluation **evaluations, uint32_t *count, hed_error *error)
{
    (void)database, (void)key, (void)error;
    *evaluations = NULL;
    *count = 0;
    return HED_OK;
}

hed_status hed_database_sources(hed_database *database, const hed_tune_key *key, uint32_t limit, hed_search_source **sources, uint32_t *count,
                                size_t *bytes, hed_error *error)
{
    (void)database, (void)key, (void)limit, (void)error;
    *sources = NULL;
    *count = 0;
    *bytes = 0;
    return HED_OK;
}

bool hed_database_get_fact(hed_database *database, const hed_device_info *device, const char *name, double *value)
{
    (void)database, (void)device, (void)name, (void)value;
    return false;
}

hed_status hed_database_put_fact(hed_database *database, const hed_device_info *device, const char *name, double value, hed_error *error)
{
    (void)database, (void)device, (void)name, (void)value, (void)error;
    return HED_OK;
}

hed_choices *hed_choices_load(hed_context *context, const hed_tune_key *key) { return (void)context, (void)key, NULL; }
void hed_choices_free(hed_choices *choices) { (void)choices; }
bool hed_choices_find(const hed_choices *choices, const hed_problem *problem, uint32_t rank, hed_config *config, hed_configured *configured)
{
    (void)choices, (void)problem, (void)rank, (void)config, (void)configured;
    return false;
}
