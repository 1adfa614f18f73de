/* What candidates are run with and compared with: arguments given by the caller or made from the
 * description's sample, and expected outputs. */
#ifndef HED_TUNE_INPUTS_H
#define HED_TUNE_INPUTS_H

#include "base/alloc.h"
#include "tune/runner.h"

/* Start from {0}. */
typedef struct hed_inputs {
    hed_allocator allocator;
    const hed_kernel_def *kernel;
    hed_runner_argument arguments[HED_MAX_ARGUMENTS];
    /* made here; NULL: the caller's, or nothing */
    void *data[HED_MAX_ARGUMENTS], *expected[HED_MAX_ARGUMENTS];
    uint64_t data_bytes[HED_MAX_ARGUMENTS];
} hed_inputs;

/* Whose buffers are asked for: one configuration, or (NULL) the largest that any of a space
 * needs. */
typedef struct hed_inputs_for {
    const hed_kernel_def *kernel;
    const hed_problem *problem;
    hed_math math; /* strict: outputs must have the same bits */
    const hed_config *config;
    const hed_space *space;
    uint64_t seed;
} hed_inputs_for;

/* `given` (kernel->argument_count), or NULL: the sample. Errors: ARGUMENT (neither is there, an
 * argument without a value), MEMORY. */
hed_status hed_inputs_create(hed_inputs *inputs, const hed_allocator *allocator,
    const hed_inputs_for *what, const hed_tune_argument *given, hed_error *error);
void hed_inputs_free(hed_inputs *inputs);
/* Whether an output is left that nothing says the right content of. */
bool hed_inputs_lack(const hed_inputs *inputs);
/* Takes what is in slot 0 of a runner, over the same arguments, as right, for those outputs. A
 * candidate's failure is in `trial`; `geometry` is what it was laid out as. Errors: MEMORY, those
 * of the runner. */
hed_status hed_inputs_expect(hed_inputs *inputs, hed_runner *runner, const hed_geometry *geometry,
    hed_trial *trial, hed_error *error);

#endif
