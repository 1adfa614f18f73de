/* Database of a WebAssembly module, in place of src/database/: it has no file, so kernels and
 * pipelines run in their defaults. */
#include "database/keyed_results.h"

bool hed_choices_any(hed_context *context) { return false; }

hed_choices *hed_choices_load(hed_context *context, const hed_tune_key *key) { return NULL; }

void hed_choices_free(hed_choices *choices) {}

bool hed_choices_find(const hed_choices *choices, const hed_problem *problem, uint32_t rank,
    hed_config *config, hed_config_origin *configured)
{
    return false;
}

void hed_tune_key_of_kernel(hed_device *device, const hed_kernel_def *kernel, hed_math math,
    const hed_define *defines, uint32_t define_count, const hed_problem *problem,
    hed_objective objective, hed_tune_key *key)
{
    *key = (hed_tune_key){0};
}

void hed_tune_key_of_pipeline(hed_device *device, const hed_pipeline_def *pipeline,
    const hed_problem *problem, hed_objective objective, hed_tune_key *key)
{
    *key = (hed_tune_key){0};
}
