/* The tuning of a kernel, shared by its files: set-up (tune_kernel.c), choice of the problem
 * (tune_problem.c), expected outputs (tune_reference.c), runners (tune_runner.c). */
#ifndef HED_TUNE_KERNEL_TUNING_H
#define HED_TUNE_KERNEL_TUNING_H

#include "measure/runners.h"
#include "tune/tune_inputs.h"
#include "tune/tuning_state.h"

enum {
    HED_REASON = 256, /* bytes of the reason for which a configuration is not valid */
    HED_LEAST_COMPILING_SECONDS = 10 /* least time limit of a run in which the driver compiles */
};

typedef struct hed_kernel_tuning {
    hed_tuning tuning;
    hed_tune_def def; /* the caller's, defaults filled in */
    const hed_kernel_def *kernel;
    hed_problem problem;
    hed_kernel_def described[2]; /* descriptions passed to a runner of the caller */
    uint32_t described_count;
    double first_seconds; /* first run of the reference on the device, s; 0: unknown */
    bool is_expecting;    /* the reference runs */
    bool holds_builders;  /* the builders wait until the reference has opened the device */
    hed_space *space;
    hed_tune_inputs inputs;
} hed_kernel_tuning;

/* Opens the runner of the candidates, and logs the reason if it is in this process. */
hed_status hed_kernel_tuning_open_runner(
    hed_kernel_tuning *k, const hed_runner_def *def, hed_runner **runner, hed_error *error);
/* Describes a runner for candidates of the tuning. */
hed_runner_def hed_kernel_tuning_runner_def(
    hed_kernel_tuning *k, const hed_problem *problem, const hed_tune_inputs *inputs);
/* Finds the description's default if it is valid (`is_default`), else the first valid
 * configuration; `reason` (HED_REASON) then has the cause. Errors: UNSUPPORTED: no configuration is
 * valid. */
hed_status hed_kernel_tuning_usual_config(hed_device *device, const hed_kernel_def *kernel,
    const hed_problem *problem, hed_math math, hed_config *config, bool *is_default, char *reason,
    hed_error *error);

/* Chooses the problem. The size is stored once found: another size would be another key, without
 * any history. */
hed_status hed_kernel_tuning_choose_problem(hed_kernel_tuning *k, hed_error *error);

/* Gives builders that wait their first candidates. Errors: as hed_tuning_build_ahead(). */
hed_status hed_kernel_tuning_release_builders(hed_kernel_tuning *k, hed_error *error);
/* Computes expected outputs by the reference, unless the caller supplies them. */
hed_status hed_kernel_tuning_make_expected(hed_kernel_tuning *k, hed_error *error);
/* Counts the expected elements. Without one that is compared every candidate would pass. */
hed_status hed_kernel_tuning_count_expected(hed_kernel_tuning *k, hed_error *error);

#endif
