/* What a tuning gave, as files that other tools read: T4, the auto-tuning community's results in
 * JSON, and CSV. Whoever reads the file meanwhile sees the old one or the new one, never half of it
 * (file.h). */
#ifndef HED_SUPPORT_TUNE_RESULTS_H
#define HED_SUPPORT_TUNE_RESULTS_H

#include "heddle/tune.h"

/* T4, schema 1.0.0, times in milliseconds as Kernel Tuner writes them. `objective` names what was
 * measured. Of the single runs only the median is kept, so "runtimes" holds that one. Errors: IO,
 * MEMORY. */
hed_status hed_tune_results_write_t4(const char *path, const hed_kernel_def *kernel,
    const hed_tune_result *result, hed_objective objective, hed_error *error);
/* One line for each evaluation under a line of names: the parameters, then outcome, value (seconds,
 * joules or the metric), low, high, runs, build_seconds, at, error, recalled, winner, text. Not
 * known: empty. Errors: IO, MEMORY.
 */
hed_status hed_tune_results_write_csv(const char *path, const hed_kernel_def *kernel,
    const hed_tune_result *result, hed_error *error);

#endif
