/* Arguments and expected outputs of the candidates of a tuning. */
#ifndef HED_TUNE_INPUTS_H
#define HED_TUNE_INPUTS_H

#include "measure/runners.h"

/* Arguments of all candidates, from the caller or from the description's sample, and their expected
 * outputs. Start from {0}. */
typedef struct hed_tune_inputs {
    hed_allocator allocator;
    const hed_kernel_def *kernel;
    hed_runner_argument arguments[HED_MAX_ARGUMENTS];
    /* memory owned by this struct; NULL: the caller's, or no data */
    void *data[HED_MAX_ARGUMENTS], *expected[HED_MAX_ARGUMENTS];
    uint8_t *marks[HED_MAX_ARGUMENTS];
    uint64_t data_bytes[HED_MAX_ARGUMENTS], mark_bytes[HED_MAX_ARGUMENTS];
    uint64_t unwritten_count, unsteady_count; /* elements */
    uint64_t dropped_count;                   /* elements of outputs of which nothing is compared */
    bool
        is_racing; /* a repeat of the reference was wrong: it runs as often as elements differ and then some */
    bool is_unproven; /* more than half of the written elements of an output are unsteady */
} hed_tune_inputs;

/* Source of buffer sizes: one configuration, or (NULL) the maximum over a space. */
typedef struct hed_tune_inputs_source {
    const hed_kernel_def *kernel;
    const hed_problem *problem;
    hed_math math; /* strict: outputs must be equal bit by bit */
    const hed_config *config;
    const hed_space *space;
    uint64_t seed;
} hed_tune_inputs_source;

/* Creates the arguments. `arguments`: (kernel->argument_count), NULL: the sample. Errors: ARGUMENT
 * (there is neither, or an argument without a value), MEMORY. */
hed_status hed_tune_inputs_create(hed_tune_inputs *inputs, const hed_allocator *allocator,
    const hed_tune_inputs_source *source, const hed_tune_argument *arguments, hed_error *error);
void hed_tune_inputs_free(hed_tune_inputs *inputs);
/* Runs slot 0 of a runner several times over the same arguments and takes its results as the expected
 * outputs that are missing, without the elements that differ from run to run. `is_host`: the runner
 * executes C functions, which are slow. A candidate's failure is in `trial`; `geometry`: its launch
 * geometry. Errors: MEMORY, and the runner's. */
hed_status hed_tune_inputs_expect(hed_tune_inputs *inputs, hed_runner *runner, bool is_host,
    const hed_geometry *geometry, hed_trial *trial, hed_error *error);
/* Forgets the expected outputs that a failed hed_tune_inputs_expect() made. */
void hed_tune_inputs_unexpect(hed_tune_inputs *inputs);
/* Number of elements of all outputs whose expected content is known. */
uint64_t hed_tune_inputs_elements(const hed_tune_inputs *inputs);

#endif
